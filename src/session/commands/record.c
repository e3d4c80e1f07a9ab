/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * record: keeps the session in a file.
 */
#include "session/commands/commands.h"
#include <string.h>

static wlab_code stop(wlab_session *s, wlab_err *err)
{
    const char *now =
        wlab_session_record_path(s); /* NULL also if the recording has failed, which was said then */
    char *path = now ? wlab_strdup(now) : NULL;
    const int lines = 1 + s->log.njournal; /* its first line is about the program */
    wlab_code code = now && !path ? wlab_nomem(err) : wlab_session_record_stop(s, err);

    if (!code && path)
        wlab_session_say(s, "recorded to %s: %d line%s", path, lines, wlab_plural(lines));
    wlab_free(path);
    return code;
}

static wlab_code record(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    wlab_code code;
    if (args->nwords > 1 || args->nsettings)
        return wlab_fail(err, WL_EARG, "record takes a file, or `stop`");
    (void)wlab_session_record_as(s, NULL, NULL);
    if (args->nwords == 0) {
        const char *path = wlab_session_record_path(s);
        if (path)
            wlab_session_say(s, "recording to %s; `record stop` ends that", path);
        else
            wlab_session_say(s, "nothing is being recorded; `record FILE` begins");
        return WL_OK;
    }
    if (strcmp(args->word[0], "stop") == 0)
        return stop(s, err);
    code = wlab_session_record(s, args->word[0], s->now.origin, err);
    if (!code)
        wlab_session_say(s, "recording to %s", wlab_session_record_path(s));
    return code;
}

static void offer(wlab_offers *o, const wlab_session *s)
{
    if (o->typed->nwords > 0)
        return;
    wlab_offers_add(o, "stop", NULL, "end the record", 0);
    wlab_offers_files(o, s, WL_FILES_ANY, "");
}

const wlab_command wlab_cmd_record = {
    .name = "record",
    .usage = "record FILE | record stop",
    .summary = "keep the session in a file that replays",
    .help =
        "Writes the commands that change the session or compute a result to FILE (.wlab), from the session's "
        "beginning (so including those before `record`) to `record stop` or the end: with full names, with "
        "the SHA-256 of the data and a digest "
        "after each stepping "
        "command; commands that failed are comments. An older FILE is kept as FILE~. `replay FILE --check` "
        "executes the session again and "
        "compares the digests. `record stop` says the path and the number of lines, `record` alone says "
        "whether the session is being recorded.",
    .flags = WL_C_FILES | WL_C_SHARED,
    .execute = record,
    .offer = offer,
};

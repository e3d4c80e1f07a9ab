/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * say: prints a text for the people who watch.
 */
#include "session/commands/commands.h"

void wlab_session_caption(wlab_session *s, const char *rest, const char *only)
{
    const char *text = only && (rest[0] == '"' || rest[0] == '\'') ? only : rest;

    if (s->sink.caption && !s->sink.json)
        s->sink.caption(s->sink.self, text);
    else
        wlab_session_print(s, "%s\n", text);
    wlab_session_object(s, json_pack("{s:s, s:o}", "type", "message", "message", wlab_json_text(text)));
}

static wlab_code say(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    (void)err;
    wlab_session_caption(s, args->rest, args->nwords == 1 ? args->word[0] : NULL);
    return WL_OK;
}

const wlab_command wlab_cmd_say = {
    .name = "say",
    .usage = "say TEXT",
    .summary = "print a text",
    .help = "Prints the rest of the line. Text with ; or # needs quotes: say \"one; two\".",
    .flags = WL_C_WORDS | WL_C_SHOWS | WL_C_SAYS | WL_C_SHARED,
    .execute = say,
};

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * watch: stops stepping when a metric changes.
 */
#include "session/commands/commands.h"
#include "session/commands/score.h"
#include "session/jobs/stops.h"
#include <string.h>

static wlab_code check_metric(const wlab_run *run, const char *word, wlab_err *err)
{
    const char *const *names;
    int n = wlab_run_names(run, &names);

    for (int i = 0; i < n; i++)
        if (strcmp(names[i], word) == 0)
            return WL_OK;
    const char *near = wlab_nearest(word, names, (size_t)n);
    if (near)
        return wlab_fail(err, WL_EARG, "no metric \"%.60s\"; did you mean \"%s\"?", word, near);
    return wlab_fail(err, WL_EARG, "run %s has no metric \"%.60s\"; `info run` shows those it has",
                     wlab_run_name(run), word);
}

static wlab_code watch(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    wlab_run *run;
    int number;
    wlab_code code;

    if (*args->rest == '\0') {
        wlab_stops_show(s, WL_SHOW_WATCHES);
        return wlab_session_record_as(s, err, NULL);
    }
    code = wlab_session_need_run(s, &run, err);
    if (code)
        return code;
    if (args->nwords != 1 || args->nsettings > 0)
        return wlab_fail(err, WL_EARG,
                         "watch takes one metric: `watch lower`, say; `break` takes conditions");
    if ((code = check_metric(run, args->word[0], err)))
        return code;
    code = wlab_stops_add(s, true, args->word[0], &number, err);
    if (!code) {
        wlab_session_print(s, "watch %d: %s\n", number, args->word[0]);
        wlab_session_object(s, json_pack("{s:s, s:i, s:o}", "type", "watch", "number", number, "text",
                                         wlab_json_text(args->word[0])));
        wlab_session_note_hidden(s, args->word[0]);
    }
    return code;
}

static void offer(wlab_offers *o, const wlab_session *s)
{
    if (o->typed->nwords == 0)
        wlab_offers_metrics(o, s);
}

const wlab_command wlab_cmd_watch = {
    .name = "watch",
    .usage = "watch [METRIC]",
    .summary = "stop after a step that changed the metric",
    .help = "Ends a stepping command as soon as a step has changed the value of the metric. `info break`, or "
            "watch alone, lists the watches; `delete N` removes one.",
    .flags = WL_C_OWN | WL_C_SHARED,
    .execute = watch,
    .offer = offer,
};

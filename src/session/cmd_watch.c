/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * watch: stop where a metric changes.
 */
#include "session/commands.h"
#include "session/stops.h"

static wlab_code watch(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    wlab_stop stop = {.watch = true};
    wlab_expr *expr = NULL;
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
    stop.text = args->word[0];
    if ((code = wlab_stop_compile(&expr, &stop, run, err)))
        return code;
    wlab_expr_destroy(expr);
    code = wlab_stops_add(s, true, stop.text, &number, err);
    if (!code) {
        wlab_session_print(s, "watch %d: %s\n", number, stop.text);
        wlab_session_object(s, json_pack("{s:s, s:i, s:o}", "type", "watch", "number", number, "text",
                                         wlab_json_text(stop.text)));
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
    .help =
        "Ends a stepping command after each step that gave the metric another value than the step before. "
        "`info break`, or watch alone, lists what is watched, `delete N` removes one.",
    .execute = watch,
    .offer = offer,
};

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * display: prints a value after every step.
 */
#include "session/commands/commands.h"
#include "session/jobs/stops.h"

static wlab_code display(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    const char *const *names;
    wlab_expr *expr = NULL;
    wlab_run *run;
    int number, n;
    wlab_code code;

    if (*args->rest == '\0') {
        wlab_stops_show(s, WL_SHOW_DISPLAYS);
        return wlab_session_record_as(s, err, NULL);
    }
    code = wlab_session_need_run(s, &run, err);
    if (code)
        return code;
    n = wlab_run_names(run, &names);
    const char *text = wlab_args_text(args);
    if ((code = wlab_args_place(args, text, wlab_expr_create_value(&expr, text, names, n, err), err)))
        return code;
    code = wlab_stops_add_display(s, wlab_expr_text(expr), &number, err);
    if (!code) {
        wlab_session_print(s, "display %d: %s\n", number, wlab_expr_text(expr));
        if (s->sink.json) {
            wlab_session_object(s, json_pack("{s:s, s:i, s:o}", "type", "displays", "number", number, "text",
                                             wlab_json_text(wlab_expr_text(expr))));
        }
    }
    wlab_expr_destroy(expr);
    return code;
}

static void offer(wlab_offers *o, const wlab_session *s)
{
    wlab_offers_condition(o, s, o->typed->rest);
}

const wlab_command wlab_cmd_display = {
    .name = "display",
    .usage = "display [METRIC|EXPRESSION]",
    .summary = "print a metric, or an expression of metrics, after every step",
    .help = "Prints the value of the current run after every step, and with `stepi` after every inner unit: "
            "`display upper`, "
            "`display (upper - lower) / abs(upper)`, `display relgap < 1e-3` (yes or no). `info break`, or "
            "display alone, lists the displays; `undisplay N` removes one.",
    .flags = WL_C_WORDS | WL_C_OWN | WL_C_SHARED,
    .execute = display,
    .offer = offer,
};

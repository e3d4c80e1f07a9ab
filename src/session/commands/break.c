/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * break: stops stepping when a condition holds.
 */
#include "session/commands/commands.h"
#include "session/commands/score.h"
#include "session/jobs/stops.h"

static wlab_code break_at(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    wlab_stop stop = {.text = (char *)(uintptr_t)wlab_args_text(args)};
    wlab_expr *expr = NULL;
    wlab_run *run;
    int number;
    wlab_code code;

    if (*args->rest == '\0') {
        wlab_stops_show(s, WL_SHOW_BREAKS);
        return wlab_session_record_as(s, err, NULL);
    }
    code = wlab_session_need_run(s, &run, err);
    if (code || (code = wlab_args_place(args, stop.text, wlab_stop_compile(&expr, &stop, run, err), err)))
        return code;
    code = wlab_stops_add(s, false, wlab_expr_text(expr), &number, err);
    if (!code) {
        wlab_session_print(s, "breakpoint %d: %s\n", number, wlab_expr_text(expr));
        wlab_session_object(s, json_pack("{s:s, s:i, s:o}", "type", "break", "number", number, "text",
                                         wlab_json_text(wlab_expr_text(expr))));
        wlab_session_note_hidden(s, wlab_expr_text(expr));
    }
    wlab_expr_destroy(expr);
    return code;
}

static void offer(wlab_offers *o, const wlab_session *s)
{
    wlab_offers_condition(o, s, o->typed->rest);
}

const wlab_command wlab_cmd_break = {
    .name = "break",
    .usage = "break [CONDITION]",
    .summary = "stop after a step if the condition holds",
    .help = "Sets a breakpoint. After each step the program checks the condition, and if it holds, the "
            "stepping command ends. Examples: `break relgap < 1e-3`, `break flips > 20`, `break iter == 10`, "
            "`break objective increases`; `help conditions` describes conditions. A breakpoint applies to "
            "every run that has the metrics. `info break`, or break alone, lists the breakpoints; `delete N` "
            "removes one.",
    .flags = WL_C_WORDS | WL_C_OWN | WL_C_SHARED,
    .execute = break_at,
    .offer = offer,
};

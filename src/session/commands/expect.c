/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * expect: a condition that must hold, for exercises and for scripts that check themselves.
 */
#include "session/commands/commands.h"
#include "session/commands/score.h"
#include "session/record/questions.h"
#include "session/record/replay.h"
#include <math.h>
#include <stdio.h>

/* "gap = 0.46, iter = 3": the values of what the condition reads; n: how many names there are. */
static wlab_code write_values(const wlab_run *run, const wlab_expr *expr, wlab_buf *text, wlab_err *err)
{
    const char *const *name;
    const int n = wlab_run_names(run, &name);
    double *now = wlab_alloc(2 * (size_t)n, sizeof *now);
    char number[32];
    bool before;
    wlab_code code = now ? WL_OK : wlab_nomem(err);

    if (!code)
        wlab_run_values(run, now, now + n, &before);
    for (int i = 0; i < n && !code; i++)
        if (wlab_expr_uses(expr, i)) {
            snprintf(number, sizeof number, "%.10g", now[i]);
            code = wlab_buf_printf(text, "%s%s = %s", text->len ? ", " : "", name[i],
                                   isnan(now[i]) ? "no value" : number);
        }
    wlab_free(now);
    return code ? wlab_nomem(err) : WL_OK;
}

static wlab_code miss(wlab_session *s, const wlab_expr *expr, const char *values, wlab_err *err)
{
    wlab_session_print(s, "not reached: %s (%s); the left arrow goes back to your turn\n",
                       wlab_expr_text(expr), values);
    return wlab_session_record_as(s, err, "# failed: expect %s", wlab_expr_text(expr));
}

static wlab_code check(wlab_session *s, const wlab_run *run, const wlab_expr *expr, wlab_err *err)
{
    wlab_buf values = {0};
    int missing;
    const bool holds = wlab_run_holds(run, expr, &missing);
    wlab_code code = write_values(run, expr, &values, err);
    const char *text = values.data ? (const char *)values.data : "";

    if (!code) {
        wlab_session_object(s, json_pack("{s:s, s:s, s:s, s:b, s:s}", "type", "expect", "run",
                                         wlab_run_name(run), "condition", wlab_expr_text(expr), "holds",
                                         holds, "values", text));
        if (holds)
            wlab_session_print(s, "as expected: %s (%s)\n", wlab_expr_text(expr), text);
        else if (wlab_replay_presents(s) &&
                 wlab_turn_of(s) == WL_TURN_TAKEN) /* the aim of an exercise was missed */
            code = miss(s, expr, text, err);
        else
            code = wlab_fail(err, WL_EUNMET, "expected %.200s of run %s, but %.200s", wlab_expr_text(expr),
                             wlab_run_name(run), text);
    }
    wlab_buf_clear(&values);
    return code;
}

static wlab_code expect(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    const char *const *name;
    wlab_expr *expr = NULL;
    wlab_run *run;
    wlab_code code = wlab_session_need_run(s, &run, err);

    if (code)
        return code;
    if (*args->rest == '\0')
        return wlab_fail(err, WL_EARG, "expect what? `expect gap < 1e-3`, say");
    const int n = wlab_run_names(run, &name);
    code = wlab_args_place(args, args->rest, wlab_expr_create(&expr, args->rest, name, n, err), err);
    if (!code && s->now.origin == WL_FROM_SCRIPT && wlab_turn_of(s) == WL_TURN_OPEN)
        wlab_session_print(s, "to be reached: %s\n", wlab_expr_text(expr));
    else if (!code)
        code = check(s, run, expr, err);
    wlab_expr_destroy(expr);
    return code;
}

static void offer(wlab_offers *o, const wlab_session *s)
{
    wlab_offers_condition(o, s, o->typed->rest);
}

const wlab_command wlab_cmd_expect = {
    .name = "expect",
    .usage = "expect CONDITION",
    .summary = "an error, with an exit status of its own, unless the condition holds",
    .help = "Checks a condition on the present step of the run, as `continue until` takes it: `expect gap < "
            "1e-3 and "
            "flips == 0`. If it does not hold, the command fails and says the values: a script ends there, "
            "and a batch "
            "run exits with status 4. So exercises and scripts can check themselves. After a `turn` that a "
            "person has taken it says so, "
            "and the exercise goes on. `help conditions` says more.",
    .flags = WL_C_WORDS | WL_C_SHOWS | WL_C_AIMS | WL_C_SHARED,
    .execute = expect,
    .offer = offer,
};

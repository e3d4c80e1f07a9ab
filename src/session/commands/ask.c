/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * ask: asks for a number that the next step will show.
 */
#include "session/commands/commands.h"
#include "session/record/questions.h"
#include <math.h>
#include <string.h>

static bool accept(void *data, const char *typed, char *answer, size_t size)
{
    double number;

    (void)data;
    snprintf(answer, size, "%s", typed);
    return wlab_parse_real(answer, &number) && isfinite(number);
}

static wlab_code ask(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    const char *metric = wlab_params_text(args->params, "metric"), *const * name;
    wlab_expr *expr = NULL;
    wlab_run *run;
    char answer[64];
    wlab_code code = wlab_session_need_run(s, &run, err);

    if (code)
        return code;
    if (args->nwords != 1 || !metric)
        return wlab_fail(
            err, WL_EARG,
            "ask takes a question in quotes and what is asked: `ask \"How many labels will flip?\" "
            "metric=flips within=5`, say");
    const int n = wlab_run_names(run, &name);
    code = wlab_expr_create_value(&expr, metric, name, n, err);
    wlab_expr_destroy(expr);
    if (code)
        return code;
    if (wlab_questions_off(s))
        return wlab_question_pass(s, err);
    wlab_session_caption(s, args->word[0], NULL);
    char *line = wlab_format("ask %s", args->rest);
    code = line ? wlab_question_obtain(s, line, wlab_params_text(args->params, "given"), "a number", accept,
                                       NULL, answer, sizeof answer, err)
                : wlab_nomem(err);
    wlab_free(line);
    return code;
}

static void offer(wlab_offers *o, const wlab_session *s)
{
    o->no_settings = o->typed->nwords == 0;
    (void)s;
}

const wlab_command wlab_cmd_ask = {
    .name = "ask",
    .usage = "ask \"QUESTION\" metric=NAME [within=W]",
    .summary = "ask for a number that the next step will show",
    .help =
        "For lessons and exercises: asks the person at the terminal, who types a number, or Enter to skip "
        "the "
        "question; the left arrow goes back, Ctrl-D gives the prompt. After the next step, stepi, continue "
        "or "
        "finish the program says what was answered, what the metric (or a sum, as `display` takes it) of the "
        "run is now, "
        "and whether that is right, within W, or off. The record has the answer, as given=, so a replay asks "
        "nothing. Without a terminal the question is printed, and its answer after the step. `set "
        "questions=no` "
        "switches questions off.",
    .params = wlab_ask_params,
    .flags = WL_C_SHOWS | WL_C_WAITS | WL_C_ASKS | WL_C_SHARED,
    .execute = ask,
    .offer = offer,
};

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * choose: asks for one of several alternatives.
 */
#include "session/commands/commands.h"
#include "session/record/questions.h"
#include <string.h>

enum {
    LEAST = 2,
    MOST = 6,
    WIDTH = 76
};

/* A letter, or a number, of one of *data alternatives; the answer is the number. */
static bool accept(void *data, const char *typed, char *answer, size_t size)
{
    const int n = *(const int *)data, c = (unsigned char)typed[0];
    const int k = c >= '1' && c <= '9'   ? c - '0'
                  : c >= 'a' && c <= 'f' ? c - 'a' + 1
                  : c >= 'A' && c <= 'F' ? c - 'A' + 1
                                         : 0;

    snprintf(answer, size, "%d", k);
    return k >= 1 && k <= n && typed[1] == '\0';
}

/* The alternatives in one line if they fit, else one per line. */
static wlab_code show(wlab_session *s, char *const *alternative, int n, wlab_err *err)
{
    wlab_buf all = {0};
    wlab_code code = WL_OK;

    for (int i = 0; i < n && !code; i++)
        code = wlab_buf_printf(&all, "%s%c) %s", i ? "   " : "", 'a' + i, alternative[i]);
    if (!code && all.len <= WIDTH)
        wlab_session_caption(s, (const char *)all.data, NULL);
    for (int i = 0; i < n && !code && all.len > WIDTH; i++) {
        wlab_buf one = {0};
        code = wlab_buf_printf(&one, "%c) %s", 'a' + i, alternative[i]);
        if (!code)
            wlab_session_caption(s, (const char *)one.data, NULL);
        wlab_buf_clear(&one);
    }
    wlab_buf_clear(&all);
    return code ? wlab_nomem(err) : WL_OK;
}

static wlab_code choose(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    const int right =
        wlab_params_given(args->params, "answer") ? (int)wlab_params_int(args->params, "answer") : 0;
    int n = args->nwords - 1;
    char answer[16], what[40];
    wlab_code code;

    if (n < LEAST || n > MOST || right < 1 || right > n)
        return wlab_fail(
            err, WL_EARG,
            "choose takes a question, %d to %d alternatives, and the number of the right one: `choose "
            "\"Will the gap close?\" yes no answer=2`, say",
            LEAST, MOST);
    if (wlab_questions_off(s))
        return wlab_question_pass(s, err);
    wlab_session_caption(s, args->word[0], NULL);
    if ((code = show(s, args->word + 1, n, err)))
        return code;
    snprintf(what, sizeof what, "a to %c", 'a' + n - 1);
    char *line = wlab_format("choose %s", args->rest);
    code = line ? wlab_question_obtain(s, line, wlab_params_text(args->params, "given"), what, accept, &n,
                                       answer, sizeof answer, err)
                : wlab_nomem(err);
    wlab_free(line);
    if (code)
        return code;
    const int chosen = answer[0] ? answer[0] - '0' : 0;
    const char *verdict = !chosen ? "none" : chosen == right ? "right" : "wrong";
    if (chosen) { /* a caption, which the output of the next step does not push away */
        char *said = wlab_format("you said %c: %s%c) %s", 'a' + chosen - 1,
                                 chosen == right ? "right, " : "no, the answer is ", 'a' + right - 1,
                                 args->word[right]);
        if (!said)
            return wlab_nomem(err);
        wlab_session_caption(s, said, NULL);
        wlab_free(said);
    } else
        wlab_session_print(s, "answer: %c) %s\n", 'a' + right - 1, args->word[right]);
    wlab_session_object(s, json_pack("{s:s, s:o, s:i, s:o, s:i, s:s}", "type", "choose", "question",
                                     wlab_json_text(args->word[0]), "answer", right, "text",
                                     wlab_json_text(args->word[right]), "given", chosen, "verdict", verdict));
    return WL_OK;
}

static const wlab_param_info params[] = {
    {.name = "answer",
     .type = WL_P_INT,
     .lo = 1,
     .hi = MOST,
     .meaning = "the number of the right alternative"},
    {.name = "given", .type = WL_P_TEXT, .meaning = "the answer, in a recorded session; none: skipped"},
    {.name = NULL},
};

static void offer(wlab_offers *o, const wlab_session *s)
{
    o->no_settings = o->typed->nwords <= LEAST;
    (void)s;
}

const wlab_command wlab_cmd_choose = {
    .name = "choose",
    .usage = "choose \"QUESTION\" \"ALTERNATIVE\" \"ALTERNATIVE\"... answer=K",
    .summary = "ask for one of several alternatives",
    .help =
        "For lessons and exercises: asks the person at the terminal, who types a letter or a number, or "
        "Enter to "
        "skip the question, and says at once whether the K-th of 2 to 6 alternatives was chosen. All else is "
        "as "
        "with `ask`: the record has the answer, without a terminal question and answer are printed, and `set "
        "questions=no` switches it off.",
    .params = params,
    .flags = WL_C_SHOWS | WL_C_WAITS | WL_C_ASKS | WL_C_SHARED,
    .execute = choose,
    .offer = offer,
};

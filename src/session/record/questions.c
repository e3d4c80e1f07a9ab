/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Questions and turns: asking, comparing after a step, finding earlier answers in the journal.
 */
#include "session/record/questions.h"
#include "base/sha256.h"
#include "session/record/replay.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

const wlab_param_info wlab_ask_params[] = {
    {.name = "metric",
     .type = WL_P_TEXT,
     .meaning = "what is asked: a metric of the run, or a sum such as 100*relgap, as `display` takes it"},
    {.name = "within",
     .type = WL_P_REAL,
     .fallback = "0",
     .lo = 0,
     .hi = HUGE_VAL,
     .meaning = "how far from the value an answer is still good"},
    {.name = "given", .type = WL_P_TEXT, .meaning = "the answer, in a recorded session; none: skipped"},
    {.name = NULL},
};

bool wlab_questions_off(const wlab_session *s)
{
    return wlab_params_choice(s->settings, "questions") == 1;
}

wlab_code wlab_question_pass(wlab_session *s, wlab_err *err)
{
    return wlab_replay_presents(s) ? wlab_replay_wait(s, -1, err) : WL_OK;
}

/* The rest of the journal's line i if it is the command `name`; else NULL. */
static const char *rest_of(const wlab_session *s, int i, const char *name)
{
    const char *line = s->log.journal[i];
    const size_t len = strlen(name);

    return strncmp(line, name, len) == 0 && (line[len] == ' ' || !line[len]) ? line + len + (line[len] == ' ')
                                                                             : NULL;
}

/* ---- asking ---- */

/* Marks the line of the present command, so that a replay with --check sees whether its answer was edited. */
static wlab_code mark_line(wlab_session *s, const char *line, wlab_err *err)
{
    struct sha256_ctx sum;
    char hex[65];

    sha256_init(&sum);
    sha256_update(&sum, strlen(line), (const uint8_t *)line);
    wlab_sha256_end(&sum, hex);
    return wlab_session_mark(s, err, "given check=%.16s", hex);
}

/* The answer of the newest line of the journal with this question; "": there is none. */
static void earlier_answer(const wlab_session *s, const char *line, char *answer, size_t size)
{
    const size_t len = strlen(line);

    answer[0] = '\0';
    for (int i = s->log.njournal - 1; i >= 0; i--)
        if (strncmp(s->log.journal[i], line, len) == 0 &&
            strncmp(s->log.journal[i] + len, " given=", 7) == 0) {
            snprintf(answer, size, "%s", s->log.journal[i] + len + 7);
            return;
        }
}

wlab_code wlab_question_obtain(wlab_session *s, const char *line, const char *given, const char *what,
                               bool (*accept)(void *data, const char *typed, char *answer, size_t size),
                               void *data, char *answer, size_t size, wlab_err *err)
{
    char typed[64] = "", expected[96];
    bool asked = false, good = false;
    wlab_code code;

    if (given) {
        snprintf(typed, sizeof typed, "%s", given);
        good = strcmp(given, "none") == 0 || accept(data, given, answer, size);
        if (!good)
            return wlab_fail(err, WL_EARG, "given=%.40s is no answer: %s, or none", given, what);
        if (strcmp(given, "none") == 0)
            answer[0] = '\0';
    } else {
        snprintf(expected, sizeof expected, "%s", what);
        for (;;) {
            if ((code = wlab_replay_question(s, expected, typed, sizeof typed, &asked, err)))
                return code;
            good = !asked || !typed[0] || accept(data, typed, answer, size);
            if (good)
                break;
            snprintf(expected, sizeof expected, "not \"%.20s\" but %s", typed, what);
        }
        if (!typed[0])
            answer[0] = '\0';
        const wlab_replay *r = s->replay;
        if (r && s->now.depth == r->depth && (asked || r->silent_to) &&
            (code = wlab_replay_pass_stop(s, err)))
            return code;
        if (!asked && r && r->silent_to) {
            earlier_answer(s, line, answer, size);
            asked = answer[0];
            if (strcmp(answer, "none") == 0)
                answer[0] = '\0';
        }
        if (!asked)
            return WL_OK;
    }
    char *whole = given ? wlab_strdup(line) : wlab_format("%s given=%s", line, answer[0] ? answer : "none");
    code = whole ? wlab_session_record_as(s, err, "%s", whole) : wlab_nomem(err);
    code = code ? code : mark_line(s, whole, err);
    wlab_free(whole);
    return code;
}

/* ---- comparing ---- */

/* The value of an expression over the run's metrics, inside a step too; NAN: it has none. */
static double value_of(const wlab_run *run, const char *text)
{
    const char *const *name;
    wlab_expr *expr = NULL;
    const int n = wlab_run_names(run, &name);
    double *now = wlab_alloc(2 * (size_t)n, sizeof *now), value = NAN;
    bool before;

    if (now && wlab_expr_create_value(&expr, text, name, n, NULL) == WL_OK) {
        wlab_run_values(run, now, now + n, &before);
        if (wlab_run_half(run) > 0)
            wlab_run_metrics(run, now + 2);
        value = wlab_expr_value(expr, now, before ? now + n : NULL, NULL);
    }
    wlab_expr_destroy(expr);
    wlab_free(now);
    return value;
}

static void compare(wlab_session *s, const wlab_run *run, const char *question, const wlab_params *p)
{
    const char *metric = wlab_params_text(p, "metric"), *text = wlab_params_text(p, "given"),
               *verdict = "none";
    const double value = value_of(run, metric), within = wlab_params_real(p, "within");
    double given = NAN;
    char number[32], words[96] = "";

    if (text && !wlab_parse_real(text, &given))
        given = NAN;
    snprintf(number, sizeof number, isnan(value) ? "without a value" : "%.6g", value);
    if (!isnan(given)) {
        const double off = fabs(given - value), tiny = 1e-9 * fmax(fabs(value), 1);
        if (off <= tiny)
            snprintf(words, sizeof words, ": right");
        else if (off <= within + tiny)
            snprintf(words, sizeof words, ": within %g of it, right", within);
        else
            snprintf(words, sizeof words, isnan(off) ? "" : ": off by %.3g", off);
        verdict = off <= tiny ? "right" : off <= within + tiny ? "within" : "off";
        /* a caption, which what follows does not push away */
        char *said = wlab_format("you said %s; %s is %s%s", text, metric, number, words);
        if (said)
            wlab_session_caption(s, said, NULL);
        wlab_free(said);
    } else {
        wlab_session_print(s, "answer: %s is %s (%s)\n", metric, number, question);
    }
    wlab_session_object(s, json_pack("{s:s, s:o, s:s, s:s, s:o, s:o, s:f, s:s}", "type", "ask", "question",
                                     wlab_json_text(question), "run", wlab_run_name(run), "metric", metric,
                                     "value", wlab_json_real(value), "given", wlab_json_real(given), "within",
                                     within, "verdict", verdict));
}

void wlab_questions_answer(wlab_session *s)
{
    const wlab_run *run = wlab_session_run(s);
    int from = s->log.njournal;

    if (!run || wlab_questions_off(s))
        return;
    while (from > 0 && !(wlab_line_flags(s, s->log.journal[from - 1]) & (WL_C_STEPS | WL_C_EMPTIES)))
        from--;
    for (int i = from; i < s->log.njournal; i++) {
        wlab_phrase w = {0};
        wlab_params *p = NULL;
        size_t pos = 0;
        bool more;
        int words = 0;
        char *word[8];

        if (!rest_of(s, i, "ask") || wlab_phrase_read(&w, s->log.journal[i], &pos, &more, NULL))
            continue;
        if (w.n <= 8 && !wlab_params_create(&p, wlab_ask_params, NULL) &&
            !wlab_phrase_settings(&w, p, NULL, word, &words, NULL) && words == 1)
            compare(s, run, word[0], p);
        wlab_params_destroy(p);
        wlab_phrase_clear(&w);
    }
}

/* ---- turns ---- */

wlab_turn wlab_turn_of(const wlab_session *s)
{
    for (int i = s->log.njournal - 1; i >= 0; i--) {
        if (rest_of(s, i, "turn"))
            return WL_TURN_OPEN;
        if (rest_of(s, i, "resume"))
            return WL_TURN_TAKEN;
    }
    return WL_TURN_NONE;
}

wlab_code wlab_turn_again(wlab_session *s, const char *line, wlab_err *err)
{
    char **again = NULL;
    int n = 0, at = s->log.njournal - 1;
    wlab_code code = WL_OK;

    while (at >= 0 && strcmp(s->log.journal[at], line) != 0)
        at--;
    if (at < 0)
        return WL_OK;
    for (at++; !code && at < s->log.njournal && !rest_of(s, at, "resume") && !rest_of(s, at, "turn"); at++)
        if (s->log.journal[at][0] != '#')
            code = wlab_list_add(&again, &n, wlab_strdup(s->log.journal[at]), err);
    if (!code) {
        wlab_record_command(s, line, NULL);
        code = wlab_session_record_as(s, err, NULL);
    }
    for (int i = 0; !code && i < n; i++)
        code = wlab_session_line(s, again[i], WL_FROM_SCRIPT, NULL, 0, err);
    if (!code) {
        wlab_record_command(s, "resume", NULL);
        code = wlab_session_record_as(s, err, NULL); /* the commands have made the session forget it */
    }
    wlab_list_free(again, n);
    return code;
}

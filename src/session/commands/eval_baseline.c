/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/commands/eval_baseline.h"
#include "run/baseline.h"
#include "session/jobs/stepping.h"
#include "weaklab/score.h"
#include "weaklab/statistics.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct training {
    const wlab_run *run;
    const wlab_dataset *data;
    const int32_t *row;
    int64_t n;
    double *f;
    wlab_baseline_settings settings;
} training;

static wlab_code train(void *self, wlab_ctx *ctx, wlab_err *err)
{
    training *t = self;
    return wlab_baseline_predict(t->run, t->data, t->row, t->n, t->f, &t->settings, ctx, err);
}

/* How the outputs of a run and of the baseline compare on the rows with a true label. */
typedef struct tally {
    int64_t known, right, only_run, only_baseline; /* right: by the baseline */
    double accuracy, p;                            /* of the baseline; of McNemar's test */
} tally;

static bool is_right(const wlab_problem *p, const double *f, double cut, int8_t truth)
{
    const double moved = *f - cut;

    return wlab_label_at(p, wlab_decide(cut != 0 ? &moved : f, wlab_problem_outputs(p))) == truth;
}

static tally count(const training *t, const double *f, const int8_t *truth, double cut)
{
    const wlab_problem *p = wlab_run_problem(t->run);
    const int outputs = wlab_problem_outputs(p);
    tally n = {0};

    for (int64_t i = 0; i < t->n; i++) {
        if (!truth[i])
            continue;
        const bool by_run = is_right(p, f + i * outputs, 0, truth[i]),
                   by_baseline = is_right(p, t->f + i * outputs, cut, truth[i]);
        n.known++;
        n.right += by_baseline;
        n.only_run += by_run && !by_baseline;
        n.only_baseline += by_baseline && !by_run;
    }
    n.accuracy = (double)n.right / (double)n.known;
    n.p = wlab_mcnemar(n.only_run, n.only_baseline);
    return n;
}

/* Which of the two is better by more than chance: 1 the run, -1 the baseline, 0 none. */
static int verdict(const tally *n)
{
    return !(n->p < 0.05) ? 0 : n->only_run > n->only_baseline ? 1 : -1;
}

static json_t *json_of(const tally *n)
{
    return json_pack("{s:I, s:o, s:I, s:I, s:o}", "n", (json_int_t)n->known, "score",
                     wlab_json_real(n->accuracy), "only_run", (json_int_t)n->only_run, "only_baseline",
                     (json_int_t)n->only_baseline, "p", wlab_json_real(n->p));
}

static void score(wlab_beside *out, const training *t, const double *f, const int8_t *truth)
{
    const char *baseline = wlab_baseline_of(t->run)->name;
    const wlab_baseline_settings *of = &t->settings;
    const bool linear = strcmp(of->kernel, "kernel=linear") == 0; /* svm's own default */
    const tally plain = count(t, f, truth, 0);
    char settings[sizeof of->kernel + sizeof of->cost + 4];

    snprintf(settings, sizeof settings, "%s%s%s", of->kernel, of->cost[0] ? ", " : "", of->cost);
    snprintf(out->words, sizeof out->words, " (%.16s%s%s%s%s: %.4f, p = %.2g)", baseline, linear ? "" : " ",
             linear ? "" : of->kernel, of->cost[0] ? " " : "", of->cost, plain.accuracy, plain.p);
    out->object = json_of(&plain);
    json_object_set_new(out->object, "algo", json_string(baseline));
    json_object_set_new(out->object, "settings", wlab_json_text(settings));
    if (isfinite(of->cut) && of->cut != 0) {
        const tally cut = count(t, f, truth, of->cut);
        if (verdict(&cut) != verdict(&plain))
            snprintf(out->cut, sizeof out->cut,
                     "but with r=%.3g, which the run knows and %.16s does not, %.16s has %.4f, p = %.2g\n",
                     wlab_run_problem(t->run)->r, baseline, baseline, cut.accuracy, cut.p);
        json_object_set_new(out->object, "with_r", json_of(&cut));
    }
}

wlab_code wlab_eval_baseline(wlab_beside *out, wlab_session *s, const wlab_run *run, const wlab_dataset *data,
                             const int32_t *row, int64_t n, const double *f, const int8_t *truth,
                             wlab_err *err)
{
    training t = {.run = run, .data = data, .row = row, .n = n};
    wlab_err why = {0};
    wlab_code code;
    bool known = false;

    *out = (wlab_beside){0};
    for (int64_t i = 0; i < n && !known; i++)
        known = truth[i] != 0;
    if (!known || !wlab_baseline_of(run) || wlab_run_problem(run)->data->share)
        return WL_OK;
    t.f = wlab_alloc((size_t)n * (size_t)wlab_problem_outputs(wlab_run_problem(run)), sizeof *t.f);
    if (!t.f)
        return wlab_nomem(err);
    code = wlab_session_call(s, train, &t, &why);
    if (!code)
        score(out, &t, f, truth);
    else if (code == WL_EINTERRUPTED || code == WL_ENOMEM)
        *err = why;
    else
        wlab_session_say(s, "no supervised baseline: %s", why.message);
    wlab_free(t.f);
    return code == WL_EINTERRUPTED || code == WL_ENOMEM ? code : WL_OK;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/commands/eval_baseline.h"
#include "run/baseline.h"
#include "session/jobs/stepping.h"
#include "weaklab/score.h"
#include "weaklab/statistics.h"
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

static bool is_right(const wlab_problem *p, const double *f, int8_t truth)
{
    return wlab_label_at(p, wlab_decide(f, wlab_problem_outputs(p))) == truth;
}

static void score(wlab_beside *out, const training *t, const double *f, const int8_t *truth)
{
    const wlab_problem *p = wlab_run_problem(t->run);
    const char *baseline = wlab_baseline_of(t->run)->name;
    const int outputs = wlab_problem_outputs(p);
    int64_t known = 0, right = 0, only_run = 0, only_baseline = 0;

    for (int64_t i = 0; i < t->n; i++) {
        if (!truth[i])
            continue;
        const bool by_run = is_right(p, f + i * outputs, truth[i]),
                   by_baseline = is_right(p, t->f + i * outputs, truth[i]);
        known++;
        right += by_baseline;
        only_run += by_run && !by_baseline;
        only_baseline += by_baseline && !by_run;
    }
    const double accuracy = (double)right / (double)known, chance = wlab_mcnemar(only_run, only_baseline);
    const wlab_baseline_settings *of = &t->settings;
    char settings[sizeof *of + 4];
    snprintf(settings, sizeof settings, "%s%s%s", of->kernel, of->cost[0] ? ", " : "", of->cost);
    const bool linear = strcmp(of->kernel, "kernel=linear") == 0; /* svm's own default */
    snprintf(out->words, sizeof out->words, " (%.16s%s%s%s%s: %.4f, p = %.2g)", baseline, linear ? "" : " ",
             linear ? "" : of->kernel, of->cost[0] ? " " : "", of->cost, accuracy, chance);
    out->object =
        json_pack("{s:s, s:s, s:I, s:o, s:I, s:I, s:o}", "algo", baseline, "settings", settings, "n",
                  (json_int_t)known, "score", wlab_json_real(accuracy), "only_run", (json_int_t)only_run,
                  "only_baseline", (json_int_t)only_baseline, "p", wlab_json_real(chance));
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
    if (!known || !wlab_baseline_of(run))
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

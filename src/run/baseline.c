/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/baseline.h"
#include "base/locale.h"
#include "base/progress.h"
#include "model/deformed.h"
#include "model/kernel.h"
#include "run/predict.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

const wlab_algo *wlab_baseline_of(const wlab_run *run)
{
    const wlab_problem *p = wlab_run_problem(run);

    if (wlab_run_algo(run)->idea == WL_IDEA_LABELLED || p->task->clusters || p->labelled == 0 ||
        p->unlabelled == 0)
        return NULL;
    for (int k = 0; wlab_algos[k]; k++)
        if (wlab_algos[k]->idea == WL_IDEA_LABELLED && wlab_algo_suits(wlab_algos[k], p->task, p->classes))
            return wlab_algos[k];
    return NULL;
}

/* The kernel as the run resolved it, so that both have the same width; linear if the run has no kernel. */
static wlab_code same_kernel(wlab_params *params, const wlab_run *run, char *settings, size_t size,
                             wlab_err *err)
{
    const wlab_kernel linear = {.kind = WL_K_LINEAR}, *k = wlab_run_kernel(run);
    char number[40];
    wlab_code code;

    k = !k                         ? &linear
        : k->kind == WL_K_DEFORMED ? &k->deformed->base
                                   : k; /* its graph has rows without a label */
    code = wlab_params_set(params, "kernel", wlab_kernel_names[k->kind], err);
    if (!code && (k->kind == WL_K_RBF || k->kind == WL_K_POLY)) {
        wlab_print(number, sizeof number, "%.17g", k->gamma);
        code = wlab_params_set(params, "gamma", number, err);
    }
    if (!code && k->kind == WL_K_POLY) {
        wlab_print(number, sizeof number, "%.17g", k->coef0);
        code = wlab_params_set(params, "coef0", number, err);
        snprintf(number, sizeof number, "%d", k->degree);
        code = code ? code : wlab_params_set(params, "degree", number, err);
    }
    wlab_kernel_describe(k, settings, size);
    return code;
}

/* Writes *cut (baseline.h) for a trained state of the baseline. */
static wlab_code find_cut(const wlab_run *run, const wlab_algo *algo, const void *state, double *cut,
                          wlab_ctx *ctx, wlab_err *err)
{
    const wlab_problem *p = wlab_run_problem(run);
    int64_t by_sign;
    wlab_code code;
    double *f;

    *cut = NAN;
    if (wlab_run_algo(run)->any_balance || !p->labels || !wlab_labelset_counts(p->labels))
        return WL_OK;
    if (!(f = wlab_alloc((size_t)p->n, sizeof *f)))
        return wlab_nomem(err);
    code = wlab_state_predict(algo, state, p->data, p->row, p->n, f, ctx, err);
    code = code ? code : wlab_labelset_threshold(p->labels, f, cut, &by_sign, err);
    wlab_free(f);
    return code;
}

wlab_code wlab_baseline_predict(const wlab_run *run, const wlab_dataset *data, const int32_t *rows, int64_t n,
                                double *f, wlab_baseline_settings *settings, wlab_ctx *ctx, wlab_err *err)
{
    const wlab_algo *algo = wlab_baseline_of(run);
    wlab_ctx quiet = wlab_quiet(ctx);
    wlab_params *params = NULL;
    void *state = NULL;
    wlab_code code;

    quiet.lean = true;
    if (!algo)
        return wlab_fail(err, WL_ESTATE, "the run has no supervised baseline");
    code = wlab_params_create(&params, algo->params, err);
    code = code ? code : same_kernel(params, run, settings->kernel, sizeof settings->kernel, err);
    code = code ? code : wlab_algo_for(&algo, algo, wlab_run_problem(run), params, err);
    settings->cost[0] = 0;
    if (!code && wlab_param_known(algo->params, "C"))
        snprintf(settings->cost, sizeof settings->cost, "C=%.20s", wlab_params_text(params, "C"));
    code = code ? code : algo->create(&state, wlab_run_problem(run), params, &quiet, err);
    code = code ? code : wlab_algo_to_end(algo, state, &quiet, err);
    code = code ? code : wlab_state_predict(algo, state, data, rows, n, f, &quiet, err);
    code = code ? code : find_cut(run, algo, state, &settings->cut, &quiet, err);
    if (state)
        algo->destroy(state);
    wlab_params_destroy(params);
    return code;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What WellSVM shows: metrics, labels, mixing weights, the model, and what it did in words.
 */
#include "algo/wellsvm.h"

#include <stdio.h>
#include <string.h>

enum {
    M_OBJECTIVE,
    M_UPPER,
    M_LOWER,
    M_GAP,
    M_INNER_GAP,
    M_MASTER_GAP,
    M_VIOLATION,
    M_INTEGER_UPPER,
    M_FLIPS,
    M_WORKING_SET,
    M_ACTIVE,
    M_MKL_ITERS,
    M_SVM_ITERS,
    M_SECONDS,
    M_COUNT
};

const wlab_metric_info well_metrics[] = {
    {"objective", NULL, false, 0, "the master's dual value at the current alpha and mu",
     "sum_t mu_t G(alpha, y_t), Eq. 11 (Eq. 15 for ssl)"},
    {"upper", NULL, false, 0,
     "smallest certified upper bound on the optimum of the relaxation so far; never rises",
     "J(mu) = max_alpha sum_t mu_t G(alpha, y_t), its SVM's primal value"},
    {"lower", NULL, false, 0,
     "largest certified lower bound on the optimum of the relaxation so far; never falls",
     "min over B of G(alpha, y) >= 1'alpha - M/2, M >= max y'Hy; or the labelled rows' SVM"},
    {"gap", NULL, true, 0, "upper - lower: how far from the relaxation's optimum the run can be at most",
     NULL},
    {"inner_gap", NULL, true, 0, "primal minus dual of the SVM just solved", NULL},
    {"master_gap", NULL, true, 0, "certified gap of the master over the working set",
     "sum_t mu_t G(alpha, y_t) - min_t G(alpha, y_t)"},
    {"violation", NULL, true, 0, "by how much the labeling just found violates the working set",
     "epsilon_r = min over C of G(alpha, y) - G(alpha, y_r), Proposition 3"},
    {"integer_upper", NULL, false, 0,
     "SVM objective of the best feasible labeling seen: upper bound on the mixed-integer problem",
     "max_alpha G(alpha, y) at one y in B, Eq. 3"},
    {"flips", "labels", false, WL_M_COUNT, "labels (alpha > 0) that differ between the two newest labelings",
     NULL},
    {"working_set", "labelings", false, WL_M_COUNT, "labelings in the working set C", NULL},
    {"active", "labelings", false, WL_M_COUNT, "labelings with mu > 0", NULL},
    {"mkl_iters", NULL, false, WL_M_COUNT, "updates of mu in this step", NULL},
    {"svm_iters", NULL, false, WL_M_COUNT, "SVM problems solved in this step", NULL},
    {"seconds", "s", false, WL_M_VOLATILE, "time in the solver since the start", NULL},
    {NULL, NULL, false, 0, NULL, NULL}};

static int64_t active(const wellsvm *s)
{
    int64_t count = 0;
    for (int64_t t = 0; t < s->T; t++)
        count += s->mu[t] > 0;
    return count;
}

void well_observe(const void *state, double *metric, int8_t *labels)
{
    const wellsvm *s = state;
    if (metric) {
        bool begun = s->T > 0;
        metric[M_OBJECTIVE] = s->objective;
        metric[M_UPPER] = s->upper_bound;
        metric[M_LOWER] = s->lower_bound;
        double gap = s->upper_bound - s->lower_bound;
        metric[M_GAP] = gap < 0 ? 0 : gap;
        metric[M_INNER_GAP] = s->inner_gap;
        metric[M_MASTER_GAP] = s->master_gap;
        metric[M_VIOLATION] = s->violation;
        metric[M_INTEGER_UPPER] = s->integer_upper;
        metric[M_FLIPS] = begun ? (double)s->flips : NAN;
        metric[M_WORKING_SET] = (double)s->T;
        metric[M_ACTIVE] = (double)active(s);
        metric[M_MKL_ITERS] = (double)s->updates;
        metric[M_SVM_ITERS] = (double)s->svms;
        metric[M_SECONDS] = s->seconds;
    }
    if (labels)
        memcpy(labels, s->T > 0 ? well_labeling(s, s->T - 1) : s->pending, (size_t)s->n);
}

wlab_code well_weights(const void *state, wlab_weights *w, wlab_err *err)
{
    const wellsvm *s = state;
    w->name = "mu";
    w->n = s->T;
    w->value = wlab_alloc((size_t)s->T, sizeof *w->value);
    if (!w->value)
        return wlab_nomem(err);
    memcpy(w->value, s->mu, (size_t)s->T * sizeof *w->value);
    return WL_OK;
}

wlab_code well_model(const void *state, wlab_model **out, wlab_ctx *ctx, wlab_err *err)
{
    const wellsvm *s = state;
    *out = NULL;
    if (s->T == 0 || !s->evaluated)
        return wlab_fail(err, WL_ESTATE, "there is no model yet: `step` first");
    double *c = wlab_alloc((size_t)s->n, sizeof *c), S = s->loss == WELL_SUM_TO_ONE ? s->at.S : 1;
    if (!c)
        return wlab_nomem(err);
    for (int64_t k = 0; k < s->n; k++) {
        double sum = 0;
        for (int64_t t = 0; t < s->T; t++)
            sum += s->mu[t] * well_labeling(s, t)[k];
        c[k] = sum * s->at.alpha[s->p->example[k]] / (S * s->lambda);
    }
    wlab_code code = wlab_model_from_coefficients(out, s->p, &s->kernel, c, ctx ? ctx->pool : NULL, err);
    wlab_free(c);
    return code;
}

void well_explain(const void *state, char *buf, size_t size)
{
    const wellsvm *s = state;
    static const char *const how[] = {"linearising once at the best labeling of the working set (Eq. 21)",
                                      "climbing from many starts", "looking at every labeling in B"};
    if (s->step == 0) {
        snprintf(
            buf, size,
            "Nothing was stepped yet. y1 is the labeling that the SVM of the labelled rows predicts, rounded "
            "into the label set B (%.4g labelings).",
            s->p->labels->ops->count(s->p->labels));
        return;
    }
    char mu[256] = "";
    size_t at = 0;
    for (int64_t t = 0; t < s->T; t++)
        if (s->mu[t] > 0 && at + 32 < sizeof mu)
            at += (size_t)snprintf(mu + at, sizeof mu - at, "%smu%lld = %.3f", at ? ", " : "",
                                   (long long)t + 1, s->mu[t]);
    snprintf(
        buf, size,
        "Step %lld added labeling y%lld to the working set C (%lld of its labels with alpha > 0 differ from "
        "y%lld's) and solved the master problem min over mu of max over alpha of sum_t mu_t G(alpha, y_t) in "
        "%lld updates of mu and %lld SVMs: objective %.10g, certified master gap %.2g. Weights: %s. Then it "
        "searched B for a violated labeling, %s: the one found has G lower by %.4g than every labeling in C. "
        "%s",
        (long long)s->step, (long long)s->T, (long long)s->flips, (long long)(s->T > 1 ? s->T - 1 : 1),
        (long long)s->updates, (long long)s->svms, s->objective, s->master_gap, mu, how[s->search],
        s->violation,
        s->verdict == WL_MORE        ? "It will be added next."
        : s->verdict == WL_CONVERGED ? "That is within the tolerance: converged."
                                     : "The run ends here.");
}

void well_next(const void *state, char *buf, size_t size)
{
    const wellsvm *s = state;
    if (s->finished)
        snprintf(buf, size, "the run is %s; `back`, `set` or a new `algo` go on from here",
                 wlab_verdict_names[s->verdict]);
    else if (s->in_master)
        snprintf(buf, size, "update mu over %lld labelings (master gap %.2g)", (long long)s->T,
                 s->master_gap);
    else
        snprintf(buf, size, "add y%lld, solve the master over %lld labelings, search for a violated labeling",
                 (long long)s->T + 1, (long long)s->T + 1);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * AMM, the alternating mean map (Patrini, Nock, Rivera and Caetano, NIPS 2014): from the model of lmm, in turn labels
 * with each bag's number of positives, and the logistic regression on these labels,
 *
 *     F(theta, y) = sum_i [ log 2 cosh f_i - y_i f_i ] + lambda ||theta||^2,   y in B.
 *
 * variant=min takes the labels with the smallest F.  Neither half raises F, so the labels repeat at some time; there the run
 * ends, at a local minimum.  variant=max takes those with the largest F, so F may rise and fall; the run ends when labels
 * come back, from where on all would repeat, or after rounds= labelings, and returns to the fit with the smallest F.
 */
#include "algo/llp/meanmap.h"
#include "model/kernel.h"

#include <stdio.h>
#include <string.h>

static const char *const variant_names[] = {"min", "max", NULL};
static const wlab_param_info params[] = {
    WLAB_KERNEL_PARAMS("linear", "1"),
    MM_LAMBDA_PARAMS,
    MM_SMOOTH_PARAMS,
    {.name = "rounds",
     .type = WL_P_INT,
     .fallback = "30",
     .lo = 1,
     .hi = 1e6,
     .meaning = "largest number of labelings"},
    {.name = "variant",
     .type = WL_P_CHOICE,
     .fallback = "min",
     .choices = variant_names,
     .meaning = "labels of a round, with each bag's number of positives; min: those "
                "that fit theta best; max: those that fit it worst, and at the end "
                "the fit with the smallest objective",
     .flags = WL_P_OBJECTIVE},
    MM_EPS_PARAM,
    {.name = NULL}};

enum {
    M_OBJECTIVE,
    M_BEST,
    M_INNER_GAP,
    M_GRADIENT,
    M_BAG_ERROR,
    M_DISTANCE,
    M_ROUND,
    M_FLIPS,
    M_CG,
    M_SECONDS
};
static const wlab_metric_info metrics[] = {
    {.name = "objective",
     .role = WL_R_OBJECTIVE,
     .flags = WL_M_SHOWN,
     .meaning =
         "negative log-likelihood plus the penalty on theta: in round 0 with the estimated means, then with "
         "the labels of the round; variant=min: never rises after round 0",
     .equation = "sum_i [ log 2 cosh f_i - y_i f_i ] + lambda ||theta||^2"},
    {.name = "best",
     .role = WL_R_BEST,
     .meaning = "the smallest objective of a fit to labels so far",
     .equation = "min over the rounds t >= 1 of F(theta_t, y_t)"},
    {.name = "inner_gap",
     .role = WL_R_INNER_GAP,
     .log = true,
     .flags = WL_M_SHOWN,
     .meaning = "duality gap of the fit of this round at the current theta",
     .equation = "||gradient||^2 / (4 lambda)"},
    {.name = "gradient",
     .log = true,
     .meaning = "norm of the gradient",
     .equation = "2 lambda theta + sum_i (tanh(f_i) - y_i) x_i"},
    {.name = "bag_error",
     .role = WL_R_BAG_ERROR,
     .flags = WL_M_LINE,
     .meaning =
         "by how much the predicted proportions of the training bags differ from the given ones, in sum",
     .equation = "sum_k |p_k - p^_k|"},
    {.name = "distance",
     .meaning = "distance between the estimated means of the two classes, in round 0",
     .equation = "||mu_+ - mu_-||"},
    {.name = "round",
     .flags = WL_M_COUNT | WL_M_LINE,
     .meaning = "number of labelings so far; 0: the fit with the estimated means"},
    {.name = "flips",
     .role = WL_R_FLIPS,
     .unit = "labels",
     .flags = WL_M_COUNT | WL_M_SHOWN,
     .meaning = "predicted labels that differ from those of the step before"},
    {.name = "cg", .flags = WL_M_COUNT, .meaning = "conjugate gradient iterations in this step"},
    WLAB_SECONDS,
    {.name = NULL}};

/* The labels of the next round, for the current f. */
static wlab_code next_labels(const mm_state *s, int8_t *y, wlab_err *err)
{
    const int8_t *before = s->round ? s->fitted : NULL;

    if (!s->worst)
        return wlab_labelset_argmax(s->p->labels, s->f, before, y, err);
    double *against = wlab_alloc((size_t)s->n, sizeof *against);
    if (!against)
        return wlab_nomem(err);
    for (int64_t i = 0; i < s->n; i++)
        against[i] = -s->f[i];
    wlab_code code = wlab_labelset_argmax(s->p->labels, against, before, y, err);
    wlab_free(against);
    return code;
}

static bool seen_before(const mm_state *s, uint64_t hash)
{
    for (int64_t t = 1; t <= s->round; t++)
        if (s->seen[t] == hash)
            return true;
    return false;
}

/* Takes y [n] as the labels of the next round, c [n] and g [dim] as the workspace for its c and gradient. */
static wlab_code begin_round(mm_state *s, const int8_t *y, double *c, double *g, wlab_ctx *ctx, wlab_err *err)
{
    mm_state to = *s;

    for (int64_t i = 0; i < s->n; i++)
        c[i] = s->in[i] > 0 ? y[i] : 0;
    to.c = c;
    to.g = g;
    wlab_code code = mm_evaluate(&to, ctx, err);
    if (code)
        return code;
    memcpy(s->fitted, y, (size_t)s->n);
    memcpy(s->c, c, (size_t)s->n * sizeof *c);
    memcpy(s->g, g, (size_t)s->dim * sizeof *g);
    s->objective = to.objective;
    s->gradient = to.gradient;
    s->gap = to.gap;
    s->stalled = false;
    s->upper = s->objective; /* of another function */
    s->lower = s->objective - s->gap;
    return WL_OK;
}

wlab_code amm_label(mm_state *s, wlab_ctx *ctx, wlab_err *err)
{
    int8_t *y = wlab_alloc((size_t)s->n, 1);
    double *c = wlab_alloc((size_t)s->n, sizeof *c), *g = wlab_alloc((size_t)s->dim, sizeof *g);
    wlab_code code = y && c && g ? next_labels(s, y, err) : wlab_nomem(err);

    if (!code) {
        const uint64_t hash = wlab_labels_hash(y, s->n);
        if (seen_before(s, hash))
            s->ended = true;
        else if ((code = begin_round(s, y, c, g, ctx, err)) == WL_OK)
            s->seen[++s->round] = hash;
    }
    wlab_free(y);
    wlab_free(c);
    wlab_free(g);
    return code;
}

void amm_keep(mm_state *s, bool fit)
{
    if (fit && s->round > 0 && !(s->best.objective <= s->objective)) {
        s->best = (mm_best){s->objective, s->gradient, s->gap, s->round};
        if (s->worst) {
            memcpy(s->best_theta, s->theta, (size_t)s->dim * sizeof *s->theta);
            memcpy(s->best_f, s->f, (size_t)s->n * sizeof *s->f);
        }
    }
    if (!s->worst || !(s->ended || s->limited) || s->best.round == s->round)
        return;
    memcpy(s->theta, s->best_theta, (size_t)s->dim * sizeof *s->theta);
    memcpy(s->f, s->best_f, (size_t)s->n * sizeof *s->f);
    s->objective = s->upper = s->best.objective;
    s->gradient = s->best.gradient;
    s->gap = s->best.gap;
    s->lower = s->objective - s->gap;
}

void amm_explain_end(const mm_state *s, char *buf, size_t size)
{
    const char *what = s->ended   ? "the labels were fitted before, and would repeat"
                       : s->worst ? "that was the last of rounds="
                                  : "that was the last of rounds=, and the next labels may fit better";
    char kept[120] = "";

    if (s->worst)
        snprintf(kept, sizeof kept,
                 "  Of all fits that of round %lld is kept: its objective %.10g is the smallest.",
                 (long long)s->best.round, s->best.objective);
    snprintf(buf, size, "The end, after %lld round%s: %s.%s", (long long)s->round, s->round == 1 ? "" : "s",
             what, kept);
}

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    return mm_create(state, MM_ALTERNATING, p, given, ctx, err);
}

static void observe(const void *state, double *metric, int8_t *labels)
{
    const mm_state *s = state;

    mm_observe(state, NULL, labels);
    if (!metric)
        return;
    metric[M_OBJECTIVE] = s->objective;
    metric[M_BEST] = s->best.objective;
    metric[M_INNER_GAP] = s->gap;
    metric[M_GRADIENT] = s->gradient;
    metric[M_BAG_ERROR] = s->bag_error;
    metric[M_DISTANCE] = s->distance;
    metric[M_ROUND] = (double)s->round;
    metric[M_FLIPS] = (double)s->flips;
    metric[M_CG] = (double)s->cg;
    metric[M_SECONDS] = s->seconds;
}

const wlab_algo wlab_algo_amm = {
    .name = "amm",
    .summary =
        "alternating mean map: from lmm, labels with each bag's counts and a logistic regression, in turn",
    .idea = WL_IDEA_IN_TURN,
    .problem = "min over theta and y in B of sum_i [ log 2 cosh f_i - y_i f_i ] + lambda ||theta||^2; "
               "variant=max: the rounds' y are those with the largest value",
    .symbols = "f_i: the output of row i, <theta, x_i>\n"
               "y_i: its label\n"
               "B: the label set: in each bag the given number of positives\n"
               "p_k, p^_k: given and predicted proportion of positives in bag k\n"
               "mu_+, mu_-: the means of the classes that the first step estimates",
    .when = "a start that does not depend on chance, where lmm alone misses labels",
    .cost = "that of lmm; then a Newton iteration over the rows, or a sort of each bag",
    .work = "4e-9 * z + K * 1.1e-11 * n^3",
    .work_once = "9e-9 * n^2 + 3e-12 * (2 * b)^3",
    .memory = "8 * n * min(n, 1250) + K * 6 * n^2",
    .source = "Patrini, Nock, Rivera, Caetano, (Almost) no label no cry, NIPS 27 (2014), Section 4",
    .learns_from = WL_SEES_PROPORTIONS,
    .step_unit = "step 1: the means of the classes; each further step: a Newton iteration, or, after a fit, "
                 "new labels",
    .inner_unit = "the same",
    .converged = "inner_gap <= eps * first_objective",
    .converged_also = "the new labels are those of the last fit, or with variant=max of an earlier one; "
                      "first_objective is the objective after step 1",
    .phase_unit = "round",
    .params = params,
    .metrics = metrics,
    .probes = mm_probes,
    .create = create,
    .advance = mm_advance,
    .observe = observe,
    .loss = WL_LOSS_LOGISTIC_DOUBLE,
    .model = mm_model,
    .kernel = mm_kernel,
    .explain = mm_explain,
    .next = mm_next,
    .walk = mm_walk,
    .destroy = mm_destroy,
};

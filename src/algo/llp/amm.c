/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * AMM, the alternating mean map (Patrini, Nock, Rivera and Caetano, NIPS 2014): from the model of lmm, in turn the labels
 * that fit the model best with each bag's number of positives, and the logistic regression on these labels,
 *
 *     min over theta and y in B of  sum_i [ log 2 cosh f_i - y_i f_i ] + lambda ||theta||^2.
 *
 * Neither half raises this, so the labels repeat at some time; there the run ends, at a local minimum.
 */
#include "algo/llp/meanmap.h"
#include "model/kernel.h"

static const wlab_param_info params[] = {WLAB_KERNEL_PARAMS("linear", "1"),
                                         MM_LAMBDA_PARAMS,
                                         MM_SMOOTH_PARAMS,
                                         {.name = "rounds",
                                          .type = WL_P_INT,
                                          .fallback = "30",
                                          .lo = 1,
                                          .hi = 1e9,
                                          .meaning = "largest number of labelings"},
                                         MM_EPS_PARAM,
                                         {.name = NULL}};

enum {
    M_OBJECTIVE,
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
         "the labels of the round; never rises after round 0",
     .equation = "sum_i [ log 2 cosh f_i - y_i f_i ] + lambda ||theta||^2"},
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
    .problem = "min over theta and y in B of sum_i [ log 2 cosh f_i - y_i f_i ] + lambda ||theta||^2",
    .symbols = "f_i: the output of row i, <theta, x_i>\n"
               "y_i: its label\n"
               "B: the label set: in each bag the given number of positives\n"
               "p_k, p^_k: given and predicted proportion of positives in bag k\n"
               "mu_+, mu_-: the means of the classes that the first step estimates",
    .when = "a start that does not depend on chance, where lmm alone misses labels",
    .cost = "that of lmm; then a Newton iteration over the rows, or a sort of each bag",
    .source =
        "Patrini, Nock, Rivera, Caetano, (Almost) no label no cry, NIPS 27 (2014), Section 4: AMM with the "
        "minimum over the labels",
    .learns_from = WL_SEES_PROPORTIONS,
    .step_unit = "step 1: the means of the classes; each further step: a Newton iteration, or, after a fit, "
                 "new labels",
    .inner_unit = "the same",
    .converged = "inner_gap <= eps * first_objective",
    .converged_also =
        "the new labels are those of the last fit; first_objective is the objective after step 1",
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

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * LMM, the Laplacian mean map (Patrini, Nock, Rivera and Caetano, NIPS 2014): mean-map with a mean of each class in each
 * bag, which are similar where bags are (lmm_means.c).
 */
#include "algo/llp/meanmap.h"
#include "model/kernel.h"

static const wlab_param_info params[] = {
    WLAB_KERNEL_PARAMS("linear", "1"), MM_LAMBDA_PARAMS, MM_SMOOTH_PARAMS, MM_EPS_PARAM, {.name = NULL}};

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    return mm_create(state, MM_LAPLACIAN, p, given, ctx, err);
}

const wlab_algo wlab_algo_lmm = {
    .name = "lmm",
    .summary =
        "Laplacian mean map: class means in each bag, alike in similar bags, then the exponential model",
    .idea = WL_IDEA_BAG_MEANS,
    .problem = "min over theta of sum_i log 2 cosh f_i - n <theta, mu_XY> + lambda ||theta||^2",
    .symbols = "f_i: the output of row i, <theta, x_i>\n"
               "n: number of rows\n"
               "b_k^+, b_k^-: the estimated means of the rows of the two classes in bag k\n"
               "p_k, p^_k: given and predicted proportion of positives in bag k\n"
               "mu_+, mu_-: the means of the classes over all bags\n"
               "mu_XY: (1/n) sum_k n_k (p_k b_k^+ - (1 - p_k) b_k^-), n_k the size of bag k\n"
               "gamma: smooth=, weight of the differences between the means of similar bags\n"
               "p: fraction of positives in all rows\n"
               "omega_k: the size of bag k",
    .when = "bags in which the means of the classes differ, but alike in similar bags",
    .cost = "once the kernel of all rows and (2 bags)^3/3; then a Newton iteration over the rows",
    .proves = "that its model is optimal for the means it has found",
    .work = "4e-9 * z + K * 1.1e-11 * n^3",
    .work_once = "9e-9 * n^2 + 3e-12 * (2 * b)^3",
    .memory = "8 * n * min(n, 1250) + K * 6 * n^2",
    .source = "Patrini, Nock, Rivera, Caetano, (Almost) no label no cry, NIPS 27 (2014), Section 3",
    .learns_from = WL_SEES_PROPORTIONS,
    .step_unit = "step 1: the means of the classes in the bags; each further step: a Newton iteration",
    .inner_unit = "the same",
    .converged = "inner_gap <= eps * first_objective",
    .converged_also = "first_objective is the objective after step 1, at theta = 0",
    .params = params,
    .metrics = mm_metrics,
    .probes = mm_probes,
    .create = create,
    .advance = mm_advance,
    .observe = mm_observe,
    .loss = WL_LOSS_LOGISTIC_DOUBLE,
    .model = mm_model,
    .kernel = mm_kernel,
    .explain = mm_explain,
    .next = mm_next,
    .walk = mm_walk,
    .destroy = mm_destroy,
};

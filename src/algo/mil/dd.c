/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Diverse density (Maron and Lozano-Perez, NIPS 10, 1998): the concept t and the scales s with the smallest NLDD(t, s) of
 * density.h, by L-BFGS from several instances of positive bags.
 */
#include "algo/mil/density.h"

static const wlab_param_info params[] = {DENSITY_PARAMS("1000", "largest number of iterations of each start"),
                                         {.name = NULL}};

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    return density_create(state, p, false, given, ctx, err);
}

const wlab_algo wlab_algo_dd = {
    .name = "dd",
    .summary = "diverse density: a point that is near to every positive bag and far from negative ones",
    .idea = WL_IDEA_DESCENT,
    .problem = "min over t and s of -sum over positive bags of log(1 - prod_j (1 - p_j)) - sum over negative "
               "bags of sum_j log(1 - p_j)",
    .symbols = "p_j: the probability that instance j is positive, exp(-sum_k s_k^2 (x_jk - t_k)^2)\n"
               "t: the concept, a point in the space of the instances\n"
               "s_k: the scale of column k\n"
               "x_j: instance j, with columns of mean 0 and deviation 1",
    .when = "bags whose positive instances lie close together, and few columns that matter",
    .cost = "some passes over the instances for each start",
    .work = "3.7e-9 * restarts * z",
    .work_once = "8e-9 * restarts * z",
    .memory = "6 * z",
    .source = "Maron and Lozano-Perez, A framework for multiple-instance learning, NIPS 10 (1998)",
    .learns_from = WL_SEES_BAG_SIGNS,
    .step_unit = "an iteration of L-BFGS of every start that has not ended",
    .inner_unit = "the same for one start",
    .converged = "moving == 0",
    .converged_also = "an end is a gradient of at most eps * (1 + the objective), or that no step lowers it "
                      "in double precision",
    .params = params,
    .metrics = density_metrics,
    .probes = density_probes,
    .create = create,
    .advance = density_advance,
    .observe = density_observe,
    .model = density_model,
    .loss = WL_LOSS_DISTANCE,
    .bag_rule = WL_BAG_NOISY_OR,
    .explain = density_explain,
    .next = density_next,
    .walk = density_walk,
    .set = density_set,
    .destroy = density_destroy,
};

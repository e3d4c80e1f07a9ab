/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * EM-DD (Zhang and Goldman, NIPS 14, 2002): the nearest instance of each bag is chosen, then the concept is found that has
 * the smallest NLDD of density.h for these instances alone, in turn, until that does not fall.
 *
 * The objective is NLDD with one instance per bag, the nearest one.  For positive bags the choice lowers it.  For negative
 * ones the nearest instance has the largest loss, so a round may raise it; then the start keeps its concept and ends.
 */
#include "algo/mil/density.h"

static const wlab_param_info params[] = {DENSITY_PARAMS("100", "largest number of rounds of each start"),
                                         {.name = NULL}};

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    return density_create(state, p, true, given, ctx, err);
}

const wlab_algo wlab_algo_em_dd = {
    .name = "em-dd",
    .summary = "diverse density of the nearest instance of each bag, chosen and fitted in turn",
    .idea = WL_IDEA_IN_TURN,
    .problem =
        "min over t and s of -sum over positive bags of log max_j p_j - sum over negative bags of log(1 - "
        "max_j p_j)",
    .symbols = "p_j: the probability that instance j is positive, exp(-sum_k s_k^2 (x_jk - t_k)^2)\n"
               "t: the concept, a point in the space of the instances\n"
               "s_k: the scale of column k\n"
               "x_j: instance j, with columns of mean 0 and deviation 1",
    .when = "as dd, where it is faster, and the key instance of each bag is wanted",
    .cost = "a pass over the instances, and a descent with one instance per bag, for each start",
    .work = "2.6e-8 * restarts * z",
    .work_once = "8e-8 * restarts * z",
    .memory = "6 * z",
    .source = "Zhang and Goldman, EM-DD: an improved multiple-instance learning technique, NIPS 14 (2002)",
    .learns_from = WL_SEES_BAG_SIGNS,
    .step_unit =
        "a round of every start that has not ended: the nearest instances, then the concept for them",
    .inner_unit = "the same for one start",
    .converged = "moving == 0",
    .converged_also = "an end is a round that does not lower the objective by 1e-9 of its size",
    .params = params,
    .metrics = density_metrics,
    .probes = density_probes,
    .create = create,
    .advance = density_advance,
    .observe = density_observe,
    .model = density_model,
    .loss = WL_LOSS_DISTANCE,
    .bag_rule = WL_BAG_LARGEST,
    .explain = density_explain,
    .next = density_next,
    .walk = density_walk,
    .set = density_set,
    .destroy = density_destroy,
};

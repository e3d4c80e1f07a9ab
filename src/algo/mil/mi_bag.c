/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * MI-SVM (Andrews, Tsochantaridis and Hofmann, NIPS 15, 2002): of each positive bag one instance, the key instance, stands
 * for it; of the negative bags all instances count.
 *
 *     min over w of 1/2 ||w||^2 + C1 sum over positive bags B of loss(max over i in B of f_i) + C2 sum over negative i of loss(-f_i)
 *
 * It begins with the mean of each positive bag in place of its key, and takes in turn the SVM for the keys, and of each bag
 * the instance with the largest output.  This is `alternate` with one start, the paper's.
 */
#include "algo/algos.h"
#include "algo/alignment.h"
#include "algo/mil/mil.h"

static const char *const starts[] = {"means", "random", "alignment", NULL};
static const wlab_param_info params[] = {
    WELL_PROBLEM_PARAMS(0),
    WELL_THRESHOLD_PARAM,
    ALT_PARAMS(starts, "means",
               "initial key instances; means: in restart 1 those with the largest outputs of an SVM in which "
               "the mean of "
               "each positive bag stands for it; random: drawn; alignment: the best of tries= drawn ones by "
               "y'Ky; the other "
               "restarts are random",
               "1", ""),
    {.name = NULL}};

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    return mil_create(state, p, true, given, ctx, err);
}

const wlab_algo wlab_algo_mi_bag = {
    .name = "mi-bag",
    .summary =
        "MI-SVM: an SVM for the key instances of the positive bags, then the best key of each bag, in turn",
    .idea = WL_IDEA_IN_TURN,
    .problem = "min over w of 1/2 ||w||^2 + C1 sum_B loss(max over i in B of f_i) + C2 sum_i loss(-f_i)",
    .symbols = "B: the positive bags\n"
               "i: an instance of B; in the last sum those of all negative bags\n"
               "f_i: the output of instance i, w'x_i",
    .when = "bags with one positive instance; a quick local minimum, and wellsvm and bb say how good it is",
    .cost = "an SVM for each restart",
    .source = "Andrews, Tsochantaridis, Hofmann, Support vector machines for multiple-instance learning, "
              "NIPS 15 (2002)",
    .learns_from = WL_SEES_BAG_SIGNS,
    .step_unit = "the SVM for the key instances, then the key instances for the SVM",
    .inner_unit = "the first: the initial key instances; after that in turn: the SVM of one restart, for "
                  "each; then the "
                  "keys of all",
    .converged = "moving == 0",
    .converged_also =
        "in every restart that is left the last alternation changed no key instance, or lowered the "
        "objective by at most decrease, and the last SVM reached tol",
    .params = params,
    .metrics = alt_metrics,
    .probes = alt_probes,
    .create = create,
    .advance = alt_advance,
    .observe = alt_observe,
    .model = alt_model,
    .kernel = alt_kernel,
    .certifies = true,
    .solved = alt_solved,
    .loss_of = well_loss_of,
    .setting = well_setting,
    .explain = alt_explain,
    .next = alt_next,
    .walk = alt_walk,
    .set = alt_set,
    .destroy = alt_destroy,
};

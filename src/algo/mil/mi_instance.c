/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * mi-SVM (Andrews, Tsochantaridis and Hofmann, NIPS 15, 2002): every instance has a label; those of negative bags are
 * negative, and at least one of each positive bag is positive.
 *
 *     min over w and y of 1/2 ||w||^2 + sum_i C_i loss(y_i f_i),   C_i = C1 in positive bags, C2 in negative ones
 *
 * It begins with all instances of the positive bags positive, and takes in turn the SVM for the labels, and the signs of its
 * outputs; where a positive bag has no positive output, its largest one is made positive.  With `task mil labels=instances`
 * wellsvm and bb solve the same problem.
 */
#include "algo/algos.h"
#include "algo/alignment.h"
#include "algo/mil/mil.h"

static const char *const starts[] = {"bags", "means", "random", "alignment", NULL};
static const wlab_param_info params[] = {WELL_PROBLEM_PARAMS_C2(0, "1"),
                                         WELL_THRESHOLD_PARAM,
                                         ALT_PARAMS(starts, "bags",
                                                    "initial labels; bags: in restart 1 all instances of the "
                                                    "positive bags are positive; means: in restart 1 the "
                                                    "signs of the SVM for the mean of all labelings; random: "
                                                    "drawn; alignment: the best of tries= drawn ones by "
                                                    "y'Ky; the other restarts are random",
                                                    "1", ""),
                                         {.name = NULL}};

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    return mil_create(state, p, false, false, given, ctx, err);
}

const wlab_algo wlab_algo_mi_instance = {
    .name = "mi-instance",
    .summary = "mi-SVM: an SVM for labels of all instances, then the labels by its outputs, in turn",
    .idea = WL_IDEA_IN_TURN,
    .problem = "min over w and y of 1/2 ||w||^2 + sum_i C_i loss(y_i f_i), one y_i = +1 in each positive bag",
    .symbols = "y_i: the label of instance i; -1 in negative bags, at least one +1 in each positive bag\n"
               "f_i: the output of instance i, w'x_i\n"
               "C_i: C1 for instances of positive bags, C2 for those of negative bags",
    .when = "bags with several positive instances, or if the labels of instances are wanted",
    .cost = "an SVM on all instances for each restart",
    .work = "1.2e-8 * n^2",
    .work_once = "(1 - K) * 2e-9 * n^2.7 + K * 4e-8 * n^2",
    .memory = "(23 - K * 14) * n^2",
    .source = "Andrews, Tsochantaridis, Hofmann, Support vector machines for multiple-instance learning, "
              "NIPS 15 (2002)",
    .learns_from = WL_SEES_BAG_SIGNS,
    .step_unit = "the SVM for the labels, then the labels for the SVM",
    .inner_unit = "the first: the initial labels; after that in turn: the SVM of one restart, for each; then "
                  "the labels "
                  "of all",
    .converged = "moving == 0",
    .converged_also =
        "in every restart that is left the last alternation changed no label, or lowered the objective by "
        "at most decrease, and the last SVM reached tol",
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

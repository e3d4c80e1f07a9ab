/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Single-instance learning: every instance has the label of its bag, and an SVM learns from them.  The baseline of
 * multi-instance learning: what ignoring the bags costs.
 */
#include "algo/algos.h"
#include "algo/baseline/svm.h"

static const wlab_param_info params[] = {SUPERVISED_PARAMS("penalty of all instances"), {.name = NULL}};

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    wlab_problem *all = NULL;
    *state = NULL;
    wlab_code code = wlab_problem_of_bags(&all, p, WL_LABELS_OF_BAGS, err);
    code = code ? code : supervised_create(state, all, given, ctx, err);
    wlab_problem_unref(all);
    return code;
}

const wlab_algo wlab_algo_sil = {
    .name = "sil",
    .summary = "an SVM that gives every instance the label of its bag: the baseline for bags",
    .idea = WL_IDEA_LABELLED,
    .problem = "min over w, b of 1/2 ||w||^2 + C sum_i loss(y_i f(x_i)), y_i the label of the bag of i",
    .symbols = "y_i: the label of the bag of instance i, -1 or +1\n"
               "f(x): the output w'x + b\n"
               "alpha_i: the dual variable of instance i\n"
               "G(alpha, y): the dual objective",
    .when = "the baseline for bags: what one gets without asking which instance is positive",
    .cost = "the whole training on all instances",
    .proves = "that its SVM is solved",
    .work = "(1 - K) * 5e-7 * z + K * 2.5e-8 * n^2",
    .memory = "(1 - K) * 30 * z + 8 * n",
    .source = "Ray and Craven, Supervised versus multiple instance learning, ICML 2005",
    .learns_from = WL_SEES_BAG_SIGNS,
    .step_unit = "train on all instances",
    .inner_unit = "the same",
    .converged = "gap <= eps * abs(objective)",
    .params = params,
    .metrics = supervised_metrics,
    .create = create,
    .advance = supervised_advance,
    .observe = supervised_observe,
    .model = supervised_model,
    .kernel = supervised_kernel,
    .loss_of = supervised_loss_of,
    .explain = supervised_explain,
    .next = supervised_next,
    .walk = supervised_walk,
    .destroy = supervised_destroy,
};

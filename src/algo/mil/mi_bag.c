/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * MI-SVM (Andrews, Tsochantaridis and Hofmann, NIPS 15, 2002): of each positive bag one instance, the key instance, stands
 * for it; of the negative bags all instances count.
 *
 *     min over w of 1/2 ||w||^2 + C1 sum over positive bags B of loss(max over i in B of f_i) + C2 sum over negative i of loss(-f_i)
 *
 * That is the form of the WellSVM paper (negatives=instance), which wellsvm and bb bound.  In the paper of MI-SVM a negative
 * bag has one slack, so its most positive instance alone counts (negatives=bag, hinge loss only):
 *
 *     min over w of 1/2 ||w||^2 + C1 sum over positive bags B of H(1 - max over i in B of f_i)
 *                               + C2 sum over negative bags B of H(1 + max over i in B of f_i),    H(t) = max(0, t)
 *
 * It begins with the mean of each positive bag in place of its key, and takes in turn the SVM for the keys, and of each bag
 * the instance with the largest output.  With negatives=instance this is `alternate` with one start, the paper's.  For given
 * keys both forms are convex; the dual of the second has the bound C2 for the sum over a negative bag (solve/svm/groupqp.h).
 */
#include "algo/algos.h"
#include "algo/alignment.h"
#include "algo/mil/mil.h"

#include <string.h>

static const char *const starts[] = {"means", "random", "alignment", NULL};
static const char *const negatives[] = {"instance", "bag", NULL};
static const wlab_param_info params[] = {
    WELL_PROBLEM_PARAMS(0),
    {"negatives", WL_P_CHOICE, "instance", 0, 0, negatives, NULL,
     "what has a loss in a negative bag, which C2 weighs; instance: each of its instances, as in the WellSVM "
     "paper; bag: the bag, that of its largest output, as in the paper of MI-SVM; then loss=auto is the "
     "hinge loss, and no other is possible",
     WL_P_OBJECTIVE},
    WELL_THRESHOLD_PARAM,
    ALT_PARAMS(starts, "means",
               "initial key instances; means: in restart 1 those with the largest outputs of an SVM in which "
               "the mean of "
               "each positive bag stands for it; random: drawn; alignment: the best of tries= drawn ones by "
               "y'Ky; the other "
               "restarts are random",
               "1", ""),
    {.name = NULL}};

static bool one_slack(const wlab_params *given)
{
    return wlab_params_choice(given, "negatives") == 1;
}

static const char *departs(const wlab_params *given)
{
    return one_slack(given) ? "negatives=bag" : NULL;
}

/* One slack per negative bag comes with the hinge loss. */
static double setting(const wlab_problem *p, const wlab_params *given, const char *name)
{
    return one_slack(given) && strcmp(name, "loss") == 0 ? 1 + WELL_HINGE : well_setting(p, given, name);
}

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    return mil_create(state, p, true, one_slack(given), given, ctx, err);
}

const wlab_algo wlab_algo_mi_bag = {
    .name = "mi-bag",
    .summary =
        "MI-SVM: an SVM for the key instances of the positive bags, then the best key of each bag, in turn",
    .idea = WL_IDEA_IN_TURN,
    .problem = "min over w of 1/2 ||w||^2 + C1 sum_B loss(max over i in B of f_i) + C2 sum_i loss(-f_i)",
    .symbols = "B: the positive bags\n"
               "i: an instance of B; in the last sum those of all negative bags (negatives=bag: of each "
               "negative bag the one with the largest output)\n"
               "f_i: the output of instance i, w'x_i",
    .when = "bags with one positive instance; a quick local minimum, and wellsvm and bb say how good it is",
    .cost = "an SVM for each restart",
    .work = "4e-9 * n^2",
    .work_once = "2.8e-8 * n^2",
    .memory = "(13 - K * 3) * n^2",
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
    .departs = departs,
    .solved = alt_solved,
    .loss_of = well_loss_of,
    .setting = setting,
    .explain = alt_explain,
    .next = alt_next,
    .walk = alt_walk,
    .set = alt_set,
    .destroy = alt_destroy,
};

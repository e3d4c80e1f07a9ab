/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * itersvr: maximum margin clustering by support vector regression on the labels (Zhang, Tsang and Kwok).  With the hinge
 * loss a labeling is a fixed point of the alternation too easily, because rows far on their side cost nothing: there is no
 * reason to move the boundary.  With |y_i - f_i| they cost, too.  The steps are those of alternate (alternate.h).
 */
#include "algo/algos.h"
#include "algo/alignment.h"
#include "algo/alternate/alternate.h"

static const char *const start_names[] = {"kmeans", "alignment", "random", NULL};

static const wlab_param_info params[] = {
    WLAB_KERNEL_ONLY_PARAMS("auto"),
    {"C", WL_P_REAL, "1", 0, HUGE_VAL, NULL, NULL, "C, the weight of the losses",
     WL_P_OPEN_LO | WL_P_OBJECTIVE},
    {"eps", WL_P_REAL, "0", 0, 1, NULL, NULL,
     "half the width of the tube: |y - f| costs nothing up to eps; 0: the Laplacian loss of the paper",
     WL_P_OPEN_HI | WL_P_OBJECTIVE},
    {"restarts", WL_P_INT, NULL, 1, 1000, NULL, NULL,
     "number of restarts; the one with the smallest objective is shown; default: 1 with start=kmeans, else "
     "10",
     0},
    {"start", WL_P_CHOICE, "kmeans", 0, 0, start_names, NULL,
     "initial labels; kmeans: in restart 1 those of kmeans (with kernel= and its width if they are given), "
     "rounded into "
     "the label set, further restarts are random; alignment: the best of tries= drawn ones by y'Ky, in each "
     "restart; random: drawn",
     0},
    WLAB_TRIES_PARAM,
    {"decrease", WL_P_REAL, "1e-3", 0, 1, NULL, "relative",
     "a restart has converged when an alternation changes no label or lowers the objective by at most this",
     0},
    {"tol", WL_P_REAL, "1e-6", 0, 1, NULL, "relative", "duality gap to which each regression is solved",
     WL_P_OPEN_LO},
    {"iterations", WL_P_INT, "50", 1, 1e9, NULL, NULL, "largest number of steps", WL_P_MUTABLE},
    {"seed", WL_P_INT, "1", 0, 0x1p53, NULL, NULL, "seed of the initial labels", 0},
    {.name = NULL}};

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    return alt_create(state, p, given, ctx, ALT_REGRESSION, err);
}

const wlab_algo wlab_algo_itersvr = {
    .name = "itersvr",
    .summary =
        "maximum margin clustering: support vector regression on the labels, then the best cut, in turn",
    .idea = WL_IDEA_IN_TURN,
    .problem = "min over w, b and y in B of 1/2 ||w||^2 + C sum_i max(0, |y_i - (f_i + b)| - eps)",
    .symbols = "B: the label set, labelings whose clusters differ in size by at most the balance\n"
               "y_i: label of row i, +1 or -1, which is to be found\n"
               "f_i: the output of row i, w'x_i, without the offset b",
    .when = "clusters of about the same size, where k-means is not good enough",
    .cost = "a support vector regression for each restart that has not converged, and n^2 for the cuts",
    .work = "2e-10 * n^2.7",
    .work_once = "(3e-9 - K * 2e-9) * n^2.7",
    .memory = "(8 - K * 2) * n^2",
    .rows_most = WL_KERNEL_ROWS,
    .source = "Zhang, Tsang, Kwok, Maximum margin clustering made practical, ICML 2007; IEEE Transactions on "
              "Neural "
              "Networks 20 (2009)",
    .learns_from = WL_SEES_NO_LABELS,
    .made_for = WL_SEES_NO_LABELS,
    .step_unit =
        "one alternation of every restart that has not converged: support vector regression on its labels, "
        "then the best cut of its outputs",
    .inner_unit = "the first: the initial labels; after that in turn: the regression of one restart, for "
                  "each; then the "
                  "labels of all",
    .converged = "moving == 0",
    .converged_also =
        "in every restart that is left the last alternation changed no label, or lowered the objective "
        "by at most decrease, and the last regression reached tol",
    .params = params,
    .metrics = alt_metrics,
    .probes = itersvr_probes,
    .create = create,
    .advance = alt_advance,
    .observe = alt_observe,
    .model = alt_model,
    .kernel = alt_kernel,
    .loss = WL_LOSS_INSENSITIVE,
    .explain = alt_explain,
    .next = alt_next,
    .walk = alt_walk,
    .set = alt_set,
    .destroy = alt_destroy,
};

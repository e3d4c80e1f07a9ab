/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What conv-psvm reports: metrics, labels, explanations.
 */
#include "algo/algos.h"
#include "algo/llp/conv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { /* after WellSVM's own metrics, which come first and in its order */
    M_FLIPS = WELL_FLIPS,
    M_BAG_ERROR = WELL_METRICS,
    M_RANK_ONE
};

const wlab_metric_info conv_metrics[] = {
    {.name = "objective",
     .role = WL_R_OBJECTIVE,
     .flags = WL_M_SHOWN,
     .meaning = "value of the MKL problem over the working set at the current alpha and mu",
     .equation = "1'alpha - 1/2 alpha'(sum_t mu_t K.y_t y_t')alpha, Eq. 14"},
    {.name = "upper",
     .role = WL_R_UPPER,
     .flags = WL_M_HEADER,
     .meaning =
         "smallest certified upper bound on the optimum of the relaxation so far; never rises while the "
         "settings are unchanged",
     .equation = "max_alpha of Eq. 14 at a mu, its SVM's primal value"},
    {.name = "lower",
     .role = WL_R_LOWER,
     .flags = WL_M_HEADER,
     .meaning =
         "largest certified lower bound on the optimum of the relaxation so far; never falls while the "
         "settings are unchanged",
     .equation = "min over Y of Eq. 16 >= 1'alpha - M/2, M >= max (alpha.y)'K(alpha.y)"},
    {.name = "gap",
     .role = WL_R_GAP,
     .log = true,
     .flags = WL_M_SHOWN,
     .meaning = "`upper` is at most this far above the optimum of the relaxation",
     .equation = "upper - lower"},
    WLAB_RELGAP,
    {.name = "inner_gap",
     .role = WL_R_INNER_GAP,
     .log = true,
     .meaning = "duality gap of the SVM just solved: it is at most this far from its optimum",
     .equation = "primal - dual"},
    {.name = "master_gap",
     .role = WL_R_INSIDE,
     .log = true,
     .meaning = "certified gap of the MKL problem over the working set",
     .equation = "sum_t mu_t G(alpha, y_t) - min_t G(alpha, y_t), G of Eq. 16"},
    {.name = "violation",
     .role = WL_R_VIOLATION,
     .log = true,
     .flags = WL_M_SHOWN,
     .meaning = "by how much G of the labeling that the search of this step found is below that of every "
                "labeling in the working set; 0: it is not below",
     .equation = "min over Y_active of G(alpha, y) - G(alpha, y_new)"},
    {.name = "integer_upper",
     .role = WL_R_LABELING,
     .flags = WL_M_HEADER,
     .meaning = "smallest SVM objective so far of a labeling that keeps the proportions: an upper bound on "
                "the optimum of Eq. 9",
     .equation = "max_alpha of Eq. 11 at one y in Y"},
    {.name = "rounded",
     .flags = WL_M_LESS,
     .meaning =
         "SVM objective of the labeling that results from rounding WellSVM's prediction, sum_t mu_t w_t, "
         "while keeping the proportions",
     .equation = "max_alpha of Eq. 11 at y = argmax over Y of f'y"},
    {.name = "imbalance",
     .unit = "labels",
     .flags = WL_M_COUNT,
     .meaning =
         "by how many labels the signs of WellSVM's prediction, sum_t mu_t w_t, miss the given proportions"},
    {.name = "flips",
     .role = WL_R_FLIPS,
     .unit = "labels",
     .flags = WL_M_COUNT | WL_M_SHOWN,
     .meaning =
         "predicted labels that differ from those of the step before (in the first step: from the first "
         "labeling)"},
    {.name = "working_set",
     .role = WL_R_WORKING_SET,
     .unit = "labelings",
     .flags = WL_M_COUNT,
     .meaning = "labelings in Y_active"},
    {.name = "active",
     .role = WL_R_ACTIVE,
     .unit = "labelings",
     .flags = WL_M_COUNT,
     .meaning = "labelings with mu > 0"},
    {.name = "mkl_iters", .flags = WL_M_COUNT | WL_M_LESS, .meaning = "updates of mu in this step"},
    {.name = "svm_iters",
     .flags = WL_M_COUNT | WL_M_LESS,
     .meaning = "SVM problems solved in this step (linear kernel above 4000 rows: passes over the data)"},
    WLAB_SECONDS,
    {.name = "bag_error",
     .role = WL_R_BAG_ERROR,
     .meaning =
         "by how much the predicted proportions of the training bags differ from the given ones, in sum",
     .equation = "sum_k |p_k - p^_k| of the signs of f, Eq. 23"},
    {.name = "rank_one",
     .meaning =
         "the fraction of M's trace that the recovered labels explain: 1 if M = yy' for one labeling y",
     .equation = "lambda_1(M) / tr M, M = sum_t mu_t y_t y_t', Eq. 13"},
    {0}};

void conv_observe(const void *state, double *metric, int8_t *labels)
{
    const conv_state *s = state;
    if (metric) {
        well_observe(&s->w, metric, NULL);
        metric[M_FLIPS] = s->steps > 0 && !s->w.in_master ? (double)s->flips : NAN;
        metric[M_BAG_ERROR] = s->bag_error;
        metric[M_RANK_ONE] = s->rank_one;
    }
    if (labels)
        memcpy(labels, s->label, (size_t)s->w.n);
}

/* Says why the run ends, or that it continues. */
static void describe_verdict(const conv_state *s, char *buf, size_t size)
{
    const wellsvm *w = &s->w;
    const double fall = w->last_objective - w->objective;
    char limit[100];
    if (w->verdict == WL_MORE) {
        snprintf(buf, size, "It will be added next.");
    } else if (w->verdict == WL_LIMIT) {
        well_limit(w, limit, sizeof limit);
        snprintf(buf, size, "The run ends here: %s.", limit);
    } else if (well_unsolved(w)) {
        snprintf(buf, size,
                 "But the MKL problem is not solved (inner_gap %.3g, master_gap %.3g): stalled. Scale the "
                 "data, or use a smaller C.",
                 w->inner_gap, w->master_gap);
    } else if (w->verdict == WL_STALLED) {
        snprintf(buf, size,
                 "No new labeling was found, but the MKL problem cannot be solved more exactly: stalled.");
    } else if (fall < w->decrease * fabs(w->objective)) {
        snprintf(buf, size, "The objective fell by %.2g, less than decrease=%g of it: converged.", fall,
                 w->decrease);
    } else if (w->violation > 0) {
        snprintf(buf, size, "What is left to gain is small enough (`help conv-psvm`): converged.");
    } else {
        snprintf(buf, size, "No labeling is left to add: converged.");
    }
}

void conv_explain(const void *state, char *buf, size_t size)
{
    static const char *const how[] = {[WELL_LINF] = "one axis at a time (Eq. 20)",
                                      [WELL_MULTISTART] = "climbing from many starts",
                                      [WELL_EXACT] = "exactly"};
    const conv_state *s = state;
    const wellsvm *w = &s->w;
    char found[160], verdict[200], sign[160];
    if (w->in_master) {
        snprintf(
            buf, size,
            "Inside step %lld: mu was updated %lld time%s over the %lld labeling%s in Y_active: objective "
            "%.10g, gap of the MKL problem %.2g. Labels and predictor are still those of the step before.",
            (long long)w->step + 1, (long long)w->updates, w->updates == 1 ? "" : "s", (long long)w->T,
            w->T == 1 ? "" : "s", w->objective, w->master_gap);
        return;
    }
    if (s->steps == 0) {
        snprintf(buf, size,
                 "No step has been made yet. The first labeling is one of the %.4g labelings that keep the "
                 "proportions: as a rule the one that a search along axes finds at alpha = 1/N.",
                 wlab_labelset_count(w->p->labels));
        return;
    }
    if (w->violation > 0)
        snprintf(found, sizeof found,
                 "the one found has a G that is %.4g below that of every labeling in "
                 "Y_active. ",
                 w->violation);
    else
        snprintf(found, sizeof found, "none was found. ");
    describe_verdict(s, verdict, sizeof verdict);
    if (isnan(s->bag_error))
        snprintf(sign, sizeof sign, "no bag has a given proportion");
    else
        snprintf(sign, sizeof sign, "%sthe bags' error is %.4g with it and %.4g with the other sign",
                 s->by_means ? "by their mean outputs; " : "", s->bag_error, s->other);
    snprintf(
        buf, size,
        "Step %lld grew Y_active to %lld labeling%s and solved the MKL problem in %lld update%s of mu: "
        "objective %.10g. The real-valued labels y are the leading eigenvector of M = sum_t mu_t y_t y_t', "
        "whose eigenvalue is %.1f %% of the trace; the training bags decide their sign (%s). %lld "
        "predicted label%s changed. Then Y was searched for a violated labeling, %s: %s%s",
        (long long)s->steps, (long long)w->T, w->T == 1 ? "" : "s", (long long)w->updates,
        w->updates == 1 ? "" : "s", w->objective, 100 * s->rank_one, sign, (long long)s->flips,
        s->flips == 1 ? "" : "s", how[w->search], found, verdict);
}

void conv_next(const void *state, char *buf, size_t size)
{
    well_next(&((const conv_state *)state)->w, buf, size);
}

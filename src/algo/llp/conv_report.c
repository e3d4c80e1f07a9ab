/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What conv-psvm shows: metrics, labels, and what it did in words.
 */
#include "algo/algos.h"
#include "algo/llp/conv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { /* behind WellSVM's own, which come first and in its order */
    M_FLIPS = WELL_FLIPS,
    M_BAG_ERROR = WELL_METRICS,
    M_RANK_ONE
};

const wlab_metric_info conv_metrics[] = {
    {.name = "objective",
     .role = WL_R_OBJECTIVE,
     .flags = WL_M_SHOWN,
     .meaning = "the MKL problem's value over the working set at the current alpha and mu",
     .equation = "1'alpha - 1/2 alpha'(sum_t mu_t K.y_t y_t')alpha, Eq. 14"},
    {.name = "upper",
     .role = WL_R_UPPER,
     .flags = WL_M_HEADER,
     .meaning =
         "smallest certified upper bound on the optimum of the relaxation so far; never rises while the "
         "parameters stay",
     .equation = "max_alpha of Eq. 14 at a mu, its SVM's primal value"},
    {.name = "lower",
     .role = WL_R_LOWER,
     .flags = WL_M_HEADER,
     .meaning =
         "largest certified lower bound on the optimum of the relaxation so far; never falls while the "
         "parameters stay",
     .equation = "min over Y of Eq. 16 >= 1'alpha - M/2, M >= max (alpha.y)'K(alpha.y)"},
    {.name = "gap",
     .role = WL_R_GAP,
     .log = true,
     .flags = WL_M_SHOWN,
     .meaning = "how far from the relaxation's optimum the run can be at most",
     .equation = "upper - lower"},
    WLAB_RELGAP,
    {.name = "inner_gap",
     .role = WL_R_INNER_GAP,
     .log = true,
     .meaning = "how far from its optimum the SVM just solved can be at most",
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
     .meaning = "by how much the labeling just found violates the working set",
     .equation = "min over Y_active of G(alpha, y) - G(alpha, y_new)"},
    {.name = "integer_upper",
     .role = WL_R_LABELING,
     .flags = WL_M_HEADER,
     .meaning = "SVM objective of the best labeling seen that keeps the proportions: upper bound on Eq. 9",
     .equation = "max_alpha of Eq. 11 at one y in Y"},
    {.name = "rounded",
     .flags = WL_M_LESS,
     .meaning =
         "SVM objective of the labeling to which sum_t mu_t w_t, WellSVM's prediction, rounds within the "
         "proportions",
     .equation = "max_alpha of Eq. 11 at y = argmax over Y of f'y"},
    {.name = "imbalance",
     .unit = "labels",
     .flags = WL_M_COUNT,
     .meaning =
         "by how many labels the signs of WellSVM's prediction, sum_t mu_t w_t, miss the proportions told"},
    {.name = "flips",
     .role = WL_R_FLIPS,
     .unit = "labels",
     .flags = WL_M_COUNT | WL_M_SHOWN,
     .meaning = "predicted labels that differ from the step before (first step: from the first labeling)"},
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
    {.name = "seconds",
     .role = WL_R_SECONDS,
     .unit = "s",
     .flags = WL_M_VOLATILE,
     .meaning = "time in the solver since the start"},
    {.name = "bag_error",
     .role = WL_R_BAG_ERROR,
     .meaning = "by how much predicted and told proportions of the training bags differ",
     .equation = "sum_k |p_k - p^_k| of the signs of f, Eq. 23"},
    {.name = "rank_one",
     .meaning = "how much of M the recovered labels hold: 1 where M = yy' is a labeling's",
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

/* Why it ends, or that it does not. */
static void say_verdict(const conv_state *s, char *buf, size_t size)
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
                 "But the MKL problem is not solved: inner_gap is %.3g, master_gap %.3g. Scale the data, or "
                 "take a smaller C: stalled.",
                 w->inner_gap, w->master_gap);
    } else if (w->verdict == WL_STALLED) {
        snprintf(buf, size,
                 "Nothing new was found, but the MKL problem cannot be solved more exactly: stalled.");
    } else if (fall < w->decrease * fabs(w->objective)) {
        snprintf(buf, size, "The objective fell by %.2g, less than decrease=%g of it: converged.", fall,
                 w->decrease);
    } else {
        snprintf(buf, size, "Nothing is left to add: converged.");
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
            "Inside step %lld: mu was updated %lld time%s over the %lld labeling%s of Y_active: objective "
            "%.10g, gap of the MKL problem %.2g. Labels and predictor are still those of the step before.",
            (long long)w->step + 1, (long long)w->updates, w->updates == 1 ? "" : "s", (long long)w->T,
            w->T == 1 ? "" : "s", w->objective, w->master_gap);
        return;
    }
    if (s->steps == 0) {
        snprintf(buf, size,
                 "Nothing was stepped yet. The first labeling is the one that alpha = 1/N and the search "
                 "choose among the %.4g that keep the proportions.",
                 wlab_labelset_count(w->p->labels));
        return;
    }
    if (w->violation > 0)
        snprintf(found, sizeof found, "the one found has G lower by %.4g than every labeling there. ",
                 w->violation);
    else
        snprintf(found, sizeof found, "none was found. ");
    say_verdict(s, verdict, sizeof verdict);
    if (isnan(s->bag_error))
        snprintf(sign, sizeof sign, "no bag tells a proportion");
    else
        snprintf(sign, sizeof sign, "%swith it the bags' error is %.4g, with the other one %.4g",
                 s->by_means ? "by their mean outputs; " : "", s->bag_error, s->other);
    snprintf(
        buf, size,
        "Step %lld brought Y_active to %lld labeling%s and solved the MKL problem in %lld update%s of mu: "
        "objective %.10g. The real-valued labels y are the leading eigenvector of M = sum_t mu_t y_t y_t', "
        "which holds %.1f %% of its trace; their sign is decided by the training bags (%s). %lld "
        "predicted label%s changed. Then Y was searched for a violated labeling, %s: %s%s",
        (long long)s->steps, (long long)w->T, w->T == 1 ? "" : "s", (long long)w->updates,
        w->updates == 1 ? "" : "s", w->objective, 100 * s->rank_one, sign, (long long)s->flips,
        s->flips == 1 ? "" : "s", how[w->search], found, verdict);
}

void conv_next(const void *state, char *buf, size_t size)
{
    well_next(&((const conv_state *)state)->w, buf, size);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Scores of predictions against true labels.
 */
#include "weaklab/score.h"

#include <math.h>
#include <stdlib.h>

typedef struct scored {
    double f;
    bool positive;
} scored;

static int scored_compare(const void *a, const void *b)
{
    double p = ((const scored *)a)->f, q = ((const scored *)b)->f;
    return (p > q) - (p < q);
}

/* The fraction of pairs (positive, negative) that f orders correctly; a tie counts one half. */
static double area_under_roc(const double *f, const int8_t *truth, int64_t n, double positives,
                             double negatives)
{
    if (!(positives > 0) || !(negatives > 0))
        return NAN;
    scored *s = wlab_alloc((size_t)n, sizeof *s);
    if (!s)
        return NAN;
    int64_t m = 0;
    double twice = 0, below = 0; /* twice the pairs in order; negatives below the group of ties */
    for (int64_t i = 0; i < n; i++) {
        if (truth[i] == 0)
            continue;
        if (isnan(f[i])) {
            wlab_free(s);
            return NAN;
        }
        s[m++] = (scored){.f = f[i], .positive = truth[i] > 0};
    }
    qsort(s, (size_t)m, sizeof *s, scored_compare);
    for (int64_t i = 0, end; i < m; i = end) {
        double tied_positives = 0, tied_negatives = 0;
        for (end = i; end < m && !(s[end].f > s[i].f); end++) {
            tied_positives += s[end].positive;
            tied_negatives += !s[end].positive;
        }
        twice += tied_positives * (2 * below + tied_negatives);
        below += tied_negatives;
    }
    wlab_free(s);
    return twice / 2 / positives / negatives;
}

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

void wlab_score(const double *f, const int8_t *truth, int64_t n, wlab_scores *out)
{
    wlab_scores s = {0};
    for (int64_t i = 0; i < n; i++) {
        bool up = f[i] > 0;
        if (truth[i] == 0)
            s.skipped++;
        else if (truth[i] > 0)
            *(up ? &s.tp : &s.fn) += 1;
        else
            *(up ? &s.fp : &s.tn) += 1;
    }
    double tp = (double)s.tp, tn = (double)s.tn, fp = (double)s.fp, fn = (double)s.fn;
    double specificity = ratio(tn, tn + fp);
    s.n = n - s.skipped;
    s.accuracy = ratio(tp + tn, (double)s.n);
    s.precision = ratio(tp, tp + fp);
    s.recall = ratio(tp, tp + fn);
    s.f1 = ratio(2 * tp, 2 * tp + fp + fn);
    if (isnan(s.recall) || isnan(specificity))
        s.balanced_accuracy = isnan(s.recall) ? specificity : s.recall;
    else
        s.balanced_accuracy = (s.recall + specificity) / 2;
    s.auc = area_under_roc(f, truth, n, tp + fn, tn + fp);
    *out = s;
}

double wlab_matching_accuracy(const int8_t *labels, const int8_t *truth, int64_t n)
{
    int64_t agree = 0, differ = 0, scored_rows = 0;
    for (int64_t i = 0; i < n; i++) {
        scored_rows += truth[i] != 0;
        agree += truth[i] != 0 && labels[i] == truth[i];
        differ += truth[i] != 0 && labels[i] == -truth[i];
    }
    return ratio((double)(agree > differ ? agree : differ), (double)scored_rows);
}

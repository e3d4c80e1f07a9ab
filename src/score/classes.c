/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Scores of labels against true classes, for any numbers of labels and classes.
 */
#include "score/matching.h"
#include "weaklab/score.h"

#include <math.h>

void wlab_class_scores_clear(wlab_class_scores *s)
{
    wlab_free(s->count);
    wlab_free(s->match);
    *s = (wlab_class_scores){0};
}

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

static double pairs(double n)
{
    return n * (n - 1) / 2;
}

/* -x log x */
static double entropy(double x)
{
    return x > 0 ? -x * log(x) : 0;
}

static void score_matched(wlab_class_scores *s)
{
    const int width = s->labels + 1;
    double right = 0, recalls = 0, f1 = 0;
    int present = 0, counted = 0;
    for (int c = 0; c < s->classes; c++) {
        double own = 0, predicted = 0, hit = 0;
        for (int k = 0; k < width; k++) {
            own += (double)s->count[c * width + k];
            if (k < s->labels && s->match[k] == c) {
                hit += (double)s->count[c * width + k];
                for (int t = 0; t < s->classes; t++)
                    predicted += (double)s->count[t * width + k];
            }
        }
        right += hit;
        present += own > 0;
        recalls += own > 0 ? hit / own : 0;
        counted += own + predicted > 0;
        f1 += own + predicted > 0 ? 2 * hit / (own + predicted) : 0;
    }
    s->accuracy = ratio(right, (double)s->n);
    s->balanced_accuracy = ratio(recalls, present);
    s->macro_f1 = ratio(f1, counted);
}

/* Scores that do not depend on which label stands for which class.  Rows without a label form a group of their own. */
static void score_partition(wlab_class_scores *s)
{
    const int width = s->labels + 1;
    const double n = (double)s->n;
    double both = 0, of_class = 0, of_label = 0, joint = 0, h_class = 0, h_label = 0;
    s->nmi = s->ari = NAN;
    if (s->n == 0)
        return;
    for (int c = 0; c < s->classes; c++) {
        double own = 0;
        for (int k = 0; k < width; k++) {
            const double x = (double)s->count[c * width + k];
            own += x;
            both += pairs(x);
            joint += entropy(x / n);
        }
        of_class += pairs(own);
        h_class += entropy(own / n);
    }
    for (int k = 0; k < width; k++) {
        double own = 0;
        for (int c = 0; c < s->classes; c++)
            own += (double)s->count[c * width + k];
        of_label += pairs(own);
        h_label += entropy(own / n);
    }
    const double expected = pairs(n) > 0 ? of_class * of_label / pairs(n) : 0,
                 most = (of_class + of_label) / 2;
    /* both have one group, or each row is a group in both: the two agree */
    s->ari = most > expected ? (both - expected) / (most - expected) : 1;
    s->nmi = h_class + h_label > 0 ? fmax(0, 2 * (h_class + h_label - joint) / (h_class + h_label)) : 1;
}

wlab_code wlab_score_classes(wlab_class_scores *out, const int8_t *label, int labels, const int8_t *truth,
                             int classes, int64_t n, bool matched, wlab_err *err)
{
    const int width = labels + 1;
    wlab_class_scores s = {.classes = classes, .labels = labels};
    int64_t *gain = wlab_calloc((size_t)labels * (size_t)classes, sizeof *gain);
    wlab_code code = WL_OK;
    s.count = wlab_calloc((size_t)classes * (size_t)width, sizeof *s.count);
    s.match = wlab_alloc((size_t)labels, sizeof *s.match);
    if (!gain || !s.count || !s.match) {
        code = wlab_nomem(err);
        goto out;
    }
    for (int64_t i = 0; i < n; i++) {
        if (truth[i] > 0 && truth[i] <= classes)
            s.count[(truth[i] - 1) * width + (label[i] > 0 && label[i] <= labels ? label[i] - 1 : labels)]++;
        else
            s.skipped++;
    }
    s.n = n - s.skipped;
    for (int k = 0; k < labels; k++) {
        s.match[k] = k < classes ? k : -1;
        for (int c = 0; c < classes; c++)
            gain[k * classes + c] = s.count[c * width + k];
    }
    if (matched && (code = wlab_matching(gain, labels, classes, s.match, err)))
        goto out;
    score_matched(&s);
    score_partition(&s);
    *out = s;
out:
    wlab_free(gain);
    if (code)
        wlab_class_scores_clear(&s);
    return code;
}

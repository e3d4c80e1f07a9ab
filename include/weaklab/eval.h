/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Scores of predictions against true labels.
 */
#ifndef WEAKLAB_EVAL_H
#define WEAKLAB_EVAL_H

#include "weaklab/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wlab_scores {
    int64_t n;       /* rows scored: those with a true label */
    int64_t skipped; /* rows without one */
    int64_t tp, tn, fp, fn;
    double accuracy;              /* in [0, 1]; NaN when n = 0 */
    double balanced_accuracy;     /* mean of the recalls of the classes present */
    double precision, recall, f1; /* of the positive class; NaN where undefined */
    double auc; /* area under the ROC curve, ties count half; NaN with one class only, with a
                                     NaN among the f, or when memory ran out */
} wlab_scores;

/* truth[i] in {-1, 0, +1} (0: skipped), f[i] decision values; f > 0 predicts +1, else -1, as LIBLINEAR and LIBSVM do. */
void wlab_score(const double *f, const int8_t *truth, int64_t n, wlab_scores *);
/* Clustering accuracy under the best matching of the two clusters to the two classes, over the rows with a
 * truth; a label 0 is wrong; NaN without such rows. */
double wlab_matching_accuracy(const int8_t *labels, const int8_t *truth, int64_t n);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Scores of predictions against true labels.
 */
#ifndef WEAKLAB_SCORE_H
#define WEAKLAB_SCORE_H

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

/* ---- any number of classes ---- */
typedef struct wlab_class_scores {
    int64_t n, skipped;  /* rows with a true class, and without */
    int classes, labels; /* values of truth and of the labels */
    int64_t *count;  /* [classes x (labels + 1)] rows by truth and label; the last column: without a label */
    int *match;      /* [labels] the class (from 0) that a label stands for, -1: none */
    double accuracy; /* in [0, 1]; NaN when n = 0, as all that follow */
    double balanced_accuracy; /* mean of the recalls of the classes present */
    double macro_f1;          /* mean of F1 over the classes that are true or predicted of a row */
    double nmi;               /* mutual information of labels and truth over the mean of their entropies */
    double
        ari; /* Rand index adjusted for chance: Hubert and Arabie, Journal of Classification 2 (1985), Eq. 5 */
} wlab_class_scores;

/* label[i] in 1 .. labels, 0: none, which is wrong; truth[i] in 1 .. classes, 0: skipped.  matched: the labels are
 * clusters, and stand for classes by the matching that is right most often (the Hungarian algorithm); else label k
 * stands for class k.  O(n + max(labels, classes)^3). */
wlab_code wlab_score_classes(wlab_class_scores *, const int8_t *label, int labels, const int8_t *truth,
                             int classes, int64_t n, bool matched, wlab_err *);
void wlab_class_scores_clear(wlab_class_scores *);

/* ---- bags ---- */
/* What the outputs f of instances say of their bags; only bags that have instances are listed, by number. */
typedef struct wlab_bag_outputs {
    int64_t n;     /* bags */
    int32_t *bag;  /* [n] */
    double *top;   /* [n] f(bag) = max over its instances of f */
    int64_t *key;  /* [n] the instance that attains it, the first of equals */
    int64_t *size; /* [n] instances */
    int64_t *ups;  /* [n] instances with f > 0 */
} wlab_bag_outputs;
/* f [n], bag [n] in 0 .. bags-1.  O(n + bags). */
wlab_code wlab_bag_outputs_make(wlab_bag_outputs *, const double *f, const int32_t *bag, int64_t n,
                                int64_t bags, wlab_err *);
void wlab_bag_outputs_clear(wlab_bag_outputs *);

/* How well key instances (regions of interest, ROIs) are found: Li, Tsang, Kwok, Zhou (2013), section 5.2.  A bag is
 * predicted to be relevant where top > 0, and its key is a success where its own label is +1. */
typedef struct wlab_key_scores {
    int64_t relevant, predicted, successes;
    double of_relevant;  /* Eq. 39: successes / relevant; NaN where there are none */
    double of_predicted; /* Eq. 40: successes / predicted */
    double success;      /* 2 successes / (relevant + predicted) */
} wlab_key_scores;
/* sign[bags]: of the bags; own: labels of the n instances. */
void wlab_score_keys(const wlab_bag_outputs *, const int8_t *sign, const int8_t *own, wlab_key_scores *);
/* The bag error of Yu, Liu, Kumar, Jebara, Chang (2013), Eq. 23: over the bags b with share[b] not NaN the *sum of
 * |share_b - ups_b / size_b|, and the largest of these, *most; NaN without such bags.  Returns how many there are. */
int64_t wlab_proportion_errors(const wlab_bag_outputs *, const double *share, double *sum, double *most);

#ifdef __cplusplus
}
#endif

#endif

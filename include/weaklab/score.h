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
    int64_t n;       /* scored rows: those with a true label */
    int64_t skipped; /* rows without a true label */
    int64_t tp, tn, fp, fn;
    double accuracy;              /* in [0, 1]; NaN if n = 0 */
    double balanced_accuracy;     /* mean of the recalls of the classes present */
    double precision, recall, f1; /* of the positive class; NaN where undefined */
    double auc; /* area under the ROC curve, ties count half; NaN if there is one class only, if an f is NaN,
                                     or if memory ran out */
} wlab_scores;

/* Scores decision values f[i] against truth[i] in {-1, 0, +1} (0: skipped).  f > 0 predicts +1, else -1, as in LIBLINEAR
 * and LIBSVM. */
void wlab_score(const double *f, const int8_t *truth, int64_t n, wlab_scores *);
/* Clustering accuracy under the best matching of the two clusters to the two classes, over the rows with a true label; a
 * label 0 is wrong; NaN without such rows. */
double wlab_matching_accuracy(const int8_t *labels, const int8_t *truth, int64_t n);

/* ---- any number of classes ---- */
typedef struct wlab_class_scores {
    int64_t n, skipped;  /* rows with a true class; rows without */
    int classes, labels; /* the numbers of values of truth and of labels */
    int64_t
        *count; /* [classes x (labels + 1)] rows by truth and label; the last column: rows without a label */
    int *match; /* [labels] the class (from 0) for which a label stands, -1: none */
    double accuracy;          /* in [0, 1]; this and all below are NaN if n = 0 */
    double balanced_accuracy; /* mean of the recalls of the classes present */
    double macro_f1; /* mean of F1 over the classes that are the truth or the prediction of some row */
    double nmi;      /* mutual information of labels and truth over the mean of their entropies */
    double
        ari; /* Rand index adjusted for chance: Hubert and Arabie, Journal of Classification 2 (1985), Eq. 5 */
} wlab_class_scores;

/* Scores label[i] in 1 .. labels (0: none, which is wrong) against truth[i] in 1 .. classes (0: skipped).  matched: labels
 * are clusters, and stand for classes by the matching with the most correct rows (the Hungarian algorithm); else label k
 * stands for class k.  O(n + max(labels, classes)^3). */
wlab_code wlab_score_classes(wlab_class_scores *, const int8_t *label, int labels, const int8_t *truth,
                             int classes, int64_t n, bool matched, wlab_err *);
void wlab_class_scores_clear(wlab_class_scores *);

/* ---- bags ---- */
/* The outputs f of instances, summarised by bag; only bags that have instances, by number. */
typedef enum wlab_bag_rule { /* how a bag's output f(bag) follows from the outputs f of its instances */
    WL_BAG_LARGEST,          /* the largest f */
    WL_BAG_MEAN,             /* their mean */
    WL_BAG_NOISY_OR, /* log(2 P), P = 1 - prod (1 - p), p = exp(f)/2: positive where some instance is, with P > 1/2 */
    WL_BAG_WHOLE /* it does not: the model gives f(bag) for all its instances together */
} wlab_bag_rule;
extern const char *const wlab_bag_rule_words[]; /* what f(bag) is, for help */
typedef struct wlab_bag_outputs {
    int64_t n;          /* bags */
    int32_t *bag;       /* [n] */
    double *top;        /* [n] f(bag) */
    int64_t *key;       /* [n] the instance with the largest output, the first of equals */
    int64_t *size;      /* [n] the number of instances */
    int64_t *positives; /* [n] the number of instances with f > 0 */
} wlab_bag_outputs;
/* f [n], bag [n] in 0 .. bags-1; whole [bags]: what the model gives for bags (WL_BAG_WHOLE, else it may be NULL).
 * O(n + bags). */
wlab_code wlab_bag_outputs_make(wlab_bag_outputs *, wlab_bag_rule, const double *f, const double *whole,
                                const int32_t *bag, int64_t n, int64_t bags, wlab_err *);
void wlab_bag_outputs_clear(wlab_bag_outputs *);

/* How well key instances (regions of interest, ROIs) are found: Li, Tsang, Kwok, Zhou (2013), section 5.2.  A bag is
 * predicted to be relevant if top > 0; its key instance is a success if the instance's own label is +1. */
typedef struct wlab_key_scores {
    int64_t relevant, predicted, successes;
    double of_relevant;  /* Eq. 39: successes / relevant; NaN if there are none */
    double of_predicted; /* Eq. 40: successes / predicted */
    double success;      /* 2 successes / (relevant + predicted) */
} wlab_key_scores;
/* sign [bags]: the labels of the bags; own [n]: the labels of the instances.  Bags of
 * sign 0 are skipped. */
void wlab_score_keys(const wlab_bag_outputs *, const int8_t *sign, const int8_t *own, wlab_key_scores *);
/* The bag error of Yu, Liu, Kumar, Jebara, Chang (2013), Eq. 23.  Over the bags b whose proportion[b] is not NaN: *sum of
 * |proportion_b - positives_b / size_b|, and *most, the largest term; NaN without such bags.  Returns their number. */
int64_t wlab_proportion_errors(const wlab_bag_outputs *, const double *proportion, double *sum, double *most);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The state of conv-psvm, shared by its parts: the algorithm (conv.c), metrics and explanations (conv_report.c).
 */
#ifndef WEAKLAB_ALGO_CONV_H
#define WEAKLAB_ALGO_CONV_H

#include "algo/llp/proportions.h"
#include "algo/wellsvm/wellsvm.h"

typedef struct conv_state {
    wellsvm w; /* the cutting planes; first, so that WellSVM's functions can be called with this state */
    wlab_proportions *bags;
    wlab_problem view;      /* eps=: a copy of *real with `allowed` as its label set; else unused */
    wlab_problem *real;     /* the problem itself; NULL without eps= */
    wlab_labelset *allowed; /* the label set of eps=, or NULL */
    double *mean;           /* [n] center=yes: means of the rows of K before centring; else NULL */
    double grand;           /* their mean */
    bool by_means;          /* sign= */

    /* ---- what a snapshot holds, after w's ---- */
    double *c;     /* [n] coefficients y_k alpha_k of the model, with the sign that the bags decide */
    int8_t *label; /* [n] signs of f; visible labels are kept */
    int64_t steps; /* complete steps, after which c and label were computed */
    int64_t flips;
    double bag_error; /* NaN: no bag has a given proportion */
    double other;     /* the bag error with the other sign */
    double rank_one;
} conv_state;

/* y [n] = the leading eigenvector of M = sum_t mu_t y_t y_t' times the root of its eigenvalue (real-valued labels, up
 * to the sign).  *proportion: that eigenvalue as a fraction of M's trace.  Works on the Gram matrix of the labelings
 * with mu > 0: O(T^2 n). */
wlab_code conv_recover(const wellsvm *, double *y, double *proportion, wlab_err *);

/* ---- conv_report.c ---- */
extern const wlab_metric_info conv_metrics[];
void conv_observe(const void *state, double *metric, int8_t *labels);
void conv_explain(const void *state, char *buf, size_t size);
void conv_next(const void *state, char *buf, size_t size);

#endif

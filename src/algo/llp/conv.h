/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * conv-psvm's state, shared by its parts: the table (conv.c), what is shown (conv_report.c).
 */
#ifndef WEAKLAB_ALGO_CONV_H
#define WEAKLAB_ALGO_CONV_H

#include "algo/llp/proportions.h"
#include "algo/wellsvm/wellsvm.h"

typedef struct conv_state {
    wellsvm w; /* the cutting planes; first, as its parts are called with this state */
    wlab_proportions *bags;
    wlab_problem view;  /* eps=: the problem with `allowed` in place of B; else unused */
    wlab_problem *real; /* whose view that is; NULL: none */
    wlab_labelset *allowed;
    double *mean;  /* [n] centred: means of the rows of K before; else NULL */
    double grand;  /* their mean */
    bool by_means; /* sign= */

    /* ---- what a snapshot holds, behind w's ---- */
    double *c;     /* [n] coefficients y_k alpha_k of the model, with the sign that the bags decide */
    int8_t *label; /* [n] signs of f; visible labels as they are */
    int64_t steps; /* that these are of; 0: none yet */
    int64_t flips;
    double bag_error; /* NaN: nothing is told */
    double other;     /* with the other sign */
    double rank_one;
} conv_state;

/* y [n] = the leading eigenvector of M = sum_t mu_t y_t y_t' times the root of its eigenvalue (real-valued labels, up to
 * the sign); *share: that eigenvalue's part of M's trace.  From the Gram matrix of the labelings with mu > 0: T^2 n. */
wlab_code conv_recover(const wellsvm *, double *y, double *share, wlab_err *);

/* ---- conv_report.c ---- */
extern const wlab_metric_info conv_metrics[];
void conv_observe(const void *state, double *metric, int8_t *labels);
void conv_explain(const void *state, char *buf, size_t size);
void conv_next(const void *state, char *buf, size_t size);

#endif

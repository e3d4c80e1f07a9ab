/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The linear SVM with hinge loss and a cost a row, warm started:
 *
 *     min over w of 1/2 ||w||^2 + sum_i C_i max(0, 1 - y_i w'x_i),
 *
 * by dual coordinate descent (Hsieh, Chang, Lin, Keerthi and Sundararajan, ICML 2008) in rounds: one pass over all rows,
 * which knows every output and with it the certified gap, and some sweeps over the few rows that may still move.
 */
#ifndef SVM_DCD_H
#define SVM_DCD_H

#include "base/progress.h"
#include "weaklab/matrix.h"

/* What several solves share; all borrowed. */
typedef struct wlab_dcd {
    const wlab_matrix *X; /* [n x d] */
    double bias;          /* value of a constant feature of every row, the last of w; 0: none */
    const double *cost;   /* [n] C_i >= 0 */
    const double *sqnorm; /* [n] ||x_i||^2, the constant feature included */
} wlab_dcd;

typedef struct wlab_dcd_result {
    double primal, dual;
    int64_t passes, updates; /* passes over all rows, changes of one alpha */
    bool reached;            /* primal - dual <= tol * primal */
    bool stopped;            /* an interrupt ended it */
} wlab_dcd_result;

/* w = sum_i y_i alpha_i x_i, [d + 1]; alpha [n].  Cost: the nonzeros of rows with alpha_i > 0. */
wlab_code wlab_dcd_rebuild(const wlab_dcd *, const int8_t *y, const double *alpha, double *w, wlab_pool *,
                           wlab_err *);
/* f = Xw, [n], the constant feature included. */
void wlab_dcd_outputs(const wlab_dcd *, const double *w, double *f, wlab_pool *);
/* alpha [n], w [d + 1], f [n]: warm start in, solution out.  On entry w belongs to alpha and y (wlab_dcd_rebuild), f may be
 * the outputs of another w that is not far: it only tells which rows to begin with.  Stops at primal - dual <= tol *
 * primal, or where rounds bring nothing more: the result says how near; f belongs to w.  Behind 100 rounds it tries
 * dcd_exact.h, where that can.  `order` seeds the order of the
 * rows.  work [2 n]: int32_t of this call's own.  Same bits for any pool. */
wlab_code wlab_dcd_solve(const wlab_dcd *, const int8_t *y, double tol, uint64_t order, double *alpha,
                         double *w, double *f, int32_t *work, wlab_dcd_result *, wlab_progress *told,
                         wlab_ctx *, wlab_err *);

#endif

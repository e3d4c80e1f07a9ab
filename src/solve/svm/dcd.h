/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The linear SVM with hinge loss and one cost per row, with a warm start:
 *
 *     min over w of 1/2 ||w||^2 + sum_i C_i max(0, 1 - y_i w'x_i),
 *
 * by dual coordinate descent (Hsieh, Chang, Lin, Keerthi and Sundararajan, ICML 2008) in rounds.  A round is one pass
 * over all rows, which computes all outputs and from them the certified gap, and some sweeps over the few rows whose
 * alpha may still change.
 */
#ifndef SVM_DCD_H
#define SVM_DCD_H

#include "base/progress.h"
#include "weaklab/matrix.h"

/* The part of the problem that several solves share; all pointers are borrowed. */
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
/* alpha [n], w [d + 1], f [n]: warm start in, solution out.  On entry w belongs to alpha and y (wlab_dcd_rebuild), f
 * may be the outputs of another w that is not far: f only selects the rows of the first round's sweeps.  Stops at
 * primal - dual <= tol * primal; when rounds no longer reduce a gap of at most 1e-12 * primal; after 1000 rounds; or,
 * if there is an interrupt, at the end of the round.  The result holds the gap that was reached, and f belongs to w.
 * After 100 rounds it tries dcd_exact.h if the problem is small enough for that.  `order` seeds the order of the rows.
 * work [2 n] is workspace.  The result has the same bits for any pool. */
wlab_code wlab_dcd_solve(const wlab_dcd *, const int8_t *y, double tol, uint64_t order, double *alpha,
                         double *w, double *f, int32_t *work, wlab_dcd_result *, wlab_progress *progress,
                         wlab_ctx *, wlab_err *);

#endif

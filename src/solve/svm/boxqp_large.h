/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The box QP of a squared hinge loss (delta > 0; upper: infinite, or 0 for what takes no part) on many rows, where a
 * Cholesky factor of the free coordinates would cost more than all else: Newton's equations by conjugate gradients,
 * on a matrix in single precision.  Whoever calls has the exact gradient, and by it certifies and comes again.
 */
#ifndef WEAKLAB_SVM_BOXQP_LARGE_H
#define WEAKLAB_SVM_BOXQP_LARGE_H

#include "solve/svm/boxqp.h"

typedef struct wlab_boxqp_large {
    int64_t n;
    const float *Q; /* [n x n] */
    const double *delta, *upper;
    float *work; /* [n x n]: memory that was used before is there at once */
    wlab_pool *pool;
} wlab_boxqp_large;

/* Projected Newton steps from alpha, whose gradient g = 1 - (Q + Diag(delta))alpha is exact, until
 * primal - dual <= tol |dual| as far as Q in single precision tells, or nothing is gained.  Both are updated; g then has
 * the rounding of Q.  Cost: a Newton step some 10 products Q x. */
wlab_code wlab_boxqp_large_newton(const wlab_boxqp_large *, double tol, double *alpha, double *g,
                                  wlab_progress *told, wlab_ctx *, wlab_err *);
/* X_s = (Q + Diag(delta))^-1 B_s over all coordinates, for t rows B_s, to three digits; B, X [t x n].  H_rs = B_r'X_s,
 * made symmetric, [t x t]. */
wlab_code wlab_boxqp_large_bend(const wlab_boxqp_large *, const double *B, int64_t t, double *X, double *H,
                                wlab_ctx *, wlab_err *);

#endif

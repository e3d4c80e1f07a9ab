/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The box QP of a squared hinge loss (delta > 0; upper: infinite, or 0 for coordinates to ignore) on many rows, for
 * which a Cholesky factor of the free coordinates would dominate the cost.  Conjugate gradients solve Newton's
 * equations on a matrix in single precision.  The caller computes the exact gradient, certifies the result with it,
 * and calls again if necessary.
 */
#ifndef WEAKLAB_SVM_BOXQP_LARGE_H
#define WEAKLAB_SVM_BOXQP_LARGE_H

#include "solve/svm/boxqp.h"

typedef struct wlab_boxqp_large {
    int64_t n;
    const float *Q; /* [n x n] */
    const double *delta, *upper;
    float *work; /* [n x n] kept between calls, as first use of fresh memory is slow */
    wlab_pool *pool;
} wlab_boxqp_large;

/* Projected Newton steps from alpha, whose gradient g = 1 - (Q + Diag(delta))alpha is exact, until
 * primal - dual <= tol |dual| up to the rounding of Q in single precision, or until a step gains nothing.  Updates
 * alpha and g; g then has the rounding of Q.  Cost: about 10 products Q x per Newton step. */
wlab_code wlab_boxqp_large_newton(const wlab_boxqp_large *, double tol, double *alpha, double *g,
                                  wlab_progress *progress, wlab_ctx *, wlab_err *);
/* X_s = (Q + Diag(delta))^-1 B_s over all coordinates, for t rows B_s, to three digits.  B, X [t x n].  H_rs =
 * B_r'X_s, made symmetric, [t x t]. */
wlab_code wlab_boxqp_large_hessian(const wlab_boxqp_large *, const double *B, int64_t t, double *X, double *H,
                                   wlab_ctx *, wlab_err *);

#endif

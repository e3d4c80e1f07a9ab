/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The box QP for Q = F F' with few columns: no matrix of the size of Q is formed or factored.
 */
#ifndef WEAKLAB_SVM_BOXQP_THIN_H
#define WEAKLAB_SVM_BOXQP_THIN_H

#include "base/progress.h"
#include "solve/svm/boxqp.h"

/* wlab_boxqp_solve for Q = F F', F [n x r] row-major, with the same accuracy.  If alpha is not 0, Newton steps begin
 * there.  If alpha is 0, or if these steps do not reach tol, an interior point method finds the active set, and Newton
 * steps follow.  Cost: 10 to 40 times n r^2, and |free|^3 / 3 per Newton step. */
wlab_code wlab_boxqp_thin_solve(const double *F, int64_t n, int64_t r, const double *delta,
                                const double *upper, double tol, double *alpha, double *g,
                                wlab_boxqp_result *, wlab_progress *progress, wlab_ctx *, wlab_err *);
/* wlab_boxqp_hessian for Q = F F'. */
wlab_code wlab_boxqp_thin_hessian(const double *F, int64_t n, int64_t r, const double *delta,
                                  const double *upper, const double *alpha, const double *B, int64_t t,
                                  double *H, wlab_err *);

/* Solves equations in F F' + Diag(d) by equations of size r. */
typedef struct wlab_thin {
    const double *F; /* [n x r], borrowed */
    int64_t n, r;
    double *d, *inverse;           /* [n] */
    double *W, *M;                 /* [n x r], [r x r] */
    double *small;                 /* [r] */
    double *left, *scaled, *b, *x; /* [n] */
} wlab_thin;
wlab_code wlab_thin_create(wlab_thin *, const double *F, int64_t n, int64_t r, wlab_err *);
void wlab_thin_clear(wlab_thin *);
/* Prepares wlab_thin_apply for the d that the caller has written.  d_i = inf leaves row i out.  WL_ENUMERIC, without a
 * message: the matrix is not positive definite in doubles, so the caller's last point is as exact as doubles allow. */
wlab_code wlab_thin_factor(wlab_thin *);
/* x := (F F' + Diag(d))^-1 x. */
void wlab_thin_apply(const wlab_thin *, double *x);

/* A point near the optimum, by an interior point method.  alpha [n] out; coordinates whose multipliers show that they
 * are at a bound are set to it exactly. */
wlab_code wlab_thin_centre(wlab_thin *, const double *delta, const double *upper, double *alpha,
                           wlab_progress *progress, wlab_ctx *, wlab_err *);

#endif

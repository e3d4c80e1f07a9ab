/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The box QP where Q = F F' with few columns: nothing of the size of Q is formed or factored.
 */
#ifndef WEAKLAB_SVM_BOXQP_THIN_H
#define WEAKLAB_SVM_BOXQP_THIN_H

#include "base/progress.h"
#include "solve/svm/boxqp.h"

/* wlab_boxqp_solve for Q = F F', F [n x r] row-major; as exact.  Newton steps from alpha as it comes; where they do not
 * find the active set, an interior point method does first.  Cost: 10 to 40 times n r^2, and |free|^3 / 3 a Newton step. */
wlab_code wlab_boxqp_thin_solve(const double *F, int64_t n, int64_t r, const double *delta,
                                const double *upper, double tol, double *alpha, double *g,
                                wlab_boxqp_result *, wlab_progress *told, wlab_ctx *, wlab_err *);
/* wlab_boxqp_hessian for it. */
wlab_code wlab_boxqp_thin_hessian(const double *F, int64_t n, int64_t r, const double *delta,
                                  const double *upper, const double *alpha, const double *B, int64_t t,
                                  double *H, wlab_err *);

/* Equations in F F' + Diag(d), by those of size r. */
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
/* After d is set; d_i = inf takes row i out.  WL_ENUMERIC without a message: as exact as doubles allow. */
wlab_code wlab_thin_factor(wlab_thin *);
/* x := (F F' + Diag(d))^-1 x. */
void wlab_thin_apply(const wlab_thin *, double *x);

/* Near the optimum, by an interior point method; alpha [n] out, with exact zeros and bounds where the multipliers say
 * so. */
wlab_code wlab_thin_centre(wlab_thin *, const double *delta, const double *upper, double *alpha,
                           wlab_progress *told, wlab_ctx *, wlab_err *);

#endif

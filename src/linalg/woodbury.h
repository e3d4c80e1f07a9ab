/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A preconditioner for the systems of kernel methods.  For a psd matrix K [n x n], rows J of it and their weights h >= 0 it
 * applies the inverse of
 *
 *     M = I + H^1/2 L_J L_J' H^1/2 / lambda,   near to   I + H^1/2 K_JJ H^1/2 / lambda,   H = diag(h),
 *
 * where L [n x r] has the first columns of K's Cholesky factor with pivots (Fine and Scheinberg, Efficient SVM Training Using
 * Low-Rank Kernel Representations, 2001).  By Woodbury's identity
 *
 *     M^-1 v = v - S (lambda I + S'S)^-1 S'v,   S = H^1/2 L_J.
 *
 * L depends on K only, so that other rows or weights cost |J| r^2 instead of a factor of all of them.
 */
#ifndef LINALG_WOODBURY_H
#define LINALG_WOODBURY_H

#include "weaklab/event.h"
#include "weaklab/pool.h"

typedef struct wlab_woodbury wlab_woodbury;

/* L of K [n x n], which is row-major and not kept: r = sqrt(5 n) columns, fewer if K has a smaller rank.  Cost n r^2; memory
 * 2 n r.  WL_ENOMEM, WL_EINTERRUPTED.  The results have the same bits for any number of threads. */
wlab_code wlab_woodbury_create(wlab_woodbury **, const double *K, int64_t n, wlab_ctx *, wlab_err *);
void wlab_woodbury_destroy(wlab_woodbury *); /* NULL: no effect */
int64_t wlab_woodbury_columns(const wlab_woodbury *);
/* Sets the k rows `row` (J) with root (the square roots of h), both [k], and lambda > 0; keeps neither.  *definite: false if
 * lambda is lost in rounding beside S'S, or a number is not finite; then M^-1 cannot be applied.  Cost k r^2.
 * WL_EINTERRUPTED. */
wlab_code wlab_woodbury_set(wlab_woodbury *, const int32_t *row, const double *root, int64_t k, double lambda,
                            bool *definite, wlab_ctx *, wlab_err *);
/* out = M^-1 v, both [k]; where h is 0, out is v.  Cost 4 k r. */
void wlab_woodbury_solve(wlab_woodbury *, const double *v, double *out, wlab_pool *);

#endif

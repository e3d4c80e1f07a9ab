/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The box QP for callers that count its iterations with those of others, and its factorisation of free coordinates.
 */
#ifndef WEAKLAB_SVM_BOXQP_H
#define WEAKLAB_SVM_BOXQP_H

#include "base/progress.h"
#include "weaklab/svm.h"

/* Errors that every solver of an SVM on a kernel matrix has. */
extern const char wlab_svm_not_finite[], wlab_svm_not_psd[];

/* wlab_boxqp_solve; each sweep and each Newton step is one more for `told` (NULL: nobody counts). */
wlab_code wlab_boxqp_solve_told(const double *Q, int64_t n, const double *delta, const double *upper,
                                double tol, double *alpha, double *g, wlab_boxqp_result *,
                                wlab_progress *told, wlab_ctx *, wlab_err *);
/* A [m x m] = (Q + Diag(delta)) at the coordinates pick[0..m-1]. */
void wlab_boxqp_gather(const double *Q, int64_t n, const double *delta, const int32_t *pick, int64_t m,
                       double *A);
/* The lower Cholesky factor (column-major) of (Q + Diag(delta)) at the coordinates pick[0..m-1], into A [m x m], with the
 * smallest ridge of a ladder that works, 1e-13 of the mean diagonal at least.  WL_ENUMERIC: not psd.  Cost m^3 / 3. */
wlab_code wlab_boxqp_factor(const double *Q, int64_t n, const double *delta, const int32_t *pick, int64_t m,
                            double *A, wlab_err *err);

#endif

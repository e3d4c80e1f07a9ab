/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The SVM with hinge loss, one cost per row and a free offset (LIBSVM's C-SVC), on a kernel matrix, with a warm start:
 *
 *     min over f, b of 1/2 ||f||_K^2 + sum_i C_i max(0, 1 - y_i (f_i + b)),
 *
 * whose dual is  max y'beta - 1/2 beta'K beta,  0 <= y_i beta_i <= C_i,  1'beta = 0.  Each update changes two
 * variables, the second selected by the gain of the step (Fan, Chen and Lin, JMLR 6, 2005).  If that takes long, Newton
 * steps on the rows strictly inside their bounds follow.
 */
#ifndef SVM_SMO_FREE_H
#define SVM_SMO_FREE_H

#include "weaklab/event.h"

typedef struct wlab_smo_free_result {
    double primal, dual; /* in double from beta; primal at the best offset for beta */
    double b;
    int64_t updates; /* of two variables */
    bool stopped;    /* an interrupt ended the solve */
} wlab_smo_free_result;

/* K [n x n] symmetric psd; y +1 or -1; cost [n] >= 0.  beta [n]: warm start in (clipped into its box, and the class
 * with the larger sum of |beta| scaled down so that 1'beta = 0), solution out; f [n] out: K beta + b.  Stops at
 * primal - dual <= tol * primal, or when doubles allow no more progress, or after max(10^6, 100 n) updates; the result
 * holds the gap that was reached.  If all labels are equal, beta = 0 and b = y.  Cost: n^2 for the warm start, 2 n per
 * update, m^3 / 3 per Newton step on m rows, whose matrix it allocates; all Newton steps together cost no more than the
 * updates.  WL_ENUMERIC if a number is not finite or if the solver notices that K is not psd. */
wlab_code wlab_smo_free_solve(const double *K, int64_t n, const int8_t *y, const double *cost, double tol,
                              double *beta, double *f, wlab_smo_free_result *, wlab_ctx *, wlab_err *);
/* The same with a margin a_i and a linear term t_i of a row's own, [n] or NULL (a = 1, t = 0: wlab_smo_free_solve, with the
 * same bits):
 *
 *     min over f, b of 1/2 ||f||_K^2 + sum_i [ C_i max(0, a_i - y_i (f_i + b)) + t_i (f_i + b) ],
 *
 * whose dual is  max sum_i a_i y_i beta_i - 1/2 (beta - t)'K(beta - t),  0 <= y_i beta_i <= C_i, 1'(beta - t) = 0, with
 * f = K (beta - t) + b.  tol is relative to the primal value without the tilt's part.  WL_EARG if 1't is more than the costs
 * of the positives, or -1't than those of the negatives: then there is no minimum. */
wlab_code wlab_smo_free_tilted(const double *K, int64_t n, const int8_t *y, const double *cost,
                               const double *a, const double *t, double tol, double *beta, double *f,
                               wlab_smo_free_result *, wlab_ctx *, wlab_err *);
/* The offset b with the smallest sum_i C_i max(0, 1 - y_i (f_i + b)): the middle of the interval of all such b, or its
 * end point if the interval is unbounded.  Cost n log n; allocates. */
wlab_code wlab_offset_best(const double *f, int64_t n, const int8_t *y, const double *cost, double *b,
                           wlab_err *);

#endif

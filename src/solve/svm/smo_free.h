/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The SVM with hinge loss, a cost a row and a free offset (LIBSVM's C-SVC), on a kernel matrix, warm started:
 *
 *     min over f, b of 1/2 ||f||_K^2 + sum_i C_i max(0, 1 - y_i (f_i + b)),
 *
 * whose dual is  max y'beta - 1/2 beta'K beta,  0 <= y_i beta_i <= C_i,  1'beta = 0.  Two variables a step, the second
 * chosen by what the step gains (Fan, Chen and Lin, JMLR 6, 2005); Newton steps on the rows strictly inside their bounds
 * where that takes long.
 */
#ifndef SVM_SMO_FREE_H
#define SVM_SMO_FREE_H

#include "weaklab/event.h"

typedef struct wlab_smo_free_result {
    double primal, dual; /* in double from beta; primal at the offset that is best for it */
    double b;
    int64_t updates; /* of two variables */
    bool stopped;    /* an interrupt ended it */
} wlab_smo_free_result;

/* K [n x n] symmetric psd; y +1 or -1; cost [n] >= 0.  beta [n]: warm start in (clipped into its box, and the side that
 * outweighs the other scaled down), solution out; f [n] out: K beta + b.  Stops at primal - dual <= tol * primal, or where
 * doubles allow no more, or behind max(10^6, 100 n) updates: the result says how near.  Where all labels are the same beta = 0 and b = y.  Cost: n^2 for the
 * warm start, 2 n an update, m^3 / 3 a Newton step of m rows, whose matrix it allocates: together no more than the updates.
 * WL_ENUMERIC where a number is not finite or K is seen not to be psd. */
wlab_code wlab_smo_free_solve(const double *K, int64_t n, const int8_t *y, const double *cost, double tol,
                              double *beta, double *f, wlab_smo_free_result *, wlab_ctx *, wlab_err *);
/* The offset with the least sum_i C_i max(0, 1 - y_i (f_i + b)): the middle of all such, the nearest where they have no
 * end.  Cost n log n; allocates. */
wlab_code wlab_offset_best(const double *f, int64_t n, const int8_t *y, const double *cost, double *b,
                           wlab_err *);

#endif

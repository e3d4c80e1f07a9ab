/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * LIBLINEAR and LIBSVM behind one call each.  Both have process-wide state (rand, the print hook): one lock is held
 * around every call, and rand is seeded before it, so that a result depends on the arguments only.
 * Their iterations go to `told` (NULL: nobody counts), as far as they print dots.
 */
#ifndef WEAKLAB_SVM_BACKEND_H
#define WEAKLAB_SVM_BACKEND_H

#include "base/progress.h"
#include "weaklab/matrix.h"

/* min 1/2 ||(w, wb)||^2 + sum_i C_i loss(1 - y_i (w'x_i + wb bias)), hinge (-s 3) or squared hinge (-s 1, whose loss has no
 * 1/2).  rows pick[0..n-1] of X, y in {-1, +1}; Cpos and Cneg: LIBLINEAR has costs a class, not an example.
 * w [cols], *b = wb * bias (0 where bias = 0).  Cost: 16 bytes a nonzero of the picked rows. */
wlab_code wlab_liblinear_solve(const wlab_matrix *X, const int32_t *pick, const int8_t *y, int64_t n,
                               bool squared, double Cpos, double Cneg, double bias, double eps, unsigned seed,
                               double *w, double *b, wlab_progress *told, wlab_err *);
/* LIBSVM's C-SVC on a kernel matrix K [n x n] (hinge loss, unregularised offset): c_i = y_i alpha_i and the offset. */
wlab_code wlab_libsvm_solve(const double *K, const int8_t *y, int64_t n, double C, double eps, double *c,
                            double *b, wlab_progress *told, wlab_err *);

/* Whether the solve that this thread made last ended at LIBLINEAR's or LIBSVM's own limit of iterations, so that their
 * criterion does not hold. */
bool wlab_backend_gave_up(void);

#endif

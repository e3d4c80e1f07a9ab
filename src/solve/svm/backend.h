/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One function each for LIBLINEAR and LIBSVM.  Both libraries have process-wide state (rand, the print hook).  Every
 * call therefore holds one lock and seeds rand first, so that a result depends on the arguments only.
 * `progress` (or NULL) counts their iterations, as far as the libraries print dots.
 */
#ifndef WEAKLAB_SVM_BACKEND_H
#define WEAKLAB_SVM_BACKEND_H

#include "base/progress.h"
#include "weaklab/matrix.h"

/* min 1/2 ||(w, wb)||^2 + sum_i C_i loss(1 - y_i (w'x_i + wb bias)), hinge (-s 3) or squared hinge (-s 1, whose loss
 * has no 1/2).  Uses the rows pick[0..n-1] of X, y in {-1, +1}.  Cpos and Cneg: LIBLINEAR has one cost per class, not
 * per row.  w [cols], *b = wb * bias (0 if bias = 0).  Cost: 16 bytes per nonzero of the selected rows. */
wlab_code wlab_liblinear_solve(const wlab_matrix *X, const int32_t *pick, const int8_t *y, int64_t n,
                               bool squared, double Cpos, double Cneg, double bias, double eps, unsigned seed,
                               double *w, double *b, wlab_progress *progress, wlab_err *);
/* LIBSVM's C-SVC on a kernel matrix K [n x n] (hinge loss, unregularised offset); returns c_i = y_i alpha_i and the
 * offset. */
wlab_code wlab_libsvm_solve(const double *K, const int8_t *y, int64_t n, double C, double eps, double *c,
                            double *b, wlab_progress *progress, wlab_err *);

/* Whether this thread's last solve stopped at LIBLINEAR's or LIBSVM's own limit of iterations, so that the library's
 * stopping criterion does not hold. */
bool wlab_backend_gave_up(void);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cholesky factors of large dense matrices, on a pool's threads.
 */
#ifndef LINALG_CHOLESKY_H
#define LINALG_CHOLESKY_H

#include "weaklab/event.h"

/* A = L L', A [n x n] row-major: its lower triangle, diagonal included, is read and becomes L; the upper one is
 * unchanged.  *definite: false if a pivot is not positive; A is then partly overwritten.  WL_EINTERRUPTED between
 * tiles.  The result has the same bits for any number of threads.  Cost n^3 / 3. */
wlab_code wlab_cholesky(double *A, int64_t n, bool *definite, wlab_ctx *, wlab_err *);
/* b = (L L')^-1 b. */
void wlab_cholesky_solve(const double *L, int64_t n, double *b);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The largest eigenpairs of a dense symmetric matrix.
 */
#ifndef WEAKLAB_LINALG_LANCZOS_H
#define WEAKLAB_LINALG_LANCZOS_H

#include "weaklab/event.h"

enum {
    WL_LANCZOS_MOST = 480 /* vectors of the Krylov space */
};

/* Doubles of working memory for n rows and `count` eigenpairs. */
int64_t wlab_lanczos_room(int64_t n, int64_t count);

/* The `count` largest eigenvalues of the symmetric A [n x n] in descending order, and the rows of vector [count x n]: unit
 * vectors q with |A q - value q| <= 1e-9 value_0.  Block Lanczos with all vectors orthogonalised (Golub and Van Loan,
 * Matrix Computations, 10.3.6), from the axes with the largest diagonal entries.  *found false: some were not found with
 * WL_LANCZOS_MOST or n / 2 vectors, because eigenvalues are too close to one another, A's rank is too small, or no
 * eigenvalue is positive; then all of A must be decomposed (linalg/eigen.h).  WL_EINTERRUPTED.  The number of threads changes no bit.
 * Cost 2 n^2 for each vector; usually 100 to 300. */
wlab_code wlab_lanczos(const double *A, int64_t n, int64_t count, double *value, double *vector, double *room,
                       bool *found, wlab_ctx *, wlab_err *);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Eigenpairs of dense symmetric matrices on a pool's threads.  The number of threads changes no bit.  They look at the
 * interrupt, with up to 2000 rows at least every 0.1 s, and report columns and vectors.
 *
 * wlab_eigen_values computes the eigenvalues; then wlab_eigen_vectors writes the eigenvectors of the largest ones,
 * which costs less the fewer they are.  Up to 255 rows this is LAPACK's dsyevd.  Larger matrices are reduced to a
 * tridiagonal one; this is divided in two, whose eigenpairs are found by dsyevd's method at the same time, and the
 * last merge, most of the work, is done in tiles.
 */
#ifndef WEAKLAB_LINALG_EIGEN_H
#define WEAKLAB_LINALG_EIGEN_H

#include "weaklab/event.h"

/* Numbers of the precision, and integers, of working memory for n rows: 2 n^2 and lower terms. */
static inline int64_t wlab_eigen_room(int64_t n)
{
    return 1 + 8 * n + 2 * n * n;
}

static inline int64_t wlab_eigen_integers(int64_t n)
{
    return 6 + 5 * n;
}

/* Eigenvalues of the symmetric, finite A [n x n], which is overwritten, in ascending order.  vectors: wlab_eigen_vectors
 * follows, and A and room remain as they are until then.  WL_ENUMERIC: LAPACK did not find them; WL_EINTERRUPTED.  Then A is
 * lost.  Cost 4/3 n^3, with vectors up to 4/3 n^3 more. */
wlab_code wlab_eigen_values(double *A, int64_t n, bool vectors, double *value, double *room, int *integers,
                            wlab_ctx *, wlab_err *);
/* Writes eigenvectors into the rows from .. n-1 of A: row k is that of value k.  Cost 2 n^2 (n - from).  WL_EINTERRUPTED:
 * A and room are lost. */
wlab_code wlab_eigen_vectors(double *A, int64_t n, int64_t from, double *room, wlab_ctx *, wlab_err *);

/* All eigenvalues, and the unit vector of the largest in the last row of A, in memory of its own: wlab_eigen_room(n) doubles.
 * WL_ENOMEM, or as above; then A is lost.  Cost 8/3 n^3 at most. */
wlab_code wlab_eigen_top(double *A, int64_t n, double *value, wlab_ctx *, wlab_err *);

/* The first two in single precision, in about half of the time: errors of some 1e-7 times the largest eigenvalue. */
wlab_code wlab_eigen_values_single(float *A, int64_t n, bool vectors, float *value, float *room,
                                   int *integers, wlab_ctx *, wlab_err *);
wlab_code wlab_eigen_vectors_single(float *A, int64_t n, int64_t from, float *room, wlab_ctx *, wlab_err *);

#endif

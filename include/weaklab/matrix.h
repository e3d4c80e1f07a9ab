/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Data matrices: n rows (examples or instances) by d columns, sparse (CSR: 32-bit columns, values in
 * single precision) or dense (double).  All sums are in double, in a fixed order: results are the same
 * bits for any number of threads.  A row view shares its parent's values: 12 bytes a row.
 */
#ifndef WEAKLAB_MATRIX_H
#define WEAKLAB_MATRIX_H

#include "weaklab/event.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wlab_matrix {
    int64_t rows;
    int32_t cols;
    bool sparse;
    bool view;      /* val, col and dense belong to the parent, start and len are ours */
    int64_t *start; /* [rows] where row i begins in val/col (sparse) or in dense */
    int32_t *len;   /* [rows] nonzeros of row i (sparse); cols (dense) */
    float *val;     /* sparse: [sum of len]; columns ascending within a row, no duplicates */
    int32_t *col;   /* sparse: columns from 0 */
    double *dense;  /* dense: row-major, rows * cols where not a view */
    int64_t nnz;    /* entries that are not 0 */
} wlab_matrix;

/* Room for `nnz` entries (sparse; the caller fills start and len, and nnz where it is less) or rows * cols
 * zeros (dense; start and len are filled, the caller fills nnz or calls wlab_matrix_settle). */
wlab_code wlab_matrix_create_sparse(wlab_matrix **, int64_t rows, int32_t cols, int64_t nnz, wlab_err *);
wlab_code wlab_matrix_create_dense(wlab_matrix **, int64_t rows, int32_t cols, wlab_err *);
void wlab_matrix_destroy(wlab_matrix *);
/* Rows pick[0..n-1] of X (any order, repeats allowed) as a view that borrows X. */
wlab_code wlab_matrix_rows(wlab_matrix **, const wlab_matrix *X, const int32_t *pick, int64_t n, wlab_err *);
/* A sparse X with at least half of its entries stored becomes dense, a dense one with fewer sparse:
 * one rule for every reader, so that the same data in two formats give the same matrix.  Zeros stored in
 * sparse data go.  Replaces *X; WL_EINTERRUPTED, and WL_ENUMERIC where a number does not fit single precision. */
wlab_code wlab_matrix_settle(wlab_matrix **X, const wlab_ctx *, wlab_err *);

double wlab_matrix_at(const wlab_matrix *, int64_t row, int32_t col);                        /* O(log len) */
double wlab_matrix_row_dot(const wlab_matrix *, int64_t row, const double *w);               /* x_i'w */
void wlab_matrix_row_axpy(const wlab_matrix *, int64_t row, double a, double *w);            /* w += a x_i */
double wlab_matrix_row_sqnorm(const wlab_matrix *, int64_t row);                             /* ||x_i||^2 */
double wlab_matrix_rows_dot(const wlab_matrix *, int64_t i, const wlab_matrix *, int64_t j); /* x_i'z_j */
/* o = X w, [rows].  Cost nnz. */
void wlab_matrix_mul(const wlab_matrix *, const double *w, double *o, wlab_pool *);
/* g = X'z, [cols].  Cost nnz; blocks are fixed, their partial sums are added in order. */
wlab_code wlab_matrix_mul_t(const wlab_matrix *, const double *z, double *g, wlab_pool *, wlab_err *);
/* G = X Z' (rows of X by rows of Z, row-major, leading dimension ldg).  dgemm where both are dense. */
wlab_code wlab_matrix_gram(const wlab_matrix *X, const wlab_matrix *Z, double *G, int64_t ldg, wlab_pool *,
                           wlab_err *);
/* Before calls into BLAS or LAPACK: OpenBLAS runs one thread from now on, and has its work space, 128 MB of address space a
 * thread, for `threads` threads of ours that are in it at once (0: vectors only, which need none).  What is there stays,
 * and is no memory until it is written.  Where there is no room OpenBLAS would ask for ever: WL_ENOMEM.  The library asks
 * for the threads of the pool that it is given; who calls it from several threads at once, or gives an algorithm a
 * larger pool later, asks for all of them first. */
wlab_code wlab_blas_init(int threads, wlab_err *);
/* For one thread more, which works beside those of a pool: it draws, say, while they compute. */
wlab_code wlab_blas_beside(wlab_err *);
bool wlab_blas_used(void); /* is there work space for any thread? */

#ifdef __cplusplus
}
#endif

#endif

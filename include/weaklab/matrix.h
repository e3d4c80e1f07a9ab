/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Data matrices: n rows (examples or instances) by d columns, sparse (CSR: 32-bit columns, values in
 * single precision) or dense (double).  All sums are in double and in a fixed order, so results are the same bits for any
 * number of threads.  A row view shares its parent's values and costs 12 bytes per row.
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
    bool view;      /* val, col and dense belong to the parent; start and len belong to the view */
    int64_t *start; /* [rows] the index in val and col (sparse) or in dense at which row i begins */
    int32_t *len;   /* [rows] nonzeros of row i (sparse); cols (dense) */
    float *val;     /* sparse: [sum of len]; columns ascending within a row, no duplicates */
    int32_t *col;   /* sparse: columns from 0 */
    double *dense;  /* dense: row-major, rows * cols unless a view */
    int64_t nnz;    /* entries that are not 0 */
    /* NULL: the matrix has all rows.  Else other ranks have the other rows of it, and this says which; a view of all rows
     * has its parent's */
    struct wlab_rows *parts;
    /* The values are on several ranks: only rows, cols, sparse and nnz are set. */
    bool away;
} wlab_matrix;

/* Allocate a matrix.  Sparse: for `nnz` entries; the caller fills start and len, and corrects nnz if it is less.  Dense:
 * rows * cols zeros, start and len filled; the caller fills nnz or calls wlab_matrix_settle. */
wlab_code wlab_matrix_create_sparse(wlab_matrix **, int64_t rows, int32_t cols, int64_t nnz, wlab_err *);
wlab_code wlab_matrix_create_dense(wlab_matrix **, int64_t rows, int32_t cols, wlab_err *);
/* A dense matrix of values [rows x cols], row-major, of which it becomes the owner if it is made; the caller fills nnz. */
wlab_code wlab_matrix_adopt(wlab_matrix **, int64_t rows, int32_t cols, double *values, wlab_err *);
/* A matrix whose values are on several ranks (away). */
wlab_code wlab_matrix_away(wlab_matrix **, int64_t rows, int32_t cols, bool sparse, int64_t nnz, wlab_err *);
void wlab_matrix_destroy(wlab_matrix *);
void wlab_matrix_count_nnz(wlab_matrix *); /* sets nnz; zeros that a sparse matrix stores do not count */
/* A view of rows pick[0..n-1] of X, in any order and with repeats; X must outlive it. */
wlab_code wlab_matrix_rows(wlab_matrix **, const wlab_matrix *X, const int32_t *pick, int64_t n, wlab_err *);
/* Decides between sparse and dense: *X becomes dense if at least half of its entries are nonzero, else sparse without
 * stored zeros.  Every reader uses this rule, so that the same data in two formats give the same matrix.  Replaces *X.
 * WL_EINTERRUPTED; WL_ENUMERIC if a number does not fit single precision. */
wlab_code wlab_matrix_settle(wlab_matrix **X, const wlab_ctx *, wlab_err *);

double wlab_matrix_at(const wlab_matrix *, int64_t row, int32_t col);                        /* O(log len) */
double wlab_matrix_row_dot(const wlab_matrix *, int64_t row, const double *w);               /* x_i'w */
void wlab_matrix_row_axpy(const wlab_matrix *, int64_t row, double a, double *w);            /* w += a x_i */
double wlab_matrix_row_sqnorm(const wlab_matrix *, int64_t row);                             /* ||x_i||^2 */
double wlab_matrix_rows_dot(const wlab_matrix *, int64_t i, const wlab_matrix *, int64_t j); /* x_i'z_j */
/* ||x_i - z_j||^2 as a sum of squared differences, without cancellation; columns that only one has are 0 in the other.  The
 * same bits for z_j and x_i. */
double wlab_matrix_rows_distance(const wlab_matrix *, int64_t i, const wlab_matrix *, int64_t j);
/* o = X w, [rows].  Cost nnz. */
void wlab_matrix_mul(const wlab_matrix *, const double *w, double *o, wlab_pool *);
/* g = X'z, [cols].  Cost nnz.  The blocks do not depend on the threads, and their partial sums are added in order. */
wlab_code wlab_matrix_mul_t(const wlab_matrix *, const double *z, double *g, wlab_pool *, wlab_err *);
/* G = X Z' (rows of X by rows of Z, row-major, leading dimension ldg).  Uses dgemm if both are dense. */
wlab_code wlab_matrix_gram(const wlab_matrix *X, const wlab_matrix *Z, double *G, int64_t ldg, wlab_pool *,
                           wlab_err *);
/* Must be called before BLAS or LAPACK.  From then on OpenBLAS runs one thread per call and has work space for `threads`
 * of our threads that call it at once (0: vector operations only, which need none).  Work space takes 128 MB of address
 * space per thread, but no memory until it is written, and is kept.  WL_ENOMEM if the address space does not suffice;
 * OpenBLAS itself would retry for ever.  The library calls this for the threads of the pool that it is given.  A program
 * that calls the library from several threads at once, or gives an algorithm a larger pool later, first calls it for all
 * of them. */
wlab_code wlab_blas_init(int threads, wlab_err *);
/* The same for one more thread that works beside those of a pool (one that draws while they compute, say). */
wlab_code wlab_blas_beside(wlab_err *);
bool wlab_blas_used(void); /* whether there is work space for any thread */

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Dense products on a pool's threads, which an interrupt stops between two tiles.
 */
#ifndef WEAKLAB_LINALG_PRODUCT_H
#define WEAKLAB_LINALG_PRODUCT_H

#include "weaklab/event.h"

typedef enum wlab_half {
    WL_HALF_NONE,    /* all of C */
    WL_HALF_LOWER,   /* only the tiles on and below the diagonal */
    WL_HALF_MIRRORED /* these tiles, copied to the upper triangle: C is symmetric, and beta 0 */
} wlab_half;

/* C = alpha op(A) op(B) + beta C, row-major: C [m x n], inner size k.  Each tile of C is one call of dgemm, or of sgemm if
 * a, b and c in single precision take the place of A, B and C.  The number of threads changes no bit.  The size of the
 * tiles may, as OpenBLAS sums an entry in an order that depends on its position; so each caller always uses the same
 * size. */
typedef struct wlab_product {
    bool ta, tb; /* op: transposed */
    int64_t m, n, k;
    double alpha, beta;
    const double *A, *B;
    double *C;
    const float *a, *b;
    float *c;
    int64_t lda, ldb, ldc;
    int64_t rows, columns; /* of a tile */
    wlab_half half;        /* not NONE: m = n and square tiles */
} wlab_product;

/* Looks at the interrupt before each tile and reports the tiles.  false: interrupted, and some tiles of C are as they were.
 * Instead of the result a caller may look again later, as a flag that is up remains up (weaklab/event.h). */
bool wlab_product_run(const wlab_product *, wlab_ctx *);
/* The same in tiles of a size that suits most: C = alpha op(A) op(B) + beta C. */
bool wlab_gemm(wlab_ctx *, bool ta, bool tb, int64_t m, int64_t n, int64_t k, double alpha, const double *A,
               int64_t lda, const double *B, int64_t ldb, double beta, double *C, int64_t ldc);
bool wlab_gemm_single(wlab_ctx *, bool ta, bool tb, int64_t m, int64_t n, int64_t k, double alpha,
                      const float *A, int64_t lda, const float *B, int64_t ldb, double beta, float *C,
                      int64_t ldc);

#endif

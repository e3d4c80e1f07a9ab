/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Dense products in tiles over the pool.
 */
#include "linalg/product.h"
#include "base/progress.h"

#include <cblas.h>

enum {
    TILE = 192 /* of wlab_gemm */
};

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t tile_count(int64_t n, int64_t side)
{
    return (n + side - 1) / side;
}

/* alpha op(A) op(B) + beta C -> the tile of m x n entries of C from (i, j) on; k > 0. */
static void multiply(const wlab_product *p, int64_t i, int64_t j, int m, int n)
{
    const CBLAS_TRANSPOSE ta = p->ta ? CblasTrans : CblasNoTrans, tb = p->tb ? CblasTrans : CblasNoTrans;
    const int64_t a = p->ta ? i : i * p->lda, b = p->tb ? j * p->ldb : j, c = i * p->ldc + j;
    const int k = (int)p->k, lda = (int)p->lda, ldb = (int)p->ldb, ldc = (int)p->ldc;
    if (p->c)
        cblas_sgemm(CblasRowMajor, ta, tb, m, n, k, (float)p->alpha, p->a + a, lda, p->b + b, ldb,
                    (float)p->beta, p->c + c, ldc);
    else
        cblas_dgemm(CblasRowMajor, ta, tb, m, n, k, p->alpha, p->A + a, lda, p->B + b, ldb, p->beta, p->C + c,
                    ldc);
}

/* For k = 0 BLAS refuses the strides. */
static void scale(const wlab_product *p, int64_t i, int64_t j, int64_t m, int64_t n)
{
    for (int64_t a = i; a < i + m; a++)
        for (int64_t b = j; b < j + n; b++)
            if (p->c)
                p->c[a * p->ldc + b] = p->beta == 0 ? 0 : (float)p->beta * p->c[a * p->ldc + b];
            else
                p->C[a * p->ldc + b] = p->beta == 0 ? 0 : p->beta * p->C[a * p->ldc + b];
}

/* Copies the tile below the diagonal, or its lower triangle on it, to the other side. */
static void mirror(const wlab_product *p, int64_t i, int64_t j, int64_t m, int64_t n)
{
    for (int64_t a = 0; a < m; a++)
        for (int64_t b = 0; b < (i == j ? a : n); b++)
            if (p->c)
                p->c[(j + b) * p->ldc + i + a] = p->c[(i + a) * p->ldc + j + b];
            else
                p->C[(j + b) * p->ldc + i + a] = p->C[(i + a) * p->ldc + j + b];
}

static void multiply_tile(void *data, int t)
{
    const wlab_product *p = data;
    int64_t i = t, j;
    if (p->half == WL_HALF_NONE) {
        j = i % tile_count(p->n, p->columns);
        i /= tile_count(p->n, p->columns);
    } else {
        for (i = 0, j = t; j > i;)
            j -= ++i;
    }
    i *= p->rows, j *= p->columns;
    const int64_t m = smaller(p->rows, p->m - i), n = smaller(p->columns, p->n - j);
    if (p->k > 0)
        multiply(p, i, j, (int)m, (int)n);
    else
        scale(p, i, j, m, n);
    if (p->half == WL_HALF_MIRRORED)
        mirror(p, i, j, m, n);
}

bool wlab_product_run(const wlab_product *product, wlab_ctx *ctx)
{
    wlab_product p = *product;
    if (p.m == 0 || p.n == 0)
        return true;
    const int64_t down = tile_count(p.m, p.rows),
                  tiles = p.half ? down * (down + 1) / 2 : down * tile_count(p.n, p.columns);
    return wlab_pool_run_progress(ctx, (int)tiles, multiply_tile, &p, "tiles of a product", tiles);
}

bool wlab_gemm(wlab_ctx *ctx, bool ta, bool tb, int64_t m, int64_t n, int64_t k, double alpha,
               const double *A, int64_t lda, const double *B, int64_t ldb, double beta, double *C,
               int64_t ldc)
{
    const wlab_product p = {ta,   tb,   m,    n,   k,   alpha, beta, A,    B,           C,
                            NULL, NULL, NULL, lda, ldb, ldc,   TILE, TILE, WL_HALF_NONE};
    return wlab_product_run(&p, ctx);
}

bool wlab_gemm_single(wlab_ctx *ctx, bool ta, bool tb, int64_t m, int64_t n, int64_t k, double alpha,
                      const float *A, int64_t lda, const float *B, int64_t ldb, double beta, float *C,
                      int64_t ldc)
{
    const wlab_product p = {ta, tb, m, n,   k,   alpha, beta, NULL, NULL,        NULL,
                            A,  B,  C, lda, ldb, ldc,   TILE, TILE, WL_HALF_NONE};
    return wlab_product_run(&p, ctx);
}

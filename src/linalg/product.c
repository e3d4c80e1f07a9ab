/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Dense products in tiles over the pool.
 */
#include "linalg/product.h"

#include <cblas.h>

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t tile_count(int64_t n, int64_t side)
{
    return (n + side - 1) / side;
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
    double *C = p->C + i * p->ldc + j;
    for (int64_t a = 0; p->k == 0 && a < m; a++) /* for k = 0 dgemm refuses the strides */
        for (int64_t b = 0; b < n; b++)
            C[a * p->ldc + b] = p->beta == 0 ? 0 : p->beta * C[a * p->ldc + b];
    if (p->k > 0)
        cblas_dgemm(CblasRowMajor, p->ta ? CblasTrans : CblasNoTrans, p->tb ? CblasTrans : CblasNoTrans,
                    (int)m, (int)n, (int)p->k, p->alpha, p->A + (p->ta ? i : i * p->lda), (int)p->lda,
                    p->B + (p->tb ? j * p->ldb : j), (int)p->ldb, p->beta, C, (int)p->ldc);
    for (int64_t a = 0; p->half == WL_HALF_MIRRORED && a < m; a++)
        for (int64_t b = 0; b < (i == j ? a : n); b++)
            p->C[(j + b) * p->ldc + i + a] = p->C[(i + a) * p->ldc + j + b];
}

void wlab_product_run(const wlab_product *product, wlab_pool *pool)
{
    wlab_product p = *product;
    if (p.m == 0 || p.n == 0)
        return;
    const int64_t down = tile_count(p.m, p.rows);
    wlab_pool_run(pool, (int)(p.half ? down * (down + 1) / 2 : down * tile_count(p.n, p.columns)),
                  multiply_tile, &p);
}

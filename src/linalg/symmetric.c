/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Products with a dense symmetric matrix.  If most entries of the vector are 0, each block computes a range of columns as a
 * sum of rows.  Otherwise only the lower triangle is read, as reading the matrix is what takes the time: a block has some
 * rows of it, uses each of their tiles twice, and adds to a vector of its own.
 */
#include "linalg/symmetric.h"

#include <cblas.h>
#include <string.h>

enum {
    ROWS = 64,      /* of a tile beside the diagonal, */
    COLUMNS = 1024, /* 512 KB: it is read twice, the second time from a cache */
    LEAST = 1024    /* rows for which more than one block pays: waking a thread costs more than little work */
};

typedef struct product {
    const double *K, *c;
    double *out; /* [n]; of a triangle [blocks x n] */
    int64_t n;
    int blocks;
} product;

static void sum_columns(void *data, int block)
{
    const product *p = data;
    int64_t from = wlab_block_begin(p->n, p->blocks, block),
            wide = wlab_block_begin(p->n, p->blocks, block + 1) - from;
    memset(p->out + from, 0, (size_t)wide * sizeof *p->out);
    for (int64_t i = 0; i < p->n; i++)
        if (p->c[i] != 0)
            cblas_daxpy((int)wide, p->c[i], p->K + i * p->n + from, 1, p->out + from, 1);
}

static void multiply_triangle(void *data, int block)
{
    const product *p = data;
    const int64_t from = wlab_triangle_begin(p->n, p->blocks, block),
                  end = wlab_triangle_begin(p->n, p->blocks, block + 1);
    double *out = p->out + block * p->n;
    memset(out, 0, (size_t)p->n * sizeof *out);
    for (int64_t i = from, rows; i < end; i += rows) {
        rows = end - i < ROWS ? end - i : ROWS;
        for (int64_t j = 0, columns; j < from; j += columns) {
            const double *K = p->K + i * p->n + j;
            columns = from - j < COLUMNS ? from - j : COLUMNS;
            cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)rows, (int)columns, 1, K, (int)p->n, p->c + j, 1, 1,
                        out + i, 1);
            cblas_dgemv(CblasRowMajor, CblasTrans, (int)rows, (int)columns, 1, K, (int)p->n, p->c + i, 1, 1,
                        out + j, 1);
        }
    }
    cblas_dsymv(CblasRowMajor, CblasLower, (int)(end - from), 1, p->K + from * p->n + from, (int)p->n,
                p->c + from, 1, 1, out + from, 1);
}

static int blocks_of(int64_t n)
{
    return n < LEAST ? 1 : n < 8 * LEAST ? (int)(2 * n / LEAST) : 16;
}

int64_t wlab_symmetric_sums(int64_t n)
{
    return blocks_of(n) * n;
}

void wlab_symmetric_mul(const double *K, int64_t n, const double *c, double *out, double *sums,
                        wlab_pool *pool)
{
    product p = {K, c, out, n, blocks_of(n)};
    int64_t used = 0;
    for (int64_t i = 0; i < n; i++)
        used += c[i] != 0;
    if (!sums || 2 * used <= n) {
        wlab_pool_run(pool, p.blocks, sum_columns, &p);
        return;
    }
    p.out = sums;
    wlab_pool_run(pool, p.blocks, multiply_triangle, &p);
    memcpy(out, sums, (size_t)n * sizeof *out);
    for (int b = 1; b < p.blocks; b++)
        cblas_daxpy((int)wlab_triangle_begin(n, p.blocks, b + 1), 1, sums + b * n, 1, out, 1);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Products with a dense symmetric matrix: each block computes a range of columns as a sum of rows.
 */
#include "linalg/symmetric.h"

#include <cblas.h>
#include <string.h>

typedef struct product {
    const double *K, *c;
    double *out;
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

void wlab_symmetric_mul(const double *K, int64_t n, const double *c, double *out, wlab_pool *pool)
{
    /* a block is at least 4 KB of `out`: for less, waking a thread costs more than its work */
    product p = {K, c, out, n, n < 1024 ? 1 : n < 8192 ? (int)(n / 512) : 16};
    wlab_pool_run(pool, p.blocks, sum_columns, &p);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Products with a symmetric matrix in double precision.  If most entries of the vector are 0, each block computes a range of
 * columns as a sum of rows.
 */
#define REAL       double
#define BLAS(name) cblas_d##name
#define LEADING    wlab_symmetric_leading
#include "linalg/symmetric_parts.h"

int64_t wlab_symmetric_sums(int64_t n)
{
    return blocks_of(n) * n;
}

static void sum_columns(void *data, int block)
{
    const product *p = data;
    const int64_t from = wlab_block_begin(p->n, p->blocks, block),
                  wide = wlab_block_begin(p->n, p->blocks, block + 1) - from;

    memset(p->out + from, 0, (size_t)wide * sizeof *p->out);
    for (int64_t i = 0; i < p->n; i++)
        if (p->c[i] != 0)
            cblas_daxpy((int)wide, p->c[i], p->K + i * p->ld + from, 1, p->out + from, 1);
}

void wlab_symmetric_mul(const double *K, int64_t n, const double *c, double *out, double *sums,
                        wlab_pool *pool)
{
    product p = {K, c, out, n, n, blocks_of(n)};
    int64_t used = 0;

    for (int64_t i = 0; i < n; i++)
        used += c[i] != 0;
    if (!sums || 2 * used <= n)
        wlab_pool_run(pool, p.blocks, sum_columns, &p);
    else
        wlab_symmetric_leading(K, n, n, c, out, sums, pool);
}

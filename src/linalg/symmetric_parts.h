/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Products with a dense symmetric matrix by its lower triangle, as reading the matrix is what takes the time: a block has some
 * rows of it, uses each entry beside the diagonal twice, and adds to a vector of its own.  Included with REAL, BLAS(name) and
 * LEADING by one file for each precision.
 */
#include "base/wide.h"
#include "linalg/symmetric.h"

#include <cblas.h>
#include <string.h>

enum {
    WIDE = 32 / (int)sizeof(REAL),
    ROWS = 4,    /* at a time: more would not fit in the registers */
    LEAST = 1024 /* rows for which more than one block pays: waking a thread costs more than little work */
};
typedef REAL several __attribute__((vector_size(32), aligned(sizeof(REAL))));

typedef struct product {
    const REAL *K, *c;
    REAL *out; /* [n]; of a triangle [blocks x n] */
    int64_t n, ld;
    int blocks;
} product;

/* The blocks that share a product: an even number, as many machines have two processors. */
static int blocks_of(int64_t n)
{
    return n < LEAST ? 1 : n < 8 * LEAST ? 2 * (int)((n + LEAST / 2) / LEAST) : 16;
}

/* Adds to `own` what K [ROWS x columns] (ld apart) has for its rows, and to `across` what it has for its columns; `of` and
 * c: the factors of the rows and of the columns.  BLAS would read K twice, once for each. */
WLAB_WIDE_INLINE void add_rows(const REAL *K, int64_t ld, int64_t columns, const REAL *of, const REAL *c,
                               REAL *own, REAL *across)
{
    const REAL *K1 = K + ld, *K2 = K1 + ld, *K3 = K2 + ld;
    const several zero = {0}, of0 = zero + of[0], of1 = zero + of[1], of2 = zero + of[2], of3 = zero + of[3];
    several sum0 = zero, sum1 = zero, sum2 = zero, sum3 = zero;
    int64_t j = 0;

    for (; j + WIDE <= columns; j += WIDE) {
        const several k0 = *(const several *)(K + j), k1 = *(const several *)(K1 + j),
                      k2 = *(const several *)(K2 + j), k3 = *(const several *)(K3 + j),
                      cj = *(const several *)(c + j);
        sum0 += k0 * cj;
        sum1 += k1 * cj;
        sum2 += k2 * cj;
        sum3 += k3 * cj;
        *(several *)(across + j) += (k0 * of0 + k1 * of1) + (k2 * of2 + k3 * of3);
    }
    for (int k = 0; k < WIDE; k++) {
        own[0] += sum0[k];
        own[1] += sum1[k];
        own[2] += sum2[k];
        own[3] += sum3[k];
    }
    for (; j < columns; j++)
        for (int k = 0; k < ROWS; k++) {
            own[k] += K[k * ld + j] * c[j];
            across[j] += K[k * ld + j] * of[k];
        }
}

WLAB_WIDE_INLINE void multiply_triangle_body(void *data, int block)
{
    const product *p = data;
    const int64_t n = p->n, ld = p->ld, from = wlab_triangle_begin(n, p->blocks, block),
                  end = wlab_triangle_begin(n, p->blocks, block + 1);
    REAL *out = p->out + block * n;
    int64_t i = from;
    memset(out, 0, (size_t)n * sizeof *out);
    for (; i + ROWS <= end; i += ROWS)
        add_rows(p->K + i * ld, ld, from, p->c + i, p->c, out + i, out);
    for (; i < end; i++) {
        out[i] += BLAS(dot)((int)from, p->K + i * ld, 1, p->c, 1);
        BLAS(axpy)((int)from, p->c[i], p->K + i * ld, 1, out, 1);
    }
    if (end > from) /* BLAS refuses an empty matrix without a stride */
        BLAS(symv)
    (CblasRowMajor, CblasLower, (int)(end - from), 1, p->K + from * ld + from, (int)ld, p->c + from, 1, 1,
     out + from, 1);
}
WLAB_WIDE_WORK(multiply_triangle)

void LEADING(const REAL *K, int64_t ld, int64_t n, const REAL *c, REAL *out, REAL *sums, wlab_pool *pool)
{
    product p = {K, c, sums, n, ld, blocks_of(n)};
    wlab_pool_run(pool, p.blocks, multiply_triangle, &p);
    memcpy(out, sums, (size_t)n * sizeof *out);
    for (int b = 1; b < p.blocks; b++)
        BLAS(axpy)((int)wlab_triangle_begin(n, p.blocks, b + 1), 1, sums + b * n, 1, out, 1);
}

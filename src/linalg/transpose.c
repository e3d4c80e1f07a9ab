/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Transposition by tiles, on a pool's threads: a block writes some columns.
 */
#include "linalg/transpose.h"
#include "base/progress.h"

enum {
    BLOCKS = 64, /* of a large matrix */
    SMALL = 512, /* rows or columns: one block */
    TILE = 64
};

typedef struct job {
    const double *from;
    double *to;
    int64_t m, n;
    int blocks;
    bool triangle; /* from and to are the same matrix, and only entries below the diagonal are copied */
} job;

static int64_t first_row(const job *t, int block)
{
    return t->triangle ? wlab_triangle_begin(t->m, t->blocks, block)
                       : wlab_block_begin(t->m, t->blocks, block);
}

static void copy_block(void *data, int block)
{
    const job *t = data;
    const int64_t begin = first_row(t, block), end = first_row(t, block + 1),
                  columns = t->triangle ? end : t->n;
    for (int64_t tile = 0; tile < columns; tile += TILE)
        for (int64_t j = tile; j < tile + TILE && j < columns; j++)
            for (int64_t i = t->triangle && begin <= j ? j + 1 : begin; i < end; i++)
                t->to[j * t->m + i] = t->from[i * t->n + j];
}

static bool copy_all(job *t, wlab_ctx *ctx)
{
    t->blocks = t->m <= SMALL && t->n <= SMALL ? 1 : BLOCKS;
    if (t->blocks > 1)
        return wlab_pool_run_progress(ctx, BLOCKS, copy_block, t, "rows", t->m);
    copy_block(t, 0);
    return true;
}

bool wlab_transpose(const double *A, int64_t m, int64_t n, double *out, wlab_ctx *ctx)
{
    return copy_all(&(job){.from = A, .to = out, .m = m, .n = n}, ctx);
}

bool wlab_mirror_lower(double *A, int64_t n, wlab_ctx *ctx)
{
    return copy_all(&(job){.from = A, .to = A, .m = n, .n = n, .triangle = true}, ctx);
}

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
} job;

/* to[j, i] = from[i, j] for the rows i of `from` and its columns j. */
static void copy_tiles(const job *t, int64_t i_begin, int64_t i_end, int64_t j_begin, int64_t j_end)
{
    for (int64_t at = i_begin; at < i_end; at += TILE)
        for (int64_t tile = j_begin; tile < j_end; tile += TILE)
            for (int64_t j = tile; j < tile + TILE && j < j_end; j++)
                for (int64_t i = at; i < at + TILE && i < i_end; i++)
                    t->to[j * t->m + i] = t->from[i * t->n + j];
}

static void copy_rows(void *data, int block)
{
    const job *t = data;
    copy_tiles(t, wlab_block_begin(t->m, t->blocks, block), wlab_block_begin(t->m, t->blocks, block + 1), 0,
               t->n);
}

/* Some rows of `to`, so that its memory is first touched in parts. */
static void copy_columns(void *data, int block)
{
    const job *t = data;
    copy_tiles(t, 0, t->m, wlab_block_begin(t->n, t->blocks, block),
               wlab_block_begin(t->n, t->blocks, block + 1));
}

/* Entries below the diagonal of one matrix. */
static void copy_triangle(void *data, int block)
{
    const job *t = data;
    const int64_t begin = wlab_triangle_begin(t->m, t->blocks, block),
                  end = wlab_triangle_begin(t->m, t->blocks, block + 1);
    for (int64_t tile = 0; tile < end; tile += TILE)
        for (int64_t j = tile; j < tile + TILE && j < end; j++)
            for (int64_t i = begin <= j ? j + 1 : begin; i < end; i++)
                t->to[j * t->m + i] = t->from[i * t->n + j];
}

static bool copy_all(job *t, void (*copy)(void *data, int block), wlab_ctx *ctx)
{
    t->blocks = t->m <= SMALL && t->n <= SMALL ? 1 : BLOCKS;
    if (t->blocks > 1)
        return wlab_pool_run_progress(ctx, BLOCKS, copy, t, "rows", t->m);
    copy(t, 0);
    return true;
}

bool wlab_transpose(const double *A, int64_t m, int64_t n, double *out, wlab_ctx *ctx)
{
    return copy_all(&(job){.from = A, .to = out, .m = m, .n = n}, n > SMALL ? copy_columns : copy_rows, ctx);
}

bool wlab_mirror_lower(double *A, int64_t n, wlab_ctx *ctx)
{
    return copy_all(&(job){.from = A, .to = A, .m = n, .n = n}, copy_triangle, ctx);
}

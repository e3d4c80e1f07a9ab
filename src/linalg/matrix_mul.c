/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Products of a data matrix: X w, X'z and the Gram matrix X Z'.  The work is divided into blocks that depend on the
 * matrix alone, so the bits of the results do not depend on the number of threads.
 */
#include "base/progress.h"
#include "linalg/gram.h"
#include "linalg/row.h"

#include <cblas.h>
#include <stdatomic.h>
#include <string.h>

/* ---- X w ---- */

#define MUL_ENTRIES 32768 /* entries per block: enough to outweigh the cost of scheduling it */
#define MUL_BLOCKS  256

typedef struct mul_job {
    const wlab_matrix *X;
    const double *in;
    double *out; /* X w: [rows]; X'z: [blocks * cols], one partial sum per block */
    int blocks;
} mul_job;

static int64_t stored_entries(const wlab_matrix *X)
{
    return X->sparse ? X->nnz : X->rows * X->cols;
}

static void mul_block(void *data, int b)
{
    const mul_job *job = data;
    const wlab_matrix *X = job->X;
    const int64_t end = wlab_block_begin(X->rows, job->blocks, b + 1);
    int64_t i = wlab_block_begin(X->rows, job->blocks, b);

    if (!X->sparse && X->cols >= WLAB_LONG_ROW)
        for (; i + 1 < end; i++)
            job->out[i] =
                wlab_dense_dot_fetching(X->dense + X->start[i], job->in, X->cols, X->dense + X->start[i + 1]);
    for (; i < end; i++)
        job->out[i] = wlab_matrix_row_dot(X, i, job->in);
}

void wlab_matrix_mul(const wlab_matrix *X, const double *w, double *o, wlab_pool *pool)
{
    int64_t blocks = stored_entries(X) / MUL_ENTRIES + 1;
    mul_job job = {X, w, o, 1};

    job.blocks = (int)(blocks < MUL_BLOCKS ? blocks : MUL_BLOCKS);
    wlab_pool_run(pool, job.blocks, mul_block, &job);
}

/* ---- X'z ---- */

#define MUL_T_BLOCKS 16

static void mul_t_block(void *data, int b)
{
    const mul_job *job = data;
    const int64_t end = wlab_block_begin(job->X->rows, job->blocks, b + 1);
    double *g = job->out + (int64_t)b * job->X->cols;

    for (int64_t i = wlab_block_begin(job->X->rows, job->blocks, b); i < end; i++)
        if (job->in[i] != 0.0)
            wlab_matrix_row_axpy(job->X, i, job->in[i], g);
}

wlab_code wlab_matrix_mul_t(const wlab_matrix *X, const double *z, double *g, wlab_pool *pool, wlab_err *err)
{
    /* each block has a vector to clear and to add, so it must contain several times as much work */
    int64_t blocks = stored_entries(X) / (8 * (int64_t)X->cols + MUL_ENTRIES) + 1;
    mul_job job = {X, z, NULL, 1};
    double *sums = NULL;

    job.blocks = (int)(blocks < MUL_T_BLOCKS ? blocks : MUL_T_BLOCKS);
    if (job.blocks > 1) {
        sums = wlab_calloc((size_t)job.blocks * (size_t)X->cols, sizeof *sums);
        if (!sums)
            return wlab_nomem(err);
    }
    if (X->cols)
        memset(g, 0, (size_t)X->cols * sizeof *g);
    job.out = sums ? sums : g;
    wlab_pool_run(pool, job.blocks, mul_t_block, &job);
    if (sums)
        for (int b = 0; b < job.blocks; b++)
            for (int32_t c = 0; c < X->cols; c++)
                g[c] += sums[(int64_t)b * X->cols + c];
    wlab_free(sums);
    return WL_OK;
}

/* ---- X Z' ---- */

#define TILE  192 /* dense: rows of X and of Z per tile */
#define STRIP 32  /* sparse: rows of X per block */
#define LANES 4   /* sparse: rows of X multiplied at once */

typedef struct gram_job {
    const wlab_matrix *X, *Z;
    double *G;
    int64_t ldg, tiles_z;
    bool symmetric; /* X is Z: compute one triangle and copy it */
    atomic_bool failed, stopped;
    const wlab_ctx *ctx;
    wlab_progress progress; /* products done */
} gram_job;

/* Whether to leave the rest: after an interrupt, at the latest after a tile. */
static bool gram_stopped(gram_job *job)
{
    if (!atomic_load(&job->stopped) && wlab_interrupted(job->ctx))
        atomic_store(&job->stopped, true);
    return atomic_load(&job->stopped);
}

/* Rows begin .. end-1 as one block of memory with rows `cols` apart: X's own if it is laid out so, else *copy. */
static const double *gather(const wlab_matrix *X, int64_t begin, int64_t end, double **copy)
{
    int64_t i = begin + 1;

    *copy = NULL;
    while (i < end && X->start[i] == X->start[i - 1] + X->cols)
        i++;
    if (i >= end)
        return X->dense + X->start[begin];
    *copy = wlab_alloc((size_t)(end - begin) * (size_t)X->cols, sizeof **copy);
    for (i = begin; *copy && i < end; i++)
        memcpy(*copy + (i - begin) * X->cols, X->dense + X->start[i], (size_t)X->cols * sizeof **copy);
    return *copy;
}

static int64_t min64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Needs no lock: the tiles of G are distinct memory, and so are their mirror images. */
static void gram_tile(void *data, int b)
{
    gram_job *job = data;
    const int64_t i0 = b / job->tiles_z * TILE, i1 = min64(i0 + TILE, job->X->rows);
    const int64_t j0 = b % job->tiles_z * TILE, j1 = min64(j0 + TILE, job->Z->rows);
    const double *A, *B;
    double *copy_a = NULL, *copy_b = NULL;

    if ((job->symmetric && j0 > i0) || gram_stopped(job))
        return;
    A = gather(job->X, i0, i1, &copy_a);
    B = gather(job->Z, j0, j1, &copy_b);
    if (A && B) {
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)(i1 - i0), (int)(j1 - j0), job->X->cols,
                    1.0, A, job->X->cols, B, job->X->cols, 0.0, job->G + i0 * job->ldg + j0, (int)job->ldg);
        for (int64_t i = i0; job->symmetric && i < i1; i++)
            for (int64_t j = j0; j < min64(j1, i); j++)
                job->G[j * job->ldg + i] = job->G[i * job->ldg + j];
    } else {
        atomic_store(&job->failed, true);
    }
    wlab_free(copy_a);
    wlab_free(copy_b);
    wlab_progress_add(&job->progress, (i1 - i0) * (j1 - j0));
}

/* LANES rows of X, stored densely in `wide` ([cols][LANES]), times row j of Z. */
static void lanes_dot(const double *wide, const wlab_matrix *Z, int64_t j, double dot[LANES])
{
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    const int64_t end = Z->start[j] + Z->len[j];

    for (int64_t k = Z->start[j]; k < end; k++) {
        const double v = (double)Z->val[k];
        const double *x = wide + (int64_t)Z->col[k] * LANES;
        s0 += x[0] * v;
        s1 += x[1] * v;
        s2 += x[2] * v;
        s3 += x[3] * v;
    }
    dot[0] = s0;
    dot[1] = s1;
    dot[2] = s2;
    dot[3] = s3;
}

static void scatter_row(const wlab_matrix *X, int64_t row, double *wide, int lane, bool clear)
{
    for (int64_t k = X->start[row]; k < X->start[row] + X->len[row]; k++)
        wide[(int64_t)X->col[k] * LANES + lane] = clear ? 0.0 : (double)X->val[k];
}

static void gram_strip(void *data, int b)
{
    gram_job *job = data;
    const int64_t begin = (int64_t)b * STRIP, end = min64(begin + STRIP, job->X->rows);
    double *wide = wlab_calloc((size_t)job->X->cols * LANES, sizeof *wide), dot[LANES];

    if (!wide) {
        atomic_store(&job->failed, true);
        return;
    }
    for (int64_t i = begin; i < end && !gram_stopped(job); i += LANES) {
        const int lanes = (int)min64(LANES, end - i);
        const int64_t j_end = job->symmetric ? i + lanes : job->Z->rows;

        for (int r = 0; r < lanes; r++)
            scatter_row(job->X, i + r, wide, r, false);
        for (int64_t j = 0; j < j_end; j++) {
            lanes_dot(wide, job->Z, j, dot);
            for (int r = 0; r < lanes; r++) {
                if (job->symmetric && j > i + r)
                    continue;
                job->G[(i + r) * job->ldg + j] = dot[r];
                if (job->symmetric)
                    job->G[j * job->ldg + i + r] = dot[r];
            }
        }
        for (int r = 0; r < lanes; r++)
            scatter_row(job->X, i + r, wide, r, true);
        wlab_progress_add(&job->progress, lanes * j_end);
    }
    wlab_free(wide);
}

/* One of the two is sparse, the other dense. */
static void gram_mixed(void *data, int b)
{
    gram_job *job = data;
    const int64_t end = min64((int64_t)(b + 1) * STRIP, job->X->rows);

    for (int64_t i = (int64_t)b * STRIP; i < end && !gram_stopped(job); i++)
        for (int64_t j = 0; j < job->Z->rows; j++)
            job->G[i * job->ldg + j] = wlab_matrix_rows_dot(job->X, i, job->Z, j);
    wlab_progress_add(&job->progress, (end - (int64_t)b * STRIP) * job->Z->rows);
}

wlab_code wlab_matrix_gram_progress(const wlab_matrix *X, const wlab_matrix *Z, double *G, int64_t ldg,
                                    wlab_ctx *ctx, wlab_err *err)
{
    wlab_pool *pool = ctx ? ctx->pool : NULL;
    gram_job job = {.X = X, .Z = Z, .G = G, .ldg = ldg, .symmetric = X == Z, .ctx = ctx};
    const int64_t strips = (X->rows + STRIP - 1) / STRIP;

    if (X->cols != Z->cols)
        return wlab_fail(err, WL_EARG, "the data have %d columns on one side and %d on the other",
                         (int)X->cols, (int)Z->cols);
    if (ldg < Z->rows || ldg > INT32_MAX)
        return wlab_fail(err, WL_EARG, "a Gram matrix of %lld columns does not fit rows of %lld",
                         (long long)Z->rows, (long long)ldg);
    if (!X->rows || !Z->rows)
        return WL_OK;
    if (!X->cols) {
        for (int64_t i = 0; i < X->rows; i++)
            memset(G + i * ldg, 0, (size_t)Z->rows * sizeof *G);
        return WL_OK;
    }
    wlab_progress_begin(&job.progress, ctx, "inner products",
                        job.symmetric ? X->rows * (X->rows + 1) / 2 : X->rows * Z->rows);
    if (!X->sparse && !Z->sparse) {
        const int64_t tiles_x = (X->rows + TILE - 1) / TILE;

        const wlab_code code = wlab_blas_init(wlab_pool_threads(pool), err);
        if (code)
            return code;
        job.tiles_z = (Z->rows + TILE - 1) / TILE;
        if (tiles_x * job.tiles_z > INT32_MAX)
            return wlab_fail(err, WL_EARG, "a Gram matrix of %lld x %lld is out of range", (long long)X->rows,
                             (long long)Z->rows);
        wlab_pool_run(pool, (int)(tiles_x * job.tiles_z), gram_tile, &job);
    } else {
        wlab_pool_run(pool, (int)strips, X->sparse && Z->sparse ? gram_strip : gram_mixed, &job);
    }
    if (atomic_load(&job.stopped))
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted while the rows were multiplied by each other");
    return atomic_load(&job.failed) ? wlab_nomem(err) : WL_OK;
}

wlab_code wlab_matrix_gram(const wlab_matrix *X, const wlab_matrix *Z, double *G, int64_t ldg,
                           wlab_pool *pool, wlab_err *err)
{
    wlab_ctx ctx = {.pool = pool};

    return wlab_matrix_gram_progress(X, Z, G, ldg, &ctx, err);
}

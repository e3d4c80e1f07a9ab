/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * All work is done in fixed blocks of rows, each of which writes to a place of its own.
 */
#include "linalg/woodbury.h"
#include "base/progress.h"
#include "linalg/cholesky.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum {
    PRODUCTS = 5,         /* with K, n^2 each, that cost as much as other weights, n r^2 */
    ROWS_PER_PAIR = 1024, /* of blocks */
    MOST_PAIRS = 4
};
#define LEFT 1e-10 /* of K's trace: too little to matter */

struct wlab_woodbury {
    int64_t n, r, most; /* most: columns that L has space for */
    int64_t k;          /* rows of the present system */
    double *L;          /* [n x most] */
    double *S;          /* [k x r] */
    double *G; /* [blocks x r x r] S'S of each block; the first becomes the factor of lambda I + S'S */
    double *t; /* [blocks x r] */
    /* what the blocks read */
    const int32_t *row;
    const double *K, *root, *v;
    double *out;
    int64_t pivot;
    double *left;  /* [n] diagonal of K - L L' */
    double *first; /* [most] row `pivot` of L */
};

static int64_t clamp(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

/* An even number, as many machines have two processors; one for few rows. */
static int blocks_of(int64_t rows)
{
    return rows < ROWS_PER_PAIR ? 1 : 2 * (int)clamp(rows / ROWS_PER_PAIR, 1, MOST_PAIRS);
}

/* ---- L ---- */

/* The rows of column r: those of K less what the columns before have of them, by the root of the pivot. */
static void add_column(void *data, int block)
{
    wlab_woodbury *p = data;
    const int blocks = blocks_of(p->n);
    const int64_t from = wlab_block_begin(p->n, blocks, block),
                  end = wlab_block_begin(p->n, blocks, block + 1);
    const double *column = p->K + p->pivot * p->n;
    const double root = sqrt(p->left[p->pivot]);

    for (int64_t i = from; i < end; i++) {
        double *row = p->L + i * p->most;
        row[p->r] = (column[i] - (p->r > 0 ? cblas_ddot((int)p->r, row, 1, p->first, 1) : 0)) / root;
    }
}

static wlab_code factorise(wlab_woodbury *p, wlab_ctx *ctx, wlab_err *err)
{
    double trace = 0;
    wlab_progress progress;

    for (int64_t i = 0; i < p->n; i++)
        trace += p->left[i] = fmax(0, p->K[i * p->n + i]);
    wlab_progress_begin(&progress, ctx, "columns of a preconditioner", p->most);
    for (double rest = trace; p->r < p->most && rest > LEFT * trace; p->r++) {
        if (wlab_interrupted(ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        p->pivot = 0;
        for (int64_t i = 1; i < p->n; i++)
            if (p->left[i] > p->left[p->pivot])
                p->pivot = i;
        memcpy(p->first, p->L + p->pivot * p->most, (size_t)p->r * sizeof *p->first);
        wlab_pool_run(ctx ? ctx->pool : NULL, blocks_of(p->n), add_column, p);
        rest = 0;
        for (int64_t i = 0; i < p->n; i++) {
            const double v = p->L[i * p->most + p->r];
            rest += p->left[i] = i == p->pivot ? 0 : fmax(0, p->left[i] - v * v);
        }
        wlab_progress_add(&progress, 1);
    }
    return WL_OK;
}

wlab_code wlab_woodbury_create(wlab_woodbury **out, const double *K, int64_t n, wlab_ctx *ctx, wlab_err *err)
{
    wlab_woodbury *p = wlab_calloc(1, sizeof *p);
    wlab_code code;

    *out = NULL;
    if (!p)
        return wlab_nomem(err);
    p->n = n;
    p->K = K;
    p->most = clamp((int64_t)sqrt(PRODUCTS * (double)n), 0, n);
    const size_t columns = (size_t)p->most, blocks = (size_t)blocks_of(n);
    p->L = wlab_alloc((size_t)n * columns, sizeof *p->L);
    p->S = wlab_alloc((size_t)n * columns, sizeof *p->S);
    p->G = wlab_alloc(blocks * columns * columns, sizeof *p->G);
    p->t = wlab_alloc(blocks * columns, sizeof *p->t);
    p->left = wlab_alloc((size_t)n, sizeof *p->left);
    p->first = wlab_alloc(columns, sizeof *p->first);
    if (!p->L || !p->S || !p->G || !p->t || !p->left || !p->first)
        code = wlab_nomem(err);
    else
        code = factorise(p, ctx, err);
    p->K = NULL;
    if (code)
        wlab_woodbury_destroy(p);
    else
        *out = p;
    return code;
}

void wlab_woodbury_destroy(wlab_woodbury *p)
{
    if (!p)
        return;
    wlab_free(p->L);
    wlab_free(p->S);
    wlab_free(p->G);
    wlab_free(p->t);
    wlab_free(p->left);
    wlab_free(p->first);
    wlab_free(p);
}

int64_t wlab_woodbury_columns(const wlab_woodbury *p)
{
    return p->r;
}

/* ---- S, and M^-1 ---- */

static void multiply(void *data, int block)
{
    wlab_woodbury *p = data;
    const int blocks = blocks_of(p->k);
    const int64_t from = wlab_block_begin(p->k, blocks, block),
                  end = wlab_block_begin(p->k, blocks, block + 1), r = p->r;

    for (int64_t a = from; a < end; a++) {
        const double *of = p->L + p->row[a] * p->most;
        double *to = p->S + a * r;
        for (int64_t j = 0; j < r; j++)
            to[j] = p->root[a] * of[j];
    }
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, (int)r, (int)(end - from), 1, p->S + from * r, (int)r,
                0, p->G + block * r * r, (int)r);
}

wlab_code wlab_woodbury_set(wlab_woodbury *p, const int32_t *row, const double *root, int64_t k,
                            double lambda, bool *definite, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t r = p->r;
    const int blocks = blocks_of(k);

    *definite = true;
    p->k = k;
    if (r == 0 || k == 0)
        return WL_OK;
    p->row = row;
    p->root = root;
    const bool whole = wlab_pool_run_progress(ctx, blocks, multiply, p, NULL, 0);
    p->row = NULL;
    p->root = NULL;
    if (!whole)
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    for (int b = 1; b < blocks; b++)
        cblas_daxpy((int)(r * r), 1, p->G + b * r * r, 1, p->G, 1);
    for (int64_t j = 0; j < r; j++)
        p->G[j * r + j] += lambda;
    return wlab_cholesky(p->G, r, definite, ctx, err);
}

static void reduce(void *data, int block)
{
    const wlab_woodbury *p = data;
    const int blocks = blocks_of(p->k);
    const int64_t from = wlab_block_begin(p->k, blocks, block),
                  rows = wlab_block_begin(p->k, blocks, block + 1) - from;

    cblas_dgemv(CblasRowMajor, CblasTrans, (int)rows, (int)p->r, 1, p->S + from * p->r, (int)p->r,
                p->v + from, 1, 0, p->t + block * p->r, 1);
}

static void expand(void *data, int block)
{
    const wlab_woodbury *p = data;
    const int blocks = blocks_of(p->k);
    const int64_t from = wlab_block_begin(p->k, blocks, block),
                  rows = wlab_block_begin(p->k, blocks, block + 1) - from;

    memcpy(p->out + from, p->v + from, (size_t)rows * sizeof *p->out);
    cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)rows, (int)p->r, -1, p->S + from * p->r, (int)p->r, p->t, 1,
                1, p->out + from, 1);
}

void wlab_woodbury_solve(wlab_woodbury *p, const double *v, double *out, wlab_pool *pool)
{
    const int64_t r = p->r;
    const int blocks = blocks_of(p->k);

    p->v = v;
    p->out = out;
    if (r == 0 || p->k == 0) {
        memcpy(out, v, (size_t)p->k * sizeof *out);
        return;
    }
    wlab_pool_run(pool, blocks, reduce, p);
    for (int b = 1; b < blocks; b++)
        cblas_daxpy((int)r, 1, p->t + b * r, 1, p->t, 1);
    wlab_cholesky_solve(p->G, r, p->t);
    wlab_pool_run(pool, blocks, expand, p);
}

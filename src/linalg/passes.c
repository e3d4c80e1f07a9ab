/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Passes over a data matrix in fixed blocks of about equally many stored entries; each block of a pass that scatters
 * has a vector of its own, and these are added in order.
 */
#include "linalg/passes.h"

#include <string.h>

enum {
    MOST_BLOCKS = 8,
    BLOCK_ENTRIES = 40000 /* fewer do not pay for handing a block out */
};

struct wlab_passes {
    const wlab_matrix *X;
    int blocks;
    int64_t first[MOST_BLOCKS + 1]; /* rows */
    double *part;                   /* [blocks x cols] partial sums; NULL: one block */
    double sum[MOST_BLOCKS], quad[MOST_BLOCKS];
    /* the pass under way */
    const double *in, *h;
    double *out, *o;
    double offset;
    int64_t chunk;
};

static int64_t entries(const wlab_matrix *X)
{
    return X->sparse ? X->nnz : X->rows * X->cols;
}

wlab_code wlab_passes_create(wlab_passes **out, const wlab_matrix *X, wlab_err *err)
{
    *out = NULL;
    wlab_passes *p = wlab_calloc(1, sizeof *p);
    if (!p)
        return wlab_nomem(err);
    int64_t all = entries(X), blocks = all / (BLOCK_ENTRIES + 2 * (int64_t)X->cols) + 1;
    p->X = X;
    p->blocks = (int)(blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS);
    for (int64_t i = 0, b = 1, seen = 0; i < X->rows; i++) {
        seen += X->len[i];
        while (b < p->blocks && seen >= all / p->blocks * b)
            p->first[b++] = i + 1;
    }
    for (int b = 1; b <= p->blocks; b++)
        if (b == p->blocks || !p->first[b])
            p->first[b] = X->rows;
    if (p->blocks > 1) {
        p->part = wlab_calloc((size_t)p->blocks * (size_t)X->cols, sizeof *p->part);
        if (!p->part) {
            wlab_passes_destroy(p);
            return wlab_nomem(err);
        }
    }
    *out = p;
    return WL_OK;
}

void wlab_passes_destroy(wlab_passes *p)
{
    if (!p)
        return;
    wlab_free(p->part);
    wlab_free(p);
}

static void outputs_block(void *data, int b)
{
    wlab_passes *p = data;

    for (int64_t i = p->first[b]; i < p->first[b + 1]; i++)
        if (!p->h || p->h[i] == 0)
            p->o[i] = wlab_matrix_row_dot(p->X, i, p->in);
}

void wlab_passes_outputs(wlab_passes *p, const double *skip, const double *w, double *o, wlab_pool *pool)
{
    p->h = skip;
    p->in = w;
    p->o = o;
    wlab_pool_run(pool, p->blocks, outputs_block, p);
}

/* Where block b adds up. */
static double *target(wlab_passes *p, int b)
{
    double *g = p->part ? p->part + (int64_t)b * p->X->cols : p->out;

    if (p->X->cols)
        memset(g, 0, (size_t)p->X->cols * sizeof *g);
    return g;
}

static void gather_chunk(void *data, int c)
{
    wlab_passes *p = data;
    const int64_t cols = p->X->cols, begin = c * p->chunk,
                  end = begin + p->chunk < cols ? begin + p->chunk : cols;

    for (int64_t j = begin; j < end; j++) {
        double s = p->part[j];
        for (int b = 1; b < p->blocks; b++)
            s += p->part[b * cols + j];
        p->out[j] = s;
    }
}

static void gather(wlab_passes *p, wlab_pool *pool)
{
    if (!p->part)
        return;
    p->chunk = 8192;
    wlab_pool_run(pool, (int)((p->X->cols + p->chunk - 1) / p->chunk), gather_chunk, p);
}

static void transpose_block(void *data, int b)
{
    wlab_passes *p = data;
    double *g = target(p, b);

    for (int64_t i = p->first[b]; i < p->first[b + 1]; i++)
        if (p->in[i] != 0)
            wlab_matrix_row_axpy(p->X, i, p->in[i], g);
}

void wlab_passes_transpose(wlab_passes *p, const double *z, double *g, wlab_pool *pool)
{
    p->in = z;
    p->out = g;
    wlab_pool_run(pool, p->blocks, transpose_block, p);
    gather(p, pool);
}

static void normal_block(void *data, int b)
{
    wlab_passes *p = data;
    double *g = target(p, b), sum = 0, quad = 0;

    for (int64_t i = p->first[b]; i < p->first[b + 1]; i++) {
        if (p->h[i] == 0)
            continue;
        const double q = wlab_matrix_row_dot(p->X, i, p->in) + p->offset, hq = p->h[i] * q;
        p->o[i] = q;
        sum += hq;
        quad += hq * q;
        wlab_matrix_row_axpy(p->X, i, hq, g);
    }
    p->sum[b] = sum;
    p->quad[b] = quad;
}

double wlab_passes_normal(wlab_passes *p, const double *h, const double *in, double offset, double *q,
                          double *g, double *quad, wlab_pool *pool)
{
    double sum = 0;

    p->h = h;
    p->in = in;
    p->offset = offset;
    p->o = q;
    p->out = g;
    wlab_pool_run(pool, p->blocks, normal_block, p);
    gather(p, pool);
    *quad = 0;
    for (int b = 0; b < p->blocks; b++) {
        sum += p->sum[b];
        *quad += p->quad[b];
    }
    return sum;
}

static void squares_block(void *data, int b)
{
    wlab_passes *p = data;
    double *g = target(p, b);

    for (int64_t i = p->first[b]; i < p->first[b + 1]; i++) {
        const int64_t s = p->X->start[i];
        if (p->in[i] == 0)
            continue;
        for (int32_t k = 0; k < p->X->len[i]; k++) {
            const double x = p->X->sparse ? (double)p->X->val[s + k] : p->X->dense[s + k];
            g[p->X->sparse ? p->X->col[s + k] : k] += p->in[i] * x * x;
        }
    }
}

void wlab_passes_squares(wlab_passes *p, const double *h, double *D, wlab_pool *pool)
{
    p->in = h;
    p->out = D;
    wlab_pool_run(pool, p->blocks, squares_block, p);
    gather(p, pool);
}

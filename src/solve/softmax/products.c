/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Products with the features on a pool's threads, cut by sizes alone: the same bits for any number of threads.
 */
#include "solve/softmax/parts.h"

#include <cblas.h>
#include <string.h>

enum {
    TILE = 128,   /* columns of a triangle that are one piece of work */
    CHUNK = 1024, /* rows that are weighted at once */
    COLUMNS = 64
};

typedef struct product {
    const wlab_em *e;
    const double *A; /* W or R */
    double *out;
    int Q;
} product;

static void outputs_block(void *data, int b)
{
    const product *p = data;
    const int64_t d = p->e->q.d, n = p->e->q.n, from = wlab_block_begin(n, p->e->blocks, b),
                  rows = wlab_block_begin(n, p->e->blocks, b + 1) - from;
    if (rows > 0)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, p->Q, (int)d, 1,
                    p->e->q.Phi + from * d, (int)d, p->A, (int)d, 0, p->out + from * p->Q, p->Q);
}

void em_outputs(const wlab_em *e, const double *W, int Q, double *S, wlab_pool *pool)
{
    product p = {e, W, S, Q};
    if (e->q.d == 0)
        memset(S, 0, (size_t)(e->q.n * Q) * sizeof *S);
    else
        wlab_pool_run(pool, e->blocks, outputs_block, &p);
}

static void transpose_block(void *data, int b)
{
    const product *p = data;
    const int64_t d = p->e->q.d, from = (int64_t)b * COLUMNS, wide = d - from < COLUMNS ? d - from : COLUMNS;
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, p->Q, (int)wide, (int)p->e->q.n, 1, p->A, p->Q,
                p->e->q.Phi + from, (int)d, 0, p->out + from, (int)d);
}

void em_transpose(const wlab_em *e, const double *R, int Q, double *G, wlab_pool *pool)
{
    product p = {e, R, G, Q};
    wlab_pool_run(pool, (int)((e->q.d + COLUMNS - 1) / COLUMNS), transpose_block, &p);
}

typedef struct gram {
    const wlab_em *e;
    double *H, *scaled; /* [CHUNK x d] rows times their weights */
    int64_t wide, from, rows;
} gram;

static void gram_tile(void *data, int t)
{
    const gram *g = data;
    const int64_t d = g->e->q.d;
    int64_t i = 0, j = t;
    while (j > i)
        j -= ++i;
    const int64_t rows = d - i * TILE < TILE ? d - i * TILE : TILE,
                  cols = d - j * TILE < TILE ? d - j * TILE : TILE;
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)rows, (int)cols, (int)g->rows, 1,
                g->scaled + i * TILE, (int)d, g->e->q.Phi + g->from * d + j * TILE, (int)d, 1,
                g->H + i * TILE * g->wide + j * TILE, (int)g->wide);
}

size_t em_gram_room(const wlab_em *e)
{
    return (size_t)((e->q.n < CHUNK ? e->q.n : CHUNK) * e->q.d);
}

void em_gram(const wlab_em *e, const double *w, bool constant, double *H, int64_t wide, double *room,
             wlab_pool *pool)
{
    const int64_t d = e->q.d, n = e->q.n, tiles = (d + TILE - 1) / TILE;
    gram g = {.e = e, .H = H, .scaled = room, .wide = wide};
    for (int64_t i = 0; i < d + constant; i++)
        memset(H + i * wide, 0, (size_t)(d + constant) * sizeof *H);
    for (g.from = 0; g.from < n; g.from += CHUNK) {
        g.rows = n - g.from < CHUNK ? n - g.from : CHUNK;
        for (int64_t r = 0; r < g.rows; r++) {
            const double *x = e->q.Phi + (g.from + r) * d, v = w[g.from + r];
            double *y = room + r * d;
            for (int64_t j = 0; j < d; j++)
                y[j] = v * x[j];
            if (constant) {
                for (int64_t j = 0; j < d; j++)
                    H[d * wide + j] += y[j];
                H[d * wide + d] += v;
            }
        }
        wlab_pool_run(pool, (int)(tiles * (tiles + 1) / 2), gram_tile, &g);
    }
}

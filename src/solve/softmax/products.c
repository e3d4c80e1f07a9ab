/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Products with the features, on the threads of a pool, which an interrupt stops.  The pieces of work depend on sizes only, so the results have
 * the same bits for any number of threads.
 */
#include "base/progress.h"
#include "linalg/product.h"
#include "solve/softmax/parts.h"

#include <cblas.h>
#include <string.h>

enum {
    TILE = 128,   /* columns of a triangle in one piece of work */
    CHUNK = 1024, /* rows weighted at a time */
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

void em_outputs(const wlab_em *e, const double *W, int Q, double *S, wlab_ctx *ctx)
{
    product p = {e, W, S, Q};
    if (e->q.d == 0)
        memset(S, 0, (size_t)(e->q.n * Q) * sizeof *S);
    else
        (void)wlab_pool_run_progress(ctx, e->blocks, outputs_block, &p, "rows", e->q.n);
}

void em_transpose(const wlab_em *e, const double *R, int Q, double *G, wlab_ctx *ctx)
{
    const int64_t d = e->q.d;
    const wlab_product p = {.ta = true,
                            .m = Q,
                            .n = d,
                            .k = e->q.n,
                            .alpha = 1,
                            .A = R,
                            .B = e->q.Phi,
                            .C = G,
                            .lda = Q,
                            .ldb = d,
                            .ldc = d,
                            .rows = Q,
                            .columns = COLUMNS};
    (void)wlab_product_run(&p, ctx);
}

size_t em_gram_scratch(const wlab_em *e)
{
    return (size_t)((e->q.n < CHUNK ? e->q.n : CHUNK) * e->q.d);
}

void em_gram(const wlab_em *e, const double *w, bool constant, double *H, int64_t wide, double *scratch,
             wlab_ctx *ctx)
{
    const int64_t d = e->q.d, n = e->q.n;
    wlab_product p = {.ta = true,
                      .m = d,
                      .n = d,
                      .alpha = 1,
                      .beta = 1,
                      .A = scratch, /* rows times their weights */
                      .C = H,
                      .lda = d,
                      .ldb = d,
                      .ldc = wide,
                      .rows = TILE,
                      .columns = TILE,
                      .half = WL_HALF_LOWER};
    for (int64_t i = 0; i < d + constant; i++)
        memset(H + i * wide, 0, (size_t)(d + constant) * sizeof *H);
    for (int64_t from = 0; from < n; from += CHUNK) {
        p.k = n - from < CHUNK ? n - from : CHUNK;
        p.B = e->q.Phi + from * d;
        for (int64_t r = 0; r < p.k; r++) {
            const double *x = p.B + r * d, v = w[from + r];
            double *y = scratch + r * d;
            for (int64_t j = 0; j < d; j++)
                y[j] = v * x[j];
            if (constant) {
                for (int64_t j = 0; j < d; j++)
                    H[d * wide + j] += y[j];
                H[d * wide + d] += v;
            }
        }
        if (!wlab_product_run(&p, ctx))
            return;
    }
}

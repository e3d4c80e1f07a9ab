/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Large problems with few features: products with a dimension of a few, in which memory is the limit.  Each reads a large
 * matrix once, by rows; dgemm copies it into blocks first, and writes the product of the Hessian's middle part to memory.
 */
#include "solve/relax/state.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum {
    FEW = 8,      /* features */
    LARGE = 1024, /* groups */
    WIDE = 256,   /* columns of a part */
    ROWS = 32,    /* rows of a part */
    PARTS = 16    /* of the Hessian's sums */
};

bool relax_is_few(const wlab_relax *s)
{
    return s->d <= FEW && s->groups >= LARGE && s->n / PARTS >= FEW + 2;
}

typedef struct few {
    const double *A, *B;
    int64_t m, k, n, row, column;
    double *out;
} few;

static void sum_block(void *data, int block)
{
    const few *p = data;
    const int64_t from = (int64_t)block * WIDE, wide = p->n - from < WIDE ? p->n - from : WIDE;

    for (int64_t j = 0; j < p->m; j++)
        memset(p->out + j * p->n + from, 0, (size_t)wide * sizeof *p->out);
    for (int64_t i = 0; i < p->k; i++)
        for (int64_t j = 0; j < p->m; j++)
            cblas_daxpy((int)wide, p->A[j * p->row + i * p->column], p->B + i * p->n + from, 1,
                        p->out + j * p->n + from, 1);
}

void relax_few_sums(wlab_ctx *ctx, int64_t m, int64_t n, int64_t k, const double *A, int64_t row,
                    int64_t column, const double *B, double *out)
{
    few p = {A, B, m, k, n, row, column, out};
    relax_strips(ctx, n, WIDE, sum_block, &p);
}

static void dots_block(void *data, int block)
{
    const few *p = data;
    const int64_t from = (int64_t)block * ROWS, end = from + ROWS < p->n ? from + ROWS : p->n;

    for (int64_t g = from; g < end; g++)
        for (int64_t j = 0; j < p->m; j++)
            p->out[j * p->n + g] = cblas_ddot((int)p->k, p->A + j * p->k, 1, p->B + g * p->k, 1);
}

void relax_few_dots(wlab_ctx *ctx, int64_t m, int64_t n, int64_t k, const double *A, const double *B,
                    double *out)
{
    few p = {A, B, m, k, n, k, 1, out};
    relax_strips(ctx, n, ROWS, dots_block, &p);
}

void relax_few_scores(const wlab_relax *s, int64_t i, double *row)
{
    const int64_t G = s->groups, d = s->d;
    const double *x = s->X + i * d;

    memset(row, 0, (size_t)G * sizeof *row);
    for (int64_t j = 0; j < d; j++)
        cblas_daxpy((int)G, x[j], s->T + j * G, 1, row, 1);
}

typedef struct middle {
    wlab_relax *s;
    const double *db;
} middle;

/* Part b of the rows: its sums of pi_n w_n and of pi_n x_n w_n' for w_n = Omega_n o (s_n - its mean), s_n = T'x_n - db.  They
 * are in the rows of W that belong to the part, behind the present w_n. */
static void middle_block(void *data, int part)
{
    const middle *h = data;
    wlab_relax *s = h->s;
    const int64_t G = s->groups, d = s->d, from = wlab_block_begin(s->n, PARTS, part),
                  end = wlab_block_begin(s->n, PARTS, part + 1);
    double *w = s->W + from * G, *sums = w + G;

    memset(sums, 0, (size_t)((d + 1) * G) * sizeof *sums);
    for (int64_t i = from; i < end; i++) {
        const double *omega = s->Omega + i * G, *x = s->X + i * d, *px = s->PX + i * d;
        for (int64_t g = 0; g < G; g++)
            w[g] = -h->db[g];
        for (int64_t j = 0; j < d; j++)
            cblas_daxpy((int)G, x[j], s->T + j * G, 1, w, 1);
        const double mean = cblas_ddot((int)G, omega, 1, w, 1);
        for (int64_t g = 0; g < G; g++)
            w[g] = omega[g] * (w[g] - mean);
        for (int64_t j = 0; j <= d; j++)
            cblas_daxpy((int)G, j < d ? px[j] : s->pi[i], w, 1, sums + j * G, 1);
    }
}

void relax_few_middle(wlab_relax *s, const double *db, double *mass, wlab_ctx *ctx)
{
    const int64_t G = s->groups, d = s->d;
    middle h = {s, db};

    relax_strips(ctx, PARTS, 1, middle_block, &h);
    memset(s->T, 0, (size_t)(d * G) * sizeof *s->T);
    memset(mass, 0, (size_t)G * sizeof *mass);
    for (int part = 0; part < PARTS; part++) {
        const double *sums = s->W + (wlab_block_begin(s->n, PARTS, part) + 1) * G;
        for (int64_t i = 0; i < d * G; i++)
            s->T[i] += sums[i];
        for (int64_t g = 0; g < G; g++)
            mass[g] += sums[d * G + g];
    }
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Large problems with few features: products with a dimension of a few, in which memory is the limit.  Each reads a large
 * matrix once, by rows; dgemm copies it into blocks first, and writes the product of the Hessian's middle part to memory.
 */
#include "base/wide.h"
#include "solve/relax/state.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum {
    FEW = 8,      /* features */
    LARGE = 1024, /* groups */
    WIDE = 256,   /* columns of a part */
    ROWS = 32,    /* rows of a part */
    SOME = 16,    /* groups whose scores are in registers */
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

/* Four rows of B at a time, so that the sums are read and written once for four. */
WLAB_WIDE_INLINE void sum_block_body(void *data, int block)
{
    const few *p = data;
    const int64_t n = p->n, from = (int64_t)block * WIDE, wide = n - from < WIDE ? n - from : WIDE;
    int64_t i = 0;

    for (int64_t j = 0; j < p->m; j++)
        memset(p->out + j * n + from, 0, (size_t)wide * sizeof *p->out);
    for (; i + 4 <= p->k; i += 4) {
        const double *B = p->B + i * n + from, *A = p->A + i * p->column;
        int64_t g = 0;
        for (; g + 4 <= wide; g += 4) {
            const wlab_four b0 = WLAB_FOUR_OF(B + g), b1 = WLAB_FOUR_OF(B + n + g),
                            b2 = WLAB_FOUR_OF(B + 2 * n + g), b3 = WLAB_FOUR_OF(B + 3 * n + g);
            for (int64_t j = 0; j < p->m; j++) {
                const double *a = A + j * p->row;
                double *out = p->out + j * n + from + g;
                WLAB_FOUR_AT(out) +=
                    (a[0] * b0 + a[p->column] * b1) + (a[2 * p->column] * b2 + a[3 * p->column] * b3);
            }
        }
        for (; g < wide; g++)
            for (int64_t j = 0; j < p->m; j++) {
                const double *a = A + j * p->row;
                p->out[j * n + from + g] +=
                    (a[0] * B[g] + a[p->column] * B[n + g]) +
                    (a[2 * p->column] * B[2 * n + g] + a[3 * p->column] * B[3 * n + g]);
            }
    }
    for (; i < p->k; i++)
        for (int64_t j = 0; j < p->m; j++)
            cblas_daxpy((int)wide, p->A[j * p->row + i * p->column], p->B + i * n + from, 1,
                        p->out + j * n + from, 1);
}
WLAB_WIDE_WORK(sum_block)

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

typedef struct row_scores {
    const wlab_relax *s;
    double *row;
} row_scores;

WLAB_WIDE_INLINE void scores_body(void *data, int i)
{
    const row_scores *p = data;
    const int64_t G = p->s->groups, d = p->s->d;
    const double *x = p->s->X + i * d, *T = p->s->T;
    int64_t g = 0;

    for (; g + SOME <= G; g += SOME) {
        wlab_four w0 = {0}, w1 = {0}, w2 = {0}, w3 = {0};
        for (int64_t j = 0; j < d; j++) {
            const double *t = T + j * G + g;
            w0 += x[j] * WLAB_FOUR_OF(t);
            w1 += x[j] * WLAB_FOUR_OF(t + 4);
            w2 += x[j] * WLAB_FOUR_OF(t + 8);
            w3 += x[j] * WLAB_FOUR_OF(t + 12);
        }
        WLAB_FOUR_AT(p->row + g) = w0;
        WLAB_FOUR_AT(p->row + g + 4) = w1;
        WLAB_FOUR_AT(p->row + g + 8) = w2;
        WLAB_FOUR_AT(p->row + g + 12) = w3;
    }
    for (; g < G; g++) {
        p->row[g] = 0;
        for (int64_t j = 0; j < d; j++)
            p->row[g] += x[j] * T[j * G + g];
    }
}
WLAB_WIDE_WORK(scores)

void relax_few_scores(const wlab_relax *s, int64_t i, double *row)
{
    row_scores p = {s, row};
    scores(&p, (int)i);
}

typedef struct middle {
    wlab_relax *s;
    const double *db;
} middle;

static double score(const middle *h, const double *x, int64_t g)
{
    const wlab_relax *s = h->s;
    double sum = -h->db[g];

    for (int64_t j = 0; j < s->d; j++)
        sum += x[j] * s->T[j * s->groups + g];
    return sum;
}

/* Part b of the rows: its sums of pi_n w_n and of pi_n x_n w_n' for w_n = Omega_n o (s_n - its mean), s_n = T'x_n - db.  They
 * are in the rows of W that belong to the part, behind the present s_n. */
WLAB_WIDE_INLINE void middle_block_body(void *data, int part)
{
    const middle *h = data;
    wlab_relax *s = h->s;
    const int64_t G = s->groups, d = s->d, from = wlab_block_begin(s->n, PARTS, part),
                  end = wlab_block_begin(s->n, PARTS, part + 1);
    double *scores = s->W + from * G, *sums = scores + G;

    memset(sums, 0, (size_t)((d + 1) * G) * sizeof *sums);
    for (int64_t i = from; i < end; i++) {
        const double *omega = s->Omega + i * G, *x = s->X + i * d, *px = s->PX + i * d;
        wlab_four dot0 = {0}, dot1 = {0}, dot2 = {0}, dot3 = {0};
        double mean = 0;
        int64_t g = 0;
        for (; g + SOME <= G; g += SOME) {
            const double *db = h->db + g;
            wlab_four w0 = -WLAB_FOUR_OF(db), w1 = -WLAB_FOUR_OF(db + 4), w2 = -WLAB_FOUR_OF(db + 8),
                      w3 = -WLAB_FOUR_OF(db + 12);
            for (int64_t j = 0; j < d; j++) {
                const double *t = s->T + j * G + g;
                w0 += x[j] * WLAB_FOUR_OF(t);
                w1 += x[j] * WLAB_FOUR_OF(t + 4);
                w2 += x[j] * WLAB_FOUR_OF(t + 8);
                w3 += x[j] * WLAB_FOUR_OF(t + 12);
            }
            dot0 += WLAB_FOUR_OF(omega + g) * w0;
            dot1 += WLAB_FOUR_OF(omega + g + 4) * w1;
            dot2 += WLAB_FOUR_OF(omega + g + 8) * w2;
            dot3 += WLAB_FOUR_OF(omega + g + 12) * w3;
            WLAB_FOUR_AT(scores + g) = w0;
            WLAB_FOUR_AT(scores + g + 4) = w1;
            WLAB_FOUR_AT(scores + g + 8) = w2;
            WLAB_FOUR_AT(scores + g + 12) = w3;
        }
        for (; g < G; g++)
            mean += omega[g] * (scores[g] = score(h, x, g));
        const wlab_four dot = (dot0 + dot1) + (dot2 + dot3);
        mean += (dot[0] + dot[1]) + (dot[2] + dot[3]);
        for (g = 0; g + 8 <= G; g += 8) {
            const wlab_four w0 = WLAB_FOUR_OF(omega + g) * (WLAB_FOUR_OF(scores + g) - mean),
                            w1 = WLAB_FOUR_OF(omega + g + 4) * (WLAB_FOUR_OF(scores + g + 4) - mean);
            for (int64_t j = 0; j <= d; j++) {
                const double p = j < d ? px[j] : s->pi[i];
                double *sum = sums + j * G + g;
                WLAB_FOUR_AT(sum) += p * w0;
                WLAB_FOUR_AT(sum + 4) += p * w1;
            }
        }
        for (; g < G; g++)
            for (int64_t j = 0; j <= d; j++)
                sums[j * G + g] += (j < d ? px[j] : s->pi[i]) * (omega[g] * (scores[g] - mean));
    }
}
WLAB_WIDE_WORK(middle_block)

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

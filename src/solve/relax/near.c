/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * log Y of a trial Y = D exp(A) D, far from the optimum, from A's eigenpairs, without decomposing Y.  Write log D as m I + L
 * with tr L = 0.  To first order in L,
 *
 *     log Y = A + 2 m I + sum_ij h(a_i - a_j) P_i L P_j,    h(x) = x coth(x / 2),
 *
 * P_i: the projection onto the eigenvectors of A with the eigenvalue a_i (divided differences of the logarithm, applied to
 * E L + L E for E = exp(A): Higham, Functions of Matrices, 3.2).  A step only needs a mirror point close to Y: F and its
 * bounds are computed from Y as it is, so an error changes the path, but no bound.  Products are in single precision, as the
 * trial's eigenvectors are.
 */
#include "solve/relax/state.h"

#include <math.h>
#include <string.h>

enum {
    TILE = 192,
    STRIP = 64
};
static const double MOST = 1; /* of the spread of log D */

typedef struct near_log {
    wlab_relax *s;
    const relax_point *p;
    double floor, mean;
    const double *inverse; /* [block x block] D^-1 there */
    double *log_of;        /* [block x block] L there */
    double *a, *h;         /* [r] eigenvalues of A, and h(a_i - floor) */
    float *W, *B;          /* [r x nodes] eigenvectors of A; W L, then Y of the sum below */
    float *C;              /* [r x r] W L W', then C~ */
    float *Z;              /* [nodes x nodes] W'Y */
} near_log;

bool relax_is_near(const wlab_relax *s, const relax_point *p)
{
    return p->single && !s->exact && !s->tied && s->pairs == 0 && p->spread <= MOST;
}

/* h(x) for x = log(1 / q) >= 0. */
static double curve(double x, double q)
{
    return x < 1e-4 ? 2 : x * (1 + q) / (1 - q);
}

/* L + m I in the block, and D's inverse there. */
static wlab_code block_of(wlab_relax *s, const relax_point *p, double *log_of, double *inverse, wlab_ctx *ctx,
                          wlab_err *err)
{
    const int64_t k = s->block;
    double *vector = inverse + k * k;

    if (k == 0)
        return WL_OK;
    memcpy(vector, p->root, (size_t)(k * k) * sizeof *vector);
    const wlab_code code = relax_eigen(vector, k, s->e, s->lapack, s->integers, ctx, err);
    for (int64_t i = 0; i < k && !code; i++)
        for (int64_t j = 0; j < k; j++) {
            log_of[i * k + j] = inverse[i * k + j] = 0;
            for (int64_t l = 0; l < k; l++) {
                const double both = vector[l * k + i] * vector[l * k + j];
                log_of[i * k + j] += log(s->e[l]) * both;
                inverse[i * k + j] += both / s->e[l];
            }
        }
    return code;
}

static int64_t strip_end(int64_t from, int64_t n)
{
    return from + STRIP < n ? from + STRIP : n;
}

/* L's diagonal below the block. */
static double log_at(const near_log *t, int64_t i)
{
    return -log(t->p->length[i]) - t->mean;
}

/* Columns of W and W L in the block. */
static void first_columns(const near_log *t)
{
    const relax_point *p = t->p;
    const int64_t M = t->s->nodes, r = p->r, k = t->s->block;

    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < r; j++) {
            double sum = 0;
            for (int64_t l = 0; l < k; l++)
                sum += t->inverse[i * k + l] * p->V[l * r + j];
            t->W[j * M + i] = (float)(sum / p->f_of[j]);
        }
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < r; j++) {
            double sum = 0;
            for (int64_t l = 0; l < k; l++)
                sum += t->log_of[i * k + l] * (double)t->W[j * M + l];
            t->B[j * M + i] = (float)sum;
        }
}

/* The other columns: V = D W'Diag(f). */
static void columns_block(void *data, int block)
{
    const near_log *t = data;
    const relax_point *p = t->p;
    const int64_t M = t->s->nodes, r = p->r, k = t->s->block, from = (int64_t)block * STRIP,
                  end = strip_end(from, M);

    double L[STRIP];
    for (int64_t i = from; i < end; i++)
        L[i - from] = i < k ? 0 : log_at(t, i);
    const int64_t first = from > k ? from : k;
    for (int64_t j = 0; j < r; j++)
        for (int64_t i = first; i < end; i++) {
            const double w = p->V[i * r + j] * p->length[i] / p->f_of[j];
            t->W[j * M + i] = (float)w;
            t->B[j * M + i] = (float)(w * L[i - from]);
        }
}

/* C~, with Diag(a - floor) added, which is halved and then counted twice as C~ is; and the second part of Y. */
static void rows_block(void *data, int block)
{
    const near_log *t = data;
    const double *a = t->a, *h = t->h, *f = t->p->f_of;
    const int64_t M = t->s->nodes, r = t->p->r, from = (int64_t)block * STRIP, end = strip_end(from, r);

    for (int64_t i = from; i < end; i++) {
        for (int64_t j = 0; j < r; j++) {
            const double ratio = i < j ? f[i] / f[j] : f[j] / f[i]; /* f ascends with its index */
            t->C[i * r + j] *= (float)(curve(fabs(a[i] - a[j]), ratio * ratio) - h[i] - h[j] + 2);
        }
        t->C[i * (r + 1)] += (float)(a[i] - t->floor);
        for (int64_t g = 0; g < M; g++)
            t->B[i * M + g] *= (float)(h[i] - 2);
    }
}

static void sum_block(void *data, int block)
{
    const near_log *t = data;
    const int64_t M = t->s->nodes, k = t->s->block, from = (int64_t)block * STRIP, end = strip_end(from, M);

    for (int64_t i = from; i < end; i++) {
        double *row = t->s->logY + i * M;
        for (int64_t j = 0; j < M; j++)
            row[j] = (double)t->Z[i * M + j] + (double)t->Z[j * M + i];
        for (int64_t j = 0; j < k && i < k; j++)
            row[j] += 2 * t->log_of[i * k + j];
        row[i] += t->floor + 2 * t->mean + (i < k ? 0 : 2 * log_at(t, i));
    }
}

/* With the eigenvalue `floor` for all eigenvectors of A that V leaves out, h_i = h(a_i - floor) and C = W L W', the sum over
 * pairs is 2 L + W'Y + Y'W for
 *     Y = C~ W / 2 + Diag(h - 2) W L,    C~_ij = C_ij (h(a_i - a_j) - h_i - h_j + 2),
 * and A is floor I + W'Diag(a - floor) W. */
wlab_code relax_near_log(wlab_relax *s, const relax_point *p, double least, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t M = s->nodes, r = p->r, k = s->block;
    double *log_of = s->basis, *inverse = log_of + k * k;
    float *W = (float *)(void *)s->Q, *B = (float *)(void *)s->lapack;
    near_log t = {.s = s,
                  .p = p,
                  .inverse = inverse,
                  .log_of = log_of,
                  .a = s->e,
                  .h = s->next_spectrum,
                  .W = W,
                  .B = B,
                  .C = B + r * M,
                  .Z = B + r * (M + r)};
    const wlab_code code = block_of(s, p, log_of, inverse, ctx, err);

    if (code)
        return code;
    for (int64_t i = 0; i < k; i++)
        t.mean += log_of[i * (k + 1)] / (double)M;
    for (int64_t i = k; i < M; i++)
        t.mean -= log(p->length[i]) / (double)M;
    for (int64_t i = 0; i < k; i++)
        log_of[i * (k + 1)] -= t.mean;
    t.floor = least - 2 * t.mean;
    for (int64_t j = 0; j < r; j++) {
        t.a[j] = 2 * log(p->f_of[j]);
        t.h[j] = curve(t.a[j] - t.floor, exp(t.floor - t.a[j]));
    }
    first_columns(&t);
    relax_strips(ctx, M, STRIP, columns_block, &t);
    const wlab_product inner = {.tb = true,
                                .m = r,
                                .n = r,
                                .k = M,
                                .alpha = 1,
                                .a = B,
                                .b = W,
                                .c = t.C,
                                .lda = M,
                                .ldb = M,
                                .ldc = r,
                                .rows = TILE,
                                .columns = TILE,
                                .half = WL_HALF_MIRRORED};
    (void)wlab_product_run(&inner, ctx);
    relax_strips(ctx, r, STRIP, rows_block, &t);
    (void)wlab_gemm_single(ctx, false, false, r, M, r, 0.5F, t.C, r, W, M, 1, B, M);
    (void)wlab_gemm_single(ctx, true, false, M, M, r, 1, W, M, B, M, 0, t.Z, M);
    relax_strips(ctx, M, STRIP, sum_block, &t);
    return relax_look(ctx, err);
}

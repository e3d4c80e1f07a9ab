/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Dense products of the relaxation, in tiles over the pool, and eigenpairs by LAPACK.
 */
#include "solve/relax/state.h"

#include <cblas.h>
#include <lapacke.h>
#include <string.h>

enum {
    TILE = 192,
    STRIP = 64
};

typedef struct product {
    bool ta, tb;
    int64_t m, n, k, lda, ldb, ldc, across;
    double alpha, beta;
    const double *A, *B;
    double *C;
} product;

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void multiply_tile(void *data, int t)
{
    const product *p = data;
    const int64_t i = t / p->across * TILE, j = t % p->across * TILE;
    cblas_dgemm(CblasRowMajor, p->ta ? CblasTrans : CblasNoTrans, p->tb ? CblasTrans : CblasNoTrans,
                (int)least(TILE, p->m - i), (int)least(TILE, p->n - j), (int)p->k, p->alpha,
                p->A + (p->ta ? i : i * p->lda), (int)p->lda, p->B + (p->tb ? j * p->ldb : j), (int)p->ldb,
                p->beta, p->C + i * p->ldc + j, (int)p->ldc);
}

void relax_gemm(wlab_pool *pool, bool ta, bool tb, int64_t m, int64_t n, int64_t k, double alpha,
                const double *A, int64_t lda, const double *B, int64_t ldb, double beta, double *C,
                int64_t ldc)
{
    product p = {ta, tb, m, n, k, lda, ldb, ldc, (n + TILE - 1) / TILE, alpha, beta, A, B, C};
    if (m == 0 || n == 0)
        return;
    if (k == 0) {
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++)
                C[i * ldc + j] = beta == 0 ? 0 : beta * C[i * ldc + j];
        return;
    }
    wlab_pool_run(pool, (int)((m + TILE - 1) / TILE * p.across), multiply_tile, &p);
}

/* The tiles on and below the diagonal; each is mirrored by who made it. */
static void square_tile(void *data, int t)
{
    const product *p = data;
    int64_t i = 0, j = t;
    while (j > i)
        j -= ++i;
    i *= TILE, j *= TILE;
    const int64_t rows = least(TILE, p->m - i), columns = least(TILE, p->m - j);
    cblas_dgemm(CblasRowMajor, p->ta ? CblasTrans : CblasNoTrans, p->ta ? CblasNoTrans : CblasTrans,
                (int)rows, (int)columns, (int)p->k, p->alpha, p->A + (p->ta ? i : i * p->lda), (int)p->lda,
                p->A + (p->ta ? j : j * p->lda), (int)p->lda, 0, p->C + i * p->m + j, (int)p->m);
    for (int64_t k = 0; k < rows; k++)
        for (int64_t l = 0; l < (i == j ? k : columns); l++)
            p->C[(j + l) * p->m + i + k] = p->C[(i + k) * p->m + j + l];
}

void relax_gram(wlab_pool *pool, bool ta, int64_t m, int64_t k, double alpha, const double *A, int64_t lda,
                double *C)
{
    product p = {.ta = ta, .m = m, .k = k, .lda = lda, .alpha = alpha, .A = A, .C = C};
    const int64_t tiles = (m + TILE - 1) / TILE;
    if (k == 0)
        memset(C, 0, (size_t)(m * m) * sizeof *C);
    else
        wlab_pool_run(pool, (int)(tiles * (tiles + 1) / 2), square_tile, &p);
}

double relax_dot(const double *a, const double *b, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

typedef struct sums {
    const double *A, *w;
    double *out;
    int64_t n, groups;
} sums;

static void columns_block(void *data, int block)
{
    const sums *s = data;
    const int64_t from = (int64_t)block * STRIP, wide = least(STRIP, s->groups - from);
    double *out = s->out + from;
    for (int64_t g = 0; g < wide; g++)
        out[g] = 0;
    for (int64_t i = 0; i < s->n; i++) {
        const double *row = s->A + i * s->groups + from, w = s->w[i];
        for (int64_t g = 0; g < wide; g++)
            out[g] += w * row[g];
    }
}

void relax_columns(wlab_pool *pool, const double *A, int64_t n, int64_t groups, const double *w, double *out)
{
    sums s = {A, w, out, n, groups};
    wlab_pool_run(pool, (int)((groups + STRIP - 1) / STRIP), columns_block, &s);
}

static void rows_block(void *data, int block)
{
    const sums *s = data;
    const int64_t from = (int64_t)block * STRIP, end = least(from + STRIP, s->n);
    for (int64_t i = from; i < end; i++)
        s->out[i] = cblas_ddot((int)s->groups, s->A + i * s->groups, 1, s->w, 1);
}

void relax_rows(wlab_pool *pool, const double *A, int64_t n, int64_t groups, const double *w, double *out)
{
    sums s = {A, w, out, n, groups};
    wlab_pool_run(pool, (int)((n + STRIP - 1) / STRIP), rows_block, &s);
}

wlab_code relax_eigen(double *A, int64_t n, double *value, double *lapack, int *integers, bool vectors,
                      wlab_err *err)
{
    for (int64_t i = 0; i < n * n; i++)
        if (!(A[i] - A[i] == 0))
            return wlab_fail(err, WL_ENUMERIC, "the relaxation's matrix is not finite");
    const lapack_int order = (lapack_int)n,
                     failed = LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, vectors ? 'V' : 'N', 'L', order, A, order,
                                                  value, lapack, 1 + 6 * order + 2 * order * order, integers,
                                                  3 + 5 * order);
    if (failed)
        return wlab_fail(err, WL_ENUMERIC, "the eigenvalues of the relaxation's matrix were not found");
    return WL_OK;
}

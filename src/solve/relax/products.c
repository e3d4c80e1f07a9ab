/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Dense products of the relaxation, and eigenpairs in ascending order.
 */
#include "base/progress.h"
#include "linalg/eigen.h"
#include "solve/relax/state.h"

#include <cblas.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum {
    TILE = 192,
    STRIP = 64
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

wlab_code relax_look(const wlab_ctx *ctx, wlab_err *err)
{
    return wlab_interrupted(ctx) ? wlab_fail(err, WL_EINTERRUPTED, "interrupted") : WL_OK;
}

void relax_strips(wlab_ctx *ctx, int64_t n, int64_t strip, void (*work)(void *data, int block), void *data)
{
    const int64_t strips = (n + strip - 1) / strip;
    (void)wlab_pool_run_progress(ctx, (int)strips, work, data, "strips of a matrix", strips);
}

void relax_gram(wlab_ctx *ctx, bool ta, int64_t m, int64_t k, double alpha, const double *A, int64_t lda,
                double *C)
{
    const wlab_product p = {.ta = ta,
                            .tb = !ta,
                            .m = m,
                            .n = m,
                            .k = k,
                            .alpha = alpha,
                            .A = A,
                            .B = A,
                            .C = C,
                            .lda = lda,
                            .ldb = lda,
                            .ldc = m,
                            .rows = TILE,
                            .columns = TILE,
                            .half = WL_HALF_MIRRORED};
    (void)wlab_product_run(&p, ctx);
}

bool relax_is_unit(const double *A, int64_t n, int64_t stride)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++)
            if (A[i * stride + j] != (i == j))
                return false;
    return true;
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

void relax_columns(wlab_ctx *ctx, const double *A, int64_t n, int64_t groups, const double *w, double *out)
{
    sums s = {A, w, out, n, groups};
    relax_strips(ctx, groups, STRIP, columns_block, &s);
}

static void rows_block(void *data, int block)
{
    const sums *s = data;
    const int64_t from = (int64_t)block * STRIP, end = least(from + STRIP, s->n);
    for (int64_t i = from; i < end; i++)
        s->out[i] = cblas_ddot((int)s->groups, s->A + i * s->groups, 1, s->w, 1);
}

void relax_rows(wlab_ctx *ctx, const double *A, int64_t n, int64_t groups, const double *w, double *out)
{
    sums s = {A, w, out, n, groups};
    relax_strips(ctx, n, STRIP, rows_block, &s);
}

wlab_code relax_eigenvalues(double *A, int64_t n, double *value, double *lapack, int *integers, bool vectors,
                            wlab_ctx *ctx, wlab_err *err)
{
    const wlab_code stopped = relax_look(ctx, err); /* else A may be unfinished */
    for (int64_t i = 0; i < n * n && !stopped; i++)
        if (!(A[i] - A[i] == 0))
            return wlab_fail(err, WL_ENUMERIC, "the relaxation's matrix is not finite");
    return stopped ? stopped : wlab_eigen_values(A, n, vectors, value, lapack, integers, ctx, err);
}

float *relax_singles(double *A, int64_t n)
{
    for (int64_t i = 0; i < n; i++) { /* memcpy, as both precisions are in the same memory */
        double a;
        memcpy(&a, A + i, sizeof a);
        const float single = (float)a;
        memcpy((char *)A + i * (int64_t)sizeof single, &single, sizeof single);
    }
    return (float *)(void *)A;
}

void relax_doubles(double *A, int64_t n)
{
    for (int64_t i = n; i-- > 0;) {
        float single;
        memcpy(&single, (char *)A + i * (int64_t)sizeof single, sizeof single);
        const double a = (double)single;
        memcpy(A + i, &a, sizeof a);
    }
}

wlab_code relax_eigenvalues_single(double *A, int64_t n, double *value, double *lapack, int *integers,
                                   bool *found, wlab_ctx *ctx, wlab_err *err)
{
    wlab_code code = relax_look(ctx, err); /* else A may be unfinished */
    *found = false;
    for (int64_t i = 0; i < n * n && !code; i++)
        if (!(fabs(A[i]) <= (double)FLT_MAX))
            return WL_OK;
    code = code ? code
                : wlab_eigen_values_single(relax_singles(A, n * n), n, true, (float *)(void *)value,
                                           (float *)(void *)lapack, integers, ctx, err);
    if (code)
        return code == WL_ENUMERIC ? WL_OK : code;
    relax_doubles(value, n);
    *found = true;
    return WL_OK;
}

wlab_code relax_eigen(double *A, int64_t n, double *value, double *lapack, int *integers, wlab_ctx *ctx,
                      wlab_err *err)
{
    const wlab_code code = relax_eigenvalues(A, n, value, lapack, integers, true, ctx, err);
    return code ? code : wlab_eigen_vectors(A, n, 0, lapack, ctx, err);
}

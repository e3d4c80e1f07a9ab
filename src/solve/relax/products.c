/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Dense products of the relaxation, and eigenpairs in ascending order.
 */
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

void relax_gram(wlab_pool *pool, bool ta, int64_t m, int64_t k, double alpha, const double *A, int64_t lda,
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
    wlab_product_run(&p, pool);
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

wlab_code relax_eigenvalues(double *A, int64_t n, double *value, double *lapack, int *integers, bool vectors,
                            wlab_pool *pool, wlab_err *err)
{
    for (int64_t i = 0; i < n * n; i++)
        if (!(A[i] - A[i] == 0))
            return wlab_fail(err, WL_ENUMERIC, "the relaxation's matrix is not finite");
    if (!wlab_eigen_values(A, n, vectors, value, lapack, integers, pool))
        return wlab_fail(err, WL_ENUMERIC, "the eigenvalues of the relaxation's matrix were not found");
    return WL_OK;
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

bool relax_eigenvalues_single(double *A, int64_t n, double *value, double *lapack, int *integers,
                              wlab_pool *pool)
{
    for (int64_t i = 0; i < n * n; i++)
        if (!(fabs(A[i]) <= (double)FLT_MAX))
            return false;
    if (!wlab_eigen_values_single(relax_singles(A, n * n), n, true, (float *)(void *)value,
                                  (float *)(void *)lapack, integers, pool))
        return false;
    relax_doubles(value, n);
    return true;
}

wlab_code relax_eigen(double *A, int64_t n, double *value, double *lapack, int *integers, wlab_pool *pool,
                      wlab_err *err)
{
    const wlab_code code = relax_eigenvalues(A, n, value, lapack, integers, true, pool, err);
    if (!code)
        wlab_eigen_vectors(A, n, 0, lapack, pool);
    return code;
}

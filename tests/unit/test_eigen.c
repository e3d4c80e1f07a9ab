/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Eigenpairs of symmetric matrices: residuals, orthogonality, LAPACK's eigenvalues, few vectors, the same bits with
 * threads, also with equal eigenvalues and where the division falls between blocks; the same in single precision;
 * the largest ones by Lanczos; smallest eigenvalues, which are proven or not found, but never too large; an interrupt at
 * each look.
 *
 * The program is linked with --wrap=wlab_interrupted: each check calls the function here.
 */
#include "support.h"

#include "linalg/eigen.h"
#include "linalg/lanczos.h"
#include "solve/relax/state.h"
#include "weaklab/matrix.h"
#include "weaklab/rng.h"

#include <lapacke.h>

static long looks, stops_at; /* 0: never */

bool __wrap_wlab_interrupted(const wlab_ctx *ctx);
bool __wrap_wlab_interrupted(const wlab_ctx *ctx)
{
    if (!ctx || !ctx->interrupt)
        return false;
    looks++;
    return stops_at && looks >= stops_at; /* it remains set, as the real one does */
}

enum {
    RANDOM,
    LOW_RANK, /* unit matrix plus a matrix of rank 3 */
    UNIT,
    ZERO,
    BLOCKS, /* two blocks, each tridiagonal: the middle entry beside the diagonal is 0 */
    TINY,   /* random, times 1e-150 */
    PATH,   /* a graph's Laplacian: small gaps at both ends */
    KINDS
};

static const int64_t sizes[] = {1, 2, 255, 256, 301};

static double *matrix(int kind, int64_t n)
{
    double *A = calloc((size_t)(n * n), sizeof *A), *x = calloc((size_t)n, sizeof *x);
    wlab_rng rng;
    assert_true(A && x);
    wlab_rng_seed(&rng, 3);
    for (int64_t i = 0; i < n && kind != ZERO && kind != BLOCKS && kind != PATH; i++)
        A[i * (n + 1)] = 1;
    for (int64_t i = 0; i < n && (kind == RANDOM || kind == TINY); i++)
        for (int64_t j = 0; j <= i; j++)
            A[i * n + j] = A[j * n + i] = wlab_rng_normal(&rng) * (kind == TINY ? 1e-150 : 1);
    for (int k = 0; k < 3 && kind == LOW_RANK; k++) {
        for (int64_t i = 0; i < n; i++)
            x[i] = wlab_rng_normal(&rng);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++)
                A[i * n + j] += x[i] * x[j];
    }
    for (int64_t i = 0; i < n && (kind == BLOCKS || kind == PATH); i++) {
        A[i * (n + 1)] = kind == PATH ? 2 - (i == 0) - (i == n - 1) : wlab_rng_normal(&rng);
        if (i && (kind == PATH || i != n / 2))
            A[i * n + i - 1] = A[(i - 1) * n + i] = kind == PATH ? -1 : wlab_rng_normal(&rng);
    }
    free(x);
    return A;
}

static double norm_of(const double *A, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n * n; i++)
        sum += A[i] * A[i] * 1e200;
    return sqrt(sum) * 1e-100;
}

/* Checks rows from .. n-1 of Q, with errors of `small`. */
static void check_vectors(const double *A, const double *Q, const double *value, int64_t n, int64_t from,
                          double small)
{
    const double size = norm_of(A, n);
    for (int64_t k = from; k < n; k += k < n - 5 ? 7 : 1) {
        for (int64_t i = 0; i < n; i++) {
            double sum = 0;
            for (int64_t j = 0; j < n; j++)
                sum += A[i * n + j] * Q[k * n + j];
            assert_true(fabs(sum - value[k] * Q[k * n + i]) <= small * size);
        }
        for (int64_t l = from; l < n; l++) {
            double sum = 0;
            for (int64_t j = 0; j < n; j++)
                sum += Q[k * n + j] * Q[l * n + j];
            ASSERT_NEAR(sum, k == l, small);
        }
    }
}

static void test_eigenpairs(void **state)
{
    (void)state;
    wlab_err err;
    ASSERT_OK(wlab_blas_init(3, &err), err);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int kind = 0; kind < KINDS; kind++) {
            const int64_t n = sizes[s], few = n - n / 3 - 1;
            if (SANITIZED && sizes[s] == 256 && kind > 0)
                continue;
            const size_t bytes = (size_t)(n * n) * sizeof(double);
            double *A = matrix(kind, n), *first = malloc(bytes), *Q = malloc(bytes);
            double *value = malloc((size_t)n * sizeof *value), *known = malloc((size_t)n * sizeof *known),
                   *room = malloc((size_t)wlab_eigen_room(n) * sizeof *room);
            int *integers = malloc((size_t)wlab_eigen_integers(n) * sizeof *integers);
            assert_true(first && Q && value && known && room && integers);
            memcpy(Q, A, bytes);
            assert_int_equal(
                LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'L', (lapack_int)n, Q, (lapack_int)n, known), 0);
            for (int threads = 1; threads <= 3; threads += SANITIZED ? 2 : 1) {
                wlab_ctx ctx = {0};
                ASSERT_OK(wlab_pool_create(&ctx.pool, threads, &err), err);
                memcpy(Q, A, bytes);
                ASSERT_OK(wlab_eigen_values(Q, n, false, value, room, integers, &ctx, &err), err);
                for (int64_t k = 0; k < n; k++)
                    ASSERT_NEAR(value[k], known[k], 1e-13 * norm_of(A, n));
                memcpy(Q, A, bytes);
                ASSERT_OK(wlab_eigen_values(Q, n, true, value, room, integers, &ctx, &err), err);
                ASSERT_OK(wlab_eigen_vectors(Q, n, 0, room, &ctx, &err), err);
                for (int64_t k = 0; k < n; k++)
                    ASSERT_NEAR(value[k], known[k], 1e-13 * norm_of(A, n));
                if (threads == 1) {
                    check_vectors(A, Q, value, n, 0, 1e-13);
                    memcpy(first, Q, bytes);
                } else
                    assert_memory_equal(first, Q, bytes);
                memcpy(Q, A, bytes);
                ASSERT_OK(wlab_eigen_values(Q, n, true, value, room, integers, &ctx, &err), err);
                ASSERT_OK(wlab_eigen_vectors(Q, n, few, room, &ctx, &err), err);
                if (threads == 3)
                    check_vectors(A, Q, value, n, few, 1e-13);
                wlab_pool_destroy(ctx.pool);
            }
            memcpy(Q, A, bytes);
            ASSERT_OK(wlab_eigen_top(Q, n, value, NULL, &err), err);
            check_vectors(A, Q, value, n, n - 1, 1e-13);
            ASSERT_NEAR(value[0], known[0], 1e-13 * norm_of(A, n));
            if (n < 256) {
                memcpy(Q, A, bytes);
                ALLOC_SWEEP(wlab_eigen_top(Q, n, value, NULL, &err));
            }
            free(A);
            free(first);
            free(Q);
            free(value);
            free(known);
            free(room);
            free(integers);
        }
}

static void test_single(void **state)
{
    (void)state;
    wlab_err err;
    ASSERT_OK(wlab_blas_init(3, &err), err);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int kind = 0; kind < KINDS; kind++) {
            const int64_t n = sizes[s], few = n - n / 3 - 1;
            if (SANITIZED && sizes[s] == 256 && kind > 0)
                continue;
            double *A = matrix(kind == TINY ? RANDOM : kind, n), *Q = malloc((size_t)(n * n) * sizeof *Q),
                   *value = malloc((size_t)n * sizeof *value);
            float *q = malloc((size_t)(n * n) * sizeof *q), *first = malloc((size_t)(n * n) * sizeof *q),
                  *e = malloc((size_t)n * sizeof *e),
                  *room = malloc((size_t)wlab_eigen_room(n) * sizeof *room);
            int *integers = malloc((size_t)wlab_eigen_integers(n) * sizeof *integers);
            assert_true(Q && value && q && first && e && room && integers);
            for (int threads = 1; threads <= 3; threads++) {
                wlab_ctx ctx = {0};
                ASSERT_OK(wlab_pool_create(&ctx.pool, threads, &err), err);
                for (int64_t i = 0; i < n * n; i++)
                    q[i] = (float)A[i];
                ASSERT_OK(wlab_eigen_values_single(q, n, true, e, room, integers, &ctx, &err), err);
                ASSERT_OK(wlab_eigen_vectors_single(q, n, few, room, &ctx, &err), err);
                for (int64_t i = 0; i < n * n; i++)
                    Q[i] = (double)q[i];
                for (int64_t i = 0; i < n; i++)
                    value[i] = (double)e[i];
                if (threads == 1)
                    memcpy(first, q, (size_t)(n * n) * sizeof *q);
                else
                    assert_memory_equal(first + few * n, q + few * n, (size_t)((n - few) * n) * sizeof *q);
                check_vectors(A, Q, value, n, few, 1e-5);
                wlab_pool_destroy(ctx.pool);
            }
            free(A);
            free(Q);
            free(value);
            free(q);
            free(first);
            free(e);
            free(room);
            free(integers);
        }
}

/* Lanczos finds LAPACK's largest eigenpairs, or says that it did not: here where A has too low a rank. */
static void test_lanczos(void **state)
{
    (void)state;
    const int64_t n = 301, count = 5;
    wlab_err err;
    ASSERT_OK(wlab_blas_init(3, &err), err);
    double *room = malloc((size_t)wlab_lanczos_room(n, count) * sizeof *room),
           *Q = malloc((size_t)(n * n) * sizeof *Q), *known = malloc((size_t)n * sizeof *known), value[5],
           *vector = malloc((size_t)(count * n) * sizeof *vector), *first = malloc((size_t)(count * n) * 8);
    assert_true(room && Q && known && vector && first);
    for (int kind = 0; kind <= KINDS + 1;
         kind++) { /* KINDS: with large eigenvalues; KINDS + 1: a tiny tail */
        double *A = matrix(kind >= KINDS ? RANDOM : kind, n);
        bool found = false;
        for (int64_t i = 0; i < n * n && kind > KINDS; i++)
            A[i] *= 1e-9;
        for (int64_t i = 0; i < n && kind >= KINDS; i++)
            A[i * (n + 1)] += 200 * pow(kind == KINDS ? 0.9 : 0.5, (double)i);
        memcpy(Q, A, (size_t)(n * n) * sizeof *Q);
        assert_int_equal(LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'L', (lapack_int)n, Q, (lapack_int)n, known),
                         0);
        for (int threads = 1; threads <= 3; threads++) {
            wlab_ctx ctx = {0};
            ASSERT_OK(wlab_pool_create(&ctx.pool, threads, &err), err);
            ASSERT_OK(wlab_lanczos(A, n, count, value, vector, room, &found, &ctx, &err), err);
            wlab_pool_destroy(ctx.pool);
            if (!found)
                break;
            for (int64_t k = 0; k < count; k++)
                ASSERT_NEAR(value[k], known[n - 1 - k], 1e-8 * known[n - 1]);
            if (threads == 1)
                memcpy(first, vector, (size_t)(count * n) * sizeof *vector);
            else
                assert_memory_equal(first, vector, (size_t)(count * n) * sizeof *vector);
            for (int64_t k = 0; k < count; k++)
                for (int64_t i = 0; i < n; i++) {
                    double sum = -value[k] * vector[k * n + i];
                    for (int64_t j = 0; j < n; j++)
                        sum += A[i * n + j] * vector[k * n + j];
                    assert_true(fabs(sum) <= 1e-9 * known[n - 1]);
                }
            for (int64_t k = 0; k < count; k++)
                for (int64_t l = 0; l <= k; l++) {
                    double sum = 0;
                    for (int64_t i = 0; i < n; i++)
                        sum += vector[k * n + i] * vector[l * n + i];
                    ASSERT_NEAR(sum, k == l, 1e-12);
                }
        }
        assert_true(found ? kind != UNIT && kind != ZERO && kind != LOW_RANK : kind < KINDS);
        free(A);
    }
    free(room);
    free(Q);
    free(known);
    free(vector);
    free(first);
}

/* Whatever relax_smallest proves must be true.  Most matrices must be proven, as else it would be of no use; with an
 * eigenvalue that a product with the first vector cannot see, any answer is allowed but a wrong one. */
static void test_smallest(void **state)
{
    (void)state;
    wlab_err err;
    wlab_rng rng;
    int proven = 0, tries = 0;
    ASSERT_OK(wlab_blas_init(1, &err), err);
    for (int64_t n = 256; n <= 700; n += 222)
        for (int kind = 0; kind <= KINDS; kind++) {
            double *A = matrix(kind == KINDS ? UNIT : kind, n), *Q = malloc((size_t)(n * n) * sizeof *Q),
                   *room = calloc((size_t)(601 * n), sizeof *room),
                   *known = malloc((size_t)n * sizeof *known);
            double low = NAN, high = NAN;
            assert_true(Q && room && known);
            if (kind == KINDS) { /* one eigenvalue -1, whose vector is orthogonal to where Lanczos begins */
                double *v = malloc((size_t)n * sizeof *v);
                assert_non_null(v);
                wlab_rng_seed(&rng, 1);
                for (int64_t i = 0; i < n; i++)
                    v[i] = wlab_rng_normal(&rng);
                const double w[2] = {v[1], -v[0]}, square = w[0] * w[0] + w[1] * w[1];
                for (int i = 0; i < 2; i++)
                    for (int j = 0; j < 2; j++)
                        A[i * n + j] -= 2 * w[i] * w[j] / square;
                free(v);
            }
            memcpy(Q, A, (size_t)(n * n) * sizeof *Q);
            assert_int_equal(
                LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'L', (lapack_int)n, Q, (lapack_int)n, known), 0);
            const double scale = fmax(fabs(known[0]), fabs(known[n - 1]));
            bool found;
            ASSERT_OK(relax_smallest(A, n, NULL, NULL, &low, &high, room, &found, NULL, &err), err);
            if (found) {
                assert_true(low - (double)n * RELAX_ROUNDING * scale <= known[0] + 1e-15 * scale);
                assert_true(low >= known[0] - (double)n * RELAX_ROUNDING * scale);
            }
            proven += found && (kind == RANDOM || kind == LOW_RANK || kind == TINY);
            tries += kind == RANDOM || kind == LOW_RANK || kind == TINY;
            free(A);
            free(Q);
            free(room);
            free(known);
        }
    assert_int_equal(proven, tries);
    /* not finite: nothing is known, and it ends */
    double *A = matrix(UNIT, 256), *room = calloc(601 * 256, sizeof *room), low, high;
    assert_non_null(room);
    A[5] = A[5 * 256] = NAN;
    bool found;
    ASSERT_OK(relax_smallest(A, 256, NULL, NULL, &low, &high, room, &found, NULL, &err), err);
    assert_false(found);
    free(A);
    free(room);
}

/* An interrupt at any look stops all of them, and a second call gives the same bits. */
static void test_interrupts(void **state)
{
    (void)state;
    enum {
        N = 301,
        COUNT = 5
    };
    const size_t bytes = (size_t)N * N * sizeof(double);
    atomic_int flag = 0;
    wlab_ctx ctx = {.interrupt = &flag};
    wlab_err err;
    double *A = matrix(RANDOM, N), *Q = malloc(bytes), *first = malloc(bytes),
           *room =
               malloc((size_t)(wlab_eigen_room(N) + wlab_lanczos_room(N, COUNT) + 601 * N) * sizeof *room),
           value[N], vector[COUNT * N], low, high;
    int integers[6 + 5 * N];
    bool found;
    assert_true(Q && first && room);
    ASSERT_OK(wlab_blas_init(1, &err), err);
    for (int what = 0; what < 4; what++) {
        long all = 0;
        for (long at = 0; at <= all; at += at < 20 ? 1 : 7) {
            wlab_code code = WL_OK;
            memcpy(Q, A, bytes);
            for (int64_t i = 0; i < N && what == 2; i++)
                Q[i * (N + 1)] += 200 * pow(0.9, (double)i);
            looks = 0;
            stops_at = at;
            if (what == 0) {
                code = wlab_eigen_values(Q, N, true, value, room, integers, &ctx, &err);
                code = code ? code : wlab_eigen_vectors(Q, N, 5, room, &ctx, &err);
            } else if (what == 1) {
                code = wlab_eigen_values(Q, N, false, value, room, integers, &ctx, &err);
            } else if (what == 2) {
                code = wlab_lanczos(Q, N, COUNT, value, vector, room, &found, &ctx, &err);
            } else {
                code = relax_smallest(Q, N, NULL, NULL, &low, &high, room, &found, &ctx, &err);
            }
            assert_int_equal(code, at ? WL_EINTERRUPTED : WL_OK);
            if (at == 0) {
                all = looks;
                if (all <= 5)
                    fail_msg("what %d: %ld looks", what, all);
                assert_true(what < 2 || found);
                memcpy(first, Q, bytes);
            }
        }
        stops_at = 0;
        if (what > 0)
            continue;
        memcpy(Q, A, bytes);
        ASSERT_OK(wlab_eigen_values(Q, N, true, value, room, integers, &ctx, &err), err);
        ASSERT_OK(wlab_eigen_vectors(Q, N, 5, room, &ctx, &err), err);
        assert_memory_equal(Q + 5 * N, first + 5 * N, bytes - 5 * N * sizeof *Q);
    }
    free(A);
    free(Q);
    free(first);
    free(room);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_eigenpairs), cmocka_unit_test(test_single),
                                       cmocka_unit_test(test_lanczos), cmocka_unit_test(test_smallest),
                                       cmocka_unit_test(test_interrupts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Factors of dense symmetric matrices against LAPACK's and the matrix itself, on any number of threads.
 */
#include "support.h"

#include "linalg/cholesky.h"
#include "weaklab/rng.h"

#include <lapacke.h>

static const int64_t sizes[] = {0, 1, 2, 7, 191, 192, 193, 384, 400, 1100};

/* exp(-|i - j| / 50) with noise on the diagonal; NaN above the diagonal. */
static double *matrix(int64_t n, wlab_rng *rng)
{
    double *A = calloc((size_t)(n * n) + 1, sizeof *A);
    assert_non_null(A);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++)
            A[i * n + j] = j > i ? (double)NAN : exp((double)(j - i) / 50);
        A[i * n + i] += wlab_rng_uniform(rng);
    }
    return A;
}

static void test_factor(void **state)
{
    (void)state;
    wlab_err err;
    wlab_rng rng;
    wlab_rng_seed(&rng, 1);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const int64_t n = sizes[s];
        double *A = matrix(n, &rng), *L = calloc((size_t)(n * n) + 1, sizeof *L), *first = NULL;
        double *x = calloc((size_t)n + 1, sizeof *x), *b = calloc((size_t)n + 1, sizeof *b);
        assert_true(L && x && b);
        for (int threads = 1; threads <= 3; threads++) {
            wlab_ctx ctx = {0};
            bool definite = false;
            memcpy(L, A, (size_t)(n * n) * sizeof *L);
            ASSERT_OK(wlab_pool_create(&ctx.pool, threads, &err), err);
            ASSERT_OK(wlab_cholesky(L, n, &definite, &ctx, &err), err);
            assert_true(definite);
            wlab_pool_destroy(ctx.pool);
            if (!first) {
                first = malloc((size_t)(n * n) * sizeof *first + 1);
                assert_non_null(first);
                memcpy(first, L, (size_t)(n * n) * sizeof *L);
            }
            assert_memory_equal(first, L, (size_t)(n * n) * sizeof *L);
        }
        /* LAPACK's factor, and a system */
        double *B = calloc((size_t)(n * n) + 1, sizeof *B);
        assert_non_null(B);
        memcpy(B, A, (size_t)(n * n) * sizeof *B);
        if (n > 0)
            assert_int_equal(LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', (lapack_int)n, B, (lapack_int)n), 0);
        for (int64_t i = 0; i < n; i++) {
            x[i] = wlab_rng_normal(&rng);
            for (int64_t j = 0; j <= i; j++) {
                assert_true(fabs(L[i * n + j] - B[i * n + j]) <= 1e-12);
                b[i] += A[i * n + j] * x[j];
                if (j < i)
                    b[j] += A[i * n + j] * x[i];
            }
            for (int64_t j = i + 1; j < n; j++)
                assert_true(isnan(L[i * n + j]));
        }
        wlab_cholesky_solve(L, n, b);
        for (int64_t i = 0; i < n; i++)
            assert_true(fabs(b[i] - x[i]) <= 1e-9);
        free(A);
        free(B);
        free(L);
        free(first);
        free(x);
        free(b);
    }
}

static void test_indefinite(void **state)
{
    (void)state;
    wlab_err err;
    wlab_rng rng;
    wlab_rng_seed(&rng, 2);
    const int64_t at[] = {0, 100, 192, 399};
    for (int c = 0; c < 8; c++) {
        double *A = matrix(400, &rng);
        bool definite = true;
        A[at[c % 4] * 401] = c < 4 ? -1 : (double)NAN;
        ASSERT_OK(wlab_cholesky(A, 400, &definite, NULL, &err), err);
        assert_false(definite);
        free(A);
    }
}

static void test_interrupt(void **state)
{
    (void)state;
    wlab_err err;
    wlab_rng rng;
    atomic_int stop = 1;
    wlab_ctx ctx = {.interrupt = &stop};
    wlab_rng_seed(&rng, 3);
    double *A = matrix(400, &rng);
    bool definite;
    ASSERT_FAILS(wlab_cholesky(A, 400, &definite, &ctx, &err), WL_EINTERRUPTED, err, "interrupted");
    free(A);
    A = matrix(100, &rng); /* one panel is not interrupted */
    ASSERT_OK(wlab_cholesky(A, 100, &definite, &ctx, &err), err);
    free(A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_factor),
        cmocka_unit_test(test_indefinite),
        cmocka_unit_test(test_interrupt),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

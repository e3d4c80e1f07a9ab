/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Dense products in tiles: comparison with plain loops, halves and mirrored halves, the same bits with threads; transposes.
 */
#include "support.h"

#include "linalg/product.h"
#include "linalg/transpose.h"
#include "weaklab/rng.h"

enum {
    MOST = 300 * 300
};

static double A[MOST], B[MOST], C[MOST], D[MOST], before[MOST];
static float a[MOST], b[MOST], c[MOST];

static void fill_random(double *x, wlab_rng *rng)
{
    for (int i = 0; i < MOST; i++)
        x[i] = wlab_rng_normal(rng);
}

/* Checks the result of wlab_product_run entry by entry; entries outside C, or in the other half, must be unchanged. */
static void check_product(const wlab_product *p)
{
    for (int64_t i = 0; i < p->m; i++)
        for (int64_t j = 0; j < p->ldc; j++) {
            const bool left_out = j >= p->n || (p->half == WL_HALF_LOWER && j / p->columns > i / p->rows);
            double sum = 0;
            for (int64_t k = 0; k < p->k && !left_out; k++)
                sum += p->A[p->ta ? k * p->lda + i : i * p->lda + k] *
                       p->B[p->tb ? j * p->ldb + k : k * p->ldb + j];
            const double was = before[i * p->ldc + j],
                         expected = left_out ? was : p->alpha * sum + (p->beta == 0 ? 0 : p->beta * was);
            ASSERT_NEAR(p->C[i * p->ldc + j], expected, 1e-11);
        }
}

static void test_products(void **state)
{
    (void)state;
    wlab_err err;
    wlab_rng rng;
    atomic_int flag = 0;
    wlab_ctx ctx = {.interrupt = &flag};
    wlab_rng_seed(&rng, 1);
    ASSERT_OK(wlab_pool_create(&ctx.pool, 3, &err), err);
    for (int round = 0; round < 60; round++) {
        const int64_t size[] = {1 + (int64_t)wlab_rng_below(&rng, 150),
                                1 + (int64_t)wlab_rng_below(&rng, 150),
                                round % 10 ? 1 + (int64_t)wlab_rng_below(&rng, 150) : 0};
        wlab_product p = {.ta = round & 1,
                          .tb = round & 2,
                          .m = size[0],
                          .n = size[1],
                          .k = size[2],
                          .alpha = round % 3 ? 1 : -0.5,
                          .beta = round % 4 ? 0 : 1,
                          .A = A,
                          .B = B,
                          .lda = 200,
                          .ldb = 210,
                          .ldc = 220,
                          .rows = 1 + (int64_t)wlab_rng_below(&rng, 60),
                          .columns = 1 + (int64_t)wlab_rng_below(&rng, 60),
                          .half = (wlab_half)(round % 5 ? 0 : 1 + round % 2)};
        if (p.half) {
            p.n = p.m;
            p.columns = p.rows;
        }
        if (p.half == WL_HALF_MIRRORED) { /* A'A or AA' */
            p.B = A;
            p.ldb = p.lda;
            p.tb = !p.ta;
            p.beta = 0;
        }
        fill_random(A, &rng);
        fill_random(B, &rng);
        fill_random(before, &rng);
        memcpy(C, before, sizeof C);
        memcpy(D, before, sizeof D);
        p.C = C;
        assert_true(wlab_product_run(&p, NULL));
        check_product(&p);
        p.C = D;
        assert_true(wlab_product_run(&p, &ctx));
        assert_memory_equal(C, D, sizeof C);
        atomic_store(&flag, 1); /* a flag that is up: no tile is computed */
        assert_false(wlab_product_run(&p, &ctx));
        assert_memory_equal(C, D, sizeof C);
        atomic_store(&flag, 0);
        /* in single precision */
        for (size_t i = 0; i < sizeof A / sizeof *A; i++)
            a[i] = (float)A[i];
        for (size_t i = 0; i < sizeof B / sizeof *B; i++)
            b[i] = (float)B[i];
        for (size_t i = 0; i < sizeof C / sizeof *C; i++)
            c[i] = (float)before[i];
        p.a = a;
        p.b = p.B == A ? a : b;
        p.c = c;
        assert_true(wlab_product_run(&p, &ctx));
        for (size_t i = 0; i < sizeof C / sizeof *C; i++)
            ASSERT_NEAR((double)c[i], C[i], 1e-3);
    }
    wlab_pool_destroy(ctx.pool);
}

/* One block, blocks of rows, blocks of columns; and a triangle. */
static void test_transposes(void **state)
{
    static const int64_t sizes[][2] = {{0, 3},     {5, 7},    {600, 100}, {70, 1201},
                                       {513, 130}, {65, 514}, {300, 300}};
    (void)state;
    wlab_err err;
    wlab_ctx ctx = {0};
    wlab_rng rng;
    wlab_rng_seed(&rng, 8);
    fill_random(A, &rng);
    ASSERT_OK(wlab_pool_create(&ctx.pool, 2, &err), err);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const int64_t m = sizes[s][0], n = sizes[s][1];
        memset(C, 0, sizeof C);
        assert_true(m * n < MOST || m == n);
        assert_true(wlab_transpose(A, m, n, C, &ctx));
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++)
                assert_memory_equal(&A[i * n + j], &C[j * m + i], sizeof *A);
        assert_true(m * n == MOST || C[m * n] == 0);
    }
    enum {
        LARGE = 530
    };
    double *S = malloc((size_t)LARGE * LARGE * sizeof *S);
    assert_non_null(S);
    for (int64_t i = 0; i < LARGE; i++)
        for (int64_t j = 0; j < LARGE; j++)
            S[i * LARGE + j] = j <= i ? (double)(i * LARGE + j) : -1;
    assert_true(wlab_mirror_lower(S, LARGE, &ctx));
    for (int64_t i = 0; i < LARGE; i++)
        for (int64_t j = 0; j < LARGE; j++)
            assert_true(S[i * LARGE + j] == (double)(j <= i ? i * LARGE + j : j * LARGE + i));
    free(S);
    wlab_pool_destroy(ctx.pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_products), cmocka_unit_test(test_transposes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

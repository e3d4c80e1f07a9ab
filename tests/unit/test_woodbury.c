/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The preconditioner of kernel Newton systems: exact where K has few columns, between the system's inverse and the unit matrix
 * where it has not, the same bits on any number of threads; some rows of K; rounding, interrupts, memory.
 */
#include "support.h"

#include "linalg/cholesky.h"
#include "linalg/woodbury.h"
#include "weaklab/rng.h"

typedef struct problem {
    int64_t n;
    double *K, *h, *root, *v, *out;
    int32_t *row; /* all */
} problem;

/* K = exp(-(x_i - x_j)^2 / 2) of d columns, or with linear the products of d columns, of which two are equal; every fifth
 * weight is 0. */
static problem problem_new(int64_t n, int d, bool linear, wlab_rng *rng)
{
    problem p = {.n = n};
    double *x = calloc((size_t)(n * d), sizeof *x);
    p.K = calloc((size_t)(n * n), sizeof *p.K);
    p.h = calloc((size_t)n, sizeof *p.h);
    p.root = calloc((size_t)n, sizeof *p.root);
    p.row = calloc((size_t)n, sizeof *p.row);
    p.v = calloc((size_t)n, sizeof *p.v);
    p.out = calloc((size_t)n, sizeof *p.out);
    assert_true(x && p.K && p.h && p.root && p.row && p.v && p.out);
    for (int64_t i = 0; i < n * d; i++)
        x[i] = linear && i % d == 1 ? x[i - 1] : wlab_rng_normal(rng);
    for (int64_t i = 0; i < n; i++) {
        p.h[i] = i % 5 ? wlab_rng_uniform(rng) : 0;
        p.v[i] = wlab_rng_normal(rng);
        for (int64_t j = 0; j < n; j++) {
            double dot = 0, apart = 0;
            for (int b = 0; b < d; b++) {
                dot += x[i * d + b] * x[j * d + b];
                apart += (x[i * d + b] - x[j * d + b]) * (x[i * d + b] - x[j * d + b]);
            }
            p.K[i * n + j] = linear ? dot : exp(-apart / 2);
        }
    }
    free(x);
    return p;
}

static void problem_free(problem *p)
{
    free(p->K);
    free(p->h);
    free(p->root);
    free(p->row);
    free(p->v);
    free(p->out);
}

/* The factor of I + H^1/2 K H^1/2 / lambda. */
static double *factor_of(const problem *p, double lambda)
{
    wlab_err err;
    bool definite = false;
    double *A = calloc((size_t)(p->n * p->n), sizeof *A);
    assert_non_null(A);
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t j = 0; j <= i; j++)
            A[i * p->n + j] = (i == j) + sqrt(p->h[i] * p->h[j]) * p->K[i * p->n + j] / lambda;
    ASSERT_OK(wlab_cholesky(A, p->n, &definite, NULL, &err), err);
    assert_true(definite);
    return A;
}

/* All rows, with the weights h. */
static bool set(wlab_woodbury *W, const problem *p, double lambda, wlab_ctx *ctx)
{
    wlab_err err;
    bool definite = false;
    for (int64_t i = 0; i < p->n; i++) {
        p->row[i] = (int32_t)i;
        p->root[i] = sqrt(p->h[i]);
    }
    ASSERT_OK(wlab_woodbury_set(W, p->row, p->root, p->n, lambda, &definite, ctx, &err), err);
    return definite;
}

static wlab_woodbury *of(const problem *p, double lambda, wlab_ctx *ctx)
{
    wlab_err err;
    wlab_woodbury *W;
    ASSERT_OK(wlab_woodbury_create(&W, p->K, p->n, ctx, &err), err);
    assert_true(set(W, p, lambda, ctx));
    return W;
}

/* K has a rank below the number of columns, so that M is the whole system. */
static void test_exact(void **state)
{
    (void)state;
    wlab_rng rng;
    wlab_rng_seed(&rng, 1);
    const int64_t sizes[] = {40, 511, 700};
    for (int c = 0; c < 6; c++) {
        const double lambda = c % 2 ? 1e-3 : 10;
        problem p = problem_new(sizes[c / 2], 6, true, &rng);
        double *L = factor_of(&p, lambda), *x = calloc((size_t)p.n, sizeof *x);
        wlab_woodbury *W = of(&p, lambda, NULL);
        assert_non_null(x);
        assert_int_equal(wlab_woodbury_columns(W), 5); /* two of six are equal */
        memcpy(x, p.v, (size_t)p.n * sizeof *x);
        wlab_cholesky_solve(L, p.n, x);
        wlab_woodbury_solve(W, p.v, p.out, NULL);
        for (int64_t i = 0; i < p.n; i++) {
            ASSERT_NEAR(p.out[i], x[i], 1e-8);
            if (p.h[i] == 0)
                assert_true(p.out[i] == p.v[i]);
        }
        wlab_woodbury_destroy(W);
        problem_free(&p);
        free(L);
        free(x);
    }
}

/* K has more columns: as K - L L' is psd, v'A^-1 v <= v'M^-1 v <= v'v, and M^-1 is symmetric. */
static void test_between(void **state)
{
    (void)state;
    wlab_rng rng;
    wlab_rng_seed(&rng, 2);
    for (int c = 0; c < 4; c++) {
        const double lambda = c % 2 ? 1e-3 : 1;
        problem p = problem_new(300, c < 2 ? 2 : 8, false, &rng);
        const int64_t n = p.n;
        double *L = factor_of(&p, lambda), *x = calloc((size_t)n, sizeof *x),
               *first = calloc((size_t)n, sizeof *first);
        wlab_woodbury *W = of(&p, lambda, NULL);
        assert_true(x && first);
        assert_true(wlab_woodbury_columns(W) >= 30 && wlab_woodbury_columns(W) <= 38);
        for (int round = 0; round < 10; round++) {
            double system = 0, near = 0, unit = 0, across = 0, back = 0;
            for (int64_t i = 0; i < n; i++)
                x[i] = first[i] = wlab_rng_normal(&rng);
            wlab_cholesky_solve(L, n, x);
            wlab_woodbury_solve(W, first, p.out, NULL);
            for (int64_t i = 0; i < n; i++) {
                system += first[i] * x[i];
                near += first[i] * p.out[i];
                unit += first[i] * first[i];
                across += p.v[i] * p.out[i];
            }
            wlab_woodbury_solve(W, p.v, p.out, NULL);
            for (int64_t i = 0; i < n; i++)
                back += first[i] * p.out[i];
            if (!(system <= near * (1 + 1e-9) && near < unit))
                fail_msg("%g, %g, %g", system, near, unit);
            ASSERT_NEAR(across, back, 1e-9 * unit);
        }
        wlab_woodbury_destroy(W);
        problem_free(&p);
        free(L);
        free(x);
        free(first);
    }
}

/* The rows with a weight alone, or all rows, the others with the weight 0: the same M; and no row at all. */
static void test_rows(void **state)
{
    (void)state;
    enum {
        N = 2100
    };
    wlab_err err;
    wlab_rng rng;
    bool definite = false;
    wlab_rng_seed(&rng, 6);
    problem p = problem_new(N, 3, false, &rng);
    wlab_woodbury *W = of(&p, 0.01, NULL);
    double *v = calloc(N, sizeof *v), *out = calloc(N, sizeof *out);
    int64_t k = 0;
    assert_true(v && out);
    wlab_woodbury_solve(W, p.v, p.out, NULL);
    for (int32_t i = 0; i < N; i++)
        if (p.h[i] > 0) {
            p.row[k] = i;
            p.root[k] = sqrt(p.h[i]);
            v[k++] = p.v[i];
        }
    ASSERT_OK(wlab_woodbury_set(W, p.row, p.root, k, 0.01, &definite, NULL, &err), err);
    assert_true(definite && k < N);
    wlab_woodbury_solve(W, v, out, NULL);
    for (int64_t a = 0; a < k; a++)
        ASSERT_NEAR(out[a], p.out[p.row[a]], 1e-8);
    ASSERT_OK(wlab_woodbury_set(W, NULL, NULL, 0, 0.01, &definite, NULL, &err), err);
    wlab_woodbury_solve(W, v, out, NULL);
    wlab_woodbury_destroy(W);
    problem_free(&p);
    free(v);
    free(out);
}

static void test_threads(void **state)
{
    (void)state;
    enum {
        N = 2100
    };
    wlab_err err;
    wlab_rng rng;
    double first[N] = {0};
    wlab_rng_seed(&rng, 3);
    problem p = problem_new(N, 4, false, &rng);
    for (int threads = 1; threads <= 3; threads++) {
        wlab_ctx ctx = {0};
        ASSERT_OK(wlab_pool_create(&ctx.pool, threads, &err), err);
        wlab_woodbury *W = of(&p, 0.01, &ctx);
        wlab_woodbury_solve(W, p.v, p.out, ctx.pool);
        if (threads == 1)
            memcpy(first, p.out, sizeof first);
        assert_memory_equal(first, p.out, sizeof first);
        wlab_woodbury_destroy(W);
        wlab_pool_destroy(ctx.pool);
    }
    problem_free(&p);
}

/* K = 0; a lambda that is lost beside S'S; weights that are not numbers. */
static void test_limits(void **state)
{
    (void)state;
    wlab_rng rng;
    wlab_woodbury *W;
    wlab_rng_seed(&rng, 4);
    problem p = problem_new(50, 3, false, &rng);
    W = of(&p, 0.1, NULL);
    memset(p.h, 0, 50 * sizeof *p.h); /* other weights: of the first pivot only, whose row of K is exact */
    p.h[0] = 1;
    assert_true(set(W, &p, 0.1, NULL));
    wlab_woodbury_solve(W, p.v, p.out, NULL);
    for (int i = 0; i < 50; i++)
        ASSERT_NEAR(p.out[i], i == 0 ? p.v[i] / (1 + p.K[0] / 0.1) : p.v[i], 1e-12);
    for (int i = 20; i < 24; i++) /* fewer rows than columns: S'S is singular */
        p.h[i] = 1;
    assert_false(set(W, &p, 1e-300, NULL));
    p.h[0] = NAN;
    assert_false(set(W, &p, 0.1, NULL));
    wlab_woodbury_destroy(W);

    memset(p.K, 0, 50 * 50 * sizeof *p.K);
    p.h[0] = 1;
    W = of(&p, 0.1, NULL);
    assert_int_equal(wlab_woodbury_columns(W), 0);
    wlab_woodbury_solve(W, p.v, p.out, NULL);
    assert_memory_equal(p.out, p.v, 50 * sizeof *p.v);
    wlab_woodbury_destroy(W);
    wlab_woodbury_destroy(NULL);
    problem_free(&p);
}

static void test_refusals(void **state)
{
    (void)state;
    wlab_err err;
    wlab_rng rng;
    wlab_woodbury *W = NULL;
    atomic_int stop = 1;
    wlab_ctx ctx = {.interrupt = &stop};
    wlab_rng_seed(&rng, 5);
    problem p = problem_new(50, 3, false, &rng);
    ASSERT_FAILS(wlab_woodbury_create(&W, p.K, 50, &ctx, &err), WL_EINTERRUPTED, err, "interrupted");
    assert_null(W);
    ALLOC_SWEEP(wlab_woodbury_create(&W, p.K, 50, NULL, &err));
    wlab_woodbury_destroy(W);
    problem_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact),   cmocka_unit_test(test_between), cmocka_unit_test(test_rows),
        cmocka_unit_test(test_threads), cmocka_unit_test(test_limits),  cmocka_unit_test(test_refusals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

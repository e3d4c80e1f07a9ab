/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Products with a symmetric matrix beside sums of its entries: in both precisions, for vectors with few and with many zeros,
 * of a part of the matrix; the same bits on any number of threads and with registers of any width.
 */
#include "support.h"

#include "weaklab/pool.h"

#define WLAB_NARROW
#define REAL       double
#define BLAS(name) cblas_d##name
#define LEADING    leading_narrow
void leading_narrow(const double *, int64_t, int64_t, const double *, double *, double *, wlab_pool *);
#include "linalg/symmetric_parts.h"

#include "weaklab/rng.h"

typedef struct problem {
    int64_t n;
    double *K, *c, *out, *first, *sums;
    float *single, *x, *y, *y1, *parts;
} problem;

static problem problem_new(int64_t n, wlab_rng *rng)
{
    const size_t rows = (size_t)n + 1, sums = (size_t)wlab_symmetric_sums(n) + 1;
    problem p = {n,
                 calloc(rows * rows, sizeof *p.K),
                 calloc(rows, sizeof *p.c),
                 calloc(rows, sizeof *p.out),
                 calloc(rows, sizeof *p.first),
                 calloc(sums, sizeof *p.sums),
                 calloc(rows * rows, sizeof *p.single),
                 calloc(rows, sizeof *p.x),
                 calloc(rows, sizeof *p.y),
                 calloc(rows, sizeof *p.y1),
                 calloc(sums, sizeof *p.parts)};
    assert_true(p.K && p.c && p.out && p.first && p.sums && p.single && p.x && p.y && p.y1 && p.parts);
    for (int64_t i = 0; i < n; i++) {
        p.c[i] = i % 3 ? wlab_rng_normal(rng) : 0;
        p.x[i] = (float)p.c[i];
        for (int64_t j = 0; j <= i; j++)
            p.K[i * n + j] = p.K[j * n + i] = wlab_rng_normal(rng);
    }
    for (int64_t i = 0; i < n * n; i++)
        p.single[i] = (float)p.K[i];
    return p;
}

static void problem_free(problem *p)
{
    void *all[] = {p->K, p->c, p->out, p->first, p->sums, p->single, p->x, p->y, p->y1, p->parts};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

static const int64_t sizes[] = {0, 1, 5, 1023, 1024, 1531};
enum {
    SIZES = sizeof sizes / sizeof *sizes
};

/* The product of the leading rows and columns, at some of them. */
static void assert_product(const problem *p, int64_t leading, const double *out, const float *y)
{
    for (int64_t i = 0; i < leading; i += 1 + leading / 50) {
        double sum = 0;
        for (int64_t j = 0; j < leading; j++)
            sum += p->K[i * p->n + j] * p->c[j];
        ASSERT_NEAR(out[i], sum, 1e-10);
        if (y)
            ASSERT_NEAR(y[i], sum, 1e-3);
    }
}

static void test_product(void **state)
{
    (void)state;
    wlab_rng rng;
    wlab_rng_seed(&rng, 4);
    for (int s = 0; s < SIZES; s++) {
        problem p = problem_new(sizes[s], &rng);
        wlab_symmetric_mul(p.K, p.n, p.c, p.out, NULL, NULL); /* by rows */
        assert_product(&p, p.n, p.out, NULL);
        for (int64_t i = 0; i < p.n; i++)
            p.c[i] = i % 3 == 1 ? p.c[i] : 0;
        wlab_symmetric_mul(p.K, p.n, p.c, p.out, p.sums, NULL); /* by rows, as most are 0 */
        assert_product(&p, p.n, p.out, NULL);
        problem_free(&p);
    }
}

static void test_triangle(void **state)
{
    (void)state;
    wlab_err err;
    wlab_rng rng;
    wlab_rng_seed(&rng, 5);
    for (int s = 0; s < SIZES; s++) {
        problem p = problem_new(sizes[s], &rng);
        const size_t n = (size_t)p.n;
        for (int64_t i = 0; i < p.n * p.n; i++)
            if (i % p.n > i / p.n)
                p.single[i] = NAN; /* is not read */
        for (int threads = 1; threads <= 3; threads++) {
            wlab_pool *pool;
            ASSERT_OK(wlab_pool_create(&pool, threads, &err), err);
            memset(p.out, -1, n * sizeof *p.out);
            wlab_symmetric_mul(p.K, p.n, p.c, p.out, p.sums, pool);
            wlab_symmetric_leading_single(p.single, p.n, p.n, p.x, p.y, p.parts, pool);
            if (threads == 1) {
                memcpy(p.first, p.out, n * sizeof *p.out);
                memcpy(p.y1, p.y, n * sizeof *p.y);
                assert_product(&p, p.n, p.out, p.y);
            }
            assert_memory_equal(p.first, p.out, n * sizeof *p.out);
            assert_memory_equal(p.y1, p.y, n * sizeof *p.y);
            wlab_pool_destroy(pool);
        }
        leading_narrow(p.K, p.n, p.n, p.c, p.out, p.sums, NULL);
        assert_memory_equal(p.first, p.out, n * sizeof *p.out);
        const int64_t leading = p.n - p.n / 4;
        wlab_symmetric_leading(p.K, p.n, leading, p.c, p.out, p.sums, NULL);
        assert_product(&p, leading, p.out, NULL);
        problem_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_product),
        cmocka_unit_test(test_triangle),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

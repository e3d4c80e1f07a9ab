/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Loops over rows: blocks and their sums for any number of threads; operations on two numbers against those on one, and
 * the exponential against long double.
 */
#include "base/rows.h"
#include "base/two.h"
#include "support.h"
#include "weaklab/rng.h"

#include <math.h>

typedef struct job {
    const double *x;
    int *seen;
} job;

static void add(void *data, int64_t begin, int64_t end, int block, double *sum)
{
    job *j = data;
    assert_true(block >= 0 && block < WL_ROW_BLOCKS);
    for (int k = 0; k < WL_ROW_SUMS; k++)
        assert_true(sum[k] == 0);
    for (int64_t i = begin; i < end; i++) {
        j->seen[i]++;
        sum[0] += j->x[i];
        sum[3] += 1;
    }
}

static void test_blocks(void **state)
{
    static const int64_t sizes[] = {0, 1, 2, WL_ROWS - 1, WL_ROWS, 3 * WL_ROWS + 1, 300001};
    (void)state;
    wlab_rng rng;
    wlab_rng_seed(&rng, 1);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const int64_t n = sizes[s];
        double *x = calloc((size_t)n + 1, sizeof *x), first = 0;
        long double exact = 0;
        assert_non_null(x);
        for (int64_t i = 0; i < n; i++)
            exact += x[i] = wlab_rng_normal(&rng);
        wlab_rows rows;
        wlab_rows_whole(&rows, n);
        assert_true(wlab_rows_blocks(&rows) >= 1 && wlab_rows_blocks(&rows) <= WL_ROW_BLOCKS);
        for (int threads = 0; threads <= 4; threads++) { /* 0: without a pool */
            wlab_err err;
            wlab_pool *pool = NULL;
            double sum[WL_ROW_SUMS];
            job j = {.x = x, .seen = calloc((size_t)n + 1, sizeof(int))};
            assert_non_null(j.seen);
            if (threads)
                ASSERT_OK(wlab_pool_create(&pool, threads, &err), err);
            wlab_rows_run(&rows, add, &j, sum, pool);
            for (int64_t i = 0; i <= n; i++)
                assert_int_equal(j.seen[i], i < n);
            assert_true(fabsl(sum[0] - exact) <= 1e-12L * (1 + (long double)n));
            assert_true(sum[1] == 0 && sum[2] == 0 && sum[3] == (double)n);
            if (threads == 0)
                first = sum[0];
            assert_true(sum[0] == first); /* to the bit */
            wlab_rows_run(&rows, add, &j, NULL, pool);
            wlab_pool_destroy(pool);
            free(j.seen);
        }
        free(x);
    }
}

static void test_exponential(void **state)
{
    (void)state;
    wlab_rng rng;
    wlab_rng_seed(&rng, 2);
    for (int k = 0; k < 2000000; k++) {
        const double a = k % 3 ? 700 * wlab_rng_uniform(&rng) : pow(10, 4 * wlab_rng_uniform(&rng) - 3) / 10;
        const wlab_two e = wlab_two_exp_minus((wlab_two){a, k % 2 ? 0 : 700});
        const long double exact = expl(-(long double)a);
        if (!(fabsl(e[0] - exact) <= 2.2e-16L * exact))
            fail_msg("exp(-%.17g) = %.17g instead of %.17Lg", a, e[0], exact);
        assert_true(e[1] == (k % 2 ? 1 : 0));
    }
    const wlab_two far = wlab_two_exp_minus((wlab_two){INFINITY, 699.9999});
    assert_true(far[0] == 0 && far[1] > 0);
}

static void test_logarithm(void **state)
{
    (void)state;
    wlab_rng rng;
    wlab_rng_seed(&rng, 4);
    for (int k = 0; k < 2000000; k++) {
        const double u = wlab_rng_uniform(&rng), x = k % 3 == 0   ? exp(1400 * u - 700)
                                                     : k % 3 == 1 ? 1 + (u - 0.5) * pow(10, -(k % 16))
                                                                  : u;
        const wlab_two y = wlab_two_log((wlab_two){x, k % 2 ? 1 : 0});
        const long double exact = logl((long double)x);
        if (!(fabsl(y[0] - exact) <= 4.4e-16L * fabsl(exact)))
            fail_msg("log(%.17g) = %.17g instead of %.17Lg", x, y[0], exact);
        assert_true(y[1] == (k % 2 ? 0 : -INFINITY));
    }
    const wlab_two ends = wlab_two_log((wlab_two){DBL_MIN, DBL_MAX});
    ASSERT_NEAR(ends[0], log(DBL_MIN), 1e-12);
    ASSERT_NEAR(ends[1], log(DBL_MAX), 1e-12);
}

static void test_operations(void **state)
{
    static const double value[] = {-INFINITY, -2, -1e-300, -0.0, 0, 1e-300, 1, 3, INFINITY, NAN};
    enum {
        VALUES = sizeof value / sizeof *value
    };
    (void)state;
    for (int i = 0; i < VALUES; i++)
        for (int j = 0; j < VALUES; j++) {
            const double a = value[i], b = value[j];
            const wlab_two x = {a, b}, y = {b, a};
            const wlab_two_mask less = wlab_two_less(x, y);
            double out[3] = {7, 7, 7};
            assert_true(less[0] == (a < b ? -1 : 0) && less[1] == (b < a ? -1 : 0));
            assert_true(wlab_two_positive(x)[0] == (a > 0 ? a : 0));
            assert_true(wlab_two_where(less, x)[0] == (a < b ? a : 0));
            const wlab_two chosen = wlab_two_choose(less, x, y);
            assert_memory_equal((double[]){chosen[0]}, (double[]){a < b ? a : b}, sizeof(double));
            assert_true(isnan(a) ? isnan(wlab_two_abs(x)[0]) : wlab_two_abs(x)[0] == fabs(a));
            wlab_two_store_some(out + 1, x, 1);
            assert_true(out[0] == 7 && out[2] == 7);
            assert_memory_equal(&out[1], &a, sizeof a);
            const wlab_two one = wlab_two_load_some(out + 1, 1);
            assert_memory_equal((double[]){one[0]}, &a, sizeof a);
            assert_true(one[1] == 0);
            wlab_two_store_some(out, x, 2);
            assert_memory_equal(out, ((double[]){a, b}), 2 * sizeof a);
            assert_true(out[2] == 7);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_exponential),
        cmocka_unit_test(test_logarithm),
        cmocka_unit_test(test_operations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

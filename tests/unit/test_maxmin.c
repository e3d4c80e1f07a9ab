/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The max-min solver: primal = dual to 1e-9 on random problems, against enumeration of the dual's corners for two functions,
 * against the corners of the box for few variables, degenerate ones.
 */
#include "support.h"

#include "solve/maxmin.h"
#include "weaklab/rng.h"

static void solve(wlab_maxmin *s, int most)
{
    wlab_err err;
    double y[400] = {0};
    wlab_maxmin_start(s, y);
    for (int k = 0; k < most && s->upper - s->lower > 1e-10 * (1 + fabs(s->upper)); k++) {
        const double lower = s->lower, upper = s->upper;
        ASSERT_OK(wlab_maxmin_step(s, &err), err);
        assert_true(s->lower >= lower && s->upper <= upper &&
                    s->lower <= s->upper + 1e-9 * (1 + fabs(s->upper)));
    }
}

static wlab_maxmin *drawn(int t, int u, int seed, bool signs)
{
    wlab_err err;
    wlab_maxmin *s;
    wlab_rng rng;
    wlab_rng_seed(&rng, (uint64_t)seed);
    ASSERT_OK(wlab_maxmin_create(&s, t, u, &err), err);
    for (int k = 0; k < t * u; k++) {
        s->c[k] = wlab_rng_normal(&rng);
        if (signs) /* as of labelings: few values, many ties */
            s->c[k] = s->c[k] > 0.7 ? 1.5 : s->c[k] < -0.7 ? -0.5 : 0;
    }
    for (int k = 0; k < t; k++)
        s->d[k] = signs ? -(double)(k % 3) : wlab_rng_normal(&rng);
    return s;
}

static void test_duality(void **state)
{
    (void)state;
    static const int sizes[][2] = {{1, 5}, {2, 30}, {3, 3}, {5, 40}, {10, 100}, {10, 400}, {7, 6}, {10, 1}};
    for (int k = 0; k < 8; k++)
        for (int seed = 1; seed <= 6; seed++) {
            wlab_maxmin *s = drawn(sizes[k][0], sizes[k][1], seed, seed % 2);
            solve(s, 60);
            if (!(s->upper - s->lower <= 1e-9 * (1 + fabs(s->upper))))
                fail_msg("t=%d u=%d seed=%d: %.12g to %.12g", sizes[k][0], sizes[k][1], seed, s->lower,
                         s->upper);
            for (int i = 0; i < sizes[k][1]; i++)
                assert_true(fabs(s->best[i]) <= 1);
            wlab_maxmin_destroy(s);
        }
}

/* Functions as those of s4vm, gain - lambda loss of labelings near each other: degenerate in every way. */
static void test_labelings(void **state)
{
    (void)state;
    for (int seed = 1; seed <= 60; seed++) {
        wlab_err err;
        wlab_maxmin *s;
        wlab_rng rng;
        const int t = 1 + seed % 10, u = 20 + 3 * seed;
        const double lambda = seed % 4;
        signed char y0[200];
        double start[200];
        wlab_rng_seed(&rng, (uint64_t)seed);
        ASSERT_OK(wlab_maxmin_create(&s, t, u, &err), err);
        for (int i = 0; i < u; i++)
            start[i] = y0[i] = wlab_rng_below(&rng, 2) ? 1 : -1;
        for (int k = 0; k < t; k++) {
            double agree = 0;
            for (int i = 0; i < u; i++) {
                const int y = wlab_rng_below(&rng, 5) ? y0[i] : -y0[i];
                agree += y * y0[i];
                s->c[k * u + i] = ((1 + lambda) * y + (lambda - 1) * y0[i]) / 4;
            }
            s->d[k] = (-(1 + lambda) * agree + (1 - lambda) * u) / 4;
        }
        wlab_maxmin_start(s, start);
        ASSERT_NEAR(s->lower, 0, 1e-12 * u); /* y0 gains and loses nothing */
        for (int k = 0; k < 200 && s->upper - s->lower > 1e-9 * (1 + fabs(s->upper)); k++)
            ASSERT_OK(wlab_maxmin_step(s, &err), err);
        if (!(s->upper - s->lower <= 1e-9 * (1 + fabs(s->upper))))
            fail_msg("seed %d, t=%d u=%d: %.12g to %.12g", seed, t, u, s->lower, s->upper);
        wlab_maxmin_destroy(s);
    }
}

/* Two functions: the dual is piecewise linear in mu_1, with kinks where a coordinate of C'mu is 0. */
static void test_two(void **state)
{
    (void)state;
    for (int seed = 1; seed <= 20; seed++) {
        wlab_maxmin *s = drawn(2, 12, seed, seed % 2);
        double least = HUGE_VAL;
        solve(s, 60);
        for (int k = -2; k < 12; k++) {
            const double a = k < 0 ? 0 : s->c[k], b = k < 0 ? 0 : s->c[12 + k];
            const double at = k == -2 ? 0 : k == -1 ? 1 : b / (b - a);
            double value = at * s->d[0] + (1 - at) * s->d[1];
            if (!(at >= 0 && at <= 1))
                continue;
            for (int i = 0; i < 12; i++)
                value += fabs(at * s->c[i] + (1 - at) * s->c[12 + i]);
            least = fmin(least, value);
        }
        ASSERT_NEAR(s->upper, least, 1e-9 * (1 + fabs(least)));
        wlab_maxmin_destroy(s);
    }
}

/* No corner of the box is better than the optimum. */
static void test_corners(void **state)
{
    (void)state;
    for (int seed = 1; seed <= 10; seed++) {
        wlab_maxmin *s = drawn(4, 6, seed, false);
        solve(s, 60);
        for (int corner = 0; corner < 64; corner++) {
            double least = HUGE_VAL;
            for (int t = 0; t < 4; t++) {
                double sum = s->d[t];
                for (int i = 0; i < 6; i++)
                    sum += corner >> i & 1 ? s->c[t * 6 + i] : -s->c[t * 6 + i];
                least = fmin(least, sum);
            }
            assert_true(least <= s->upper + 1e-9);
        }
        wlab_maxmin_destroy(s);
    }
}

static void test_memory(void **state)
{
    (void)state;
    wlab_err err;
    wlab_maxmin *s = drawn(3, 8, 1, false);
    double y[8] = {0};
    wlab_maxmin_start(s, y);
    ALLOC_SWEEP(wlab_maxmin_step(s, &err));
    wlab_maxmin_destroy(s);
    ALLOC_SWEEP_OUT(wlab_maxmin_create(&s, 3, 8, &err), s);
    wlab_maxmin_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_duality), cmocka_unit_test(test_labelings),
                                       cmocka_unit_test(test_two), cmocka_unit_test(test_corners),
                                       cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

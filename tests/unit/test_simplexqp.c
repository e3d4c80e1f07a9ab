/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The QP over the simplex: its optimality conditions, and enumeration of supports.
 */
#include "support.h"

#include "solve/simplexqp.h"
#include "weaklab/rng.h"

#include <lapacke.h>

enum {
    MOST = 40
};

/* H = scale AA' of rank `rank`; kind of c: 0 random, 1 in the range of H, 2 zero, 3 much larger than H. */
static void make(int64_t t, int64_t rank, double scale, int kind, double *H, double *c, wlab_rng *rng)
{
    double A[MOST * MOST];
    for (int64_t i = 0; i < t * rank; i++)
        A[i] = wlab_rng_normal(rng);
    for (int64_t i = 0; i < t; i++) {
        for (int64_t j = 0; j < t; j++) {
            H[i * t + j] = 0;
            for (int64_t k = 0; k < rank; k++)
                H[i * t + j] += scale * A[i * rank + k] * A[j * rank + k];
        }
        c[i] = kind == 2 ? 0 : (kind == 3 ? 1e3 : 1) * wlab_rng_normal(rng);
    }
    if (kind == 1)
        for (int64_t i = 0; i < t; i++)
            c[i] = H[i * t] - 0.3 * H[i * t + t - 1];
}

static double value(const double *H, const double *c, int64_t t, const double *x)
{
    double sum = 0;
    for (int64_t i = 0; i < t; i++) {
        sum += c[i] * x[i];
        for (int64_t j = 0; j < t; j++)
            sum += 0.5 * x[i] * H[i * t + j] * x[j];
    }
    return sum;
}

/* The gap to the linear bound: f(x) - f* <= g'x - min g, whose parts are the optimality conditions. */
static void certify(const double *H, const double *c, int64_t t, const double *x, double tol)
{
    double sum = 0, gx = 0, least = HUGE_VAL, size = 0;
    for (int64_t i = 0; i < t; i++) {
        double g = c[i];
        assert_true(x[i] >= 0);
        sum += x[i];
        for (int64_t j = 0; j < t; j++)
            g += H[i * t + j] * x[j];
        gx += g * x[i];
        least = fmin(least, g);
        size = fmax(size, fmax(fabs(c[i]), fabs(H[i * t + i])));
    }
    ASSERT_NEAR(sum, 1, 1e-13);
    if (!(gx - least <= tol * size))
        fail_msg("t = %lld: g'x = %.17g but min g = %.17g (scale %.3g)", (long long)t, gx, least, size);
}

static void start_at(double *x, int64_t t, int how, wlab_rng *rng)
{
    double sum = 0;
    for (int64_t i = 0; i < t; i++) {
        x[i] = how == 0 ? i == t / 2 : how == 1 ? 1 : wlab_rng_uniform(rng) < 0.5 ? 0 : wlab_rng_uniform(rng);
        sum += x[i];
    }
    if (sum == 0)
        x[0] = sum = 1;
    for (int64_t i = 0; i < t; i++)
        x[i] /= sum;
}

static void test_conditions(void **state)
{
    (void)state;
    static const double scales[] = {1, 1e-9, 1e6};
    double H[MOST * MOST], c[MOST], x[MOST];
    wlab_err err;
    wlab_rng rng;
    wlab_rng_seed(&rng, 1);
    for (int64_t t = 1; t <= MOST; t += t < 8 ? 1 : 8)
        for (int64_t rank = 0; rank <= t; rank += t < 8 ? 1 : t / 4)
            for (int kind = 0; kind < 4; kind++)
                for (int s = 0; s < 3; s++)
                    for (int how = 0; how < 3; how++) {
                        make(t, rank, scales[s], kind, H, c, &rng);
                        start_at(x, t, how, &rng);
                        ASSERT_OK(wlab_simplexqp_solve(H, c, t, x, &err), err);
                        certify(H, c, t, x, 1e-10);
                    }
}

/* H with two equal rows, with equal c or with c that differ by rounding, as WellSVM makes them from two labelings that
 * differ only in rows with alpha = 0. */
static void test_duplicates(void **state)
{
    (void)state;
    double H[MOST * MOST], c[MOST], x[MOST];
    wlab_err err;
    wlab_rng rng;
    wlab_rng_seed(&rng, 2);
    for (int round = 0; round < 60; round++) {
        int64_t t = 12;
        make(t, 5, 1, round % 2 ? 1 : 0, H, c, &rng);
        for (int64_t j = 0; j < t; j++)
            H[11 * t + j] = H[3 * t + j];
        for (int64_t i = 0; i < t; i++)
            H[i * t + 11] = H[i * t + 3];
        c[11] = c[3] * (round % 3 ? 1 : 1 + 1e-15);
        start_at(x, t, round % 3, &rng);
        ASSERT_OK(wlab_simplexqp_solve(H, c, t, x, &err), err);
        certify(H, c, t, x, 1e-10);
    }
}

/* The smallest value over all supports: on each, the stationary point with 1'x = 1 if it is not negative. */
static void test_enumeration(void **state)
{
    (void)state;
    double H[64], c[8], x[8], M[81], r[9];
    wlab_err err;
    wlab_rng rng;
    wlab_rng_seed(&rng, 3);
    for (int round = 0; round < 400; round++) {
        int64_t t = 1 + round % 8;
        make(t, t, 1, round % 3, H, c, &rng);
        double best = HUGE_VAL;
        for (int support = 1; support < 1 << t; support++) {
            int pick[8], m = 0;
            double point[8] = {0};
            bool feasible = true;
            for (int i = 0; i < t; i++)
                if (support >> i & 1)
                    pick[m++] = i;
            for (int a = 0; a < m; a++) {
                for (int b = 0; b < m; b++)
                    M[a * (m + 1) + b] = H[pick[a] * t + pick[b]];
                M[a * (m + 1) + m] = M[m * (m + 1) + a] = 1;
                r[a] = -c[pick[a]];
            }
            M[m * (m + 1) + m] = 0;
            r[m] = 1;
            lapack_int pivot[9];
            if (LAPACKE_dgesv(LAPACK_COL_MAJOR, m + 1, 1, M, m + 1, pivot, r, m + 1))
                continue;
            for (int a = 0; a < m; a++) {
                point[pick[a]] = r[a];
                feasible = feasible && r[a] >= 0;
            }
            if (feasible)
                best = fmin(best, value(H, c, t, point));
        }
        start_at(x, t, round % 3, &rng);
        ASSERT_OK(wlab_simplexqp_solve(H, c, t, x, &err), err);
        ASSERT_NEAR(value(H, c, t, x), best, 1e-10);
        certify(H, c, t, x, 1e-10);
    }
}

static void test_errors(void **state)
{
    (void)state;
    double H[] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, c[] = {-1, 0, 1}, x[] = {0, 0, 1};
    wlab_err err;
    ALLOC_SWEEP_CHECK(wlab_simplexqp_solve(H, c, 3, x, &err), assert_true(x[2] == 1));
    ASSERT_NEAR(x[0], 1, 1e-14);
    H[4] = -100, x[0] = x[1] = x[2] = 1.0 / 3;
    ASSERT_FAILS(wlab_simplexqp_solve(H, c, 3, x, &err), WL_ENUMERIC, err, "not convex");
    H[4] = NAN, x[0] = x[1] = x[2] = 1.0 / 3;
    ASSERT_FAILS(wlab_simplexqp_solve(H, c, 3, x, &err), WL_ENUMERIC, err, "");
    H[4] = 1, c[1] = NAN, x[0] = x[1] = x[2] = 1.0 / 3;
    ASSERT_FAILS(wlab_simplexqp_solve(H, c, 3, x, &err), WL_ENUMERIC, err, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_duplicates),
        cmocka_unit_test(test_enumeration),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Statistics compared with published tables and examples, closed forms, and the tables of the WellSVM paper.
 */
#include "support.h"

#include "weaklab/rng.h"
#include "weaklab/statistics.h"

/* A published number: equal to its last printed digit. */
#define ASSERT_PRINTED(x, printed, digits)                                                                   \
    do {                                                                                                     \
        double x_ = (x), printed_ = (printed);                                                               \
        if (!(fabs(x_ - printed_) <= 0.5000001 * pow(10, -(digits))))                                        \
            fail_msg("%s = %.9g is printed as %.9g", #x, x_, printed_);                                      \
    } while (0)

/* ---- means ---- */

static void means(void **state)
{
    (void)state;
    double x[] = {2, 4, 4, 4, 5, 5, 7, 9}, same[7], far[3] = {1e9 + 1, 1e9 + 2, 1e9 + 3};

    ASSERT_NEAR(wlab_mean(x, 8), 5, 1e-15);
    ASSERT_NEAR(wlab_deviation(x, 8), sqrt(32.0 / 7), 1e-15);
    for (int i = 0; i < 7; i++)
        same[i] = 0.1;
    assert_true(wlab_mean(same, 7) == 0.1);
    assert_true(wlab_deviation(same, 7) == 0);
    ASSERT_NEAR(wlab_deviation(far, 3), 1, 1e-12);
    assert_true(isnan(wlab_mean(x, 0)) && isnan(wlab_deviation(x, 1)) && isnan(wlab_deviation(x, 0)));
    assert_true(wlab_mean(x, 1) == 2);
    x[3] = (double)NAN;
    assert_true(isnan(wlab_mean(x, 8)) && isnan(wlab_deviation(x, 8)));
    x[3] = (double)INFINITY;
    assert_true(isinf(wlab_mean(x, 8)) && isnan(wlab_deviation(x, 8)));
}

/* ---- paired t-test ---- */

/* Student's own example (Biometrika 6, 1908): additional hours of sleep. */
static const double dextro[10] = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
static const double laevo[10] = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};

static void student(void **state)
{
    (void)state;
    wlab_err err;
    wlab_test t, back;

    ASSERT_OK(wlab_test_paired(dextro, laevo, 10, 0, &t, &err), err);
    ASSERT_PRINTED(t.statistic, -4.0621, 4);
    ASSERT_PRINTED(t.p, 0.002833, 6);
    assert_true(t.df == 9 && isnan(t.df2));
    ASSERT_OK(wlab_test_paired(laevo, dextro, 10, 0, &back, &err), err);
    assert_true(back.statistic == -t.statistic && back.p == t.p);
}

/* n differences of mean t s / sqrt(n) must have the p of the t table. */
static void t_table(void **state)
{
    (void)state;
    static const struct {
        int df;
        double t95, t99; /* two-sided 5% and 1% points */
    } row[] = {{1, 12.706, 63.657}, {2, 4.303, 9.925},  {3, 3.182, 5.841},  {5, 2.571, 4.032},
               {9, 2.262, 3.250},   {10, 2.228, 3.169}, {20, 2.086, 2.845}, {29, 2.045, 2.756}};

    for (size_t r = 0; r < sizeof row / sizeof *row; r++)
        for (int which = 0; which < 2; which++) {
            int n = row[r].df + 1;
            double expected = which ? row[r].t99 : row[r].t95, p = which ? 0.01 : 0.05, a[30], b[30] = {0};
            double mean = (n - 1) / 2.0, s = sqrt(n * (n + 1) / 12.0); /* of 0, 1, ..., n - 1 */
            wlab_test t;
            wlab_err err;

            for (int i = 0; i < n; i++)
                a[i] = i - mean + expected * s / sqrt(n);
            ASSERT_OK(wlab_test_paired(a, b, n, 0, &t, &err), err);
            ASSERT_NEAR(t.statistic, expected, 1e-12);
            ASSERT_NEAR(t.p / p, 1, 1e-3); /* the table's rounding */
        }
}

/* Nadeau and Bengio: the variance s^2 / n becomes s^2 (1/n + test/train). */
static void corrected(void **state)
{
    (void)state;
    wlab_err err;
    wlab_test plain, t;

    ASSERT_OK(wlab_test_paired(dextro, laevo, 10, 0, &plain, &err), err);
    ASSERT_OK(wlab_test_paired(dextro, laevo, 10, 1.0 / 9, &t, &err), err);
    ASSERT_NEAR(t.statistic, plain.statistic * sqrt(0.1 / (0.1 + 1.0 / 9)), 1e-14);
    assert_true(t.df == 9 && t.p > plain.p);
    ASSERT_OK(wlab_test_paired(dextro, laevo, 10, 0.1, &t, &err), err);
    ASSERT_NEAR(t.statistic, plain.statistic / sqrt(2), 1e-14);
    ASSERT_FAILS(wlab_test_paired(dextro, laevo, 10, (double)NAN, &t, &err), WL_EARG, err, "test rows");
    ASSERT_FAILS(wlab_test_paired(dextro, laevo, 10, -1, &t, &err), WL_EARG, err, "test rows");
    ASSERT_FAILS(wlab_test_paired(dextro, laevo, 10, (double)INFINITY, &t, &err), WL_EARG, err, "test rows");
}

static void edges(void **state)
{
    (void)state;
    double a[3] = {1, 2, 3}, b[3] = {0.5, 1.5, 2.5}, bad[3] = {1, (double)NAN, 3};
    wlab_err err;
    wlab_test t = {.p = 7};

    ASSERT_OK(wlab_test_paired(a, a, 3, 0, &t, &err), err);
    assert_true(t.statistic == 0 && t.p == 1);
    ASSERT_OK(wlab_test_paired(a, b, 3, 0, &t, &err), err);
    assert_true(isinf(t.statistic) && t.statistic > 0 && t.p == 0);
    ASSERT_OK(wlab_test_paired(b, a, 3, 0.3, &t, &err), err);
    assert_true(isinf(t.statistic) && t.statistic < 0 && t.p == 0);
    t.p = 7;
    ASSERT_FAILS(wlab_test_paired(a, b, 1, 0, &t, &err), WL_EARG, err, "2 pairs");
    ASSERT_FAILS(wlab_test_paired(a, b, 0, 0, &t, &err), WL_EARG, err, "2 pairs");
    ASSERT_FAILS(wlab_test_paired(a, bad, 3, 0, &t, &err), WL_ENUMERIC, err, "finite");
    assert_true(t.p == 7);
    ALLOC_SWEEP(wlab_test_paired(dextro, laevo, 10, 0, &t, &err));
}

/* ---- ranks ---- */

static void ranks(void **state)
{
    (void)state;
    wlab_err err;
    double r[6], ties[6] = {0.5, 0.9, 0.5, 0.1, 0.5, 0.9}, expected[6] = {4, 1.5, 4, 6, 4, 1.5};

    ASSERT_OK(wlab_score_ranks(ties, 6, true, -1, r, &err), err);
    assert_memory_equal(r, expected, sizeof expected);
    double low[6] = {3, 5.5, 3, 1, 3, 5.5};
    ASSERT_OK(wlab_score_ranks(ties, 6, false, -1, r, &err), err);
    assert_memory_equal(r, low, sizeof low);

    /* the double 0.285 is slightly below 0.285: it is printed as 0.28 and ties with 0.2751, although 28.5 rounds to
     * 29 */
    double close[4] = {0.285, 0.2751, 0.2849, 0.2951}, printed[4] = {3, 3, 3, 1}, exact[4] = {2, 4, 3, 1};
    ASSERT_OK(wlab_score_ranks(close, 4, true, 2, r, &err), err);
    assert_memory_equal(r, printed, sizeof printed);
    ASSERT_OK(wlab_score_ranks(close, 4, true, -1, r, &err), err);
    assert_memory_equal(r, exact, sizeof exact);
    double around[2] = {-0.001, 0.001}, half[2] = {1.5, 1.5};
    ASSERT_OK(wlab_score_ranks(around, 2, true, 2, r, &err), err);
    assert_memory_equal(r, half, sizeof half);

    /* a missing value ranks below the worst value, for either direction */
    double gaps[5] = {(double)NAN, (double)-INFINITY, 1, (double)NAN, 2}, last[5] = {4.5, 3, 2, 4.5, 1};
    ASSERT_OK(wlab_score_ranks(gaps, 5, true, 3, r, &err), err);
    assert_memory_equal(r, last, sizeof last);
    double gaps_low[5] = {(double)NAN, (double)INFINITY, 1, (double)NAN, 2},
           last_low[5] = {4.5, 3, 1, 4.5, 2};
    ASSERT_OK(wlab_score_ranks(gaps_low, 5, false, -1, r, &err), err);
    assert_memory_equal(r, last_low, sizeof last_low);
    ASSERT_OK(wlab_score_ranks(ties, 1, true, -1, r, &err), err);
    assert_true(r[0] == 1);
    ALLOC_SWEEP(wlab_score_ranks(ties, 6, true, 2, r, &err));
}

/* Ranks by sorting, and their sum, on random scores with many ties. */
static void ranks_by_sorting(void **state)
{
    (void)state;
    wlab_rng rng;
    wlab_err err;

    wlab_rng_seed(&rng, 5);
    for (int trial = 0; trial < 200; trial++) {
        int k = 1 + (int)wlab_rng_below(&rng, 12), order[12];
        double s[12], r[12], sum = 0;

        for (int i = 0; i < k; i++) {
            s[i] = (double)wlab_rng_below(&rng, 5) / 8;
            order[i] = i;
        }
        for (int i = 1; i < k; i++)
            for (int j = i; j > 0 && s[order[j]] > s[order[j - 1]]; j--) {
                int swap = order[j];
                order[j] = order[j - 1];
                order[j - 1] = swap;
            }
        ASSERT_OK(wlab_score_ranks(s, k, true, -1, r, &err), err);
        for (int i = 0, end; i < k; i = end) {
            for (end = i; end < k && s[order[end]] == s[order[i]]; end++)
                continue;
            for (int j = i; j < end; j++)
                ASSERT_NEAR(r[order[j]], (i + 1 + end) / 2.0, 1e-15);
        }
        for (int i = 0; i < k; i++)
            sum += r[i];
        ASSERT_NEAR(sum, k * (k + 1) / 2.0, 1e-14);
    }
}

/* ---- Demsar's example: C4.5, with -m, with -cf, with both, on 14 data sets (table 6) ---- */

/* The ranks as printed.  On "voting" -cf and both are printed with the same AUC, 0.975, but not as a tie: they differ
 * after the third digit. */
static const double demsar[14][4] = {{4, 3, 2, 1}, {1, 2, 3, 4},         {4, 1, 2, 3},     {4, 1, 3, 2},
                                     {4, 2, 3, 1}, {1, 2.5, 4, 2.5},     {3, 2, 4, 1},     {2.5, 2.5, 4, 1},
                                     {4, 3, 2, 1}, {2.5, 2.5, 2.5, 2.5}, {4, 2.5, 1, 2.5}, {3, 2, 4, 1},
                                     {4, 1, 2, 3}, {3, 1, 4, 2}};
static const double demsar_auc[14][4] = {{.763, .768, .771, .798}, {.599, .591, .590, .569},
                                         {.954, .971, .968, .967}, {.628, .661, .654, .657},
                                         {.882, .888, .886, .898}, {.936, .931, .916, .931},
                                         {.661, .668, .609, .685}, {.583, .583, .563, .625},
                                         {.775, .838, .866, .875}, {1, 1, 1, 1},
                                         {.940, .962, .965, .962}, {.619, .666, .614, .669},
                                         {.972, .981, .975, .975}, {.957, .978, .946, .970}};

static void demsar_example(void **state)
{
    (void)state;
    enum {
        VOTING = 12
    };
    static const double printed[4] = {3.143, 2.000, 2.893, 1.964};
    double mean[4] = {0};
    wlab_err err;
    wlab_test chi2, F, holm[4];

    for (int i = 0; i < 14; i++) {
        double r[4], voting[4] = {4, 1, 2.5, 2.5};

        ASSERT_OK(wlab_score_ranks(demsar_auc[i], 4, true, 3, r, &err), err);
        assert_memory_equal(r, i == VOTING ? voting : demsar[i], sizeof r);
        for (int j = 0; j < 4; j++)
            mean[j] += demsar[i][j] / 14;
    }
    for (int j = 0; j < 4; j++)
        ASSERT_PRINTED(mean[j], printed[j], 3);
    ASSERT_OK(wlab_test_friedman(&demsar[0][0], 14, 4, &chi2, &F, &err), err);
    ASSERT_PRINTED(chi2.statistic, 9.28, 2);
    ASSERT_PRINTED(F.statistic, 3.69, 2);
    assert_true(chi2.df == 3 && F.df == 3 && F.df2 == 39);
    assert_true(F.p < 0.05 && F.p > 0.01 && F.p < chi2.p); /* "F(3,39) for alpha = 0.05 is 2.85" */

    ASSERT_PRINTED(wlab_nemenyi(4, 14, 0.05), 1.25, 2);
    ASSERT_PRINTED(wlab_nemenyi(4, 14, 0.10), 1.12, 2);
    ASSERT_PRINTED(wlab_bonferroni_dunn(4, 14, 0.05), 1.16, 1); /* printed 2.394 * 0.49 */

    /* against C4.5: both 0.016, -m 0.019, -cf 0.607; Holm multiplies by 3, 2, 1 and lets none fall below */
    ASSERT_OK(wlab_test_holm(mean, 4, 14, 0, holm, &err), err);
    ASSERT_PRINTED(holm[3].statistic, 2.416, 2);
    ASSERT_PRINTED(holm[1].statistic, 2.342, 3);
    ASSERT_PRINTED(holm[2].statistic, 0.512, 2);
    ASSERT_PRINTED(holm[3].p / 3, 0.016, 3);
    ASSERT_NEAR(holm[1].p, holm[3].p, 1e-15); /* 2 * 0.019 < 3 * 0.016 */
    ASSERT_PRINTED(holm[2].p, 0.607, 2);
    assert_true(isnan(holm[0].p) && isnan(holm[0].statistic));
    ALLOC_SWEEP(wlab_test_holm(mean, 4, 14, 0, holm, &err));
}

/* ---- Friedman ---- */

/* With three methods both distributions are elementary: exp(-x/2), and (1 + 2 F / m)^(-m/2) for m degrees below. */
static void friedman_of_three(void **state)
{
    (void)state;
    wlab_rng rng;
    wlab_err err;

    wlab_rng_seed(&rng, 9);
    for (int trial = 0; trial < 100; trial++) {
        int N = 2 + (int)wlab_rng_below(&rng, 20);
        double rank[22 * 3], R[3] = {0}, x = -12.0 * N;
        wlab_test chi2, F;

        for (int i = 0; i < N; i++) {
            double s[3] = {wlab_rng_uniform(&rng), wlab_rng_uniform(&rng), wlab_rng_uniform(&rng) / 2};

            ASSERT_OK(wlab_score_ranks(s, 3, true, 1, rank + 3 * i, &err), err);
            for (int j = 0; j < 3; j++)
                R[j] += rank[3 * i + j] / N;
        }
        x = 12.0 * N / 12 *
            (R[0] * R[0] + R[1] * R[1] + R[2] * R[2] - 3 * 16 / 4.0); /* equation 6 of the paper */
        ASSERT_OK(wlab_test_friedman(rank, N, 3, &chi2, &F, &err), err);
        ASSERT_NEAR(chi2.statistic, x, 1e-12);
        ASSERT_NEAR(chi2.p, exp(-chi2.statistic / 2), 1e-12);
        if (isfinite(F.statistic)) {
            double m = 2.0 * (N - 1);
            ASSERT_NEAR(F.statistic, (N - 1) * x / (N * 2 - x), 1e-9);
            ASSERT_NEAR(F.p, pow(1 + 2 * F.statistic / m, -m / 2), 1e-12);
        }
    }
}

static void friedman_edges(void **state)
{
    (void)state;
    double alike[4][3] = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}}, tied[2][2] = {{1.5, 1.5}, {1.5, 1.5}};
    wlab_err err;
    wlab_test chi2, F;

    ASSERT_OK(wlab_test_friedman(&alike[0][0], 4, 3, &chi2, &F, &err), err);
    ASSERT_NEAR(chi2.statistic, 8, 1e-14); /* N (k - 1), the largest */
    assert_true(isinf(F.statistic) && F.p == 0);
    ASSERT_OK(wlab_test_friedman(&tied[0][0], 2, 2, &chi2, &F, &err), err);
    assert_true(chi2.statistic == 0 && chi2.p == 1 && F.statistic == 0 && F.p == 1);
    ASSERT_FAILS(wlab_test_friedman(&alike[0][0], 1, 3, &chi2, &F, &err), WL_EARG, err, "2 data sets");
    ASSERT_FAILS(wlab_test_friedman(&alike[0][0], 4, 1, &chi2, &F, &err), WL_EARG, err, "2 methods");
    alike[1][1] = (double)NAN;
    ASSERT_FAILS(wlab_test_friedman(&alike[0][0], 4, 3, &chi2, &F, &err), WL_ENUMERIC, err, "finite");
}

/* ---- the range of normals ---- */

static void critical_values(void **state)
{
    (void)state;
    /* Demsar's table 5 (a): the range's quantile over the root of 2 */
    static const double q05[9] = {1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164};
    static const double q10[9] = {1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920};
    /* table 5 (b), Bonferroni-Dunn.  For nine classifiers the paper prints 2.724.  The normal distribution's upper
     * point of 0.05/16 is 2.734, which also fits its neighbours: this test uses it. */
    static const double d05[9] = {1.960, 2.241, 2.394, 2.498, 2.576, 2.638, 2.690, 2.734, 2.773};
    static const double d10[9] = {1.645, 1.960, 2.128, 2.241, 2.326, 2.394, 2.450, 2.498, 2.539};

    for (int k = 2; k <= 10; k++) {
        double unit = sqrt(k * (k + 1) / 6.0); /* over the root of the number of data sets */

        /* Demsar divided printed quantiles, so his last digit may be off by one */
        assert_true(fabs(wlab_range_quantile(0.95, k) / sqrt(2) - q05[k - 2]) < 0.0011);
        assert_true(fabs(wlab_range_quantile(0.90, k) / sqrt(2) - q10[k - 2]) < 0.0011);
        assert_true(fabs(wlab_nemenyi(k, 25, 0.05) / unit * 5 - q05[k - 2]) < 0.0011);
        ASSERT_PRINTED(wlab_bonferroni_dunn(k, 25, 0.05) / unit * 5, d05[k - 2], 3);
        ASSERT_PRINTED(wlab_bonferroni_dunn(k, 25, 0.10) / unit * 5, d10[k - 2], 3);
    }
    /* the studentised range with infinite degrees of freedom */
    static const struct {
        int k;
        double q95, q99;
    } table[] = {{2, 2.772, 3.643}, {3, 3.314, 4.120},  {4, 3.633, 4.403},
                 {5, 3.858, 4.603}, {10, 4.474, 5.157}, {20, 5.012, 5.645}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        ASSERT_PRINTED(wlab_range_quantile(0.95, table[i].k), table[i].q95, 3);
        ASSERT_PRINTED(wlab_range_quantile(0.99, table[i].k), table[i].q99, 3);
    }
}

static void range(void **state)
{
    (void)state;
    /* the mean of the range, d2 of control charts: the integral of 1 - P */
    static const struct {
        int k;
        double d2;
    } chart[] = {{2, 1.128}, {3, 1.693}, {4, 2.059}, {5, 2.326}, {10, 3.078}, {25, 3.931}};

    for (double q = 0.05; q < 9; q += 0.4) /* two normals: their difference is one too */
        ASSERT_NEAR(wlab_range_cdf(q, 2), erf(q / 2), 1e-13);
    for (size_t i = 0; i < sizeof chart / sizeof *chart; i++) {
        double sum = 0.5,
               step = 0.125; /* trapezoids: all derivatives vanish at the far end, k > 2 at the near */

        for (int j = 1; j < 120; j++)
            sum += 1 - wlab_range_cdf(j * step, chart[i].k);
        ASSERT_NEAR(sum * step, chart[i].d2, chart[i].k == 2 ? 2e-3 : 4e-4);
    }
    for (int k = 2; k <= 100; k += 14)
        for (double p = 0.001; p < 1; p += 0.111)
            ASSERT_NEAR(wlab_range_cdf(wlab_range_quantile(p, k), k), p, 1e-11);
    assert_true(wlab_range_cdf(0, 3) == 0 && wlab_range_cdf(-1, 3) == 0 && wlab_range_cdf(100, 3) == 1);
    assert_true(wlab_range_cdf((double)INFINITY, 3) == 1);
    assert_true(wlab_range_quantile(0, 3) == 0 && isinf(wlab_range_quantile(1, 3)));
    assert_true(isnan(wlab_range_cdf(1, 1)) && isnan(wlab_range_quantile(0.5, 1)));
    assert_true(isnan(wlab_range_cdf((double)NAN, 3)) && isnan(wlab_range_quantile((double)NAN, 3)));
    assert_true(isnan(wlab_range_quantile(-0.1, 3)) && isnan(wlab_range_quantile(1.1, 3)));
    assert_true(isnan(wlab_nemenyi(1, 9, .05)) && isnan(wlab_nemenyi(3, 0, .05)) &&
                isnan(wlab_nemenyi(3, 9, 0)));
    assert_true(isnan(wlab_bonferroni_dunn(1, 9, .05)) && isnan(wlab_bonferroni_dunn(3, 9, 1)));
}

/* Holm's original rule: visit the p-values from the smallest, and reject while p < alpha / (m - i + 1). */
static void holm_steps(void **state)
{
    (void)state;
    wlab_rng rng;
    wlab_err err;

    wlab_rng_seed(&rng, 21);
    for (int trial = 0; trial < 200; trial++) {
        int k = 2 + (int)wlab_rng_below(&rng, 7), control = (int)wlab_rng_below(&rng, (uint64_t)k);
        double mean[9], alpha = 0.01 + 0.3 * wlab_rng_uniform(&rng), error = sqrt(k * (k + 1) / 60.0);
        bool rejected[9] = {false}, visited[9] = {false};
        wlab_test t[9];

        for (int i = 0; i < k; i++)
            mean[i] = 1 + (double)wlab_rng_below(&rng, 4 * (uint64_t)(k - 1) + 1) / 4; /* ties too */
        for (int step = 0; step < k - 1; step++) {
            int least = -1;

            for (int i = 0; i < k; i++)
                if (i != control && !visited[i] &&
                    (least < 0 || fabs(mean[i] - mean[control]) > fabs(mean[least] - mean[control])))
                    least = i;
            visited[least] = true;
            if (erfc(fabs(mean[least] - mean[control]) / error / sqrt(2)) >= alpha / (k - 1 - step))
                break;
            rejected[least] = true;
        }
        ASSERT_OK(wlab_test_holm(mean, k, 10, control, t, &err), err);
        for (int i = 0; i < k; i++) {
            assert_true(i == control ? isnan(t[i].p) : (t[i].p < alpha) == rejected[i]);
            if (i != control) {
                assert_true(t[i].p <= 1);
                ASSERT_NEAR(t[i].statistic, (mean[control] - mean[i]) / error, 1e-13);
            }
        }
    }
    double two[2] = {1, (double)NAN};
    wlab_test t[2];
    ASSERT_FAILS(wlab_test_holm(two, 2, 9, 0, t, &err), WL_ENUMERIC, err, "finite");
    ASSERT_FAILS(wlab_test_holm(two, 1, 9, 0, t, &err), WL_EARG, err, "2 methods");
    ASSERT_FAILS(wlab_test_holm(two, 2, 9, 2, t, &err), WL_EARG, err, "control");
}

/* ---- the WellSVM paper's tables 2 to 4 ---- */

enum {
    SETS = 16,
    METHODS = 5
};

typedef struct printed {
    int sets;
    char name[SETS][24];
    double mean[SETS][METHODS], rank[SETS][METHODS], average[METHODS], average_rank[METHODS];
} printed;

static bool read_row(const char *line, printed *t)
{
    char name[24];
    int used = 0, k = 0;

    if (t->sets == SETS || sscanf(line, "%23s%n", name, &used) != 1)
        return false;
    for (line += used; k < METHODS; k++, line += used)
        if (sscanf(line, " %lf \xc2\xb1 %*f (%lf)%n", &t->mean[t->sets][k], &t->rank[t->sets][k], &used) != 2)
            return false;
    strcpy(t->name[t->sets++], name);
    return true;
}

static bool read_five(const char *line, const char *what, double x[METHODS])
{
    const char *at = strstr(line, what);

    return at && sscanf(at + strlen(what), "%lf %lf %lf %lf %lf", x, x + 1, x + 2, x + 3, x + 4) == 5;
}

static void read_paper(const char *path, printed table[3])
{
    char line[4096];
    int now = -1, averages = 0;
    FILE *f = fopen(path, "r");

    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        const char *title = strstr(line, "Table ");
        int number;

        if (title && strstr(title, ": Accuracies on") && sscanf(title, "Table %d", &number) == 1)
            now = number - 2;
        if (now < 0 || now > 2)
            continue;
        (void)read_row(line, &table[now]);
        averages += read_five(line, "acc.", table[now].average);
        averages += read_five(line, "rank", table[now].average_rank);
    }
    fclose(f);
    assert_int_equal(averages, 6);
    for (int i = 0; i < 3; i++)
        assert_int_equal(table[i].sets, SETS);
}

/* Four of the 240 printed cells are wrong: in table 4, heart, four methods have 0.78 after LapSVM's 0.79.  Their rank
 * is (2 + 3 + 4 + 5) / 4 = 3.5; the paper prints 3, and computes its average ranks from the printed ones. */
static bool is_misprinted(int table, const char *name, int method)
{
    return table == 4 && strcmp(name, "heart") == 0 && method != 2;
}

static void paper_ranks(void **state)
{
    (void)state;
    const char *path = SHARED_OR_SKIP("papers/000_5c95cd27e5b7695a.txt");
    printed table[3] = {0};
    wlab_err err;
    int slipped = 0;

    read_paper(path, table);
    for (int t = 0; t < 3; t++) {
        double mean[METHODS] = {0}, average[METHODS] = {0}, rank[SETS][METHODS];

        for (int i = 0; i < SETS; i++) {
            ASSERT_OK(wlab_score_ranks(table[t].mean[i], METHODS, true, 2, rank[i], &err), err);
            for (int k = 0; k < METHODS; k++) {
                bool slip = is_misprinted(t + 2, table[t].name[i], k);

                slipped += slip;
                if (rank[i][k] - (slip ? 0.5 : 0) != table[t].rank[i][k])
                    fail_msg("table %d, %s, method %d: rank %g, printed %g", t + 2, table[t].name[i], k + 1,
                             rank[i][k], table[t].rank[i][k]);
                mean[k] += (rank[i][k] - (slip ? 0.5 : 0)) / (double)SETS;
                average[k] += table[t].mean[i][k] / (double)SETS;
            }
        }
        for (int k = 0; k < METHODS; k++) {
            ASSERT_PRINTED(mean[k], table[t].average_rank[k], 4);
            assert_true(fabs(average[k] - table[t].average[k]) < 0.005 + 0.0005); /* of unrounded means */
        }
    }
    assert_int_equal(slipped, 4);

    /* "WellSVM and USVM perform significantly better than SVM at the 90% confidence level", table 2; WellSVM in table
     * 3; none in table 4.  The one-sided normal test of two mean ranks, for each pair alone, gives this: z > 1.2816.
     * Adjusted for four comparisons, or two-sided, no difference is significant. */
    static const bool better[3][METHODS] = {{0, 0, 0, 1, 1}, {0, 0, 0, 0, 1}, {0, 0, 0, 0, 0}};
    for (int t = 0; t < 3; t++) {
        wlab_test holm[METHODS];

        ASSERT_OK(wlab_test_holm(table[t].average_rank, METHODS, SETS, 0, holm, &err), err);
        for (int k = 1; k < METHODS; k++) {
            assert_true((holm[k].statistic > 1.2816) == better[t][k]);
            assert_true(holm[k].statistic < 0 || holm[k].p > 0.1);
        }
    }
}

/* Against the sum of binomial coefficients, and its symmetry. */
static void test_mcnemar(void **state)
{
    (void)state;
    assert_true(wlab_mcnemar(0, 0) == 1);
    assert_true(wlab_mcnemar(5, 5) == 1);
    for (int a = 0; a <= 12; a++)
        for (int b = 0; b <= 12; b++) {
            const int n = a + b, less = a < b ? a : b;
            double choose = 1, sum = 0;
            for (int k = 0; k <= less; k++) {
                sum += choose;
                choose *= (double)(n - k) / (double)(k + 1);
            }
            const double p = fmin(1, 2 * sum / pow(2, n));
            assert_true(fabs(wlab_mcnemar(a, b) - p) <= 1e-12);
            assert_true(wlab_mcnemar(a, b) == wlab_mcnemar(b, a));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mcnemar),   cmocka_unit_test(means),
        cmocka_unit_test(student),        cmocka_unit_test(t_table),
        cmocka_unit_test(corrected),      cmocka_unit_test(edges),
        cmocka_unit_test(ranks),          cmocka_unit_test(ranks_by_sorting),
        cmocka_unit_test(demsar_example), cmocka_unit_test(friedman_of_three),
        cmocka_unit_test(friedman_edges), cmocka_unit_test(critical_values),
        cmocka_unit_test(range),          cmocka_unit_test(holm_steps),
        cmocka_unit_test(paper_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

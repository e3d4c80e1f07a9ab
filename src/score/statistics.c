/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Statistics of repeated experiments: means, ranks and tests.
 */
#include "weaklab/statistics.h"
#include "base/locale.h"
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_roots.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- means ---- */

/* The second pass makes the mean of equal values exactly that value. */
double wlab_mean(const double *x, int64_t n)
{
    double sum = 0, rest = 0, mean;

    if (n < 1)
        return (double)NAN;
    for (int64_t i = 0; i < n; i++)
        sum += x[i];
    mean = sum / (double)n;
    if (!isfinite(mean))
        return mean;
    for (int64_t i = 0; i < n; i++)
        rest += x[i] - mean;
    return mean + rest / (double)n;
}

double wlab_deviation(const double *x, int64_t n)
{
    double mean = wlab_mean(x, n), sum = 0;

    if (n < 2)
        return (double)NAN;
    for (int64_t i = 0; i < n; i++)
        sum += (x[i] - mean) * (x[i] - mean);
    return sqrt(sum / (double)(n - 1));
}

/* ---- paired t-test ---- */

static wlab_test paired(double mean, double deviation, int64_t n, double ratio)
{
    wlab_test t = {.df = (double)(n - 1), .df2 = (double)NAN};

    if (deviation > 0) {
        t.statistic = mean / (deviation * sqrt(1 / (double)n + ratio));
        t.p = 2 * gsl_cdf_tdist_Q(fabs(t.statistic), t.df);
    } else {
        t.statistic = mean == 0 ? 0 : copysign((double)INFINITY, mean);
        t.p = mean == 0 ? 1 : 0;
    }
    return t;
}

wlab_code wlab_test_paired(const double *a, const double *b, int64_t n, double ratio, wlab_test *test,
                           wlab_err *err)
{
    if (n < 2)
        return wlab_fail(err, WL_EARG, "a paired t-test needs 2 pairs, there %s %lld", n == 1 ? "is" : "are",
                         (long long)(n < 0 ? 0 : n));
    if (!(ratio >= 0) || isinf(ratio))
        return wlab_fail(err, WL_EARG,
                         "the corrected t-test needs the ratio of test rows to training rows, not %g", ratio);
    double *d = wlab_alloc((size_t)n, sizeof *d);
    if (!d)
        return wlab_nomem(err);
    for (int64_t i = 0; i < n; i++)
        d[i] = a[i] - b[i];
    double mean = wlab_mean(d, n), deviation = wlab_deviation(d, n);
    wlab_free(d);
    if (!isfinite(mean) || !isfinite(deviation))
        return wlab_fail(err, WL_ENUMERIC, "a paired t-test needs finite values");
    *test = paired(mean, deviation, n, ratio);
    return WL_OK;
}

double wlab_mcnemar(int64_t a, int64_t b)
{
    const int64_t less = a < b ? a : b;

    if (a < 0 || b < 0 || a + b == 0 || a + b > UINT_MAX)
        return 1;
    return fmin(1, 2 * gsl_cdf_binomial_P((unsigned)less, 0.5, (unsigned)(a + b)));
}

/* ---- ranks ---- */

/* Rounds as a table prints it: printf rounds the exact binary value, which a multiplication would not. */
static double rounded(double x, int digits)
{
    char text[400];
    int n = isfinite(x) ? wlab_print(text, sizeof text, "%.*f", digits < 60 ? digits : 60, x) : -1;

    return n > 0 && (size_t)n < sizeof text ? wlab_strtod(text, NULL) : x;
}

wlab_code wlab_score_ranks(const double *score, int k, bool higher_is_better, int digits, double *rank,
                           wlab_err *err)
{
    double *s = wlab_alloc((size_t)(k > 0 ? k : 0), sizeof *s);

    if (!s)
        return wlab_nomem(err);
    for (int i = 0; i < k; i++)
        s[i] = isnan(score[i])
                   ? (double)-INFINITY
                   : (higher_is_better ? 1 : -1) * (digits < 0 ? score[i] : rounded(score[i], digits));
    for (int i = 0; i < k; i++) {
        int better = 0, equal = 0;

        for (int j = 0; j < k; j++) {
            /* a NaN is worse than an infinitely bad score */
            bool mine = !isnan(score[i]), other = !isnan(score[j]);

            better += mine == other ? s[j] > s[i] : other;
            equal += mine == other && !(s[j] > s[i] || s[j] < s[i]);
        }
        rank[i] = better + (equal + 1) / 2.0;
    }
    wlab_free(s);
    return WL_OK;
}

/* ---- Friedman ---- */

wlab_code wlab_test_friedman(const double *rank, int64_t sets, int k, wlab_test *chi2, wlab_test *F,
                             wlab_err *err)
{
    double sum = 0, N = (double)sets, middle = (k + 1) / 2.0;

    if (k < 2 || sets < 2)
        return wlab_fail(err, WL_EARG,
                         "Friedman's test needs 2 methods and 2 data sets, there are %d and %lld", k,
                         (long long)sets);
    for (int j = 0; j < k; j++) { /* the deviations from the middle: (sum of R_j^2) - k (k + 1)^2 / 4 */
        double mean = 0;

        for (int64_t i = 0; i < sets; i++)
            mean += rank[i * k + j];
        mean = mean / N - middle;
        sum += mean * mean;
    }
    if (!isfinite(sum))
        return wlab_fail(err, WL_ENUMERIC, "Friedman's test needs finite ranks");
    *chi2 = (wlab_test){.statistic = 12 * N / (k * (k + 1.0)) * sum, .df = k - 1.0, .df2 = (double)NAN};
    chi2->p = gsl_cdf_chisq_Q(chi2->statistic, chi2->df);

    double rest = N * (k - 1.0) - chi2->statistic; /* 0: every data set has the same order */

    *F = (wlab_test){.df = k - 1.0, .df2 = (k - 1.0) * (N - 1)};
    if (rest > 1e-12 * N * k) {
        F->statistic = (N - 1) * chi2->statistic / rest;
        F->p = gsl_cdf_fdist_Q(F->statistic, F->df, F->df2);
    } else {
        F->statistic = (double)INFINITY;
        F->p = 0;
    }
    return WL_OK;
}

/* ---- the range of k normals ---- */

typedef struct range {
    double q, p;
    int k;
} range;

enum {
    POINTS = 256, /* GSL stores this rule; the error is below 1e-13 */
    HALVINGS = 200,
};

#define REACH  9.0 /* beyond it the normal density is negligible */
#define WIDEST 64.0

/* The density that the smallest of k normals is at z and all others are between z and z + q. */
static double least_at(double z, void *self)
{
    const range *r = self;

    return r->k * gsl_ran_ugaussian_pdf(z) *
           pow(fmax(gsl_cdf_ugaussian_P(z + r->q) - gsl_cdf_ugaussian_P(z), 0), r->k - 1);
}

double wlab_range_cdf(double q, int k)
{
    range r = {.q = q, .k = k};
    gsl_function f = {.function = least_at, .params = &r};
    gsl_integration_glfixed_table *rule;
    double p;

    if (k < 2 || isnan(q))
        return (double)NAN;
    if (q <= 0 || q > WIDEST)
        return q > 0;
    if (!(rule = gsl_integration_glfixed_table_alloc(POINTS)))
        return (double)NAN;
    p = gsl_integration_glfixed(&f, -REACH, REACH, rule);
    gsl_integration_glfixed_table_free(rule);
    return fmin(p, 1);
}

static double excess(double q, void *self)
{
    const range *r = self;

    return wlab_range_cdf(q, r->k) - r->p;
}

double wlab_range_quantile(double p, int k)
{
    range r = {.p = p, .k = k};
    gsl_function f = {.function = excess, .params = &r};
    gsl_root_fsolver *solver;
    double high = 1, q;

    if (k < 2 || !(p >= 0 && p <= 1))
        return (double)NAN;
    if (p == 0)
        return 0;
    while (high < WIDEST && excess(high, &r) < 0)
        high *= 2;
    if (high >= WIDEST || p == 1)
        return (double)INFINITY;
    if (!(solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent)))
        return (double)NAN;
    q = gsl_root_fsolver_set(solver, &f, 0, high) == GSL_SUCCESS ? high : (double)NAN;
    for (int i = 0; !isnan(q) && i < HALVINGS; i++) {
        if (gsl_root_fsolver_iterate(solver) != GSL_SUCCESS)
            break;
        q = gsl_root_fsolver_root(solver);
        if (gsl_root_test_interval(gsl_root_fsolver_x_lower(solver), gsl_root_fsolver_x_upper(solver), 1e-12,
                                   1e-12) == GSL_SUCCESS)
            break;
    }
    gsl_root_fsolver_free(solver);
    return q;
}

/* ---- after Friedman ---- */

/* Standard error of the difference of two mean ranks. */
static double rank_error(int k, int64_t sets)
{
    return sqrt(k * (k + 1.0) / (6.0 * (double)sets));
}

double wlab_nemenyi(int k, int64_t sets, double level)
{
    if (k < 2 || sets < 1 || !(level > 0 && level < 1))
        return (double)NAN;
    return wlab_range_quantile(1 - level, k) / sqrt(2) * rank_error(k, sets);
}

double wlab_bonferroni_dunn(int k, int64_t sets, double level)
{
    if (k < 2 || sets < 1 || !(level > 0 && level < 1))
        return (double)NAN;
    return gsl_cdf_ugaussian_Qinv(level / (2 * (k - 1.0))) * rank_error(k, sets);
}

/* Whether method i comes before j in Holm's order: smaller p; ties: the first. */
static bool before(const double *p, int i, int j)
{
    return p[i] < p[j] || (!(p[j] < p[i]) && i < j);
}

wlab_code wlab_test_holm(const double *mean_rank, int k, int64_t sets, int control, wlab_test *test,
                         wlab_err *err)
{
    double *p;

    if (k < 2 || sets < 1 || control < 0 || control >= k)
        return wlab_fail(err, WL_EARG,
                         "Holm's test needs 2 methods, one of them the control, and a data set");
    for (int i = 0; i < k; i++)
        if (!isfinite(mean_rank[i]))
            return wlab_fail(err, WL_ENUMERIC, "Holm's test needs finite ranks");
    if (!(p = wlab_alloc((size_t)k, sizeof *p)))
        return wlab_nomem(err);
    for (int i = 0; i < k; i++) {
        double z = (mean_rank[control] - mean_rank[i]) / rank_error(k, sets);

        test[i] = (wlab_test){.statistic = z, .df = (double)NAN, .df2 = (double)NAN};
        p[i] = 2 * gsl_cdf_ugaussian_Q(fabs(z));
    }
    /* the i-th smallest of m p-values is multiplied by m - i + 1; then each is at least the one before it */
    for (int i = 0; i < k; i++) {
        test[i].p = 0;
        for (int j = 0; i != control && j < k; j++) {
            int rank = 0;

            if (j == control || (j != i && !before(p, j, i)))
                continue;
            for (int l = 0; l < k; l++)
                rank += l != control && l != j && before(p, l, j);
            test[i].p = fmax(test[i].p, fmin(1, (k - 1 - rank) * p[j]));
        }
    }
    test[control] = (wlab_test){(double)NAN, (double)NAN, (double)NAN, (double)NAN};
    wlab_free(p);
    return WL_OK;
}

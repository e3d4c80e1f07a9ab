/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Statistics of repeated experiments: means, ranks, and the tests that tables of methods by data sets report
 * (Demsar, JMLR 7, 2006; Nadeau and Bengio, Machine Learning 52, 2003).  Distributions are GSL's.
 */
#ifndef WEAKLAB_STATISTICS_H
#define WEAKLAB_STATISTICS_H

#include "weaklab/base.h"

#ifdef __cplusplus
extern "C" {
#endif

double wlab_mean(const double *x, int64_t n);      /* NaN when n < 1 */
double wlab_deviation(const double *x, int64_t n); /* sample standard deviation (n - 1); NaN when n < 2 */

typedef struct wlab_test {
    double statistic; /* t, chi squared, F or z */
    double df, df2;   /* degrees of freedom; df2 of F only, else NaN */
    double p;         /* two-sided for t and z */
} wlab_test;

/* Paired t-test of H0: mean(a - b) = 0 over n pairs.  ratio: test rows / training rows of each repetition, for the
 * corrected resampled t-test, whose variance is s^2 (1/n + ratio); 0: the plain test, with s^2 / n.  If all differences are
 * equal: t = 0 and p = 1 if they are 0, else t = +-Inf and p = 0.  n < 2: WL_EARG; NaN, Inf: WL_ENUMERIC. */
wlab_code wlab_test_paired(const double *a, const double *b, int64_t n, double ratio, wlab_test *,
                           wlab_err *);

/* McNemar's exact test of two classifiers on the same rows: p, two-sided, of the hypothesis that both are right equally
 * often, when a rows are right by the first only and b by the second only (binomial with a + b trials); 1 when a + b = 0. */
double wlab_mcnemar(int64_t a, int64_t b);

/* rank[k] of score[k]: 1 is the best; equal scores get the mean of their ranks; NaN ranks as the worst.  digits >= 0: the
 * scores are first rounded to this number of decimals, as in printed tables. */
wlab_code wlab_score_ranks(const double *score, int k, bool higher_is_better, int digits, double *rank,
                           wlab_err *);

/* Friedman's test over rank[sets x k] (row-major).  *chi2: with k - 1 degrees of freedom.  *F: the more powerful statistic
 * of Iman and Davenport, with k - 1 and (k - 1)(sets - 1) degrees of freedom; Inf if all sets rank in the same order without ties.  As in Demsar's paper there
 * is no correction for ties: with ties the tests are conservative.  k < 2 or sets < 2: WL_EARG. */
wlab_code wlab_test_friedman(const double *rank, int64_t sets, int k, wlab_test *chi2, wlab_test *F,
                             wlab_err *);

/* The range of k standard normal variables (the studentised range with infinite degrees of freedom): P(range < q), and its
 * quantile. */
double wlab_range_cdf(double q, int k); /* NaN when k < 2 */
double wlab_range_quantile(double p, int k);
/* Critical difference of mean ranks: by Nemenyi (all pairs) and by Bonferroni and Dunn (all against one). */
double wlab_nemenyi(int k, int64_t sets, double level);
double wlab_bonferroni_dunn(int k, int64_t sets, double level);
/* Post-hoc test of each method against method `control`: z (positive: better than the control) and p of its mean rank, p
 * adjusted by Holm's method.  test[control] is all NaN. */
wlab_code wlab_test_holm(const double *mean_rank, int k, int64_t sets, int control, wlab_test *test,
                         wlab_err *);

#ifdef __cplusplus
}
#endif

#endif

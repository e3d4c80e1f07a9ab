/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The p-step of mean field annealing (Table 6): beliefs of the unlabelled rows for fixed w.  Everything is computed
 * from log-odds x, so that beliefs near 0 and 1 lose no precision.
 */
#include "algo/svmlin/mfa.h"
#include "base/rows.h"

#include <float.h>
#include <math.h>

enum {
    MOST_STEPS = 200,
    MOST_FACTORS = 1000 /* factors of at most 2 that are multiplied before the logarithm is taken */
};
#define BALANCED 1e-12 /* |mean p - r| */

typedef struct rows {
    mfa *s;
    double inverse; /* 1/T */
    bool from_x;    /* the log-odds are s->x; else they follow from nu2 and g */
    double nu2;
    double least[WL_ROW_BLOCKS], most[WL_ROW_BLOCKS]; /* of g */
} rows;

/* 1/T, but finite: log-odds of 0 must not become NaN if T is next to 0. */
static double inverse_of(double T)
{
    return fmin(1 / T, DBL_MAX);
}

/* g of Table 6 for every row, and its range. */
static void find_g(void *data, int64_t begin, int64_t end, int block, double *sum)
{
    rows *all = data;
    const transductive *t = &all->s->t;
    const double *o = t->m->o;
    double *g = all->s->g;
    wlab_two least = wlab_two_of(INFINITY), most = wlab_two_of(-INFINITY);
    const wlab_two one = wlab_two_of(1);

    (void)sum;
    for (int64_t j = begin; j < end; j += 2) {
        const int64_t next = j + 1 < end ? j + 1 : j;
        const wlab_two v = {o[t->unl[j]], o[t->unl[next]]}, a = wlab_two_positive(one - v),
                       b = wlab_two_positive(one + v), x = t->lambda_u * (t->hinge ? a - b : a * a - b * b);
        wlab_two_store_some(g + j, x, end - j);
        least = wlab_two_choose(wlab_two_less(x, least), x, least);
        most = wlab_two_choose(wlab_two_less(most, x), x, most);
    }
    all->least[block] = fmin(least[0], least[1]);
    all->most[block] = fmax(most[0], most[1]);
}

/* The sums of p at nu2 and of p (1 - p).  Leaves e^-|x| in s->p. */
static void sum_beliefs(void *data, int64_t begin, int64_t end, int block, double *sum)
{
    const rows *all = data;
    mfa *s = all->s;
    wlab_two sum_p = {0}, slope = {0};
    const wlab_two one = wlab_two_of(1), nu2 = wlab_two_of(all->nu2);

    (void)block;
    for (int64_t j = begin; j < end; j += 2) {
        const int64_t left = end - j;
        const wlab_two x = (nu2 - wlab_two_load_some(s->g + j, left)) * all->inverse,
                       t = wlab_two_exp_minus(wlab_two_abs(x)), small = t / (one + t);
        const wlab_two_mask there = {-1, left > 1 ? -1 : 0};
        wlab_two_store_some(s->p + j, t, left);
        const wlab_two large = one - small,
                       p = wlab_two_choose(wlab_two_less(wlab_two_of(0), x), large, small);
        sum_p += wlab_two_where(there, p);
        slope += wlab_two_where(there, small * large);
    }
    sum[0] = wlab_two_sum(sum_p);
    sum[1] = wlab_two_sum(slope);
}

/* B(nu) of Table 6; *slope: its derivative times T. */
static double imbalance(rows *all, double nu2, double *slope, wlab_pool *pool)
{
    const mfa *s = all->s;
    const double u = (double)s->t.u;
    double sum[WL_ROW_SUMS];

    all->nu2 = nu2;
    wlab_rows_run(&s->t.unlabelled, sum_beliefs, all, sum, pool);
    *slope = sum[1] / u;
    return sum[0] / u - s->t.r;
}

static double balance_root(rows *all, double lo, double hi, wlab_pool *pool)
{
    const mfa *s = all->s;
    double nu2 = s->nu2 > lo && s->nu2 < hi ? s->nu2 : 0.5 * (lo + hi), slope;

    for (int k = 0; k < MOST_STEPS; k++) {
        const double B = imbalance(all, nu2, &slope, pool);
        if (fabs(B) <= BALANCED)
            break;
        if (B < 0)
            lo = nu2;
        else
            hi = nu2;
        double to = nu2 - s->T * B / slope;
        if (!(to > lo && to < hi)) /* also if slope is 0 */
            to = 0.5 * (lo + hi);
        if (to == nu2 || !(hi - lo > 1e-15 * fabs(nu2)))
            break;
        nu2 = to;
    }
    return nu2;
}

/* Sets the beliefs from the log-odds x, with t = e^-|x| in s->p unless from_x.  With small = t / (1 + t), the belief in
 * the less likely label, and x0 the log-odds before,
 *
 *     H = log(1 + e^x) - p x = log(1 + t) + small |x|,
 *     KL = p (x - x0) - log(1 + e^x) + log(1 + e^x0)
 *        = log(1 + t0) - log(1 + t) + other |x0| - small |x|,
 *
 * where `other` is the belief in the label that was less likely before: nothing large cancels.
 * Sums: log(1 + t), small |x|, other |x0| - small |x|. */
static void set_beliefs(void *data, int64_t begin, int64_t end, int block, double *sum)
{
    const rows *all = data;
    mfa *s = all->s;
    wlab_two entropy = {0}, apart = {0};
    const wlab_two zero = {0}, one = wlab_two_of(1), nu2 = wlab_two_of(all->nu2);

    (void)block;
    for (int64_t j = begin; j < end;) {
        wlab_two product = {0}; /* less 1, so that factors next to 1 lose nothing */
        for (const int64_t stop = end - j > 2 * MOST_FACTORS ? j + 2 * MOST_FACTORS : end; j < stop; j += 2) {
            const int64_t left = stop - j;
            const wlab_two from = wlab_two_load_some(s->x + j, left);
            const wlab_two x = all->from_x ? from : (nu2 - wlab_two_load_some(s->g + j, left)) * all->inverse;
            const wlab_two a = wlab_two_abs(x);
            const wlab_two_mask there = {-1, left > 1 ? -1 : 0};
            const wlab_two t = wlab_two_where(there, all->from_x ? wlab_two_exp_minus(a)
                                                                 : wlab_two_load_some(s->p + j, left));
            const wlab_two small = t / (one + t), large = one - small;
            const wlab_two_mask positive = wlab_two_less(zero, x),
                                same = ~(positive ^ wlab_two_less(zero, from));
            const wlab_two other = wlab_two_choose(same, small, large);
            const wlab_two less = wlab_two_where(wlab_two_less(zero, small), small * a);
            product += t * (one + product);
            entropy += less;
            apart += wlab_two_where(wlab_two_less(zero, other) & there, other * wlab_two_abs(from)) - less;
            wlab_two_store_some(s->x + j, x, left);
            wlab_two_store_some(s->p + j, wlab_two_choose(positive, large, small), left);
        }
        sum[0] += log1p(product[0]) + log1p(product[1]);
    }
    sum[1] = wlab_two_sum(entropy);
    sum[2] = wlab_two_sum(apart);
}

static void set_all(rows *all, wlab_pool *pool)
{
    mfa *s = all->s;
    const double before = s->logs, u = (double)s->t.u;
    double sum[WL_ROW_SUMS];

    wlab_rows_run(&s->t.unlabelled, set_beliefs, all, sum, pool);
    s->logs = sum[0];
    s->entropy = (sum[0] + sum[1]) / u;
    s->kl = fmax(0, (before - sum[0] + sum[2]) / u);
}

void wlab_mfa_beliefs(mfa *s, wlab_pool *pool)
{
    const transductive *t = &s->t;
    const double odds = s->T * log((1 - t->r) / t->r);
    double least = INFINITY, most = -INFINITY, slope;
    rows all = {.s = s, .inverse = inverse_of(s->T)};

    wlab_rows_run(&t->unlabelled, find_g, &all, NULL, pool);
    for (int b = 0; b < wlab_rows_blocks(&t->unlabelled); b++) {
        least = fmin(least, all.least[b]);
        most = fmax(most, all.most[b]);
    }
    least = wlab_ranks_least(wlab_tr_ranks(t), least);
    most = wlab_ranks_most(wlab_tr_ranks(t), most);
    /* slightly wider than the bracket of Table 6: if all g are equal, both of its ends are the root itself */
    const double margin = 1e-9 * (fabs(least) + fabs(most) + s->T);
    s->nu2 = balance_root(&all, least - odds - margin, most - odds + margin, pool);
    if (all.nu2 != s->nu2)
        (void)imbalance(&all, s->nu2, &slope, pool);
    set_all(&all, pool);
}

void wlab_mfa_from_odds(mfa *s)
{
    const double kl = s->kl;

    set_all(&(rows){.s = s, .from_x = true}, NULL);
    s->kl = kl;
}

void wlab_mfa_even(mfa *s)
{
    for (int64_t j = 0; j < s->t.unlabelled.n; j++)
        s->x[j] = log(s->t.r / (1 - s->t.r));
    s->nu2 = NAN;
    s->kl = NAN;
    wlab_mfa_from_odds(s);
}

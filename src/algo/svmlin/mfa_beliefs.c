/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The p-step of mean field annealing (Table 6): beliefs of the unlabelled rows for fixed w.  Everything is computed
 * from log-odds x, so that beliefs near 0 and 1 lose no precision.
 */
#include "algo/svmlin/mfa.h"

#include <math.h>

enum {
    ROWS = 4096, /* per block */
    MOST_BLOCKS = 64,
    MOST_STEPS = 200
};
#define BALANCED 1e-12 /* |mean p - r| */

/* e^-a for a >= 0; avoids libm's slow path for results near 0. */
static inline double odds(double a)
{
    return a < 700 ? exp(-a) : 0;
}

/* With a = |x|: t = e^-a, the belief in the less likely label is t / (1 + t). */
static double unlikely(double x)
{
    const double t = odds(fabs(x));
    return t / (1 + t);
}

typedef struct balance {
    mfa *s;
    double nu2;
    int blocks;
    double sum[MOST_BLOCKS], slope[MOST_BLOCKS];
} balance;

static int blocks_of(int64_t u)
{
    const int64_t blocks = u / ROWS + 1;
    return (int)(blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS);
}

static void sum_block(void *data, int b)
{
    balance *at = data;
    const mfa *s = at->s;
    const int64_t end = wlab_block_begin(s->t.u, at->blocks, b + 1);
    double sum = 0, slope = 0;

    for (int64_t j = wlab_block_begin(s->t.u, at->blocks, b); j < end; j++) {
        const double x = (at->nu2 - s->g[j]) / s->T, small = unlikely(x);
        sum += x > 0 ? 1 - small : small;
        slope += small * (1 - small);
    }
    at->sum[b] = sum;
    at->slope[b] = slope;
}

/* B(nu) of Table 6 and its derivative. */
static double imbalance(balance *at, double nu2, double *slope, wlab_pool *pool)
{
    const double u = (double)at->s->t.u;
    double sum = 0;

    at->nu2 = nu2;
    *slope = 0;
    wlab_pool_run(pool, at->blocks, sum_block, at);
    for (int b = 0; b < at->blocks; b++) {
        sum += at->sum[b];
        *slope += at->slope[b];
    }
    *slope /= at->s->T * u;
    return sum / u - at->s->t.r;
}

static double balance_root(mfa *s, double lo, double hi, wlab_pool *pool)
{
    balance at = {.s = s, .blocks = blocks_of(s->t.u)};
    double nu2 = s->nu2 > lo && s->nu2 < hi ? s->nu2 : 0.5 * (lo + hi), slope;

    for (int k = 0; k < MOST_STEPS; k++) {
        const double B = imbalance(&at, nu2, &slope, pool);
        if (fabs(B) <= BALANCED)
            break;
        if (B < 0)
            lo = nu2;
        else
            hi = nu2;
        double to = nu2 - B / slope;
        if (!(to > lo && to < hi)) /* also if slope is 0 */
            to = 0.5 * (lo + hi);
        if (to == nu2 || !(hi - lo > 1e-15 * fabs(nu2)))
            break;
        nu2 = to;
    }
    return nu2;
}

/* Sets row j's belief to that of log-odds x.  Adds its entropy to *entropy, and to *kl its divergence from the belief
 * before, whose log-odds were `from`. */
static void set_belief(mfa *s, int64_t j, double x, double from, double *entropy, double *kl)
{
    const double a = fabs(x), t = odds(a), small = t / (1 + t), l1 = log1p(t), before = s->l1[j];
    const double p = x > 0 ? 1 - small : small;

    /* H = log(1 + e^x) - p x and KL = p (x - x0) - log(1 + e^x) + log(1 + e^x0), without the terms that cancel.
     * other: the new belief in the label that was less likely before */
    const double other = (x > 0) == (from > 0) ? small : 1 - small;
    *entropy += l1 + (small > 0 ? small * a : 0);
    *kl += before - l1 - (small > 0 ? small * a : 0);
    if (other > 0)
        *kl += other * fabs(from);
    s->x[j] = x;
    s->p[j] = p;
    s->l1[j] = l1;
}

typedef struct belief_sums {
    mfa *s;
    int blocks;
    double entropy[MOST_BLOCKS], kl[MOST_BLOCKS];
} belief_sums;

static void belief_block(void *data, int b)
{
    belief_sums *all = data;
    mfa *s = all->s;
    const int64_t end = wlab_block_begin(s->t.u, all->blocks, b + 1);

    all->entropy[b] = all->kl[b] = 0;
    for (int64_t j = wlab_block_begin(s->t.u, all->blocks, b); j < end; j++)
        set_belief(s, j, (s->nu2 - s->g[j]) / s->T, s->x[j], &all->entropy[b], &all->kl[b]);
}

void wlab_mfa_beliefs(mfa *s, wlab_pool *pool)
{
    const transductive *t = &s->t;
    const double odds = s->T * log((1 - t->r) / t->r);
    double least = INFINITY, most = -INFINITY;

    for (int64_t j = 0; j < t->u; j++) {
        const double o = t->m->o[t->unl[j]], a = o < 1 ? 1 - o : 0, b = o > -1 ? 1 + o : 0;
        s->g[j] = t->lambda_u * (t->hinge ? a - b : a * a - b * b);
        least = fmin(least, s->g[j]);
        most = fmax(most, s->g[j]);
    }
    /* slightly wider than the bracket of Table 6: if all g are equal, both of its ends are the root itself */
    const double margin = 1e-9 * (fabs(least) + fabs(most) + s->T);
    s->nu2 = balance_root(s, least - odds - margin, most - odds + margin, pool);
    belief_sums all = {.s = s, .blocks = blocks_of(t->u)};
    wlab_pool_run(pool, all.blocks, belief_block, &all);
    s->entropy = s->kl = 0;
    for (int b = 0; b < all.blocks; b++) {
        s->entropy += all.entropy[b];
        s->kl += all.kl[b];
    }
    s->entropy /= (double)t->u;
    s->kl = fmax(0, s->kl / (double)t->u);
}

void wlab_mfa_from_odds(mfa *s)
{
    double kl = 0;

    s->entropy = 0;
    for (int64_t j = 0; j < s->t.u; j++)
        set_belief(s, j, s->x[j], s->x[j], &s->entropy, &kl);
    s->entropy /= (double)s->t.u;
}

void wlab_mfa_even(mfa *s)
{
    for (int64_t j = 0; j < s->t.u; j++) {
        s->x[j] = log(s->t.r / (1 - s->t.r));
        s->l1[j] = 0;
    }
    s->nu2 = NAN;
    s->kl = NAN;
    wlab_mfa_from_odds(s);
}

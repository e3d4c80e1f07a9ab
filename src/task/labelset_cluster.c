/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The label set of maximum margin clustering: -beta <= 1'y <= beta (WellSVM, section 4.3), which is a range
 * of counts: between `least` and n - least rows are negative.
 */
#include "task/labelset.h"

#include <math.h>
#include <string.h>

typedef struct cluster_set {
    wlab_labelset base;
    int64_t least; /* rows of the smaller cluster, at least */
    double *below; /* [n - 2 least + 1] probability that a uniform labeling has at most least + i negatives */
} cluster_set;

static const cluster_set *self(const wlab_labelset *set)
{
    return (const cluster_set *)(const void *)set;
}

static int64_t negatives_of(const int8_t *y, int64_t n)
{
    int64_t negatives = 0;
    for (int64_t k = 0; k < n; k++)
        negatives += y[k] < 0;
    return negatives;
}

static wlab_code cluster_argmax(const wlab_labelset *set, const double *r, const int8_t *ref, int8_t *y,
                                wlab_err *err)
{
    int64_t least = self(set)->least;
    wlab_rank *rank;
    wlab_code code = wlab_rank_create(&rank, r, ref, NULL, set->n, err);
    if (code)
        return code;
    for (int64_t i = 0; i < set->n; i++) {
        bool positive = rank[i].r > 0 || (!(rank[i].r < 0) && rank[i].ref > 0);
        if (i < least)
            positive = false;
        else if (i >= set->n - least)
            positive = true;
        y[rank[i].row] = positive ? 1 : -1;
    }
    wlab_free(rank);
    return WL_OK;
}

static bool cluster_contains(const wlab_labelset *set, const int8_t *y)
{
    int64_t least = self(set)->least, negatives = negatives_of(y, set->n);
    for (int64_t k = 0; k < set->n; k++) {
        if (y[k] != 1 && y[k] != -1)
            return false;
    }
    return negatives >= least && negatives <= set->n - least;
}

static void cluster_random(const wlab_labelset *set, wlab_rng *rng, int8_t *y)
{
    const cluster_set *s = self(set);
    int64_t lo = 0, hi = set->n - 2 * s->least;
    double u = wlab_rng_uniform(rng);
    while (lo < hi) {
        int64_t middle = (lo + hi) / 2;
        if (s->below[middle] > u)
            hi = middle;
        else
            lo = middle + 1;
    }
    int64_t wanted = s->least + lo;
    for (int64_t k = 0; k < set->n; k++) {
        bool negative = (int64_t)wlab_rng_below(rng, (uint64_t)(set->n - k)) < wanted;
        y[k] = negative ? -1 : 1;
        wanted -= negative;
    }
}

/* The set holds -y with y: nothing is ever fixed. */
static int cluster_fixed(const wlab_labelset *set, int64_t k)
{
    (void)set, (void)k;
    return 2;
}

static int32_t cluster_group(const wlab_labelset *set, int64_t k)
{
    (void)set, (void)k;
    return 0;
}

static bool cluster_may_flip(const wlab_labelset *set, const int8_t *y, int64_t k)
{
    int64_t least = self(set)->least, negatives = negatives_of(y, set->n) + (y[k] < 0 ? -1 : 1);
    return negatives >= least && negatives <= set->n - least;
}

static bool cluster_equation(const wlab_labelset *set, int e, double *a, double *b)
{
    if (e != 0 || 2 * self(set)->least != set->n)
        return false;
    for (int64_t k = 0; k < set->n; k++)
        a[k] = 1;
    *b = 0;
    return true;
}

static double cluster_count(const wlab_labelset *set)
{
    double count = 0;
    for (int64_t t = self(set)->least; t <= set->n - self(set)->least && !isinf(count); t++)
        count += wlab_choose(set->n, t);
    return count;
}

static wlab_code cluster_enumerate(const wlab_labelset *set, wlab_visit visit, void *data, wlab_err *err)
{
    int64_t n = set->n, least = self(set)->least;
    double count = cluster_count(set);
    if (count > WL_ENUMERATE_MAX)
        return wlab_labelset_too_many(count, err);
    wlab_code code = WL_OK;
    wlab_door door = {0};
    int8_t *y = wlab_calloc((size_t)n, sizeof *y);
    int32_t *changed = wlab_alloc((size_t)n + 2, sizeof *changed);
    if (!y || !changed) {
        code = wlab_nomem(err);
        goto out;
    }
    bool more = true;
    for (int64_t t = least; t <= n - least && more; t++) {
        wlab_door_clear(&door);
        code = wlab_door_create(&door, n, t, err);
        if (code)
            goto out;
        /* From the last labeling with t - 1 negatives to the first with t: three places at most. */
        int64_t nchanged = 0;
        for (int64_t k = 0; k < n; k++) {
            int8_t first = k < t ? -1 : 1;
            if (y[k] != first) {
                y[k] = first;
                changed[nchanged++] = (int32_t)k;
            }
        }
        more = visit(data, y, changed, nchanged);
        while (more && wlab_door_next(&door)) {
            changed[0] = door.out;
            changed[1] = door.in;
            y[door.out] = 1;
            y[door.in] = -1;
            more = visit(data, y, changed, 2);
        }
    }
out:
    wlab_door_clear(&door);
    wlab_free(changed);
    wlab_free(y);
    return code;
}

static void cluster_destroy(wlab_labelset *set)
{
    cluster_set *s = (cluster_set *)(void *)set;
    wlab_free(s->below);
    wlab_free(s);
}

static const wlab_labelset_ops cluster_ops = {
    .name = "cluster",
    .argmax = cluster_argmax,
    .contains = cluster_contains,
    .random = cluster_random,
    .fixed = cluster_fixed,
    .group = cluster_group,
    .may_flip = cluster_may_flip,
    .equation = cluster_equation,
    .count = cluster_count,
    .enumerate = cluster_enumerate,
    .destroy = cluster_destroy,
};

/* Binomials relative to the one in the middle, so that nothing overflows. */
static void fill_below(double *below, int64_t n, int64_t least)
{
    int64_t counts = n - 2 * least + 1, middle = n / 2 - least;
    below[middle] = 1;
    for (int64_t i = middle; i > 0; i--)
        below[i - 1] = below[i] * (double)(least + i) / (double)(n - least - i + 1);
    for (int64_t i = middle; i + 1 < counts; i++)
        below[i + 1] = below[i] * (double)(n - least - i) / (double)(least + i + 1);
    double sum = 0, total = 0;
    for (int64_t i = 0; i < counts; i++)
        total += below[i];
    for (int64_t i = 0; i < counts; i++) {
        sum += below[i];
        below[i] = sum / total;
    }
}

wlab_code wlab_labelset_cluster(wlab_labelset **set, int64_t n, double beta, wlab_err *err)
{
    *set = NULL;
    if (n < 1)
        return wlab_fail(err, WL_EARG, "there are no rows to cluster");
    if (!(beta >= 0))
        return wlab_fail(err, WL_EARG, "the balance bound beta must not be negative");
    if (beta > (double)n)
        beta = (double)n;
    /* The small slack is for beta = 0.03 n and its like, which fall just below the whole number they mean. */
    int64_t least = (int64_t)ceil(((double)n - beta) / 2 - 1e-9 * (double)n);
    if (least < 0)
        least = 0;
    if (2 * least > n)
        return wlab_fail(err, WL_EARG,
                         "%lld rows are an odd number: |1'y| is at least 1, but beta is %g; raise balance",
                         (long long)n, beta);
    cluster_set *s = wlab_calloc(1, sizeof *s);
    if (!s)
        return wlab_nomem(err);
    s->base = (wlab_labelset){.ops = &cluster_ops, .n = n};
    s->least = least;
    s->below = wlab_alloc((size_t)(n - 2 * least + 1), sizeof *s->below);
    if (!s->below) {
        cluster_destroy(&s->base);
        return wlab_nomem(err);
    }
    fill_below(s->below, n, least);
    *set = &s->base;
    return WL_OK;
}

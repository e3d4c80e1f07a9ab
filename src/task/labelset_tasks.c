/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The label set of each task, as groups with counts.
 */
#include "weaklab/labelset.h"

#include <math.h>

/* ceil(x) and floor(x) of a count x that was computed from a fraction of n.  The tolerance of 1e-9 n is for rounding:
 * in doubles, 0.57 n or (1 - 0.7) n may just miss the whole number that is meant. */
static int64_t at_least(double x, double n)
{
    return (int64_t)ceil(x - 1e-9 * n);
}
static int64_t at_most(double x, double n)
{
    return (int64_t)floor(x + 1e-9 * n);
}

int64_t wlab_negatives(double r, int64_t u)
{
    return at_least((1 - r) * (double)u, (double)u);
}

/* Visible labels are fixed; the other rows are one group with `negatives` negatives, or any number if that is < 0. */
static wlab_code visible_and_group(wlab_labelset **set, const char *name, const int8_t *visible, int64_t n,
                                   int64_t negatives, wlab_err *err)
{
    const int8_t low = -1;
    wlab_code code;
    int64_t m = 0;
    *set = NULL;
    for (int64_t k = 0; k < n; k++) {
        if (visible[k] < -1 || visible[k] > 1)
            return wlab_fail(err, WL_EARG, "a visible label is +1, -1 or 0; row %lld has %d",
                             (long long)k + 1, visible[k]);
        m += visible[k] == 0;
    }
    if (negatives > m)
        return wlab_fail(err, WL_EARG, "%lld of %lld unlabelled rows cannot be negative",
                         (long long)negatives, (long long)m);
    int64_t lo = negatives < 0 ? 0 : m - negatives, hi = negatives < 0 ? m : lo;
    int32_t *group = wlab_alloc((size_t)n, sizeof *group);
    if (!group)
        return wlab_nomem(err);
    for (int64_t k = 0; k < n; k++)
        group[k] = visible[k] ? WL_NO_GROUP : 0;
    code = wlab_labelset_create(set, name, n, visible, group, 1, &lo, &hi, &low, err);
    wlab_free(group);
    return code;
}

wlab_code wlab_labelset_ssl(wlab_labelset **set, const int8_t *visible, int64_t n, int64_t negatives,
                            wlab_err *err)
{
    *set = NULL;
    if (negatives < 0)
        return wlab_fail(err, WL_EARG,
                         "the number of negative unlabelled rows is %lld, but it must be at least 0",
                         (long long)negatives);
    return visible_and_group(set, "ssl", visible, n, negatives, err);
}

wlab_code wlab_labelset_ambiguous(wlab_labelset **set, const int8_t *visible, int64_t n, wlab_err *err)
{
    return visible_and_group(set, "ambiguous", visible, n, -1, err);
}

wlab_code wlab_labelset_cluster(wlab_labelset **set, int64_t n, double beta, wlab_err *err)
{
    const int8_t low = -1;
    wlab_code code;
    *set = NULL;
    if (n < 1)
        return wlab_fail(err, WL_EARG, "there are no rows to cluster");
    if (!(beta >= 0))
        return wlab_fail(err, WL_EARG, "the balance bound beta must not be negative");
    if (beta > (double)n)
        beta = (double)n;
    int64_t least = at_least(((double)n - beta) / 2, (double)n), most = n - least;
    if (least > most)
        return wlab_fail(
            err, WL_EARG,
            "%lld rows are an odd number, so the sizes of two clusters differ by at least 1, but "
            "balance=%.4g allows %.4g (balance times the rows): use balance=%.2g, say",
            (long long)n, beta / (double)n, beta, ceil(100 / (double)n) / 100);
    int32_t *group = wlab_calloc((size_t)n, sizeof *group);
    if (!group)
        return wlab_nomem(err);
    code = wlab_labelset_create(set, "cluster", n, NULL, group, 1, &least, &most, &low, err);
    wlab_free(group);
    return code;
}

wlab_code wlab_labelset_single(wlab_labelset **set, const int8_t *y, int64_t n, wlab_err *err)
{
    int32_t *group = wlab_alloc((size_t)n, sizeof *group);
    *set = NULL;
    if (!group)
        return wlab_nomem(err);
    for (int64_t k = 0; k < n; k++)
        group[k] = WL_NO_GROUP;
    wlab_code code = wlab_labelset_create(set, "single", n, y, group, 0, NULL, NULL, NULL, err);
    wlab_free(group);
    return code;
}

/* What the tasks with bags share: one group per bag. */
typedef struct bagged {
    int64_t *size, *lo, *hi; /* [bags] */
    int8_t *low;             /* [bags] */
    int32_t *group;          /* [n] */
    int8_t *fixed;           /* [n] */
} bagged;

static void bagged_free(bagged *b)
{
    wlab_free(b->size);
    wlab_free(b->lo);
    wlab_free(b->hi);
    wlab_free(b->low);
    wlab_free(b->group);
    wlab_free(b->fixed);
}

static wlab_code bagged_make(bagged *b, const int32_t *bag, int64_t n, int64_t bags, wlab_err *err)
{
    *b = (bagged){.size = wlab_calloc((size_t)bags, sizeof *b->size),
                  .lo = wlab_calloc((size_t)bags, sizeof *b->lo),
                  .hi = wlab_calloc((size_t)bags, sizeof *b->hi),
                  .low = wlab_calloc((size_t)bags, sizeof *b->low),
                  .group = wlab_alloc((size_t)n, sizeof *b->group),
                  .fixed = wlab_calloc((size_t)n, sizeof *b->fixed)};
    if (!b->size || !b->lo || !b->hi || !b->low || !b->group || !b->fixed) {
        bagged_free(b);
        return wlab_nomem(err);
    }
    for (int64_t k = 0; k < n; k++) {
        b->group[k] = bag[k];
        b->size[bag[k]]++;
    }
    return WL_OK;
}

static int64_t clamp(int64_t x, int64_t lo, int64_t hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

wlab_code wlab_labelset_llp(wlab_labelset **set, const int32_t *bag, const int8_t *visible, int64_t n,
                            int64_t bags, const double *proportion, double eps, wlab_err *err)
{
    bagged b;
    *set = NULL;
    wlab_code code = bagged_make(&b, bag, n, bags, err);
    if (code)
        return code;
    for (int64_t g = 0; g < bags; g++) {
        double size = (double)b.size[g], p = isnan(proportion[g]) ? 0.5 : proportion[g],
               off = isnan(proportion[g]) ? 1 : eps; /* without a given proportion any count is allowed */
        int64_t lo = at_least((p - off) * size, size), hi = at_most((p + off) * size, size);
        if (lo > hi) /* no count is within eps: use the nearest */
            lo = hi = (int64_t)floor(p * size + 0.5);
        b.lo[g] = clamp(lo, 0, b.size[g]);
        b.hi[g] = clamp(hi, 0, b.size[g]);
        b.low[g] = -1;
    }
    for (int64_t k = 0; visible && k < n; k++)
        if (visible[k]) { /* the counts are those of the other rows of the bag */
            b.fixed[k] = visible[k];
            b.group[k] = WL_NO_GROUP;
            b.lo[bag[k]] -= visible[k] > 0;
            b.hi[bag[k]] -= visible[k] > 0;
            b.size[bag[k]]--;
        }
    for (int64_t g = 0; g < bags; g++) {
        b.lo[g] = clamp(b.lo[g], 0, b.size[g]);
        b.hi[g] = clamp(b.hi[g], 0, b.size[g]);
    }
    code = wlab_labelset_create(set, "llp", n, b.fixed, b.group, bags, b.lo, b.hi, b.low, err);
    bagged_free(&b);
    return code;
}

/* Rows of bags with proportion <= 1/2 are -1.  In every other bag `keys` rows, or as many as it has, are +1 and the rest 0;
 * keys = 0: each row is +1 or -1, and at least one is +1. */
static wlab_code signed_bags(wlab_labelset **set, const int32_t *bag, int64_t n, int64_t bags,
                             const double *proportion, int64_t keys, wlab_err *err)
{
    bagged b;
    *set = NULL;
    wlab_code code = bagged_make(&b, bag, n, bags, err);
    if (code)
        return code;
    for (int64_t g = 0; g < bags; g++) {
        const bool positive = proportion[g] > 0.5; /* a negative bag has no +1, so all its rows are -1 */
        if (positive) {
            b.lo[g] = clamp(keys ? keys : 1, 0, b.size[g]);
            b.hi[g] = keys ? b.lo[g] : b.size[g];
        }
        b.low[g] = positive && keys ? 0 : -1;
    }
    code = wlab_labelset_create(set, "mil", n, b.fixed, b.group, bags, b.lo, b.hi, b.low, err);
    bagged_free(&b);
    return code;
}

wlab_code wlab_labelset_mil(wlab_labelset **set, const int32_t *bag, int64_t n, int64_t bags,
                            const double *proportion, int64_t keys, wlab_err *err)
{
    *set = NULL;
    if (keys < 1)
        return wlab_fail(err, WL_EARG, "a positive bag has at least one key instance");
    return signed_bags(set, bag, n, bags, proportion, keys, err);
}

wlab_code wlab_labelset_instances(wlab_labelset **set, const int32_t *bag, int64_t n, int64_t bags,
                                  const double *proportion, wlab_err *err)
{
    return signed_bags(set, bag, n, bags, proportion, 0, err);
}

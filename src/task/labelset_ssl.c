/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The label set of semi-supervised learning: labelled rows fixed, a given number of the others negative
 * (WellSVM, Eq. 21's balance constraint).
 */
#include "task/labelset.h"

#include <math.h>
#include <string.h>

typedef struct ssl_set {
    wlab_labelset base;
    int8_t *visible;     /* [n] */
    int32_t *unlabelled; /* [m] rows without a visible label, ascending */
    int64_t m, negatives;
    bool frozen; /* all negative or all positive: nothing is free */
} ssl_set;

static const ssl_set *self(const wlab_labelset *set)
{
    return (const ssl_set *)(const void *)set;
}

static wlab_code ssl_argmax(const wlab_labelset *set, const double *r, const int8_t *ref, int8_t *y,
                            wlab_err *err)
{
    const ssl_set *s = self(set);
    wlab_rank *rank;
    wlab_code code = wlab_rank_create(&rank, r, ref, s->unlabelled, s->m, err);
    if (code)
        return code;
    memcpy(y, s->visible, (size_t)set->n);
    for (int64_t i = 0; i < s->m; i++)
        y[rank[i].row] = i < s->negatives ? -1 : 1;
    wlab_free(rank);
    return WL_OK;
}

static bool ssl_contains(const wlab_labelset *set, const int8_t *y)
{
    const ssl_set *s = self(set);
    int64_t negatives = 0;
    for (int64_t k = 0; k < set->n; k++) {
        if (y[k] != 1 && y[k] != -1)
            return false;
        if (s->visible[k] && y[k] != s->visible[k])
            return false;
        negatives += !s->visible[k] && y[k] < 0;
    }
    return negatives == s->negatives;
}

/* Selection sampling: each row in turn is negative with the probability that is left over for it. */
static void ssl_random(const wlab_labelset *set, wlab_rng *rng, int8_t *y)
{
    const ssl_set *s = self(set);
    int64_t wanted = s->negatives;
    memcpy(y, s->visible, (size_t)set->n);
    for (int64_t i = 0; i < s->m; i++) {
        bool negative = (int64_t)wlab_rng_below(rng, (uint64_t)(s->m - i)) < wanted;
        y[s->unlabelled[i]] = negative ? -1 : 1;
        wanted -= negative;
    }
}

static int ssl_fixed(const wlab_labelset *set, int64_t k)
{
    const ssl_set *s = self(set);
    if (s->visible[k])
        return s->visible[k];
    if (s->frozen)
        return s->negatives ? -1 : 1;
    return 2;
}

static int32_t ssl_group(const wlab_labelset *set, int64_t k)
{
    return ssl_fixed(set, k) == 2 ? 0 : -1;
}

static bool ssl_may_flip(const wlab_labelset *set, const int8_t *y, int64_t k)
{
    (void)set, (void)y, (void)k;
    return false;
}

static bool ssl_equation(const wlab_labelset *set, int e, double *a, double *b)
{
    const ssl_set *s = self(set);
    if (e != 0 || s->frozen)
        return false;
    for (int64_t k = 0; k < set->n; k++)
        a[k] = s->visible[k] ? 0 : 1;
    *b = (double)(s->m - 2 * s->negatives);
    return true;
}

static double ssl_count(const wlab_labelset *set)
{
    return wlab_choose(self(set)->m, self(set)->negatives);
}

static wlab_code ssl_enumerate(const wlab_labelset *set, wlab_visit visit, void *data, wlab_err *err)
{
    const ssl_set *s = self(set);
    if (ssl_count(set) > WL_ENUMERATE_MAX)
        return wlab_labelset_too_many(ssl_count(set), err);
    wlab_door door = {0};
    int8_t *y = wlab_alloc((size_t)set->n, sizeof *y);
    int32_t *changed = wlab_alloc((size_t)set->n, sizeof *changed);
    wlab_code code = y && changed ? wlab_door_create(&door, s->m, s->negatives, err) : wlab_nomem(err);
    if (code)
        goto out;
    memcpy(y, s->visible, (size_t)set->n);
    for (int64_t i = 0; i < s->m; i++)
        y[s->unlabelled[i]] = i < s->negatives ? -1 : 1;
    for (int64_t k = 0; k < set->n; k++)
        changed[k] = (int32_t)k;
    bool more = visit(data, y, changed, set->n);
    while (more && wlab_door_next(&door)) {
        changed[0] = s->unlabelled[door.out];
        changed[1] = s->unlabelled[door.in];
        y[changed[0]] = 1;
        y[changed[1]] = -1;
        more = visit(data, y, changed, 2);
    }
out:
    wlab_door_clear(&door);
    wlab_free(changed);
    wlab_free(y);
    return code;
}

static void ssl_destroy(wlab_labelset *set)
{
    ssl_set *s = (ssl_set *)(void *)set;
    wlab_free(s->visible);
    wlab_free(s->unlabelled);
    wlab_free(s);
}

static const wlab_labelset_ops ssl_ops = {
    .name = "ssl",
    .argmax = ssl_argmax,
    .contains = ssl_contains,
    .random = ssl_random,
    .fixed = ssl_fixed,
    .group = ssl_group,
    .may_flip = ssl_may_flip,
    .equation = ssl_equation,
    .count = ssl_count,
    .enumerate = ssl_enumerate,
    .destroy = ssl_destroy,
};

int64_t wlab_negatives(double r, int64_t u)
{
    return (int64_t)ceil((1 - r) * (double)u - 1e-9 * (double)u); /* (1 - 0.7) * 10 is a little above 3 */
}

wlab_code wlab_labelset_ssl(wlab_labelset **set, const int8_t *visible, int64_t n, int64_t negatives,
                            wlab_err *err)
{
    *set = NULL;
    int64_t m = 0;
    for (int64_t k = 0; k < n; k++) {
        if (visible[k] < -1 || visible[k] > 1)
            return wlab_fail(err, WL_EARG, "a visible label is +1, -1 or 0; row %lld has %d",
                             (long long)k + 1, visible[k]);
        m += visible[k] == 0;
    }
    if (negatives < 0 || negatives > m)
        return wlab_fail(err, WL_EARG, "%lld of %lld unlabelled rows cannot be negative",
                         (long long)negatives, (long long)m);
    ssl_set *s = wlab_calloc(1, sizeof *s);
    if (!s)
        return wlab_nomem(err);
    s->base = (wlab_labelset){.ops = &ssl_ops, .n = n};
    s->visible = wlab_alloc((size_t)n, sizeof *s->visible);
    s->unlabelled = wlab_alloc((size_t)m, sizeof *s->unlabelled);
    if (!s->visible || !s->unlabelled) {
        ssl_destroy(&s->base);
        return wlab_nomem(err);
    }
    for (int64_t k = 0; k < n; k++) {
        s->visible[k] = visible[k];
        if (!visible[k])
            s->unlabelled[s->m++] = (int32_t)k;
    }
    s->negatives = negatives;
    s->frozen = negatives == 0 || negatives == m;
    *set = &s->base;
    return WL_OK;
}

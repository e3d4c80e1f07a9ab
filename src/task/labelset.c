/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Label sets as groups with counts: creating one, and the operations on it that algorithms use.
 */
#include "weaklab/labelset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* below[]: cumulative probabilities of the number of low members, least .. most.  The binomials are relative to the
 * largest one, so that nothing overflows. */
static void fill_below(double *below, int64_t size, int64_t least, int64_t most)
{
    int64_t counts = most - least + 1, middle = size / 2;
    middle = (middle < least ? least : middle > most ? most : middle) - least;
    below[middle] = 1;
    for (int64_t i = middle; i > 0; i--)
        below[i - 1] = below[i] * (double)(least + i) / (double)(size - least - i + 1);
    for (int64_t i = middle; i + 1 < counts; i++)
        below[i + 1] = below[i] * (double)(size - least - i) / (double)(least + i + 1);
    double sum = 0, total = 0;
    for (int64_t i = 0; i < counts; i++)
        total += below[i];
    for (int64_t i = 0; i < counts; i++) {
        sum += below[i];
        below[i] = sum / total;
    }
}

void wlab_labelset_destroy(wlab_labelset *B)
{
    if (!B)
        return;
    for (int64_t g = 0; B->below && g < B->groups; g++)
        wlab_free(B->below[g]);
    wlab_free(B->below);
    wlab_free(B->fixed);
    wlab_free(B->group);
    wlab_free(B->start);
    wlab_free(B->member);
    wlab_free(B->lo);
    wlab_free(B->hi);
    wlab_free(B->low);
    wlab_free(B);
}

bool wlab_labelset_same(const wlab_labelset *B, const wlab_labelset *C)
{
    const size_t n = (size_t)B->n, groups = (size_t)B->groups;

    return B->n == C->n && B->groups == C->groups && memcmp(B->fixed, C->fixed, n * sizeof *B->fixed) == 0 &&
           memcmp(B->group, C->group, n * sizeof *B->group) == 0 &&
           memcmp(B->lo, C->lo, groups * sizeof *B->lo) == 0 &&
           memcmp(B->hi, C->hi, groups * sizeof *B->hi) == 0 &&
           memcmp(B->low, C->low, groups * sizeof *B->low) == 0;
}

static wlab_code allocate(wlab_labelset *B, int64_t groups, wlab_err *err)
{
    size_t n = (size_t)B->n, g = (size_t)groups;
    B->fixed = wlab_alloc(n, sizeof *B->fixed);
    B->group = wlab_alloc(n, sizeof *B->group);
    B->member = wlab_alloc(n, sizeof *B->member);
    B->start = wlab_calloc(g + 1, sizeof *B->start);
    B->lo = wlab_alloc(g, sizeof *B->lo);
    B->hi = wlab_alloc(g, sizeof *B->hi);
    B->low = wlab_alloc(g, sizeof *B->low);
    B->below = wlab_calloc(g, sizeof *B->below);
    return B->fixed && B->group && B->member && B->start && B->lo && B->hi && B->low && B->below
               ? WL_OK
               : wlab_nomem(err);
}

wlab_code wlab_labelset_create(wlab_labelset **set, const char *name, int64_t n, const int8_t *fixed,
                               const int32_t *group, int64_t groups, const int64_t *lo, const int64_t *hi,
                               const int8_t *low, wlab_err *err)
{
    wlab_code code = WL_OK;
    wlab_labelset *B = wlab_calloc(1, sizeof *B);
    int64_t *size = wlab_calloc((size_t)groups, sizeof *size);
    int32_t *place = wlab_alloc((size_t)groups, sizeof *place); /* number among the groups that are kept */
    *set = NULL;
    if (!B || !size || !place) {
        code = wlab_nomem(err);
        goto out;
    }
    B->name = name;
    B->n = n;
    if ((code = allocate(B, groups, err)))
        goto out;
    for (int64_t k = 0; k < n; k++)
        if (group[k] >= 0)
            size[group[k]]++;
    for (int64_t g = 0; g < groups; g++) {
        if (lo[g] < 0 || hi[g] > size[g] || lo[g] > hi[g]) {
            code = wlab_fail(err, WL_EARG, "between %lld and %lld of %lld cannot be positive",
                             (long long)lo[g], (long long)hi[g], (long long)size[g]);
            goto out;
        }
        place[g] = -1;
        if (hi[g] == 0 || lo[g] == size[g])
            continue;
        int64_t at = B->groups++;
        place[g] = (int32_t)at;
        B->lo[at] = lo[g];
        B->hi[at] = hi[g];
        B->low[at] = low[g];
        B->start[at + 1] = B->start[at] + size[g];
        if (lo[g] == hi[g])
            continue;
        B->below[at] = wlab_alloc((size_t)(hi[g] - lo[g] + 1), sizeof **B->below);
        if (!B->below[at]) {
            code = wlab_nomem(err);
            goto out;
        }
        fill_below(B->below[at], size[g], size[g] - hi[g], size[g] - lo[g]);
    }
    memset(size, 0, (size_t)groups * sizeof *size); /* members placed so far */
    for (int64_t k = 0; k < n; k++) {
        int32_t g = group[k], at = g < 0 ? -1 : place[g];
        B->group[k] = at;
        B->fixed[k] = at >= 0 ? (int8_t)WL_FREE : g < 0 ? fixed[k] : hi[g] == 0 ? low[g] : 1;
        if (at >= 0)
            B->member[B->start[at] + size[g]++] = (int32_t)k;
    }
    *set = B;
    B = NULL;
out:
    wlab_labelset_destroy(B);
    wlab_free(size);
    wlab_free(place);
    return code;
}

/* The order in which rows get labels: by r, then by the reference label, then by row. */
typedef struct ranking {
    const double *r;
    const int8_t *ref; /* NULL: all low */
} ranking;

static bool comes_before(const ranking *k, int32_t a, int32_t b)
{
    if (k->r[a] < k->r[b] || k->r[a] > k->r[b])
        return k->r[a] < k->r[b];
    if (k->ref && k->ref[a] != k->ref[b])
        return k->ref[a] < k->ref[b];
    return a < b;
}

/* Move the `first` rows of row[0..n-1] that rank first to the front, by partitioning around pseudo-random pivots.
 * Expected O(n).  The rows in front do not depend on the pivots, since no two rows have the same rank. */
static void select_first(const ranking *k, int32_t *row, int64_t n, int64_t first)
{
    uint64_t pick = 0x9e3779b97f4a7c15u;
    while (first > 0 && first < n) {
        pick = pick * 6364136223846793005u + 1442695040888963407u;
        const int32_t pivot = row[(int64_t)((pick >> 33) % (uint64_t)n)];
        int64_t lo = 0, hi = n - 1;
        while (lo <= hi) { /* rows before lo are not after the pivot; rows behind hi are not before it */
            while (comes_before(k, row[lo], pivot))
                lo++;
            while (comes_before(k, pivot, row[hi]))
                hi--;
            if (lo > hi)
                break;
            const int32_t swap = row[lo];
            row[lo++] = row[hi];
            row[hi--] = swap;
        }
        if (first <= hi + 1) {
            n = hi + 1;
        } else if (first < lo) {
            return; /* only the pivot is between hi and lo */
        } else {
            row += lo;
            n -= lo;
            first -= lo;
        }
    }
}

static int64_t largest_group(const wlab_labelset *B)
{
    int64_t most = 0;
    for (int64_t g = 0; g < B->groups; g++)
        most = wlab_labelset_size(B, g) > most ? wlab_labelset_size(B, g) : most;
    return most;
}

wlab_code wlab_labelset_argmax(const wlab_labelset *B, const double *r, const int8_t *ref, int8_t *y,
                               wlab_err *err)
{
    for (int64_t i = 0; i < B->start[B->groups]; i++)
        if (isnan(r[B->member[i]]))
            return wlab_fail(err, WL_ENUMERIC, "the score of row %d is not a number", B->member[i] + 1);
    const ranking key = {r, ref};
    int32_t *order = wlab_alloc((size_t)largest_group(B), sizeof *order);
    if (!order)
        return wlab_nomem(err);
    for (int64_t k = 0; k < B->n; k++)
        if (B->group[k] < 0)
            y[k] = B->fixed[k];
    for (int64_t g = 0; g < B->groups; g++) {
        const int64_t size = wlab_labelset_size(B, g), least = size - B->hi[g], most = size - B->lo[g];
        memcpy(order, B->member + B->start[g], (size_t)size * sizeof *order);
        select_first(&key, order, size, least);
        select_first(&key, order + least, size - least, most - least);
        for (int64_t i = 0; i < size; i++) {
            const int32_t k = order[i];
            const bool positive = r[k] > 0 || (!(r[k] < 0) && ref && ref[k] > 0);
            y[k] = i >= least && (i >= most || positive) ? 1 : B->low[g];
        }
    }
    wlab_free(order);
    return WL_OK;
}

static int64_t count_positives(const wlab_labelset *B, int64_t g, const int8_t *y)
{
    int64_t n = 0;
    for (int64_t i = B->start[g]; i < B->start[g + 1]; i++)
        n += y[B->member[i]] > 0;
    return n;
}

bool wlab_labelset_contains(const wlab_labelset *B, const int8_t *y)
{
    for (int64_t k = 0; k < B->n; k++)
        if (B->group[k] < 0 ? y[k] != B->fixed[k] : y[k] != 1 && y[k] != B->low[B->group[k]])
            return false;
    for (int64_t g = 0; g < B->groups; g++) {
        int64_t n = count_positives(B, g, y);
        if (n < B->lo[g] || n > B->hi[g])
            return false;
    }
    return true;
}

/* Draws how many rows of a group get its lower value, then uses selection sampling: each row in turn gets it with the
 * probability (lower values left) / (rows left). */
void wlab_labelset_random(const wlab_labelset *B, wlab_rng *rng, int8_t *y)
{
    for (int64_t k = 0; k < B->n; k++)
        if (B->group[k] < 0)
            y[k] = B->fixed[k];
    for (int64_t g = 0; g < B->groups; g++) {
        int64_t size = wlab_labelset_size(B, g), lows_left = size - B->hi[g];
        if (B->below[g]) {
            int64_t first = 0, last = B->hi[g] - B->lo[g];
            double u = wlab_rng_uniform(rng);
            while (first < last) {
                int64_t middle = (first + last) / 2;
                if (B->below[g][middle] > u)
                    last = middle;
                else
                    first = middle + 1;
            }
            lows_left += first;
        }
        for (int64_t i = 0; i < size; i++) {
            bool low = (int64_t)wlab_rng_below(rng, (uint64_t)(size - i)) < lows_left;
            y[B->member[B->start[g] + i]] = low ? B->low[g] : 1;
            lows_left -= low;
        }
    }
}

bool wlab_labelset_may_flip(const wlab_labelset *B, const int8_t *y, int64_t k)
{
    int32_t g = B->group[k];
    if (g < 0 || B->low[g] != -1 || B->lo[g] == B->hi[g])
        return false;
    int64_t n = count_positives(B, g, y) + (y[k] > 0 ? -1 : 1);
    return n >= B->lo[g] && n <= B->hi[g];
}

void wlab_labelset_mean(const wlab_labelset *B, double *c)
{
    for (int64_t k = 0; k < B->n; k++)
        c[k] = B->fixed[k];
    for (int64_t g = 0; g < B->groups; g++) {
        double size = (double)wlab_labelset_size(B, g), lows = size - (double)B->hi[g];
        for (int64_t i = 0; B->below[g] && i < B->hi[g] - B->lo[g]; i++)
            lows += 1 - B->below[g][i];
        for (int64_t i = B->start[g]; i < B->start[g + 1]; i++)
            c[B->member[i]] = 1 + lows / size * (B->low[g] - 1);
    }
}

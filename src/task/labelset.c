/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What label sets share: ranking, binomials, combinations one exchange apart.
 */
#include "task/labelset.h"

#include <math.h>
#include <stdlib.h>

void wlab_labelset_destroy(wlab_labelset *set)
{
    if (set)
        set->ops->destroy(set);
}

int64_t wlab_labelset_free_count(const wlab_labelset *set)
{
    int64_t free_count = 0;
    for (int64_t k = 0; k < set->n; k++)
        free_count += set->ops->fixed(set, k) == 2;
    return free_count;
}

static int rank_compare(const void *a, const void *b)
{
    const wlab_rank *p = a, *q = b;
    if (p->r < q->r || p->r > q->r)
        return p->r < q->r ? -1 : 1;
    if (p->ref != q->ref)
        return p->ref < q->ref ? -1 : 1;
    return (p->row > q->row) - (p->row < q->row);
}

wlab_code wlab_rank_create(wlab_rank **rank, const double *r, const int8_t *ref, const int32_t *pick,
                           int64_t m, wlab_err *err)
{
    *rank = NULL;
    wlab_rank *made = wlab_alloc((size_t)m, sizeof *made);
    if (!made)
        return wlab_nomem(err);
    for (int64_t i = 0; i < m; i++) {
        int32_t row = pick ? pick[i] : (int32_t)i;
        if (isnan(r[row])) {
            wlab_free(made);
            return wlab_fail(err, WL_ENUMERIC, "the score of row %d is not a number", row + 1);
        }
        made[i] = (wlab_rank){.r = r[row], .row = row, .ref = ref ? ref[row] : 0};
    }
    qsort(made, (size_t)m, sizeof *made, rank_compare);
    *rank = made;
    return WL_OK;
}

double wlab_choose(int64_t n, int64_t k)
{
    if (k < 0 || k > n)
        return 0;
    if (k > n - k)
        k = n - k;
    /* Exact in 64 bits as long as it fits: c * (n - i) is divided by i + 1 without remainder. */
    uint64_t exact = 1;
    int64_t i = 0;
    for (; i < k; i++) {
        uint64_t product;
        if (__builtin_mul_overflow(exact, (uint64_t)(n - i), &product))
            break;
        exact = product / (uint64_t)(i + 1);
    }
    double c = (double)exact;
    for (; i < k && !isinf(c); i++)
        c = c * ((double)(n - i) / (double)(i + 1));
    return c;
}

/* Knuth, The Art of Computer Programming 4A, 7.2.1.3, Algorithm R (revolving door combinations). */
wlab_code wlab_door_create(wlab_door *door, int64_t m, int64_t t, wlab_err *err)
{
    *door = (wlab_door){.m = m, .t = t};
    door->c = wlab_alloc((size_t)t + 1, sizeof *door->c);
    if (!door->c)
        return wlab_nomem(err);
    for (int64_t j = 0; j < t; j++)
        door->c[j] = (int32_t)j;
    door->c[t] = (int32_t)m;
    return WL_OK;
}

void wlab_door_clear(wlab_door *door)
{
    door->c = wlab_free(door->c);
}

bool wlab_door_next(wlab_door *door)
{
    int32_t *c = door->c - 1; /* Knuth counts from 1 */
    int64_t t = door->t;
    bool decrease = t % 2 != 0;
    if (t == 0 || t == door->m)
        return false;
    if (decrease && c[1] + 1 < c[2]) {
        door->out = c[1];
        door->in = ++c[1];
        return true;
    }
    if (!decrease && c[1] > 0) {
        door->out = c[1];
        door->in = --c[1];
        return true;
    }
    for (int64_t j = 2; j <= t; j++, decrease = !decrease) {
        if (decrease && c[j] >= j) {
            door->out = c[j];
            c[j] = c[j - 1];
            door->in = c[j - 1] = (int32_t)(j - 2);
            return true;
        }
        if (!decrease && c[j] + 1 < c[j + 1]) {
            door->out = c[j - 1];
            c[j - 1] = c[j];
            door->in = ++c[j];
            return true;
        }
    }
    return false;
}

wlab_code wlab_labelset_too_many(double count, wlab_err *err)
{
    return wlab_fail(err, WL_EARG, "%.3g labelings are too many to visit one by one (at most 2^40)", count);
}

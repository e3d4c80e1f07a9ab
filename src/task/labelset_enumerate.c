/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Count the labelings of a label set, and visit all of them with few changes from one to the next.
 */
#include "weaklab/labelset.h"

#include <math.h>

/* More labelings than this are not enumerated. */
#define ENUMERATE_MAX 0x1p40

/* n over k: exact below 2^53, else to a few units in the last place, inf beyond the range of doubles. */
static double binomial(int64_t n, int64_t k)
{
    if (k < 0 || k > n)
        return 0;
    if (k > n - k)
        k = n - k;
    /* exact as long as the product fits into 64 bits: i + 1 divides c * (n - i) */
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

double wlab_labelset_count(const wlab_labelset *B)
{
    double count = 1;
    for (int64_t g = 0; g < B->groups && !isinf(count); g++) {
        double of_group = 0;
        for (int64_t t = B->lo[g]; t <= B->hi[g] && !isinf(of_group); t++)
            of_group += binomial(wlab_labelset_size(B, g), t);
        count *= of_group;
    }
    return count;
}

/* All ways to have exactly t of m places low; consecutive ones differ by one exchange: Knuth, The Art of
 * Computer Programming 4A, 7.2.1.3, Algorithm R (revolving door combinations). */
typedef struct door {
    int32_t *c; /* [m + 1] the first t: the places that are low, ascending; then m */
    int64_t m, t;
    int32_t out, in; /* what the last move exchanged: `out` left the set, `in` entered it */
} door;

static void door_begin(door *d, int64_t t)
{
    d->t = t;
    for (int64_t j = 0; j < t; j++)
        d->c[j] = (int32_t)j;
    d->c[t] = (int32_t)d->m;
}

static bool door_next(door *d)
{
    int32_t *c = d->c - 1; /* Knuth counts from 1 */
    int64_t t = d->t;
    bool decrease = t % 2 != 0;
    if (t == 0 || t == d->m)
        return false;
    if (decrease && c[1] + 1 < c[2]) {
        d->out = c[1];
        d->in = ++c[1];
        return true;
    }
    if (!decrease && c[1] > 0) {
        d->out = c[1];
        d->in = --c[1];
        return true;
    }
    for (int64_t j = 2; j <= t; j++, decrease = !decrease) {
        if (decrease && c[j] >= j) {
            d->out = c[j];
            c[j] = c[j - 1];
            d->in = c[j - 1] = (int32_t)(j - 2);
            return true;
        }
        if (!decrease && c[j] + 1 < c[j + 1]) {
            d->out = c[j - 1];
            c[j - 1] = c[j];
            d->in = ++c[j];
            return true;
        }
    }
    return false;
}

/* The position of the visit of all labelings: an odometer with one digit per group. */
typedef struct odometer {
    const wlab_labelset *B;
    door *digit;      /* [groups] */
    int8_t *y;        /* [n] */
    int32_t *changed; /* [n] */
    int64_t nchanged;
} odometer;

static void set_label(odometer *o, int64_t g, int64_t place, bool low)
{
    int32_t k = o->B->member[o->B->start[g] + place];
    int8_t value = low ? o->B->low[g] : 1;
    if (o->y[k] != value)
        o->changed[o->nchanged++] = k;
    o->y[k] = value;
}

/* Set digit g to the first labeling with t low members.  Going from t to t + 1 makes at most three changes. */
static void turn_to(odometer *o, int64_t g, int64_t t)
{
    door_begin(&o->digit[g], t);
    for (int64_t i = 0; i < o->digit[g].m; i++)
        set_label(o, g, i, i < t);
}

/* Advance to the next labeling; false: this was the last. */
static bool turn(odometer *o)
{
    const wlab_labelset *B = o->B;
    o->nchanged = 0;
    for (int64_t g = 0; g < B->groups; g++) {
        door *d = &o->digit[g];
        if (door_next(d)) {
            set_label(o, g, d->out, false);
            set_label(o, g, d->in, true);
            return true;
        }
        if (d->t < d->m - B->lo[g]) {
            turn_to(o, g, d->t + 1);
            return true;
        }
        turn_to(o, g, d->m - B->hi[g]); /* and carry */
    }
    return false;
}

wlab_code wlab_labelset_enumerate(const wlab_labelset *B, wlab_visit visit, void *data, wlab_err *err)
{
    double count = wlab_labelset_count(B);
    if (count > ENUMERATE_MAX)
        return wlab_fail(err, WL_EARG, "%.3g labelings are too many to visit one by one (at most 2^40)",
                         count);
    odometer o = {.B = B};
    wlab_code code = WL_OK;
    o.digit = wlab_calloc((size_t)B->groups, sizeof *o.digit);
    o.y = wlab_alloc((size_t)B->n, sizeof *o.y);
    o.changed = wlab_alloc((size_t)B->n, sizeof *o.changed);
    int32_t *places = wlab_alloc((size_t)(wlab_labelset_free_count(B) + B->groups), sizeof *places);
    if (!o.digit || !o.y || !o.changed || !places) {
        code = wlab_nomem(err);
        goto out;
    }
    for (int64_t k = 0; k < B->n; k++)
        o.y[k] = B->group[k] < 0 ? B->fixed[k]
                                 : (int8_t)WL_FREE; /* so that the first labeling changes every free row */
    for (int64_t g = 0; g < B->groups; g++) {
        o.digit[g] = (door){.c = places + B->start[g] + g, .m = wlab_labelset_size(B, g)};
        turn_to(&o, g, o.digit[g].m - B->hi[g]);
    }
    for (o.nchanged = 0; o.nchanged < B->n; o.nchanged++)
        o.changed[o.nchanged] = (int32_t)o.nchanged;
    while (visit(data, o.y, o.changed, o.nchanged) && turn(&o))
        ;
out:
    wlab_free(o.digit);
    wlab_free(o.y);
    wlab_free(o.changed);
    wlab_free(places);
    return code;
}

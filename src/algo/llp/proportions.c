/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bags as lists, the loss of a proportion, and the exact choice of labels in each bag.
 */
#include "algo/llp/proportions.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum {
    BLOCKS = 64
};

const char *const wlab_share_kind_names[] = {"absolute", "squared", "hinge", NULL};

void wlab_proportions_destroy(wlab_proportions *b)
{
    if (!b)
        return;
    wlab_free(b->start);
    wlab_free(b->member);
    wlab_free(b->share);
    wlab_free(b);
}

void wlab_members_fill(const int32_t *of, int64_t n, int64_t sets, int64_t *start, int32_t *member)
{
    memset(start, 0, (size_t)(sets + 1) * sizeof *start);
    for (int64_t i = 0; i < n; i++)
        if (of[i] >= 0)
            start[of[i] + 1]++;
    for (int64_t k = 0; k < sets; k++)
        start[k + 1] += start[k];
    for (int64_t i = 0; i < n; i++)
        if (of[i] >= 0)
            member[start[of[i]]++] = (int32_t)i;
    for (int64_t k = sets; k > 0; k--)
        start[k] = start[k - 1];
    start[0] = 0;
}

wlab_code wlab_proportions_create(wlab_proportions **out, const wlab_problem *p, wlab_err *err)
{
    wlab_proportions *b = wlab_calloc(1, sizeof *b);
    int32_t *of = wlab_alloc((size_t)p->n, sizeof *of); /* the bag of each row, or -1: in none */
    wlab_code code = WL_OK;
    int64_t in_bags = 0;
    *out = NULL;
    if (!b || !of) {
        code = wlab_nomem(err);
        goto out;
    }
    for (int64_t k = 0; k < p->n; k++) {
        of[k] = p->bag ? p->bag[k] : p->visible[k] ? -1 : 0;
        in_bags += of[k] >= 0;
    }
    b->n = p->n;
    b->bags = p->bag ? p->bags : in_bags > 0;
    b->visible = p->visible;
    b->start = wlab_alloc((size_t)b->bags + 1, sizeof *b->start);
    b->member = wlab_alloc((size_t)in_bags, sizeof *b->member);
    b->share = wlab_alloc((size_t)b->bags, sizeof *b->share);
    if (!b->start || !b->member || !b->share) {
        code = wlab_nomem(err);
        goto out;
    }
    for (int64_t g = 0; g < b->bags; g++) {
        b->share[g] = p->bag ? p->bag_shown[g] : p->r;
        b->told += !isnan(b->share[g]);
    }
    wlab_members_fill(of, p->n, b->bags, b->start, b->member);
out:
    wlab_free(of);
    if (code)
        wlab_proportions_destroy(b);
    else
        *out = b;
    return code;
}

double wlab_proportions_loss(const wlab_proportions *b, const wlab_share_loss *l, int64_t bag, int64_t ups)
{
    const double told = b->share[bag], off = (double)ups / (double)wlab_proportions_size(b, bag) - told,
                 weight = l->weight * (l->of_bag ? l->of_bag[bag] : 1);
    if (isnan(told) || wlab_proportions_size(b, bag) == 0)
        return 0;
    switch (l->kind) {
    case WL_SHARE_SQUARED:
        return weight * off * off;
    case WL_SHARE_HINGE:
        return fabs(off) > l->eps ? weight * (fabs(off) - l->eps) : 0;
    default:
        return weight * fabs(off);
    }
}

static int64_t ups_of(const wlab_proportions *b, int64_t bag, const int8_t *y)
{
    int64_t ups = 0;
    for (int64_t k = b->start[bag]; k < b->start[bag + 1]; k++)
        ups += y[b->member[k]] > 0;
    return ups;
}

double wlab_proportions_penalty(const wlab_proportions *b, const wlab_share_loss *l, const int8_t *y)
{
    double sum = 0;
    for (int64_t g = 0; g < b->bags; g++)
        sum += wlab_proportions_loss(b, l, g, ups_of(b, g, y));
    return sum;
}

/* ---- Proposition 1 ---- */

/* The order in which rows become positive: a total one. */
static inline bool before(wlab_share_rank a, wlab_share_rank b)
{
    return a.gain > b.gain || (a.gain == b.gain && a.row < b.row);
}

static inline wlab_share_rank middle(wlab_share_rank a, wlab_share_rank b, wlab_share_rank c)
{
    return before(a, b) ? (before(b, c) ? b : before(a, c) ? c : a) : before(a, c) ? a : before(b, c) ? c : b;
}

/* rank[0..n-1] parted so that those up to the returned place come before all behind it; n >= 2.  The pivot is of their
 * midst: the last place is never returned. */
static int64_t part(wlab_share_rank *rank, int64_t n)
{
    const wlab_share_rank pivot = middle(rank[0], rank[n / 2], rank[n - 1]);
    int64_t lo = 0, hi = n - 1;
    for (;;) {
        while (before(rank[lo], pivot))
            lo++;
        while (before(pivot, rank[hi]))
            hi--;
        if (lo >= hi)
            return hi < n - 1 ? hi : n - 2;
        const wlab_share_rank swap = rank[lo];
        rank[lo++] = rank[hi];
        rank[hi--] = swap;
    }
}

typedef struct labelling {
    const wlab_proportions *b;
    const wlab_share_loss *l;
    const double *gain;
    int8_t *y;
    wlab_share_rank *work;
    atomic_bool failed; /* a gain is NaN */
} labelling;

/* How many of the free rows are positive; those stand first in rank then.  The sum of the R largest gains is concave in
 * R and L_p convex: one more is worth it up to some R and never behind it.  So no order is needed but who is among the
 * first R, and half of what is left goes with each look. */
static int64_t count_up(const labelling *s, int64_t bag, wlab_share_rank *rank, int64_t free, int64_t known)
{
    int64_t first = 0, end = free; /* all before `first` are positive, none from `end` on */
    while (first < end) {
        /* the least of those up to `last`: is it worth it, as one more? */
        const int64_t last = end - first > 1 ? first + part(rank + first, end - first) : first;
        int64_t least = first;
        for (int64_t k = first + 1; k <= last; k++)
            least = before(rank[least], rank[k]) ? k : least;
        const double more = wlab_proportions_loss(s->b, s->l, bag, known + last + 1) -
                            wlab_proportions_loss(s->b, s->l, bag, known + last);
        if (rank[least].gain > more) {
            first = last + 1;
            continue;
        }
        const wlab_share_rank out = rank[least]; /* and so are all behind */
        rank[least] = rank[last];
        rank[last] = out;
        end = last;
    }
    return first;
}

static void label_bag(labelling *s, int64_t bag)
{
    const wlab_proportions *b = s->b;
    wlab_share_rank *rank = s->work + b->start[bag];
    int64_t known = 0, free = 0;
    for (int64_t k = b->start[bag]; k < b->start[bag + 1]; k++) {
        const int32_t i = b->member[k];
        if (b->visible[i]) {
            s->y[i] = b->visible[i];
            known += b->visible[i] > 0;
            continue;
        }
        if (isnan(s->gain[i])) {
            atomic_store(&s->failed, true);
            return;
        }
        rank[free++] = (wlab_share_rank){s->gain[i], i};
    }
    const int64_t best = count_up(s, bag, rank, free, known);
    for (int64_t k = 0; k < free; k++)
        s->y[rank[k].row] = k < best ? 1 : -1;
}

/* The first bag of block `block`: blocks have about as many rows each. */
static int64_t first_bag(const wlab_proportions *b, int block)
{
    const int64_t row = wlab_block_begin(b->start[b->bags], BLOCKS, block);
    int64_t lo = 0, hi = b->bags;
    while (lo < hi) {
        const int64_t mid = (lo + hi) / 2;
        if (b->start[mid] < row)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void label_block(void *data, int block)
{
    labelling *s = data;
    const int64_t end = block == BLOCKS - 1 ? s->b->bags : first_bag(s->b, block + 1);
    for (int64_t g = first_bag(s->b, block); g < end; g++)
        label_bag(s, g);
}

wlab_code wlab_proportions_label(const wlab_proportions *b, const wlab_share_loss *l, const double *gain,
                                 int8_t *y, wlab_share_rank *work, wlab_pool *pool, wlab_err *err)
{
    labelling s = {.b = b, .l = l, .gain = gain, .y = y, .work = work};
    if (!work && !(s.work = wlab_alloc((size_t)b->start[b->bags], sizeof *s.work)))
        return wlab_nomem(err);
    for (int64_t k = 0; k < b->n; k++)
        if (b->visible[k])
            y[k] = b->visible[k];
    wlab_pool_run(pool, BLOCKS, label_block, &s);
    if (!work)
        wlab_free(s.work);
    if (atomic_load(&s.failed))
        return wlab_fail(err, WL_ENUMERIC, "an output is not a number, so labels cannot be chosen");
    return WL_OK;
}

/* ---- predicted proportions ---- */

void wlab_proportions_of_labels(const wlab_proportions *b, const int8_t *y, double *share)
{
    for (int64_t g = 0; g < b->bags; g++)
        share[g] = (double)ups_of(b, g, y) / (double)wlab_proportions_size(b, g);
}

static double of_outputs(const wlab_proportions *b, int64_t bag, const double *f)
{
    int64_t ups = 0;
    for (int64_t k = b->start[bag]; k < b->start[bag + 1]; k++)
        ups += f[b->member[k]] > 0;
    return (double)ups / (double)wlab_proportions_size(b, bag);
}

void wlab_proportions_of_outputs(const wlab_proportions *b, const double *f, double *share)
{
    for (int64_t g = 0; g < b->bags; g++)
        share[g] = of_outputs(b, g, f);
}

static double error_of(const wlab_proportions *b, int64_t bag, double share)
{
    return isnan(b->share[bag]) || isnan(share) ? 0 : fabs(share - b->share[bag]);
}

double wlab_proportions_error(const wlab_proportions *b, const double *share)
{
    double sum = 0;
    for (int64_t g = 0; g < b->bags; g++)
        sum += error_of(b, g, share[g]);
    return sum;
}

double wlab_proportions_output_error(const wlab_proportions *b, const double *f)
{
    double sum = 0;
    for (int64_t g = 0; g < b->bags; g++)
        sum += error_of(b, g, of_outputs(b, g, f));
    return sum;
}

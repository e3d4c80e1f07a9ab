/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Learning with label proportions: bags as lists, the loss of a proportion, the exact choice of labels in each bag.
 */
#include "algo/llp/proportions.h"
#include "base/sort.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum {
    BLOCKS = 64
};

const char *const wlab_proportion_loss_names[] = {"absolute", "squared", "hinge", NULL};

void wlab_proportions_destroy(wlab_proportions *b)
{
    if (!b)
        return;
    wlab_free(b->start);
    wlab_free(b->member);
    wlab_free(b->proportion);
    wlab_free(b);
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
    b->proportion = wlab_alloc((size_t)b->bags, sizeof *b->proportion);
    if (!b->start || !b->member || !b->proportion) {
        code = wlab_nomem(err);
        goto out;
    }
    for (int64_t g = 0; g < b->bags; g++) {
        b->proportion[g] = p->bag ? p->bag_given[g] : p->r;
        b->given += !isnan(b->proportion[g]);
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

double wlab_proportions_loss(const wlab_proportions *b, const wlab_proportion_loss *l, int64_t bag,
                             int64_t positives)
{
    const double given = b->proportion[bag],
                 off = (double)positives / (double)wlab_proportions_size(b, bag) - given,
                 weight = l->weight * (l->of_bag ? l->of_bag[bag] : 1);
    if (isnan(given) || wlab_proportions_size(b, bag) == 0)
        return 0;
    switch (l->kind) {
    case WL_PROPORTION_SQUARED:
        return weight * off * off;
    case WL_PROPORTION_HINGE:
        return fabs(off) > l->eps ? weight * (fabs(off) - l->eps) : 0;
    default:
        return weight * fabs(off);
    }
}

static int64_t count_positives(const wlab_proportions *b, int64_t bag, const int8_t *y)
{
    int64_t positives = 0;
    for (int64_t k = b->start[bag]; k < b->start[bag + 1]; k++)
        positives += y[b->member[k]] > 0;
    return positives;
}

double wlab_proportions_penalty(const wlab_proportions *b, const wlab_proportion_loss *l, const int8_t *y)
{
    double sum = 0;
    for (int64_t g = 0; g < b->bags; g++)
        sum += wlab_proportions_loss(b, l, g, count_positives(b, g, y));
    return sum;
}

/* ---- Proposition 1 ---- */

/* The order in which rows become positive: a total order. */
static inline bool before(wlab_proportion_rank a, wlab_proportion_rank b)
{
    return a.gain > b.gain || (a.gain == b.gain && a.row < b.row);
}

static inline wlab_proportion_rank middle(wlab_proportion_rank a, wlab_proportion_rank b,
                                          wlab_proportion_rank c)
{
    return before(a, b) ? (before(b, c) ? b : before(a, c) ? c : a) : before(a, c) ? a : before(b, c) ? c : b;
}

/* Reorders rank[0..n-1], n >= 2, around a median of three entries.  Returns an index m < n - 1 such that rank[0..m] all
 * come before() rank[m+1..n-1]; so neither part is empty. */
static int64_t partition(wlab_proportion_rank *rank, int64_t n)
{
    const wlab_proportion_rank pivot = middle(rank[0], rank[n / 2], rank[n - 1]);
    int64_t lo = 0, hi = n - 1;
    for (;;) {
        while (before(rank[lo], pivot))
            lo++;
        while (before(pivot, rank[hi]))
            hi--;
        if (lo >= hi)
            return hi < n - 1 ? hi : n - 2;
        const wlab_proportion_rank swap = rank[lo];
        rank[lo++] = rank[hi];
        rank[hi--] = swap;
    }
}

typedef struct labelling {
    const wlab_proportions *b;
    const wlab_proportion_loss *l;
    const double *gain;
    int8_t *y;
    wlab_proportion_rank *work;
    atomic_bool failed; /* a gain is NaN */
} labelling;

/* Returns how many of the free rows become positive, and moves those to the front of rank.  The sum of the R largest
 * gains is concave in R and L_p is convex, so one more positive row pays off up to some R and never after it.  So the
 * rows need not be sorted: a binary search for R partitions the remaining rows, and each pass discards about half of
 * them. */
static int64_t choose_positives(const labelling *s, int64_t bag, wlab_proportion_rank *rank, int64_t free,
                                int64_t known)
{
    int64_t first = 0, end = free; /* entries before `first` are positive, entries from `end` on negative */
    while (first < end) {
        /* does the row with the least gain up to `last` pay off as one more positive row? */
        const int64_t last = end - first > 1 ? first + partition(rank + first, end - first) : first;
        int64_t least = first;
        for (int64_t k = first + 1; k <= last; k++)
            least = before(rank[least], rank[k]) ? k : least;
        const double more = wlab_proportions_loss(s->b, s->l, bag, known + last + 1) -
                            wlab_proportions_loss(s->b, s->l, bag, known + last);
        if (rank[least].gain > more) {
            first = last + 1;
            continue;
        }
        const wlab_proportion_rank out = rank[least]; /* negative, as are all later ones */
        rank[least] = rank[last];
        rank[last] = out;
        end = last;
    }
    return first;
}

static void label_bag(labelling *s, int64_t bag)
{
    const wlab_proportions *b = s->b;
    wlab_proportion_rank *rank = s->work + b->start[bag];
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
        rank[free++] = (wlab_proportion_rank){s->gain[i], i};
    }
    const int64_t best = choose_positives(s, bag, rank, free, known);
    for (int64_t k = 0; k < free; k++)
        s->y[rank[k].row] = k < best ? 1 : -1;
}

/* The first bag of block `block`.  All blocks have about the same number of rows. */
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

wlab_code wlab_proportions_label(const wlab_proportions *b, const wlab_proportion_loss *l, const double *gain,
                                 int8_t *y, wlab_proportion_rank *work, wlab_pool *pool, wlab_err *err)
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
        return wlab_fail(err, WL_ENUMERIC, "an output is not a number, so no labels can be chosen");
    return WL_OK;
}

/* ---- predicted proportions ---- */

void wlab_proportions_of_labels(const wlab_proportions *b, const int8_t *y, double *proportion)
{
    for (int64_t g = 0; g < b->bags; g++)
        proportion[g] = (double)count_positives(b, g, y) / (double)wlab_proportions_size(b, g);
}

static double output_proportion(const wlab_proportions *b, int64_t bag, const double *f)
{
    int64_t positives = 0;
    for (int64_t k = b->start[bag]; k < b->start[bag + 1]; k++)
        positives += f[b->member[k]] > 0;
    return (double)positives / (double)wlab_proportions_size(b, bag);
}

void wlab_proportions_of_outputs(const wlab_proportions *b, const double *f, double *proportion)
{
    for (int64_t g = 0; g < b->bags; g++)
        proportion[g] = output_proportion(b, g, f);
}

static double bag_error(const wlab_proportions *b, int64_t bag, double proportion)
{
    return isnan(b->proportion[bag]) || isnan(proportion) ? 0 : fabs(proportion - b->proportion[bag]);
}

double wlab_proportions_error(const wlab_proportions *b, const double *proportion)
{
    double sum = 0;
    for (int64_t g = 0; g < b->bags; g++)
        sum += bag_error(b, g, proportion[g]);
    return sum;
}

double wlab_proportions_output_error(const wlab_proportions *b, const double *f)
{
    double sum = 0;
    for (int64_t g = 0; g < b->bags; g++)
        sum += bag_error(b, g, output_proportion(b, g, f));
    return sum;
}

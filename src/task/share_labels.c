/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The label set of rows that lie on several ranks: the best labeling and the threshold of outputs, by selection instead of
 * sorting.
 */
#include "base/select.h"
#include "task/share.h"
#include "task/task.h"

#include <math.h>

#define REF_HIGH                                                                                             \
    ((int64_t)1 << 40) /* a row whose value in `ref` is 1 comes after all others of equal value */

static wlab_code check_numbers(const wlab_problem *p, const double *r, const char *what, wlab_err *err)
{
    const wlab_labelset *B = p->labels;
    wlab_code code = WL_OK;

    for (int64_t i = 0; !code && i < wlab_labelset_free_count(B); i++)
        if (isnan(r[B->member[i]]))
            code = wlab_fail(err, WL_ENUMERIC, "the %s of row %d is not a number", what,
                             p->row[B->member[i]] + 1);
    return code;
}

static wlab_ranked entry(const wlab_problem *p, const double *r, const int8_t *ref, int32_t k)
{
    return (wlab_ranked){r[k], p->row[k] + (ref && ref[k] > 0 ? REF_HIGH : 0)};
}

/* The k-th smallest of the free rows; k = 0: one before all of them.  list: [free rows here]. */
static wlab_ranked select_free(const wlab_problem *p, const double *r, const int8_t *ref, int64_t k,
                               wlab_ranked *list)
{
    const wlab_labelset *B = p->labels;
    const int64_t n = wlab_labelset_free_count(B);

    if (k == 0)
        return (wlab_ranked){-INFINITY, -1};
    for (int64_t i = 0; i < n; i++)
        list[i] = entry(p, r, ref, B->member[i]);
    return wlab_select(p->X->parts->ranks, list, n, k);
}

wlab_code wlab_share_argmax(const wlab_problem *p, const double *r, const int8_t *ref, int8_t *y,
                            wlab_err *err)
{
    const wlab_labelset *B = p->labels;
    wlab_ranks *ranks = p->X->parts->ranks;
    const int64_t n = wlab_labelset_free_count(B), size = wlab_ranks_total(ranks, n);
    wlab_ranked *list = wlab_alloc((size_t)n, sizeof *list);
    wlab_code code = list ? check_numbers(p, r, "score", err) : wlab_nomem(err);

    if ((code = wlab_ranks_agree(ranks, code, err))) {
        wlab_free(list);
        return code;
    }
    for (int64_t k = 0; k < B->n; k++)
        y[k] = B->fixed[k];
    if (B->groups) {
        const int64_t least = size - B->hi[0], most = size - B->lo[0];
        const wlab_ranked low = select_free(p, r, ref, least, list),
                          high = most == least ? low : select_free(p, r, ref, most, list);
        for (int64_t i = 0; i < n; i++) {
            const int32_t k = B->member[i];
            const wlab_ranked at = entry(p, r, ref, k);
            const bool positive = r[k] > 0 || (!(r[k] < 0) && ref && ref[k] > 0);
            y[k] =
                wlab_ranked_before(&low, &at) && (wlab_ranked_before(&high, &at) || positive) ? 1 : B->low[0];
        }
    }
    wlab_free(list);
    return WL_OK;
}

static int64_t deviation(const wlab_labelset *B, int64_t count)
{
    return count < B->lo[0] ? B->lo[0] - count : count > B->hi[0] ? count - B->hi[0] : 0;
}

/* The outputs of the free rows around v, on all ranks. */
typedef struct around {
    int64_t above, equal;
    double next, last; /* the smallest above v, the largest below it */
} around;

static around look_around(const wlab_problem *p, const double *f, double v)
{
    const wlab_labelset *B = p->labels;
    wlab_ranks *ranks = p->X->parts->ranks;
    around a = {.next = INFINITY, .last = -INFINITY};

    for (int64_t i = 0; i < wlab_labelset_free_count(B); i++) {
        const double x = f[B->member[i]];
        a.above += x > v;
        a.equal += x == v;
        a.next = x > v ? fmin(a.next, x) : a.next;
        a.last = x < v ? fmax(a.last, x) : a.last;
    }
    a.above = wlab_ranks_total(ranks, a.above);
    a.equal = wlab_ranks_total(ranks, a.equal);
    a.next = wlab_ranks_least(ranks, a.next);
    a.last = wlab_ranks_most(ranks, a.last);
    return a;
}

/* With the number of positive signs brought into lo .. hi, k, a threshold above the k-th largest output and not above the
 * one before it misses nothing, and is the nearest to 0 that does; equal outputs around k leave two to choose from. */
wlab_code wlab_share_threshold(const wlab_problem *p, const double *f, double *threshold, int64_t *by_sign,
                               wlab_err *err)
{
    const wlab_labelset *B = p->labels;
    wlab_ranks *ranks = p->X->parts->ranks;
    const int64_t n = wlab_labelset_free_count(B), size = wlab_ranks_total(ranks, n);

    *threshold = 0;
    *by_sign = 0;
    if (!B->groups || B->low[0] != -1 || (B->lo[0] == 0 && B->hi[0] == size))
        return WL_OK;
    wlab_ranked *list = wlab_alloc((size_t)n, sizeof *list);
    wlab_code code = list ? check_numbers(p, f, "output", err) : wlab_nomem(err);
    if (!(code = wlab_ranks_agree(ranks, code, err))) {
        const int64_t signs = look_around(p, f, 0).above, k = signs < B->lo[0]   ? B->lo[0]
                                                              : signs > B->hi[0] ? B->hi[0]
                                                                                 : signs;
        *by_sign = deviation(B, signs);
        if (k == 0) { /* above all outputs */
            const double top = select_free(p, f, NULL, size, list).f;
            *threshold = wlab_threshold_between(INFINITY, top);
        } else {
            const double v = select_free(p, f, NULL, size - k + 1, list).f; /* the k-th largest */
            const around a = look_around(p, f, v);
            const int64_t upper = a.above,
                          lower = a.above + a.equal; /* signs with a threshold above, or below v */
            const double above = wlab_threshold_between(a.next, v), below = wlab_threshold_between(v, a.last);
            const int64_t miss = deviation(B, upper), miss_below = deviation(B, lower);
            *threshold =
                miss_below < miss || (miss_below == miss && fabs(below) < fabs(above)) ? below : above;
        }
    }
    wlab_free(list);
    return code;
}

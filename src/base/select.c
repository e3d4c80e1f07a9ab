/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Selection, on one rank by partitioning around medians of three, on several by weighted medians of their medians.
 */
#include "base/select.h"

#include <stdlib.h>

int wlab_ranked_compare(const void *a, const void *b)
{
    return wlab_ranked_before(a, b) ? -1 : wlab_ranked_before(b, a);
}

/* Puts the k smallest of list[0..n-1] first, in any order. */
void wlab_select_first(wlab_ranked *list, int64_t n, int64_t k)
{
    int64_t lo = 0, hi = n - 1;
    while (lo < hi && k > lo && k <= hi) {
        const wlab_ranked a = list[lo], b = list[lo + (hi - lo) / 2], c = list[hi];
        const wlab_ranked least = wlab_ranked_before(&a, &b) ? a : b,
                          most = wlab_ranked_before(&a, &b) ? b : a;
        const wlab_ranked pivot = wlab_ranked_before(&c, &least)  ? least
                                  : wlab_ranked_before(&most, &c) ? most
                                                                  : c;
        int64_t i = lo, j = hi;
        while (i <= j) {
            while (wlab_ranked_before(&list[i], &pivot))
                i++;
            while (wlab_ranked_before(&pivot, &list[j]))
                j--;
            if (i <= j) {
                const wlab_ranked x = list[i];
                list[i++] = list[j];
                list[j--] = x;
            }
        }
        if (k <= j + 1)
            hi = j;
        else if (k >= i)
            lo = i;
        else
            break;
    }
}

/* The last of the k smallest entries of list[0..n-1], k >= 1, which it puts first. */
static wlab_ranked last_of(wlab_ranked *list, int64_t n, int64_t k)
{
    wlab_select_first(list, n, k);
    wlab_ranked last = list[0];
    for (int64_t i = 1; i < k; i++)
        if (wlab_ranked_before(&last, &list[i]))
            last = list[i];
    return last;
}

/* The median of one rank's list, and the length of the list. */
typedef struct proposal {
    wlab_ranked median;
    int64_t n;
} proposal;

static int by_median(const void *a, const void *b)
{
    return wlab_ranked_compare(&((const proposal *)a)->median, &((const proposal *)b)->median);
}

/* The k-th smallest entry, from 1, of the lists of all ranks; every list has its own entries.  Each round removes about a
 * quarter of them: those on the wrong side of the weighted median of the lists' medians. */
wlab_ranked wlab_select(wlab_ranks *ranks, wlab_ranked *list, int64_t n, int64_t k)
{
    proposal from[WL_RANKS_MOST];

    while (wlab_ranks_size(ranks) > 1 && !ranks->broken) {
        int64_t total = 0, half = 0, not_above = 0;
        proposal own = {.n = n};
        if (n)
            own.median = last_of(list, n, (n + 1) / 2);
        wlab_ranks_collect(ranks, &own, sizeof own, from);
        for (int r = 0; r < ranks->size; r++)
            total += from[r].n;
        qsort(from, (size_t)ranks->size, sizeof *from, by_median);
        int at = 0;
        while (at < ranks->size && 2 * (half += from[at].n) < total)
            at++;
        const wlab_ranked pivot = from[at < ranks->size ? at : 0].median;
        for (int64_t i = 0; i < n; i++)
            not_above += !wlab_ranked_before(&pivot, &list[i]);
        const int64_t here = wlab_ranks_total(ranks, not_above);
        if (here == k)
            return pivot; /* it is an entry itself */
        const bool below = k < here;
        int64_t kept = 0;
        for (int64_t i = 0; i < n; i++)
            if (below ? wlab_ranked_before(&list[i], &pivot) : wlab_ranked_before(&pivot, &list[i]))
                list[kept++] = list[i];
        n = kept;
        k -= below ? 0 : here;
    }
    return n > 0 ? last_of(list, n, k) : (wlab_ranked){0};
}

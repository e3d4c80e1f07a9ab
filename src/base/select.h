/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The k-th smallest of many rows' values, which may lie on several ranks.
 */
#ifndef BASE_SELECT_H
#define BASE_SELECT_H

#include "base/ranks.h"

/* A row's value; of equal values the one with the smaller `row` comes first, so no two entries are equal. */
typedef struct wlab_ranked {
    double f;
    int64_t row; /* among those of all ranks */
} wlab_ranked;

static inline bool wlab_ranked_before(const wlab_ranked *a, const wlab_ranked *b)
{
    return a->f < b->f || (a->f == b->f && a->row < b->row);
}
int wlab_ranked_compare(const void *, const void *); /* for qsort */
/* Puts the k smallest of list[0..n-1] first, in any order.  Expected O(n). */
void wlab_select_first(wlab_ranked *list, int64_t n, int64_t k);
/* The k-th smallest entry, from 1, of the lists of all ranks; every rank has a list of its own, of which some entries may
 * be lost.  ranks NULL: of this list.  O(n), and O(log of all entries) messages. */
wlab_ranked wlab_select(wlab_ranks *, wlab_ranked *list, int64_t n, int64_t k);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sorting of any number of items, which an interrupt can stop.
 */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include "weaklab/event.h"

/* Like qsort, but an interrupt stops it.  Equal items come in any order.
 * WL_ENOMEM, WL_EINTERRUPTED: all items are still there, in some order. */
wlab_code wlab_sort(void *items, size_t n, size_t size, int (*compare)(const void *, const void *),
                    const wlab_ctx *, wlab_err *);

/* Lists the members of each set, given the set of each item, of [n] (-1: in no set).  Those of set k become
 * member[start[k]] to member[start[k + 1] - 1], ascending; start has sets + 1 entries.  O(n + sets). */
void wlab_members_fill(const int32_t *of, int64_t n, int64_t sets, int64_t *start, int32_t *member);

#endif

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

#endif

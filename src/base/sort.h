/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sorting as much as there is, and stopping in the middle of it.
 */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include "weaklab/event.h"

/* qsort, but equal ones stay in their order and an interrupt is seen.  WL_ENOMEM, WL_EINTERRUPTED: all items are still there, in
 * some order. */
wlab_code wlab_sort(void *items, size_t n, size_t size, int (*compare)(const void *, const void *),
                    const wlab_ctx *, wlab_err *);

#endif

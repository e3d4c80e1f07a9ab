/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Algorithms that are made from others: by one binary classifier per class, on a factor of the kernel matrix, on rows of
 * several ranks.
 */
#ifndef ALGO_DERIVED_H
#define ALGO_DERIVED_H

#include "weaklab/algo.h"

#include <pthread.h>

/* The first member of what a kind of derivation keeps of an algorithm. */
typedef struct wlab_derived {
    const wlab_algo *base;
    struct wlab_derived *next;
    wlab_algo algo;
} wlab_derived;

/* All of one kind. */
typedef struct wlab_derivations {
    wlab_derived *first;
    pthread_mutex_t lock;
    wlab_derived *(*make)(const wlab_algo *base); /* sets all but next; NULL: no memory */
} wlab_derivations;

/* The one of this base, which is made at the first request and constant from then on.  NULL: no memory. */
wlab_derived *wlab_derived_find(wlab_derivations *, const wlab_algo *base);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Progress told at a modest rate, also of work that a pool does.
 */
#ifndef WEAKLAB_BASE_PROGRESS_H
#define WEAKLAB_BASE_PROGRESS_H

#include "weaklab/event.h"
#include <pthread.h>

/* On the stack of the thread that began; only that one emits, whichever thread counts. */
typedef struct wlab_progress {
    wlab_ctx *ctx; /* NULL: nobody listens */
    const char *unit;
    int64_t total;
    atomic_llong done;
    int64_t due; /* milliseconds; when the next is told */
    pthread_t teller;
} wlab_progress;

/* total 0: nobody knows. */
void wlab_progress_begin(wlab_progress *, wlab_ctx *, const char *unit, int64_t total);
/* n more are done.  Costs a look at the clock: call it once for some 10 microseconds of work or more.  NULL is fine. */
void wlab_progress_add(wlab_progress *, int64_t n);

/* wlab_pool_run on ctx->pool, for blocks that take about the same time: `total` units in all. */
void wlab_pool_run_told(wlab_ctx *, int blocks, void (*work)(void *data, int block), void *data,
                        const char *unit, int64_t total);

#endif

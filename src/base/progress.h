/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Progress reports at a limited rate, also for work on a thread pool.
 */
#ifndef WEAKLAB_BASE_PROGRESS_H
#define WEAKLAB_BASE_PROGRESS_H

#include "weaklab/event.h"
#include <pthread.h>

/* ctx (or NULL) without its listener: for the parts of work that is counted as a whole. */
static inline wlab_ctx wlab_quiet(const wlab_ctx *ctx)
{
    return ctx ? (wlab_ctx){.pool = ctx->pool, .interrupt = ctx->interrupt, .lean = ctx->lean}
               : (wlab_ctx){0};
}

/* Of how many pieces of work of so many operations each one looks at the interrupt: some hundredths of a second. */
static inline int64_t wlab_look_every(int64_t operations)
{
    return (1 << 24) / (operations + 1) + 1;
}

/* On the stack of the thread that called wlab_progress_begin.  Any thread may count, but only that thread emits
 * events. */
typedef struct wlab_progress {
    wlab_ctx *ctx; /* NULL: nobody receives events */
    const char *unit;
    int64_t total;
    atomic_llong done;
    int64_t due; /* milliseconds; time of the next report */
    pthread_t owner;
} wlab_progress;

/* total 0: unknown. */
void wlab_progress_begin(wlab_progress *, wlab_ctx *, const char *unit, int64_t total);
/* n more units are done.  Reads the clock, so call it at most once in some 10 microseconds of work.  NULL is fine. */
void wlab_progress_add(wlab_progress *, int64_t n);

/* At the start of piece i of a loop, of so many operations each: now and then adds the pieces since the last time to
 * `progress` (NULL: to none) and looks at the interrupt, first at i = 0.  false: interrupted.  Memory that is touched for the first time
 * costs some eight operations a number. */
static inline bool wlab_look_at(int64_t i, int64_t operations, wlab_progress *progress, const wlab_ctx *ctx)
{
    const int64_t each = wlab_look_every(operations);
    if (i % each != 0)
        return true;
    wlab_progress_add(progress, i > 0 ? each : 0);
    return !wlab_interrupted(ctx);
}

/* wlab_pool_run on ctx->pool, for blocks that take about the same time: `total` units in all; unit NULL: no reports.  Each
 * block is preceded by a look at the interrupt.  false: interrupted, and some blocks did not run. */
bool wlab_pool_run_progress(wlab_ctx *, int blocks, void (*work)(void *data, int block), void *data,
                            const char *unit, int64_t total);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a long computation is given (threads, a flag to stop) and what it tells (events).
 */
#ifndef WEAKLAB_EVENT_H
#define WEAKLAB_EVENT_H

#include "weaklab/base.h"
#include "weaklab/pool.h"
#ifdef __cplusplus
#include <atomic>
using std::atomic_int;
#else
#include <stdatomic.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum wlab_event_kind {
    WL_EV_PROGRESS, /* done of total units; text names the unit ("rows", "labelings") */
    WL_EV_INNER,    /* one inner unit is done (sent by the run): value is the objective now */
    WL_EV_STEP,     /* one outer step is done (sent by the run, not by the algorithm) */
    WL_EV_STOPPED,  /* a stepping command ended (sent by the run) */
    WL_EV_NOTE,     /* a sentence about what just happened, for the log ("y7: 3 flips from y6") */
    WL_EV_WARNING,  /* a sentence that the user should read */
} wlab_event_kind;

typedef struct wlab_event {
    wlab_event_kind kind;
    int run; /* the run's number; filled in by the run */
    int64_t step, inner;
    int64_t done, total;
    double value;
    char text[224];
} wlab_event;

/* Passed down every long call.  All members may be zero: one thread, no interrupt, nobody listens. */
typedef struct wlab_ctx {
    wlab_pool *pool;
    const atomic_int *
        interrupt; /* not 0: stop after the current inner unit, state consistent; above 1: asked twice, or told to end */
    void (*emit)(void *sink, const wlab_event *);
    void *sink;
    int64_t unpacked; /* bytes that may come out of a compressed file; 0: as many as real data have */
    bool lean;        /* only the result counts: what is merely shown (bounds, say) may have no value */
} wlab_ctx;

/* Whether to stop.  No inline function, so that a test can take its place and say so at any look. */
bool wlab_interrupted(const wlab_ctx *);
static inline bool wlab_hurried(const wlab_ctx *ctx)
{
    return ctx && ctx->interrupt && atomic_load(ctx->interrupt) > 1;
}
void wlab_emit_note(wlab_ctx *ctx, const char *fmt, ...) WLAB_PRINTF(2, 3);
void wlab_emit_warning(wlab_ctx *ctx, const char *fmt, ...) WLAB_PRINTF(2, 3);
void wlab_emit_progress(wlab_ctx *ctx, const char *unit, int64_t done, int64_t total);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a long computation receives (threads, a flag that stops it) and what it reports (events).
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
    WL_EV_PROGRESS, /* `done` of `total` units are done; text names the unit ("rows", "labelings") */
    WL_EV_INNER,    /* one inner unit is done (sent by the run): value is the current objective */
    WL_EV_STEP,     /* one outer step is done (sent by the run, not by the algorithm) */
    WL_EV_STOPPED,  /* a stepping command ended (sent by the session) */
    WL_EV_NOTE,     /* a sentence for the log about what just happened ("y7: 3 flips from y6") */
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

/* The context of every long call.  All members may be zero: one thread, no interrupts, no listener for events. */
typedef struct wlab_ctx {
    wlab_pool *pool;
    /* Not 0: stop after the current inner unit, with a consistent state.  Above 1: a second interrupt came, or the
     * program is to end.  Once it is not 0 it must remain so until the call returns, for a computation may look twice: where
     * it stops, and where it would use what is then unfinished. */
    const atomic_int *interrupt;
    void (*emit)(void *sink, const wlab_event *);
    void *sink;
    int64_t unpacked; /* how many bytes a compressed file may expand to; 0: as `load` does by default */
    bool lean;        /* only the result is needed: values for display (bounds, say) may be left out */
    /* The processes of an MPI job that share the rows of data; NULL: there is only this one. */
    struct wlab_ranks *ranks;
} wlab_ctx;

/* Whether to stop.  Not inline, so that a test can replace it and interrupt at any of its calls. */
bool wlab_interrupted(const wlab_ctx *);
/* Whether to abandon the work that a first interrupt would let finish. */
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

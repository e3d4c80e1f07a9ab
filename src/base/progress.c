/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Progress reports at a limited rate, also for work on a thread pool.
 */
#include "base/progress.h"
#include "base/clock.h"

enum {
    EVERY_MS = 100,
    PAUSE_MS = 1000 /* without counting: what begins then is other work */
};

/* Of this thread: the last report, or the begin of its work; and when it last counted.  So also work that consists of many
 * short parts reports, each of which alone would not. */
static _Thread_local int64_t quiet_since, counted_at;

void wlab_progress_begin(wlab_progress *p, wlab_ctx *ctx, const char *unit, int64_t total)
{
    p->ctx = ctx && ctx->emit ? ctx : NULL;
    p->unit = unit;
    p->total = total;
    atomic_init(&p->done, 0);
    p->owner = pthread_self();
    p->due = 0;
    if (!p->ctx)
        return;
    const int64_t now = wlab_ms_now();
    if (now > counted_at + PAUSE_MS)
        quiet_since = now;
    counted_at = now;
    p->due = quiet_since + EVERY_MS;
}

void wlab_progress_add(wlab_progress *p, int64_t n)
{
    int64_t done, now;

    if (!p || !p->ctx)
        return;
    done = atomic_fetch_add_explicit(&p->done, n, memory_order_relaxed) + n;
    if (!pthread_equal(p->owner, pthread_self()))
        return;
    counted_at = now = wlab_ms_now();
    if (now < p->due)
        return;
    quiet_since = now;
    p->due = now + EVERY_MS;
    wlab_emit_progress(p->ctx, p->unit, p->total > 0 && done > p->total ? p->total : done, p->total);
}

typedef struct counted_job {
    wlab_progress progress;
    void (*work)(void *data, int block);
    void *data;
    int blocks;
    int64_t total;
    wlab_ctx *ctx;
    atomic_bool stopped;
} counted_job;

static void work_and_count(void *data, int block)
{
    counted_job *t = data;

    if (atomic_load(&t->stopped))
        return;
    if (wlab_interrupted(t->ctx)) {
        atomic_store(&t->stopped, true);
        return;
    }
    t->work(t->data, block);
    wlab_progress_add(&t->progress, wlab_block_begin(t->total, t->blocks, block + 1) -
                                        wlab_block_begin(t->total, t->blocks, block));
}

bool wlab_pool_run_progress(wlab_ctx *ctx, int blocks, void (*work)(void *data, int block), void *data,
                            const char *unit, int64_t total)
{
    counted_job t = {.work = work, .data = data, .blocks = blocks, .total = total, .ctx = ctx};

    wlab_progress_begin(&t.progress, unit ? ctx : NULL, unit, total);
    wlab_pool_run(ctx ? ctx->pool : NULL, blocks, work_and_count, &t);
    return !atomic_load(&t.stopped);
}

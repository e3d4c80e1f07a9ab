/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads, with results that do not depend on their number: work is cut into blocks whose number is
 * fixed by the caller, each block writes its own place, and the caller combines blocks in order.
 */
#ifndef WEAKLAB_POOL_H
#define WEAKLAB_POOL_H

#include "weaklab/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wlab_pool wlab_pool;

/* `threads` workers in all, the calling thread included (1 .. 256; 1 starts none).  All signals but those of
 * faults are blocked in the workers.  WL_EARG, WL_ENOMEM, or WL_EIO when the system refuses a thread. */
wlab_code wlab_pool_create(wlab_pool **, int threads, wlab_err *);
void wlab_pool_destroy(wlab_pool *);
int wlab_pool_threads(const wlab_pool *); /* NULL: 1 */
/* work(data, b) for every b in 0 .. blocks-1, in any order on any thread; returns when all are done.
 * pool may be NULL (the blocks run in order on this thread).  A call inside a call, or
 * from a second thread meanwhile, is fine: its blocks run in order on the thread that called. */
void wlab_pool_run(wlab_pool *pool, int blocks, void (*work)(void *data, int block), void *data);
/* The half-open range of block b when n items are cut into `blocks` nearly equal parts. */
static inline int64_t wlab_block_begin(int64_t n, int blocks, int b)
{
    return n / blocks * b + (n % blocks * b) / blocks;
}

#ifdef __cplusplus
}
#endif

#endif

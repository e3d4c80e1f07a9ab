/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads, with results that do not depend on their number: the caller divides the work into a fixed number of blocks,
 * each block writes to a place of its own, and the caller combines the blocks in order.
 */
#ifndef WEAKLAB_POOL_H
#define WEAKLAB_POOL_H

#include "weaklab/base.h"

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wlab_pool wlab_pool;

/* A pool of `threads` threads, the calling one included (1 .. 256; 1 starts none).  The started threads block all signals
 * except those of faults.  WL_EARG, WL_ENOMEM, or WL_EIO if the system refuses a thread. */
wlab_code wlab_pool_create(wlab_pool **, int threads, wlab_err *);
void wlab_pool_destroy(wlab_pool *);
int wlab_pool_threads(const wlab_pool *); /* NULL: 1 */
/* Calls work(data, b) for every b in 0 .. blocks-1, in any order and on any thread; returns when all are done.  pool NULL:
 * the blocks run in order on this thread.  So do those of a call inside a call, or from a second thread meanwhile. */
void wlab_pool_run(wlab_pool *pool, int blocks, void (*work)(void *data, int block), void *data);
/* If n items are divided into `blocks` nearly equal parts, part b is begin(b) .. begin(b + 1) - 1. */
static inline int64_t wlab_block_begin(int64_t n, int blocks, int b)
{
    return n / blocks * b + (n % blocks * b) / blocks;
}
/* The same for the rows of a lower triangle of n rows: each part has about as many of its entries. */
static inline int64_t wlab_triangle_begin(int64_t n, int blocks, int b)
{
    return (int64_t)((double)n * sqrt((double)b / blocks));
}

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sums over many rows by threads, with the same bits for any number of them.
 */
#ifndef BASE_ROWS_H
#define BASE_ROWS_H

#include "weaklab/pool.h"

enum {
    WL_ROWS = 4096,     /* per block, at least */
    WL_ROW_BLOCKS = 64, /* at most */
    WL_ROW_SUMS = 4
};

/* Processes the rows begin .. end-1 of block `block` and adds to sum[], which is 0 at first. */
typedef void wlab_rows_work(void *data, int64_t begin, int64_t end, int block, double sum[WL_ROW_SUMS]);

/* The number of blocks into which n rows are divided; it depends on n alone. */
int wlab_rows_blocks(int64_t n);
/* Calls work for each block of the n rows, and adds the blocks' sums in order: sum[k] = sum over blocks (sum NULL: not
 * needed). */
void wlab_rows_run(int64_t n, wlab_rows_work *work, void *data, double *sum, wlab_pool *);

#endif

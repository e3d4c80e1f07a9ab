/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sums over many rows by threads.
 */
#include "base/rows.h"

typedef struct job {
    int64_t n;
    int blocks;
    wlab_rows_work *work;
    void *data;
    double sum[WL_ROW_BLOCKS][WL_ROW_SUMS];
} job;

int wlab_rows_blocks(int64_t n)
{
    const int64_t blocks = n / WL_ROWS + 1;
    return (int)(blocks < WL_ROW_BLOCKS ? blocks : WL_ROW_BLOCKS);
}

static void run_block(void *data, int b)
{
    job *j = data;
    double sum[WL_ROW_SUMS] = {0};

    j->work(j->data, wlab_block_begin(j->n, j->blocks, b), wlab_block_begin(j->n, j->blocks, b + 1), b, sum);
    for (int k = 0; k < WL_ROW_SUMS; k++)
        j->sum[b][k] = sum[k];
}

void wlab_rows_run(int64_t n, wlab_rows_work *work, void *data, double *sum, wlab_pool *pool)
{
    job j; /* not cleared: each block writes its sums */

    j.n = n;
    j.blocks = wlab_rows_blocks(n);
    j.work = work;
    j.data = data;
    wlab_pool_run(pool, j.blocks, run_block, &j);
    for (int k = 0; sum && k < WL_ROW_SUMS; k++) {
        sum[k] = 0;
        for (int b = 0; b < j.blocks; b++)
            sum[k] += j.sum[b][k];
    }
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sums over many rows by threads and ranks.
 */
#include "base/rows.h"

typedef struct job {
    const wlab_rows *rows;
    wlab_rows_work *work;
    void *data;
    double sum[WL_ROW_BLOCKS][WL_ROW_SUMS];
} job;

void wlab_rows_whole(wlab_rows *rows, int64_t n)
{
    *rows = (wlab_rows){.n = n, .all = n, .parts = 1, .all_parts = 1, .begin = {0, n}};
}

void wlab_rows_list(wlab_rows *out, const wlab_rows *of, const int32_t *list, int64_t n)
{
    int64_t at = 0, each[WL_RANKS_MOST] = {n};

    *out = *of;
    out->n = n;
    for (int p = 0; p <= of->parts; p++) {
        while (p < of->parts && at < n && list[at] < of->begin[p])
            at++;
        out->begin[p] = p < of->parts ? at : n;
    }
    wlab_ranks_collect(of->ranks, &n, sizeof n, each);
    out->before = out->all = 0;
    for (int r = 0; r < wlab_ranks_size(of->ranks); r++) {
        out->before += of->ranks && r < of->ranks->rank ? each[r] : 0;
        out->all += each[r];
    }
}

/* How many blocks part p has. */
static int blocks_of(const wlab_rows *rows, int p)
{
    const int64_t blocks = (rows->begin[p + 1] - rows->begin[p]) / WL_ROWS + 1,
                  most = WL_ROW_BLOCKS / rows->all_parts;
    return (int)(blocks < most ? blocks : most);
}

int wlab_rows_blocks(const wlab_rows *rows)
{
    int blocks = 0;

    for (int p = 0; p < rows->parts; p++)
        blocks += blocks_of(rows, p);
    return blocks;
}

/* The part of block b, which becomes its number within the part. */
static int part_of(const wlab_rows *rows, int *b)
{
    int p = 0;

    for (int n; p + 1 < rows->parts && *b >= (n = blocks_of(rows, p)); p++)
        *b -= n;
    return p;
}

int64_t wlab_rows_begin(const wlab_rows *rows, int b)
{
    const int p = part_of(rows, &b);

    if (!rows->parts)
        return 0;
    return rows->begin[p] + wlab_block_begin(rows->begin[p + 1] - rows->begin[p], blocks_of(rows, p), b);
}

static void run_block(void *data, int b)
{
    job *j = data;
    double sum[WL_ROW_SUMS] = {0};

    j->work(j->data, wlab_rows_begin(j->rows, b), wlab_rows_begin(j->rows, b + 1), b, sum);
    for (int k = 0; k < WL_ROW_SUMS; k++)
        j->sum[b][k] = sum[k];
}

void wlab_rows_run(const wlab_rows *rows, wlab_rows_work *work, void *data, double *sum, wlab_pool *pool)
{
    job j; /* not cleared: each block writes its sums */
    double part[WL_PARTS * WL_ROW_SUMS];

    j.rows = rows;
    j.work = work;
    j.data = data;
    wlab_pool_run(pool, wlab_rows_blocks(rows), run_block, &j);
    if (!sum)
        return;
    for (int p = 0, b = 0; p < rows->parts; p++) {
        const int end = b + blocks_of(rows, p);
        for (int k = 0; k < WL_ROW_SUMS; k++)
            part[p * WL_ROW_SUMS + k] = 0;
        for (; b < end; b++)
            for (int k = 0; k < WL_ROW_SUMS; k++)
                part[p * WL_ROW_SUMS + k] += j.sum[b][k];
    }
    wlab_rows_add(rows, part, WL_ROW_SUMS, sum);
}

static void sum_numbers(void *data, int64_t begin, int64_t end, int block, double *sum)
{
    const double *x = data;

    (void)block;
    for (int64_t i = begin; i < end; i++)
        sum[0] += x[i];
}

double wlab_rows_sum(const wlab_rows *rows, const double *x, wlab_pool *pool)
{
    double sum[WL_ROW_SUMS];

    wlab_rows_run(rows, sum_numbers, (void *)(uintptr_t)x, sum, pool);
    return sum[0];
}

void wlab_rows_add(const wlab_rows *rows, const double *mine, int each, double *total)
{
    double all[WL_PARTS * WL_ROW_SUMS];
    const double *part = mine;

    if (wlab_ranks_size(rows->ranks) > 1) {
        size_t len[WL_RANKS_MOST];
        for (int r = 0; r < rows->ranks->size; r++)
            len[r] = (size_t)(wlab_rows_first(rows->all_parts, rows->ranks->size, r + 1) -
                              wlab_rows_first(rows->all_parts, rows->ranks->size, r)) *
                     (size_t)each * sizeof *mine;
        wlab_ranks_join(rows->ranks, mine, len, all);
        part = all;
    }
    for (int k = 0; k < each; k++) {
        total[k] = 0;
        for (int p = 0; p < rows->all_parts; p++)
            total[k] += part[p * each + k];
    }
}

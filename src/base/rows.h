/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sums over many rows by threads and by ranks, with the same bits for any number of either.
 *
 * The rows of a problem are divided into parts, which depend on the data alone.  A rank has whole parts, and a thread
 * works on blocks of a part.  A sum is added up over the blocks of each part, and then over the parts, in order.
 */
#ifndef BASE_ROWS_H
#define BASE_ROWS_H

#include "base/ranks.h"
#include "weaklab/pool.h"

enum {
    WL_ROWS = 4096,     /* per block, at least */
    WL_ROW_BLOCKS = 64, /* at most, on a rank */
    WL_ROW_SUMS = 4,
    WL_PARTS = 64 /* at most, of all ranks; a power of 2 */
};

typedef struct wlab_rows {
    int64_t n;                   /* rows on this rank */
    int64_t before, all;         /* rows on lower ranks; on all ranks */
    int parts, first;            /* parts on this rank, and the number of the first */
    int all_parts;               /* a power of 2 */
    int64_t begin[WL_PARTS + 1]; /* [parts + 1] the rows of this rank at which its parts begin */
    wlab_ranks *ranks;           /* NULL: this process has all rows */
} wlab_rows;

/* Processes the rows begin .. end-1 of block `block` and adds to sum[], which is 0 at first. */
typedef void wlab_rows_work(void *data, int64_t begin, int64_t end, int block, double sum[WL_ROW_SUMS]);

/* All n rows are here, in one part. */
void wlab_rows_whole(wlab_rows *, int64_t n);
/* The entries of list [n], ascending rows of `of`, in the parts of these rows. */
void wlab_rows_list(wlab_rows *, const wlab_rows *of, const int32_t *list, int64_t n);
/* The first part of rank r of `size`, if there are `parts`: rank 0 has part 0 even if there are more ranks than parts. */
static inline int wlab_rows_first(int parts, int size, int r)
{
    return (int)(((int64_t)parts * r + size - 1) / size);
}

/* The number of blocks on this rank, and the first row of block b (b = that number: the number of rows). */
int wlab_rows_blocks(const wlab_rows *);
int64_t wlab_rows_begin(const wlab_rows *, int b);
/* Calls work for each block of this rank's rows; sum[k] = the sum over the blocks of all ranks (sum NULL: not
 * needed, and nothing is sent). */
void wlab_rows_run(const wlab_rows *, wlab_rows_work *work, void *data, double *sum, wlab_pool *);
/* The sum of x [n] over the rows of all ranks. */
double wlab_rows_sum(const wlab_rows *, const double *x, wlab_pool *);
/* total[k] = the sum over all parts of part[k of this rank's p-th part] = mine[p * each + k], in order; each <=
 * WL_ROW_SUMS. */
void wlab_rows_add(const wlab_rows *, const double *mine, int each, double *total);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Passes over a data matrix in fixed blocks with about the same number of stored entries.  In a pass that computes a
 * sum over rows, each block has a vector of its own; these are added in order, one range of columns per thread.
 *
 * docs/benchmarks.md has the measurements behind this design, and what did not help (a transposed copy, columns ordered
 * by frequency, 16-bit columns, gather instructions).
 */
#include "linalg/passes.h"
#include "linalg/row.h"

#include <string.h>

enum {
    MOST_BLOCKS = 8,       /* all numbers of blocks are powers of 2: equal work for two threads */
    BLOCK_ENTRIES = 12000, /* fewer entries do not outweigh the scheduling of a block, some microseconds */
    TWO_PER_COLUMN = 2,    /* entries per column that outweigh clearing and adding a vector: for 2 blocks */
    MORE_PER_COLUMN = 16,  /* and for more blocks, which only balance the work or serve more threads */
    GATHER_COLUMNS = 4096, /* columns per chunk of the sum */
    AHEAD = 8,             /* rows to prefetch ahead, across page boundaries, at which the hardware stops */
    LINE = 16,             /* entries of 4 bytes per cache line */
    FEW_COLUMNS =
        64,        /* dense: summed on the stack, as neighbouring blocks' vectors would share cache lines */
    EIGHT = 8,     /* columns whose sums are kept in registers */
    SOME_ROWS = 64 /* rows of few columns that stay in the nearest cache */
};

struct wlab_passes {
    const wlab_matrix *X;
    int blocks;
    int64_t first[MOST_BLOCKS + 1]; /* rows */
    double *part;                   /* [blocks x cols] partial sums; NULL: one block */
    double sum[MOST_BLOCKS], quad[MOST_BLOCKS];
    /* the present pass */
    const double *in, *h;
    double *out, *o;
    double offset;
};

wlab_code wlab_passes_create(wlab_passes **out, const wlab_matrix *X, wlab_err *err)
{
    int64_t all = 0, counted = 0, i = 0;
    wlab_passes *p = wlab_calloc(1, sizeof *p);

    *out = NULL;
    if (!p)
        return wlab_nomem(err);
    for (int64_t r = 0; r < X->rows; r++) /* not nnz, which may leave out stored zeros */
        all += X->len[r];
    p->X = X;
    p->blocks = 1;
    while (p->blocks < MOST_BLOCKS) {
        const int64_t per_column = p->blocks == 1 ? TWO_PER_COLUMN : MORE_PER_COLUMN;
        if (all < 2 * p->blocks * (BLOCK_ENTRIES + per_column * X->cols))
            break;
        p->blocks *= 2;
    }
    for (int b = 1; b < p->blocks; b++) {
        while (i < X->rows && counted < all / p->blocks * b)
            counted += X->len[i++];
        p->first[b] = i;
    }
    p->first[p->blocks] = X->rows;
    if (p->blocks > 1) {
        p->part = wlab_alloc((size_t)p->blocks * (size_t)X->cols, sizeof *p->part);
        if (!p->part) {
            wlab_passes_destroy(p);
            return wlab_nomem(err);
        }
    }
    *out = p;
    return WL_OK;
}

void wlab_passes_destroy(wlab_passes *p)
{
    if (!p)
        return;
    wlab_free(p->part);
    wlab_free(p);
}

/* Prefetches row i of the sparse matrix. */
static inline void prefetch_row(const wlab_matrix *X, int64_t i)
{
    const float *v = X->val + X->start[i];
    const int32_t *c = X->col + X->start[i];

    for (int32_t k = 0; k < X->len[i]; k += LINE) {
        __builtin_prefetch(v + k);
        __builtin_prefetch(c + k);
    }
}

static void outputs_block(void *data, int b)
{
    wlab_passes *p = data;
    const wlab_matrix *X = p->X;
    const int64_t end = p->first[b + 1];

    for (int64_t i = p->first[b]; i < end; i++) {
        const int64_t s = X->start[i];
        if (X->sparse && i + AHEAD < end && (!p->h || p->h[i + AHEAD] == 0))
            prefetch_row(X, i + AHEAD);
        if (p->h && p->h[i] != 0)
            continue;
        p->o[i] = p->offset + (X->sparse ? wlab_sparse_dot(X->val + s, X->col + s, X->len[i], p->in)
                                         : wlab_dense_dot(X->dense + s, p->in, X->len[i]));
    }
}

void wlab_passes_outputs(wlab_passes *p, const double *skip, const double *w, double offset, double *o,
                         wlab_pool *pool)
{
    p->offset = offset;
    p->h = skip;
    p->in = w;
    p->o = o;
    wlab_pool_run(pool, p->blocks, outputs_block, p);
}

/* The vector, set to 0, in which block b sums. */
static double *cleared_sum(wlab_passes *p, int b)
{
    double *g = p->part ? p->part + (int64_t)b * p->X->cols : p->out;

    if (p->X->cols)
        memset(g, 0, (size_t)p->X->cols * sizeof *g);
    return g;
}

static void add_chunk(void *data, int c)
{
    wlab_passes *p = data;
    const int64_t cols = p->X->cols, begin = (int64_t)c * GATHER_COLUMNS,
                  end = begin + GATHER_COLUMNS < cols ? begin + GATHER_COLUMNS : cols;

    for (int64_t j = begin; j < end; j++)
        p->out[j] = p->part[j] + p->part[cols + j];
    for (int b = 2; b < p->blocks; b += 2) {
        const double *x = p->part + b * cols, *y = x + cols;
        for (int64_t j = begin; j < end; j++)
            p->out[j] += x[j] + y[j];
    }
}

static void add_parts(wlab_passes *p, wlab_pool *pool)
{
    if (p->part)
        wlab_pool_run(pool, (int)(((int64_t)p->X->cols + GATHER_COLUMNS - 1) / GATHER_COLUMNS), add_chunk, p);
}

/* g += sum of z_i x_i over the rows, for EIGHT columns from c on. */
static void add_eight_columns(const wlab_matrix *X, const double *z, int64_t begin, int64_t end, int64_t c,
                              double *g)
{
    wlab_two g0 = wlab_two_load(g), g1 = wlab_two_load(g + 2), g2 = wlab_two_load(g + 4),
             g3 = wlab_two_load(g + 6);

    for (int64_t i = begin; i < end; i++) {
        const double *x = X->dense + X->start[i] + c;
        g0 += z[i] * wlab_two_load(x);
        g1 += z[i] * wlab_two_load(x + 2);
        g2 += z[i] * wlab_two_load(x + 4);
        g3 += z[i] * wlab_two_load(x + 6);
    }
    wlab_two_store(g, g0);
    wlab_two_store(g + 2, g1);
    wlab_two_store(g + 4, g2);
    wlab_two_store(g + 6, g3);
}

/* g += sum of z_i x_i over the rows of a dense matrix of few columns; z belongs to row `begin`.  Rows with z = 0 are not
 * left out: a branch costs more. */
static void add_rows(const wlab_matrix *X, const double *z, int64_t begin, int64_t end, double *g)
{
    int32_t c = 0;

    for (; c + EIGHT <= X->cols; c += EIGHT)
        add_eight_columns(X, z - begin, begin, end, c, g + c);
    for (int64_t i = begin; c < X->cols && i < end; i++)
        wlab_dense_axpy(X->dense + X->start[i] + c, X->cols - c, z[i - begin], g + c);
}

static bool has_few_columns(const wlab_matrix *X)
{
    return !X->sparse && X->cols <= FEW_COLUMNS;
}

static void transpose_block(void *data, int b)
{
    wlab_passes *p = data;
    const wlab_matrix *X = p->X;
    const int64_t end = p->first[b + 1];
    double *g = cleared_sum(p, b);

    if (has_few_columns(X)) {
        double few[FEW_COLUMNS] = {0};
        add_rows(X, p->in + p->first[b], p->first[b], end, few);
        memcpy(g, few, (size_t)X->cols * sizeof *g);
        return;
    }
    for (int64_t i = p->first[b]; i < end; i++) {
        const int64_t s = X->start[i];
        if (X->sparse && i + AHEAD < end && p->in[i + AHEAD] != 0)
            prefetch_row(X, i + AHEAD);
        if (p->in[i] == 0)
            continue;
        if (X->sparse)
            wlab_sparse_axpy(X->val + s, X->col + s, X->len[i], p->in[i], g);
        else
            wlab_dense_axpy(X->dense + s, X->len[i], p->in[i], g);
    }
}

void wlab_passes_transpose(wlab_passes *p, const double *z, double *g, wlab_pool *pool)
{
    p->in = z;
    p->out = g;
    wlab_pool_run(pool, p->blocks, transpose_block, p);
    add_parts(p, pool);
}

/* Columns k and k + 1 of a row of `cols` columns; 0 for those that it does not have. */
static inline wlab_two pair_of(const double *x, int32_t cols, int32_t k)
{
    return k + 1 < cols ? wlab_two_load(x + k) : k < cols ? (wlab_two){x[k], 0} : (wlab_two){0, 0};
}

/* normal_block for a dense matrix of at most EIGHT columns, which are read once; `cols` is a constant where this is
 * inlined. */
static inline __attribute__((always_inline)) void normal_narrow(wlab_passes *p, int b, const int32_t cols)
{
    const wlab_matrix *X = p->X;
    const int64_t end = p->first[b + 1];
    const wlab_two in0 = pair_of(p->in, cols, 0), in1 = pair_of(p->in, cols, 2),
                   in2 = pair_of(p->in, cols, 4), in3 = pair_of(p->in, cols, 6);
    wlab_two g0 = {0}, g1 = {0}, g2 = {0}, g3 = {0};
    double sum = 0, quad = 0, g[EIGHT];

    for (int64_t i = p->first[b]; i < end; i++) {
        const double *x = X->dense + X->start[i];
        const wlab_two x0 = pair_of(x, cols, 0), x1 = pair_of(x, cols, 2), x2 = pair_of(x, cols, 4),
                       x3 = pair_of(x, cols, 6);
        const double q = p->offset + wlab_two_sum((x0 * in0 + x2 * in2) + (x1 * in1 + x3 * in3)),
                     hq = p->h[i] * q;
        p->o[i] = q;
        sum += hq;
        quad += hq * q;
        g0 += hq * x0;
        g1 += hq * x1;
        g2 += hq * x2;
        g3 += hq * x3;
    }
    wlab_two_store(g, g0);
    wlab_two_store(g + 2, g1);
    wlab_two_store(g + 4, g2);
    wlab_two_store(g + 6, g3);
    memcpy(p->part ? p->part + (int64_t)b * cols : p->out, g, (size_t)cols * sizeof *g);
    p->sum[b] = sum;
    p->quad[b] = quad;
}

/* normal_block for a dense matrix of few columns: some rows' products, then their sum. */
static void normal_few(wlab_passes *p, int b)
{
    const wlab_matrix *X = p->X;
    const int64_t end = p->first[b + 1];
    double g[FEW_COLUMNS] = {0}, hq[SOME_ROWS], sum = 0, quad = 0;

    for (int64_t i = p->first[b], next; i < end; i = next) {
        next = i + SOME_ROWS < end ? i + SOME_ROWS : end;
        for (int64_t k = i; k < next; k++) {
            const double q = p->offset + wlab_dense_dot(X->dense + X->start[k], p->in, X->cols);
            hq[k - i] = p->h[k] * q;
            p->o[k] = q;
            sum += hq[k - i];
            quad += hq[k - i] * q;
        }
        add_rows(X, hq, i, next, g);
    }
    memcpy(p->part ? p->part + (int64_t)b * X->cols : p->out, g, (size_t)X->cols * sizeof *g);
    p->sum[b] = sum;
    p->quad[b] = quad;
}

static void normal_block(void *data, int b)
{
    wlab_passes *p = data;
    const wlab_matrix *X = p->X;
    const int64_t end = p->first[b + 1];
    const double *h = p->h;

    if (has_few_columns(X)) {
        switch (X->cols) { /* clang-format off */
        case 1: normal_narrow(p, b, 1); return;
        case 2: normal_narrow(p, b, 2); return;
        case 3: normal_narrow(p, b, 3); return;
        case 4: normal_narrow(p, b, 4); return;
        case 5: normal_narrow(p, b, 5); return;
        case 6: normal_narrow(p, b, 6); return;
        case 7: normal_narrow(p, b, 7); return;
        case 8: normal_narrow(p, b, 8); return;
        default: normal_few(p, b); return;
        } /* clang-format on */
    }
    double *g = cleared_sum(p, b), sum = 0, quad = 0;
    for (int64_t i = p->first[b]; i < end; i++) {
        const int64_t s = X->start[i];
        const int32_t n = X->len[i];
        double q, hq;
        if (X->sparse && i + AHEAD < end && h[i + AHEAD] != 0)
            prefetch_row(X, i + AHEAD);
        if (h[i] == 0)
            continue;
        q = p->offset + (X->sparse ? wlab_sparse_dot(X->val + s, X->col + s, n, p->in)
                                   : wlab_dense_dot(X->dense + s, p->in, n));
        hq = h[i] * q;
        p->o[i] = q;
        sum += hq;
        quad += hq * q;
        if (X->sparse)
            wlab_sparse_axpy_after_dot(X->val + s, X->col + s, n, hq, g);
        else
            wlab_dense_axpy(X->dense + s, n, hq, g);
    }
    p->sum[b] = sum;
    p->quad[b] = quad;
}

double wlab_passes_normal(wlab_passes *p, const double *h, const double *in, double offset, double *q,
                          double *g, double *quad, wlab_pool *pool)
{
    double sum = 0;

    p->h = h;
    p->in = in;
    p->offset = offset;
    p->o = q;
    p->out = g;
    wlab_pool_run(pool, p->blocks, normal_block, p);
    add_parts(p, pool);
    *quad = 0;
    for (int b = 0; b < p->blocks; b++) {
        sum += p->sum[b];
        *quad += p->quad[b];
    }
    return sum;
}

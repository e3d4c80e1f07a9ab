/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Products with sparse text-like data, with one thread and with all.  Measures the bandwidth of X p, of X'z and of
 * X'HX p in one pass over X, beside that of the memory (a triad, a = b + s c, over arrays larger than the caches)
 * and that of only reading the same bytes; X'HX p in one pass beside two passes; and X'z by rows beside X'z with a
 * transposed copy of X, which the library does not keep.  Sizes grow by factors of four: the first fit into the
 * cache, the last does not.
 */
#include "linalg/passes.h"
#include "seconds.h"
#include "weaklab/dataset.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    ROUNDS = 9,
    BLOCKS = 64,
    TRIAD = 1 << 23 /* 64 MiB per array */
};

static double *vector(int64_t n, double value)
{
    double *v = malloc((size_t)n * sizeof *v);
    if (!v)
        exit(1);
    for (int64_t i = 0; i < n; i++)
        v[i] = value;
    return v;
}

typedef struct bench {
    wlab_dataset *data;
    wlab_matrix *X;
    wlab_passes *passes;
    wlab_pool *pool;
    int64_t *first; /* [cols + 1] X by columns */
    int32_t *row;   /* [entries] */
    float *val;     /* [entries] */
    double *p, *z, *o, *q, *g, *h;
    double *a, *b, *c; /* [TRIAD] */
    double sum[BLOCKS];
} bench;

static void make(bench *x, const char *rows)
{
    static const char *const set[][2] = {
        {"d", "21000"}, {"meanlen", "56"}, {"topics", "6"}, {"positive", "0.35"}};
    const wlab_generator *g = wlab_generator_find("topics");
    wlab_params *p = NULL;
    wlab_err err;

    if (wlab_params_create(&p, g->params, &err) || wlab_params_set(p, "n", rows, &err))
        exit(1);
    for (size_t k = 0; k < sizeof set / sizeof *set; k++)
        if (wlab_params_set(p, set[k][0], set[k][1], &err))
            exit(1);
    if (wlab_dataset_generate(&x->data, g, "rows", p, NULL, &err))
        exit(1);
    wlab_params_destroy(p);
    x->X = x->data->X;
    if (wlab_passes_create(&x->passes, x->X, &err))
        exit(1);
    x->p = vector(x->X->cols, 0.25);
    x->g = vector(x->X->cols, 0);
    x->z = vector(x->X->rows, 0.5);
    x->h = vector(x->X->rows, 1);
    x->o = vector(x->X->rows, 0);
    x->q = vector(x->X->rows, 0);

    const wlab_matrix *X = x->X;
    x->first = calloc((size_t)X->cols + 2, sizeof *x->first);
    x->row = malloc((size_t)X->nnz * sizeof *x->row);
    x->val = malloc((size_t)X->nnz * sizeof *x->val);
    if (!x->first || !x->row || !x->val)
        exit(1);
    for (int64_t k = 0; k < X->nnz; k++)
        x->first[X->col[k] + 2]++;
    for (int32_t c = 0; c < X->cols; c++)
        x->first[c + 2] += x->first[c + 1];
    for (int64_t i = 0; i < X->rows; i++)
        for (int64_t k = X->start[i]; k < X->start[i] + X->len[i]; k++) {
            const int64_t at = x->first[X->col[k] + 1]++;
            x->row[at] = (int32_t)i;
            x->val[at] = X->val[k];
        }
}

static void release(bench *x)
{
    double *all[] = {x->p, x->z, x->o, x->q, x->g, x->h};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        free(all[k]);
    free(x->first);
    free(x->row);
    free(x->val);
    wlab_passes_destroy(x->passes);
    wlab_dataset_unref(x->data);
}

/* ---- the measured products ---- */

static void triad_block(void *data, int block)
{
    bench *x = data;
    for (int64_t i = wlab_block_begin(TRIAD, BLOCKS, block); i < wlab_block_begin(TRIAD, BLOCKS, block + 1);
         i++)
        x->a[i] = x->b[i] + 3.0 * x->c[i];
}

static void triad(bench *x)
{
    wlab_pool_run(x->pool, BLOCKS, triad_block, x);
}

static void read_block(void *data, int block)
{
    bench *x = data;
    const int64_t words = x->X->nnz / 2, end = wlab_block_begin(words, BLOCKS, block + 1);
    const uint64_t *val = (const uint64_t *)(const void *)x->X->val,
                   *col = (const uint64_t *)(const void *)x->X->col;
    uint64_t sum[8] = {0};
    int64_t k = wlab_block_begin(words, BLOCKS, block);

    for (; k + 8 <= end; k += 8)
        for (int j = 0; j < 8; j++)
            sum[j] += val[k + j] ^ col[k + j];
    x->sum[block] = 0;
    for (int j = 0; j < 8; j++)
        x->sum[block] += (double)sum[j];
}

static void reading(bench *x)
{
    wlab_pool_run(x->pool, BLOCKS, read_block, x);
}

static void outputs(bench *x)
{
    wlab_passes_outputs(x->passes, NULL, x->p, 0, x->o, x->pool);
}

static void transpose(bench *x)
{
    wlab_passes_transpose(x->passes, x->z, x->g, x->pool);
}

static void normal(bench *x)
{
    double quad;
    (void)wlab_passes_normal(x->passes, x->h, x->p, 0, x->q, x->g, &quad, x->pool);
}

static void columns_block(void *data, int block)
{
    bench *x = data;
    const int64_t share = x->X->nnz / BLOCKS + 1; /* entries per block: blocks have equal numbers of these */
    int32_t c = 0, end = x->X->cols;

    for (int32_t lo = 0, hi = end; lo < hi; c = lo) /* the first column that begins in the block's part */
        if (x->first[lo + (hi - lo) / 2] < share * block)
            lo += (hi - lo) / 2 + 1;
        else
            hi = lo + (hi - lo) / 2;
    for (; c < end && x->first[c] < share * (block + 1); c++) {
        double s0 = 0, s1 = 0;
        int64_t k = x->first[c];
        for (; k + 2 <= x->first[c + 1]; k += 2) {
            s0 += (double)x->val[k] * x->z[x->row[k]];
            s1 += (double)x->val[k + 1] * x->z[x->row[k + 1]];
        }
        if (k < x->first[c + 1])
            s0 += (double)x->val[k] * x->z[x->row[k]];
        x->g[c] = s0 + s1;
    }
}

static void columns(bench *x)
{
    wlab_pool_run(x->pool, BLOCKS, columns_block, x);
}

static void plain_outputs(bench *x)
{
    wlab_matrix_mul(x->X, x->p, x->o, x->pool);
}

static void plain_transpose(bench *x)
{
    if (wlab_matrix_mul_t(x->X, x->z, x->g, x->pool, NULL))
        exit(1);
}

enum {
    TRIADS,
    READ,
    XP,
    XTZ,
    NORMAL,
    COLUMNS,
    MUL,
    MUL_T,
    KINDS
};
static void (*const kind[KINDS])(bench *) = {triad,  reading, outputs,       transpose,
                                             normal, columns, plain_outputs, plain_transpose};

static void print_bandwidth(const char *what, const bench *x, int threads, double seconds, double bandwidth)
{
    printf("%s, %lld rows, %d thread%s: bandwidth, against a triad's\t%.6g\t%.6g\tGB/s\n", what,
           (long long)x->X->rows, threads, threads == 1 ? "" : "s", 8e-9 * (double)x->X->nnz / seconds,
           bandwidth);
}

static void against(const char *what, const bench *x, int threads, double ours, double reference)
{
    printf("%s, %lld rows, %d thread%s\t%.6g\t%.6g\ts\n", what, (long long)x->X->rows, threads,
           threads == 1 ? "" : "s", ours, reference);
}

static void measure(bench *x, int threads)
{
    double best[KINDS];

    if (wlab_pool_create(&x->pool, threads, NULL))
        exit(1);
    for (int k = 0; k < KINDS; k++)
        best[k] = 1e300;
    for (int round = 0; round < ROUNDS; round++)
        for (int k = 0; k < KINDS; k++) {
            kind[k](x); /* as in a solver, the caches are as the previous pass left them */
            const double begin = bench_seconds(CLOCK_MONOTONIC);
            kind[k](x);
            best[k] = bench_seconds(CLOCK_MONOTONIC) - begin < best[k]
                          ? bench_seconds(CLOCK_MONOTONIC) - begin
                          : best[k];
        }
    wlab_pool_destroy(x->pool);
    const double bandwidth = 24e-9 * (double)TRIAD / best[TRIADS];
    print_bandwidth("reading", x, threads, best[READ], bandwidth);
    print_bandwidth("X p", x, threads, best[XP], bandwidth);
    print_bandwidth("X'z", x, threads, best[XTZ], bandwidth);
    print_bandwidth("X'HX p in one reading", x, threads, best[NORMAL], bandwidth);
    against("X'HX p: one reading, against X p and X'z", x, threads, best[NORMAL], best[XP] + best[XTZ]);
    against("X'z: by rows, against a transposed copy", x, threads, best[XTZ], best[COLUMNS]);
    against("wlab_matrix_mul, against reading", x, threads, best[MUL], best[READ]);
    against("wlab_matrix_mul_t, against reading", x, threads, best[MUL_T], best[READ]);
    fflush(stdout);
}

int main(void)
{
    static const char *const rows[] = {"9000", "36000", "144000", "576000"};
    const char *quick = getenv("QUICK");
    const int sizes = quick && *quick ? 2 : 4, processors = (int)sysconf(_SC_NPROCESSORS_ONLN);
    double *a = vector(TRIAD, 0), *b = vector(TRIAD, 1), *c = vector(TRIAD, 2);

    for (int k = 0; k < sizes; k++) {
        bench x = {.a = a, .b = b, .c = c};
        make(&x, rows[k]);
        measure(&x, 1);
        if (processors > 1)
            measure(&x, processors);
        if (x.sum[0] + a[1] + x.g[0] < 0) /* use the results, so that the compiler cannot drop the loops */
            return 1;
        release(&x);
    }
    free(a);
    free(b);
    free(c);
    return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * X w and X'z on sparse text-like data against the time in which the same bytes can be read: the memory
 * bandwidth of this run, on this machine, with the same threads.
 */
#include "weaklab/matrix.h"
#include "weaklab/rng.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
    ROUNDS = 7,
    BLOCKS = 64
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    return *(const int32_t *)a < *(const int32_t *)b ? -1 : *(const int32_t *)a > *(const int32_t *)b;
}

/* Rows with distinct columns, frequent ones more often, as words are. */
static wlab_matrix *make(int64_t rows, int32_t cols, int32_t mean)
{
    wlab_matrix *X = NULL;
    wlab_rng rng;
    int64_t at = 0;

    if (wlab_matrix_create_sparse(&X, rows, cols, rows * mean, NULL))
        exit(1);
    wlab_rng_seed(&rng, 1);
    for (int64_t i = 0; i < rows; i++) {
        int32_t *col = X->col + at, len = 0;
        for (int32_t k = 0; k < mean; k++) {
            double u = wlab_rng_uniform(&rng);
            col[k] = (int32_t)(u * u * u * cols);
        }
        qsort(col, (size_t)mean, sizeof *col, ascending);
        for (int32_t k = 0; k < mean; k++)
            if (len == 0 || col[len - 1] != col[k])
                col[len++] = col[k];
        for (int32_t k = 0; k < len; k++)
            X->val[at + k] = 0.125f;
        X->start[i] = at;
        X->len[i] = len;
        at += len;
    }
    X->nnz = at;
    return X;
}

typedef struct reading {
    const wlab_matrix *X;
    double sum[BLOCKS];
} reading;

static void read_block(void *data, int b)
{
    reading *r = data;
    const float *val = r->X->val;
    const int32_t *col = r->X->col;
    float v[8] = {0};
    int32_t c[8] = {0};
    int64_t k = wlab_block_begin(r->X->nnz, BLOCKS, b);
    const int64_t end = wlab_block_begin(r->X->nnz, BLOCKS, b + 1);

    for (; k + 8 <= end; k += 8)
        for (int j = 0; j < 8; j++) {
            v[j] += val[k + j];
            c[j] ^= col[k + j];
        }
    for (int j = 0; j < 8; j++)
        r->sum[b] += (double)v[j] + c[j];
}

int main(void)
{
    wlab_pool *pool = NULL;

    if (wlab_pool_create(&pool, (int)sysconf(_SC_NPROCESSORS_ONLN), NULL))
        return 1;
    for (int64_t rows = 18000; rows <= 72000; rows *= 4) {
        const int32_t cols = 21000;
        wlab_matrix *X = make(rows, cols, 56);
        double *w = calloc((size_t)cols, sizeof *w), *o = calloc((size_t)rows, sizeof *o);
        double best[3] = {1e9, 1e9, 1e9}, sink = 0;
        if (!w || !o)
            return 1;
        for (int32_t j = 0; j < cols; j++)
            w[j] = 1.0 / (j + 1);
        for (int round = 0; round < ROUNDS; round++) {
            reading r = {.X = X};
            double t[4];
            t[0] = now();
            wlab_pool_run(pool, BLOCKS, read_block, &r);
            t[1] = now();
            wlab_matrix_mul(X, w, o, pool);
            t[2] = now();
            if (wlab_matrix_mul_t(X, o, w, pool, NULL))
                return 1;
            t[3] = now();
            for (int k = 0; k < 3; k++)
                if (t[k + 1] - t[k] < best[k])
                    best[k] = t[k + 1] - t[k];
            for (int b = 0; b < BLOCKS; b++)
                sink += r.sum[b];
            for (int32_t j = 0; j < cols; j++)
                w[j] = 1.0 / (j + 1);
        }
        if (sink == 0.5)
            return 1;
        printf("X w, %lld rows, %.3g entries, against reading them\t%g\t%g\ts\n", (long long)rows,
               (double)X->nnz, best[1], best[0]);
        printf("X'z, %lld rows, %.3g entries, against reading them\t%g\t%g\ts\n", (long long)rows,
               (double)X->nnz, best[2], best[0]);
        free(w);
        free(o);
        wlab_matrix_destroy(X);
    }
    wlab_pool_destroy(pool);
    return 0;
}

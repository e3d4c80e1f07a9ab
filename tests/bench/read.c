/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reading LIBSVM text, with 1 and 2 threads, against LIBLINEAR's own reader on the same file.
 *
 * LIBLINEAR's library has no reader; its program has one.  The program runs with a tolerance so large that training
 * ends after one pass (-s 1 -e 1e30); the time of this training is measured through the library and subtracted.  The
 * files: one of text-like rows, which is written here, and those in ../shared.  The last lines give the memory of the
 * values in single precision, against double.
 */
#include "seconds.h"
#include "weaklab/dataset.h"

#include <fcntl.h>
#include <linear.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    ROUNDS = 5,
    ROWS = 150000,
    COLS = 21000,
    MEAN = 51
};

static void quiet(const char *text)
{
    (void)text;
}

/* About 110 MB: 51 entries per row with 6 digits; low columns are more frequent, as common words are. */
static int make(const char *path)
{
    FILE *f = fopen(path, "w");
    static char used[COLS];
    wlab_rng rng;

    if (!f)
        return 1;
    wlab_rng_seed(&rng, 1);
    for (int i = 0; i < ROWS; i++) {
        memset(used, 0, sizeof used);
        for (int k = 0; k < MEAN; k++) {
            const double u = wlab_rng_uniform(&rng);
            used[(int)(u * u * (double)COLS)] = 1;
        }
        fputs(i % 2 ? "+1" : "-1", f);
        for (int c = 0; c < COLS; c++)
            if (used[c])
                fprintf(f, " %d:%.6g", c + 1, 0.01 + wlab_rng_uniform(&rng) / 2);
        fputc('\n', f);
    }
    return fclose(f);
}

static double ours(const char *path, int threads, wlab_dataset **kept)
{
    wlab_ctx ctx = {0};
    double best = 1e300;

    *kept = NULL;
    if (wlab_pool_create(&ctx.pool, threads, NULL))
        exit(1);
    for (int r = 0; r < ROUNDS; r++) {
        wlab_dataset *ds = NULL;
        wlab_err err;
        const double begin = bench_seconds(CLOCK_MONOTONIC);

        if (wlab_dataset_load(&ds, path, NULL, NULL, &ctx, &err)) {
            fprintf(stderr, "read: %s\n", err.message);
            exit(1);
        }
        best = bench_seconds(CLOCK_MONOTONIC) - begin < best ? bench_seconds(CLOCK_MONOTONIC) - begin : best;
        wlab_dataset_unref(*kept);
        *kept = ds;
    }
    wlab_pool_destroy(ctx.pool);
    return best;
}

/* The time of the single pass of training that liblinear-train makes after reading, measured through the library. */
static double training(const wlab_dataset *ds)
{
    const wlab_matrix *X = ds->X;
    struct problem prob = {.l = (int)X->rows, .n = X->cols, .bias = -1};
    struct parameter param = {.solver_type = L2R_L2LOSS_SVC_DUAL, .eps = 1e30, .C = 1};
    struct feature_node *nodes =
        malloc((size_t)(X->rows + (X->sparse ? X->nnz : X->rows * X->cols)) * sizeof *nodes);
    struct feature_node *at = nodes;
    double best = 1e300;

    prob.y = malloc((size_t)X->rows * sizeof *prob.y);
    prob.x = malloc((size_t)X->rows * sizeof *prob.x);
    if (!nodes || !prob.y || !prob.x)
        exit(1);
    for (int64_t i = 0; i < X->rows; i++) {
        prob.y[i] = ds->label[i];
        prob.x[i] = at;
        for (int32_t k = 0; k < X->len[i]; k++)
            *at++ = (struct feature_node){1 + (X->sparse ? X->col[X->start[i] + k] : k),
                                          X->sparse ? (double)X->val[X->start[i] + k]
                                                    : X->dense[X->start[i] + k]};
        *at++ = (struct feature_node){-1, 0};
    }
    set_print_string_function(quiet);
    for (int r = 0; r < 3; r++) {
        const double begin = bench_seconds(CLOCK_MONOTONIC);
        struct model *m = train(&prob, &param);
        best = bench_seconds(CLOCK_MONOTONIC) - begin < best ? bench_seconds(CLOCK_MONOTONIC) - begin : best;
        free_and_destroy_model(&m);
    }
    free(nodes);
    free(prob.y);
    free(prob.x);
    return best;
}

static double theirs(const char *path)
{
    char *const argv[] = {"liblinear-train",       "-q",        "-s", "1", "-e", "1e30",
                          (char *)(uintptr_t)path, "/dev/null", NULL};
    posix_spawn_file_actions_t io;
    double best = 1e300;

    posix_spawn_file_actions_init(&io);
    posix_spawn_file_actions_addopen(&io, 1, "/dev/null", O_WRONLY, 0);
    for (int r = 0; r < ROUNDS; r++) {
        const double begin = bench_seconds(CLOCK_MONOTONIC);
        int status;
        pid_t pid;

        if (posix_spawnp(&pid, argv[0], &io, NULL, argv, environ) || waitpid(pid, &status, 0) < 0 || status)
            return -1;
        best = bench_seconds(CLOCK_MONOTONIC) - begin < best ? bench_seconds(CLOCK_MONOTONIC) - begin : best;
    }
    posix_spawn_file_actions_destroy(&io);
    return best;
}

static void compare(const char *name, const char *path)
{
    wlab_dataset *ds = NULL, *again = NULL;
    const double one = ours(path, 1, &ds), two = ours(path, 2, &again);
    const double all = theirs(path), train = all < 0 ? 0 : training(ds), read = all - train;

    if (all < 0 || read <= 0) {
        printf("reading %s, 1 thread\t%.6g\t-\ts\n", name, one);
        printf("reading %s, 2 threads\t%.6g\t-\ts\n", name, two);
    } else {
        printf("reading %s, 1 thread\t%.6g\t%.6g\ts\n", name, one, read);
        printf("reading %s, 2 threads\t%.6g\t%.6g\ts\n", name, two, read);
    }
    fflush(stdout);
    wlab_dataset_unref(ds);
    wlab_dataset_unref(again);
}

/* X w with values stored in single precision, against the same loop over doubles. */
static void precision(const char *path)
{
    wlab_dataset *ds = NULL;
    const wlab_matrix *X;
    double *wide, *w, *o, single = 1e300, twice = 1e300;

    if (wlab_dataset_load(&ds, path, NULL, NULL, NULL, NULL))
        exit(1);
    X = ds->X;
    wide = malloc((size_t)X->nnz * sizeof *wide);
    w = malloc((size_t)X->cols * sizeof *w);
    o = malloc((size_t)X->rows * sizeof *o);
    if (!wide || !w || !o)
        exit(1);
    for (int64_t k = 0; k < X->nnz; k++)
        wide[k] = (double)X->val[k];
    for (int32_t c = 0; c < X->cols; c++)
        w[c] = 1.0 / (c + 1);
    for (int r = 0; r < 5 * ROUNDS; r++) {
        double begin = bench_seconds(CLOCK_THREAD_CPUTIME_ID);

        wlab_matrix_mul(X, w, o, NULL);
        single = bench_seconds(CLOCK_THREAD_CPUTIME_ID) - begin < single
                     ? bench_seconds(CLOCK_THREAD_CPUTIME_ID) - begin
                     : single;
        begin = bench_seconds(CLOCK_THREAD_CPUTIME_ID);
        for (int64_t i = 0; i < X->rows; i++) {
            const double *val = wide + X->start[i];
            const int32_t *col = X->col + X->start[i];
            double s0 = 0, s1 = 0;
            int32_t k = 0;

            for (; k + 2 <= X->len[i]; k += 2) {
                s0 += val[k] * w[col[k]];
                s1 += val[k + 1] * w[col[k + 1]];
            }
            if (k < X->len[i])
                s0 += val[k] * w[col[k]];
            o[i] = s0 + s1;
        }
        twice = bench_seconds(CLOCK_THREAD_CPUTIME_ID) - begin < twice
                    ? bench_seconds(CLOCK_THREAD_CPUTIME_ID) - begin
                    : twice;
    }
    printf("X w, single against double precision stored\t%.6g\t%.6g\ts (CPU)\n", single, twice);
    printf("memory of X, single against double\t%.6g\t%.6g\tMB\n", 8e-6 * (double)X->nnz,
           12e-6 * (double)X->nnz);
    free(wide);
    free(w);
    free(o);
    wlab_dataset_unref(ds);
}

int main(void)
{
    static const char *const shared[] = {"../shared/datasets/libsvm/a9a", "../shared/datasets/libsvm/w8a",
                                         "../shared/datasets/ssl/chapelle2008/text1.libsvm"};
    const char *dir = getenv("TMP");
    char path[512];
    struct stat st;

    snprintf(path, sizeof path, "%s/rows.libsvm", dir ? dir : "/tmp");
    if (make(path) || stat(path, &st)) {
        fprintf(stderr, "read: cannot write %s\n", path);
        return 1;
    }
    printf("file made for reading\t%.6g\t-\tMB\n", 1e-6 * (double)st.st_size);
    compare("the made file", path);
    precision(path);
    unlink(path);
    for (size_t k = 0; k < sizeof shared / sizeof *shared; k++)
        if (access(shared[k], R_OK) == 0)
            compare(strrchr(shared[k], '/') + 1, shared[k]);
    return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * For benchmarks whose unit is a supervised training: one training by LIBLINEAR on the rows of a data set with all true
 * labels; its time and memory, and the lines that tests/bench/run reads.
 */
#ifndef TESTS_BENCH_TRAINING_H
#define TESTS_BENCH_TRAINING_H

#include "bench/seconds.h"
#include "weaklab/dataset.h"

#include <linear.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static inline double now(void)
{
    return bench_seconds(CLOCK_MONOTONIC);
}

/* Processor time of all threads. */
static inline double processor(void)
{
    return bench_seconds(CLOCK_PROCESS_CPUTIME_ID);
}

static inline void fail(const char *what)
{
    fprintf(stderr, "%s\n", what);
    exit(1);
}

/* Kilobytes from /proc/self/status. */
static inline double memory(const char *field)
{
    char line[256];
    double found = 0;
    FILE *f = fopen("/proc/self/status", "r");
    if (!f)
        return 0;
    while (fgets(line, sizeof line, f))
        if (strncmp(line, field, strlen(field)) == 0)
            found = atof(line + strlen(field) + 1);
    fclose(f);
    return found;
}

/* Reset the peak of the memory in use. */
static inline void forget_peak(void)
{
    FILE *f = fopen("/proc/self/clear_refs", "w");
    if (f) {
        fputs("5", f);
        fclose(f);
    }
}

/* Calls work(data) in a child process with at most so many processor seconds and bytes of address space; it fills result
 * [size].  False: the child was ended. */
static inline bool in_child(void (*work)(void *data), void *data, void *result, size_t size, rlim_t seconds,
                            rlim_t space)
{
    int fd[2], status = 1;
    if (pipe(fd))
        fail("pipe");
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        setrlimit(RLIMIT_CPU, &(struct rlimit){seconds, seconds});
        setrlimit(RLIMIT_AS, &(struct rlimit){space, space});
        work(data);
        _exit(write(fd[1], result, size) == (ssize_t)size ? 0 : 1);
    }
    close(fd[1]);
    const bool whole = read(fd[0], result, size) == (ssize_t)size;
    close(fd[0]);
    return child > 0 && waitpid(child, &status, 0) == child && whole;
}

static inline void hush(const char *text)
{
    (void)text;
}

/* L1-loss dual solver, C = 1, default tolerance. */
static inline double liblinear_here(const wlab_dataset *data, bool bias)
{
    const wlab_matrix *X = data->X;
    size_t nodes = 0, at = 0;
    for (int64_t i = 0; i < X->rows; i++)
        nodes += (size_t)X->len[i] + 2;
    struct feature_node *node = malloc(nodes * sizeof *node), **row = malloc((size_t)X->rows * sizeof *row);
    double *label = malloc((size_t)X->rows * sizeof *label);
    if (!node || !row || !label)
        fail("out of memory");
    for (int64_t i = 0; i < X->rows; i++) {
        row[i] = node + at;
        label[i] = data->label[i] == data->classes - 1 ? 1 : -1;
        for (int32_t k = 0; k < X->len[i]; k++)
            node[at++] = X->sparse
                             ? (struct feature_node){X->col[X->start[i] + k] + 1, X->val[X->start[i] + k]}
                             : (struct feature_node){k + 1, X->dense[X->start[i] + k]};
        if (bias)
            node[at++] = (struct feature_node){X->cols + 1, 1};
        node[at++] = (struct feature_node){-1, 0};
    }
    struct problem problem = {
        .l = (int)X->rows, .n = X->cols + bias, .y = label, .x = row, .bias = bias ? 1 : -1};
    struct parameter parameter = {.solver_type = L2R_L1LOSS_SVC_DUAL, .eps = 0.1, .C = 1};
    set_print_string_function(hush);
    double start = now(), cpu = processor();
    struct model *model = train(&problem, &parameter);
    double seconds = now() - start;
    if (getenv("LOUD"))
        fprintf(stderr, "LIBLINEAR: %.2f s, of a processor %.2f\n", seconds, processor() - cpu);
    free_and_destroy_model(&model);
    free(node);
    free(row);
    free(label);
    return seconds;
}

/* Seconds inside train(), with or without a feature of ones.  A child process runs it, whose end frees all memory. */
static inline double liblinear(const wlab_dataset *data, bool bias)
{
    int fd[2], status = 1;
    double seconds = 0;
    if (pipe(fd))
        fail("pipe");
    pid_t child = fork();
    if (child == 0) {
        seconds = liblinear_here(data, bias);
        _exit(write(fd[1], &seconds, sizeof seconds) == (ssize_t)sizeof seconds ? 0 : 1);
    }
    if (child < 0 || read(fd[0], &seconds, sizeof seconds) != (ssize_t)sizeof seconds ||
        waitpid(child, &status, 0) != child || status != 0)
        fail("LIBLINEAR");
    close(fd[0]);
    close(fd[1]);
    return seconds;
}

static inline void line(const char *name, const char *what, double ours, double reference, const char *unit)
{
    if (isnan(reference))
        printf("%s: %s\t%.6g\t-\t%s\n", name, what, ours, unit);
    else
        printf("%s: %s\t%.6g\t%.6g\t%s\n", name, what, ours, reference, unit);
}

#endif

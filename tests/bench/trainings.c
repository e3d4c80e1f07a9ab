/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * trainings NAME THREADS LIMIT GENERATOR_SETTINGS ALGO_SETTINGS: what WellSVM costs on rows of `generate topics`, counted
 * in supervised trainings of the same rows with all true labels: LIBLINEAR's L1-loss dual solver at its default tolerance,
 * C = 1, the time inside train() alone.  LIBLINEAR has a process of its own before and after the run, and the shorter
 * time of the two counts; memory is the growth of this process' peak.  No benchmark itself: wellsvm.sh uses it.
 */
#include "algo/algos.h"
#include "made.h"
#include "seconds.h"
#include "weaklab/task.h"

#include <linear.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MOST_STEPS = 1000,
    MOST_METRICS = 64
};

static void fail(const char *what)
{
    fprintf(stderr, "trainings: %s\n", what);
    exit(1);
}

/* Kilobytes from /proc/self/status. */
static double memory(const char *field)
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

/* The peak so far is forgotten. */
static void forget_peak(void)
{
    FILE *f = fopen("/proc/self/clear_refs", "w");
    if (f) {
        fputs("5", f);
        fclose(f);
    }
}

static void hush(const char *text)
{
    (void)text;
}

static double liblinear_here(const wlab_dataset *data)
{
    const wlab_matrix *X = data->X;
    size_t nodes = 0, at = 0;
    for (int64_t i = 0; i < X->rows; i++)
        nodes += (size_t)X->len[i] + 1;
    struct feature_node *node = malloc(nodes * sizeof *node), **row = malloc((size_t)X->rows * sizeof *row);
    double *label = malloc((size_t)X->rows * sizeof *label);
    if (!node || !row || !label)
        fail("out of memory");
    for (int64_t i = 0; i < X->rows; i++) {
        row[i] = node + at;
        label[i] = data->label[i] == data->classes - 1 ? 1 : -1;
        for (int32_t k = 0; k < X->len[i]; k++)
            node[at++] = (struct feature_node){X->col[X->start[i] + k] + 1, X->val[X->start[i] + k]};
        node[at++] = (struct feature_node){-1, 0};
    }
    struct problem problem = {.l = (int)X->rows, .n = X->cols, .y = label, .x = row, .bias = -1};
    struct parameter parameter = {.solver_type = L2R_L1LOSS_SVC_DUAL, .eps = 0.1, .C = 1};
    set_print_string_function(hush);
    double start = bench_seconds(CLOCK_MONOTONIC), cpu = bench_seconds(CLOCK_PROCESS_CPUTIME_ID);
    struct model *model = train(&problem, &parameter);
    double seconds = bench_seconds(CLOCK_MONOTONIC) - start;
    if (getenv("LOUD"))
        fprintf(stderr, "LIBLINEAR: %.2f s, of a processor %.2f\n", seconds,
                bench_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu);
    free_and_destroy_model(&model);
    free(node);
    free(row);
    free(label);
    return seconds;
}

/* In a child: what it takes in memory is gone with it. */
static double liblinear(const wlab_dataset *data)
{
    int fd[2], status = 1;
    double seconds = 0;
    if (pipe(fd))
        fail("pipe");
    pid_t child = fork();
    if (child == 0) {
        seconds = liblinear_here(data);
        _exit(write(fd[1], &seconds, sizeof seconds) == (ssize_t)sizeof seconds ? 0 : 1);
    }
    if (child < 0 || read(fd[0], &seconds, sizeof seconds) != (ssize_t)sizeof seconds ||
        waitpid(child, &status, 0) != child || status != 0)
        fail("LIBLINEAR");
    close(fd[0]);
    close(fd[1]);
    return seconds;
}

static double metric(const double *metrics, const char *name)
{
    return metrics[wlab_metric_index(&wlab_algo_wellsvm, name)];
}

static void line(const char *name, const char *what, double ours, double reference, const char *unit)
{
    if (isnan(reference))
        printf("%s: %s\t%.6g\t-\t%s\n", name, what, ours, unit);
    else
        printf("%s: %s\t%.6g\t%.6g\t%s\n", name, what, ours, reference, unit);
}

int main(int argc, char **argv)
{
    wlab_err err;
    wlab_problem *p = NULL;
    wlab_ctx ctx = {0};
    void *s = NULL;
    double metrics[MOST_METRICS], at[MOST_STEPS + 1];
    int64_t steps = 0;

    if (argc != 6)
        fail("NAME THREADS LIMIT GENERATOR_SETTINGS ALGO_SETTINGS");
    const char *name = argv[1];
    const bool loud = getenv("LOUD") != NULL;
    const int limit = atoi(argv[3]);
    wlab_dataset *data = made_data("topics", argv[4], &err);
    if (!data)
        fail(err.message);
    const wlab_task *task = wlab_task_find("ssl");
    wlab_params *tp = made_params(task->params, "given=yes", &err);
    wlab_params *ap = made_params(wlab_algo_wellsvm.params, argv[5], &err);
    if (!tp || !ap || wlab_problem_create(&p, data, NULL, 0, NULL, 0, task, tp, &err) ||
        wlab_pool_create(&ctx.pool, atoi(argv[2]), &err))
        fail(err.message);
    double before = liblinear(data);

    double held = memory("VmRSS:");
    forget_peak();
    at[0] = bench_seconds(CLOCK_MONOTONIC);
    if (wlab_algo_wellsvm.create(&s, p, ap, &ctx, &err))
        fail(err.message);
    double created = bench_seconds(CLOCK_MONOTONIC) - at[0];
    wlab_verdict verdict = WL_MORE;
    while (verdict == WL_MORE && steps < limit && steps < MOST_STEPS) {
        bool outer = false;
        const double cpu = bench_seconds(CLOCK_PROCESS_CPUTIME_ID);
        while (!outer)
            if (wlab_algo_wellsvm.advance(s, &ctx, &outer, &verdict, &err))
                fail(err.message);
        at[++steps] = bench_seconds(CLOCK_MONOTONIC);
        wlab_algo_wellsvm.observe(s, metrics, NULL);
        if (loud)
            fprintf(stderr,
                    "%3d %7.2f s (cpu %.2f)  obj %.8g  upper %.8g  inner %.2g master %.2g violation %.3g "
                    "rounded %.6g  "
                    "active %g updates %g svms %g flips %g\n",
                    (int)steps, at[steps] - at[steps - 1], bench_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu,
                    metric(metrics, "objective"), metric(metrics, "upper"), metric(metrics, "inner_gap"),
                    metric(metrics, "master_gap"), metric(metrics, "violation"), metric(metrics, "rounded"),
                    metric(metrics, "active"), metric(metrics, "mkl_iters"), metric(metrics, "svm_iters"),
                    metric(metrics, "flips"));
    }
    double peak = memory("VmHWM:") - held;
    double after = liblinear(data), one = before < after ? before : after;

    double most = 0;
    for (int64_t t = 1; t <= steps; t++) {
        double seconds = at[t] - at[t - 1] + (t == 1 ? created : 0);
        char what[80];
        snprintf(what, sizeof what, "labeling %d, in trainings of LIBLINEAR", (int)t);
        line(name, what, seconds, one, "s");
        most = seconds > most ? seconds : most;
        if (t == 10)
            line(name, "ten labelings, the start included", at[10] - at[0], one, "s");
    }
    line(name, "the whole run", at[steps] - at[0], one, "s");
    line(name, "its dearest labeling", most, one, "s");
    line(name, "one training, before the run against after it", before, after, "s");
    double scale = metric(metrics, "objective");
    line(name, "objective", scale, NAN, "G");
    line(name, "certified gap of the master (inner and mu), relative",
         (metric(metrics, "inner_gap") + metric(metrics, "master_gap")) / scale, NAN, "share");
    line(name, "violation, relative", metric(metrics, "violation") / scale, NAN, "share");
    double T = metric(metrics, "working_set"), n = (double)p->n, d = (double)p->X->cols;
    double allowed = ((T + 4) * 8 * d + (T / 8 + 40) * n) / 1048576;
    line(name, "peak memory beside the data, against (T+4) vectors of d and T/8+40 bytes a row", peak / 1024,
         allowed, "MiB");
    printf("%s: %s after %d labelings\n", name, wlab_verdict_names[verdict], (int)T);
    wlab_algo_wellsvm.destroy(s);
    wlab_params_destroy(tp);
    wlab_params_destroy(ap);
    wlab_problem_unref(p);
    wlab_dataset_unref(data);
    wlab_pool_destroy(ctx.pool);
    return 0;
}

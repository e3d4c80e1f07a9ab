/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * trainings NAME THREADS LIMIT GENERATOR_SETTINGS ALGO_SETTINGS: the cost of WellSVM on rows of `generate topics`,
 * measured in supervised trainings of the same rows with all true labels: LIBLINEAR's L1-loss dual solver at its
 * default tolerance, C = 1, only the time inside train().  LIBLINEAR runs in a process of its own before and after the
 * run, and the shorter time counts; memory is the growth of this process' peak.  A helper of wellsvm.sh.
 */
#include "algo/algos.h"
#include "bench/training.h"
#include "made.h"
#include "weaklab/task.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_STEPS = 1000,
    MOST_METRICS = 64
};

static double metric(const double *metrics, const char *name)
{
    return metrics[wlab_metric_index(&wlab_algo_wellsvm, name)];
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
    if (!tp || !ap || wlab_problem_create(&p, data, NULL, 0, NULL, 0, task, tp, NULL, &err) ||
        wlab_pool_create(&ctx.pool, atoi(argv[2]), &err))
        fail(err.message);
    double before = liblinear(data, false);

    double held = memory("VmRSS:");
    forget_peak();
    at[0] = now();
    if (wlab_algo_wellsvm.create(&s, p, ap, &ctx, &err))
        fail(err.message);
    double created = now() - at[0];
    wlab_step step = {0};
    while (step.verdict == WL_MORE && steps < limit && steps < MOST_STEPS) {
        step.complete = false;
        const double cpu = processor();
        while (!step.complete)
            if (wlab_algo_wellsvm.advance(s, &ctx, &step, &err))
                fail(err.message);
        at[++steps] = now();
        wlab_algo_wellsvm.observe(s, metrics, NULL);
        if (loud)
            fprintf(stderr,
                    "%3d %7.2f s (cpu %.2f)  obj %.8g  upper %.8g  inner %.2g master %.2g violation %.3g "
                    "rounded %.6g  "
                    "active %g updates %g svms %g flips %g\n",
                    (int)steps, at[steps] - at[steps - 1], processor() - cpu, metric(metrics, "objective"),
                    metric(metrics, "upper"), metric(metrics, "inner_gap"), metric(metrics, "master_gap"),
                    metric(metrics, "violation"), metric(metrics, "rounded"), metric(metrics, "active"),
                    metric(metrics, "mkl_iters"), metric(metrics, "svm_iters"), metric(metrics, "flips"));
    }
    double peak = memory("VmHWM:") - held;
    double after = liblinear(data, false), one = before < after ? before : after;

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
    printf("%s: %s after %d labelings\n", name, wlab_verdict_names[step.verdict], (int)T);
    wlab_algo_wellsvm.destroy(s);
    wlab_params_destroy(tp);
    wlab_params_destroy(ap);
    wlab_problem_unref(p);
    wlab_dataset_unref(data);
    wlab_pool_destroy(ctx.pool);
    return 0;
}

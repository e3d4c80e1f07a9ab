/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * psvm_run labels N J: the cost of choosing labels (Proposition 1) for N rows in bags of J, against N log2 J.
 * psvm_run run NAME THREADS DATA TASK_SETTINGS ALGO_SETTINGS: a whole run of alter-pSVM, measured in supervised
 * trainings of the same rows with all true labels (training.h).  DATA: settings of `generate topics`, or @FILE, scaled
 * to -1 .. 1.  A helper of psvm.sh.
 */
#include "algo/algos.h"
#include "algo/llp/proportions.h"
#include "bench/training.h"
#include "made.h"
#include "weaklab/rng.h"

enum {
    MOST_METRICS = 64,
    ROUNDS = 5
};

static const wlab_algo *const algo = &wlab_algo_alter;

static void labels(int64_t n, int64_t J)
{
    wlab_err err;
    wlab_rng rng;
    wlab_proportions *b = NULL;
    wlab_problem p = {.n = n, .bags = (n + J - 1) / J, .r = NAN};
    double *gain = malloc((size_t)n * sizeof *gain), best = 1e300;
    int8_t *y = malloc((size_t)n);
    wlab_proportion_rank *work = malloc((size_t)n * sizeof *work);
    p.visible = calloc((size_t)n, 1);
    p.bag = malloc((size_t)n * sizeof *p.bag);
    p.bag_given = malloc((size_t)p.bags * sizeof *p.bag_given);
    if (!gain || !y || !work || !p.visible || !p.bag || !p.bag_given)
        fail("out of memory");
    wlab_rng_seed(&rng, 1);
    for (int64_t i = 0; i < n; i++) {
        p.bag[i] = (int32_t)(i % p.bags);
        gain[i] = wlab_rng_normal(&rng);
    }
    for (int64_t g = 0; g < p.bags; g++)
        p.bag_given[g] = wlab_rng_uniform(&rng);
    const wlab_proportion_loss loss = {.weight = 10};
    if (wlab_proportions_create(&b, &p, &err))
        fail(err.message);
    for (int round = 0; round < ROUNDS; round++) {
        const double from = now();
        if (wlab_proportions_label(b, &loss, gain, y, work, NULL, &err))
            fail(err.message);
        const double took = now() - from;
        best = took < best ? took : best;
    }
    char name[80];
    snprintf(name, sizeof name, "labels of %lld rows in bags of %lld", (long long)n, (long long)J);
    line(name, "seconds against n log2 J nanoseconds, one thread", best, 1e-9 * (double)n * log2((double)J),
         "s");
    wlab_proportions_destroy(b);
    free(gain);
    free(y);
    free(work);
    free(p.visible);
    free(p.bag);
    free(p.bag_given);
}

static wlab_dataset *data_of(const char *text)
{
    wlab_err err;
    wlab_dataset *data = NULL, *raw = NULL;
    wlab_params *none = NULL;
    if (text[0] != '@') {
        data = made_data("topics", text, &err);
    } else if (!wlab_params_create(&none, wlab_load_params, &err) &&
               !wlab_dataset_load(&raw, text + 1, NULL, none, NULL, &err)) {
        (void)wlab_dataset_scale(&data, raw, WL_SCALE_SYMMETRIC, NULL, 0, NULL, &err);
    }
    wlab_params_destroy(none);
    wlab_dataset_unref(raw);
    if (!data)
        fail(err.message);
    return data;
}

static double metric(const double *metrics, const char *name)
{
    return metrics[wlab_metric_index(algo, name)];
}

static double accuracy(const wlab_problem *p, const void *s, wlab_ctx *ctx)
{
    wlab_err err;
    wlab_model *m = NULL;
    double *f = malloc((size_t)p->n * sizeof *f);
    int64_t right = 0;
    if (!f || algo->model(s, &m, ctx, &err) || wlab_model_predict(m, p->X, f, ctx->pool, &err))
        fail(err.message);
    for (int64_t i = 0; i < p->n; i++)
        right += (f[i] > 0) == (p->truth[i] > 0);
    wlab_model_destroy(m);
    free(f);
    return (double)right / (double)p->n;
}

static void run(char **argv)
{
    wlab_err err;
    wlab_problem *p = NULL;
    wlab_ctx ctx = {0};
    void *s = NULL;
    double metrics[MOST_METRICS];
    int64_t steps = 0;
    const char *name = argv[0];
    wlab_dataset *data = data_of(argv[2]);
    const wlab_task *task = wlab_task_find("llp");
    wlab_params *tp = made_params(task->params, argv[3], &err),
                *ap = made_params(algo->params, argv[4], &err);
    if (!tp || !ap || wlab_problem_create(&p, data, NULL, 0, NULL, 0, task, tp, NULL, &err) ||
        wlab_pool_create(&ctx.pool, atoi(argv[1]), &err))
        fail(err.message);
    const double before = liblinear(data, true), held = memory("VmRSS:");
    forget_peak();
    double from = now(), labelling = 0, cpu = processor();
    if (algo->create(&s, p, ap, &ctx, &err))
        fail(err.message);
    for (wlab_step made = {0}; made.verdict == WL_MORE; steps++) {
        made.complete = false;
        double half = 0;
        while (!made.complete) {
            half = now();
            if (algo->advance(s, &ctx, &made, &err))
                fail(err.message);
        }
        labelling += now() - half; /* the second half of a step chooses the labels */
        if (getenv("LOUD")) {
            algo->observe(s, metrics, NULL);
            fprintf(stderr,
                    "%3d %7.2f s  C* %.4g  obj %.6g best %.6g restart %g distinct %g svms %g bag_error %.4g "
                    "inner %.2g flips %g\n",
                    (int)steps, now() - from, metric(metrics, "C_now"), metric(metrics, "objective"),
                    metric(metrics, "best"), metric(metrics, "restart"), metric(metrics, "distinct"),
                    metric(metrics, "svms"), metric(metrics, "bag_error"), metric(metrics, "inner_gap"),
                    metric(metrics, "flips"));
        }
    }
    const double whole = now() - from, peak = memory("VmHWM:") - held;
    cpu = processor() - cpu;
    algo->observe(s, metrics, NULL);
    const double after = liblinear(data, true), one = before < after ? before : after;
    const double stored = p->X->sparse ? 8.0 * (double)p->X->nnz : 8.0 * (double)p->n * p->X->cols;
    line(name, "the whole run, in trainings of LIBLINEAR", whole, one, "s");
    line(name, "of a processor", cpu, one, "s");
    line(name, "one of its SVMs", whole / metric(metrics, "svms"), one, "s");
    line(name, "labels alone, against the whole run", labelling, whole, "s");
    line(name, "one training, before the run against after it", before, after, "s");
    line(name, "steps", (double)steps, NAN, "steps");
    line(name, "SVMs", metric(metrics, "svms"), NAN, "SVMs");
    line(name, "objective", metric(metrics, "objective"), NAN, "Eq. 4");
    line(name, "bag error per bag", metric(metrics, "bag_error") / (double)p->bags, NAN, "share");
    line(name, "rows right", accuracy(p, s, &ctx), NAN, "share");
    line(name, "peak memory beside data and task, against the data's", peak / 1024, stored / 1048576, "MiB");
    algo->destroy(s);
    wlab_params_destroy(tp);
    wlab_params_destroy(ap);
    wlab_problem_unref(p);
    wlab_dataset_unref(data);
    wlab_pool_destroy(ctx.pool);
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "labels") == 0)
        labels(atoll(argv[2]), atoll(argv[3]));
    else if (argc == 7 && strcmp(argv[1], "run") == 0)
        run(argv + 2);
    else
        fail("psvm_run labels N J | run NAME THREADS DATA TASK_SETTINGS ALGO_SETTINGS");
    return 0;
}

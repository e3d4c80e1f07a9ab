/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * WellSVM with a kernel matrix in memory: our warm-started solver of its SVMs against LIBSVM as back end, over whole
 * runs of search=paper (`make bench-wellsvm-kernel`; some minutes).  Which labeling violates most may hang on the last
 * digits, and then two runs are of different problems; so the run with LIBSVM is given the labelings that ours found,
 * and both solve the same masters: objectives and certified gaps are told beside the times.
 * BENCH_ROWS=1500: so many rows (4000).  BENCH_LABELINGS=20: so many labelings (10).
 */
#include "algo/algos.h"
#include "algo/wellsvm/wellsvm.h"
#include "base/clock.h"
#include "made.h"
#include "seconds.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void fail(const wlab_err *err)
{
    fprintf(stderr, "wellsvm_kernel: %s\n", err->message);
    exit(1);
}

typedef struct outcome {
    double seconds, processor, objective, gap; /* relative: inner and master gap */
    int64_t svms, labelings;
} outcome;

/* `most` labelings; where `guide` is not NULL these are its own. */
static wellsvm *run(wlab_problem *p, const char *settings, int64_t most, const wellsvm *guide, outcome *o,
                    wlab_ctx *ctx)
{
    wlab_err err;
    void *state = NULL;
    wlab_params *params = made_params(wlab_algo_wellsvm.params, settings, &err);
    if (!params || wlab_algo_wellsvm.create(&state, p, params, ctx, &err))
        fail(&err);
    wellsvm *s = state;
    wlab_verdict verdict = WL_MORE;
    *o = (outcome){0};
    double start = wlab_seconds_now(), processor = bench_seconds(CLOCK_PROCESS_CPUTIME_ID);
    while (s->T < most && (guide ? s->T < guide->T : verdict == WL_MORE)) {
        bool outer = false;
        if (guide) {
            memcpy(s->pending, well_labeling(guide, s->T), (size_t)s->n);
            s->finished = false;
        }
        while (!outer)
            if (wlab_algo_wellsvm.advance(state, ctx, &outer, &verdict, &err))
                fail(&err);
        o->svms += s->svms;
    }
    o->seconds = wlab_seconds_now() - start;
    o->processor = bench_seconds(CLOCK_PROCESS_CPUTIME_ID) - processor;
    o->objective = s->objective;
    o->gap = (s->inner_gap + s->master_gap) / fabs(s->objective);
    o->labelings = s->T;
    wlab_params_destroy(params);
    return s;
}

static void compare(const char *kind, const char *how, const char *settings, int64_t most, wlab_ctx *ctx)
{
    wlab_err err;
    wlab_problem *p = NULL;
    outcome ours, theirs;
    char with[256];
    wlab_dataset *data = made_data(kind, how, &err);
    wlab_params *task = made_params(wlab_task_find("ssl")->params, "labeled=50 seed=1", &err);
    if (!data || !task || wlab_problem_create(&p, data, NULL, 0, NULL, 0, wlab_task_find("ssl"), task, &err))
        fail(&err);
    wellsvm *own = run(p, settings, most, NULL, &ours, ctx);
    snprintf(with, sizeof with, "%s backend=libsvm", settings);
    wlab_algo_wellsvm.destroy(run(p, with, most, own, &theirs, ctx));
    printf("%s, %lld rows, %s, %lld labelings, against backend=libsvm\t%.3g\t%.3g\ts\n", kind,
           (long long)p->n, settings, (long long)ours.labelings, ours.seconds, theirs.seconds);
    printf("  processor time\t%.3g\t%.3g\ts\n", ours.processor, theirs.processor);
    printf("  SVMs in the masters\t%lld\t%lld\tSVMs\n", (long long)ours.svms, (long long)theirs.svms);
    printf("  objective %.10g, against\t%.10g\t%.10g\tG\n", ours.objective, ours.objective, theirs.objective);
    printf("  certified gap, relative\t%.2g\t%.2g\tgap\n", ours.gap, theirs.gap);
    fflush(stdout);
    wlab_algo_wellsvm.destroy(own);
    wlab_problem_unref(p);
    wlab_dataset_unref(data);
    wlab_params_destroy(task);
}

int main(void)
{
    const char *rows = getenv("BENCH_ROWS"), *labelings = getenv("BENCH_LABELINGS");
    int64_t most = labelings ? atoll(labelings) : 10;
    wlab_err err;
    wlab_ctx ctx = {0};
    char how[64];
    if (wlab_pool_create(&ctx.pool, (int)sysconf(_SC_NPROCESSORS_ONLN), &err))
        fail(&err);
    snprintf(how, sizeof how, "n=%s seed=1", rows ? rows : "4000");
    compare("two-moons", how, "kernel=rbf sigma=0.5x search=paper", most, &ctx);
    compare("g50c", how, "kernel=rbf sigma=2x C2=1 search=paper", most, &ctx);
    compare("g50c", how, "kernel=rbf sigma=2x loss=squared-hinge C2=0.1 search=paper", most, &ctx);
    wlab_pool_destroy(ctx.pool);
    return 0;
}

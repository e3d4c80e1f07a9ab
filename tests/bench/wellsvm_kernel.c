/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * WellSVM with a kernel matrix in memory: the times of whole runs with search=paper, in which the solver of the SVMs
 * starts from its last solution, and the certified gaps at their ends (`make bench-wellsvm-kernel`; one minute).
 * BENCH_ROWS=1500: number of rows (default 4000).  BENCH_LABELINGS=20: number of labelings (default 10).
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

static void measure(const char *kind, const char *how, const char *settings, int64_t most, wlab_ctx *ctx)
{
    wlab_err err;
    wlab_problem *p = NULL;
    void *state = NULL;
    int64_t svms = 0;
    wlab_dataset *data = made_data(kind, how, &err);
    wlab_params *task = made_params(wlab_task_find("ssl")->params, "labeled=50 seed=1", &err),
                *params = made_params(wlab_algo_wellsvm.params, settings, &err);
    if (!data || !task || !params ||
        wlab_problem_create(&p, data, NULL, 0, NULL, 0, wlab_task_find("ssl"), task, NULL, &err) ||
        wlab_algo_wellsvm.create(&state, p, params, ctx, &err))
        fail(&err);
    const wellsvm *s = state;
    const double start = wlab_seconds_now(), processor = bench_seconds(CLOCK_PROCESS_CPUTIME_ID);
    for (wlab_step step = {0}; s->T < most && step.verdict == WL_MORE; svms += s->svms)
        for (step.complete = false; !step.complete;)
            if (wlab_algo_wellsvm.advance(state, ctx, &step, &err))
                fail(&err);
    printf("%s, %lld rows, %s, %lld labelings\t%.3g\t-\ts\n", kind, (long long)p->n, settings,
           (long long)s->T, wlab_seconds_now() - start);
    printf("  processor time\t%.3g\t-\ts\n", bench_seconds(CLOCK_PROCESS_CPUTIME_ID) - processor);
    printf("  SVMs in the masters\t%lld\t-\tSVMs\n", (long long)svms);
    printf("  objective\t%.10g\t-\tG\n", s->objective);
    printf("  certified gap, relative\t%.2g\t-\tgap\n", (s->inner_gap + s->master_gap) / fabs(s->objective));
    fflush(stdout);
    wlab_algo_wellsvm.destroy(state);
    wlab_problem_unref(p);
    wlab_dataset_unref(data);
    wlab_params_destroy(task);
    wlab_params_destroy(params);
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
    measure("two-moons", how, "kernel=rbf sigma=0.5x search=paper", most, &ctx);
    measure("g50c", how, "kernel=rbf sigma=2x C2=1 search=paper", most, &ctx);
    measure("g50c", how, "kernel=rbf sigma=2x loss=squared-hinge C2=0.1 search=paper", most, &ctx);
    wlab_pool_destroy(ctx.pool);
    return 0;
}

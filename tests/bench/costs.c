/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a step costs beside what wlab_algo_cost says (`make bench-costs`): every algorithm on a task of its own, by the linear
 * kernel and by rbf, at three sizes.  Each case runs in a child process, one thread: processor seconds of a step (the mean
 * of steps 2 to 10, or the only one) and of the start (create, and what the first step takes longer), and by how much the
 * peak of the process grew.  A size is left out if a smaller one says that it would take too long.  Prints a table in Markdown.
 *
 *   costs [NAME...]    COSTS_SECONDS=2: of a case, about
 */
#include "algo/algos.h"
#include "algo/lowrank.h"
#include "bench/cases.h"
#include "bench/training.h"
#include "model/kernel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double SHORT = 2e-3; /* seconds, below which a clock says little */

enum {
    STEPS = 10,
    HOPELESS = 6 /* a case ends after so many times its seconds */
};

typedef struct seen {
    double once, step, bytes;
    int steps;
} seen;

static wlab_code measure_here(seen *out, const wlab_algo *algo, wlab_problem *p, const wlab_params *params,
                              double seconds, wlab_err *err)
{
    void *state = NULL;
    double begin = processor(), before = memory("VmRSS:"), each[STEPS];
    wlab_step step = {0};
    wlab_ctx ctx = {.lean = false};
    wlab_code code;

    forget_peak();
    code = wlab_algo_for(&algo, algo, p, params, err);
    code = code ? code : algo->create(&state, p, params, &ctx, err);
    if (code)
        return code;
    out->once = processor() - begin;
    for (out->steps = 0; out->steps < STEPS && (out->steps < 2 || processor() - begin < seconds);) {
        const double at = processor();
        do {
            step = (wlab_step){0};
            if ((code = algo->advance(state, &ctx, &step, err)))
                return code;
        } while (!step.complete);
        each[out->steps++] = processor() - at;
        if (step.verdict != WL_MORE)
            break;
    }
    for (int k = 1; k < out->steps; k++)
        out->step += each[k] / (out->steps - 1);
    if (out->steps > 1)
        out->once += fmax(each[0] - out->step, 0);
    else
        out->step = each[0];
    out->bytes = 1024 * fmax(memory("VmHWM:") - before, 0);
    return WL_OK;
}

typedef struct trial {
    seen *out;
    const wlab_algo *algo;
    wlab_problem *p;
    const wlab_params *params;
    double seconds;
} trial;

static void run(void *data)
{
    const trial *t = data;
    wlab_err err;
    if (!freopen("/dev/null", "w", stderr) ||
        measure_here(t->out, t->algo, t->p, t->params, t->seconds, &err))
        *t->out = (seen){0};
}

/* False if the case failed, was ended, or is not possible. */
static bool measure(seen *out, const wlab_algo *algo, wlab_problem *p, const wlab_params *params,
                    double seconds)
{
    trial t = {out, algo, p, params, seconds};
    *out = (seen){0};
    return in_child(run, &t, out, sizeof *out, (rlim_t)(HOPELESS * seconds), 6ull << 30) && out->steps > 0;
}

/* How many ratios of a kind are within a factor of three. */
static struct {
    int near, of;
} first_steps, further_steps, memories;

static double ratio(double guess, double measured, double least, int *near, int *of)
{
    if (measured < least && guess < 3 * least) /* too short for the clock, and said to be */
        return NAN;
    const double r = guess / fmax(measured, least);
    ++*of;
    *near += r <= 3 && r >= 1.0 / 3;
    return r;
}

static void row(const wlab_algo *algo, const wlab_problem *p, const char *kernel, const seen *s,
                const wlab_cost *guess)
{
    const double first = s->once + s->step, said = guess->start + guess->step;
    printf("| %s | %s | %s | %lld x %ld | %.3g | %.3g | %.2g | %.3g | %.3g | %.2g | %.0f | %.0f | %.2g |\n",
           algo->name, p->task->name, kernel, (long long)p->n, (long)p->X->cols, first, said,
           ratio(said, first, SHORT, &first_steps.near, &first_steps.of), s->steps > 1 ? s->step : NAN,
           guess->step,
           s->steps > 1 ? ratio(guess->step, s->step, SHORT, &further_steps.near, &further_steps.of) : NAN,
           s->bytes / 1e6, guess->bytes / 1e6,
           ratio(guess->bytes, s->bytes, 5e6, &memories.near, &memories.of));
}

int main(int argc, char **argv)
{
    const double seconds = getenv("COSTS_SECONDS") ? atof(getenv("COSTS_SECONDS")) : 2;
    printf("| algorithm | task | kernel | data | first step: s | estimate | ratio | further: s | estimate | "
           "ratio | MB | "
           "estimate | ratio |\n| :-- | :-- | :-- | :-- |%s\n",
           " --: | --: | --: | --: | --: | --: | --: | --: | --: |");
    static const int64_t sizes[3][3] = {{1000, 4000, 16000}, {250, 1000, 4000}, {40, 150, 500}};

    for (int k = 0; wlab_algos[k]; k++) {
        const wlab_algo *algo = wlab_algos[k];
        bool asked = argc < 2;
        int shown = 0;
        for (int a = 1; a < argc; a++)
            asked = asked || strcmp(argv[a], algo->name) == 0;
        for (int t = 0; t < TASKS && asked; t++) {
            const wlab_task *task = wlab_task_find(tasks[t].task);
            if (!wlab_algo_suits(algo, task, strcmp(tasks[t].task, "ambiguous") ? 2 : 4) ||
                (algo->made_for && !(algo->made_for & task->sees)) || shown++ == 3)
                continue;
            const bool kernels = wlab_param_known(algo->params, "kernel");
            for (int rbf = 0; rbf < 1 + kernels; rbf++)
                for (int size = 0; size < 3; size++) {
                    wlab_err err;
                    seen s;
                    wlab_problem *p =
                        posed(t, sizes[algo->rows_most > 0 && algo->rows_most <= 1000 ? 2 : rbf][size]);
                    wlab_params *params = made_params(algo->params,
                                                      !kernels ? ""
                                                      : rbf    ? "kernel=rbf"
                                                               : "kernel=linear",
                                                      &err);
                    if (!p || !params)
                        fail("a problem");
                    const bool fine = measure(&s, algo, p, params, seconds);
                    wlab_cost guess;
                    if (wlab_algo_cost(&guess, algo, p, params, &err))
                        fail(err.message);
                    if (fine)
                        row(algo, p, kernels ? rbf ? "rbf" : "linear" : "-", &s, &guess);
                    wlab_params_destroy(params);
                    wlab_problem_unref(p);
                    if (!fine || s.once + s.step > seconds / 3)
                        break;
                }
        }
    }
    printf("\nWithin a factor of three: %d of %d first steps, %d of %d further steps, %d of %d memories.\n",
           first_steps.near, first_steps.of, further_steps.near, further_steps.of, memories.near,
           memories.of);
    return 0;
}

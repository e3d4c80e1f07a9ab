/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A toy algorithm for tests of runs: a generator and a counter.  A step has 3 inner units; each adds a random number
 * times `gain` to x.  At its end each step draws all labels anew, at random.  The gap has no value at even steps.  The
 * model's offset is x; there is no model before the first step has ended.
 */
#ifndef WEAKLAB_TESTS_TOY_H
#define WEAKLAB_TESTS_TOY_H

#include "base/walk.h"
#include "weaklab/run.h"
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    TOY_UNITS = 3,
    TOY_ROWS = 7
};

/* The number of units that runs with held=1 may still make.  A test raises it from the session's thread between two
 * units, so that this thread has its turn however busy the machine is. */
static atomic_int toy_turns;

typedef struct toy {
    wlab_rng rng;
    int64_t step, unit, flips, n;
    double x, gain, seconds;
    bool held;
    int64_t limit, fail_at;
    int8_t label[TOY_ROWS];
    wlab_pool *pool;
} toy;

static const wlab_param_info toy_params[] = {
    {.name = "seed", .type = WL_P_INT, .fallback = "1", .meaning = "of the generator"},
    {.name = "gain", .type = WL_P_REAL, .fallback = "1", .meaning = "step length", .flags = WL_P_MUTABLE},
    {.name = "limit",
     .type = WL_P_INT,
     .fallback = "1000",
     .meaning = "steps at most",
     .flags = WL_P_MUTABLE},
    {.name = "fail", .type = WL_P_INT, .fallback = "-1", .meaning = "the step that cannot be made"},
    {.name = "held", .type = WL_P_INT, .fallback = "0", .meaning = "1: a unit waits for its turn"},
    {.name = NULL},
};

static const wlab_metric_info toy_metrics[] = {
    {.name = "objective", .role = WL_R_OBJECTIVE, .flags = WL_M_SHOWN, .meaning = "x"},
    {.name = "gap", .role = WL_R_GAP, .flags = WL_M_SHOWN, .log = true, .meaning = "1 / step at odd steps"},
    {.name = "flips", .role = WL_R_FLIPS, .flags = WL_M_COUNT | WL_M_SHOWN, .meaning = "labels that changed"},
    {.name = "seconds",
     .role = WL_R_SECONDS,
     .unit = "s",
     .flags = WL_M_VOLATILE,
     .meaning = "how often this state was observed"},
    {.name = NULL},
};

static void toy_read(toy *t, const wlab_params *params)
{
    t->gain = wlab_params_real(params, "gain");
    t->limit = wlab_params_int(params, "limit");
    t->fail_at = wlab_params_int(params, "fail");
    t->held = wlab_params_int(params, "held") != 0;
}

static wlab_code toy_create(void **state, wlab_problem *problem, const wlab_params *params, wlab_ctx *ctx,
                            wlab_err *err)
{
    toy *t = wlab_calloc(1, sizeof *t);

    (void)ctx;
    *state = NULL;
    if (!t)
        return wlab_nomem(err);
    toy_read(t, params);
    wlab_rng_seed(&t->rng, (uint64_t)wlab_params_int(params, "seed"));
    t->n = problem->n;
    memset(t->label, 1, sizeof t->label);
    *state = t;
    return WL_OK;
}

static wlab_code toy_advance(void *state, wlab_ctx *ctx, wlab_step *step, wlab_err *err)
{
    toy *t = state;

    void *work = wlab_alloc(64, 1); /* so that stepping can run out of memory */

    if (!work)
        return wlab_nomem(err);
    wlab_free(work);
    if (t->fail_at == t->step + 1 && t->unit == 1)
        return wlab_fail(err, WL_ENUMERIC, "step %lld cannot be made", (long long)t->fail_at);
    while (t->held && atomic_load(&toy_turns) <= 0)
        usleep(100);
    if (t->held)
        atomic_fetch_sub(&toy_turns, 1);
    t->x += t->gain * wlab_rng_uniform(&t->rng);
    t->seconds += 1;
    *step = (wlab_step){.complete = ++t->unit == TOY_UNITS};
    if (!step->complete)
        return WL_OK;
    t->unit = 0;
    t->step++;
    t->flips = 0;
    for (int64_t i = 0; i < t->n; i++) {
        int8_t y = wlab_rng_uniform(&t->rng) < 0.5 ? -1 : 1;

        t->flips += y != t->label[i];
        t->label[i] = y;
    }
    wlab_emit_note(ctx, "step %lld: %lld flips", (long long)t->step, (long long)t->flips);
    step->verdict = t->step >= t->limit ? WL_LIMIT : WL_MORE;
    return WL_OK;
}

static void toy_observe(const void *state, double *metrics, int8_t *labels)
{
    const toy *t = state;

    if (metrics) {
        metrics[0] = t->x;
        metrics[1] = t->step % 2 ? 1.0 / (double)t->step : (double)NAN;
        metrics[2] = (double)t->flips;
        metrics[3] = t->seconds;
    }
    if (labels)
        memcpy(labels, t->label, (size_t)t->n);
}

static wlab_code toy_weights(const void *state, const wlab_probe_ask *ask, wlab_probed *w, wlab_ctx *ctx,
                             wlab_err *err)
{
    const toy *t = state;

    (void)ask;
    (void)ctx;
    if (wlab_probed_make(w, t->step % 4, 1, err))
        return WL_ENOMEM;
    for (int64_t i = 0; i < w->rows; i++)
        w->value[i] = t->x + (double)i;
    return WL_OK;
}

static const wlab_probe toy_probes[] = {{.name = "mu",
                                         .kind = WL_PROBE_WEIGHTS,
                                         .when = WL_PROBE_RECORDED,
                                         .meaning = "mu, the labelings' weights",
                                         .get = toy_weights},
                                        {.name = NULL}};

static wlab_code toy_model(const void *state, wlab_model **model, wlab_ctx *ctx, wlab_err *err)
{
    const toy *t = state;

    (void)ctx;
    *model = NULL;
    if (t->step == 0)
        return wlab_fail(err, WL_ESTATE, "there is no model yet");
    *model = wlab_calloc(1, sizeof **model);
    if (!*model || !((*model)->b = wlab_calloc(1, sizeof *(*model)->b))) {
        *model = wlab_free(*model);
        return wlab_nomem(err);
    }
    (*model)->outputs = 1;
    (*model)->b[0] = t->x;
    return WL_OK;
}

static void toy_explain(const void *state, char *buf, size_t size)
{
    snprintf(buf, size, "step %lld drew random numbers", (long long)((const toy *)state)->step);
}

static void toy_next(const void *state, char *buf, size_t size)
{
    (void)state;
    snprintf(buf, size, "draw %d numbers", TOY_UNITS);
}

/* The state without the settings and without `seconds`, which is volatile: it increases even if the run goes back. */
static void toy_walk(void *state, wlab_walk *w)
{
    toy *t = state;

    WL_WALK(w, t->rng);
    WL_WALK(w, t->step);
    WL_WALK(w, t->unit);
    WL_WALK(w, t->flips);
    WL_WALK(w, t->x);
    WL_WALK(w, t->label);
}

static wlab_code toy_set(void *state, const wlab_params *params, wlab_err *err)
{
    (void)err;
    toy_read(state, params);
    return WL_OK;
}

static void toy_destroy(void *state)
{
    wlab_free(state);
}

static const wlab_algo toy_algo = {
    .name = "toy",
    .summary = "random numbers",
    .problem = "none",
    .symbols = "x: nothing",
    .source = "this file",
    .learns_from = WL_SEES_ANYTHING,
    .step_unit = "three random numbers",
    .inner_unit = "a random number",
    .params = toy_params,
    .metrics = toy_metrics,
    .probes = toy_probes,
    .create = toy_create,
    .advance = toy_advance,
    .observe = toy_observe,
    .model = toy_model,
    .explain = toy_explain,
    .next = toy_next,
    .walk = toy_walk,
    .set = toy_set,
    .destroy = toy_destroy,
};

#endif

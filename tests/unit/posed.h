/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * For tests of algorithms: creates problems from generators and runs algorithms on them step by step.
 */
#ifndef TESTS_POSED_H
#define TESTS_POSED_H

#include "support.h"

#include "algo/algos.h"
#include "made.h"

enum {
    MOST_METRICS = 32
};

static inline wlab_problem *pose(const char *kind, const char *how, const char *task, const char *options)
{
    wlab_err err;
    wlab_problem *p = NULL;
    wlab_dataset *data = made_data(kind, how, &err);
    const wlab_task *t = wlab_task_find(task);
    wlab_params *params = made_params(t->params, options, &err);
    assert_true(data && params);
    ASSERT_OK(wlab_problem_create(&p, data, NULL, 0, NULL, 0, t, params, NULL, &err), err);
    wlab_params_destroy(params);
    wlab_dataset_unref(data);
    return p;
}

static inline void *create_state(const wlab_algo *algo, wlab_problem *p, const char *options)
{
    wlab_err err;
    void *state = NULL;
    wlab_params *params = made_params(algo->params, options, &err);
    if (!params)
        fail_msg("%s: %s", options, err.message);
    ASSERT_OK(algo->create(&state, p, params, NULL, &err), err);
    wlab_params_destroy(params);
    return state;
}

static inline double metric(const wlab_algo *algo, const void *state, const char *name)
{
    double values[MOST_METRICS];
    const int k = wlab_metric_index(algo, name);
    assert_true(k >= 0 && wlab_metric_count(algo) <= MOST_METRICS);
    algo->observe(state, values, NULL);
    return values[k];
}

/* Makes a step; returns its report (stepped) or only its verdict (step). */
static inline wlab_step stepped(const wlab_algo *algo, void *state, wlab_ctx *ctx)
{
    wlab_err err;
    wlab_step made = {0};
    for (int k = 0; !made.complete; k++) {
        assert_true(k < 100000);
        ASSERT_OK(algo->advance(state, ctx, &made, &err), err);
    }
    return made;
}

static inline wlab_verdict step(const wlab_algo *algo, void *state, wlab_ctx *ctx)
{
    return stepped(algo, state, ctx).verdict;
}

static inline wlab_model *model_of(const wlab_algo *algo, const void *state)
{
    wlab_err err;
    wlab_model *m = NULL;
    ASSERT_OK(algo->model(state, &m, NULL, &err), err);
    return m;
}

/* f [n x outputs]: the model's outputs on the rows of the problem. */
static inline double *outputs(const wlab_algo *algo, const void *state, const wlab_problem *p)
{
    wlab_err err;
    wlab_model *m = model_of(algo, state);
    double *f = malloc((size_t)(p->n * m->outputs) * sizeof *f);
    assert_non_null(f);
    ASSERT_OK(wlab_model_predict(m, p->X, f, NULL, &err), err);
    wlab_model_destroy(m);
    return f;
}

/* Asserts that metrics (except the volatile ones, such as seconds) and labels agree bit for bit. */
static inline void same_state(const wlab_algo *algo, const void *a, const void *b, int64_t n)
{
    double x[MOST_METRICS], y[MOST_METRICS];
    int8_t *u = malloc((size_t)n), *v = malloc((size_t)n);
    assert_true(u && v);
    algo->observe(a, x, u);
    algo->observe(b, y, v);
    for (int k = 0; algo->metrics[k].name; k++)
        if (!(algo->metrics[k].flags & WL_M_VOLATILE))
            assert_memory_equal(&x[k], &y[k], sizeof *x);
    assert_memory_equal(u, v, (size_t)n);
    free(u);
    free(v);
}

/* Checks a run of at most `units` units.  Each unit is made twice: with one thread, and with three threads after each
 * of its allocations has failed once.  Both give the same state.  A snapshot after the unit restores the same state, and so
 * does the next unit from there; a damaged snapshot is refused.  From unit `stoppable` on (the first unit is 0), an interrupt before the unit leaves the
 * state unchanged.  A failed allocation in `create` is reported. */
static inline void units_hold(const wlab_algo *algo, wlab_problem *p, const char *setting, int units,
                              int stoppable)
{
    wlab_err err;
    wlab_pool *pool;
    atomic_int stop = 1;
    wlab_ctx stopped = {.interrupt = &stop};
    ASSERT_OK(wlab_pool_create(&pool, 3, &err), err);
    wlab_ctx ctx = {.pool = pool};
    void *a = create_state(algo, p, setting), *b = create_state(algo, p, setting),
         *c = create_state(algo, p, setting);
    wlab_step step = {0};
    for (int t = 0; t < units && !(step.complete && step.verdict != WL_MORE); t++) {
        wlab_buf buf = {0};
        if (t >= stoppable)
            ASSERT_FAILS(algo->advance(b, &stopped, &step, &err), WL_EINTERRUPTED, err, "");
        same_state(algo, a, b, p->n);
        ASSERT_OK(algo->advance(a, NULL, &step, &err), err);
        if (t > 0) {
            ASSERT_OK(algo->advance(c, NULL, &step, &err), err);
            same_state(algo, a, c, p->n);
        }
        ALLOC_SWEEP(algo->advance(b, &ctx, &step, &err));
        same_state(algo, a, b, p->n);
        ALLOC_SWEEP_CHECK(wlab_algo_snapshot(algo, a, &buf, &err), wlab_buf_clear(&buf));
        buf.pos = 0;
        buf.len -= 3;
        ASSERT_FAILS(wlab_algo_restore(algo, c, &buf, NULL, &err), WL_EINPUT, err, "damaged");
        buf.pos = 0;
        buf.len += 3;
        ASSERT_OK(wlab_algo_restore(algo, c, &buf, NULL, &err), err);
        same_state(algo, a, c, p->n);
        wlab_buf_clear(&buf);
    }
    algo->destroy(a);
    algo->destroy(b);
    algo->destroy(c);
    void *s = NULL;
    wlab_params *params = made_params(algo->params, setting, &err);
    ALLOC_SWEEP_OUT(algo->create(&s, p, params, NULL, &err), s);
    wlab_params_destroy(params);
    algo->destroy(s);
    wlab_pool_destroy(pool);
}

#endif

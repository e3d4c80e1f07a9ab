/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * For tests of algorithms: problems from generators, and runs on them step by step.
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
    ASSERT_OK(wlab_problem_create(&p, data, NULL, 0, NULL, 0, t, params, &err), err);
    wlab_params_destroy(params);
    wlab_dataset_unref(data);
    return p;
}

static inline void *begin(const wlab_algo *algo, wlab_problem *p, const char *options)
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

/* A step; the verdict. */
static inline wlab_verdict step(const wlab_algo *algo, void *state, wlab_ctx *ctx)
{
    wlab_err err;
    wlab_verdict verdict = WL_MORE;
    bool outer = false;
    for (int k = 0; !outer; k++) {
        assert_true(k < 100000);
        ASSERT_OK(algo->advance(state, ctx, &outer, &verdict, &err), err);
    }
    return verdict;
}

static inline wlab_model *model_of(const wlab_algo *algo, const void *state)
{
    wlab_err err;
    wlab_model *m = NULL;
    ASSERT_OK(algo->model(state, &m, NULL, &err), err);
    return m;
}

/* f [n x outputs] of the problem's rows, by the model. */
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

#endif

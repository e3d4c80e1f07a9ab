/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * WellSVM's SVM for the linear kernel at size, against the box QP on the Gram matrix of the same problem.
 */
#include "support.h"

#include "algo/algos.h"
#include "algo/wellsvm/wellsvm.h"
#include "made.h"

enum {
    T = 4
};

static wlab_problem *pose(wlab_dataset *data)
{
    wlab_err err;
    wlab_problem *p = NULL;
    const wlab_task *t = wlab_task_find("ssl");
    wlab_params *params = made_params(t->params, "labeled=20 seed=1", &err);
    assert_non_null(params);
    ASSERT_OK(wlab_problem_create(&p, data, NULL, 0, NULL, 0, t, params, NULL, &err), err);
    wlab_params_destroy(params);
    return p;
}

/* Sets the fields of a state that well_solve needs; `gram`: also K, so that the box QP solves it. */
static void state_make(wellsvm *s, wlab_problem *p, bool squared, double bias, double lambda, bool gram)
{
    wlab_err err;
    size_t n = (size_t)p->n;
    *s = (wellsvm){.p = p, .n = p->n, .m = p->n, .lambda = lambda, .C1 = 1, .C2 = 0.1};
    s->kernel.bias = bias;
    s->loss = squared ? WELL_SQUARED_HINGE : WELL_HINGE;
    s->kb = calloc(n, sizeof(double));
    s->beta = calloc(n, sizeof(double));
    s->upper = calloc(n, sizeof(double));
    s->delta = squared ? calloc(n, sizeof(double)) : NULL;
    s->sqnorm = calloc(n, sizeof *s->sqnorm);
    assert_true(s->kb && s->beta && s->upper && s->sqnorm && (s->delta || !squared));
    for (int64_t i = 0; i < s->n; i++) {
        double C = p->cost[i] ? s->C2 : s->C1;
        s->upper[i] = i % 17 == 5 ? 0 : squared ? HUGE_VAL : C; /* some rows are left out */
        if (squared)
            s->delta[i] = 1 / C;
        s->sqnorm[i] = (float)((wlab_matrix_row_sqnorm(p->X, i) + bias * bias) / lambda);
    }
    if (!gram)
        ASSERT_OK(wlab_passes_create(&s->passes, p->X, &err), err);
    if (gram) {
        s->K = calloc(n * n, sizeof(double));
        s->Q = calloc(n * n, sizeof(double));
        assert_true(s->K && s->Q);
        ASSERT_OK(wlab_kernel_matrix(&s->kernel, p->X, p->X, NULL, s->K, NULL, &err), err);
        for (size_t k = 0; k < n * n; k++)
            s->K[k] /= lambda;
    }
}

static void state_free(wellsvm *s)
{
    free(s->kb);
    free(s->beta);
    free(s->upper);
    free(s->delta);
    free(s->sqnorm);
    wlab_passes_destroy(s->passes);
    free(s->K);
    free(s->Q);
}

static void point_make(well_point *at, int64_t n)
{
    *at = (well_point){.alpha = calloc((size_t)n, sizeof(double)), .q = calloc(T, sizeof(double))};
    assert_true(at->alpha && at->q);
}

static void point_free(well_point *at)
{
    free(at->alpha);
    free(at->q);
}

static int8_t *labelings(const wlab_problem *p, uint64_t seed)
{
    wlab_rng rng;
    int8_t *y = calloc((size_t)p->n * T, 1);
    assert_non_null(y);
    wlab_rng_seed(&rng, seed);
    for (int t = 0; t < T; t++)
        for (int64_t i = 0; i < p->n; i++)
            y[t * p->n + i] = (int8_t)(p->visible[i]                      ? p->visible[i]
                                       : wlab_rng_uniform(&rng) < 0.1 * t ? -p->truth[i]
                                                                          : p->truth[i]);
    return y;
}

/* Checks primal and dual values computed from alpha alone. */
static void certify(const wellsvm *s, const int8_t *y, const double *mu, const well_point *at)
{
    double norm = 0, loss = 0, S = 0, D = 0;
    double *w = calloc((size_t)s->p->X->cols * T, sizeof *w), wb[T] = {0};
    assert_non_null(w);
    for (int t = 0; t < T; t++) {
        double *wt = w + t * s->p->X->cols;
        for (int64_t i = 0; i < s->n; i++) {
            wlab_matrix_row_axpy(s->p->X, i, at->alpha[i] * y[t * s->n + i], wt);
            wb[t] += s->kernel.bias * at->alpha[i] * y[t * s->n + i];
        }
        double q = wb[t] * wb[t];
        for (int32_t j = 0; j < s->p->X->cols; j++)
            q += wt[j] * wt[j];
        ASSERT_NEAR(at->q[t], q / s->lambda, 1e-10);
        norm += mu[t] * q / s->lambda;
    }
    for (int64_t i = 0; i < s->n; i++) {
        double o = 0;
        assert_true(at->alpha[i] >= 0 && at->alpha[i] <= s->upper[i]);
        for (int t = 0; t < T; t++)
            o += mu[t] * y[t * s->n + i] / s->lambda *
                 (wlab_matrix_row_dot(s->p->X, i, w + t * s->p->X->cols) + s->kernel.bias * wb[t]);
        double slack = fmax(0, 1 - o);
        if (s->upper[i] > 0)
            loss += s->delta ? 0.5 * slack * slack / s->delta[i] : s->upper[i] * slack;
        S += at->alpha[i];
        D += s->delta ? s->delta[i] * at->alpha[i] * at->alpha[i] : 0;
    }
    ASSERT_NEAR(at->primal, norm / 2 + loss, 1e-10);
    ASSERT_NEAR(at->dual, S - norm / 2 - D / 2, 1e-10);
    free(w);
}

static const double weights[][T] = {
    {1, 0, 0, 0},
    {0, 0, 1, 0},
    {0.4, 0.3, 0.2, 0.1},
    {0.5, 0, 0.5, 0},
};

static void check_data(wlab_dataset *data)
{
    wlab_err err;
    wlab_problem *p = pose(data);
    int8_t *y = labelings(p, 7);
    for (int how = 0; how < 8; how++)
        for (int k = 0; k < 4; k++) {
            wellsvm own, gram;
            well_point a, b, c;
            const double bias = how & 2 ? 1.5 : 0, lambda = how & 4 ? 0.2 : 1;
            state_make(&own, p, how & 1, bias, lambda, false);
            state_make(&gram, p, how & 1, bias, lambda, true);
            point_make(&a, p->n);
            point_make(&b, p->n);
            point_make(&c, p->n);
            ASSERT_OK(well_solve(&own, y, T, weights[k], 1e-9, &a, NULL, &err), err);
            ASSERT_OK(well_solve(&gram, y, T, weights[k], 1e-12, &b, NULL, &err), err);
            certify(&own, y, weights[k], &a);
            certify(&gram, y, weights[k], &b);
            ASSERT_NEAR(a.dual / b.dual, 1, 1e-8);
            ASSERT_NEAR(a.primal / b.primal, 1, 1e-8);
            /* repeated with the same bits; started from the solution; started from another point */
            own.svms = 0;
            ASSERT_OK(well_solve(&own, y, T, weights[k], 1e-9, &c, NULL, &err), err);
            assert_memory_equal(a.alpha, c.alpha, (size_t)p->n * sizeof(double));
            assert_true(a.dual >= c.dual && a.dual <= c.dual);
            ASSERT_OK(well_solve(&own, y, T, weights[k], 1e-9, &c, NULL, &err), err);
            ASSERT_NEAR(c.dual / b.dual, 1, 1e-8);
            for (int64_t i = 0; i < p->n; i++)
                c.alpha[i] = i % 3 ? -1 : i % 2 ? (double)NAN : 5;
            ASSERT_OK(well_solve(&own, y, T, weights[k], 1e-9, &c, NULL, &err), err);
            certify(&own, y, weights[k], &c);
            ASSERT_NEAR(c.dual / b.dual, 1, 1e-8);
            ASSERT_NEAR(c.primal / b.primal, 1, 1e-8);
            point_free(&a);
            point_free(&b);
            point_free(&c);
            state_free(&own);
            state_free(&gram);
        }
    free(y);
    wlab_problem_unref(p);
}

static void test_sparse(void **state)
{
    (void)state;
    wlab_err err;
    wlab_dataset *data = made_data("topics", "n=200 d=300 seed=1", &err);
    if (!data)
        fail_msg("%s", err.message);
    assert_true(data->X->sparse);
    check_data(data);
    wlab_dataset_unref(data);
}

static void test_dense(void **state)
{
    (void)state;
    wlab_err err;
    wlab_dataset *data = made_data("g50c", "n=120 seed=1", &err);
    if (!data)
        fail_msg("%s", err.message);
    assert_false(data->X->sparse);
    check_data(data);
    wlab_dataset_unref(data);
}

static void test_memory(void **state)
{
    (void)state;
    wlab_err err;
    wlab_dataset *data = made_data("g50c", "n=60 seed=1", &err);
    wlab_problem *p = pose(data);
    int8_t *y = labelings(p, 7);
    wellsvm s;
    well_point at;
    state_make(&s, p, false, 1, 1, false);
    point_make(&at, p->n);
    ALLOC_SWEEP(well_solve(&s, y, T, weights[2], 1e-6, &at, NULL, &err));
    certify(&s, y, weights[2], &at);
    point_free(&at);
    state_free(&s);
    free(y);
    wlab_problem_unref(p);
    wlab_dataset_unref(data);
}

static void test_interrupt_and_nan(void **state)
{
    (void)state;
    wlab_err err;
    wlab_dataset *data = made_data("g50c", "n=60 seed=1", &err);
    wlab_problem *p = pose(data);
    int8_t *y = labelings(p, 7);
    atomic_int stop = 1;
    wlab_ctx ctx = {.interrupt = &stop};
    wellsvm s;
    well_point at;
    state_make(&s, p, false, 0, 1, false);
    point_make(&at, p->n);
    ASSERT_FAILS(well_solve(&s, y, T, weights[2], 1e-12, &at, &ctx, &err), WL_EINTERRUPTED, err, "");
    data->X->dense[7] = NAN;
    s.sqnorm[0] = NAN;
    ASSERT_FAILS(well_solve(&s, y, T, weights[2], 1e-12, &at, NULL, &err), WL_ENUMERIC, err, "lambda_u");
    point_free(&at);
    state_free(&s);
    free(y);
    wlab_problem_unref(p);
    wlab_dataset_unref(data);
}

/* The algorithm uses this solver above 4000 rows: bounds are valid, and any number of threads gives the same bits. */
static void test_at_size(void **state)
{
    (void)state;
    wlab_err err;
    wlab_dataset *data = made_data("topics", "n=4100 d=300 meanlen=10 seed=1", &err);
    if (!data)
        fail_msg("%s", err.message);
    wlab_problem *p = pose(data);
    double found[3][4];
    for (int threads = 1; threads <= 4; threads *= 2) {
        void *s;
        wlab_params *params = made_params(wlab_algo_wellsvm.params, "C1=1 C2=0.1", &err);
        wlab_ctx ctx = {0};
        double metrics[64], upper = HUGE_VAL;
        ASSERT_OK(wlab_pool_create(&ctx.pool, threads, &err), err);
        ASSERT_OK(wlab_algo_wellsvm.create(&s, p, params, &ctx, &err), err);
        assert_true(wlab_metric_count(&wlab_algo_wellsvm) <= 64);
        for (int steps = 0; steps < 3;) {
            wlab_step step = {0};
            ASSERT_OK(wlab_algo_wellsvm.advance(s, &ctx, &step, &err), err);
            if (!step.complete)
                continue;
            wlab_algo_wellsvm.observe(s, metrics, NULL);
            double up = metrics[wlab_metric_index(&wlab_algo_wellsvm, "upper")];
            double low = metrics[wlab_metric_index(&wlab_algo_wellsvm, "lower")];
            double objective = metrics[wlab_metric_index(&wlab_algo_wellsvm, "objective")];
            assert_true(up <= upper && (isnan(low) || low <= up) && objective > 0);
            upper = up;
            found[threads / 2][steps++] = objective;
            if (step.verdict != WL_MORE)
                break;
        }
        assert_memory_equal(found[0], found[threads / 2], 3 * sizeof(double));
        wlab_algo_wellsvm.destroy(s);
        wlab_params_destroy(params);
        wlab_pool_destroy(ctx.pool);
    }
    wlab_problem_unref(p);
    wlab_dataset_unref(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sparse),  cmocka_unit_test(test_dense),
        cmocka_unit_test(test_memory),  cmocka_unit_test(test_interrupt_and_nan),
        cmocka_unit_test(test_at_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * WellSVM with the linear kernel at size: its master problem against the solution with the kernel matrix on the same
 * labelings, one labeling against LIBLINEAR, and the whole algorithm: certificates, threads, time travel, failures,
 * interrupts.
 */
#include "support.h"

#include "algo/algos.h"
#include "algo/wellsvm/wellsvm.h"
#include "made.h"
#include "solve/svm/backend.h"

static wlab_problem *pose(const char *kind, const char *settings, const char *task_settings)
{
    wlab_err err;
    wlab_problem *p = NULL;
    wlab_dataset *data = made_data(kind, settings, &err);
    if (!data)
        fail_msg("%s", err.message);
    const wlab_task *t = wlab_task_find("ssl");
    wlab_params *params = made_params(t->params, task_settings, &err);
    assert_non_null(params);
    ASSERT_OK(wlab_problem_create(&p, data, NULL, 0, NULL, 0, t, params, NULL, &err), err);
    wlab_params_destroy(params);
    wlab_dataset_unref(data);
    return p;
}

static wellsvm *create_state(wlab_problem *p, const char *settings, wlab_ctx *ctx)
{
    wlab_err err;
    void *s = NULL;
    wlab_params *params = made_params(wlab_algo_wellsvm.params, settings, &err);
    assert_non_null(params);
    ASSERT_OK(wlab_algo_wellsvm.create(&s, p, params, ctx, &err), err);
    wlab_params_destroy(params);
    return s;
}

static wlab_verdict step(wellsvm *s, wlab_ctx *ctx)
{
    wlab_err err;
    wlab_step step = {0};
    for (step.complete = false; !step.complete;)
        ASSERT_OK(wlab_algo_wellsvm.advance(s, ctx, &step, &err), err);
    return step.verdict;
}

/* A state for the solver at size, without K, with the problem and the working set of *from, which has K; all else is
 * empty. */
static wellsvm create_at_size(const wellsvm *from)
{
    wlab_err err;
    wellsvm s = {.p = from->p,
                 .n = from->n,
                 .m = from->m,
                 .kernel = from->kernel,
                 .loss = from->loss,
                 .C1 = from->C1,
                 .C2 = from->C2,
                 .lambda = from->lambda,
                 .at_size = true};
    s.kb = wlab_calloc((size_t)s.n, sizeof *s.kb);
    s.sqnorm = wlab_calloc((size_t)s.n, sizeof *s.sqnorm);
    s.at.alpha = wlab_calloc((size_t)s.n, sizeof *s.at.alpha);
    s.delta = from->delta ? wlab_calloc((size_t)s.n, sizeof *s.delta) : NULL;
    assert_true(s.kb && s.sqnorm && s.at.alpha);
    for (int64_t i = 0; i < s.n; i++) {
        s.sqnorm[i] = (float)from->K[i * s.n + i];
        if (s.delta)
            s.delta[i] = from->delta[i];
    }
    ASSERT_OK(wlab_passes_create(&s.passes, s.p->X, &err), err);
    ASSERT_OK(well_reserve(&s, from->T, &err), err);
    for (int64_t t = 0; t < from->T; t++) {
        well_put(&s, t, well_labeling(from, t));
        s.mu[t] = 1 / (double)from->T;
    }
    s.T = from->T;
    return s;
}

static void free_at_size(wellsvm *s)
{
    s->p = NULL;
    wlab_free(s->kb);
    wlab_free(s->sqnorm);
    wlab_passes_destroy(s->passes);
    wlab_free(s->at.alpha);
    wlab_free(s->at.q);
    wlab_free(s->delta);
    wlab_free(s->sign);
    wlab_free(s->mu);
    wlab_free(s->G);
    wlab_free(s->own);
}

/* Checks the optimum of the master and its certificates at every working set of a run.  Starts from equal mu and
 * alpha = 0 or, with `corner`, from the first labeling alone and every alpha at its bound.  Returns the number of
 * labelings. */
static int64_t check_master(const char *kind, const char *data, const char *settings, bool corner)
{
    wlab_err err;
    wlab_ctx ctx = {0};
    wlab_problem *p = pose(kind, data, "labeled=20 seed=1");
    wellsvm *s = create_state(p, settings, &ctx);
    assert_non_null(s->K);
    bool more = true;
    for (int k = 0; k < 12 && more; k++) {
        more = step(s, &ctx) == WL_MORE;
        bool done = false;
        double mix = 0, most = -HUGE_VAL, sum = 0;
        wellsvm large = create_at_size(s);
        for (int64_t t = 0; t < s->T && corner; t++)
            large.mu[t] = t == 0;
        for (int64_t i = 0; i < s->n && corner; i++)
            large.at.alpha[i] = well_cap(&large, i);
        ASSERT_OK(well_linear_master(&large, 1e-6, &done, &ctx, &err), err);
        assert_true(done);
        for (int64_t t = 0; t < s->T; t++) {
            assert_true(large.mu[t] >= 0);
            sum += large.mu[t];
            mix += large.mu[t] * large.at.q[t];
            most = large.at.q[t] > most ? large.at.q[t] : most;
        }
        ASSERT_NEAR(sum, 1, 1e-12);
        /* the dual and primal values with the kernel matrix are within both certificates */
        double lower = large.at.dual - 0.5 * (most - mix);
        assert_true(large.at.primal - lower <= 1.001e-6 * large.at.dual);
        assert_true(lower <= s->at.primal * (1 + 1e-9) && large.at.primal >= s->at.dual * (1 - 1e-7));
        ASSERT_NEAR(large.at.dual / s->at.dual, 1, 2e-6);
        free_at_size(&large);
    }
    const int64_t T = s->T;
    wlab_algo_wellsvm.destroy(s);
    wlab_problem_unref(p);
    return T;
}

static void test_master(void **state)
{
    (void)state;
    assert_true(
        check_master("topics", "n=160 d=300 seed=1", "kernel=linear C2=0.1 search=multistart", false) > 3);
    assert_true(check_master("topics", "n=120 d=200 seed=2",
                             "kernel=linear loss=squared-hinge bias=1 lambda=0.5 C2=1 search=multistart",
                             false) > 3);
    assert_true(
        check_master("g50c", "n=100 seed=1", "kernel=linear loss=sum-to-one search=multistart", false) > 3);
    /* C so small that no row leaves its bound at the first labeling, so that no change of an alpha updates mu */
    assert_true(check_master("topics", "n=160 d=300 seed=1",
                             "kernel=linear C1=0.01 C2=0.01 search=multistart", true) > 1);
}

/* One labeling: equals LIBLINEAR's problem. */
static void test_liblinear(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = pose("topics", "n=500 d=600 seed=3", "labeled=20 seed=1");
    wlab_ctx ctx = {0};
    wellsvm *s = create_state(p, "kernel=linear C=0.7", &ctx);
    const size_t n = (size_t)p->n;
    int32_t *pick = calloc(n, sizeof *pick);
    double *w = calloc((size_t)p->X->cols, sizeof *w), b = 0, one = 1, q = 0;
    wellsvm large = create_at_size(s);
    well_point at = {.alpha = calloc(n, sizeof(double)), .q = &q};
    assert_true(pick && w && at.alpha);
    for (int32_t i = 0; i < p->n; i++)
        pick[i] = i;
    ASSERT_OK(
        wlab_liblinear_solve(p->X, pick, p->truth, p->n, false, 0.7, 0.7, 0, 1e-6, 1, w, &b, NULL, &err),
        err);
    double value = 0;
    for (int32_t j = 0; j < p->X->cols; j++)
        value += 0.5 * w[j] * w[j];
    for (int64_t i = 0; i < p->n; i++)
        value += 0.7 * fmax(0, 1 - p->truth[i] * wlab_matrix_row_dot(p->X, i, w));
    ASSERT_OK(well_solve(&large, p->truth, 1, &one, 1e-8, &at, &ctx, &err), err);
    assert_true(at.dual <= value * (1 + 1e-12));
    ASSERT_NEAR(at.primal / value, 1, 1e-6);
    free(pick);
    free(w);
    free(at.alpha);
    free_at_size(&large);
    wlab_algo_wellsvm.destroy(s);
    wlab_problem_unref(p);
}

/* Adding more labelings than fit the first word of signs keeps the earlier ones. */
static void test_many_labelings(void **state)
{
    (void)state;
    wlab_err err;
    wlab_rng rng;
    wlab_problem *p = pose("topics", "n=120 d=200 seed=1", "labeled=20 seed=1");
    wlab_ctx ctx = {0};
    wellsvm *s = create_state(p, "kernel=linear", &ctx);
    wellsvm large = create_at_size(s);
    int8_t *y = calloc(70 * (size_t)p->n, 1), *buffer = calloc((size_t)p->n, 1);
    double q[70], mu[70];
    bool done;
    assert_true(y && buffer);
    wlab_rng_seed(&rng, 5);
    for (int t = 0; t < 70; t++) {
        wlab_labelset_random(p->labels, &rng, y + t * p->n);
        ASSERT_OK(well_reserve(&large, t + 1, &err), err);
        well_put(&large, t, y + t * p->n);
        large.T = t + 1;
        mu[t] = large.mu[t] = 1.0 / 70;
    }
    assert_null(large.y);
    assert_true(large.words * 32 >= 70 && large.words <= 4); /* one bit per labeling, in words */
    for (int t = 0; t < 70; t++) {
        assert_memory_equal(well_unpacked(&large, t, buffer), y + t * p->n, (size_t)p->n);
        assert_true(well_known(&large, y + t * p->n));
    }
    well_point at = {.alpha = calloc((size_t)p->n, sizeof(double)), .q = q}, own = at;
    double other[70];
    own.alpha = calloc((size_t)p->n, sizeof(double));
    own.q = other;
    assert_true(at.alpha && own.alpha);
    ASSERT_OK(well_solve(&large, NULL, 70, mu, 1e-8, &at, &ctx, &err), err);
    ASSERT_OK(well_solve(s, y, 70, mu, 1e-12, &own, &ctx, &err), err);
    ASSERT_NEAR(at.dual / own.dual, 1, 1e-7);
    /* the master over all of them */
    ASSERT_OK(well_linear_master(&large, 1e-5, &done, &ctx, &err), err);
    assert_true(done);
    atomic_int stop = 1;
    ASSERT_FAILS(well_solve(&large, y, 70, mu, 1e-12, &at, &(wlab_ctx){.interrupt = &stop}, &err),
                 WL_EINTERRUPTED, err, "");
    free(at.alpha);
    free(own.alpha);
    free(y);
    free(buffer);
    free_at_size(&large);
    wlab_algo_wellsvm.destroy(s);
    wlab_problem_unref(p);
}

static const char rows[] = "n=4100 d=300 meanlen=10 seed=1";

static void bytes_of(wellsvm *s, wlab_buf *buf)
{
    wlab_err err;
    s->seconds = 0;
    *buf = (wlab_buf){0};
    ASSERT_OK(wlab_algo_snapshot(&wlab_algo_wellsvm, s, buf, &err), err);
}

static void check_same(wellsvm *a, wellsvm *b)
{
    wlab_buf x, y;
    bytes_of(a, &x);
    bytes_of(b, &y);
    assert_int_equal(x.len, y.len);
    assert_memory_equal(x.data, y.data, x.len);
    wlab_buf_clear(&x);
    wlab_buf_clear(&y);
}

/* A restored state continues with the same bits as one that was never restored, with any number of threads; bounds
 * are valid and monotone. */
static void check_travel(const char *settings)
{
    wlab_err err;
    wlab_problem *p = pose("topics", rows, "labeled=60 seed=1");
    wlab_ctx two = {0}, four = {0}, none = {0};
    wlab_buf middle;
    ASSERT_OK(wlab_pool_create(&two.pool, 2, &err), err);
    ASSERT_OK(wlab_pool_create(&four.pool, 4, &err), err);
    wellsvm *a = create_state(p, settings, &two), *b = create_state(p, settings, &none);
    assert_true(a->at_size);
    check_same(a, b);
    double upper = HUGE_VAL, lower = -HUGE_VAL;
    for (int k = 0; k < 4; k++) {
        if (k == 2)
            bytes_of(a, &middle);
        step(a, &two);
        step(b, &none);
        check_same(a, b);
        assert_true(a->upper_bound <= upper && a->lower_bound >= lower && a->lower_bound <= a->upper_bound);
        assert_true(a->master_gap + a->inner_gap <= 1.001e-3 * fabs(a->objective));
        upper = a->upper_bound, lower = a->lower_bound;
    }
    wellsvm *c = create_state(p, settings, &four);
    ASSERT_OK(wlab_algo_restore(&wlab_algo_wellsvm, c, &middle, &four, &err), err);
    step(c, &four);
    step(c, &four);
    check_same(a, c);
    /* restore into a state that is ahead */
    middle.pos = 0;
    ASSERT_OK(wlab_algo_restore(&wlab_algo_wellsvm, b, &middle, &none, &err), err);
    step(b, &none);
    step(b, &none);
    check_same(a, b);
    middle.len -= 9;
    middle.pos = 0;
    ASSERT_FAILS(wlab_algo_restore(&wlab_algo_wellsvm, b, &middle, &none, &err), WL_EINPUT, err, "damaged");
    check_same(a, b);
    wlab_buf_clear(&middle);
    wlab_algo_wellsvm.destroy(a);
    wlab_algo_wellsvm.destroy(b);
    wlab_algo_wellsvm.destroy(c);
    wlab_pool_destroy(two.pool);
    wlab_pool_destroy(four.pool);
    wlab_problem_unref(p);
}

static void test_travel(void **state)
{
    (void)state;
    check_travel("kernel=linear");
    check_travel("kernel=linear loss=squared-hinge bias=1");
    check_travel("kernel=linear search=multistart C2=1");
}

/* mklgl as in the paper: every update of mu is one unit. */
static void test_mklgl(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = pose("topics", rows, "labeled=60 seed=1");
    wlab_ctx ctx = {0};
    wellsvm *a = create_state(p, "kernel=linear master=mklgl", &ctx),
            *b = create_state(p, "kernel=linear", &ctx);
    int units = 0;
    wlab_step now = {0};
    step(a, &ctx);
    step(b, &ctx);
    memcpy(b->pending, a->pending, (size_t)a->n); /* the same working set */
    for (now.complete = false; !now.complete; units++)
        ASSERT_OK(wlab_algo_wellsvm.advance(a, &ctx, &now, &err), err);
    step(b, &ctx);
    assert_true(units > 1 && a->updates == units - 1);
    ASSERT_NEAR(a->objective / b->objective, 1, 2.1e-3); /* both certify 1e-3 */
    wlab_algo_wellsvm.destroy(a);
    wlab_algo_wellsvm.destroy(b);
    wlab_problem_unref(p);
}

static wlab_code advance(wellsvm *s, wlab_ctx *ctx, wlab_err *err)
{
    wlab_step step = {0};
    return wlab_algo_wellsvm.advance(s, ctx, &step, err);
}

/* A step that fails anywhere leaves the state unchanged, bit for bit. */
static void test_failures(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = pose("topics", "n=4100 d=60 meanlen=6 seed=1", "labeled=60 seed=1");
    atomic_int stop = 1;
    wlab_ctx ctx = {0}, stopped = {.interrupt = &stop};
    wellsvm *a = create_state(p, "kernel=linear C2=1", &ctx),
            *b = create_state(p, "kernel=linear C2=1", &ctx);
    for (int k = 0; k < 2; k++) {
        step(a, &ctx);
        step(b, &ctx);
    }
    ASSERT_FAILS(advance(b, &stopped, &err), WL_EINTERRUPTED, err, "");
    check_same(a, b);
    ALLOC_SWEEP_CHECK(advance(b, &ctx, &err), check_same(a, b));
    step(a, &ctx);
    check_same(a, b);
    wlab_algo_wellsvm.destroy(a);
    wlab_algo_wellsvm.destroy(b);
    wlab_problem_unref(p);
}

/* `explain` and `next` state why the run stopped: each stopping rule of the solver at size, `decrease=`, or a limit. */
static void test_verdicts(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        wlab_verdict verdict;
        const char *explained, *next;
    } rule[] = {
        {"labelings=2", WL_LIMIT, "labelings=2", "labelings=2"},
        {"C2=1 decrease=0.5", WL_CONVERGED, "less than decrease=0.5", "converged"},
        {"C2=0.01 eps=1e-6", WL_CONVERGED, "less than 0.01 of the objective", "converged"},
        {"C2=0.03", WL_CONVERGED, "less than 1e-3 of itself", "converged"},
    };
    wlab_problem *p = pose("topics", rows, "labeled=60 seed=1");
    wlab_ctx ctx = {0};
    for (size_t k = 0; k < sizeof rule / sizeof *rule; k++) {
        char text[4096];
        snprintf(text, sizeof text, "kernel=linear %s", rule[k].settings);
        wellsvm *s = create_state(p, text, &ctx);
        if (k)
            assert_int_equal(s->max_labelings, 25);
        while (step(s, &ctx) == WL_MORE)
            ;
        assert_int_equal(s->verdict, rule[k].verdict);
        well_explain(s, text, sizeof text);
        assert_non_null(strstr(text, rule[k].explained));
        well_next(s, text, sizeof text);
        assert_non_null(strstr(text, rule[k].next));
        wlab_algo_wellsvm.destroy(s);
    }
    wlab_problem_unref(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_master),         cmocka_unit_test(test_liblinear),
        cmocka_unit_test(test_many_labelings), cmocka_unit_test(test_travel),
        cmocka_unit_test(test_mklgl),          cmocka_unit_test(test_failures),
        cmocka_unit_test(test_verdicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

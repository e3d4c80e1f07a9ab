/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The algorithm mfn: every step against its model; bounds that enclose the optimum that the algorithm svm finds;
 * snapshots, threads and failing allocations, which do not change the result; refusals.
 */
#include "unit/transduction.h"

static const wlab_algo *const mfn = &wlab_algo_mfn;

/* Checks the labels against the model's outputs, and inner_gap against the gradient.  With a linear model it also
 * recomputes the objective from weights and outputs and counts the active rows; with another kernel the objective must
 * be at least the loss. */
static void check_metrics(const wlab_problem *p, const void *state, double lambda, double bias)
{
    wlab_err err;
    wlab_model *m = NULL;
    double *f = calloc((size_t)p->n, sizeof *f), norm = 0, loss = 0;
    int8_t *y = calloc((size_t)p->n, 1);
    int64_t l = 0, active = 0;
    assert_true(f && y);
    ASSERT_OK(mfn->model(state, &m, NULL, &err), err);
    ASSERT_OK(wlab_model_predict(m, p->X, f, NULL, &err), err);
    mfn->observe(state, NULL, y);
    for (int64_t k = 0; k < p->n; k++) {
        if (!p->visible[k]) {
            assert_int_equal(y[k], f[k] > 0 ? 1 : -1);
            continue;
        }
        const double slack = fmax(0, 1 - p->visible[k] * f[k]);
        assert_int_equal(y[k], p->visible[k]);
        loss += 0.5 * slack * slack;
        active += slack > 0;
        l++;
    }
    if (m->w) {
        for (int32_t j = 0; j < m->cols; j++)
            norm += m->w[j] * m->w[j];
        norm += bias > 0 ? m->b[0] / bias * (m->b[0] / bias) : 0;
        ASSERT_NEAR(metric(mfn, state, "objective") / (0.5 * lambda * norm + loss / (double)l), 1, 1e-10);
        assert_true(fabs(metric(mfn, state, "active") - (double)active) <= 1); /* one may lie on the margin */
    } else {
        assert_true(metric(mfn, state, "objective") >= loss / (double)l * (1 - 1e-10));
    }
    const double gradient = metric(mfn, state, "gradient"), gap = metric(mfn, state, "inner_gap");
    assert_true(fabs(gap - gradient * gradient / (2 * lambda)) <= 1e-10 * gap);
    wlab_model_destroy(m);
    free(f);
    free(y);
}

static void test_steps(void **state)
{
    (void)state;
    wlab_problem *p[] = {pose("g50c", "seed=1", "ssl", "labeled=120"),
                         pose("topics", "n=300 d=900 meanlen=30 seed=2 labeled=60", "ssl", "given=yes")};
    static const struct {
        const char *mfn, *svm;
        double lambda, bias;
    } cases[] = {
        {"lambda=0.01", "kernel=linear backend=liblinear bias=1", 0.01, 1},
        {"lambda=1 bias=0", "kernel=linear backend=liblinear bias=0", 1, 0},
        {"lambda=0.001 bias=2 newton=paper", "kernel=linear backend=liblinear bias=2", 0.001, 2},
        {"lambda=0.1 kernel=rbf sigma=1x", "kernel=rbf sigma=1x bias=1", 0.1, 1},
    };
    for (size_t c = 0; c < 2 * sizeof cases / sizeof *cases; c++) {
        wlab_problem *on = p[c % 2];
        const double lambda = cases[c / 2].lambda;
        char options[160];
        /* svm: ||w||^2/2 + C/2 sum of squares, C = 1 / (lambda l) */
        snprintf(options, sizeof options, "%s loss=squared-hinge eps=1e-9 C=%.17g", cases[c / 2].svm,
                 1 / (lambda * (double)on->labelled));
        void *a = create_state(mfn, on, cases[c / 2].mfn), *b = create_state(&wlab_algo_svm, on, options);
        step(&wlab_algo_svm, b, NULL);
        const double optimum = lambda * metric(&wlab_algo_svm, b, "objective");
        double upper = HUGE_VAL, lower = 0;
        wlab_verdict verdict = WL_MORE;
        assert_true(isnan(metric(mfn, a, "objective")) && isnan(metric(mfn, a, "upper")));
        for (int k = 0; verdict == WL_MORE; k++) {
            assert_true(k < 60);
            verdict = step(mfn, a, NULL);
            check_metrics(on, a, lambda, cases[c / 2].bias);
            const double f = metric(mfn, a, "objective");
            upper = fmin(upper, f);
            lower = fmax(lower, f - metric(mfn, a, "inner_gap"));
            assert_true(metric(mfn, a, "upper") == upper && metric(mfn, a, "lower") == lower);
            assert_true(metric(mfn, a, "gap") == upper - lower);
            if (!(upper >= optimum * (1 - 1e-8) && lower <= optimum * (1 + 1e-8)))
                fail_msg("%s: the optimum %.12g is not in [%.12g, %.12g]", cases[c / 2].mfn, optimum, lower,
                         upper);
        }
        assert_int_equal(verdict, WL_CONVERGED);
        assert_true(strstr(cases[c / 2].mfn, "paper") || upper - lower <= 1e-6 * upper);
        ASSERT_NEAR(upper / optimum, 1, 2e-6);
        mfn->destroy(a);
        wlab_algo_svm.destroy(b);
    }
    wlab_problem_unref(p[0]);
    wlab_problem_unref(p[1]);
}

/* A run that is restored after every step, runs with 2 and 4 threads, and a run in which each allocation fails once end
 * with the same metrics and labels, bit for bit. */
static void test_same_bits(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = pose("g50c", "seed=1", "ssl", "labeled=60");
    static const char *const options[] = {"lambda=0.01", "lambda=0.01 newton=paper",
                                          "kernel=rbf lambda=0.01"};
    for (int c = 0; c < 3; c++) {
        wlab_params *params = made_params(mfn->params, options[c], &err);
        void *a = create_state(mfn, p, options[c]), *b = create_state(mfn, p, options[c]), *d = NULL;
        wlab_step now = {0};
        while (step(mfn, a, NULL) == WL_MORE)
            ;
        while (now.verdict == WL_MORE) {
            wlab_buf buf = {0};
            now.verdict = step(mfn, b, NULL);
            ASSERT_OK(wlab_algo_snapshot(mfn, b, &buf, &err), err);
            mfn->destroy(b);
            b = create_state(mfn, p, options[c]);
            ASSERT_OK(wlab_algo_restore(mfn, b, &buf, NULL, &err), err);
            assert_true(buf.pos == buf.len);
            wlab_buf_clear(&buf);
        }
        assert_same_metrics(mfn, a, b, p->n, options[c]);
        mfn->destroy(b);
        ALLOC_SWEEP_OUT(mfn->create(&d, p, params, NULL, &err), d);
        now.verdict = WL_MORE;
        for (now.complete = false; now.verdict == WL_MORE || !now.complete;)
            ALLOC_SWEEP(mfn->advance(d, NULL, &now, &err));
        assert_same_metrics(mfn, a, d, p->n, options[c]);
        mfn->destroy(d);
        for (int threads = 2; threads <= 4; threads += 2) {
            wlab_ctx ctx = {0};
            ASSERT_OK(wlab_pool_create(&ctx.pool, threads, &err), err);
            d = create_state(mfn, p, options[c]);
            while (step(mfn, d, &ctx) == WL_MORE)
                ;
            assert_same_metrics(mfn, a, d, p->n, options[c]);
            mfn->destroy(d);
            wlab_pool_destroy(ctx.pool);
        }
        mfn->destroy(a);
        wlab_params_destroy(params);
    }
    wlab_problem_unref(p);
}

static void test_refusals(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = pose("two-moons", "n=30 noise=0.1 seed=1", "ssl", "labeled=4");
    void *s = create_state(mfn, p, "");
    wlab_model *m = NULL;
    ASSERT_FAILS(mfn->model(s, &m, NULL, &err), WL_ESTATE, err, "no model yet");
    step(mfn, s, NULL);
    wlab_buf buf = {0};
    ASSERT_OK(wlab_algo_snapshot(mfn, s, &buf, &err), err);
    for (size_t len = 0; len < buf.len; len++) {
        wlab_buf cut = buf;
        void *other = create_state(mfn, p, "");
        cut.len = len;
        ASSERT_FAILS(wlab_algo_restore(mfn, other, &cut, NULL, &err), WL_EINPUT, err, "damaged");
        mfn->destroy(other);
    }
    wlab_buf_clear(&buf);
    mfn->destroy(s);
    for (int64_t k = 0; k < p->n; k++)
        if (p->visible[k] < 0)
            p->visible[k] = 0;
    wlab_params *params = made_params(mfn->params, "", &err);
    s = NULL;
    ASSERT_FAILS(mfn->create(&s, p, params, NULL, &err), WL_ESTATE, err, "of both classes");
    assert_null(s);
    wlab_params_destroy(params);
    wlab_problem_unref(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_refusals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

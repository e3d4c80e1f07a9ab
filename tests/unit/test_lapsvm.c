/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lapsvm: the objective and its parts against their definitions and against `svm` with the same kernel; its bound against
 * other functions; without weight of the graph the SVM; components; going back; the path in gamma_I; limits, refusals, memory.
 */
#include "unit/posed.h"

#include "linalg/graph.h"
#include "model/kernel.h"
#include "weaklab/rng.h"

static const wlab_algo *const algo = &wlab_algo_lapsvm;

static wlab_problem *moons(void)
{
    return pose("two-moons", "n=60 noise=0.15 seed=3", "ssl", "labeled=8 seed=1 r=0.5");
}

static wlab_verdict run_to_end(void *s)
{
    wlab_step made = {0};
    for (int k = 0; k < 1100 && made.verdict == WL_MORE; k++)
        made = stepped(algo, s, NULL);
    return made.verdict;
}

/* ---- the objective ---- */

static void test_svm(void **state)
{
    (void)state;
    static const struct {
        const char *of, *svm;
    } cases[] = {
        {"kernel=rbf sigma=0.5 gamma_A=0.01 gamma_I=30",
         "kernel=rbf sigma=0.5 offset=feature bias=1 graph=knn:6 C=6.25 rho=0.833333333333333333"},
        {"kernel=rbf sigma=0.5 gamma_A=0.01 gamma_I=30 loss=squared-hinge",
         "kernel=rbf sigma=0.5 offset=feature bias=1 graph=knn:6 C=6.25 rho=0.833333333333333333 "
         "loss=squared-hinge"},
        {"kernel=linear gamma_A=0.01 gamma_I=30 graph=knn:4:heat:normalised bias=2",
         "kernel=linear offset=feature bias=2 graph=knn:4:heat:normalised C=6.25 rho=0.833333333333333333"},
        {"kernel=rbf sigma=0.5 gamma_A=0.01 gamma_I=0", "kernel=rbf sigma=0.5 offset=feature bias=1 C=6.25"}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        wlab_problem *p = moons();
        void *s = create_state(algo, p, cases[c].of), *svm = create_state(&wlab_algo_svm, p, cases[c].svm);
        int8_t mine[60], theirs[60];
        assert_true(run_to_end(s) == WL_CONVERGED);
        stepped(&wlab_algo_svm, svm, NULL);
        ASSERT_NEAR(metric(algo, s, "objective") / (2 * 0.01) / metric(&wlab_algo_svm, svm, "objective"), 1,
                    3e-6);
        assert_true(metric(algo, s, "gap") <= 1e-6 * metric(algo, s, "upper"));
        algo->observe(s, NULL, mine);
        wlab_algo_svm.observe(svm, NULL, theirs);
        for (int i = 0; i < 60; i++)
            assert_true(p->visible[i] || mine[i] == theirs[i]);
        algo->destroy(s);
        wlab_algo_svm.destroy(svm);
        wlab_problem_unref(p);
    }
}

/* The parts, from the model: f = sum_k a_k kappa(x_k, .) + b. */
static void test_parts(void **state)
{
    (void)state;
    wlab_err err;
    for (int squared = 0; squared < 2; squared++) {
        wlab_problem *p = moons();
        void *s = create_state(algo, p,
                               squared ? "kernel=rbf sigma=0.4 gamma_A=0.02 gamma_I=50 loss=squared-hinge"
                                       : "kernel=rbf sigma=0.4 gamma_A=0.02 gamma_I=50");
        wlab_graph *g;
        double f[60];
        ASSERT_OK(wlab_graph_make(&g, p->X, 6, false, false, NULL, &err), err);
        for (int step = 1; step <= 6; step++) {
            const wlab_verdict verdict = stepped(algo, s, NULL).verdict;
            wlab_model *m;
            double norm = 0, loss = 0, K[60 * 60];
            ASSERT_OK(algo->model(s, &m, NULL, &err), err);
            ASSERT_OK(wlab_model_predict(m, p->X, f, NULL, &err), err);
            ASSERT_OK(wlab_kernel_matrix(&m->kernel, m->sv, m->sv, NULL, K, NULL, &err), err);
            for (int64_t i = 0; i < m->nsv; i++)
                for (int64_t j = 0; j < m->nsv; j++)
                    norm += m->coef[i] * m->coef[j] * K[i * m->nsv + j];
            for (int i = 0; i < 60; i++)
                if (p->visible[i]) {
                    const double slack = fmax(0, 1 - p->visible[i] * f[i]);
                    loss += (squared ? slack * slack / 2 : slack) / 8;
                }
            ASSERT_NEAR(metric(algo, s, "loss_part"), loss, 1e-6);
            ASSERT_NEAR(metric(algo, s, "norm_part"), 0.02 * (norm + m->b[0] * m->b[0]), 1e-6);
            ASSERT_NEAR(metric(algo, s, "energy"), wlab_graph_energy(g, f), 1e-6);
            ASSERT_NEAR(metric(algo, s, "graph_part"), 50.0 / 3600 * wlab_graph_energy(g, f), 1e-6);
            ASSERT_NEAR(metric(algo, s, "objective"),
                        metric(algo, s, "loss_part") + metric(algo, s, "norm_part") +
                            metric(algo, s, "graph_part"),
                        1e-12);
            wlab_model_destroy(m);
            if (verdict != WL_MORE)
                break;
        }
        wlab_graph_unref(g);
        algo->destroy(s);
        wlab_problem_unref(p);
    }
}

/* Weak duality: no other function has an objective below the bound. */
static void test_bound(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = moons();
    const wlab_kernel kernel = {.kind = WL_K_RBF, .gamma = 2};
    void *s = create_state(algo, p, "kernel=rbf sigma=0.5 gamma_A=0.01 gamma_I=30");
    double K[60 * 60];
    wlab_graph *g;
    wlab_model *m;
    wlab_rng rng;
    wlab_rng_seed(&rng, 9);
    assert_true(run_to_end(s) == WL_CONVERGED);
    const double lower = metric(algo, s, "lower"), upper = metric(algo, s, "upper");
    assert_true(lower > 0 && lower <= upper);
    ASSERT_OK(algo->model(s, &m, NULL, &err), err);
    ASSERT_OK(wlab_graph_make(&g, p->X, 6, false, false, NULL, &err), err);
    ASSERT_OK(wlab_kernel_matrix(&kernel, p->X, p->X, p->row, K, NULL, &err), err);
    double best = HUGE_VAL;
    for (int k = 0; k < 400; k++) {
        const double size = pow(10, -k % 40 / 8.0);
        double a[60], f[60], norm = 0, loss = 0, b = m->b[0] + size * wlab_rng_normal(&rng);
        for (int i = 0; i < 60; i++)
            a[i] = size * wlab_rng_normal(&rng);
        for (int64_t v = 0; v < m->nsv; v++) {
            int at = 0;
            while (p->row[at] != m->sv_row[v])
                at++;
            a[at] += m->coef[v];
        }
        for (int i = 0; i < 60; i++) {
            f[i] = 0;
            for (int j = 0; j < 60; j++)
                f[i] += K[i * 60 + j] * a[j];
            norm += a[i] * f[i];
        }
        for (int i = 0; i < 60; i++)
            if (p->visible[i])
                loss += fmax(0, 1 - p->visible[i] * (f[i] + b)) / 8;
        const double value = loss + 0.01 * (norm + b * b) + 30.0 / 3600 * wlab_graph_energy(g, f);
        assert_true(value >= lower - 1e-9);
        best = fmin(best, value);
    }
    assert_true(best < upper * 1.01); /* some are close to the minimum */
    wlab_model_destroy(m);
    wlab_graph_unref(g);
    algo->destroy(s);
    wlab_problem_unref(p);
}

/* ---- steps ---- */

static void unit(void *s, bool completes)
{
    wlab_err err;
    wlab_step made;
    ASSERT_OK(algo->advance(s, NULL, &made, &err), err);
    assert_int_equal(made.complete, completes);
}

static void test_steps(void **state)
{
    (void)state;
    wlab_problem *p = pose("blobs", "n=60 classes=2 spread=0.1 seed=4", "ssl", "labeled=6 seed=2");
    void *s = create_state(algo, p, "graph=knn:3");
    char words[600];
    assert_true(isnan(metric(algo, s, "edges")));
    algo->explain(s, words, sizeof words);
    assert_non_null(strstr(words, "6 of 60 rows"));
    unit(s, false);
    assert_true(metric(algo, s, "edges") >= 90 && metric(algo, s, "components") >= 2);
    assert_true(metric(algo, s, "energy") > 0 && isnan(metric(algo, s, "condition")));
    assert_null(algo->kernel(s));
    algo->next(s, words, sizeof words);
    assert_non_null(strstr(words, "(I + rho L K)^-1"));
    unit(s, false);
    assert_true(metric(algo, s, "condition") > 1 && isnan(metric(algo, s, "objective")));
    assert_non_null(algo->kernel(s));
    unit(s, true);
    assert_true(metric(algo, s, "objective") > 0);
    assert_true(run_to_end(s) == WL_CONVERGED);
    for (int64_t i = 0; i < p->n; i++) {
        int8_t y[60];
        algo->observe(s, NULL, y);
        assert_true(y[i] == p->truth[i] || metric(algo, s, "unreached") > 0);
    }
    algo->destroy(s);
    wlab_problem_unref(p);
}

/* Rows of a component without a label. */
static void test_unreached(void **state)
{
    (void)state;
    wlab_problem *p =
        pose("blobs", "n=90 classes=3 spread=0.05 seed=4", "ssl", "labeled=2 positive=1 seed=2");
    void *s = create_state(algo, p, "graph=knn:4");
    stepped(algo, s, NULL);
    assert_true(metric(algo, s, "components") >= 3 && metric(algo, s, "unreached") >= 29);
    algo->destroy(s);
    wlab_problem_unref(p);
}

static void check_same(const void *a, const void *b)
{
    double one[MOST_METRICS], other[MOST_METRICS];
    const int seconds = wlab_metric_index(algo, "seconds");
    int8_t y[60], z[60];
    algo->observe(a, one, y);
    algo->observe(b, other, z);
    for (int k = 0; k < wlab_metric_count(algo); k++)
        if (k != seconds && !(isnan(one[k]) && isnan(other[k])))
            assert_true(one[k] == other[k]);
    assert_memory_equal(y, z, 60);
}

/* From each stage back to each earlier one and on, in the same state and in a new one. */
static void test_back(void **state)
{
    (void)state;
    wlab_err err;
    static const char *const options[] = {"kernel=rbf eps=1e-9", "kernel=rbf eps=1e-9 loss=squared-hinge"};
    for (int k = 0; k < 2; k++) {
        wlab_problem *p = moons();
        void *s = create_state(algo, p, options[k]);
        wlab_buf at[5] = {{0}};
        int steps = 0;
        for (; steps < 5; steps++) {
            ASSERT_OK(wlab_algo_snapshot(algo, s, &at[steps], &err), err);
            if (stepped(algo, s, NULL).verdict != WL_MORE)
                break;
        }
        assert_true(run_to_end(s) == WL_CONVERGED);
        for (int from = 0; from <= steps && from < 5; from++) {
            void *fresh = create_state(algo, p, options[k]), *end = create_state(algo, p, options[k]);
            assert_true(run_to_end(end) == WL_CONVERGED);
            at[from].pos = 0;
            ASSERT_OK(wlab_algo_restore(algo, fresh, &at[from], NULL, &err), err);
            at[from].pos = 0;
            ASSERT_OK(wlab_algo_restore(algo, s, &at[from], NULL, &err), err);
            check_same(fresh, s);
            assert_true(run_to_end(s) == WL_CONVERGED && run_to_end(fresh) == WL_CONVERGED);
            check_same(fresh, s);
            check_same(end, s);
            algo->destroy(fresh);
            algo->destroy(end);
        }
        for (int j = 0; j < 5; j++)
            wlab_buf_clear(&at[j]);
        algo->destroy(s);
        wlab_problem_unref(p);
    }
}

/* The path in gamma_I: after `set` the run finds what a new run with that value finds, bit for bit; and goes back over it. */
static void test_path(void **state)
{
    (void)state;
    wlab_err err;
    static const char *const names[] = {"objective", "loss_part", "norm_part", "graph_part",
                                        "upper",     "lower",     "energy",    "condition"};
    for (int squared = 0; squared < 2; squared++) {
        const char *loss = squared ? "loss=squared-hinge" : "loss=hinge";
        const double weight[] = {0, 30, 3000, 1};
        wlab_problem *p = moons();
        char option[80];
        snprintf(option, sizeof option, "kernel=rbf gamma_A=0.01 gamma_I=0 %s", loss);
        void *s = create_state(algo, p, option);
        wlab_buf before = {0};
        for (int k = 0; k < 4; k++) {
            snprintf(option, sizeof option, "kernel=rbf gamma_A=0.01 gamma_I=%g %s", weight[k], loss);
            wlab_params *params = made_params(algo->params, option, &err);
            ASSERT_OK(algo->set(s, params, &err), err);
            wlab_params_destroy(params);
            void *fresh = create_state(algo, p, option);
            assert_true(run_to_end(s) == WL_CONVERGED && run_to_end(fresh) == WL_CONVERGED);
            for (size_t j = 0; j < sizeof names / sizeof *names; j++)
                assert_true(metric(algo, s, names[j]) == metric(algo, fresh, names[j]));
            int8_t y[60], z[60];
            algo->observe(s, NULL, y);
            algo->observe(fresh, NULL, z);
            assert_memory_equal(y, z, 60);
            assert_true(k != 1 || metric(algo, s, "flips") >= 0);
            if (k == 1)
                ASSERT_OK(wlab_algo_snapshot(algo, s, &before, &err), err);
            if (k == 3) { /* the kernel of an earlier gamma_I is made again */
                snprintf(option, sizeof option, "kernel=rbf gamma_A=0.01 gamma_I=%g %s", weight[1], loss);
                void *then = create_state(algo, p, option);
                assert_true(run_to_end(then) == WL_CONVERGED);
                ASSERT_OK(wlab_algo_restore(algo, s, &before, NULL, &err), err);
                for (size_t j = 0; j < sizeof names / sizeof *names; j++)
                    assert_true(metric(algo, s, names[j]) == metric(algo, then, names[j]));
                algo->destroy(then);
            }
            algo->destroy(fresh);
        }
        wlab_buf_clear(&before);
        algo->destroy(s);
        wlab_problem_unref(p);
    }
}

static void test_acceptance(void **state)
{
    (void)state;
    wlab_problem *p = pose("g50c", "n=120 seed=4", "ssl", "labeled=20 seed=4 r=0.5");
    static const char *const options[] = {"", "loss=squared-hinge", "preset=program", "kernel=linear"};
    for (int k = 0; k < 4; k++) {
        void *s = create_state(algo, p, options[k]);
        int8_t y[120];
        int right = 0;
        assert_true(run_to_end(s) == WL_CONVERGED);
        algo->observe(s, NULL, y);
        for (int i = 0; i < 120; i++)
            right += !p->visible[i] && y[i] == p->truth[i];
        assert_true(right >= 70);
        algo->destroy(s);
    }
    wlab_problem_unref(p);
}

/* ---- limits, refusals, memory ---- */

static void refuse(const char *options, const char *text)
{
    wlab_err err;
    wlab_problem *p = moons();
    void *state = NULL;
    wlab_params *params = made_params(algo->params, options, &err);
    assert_non_null(params);
    ASSERT_FAILS(algo->create(&state, p, params, NULL, &err), WL_EARG, err, text);
    assert_null(state);
    wlab_params_destroy(params);
    wlab_problem_unref(p);
}

static void test_refusals(void **state)
{
    (void)state;
    refuse("graph=none", "needs a graph");
    refuse("graph=knn:0", "graph=knn:0");
    refuse("kernel=precomputed", "rows themselves");
    refuse("kernel=linear sigma=2", "sigma");
}

/* Units with failing allocations, on other threads, interrupted, from snapshots. */
static void test_units(void **state)
{
    (void)state;
    wlab_problem *p = pose("two-moons", "n=24 noise=0.15 seed=3", "ssl", "labeled=6 seed=1 r=0.5");
    units_hold(algo, p, "", 12, 0);
    units_hold(algo, p, "loss=squared-hinge kernel=rbf", 12, 0);
    wlab_problem_unref(p);
}

static void test_limit(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = pose("g50c", "n=200 seed=4", "ssl", "labeled=80 seed=4 r=0.5");
    void *s = create_state(algo, p, "iterations=1");
    wlab_params *params = made_params(algo->params, "iterations=100", &err);
    assert_true(params && run_to_end(s) == WL_LIMIT);
    ASSERT_OK(algo->set(s, params, &err), err);
    const wlab_verdict verdict = run_to_end(s);
    assert_true(verdict == WL_CONVERGED || verdict == WL_STALLED);
    wlab_params_destroy(params);
    algo->destroy(s);
    wlab_problem_unref(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_svm),   cmocka_unit_test(test_parts),      cmocka_unit_test(test_bound),
        cmocka_unit_test(test_steps), cmocka_unit_test(test_unreached),  cmocka_unit_test(test_back),
        cmocka_unit_test(test_path),  cmocka_unit_test(test_acceptance), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_units), cmocka_unit_test(test_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

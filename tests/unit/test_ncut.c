/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * ncut: the eigenvalue and its bound against LAPACK, Ncut against its definition and against all bipartitions, the threshold
 * and the picture of the cuts against all thresholds, the model, the balance; equal rows, disconnected rows, going back, memory.
 */
#include "unit/posed.h"

#include "model/kernel.h"
#include "unit/probed.h"

#include <lapacke.h>

static const wlab_algo *const algo = &wlab_algo_ncut;
enum {
    MOST = 120
};

static wlab_verdict run_to_end(void *s)
{
    wlab_step made = {0};
    for (int k = 0; k < 400 && made.verdict == WL_MORE; k++)
        made = stepped(algo, s, NULL);
    return made.verdict;
}

static double *similarities(const wlab_problem *p, const void *s, double *degree)
{
    wlab_err err;
    const int64_t n = p->n;
    double *W = malloc((size_t)(n * n) * sizeof *W);
    assert_non_null(W);
    ASSERT_OK(wlab_kernel_matrix(algo->kernel(s), p->X, p->X, p->row, W, NULL, &err), err);
    for (int64_t i = 0; i < n; i++) {
        degree[i] = 0;
        for (int64_t j = 0; j < n; j++)
            degree[i] += W[i * n + j];
    }
    return W;
}

static double ncut_of(const double *W, const double *degree, int64_t n, const int8_t *y)
{
    double cut = 0, a = 0, b = 0;
    for (int64_t i = 0; i < n; i++) {
        *(y[i] > 0 ? &a : &b) += degree[i];
        for (int64_t j = 0; j < n; j++)
            cut += y[i] > 0 && y[j] < 0 ? W[i * n + j] : 0;
    }
    return cut / a + cut / b;
}

/* The second smallest eigenvalue of I - D^-1/2 W D^-1/2; v [n]: its vector times D^-1/2. */
static double lambda_2(const double *W, const double *degree, int64_t n, double *v)
{
    double *A = malloc((size_t)(n * n) * sizeof *A), value[MOST];
    assert_non_null(A);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            A[i * n + j] = (i == j) - W[i * n + j] / sqrt(degree[i] * degree[j]);
    assert_true(LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'U', (lapack_int)n, A, (lapack_int)n, value) == 0);
    for (int64_t i = 0; i < n; i++)
        v[i] = A[n + i] / sqrt(degree[i]);
    free(A);
    return value[1];
}

/* The smallest Ncut over thresholds of v that leave lo to hi rows above. */
static double best_threshold(const double *W, const double *degree, int64_t n, const double *v, int64_t lo,
                             int64_t hi)
{
    double best = HUGE_VAL;
    for (int64_t k = 0; k < n; k++) {
        int8_t y[MOST];
        int64_t above = 0;
        for (int64_t i = 0; i < n; i++) {
            y[i] = v[i] > v[k] ? 1 : -1;
            above += y[i] > 0;
        }
        if (above >= lo && above <= hi && above > 0)
            best = fmin(best, ncut_of(W, degree, n, y));
    }
    return best;
}

static void test_eigenvalue(void **state)
{
    (void)state;
    static const char *const data[][2] = {{"two-moons", "n=80 noise=0.1 seed=3"},
                                          {"blobs", "n=90 classes=2 spread=0.7 seed=4"},
                                          {"g50c", "n=60 seed=2"}};
    static const char *const options[] = {"", "sigma=1rms", "seed=7 sigma=0.6nn"};
    for (int d = 0; d < 3; d++)
        for (int k = 0; k < 3; k++) {
            wlab_problem *p = pose(data[d][0], data[d][1], "cluster", "balance=0.2");
            void *s = create_state(algo, p, options[k]);
            const int64_t n = p->n, lo = p->labels->lo[0], hi = p->labels->hi[0];
            double degree[MOST], v[MOST], *W = similarities(p, s, degree);
            int8_t y[MOST];
            int64_t positive = 0;
            assert_true(run_to_end(s) == WL_CONVERGED);
            const double smallest = lambda_2(W, degree, n, v), lower = metric(algo, s, "lower");
            ASSERT_NEAR(metric(algo, s, "ritz"), smallest, 1e-9);
            assert_true(lower <= smallest + 1e-12 && lower >= smallest - 1e-7);
            algo->observe(s, NULL, y);
            ASSERT_NEAR(metric(algo, s, "objective"), ncut_of(W, degree, n, y), 1e-9);
            ASSERT_NEAR(metric(algo, s, "objective"), best_threshold(W, degree, n, v, lo, hi), 1e-6);
            assert_true(metric(algo, s, "upper") >= smallest &&
                        metric(algo, s, "upper") <= metric(algo, s, "objective"));
            for (int64_t i = 0; i < n; i++)
                positive += y[i] > 0;
            assert_true(positive >= lo && positive <= hi);
            free(W);
            algo->destroy(s);
            wlab_problem_unref(p);
        }
}

/* The probe has Ncut at every threshold, which ones the balance allows, the chosen one, and the bound when it is proven. */
static void test_cuts(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = pose("blobs", "n=90 classes=2 spread=0.7 seed=4", "cluster", "balance=0.2");
    void *s = create_state(algo, p, "");
    const int64_t n = p->n, lo = p->labels->lo[0], hi = p->labels->hi[0];
    double degree[MOST], v[MOST], *W = similarities(p, s, degree);
    wlab_probed got = {0};
    assert_int_equal(probed(algo, s, WL_PROBE_CUTS, &got, &err), WL_ESTATE);
    (void)stepped(algo, s, NULL);
    ASSERT_OK(probed(algo, s, WL_PROBE_CUTS, &got, &err), err);
    assert_true(isnan(got.value[WL_CUT_BOUND]));
    /* the same after the run has gone on and back, and in a new state */
    wlab_buf then = {0};
    ASSERT_OK(wlab_algo_snapshot(algo, s, &then, &err), err);
    for (int fresh = 0; fresh < 2; fresh++) {
        void *back = fresh ? create_state(algo, p, "") : s;
        wlab_probed again = {0};
        assert_true(fresh || run_to_end(s) == WL_CONVERGED);
        then.pos = 0;
        ASSERT_OK(wlab_algo_restore(algo, back, &then, NULL, &err), err);
        ASSERT_OK(probed(algo, back, WL_PROBE_CUTS, &again, &err), err);
        assert_memory_equal(again.value, got.value, (size_t)(n * WL_CUT_COLUMNS) * sizeof *got.value);
        wlab_probed_clear(&again);
        if (fresh)
            algo->destroy(back);
    }
    wlab_buf_clear(&then);
    wlab_probed_clear(&got);
    assert_true(run_to_end(s) == WL_CONVERGED);
    ASSERT_OK(probed(algo, s, WL_PROBE_CUTS, &got, &err), err);
    assert_true(got.rows == n && got.columns == WL_CUT_COLUMNS);
    (void)lambda_2(W, degree, n, v);
    const double *chosen = got.value + (n - 1) * WL_CUT_COLUMNS;
    double least = HUGE_VAL;
    for (int64_t k = 0; k + 1 < n; k++) {
        const double *row = got.value + k * WL_CUT_COLUMNS;
        int8_t y[MOST];
        int64_t above = 0;
        for (int64_t i = 0; i < n;
             i++) { /* v and the run's vector may have opposite signs, and other lengths */
            int64_t larger = 0;
            for (int64_t j = 0; j < n; j++)
                larger += v[0] * v[j] > v[0] * v[i];
            y[i] = larger < n - 1 - k ? 1 : -1;
            above += y[i] > 0;
        }
        int8_t turned[MOST]; /* the same count from the other end */
        for (int64_t i = 0; i < n; i++) {
            int64_t smaller = 0;
            for (int64_t j = 0; j < n; j++)
                smaller += v[0] * v[j] < v[0] * v[i];
            turned[i] = smaller < n - 1 - k ? 1 : -1;
        }
        assert_int_equal(above, n - 1 - k);
        assert_true(k == 0 || row[WL_CUT_AT] >= row[WL_CUT_AT - WL_CUT_COLUMNS]);
        assert_true(fmin(fabs(row[WL_CUT_VALUE] - ncut_of(W, degree, n, y)),
                         fabs(row[WL_CUT_VALUE] - ncut_of(W, degree, n, turned))) < 1e-9);
        assert_true((row[WL_CUT_ALLOWED] > 0) == (above >= lo && above <= hi));
        assert_true(row[WL_CUT_BOUND] == metric(algo, s, "lower") && row[WL_CUT_VALUE] >= row[WL_CUT_BOUND]);
        if (row[WL_CUT_ALLOWED] > 0)
            least = fmin(least, row[WL_CUT_VALUE]);
    }
    assert_true(chosen[WL_CUT_VALUE] == least && least == metric(algo, s, "objective"));
    wlab_probed_clear(&got);
    free(W);
    algo->destroy(s);
    wlab_problem_unref(p);
}

/* On few rows: no bipartition has an Ncut below the bound. */
static void test_enumeration(void **state)
{
    (void)state;
    for (int seed = 1; seed < 6; seed++) {
        char how[60];
        snprintf(how, sizeof how, "n=10 noise=0.2 seed=%d", seed);
        wlab_problem *p = pose("two-moons", how, "cluster", "balance=1");
        void *s = create_state(algo, p, "sigma=0.7");
        double degree[MOST], *W = similarities(p, s, degree), best = HUGE_VAL;
        assert_true(run_to_end(s) == WL_CONVERGED);
        for (int bits = 1; bits < 1 << 9; bits++) {
            int8_t y[10];
            for (int i = 0; i < 10; i++)
                y[i] = i < 9 && bits >> i & 1 ? 1 : -1;
            best = fmin(best, ncut_of(W, degree, 10, y));
        }
        assert_true(metric(algo, s, "lower") <= best && metric(algo, s, "upper") >= best - 1e-12);
        assert_true(metric(algo, s, "lower") > 0);
        free(W);
        algo->destroy(s);
        wlab_problem_unref(p);
    }
}

/* The model's sign is the cluster, and it predicts other rows. */
/* After every step, also while v is not yet an eigenvector, the model gives each row the cluster in which the run has it. */
static void test_model(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = pose("blobs", "n=90 classes=2 spread=0.7 seed=4", "cluster", "balance=0.2");
    wlab_model *m = NULL;
    void *s = create_state(algo, p, "");
    double f[90];
    int8_t y[90];
    int right = 0;
    ASSERT_FAILS(algo->model(s, &m, NULL, &err), WL_ESTATE, err, "step");
    for (wlab_step made = {0}; made.verdict == WL_MORE;) {
        made = stepped(algo, s, NULL);
        ASSERT_OK(algo->model(s, &m, NULL, &err), err);
        ASSERT_OK(wlab_model_predict(m, p->X, f, NULL, &err), err);
        wlab_model_destroy(m);
        algo->observe(s, NULL, y);
        for (int i = 0; i < 90; i++)
            assert_true((f[i] > 0) == (y[i] > 0));
    }
    for (int i = 0; i < 90; i++)
        right += y[i] == p->truth[i];
    assert_true(right >= 77 || right <= 13);
    algo->destroy(s);
    wlab_problem_unref(p);
}

static void test_rules(void **state)
{
    (void)state;
    wlab_problem *p = pose("two-moons", "n=80 noise=0.1 seed=3", "cluster", "balance=0.5");
    static const char *const options[] = {"cut=ncut", "cut=zero", "cut=median"};
    double value[3];
    for (int k = 0; k < 3; k++) {
        void *s = create_state(algo, p, options[k]);
        assert_true(run_to_end(s) == WL_CONVERGED);
        value[k] = metric(algo, s, "objective");
        assert_true(k < 2 || metric(algo, s, "smaller") == 40);
        algo->destroy(s);
    }
    assert_true(value[0] <= value[1] + 1e-12 && value[0] <= value[2] + 1e-12);
    wlab_problem_unref(p);
}

/* Rows at few places: the iterations end early; rows that are far apart: Ncut is 0. */
static void test_degenerate(void **state)
{
    (void)state;
    wlab_err err;
    for (int far = 0; far < 3; far++) {
        wlab_problem *p = pose("two-moons", "n=20 noise=0.1 seed=3", "cluster", "balance=0.5");
        wlab_matrix *X = p->X;
        for (int64_t i = 0; i < 20; i++)
            for (int64_t k = 0; k < 2; k++)
                X->dense[X->start[i] + k] = far == 2 ? 0 : i % 2 ? (far ? 100 : 1) : 0;
        void *s = create_state(algo, p, "sigma=1");
        assert_true(run_to_end(s) == WL_CONVERGED);
        if (far < 2)
            for (int64_t i = 2; i < 20; i++) {
                int8_t y[20];
                algo->observe(s, NULL, y);
                assert_true(y[i] == y[i % 2]);
            }
        if (far == 1)
            assert_true(metric(algo, s, "objective") < 1e-12 && metric(algo, s, "lower") < 1e-9);
        algo->destroy(s);
        wlab_problem_unref(p);
    }
    wlab_problem *p = pose("two-moons", "n=2 seed=3", "cluster", "balance=1");
    void *s = NULL;
    wlab_params *params = made_params(algo->params, "sigma=1", &err);
    ASSERT_FAILS(algo->create(&s, p, params, NULL, &err), WL_ESTATE, err, "at least 3");
    wlab_params_destroy(params);
    wlab_problem_unref(p);
}

/* Units with failing allocations, on other threads, interrupted, from snapshots. */
static void test_units(void **state)
{
    (void)state;
    wlab_problem *p = pose("two-moons", "n=14 noise=0.15 seed=3", "cluster", "balance=0.5");
    units_hold(algo, p, "", 12, 0);
    units_hold(algo, p, "eps=0.01", 12, 0);
    wlab_problem_unref(p);
}

static void test_limit(void **state)
{
    (void)state;
    wlab_problem *p = pose("g50c", "n=100 seed=2", "cluster", "balance=0.5");
    void *s = create_state(algo, p, "iterations=3");
    assert_true(run_to_end(s) == WL_LIMIT && metric(algo, s, "lower") == 0);
    algo->destroy(s);
    wlab_problem_unref(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_eigenvalue), cmocka_unit_test(test_enumeration), cmocka_unit_test(test_model),
        cmocka_unit_test(test_rules),      cmocka_unit_test(test_degenerate),  cmocka_unit_test(test_units),
        cmocka_unit_test(test_limit),      cmocka_unit_test(test_cuts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * ppmm and the Gaussian mixture: densities and both halves of EM against their definitions, a likelihood that never falls,
 * the alignment and the chosen power, the kernel, the SVM's objective from the model's outputs, the order of the bags,
 * labels, units, limits, edges.
 */
#include "unit/posed.h"

#include "algo/mil/ppmm.h"

#include <math.h>

static const wlab_algo *const ppmm = &wlab_algo_ppmm;

static wlab_problem *images(const char *options)
{
    return pose("roi-bags", "bags=9 least=3 most=5 dims=4 rois=2 seed=4", "mil", options);
}

static void *ended(wlab_problem *p, const char *options)
{
    void *s = create_state(ppmm, p, options);
    wlab_verdict v = WL_MORE;
    for (int k = 0; v == WL_MORE; k++) {
        assert_true(k < 5000);
        v = step(ppmm, s, NULL);
    }
    assert_int_equal(v, WL_CONVERGED);
    return s;
}

/* ---- the mixture ---- */

enum {
    N = 60,
    D = 3,
    K = 4
};

static void draw(double *X, wlab_rng *rng)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < D; j++)
            X[i * D + j] = wlab_rng_normal(rng) + (j == 0) * 3 * (i % K);
}

static long double density_of(const wlab_mixture *m, const double *x, int c)
{
    long double p = m->weight[c];
    for (int j = 0; j < D; j++) {
        const long double v = 1 / (long double)m->inverse[c * D + j],
                          z = x[j] - (long double)m->mean[c * D + j];
        p *= expl(-z * z / (2 * v)) / sqrtl(2 * (long double)M_PI * v);
    }
    return p;
}

/* The value that the M step maximises, of one component with the variance v in column j in place of its own. */
static double value(const double *X, const double *R, int c, int j, double mean, double v)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum -= R[i * K + c] * 0.5 * (log(2 * M_PI * v) + (X[i * D + j] - mean) * (X[i * D + j] - mean) / v);
    return sum;
}

static void test_halves(void **state)
{
    (void)state;
    const double floor = 0.9;
    double X[N * D], R[N * K], rows[N];
    wlab_err err;
    wlab_mixture m;
    wlab_rng rng;
    wlab_rng_seed(&rng, 3);
    draw(X, &rng);
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int c = 0; c < K; c++)
            sum += R[i * K + c] = wlab_rng_uniform(&rng);
        for (int c = 0; c < K; c++)
            R[i * K + c] /= sum;
    }
    ASSERT_OK(wlab_mixture_make(&m, K, D, &err), err);
    ASSERT_OK(wlab_mixture_maximise(&m, X, N, R, floor, NULL, &err), err);
    for (int c = 0; c < K; c++)
        for (int j = 0; j < D; j++) { /* no mean and no variance above the floor is better */
            const double at = m.mean[c * D + j], v = 1 / m.inverse[c * D + j],
                         best = value(X, R, c, j, at, v);
            assert_true(v >= floor * (1 - 1e-14));
            for (int k = -1; k <= 1; k += 2) {
                assert_true(value(X, R, c, j, at + 1e-3 * k, v) <= best + 1e-12);
                assert_true(value(X, R, c, j, at, fmax(floor, v * (1 + 1e-2 * k))) <= best + 1e-12);
            }
        }
    double mean;
    ASSERT_OK(wlab_mixture_expect(&m, X, N, R, rows, &mean, NULL, &err), err);
    for (int i = 0; i < N; i++) {
        long double all = 0;
        for (int c = 0; c < K; c++)
            all += density_of(&m, X + i * D, c);
        ASSERT_NEAR(rows[i], (double)logl(all), 1e-12);
        for (int c = 0; c < K; c++)
            ASSERT_NEAR(R[i * K + c], (double)(density_of(&m, X + i * D, c) / all), 1e-13);
        mean -= rows[i] / N;
    }
    ASSERT_NEAR(mean, 0, 1e-13);
    wlab_mixture_clear(&m);
}

/* EM from random posteriors, also with a floor that binds and a component without rows: the likelihood never falls. */
static void test_never_falls(void **state)
{
    (void)state;
    static const double floors[] = {1e-3, 0.5};
    wlab_err err;
    for (int seed = 1; seed <= 10; seed++)
        for (int f = 0; f < 2; f++) {
            double X[N * D], R[N * K], rows[N], old = -HUGE_VAL;
            wlab_mixture m;
            wlab_rng rng;
            wlab_rng_seed(&rng, (uint64_t)seed);
            draw(X, &rng);
            memset(R, 0, sizeof R);
            for (int i = 0; i < N; i++)
                R[i * K + (int)wlab_rng_below(&rng, seed % 2 ? K - 1 : K)] = 1;
            ASSERT_OK(wlab_mixture_make(&m, K, D, &err), err);
            for (int k = 0; k < 200; k++) {
                double now;
                ASSERT_OK(wlab_mixture_maximise(&m, X, N, R, floors[f], NULL, &err), err);
                ASSERT_OK(wlab_mixture_expect(&m, X, N, R, rows, &now, NULL, &err), err);
                assert_true(isfinite(now) && now >= old - 1e-12 * fabs(now));
                old = now;
            }
            wlab_mixture_clear(&m);
        }
}

/* ---- the algorithm ---- */

static void test_objective(void **state)
{
    (void)state;
    wlab_problem *p = images("");
    void *s = create_state(ppmm, p, "components=4");
    double old = HUGE_VAL;
    int iterations = 0;
    while (step(ppmm, s, NULL) == WL_MORE) {
        const double now = metric(ppmm, s, "objective");
        assert_true(now <= old + 1e-12 * fabs(now) && metric(ppmm, s, "svm") == 0);
        assert_true(isnan(metric(ppmm, s, "gap")));
        old = now;
        iterations++;
    }
    assert_true(iterations > 3 && metric(ppmm, s, "svm") == 1);
    assert_true(metric(ppmm, s, "gap") <= 1e-6 * metric(ppmm, s, "objective"));
    ppmm->destroy(s);
    wlab_problem_unref(p);
}

/* The alignment of the whole kernel matrix, by its definition. */
static double aligned(const double *pi, const double *y, int m, int k, double p)
{
    double F[20 * 5], with = 0, KK = 0, yy = 0, mean[5] = {0};
    assert_true(m <= 20 && k <= 5);
    for (int b = 0; b < m; b++)
        for (int c = 0; c < k; c++)
            mean[c] += (F[b * k + c] = pow(pi[b * k + c], p)) / m;
    for (int a = 0; a < m; a++)
        for (int b = 0; b < m; b++) {
            double K_ab = 0;
            for (int c = 0; c < k; c++)
                K_ab += (F[a * k + c] - mean[c]) * (F[b * k + c] - mean[c]);
            with += K_ab * y[a] * y[b];
            KK += K_ab * K_ab;
            yy += y[a] * y[b] * y[a] * y[b];
        }
    return with / sqrt(KK * yy);
}

static void test_alignment(void **state)
{
    (void)state;
    double pi[20 * 5], y[20], work[20 * 5 + 5], mean = 0;
    wlab_rng rng;
    wlab_rng_seed(&rng, 2);
    for (int b = 0; b < 20; b++) {
        double sum = 0;
        for (int c = 0; c < 5; c++)
            sum += pi[b * 5 + c] = wlab_rng_uniform(&rng);
        for (int c = 0; c < 5; c++)
            pi[b * 5 + c] /= sum;
        mean += (y[b] = b % 3 ? -1 : 1) / 20;
    }
    for (int b = 0; b < 20; b++)
        y[b] -= mean;
    for (int t = 1; t <= PPMM_POWERS; t++)
        ASSERT_NEAR(ppmm_alignment(pi, 20, 5, y, 0.03 * t, work), aligned(pi, y, 20, 5, 0.03 * t), 1e-12);
}

/* The run's power is the best of all, by the alignment that a run with this power given reports. */
static void test_power(void **state)
{
    (void)state;
    wlab_problem *p = images("");
    void *s = ended(p, "components=4");
    const double best = metric(ppmm, s, "alignment"), power = metric(ppmm, s, "power");
    double most = -HUGE_VAL;
    for (int t = 1; t <= PPMM_POWERS; t += 3) {
        char settings[60];
        snprintf(settings, sizeof settings, "components=4 power=%.2f", 0.03 * t);
        void *other = ended(p, settings);
        ASSERT_NEAR(metric(ppmm, other, "power"), 0.03 * t, 1e-12);
        most = fmax(most, metric(ppmm, other, "alignment"));
        ppmm->destroy(other);
    }
    assert_true(power > 0 && power <= 3 && most <= best + 1e-12);
    ppmm->destroy(s);
    wlab_problem_unref(p);
}

/* f of the bags gives the losses, and with the kernel the norm of w; together the objective. */
static void test_svm(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = images("");
    void *s = ended(p, "components=4 C=3 eps=1e-10");
    wlab_model *m = model_of(ppmm, s);
    double *whole = malloc((size_t)p->bags * sizeof *whole), *f = outputs(ppmm, s, p), alone[64], hinge = 0;
    int32_t first[9], each[64];
    wlab_probed K_all = {0};
    wlab_buf out = {0};
    assert_true(whole && p->bags == 9 && p->n <= 64);
    ASSERT_OK(wlab_model_predict_bags(m, p->X, p->data, p->row, p->bag, p->bags, whole, NULL, &err), err);
    for (int64_t i = p->n - 1; i >= 0; i--) {
        first[p->bag[i]] = (int32_t)i;
        each[i] = (int32_t)i;
    }
    const wlab_probe_ask ask = {.probe = ppmm->probes, .instance = first, .n = 9};
    ASSERT_OK(ppmm->probes[0].get(s, &ask, &K_all, NULL, &err), err);
    for (int b = 0; b < 9; b++)
        hinge += fmax(0, 1 - (p->bag_given[b] > 0.5 ? 1 : -1) * whole[b]);
    const double objective = metric(ppmm, s, "objective"), norm = 2 * (objective - 3 * hinge);
    assert_true(norm > 0);
    /* f - b = K beta, and the norm is beta'K beta: at most the largest eigenvalue, at least the spread of f over K */
    for (int a = 0; a < 9; a++)
        for (int b = 0; b < 9; b++) {
            const double apart = K_all.value[10 * a] + K_all.value[10 * b] - 2 * K_all.value[9 * a + b];
            assert_true((whole[a] - whole[b]) * (whole[a] - whole[b]) <= norm * apart * (1 + 1e-8) + 1e-9);
        }
    /* the output of a row is that of a bag of this row alone */
    ASSERT_OK(wlab_model_predict_bags(m, p->X, NULL, NULL, each, p->n, alone, NULL, &err), err);
    for (int64_t i = 0; i < p->n; i++)
        ASSERT_NEAR(alone[i], f[i], 0);
    ASSERT_FAILS(wlab_model_write(m, &out, &err), WL_ESTATE, err, "export bags");
    wlab_buf_clear(&out);
    wlab_probed_clear(&K_all);
    wlab_model_destroy(m);
    free(whole);
    free(f);
    ppmm->destroy(s);
    wlab_problem_unref(p);
}

/* The last rows first: the same clusters, which are far apart, so the same objective. */
static void test_order(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = pose("roi-bags", "bags=12 least=4 most=6 dims=3 clutter=3 noise=0.05 light=0.05 seed=5",
                           "mil", ""),
                 *q = NULL;
    int32_t *back = malloc((size_t)p->n * sizeof *back);
    assert_non_null(back);
    for (int64_t i = 0; i < p->n; i++)
        back[i] = p->row[p->n - 1 - i];
    ASSERT_OK(wlab_problem_create(&q, p->data, back, p->n, NULL, 0, p->task, p->params, NULL, &err), err);
    void *a = ended(p, "components=3 rise=1e-12"), *b = ended(q, "components=3 rise=1e-12");
    ASSERT_NEAR(metric(ppmm, a, "power"), metric(ppmm, b, "power"), 1e-12);
    const double objective = metric(ppmm, a, "objective");
    ASSERT_NEAR(objective, metric(ppmm, b, "objective"), 1e-5 * objective);
    ppmm->destroy(a);
    ppmm->destroy(b);
    free(back);
    wlab_problem_unref(p);
    wlab_problem_unref(q);
}

static void test_labels(void **state)
{
    (void)state;
    static const char *const options[] = {"", "labels=instances"};
    for (int o = 0; o < 2; o++) {
        wlab_problem *p = images(options[o]);
        void *s = ended(p, "");
        int8_t y[64];
        ppmm->observe(s, NULL, y);
        assert_true(p->n <= 64 && wlab_labelset_contains(p->labels, y));
        ppmm->destroy(s);
        wlab_problem_unref(p);
    }
}

static void test_units(void **state)
{
    (void)state;
    wlab_problem *p = images("");
    units_hold(ppmm, p, "components=3 iterations=3 restarts=2", 6, 0);
    wlab_problem_unref(p);
}

/* More components than rows, one component, two rows, constant columns, a limit: all end. */
static void test_edges(void **state)
{
    (void)state;
    static const struct {
        const char *how, *settings;
    } one[] = {{"bags=2 least=1 most=1 dims=2 rois=1 seed=1", ""},
               {"bags=6 least=1 most=2 dims=2 rois=1 seed=1", "components=100"},
               {"bags=6 least=1 most=2 dims=2 rois=1 seed=1", "components=1"},
               {"bags=6 least=2 most=2 dims=2 rois=1 noise=0 light=0 distance=0 clutter=3 seed=1", ""},
               {"bags=6 least=2 most=4 dims=2 rois=1 seed=1", "iterations=2 rise=0"}};
    for (size_t k = 0; k < sizeof one / sizeof *one; k++) {
        wlab_problem *p = pose("roi-bags", one[k].how, "mil", "");
        void *s = ended(p, one[k].settings);
        double *f = outputs(ppmm, s, p);
        for (int64_t i = 0; i < p->n; i++)
            assert_true(isfinite(f[i]));
        free(f);
        ppmm->destroy(s);
        wlab_problem_unref(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_halves),    cmocka_unit_test(test_never_falls),
        cmocka_unit_test(test_objective), cmocka_unit_test(test_alignment),
        cmocka_unit_test(test_power),     cmocka_unit_test(test_svm),
        cmocka_unit_test(test_order),     cmocka_unit_test(test_labels),
        cmocka_unit_test(test_units),     cmocka_unit_test(test_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

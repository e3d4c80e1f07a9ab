/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The algorithm kmeans step by step: metrics against model and labels, an objective that never rises, the same result
 * as wlab_kmeans_run, changed limits, threads, snapshots, interrupts, memory, refusals.
 */
#include "unit/posed.h"
#include "unit/probed.h"

#include "model/features.h"
#include "model/kernel.h"
#include "solve/cluster/kmeans.h"

static const wlab_algo *const algo = &wlab_algo_kmeans;

enum {
    MOST_ROWS = 160
};

static const char *const settings[] = {"", "restarts=3 kernel=rbf sigma=0.5x seed=4",
                                       "restarts=2 kernel=rbf sigma=0.3x rank=12", "bias=1 restarts=1"};

static wlab_features *features_of(wlab_problem *p, const char *setting)
{
    wlab_err err;
    wlab_kernel kernel;
    wlab_features *f = NULL;
    wlab_params *given = made_params(algo->params, setting, &err);
    ASSERT_OK(wlab_kernel_choose(&kernel, given, p->X, NULL, &err), err);
    ASSERT_OK(wlab_features_make(&f, p, &kernel, 1e-10, wlab_params_int(given, "rank"), NULL, &err), err);
    wlab_params_destroy(given);
    return f;
}

/* Checks by definition: the objective with every centre at the mean of its cluster, and the explained variance
 * relative to the objective of a single cluster. */
static void check_metrics(const void *s, wlab_problem *p, const wlab_features *f)
{
    const int P = p->classes;
    const int64_t n = p->n, d = f->r;
    int8_t y[MOST_ROWS];
    wlab_probed scores;
    wlab_err err;
    ASSERT_OK(probed(algo, s, WL_PROBE_SCORES, &scores, &err), err);
    const double *score = scores.value;
    double *sum = calloc((size_t)((P + 1) * d), sizeof *sum);
    double within = 0, all = 0;
    int64_t count[64] = {0}, least = n;
    assert_true(sum && scores.rows == n && scores.columns == P && n <= MOST_ROWS);
    algo->observe(s, NULL, y);
    for (int64_t i = 0; i < n; i++) {
        const int c = wlab_label_index(p, y[i]);
        assert_true(c >= 0);
        count[c]++;
        for (int64_t j = 0; j < d; j++) {
            sum[c * d + j] += f->Phi[i * d + j];
            sum[P * d + j] += f->Phi[i * d + j] / (double)n;
        }
    }
    for (int64_t i = 0; i < n; i++) {
        const int c = wlab_label_index(p, y[i]);
        for (int64_t j = 0; j < d; j++) {
            const double x = f->Phi[i * d + j], u = x - sum[c * d + j] / (double)count[c],
                         v = x - sum[P * d + j];
            within += u * u / (double)n;
            all += v * v / (double)n;
        }
    }
    for (int c = 0; c < P; c++)
        least = count[c] < least ? count[c] : least;
    ASSERT_NEAR(metric(algo, s, "objective"), within, 1e-10);
    ASSERT_NEAR(metric(algo, s, "explained"), 1 - within / all, 1e-10);
    assert_int_equal((int64_t)metric(algo, s, "smallest"), least);
    /* centres are the means of the clusters, as rows of the data; with a kernel there are none */
    wlab_probed centres;
    ASSERT_OK(probed(algo, s, WL_PROBE_CENTRES, &centres, &err), err);
    assert_int_equal(centres.rows, f->direct ? P : 0);
    for (int64_t k = 0; k < centres.rows; k++)
        for (int64_t j = 0; j < p->X->cols; j++)
            ASSERT_NEAR(centres.value[k * centres.columns + j], sum[k * d + j] / (double)count[k], 1e-10);
    wlab_probed_clear(&centres);
    /* scores are the outputs of the model; their differences are those of squared distances to the means */
    double *out = outputs(algo, s, p);
    for (int64_t i = 0; i < n; i++)
        for (int k = 0; k < P; k++) {
            double near[2] = {0, 0};
            for (int64_t j = 0; j < d; j++) {
                const double x = f->Phi[i * d + j], u = x - sum[k * d + j] / (double)count[k],
                             v = x - sum[j] / (double)count[0];
                near[0] += u * u;
                near[1] += v * v;
            }
            ASSERT_NEAR(score[i * P + k] - score[i * P], (near[1] - near[0]) / 2, 1e-9);
            if (P == 2)
                ASSERT_NEAR(out[i], score[i * P + 1] - score[i * P], 1e-5);
            else
                ASSERT_NEAR(out[i * P + k], score[i * P + k], 1e-5);
        }
    free(out);
    free(sum);
    wlab_probed_clear(&scores);
}

/* Runs step by step to the end; the result is that of wlab_kmeans_run. */
static void test_run(void **state)
{
    (void)state;
    static const struct {
        const char *data, *how, *options;
    } problems[] = {{"two-moons", "n=60 noise=0.2 seed=3", ""},
                    {"blobs", "n=80 classes=4 seed=2 spread=0.8", "classes=4"},
                    {"polygon", "n=90 noise=2 seed=2 shift=100", "classes=3"},
                    {"blobs", "n=12 classes=3 seed=2", "classes=12"}};
    for (size_t t = 0; t < sizeof problems / sizeof *problems; t++)
        for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
            wlab_err err;
            wlab_problem *p = pose(problems[t].data, problems[t].how, "cluster", problems[t].options);
            void *s = create_state(algo, p, settings[k]);
            wlab_features *f = features_of(p, settings[k]);
            wlab_params *given = made_params(algo->params, settings[k], &err);
            int8_t was[MOST_ROWS] = {0}, y[MOST_ROWS];
            int32_t label[MOST_ROWS];
            double last = HUGE_VAL, sum;
            wlab_verdict verdict = WL_MORE;
            for (int j = 0; verdict == WL_MORE; j++) {
                assert_true(j < 200);
                verdict = step(algo, s, NULL);
                check_metrics(s, p, f);
                const double now = metric(algo, s, "objective");
                assert_true(now <= last + 1e-13 * fabs(last));
                last = now;
                int64_t flips = 0;
                algo->observe(s, NULL, y);
                for (int64_t i = 0; i < p->n; i++)
                    flips += was[i] && y[i] != was[i]; /* a first label is no flip */
                assert_int_equal((int64_t)metric(algo, s, "flips"), flips);
                memcpy(was, y, sizeof y);
            }
            assert_int_equal(verdict, WL_CONVERGED);
            assert_true(metric(algo, s, "moving") == 0 && metric(algo, s, "moved") == 0);
            const wlab_kmeans m = {.X = f->Phi,
                                   .n = p->n,
                                   .d = f->r,
                                   .k = p->classes,
                                   .restarts = wlab_params_int(given, "restarts"),
                                   .most = 1000,
                                   .seed = (uint64_t)wlab_params_int(given, "seed")};
            ASSERT_OK(wlab_kmeans_run(&m, label, NULL, &sum, NULL, &err), err);
            int name[WL_CLASSES_MOST] = {0}; /* the same clusters; their names may be others (test_names) */
            for (int64_t i = 0; i < p->n; i++) {
                assert_true(!name[label[i]] || name[label[i]] == y[i]);
                name[label[i]] = y[i];
            }
            assert_true(last == sum / (double)p->n);
            wlab_params_destroy(given);
            wlab_features_destroy(f);
            algo->destroy(s);
            wlab_problem_unref(p);
        }
}

static void test_explanations_and_limits(void **state)
{
    (void)state;
    wlab_err err;
    char text[1024];
    wlab_model *m;
    wlab_probed w;
    wlab_step now = {0};
    wlab_problem *p = pose("blobs", "n=80 classes=4 seed=2 spread=1", "cluster", "classes=4");
    void *s = create_state(algo, p, "restarts=3 iterations=1");
    algo->explain(s, text, sizeof text);
    assert_non_null(strstr(text, "3 restarts"));
    ASSERT_FAILS(algo->model(s, &m, NULL, &err), WL_ESTATE, err, "step");
    ASSERT_FAILS(probed(algo, s, WL_PROBE_SCORES, &w, &err), WL_ESTATE, err, "no scores yet");
    assert_true(isnan(metric(algo, s, "objective")));
    static const char *const units[] = {"draw", "nearest", "mean"};
    for (int k = 0; k < 3; k++) {
        algo->next(s, text, sizeof text);
        assert_non_null(strstr(text, units[k]));
        ASSERT_OK(algo->advance(s, NULL, &now, &err), err);
        assert_int_equal(now.complete, k == 2);
    }
    assert_int_equal(now.verdict, WL_LIMIT);
    algo->next(s, text, sizeof text);
    assert_non_null(strstr(text, "iterations="));
    wlab_params *more = made_params(algo->params, "restarts=3 iterations=500", &err);
    ASSERT_OK(algo->set(s, more, &err), err);
    wlab_params_destroy(more);
    while ((now.verdict = step(algo, s, NULL)) == WL_MORE)
        ;
    assert_int_equal(now.verdict, WL_CONVERGED);
    algo->explain(s, text, sizeof text);
    assert_non_null(strstr(text, "has the smallest objective"));
    ASSERT_OK(probed(algo, s, WL_PROBE_RESTARTS, &w, &err), err);
    const int leader = (int)metric(algo, s, "restart") - 1;
    assert_true(w.rows == 3 && w.value[leader] == metric(algo, s, "objective"));
    for (int k = 0; k < 3; k++)
        assert_true(w.value[k] >= w.value[leader]);
    wlab_probed_clear(&w);
    algo->destroy(s);
    wlab_problem_unref(p);
}

static void test_threads_interrupts_memory(void **state)
{
    (void)state;
    wlab_problem *p = pose("blobs", "n=70 classes=4 seed=2 spread=1", "cluster", "classes=4");
    for (int k = 0; k < 2; k++)
        units_hold(algo, p, settings[k], 1000, 0);
    wlab_problem_unref(p);
}

/* A restored state continues to the same result. */
static void test_restored_and_refused(void **state)
{
    (void)state;
    wlab_err err;
    wlab_buf buf = {0};
    wlab_problem *p = pose("blobs", "n=70 classes=4 seed=2 spread=1", "cluster", "classes=4");
    void *a = create_state(algo, p, "restarts=4"), *b = create_state(algo, p, "restarts=4");
    step(algo, a, NULL);
    ASSERT_OK(wlab_algo_snapshot(algo, a, &buf, &err), err);
    buf.pos = 0;
    ASSERT_OK(wlab_algo_restore(algo, b, &buf, NULL, &err), err);
    wlab_buf_clear(&buf);
    for (wlab_verdict verdict = WL_MORE; verdict == WL_MORE;) {
        verdict = step(algo, a, NULL);
        assert_int_equal(verdict, step(algo, b, NULL));
        same_state(algo, a, b, p->n);
    }
    algo->destroy(a);
    algo->destroy(b);
    void *s = NULL;
    wlab_params *params = made_params(algo->params, "gamma=2", &err);
    ASSERT_FAILS(algo->create(&s, p, params, NULL, &err), WL_EARG, err, "kernel");
    assert_null(s);
    wlab_params_destroy(params);
    wlab_problem_unref(p);
}

/* names=matched gives the same clusters as names=drawn; when another restart is shown, the fewest labels change. */
static void test_names(void **state)
{
    (void)state;
    static const char *const made[] = {"n=100 seed=5 classes=2", "n=120 seed=3 classes=3",
                                       "n=90 seed=7 classes=4 spread=2"};
    int switches = 0;
    for (size_t k = 0; k < sizeof made / sizeof *made; k++) {
        char task[40];
        const int P = 2 + (int)k;
        snprintf(task, sizeof task, "classes=%d", P);
        wlab_problem *p = pose("blobs", made[k], "cluster", task);
        void *a = create_state(algo, p, "names=drawn"), *b = create_state(algo, p, "names=matched");
        int8_t u[MOST_ROWS], v[MOST_ROWS], before[MOST_ROWS];
        double shown = NAN;
        wlab_verdict verdict = WL_MORE;
        for (int t = 0; verdict == WL_MORE; t++) {
            algo->observe(b, NULL, before);
            verdict = step(algo, a, NULL);
            assert_int_equal(step(algo, b, NULL), verdict);
            ASSERT_NEAR(metric(algo, a, "objective"), metric(algo, b, "objective"), 1e-12);
            assert_true(metric(algo, a, "restart") == metric(algo, b, "restart"));
            algo->observe(a, NULL, u);
            algo->observe(b, NULL, v);
            int name[8] = {0};
            bool known[8] = {false};
            for (int64_t i = 0; i < p->n; i++) { /* the same clusters under other names */
                const int c = wlab_label_index(p, u[i]);
                assert_true(!known[c] || name[c] == v[i]);
                known[c] = true;
                name[c] = v[i];
            }
            if (t > 0 && metric(algo, b, "restart") != shown) {
                switches++;
                int64_t count[8][8] = {{0}}, flips = 0;
                for (int64_t i = 0; i < p->n; i++) {
                    count[wlab_label_index(p, v[i])][wlab_label_index(p, before[i])]++;
                    flips += v[i] != before[i];
                }
                assert_true(metric(algo, b, "flips") == (double)flips &&
                            (double)flips <= metric(algo, a, "flips"));
                for (int c = 0; c < P; c++) /* no exchange of two names is better */
                    for (int d = 0; d < c; d++)
                        assert_true(count[c][c] + count[d][d] >= count[c][d] + count[d][c]);
            }
            shown = metric(algo, b, "restart");
        }
        algo->destroy(a);
        algo->destroy(b);
        wlab_problem_unref(p);
    }
    assert_true(switches > 1);
}

/* start=alignment: the class means of the best of the drawn labelings by y'Ky; recomputed here, with the first assignment
 * of rows to them. */
static void test_alignment(void **state)
{
    enum {
        N = 30,
        TRIES = 7
    };
    (void)state;
    wlab_err err;
    wlab_problem *p = pose("two-moons", "n=30 noise=0.2 seed=3", "cluster", "balance=0.2");
    const char *how = "start=alignment tries=7 restarts=1 seed=9 kernel=rbf sigma=0.5";
    wlab_features *f = features_of(p, how);
    void *s = create_state(algo, p, how);
    wlab_rng rng;
    int8_t y[N], best[N], shown[N];
    double most = -HUGE_VAL;
    wlab_rng_seed(&rng, 9);
    for (int t = 0; t < TRIES; t++) {
        double q = 0;
        wlab_labelset_random(p->labels, &rng, y);
        for (int64_t j = 0; j < f->r; j++) {
            double sum = 0;
            for (int64_t i = 0; i < N; i++)
                sum += y[i] * f->Phi[i * f->r + j];
            q += sum * sum;
        }
        if (q > most) {
            most = q;
            memcpy(best, y, sizeof y);
        }
    }
    step(algo, s, NULL);
    algo->observe(s, NULL, shown);
    for (int64_t i = 0; i < N; i++) {
        double far[2] = {0, 0}; /* from the mean of class -1, of class +1 */
        for (int c = 0; c < 2; c++)
            for (int64_t j = 0; j < f->r; j++) {
                double mean = 0, count = 0;
                for (int64_t k = 0; k < N; k++)
                    if (best[k] == (c ? 1 : -1)) {
                        mean += f->Phi[k * f->r + j];
                        count++;
                    }
                far[c] += (f->Phi[i * f->r + j] - mean / count) * (f->Phi[i * f->r + j] - mean / count);
            }
        assert_int_equal(shown[i], far[1] < far[0] ? 1 : -1);
    }
    algo->destroy(s);
    wlab_features_destroy(f);
    units_hold(algo, p, how, 1000, 0);
    wlab_problem_unref(p);
    p = pose("blobs", "n=30 classes=3 seed=2", "cluster", "classes=3");
    wlab_params *params = made_params(algo->params, "start=alignment", &err);
    ASSERT_FAILS(algo->create(&s, p, params, NULL, &err), WL_EARG, err, "two clusters");
    wlab_params_destroy(params);
    wlab_problem_unref(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alignment),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_run),
        cmocka_unit_test(test_explanations_and_limits),
        cmocka_unit_test(test_threads_interrupts_memory),
        cmocka_unit_test(test_restored_and_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

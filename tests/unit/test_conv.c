/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * conv-psvm: the search along axes and the bounds against enumeration, the recovery of labels against matrices made
 * by hand, the supervised limit, centring, and failures that leave the state unchanged.
 */
#include "transduction.h"

#include "algo/llp/conv.h"
#include "algo/wellsvm/wellsvm.h"

static const wlab_algo *const conv = &wlab_algo_conv;

typedef struct posed {
    const char *kind, *how, *task, *options, *run;
} posed;

static const posed small[] = {
    {"two-moons", "n=12 noise=0.3 seed=1", "llp", "bagsize=4 seed=1", "kernel=linear"},
    {"g50c", "n=10 seed=2", "llp", "bagsize=5 seed=1", "kernel=linear C=10"},
    {"g50c", "n=10 seed=2", "llp", "bagsize=5 seed=1", "kernel=linear basis=pca variance=0.6 C=0.02"},
    {"two-moons", "n=12 noise=0.3 seed=3", "llp", "bagsize=6 seed=2 eps=0.2", "kernel=rbf sigma=0.5x"},
    {"two-moons", "n=12 noise=0.3 seed=4", "llp", "bagsize=3 seed=1", "kernel=rbf center=yes C=3"},
    {"two-moons", "n=12 noise=0.3 seed=5", "llp", "bagsize=12 seed=1 labeled=3", "kernel=linear center=yes"},
    {"two-moons", "n=12 noise=0.3 seed=6", "llp", "bagsize=4 seed=1", "kernel=linear bias=1"},
    {"blobs", "n=12 seed=7", "ssl", "labeled=4 seed=1", "kernel=poly coef0=1 degree=2 variance=1"},
    {"two-moons", "n=12 noise=0.3 seed=8", "llp", "bagsize=4 seed=1", "kernel=rbf search=multistart"},
    {"two-moons", "n=12 noise=0.3 seed=8", "llp", "bagsize=4 seed=1", "kernel=rbf search=exact"},
};
enum {
    SMALL = sizeof small / sizeof *small
};

static wlab_problem *posed_problem(const posed *c)
{
    return pose(c->kind, c->how, c->task, c->options);
}

/* ---- every labeling ---- */

typedef struct axis_maxima {
    const wellsvm *w;
    const double *a;
    double along; /* the largest |axis_j'(a.y)| */
    double whole; /* the largest y'Hy */
} axis_maxima;

static double along_axes(const wellsvm *w, const double *a, const int8_t *y)
{
    double most = 0;
    for (int64_t j = 0; j < w->axes; j++) {
        double sum = 0;
        for (int64_t k = 0; k < w->n; k++)
            sum += a[k] * y[k] * w->axis[j * w->n + k];
        most = fmax(most, fabs(sum));
    }
    return most;
}

static double square(const wellsvm *w, const double *a, const int8_t *y)
{
    double sum = 0;
    for (int64_t k = 0; k < w->n; k++)
        for (int64_t i = 0; i < w->n; i++)
            sum += a[k] * y[k] * w->K[k * w->n + i] * y[i] * a[i];
    return sum;
}

static bool update_maxima(void *data, const int8_t *y, const int32_t *changed, int64_t nchanged)
{
    axis_maxima *s = data;
    (void)changed, (void)nchanged;
    s->along = fmax(s->along, along_axes(s->w, s->a, y));
    s->whole = fmax(s->whole, square(s->w, s->a, y));
    return true;
}

/* The search finds a labeling with the largest product along any axis, as enumeration confirms.  Its bounds on the
 * largest y'Hy hold: the labeling has y'Hy of at least the square of that product, and no labeling has more than M. */
static void test_search_against_enumeration(void **state)
{
    (void)state;
    int short_of = 0;
    for (int c = 0; c < SMALL; c++) {
        wlab_err err;
        wlab_problem *p = posed_problem(&small[c]);
        conv_state *s = create_state(conv, p, small[c].run);
        wellsvm *w = &s->w;
        for (int t = 0; t < 6 && step(conv, s, NULL) == WL_MORE; t++) {
            int8_t y[16];
            double most = 0, M = 0;
            axis_maxima all = {.w = w, .a = w->at.alpha};
            ASSERT_OK(well_linf_run(w, w->at.alpha, y, &most, &M, NULL, &err), err);
            assert_true(wlab_labelset_contains(p->labels, y));
            ASSERT_OK(wlab_labelset_enumerate(p->labels, update_maxima, &all, &err), err);
            const double got = square(w, w->at.alpha, y), tolerance = 1e-9 * (1 + all.whole);
            ASSERT_NEAR(most, all.along, 1e-10);
            ASSERT_NEAR(along_axes(w, w->at.alpha, y), most, 1e-10);
            assert_true(most * most <= got + tolerance && got <= all.whole + tolerance &&
                        all.whole <= M + tolerance);
            short_of += got < all.whole - tolerance;
        }
        conv->destroy(s);
        wlab_problem_unref(p);
    }
    assert_true(short_of > 0); /* it is only an approximation */
}

/* If all axes are requested, K is the sum of their outer products.  If a fraction of the trace is requested, the axes
 * are the fewest that cover it. */
static void test_axes(void **state)
{
    (void)state;
    static const struct {
        const char *run;
        double variance;
    } cases[] = {{"kernel=linear", 1},
                 {"kernel=linear bias=2", 1},
                 {"kernel=linear center=yes", 1},
                 {"kernel=rbf variance=1", 1},
                 {"kernel=rbf center=yes variance=1", 1},
                 {"kernel=rbf variance=0.5", 0.5},
                 {"kernel=linear basis=pca variance=0.8", 0.8},
                 {"kernel=rbf", 0.9}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        wlab_problem *p = pose("g50c", "n=30 seed=1", "llp", "bagsize=5 seed=1");
        conv_state *s = create_state(conv, p, cases[c].run);
        const wellsvm *w = &s->w;
        double off = 0, trace = 0, held = 0, last = 0;
        for (int64_t i = 0; i < w->n; i++) {
            trace += w->K[i * w->n + i];
            for (int64_t k = 0; k < w->n; k++) {
                double sum = 0;
                for (int64_t j = 0; j < w->axes; j++)
                    sum += w->axis[j * w->n + i] * w->axis[j * w->n + k];
                off = fmax(off, fabs(sum - w->K[i * w->n + k]));
                held += i == k ? sum : 0;
            }
        }
        for (int64_t k = 0; k < w->n; k++)
            last += w->axis[(w->axes - 1) * w->n + k] * w->axis[(w->axes - 1) * w->n + k];
        if (cases[c].variance == 1) {
            assert_true(off < 1e-10 * trace);
        } else {
            assert_true(held >= cases[c].variance * trace && held - last < cases[c].variance * trace);
            assert_true(w->rest > 0 && w->rest <= last * (1 + 1e-12));
        }
        conv->destroy(s);
        wlab_problem_unref(p);
    }
}

/* At every step the optimum, which a run with search=exact certifies, is between lower and upper.  The objective
 * never rises; labels and bag error are those of the model. */
static void test_bounds(void **state)
{
    (void)state;
    int opened = 0;
    for (int c = 0; c < SMALL; c++) {
        wlab_err err;
        char options[160];
        wlab_problem *p = posed_problem(&small[c]);
        conv_state *exact = NULL, *s = create_state(conv, p, small[c].run);
        snprintf(options, sizeof options, "%s search=exact decrease=0 labelings=1000", small[c].run);
        exact = create_state(conv, p, options);
        while (step(conv, exact, NULL) == WL_MORE)
            ;
        const double optimum = exact->w.objective, tolerance = 2e-6 * fabs(optimum);
        assert_true(exact->w.upper_bound - exact->w.lower_bound <= tolerance);
        double upper = HUGE_VAL, lower = -HUGE_VAL, last = HUGE_VAL;
        double f[16];
        int8_t labels[16];
        for (wlab_verdict verdict = WL_MORE; verdict == WL_MORE;) {
            verdict = step(conv, s, NULL);
            const double up = metric(conv, s, "upper"), low = metric(conv, s, "lower"),
                         now = metric(conv, s, "objective");
            assert_true(low <= optimum + tolerance && optimum <= up + tolerance &&
                        now >= optimum - tolerance);
            assert_true(up <= upper && low >= lower && now <= last + 2e-6 * fabs(now));
            assert_true(metric(conv, s, "integer_upper") >= optimum - tolerance);
            assert_true(metric(conv, s, "master_gap") <= 1e-6 * now);
            upper = up, lower = low, last = now;
            wlab_model *m = NULL;
            ASSERT_OK(conv->model(s, &m, NULL, &err), err);
            ASSERT_OK(wlab_model_predict(m, p->X, f, NULL, &err), err);
            wlab_model_destroy(m);
            conv->observe(s, NULL, labels);
            for (int64_t k = 0; k < p->n; k++)
                assert_int_equal(labels[k], p->visible[k] ? p->visible[k] : f[k] > 0 ? 1 : -1);
            const double error = wlab_proportions_output_error(s->bags, f);
            ASSERT_NEAR(metric(conv, s, "bag_error"), error, 1e-12);
            if (p->labelled == 0)
                assert_true(s->bag_error <= s->other);
        }
        opened += upper - lower > 1e-3 * fabs(optimum);
        conv->destroy(exact);
        conv->destroy(s);
        wlab_problem_unref(p);
    }
    assert_true(opened > 0);
}

/* With search=exact WellSVM reaches the same objective as conv-psvm.  With search=linf its bounds enclose that
 * objective. */
static void test_same_problem_as_wellsvm(void **state)
{
    (void)state;
    wlab_problem *p = posed_problem(&small[0]);
    const wlab_algo *well = &wlab_algo_wellsvm;
    void *a = create_state(conv, p, "kernel=linear C=2 search=exact decrease=0 labelings=1000");
    void *b = create_state(well, p, "kernel=linear C=2 search=exact");
    void *c = create_state(well, p, "kernel=linear C=2 search=linf");
    while (step(conv, a, NULL) == WL_MORE)
        ;
    while (step(well, b, NULL) == WL_MORE)
        ;
    while (step(well, c, NULL) == WL_MORE)
        ;
    ASSERT_NEAR(metric(conv, a, "objective"), metric(well, b, "objective"), 1e-5);
    assert_true(metric(well, c, "upper") >= metric(well, b, "lower") * (1 - 1e-9));
    assert_true(metric(well, c, "lower") <= metric(well, b, "upper") * (1 + 1e-9));
    for (int i = 0; i < WELL_METRICS; i++)
        assert_string_equal(conv->metrics[i].name, well->metrics[i].name);
    conv->destroy(a);
    well->destroy(b);
    well->destroy(c);
    wlab_problem_unref(p);
}

/* ---- recovery ---- */

static void recover(int64_t n, int64_t T, const int8_t *y, const double *mu, double *out, double *proportion)
{
    wlab_err err;
    wellsvm w = {.n = n, .T = T, .y = (int8_t *)(uintptr_t)y, .mu = (double *)(uintptr_t)mu};
    ASSERT_OK(conv_recover(&w, out, proportion, &err), err);
}

static void test_recovery(void **state)
{
    (void)state;
    double out[40], proportion = 0;
    /* one labeling is recovered itself */
    const int8_t one[] = {1, -1, -1, 1, 1};
    const double all[] = {1};
    recover(5, 1, one, all, out, &proportion);
    ASSERT_NEAR(proportion, 1, 1e-12);
    for (int k = 0; k < 5; k++)
        ASSERT_NEAR(out[k] * out[0], one[k] * one[0], 1e-12);
    /* two orthogonal labelings are the eigenvectors of M, with the eigenvalues 4 mu */
    const int8_t two[] = {1, 1, 1, 1, 1, 1, -1, -1};
    const double mu[] = {0.25, 0.75};
    recover(4, 2, two, mu, out, &proportion);
    ASSERT_NEAR(proportion, 0.75, 1e-12);
    for (int k = 0; k < 4; k++)
        ASSERT_NEAR(out[k] * out[0], 0.75 * two[4 + k], 1e-12);
    /* y and -y give the same matrix, and a labeling of weight 0 does not count */
    const int8_t same[] = {1, -1, 1, -1, 1, -1, 1, 1, 1};
    const double part[] = {0.4, 0.6, 0};
    recover(3, 3, same, part, out, &proportion);
    ASSERT_NEAR(proportion, 1, 1e-12);
    ASSERT_NEAR(out[0] * out[1], -1, 1e-12);
    /* M = [1 a; a 1]: the leading eigenvector is (1, sign a), the value 1 + |a| */
    const int8_t pair[] = {1, 1, 1, -1};
    const double weight[] = {0.3, 0.7};
    recover(2, 2, pair, weight, out, &proportion);
    ASSERT_NEAR(proportion, 0.7, 1e-12);
    ASSERT_NEAR(out[0] * out[1], -0.7, 1e-12);
    /* random labelings: M y = lambda y, y'y = lambda, and power iteration finds no larger eigenvalue */
    enum {
        N = 40,
        T = 6
    };
    wlab_rng rng;
    wlab_rng_seed(&rng, 7);
    int8_t y[T * N];
    double m[T], M[N * N] = {0}, v[N], mass = 0;
    for (int t = 0; t < T; t++)
        mass += m[t] = wlab_rng_uniform(&rng);
    for (int k = 0; k < T * N; k++)
        y[k] = wlab_rng_uniform(&rng) < 0.5 ? -1 : 1;
    for (int t = 0; t < T; t++) {
        m[t] /= mass;
        for (int i = 0; i < N * N; i++)
            M[i] += m[t] * y[t * N + i / N] * y[t * N + i % N];
    }
    recover(N, T, y, m, out, &proportion);
    double lambda = 0, most = 0;
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int k = 0; k < N; k++)
            sum += M[i * N + k] * out[k];
        ASSERT_NEAR(sum, proportion * (double)N * out[i], 1e-9);
        lambda += out[i] * out[i];
        v[i] = wlab_rng_normal(&rng);
    }
    ASSERT_NEAR(lambda, proportion * (double)N, 1e-9);
    for (int round = 0; round < 200; round++) {
        double next[N] = {0};
        for (int i = 0; i < N * N; i++)
            next[i / N] += M[i] * v[i % N];
        most = 0;
        for (int i = 0; i < N; i++)
            most += next[i] * next[i];
        for (int i = 0; i < N; i++)
            v[i] = next[i] / sqrt(most);
    }
    ASSERT_NEAR(sqrt(most), lambda, 1e-6);
}

/* ---- limits ---- */

/* With bags of one row, or if all rows are labelled, conv-psvm finds the SVM without a free offset. */
static void test_supervised(void **state)
{
    (void)state;
    static const char *const runs[] = {"kernel=linear C=2", "kernel=rbf C=0.7", "kernel=linear bias=1 C=0.5"};
    static const char *const tasks[][2] = {{"llp", "bagsize=1 seed=1"}, {"supervised", ""}};
    for (int c = 0; c < 6; c++) {
        wlab_err err;
        char options[100];
        wlab_problem *p = pose("two-moons", "n=40 noise=0.3 seed=2", tasks[c % 2][0], tasks[c % 2][1]),
                     *q = pose("two-moons", "n=40 noise=0.3 seed=2", "supervised", "");
        void *s = create_state(conv, p, runs[c / 2]);
        snprintf(options, sizeof options, "%s offset=feature eps=1e-10", runs[c / 2]);
        void *svm = create_state(&wlab_algo_svm, q, options);
        wlab_model *a = NULL, *b = NULL;
        double f[40], g[40];
        assert_int_equal(step(conv, s, NULL), WL_CONVERGED);
        step(&wlab_algo_svm, svm, NULL);
        ASSERT_NEAR(metric(conv, s, "objective"), metric(&wlab_algo_svm, svm, "objective"), 1e-8);
        ASSERT_NEAR(metric(conv, s, "gap"), 0, 1e-6);
        assert_true(metric(conv, s, "rank_one") == 1);
        ASSERT_OK(conv->model(s, &a, NULL, &err), err);
        ASSERT_OK(wlab_algo_svm.model(svm, &b, NULL, &err), err);
        ASSERT_OK(wlab_model_predict(a, p->X, f, NULL, &err), err);
        ASSERT_OK(wlab_model_predict(b, p->X, g, NULL, &err), err);
        for (int k = 0; k < 40; k++)
            ASSERT_NEAR(f[k], g[k], 1e-5);
        wlab_model_destroy(a);
        wlab_model_destroy(b);
        conv->destroy(s);
        wlab_algo_svm.destroy(svm);
        wlab_problem_unref(p);
        wlab_problem_unref(q);
    }
}

/* On the toy, where the means of the two bags lie on the wrong sides, every row is right for C from 0.1 to 10, with
 * axes from PCA, and with centring. */
static void test_toy(void **state)
{
    (void)state;
    static const char *const runs[] = {"kernel=linear C=0.1", "kernel=linear C=1", "kernel=linear C=10",
                                       "kernel=linear basis=pca", "kernel=linear center=yes"};
    for (int c = 0; c < 10; c++) {
        wlab_problem *p = pose("llp-toy", c % 2 ? "seed=2" : "seed=1", "llp", "");
        void *s = create_state(conv, p, runs[c / 2]);
        int8_t *labels = calloc((size_t)p->n, 1);
        while (step(conv, s, NULL) == WL_MORE)
            ;
        conv->observe(s, NULL, labels);
        assert_memory_equal(labels, p->truth, (size_t)p->n);
        assert_true(metric(conv, s, "bag_error") == 0);
        free(labels);
        conv->destroy(s);
        wlab_problem_unref(p);
    }
}

/* With sign=means the labeling gets the sign with which the mean outputs of the bags rise with their proportions.
 * On the toy that is the wrong sign, so that every label is wrong. */
static void test_sign_by_means(void **state)
{
    (void)state;
    wlab_problem *p = pose("llp-toy", "seed=1", "llp", ""),
                 *q = pose("g50c", "n=60 seed=1", "llp", "bagsize=10 seed=1");
    void *s = create_state(conv, p, "kernel=linear sign=means");
    int8_t *labels = calloc((size_t)p->n, 1);
    step(conv, s, NULL);
    conv->observe(s, NULL, labels);
    for (int64_t k = 0; k < p->n; k++)
        assert_int_equal(labels[k], -p->truth[k]);
    assert_true(metric(conv, s, "bag_error") > 0.3);
    free(labels);
    conv->destroy(s);
    s = create_state(conv, q, "kernel=rbf sign=means");
    for (int t = 0; t < 4 && step(conv, s, NULL) == WL_MORE; t++) {
        wlab_err err;
        wlab_model *m = NULL;
        double f[60], mean[6] = {0}, sum = 0;
        ASSERT_OK(conv->model(s, &m, NULL, &err), err);
        ASSERT_OK(wlab_model_predict(m, q->X, f, NULL, &err), err);
        wlab_model_destroy(m);
        for (int k = 0; k < 60; k++)
            mean[q->bag[k]] += f[k] / 10;
        for (int a = 0; a < 6; a++)
            for (int b = 0; b < a; b++)
                sum += (mean[a] - mean[b]) * (q->bag_given[a] - q->bag_given[b]);
        assert_true(sum > 0);
    }
    conv->destroy(s);
    wlab_problem_unref(p);
    wlab_problem_unref(q);
}

/* With the linear kernel, center=yes gives the same outputs on new rows as data whose mean was subtracted; with the RBF
 * kernel, center=yes gives the same outputs after the data were shifted.  The rows of a centred K sum to 0. */
static void test_centring(void **state)
{
    (void)state;
    wlab_err err;
    enum {
        N = 24
    };
    wlab_dataset *data = made_data("two-moons", "n=24 noise=0.3 seed=2", &err),
                 *moved = made_data("two-moons", "n=24 noise=0.3 seed=2", &err),
                 *fresh = made_data("two-moons", "n=24 noise=0.3 seed=9", &err);
    assert_true(data && moved && fresh);
    const int32_t d = data->X->cols;
    wlab_problem *p[2] = {NULL, NULL};
    wlab_dataset *of[2] = {data, moved};
    wlab_params *how = made_params(wlab_task_find("llp")->params, "bagsize=6 seed=1", &err);
    double f[2][N], mean[2] = {0, 0};
    for (int i = 0; i < N * d; i++)
        data->X->dense[i] += 3;
    for (int i = 0; i < N * d; i++)
        mean[i % d] += data->X->dense[i] / (double)N;
    for (int i = 0; i < N * d; i++)
        moved->X->dense[i] = data->X->dense[i] - mean[i % d];
    for (int k = 0; k < 2; k++)
        ASSERT_OK(wlab_problem_create(&p[k], of[k], NULL, 0, NULL, 0, wlab_task_find("llp"), how, NULL, &err),
                  err);
    for (int c = 0; c < 2; c++) {
        const char *kernel = c ? "kernel=rbf gamma=0.5 center=yes" : "kernel=linear center=yes";
        for (int k = 0; k < 2; k++) {
            conv_state *s = create_state(conv, p[k], k && !c ? "kernel=linear" : kernel);
            wlab_model *m = NULL;
            step(conv, s, NULL);
            step(conv, s, NULL);
            for (int64_t i = 0; i < N && s->w.centred; i++) {
                double sum = 0;
                for (int64_t j = 0; j < N; j++)
                    sum += s->w.K[i * N + j];
                ASSERT_NEAR(sum, 0, 1e-10);
            }
            for (int i = 0; i < N * d; i++)
                fresh->X->dense[i] += k ? -mean[i % d] : 0;
            ASSERT_OK(conv->model(s, &m, NULL, &err), err);
            ASSERT_OK(wlab_model_predict(m, fresh->X, f[k], NULL, &err), err);
            for (int i = 0; i < N * d; i++)
                fresh->X->dense[i] += k ? mean[i % d] : 0;
            wlab_model_destroy(m);
            conv->destroy(s);
        }
        for (int i = 0; i < N; i++)
            ASSERT_NEAR(f[0][i], f[1][i], 1e-6);
    }
    wlab_params_destroy(how);
    for (int k = 0; k < 2; k++) {
        wlab_problem_unref(p[k]);
        wlab_dataset_unref(of[k]);
    }
    wlab_dataset_unref(fresh);
}

/* With more than 4000 rows and the linear kernel no K is stored.  The bounds are valid, and the axes certify a lower
 * bound above 0. */
static void test_at_size(void **state)
{
    (void)state;
    wlab_problem *p = pose("two-moons", "n=4200 noise=0.2 seed=1", "llp", "bagsize=50 seed=1");
    conv_state *s = create_state(conv, p, "kernel=linear C=0.01");
    assert_null(s->w.K);
    for (int t = 0; t < 3 && step(conv, s, NULL) == WL_MORE; t++)
        ;
    assert_true(metric(conv, s, "lower") > 0 && metric(conv, s, "upper") >= metric(conv, s, "lower"));
    assert_true(metric(conv, s, "rank_one") > 0 && metric(conv, s, "bag_error") >= 0);
    conv->destroy(s);
    wlab_problem_unref(p);
}

static void assert_refused(const char *kind, const char *how, const char *run, const char *why)
{
    wlab_err err;
    void *s = NULL;
    wlab_problem *p = pose(kind, how, "llp", "bagsize=50 seed=1");
    wlab_params *params = made_params(conv->params, run, &err);
    assert_non_null(params);
    assert_int_equal(conv->create(&s, p, params, NULL, &err), WL_EARG);
    assert_null(s);
    if (!strstr(err.message, why))
        fail_msg("%s: %s", run, err.message);
    wlab_params_destroy(params);
    wlab_problem_unref(p);
}

static void test_refusals(void **state)
{
    (void)state;
    assert_refused("two-moons", "n=60 seed=1", "center=yes bias=1", "exclude each other");
    assert_refused("two-moons", "n=60 seed=1", "kernel=rbf basis=features", "basis=pca");
    assert_refused("two-moons", "n=4200 seed=1", "kernel=linear center=yes", "zscore");
    assert_refused("two-moons", "n=4200 seed=1", "kernel=rbf", "alter-psvm");
    assert_refused("two-moons", "n=4200 seed=1", "kernel=linear basis=pca", "alter-psvm");
    assert_refused("two-moons", "n=4200 seed=1", "kernel=linear search=exact", "search=");
}

/* ---- repeated to the same bits ---- */

static void test_restored(void **state)
{
    (void)state;
    for (int c = 0; c < SMALL; c++) {
        wlab_err err;
        wlab_problem *p = posed_problem(&small[c]);
        void *a = create_state(conv, p, small[c].run), *b = create_state(conv, p, small[c].run);
        wlab_step step = {0};
        for (int unit = 0; unit < 40; unit++) {
            wlab_buf shot = {0}, cut, before = {0}, after = {0};
            ASSERT_OK(conv->advance(a, NULL, &step, &err), err);
            ASSERT_OK(conv->advance(b, NULL, &step, &err), err);
            ASSERT_OK(wlab_algo_snapshot(conv, b, &shot, &err), err);
            conv->destroy(b);
            b = create_state(conv, p, small[c].run);
            ASSERT_OK(wlab_algo_snapshot(conv, b, &before, &err), err);
            cut = shot;
            cut.len--;
            assert_int_not_equal(wlab_algo_restore(conv, b, &cut, NULL, &err), WL_OK);
            ASSERT_OK(wlab_algo_snapshot(conv, b, &after, &err), err);
            assert_true(before.len == after.len && memcmp(before.data, after.data, after.len) == 0);
            ASSERT_OK(wlab_algo_restore(conv, b, &shot, NULL, &err), err);
            assert_true(shot.pos == shot.len);
            assert_same_metrics(conv, a, b, p->n, small[c].run);
            wlab_buf_clear(&shot);
            wlab_buf_clear(&before);
            wlab_buf_clear(&after);
        }
        conv->destroy(a);
        conv->destroy(b);
        wlab_problem_unref(p);
    }
}

static void test_threads(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = pose("g50c", "n=60 seed=1", "llp", "bagsize=8 seed=1");
    void *first = NULL;
    for (int threads = 1; threads <= 4; threads *= 2) {
        wlab_ctx ctx = {0};
        ASSERT_OK(wlab_pool_create(&ctx.pool, threads, &err), err);
        void *s = create_state(conv, p, "kernel=rbf");
        for (int t = 0; t < 4 && step(conv, s, &ctx) == WL_MORE; t++)
            ;
        if (first) {
            assert_same_metrics(conv, first, s, p->n, "threads");
            conv->destroy(s);
        } else {
            first = s;
        }
        wlab_pool_destroy(ctx.pool);
    }
    conv->destroy(first);
    wlab_problem_unref(p);
}

static void fail_each_allocation(const wlab_algo *algo, const posed *c, const char *run)
{
    wlab_err err;
    wlab_problem *p = posed_problem(c);
    wlab_params *params = made_params(algo->params, run, &err);
    void *s = NULL, *calm = create_state(algo, p, run);
    wlab_model *m = NULL;
    assert_non_null(params);
    ALLOC_SWEEP_OUT(algo->create(&s, p, params, NULL, &err), s);
    wlab_step step = {0};
    for (int unit = 0; unit < 5; unit++) {
        ALLOC_SWEEP(algo->advance(s, NULL, &step, &err));
        ASSERT_OK(algo->advance(calm, NULL, &step, &err), err);
        assert_same_metrics(algo, s, calm, p->n, run);
    }
    ALLOC_SWEEP_OUT(algo->model(s, &m, NULL, &err), m);
    wlab_model_destroy(m);
    wlab_params_destroy(params);
    algo->destroy(s);
    algo->destroy(calm);
    wlab_problem_unref(p);
}

static void test_allocation_failures(void **state)
{
    (void)state;
    for (int c = 0; c < SMALL; c += 3)
        fail_each_allocation(conv, &small[c], small[c].run);
    /* WellSVM creates its axes inside a step */
    fail_each_allocation(&wlab_algo_wellsvm, &small[0], "kernel=linear search=linf");
    fail_each_allocation(&wlab_algo_wellsvm, &small[0], "kernel=rbf search=linf");
}

/* A run that ended because of decrease=0.9 continues after `set decrease=0`.  After a change of C, which makes
 * another problem, the old bounds do not hold any more. */
static void test_set(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = posed_problem(&small[0]);
    conv_state *s = create_state(conv, p, "kernel=linear C=1 decrease=0.9");
    while (step(conv, s, NULL) == WL_MORE)
        ;
    const int64_t labelings = s->w.T;
    wlab_params *params = made_params(conv->params, "kernel=linear C=1 decrease=0 labelings=100", &err);
    ASSERT_OK(conv->set(s, params, &err), err);
    wlab_params_destroy(params);
    while (step(conv, s, NULL) == WL_MORE)
        ;
    assert_true(s->w.T > labelings);
    const double upper = s->w.upper_bound;
    params = made_params(conv->params, "kernel=linear C=100 decrease=0 labelings=100", &err);
    ASSERT_OK(conv->set(s, params, &err), err);
    wlab_params_destroy(params);
    assert_true(isnan(metric(conv, s, "upper")));
    step(conv, s, NULL);
    assert_true(metric(conv, s, "upper") > upper);
    conv->destroy(s);
    wlab_problem_unref(p);
}

/* eps= allows the same labelings as the task's eps, visible labels included, and does not change the problem. */
static void test_eps(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = pose("g50c", "n=40 seed=1", "llp", "bagsize=10 seed=1 labeled=4 eps=0.2"),
                 *q = pose("g50c", "n=40 seed=1", "llp", "bagsize=10 seed=1 labeled=4");
    const double allowed = wlab_labelset_count(q->labels);
    void *a = create_state(conv, p, "kernel=linear"), *b = create_state(conv, q, "kernel=linear eps=0.2"),
         *c = NULL;
    for (int t = 0; t < 5; t++) {
        step(conv, a, NULL);
        step(conv, b, NULL);
        assert_same_metrics(conv, a, b, p->n, "eps");
    }
    assert_true(wlab_labelset_count(p->labels) > allowed && wlab_labelset_count(q->labels) == allowed);
    conv->destroy(a);
    conv->destroy(b);
    wlab_problem_unref(p);
    wlab_params *params = made_params(conv->params, "kernel=linear eps=0.2", &err);
    ALLOC_SWEEP_OUT(conv->create(&c, q, params, NULL, &err), c);
    conv->destroy(c);
    wlab_problem_unref(q);
    p = pose("g50c", "n=40 seed=1", "ssl", "labeled=6");
    c = NULL;
    assert_int_equal(conv->create(&c, p, params, NULL, &err), WL_EARG);
    wlab_params_destroy(params);
    wlab_problem_unref(p);
}

/* Visible labels inside bags are kept, and they decide the sign of y. */
static void test_visible(void **state)
{
    (void)state;
    wlab_problem *p = pose("blobs", "n=60 seed=3", "llp", "bagsize=60 seed=1 labeled=6");
    conv_state *s = create_state(conv, p, "kernel=linear center=yes");
    int8_t labels[60];
    int64_t right = 0;
    while (step(conv, s, NULL) == WL_MORE)
        ;
    conv->observe(s, NULL, labels);
    for (int64_t k = 0; k < p->n; k++) {
        assert_true(!p->visible[k] || labels[k] == p->visible[k]);
        right += labels[k] == p->truth[k];
    }
    assert_true(right > 30);
    for (int64_t t = 0; t < s->w.T; t++)
        for (int64_t k = 0; k < p->n; k++)
            assert_true(!p->visible[k] || well_label(&s->w, t, k) == p->visible[k]);
    conv->destroy(s);
    wlab_problem_unref(p);
}

static void count_warnings(void *sink, const wlab_event *event)
{
    if (event->kind == WL_EV_WARNING && strstr(event->text, "scale the data") &&
        strstr(event->text, "smaller C"))
        ++*(int *)sink;
}

/* Whatever the scale of the columns, a run reports that it converged only if its SVM and master are solved.  If they
 * are not, it stalls or reaches its limit, and warns once what to do. */
static void test_unsolved(void **state)
{
    (void)state;
    static const wlab_algo *const algos[] = {&wlab_algo_conv, &wlab_algo_wellsvm};
    static const char *const runs[] = {"kernel=linear C=1", "kernel=linear C=1e8",
                                       "kernel=linear C=1e8 search=multistart", "kernel=rbf sigma=1x C=1e6"};
    int converged = 0, stalled = 0;
    for (int size = 0; size < 3; size++) {
        wlab_problem *p = pose("two-moons", "n=24 noise=0.3 seed=1", "llp", "bagsize=4 seed=1");
        for (int64_t k = 0; k < p->X->rows * p->X->cols; k++)
            p->data->X->dense[k] *= size == 2 ? 1e5 : size == 1 ? 1e3 : 1;
        for (int k = 0; k < 8; k++) {
            const wlab_algo *algo = algos[k % 2];
            int warnings = 0;
            wlab_ctx ctx = {.emit = count_warnings, .sink = &warnings};
            wellsvm *s = create_state(algo, p, runs[k / 2]);
            wlab_verdict verdict;
            while ((verdict = step(algo, s, &ctx)) == WL_MORE)
                ;
            const double up = fabs(metric(algo, s, "upper")), most = fmax(1e-3, 10 * s->master_tol) * up;
            if (verdict == WL_CONVERGED) {
                assert_true(metric(algo, s, "inner_gap") <= most && metric(algo, s, "master_gap") <= most);
                assert_int_equal(warnings, 0);
                converged++;
            } else if (well_unsolved(s)) {
                char text[4096];
                assert_true(verdict == WL_STALLED || verdict == WL_LIMIT);
                assert_int_equal(warnings, 1);
                algo->explain(s, text, sizeof text);
                assert_true(verdict == WL_LIMIT || strstr(text, "Scale the data"));
                stalled++;
            }
            algo->destroy(s);
        }
        wlab_problem_unref(p);
    }
    assert_true(converged >= 8 && stalled >= 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_search_against_enumeration),
        cmocka_unit_test(test_axes),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_same_problem_as_wellsvm),
        cmocka_unit_test(test_recovery),
        cmocka_unit_test(test_supervised),
        cmocka_unit_test(test_toy),
        cmocka_unit_test(test_sign_by_means),
        cmocka_unit_test(test_centring),
        cmocka_unit_test(test_eps),
        cmocka_unit_test(test_visible),
        cmocka_unit_test(test_at_size),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_restored),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_allocation_failures),
        cmocka_unit_test(test_set),
        cmocka_unit_test(test_unsolved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * InvCal: objective and certificate from the model's outputs alone, a comparison with LIBSVM, labels inside bags,
 * bags without a proportion, equal proportions, bags of one row, the toy on which it must fail.
 */
#include "posed.h"
#include "reference.h"

#include "algo/llp/super_instances.h"
#include "weaklab/score.h"

static const wlab_algo *const invcal = &wlab_algo_invcal;

static double f_of(const double *f, const int32_t *member, int64_t n)
{
    double sum = 0;
    for (int64_t j = 0; j < n; j++)
        sum += f[member[j]];
    return sum / (double)n;
}

/* ||w||^2, from w or as the sum of coef (f - b) over the kernel expansion. */
static double norm_of(const wlab_model *m)
{
    double sum = 0;
    if (m->w) {
        for (int32_t j = 0; j < m->cols; j++)
            sum += m->w[j] * m->w[j];
        return sum;
    }
    wlab_err err;
    double *f = malloc((size_t)m->nsv * sizeof *f);
    assert_non_null(f);
    ASSERT_OK(wlab_model_predict(m, m->sv, f, NULL, &err), err);
    for (int64_t k = 0; k < m->nsv; k++)
        sum += m->coef[k] * (f[k] - m->b[0]);
    free(f);
    return sum;
}

/* The objective of Eq. 5, from the given proportions and the model's outputs. */
static double plain_objective(const wlab_problem *p, const void *state, double Cp, double eps, double clip,
                              double wb)
{
    wlab_err err;
    wlab_proportions *bags = NULL;
    wlab_super_instances *u = NULL;
    wlab_model *m = model_of(invcal, state);
    double *f = outputs(invcal, state, p), loss = 0;
    ASSERT_OK(wlab_proportions_create(&bags, p, &err), err);
    ASSERT_OK(wlab_super_instances_create(&u, p, bags, &err), err);
    for (int64_t k = 0; k < u->n; k++) {
        const double proportion = fmin(fmax(u->proportion[k], clip), 1 - clip);
        const double t = log(proportion / (1 - proportion)),
                     off = proportion < 0.5 ? proportion + eps : proportion - eps,
                     tube = fabs(t - log(off / (1 - off)));
        const double out = fabs(t - f_of(f, u->member + u->start[k], wlab_super_instances_size(u, k))) - tube;
        loss += out > 0 ? out : 0;
    }
    const double value = 0.5 * (norm_of(m) + wb * wb) + Cp * loss;
    wlab_super_instances_destroy(u);
    wlab_proportions_destroy(bags);
    wlab_model_destroy(m);
    free(f);
    return value;
}

static void test_certificate(void **state)
{
    (void)state;
    static const struct {
        const char *task, *options, *settings;
        double Cp, eps, clip, bias;
    } cases[] = {
        {"llp", "bagsize=5 seed=1", "tol=1e-10", 1, 0, 1.0 / 90, 0},
        {"llp", "bagsize=4 seed=2", "kernel=rbf gamma=2 Cp=10 eps=0.01 tol=1e-10", 10, 0.01, 1.0 / 90, 0},
        {"llp", "bagsize=7 seed=3 labeled=9", "kernel=rbf sigma=0.5x eps=0.05 clip=0.1 tol=1e-10", 1, 0.05,
         0.1, 0},
        {"llp", "bagsize=9 seed=1", "offset=none Cp=0.1 tol=1e-10", 0.1, 0, 1.0 / 90, 0},
        {"llp", "bagsize=3 seed=1", "offset=none bias=2 kernel=poly degree=2 tol=1e-10", 1, 0, 1.0 / 90, 2},
        {"llp", "bagsize=3 seed=1", "offset=none bias=1 tol=1e-10", 1, 0, 1.0 / 90, 1},
        {"ssl", "labeled=8 seed=1", "kernel=rbf tol=1e-10", 1, 0, 1.0 / 90, 0},
        {"supervised", "", "tol=1e-10", 1, 0, 1.0 / 90, 0},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        wlab_problem *p = pose("two-moons", "n=90 noise=0.2 seed=1", cases[c].task, cases[c].options);
        void *s = create_state(invcal, p, cases[c].settings);
        assert_true(isnan(metric(invcal, s, "objective")));
        assert_int_equal(step(invcal, s, NULL), WL_CONVERGED);
        const double objective = metric(invcal, s, "objective"), gap = metric(invcal, s, "gap");
        assert_true(gap >= 0 && gap <= 1e-10 * objective);
        wlab_model *m =
            model_of(invcal, s); /* a kernel expansion contains the feature of ones, a linear w does not */
        const double wb = cases[c].bias > 0 && m->w ? m->b[0] / cases[c].bias : 0;
        const double shift = cases[c].bias > 0 && !m->w ? m->b[0] / cases[c].bias : 0;
        wlab_model_destroy(m);
        ASSERT_NEAR(plain_objective(p, s, cases[c].Cp, cases[c].eps, cases[c].clip, wb) + 0.5 * shift * shift,
                    objective, 1e-9);
        double *f = outputs(invcal, s, p), error = 0;
        if (p->bag) { /* Eq. 23 */
            for (int64_t b = 0; b < p->bags; b++) {
                double size = 0, positives = 0;
                for (int64_t i = 0; i < p->n; i++)
                    if (p->bag[i] == b) {
                        size++;
                        positives += f[i] > 0;
                    }
                error += fabs(p->bag_given[b] - positives / size);
            }
            ASSERT_NEAR(metric(invcal, s, "bag_error"), error, 1e-12);
        }
        free(f);
        invcal->destroy(s);
        wlab_problem_unref(p);
    }
}

/* LIBSVM's regression of the bags' means has the same objective, and none below the certified lower bound. */
static void test_reference(void **state)
{
    (void)state;
    static const char *const kernels[] = {"eps=0.1 tube=output tol=1e-9", "kernel=rbf Cp=10 tol=1e-9"};
    wlab_problem *p = pose("g50c", "n=120 seed=1", "llp", "bagsize=3 seed=1");
    for (int k = 0; k < 2; k++) {
        wlab_err err;
        wlab_proportions *bags = NULL;
        wlab_super_instances *u = NULL;
        wlab_kernel kernel = {0};
        const double Cp = k ? 10 : 1, eps = k ? 0 : 0.1, clip = 1.0 / 120;
        void *own = create_state(invcal, p, kernels[k]);
        step(invcal, own, NULL);
        ASSERT_OK(wlab_proportions_create(&bags, p, &err), err);
        ASSERT_OK(wlab_super_instances_create(&u, p, bags, &err), err);
        const int64_t n = u->n;
        double *K = malloc((size_t)(n * n) * sizeof *K), *t = malloc((size_t)n * sizeof *t),
               *c = malloc((size_t)n * sizeof *c), theirs = 0;
        assert_true(K && t && c);
        kernel = *invcal->kernel(own);
        ASSERT_OK(wlab_super_instances_kernel(u, p, &kernel, K, NULL, &err), err);
        for (int64_t i = 0; i < n; i++) {
            const double proportion = fmin(fmax(u->proportion[i], clip), 1 - clip);
            t[i] = -log(1 / proportion - 1);
        }
        const double b = reference_libsvm_regress(K, t, n, Cp, eps, 1e-5, c);
        for (int64_t i = 0; i < n; i++) {
            double f = 0;
            for (int64_t j = 0; j < n; j++)
                f += K[i * n + j] * c[j];
            theirs += 0.5 * c[i] * f + Cp * fmax(fabs(t[i] - f - b) - eps, 0);
        }
        assert_true(theirs >= metric(invcal, own, "lower"));
        ASSERT_NEAR(theirs, metric(invcal, own, "objective"), 1e-4);
        free(K);
        free(t);
        free(c);
        wlab_super_instances_destroy(u);
        wlab_proportions_destroy(bags);
        invcal->destroy(own);
    }
    wlab_problem_unref(p);
}

/* With 2200 bags coordinate descent solves the problem, and passes= can stop it.  With sparse means, which are in
 * single precision, the objective is right to 1e-6. */
static void test_many_bags(void **state)
{
    (void)state;
    wlab_problem *p = pose("g50c", "n=4400 seed=1", "llp", "bagsize=2 seed=1");
    void *s = create_state(invcal, p, "Cp=0.001 tol=1e-3"),
         *cut = create_state(invcal, p, "Cp=1 tol=1e-9 passes=2");
    char text[1024];
    assert_int_equal(step(invcal, s, NULL), WL_CONVERGED);
    assert_true(metric(invcal, s, "gap") <= 1e-3 * metric(invcal, s, "objective"));
    ASSERT_NEAR(plain_objective(p, s, 0.001, 0, 1.0 / 4400, 0), metric(invcal, s, "objective"), 1e-9);
    assert_int_equal(step(invcal, cut, NULL), WL_LIMIT);
    assert_true(metric(invcal, cut, "gap") > 0);
    invcal->explain(cut, text, sizeof text);
    assert_non_null(strstr(text, "passes="));
    invcal->destroy(s);
    invcal->destroy(cut);
    wlab_problem_unref(p);
    p = pose("topics", "n=600 d=60000 seed=2 meanlen=30", "llp", "bagsize=1 seed=1");
    s = create_state(invcal, p, "Cp=0.1 tol=1e-6");
    step(invcal, s, NULL);
    ASSERT_NEAR(plain_objective(p, s, 0.1, 0, 1.0 / 600, 0), metric(invcal, s, "objective"), 1e-6);
    invcal->destroy(s);
    wlab_problem_unref(p);
}

/* A labelled row is a super-instance of its own; the rest of its bag has the remaining proportion. */
static void test_labels_inside(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = pose("two-moons", "n=12 seed=1", "llp", "bagsize=4 seed=1");
    static const int8_t visible[] = {1, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    wlab_proportions *bags = NULL;
    wlab_super_instances *u = NULL;
    for (int i = 0; i < 12; i++) {
        p->bag[i] = i / 4;
        p->visible[i] = visible[i];
    }
    p->bag_given[0] = 0.5;
    p->bag_given[1] = NAN;
    p->bag_given[2] = 0.25;
    ASSERT_OK(wlab_proportions_create(&bags, p, &err), err);
    ALLOC_SWEEP_OUT(wlab_super_instances_create(&u, p, bags, &err), u);
    assert_int_equal(u->n, 4); /* two rows of bag 0, bag 2, rows 0 and 2 */
    assert_int_equal(u->bags, 2);
    assert_int_equal(u->rows, 8);
    assert_true(u->proportion[0] == 0.5 && u->proportion[1] == 0.25 && u->proportion[2] == 1 &&
                u->proportion[3] == 0);
    assert_true(u->member[0] == 1 && u->member[1] == 3 && u->member[2] == 8 && u->member[6] == 0 &&
                u->member[7] == 2);
    double c[12], a[4] = {1, 2, 3, 4};
    wlab_super_instances_spread(u, a, c, 12);
    assert_true(c[1] == 0.5 && c[4] == 0 && c[9] == 0.5 && c[0] == 3 && c[2] == 4);
    wlab_super_instances_destroy(u);
    p->bag_given[0] = 0; /* this contradicts the label of row 0, but is accepted */
    ASSERT_OK(wlab_super_instances_create(&u, p, bags, &err), err);
    wlab_super_instances_destroy(u);
    wlab_proportions_destroy(bags);
    for (int b = 0; b < 3; b++)
        p->bag_given[b] = NAN;
    memset(p->visible, 0, 12);
    void *s = NULL;
    wlab_params *params = made_params(invcal->params, "", &err);
    ASSERT_FAILS(invcal->create(&s, p, params, NULL, &err), WL_ESTATE, err, "gives no label");
    wlab_params_destroy(params);
    wlab_problem_unref(p);
}

/* Means and mean kernels against their definitions, dense, sparse and in blocks. */
static void test_means(void **state)
{
    (void)state;
    static const char *const kinds[][2] = {{"two-moons", "n=31 seed=3"},
                                           {"topics", "n=100 d=1000 seed=2 meanlen=20"}};
    for (int c = 0; c < 2; c++) {
        wlab_err err;
        wlab_problem *p = pose(kinds[c][0], kinds[c][1], "llp", c ? "bagsize=13" : "bagsize=4");
        wlab_proportions *bags = NULL;
        wlab_super_instances *u = NULL;
        wlab_matrix *M = NULL;
        const wlab_kernel kernel = {.kind = WL_K_POLY, .gamma = 0.5, .coef0 = 1, .degree = 2, .bias = 0.5};
        double K[8 * 8];
        ASSERT_OK(wlab_proportions_create(&bags, p, &err), err);
        ASSERT_OK(wlab_super_instances_create(&u, p, bags, &err), err);
        assert_int_equal(u->n, 8);
        ALLOC_SWEEP_OUT(wlab_super_instances_means(&M, u, p->X, &err), M);
        ALLOC_SWEEP(wlab_super_instances_kernel(u, p, &kernel, K, NULL, &err));
        for (int64_t k = 0; k < 8; k++)
            for (int64_t l = 0; l < 8; l++) {
                double sum = 0, dot = 0;
                for (int64_t i = u->start[k]; i < u->start[k + 1]; i++)
                    for (int64_t j = u->start[l]; j < u->start[l + 1]; j++) {
                        const double xz = wlab_matrix_rows_dot(p->X, u->member[i], p->X, u->member[j]);
                        dot += xz;
                        sum += (0.5 * xz + 1) * (0.5 * xz + 1) + 0.25;
                    }
                const double pairs =
                    (double)(wlab_super_instances_size(u, k) * wlab_super_instances_size(u, l));
                ASSERT_NEAR(K[k * 8 + l], sum / pairs, 1e-12);
                ASSERT_NEAR(wlab_matrix_rows_dot(M, k, M, l), dot / pairs, 1e-12);
            }
        wlab_matrix_destroy(M);
        wlab_super_instances_destroy(u);
        wlab_proportions_destroy(bags);
        wlab_problem_unref(p);
    }
}

/* With bags of one row InvCal finds the same as if all labels were given. */
static void test_bags_of_one(void **state)
{
    (void)state;
    wlab_problem *one = pose("two-moons", "n=60 noise=0.2 seed=1", "llp", "bagsize=1 seed=4");
    wlab_problem *all = pose("two-moons", "n=60 noise=0.2 seed=1", "supervised", "");
    void *a = create_state(invcal, one, "kernel=rbf tol=1e-10"),
         *b = create_state(invcal, all, "kernel=rbf tol=1e-10");
    step(invcal, a, NULL);
    step(invcal, b, NULL);
    ASSERT_NEAR(metric(invcal, a, "objective"), metric(invcal, b, "objective"), 1e-9);
    double *f = outputs(invcal, a, one), *g = outputs(invcal, b, all);
    for (int64_t i = 0; i < 60; i++)
        ASSERT_NEAR(f[i], g[i], 1e-4);
    free(f);
    free(g);
    invcal->destroy(a);
    invcal->destroy(b);
    wlab_problem_unref(one);
    wlab_problem_unref(all);
}

static int warned;
static void count_warnings(void *sink, const wlab_event *event)
{
    (void)sink;
    warned += event->kind == WL_EV_WARNING && strstr(event->text, "cannot distinguish rows");
}

/* Section 7.1: with equal proportions it warns that it learns nothing. */
static void test_equal_proportions(void **state)
{
    (void)state;
    wlab_problem *p = pose("two-moons", "n=80 seed=1", "llp", "bagsize=8 deal=even seed=1");
    wlab_ctx ctx = {.emit = count_warnings};
    void *s = create_state(invcal, p, "");
    warned = 0;
    assert_int_equal(step(invcal, s, &ctx), WL_CONVERGED);
    assert_int_equal(warned, 1);
    double *f = outputs(invcal, s, p);
    for (int64_t i = 1; i < p->n; i++)
        assert_true(f[i] == f[0]);
    free(f);
    invcal->destroy(s);
    wlab_problem_unref(p);
}

/* On the toy of Figure 1 nearly every row is wrong, because the bags' means lie on the wrong sides. */
static void test_toy(void **state)
{
    (void)state;
    wlab_problem *p = pose("llp-toy", "seed=1", "llp", "");
    void *s = create_state(invcal, p, "");
    wlab_scores scores;
    step(invcal, s, NULL);
    double *f = outputs(invcal, s, p);
    wlab_score(f, p->truth, p->n, &scores);
    assert_true(scores.accuracy < 0.05);
    free(f);
    invcal->destroy(s);
    wlab_problem_unref(p);
}

static void test_refusals(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"bias=1", "offset=none"},
        {"gamma=1", "does not apply"},
    };
    wlab_problem *p = pose("two-moons", "n=20 seed=1", "llp", "bagsize=4");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        wlab_err err;
        void *s = NULL;
        wlab_params *params = made_params(invcal->params, cases[k][0], &err);
        assert_non_null(params);
        ASSERT_FAILS(invcal->create(&s, p, params, NULL, &err), WL_EARG, err, cases[k][1]);
        assert_null(s);
        wlab_params_destroy(params);
    }
    wlab_problem_unref(p);
}

static void test_memory_and_snapshots(void **state)
{
    (void)state;
    static const char *const settings[] = {"", "kernel=rbf", "offset=none bias=1"};
    wlab_problem *p = pose("two-moons", "n=24 seed=1", "llp", "bagsize=4 labeled=3");
    const atomic_int stop = 1;
    wlab_ctx ctx = {.interrupt = &stop};
    for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
        wlab_err err;
        void *s = NULL, *t;
        wlab_buf buf = {0};
        wlab_step now = {0};
        wlab_model *m = NULL;
        wlab_params *params = made_params(invcal->params, settings[k], &err);
        ALLOC_SWEEP_OUT(invcal->create(&s, p, params, NULL, &err), s);
        ASSERT_FAILS(invcal->model(s, &m, NULL, &err), WL_ESTATE, err, "step");
        ASSERT_FAILS(invcal->advance(s, &ctx, &now, &err), WL_EINTERRUPTED, err, "interrupted");
        assert_true(isnan(metric(invcal, s, "objective")));
        ALLOC_SWEEP_CHECK(invcal->advance(s, NULL, &now, &err),
                          assert_true(isnan(metric(invcal, s, "objective"))));
        ALLOC_SWEEP_OUT(invcal->model(s, &m, NULL, &err), m);
        wlab_model_destroy(m);
        ASSERT_OK(wlab_algo_snapshot(invcal, s, &buf, &err), err);
        ASSERT_OK(invcal->create(&t, p, params, NULL, &err), err);
        for (size_t cut = 0; cut < buf.len; cut += 7) {
            wlab_buf part = {.data = buf.data, .len = cut};
            ASSERT_FAILS(wlab_algo_restore(invcal, t, &part, NULL, &err), WL_EINPUT, err, "damaged");
        }
        ASSERT_OK(wlab_algo_restore(invcal, t, &buf, NULL, &err), err);
        double *f = outputs(invcal, s, p), *g = outputs(invcal, t, p);
        assert_memory_equal(f, g, (size_t)p->n * sizeof *f);
        free(f);
        free(g);
        wlab_buf_clear(&buf);
        wlab_params_destroy(params);
        invcal->destroy(s);
        invcal->destroy(t);
    }
    wlab_problem_unref(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_certificate),
        cmocka_unit_test(test_reference),
        cmocka_unit_test(test_many_bags),
        cmocka_unit_test(test_labels_inside),
        cmocka_unit_test(test_means),
        cmocka_unit_test(test_bags_of_one),
        cmocka_unit_test(test_equal_proportions),
        cmocka_unit_test(test_toy),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_memory_and_snapshots),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

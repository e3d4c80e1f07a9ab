/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The supervised SVM: backends against each other, independence of unlabelled rows, snapshots, refusals.
 */
#include "support.h"

#include "algo/algos.h"
#include "made.h"
#include "weaklab/model.h"

#include <libsvm/svm.h>

static const wlab_algo *const svm = &wlab_algo_svm;

static wlab_problem *pose(wlab_dataset *data, const char *task, const char *options)
{
    wlab_err err;
    wlab_problem *p = NULL;
    const wlab_task *t = wlab_task_find(task);
    wlab_params *params = made_params(t->params, options, &err);
    assert_non_null(params);
    ASSERT_OK(wlab_problem_create(&p, data, NULL, 0, NULL, 0, t, params, NULL, &err), err);
    wlab_params_destroy(params);
    return p;
}

static void *create(wlab_problem *p, const char *options)
{
    wlab_err err;
    void *state = NULL;
    wlab_params *params = made_params(svm->params, options, &err);
    if (!params)
        fail_msg("%s: %s", options, err.message);
    ASSERT_OK(svm->create(&state, p, params, NULL, &err), err);
    wlab_params_destroy(params);
    return state;
}

static wlab_verdict step(void *state)
{
    wlab_err err;
    wlab_step step = {0};
    ASSERT_OK(svm->advance(state, NULL, &step, &err), err);
    assert_true(step.complete && step.verdict != WL_MORE);
    return step.verdict;
}

static double metric(const void *state, const char *name)
{
    double values[16];
    int k = wlab_metric_index(svm, name);
    assert_true(k >= 0 && wlab_metric_count(svm) <= 16);
    svm->observe(state, values, NULL);
    return values[k];
}

static void *train(wlab_problem *p, const char *options)
{
    void *state = create(p, options);
    const wlab_verdict verdict = step(state); /* LIBLINEAR and LIBSVM stop by their own criteria */
    if (verdict != WL_CONVERGED && !strstr(options, "backend=lib"))
        fail_msg("%s: %s, gap %g", options, wlab_verdict_names[verdict],
                 metric(state, "gap") / metric(state, "objective"));
    return state;
}

static void keep_warning(void *sink, const wlab_event *event)
{
    if (event->kind == WL_EV_WARNING)
        snprintf(sink, 1024, "%s", event->text);
}

static wlab_model *model_of(const void *state)
{
    wlab_err err;
    wlab_model *m = NULL;
    ASSERT_OK(svm->model(state, &m, NULL, &err), err);
    return m;
}

/* Checks the objective and the metrics against values computed from the model's predictions alone. */
static void certify(wlab_problem *p, const void *state, double C, bool squared, double bias)
{
    wlab_err err;
    wlab_model *m = model_of(state);
    double *f = calloc((size_t)p->n, sizeof *f), sum = 0, wb = bias > 0 ? m->b[0] / bias : 0;
    int8_t *labels = calloc((size_t)p->n, 1);
    assert_true(f && labels);
    ASSERT_OK(wlab_model_predict(m, p->X, f, NULL, &err), err);
    svm->observe(state, NULL, labels);
    for (int32_t j = 0; j < m->cols; j++)
        sum += 0.5 * m->w[j] * m->w[j];
    sum += 0.5 * wb * wb;
    for (int64_t k = 0; k < p->n; k++) {
        double slack = fmax(0, 1 - p->visible[k] * f[k]);
        if (p->visible[k])
            sum += squared ? 0.5 * C * slack * slack : C * slack;
        assert_int_equal(labels[k], p->visible[k] ? p->visible[k] : f[k] > 0 ? 1 : -1);
    }
    ASSERT_NEAR(metric(state, "objective") / sum, 1, 1e-10);
    assert_true(metric(state, "upper") == metric(state, "objective"));
    wlab_model_destroy(m);
    free(f);
    free(labels);
}

/* The own solvers and LIBLINEAR solve the same problem, for both losses, with the offset as a feature or without. */
static void test_own_against_liblinear(void **state)
{
    (void)state;
    wlab_err err;
    wlab_dataset *data = made_data("g50c", "seed=3", &err);
    assert_non_null(data);
    wlab_problem *p = pose(data, "ssl", "labeled=60 seed=2");
    for (int k = 0; k < 8; k++) {
        char options[128];
        const double C = k & 4 ? 0.02 : 0.2, bias = k & 2 ? 1.5 : 0;
        const int at = snprintf(options, sizeof options, "kernel=linear eps=1e-10 C=%g loss=%s bias=%g ", C,
                                k & 1 ? "squared-hinge" : "hinge", bias);
        snprintf(options + at, sizeof options - (size_t)at, "backend=own");
        void *own = train(p, options);
        snprintf(options + at, sizeof options - (size_t)at, "backend=liblinear");
        void *theirs = train(p, options);
        certify(p, own, C, k & 1, bias);
        certify(p, theirs, C, k & 1, bias);
        double ours = metric(own, "objective"), other = metric(theirs, "objective");
        ASSERT_NEAR(ours / other, 1, 1e-6);
        assert_true(metric(own, "gap") <= 1e-10 * ours);
        assert_true(metric(own, "lower") <= other * (1 + 1e-14));
        assert_true(metric(theirs, "gap") <= 1e-10 * other && isnan(metric(theirs, "support")));
        assert_true(metric(own, "support") > 0 && metric(own, "support") <= 60);
        wlab_model *a = model_of(own), *b = model_of(theirs);
        for (int32_t j = 0; j < a->cols; j++)
            assert_true(fabs(a->w[j] - b->w[j]) < 1e-4);
        assert_true(fabs(a->b[0] - b->b[0]) < 1e-4);
        wlab_model_destroy(a);
        wlab_model_destroy(b);
        svm->destroy(own);
        svm->destroy(theirs);
    }
    wlab_problem_unref(p);
    wlab_dataset_unref(data);
}

static char said[65536];

static void listen(const char *text)
{
    strncat(said, text, sizeof said - strlen(said) - 1);
}

/* Objective, offset and outputs agree with those of LIBSVM's C-SVC, called directly, for three values of C. */
static void test_libsvm_objective(void **state)
{
    (void)state;
    wlab_err err;
    enum {
        N = 80,
        D = 2
    };
    wlab_dataset *data = made_data("two-moons", "n=80 noise=0.3 seed=4", &err);
    assert_non_null(data);
    wlab_problem *p = pose(data, "supervised", "");
    assert_int_equal(p->n, N);
    assert_int_equal(p->X->cols, D);
    static const double costs[] = {0.1, 1, 10};
    for (int k = 0; k < 6; k++) {
        char options[128];
        snprintf(options, sizeof options, "kernel=rbf gamma=0.7 C=%g eps=1e-6 backend=%s", costs[k / 2],
                 k % 2 ? "own" : "libsvm");
        void *ours = train(p, options);
        struct svm_node nodes[N][D + 1], *rows[N];
        double y[N];
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < D; j++)
                nodes[i][j] = (struct svm_node){j + 1, wlab_matrix_at(p->X, i, j)};
            nodes[i][D].index = -1;
            rows[i] = nodes[i];
            y[i] = p->truth[i];
        }
        struct svm_problem problem = {.l = N, .y = y, .x = rows};
        struct svm_parameter parameter = {
            .kernel_type = RBF, .gamma = 0.7, .C = costs[k / 2], .eps = 1e-8, .cache_size = 10};
        said[0] = 0;
        svm_set_print_string_function(listen);
        struct svm_model *theirs = svm_train(&problem, &parameter);
        svm_set_print_string_function(NULL);
        double objective = 0, rho = 0;
        char *obj = strstr(said, "obj = ");
        assert_non_null(obj);
        assert_int_equal(sscanf(obj, "obj = %lf, rho = %lf", &objective, &rho), 2);
        ASSERT_NEAR(metric(ours, "objective"), -objective, 2e-6);
        ASSERT_NEAR(metric(ours, "lower"), -objective, 2e-6);
        assert_true(metric(ours, "gap") >= 0);
        wlab_model *m = model_of(ours);
        ASSERT_NEAR(m->b[0], -rho, 1e-4);
        for (int i = 0; i < N; i++) {
            double f, dec;
            wlab_matrix *row;
            const int32_t pick = i;
            ASSERT_OK(wlab_matrix_rows(&row, p->X, &pick, 1, &err), err);
            ASSERT_OK(wlab_model_predict(m, row, &f, NULL, &err), err);
            svm_predict_values(theirs, rows[i], &dec);
            ASSERT_NEAR(f, theirs->label[0] * dec, 1e-4);
            wlab_matrix_destroy(row);
        }
        /* a free offset can only lower the objective */
        snprintf(options, sizeof options, "kernel=rbf gamma=0.7 C=%g offset=feature", costs[k / 2]);
        void *own = train(p, options);
        assert_true(metric(own, "objective") >= metric(ours, "lower"));
        wlab_model_destroy(m);
        svm_free_and_destroy_model(&theirs);
        svm->destroy(ours);
        svm->destroy(own);
    }
    wlab_problem_unref(p);
    wlab_dataset_unref(data);
}

static const char *const ways[] = {
    "kernel=linear",
    "kernel=linear bias=1 loss=squared-hinge",
    "kernel=linear offset=free",
    "kernel=linear backend=libsvm eps=1e-4",
    "kernel=linear backend=liblinear bias=1",
    "kernel=linear backend=liblinear loss=squared-hinge",
    "kernel=rbf gamma=0.05",
    "kernel=rbf gamma=0.05 offset=feature bias=1",
    "kernel=rbf gamma=0.05 loss=squared-hinge",
    "kernel=poly degree=2 coef0=1",
};
enum {
    WAYS = sizeof ways / sizeof *ways
};

static void same_model(const wlab_model *a, const wlab_model *b)
{
    assert_true(a->b[0] >= b->b[0] && a->b[0] <= b->b[0] && a->nsv == b->nsv);
    if (a->w)
        assert_memory_equal(a->w, b->w, (size_t)a->cols * sizeof *a->w);
    if (a->coef)
        assert_memory_equal(a->coef, b->coef, (size_t)a->nsv * sizeof *a->coef);
}

/* Other features and other true labels of unlabelled rows change nothing. */
static void test_only_labelled_rows(void **state)
{
    (void)state;
    wlab_err err;
    for (int k = 0; k < WAYS; k++) {
        wlab_dataset *data = made_data("g50c", "n=120 seed=5", &err);
        assert_non_null(data);
        assert_false(data->X->sparse);
        wlab_problem *p = pose(data, "ssl", "labeled=30 seed=1");
        void *before = train(p, ways[k]);
        for (int64_t i = 0; i < p->n; i++)
            if (!p->visible[i]) {
                int32_t row = p->row[i];
                p->truth[i] = (int8_t)-p->truth[i];
                data->label[row] = 1 - data->label[row];
                for (int32_t j = 0; j < data->X->cols; j++)
                    data->X->dense[row * data->X->cols + j] = 1e3 * j;
            }
        void *after = train(p, ways[k]);
        wlab_model *a = model_of(before), *b = model_of(after);
        same_model(a, b);
        assert_true(metric(before, "objective") >= metric(after, "objective") &&
                    metric(before, "objective") <= metric(after, "objective"));
        wlab_model_destroy(a);
        wlab_model_destroy(b);
        svm->destroy(before);
        svm->destroy(after);
        wlab_problem_unref(p);
        wlab_dataset_unref(data);
    }
}

static void test_snapshots(void **state)
{
    (void)state;
    wlab_err err;
    wlab_dataset *data = made_data("g50c", "n=60 seed=6", &err);
    assert_non_null(data);
    wlab_problem *p = pose(data, "ssl", "labeled=20 seed=1");
    for (int k = 0; k < WAYS; k++) {
        wlab_buf fresh = {0}, trained = {0}, again = {0};
        void *one = create(p, ways[k]), *two = create(p, ways[k]);
        assert_true(isnan(metric(one, "objective")) && isnan(metric(one, "support")));
        wlab_model *none = NULL;
        ASSERT_FAILS(svm->model(one, &none, NULL, &err), WL_ESTATE, err, "step");
        ASSERT_OK(wlab_algo_snapshot(svm, one, &fresh, &err), err);
        step(one);
        ALLOC_SWEEP_CHECK((wlab_buf_clear(&trained), wlab_algo_snapshot(svm, one, &trained, &err)), (void)0);
        ASSERT_OK(wlab_algo_restore(svm, two, &trained, NULL, &err), err);
        ASSERT_OK(wlab_algo_snapshot(svm, two, &again, &err), err);
        assert_int_equal(trained.len, again.len);
        assert_memory_equal(trained.data, again.data, trained.len);
        wlab_model *a = model_of(one), *b = model_of(two);
        same_model(a, b);
        wlab_model_destroy(b);
        /* restored to the start, the same step gives the same result */
        ASSERT_OK(wlab_algo_restore(svm, two, &fresh, NULL, &err), err);
        assert_true(isnan(metric(two, "objective")));
        step(two);
        b = model_of(two);
        same_model(a, b);
        wlab_model_destroy(a);
        wlab_model_destroy(b);
        step(two); /* remains converged */
        trained.pos = 1;
        ASSERT_FAILS(wlab_algo_restore(svm, two, &trained, NULL, &err), WL_EINPUT, err, "damaged");
        char text[1024];
        svm->explain(one, text, sizeof text);
        assert_non_null(strstr(text, "20 labelled rows"));
        svm->next(one, text, sizeof text);
        assert_non_null(strstr(text, "nothing"));
        wlab_buf_clear(&fresh);
        wlab_buf_clear(&trained);
        wlab_buf_clear(&again);
        svm->destroy(one);
        svm->destroy(two);
    }
    wlab_problem_unref(p);
    wlab_dataset_unref(data);
}

static void assert_refused(wlab_problem *p, const char *options, wlab_code code, const char *message)
{
    wlab_err err;
    void *state = NULL;
    wlab_params *params = made_params(svm->params, options, &err);
    assert_non_null(params);
    ASSERT_FAILS(svm->create(&state, p, params, NULL, &err), code, err, message);
    assert_null(state);
    wlab_params_destroy(params);
}

static void test_refusals(void **state)
{
    (void)state;
    wlab_err err;
    wlab_dataset *data = made_data("g50c", "n=60 seed=6", &err);
    wlab_problem *p = pose(data, "ssl", "labeled=20 seed=1");
    assert_refused(p, "kernel=rbf backend=liblinear", WL_EARG, "linear kernel and offset=feature only");
    assert_refused(p, "backend=liblinear offset=free", WL_EARG, "use own or libsvm");
    assert_refused(p, "backend=libsvm offset=feature", WL_EARG, "use own or liblinear");
    assert_refused(p, "kernel=rbf backend=libsvm loss=squared-hinge", WL_EARG,
                   "hinge loss and offset=free only");
    assert_refused(p, "loss=squared-hinge offset=free", WL_EARG, "offset=feature only");
    assert_refused(p, "kernel=rbf bias=1", WL_EARG, "not regularised");
    assert_refused(p, "kernel=rbf gamma=1 sigma=1", WL_EARG, "not both");
    void *state_ = create(p, "kernel=precomputed");
    wlab_step step = {0};
    assert_int_not_equal(svm->advance(state_, NULL, &step, &err), WL_OK);
    assert_true(!step.complete && isnan(metric(state_, "objective")));
    svm->destroy(state_);
    for (int64_t k = 0; k < p->n; k++)
        if (p->visible[k] < 0)
            p->visible[k] = 0;
    assert_refused(p, "", WL_ESTATE, "both classes");
    wlab_problem_unref(p);
    wlab_dataset_unref(data);
    data = made_data("blobs", "n=16100 dims=2 classes=2 seed=1", &err);
    if (!data)
        fail_msg("%s", err.message);
    p = pose(data, "supervised", "");
    assert_refused(p, "kernel=rbf", WL_EARG, "would take 2 GB");
    wlab_problem_unref(p);
    wlab_dataset_unref(data);
}

static void test_memory(void **state)
{
    (void)state;
    wlab_err err;
    wlab_dataset *data = made_data("g50c", "n=40 seed=6", &err);
    wlab_problem *p = pose(data, "ssl", "labeled=14 seed=1");
    for (int k = 0; k < WAYS; k++) {
        wlab_params *params = made_params(svm->params, ways[k], &err);
        void *s;
        wlab_step step = {0};
        wlab_model *m;
        ALLOC_SWEEP_OUT(svm->create(&s, p, params, NULL, &err), s);
        ALLOC_SWEEP_CHECK(svm->advance(s, NULL, &step, &err),
                          assert_true(!step.complete && isnan(metric(s, "objective"))));
        assert_true(step.complete && metric(s, "objective") > 0);
        ALLOC_SWEEP_OUT(svm->model(s, &m, NULL, &err), m);
        wlab_model_destroy(m);
        svm->destroy(s);
        wlab_params_destroy(params);
    }
    wlab_problem_unref(p);
    wlab_dataset_unref(data);
}

/* Columns that differ in scale by orders of magnitude.  LIBLINEAR reaches its limit with the hinge loss, and a warning
 * says so.  The own solvers converge; for the hinge loss the objective is also that of the box QP. */
static void test_other_scales(void **state)
{
    (void)state;
    wlab_err err;
    wlab_dataset *data = made_data("g50c", "n=200 seed=4", &err);
    assert_non_null(data);
    for (int64_t i = 0; i < data->X->rows; i++)
        for (int32_t j = 0; j < data->X->cols; j++)
            data->X->dense[i * data->X->cols + j] *= pow(10, j % 5);
    wlab_problem *p = pose(data, "supervised", "");
    void *own = train(p, "bias=1"), *box = train(p, "kernel=poly degree=1 gamma=1 coef0=1 offset=feature"),
         *squared = train(p, "bias=1 loss=squared-hinge");
    ASSERT_NEAR(metric(own, "objective") / metric(box, "objective"), 1, 1e-6);
    certify(p, own, 1, false, 1);
    certify(p, squared, 1, true, 1);
    svm->destroy(own);
    svm->destroy(box);
    svm->destroy(squared);
    static const char *const theirs[] = {"bias=1 backend=liblinear",
                                         "bias=1 backend=liblinear loss=squared-hinge"};
    for (int k = 0; k < 2; k++) {
        char text[1024] = "";
        wlab_step step = {0};
        wlab_ctx ctx = {.emit = keep_warning, .sink = text};
        void *s = create(p, theirs[k]);
        ASSERT_OK(svm->advance(s, &ctx, &step, &err), err);
        if (metric(s, "gap") > 1e-6 * metric(s, "objective")) {
            assert_int_equal(step.verdict, WL_LIMIT);
            assert_non_null(strstr(text, "LIBLINEAR stopped at its limit"));
        } else
            assert_int_equal(step.verdict, WL_CONVERGED);
        assert_true(k == 1 || step.verdict == WL_LIMIT);
        certify(p, s, 1, k, 1);
        svm->destroy(s);
    }
    wlab_problem_unref(p);
    wlab_dataset_unref(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own_against_liblinear),
        cmocka_unit_test(test_libsvm_objective),
        cmocka_unit_test(test_only_labelled_rows),
        cmocka_unit_test(test_snapshots),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_other_scales),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

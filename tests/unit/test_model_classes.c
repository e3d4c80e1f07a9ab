/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Models of more than two classes: predictions compared with direct sums and with those of LIBLINEAR and LIBSVM for the
 * files, and reading the files back.
 */
#include "posed.h"
#include "solve/svm/boxqp.h"

#include <libsvm/svm.h>
#include <linear.h>

enum {
    N = 40,
    P = 4
};

/* Random numbers, about a third of them 0, as coefficients of rows can be. */
static double *random_numbers(size_t n, uint64_t seed)
{
    wlab_rng rng;
    double *x = malloc(n * sizeof *x);
    assert_non_null(x);
    wlab_rng_seed(&rng, seed);
    for (size_t i = 0; i < n; i++) {
        x[i] = wlab_rng_normal(&rng);
        if (wlab_rng_below(&rng, 3) == 0)
            x[i] = 0;
    }
    return x;
}

static const wlab_kernel kernels[] = {{.kind = WL_K_LINEAR},
                                      {.kind = WL_K_RBF, .gamma = 0.3},
                                      {.kind = WL_K_POLY, .gamma = 0.2, .coef0 = 1, .degree = 3},
                                      {.kind = WL_K_RBF, .gamma = 0.3, .bias = 0.5}};

static wlab_model *make(const wlab_problem *p, const wlab_kernel *kernel, const double *coef, const double *b)
{
    wlab_err err;
    wlab_model *m = NULL;
    ASSERT_OK(wlab_model_from_class_coefficients(&m, p, kernel, coef, b, NULL, &err), err);
    return m;
}

static double *predicted(const wlab_model *m, const wlab_matrix *X)
{
    wlab_err err;
    double *f = malloc((size_t)X->rows * (size_t)m->outputs * sizeof *f);
    assert_non_null(f);
    ASSERT_OK(wlab_model_predict(m, X, f, NULL, &err), err);
    return f;
}

static void test_sums(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = pose("blobs", "n=40 dims=3 classes=4 seed=2", "ssl", "labeled=8 classes=all");
    double *coef = random_numbers(N * P, 3), *K = malloc(sizeof(double) * N * N);
    const double b[P] = {0.1, -0.2, 0.3, 0};
    assert_non_null(K);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        wlab_model *m = make(p, &kernels[k], coef, b);
        double *f = predicted(m, p->X);
        assert_int_equal(m->outputs, P);
        assert_string_equal(m->class_name[2], "3");
        ASSERT_OK(wlab_kernel_matrix(&kernels[k], p->X, p->X, p->row, K, NULL, &err), err);
        for (int i = 0; i < N; i++)
            for (int c = 0; c < P; c++) {
                double sum = b[c];
                for (int j = 0; j < N; j++)
                    sum += K[i * N + j] * coef[j * P + c];
                ASSERT_NEAR(f[i * P + c], sum, 1e-10);
            }
        free(f);
        wlab_model_destroy(m);
    }
    wlab_problem_unref(p);
    /* two classes: one function, the difference */
    p = pose("two-moons", "n=40 seed=2", "ssl", "labeled=8 classes=all");
    assert_int_equal(p->classes, 2);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        wlab_model *m = make(p, &kernels[k], coef, b);
        double *f = predicted(m, p->X);
        assert_int_equal(m->outputs, 1);
        ASSERT_OK(wlab_kernel_matrix(&kernels[k], p->X, p->X, p->row, K, NULL, &err), err);
        for (int i = 0; i < N; i++) {
            double sum = b[1] - b[0];
            for (int j = 0; j < N; j++)
                sum += K[i * N + j] * (coef[2 * j + 1] - coef[2 * j]);
            ASSERT_NEAR(f[i], sum, 1e-10);
        }
        free(f);
        wlab_model_destroy(m);
    }
    const double W[4] = {1, 2, 5, -3};
    wlab_model *m = NULL;
    ASSERT_OK(wlab_model_from_class_weights(&m, p, W, b, &err), err);
    ASSERT_NEAR(m->w[0], 4, 0);
    ASSERT_NEAR(m->w[1], -5, 0);
    ASSERT_NEAR(m->b[0], b[1] - b[0], 0);
    wlab_model_destroy(m);
    wlab_problem_unref(p);
    free(K);
    free(coef);
}

static void save(const wlab_model *m, char path[256])
{
    wlab_err err;
    wlab_buf text = {0};
    ASSERT_OK(wlab_model_write(m, &text, &err), err);
    support_temp_file(path, ".model", text.data, text.len);
    wlab_buf_clear(&text);
}

/* The library's label of row i. */
static double libsvm_label(const struct svm_model *theirs, const wlab_matrix *X, int64_t i)
{
    struct svm_node node[64];
    int n = 0;
    for (int32_t j = 0; j < X->cols; j++)
        node[n++] = (struct svm_node){j + 1, wlab_matrix_at(X, i, j)};
    node[n].index = -1;
    return svm_predict(theirs, node);
}

static double liblinear_label(const struct model *theirs, const wlab_matrix *X, int64_t i)
{
    struct feature_node node[64];
    int n = 0;
    for (int32_t j = 0; j < X->cols; j++)
        node[n++] = (struct feature_node){j + 1, wlab_matrix_at(X, i, j)};
    if (theirs->bias >= 0)
        node[n++] = (struct feature_node){X->cols + 1, theirs->bias};
    node[n].index = -1;
    return predict(theirs, node);
}

static void test_libraries(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = pose("blobs", "n=40 dims=3 classes=4 seed=2", "ssl", "labeled=8 classes=all");
    double *coef = random_numbers(N * P, 5);
    const double b[P] = {0.1, -0.2, 0.3, 0}, none[P] = {0};
    for (size_t k = 0; k < 2 * sizeof kernels / sizeof *kernels; k++) {
        char path[256];
        const wlab_kernel *kernel = &kernels[k / 2];
        wlab_model *m = make(p, kernel, coef, k % 2 ? b : none), *back = NULL;
        double *f = predicted(m, p->X);
        save(m, path);
        ASSERT_OK(wlab_model_read(&back, path, &err), err);
        double *again = predicted(back, p->X);
        struct svm_model *theirs = kernel->kind == WL_K_LINEAR ? NULL : svm_load_model(path);
        struct model *linear = kernel->kind == WL_K_LINEAR ? load_model(path) : NULL;
        assert_true(theirs || linear);
        unlink(path);
        int differ = 0;
        for (int64_t i = 0; i < N; i++) {
            const int own = wlab_decide(f + i * P, P);
            const double label = theirs ? libsvm_label(theirs, p->X, i) : liblinear_label(linear, p->X, i);
            assert_int_equal((int)label, own + 1);
            assert_int_equal(wlab_decide(again + i * P, P), own);
            assert_string_equal(back->class_name[own], m->class_name[own]);
            for (int c = 1; c < P; c++) /* up to a common term */
                ASSERT_NEAR(again[i * P + c] - again[i * P], f[i * P + c] - f[i * P], 1e-12);
            differ += own != wlab_decide(f, P);
        }
        assert_true(differ > 0);
        assert_true(!theirs || back->nsv <= m->nsv);
        if (theirs)
            svm_free_and_destroy_model(&theirs);
        if (linear)
            free_and_destroy_model(&linear);
        free(f);
        free(again);
        wlab_model_destroy(m);
        wlab_model_destroy(back);
    }
    wlab_problem_unref(p);
    free(coef);
}

/* Equal outputs: the lower class wins, in our models and in both libraries. */
static void test_ties(void **state)
{
    (void)state;
    wlab_problem *p = pose("blobs", "n=40 dims=3 classes=4 seed=2", "ssl", "labeled=8 classes=all");
    double *coef = calloc(N * P, sizeof *coef);
    const double b[P] = {0, 1, 1, 1};
    assert_non_null(coef);
    char path[256];
    wlab_model *m = make(p, &kernels[0], coef, b);
    double *f = predicted(m, p->X);
    assert_int_equal(wlab_decide(f, P), 1);
    save(m, path);
    struct model *linear = load_model(path);
    unlink(path);
    assert_non_null(linear);
    assert_int_equal((int)liblinear_label(linear, p->X, 0), 2);
    free_and_destroy_model(&linear);
    free(f);
    wlab_model_destroy(m);
    coef[0] = -1; /* a vector of the first class alone */
    m = make(p, &kernels[1], coef, b);
    save(m, path);
    struct svm_model *theirs = svm_load_model(path);
    unlink(path);
    assert_non_null(theirs);
    for (int64_t i = 0; i < N; i++)
        assert_int_equal((int)libsvm_label(theirs, p->X, i), 2);
    svm_free_and_destroy_model(&theirs);
    wlab_model_destroy(m);
    wlab_problem_unref(p);
    free(coef);
}

static void assert_refused(const char *text, long line, long column, const char *message)
{
    wlab_err err = {0};
    char path[256];
    wlab_model *m = NULL;
    support_temp_file(path, ".model", text, strlen(text));
    ASSERT_FAILS(wlab_model_read(&m, path, &err), WL_EINPUT, err, message);
    assert_null(m);
    if (err.line != line || err.column != column)
        fail_msg("\"%s\" at %ld:%ld instead of %ld:%ld", err.message, err.line, err.column, line, column);
    unlink(path);
}

#define LINEAR "solver_type MCSVM_CS\nnr_class 3\n"
#define RBF    "svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 3\ntotal_sv 2\n"

static void test_malformed(void **state)
{
    (void)state;
    assert_refused(LINEAR "label 1 2\n", 3, 7, "a name for each class");
    assert_refused(LINEAR "label 1 2 3 4\n", 3, 7, "a name for each class");
    assert_refused(LINEAR "label 1 2 3\nnr_class 4\n", 4, 10, "before `label`");
    assert_refused("nr_class 1\n", 1, 10, "from 2 to 64");
    assert_refused(LINEAR "label 1 2 3\nnr_feature 1\nbias -1\nw\n1 2\n", 7, 1, "one weight for each class");
    assert_refused(LINEAR "label 1 2 3\nnr_feature 1\nbias -1\nw\n1 2 3 4\n", 7, 7,
                   "one weight for each class");
    assert_refused(RBF "rho 1 2\n", 6, 5, "each pair of classes");
    assert_refused(RBF "rho 0 0 0\nlabel 1 2 3\nnr_sv 1 1\n", 8, 7, "for each class");
    assert_refused(RBF "rho 0 0 0\nlabel 1 2 3\nnr_sv 1 2 0\nSV\n1 1 1:1\n", 9, 1, "add up");
    /* 2^63 - 1 twice and 4: the sum wraps to 2 */
    assert_refused(
        RBF "rho 0 0 0\nlabel 1 2 3\nnr_sv 9223372036854775807 9223372036854775807 4\nSV\n1 1 1:1\n1 1 1:2\n",
        8, 7, "for each class");
    assert_refused(RBF "rho 0 0 0\nlabel 1 2 3\nnr_sv 1 1 0\nSV\n1 1:1\n", 10, 3, "each other class");
    /* binary classifiers of pairs that were trained separately */
    assert_refused(RBF "rho 1 1 1\nlabel 1 2 3\nnr_sv 1 1 0\nSV\n1 1 1:1\n1 1 1:2\n", 11, 1,
                   "not differences");
    assert_refused(RBF "rho 0 0 0\nlabel 1 2 3\nnr_sv 1 1 0\nSV\n1 2 1:1\n0 3 1:1\n", 11, 1,
                   "not differences");
}

static void test_memory_runs_out(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = pose("blobs", "n=40 dims=3 classes=4 seed=2", "ssl", "labeled=8 classes=all");
    double *coef = random_numbers(N * P, 5);
    const double b[P] = {0.1, -0.2, 0.3, 0};
    for (int k = 0; k < 2; k++) {
        char path[256];
        wlab_model *m, *back;
        wlab_buf text = {0};
        ALLOC_SWEEP_OUT(wlab_model_from_class_coefficients(&m, p, &kernels[k], coef, b, NULL, &err), m);
        ALLOC_SWEEP_CHECK(wlab_model_write(m, &text, &err), wlab_buf_clear(&text));
        wlab_buf_clear(&text);
        save(m, path);
        ALLOC_SWEEP_OUT(wlab_model_read(&back, path, &err), back);
        unlink(path);
        wlab_model_destroy(m);
        wlab_model_destroy(back);
    }
    wlab_model *m;
    ALLOC_SWEEP_OUT(wlab_model_from_class_weights(&m, p, coef, b, &err), m);
    wlab_model_destroy(m);
    wlab_problem_unref(p);
    free(coef);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),      cmocka_unit_test(test_libraries),       cmocka_unit_test(test_ties),
        cmocka_unit_test(test_malformed), cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Factors of kernel matrices compared with the matrices, models of weights, ranks, limits, threads, memory, refusals.
 */
#include "unit/posed.h"

#include "model/features.h"
#include "weaklab/rng.h"

static wlab_problem *moons(void)
{
    return pose("two-moons", "n=90 noise=0.2 seed=3", "supervised", "");
}

static const wlab_kernel kernels[] = {
    {.kind = WL_K_LINEAR},
    {.kind = WL_K_LINEAR, .bias = 2},
    {.kind = WL_K_RBF, .gamma = 0.7},
    {.kind = WL_K_RBF, .gamma = 30, .bias = 0.5},
    {.kind = WL_K_POLY, .gamma = 0.5, .coef0 = 1, .degree = 3},
};

/* max |K - Phi Phi'|; checks the trace of the difference against `left`. */
static double misfit(const wlab_features *f)
{
    wlab_err err;
    const int64_t n = f->n;
    double *K = malloc((size_t)(n * n) * sizeof *K), worst = 0, trace = 0, left = 0;
    assert_non_null(K);
    ASSERT_OK(wlab_kernel_matrix(&f->kernel, f->p->X, f->p->X, f->p->row, K, NULL, &err), err);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            double dot = 0;
            for (int64_t k = 0; k < f->r; k++)
                dot += f->Phi[i * f->r + k] * f->Phi[j * f->r + k];
            worst = fmax(worst, fabs(K[i * n + j] - dot));
            if (i == j) {
                trace += K[i * n + i];
                left += K[i * n + i] - dot;
            }
        }
    ASSERT_NEAR(f->trace / trace, 1, 1e-12);
    assert_true(fabs(f->left - left) <= 1e-12 * trace);
    free(K);
    return worst;
}

static void test_factor(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = moons();
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        wlab_features *f;
        ASSERT_OK(wlab_features_make(&f, p, &kernels[k], 1e-10, 0, NULL, &err), err);
        assert_true(misfit(f) <= 1e-9 * f->trace);
        assert_true(f->direct == (kernels[k].kind == WL_K_LINEAR));
        if (kernels[k].kind == WL_K_POLY)
            assert_true(f->r == 10); /* monomials of two variables up to degree 3 */
        wlab_features_destroy(f);
    }
    wlab_problem_unref(p);
}

/* With fewer columns the trace that remains is reported.  It gets smaller as columns are added. */
static void test_most(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = moons();
    double last = HUGE_VAL;
    for (int64_t most = 6; most <= 90; most += 7) {
        wlab_features *f;
        ASSERT_OK(wlab_features_make(&f, p, &kernels[3], 0, most, NULL, &err), err);
        assert_true(f->r <= most);
        assert_true(misfit(f) <= f->left + 1e-12 && f->left < last);
        last = f->left;
        wlab_features_destroy(f);
    }
    assert_true(last < 1e-9);
    for (double tol = 0.5; tol > 1e-6; tol /= 10) {
        wlab_features *f;
        ASSERT_OK(wlab_features_make(&f, p, &kernels[2], tol, 0, NULL, &err), err);
        assert_true(f->left <= tol * f->trace && f->r < 90);
        wlab_features_destroy(f);
    }
    /* the linear kernel on data with more columns than rows: the factor is made by Cholesky of the Gram matrix, which
     * has full rank */
    wlab_features *f;
    wlab_problem *wide = pose("g50c", "n=40 seed=2", "supervised", "");
    ASSERT_OK(wlab_features_make(&f, wide, &kernels[0], 1e-12, 0, NULL, &err), err);
    assert_true(!f->direct && f->r == 40 && misfit(f) < 1e-9 * f->trace);
    wlab_features_destroy(f);
    wlab_problem_unref(wide);
    wlab_problem_unref(p);
}

/* The model's output is W phi(x) + b. */
static void test_model(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = moons();
    wlab_rng rng;
    wlab_rng_seed(&rng, 5);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        wlab_features *f;
        wlab_model *m;
        double b[2] = {0.3, -0.4}, *W, out[90];
        ASSERT_OK(wlab_features_make(&f, p, &kernels[k], 1e-9, 0, NULL, &err), err);
        W = malloc((size_t)(2 * f->r) * sizeof *W);
        assert_non_null(W);
        for (int64_t j = 0; j < 2 * f->r; j++)
            W[j] = wlab_rng_normal(&rng);
        ASSERT_OK(wlab_features_model(&m, f, 2, W, b, NULL, &err), err);
        ASSERT_OK(wlab_model_predict(m, p->X, out, NULL, &err), err);
        for (int64_t i = 0; i < 90; i++) {
            double expected = b[1] - b[0];
            for (int64_t j = 0; j < f->r; j++)
                expected += (W[f->r + j] - W[j]) * f->Phi[i * f->r + j];
            ASSERT_NEAR(out[i], expected, 1e-3);
        }
        wlab_model_destroy(m);
        free(W);
        wlab_features_destroy(f);
    }
    wlab_problem_unref(p);
}

/* A matrix of kernel values as data. */
static wlab_problem *precomputed_problem(double corner, double below)
{
    wlab_err err;
    wlab_dataset *data = made_data("two-moons", "n=4 seed=1", &err);
    wlab_matrix *K;
    wlab_problem *p;
    wlab_params *params = made_params(wlab_task_find("supervised")->params, "", &err);
    const double values[16] = {2, 1, 0, 0.5, 1, 2, below, 0, 0, 1, 2, 0, 0.5, 0, 0, corner};
    ASSERT_OK(wlab_matrix_create_dense(&K, 4, 4, &err), err);
    memcpy(K->dense, values, sizeof values);
    K->nnz = 16;
    wlab_matrix_destroy(data->X);
    data->X = K;
    ASSERT_OK(
        wlab_problem_create(&p, data, NULL, 0, NULL, 0, wlab_task_find("supervised"), params, NULL, &err),
        err);
    wlab_params_destroy(params);
    wlab_dataset_unref(data);
    return p;
}

static void test_precomputed(void **state)
{
    (void)state;
    wlab_err err;
    const wlab_kernel pre = {.kind = WL_K_PRECOMPUTED};
    wlab_features *f = NULL;
    wlab_problem *p = precomputed_problem(3, 1);
    ASSERT_OK(wlab_features_make(&f, p, &pre, 1e-12, 0, NULL, &err), err);
    assert_true(f->r == 4 && misfit(f) < 1e-12);
    wlab_features_destroy(f);
    wlab_problem_unref(p);
    p = precomputed_problem(3, 1.5);
    f = NULL;
    ASSERT_FAILS(wlab_features_make(&f, p, &pre, 1e-12, 0, NULL, &err), WL_EARG, err, "symmetric");
    wlab_problem_unref(p);
    p = precomputed_problem(0.01, 1);
    ASSERT_FAILS(wlab_features_make(&f, p, &pre, 1e-12, 0, NULL, &err), WL_ENUMERIC, err, "semidefinite");
    wlab_problem_unref(p);
    p = precomputed_problem(-1, 1);
    ASSERT_FAILS(wlab_features_make(&f, p, &pre, 1e-12, 0, NULL, &err), WL_ENUMERIC, err, "semidefinite");
    wlab_problem_unref(p);
    p = precomputed_problem(NAN, 1);
    ASSERT_FAILS(wlab_features_make(&f, p, &pre, 1e-12, 0, NULL, &err), WL_ENUMERIC, err, "finite");
    wlab_problem_unref(p);
    assert_null(f);
}

static void test_threads_memory_interrupt(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = pose("two-moons", "n=1200 noise=0.2 seed=3", "supervised", "");
    wlab_features *f, *g;
    wlab_pool *pool;
    ASSERT_OK(wlab_pool_create(&pool, 3, &err), err);
    wlab_ctx ctx = {.pool = pool};
    ASSERT_OK(wlab_features_make(&f, p, &kernels[2], 1e-8, 0, NULL, &err), err);
    ASSERT_OK(wlab_features_make(&g, p, &kernels[2], 1e-8, 0, &ctx, &err), err);
    assert_true(f->r == g->r && f->left == g->left);
    assert_memory_equal(f->Phi, g->Phi, (size_t)(f->n * f->r) * sizeof *f->Phi);
    wlab_features_destroy(f);
    wlab_features_destroy(g);
    wlab_pool_destroy(pool);
    atomic_int stop = 1;
    wlab_ctx stopped = {.interrupt = &stop};
    f = NULL;
    ASSERT_FAILS(wlab_features_make(&f, p, &kernels[2], 1e-8, 0, &stopped, &err), WL_EINTERRUPTED, err, "");
    assert_null(f);
    wlab_problem_unref(p);
    p = moons();
    for (int k = 0; k < 3; k += 2) {
        double b[2] = {0}, *W;
        wlab_model *m;
        ALLOC_SWEEP_OUT(wlab_features_make(&f, p, &kernels[k], 1e-8, 0, NULL, &err), f);
        W = calloc((size_t)(2 * f->r), sizeof *W);
        assert_non_null(W);
        ALLOC_SWEEP_OUT(wlab_features_model(&m, f, 2, W, b, NULL, &err), m);
        wlab_model_destroy(m);
        wlab_features_destroy(f);
        free(W);
    }
    wlab_problem_unref(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_factor),
        cmocka_unit_test(test_most),
        cmocka_unit_test(test_model),
        cmocka_unit_test(test_precomputed),
        cmocka_unit_test(test_threads_memory_interrupt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

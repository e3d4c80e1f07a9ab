/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Kernels by a factor of the kernel matrix, rank=: with all columns the same functions as by the matrix, with fewer the
 * stated trace error, and optima that only decrease with more columns; the note, the refusals, models on other rows.
 * test_walks draws rank= with the other parameters, for snapshots, forks and interrupts.
 */
#include "algo/lowrank.h"
#include "model/features.h"
#include "model/kernel.h"
#include "unit/posed.h"

#include <string.h>

static const wlab_algo *algo_for(const char *name, const wlab_problem *p, const char *options)
{
    wlab_err err;
    const wlab_algo *algo = NULL;
    wlab_params *params = made_params(wlab_algo_find(name)->params, options, &err);
    assert_non_null(params);
    ASSERT_OK(wlab_algo_for(&algo, wlab_algo_find(name), p, params, &err), err);
    wlab_params_destroy(params);
    return algo;
}

/* Runs to the end and returns the state; *of: the algorithm that runs it. */
static void *solved_by(const wlab_algo **of, const char *name, wlab_problem *p, const char *options)
{
    wlab_err err;
    *of = algo_for(name, p, options);
    void *state = create_state(*of, p, options);
    ASSERT_OK(wlab_algo_to_end(*of, state, NULL, &err), err);
    return state;
}

/* Asserts that two settings give the same outputs on all rows of q, up to `tol` of the largest. */
static void same_functions(const char *name, wlab_problem *p, const wlab_problem *q, const char *one,
                           const char *other, double tol)
{
    const wlab_algo *a, *b;
    void *s = solved_by(&a, name, p, one), *t = solved_by(&b, name, p, other);
    double *f = outputs(a, s, q), *g = outputs(b, t, q), far = 0, most = 0;
    const int64_t P = p->classes > 2 ? p->classes : 1;
    for (int64_t i = 0; i < q->n * P; i++) {
        far = fmax(far, fabs(f[i] - g[i]));
        most = fmax(most, fabs(f[i]));
    }
    if (!(far <= tol * most))
        fail_msg("%s: %s and %s differ by %g of %g", name, one, other, far, most);
    free(f);
    free(g);
    a->destroy(s);
    b->destroy(t);
}

/* With as many columns as the matrix has rank, nothing but rounding differs; all options that depend on the kernel are
 * given.  Rows that were not trained on, too. */
static void test_all_columns(void **unused)
{
    (void)unused;
    wlab_problem *p = pose("two-moons", "n=40 noise=0.1 seed=3", "ssl", "labeled=8 seed=2"),
                 *q = pose("two-moons", "n=60 noise=0.2 seed=4", "ssl", "labeled=8 seed=2"),
                 *all = pose("two-moons", "n=40 noise=0.3 seed=5", "supervised", ""),
                 *bags = pose("two-moons", "n=60 noise=0.1 seed=3", "llp", "bagsize=6 seed=1"),
                 *three =
                     pose("blobs", "n=45 classes=3 spread=2 seed=7", "ssl", "labeled=12 classes=all seed=1");
    same_functions("mfn", p, q, "kernel=rbf sigma=0.7 eps=1e-11", "kernel=rbf sigma=0.7 eps=1e-11 rank=40",
                   1e-4);
    same_functions("mfn", p, q, "kernel=poly degree=2 eps=1e-11", "kernel=poly degree=2 eps=1e-11 rank=40",
                   1e-4);
    same_functions("mfn", p, q, "kernel=rbf sigma=0.7 graph=knn:3 rho=2 eps=1e-11",
                   "kernel=rbf sigma=0.7 graph=knn:3 rho=2 eps=1e-11 rank=40", 1e-5);
    same_functions("lapsvm", p, q, "kernel=rbf sigma=0.7 loss=squared-hinge eps=1e-9",
                   "kernel=rbf sigma=0.7 loss=squared-hinge eps=1e-9 rank=40", 1e-5);
    same_functions("entropy", p, q, "kernel=rbf sigma=0.7 lambda_e=0",
                   "kernel=rbf sigma=0.7 lambda_e=0 rank=40", 1e-4);
    same_functions("svm", all, q, "kernel=rbf sigma=0.7 loss=squared-hinge offset=feature bias=1 eps=1e-9",
                   "kernel=rbf sigma=0.7 loss=squared-hinge offset=feature bias=1 eps=1e-9 rank=40", 1e-5);
    same_functions("invcal", bags, q, "kernel=rbf sigma=0.7", "kernel=rbf sigma=0.7 rank=60", 1e-4);
    same_functions("mfn", three, three, "kernel=rbf sigma=1 eps=1e-11",
                   "kernel=rbf sigma=1 eps=1e-11 rank=45", 1e-5);
    wlab_problem_unref(p);
    wlab_problem_unref(q);
    wlab_problem_unref(all);
    wlab_problem_unref(bags);
    wlab_problem_unref(three);
}

/* The trace error is that of the factor, and with K - FF' psd the optimum of an SVM cannot be smaller with fewer
 * columns. */
static void test_fewer_columns(void **unused)
{
    (void)unused;
    wlab_err err;
    enum {
        N = 50
    };
    wlab_problem *p = pose("two-moons", "n=50 noise=0.3 seed=5", "supervised", "");
    const wlab_algo *algo;
    const char *plain = "kernel=rbf sigma=0.5 loss=squared-hinge offset=feature bias=1 eps=1e-9";
    void *exact = solved_by(&algo, "svm", p, plain);
    const double least = metric(algo, exact, "objective");
    assert_int_equal(wlab_metric_index(algo, "trace_error"), -1);
    algo->destroy(exact);
    double last = HUGE_VAL, K[N * N];
    wlab_kernel kernel = {.kind = WL_K_RBF, .gamma = 1 / (2 * 0.25)};
    ASSERT_OK(wlab_kernel_matrix(&kernel, p->X, p->X, p->row, K, NULL, &err), err);
    for (int rank = 2; rank <= 40; rank *= 2) {
        char options[200];
        snprintf(options, sizeof options, "%s rank=%d", plain, rank);
        void *s = solved_by(&algo, "svm", p, options);
        const double objective = metric(algo, s, "objective");
        assert_true(objective <= last * (1 + 1e-7) && objective >= least * (1 - 1e-7));
        last = objective;
        wlab_features *f;
        ASSERT_OK(wlab_features_make(&f, p, &kernel, 0, rank, NULL, &err), err);
        double left = 0, largest = 0;
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                double entry = K[i * N + j];
                for (int64_t k = 0; k < f->r; k++)
                    entry -= f->Phi[i * f->r + k] * f->Phi[j * f->r + k];
                left += i == j ? entry : 0;
                largest = fmax(largest, fabs(entry));
            }
        ASSERT_NEAR(metric(algo, s, "trace_error"), left / N, 1e-12);
        assert_true(largest <= left + 1e-12);
        wlab_features_destroy(f);
        algo->destroy(s);
    }
    wlab_problem_unref(p);
}

/* Threads, failed allocations, damaged snapshots, interrupts. */
static void test_units(void **unused)
{
    (void)unused;
    wlab_problem *p = pose("two-moons", "n=30 noise=0.1 seed=3", "ssl", "labeled=6 seed=2");
    const char *options = "kernel=rbf sigma=0.7 rank=8";
    units_hold(algo_for("tsvm", p, options), p, options, 6, 6);
    wlab_problem_unref(p);
}

static void test_choice(void **unused)
{
    (void)unused;
    wlab_err err;
    wlab_problem *p = pose("two-moons", "n=20 seed=3", "ssl", "labeled=6 seed=2");
    const wlab_algo *tsvm = wlab_algo_find("tsvm");
    wlab_params *params = made_params(tsvm->params, "kernel=rbf", &err);
    assert_int_equal(wlab_kernel_rank(params, p->X, WL_KERNEL_ROWS), 0);
    assert_int_equal(wlab_kernel_rank(params, p->X, WL_KERNEL_ROWS + 1), WL_KERNEL_RANK);
    wlab_params_destroy(params);
    params = made_params(tsvm->params, "kernel=rbf rank=0", &err);
    assert_int_equal(wlab_kernel_rank(params, p->X, WL_KERNEL_ROWS + 1), 0);
    wlab_params_destroy(params);
    params = made_params(tsvm->params, "kernel=linear", &err);
    assert_int_equal(wlab_kernel_rank(params, p->X, WL_KERNEL_ROWS + 1), 0);
    wlab_params_destroy(params);
    assert_ptr_equal(algo_for("tsvm", p, "kernel=rbf"), tsvm);
    assert_ptr_equal(algo_for("tsvm", p, "kernel=rbf rank=0"), tsvm);
    /* rank= alone asks for a kernel that is not linear, as sigma= does */
    assert_ptr_not_equal(algo_for("tsvm", p, "kernel=auto rank=5"), tsvm);
    assert_ptr_equal(algo_for("tsvm", p, "kernel=rbf rank=5"), algo_for("tsvm", p, "kernel=rbf rank=9"));
    assert_ptr_equal(wlab_lowrank(algo_for("tsvm", p, "kernel=rbf rank=5")),
                     algo_for("tsvm", p, "kernel=rbf rank=5"));
    void *state = NULL;
    params = made_params(tsvm->params, "kernel=linear rank=5", &err);
    ASSERT_FAILS(tsvm->create(&state, p, params, NULL, &err), WL_EARG, err, "rank=5 does not apply");
    wlab_params_destroy(params);
    /* what depends on the kernel is chosen as for the linear one, and said */
    const wlab_algo *alter = wlab_algo_find("alter-psvm"), *derived;
    wlab_problem *bags = pose("two-moons", "n=20 seed=3", "llp", "bagsize=5 seed=1");
    params = made_params(alter->params, "kernel=rbf rank=5", &err);
    ASSERT_OK(wlab_algo_for(&derived, alter, bags, params, &err), err);
    char text[WL_REAL_TEXT];
    const wlab_param_info *offset = wlab_param_find(alter->params, "offset");
    assert_string_equal(wlab_algo_setting(alter, bags, params, offset, NULL, text), "free");
    assert_string_equal(wlab_algo_setting(derived, bags, params, offset, NULL, text), "feature");
    wlab_params_destroy(params);
    wlab_problem_unref(bags);
    wlab_problem_unref(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_columns),
                                       cmocka_unit_test(test_fewer_columns), cmocka_unit_test(test_units),
                                       cmocka_unit_test(test_choice)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

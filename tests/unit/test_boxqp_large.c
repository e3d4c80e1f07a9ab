/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The squared hinge SVM on many rows: Newton steps by conjugate gradients against the dense solver; WellSVM with this
 * solver, compared with the optimum that LIBSVM finds and with other numbers of threads.
 */
#include "reference.h"
#include "transduction.h"

#include "algo/wellsvm/wellsvm.h"
#include "solve/svm/boxqp_large.h"

#include <cblas.h>

typedef struct random_qp {
    int64_t n;
    double *Q, *delta, *upper, *alpha, *g;
    float *near, *work;
} random_qp;

/* Q = K.(y y'), K a Gaussian kernel of the first two columns of random z [n x 3], y the signs of the third; some
 * rows share a coordinate with the row before.  Every fifth coordinate has upper = 0. */
static random_qp make_qp(int64_t n, uint64_t seed)
{
    wlab_rng rng;
    random_qp q = {.n = n};
    double *z = malloc((size_t)(3 * n) * sizeof *z);
    wlab_rng_seed(&rng, seed);
    q.Q = malloc((size_t)(n * n) * sizeof *q.Q);
    q.near = malloc((size_t)(n * n) * sizeof *q.near);
    q.work = malloc((size_t)(n * n) * sizeof *q.work);
    q.delta = malloc((size_t)n * sizeof *q.delta), q.upper = malloc((size_t)n * sizeof *q.upper);
    q.alpha = calloc((size_t)n, sizeof *q.alpha), q.g = malloc((size_t)n * sizeof *q.g);
    for (int64_t i = 0; i < 3 * n; i++)
        z[i] = i >= 3 && i % 7 == 0 ? z[i - 3] : wlab_rng_normal(&rng);
    for (int64_t i = 0; i < n; i++) {
        q.delta[i] = i % 2 ? 1 : 10;
        q.upper[i] = i % 5 ? HUGE_VAL : 0;
        for (int64_t j = 0; j < n; j++)
            q.Q[i * n + j] = exp(-0.2 * (pow(z[3 * i] - z[3 * j], 2) + pow(z[3 * i + 1] - z[3 * j + 1], 2))) *
                             ((z[3 * i + 2] > 0) == (z[3 * j + 2] > 0) ? 1 : -1);
    }
    for (int64_t i = 0; i < n * n; i++)
        q.near[i] = (float)q.Q[i];
    free(z);
    return q;
}

static void free_qp(random_qp *q)
{
    free(q->Q), free(q->near), free(q->work), free(q->delta), free(q->upper), free(q->alpha), free(q->g);
}

static void gradient(random_qp *q)
{
    for (int64_t i = 0; i < q->n; i++)
        q->g[i] = 1 - q->delta[i] * q->alpha[i] - cblas_ddot((int)q->n, q->Q + i * q->n, 1, q->alpha, 1);
}

static void test_newton(void **unused)
{
    (void)unused;
    wlab_err err;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        int64_t n = 30 + 7 * (int64_t)seed;
        random_qp q = make_qp(n, seed);
        wlab_boxqp_large large = {n, q.near, q.delta, q.upper, q.work, NULL};
        wlab_boxqp_result result;
        double *alpha = calloc((size_t)n, sizeof *alpha), *g = malloc((size_t)n * sizeof *g);
        ASSERT_OK(wlab_boxqp_solve(q.Q, n, q.delta, q.upper, 1e-13, alpha, g, &result, NULL, &err), err);
        for (int round = 0; round < 3; round++) { /* each round starts with an exact gradient */
            gradient(&q);
            ASSERT_OK(wlab_boxqp_large_newton(&large, 1e-13, q.alpha, q.g, NULL, NULL, &err), err);
        }
        gradient(&q);
        double dual = wlab_boxqp_dual(n, q.alpha, q.g);
        assert_true(wlab_boxqp_gap(n, q.delta, q.upper, q.alpha, q.g) <= 1e-11 * dual);
        ASSERT_NEAR(dual / result.dual, 1, 1e-11);
        for (int64_t i = 0; i < n; i++)
            assert_true(q.upper[i] > 0 ? q.alpha[i] >= 0 : q.alpha[i] == 0);
        free(alpha), free(g);
        free_qp(&q);
    }
}

/* X_s nearly solves (Q + Diag(delta)) X_s = B_s, and H has nearly the products B_s'X_u. */
static void test_hessian(void **unused)
{
    (void)unused;
    enum {
        N = 90,
        T = 5
    };
    wlab_err err;
    random_qp q = make_qp(N, 3);
    wlab_boxqp_large large = {N, q.near, q.delta, q.upper, q.work, NULL};
    double B[T * N], X[T * N], H[T * T];
    for (int t = 1; t <= T; t += 2) { /* few right-hand sides, and many */
        wlab_rng rng;
        wlab_rng_seed(&rng, 7);
        for (int64_t i = 0; i < t * N; i++)
            B[i] = wlab_rng_normal(&rng);
        ASSERT_OK(wlab_boxqp_large_hessian(&large, B, t, X, H, NULL, &err), err);
        for (int s = 0; s < t; s++)
            for (int64_t i = 0; i < N; i++) {
                double r =
                    q.delta[i] * X[s * N + i] + cblas_ddot(N, q.Q + i * N, 1, X + s * N, 1) - B[s * N + i];
                assert_true(fabs(r) < 0.05);
                for (int u = 0; u < t; u++)
                    ASSERT_NEAR(H[s * t + u], cblas_ddot(N, B + s * N, 1, X + u * N, 1), 0.02);
            }
    }
    free_qp(&q);
}

static void test_no_memory(void **unused)
{
    (void)unused;
    wlab_err err;
    random_qp q = make_qp(60, 2);
    wlab_boxqp_large large = {60, q.near, q.delta, q.upper, q.work, NULL};
    double X[120], H[4];
    gradient(&q);
    ALLOC_SWEEP_CHECK(wlab_boxqp_large_newton(&large, 1e-10, q.alpha, q.g, NULL, NULL, &err), gradient(&q));
    ALLOC_SWEEP(wlab_boxqp_large_hessian(&large, q.Q, 2, X, H, NULL, &err));
    atomic_int stop = 1;
    wlab_ctx ctx = {.interrupt = &stop};
    memset(q.alpha, 0, (size_t)q.n * sizeof *q.alpha);
    gradient(&q);
    assert_int_equal(wlab_boxqp_large_newton(&large, 1e-10, q.alpha, q.g, NULL, &ctx, &err), WL_EINTERRUPTED);
    free_qp(&q);
}

static wellsvm *run(wlab_problem *p, const char *options, int steps, wlab_ctx *ctx)
{
    wellsvm *s = create_state(&wlab_algo_wellsvm, p, options);
    for (int k = 0; k < steps; k++)
        step(&wlab_algo_wellsvm, s, ctx);
    return s;
}

/* The SVM of a run's first labeling: LIBSVM's ONE_CLASS gives the direction, from which the best multiple is
 * computed. */
static double reference_objective(const wellsvm *s)
{
    const int64_t n = s->n;
    const int8_t *y = well_labeling(s, 0);
    double *Q = malloc((size_t)(n * n) * sizeof *Q), *a = malloc((size_t)n * sizeof *a), quad = 0, sum = 0;
    assert_true(Q && a);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            Q[i * n + j] = y[i] * y[j] * s->K[i * n + j] + (i == j ? s->delta[i] : 0);
    reference_libsvm_one_class(Q, n, 1e-9, a);
    for (int64_t i = 0; i < n; i++) {
        sum += a[i];
        for (int64_t j = 0; j < n; j++)
            quad += a[i] * Q[i * n + j] * a[j];
    }
    quad /= sum * sum;
    free(Q);
    free(a);
    return s->loss == WELL_SUM_TO_ONE ? -0.5 * quad : 0.5 / quad;
}

/* For both losses, with few rows and with more than those for which Cholesky factors are used: the SVM of the first
 * step has the optimum that LIBSVM finds. */
static void test_reference(void **unused)
{
    (void)unused;
    static const char *const losses[] = {"loss=sum-to-one", "loss=squared-hinge", "loss=sum-to-one C2=1"};
    for (int n = 200; n <= 1100; n += 900)
        for (int k = 0; k < 3; k++) {
            char how[64], options[128];
            snprintf(how, sizeof how, "n=%d noise=0.3 seed=1", n);
            wlab_problem *p = pose("two-moons", how, "ssl", "labeled=20 seed=1");
            snprintf(options, sizeof options, "kernel=rbf sigma=0.5x search=paper bound=labelled %s",
                     losses[k]);
            wellsvm *own = run(p, options, 1, NULL);
            assert_true(well_large(own) == (n >= 1000));
            assert_true(own->inner_gap <= 1e-8 * fabs(own->objective));
            ASSERT_NEAR(own->objective / reference_objective(own), 1, 1e-6);
            wlab_algo_wellsvm.destroy(own);
            wlab_problem_unref(p);
        }
}

static void test_threads(void **unused)
{
    (void)unused;
    wlab_err err;
    wlab_pool *pool = NULL;
    ASSERT_OK(wlab_pool_create(&pool, 3, &err), err);
    wlab_ctx ctx = {.pool = pool};
    wlab_problem *p = pose("two-moons", "n=1000 noise=0.3 seed=2", "ssl", "labeled=20 seed=1");
    const char *options = "kernel=rbf sigma=0.5x search=paper bound=labelled";
    wellsvm *one = run(p, options, 4, NULL), *three = run(p, options, 4, &ctx);
    assert_true(one->T > 1);
    assert_memory_equal(one->at.alpha, three->at.alpha, (size_t)one->m * sizeof(double));
    assert_memory_equal(one->mu, three->mu, (size_t)one->T * sizeof(double));
    assert_true(one->objective == three->objective && one->upper_bound == three->upper_bound);
    wlab_algo_wellsvm.destroy(one);
    wlab_algo_wellsvm.destroy(three);
    wlab_problem_unref(p);
    wlab_pool_destroy(pool);
}

/* In four units every allocation fails once; after each unit the run is the same as one in which none failed. */
static void test_failures(void **unused)
{
    (void)unused;
    const char *options = "kernel=rbf sigma=0.5x search=paper bound=labelled";
    for (int k = 0; k < 2; k++) {
        wlab_err err;
        wlab_problem *p = pose("two-moons", k ? "n=60 noise=0.3 seed=2" : "n=1000 noise=0.3 seed=2", "ssl",
                               "labeled=20 seed=1");
        wellsvm *s = create_state(&wlab_algo_wellsvm, p, options),
                *calm = create_state(&wlab_algo_wellsvm, p, options);
        for (int u = 0; u < 4; u++) {
            wlab_step step = {0};
            ALLOC_SWEEP(wlab_algo_wellsvm.advance(s, NULL, &step, &err));
            ASSERT_OK(wlab_algo_wellsvm.advance(calm, NULL, &step, &err), err);
            assert_true(s->objective == calm->objective && s->T == calm->T);
            assert_memory_equal(s->at.alpha, calm->at.alpha, (size_t)s->m * sizeof(double));
        }
        wlab_algo_wellsvm.destroy(s);
        wlab_algo_wellsvm.destroy(calm);
        wlab_problem_unref(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_newton),    cmocka_unit_test(test_hessian), cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_reference), cmocka_unit_test(test_threads), cmocka_unit_test(test_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

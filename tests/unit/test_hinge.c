/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The hinge loss solvers with warm start, linear by coordinate descent and on a kernel matrix with a free offset:
 * comparison with LIBLINEAR, LIBSVM and the box QP, recomputed certificates, warm starts, costs of rows, threads,
 * memory.
 */
#include "support.h"

#include "made.h"
#include "solve/svm/backend.h"
#include "solve/svm/boxqp.h"
#include "solve/svm/dcd.h"
#include "solve/svm/smo_free.h"

#include <cblas.h>

enum {
    N = 90
};

typedef struct posed {
    wlab_dataset *data;
    const wlab_matrix *X;
    int64_t n;
    int8_t *y;
    double *cost, *sqnorm, *alpha, *w, *f, *K;
    int32_t *work;
    double bias;
} posed;

static posed pose(const char *kind, const char *how, double bias)
{
    wlab_err err;
    posed q = {.data = made_data(kind, how, &err), .bias = bias};
    assert_non_null(q.data);
    q.X = q.data->X;
    q.n = q.X->rows;
    const size_t n = (size_t)q.n;
    q.y = calloc(n, 1);
    q.cost = calloc(n, sizeof(double));
    q.sqnorm = calloc(n, sizeof(double));
    q.alpha = calloc(n, sizeof(double));
    q.w = calloc((size_t)q.X->cols + 1, sizeof(double));
    q.f = calloc(n, sizeof(double));
    q.work = calloc(2 * n, sizeof *q.work);
    q.K = calloc(n * n, sizeof(double));
    assert_true(q.y && q.cost && q.sqnorm && q.alpha && q.w && q.f && q.work && q.K);
    for (int64_t i = 0; i < q.n; i++) {
        q.y[i] = q.data->label[i] > 0 ? 1 : -1;
        q.cost[i] = 1;
        q.sqnorm[i] = wlab_matrix_row_sqnorm(q.X, i) + bias * bias;
        for (int64_t j = 0; j < q.n; j++)
            q.K[i * q.n + j] = wlab_matrix_rows_dot(q.X, i, q.X, j) + bias * bias;
    }
    return q;
}

static void free_posed(posed *q)
{
    wlab_dataset_unref(q->data);
    free(q->y);
    free(q->cost);
    free(q->sqnorm);
    free(q->alpha);
    free(q->w);
    free(q->f);
    free(q->work);
    free(q->K);
}

static wlab_dcd dcd(const posed *q)
{
    return (wlab_dcd){.X = q->X, .bias = q->bias, .cost = q->cost, .sqnorm = q->sqnorm};
}

static wlab_dcd_result descend(posed *q, double tol, wlab_pool *pool)
{
    wlab_err err;
    wlab_dcd_result r;
    wlab_ctx ctx = {.pool = pool};
    const wlab_dcd d = dcd(q);
    ASSERT_OK(wlab_dcd_solve(&d, q->y, tol, 5, q->alpha, q->w, q->f, q->work, &r, NULL, &ctx, &err), err);
    return r;
}

/* Checks alpha, f and the primal and dual value against a computation from alpha alone. */
static void certify(const posed *q, const wlab_dcd_result *r, double tol)
{
    double norm = 0, dual = 0, loss = 0;
    for (int64_t i = 0; i < q->n; i++) {
        double f = 0;
        for (int64_t j = 0; j < q->n; j++)
            f += q->K[i * q->n + j] * q->y[j] * q->alpha[j];
        assert_true(q->alpha[i] >= 0 && q->alpha[i] <= q->cost[i]);
        ASSERT_NEAR(q->f[i], f, 1e-6);
        norm += 0.5 * q->y[i] * q->alpha[i] * f;
        dual += q->alpha[i];
        loss += q->cost[i] * fmax(0, 1 - q->y[i] * f);
    }
    ASSERT_NEAR(r->dual, dual - norm, 1e-6);
    ASSERT_NEAR(r->primal, norm + loss, 1e-6);
    assert_true(r->primal - r->dual <= tol * r->primal);
}

static void test_liblinear(void **state)
{
    (void)state;
    for (int k = 0; k < 6; k++) {
        wlab_err err;
        /* LIBLINEAR stops after 1000 passes: use small costs for hard problems */
        const double C = k < 3 || k % 2 == 0 ? 0.1 : 3, bias = k % 3 ? 1.5 * (k % 3) : 0;
        posed q = pose(k % 2 ? "topics" : "g50c", k % 2 ? "n=120 d=300 meanlen=20 seed=2" : "seed=3", bias);
        int32_t *pick = calloc((size_t)q.n, sizeof *pick);
        double *w = calloc((size_t)q.X->cols, sizeof *w), b, value = 0;
        assert_true(pick && w);
        for (int64_t i = 0; i < q.n; i++) {
            q.cost[i] = C;
            pick[i] = (int32_t)i;
        }
        const wlab_dcd_result r = descend(&q, 1e-9, NULL);
        certify(&q, &r, 1e-9);
        ASSERT_OK(wlab_liblinear_solve(q.X, pick, q.y, q.n, false, C, C, bias, 1e-8, 1, w, &b, NULL, &err),
                  err);
        for (int32_t j = 0; j < q.X->cols; j++)
            value += 0.5 * w[j] * w[j];
        value += bias > 0 ? 0.5 * (b / bias) * (b / bias) : 0;
        for (int64_t i = 0; i < q.n; i++)
            value += C * fmax(0, 1 - q.y[i] * (wlab_matrix_row_dot(q.X, i, w) + b));
        ASSERT_NEAR(r.primal / value, 1, 1e-6);
        assert_true(r.dual <= value * (1 + 1e-12));
        for (int32_t j = 0; j < q.X->cols; j++)
            assert_true(fabs(q.w[j] - w[j]) < 1e-3);
        free(pick);
        free(w);
        free_posed(&q);
    }
}

/* Costs of rows, some of them 0, and labels that change: the same optimum from the previous solution as from zero. */
static void test_warm(void **state)
{
    (void)state;
    wlab_err err;
    wlab_rng rng;
    wlab_rng_seed(&rng, 4);
    posed q = pose("two-moons", "n=150 noise=0.3 seed=1", 1),
          cold = pose("two-moons", "n=150 noise=0.3 seed=1", 1);
    for (int round = 0; round < 8; round++) {
        const wlab_dcd d = dcd(&q);
        for (int64_t i = 0; i < q.n; i++) {
            if (wlab_rng_below(&rng, 10) == 0)
                q.y[i] = (int8_t)-q.y[i];
            q.cost[i] = wlab_rng_below(&rng, 6) == 0 ? 0 : 0.2 + 3 * wlab_rng_uniform(&rng);
            q.alpha[i] = fmin(q.alpha[i], q.cost[i]);
            cold.y[i] = q.y[i];
            cold.cost[i] = q.cost[i];
            cold.alpha[i] = 0;
        }
        memset(cold.w, 0, 3 * sizeof *cold.w);
        ASSERT_OK(wlab_dcd_rebuild(&d, q.y, q.alpha, q.w, NULL, &err), err);
        const wlab_dcd_result a = descend(&q, 1e-8, NULL), b = descend(&cold, 1e-8, NULL);
        certify(&q, &a, 1e-8);
        certify(&cold, &b, 1e-8);
        ASSERT_NEAR(a.primal / b.primal, 1, 1e-7);
    }
    free_posed(&q);
    free_posed(&cold);
}

static void test_threads_and_memory(void **state)
{
    (void)state;
    wlab_err err;
    wlab_pool *pool = NULL;
    posed a = pose("topics", "n=300 d=400 meanlen=30 seed=1", 0),
          b = pose("topics", "n=300 d=400 meanlen=30 seed=1", 0);
    ASSERT_OK(wlab_pool_create(&pool, 3, &err), err);
    const wlab_dcd_result one = descend(&a, 1e-5, NULL), three = descend(&b, 1e-5, pool);
    assert_memory_equal(&one, &three, sizeof one);
    assert_memory_equal(a.w, b.w, (size_t)a.X->cols * sizeof *a.w);
    assert_memory_equal(a.f, b.f, (size_t)a.n * sizeof *a.f);
    const wlab_dcd d = dcd(&a);
    ALLOC_SWEEP(wlab_dcd_rebuild(&d, a.y, a.alpha, a.w, NULL, &err));
    for (int64_t i = 0; i < a.n; i++)
        a.f[i] = a.cost[i] = NAN;
    wlab_dcd_result r;
    ASSERT_FAILS(wlab_dcd_solve(&d, a.y, 1e-5, 5, a.alpha, a.w, a.f, a.work, &r, NULL, NULL, &err),
                 WL_ENUMERIC, err, "not finite");
    wlab_pool_destroy(pool);
    free_posed(&a);
    free_posed(&b);
}

/* Makes columns of different scale: the entries are about 2 to 6 times `size`, but the constant feature remains `bias`.
 * Coordinate descent is slow on them. */
static void unscale(posed *q, double size)
{
    assert_false(q->X->sparse);
    for (int64_t i = 0; i < q->n; i++) {
        double *x = q->X->dense + q->X->start[i];
        for (int32_t j = 0; j < q->X->cols; j++)
            x[j] = size * (1 + j % 3) * (2 + x[j] * (j % 2 ? 1 : 0.001));
        q->sqnorm[i] = wlab_matrix_row_sqnorm(q->X, i) + q->bias * q->bias;
    }
    for (int64_t i = 0; i < q->n; i++)
        for (int64_t j = 0; j < q->n; j++)
            q->K[i * q->n + j] = wlab_matrix_rows_dot(q->X, i, q->X, j) + q->bias * q->bias;
}

/* Columns of very different scale, with few columns and with more columns than rows: the optimum is that of the box
 * QP, and an inexact result reports that it is inexact. */
static void test_unscaled(void **state)
{
    (void)state;
    static const char *const kinds[] = {"two-moons", "g50c", "g50c"}, *const how[] = {"n=60 noise=0.3 seed=1",
                                                                                      "n=80 seed=1",
                                                                                      "n=40 seed=2"};
    for (int k = 0; k < 3; k++) {
        wlab_err err;
        posed q = pose(kinds[k], how[k], 1);
        unscale(&q, 300);
        double *Q = calloc((size_t)(q.n * q.n), sizeof *Q), *a = calloc((size_t)q.n, sizeof *a), *g = q.f;
        assert_true(Q && a);
        for (int64_t i = 0; i < q.n; i++) {
            q.cost[i] = 10;
            for (int64_t j = 0; j < q.n; j++)
                Q[i * q.n + j] = q.y[i] * q.y[j] * q.K[i * q.n + j];
        }
        wlab_boxqp_result exact;
        ASSERT_OK(wlab_boxqp_solve(Q, q.n, NULL, q.cost, 1e-8, a, g, &exact, NULL, &err), err);
        const wlab_dcd_result r = descend(&q, 1e-5, NULL);
        assert_true(r.reached);
        assert_true(r.passes <= 101 && r.primal - r.dual <= 1e-5 * r.primal);
        ASSERT_NEAR(r.primal / exact.primal, 1, 2e-5);
        const wlab_dcd d = dcd(&q);
        wlab_dcd_result again;
        ALLOC_SWEEP((memset(q.alpha, 0, (size_t)q.n * sizeof *q.alpha),
                     memset(q.w, 0, ((size_t)q.X->cols + 1) * sizeof *q.w),
                     memset(q.f, 0, (size_t)q.n * sizeof *q.f),
                     wlab_dcd_solve(&d, q.y, 1e-5, 5, q.alpha, q.w, q.f, q.work, &again, NULL, NULL, &err)));
        assert_true(again.reached && again.primal == r.primal);
        free(Q);
        free(a);
        free_posed(&q);
    }
    posed q = pose("two-moons", "n=20 noise=0.3 seed=1", 1);
    unscale(&q, 1e30);
    const wlab_dcd_result r = descend(&q, 1e-5, NULL);
    assert_true(!r.reached && r.primal - r.dual > 1e-5 * r.primal);
    free_posed(&q);
}

/* ---- on a kernel matrix with a free offset ---- */

static void rbf(posed *q, double gamma)
{
    for (int64_t i = 0; i < q->n; i++)
        for (int64_t j = 0; j < q->n; j++) {
            double d = wlab_matrix_row_sqnorm(q->X, i) + wlab_matrix_row_sqnorm(q->X, j) -
                       2 * wlab_matrix_rows_dot(q->X, i, q->X, j);
            q->K[i * q->n + j] = exp(-gamma * (d > 0 ? d : 0));
        }
}

static wlab_smo_free_result smo(posed *q, double tol)
{
    wlab_err err;
    wlab_smo_free_result r;
    ASSERT_OK(wlab_smo_free_solve(q->K, q->n, q->y, q->cost, tol, q->alpha, q->f, &r, NULL, &err), err);
    return r;
}

static void certify_free(const posed *q, const wlab_smo_free_result *r, double tol)
{
    double norm = 0, linear = 0, loss = 0, sum = 0;
    for (int64_t i = 0; i < q->n; i++) {
        double f = 0;
        for (int64_t j = 0; j < q->n; j++)
            f += q->K[i * q->n + j] * q->alpha[j];
        assert_true(q->y[i] * q->alpha[i] >= 0 && q->y[i] * q->alpha[i] <= q->cost[i]);
        ASSERT_NEAR(q->f[i], f + r->b, 1e-8);
        norm += 0.5 * q->alpha[i] * f;
        linear += q->y[i] * q->alpha[i];
        sum += q->alpha[i];
        loss += q->cost[i] * fmax(0, 1 - q->y[i] * q->f[i]);
    }
    assert_true(fabs(sum) < 1e-9);
    ASSERT_NEAR(r->dual, linear - norm, 1e-8);
    ASSERT_NEAR(r->primal, norm + loss, 1e-8);
    assert_true(r->primal - r->dual <= tol * r->primal);
}

static void test_libsvm(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        wlab_err err;
        const double C = k < 2 ? 0.3 : 20;
        posed q = pose("two-moons", "n=90 noise=0.25 seed=2", 0);
        double *c = calloc((size_t)q.n, sizeof *c), b, value = 0;
        assert_non_null(c);
        if (k % 2)
            rbf(&q, 1.5);
        for (int64_t i = 0; i < q.n; i++)
            q.cost[i] = C;
        const wlab_smo_free_result r = smo(&q, 1e-9);
        certify_free(&q, &r, 1e-9);
        ASSERT_OK(wlab_libsvm_solve(q.K, q.y, q.n, C, 1e-7, c, &b, NULL, &err), err);
        for (int64_t i = 0; i < q.n; i++) {
            double f = 0;
            for (int64_t j = 0; j < q.n; j++)
                f += q.K[i * q.n + j] * c[j];
            value += 0.5 * c[i] * f + C * fmax(0, 1 - q.y[i] * (f + b));
            assert_true(fabs(f + b - q.f[i]) < 1e-3);
        }
        ASSERT_NEAR(r.primal / value, 1, 1e-6);
        free(c);
        free_posed(&q);
    }
}

static void test_free_warm(void **state)
{
    (void)state;
    wlab_rng rng;
    wlab_rng_seed(&rng, 9);
    posed q = pose("two-moons", "n=80 noise=0.3 seed=3", 0),
          cold = pose("two-moons", "n=80 noise=0.3 seed=3", 0);
    rbf(&q, 2);
    rbf(&cold, 2);
    for (int round = 0; round < 12; round++) {
        for (int64_t i = 0; i < q.n; i++) {
            if (wlab_rng_below(&rng, 8) == 0)
                q.y[i] = (int8_t)-q.y[i];
            if (round == 10) /* one class */
                q.y[i] = -1;
            q.cost[i] = wlab_rng_below(&rng, 7) == 0 ? 0 : 0.2 + 4 * wlab_rng_uniform(&rng);
            q.alpha[i] = round == 3 ? q.y[i] * 100.0 : q.alpha[i];
            cold.y[i] = q.y[i];
            cold.cost[i] = q.cost[i];
            cold.alpha[i] = 0;
        }
        const wlab_smo_free_result a = smo(&q, 1e-8), b = smo(&cold, 1e-8);
        if (round == 10) {
            assert_true(a.primal == 0 && a.b == -1 && b.b == -1);
            continue;
        }
        certify_free(&q, &a, 1e-8);
        certify_free(&cold, &b, 1e-8);
        ASSERT_NEAR(a.primal / b.primal, 1, 1e-7);
    }
    free_posed(&q);
    free_posed(&cold);
}

/* The reported values are those of the solver's beta, here q.alpha, even after many updates of f.  Problems with very
 * large costs, or with rows of very different kernel values, end; the result is exact if doubles allow it. */
static void test_free_unscaled(void **state)
{
    (void)state;
    wlab_err err;
    for (int k = 0; k < 5; k++) {
        posed q = pose(k % 2 ? "g50c" : "two-moons", "n=80 seed=1", 0);
        if (k < 3)
            unscale(&q, 300);
        else
            rbf(&q, 1.5);
        for (int64_t i = 0; i < q.n; i++)
            q.cost[i] = k < 3 ? 10 : 1e7;
        const double tol = k == 2 ? 1e-9 : 1e-5;
        const wlab_smo_free_result r = smo(&q, tol);
        double norm = 0, linear = 0, loss = 0, sum = 0, size = 0;
        for (int64_t i = 0; i < q.n; i++) {
            const double f = cblas_ddot((int)q.n, q.K + i * q.n, 1, q.alpha, 1);
            norm += 0.5 * q.alpha[i] * f;
            linear += q.y[i] * q.alpha[i];
            sum += q.alpha[i];
            size += fabs(q.alpha[i]);
            loss += q.cost[i] * fmax(0, 1 - q.y[i] * (f + r.b));
            assert_true(q.y[i] * q.alpha[i] >= 0 && q.y[i] * q.alpha[i] <= q.cost[i]);
        }
        assert_true(fabs(sum) <= 1e-14 * size);
        ASSERT_NEAR(r.primal / (norm + loss), 1, k < 3 ? 1e-6 : 1e-5); /* rounding errors times costs */
        ASSERT_NEAR(r.dual / (linear - norm), 1, 1e-7);
        assert_true(r.primal - r.dual <= tol * r.primal && r.primal - r.dual >= -1e-12 * r.primal);
        assert_true(r.updates < 200000);
        free_posed(&q);
    }
    posed q = pose("two-moons", "n=60 noise=0.6 seed=1", 0);
    rbf(&q, 0.01);
    wlab_smo_free_result r;
    for (int64_t i = 0; i < q.n; i++)
        q.cost[i] = 1e308;
    ASSERT_FAILS(wlab_smo_free_solve(q.K, q.n, q.y, q.cost, 1e-4, q.alpha, q.f, &r, NULL, &err), WL_ENUMERIC,
                 err, "not finite");
    for (int64_t i = 0; i < q.n; i++)
        q.cost[i] = 1e18, q.alpha[i] = 0;
    r = smo(&q, 1e-9);
    assert_true(isfinite(r.primal) && r.primal - r.dual > 1e-9 * r.primal);
    free_posed(&q);
}

/* The best offset is at least as good as every kink. */
static void test_offset(void **state)
{
    (void)state;
    wlab_err err;
    wlab_rng rng;
    wlab_rng_seed(&rng, 2);
    double f[9], cost[9], b;
    int8_t y[9];
    for (int round = 0; round < 300; round++) {
        const int n = 1 + (int)wlab_rng_below(&rng, 9);
        double least = HUGE_VAL, got = 0;
        for (int i = 0; i < n; i++) {
            f[i] = round % 2 ? wlab_rng_normal(&rng) : (double)wlab_rng_below(&rng, 5) - 2;
            cost[i] = wlab_rng_below(&rng, 4) == 0 ? 0 : (double)(1 + wlab_rng_below(&rng, 3));
            y[i] = wlab_rng_below(&rng, 2) ? 1 : -1;
        }
        ASSERT_OK(wlab_offset_best(f, n, y, cost, &b, &err), err);
        for (int k = 0; k < n; k++) {
            double sum = 0;
            for (int i = 0; i < n; i++)
                sum += cost[i] * fmax(0, 1 - y[i] * (f[i] + y[k] - f[k]));
            least = fmin(least, sum);
        }
        for (int i = 0; i < n; i++)
            got += cost[i] * fmax(0, 1 - y[i] * (f[i] + b));
        ASSERT_NEAR(got, least, 1e-12);
    }
    ALLOC_SWEEP(wlab_offset_best(f, 5, y, cost, &b, &err));
}

static void test_free_refusals(void **state)
{
    (void)state;
    wlab_err err;
    wlab_smo_free_result r;
    posed q = pose("two-moons", "n=30 noise=0.3 seed=3", 0);
    ALLOC_SWEEP(wlab_smo_free_solve(q.K, q.n, q.y, q.cost, 1e-4, q.alpha, q.f, &r, NULL, &err));
    for (int64_t i = 0; i < q.n * q.n; i++)
        q.K[i] = NAN;
    ASSERT_FAILS(wlab_smo_free_solve(q.K, q.n, q.y, q.cost, 1e-4, q.alpha, q.f, &r, NULL, &err), WL_ENUMERIC,
                 err, "not finite");
    free_posed(&q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_liblinear),     cmocka_unit_test(test_warm),
        cmocka_unit_test(test_unscaled),      cmocka_unit_test(test_threads_and_memory),
        cmocka_unit_test(test_libsvm),        cmocka_unit_test(test_free_warm),
        cmocka_unit_test(test_offset),        cmocka_unit_test(test_free_refusals),
        cmocka_unit_test(test_free_unscaled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

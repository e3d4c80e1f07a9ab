/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The box QP: gaps recomputed here, enumeration of active sets, comparison with LIBLINEAR and LIBSVM, finite
 * differences of its value.
 */
#include "support.h"

#include "reference.h"
#include "solve/svm/backend.h"
#include "solve/svm/boxqp.h"
#include "solve/svm/boxqp_thin.h"
#include "weaklab/matrix.h"
#include "weaklab/rng.h"

#include <lapacke.h>

typedef enum kind {
    RBF_NARROW,
    RBF_WIDE, /* ill-conditioned */
    LOW_RANK,
    DUPLICATES, /* binary rows, nearly all of them at least twice, and rows of zeros */
    INTEGERS,
    KINDS
} kind;
static const char *const kind_names[] = {"narrow rbf", "wide rbf", "low rank", "duplicates", "integers"};

/* A problem and its solution. */
typedef struct box {
    kind kind;
    int64_t n;
    double *K; /* [n x n] before the labels' signs */
    double *Q; /* K.yy' */
    int8_t *y;
    double *upper, *delta; /* delta NULL: hinge */
    double *alpha, *g;
    wlab_boxqp_result result;
} box;

static box make_box(int64_t n, bool squared)
{
    size_t m = (size_t)n;
    box b = {.n = n};
    b.K = calloc(m * m, sizeof(double));
    b.Q = calloc(m * m, sizeof(double));
    b.y = calloc(m, 1);
    b.upper = calloc(m, sizeof(double));
    b.delta = squared ? calloc(m, sizeof(double)) : NULL;
    b.alpha = calloc(m, sizeof(double));
    b.g = calloc(m, sizeof(double));
    assert_true(b.K && b.Q && b.y && b.upper && b.alpha && b.g && (!squared || b.delta));
    return b;
}

static void free_box(box *b)
{
    free(b->K);
    free(b->Q);
    free(b->y);
    free(b->upper);
    free(b->delta);
    free(b->alpha);
    free(b->g);
}

static void set_Q(box *b)
{
    for (int64_t i = 0; i < b->n; i++)
        for (int64_t j = 0; j < b->n; j++)
            b->Q[i * b->n + j] = b->K[i * b->n + j] * b->y[i] * b->y[j];
}

static void set_cost(box *b, int64_t i, double C)
{
    b->upper[i] = b->delta ? HUGE_VAL : C;
    if (b->delta)
        b->delta[i] = 1 / C;
}

/* Fills K for random rows of the kind. */
static void random_kernel(box *b, kind k, wlab_rng *rng)
{
    enum {
        D = 4
    };
    int64_t n = b->n;
    b->kind = k;
    double *x = calloc((size_t)n * D, sizeof *x);
    assert_non_null(x);
    for (int64_t i = 0; i < n; i++) {
        b->y[i] = wlab_rng_uniform(rng) < 0.5 ? -1 : 1;
        for (int j = 0; j < D; j++) {
            double v = wlab_rng_normal(rng) + 0.5 * b->y[i];
            if (k == DUPLICATES)
                v = i % 2 && i > 2 ? x[(i - 1) * D + j] : i % 10 == 0 ? 0 : (double)wlab_rng_below(rng, 2);
            if (k == INTEGERS)
                v = (double)wlab_rng_below(rng, 7) - 3;
            x[i * D + j] = v;
        }
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            double dot = 0, d2 = 0;
            for (int c = 0; c < D; c++) {
                dot += x[i * D + c] * x[j * D + c];
                d2 += (x[i * D + c] - x[j * D + c]) * (x[i * D + c] - x[j * D + c]);
            }
            b->K[i * n + j] = k == RBF_NARROW ? exp(-d2 / 2) : k == RBF_WIDE ? exp(-d2 / 2000) : dot;
        }
    free(x);
    set_Q(b);
}

static void solve(box *b, double tol)
{
    wlab_err err;
    ASSERT_OK(wlab_boxqp_solve(b->Q, b->n, b->delta, b->upper, tol, b->alpha, b->g, &b->result, NULL, &err),
              err);
}

/* Computes the primal and dual value from alpha alone, in long double.  Asserts that alpha is in the box, that g and
 * the solver's values are right, and that the relative gap is at most tol.  Returns the dual value. */
static double certify(const box *b, double tol)
{
    char what[128];
    snprintf(what, sizeof what, "n = %lld, %s, upper %g, delta %g, %lld rounds, %lld newtons",
             (long long)b->n, kind_names[b->kind], b->upper[0], b->delta ? b->delta[0] : 0,
             (long long)b->result.sweeps, (long long)b->result.newtons);
    long double norm = 0, loss = 0, S = 0, D = 0, floor = 0; /* floor: rounding error of o in doubles */
    for (int64_t i = 0; i < b->n; i++) {
        long double o = 0, a = b->alpha[i], de = b->delta ? b->delta[i] : 0, size = 1;
        assert_true(b->alpha[i] >= 0 && b->alpha[i] <= b->upper[i]);
        for (int64_t j = 0; j < b->n; j++) {
            o += (long double)b->Q[i * b->n + j] * b->alpha[j];
            size += fabsl((long double)b->Q[i * b->n + j] * b->alpha[j]);
        }
        if (fabsl(1 - o - de * a - b->g[i]) > 1e-13L * (size + de * a))
            fail_msg("g[%lld] = %.17g instead of %.17Lg", (long long)i, b->g[i], 1 - o - de * a);
        if (b->upper[i] > 0) {
            long double slack = o < 1 ? 1 - o : 0;
            loss += b->delta ? slack * slack / (2 * de) : b->upper[i] * slack;
            floor += 2e-16L * size * (b->delta ? a + 2e-16L * size / de : (long double)b->upper[i]);
        }
        norm += a * o;
        S += a;
        D += de * a * a;
    }
    double primal = (double)(norm / 2 + loss), dual = (double)(S - norm / 2 - D / 2);
    double gap = (double)(norm + loss - S + D / 2);
    if (!(gap <= tol * fabs(dual) + floor) || !(gap >= -1e-13 * fabs(dual)))
        fail_msg("%s: primal %.17g, dual %.17g, relative gap %.3g", what, primal, dual, gap / fabs(dual));
    assert_true(fabs(b->result.dual - dual) <= 1e-10 * fabs(dual) + (double)floor);
    assert_true(fabs(b->result.primal - primal) <= 1e-10 * fabs(dual) + (double)floor);
    return dual;
}

/* ---- certificates ---- */

static void test_random(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 2, 3, 7, 20, 61, 150};
    static const double costs[] = {1e-6, 1e-2, 1, 100, 1e5, 0 /* mixed, some without a loss */};
    wlab_rng rng;
    wlab_rng_seed(&rng, 1);
    for (int k = 0; k < KINDS; k++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (size_t c = 0; c < sizeof costs / sizeof *costs; c++)
                for (int squared = 0; squared < 2; squared++) {
                    box b = make_box(sizes[s], squared);
                    random_kernel(&b, (kind)k, &rng);
                    for (int64_t i = 0; i < b.n; i++) {
                        double C = costs[c];
                        if (C == 0)
                            C = pow(10, 4 * wlab_rng_uniform(&rng) - 2);
                        set_cost(&b, i, C);
                        if (costs[c] == 0 && i % 5 == 4)
                            b.upper[i] = 0;
                    }
                    solve(&b, 1e-11);
                    certify(&b, 1e-10);
                    free_box(&b);
                }
}

/* All alpha at the bound: C is so small that every row violates its margin. */
static void test_all_at_the_bound(void **state)
{
    (void)state;
    wlab_rng rng;
    wlab_rng_seed(&rng, 2);
    box b = make_box(50, false);
    random_kernel(&b, RBF_NARROW, &rng);
    for (int64_t i = 0; i < b.n; i++)
        set_cost(&b, i, 1e-3);
    solve(&b, 1e-11);
    for (int64_t i = 0; i < b.n; i++)
        assert_true(b.alpha[i] == b.upper[i]);
    certify(&b, 1e-12);
    free_box(&b);
}

/* All rows have upper = 0, or there is no row. */
static void test_nothing_to_do(void **state)
{
    (void)state;
    wlab_rng rng;
    wlab_rng_seed(&rng, 2);
    box b = make_box(4, false);
    random_kernel(&b, LOW_RANK, &rng);
    b.alpha[1] = 3;
    solve(&b, 1e-11);
    assert_true(b.result.dual == 0 && b.result.primal == 0 && b.alpha[1] == 0);
    b.n = 0;
    solve(&b, 1e-11);
    assert_true(b.result.dual == 0 && b.result.primal == 0);
    free_box(&b);
}

static void test_warm_start(void **state)
{
    (void)state;
    wlab_rng rng;
    wlab_rng_seed(&rng, 3);
    for (int k = 0; k < KINDS; k++)
        for (int squared = 0; squared < 2; squared++) {
            box b = make_box(80, squared);
            random_kernel(&b, (kind)k, &rng);
            for (int64_t i = 0; i < b.n; i++)
                set_cost(&b, i, i % 3 ? 1 : 10);
            solve(&b, 1e-12);
            double cold = certify(&b, 1e-10);
            for (int start = 0; start < 4; start++) {
                for (int64_t i = 0; i < b.n; i++)
                    b.alpha[i] = start == 0   ? wlab_rng_uniform(&rng)
                                 : start == 1 ? 1e6 * wlab_rng_normal(&rng)
                                 : start == 2 ? (double)NAN
                                              : b.alpha[i] * (1 + 1e-3 * wlab_rng_normal(&rng));
                solve(&b, 1e-12);
                ASSERT_NEAR(certify(&b, 1e-10) / cold, 1, 2e-10);
            }
            free_box(&b);
        }
}

static void test_not_psd(void **state)
{
    (void)state;
    wlab_err err;
    wlab_rng rng;
    wlab_rng_seed(&rng, 4);
    for (int bad = 0; bad < 5; bad++) {
        box b = make_box(30, bad % 2);
        random_kernel(&b, LOW_RANK, &rng);
        for (int64_t i = 0; i < b.n; i++)
            set_cost(&b, i, 100);
        if (bad == 0)
            b.Q[7 * b.n + 7] = NAN;
        else if (bad == 1)
            b.Q[3 * b.n + 5] = b.Q[5 * b.n + 3] = NAN;
        else if (bad == 2)
            b.Q[0] = HUGE_VAL;
        else if (bad == 3)
            b.Q[4 * b.n + 4] = -1;
        else /* eigenvalues -29 and 1 on the free coordinates */
            for (int64_t i = 0; i < b.n; i++)
                for (int64_t j = 0; j < b.n; j++)
                    b.Q[i * b.n + j] = i == j ? 1e-3 : -1;
        ASSERT_FAILS(wlab_boxqp_solve(b.Q, b.n, b.delta, b.upper, 1e-10, b.alpha, b.g, &b.result, NULL, &err),
                     WL_ENUMERIC, err, "");
        free_box(&b);
    }
}

static void test_interrupt(void **state)
{
    (void)state;
    wlab_err err;
    wlab_rng rng;
    atomic_int stop = 1;
    wlab_ctx ctx = {.interrupt = &stop};
    wlab_rng_seed(&rng, 4);
    box b = make_box(100, false);
    random_kernel(&b, RBF_WIDE, &rng);
    for (int64_t i = 0; i < b.n; i++)
        set_cost(&b, i, 100);
    ASSERT_FAILS(wlab_boxqp_solve(b.Q, b.n, b.delta, b.upper, 1e-10, b.alpha, b.g, &b.result, &ctx, &err),
                 WL_EINTERRUPTED, err, "interrupted");
    for (int64_t i = 0; i < b.n; i++)
        assert_true(b.alpha[i] >= 0 && b.alpha[i] <= b.upper[i]);
    free_box(&b);
}

static void test_memory(void **state)
{
    (void)state;
    wlab_err err;
    wlab_rng rng;
    wlab_rng_seed(&rng, 5);
    box b = make_box(20, false);
    double B[40], H[4];
    random_kernel(&b, RBF_NARROW, &rng);
    for (int64_t i = 0; i < b.n; i++)
        set_cost(&b, i, 1);
    ALLOC_SWEEP(wlab_boxqp_solve(b.Q, b.n, b.delta, b.upper, 1e-10, b.alpha, b.g, &b.result, NULL, &err));
    certify(&b, 1e-9);
    for (int k = 0; k < 40; k++)
        B[k] = wlab_rng_normal(&rng);
    ALLOC_SWEEP(wlab_boxqp_hessian(b.Q, b.n, b.delta, b.upper, b.alpha, B, 2, H, NULL, &err));
    free_box(&b);
}

/* ---- brute force ---- */

/* *value: the dual value at the stationary point whose alpha_i is free where at[i] = 1, at its bound where at[i] = 2,
 * and 0 where at[i] = 0.  False: there is no such point, or it is outside the box. */
static bool candidate(const box *b, const int *at, double *value)
{
    int64_t n = b->n, m = 0;
    double a[8] = {0}, A[64], r[8];
    int free_[8];
    for (int i = 0; i < n; i++) {
        a[i] = at[i] == 2 ? b->upper[i] : 0;
        if (at[i] == 1)
            free_[m++] = i;
    }
    for (int p = 0; p < m; p++) {
        r[p] = 1;
        for (int j = 0; j < n; j++)
            r[p] -= b->Q[free_[p] * n + j] * a[j];
        for (int q = 0; q < m; q++)
            A[p * m + q] = b->Q[free_[p] * n + free_[q]] + (p == q && b->delta ? b->delta[free_[p]] : 0);
    }
    lapack_int pivot[8];
    if (m && LAPACKE_dgesv(LAPACK_COL_MAJOR, (lapack_int)m, 1, A, (lapack_int)m, pivot, r, (lapack_int)m))
        return false;
    for (int p = 0; p < m; p++) {
        a[free_[p]] = r[p];
        if (r[p] < 0 || r[p] > b->upper[free_[p]])
            return false;
    }
    *value = 0;
    for (int i = 0; i < n; i++) {
        double o = b->delta ? b->delta[i] * a[i] : 0;
        for (int j = 0; j < n; j++)
            o += b->Q[i * n + j] * a[j];
        *value += a[i] * (1 - 0.5 * o);
    }
    return true;
}

static void test_enumeration(void **state)
{
    (void)state;
    wlab_rng rng;
    wlab_rng_seed(&rng, 6);
    for (int round = 0; round < 300; round++) {
        bool squared = round % 2;
        box b = make_box(1 + round % 6, squared);
        random_kernel(&b, round % 3 == 0 ? RBF_NARROW : round % 3 == 1 ? INTEGERS : LOW_RANK, &rng);
        for (int64_t i = 0; i < b.n; i++)
            set_cost(&b, i, pow(10, 4 * wlab_rng_uniform(&rng) - 3));
        int states = squared ? 2 : 3, total = 1, at[8];
        for (int i = 0; i < b.n; i++)
            total *= states;
        double best = 0, value;
        for (int code = 0; code < total; code++) {
            for (int i = 0, rest = code; i < b.n; i++, rest /= states)
                at[i] = rest % states;
            if (candidate(&b, at, &value) && value > best)
                best = value;
        }
        solve(&b, 1e-12);
        ASSERT_NEAR(certify(&b, 1e-10) / best, 1, 1e-10);
        free_box(&b);
    }
}

/* ---- references ---- */

/* 1/2 w'w + sum_i C_i loss(y_i w'x_i) with the box's loss (squared: C/2 s^2), C_i from upper or delta. */
static double primal_at(const box *b, const wlab_matrix *X, const double *w)
{
    double sum = 0;
    for (int32_t j = 0; j < X->cols; j++)
        sum += 0.5 * w[j] * w[j];
    for (int64_t i = 0; i < b->n; i++) {
        double slack = fmax(0, 1 - b->y[i] * wlab_matrix_row_dot(X, i, w));
        sum += b->delta ? 0.5 * slack * slack / b->delta[i] : b->upper[i] * slack;
    }
    return sum;
}

/* The box QP on XX' against LIBLINEAR on the rows, row i repeated times[i] times at cost C. */
static void against_liblinear(box *b, const wlab_matrix *X, const int *times, double C)
{
    wlab_err err;
    int64_t n = b->n, total = 0;
    double *w = calloc((size_t)X->cols, sizeof *w), offset = -1;
    int32_t *pick = calloc((size_t)n * 4, sizeof *pick);
    int8_t *y = calloc((size_t)n * 4, 1);
    assert_true(w && pick && y);
    for (int64_t i = 0; i < n; i++) {
        set_cost(b, i, times[i] * C);
        for (int k = 0; k < times[i]; k++) {
            pick[total] = (int32_t)i;
            y[total++] = b->y[i];
        }
    }
    ASSERT_OK(wlab_matrix_gram(X, X, b->K, n, NULL, &err), err);
    set_Q(b);
    solve(b, 1e-11);
    double dual = certify(b, 1e-10), cost1 = b->delta ? C / 2 : C;
    ASSERT_OK(wlab_liblinear_solve(X, pick, y, total, b->delta != NULL, cost1, cost1, 0, 1e-10, 1, w, &offset,
                                   NULL, &err),
              err);
    assert_true(offset == 0);
    double reference = primal_at(b, X, w);
    assert_true(reference >= dual * (1 - 1e-12));
    ASSERT_NEAR(reference / dual, 1, 1e-6);
    free(w);
    free(pick);
    free(y);
}

static void test_liblinear(void **state)
{
    (void)state;
    wlab_err err;
    wlab_rng rng;
    wlab_rng_seed(&rng, 7);
    for (int round = 0; round < 12; round++) {
        box b = make_box(60, round % 2);
        wlab_matrix *X;
        int times[60];
        ASSERT_OK(wlab_matrix_create_dense(&X, b.n, 30, &err), err);
        for (int64_t i = 0; i < b.n; i++) {
            b.y[i] = wlab_rng_uniform(&rng) < 0.4 ? 1 : -1;
            times[i] = round < 6 ? 1 : 1 + (int)wlab_rng_below(&rng, 4);
            for (int j = 0; j < 30; j++)
                X->dense[i * 30 + j] = wlab_rng_normal(&rng) + 0.3 * b.y[i];
        }
        against_liblinear(&b, X, times, round % 3 == 0 ? 0.01 : round % 3 == 1 ? 0.1 : 1);
        wlab_matrix_destroy(X);
        free_box(&b);
    }
}

/* With a kernel matrix K = LL', LIBLINEAR gets the rows of the Cholesky factor L as its data. */
static void test_liblinear_on_a_factor(void **state)
{
    (void)state;
    wlab_err err;
    wlab_rng rng;
    wlab_rng_seed(&rng, 8);
    for (int round = 0; round < 8; round++) {
        box b = make_box(40, round % 2);
        wlab_matrix *L;
        int times[40];
        random_kernel(&b, RBF_NARROW, &rng);
        for (int64_t i = 0; i < b.n; i++)
            times[i] = round < 4 ? 1 : 1 + (int)(i % 3);
        ASSERT_OK(wlab_matrix_create_dense(&L, b.n, (int32_t)b.n, &err), err);
        memcpy(L->dense, b.K, (size_t)(b.n * b.n) * sizeof(double));
        assert_int_equal(LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', (lapack_int)b.n, L->dense, (lapack_int)b.n),
                         0);
        for (int64_t i = 0; i < b.n; i++)
            for (int64_t j = i + 1; j < b.n; j++)
                L->dense[i * b.n + j] = 0;
        against_liblinear(&b, L, times, round % 4 < 2 ? 0.1 : 1);
        wlab_matrix_destroy(L);
        free_box(&b);
    }
}

/* The sum-to-one dual is the scaled dual of the squared hinge loss: comparison with LIBSVM's ONE_CLASS, nu = 1/n. */
static void test_one_class(void **state)
{
    (void)state;
    wlab_rng rng;
    wlab_rng_seed(&rng, 9);
    for (int round = 0; round < 8; round++) {
        int64_t n = 60;
        box b = make_box(n, true);
        double a[60], S = 0, ours = 0, theirs = 0, sum = 0;
        random_kernel(&b, round % 2 ? RBF_NARROW : RBF_WIDE, &rng);
        for (int64_t i = 0; i < n; i++)
            set_cost(&b, i, i < 10 ? 1 : round < 4 ? 0.1 : 0.01);
        solve(&b, 1e-12);
        certify(&b, 1e-10);
        for (int64_t i = 0; i < n; i++) {
            S += b.alpha[i];
            b.Q[i * n + i] += b.delta[i];
        }
        reference_libsvm_one_class(b.Q, n, 1e-9, a);
        for (int64_t i = 0; i < n; i++) {
            assert_true(a[i] >= 0);
            sum += a[i];
            for (int64_t j = 0; j < n; j++) {
                ours -= 0.5 * b.alpha[i] * b.Q[i * n + j] * b.alpha[j] / (S * S);
                theirs -= 0.5 * a[i] * b.Q[i * n + j] * a[j];
            }
        }
        ASSERT_NEAR(sum, 1, 1e-12);
        ASSERT_NEAR(ours / (-1 / (4 * b.result.dual)), 1, 1e-11);
        assert_true(ours >= theirs * (1 + 1e-11)); /* both are negative: ours is at least as good */
        ASSERT_NEAR(ours / theirs, 1, 5e-8);
        free_box(&b);
    }
}

/* ---- the Hessian of the optimum ---- */

enum {
    T = 3
};

/* Solves the dual with Q = sum_t mu_t Q_t, Q_t = K.(y_t y_t') entry by entry, and returns its optimum J.  Sets q[t] =
 * alpha'Q_t alpha; dJ/dmu_t = -1/2 q[t]. */
static double value_at(box *b, const int8_t *y, const double *mu, double *q)
{
    int64_t n = b->n;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            double M = 0;
            for (int t = 0; t < T; t++)
                M += mu[t] * y[t * n + i] * y[t * n + j];
            b->Q[i * n + j] = M * b->K[i * n + j];
        }
    solve(b, 1e-14);
    for (int t = 0; t < T; t++) {
        q[t] = 0;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++)
                q[t] += b->alpha[i] * b->alpha[j] * y[t * n + i] * y[t * n + j] * b->K[i * n + j];
    }
    return b->result.dual;
}

static bool same_free(const box *b, const double *alpha)
{
    for (int64_t i = 0; i < b->n; i++)
        if ((alpha[i] > 0 && alpha[i] < b->upper[i]) != (b->alpha[i] > 0 && b->alpha[i] < b->upper[i]))
            return false;
    return true;
}

static void test_hessian(void **state)
{
    (void)state;
    wlab_err err;
    wlab_rng rng;
    wlab_rng_seed(&rng, 10);
    int compared = 0;
    for (int round = 0; round < 20; round++) {
        int64_t n = 14;
        box b = make_box(n, round % 2);
        int8_t y[T * 14];
        double mu[T] = {0.5, 0.3, 0.2}, q[T], qa[T], qb[T], alpha[14], B[T * 14], H[T * T];
        random_kernel(&b, RBF_NARROW, &rng);
        for (int64_t i = 0; i < n; i++) {
            set_cost(&b, i, round % 4 < 2 ? 1 : 20);
            for (int t = 0; t < T; t++)
                y[t * n + i] = wlab_rng_uniform(&rng) < 0.5 ? -1 : 1;
        }
        double J = value_at(&b, y, mu, q);
        memcpy(alpha, b.alpha, sizeof alpha);
        for (int t = 0; t < T; t++)
            for (int64_t i = 0; i < n; i++) {
                B[t * n + i] = 0;
                for (int64_t j = 0; j < n; j++)
                    B[t * n + i] += y[t * n + i] * y[t * n + j] * b.K[i * n + j] * alpha[j];
            }
        ASSERT_OK(wlab_boxqp_hessian(b.Q, n, b.delta, b.upper, alpha, B, T, H, NULL, &err), err);
        for (int s = 0; s < T; s++) {
            const double h = 1e-5;
            double plus[T], minus[T];
            memcpy(plus, mu, sizeof mu);
            memcpy(minus, mu, sizeof mu);
            plus[s] += h;
            minus[s] -= h;
            double up = value_at(&b, y, plus, qa);
            bool smooth = same_free(&b, alpha);
            double down = value_at(&b, y, minus, qb);
            if (!smooth || !same_free(&b, alpha))
                continue; /* between the points other alpha become free, and there the Hessian jumps */
            ASSERT_NEAR((up - down) / (2 * h), -0.5 * q[s], 1e-7 * fabs(J));
            for (int t = 0; t < T; t++) {
                assert_true(H[s * T + t] == H[t * T + s]);
                ASSERT_NEAR(H[s * T + t], -0.5 * (qa[t] - qb[t]) / (2 * h), 1e-5 * (1 + fabs(J)));
                compared++;
            }
        }
        free_box(&b);
    }
    assert_true(compared > 60);
}

/* Q = F F' given by F alone: the same certified optimum as with Q, from 0 and from another start; with the squared
 * hinge loss also the same Hessian. */
static void test_thin(void **state)
{
    enum {
        M = 240,
        R = 7
    };
    double F[M * R], B[T * M], H[T * T], thin_H[T * T], alpha[M], g[M];
    wlab_rng rng;
    wlab_err err;
    (void)state;
    for (int squared = 0; squared < 2; squared++)
        for (int seed = 0; seed < 6; seed++) {
            box b = make_box(M, squared);
            wlab_boxqp_result result;
            wlab_rng_seed(&rng, (uint64_t)seed);
            for (int i = 0; i < M * R; i++) /* seeds 2 and 5: equal rows; seeds 4 and 5: large numbers */
                F[i] = seed % 3 == 2 && i >= 30 * R && i < 60 * R
                           ? F[i - 30 * R]
                           : (seed > 3 ? 30 : 1) * (wlab_rng_uniform(&rng) - 0.4);
            for (int i = 0; i < T * M; i++)
                B[i] = wlab_rng_uniform(&rng);
            for (int i = 0; i < M; i++) {
                b.upper[i] = i % 17 == 3 ? 0 : squared ? HUGE_VAL : i % 2 ? 10 : 0.5;
                if (squared)
                    b.delta[i] = i % 2 ? 0.1 : 2;
                for (int j = 0; j < M; j++)
                    for (int k = 0; k < R; k++)
                        b.Q[i * M + j] += F[i * R + k] * F[j * R + k];
                alpha[i] = 0;
            }
            ASSERT_OK(wlab_boxqp_solve(b.Q, M, b.delta, b.upper, 1e-11, b.alpha, b.g, &b.result, NULL, &err),
                      err);
            for (int warm = 0; warm < 2; warm++) {
                ASSERT_OK(wlab_boxqp_thin_solve(F, M, R, b.delta, b.upper, 1e-11, alpha, g, &result, NULL,
                                                NULL, &err),
                          err);
                for (int i = 0; i < M; i++) { /* g and the box, by Q */
                    double own = 1 - (squared ? b.delta[i] * alpha[i] : 0);
                    for (int j = 0; j < M; j++)
                        own -= b.Q[i * M + j] * alpha[j];
                    assert_true(alpha[i] >= 0 && alpha[i] <= b.upper[i]);
                    assert_true(fabs(own - g[i]) <= 1e-9 * (1 + fabs(own) + 900 * R));
                    b.g[i] = own;
                }
                const double dual = wlab_boxqp_dual(M, alpha, b.g);
                assert_true(wlab_boxqp_gap(M, b.delta, b.upper, alpha, b.g) <= 1e-9 * fabs(dual));
                assert_true(fabs(dual - b.result.dual) <= 1e-9 * fabs(dual));
                for (int i = 0; i < M && warm == 0; i++) /* another start */
                    alpha[i] = i % 5 ? alpha[i] : 0.25;
            }
            ASSERT_OK(wlab_boxqp_hessian(b.Q, M, b.delta, b.upper, alpha, B, T, H, NULL, &err), err);
            ASSERT_OK(wlab_boxqp_thin_hessian(F, M, R, b.delta, b.upper, alpha, B, T, thin_H, &err), err);
            for (int i = 0; i < T * T && squared; i++)
                assert_true(fabs(H[i] - thin_H[i]) <= 1e-6 * (1 + fabs(H[i])));
            free_box(&b);
        }
    box b = make_box(M, false);
    wlab_boxqp_result result;
    for (int i = 0; i < M; i++)
        b.upper[i] = 1;
    ALLOC_SWEEP((memset(alpha, 0, sizeof alpha),
                 wlab_boxqp_thin_solve(F, M, R, NULL, b.upper, 1e-10, alpha, g, &result, NULL, NULL, &err)));
    free_box(&b);
}

/* In some of these problems the interior point method gets a coordinate so near to its bound that their difference is 0 in
 * doubles, and what follows is not finite: it must end at the point before. */
static void test_thin_rounded_to_a_bound(void **state)
{
    enum {
        PROBLEMS = 600,
        MOST = 127,
        R = 7
    };
    double F[MOST * R], alpha[MOST], g[MOST];
    wlab_rng rng;
    wlab_err err = {0};
    (void)state;
    wlab_rng_seed(&rng, 3);
    for (int problem = 0; problem < PROBLEMS; problem++) {
        const int n = 27 + 10 * (problem % 11);
        wlab_boxqp_result result;
        box b = make_box(n, false);
        for (int i = 0; i < n; i++) {
            b.upper[i] = 1;
            alpha[i] = 0;
            for (int k = 0; k < R; k++)
                F[i * R + k] = wlab_rng_uniform(&rng) < 0.5 ? -1 : 1;
        }
        ASSERT_OK(wlab_boxqp_thin_solve(F, n, R, NULL, b.upper, 1e-10, alpha, g, &result, NULL, NULL, &err),
                  err);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                for (int k = 0; k < R; k++)
                    b.Q[i * n + j] += F[i * R + k] * F[j * R + k];
        ASSERT_OK(wlab_boxqp_solve(b.Q, n, NULL, b.upper, 1e-10, b.alpha, b.g, &b.result, NULL, &err), err);
        assert_true(fabs(result.dual - b.result.dual) <= 1e-6 * fabs(result.dual));
        free_box(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_thin),          cmocka_unit_test(test_thin_rounded_to_a_bound),
        cmocka_unit_test(test_random),        cmocka_unit_test(test_all_at_the_bound),
        cmocka_unit_test(test_nothing_to_do), cmocka_unit_test(test_warm_start),
        cmocka_unit_test(test_not_psd),       cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_memory),        cmocka_unit_test(test_enumeration),
        cmocka_unit_test(test_liblinear),     cmocka_unit_test(test_liblinear_on_a_factor),
        cmocka_unit_test(test_one_class),     cmocka_unit_test(test_hessian),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * SMO with two costs per row: gaps recomputed here, comparison with the box QP on the doubled rows and, for one cost
 * per row, with LIBLINEAR and LIBSVM; refusals, interrupts, memory.
 */
#include "support.h"

#include "solve/svm/backend.h"
#include "solve/svm/boxqp.h"
#include "solve/svm/smo.h"
#include "weaklab/matrix.h"
#include "weaklab/rng.h"

typedef enum kind {
    RBF_NARROW,
    RBF_WIDE, /* ill-conditioned */
    LOW_RANK,
    DUPLICATES, /* binary rows, most of them twice, and rows of zeros */
    BIASED,     /* low rank plus 1 everywhere */
    KINDS
} kind;

typedef enum costs {
    BOTH,   /* any two */
    SINGLE, /* one label per row */
    SOME,   /* a third without any cost, a third with one */
    FLAT,   /* 1 and 1: the optimum is beta = 0 */
    ONE_CLASS,
    EXTREME, /* six orders of magnitude */
    COSTS
} costs;

typedef struct hinge {
    int64_t n;
    double *K, lambda, *pos, *neg, *beta, *f;
    wlab_matrix *X;
    wlab_smo_result result;
    char what[96];
} hinge;

static hinge make_hinge(int64_t n, kind k, costs c, double lambda, wlab_rng *rng)
{
    enum {
        D = 4
    };
    wlab_err err;
    size_t m = (size_t)n;
    hinge h = {.n = n, .lambda = lambda};
    snprintf(h.what, sizeof h.what, "n = %lld, kernel %d, costs %d, lambda %g", (long long)n, (int)k, (int)c,
             lambda);
    h.K = calloc(m * m, sizeof(double));
    h.pos = calloc(m, sizeof(double));
    h.neg = calloc(m, sizeof(double));
    h.beta = calloc(m, sizeof(double));
    h.f = calloc(m, sizeof(double));
    assert_true(h.K && h.pos && h.neg && h.beta && h.f);
    ASSERT_OK(wlab_matrix_create_dense(&h.X, n, D, &err), err);
    double *x = h.X->dense;
    for (int64_t i = 0; i < n; i++) {
        bool positive = wlab_rng_uniform(rng) < 0.5;
        double one = wlab_rng_uniform(rng), other = wlab_rng_uniform(rng);
        if (c == EXTREME)
            one = pow(10, 6 * one - 3), other = pow(10, 6 * other - 3);
        if (c == FLAT)
            one = other = 1;
        if (c == SINGLE || (c == SOME && i % 3 == 1))
            other = 0;
        if (c == SOME && i % 3 == 2)
            one = other = 0;
        if (c == ONE_CLASS)
            positive = true, other = 0;
        h.pos[i] = positive ? one : other;
        h.neg[i] = positive ? other : one;
        for (int j = 0; j < D; j++) {
            double v = wlab_rng_normal(rng) + (positive ? 0.5 : -0.5);
            if (k == DUPLICATES)
                v = i % 2 && i > 2 ? x[(i - 1) * D + j] : i % 10 == 0 ? 0 : (double)wlab_rng_below(rng, 2);
            x[i * D + j] = v;
        }
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            double dot = 0, d2 = 0;
            for (int b = 0; b < D; b++) {
                dot += x[i * D + b] * x[j * D + b];
                d2 += (x[i * D + b] - x[j * D + b]) * (x[i * D + b] - x[j * D + b]);
            }
            h.K[i * n + j] = k == RBF_NARROW ? exp(-d2 / 2)
                             : k == RBF_WIDE ? exp(-d2 / 2000)
                                             : dot + (k == BIASED);
        }
    return h;
}

static void free_hinge(hinge *h)
{
    free(h->K);
    free(h->pos);
    free(h->neg);
    free(h->beta);
    free(h->f);
    wlab_matrix_destroy(h->X);
}

static wlab_code run(hinge *h, double eps, int64_t most, wlab_ctx *ctx, wlab_err *err)
{
    return wlab_smo_solve(h->K, h->n, h->lambda, h->pos, h->neg, eps, most, h->beta, h->f, &h->result, ctx,
                          err);
}

static void solve(hinge *h, double eps)
{
    wlab_err err;
    ASSERT_OK(run(h, eps, 0, NULL, &err), err);
}

/* Primal and dual from beta alone, in long double: asserts the box, f and the gap; returns the primal. */
static double certify(const hinge *h, double eps)
{
    long double primal = 0, dual = 0, norm = 0, floor = 0;
    for (int64_t i = 0; i < h->n; i++) {
        long double f = 0, size = 1, b = h->beta[i], pos = h->pos[i], neg = h->neg[i];
        if (!(b >= -neg && b <= pos))
            fail_msg("%s: beta[%lld] = %.17Lg leaves its box", h->what, (long long)i, b);
        for (int64_t j = 0; j < h->n; j++) {
            long double term = (long double)h->K[i * h->n + j] * h->beta[j] / h->lambda;
            f += term;
            size += fabsl(term);
        }
        if (!(fabsl(f - h->f[i]) <= 1e-13L * size))
            fail_msg("%s: f[%lld] = %.17g instead of %.17Lg", h->what, (long long)i, h->f[i], f);
        primal += pos * fmaxl(0, 1 - f) + neg * fmaxl(0, 1 + f);
        dual += fminl(2 * pos - b, 2 * neg + b);
        norm += b * f;
        floor += 1e-15L * size * (pos + neg + fabsl(b));
    }
    primal += norm / 2;
    dual -= norm / 2;
    if (!(primal - dual <= (long double)eps * primal + floor) || !(primal - dual >= -floor))
        fail_msg("%s: primal %.17Lg, dual %.17Lg, relative gap %.3Lg after %lld updates", h->what, primal,
                 dual, (primal - dual) / primal, (long long)h->result.updates);
    assert_true(fabsl(h->result.primal - primal) <= 1e-12L * primal + floor);
    assert_true(fabsl(h->result.dual - dual) <= 1e-12L * primal + floor);
    return (double)primal;
}

/* The same problem as the box QP on 2n rows: [K, -K; -K, K] / lambda. */
static double doubled(const hinge *h)
{
    wlab_err err;
    int64_t n = h->n, m = 2 * n;
    wlab_boxqp_result result;
    double *Q = calloc((size_t)(m * m), sizeof *Q), *upper = calloc((size_t)m, sizeof *upper);
    double *alpha = calloc((size_t)m, sizeof *alpha), *g = calloc((size_t)m, sizeof *g);
    assert_true(Q && upper && alpha && g);
    for (int64_t i = 0; i < m; i++) {
        upper[i] = i < n ? h->pos[i] : h->neg[i - n];
        for (int64_t j = 0; j < m; j++)
            Q[i * m + j] = ((i < n) == (j < n) ? 1 : -1) * h->K[i % n * n + j % n] / h->lambda;
    }
    ASSERT_OK(wlab_boxqp_solve(Q, m, NULL, upper, 1e-11, alpha, g, &result, NULL, &err), err);
    assert_true(result.primal - result.dual <= 1e-8 * result.primal);
    free(Q);
    free(upper);
    free(alpha);
    free(g);
    return result.dual;
}

static const int64_t sizes[] = {1, 2, 3, 7, 20, 61, 120};
static const double lambdas[] = {1e-3, 0.1, 10};

static void test_each(void (*test)(hinge *))
{
    wlab_rng rng;
    wlab_rng_seed(&rng, 1);
    for (int k = 0; k < KINDS; k++)
        for (int c = 0; c < COSTS; c++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                for (size_t l = 0; l < sizeof lambdas / sizeof *lambdas; l++) {
                    hinge h = make_hinge(sizes[s], (kind)k, (costs)c, lambdas[l], &rng);
                    test(&h);
                    free_hinge(&h);
                }
}

static void certify_one(hinge *h)
{
    solve(h, 1e-10);
    certify(h, 1e-10);
}

static void test_certificates(void **state)
{
    (void)state;
    test_each(certify_one);
}

static void doubled_one(hinge *h)
{
    solve(h, 1e-10);
    double primal = certify(h, 1e-10), dual = doubled(h);
    if (!(fabs(primal - dual) <= 1e-8 * primal))
        fail_msg("%s: %.12g here, %.12g by the box QP", h->what, primal, dual);
}

static void test_doubled(void **state)
{
    (void)state;
    test_each(doubled_one);
}

/* Problems that steps of one variable solve too slowly: here the proximal steps matter. */
static void test_hard(void **state)
{
    (void)state;
    wlab_rng rng;
    wlab_rng_seed(&rng, 11);
    for (int k = 0; k < KINDS; k++) {
        hinge h = make_hinge(300, (kind)k, k % 2 ? BOTH : SINGLE, 1e-4, &rng);
        solve(&h, 1e-8);
        certify(&h, 1e-8);
        free_hinge(&h);
    }
}

/* Equal costs in every row: the optimum is beta = 0. */
static void test_flat(void **state)
{
    (void)state;
    wlab_rng rng;
    wlab_rng_seed(&rng, 2);
    hinge h = make_hinge(30, RBF_NARROW, FLAT, 0.1, &rng);
    solve(&h, 1e-12);
    for (int64_t i = 0; i < h.n; i++)
        assert_true(h.beta[i] == 0 && h.f[i] == 0);
    ASSERT_NEAR(h.result.primal, 2.0 * (double)h.n, 1e-15);
    free_hinge(&h);
}

static void test_nothing(void **state)
{
    (void)state;
    wlab_rng rng;
    wlab_rng_seed(&rng, 2);
    hinge h = make_hinge(5, LOW_RANK, FLAT, 0.1, &rng);
    for (int64_t i = 0; i < h.n; i++)
        h.pos[i] = h.neg[i] = 0, h.beta[i] = 3;
    solve(&h, 1e-12);
    for (int64_t i = 0; i < h.n; i++)
        assert_true(h.beta[i] == 0 && h.f[i] == 0);
    assert_true(h.result.primal == 0 && h.result.dual == 0);
    h.n = 0;
    solve(&h, 1e-12);
    assert_true(h.result.primal == 0 && h.result.updates == 0);
    free_hinge(&h);
}

static void warm_one(hinge *h)
{
    wlab_rng rng;
    wlab_rng_seed(&rng, 4);
    solve(h, 1e-10);
    double cold = certify(h, 1e-10);
    int64_t updates = h->result.updates;
    solve(h, 1e-9);
    assert_true(h->result.updates <= updates / 4 + 20); /* it starts at the solution */
    for (int start = 0; start < 4; start++) {
        for (int64_t i = 0; i < h->n; i++)
            h->beta[i] = start == 0   ? wlab_rng_normal(&rng)
                         : start == 1 ? 1e6 * wlab_rng_normal(&rng)
                         : start == 2 ? (double)NAN
                                      : h->beta[i] * (1 + 1e-3 * wlab_rng_normal(&rng));
        solve(h, 1e-10);
        ASSERT_NEAR(certify(h, 1e-10) / cold, 1, 1e-8);
    }
}

static void test_warm(void **state)
{
    (void)state;
    wlab_rng rng;
    wlab_rng_seed(&rng, 3);
    for (int k = 0; k < KINDS; k++) {
        hinge h = make_hinge(60, (kind)k, BOTH, 0.05, &rng);
        warm_one(&h);
        free_hinge(&h);
    }
}

/* ---- references ---- */

/* With one cost per row the optimum is that of LIBLINEAR's hinge loss with the bias as a feature. */
static void test_liblinear(void **state)
{
    (void)state;
    wlab_err err;
    wlab_rng rng;
    wlab_rng_seed(&rng, 5);
    for (int round = 0; round < 6; round++) {
        double lambda = 0.1, cost[2] = {0.3, round % 2 ? 0.3 : 0.7}, w[4], b = 0;
        hinge h = make_hinge(80, BIASED, SINGLE, lambda, &rng);
        int32_t pick[80];
        int8_t y[80];
        for (int i = 0; i < 80; i++) {
            pick[i] = i;
            y[i] = h.pos[i] > 0 ? 1 : -1;
            h.pos[i] = y[i] > 0 ? cost[1] : 0;
            h.neg[i] = y[i] < 0 ? cost[0] : 0;
        }
        solve(&h, 1e-11);
        double primal = certify(&h, 1e-10);
        ASSERT_OK(wlab_liblinear_solve(h.X, pick, y, 80, false, cost[1] / lambda, cost[0] / lambda, 1, 1e-9,
                                       1, w, &b, NULL, &err),
                  err);
        double theirs = 0.5 * lambda * b * b;
        for (int j = 0; j < 4; j++)
            theirs += 0.5 * lambda * w[j] * w[j];
        for (int i = 0; i < 80; i++) {
            double f = wlab_matrix_row_dot(h.X, i, w) + b;
            theirs += h.pos[i] * fmax(0, 1 - f) + h.neg[i] * fmax(0, 1 + f);
            assert_true(fabs(f - h.f[i]) < 1e-3);
        }
        ASSERT_NEAR(primal / theirs, 1, 1e-6);
        free_hinge(&h);
    }
}

/* LIBSVM has a free offset; it is 0 if every row x also occurs as -x in the other class. */
static void test_libsvm(void **state)
{
    (void)state;
    enum {
        N = 50
    };
    wlab_err err;
    wlab_rng rng;
    wlab_rng_seed(&rng, 6);
    for (int k = 0; k < KINDS; k++) {
        double lambda = 0.2, cost = 0.4, b = 1;
        hinge h = make_hinge(N, (kind)k, SINGLE, lambda, &rng);
        double *K = calloc(4 * N * N, sizeof *K), *c = calloc(2 * N, sizeof *c), theirs = 0;
        int8_t y[2 * N];
        assert_true(K && c);
        for (int i = 0; i < 2 * N; i++) {
            y[i] = (h.pos[i % N] > 0) == (i < N) ? 1 : -1;
            for (int j = 0; j < 2 * N; j++)
                K[i * 2 * N + j] = ((i < N) == (j < N) ? 1 : -1) * h.K[i % N * N + j % N];
        }
        for (int i = 0; i < N; i++) {
            h.pos[i] = h.pos[i] > 0 ? cost : 0;
            h.neg[i] = h.neg[i] > 0 ? cost : 0;
        }
        solve(&h, 1e-11);
        double primal = certify(&h, 1e-10);
        ASSERT_OK(wlab_libsvm_solve(K, y, 2 * N, cost / lambda / 2, 1e-7, c, &b, NULL, &err), err);
        assert_true(fabs(b) < 1e-3);
        for (int i = 0; i < N; i++) {
            double f = 0;
            for (int j = 0; j < 2 * N; j++)
                f += c[j] * K[i * 2 * N + j];
            theirs +=
                0.5 * lambda * (c[i] - c[i + N]) * f + h.pos[i] * fmax(0, 1 - f) + h.neg[i] * fmax(0, 1 + f);
        }
        ASSERT_NEAR(primal / theirs, 1, 1e-5);
        free(K);
        free(c);
        free_hinge(&h);
    }
}

/* ---- limits and refusals ---- */

static void test_limits(void **state)
{
    (void)state;
    wlab_err err;
    wlab_rng rng;
    atomic_int stop = 1;
    wlab_ctx ctx = {.interrupt = &stop};
    wlab_rng_seed(&rng, 7);
    hinge h = make_hinge(100, RBF_WIDE, BOTH, 1e-4, &rng);
    /* few updates per call: from one call to the next the dual never decreases */
    double last = -HUGE_VAL;
    for (int round = 0; round < 20; round++) {
        ASSERT_OK(run(&h, 1e-10, 5, NULL, &err), err);
        certify(&h, 1e300);
        assert_true(h.result.dual >= last * (1 - 1e-14));
        last = h.result.dual;
    }
    memset(h.beta, 0, (size_t)h.n * sizeof *h.beta);
    ASSERT_OK(run(&h, 1e-15, 0, &ctx, &err), err); /* stops after the first batch */
    certify(&h, 1e300);
    assert_true(h.result.stopped);
    double halted = h.result.dual;
    stop = 0;
    ASSERT_OK(run(&h, 1e-10, 0, &ctx, &err), err);
    certify(&h, 1e-10);
    assert_true(h.result.dual >= halted && !h.result.stopped);
    free_hinge(&h);
}

static void test_refusals(void **state)
{
    (void)state;
    wlab_err err;
    wlab_rng rng;
    wlab_rng_seed(&rng, 8);
    for (int bad = 0; bad < 6; bad++) {
        hinge h = make_hinge(20, LOW_RANK, BOTH, 0.1, &rng);
        if (bad == 0)
            h.K[7 * 20 + 7] = NAN;
        else if (bad == 1)
            h.K[3 * 20 + 5] = h.K[5 * 20 + 3] = NAN;
        else if (bad == 2)
            h.K[0] = -1;
        else if (bad == 3)
            h.pos[4] = NAN;
        else if (bad == 4)
            h.pos[4] = HUGE_VAL;
        else
            h.neg[4] = -1;
        ASSERT_FAILS(run(&h, 1e-9, 0, NULL, &err), bad == 5 ? WL_EARG : WL_ENUMERIC, err,
                     bad == 5   ? "row 5"
                     : bad == 2 ? "positive semidefinite"
                                : "not finite");
        free_hinge(&h);
    }
}

static void test_memory(void **state)
{
    (void)state;
    wlab_err err;
    wlab_rng rng;
    wlab_rng_seed(&rng, 9);
    hinge h = make_hinge(20, RBF_NARROW, BOTH, 0.01, &rng);
    ALLOC_SWEEP((memset(h.beta, 0, 20 * sizeof(double)), run(&h, 1e-10, 0, NULL, &err)));
    certify(&h, 1e-10);
    free_hinge(&h);
}

/* The same bits for any number of threads. */
static void test_threads(void **state)
{
    (void)state;
    enum {
        N = 1500
    };
    wlab_err err;
    wlab_rng rng;
    wlab_rng_seed(&rng, 10);
    hinge h = make_hinge(N, RBF_NARROW, BOTH, 30, &rng);
    double *first = calloc(N, sizeof *first);
    assert_non_null(first);
    for (int threads = 1; threads <= 3; threads++) {
        wlab_ctx ctx = {0};
        ASSERT_OK(wlab_pool_create(&ctx.pool, threads, &err), err);
        memset(h.beta, 0, N * sizeof *h.beta);
        ASSERT_OK(run(&h, 1e-7, 0, &ctx, &err), err);
        if (threads == 1)
            memcpy(first, h.beta, N * sizeof *first);
        assert_memory_equal(first, h.beta, N * sizeof *first);
        wlab_pool_destroy(ctx.pool);
    }
    certify(&h, 1e-7);
    free(first);
    free_hinge(&h);
}

/* Rows of zeros and of -1e10, and a feature of ones.  Each step would gain about 1e-11, for ever; all else is
 * rounding, so the solver must stop. */
static void test_ill_scaled(void **state)
{
    (void)state;
    enum {
        N = 15,
        MOST = 100000
    };
    static const char huge[] = "010011010011001";
    wlab_err err;
    wlab_rng rng;
    wlab_rng_seed(&rng, 1);
    hinge h = make_hinge(N, LOW_RANK, SINGLE, 1e-6, &rng);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++)
            h.K[i * N + j] = 1 + (huge[i] - '0') * (huge[j] - '0') * 1e20;
        h.pos[i] = i == 0 ? 1 : i < 10 ? 0 : 1e-5 / 14;
        h.neg[i] = i == 0 || i >= 10 ? 0 : 1e-5 / 14;
        h.beta[i] = i ? 0 : 1e-6;
    }
    ASSERT_OK(run(&h, 1e-6, MOST, NULL, &err), err);
    assert_true(h.result.updates < MOST && h.result.dual > 7.6e-6 && h.result.primal > h.result.dual);
    free_hinge(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_certificates), cmocka_unit_test(test_doubled), cmocka_unit_test(test_flat),
        cmocka_unit_test(test_hard),         cmocka_unit_test(test_nothing), cmocka_unit_test(test_warm),
        cmocka_unit_test(test_liblinear),    cmocka_unit_test(test_libsvm),  cmocka_unit_test(test_limits),
        cmocka_unit_test(test_refusals),     cmocka_unit_test(test_memory),  cmocka_unit_test(test_threads),
        cmocka_unit_test(test_ill_scaled),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finite Newton on alpha: gaps against an independent computation, the box QP on the doubled rows, the linear solver
 * on the same problem, singular kernels and extreme costs, refusals, memory, threads.
 */
#include "support.h"

#include "solve/svm/boxqp.h"
#include "solve/svm/mfn.h"
#include "weaklab/rng.h"

typedef enum kind {
    RBF_NARROW,
    RBF_WIDE,   /* ill-conditioned */
    BIASED,     /* X X' + 1, rank 5 */
    DUPLICATES, /* X X' + 1 with equal rows */
    ZERO,
    KINDS
} kind;

typedef enum costs {
    BOTH,   /* any two */
    SINGLE, /* one label per row */
    SOME,   /* a third without any cost */
    EXTREME /* lambda / h over twelve orders of magnitude */,
    COSTS
} costs;

enum {
    D = 4
};

typedef struct problem {
    int64_t n;
    wlab_matrix *X;
    double *K, lambda;
    wlab_mfn *m;
    char what[96];
} problem;

static problem problem_new(int64_t n, kind k, costs c, double lambda, double eps, wlab_rng *rng)
{
    wlab_err err;
    problem p = {.n = n, .lambda = lambda};
    snprintf(p.what, sizeof p.what, "n = %lld, kernel %d, costs %d, lambda %g", (long long)n, (int)k, (int)c,
             lambda);
    ASSERT_OK(wlab_matrix_create_dense(&p.X, n, D, &err), err);
    p.K = calloc((size_t)(n * n), sizeof *p.K);
    assert_non_null(p.K);
    double *x = p.X->dense;
    for (int64_t i = 0; i < n; i++)
        for (int j = 0; j < D; j++) {
            x[i * D + j] = wlab_rng_normal(rng) + (i % 2 ? 0.5 : -0.5);
            if (k == DUPLICATES)
                x[i * D + j] = i % 3 == 2 ? x[(i - 1) * D + j] : round(x[i * D + j]);
        }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            double dot = 0, d2 = 0;
            for (int b = 0; b < D; b++) {
                dot += x[i * D + b] * x[j * D + b];
                d2 += (x[i * D + b] - x[j * D + b]) * (x[i * D + b] - x[j * D + b]);
            }
            p.K[i * n + j] = k == RBF_NARROW ? exp(-d2 / 2)
                             : k == RBF_WIDE ? exp(-d2 / 2000)
                             : k == ZERO     ? 0
                                             : dot + 1;
        }
    ASSERT_OK(wlab_mfn_create(&p.m, NULL, 0, p.K, n, lambda, WL_MFN_FAST, eps, &err), err);
    for (int64_t i = 0; i < n; i++) {
        double one = wlab_rng_uniform(rng), other = wlab_rng_uniform(rng);
        if (c == EXTREME)
            one = pow(10, 12 * one - 12), other = pow(10, 12 * other - 12);
        if (c == SINGLE || (c == SOME && i % 3 == 1))
            other = 0;
        if (c == SOME && i % 3 == 2)
            one = other = 0;
        p.m->pos[i] = i % 2 ? one : other;
        p.m->neg[i] = i % 2 ? other : one;
    }
    return p;
}

static void problem_free(problem *p)
{
    wlab_mfn_destroy(p->m);
    wlab_matrix_destroy(p->X);
    free(p->K);
}

/* Runs to the end; fails if it does not end. */
static void solve(wlab_mfn *m, wlab_ctx *ctx)
{
    wlab_err err;
    double f = HUGE_VAL;
    wlab_mfn_start(m, NULL);
    for (int k = 0; !m->done && !m->stalled; k++) {
        assert_true(k <= 201);
        ASSERT_OK(wlab_mfn_iterate(m, ctx, &err), err);
        if (!(m->f <= f * (1 + 1e-12)))
            fail_msg("f rose from %.17g to %.17g", f, m->f);
        f = m->f;
    }
}

/* f, outputs and the gap of the natural dual point from alpha alone, in long double. */
static double certify(const problem *p, double eps)
{
    const wlab_mfn *m = p->m;
    int64_t n = p->n;
    long double norm = 0, loss = 0, gap = 0, floor = 0;
    long double *g = calloc((size_t)n, sizeof *g);
    assert_non_null(g);
    for (int64_t i = 0; i < n; i++) {
        long double o = 0, size = 1;
        for (int64_t j = 0; j < n; j++) {
            o += (long double)p->K[i * n + j] * m->w[j];
            size += fabsl((long double)p->K[i * n + j] * m->w[j]);
        }
        if (!(fabsl(o - m->o[i]) <= 1e-13L * size))
            fail_msg("%s: o[%lld] = %.17g instead of %.17Lg", p->what, (long long)i, m->o[i], o);
        long double up = fmaxl(0, 1 - o), down = fmaxl(0, 1 + o);
        norm += m->w[i] * o;
        loss += (m->pos[i] * up * up + m->neg[i] * down * down) / 2;
        g[i] = p->lambda * m->w[i] - m->pos[i] * up + m->neg[i] * down;
        floor +=
            1e-15L * size * (m->pos[i] * up + m->neg[i] * down + p->lambda * fabsl((long double)m->w[i]));
    }
    long double f = p->lambda * norm / 2 + loss;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            gap += g[i] * p->K[i * n + j] * g[j] / (2 * p->lambda);
    free(g);
    if (!(gap <= (long double)eps * f + floor))
        fail_msg("%s: f = %.17Lg, relative gap %.3Lg (reported %.3g) after %lld iterations", p->what, f,
                 gap / f, m->gap / m->f, (long long)m->newtons);
    assert_true(fabsl(f - m->f) <= 1e-12L * f + floor);
    assert_true(fabsl(norm - m->norm) <= 1e-12L * norm + floor / p->lambda);
    assert_true(fabsl(gap - m->gap) <= 1e-10L * f + floor);
    ASSERT_NEAR(m->gradient * m->gradient, 2 * p->lambda * m->gap, 1e-12);
    return (double)f;
}

/* The same problem as a box QP on 2n rows, Q = [K, -K; -K, K], delta = lambda / cost. */
static double doubled(const problem *p)
{
    wlab_err err;
    int64_t n = p->n, m = 2 * n;
    wlab_boxqp_result result;
    double *Q = calloc((size_t)(m * m), sizeof *Q), *upper = calloc((size_t)m, sizeof *upper);
    double *delta = calloc((size_t)m, sizeof *delta), *alpha = calloc((size_t)m, sizeof *alpha);
    double *g = calloc((size_t)m, sizeof *g);
    assert_true(Q && upper && delta && alpha && g);
    for (int64_t i = 0; i < m; i++) {
        double cost = i < n ? p->m->pos[i] : p->m->neg[i - n];
        upper[i] = cost > 0 ? HUGE_VAL : 0;
        delta[i] = cost > 0 ? p->lambda / cost : 1;
        for (int64_t j = 0; j < m; j++)
            Q[i * m + j] = ((i < n) == (j < n) ? 1 : -1) * p->K[i % n * n + j % n];
    }
    ASSERT_OK(wlab_boxqp_solve(Q, m, delta, upper, 1e-11, alpha, g, &result, NULL, &err), err);
    assert_true(result.primal - result.dual <= 1e-8 * result.primal);
    free(Q);
    free(upper);
    free(delta);
    free(alpha);
    free(g);
    return result.dual * p->lambda;
}

static void for_each_problem(costs from, costs to, double eps, void (*test)(problem *, double eps))
{
    static const int64_t sizes[] = {1, 2, 3, 7, 20, 61, 120};
    static const double lambdas[] = {1e-4, 1e-2, 1, 100};
    wlab_rng rng;
    wlab_rng_seed(&rng, 1);
    for (int k = 0; k < KINDS; k++)
        for (int c = (int)from; c < (int)to; c++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                for (size_t l = 0; l < sizeof lambdas / sizeof *lambdas; l++) {
                    problem p = problem_new(sizes[s], (kind)k, (costs)c, lambdas[l], eps, &rng);
                    test(&p, eps);
                    problem_free(&p);
                }
}

static void certify_one(problem *p, double eps)
{
    solve(p->m, NULL);
    if (!p->m->done)
        fail_msg("%s: stalled after %lld iterations, relative gap %.3g", p->what, (long long)p->m->newtons,
                 p->m->gap / p->m->f);
    certify(p, eps);
}

static void test_certificates(void **state)
{
    (void)state;
    for_each_problem(BOTH, EXTREME, 1e-9, certify_one);
    for_each_problem(EXTREME, COSTS, 1e-6, certify_one);
}

/* With a tolerance that doubles cannot meet, it ends close to the optimum. */
static void exact_one(problem *p, double eps)
{
    (void)eps;
    solve(p->m, NULL);
    assert_true(p->m->newtons < 60);
    certify(p, 1e-9);
}

static void test_exact(void **state)
{
    (void)state;
    for_each_problem(BOTH, EXTREME, 0, exact_one);
}

/* With lambda = 1e-12 the solver ends: it is done, or it stalls after fewer than 100 iterations.  Its gap is not
 * negative. */
static void test_hopeless(void **state)
{
    (void)state;
    wlab_rng rng;
    wlab_rng_seed(&rng, 9);
    for (int k = 0; k < KINDS; k++) {
        problem p = problem_new(40, (kind)k, BOTH, 1e-12, 1e-9, &rng);
        solve(p.m, NULL);
        assert_true(p.m->done || (p.m->stalled && p.m->newtons < 100));
        assert_true(p.m->f <= 80 && p.m->gap >= 0);
        problem_free(&p);
    }
}

static void doubled_one(problem *p, double eps)
{
    solve(p->m, NULL);
    double f = certify(p, eps), dual = doubled(p);
    if (!(fabs(f - dual) <= 1e-7 * f))
        fail_msg("%s: %.12g here, %.12g by the box QP", p->what, f, dual);
}

static void test_doubled(void **state)
{
    (void)state;
    for_each_problem(BOTH, EXTREME, 1e-9, doubled_one);
}

/* X X' + 1 is the linear kernel with bias=1, so conjugate gradients give the same outputs. */
static void test_linear(void **state)
{
    (void)state;
    wlab_err err;
    wlab_rng rng;
    wlab_rng_seed(&rng, 2);
    for (int round = 0; round < 6; round++) {
        problem p =
            problem_new(90, round % 2 ? BIASED : DUPLICATES, round < 4 ? BOTH : SOME, 0.02, 1e-12, &rng);
        wlab_mfn *linear = NULL;
        ASSERT_OK(wlab_mfn_create(&linear, p.X, 1, NULL, 0, p.lambda, WL_MFN_FAST, 1e-12, &err), err);
        memcpy(linear->pos, p.m->pos, 90 * sizeof(double));
        memcpy(linear->neg, p.m->neg, 90 * sizeof(double));
        solve(p.m, NULL);
        solve(linear, NULL);
        ASSERT_NEAR(p.m->f / linear->f, 1, 1e-10);
        ASSERT_NEAR(p.m->norm / linear->norm, 1, 1e-6);
        for (int i = 0; i < 90; i++)
            assert_true(fabs(p.m->o[i] - linear->o[i]) < 1e-5);
        wlab_mfn_destroy(linear);
        problem_free(&p);
    }
}

/* After a change of costs the solver starts from its solution, and ends like a cold start. */
static void test_recost(void **state)
{
    (void)state;
    wlab_rng rng;
    wlab_rng_seed(&rng, 3);
    problem p = problem_new(80, RBF_NARROW, SINGLE, 0.01, 1e-9, &rng);
    solve(p.m, NULL);
    int64_t cold = p.m->newtons;
    solve(p.m, NULL);
    assert_true(p.m->done && p.m->newtons == 0 && cold > 0);
    for (int round = 0; round < 5; round++) {
        for (int64_t i = round; i < 80; i += 9)
            wlab_mfn_set_costs(p.m, i, p.m->neg[i], p.m->pos[i]);
        solve(p.m, NULL);
        double warm = certify(&p, 1e-9);
        memset(p.m->w, 0, 80 * sizeof(double));
        wlab_mfn_outputs(p.m, NULL);
        solve(p.m, NULL);
        ASSERT_NEAR(certify(&p, 1e-9) / warm, 1, 2e-9);
    }
    problem_free(&p);
}

/* Many rows: by conjugate gradients, also after the costs of most rows have faded, and if all are next to 0. */
static void test_many_rows(void **state)
{
    (void)state;
    enum {
        N = 600
    };
    wlab_rng rng;
    wlab_rng_seed(&rng, 11);
    problem p = problem_new(N, RBF_NARROW, BOTH, 0.1, 1e-9, &rng);
    for (int round = 0; round < 4; round++) {
        solve(p.m, NULL);
        assert_true(p.m->done && p.m->nfactor == 0);
        certify(&p, 1e-9);
        for (int64_t i = 0; i < N; i++)
            if (i % 3 != 0)
                p.m->pos[i] /= 100, p.m->neg[i] /= 100;
    }
    problem_free(&p);

    p = problem_new(N, RBF_NARROW, BOTH, 1e4, 1e-9, &rng);
    solve(p.m, NULL);
    assert_true(p.m->done && p.m->nfactor == 0);
    certify(&p, 1e-9);
    problem_free(&p);
}

/* A gap that suffices ends the minimisation, after one Newton iteration at least, but none above 100 times that of eps; without
 * it the gap is that of eps. */
static void test_slack(void **state)
{
    (void)state;
    enum {
        N = 600
    };
    wlab_rng rng;
    wlab_rng_seed(&rng, 13);
    problem p = problem_new(N, RBF_NARROW, BOTH, 1e-3, 1e-9, &rng);
    p.m->slack = 1e9;
    solve(p.m, NULL);
    assert_true(p.m->done && p.m->gap <= 1e-7 * p.m->f);
    for (int64_t i = 0; i < N; i++)
        p.m->pos[i] *= 1.0001;
    solve(p.m, NULL);
    assert_true(p.m->done && p.m->newtons == 1);
    p.m->slack = 0;
    solve(p.m, NULL);
    assert_true(p.m->done && p.m->gap <= 1e-9 * p.m->f);
    certify(&p, 1e-9);
    problem_free(&p);
}

/* K is so ill-conditioned that single precision does not suffice: the systems have factors of their own, also after the costs
 * changed. */
static void test_own_factors(void **state)
{
    (void)state;
    enum {
        N = 500
    };
    wlab_rng rng;
    wlab_rng_seed(&rng, 12);
    problem p = problem_new(N, RBF_WIDE, BOTH, 1e-6, 1e-9, &rng);
    for (int round = 0; round < 4; round++) {
        solve(p.m, NULL);
        if (p.m->nfactor == 0 || p.m->newtons >= 30)
            fail_msg("round %d: a factor of %lld rows, %lld Newton iterations", round,
                     (long long)p.m->nfactor, (long long)p.m->newtons);
        certify(&p, 1e-9);
        for (int64_t i = round; i < N; i += 5)
            wlab_mfn_set_costs(p.m, i, 3 * p.m->neg[i], p.m->pos[i] / 3);
    }
    problem_free(&p);
}

static void test_nothing(void **state)
{
    (void)state;
    wlab_rng rng;
    wlab_rng_seed(&rng, 4);
    problem p = problem_new(5, BIASED, BOTH, 0.1, 1e-9, &rng);
    for (int i = 0; i < 5; i++)
        p.m->pos[i] = p.m->neg[i] = 0, p.m->w[i] = i;
    wlab_mfn_outputs(p.m, NULL);
    solve(p.m, NULL);
    assert_true(p.m->done && p.m->f == 0);
    for (int i = 0; i < 5; i++)
        assert_true(p.m->w[i] == 0 && p.m->o[i] == 0);
    problem_free(&p);
}

static void test_refusals(void **state)
{
    (void)state;
    wlab_err err;
    wlab_rng rng;
    wlab_rng_seed(&rng, 5);
    for (int bad = 0; bad < 4; bad++) {
        problem p = problem_new(20, BIASED, BOTH, 0.1, 1e-9, &rng);
        if (bad == 0)
            p.K[3 * 20 + 5] = p.K[5 * 20 + 3] = NAN;
        else if (bad == 1)
            p.m->pos[4] = NAN;
        else if (bad == 2)
            p.K[0] = HUGE_VAL;
        else
            for (int i = 0; i < 20; i++)
                for (int j = 0; j < 20; j++)
                    p.K[i * 20 + j] = i == j ? 1 : -2;
        wlab_mfn_start(p.m, NULL);
        wlab_code code = WL_OK;
        for (int k = 0; k < 3 && !code; k++)
            code = wlab_mfn_iterate(p.m, NULL, &err);
        assert_int_equal(code, WL_ENUMERIC);
        assert_non_null(strstr(err.message, bad == 3 ? "positive semidefinite" : "not finite"));
        problem_free(&p);
    }
}

/* Rounded to six digits, as in a file, K has small negative eigenvalues: this gives no error, but a gap. */
static void test_rounded(void **state)
{
    (void)state;
    wlab_rng rng;
    wlab_rng_seed(&rng, 6);
    problem p = problem_new(100, RBF_WIDE, BOTH, 1e-4, 1e-6, &rng);
    for (int64_t k = 0; k < 100 * 100; k++)
        p.K[k] = round(p.K[k] * 1e6) / 1e6;
    solve(p.m, NULL);
    assert_true(p.m->done || p.m->stalled);
    assert_true(p.m->gap <= 1e-3 * p.m->f);
    problem_free(&p);
}

static void test_memory(void **state)
{
    (void)state;
    wlab_err err;
    wlab_rng rng;
    wlab_rng_seed(&rng, 7);
    problem p = problem_new(20, RBF_NARROW, BOTH, 0.01, 1e-9, &rng);
    wlab_mfn_start(p.m, NULL);
    ALLOC_SWEEP_CHECK(wlab_mfn_iterate(p.m, NULL, &err), assert_true(p.m->norm == 0 && p.m->newtons == 0));
    solve(p.m, NULL);
    certify(&p, 1e-9);
    problem_free(&p);
}

static void test_threads(void **state)
{
    (void)state;
    enum {
        N = 1300
    };
    wlab_err err;
    double first[N];
    for (int threads = 1; threads <= 3; threads++) {
        wlab_ctx ctx = {0};
        wlab_rng rng;
        wlab_rng_seed(&rng, 8);
        problem p = problem_new(N, RBF_NARROW, BOTH, 1, 1e-9, &rng);
        ASSERT_OK(wlab_pool_create(&ctx.pool, threads, &err), err);
        solve(p.m, &ctx);
        assert_true(p.m->done);
        if (threads == 1)
            memcpy(first, p.m->w, sizeof first);
        assert_memory_equal(first, p.m->w, sizeof first);
        wlab_pool_destroy(ctx.pool);
        problem_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_certificates), cmocka_unit_test(test_exact),
        cmocka_unit_test(test_hopeless),     cmocka_unit_test(test_doubled),
        cmocka_unit_test(test_linear),       cmocka_unit_test(test_recost),
        cmocka_unit_test(test_nothing),      cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_rounded),      cmocka_unit_test(test_memory),
        cmocka_unit_test(test_threads),      cmocka_unit_test(test_many_rows),
        cmocka_unit_test(test_own_factors),  cmocka_unit_test(test_slack),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Support vector regression: recomputed certificates, comparison of both solvers with each other and with LIBSVM and
 * LIBLINEAR, degenerate data, memory, interrupts.
 */
#include "support.h"

#include "reference.h"
#include "solve/svm/svr.h"
#include "weaklab/rng.h"

typedef struct made {
    wlab_svr_problem q;
    wlab_matrix *M;
    double *target, *tube, *K, *beta, *f, *w;
} made;

/* n rows of d normal numbers, with targets linear in the first, plus noise; tube < 0: one tube width per row. */
static made make(int n, int d, double C, double tube, bool offset, uint64_t seed)
{
    wlab_err err;
    wlab_rng rng;
    made m = {.target = malloc((size_t)n * 8), .tube = malloc((size_t)n * 8)};
    m.K = malloc((size_t)(n * n) * 8);
    m.beta = calloc((size_t)n, 8);
    m.f = malloc((size_t)n * 8);
    m.w = malloc((size_t)d * 8);
    assert_true(m.target && m.tube && m.K && m.beta && m.f && m.w);
    ASSERT_OK(wlab_matrix_create_dense(&m.M, n, d, &err), err);
    wlab_rng_seed(&rng, seed);
    for (int i = 0; i < n * d; i++)
        m.M->dense[i] = wlab_rng_normal(&rng);
    for (int k = 0; k < n; k++) {
        m.target[k] = m.M->dense[k * d] + 3 + wlab_rng_normal(&rng);
        m.tube[k] = tube < 0 ? wlab_rng_uniform(&rng) : tube;
    }
    ASSERT_OK(wlab_matrix_gram(m.M, m.M, m.K, n, NULL, &err), err);
    m.q = (wlab_svr_problem){.n = n, .target = m.target, .tube = m.tube, .C = C, .offset = offset};
    return m;
}

static void clear(made *m)
{
    wlab_matrix_destroy(m->M);
    free(m->target);
    free(m->tube);
    free(m->K);
    free(m->beta);
    free(m->f);
    free(m->w);
}

/* Primal and dual by definition, beta feasible. */
static void certify(const made *m, const double *beta, const wlab_svr_result *r, double bias)
{
    const int64_t n = m->q.n;
    double quad = 0, dual = 0, loss = 0, sum = 0;
    for (int64_t i = 0; i < n; i++) {
        double f = 0;
        for (int64_t j = 0; j < n; j++)
            f += (m->K[i * n + j] + bias * bias) * beta[j];
        const double out = fabs(m->target[i] - f - (bias > 0 ? 0 : r->b)) - m->tube[i];
        quad += beta[i] * f;
        loss += out > 0 ? m->q.C * out : 0;
        dual += m->target[i] * beta[i] - m->tube[i] * fabs(beta[i]);
        sum += beta[i];
        assert_true(fabs(beta[i]) <= m->q.C);
    }
    if (m->q.offset)
        assert_true(fabs(sum) <= 1e-12 * m->q.C * (double)n);
    ASSERT_NEAR(r->primal, 0.5 * quad + loss, 1e-10);
    ASSERT_NEAR(r->dual, dual - 0.5 * quad, 1e-10);
    assert_true(r->dual <= r->primal * (1 + 1e-12));
}

static void test_solvers_agree(void **state)
{
    (void)state;
    static const double costs[] = {0.01, 1, 30};
    for (int seed = 0; seed < 12; seed++) {
        const bool offset = seed % 2;
        const double C = costs[seed % 3], tube = seed % 4 == 0 ? 0 : seed % 4 == 1 ? 0.3 : -1;
        wlab_err err;
        wlab_svr_result k, l;
        made m = make(60, seed % 5 ? 4 : 90, C, tube, offset, (uint64_t)seed);
        double *beta = calloc(60, 8);
        assert_non_null(beta);
        ASSERT_OK(wlab_svr_solve(&m.q, m.K, 1e-10, 0, m.beta, m.f, &k, NULL, &err), err);
        certify(&m, m.beta, &k, 0);
        assert_true(k.primal - k.dual <= 1e-10 * k.primal);
        ASSERT_OK(wlab_svr_solve_linear(&m.q, m.M, 0, 1e-4, 20000, beta, m.w, &l, NULL, &err), err);
        certify(&m, beta, &l, 0);
        assert_true(l.primal - l.dual <= 1e-4 * l.primal);
        assert_true(k.dual <= l.primal * (1 + 1e-12) && l.dual <= k.primal * (1 + 1e-12)); /* weak duality */
        free(beta);
        clear(&m);
    }
}

static void test_libraries(void **state)
{
    (void)state;
    for (int seed = 0; seed < 4; seed++) {
        wlab_err err;
        wlab_svr_result r;
        const double C = seed == 1 ? 10 : seed == 3 ? 0.5 : 0.1; /* LIBLINEAR stops at 1000 passes */
        made m = make(50, 5, C, 0.2, seed < 2, (uint64_t)seed);
        double *c = calloc(50, 8), *f = malloc(50 * 8), b, quad = 0;
        assert_true(c && f);
        if (m.q.offset) { /* LIBSVM */
            ASSERT_OK(wlab_svr_solve(&m.q, m.K, 1e-10, 0, m.beta, m.f, &r, NULL, &err), err);
            b = reference_libsvm_regress(m.K, m.target, 50, C, 0.2, 1e-6, c);
            for (int i = 0; i < 50; i++) {
                f[i] = 0;
                for (int j = 0; j < 50; j++)
                    f[i] += m.K[i * 50 + j] * c[j];
                quad += c[i] * f[i];
            }
        } else { /* LIBLINEAR, with a regularised offset */
            ASSERT_OK(wlab_svr_solve_linear(&m.q, m.M, 1, 1e-6, 20000, m.beta, m.w, &r, NULL, &err), err);
            certify(&m, m.beta, &r, 1);
            b = reference_liblinear_regress(m.M, m.target, C, 0.2, 1e-6, c);
            wlab_matrix_mul(m.M, c, f, NULL);
            for (int j = 0; j < 5; j++) {
                quad += c[j] * c[j];
                ASSERT_NEAR(c[j], m.w[j], 1e-2);
            }
            quad += b * b;
        }
        const double value = 0.5 * quad + wlab_svr_loss(&m.q, f, b);
        assert_true(value >= r.dual * (1 - 1e-12));
        ASSERT_NEAR(value, r.primal, 1e-4);
        ASSERT_NEAR(b, r.b, 1e-2);
        free(c);
        free(f);
        clear(&m);
    }
}

/* The best offset is at least as good as any other. */
static void test_offset(void **state)
{
    (void)state;
    for (int n = 1; n <= 7; n++) {
        made m = make(n, 2, 1, -1, true, (uint64_t)n);
        double *work = malloc((size_t)(2 * n) * 8);
        assert_non_null(work);
        memset(m.f, 0, (size_t)n * 8);
        const double b = wlab_svr_best_offset(&m.q, m.f, work), best = wlab_svr_loss(&m.q, m.f, b);
        for (double at = -5; at < 10; at += 0.01)
            assert_true(best <= wlab_svr_loss(&m.q, m.f, at) + 1e-12);
        free(work);
        clear(&m);
    }
}

static void test_degenerate(void **state)
{
    (void)state;
    wlab_err err;
    wlab_svr_result r;
    made m = make(6, 3, 1, 0, true, 1);
    for (int k = 0; k < 6; k++) /* one value for all: a constant */
        m.target[k] = 2.5;
    ASSERT_OK(wlab_svr_solve(&m.q, m.K, 1e-9, 0, m.beta, m.f, &r, NULL, &err), err);
    assert_true(r.primal == 0 && r.dual == 0 && r.b == 2.5);
    ASSERT_OK(wlab_svr_solve_linear(&m.q, m.M, 0, 1e-9, 0, m.beta, m.w, &r, NULL, &err), err);
    assert_true(r.primal == 0 && r.b == 2.5);
    memset(m.K, 0, 36 * 8); /* all rows are 0 */
    memset(m.M->dense, 0, 18 * 8);
    for (int k = 0; k < 6; k++)
        m.target[k] = k;
    memset(m.beta, 0, 48);
    ASSERT_OK(wlab_svr_solve(&m.q, m.K, 1e-9, 0, m.beta, m.f, &r, NULL, &err), err);
    ASSERT_NEAR(r.primal, 9, 1e-9);
    ASSERT_NEAR(r.dual, 9, 1e-9);
    ASSERT_OK(wlab_svr_solve_linear(&m.q, m.M, 0, 1e-6, 0, m.beta, m.w, &r, NULL, &err), err);
    ASSERT_NEAR(r.primal, 9, 1e-9);
    ASSERT_NEAR(r.dual, 9, 1e-5);
    m.K[0] = NAN;
    ASSERT_FAILS(wlab_svr_solve(&m.q, m.K, 1e-9, 0, m.beta, m.f, &r, NULL, &err), WL_ENUMERIC, err, "finite");
    clear(&m);
}

static void test_memory_and_interrupts(void **state)
{
    (void)state;
    wlab_err err;
    wlab_svr_result r;
    made m = make(20, 3, 1, 0.1, true, 3);
    const atomic_int stop = 1;
    wlab_ctx ctx = {.interrupt = &stop};
    ALLOC_SWEEP((memset(m.beta, 0, 160), wlab_svr_solve(&m.q, m.K, 1e-10, 0, m.beta, m.f, &r, NULL, &err)));
    ALLOC_SWEEP(wlab_svr_solve_linear(&m.q, m.M, 0, 1e-3, 0, m.beta, m.w, &r, NULL, &err));
    memset(m.beta, 0, 160);
    ASSERT_FAILS(wlab_svr_solve(&m.q, m.K, 1e-10, 0, m.beta, m.f, &r, &ctx, &err), WL_EINTERRUPTED, err,
                 "interrupted");
    ASSERT_FAILS(wlab_svr_solve_linear(&m.q, m.M, 0, 1e-6, 0, m.beta, m.w, &r, &ctx, &err), WL_EINTERRUPTED,
                 err, "interrupted");
    clear(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solvers_agree),
        cmocka_unit_test(test_libraries),
        cmocka_unit_test(test_offset),
        cmocka_unit_test(test_degenerate),
        cmocka_unit_test(test_memory_and_interrupts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Margins and a linear term of a row's own in the solvers of SVMs: certificates recomputed here, weak duality at random feasible
 * points, the derivative of the optimum by the tilt against finite differences, a tilt against other margins, the same bits
 * without them; finite Newton on centred data against data that are centred.
 */
#include "support.h"

#include "solve/svm/mfn.h"
#include "solve/svm/smo.h"
#include "solve/svm/smo_free.h"
#include "weaklab/matrix.h"
#include "weaklab/rng.h"

enum {
    N = 40,
    D = 3
};

typedef struct posed {
    wlab_matrix *X;
    double K[N * N], lambda, pos[N], neg[N], a[N], c[N], t[N], cost[N];
    int8_t y[N];
} posed;

static posed *make(bool wide, uint64_t seed)
{
    wlab_err err;
    wlab_rng rng;
    posed *q = calloc(1, sizeof *q);
    assert_non_null(q);
    wlab_rng_seed(&rng, seed);
    ASSERT_OK(wlab_matrix_create_dense(&q->X, N, D, &err), err);
    for (int i = 0; i < N * D; i++)
        q->X->dense[i] = wlab_rng_normal(&rng);
    q->lambda = wide ? 0.3 : 1;
    for (int i = 0; i < N; i++) {
        q->pos[i] = i % 5 == 1 ? 0 : wlab_rng_uniform(&rng);
        q->neg[i] = i % 5 == 2 ? 0 : wlab_rng_uniform(&rng);
        q->a[i] = 1 + 0.8 * wlab_rng_normal(&rng);
        q->c[i] = i % 7 == 3 ? -q->a[i] : 0.5 + fabs(q->a[i]) * wlab_rng_uniform(&rng) - fmin(0, q->a[i]);
        q->t[i] = i % 3 ? 0.4 * wlab_rng_normal(&rng) : 0;
        q->cost[i] = i % 6 == 5 ? 0 : 0.1 + wlab_rng_uniform(&rng);
        q->y[i] = wlab_rng_uniform(&rng) < 0.5 ? -1 : 1;
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double d2 = 0;
            for (int k = 0; k < D; k++)
                d2 += pow(q->X->dense[i * D + k] - q->X->dense[j * D + k], 2);
            q->K[i * N + j] = exp(-d2 / (wide ? 200 : 2));
        }
    return q;
}

static void drop(posed *q)
{
    wlab_matrix_destroy(q->X);
    free(q);
}

/* ---- two costs, no offset ---- */

/* h_i(beta) of smo.h */
static double h_of(const posed *q, int i, double b)
{
    const double sum = q->a[i] + q->c[i];
    return b <= q->pos[i] - q->neg[i] ? sum * q->neg[i] + q->a[i] * b : sum * q->pos[i] - q->c[i] * b;
}

/* f = K (beta - t) / lambda; returns the dual value, and the primal one at f */
static double values(const posed *q, const double *beta, double *f, double *primal)
{
    double norm = 0, loss = 0, dual = 0;
    for (int i = 0; i < N; i++) {
        f[i] = 0;
        for (int j = 0; j < N; j++)
            f[i] += q->K[i * N + j] * (beta[j] - q->t[j]) / q->lambda;
    }
    for (int i = 0; i < N; i++) {
        norm += (beta[i] - q->t[i]) * f[i] * q->lambda;
        loss += q->pos[i] * fmax(0, q->a[i] - f[i]) + q->neg[i] * fmax(0, q->c[i] + f[i]) + q->t[i] * f[i];
        dual += h_of(q, i, beta[i]);
    }
    *primal = norm / (2 * q->lambda) + loss;
    return dual - norm / (2 * q->lambda);
}

static double solve_smo(const posed *q, double *beta, double *f)
{
    wlab_err err;
    wlab_smo_result r;
    const wlab_smo_shape shape = {.a = q->a, .c = q->c, .t = q->t};
    ASSERT_OK(wlab_smo_tilted(q->K, N, q->lambda, q->pos, q->neg, &shape, 1e-11, 0, beta, f, &r, NULL, &err),
              err);
    double own[N], primal;
    const double dual = values(q, beta, own, &primal);
    for (int i = 0; i < N; i++) {
        assert_true(beta[i] >= -q->neg[i] && beta[i] <= q->pos[i]);
        ASSERT_NEAR(f[i], own[i], 1e-11);
    }
    ASSERT_NEAR(r.primal, primal, 1e-10);
    ASSERT_NEAR(r.dual, dual, 1e-10);
    assert_true(primal - dual <= 1e-9 && primal >= dual - 1e-11);
    return primal;
}

static void test_smo(void **state)
{
    (void)state;
    wlab_rng rng;
    wlab_rng_seed(&rng, 9);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        posed *q = make(seed % 2, seed);
        double beta[N] = {0}, f[N], drawn[N], any[N], other;
        const double optimum = solve_smo(q, beta, f);
        for (int k = 0; k < 200; k++) { /* weak duality, from both sides */
            for (int i = 0; i < N; i++)
                drawn[i] = k % 2 ? -q->neg[i] + wlab_rng_uniform(&rng) * (q->pos[i] + q->neg[i])
                                 : fmax(-q->neg[i], fmin(q->pos[i], beta[i] + 0.02 * wlab_rng_normal(&rng)));
            const double dual = values(q, drawn, any, &other);
            assert_true(dual <= optimum + 1e-9 && other >= optimum - 1e-9);
        }
        drop(q);
    }
}

/* The derivative of the optimum by t is f (envelope theorem). */
static void test_derivative(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        posed *q = make(seed % 2, seed);
        double beta[N] = {0}, f[N], moved[N];
        (void)solve_smo(q, beta, f);
        for (int i = 0; i < N; i += 5) {
            const double h = 1e-5, at = q->t[i];
            q->t[i] = at + h;
            const double right = solve_smo(q, beta, moved);
            q->t[i] = at - h;
            const double left = solve_smo(q, beta, moved);
            q->t[i] = at;
            ASSERT_NEAR((right - left) / (2 * h), f[i], 1e-4);
        }
        drop(q);
    }
}

/* With g = f + K t / lambda the tilt becomes other margins, a + K t / lambda and c - K t / lambda. */
static void test_margins(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        posed *q = make(false, seed);
        double beta[N] = {0}, f[N], g[N], shift[N];
        (void)solve_smo(q, beta, f);
        for (int i = 0; i < N; i++) {
            shift[i] = 0;
            for (int j = 0; j < N; j++)
                shift[i] += q->K[i * N + j] * q->t[j] / q->lambda;
        }
        for (int i = 0; i < N; i++) {
            q->a[i] += shift[i];
            q->c[i] -= shift[i];
        }
        memset(q->t, 0, sizeof q->t);
        memset(beta, 0, sizeof beta);
        (void)solve_smo(q, beta, g);
        for (int i = 0; i < N; i++)
            ASSERT_NEAR(g[i], f[i] + shift[i], 1e-4);
        drop(q);
    }
}

static void test_same_bits(void **state)
{
    (void)state;
    wlab_err err;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        posed *q = make(seed % 2, seed);
        double b[2][N] = {{0}}, f[2][N];
        wlab_smo_result r[2];
        wlab_smo_free_result u[2];
        for (int i = 0; i < N; i++) {
            q->a[i] = q->c[i] = 1;
            q->t[i] = 0;
        }
        const wlab_smo_shape shape = {.a = q->a, .c = q->c, .t = q->t};
        ASSERT_OK(wlab_smo_solve(q->K, N, q->lambda, q->pos, q->neg, 1e-9, 0, b[0], f[0], &r[0], NULL, &err),
                  err);
        ASSERT_OK(wlab_smo_tilted(q->K, N, q->lambda, q->pos, q->neg, &shape, 1e-9, 0, b[1], f[1], &r[1],
                                  NULL, &err),
                  err);
        assert_memory_equal(b[0], b[1], sizeof b[0]);
        assert_memory_equal(f[0], f[1], sizeof f[0]);
        assert_true(r[0].primal == r[1].primal && r[0].dual == r[1].dual && r[0].updates == r[1].updates);
        memset(b, 0, sizeof b);
        ASSERT_OK(wlab_smo_free_solve(q->K, N, q->y, q->cost, 1e-9, b[0], f[0], &u[0], NULL, &err), err);
        ASSERT_OK(
            wlab_smo_free_tilted(q->K, N, q->y, q->cost, q->a, NULL, 1e-9, b[1], f[1], &u[1], NULL, &err),
            err);
        assert_memory_equal(b[0], b[1], sizeof b[0]);
        assert_memory_equal(f[0], f[1], sizeof f[0]);
        assert_true(u[0].primal == u[1].primal && u[0].dual == u[1].dual && u[0].b == u[1].b);
        drop(q);
    }
}

/* ---- one cost, free offset ---- */

static double free_values(const posed *q, const double *beta, double b, double *f, double *primal)
{
    double norm = 0, loss = 0, dual = 0;
    for (int i = 0; i < N; i++) {
        f[i] = b;
        for (int j = 0; j < N; j++)
            f[i] += q->K[i * N + j] * (beta[j] - q->t[j]);
    }
    for (int i = 0; i < N; i++) {
        norm += (beta[i] - q->t[i]) * (f[i] - b);
        loss += q->cost[i] * fmax(0, q->a[i] - q->y[i] * f[i]) + q->t[i] * f[i];
        dual += q->a[i] * q->y[i] * beta[i];
    }
    *primal = norm / 2 + loss;
    return dual - norm / 2;
}

static double solve_free(const posed *q, double *beta, double *f)
{
    wlab_err err;
    wlab_smo_free_result r;
    ASSERT_OK(wlab_smo_free_tilted(q->K, N, q->y, q->cost, q->a, q->t, 1e-10, beta, f, &r, NULL, &err), err);
    double own[N], primal, sum = 0;
    const double dual = free_values(q, beta, r.b, own, &primal);
    for (int i = 0; i < N; i++) {
        assert_true(q->y[i] * beta[i] >= 0 && q->y[i] * beta[i] <= q->cost[i]);
        sum += beta[i] - q->t[i];
        ASSERT_NEAR(f[i], own[i], 1e-10);
    }
    ASSERT_NEAR(sum, 0, 1e-12);
    ASSERT_NEAR(r.primal, primal, 1e-9);
    ASSERT_NEAR(r.dual, dual, 1e-9);
    assert_true(primal - dual <= 1e-8 && primal >= dual - 1e-10);
    return primal;
}

static void test_free_offset(void **state)
{
    (void)state;
    wlab_rng rng;
    wlab_rng_seed(&rng, 11);
    for (uint64_t seed = 1; seed <= 12; seed++) {
        posed *q = make(seed % 2, seed);
        double beta[N] = {0}, f[N], any[N], moved[N];
        if (seed % 3 == 0) /* far from 0: the start must first be made feasible */
            for (int i = 0; i < N; i++)
                q->t[i] = (seed % 2 ? 0.5 : -0.5) * ((q->y[i] > 0) == (seed % 2 == 1) ? q->cost[i] : 0);
        for (int i = 0; i < N; i++)
            beta[i] = wlab_rng_normal(&rng); /* a start outside its box */
        const double optimum = solve_free(q, beta, f);
        for (int k = 0; k < 100; k++) { /* pairs move along 1'beta = 1't */
            double drawn[N], other;
            memcpy(drawn, beta, sizeof drawn);
            for (int p = 0; p < 30; p++) {
                const int i = (int)wlab_rng_below(&rng, N), j = (int)wlab_rng_below(&rng, N);
                const double by = 0.3 * wlab_rng_uniform(&rng), to = q->y[i] * (drawn[i] + by),
                             from = q->y[j] * (drawn[j] - by);
                if (i != j && to >= 0 && to <= q->cost[i] && from >= 0 && from <= q->cost[j]) {
                    drawn[i] += by;
                    drawn[j] -= by;
                }
            }
            const double dual = free_values(q, drawn, wlab_rng_normal(&rng), any, &other);
            assert_true(dual <= optimum + 1e-8 && other >= optimum - 1e-8);
        }
        for (int i = 0; i < N; i += 9) { /* the derivative by t is the output */
            const double h = 1e-5, at = q->t[i];
            q->t[i] = at + h;
            const double right = solve_free(q, beta, moved);
            q->t[i] = at - h;
            const double left = solve_free(q, beta, moved);
            q->t[i] = at;
            ASSERT_NEAR((right - left) / (2 * h), f[i], 2e-3);
        }
        drop(q);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    wlab_err err;
    posed *q = make(false, 3);
    double beta[N] = {0}, f[N];
    wlab_smo_result r;
    wlab_smo_free_result u;
    const wlab_smo_shape shape = {.a = q->a, .c = q->c, .t = q->t};
    const double was = q->c[4];
    q->c[4] = -q->a[4] - 1;
    ASSERT_FAILS(wlab_smo_tilted(q->K, N, 1, q->pos, q->neg, &shape, 1e-9, 0, beta, f, &r, NULL, &err),
                 WL_EARG, err, "row 5");
    q->c[4] = was;
    q->t[4] = NAN;
    ASSERT_FAILS(wlab_smo_tilted(q->K, N, 1, q->pos, q->neg, &shape, 1e-9, 0, beta, f, &r, NULL, &err),
                 WL_ENUMERIC, err, "");
    ASSERT_FAILS(wlab_smo_free_tilted(q->K, N, q->y, q->cost, q->a, q->t, 1e-9, beta, f, &u, NULL, &err),
                 WL_ENUMERIC, err, "");
    q->t[4] = 1e3;
    ASSERT_FAILS(wlab_smo_free_tilted(q->K, N, q->y, q->cost, q->a, q->t, 1e-9, beta, f, &u, NULL, &err),
                 WL_EARG, err, "minimum");
    drop(q);
}

/* ---- the squared hinge ---- */

static wlab_mfn *newton(const posed *q, bool kernel, const wlab_matrix *X, const double *mean, bool shaped)
{
    wlab_err err;
    wlab_mfn *m;
    ASSERT_OK(wlab_mfn_create(&m, kernel ? NULL : X, 0, kernel ? q->K : NULL, N, q->lambda, WL_MFN_FAST,
                              1e-13, &err),
              err);
    if (shaped) {
        ASSERT_OK(wlab_mfn_shape(m, &err), err);
        memcpy(m->a, q->a, sizeof q->a);
        memcpy(m->c, q->c, sizeof q->c);
        memcpy(m->t, q->t, sizeof q->t);
    }
    if (mean)
        ASSERT_OK(wlab_mfn_centre(m, mean, &err), err);
    memcpy(m->pos, q->pos, sizeof q->pos);
    memcpy(m->neg, q->neg, sizeof q->neg);
    wlab_mfn_start(m, NULL);
    while (!m->done && !m->stalled)
        ASSERT_OK(wlab_mfn_iterate(m, NULL, &err), err);
    return m;
}

static double squared_value(const posed *q, double norm, const double *o)
{
    double sum = q->lambda / 2 * norm;
    for (int i = 0; i < N; i++)
        sum += q->pos[i] / 2 * pow(fmax(0, q->a[i] - o[i]), 2) +
               q->neg[i] / 2 * pow(fmax(0, q->c[i] + o[i]), 2) + q->t[i] * o[i];
    return sum;
}

static void test_newton(void **state)
{
    (void)state;
    wlab_rng rng;
    wlab_rng_seed(&rng, 5);
    for (uint64_t seed = 1; seed <= 12; seed++) {
        posed *q = make(false, seed);
        double mean[D] = {0.7, -0.3, 0.1};
        for (int centred = 0; centred < 2; centred++) {
            const double *by = centred ? mean : NULL;
            /* linear: the kernel matrix of the (centred) rows gives the same outputs */
            for (int i = 0; i < N; i++)
                for (int j = 0; j < N; j++) {
                    q->K[i * N + j] = 0;
                    for (int k = 0; k < D; k++)
                        q->K[i * N + j] += (q->X->dense[i * D + k] - (by ? by[k] : 0)) *
                                           (q->X->dense[j * D + k] - (by ? by[k] : 0));
                }
            wlab_mfn *m = newton(q, false, q->X, by, true), *k = newton(q, true, NULL, NULL, true);
            assert_true(m->gap <= 1e-10 && k->gap <= 1e-10);
            ASSERT_NEAR(m->f, squared_value(q, m->norm, m->o), 1e-10);
            ASSERT_NEAR(m->f, k->f, 1e-9);
            for (int i = 0; i < N; i++)
                ASSERT_NEAR(m->o[i], k->o[i], 1e-5);
            /* no other w has a smaller value than f - gap; and the gap holds at every w */
            for (int d = 0; d < 50; d++) {
                double w[D], o[N], norm = 0, g2 = 0;
                for (int j = 0; j < D; j++) {
                    w[j] = m->w[j] + (d % 2 ? 1 : 0.01) * wlab_rng_normal(&rng);
                    norm += w[j] * w[j];
                }
                double g[D];
                for (int j = 0; j < D; j++)
                    g[j] = q->lambda * w[j];
                for (int i = 0; i < N; i++) {
                    double z, h;
                    o[i] = 0;
                    for (int j = 0; j < D; j++)
                        o[i] += w[j] * (q->X->dense[i * D + j] - (by ? by[j] : 0));
                    (void)wlab_mfn_row_loss(m, i, o[i], &z, &h);
                    for (int j = 0; j < D; j++)
                        g[j] -= z * (q->X->dense[i * D + j] - (by ? by[j] : 0));
                }
                for (int j = 0; j < D; j++)
                    g2 += g[j] * g[j];
                const double value = squared_value(q, norm, o);
                assert_true(value >= m->f - 1e-10);
                assert_true(value - g2 / (2 * q->lambda) <= m->f + 1e-10);
            }
            wlab_mfn_destroy(m);
            wlab_mfn_destroy(k);
        }
        drop(q);
    }
}

/* z is minus the derivative of a row's loss, h its curvature. */
static void test_row_loss(void **state)
{
    (void)state;
    posed *q = make(false, 4);
    wlab_mfn *m = newton(q, false, q->X, NULL, true);
    for (int i = 0; i < N; i++)
        for (double o = -3.005; o < 3; o += 0.1) {
            double z, h, left, right, none;
            (void)wlab_mfn_row_loss(m, i, o, &z, &h);
            const double e = 1e-6, slope = (wlab_mfn_row_loss(m, i, o + e, &right, &none) -
                                            wlab_mfn_row_loss(m, i, o - e, &left, &none)) /
                                           (2 * e);
            ASSERT_NEAR(z, -slope, 1e-6);
            if (fabs(o - q->a[i]) > 1e-4 && fabs(o + q->c[i]) > 1e-4)
                ASSERT_NEAR(h, -(right - left) / (2 * e), 1e-5);
        }
    wlab_mfn_destroy(m);
    drop(q);
}

static void test_newton_same_bits(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++)
        for (int kernel = 0; kernel < 2; kernel++) {
            posed *q = make(seed % 2, seed);
            for (int i = 0; i < N; i++) {
                q->a[i] = q->c[i] = 1;
                q->t[i] = 0;
            }
            wlab_mfn *m = newton(q, kernel, q->X, NULL, false), *s = newton(q, kernel, q->X, NULL, true);
            assert_memory_equal(m->o, s->o, N * sizeof *m->o);
            assert_memory_equal(m->w, s->w, (size_t)m->dim * sizeof *m->w);
            assert_true(m->f == s->f && m->gap == s->gap && m->newtons == s->newtons && m->cg == s->cg);
            wlab_mfn_destroy(m);
            wlab_mfn_destroy(s);
            drop(q);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_smo),
        cmocka_unit_test(test_derivative),
        cmocka_unit_test(test_margins),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_free_offset),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_newton),
        cmocka_unit_test(test_row_loss),
        cmocka_unit_test(test_newton_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * EM's steps on the soft-max problem: the M-step against its certificate, finite differences and LIBLINEAR; hard
 * constraints; the E-step against its certificate, random labels and all labelings; f never rises; extremes, threads,
 * snapshots, interrupts, memory.
 */
#include "base/walk.h"
#include "support.h"

#include "solve/softmax/softmax.h"
#include "weaklab/rng.h"

#include <linear.h>

enum {
    N = 60,
    D = 4
};

typedef struct scene {
    wlab_em_problem q;
    double Phi[N * D], pi[N];
    uint64_t allowed[N];
    int32_t bag[N], label[N];
    uint8_t hard[N];
} scene;

/* Rows around P centres; some labels are given, the others random. */
static void make(scene *s, int P, uint64_t seed, double lambda, double scale)
{
    wlab_rng rng;
    double sum = 0;
    wlab_rng_seed(&rng, seed);
    *s = (scene){.q = {.n = N, .d = D, .P = P, .lambda = lambda, .intercept = true}};
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < D; j++)
            s->Phi[i * D + j] = scale * (wlab_rng_normal(&rng) + 2 * ((i % P) % D == j) + (i % P >= D));
        s->pi[i] = i % 7 == 3 ? 0 : 0.5 + wlab_rng_uniform(&rng);
        sum += s->pi[i];
        s->label[i] = (int32_t)wlab_rng_below(&rng, (uint64_t)P);
        s->allowed[i] = (UINT64_C(1) << P) - 1;
        if (i % 5 == 0)
            s->allowed[i] = UINT64_C(1) << s->label[i];
        else if (i % 5 == 1)
            s->allowed[i] = UINT64_C(1) << s->label[i] | 1;
        s->bag[i] = i / 9;
    }
    for (int i = 0; i < N; i++)
        s->pi[i] /= sum;
    s->q.Phi = s->Phi;
    s->q.pi = s->pi;
    s->q.allowed = s->allowed;
}

static wlab_em *create_em(scene *s)
{
    wlab_err err;
    wlab_em *e;
    s->q.Phi = s->Phi;
    s->q.pi = s->pi;
    ASSERT_OK(wlab_em_create(&e, &s->q, &err), err);
    ASSERT_OK(wlab_em_set_labels(e, s->label, &err), err);
    return e;
}

/* f by its definition. */
static double value(const wlab_em_problem *q, const double *W, const double *b, const double *z)
{
    double f = 0, *v = calloc((size_t)(q->P * (q->bag ? q->bags : 1)), sizeof *v);
    assert_non_null(v);
    for (int64_t i = 0; i < q->n; i++) {
        double s[64], top = -HUGE_VAL, sum = 0;
        for (int k = 0; k < q->P; k++) {
            s[k] = b[k];
            for (int64_t j = 0; j < q->d; j++)
                s[k] += W[k * q->d + j] * q->Phi[i * q->d + j];
            top = fmax(top, s[k]);
            v[(q->bag ? q->bag[i] * q->P : 0) + k] += q->pi[i] * z[i * q->P + k];
        }
        for (int k = 0; k < q->P; k++)
            sum += exp(s[k] - top);
        for (int k = 0; k < q->P; k++)
            f += q->pi[i] * z[i * q->P + k] * (top + log(sum) - s[k]);
    }
    for (int64_t k = 0; k < q->P * (q->bag ? q->bags : 1); k++)
        f += v[k] > 0 ? v[k] * log(v[k]) : 0;
    for (int64_t j = 0; j < q->P * q->d; j++)
        f += q->lambda / (2 * q->P) * W[j] * W[j];
    free(v);
    return f;
}

static double now(const wlab_em *e, const wlab_em_problem *q)
{
    return value(q, wlab_em_W(e), wlab_em_b(e), wlab_em_z(e));
}

/* Small steps in 40 random directions do not lower f, and finite differences along them give slopes of 0. */
static void check_minimum(const wlab_em *e, const wlab_em_problem *q, uint64_t seed)
{
    wlab_rng rng;
    double W[8 * D], b[8];
    const double f = now(e, q);
    wlab_rng_seed(&rng, seed);
    for (int t = 0; t < 40; t++) {
        double up = 0, down = 0;
        for (int sign = -1; sign <= 1; sign += 2) {
            wlab_rng same = rng;
            for (int k = 0; k < q->P; k++) {
                b[k] = wlab_em_b(e)[k] + (q->intercept ? sign * 1e-4 * wlab_rng_normal(&same) : 0);
                for (int j = 0; j < D; j++)
                    W[k * D + j] = wlab_em_W(e)[k * D + j] + sign * 1e-4 * wlab_rng_normal(&same);
            }
            *(sign < 0 ? &down : &up) = value(q, W, b, wlab_em_z(e));
            if (sign > 0)
                rng = same;
        }
        assert_true(up >= f && down >= f);
        assert_true(fabs(up - down) / 2e-4 < 1e-6);
    }
}

static void test_m_step(void **state)
{
    (void)state;
    wlab_err err;
    for (int P = 2; P <= 6; P++)
        for (int kind = 0; kind < 4; kind++) {
            scene s;
            make(&s, P, (uint64_t)(10 * P + kind), kind == 3 ? 10 : 0.1, 1);
            s.q.intercept = kind != 1;
            wlab_em *e = create_em(&s);
            if (kind == 2) { /* soft labels */
                double z[N * 6];
                for (int i = 0; i < N; i++)
                    for (int k = 0; k < P; k++)
                        z[i * P + k] = s.allowed[i] >> k & 1 ? 1.0 / __builtin_popcountll(s.allowed[i]) : 0;
                ASSERT_OK(wlab_em_set_z(e, z, &err), err);
            }
            const double before = now(e, &s.q);
            ASSERT_NEAR(wlab_em_objective(e).total, before, 1e-12);
            ASSERT_OK(wlab_em_m_step(e, 1e-13, NULL, &err), err);
            const wlab_em_value v = wlab_em_objective(e);
            ASSERT_NEAR(v.total, now(e, &s.q), 1e-12);
            ASSERT_NEAR(v.total, v.loss - v.entropy + v.norm, 1e-12);
            assert_true(v.total < before);
            assert_true(wlab_em_m_gap(e) >= 0 && wlab_em_m_gap(e) <= 2e-13);
            check_minimum(e, &s.q, 3);
            for (int j = 0; j < D; j++) {
                double sum = 0;
                for (int k = 0; k < P; k++)
                    sum += wlab_em_W(e)[k * D + j];
                assert_true(fabs(sum) < 1e-12);
            }
            /* the gap bounds the distance to the optimum, also far from it */
            wlab_em *rough = create_em(&s);
            if (kind != 2)
                for (double tol = 0.5; tol > 1e-6; tol /= 8) {
                    ASSERT_OK(wlab_em_m_step(rough, tol, NULL, &err), err);
                    const double over = wlab_em_objective(rough).total - v.total;
                    assert_true(over <= wlab_em_m_gap(rough) + 1e-12);
                    assert_true(wlab_em_m_gap(rough) <=
                                tol * (wlab_em_objective(rough).loss + wlab_em_objective(rough).norm));
                }
            wlab_em_destroy(rough);
            wlab_em_destroy(e);
        }
}

/* With 40 classes of two rows each, CG solves the M-step: its gap is certified, and the objective agrees with its
 * definition. */
static void test_cg(void **state)
{
    (void)state;
    wlab_err err;
    enum {
        P = 40,
        n = 80,
        d = 19
    };
    static double Phi[n * d], pi[n];
    int32_t label[n];
    wlab_rng rng;
    wlab_em *e;
    wlab_rng_seed(&rng, 5);
    for (int i = 0; i < n * d; i++)
        Phi[i] = wlab_rng_normal(&rng);
    for (int i = 0; i < n; i++) {
        pi[i] = 1.0 / (double)n;
        label[i] = i % P;
    }
    const wlab_em_problem q = {
        .n = n, .d = d, .Phi = Phi, .pi = pi, .P = P, .lambda = 0.05, .intercept = true};
    ASSERT_OK(wlab_em_create(&e, &q, &err), err);
    ASSERT_OK(wlab_em_set_labels(e, label, &err), err);
    ASSERT_OK(wlab_em_m_step(e, 1e-12, NULL, &err), err);
    assert_true(wlab_em_m_gap(e) <= 1e-12 * 4);
    ASSERT_NEAR(wlab_em_objective(e).total, now(e, &q), 1e-11);
    wlab_em_destroy(e);
}

static void quiet(const char *text)
{
    (void)text;
}

/* Two balanced classes without intercept are logistic regression with w = w_1 - w_0, C = 4 / (lambda n). */
static void test_liblinear(void **state)
{
    (void)state;
    wlab_err err;
    scene s;
    make(&s, 2, 8, 0.3, 1);
    struct feature_node x[N][D + 1], *rows[N];
    double y[N];
    for (int i = 0; i < N; i++) {
        s.pi[i] = 1.0 / (double)N;
        s.allowed[i] = 3;
        s.label[i] = i % 2;
        y[i] = i % 2 ? 1 : -1;
        rows[i] = x[i];
        for (int j = 0; j < D; j++)
            x[i][j] = (struct feature_node){j + 1, s.Phi[i * D + j]};
        x[i][D] = (struct feature_node){-1, 0};
    }
    s.q.intercept = false;
    wlab_em *e = create_em(&s);
    ASSERT_OK(wlab_em_m_step(e, 1e-13, NULL, &err), err);
    const struct problem prob = {.l = N, .n = D, .y = y, .x = rows, .bias = -1};
    struct parameter param = {.solver_type = L2R_LR, .eps = 1e-10, .C = 4 / (0.3 * (double)N)};
    set_print_string_function(quiet);
    struct model *m = train(&prob, &param);
    const double sign = m->label[0] == 1 ? 1 : -1;
    for (int j = 0; j < D; j++)
        ASSERT_NEAR(wlab_em_W(e)[D + j] - wlab_em_W(e)[j], sign * m->w[j], 1e-7);
    free_and_destroy_model(&m);
    wlab_em_destroy(e);
}

/* Hard rows are on the negative side, the certificate is small, and 200 random feasible points nearby are not
 * better. */
static void test_hard(void **state)
{
    (void)state;
    wlab_err err;
    for (uint64_t seed = 1; seed <= 8; seed++)
        for (int kind = 0; kind < 3; kind++) {
            scene s;
            make(&s, 2, seed, kind == 1 ? 1e-4 : 0.05, 1);
            for (int i = 0; i < N; i++) {
                s.hard[i] = i % 2 == 0;
                s.allowed[i] = s.hard[i] ? 1 : 3;
                s.label[i] = s.hard[i] ? 0 : kind == 2 ? i % 4 == 1 : 1;
            }
            s.q.hard = s.hard;
            wlab_em *e = create_em(&s);
            ASSERT_OK(wlab_em_m_step(e, 1e-9, NULL, &err), err);
            const double f = now(e, &s.q), *W = wlab_em_W(e), *b = wlab_em_b(e);
            assert_true(wlab_em_m_gap(e) >= 0 && wlab_em_m_gap(e) <= 1e-9);
            double score[2 * N], closest = HUGE_VAL;
            wlab_em_scores(e, score);
            for (int i = 0; i < N; i++)
                if (s.hard[i]) {
                    assert_true(score[2 * i] >= score[2 * i + 1]);
                    closest = fmin(closest, score[2 * i] - score[2 * i + 1]);
                }
            assert_true(kind > 0 || closest < 1e-5); /* the constraints are active */
            wlab_rng rng;
            wlab_rng_seed(&rng, seed);
            for (int t = 0; t < 200; t++) {
                double V[2 * D], c[2], worst = 0;
                for (int j = 0; j < 2 * D; j++)
                    V[j] = W[j] + 0.01 * wlab_rng_normal(&rng);
                c[0] = b[0];
                c[1] = b[1] + 0.01 * wlab_rng_normal(&rng);
                for (int i = 0; i < N; i++)
                    if (s.hard[i]) {
                        double v = c[1] - c[0];
                        for (int j = 0; j < D; j++)
                            v += (V[D + j] - V[j]) * s.Phi[i * D + j];
                        worst = fmax(worst, v);
                    }
                c[1] -= worst;
                assert_true(value(&s.q, V, c, wlab_em_z(e)) >= f - wlab_em_m_gap(e) - 1e-13);
            }
            /* a second M-step finds nothing better; with one hard row the optimum is not lower than with none */
            ASSERT_OK(wlab_em_m_step(e, 1e-9, NULL, &err), err);
            assert_true(fabs(now(e, &s.q) - f) <= 2e-9);
            wlab_em_destroy(e);
            for (int i = 0; i < N; i++) {
                s.hard[i] = i == 0;
                s.Phi[0] = -100;
            }
            wlab_em *free_of = create_em(&s);
            ASSERT_OK(wlab_em_m_step(free_of, 1e-11, NULL, &err), err);
            s.q.hard = NULL;
            wlab_em *plain = create_em(&s);
            ASSERT_OK(wlab_em_m_step(plain, 1e-11, NULL, &err), err);
            assert_true(wlab_em_objective(free_of).total >= wlab_em_objective(plain).total - 1e-10);
            wlab_em_destroy(free_of);
            wlab_em_destroy(plain);
        }
    /* no row is positive */
    scene s;
    make(&s, 2, 3, 0.1, 1);
    for (int i = 0; i < N; i++) {
        s.hard[i] = i % 2 != 0;
        s.label[i] = 0;
        s.allowed[i] = 3;
    }
    s.q.hard = s.hard;
    wlab_em *e = create_em(&s);
    ASSERT_OK(wlab_em_m_step(e, 1e-9, NULL, &err), err);
    assert_true(fabs(wlab_em_objective(e).total) < 1e-15 && wlab_em_m_gap(e) == 0);
    wlab_em_destroy(e);
}

/* The E-step against its certificate and random labels.  Few rows have soft labels, and only allowed ones. */
static void test_e_step(void **state)
{
    (void)state;
    wlab_err err;
    for (int P = 2; P <= 6; P += 2)
        for (uint64_t seed = 1; seed <= 6; seed++)
            for (int bags = 0; bags < 2; bags++) {
                scene s;
                wlab_rng rng;
                double z[N * 6];
                make(&s, P, seed, 0.05, 1);
                if (bags) {
                    s.q.bag = s.bag;
                    s.q.bags = 7;
                }
                wlab_em *e = create_em(&s);
                ASSERT_OK(wlab_em_m_step(e, 1e-8, NULL, &err), err);
                const double before = now(e, &s.q);
                ASSERT_OK(wlab_em_e_step(e, 1e-12, NULL, &err), err);
                const double f = now(e, &s.q);
                ASSERT_NEAR(wlab_em_objective(e).total, f, 1e-12);
                /* on some processors the limit of sweeps comes before 1e-12 */
                assert_true(f <= before && wlab_em_e_gap(e) >= 0 && wlab_em_e_gap(e) <= 1e-10);
                assert_true(wlab_em_fractional(e) <= (bags ? 7 : 1) * P * (P - 1) / 2);
                wlab_rng_seed(&rng, seed);
                for (int t = 0; t < 300; t++) {
                    const double mix = t % 3 ? 1e-3 : 1;
                    for (int i = 0; i < N; i++) {
                        int to;
                        do
                            to = (int)wlab_rng_below(&rng, (uint64_t)P);
                        while (!(s.allowed[i] >> to & 1));
                        for (int k = 0; k < P; k++)
                            z[i * P + k] = (1 - mix) * wlab_em_z(e)[i * P + k] + mix * (k == to);
                    }
                    assert_true(value(&s.q, wlab_em_W(e), wlab_em_b(e), z) >= f - 1e-12);
                }
                int32_t label[N];
                wlab_em_labels(e, label);
                for (int i = 0; i < N; i++) {
                    double sum = 0;
                    for (int k = 0; k < P; k++) {
                        const double v = wlab_em_z(e)[i * P + k];
                        sum += v;
                        assert_true(v >= 0 && (v == 0 || s.allowed[i] >> k & 1));
                        assert_true(v <= wlab_em_z(e)[i * P + label[i]]);
                    }
                    ASSERT_NEAR(sum, 1, 1e-12);
                }
                wlab_em_destroy(e);
            }
}

/* With an intercept no labeling of 9 rows is better than the E-step's z, which may be fractional.  Without one, z is a
 * labeling, and others may be better. */
static void test_e_enumeration(void **state)
{
    (void)state;
    wlab_err err;
    enum {
        n = 9,
        d = 2
    };
    for (int intercept = 0; intercept < 2; intercept++)
        for (uint64_t seed = 1; seed <= 10; seed++) {
            double Phi[n * d], pi[n], z[n * 3] = {0}, b[3], least = HUGE_VAL;
            int32_t label[n];
            wlab_rng rng;
            wlab_em *e;
            wlab_rng_seed(&rng, seed);
            for (int i = 0; i < n * d; i++)
                Phi[i] = wlab_rng_normal(&rng);
            for (int i = 0; i < n; i++) {
                pi[i] = (double)(i + 1) / 45;
                label[i] = i % 3;
            }
            const wlab_em_problem q = {
                .n = n, .d = d, .Phi = Phi, .pi = pi, .P = 3, .lambda = 0.02, .intercept = intercept};
            ASSERT_OK(wlab_em_create(&e, &q, &err), err);
            ASSERT_OK(wlab_em_set_labels(e, label, &err), err);
            ASSERT_OK(wlab_em_m_step(e, 1e-10, NULL, &err), err);
            const double before = now(e, &q);
            ASSERT_OK(wlab_em_e_step(e, 1e-13, NULL, &err), err);
            const double f = now(e, &q);
            assert_true(f <= before);
            for (int code = 0; code < 19683; code++) {
                double v[3] = {0};
                memset(z, 0, sizeof z);
                for (int i = 0, c = code; i < n; i++, c /= 3) {
                    z[i * 3 + c % 3] = 1;
                    v[c % 3] += pi[i];
                }
                for (int k = 0; k < 3; k++)
                    b[k] = intercept ? wlab_em_b(e)[k] : v[k] > 0 ? log(v[k]) : -1e4;
                least = fmin(least, value(&q, wlab_em_W(e), b, z));
            }
            if (intercept) { /* f is convex in z; without an intercept z is only a local minimum */
                assert_true(f <= least + 1e-12);
                assert_true(wlab_em_e_gap(e) <= 1e-12);
            } else {
                assert_true(wlab_em_fractional(e) == 0 && f >= least - 1e-12);
            }
            wlab_em_destroy(e);
        }
}

/* In six rounds of EM f never rises, not even by rounding, and the gap of every M-step is small. */
static void test_monotone(void **state)
{
    (void)state;
    wlab_err err;
    static const double lambdas[] = {1e-8, 1e-3, 0.1, 1e4}, scales[] = {1e-6, 1, 1e6};
    for (int P = 2; P <= 5; P += 3)
        for (size_t l = 0; l < 4; l++)
            for (size_t c = 0; c < 3; c++)
                for (int kind = 0; kind < 4; kind++) {
                    scene s;
                    make(&s, P, 7 + l, lambdas[l], scales[c]);
                    s.q.intercept = kind != 1;
                    if (kind == 2) {
                        s.q.bag = s.bag;
                        s.q.bags = 7;
                    }
                    if (kind == 3) {
                        if (P > 2)
                            continue;
                        for (int i = 0; i < N; i++) {
                            s.hard[i] = i < 20;
                            s.allowed[i] = i < 20 ? 1 : 3;
                            s.label[i] = i < 20 ? 0 : 1;
                        }
                        s.q.hard = s.hard;
                    }
                    wlab_em *e = create_em(&s);
                    double last = HUGE_VAL;
                    for (int t = 0; t < 6; t++) {
                        ASSERT_OK(wlab_em_m_step(e, 1e-9, NULL, &err), err);
                        double f = wlab_em_objective(e).total;
                        assert_true(isfinite(f) && f <= last);
                        assert_true(wlab_em_m_gap(e) >= 0);
                        if (!(wlab_em_m_gap(e) <= 1e-8))
                            fail_msg("P=%d lambda=%g scale=%g kind=%d: gap %g of %g", P, lambdas[l],
                                     scales[c], kind, wlab_em_m_gap(e), f);
                        last = f;
                        ASSERT_OK(wlab_em_e_step(e, 1e-9, NULL, &err), err);
                        f = wlab_em_objective(e).total;
                        if (!(f <= last && (!s.q.intercept || wlab_em_e_gap(e) <= 1e-8)))
                            fail_msg("P=%d lambda=%g scale=%g kind=%d: f %.17g behind %.17g, gap %g", P,
                                     lambdas[l], scales[c], kind, f, last, wlab_em_e_gap(e));
                        last = f;
                    }
                    wlab_em_set_lambda(e, 2 * lambdas[l]);
                    ASSERT_OK(wlab_em_m_step(e, 1e-9, NULL, &err), err);
                    wlab_em_destroy(e);
                }
}

static void test_same_bits(void **state)
{
    (void)state;
    wlab_err err;
    scene s;
    wlab_pool *pool;
    wlab_buf buf = {0};
    make(&s, 3, 4, 0.05, 1);
    ASSERT_OK(wlab_pool_create(&pool, 3, &err), err);
    wlab_ctx ctx = {.pool = pool};
    wlab_em *a = create_em(&s), *b = create_em(&s), *c = create_em(&s);
    for (int t = 0; t < 3; t++) {
        ASSERT_OK(wlab_em_m_step(a, 1e-9, NULL, &err), err);
        ASSERT_OK(wlab_em_m_step(b, 1e-9, &ctx, &err), err);
        ASSERT_OK(wlab_em_e_step(a, 1e-9, NULL, &err), err);
        ASSERT_OK(wlab_em_e_step(b, 1e-9, &ctx, &err), err);
        ASSERT_OK(wlab_walk_write(&buf, wlab_em_walk, a, &err), err);
        buf.pos = 0;
        ASSERT_OK(wlab_walk_read(&buf, wlab_em_walk, c, &ctx, &err), err);
        wlab_buf_clear(&buf);
        const wlab_em *const other[] = {b, c};
        for (int k = 0; k < 2; k++) {
            assert_memory_equal(wlab_em_W(a), wlab_em_W(other[k]), 3 * D * sizeof(double));
            assert_memory_equal(wlab_em_b(a), wlab_em_b(other[k]), 3 * sizeof(double));
            assert_memory_equal(wlab_em_z(a), wlab_em_z(other[k]), 3 * N * sizeof(double));
            assert_true(wlab_em_objective(a).total == wlab_em_objective(other[k]).total);
        }
    }
    /* an interrupt or a lack of memory leaves the state unchanged */
    atomic_int stop = 1;
    wlab_ctx stopped = {.interrupt = &stop};
    const double f = wlab_em_objective(a).total;
    ASSERT_FAILS(wlab_em_m_step(a, 1e-9, &stopped, &err), WL_EINTERRUPTED, err, "");
    ASSERT_FAILS(wlab_em_e_step(a, 1e-9, &stopped, &err), WL_EINTERRUPTED, err, "");
    assert_true(f == wlab_em_objective(a).total);
    ALLOC_SWEEP_CHECK(wlab_em_m_step(a, 1e-9, NULL, &err), assert_true(f == wlab_em_objective(a).total));
    ALLOC_SWEEP_CHECK(wlab_em_e_step(a, 1e-9, NULL, &err), assert_true(wlab_em_objective(a).total <= f));
    wlab_em_destroy(a);
    wlab_em_destroy(b);
    wlab_em_destroy(c);
    s.q.bag = s.bag;
    s.q.bags = 7;
    ALLOC_SWEEP_OUT(wlab_em_create(&a, &s.q, &err), a);
    ASSERT_OK(wlab_em_set_labels(a, s.label, &err), err);
    ASSERT_OK(wlab_em_m_step(a, 1e-9, NULL, &err), err);
    ALLOC_SWEEP(wlab_em_e_step(a, 1e-9, NULL, &err));
    ALLOC_SWEEP_CHECK(wlab_walk_write(&buf, wlab_em_walk, a, &err), wlab_buf_clear(&buf));
    buf.len -= 1;
    ASSERT_FAILS(wlab_walk_read(&buf, wlab_em_walk, a, NULL, &err), WL_EINPUT, err, "damaged");
    wlab_buf_clear(&buf);
    wlab_em_destroy(a);
    wlab_pool_destroy(pool);
}

static void test_refusals(void **state)
{
    (void)state;
    wlab_err err;
    scene s;
    wlab_em *e = NULL;
    double z[2 * N] = {0};
    make(&s, 2, 4, 0.05, 1);
    wlab_em_problem q = s.q;
    q.lambda = 0;
    ASSERT_FAILS(wlab_em_create(&e, &q, &err), WL_EARG, err, "lambda");
    q = s.q;
    q.intercept = false;
    q.bag = s.bag;
    q.bags = 7;
    ASSERT_FAILS(wlab_em_create(&e, &q, &err), WL_EARG, err, "intercept");
    q.intercept = true;
    q.bags = 2;
    ASSERT_FAILS(wlab_em_create(&e, &q, &err), WL_EARG, err, "bag");
    q = s.q;
    q.P = 3;
    q.hard = s.hard;
    ASSERT_FAILS(wlab_em_create(&e, &q, &err), WL_EARG, err, "two classes");
    q = s.q;
    q.P = 1;
    ASSERT_FAILS(wlab_em_create(&e, &q, &err), WL_EARG, err, "classes");
    s.pi[4] += 1;
    ASSERT_FAILS(wlab_em_create(&e, &s.q, &err), WL_EARG, err, "sum");
    s.pi[4] = -1;
    ASSERT_FAILS(wlab_em_create(&e, &s.q, &err), WL_EARG, err, "weight of row 5");
    make(&s, 2, 4, 0.05, 1);
    s.q.Phi = s.Phi;
    s.Phi[9] = NAN;
    ASSERT_FAILS(wlab_em_create(&e, &s.q, &err), WL_ENUMERIC, err, "row 3");
    s.Phi[9] = 0;
    s.allowed[2] = 4;
    ASSERT_FAILS(wlab_em_create(&e, &s.q, &err), WL_EARG, err, "row 3");
    s.allowed[2] = 1;
    s.label[2] = 0;
    assert_null(e);
    e = create_em(&s);
    s.label[2] = 1;
    ASSERT_FAILS(wlab_em_set_labels(e, s.label, &err), WL_EARG, err, "row 3");
    ASSERT_FAILS(wlab_em_set_z(e, z, &err), WL_EARG, err, "row 1");
    z[0] = -1;
    ASSERT_FAILS(wlab_em_set_z(e, z, &err), WL_EARG, err, "row 1");
    wlab_em_destroy(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_m_step),    cmocka_unit_test(test_cg),
        cmocka_unit_test(test_liblinear), cmocka_unit_test(test_hard),
        cmocka_unit_test(test_e_step),    cmocka_unit_test(test_e_enumeration),
        cmocka_unit_test(test_monotone),  cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

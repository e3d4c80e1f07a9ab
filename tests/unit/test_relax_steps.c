/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The convex relaxation step by step: both inner methods, groups, warm starts, extreme data, threads, snapshots,
 * interrupts, memory.
 */
#include "base/walk.h"
#include "relaxed.h"

static wlab_relax *made(const wlab_relax_problem *q, wlab_relax_inner method, double eps)
{
    wlab_relax *s;
    wlab_err err;
    ASSERT_OK(wlab_relax_create(&s, q, method, eps, NULL, &err), err);
    return s;
}

static wlab_relax_numbers solved(const wlab_relax_problem *q, wlab_relax_inner method, double eps)
{
    wlab_relax *s = made(q, method, eps);
    const wlab_relax_numbers got = relax_run(s, 30000, NULL);
    assert_int_equal(wlab_relax_state(s), WL_RELAX_CONVERGED);
    wlab_relax_destroy(s);
    return got;
}

static void test_methods(void **state)
{
    (void)state;
    for (int variant = 0; variant < 4; variant++) {
        posed p = posed_create(12, 3, 3, variant & 1, variant & 2 ? 3 : 0, true, 41);
        const wlab_relax_numbers a = solved(&p.q, WL_RELAX_NEWTON, 1e-3),
                                 b = solved(&p.q, WL_RELAX_PROXIMAL, 1e-3);
        assert_true(a.cg > 0 && a.fits == 0 && b.cg == 0 && b.fits > 0);
        assert_true(a.lower <= b.upper && b.lower <= a.upper);
        assert_true(fabs(a.upper - b.upper) <= fmax(a.gap, b.gap));
        posed_clear(&p);
    }
}

/* The rows of a class in two groups, and in one. */
static void test_groups(void **state)
{
    (void)state;
    posed p = posed_create(12, 3, 3, true, 6, true, 43);
    const wlab_relax_numbers merged = solved(&p.q, WL_RELAX_NEWTON, 1e-4);
    p.group[4] = (int32_t)p.q.groups; /* of class 1 */
    p.node[p.q.groups++] = -2;
    const wlab_relax_numbers apart = solved(&p.q, WL_RELAX_NEWTON, 1e-4);
    ASSERT_NEAR(merged.upper, apart.upper, 1e-6);
    ASSERT_NEAR(merged.lower, apart.lower, 1e-6);
    posed_clear(&p);
}

static void test_warm(void **state)
{
    static const double path[] = {1, 0.1, 0.02, 0.3};
    (void)state;
    for (int square = 0; square < 2; square++) {
        posed p = posed_create(14, 3, 3, true, 3, true, 47);
        p.q.square = square;
        p.q.lambda = path[0];
        wlab_relax *s = made(&p.q, WL_RELAX_NEWTON, 1e-4);
        wlab_err err;
        for (int k = 0; k < 4; k++) {
            p.q.lambda = path[k];
            ASSERT_OK(wlab_relax_set_lambda(s, path[k], &err), err);
            const wlab_relax_numbers warm = relax_run(s, 30000, NULL);
            assert_int_equal(wlab_relax_state(s), WL_RELAX_CONVERGED);
            const wlab_relax_numbers cold = solved(&p.q, WL_RELAX_NEWTON, 1e-4);
            assert_true(fabs(warm.upper - cold.upper) <= fmax(warm.gap, cold.gap));
        }
        ASSERT_FAILS(wlab_relax_set_lambda(s, 0, &err), WL_EARG, err, "above 0");
        wlab_relax_destroy(s);
        posed_clear(&p);
    }
}

/* Nothing becomes NaN, and bounds are bounds. */
static void test_extremes(void **state)
{
    static const double lambdas[] = {1e-6, 1e-3, 1e3}, factors[] = {1e-8, 1, 1e8};
    (void)state;
    for (int variant = 0; variant < 3 * 3 * 6; variant++) {
        const int kind = variant / 9;
        const int64_t n = kind < 3 ? kind + 1 : 10, labelled = kind == 4 ? 3 : 0;
        posed p = posed_create(n, kind == 5 ? 1 : 2, 3, variant & 1, labelled, false, 53);
        p.q.lambda = lambdas[variant % 3];
        for (int64_t i = 0; i < n * p.q.d; i++)
            p.X[i] *= factors[variant / 3 % 3];
        if (kind == 3) { /* twins, and a row without weight */
            memcpy(p.X + 2 * p.q.d, p.X, (size_t)(2 * p.q.d) * sizeof *p.X);
            p.pi[5] = 0;
            p.pi[6] = 0.2;
        }
        if (kind == 5) /* uninformative features */
            memset(p.X, 0, (size_t)(n * p.q.d) * sizeof *p.X);
        wlab_relax *s = made(&p.q, WL_RELAX_NEWTON, 1e-2);
        wlab_err err;
        for (int u = 0; u < 400 && wlab_relax_state(s) == WL_RELAX_GOING; u++) {
            bool outer;
            ASSERT_OK(wlab_relax_advance(s, &outer, NULL, &err), err);
            const wlab_relax_numbers now = wlab_relax_get(s);
            assert_false(isnan(now.upper) || isnan(now.lower) || isnan(now.t) || isnan(now.lambda_min));
            assert_true(now.outer == 0 || now.lower <= now.upper + 1e-9);
            assert_true(fabs(wlab_relax_entry(s, 0, n - 1)) <= 1 + 1e-9);
        }
        wlab_relax_destroy(s);
        posed_clear(&p);
    }
}

static void test_threads(void **state)
{
    wlab_pool *pool;
    wlab_err err;
    (void)state;
    ASSERT_OK(wlab_pool_create(&pool, 3, &err), err);
    wlab_ctx ctx = {.pool = pool};
    for (int method = 0; method < 2; method++) {
        posed p = posed_create(70, 3, 3, true, 6, true, 59);
        wlab_relax *a = made(&p.q, (wlab_relax_inner)method, 1e-2),
                   *b = made(&p.q, (wlab_relax_inner)method, 1e-2);
        bool outer;
        for (int u = 0; u < 12; u++) {
            ASSERT_OK(wlab_relax_advance(a, &outer, NULL, &err), err);
            ASSERT_OK(wlab_relax_advance(b, &outer, &ctx, &err), err);
            assert_same_solver(a, b);
        }
        wlab_relax_destroy(a);
        wlab_relax_destroy(b);
        posed_clear(&p);
    }
    wlab_pool_destroy(pool);
}

/* As many nodes as threads are used for, or as trials are computed for in single precision: the same bits with any number
 * of threads, in forward steps and after a snapshot; the smallest eigenvalue of the certificate is LAPACK's. */
static void check_large(int n, int64_t d, int64_t labelled, int steps)
{
    wlab_err err;
    posed p = posed_create(n, d, 3, true, labelled, true, 5);
    const int64_t M = p.q.nodes;
    wlab_ctx one = {0}, three = {0};
    double *A = malloc((size_t)(M * M) * sizeof *A), *value = malloc((size_t)M * sizeof *value);
    int near = 0;
    assert_true(A && value);
    ASSERT_OK(wlab_pool_create(&three.pool, 3, &err), err);
    wlab_relax *a = made(&p.q, WL_RELAX_NEWTON, 1e-2), *b = made(&p.q, WL_RELAX_NEWTON, 1e-2),
               *c = made(&p.q, WL_RELAX_NEWTON, 1e-2);
    while (wlab_relax_state(a) == WL_RELAX_GOING && wlab_relax_get(a).outer < steps) {
        bool outer, other, third;
        wlab_buf buf = {0};
        ASSERT_OK(wlab_walk_write(&buf, wlab_relax_walk, a, &err), err);
        ASSERT_OK(wlab_walk_read(&buf, wlab_relax_walk, c, NULL, &err), err);
        wlab_buf_clear(&buf);
        ASSERT_OK(wlab_relax_advance(a, &outer, &one, &err), err);
        ASSERT_OK(wlab_relax_advance(b, &other, &three, &err), err);
        ASSERT_OK(wlab_relax_advance(c, &third, &one, &err), err);
        assert_true(outer == other && outer == third);
        assert_same_solver(a, b);
        assert_same_solver(a, c);
        if (!outer)
            continue;
        relax_slack_matrix(a, &a->at, A, NULL);
        assert_int_equal(LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'L', (lapack_int)M, A, (lapack_int)M, value),
                         0);
        const double scale = fmax(fabs(value[0]), fabs(value[M - 1]));
        ASSERT_NEAR(wlab_relax_get(a).lambda_min, value[0], 1e-13 * scale);
        assert_true(wlab_relax_get(a).lower <= wlab_relax_get(a).upper);
        double sum = 0;
        int64_t known;
        const double *leading = wlab_relax_eigenvalues(a, &known);
        relax_gram(&three, false, M, a->now.r, 1, a->now.V, a->now.r, A);
        assert_int_equal(LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'L', (lapack_int)M, A, (lapack_int)M, value),
                         0);
        for (int64_t k = 0; k < known; k++) {
            sum += leading[k];
            ASSERT_NEAR(leading[k], fmax(value[M - 1 - k], 0), known < M ? 0.01 * leading[k] : 1e-9);
        }
        assert_true(known >= 2 && sum <= (double)M * (1 + 1e-9));
        near += a->logged && relax_is_near(a, &a->now);
    }
    assert_true((near > 0) == (M >= 1024));
    assert_true(M >= 1024 || wlab_relax_state(a) == WL_RELAX_CONVERGED);
    wlab_relax_destroy(a);
    wlab_relax_destroy(b);
    wlab_relax_destroy(c);
    wlab_pool_destroy(three.pool);
    free(A);
    free(value);
    posed_clear(&p);
}

static void test_large(void **state)
{
    (void)state;
    check_large(270, 2, 0, 100);
    check_large(1040, 2, 10, 3); /* with a block */
    if (!SANITIZED)
        check_large(1040, 12, 0, 2); /* with features that are not few */
}

/* A point whose log Y is known to first order, here with a larger error, from which a step in double precision is rejected
 * however short it is: then log Y is computed from a decomposition, also after a snapshot. */
static void test_near_rejected(void **state)
{
    wlab_err err;
    bool outer = false, again;
    posed p = posed_create(1040, 2, 3, true, 0, true, 5);
    wlab_relax *a = made(&p.q, WL_RELAX_NEWTON, 1e-7), *b = made(&p.q, WL_RELAX_NEWTON, 1e-7);
    wlab_pool *pool;
    wlab_buf buf = {0};
    const int64_t M = p.q.nodes;
    (void)state;
    ASSERT_OK(wlab_pool_create(&pool, 2, &err), err);
    wlab_ctx ctx = {.pool = pool};
    while (a->outer < 3 || !relax_is_near(a, &a->now))
        ASSERT_OK(wlab_relax_advance(a, &outer, &ctx, &err), err);
    double *H = malloc((size_t)(M * M) * sizeof *H);
    assert_non_null(H);
    relax_slack_matrix(a, &a->at, H, &ctx);
    for (int64_t i = 0; i < M * M; i++) /* uphill */
        a->logY[i] += 0.3 / a->t * H[i];
    free(H);
    a->best = a->now.f + a->at.slack - 1e-4 * fabs(a->now.f);
    a->t *= 1e6;
    for (outer = false; !outer && !a->exact;)
        ASSERT_OK(wlab_relax_advance(a, &outer, &ctx, &err), err);
    assert_true(a->exact && !a->logged);
    ASSERT_OK(wlab_walk_write(&buf, wlab_relax_walk, a, &err), err);
    ASSERT_OK(wlab_walk_read(&buf, wlab_relax_walk, b, &ctx, &err), err);
    wlab_buf_clear(&buf);
    for (outer = false; !outer;) {
        ASSERT_OK(wlab_relax_advance(a, &outer, &ctx, &err), err);
        ASSERT_OK(wlab_relax_advance(b, &again, &ctx, &err), err);
        assert_int_equal(outer, again);
        assert_same_solver(a, b);
    }
    assert_int_not_equal(wlab_relax_state(a), WL_RELAX_STALLED);
    wlab_relax_destroy(a);
    wlab_relax_destroy(b);
    wlab_pool_destroy(pool);
    posed_clear(&p);
}

/* Whatever byte of a small snapshot is changed, the state remains valid. */
static void test_damaged(void **state)
{
    wlab_err err;
    posed p = posed_create(14, 3, 3, true, 3, true, 61);
    wlab_relax *a = made(&p.q, WL_RELAX_NEWTON, 1e-5), *b = made(&p.q, WL_RELAX_NEWTON, 1e-5);
    wlab_buf buf = {0};
    bool outer;
    (void)state;
    for (int u = 0; u < 9; u++)
        ASSERT_OK(wlab_relax_advance(a, &outer, NULL, &err), err);
    ASSERT_OK(wlab_walk_write(&buf, wlab_relax_walk, a, &err), err);
    const size_t most = buf.len < 700 ? buf.len : 700; /* the rest is numbers */
    for (size_t at = 0; at < most; at++) {
        const unsigned char was = buf.data[at];
        buf.data[at] = was ^ 1;
        buf.pos = 0;
        (void)wlab_walk_read(&buf, wlab_relax_walk, b, NULL, &err);
        buf.data[at] = was;
        buf.pos = 0;
        ASSERT_OK(wlab_walk_read(&buf, wlab_relax_walk, b, NULL, &err), err);
        assert_same_solver(a, b);
    }
    wlab_buf_clear(&buf);
    wlab_relax_destroy(a);
    wlab_relax_destroy(b);
    posed_clear(&p);
}

static void random_rotation(wlab_rng *rng, int64_t n, double *Q)
{
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++)
            Q[i * n + j] = wlab_rng_normal(rng);
        for (int64_t k = 0; k < i; k++) {
            const double dot = relax_dot(Q + i * n, Q + k * n, n);
            for (int64_t j = 0; j < n; j++)
                Q[i * n + j] -= dot * Q[k * n + j];
        }
        const double length = sqrt(relax_dot(Q + i * n, Q + i * n, n));
        for (int64_t j = 0; j < n; j++)
            Q[i * n + j] /= length;
    }
}

/* out = Q' Diag(f(value)) Q for the rows of Q; f: log, exp or the identity. */
static void compose(const double *Q, const double *value, int64_t n, double (*f)(double), double *out)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            out[i * n + j] = 0;
            for (int64_t k = 0; k < n; k++)
                out[i * n + j] += Q[k * n + i] * Q[k * n + j] * (f ? f(value[k]) : value[k]);
        }
}

/* The largest error of relax_near_log for V = D W'Diag(f), log D `size` times a given matrix, against the logarithm of
 * D exp(A) D, in which the eigenvalues of A that V leaves out are `floor`. */
static double near_error(wlab_relax *s, double size)
{
    enum {
        N = 14,
        LEFT_OUT = 3
    };
    const double floor = -9;
    const int64_t k = s->block, r = N - LEFT_OUT;
    relax_point *p = &s->now;
    double W[N * N], a[N], D[N * N] = {0}, E[N * N], Y[N * N], small[N * N], some[N], T[N * N], worst = 0;
    wlab_rng rng;
    wlab_err err;
    assert_int_equal(s->nodes, N);
    wlab_rng_seed(&rng, 3);
    random_rotation(&rng, N, W);
    for (int64_t i = 0; i < N; i++)
        a[i] = i < LEFT_OUT ? floor : floor + 9.0 * (double)(i - LEFT_OUT) / (double)(r - 1);
    random_rotation(&rng, k, small);
    double mean = 0;
    for (int64_t i = 0; i < k; i++) {
        some[i] = size * (wlab_rng_uniform(&rng) - 0.3);
        mean += some[i] / N;
    }
    compose(small, some, k, exp, p->root);
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < k; j++)
            D[i * N + j] = p->root[i * k + j];
    for (int64_t i = k; i < N; i++) {
        p->length[i] = exp(-size * (wlab_rng_uniform(&rng) - 0.3));
        D[i * N + i] = 1 / p->length[i];
    }
    p->r = r;
    for (int64_t j = 0; j < r; j++)
        p->f_of[j] = exp(a[LEFT_OUT + j] / 2);
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < r; j++) {
            p->V[i * r + j] = 0;
            for (int64_t l = 0; l < N; l++)
                p->V[i * r + j] += D[i * N + l] * W[(LEFT_OUT + j) * N + l] * p->f_of[j];
        }
    compose(W, a, N, exp, E);
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < N; j++)
            T[i * N + j] = relax_dot(D + i * N, E + j * N, N);
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < N; j++)
            Y[i * N + j] = relax_dot(T + i * N, D + j * N, N);
    assert_int_equal(LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'L', N, Y, N, some), 0);
    compose(Y, some, N, log, E);
    for (int64_t i = k; i < N; i++)
        mean -= log(p->length[i]) / N;
    ASSERT_OK(relax_near_log(s, p, floor + 2 * mean, NULL, &err), err);
    for (int64_t i = 0; i < N * N; i++)
        worst = fmax(worst, fabs(s->logY[i] - E[i]));
    return worst;
}

/* Without D nothing is left but rounding errors of single precision; else the error falls with the square of log D. */
static void test_near_log(void **state)
{
    (void)state;
    for (int labelled = 0; labelled < 7; labelled += 6) {
        posed p = posed_create(labelled ? 18 : 14, 2, 3, true, labelled, false, 7);
        wlab_relax *s = made(&p.q, WL_RELAX_NEWTON, 1e-2);
        assert_true(near_error(s, 0) < 1e-4);
        const double large = near_error(s, 0.2), half = near_error(s, 0.1);
        assert_true(half > 3e-4 && large > 3 * half && large < 5 * half);
        wlab_relax_destroy(s);
        posed_clear(&p);
    }
}

static void test_snapshot(void **state)
{
    (void)state;
    for (int variant = 0; variant < 4; variant++) {
        posed p = posed_create(14, 3, 3, true, 3, true, 61);
        wlab_err err;
        bool outer;
        p.q.square = variant == 2;
        p.q.pair = p.pair;
        if (variant == 3) {
            p.pair[p.q.pairs++] = (wlab_relax_pair){p.group[5], p.group[6], -0.5};
            p.pair[p.q.pairs++] = (wlab_relax_pair){p.group[7], 1, -0.5};
        }
        const wlab_relax_inner method = variant == 1 ? WL_RELAX_PROXIMAL : WL_RELAX_NEWTON;
        for (int at = 0; at < 12; at++) {
            wlab_relax *a = made(&p.q, method, 1e-5), *b = made(&p.q, method, 1e-3);
            wlab_buf buf = {0};
            ASSERT_OK(wlab_relax_set_lambda(a, 0.05, &err), err);
            for (int u = 0; u < at; u++)
                ASSERT_OK(wlab_relax_advance(a, &outer, NULL, &err), err);
            ALLOC_SWEEP_CHECK(wlab_walk_write(&buf, wlab_relax_walk, a, &err), wlab_buf_clear(&buf));
            ASSERT_OK(wlab_walk_read(&buf, wlab_relax_walk, b, NULL, &err), err);
            assert_same_solver(a, b);
            for (int u = 0; u < 8; u++) {
                bool other;
                ASSERT_OK(wlab_relax_advance(a, &outer, NULL, &err), err);
                ASSERT_OK(wlab_relax_advance(b, &other, NULL, &err), err);
                assert_int_equal(outer, other);
                assert_same_solver(a, b);
            }
            buf.pos = 0;
            buf.len -= 8;
            ASSERT_FAILS(wlab_walk_read(&buf, wlab_relax_walk, b, NULL, &err), WL_EINPUT, err, "damaged");
            /* back to the snapshot from later steps */
            wlab_buf again = {0};
            buf.pos = 0;
            buf.len += 8;
            ASSERT_OK(wlab_walk_read(&buf, wlab_relax_walk, b, NULL, &err), err);
            ASSERT_OK(wlab_walk_write(&again, wlab_relax_walk, b, &err), err);
            assert_int_equal(again.len, buf.len);
            assert_memory_equal(again.data, buf.data, buf.len);
            wlab_buf_clear(&again);
            wlab_buf_clear(&buf);
            wlab_relax_destroy(a);
            wlab_relax_destroy(b);
        }
        posed_clear(&p);
    }
}

/* An interrupted step changes nothing, and gives the same result when it is repeated. */
static void test_interrupt(void **state)
{
    atomic_int flag = 1;
    wlab_ctx ctx = {.interrupt = &flag};
    wlab_err err;
    (void)state;
    for (int method = 0; method < 2; method++) {
        posed p = posed_create(14, 3, 3, true, 3, true, 67);
        wlab_relax *a = made(&p.q, (wlab_relax_inner)method, 1e-3),
                   *b = made(&p.q, (wlab_relax_inner)method, 1e-3);
        int stopped = 0;
        for (int u = 0; u < 60 && wlab_relax_state(a) == WL_RELAX_GOING; u++) {
            bool outer, other;
            ASSERT_OK(wlab_relax_advance(a, &outer, NULL, &err), err);
            const wlab_relax_numbers before = wlab_relax_get(b);
            wlab_code code = wlab_relax_advance(b, &other, &ctx, &err);
            if (code) { /* not every step checks for an interrupt */
                assert_int_equal(code, WL_EINTERRUPTED);
                const wlab_relax_numbers after = wlab_relax_get(b);
                assert_memory_equal(&before, &after, sizeof before);
                stopped++;
                ASSERT_OK(wlab_relax_advance(b, &other, NULL, &err), err);
            }
            assert_int_equal(outer, other);
            assert_same_solver(a, b);
        }
        assert_true(stopped > 5);
        wlab_relax_destroy(a);
        wlab_relax_destroy(b);
        posed_clear(&p);
    }
}

/* Rows with two candidates of four classes each: all steps keep the prescribed products, and the gap closes. */
static void test_links(void **state)
{
    enum {
        N = 32,
        P = 4
    };
    (void)state;
    for (int variant = 0; variant < 8; variant++) {
        const bool simplex = variant & 1;
        posed p = posed_create(N, 3, P, simplex, P, true, 79);
        wlab_relax_pair pair[N * P];
        int label[N];
        double best = INFINITY, lower = -INFINITY;
        wlab_rng rng;
        wlab_err err;
        for (int i = P; i < N; i++)
            for (int c = 0; c < P; c++)
                if (c != i % P && c != (i + 1 + i / P % 3) % P)
                    pair[p.q.pairs++] = (wlab_relax_pair){c, p.group[i], simplex ? -1.0 / (P - 1) : 0};
        p.q.pair = pair;
        p.q.lambda = variant & 2 ? 0.01 : 0.1;
        p.q.square = variant & 4;
        wlab_rng_seed(&rng, 5);
        for (int k = 0; k < 10 && !p.q.square;
             k++) { /* the rows' own classes, then others that are allowed */
            for (int i = 0; i < N; i++)
                label[i] = i >= P && k > 0 && wlab_rng_below(&rng, 2) ? (i + 1 + i / P % 3) % P : i % P;
            best = fmin(best, labeling_value(&p.q, label));
        }
        wlab_relax *s = made(&p.q, WL_RELAX_NEWTON, 2e-3);
        for (int u = 0; u < 4000 && wlab_relax_state(s) == WL_RELAX_GOING; u++) {
            bool outer;
            ASSERT_OK(wlab_relax_advance(s, &outer, NULL, &err), err);
            const wlab_relax_numbers now = wlab_relax_get(s);
            if (!outer)
                continue;
            assert_true(now.violation <= 1e-8 && now.lower >= lower);
            assert_true(now.lower <= now.upper + 1e-7 && now.lower <= best);
            lower = now.lower;
        }
        assert_int_equal(wlab_relax_state(s), WL_RELAX_CONVERGED);
        wlab_relax_destroy(s);
        posed_clear(&p);
    }
}

static void assert_state(const wlab_relax *s, const wlab_buf *expected)
{
    wlab_buf now = {0};

    assert_int_equal(wlab_walk_write(&now, wlab_relax_walk, s, NULL), WL_OK);
    assert_int_equal(now.len, expected->len);
    assert_memory_equal(now.data, expected->data, expected->len);
    wlab_buf_clear(&now);
}

static void test_memory(void **state)
{
    posed p = posed_create(6, 2, 3, true, 3, false, 71);
    wlab_relax *s;
    wlab_err err;
    (void)state;
    p.pair[p.q.pairs++] = (wlab_relax_pair){0, p.group[4], -0.5};
    p.pair[p.q.pairs++] = (wlab_relax_pair){p.group[3], p.group[5], -0.5};
    p.q.pair = p.pair;
    for (int square = 0; square < 2; square++) {
        p.q.square = square;
        ALLOC_SWEEP_OUT(wlab_relax_create(&s, &p.q, WL_RELAX_NEWTON, 1e-2, NULL, &err), s);
        relax_run(s, 1000, NULL);
        int64_t known;
        const double *value = wlab_relax_eigenvalues(s, &known);
        double sum = 0;
        assert_int_equal(known, p.q.nodes);
        for (int64_t k = 0; k < p.q.nodes; k++) {
            assert_true(value[k] >= 0 && (k == 0 || value[k - 1] >= value[k]));
            sum += value[k];
        }
        assert_true(fabs(sum - (double)p.q.nodes) <= 1e-9);
        /* read a snapshot with another lambda: all of it or nothing */
        wlab_buf was = {0}, now = {0};
        ASSERT_OK(wlab_walk_write(&was, wlab_relax_walk, s, &err), err);
        ALLOC_SWEEP(wlab_relax_set_lambda(s, 0.2, &err));
        ASSERT_OK(wlab_walk_write(&now, wlab_relax_walk, s, &err), err);
        was.len -= 8; /* cut off: nothing is read */
        ASSERT_FAILS(wlab_walk_read(&was, wlab_relax_walk, s, NULL, &err), WL_EINPUT, err, "damaged");
        was.len += 8;
        was.pos = 0;
        assert_state(s, &now);
        ALLOC_SWEEP_CHECK(wlab_walk_read(&was, wlab_relax_walk, s, NULL, &err),
                          (assert_state(s, &now), was.pos = 0));
        assert_state(s, &was);
        wlab_buf_clear(&was);
        wlab_buf_clear(&now);
        wlab_relax_destroy(s);
    }
    posed_clear(&p);
}

static void test_refused(void **state)
{
    posed p = posed_create(6, 2, 2, true, 2, false, 73);
    wlab_relax *s = NULL;
    wlab_err err;
    (void)state;
    p.q.lambda = -1;
    ASSERT_FAILS(wlab_relax_create(&s, &p.q, WL_RELAX_NEWTON, 1e-2, NULL, &err), WL_EARG, err, "lambda");
    p.q.lambda = 1;
    p.X[3] = NAN;
    ASSERT_FAILS(wlab_relax_create(&s, &p.q, WL_RELAX_NEWTON, 1e-2, NULL, &err), WL_ENUMERIC, err, "finite");
    p.X[3] = 0;
    p.pi[0] = 3;
    ASSERT_FAILS(wlab_relax_create(&s, &p.q, WL_RELAX_NEWTON, 1e-2, NULL, &err), WL_EARG, err, "add up");
    p.pi[0] = p.pi[1];
    p.q.pair = p.pair; /* row 4 would be of both classes */
    for (int c = 0; c < 2; c++)
        p.pair[p.q.pairs++] = (wlab_relax_pair){c, p.group[4], 1};
    ASSERT_FAILS(wlab_relax_create(&s, &p.q, WL_RELAX_NEWTON, 1e-2, NULL, &err), WL_EARG, err, "contradict");
    p.pair[1].b = 0;
    ASSERT_FAILS(wlab_relax_create(&s, &p.q, WL_RELAX_NEWTON, 1e-2, NULL, &err), WL_EARG, err,
                 "without a class");
    p.q.pairs = 0;
    p.node[0] = 0; /* of the block */
    ASSERT_FAILS(wlab_relax_create(&s, &p.q, WL_RELAX_NEWTON, 1e-2, NULL, &err), WL_EARG, err, "no node");
    assert_null(s);
    posed_clear(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_methods),       cmocka_unit_test(test_groups),
        cmocka_unit_test(test_warm),          cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_threads),       cmocka_unit_test(test_snapshot),
        cmocka_unit_test(test_large),         cmocka_unit_test(test_near_log),
        cmocka_unit_test(test_near_rejected), cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_interrupt),     cmocka_unit_test(test_links),
        cmocka_unit_test(test_memory),        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

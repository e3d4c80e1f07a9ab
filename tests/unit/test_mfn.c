/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * L2-SVM-MFN with the linear kernel: after every iteration outputs, objective, gradient and gap against long double
 * from w alone; the paper's settings, LIBLINEAR, rows with the costs of two; the line search against the sorted walk
 * of Table 3; partial iterations, snapshots, threads, memory; data that are hard for doubles.
 */
#include "base/walk.h"
#include "support.h"

#include "solve/svm/backend.h"
#include "solve/svm/mfn.h"
#include "weaklab/rng.h"

#include <float.h>

typedef enum kind {
    DENSE,
    SPARSE,
    DUPLICATES,
    HOLES, /* a column of zeros, rows of zeros */
    KINDS
} kind;

typedef enum costs {
    BOTH,   /* any two */
    SINGLE, /* one label per row */
    SOME,   /* a third without any cost */
    COSTS
} costs;

typedef struct problem {
    wlab_matrix *X;
    wlab_mfn *m;
    /* the largest so far: the solver updates its values and so keeps the rounding errors of earlier iterations */
    long double noise;
    char what[120];
} problem;

/* Two clouds; in sparse kinds about a third of the entries are nonzero. */
static wlab_matrix *points(int64_t n, int32_t d, kind k, double scale, wlab_rng *rng)
{
    wlab_err err;
    wlab_matrix *X = NULL;
    const bool sparse = k == SPARSE || k == HOLES;
    double *x = calloc((size_t)n * (size_t)d, sizeof *x);
    assert_non_null(x);
    for (int64_t i = 0; i < n; i++)
        for (int32_t j = 0; j < d; j++) {
            double *at = x + i * d + j;
            *at = wlab_rng_normal(rng) + (i % 2 ? 0.4 : -0.4);
            if (k == DUPLICATES)
                *at = i % 3 == 2 ? *(at - d) : round(*at);
            if ((sparse && wlab_rng_uniform(rng) < 0.65) || (k == HOLES && (j == 1 || i % 7 == 3)))
                *at = 0;
            *at = (float)(*at * scale);
        }
    if (sparse)
        ASSERT_OK(wlab_matrix_create_sparse(&X, n, d, n * d, &err), err);
    else
        ASSERT_OK(wlab_matrix_create_dense(&X, n, d, &err), err);
    for (int64_t i = 0, at = 0; i < n; i++) {
        X->start[i] = sparse ? at : X->start[i];
        for (int32_t j = 0; j < d; j++) {
            if (!sparse)
                X->dense[i * d + j] = x[i * d + j];
            X->nnz += x[i * d + j] != 0 && !sparse;
            if (!sparse || x[i * d + j] == 0)
                continue;
            X->col[at] = j;
            X->val[at++] = (float)x[i * d + j];
            X->len[i]++;
        }
        X->nnz = sparse ? at : X->nnz;
    }
    free(x);
    return X;
}

static void choose_costs(wlab_mfn *m, costs c, wlab_rng *rng)
{
    for (int64_t i = 0; i < m->n; i++) {
        double one = wlab_rng_uniform(rng) / (double)m->n, other = wlab_rng_uniform(rng) / (double)m->n;
        if (c == SINGLE || (c == SOME && i % 3 == 1))
            other = 0;
        if (c == SOME && i % 3 == 2)
            one = other = 0;
        m->pos[i] = i % 2 ? one : other;
        m->neg[i] = i % 2 ? other : one;
    }
}

static problem pose(int64_t n, int32_t d, kind k, costs c, double bias, double lambda, wlab_mfn_mode mode,
                    double eps, wlab_rng *rng)
{
    wlab_err err;
    problem p = {.X = points(n, d, k, 1, rng)};
    snprintf(p.what, sizeof p.what, "n = %lld, d = %d, kind %d, costs %d, bias %g, lambda %g, mode %d",
             (long long)n, (int)d, (int)k, (int)c, bias, lambda, (int)mode);
    ASSERT_OK(wlab_mfn_create(&p.m, p.X, bias, NULL, 0, lambda, mode, eps, &err), err);
    choose_costs(p.m, c, rng);
    return p;
}

static void problem_free(problem *p)
{
    wlab_mfn_destroy(p->m);
    wlab_matrix_destroy(p->X);
}

/* The values that follow from w and the costs alone; noise: a bound on the rounding error of ||g|| in doubles. */
typedef struct truth {
    long double f, norm, gradient, gap, noise;
} truth;

static truth truth_of(problem *p)
{
    const wlab_mfn *m = p->m;
    const int32_t d = p->X->cols;
    truth t = {0};
    long double *g = calloc((size_t)m->dim, sizeof *g), *size = calloc((size_t)m->dim, sizeof *size);
    assert_true(g && size);
    for (int64_t j = 0; j < m->dim; j++) {
        g[j] = (long double)m->lambda * m->w[j];
        size[j] = fabsl(g[j]);
        t.norm += (long double)m->w[j] * m->w[j];
    }
    for (int64_t i = 0; i < m->n; i++) {
        long double o = m->bias > 0 ? (long double)m->bias * m->w[d] : 0, bound = 1 + fabsl(o);
        for (int32_t j = 0; j < d; j++) {
            const long double part = (long double)wlab_matrix_at(p->X, i, j) * m->w[j];
            o += part;
            bound += fabsl(part);
        }
        if (!(fabsl(o - m->o[i]) <= 1e-13L * bound))
            fail_msg("%s: o[%lld] = %.17g instead of %.17Lg, bound %Lg", p->what, (long long)i, m->o[i], o,
                     bound);
        const long double up = fmaxl(0, 1 - o), down = fmaxl(0, 1 + o), z = m->pos[i] * up - m->neg[i] * down;
        const long double most = m->pos[i] * (up + 1e-2L * bound) + m->neg[i] * (down + 1e-2L * bound);
        t.f += (m->pos[i] * up * up + m->neg[i] * down * down) / 2;
        for (int32_t j = 0; j < m->dim; j++) {
            const long double x = j < d ? (long double)wlab_matrix_at(p->X, i, j) : (long double)m->bias;
            g[j] -= x * z;
            size[j] += fabsl(x) * most;
        }
    }
    t.f += m->lambda * t.norm / 2;
    for (int64_t j = 0; j < m->dim; j++) {
        t.gradient += g[j] * g[j];
        t.noise += size[j] * size[j];
    }
    t.gap = t.gradient / (2 * m->lambda);
    t.gradient = sqrtl(t.gradient);
    t.noise = p->noise = fmaxl(p->noise, 1e-13L * sqrtl(t.noise));
    free(g);
    free(size);
    return t;
}

/* Checks that the solver's own numbers agree with the true ones, and in mode WL_MFN_FAST that the gap is within the
 * tolerance once the solver is done. */
static truth certify(problem *p)
{
    const wlab_mfn *m = p->m;
    const truth t = truth_of(p);
    if (!(fabsl(t.norm - m->norm) <= 1e-12L * t.norm + (long double)DBL_MIN))
        fail_msg("%s: ||w||^2 = %.17g instead of %.17Lg", p->what, m->norm, t.norm);
    if (!(fabsl(t.f - m->f) <= 1e-12L * t.f + (long double)DBL_MIN)) /* smaller numbers have fewer digits */
        fail_msg("%s: f = %.17g instead of %.17Lg", p->what, m->f, t.f);
    if (!(fabsl(t.gradient - m->gradient) <= 1e-9L * t.gradient + t.noise))
        fail_msg("%s: gradient %.17g instead of %.17Lg, noise %.3Lg, after %lld iterations", p->what,
                 m->gradient, t.gradient, t.noise, (long long)m->newtons);
    assert_true(fabs(m->gap - m->gradient * m->gradient / (2 * m->lambda)) <= 1e-12 * m->gap);
    if (m->done && m->mode == WL_MFN_FAST) {
        assert_true(m->gap <= m->eps * m->f);
        const long double most = sqrtl(2 * m->lambda * m->eps * t.f) + t.noise;
        if (!(t.gradient <= most * (1 + 1e-9L)))
            fail_msg("%s: done at a gap of %.3Lg f", p->what, t.gap / t.f);
    }
    return t;
}

/* Runs from the current w to the end and checks each iteration. */
static double solve(problem *p, wlab_ctx *ctx)
{
    wlab_err err;
    wlab_mfn *m = p->m;
    double f = HUGE_VAL;
    int64_t newtons = 0;
    wlab_mfn_start(m, NULL);
    (void)truth_of(p);
    for (int k = 0; !m->done && !m->stalled; k++) {
        if (k > 100000 || m->newtons > 201)
            fail_msg("%s: no end", p->what);
        ASSERT_OK(wlab_mfn_iterate(m, ctx, &err), err);
        if (m->newtons == newtons && !m->done)
            continue; /* a part of an iteration */
        newtons = m->newtons;
        (void)certify(p);
        if (!(m->f <= f * (1 + 1e-13)))
            fail_msg("%s: f rose from %.17g to %.17g", p->what, f, m->f);
        f = m->f;
    }
    return m->f;
}

static void must_be_done(const problem *p)
{
    if (!p->m->done)
        fail_msg("%s: stalled after %lld iterations, relative gap %.3g", p->what, (long long)p->m->newtons,
                 p->m->gap / p->m->f);
}

/* Combinations of kinds, costs, sizes and modes (of the large problems only a fifth); then again after changes of
 * costs, which the solver must apply to its stored gradient. */
static void test_every_iteration(void **state)
{
    (void)state;
    static const double lambdas[] = {1e-5, 1e-3, 0.1, 10};
    static const int64_t rows[] = {1, 2, 9, 60, 150};
    static const int32_t cols[] = {1, 4, 23, 200};
    wlab_rng rng;
    wlab_rng_seed(&rng, 1);
    uint8_t sort[150];
    for (int c = 0; c < 5 * 4 * KINDS * COSTS * 4 * 2; c++) {
        int at = c;
        const wlab_mfn_mode mode = at % 2 ? WL_MFN_PAPER : WL_MFN_FAST;
        const double lambda = lambdas[(at /= 2) % 4];
        const costs which = (costs)((at /= 4) % COSTS);
        const kind k = (kind)((at /= COSTS) % KINDS);
        const int32_t d = cols[(at /= KINDS) % 4];
        const int64_t n = rows[(at / 4) % 5];
        const double bias = c % 3 == 0 ? 0 : c % 3;
        if ((n * d > 9 * 200 && c % 5) || (k == DUPLICATES && n < 3))
            continue;
        problem p = pose(n, d, k, which, bias, lambda, mode, c % 7 ? 1e-6 : 1e-12, &rng);
        (void)solve(&p, NULL);
        if (c % 7 && mode == WL_MFN_FAST)
            must_be_done(&p);
        assert_true(p.m->gap <=
                    1e-3 * p.m->f); /* the paper's mode ends after at most 50 iterations, at any gap */
        for (int64_t i = 0; i < n; i += 4)
            wlab_mfn_set_costs(p.m, i, p.m->neg[i], 0.5 * p.m->pos[i]);
        for (int64_t i = 0; i < n; i++)
            sort[i] = i % 3 == 0;
        (void)solve(&p, NULL);
        wlab_mfn_scale(p.m, sort, 2);
        (void)solve(&p, NULL);
        wlab_mfn_scale(p.m, sort, 0.1);
        for (int64_t i = 1; i < n; i += 5)
            wlab_mfn_set_costs(p.m, i, 0, p.m->pos[i]);
        if (n > 1)
            wlab_mfn_set_costs(p.m, 0, 0, 0);
        (void)solve(&p, NULL);
        if (c % 7 && mode == WL_MFN_FAST)
            must_be_done(&p);
        problem_free(&p);
    }
}

/* Thousands of small changes, none of which recomputes the gradient or the outputs. */
static void test_drift(void **state)
{
    (void)state;
    wlab_err err;
    wlab_rng rng;
    wlab_rng_seed(&rng, 2);
    for (int b = 0; b < 2; b++) {
        problem p = pose(120, 30, b ? SPARSE : DENSE, SINGLE, b, 1e-3, WL_MFN_FAST, 1e-9, &rng);
        uint8_t sort[120];
        (void)solve(&p, NULL);
        for (int64_t i = 0; i < 120; i++)
            sort[i] = i >= 60;
        for (int round = 0; round < 3000; round++) {
            const int64_t i = (int64_t)wlab_rng_below(&rng, 120);
            if (round % 100 == 99)
                wlab_mfn_scale(p.m, sort, round % 200 == 99 ? 2 : 0.5);
            wlab_mfn_set_costs(p.m, i, p.m->neg[i], p.m->pos[i]);
            wlab_mfn_start(p.m, NULL);
            while (!p.m->done && !p.m->stalled)
                ASSERT_OK(wlab_mfn_iterate(p.m, NULL, &err), err);
            assert_true(p.m->done);
            if (round % 50 == 0)
                (void)certify(&p);
        }
        (void)certify(&p);
        problem_free(&p);
    }
}

static void test_paper(void **state)
{
    (void)state;
    wlab_rng rng;
    for (int c = 0; c < 36; c++) {
        double f[2];
        for (int mode = 0; mode < 2; mode++) {
            wlab_rng_seed(&rng, (uint64_t)c);
            problem p = pose(90, c % 2 ? 12 : 150, (kind)(c % KINDS), (costs)(c % COSTS), c % 5 == 0 ? 0 : 1,
                             c % 3 ? 1e-3 : 0.1, mode ? WL_MFN_PAPER : WL_MFN_FAST, 1e-10, &rng);
            f[mode] = solve(&p, NULL);
            must_be_done(&p);
            problem_free(&p);
        }
        if (!(fabs(f[0] / f[1] - 1) < 1e-6))
            fail_msg("%d: %.12g, with the paper's settings %.12g", c, f[0], f[1]);
    }
}

/* LIBLINEAR minimises 1/2 ||w||^2 + C sum max(0, 1 - y o)^2; here C = cost / (2 lambda).  A row with a higher cost is
 * given to LIBLINEAR several times. */
static void test_liblinear(void **state)
{
    (void)state;
    wlab_err err;
    wlab_rng rng;
    wlab_rng_seed(&rng, 3);
    for (int c = 0; c < 8; c++) {
        enum {
            N = 120
        };
        const bool repeated = c & 4;
        const double lambda = c & 1 ? 0.05 : 0.005, bias = c & 2 ? 1.5 : 0;
        problem p = pose(N, 15, c & 1 ? SPARSE : DENSE, SINGLE, bias, lambda, WL_MFN_FAST, 1e-10, &rng);
        int32_t pick[3 * N];
        int8_t y[3 * N];
        int64_t n = 0;
        for (int32_t i = 0; i < N; i++) {
            const int times = repeated ? i % 3 + 1 : 1; /* a cost of `times`/N */
            p.m->pos[i] = i % 2 ? (double)times / (double)N : 0;
            p.m->neg[i] = i % 2 ? 0 : (double)times / (double)N;
            for (int k = 0; k < times; k++, n++) {
                pick[n] = i;
                y[n] = i % 2 ? 1 : -1;
            }
        }
        const double f = solve(&p, NULL), C = 1 / (2 * lambda * (double)N);
        double w[15], b = 0, theirs = 0;
        must_be_done(&p);
        ASSERT_OK(wlab_liblinear_solve(p.X, pick, y, n, true, C, C, bias, 1e-9, 1, w, &b, NULL, &err), err);
        for (int j = 0; j < 15; j++)
            theirs += 0.5 * w[j] * w[j];
        theirs += bias > 0 ? 0.5 * (b / bias) * (b / bias) : 0;
        for (int64_t k = 0; k < n; k++) {
            const double slack = fmax(0, 1 - y[k] * (wlab_matrix_row_dot(p.X, pick[k], w) + b));
            theirs += C * slack * slack;
        }
        if (!(fabs(lambda * theirs / f - 1) < 1e-6))
            fail_msg("%s: %.12g, LIBLINEAR %.12g", p.what, f, lambda * theirs);
        for (int j = 0; j < 15; j++)
            assert_true(fabs(w[j] - p.m->w[j]) < 1e-3);
        problem_free(&p);
    }
}

/* A row with both costs acts like two rows with one cost each. */
static void test_both_costs(void **state)
{
    (void)state;
    wlab_err err;
    wlab_rng rng;
    wlab_rng_seed(&rng, 4);
    enum {
        N = 70
    };
    for (int c = 0; c < 8; c++) {
        problem p = pose(N, 11, (kind)(c % KINDS), BOTH, c & 4 ? 1 : 0, 0.004, WL_MFN_FAST, 1e-12, &rng),
                q = p;
        int32_t pick[2 * N];
        for (int32_t i = 0; i < 2 * N; i++)
            pick[i] = i / 2;
        ASSERT_OK(wlab_matrix_rows(&q.X, p.X, pick, 2 * N, &err), err);
        ASSERT_OK(wlab_mfn_create(&q.m, q.X, p.m->bias, NULL, 0, 0.004, WL_MFN_FAST, 1e-12, &err), err);
        for (int64_t i = 0; i < N; i++) {
            q.m->pos[2 * i] = p.m->pos[i];
            q.m->neg[2 * i + 1] = p.m->neg[i];
        }
        const double one = solve(&p, NULL), two = solve(&q, NULL);
        ASSERT_NEAR(one / two, 1, 1e-11);
        for (int64_t i = 0; i < N; i++)
            assert_true(fabs(p.m->o[i] - q.m->o[2 * i]) < 1e-4);
        problem_free(&q);
        problem_free(&p);
    }
}

/* ---- the line search ---- */

static long double slope_at(const wlab_mfn *m, double slope0, double curve0, const double *e,
                            long double delta)
{
    long double slope = slope0 + delta * curve0;
    for (int64_t i = 0; i < m->n; i++) {
        const long double o = m->o[i] + delta * e[i];
        slope -= (m->pos[i] * fmaxl(0, 1 - o) - m->neg[i] * fmaxl(0, 1 + o)) * e[i];
    }
    return slope;
}

static int ascending(const void *a, const void *b)
{
    const long double x = *(const long double *)a, y = *(const long double *)b;
    return (x > y) - (x < y);
}

/* Table 3 literally: visits all breakpoints in order, up to the first piece that ends at or above 0. */
static long double walk(const wlab_mfn *m, double slope0, double curve0, const double *e)
{
    long double *at = calloc((size_t)(2 * m->n + 1), sizeof *at), left = 0, root;
    int64_t many = 0, k = 0;
    assert_non_null(at);
    for (int64_t i = 0; i < m->n; i++)
        for (int side = -1; side <= 1; side += 2) {
            const long double delta = ((long double)side - m->o[i]) / e[i];
            if (e[i] != 0 && delta > 0)
                at[many++] = delta;
        }
    qsort(at, (size_t)many, sizeof *at, ascending);
    while (k < many && slope_at(m, slope0, curve0, e, at[k]) < 0)
        left = at[k++];
    const long double right = k < many ? at[k] : left + 1, a = slope_at(m, slope0, curve0, e, left),
                      b = slope_at(m, slope0, curve0, e, right);
    root = left - a * (right - left) / (b - a);
    free(at);
    return root;
}

static void test_line_search(void **state)
{
    (void)state;
    wlab_rng rng;
    wlab_rng_seed(&rng, 5);
    int walked = 0;
    for (int c = 0; c < 600; c++) {
        problem p = pose(1 + c % 90, 5, (kind)(c % 2), (costs)(c % COSTS), 0, pow(10, c % 7 - 5), WL_MFN_FAST,
                         1e-6, &rng);
        wlab_mfn *m = p.m;
        double slope0 = 0, curve0 = 0;
        for (int j = 0; j < 5; j++) {
            m->w[j] = wlab_rng_normal(&rng);
            m->s[j] = wlab_rng_normal(&rng) * pow(10, c % 5 - 2);
        }
        wlab_mfn_outputs(m, NULL);
        for (int64_t i = 0; i < m->n; i++)
            m->e[i] = wlab_matrix_row_dot(p.X, i, m->s);
        for (int j = 0; j < 5; j++)
            slope0 += m->lambda * m->w[j] * m->s[j];
        if (slope_at(m, slope0, 0, m->e, 0) > 0) { /* downhill */
            slope0 = -slope0;
            for (int64_t i = 0; i < m->n; i++)
                m->e[i] = -m->e[i];
        }
        for (int j = 0; j < 5; j++)
            curve0 += m->lambda * m->s[j] * m->s[j];
        const double delta = wlab_mfn_line_search(m, slope0, curve0, m->e, NULL);
        const long double root = walk(m, slope0, curve0, m->e);
        if (!(fabsl(delta - root) <= 1e-10L * root))
            fail_msg("case %d: delta %.17g instead of %.17Lg", c, delta, root);
        assert_true(slope_at(m, slope0, curve0, m->e, delta * (1 - 1e-9)) <= 0);
        assert_true(slope_at(m, slope0, curve0, m->e, delta * (1 + 1e-9)) >= 0);
        walked += fabs(delta - 1) > 0.5;
        problem_free(&p);
    }
    assert_true(walked > 100);
}

/* ---- partial iterations, snapshots, threads, memory ---- */

static wlab_mfn *restored_solver(const problem *p, wlab_mfn_mode mode, const wlab_buf *buf)
{
    wlab_err err;
    wlab_mfn *m = NULL;
    wlab_buf from = *buf;
    from.pos = 0;
    ASSERT_OK(wlab_mfn_create(&m, p->X, p->m->bias, NULL, 0, p->m->lambda, mode, p->m->eps, &err), err);
    memcpy(m->pos, p->m->pos, (size_t)m->n * 8);
    memcpy(m->neg, p->m->neg, (size_t)m->n * 8);
    ASSERT_OK(wlab_walk_read(&from, wlab_mfn_walk, m, NULL, &err), err);
    assert_true(from.pos == from.len);
    return m;
}

/* One CG iteration per call, with a new solver restored after each, gives the bits of a single call. */
static void test_pieces(void **state)
{
    (void)state;
    wlab_err err;
    wlab_rng rng;
    for (int c = 0; c < 8; c++) {
        const wlab_mfn_mode mode = c & 1 ? WL_MFN_PAPER : WL_MFN_FAST;
        problem p[2];
        int64_t halves = 0;
        for (int side = 0; side < 2; side++) {
            wlab_rng_seed(&rng, 6);
            p[side] = pose(80, 25, c & 2 ? SPARSE : DENSE, BOTH, c & 4 ? 1 : 0, 1e-3, mode, 1e-9, &rng);
        }
        p[1].m->piece = 0;
        for (int round = 0; round < 3; round++) {
            for (int side = 0; side < 2; side++)
                for (int64_t i = round; i < 80; i += 3)
                    wlab_mfn_set_costs(p[side].m, i, p[side].m->neg[i], p[side].m->pos[i]);
            (void)solve(&p[0], NULL);
            wlab_mfn_start(p[1].m, NULL);
            while (!p[1].m->done && !p[1].m->stalled) {
                wlab_buf buf = {0};
                ASSERT_OK(wlab_mfn_iterate(p[1].m, NULL, &err), err);
                halves += p[1].m->in_cg;
                assert_int_equal(wlab_walk_write(&buf, wlab_mfn_walk, p[1].m, &err), WL_OK);
                wlab_mfn *m = restored_solver(&p[1], mode, &buf);
                wlab_buf_clear(&buf);
                m->piece = 0;
                wlab_mfn_destroy(p[1].m);
                p[1].m = m;
            }
            const wlab_mfn *a = p[0].m, *b = p[1].m;
            assert_memory_equal(a->w, b->w, (size_t)a->dim * 8);
            assert_memory_equal(a->o, b->o, (size_t)a->n * 8);
            assert_memory_equal(a->g, b->g, (size_t)a->dim * 8);
            assert_true(a->f == b->f && a->gap == b->gap && a->norm == b->norm && a->gradient == b->gradient);
            assert_true(a->newtons == b->newtons && a->cg == b->cg && a->done == b->done);
        }
        assert_true(halves > 20);
        problem_free(&p[0]);
        problem_free(&p[1]);
    }
}

static void test_damaged(void **state)
{
    (void)state;
    wlab_err err;
    wlab_rng rng;
    wlab_rng_seed(&rng, 7);
    problem p = pose(12, 5, DENSE, BOTH, 1, 1e-3, WL_MFN_FAST, 1e-9, &rng);
    wlab_buf buf = {0};
    p.m->piece = 0;
    wlab_mfn_start(p.m, NULL);
    ASSERT_OK(wlab_mfn_iterate(p.m, NULL, &err), err);
    assert_true(p.m->in_cg);
    ALLOC_SWEEP_CHECK(wlab_walk_write(&buf, wlab_mfn_walk, p.m, &err), wlab_buf_clear(&buf));
    double w[6];
    memcpy(w, p.m->w, sizeof w);
    for (size_t len = 0; len < buf.len; len++) {
        wlab_buf cut = buf;
        cut.len = len;
        cut.pos = 0;
        ASSERT_FAILS(wlab_walk_read(&cut, wlab_mfn_walk, p.m, NULL, &err), WL_EINPUT, err, "damaged");
    }
    assert_memory_equal(w, p.m->w, sizeof w);
    (void)solve(&p, NULL);
    must_be_done(&p);
    wlab_buf_clear(&buf);
    problem_free(&p);
}

static void test_threads(void **state)
{
    (void)state;
    enum {
        N = 9000
    };
    wlab_err err;
    for (int c = 0; c < 6; c++) {
        const int D = c < 4 ? 60 : 9;
        double *w[3] = {NULL}, *g[3] = {NULL};
        for (int t = 0; t < 3; t++) {
            wlab_ctx ctx = {0};
            wlab_rng rng;
            wlab_rng_seed(&rng, 8);
            problem p = pose(N, D, c & 1 ? SPARSE : DENSE, BOTH, 1, 1e-4, c & 2 ? WL_MFN_PAPER : WL_MFN_FAST,
                             1e-6, &rng); /* case 4: dense, few columns */
            ASSERT_OK(wlab_pool_create(&ctx.pool, 1 << t, &err), err);
            for (int round = 0; round < 2; round++) {
                wlab_mfn_start(p.m, NULL);
                while (!p.m->done && !p.m->stalled)
                    ASSERT_OK(wlab_mfn_iterate(p.m, &ctx, &err), err);
                for (int64_t i = 0; i < N; i += 2)
                    wlab_mfn_set_costs(p.m, i, 2 * p.m->pos[i], 0);
            }
            wlab_mfn_outputs(p.m, ctx.pool);
            assert_true(p.m->done);
            w[t] = malloc((size_t)(D + 1) * sizeof **w);
            g[t] = malloc(N * sizeof **g);
            assert_true(w[t] && g[t]);
            memcpy(w[t], p.m->w, (size_t)(D + 1) * sizeof **w);
            memcpy(g[t], p.m->o, N * sizeof **g);
            wlab_pool_destroy(ctx.pool);
            problem_free(&p);
        }
        for (int t = 0; t < 3; t++) {
            assert_memory_equal(w[0], w[t], (size_t)(D + 1) * sizeof **w);
            assert_memory_equal(g[0], g[t], N * sizeof **g);
        }
        for (int t = 0; t < 3; t++) {
            free(w[t]);
            free(g[t]);
        }
    }
}

static void test_memory(void **state)
{
    (void)state;
    wlab_err err;
    wlab_rng rng;
    wlab_rng_seed(&rng, 9);
    problem p = {.X = points(3000, 50, DENSE, 1, &rng)};
    ALLOC_SWEEP_OUT(wlab_mfn_create(&p.m, p.X, 1, NULL, 0, 0.1, WL_MFN_FAST, 1e-6, &err), p.m);
    problem_free(&p);
}

/* ---- hard for doubles ---- */

/* Checks that the run ends with finite numbers, that it is done only within the tolerance, and that its gap is the
 * true one. */
static bool ends_right(problem *p)
{
    wlab_err err;
    wlab_mfn *m = p->m;
    wlab_mfn_start(m, NULL);
    for (int k = 0; !m->done && !m->stalled; k++) {
        if (k > 1000)
            fail_msg("%s: no end", p->what);
        ASSERT_OK(wlab_mfn_iterate(m, NULL, &err), err);
    }
    assert_true(isfinite(m->f) && isfinite(m->gap) && isfinite(m->norm) && m->f >= 0 && m->gap >= 0);
    for (int64_t j = 0; j < m->dim; j++)
        assert_true(isfinite(m->w[j]));
    p->noise = 0; /* only the noise at the final w, not that of earlier iterations */
    const truth t = truth_of(p);
    const long double floor = t.noise * (t.noise / 2 + t.gradient) / m->lambda;
    if (!(fabsl(t.f - m->f) <= 1e-10L * t.f + floor))
        fail_msg("%s: f = %.17g instead of %.17Lg", p->what, m->f, t.f);
    if (!(t.gap <= 1.001L * m->gap + floor))
        fail_msg("%s: the gap is %.6Lg f and not %.6g f, floor %.3Lg f; %s after %lld iterations", p->what,
                 t.gap / t.f, m->gap / m->f, floor / t.f, m->done ? "done" : "stalled",
                 (long long)m->newtons);
    if (m->done && m->mode == WL_MFN_FAST && !(t.gap <= 1.001L * m->eps * t.f + floor))
        fail_msg("%s: done at a gap of %.3Lg f", p->what, t.gap / t.f);
    return floor < 1e-7L * t.f;
}

static void test_extremes(void **state)
{
    (void)state;
    static const double lambdas[] = {1e-12, 1e-8, 1e-3, 1, 1e6}, scales[] = {1e-6, 1, 1e3, 1e6};
    wlab_rng rng;
    int telling = 0;
    wlab_rng_seed(&rng, 10);
    for (int c = 0; c < 5 * 4 * KINDS * 2 * 2; c += SANITIZED ? 5 : 1) {
        int at = c;
        const wlab_mfn_mode mode = at % 2 ? WL_MFN_PAPER : WL_MFN_FAST;
        const bool separable = (at /= 2) % 2;
        const kind k = (kind)((at /= 2) % KINDS);
        const double lambda = lambdas[(at /= KINDS) % 5], scale = scales[(at / 5) % 4];
        problem p = pose(60, separable ? 100 : 12, k, separable ? SINGLE : (costs)(c % COSTS), 1, lambda,
                         mode, 1e-6, &rng);
        char what[120];
        memcpy(what, p.what, sizeof what);
        snprintf(p.what, sizeof p.what, "%.90s, scale %g", what, scale);
        for (int64_t i = 0; i < p.X->rows;
             i++) /* scale some columns only, so that the scales differ widely */
            for (int32_t a = 0; a < p.X->len[i]; a++) {
                if (p.X->sparse && p.X->col[p.X->start[i] + a] % 3 == 0)
                    p.X->val[p.X->start[i] + a] *= (float)scale;
                else if (!p.X->sparse && a % 3 == 0)
                    p.X->dense[p.X->start[i] + a] *= scale;
            }
        telling += ends_right(&p);
        for (int64_t i = 0; i < 60; i += 2)
            wlab_mfn_set_costs(p.m, i, p.m->neg[i], p.m->pos[i]);
        telling += ends_right(&p);
        problem_free(&p);
    }
    assert_true(telling > (SANITIZED ? 80 : 400));
}

/* Without any costs the solution is w = 0.  With one cost, on a row that is far outside the margin at first, the solver
 * reaches its tolerance, too. */
static void test_nothing(void **state)
{
    (void)state;
    wlab_rng rng;
    wlab_rng_seed(&rng, 11);
    for (int mode = 0; mode < 2; mode++) {
        problem p = pose(20, 6, DENSE, SINGLE, 1, 0.1, mode ? WL_MFN_PAPER : WL_MFN_FAST, 1e-6, &rng);
        for (int far = 0; far < 2; far++) {
            for (int64_t i = 0; i < 20; i++) {
                p.m->pos[i] = far && i == 0 ? 1e-3 : 0;
                p.m->neg[i] = 0;
            }
            for (int j = 0; j < 7; j++)
                p.m->w[j] = far ? 100 * wlab_matrix_at(p.X, 0, j < 6 ? j : 0) : j - 3;
            wlab_mfn_outputs(p.m, NULL);
            (void)solve(&p, NULL);
            assert_true(far ? p.m->done : p.m->f < 1e-20);
        }
        problem_free(&p);
    }
}

/* With very large numbers either f and the gap are finite, or the solver reports an error and leaves w unchanged. */
static void test_overflow(void **state)
{
    (void)state;
    static const double scales[] = {1e60, 1e80, 1e100, 1e140, 1e155, 1e200, 1e300};
    wlab_err err;
    wlab_rng rng;
    int refused = 0;
    for (size_t c = 0; c < 2 * sizeof scales / sizeof *scales; c += SANITIZED ? 3 : 1) {
        wlab_rng_seed(&rng, 12);
        problem p = pose(40, 6, DENSE, BOTH, 1, 0.1, c % 2 ? WL_MFN_PAPER : WL_MFN_FAST, 1e-6, &rng);
        for (int64_t i = 0; i < 40 * 6; i++)
            p.X->dense[i] *= i % 2 ? scales[c / 2] : 1;
        wlab_code code = WL_OK;
        double w[7];
        wlab_mfn_start(p.m, NULL);
        while (!code && !p.m->done && !p.m->stalled) {
            memcpy(w, p.m->w, sizeof w);
            code = wlab_mfn_iterate(p.m, NULL, &err);
        }
        if (code) {
            assert_int_equal(code, WL_ENUMERIC);
            assert_non_null(strstr(err.message, "not finite"));
            assert_memory_equal(w, p.m->w, sizeof w);
            refused++;
        } else {
            assert_true(isfinite(p.m->f) && isfinite(p.m->gap));
        }
        problem_free(&p);
    }
    assert_true(refused >= (SANITIZED ? 1 : 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_iteration), cmocka_unit_test(test_drift),
        cmocka_unit_test(test_paper),           cmocka_unit_test(test_liblinear),
        cmocka_unit_test(test_both_costs),      cmocka_unit_test(test_line_search),
        cmocka_unit_test(test_pieces),          cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_threads),         cmocka_unit_test(test_memory),
        cmocka_unit_test(test_extremes),        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_overflow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Maximum margin clustering: mmc-sdp, gmmc and cpmmc.  The matrices of every step are feasible, the bounds hold for all
 * labelings (by enumeration) and for other feasible points, the three relaxations are in their order, the relaxation of
 * outputs is that of label matrices where the theory says so, a cutting-plane run ends at an SVM of its labels; units,
 * snapshots, interrupts, memory.
 */
#include "unit/labeling_value.h"
#include "unit/posed.h"

#include "algo/mmc/sdp.h"
#include "linalg/cholesky.h"
#include "solve/mmc/generalised.h"
#include "solve/quadmax/quadmax.h"
#include "solve/svm/smo_free.h"

#include <lapacke.h>

enum {
    MOST = 16 /* rows */
};

typedef struct posed {
    const char *kind, *how, *task, *options;
} posed;
static const posed problems[] = {
    {"two-moons", "n=10 noise=0.4 seed=3", "ssl", "labeled=3 seed=1"},
    {"g50c", "n=12 seed=2", "ssl", "labeled=4 seed=2 r=0.5"},
    {"blobs", "n=11 classes=2 spread=1.5 seed=4", "ssl", "labeled=2 seed=1 r=0.3"},
    {"two-moons", "n=10 noise=0.3 seed=1", "cluster", "balance=0.2"},
    {"two-moons", "n=9 noise=0.3 seed=2", "cluster", "balance=0.2"},
    {"blobs", "n=8 classes=2 spread=1 seed=5", "cluster", "balance=0"},
    {"blobs", "n=7 classes=2 spread=1 seed=6", "cluster", "balance=1"},
    {"two-moons", "n=9 noise=0.4 seed=3", "ssl", "labeled=3 seed=1 r=0.17"}, /* one of six is +1 */
};
enum {
    PROBLEMS = sizeof problems / sizeof *problems,
    FIRST_CLUSTER = 3,
    CLUSTERS_END = 7
};
static const char *const settings[] = {"kernel=rbf sigma=0.5x", "kernel=linear loss=hinge C2=0.5",
                                       "kernel=rbf sigma=1x loss=squared-hinge C=1 bias=1",
                                       "kernel=linear loss=squared-hinge lambda=0.1 C2=0.02 bias=1"};
enum {
    SETTINGS = sizeof settings / sizeof *settings
};

static wlab_problem *pose_one(const posed *q)
{
    return pose(q->kind, q->how, q->task, q->options);
}

typedef struct brute {
    const wellsvm *w;
    double least;
} brute;

static bool visit(void *data, const int8_t *y, const int32_t *changed, int64_t nchanged)
{
    brute *b = data;
    (void)changed, (void)nchanged;
    b->least = fmin(b->least, value_of(b->w, y));
    return true;
}

static double least_of_all(const wellsvm *w)
{
    wlab_err err;
    brute b = {w, HUGE_VAL};
    ASSERT_OK(wlab_labelset_enumerate(w->p->labels, visit, &b, &err), err);
    return b.least;
}

/* ---- mmc-sdp ---- */

static double least_eigenvalue(const double *A, int64_t n)
{
    double copy[(MOST + 1) * (MOST + 1)], e[MOST + 1];
    memcpy(copy, A, (size_t)(n * n) * sizeof *copy);
    assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'L', (lapack_int)n, copy, (lapack_int)n, e), 0);
    return e[0];
}

/* M is psd with diagonal 1, has the products of the fixed labels, and satisfies the balance. */
static void check_feasible(const mmc_sdp *s)
{
    const wlab_labelset *B = s->w.p->labels;
    const double *M = wlab_mmc_matrix(s->sdp);
    const int64_t N = s->nodes;
    int sign;
    assert_true(least_eigenvalue(M, N) >= -1e-9);
    for (int64_t i = 0; i < s->n; i++) {
        ASSERT_NEAR(wlab_mmc_entry(s->sdp, i, i), 1, 1e-12);
        for (int64_t j = 0; j < s->n; j++)
            if (B->fixed[i] != WL_FREE && B->fixed[j] != WL_FREE)
                ASSERT_NEAR(wlab_mmc_entry(s->sdp, i, j), B->fixed[i] * B->fixed[j], 1e-12);
    }
    for (int64_t g = 0; g < B->groups; g++) {
        const double size = (double)wlab_labelset_size(B, g), L = 2 * (double)B->lo[g] - size,
                     U = 2 * (double)B->hi[g] - size;
        double both = 0, one = 0, each[MOST + 1] = {0};
        for (int64_t k = B->start[g]; k < B->start[g + 1]; k++) {
            const int64_t p = wlab_mmc_node(s->sdp, B->member[k], &sign);
            one += M[p];
            for (int64_t q = 0; q < N; q++)
                each[q] += M[q * N + p];
            for (int64_t l = B->start[g]; l < B->start[g + 1]; l++)
                both += M[p * N + wlab_mmc_node(s->sdp, B->member[l], &sign)];
        }
        assert_true(both - (L + U) * one + L * U <= 1e-8 * size * size);
        if (L == U)
            for (int64_t q = 0; q < N; q++)
                ASSERT_NEAR(each[q], L * M[q * N], 1e-8);
        if (U == L + 2)
            ASSERT_NEAR(both - (L + U) * one + L * U, 0, 1e-8 * size * size);
    }
}

/* F at the matrix sum_t mu_t y_t y_t' of some labelings of B, which is feasible. */
static double at_mixture(const mmc_sdp *s, wlab_rng *rng)
{
    wlab_err err;
    wlab_boxqp_result r;
    double Q[MOST * MOST] = {0}, alpha[MOST] = {0}, g[MOST];
    int8_t y[MOST];
    for (int t = 0; t < 3; t++) {
        wlab_labelset_random(s->w.p->labels, rng, y);
        for (int64_t i = 0; i < s->n; i++)
            for (int64_t j = 0; j < s->n; j++)
                Q[i * s->n + j] += y[i] * y[j] * s->w.K[i * s->n + j] / 3;
    }
    ASSERT_OK(wlab_boxqp_solve(Q, s->n, s->w.delta, s->w.upper, 1e-12, alpha, g, &r, NULL, &err), err);
    return well_scaled(&s->w, r.primal);
}

/* The lower bound that a random feasible alpha gives. */
static double at_alpha(mmc_sdp *s, wlab_rng *rng)
{
    wlab_err err;
    double alpha[MOST], M;
    well_point at = {.alpha = alpha};
    for (int64_t i = 0; i < s->n; i++) {
        alpha[i] = wlab_rng_uniform(rng) * fmin(s->w.upper[i], 2);
        at.S += alpha[i];
        at.D += s->w.delta ? s->w.delta[i] * alpha[i] * alpha[i] : 0;
    }
    ASSERT_OK(wlab_quadmax_bound(s->w.p->labels, s->w.K, alpha, 1e-9, &M, NULL, &err), err);
    return well_lower_from(&s->w, &at, M);
}

static void test_steps(void **state)
{
    const wlab_algo *algo = &wlab_algo_mmc_sdp;
    (void)state;
    for (int q = 0; q < PROBLEMS; q++)
        for (int k = 0; k < SETTINGS; k++) {
            wlab_problem *p = pose_one(&problems[q]);
            mmc_sdp *s = create_state(algo, p, settings[k]);
            const double least = least_of_all(&s->w), slack = 1e-8 * fabs(least);
            double upper = HUGE_VAL, lower = -HUGE_VAL;
            wlab_verdict verdict = WL_MORE;
            wlab_rng rng;
            wlab_rng_seed(&rng, 7);
            for (int t = 0; verdict == WL_MORE; t++) {
                assert_true(t < 60);
                verdict = step(algo, s, NULL);
                check_feasible(s);
                assert_true(s->upper <= upper && s->lower >= lower);
                upper = s->upper, lower = s->lower;
                assert_true(s->inner_gap >= -slack);
                assert_true(lower <= upper + slack); /* weak duality */
                assert_true(lower <= least + slack);
                assert_true(s->integer_upper >= least - slack);
                assert_true(wlab_labelset_contains(p->labels, s->best));
                ASSERT_NEAR(s->integer_upper, value_of(&s->w, s->best), 1e-7);
                for (int trial = 0; trial < 5; trial++) { /* other feasible points */
                    assert_true(at_mixture(s, &rng) >= lower - slack);
                    assert_true(q == PROBLEMS - 1 || at_alpha(s, &rng) <= upper + slack);
                }
            }
            assert_int_equal(verdict, WL_CONVERGED);
            assert_true(upper <= least + 1e-4 * fabs(least) + slack); /* a labeling's matrix is feasible */
            algo->destroy(s);
            wlab_problem_unref(p);
        }
}

/* SDP <= WellSVM <= branch and bound = the smallest of all labelings, for equal settings. */
static void test_order(void **state)
{
    (void)state;
    int strict = 0;
    for (int q = 0; q < PROBLEMS; q++)
        for (int k = 0; k < SETTINGS; k++) {
            wlab_problem *p = pose_one(&problems[q]);
            char exact[160], tight[160];
            snprintf(exact, sizeof exact, "%s search=exact eps=1e-7", settings[k]);
            snprintf(tight, sizeof tight, "%s eps=1e-6", settings[k]);
            mmc_sdp *s = create_state(&wlab_algo_mmc_sdp, p, tight);
            void *well = create_state(&wlab_algo_wellsvm, p, exact);
            void *bb = create_state(&wlab_algo_bb, p, settings[k]);
            while (step(&wlab_algo_mmc_sdp, s, NULL) == WL_MORE)
                ;
            while (step(&wlab_algo_wellsvm, well, NULL) == WL_MORE)
                ;
            while (step(&wlab_algo_bb, bb, NULL) == WL_MORE)
                ;
            const double least = least_of_all(&s->w), slack = 1e-6 * fabs(least),
                         relaxed = metric(&wlab_algo_wellsvm, well, "lower"),
                         optimum = metric(&wlab_algo_bb, bb, "lower");
            assert_true(s->lower <= metric(&wlab_algo_wellsvm, well, "upper") + slack);
            assert_true(s->upper <= relaxed + 3 * slack);
            assert_true(relaxed <= metric(&wlab_algo_bb, bb, "upper") + slack);
            ASSERT_NEAR(optimum, least, 2e-6);
            strict += s->upper < relaxed - 1e-4 * fabs(least);
            wlab_algo_mmc_sdp.destroy(s);
            wlab_algo_wellsvm.destroy(well);
            wlab_algo_bb.destroy(bb);
            wlab_problem_unref(p);
        }
    assert_true(strict > 0); /* the matrices are more than the mixtures of labelings */
}

/* ---- gmmc ---- */

static void invert(double *A, int64_t n)
{
    assert_int_equal(LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', (lapack_int)n, A, (lapack_int)n), 0);
    assert_int_equal(LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'L', (lapack_int)n, A, (lapack_int)n), 0);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++)
            A[j * n + i] = A[i * n + j];
}

/* Solves to a relative gap of tol, and checks that X is feasible in each step and the bounds are in order. */
static wlab_gmmc_numbers solve_outputs(const double *H, const int8_t *label, int64_t n, double tol)
{
    wlab_err err;
    wlab_gmmc *g;
    bool centred, stuck;
    ASSERT_OK(wlab_gmmc_create(&g, H, label, n, 4, &err), err);
    for (int t = 0;; t++) {
        assert_true(t < 1000);
        ASSERT_OK(wlab_gmmc_advance(g, &centred, &stuck, NULL, &err), err);
        assert_false(stuck);
        if (!centred)
            continue;
        const double *X = wlab_gmmc_matrix(g);
        const wlab_gmmc_numbers r = wlab_gmmc_get(g);
        assert_true(least_eigenvalue(X, n + 1) >= -1e-9 * X[n * (n + 2)]);
        ASSERT_NEAR(X[0], 1, 1e-9);
        for (int64_t i = 1; i <= n; i++)
            assert_true((label[i - 1] ? label[i - 1] * X[i] : X[i * (n + 2)]) >= 1 - 1e-9);
        assert_true(r.lower <= r.upper * (1 + 1e-12));
        if (r.upper - r.lower <= tol * r.upper) {
            wlab_gmmc_destroy(g);
            return r;
        }
    }
}

/* With squared hinge loss and without a balance, the relaxation over label matrices and that over outputs, H =
 * (K + Diag(1/C))^-1, are one.  With all labels known the latter is the SVM. */
static void test_two_relaxations(void **state)
{
    wlab_err err;
    (void)state;
    for (int q = 0; q < 3; q++) {
        wlab_problem *p = pose_one(&problems[q]);
        const int64_t n = p->n, m = n + 1;
        double K[MOST * MOST], H[(MOST + 1) * (MOST + 1)] = {0}, delta[MOST], upper[MOST];
        int8_t label[MOST];
        wlab_labelset *B;
        wlab_mmc *s;
        wlab_mmc_made made;
        mmc_sdp *made_from = create_state(&wlab_algo_mmc_sdp, p, settings[2]);
        memcpy(K, made_from->w.K, (size_t)(n * n) * sizeof *K);
        for (int64_t i = 0; i < n; i++) {
            label[i] = p->visible[i];
            delta[i] = 1 / (1 + 0.5 * (double)(i % 3));
            upper[i] = HUGE_VAL;
        }
        double inverse[MOST * MOST];
        memcpy(inverse, K, (size_t)(n * n) * sizeof *K);
        for (int64_t i = 0; i < n; i++)
            inverse[i * (n + 1)] += delta[i];
        invert(inverse, n);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++)
                H[(i + 1) * m + j + 1] = inverse[i * n + j];
        const wlab_gmmc_numbers outputs_of = solve_outputs(H, label, n, 1e-7);
        ASSERT_OK(wlab_labelset_ambiguous(&B, label, n, &err), err);
        const wlab_mmc_problem problem = {B, K, delta, upper, 4};
        ASSERT_OK(wlab_mmc_create(&s, &problem, &err), err);
        for (int t = 0; t < 100; t++)
            ASSERT_OK(wlab_mmc_advance(s, &made, NULL, &err), err);
        ASSERT_NEAR(wlab_mmc_get(s).dual, outputs_of.lower, 1e-6);
        wlab_mmc_destroy(s);
        wlab_labelset_destroy(B);
        /* all labels known: the SVM without offset */
        double Q[MOST * MOST], alpha[MOST] = {0}, g[MOST];
        wlab_boxqp_result r;
        for (int64_t i = 0; i < n; i++)
            label[i] = p->truth[i];
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++)
                Q[i * n + j] = label[i] * label[j] * K[i * n + j];
        ASSERT_OK(wlab_boxqp_solve(Q, n, delta, upper, 1e-12, alpha, g, &r, NULL, &err), err);
        ASSERT_NEAR(solve_outputs(H, label, n, 1e-8).lower, r.dual, 1e-6);
        assert_true(outputs_of.lower <= r.dual * (1 + 1e-7));
        wlab_algo_mmc_sdp.destroy(made_from);
        wlab_problem_unref(p);
    }
}

/* The objective of a labeling of two clusters of equal size from the quadratic form: a QP in the multipliers of
 * y_i x_i >= 1, min 1/2 x'Hx -> max 1'a - 1/2 a'(yy' o H^-1)a. */
typedef struct outputs_form {
    double G[MOST * MOST]; /* H^-1 */
    int64_t n;
    double least;
} outputs_form;

static bool visit_outputs(void *data, const int8_t *y, const int32_t *changed, int64_t nchanged)
{
    outputs_form *f = data;
    wlab_err err;
    wlab_boxqp_result r;
    double Q[MOST * MOST], alpha[MOST] = {0}, g[MOST], upper[MOST], delta[MOST];
    (void)changed, (void)nchanged;
    for (int64_t i = 0; i < f->n; i++) {
        upper[i] = HUGE_VAL;
        delta[i] = 1e-10; /* the box QP has losses; nearly none may be violated */
        for (int64_t j = 0; j < f->n; j++)
            Q[i * f->n + j] = y[i] * y[j] * f->G[i * f->n + j];
    }
    ASSERT_OK(wlab_boxqp_solve(Q, f->n, delta, upper, 1e-11, alpha, g, &r, NULL, &err), err);
    f->least = fmin(f->least, r.dual);
    return true;
}

/* gmmc's H, made independently: b is eliminated by minimising over it, and the balance is added. */
static void test_gmmc_bounds(void **state)
{
    const wlab_algo *algo = &wlab_algo_gmmc;
    wlab_err err;
    (void)state;
    for (int q = 0; q < PROBLEMS; q++) {
        wlab_problem *p = pose_one(&problems[q]);
        const bool clusters = p->task->clusters;
        mmc_sdp *same =
            create_state(&wlab_algo_mmc_sdp, p, "kernel=rbf sigma=0.5x loss=squared-hinge C1=2 C2=0.5");
        outputs_form f = {.n = p->n, .least = HUGE_VAL};
        const int64_t n = p->n;
        double e[MOST] = {0}, total = 0;
        for (int64_t i = 0; i < n * n; i++)
            f.G[i] = same->w.K[i];
        for (int64_t i = 0; i < n; i++)
            f.G[i * (n + 1)] += p->cost[i] ? 2 : 0.5;
        invert(f.G, n);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++)
                e[i] += f.G[i * n + j], total += f.G[i * n + j];
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++)
                f.G[i * n + j] += 2 * 0.3 - e[i] * e[j] / total;
        invert(f.G, n);
        if (clusters)
            ASSERT_OK(wlab_labelset_enumerate(p->labels, visit_outputs, &f, &err), err);
        void *s = create_state(algo, p, "kernel=rbf sigma=0.5x C1=2 C2=0.5 Ce=0.3");
        double upper = HUGE_VAL, lower = -HUGE_VAL;
        wlab_verdict verdict = WL_MORE;
        for (int t = 0; verdict == WL_MORE; t++) {
            assert_true(t < 60);
            verdict = step(algo, s, NULL);
            assert_true(metric(algo, s, "upper") <= upper && metric(algo, s, "lower") >= lower);
            upper = metric(algo, s, "upper"), lower = metric(algo, s, "lower");
            assert_true(lower <= upper && lower <= metric(algo, s, "integer_upper"));
            assert_true(lower <= f.least * (1 + 1e-7));
            assert_true(!clusters || metric(algo, s, "integer_upper") >= f.least * (1 - 1e-7));
        }
        assert_int_equal(verdict, WL_CONVERGED);
        /* the model's outputs separate the labels as far as x does: y f(x) >= 1 minus the slack */
        double *out = outputs(algo, s, p);
        int8_t y[MOST];
        int agree = 0;
        algo->observe(s, NULL, y);
        for (int64_t i = 0; i < n; i++)
            agree += y[i] * out[i] > 0;
        assert_true(2 * agree > n);
        free(out);
        algo->destroy(s);
        wlab_algo_mmc_sdp.destroy(same);
        wlab_problem_unref(p);
    }
}

/* ---- cpmmc ---- */

/* In each round the objective falls; each convex problem is solved; at the end the loss is that of the SVM with free offset
 * for the signs of the outputs, whose optimum is at most eps C below, and no labeling of all has a smaller one by more. */
static void test_cutting_planes(void **state)
{
    const wlab_algo *algo = &wlab_algo_cpmmc;
    static const char *const how[] = {
        "kernel=linear C=2 ell=1000000 eps=1e-6", "kernel=rbf sigma=0.5x C=10 ell=1000000 eps=1e-6",
        "kernel=rbf sigma=1x C=5 ell=1 eps=1e-4", "kernel=linear C=1 ell=0 start=constant eps=1e-3",
        "kernel=linear C=1 ell=3 decrease=0.01"};
    wlab_err err;
    (void)state;
    for (int q = FIRST_CLUSTER; q < CLUSTERS_END; q++)
        for (int k = 0; k < 5; k++) {
            wlab_problem *p = pose_one(&problems[q]);
            void *s = create_state(algo, p, how[k]);
            wlab_step made = {0};
            double before = HUGE_VAL;
            for (int t = 0; !(made.complete && made.verdict != WL_MORE); t++) {
                assert_true(t < 2000);
                if (made.complete)
                    before = HUGE_VAL;
                ASSERT_OK(algo->advance(s, NULL, &made, &err), err);
                const double now = metric(algo, s, "objective"), gap = metric(algo, s, "inner_gap");
                assert_true(now <= before + 1e-9 * fabs(now));
                before = now;
                assert_true(gap >= 0 && gap <= 1e-6 * fmax(1, now));
                assert_true(metric(algo, s, "target") >= now - 1e-12);
                assert_true(metric(algo, s, "loss") >= metric(algo, s, "xi") - 1e-12);
                const double bound = k < 2 ? 1e6 : k == 2 ? 1 : k == 3 ? 0 : 3;
                assert_true(fabs(metric(algo, s, "balance")) <= bound + 1e-9);
            }
            assert_true(made.verdict == WL_CONVERGED || k == 4);
            double *o = outputs(algo, s, p), sum = 0, loss = 0;
            for (int64_t i = 0; i < p->n; i++)
                sum += o[i], loss += fmax(0, 1 - fabs(o[i])) / (double)p->n;
            ASSERT_NEAR(sum, metric(algo, s, "balance"), 1e-8);
            ASSERT_NEAR(loss, metric(algo, s, "loss"), 1e-8);
            if (k < 2) { /* no balance: an SVM with a free offset for the signs */
                const double C = k ? 10 : 2;
                mmc_sdp *same =
                    create_state(&wlab_algo_mmc_sdp, p, k ? "kernel=rbf sigma=0.5x" : "kernel=linear");
                double cost[MOST], beta[MOST] = {0}, f[MOST];
                int8_t y[MOST];
                wlab_smo_free_result r;
                for (int64_t i = 0; i < p->n; i++) {
                    cost[i] = C / (double)p->n;
                    y[i] = o[i] >= 0 ? 1 : -1;
                }
                ASSERT_OK(wlab_smo_free_solve(same->w.K, p->n, y, cost, 1e-9, beta, f, &r, NULL, &err), err);
                ASSERT_NEAR(metric(algo, s, "target"), r.primal, 1e-4);
                wlab_algo_mmc_sdp.destroy(same);
            }
            free(o);
            algo->destroy(s);
            wlab_problem_unref(p);
        }
}

/* ---- all three ---- */

static void test_units(void **state)
{
    (void)state;
    wlab_problem *ssl = pose("two-moons", "n=14 noise=0.2 seed=3", "ssl", "labeled=4 seed=1"),
                 *cluster = pose("two-moons", "n=14 noise=0.2 seed=3", "cluster", "balance=0.2");
    units_hold(&wlab_algo_mmc_sdp, ssl, "kernel=rbf", 60, 0);
    units_hold(&wlab_algo_mmc_sdp, cluster, "kernel=linear loss=hinge growth=10", 60, 0);
    units_hold(&wlab_algo_gmmc, ssl, "kernel=rbf", 60, 0);
    units_hold(&wlab_algo_gmmc, cluster, "kernel=linear growth=10", 60, 0);
    units_hold(&wlab_algo_cpmmc, cluster, "kernel=rbf C=10", 40, 0);
    units_hold(&wlab_algo_cpmmc, cluster, "kernel=linear start=constant", 40, 0);
    wlab_problem_unref(ssl);
    wlab_problem_unref(cluster);
}

static void refused(const wlab_algo *algo, wlab_problem *p, const char *options, wlab_code code,
                    const char *text)
{
    wlab_err err;
    void *state;
    wlab_params *params = made_params(algo->params, options, &err);
    assert_non_null(params);
    ASSERT_FAILS(algo->create(&state, p, params, NULL, &err), code, err, text);
    assert_null(state);
    wlab_params_destroy(params);
}

static void test_refusals(void **state)
{
    wlab_err err;
    (void)state;
    wlab_problem *large = pose("two-moons", "n=1001 noise=0.2 seed=3", "cluster", "");
    refused(&wlab_algo_mmc_sdp, large, "", WL_EARG, "at most 1000 rows");
    refused(&wlab_algo_gmmc, large, "", WL_EARG, "at most 1000 rows");
    wlab_problem_unref(large);
    wlab_problem *p = pose("roi-bags", "bags=5 positive=0.5 least=2 most=4 rois=1 dims=3 seed=2", "mil", "");
    const wlab_mmc_problem q = {.B = p->labels, .growth = 4};
    wlab_mmc *s;
    ASSERT_FAILS(wlab_mmc_create(&s, &q, &err), WL_EARG, err, "no matrix of labels");
    wlab_problem_unref(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps),           cmocka_unit_test(test_order),
        cmocka_unit_test(test_two_relaxations), cmocka_unit_test(test_gmmc_bounds),
        cmocka_unit_test(test_cutting_planes),  cmocka_unit_test(test_units),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

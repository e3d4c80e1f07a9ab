/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lmm and amm: the means of the classes in the bags against the normal equations solved by LAPACK, their limits (mean-map;
 * supervised with bags of one row), kernels; amm's objective, end, limit and variant=max; the similarity's picture, units.
 */
#include "unit/posed.h"
#include "unit/probed.h"

#include "algo/llp/meanmap.h"

#include <lapacke.h>

static const wlab_algo *const both[] = {&wlab_algo_lmm, &wlab_algo_amm};
enum {
    N = 60,
    D = 50
};

static wlab_problem *bags(const char *options)
{
    return pose("g50c", "n=60 seed=2", "llp", options);
}

/* sum_i c_i x_i [D] of the state. */
static void operator_of(const mm_state *s, const double *c, double *mu)
{
    memset(mu, 0, D * sizeof *mu);
    for (int64_t i = 0; i < s->n; i++)
        wlab_matrix_row_axpy(s->p->X, i, c[i], mu);
}

/* The same by the definition: B [2m x D] from the normal equations. */
static void defined(const mm_state *s, double smooth, double *mu)
{
    const wlab_super_instances *u = s->super_instances;
    const int64_t m = u->n, side = 2 * m;
    double *M = calloc((size_t)(m * D), sizeof *M), *A = calloc((size_t)(side * side), sizeof *A),
           *B = calloc((size_t)(side * D), sizeof *B), *V = calloc((size_t)(m * m), sizeof *V), *far = NULL;
    int64_t pairs = 0;
    lapack_int pivot[2 * N];
    assert_true(M && A && B && V);
    for (int64_t k = 0; k < m; k++)
        for (int64_t j = u->start[k]; j < u->start[k + 1]; j++)
            wlab_matrix_row_axpy(s->p->X, u->member[j], 1 / (double)wlab_super_instances_size(u, k),
                                 M + k * D);
    far = malloc((size_t)(m * m + 1) * sizeof *far);
    assert_non_null(far);
    for (int64_t k = 0; k < m; k++)
        for (int64_t l = 0; l < m; l++) {
            double sum = 0;
            for (int j = 0; j < D; j++)
                sum += (M[k * D + j] - M[l * D + j]) * (M[k * D + j] - M[l * D + j]);
            V[k * m + l] = sqrt(sum);
            if (l < k)
                far[pairs++] = sqrt(sum);
        }
    for (int64_t k = 0; k < pairs; k++) /* the median: the number with as many below as its place says */
        for (int64_t l = k + 1; l < pairs; l++)
            if (far[l] < far[k]) {
                const double swap = far[k];
                far[k] = far[l];
                far[l] = swap;
            }
    const double width = far[pairs / 2];
    for (int64_t k = 0; k < m; k++) {
        const double n = (double)wlab_super_instances_size(u, k), p = u->proportion[k], pi[2] = {p, 1 - p};
        for (int a = 0; a < 2; a++) {
            for (int b = 0; b < 2; b++)
                A[(k + a * m) * side + k + b * m] += n * pi[a] * pi[b];
            for (int64_t l = 0; l < m; l++)
                if (l != k) {
                    const double v = smooth * exp(-V[k * m + l] / width);
                    A[(k + a * m) * side + k + a * m] += v;
                    A[(k + a * m) * side + l + a * m] -= v;
                }
            A[(k + a * m) * side + k + a * m] += 1e-6;
            for (int j = 0; j < D; j++)
                B[(k + a * m) * D + j] = n * pi[a] * M[k * D + j];
        }
    }
    assert_int_equal(LAPACKE_dgesv(LAPACK_ROW_MAJOR, (lapack_int)side, D, A, (lapack_int)side, pivot, B, D),
                     0);
    for (int j = 0; j < D; j++) {
        mu[j] = 0;
        for (int64_t k = 0; k < m; k++) {
            const double n = (double)wlab_super_instances_size(u, k), p = u->proportion[k];
            mu[j] += n * (p * B[k * D + j] - (1 - p) * B[(k + m) * D + j]);
        }
    }
    free(M);
    free(A);
    free(B);
    free(V);
    free(far);
}

static void test_means(void **state)
{
    (void)state;
    wlab_problem *p = bags("bagsize=6 seed=1");
    static const double smooth[] = {0.01, 1, 30};
    for (int k = 0; k < 3; k++) {
        char options[60];
        double ours[D], theirs[D];
        snprintf(options, sizeof options, "smooth=%g bias=0", smooth[k]);
        mm_state *s = create_state(both[0], p, options);
        step(both[0], s, NULL);
        operator_of(s, s->c, ours);
        defined(s, smooth[k], theirs);
        for (int j = 0; j < D; j++)
            ASSERT_NEAR(ours[j], theirs[j], 1e-7 * (1 + fabs(theirs[j])));
        both[0]->destroy(s);
    }
    wlab_problem_unref(p);
}

/* All bags have the same means: mean-map's; each row is a bag: the labels themselves. */
static void test_limits(void **state)
{
    (void)state;
    wlab_problem *p = bags("bagsize=6 seed=1"), *single = bags("bagsize=1 seed=1");
    mm_state *s = create_state(both[0], p, "smooth=1e7 bias=0"),
             *t = create_state(&wlab_algo_meanmap, p, "bias=0");
    double ours[D], theirs[D];
    step(both[0], s, NULL);
    operator_of(s, s->c, ours);
    operator_of(t, t->c, theirs);
    for (int j = 0; j < D; j++)
        ASSERT_NEAR(ours[j], theirs[j], 1e-4 * (1 + fabs(theirs[j])));
    step(&wlab_algo_meanmap, t, NULL);
    ASSERT_NEAR(metric(both[0], s, "distance"), metric(&wlab_algo_meanmap, t, "distance"),
                1e-4 * metric(both[0], s, "distance"));
    both[0]->destroy(s);
    wlab_algo_meanmap.destroy(t);
    s = create_state(both[0], single, "smooth=1e-9 bias=0");
    step(both[0], s, NULL);
    for (int64_t i = 0; i < single->n; i++)
        ASSERT_NEAR(s->c[i], single->truth[i], 1e-5);
    both[0]->destroy(s);
    wlab_problem_unref(p);
    wlab_problem_unref(single);
}

/* The linear kernel as a kernel matrix: poly of degree 1. */
static void test_kernel(void **state)
{
    (void)state;
    wlab_problem *p = bags("bagsize=6 seed=1");
    mm_state *s = create_state(both[0], p, "bias=0"),
             *t = create_state(both[0], p, "kernel=poly degree=1 gamma=1 coef0=0 bias=0");
    for (int k = 0; k < 40; k++) {
        step(both[0], s, NULL);
        step(both[0], t, NULL);
    }
    double *f = outputs(both[0], s, p), *g = outputs(both[0], t, p);
    for (int64_t i = 0; i < p->n; i++)
        ASSERT_NEAR(f[i], g[i], 1e-3 * (1 + fabs(f[i])));
    free(f);
    free(g);
    both[0]->destroy(s);
    both[0]->destroy(t);
    wlab_problem_unref(p);
}

static double likelihood(const mm_state *s)
{
    double sum = 0, norm = 0;
    for (int64_t i = 0; i < s->n; i++)
        sum += mm_log_partition(s->f[i]) - s->fitted[i] * s->f[i];
    for (int64_t j = 0; j < s->dim; j++)
        norm += s->theta[j] * s->theta[j];
    return sum + s->lambda * norm;
}

/* After round 0 nothing rises; the end's labels have the counts and are the best for its outputs. */
static void test_alternation(void **state)
{
    (void)state;
    static const char *const of[] = {"bagsize=6 seed=1", "bagsize=12 seed=3", "bagsize=4 seed=5"};
    for (int k = 0; k < 3; k++) {
        wlab_problem *p = bags(of[k]);
        mm_state *s = create_state(both[1], p, "lambda=5");
        double last = HUGE_VAL;
        wlab_step made = {0};
        while (made.verdict == WL_MORE) {
            made = stepped(both[1], s, NULL);
            if (s->round == 0)
                continue;
            const double now = metric(both[1], s, "objective");
            ASSERT_NEAR(now, likelihood(s), 1e-9 * (1 + now));
            assert_true(now <= last + 1e-9 * (1 + fabs(last)));
            last = now;
        }
        assert_int_equal(made.verdict, WL_CONVERGED);
        assert_true(wlab_labelset_contains(p->labels, s->fitted));
        double best = 0, own = 0;
        int8_t y[N];
        wlab_err err;
        ASSERT_OK(wlab_labelset_argmax(p->labels, s->f, NULL, y, &err), err);
        for (int64_t i = 0; i < p->n; i++) {
            best += y[i] * s->f[i];
            own += s->fitted[i] * s->f[i];
        }
        ASSERT_NEAR(own, best, 1e-9 * (1 + fabs(best)));
        both[1]->destroy(s);
        s = create_state(both[1], p, "lambda=5 rounds=1");
        for (made = (wlab_step){0}; made.verdict == WL_MORE;)
            made = stepped(both[1], s, NULL);
        assert_true(s->round == 1 && (made.verdict == WL_LIMIT || made.verdict == WL_CONVERGED));
        both[1]->destroy(s);
        wlab_problem_unref(p);
    }
}

/* variant=max: the labels of a round fit the outputs before it worst, and the end is the best fit of all. */
static void test_worst_labels(void **state)
{
    (void)state;
    enum {
        ROUNDS = 7
    };
    static const char *const of[] = {"bagsize=6 seed=1", "bagsize=12 seed=3", "bagsize=4 seed=5"};
    int returned = 0;
    for (int k = 0; k < 3; k++) {
        wlab_problem *p = bags(of[k]);
        mm_state *s = create_state(both[1], p, "lambda=5 variant=max rounds=7");
        int8_t fitted[ROUNDS + 1][N], y[N];
        double fit[ROUNDS + 1], f[N], against[N];
        wlab_step made = {0};
        wlab_err err;
        while (made.verdict == WL_MORE) {
            const int64_t before = s->round;
            memcpy(f, s->f, (size_t)p->n * sizeof *f);
            made = stepped(both[1], s, NULL);
            const double now = metric(both[1], s, "objective");
            if (s->round > before) {
                double own = 0, worst = 0;
                memcpy(fitted[s->round], s->fitted, (size_t)p->n);
                assert_true(wlab_labelset_contains(p->labels, s->fitted));
                for (int64_t i = 0; i < p->n; i++)
                    against[i] = -f[i];
                ASSERT_OK(wlab_labelset_argmax(p->labels, against, NULL, y, &err), err);
                for (int64_t i = 0; i < p->n; i++) {
                    own += s->fitted[i] * f[i];
                    worst += y[i] * f[i];
                }
                ASSERT_NEAR(own, worst, 1e-9 * (1 + fabs(worst)));
            }
            if (s->round > 0 && made.verdict == WL_MORE) {
                ASSERT_NEAR(now, likelihood(s), 1e-9 * (1 + now));
                fit[s->round] = now;
            }
        }
        const int64_t rounds = s->round;
        assert_true(made.verdict == WL_CONVERGED || rounds == ROUNDS);
        if (made.verdict == WL_LIMIT)
            fit[rounds] = HUGE_VAL; /* its end is the step that returned */
        int64_t least = 1;
        for (int64_t t = 2; t <= rounds; t++)
            least = fit[t] < fit[least] ? t : least;
        returned += s->best.round != rounds;
        if (s->best.round == least) {
            ASSERT_NEAR(metric(both[1], s, "objective"), fit[least], 1e-9 * (1 + fit[least]));
        } else { /* the fit that ended in that step */
            assert_true(s->best.round == rounds && made.verdict == WL_LIMIT);
            assert_true(metric(both[1], s, "objective") <= fit[least]);
        }
        assert_true(metric(both[1], s, "best") == metric(both[1], s, "objective"));
        memcpy(s->fitted, fitted[s->best.round], (size_t)p->n);
        ASSERT_NEAR(metric(both[1], s, "objective"), likelihood(s), 1e-9 * (1 + likelihood(s)));
        both[1]->destroy(s);
        wlab_problem_unref(p);
    }
    assert_true(returned > 0);
}

/* A fit that ends because no step lowers its objective in double precision has not converged, whatever the labels do. */
static void test_stalled(void **state)
{
    (void)state;
    int stalled = 0;
    for (int seed = 730; seed < 740; seed++) {
        char data[60];
        snprintf(data, sizeof data, "n=24 noise=0.35 seed=%d", seed);
        wlab_problem *p = pose("two-moons", data, "llp", "bagsize=4");
        mm_state *s = create_state(both[1], p, "bias=1e9 lambda=1e-9 rounds=10 eps=0.5");
        wlab_step made = {0};
        while (made.verdict == WL_MORE)
            made = stepped(both[1], s, NULL);
        assert_int_equal(made.verdict == WL_CONVERGED, mm_fitted(s) && s->ended);
        stalled += made.verdict == WL_STALLED;
        both[1]->destroy(s);
        wlab_problem_unref(p);
    }
    assert_true(stalled > 0);
}

static void test_similarity(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = bags("bagsize=6 seed=1");
    mm_state *s = create_state(both[0], p, "");
    int32_t all[N];
    wlab_probed V;
    for (int i = 0; i < N; i++)
        all[i] = i;
    ASSERT_FAILS(probed_over(both[0], s, WL_PROBE_MATRIX, all, N, &V, NULL, &err), WL_ESTATE, err, "step");
    step(both[0], s, NULL);
    ASSERT_OK(probed_over(both[0], s, WL_PROBE_MATRIX, all, N, &V, NULL, &err), err);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            const double v = V.value[i * N + j];
            assert_true(v > 0 && v <= 1 && v == V.value[j * N + i]);
            assert_true(p->bag[i] != p->bag[j] || v == 1);
        }
    wlab_probed_clear(&V);
    both[0]->destroy(s);
    wlab_problem_unref(p);
}

static void test_units(void **state)
{
    (void)state;
    wlab_problem *p = bags("bagsize=6 seed=1");
    units_hold(both[0], p, "lambda=5", 4, 0);
    units_hold(both[1], p, "lambda=50", 9, 0);
    units_hold(both[1], p, "kernel=rbf sigma=9 lambda=5", 6, 0);
    units_hold(both[1], p, "lambda=50 variant=max rounds=3", 25, 0);
    wlab_problem_unref(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_means),        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_kernel),       cmocka_unit_test(test_alternation),
        cmocka_unit_test(test_worst_labels), cmocka_unit_test(test_stalled),
        cmocka_unit_test(test_similarity),   cmocka_unit_test(test_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

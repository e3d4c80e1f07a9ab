/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The convex relaxation of the soft-max loss and of the square loss: its values against regressions, its bounds against
 * all labelings, its gradient against finite differences, and its optimum against another method.
 */
#include "relaxed.h"

/* F(zz') of the labeling: every row is in the group of its class, so that Y is the block alone. */
static double identity_value(posed *p, const int *label, wlab_relax_inner method)
{
    wlab_relax *s;
    wlab_err err;
    wlab_relax_problem q = p->q;
    int32_t node[64], group[64];
    for (int c = 0; c < q.classes; c++)
        node[c] = -1 - c;
    for (int64_t i = 0; i < q.n; i++)
        group[i] = label[i];
    q.groups = q.classes;
    q.group = group;
    q.node = node;
    q.nodes = q.block;
    ASSERT_OK(wlab_relax_create(&s, &q, method, 1e-10, NULL, &err), err);
    const wlab_relax_numbers got = relax_run(s, 3000, NULL);
    assert_int_equal(wlab_relax_state(s), WL_RELAX_CONVERGED);
    assert_true(got.inner_gap >= 0 && got.gap >= 0);
    wlab_relax_destroy(s);
    return got.upper;
}

static void test_identity(void **state)
{
    static const int classes[] = {2, 3, 5};
    static const double lambdas[] = {0.01, 0.1, 10};
    (void)state;
    for (int k = 0; k < 3; k++)
        for (int variant = 0; variant < 24; variant++) {
            const bool simplex = variant & 1, intercept = variant & 2;
            const wlab_relax_inner method = variant & 4 ? WL_RELAX_PROXIMAL : WL_RELAX_NEWTON;
            posed p = posed_create(15, 4, classes[k], simplex, 15, true, 7 + (uint64_t)variant);
            int label[15];
            wlab_rng rng;
            wlab_rng_seed(&rng, 3 + (uint64_t)(24 * k + variant));
            for (int i = 0; i < 15; i++)
                label[i] = (int)wlab_rng_below(&rng, (uint64_t)classes[k]);
            p.q.intercept = intercept;
            p.q.lambda = lambdas[variant / 8];
            const double expected = labeling_value(&p.q, label), got = identity_value(&p, label, method);
            ASSERT_NEAR(got, expected, 1e-8);
            posed_clear(&p);
        }
}

/* min over W [d x r] and, with an intercept, b of 1/2 sum_n pi_n |t_n - W'x_n - b|^2 + lambda/2 |W|^2 by the normal
 * equations, the intercept a column of ones; t [n x r]. */
static double ridge(const wlab_relax_problem *q, const double *t, int64_t r)
{
    const int64_t k = q->d + q->intercept;
    double *A = calloc((size_t)(k * k), 8), *B = calloc((size_t)(k * r), 8), value = 0;
    for (int64_t n = 0; n < q->n; n++)
        for (int64_t i = 0; i < k; i++) {
            const double x = q->pi[n] * (i < q->d ? q->X[n * q->d + i] : 1);
            for (int64_t j = 0; j < k; j++)
                A[i * k + j] += x * (j < q->d ? q->X[n * q->d + j] : 1);
            for (int64_t j = 0; j < r; j++)
                B[i * r + j] += x * t[n * r + j];
        }
    for (int64_t i = 0; i < q->d; i++)
        A[i * k + i] += q->lambda;
    assert_int_equal(LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', (lapack_int)k, (lapack_int)r, A, (lapack_int)k, B,
                                   (lapack_int)r),
                     0);
    for (int64_t i = 0; i < q->d * r; i++)
        value += q->lambda / 2 * B[i] * B[i];
    for (int64_t n = 0; n < q->n; n++)
        for (int64_t j = 0; j < r; j++) {
            double e = t[n * r + j];
            for (int64_t i = 0; i < k; i++)
                e -= (i < q->d ? q->X[n * q->d + i] : 1) * B[i * r + j];
            value += q->pi[n] / 2 * e * e;
        }
    free(A), free(B);
    return value;
}

/* F of the square loss at a Y that need not be a labeling's.  The targets of the regression are the rows of a factor
 * of Y; a labelled row (there are none, some or only such rows) has the vector of its class.  If there is
 * an intercept and no row is labelled, the term m'Ym of the balance is added. */
static void test_square(void **state)
{
    static const int classes[] = {2, 3, 5};
    (void)state;
    for (int k = 0; k < 3; k++)
        for (int variant = 0; variant < 12; variant++) {
            const int P = classes[k];
            const int64_t n = 15, labelled = variant < 4 ? 0 : variant < 8 ? P + 2 : n;
            posed p = posed_create(n, 4, P, variant & 1, labelled, true, 41 + (uint64_t)variant);
            const int64_t r = p.q.nodes < 6 ? p.q.nodes : 6;
            p.q.square = true;
            p.q.intercept = variant & 2;
            p.q.lambda = variant % 3 ? 0.003 : 0.5;
            double *V = random_factor(p.q.nodes, p.q.block, r, 5 + (uint64_t)variant);
            double t[15 * 6] = {0}, mean[6] = {0}, balance = 0;
            for (int64_t i = 0; i < n; i++)
                for (int64_t j = 0; j < r; j++) {
                    const int node = p.node[p.group[i]];
                    const double v = node >= 0       ? V[node * r + j]
                                     : j < p.q.block ? p.vertex[(-1 - node) * p.q.block + j]
                                                     : 0;
                    t[i * r + j] = sqrt(p.q.c) * v;
                    mean[j] += p.pi[i] * t[i * r + j];
                }
            for (int64_t j = 0; j < r && p.q.intercept && !labelled; j++)
                balance += mean[j] * mean[j] / 2;
            wlab_relax *s;
            wlab_err err;
            ASSERT_OK(wlab_relax_create(&s, &p.q, WL_RELAX_NEWTON, 1e-12, NULL, &err), err);
            ASSERT_NEAR(relax_value_at(s, V, r), ridge(&p.q, t, r) + balance, 1e-10);
            wlab_relax_destroy(s);
            posed_clear(&p);
            free(V);
        }
}

/* Whether the labeling has the labels of labelled rows, one label per group, and different labels for the pairs. */
static bool is_allowed(const wlab_relax_problem *q, const int *label)
{
    for (int64_t i = 0; i < q->n; i++) {
        if (q->node[q->group[i]] < 0 && label[i] != -1 - q->node[q->group[i]])
            return false;
        for (int64_t j = 0; j < i; j++) {
            if (q->group[i] == q->group[j] && label[i] != label[j])
                return false;
            for (int64_t k = 0; k < q->pairs; k++)
                if (label[i] == label[j] && ((q->pair[k].a == q->group[i] && q->pair[k].b == q->group[j]) ||
                                             (q->pair[k].b == q->group[i] && q->pair[k].a == q->group[j])))
                    return false;
        }
    }
    return true;
}

static double least_labeling(const wlab_relax_problem *q)
{
    double best = INFINITY;
    int label[16] = {0};
    for (;;) {
        int64_t i = 0;
        if (is_allowed(q, label))
            best = fmin(best, labeling_value(q, label));
        while (i < q->n && ++label[i] == q->classes)
            label[i++] = 0;
        if (i == q->n)
            return best;
    }
}

/* Runs to convergence and checks the bounds after every step. */
static void check_bounds(const wlab_relax_problem *q, wlab_relax_inner method, double best)
{
    wlab_relax *s;
    wlab_err err;
    const double eps = 1e-3;
    double lower = -INFINITY;
    ASSERT_OK(wlab_relax_create(&s, q, method, eps, NULL, &err), err);
    for (int u = 0; u < 20000 && wlab_relax_state(s) == WL_RELAX_GOING; u++) {
        bool outer;
        ASSERT_OK(wlab_relax_advance(s, &outer, NULL, &err), err);
        if (!outer)
            continue;
        const wlab_relax_numbers now = wlab_relax_get(s);
        assert_true(now.inner_gap >= 0 && now.gap >= 0 && isfinite(now.upper) && isfinite(now.lower));
        assert_true(now.lower >= lower && now.newest <= now.lower);
        assert_true(now.lower <= best + 1e-9);
        assert_true(now.violation <= 1e-8 && now.lower <= now.upper + (q->pairs > 0 ? 1e-7 : 1e-9));
        lower = now.lower;
    }
    assert_int_equal(wlab_relax_state(s), WL_RELAX_CONVERGED);
    const wlab_relax_numbers end = wlab_relax_get(s);
    assert_true(end.gap <= eps * fabs(end.upper) && end.inner_gap <= eps * fabs(end.upper));
    wlab_relax_destroy(s);
}

static void test_bounds(void **state)
{
    (void)state;
    for (int variant = 0; variant < 32; variant++) {
        const int classes = variant & 1 ? 3 : 2;
        const bool simplex = variant & 2, labelled = variant & 4,
                   pairs = variant & 8 && (classes == 3 || !(simplex || labelled));
        const int64_t n = classes == 2 ? 8 : 6;
        posed p = posed_create(n, 2, classes, simplex, labelled ? classes : 0, true, 20 + (uint64_t)variant);
        p.q.lambda = variant % 3 == 0 ? 0.01 : 0.2;
        p.q.intercept = variant < 16;
        if (labelled) { /* one more row that certainly has the first class: a merged negative */
            p.group[n - 1] = p.group[0];
            p.q.groups--;
            p.q.nodes--;
        }
        p.q.pair = p.pair;
        if (pairs) { /* two rows of different classes; if rows are labelled, also one that is not of the first class */
            const double apart = simplex ? -1.0 / (classes - 1) : 0;
            p.pair[p.q.pairs++] = (wlab_relax_pair){p.group[n - 2], p.group[n - 3], apart};
            if (labelled)
                p.pair[p.q.pairs++] = (wlab_relax_pair){p.group[0], p.group[n - 2], apart};
        }
        const double best = least_labeling(&p.q);
        check_bounds(&p.q, WL_RELAX_NEWTON, best);
        if (!pairs)
            check_bounds(&p.q, WL_RELAX_PROXIMAL, best);
        posed_clear(&p);
    }
}

/* Finite differences of F along V(h) = V + hE, with rows scaled to unit length, equal <G, Y'>. */
static void test_gradient(void **state)
{
    (void)state;
    for (int variant = 0; variant < 4; variant++) {
        posed p = posed_create(9, 3, 3, variant & 1, variant & 2 ? 3 : 0, true, 5);
        const int64_t M = p.q.nodes, r = 5;
        double *V = random_factor(M, p.q.block, r, 1), *E = random_factor(M, 0, r, 2), *W = calloc(45, 8),
               *G = calloc((size_t)(M * M), 8), f[2], slope = 0;
        wlab_relax *s;
        wlab_err err;
        ASSERT_OK(wlab_relax_create(&s, &p.q, WL_RELAX_NEWTON, 1e-12, NULL, &err), err);
        const double h = 1e-4;
        double *Y[2] = {calloc((size_t)(M * M), 8), calloc((size_t)(M * M), 8)};
        for (int side = 0; side < 2; side++) {
            for (int64_t i = 0; i < M * r; i++)
                W[i] = V[i] + (i / r < p.q.block ? 0 : (side ? h : -h) * E[i]);
            to_length(W, M, p.q.block, r);
            for (int64_t i = 0; i < M; i++)
                for (int64_t j = 0; j < M; j++)
                    Y[side][i * M + j] = relax_dot(W + i * r, W + j * r, r);
            s->best = -INFINITY;
            s->eps = 1e-12;
            f[side] = relax_value_at(s, W, r);
        }
        relax_value_at(s, V, r);
        wlab_relax_gradient(s, G);
        for (int64_t i = 0; i < M * M; i++)
            slope += G[i] * (Y[1][i] - Y[0][i]);
        ASSERT_NEAR((f[1] - f[0]) / (2 * h), slope / (2 * h), 2e-4 * fabs(slope / h) + 1e-9);
        wlab_relax_destroy(s);
        posed_clear(&p);
        free(V), free(E), free(W), free(G), free(Y[0]), free(Y[1]);
    }
}

/* The optimum by another method: gradient steps on the factor of Y, as Burer and Monteiro. */
static double factor_optimum(const wlab_relax_problem *q)
{
    const int64_t M = q->nodes, r = 6;
    double *V = random_factor(M, q->block, r, 11), *W = calloc((size_t)(M * r), 8),
           *G = calloc((size_t)(M * M), 8), step = 1, f;
    wlab_relax *s;
    wlab_err err;
    ASSERT_OK(wlab_relax_create(&s, q, WL_RELAX_NEWTON, 1e-9, NULL, &err), err);
    f = relax_value_at(s, V, r);
    for (int round = 0; round < 300 && step > 1e-12; round++) {
        relax_value_at(s, V, r);
        wlab_relax_gradient(s, G);
        for (;; step /= 2) {
            for (int64_t i = 0; i < M; i++)
                for (int64_t j = 0; j < r; j++) {
                    double g = 0;
                    for (int64_t k = 0; k < M; k++)
                        g += G[i * M + k] * V[k * r + j];
                    W[i * r + j] = V[i * r + j] - (i < q->block ? 0 : step * g);
                }
            to_length(W, M, q->block, r);
            const double next = relax_value_at(s, W, r);
            if (next < f || step < 1e-12) {
                f = fmin(f, next);
                memcpy(V, W, (size_t)(M * r) * sizeof *V);
                break;
            }
        }
        step *= 3;
    }
    wlab_relax_destroy(s);
    free(V), free(W), free(G);
    return f;
}

/* 16 of the 32 combinations of five choices with two values each, chosen so that any three choices occur with all
 * their values. */
static void test_reference(void **state)
{
    (void)state;
    for (int variant = 0; variant < 16; variant++) {
        posed p = posed_create(9, 2, variant & 1 ? 3 : 2, variant & 2, variant & 4 ? 3 : 0, true, 31);
        wlab_err err;
        wlab_relax *s;
        p.q.intercept = variant & 8;
        p.q.square = __builtin_parity((unsigned)variant);
        const double expected = factor_optimum(&p.q);
        ASSERT_OK(wlab_relax_create(&s, &p.q, WL_RELAX_NEWTON, 1e-4, NULL, &err), err);
        const wlab_relax_numbers got = relax_run(s, 20000, NULL);
        assert_int_equal(wlab_relax_state(s), WL_RELAX_CONVERGED);
        assert_true(got.lower <= expected + 1e-9);
        assert_true(got.upper <= expected + 2e-4 * fabs(expected) + 1e-7);
        wlab_relax_destroy(s);
        posed_clear(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_identity), cmocka_unit_test(test_square),    cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_gradient), cmocka_unit_test(test_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

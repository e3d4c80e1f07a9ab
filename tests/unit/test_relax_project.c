/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The convex relaxation with prescribed products of rows: they hold in every step, bounds are below the values of all
 * labelings, gaps close; threads, interrupts, snapshots, memory.
 */
#include "base/walk.h"
#include "relaxed.h"

enum {
    P = 4,
    MOST = 32
};

/* The first P rows are labelled, each other row has one of two candidate classes; pairs of rows without a common
 * candidate have different classes. */
typedef struct apart {
    posed p;
    int first[MOST], second[MOST];
    wlab_relax_pair pair[MOST * P + MOST * MOST / 2];
    int rows; /* pairs of rows */
} apart;

static apart *apart_create(int n, bool simplex, double lambda)
{
    apart *a = calloc(1, sizeof *a);
    const double value = simplex ? -1.0 / (P - 1) : 0;
    assert_non_null(a);
    a->p = posed_create(n, 3, P, simplex, P, true, 83);
    for (int i = P; i < n; i++) {
        a->first[i] = i % P;
        a->second[i] = (i + 1 + i / P % 3) % P;
        for (int c = 0; c < P; c++)
            if (c != a->first[i] && c != a->second[i])
                a->pair[a->p.q.pairs++] = (wlab_relax_pair){c, a->p.group[i], value};
        for (int j = P; j < i; j++)
            if (a->first[i] != a->first[j] && a->first[i] != a->second[j] && a->second[i] != a->first[j] &&
                a->second[i] != a->second[j]) {
                a->pair[a->p.q.pairs++] = (wlab_relax_pair){a->p.group[i], a->p.group[j], value};
                a->rows++;
            }
    }
    assert_true(a->rows > 0);
    a->p.q.pair = a->pair;
    a->p.q.lambda = lambda;
    return a;
}

static void apart_destroy(apart *a)
{
    posed_clear(&a->p);
    free(a);
}

static wlab_relax *made(const apart *a, wlab_relax_inner method, double eps)
{
    wlab_relax *s;
    wlab_err err;
    ASSERT_OK(wlab_relax_create(&s, &a->p.q, method, eps, NULL, &err), err);
    return s;
}

/* Runs to convergence; every Y has the products to 1e-8. */
static void run_checked(const apart *a, double eps, int steps, double best)
{
    wlab_relax *s = made(a, WL_RELAX_NEWTON, eps);
    wlab_err err;
    double lower = -INFINITY;
    while (wlab_relax_state(s) == WL_RELAX_GOING) {
        bool outer;
        ASSERT_OK(wlab_relax_advance(s, &outer, NULL, &err), err);
        if (!outer)
            continue;
        const wlab_relax_numbers now = wlab_relax_get(s);
        assert_true(now.violation <= 1e-8 && now.gap >= 0 && now.inner_gap >= 0);
        assert_true(now.lower >= lower && now.newest <= now.lower);
        assert_true(now.lower <= now.upper + 1e-9 && now.lower <= best + 1e-9);
        assert_true(now.outer <= steps);
        lower = now.lower;
        for (int64_t k = 0; k < s->nodes; k++) {
            int64_t r;
            const double *V = wlab_relax_factor(s, &r);
            ASSERT_NEAR(relax_dot(V + k * r, V + k * r, r), 1, 1e-9);
        }
    }
    assert_int_equal(wlab_relax_state(s), WL_RELAX_CONVERGED);
    const wlab_relax_numbers end = wlab_relax_get(s);
    assert_true(end.upper - end.lower <= eps * fabs(end.upper));
    wlab_relax_destroy(s);
}

static void test_labelings(void **state)
{
    enum {
        N = 10
    };
    (void)state;
    for (int variant = 0; variant < 6; variant++) {
        static const double lambdas[] = {0.003, 0.05, 1};
        apart *a = apart_create(N, variant & 1, lambdas[variant / 2]);
        double best = INFINITY;
        for (int bits = 0; bits < 1 << (N - P); bits++) {
            int label[N];
            for (int i = 0; i < N; i++)
                label[i] = i < P ? i : bits >> (i - P) & 1 ? a->second[i] : a->first[i];
            best = fmin(best, labeling_value(&a->p.q, label));
        }
        run_checked(a, 1e-3, 200, best);
        apart_destroy(a);
    }
}

static void test_converges(void **state)
{
    (void)state;
    for (int variant = 0; variant < 2; variant++) {
        apart *a = apart_create(MOST, variant, variant ? 0.1 : 0.001);
        run_checked(a, 2e-3, 60, INFINITY);
        apart_destroy(a);
    }
}

/* The same bits with threads, after an interrupted step, from a snapshot, and with another lambda in between. */
static void test_units(void **state)
{
    atomic_int flag = 1;
    wlab_ctx stop = {.interrupt = &flag}, ctx = {0};
    wlab_pool *pool;
    wlab_err err;
    int stopped = 0;
    (void)state;
    ASSERT_OK(wlab_pool_create(&pool, 3, &err), err);
    ctx.pool = pool;
    for (int square = 0; square < 2; square++) {
        apart *q = apart_create(14, true, 0.05);
        q->p.q.square = square;
        wlab_relax *a = made(q, WL_RELAX_NEWTON, 1e-4), *b = made(q, WL_RELAX_NEWTON, 1e-4);
        for (int u = 0; u < 24; u++) {
            bool outer, other;
            if (u == 16) {
                ASSERT_OK(wlab_relax_set_lambda(a, 0.02, &err), err);
                ASSERT_OK(wlab_relax_set_lambda(b, 0.02, &err), err);
            }
            const wlab_relax_numbers before = wlab_relax_get(b);
            ASSERT_OK(wlab_relax_advance(a, &outer, NULL, &err), err);
            if (wlab_relax_advance(b, &other, &stop, &err)) {
                const wlab_relax_numbers after = wlab_relax_get(b);
                assert_memory_equal(&before, &after, sizeof before);
                stopped++;
                ASSERT_OK(wlab_relax_advance(b, &other, &ctx, &err), err);
            }
            assert_int_equal(outer, other);
            assert_same_solver(a, b);
            wlab_buf buf = {0};
            ASSERT_OK(wlab_walk_write(&buf, wlab_relax_walk, b, &err), err);
            wlab_relax_destroy(b);
            b = made(q, WL_RELAX_NEWTON, 1e-2);
            ASSERT_OK(wlab_walk_read(&buf, wlab_relax_walk, b, NULL, &err), err);
            wlab_buf_clear(&buf);
            assert_same_solver(a, b);
        }
        wlab_relax_destroy(a);
        wlab_relax_destroy(b);
        apart_destroy(q);
    }
    assert_true(stopped > 5);
    wlab_pool_destroy(pool);
}

static void test_memory(void **state)
{
    apart *a = apart_create(9, true, 0.1);
    wlab_relax *s;
    wlab_err err;
    (void)state;
    ALLOC_SWEEP_OUT(wlab_relax_create(&s, &a->p.q, WL_RELAX_NEWTON, 1e-2, NULL, &err), s);
    wlab_relax_destroy(s);
    a->pair[a->p.q.pairs - 1].value = -1; /* allows no matrix of full rank */
    ASSERT_FAILS(wlab_relax_create(&s, &a->p.q, WL_RELAX_NEWTON, 1e-2, NULL, &err), WL_EARG, err,
                 "prescribed products");
    apart_destroy(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_labelings),
        cmocka_unit_test(test_converges),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

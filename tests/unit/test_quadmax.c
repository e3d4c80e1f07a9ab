/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * max over the label set B of y'Hy: the tree search against the enumeration of all labelings, its bound, limits and
 * failures.
 */
#include "support.h"

#include "solve/quadmax/quadmax.h"

enum {
    MOST = 40,
    WIDE = 54
};

typedef enum kind {
    SSL,
    CLUSTER,
    LLP,
    MIL,
    AMBIGUOUS,
    KINDS
} kind;

/* The shape of H: of any rank; with equal, opposite and zero rows; of rank one; integers, with many ties; nearly equal
 * entries, so that the values of labelings with equally many positives differ little. */
typedef enum shape {
    GENERIC,
    TWINS,
    RANK_ONE,
    INTEGERS,
    FLAT,
    SHAPES
} shape;

static void make_H(shape of, int64_t n, wlab_rng *rng, double *H)
{
    double A[WIDE * WIDE];
    int64_t rank = of == RANK_ONE ? 1 : 1 + (int64_t)wlab_rng_below(rng, (uint64_t)n);
    for (int64_t i = 0; i < n * n; i++)
        A[i] = of == INTEGERS ? (double)wlab_rng_below(rng, 3) - 1
               : of == FLAT   ? 1 + 1e-4 * wlab_rng_normal(rng)
                              : wlab_rng_normal(rng);
    for (int64_t i = 1; i < n && (of == TWINS || of == INTEGERS); i++) {
        uint64_t how = wlab_rng_below(rng, 6);
        for (int64_t k = 0; k < n && how < 3; k++)
            A[i * n + k] = how == 0 ? 0 : how == 1 ? A[(i - 1) * n + k] : -A[(i - 1) * n + k];
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            H[i * n + j] = 0;
            for (int64_t k = 0; k < rank; k++)
                H[i * n + j] += A[i * n + k] * A[j * n + k];
        }
}

static wlab_labelset *make_set(kind of, int64_t n, wlab_rng *rng)
{
    int8_t visible[MOST];
    int32_t bag[MOST];
    double proportion[MOST];
    wlab_labelset *B = NULL;
    wlab_err err;
    int64_t size = 2 + (int64_t)wlab_rng_below(rng, 4), bags = (n + size - 1) / size, open = 0;
    for (int64_t k = 0; k < n; k++) {
        visible[k] = (int8_t)(wlab_rng_below(rng, 4) ? 0 : wlab_rng_below(rng, 2) ? 1 : -1);
        open += visible[k] == 0;
        bag[k] = (int32_t)(k / size);
        proportion[k] = of == LLP ? (double)wlab_rng_below(rng, 5) / 4 : wlab_rng_below(rng, 4) > 0;
    }
    wlab_code code =
        of == SSL ? wlab_labelset_ssl(&B, visible, n, (int64_t)wlab_rng_below(rng, (uint64_t)open + 1), &err)
        : of == CLUSTER
            ? wlab_labelset_cluster(&B, n, 1 + (double)wlab_rng_below(rng, (uint64_t)n / 2 + 1), &err)
        : of == LLP ? wlab_labelset_llp(&B, bag, NULL, n, bags, proportion,
                                        0.1 * (double)wlab_rng_below(rng, 5), &err)
        : of == MIL
            ? wlab_labelset_mil(&B, bag, n, bags, proportion, 1 + (int64_t)wlab_rng_below(rng, 2), &err)
            : wlab_labelset_ambiguous(&B, visible, n, &err);
    ASSERT_OK(code, err);
    return B;
}

static double value_of(const double *H, const double *a, int64_t n, const int8_t *y)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            sum += H[i * n + j] * (a ? a[i] * a[j] : 1) * y[i] * y[j];
    return sum;
}

typedef struct all {
    const double *H, *a;
    int64_t n;
    double best;
} all;

static bool on_visit(void *data, const int8_t *y, const int32_t *changed, int64_t nchanged)
{
    all *v = data;
    (void)changed, (void)nchanged;
    v->best = fmax(v->best, value_of(v->H, v->a, v->n, y));
    return true;
}

/* Checks what must hold of every search over B; `enumerate`: B is small enough to enumerate. */
static void check_search(const wlab_labelset *B, const double *H, const double *a, wlab_rng *rng,
                         bool enumerate)
{
    int8_t y[WIDE], start[WIDE], again[WIDE];
    wlab_err err;
    wlab_quadmax_result got, cut;
    int64_t n = B->n;
    double trace = 0, root = 0;
    for (int64_t k = 0; k < n; k++)
        trace += H[k * n + k] * (a ? a[k] * a[k] : 1);
    double tolerance = 1e-9 * trace, tiny = 1e-11 * (trace + 1e-300) * (double)n;
    wlab_labelset_random(B, rng, start);
    memcpy(y, start, (size_t)n);
    ASSERT_OK(wlab_quadmax(B, H, a, tolerance, 1000000, y, &got, NULL, &err), err);
    assert_true(wlab_labelset_contains(B, y));
    assert_true(got.optimal && got.nodes <= 1000000);
    assert_true(fabs(got.value - value_of(H, a, n, y)) <= tiny);
    assert_true(got.bound >= got.value && got.bound <= got.value + tolerance + tiny);
    ASSERT_OK(wlab_quadmax_bound(B, H, a, tolerance, &root, NULL, &err), err);
    assert_true(root >= got.value - tiny);
    if (enumerate) {
        all v = {H, a, n, -HUGE_VAL};
        ASSERT_OK(wlab_labelset_enumerate(B, on_visit, &v, &err), err);
        assert_true(fabs(got.value - v.best) <= 1e-9 * v.best + tolerance + tiny);
        assert_true(got.bound >= v.best - tiny);
        assert_true(root >= v.best - tiny);
    }
    /* cut short: the bound is valid, and the returned labeling is no worse than the start */
    memcpy(again, start, (size_t)n);
    ASSERT_OK(wlab_quadmax(B, H, a, tolerance, 1 + (int64_t)wlab_rng_below(rng, 5), again, &cut, NULL, &err),
              err);
    assert_true(wlab_labelset_contains(B, again));
    assert_true(cut.bound >= got.value - tiny && cut.value <= got.value + tolerance + tiny);
    assert_true(cut.value >= value_of(H, a, n, start) - tiny);
    if (cut.optimal)
        assert_true(cut.bound <= cut.value + tolerance + tiny);
    /* started from the optimum, the search returns the same labeling unless it finds one with a larger value */
    memcpy(again, y, (size_t)n);
    ASSERT_OK(wlab_quadmax(B, H, a, tolerance, 1000000, again, &cut, NULL, &err), err);
    if (cut.value <= got.value)
        assert_memory_equal(again, y, (size_t)n);
}

static void every_labeling(void **state)
{
    double H[MOST * MOST], a[MOST];
    (void)state;
    wlab_rng rng;
    wlab_rng_seed(&rng, 1);
    for (int of = SSL; of < KINDS; of++)
        for (int form = GENERIC; form < SHAPES; form++)
            for (int64_t n = 1; n <= 16; n += n < 12 ? 1 : 2)
                for (int round = 0; round < (n <= 10 ? 6 : 1); round++) {
                    wlab_labelset *B = make_set((kind)of, n, &rng);
                    make_H((shape)form, n, &rng, H);
                    for (int64_t k = 0; k < n; k++) /* some rows have no weight */
                        a[k] = wlab_rng_below(&rng, 4) ? wlab_rng_uniform(&rng) : 0;
                    check_search(B, H, round % 2 ? a : NULL, &rng, true);
                    wlab_labelset_destroy(B);
                }
}

/* |B| up to 2^40: too large to enumerate, so only the certificate is checked. */
static void large_sets(void **state)
{
    double H[MOST * MOST];
    (void)state;
    wlab_rng rng;
    wlab_rng_seed(&rng, 2);
    for (int of = SSL; of < KINDS; of++)
        for (int round = 0; round < 3; round++) {
            wlab_labelset *B = make_set((kind)of, MOST, &rng);
            make_H(round == 2 ? TWINS : GENERIC, MOST, &rng, H);
            check_search(B, H, NULL, &rng, false);
            wlab_labelset_destroy(B);
        }
}

/* The relaxation of a psd form over sign vectors is at most pi/2 times their maximum.  For bags with exactly one
 * positive it is exact if the form is a sum over bags. */
static void multipliers(void **state)
{
    double H[MOST * MOST], root;
    (void)state;
    wlab_err err;
    wlab_rng rng;
    wlab_rng_seed(&rng, 3);
    int8_t visible[14] = {0};
    for (int round = 0; round < 10; round++) {
        wlab_labelset *B = NULL;
        make_H(GENERIC, 14, &rng, H);
        ASSERT_OK(wlab_labelset_ambiguous(&B, visible, 14, &err), err);
        all v = {H, NULL, 14, 0};
        ASSERT_OK(wlab_labelset_enumerate(B, on_visit, &v, &err), err);
        ASSERT_OK(wlab_quadmax_bound(B, H, NULL, 1e-9 * v.best, &root, NULL, &err), err);
        assert_true(root >= v.best && root <= 1.5708 * v.best);
        wlab_labelset_destroy(B);
    }
    for (int round = 0; round < 10; round++) {
        int32_t bag[12];
        double proportion[3] = {1, 1, 1}, best = 0;
        wlab_labelset *B = NULL;
        make_H(GENERIC, 12, &rng, H);
        for (int64_t i = 0; i < 12; i++) {
            bag[i] = (int32_t)(i / 4);
            for (int64_t j = 0; j < 12; j++)
                if (i / 4 != j / 4)
                    H[i * 12 + j] = 0;
        }
        for (int64_t g = 0; g < 3; g++) {
            double top = 0;
            for (int64_t i = 4 * g; i < 4 * g + 4; i++)
                top = fmax(top, H[i * 12 + i]);
            best += top;
        }
        ASSERT_OK(wlab_labelset_mil(&B, bag, 12, 3, proportion, 1, &err), err);
        ASSERT_OK(wlab_quadmax_bound(B, H, NULL, 1e-8 * best, &root, NULL, &err), err);
        assert_true(root >= best - 1e-12 * best && root <= best * (1 + 1e-6));
        wlab_labelset_destroy(B);
    }
}

/* Bags with so many pairs of rows that Newton's equations are solved by conjugate gradients. mil: one key instance
 * per bag; otherwise all rows of a bag but one are positive. */
static wlab_code make_wide(wlab_labelset **B, int64_t n, int64_t size, bool mil, wlab_err *err)
{
    int32_t bag[WIDE];
    double proportion[WIDE];
    for (int64_t k = 0; k < n; k++) {
        bag[k] = (int32_t)(k / size);
        proportion[k / size] = mil ? 1 : (double)(size - 1) / (double)size;
    }
    return mil ? wlab_labelset_mil(B, bag, n, n / size, proportion, 1, err)
               : wlab_labelset_llp(B, bag, NULL, n, n / size, proportion, 0, err);
}

static void wide_bags(void **state)
{
    double H[WIDE * WIDE], root;
    (void)state;
    wlab_err err;
    wlab_rng rng;
    wlab_rng_seed(&rng, 8);
    for (int round = 0; round <= RANK_ONE; round++) {
        wlab_labelset *B = NULL;
        ASSERT_OK(make_wide(&B, WIDE, round == GENERIC ? 18 : 27, round != TWINS, &err), err);
        make_H((shape)round, WIDE, &rng, H);
        check_search(B, H, NULL, &rng, true);
        wlab_labelset_destroy(B);
    }
    /* for a form that is a sum over bags the bound is tight */
    double best = 0;
    wlab_labelset *B = NULL;
    ASSERT_OK(make_wide(&B, WIDE, 18, true, &err), err);
    make_H(GENERIC, WIDE, &rng, H);
    for (int64_t i = 0; i < WIDE; i++)
        for (int64_t j = 0; j < WIDE; j++)
            if (i / 18 != j / 18)
                H[i * WIDE + j] = 0;
    for (int64_t g = 0; g < WIDE; g += 18) {
        double top = 0;
        for (int64_t i = g; i < g + 18; i++)
            top = fmax(top, H[i * WIDE + i]);
        best += top;
    }
    ASSERT_OK(wlab_quadmax_bound(B, H, NULL, 1e-9 * best, &root, NULL, &err), err);
    assert_true(root >= best * (1 - 1e-12) && root <= best * (1 + 2e-4));
    int8_t y[WIDE], was[WIDE];
    atomic_int stop = 1;
    wlab_ctx ctx = {.interrupt = &stop};
    wlab_quadmax_result got;
    wlab_labelset_random(B, &rng, y);
    memcpy(was, y, sizeof y);
    assert_int_equal(wlab_quadmax(B, H, NULL, 1e-9, 1000, y, &got, &ctx, &err), WL_EINTERRUPTED);
    assert_memory_equal(y, was, sizeof y);
    wlab_labelset_destroy(B);
}

static void make_hard_problem(wlab_labelset **B, double *H, int8_t *y)
{
    wlab_err err;
    wlab_rng rng;
    int8_t visible[MOST] = {0};
    wlab_rng_seed(&rng, 4);
    make_H(GENERIC, MOST, &rng, H);
    ASSERT_OK(wlab_labelset_ssl(B, visible, MOST, MOST / 2, &err), err);
    wlab_labelset_random(*B, &rng, y);
}

/* Points on a circle, an RBF kernel: many labelings are nearly as good as the best. */
static void make_circle(double *H, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            H[i * n + j] = exp((cos(2 * 3.14159265 * (i - j) / (double)n) - 1) / 0.03);
}

/* A long tree search divides the label set into parts, each with multipliers of its own.  From two random
 * starts it must find the same maximum. */
static void divided(void **state)
{
    double H[MOST * MOST], best = 0;
    int8_t y[MOST];
    (void)state;
    wlab_quadmax_result got;
    wlab_labelset *B = NULL;
    wlab_rng rng;
    wlab_err err;
    int8_t visible[MOST] = {0};
    make_circle(H, MOST);
    ASSERT_OK(wlab_labelset_ssl(&B, visible, MOST, MOST / 2, &err), err);
    wlab_rng_seed(&rng, 6);
    wlab_labelset_random(B, &rng, y);
    for (int round = 0; round < 2; round++) {
        ASSERT_OK(wlab_quadmax(B, H, NULL, 1e-9, 1000000, y, &got, NULL, &err), err);
        assert_true(got.optimal && got.parts > 1);
        assert_true(wlab_labelset_contains(B, y));
        assert_true(fabs(got.value - value_of(H, NULL, MOST, y)) < 1e-9);
        assert_true(round == 0 || fabs(got.value - best) < 1e-8);
        best = got.value;
        wlab_labelset_random(B, &rng, y);
    }
    wlab_labelset_destroy(B);
}

/* y'Hy = n a'a - (a'y)^2: the task is to divide the numbers a into two sets with nearly equal sums, which no bound helps
 * to do. */
static void make_partition(double *H, int n, wlab_rng *rng)
{
    double a[MOST], sum = 0;
    for (int i = 0; i < n; i++) {
        a[i] = 0.5 + wlab_rng_uniform(rng);
        sum += a[i] * a[i];
    }
    for (int i = 0; i < n * n; i++)
        H[i] = (i % (n + 1) == 0 ? sum : 0) - a[i / n] * a[i % n];
}

static bool same_result(const wlab_quadmax_result *a, const wlab_quadmax_result *b)
{
    return a->value == b->value && a->bound == b->bound && a->nodes == b->nodes && a->parts == b->parts &&
           a->optimal == b->optimal;
}

/* So large a tree that parts get cuts, in label sets that can still be enumerated. */
static void with_cuts(void **state)
{
    enum {
        n = 14
    };
    double H[n * n];
    int8_t y[n], visible[n] = {0}, was[n], before[n];
    (void)state;
    wlab_quadmax_result got, again, threads;
    wlab_pool *pool;
    wlab_rng rng;
    wlab_err err;
    wlab_rng_seed(&rng, 10);
    ASSERT_OK(wlab_pool_create(&pool, 3, &err), err);
    for (int round = 0; round < 6; round++) {
        wlab_labelset *B = NULL;
        make_partition(H, n, &rng);
        if (round % 3 == 0)
            ASSERT_OK(wlab_labelset_cluster(&B, n, 4, &err), err);
        else if (round % 3 == 1)
            ASSERT_OK(wlab_labelset_ssl(&B, visible, n, n / 2, &err), err);
        else
            ASSERT_OK(wlab_labelset_ambiguous(&B, visible, n, &err), err);
        all v = {H, NULL, n, -HUGE_VAL};
        ASSERT_OK(wlab_labelset_enumerate(B, on_visit, &v, &err), err);
        wlab_labelset_random(B, &rng, y);
        ASSERT_OK(quad_maximise(B, H, NULL, 1e-9, 1000000, 0, y, &got, NULL, &err), err);
        assert_true(got.optimal && got.parts > 1 && wlab_labelset_contains(B, y));
        assert_true(fabs(got.value - v.best) < 2e-9 && got.bound >= v.best - 1e-11);
        memcpy(was, y, sizeof was);
        memcpy(before, y, sizeof before); /* of equal values the start is kept */
        ASSERT_OK(quad_maximise(B, H, NULL, 1e-9, 1000000, 0, y, &again, NULL, &err), err);
        /* and parts on several threads give the same bits */
        ASSERT_OK(quad_maximise(B, H, NULL, 1e-9, 1000000, 0, was, &threads, &(wlab_ctx){.pool = pool}, &err),
                  err);
        assert_true(same_result(&again, &threads));
        assert_memory_equal(y, was, sizeof was);
        if (again.value <= got.value)
            assert_memory_equal(before, y, sizeof before);
        for (int64_t nodes = 1; nodes < got.nodes; nodes += 1 + nodes / 2) { /* cut short */
            memcpy(y, before, sizeof y);
            memcpy(was, before, sizeof was);
            ASSERT_OK(quad_maximise(B, H, NULL, 1e-9, nodes, 0, y, &again, NULL, &err), err);
            ASSERT_OK(
                quad_maximise(B, H, NULL, 1e-9, nodes, 0, was, &threads, &(wlab_ctx){.pool = pool}, &err),
                err);
            assert_true(same_result(&again, &threads));
            assert_memory_equal(y, was, sizeof was);
            assert_true(again.nodes <= nodes && again.bound >= v.best - 1e-11);
        }
        wlab_labelset_destroy(B);
    }
    wlab_pool_destroy(pool);
}

/* Each round of cuts gives a bound, by the quadratic form that the tree uses, of every labeling. */
static void cut_bounds(void **state)
{
    enum {
        n = 12
    };
    double H[n * n];
    (void)state;
    wlab_rng rng;
    wlab_err err;
    wlab_rng_seed(&rng, 11);
    for (int round = 0; round < 20; round++) {
        int8_t visible[n] = {0}, decided[n] = {0};
        wlab_labelset *B = NULL;
        make_H(round % 2 ? GENERIC : FLAT, n, &rng, H);
        if (round % 4 < 2)
            ASSERT_OK(wlab_labelset_cluster(&B, n, 2, &err), err);
        else
            ASSERT_OK(wlab_labelset_ssl(&B, visible, n, 5, &err), err);
        quad_form f;
        quad_shift plain, shift;
        quad_cuts cuts = {0}, of_child;
        ASSERT_OK(quad_form_create(&f, B, H, NULL, B->lo, B->hi, NULL, &err), err);
        ASSERT_OK(quad_shift_solve(&plain, &f, -HUGE_VAL, 1e-9, NULL, &err), err);
        ASSERT_OK(quad_shift_cut(&shift, &f, 0, 1e-6, round % 6, &cuts, NULL, &err), err);
        assert_true(shift.total <= plain.total * (1 + 1e-3) && (round % 6 > 0) >= (cuts.n > 0));
        quad_shift_clear(&plain);
        /* the children of a decision start from its cuts */
        quad_cuts_to_instances(&cuts, &f);
        quad_form child;
        decided[3] = 1;
        decided[7] = -1;
        ASSERT_OK(quad_form_create(&child, B, H, NULL, B->lo, B->hi, decided, &err), err);
        ASSERT_OK(quad_cuts_to_nodes(&of_child, &cuts, &child, n, &err), err);
        for (int64_t i = 0; i < of_child.n; i++)
            assert_true(of_child.cut[i].node[0] > of_child.cut[i].node[1] &&
                        of_child.cut[i].node[1] > of_child.cut[i].node[2]);
        ASSERT_OK(quad_shift_cut(&plain, &child, 0, 1e-6, 1, &of_child, NULL, &err), err);
        for (int bits = 0; bits < 1 << n; bits++) {
            int8_t y[n];
            for (int k = 0; k < n; k++)
                y[k] = bits >> k & 1 ? 1 : -1;
            if (!wlab_labelset_contains(B, y))
                continue;
            for (int of = 0; of < 2; of++) {
                const quad_form *g = of ? &child : &f;
                const quad_shift *s = of ? &plain : &shift;
                double size = 0, value = 0, z[n + 1] = {1};
                if (of && (y[3] < 0 || y[7] > 0))
                    continue;
                for (int64_t k = 1; k < g->N; k++)
                    z[k] = y[g->row[k]];
                for (int64_t i = 0; i < g->N; i++)
                    for (int64_t j = 0; j < g->N; j++) {
                        size += z[i] * s->Q[i * g->N + j] * z[j];
                        value += z[i] * g->H[i * g->N + j] * z[j];
                    }
                assert_true(size >= -1e-9 * value && value <= s->total - size + 1e-9 * value);
            }
        }
        quad_cuts_clear(&cuts);
        quad_cuts_clear(&of_child);
        quad_shift_clear(&plain);
        quad_shift_clear(&shift);
        quad_form_clear(&child);
        quad_form_clear(&f);
        wlab_labelset_destroy(B);
    }
}

static void interrupts(void **state)
{
    double H[MOST * MOST];
    int8_t y[MOST], was[MOST];
    atomic_int stop = 1;
    (void)state;
    wlab_ctx ctx = {.interrupt = &stop};
    wlab_quadmax_result got;
    wlab_err err;
    wlab_labelset *B = NULL;
    make_hard_problem(&B, H, y);
    memcpy(was, y, sizeof y);
    assert_int_equal(wlab_quadmax(B, H, NULL, 1e-9, 1000000, y, &got, &ctx, &err), WL_EINTERRUPTED);
    assert_memory_equal(y, was, sizeof y);
    wlab_labelset_destroy(B);
}

static wlab_code solve_small(void)
{
    double H[9 * 9], root;
    int8_t y[9];
    int32_t bag[9] = {0, 0, 0, 1, 1, 1, 1, 2, 2};
    double proportion[3] = {0.5, 0.5, 1};
    wlab_quadmax_result got;
    wlab_labelset *B = NULL;
    wlab_rng rng;
    wlab_rng_seed(&rng, 5);
    make_H(GENERIC, 9, &rng, H);
    wlab_code code = wlab_labelset_llp(&B, bag, NULL, 9, 3, proportion, 0.4, NULL);
    if (!code)
        wlab_labelset_random(B, &rng, y);
    if (!code)
        code = wlab_quadmax(B, H, NULL, 1e-9, 1000, y, &got, NULL, NULL);
    if (!code)
        code = wlab_quadmax_bound(B, H, NULL, 1e-9, &root, NULL, NULL);
    wlab_labelset_destroy(B);
    return code;
}

static wlab_code solve_wide(void)
{
    static double H[42 * 42];
    int8_t y[42];
    wlab_quadmax_result got;
    wlab_labelset *B = NULL;
    wlab_rng rng;
    wlab_rng_seed(&rng, 9);
    make_H(GENERIC, 42, &rng, H);
    wlab_code code = make_wide(&B, 42, 21, true, NULL);
    if (!code)
        wlab_labelset_random(B, &rng, y);
    if (!code)
        code = wlab_quadmax(B, H, NULL, 0.3 * H[0], 10, y, &got, NULL, NULL);
    wlab_labelset_destroy(B);
    return code;
}

static wlab_code solve_large(void)
{
    double H[10 * 10];
    int8_t y[10];
    wlab_quadmax_result got;
    wlab_labelset *B = NULL;
    wlab_rng rng;
    wlab_rng_seed(&rng, 12);
    make_partition(H, 10, &rng);
    wlab_code code = wlab_labelset_cluster(&B, 10, 10, NULL);
    if (!code)
        wlab_labelset_random(B, &rng, y);
    if (!code)
        code = wlab_quadmax(B, H, NULL, 1e-9, 3000, y, &got, NULL, NULL);
    assert_true(code || got.parts > 1);
    wlab_labelset_destroy(B);
    return code;
}

static void out_of_memory(void **state)
{
    (void)state;
    ALLOC_SWEEP(solve_small());
    ALLOC_SWEEP(solve_wide());
    ALLOC_SWEEP(solve_large());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_labeling), cmocka_unit_test(large_sets), cmocka_unit_test(multipliers),
        cmocka_unit_test(divided),        cmocka_unit_test(wide_bags),  cmocka_unit_test(interrupts),
        cmocka_unit_test(out_of_memory),  cmocka_unit_test(with_cuts),  cmocka_unit_test(cut_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

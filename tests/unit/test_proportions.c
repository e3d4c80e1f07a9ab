/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The labels chosen in bags against every labeling, losses and errors against their definitions, threads, memory.
 */
#include "support.h"

#include "algo/llp/proportions.h"
#include "weaklab/rng.h"

enum {
    MOST = 64
};

/* A problem with the fields that wlab_proportions reads. */
typedef struct posed {
    wlab_problem p;
    int8_t visible[MOST];
    int32_t bag[MOST];
    double proportion[MOST];
} posed;

static void pose(posed *q, int n, int bags)
{
    memset(q, 0, sizeof *q);
    q->p.n = n;
    q->p.bags = bags;
    q->p.visible = q->visible;
    q->p.bag = bags ? q->bag : NULL;
    q->p.bag_given = q->proportion;
    q->p.r = NAN;
}

static wlab_proportions *make(posed *q)
{
    wlab_err err;
    wlab_proportions *b = NULL;
    ASSERT_OK(wlab_proportions_create(&b, &q->p, &err), err);
    return b;
}

static double plain_loss(const wlab_proportion_loss *l, double d)
{
    const double a = fabs(d);
    return l->weight * (l->kind == WL_PROPORTION_ABSOLUTE  ? a
                        : l->kind == WL_PROPORTION_SQUARED ? a * a
                                                           : fmax(0, a - l->eps));
}

/* The value of labels y by definition. */
static double plain_value(const posed *q, const wlab_proportion_loss *l, const double *gain, const int8_t *y)
{
    double value = 0;
    for (int g = 0; g < q->p.bags; g++) {
        int size = 0, positives = 0;
        for (int k = 0; k < q->p.n; k++) {
            size += q->bag[k] == g;
            positives += q->bag[k] == g && y[k] > 0;
        }
        if (!isnan(q->proportion[g]))
            value +=
                (l->of_bag ? l->of_bag[g] : 1) * plain_loss(l, (double)positives / size - q->proportion[g]);
    }
    for (int k = 0; k < q->p.n; k++)
        value -= y[k] > 0 && !q->visible[k] ? gain[k] : 0;
    return value;
}

static void test_enumeration(void **state)
{
    (void)state;
    wlab_rng rng;
    wlab_rng_seed(&rng, 7);
    double positive_rows = 0;
    for (int round = 0; round < 400; round++) {
        posed q;
        const int n = 1 + (int)wlab_rng_below(&rng, 13);
        const int bags = 1 + (int)wlab_rng_below(&rng, (uint64_t)(n < 4 ? n : 4));
        double gain[MOST], factor[MOST];
        int8_t y[MOST], best[MOST];
        pose(&q, n, bags);
        for (int k = 0; k < n; k++) {
            q.bag[k] = k < bags ? k : (int32_t)wlab_rng_below(&rng, (uint64_t)bags);
            q.visible[k] = (int8_t)(wlab_rng_below(&rng, 5) == 0 ? (wlab_rng_below(&rng, 2) ? 1 : -1) : 0);
            gain[k] = round % 3 == 0 ? (double)wlab_rng_below(&rng, 5) - 2 : wlab_rng_normal(&rng);
        }
        for (int g = 0; g < bags; g++) {
            q.proportion[g] = wlab_rng_below(&rng, 6) == 0 ? (double)NAN : wlab_rng_uniform(&rng);
            q.proportion[g] =
                wlab_rng_below(&rng, 6) == 0 ? (double)wlab_rng_below(&rng, 2) : q.proportion[g];
            factor[g] = 1 + (double)wlab_rng_below(&rng, 3);
        }
        const wlab_proportion_loss l = {.kind = (wlab_proportion_loss_kind)(round % 3),
                                        .eps = 0.2 * wlab_rng_uniform(&rng),
                                        .weight = pow(10, (double)wlab_rng_below(&rng, 4) - 1),
                                        .of_bag = round % 2 ? factor : NULL};
        wlab_proportions *b = make(&q);
        wlab_err err;
        ASSERT_OK(wlab_proportions_label(b, &l, gain, best, NULL, NULL, &err), err);
        double least = HUGE_VAL, got = plain_value(&q, &l, gain, best);
        for (uint32_t code = 0; code < 1u << n; code++) {
            bool allowed = true;
            for (int k = 0; k < n; k++) {
                y[k] = code >> k & 1 ? 1 : -1;
                allowed = allowed && (!q.visible[k] || q.visible[k] == y[k]);
            }
            if (allowed)
                least = fmin(least, plain_value(&q, &l, gain, y));
        }
        ASSERT_NEAR(got, least, 1e-12);
        for (int k = 0; k < n; k++) {
            assert_true(best[k] == 1 || best[k] == -1);
            if (q.visible[k])
                assert_int_equal(best[k], q.visible[k]);
            positive_rows += best[k] > 0;
        }
        /* the penalty is the value without the gains of the rows */
        double sum = got;
        for (int k = 0; k < n; k++)
            sum += best[k] > 0 && !q.visible[k] ? gain[k] : 0;
        ASSERT_NEAR(wlab_proportions_penalty(b, &l, best), sum, 1e-12);
        wlab_proportions_destroy(b);
    }
    assert_true(positive_rows > 300);
}

/* A bag of 16 rows against all 2^16 labelings. */
static void test_sixteen(void **state)
{
    (void)state;
    wlab_rng rng;
    wlab_rng_seed(&rng, 3);
    for (int kind = 0; kind < 3; kind++) {
        posed q;
        double gain[16];
        int8_t y[16], best[16];
        wlab_err err;
        pose(&q, 16, 1);
        for (int k = 0; k < 16; k++)
            gain[k] = wlab_rng_normal(&rng);
        q.proportion[0] = 0.21;
        const wlab_proportion_loss l = {.kind = (wlab_proportion_loss_kind)kind, .eps = 0.05, .weight = 9};
        wlab_proportions *b = make(&q);
        ASSERT_OK(wlab_proportions_label(b, &l, gain, best, NULL, NULL, &err), err);
        double least = HUGE_VAL;
        for (uint32_t code = 0; code < 1u << 16; code++) {
            int positives = __builtin_popcount(code);
            double value = plain_loss(&l, positives / 16.0 - 0.21);
            for (int k = 0; k < 16; k++)
                value -= code >> k & 1 ? gain[k] : 0;
            least = fmin(least, value);
        }
        for (int k = 0; k < 16; k++)
            y[k] = best[k];
        ASSERT_NEAR(plain_value(&q, &l, gain, y), least, 1e-12);
        wlab_proportions_destroy(b);
    }
}

/* Among equal gains the row with the lower number becomes +1; among equal values the smaller count wins. */
static void test_ties(void **state)
{
    (void)state;
    posed q;
    wlab_err err;
    int8_t y[6];
    const double even[6] = {1, 1, 1, 1, 1, 1}, none[6] = {0};
    const wlab_proportion_loss strict = {.weight = 1000},
                               loose = {.kind = WL_PROPORTION_HINGE, .eps = 0.5, .weight = 1};
    pose(&q, 6, 1);
    q.proportion[0] = 0.5;
    wlab_proportions *b = make(&q);
    ASSERT_OK(wlab_proportions_label(b, &strict, even, y, NULL, NULL, &err), err);
    for (int k = 0; k < 6; k++)
        assert_int_equal(y[k], k < 3 ? 1 : -1);
    ASSERT_OK(wlab_proportions_label(b, &loose, none, y, NULL, NULL, &err), err);
    for (int k = 0; k < 6; k++)
        assert_int_equal(y[k], -1);
    const double wrong[6] = {1, NAN, 0, 0, 0, 0};
    ASSERT_FAILS(wlab_proportions_label(b, &strict, wrong, y, NULL, NULL, &err), WL_ENUMERIC, err,
                 "not a number");
    wlab_proportions_destroy(b);
}

static void test_errors(void **state)
{
    (void)state;
    posed q;
    pose(&q, 7, 3);
    const int32_t bag[7] = {2, 0, 1, 0, 2, 2, 0};
    const int8_t y[7] = {1, -1, 1, 1, -1, -1, 1};
    const double f[7] = {0.5, 0, -1, 2, 3, -0.1, 1e-300};
    memcpy(q.bag, bag, sizeof bag);
    q.proportion[0] = 0.25;
    q.proportion[1] = NAN;
    q.proportion[2] = 1;
    wlab_proportions *b = make(&q);
    double proportion[3];
    assert_int_equal(b->given, 2);
    assert_int_equal(wlab_proportions_size(b, 2), 3);
    const int32_t members[7] = {1, 3, 6, 2, 0, 4, 5};
    assert_memory_equal(b->member, members, sizeof members);
    wlab_proportions_of_labels(b, y, proportion);
    ASSERT_NEAR(proportion[0], 2.0 / 3, 1e-15);
    ASSERT_NEAR(proportion[1], 1, 0);
    ASSERT_NEAR(proportion[2], 1.0 / 3, 1e-15);
    ASSERT_NEAR(wlab_proportions_error(b, proportion), 2.0 / 3 - 0.25 + 2.0 / 3, 1e-15);
    wlab_proportions_of_outputs(b, f, proportion);
    ASSERT_NEAR(proportion[0], 2.0 / 3, 1e-15);
    ASSERT_NEAR(proportion[1], 0, 0);
    ASSERT_NEAR(proportion[2], 2.0 / 3, 1e-15);
    ASSERT_NEAR(wlab_proportions_output_error(b, f), wlab_proportions_error(b, proportion), 0);
    wlab_proportions_destroy(b);
}

/* Without bags, the unlabelled rows are one bag. */
static void test_no_bags(void **state)
{
    (void)state;
    posed q;
    wlab_err err;
    int8_t y[5];
    const double gain[5] = {-1, 5, 4, -2, 3};
    const wlab_proportion_loss l = {.weight = 1000};
    pose(&q, 5, 0);
    q.visible[1] = -1;
    q.visible[3] = 1;
    q.p.r = 1.0 / 3;
    wlab_proportions *b = make(&q);
    assert_int_equal(b->bags, 1);
    ASSERT_OK(wlab_proportions_label(b, &l, gain, y, NULL, NULL, &err), err);
    const int8_t one[5] = {-1, -1, 1, 1, -1};
    assert_memory_equal(y, one, 5);
    wlab_proportions_destroy(b);
    q.p.r = NAN; /* no proportion is given: each row is free */
    b = make(&q);
    assert_int_equal(b->given, 0);
    ASSERT_OK(wlab_proportions_label(b, &l, gain, y, NULL, NULL, &err), err);
    const int8_t free[5] = {-1, -1, 1, 1, 1};
    assert_memory_equal(y, free, 5);
    wlab_proportions_destroy(b);
    for (int k = 0; k < 5; k++)
        q.visible[k] = k % 2 ? 1 : -1;
    b = make(&q);
    assert_int_equal(b->bags, 0);
    ASSERT_OK(wlab_proportions_label(b, &l, gain, y, NULL, NULL, &err), err);
    assert_memory_equal(y, q.visible, 5);
    wlab_proportions_destroy(b);
}

/* With many bags of different sizes, one thread and four choose the same labels. */
static void test_threads(void **state)
{
    (void)state;
    enum {
        N = 20000,
        BAGS = 700
    };
    wlab_err err;
    wlab_problem p = {.n = N, .bags = BAGS, .r = NAN};
    wlab_rng rng;
    wlab_pool *pool = NULL;
    wlab_proportions *b = NULL;
    double *gain = calloc(N, sizeof *gain);
    int8_t *y = calloc(2 * N, 1);
    p.visible = calloc(N, 1);
    p.bag = calloc(N, sizeof *p.bag);
    p.bag_given = calloc(BAGS, sizeof *p.bag_given);
    assert_true(gain && y && p.visible && p.bag && p.bag_given);
    wlab_rng_seed(&rng, 1);
    for (int k = 0; k < N; k++) {
        const double u = wlab_rng_uniform(&rng);
        p.bag[k] = k < BAGS ? k : (int32_t)(u * u * u * (double)BAGS);
        gain[k] = wlab_rng_normal(&rng);
    }
    for (int g = 0; g < BAGS; g++)
        p.bag_given[g] = wlab_rng_uniform(&rng);
    const wlab_proportion_loss l = {.weight = 3};
    ASSERT_OK(wlab_pool_create(&pool, 4, &err), err);
    ASSERT_OK(wlab_proportions_create(&b, &p, &err), err);
    ASSERT_OK(wlab_proportions_label(b, &l, gain, y, NULL, NULL, &err), err);
    ASSERT_OK(wlab_proportions_label(b, &l, gain, y + N, NULL, pool, &err), err);
    assert_memory_equal(y, y + N, N);
    wlab_proportions_destroy(b);
    wlab_pool_destroy(pool);
    free(gain);
    free(y);
    free(p.visible);
    free(p.bag);
    free(p.bag_given);
}

static void test_memory(void **state)
{
    (void)state;
    posed q;
    wlab_err err;
    wlab_proportions *b = NULL;
    pose(&q, 9, 3);
    for (int k = 0; k < 9; k++)
        q.bag[k] = k / 3;
    ALLOC_SWEEP_OUT(wlab_proportions_create(&b, &q.p, &err), b);
    const double gain[9] = {0};
    const wlab_proportion_loss l = {.weight = 1};
    int8_t y[9];
    ALLOC_SWEEP(wlab_proportions_label(b, &l, gain, y, NULL, NULL, &err));
    wlab_proportions_destroy(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_enumeration), cmocka_unit_test(test_sixteen), cmocka_unit_test(test_ties),
        cmocka_unit_test(test_errors),      cmocka_unit_test(test_no_bags), cmocka_unit_test(test_threads),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * k-means against every labeling of a small set; local optimality; weights as copies; fixed rows and allowed
 * clusters; empty clusters; equal rows; data far from the origin; threads, memory, refusals.
 */
#include "support.h"

#include "solve/cluster/kmeans.h"
#include "weaklab/rng.h"

enum {
    MANY = 3000
};

static void cloud(double *X, int64_t n, int64_t d, uint64_t seed, double apart)
{
    wlab_rng rng;
    wlab_rng_seed(&rng, seed);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < d; j++)
            X[i * d + j] = wlab_rng_normal(&rng) + apart * (double)((i + j) % 3);
}

/* The sum of squares for labels, with each centre at the mean of its cluster. */
static double sum_at(const wlab_kmeans *m, const int32_t *label)
{
    double sum = 0;
    for (int64_t c = 0; c < m->k; c++) {
        double w = 0, mean[8] = {0};
        for (int64_t i = 0; i < m->n; i++)
            if (label[i] == c) {
                const double v = m->weight ? m->weight[i] : 1;
                w += v;
                for (int64_t j = 0; j < m->d; j++)
                    mean[j] += v * m->X[i * m->d + j];
            }
        for (int64_t i = 0; i < m->n; i++)
            if (label[i] == c)
                for (int64_t j = 0; j < m->d; j++) {
                    const double v = m->X[i * m->d + j] - mean[j] / w;
                    sum += (m->weight ? m->weight[i] : 1) * v * v;
                }
    }
    return sum;
}

static bool obeys_constraints(const wlab_kmeans *m, const int32_t *label)
{
    for (int64_t i = 0; i < m->n; i++)
        if ((m->fixed && m->fixed[i] >= 0 && m->fixed[i] != label[i]) ||
            (m->allowed && !(m->allowed[i] >> label[i] & 1)))
            return false;
    return true;
}

/* The result obeys the constraints, and no result is below the best of all labelings.  With many starts, and unless
 * fixed rows determine the start, the best labeling is found. */
static void test_enumeration(void **state)
{
    (void)state;
    wlab_err err;
    enum {
        n = 9,
        d = 2
    };
    for (uint64_t seed = 1; seed <= 6; seed++) {
        double X[n * d], weight[n], centre[3 * d], sum, least = HUGE_VAL;
        int32_t fixed[n], label[n], try[n];
        uint64_t allowed[n];
        cloud(X, n, d, seed, 1);
        for (int i = 0; i < n; i++) {
            weight[i] = 0.5 + (double)(i % 4);
            fixed[i] = seed % 2 && i < 2 ? 2 - i : -1;
            allowed[i] = seed % 3 == 0 && i > 6 ? 5 : 7;
        }
        const wlab_kmeans m = {.X = X,
                               .n = n,
                               .d = d,
                               .k = 3,
                               .weight = weight,
                               .fixed = fixed,
                               .allowed = allowed,
                               .restarts = 60,
                               .seed = seed};
        ASSERT_OK(wlab_kmeans_run(&m, label, centre, &sum, NULL, &err), err);
        assert_true(obeys_constraints(&m, label));
        ASSERT_NEAR(sum, sum_at(&m, label), 1e-10);
        for (int code = 0; code < 19683; code++) {
            for (int i = 0, c = code; i < n; i++, c /= 3)
                try[i] = c % 3;
            if (obeys_constraints(&m, try))
                least = fmin(least, sum_at(&m, try));
        }
        assert_true(sum >= least - 1e-10);
        if (seed % 2 == 0)
            ASSERT_NEAR(sum, least, 1e-10);
    }
}

/* After convergence every row is at its nearest allowed centre, and the sum of squares is that of the distances to
 * the clusters' means. */
static void test_convergence(void **state)
{
    (void)state;
    wlab_err err;
    static double X[MANY * 4];
    static int32_t label[MANY];
    static uint64_t allowed[MANY];
    double centre[7 * 4], sum;
    cloud(X, MANY, 4, 3, 4);
    for (int i = 0; i < MANY; i++)
        allowed[i] = i % 10 ? 127 : 3;
    const wlab_kmeans m = {
        .X = X, .n = MANY, .d = 4, .k = 7, .allowed = allowed, .restarts = 1, .most = 100000, .seed = 9};
    ASSERT_OK(wlab_kmeans_run(&m, label, centre, &sum, NULL, &err), err);
    ASSERT_NEAR(sum, sum_at(&m, label), 1e-9);
    for (int i = 0; i < MANY; i++) {
        double best = HUGE_VAL, own = 0;
        for (int c = 0; c < 7; c++) {
            double v = 0;
            for (int j = 0; j < 4; j++)
                v += pow(X[i * 4 + j] - centre[c * 4 + j], 2);
            if (allowed[i] >> c & 1)
                best = fmin(best, v);
            if (label[i] == c)
                own = v;
        }
        assert_true(own <= best + 1e-9);
    }
}

/* A weight of 3 acts like three copies; rows of weight 0 have no effect. */
static void test_weights(void **state)
{
    (void)state;
    wlab_err err;
    double X[20 * 2], copies[60 * 2], weight[20], centre[2 * 2], of_copies[2 * 2];
    int32_t label[20], copied[60], fixed[60];
    cloud(X, 20, 2, 4, 3);
    int64_t total = 0;
    for (int i = 0; i < 20; i++) {
        weight[i] = i % 4;
        for (int t = 0; t < i % 4; t++) {
            memcpy(copies + 2 * total, X + 2 * i, 2 * sizeof *X);
            fixed[total++] = i == 1 ? 0 : i == 2 ? 1 : -1;
        }
    }
    int32_t first[20];
    for (int i = 0; i < 20; i++)
        first[i] = i == 1 ? 0 : i == 2 ? 1 : -1;
    const wlab_kmeans a = {.X = X, .n = 20, .d = 2, .k = 2, .weight = weight, .fixed = first},
                      b = {.X = copies, .n = total, .d = 2, .k = 2, .fixed = fixed};
    ASSERT_OK(wlab_kmeans_run(&a, label, centre, NULL, NULL, &err), err);
    ASSERT_OK(wlab_kmeans_run(&b, copied, of_copies, NULL, NULL, &err), err);
    for (int i = 0; i < 4; i++)
        ASSERT_NEAR(centre[i], of_copies[i], 1e-12);
}

/* Of ten distinct points, each of which is many rows, ten clusters are all found.  With eleven clusters the sum of
 * squares is 0, too. */
static void test_equal_rows(void **state)
{
    (void)state;
    wlab_err err;
    double X[100], sum;
    int32_t label[100];
    bool used[11] = {false};
    for (int i = 0; i < 100; i++)
        X[i] = 1e6 + i % 10; /* far from the origin */
    wlab_kmeans m = {.X = X, .n = 100, .d = 1, .k = 10, .seed = 2};
    ASSERT_OK(wlab_kmeans_run(&m, label, NULL, &sum, NULL, &err), err);
    ASSERT_NEAR(sum, 0, 1e-12);
    for (int i = 0; i < 100; i++)
        used[label[i]] = true;
    for (int c = 0; c < 10; c++)
        assert_true(used[c]);
    m.k = 11;
    ASSERT_OK(wlab_kmeans_run(&m, label, NULL, &sum, NULL, &err), err);
    ASSERT_NEAR(sum, 0, 1e-12);
    /* no row may join cluster 1 */
    uint64_t allowed[100];
    for (int i = 0; i < 100; i++)
        allowed[i] = 5;
    m.k = 3;
    m.allowed = allowed;
    ASSERT_OK(wlab_kmeans_run(&m, label, NULL, NULL, NULL, &err), err);
    for (int i = 0; i < 100; i++)
        assert_int_not_equal(label[i], 1);
}

static void test_threads_memory_refusals(void **state)
{
    (void)state;
    wlab_err err;
    static double X[MANY * 3];
    static int32_t label[2][MANY];
    double centre[2][15];
    wlab_pool *pool;
    cloud(X, MANY, 3, 8, 2);
    wlab_kmeans m = {.X = X, .n = MANY, .d = 3, .k = 5, .restarts = 2, .seed = 4};
    ASSERT_OK(wlab_pool_create(&pool, 3, &err), err);
    wlab_ctx ctx = {.pool = pool};
    ASSERT_OK(wlab_kmeans_run(&m, label[0], centre[0], NULL, NULL, &err), err);
    ASSERT_OK(wlab_kmeans_run(&m, label[1], centre[1], NULL, &ctx, &err), err);
    assert_memory_equal(label[0], label[1], sizeof label[0]);
    assert_memory_equal(centre[0], centre[1], sizeof centre[0]);
    wlab_pool_destroy(pool);
    atomic_int stop = 1;
    wlab_ctx stopped = {.interrupt = &stop};
    ASSERT_FAILS(wlab_kmeans_run(&m, label[0], NULL, NULL, &stopped, &err), WL_EINTERRUPTED, err, "");
    ALLOC_SWEEP(wlab_kmeans_run(&m, label[0], NULL, NULL, NULL, &err));
    m.k = 0;
    ASSERT_FAILS(wlab_kmeans_run(&m, label[0], NULL, NULL, NULL, &err), WL_EARG, err, "clusters");
    m.k = MANY + 1;
    ASSERT_FAILS(wlab_kmeans_run(&m, label[0], NULL, NULL, NULL, &err), WL_EARG, err, "clusters");
    m.k = 5;
    m.fixed = label[0];
    label[0][7] = 5;
    ASSERT_FAILS(wlab_kmeans_run(&m, label[1], NULL, NULL, NULL, &err), WL_EARG, err, "row 8");
    m.fixed = NULL;
    X[100] = NAN;
    ASSERT_FAILS(wlab_kmeans_run(&m, label[1], NULL, NULL, NULL, &err), WL_ENUMERIC, err, "finite");
    X[100] = 1e200;
    ASSERT_FAILS(wlab_kmeans_run(&m, label[1], NULL, NULL, NULL, &err), WL_ENUMERIC, err, "finite");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_enumeration),
        cmocka_unit_test(test_convergence),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_equal_rows),
        cmocka_unit_test(test_threads_memory_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a run will cost, before it begins: the formulas of all algorithms on problems of all tasks, what kernel matrices and
 * factors add, limits of rows, and the words.  tests/bench/costs.c compares the estimates with what is measured.
 */
#include "algo/lowrank.h"
#include "model/kernel.h"
#include "unit/posed.h"

#include <string.h>

static wlab_cost cost_of(const char *name, const wlab_problem *p, const char *options)
{
    wlab_err err;
    wlab_cost c;
    const wlab_algo *algo = wlab_algo_find(name);
    wlab_params *params = made_params(algo->params, options, &err);
    if (!params)
        fail_msg("%s: %s", options, err.message);
    if (wlab_algo_cost(&c, algo, p, params, &err))
        fail_msg("%s: %s", name, err.message);
    wlab_params_destroy(params);
    return c;
}

static void positive(const wlab_algo *algo, const wlab_problem *p, const char *options)
{
    const wlab_cost c = cost_of(algo->name, p, options);
    if (!(isfinite(c.step) && c.step > 0 && isfinite(c.start) && c.start >= 0 && isfinite(c.bytes) &&
          c.bytes > 0))
        fail_msg("%s on %s, %s: %g s, %g s, %g bytes", algo->name, p->task->name, options, c.start, c.step,
                 c.bytes);
}

/* Every algorithm has its texts, and they have values on every task that it fits, with each kind of kernel, and by a factor. */
static void test_every_algorithm(void **unused)
{
    (void)unused;
    wlab_problem *problem[] = {
        pose("two-moons", "n=40 seed=3", "ssl", "labeled=8"),
        pose("two-moons", "n=40 seed=3", "supervised", ""),
        pose("two-moons", "n=40 seed=3", "pu", "labeled=8"),
        pose("two-moons", "n=40 seed=3", "llp", "bagsize=5"),
        pose("two-moons", "n=40 seed=3", "cluster", ""),
        pose("blobs", "n=40 classes=3", "ambiguous", "classes=all"),
        pose("blobs", "n=40 classes=3", "ssl", "labeled=9 classes=all"),
        pose("roi-bags", "bags=8", "mil", ""),
    };
    for (size_t t = 0; t < sizeof problem / sizeof *problem; t++) {
        const wlab_problem *p = problem[t];
        const wlab_algo *a;
        for (int k = 0; (a = wlab_algo_suited(p->task, p->classes, k)); k++) {
            assert_non_null(a->work);
            assert_non_null(a->memory);
            positive(a, p, "");
            if (wlab_param_known(a->params, "kernel")) {
                positive(a, p, "kernel=linear");
                positive(a, p, "kernel=rbf");
            }
            const wlab_param_info *rank = wlab_param_find(a->params, "rank");
            if (rank && rank->flags & WL_P_FACTOR)
                positive(a, p, "kernel=rbf rank=5");
            if (wlab_param_known(a->params, "graph"))
                positive(a, p, "kernel=rbf graph=knn:3");
        }
    }
    for (size_t t = 0; t < sizeof problem / sizeof *problem; t++)
        wlab_problem_unref(problem[t]);
}

/* A kernel matrix has 8 n^2 bytes; kernel=linear and a factor have none, and kernel=auto is resolved. */
static void test_kernels(void **unused)
{
    (void)unused;
    wlab_problem *p = pose("two-moons", "n=2000", "ssl", "labeled=20");
    const double n2 = 8.0 * 2000 * 2000;
    const wlab_cost linear = cost_of("tsvm", p, "kernel=linear"), rbf = cost_of("tsvm", p, "kernel=rbf"),
                    chosen = cost_of("tsvm", p, "kernel=auto"),
                    wide = cost_of("tsvm", p, "kernel=auto sigma=1"),
                    factor = cost_of("tsvm", p, "kernel=rbf rank=20"),
                    graph = cost_of("tsvm", p, "kernel=rbf graph=knn:6");
    assert_true(linear.bytes < n2);
    assert_true(rbf.bytes > n2 && rbf.bytes < 2 * n2);
    assert_true(rbf.start > linear.start && rbf.step > linear.step);
    assert_true(factor.bytes < n2 && factor.step < rbf.step && factor.step > linear.step);
    assert_true(graph.start > rbf.start && graph.bytes > 2 * n2);
    assert_true(chosen.bytes == rbf.bytes && chosen.step == rbf.step); /* dense, at most 4000 rows */
    assert_true(wide.step == rbf.step);
    /* of the baseline only the labelled rows count */
    assert_true(cost_of("svm", p, "kernel=rbf").step < 1e-3);
    wlab_problem_unref(p);
}

/* What an algorithm repeats costs as often; its own factor has the columns that rank= says. */
static void test_parameters(void **unused)
{
    (void)unused;
    wlab_problem *p = pose("two-moons", "n=500", "cluster", "");
    const wlab_cost ten = cost_of("kmeans", p, "kernel=linear restarts=10"),
                    fifty = cost_of("kmeans", p, "kernel=linear restarts=50"),
                    few = cost_of("kmeans", p, "kernel=rbf rank=10"),
                    many = cost_of("kmeans", p, "kernel=rbf rank=400");
    assert_true(fabs(fifty.step / ten.step - 5) < 1e-9);
    assert_true(fabs(many.step / few.step - 40) < 1e-9);
    assert_true(many.start > few.start && many.bytes > few.bytes);
    wlab_problem_unref(p);
}

/* The rows that an algorithm takes. */
static void test_limits(void **unused)
{
    (void)unused;
    wlab_problem *p = pose("two-moons", "n=1001", "cluster", ""),
                 *small = pose("two-moons", "n=1000", "cluster", ""),
                 *large = pose("two-moons", "n=16001", "ssl", "labeled=20");
    assert_int_equal(cost_of("bb", p, "").most, 1000);
    assert_int_equal(cost_of("bb", small, "").most, 0);
    assert_int_equal(cost_of("mmc-sdp", p, "").most, 1000);
    assert_int_equal(cost_of("wellsvm", p, "").most, 0);
    assert_int_equal(cost_of("tsvm", large, "").most, 0);
    assert_int_equal(cost_of("tsvm", large, "kernel=rbf").most, 0); /* by a factor */
    assert_int_equal(cost_of("tsvm", large, "kernel=rbf rank=0").most, WL_KERNEL_ROWS);
    assert_int_equal(cost_of("svm", large, "kernel=rbf rank=0").most, 0); /* 20 labelled rows */
    wlab_problem_unref(p);
    wlab_problem_unref(small);
    wlab_problem_unref(large);
}

static void test_words(void **unused)
{
    (void)unused;
    static const struct {
        double seconds;
        const char *words;
    } time[] = {{0, "less than 1 ms"},   {4e-4, "less than 1 ms"}, {9.7e-4, "about 1 ms"},
                {0.0123, "about 10 ms"}, {0.097, "about 0.1 s"},   {0.34, "about 0.3 s"},
                {0.96, "about 1 s"},     {12.4, "about 10 s"},     {57, "about 1 min"},
                {170, "about 3 min"},    {5000, "about 1 h"},      {3e5, "about 3 days"}};
    static const struct {
        double bytes;
        const char *words;
    } memory[] = {
        {4e5, "less than 1 MB"}, {2.1e6, "2 MB"}, {43e6, "40 MB"}, {9.6e8, "1 GB"}, {2.3e10, "20 GB"}};
    char buf[40];
    for (size_t k = 0; k < sizeof time / sizeof *time; k++)
        assert_string_equal(wlab_cost_seconds(time[k].seconds, buf, sizeof buf), time[k].words);
    for (size_t k = 0; k < sizeof memory / sizeof *memory; k++)
        assert_string_equal(wlab_cost_bytes(memory[k].bytes, buf, sizeof buf), memory[k].words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_algorithm), cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_parameters),      cmocka_unit_test(test_limits),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

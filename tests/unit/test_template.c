/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * TEMPLATE.c against its definition: an example of the test that a new algorithm needs in addition to the
 * tests that run over the table of algorithms.  In the tests' build the template is the last of that table.
 */
#include "unit/posed.h"
#include "unit/probed.h"

#include "algo/algos.h"
#include "session/session.h"

static const wlab_algo *const algo = &wlab_algo_template;

/* The mean squared distance of the rows to the means of their classes, by definition, with weights 1. */
static double by_definition(const wlab_problem *p, const int8_t *y)
{
    const int64_t d = p->X->cols;
    double sum = 0;
    for (int k = 0; k < p->classes; k++) {
        double *mean = calloc((size_t)d, sizeof *mean);
        int64_t rows = 0;
        assert_non_null(mean);
        for (int64_t i = 0; i < p->n; i++)
            for (int64_t j = 0; j < d && wlab_label_index(p, y[i]) == k; j++)
                mean[j] += wlab_matrix_at(p->X, i, (int32_t)j);
        for (int64_t i = 0; i < p->n; i++)
            rows += wlab_label_index(p, y[i]) == k;
        for (int64_t i = 0; i < p->n; i++)
            for (int64_t j = 0; j < d && wlab_label_index(p, y[i]) == k; j++) {
                const double u = wlab_matrix_at(p->X, i, (int32_t)j) - mean[j] / (double)rows;
                sum += u * u;
            }
        free(mean);
    }
    return sum / (double)p->n;
}

/* The objective never rises.  At the end it agrees with its definition, every row is nearest to the mean of its
 * class, the model predicts the same labels, and given labels are kept. */
static void check_run(const char *data, const char *options, const char *task, const char *shown)
{
    wlab_err err;
    wlab_problem *p = pose(data, options, task, shown);
    void *s = create_state(algo, p, "");
    int8_t *y = malloc((size_t)p->n), *predicted = malloc((size_t)p->n);
    double before = INFINITY;
    wlab_step last = {0};
    while (last.verdict == WL_MORE) {
        last = stepped(algo, s, NULL);
        assert_true(metric(algo, s, "objective") <= before * (1 + 1e-14));
        before = metric(algo, s, "objective");
    }
    assert_int_equal(last.verdict, WL_CONVERGED);
    assert_true(y && predicted);
    algo->observe(s, NULL, y);
    ASSERT_NEAR(before / by_definition(p, y), 1, 1e-10);
    double *f = outputs(algo, s, p);
    wlab_probed scores;
    ASSERT_OK(wlab_predicted_labels(p, f, predicted, &err), err);
    ASSERT_OK(probed(algo, s, WL_PROBE_SCORES, &scores, &err), err);
    for (int64_t i = 0; i < p->n; i++) {
        const double *of = scores.value + i * p->classes, own = of[wlab_label_index(p, y[i])];
        assert_true(!p->visible[i] || y[i] == p->visible[i]);
        for (int k = 0; k < p->classes; k++)
            assert_true(p->visible[i] || of[k] <= own);
        assert_true(p->visible[i] || y[i] == predicted[i]);
    }
    wlab_probed_clear(&scores);
    free(f);
    free(y);
    free(predicted);
    algo->destroy(s);
    wlab_problem_unref(p);
}

static void test_definition(void **state)
{
    (void)state;
    check_run("two-moons", "n=60 noise=0.2 seed=3", "ssl", "labeled=6");
    check_run("blobs", "n=90 classes=4 seed=2 spread=2", "ssl", "labeled=12 classes=all");
    check_run("topics", "n=50 d=30 meanlen=4 labeled=0 seed=5", "ssl", "labeled=8");
    check_run("blobs", "n=30 seed=4", "supervised", "");
}

static void test_threads_interrupts_memory(void **state)
{
    (void)state;
    wlab_problem *p = pose("blobs", "n=60 classes=3 seed=2 spread=2", "ssl", "labeled=9 classes=all");
    units_hold(algo, p, "", 20, 0);
    units_hold(algo, p, "weight=0.3", 20, 0);
    wlab_problem_unref(p);
}

/* A session works with an algorithm without a kernel. */
static void test_session(void **state)
{
    static const char *const none[] = {NULL};
    const wlab_places places = {.data_dirs = none, .script_dirs = none, .out_dir = "."};
    const wlab_sink sink = {0};
    wlab_session *s = NULL;
    wlab_err err;
    (void)state;
    ASSERT_OK(wlab_session_create(&s, &sink, &places, 1, 1, &err), err);
    ASSERT_OK(
        wlab_session_line(s,
                          "generate two-moons n=40 seed=1; task ssl labeled=6; algo template; info run; info "
                          "algo; step; explain; eval; continue; set weight=0.5; continue; back; fork b; "
                          "compare",
                          WL_FROM_SCRIPT, NULL, 0, &err),
        err);
    assert_int_equal(wlab_run_verdict(wlab_session_run(s)), WL_MORE);
    wlab_session_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_definition),
                                       cmocka_unit_test(test_threads_interrupts_memory),
                                       cmocka_unit_test(test_session)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

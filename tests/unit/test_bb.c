/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Branch and bound against enumeration, where the test solves the SVM of each labeling; bounds at every step; the
 * supervised limit; failures and interrupts, which leave the state unchanged.
 */
#include "transduction.h"
#include "unit/labeling_value.h"
#include "unit/probed.h"

#include "algo/wellsvm/bb.h"

typedef struct brute {
    const wellsvm *w;
    double least;
    int8_t best[64];
} brute;

static bool keep_least(void *data, const int8_t *y, const int32_t *changed, int64_t nchanged)
{
    brute *b = data;
    double value = value_of(b->w, y);
    (void)changed, (void)nchanged;
    if (value < b->least) {
        b->least = value;
        memcpy(b->best, y, (size_t)b->w->n);
    }
    return true;
}

typedef struct posed {
    const char *kind, *how, *task, *options;
} posed;

static const posed problems[] = {
    {"two-moons", "n=13 noise=0.4 seed=%d", "ssl", "labeled=4 seed=1"},
    {"g50c", "n=12 seed=%d", "ssl", "labeled=3 seed=2"},
    {"two-moons", "n=10 noise=0.3 seed=%d", "cluster", "balance=0.2"},
    {"two-moons", "n=12 noise=0.4 seed=%d", "llp", "bagsize=4 seed=1"},
    {"two-moons", "n=12 noise=0.4 seed=%d", "llp", "bagsize=6 seed=2 eps=0.2"},
    {"two-moons", "n=12 noise=0.4 seed=%d", "ambiguous", "ambiguous=0.7 seed=1"},
    {"roi-bags", "bags=5 positive=0.5 least=2 most=4 rois=1 dims=3 seed=%d", "mil", ""},
    {"roi-bags", "bags=4 positive=0.5 least=3 most=4 rois=2 dims=3 seed=%d", "mil", "keys=2"},
    {"roi-bags", "bags=5 positive=0.5 least=2 most=3 rois=1 dims=3 seed=%d", "mil", "labels=instances"},
};
enum {
    PROBLEMS = sizeof problems / sizeof *problems,
    SEEDS = SANITIZED ? 1 : 3
};
static const char *const settings[] = {"kernel=linear C2=0.5",
                                       "kernel=rbf sigma=0.5x loss=hinge C2=1",
                                       "kernel=rbf sigma=0.5x",
                                       "kernel=linear loss=sum-to-one C2=1",
                                       "kernel=linear loss=squared-hinge C2=0.5 bias=1",
                                       "kernel=rbf sigma=0.3x loss=squared-hinge lambda=0.1"};

/* bound=sdp is valid for squared losses and labels +1 and -1. */
static const char *const with_sdp[] = {"kernel=linear loss=squared-hinge C2=0.5 bias=1 bound=sdp",
                                       "kernel=linear loss=squared-hinge C=10 bound=sdp",
                                       "kernel=rbf sigma=0.5x bound=sdp",
                                       "kernel=rbf sigma=0.3x loss=squared-hinge lambda=0.1 bound=sdp"};

/* The tree by depth: its counts add up to the metrics, and its smallest bound is not above the lower bound of the run. */
static void check_tree(const bb_state *s)
{
    wlab_probed tree;
    wlab_err err;
    double sum[WL_TREE_COLUMNS] = {0}, least = HUGE_VAL;
    ASSERT_OK(probed(&wlab_algo_bb, s, WL_PROBE_TREE, &tree, &err), err);
    for (int64_t k = 0; k < tree.rows; k++) {
        const double *row = tree.value + k * tree.columns;
        for (int c = WL_TREE_SPLIT; c <= WL_TREE_OPEN; c++) {
            sum[c] += row[c];
            assert_true(row[c] > 0 ||
                        isnan(row[WL_TREE_SPLIT_BOUND + c])); /* without nodes there is no bound */
        }
        least = fmin(least, fmin(row[WL_TREE_OPEN_BOUND], row[WL_TREE_CLOSED_BOUND]));
        if (k > 0) /* each split node has at most two children */
            assert_true(row[WL_TREE_SPLIT] + row[WL_TREE_CLOSED] + row[WL_TREE_OPEN] <=
                        2 * row[WL_TREE_SPLIT - tree.columns]);
    }
    assert_true(sum[WL_TREE_SPLIT] + sum[WL_TREE_CLOSED] == metric(&wlab_algo_bb, s, "nodes"));
    assert_true(sum[WL_TREE_OPEN] == metric(&wlab_algo_bb, s, "open"));
    assert_true(sum[WL_TREE_CLOSED] == metric(&wlab_algo_bb, s, "by_svm") +
                                           metric(&wlab_algo_bb, s, "by_relaxation") +
                                           (double)s->ended[BB_SDP] + metric(&wlab_algo_bb, s, "single"));
    if (isfinite(least) && !isnan(metric(&wlab_algo_bb, s, "lower")))
        assert_true(least <= metric(&wlab_algo_bb, s, "lower"));
    wlab_probed_clear(&tree);
}

static int64_t closed_by_sdp;

static void check_against_enumeration(const posed *q, int seed, const char *options)
{
    char how[128];
    wlab_err err;
    int8_t labels[64];
    snprintf(how, sizeof how, q->how, seed);
    wlab_problem *p = pose(q->kind, how, q->task, q->options);
    assert_true(p->n <= 16);
    bb_state *s = create_state(&wlab_algo_bb, p, options);
    brute b = {.w = &s->w, .least = HUGE_VAL};
    ASSERT_OK(wlab_labelset_enumerate(p->labels, keep_least, &b, &err), err);
    double small = 1e-9 * fabs(b.least), upper = HUGE_VAL, lower = -HUGE_VAL, root = -HUGE_VAL;
    wlab_step step = {0};
    for (int k = 0; step.verdict == WL_MORE; k++) {
        step.complete = false;
        assert_true(k < 5000);
        ASSERT_OK(wlab_algo_bb.advance(s, NULL, &step, &err), err);
        double up = metric(&wlab_algo_bb, s, "upper"), low = metric(&wlab_algo_bb, s, "lower");
        if (!(up >= b.least - small && up <= upper))
            fail_msg("%s %s %s: upper %.12g after %.12g, the optimum is %.12g", q->kind, q->task, options, up,
                     upper, b.least);
        if (!isnan(low) && !(low <= b.least + small && low >= lower))
            fail_msg("%s %s %s: lower %.12g after %.12g, the optimum is %.12g", q->kind, q->task, options,
                     low, lower, b.least);
        upper = up;
        lower = isnan(low) ? lower : low;
        if (s->nodes == 0 && s->sdp.rounds > 0) { /* the program of the root: its rounds never lose */
            const double sdp = metric(&wlab_algo_bb, s, "sdp_root");
            if (!(sdp >= root && sdp >= metric(&wlab_algo_bb, s, "sdp_base") && sdp <= b.least + small))
                fail_msg("%s %s %s: the root's program proves %.12g after %.12g, optimum %.12g", q->kind,
                         q->task, options, sdp, root, b.least);
            root = sdp;
        }
        check_tree(s);
        wlab_algo_bb.observe(s, NULL, labels);
        assert_true(wlab_labelset_contains(p->labels, labels));
        ASSERT_NEAR(value_of(&s->w, labels) / up, 1, 1e-8); /* the objective belongs to the reported labels */
    }
    assert_int_equal(step.verdict, WL_CONVERGED);
    assert_null(s->sdp.at);
    closed_by_sdp += s->ended[BB_SDP];
    if (!(fabs(upper - b.least) <= 1e-6 * fabs(b.least)) || !(upper - lower <= 1.01e-6 * fabs(upper)))
        fail_msg("%s %s %s seed %d: between %.12g and %.12g, by enumeration %.12g", q->kind, q->task, options,
                 seed, lower, upper, b.least);
    wlab_algo_bb.destroy(s);
    wlab_problem_unref(p);
}

static void test_enumeration(void **unused)
{
    (void)unused;
    for (size_t k = 0; k < PROBLEMS; k++)
        for (size_t o = 0; o < sizeof settings / sizeof *settings; o++)
            for (int seed = 1; seed <= SEEDS; seed++)
                check_against_enumeration(&problems[k], seed, settings[o]);
    assert_true(closed_by_sdp == 0);
    for (size_t k = 0; k < PROBLEMS; k++)
        for (size_t o = 0; o < sizeof with_sdp / sizeof *with_sdp; o++)
            for (int seed = 1; seed <= SEEDS; seed++)
                if (strcmp(problems[k].task, "mil") != 0 ||
                    strcmp(problems[k].options, "labels=instances") == 0)
                    check_against_enumeration(&problems[k], seed, with_sdp[o]);
    assert_true(closed_by_sdp > 0);
}

/* If all labels are given, the tree has one node, the supervised SVM. */
static void test_supervised(void **unused)
{
    (void)unused;
    wlab_problem *p = pose("two-moons", "n=60 noise=0.3 seed=2", "supervised", "");
    bb_state *s = create_state(&wlab_algo_bb, p, "kernel=rbf loss=hinge C1=0.7");
    void *svm = create_state(&wlab_algo_svm, p, "kernel=rbf C=0.7 offset=feature");
    assert_int_equal(step(&wlab_algo_bb, s, NULL), WL_CONVERGED);
    step(&wlab_algo_svm, svm, NULL);
    ASSERT_NEAR(metric(&wlab_algo_bb, s, "objective"), metric(&wlab_algo_svm, svm, "objective"), 1e-9);
    assert_true(metric(&wlab_algo_bb, s, "nodes") == 1);
    wlab_algo_svm.destroy(svm);
    wlab_algo_bb.destroy(s);
    wlab_problem_unref(p);
}

/* The bound of the root is WellSVM's optimum.  A limit stops the run; with more nodes it continues to the same
 * result. */
static void test_root_and_limit(void **unused)
{
    (void)unused;
    wlab_err err;
    wlab_problem *p = pose("two-moons", "n=24 noise=0.35 seed=4", "ssl", "labeled=4 seed=1");
    const char *options = "kernel=rbf sigma=0.4x loss=hinge C2=1";
    bb_state *s = create_state(&wlab_algo_bb, p, options), *few = create_state(&wlab_algo_bb, p, options);
    void *well = create_state(&wlab_algo_wellsvm, p, "kernel=rbf sigma=0.4x loss=hinge C2=1 search=exact");
    while (step(&wlab_algo_wellsvm, well, NULL) == WL_MORE)
        ;
    while (step(&wlab_algo_bb, s, NULL) == WL_MORE)
        ;
    ASSERT_NEAR(metric(&wlab_algo_bb, s, "root") / metric(&wlab_algo_wellsvm, well, "upper"), 1, 2e-6);
    assert_true(metric(&wlab_algo_bb, s, "objective") >= metric(&wlab_algo_wellsvm, well, "lower"));
    assert_true(metric(&wlab_algo_bb, s, "nodes") > 3);
    wlab_params *params =
        made_params(wlab_algo_bb.params, "kernel=rbf sigma=0.4x loss=hinge C2=1 nodes=2", &err);
    ASSERT_OK(wlab_algo_bb.set(few, params, &err), err);
    wlab_params_destroy(params);
    wlab_verdict verdict = WL_MORE;
    while (verdict == WL_MORE)
        verdict = step(&wlab_algo_bb, few, NULL);
    assert_int_equal(verdict, WL_LIMIT);
    assert_true(metric(&wlab_algo_bb, few, "nodes") == 2);
    params = made_params(wlab_algo_bb.params, options, &err);
    ASSERT_OK(wlab_algo_bb.set(few, params, &err), err);
    wlab_params_destroy(params);
    while ((verdict = step(&wlab_algo_bb, few, NULL)) == WL_MORE)
        ;
    assert_int_equal(verdict, WL_CONVERGED);
    assert_true(metric(&wlab_algo_bb, few, "objective") == metric(&wlab_algo_bb, s, "objective"));
    assert_true(metric(&wlab_algo_bb, few, "nodes") == metric(&wlab_algo_bb, s, "nodes"));
    wlab_algo_wellsvm.destroy(well);
    wlab_algo_bb.destroy(s);
    wlab_algo_bb.destroy(few);
    wlab_problem_unref(p);
}

static void assert_same_state(const void *a, const void *b)
{
    double x[MOST_METRICS], y[MOST_METRICS];
    int8_t labels[2][64];
    int count = wlab_metric_count(&wlab_algo_bb), seconds = wlab_metric_index(&wlab_algo_bb, "seconds");
    wlab_algo_bb.observe(a, x, labels[0]);
    wlab_algo_bb.observe(b, y, labels[1]);
    x[seconds] = y[seconds] = 0;
    assert_memory_equal(x, y, (size_t)count * sizeof *x);
    assert_memory_equal(labels[0], labels[1], (size_t)((const bb_state *)a)->w.n);
}

static void test_failures(void **unused)
{
    (void)unused;
    static const posed some[] = {{"two-moons", "n=12 noise=0.4 seed=3", "ssl", "labeled=4 seed=1"},
                                 {"roi-bags", "bags=5 positive=0.5 least=2 most=3 dims=3 seed=2", "mil", ""},
                                 {"two-moons", "n=8 noise=0.4 seed=5", "ambiguous", "ambiguous=0.7 seed=1"}};
    for (size_t k = 0; k < sizeof some / sizeof *some; k++) {
        wlab_err err;
        void *state = NULL;
        wlab_problem *p = pose(some[k].kind, some[k].how, some[k].task, some[k].options);
        const char *options =
            k < 2 ? "kernel=linear C2=1" : "kernel=linear loss=squared-hinge C2=1 bound=sdp";
        wlab_params *params = made_params(wlab_algo_bb.params, options, &err);
        ALLOC_SWEEP_OUT(wlab_algo_bb.create(&state, p, params, NULL, &err), state);
        void *undisturbed = create_state(&wlab_algo_bb, p, options),
             *interrupted = create_state(&wlab_algo_bb, p, options);
        wlab_step step = {0};
        atomic_int stop = 1;
        wlab_ctx ctx = {.interrupt = &stop};
        for (int u = 0; u < (SANITIZED ? 2 : 5) && step.verdict == WL_MORE; u++) {
            step.complete = false;
            wlab_buf shot = {0};
            ALLOC_SWEEP(wlab_algo_bb.advance(state, NULL, &step, &err));
            ASSERT_OK(wlab_algo_bb.advance(undisturbed, NULL, &step, &err), err);
            assert_same_state(state, undisturbed);
            stop = 1;
            wlab_code code = wlab_algo_bb.advance(interrupted, &ctx, &step, &err);
            stop = 0;
            if (code) {
                assert_int_equal(code, WL_EINTERRUPTED);
                ASSERT_OK(wlab_algo_bb.advance(interrupted, &ctx, &step, &err), err);
            }
            assert_same_state(interrupted, undisturbed);
            ASSERT_OK(wlab_algo_snapshot(&wlab_algo_bb, state, &shot, &err), err);
            ALLOC_SWEEP_CHECK((shot.pos = 0, wlab_algo_restore(&wlab_algo_bb, state, &shot, NULL, &err)),
                              assert_same_state(state, undisturbed));
            wlab_buf cut = shot;
            cut.pos = 0;
            cut.len--;
            assert_int_equal(wlab_algo_restore(&wlab_algo_bb, state, &cut, NULL, &err), WL_EINPUT);
            assert_same_state(state, undisturbed);
            wlab_buf_clear(&shot);
        }
        wlab_params_destroy(params);
        wlab_algo_bb.destroy(state);
        wlab_algo_bb.destroy(undisturbed);
        wlab_algo_bb.destroy(interrupted);
        wlab_problem_unref(p);
    }
}

static void check_threads(wlab_problem *p, const char *options)
{
    wlab_err err;
    bb_state *one = create_state(&wlab_algo_bb, p, options), *four = create_state(&wlab_algo_bb, p, options);
    wlab_pool *pool = NULL;
    ASSERT_OK(wlab_pool_create(&pool, 4, &err), err);
    wlab_ctx ctx = {.pool = pool};
    for (int k = 0; k < 5; k++) {
        step(&wlab_algo_bb, one, NULL);
        step(&wlab_algo_bb, four, &ctx);
        assert_same_state(one, four);
    }
    wlab_algo_bb.destroy(one);
    wlab_algo_bb.destroy(four);
    wlab_pool_destroy(pool);
}

static void test_threads(void **unused)
{
    (void)unused;
    wlab_problem *p = pose("two-moons", "n=30 noise=0.3 seed=2", "ssl", "labeled=4 seed=1");
    for (int k = 0; k < 2; k++)
        check_threads(p, k ? "kernel=rbf sigma=0.5x loss=hinge C2=1"
                           : "kernel=linear loss=squared-hinge bound=sdp");
    wlab_problem_unref(p);
}

static void refused(wlab_problem *p, const char *options, const char *advice)
{
    wlab_err err;
    void *state = NULL;
    wlab_params *params = made_params(wlab_algo_bb.params, options, &err);
    assert_int_equal(wlab_algo_bb.create(&state, p, params, NULL, &err), WL_EARG);
    assert_null(state);
    assert_non_null(strstr(err.message, advice));
    wlab_params_destroy(params);
    wlab_problem_unref(p);
}

/* Too many rows, and bound=sdp where it is not valid, are refused, with advice. */
static void test_refused(void **unused)
{
    (void)unused;
    const char *sdp = "loss=squared-hinge bound=sdp";
    refused(pose("two-moons", "n=1200 seed=1", "ssl", "labeled=4 seed=1"), "", "algo wellsvm");
    refused(pose("two-moons", "n=400 seed=1", "ssl", "labeled=4 seed=1"), sdp, "bound=relaxation");
    refused(pose("two-moons", "n=20 seed=1", "ssl", "labeled=4 seed=1"), "loss=hinge bound=sdp",
            "loss=squared-hinge");
    refused(pose("roi-bags", "bags=5 positive=0.5 least=2 most=3 dims=3 seed=2", "mil", ""), sdp,
            "labels=instances");
}

/* Also between the rounds of a program: a state that is restored there goes on like the one that was saved. */
static void test_units(void **unused)
{
    (void)unused;
    wlab_problem *p = pose("two-moons", "n=14 noise=0.4 seed=2", "ambiguous", "ambiguous=0.7 seed=1");
    units_hold(&wlab_algo_bb, p, "kernel=rbf sigma=0.5x loss=squared-hinge C=1 bound=sdp", 8, 8);
    units_hold(&wlab_algo_bb, p, "kernel=linear C=1", 8, 8);
    wlab_problem_unref(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_enumeration),    cmocka_unit_test(test_supervised),
        cmocka_unit_test(test_root_and_limit), cmocka_unit_test(test_failures),
        cmocka_unit_test(test_threads),        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

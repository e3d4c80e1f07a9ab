/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * WellSVM with finish=alternate: the relaxation is unchanged by it; the first labeling, every alternation and the end
 * follow their definitions; snapshots, threads, interrupts, memory.
 */
#include "unit/labeling_value.h"
#include "unit/posed.h"

#include <math.h>
#include <string.h>

static const wlab_algo *const algo = &wlab_algo_wellsvm;

typedef struct setting {
    const char *kind, *how, *task, *options, *algo;
} setting;

/* threshold=zero: the model's outputs are those that are rounded. */
static const setting settings[] = {
    {"two-moons", "n=24 noise=0.4 seed=3", "ssl", "labeled=4 seed=2", "kernel=rbf loss=hinge C2=0.5"},
    {"two-moons", "n=30 noise=0.5 seed=4", "ssl", "labeled=6 seed=1", "kernel=linear loss=hinge"},
    {"g50c", "n=24 seed=1", "ssl", "labeled=6 seed=1 r=0.4", "kernel=linear loss=squared-hinge lambda=0.1"},
    {"blobs", "n=30 seed=4", "cluster", "balance=0.2", "kernel=rbf"},
    {"two-moons", "n=24 seed=6", "cluster", "balance=0.4", "kernel=rbf loss=hinge C=2"},
    {"roi-bags", "bags=10 positive=0.5 least=3 most=5 dims=2 seed=3", "mil", "", "kernel=rbf C1=5 C2=5"},
    {"two-moons", "n=40 noise=0.3 seed=2", "llp", "bagsize=5", "kernel=rbf loss=hinge"},
    {"blobs", "n=30 seed=4", "ambiguous", "ambiguous=0.9", "kernel=linear loss=squared-hinge C1=2"},
};

/* The stage after the master.  `first`: y_1; ended: the verdict of the run without the stage. */
static int follow_stage(wellsvm *s, wlab_problem *p, const int8_t *first, double rounded, wlab_verdict ended)
{
    int8_t y[64], next[64];
    wlab_err err;
    wlab_verdict verdict = WL_MORE;
    int rounds = 0;
    for (; verdict == WL_MORE; rounds++) {
        double *f = rounds ? outputs(algo, s, p) : NULL;
        memcpy(next, y, sizeof next);
        assert_true(rounds <= 1 + WELL_ALTERNATIONS);
        verdict = step(algo, s, NULL);
        algo->observe(s, NULL, y);
        assert_true(wlab_labelset_contains(p->labels, y));
        const double value = value_of(s, y);
        ASSERT_NEAR(metric(algo, s, "rounded") / value, 1, 1e-6);
        assert_true(metric(algo, s, "integer_upper") <= value + 1e-6 * fabs(value));
        assert_true(metric(algo, s, "lower") <= value + 1e-6 * fabs(value));
        if (rounds == 0 || verdict == WL_MORE) /* it has trained one or two SVMs, and counts them */
            assert_true(metric(algo, s, "svm_iters") >= 1 && metric(algo, s, "svm_iters") <= 2);
        if (rounds == 0) {
            const double best = fmin(rounded, value_of(s, first));
            ASSERT_NEAR(value / best, 1, 1e-6);
        } else { /* the labeling to which the outputs of the SVM before round; at the end the labels stay */
            int8_t expected[64];
            ASSERT_OK(wlab_labelset_argmax(p->labels, f, next, expected, &err), err);
            if (verdict == WL_MORE || metric(algo, s, "flips") > 0)
                assert_memory_equal(expected, y, (size_t)p->n);
            else
                assert_memory_equal(next, y, (size_t)p->n);
        }
        free(f);
    }
    assert_int_equal(verdict, ended);
    return rounds;
}

static void test_stage(void **state)
{
    (void)state;
    int most = 0;
    for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
        const setting *c = &settings[k];
        char options[200], with[240];
        int8_t first[64], labels[64];
        wlab_problem *p = pose(c->kind, c->how, c->task, c->options);
        assert_true(p->n <= 64);
        snprintf(options, sizeof options, "%s search=multistart threshold=zero", c->algo);
        snprintf(with, sizeof with, "%s finish=alternate", options);
        wellsvm *plain = create_state(algo, p, options), *s = create_state(algo, p, with);
        wlab_verdict verdict = WL_MORE;
        for (int steps = 0; verdict == WL_MORE; steps++) { /* the same numbers, and the same labelings */
            verdict = step(algo, plain, NULL);
            assert_int_equal(step(algo, s, NULL), WL_MORE);
            same_state(algo, plain, s, p->n);
            algo->observe(s, NULL, labels);
            if (steps == 0)
                memcpy(first, labels, sizeof first);
        }
        const double lower = metric(algo, s, "lower"), objective = metric(algo, s, "objective");
        const int rounds = follow_stage(s, p, first, metric(algo, plain, "rounded"), verdict);
        most = rounds > most ? rounds : most;
        assert_true(metric(algo, s, "lower") == lower && metric(algo, s, "objective") == objective);
        algo->destroy(plain);
        algo->destroy(s);
        wlab_problem_unref(p);
    }
    assert_true(most > 2); /* some run alternates more than once */
}

/* `set` returns to the master; the stage follows again. */
static void test_set(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = pose("two-moons", "n=24 noise=0.4 seed=3", "ssl", "labeled=4 seed=2");
    const char *options = "kernel=rbf loss=hinge C2=0.5 search=multistart finish=alternate",
               *changed = "kernel=rbf loss=hinge C2=0.2 search=multistart finish=alternate";
    wellsvm *s = create_state(algo, p, options);
    wlab_params *params = made_params(algo->params, changed, &err);
    while (step(algo, s, NULL) == WL_MORE)
        ;
    assert_true(s->finish.rounds > 0);
    ASSERT_OK(algo->set(s, params, &err), err);
    assert_int_equal(s->finish.rounds, 0);
    assert_int_equal(step(algo, s, NULL), WL_MORE);
    assert_false(s->finish.rounds > 0);
    while (step(algo, s, NULL) == WL_MORE)
        ;
    assert_true(s->finish.rounds > 0);
    wlab_params_destroy(params);
    algo->destroy(s);
    wlab_problem_unref(p);
}

/* Only where its own objective meets the bound does the word "proven" stand alone. */
static void test_certified(void **state)
{
    (void)state;
    wlab_err err;
    bool other = false, same = false;
    for (size_t k = 0; k < sizeof settings / sizeof *settings; k++)
        for (int with = 0; with < 2; with++) {
            char options[200];
            double metrics[WELL_METRICS];
            wlab_problem *p = pose(settings[k].kind, settings[k].how, settings[k].task, settings[k].options);
            snprintf(options, sizeof options, "%s%s", settings[k].algo, with ? " finish=alternate" : "");
            void *s = create_state(algo, p, options);
            wlab_params *params = made_params(algo->params, options, &err);
            while (step(algo, s, NULL) == WL_MORE)
                ;
            algo->observe(s, metrics, NULL);
            const wlab_certified c = wlab_metric_certified(algo, params, metrics);
            const double rounded = metric(algo, s, "rounded"), lower = metric(algo, s, "lower");
            assert_true(c.relgap == metric(algo, s, "relgap"));
            if (!with) {
                const double single = metric(algo, s, "integer_upper");
                assert_true(!c.of ==
                            (single - lower <= 1e-6 * fabs(single))); /* NULL: the relaxation is tight */
                assert_true(isnan(c.value));
            } else if (rounded - lower <= 1e-6 * fabs(rounded)) {
                assert_null(c.of);
                same = true;
            } else {
                assert_string_equal(c.of, "relaxation");
                assert_true(c.value == rounded && c.lower == lower);
                other = true;
            }
            wlab_params_destroy(params);
            algo->destroy(s);
            wlab_problem_unref(p);
        }
    assert_true(other && same);
}

static void test_units(void **state)
{
    (void)state;
    wlab_problem *p = pose("two-moons", "n=16 noise=0.5 seed=4", "ssl", "labeled=4 seed=1");
    units_hold(algo, p, "kernel=linear loss=hinge labelings=3 finish=alternate", 40, 40);
    wlab_problem_unref(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stage), cmocka_unit_test(test_set),
                                       cmocka_unit_test(test_certified), cmocka_unit_test(test_units)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs: steps, goto, changes of parameters, forks, failures, with the toy algorithm.  Other tests check the same
 * properties of the real algorithms.
 */
#include "run/history.h"
#include "unit/toy.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static wlab_problem problem = {.refs = 1, .n = TOY_ROWS};

static wlab_run *make(const char *settings, size_t history)
{
    wlab_params *params = NULL;
    wlab_run *run = NULL;
    wlab_err err;
    char text[128], *save, *word;

    assert_int_equal(wlab_params_create(&params, toy_params, &err), WL_OK);
    snprintf(text, sizeof text, "%s", settings);
    for (word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        char *value = strchr(word, '=');

        *value++ = 0;
        assert_int_equal(wlab_params_set(params, word, value, &err), WL_OK);
    }
    assert_int_equal(wlab_run_create(&run, "a", 1, &problem, &toy_algo, params, history, NULL, &err), WL_OK);
    wlab_params_destroy(params);
    return run;
}

static void steps(wlab_run *run, int n)
{
    for (int i = 0; i < n; i++) {
        bool did;
        wlab_err err;

        assert_int_equal(wlab_run_step(run, NULL, &did, &err), WL_OK);
        assert_true(did);
    }
}

static void units(wlab_run *run, int n)
{
    for (int i = 0; i < n; i++) {
        bool did, outer;
        wlab_err err;

        assert_int_equal(wlab_run_stepi(run, NULL, &did, &outer, &err), WL_OK);
        assert_true(did);
    }
}

static void go_to(wlab_run *run, int64_t iter)
{
    wlab_err err;

    assert_int_equal(wlab_run_goto(run, iter, NULL, &err), WL_OK);
    assert_int_equal(wlab_run_iter(run), iter);
    assert_int_equal(wlab_run_half(run), 0);
}

/* The first labels and the flips give the labels after the last row; their number is the metric's.  Each row's `since`
 * is the last step after which it had another label than before. */
static void assert_flips(const wlab_run *run)
{
    const wlab_trace_row *row;
    int64_t n = wlab_run_trace(run, &row), since[TOY_ROWS], expected[TOY_ROWS] = {0};
    int8_t labels[TOY_ROWS], before[TOY_ROWS];

    memcpy(labels, wlab_run_labels_first(run), sizeof labels);
    assert_int_equal(row[0].nflips, 0);
    for (int64_t i = 1; i < n; i++) {
        assert_int_equal(row[i].nflips, row[i].metric[2]);
        assert_true(row[i].made > row[i - 1].made);
        memcpy(before, labels, sizeof labels);
        for (int64_t k = 0; k < row[i].nflips; k++) {
            assert_int_equal(labels[row[i].flip[k].instance], -row[i].flip[k].to);
            labels[row[i].flip[k].instance] = row[i].flip[k].to;
        }
        for (int k = 0; k < TOY_ROWS; k++)
            if (labels[k] != before[k])
                expected[k] = i;
    }
    for (int k = 0; k < TOY_ROWS; k++)
        if (labels[k] != wlab_run_labels(run)[k])
            expected[k] = n; /* inside step n */
    wlab_run_since(run, since);
    assert_memory_equal(since, expected, sizeof since);
    assert_memory_equal(labels, wlab_run_half(run) ? wlab_run_labels_before(run) : wlab_run_labels(run),
                        TOY_ROWS);
}

/* Everything that a run shows is the same, bit for bit. */
static void assert_same(const wlab_run *a, const wlab_run *b)
{
    const wlab_trace_row *ra, *rb;
    wlab_digest da, db;
    char what[200];
    int64_t n = wlab_run_trace(a, &ra);

    wlab_run_digest(a, &da);
    wlab_run_digest(b, &db);
    strcpy(db.run, da.run);
    if (!wlab_digest_equal(&da, &db, true, 0, what, sizeof what))
        fail_msg("%s", what);
    assert_int_equal(n, wlab_run_trace(b, &rb));
    assert_int_equal(wlab_run_half(a), wlab_run_half(b));
    assert_memory_equal(wlab_run_labels(a), wlab_run_labels(b), TOY_ROWS);
    assert_memory_equal(wlab_run_labels_before(a), wlab_run_labels_before(b), TOY_ROWS);
    for (int64_t i = 0; i < n; i++) {
        assert_int_equal(ra[i].iter, i);
        assert_int_equal(ra[i].inner, rb[i].inner);
        assert_int_equal(ra[i].verdict, rb[i].verdict);
        assert_int_equal(ra[i].nweights, rb[i].nweights);
        assert_memory_equal(ra[i].metric, rb[i].metric, 3 * sizeof(double)); /* without the seconds */
        if (ra[i].nweights > 0)
            assert_memory_equal(ra[i].weight, rb[i].weight, (size_t)ra[i].nweights * sizeof(double));
        assert_int_equal(ra[i].nflips, rb[i].nflips);
        for (int64_t k = 0; k < ra[i].nflips; k++) {
            assert_int_equal(ra[i].flip[k].instance, rb[i].flip[k].instance);
            assert_int_equal(ra[i].flip[k].to, rb[i].flip[k].to);
        }
    }
    assert_flips(a);
    assert_flips(b);
}

/* A run without goto: `iter` steps, then `half` units. */
static wlab_run *straight(const char *settings, int iter, int half)
{
    wlab_run *run = make(settings, 0);

    steps(run, iter);
    units(run, half);
    return run;
}

static void test_step(void **state)
{
    wlab_run *run = make("", 0);
    const wlab_trace_row *row;
    bool did, outer;
    wlab_err err;

    (void)state;
    assert_int_equal(wlab_run_trace(run, &row), 1);
    assert_int_equal(wlab_run_stepi(run, NULL, &did, &outer, &err), WL_OK);
    assert_true(did && !outer);
    assert_int_equal(wlab_run_half(run), 1);
    assert_int_equal(wlab_run_inner(run), 1);
    assert_int_equal(wlab_run_iter(run), 0);
    assert_int_equal(wlab_run_step(run, NULL, &did, &err), WL_OK); /* completes the step in progress */
    assert_true(did);
    assert_int_equal(wlab_run_half(run), 0);
    assert_int_equal(wlab_run_inner(run), TOY_UNITS);
    assert_int_equal(wlab_run_trace(run, &row), 2);
    assert_int_equal(row[1].inner, TOY_UNITS);
    assert_int_equal(row[1].nweights, 1);
    wlab_run_destroy(run);
}

static void test_finished(void **state)
{
    wlab_run *run = make("limit=2", 0);
    bool did = true, outer;
    wlab_digest before, after;
    wlab_err err;

    (void)state;
    steps(run, 2);
    assert_int_equal(wlab_run_verdict(run), WL_LIMIT);
    wlab_run_digest(run, &before);
    assert_int_equal(wlab_run_step(run, NULL, &did, &err), WL_OK);
    assert_false(did);
    assert_int_equal(wlab_run_stepi(run, NULL, &did, &outer, &err), WL_OK);
    assert_false(did || outer);
    wlab_run_digest(run, &after);
    assert_memory_equal(&before, &after, sizeof before);
    /* a change lets the run continue; goto a step before the change restores the old end */
    assert_int_equal(wlab_run_set(run, "limit", "4", &err), WL_OK);
    steps(run, 2);
    assert_int_equal(wlab_run_verdict(run), WL_LIMIT);
    assert_int_equal(wlab_run_iter(run), 4);
    go_to(run, 2);
    assert_int_equal(wlab_run_verdict(run), WL_MORE); /* limit=4 was set here */
    go_to(run, 1);
    assert_int_equal(wlab_params_int(wlab_run_params(run), "limit"), 2);
    steps(run, 1);
    assert_int_equal(wlab_run_verdict(run), WL_LIMIT);
    wlab_run_destroy(run);
}

/* `goto` from every step, and from every place inside the step after it, to that step and to every earlier one, and
 * then forward again to the step: there and back the bits are those of a run without goto.  The budgets for snapshots
 * go from "first and last only" to the default, which keeps all. */
static void test_goto_everywhere(void **state)
{
    enum {
        LAST = 9
    };
    static const size_t budgets[] = {1, 700, 1100, 2000, 0};
    wlab_run *expected[LAST + 1];

    (void)state;
    for (int i = 0; i <= LAST; i++)
        expected[i] = straight("", i, 0);
    for (size_t b = 0; b < sizeof budgets / sizeof *budgets; b++)
        for (int from = 0; from <= LAST; from++)
            for (int to = 0; to <= from; to++)
                for (int half = 0; half < TOY_UNITS; half++) {
                    wlab_run *run = make("", budgets[b]);

                    steps(run, from);
                    units(run, half);
                    go_to(run, to);
                    assert_same(run, expected[to]);
                    steps(run, from - to);
                    assert_same(run, expected[from]);
                    wlab_run_destroy(run);
                }
    for (int i = 0; i <= LAST; i++)
        wlab_run_destroy(expected[i]);
}

static void test_back_and_forth(void **state)
{
    wlab_run *run = make("", 900), *expected = straight("", 30, 0);
    wlab_rng rng;

    (void)state;
    wlab_rng_seed(&rng, 7);
    for (int i = 0; i < 60; i++) {
        steps(run, (int)wlab_rng_below(&rng, 9));
        go_to(run, (int64_t)wlab_rng_below(&rng, (uint64_t)wlab_run_iter(run) + 1));
    }
    if (wlab_run_iter(run) > 30)
        go_to(run, 30);
    steps(run, 30 - (int)wlab_run_iter(run));
    assert_same(run, expected);
    wlab_run_destroy(run);
    wlab_run_destroy(expected);
}

/* Thinning keeps the first and the last snapshot, respects the budget, and spreads the rest evenly. */
static void test_thinning(void **state)
{
    wlab_run *run = make("", 2000);
    const wlab_history *h = &run->history;
    int snapshots;

    (void)state;
    for (int i = 1; i <= 200; i++) {
        int64_t widest = 0;

        steps(run, 1);
        assert_true(wlab_run_history(run, &snapshots) <= 2000);
        assert_int_equal(snapshots, h->count);
        assert_int_equal(h->past[0].iter, 0);
        assert_int_equal(h->past[h->count - 1].iter, i);
        for (int k = 1; k < h->count; k++) {
            int64_t gap = h->past[k].iter - h->past[k - 1].iter;

            assert_true(gap > 0);
            widest = gap > widest ? gap : widest;
        }
        assert_true(h->count > 5 || i < 5);
        assert_true(widest * (h->count - 1) <= 3 * i); /* at most three times the mean */
    }
    wlab_run_set_history(run, 1);
    wlab_run_history(run, &snapshots);
    assert_int_equal(snapshots, 2);
    wlab_run_destroy(run);
}

/* Changes of a parameter at steps 3 and 6, then `goto` to each step and further steps: `goto` discards the changes
 * that come after that step. */
static void test_set_and_goto(void **state)
{
    static const size_t budgets[] = {1, 700, 0};
    wlab_err err;

    (void)state;
    for (size_t b = 0; b < 3; b++)
        for (int to = 0; to <= 9; to++) {
            wlab_run *run = make("", budgets[b]), *expected = make("", 0);

            steps(run, 3);
            assert_int_equal(wlab_run_set(run, "gain", "2", &err), WL_OK);
            steps(run, 3);
            assert_int_equal(wlab_run_set(run, "gain", "3", &err), WL_OK);
            assert_int_equal(wlab_run_set(run, "gain", "0.5", &err), WL_OK);
            steps(run, 3);
            go_to(run, to);
            assert_string_equal(wlab_params_text(wlab_run_params(run), "gain"), to < 3   ? "1"
                                                                                : to < 6 ? "2"
                                                                                         : "0.5");
            steps(run, 4);
            for (int i = 0; i < to + 4; i++) {
                if (i == 3 && to >= 3)
                    assert_int_equal(wlab_run_set(expected, "gain", "2", &err), WL_OK);
                if (i == 6 && to >= 6)
                    assert_int_equal(wlab_run_set(expected, "gain", "0.5", &err), WL_OK);
                steps(expected, 1);
            }
            assert_same(run, expected);
            wlab_run_destroy(run);
            wlab_run_destroy(expected);
        }
}

static void test_set_refusals(void **state)
{
    wlab_run *run = make("", 0);
    wlab_err err;

    (void)state;
    assert_int_equal(wlab_run_set(run, "seed", "2", &err), WL_EARG);
    assert_non_null(strstr(err.message, "cannot change during a run"));
    assert_int_equal(wlab_run_set(run, "gian", "2", &err), WL_EARG);
    assert_non_null(strstr(err.message, "\"gain\""));
    assert_int_equal(wlab_run_set(run, "gain", "much", &err), WL_EARG);
    units(run, 1);
    assert_int_equal(wlab_run_set(run, "gain", "2", &err), WL_ESTATE);
    assert_non_null(strstr(err.message, "complete the step first, with `step`"));
    assert_int_equal(run->changes, 0);
    assert_int_equal(wlab_run_goto(run, 1, NULL, &err), WL_EARG);
    assert_int_equal(wlab_run_goto(run, -1, NULL, &err), WL_EARG);
    assert_int_equal(wlab_run_half(run), 1);
    wlab_run_destroy(run);
}

static void test_fork(void **state)
{
    (void)state;
    for (int half = 0; half < TOY_UNITS; half++) {
        wlab_run *run = make("", 900), *fork = NULL, *expected = NULL;
        wlab_err err;

        steps(run, 4);
        assert_int_equal(wlab_run_set(run, "gain", "2", &err), WL_OK);
        steps(run, 3);
        units(run, half);
        assert_int_equal(wlab_run_fork(&fork, run, "b", 2, NULL, &err), WL_OK);
        assert_string_equal(wlab_run_name(fork), "b");
        assert_same(run, fork);
        /* both continue with the same bits, and each has the whole history */
        steps(fork, 3);
        assert_int_equal(wlab_run_iter(run), 7);
        steps(run, 3);
        assert_same(run, fork);
        go_to(fork, 2);
        expected = straight("", 2, 0);
        assert_same(fork, expected);
        assert_int_equal(wlab_run_iter(run), 10);
        wlab_run_destroy(run);
        wlab_run_destroy(fork);
        wlab_run_destroy(expected);
    }
}

static void test_names(void **state)
{
    static const char *const bad[] = {"", "a b", "x=1", "a/b", "\"", NULL};
    wlab_params *params = NULL;
    wlab_run *run;
    wlab_err err;

    (void)state;
    assert_int_equal(wlab_params_create(&params, toy_params, &err), WL_OK);
    for (int i = 0; bad[i]; i++) {
        assert_int_equal(wlab_run_create(&run, bad[i], 1, &problem, &toy_algo, params, 0, NULL, &err),
                         WL_EARG);
        assert_null(run);
    }
    wlab_params_destroy(params);
}

static void test_error_inside(void **state)
{
    wlab_run *run = make("fail=3", 0), *expected = straight("", 2, 0);
    bool did;
    wlab_err err;

    (void)state;
    steps(run, 2);
    assert_int_equal(wlab_run_step(run, NULL, &did, &err), WL_ENUMERIC);
    assert_false(did);
    assert_int_equal(wlab_run_half(run), 1); /* one unit of the step was made */
    go_to(run, 2);
    assert_same(run, expected);
    wlab_run_destroy(run);
    wlab_run_destroy(expected);
}

typedef struct stopper {
    atomic_int flag;
    int after, events, steps, notes, progress;
    int64_t last_step;
} stopper;

static void stop_later(void *sink, const wlab_event *event)
{
    stopper *s = sink;

    assert_int_equal(event->run, 1);
    s->steps += event->kind == WL_EV_STEP;
    s->notes += event->kind == WL_EV_NOTE;
    s->progress += event->kind == WL_EV_PROGRESS;
    s->last_step = event->step;
    if ((event->kind == WL_EV_INNER || event->kind == WL_EV_PROGRESS) && ++s->events == s->after)
        atomic_store(&s->flag, 1);
}

static void test_interrupt(void **state)
{
    (void)state;
    for (int after = 1; after <= 9; after++) {
        wlab_run *run = make("", 0), *expected = straight("", 3, 0);
        stopper s = {.after = after};
        wlab_ctx ctx = {.interrupt = &s.flag, .emit = stop_later, .sink = &s};
        wlab_code code = WL_OK;
        bool did;
        wlab_err err;

        for (int i = 0; i < 4 && !code; i++)
            code = wlab_run_step(run, &ctx, &did, &err);
        assert_int_equal(code, WL_EINTERRUPTED);
        assert_int_equal(wlab_run_inner(run), after);
        assert_int_equal(wlab_run_half(run), after % TOY_UNITS);
        assert_int_equal(s.steps, after / TOY_UNITS);
        assert_int_equal(s.notes, after / TOY_UNITS);
        if (after < 9)
            units(run, 9 - after); /* continues as if nothing had happened */
        assert_same(run, expected);
        wlab_run_destroy(run);
        wlab_run_destroy(expected);
    }
}

/* An interrupted goto leaves the run at its step. */
static void test_interrupt_goto(void **state)
{
    wlab_run *run = make("", 1), *expected = straight("", 9, 2);
    stopper s = {.after = 3};
    wlab_ctx ctx = {.interrupt = &s.flag, .emit = stop_later, .sink = &s};
    wlab_err err;

    (void)state;
    steps(run, 9);
    units(run, 2);
    assert_int_equal(wlab_run_goto(run, 8, &ctx, &err), WL_EINTERRUPTED);
    assert_int_equal(s.progress, 3);
    assert_int_equal(s.notes + s.steps, 0);
    assert_same(run, expected);
    units(run, 1);
    units(expected, 1);
    assert_same(run, expected);
    wlab_run_destroy(run);
    wlab_run_destroy(expected);
}

/* Memory runs out at the k-th allocation, for every k.  Afterwards the run equals a run without goto at the same step.
 * AddressSanitizer reports what is not freed. */
static void sweep(wlab_code (*act)(wlab_run *, wlab_err *))
{
    for (long k = 1;; k++) {
        wlab_run *run = make("", 900), *expected;
        wlab_code code;
        wlab_err err;
        long used;

        steps(run, 5);
        assert_int_equal(wlab_run_set(run, "gain", "2", &err), WL_OK);
        steps(run, 2);
        wlab_alloc_fail_at(k);
        code = act(run, &err);
        used = wlab_alloc_count();
        wlab_alloc_fail_at(0);
        expected = make("", 0);
        for (int i = 0; i < wlab_run_iter(run); i++) {
            if (i == 5 && run->changes > 0)
                assert_int_equal(wlab_run_set(expected, "gain", wlab_params_text(run->params, "gain"), &err),
                                 WL_OK);
            steps(expected, 1);
        }
        if (expected->iter > 0 && expected->row[expected->iter].nweights != run->row[run->iter].nweights) {
            assert_int_equal(run->row[run->iter].nweights, 0); /* only the weights may be missing */
            expected->row[expected->iter].nweights = 0;
        }
        units(expected, (int)wlab_run_half(run));
        assert_same(run, expected);
        wlab_run_destroy(run);
        wlab_run_destroy(expected);
        if (used < k) {
            assert_int_equal(code, WL_OK);
            break;
        }
        assert_true(code == WL_OK || code == WL_ENOMEM);
    }
}

static int damaged; /* this many of the next restores read damaged snapshots */

/* Fails after half of the state is read, as some algorithms do. */
static void damaged_walk(void *state, wlab_walk *w)
{
    toy *t = state;

    if (!w->reading || damaged-- <= 0) {
        toy_walk(state, w);
        return;
    }
    t->x = 17;
    t->step = 1;
    wlab_walk_damaged(w);
}

/* If goto cannot read its snapshot, the run remains at its step. */
static void test_damaged(void **state)
{
    wlab_run *run = make("", 900), *expected = straight("", 5, 2);
    wlab_algo hurt = toy_algo;
    wlab_err err;

    (void)state;
    hurt.walk = damaged_walk;
    run->algo = &hurt;
    steps(run, 5);
    units(run, 2);
    damaged = 1;
    assert_int_equal(wlab_run_goto(run, 3, NULL, &err), WL_EINPUT);
    run->algo = expected->algo;
    assert_same(run, expected);
    units(run, 1);
    units(expected, 1);
    assert_same(run, expected);
    wlab_run_destroy(run);
    wlab_run_destroy(expected);
}

static wlab_code act_step(wlab_run *run, wlab_err *err)
{
    bool did;

    return wlab_run_step(run, NULL, &did, err);
}

static wlab_code act_goto_near(wlab_run *run, wlab_err *err)
{
    return wlab_run_goto(run, 6, NULL, err);
}

static wlab_code act_goto_far(wlab_run *run, wlab_err *err)
{
    return wlab_run_goto(run, 3, NULL, err);
}

static wlab_code act_set(wlab_run *run, wlab_err *err)
{
    /* the same value, so that the results do not depend on whether the change succeeded */
    return wlab_run_set(run, "gain", "2", err);
}

static wlab_code act_fork(wlab_run *run, wlab_err *err)
{
    wlab_run *fork;
    wlab_code code = wlab_run_fork(&fork, run, "b", 2, NULL, err);

    assert_true((fork == NULL) == (code != WL_OK));
    if (fork)
        assert_same(run, fork);
    wlab_run_destroy(fork);
    return code;
}

static wlab_code act_create(wlab_run *run, wlab_err *err)
{
    wlab_run *other;
    wlab_code code = wlab_run_create(&other, "c", 3, &problem, &toy_algo, run->params, 0, NULL, err);

    assert_true((other == NULL) == (code != WL_OK));
    wlab_run_destroy(other);
    return code;
}

static void test_memory(void **state)
{
    (void)state;
    sweep(act_step);
    sweep(act_goto_near);
    sweep(act_goto_far);
    sweep(act_set);
    sweep(act_fork);
    sweep(act_create);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_step),
        cmocka_unit_test(test_finished),
        cmocka_unit_test(test_goto_everywhere),
        cmocka_unit_test(test_back_and_forth),
        cmocka_unit_test(test_thinning),
        cmocka_unit_test(test_set_and_goto),
        cmocka_unit_test(test_set_refusals),
        cmocka_unit_test(test_fork),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_error_inside),
        cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_interrupt_goto),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

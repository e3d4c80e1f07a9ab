/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Digests: conversion to text and back, comparison, malformed lines.
 */
#include "unit/toy.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static wlab_problem problem = {.refs = 1, .n = TOY_ROWS};

static wlab_run *make_run(int nsteps)
{
    wlab_params *params = NULL;
    wlab_run *run = NULL;
    bool did;

    assert_int_equal(wlab_params_create(&params, toy_params, NULL), WL_OK);
    assert_int_equal(wlab_run_create(&run, "a", 1, &problem, &toy_algo, params, 0, NULL, NULL), WL_OK);
    wlab_params_destroy(params);
    for (int i = 0; i < nsteps; i++)
        assert_int_equal(wlab_run_step(run, NULL, &did, NULL), WL_OK);
    return run;
}

static void digest_of(int nsteps, wlab_digest *d)
{
    wlab_run *run = make_run(nsteps);

    wlab_run_digest(run, d);
    wlab_run_destroy(run);
}

static void test_round_trip(void **state)
{
    (void)state;
    for (int n = 0; n < 6; n++) { /* with and without a gap */
        wlab_digest d, back;
        wlab_buf text = {0};
        wlab_err err;
        char what[200];

        digest_of(n, &d);
        assert_int_equal(d.iter, n);
        assert_int_equal(d.inner, n * TOY_UNITS);
        assert_true(isnan(d.gap) == (n % 2 == 0));
        assert_int_equal(wlab_digest_format(&d, &text), WL_OK);
        if (wlab_digest_parse(&back, (const char *)text.data, &err))
            fail_msg("%s: %s", (const char *)text.data, err.message);
        if (!wlab_digest_equal(&d, &back, true, 0, what, sizeof what))
            fail_msg("%s", what);
        assert_int_equal(d.inner, back.inner);
        wlab_buf_clear(&text);
    }
}

static void test_text(void **state)
{
    wlab_digest d = {.run = "a",
                     .iter = 7,
                     .inner = 40,
                     .verdict = "more",
                     .objective = 19.041187236541202,
                     .gap = NAN,
                     .flips = 3,
                     .labels = "0123456789abcdef",
                     .metrics = "fedcba9876543210"};
    wlab_buf text = {0};

    (void)state;
    assert_int_equal(wlab_digest_format(&d, &text), WL_OK);
    assert_string_equal((const char *)text.data,
                        "run=a iter=7 inner=40 verdict=more objective=19.041187236541202 gap=- flips=3 "
                        "labels=0123456789abcdef metrics=fedcba9876543210");
    wlab_buf_clear(&text);
}

/* No hash includes the volatile metric: the toy's `seconds` increases even when the run goes back. */
static void test_volatile(void **state)
{
    wlab_run *run = make_run(5);
    wlab_digest before, after;
    double metric[4];
    char what[200];
    bool did;

    (void)state;
    wlab_run_digest(run, &before);
    assert_int_equal(wlab_run_goto(run, 2, NULL, NULL), WL_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(wlab_run_step(run, NULL, &did, NULL), WL_OK);
    wlab_run_digest(run, &after);
    wlab_run_metrics(run, metric);
    assert_true(metric[3] > 5 * TOY_UNITS);
    assert_true(wlab_digest_equal(&before, &after, true, 0, what, sizeof what));
    assert_string_equal(before.metrics, after.metrics);
    wlab_run_destroy(run);
}

static void test_equal(void **state)
{
    wlab_digest a, b;
    char what[200];

    (void)state;
    digest_of(3, &a);
    /* one bit of the objective */
    b = a;
    b.objective = nextafter(a.objective, 100);
    assert_false(wlab_digest_equal(&a, &b, true, 1, what, sizeof what));
    assert_non_null(strstr(what, "objective: recorded "));
    assert_true(wlab_digest_equal(&a, &b, false, 1e-6, what, sizeof what));
    assert_string_equal(what, "");
    b.objective = a.objective * (1 + 1e-5);
    assert_false(wlab_digest_equal(&a, &b, false, 1e-6, what, sizeof what));
    assert_true(wlab_digest_equal(&a, &b, false, 1e-4, what, sizeof what));
    /* the tolerance of a gap is relative to the objective */
    b = a;
    b.gap = a.gap + 1e-9 * a.objective;
    assert_true(wlab_digest_equal(&a, &b, false, 1e-6, what, sizeof what));
    b.gap = NAN;
    assert_false(wlab_digest_equal(&a, &b, false, 1e-6, what, sizeof what));
    assert_non_null(strstr(what, "now -"));
    a.gap = NAN;
    assert_true(wlab_digest_equal(&a, &b, true, 0, what, sizeof what));
    /* the hash of the metrics and the inner units are compared only if exact; the rest always */
    b = a;
    b.inner++;
    strcpy(b.metrics, "0000000000000000");
    assert_false(wlab_digest_equal(&a, &b, true, 0, what, sizeof what));
    assert_true(wlab_digest_equal(&a, &b, false, 0, what, sizeof what));
    b = a;
    strcpy(b.metrics, "0000000000000000");
    assert_false(wlab_digest_equal(&a, &b, true, 0, what, sizeof what));
    assert_non_null(strstr(what, "metrics: recorded "));
    for (int field = 0; field < 5; field++) {
        static const char *const names[] = {"run", "verdict", "labels", "flips", "iter"};

        b = a;
        if (field == 0)
            strcpy(b.run, "b");
        if (field == 1)
            strcpy(b.verdict, "limit");
        if (field == 2)
            b.labels[0] = b.labels[0] == '0' ? '1' : '0';
        if (field == 3)
            b.flips += 1;
        if (field == 4)
            b.iter++;
        assert_false(wlab_digest_equal(&a, &b, false, 1, what, sizeof what));
        assert_memory_equal(what, names[field], strlen(names[field]));
    }
}

/* Labels and metrics each change their hash. */
static void test_hashes(void **state)
{
    wlab_digest d[6];

    (void)state;
    for (int i = 0; i < 6; i++)
        digest_of(i, &d[i]);
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < i; k++)
            assert_string_not_equal(d[i].metrics, d[k].metrics);
    for (int i = 1; i < 6; i++)
        assert_true((strcmp(d[i].labels, d[i - 1].labels) != 0) == (d[i].flips > 0));
}

static void test_malformed(void **state)
{
    static const char good[] = "run=a iter=7 inner=40 verdict=more objective=1 gap=- flips=3 "
                               "labels=0123456789abcdef metrics=fedcba9876543210";
    static const struct {
        const char *text, *word;
        long column;
    } cases[] = {
        {"", "has no run=", 0},
        {"run=a iter=7", "has no inner=", 0},
        {"run=a iter=x", "iter=x", 7},
        {"run=a run=b", "a second", 7},
        {"run=a colour=red", "unknown key", 7},
        {"run", "key=value", 1},
        {"run=", "malformed", 1},
        {"objective=nan", "objective=nan", 1},
        {"objective=1,5", "objective=1,5", 1},
        {"labels=0123", "labels", 1},
        {"labels=0123456789abcdeg", "labels", 1},
        {"verdict=aaaaaaaaaaaaaaaaaaaaaaaaaaaa", "verdict", 1},
    };
    wlab_digest d;
    wlab_err err;

    (void)state;
    assert_int_equal(wlab_digest_parse(&d, good, &err), WL_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wlab_digest kept = d;

        assert_int_equal(wlab_digest_parse(&d, cases[i].text, &err), WL_EINPUT);
        assert_memory_equal(&kept, &d, sizeof d);
        if (!strstr(err.message, cases[i].word) || err.column != cases[i].column)
            fail_msg("\"%s\": column %ld: %s", cases[i].text, err.column, err.message);
    }
    /* every prefix is refused */
    for (size_t n = 0; n < sizeof good - 2; n++) {
        char text[sizeof good];

        memcpy(text, good, n);
        text[n] = 0;
        assert_int_equal(wlab_digest_parse(&d, text, &err), WL_EINPUT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_text),   cmocka_unit_test(test_volatile),
        cmocka_unit_test(test_equal),      cmocka_unit_test(test_hashes), cmocka_unit_test(test_malformed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

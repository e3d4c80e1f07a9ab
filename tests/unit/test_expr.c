/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Conditions and formulas: their values, refusals with positions, failing memory, random text.
 */
#include "weaklab/expr.h"
#include "weaklab/rng.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char *const known[] = {"iter", "inner", "gap", "objective", "lower"};
enum {
    KNOWN = 5
};
static const double now[] = {7, 40, 1e-4, 19.5, NAN}, before[] = {6, 36, 2e-4, 19.5, NAN};

static void test_values(void **state)
{
    static const struct {
        const char *text;
        bool holds;
        int missing;
    } cases[] = {
        {"gap < 1e-3", true, -1},
        {"gap < 1e-5", false, -1},
        {"iter == 7", true, -1},
        {"iter != 7", false, -1},
        {"iter<=7 and inner>=40", true, -1},
        {"iter > 7 or gap < 1 and inner == 1", false, -1}, /* "and" has precedence */
        {"inner == 1 and iter == 7 or iter == 7", true, -1},
        {"(iter > 7 or gap < 1) and inner == 40", true, -1},
        {"not iter > 7", true, -1},
        {"not not iter == 7", true, -1},
        {"!(iter == 7) || iter == 7 && iter == 7", true, -1},
        {"gap decreases", true, -1},
        {"gap increases", false, -1},
        {"objective changes", false, -1},
        {"iter changes and gap changes", true, -1},
        {"lower < 1", false, 4},
        {"lower != 1", false, 4},
        {"lower increases", false, 4},
        {"not lower < 1", true, 4},
        {"iter == 7 or lower < 1", true, 4},
        {"iter - 2 - 1 == 4", true, -1},
        {"iter - (2 - 1) == 6", true, -1},
        {"2 + 3 * iter == 23", true, -1},
        {"(2 + 3) * iter == 35", true, -1},
        {"8 / 2 / 2 == 2", true, -1},
        {"-iter + 14 == iter", true, -1},
        {"--iter == 7", true, -1},
        {"abs(iter - 10) == 3", true, -1},
        {"abs (-3)*2 == 6", true, -1},
        {"2^3^2 == 512", true, -1},
        {"-2^2 == 0 - 4", true, -1},
        {"2^-1 == 0.5", true, -1},
        {"2*iter^2 == 98", true, -1},
        {"abs(-2)^2 == 4", true, -1},
        {"min(iter, 3) + max(iter, 3) == 10", true, -1},
        {"min(lower, 3) == 3", false, 4},
        {"abs(sin(pi/2) - cos(0)) < 1e-15", true, -1},
        {"abs(log(exp(2)) - sqrt(4)) < 1e-15", true, -1},
        {"sqrt(-1) < 1", false, -1},
        {"0/0 == 0/0", false, -1},
        {"0/0 != 1", false, -1},
        {"1/0 > 1e300", true, -1},
        {".5e1 == 5", true, -1},
        {"((((iter))) == 7)", true, -1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wlab_expr *e = NULL;
        wlab_err err = {0};
        int missing = 99;

        if (wlab_expr_create(&e, cases[i].text, known, KNOWN, &err))
            fail_msg("%s: %s", cases[i].text, err.message);
        if (wlab_expr_true(e, now, before, &missing) != cases[i].holds || missing != cases[i].missing)
            fail_msg("%s: missing %d", cases[i].text, missing);
        assert_string_equal(wlab_expr_text(e), cases[i].text);
        wlab_expr_destroy(e);
    }
}

static void test_movement_edges(void **state)
{
    double first[] = {7, 40, 1e-4, 19.5, 1};
    wlab_expr *e = NULL;

    (void)state;
    assert_int_equal(wlab_expr_create(&e, " gap decreases ", known, KNOWN, NULL), WL_OK);
    assert_string_equal(wlab_expr_text(e), "gap decreases");
    assert_false(wlab_expr_true(e, now, NULL, NULL)); /* no value before */
    assert_true(wlab_expr_uses(e, 2));
    assert_false(wlab_expr_uses(e, 0));
    wlab_expr_destroy(e);
    assert_int_equal(wlab_expr_create(&e, "lower changes", known, KNOWN, NULL), WL_OK);
    assert_true(wlab_expr_true(e, first, now, NULL)); /* the first value after a missing one */
    wlab_expr_destroy(e);
}

static void test_displays(void **state)
{
    wlab_expr *e = NULL;

    (void)state;
    assert_int_equal(wlab_expr_create(&e, "iter + inner", known, KNOWN, NULL), WL_EINPUT);
    assert_null(e);
    assert_int_equal(wlab_expr_create_value(&e, "iter + inner", known, KNOWN, NULL), WL_OK);
    assert_false(wlab_expr_is_condition(e));
    assert_true(wlab_expr_value(e, now, before, NULL) == 47);
    wlab_expr_destroy(e);
    assert_int_equal(wlab_expr_create_value(&e, "iter > inner", known, KNOWN, NULL), WL_OK);
    assert_true(wlab_expr_is_condition(e));
    wlab_expr_destroy(e);
    assert_int_equal(wlab_expr_create_value(&e, "lower", known, KNOWN, NULL), WL_OK);
    assert_true(isnan(wlab_expr_value(e, now, before, NULL)));
    wlab_expr_destroy(e);
}

static void test_errors(void **state)
{
    static const struct {
        const char *text;
        long column;
        const char *word;
    } cases[] = {
        {"", 1, "missing"},
        {"   ", 1, "missing"},
        {"gapp < 1", 1, "did you mean \"gap\""},
        {"iter > 1 and objektive < 2", 14, "\"objective\""},
        {"xyzzy < 1", 1, "xyzzy"},
        {"gap <", 6, "found the end"},
        {"gap < 1 2", 9, "unexpected"},
        {"gap = 1", 5, "\"==\""},
        {"gap", 4, "comparison"},
        {"gap + 1", 8, "comparison"},
        {"(gap < 1", 9, "\")\""},
        {"gap < 1)", 8, "unexpected"},
        {"gap < 1e", 7, "not a number"},
        {"gap < 1x", 7, "not a number"},
        {"gap < 1..2", 7, "not a number"},
        {"gap < #", 7, "character"},
        {"gap < 1 and 2", 13, "condition"},
        {"1 and gap < 1", 1, "condition"},
        {"not gap", 5, "condition"},
        {"(gap < 1) < 2", 1, "compared"},
        {"2 < (gap < 1)", 5, "compared"},
        {"1 < 2 < 3", 7, "unexpected"},
        {"(gap < 1) + 2 == 3", 11, "calculate"},
        {"2 * (gap < 1) == 3", 5, "calculate"},
        {"-(gap < 1) == 3", 2, "number"},
        {"abs gap < 1", 5, "after abs"},
        {"abs(gap < 1) == 1", 5, "abs"},
        {"min(gap) < 1", 8, "2 numbers"},
        {"sin gap < 1", 5, "after sin"},
        {"2^(gap < 1) == 3", 3, "calculate"},
        {"(gap < 1)^2 == 3", 1, "calculate"},
        {"gap ^ ^ 2 == 3", 7, "metric"},
        {"increases", 1, "increases"},
        {"1 increases", 3, "unexpected"},
        {"and", 1, "metric"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wlab_expr *e = (wlab_expr *)&e;
        wlab_err err = {0};

        if (wlab_expr_create(&e, cases[i].text, known, KNOWN, &err) != WL_EINPUT)
            fail_msg("\"%s\" was accepted", cases[i].text);
        assert_null(e);
        if (err.column != cases[i].column || !strstr(err.message, cases[i].word))
            fail_msg("\"%s\": column %ld: %s", cases[i].text, err.column, err.message);
    }
}

/* A formula over columns has the same grammar without conditions. */
static void test_formula(void **state)
{
    static const double x[] = {3, -2};
    wlab_expr *e = NULL;
    wlab_err err;

    (void)state;
    assert_int_equal(wlab_expr_create_formula(&e, "x1^2 + x2 - 1", 2, NULL), WL_OK);
    assert_true(wlab_expr_value(e, x, NULL, NULL) == 6);
    assert_true(wlab_expr_uses(e, 1));
    wlab_expr_destroy(e);
    assert_int_equal(wlab_expr_create_formula(&e, "x1 < 2", 2, &err), WL_EINPUT);
    assert_int_equal(wlab_expr_create_formula(&e, "x1 increases", 2, &err), WL_EINPUT);
    assert_int_equal(wlab_expr_create_formula(&e, "  x3", 2, &err), WL_EINPUT);
    assert_int_equal(err.column, 3);
}

static void test_limits(void **state)
{
    static char text[20000];
    wlab_expr *e = NULL;
    wlab_err err;

    (void)state;
    memset(text, '(', 10000);
    assert_int_equal(wlab_expr_create(&e, text, known, KNOWN, &err), WL_EINPUT);
    memset(text, '-', 10000);
    assert_int_equal(wlab_expr_create(&e, text, known, KNOWN, &err), WL_EINPUT);
    memset(text, '!', 10000);
    assert_int_equal(wlab_expr_create(&e, text, known, KNOWN, &err), WL_EINPUT);
    memset(text, '9', 10000);
    assert_int_equal(wlab_expr_create(&e, text, known, KNOWN, &err), WL_EINPUT);
    text[0] = 0;
    for (int i = 0; i < 3000; i++)
        strcat(text, "1 + ");
    strcat(text, "1 > 0");
    assert_int_equal(wlab_expr_create(&e, text, known, KNOWN, &err), WL_EINPUT);
    assert_non_null(strstr(err.message, "too long"));
    /* a condition that is nested deeply, but not too deeply, is evaluated */
    text[0] = 0;
    for (int i = 0; i < 50; i++)
        strcat(text, "1+(");
    strcat(text, "1");
    for (int i = 0; i < 50; i++)
        strcat(text, ")");
    strcat(text, " == 51");
    assert_int_equal(wlab_expr_create(&e, text, known, KNOWN, &err), WL_OK);
    assert_true(wlab_expr_true(e, now, before, NULL));
    wlab_expr_destroy(e);
}

/* Random strings of tokens are parsed, or refused with a column in the text or just behind it.  None ends the
 * program. */
static void test_random_text(void **state)
{
    static const char *const words[] = {
        "gap", "iter", "and", "or",  "not", "(",   ")",  "<",         "==", "1", "2e3", "+",     "-", "*",
        "/",   "abs",  "^",   "min", ",",   "log", "pi", "increases", "!",  "=", ".",   "lower", "&&"};
    wlab_rng rng;
    int parsed = 0;

    (void)state;
    wlab_rng_seed(&rng, 1);
    for (int i = 0; i < 20000; i++) {
        char text[256] = "";
        wlab_expr *e = NULL;
        wlab_err err = {0};
        int n = 1 + (int)wlab_rng_below(&rng, 9);

        for (int k = 0; k < n; k++) {
            strcat(text, words[wlab_rng_below(&rng, sizeof words / sizeof *words)]);
            strcat(text, wlab_rng_below(&rng, 2) ? " " : "");
        }
        if (wlab_expr_create_value(&e, text, known, KNOWN, &err) == WL_OK) {
            parsed++;
            (void)wlab_expr_value(e, now, before, NULL);
            wlab_expr_destroy(e);
        } else {
            assert_int_equal(err.code, WL_EINPUT);
            assert_in_range(err.column, 1, strlen(text) + 1);
        }
    }
    assert_true(parsed > 100);
}

static void test_memory(void **state)
{
    (void)state;
    for (long k = 1; k < 20; k++) {
        wlab_expr *e = NULL;
        wlab_err err = {0};
        wlab_code code;

        wlab_alloc_fail_at(k);
        code = wlab_expr_create(&e, "abs(gap - 1) < 2 and (iter > 3 or iter + inner * 2 == 4)", known, KNOWN,
                                &err);
        long used = wlab_alloc_count();
        wlab_alloc_fail_at(0);
        if (used < k) {
            assert_int_equal(code, WL_OK);
            wlab_expr_destroy(e);
            return;
        }
        assert_int_equal(code, WL_ENOMEM);
        assert_null(e);
    }
    fail_msg("still failing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),      cmocka_unit_test(test_movement_edges),
        cmocka_unit_test(test_displays),    cmocka_unit_test(test_errors),
        cmocka_unit_test(test_formula),     cmocka_unit_test(test_limits),
        cmocka_unit_test(test_random_text), cmocka_unit_test(test_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Parameters: which values are accepted and refused, and the error messages.
 */
#include "support.h"
#include "weaklab/param.h"

static const char *const losses[] = {"hinge", "sum-to-one", "squared-hinge", NULL};
static const char *const only[] = {"newton", NULL};

static const char *const units[] = {"x", "rms", NULL};
static const wlab_param_info table[] = {
    {"C1", WL_P_REAL, "1", 0, INFINITY, NULL, NULL, "penalty of the labelled rows",
     WL_P_OPEN_LO | WL_P_OPEN_HI | WL_P_MUTABLE},
    {"C", WL_P_REAL, NULL, 0, INFINITY, NULL, NULL, "sets C1 and C2", WL_P_OPEN_LO | WL_P_ALIAS},
    {"test", WL_P_REAL, "0.25", 0, 1, NULL, NULL, "fraction held out", WL_P_OPEN_LO | WL_P_OPEN_HI},
    {"bias", WL_P_REAL, "-1", 0, 0, NULL, NULL, NULL, 0},
    {"low", WL_P_REAL, NULL, -INFINITY, -1, NULL, "degrees", NULL, 0},
    {"seed", WL_P_INT, "1", 0, 0, NULL, NULL, "of the random numbers", 0},
    {"n", WL_P_INT, "200", 2, 1e6, NULL, "rows", "size", 0},
    {"sigma", WL_P_SCALED, "1x", 0, INFINITY, units, NULL, "kernel width", WL_P_OPEN_LO},
    {"loss", WL_P_CHOICE, NULL, 0, 0, losses, NULL, "the loss", 0},
    {"master", WL_P_CHOICE, "newton", 0, 0, only, NULL, NULL, 0},
    {"stratified", WL_P_BOOL, "yes", 0, 0, NULL, NULL, "by class", 0},
    {"note", WL_P_TEXT, NULL, 0, 0, NULL, NULL, "any words", 0},
    {"labels", WL_P_FILE, NULL, 0, 0, NULL, NULL, "labels, one per line", 0},
    {.name = NULL},
};

static wlab_params *fresh(void)
{
    wlab_params *p;
    wlab_err err;
    ASSERT_OK(wlab_params_create(&p, table, &err), err);
    return p;
}

static void test_defaults(void **state)
{
    (void)state;
    wlab_params *p = fresh();
    assert_ptr_equal(wlab_params_table(p), table);
    assert_true(wlab_params_real(p, "C1") == 1);
    assert_true(isnan(wlab_params_real(p, "C")));
    assert_null(wlab_params_text(p, "C"));
    assert_true(wlab_params_int(p, "n") == 200 && wlab_params_real(p, "n") == 200);
    assert_true(wlab_params_real(p, "sigma") == 1 && wlab_params_scale(p, "sigma") == 0);
    assert_string_equal(wlab_params_text(p, "sigma"), "1x");
    assert_int_equal(wlab_params_choice(p, "loss"), -1);
    assert_int_equal(wlab_params_choice(p, "master"), 0);
    assert_true(wlab_params_bool(p, "stratified"));
    for (const wlab_param_info *info = table; info->name; info++)
        assert_false(wlab_params_given(p, info->name));
    /* parameters that do not exist */
    assert_true(isnan(wlab_params_real(p, "none")));
    assert_true(wlab_params_int(p, "none") == 0);
    assert_false(wlab_params_bool(p, "none") || wlab_params_given(p, "none"));
    assert_int_equal(wlab_params_scale(p, "none"), -1);
    assert_int_equal(wlab_params_choice(p, "none"), -1);
    assert_null(wlab_params_text(p, "none"));
    wlab_params_destroy(p);
    wlab_params_destroy(NULL);
}

static void test_accepted(void **state)
{
    (void)state;
    wlab_params *p = fresh();
    wlab_err err;
    ASSERT_OK(wlab_params_set(p, "C1", "1e-3", &err), err);
    assert_true(wlab_params_real(p, "C1") == 1e-3);
    assert_true(wlab_params_given(p, "C1"));
    assert_string_equal(wlab_params_text(p, "C1"), "1e-3");
    ASSERT_OK(wlab_params_set(p, "C1", "+.5", &err), err); /* again */
    assert_true(wlab_params_real(p, "C1") == 0.5);
    ASSERT_OK(wlab_params_set(p, "C1", "1e308", &err), err); /* an open infinite end does not restrict */
    ASSERT_OK(wlab_params_set(p, "bias", "-1e300", &err), err);
    ASSERT_OK(wlab_params_set(p, "low", "-1", &err), err); /* a closed end is itself valid */
    ASSERT_OK(wlab_params_set(p, "n", "2", &err), err);
    ASSERT_OK(wlab_params_set(p, "n", "1000000", &err), err);
    assert_true(wlab_params_int(p, "n") == 1000000);
    ASSERT_OK(wlab_params_set(p, "seed", "9223372036854775807", &err), err);
    assert_true(wlab_params_int(p, "seed") == INT64_MAX);
    ASSERT_OK(wlab_params_set(p, "sigma", "0.5", &err), err);
    assert_true(wlab_params_real(p, "sigma") == 0.5 && wlab_params_scale(p, "sigma") == -1);
    ASSERT_OK(wlab_params_set(p, "sigma", "4rms", &err), err);
    assert_true(wlab_params_real(p, "sigma") == 4 && wlab_params_scale(p, "sigma") == 1);
    ASSERT_OK(wlab_params_set(p, "sigma", "2e-1x", &err), err);
    assert_true(wlab_params_real(p, "sigma") == 0.2 && wlab_params_scale(p, "sigma") == 0);
    for (int i = 0; losses[i]; i++) {
        ASSERT_OK(wlab_params_set(p, "loss", losses[i], &err), err);
        assert_int_equal(wlab_params_choice(p, "loss"), i);
    }
    static const char *const yes[] = {"yes", "on", "true", "1"}, *const no[] = {"no", "off", "false", "0"};
    for (int i = 0; i < 4; i++) {
        ASSERT_OK(wlab_params_set(p, "stratified", no[i], &err), err);
        assert_false(wlab_params_bool(p, "stratified"));
        ASSERT_OK(wlab_params_set(p, "stratified", yes[i], &err), err);
        assert_true(wlab_params_bool(p, "stratified"));
    }
    ASSERT_OK(wlab_params_set(p, "note", "", &err), err);
    assert_string_equal(wlab_params_text(p, "note"), "");
    assert_true(wlab_params_given(p, "note"));
    ASSERT_OK(wlab_params_set(p, "labels", "a file.txt", &err), err);
    wlab_params_destroy(p);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *message;
    } cases[] = {
        {"C1", "-3", "C1=-3: must be > 0 (penalty of the labelled rows)"},
        {"C1", "0", "C1=0: must be > 0 (penalty of the labelled rows)"},
        {"C1", "abc", "C1=abc: must be a number > 0 (penalty of the labelled rows)"},
        {"C1", "", "C1=: must be a number > 0 (penalty of the labelled rows)"},
        {"C1", "inf", "C1=inf: must be a number > 0 (penalty of the labelled rows)"},
        {"C1", "nan", "C1=nan: must be a number > 0 (penalty of the labelled rows)"},
        {"C1", "1x", "C1=1x: must be a number > 0 (penalty of the labelled rows)"},
        {"test", "1", "test=1: must be > 0 and < 1 (fraction held out)"},
        {"test", "0", "test=0: must be > 0 and < 1 (fraction held out)"},
        {"bias", "x", "bias=x: must be a number"},
        {"low", "0", "low=0: must be <= -1 (degrees)"},
        {"n", "1", "n=1: must be >= 2 and <= 1000000 (size, in rows)"},
        {"n", "1000001", "n=1000001: must be >= 2 and <= 1000000 (size, in rows)"},
        {"n", "2.0", "n=2.0: must be an integer >= 2 and <= 1000000 (size, in rows)"},
        {"seed", "9223372036854775808",
         "seed=9223372036854775808: must be an integer from -9223372036854775808 to 9223372036854775807"
         " (of the random numbers)"},
        {"sigma", "0x", "sigma=0x: must be > 0 (kernel width)"},
        {"sigma", "x", "sigma=x: must be a number > 0, or a multiple like 0.5x or 0.5rms (kernel width)"},
        {"sigma", "1xx", "sigma=1xx: must be a number > 0, or a multiple like 0.5x or 0.5rms (kernel width)"},
        {"sigma", "0x10",
         "sigma=0x10: must be a number > 0, or a multiple like 0.5x or 0.5rms (kernel width)"},
        {"loss", "hing", "loss=hing: must be hinge, sum-to-one or squared-hinge; did you mean \"hinge\"?"},
        {"loss", "", "loss=: must be hinge, sum-to-one or squared-hinge (the loss)"},
        {"loss", "banana", "loss=banana: must be hinge, sum-to-one or squared-hinge (the loss)"},
        {"master", "mkl", "master=mkl: must be newton"},
        {"stratified", "maybe", "stratified=maybe: must be yes or no (by class)"},
        {"stratified", "", "stratified=: must be yes or no (by class)"},
        {"labels", "", "labels=: must be the name of a file (labels, one per line)"},
        {"note", "a\nquit", "note=a quit: must be without control characters (any words)"},
        {"sgima", "1", "unknown setting \"sgima\"; did you mean \"sigma\"? (known: C1, C, test, bias, low,"},
        {"c1", "1", "unknown setting \"c1\"; did you mean \"C1\"?"},
        {"banana", "1", "unknown setting \"banana\" (known: C1, "},
        {"", "1", "unknown setting \"\" (known: C1, "},
    };
    wlab_params *p = fresh();
    wlab_err err;
    ASSERT_OK(wlab_params_set(p, "n", "77", &err), err);
    wlab_buf before = {0}, after = {0};
    assert_int_equal(wlab_params_format(p, &before), WL_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ASSERT_FAILS(wlab_params_set(p, cases[i].name, cases[i].text, &err), WL_EARG, err, cases[i].message);
        assert_int_equal(strncmp(err.message, cases[i].message, strlen(cases[i].message)), 0);
        assert_int_equal(wlab_params_set(p, cases[i].name, cases[i].text, NULL), WL_EARG);
    }
    assert_int_equal(wlab_params_format(p, &after), WL_OK);
    assert_string_equal((char *)before.data, (char *)after.data); /* a refusal changes nothing */
    assert_true(wlab_params_int(p, "n") == 77);
    wlab_buf_clear(&before);
    wlab_buf_clear(&after);
    wlab_params_destroy(p);
}

static void test_long_values_and_tables(void **state)
{
    (void)state;
    enum {
        N = 300
    };
    static char names[N][24];
    static wlab_param_info many[N + 1];
    static const char *choices[N + 1];
    for (int i = 0; i < N; i++) {
        snprintf(names[i], sizeof names[i], "parameter-number-%d", i);
        choices[i] = names[i];
        many[i] = (wlab_param_info){.name = names[i], .type = WL_P_CHOICE, .choices = choices};
    }
    wlab_params *p;
    wlab_err err;
    ASSERT_OK(wlab_params_create(&p, many, &err), err);
    char *text = malloc(10001);
    memset(text, 'q', 10000);
    text[10000] = 0;
    ASSERT_FAILS(wlab_params_set(p, text, "x", &err), WL_EARG, err, "unknown setting \"qqq");
    ASSERT_FAILS(wlab_params_set(p, names[0], text, &err), WL_EARG, err, "qqq...: must be");
    ASSERT_FAILS(wlab_params_set(p, "parameter-nubmer-299", "x", &err), WL_EARG, err,
                 "did you mean \"parameter-number-299\"?");
    ASSERT_FAILS(wlab_params_set(p, names[0], "parameter-nubmer-299", &err), WL_EARG, err,
                 "did you mean \"parameter-number-299\"?");
    ASSERT_OK(wlab_params_set(p, names[299], names[298], &err), err);
    assert_int_equal(wlab_params_choice(p, names[299]), 298);
    wlab_params_destroy(p);
    p = fresh();
    ASSERT_FAILS(wlab_params_set(p, "sigma", text, &err), WL_EARG, err, "must be a number > 0");
    ASSERT_OK(wlab_params_set(p, "note", text, &err), err);
    assert_string_equal(wlab_params_text(p, "note"), text);
    wlab_params_destroy(p);
    free(text);
}

static void test_empty_and_bad_tables(void **state)
{
    (void)state;
    static const wlab_param_info none[] = {{.name = NULL}},
                                 bad[] = {{.name = "k", .type = WL_P_INT, .fallback = "1.5"}, {.name = NULL}};
    wlab_params *p;
    wlab_err err;
    ASSERT_OK(wlab_params_create(&p, none, &err), err);
    ASSERT_FAILS(wlab_params_set(p, "x", "1", &err), WL_EARG, err,
                 "unknown setting \"x\" (there are none here)");
    wlab_buf buf = {0};
    assert_int_equal(wlab_params_format(p, &buf), WL_OK);
    assert_string_equal((char *)buf.data, "");
    wlab_buf_clear(&buf);
    wlab_params_destroy(p);
    ASSERT_FAILS(wlab_params_create(&p, bad, &err), WL_EARG, err, "k=1.5: must be an integer");
    assert_null(p);
}

static void test_format_and_copy(void **state)
{
    (void)state;
    static const char *const notes[][2] = {
        {"plain", "note=plain"},
        {"a b", "note=\"a b\""},
        {"say \"hi\"", "note='say \"hi\"'"},
        {"it's", "note=\"it's\""},
        {"5% # x", "note=\"5% # x\""},
        {"a;b", "note=\"a;b\""},
        {"it's \"\\\"", "note=\"it's \\\"\\\\\\\"\""},
        {"", "note=\"\""},
    };
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
        wlab_params *p = fresh(), *q;
        wlab_err err;
        ASSERT_OK(wlab_params_set(p, "note", notes[i][0], &err), err); /* typed in another order */
        ASSERT_OK(wlab_params_set(p, "sigma", "0.50x", &err), err);
        ASSERT_OK(wlab_params_set(p, "C1", "1e0", &err), err);
        wlab_buf buf = {0}, copy = {0};
        assert_int_equal(wlab_buf_printf(&buf, "algo "), WL_OK);
        assert_int_equal(wlab_params_format(p, &buf), WL_OK);
        char expected[100];
        snprintf(expected, sizeof expected, "algo C1=1e0 sigma=0.50x %s", notes[i][1]);
        assert_string_equal((char *)buf.data, expected);

        ASSERT_OK(wlab_params_copy(&q, p, &err), err);
        ASSERT_OK(wlab_params_set(p, "note", "other", &err), err);
        ASSERT_OK(wlab_params_set(p, "sigma", "7", &err), err);
        assert_int_equal(wlab_params_format(q, &copy), WL_OK);
        assert_string_equal((char *)copy.data, expected + 5);
        assert_true(wlab_params_scale(q, "sigma") == 0 && wlab_params_real(q, "sigma") == 0.5);
        assert_false(wlab_params_given(q, "n"));
        wlab_params_destroy(p);
        assert_string_equal(wlab_params_text(q, "note"), notes[i][0]);
        wlab_params_destroy(q);
        wlab_buf_clear(&buf);
        wlab_buf_clear(&copy);
    }
}

/* A removed setting is accepted only with its remaining value, and is not a setting any more. */
static void test_removed(void **state)
{
    static const wlab_param_info removed_table[] = {{.name = "n", .type = WL_P_INT, .fallback = "1"},
                                                    {.name = NULL, .fallback = "backend=own order=rows"}};
    (void)state;
    wlab_params *p;
    wlab_err err;
    wlab_buf buf = {0};
    ASSERT_OK(wlab_params_create(&p, removed_table, &err), err);
    ASSERT_OK(wlab_params_set(p, "backend", "own", &err), err);
    ASSERT_OK(wlab_params_set(p, "order", "rows", &err), err);
    ASSERT_FAILS(wlab_params_set(p, "backend", "libsvm", &err), WL_EARG, err, "only backend=own is accepted");
    ASSERT_FAILS(wlab_params_set(p, "backend", "ow", &err), WL_EARG, err, "only backend=own is accepted");
    ASSERT_FAILS(wlab_params_set(p, "order", "rows2", &err), WL_EARG, err, "only order=rows is accepted");
    ASSERT_FAILS(wlab_params_set(p, "back", "own", &err), WL_EARG, err, "unknown setting");
    ASSERT_FAILS(wlab_params_set(p, "ord", "rows", &err), WL_EARG, err, "unknown setting");
    assert_false(wlab_params_given(p, "backend") || wlab_param_known(removed_table, "backend"));
    assert_null(wlab_params_text(p, "backend"));
    assert_int_equal(wlab_params_format(p, &buf), WL_OK);
    assert_int_equal(buf.len, 0);
    wlab_buf_clear(&buf);
    wlab_params_destroy(p);
}

static void test_without_memory(void **state)
{
    (void)state;
    wlab_params *p, *q;
    wlab_err err;
    ALLOC_SWEEP_OUT(wlab_params_create(&p, table, &err), p);
    wlab_alloc_fail_at(1);
    wlab_code code = wlab_params_set(p, "nn", "5", &err);
    wlab_alloc_fail_at(0);
    assert_int_equal(code, WL_ENOMEM);
    ALLOC_SWEEP_CHECK(wlab_params_set(p, "n", "5", &err), assert_true(wlab_params_int(p, "n") == 200));
    assert_true(wlab_params_int(p, "n") == 5);
    ASSERT_OK(
        wlab_params_set(p, "note", "a long enough text to make the buffer grow: 0123456789 0123456789", &err),
        err);
    ALLOC_SWEEP_OUT(wlab_params_copy(&q, p, &err), q);
    wlab_params_destroy(q);
    wlab_buf buf = {0};
    ALLOC_SWEEP_CHECK(wlab_params_format(p, &buf), assert_int_equal(buf.len, 0));
    assert_true(buf.len > 60);
    wlab_buf_clear(&buf);
    wlab_params_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_accepted),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_long_values_and_tables),
        cmocka_unit_test(test_empty_and_bad_tables),
        cmocka_unit_test(test_format_and_copy),
        cmocka_unit_test(test_removed),
        cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

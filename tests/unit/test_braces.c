/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Expansion of values in braces.
 */
#include "base/braces.h"
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
// cmocka needs the headers above
#include <cmocka.h>

static void assert_expands(const char *value, const char *joined)
{
    char **list = NULL, text[4096] = "";
    int n = 0;
    wlab_err err = {0};
    wlab_code code = wlab_braces_values(value, &list, &n, &err);

    if (code)
        fail_msg("%s: %s", value, err.message);
    for (int i = 0; i < n; i++) {
        strcat(text, i ? "|" : "");
        strcat(text, list[i]);
    }
    assert_string_equal(text, joined);
    wlab_braces_free(list, n);
}

static void test_values(void **state)
{
    (void)state;
    assert_expands("", "");
    assert_expands("rbf", "rbf");
    assert_expands("a..b", "a..b");
    assert_expands("{a}", "a");
    assert_expands("{0.01,0.1,1}", "0.01|0.1|1");
    assert_expands("{5%,10%}", "5%|10%");
    assert_expands("{0.5,1}x", "0.5x|1x");
    assert_expands("@splits{1,2}.txt", "@splits1.txt|@splits2.txt");
    assert_expands("{1..5}", "1|2|3|4|5");
    assert_expands("{-1..1}", "-1|0|1");
    assert_expands("{7..7}", "7");
    assert_expands("{9223372036854775806..9223372036854775807}", "9223372036854775806|9223372036854775807");
    assert_expands("{../a,../b}", "../a|../b");
    assert_expands("{a b,c}", "a b|c");
}

static void assert_refused(const char *value, long column, const char *what)
{
    char **list = NULL;
    int n = 0;
    wlab_err err = {0};

    assert_int_equal(wlab_braces_values(value, &list, &n, &err), WL_EINPUT);
    assert_null(list);
    if (!strstr(err.message, what))
        fail_msg("%s: %s", value, err.message);
    assert_int_equal(err.column, column);
}

static void test_errors(void **state)
{
    (void)state;
    assert_refused("{}", 1, "are empty");
    assert_refused("a{}", 2, "are empty");
    assert_refused("{a,b", 1, "never closed");
    assert_refused("a}", 2, "no opening brace");
    assert_refused("{a,,b}", 4, "missing");
    assert_refused("{,b}", 2, "missing");
    assert_refused("{b,}", 4, "missing");
    assert_refused("{a,{b}}", 4, "nested");
    assert_refused("{a}{b}", 4, "only one pair of braces");
    assert_refused("{a}}", 4, "no opening brace");
    assert_refused("{5..1}", 2, "goes down");
    assert_refused("{1..}", 5, "two integers");
    assert_refused("{..3}", 2, "two integers");
    assert_refused("{a..c}", 2, "two integers");
    assert_refused("{1..2.5}", 5, "two integers");
    assert_refused("{1..99999999999999999999}", 5, "two integers");
    assert_refused("{0..10000}", 2, "more than 10000");
    assert_refused("{-9223372036854775808..9223372036854775807}", 2, "more than 10000");
    assert_refused("{1..3,5}", 2, "must be alone");
    assert_refused("{a,b,a,b}", 6, "twice");
}

static void test_long_list(void **state)
{
    char *text = wlab_alloc(2 * 10001 + 3, 1);

    (void)state;
    assert_non_null(text);
    memset(text, 'x', 2 * 10001 + 2);
    text[0] = '{';
    for (int i = 0; i < 10001; i++)
        text[2 + 2 * i] = ',';
    text[2 * 10001] = '}';
    text[2 * 10001 + 1] = '\0';
    assert_refused(text, 2 + 2 * 9999 + 1, "more than 10000");
    wlab_free(text);
}

static void test_memory(void **state)
{
    static const char *const values[] = {"rbf", "{a,b,c}", "{1..4}x"};

    (void)state;
    for (int v = 0; v < 3; v++)
        for (long k = 1;; k++) {
            char **list = NULL;
            int n = 0;
            wlab_err err = {0};
            wlab_alloc_fail_at(k);
            wlab_code code = wlab_braces_values(values[v], &list, &n, &err);
            wlab_alloc_fail_at(0);
            if (code == WL_OK) {
                assert_true(k > 1);
                wlab_braces_free(list, n);
                break;
            }
            assert_int_equal(code, WL_ENOMEM);
            assert_null(list);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_long_list),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

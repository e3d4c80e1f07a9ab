/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tables found in results.
 */
#include "report/report.h"
#include "support.h"

#include <string.h>

static void expect(const char *text, int lines, int columns)
{
    wlab_columns c;
    const bool found = wlab_columns_find(text, &c);

    if (found != (lines > 0) || (found && (c.lines != lines || c.columns != columns)))
        fail_msg("%d lines, %d columns in: %s", c.lines, c.columns, text);
}

static void test_columns(void **state)
{
    (void)state;
    expect("", 0, 0);
    expect("iter  objective  gap\n", 0, 0);
    expect(
        "  iter  objective  gap  verdict\n     1       8.38    4  more\n    12       7.00   12  converged\n",
        3, 4);
    /* the rest is no part of it */
    expect("  iter  objective  gap\n     1       8.38    4\nrun a: converged after step 1\n", 2, 3);
    /* a row that stands further down would lose its names */
    expect("  iter  objective  gap\n     1       8.38    4\n 1: lower\n     2       7.00    3\n", 0, 0);
    /* two words are prose, and numbers are no names */
    expect("a word\nb name\n", 0, 0);
    expect("1: lower = 2\n2: upper = 3\n", 0, 0);
    /* aligned at neither side */
    expect("one two three\n 1   2     3.5 \n", 0, 0);
    /* more columns than a table has */
    char wide[400] = "";
    for (int row = 0; row < 2; row++) {
        for (int k = 0; k < 30; k++)
            strcat(wide, "abc ");
        strcat(wide, "\n");
    }
    expect(wide, 0, 0);
}

static void test_words(void **state)
{
    (void)state;
    size_t len;
    const char *line = "  iter  objective\n     1  8.38\n";

    assert_memory_equal(wlab_columns_word(line, 1, &len), "objective", 9);
    assert_int_equal(len, 9);
    (void)wlab_columns_word(line, 2, &len);
    assert_int_equal(len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

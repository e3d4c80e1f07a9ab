/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Text broken at blanks to a terminal's width.
 */
#include "support.h"
#include "tui/wrap.h"
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <wctype.h>

static void wraps_to(const char *text, int width, const char *expected)
{
    char *got = wlab_wrap(text, width);
    assert_non_null(got);
    assert_string_equal(got, expected);
    wlab_free(got);
}

static void test_breaks(void **state)
{
    (void)state;
    wraps_to("", 40, "");
    wraps_to("one line that fits\n", 20, "one line that fits\n");
    wraps_to("exactly twenty chars\n", 20, "exactly twenty chars\n");
    wraps_to("one line that does not fit into it\nnext", 20, "one line that does\nnot fit into it\nnext");
    wraps_to("a_word_that_is_longer_than_a_line and more", 20, "a_word_that_is_longer_than_a_line\nand more");
    /* columns are kept while they fit, and continue under their first word */
    wraps_to("    1  step 2\n", 20, "    1  step 2\n");
    wraps_to("    1  task ssl labeled=20", 20, "    1  task ssl\n    labeled=20");
    wraps_to("* a  wellsvm  step 2  more", 20, "* a  wellsvm  step 2\n  more");
    wraps_to("two rows\n\nof text\n", 20, "two rows\n\nof text\n");
    wraps_to("too narrow a terminal is left alone", 10, "too narrow a terminal is left alone");
}

static void test_columns(void **state)
{
    (void)state;
    if (!setlocale(LC_CTYPE, "C.UTF-8"))
        skip();
    /* 20 columns in more bytes */
    wraps_to("\xce\xb1\xce\xb2\xce\xb3\xce\xb4 \xce\xb1\xce\xb2\xce\xb3\xce\xb4 "
             "\xce\xb1\xce\xb2\xce\xb3\xce\xb4 abcde",
             20,
             "\xce\xb1\xce\xb2\xce\xb3\xce\xb4 \xce\xb1\xce\xb2\xce\xb3\xce\xb4 "
             "\xce\xb1\xce\xb2\xce\xb3\xce\xb4 abcde");
    wraps_to("\xff\xfe bytes that are no text", 20, "\xff\xfe bytes that are no\ntext");
}

static void assert_wraps(const char *text, const char *expected)
{
    char *got = wlab_printable(text);
    assert_non_null(got);
    assert_string_equal(got, expected);
    wlab_free(got);
}

static void test_printable(void **state)
{
    (void)state;
    assert_non_null(setlocale(LC_CTYPE, "C"));
    assert_wraps("plain\ttext\n", "plain\ttext\n");
    assert_wraps("a\033[31mb\007c\rd\177", "a [31mb c d ");
    assert_wraps("\x9b"
                 "31m \xc2\x9b"
                 "31m \xc3\xbc",
                 "?31m  31m ?");
    if (!setlocale(LC_CTYPE, "C.UTF-8"))
        skip();
    assert_wraps("s\xc3\xbc\xc3\x9f \xe6\xbc\xa2 e\xcc\x81", "s\xc3\xbc\xc3\x9f \xe6\xbc\xa2 e\xcc\x81");
    assert_wraps("\x9b"
                 "31m \xc2\x9b"
                 "31m \xc0\x9b \xe6\xbc",
                 "?31m  31m ?? ??");
    assert_wraps("right \xe2\x80\xae"
                 "thgir \xe2\x81\xa6"
                 "a\xe2\x81\xa9 \xd8\x9c",
                 "right  thgir  a   ");
    /* random bytes give no control character, as the locale reads the result */
    unsigned seed = 7;
    for (int round = 0; round < 2000; round++) {
        char text[60];
        for (size_t i = 0; i < sizeof text - 1; i++) {
            seed = seed * 1103515245u + 12345u;
            text[i] = (char)(1 + (seed >> 16) % 255);
        }
        text[sizeof text - 1] = '\0';
        char *got = wlab_printable(text);
        assert_non_null(got);
        wchar_t wide[sizeof text];
        size_t n = mbstowcs(wide, got, sizeof text);
        assert_int_not_equal(n, (size_t)-1);
        for (size_t i = 0; i < n; i++)
            assert_true(wide[i] == L'\n' || wide[i] == L'\t' || !iswcntrl((wint_t)wide[i]));
        wlab_free(got);
    }
}

/* Only blanks and line ends change, and no line with a blank to break at is too long. */
static void test_any(void **state)
{
    unsigned seed = 1;
    (void)state;
    for (int round = 0; round < 2000; round++) {
        char text[200];
        size_t n = 0;
        for (; n < sizeof text - 1; n++) {
            seed = seed * 1103515245u + 12345u;
            unsigned r = (seed >> 16) % 8;
            text[n] = (char)(r == 0 ? '\n' : r < 3 ? ' ' : 'a' + (int)r);
        }
        text[n] = '\0';
        char *got = wlab_wrap(text, 24);
        assert_non_null(got);
        const char *a = text, *b = got;
        for (;;) {
            a += strspn(a, " \n");
            b += strspn(b, " \n");
            assert_int_equal(*a, *b);
            if (!*a)
                break;
            a++;
            b++;
        }
        for (const char *line = got; *line;) {
            size_t len = strcspn(line, "\n"), indent = strspn(line, " ");
            while (len > 0 && line[len - 1] == ' ')
                len--;
            if (len > 24 && indent < len)
                assert_null(memchr(line + indent, ' ', len - indent));
            line += strcspn(line, "\n");
            line += *line == '\n';
        }
        wlab_free(got);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_breaks), cmocka_unit_test(test_printable),
                                       cmocka_unit_test(test_columns), cmocka_unit_test(test_any)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

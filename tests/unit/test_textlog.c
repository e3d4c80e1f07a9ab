/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Scrolling text: the newest line at the bottom, wrapping, scrolling that stops at the ends and keeps its place.
 */
#include "support.h"

#include "tui/dashboard/textlog.h"
#include <locale.h>

static wlab_err err;

static const char *drawn(wlab_textlog *t, int rows, int cols)
{
    static char text[1 << 16];
    wlab_canvas c = {0};
    wlab_buf b = {0};
    wlab_rect all = {0, 0, rows, cols};
    ASSERT_OK(wlab_canvas_resize(&c, rows, cols, &err), err);
    wlab_textlog_draw(t, &c, &all);
    assert_int_equal(wlab_canvas_dump(&c, &b), WL_OK);
    snprintf(text, sizeof text, "%s", (const char *)b.data);
    wlab_buf_clear(&b);
    wlab_canvas_clear(&c);
    return text;
}

static void add_lines(wlab_textlog *t, int from, int to)
{
    char text[16];
    for (int i = from; i <= to; i++) {
        snprintf(text, sizeof text, "line %d\n", i);
        wlab_textlog_add(t, WL_S_TEXT, text);
    }
}

static void newest_below(void **state)
{
    (void)state;
    wlab_textlog *t;
    ASSERT_OK(wlab_textlog_create(&t, 5, &err), err);
    assert_string_equal(drawn(t, 2, 10), "\n\n");
    wlab_textlog_add(t, WL_S_TEXT, "one\n\nthree");
    assert_int_equal(wlab_textlog_lines(t), 3);
    assert_string_equal(drawn(t, 4, 10), "\none\n\nthree\n");
    wlab_textlog_begin(t);
    assert_string_equal(drawn(t, 4, 10), "one\n\nthree\n\n");
    wlab_textlog_end(t);
    add_lines(t, 1, 4);
    assert_int_equal(wlab_textlog_lines(t), 5); /* the oldest are lost */
    assert_string_equal(wlab_textlog_line(t, 0), "three");
    assert_string_equal(wlab_textlog_line(t, 4), "line 4");
    assert_null(wlab_textlog_line(t, 5));
    assert_string_equal(drawn(t, 2, 10), "line 3\nline 4\n");
    wlab_textlog_empty(t);
    assert_int_equal(wlab_textlog_lines(t), 0);
    wlab_textlog_destroy(t);
    wlab_textlog_destroy(NULL);
}

/* The pieces of a line are joined; a message between them ends it. */
static void lines_in_pieces(void **state)
{
    (void)state;
    wlab_textlog *t;
    ASSERT_OK(wlab_textlog_create(&t, 3, &err), err);
    wlab_textlog_stream(t, WL_S_TEXT, "1");
    wlab_textlog_stream(t, WL_S_TEXT, "");
    wlab_textlog_stream(t, WL_S_TEXT, "  2");
    wlab_textlog_stream(t, WL_S_TEXT, "  3\nnext");
    wlab_textlog_stream(t, WL_S_TEXT, "\n");
    wlab_textlog_stream(t, WL_S_TEXT, "a");
    assert_string_equal(drawn(t, 3, 10), "1  2  3\nnext\na\n");
    wlab_textlog_add(t, WL_S_NOTE, "note");
    wlab_textlog_stream(t, WL_S_TEXT, "b");
    assert_string_equal(drawn(t, 3, 10), "a\nnote\nb\n");
    wlab_textlog_empty(t);
    wlab_textlog_stream(t, WL_S_TEXT, "c\n");
    assert_string_equal(wlab_textlog_line(t, 0), "c");
    wlab_textlog_destroy(t);
}

static void long_lines_wrap(void **state)
{
    (void)state;
    wlab_textlog *t;
    ASSERT_OK(wlab_textlog_create(&t, 10, &err), err);
    wlab_textlog_add(t, WL_S_TEXT, "  step 3 of the master problem");
    assert_string_equal(drawn(t, 3, 14), "  step 3 of\n  the master\n  problem\n");
    wlab_textlog_empty(t);
    wlab_textlog_add(t, WL_S_TEXT, "abcdefghijkl mn");
    assert_string_equal(drawn(t, 4, 5), "\nabcde\nfghij\nkl mn\n");
    wlab_textlog_empty(t);
    wlab_textlog_add(t, WL_S_TEXT, "漢字漢字");
    assert_string_equal(drawn(t, 2, 5), "漢字\n漢字\n");
    assert_string_equal(drawn(t, 4, 1), "\n\n\n\n"); /* no character fits, but drawing ends */
    wlab_textlog_destroy(t);
}

static void scrolling_stays_put(void **state)
{
    (void)state;
    wlab_textlog *t;
    ASSERT_OK(wlab_textlog_create(&t, 8, &err), err);
    add_lines(t, 1, 6);
    wlab_textlog_scroll(t, -2);
    assert_string_equal(drawn(t, 3, 22), "line 2\nline 3\n-- 3 more: PgDn --\n");
    add_lines(t, 7, 7); /* the lines being read do not move */
    assert_string_equal(drawn(t, 3, 22), "line 2\nline 3\n-- 4 more: PgDn --\n");
    wlab_textlog_scroll(t, -100);
    assert_string_equal(drawn(t, 3, 22), "line 1\nline 2\n-- 5 more: PgDn --\n");
    add_lines(t, 8, 11); /* until they leave the ring */
    assert_string_equal(drawn(t, 3, 22), "line 4\nline 5\n-- 6 more: PgDn --\n");
    wlab_textlog_scroll(t, 3);
    assert_string_equal(drawn(t, 3, 22), "line 7\nline 8\n-- 3 more: PgDn --\n");
    wlab_textlog_scroll(t, 100);
    assert_string_equal(drawn(t, 3, 22), "line 9\nline 10\nline 11\n");
    add_lines(t, 12, 12); /* at the end it follows again */
    assert_string_equal(drawn(t, 3, 22), "line 10\nline 11\nline 12\n");
    wlab_textlog_scroll(t, -1); /* nothing to scroll where all fits */
    assert_string_equal(drawn(t, 9, 22),
                        "\nline 5\nline 6\nline 7\nline 8\nline 9\nline 10\nline 11\nline 12\n");
    wlab_textlog_begin(t);
    assert_string_equal(drawn(t, 2, 22), "line 5\n-- 7 more: PgDn --\n");
    wlab_textlog_end(t);
    assert_string_equal(drawn(t, 2, 22), "line 11\nline 12\n");
    wlab_textlog_destroy(t);
}

/* With any number of rows from 2 to 8, scrolling by pages shows every line. */
static void paging_reads_all(void **state)
{
    (void)state;
    for (int rows = 2; rows < 9; rows++) {
        wlab_textlog *t;
        ASSERT_OK(wlab_textlog_create(&t, 100, &err), err);
        add_lines(t, 1, 40);
        wlab_textlog_begin(t);
        int last = 0;
        for (int page = 0; page < 60 && last < 40; page++) {
            const char *p = drawn(t, rows, 30);
            for (int i = 0, n; (p = strstr(p, "line ")) && i < rows; i++, p += 5)
                if (sscanf(p, "line %d", &n) == 1 && n > last) {
                    assert_int_equal(n, last + 1);
                    last = n;
                }
            wlab_textlog_scroll(t, rows - 1);
        }
        assert_int_equal(last, 40);
        wlab_textlog_destroy(t);
    }
}

static void without_memory(void **state)
{
    (void)state;
    wlab_textlog *t;
    ALLOC_SWEEP_OUT(wlab_textlog_create(&t, 4, &err), t);
    wlab_alloc_fail_at(1);
    wlab_textlog_add(t, WL_S_TEXT, "lost");
    wlab_alloc_fail_at(0);
    assert_int_equal(wlab_textlog_lines(t), 0);
    wlab_textlog_destroy(t);
    assert_int_equal(wlab_textlog_create(&t, 0, &err), WL_EARG);
    assert_null(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newest_below),     cmocka_unit_test(lines_in_pieces),
        cmocka_unit_test(long_lines_wrap),  cmocka_unit_test(scrolling_stays_put),
        cmocka_unit_test(paging_reads_all), cmocka_unit_test(without_memory)};
    setlocale(LC_CTYPE, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}

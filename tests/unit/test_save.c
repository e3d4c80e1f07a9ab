/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A canvas as an SVG picture and as an HTML page.  The picture has its characters, escaped for XML.  The page has each
 * of them once, in its place.
 */
#include "../support.h"
#include "tui/dashboard/frame.h"
#include <stdlib.h>

/* The k-th <text> of an SVG: its column and row, and its content, as UTF-8 without escapes. */
static bool text_at(const char *svg, int k, int *row, int *col, char *content, size_t size)
{
    int x, y;

    for (; k >= 0; k--) {
        svg = strstr(svg, "<text ");
        if (!svg)
            return false;
        svg += 6;
    }
    assert_int_equal(sscanf(svg, "x=\"%d", &x), 1); /* the place of the first character, or of all */
    assert_int_equal(sscanf(strstr(svg, " y=\""), " y=\"%d\"", &y), 1);
    *col = x / 9;
    *row = (y - 14) / 18;
    const char *from = strchr(svg, '>') + 1;
    size_t n = 0;
    while (strncmp(from, "</text>", 7) != 0 && n + 1 < size) {
        int code;
        if (sscanf(from, "&#%d;", &code) == 1) {
            content[n++] = (char)code;
            from = strchr(from, ';') + 1;
        } else {
            content[n++] = *from++;
        }
    }
    content[n] = '\0';
    return true;
}

static void test_svg(void **state)
{
    wlab_canvas c = {0};
    wlab_err err;
    wlab_buf out = {0}, again = {0};
    wlab_rect inner;
    char text[200], line[200];
    (void)state;

    ASSERT_OK(wlab_canvas_resize(&c, 6, 40, &err), err);
    wlab_canvas_frame(&c, NULL, "a <title> & more", true, false, &inner);
    (void)wlab_canvas_text(&c, &inner, 0, 0, WL_S_GIVEN_POSITIVE, "A");
    (void)wlab_canvas_text(&c, &inner, 0, 2, WL_S_TEXT, "x < y && y > z");
    (void)wlab_canvas_text(&c, &inner, 1, 0, WL_S_ERROR, "\xe6\xbc\xa2 wide");
    wlab_canvas_ground(&c, &inner, 2, 3, WL_G_POSITIVE);
    static const char *const themes[] = {"auto", "dark", "light", "mono"};
    for (int k = 0; k < 4; k++) {
        wlab_buf_clear(&out);
        assert_int_equal(wlab_canvas_svg(&c, themes[k], &out), WL_OK);
        assert_int_equal(wlab_buf_put(&out, "", 1), WL_OK);
        const char *svg = (const char *)out.data;
        assert_int_equal(strncmp(svg, "<svg xmlns=", 11), 0);
        assert_non_null(strstr(svg, "</svg>\n"));
        assert_null(strstr(svg, "<title>")); /* escaped */
        int row, col, texts = 0;
        line[0] = '\0';
        for (; text_at(svg, texts, &row, &col, text, sizeof text); texts++)
            if (row == 1)
                snprintf(line + strlen(line), sizeof line - strlen(line), "%s", text);
        assert_true(texts > 5);
        assert_non_null(strstr(line, "A"));
        assert_non_null(strstr(line, "x < y && y > z"));
        assert_non_null(strstr(svg, "width=\"360\" height=\"108\""));
    }
    assert_int_equal(wlab_canvas_svg(&c, "auto", &again), WL_OK); /* auto is dark */
    wlab_buf_clear(&out);
    assert_int_equal(wlab_canvas_svg(&c, "dark", &out), WL_OK);
    assert_true(out.len == again.len && memcmp(out.data, again.data, out.len) == 0);
    wlab_buf_clear(&out);
    wlab_buf_clear(&again);
    wlab_canvas_clear(&c);
}

/* Without its tags and escapes the page is the text of the canvas. */
static void test_html(void **state)
{
    wlab_canvas c = {0};
    wlab_err err;
    wlab_buf out = {0}, dump = {0};
    wlab_rect inner;
    char plain[2000];
    size_t n = 0;
    (void)state;

    ASSERT_OK(wlab_canvas_resize(&c, 5, 30, &err), err);
    wlab_canvas_frame(&c, NULL, "title", false, false, &inner);
    (void)wlab_canvas_text(&c, &inner, 1, 3, WL_S_FLIP_NEGATIVE, "a<b>&c");
    assert_int_equal(wlab_canvas_html(&c, "dark", &out), WL_OK);
    assert_int_equal(wlab_buf_put(&out, "", 1), WL_OK);
    assert_int_equal(wlab_canvas_dump(&c, &dump), WL_OK);
    assert_int_equal(wlab_buf_put(&dump, "", 1), WL_OK);
    const char *at = strchr(strstr((char *)out.data, "<pre"), '\n') + 1;
    for (; strncmp(at, "</pre>", 6) != 0; at++) {
        if (*at == '<') {
            at = strchr(at, '>');
            continue;
        }
        char ch = *at;
        if (ch == '&') {
            ch = (char)atoi(at + 2);
            at = strchr(at, ';');
        }
        while (ch == '\n' && n > 0 && plain[n - 1] == ' ') /* trailing blanks */
            n--;
        plain[n++] = ch;
        assert_true(n < sizeof plain);
    }
    plain[n] = '\0';
    assert_string_equal(plain, (char *)dump.data);
    wlab_buf_clear(&out);
    wlab_buf_clear(&dump);
    wlab_canvas_clear(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_svg), cmocka_unit_test(test_html)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

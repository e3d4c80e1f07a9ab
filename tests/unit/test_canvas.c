/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The canvas: clipping, UTF-8, wide characters, frames; numbers; the theme's table.
 */
#include "support.h"

#include "tui/dashboard/canvas.h"
#include "tui/dashboard/number.h"
#include "tui/dashboard/theme.h"
#include <locale.h>

static wlab_err err;

/* The canvas as text, in a static buffer. */
static const char *canvas_text(const wlab_canvas *c)
{
    static char text[1 << 16];
    wlab_buf b = {0};
    assert_int_equal(wlab_canvas_dump(c, &b), WL_OK);
    snprintf(text, sizeof text, "%s", b.data ? (const char *)b.data : "");
    wlab_buf_clear(&b);
    return text;
}

static void text_is_clipped(void **state)
{
    (void)state;
    wlab_canvas c = {0};
    wlab_rect r = {1, 2, 2, 5};
    ASSERT_OK(wlab_canvas_resize(&c, 4, 10, &err), err);
    assert_int_equal(wlab_canvas_text(&c, &r, 0, 0, WL_S_STRONG, "abcdefgh"), 5);
    assert_int_equal(wlab_canvas_text(&c, &r, 1, -2, WL_S_TEXT, "abcd"), 4);
    assert_int_equal(wlab_canvas_text(&c, &r, 2, 0, WL_S_TEXT, "below"), 5);
    assert_int_equal(wlab_canvas_text(&c, NULL, 3, 8, WL_S_TEXT, "wxyz"), 2);
    wlab_canvas_put(&c, &r, -1, 0, L'!', WL_S_TEXT);
    assert_string_equal(canvas_text(&c), "\n  abcde\n  cd\n        wx\n");
    assert_int_equal(c.cell[12].style, WL_S_STRONG);
    wlab_rect far_out = {-3, -3, 100, 100};
    wlab_canvas_text(&c, &far_out, 3, 3, WL_S_TEXT, "top");
    assert_string_equal(canvas_text(&c), "top\n  abcde\n  cd\n        wx\n");
    wlab_canvas_clear(&c);
    assert_null(c.cell);
}

static void bad_text_does_no_harm(void **state)
{
    (void)state;
    wlab_canvas c = {0};
    ASSERT_OK(wlab_canvas_resize(&c, 1, 40, &err), err);
    /* controls, a lone byte, an overlong form, a surrogate, a cut sequence */
    wlab_canvas_text(&c, NULL, 0, 0, WL_S_TEXT, "a\tb\033[1m|\xff|\xc0\xaf|\xed\xa0\x80|\xe2\x82");
    assert_string_equal(canvas_text(&c), "a b [1m|?|??|???|??\n");
    wlab_canvas_blank(&c);
    /* C1 controls, and characters that reverse the direction of text */
    wlab_canvas_text(&c, NULL, 0, 0, WL_S_TEXT,
                     "a\xc2\x9b"
                     "1m|\xe2\x80\xae|\xe2\x81\xa6|\xd8\x9c|z");
    assert_string_equal(canvas_text(&c), "a 1m| | | |z\n");
    wlab_canvas_blank(&c);
    wlab_canvas_text(&c, NULL, 0, 0, WL_S_TEXT, "e\xcc\x81 \xc3\xa9"); /* a combining accent is dropped */
    assert_string_equal(canvas_text(&c), "e \xc3\xa9\n");
    wlab_canvas_clear(&c);
}

static void wide_characters_are_whole(void **state)
{
    (void)state;
    wlab_canvas c = {0};
    ASSERT_OK(wlab_canvas_resize(&c, 1, 6, &err), err);
    assert_int_equal(wlab_canvas_text(&c, NULL, 0, 0, WL_S_TEXT, "a\xe6\xbc\xa2z"), 4);
    assert_string_equal(canvas_text(&c), "a\xe6\xbc\xa2z\n");
    assert_int_equal(c.cell[2].ch, 0);
    wlab_canvas_put(&c, NULL, 0, 2, L'x', WL_S_TEXT); /* over the right half */
    assert_string_equal(canvas_text(&c), "a xz\n");
    wlab_canvas_blank(&c);
    wlab_canvas_text(&c, NULL, 0, 0, WL_S_TEXT, "\xe6\xbc\xa2\xe6\xbc\xa2");
    wlab_canvas_text(&c, NULL, 0, 1, WL_S_TEXT, "\xe6\xbc\xa2"); /* over two halves */
    assert_string_equal(canvas_text(&c), " \xe6\xbc\xa2\n");
    wlab_canvas_blank(&c);
    assert_int_equal(wlab_canvas_text(&c, NULL, 0, 3, WL_S_TEXT, "ab\xe6\xbc\xa2"),
                     3); /* not drawn by half */
    assert_string_equal(canvas_text(&c), "   ab\n");
    wlab_canvas_clear(&c);
}

static void frames_join(void **state)
{
    (void)state;
    wlab_canvas c = {0};
    wlab_rect in, a = {0, 0, 5, 12}, b = {0, 11, 3, 9}, d = {2, 11, 3, 9};
    ASSERT_OK(wlab_canvas_resize(&c, 5, 20, &err), err);
    wlab_canvas_frame(&c, &b, "b", false, false, &in);
    wlab_canvas_frame(&c, &d, "d", false, false, &in);
    wlab_canvas_frame(&c, &a, "left", true, false, &in);
    assert_int_equal(in.row, 1);
    assert_int_equal(in.col, 1);
    assert_int_equal(in.rows, 3);
    assert_int_equal(in.cols, 10);
    assert_string_equal(canvas_text(&c), "┌─ left ───┬─ b ───┐\n"
                                         "│          │       │\n"
                                         "│          ├─ d ───┤\n"
                                         "│          │       │\n"
                                         "└──────────┴───────┘\n");
    assert_int_equal(c.cell[11].style, WL_S_FRAME_FOCUS);
    wlab_canvas_frame(&c, &b, "b", true, false, &in); /* the title below is kept */
    assert_non_null(strstr(canvas_text(&c), "├─ d ───┤"));
    wlab_canvas_fill(&c, &(wlab_rect){0, 0, 5, 20});
    wlab_canvas_frame(&c, &a, "left", true, true, &in);
    wlab_canvas_frame(&c, &b, "much too long", false, true, &in);
    wlab_canvas_frame(&c, &d, "d", false, true, &in);
    assert_string_equal(canvas_text(&c), "+- left ---+- much-+\n"
                                         "|          |       |\n"
                                         "|          +- d ---+\n"
                                         "|          |       |\n"
                                         "+----------+-------+\n");
    wlab_canvas_clear(&c);
}

static void tiny_frames(void **state)
{
    (void)state;
    for (int h = 0; h < 5; h++)
        for (int w = 0; w < 9; w++) {
            wlab_canvas c = {0};
            wlab_rect in;
            ASSERT_OK(wlab_canvas_resize(&c, h, w, &err), err);
            wlab_canvas_frame(&c, NULL, "title", false, false, &in);
            assert_int_equal(in.rows, h > 2 ? h - 2 : 0);
            assert_int_equal(in.cols, w > 2 ? w - 2 : 0);
            wlab_canvas_clear(&c);
        }
    wlab_canvas c = {0};
    ALLOC_SWEEP(wlab_canvas_resize(&c, 3, 3, &err));
    assert_int_equal(wlab_canvas_resize(&c, -1, 3, &err), WL_EARG);
    wlab_canvas_clear(&c);
}

static void numbers(void **state)
{
    (void)state;
    static const struct {
        double value;
        int digits;
        bool whole;
        const char *text;
    } t[] = {{19.041187, 6, false, "19.0412"},
             {0.0014, 2, false, "0.0014"},
             {0.000143, 3, false, "1.43e-4"},
             {-8.5e-12, 2, false, "-8.5e-12"},
             {9.999999, 5, false, "10.000"},
             {123456.7, 6, false, "123457"},
             {1234567, 4, false, "1.235e+6"},
             {12, 6, true, "12"},
             {123456789, 6, true, "123456789"},
             {1234567890, 4, true, "1.235e+9"},
             {0, 6, false, "0"},
             {NAN, 6, true, "-"},
             {INFINITY, 6, false, "inf"},
             {-INFINITY, 6, false, "-inf"},
             {0.5, 6, false, "0.500000"}};
    char buf[32];
    for (size_t k = 0; k < sizeof t / sizeof *t; k++)
        assert_string_equal(wlab_number_text(t[k].value, t[k].digits, t[k].whole, buf, sizeof buf),
                            t[k].text);
    assert_int_equal(wlab_number_point("19.0412"), 2);
    assert_int_equal(wlab_number_point("12"), 2);
    assert_int_equal(wlab_number_point("-8e-12"), 2);
}

/* A number in a field is the number, to the digits that it shows: the power of ten and the places before the point are
 * never cut, at any magnitude and width, and it fits. */
static void numbers_fit(void **state)
{
    (void)state;
    static const double mantissa[] = {1, 1.5, 4.9, 9.4, 9.96, 5, 3.14159265358979};
    char buf[32];
    int shown = 0;

    for (int width = 0; width <= 20; width++)
        for (int power = -320; power <= 306; power += power < -20 || power > 20 ? 7 : 1)
            for (size_t k = 0; k < 2 * sizeof mantissa / sizeof *mantissa; k++)
                for (int digits = 1; digits <= 9; digits++)
                    for (int whole = 0; whole <= (power >= 0); whole++) {
                        double value = (k & 1 ? -1 : 1) * mantissa[k / 2] * pow(10, power);
                        value = whole ? round(value) : value;
                        wlab_number_fit(value, digits, whole, width, buf, sizeof buf);
                        assert_true((int)strlen(buf) <= width);
                        if (strspn(buf, "#") == strlen(buf)) { /* one digit needs more */
                            assert_true(width < 7 - (value > 0));
                            continue;
                        }
                        shown++;
                        assert_true(fabs(strtod(buf, NULL) - value) <= 0.5 * fabs(value)); /* 1.5 as 2 */
                    }
    assert_true(shown > 100000);
    assert_string_equal(wlab_number_fit(4.9e-17, 6, false, 6, buf, sizeof buf), "5e-17");
    assert_string_equal(wlab_number_fit(4.9e-17, 6, false, 7, buf, sizeof buf), "4.9e-17");
    assert_string_equal(wlab_number_fit(-9.4e-17, 6, false, 6, buf, sizeof buf), "-9e-17");
    assert_string_equal(wlab_number_fit(-9.4e-17, 6, false, 5, buf, sizeof buf), "#####");
    assert_string_equal(wlab_number_fit(1234567, 6, true, 6, buf, sizeof buf), "1.2e+6");
    assert_string_equal(wlab_number_fit(-123456.7, 6, false, 6, buf, sizeof buf), "-1e+5");
    assert_string_equal(wlab_number_fit(104, 6, true, 2, buf, sizeof buf), "##");
    assert_string_equal(wlab_number_fit(NAN, 6, false, 4, buf, sizeof buf), "-");
    assert_string_equal(wlab_number_fit(-INFINITY, 6, false, 3, buf, sizeof buf), "###");
    assert_string_equal(wlab_number_fit(1, 6, false, -3, buf, sizeof buf), "");
}

/* Theme mono uses no colour, nor does theme dark on a terminal with four colours.  Styles that must be distinguished
 * differ in every theme.  NO_COLOR and COLORFGBG decide what theme auto is. */
static void themes(void **state)
{
    (void)state;
    char a[64], b[64];
    assert_int_equal(wlab_theme_start("pink", 256, &err), WL_EARG);
    assert_non_null(strstr(err.message, "dark"));
    for (int s = 0; s < WL_STYLES; s++) {
        wlab_theme_sgr("mono", 256, (wlab_style)s, WL_G_POSITIVE, a, sizeof a);
        assert_null(strstr(a, "38;5"));
        wlab_theme_sgr("dark", 4, (wlab_style)s, WL_G_NONE, b, sizeof b);
        assert_string_equal(a, b); /* too few colours: mono */
    }
    static const wlab_style apart[][2] = {{WL_S_POSITIVE, WL_S_GIVEN_POSITIVE},
                                          {WL_S_POSITIVE, WL_S_FLIP_POSITIVE},
                                          {WL_S_GIVEN_POSITIVE, WL_S_FLIP_POSITIVE},
                                          {WL_S_NEGATIVE, WL_S_GIVEN_NEGATIVE},
                                          {WL_S_NEGATIVE, WL_S_FLIP_NEGATIVE},
                                          {WL_S_GIVEN_NEGATIVE, WL_S_FLIP_NEGATIVE},
                                          {WL_S_TITLE, WL_S_TITLE_FOCUS},
                                          {WL_S_FRAME, WL_S_FRAME_FOCUS},
                                          {WL_S_PAUSED, WL_S_RUNNING},
                                          {WL_S_PAUSED, WL_S_CONVERGED}};
    static const char *const names[] = {"mono", "dark", "light", "auto"};
    unsetenv("NO_COLOR");
    unsetenv("COLORFGBG");
    for (int n = 0; n < 4; n++)
        for (int colors = 8; colors <= 256; colors *= 32)
            for (size_t k = 0; k < sizeof apart / sizeof *apart; k++) {
                wlab_theme_sgr(names[n], colors, apart[k][0], WL_G_NONE, a, sizeof a);
                wlab_theme_sgr(names[n], colors, apart[k][1], WL_G_NONE, b, sizeof b);
                assert_string_not_equal(a, b);
            }
    wlab_theme_sgr("dark", 256, WL_S_POSITIVE, WL_G_POSITIVE, a, sizeof a);
    wlab_theme_sgr("dark", 256, WL_S_POSITIVE, WL_G_NEGATIVE, b, sizeof b);
    assert_string_not_equal(a, b);
    setenv("NO_COLOR", "1", 1);
    wlab_theme_sgr("auto", 256, WL_S_POSITIVE, WL_G_NONE, a, sizeof a);
    assert_string_equal(a, "\033[0m");
    unsetenv("NO_COLOR");
    setenv("COLORFGBG", "0;15", 1);
    wlab_theme_sgr("auto", 256, WL_S_POSITIVE, WL_G_NONE, a, sizeof a);
    wlab_theme_sgr("light", 256, WL_S_POSITIVE, WL_G_NONE, b, sizeof b);
    assert_string_equal(a, b);
    setenv("COLORFGBG", "15;default;0", 1);
    wlab_theme_sgr("auto", 256, WL_S_POSITIVE, WL_G_NONE, a, sizeof a);
    wlab_theme_sgr("dark", 256, WL_S_POSITIVE, WL_G_NONE, b, sizeof b);
    assert_string_equal(a, b);
    unsetenv("COLORFGBG");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(text_is_clipped),
                                       cmocka_unit_test(bad_text_does_no_harm),
                                       cmocka_unit_test(wide_characters_are_whole),
                                       cmocka_unit_test(frames_join),
                                       cmocka_unit_test(tiny_frames),
                                       cmocka_unit_test(numbers),
                                       cmocka_unit_test(numbers_fit),
                                       cmocka_unit_test(themes)};
    setlocale(LC_CTYPE, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Small pictures: ranges and tics of axes, lines that gnuplot and our rasteriser draw in nearly the same pixels,
 * invalid answers, thinning.
 */
#include "plot/draw/gnuplot.h"
#include "plot/draw/raster.h"
#include "plot/sheet.h"
#include "rastered.h"
#include "support.h"
#include <sys/stat.h>

/* A figure of one curve y(x) over n points. */
static void curve(wlab_figure *f, int n, double (*y)(int i), bool logy)
{
    wlab_figure_init(f, false);
    f->logy = logy;
    int b = wlab_figure_block(f, n, 2);
    for (int i = 0; i < n; i++) {
        *wlab_figure_at(f, b, i, 0) = i;
        *wlab_figure_at(f, b, i, 1) = y(i);
        wlab_figure_cover(f, i, y(i));
    }
    wlab_series s = {.block = b, .draw = WL_D_CURVE, .x = 1, .y = 2, .positive = logy, .ink = 3, .mark = 'u'};
    wlab_figure_series(f, &s, "y", "with lines");
    assert_false(f->failed);
}

static double sine(int i)
{
    return sin(i * 0.3);
}
static double decay(int i)
{
    return exp(-0.7 * i);
}
static double straight(int i)
{
    return i;
}

/* Checks that the tics of [lo, hi] are inside and ascending, and that their labels are short, different, and equal
 * to the value within a thousandth. */
static void check_tics(const wlab_axis_span *a, int most)
{
    assert_true(a->tics <= most);
    for (int i = 0; i < a->tics; i++) {
        double slack = 1e-6 * (a->hi - a->lo);
        assert_true(a->tic[i] >= a->lo - slack && a->tic[i] <= a->hi + slack);
        assert_true(strlen(a->label[i]) >= 1 && strlen(a->label[i]) <= 11);
        double written;
        assert_true(wlab_parse_real(a->label[i], &written));
        if (a->log)
            ASSERT_NEAR(written / a->tic[i], 1, 1e-3);
        else
            assert_true(fabs(written - a->tic[i]) <= fmax(1e-3 * fabs(a->tic[i]), 1e-6 * (a->hi - a->lo)));
        if (i) {
            assert_true(a->tic[i] > a->tic[i - 1]);
            assert_string_not_equal(a->label[i], a->label[i - 1]);
        }
    }
}

static void test_spans(void **state)
{
    static const double ranges[][2] = {
        {0, 1},          {0, 9},         {19.02, 21.3},  {-3, 1e-3},    {0, 1e-9},     {1e300, 1e301},
        {5, 5},          {1e6, 1e6 + 1}, {0, 123456789}, {-1e-7, 2e-7}, {0.1, 0.3},    {1, 1000},
        {1e-300, 1e300}, {1e-3, 2e-3},   {0.02, 0.7},    {2, 2},        {1e-12, 1e-3}, {4, 31}};
    (void)state;
    for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++)
        for (int mode = 0; mode < 3; mode++)
            for (int most = 0; most <= WL_MOST_TICS + 2; most++) {
                wlab_figure f;
                wlab_axis_span x, y;
                wlab_figure_init(&f, false);
                f.logy = mode == 1;
                f.whole_y = mode == 2;
                wlab_figure_cover(&f, 0, ranges[k][0]);
                wlab_figure_cover(&f, 10, ranges[k][1]);
                wlab_figure_spans(&f, most, most, &x, &y);
                assert_true(isfinite(y.lo) && isfinite(y.hi) && y.lo < y.hi);
                assert_true(y.log == (mode == 1) && (!y.log || y.lo > 0));
                check_tics(&x, most);
                check_tics(&y, most);
                if (most >= 2)
                    assert_true(x.tics >= 2);
                if (most >= 2 && mode != 2)
                    assert_true(y.tics >= 2 || ranges[k][0] > 1e5);
                wlab_figure_clear(&f);
            }
    /* expected labels */
    wlab_figure f;
    wlab_axis_span x, y;
    wlab_figure_init(&f, false);
    f.logy = true;
    f.whole_x = true;
    wlab_figure_cover(&f, 0, 2e-4);
    wlab_figure_cover(&f, 7, 3);
    wlab_figure_spans(&f, 4, 5, &x, &y);
    assert_int_equal(y.tics, 4);
    assert_string_equal(y.label[0], "1e-3");
    assert_string_equal(y.label[3], "1e0");
    assert_string_equal(x.label[0], "0");
    assert_string_equal(x.label[1], "2");
    wlab_figure_clear(&f);
    static const struct {
        double lo, hi;
        bool log;
        int most;
        const char *label[5];
    } read[] = {
        {2, 50, true, 3, {"3", "10", "30"}},
        {0.02, 30, true, 4, {"0.1", "1", "10"}},
        {2e-3, 20, true, 5, {"0.01", "0.1", "1", "10"}},
        {5e-4, 20, true, 5, {"1e-3", "1e-2", "1e-1", "1e0", "1e1"}},
        {20, 2e4, true, 5, {"1e2", "1e3", "1e4"}},
        {2.5, 8.5, false, 2, {"4", "8"}},
        {3, 7, false, 2, {"4", "6"}},
        {20, 2e4, false, 4, {"5000", "10000", "15000", "20000"}},
        {0, 4e-3, false, 4, {"0", "0.002", "0.004"}},
    };
    for (size_t k = 0; k < sizeof read / sizeof *read; k++) {
        wlab_figure_init(&f, false);
        f.logy = read[k].log;
        f.fixed = true;
        wlab_figure_cover(&f, 0, read[k].lo);
        wlab_figure_cover(&f, 1, read[k].hi);
        wlab_figure_spans(&f, 2, read[k].most, &x, &y);
        int n = 0;
        while (n < 5 && read[k].label[n])
            n++;
        assert_int_equal(y.tics, n);
        for (int i = 0; i < n; i++)
            assert_string_equal(y.label[i], read[k].label[i]);
        wlab_figure_clear(&f);
    }
    /* the ranges are those of the .gp */
    wlab_buf gp = {0};
    wlab_err err;
    char text[160];
    curve(&f, 20, sine, false);
    wlab_figure_spans(&f, 4, 5, &x, &y);
    ASSERT_OK(wlab_sheet_gp(&(wlab_sheet){.figure = &f, .n = 1}, "dumb", "x.dat", "x.txt", NULL, &gp, &err),
              err);
    assert_int_equal(wlab_buf_put(&gp, "", 1), WL_OK);
    snprintf(text, sizeof text, "set yrange [%.15g:%.15g]\nset xrange [%.15g:%.15g]\n", y.lo, y.hi, x.lo,
             x.hi);
    assert_non_null(strstr((char *)gp.data, text));
    wlab_buf_clear(&gp);
    wlab_figure_clear(&f);
}

/* A program that makes gnuplot 5 behave like gnuplot 6: the last row and column of a bitmap are empty, and colours are
 * those of `lc`, not of line types. */
static char six[] = "#!/bin/sh\nwhile read -r a b; do case $a in\nload) sed "
                    "-e 's/^set terminal pbm .* size \\([0-9]*\\),\\([0-9]*\\)$/&\\n"
                    "set lmargin at screen 0\\nset rmargin at screen (\\1-2.)\\/(\\1-1.)\\n"
                    "set bmargin at screen 0\\nset tmargin at screen (\\2-2.)\\/(\\2-1.)/' "
                    "-e '/^set terminal pbm/,$s/lt [1-7]\\(,\\|$\\)/lt 8\\1/g' "
                    "-e \"s/lt [1-7] lc rgb '#ff5555'/lt 1/g; s/lt [1-7] lc rgb '#55ff55'/lt 2/g\" "
                    "-e \"s/lt [1-7] lc rgb '#5555ff'/lt 3/g; s/lt [1-7] lc rgb '#ff55ff'/lt 4/g\" "
                    "-e \"s/lt [1-7] lc rgb '#55ffff'/lt 5/g; s/lt [1-7] lc rgb '#ffff55'/lt 6/g\" "
                    "-e \"s/lt [1-7] lc rgb '#aa0000'/lt 7/g\" /dev/fd/3; echo;;\n"
                    "*) echo \"$a $b\";; esac; done | gnuplot -d\n";

/* Start the gnuplot of this machine; if it is version 5 and `other` is not NULL, the shell script `other` instead. */
static wlab_gnuplot *start_gnuplot(const char *other)
{
    wlab_gnuplot *g = NULL;
    wlab_buf version = {0};
    wlab_err err;
    ASSERT_OK(wlab_gnuplot_create(&g, NULL, NULL, 0, &err), err);
    ASSERT_OK(wlab_gnuplot_run(g, "set print '-'; print GPVAL_VERSION", &version, NULL, &err), err);
    if (other && version.data[0] == '5') {
        char folder[] = "/tmp/weaklab-test-XXXXXX", program[64];
        wlab_gnuplot_destroy(g);
        assert_non_null(mkdtemp(folder));
        snprintf(program, sizeof program, "%s/gnuplot", folder);
        FILE *o = fopen(program, "w");
        assert_non_null(o);
        assert_true(fputs(other, o) >= 0);
        assert_int_equal(fclose(o), 0);
        assert_int_equal(chmod(program, 0700), 0);
        ASSERT_OK(wlab_gnuplot_create(&g, program, NULL, 0, &err), err);
        ASSERT_OK(wlab_gnuplot_run(g, "", NULL, NULL, &err), err); /* the shell has read the script */
        unlink(program);
        assert_int_equal(rmdir(folder), 0);
    }
    wlab_buf_clear(&version);
    return g;
}

static void by_gnuplot(wlab_gnuplot *g, const wlab_figure *f, int columns, int rows, bool characters,
                       wlab_raster *r)
{
    wlab_buf script = {0}, answer = {0};
    char marks[WL_INKS];
    wlab_err err;
    ASSERT_OK(raster_script(f, columns, rows, characters, marks, &script, &err), err);
    assert_int_equal(wlab_buf_put(&script, "", 1), WL_OK);
    ASSERT_OK(wlab_gnuplot_run(g, (char *)script.data, &answer, NULL, &err), err);
    ASSERT_OK(wlab_raster_read(answer.data, answer.len, columns, rows, characters ? marks : NULL, r, &err),
              err);
    assert_int_equal(r->width, characters ? columns : 2 * columns);
    assert_int_equal(r->height, characters ? rows : 4 * rows);
    wlab_buf_clear(&script);
    wlab_buf_clear(&answer);
}

/* Count the nonempty cells of a, in *n, and those with an equal cell at a distance of at most one cell in b. */
static int count_near(const wlab_raster *a, const wlab_raster *b, int *n)
{
    uint8_t none = a->characters ? ' ' : 0;
    int found = 0;
    *n = 0;
    for (int y = 0; y < a->height; y++)
        for (int x = 0; x < a->width; x++) {
            bool hit = false;
            if (a->cell[y * a->width + x] == none)
                continue;
            ++*n;
            for (int v = y - 1; v <= y + 1; v++)
                for (int u = x - 1; u <= x + 1; u++)
                    if (u >= 0 && v >= 0 && u < b->width && v < b->height)
                        hit = hit || b->cell[v * b->width + u] == a->cell[y * a->width + x];
            found += hit;
        }
    return found;
}

static void same_picture(wlab_gnuplot *g, const wlab_figure *f, int columns, int rows)
{
    for (int characters = 0; characters < 2; characters++) {
        wlab_raster a, b;
        wlab_err err;
        int na, nb, common;
        by_gnuplot(g, f, columns, rows, characters, &a);
        ASSERT_OK(raster_draw(f, columns, rows, characters, &b, &err), err);
        assert_int_equal(a.width, b.width);
        assert_int_equal(a.height, b.height);
        common = count_near(&a, &b, &na);
        assert_true(na > 0);
        if ((common + 1) * 100 < na * 97 || (count_near(&b, &a, &nb) + 1) * 100 < nb * 97)
            fail_msg("%d x %d: %d of gnuplot's %d pixels are in ours", columns, rows, common, na);
        wlab_raster_clear(&a);
        wlab_raster_clear(&b);
    }
}

/* In ten sizes, the smallest of one cell, at least 97 % of the pixels that gnuplot draws are also drawn by our own
 * rasteriser, at most one pixel away; and the other way round. */
static void test_same(void **state)
{
    GNUPLOT_OR_SKIP();
    wlab_gnuplot *g = start_gnuplot(*state);
    wlab_figure f, l, grid;
    curve(&f, 30, sine, false);
    curve(&l, 12, decay, true);
    wlab_series bars = {
        .block = 0, .draw = WL_D_BARS, .x = 1, .y = 2, .width = 0.8, .ink = 5, .mark = '#', .dash = 1};
    wlab_figure_series(&f, &bars, NULL, "with boxes");
    wlab_figure_init(&grid, false);
    int b = wlab_figure_block(&grid, 30 * 20, 3);
    grid.block[b].scan = 30;
    for (int k = 0; k < 30 * 20; k++) {
        double x = k % 30, y = k / 30;
        *wlab_figure_at(&grid, b, k, 0) = x;
        *wlab_figure_at(&grid, b, k, 1) = y;
        *wlab_figure_at(&grid, b, k, 2) = hypot(x - 14.5, y - 9.5) - 6;
        wlab_figure_cover(&grid, x, y);
    }
    grid.fixed = true;
    wlab_series zero = {
        .block = b, .draw = WL_D_CONTOUR, .from = "$zero", .levels = 1, .ink = 1, .mark = '0'};
    wlab_figure_series(&grid, &zero, "f = 0", "with lines");
    static const int sizes[][2] = {{1, 1}, {2, 1},  {3, 2},   {4, 3},   {5, 5},
                                   {7, 2}, {20, 8}, {33, 11}, {61, 17}, {200, 60}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        same_picture(g, &f, sizes[k][0], sizes[k][1]);
        same_picture(g, &l, sizes[k][0], sizes[k][1]);
        if (sizes[k][0] > 4)
            same_picture(g, &grid, sizes[k][0], sizes[k][1]);
    }
    ASSERT_NEAR(wlab_figure_value(&grid, 14.2, 10.4), hypot(14 - 14.5, 10 - 9.5) - 6, 1e-12);
    assert_true(isnan(wlab_figure_value(&grid, 40, 1)));
    assert_true(isnan(wlab_figure_value(&f, 1, 1)));
    wlab_figure_clear(&f);
    wlab_figure_clear(&l);
    wlab_figure_clear(&grid);
    wlab_gnuplot_destroy(g);
}

/* A point of a curve is drawn at the pixel that wlab_span_place gives. */
static void test_place(void **state)
{
    GNUPLOT_OR_SKIP();
    wlab_gnuplot *g = start_gnuplot(*state);
    for (int log = 0; log < 2; log++)
        for (int characters = 0; characters < 2; characters++) {
            wlab_figure f;
            wlab_raster r;
            wlab_axis_span x, y;
            curve(&f, 9, log ? decay : straight, log);
            f.series[0].ink = 7;
            by_gnuplot(g, &f, 37, 13, characters, &r);
            wlab_figure_spans(&f, 3, 3, &x, &y);
            for (int i = 0; i < 9; i++) {
                double px, py;
                assert_true(wlab_series_point(&f, &f.series[0], i, &px, &py));
                long u = lround(wlab_span_place(&x, px, r.width)),
                     v = r.height - 1 - lround(wlab_span_place(&y, py, r.height));
                uint8_t there = r.cell[v * r.width + u];
                if (there != (characters ? 'u' : 7)) { /* a half may be rounded either way */
                    double at = wlab_span_place(&y, py, r.height), ax = wlab_span_place(&x, px, r.width);
                    assert_true(fabs(fabs(at - floor(at)) - 0.5) < 0.05 ||
                                fabs(fabs(ax - floor(ax)) - 0.5) < 0.05);
                }
            }
            wlab_raster_clear(&r);
            wlab_figure_clear(&f);
        }
    wlab_gnuplot_destroy(g);
}

/* Each ink is read back; a dashed line has gaps and is drawn under a solid one. */
static void test_inks(void **state)
{
    GNUPLOT_OR_SKIP();
    wlab_gnuplot *g = start_gnuplot(*state);
    wlab_err err;
    for (int own = 0; own < 2; own++)
        for (int ink = 1; ink <= WL_INKS; ink++)
            for (int dash = 0; dash < 4; dash++) {
                wlab_figure f;
                wlab_raster r;
                int n = 0;
                curve(&f, 2, straight, false);
                f.series[0].ink = ink;
                f.series[0].dash = dash;
                if (own)
                    ASSERT_OK(raster_draw(&f, 40, 10, false, &r, &err), err);
                else
                    by_gnuplot(g, &f, 40, 10, false, &r);
                for (int i = 0; i < r.width * r.height; i++) {
                    assert_true(r.cell[i] == 0 || r.cell[i] == ink);
                    n += r.cell[i] != 0;
                }
                assert_true(dash ? n > 10 && n < 70 : n >= 72 && n <= 80);
                wlab_raster_clear(&r);
                wlab_figure_clear(&f);
            }
    wlab_figure f;
    wlab_raster r;
    curve(&f, 2, straight, false);
    wlab_series again = f.series[0];
    again.ink = 5;
    again.dash = 1;
    wlab_figure_series(&f, &again, NULL, "");
    for (int own = 0; own < 2; own++) {
        if (own)
            ASSERT_OK(raster_draw(&f, 40, 10, false, &r, &err), err);
        else
            by_gnuplot(g, &f, 40, 10, false, &r);
        int over = 0; /* pixels of a dash that are rounded to a neighbour of the line above it */
        for (int i = 0; i < r.width * r.height; i++) {
            assert_true(r.cell[i] == 0 || r.cell[i] == 3 || r.cell[i] == 5);
            over += r.cell[i] == 5;
        }
        assert_true(over < 12);
        wlab_raster_clear(&r);
    }
    wlab_figure_clear(&f);
    wlab_gnuplot_destroy(g);
}

static void test_not_a_picture(void **state)
{
    static const char *const answers[] = {"",
                                          "P6\n",
                                          "P6\n8 8\n255\nabc",
                                          "gnuplot> what",
                                          "\f   \n",
                                          "\f    \n\x80   \n    \n    \n",
                                          "\f    \n    \n    \n    \nmore\n"};
    (void)state;
    for (size_t k = 0; k < sizeof answers / sizeof *answers; k++)
        for (int characters = 0; characters < 2; characters++) {
            wlab_raster r;
            wlab_err err;
            ASSERT_FAILS(wlab_raster_read(answers[k], strlen(answers[k]), 4, 4, characters ? "abcdefg" : NULL,
                                          &r, &err),
                         WL_EIO, err, "not a picture");
            assert_null(r.cell);
        }
    wlab_figure f;
    wlab_raster r;
    wlab_err err;
    curve(&f, 5, straight, false);
    ASSERT_FAILS(raster_draw(&f, 0, 5, false, &r, &err), WL_EARG, err, "0 x 5");
    ASSERT_FAILS(raster_draw(&f, 5, WL_RASTER_MOST + 1, false, &r, &err), WL_EARG, err, "cells");
    wlab_figure_clear(&f);
}

/* A figure without series gives an empty picture, not an error. */
static void test_empty(void **state)
{
    GNUPLOT_OR_SKIP();
    wlab_gnuplot *g = NULL;
    wlab_figure f;
    wlab_err err;
    (void)state;
    ASSERT_OK(wlab_gnuplot_create(&g, NULL, NULL, 0, &err), err);
    wlab_figure_init(&f, false);
    for (int characters = 0; characters < 2; characters++) {
        wlab_raster r;
        by_gnuplot(g, &f, 10, 3, characters, &r);
        for (int i = 0; i < r.width * r.height; i++)
            assert_int_equal(r.cell[i], characters ? ' ' : 0);
        wlab_raster_clear(&r);
    }
    wlab_figure_clear(&f);
    wlab_gnuplot_destroy(g);
}

static double spiky(int i)
{
    return i == 4321 ? 50 : i == 7000 ? -40 : i > 8000 && i < 8100 ? NAN : sin(i * 0.01);
}

/* Thinning for a number of columns does not change a picture of that width: extremes and gaps are kept. */
static void test_thin(void **state)
{
    wlab_figure f;
    wlab_raster before, after;
    wlab_err err;
    int n, common;
    (void)state;
    curve(&f, 20000, spiky, false);
    ASSERT_OK(raster_draw(&f, 50, 20, false, &before, &err), err);
    wlab_figure_thin(&f, 100);
    assert_true(f.block[0].rows <= 410);
    assert_true(f.block[0].rows > 100);
    double lo = 0, hi = 0;
    bool gap = false;
    for (int64_t i = 0; i < f.block[0].rows; i++) {
        double y = f.block[0].value[2 * i + 1];
        lo = fmin(lo, y);
        hi = fmax(hi, y);
        gap = gap || isnan(y);
        assert_true(f.block[0].value[2 * i + 1] == spiky((int)f.block[0].value[2 * i]) ||
                    isnan(y)); /* unchanged */
    }
    assert_true(lo == -40 && hi == 50 && gap);
    ASSERT_OK(raster_draw(&f, 50, 20, false, &after, &err), err);
    common = count_near(&before, &after, &n);
    assert_true(common == n && count_near(&after, &before, &n) == n);
    wlab_raster_clear(&before);
    wlab_raster_clear(&after);
    wlab_figure_clear(&f);
    curve(&f, 100, sine, false); /* few rows are not thinned */
    wlab_figure_thin(&f, 100);
    assert_int_equal(f.block[0].rows, 100);
    wlab_figure_clear(&f);
}

static void test_allocations(void **state)
{
    wlab_figure f;
    wlab_raster r;
    wlab_buf b = {0};
    wlab_err err;
    char marks[WL_INKS];
    (void)state;
    curve(&f, 100, sine, false);
    f.series[0].dash = 3;
    ALLOC_SWEEP_CHECK(raster_draw(&f, 50, 20, false, &r, &err), assert_null(r.cell));
    wlab_raster_clear(&r);
    ALLOC_SWEEP_CHECK(raster_script(&f, 50, 20, false, marks, &b, &err), wlab_buf_clear(&b));
    wlab_buf_clear(&b);
    ALLOC_SWEEP_CHECK(wlab_figure_script(&f, "dumb", &b, &err), wlab_buf_clear(&b));
    wlab_buf_clear(&b);
    wlab_figure_clear(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spans),
        cmocka_unit_test(test_same),
        cmocka_unit_test(test_place),
        cmocka_unit_test(test_inks),
        {"test_same_six", test_same, NULL, NULL, six},
        {"test_place_six", test_place, NULL, NULL, six},
        {"test_inks_six", test_inks, NULL, NULL, six},
        cmocka_unit_test(test_not_a_picture),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_thin),
        cmocka_unit_test(test_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

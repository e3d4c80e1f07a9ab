/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Small pictures: the script with which gnuplot draws one, reading its answer, and our own line rasteriser.
 */
#include "plot/draw/stroke.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

void wlab_raster_clear(wlab_raster *r)
{
    wlab_free(r->cell);
    memset(r, 0, sizeof *r);
}

static wlab_code raster_make(wlab_raster *r, int width, int height, bool characters, wlab_err *err)
{
    memset(r, 0, sizeof *r);
    r->cell = wlab_calloc((size_t)width * (size_t)height, 1);
    if (!r->cell)
        return wlab_nomem(err);
    if (characters)
        memset(r->cell, ' ', (size_t)width * (size_t)height);
    r->characters = characters;
    r->width = width;
    r->height = height;
    return WL_OK;
}

/* ---- without gnuplot ---- */

/* Bresenham's line between pixels, both ends included. */
static void draw_line(wlab_raster *r, long x0, long y0, long x1, long y1, uint8_t value)
{
    long dx = labs(x1 - x0), dy = -labs(y1 - y0), sx = x0 < x1 ? 1 : -1, sy = y0 < y1 ? 1 : -1, e = dx + dy;
    for (;;) {
        if (x0 >= 0 && x0 < r->width && y0 >= 0 && y0 < r->height)
            r->cell[y0 * r->width + x0] = value;
        if (x0 == x1 && y0 == y1)
            return;
        long twice = 2 * e;
        if (twice >= dy) {
            e += dy;
            x0 += sx;
        }
        if (twice <= dx) {
            e += dx;
            y0 += sy;
        }
    }
}

wlab_code wlab_strokes_draw(const wlab_strokes *k, wlab_raster *r, wlab_err *err)
{
    wlab_code code = raster_make(r, k->width, k->height, k->characters, err);
    for (int s = 0; s < k->n && !code; s++) {
        const wlab_stroke *t = &k->stroke[s];
        uint8_t value = (uint8_t)(k->characters ? t->mark : t->ink);
        for (int64_t i = t->first; i + 1 < t->first + t->n; i++) {
            const float *p = k->xy + 2 * i;
            if (!isnan(p[0]) && !isnan(p[2]))
                draw_line(r, lroundf(p[0]), lroundf(p[1]), lroundf(p[2]), lroundf(p[3]), value);
        }
    }
    return code;
}

/* ---- with gnuplot ---- */

/* The colours of the inks in the pbm terminal, which has only 16 colours: gnuplot 5 draws line types 1..7 in these
 * colours and ignores `lc`, gnuplot 6 draws the colour nearest to `lc`.  dumb_character: the characters of line types
 * 1..7 in the dumb terminal (5.4, 6.0). */
static const uint8_t pbm_color[WL_INKS][3] = {{255, 85, 85},  {85, 255, 85},  {85, 85, 255}, {255, 85, 255},
                                              {85, 255, 255}, {255, 255, 85}, {170, 0, 0}};
static const char dumb_character[WL_INKS + 1] = "*#$%@&=";

/* The size requested from gnuplot.  The sides of bitmaps are multiples of 8, with at least one extra pixel, which
 * gnuplot 6 leaves empty; gnuplot refuses very small texts.  The surplus is at the top and at the right. */
static void padded(int columns, int rows, bool characters, int *width, int *height)
{
    if (characters) {
        *width = columns < 4 ? 4 : columns;
        *height = rows < 4 ? 4 : rows;
    } else {
        *width = (2 * columns + 8) / 8 * 8;
        *height = (4 * rows + 8) / 8 * 8;
    }
}

static const char bare[] = "set margins 0,0,0,0\nunset border\nunset tics\nunset key\n";

/* Measures, once per gnuplot, how many pixels of a bitmap it does not draw on: none (5.4), or the last of each side
 * (6.0).  The ranges are shortened by as much, so that one unit is one pixel. */
static const char measure[] = "if (!exists('edge_x')) {\nset terminal pbm color small size 16,16\n"
                              "set output '/dev/null'\nset xrange [0:1]\nset yrange [0:1]\nplot -9\n"
                              "edge_x = 15 - GPVAL_TERM_XMAX\nedge_y = 15 - GPVAL_TERM_YMAX\n}\n";

wlab_code wlab_strokes_script(const wlab_strokes *k, wlab_buf *out, wlab_err *err)
{
    int width, height;
    uint64_t end;
    wlab_code code;
    if (getrandom(&end, sizeof end, 0) != (ssize_t)sizeof end)
        return wlab_fail_errno(err, "cannot draw random numbers");
    padded(k->characters ? k->width : k->width / 2, k->characters ? k->height : k->height / 4, k->characters,
           &width, &height);
    code = wlab_buf_printf(
        out, "%s%sset terminal %s size %d,%d\nset output\nset xrange [0:%d%s]\nset yrange [0:%d%s]\n", bare,
        k->characters ? "" : measure, k->characters ? "dumb noenhanced" : "pbm color small", width, height,
        width - 1, k->characters ? "" : "-edge_x", height - 1, k->characters ? "" : "-edge_y");
    for (int s = 0; s < k->n && !code; s++) {
        code = wlab_buf_printf(out, "$s%d << END%016llx\n", s, (unsigned long long)end);
        for (int64_t i = 0; i < k->stroke[s].n && !code; i++) {
            const float *p = k->xy + 2 * (k->stroke[s].first + i);
            code = isnan(p[0]) ? wlab_buf_printf(out, "\n")
                               : wlab_buf_printf(out, "%.2f %.2f\n", (double)p[0],
                                                 (double)k->height - 1 - (double)p[1]);
        }
        code = code ? code : wlab_buf_printf(out, "END%016llx\n", (unsigned long long)end);
    }
    code =
        code ? code : wlab_buf_printf(out, "plot -9 with lines lt 1"); /* outside; `plot` needs an argument */
    for (int s = 0; s < k->n && !code; s++)
        if (!k->characters) {
            const uint8_t *rgb = pbm_color[k->stroke[s].ink - 1];
            code = wlab_buf_printf(out, ", $s%d using 1:2 with lines lt %d lc rgb '#%02x%02x%02x'", s,
                                   k->stroke[s].ink, rgb[0], rgb[1], rgb[2]);
        } else if (s < WL_INKS) /* the characters of line types are replaced by the marks afterwards */
            code = wlab_buf_printf(out, ", $s%d using 1:2 with lines lt %d", s, s + 1);
        else
            code = wlab_buf_printf(out, ", $s%d using 1:2 with points pt '%c'", s, k->stroke[s].mark);
    for (int s = 0; s < k->n && !code; s++)
        code = wlab_buf_printf(out, "%s $s%d", s ? "" : "\nundefine", s);
    code = code ? code : wlab_buf_printf(out, "\n");
    return code ? wlab_nomem(err) : WL_OK;
}

void wlab_strokes_marks(const wlab_strokes *k, char marks[WL_INKS])
{
    for (int s = 0; s < WL_INKS; s++)
        marks[s] = s < k->n ? k->stroke[s].mark : ' ';
}

static uint8_t ink_of(const uint8_t *rgb)
{
    int best = 0, nearest = 0;
    for (int ink = 0; ink <= WL_INKS; ink++) {
        static const uint8_t white[3] = {255, 255, 255};
        const uint8_t *p = ink ? pbm_color[ink - 1] : white;
        int d = abs(p[0] - rgb[0]) + abs(p[1] - rgb[1]) + abs(p[2] - rgb[2]);
        if (!ink || d < nearest) {
            nearest = d;
            best = ink;
        }
    }
    return (uint8_t)best;
}

static wlab_code no_picture(wlab_raster *r, wlab_err *err)
{
    wlab_raster_clear(r);
    return wlab_fail(err, WL_EIO, "gnuplot's answer is not a picture of the requested size");
}

wlab_code wlab_raster_read(const void *answer, size_t len, int columns, int rows, const char *marks,
                           wlab_raster *r, wlab_err *err)
{
    const uint8_t *p = answer, *end = p + len;
    int width, height, extra;
    bool characters = marks != NULL;
    padded(columns, rows, characters, &width, &height);
    wlab_code code =
        raster_make(r, characters ? columns : 2 * columns, characters ? rows : 4 * rows, characters, err);
    if (code)
        return code;
    extra = height - r->height;
    if (!characters) {
        char head[64];
        int n = snprintf(head, sizeof head, "P6\n%d %d\n255\n", width, height);
        if (len != (size_t)n + 3 * (size_t)width * (size_t)height || memcmp(p, head, (size_t)n) != 0)
            return no_picture(r, err);
        p += n;
        for (int y = 0; y < r->height; y++)
            for (int x = 0; x < r->width; x++) {
                const uint8_t *rgb = p + 3 * ((y + extra) * width + x);
                if ((rgb[0] & rgb[1] & rgb[2]) != 255)
                    r->cell[y * r->width + x] = ink_of(rgb);
            }
        return WL_OK;
    }
    if (p < end && *p == '\f')
        p++;
    for (int y = 0; y < height; y++) {
        const uint8_t *nl = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
        if (!nl || nl - p > width)
            return no_picture(r, err);
        for (int x = 0; p < nl; p++, x++) {
            if (*p < ' ' || *p > '~')
                return no_picture(r, err);
            const char *line = *p != ' ' ? strchr(dumb_character, *p) : NULL;
            if (x < r->width && y >= extra)
                r->cell[(y - extra) * r->width + x] = line ? (uint8_t)marks[line - dumb_character] : *p;
        }
        p = nl + 1;
    }
    return p == end ? WL_OK : no_picture(r, err);
}

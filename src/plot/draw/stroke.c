/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a figure to lines in pixels: transforms points by the axes, cuts lines into dashes, and computes contours.
 */
#include "plot/draw/stroke.h"
#include <math.h>
#include <string.h>

/* The state while a line is drawn. */
typedef struct pen {
    wlab_strokes *to;
    double on, off; /* lengths of dashes and gaps; off 0: solid */
    double done;    /* length since the dash began */
    double x, y;
    bool down, drawn; /* down: (x, y) is a point of the line; drawn: and a segment from it was drawn */
} pen;

static void put(wlab_strokes *k, double x, double y)
{
    if (k->failed)
        return;
    if (k->points == k->capacity) {
        int64_t capacity = k->capacity ? 2 * k->capacity : 256;
        float *xy = wlab_realloc(k->xy, (size_t)capacity, 2 * sizeof *xy);
        if (!xy) {
            k->failed = true;
            return;
        }
        k->xy = xy;
        k->capacity = capacity;
    }
    k->xy[2 * k->points] = (float)x;
    k->xy[2 * k->points + 1] = (float)y;
    k->points++;
}

static void segment(wlab_strokes *k, double x0, double y0, double x1, double y1)
{
    put(k, x0, y0);
    put(k, x1, y1);
    put(k, NAN, NAN);
}

/* End the line; a single point becomes a dot. */
static void lift(pen *p)
{
    if (p->down && !p->drawn)
        segment(p->to, p->x, p->y, p->x, p->y);
    else if (p->down && !(p->off > 0))
        put(p->to, NAN, NAN);
    p->down = p->drawn = false;
    p->done = 0;
}

static void line_to(pen *p, double x, double y)
{
    if (!p->down) {
        p->down = true;
    } else if (!(p->off > 0)) {
        if (!p->drawn)
            put(p->to, p->x, p->y);
        put(p->to, x, y);
        p->drawn = true;
    } else {
        double length = hypot(x - p->x, y - p->y), at = 0;
        while (at < length && !p->to->failed) {
            bool ink = p->done < p->on || p->on <= 0;
            double end = p->done < p->on ? p->on : p->on + p->off, step = fmin(end - p->done, length - at);
            double a = at / length, b = (p->on > 0 ? at + step : at) / length;
            if (ink && (p->on > 0 || p->done <= 0))
                segment(p->to, p->x + a * (x - p->x), p->y + a * (y - p->y), p->x + b * (x - p->x),
                        p->y + b * (y - p->y));
            at += step;
            p->done += step;
            if (p->done >= p->on + p->off - 1e-9)
                p->done = 0;
        }
        p->drawn = true;
    }
    p->x = x;
    p->y = y;
}

typedef struct axes {
    wlab_axis_span x, y;
    int width, height;
} axes;

/* The pixel of (x, y); false: it is outside the picture. */
static bool place(const axes *a, double x, double y, double *px, double *py)
{
    *px = wlab_span_place(&a->x, x, a->width);
    *py = a->height - 1 - wlab_span_place(&a->y, y, a->height);
    return *px > -0.5 && *px < a->width - 0.5 && *py > -0.5 && *py < a->height - 0.5;
}

static void put_curve(wlab_strokes *k, const wlab_figure *f, const wlab_series *s, const axes *a)
{
    static const double pixels[][2] = {{0, 0}, {5, 3}, {2, 3}, {0, 3}},
                        letters[][2] = {{0, 0}, {0, 2}, {0, 2}, {0, 3}}; /* on = 0: single letters */
    const double *dash = k->characters ? letters[s->dash & 3] : pixels[s->dash & 3];
    pen p = {.to = k, .on = dash[0], .off = dash[1]};
    int64_t n = wlab_series_points(f, s);
    const int64_t scan = f->block[s->block].scan;
    for (int64_t i = 0; i < n; i++) {
        double x, y, px, py;
        if (scan && i % scan == 0)
            lift(&p);
        if (wlab_series_point(f, s, i, &x, &y) && place(a, x, y, &px, &py))
            line_to(&p, px, py);
        else
            lift(&p);
    }
    lift(&p);
}

static void put_bars(wlab_strokes *k, const wlab_figure *f, const wlab_series *s, const axes *a)
{
    int64_t n = wlab_series_points(f, s);
    for (int64_t i = 0; i < n; i++) {
        double x, y, px, top, base = a->height - 1;
        if (!wlab_series_point(f, s, i, &x, &y) || !place(a, x, y, &px, &top) || y <= s->base)
            continue;
        double left = px, right = px;
        if (s->width > 0) {
            left = fmax(wlab_span_place(&a->x, x - s->width / 2, a->width), 0);
            right = fmin(wlab_span_place(&a->x, x + s->width / 2, a->width), a->width - 1);
        }
        segment(k, round(left), top, round(left), base);
        for (double c = round(left) + 1; c <= right; c++)
            segment(k, c, top, c, base);
    }
}

/* Contour at one level by marching squares: a segment through each cell of the grid in which the level is crossed. */
static void put_level(wlab_strokes *k, const wlab_block *b, double level, bool thin, const axes *a)
{
    int64_t nx = b->scan, ny = b->rows / nx;
    for (int64_t j = 0; j + 1 < ny; j++)
        for (int64_t i = 0; i + 1 < nx; i++) {
            const int64_t at[4] = {j * nx + i, j * nx + i + 1, (j + 1) * nx + i + 1, (j + 1) * nx + i};
            double px[4], py[4];
            int crossings = 0;
            if (thin && (i + j) % 2)
                continue;
            for (int e = 0; e < 4; e++) {
                const double *p = b->value + at[e] * b->columns, *q = b->value + at[(e + 1) % 4] * b->columns;
                if (!isfinite(p[2]) || !isfinite(q[2])) {
                    crossings = 0;
                    break;
                }
                if ((p[2] >= level) == (q[2] >= level))
                    continue;
                double t = (level - p[2]) / (q[2] - p[2]);
                if (place(a, p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1]), &px[crossings],
                          &py[crossings]))
                    crossings++;
            }
            for (int c = 0; c + 1 < crossings; c += 2)
                segment(k, px[c], py[c], px[c + 1], py[c + 1]);
        }
}

static void put_series(wlab_strokes *k, const wlab_figure *f, const wlab_series *s, const axes *a)
{
    int64_t first = k->points;
    if (s->draw == WL_D_LINES || s->draw == WL_D_CURVE)
        put_curve(k, f, s, a);
    else if (s->draw == WL_D_BARS)
        put_bars(k, f, s, a);
    else if (s->draw == WL_D_CONTOUR)
        for (int i = 0; i < s->levels; i++)
            put_level(k, &f->block[s->block], s->level[i], s->dash > 0, a);
    if (k->failed || k->points == first)
        return;
    int ink = s->ink < 1 || s->ink > WL_INKS ? 1 : s->ink;
    k->stroke[k->n++] = (wlab_stroke){ink, s->mark, first, k->points - first};
}

wlab_code wlab_strokes_make(wlab_strokes *k, const wlab_figure *f, int columns, int rows, bool characters,
                            wlab_err *err)
{
    axes a;
    memset(k, 0, sizeof *k);
    if (f->failed)
        return wlab_nomem(err);
    if (columns < 1 || rows < 1 || columns > WL_RASTER_MOST || rows > WL_RASTER_MOST)
        return wlab_fail(err, WL_EARG, "a picture of %d x %d cells cannot be drawn", columns, rows);
    k->characters = characters;
    k->width = a.width = characters ? columns : 2 * columns;
    k->height = a.height = characters ? rows : 4 * rows;
    wlab_figure_spans(f, 0, 0, &a.x, &a.y);
    if (!(k->stroke = wlab_calloc((size_t)f->nseries + 1, sizeof *k->stroke)))
        return wlab_nomem(err);
    for (int solid = 0; solid < 2; solid++)
        for (int i = 0; i < f->nseries; i++)
            if ((f->series[i].dash == 0) == solid)
                put_series(k, f, &f->series[i], &a);
    if (!k->failed)
        return WL_OK;
    wlab_strokes_clear(k);
    return wlab_nomem(err);
}

void wlab_strokes_clear(wlab_strokes *k)
{
    wlab_free(k->stroke);
    wlab_free(k->xy);
    memset(k, 0, sizeof *k);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Curves in a pane: a legend on top, axes with tics, the raster of the lines, and over it the marks of the points.
 */
#include "tui/pane_draw.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    LEAST_ROWS = 4, /* below that the newest values stand as text */
    LEAST_COLS = 18,
    MARK_EVERY = 3 /* columns between two marks of a curve */
};

static wlab_style ink_style(int ink)
{
    return (wlab_style)(WL_S_INK1 + (ink >= 1 && ink <= WL_INKS ? ink - 1 : 0));
}

static bool drawn(const wlab_series *s)
{
    return s->draw == WL_D_POINTS || s->draw == WL_D_LINES || s->draw == WL_D_CURVE || s->draw == WL_D_BARS;
}

/* "integer_upper" is long for a legend. */
static const char *short_title(const char *title)
{
    static const char *const shorter[][2] = {{"integer_upper", "integer"}};
    for (size_t k = 0; k < sizeof shorter / sizeof *shorter; k++)
        if (strcmp(title, shorter[k][0]) == 0)
            return shorter[k][1];
    return title;
}

/* ---- legend ---- */

/* "* objective  u upper" on lines of the rectangle, as far as they fit; the lines it takes.  c = NULL: count only. */
static int legend(const wlab_figure *f, wlab_canvas *c, const wlab_rect *r, int most)
{
    int row = 0, col = 1;

    for (int i = 0; i < f->nseries; i++) {
        const wlab_series *s = &f->series[i];
        if (!s->title || !drawn(s))
            continue;
        const char *title = short_title(s->title);
        int need = wlab_text_columns(title) + 2;
        if (col > 1 && col + need > r->cols) {
            if (row + 1 == most)
                break;
            row++;
            col = 1;
        }
        if (c) {
            wlab_canvas_put(c, r, row, col, (wchar_t)s->mark, ink_style(s->ink));
            wlab_canvas_text(c, r, row, col + 2, ink_style(s->ink), "%s", title);
        }
        col += need + 2;
    }
    return col > 1 || row ? row + 1 : 0;
}

/* ---- geometry ---- */

typedef struct frame {
    bool text;  /* too small for a picture */
    int legend; /* rows */
    bool axis;  /* the x axis with its labels */
    wlab_axis_span x, y;
    wlab_rect area;
} frame;

static int label_width(const wlab_axis_span *a)
{
    int w = 0;
    for (int i = 0; i < a->tics; i++) {
        int n = (int)strlen(a->label[i]);
        w = n > w ? n : w;
    }
    return w;
}

static frame measure(const wlab_picture *p, const wlab_rect *in)
{
    frame f = {.area = *in};
    if (in->rows < LEAST_ROWS || in->cols < LEAST_COLS) {
        f.text = true;
        return f;
    }
    f.legend = legend(&p->figure, NULL, in, in->rows >= 14 ? 3 : in->rows >= 8 ? 2 : 1);
    f.axis = in->rows - f.legend >= 4;
    f.area.row += f.legend;
    f.area.rows -= f.legend + (f.axis ? 2 : 0);
    int ytics = f.area.rows / 3, xtics;
    wlab_figure_spans(&p->figure, 2, ytics < 2 ? 2 : ytics > WL_MOST_TICS ? WL_MOST_TICS : ytics, &f.x, &f.y);
    int left = label_width(&f.y) + 1;
    f.area.col += left;
    f.area.cols -= left;
    xtics = f.area.cols / 6;
    wlab_figure_spans(&p->figure,
                      xtics < 2              ? 2
                      : xtics > WL_MOST_TICS ? WL_MOST_TICS
                                             : xtics,
                      ytics < 2              ? 2
                      : ytics > WL_MOST_TICS ? WL_MOST_TICS
                                             : ytics,
                      &f.x, &f.y);
    return f;
}

void wlab_plot_area(const wlab_scene *scene, const wlab_picture *p, const wlab_rect *in, wlab_rect *area)
{
    (void)scene;
    if (!p->has_figure) { /* nothing is known of tics yet */
        *area = (wlab_rect){in->row, in->col, in->rows, in->cols};
        return;
    }
    frame f = measure(p, in);
    *area = f.area;
    if (f.text)
        area->rows = area->cols = 0;
}

static int column_of(const frame *f, double x)
{
    return (int)lround(wlab_span_place(&f->x, x, 2 * f->area.cols)) / 2;
}

static int row_of(const frame *f, double y)
{
    return (4 * f->area.rows - 1 - (int)lround(wlab_span_place(&f->y, y, 4 * f->area.rows))) / 4;
}

/* ---- axes ---- */

static void axes(const frame *f, const wlab_figure *fig, bool ascii, wlab_canvas *c, const wlab_rect *in)
{
    int left = f->area.col - in->col, top = f->area.row - in->row, rows = f->area.rows, taken = rows;

    for (int k = 0; k < rows; k++)
        wlab_canvas_put(c, in, top + k, left - 1, ascii ? L'|' : L'\x2502', WL_S_FRAME);
    for (int i = 0; i < f->y.tics; i++) {
        int row = row_of(f, f->y.tic[i]);
        if (row < 0 || row >= rows || row == taken)
            continue;
        taken = row;
        wlab_canvas_text(c, in, top + row, left - 1 - (int)strlen(f->y.label[i]), WL_S_DIM, "%s",
                         f->y.label[i]);
        wlab_canvas_put(c, in, top + row, left - 1, ascii ? L'+' : L'\x2524', WL_S_FRAME);
    }
    if (!f->axis)
        return;
    wlab_canvas_put(c, in, top + rows, left - 1, ascii ? L'+' : L'\x2514', WL_S_FRAME);
    for (int k = 0; k < f->area.cols; k++)
        wlab_canvas_put(c, in, top + rows, left + k, ascii ? L'-' : L'\x2500', WL_S_FRAME);
    const char *name = fig->xlabel ? fig->xlabel : "";
    int room = f->area.cols - wlab_text_columns(name); /* the name stands at the end */
    int end = -2;                                      /* where the label before this one ends */
    for (int i = 0; i < f->x.tics; i++) {
        int col = column_of(f, f->x.tic[i]), n = (int)strlen(f->x.label[i]);
        if (col < 0 || col >= f->area.cols)
            continue;
        wlab_canvas_put(c, in, top + rows, left + col, ascii ? L'+' : L'\x252c', WL_S_FRAME);
        int begin = col - n / 2;
        begin = begin + n > f->area.cols ? f->area.cols - n : begin;
        if (begin <= end || left + begin < 0 || begin + n >= room)
            continue;
        wlab_canvas_text(c, in, top + rows + 1, left + begin, WL_S_DIM, "%s", f->x.label[i]);
        end = begin + n;
    }
    if (room > 0)
        wlab_canvas_text(c, in, top + rows + 1, left + room, WL_S_DIM, "%s", name);
}

/* ---- lines and marks ---- */

static int ink_of_mark(const wlab_figure *f, char mark)
{
    for (int i = 0; i < f->nseries; i++)
        if (f->series[i].mark == mark)
            return f->series[i].ink;
    return 1;
}

void wlab_plot_raster(const wlab_picture *p, wlab_canvas *c, const wlab_rect *area)
{
    const wlab_raster *g = &p->raster;
    static const unsigned char dot[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    int fx = g->characters ? 1 : 2, fy = g->characters ? 1 : 4;

    if (!g->cell || g->width != area->cols * fx || g->height != area->rows * fy)
        return; /* of another size: the next one comes */
    for (int row = 0; row < area->rows; row++)
        for (int col = 0; col < area->cols; col++) {
            if (g->characters) {
                char ch = (char)g->cell[row * g->width + col];
                if (ch > ' ' && ch < 0x7f)
                    wlab_canvas_put(c, area, row, col, (wchar_t)ch, ink_style(ink_of_mark(&p->figure, ch)));
                continue;
            }
            int count[WL_INKS + 1] = {0}, best = 0;
            unsigned dots = 0;
            for (int y = 0; y < 4; y++)
                for (int x = 0; x < 2; x++) {
                    int ink = g->cell[(4 * row + y) * g->width + 2 * col + x];
                    if (ink < 1 || ink > WL_INKS)
                        continue;
                    dots |= dot[y][x];
                    count[ink]++;
                    if (!best || count[ink] > count[best])
                        best = ink;
                }
            if (dots)
                wlab_canvas_put(c, area, row, col, (wchar_t)(0x2800 + dots), ink_style(best));
        }
}

/* The marks of a series; not so many that they touch, but the first and the last. */
static void marks(const frame *f, const wlab_figure *fig, const wlab_series *s, wlab_canvas *c)
{
    int64_t n = wlab_series_points(fig, s), last = n;
    double x, y;
    int before = -MARK_EVERY;

    while (last-- > 0 && !wlab_series_point(fig, s, last, &x, &y))
        ;
    if (last < 0)
        return;
    int end = column_of(f, x);
    for (int64_t i = 0; i < last; i++) {
        if (!wlab_series_point(fig, s, i, &x, &y))
            continue;
        int col = column_of(f, x);
        if (col - before < MARK_EVERY || (end - col < MARK_EVERY && before >= 0))
            continue;
        before = col;
        wlab_canvas_put(c, &f->area, row_of(f, y), col, (wchar_t)s->mark, ink_style(s->ink));
    }
    if (wlab_series_point(fig, s, last, &x, &y))
        wlab_canvas_put(c, &f->area, row_of(f, y), end, (wchar_t)s->mark, WL_S_NEWEST);
}

/* Where there is no room for a picture: the newest value of each series. */
static void newest_values(const wlab_figure *fig, wlab_canvas *c, const wlab_rect *in)
{
    int row = 0;
    for (int i = 0; i < fig->nseries && row < in->rows; i++) {
        const wlab_series *s = &fig->series[i];
        double x, y;
        int64_t k = wlab_series_points(fig, s);
        char number[32];
        if (!drawn(s))
            continue;
        while (k-- > 0 && !wlab_series_point(fig, s, k, &x, &y))
            ;
        if (k < 0)
            continue;
        wlab_number_text(y, 5, fig->whole_y, number, sizeof number);
        const char *title = s->title ? short_title(s->title) : fig->ylabel ? fig->ylabel : "";
        int room = in->cols - (int)strlen(number) - 1;
        wlab_rect name = {in->row + row, in->col, 1, room > 0 ? room : 0};
        wlab_canvas_text(c, &name, 0, 0, ink_style(s->ink), "%s", title);
        wlab_canvas_text(c, in, row++, room + 1 > 0 ? room + 1 : 0, WL_S_STRONG, "%s", number);
    }
}

void wlab_plot_draw(const wlab_scene *scene, const wlab_picture *p, wlab_canvas *c, const wlab_rect *in)
{
    if (!p->has_figure) {
        wlab_draw_message(c, in, WL_S_DIM,
                          !scene->mirrors ? "no run yet: algo wellsvm, or lesson"
                          : p->why[0]     ? p->why
                                          : "nothing to draw yet: F5 makes a step");
        return;
    }
    frame f = measure(p, in);
    if (f.text) {
        newest_values(&p->figure, c, in);
        return;
    }
    legend(&p->figure, c, in, f.legend);
    axes(&f, &p->figure, scene->ascii, c, in);
    wlab_plot_raster(p, c, &f.area);
    for (int i = p->figure.nseries; i-- > 0;) /* the first ones on top */
        if (p->figure.series[i].draw == WL_D_CURVE || p->figure.series[i].draw == WL_D_POINTS)
            marks(&f, &p->figure, &p->figure.series[i], c);
}

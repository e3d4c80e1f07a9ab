/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Curves in a pane: a legend on top, axes with tics, the raster of the lines, and over it the marks of the points.
 */
#include "tui/panes/draw.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    LEAST_ROWS = 4, /* a smaller pane shows the newest values as text */
    LEAST_COLS = 18,
    MARK_EVERY = 3, /* columns between two marks of a curve */
    LINE_EVERY = 9  /* and of a dashed line, which without colour only they tell from another one */
};

static wlab_style ink_style(int ink)
{
    return (wlab_style)(WL_S_INK1 + (ink >= 1 && ink <= WL_INKS ? ink - 1 : 0));
}

static bool has_marks(const wlab_series *s)
{
    return s->draw == WL_D_POINTS || s->draw == WL_D_LINES || s->draw == WL_D_CURVE || s->draw == WL_D_BARS;
}

const char *wlab_draw_short(const char *title, int width)
{
    const wlab_metric_info *metric = wlab_metric_named(title);
    if (!metric)
        return title;
    const wlab_role_style style = wlab_metric_style(metric);
    if (width >= 7 && strcmp(style.label, title) != 0)
        return style.label;
    if (wlab_text_columns(title) > width)
        return style.brief;
    return title;
}

/* ---- legend ---- */

/* The length of the run's part of a title: of "a: " in "a: upper"; 0: there is none. */
static size_t run_part(const char *title)
{
    const char *colon = strstr(title, ": ");
    return colon ? (size_t)(colon + 2 - title) : 0;
}

/* "* objective u upper" on up to `most` lines, each title in `width` columns.  Returns the lines that all entries need,
 * maybe more than `most`.  The name that several curves of a run share is written once: "a: * objective u upper"; a run
 * whose mark is its name gets only the mark.  apart: such a run begins a line of its own.  c = NULL: count only.  *end:
 * the column after the last line. */
static int legend_lines(const wlab_figure *f, wlab_canvas *c, const wlab_rect *r, int most, int width,
                        bool apart, int *end)
{
    int row = 0, col = 1, gap = width < 100 ? 1 : 2;
    const char *before = ""; /* the previous title */

    for (int i = 0; i < f->nseries; i++) {
        const wlab_series *s = &f->series[i];
        if (!s->title || !has_marks(s))
            continue;
        size_t part = run_part(s->title);
        bool same = part && run_part(before) == part && strncmp(before, s->title, part) == 0;
        bool alone = s->title[0] == s->mark && s->title[1] == '\0';
        const char *title = alone ? "" : wlab_draw_short(s->title + part, width);
        int need = wlab_text_columns(title), run = same ? 0 : (int)part;
        need = alone ? 1 : (need < width ? need : width) + 2;
        before = s->title;
        if (col > 1 && (col + run + need > r->cols || (run && apart))) {
            row++;
            col = 1;
        }
        if (c && row < most) {
            const int left = r->cols - col; /* a single title may be wider */
            wlab_rect one = {r->row + row, r->col + col, 1, run + need < left ? run + need : left};
            wlab_canvas_text(c, &one, 0, 0, ink_style(s->ink), "%.*s", run, s->title);
            wlab_canvas_put(c, &one, 0, run, (wchar_t)s->mark, ink_style(s->ink));
            wlab_canvas_text(c, &one, 0, run + 2, ink_style(s->ink), "%s", title);
        }
        col += run + need + gap;
    }
    *end = col + 2 - gap;
    return col > 1 || row ? row + 1 : 0;
}

/* Draw the legend with the longest titles that let all entries fit, if possible with runs on lines of their own;
 * c = NULL: count only.  Returns its lines. */
static int legend(const wlab_figure *f, wlab_canvas *c, const wlab_rect *r, int most, int *end)
{
    const bool apart = most > 1 && legend_lines(f, NULL, r, most, 7, true, end) <= most;
    int width = 100, lines = legend_lines(f, NULL, r, most, width, apart, end);
    if (lines > most)
        for (width = 16; width > 1 && legend_lines(f, NULL, r, most, width, apart, end) > most; width--)
            ;
    lines = legend_lines(f, c, r, most, width, apart, end);
    return lines < most ? lines : most;
}

/* ---- geometry ---- */

typedef struct frame {
    bool text;              /* too small for a picture */
    int legend, legend_end; /* legend: its rows; legend_end: the column after its last entry */
    bool axis;              /* the x axis with its labels */
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

/* The number of tics: one per `each` cells, but at least 2 and at most 6. */
static int tics(int cells, int each)
{
    int n = cells / each;
    return n < 2 ? 2 : n > 6 ? 6 : n;
}

static frame measure(const wlab_picture *p, const wlab_rect *in)
{
    frame f = {.area = *in};
    if (in->rows < LEAST_ROWS || in->cols < LEAST_COLS) {
        f.text = true;
        return f;
    }
    f.legend = legend(&p->figure, NULL, in, in->rows >= 14 ? 3 : in->rows >= 8 ? 2 : 1, &f.legend_end);
    f.axis = in->rows - f.legend >= 4;
    f.area.row += f.legend;
    f.area.rows -= f.legend + (f.axis ? 2 : 0);
    int ytics = tics(f.area.rows, 2), least = in->cols >= 24 && f.axis ? 5 : 1; /* "step" fits at the left */
    if (p->figure.runs > 1) /* the set of curves depends on the columns, so must not change them */
        least++;
    wlab_figure_spans(&p->figure, 2, ytics, &f.x, &f.y);
    int left = label_width(&f.y) + 1;
    left = left < least ? least : left;
    f.area.col += left;
    f.area.cols -= left;
    wlab_figure_spans(&p->figure, tics(f.area.cols, 6), ytics, &f.x, &f.y);
    return f;
}

void wlab_plot_area(const wlab_scene *scene, const wlab_picture *p, const wlab_rect *in, wlab_rect *area)
{
    (void)scene;
    if (!p->has_figure) { /* the tics are not known yet */
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

static void draw_axes(const frame *f, const wlab_figure *fig, bool ascii, wlab_canvas *c, const wlab_rect *in)
{
    int left = f->area.col - in->col, top = f->area.row - in->row, rows = f->area.rows, previous = rows;

    for (int k = 0; k < rows; k++)
        wlab_canvas_put(c, in, top + k, left - 1, ascii ? L'|' : L'\x2502', WL_S_FRAME);
    for (int i = 0; i < f->y.tics; i++) {
        int row = row_of(f, f->y.tic[i]);
        if (row < 0 || row >= rows || row == previous)
            continue;
        previous = row;
        wlab_canvas_text(c, in, top + row, left - 1 - (int)strlen(f->y.label[i]), WL_S_DIM, "%s",
                         f->y.label[i]);
        wlab_canvas_put(c, in, top + row, left - 1, ascii ? L'+' : L'\x2524', WL_S_FRAME);
    }
    if (!f->axis)
        return;
    wlab_canvas_put(c, in, top + rows, left - 1, ascii ? L'+' : L'\x2514', WL_S_FRAME);
    for (int k = 0; k < f->area.cols; k++)
        wlab_canvas_put(c, in, top + rows, left + k, ascii ? L'-' : L'\x2500', WL_S_FRAME);
    char name[40]; /* "C*" of "C*, the hinge losses' weight" */
    snprintf(name, sizeof name, "%.*s", fig->xlabel ? (int)strcspn(fig->xlabel, ",") : 0,
             fig->xlabel ? fig->xlabel : "");
    int end = -1;               /* where the previous label ends */
    int columns = f->area.cols; /* columns for labels; a name too long for the left side follows them */
    const int width = wlab_text_columns(name);
    if (width < left) {
        wlab_canvas_text(c, in, top + rows + 1, left - 1 - width, WL_S_DIM, "%s", name);
    } else if (columns > 3 * width) {
        columns -= width + 1;
        wlab_canvas_text(c, in, top + rows + 1, left + columns + 1, WL_S_DIM, "%s", name);
    }
    for (int i = 0; i < f->x.tics; i++) {
        int col = column_of(f, f->x.tic[i]), n = (int)strlen(f->x.label[i]);
        if (col < 0 || col >= f->area.cols)
            continue;
        wlab_canvas_put(c, in, top + rows, left + col, ascii ? L'+' : L'\x252c', WL_S_FRAME);
        int begin = col - n / 2;
        begin = begin + n > columns ? columns - n : begin;
        if (begin <= end || begin + n < col || left + begin < 0)
            continue;
        wlab_canvas_text(c, in, top + rows + 1, left + begin, WL_S_DIM, "%s", f->x.label[i]);
        end = begin + n;
    }
}

/* ---- events ---- */

/* Mark the events, newest first (a parameter was set; another binary classifier began): a thin line over the whole
 * height, and the text of the event at the end of the legend, or else beside the line on a row with enough blanks.
 * Called after the raster, before the marks. */
static void draw_events(const frame *f, const wlab_figure *fig, bool ascii, wlab_canvas *c,
                        const wlab_rect *in)
{
    int at = f->legend_end;

    for (int i = fig->events; i-- > 0;) {
        const wlab_happening *e = &fig->event[i];
        wlab_style style = e->ink ? ink_style(e->ink) : WL_S_DIM;
        int col = column_of(f, e->x), n = wlab_text_columns(e->text);
        wchar_t line = ascii ? L':' : L'\x250a';
        bool said = false;

        if (col < 0 || col >= f->area.cols)
            continue;
        for (int row = 0; row < f->area.rows; row++) {
            const wlab_glyph *g = &c->cell[(ptrdiff_t)(f->area.row + row) * c->cols + f->area.col + col];
            if (g->ch == L' ')
                wlab_canvas_put(c, &f->area, row, col, line, style);
        }
        if (f->axis)
            wlab_canvas_put(c, in, f->area.row - in->row + f->area.rows, f->area.col - in->col + col,
                            ascii ? L'|' : L'\x2534', WL_S_STRONG);
        if (!e->beside && f->legend > 0 && at + 2 + n <= in->cols) {
            wlab_canvas_put(c, in, f->legend - 1, at, line, style);
            wlab_canvas_text(c, in, f->legend - 1, at + 2, e->ink ? style : WL_S_STRONG, "%s", e->text);
            at += n + 4;
            continue;
        }
        for (int right = 1; right >= 0 && !said; right--) {
            int begin = right ? col + 1 : col - n;
            if (begin < 0 || begin + n > f->area.cols)
                continue;
            for (int row = 0; row < f->area.rows && !said; row++) {
                const wlab_glyph *g =
                    &c->cell[(ptrdiff_t)(f->area.row + row) * c->cols + f->area.col + begin];
                int k = 0;
                while (k < n && g[k].ch == L' ')
                    k++;
                if (k < n)
                    continue;
                wlab_canvas_text(c, &f->area, row, begin, e->ink ? style : WL_S_STRONG, "%s", e->text);
                said = true;
            }
        }
    }
}

/* ---- lines and marks ---- */

static int ink_of_mark(const wlab_figure *f, char mark)
{
    for (int i = 0; i < f->nseries; i++)
        if (f->series[i].mark == mark)
            return f->series[i].ink;
    return 1;
}

/* The ink of a pixel; solid lines are two pixels wide, to be visible from a distance, but only within their cells. */
static int ink_at(const wlab_raster *g, const bool *solid, int x, int y)
{
    int by[6], ink = g->cell[y * g->width + x], n = 0;
    if (ink)
        return ink <= WL_INKS ? ink : 0;
    for (int k = 0; k < 3;
         k++) { /* this row of the cell, the row above it, and for the third row also the row below it */
        int row = k == 0 ? y : k == 1 && y % 4 != 0 ? y - 1 : k == 2 && y % 4 == 2 ? y + 1 : -1;
        for (int side = 0; side < 2 && row >= 0; side++)
            by[n++] = g->cell[row * g->width + (side ? x : x ^ 1)];
    }
    for (int k = 0; k < n; k++)
        if (by[k] <= WL_INKS && solid[by[k]])
            return by[k];
    return 0;
}

void wlab_plot_raster(const wlab_picture *p, wlab_canvas *c, const wlab_rect *area, const wlab_style *styles)
{
    const wlab_raster *g = &p->raster;
    static const unsigned char dot[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    int fx = g->characters ? 1 : 2, fy = g->characters ? 1 : 4;
    bool solid[WL_INKS + 1] = {false};

    if (!g->cell || g->width != area->cols * fx || g->height != area->rows * fy)
        return; /* of another size: the next raster will fit */
    for (int i = 0; i < p->figure.nseries; i++) {
        const wlab_series *s = &p->figure.series[i];
        if (s->ink >= 1 && s->ink <= WL_INKS && s->dash == 0 && s->draw != WL_D_BARS)
            solid[s->ink] = true;
    }
    for (int row = 0; row < area->rows; row++)
        for (int col = 0; col < area->cols; col++) {
            int count[WL_INKS + 1] = {0}, best = 0;
            unsigned dots = 0;
            char ch = g->characters ? (char)g->cell[row * g->width + col] : ' ';
            if (ch > ' ' && ch < 0x7f)
                best = ink_of_mark(&p->figure, ch);
            for (int k = 0; k < 8 && !g->characters; k++) {
                int x = k & 1, y = k >> 1, ink = ink_at(g, solid, 2 * col + x, 4 * row + y);
                if (!ink)
                    continue;
                dots |= dot[y][x];
                count[ink]++;
                if (!best || count[ink] > count[best])
                    best = ink;
            }
            if (best)
                wlab_canvas_put(c, area, row, col, g->characters ? (wchar_t)ch : (wchar_t)(0x2800 + dots),
                                styles ? styles[best - 1] : ink_style(best));
        }
}

/* The marks of a series: the first, the last, and as many between as do not touch. */
static void draw_marks(const frame *f, const wlab_figure *fig, const wlab_series *s, wlab_canvas *c)
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

/* Marks of a dashed line where its pixels are seen, since a line may lie behind another. */
static void draw_line_marks(const frame *f, const wlab_figure *fig, const wlab_series *s,
                            const wlab_raster *g, wlab_canvas *c)
{
    int before = -LINE_EVERY;
    double x, y;

    if (g->characters || !g->cell || g->width != 2 * f->area.cols || g->height != 4 * f->area.rows)
        return;
    for (int64_t i = 0; i < wlab_series_points(fig, s); i++) {
        if (!wlab_series_point(fig, s, i, &x, &y))
            continue;
        const int col = column_of(f, x), row = row_of(f, y);
        if (col < 0 || col >= f->area.cols || row < 0 || row >= f->area.rows || col - before < LINE_EVERY)
            continue;
        bool own = false, others = false;
        for (int k = 0; k < 8; k++) {
            const int ink = g->cell[(4 * row + k / 2) * g->width + 2 * col + k % 2];
            own = own || ink == s->ink;
            others = others || (ink && ink != s->ink);
        }
        if (!own || others)
            continue;
        before = col;
        wlab_canvas_put(c, &f->area, row, col, (wchar_t)s->mark, ink_style(s->ink));
    }
}

/* In place of a picture that does not fit: the newest value of each series. */
static void newest_values(const wlab_figure *fig, wlab_canvas *c, const wlab_rect *in)
{
    int row = 0;
    for (int i = 0; i < fig->nseries && row < in->rows; i++) {
        const wlab_series *s = &fig->series[i];
        double x, y;
        int64_t k = wlab_series_points(fig, s);
        char number[32];
        if (!has_marks(s))
            continue;
        while (k-- > 0 && !wlab_series_point(fig, s, k, &x, &y))
            ;
        if (k < 0)
            continue;
        wlab_number_fit(y, 5, fig->whole_y, in->cols, number, sizeof number);
        const char *title = s->title ? wlab_draw_short(s->title, 100) : fig->ylabel ? fig->ylabel : "";
        int width = in->cols - (int)strlen(number) - 1;
        wlab_rect name = {in->row + row, in->col, 1, width > 0 ? width : 0};
        wlab_canvas_text(c, &name, 0, 0, ink_style(s->ink), "%s", title);
        wlab_canvas_text(c, in, row++, width + 1 > 0 ? width + 1 : 0, WL_S_STRONG, "%s", number);
    }
}

void wlab_plot_draw(const wlab_scene *scene, const wlab_picture *p, wlab_canvas *c, const wlab_rect *in)
{
    if (!p->has_figure) {
        wlab_draw_no_figure(scene, p, c, in);
        return;
    }
    frame f = measure(p, in);
    if (f.text) {
        newest_values(&p->figure, c, in);
        return;
    }
    legend(&p->figure, c, in, f.legend, &f.legend_end);
    draw_axes(&f, &p->figure, scene->ascii, c, in);
    wlab_plot_raster(p, c, &f.area, NULL);
    draw_events(&f, &p->figure, scene->ascii, c, in);
    for (int i = p->figure.nseries; i-- > 0;) { /* so the first ones are on top */
        const wlab_series *s = &p->figure.series[i];
        if (s->draw == WL_D_CURVE || s->draw == WL_D_POINTS)
            draw_marks(&f, &p->figure, s, c);
        else if (s->draw == WL_D_LINES && s->dash && s->title)
            draw_line_marks(&f, &p->figure, s, &p->raster, c);
    }
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * View `labels`: the labels of all rows (from top to bottom, sorted so that classes are blocks) over the steps (from
 * left to right), as a strip of cells; a cell in which any row flipped is dark.  Beneath it a barcode shows how many
 * labels flipped in each step.
 *
 * If there are more rows or steps than fit in a picture, several share a cell; the title says how many.
 */
#include "plot/views/classes.h"
#include "plot/views/strip.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    LINES = 200,
    COLUMNS = 250,
    LEGEND = 12 /* most classes in the legend, if there are more than two */
};
#define DEPTH 0.2  /* height of the barcode, as a fraction of the strip's height */
#define SPACE 0.05 /* space between strip and barcode, as the same fraction */

/* How a cell is drawn: column `kind` of the data.  With P > 2 classes: 0 no label, 1 .. P the label of most rows,
 * P + 1 .. 2 P some row flips, to that label. */
enum kind {
    NONE,
    POSITIVE,
    NEGATIVE,
    MIXED,
    TO_POSITIVE,
    TO_NEGATIVE
};
enum { /* columns of block 0, from 0 */
    STEP,
    LINE,
    SHADE,
    KIND,
    ROWS,
    CELL, /* positive, negative, to_positive, to_negative */
    WIDE = CELL + 4
};

/* The shade of a cell on the palette: -1..1 the mean label; 2..3 and 4..5 flips, darker if more of its rows flip. */
static double shade_of(const wlab_strip_cell *c, int64_t rows, bool keys, enum kind *kind)
{
    int64_t flips = c->to_positive + c->to_negative;
    double mean = (double)(c->positive - c->negative) / (double)rows;
    if (keys &&
        c->positive) /* a key is one row among many, so it determines the shade; a new key hides the old one */
        mean = 1;
    if (flips) {
        bool up = keys ? c->to_positive > 0 : c->to_positive > c->to_negative;
        *kind = up ? TO_POSITIVE : TO_NEGATIVE;
        return (up ? 4 : 2) + (keys ? 0.5 : fmin(1, sqrt((double)flips / (double)rows)));
    }
    *kind = !c->positive && !c->negative ? NONE : mean > 0.5 ? POSITIVE : mean < -0.5 ? NEGATIVE : MIXED;
    return mean;
}

static int kind_of(const wlab_strip_cell *c, int P)
{
    return c->to_positive && c->to ? P + c->to : c->label;
}

/* ---- the axis at the left ---- */

static void class_group_name(const wlab_problem *p, int g, int groups, int64_t rows, char *buf, size_t size)
{
    if (g == groups - 1)
        snprintf(buf, size, groups > 1 ? "no truth known: %lld" : "all rows: %lld", (long long)rows);
    else if (g % 2)
        snprintf(buf, size, "truth %.14s: %lld", wlab_problem_truth_class(p, g / 2 + 1), (long long)rows);
    else
        snprintf(buf, size, "labelled %.12s: %lld", wlab_problem_class(p, g / 2 + 1), (long long)rows);
}

static void group_name(const wlab_problem *p, int g, int groups, int64_t rows, char *buf, size_t size)
{
    if (p->classes > 2) {
        class_group_name(p, g, groups, rows, buf, size);
        return;
    }
    bool bags = p->bag && p->bag_given, up = g <= WL_STRIP_POSITIVE;
    const char *of = g == WL_STRIP_UNKNOWN ? "no truth known" : wlab_problem_class(p, up ? 1 : -1);
    if (bags && p->task->sees == WL_SEES_PROPORTIONS)
        snprintf(buf, size, "%s: %lld",
                 g == WL_STRIP_UNKNOWN ? "bags not given"
                 : up                  ? "bags given > 0.5"
                                       : "bags given <= 0.5",
                 (long long)rows);
    else if (bags)
        snprintf(buf, size, "in %s bags: %lld", up ? "positive" : "negative", (long long)rows);
    else if (g == WL_STRIP_GIVEN_POSITIVE || g == WL_STRIP_GIVEN_NEGATIVE)
        snprintf(buf, size, "labelled %.12s: %lld", of, (long long)rows);
    else
        snprintf(buf, size, "%s%.14s: %lld", g == WL_STRIP_UNKNOWN ? "" : "truth ", of, (long long)rows);
}

static double middle_of(const wlab_strip_order *o, int g)
{
    return (double)o->lines - (double)(o->begin[g] + o->begin[g + 1]) / 2;
}

/* Select the groups whose names are written, larger groups first: names must be at least `apart` lines apart. */
static void select_named(const wlab_strip_order *o, double apart, bool *named)
{
    bool visited[WL_STRIP_GROUPS_MOST] = {false};

    for (int n = 0; n < o->groups; n++) {
        int best = -1;
        for (int g = 0; g < o->groups; g++)
            best = !visited[g] && (best < 0 || o->rows[g] > o->rows[best]) ? g : best;
        visited[best] = true;
        named[best] = o->rows[best] > 0;
        for (int g = 0; g < o->groups && named[best]; g++)
            named[best] = g == best || !named[g] || fabs(middle_of(o, g) - middle_of(o, best)) >= apart;
    }
}

/* Write the names of the groups at their middles, or lower if the name above is too near; with more than two classes,
 * only those that select_named selects.  Draw lines between the groups. */
static void put_groups(wlab_figure *f, const wlab_problem *p, const wlab_strip_order *o, int64_t most,
                       double base)
{
    double lines = (double)o->lines,
           apart = lines / (f->text    ? 8
                            : f->latex ? 8
                            : f->small ? 12
                                       : 20),
           last = INFINITY;
    bool named[WL_STRIP_GROUPS_MOST] = {false};
    wlab_buf b = {0};
    char name[64];
    wlab_code code = wlab_buf_printf(&b, "set ytics noenhanced (");

    if (p->classes > 2)
        select_named(o, apart, named);
    for (int g = 0; g < o->groups && !code; g++) {
        if (!o->rows[g])
            continue;
        double at = middle_of(o, g);
        if (p->classes > 2 && !named[g])
            continue;
        at = p->classes > 2 ? at : fmin(at, last - apart);
        at = f->small ? fmax(at, apart - SPACE * lines) : at; /* the number of changes is below */
        last = at;
        group_name(p, g, o->groups, o->rows[g], name, sizeof name);
        code = wlab_figure_quote(f, &b, name);
        code = code ? code : wlab_buf_printf(&b, " %.6g, ", at);
    }
    if (most)
        snprintf(name, sizeof name, "%lld change%s", (long long)most, most == 1 ? "s" : "");
    else
        snprintf(name, sizeof name, "none changes");
    code = code ? code : wlab_figure_quote(f, &b, name);
    code = code ? code : wlab_buf_printf(&b, " %.6g%s", -SPACE * lines, most ? ", " : ")\n");
    if (!code && most)
        code = wlab_buf_printf(&b, "'0' %.6g)\n", base);
    for (int g = 1; g < o->groups && !code; g++)
        if (!(f->text && p->classes > 2) && o->begin[g] > 0 && o->begin[g] < o->lines && o->rows[g])
            code =
                wlab_buf_printf(&b,
                                "set arrow from graph 0, first %.6g to graph 1, first %.6g nohead front lw 1 "
                                "dt 1 lc rgb '#000000'\n",
                                lines - (double)o->begin[g], lines - (double)o->begin[g]);
    if (code || wlab_buf_put(&f->before, b.data, b.len))
        f->failed = true;
    wlab_buf_clear(&b);
}

/* ---- the strip ---- */

static void put_cells(wlab_figure *f, const wlab_view_run *v, const wlab_strip_order *o,
                      const wlab_strip_cell *cell, int64_t columns, int64_t stride)
{
    static const char *const names[WIDE] = {"step",     "line",     "shade",       "kind",       "rows",
                                            "positive", "negative", "to_positive", "to_negative"};
    int b = wlab_figure_block(f, columns * o->lines, WIDE);
    bool keys = v->problem->keys;
    const int P = v->problem->classes;

    wlab_view_about(f, b, "labels", v);
    wlab_figure_about(
        f, b, "a line is %lld to %lld rows, a column %lld step%s: labels after its last step, flips in all",
        (long long)o->least, (long long)o->most, (long long)stride, stride == 1 ? "" : "s");
    if (P > 2)
        wlab_figure_about(
            f, b,
            "shade, kind: the label of most rows (positive: how many), or where any row flipped "
            "(to_positive) %d + a label that one flipped to",
            P);
    else
        wlab_figure_about(
            f, b, "shade: the mean label, or where any row flipped 2 to 3 (away from +1) or 4 to 5 (to +1)");
    for (int c = 0; c < WIDE; c++)
        wlab_figure_column(f, b, c, "%s", names[c]);
    for (int64_t line = 0; line < o->lines; line++)
        for (int64_t k = 0; k < columns; k++) {
            const wlab_strip_cell *c = &cell[k * o->lines + line];
            int64_t at = line * columns + k;
            enum kind kind = NONE;
            double shade = P > 2 ? kind_of(c, P) : shade_of(c, o->size[line], keys, &kind);
            *wlab_figure_at(f, b, at, STEP) = (double)(k * stride) + (double)(stride - 1) / 2;
            *wlab_figure_at(f, b, at, LINE) = (double)(o->lines - line) - 0.5;
            *wlab_figure_at(f, b, at, SHADE) = shade;
            *wlab_figure_at(f, b, at, KIND) = P > 2 ? shade : (double)kind;
            *wlab_figure_at(f, b, at, ROWS) = (double)o->size[line];
            *wlab_figure_at(f, b, at, CELL) = (double)c->positive;
            *wlab_figure_at(f, b, at, CELL + 1) = (double)c->negative;
            *wlab_figure_at(f, b, at, CELL + 2) = (double)c->to_positive;
            *wlab_figure_at(f, b, at, CELL + 3) = (double)c->to_negative;
        }
    if (f->failed)
        return;
    f->block[b].scan = columns;
    f->block[b].digits = 8;
}

/* Add an entry to the legend: a square outside the picture, the only point of block 2. */
static void put_entry(wlab_figure *f, int block, const char *title, const char *color)
{
    char style[80];
    snprintf(style, sizeof style, "with points pt 5 ps 2 lc rgb '%s'", color);
    wlab_figure_series(f, &(wlab_series){.block = block, .draw = WL_D_POINTS, .x = 1, .y = 2, .mark = ' '},
                       title, style);
}

static void put_text(wlab_figure *f, const char *title, char mark, int kind)
{
    wlab_series s = {.draw = WL_D_POINTS, .x = STEP + 1, .y = LINE + 1, .mark = mark, .ink = 1, .wheres = 1};
    char style[32];
    s.where[0].column = KIND + 1;
    s.where[0].value = kind;
    snprintf(style, sizeof style, "with points pt '%c'", mark);
    wlab_figure_series(f, &s, title, style);
}

/* More than two classes: light colours, dark if rows flip; as text one letter per class, a capital if rows flip. */
static void put_classes(wlab_figure *f, const wlab_problem *p, int block)
{
    const int P = p->classes;
    char title[80], color[16];

    if (P > LEGEND)
        wlab_figure_title(f, "%d %s; the legend names the first %d", P,
                          p->task->clusters ? "clusters" : "classes", LEGEND);
    if (f->text) {
        for (int k = 0; k < P; k++) {
            snprintf(title, sizeof title, "%.40s", wlab_class_name(p, k + 1));
            put_text(f, k < LEGEND ? title : NULL, wlab_class_letter(k, false), k + 1);
            put_text(f, NULL, k < 26 ? wlab_class_letter(k, true) : '#', P + k + 1);
        }
        wlab_figure_title(f, P > 26 ? "capitals, #: labels that flip" : "capitals: labels that flip");
        return;
    }
    wlab_figure_before(f, "set palette defined (-0.5 '#ffffff', 0.5 '#ffffff'");
    for (int k = 1; k <= 2 * P; k++)
        wlab_figure_before(f, ", %d.5 '#%06x', %d.5 '#%06x'", k - 1,
                           wlab_class_color((k - 1) % P, k <= P ? 0.55 : -0.3), k,
                           wlab_class_color((k - 1) % P, k <= P ? 0.55 : -0.3));
    wlab_figure_before(f, ")\nset palette maxcolors 0\nset cbrange [-0.5:%d.5]\nunset colorbox\nunset grid\n",
                       2 * P);
    wlab_figure_series(f, &(wlab_series){.draw = WL_D_IMAGE, .mark = ' '}, NULL, "with image");
    for (int k = 0; k < P && k < LEGEND; k++) {
        snprintf(title, sizeof title, "%.40s", wlab_class_name(p, k + 1));
        snprintf(color, sizeof color, "#%06x", wlab_class_color(k, 0.55));
        put_entry(f, block, title, color);
    }
    snprintf(color, sizeof color, "#%06x", wlab_class_color(0, -0.3));
    put_entry(f, block, "dark: a row flips to that class", color);
}

static void put_strip(wlab_figure *f, const wlab_problem *p, bool single)
{
    const char *up = wlab_class_name(p, 1), *down = wlab_class_name(p, -1);
    bool keys = p->keys;
    const char *label = p->task->clusters ? "" : "label ";
    char title[2][80], flip[2][80];
    snprintf(title[0], sizeof title[0], keys ? "key" : "%s%.40s", label, up);
    snprintf(title[1], sizeof title[1], keys ? "in a negative bag" : "%s%.40s", label, down);
    snprintf(flip[0], sizeof flip[0],
             keys     ? "new key"
             : single ? "flips to %.40s"
                      : "any row flips, most to %.40s",
             up);
    snprintf(flip[1], sizeof flip[1], keys ? "was key" : single ? "to %.40s" : "most to %.40s", down);
    int b = wlab_figure_block(f, 1, 2);
    wlab_figure_about(f, b, "the legend's squares, outside the picture");
    wlab_figure_column(f, b, 0, "x");
    wlab_figure_column(f, b, 1, "y");
    *wlab_figure_at(f, b, 0, 0) = *wlab_figure_at(f, b, 0, 1) = -1e6;
    if (p->classes > 2) {
        put_classes(f, p, b);
        return;
    }
    if (f->text && keys) { /* a later series covers earlier ones in the same cell */
        put_text(f, title[1], '.', NEGATIVE);
        put_text(f, flip[1], 'o', TO_NEGATIVE);
        put_text(f, title[0], '#', POSITIVE);
        put_text(f, flip[0], '+', TO_POSITIVE);
        return;
    }
    if (f->text) {
        put_text(f, title[0], '#', POSITIVE);
        put_text(f, title[1], '.', NEGATIVE);
        if (!single)
            put_text(f, "both", '=', MIXED);
        put_text(f, flip[0], '+', TO_POSITIVE);
        put_text(f, flip[1], 'o', TO_NEGATIVE);
        return;
    }
    wlab_figure_before(
        f, "set palette defined (-1 '#f4b183', 0 '#ffffff', 1 '#9dc9e6', 1.99 '#9dc9e6', 2 '#e06c1f', "
           "3 '#7a2c00', 3.99 '#7a2c00', 4 '#2f86bd', 5 '#00304f')\n"
           "set palette maxcolors 0\nset cbrange [-1:5]\nunset colorbox\nunset grid\n");
    wlab_figure_series(f, &(wlab_series){.draw = WL_D_IMAGE, .mark = ' '}, NULL, "with image");
    put_entry(f, b, title[0], "#9dc9e6");
    put_entry(f, b, title[1], "#f4b183");
    put_entry(f, b, flip[0], keys ? "#18588a" : "#00304f");
    put_entry(f, b, flip[1], keys ? "#ad4d10" : "#7a2c00");
}

/* Block 1: flips per step. */
static void put_barcode(wlab_figure *f, const int64_t *flips, int64_t columns, int64_t stride, int64_t most,
                        double base, double top)
{
    int b = wlab_figure_block(f, columns, 3);

    wlab_figure_about(f, b,
                      stride > 1 ? "labels that changed: the most in one step of each column"
                                 : "labels that changed in each step");
    wlab_figure_column(f, b, 0, "step");
    wlab_figure_column(f, b, 1, "changed");
    wlab_figure_column(f, b, 2, "bar");
    for (int64_t k = 0; k < columns; k++) {
        double part = most ? (double)flips[k] / (double)most : 0;
        *wlab_figure_at(f, b, k, 0) = (double)(k * stride) + (double)(stride - 1) / 2;
        *wlab_figure_at(f, b, k, 1) = (double)flips[k];
        *wlab_figure_at(f, b, k, 2) = base + part * (top - base);
    }
    wlab_series bars = {.block = b,
                        .draw = WL_D_BARS,
                        .x = 1,
                        .y = 3,
                        .base = base,
                        .width = f->text ? 0 : 0.9 * (double)stride,
                        .ink = 7,
                        .mark = '|'};
    wlab_figure_series(f, &bars,
                       f->text      ? NULL
                       : stride > 1 ? "labels changed, most in one step"
                                    : "labels changed per step",
                       f->text ? "with vectors nohead lt -1"
                               : "with boxxyerror fs solid 1 noborder lc rgb '#000000'");
    wlab_figure_before(
        f,
        "set arrow from graph 0, first %.6g to graph 1, first %.6g nohead back lw 1 dt 1 lc rgb "
        "'#888888'\n",
        base, base);
}

/* The title line: how many rows and steps share a cell, and the order of the rows. */
static void put_scale(wlab_figure *f, const wlab_view_run *v, const wlab_strip_order *o, int64_t stride)
{
    const wlab_problem *p = v->problem;
    char rows[80], steps[64] = "one step per column";
    if (o->most <= 1)
        snprintf(rows, sizeof rows, "one row per line");
    else if (o->least == o->most)
        snprintf(rows, sizeof rows, "%lld rows per line", (long long)o->least);
    else
        snprintf(rows, sizeof rows, "%lld to %lld rows per line", (long long)o->least, (long long)o->most);
    if (stride > 1)
        snprintf(steps, sizeof steps, "%lld steps per column", (long long)stride);
    wlab_figure_title(f, "%s, %s; sorted by %s", rows, steps,
                      p->classes > 2           ? "class, then label; white: none"
                      : p->keys                ? "bag, then how often key; white: no key"
                      : p->bag && p->bag_given ? "bag, then how often +1"
                                               : "class, then how often +1");
}

static wlab_code draw_view(wlab_figure *f, const wlab_view_request *q, wlab_err *err)
{
    const wlab_view_run *v = &q->run[0];
    int64_t stride = (v->rows + COLUMNS - 1) / COLUMNS, columns = 0, most = 0, *flips = NULL;
    wlab_strip_order o = {0};
    wlab_strip_cell *cell = NULL;
    wlab_code code = wlab_view_alone(q, "labels", "its axis is steps", err);

    code = code ? code : wlab_view_stepped(q, err);
    code = code ? code : wlab_view_titles(f, q, "labels", err);
    code = code ? code : wlab_strip_sort(&o, v, LINES, err);
    if (code)
        return code;
    columns = (v->rows + stride - 1) / stride;
    cell = wlab_calloc((size_t)(columns * o.lines), sizeof *cell);
    flips = wlab_calloc((size_t)columns, sizeof *flips);
    if (!cell || !flips ||
        wlab_strip_count(v->problem, v->labels_first, v->row, v->rows, 0, stride, o.line, o.lines, cell,
                         flips)) {
        code = wlab_nomem(err);
        goto out;
    }
    for (int64_t k = 0; k < columns; k++)
        most = flips[k] > most ? flips[k] : most;
    double lines = (double)o.lines, base = -(DEPTH + SPACE) * lines;
    put_scale(f, v, &o, stride);
    wlab_figure_axes(f, "step (0: the start)", "rows, and flips beneath");
    f->fixed = f->whole_x = true;
    wlab_figure_cover(f, -0.5, base - 0.01 * lines);
    wlab_figure_cover(f, (double)(columns * stride) - 0.5, lines);
    put_groups(f, v->problem, &o, most, base);
    put_cells(f, v, &o, cell, columns, stride);
    put_barcode(f, flips, columns, stride, most, base, -SPACE * lines);
    put_strip(f, v->problem, o.most <= 1);
out:
    wlab_strip_order_clear(&o);
    wlab_free(cell);
    wlab_free(flips);
    return code ? code : f->failed ? wlab_nomem(err) : WL_OK;
}

const wlab_view wlab_view_labels = {
    .name = "labels",
    .summary = "the labels of all rows over the steps, rows sorted, and which of them flipped in each step",
    .of = WL_VIEW_ONE | WL_VIEW_FIXED,
    .draw = draw_view,
};

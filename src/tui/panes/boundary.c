/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Panes `boundary`, for data with two columns, and `projection`, for data with any other number.  Marks show the labels
 * (predicted, newest, or true: plot/views/marks.h), with labelled and just flipped rows on top, then the decision line;
 * the background shows the predicted class.  `boundary` takes its points from the data, so it also draws data without a
 * run; `projection` takes them from block 0 of the figure.
 */
#include "plot/views/classes.h"
#include "plot/views/marks.h"
#include "tui/panes/draw.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The decision line stands out, its margins less; the marks have the colours of the classes. */
static const wlab_style inks[WL_INKS] = {WL_S_STRONG, WL_S_INK2, WL_S_INK3, WL_S_INK4,
                                         WL_S_INK5,   WL_S_INK6, WL_S_INK7};

enum {
    BADGES = 16 /* up to so many labelled rows are drawn as " A ", legible from a distance; more as "A" */
};

typedef struct view_data {
    const wlab_matrix *X;
    const wlab_problem *p; /* NULL: data without a task */
    const int8_t *labels, *before;
    wlab_marks marks; /* what `labels` are */
    /* of `projection`: block 0 of the figure (x, y, label, observed, flipped, otherwise[, letter, wrong]); NULL: points are
     * rows of X */
    const wlab_block *points;
} view_data;

/* The run with the labels that its marks show. */
static wlab_view_run run_with_marks(const wlab_scene *s, const wlab_mirror *m)
{
    wlab_view_run v = wlab_view_run_of_mirror(m);
    int8_t *unused; /* a mirror needs no buffer */
    wlab_view_request q = {
        .run = &v, .runs = 1, .live = true, .marks = (wlab_marks)wlab_params_choice(s->settings, "marks")};

    (void)wlab_marks_select(&v, &q, &unused, NULL);
    return v;
}

static bool find_data(const wlab_scene *s, view_data *w)
{
    const wlab_mirror *m = s->mirrors ? s->mirror[0] : NULL;
    memset(w, 0, sizeof *w);
    if (m) {
        wlab_view_run v = run_with_marks(s, m);
        *w = (view_data){m->problem->X, m->problem, v.labels, v.labels_before, v.marks, NULL};
    } else if (s->session) {
        const wlab_dataset *d = wlab_session_data(s->session);
        w->p = wlab_session_problem(s->session);
        w->X = w->p ? w->p->X : d ? d->X : NULL;
        w->labels = w->p ? w->p->visible : NULL;
        w->marks = WL_MARKS_LABELING;
    }
    return w->X && w->X->rows > 0;
}

static bool fits(const wlab_scene *s)
{
    view_data w;
    return find_data(s, &w) && w.X->cols == 2;
}

static bool projection_fits(const wlab_scene *s)
{
    view_data w;
    return s->mirrors && find_data(s, &w) && w.X->cols != 2;
}

/* ---- where a point is ---- */

typedef struct axis {
    double lo, hi;
} axis;

/* The ranges of the figure, which are also those of the raster; without a figure, those of the data with a margin. */
static void ranges(const wlab_picture *p, const view_data *w, axis a[2])
{
    if (p->has_figure && p->figure.xhi > p->figure.xlo && p->figure.yhi > p->figure.ylo) {
        a[0] = (axis){p->figure.xlo, p->figure.xhi};
        a[1] = (axis){p->figure.ylo, p->figure.yhi};
        return;
    }
    for (int32_t k = 0; k < 2; k++) {
        double lo = INFINITY, hi = -INFINITY;
        for (int64_t i = 0; i < w->X->rows; i++) {
            double v = wlab_matrix_at(w->X, i, k);
            lo = fmin(lo, v);
            hi = fmax(hi, v);
        }
        double pad = hi > lo ? 0.08 * (hi - lo) : fmax(0.5, 0.1 * fabs(lo));
        a[k] = (axis){lo - pad, hi + pad};
    }
}

/* The cell of a value, from 0 to n - 1. */
static int cell_of(axis a, double v, int n)
{
    double at = floor((v - a.lo) / (a.hi - a.lo) * n);
    return at < 0 ? 0 : at >= n ? n - 1 : (int)at;
}

/* ---- marks ---- */

/* The name of a label; word: with the word "cluster" before the number of one. */
static const char *name_of(const view_data *w, int label, bool word)
{
    const char *truth = w->marks == WL_MARKS_TRUTH ? wlab_problem_truth_class(w->p, label) : NULL;

    if (w->p->keys && w->marks != WL_MARKS_TRUTH)
        return label > 0 ? "key" : "negative bags";
    return truth ? truth : word ? wlab_class_name(w->p, label) : wlab_problem_class(w->p, label);
}

typedef enum kind {
    ROW,
    GIVEN,
    FLIPPED
} kind;

static wlab_style style_of(kind k, int sign)
{
    static const wlab_style style[3][2] = {{WL_S_POSITIVE, WL_S_NEGATIVE},
                                           {WL_S_GIVEN_POSITIVE, WL_S_GIVEN_NEGATIVE},
                                           {WL_S_FLIP_POSITIVE, WL_S_FLIP_NEGATIVE}};
    return sign ? style[k][sign < 0] : WL_S_UNKNOWN;
}

static bool flipped(const view_data *w, int64_t i)
{
    return w->before && w->before[i] && w->before[i] != w->labels[i];
}

/* More than two classes: one letter each; a given label is a capital, in brackets if few are given.  An exclamation mark
 * follows it if the other rows show another label for it. */
static void put_class(const view_data *w, wlab_canvas *c, const wlab_rect *r, kind k, int row, int col,
                      int8_t label, bool otherwise, bool badge)
{
    const int index = wlab_label_index(w->p, label);
    const wlab_style style = index < 0      ? WL_S_UNKNOWN
                             : k == FLIPPED ? WL_S_FLIP_POSITIVE
                                            : wlab_class_style(index);

    wlab_canvas_put(c, r, row, col, index < 0 ? L'.' : (wchar_t)wlab_class_letter(index, k == GIVEN), style);
    if (k == GIVEN && badge) {
        wlab_canvas_put(c, r, row, col - 1, L'[', style);
        wlab_canvas_put(c, r, row, col + 1, L']', style);
    }
    if (otherwise)
        wlab_canvas_put(c, r, row, col + 1, L'!', style);
}

/* One row as a point of the picture. */
typedef struct point {
    double x, y;
    int8_t label, given;            /* given: 0: the label is not observed */
    bool flipped, wrong, otherwise; /* otherwise: given != label */
    char letter;                    /* 0: none */
} point;

static int64_t point_count(const view_data *w)
{
    return w->points ? w->points->rows : w->X->rows;
}

static point point_at(const view_data *w, int64_t i)
{
    if (w->points) {
        const double *v = w->points->value + i * w->points->columns;
        const bool proportions = w->points->columns > 7;
        return (point){.x = v[0],
                       .y = v[1],
                       .label = (int8_t)v[2],
                       .given = (int8_t)v[3],
                       .flipped = v[4] != 0,
                       .otherwise = v[5] != 0,
                       .letter = (char)(proportions ? v[6] : 0),
                       .wrong = proportions && v[7] != 0};
    }
    const int8_t label = (int8_t)(w->labels ? w->labels[i] : 0);
    return (point){.x = wlab_matrix_at(w->X, i, 0),
                   .y = wlab_matrix_at(w->X, i, 1),
                   .label = label,
                   .given = (int8_t)(w->p ? w->p->visible[i] : 0),
                   .flipped = flipped(w, i),
                   .otherwise = w->p && wlab_boundary_otherwise(w->p, label, i),
                   .letter = (char)(w->p ? wlab_boundary_letter(w->p, label, i) : 0),
                   .wrong = w->p && wlab_boundary_wrong(w->p, label, i)};
}

static void draw_rows(const view_data *w, const axis a[2], wlab_canvas *c, const wlab_rect *r, kind k,
                      bool otherwise)
{
    bool badge = w->p && w->p->labelled <= BADGES && r->cols >= 30 && r->rows >= 7;
    for (int64_t i = 0; i < point_count(w); i++) {
        const point it = point_at(w, i);
        kind is = it.given ? GIVEN : it.flipped ? FLIPPED : ROW;
        if (is != k || it.otherwise != otherwise)
            continue;
        int col = cell_of(a[0], it.x, r->cols);
        int row = r->rows - 1 - cell_of(a[1], it.y, r->rows);
        if (w->p && w->p->classes > 2) {
            put_class(w, c, r, k, row, col, it.given ? it.given : it.label, it.otherwise, badge);
            continue;
        }
        if (k != GIVEN) {
            const wchar_t mark = it.letter ? (wchar_t)it.letter : it.wrong ? L'x' : wlab_class_mark(it.label);
            wlab_canvas_put(c, r, row, col, mark, style_of(k, it.label));
            continue;
        }
        const wchar_t letter = it.given > 0 ? L'A' : L'B';
        wlab_canvas_put(c, r, row, col, it.otherwise ? letter + (L'a' - L'A') : letter,
                        style_of(k, it.given));
        if (badge) {
            wlab_canvas_put(c, r, row, col - 1, L' ', style_of(k, it.given));
            wlab_canvas_put(c, r, row, col + 1, L' ', style_of(k, it.given));
        }
    }
}

/* A series of points besides the rows (block 0), which have other marks in the pane than in the figure: centres. */
static bool is_extra(const wlab_series *s)
{
    return s->draw == WL_D_POINTS && s->block > 0 && s->title;
}

static void draw_extras(const wlab_picture *p, const axis a[2], wlab_canvas *c, const wlab_rect *r)
{
    for (int i = 0; p->has_figure && i < p->figure.nseries; i++) {
        const wlab_series *s = &p->figure.series[i];
        const wlab_block *b = &p->figure.block[s->block];
        for (int64_t k = 0; is_extra(s) && k < b->rows; k++) {
            const double *v = b->value + k * b->columns;
            wlab_canvas_put(c, r, r->rows - 1 - cell_of(a[1], v[1], r->rows), cell_of(a[0], v[0], r->cols),
                            (wchar_t)s->mark, WL_S_STRONG);
        }
    }
}

/* ---- the legend: one or two lines at the bottom ---- */

static int put_entry(wlab_canvas *c, const wlab_rect *in, int *row, int col, int last, const char *marks,
                     wlab_style style, wlab_style words, const char *text)
{
    int need = (int)strlen(marks) + 1 + wlab_text_columns(text);
    if (col > 1 && col + need > in->cols) {
        if (*row == last)
            return in->cols;
        ++*row;
        col = 1;
    }
    wlab_canvas_text(c, in, *row, col, style, "%s", marks);
    wlab_canvas_text(c, in, *row, col + (int)strlen(marks) + 1, words, "%s", text);
    return col + need + 2;
}

/* The labelled rows whose observed label is not that of the marks. */
static int legend_otherwise(const view_data *w, wlab_canvas *c, const wlab_rect *in, int *row, int col,
                            int last)
{
    const bool many = w->p && w->p->classes > 2;
    int64_t count[3] = {0};
    char text[80];
    for (int64_t i = 0; w->p && i < w->p->n; i++)
        if (w->labels && wlab_boundary_otherwise(w->p, w->labels[i], i))
            count[many ? 2 : w->p->visible[i] + 1]++;
    if (!count[0] && !count[2])
        return col;
    snprintf(text, sizeof text, "%lld %s", (long long)(count[0] + count[2]),
             w->marks == WL_MARKS_PREDICTION ? "labelled, predicted otherwise"
                                             : "labelled, marked otherwise");
    if (in->cols < 36 || *row == last) /* the legend has one line */
        snprintf(text, sizeof text, "%lld %s", (long long)(count[0] + count[2]),
                 w->marks == WL_MARKS_PREDICTION ? "predicted otherwise" : "marked otherwise");
    return put_entry(c, in, row, col, last,
                     many        ? "A!"
                     : !count[0] ? "a"
                     : !count[2] ? "b"
                                 : "ab",
                     WL_S_STRONG, WL_S_STRONG, text);
}

/* Bags with proportions: the wrong labels, and the letters of the bags if there are few. */
static int legend_bags(const view_data *w, wlab_canvas *c, const wlab_rect *in, int *row, int col, int last)
{
    const wlab_problem *p = w->p;
    int64_t wrong = 0, known = 0;
    bool letters = false;
    char text[80], marks[4], name[24];

    for (int64_t i = 0; i < p->n; i++) {
        known += p->truth && p->truth[i] && w->labels[i] && !p->visible[i];
        wrong += wlab_boundary_wrong(p, w->labels[i], i);
        letters = letters || wlab_boundary_letter(p, w->labels[i], i);
    }
    if (known) {
        snprintf(text, sizeof text, "%lld wrong", (long long)wrong);
        col = put_entry(c, in, row, col, last, letters ? "w-z" : "x", WL_S_STRONG, WL_S_STRONG, text);
    }
    for (int bag = 0; letters && bag < (int)p->bags; bag++) {
        snprintf(text, sizeof text, "bag %s",
                 wlab_view_bag(p, wlab_problem_bag_number(p, bag), sizeof name - 1, name));
        snprintf(marks, sizeof marks, "%c%c", 'p' + bag, 'w' + bag);
        col = put_entry(c, in, row, col, last, marks, WL_S_TEXT, WL_S_TEXT, text);
    }
    return col;
}

static int legend_extras(const wlab_picture *p, wlab_canvas *c, const wlab_rect *in, int *row, int col,
                         int last)
{
    for (int i = 0; p->has_figure && i < p->figure.nseries; i++) {
        const wlab_series *s = &p->figure.series[i];
        const char mark[2] = {s->mark, '\0'};
        if (is_extra(s))
            col = put_entry(c, in, row, col, last, mark, WL_S_STRONG, WL_S_TEXT, s->title);
    }
    return col;
}

/* More than two classes: as many as fit. */
static void legend_classes(const wlab_picture *p, const view_data *w, wlab_canvas *c, const wlab_rect *in,
                           int row, int last)
{
    int64_t count[WL_CLASSES_MOST + 1] = {0}, flips = 0;
    char text[80], marks[2] = {0};
    int col = 1;

    for (int64_t i = 0; i < w->X->rows; i++) {
        const int k = wlab_label_index(w->p, w->labels[i]);
        count[k < 0 ? w->p->classes : k]++;
        flips += flipped(w, i) && !w->p->visible[i];
    }
    if (flips) {
        snprintf(text, sizeof text, "%lld changed", (long long)flips);
        col = put_entry(c, in, &row, col, last, "a", WL_S_FLIP_POSITIVE, WL_S_STRONG, text);
    }
    col = legend_otherwise(w, c, in, &row, col, last);
    if (w->p->labelled) {
        snprintf(text, sizeof text, "%lld labelled", (long long)w->p->labelled);
        col = put_entry(c, in, &row, col, last, "A", WL_S_STRONG, WL_S_TEXT, text);
    }
    col = legend_extras(p, c, in, &row, col, last);
    const bool clusters = w->p->task->clusters;
    int left = 0, said = 0;
    for (int k = 0; k < w->p->classes; k++)
        left += count[k] > 0;
    for (int k = 0; k < w->p->classes; k++) {
        if (!count[k])
            continue;
        marks[0] = wlab_class_letter(k, false);
        snprintf(text, sizeof text, "%.12s: %lld", name_of(w, k + 1, clusters && !said), (long long)count[k]);
        char more[24];
        snprintf(more, sizeof more, "%d more", left);
        const int need = 2 + wlab_text_columns(text), rest = left > 1 ? 2 + (int)strlen(more) : 0;
        const bool next = col > 1 && col + need > in->cols && row < last; /* it goes to the next line */
        if ((next ? 1 : col) + need + (next ? row + 1 == last : row == last) * rest > in->cols) {
            wlab_canvas_text(c, in, row, col, WL_S_DIM, "%s", more);
            return;
        }
        col = put_entry(c, in, &row, col, last, marks, wlab_class_style(k), wlab_class_style(k), text);
        left--;
        said++;
    }
    if (count[w->p->classes]) {
        snprintf(text, sizeof text, "no label: %lld", (long long)count[w->p->classes]);
        (void)put_entry(c, in, &row, col, last, ".", WL_S_UNKNOWN, WL_S_DIM, text);
    }
}

static void legend(const wlab_scene *s, const wlab_picture *p, const view_data *w, wlab_canvas *c,
                   const wlab_rect *in, int row, int last)
{
    int64_t count[3] = {0}, flips = 0;
    char text[80], marks[2] = {0};
    int col = 1;

    for (int64_t i = 0; i < w->X->rows; i++) {
        /* instances of negative bags, which are no keys, are counted as labelled */
        if (!w->labels || !w->p->keys || w->marks == WL_MARKS_TRUTH || !w->p->visible[i])
            count[w->labels ? w->labels[i] + 1 : 1]++;
        flips += w->labels && flipped(w, i) && !w->p->visible[i];
    }
    if (flips) {
        snprintf(text, sizeof text, "%lld changed", (long long)flips);
        wlab_canvas_put(c, in, row, col++, wlab_class_mark(1), WL_S_FLIP_POSITIVE);
        col = put_entry(c, in, &row, col, last, "o", WL_S_FLIP_NEGATIVE, WL_S_STRONG, text);
    }
    col = legend_otherwise(w, c, in, &row, col, last);
    if (w->p && w->p->task->sees == WL_SEES_PROPORTIONS && w->labels)
        col = legend_bags(w, c, in, &row, col, last);
    for (int sign = 1; w->p && sign >= -1; sign -= 2) {
        if (!count[sign + 1])
            continue;
        marks[0] = wlab_boundary_lettered(w->p) ? (sign > 0 ? 'P' : 'p') : (char)wlab_class_mark(sign);
        snprintf(text, sizeof text, "%.16s: %lld", name_of(w, sign, true), (long long)count[sign + 1]);
        col = put_entry(c, in, &row, col, last, marks, style_of(ROW, sign), style_of(ROW, sign), text);
    }
    if (w->p && w->p->labelled) {
        snprintf(text, sizeof text, "%lld labelled", (long long)w->p->labelled);
        if (col > 1 && col + 3 + wlab_text_columns(text) > in->cols && row < last) {
            row++;
            col = 1;
        }
        if (col + 3 + wlab_text_columns(text) <= in->cols) {
            wlab_canvas_put(c, in, row, col++, L'A', WL_S_GIVEN_POSITIVE);
            col = put_entry(c, in, &row, col, last, "B", WL_S_GIVEN_NEGATIVE, WL_S_TEXT, text);
        }
    }
    if (count[1]) {
        snprintf(text, sizeof text,
                 w->p && w->p->keys && w->marks != WL_MARKS_TRUTH ? "no key: %lld" : "no label: %lld",
                 (long long)count[1]);
        col = put_entry(c, in, &row, col, last, ".", WL_S_UNKNOWN, WL_S_DIM, text);
    }
    col = legend_extras(p, c, in, &row, col, last);
    for (int i = 0; p->has_figure && i < p->figure.nseries; i++) {
        const wlab_series *line = &p->figure.series[i];
        if (line->draw != WL_D_CONTOUR || !line->title)
            continue;
        /* braille characters: a piece of the line, as the raster draws it */
        static const wchar_t solid = 0x2836, dashed = 0x2810;
        const char *words = line->levels < 2 ? line->title
                            : s->ascii       ? "f = +-1"
                                             : "f = \xc2\xb1"
                                               "1";
        int need = 3 + wlab_text_columns(words);
        if (col + need > in->cols) {
            if (row == last)
                break;
            row++;
            col = 1;
        }
        wlab_style style = inks[line->ink >= 1 && line->ink <= WL_INKS ? line->ink - 1 : 0];
        for (int k = 0; k < 2; k++)
            wlab_canvas_put(c, in, row, col + k,
                            s->ascii     ? (wchar_t)line->mark
                            : line->dash ? dashed
                                         : solid,
                            style);
        wlab_canvas_text(c, in, row, col + 3, WL_S_TEXT, "%s", words);
        col += need + 2;
    }
}

/* ---- the pane ---- */

/* The lines of the legend that the height permits. */
static int legend_rows(const wlab_rect *in)
{
    return in->rows >= 12 ? 2 : in->rows >= 5 ? 1 : 0;
}

static void find_area(const wlab_scene *s, const wlab_picture *p, const wlab_rect *in, wlab_rect *area)
{
    (void)s;
    (void)p;
    *area = *in;
    area->rows -= legend_rows(in);
}

static void draw_background(const wlab_picture *p, const axis a[2], wlab_canvas *c, const wlab_rect *r)
{
    for (int row = 0; row < r->rows; row++)
        for (int col = 0; col < r->cols; col++) {
            double f = wlab_figure_value(&p->figure, a[0].lo + (a[0].hi - a[0].lo) * (col + 0.5) / r->cols,
                                         a[1].hi - (a[1].hi - a[1].lo) * (row + 0.5) / r->rows);
            if (!isnan(f))
                wlab_canvas_ground(c, r, row, col, f >= 0 ? WL_G_POSITIVE : WL_G_NEGATIVE);
        }
}

static void draw_points(const wlab_scene *s, const wlab_picture *p, const view_data *w, wlab_canvas *c,
                        const wlab_rect *in)
{
    wlab_rect r;
    axis a[2];

    find_area(s, p, in, &r);
    if (r.rows < 1 || r.cols < 1)
        return;
    ranges(p, w, a);
    const bool many = w->p && w->p->classes > 2;
    if (s->tints && p->has_figure && !many)
        draw_background(p, a, c, &r);
    wlab_plot_raster(p, c, &r, inks);
    draw_rows(w, a, c, &r, ROW, false);
    draw_rows(w, a, c, &r, FLIPPED, false);
    draw_rows(w, a, c, &r, GIVEN, false);
    draw_rows(w, a, c, &r, GIVEN, true); /* mistakes are on top */
    draw_extras(p, a, c, &r);
    if (in->rows > r.rows && many)
        legend_classes(p, w, c, in, r.rows, in->rows - 1);
    else if (in->rows > r.rows)
        legend(s, p, w, c, in, r.rows, in->rows - 1);
}

static void draw(const wlab_scene *s, const wlab_picture *p, wlab_canvas *c, const wlab_rect *in)
{
    view_data w;

    if (find_data(s, &w) && w.X->cols == 2)
        draw_points(s, p, &w, c, in);
    else
        wlab_draw_message(c, in, WL_S_DIM, "the boundary needs data with 2 columns: generate two-moons");
}

static void projection_draw(const wlab_scene *s, const wlab_picture *p, wlab_canvas *c, const wlab_rect *in)
{
    view_data w;

    if (!s->mirrors || !p->has_figure || p->figure.blocks < 1 || !find_data(s, &w)) {
        wlab_draw_no_figure(s, p, c, in);
        return;
    }
    w.points = &p->figure.block[0];
    draw_points(s, p, &w, c, in);
}

static void write_title(const wlab_scene *s, const char *name, char *buf, size_t size)
{
    const wlab_mirror *m = s->mirrors ? s->mirror[0] : NULL;
    char words[64];
    if (!m) {
        snprintf(buf, size, "data");
        return;
    }
    wlab_view_run v = run_with_marks(s, m);
    wlab_marks_words(&v, words, sizeof words);
    snprintf(buf, size, "%s%s", name, words);
}

static void title(const wlab_scene *s, const wlab_picture *p, char *buf, size_t size)
{
    (void)p;
    write_title(s, "boundary and ", buf, size);
}

static void projection_title(const wlab_scene *s, const wlab_picture *p, char *buf, size_t size)
{
    /* with the output as x the figure has a grid; without it the axes are principal components */
    write_title(s, p->has_figure && p->figure.blocks > 1 ? "projection and " : "2 principal components and ",
                buf, size);
}

const wlab_pane wlab_pane_boundary = {
    .name = "boundary",
    .summary = "data with two columns: labels (predicted, newest or true), flips, the decision line",
    .help =
        "For data with two columns. `+` and `o` are the two classes as the model predicts them; `A` and "
        "`B` are rows whose labels the learner observes; "
        "`a` and `b` are such rows for which the model predicts the other class. The legend counts these, if "
        "there are any; in figures they have a cross. In the pane a row whose class changed in the last "
        "step is in reverse video. The line is f = 0 of the model. In 256 colours the background shows the "
        "predicted class, "
        "and dotted lines are f = -1 and f = +1 if they are inside the picture: the margins of a model like "
        "that of "
        "svm (of wellsvm not with loss=sum-to-one, which scales f, or with a threshold, which shifts it); "
        "for data of "
        "`generate formula` another dotted line is the Bayes boundary. The legend "
        "counts the rows of each class, the labelled rows and those in reverse video. (The metric `flips` "
        "counts changes of the labeling that the step added, of wellsvm only at rows with alpha > 0.)\n\n"
        "C-x m, or `set marks=prediction|labeling|truth`, selects what `+` and `o` show: the model's "
        "predictions, the labeling that the last step added (the title names it, y5 for example), or the "
        "true labels, if the data have them. wellsvm adds the labeling that violates the model's "
        "solution most. So a `+` of that labeling on the background of `o` is no error in the picture: "
        "the labeling and the model disagree there.\n\n"
        "For task mil `+` is a key instance: of each positive bag the instance with the largest output, or "
        "after C-x m "
        "that of the newest labeling. The other instances of positive bags are dots, whatever is predicted "
        "for them: the "
        "background shows that. `o` are the instances of negative bags.\n\n"
        "With more than two classes a row is the letter of its class, in the legend's order: a capital "
        "if its label is observed, with a `!` if the model predicts another class, reversed if it flipped. "
        "There is one output per class, and the lines "
        "are where the two largest outputs are equal.",
    .view = &wlab_view_boundary,
    .fits = fits,
    .main = 1,
    .rank = 1,
    .weight = 20,
    .title = title,
    .plot_area = find_area,
    .draw = draw,
};

const wlab_pane wlab_pane_projection = {
    .name = "projection",
    .summary = "data that do not have two columns: the model's output (to the right) against the "
               "direction in which "
               "the rest varies most, with labels, flips and the decision line",
    .help =
        "The dashboard has this pane if the data do not have two columns; `plot projection` draws any data. "
        "To the right is the output f of the model, so the "
        "decision line is vertical, at f = 0, with lines at f = -1 and f = +1 (`help boundary`: when they "
        "are the margins). Upwards is the "
        "direction in which the rest of the data varies most: the pane subtracts from each column what a "
        "linear function of f explains, and takes the first principal component of what is left. Marks, "
        "flips and background are those of `boundary`, and C-x m selects the labels in the same way.\n\n"
        "Several classes have several outputs, and some algorithms have no model before the first step. Then "
        "the axes are the first two principal components of the data, and there is no decision line.\n\n"
        "What to watch: rows near the line flip first. An `a` or `b` is an error on a "
        "label that the learner observes. The axis labels of `plot projection to FILE.svg` say how much of "
        "the variance the picture shows. With hundreds of columns it is often a few percent; then two rows "
        "that are near each other in the picture may be far apart in the data.",
    .view = &wlab_view_projection,
    .fits = projection_fits,
    .main = 3,
    .rank = 2,
    .weight = 20,
    .title = projection_title,
    .plot_area = find_area,
    .draw = projection_draw,
};

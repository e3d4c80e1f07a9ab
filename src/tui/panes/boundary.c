/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pane `boundary`: data with two columns as marks of their labels (predicted, newest, or true: plot/views/marks.h), what is
 * labelled and what just flipped before all others, over the decision line; behind them which class the model predicts.
 */
#include "plot/views/classes.h"
#include "plot/views/marks.h"
#include "tui/panes/draw.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The decision line before all, its margins less; the marks have the classes' colours. */
static const wlab_style inks[WL_INKS] = {WL_S_STRONG, WL_S_INK2, WL_S_INK3, WL_S_INK4,
                                         WL_S_INK5,   WL_S_INK6, WL_S_INK7};

enum {
    BADGES = 16 /* as many labelled rows stand as " A ", to be seen from afar; more as "A" */
};

typedef struct what {
    const wlab_matrix *X;
    const wlab_problem *p; /* NULL: data without a task */
    const int8_t *labels, *before;
    bool truths; /* labels: the true ones */
} what;

/* The run as its figure sees it. */
static wlab_view_run marked(const wlab_scene *s, const wlab_mirror *m)
{
    wlab_view_run v = wlab_view_run_of_mirror(m);
    int8_t *room; /* none is taken of a mirror */
    wlab_view_request q = {
        .run = &v, .runs = 1, .live = true, .marks = (wlab_marks)wlab_params_choice(s->settings, "marks")};

    (void)wlab_marks_take(&v, &q, &room, NULL);
    return v;
}

static bool find(const wlab_scene *s, what *w)
{
    const wlab_mirror *m = s->mirrors ? s->mirror[0] : NULL;
    memset(w, 0, sizeof *w);
    if (m) {
        wlab_view_run v = marked(s, m);
        *w = (what){m->problem->X, m->problem, v.labels, v.labels_before, v.marks == WL_MARKS_TRUTH};
    } else if (s->session) {
        const wlab_dataset *d = wlab_session_data(s->session);
        w->p = wlab_session_problem(s->session);
        w->X = w->p ? w->p->X : d ? d->X : NULL;
        w->labels = w->p ? w->p->visible : NULL;
    }
    return w->X && w->X->cols == 2 && w->X->rows > 0;
}

static bool fits(const wlab_scene *s)
{
    what w;
    return find(s, &w);
}

/* ---- where a point is ---- */

typedef struct axis {
    double lo, hi;
} axis;

/* The figure's ranges, which the raster has; without it those of the data with some room. */
static void ranges(const wlab_picture *p, const what *w, axis a[2])
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

/* The cell among n of a value. */
static int cell_of(axis a, double v, int n)
{
    double at = floor((v - a.lo) / (a.hi - a.lo) * n);
    return at < 0 ? 0 : at >= n ? n - 1 : (int)at;
}

/* ---- marks ---- */

/* What a label is called; word: a cluster's number with its word. */
static const char *name_of(const what *w, int label, bool word)
{
    const char *truth = w->truths ? wlab_problem_truth_class(w->p, label) : NULL;

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

static bool flipped(const what *w, int64_t i)
{
    return w->before && w->before[i] && w->before[i] != w->labels[i];
}

/* More than two classes: a letter each; what is given is a capital, in brackets where there are few. */
static void put_class(const what *w, wlab_canvas *c, const wlab_rect *r, kind k, int row, int col,
                      int8_t label, bool badge)
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
}

static void rows(const what *w, const axis a[2], wlab_canvas *c, const wlab_rect *r, kind k)
{
    bool badge = w->p && w->p->labelled <= BADGES && r->cols >= 30 && r->rows >= 7;
    for (int64_t i = 0; i < w->X->rows; i++) {
        int given = w->p ? w->p->visible[i] : 0, sign = w->labels ? w->labels[i] : 0;
        kind is = given ? GIVEN : flipped(w, i) ? FLIPPED : ROW;
        if (is != k)
            continue;
        int col = cell_of(a[0], wlab_matrix_at(w->X, i, 0), r->cols);
        int row = r->rows - 1 - cell_of(a[1], wlab_matrix_at(w->X, i, 1), r->rows);
        if (w->p && w->p->classes > 2) {
            put_class(w, c, r, k, row, col, (int8_t)(given ? given : sign), badge);
            continue;
        }
        if (k != GIVEN) {
            const int8_t label = (int8_t)sign;
            const char letter = w->p ? wlab_boundary_letter(w->p, label, i) : 0;
            const wchar_t mark = letter                                        ? (wchar_t)letter
                                 : w->p && wlab_boundary_wrong(w->p, label, i) ? L'x'
                                                                               : wlab_class_mark(sign);
            wlab_canvas_put(c, r, row, col, mark, style_of(k, sign));
            continue;
        }
        wlab_canvas_put(c, r, row, col, given > 0 ? L'A' : L'B', style_of(k, given));
        if (badge) {
            wlab_canvas_put(c, r, row, col - 1, L' ', style_of(k, given));
            wlab_canvas_put(c, r, row, col + 1, L' ', style_of(k, given));
        }
    }
}

/* ---- the legend, one or two lines at the bottom ---- */

static int entry(wlab_canvas *c, const wlab_rect *in, int *row, int col, int last, const char *marks,
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

/* Bags with proportions: what is wrong, and the letters of few bags. */
static int legend_bags(const what *w, wlab_canvas *c, const wlab_rect *in, int *row, int col, int last)
{
    const wlab_problem *p = w->p;
    int64_t wrong = 0, known = 0;
    bool letters = false;
    char text[80], marks[4];

    for (int64_t i = 0; i < p->n; i++) {
        known += p->truth && p->truth[i] && w->labels[i] && !p->visible[i];
        wrong += wlab_boundary_wrong(p, w->labels[i], i);
        letters = letters || wlab_boundary_letter(p, w->labels[i], i);
    }
    if (known) {
        snprintf(text, sizeof text, "%lld wrong", (long long)wrong);
        col = entry(c, in, row, col, last, letters ? "w-z" : "x", WL_S_STRONG, WL_S_STRONG, text);
    }
    for (int bag = 0; letters && bag < (int)p->bags; bag++) {
        snprintf(text, sizeof text, "bag %d", bag + 1);
        snprintf(marks, sizeof marks, "%c%c", 'p' + bag, 'w' + bag);
        col = entry(c, in, row, col, last, marks, WL_S_TEXT, WL_S_TEXT, text);
    }
    return col;
}

/* More than two classes, as many as have room. */
static void legend_classes(const what *w, wlab_canvas *c, const wlab_rect *in, int row, int last)
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
        snprintf(text, sizeof text, "%lld flipped", (long long)flips);
        col = entry(c, in, &row, col, last, "a", WL_S_FLIP_POSITIVE, WL_S_STRONG, text);
    }
    if (w->p->labelled) {
        snprintf(text, sizeof text, "%lld labelled", (long long)w->p->labelled);
        col = entry(c, in, &row, col, last, "A", WL_S_STRONG, WL_S_TEXT, text);
    }
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
        const bool next = col > 1 && col + need > in->cols && row < last; /* on the next line */
        if ((next ? 1 : col) + need + (next ? row + 1 == last : row == last) * rest > in->cols) {
            wlab_canvas_text(c, in, row, col, WL_S_DIM, "%s", more);
            return;
        }
        col = entry(c, in, &row, col, last, marks, wlab_class_style(k), wlab_class_style(k), text);
        left--;
        said++;
    }
    if (count[w->p->classes]) {
        snprintf(text, sizeof text, "no label: %lld", (long long)count[w->p->classes]);
        (void)entry(c, in, &row, col, last, ".", WL_S_UNKNOWN, WL_S_DIM, text);
    }
}

static void legend(const wlab_scene *s, const wlab_picture *p, const what *w, wlab_canvas *c,
                   const wlab_rect *in, int row, int last)
{
    int64_t count[3] = {0}, flips = 0;
    char text[80], marks[2] = {0};
    int col = 1;

    for (int64_t i = 0; i < w->X->rows; i++) {
        count[w->labels ? w->labels[i] + 1 : 1]++;
        flips += w->labels && flipped(w, i) && !w->p->visible[i];
    }
    if (flips) {
        snprintf(text, sizeof text, "%lld flipped", (long long)flips);
        wlab_canvas_put(c, in, row, col++, wlab_class_mark(1), WL_S_FLIP_POSITIVE);
        col = entry(c, in, &row, col, last, "o", WL_S_FLIP_NEGATIVE, WL_S_STRONG, text);
    }
    if (w->p && w->p->task->sees == WL_SEES_PROPORTIONS && w->labels)
        col = legend_bags(w, c, in, &row, col, last);
    for (int sign = 1; w->p && sign >= -1; sign -= 2) {
        if (!count[sign + 1])
            continue;
        marks[0] = wlab_boundary_lettered(w->p) ? (sign > 0 ? 'P' : 'p') : (char)wlab_class_mark(sign);
        snprintf(text, sizeof text, "%.16s: %lld", name_of(w, sign, true), (long long)count[sign + 1]);
        col = entry(c, in, &row, col, last, marks, style_of(ROW, sign), style_of(ROW, sign), text);
    }
    if (w->p && w->p->labelled) {
        snprintf(text, sizeof text, "%lld labelled", (long long)w->p->labelled);
        if (col > 1 && col + 3 + wlab_text_columns(text) > in->cols && row < last) {
            row++;
            col = 1;
        }
        if (col + 3 + wlab_text_columns(text) <= in->cols) {
            wlab_canvas_put(c, in, row, col++, L'A', WL_S_GIVEN_POSITIVE);
            col = entry(c, in, &row, col, last, "B", WL_S_GIVEN_NEGATIVE, WL_S_TEXT, text);
        }
    }
    if (count[1]) {
        snprintf(text, sizeof text, "no label: %lld", (long long)count[1]);
        col = entry(c, in, &row, col, last, ".", WL_S_UNKNOWN, WL_S_DIM, text);
    }
    for (int i = 0; p->has_figure && i < p->figure.nseries; i++) {
        const wlab_series *line = &p->figure.series[i];
        if (line->draw != WL_D_CONTOUR || !line->title)
            continue;
        /* three dots of the line, as the raster draws it */
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

/* Lines of the legend: as many as the height spares. */
static int legend_rows(const wlab_rect *in)
{
    return in->rows >= 12 ? 2 : in->rows >= 5 ? 1 : 0;
}

static void area_of(const wlab_scene *s, const wlab_picture *p, const wlab_rect *in, wlab_rect *area)
{
    (void)s;
    (void)p;
    *area = *in;
    area->rows -= legend_rows(in);
}

static void tint(const wlab_picture *p, const axis a[2], wlab_canvas *c, const wlab_rect *r)
{
    for (int row = 0; row < r->rows; row++)
        for (int col = 0; col < r->cols; col++) {
            double f = wlab_figure_value(&p->figure, a[0].lo + (a[0].hi - a[0].lo) * (col + 0.5) / r->cols,
                                         a[1].hi - (a[1].hi - a[1].lo) * (row + 0.5) / r->rows);
            if (!isnan(f))
                wlab_canvas_ground(c, r, row, col, f >= 0 ? WL_G_POSITIVE : WL_G_NEGATIVE);
        }
}

static void draw(const wlab_scene *s, const wlab_picture *p, wlab_canvas *c, const wlab_rect *in)
{
    wlab_rect r;
    axis a[2];
    what w;

    if (!find(s, &w)) {
        wlab_draw_message(c, in, WL_S_DIM, "the boundary needs data with 2 columns: generate two-moons");
        return;
    }
    area_of(s, p, in, &r);
    if (r.rows < 1 || r.cols < 1)
        return;
    ranges(p, &w, a);
    const bool many = w.p && w.p->classes > 2;
    if (s->tints && p->has_figure && !many)
        tint(p, a, c, &r);
    wlab_plot_raster(p, c, &r, inks);
    rows(&w, a, c, &r, ROW);
    rows(&w, a, c, &r, FLIPPED);
    rows(&w, a, c, &r, GIVEN);
    if (in->rows > r.rows && many)
        legend_classes(&w, c, in, r.rows, in->rows - 1);
    else if (in->rows > r.rows)
        legend(s, p, &w, c, in, r.rows, in->rows - 1);
}

static void title(const wlab_scene *s, const wlab_picture *p, char *buf, size_t size)
{
    const wlab_mirror *m = s->mirrors ? s->mirror[0] : NULL;
    char words[64];
    (void)p;
    if (!m) {
        snprintf(buf, size, "data");
        return;
    }
    wlab_view_run v = marked(s, m);
    wlab_marks_words(&v, words, sizeof words);
    snprintf(buf, size, "boundary and %s", words);
}

const wlab_pane wlab_pane_boundary = {
    .name = "boundary",
    .summary = "data with two columns: predictions or labels, flips, the decision line",
    .view = &wlab_view_boundary,
    .fits = fits,
    .main = 1,
    .rank = 1,
    .weight = 20,
    .title = title,
    .plot_area = area_of,
    .draw = draw,
};

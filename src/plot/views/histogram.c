/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * View `histogram`: how many training rows have which output f of the model, for any algorithm whose model has one
 * output.  The bars have the colours of the labels that the marks show (marks.h): each bar is divided into the rows
 * labelled +1, at the bottom, and the others above them.  Rows with an observed label are marked above the bars.
 */
#include "plot/views/classes.h"
#include "plot/views/marks.h"
#include <math.h>
#include <stdio.h>

enum {
    BINS = 60,
    PLACE = 0, /* columns of block 0: the middle of the bin, */
    POSITIVE,  /* rows labelled +1, */
    LABELLED,  /* rows with a label, */
    ALL        /* all rows */
};

typedef struct bins {
    double lo, width;
    int64_t count[BINS][3]; /* by label + 1 */
    int64_t rows[3], most;
} bins;

/* The bins cover the outputs and 0, which lies between two bins. */
static void count_rows(bins *h, const double *f, const int8_t *label, int64_t n)
{
    double lo = 0, hi = 0;

    for (int64_t i = 0; i < n; i++) {
        lo = fmin(lo, f[i]);
        hi = fmax(hi, f[i]);
    }
    h->width = hi > lo ? (hi - lo) / (BINS - 2) : 1.0 / BINS;
    h->lo = h->width * floor(lo / h->width);
    for (int64_t i = 0; i < n; i++) {
        const int at = (int)fmin(BINS - 1, fmax(0, floor((f[i] - h->lo) / h->width)));
        h->count[at][label[i] + 1]++;
        h->rows[label[i] + 1]++;
    }
    for (int k = 0; k < BINS; k++) {
        const int64_t all = h->count[k][0] + h->count[k][1] + h->count[k][2];
        h->most = all > h->most ? all : h->most;
    }
}

/* A vertical line of points at x, up to y. */
static void put_line(wlab_figure *f, double x, double y, int ink, int dash, char mark, const char *title,
                     const char *style)
{
    enum {
        POINTS = 30
    };
    const int b = wlab_figure_block(f, POINTS, 2);
    char text[32];

    wlab_figure_column(f, b, 0, "f");
    wlab_figure_column(f, b, 1, "y");
    for (int i = 0; i < POINTS; i++) {
        *wlab_figure_at(f, b, i, 0) = x;
        *wlab_figure_at(f, b, i, 1) = y * i / (POINTS - 1);
    }
    wlab_series s = {.block = b, .draw = WL_D_LINES, .x = 1, .y = 2, .ink = ink, .dash = dash, .mark = mark};
    snprintf(text, sizeof text, "with points pt '%c'", mark);
    wlab_figure_series(f, &s, title, f->text ? text : style);
}

static void put_bars(wlab_figure *f, const wlab_view_run *v, const bins *h)
{
    static const struct {
        int column, label, ink;
        char mark;
        const char *color;
    } bar[] = {/* the later ones cover the lower parts of the earlier ones */
               {ALL, 0, 7, '.', "888888"},
               {LABELLED, -1, 2, 'o', "d55e00"},
               {POSITIVE, 1, 1, '+', "0072b2"}};
    const int b = wlab_figure_block(f, BINS, 4);
    char title[120], style[80];

    wlab_view_about(f, b, "histogram", v);
    wlab_figure_column(f, b, PLACE, "f");
    wlab_figure_column(f, b, POSITIVE, "positive");
    wlab_figure_column(f, b, LABELLED, "labelled");
    wlab_figure_column(f, b, ALL, "rows");
    for (int k = 0; k < BINS; k++) {
        *wlab_figure_at(f, b, k, PLACE) = h->lo + (k + 0.5) * h->width;
        *wlab_figure_at(f, b, k, POSITIVE) = (double)h->count[k][2];
        *wlab_figure_at(f, b, k, LABELLED) = (double)(h->count[k][2] + h->count[k][0]);
        *wlab_figure_at(f, b, k, ALL) = (double)(h->count[k][2] + h->count[k][0] + h->count[k][1]);
    }
    for (int i = 0; i < 3; i++) {
        const int label = bar[i].label;
        if (!h->rows[label + 1])
            continue;
        snprintf(title, sizeof title, "%s: %lld",
                 label              ? wlab_class_name(v->problem, label)
                 : v->problem->keys ? "no key"
                                    : "no label",
                 (long long)h->rows[label + 1]);
        snprintf(style, sizeof style, "with boxes fs solid 0.75 noborder lc rgb '#%s'", bar[i].color);
        wlab_series bars = {.block = b,
                            .draw = WL_D_BARS,
                            .x = PLACE + 1,
                            .y = bar[i].column + 1,
                            .width = f->text ? 0 : h->width,
                            .ink = bar[i].ink,
                            .mark = bar[i].mark};
        wlab_figure_series(f, &bars, title, f->text ? "with impulses" : style);
    }
}

/* Above the bars: the rows with observed labels. */
static void put_observed(wlab_figure *f, const wlab_problem *p, const double *out, double y, bool live)
{
    if (p->labelled == 0 || p->labelled > p->n / 2)
        return;
    const int b = wlab_figure_block(f, p->labelled, 3);
    int64_t at = 0;
    char title[120], style[120];

    wlab_figure_column(f, b, 0, "f");
    wlab_figure_column(f, b, 1, "y");
    wlab_figure_column(f, b, 2, "label");
    for (int64_t i = 0; i < p->n && at < p->labelled; i++)
        if (p->visible[i]) {
            *wlab_figure_at(f, b, at, 0) = out[i];
            *wlab_figure_at(f, b, at, 1) = y;
            *wlab_figure_at(f, b, at++, 2) = p->visible[i];
        }
    for (int sign = 1; sign >= -1; sign -= 2) {
        wlab_series s = {.block = b,
                         .draw = WL_D_POINTS,
                         .x = 1,
                         .y = 2,
                         .ink = sign > 0 ? 1 : 2,
                         .mark = sign > 0 ? 'A' : 'B',
                         .where = {{3, sign}},
                         .wheres = 1};
        snprintf(title, sizeof title, "observed %s", wlab_class_name(p, sign));
        if (f->text)
            snprintf(style, sizeof style, "with points pt '%c'", s.mark);
        else
            snprintf(style, sizeof style, "with points pt %d ps 1.6 lc rgb '#%s'", sign > 0 ? 7 : 9,
                     sign > 0 ? "0072b2" : "d55e00");
        wlab_figure_series(f, &s, live ? NULL : title, style); /* panes have little space for legends */
    }
}

static wlab_code draw_view(wlab_figure *f, const wlab_view_request *q, wlab_err *err)
{
    wlab_view_run marked = q->run[0], *v = &marked;
    const wlab_problem *p = v->problem;
    int8_t *buffer = NULL;
    bins h = {0};
    bool have = false;
    char words[64];
    wlab_err why = {0};
    wlab_code code;

    if ((code = wlab_view_alone(q, "histogram", "its axis is a row's output", err)))
        return code;
    double *out = wlab_alloc((size_t)p->n, sizeof *out);
    if (!out)
        return wlab_nomem(err);
    code = p->classes > 2 ? wlab_fail(err, WL_ESTATE,
                                      "the model has an output for each of %d classes; try `plot projection`",
                                      p->classes)
                          : wlab_view_stepped(q, err);
    code = code ? code : wlab_view_titles(f, q, "histogram of outputs", err);
    code = code ? code : wlab_marks_select(v, q, &buffer, err);
    code = code ? code : wlab_view_outputs(v, q, NULL, p->n, out, &have, &why, err);
    if (!code && !have)
        code = wlab_fail(err, WL_ESTATE, "no outputs to draw: %s", why.message);
    if (code)
        goto end;
    count_rows(&h, out, v->labels, p->n);
    wlab_marks_words(v, words, sizeof words);
    wlab_figure_title(f, "after step %lld; marks: %s", (long long)v->row[v->rows - 1].iter, words);
    wlab_figure_axes(f, "output f of the model", "rows");
    f->zero_y = f->whole_y = true;
    wlab_figure_cover(f, h.lo, 0);
    wlab_figure_cover(f, h.lo + BINS * h.width, 1.15 * (double)h.most);
    wlab_figure_before(f, "set boxwidth %.6g\n", h.width * 0.95);
    put_bars(f, v, &h);
    put_line(f, 0, 1.15 * (double)h.most, 7, 3, '|', q->live ? NULL : "f = 0",
             "with lines lw 2 dt 1 lc rgb '#000000'");
    for (int sign = -1; sign <= 1; sign += 2)
        if (sign > h.lo && sign < h.lo + BINS * h.width)
            put_line(f, sign, 1.15 * (double)h.most, 7, 3, ':', NULL,
                     "with lines lw 1.5 dt 3 lc rgb '#888888'");
    put_observed(f, p, out, 1.08 * (double)h.most, q->live);
    code = f->failed ? wlab_nomem(err) : WL_OK;
end:
    wlab_free(out);
    wlab_free(buffer);
    return code;
}

const wlab_view wlab_view_histogram = {
    .name = "histogram",
    .summary = "how many training rows have which output of the model, coloured by label (predicted, newest "
               "or true, "
               "by the setting `marks`), and where the rows with observed labels are",
    .of = WL_VIEW_ONE | WL_VIEW_FIXED | WL_VIEW_STATE | WL_VIEW_MODEL | WL_VIEW_MARKS | WL_VIEW_VALUES,
    .draw = draw_view,
};

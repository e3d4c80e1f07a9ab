/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * View `scores`: the scores from which the labels are rounded.  Two classes: the difference of each row's two scores,
 * sorted and coloured by the newest label; a steep step from one class to the other means that the scores determine the
 * labels and rounding decides little.  More classes: an image with one column per row of the data (sorted by label) and
 * one line per class.
 */
#include "plot/views/cells.h"
#include "plot/views/classes.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LIVE_ROWS = 4000
};

/* Get the scores: from the mirror, or computed from the state into *made. */
static wlab_code get_scores(const wlab_view_run *v, const wlab_view_request *q, wlab_shown *made,
                            const wlab_shown **shown, wlab_err *err)
{
    if (wlab_probe_index(v->algo, WL_PROBE_SCORES) < 0)
        return wlab_fail(err, WL_ESTATE,
                         "%s does not round labels from scores; try `plot boundary` or `plot labels`",
                         v->algo->name);
    return wlab_view_probe(v, q, WL_PROBE_SCORES, "the scores are copied at the next pause", made, shown,
                           err);
}

/* ---- two classes ---- */

typedef struct item {
    double score;
    int64_t instance;
} item;

static int order(const void *a, const void *b)
{
    const item *x = a, *y = b;
    if (x->score != y->score)
        return x->score < y->score ? -1 : 1;
    return x->instance < y->instance ? -1 : x->instance > y->instance;
}

static void put_class(wlab_figure *f, const wlab_problem *p, int label, int64_t rows)
{
    wlab_series s = {.draw = WL_D_POINTS,
                     .x = 1,
                     .y = 2,
                     .mark = label > 0   ? '+'
                             : label < 0 ? 'o'
                                         : '.',
                     .ink = label > 0   ? 1
                            : label < 0 ? 2
                                        : 7,
                     .wheres = 1};
    char style[64], title[80];
    s.where[0].column = 3;
    s.where[0].value = label;
    snprintf(title, sizeof title, "%s%.40s: %lld", wlab_class_word(p), wlab_class_name(p, label),
             (long long)rows);
    if (f->text)
        snprintf(style, sizeof style, "with points pt '%c'", s.mark);
    else
        snprintf(style, sizeof style, "with points pt %d ps 0.8 lc rgb '#%s'", label > 0 ? 7 : 9,
                 label > 0   ? "0072b2"
                 : label < 0 ? "d55e00"
                             : "777777");
    wlab_figure_series(f, &s, label ? title : "no label", style);
}

static wlab_code draw_two(wlab_figure *f, const wlab_view_request *q, const double *scores, wlab_err *err)
{
    const wlab_view_run *v = &q->run[0];
    const wlab_problem *p = v->problem;
    const int64_t shown = q->live && p->n > LIVE_ROWS ? LIVE_ROWS : p->n;
    item *it = wlab_alloc((size_t)p->n, sizeof *it);
    int64_t rows[3] = {0};

    if (!it)
        return wlab_nomem(err);
    for (int64_t i = 0; i < p->n; i++) {
        it[i] = (item){scores[2 * i + 1] - scores[2 * i], i};
        rows[v->labels[i] + 1]++;
    }
    qsort(it, (size_t)p->n, sizeof *it, order);
    const int b = wlab_figure_block(f, shown, 4);
    wlab_view_about(f, b, "scores", v);
    wlab_figure_about(f, b, "rows by score; score: that for %s%.40s minus that for %s%.40s",
                      wlab_class_word(p), wlab_class_name(p, 1), wlab_class_word(p), wlab_class_name(p, -1));
    wlab_figure_column(f, b, 0, "place");
    wlab_figure_column(f, b, 1, "score");
    wlab_figure_column(f, b, 2, "label");
    wlab_figure_column(f, b, 3, "instance");
    for (int64_t k = 0; k < shown; k++) {
        const int64_t at = k * p->n / shown;
        *wlab_figure_at(f, b, k, 0) = (double)(at + 1);
        *wlab_figure_at(f, b, k, 1) = it[at].score;
        *wlab_figure_at(f, b, k, 2) = v->labels[it[at].instance];
        *wlab_figure_at(f, b, k, 3) = (double)(it[at].instance + 1);
        wlab_figure_cover(f, (double)(at + 1), it[at].score);
    }
    wlab_free(it);
    wlab_figure_cover(f, 1, 0);
    wlab_figure_axes(f, "rows, sorted by score", "score");
    wlab_figure_before(f,
                       "set arrow from graph 0, first 0 to graph 1, first 0 nohead back lw 1.5 dt 2 lc rgb "
                       "'#444444'\n");
    for (int label = 1; label >= -1; label--)
        if (rows[label + 1])
            put_class(f, p, label, rows[label + 1]);
    return f->failed ? wlab_nomem(err) : WL_OK;
}

/* ---- more classes ---- */

/* One line per class, the first at the top.  If there are more rows than columns, a column is a mean over rows. */
static void put_cells(wlab_figure *f, const wlab_view_run *v, const wlab_excerpt *e, const double *scores,
                      int64_t columns)
{
    const int P = v->problem->classes, b = wlab_cells_block(f, v, "scores", "score", columns, P);

    wlab_figure_about(f, b,
                      "a column is a row of the data, sorted by label; place: of the class, from the bottom");
    for (int k = 0; k < P; k++)
        for (int64_t c = 0; c < columns; c++) {
            const int64_t from = c * e->n / columns, to = (c + 1) * e->n / columns, at = k * columns + c;
            double sum = 0;
            for (int64_t i = from; i < to; i++)
                sum += scores[(int64_t)e->row[i] * P + k];
            *wlab_figure_at(f, b, at, WL_CELLS_X) = ((double)c + 0.5) * (double)e->n / (double)columns + 0.5;
            *wlab_figure_at(f, b, at, WL_CELLS_PLACE) = P - k;
            *wlab_figure_at(f, b, at, WL_CELLS_VALUE) = sum / (double)(to - from);
        }
}

/* The classes' names at the lines. */
static void put_lines(wlab_figure *f, const wlab_problem *p)
{
    int8_t label[WL_CLASSES_MOST];
    for (int k = 0; k < p->classes; k++)
        label[k] = wlab_label_at(p, k);
    wlab_class_frames(f, p, label, false, p->classes, 2, f->text ? WL_CELLS_NAMES / 2 : WL_CELLS_NAMES);
}

static wlab_code draw_many(wlab_figure *f, const wlab_view_request *q, const double *scores, wlab_err *err)
{
    const wlab_view_run *v = &q->run[0];
    const wlab_problem *p = v->problem;
    wlab_excerpt e;
    double lo = INFINITY, hi = -INFINITY;
    wlab_code code = wlab_excerpt_choose(&e, p, v->labels, false, WL_EXCERPT_MOST, err);

    if (code)
        return code;
    for (int64_t i = 0; i < e.n; i++)
        for (int k = 0; k < p->classes; k++) {
            lo = fmin(lo, scores[(int64_t)e.row[i] * p->classes + k]);
            hi = fmax(hi, scores[(int64_t)e.row[i] * p->classes + k]);
        }
    hi = hi > lo ? hi : lo + 1;
    if (e.n < p->n)
        wlab_figure_title(f, "%lld of %lld rows, evenly spaced", (long long)e.n, (long long)p->n);
    wlab_figure_axes(f, "rows by label", f->text ? "" : p->task->clusters ? "" : "class");
    f->fixed = true;
    wlab_figure_cover(f, 0.5, 0.5);
    wlab_figure_cover(f, (double)e.n + 0.5, p->classes + 0.5);
    put_cells(f, v, &e, scores, f->text && e.n > WL_CELLS_TEXT_COLUMNS ? WL_CELLS_TEXT_COLUMNS : e.n);
    wlab_cells_rows(f, v, &e);
    wlab_class_frames(f, p, e.label, false, e.n, 1, f->text ? WL_CELLS_NAMES / 3 : WL_CELLS_NAMES);
    put_lines(f, p);
    wlab_cells_draw(f, lo, hi);
    if (!f->text)
        wlab_figure_before(
            f,
            "set palette defined (0 '#ffffff', 0.5 '#7fb3d8', 1 '#00304f')\nset cbrange "
            "[%.6g:%.6g]\nset cblabel 'score'\nunset grid\nunset key\nset border 15\nset tics scale "
            "0\n",
            lo, hi);
    wlab_excerpt_clear(&e);
    return f->failed ? wlab_nomem(err) : WL_OK;
}

static wlab_code draw_view(wlab_figure *f, const wlab_view_request *q, wlab_err *err)
{
    const wlab_view_run *v = &q->run[0];
    const wlab_problem *p = v->problem;
    wlab_shown made = {0};
    const wlab_shown *shown = NULL;
    const double *scores = NULL;
    wlab_code code = wlab_view_alone(q, "scores", "its axis is the rows of the data", err);

    code = code ? code : wlab_view_stepped(q, err);
    code = code ? code : wlab_view_titles(f, q, "scores", err);
    code = code ? code : get_scores(v, q, &made, &shown, err);
    scores = code ? NULL : shown->value.value;
    for (int64_t i = 0; i < p->n * p->classes && !code; i++)
        if (!isfinite(scores[i]))
            code = wlab_fail(err, WL_ESTATE, "some scores are not finite: there is nothing to draw");
    if (!code)
        wlab_figure_title(f, "after step %lld", (long long)shown->iter);
    if (!code)
        code = p->classes > 2 ? draw_many(f, q, scores, err) : draw_two(f, q, scores, err);
    wlab_shown_clear(&made);
    return code;
}

const wlab_view wlab_view_scores = {
    .name = "scores",
    .summary =
        "the scores from which labels are derived; two classes: the difference of each row's two scores, "
        "sorted; more: one score for each row and class, rows sorted by label",
    .of = WL_VIEW_ONE | WL_VIEW_FIXED | WL_VIEW_STATE | WL_VIEW_PROBE,
    .probe = WL_PROBE_SCORES,
    .draw = draw_view,
};

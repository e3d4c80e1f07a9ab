/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * View `proportions`: for each bag the fraction of positives that the model predicts, and that of the newest labels,
 * against the given proportion.  Many bags are drawn as points, larger for bags with more rows, a few bags as bars.
 */
#include "plot/views/view.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    BARS = 12,          /* most bags that are drawn as bars */
    NAME = 8,           /* characters of a bag's name */
    LIVE_ROWS = 100000, /* a live picture of more rows has no outputs */
    SIZES = 3
};

typedef struct scene {
    const wlab_problem *p;
    const wlab_view_run *v;
    double *f; /* [n] outputs */
    bool outputs;
    double *row; /* [bags x WL_PROPORTIONS_COLUMNS] */
    int64_t bags, given;
    double of_labels, of_outputs,
        most; /* sums of |fraction - given| over the bags with `given`, and the largest */
} scene;

static int by_place(const void *a, const void *b)
{
    const double *x = *(const double *const *)a, *y = *(const double *const *)b;
    for (int c = WL_PROPORTIONS_GIVEN; c <= WL_PROPORTIONS_OUTPUTS;
         c += WL_PROPORTIONS_OUTPUTS - WL_PROPORTIONS_GIVEN)
        if (x[c] < y[c] || x[c] > y[c])
            return x[c] < y[c] ? -1 : 1;
    return x[WL_PROPORTIONS_BAG] < y[WL_PROPORTIONS_BAG] ? -1 : x[WL_PROPORTIONS_BAG] > y[WL_PROPORTIONS_BAG];
}

/* Set the sizes of the points.  Bags at the same place share a point, and their rows are added.  The range of these
 * sums is divided into three equal parts on a log scale, which have the sizes 0, 1 and 2; if all sums are equal, the
 * size is 1. */
static wlab_code set_sizes(scene *s, wlab_err *err)
{
    double **at = wlab_alloc((size_t)s->bags, sizeof *at), least = INFINITY, most = 0;

    if (!at)
        return wlab_nomem(err);
    for (int64_t k = 0; k < s->bags; k++)
        at[k] = s->row + k * WL_PROPORTIONS_COLUMNS;
    qsort(at, (size_t)s->bags, sizeof *at, by_place);
    for (int64_t k = 0, end; k < s->bags; k = end) {
        double rows = 0;
        for (end = k; end < s->bags && !(at[end][WL_PROPORTIONS_GIVEN] > at[k][WL_PROPORTIONS_GIVEN]) &&
                      !(at[end][WL_PROPORTIONS_OUTPUTS] > at[k][WL_PROPORTIONS_OUTPUTS]);
             end++)
            rows += at[end][WL_PROPORTIONS_ROWS];
        for (int64_t i = k; i < end; i++)
            at[i][WL_PROPORTIONS_KIND] = rows;
        least = fmin(least, rows);
        most = fmax(most, rows);
    }
    for (int64_t k = 0; k < s->bags; k++) {
        double *kind = &at[k][WL_PROPORTIONS_KIND];
        *kind =
            most > least ? fmin(SIZES - 1, floor((double)SIZES * log(*kind / least) / log(most / least))) : 1;
    }
    wlab_free(at);
    return WL_OK;
}

static int by_number(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (x[WL_PROPORTIONS_BAG] > y[WL_PROPORTIONS_BAG]) - (x[WL_PROPORTIONS_BAG] < y[WL_PROPORTIONS_BAG]);
}

/* Count the rows and positives of each bag, and order the bags by their numbers in the data. */
static wlab_code count_positives(scene *s, wlab_err *err)
{
    const wlab_problem *p = s->p;
    s->row = wlab_calloc((size_t)p->bags, WL_PROPORTIONS_COLUMNS * sizeof *s->row);
    if (!s->row)
        return wlab_nomem(err);
    for (int64_t i = 0; i < p->n; i++) {
        double *b = s->row + p->bag[i] * WL_PROPORTIONS_COLUMNS;
        b[WL_PROPORTIONS_ROWS]++;
        b[WL_PROPORTIONS_LABELS] += s->v->labels[i] > 0;
        b[WL_PROPORTIONS_BEFORE] += s->v->labels_before[i] > 0;
        b[WL_PROPORTIONS_OUTPUTS] += s->outputs ? s->f[i] > 0 : NAN;
        b[WL_PROPORTIONS_FLIPS] += s->v->labels[i] != s->v->labels_before[i] && s->v->labels_before[i] != 0;
    }
    for (int64_t k = 0; k < p->bags; k++) {
        double *b = s->row + k * WL_PROPORTIONS_COLUMNS, given = p->bag_given[k];
        for (int c = WL_PROPORTIONS_LABELS; c <= WL_PROPORTIONS_OUTPUTS; c++)
            b[c] /= b[WL_PROPORTIONS_ROWS];
        b[WL_PROPORTIONS_BAG] = (double)wlab_problem_bag_number(p, k);
        b[WL_PROPORTIONS_GIVEN] = given;
        if (isnan(given))
            continue;
        s->given++;
        s->of_labels += fabs(b[WL_PROPORTIONS_LABELS] - given);
        s->of_outputs += fabs(b[WL_PROPORTIONS_OUTPUTS] - given);
        s->most = fmax(s->most, fabs(b[s->outputs ? WL_PROPORTIONS_OUTPUTS : WL_PROPORTIONS_LABELS] - given));
    }
    s->bags = p->bags;
    qsort(s->row, (size_t)s->bags, WL_PROPORTIONS_COLUMNS * sizeof *s->row, by_number);
    for (int64_t k = 0; k < s->bags; k++)
        s->row[k * WL_PROPORTIONS_COLUMNS + WL_PROPORTIONS_PLACE] = (double)(k + 1);
    return set_sizes(s, err);
}

static void put_block(wlab_figure *f, const scene *s)
{
    static const char *const names[WL_PROPORTIONS_COLUMNS] = {"place",  "bag",     "rows",  "given", "labels",
                                                              "before", "outputs", "flips", "kind"};
    int b = wlab_figure_block(f, s->bags, WL_PROPORTIONS_COLUMNS);

    wlab_view_about(f, b, "proportions", s->v);
    wlab_figure_about(
        f, b, "fractions of positives: given, of the newest labels, of those one step before, of f > 0");
    for (int c = 0; c < WL_PROPORTIONS_COLUMNS; c++) {
        wlab_figure_column(f, b, c, "%s", names[c]);
        for (int64_t k = 0; k < s->bags; k++)
            *wlab_figure_at(f, b, k, c) = s->row[k * WL_PROPORTIONS_COLUMNS + c];
    }
}

static void put_line(wlab_figure *f)
{
    int b = wlab_figure_block(f, f->text ? 41 : 2, 2);
    int64_t n = f->text ? 41 : 2;

    wlab_figure_about(f, b, "the diagonal");
    wlab_figure_column(f, b, 0, "given");
    wlab_figure_column(f, b, 1, "predicted");
    for (int64_t k = 0; k < n; k++)
        *wlab_figure_at(f, b, k, 0) = *wlab_figure_at(f, b, k, 1) = (double)k / (double)(n - 1);
    wlab_figure_series(
        f, &(wlab_series){.block = b, .draw = WL_D_LINES, .x = 1, .y = 2, .ink = 7, .dash = 3, .mark = '.'},
        "right", f->text ? "with points pt '.'" : "with lines lw 1.5 dt 3 lc rgb '#555555'");
}

static void put_points(wlab_figure *f, const scene *s)
{
    static const char *const size[SIZES] = {"0.7", "1.2", "1.9"};
    const int x = WL_PROPORTIONS_GIVEN + 1,
              y = (s->outputs ? WL_PROPORTIONS_OUTPUTS : WL_PROPORTIONS_LABELS) + 1;
    const char *what = s->outputs ? "predicted" : "newest labels";
    char style[80];

    if (s->outputs) {
        snprintf(style, sizeof style,
                 f->text ? "with points pt 'x'" : "with points pt 2 ps 0.8 lw 1.5 lc rgb '#d55e00'");
        wlab_figure_series(
            f,
            &(wlab_series){
                .draw = WL_D_POINTS, .x = x, .y = WL_PROPORTIONS_LABELS + 1, .ink = 2, .mark = 'x'},
            "newest labels", style);
    }
    for (int k = 0; k < SIZES; k++) {
        wlab_series p = {
            .draw = WL_D_POINTS, .x = x, .y = y, .ink = 1, .mark = f->text ? "oO@"[k] : 'o', .wheres = 1};
        int64_t n = 0;
        p.where[0].column = WL_PROPORTIONS_KIND + 1;
        p.where[0].value = k;
        for (int64_t b = 0; b < s->bags; b++)
            n += (int)s->row[b * WL_PROPORTIONS_COLUMNS + WL_PROPORTIONS_KIND] == k;
        if (!n)
            continue;
        if (f->text)
            snprintf(style, sizeof style, "with points pt '%c'", p.mark);
        else
            snprintf(style, sizeof style, "with points pt 6 ps %s lw 2 lc rgb '#0072b2'", size[k]);
        wlab_figure_series(f, &p, what, style);
        what = NULL;
    }
}

/* Draw the predicted fractions as bars, side by side, with a mark at the given proportion. */
static void put_bars(wlab_figure *f, const scene *s)
{
    const bool pictures = !f->text;
    wlab_series bar = {.draw = WL_D_BARS,
                       .x = WL_PROPORTIONS_PLACE + 1,
                       .y = (s->outputs ? WL_PROPORTIONS_OUTPUTS : WL_PROPORTIONS_LABELS) + 1,
                       .shifted = true,
                       .width = pictures ? 0.5 : 0,
                       .ink = 1,
                       .mark = '#'};
    wlab_series mark = {.draw = WL_D_POINTS, .x = WL_PROPORTIONS_PLACE + 1, .ink = 2, .mark = 'x'};

    if (pictures)
        wlab_figure_before(f, "set boxwidth 0.5\nset style fill solid 0.75 noborder\n");
    wlab_figure_series(f, &bar, s->outputs ? "predicted" : "newest labels",
                       pictures ? "with boxes ls 1 dt 1" : "with impulses lt 1");
    if (s->outputs) {
        mark.y = WL_PROPORTIONS_LABELS + 1;
        wlab_figure_series(f, &mark, "newest labels",
                           pictures ? "with points pt 2 ps 1.6 lw 2 lc rgb '#d55e00'" : "with points pt 'x'");
    }
    mark.y = WL_PROPORTIONS_GIVEN + 1;
    mark.ink = 7;
    mark.mark = '=';
    wlab_figure_series(f, &mark, "given",
                       pictures ? "with points pt 4 ps 1.8 lw 2 lc rgb '#000000'" : "with points pt '='");
}

static void put_errors(wlab_figure *f, const scene *s, const char *why)
{
    const int64_t step = s->v->row[s->v->rows - 1].iter;
    const double n = (double)s->given;

    if (!s->outputs) {
        wlab_figure_title(f, "after step %lld, newest labels: bag error %.4g, mean %.4g, largest %.4g",
                          (long long)step, s->of_labels, s->of_labels / n, s->most);
        wlab_figure_title(f, "no outputs: %s", why);
        return;
    }
    char old[48] = "";
    if (s->v->model && s->v->model_iter < step)
        snprintf(old, sizeof old, " (model of step %lld)", (long long)s->v->model_iter);
    wlab_figure_title(
        f, "after step %lld%s: bag error %.4g (Eq. 23), mean %.4g, largest %.4g; newest labels %.4g",
        (long long)step, old, s->of_outputs, s->of_outputs / n, s->most, s->of_labels);
}

/* Label each bar with the name or number of its bag and the number of that bag's rows. */
static wlab_code put_tics(wlab_figure *f, const scene *s)
{
    wlab_buf b = {0};
    wlab_code code = wlab_buf_printf(&b, "set xtics noenhanced (");

    for (int64_t k = 0; k < s->bags && !code; k++) {
        const double *bag = s->row + k * WL_PROPORTIONS_COLUMNS;
        char text[48], name[24];
        snprintf(text, sizeof text, "%s: %lld",
                 wlab_view_bag(s->p, (int64_t)bag[WL_PROPORTIONS_BAG], NAME, name),
                 (long long)bag[WL_PROPORTIONS_ROWS]);
        code = k ? wlab_buf_printf(&b, ", ") : WL_OK;
        code = code ? code : wlab_figure_quote(f, &b, text);
        code = code ? code : wlab_buf_printf(&b, " %lld", (long long)k + 1);
    }
    code = code ? code : wlab_buf_printf(&b, ")\n");
    code = code ? code : wlab_buf_put(&f->before, b.data, b.len);
    wlab_buf_clear(&b);
    return code;
}

static wlab_code draw_view(wlab_figure *f, const wlab_view_request *q, wlab_err *err)
{
    const wlab_view_run *v = &q->run[0];
    scene s = {.p = v->problem, .v = v};
    wlab_err why = {0};
    wlab_code code = wlab_view_alone(q, "proportions", "its axes are proportions", err);

    code = code ? code : wlab_view_stepped(q, err);
    if (!code && (s.p->task->sees != WL_SEES_PROPORTIONS || !s.p->bag))
        code = wlab_fail(err, WL_ESTATE,
                         "task %s gives no proportions: `proportions` draws `task llp`; try `plot labels`",
                         s.p->task->name);
    code = code ? code : wlab_view_titles(f, q, "proportions", err);
    if (code)
        return code;
    if (q->live && s.p->n > LIVE_ROWS)
        snprintf(why.message, sizeof why.message, "%lld rows are too many for a live picture",
                 (long long)s.p->n);
    else if (!(s.f = wlab_alloc((size_t)s.p->n, sizeof *s.f)))
        code = wlab_nomem(err);
    else
        code = wlab_view_outputs(v, q, NULL, s.p->n, s.f, &s.outputs, &why, err);
    code = code ? code : count_positives(&s, err);
    if (!code) {
        const bool few = s.bags <= BARS;
        put_errors(f, &s, why.message);
        put_block(f, &s);
        wlab_figure_axes(f, few ? "bag: its rows" : "given proportion",
                         few ? "proportion" : "predicted proportion");
        if (few && put_tics(f, &s))
            f->failed = true;
        if (few)
            put_bars(f, &s);
        else
            put_line(f);
        if (!few)
            put_points(f, &s);
        f->fixed = true;
        wlab_figure_cover(f, few ? 0.4 : -0.02, few ? 0 : -0.02);
        wlab_figure_cover(f, few ? (double)s.bags + 0.6 : 1.02, 1.02);
    }
    wlab_free(s.f);
    wlab_free(s.row);
    return code ? code : f->failed ? wlab_nomem(err) : WL_OK;
}

const wlab_view wlab_view_proportions = {
    .name = "proportions",
    .summary =
        "task llp: each bag's fraction of positives, as predicted and in the newest labels, against the "
        "given one",
    .of = WL_VIEW_ONE | WL_VIEW_FIXED | WL_VIEW_STATE | WL_VIEW_MODEL | WL_VIEW_VALUES,
    .draw = draw_view,
};

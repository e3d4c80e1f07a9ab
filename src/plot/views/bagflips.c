/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * View `bagflips`: bags from top to bottom, those with the largest proportion first, steps from left to right.  The
 * more of a bag's labels changed in a step, the darker the cell.  The picture shows in which bags labels still
 * change.
 */
#include "plot/views/strip.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    LINES = 100,
    TEXT_LINES = 14,
    COLUMNS = 250
};
enum { /* columns of block 0 */
    STEP,
    LINE,
    SHADE,
    KIND,
    FLIPS,
    ROWS,
    BAG,
    WIDE
};

typedef struct item {
    double given;
    int32_t bag;
    int64_t number; /* in the data */
} item;

static int order(const void *a, const void *b)
{
    const item *x = a, *y = b;
    if (isnan(x->given) != isnan(y->given)) /* bags without a given proportion come last */
        return isnan(x->given) ? 1 : -1;
    if (x->given > y->given || x->given < y->given)
        return x->given > y->given ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

wlab_code wlab_strip_bags(wlab_strip_bag *o, const wlab_problem *p, int64_t lines, wlab_err *err)
{
    item *sorted = wlab_alloc((size_t)p->bags, sizeof *sorted);
    int32_t *of = wlab_alloc((size_t)p->bags, sizeof *of);
    wlab_code code = WL_OK;

    *o = (wlab_strip_bag){.lines = p->bags < lines ? p->bags : lines};
    o->line = wlab_alloc((size_t)p->n, sizeof *o->line);
    o->size = wlab_calloc((size_t)o->lines, sizeof *o->size);
    o->bag = wlab_alloc((size_t)o->lines, sizeof *o->bag);
    if (!sorted || !of || !o->line || !o->size || !o->bag) {
        wlab_strip_bag_clear(o);
        code = wlab_nomem(err);
        goto out;
    }
    for (int64_t b = 0; b < p->bags; b++)
        sorted[b] = (item){p->bag_given[b], (int32_t)b, wlab_problem_bag_number(p, b)};
    qsort(sorted, (size_t)p->bags, sizeof *sorted, order);
    for (int64_t k = p->bags - 1; k >= 0; k--) {
        of[sorted[k].bag] = (int32_t)(k * o->lines / p->bags);
        o->bag[of[sorted[k].bag]] = sorted[k].bag;
    }
    for (int64_t i = 0; i < p->n; i++) {
        o->line[i] = of[p->bag[i]];
        o->size[o->line[i]]++;
    }
out:
    wlab_free(sorted);
    wlab_free(of);
    return code;
}

void wlab_strip_bag_clear(wlab_strip_bag *o)
{
    wlab_free(o->line);
    wlab_free(o->size);
    wlab_free(o->bag);
    *o = (wlab_strip_bag){0};
}

int wlab_strip_kind(int64_t flips, int64_t rows)
{
    const double part = rows > 0 ? (double)flips / (double)rows : 0;
    return flips == 0 ? 0 : part < 0.1 ? 1 : part < 1.0 / 3 ? 2 : 3;
}

static void put_cells(wlab_figure *f, const wlab_view_run *v, const wlab_strip_bag *o,
                      const wlab_strip_cell *cell, int64_t columns, int64_t stride)
{
    static const char *const names[WIDE] = {"step", "line", "shade", "kind", "flips", "rows", "bag"};
    int b = wlab_figure_block(f, columns * o->lines, WIDE);

    wlab_view_about(f, b, "bagflips", v);
    wlab_figure_about(f, b,
                      "a line is %s, a column %lld step%s; flips: labels that changed, rows: in the line",
                      o->lines < v->problem->bags ? "several bags (bag: the first)" : "a bag",
                      (long long)stride, stride == 1 ? "" : "s");
    wlab_figure_about(
        f, b, "shade: the square root of the fraction that changed; kind: 1 any, 2 a tenth, 3 a third");
    for (int c = 0; c < WIDE; c++)
        wlab_figure_column(f, b, c, "%s", names[c]);
    for (int64_t line = 0; line < o->lines; line++)
        for (int64_t k = 0; k < columns; k++) {
            const wlab_strip_cell *c = &cell[k * o->lines + line];
            const int64_t at = line * columns + k, flips = c->to_positive + c->to_negative;
            *wlab_figure_at(f, b, at, STEP) = (double)(k * stride) + (double)(stride - 1) / 2;
            *wlab_figure_at(f, b, at, LINE) = (double)(o->lines - line) - 0.5;
            *wlab_figure_at(f, b, at, SHADE) = fmin(1, sqrt((double)flips / (double)o->size[line]));
            *wlab_figure_at(f, b, at, KIND) = wlab_strip_kind(flips, o->size[line]);
            *wlab_figure_at(f, b, at, FLIPS) = (double)flips;
            *wlab_figure_at(f, b, at, ROWS) = (double)o->size[line];
            *wlab_figure_at(f, b, at, BAG) = (double)wlab_problem_bag_number(v->problem, o->bag[line]);
        }
    if (f->failed)
        return;
    f->block[b].scan = columns;
    f->block[b].digits = 8;
}

static void put_text(wlab_figure *f, int kind, char mark, const char *title)
{
    wlab_series s = {.draw = WL_D_POINTS, .x = STEP + 1, .y = LINE + 1, .mark = mark, .ink = 1, .wheres = 1};
    char style[32];
    s.where[0].column = KIND + 1;
    s.where[0].value = kind;
    snprintf(style, sizeof style, "with points pt '%c'", mark);
    wlab_figure_series(f, &s, title, style);
}

/* Write the given proportions or signs at the left, of at most 20 lines (7 in text). */
static void put_tics(wlab_figure *f, const wlab_problem *p, const wlab_strip_bag *o)
{
    const int64_t most = f->text ? 7 : 20, each = (o->lines + most - 1) / most;

    wlab_figure_before(f, "set ytics noenhanced (");
    for (int64_t k = 0; k < o->lines; k += each) {
        const double given = p->bag_given[o->bag[k]];
        wlab_figure_before(f, "%s'%d: ", k ? ", " : "", o->bag[k] + 1);
        if (isnan(given))
            wlab_figure_before(f, "?");
        else if (p->task->sees == WL_SEES_BAG_SIGNS)
            wlab_figure_before(f, "%s", given > 0 ? "+" : "-");
        else
            wlab_figure_before(f, "%.2f", given);
        wlab_figure_before(f, "' %.6g", (double)(o->lines - k) - 0.5);
    }
    wlab_figure_before(f, ")\n");
}

/* For an algorithm that displays one of several restarts: the number of steps in which it changed to another restart;
 * *last: the last of them. */
static int64_t count_restart_changes(const wlab_view_run *v, int64_t *last)
{
    const int m = wlab_metric_of(v->algo, WL_R_RESTART);
    int64_t steps = 0;

    for (int64_t t = 1; m >= 0 && t < v->rows; t++) {
        const double before = v->row[t - 1].metric[m], now = v->row[t].metric[m];
        if (now == (isnan(before) ? 1 : before)) /* the start belongs to the first restart */
            continue;
        steps++;
        *last = v->row[t].iter;
    }
    return steps;
}

/* "after step 7: 3 of 25 bags changed in it" */
static void put_state(wlab_figure *f, const wlab_view_run *v, int64_t stride, const wlab_strip_bag *o,
                      wlab_err *err)
{
    const wlab_problem *p = v->problem;
    bool *last = wlab_calloc((size_t)p->bags, sizeof *last);
    int64_t changed = 0, other = 0;

    (void)err;
    if (!last) {
        f->failed = true;
        return;
    }
    for (int64_t i = 0; i < p->n; i++)
        last[p->bag[i]] |= v->labels[i] != v->labels_before[i] && wlab_strip_flips(p, v->labels_before[i]);
    for (int64_t b = 0; b < p->bags; b++)
        changed += last[b];
    wlab_free(last);
    wlab_figure_title(f, "after step %lld: %lld of %lld bags changed in it",
                      (long long)v->row[v->rows - 1].iter, (long long)changed, (long long)p->bags);
    const int64_t others = count_restart_changes(v, &other);
    if (others)
        wlab_figure_title(f, "another restart is shown than in the step before: in %lld step%s, %sstep %lld",
                          (long long)others, others == 1 ? "" : "s", others == 1 ? "" : "the last ",
                          (long long)other);
    if (stride > 1 || o->lines < p->bags)
        wlab_figure_title(f, "%lld bag%s per line, %lld step%s per column",
                          (long long)((p->bags + o->lines - 1) / o->lines), o->lines < p->bags ? "s" : "",
                          (long long)stride, stride == 1 ? "" : "s");
}

static wlab_code draw_view(wlab_figure *f, const wlab_view_request *q, wlab_err *err)
{
    const wlab_view_run *v = &q->run[0];
    const wlab_problem *p = v->problem;
    int64_t stride = (v->rows + COLUMNS - 1) / COLUMNS, columns = 0;
    wlab_strip_bag o = {0};
    wlab_strip_cell *cell = NULL;
    wlab_code code = wlab_view_alone(q, "bagflips", "its axis is steps", err);

    code = code ? code : wlab_view_stepped(q, err);
    if (!code && (!p->bag || !p->bag_given))
        code = wlab_fail(err, WL_ESTATE,
                         "task %s has no bags: `bagflips` draws `task llp` and `task mil`; try `plot flips`",
                         p->task->name);
    code = code ? code : wlab_view_titles(f, q, "bagflips", err);
    code = code ? code : wlab_strip_bags(&o, p, f->text ? TEXT_LINES : LINES, err);
    if (code)
        return code;
    columns = (v->rows + stride - 1) / stride;
    cell = wlab_calloc((size_t)(columns * o.lines), sizeof *cell);
    if (!cell ||
        wlab_strip_count(p, v->labels_first, v->row, v->rows, 0, stride, o.line, o.lines, cell, NULL)) {
        code = wlab_nomem(err);
        goto out;
    }
    put_state(f, v, stride, &o, err);
    wlab_figure_axes(f, "step (0: the start)",
                     p->task->sees == WL_SEES_BAG_SIGNS ? "bag: its sign" : "bag: its given proportion");
    f->fixed = f->whole_x = true;
    wlab_figure_cover(f, -0.5, 0);
    wlab_figure_cover(f, (double)(columns * stride) - 0.5, (double)o.lines);
    put_tics(f, p, &o);
    put_cells(f, v, &o, cell, columns, stride);
    if (f->text) {
        put_text(f, 1, '.', "labels change");
        put_text(f, 2, 'o', "a tenth or more");
        put_text(f, 3, '#', "a third or more");
    } else {
        wlab_figure_before(f,
                           "set palette defined (0 '#ffffff', 0.1 '#d6e6f2', 0.5 '#4a9bcb', 1 '#00304f')\n"
                           "set cbrange [0:1]\nset cblabel 'fraction of labels changed'\n"
                           "set cbtics ('0' 0, '0.01' 0.1, '0.1' 0.31623, '0.25' 0.5, '0.5' 0.70711, '1' 1)\n"
                           "set colorbox noborder\nunset grid\n");
        wlab_figure_series(f, &(wlab_series){.draw = WL_D_IMAGE, .mark = ' '}, NULL, "with image");
    }
out:
    wlab_strip_bag_clear(&o);
    wlab_free(cell);
    return code ? code : f->failed ? wlab_nomem(err) : WL_OK;
}

const wlab_view wlab_view_bagflips = {
    .name = "bagflips",
    .summary = "task llp, mil: how many of each bag's labels changed in each step",
    .of = WL_VIEW_ONE | WL_VIEW_FIXED,
    .draw = draw_view,
};

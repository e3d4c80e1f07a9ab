/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Views `tree` and `treebounds`: the search tree of branch and bound by depth (the number of branchings above a node):
 * how many nodes were split in two, were closed, or wait; and their smallest lower bounds, with the best value known.
 */
#include "plot/views/view.h"
#include <math.h>
#include <stdio.h>

static const struct {
    int count, bound; /* columns of the probe */
    const char *name;
    char mark;
    int ink, point;
    const char *color;
} kinds[] = {{WL_TREE_OPEN, WL_TREE_OPEN_BOUND, "open", 'o', 2, 6, "e69f00"},
             {WL_TREE_CLOSED, WL_TREE_CLOSED_BOUND, "closed", 'x', 3, 2, "009e73"},
             {WL_TREE_SPLIT, WL_TREE_SPLIT_BOUND, "split", 's', 1, 7, "0072b2"}};
enum {
    KINDS = 3
};

/* The tree of the request's run into *made or from the mirror, the titles, and the axes. */
static wlab_code begin(wlab_figure *f, const wlab_view_request *q, const char *view, const char *ylabel,
                       wlab_shown *made, const wlab_shown **shown, wlab_err *err)
{
    const wlab_view_run *v = &q->run[0];
    wlab_code code = wlab_view_alone(q, view, "its axis is the depth in the tree", err);

    if (!code && wlab_probe_index(v->algo, WL_PROBE_TREE) < 0)
        code = wlab_fail(err, WL_ESTATE, "%s searches no tree", v->algo->name);
    code = code ? code : wlab_view_stepped(q, err);
    code =
        code ? code
             : wlab_view_probe(v, q, WL_PROBE_TREE, "the tree is copied at the next pause", made, shown, err);
    code = code ? code : wlab_view_titles(f, q, view, err);
    if (code)
        return code;
    wlab_figure_title(f, "after step %lld", (long long)(*shown)->iter);
    wlab_figure_axes(f, "depth, the number of branchings above the node", ylabel);
    f->whole_x = true;
    return WL_OK;
}

static double at(const wlab_shown *shown, int64_t depth, int column)
{
    return shown->value.value[depth * shown->value.columns + column];
}

static double total(const wlab_shown *shown, int column)
{
    double sum = 0;
    for (int64_t k = 0; k < shown->value.rows; k++)
        sum += at(shown, k, column);
    return sum;
}

static wlab_code draw_counts(wlab_figure *f, const wlab_view_request *q, wlab_err *err)
{
    wlab_shown made = {0};
    const wlab_shown *shown = NULL;
    wlab_code code = begin(f, q, "tree", "nodes", &made, &shown, err);
    char title[60], style[80];

    if (!code) {
        const int64_t rows = shown->value.rows;
        const int b = wlab_figure_block(f, rows, 1 + KINDS);
        wlab_view_about(f, b, "tree", &q->run[0]);
        wlab_figure_about(f, b, "each column includes the nodes of the columns to its right");
        wlab_figure_column(f, b, 0, "depth");
        double most = 1;
        for (int64_t k = 0; k < rows; k++) {
            double sum = 0;
            *wlab_figure_at(f, b, k, 0) = (double)k;
            for (int i = KINDS; i-- > 0;)
                *wlab_figure_at(f, b, k, 1 + i) = sum += at(shown, k, kinds[i].count);
            most = fmax(most, sum);
        }
        f->zero_y = f->whole_y = true;
        wlab_figure_cover(f, -0.5, 0);
        wlab_figure_cover(f, (double)rows - 0.5, most);
        wlab_figure_before(f, "set boxwidth 0.9\n");
        for (int i = 0; i < KINDS; i++) { /* the later ones cover the lower parts of the earlier ones */
            const double nodes = total(shown, kinds[i].count);
            wlab_figure_column(f, b, 1 + i, "%s", kinds[i].name);
            snprintf(title, sizeof title, "%s %.0f", kinds[i].name, nodes);
            snprintf(style, sizeof style, "with boxes fs solid 0.85 noborder lc rgb '#%s'", kinds[i].color);
            wlab_series bars = {.block = b,
                                .draw = WL_D_BARS,
                                .x = 1,
                                .y = 2 + i,
                                .width = f->text ? 0 : 0.9,
                                .ink = kinds[i].ink,
                                .mark = kinds[i].mark};
            if (nodes > 0)
                wlab_figure_series(f, &bars, title, f->text ? "with impulses" : style);
        }
        code = f->failed ? wlab_nomem(err) : WL_OK;
    }
    wlab_shown_clear(&made);
    return code;
}

static wlab_code draw_bounds(wlab_figure *f, const wlab_view_request *q, wlab_err *err)
{
    const wlab_view_run *v = &q->run[0];
    wlab_shown made = {0};
    const wlab_shown *shown = NULL;
    wlab_code code = begin(f, q, "treebounds", "smallest lower bound", &made, &shown, err);
    char title[60], style[80];

    if (!code) {
        const int64_t rows = shown->value.rows;
        const int m = wlab_metric_of(v->algo, WL_R_UPPER);
        const double best = m < 0 ? NAN : v->row[v->rows - 1].metric[m];
        const int b = wlab_figure_block(f, rows, 2 + KINDS);
        int drawn = 0;
        wlab_view_about(f, b, "treebounds", v);
        wlab_figure_column(f, b, 0, "depth");
        wlab_figure_column(f, b, 1 + KINDS, "best");
        for (int64_t k = 0; k < rows; k++) {
            *wlab_figure_at(f, b, k, 0) = (double)k;
            for (int i = 0; i < KINDS; i++)
                *wlab_figure_at(f, b, k, 1 + i) = at(shown, k, kinds[i].bound);
            *wlab_figure_at(f, b, k, 1 + KINDS) = best;
        }
        wlab_figure_cover(f, -0.5, best);
        wlab_figure_cover(f, (double)rows - 0.5, best);
        for (int i = 0; i < KINDS; i++) {
            bool any = false;
            wlab_figure_column(f, b, 1 + i, "%s", kinds[i].name);
            for (int64_t k = 0; k < rows; k++)
                if (isfinite(at(shown, k, kinds[i].bound))) {
                    any = true;
                    wlab_figure_cover(f, (double)k, at(shown, k, kinds[i].bound));
                }
            snprintf(title, sizeof title, "%s", kinds[i].name);
            snprintf(style, sizeof style, "with linespoints lw 1.5 pt %d ps 1.3 lc rgb '#%s'", kinds[i].point,
                     kinds[i].color);
            if (f->text)
                snprintf(style, sizeof style, "with points pt '%c'", kinds[i].mark);
            if (any)
                wlab_figure_series(f,
                                   &(wlab_series){.block = b,
                                                  .draw = WL_D_LINES,
                                                  .x = 1,
                                                  .y = 2 + i,
                                                  .ink = kinds[i].ink,
                                                  .mark = kinds[i].mark},
                                   title, style);
            drawn += any;
        }
        if (isfinite(best))
            wlab_figure_series(
                f,
                &(wlab_series){
                    .block = b, .draw = WL_D_LINES, .x = 1, .y = 2 + KINDS, .ink = 7, .dash = 2, .mark = '='},
                "best labeling", f->text ? "with points pt '='" : "with lines lw 2 dt 2 lc rgb '#000000'");
        code = f->failed ? wlab_nomem(err)
               : drawn   ? WL_OK
                         : wlab_fail(err, WL_ESTATE, "no node has a bound yet: `step` first");
    }
    wlab_shown_clear(&made);
    return code;
}

const wlab_view wlab_view_tree = {
    .name = "tree",
    .summary = "the search tree of branch and bound by depth: nodes that were split in two, that were "
               "closed, and that are open",
    .of = WL_VIEW_ONE | WL_VIEW_FIXED | WL_VIEW_STATE | WL_VIEW_PROBE,
    .probe = WL_PROBE_TREE,
    .draw = draw_counts,
};

const wlab_view wlab_view_treebounds = {
    .name = "treebounds",
    .summary = "the smallest lower bounds of those nodes by depth, and the value of the best labeling",
    .of = WL_VIEW_ONE | WL_VIEW_FIXED | WL_VIEW_STATE | WL_VIEW_PROBE,
    .probe = WL_PROBE_TREE,
    .draw = draw_bounds,
};

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * View `landscape`: the objective of a concept over two columns, those that count most, with all else as it is: dark
 * valleys are places where a concept would be good.  Many valleys are why many starts are needed.
 */
#include "plot/views/view.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { /* columns of block 0 */
    X,
    Y,
    SHADE,
    KIND, /* 0 to 2: among the lowest 2, 10, 30 % of the places; 3: others */
    VALUE,
    WIDE
};
enum {
    PLACES = WL_LAND_SIDE * WL_LAND_SIDE,
    FAR = 20 /* above the lowest value the objective, a logarithm of a probability, has no shade */
};

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static wlab_code put_places(wlab_figure *f, const wlab_view_run *v, const wlab_probed *p, double *top,
                            wlab_err *err)
{
    static const double share[] = {0.02, 0.1, 0.3};
    double limit[3], *sorted = wlab_alloc(PLACES, sizeof *sorted);
    const int b = wlab_figure_block(f, PLACES, WIDE);
    static const char *const names[WIDE] = {"x", "y", "shade", "kind", "objective"};

    if (!sorted)
        return wlab_nomem(err);
    for (int k = 0; k < PLACES; k++)
        sorted[k] = p->value[k * WL_LAND_COLUMNS + WL_LAND_VALUE];
    qsort(sorted, PLACES, sizeof *sorted, ascending);
    for (int k = 0; k < 3; k++)
        limit[k] = sorted[(int)(share[k] * (PLACES - 1))];
    *top = fmin(sorted[PLACES / 2], sorted[0] + FAR);
    wlab_free(sorted);
    if (!isfinite(*top))
        return wlab_fail(err, WL_ESTATE,
                         "the objective is not finite at most places: there is nothing to draw");
    wlab_view_about(f, b, "landscape", v);
    wlab_figure_about(f, b,
                      "shade: the objective, %.6g where it is larger; kind: 0 to 2 among the lowest 2, 10, "
                      "30 %% of the places",
                      *top);
    for (int c = 0; c < WIDE; c++)
        wlab_figure_column(f, b, c, "%s", names[c]);
    if (f->failed)
        return WL_OK;
    f->block[b].scan = WL_LAND_SIDE;
    f->block[b].digits = 8;
    for (int k = 0; k < PLACES; k++) {
        const double *row = p->value + k * WL_LAND_COLUMNS, value = row[WL_LAND_VALUE];
        int kind = 0;
        while (kind < 3 && value > limit[kind])
            kind++;
        *wlab_figure_at(f, b, k, X) = row[WL_LAND_X];
        *wlab_figure_at(f, b, k, Y) = row[WL_LAND_Y];
        *wlab_figure_at(f, b, k, SHADE) = fmin(value, *top);
        *wlab_figure_at(f, b, k, KIND) = kind;
        *wlab_figure_at(f, b, k, VALUE) = value;
        wlab_figure_cover(f, row[WL_LAND_X], row[WL_LAND_Y]);
    }
    return WL_OK;
}

static void put_instances(wlab_figure *f, const wlab_view_run *v, int x, int y)
{
    const wlab_problem *p = v->problem;
    if (!p->bag || !p->bag_given)
        return;
    const int b = wlab_figure_block(f, p->n, 3);

    wlab_figure_about(f, b, "the instances, and the sign of their bag");
    wlab_figure_column(f, b, 0, "x");
    wlab_figure_column(f, b, 1, "y");
    wlab_figure_column(f, b, 2, "bag");
    for (int64_t i = 0; i < p->n && !f->failed; i++) {
        *wlab_figure_at(f, b, i, 0) = wlab_matrix_at(p->X, i, x);
        *wlab_figure_at(f, b, i, 1) = wlab_matrix_at(p->X, i, y);
        *wlab_figure_at(f, b, i, 2) = p->bag_given[p->bag[i]] > 0.5 ? 1 : -1;
    }
    wlab_view_points(f, b, "in negative bags", 2, -1, '-', 2, "with points pt 9 ps 0.8 lc rgb '#d55e00'");
    wlab_view_points(f, b, "in positive bags", 2, 1, '+', 1, "with points pt 7 ps 0.8 lc rgb '#0072b2'");
}

static wlab_code draw_landscape(wlab_figure *f, const wlab_view_request *q, const wlab_shown *shown,
                                wlab_err *err)
{
    const wlab_view_run *v = &q->run[0];
    const wlab_probed *p = &shown->value;
    const double *concept = p->value + PLACES * WL_LAND_COLUMNS, *of = concept + WL_LAND_COLUMNS;
    const bool image = !f->text && !q->live;
    char axis[2][32];
    double top = 0;
    wlab_code code = put_places(f, v, p, &top, err);

    if (code)
        return code;
    wlab_figure_title(f, "after step %lld: %.6g at the concept%s", (long long)shown->iter,
                      concept[WL_LAND_VALUE],
                      v -> problem -> X -> cols > 2 ? "; the other columns are those of the concept" : "");
    for (int k = 0; k < 2; k++)
        snprintf(axis[k], sizeof axis[k], "column %.0f", of[k] + 1);
    wlab_figure_axes(f, axis[0], axis[1]);
    f->fixed = true;
    if (image) {
        wlab_figure_before(
            f,
            "set palette defined (0 '#00304f', 0.3 '#4a9bcb', 1 '#ffffff')\nset cbrange [*:%.8g]\n"
            "set colorbox noborder\nunset grid\n",
            top);
        /* gnuplot leaves too little space beside tics of positive numbers */
        if (f->small)
            wlab_figure_before(f, "set cblabel 'objective' offset 1.5,0\n");
        else
            wlab_figure_before(f, "set cblabel 'objective; above %.4g: white' offset 1.5,0\n", top);
        wlab_figure_series(f, &(wlab_series){.draw = WL_D_IMAGE, .mark = ' '}, NULL, "with image");
    } else {
        wlab_view_points(f, 0, "lowest 30 %", KIND, 2, '.', 7, "");
        wlab_view_points(f, 0, "lowest 10 %", KIND, 1, ':', 7, "");
        wlab_view_points(f, 0, "lowest 2 %", KIND, 0, '#', 7, "");
    }
    put_instances(f, v, (int)of[0], (int)of[1]);
    const int one = wlab_figure_block(f, 1, 2);
    wlab_figure_about(f, one, "the concept");
    for (int k = 0; k < 2; k++) {
        wlab_figure_column(f, one, k, k ? "y" : "x");
        *wlab_figure_at(f, one, 0, k) = concept[k];
    }
    wlab_view_points(f, one, "concept", -1, 0, '*', 3, "with points pt 3 ps 3 lw 3 lc rgb '#000000'");
    return f->failed ? wlab_nomem(err) : WL_OK;
}

static wlab_code draw_view(wlab_figure *f, const wlab_view_request *q, wlab_err *err)
{
    const wlab_view_run *v = &q->run[0];
    wlab_shown made = {0};
    const wlab_shown *shown = NULL;
    wlab_code code = wlab_view_alone(q, "landscape", "its axes are columns", err);

    code = code ? code : wlab_view_stepped(q, err);
    if (!code && wlab_probe_index(v->algo, WL_PROBE_LANDSCAPE) < 0)
        code = wlab_fail(err, WL_ESTATE, "%s looks for no concept; try `plot boundary` or `plot projection`",
                         v->algo->name);
    code = code ? code : wlab_view_titles(f, q, "landscape", err);
    code = code ? code
                : wlab_view_probe(v, q, WL_PROBE_LANDSCAPE, "the landscape is copied at the next pause",
                                  &made, &shown, err);
    code = code ? code : draw_landscape(f, q, shown, err);
    wlab_shown_clear(&made);
    return code;
}

const wlab_view wlab_view_landscape = {
    .name = "landscape",
    .summary =
        "dd, em-dd: the objective of a concept over the two columns that count most, and the instances",
    .of = WL_VIEW_ONE | WL_VIEW_FIXED | WL_VIEW_STATE | WL_VIEW_PROBE | WL_VIEW_VALUES,
    .probe = WL_PROBE_LANDSCAPE,
    .draw = draw_view,
};

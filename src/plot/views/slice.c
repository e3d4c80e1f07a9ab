/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * View `slice`: the objective along the last move of w, J(w_old + t (w - w_old)) for t from -0.5 to 1.5, with the points
 * t = 0, where the step began, and t = 1, where it ended.  A valley between two hills, or a hill beyond t = 1, shows that
 * the objective is not convex.  If the step minimised another function in its place, this is drawn beside it: a convex
 * majoriser touches the objective at t = 0 and has its minimum near t = 1.
 */
#include "plot/views/view.h"
#include <math.h>
#include <stdio.h>

static wlab_code draw_slice(wlab_figure *f, const wlab_view_run *v, const wlab_probed *p, wlab_err *err)
{
    double lo = INFINITY, hi = -INFINITY;
    int finite = 0;
    const char *beside = v->algo->probes[wlab_probe_index(v->algo, WL_PROBE_SLICE)].beside;
    const int columns = beside ? 3 : 2;
    const double *value = p->value;

    for (int64_t k = 0; k < p->rows; k++)
        for (int c = 1; c < columns; c++)
            if (isfinite(value[columns * k + c])) {
                lo = fmin(lo, value[columns * k + c]);
                hi = fmax(hi, value[columns * k + c]);
                finite += c == 1;
            }
    if (finite < 2)
        return wlab_fail(err, WL_ESTATE,
                         "the objective along the move is not finite: there is nothing to draw");
    /* a small step near the optimum: the axis would have the same digits at each tick */
    const double last = value[columns * WL_SLICE_NEW + 1],
                 base = isfinite(last) && hi - lo < 1e-5 * fabs(last) ? last : 0;
    char axis[60] = "objective";
    if (base != 0)
        snprintf(axis, sizeof axis, "objective - %.10g", base);
    const int b = wlab_figure_block(f, p->rows, columns), ends = wlab_figure_block(f, 2, 2);
    wlab_view_about(f, b, "slice", v);
    wlab_figure_about(f, b, "objective at w_old + t (w - w_old)");
    wlab_figure_about(f, ends, "where the step began, t = 0, and where it ended, t = 1");
    for (int k = 0; k < 2; k++) {
        wlab_figure_column(f, k ? ends : b, 0, "t");
        wlab_figure_column(f, k ? ends : b, 1, "objective");
    }
    if (beside)
        wlab_figure_column(f, b, 2, "%s", beside);
    for (int64_t k = 0; k < p->rows; k++)
        for (int c = 0; c < columns; c++)
            *wlab_figure_at(f, b, k, c) = value[columns * k + c] - (c > 0 ? base : 0);
    for (int k = 0; k < 2; k++)
        for (int c = 0; c < 2; c++)
            *wlab_figure_at(f, ends, k, c) =
                value[columns * (k ? WL_SLICE_NEW : WL_SLICE_OLD) + c] - (c > 0 ? base : 0);
    wlab_figure_cover(f, value[0], lo - base);
    wlab_figure_cover(f, value[columns * (p->rows - 1)], hi - base);
    wlab_figure_axes(f, "t: the step began at 0 and ended at 1", axis);
    if (beside) {
        wlab_series other = {
            .block = b, .draw = WL_D_LINES, .x = 1, .y = 3, .ink = 3, .dash = 2, .mark = '-'};
        wlab_figure_series(f, &other, beside,
                           f->text ? "with points pt '-'" : "with lines lw 3 dt 2 lc rgb '#009e73'");
    }
    wlab_series curve = {.block = b, .draw = WL_D_LINES, .x = 1, .y = 2, .ink = 1, .mark = '.'};
    char name[60] = "along the move";
    if (base != 0)
        snprintf(name, sizeof name, "along the move, minus %.10g", base);
    wlab_figure_series(f, &curve, name,
                       f->text ? "with points pt '.'" : "with lines lw 3 dt 1 lc rgb '#0072b2'");
    static const char *const names[] = {"before", "after"};
    for (int k = 0; k < 2; k++) {
        char style[64];
        wlab_series point = {.block = ends,
                             .draw = WL_D_POINTS,
                             .x = 1,
                             .y = 2,
                             .ink = k ? 1 : 2,
                             .mark = k ? '*' : 'o',
                             .wheres = 1};
        point.where[0].column = 1;
        point.where[0].value = k;
        if (f->text)
            snprintf(style, sizeof style, "with points pt '%c'", point.mark);
        else
            snprintf(style, sizeof style, "with points pt %d ps 2 lc rgb '#%s'", k ? 7 : 9,
                     k ? "0072b2" : "d55e00");
        wlab_figure_series(f, &point, names[k], style);
    }
    return f->failed ? wlab_nomem(err) : WL_OK;
}

static wlab_code draw_view(wlab_figure *f, const wlab_view_request *q, wlab_err *err)
{
    const wlab_view_run *v = &q->run[0];
    wlab_shown made = {0};
    const wlab_shown *shown = NULL;
    wlab_code code = wlab_view_alone(q, "slice", "its axis is the last move of w", err);

    code = code ? code : wlab_view_stepped(q, err);
    if (!code && wlab_probe_index(v->algo, WL_PROBE_SLICE) < 0)
        code = wlab_fail(err, WL_ESTATE,
                         "%s does not move along the gradient of an objective; try `plot objective`",
                         v->algo->name);
    code = code ? code : wlab_view_titles(f, q, "objective along the last move", err);
    code = code ? code
                : wlab_view_probe(v, q, WL_PROBE_SLICE, "the slice is copied at the next pause", &made,
                                  &shown, err);
    if (!code) {
        wlab_figure_title(f, "after step %lld", (long long)shown->iter);
        code = draw_slice(f, v, &shown->value, err);
    }
    wlab_shown_clear(&made);
    return code;
}

const wlab_view wlab_view_slice = {
    .name = "slice",
    .summary = "the objective along the last move of w, with the points where the step began and ended",
    .of = WL_VIEW_ONE | WL_VIEW_FIXED | WL_VIEW_STATE | WL_VIEW_PROBE,
    .probe = WL_PROBE_SLICE,
    .draw = draw_view,
};

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * View `cuts`: an algorithm that cuts a function of the rows into two clusters minimises something over the thresholds: its
 * value at every threshold, the cuts that the label set does not allow, the chosen one, and a lower bound on all if there
 * is one.  A wide valley means that the clusters are apart; many valleys, that another cut would have done as well.
 */
#include "plot/views/view.h"
#include <math.h>
#include <stdio.h>

enum { /* columns of block 0 */
    AT,
    ALLOWED,
    EVERY,
    WIDE
};

static wlab_code draw_cuts(wlab_figure *f, const wlab_view_run *v, const wlab_shown *shown, wlab_err *err)
{
    const wlab_probed *p = &shown->value;
    const int64_t n = p->rows - 1;
    const double *chosen = p->value + n * WL_CUT_COLUMNS, bound = chosen[WL_CUT_BOUND];
    const char *what = v->algo->probes[wlab_probe_index(v->algo, WL_PROBE_CUTS)].name;
    int64_t allowed = 0;

    if (n < 2 || !isfinite(chosen[WL_CUT_VALUE]))
        return wlab_fail(err, WL_ESTATE, "there are no values of cuts to draw");
    const int b = wlab_figure_block(f, n, WIDE), one = wlab_figure_block(f, 1, 2);
    wlab_view_about(f, b, "cuts", v);
    wlab_figure_about(f, b,
                      "rows above the threshold form the positive cluster; the values of the cuts that the "
                      "balance allows, and of all");
    wlab_figure_column(f, b, AT, "threshold");
    wlab_figure_column(f, b, ALLOWED, "%s", what);
    wlab_figure_column(f, b, EVERY, "every_cut");
    wlab_figure_about(f, one, "the chosen cut");
    wlab_figure_column(f, one, 0, "threshold");
    wlab_figure_column(f, one, 1, "%s", what);
    for (int64_t k = 0; k < n; k++) {
        const double *row = p->value + k * WL_CUT_COLUMNS;
        const bool may = row[WL_CUT_ALLOWED] > 0;
        *wlab_figure_at(f, b, k, AT) = row[WL_CUT_AT];
        *wlab_figure_at(f, b, k, ALLOWED) = may ? row[WL_CUT_VALUE] : NAN;
        *wlab_figure_at(f, b, k, EVERY) = row[WL_CUT_VALUE];
        wlab_figure_cover(f, row[WL_CUT_AT], row[WL_CUT_VALUE]);
        allowed += may;
    }
    *wlab_figure_at(f, one, 0, 0) = chosen[WL_CUT_AT];
    *wlab_figure_at(f, one, 0, 1) = chosen[WL_CUT_VALUE];
    wlab_figure_cover(f, chosen[WL_CUT_AT], chosen[WL_CUT_VALUE]);
    wlab_figure_title(f, "after step %lld: %.6g at the chosen cut; the balance allows %lld of %lld cuts",
                      (long long)shown->iter, chosen[WL_CUT_VALUE], (long long)allowed, (long long)n);
    wlab_figure_axes(f, "threshold: rows above it are +1", what);
    if (allowed < n)
        wlab_figure_series(
            f,
            &(wlab_series){
                .block = b, .draw = WL_D_LINES, .x = 1, .y = EVERY + 1, .ink = 7, .dash = 3, .mark = '.'},
            "every cut", f->text ? "with points pt '.'" : "with lines lw 2 dt 3 lc rgb '#666666'");
    wlab_figure_series(
        f, &(wlab_series){.block = b, .draw = WL_D_LINES, .x = 1, .y = ALLOWED + 1, .ink = 1, .mark = '*'},
        allowed < n ? "allowed by the balance" : "every cut",
        f->text ? "with points pt '*'" : "with lines lw 3 dt 1 lc rgb '#0072b2'");
    wlab_figure_series(
        f, &(wlab_series){.block = one, .draw = WL_D_POINTS, .x = 1, .y = 2, .ink = 2, .mark = 'o'}, "chosen",
        f->text ? "with points pt 'o'" : "with points pt 7 ps 2 lc rgb '#d55e00'");
    if (isfinite(bound)) {
        const int line = wlab_figure_block(f, 2, 2);
        wlab_figure_about(f, line, "the lower bound");
        wlab_figure_column(f, line, 0, "threshold");
        wlab_figure_column(f, line, 1, "lower");
        for (int k = 0; k < 2; k++) {
            *wlab_figure_at(f, line, k, 0) = p->value[(k ? n - 1 : 0) * WL_CUT_COLUMNS + WL_CUT_AT];
            *wlab_figure_at(f, line, k, 1) = bound;
        }
        wlab_figure_cover(f, chosen[WL_CUT_AT], bound);
        wlab_figure_series(
            f,
            &(wlab_series){
                .block = line, .draw = WL_D_LINES, .x = 1, .y = 2, .ink = 3, .dash = 2, .mark = 'l'},
            "lower bound", f->text ? "with points pt 'l'" : "with lines lw 2 dt 2 lc rgb '#009e73'");
    }
    return f->failed ? wlab_nomem(err) : WL_OK;
}

static wlab_code draw_view(wlab_figure *f, const wlab_view_request *q, wlab_err *err)
{
    const wlab_view_run *v = &q->run[0];
    wlab_shown made = {0};
    const wlab_shown *shown = NULL;
    wlab_code code = wlab_view_alone(q, "cuts", "its axis is the threshold", err);

    code = code ? code : wlab_view_stepped(q, err);
    if (!code && wlab_probe_index(v->algo, WL_PROBE_CUTS) < 0)
        code =
            wlab_fail(err, WL_ESTATE, "%s does not choose among cuts; try `plot histogram`", v->algo->name);
    code = code ? code : wlab_view_titles(f, q, "cuts", err);
    code = code ? code
                : wlab_view_probe(v, q, WL_PROBE_CUTS, "the cuts are copied at the next pause", &made, &shown,
                                  err);
    code = code ? code : draw_cuts(f, v, shown, err);
    wlab_shown_clear(&made);
    return code;
}

const wlab_view wlab_view_cuts = {
    .name = "cuts",
    .summary = "itersvr, ncut: what is minimised over the cuts into two clusters, for every threshold",
    .of = WL_VIEW_ONE | WL_VIEW_FIXED | WL_VIEW_STATE | WL_VIEW_PROBE,
    .probe = WL_PROBE_CUTS,
    .draw = draw_view,
};

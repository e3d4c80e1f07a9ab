/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * View `flips`: the number of labels that changed in each step, as boxes; the boxes of several runs are side by side.  A
 * step after which another restart is shown has no box: what differs are the restarts.
 */
#include "plot/views/view.h"
#include <math.h>
#include <stdio.h>

static wlab_code draw_view(wlab_figure *f, const wlab_view_request *q, wlab_err *err)
{
    int drawn = 0;
    wlab_code code = wlab_view_stepped(q, err);
    double width = 0.8 / q->runs;
    bool boxes = q->vs == WL_VS_ITER && !f->text;

    code = code ? code : wlab_view_titles(f, q, "flips", err);
    if (code)
        return code;
    wlab_view_axes(f, q, "labels that changed", false);
    f->zero_y = f->whole_y = true;
    if (boxes)
        wlab_figure_before(f, "set boxwidth %.6g\nset style fill solid 0.75 noborder\n", width * 0.95);
    for (int r = 0; r < q->runs && !code; r++) {
        const wlab_view_run *v = &q->run[r];
        int block, x, first, k = wlab_metric_of(v->algo, WL_R_FLIPS);
        int64_t shown = 0, restarts = 0;
        int place = wlab_view_place(q, r);
        char style[64];
        if ((code = wlab_view_block(f, q, v, "flips", 1, &block, &x, &first, err)))
            break;
        wlab_figure_column(f, block, first, "flips");
        for (int64_t i = 0; k >= 0 && i < v->rows; i++) {
            double y = v->row[i].metric[k], at = *wlab_figure_at(f, block, i, x - 1);
            const bool restarted = wlab_row_restarted(v->algo, v->row, i);
            *wlab_figure_at(f, block, i, first) = restarted ? NAN : y;
            shown += !restarted && wlab_figure_cover(f, at, y);
            restarts += restarted;
        }
        if (restarts)
            wlab_figure_title(f, "%s%s%lld step%s without a box: another restart is shown",
                              q->runs > 1 ? v->name : "", q->runs > 1 ? ": " : "", (long long)restarts,
                              restarts == 1 ? "" : "s");
        if (!shown)
            continue;
        if (boxes)
            snprintf(style, sizeof style, "with boxes ls %d dt 1", place % 7 + 1);
        else if (f->text)
            snprintf(style, sizeof style, "with impulses lt %d", place + 1);
        else
            snprintf(style, sizeof style, "with impulses ls %d lw 4 dt 1", place % 7 + 1);
        wlab_series bars = {.block = block,
                            .draw = WL_D_BARS,
                            .x = x,
                            .y = first + 1,
                            .shifted = true,
                            .shift = q->vs == WL_VS_ITER ? width * (place - (q->runs - 1) / 2.0) : 0,
                            .width = boxes ? width * 0.95 : 0,
                            .ink = place % 7 + 1,
                            .mark = q->runs > 1 ? wlab_view_letter(q, r) : '#'};
        wlab_figure_series(f, &bars, q->runs > 1 ? v->name : NULL, style);
        drawn++;
    }
    if (!code && !drawn)
        code =
            wlab_metric_of(q->run[0].algo, WL_R_FLIPS) >= 0
                ? wlab_fail(err, WL_ESTATE, "no step has counted flips yet: `step`")
                : wlab_fail(err, WL_ESTATE, "%s counts no flips; try `plot objective`", q->run[0].algo->name);
    if (!code && boxes) { /* space for the outer boxes */
        wlab_figure_cover(f, f->xlo - 0.5, f->ylo);
        wlab_figure_cover(f, f->xhi + 0.5, f->ylo);
    }
    if (!code)
        wlab_figure_cover(f, f->xlo, 0);
    return code;
}

const wlab_view wlab_view_flips = {
    .name = "flips",
    .summary = "how many labels changed in each step",
    .draw = draw_view,
};

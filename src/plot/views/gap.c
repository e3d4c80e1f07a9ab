/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * View `gap`: upper minus lower bound on a log axis; where no certified lower bound exists, the violation,
 * and the title says so.  For a relaxation over matrices the certified gap of its
 * inner problem too: it decides how far the outer one can close.
 */
#include "plot/views/view.h"

wlab_code wlab_view_gap(wlab_figure *f, const wlab_view_request *q, wlab_err *err)
{
    static const char *const gap[] = {"gap", "inner_gap"}, *const violation[] = {"violation"};
    int drawn = 0, without = 0;
    wlab_code code = wlab_view_stepped(q, err);

    for (int r = 0; r < q->runs; r++)
        without += !wlab_view_values(&q->run[r], "gap");
    if (!code)
        code = wlab_view_titles(f, q,
                                !without            ? "gap"
                                : without < q->runs ? "gap (violation where no lower bound is certified)"
                                                    : "violation (no certified lower bound, so no gap)",
                                err);
    if (code)
        return code;
    wlab_view_axes(f, q, !without ? "gap" : without < q->runs ? "gap or violation" : "violation", true);
    for (int r = 0; r < q->runs && !code; r++) {
        const int inner = q->run[r].algo->matrix && wlab_view_values(&q->run[r], "inner_gap") > 0;
        if (wlab_view_values(&q->run[r], "gap"))
            code = wlab_view_curves(f, q, r, "gap", gap, 1 + inner, inner ? 3 : 1, &drawn, err);
        else
            code = wlab_view_curves(f, q, r, "gap", violation, 1, 1, &drawn, err);
    }
    if (!code && !drawn)
        code = wlab_fail(err, WL_ESTATE, "%s has neither gap nor violation to draw; try `plot objective`",
                         q->run[0].algo->name);
    return code;
}

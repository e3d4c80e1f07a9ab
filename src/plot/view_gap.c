/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * View `gap`: upper minus lower bound on a log axis; where no certified lower bound exists, the violation,
 * and the title says so.
 */
#include "plot/view.h"

wlab_code wlab_view_gap(wlab_figure *f, const wlab_view_request *q, wlab_err *err)
{
    static const char *const gap[] = {"gap"}, *const violation[] = {"violation"};
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
    for (int r = 0; r < q->runs && !code; r++)
        code = wlab_view_curves(f, q, r, "gap", wlab_view_values(&q->run[r], "gap") ? gap : violation, 1, 1,
                                &drawn, err);
    if (!code && !drawn)
        code = wlab_fail(err, WL_ESTATE, "%s has neither gap nor violation to draw; try `plot objective`",
                         q->run[0].algo->name);
    return code;
}

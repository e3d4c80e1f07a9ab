/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * View `violation`: by how much the labeling that each step's search found violates the working set, on a log axis.
 */
#include "plot/views/view.h"

static wlab_code draw_view(wlab_figure *f, const wlab_view_request *q, wlab_err *err)
{
    static const wlab_role metrics[] = {WL_R_VIOLATION};
    int drawn = 0;
    wlab_code code = wlab_view_stepped(q, err);

    code = code ? code : wlab_view_titles(f, q, "violation", err);
    if (code)
        return code;
    wlab_view_axes(f, q, "violation", true);
    for (int r = 0; r < q->runs && !code; r++)
        code = wlab_view_curves(f, q, r, "violation", metrics, 1, 1, &drawn, err);
    if (!code && !drawn)
        code = wlab_fail(err, WL_ESTATE, "%s has no violation to draw; try `plot objective`",
                         q->run[0].algo->name);
    return code;
}

const wlab_view wlab_view_violation = {
    .name = "violation",
    .summary = "by how much the labeling that each step's search found violates the working set, log axis",
    .draw = draw_view,
};

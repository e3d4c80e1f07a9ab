/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * View `gap`: upper minus lower bound on a log axis; for an algorithm without a certified lower bound the violation,
 * and the title says so.  If the gap of the inner problem limits how far the outer gap can close, it is drawn too.
 */
#include "plot/views/view.h"

enum {
    LEAST =
        5 /* rows of a pane from which on a second curve, whose values may be far below, leaves room for the first */
};

/* Whether the accuracy of the inner problem limits how far the gap can close. */
static bool inner_gap_limits(const wlab_view_run *v)
{
    const int m = wlab_metric_of(v->algo, WL_R_INNER_GAP);
    return m >= 0 && v->algo->metrics[m].flags & WL_M_BESIDE;
}

static wlab_code draw_view(wlab_figure *f, const wlab_view_request *q, wlab_err *err)
{
    static const wlab_role gap[] = {WL_R_GAP, WL_R_INNER_GAP}, violation[] = {WL_R_VIOLATION};
    char none[96] = "";
    int drawn = 0, without = 0;
    wlab_code code = wlab_view_stepped(q, err);

    for (int r = 0; r < q->runs; r++)
        without += !wlab_view_values(&q->run[r], WL_R_GAP);
    if (!code)
        code = wlab_view_titles(f, q,
                                !without            ? "gap"
                                : without < q->runs ? "gap (violation where no lower bound is certified)"
                                                    : "violation (no certified lower bound, so no gap)",
                                err);
    if (code)
        return code;
    const char *differ = wlab_view_differ(q->run, q->runs);
    if (differ)
        wlab_figure_title(f, "problems may differ (%s): each gap is that of its own problem", differ);
    wlab_view_axes(f, q, !without ? "gap" : without < q->runs ? "gap or violation" : "violation", true);
    for (int r = 0; r < q->runs && !code; r++) {
        const int before = drawn;
        const int inner = inner_gap_limits(&q->run[r]) && !(q->rows > 0 && q->rows < LEAST) &&
                          wlab_view_values(&q->run[r], WL_R_INNER_GAP) > 0;
        if (wlab_view_values(&q->run[r], WL_R_GAP))
            code = wlab_view_curves(f, q, r, "gap", gap, 1 + inner, inner ? 3 : 1, &drawn, err);
        else
            code = wlab_view_curves(f, q, r, "gap", violation, 1, 1, &drawn, err);
        if (drawn == before)
            wlab_text_append(none, sizeof none, "%s%s (%s)", *none ? ", " : "", q->run[r].name,
                             q->run[r].algo->name);
    }
    if (drawn && *none)
        wlab_figure_title(f, "no curve of run %s: no bound is known, hence no gap", none);
    if (!code && !drawn)
        code = wlab_fail(err, WL_ESTATE, "%s has neither gap nor violation to draw; try `plot objective`",
                         q->run[0].algo->name);
    return code;
}

const wlab_view wlab_view_gap = {
    .name = "gap",
    .summary = "certified upper minus lower bound, log axis; for a run without a lower bound the violation",
    .draw = draw_view,
};

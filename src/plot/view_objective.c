/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * View `objective`: the objective, its certified bounds, and the best feasible labeling's value.  Of more than two
 * runs the objectives only are drawn, and of two in a small live picture: the bounds are in the .dat.
 */
#include "plot/view.h"

enum { /* bits: the curves */
    OBJECTIVE = 1,
    LOWER = 4,
    ALL = 15
};

/* Columns of a live picture of two runs from which on their legend has room for the lower bounds too, and for all. */
enum {
    FOR_LOWER = 40,
    FOR_ALL = 60
};

static unsigned curves(const wlab_view_request *q)
{
    if (q->runs > 2)
        return OBJECTIVE;
    if (q->runs < 2 || !q->live || !q->columns || q->columns >= FOR_ALL)
        return ALL;
    return q->columns >= FOR_LOWER ? OBJECTIVE | LOWER : OBJECTIVE;
}

wlab_code wlab_view_objective(wlab_figure *f, const wlab_view_request *q, wlab_err *err)
{
    static const char *const metrics[] = {"objective", "upper", "lower", "integer_upper"};
    int drawn = 0;
    wlab_code code = wlab_view_stepped(q, err);

    code = code ? code : wlab_view_titles(f, q, "objective", err);
    if (code)
        return code;
    wlab_view_axes(f, q, "objective", false);
    for (int r = 0; r < q->runs && !code; r++)
        code = wlab_view_curves(f, q, r, "objective", metrics, 4, curves(q), &drawn, err);
    if (!code && !drawn)
        code = wlab_fail(err, WL_ESTATE, "%s has no objective to draw; `info run` lists its metrics",
                         q->run[0].algo->name);
    return code;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * View `score`: the scores by labels that the learner never observes, which the command `score` switches on.
 */
#include "plot/views/view.h"
#include <string.h>

/* The title of the axis: that of the scores if all are of one kind, else "score". */
static const char *axis(const wlab_view_request *q, wlab_role role, int n)
{
    const char *title = NULL;
    for (int r = 0; r < q->runs; r++) {
        const int m = wlab_metric_of(q->run[r].algo, role);
        const char *own = m < 0 ? NULL : q->run[r].algo->metrics[m].axis;
        if (own && title && strcmp(own, title) != 0)
            return "score";
        title = own ? own : title;
    }
    return n > 1 || !title ? "score" : title;
}

static wlab_code draw_view(wlab_figure *f, const wlab_view_request *q, wlab_err *err)
{
    wlab_role metrics[3];
    int drawn = 0, n = 0;
    wlab_code code = wlab_view_stepped(q, err);

    for (wlab_role role = WL_R_HIDDEN; role <= WL_R_HIDDEN_BAGS; role++)
        for (int r = 0; r < q->runs; r++)
            if (wlab_metric_of(q->run[r].algo, role) >= 0) {
                metrics[n++] = role;
                break;
            }
    if (!code && n == 0)
        code = wlab_fail(err, WL_ESTATE, "no score is on; `score unlabeled on` (or test, or bags)");
    code = code ? code : wlab_view_titles(f, q, "score by labels that the learner never observes", err);
    if (code)
        return code;
    wlab_view_axes(f, q, axis(q, metrics[0], n), false);
    for (int r = 0; r < q->runs && !code; r++)
        code = wlab_view_curves(f, q, r, "score", metrics, n, (1U << n) - 1, &drawn, err);
    if (!code && !drawn)
        code = wlab_fail(err, WL_ESTATE, "no step has a score yet");
    return code;
}

const wlab_view wlab_view_score = {
    .name = "score",
    .summary =
        "how well the model of each step predicts labels that the learner never observes (command `score`)",
    .draw = draw_view,
};

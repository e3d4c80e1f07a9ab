/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * View `risk`: the two parts of the risk that is estimated from positive and unlabelled rows, and the scores by labels that
 * the learner never observes, if some are on.
 */
#include "plot/views/view.h"

static wlab_code draw_view(wlab_figure *f, const wlab_view_request *q, wlab_err *err)
{
    static const wlab_role metrics[] = {WL_R_RISK_NEGATIVE, WL_R_RISK_POSITIVE, WL_R_HIDDEN,
                                        WL_R_HIDDEN_TEST};
    enum {
        ALL = sizeof metrics / sizeof *metrics
    };
    int drawn = 0;
    bool any = false;
    wlab_code code = wlab_view_stepped(q, err);

    for (int r = 0; r < q->runs; r++)
        any = any || wlab_metric_of(q->run[r].algo, WL_R_RISK_NEGATIVE) >= 0;
    if (!code && !any)
        code = wlab_fail(err, WL_ESTATE,
                         "risk is for algorithms that estimate the risk of each class, such as upu and nnpu");
    if (code || (code = wlab_view_titles(f, q, "estimated risk of each class", err)))
        return code;
    wlab_view_axes(f, q, "risk, score", false);
    for (int r = 0; r < q->runs && !code; r++)
        if (wlab_metric_of(q->run[r].algo, WL_R_RISK_NEGATIVE) >= 0)
            code = wlab_view_curves(f, q, r, "risk", metrics, ALL, q->runs > 2 ? 1 : (1U << ALL) - 1, &drawn,
                                    err);
    f->ylo = f->ylo < 0 ? f->ylo : 0; /* 0 is in the picture */
    f->yhi = f->yhi > 0 ? f->yhi : 0;
    return code ? code : f->failed ? wlab_nomem(err) : WL_OK;
}

const wlab_view wlab_view_risk = {
    .name = "risk",
    .summary = "the risk of each class as positive and unlabelled rows estimate it, and the score of `score`",
    .draw = draw_view,
};

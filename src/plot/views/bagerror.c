/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * View `bagerror`: by how much the predicted proportions of the training bags differ from the given ones, after each
 * step; of an algorithm that anneals (alter-psvm), against the quantity that it anneals.
 */
#include "plot/views/view.h"

static wlab_code draw_view(wlab_figure *f, const wlab_view_request *q, wlab_err *err)
{
    static const wlab_role metrics[] = {WL_R_BAG_ERROR};
    int drawn = 0;
    wlab_code code = wlab_view_stepped(q, err);

    code = code ? code : wlab_view_titles(f, q, "bag error", err);
    if (code)
        return code;
    wlab_view_axes(f, q, "bag error", false);
    for (int r = 0; r < q->runs && !code; r++)
        code = wlab_view_curves(f, q, r, "bagerror", metrics, 1, 1, &drawn, err);
    if (!code && !drawn)
        code = wlab_fail(err, WL_ESTATE,
                         "no bag error to draw: only algorithms for proportions (task llp) report it");
    return code;
}

const wlab_view wlab_view_bagerror = {
    .name = "bagerror",
    .summary = "the bag error: by how much the predicted proportions of the training bags differ from the "
               "given ones",
    .of = WL_VIEW_LEVEL,
    .draw = draw_view,
};

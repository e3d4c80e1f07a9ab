/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pane `bagerror`: the error of the predicted proportions after each step, for algorithms that learn from proportions.
 */
#include "tui/panes/draw.h"
#include <math.h>
#include <stdio.h>

static void title(const wlab_scene *s, const wlab_picture *p, char *buf, size_t size)
{
    const wlab_mirror *m = s->mirrors == 1 ? s->mirror[0] : NULL;
    const double last = m ? wlab_mirror_metric(m, m->rows - 1, WL_R_BAG_ERROR) : NAN;
    char value[32];

    (void)p;
    snprintf(buf, size, "bag error%s%s", isfinite(last) ? ": " : "",
             isfinite(last) ? wlab_number_text(last, 3, false, value, sizeof value) : "");
}

static bool fits(const wlab_scene *s)
{
    for (int r = 0; r < s->mirrors; r++)
        if (wlab_metric_of(s->mirror[r]->algo, WL_R_BAG_ERROR) >= 0 &&
            s->mirror[r]->problem->task->sees == WL_SEES_PROPORTIONS)
            return true;
    return false;
}

const wlab_pane wlab_pane_bagerror = {
    .name = "bagerror",
    .summary = "the error of the predicted proportions after each step",
    .help =
        "For task llp: the bag error of each step, the sum over the training bags of the distance between "
        "the "
        "given fraction of positives and the one that the model predicts (Eq. 23 of the pSVM paper). It "
        "needs "
        "no label of a row. For alter-psvm the x axis is C*, the weight that grows from step to step; `plot "
        "bagerror vs iter` draws it by steps.\n\n"
        "What to watch: for small C* the proportions count most, for large C* the margins. A bag error that "
        "falls and then stays has found labels that satisfy both.",
    .view = &wlab_view_bagerror,
    .fits = fits,
    .little = wlab_scene_one_step,
    .rank = 7,
    .title = title,
    .plot_area = wlab_plot_area,
    .draw = wlab_plot_draw,
};

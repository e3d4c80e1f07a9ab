/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pane `score`: the scores by labels that the learner never observes, if the command `score` has switched some on.
 */
#include "base/text.h"
#include "tui/panes/draw.h"
#include <math.h>
#include <stdio.h>

static void title(const wlab_scene *s, const wlab_picture *p, char *buf, size_t size)
{
    const wlab_mirror *m = s->mirrors == 1 ? s->mirror[0] : NULL;
    const char *before = ": ";
    (void)p;
    snprintf(buf, size, m && wlab_view_scores_given(m->algo) ? "scores" : "hidden labels");
    for (wlab_role role = WL_R_HIDDEN; m && role <= WL_R_HIDDEN_BAGS; role++) {
        const int k = wlab_metric_of(m->algo, role);
        const double last = wlab_mirror_metric(m, m->rows - 1, role);
        if (k < 0 || !isfinite(last))
            continue;
        wlab_text_append(buf, size, "%s%s %.3f", before, wlab_metric_style(&m->algo->metrics[k]).label, last);
        before = ", ";
    }
}

static bool fits(const wlab_scene *s)
{
    for (int r = 0; r < s->mirrors; r++)
        for (wlab_role role = WL_R_HIDDEN; role <= WL_R_HIDDEN_BAGS; role++)
            if (wlab_metric_of(s->mirror[r]->algo, role) >= 0)
                return true;
    return false;
}

const wlab_pane wlab_pane_score = {
    .name = "score",
    .summary = "how well the model of each step predicts labels that the learner never observes",
    .help = "After `score unlabeled on` (or `test`, or `bags`): how well the model of each step predicts "
            "labels that the learner never observes. The score is the accuracy; for clusters it is the "
            "adjusted Rand index, and for bags of llp the mean error of the predicted proportions. It is "
            "also the first line of the pane `run`, and in the line of each step its column is marked with "
            "`*`. What to watch: while the objective falls, the score need not rise.",
    .view = &wlab_view_score,
    .fits = fits,
    .rank = 10,
    .title = title,
    .plot_area = wlab_plot_area,
    .draw = wlab_plot_draw,
};

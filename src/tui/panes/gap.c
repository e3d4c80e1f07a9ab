/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pane `gap`: upper minus lower bound on a log axis; or the violation if no lower bound is certified, and then the
 * title says so.
 */
#include "tui/panes/draw.h"
#include <math.h>
#include <stdio.h>

static void title(const wlab_scene *s, const wlab_picture *p, char *buf, size_t size)
{
    int without = 0, stepped = 0;
    (void)p;
    for (int r = 0; r < s->mirrors; r++) {
        without += !wlab_mirror_values(s->mirror[r], WL_R_GAP);
        stepped += s->mirror[r]->rows > 1;
    }
    double last = s->mirrors == 1 ? wlab_mirror_metric(s->mirror[0], s->mirror[0]->rows - 1, WL_R_GAP) : NAN;
    char value[32];
    const wlab_mirror *m = s->mirrors == 1 ? s->mirror[0] : NULL;
    if (m && wlab_metric_of(m->algo, WL_R_GAP) >= 0 &&
        wlab_metric_gap_of_other(m->algo, m->row[m->rows - 1].metric, wlab_metric_of(m->algo, WL_R_GAP)))
        last = NAN; /* it is not the gap of the present objective */
    if (isfinite(last))
        snprintf(buf, size, "gap (log): %s", wlab_number_text(last, 3, false, value, sizeof value));
    else
        snprintf(buf, size, "%s",
                 !without || !stepped    ? "gap (log)"
                 : without == s->mirrors ? "violation (log): no certified bound, so no gap"
                                         : "gap (log); violation where no bound is certified");
}

static bool fits(const wlab_scene *s)
{
    const wlab_mirror *m = s->mirrors ? s->mirror[0] : NULL;
    if (!m || (wlab_metric_of(m->algo, WL_R_GAP) < 0 && wlab_metric_of(m->algo, WL_R_VIOLATION) < 0))
        return false;
    return s->mirrors > 1 || m->rows < 2 || wlab_mirror_values(m, WL_R_GAP) ||
           wlab_mirror_values(m, WL_R_VIOLATION);
}

const wlab_pane wlab_pane_gap = {
    .name = "gap",
    .summary = "upper minus lower bound, log axis; without a lower bound the violation",
    .help =
        "Upper minus lower bound on a log axis: a factor of ten has the same height everywhere. On a flat "
        "stretch nothing was proven, whatever the objective did. For an algorithm without a certified bound "
        "the pane shows the violation, and its title says so. A relaxation over matrices also has `u`, the "
        "gap of its inner problem, which certifies how exactly the objective itself is known.",
    .view = &wlab_view_gap,
    .fits = fits,
    .little = wlab_scene_one_step,
    .rank = 9,
    .title = title,
    .plot_area = wlab_plot_area,
    .draw = wlab_plot_draw,
};

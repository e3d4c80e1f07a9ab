/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pane `violation`: by how much the labeling that each step's search found violates the working set, if the pane `gap`
 * does not draw it.
 */
#include "tui/panes/draw.h"
#include <stdio.h>

static void title(const wlab_scene *s, const wlab_picture *p, char *buf, size_t size)
{
    (void)s;
    (void)p;
    snprintf(buf, size, "violation (log)");
}

static bool fits(const wlab_scene *s)
{
    const wlab_mirror *m = s->mirrors ? s->mirror[0] : NULL;
    return m && wlab_metric_of(m->algo, WL_R_VIOLATION) >= 0 &&
           (m->rows < 2 || wlab_mirror_values(m, WL_R_GAP) > 0);
}

const wlab_pane wlab_pane_violation = {
    .name = "violation",
    .summary = "by how much the labeling that each step's search found violates the working set, log axis",
    .help = "By how much the labeling that the step's search found violates the working set, on a log axis. "
            "A violation of zero has no point and ends the run (with classes=all, that of the current "
            "class): the search has found nothing new. Whether the optimum is proven says `gap`, "
            "not this pane: most searches do not examine all labelings.",
    .view = &wlab_view_violation,
    .fits = fits,
    .little = wlab_scene_one_step,
    .rank = 18,
    .title = title,
    .plot_area = wlab_plot_area,
    .draw = wlab_plot_draw,
};

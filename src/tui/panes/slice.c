/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pane `slice`: the objective along the last move of w.
 */
#include "tui/panes/draw.h"

#include <stdio.h>

static void title(const wlab_scene *s, const wlab_picture *p, char *buf, size_t size)
{
    (void)s;
    (void)p;
    snprintf(buf, size, "objective along the last move");
}

static bool fits(const wlab_scene *s)
{
    return s->mirrors && wlab_probe_index(s->mirror[0]->algo, WL_PROBE_SLICE) >= 0;
}

const wlab_pane wlab_pane_slice = {
    .name = "slice",
    .summary = "the objective along the last move of w",
    .help = "For algorithms that descend a differentiable objective: its value at w_old + t (w - w_old), "
            "where the "
            "last step moved w from w_old to w. `o` is t = 0, where the step began; `*` is t = 1, where it "
            "ended. The "
            "objective is that of the current level.\n\n"
            "What to watch: a convex objective has one valley, and `*` is near its bottom. A second valley, "
            "or a hill "
            "beyond `*`, shows that the objective is not convex; with continuation or annealing they appear "
            "only at "
            "the later levels.\n\n"
            "`-`, with cccp: the convex majoriser that the step minimised in place of the objective. Both "
            "touch at "
            "`o`, and the majoriser is nowhere below; its minimum is at `*`.",
    .view = &wlab_view_slice,
    .fits = fits,
    .rank = 23,
    .title = title,
    .plot_area = wlab_plot_area,
    .draw = wlab_plot_draw,
};

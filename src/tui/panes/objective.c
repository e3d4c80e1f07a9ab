/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pane `objective`: the objective, its bounds and the best feasible labeling's value over the steps.
 */
#include "tui/panes/draw.h"
#include <stdio.h>

static void title(const wlab_scene *s, const wlab_picture *p, char *buf, size_t size)
{
    (void)p;
    if (s->mirrors > 1)
        snprintf(buf, size, "objective of %d runs", s->mirrors);
    else
        snprintf(buf, size, "%s",
                 s->mirrors && wlab_mirror_values(s->mirror[0], WL_R_LOWER) ? "objective and bounds"
                                                                            : "objective");
}

static bool fits(const wlab_scene *s)
{
    return s->mirrors > 0;
}

const wlab_pane wlab_pane_objective = {
    .name = "objective",
    .summary = "the objective with its bounds",
    .view = &wlab_view_objective,
    .fits = fits,
    .main = 3,
    .rank = 2,
    .weight = 11,
    .title = title,
    .plot_area = wlab_plot_area,
    .draw = wlab_plot_draw,
};

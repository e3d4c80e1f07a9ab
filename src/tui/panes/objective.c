/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pane `objective`: the objective, its bounds and the value of the best feasible labeling, by step.
 */
#include "tui/panes/draw.h"
#include <stdio.h>

static void title(const wlab_scene *s, const wlab_picture *p, char *buf, size_t size)
{
    (void)p;
    wlab_view_run run[8];

    for (int r = 0; r < s->mirrors && r < 8; r++)
        run[r] = wlab_view_run_of_mirror(s->mirror[r]);
    if (s->mirrors > 1)
        snprintf(buf, size,
                 wlab_view_differ(run, s->mirrors) ? "objectives; problems may differ"
                                                   : "objective of %d runs",
                 s->mirrors);
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
    .help =
        "`*` marks the objective, `u` and `l` certified bounds on the optimum (of wellsvm and softmax-sdp, "
        "on "
        "the optimum of the relaxation), and `i` the value of the best single labeling so far. Until `set` "
        "changes a setting, the upper bound never rises and the lower bound never falls. The objective is a "
        "solid line, the bounds are dashed; a mark may cover another at the same height, and in a low pane "
        "curves that are near each other (F3 enlarges it). The newest "
        "points are in reverse video. `lesson gap` teaches how to read this pane.\n\n"
        "- With one class against the rest (classes=all), a dotted line with the class marks where its "
        "binary classifier begins, and the curves are interrupted there.\n- Here and in the other curves "
        "a dotted vertical line marks the step after which `set` changed a setting; in the pane `C2=0.1 "
        "after 3` "
        "names it, in a figure `C2=0.1`.\n- Algorithms that solve easier problems on the way to their own "
        "(tsvm, mfa) also "
        "have `J`, the objective of their own problem, and `b`, the smallest J so far, in place of the "
        "upper bound. mfa's objective "
        "at a high T is far below J and is left out.\n"
        "- alter-psvm's objective changes with C*, the weight that it lets grow. So its curves are drawn "
        "against C*: the objective at the current C*, and `b`, the best value at the last C*, which they "
        "both "
        "reach at the right.\n\n"
        "`plot objective vs seconds` (or `inner`, `iter`) changes the x axis of the pane, and `plot "
        "objective` "
        "restores its own. `plot objective vs level` uses the quantity that the algorithm anneals: "
        "alter-psvm's C*, mfa's temperature, tsvm's lambda'.",
    .view = &wlab_view_objective,
    .fits = fits,
    .main = 4,
    .little = wlab_scene_one_step,
    .rank = 3,
    .weight = 11,
    .title = title,
    .plot_area = wlab_plot_area,
    .draw = wlab_plot_draw,
};

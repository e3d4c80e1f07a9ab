/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pane `loss`: the loss of an unlabelled row as a function of its output, which changes with the temperature; and the
 * outputs.
 */
#include "tui/panes/draw.h"
#include <math.h>
#include <stdio.h>

static void title(const wlab_scene *s, const wlab_picture *p, char *buf, size_t size)
{
    const wlab_mirror *m = s->mirrors ? s->mirror[0] : NULL;
    double T = m ? wlab_mirror_metric(m, m->rows - 1, WL_R_TEMPERATURE) : NAN,
           lambda = m ? wlab_mirror_metric(m, m->rows - 1, WL_R_LEVEL) : NAN;
    char value[32];

    (void)p;
    const int temperature = m ? wlab_metric_of(m->algo, WL_R_TEMPERATURE) : -1,
              level = m ? wlab_metric_of(m->algo, WL_R_LEVEL) : -1;
    if (T >= 0)
        snprintf(buf, size, "loss at %s=%s", m->algo->metrics[temperature].name,
                 wlab_number_text(T, 3, false, value, sizeof value));
    else if (lambda >= 0)
        snprintf(buf, size, "loss at %s=%s",
                 m->algo->metrics[level].label ? m->algo->metrics[level].label : m->algo->metrics[level].name,
                 wlab_number_text(lambda, 3, false, value, sizeof value));
    else
        snprintf(buf, size, "loss");
}

static bool fits(const wlab_scene *s)
{
    const wlab_algo *a = s->mirrors ? s->mirror[0]->algo : NULL;
    return a && a->row_loss;
}

const wlab_pane wlab_pane_loss = {
    .name = "loss",
    .summary = "the loss of an unlabelled row as a function of its output, and where the outputs are",
    .help =
        "For algorithms that anneal, or that introduce the unlabelled rows gradually (mfa, tsvm): the "
        "loss of an unlabelled row by its output o.\n\n"
        "- `*` is the current loss, at the temperature T or the weight lambda' in the title. `-` is the "
        "initial loss. `.` is the final one: (almost) 0 outside the margin and largest at o = "
        "0.\n- The loss is drawn in units of its final weight. So at first tsvm's loss is almost 0 "
        "everywhere; later the height of its hump is lambda' / lambda_u.\n- At a low temperature mfa's loss "
        "has two valleys, "
        "and a row's output is drawn into one of them. At a high temperature it has a single one, which "
        "pulls "
        "every row to 0 (with loss=hinge it keeps a hump at any T; the higher T, the lower the hump).\n- The "
        "bars beneath are the outputs of the unlabelled rows, the dotted lines are o = -1 and o = +1. The "
        "tallest "
        "bar "
        "always has the same height; a wide pane (F3) says how many rows that is, and the legend counts the "
        "rows beyond the picture.\n- The axis of the loss ends at 3 while mfa's loss is that high, later at "
        "1.5, and "
        "at 1.1 when it is nowhere higher than at o = 0, to show shallow valleys.\n- With cccp the loss "
        "(`*`) never changes. `-` and `=` are the convex functions that replace it for a row with a negative "
        "or "
        "positive output; `o` is where they touch it.\n\n"
        "What to watch: as T decreases, the sides come down, a hill grows in the middle, and the bars "
        "separate and leave the margin.",
    .view = &wlab_view_loss,
    .fits = fits,
    .rank = 5,
    .title = title,
    .plot_area = wlab_plot_area,
    .draw = wlab_plot_draw,
};

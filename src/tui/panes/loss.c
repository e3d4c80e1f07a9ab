/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pane `loss`: what an unlabelled row costs by its output, which deforms with the temperature, and where the outputs lie.
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
    if (T >= 0)
        snprintf(buf, size, "loss by output: T=%s", wlab_number_text(T, 3, false, value, sizeof value));
    else if (lambda >= 0)
        snprintf(buf, size, "loss by output: lambda'=%s",
                 wlab_number_text(lambda, 3, false, value, sizeof value));
    else
        snprintf(buf, size, "loss by output");
}

static bool fits(const wlab_scene *s)
{
    const wlab_algo *a = s->mirrors ? s->mirror[0]->algo : NULL;
    return a && a->row_loss;
}

const wlab_pane wlab_pane_loss = {
    .name = "loss",
    .summary = "what an unlabelled row costs by its output, and where the outputs lie",
    .view = &wlab_view_loss,
    .fits = fits,
    .rank = 3,
    .title = title,
    .plot_area = wlab_plot_area,
    .draw = wlab_plot_draw,
};

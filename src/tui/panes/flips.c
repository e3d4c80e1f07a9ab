/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pane `flips`: how many labels each step changed.
 */
#include "tui/panes/draw.h"
#include <math.h>
#include <stdio.h>

static void title(const wlab_scene *s, const wlab_picture *p, char *buf, size_t size)
{
    const wlab_mirror *m = s->mirrors == 1 ? s->mirror[0] : NULL;
    double last = s->mirrors ? wlab_mirror_metric(s->mirror[0], s->mirror[0]->rows - 1, WL_R_FLIPS) : NAN;
    (void)p;
    if (m && wlab_row_restarted(m->algo, m->row, m->rows - 1))
        snprintf(buf, size, "flips: another restart is shown");
    else if (isfinite(last) && s->mirrors == 1 && s->mirror[0]->rows > 1)
        snprintf(buf, size, "flips: %.0f in the last step", last);
    else
        snprintf(buf, size, "flips");
}

static bool fits(const wlab_scene *s)
{
    return s->mirrors && wlab_metric_of(s->mirror[0]->algo, WL_R_FLIPS) >= 0;
}

const wlab_pane wlab_pane_flips = {
    .name = "flips",
    .summary = "how many labels each step changed",
    .help = "The number of labels that each step changed. What to watch: a run that settles changes fewer "
            "and fewer labels; the same number again and again may be the same rows that flip to and fro, "
            "which the pane `labels` shows. A step after which another restart is shown has no box.",
    .view = &wlab_view_flips,
    .fits = fits,
    .little = wlab_scene_one_step,
    .rank = 16,
    .title = title,
    .plot_area = wlab_plot_area,
    .draw = wlab_plot_draw,
};

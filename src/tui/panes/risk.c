/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pane `risk`: the two parts of the risk that is estimated from positive and unlabelled rows.
 */
#include "tui/panes/draw.h"

#include <math.h>
#include <stdio.h>

static void title(const wlab_scene *s, const wlab_picture *p, char *buf, size_t size)
{
    const wlab_mirror *m = s->mirrors == 1 ? s->mirror[0] : NULL;
    const double negative = m ? wlab_mirror_metric(m, m->rows - 1, WL_R_RISK_NEGATIVE) : (double)NAN;

    (void)p;
    if (isfinite(negative))
        snprintf(buf, size, "estimated risk: R- %.3f%s", negative > -0.0005 ? fabs(negative) : negative,
                 negative > -0.0005 ? "" : ", below 0"); /* nnpu ends within eps of 0 */
    else
        snprintf(buf, size, "estimated risk of each class");
}

static bool fits(const wlab_scene *s)
{
    return s->mirrors && wlab_metric_of(s->mirror[0]->algo, WL_R_RISK_NEGATIVE) >= 0;
}

const wlab_pane wlab_pane_risk = {
    .name = "risk",
    .summary = "the risk of each class as positive and unlabelled rows estimate it",
    .help = "For upu and nnpu: `risk_pos`, the part of the estimated risk that is due to positive rows, and "
            "`risk_neg`, the "
            "part that is due to negative ones. No row is known to be negative, so `risk_neg` is a "
            "difference: the "
            "unlabelled rows' loss minus the class prior times that of the labelled ones. What to watch: a "
            "true risk is "
            "never negative. Where `risk_neg` falls below 0, the classifier fits these rows and not the "
            "classes, and after "
            "`score unlabeled on` the score, which is drawn too, falls.",
    .view = &wlab_view_risk,
    .fits = fits,
    .rank = 4,
    .title = title,
    .plot_area = wlab_plot_area,
    .draw = wlab_plot_draw,
};

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pane `cuts`: what an algorithm minimises over the cuts into two clusters, for every threshold.
 */
#include "tui/panes/draw.h"

#include <stdio.h>

static void title(const wlab_scene *s, const wlab_picture *p, char *buf, size_t size)
{
    const int k = s->mirrors ? wlab_probe_index(s->mirror[0]->algo, WL_PROBE_CUTS) : -1;
    (void)p;
    snprintf(buf, size, "%s of every cut", k >= 0 ? s->mirror[0]->algo->probes[k].name : "value");
}

static bool fits(const wlab_scene *s)
{
    return s->mirrors && wlab_probe_index(s->mirror[0]->algo, WL_PROBE_CUTS) >= 0;
}

const wlab_pane wlab_pane_cuts = {
    .name = "cuts",
    .summary = "what is minimised over the cuts into two clusters, for every threshold",
    .help =
        "For algorithms that sort the rows by a function and cut them at a threshold into two clusters: ncut "
        "cuts an eigenvector where the normalised cut is smallest, itersvr the outputs of the regression "
        "where the losses are smallest. The curve has the value at every threshold; it is dotted where the "
        "balance does not allow the cut. `o` is the cut that was chosen; itersvr may keep the regression's "
        "own offset, which need not lie half-way between two outputs, and then `o` is below the curve; `l` a "
        "lower bound on all cuts "
        "(ncut, "
        "at the end).\n\n"
        "What to watch: one deep valley means that the clusters are apart. In a wide flat valley many cuts "
        "are nearly as good. If the curve is lowest at its ends, the best cut separates a few rows from all "
        "others, and only the balance prevents that.",
    .view = &wlab_view_cuts,
    .fits = fits,
    .rank = 24,
    .title = title,
    .plot_area = wlab_plot_area,
    .draw = wlab_plot_draw,
};

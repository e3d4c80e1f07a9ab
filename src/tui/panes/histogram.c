/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pane `histogram`: how many rows have which output of the model.
 */
#include "tui/panes/draw.h"
#include <stdio.h>

static void title(const wlab_scene *s, const wlab_picture *p, char *buf, size_t size)
{
    (void)s;
    (void)p;
    snprintf(buf, size, "outputs f: rows");
}

static bool fits(const wlab_scene *s)
{
    return s->mirrors && s->mirror[0]->problem->classes == 2 && s->mirror[0]->algo->model;
}

const wlab_pane wlab_pane_histogram = {
    .name = "histogram",
    .summary = "how many rows have which output f of the model, by label",
    .help =
        "How many training rows have which output f of the model. A bar is divided into the rows labelled +1 "
        "(below), -1 (above) and, on top, those without a label; C-x m selects which labels these are: the "
        "model's predictions, the newest "
        "labeling, or the truth. `A` (+1) and `B` (-1) above the bars are the rows with observed labels, "
        "unless more "
        "than half are "
        "observed. The line is f = 0, the decision; the dotted lines, if they are in the picture, are f = -1 "
        "and f = +1.\n\n"
        "What to watch: a large-margin method for few labels moves rows out of the margin, so a valley forms "
        "at "
        "f = 0. If many rows are near 0, they may flip with the next step. With the true labels (C-x m), the "
        "rows "
        "labelled "
        "+1 to the left of 0 are errors, and the histogram shows whether moving the threshold would correct "
        "them.",
    .view = &wlab_view_histogram,
    .fits = fits,
    .rank = 21,
    .title = title,
    .plot_area = wlab_plot_area,
    .draw = wlab_plot_draw,
};

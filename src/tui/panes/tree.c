/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Panes `tree` and `treebounds`: the search tree of branch and bound by depth, its nodes and their bounds.
 */
#include "tui/panes/draw.h"
#include <stdio.h>

static void title(const wlab_scene *s, const wlab_picture *p, char *buf, size_t size)
{
    (void)s;
    (void)p;
    snprintf(buf, size, "tree: nodes by depth");
}

static void bounds_title(const wlab_scene *s, const wlab_picture *p, char *buf, size_t size)
{
    (void)s;
    (void)p;
    snprintf(buf, size, "tree: bounds by depth");
}

static bool fits(const wlab_scene *s)
{
    return s->mirrors && wlab_probe_index(s->mirror[0]->algo, WL_PROBE_TREE) >= 0;
}

const wlab_pane wlab_pane_tree = {
    .name = "tree",
    .summary =
        "the search tree of branch and bound: how many nodes of each depth are open, closed, or were split",
    .help =
        "For branch and bound (bb): the nodes of the search tree by depth, the number of labels that are "
        "decided "
        "above a node. A split node (`s`) was divided in two by deciding one more label. A closed node (`x`) "
        "cannot contain a better labeling than the best one known. An open node (`o`) still waits for its "
        "bound.\n\n"
        "What to watch: if the bounds are tight, the tree is narrow and most nodes are closed at a small "
        "depth. A "
        "tree whose bars grow with the depth doubles its work at every level. The run ends when no node is "
        "open.",
    .view = &wlab_view_tree,
    .fits = fits,
    .rank = 8,
    .title = title,
    .plot_area = wlab_plot_area,
    .draw = wlab_plot_draw,
};

const wlab_pane wlab_pane_treebounds = {
    .name = "treebounds",
    .summary = "the smallest lower bounds in the search tree of branch and bound by depth, and the value of "
               "the best labeling",
    .help = "For branch and bound (bb): the smallest lower bound of the split (`s`), closed (`x`) and open "
            "(`o`) nodes "
            "of each depth, and as `=` the objective of the best labeling found. The bounds rise with the "
            "depth, as each "
            "decided label removes labelings. A node is closed when its bound reaches the line.\n\n"
            "What to watch: the lowest `o` is the lower bound of the whole problem. The gap is its distance "
            "from the "
            "line.",
    .view = &wlab_view_treebounds,
    .fits = fits,
    .rank = 22,
    .title = bounds_title,
    .plot_area = wlab_plot_area,
    .draw = wlab_plot_draw,
};

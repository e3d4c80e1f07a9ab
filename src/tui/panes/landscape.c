/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pane `landscape`: the objective of a concept over two columns.
 */
#include "tui/panes/draw.h"

#include <stdio.h>

static void title(const wlab_scene *s, const wlab_picture *p, char *buf, size_t size)
{
    (void)s;
    (void)p;
    snprintf(buf, size, "objective over two columns");
}

static bool fits(const wlab_scene *s)
{
    return s->mirrors && wlab_probe_index(s->mirror[0]->algo, WL_PROBE_LANDSCAPE) >= 0;
}

const wlab_pane wlab_pane_landscape = {
    .name = "landscape",
    .summary = "the objective of a concept over the two columns that count most",
    .help =
        "For dd and em-dd: the objective if the concept `*` were at another place, over the two columns with "
        "the largest scales; in the other columns it stays where it is. `#`, `:` and `.` are the lowest 2, "
        "10 "
        "and 30 % of the places. `+` is an instance of a positive bag, `-` one of a negative bag.\n\n"
        "What to watch: each step moves `*` and changes the scales, and with them the whole landscape. A "
        "valley needs an instance of every positive bag nearby, and none of a negative bag. Other valleys "
        "are "
        "where other starts end.",
    .view = &wlab_view_landscape,
    .fits = fits,
    .rank = 24,
    .title = title,
    .plot_area = wlab_plot_area,
    .draw = wlab_plot_draw,
};

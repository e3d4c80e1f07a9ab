/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tables of numbers drawn as shades.
 */
#include "plot/views/cells.h"
#include <stdio.h>

const char wlab_cells_ramp[] = " .:-=+*#%@";
_Static_assert(sizeof wlab_cells_ramp == WL_CELLS_LEVELS + 1, "one character per level");

int wlab_cells_block(wlab_figure *f, const wlab_view_run *v, const char *view, const char *value,
                     int64_t columns, int64_t rows)
{
    const char *const names[WL_CELLS_COLUMNS] = {"column", "place", value, "level"};
    const int b = wlab_figure_block(f, columns * rows, WL_CELLS_COLUMNS);

    wlab_view_about(f, b, view, v);
    for (int c = 0; c < WL_CELLS_COLUMNS; c++)
        wlab_figure_column(f, b, c, "%s", names[c]);
    if (!f->failed) {
        f->block[b].scan = columns;
        f->block[b].digits = 6;
    }
    return b;
}

void wlab_cells_draw(wlab_figure *f, double lo, double hi)
{
    const int64_t cells = f->failed ? 0 : f->block[0].rows;

    for (int64_t i = 0; i < cells; i++) {
        const int k =
            (int)((*wlab_figure_at(f, 0, i, WL_CELLS_VALUE) - lo) / (hi - lo) * (double)WL_CELLS_LEVELS);
        *wlab_figure_at(f, 0, i, WL_CELLS_LEVEL) = k < 0 ? 0 : k >= WL_CELLS_LEVELS ? WL_CELLS_LEVELS - 1 : k;
    }
    wlab_series s = {.draw = WL_D_IMAGE, .x = WL_CELLS_X + 1, .y = WL_CELLS_PLACE + 1, .ink = 1, .mark = ' '};
    if (!f->text && cells > 1 && f->block[0].scan > 1 && f->block[0].scan < cells) {
        wlab_figure_series(f, &s, NULL, "with image");
        return;
    }
    s.draw = WL_D_POINTS;
    if (!f->text) { /* gnuplot draws no image of one line */
        wlab_figure_series(f, &s, NULL, "with points pt 5 ps 2 lc rgb '#00304f'");
        return;
    }
    s.wheres = 1;
    s.where[0].column = WL_CELLS_LEVEL + 1;
    for (int k = WL_CELLS_LEVELS - 1; k > 0; k--) {
        char style[32];
        s.mark = wlab_cells_ramp[k];
        s.where[0].value = k;
        snprintf(style, sizeof style, "with points pt '%c'", s.mark);
        wlab_figure_series(f, &s, NULL, style);
    }
    wlab_figure_title(f, "shades from %.3g (blank) over .:-=+*#%% to %.3g (@)", lo, hi);
}

void wlab_cells_rows(wlab_figure *f, const wlab_view_run *v, const wlab_excerpt *e)
{
    static const char *const names[WL_ROWS_COLUMNS] = {"instance", "row", "label", "truth"};
    const int b = wlab_figure_block(f, e->n, WL_ROWS_COLUMNS);

    wlab_figure_about(
        f, b,
        "the instances from the left: number, row of the data, label, true class (0: not known, "
        "or rows are not sorted by it)");
    for (int c = 0; c < WL_ROWS_COLUMNS; c++)
        wlab_figure_column(f, b, c, "%s", names[c]);
    for (int64_t i = 0; i < e->n; i++) {
        *wlab_figure_at(f, b, i, WL_ROWS_INSTANCE) = e->row[i] + 1;
        *wlab_figure_at(f, b, i, WL_ROWS_ROW) = v->problem->row[e->row[i]] + 1;
        *wlab_figure_at(f, b, i, WL_ROWS_LABEL) = e->label[i];
        *wlab_figure_at(f, b, i, WL_ROWS_TRUTH) = e->truth ? e->truth[i] : 0;
    }
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tables of numbers drawn as shades, for the views `matrix`, `kernel` and `scores`.  Block 0 of the figure is the
 * table, block 1 lists the instances of its columns.
 */
#ifndef PLOT_CELLS_H
#define PLOT_CELLS_H

#include "plot/views/view.h"

/* Columns of block 0, which has one row per cell, from the top left, line by line; its `scan` is the length of a
 * line. */
enum {
    WL_CELLS_X,     /* from 1 */
    WL_CELLS_PLACE, /* from 1 at the bottom */
    WL_CELLS_VALUE,
    WL_CELLS_LEVEL, /* 0 .. WL_CELLS_LEVELS - 1 */
    WL_CELLS_COLUMNS
};
enum {                /* columns of block 1 */
    WL_ROWS_INSTANCE, /* from 1 */
    WL_ROWS_ROW,      /* of the data, from 1 */
    WL_ROWS_LABEL,
    WL_ROWS_TRUTH, /* true class; 0: unknown, or the rows are not sorted by it */
    WL_ROWS_COLUMNS
};
enum {
    WL_CELLS_LEVELS = 10,
    /* most columns of a table as text: more than the picture has, so that they leave no gaps */
    WL_CELLS_TEXT_COLUMNS = 70,
    WL_CELLS_TEXT_ROWS = 14,
    WL_CELLS_NAMES = 20 /* most names of classes at an axis */
};
extern const char wlab_cells_ramp[]; /* one character per level, blank first */

/* Add block 0 with columns x rows cells, whose values the caller sets; value: the name of the column of values. */
int wlab_cells_block(wlab_figure *, const wlab_view_run *, const char *view, const char *value,
                     int64_t columns, int64_t rows);
/* Set the levels, which divide [lo, hi] evenly, and add the series: an image, or characters. */
void wlab_cells_draw(wlab_figure *, double lo, double hi);
/* Add block 1. */
void wlab_cells_rows(wlab_figure *, const wlab_view_run *, const wlab_excerpt *);

#endif

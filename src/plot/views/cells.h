/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tables of numbers as shades: what the views `matrix`, `kernel` and `scores` have in common.  Block 0 of the figure is
 * the table, block 1 the instances that its columns are.
 */
#ifndef PLOT_CELLS_H
#define PLOT_CELLS_H

#include "plot/views/view.h"

/* Columns of block 0, a row a cell, from the top left, line by line; its `scan` is a line. */
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
    WL_ROWS_TRUTH, /* 0: unknown, or they are not sorted by it */
    WL_ROWS_COLUMNS
};
enum {
    WL_CELLS_LEVELS = 10,
    WL_CELLS_TEXT_COLUMNS = 70, /* more than have room in a picture as text: no gaps between them */
    WL_CELLS_TEXT_ROWS = 14,
    WL_CELLS_NAMES = 20 /* and as many classes' names beside any */
};
extern const char wlab_cells_ramp[]; /* a character a level, blank first */

/* Block 0 with columns x rows cells whose values are set by the caller; value: what their column is called. */
int wlab_cells_block(wlab_figure *, const wlab_view_run *, const char *view, const char *value,
                     int64_t columns, int64_t rows);
/* Levels between lo and hi, and the series: an image, or characters. */
void wlab_cells_draw(wlab_figure *, double lo, double hi);
/* Block 1. */
void wlab_cells_rows(wlab_figure *, const wlab_view_run *, const wlab_excerpt *);

#endif

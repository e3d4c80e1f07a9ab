/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A small picture of a figure's lines, for a pane of a text screen: a bitmap of inks (2 x 4 pixels become a braille
 * cell), or, where there is no UTF-8, characters.  Axes, legend and marks are not in it: the pane writes them as text.
 */
#ifndef PLOT_RASTER_H
#define PLOT_RASTER_H

#include "plot/figure.h"

enum {
    WL_INKS = 7,          /* inks 1..7; 0: nothing there */
    WL_RASTER_MOST = 1000 /* cells in a row or column */
};
typedef struct wlab_raster {
    bool characters;   /* `cell` holds ASCII, one a screen cell; else inks, one a pixel */
    int width, height; /* in characters or pixels */
    uint8_t *cell;     /* [height x width], row 0 on top */
} wlab_raster;
void wlab_raster_clear(wlab_raster *);

/* What the axes of a figure span once padded, and where tics go; the same ranges are in its .gp. */
enum {
    WL_MOST_TICS = 12
};
typedef struct wlab_axis_span {
    double lo, hi; /* finite, lo < hi; > 0 on a log axis */
    bool log;
    int tics;
    double tic[WL_MOST_TICS];
    char label[WL_MOST_TICS][12]; /* at most 11 columns: "1e-3", "0.25" */
} wlab_axis_span;
/* At most xtics and ytics tics, chosen on round numbers; 0: none. */
void wlab_figure_spans(const wlab_figure *, int xtics, int ytics, wlab_axis_span *x, wlab_axis_span *y);
/* Where a value lies on an axis of `size` pixels: 0 (lo) to size - 1 (hi), to be rounded; rows count from the top, so
 * that of y is size - 1 minus this.  What a raster draws at a value is there: a mark on a point of a curve belongs
 * into the cell that holds pixel (place(x, 2 * columns), 4 * rows - 1 - place(y, 4 * rows)). */
double wlab_span_place(const wlab_axis_span *, double value, int size);

/* What gnuplot answered to wlab_strokes_script (stroke.h); marks: characters, NULL: pixels.  WL_EIO: that is no such picture. */
wlab_code wlab_raster_read(const void *answer, size_t len, int columns, int rows, const char *marks,
                           wlab_raster *, wlab_err *);

#endif

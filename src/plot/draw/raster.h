/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A small picture of the lines of a figure, for a pane of a text screen: a bitmap of inks (2 x 4 pixels become one
 * braille character), or characters on a screen without UTF-8.  It has no axes, no legend and no marks: the pane writes
 * these as text.
 */
#ifndef PLOT_RASTER_H
#define PLOT_RASTER_H

#include "plot/figure.h"

enum {
    WL_INKS = 7,          /* inks 1..7; 0: an empty pixel */
    WL_RASTER_MOST = 1000 /* cells in a row or column */
};
typedef struct wlab_raster {
    bool characters;   /* `cell` holds ASCII, one character per screen cell; else inks, one per pixel */
    int width, height; /* in characters or pixels */
    uint8_t *cell;     /* [height x width], row 0 on top */
} wlab_raster;
void wlab_raster_clear(wlab_raster *);

/* The padded range of an axis of a figure, and its tics; the .gp has the same range. */
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
/* The ranges of both axes, with at most xtics and ytics tics on round numbers; 0: none. */
void wlab_figure_spans(const wlab_figure *, int xtics, int ytics, wlab_axis_span *x, wlab_axis_span *y);
/* The position of a value on an axis of `size` pixels: 0 (lo) to size - 1 (hi), to be rounded.  Rows count from the
 * top, so the row of a y is size - 1 minus this.  A raster draws a value at that pixel, so a mark on a point of a curve
 * belongs in the cell that holds the pixel (place(x, 2 * columns), 4 * rows - 1 - place(y, 4 * rows)). */
double wlab_span_place(const wlab_axis_span *, double value, int size);

/* Read gnuplot's answer to wlab_strokes_script (stroke.h) as a picture of columns x rows cells.  marks [WL_INKS]: from
 * wlab_strokes_marks; NULL: the picture has pixels.  WL_EIO: the answer is not such a picture. */
wlab_code wlab_raster_read(const void *answer, size_t len, int columns, int rows, const char *marks,
                           wlab_raster *, wlab_err *);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The lines of a figure in pixel (or character) coordinates of a small picture.  gnuplot and our own rasteriser both
 * draw these, so they draw the same.
 */
#ifndef PLOT_STROKE_H
#define PLOT_STROKE_H

#include "plot/draw/raster.h"

/* The lines of a series: polylines with a pair of NaN between them. */
typedef struct wlab_stroke {
    int ink;
    char mark;
    int64_t first, n; /* points, in wlab_strokes.xy */
} wlab_stroke;

typedef struct wlab_strokes {
    bool characters;
    int width, height;   /* pixels or characters; (0, 0) is the middle of the one at the top left */
    wlab_stroke *stroke; /* [n] in the order of drawing: solid lines last, on top */
    int n;
    float *xy; /* [2 x points] */
    int64_t points, capacity;
    bool failed; /* memory ran out; checked once at the end */
} wlab_strokes;

/* Compute the strokes of a figure for a picture of columns x rows screen cells.  WL_EARG: columns or rows below 1 or
 * above WL_RASTER_MOST. */
wlab_code wlab_strokes_make(wlab_strokes *, const wlab_figure *, int columns, int rows, bool characters,
                            wlab_err *);
void wlab_strokes_clear(wlab_strokes *);
/* Draw without gnuplot, with straight lines between points: for panes if there is no gnuplot. */
wlab_code wlab_strokes_draw(const wlab_strokes *, wlab_raster *, wlab_err *);
/* The script with which gnuplot draws the same to standard output, and prints nothing else: terminal `pbm` or `dumb`,
 * no axes, data in datablocks. */
wlab_code wlab_strokes_script(const wlab_strokes *, wlab_buf *, wlab_err *);
/* The characters of the first WL_INKS strokes, for wlab_raster_read; blank if there are fewer. */
void wlab_strokes_marks(const wlab_strokes *, char marks[WL_INKS]);

#endif

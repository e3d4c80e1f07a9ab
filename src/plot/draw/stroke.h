/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The lines of a figure in the pixels (or characters) of a small picture: what is left of a figure once its axes are
 * applied, so that gnuplot and our own rasteriser draw the same.
 */
#ifndef PLOT_STROKE_H
#define PLOT_STROKE_H

#include "plot/draw/raster.h"

/* A series' lines: polylines with a pair of NaN between them. */
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
    int64_t points, room;
    bool failed; /* memory ran out; looked at once at the end */
} wlab_strokes;

/* columns, rows: cells of the screen. */
wlab_code wlab_strokes_make(wlab_strokes *, const wlab_figure *, int columns, int rows, bool characters,
                            wlab_err *);
void wlab_strokes_clear(wlab_strokes *);
/* Without gnuplot: what a pane shows where there is none (straight lines between points). */
wlab_code wlab_strokes_draw(const wlab_strokes *, wlab_raster *, wlab_err *);
/* The commands that make a gnuplot draw the same: `pbm` (8 colours) or `dumb`, no axes, data in datablocks.  To standard
 * output, nothing else printed. */
wlab_code wlab_strokes_script(const wlab_strokes *, wlab_buf *, wlab_err *);
/* For wlab_raster_read, of characters. */
void wlab_strokes_marks(const wlab_strokes *, char marks[WL_INKS]);

#endif

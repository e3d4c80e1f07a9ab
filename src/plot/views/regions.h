/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shared by the views `boundary` and `projection`: a picture in which each row is a point in a plane, with its label; and
 * what more than two classes add to it, the regions in which each class is predicted and the lines between them.
 */
#ifndef PLOT_REGIONS_H
#define PLOT_REGIONS_H

#include "plot/views/view.h"

typedef struct wlab_range {
    double lo, hi;
} wlab_range;
/* Where the points lie, and the decision function over the plane. */
typedef struct wlab_plane {
    const char *view;      /* the name of the view */
    const double *xy;      /* [2 n] the coordinates of row i are xy[2 i], xy[2 i + 1] */
    wlab_range range[2];   /* of the axes */
    const char *column[2]; /* names of the coordinates in the .dat */
    const char *axis[2];   /* labels of the axes */
    bool named;            /* the axes have names from the data */
    bool one_unit;         /* both axes have one unit, so a circle may be drawn as a circle */
    /* The decision function at the points of a grid (wlab_plane_make_grid) of lines of nx points: value [points], or
     * [points x classes] with more than two classes; NULL: there is no decision line, and `why` has the reason. */
    const wlab_matrix *grid;
    int nx;
    const double *value;
    const char *why;
} wlab_plane;
/* The range of one coordinate of the points, with a margin around them. */
wlab_range wlab_plane_range(const double *xy, int64_t n, int axis);
/* Create the points of a grid, [nx ny x 2], line by line: y is constant in a line. */
wlab_code wlab_plane_make_grid(wlab_matrix **grid, wlab_range x, wlab_range y, int nx, int ny, wlab_err *);
/* Draw points, labels, flips and decision function into a figure that has its titles. */
wlab_code wlab_plane_draw(wlab_figure *, const wlab_view_request *, const wlab_view_run *, const wlab_plane *,
                          wlab_err *);

/* Add a block with the class of the largest output at each point of the grid (f [grid x P], lines of nx points), and a
 * block of the lines on which the two largest outputs are equal.  digits: significant digits in the .dat. */
void wlab_regions_grid(wlab_figure *, const wlab_problem *, const wlab_matrix *grid, int nx, const double *f,
                       int digits);
/* Fill block b, which has one row per drawn point, and draw the points with their labels v->labels.  Of the rows that
 * are neither labelled nor flipped, only every `stride`-th is drawn. */
void wlab_regions_points(wlab_figure *, const wlab_view_run *, const wlab_plane *, int b, int64_t stride);
/* Also used for two classes: whether the last step changed the label of a row whose label is not observed. */
bool wlab_boundary_flipped(const wlab_view_run *, int64_t i);
/* The cross over a labelled row whose label in the marks is another one: larger than the mark, and thin, so that the mark's
 * colour and shape remain visible. */
#define WL_CROSS "with points pt 2 ps 3.2 lw 2 lc rgb '#000000'"
/* In words, rows whose observed label is not that of the marks: "labelled, predicted otherwise: 3". */
void wlab_boundary_otherwise_words(const wlab_view_run *, int64_t count, char *buf, size_t size);

#endif

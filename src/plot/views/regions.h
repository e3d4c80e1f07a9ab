/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * View `boundary` for more than two classes: where each is predicted, and the lines between them.
 */
#ifndef PLOT_REGIONS_H
#define PLOT_REGIONS_H

#include "plot/views/view.h"

/* The grid's class of the largest output (f [grid x P], rows of nx points), and a block of the lines along which the two
 * largest outputs are equal. */
void wlab_regions_grid(wlab_figure *, const wlab_problem *, const wlab_matrix *grid, int nx, const double *f,
                       int digits);
/* Block b, of as many rows as there are points kept: the points by their newest labels. */
void wlab_regions_points(wlab_figure *, const wlab_view_run *, int b, int64_t stride);
/* Shared with two classes: whether the last step changed the label. */
bool wlab_boundary_flipped(const wlab_view_run *, int64_t i);

#endif

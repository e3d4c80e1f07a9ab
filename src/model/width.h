/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The units of sigma: lengths that the rows themselves have.
 */
#ifndef WEAKLAB_SVM_WIDTH_H
#define WEAKLAB_SVM_WIDTH_H

#include "weaklab/matrix.h"

typedef enum wlab_width_unit {
    WL_WIDTH_X, /* sqrt of the mean over pairs of ||x_i - x_j||, as the WellSVM paper prints it; not of the data's unit */
    WL_WIDTH_RMS, /* sqrt of the mean over pairs of ||x_i - x_j||^2, as its authors' programs have it */
    /* The median over rows of the distance to the seventh nearest of the other rows, those at the same place not counted
     * (the neighbour by which Zelnik-Manor and Perona, NIPS 2004, scale each row).  It knows how near to each other the rows
     * of one cluster are, which no mean over all pairs does; with many columns it is nearly rms. */
    WL_WIDTH_NN,
} wlab_width_unit;
extern const char *const wlab_width_units[]; /* "x", "rms", "nn", NULL */

/* One unit for the rows of X; 0 where all are equal.  nn looks at 512 rows, evenly chosen, and their distances to all.
 * Cost: x O(n^2 d), rms O(n d), nn O(512 n d).  WL_ENOMEM, WL_EINTERRUPTED. */
wlab_code wlab_width(double *length, wlab_width_unit, const wlab_matrix *X, wlab_ctx *, wlab_err *);

#endif

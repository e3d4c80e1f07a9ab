/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The units of sigma: typical distances between the rows of the data.
 */
#ifndef WEAKLAB_SVM_WIDTH_H
#define WEAKLAB_SVM_WIDTH_H

#include "weaklab/matrix.h"

typedef enum wlab_width_unit {
    /* sqrt of the mean over pairs of ||x_i - x_j||, as in the WellSVM paper; its unit is not the data's.  With more than 8192
     * rows: over the pairs of 8192 random ones, always the same, which is some three thousandths off. */
    WL_WIDTH_X,
    WL_WIDTH_RMS, /* sqrt of the mean over pairs of ||x_i - x_j||^2, as in the programs of the paper's authors */
    /* The median over rows of the distance to the seventh nearest other row, without rows at the same place (the
     * neighbour by which Zelnik-Manor and Perona, NIPS 2004, scale each row).  It measures how close the rows of one
     * cluster are to each other, which a mean over all pairs does not; with many columns it is nearly rms. */
    WL_WIDTH_NN,
} wlab_width_unit;
extern const char *const wlab_width_units[]; /* "x", "rms", "nn", NULL */

/* The length of one unit for the rows of X; 0 if all are equal.  nn uses 512 evenly spaced rows and their distances
 * to all.  Cost: x O(min(n, 8192)^2 d), rms O(n d), nn O(512 n d).  WL_ENOMEM, WL_EINTERRUPTED. */
wlab_code wlab_width(double *length, wlab_width_unit, const wlab_matrix *X, wlab_ctx *, wlab_err *);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The root of a rising piecewise linear function, as needed by an exact line search on a piecewise quadratic.
 */
#ifndef SVM_ROOT_H
#define SVM_ROOT_H

/* Returns the function at t; *curve: the slope of its piece there. */
typedef double wlab_slope(void *data, double t, double *curve);

/* Returns t > 0 with slope(t) = 0, by Newton's method from piece to piece within a bracket, starting at t = 1. */
double wlab_rising_root(wlab_slope *slope, void *data);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The root of a piecewise linear function that rises: what an exact line search of a piecewise quadratic is.
 */
#ifndef SVM_ROOT_H
#define SVM_ROOT_H

/* The function at t, and the slope of its piece there. */
typedef double wlab_slope(void *data, double t, double *curve);

/* t > 0 with slope(t) = 0: Newton's method from piece to piece within a bracket, from t = 1 on. */
double wlab_rising_root(wlab_slope *slope, void *data);

#endif

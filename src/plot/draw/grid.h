/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The decision function of an rbf model on a grid in the plane, for live pictures.
 */
#ifndef PLOT_GRID_H
#define PLOT_GRID_H

#include "weaklab/model.h"

/* f[(j * nx + i) * outputs + k] = f_k(x[i], y[j]) of an rbf model of two columns.  exp(-gamma ||z-s||^2) is the product
 * of a factor in x and one in y, so one product of matrices computes the grid, with nsv (nx + ny) exponentials;
 * wlab_model_predict computes nsv nx ny (2000 support vectors, 80 x 48: 4 ms instead of 50).  The last digits differ
 * from those of wlab_model_predict.  WL_ENOMEM. */
wlab_code wlab_grid_rbf(const wlab_model *, int nx, const double *x, int ny, const double *y, double *f,
                        wlab_err *);

#endif

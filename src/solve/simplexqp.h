/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A small convex QP over the simplex:  min 1/2 x'Hx + c'x,  x >= 0, 1'x = 1.
 */
#ifndef WEAKLAB_LINALG_SIMPLEXQP_H
#define WEAKLAB_LINALG_SIMPLEXQP_H

#include "weaklab/base.h"

/* H [t x t] symmetric psd, c [t], x [t]: a point of the simplex in, the solution out.  Primal active set; ties by
 * index.  Cost about t^3 a change of the active set.  A singular H is given a ridge of 1e-12 of its mean diagonal. */
wlab_code wlab_simplexqp_solve(const double *H, const double *c, int64_t t, double *x, wlab_err *);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A small convex QP over the simplex:  min 1/2 x'Hx + c'x,  x >= 0, 1'x = 1.
 */
#ifndef WEAKLAB_LINALG_SIMPLEXQP_H
#define WEAKLAB_LINALG_SIMPLEXQP_H

#include "weaklab/base.h"

/* H [t x t] symmetric psd, c [t], x [t]: on entry a point of the simplex, on return the solution.  Primal active set
 * method; ties by index.  Cost: about t^3 per change of the active set.  Directions use H plus a ridge of 1e-13 of
 * its mean diagonal, or more if that is singular.  WL_ENUMERIC: H is not psd. */
wlab_code wlab_simplexqp_solve(const double *H, const double *c, int64_t t, double *x, wlab_err *);

#endif

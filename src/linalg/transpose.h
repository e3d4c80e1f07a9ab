/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Large dense matrices whose rows become columns: tile by tile, as one column of a large matrix touches a page per row.
 */
#ifndef LINALG_TRANSPOSE_H
#define LINALG_TRANSPOSE_H

#include "weaklab/event.h"

/* out [n x m] = A', A [m x n] row-major.  false: interrupted; out is then partly written. */
bool wlab_transpose(const double *A, int64_t m, int64_t n, double *out, wlab_ctx *);
/* Copies the lower triangle of A [n x n] to the upper one.  false: interrupted. */
bool wlab_mirror_lower(double *A, int64_t n, wlab_ctx *);

#endif

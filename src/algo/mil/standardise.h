/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A dense copy of the data with columns of mean 0 and deviation 1, for methods whose result should not depend on the units of
 * the columns.
 */
#ifndef ALGO_STANDARDISE_H
#define ALGO_STANDARDISE_H

#include "weaklab/matrix.h"

/* WL_ESTATE if n rows of d columns are too many for a dense copy. */
wlab_code standardised_fits(int64_t n, int64_t d, wlab_err *);
/* Z [rows x cols] = (x - centre) / width, centre and width [cols].  A column that has one value only, up to rounding, is 0,
 * and its width is 1.  WL_ENUMERIC if a mean or a variance is not finite; WL_EINTERRUPTED. */
wlab_code standardise(const wlab_matrix *X, double *Z, double *centre, double *width, wlab_ctx *, wlab_err *);

#endif

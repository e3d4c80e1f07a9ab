/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cholesky factors in single precision.
 */
#define REAL       float
#define BLAS(name) cblas_s##name
#define POTRF      LAPACKE_spotrf_work
#define FACTOR     wlab_cholesky_single
#define SOLVE      wlab_cholesky_single_solve
#include "linalg/cholesky_tiles.h"

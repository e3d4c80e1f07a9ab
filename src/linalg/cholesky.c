/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cholesky factors in double precision.
 */
#define REAL       double
#define BLAS(name) cblas_d##name
#define POTRF      LAPACKE_dpotrf_work
#define FACTOR     wlab_cholesky
#define SOLVE      wlab_cholesky_solve
#include "linalg/cholesky_tiles.h"

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Eigenpairs in double precision.
 */
#define REAL              double
#define BLAS(name)        cblas_d##name
#define LAPACKE(name)     LAPACKE_d##name##_work
#define LAPACK_PART(name) d##name
#define GEMM              wlab_gemm
#define OPERANDS(x, y, z) .A = (x), .B = (y), .C = (z)
#define LEADING           wlab_symmetric_leading
#define VALUES            wlab_eigen_values
#define VECTORS           wlab_eigen_vectors
#include "linalg/eigen_parts.h"

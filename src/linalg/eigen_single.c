/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Eigenpairs in single precision.
 */
#define REAL              float
#define BLAS(name)        cblas_s##name
#define LAPACKE(name)     LAPACKE_s##name##_work
#define LAPACK_PART(name) s##name
#define GEMM              wlab_gemm_single
#define OPERANDS(x, y, z) .a = (x), .b = (y), .c = (z)
#define LEADING           wlab_symmetric_leading_single
#define VALUES            wlab_eigen_values_single
#define VECTORS           wlab_eigen_vectors_single
#include "linalg/eigen_parts.h"

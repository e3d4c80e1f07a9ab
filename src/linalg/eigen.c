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

wlab_code wlab_eigen_top(double *A, int64_t n, double *value, wlab_ctx *ctx, wlab_err *err)
{
    double *room = wlab_alloc((size_t)wlab_eigen_room(n), sizeof *room);
    int *integers = wlab_alloc((size_t)wlab_eigen_integers(n), sizeof *integers);
    wlab_code code =
        room && integers ? wlab_eigen_values(A, n, true, value, room, integers, ctx, err) : wlab_nomem(err);
    if (!code)
        code = wlab_eigen_vectors(A, n, n - 1, room, ctx, err);
    wlab_free(room);
    wlab_free(integers);
    return code;
}

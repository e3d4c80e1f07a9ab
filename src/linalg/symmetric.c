/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Products with a symmetric matrix in double precision.
 */
#define REAL       double
#define BLAS(name) cblas_d##name
#define MULTIPLY   wlab_symmetric_mul
#define LEADING    wlab_symmetric_leading
#include "linalg/symmetric_parts.h"

int64_t wlab_symmetric_sums(int64_t n)
{
    return blocks_of(n) * n;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Products with a symmetric matrix in double precision.
 */
#define REAL       double
#define BLAS(name) cblas_d##name
#define MULTIPLY   wlab_symmetric_mul
#define LEADING    wlab_symmetric_leading
#include "linalg/symmetric_parts.h"

/* An even number, as many machines have two processors. */
int wlab_symmetric_blocks(int64_t n)
{
    return n < LEAST ? 1 : n < 8 * LEAST ? 2 * (int)((n + LEAST / 2) / LEAST) : 16;
}

int64_t wlab_symmetric_sums(int64_t n)
{
    return wlab_symmetric_blocks(n) * n;
}

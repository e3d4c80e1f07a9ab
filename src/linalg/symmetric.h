/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Products with a dense symmetric matrix, on a pool's threads.
 */
#ifndef LINALG_SYMMETRIC_H
#define LINALG_SYMMETRIC_H

#include "weaklab/pool.h"

/* out = K c, K [n x n] row-major and symmetric.  Reads only the rows with c_i != 0, at a cost of n each.  The result
 * has the same bits for any number of threads. */
void wlab_symmetric_mul(const double *K, int64_t n, const double *c, double *out, wlab_pool *pool);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Products with a dense symmetric matrix, on a pool's threads.
 */
#ifndef LINALG_SYMMETRIC_H
#define LINALG_SYMMETRIC_H

#include "weaklab/pool.h"

/* out = K c, K [n x n] row-major and symmetric.  Reads only the rows with c_i != 0, at a cost of n each; if these are more
 * than half of all, and there is workspace, sums [wlab_symmetric_sums(n)], only the lower triangle.  sums may be NULL.  The
 * result has the same bits for any number of threads. */
void wlab_symmetric_mul(const double *K, int64_t n, const double *c, double *out, double *sums, wlab_pool *);
int64_t wlab_symmetric_sums(int64_t n); /* at most 16 n */
/* The same with the first n rows and columns of a matrix whose rows are ld apart, by its lower triangle; cost n^2.
 * sums is needed. */
void wlab_symmetric_leading(const double *K, int64_t ld, int64_t n, const double *c, double *out,
                            double *sums, wlab_pool *);
/* In single precision, in half the time and memory. */
void wlab_symmetric_leading_single(const float *K, int64_t ld, int64_t n, const float *c, float *out,
                                   float *sums, wlab_pool *);

#endif

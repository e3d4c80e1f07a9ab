/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * k-means (Lloyd) with weights, starts by k-means++ (Arthur and Vassilvitskii 2007), rows bound to some centres.
 */
#ifndef ALGO_KMEANS_H
#define ALGO_KMEANS_H

#include "weaklab/event.h"

typedef struct wlab_kmeans {
    const double *X;         /* [n x d] row-major */
    int64_t n, d, k;         /* k clusters, 1 <= k <= n */
    const double *weight;    /* [n] >= 0, or NULL: 1 */
    const int32_t *fixed;    /* [n] the cluster of row i, -1: free; or NULL */
    const uint64_t *allowed; /* [n] bit c: row i may be of cluster c, never 0 (k <= 64); or NULL */
    int64_t restarts;        /* the smallest sum wins, the first of equals */
    int64_t most;            /* iterations of each; 0: 100 */
    uint64_t seed;
} wlab_kmeans;

/* label [n], centre [k x d] (NULL: not wanted), *sum = sum_i weight_i ||x_i - centre||^2 (NULL).  Clusters with fixed rows
 * begin at their mean.  A cluster that becomes empty takes the row that is farthest from its centre; one stays empty only
 * where no row may go there or no row is away from its centre.  Ties: the lower row, the lower cluster.  Errors: WL_EARG,
 * WL_ENUMERIC where X is not finite, WL_EINTERRUPTED.  Cost n k d an iteration; memory a copy of X. */
wlab_code wlab_kmeans_run(const wlab_kmeans *, int32_t *label, double *centre, double *sum, wlab_ctx *,
                          wlab_err *);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * k-means (Lloyd) with weights, initial centres by k-means++ (Arthur and Vassilvitskii 2007), and rows restricted to
 * some clusters.
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
    int64_t restarts;        /* number of starts: the smallest sum wins, the first of equals */
    int64_t most;            /* most iterations of each; 0: 100 */
    uint64_t seed;
} wlab_kmeans;

/* Results: label [n], centre [k x d] (or NULL), *sum = sum_i weight_i ||x_i - centre||^2 (or NULL).  A cluster with
 * rows that may join no other one begins at the mean of these.  A cluster that becomes empty gets one of the rows that
 * may join it: the one with the largest weight times squared distance from its present centre.  It remains empty only
 * if this product is 0 for all of them, or if they are all alone in their clusters.  Ties: the lower row, the lower
 * cluster.  Errors: WL_EARG, WL_ENUMERIC if X is not finite, WL_EINTERRUPTED.  Cost: n k d per iteration; memory: a
 * copy of X. */
wlab_code wlab_kmeans_run(const wlab_kmeans *, int32_t *label, double *centre, double *sum, wlab_ctx *,
                          wlab_err *);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lloyd's iteration a half at a time, from several starts: what k-means (kmeans.h) loops over and the algorithm kmeans
 * steps through.
 */
#ifndef ALGO_LLOYD_H
#define ALGO_LLOYD_H

#include "solve/cluster/kmeans.h"
#include "weaklab/rng.h"

typedef struct wlab_lloyd wlab_lloyd; /* the rows, and workspace; one call at a time */

typedef struct wlab_lloyd_start {
    int32_t *label;   /* [n] */
    double *centre;   /* [k x d], less the mean of all rows */
    double *distance; /* [n] squared, to the centre of label */
} wlab_lloyd_start;

/* *m is copied, what it points to must stay; restarts, most and seed are of no meaning here.  Errors as of
 * wlab_kmeans_run.  Memory a copy of X. */
wlab_code wlab_lloyd_create(wlab_lloyd **, const wlab_kmeans *m, wlab_err *);
void wlab_lloyd_destroy(wlab_lloyd *); /* NULL is fine */
wlab_code wlab_lloyd_start_make(wlab_lloyd_start *, const wlab_lloyd *, wlab_err *);
void wlab_lloyd_start_clear(wlab_lloyd_start *); /* one that is all 0 is fine */
void wlab_lloyd_start_copy(wlab_lloyd_start *to, const wlab_lloyd_start *from, const wlab_lloyd *);

/* Centres by k-means++ (clusters with fixed rows: at their mean); rows have no label then. */
void wlab_lloyd_seed(wlab_lloyd *, wlab_lloyd_start *, wlab_rng *, wlab_pool *);
/* Every row to the nearest centre, empty clusters to the farthest rows.  How many rows moved; 0: at rest. */
int64_t wlab_lloyd_assign(wlab_lloyd *, wlab_lloyd_start *, wlab_pool *);
/* Centres to the means of their rows; `distance` is then of the centres before, until _measure or _assign. */
void wlab_lloyd_centres(wlab_lloyd *, wlab_lloyd_start *, wlab_pool *);
void wlab_lloyd_measure(wlab_lloyd *, wlab_lloyd_start *, wlab_pool *);
double wlab_lloyd_sum(const wlab_lloyd *, const wlab_lloyd_start *); /* sum_i weight_i distance_i */
const double *wlab_lloyd_mean(const wlab_lloyd *);                   /* [d] of all rows */
const double *wlab_lloyd_rows(const wlab_lloyd *);                   /* [n x d] less it */

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lloyd's iteration, one half at a time, from several starts.  k-means (kmeans.h) loops over it, and the algorithm
 * kmeans steps through it.
 */
#ifndef ALGO_LLOYD_H
#define ALGO_LLOYD_H

#include "base/progress.h"
#include "solve/cluster/kmeans.h"
#include "weaklab/rng.h"

typedef struct wlab_lloyd wlab_lloyd; /* the rows, and workspace; one call at a time */

typedef struct wlab_lloyd_start {
    int32_t *label;   /* [n] */
    double *centre;   /* [k x d], minus the mean of all rows */
    double *distance; /* [n] squared, to the centre of label */
} wlab_lloyd_start;

/* Copies *m; the arrays that it points to must outlive the object.  restarts, most and seed are ignored.  Errors: as
 * those of wlab_kmeans_run.  Memory: a copy of X. */
wlab_code wlab_lloyd_create(wlab_lloyd **, const wlab_kmeans *m, wlab_ctx *, wlab_err *);
void wlab_lloyd_destroy(wlab_lloyd *); /* NULL is fine */
wlab_code wlab_lloyd_start_make(wlab_lloyd_start *, const wlab_lloyd *, wlab_err *);
void wlab_lloyd_start_clear(wlab_lloyd_start *); /* all members may be 0 */
void wlab_lloyd_start_copy(wlab_lloyd_start *to, const wlab_lloyd_start *from, const wlab_lloyd *);

/* The following look at the interrupt and let the caller's progress (NULL is fine) be seen, without counting.
 * WL_EINTERRUPTED: the start is then partly changed. */

/* Initial centres by k-means++ (a cluster with rows that may join no other one: the mean of these); rows have no label
 * afterwards. */
wlab_code wlab_lloyd_seed(wlab_lloyd *, wlab_lloyd_start *, wlab_rng *, wlab_ctx *, wlab_progress *,
                          wlab_err *);
/* Assigns every row to the nearest centre, and rows far from their centres to empty clusters (kmeans.h).  *moved: how
 * many rows moved; 0: converged. */
wlab_code wlab_lloyd_assign(wlab_lloyd *, wlab_lloyd_start *, int64_t *moved, wlab_ctx *, wlab_progress *,
                            wlab_err *);
/* Moves centres to the means of their rows.  `distance` remains that to the old centres, until wlab_lloyd_measure or
 * wlab_lloyd_assign computes it again. */
wlab_code wlab_lloyd_centres(wlab_lloyd *, wlab_lloyd_start *, wlab_ctx *, wlab_progress *, wlab_err *);
wlab_code wlab_lloyd_measure(wlab_lloyd *, wlab_lloyd_start *, wlab_ctx *, wlab_progress *, wlab_err *);
double wlab_lloyd_sum(const wlab_lloyd *, const wlab_lloyd_start *); /* sum_i weight_i distance_i */
const double *wlab_lloyd_mean(const wlab_lloyd *);                   /* [d] of all rows */
const double *wlab_lloyd_rows(const wlab_lloyd *);                   /* [n x d] minus that mean */

#endif

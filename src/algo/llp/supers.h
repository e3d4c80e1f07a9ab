/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Super-instances: sets of rows of which the share of positives is told, as InvCal and MeanMap see a problem.
 *
 * A row whose label is seen is a set of its own, with the share 0 or 1, and is taken out of its bag: the bag's other
 * rows keep the share that then remains.  So bags of one row, and bags all of whose labels are seen, are supervised
 * learning.  Of ssl the unlabelled rows are one bag, whose share is r.  Rows of which nothing is told are in no set.
 */
#ifndef ALGO_SUPERS_H
#define ALGO_SUPERS_H

#include "algo/llp/proportions.h"
#include "weaklab/model.h"

typedef struct wlab_supers {
    int64_t n;       /* sets */
    int64_t bags;    /* the first so many are bags, or what is left of them, by number; then single rows */
    int64_t rows;    /* in all sets: start[n] */
    int64_t *start;  /* [n + 1] */
    int32_t *member; /* [rows] instances by set, ascending in each */
    double *share;   /* [n] of positives, in [0, 1] */
} wlab_supers;

/* WL_ESTATE where nothing is told of any row.  O(n). */
wlab_code wlab_supers_create(wlab_supers **, const wlab_problem *, const wlab_proportions *, wlab_err *);
void wlab_supers_destroy(wlab_supers *);
static inline int64_t wlab_supers_size(const wlab_supers *s, int64_t k)
{
    return s->start[k + 1] - s->start[k];
}

/* M [n x cols]: the sets' means m_k.  Dense, in double; of large sparse data sparse, and in single precision as these. */
wlab_code wlab_supers_means(wlab_matrix **M, const wlab_supers *, const wlab_matrix *X, wlab_err *);
/* K [n x n]: <m_k, m_l>, the mean of kappa over the pairs of both sets.  Cost rows^2 kernel values, a block of rows at
 * a time. */
wlab_code wlab_supers_kernel(const wlab_supers *, const wlab_problem *, const wlab_kernel *, double *K,
                             wlab_ctx *, wlab_err *);
/* c [instances]: sum_k a_k m_k = sum_i c_i phi(x_i). */
void wlab_supers_spread(const wlab_supers *, const double *a, double *c, int64_t instances);
/* What is said behind "N bags": " and 3 labelled rows by themselves", or nothing. */
void wlab_supers_singles_text(const wlab_supers *, char *buf, size_t size);

#endif

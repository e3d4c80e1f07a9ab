/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Super-instances: sets of rows with a given proportion of positives.  InvCal and MeanMap learn from these.
 *
 * A labelled row is a set of its own, with proportion 0 or 1.  It is removed from its bag, and the set of the bag's
 * unlabelled rows gets the proportion that follows for them from the bag's.  So with bags of one row, or with all rows
 * labelled, the problem is supervised.  In the task ssl, the unlabelled rows are one bag with proportion r.  A row is
 * in no set if it has neither a label nor a bag with a given proportion.
 */
#ifndef ALGO_SUPER_INSTANCES_H
#define ALGO_SUPER_INSTANCES_H

#include "algo/llp/proportions.h"
#include "weaklab/model.h"

typedef struct wlab_super_instances {
    int64_t n;    /* sets */
    int64_t bags; /* the first `bags` sets are bags without their labelled rows, in order; then single rows */
    int64_t rows; /* in all sets: start[n] */
    int64_t *start;     /* [n + 1] */
    int32_t *member;    /* [rows] instances of each set, ascending in each */
    double *proportion; /* [n] of positives, in [0, 1] */
} wlab_super_instances;

/* WL_ESTATE if there is neither a label nor a proportion.  O(n). */
wlab_code wlab_super_instances_create(wlab_super_instances **, const wlab_problem *, const wlab_proportions *,
                                      wlab_err *);
void wlab_super_instances_destroy(wlab_super_instances *);
static inline int64_t wlab_super_instances_size(const wlab_super_instances *s, int64_t k)
{
    return s->start[k + 1] - s->start[k];
}

/* M [n x cols]: the means m_k of the sets.  Dense in double precision; for large sparse data, sparse in single
 * precision like the data. */
wlab_code wlab_super_instances_means(wlab_matrix **M, const wlab_super_instances *, const wlab_matrix *X,
                                     wlab_err *);
/* K [n x n]: <m_k, m_l>, the mean of kappa over all pairs of rows of the two sets.  Cost: rows^2 kernel values, one
 * block of rows at a time. */
wlab_code wlab_super_instances_kernel(const wlab_super_instances *, const wlab_problem *, const wlab_kernel *,
                                      double *K, wlab_ctx *, wlab_err *);
/* Computes c [instances] from a [n] such that sum_i c_i phi(x_i) = sum_k a_k m_k. */
void wlab_super_instances_spread(const wlab_super_instances *, const double *a, double *c, int64_t instances);
/* Text to append to "N bags": " and 3 labelled rows by themselves", or nothing. */
void wlab_super_instances_singles_text(const wlab_super_instances *, char *buf, size_t size);

#endif

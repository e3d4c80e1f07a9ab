/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the algorithms of label proportions share: the bags of a problem as lists, the loss of a proportion, the best
 * labels for given losses (Proposition 1 of Yu, Liu, Kumar, Jebara and Chang), the error of bags (their Eq. 23).
 */
#ifndef ALGO_PROPORTIONS_H
#define ALGO_PROPORTIONS_H

#include "weaklab/pool.h"
#include "weaklab/task.h"

/* L_p of d = predicted - told fraction of positives: |d|, d^2, max(0, |d| - eps). */
typedef enum wlab_share_kind {
    WL_SHARE_ABSOLUTE,
    WL_SHARE_SQUARED,
    WL_SHARE_HINGE
} wlab_share_kind;
extern const char *const wlab_share_kind_names[]; /* "absolute", "squared", "hinge", NULL */

typedef struct wlab_share_loss {
    wlab_share_kind kind;
    double eps;           /* hinge only */
    double weight;        /* Cp */
    const double *of_bag; /* [bags] factors of Cp, or NULL: 1 */
} wlab_share_loss;

/* A row and its gain: workspace. */
typedef struct wlab_share_rank {
    double gain;
    int32_t row;
} wlab_share_rank;

/* Disjoint bags of rows.  Rows in no bag have a visible label. */
typedef struct wlab_proportions {
    int64_t n, bags;
    int64_t told;          /* bags with a proportion */
    int64_t *start;        /* [bags + 1] */
    int32_t *member;       /* [start[bags]] rows by bag, ascending in each */
    double *share;         /* [bags] the fraction of positives, visible ones included; NaN: nothing is told */
    const int8_t *visible; /* [n] the problem's: +1 or -1 where the label is known, else 0 */
} wlab_proportions;

/* start [sets + 1] and member: of each set its members, ascending, from the set of each of n, of[i], -1: none.  O(n). */
void wlab_members_fill(const int32_t *of, int64_t n, int64_t sets, int64_t *start, int32_t *member);

/* The bags of p (llp).  Without bags the rows without a label are one bag: told p->r where the task tells one (ssl), else
 * nothing; all rows labelled: no bag.  Borrows p->visible.  O(n + bags). */
wlab_code wlab_proportions_create(wlab_proportions **, const wlab_problem *p, wlab_err *);
void wlab_proportions_destroy(wlab_proportions *);

static inline int64_t wlab_proportions_size(const wlab_proportions *b, int64_t bag)
{
    return b->start[bag + 1] - b->start[bag];
}

/* Cp L_p(ups / size of the bag, its share), 0 where nothing is told. */
double wlab_proportions_loss(const wlab_proportions *, const wlab_share_loss *, int64_t bag, int64_t ups);
/* sum over bags of that, for labels y [n]. */
double wlab_proportions_penalty(const wlab_proportions *, const wlab_share_loss *, const int8_t *y);

/* y [n] = argmin over y of  - sum over i with y_i = +1 of gain_i + sum over bags of Cp L_p, exactly: gain_i is what the
 * loss of row i falls by when y_i = -1 becomes +1.  Rows whose label is visible have that.  In each bag those with the
 * largest gains are positive, as many as is best (Proposition 1): as L_p is convex, found without sorting.  Of equal gains
 * the lower row is +1 first, of equal values the smaller count wins.  work [start[bags]]: for this call alone, or NULL.
 * Same bits for any pool.  WL_ENUMERIC: a gain is NaN.  O(n) on the average, and 16 bytes a row. */
wlab_code wlab_proportions_label(const wlab_proportions *, const wlab_share_loss *, const double *gain,
                                 int8_t *y, wlab_share_rank *work, wlab_pool *, wlab_err *);

/* Fractions of positives of each bag, [bags]: of labels y, of the signs of outputs f (f > 0 is +1). */
void wlab_proportions_of_labels(const wlab_proportions *, const int8_t *y, double *share);
void wlab_proportions_of_outputs(const wlab_proportions *, const double *f, double *share);
/* sum over told bags of |share - told|, Eq. 23. */
double wlab_proportions_error(const wlab_proportions *, const double *share);
/* Eq. 23 of the signs of f, without an array. */
double wlab_proportions_output_error(const wlab_proportions *, const double *f);

#endif

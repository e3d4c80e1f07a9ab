/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the algorithms for label proportions share: the bags of a problem as lists, the loss of a proportion, the best
 * labels for given losses (Proposition 1 of Yu, Liu, Kumar, Jebara and Chang), the error of bags (their Eq. 23).
 */
#ifndef ALGO_PROPORTIONS_H
#define ALGO_PROPORTIONS_H

#include "weaklab/pool.h"
#include "weaklab/task.h"

/* L_p of d = predicted - given proportion of positives: |d|, d^2, max(0, |d| - eps). */
typedef enum wlab_proportion_loss_kind {
    WL_PROPORTION_ABSOLUTE,
    WL_PROPORTION_SQUARED,
    WL_PROPORTION_HINGE
} wlab_proportion_loss_kind;
extern const char *const wlab_proportion_loss_names[]; /* "absolute", "squared", "hinge", NULL */

typedef struct wlab_proportion_loss {
    wlab_proportion_loss_kind kind;
    double eps;           /* hinge only */
    double weight;        /* Cp */
    const double *of_bag; /* [bags] factors of Cp, or NULL: 1 */
} wlab_proportion_loss;

/* A row and its gain: workspace. */
typedef struct wlab_proportion_rank {
    double gain;
    int32_t row;
} wlab_proportion_rank;

/* Disjoint bags of rows.  Rows in no bag have a visible label. */
typedef struct wlab_proportions {
    int64_t n, bags;
    int64_t given;   /* bags with a given proportion */
    int64_t *start;  /* [bags + 1] */
    int32_t *member; /* [start[bags]] rows by bag, ascending in each */
    double *
        proportion; /* [bags] the given proportion of positives among all rows of the bag, labelled or not; NaN: none */
    const int8_t *visible; /* [n] borrowed from the problem: +1 or -1 if the label is known, else 0 */
} wlab_proportions;

/* The bags of p (llp).  Without bags, the unlabelled rows are one bag: its proportion is p->r if the task gives one
 * (ssl), else none is given.  If all rows are labelled, there is no bag.  Borrows p->visible.  O(n + bags). */
wlab_code wlab_proportions_create(wlab_proportions **, const wlab_problem *p, wlab_err *);
void wlab_proportions_destroy(wlab_proportions *);

static inline int64_t wlab_proportions_size(const wlab_proportions *b, int64_t bag)
{
    return b->start[bag + 1] - b->start[bag];
}

/* Cp L_p(positives / size of the bag, its given proportion); 0 if none is given. */
double wlab_proportions_loss(const wlab_proportions *, const wlab_proportion_loss *, int64_t bag,
                             int64_t positives);
/* The sum of these losses over all bags, for labels y [n]. */
double wlab_proportions_penalty(const wlab_proportions *, const wlab_proportion_loss *, const int8_t *y);

/* y [n] = argmin over y of  - sum over i with y_i = +1 of gain_i + sum over bags of Cp L_p, exactly.  gain_i is the
 * amount by which the loss of row i falls when y_i = -1 becomes +1.  Rows with a visible label keep it.  In each bag,
 * the rows with the largest gains become positive, as many as is optimal (Proposition 1).  As L_p is convex, they are
 * found without sorting.  Among equal gains the row with the lower number becomes +1 first; among equal values the
 * smaller count wins. work [start[bags]]: workspace that no concurrent call uses, or NULL.  Same bits for any pool.
 * WL_ENUMERIC: a gain is NaN.  O(n) on average, and 16 bytes per row. */
wlab_code wlab_proportions_label(const wlab_proportions *, const wlab_proportion_loss *, const double *gain,
                                 int8_t *y, wlab_proportion_rank *work, wlab_pool *, wlab_err *);

/* The proportion of positives in each bag, [bags]: among labels y, or among the signs of outputs f (f > 0 is +1). */
void wlab_proportions_of_labels(const wlab_proportions *, const int8_t *y, double *proportion);
void wlab_proportions_of_outputs(const wlab_proportions *, const double *f, double *proportion);
/* Sum over the bags with a given proportion of |proportion - given|, Eq. 23. */
double wlab_proportions_error(const wlab_proportions *, const double *proportion);
/* Eq. 23 of the signs of f; allocates nothing. */
double wlab_proportions_output_error(const wlab_proportions *, const double *f);

#endif

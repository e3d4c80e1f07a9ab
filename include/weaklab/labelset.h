/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Label sets: the labelings that a task allows, called B (or Delta, or Y) in the papers.
 *
 * A labeling is a vector y of n values over *instances* (rows of the problem's matrix): +1, -1, or 0 for an instance that
 * does not take part.  Under y, example i has the feature  sum over k with example[k] = i of y_k phi(x_k).  If every
 * instance is an example (all tasks but mil), that is y_i phi(x_i).
 *
 * The label set of every task has the same form.  Some instances are fixed.  The others are divided into groups: in group
 * g between lo[g] and hi[g] members, any of them, have the value +1, and the others have low[g] (-1 or 0):
 *
 *     ssl         one group, the unlabelled rows; lo = hi
 *     cluster     one group, all rows; lo = n - hi
 *     llp         one group per bag, lo and hi from the bag's proportion and eps
 *     mil         one group per positive bag, low = 0, lo = hi = the number of key instances; with labels=instances
 *                 low = -1, lo = 1, hi = its size
 *     ambiguous   one group, the rows with both classes among their candidates; lo = 0, hi = its size
 *
 * So the label set is a product over groups, sorting within each group maximises r'y, and code over groups (search,
 * bounds, branch and bound) serves every task.
 */
#ifndef WEAKLAB_LABELSET_H
#define WEAKLAB_LABELSET_H

#include "weaklab/rng.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wlab_labelset {
    const char *name; /* of the task */
    int64_t n;        /* instances */
    int8_t *fixed;    /* [n] the value that all labelings share, or WL_FREE */
    int32_t *group;   /* [n] -1: fixed */
    int64_t groups;   /* with at least one free member */
    int64_t *start;   /* [groups + 1] */
    int32_t *member;  /* [start[groups]] instances by group, ascending in each */
    int64_t *lo, *hi; /* [groups] members at +1 */
    int8_t *low;      /* [groups] the other value, -1 or 0 */
    /* [groups] NULL if lo = hi; else [hi - lo + 1]: the probability that at most size - hi + i members are low in a
     * labeling drawn uniformly. */
    double **below;
} wlab_labelset;

enum {
    WL_FREE = 2,
    WL_NO_GROUP = -1
};

/* Makes a label set from its groups.  group[k] = -1: instance k has the value fixed[k]; else 0 .. groups-1.  The members of
 * a group that allows one choice only become fixed.  WL_EARG if lo > hi or a bound is outside 0 .. size.  O(n + groups). */
wlab_code wlab_labelset_create(wlab_labelset **, const char *name, int64_t n, const int8_t *fixed,
                               const int32_t *group, int64_t groups, const int64_t *lo, const int64_t *hi,
                               const int8_t *low, wlab_err *);
/* The label set of ssl: y_k = visible[k] if that is +1 or -1; exactly `negatives` of the others are -1. */
wlab_code wlab_labelset_ssl(wlab_labelset **, const int8_t *visible, int64_t n, int64_t negatives,
                            wlab_err *);
/* How many of u unlabelled rows are -1 if the fraction r is positive: ceil((1 - r) u), corrected for rounding error. */
int64_t wlab_negatives(double r, int64_t u);
/* The label set of cluster: -beta <= 1'y <= beta.  At least m = ceil((n - beta)/2) and at most n - m values are -1. */
wlab_code wlab_labelset_cluster(wlab_labelset **, int64_t n, double beta, wlab_err *);
/* The label set of llp: in each bag the fraction of positives is within eps of proportion[bag] or, if no count is, as near
 * to it as a count can be; in a bag with proportion NaN any count is allowed.  y_k = visible[k] if that is +1 or -1 (NULL:
 * no label is observed).  These labels count in their bags.  If they contradict the proportion they are kept, and the
 * others make the fraction as near to the proportion as possible. */
wlab_code wlab_labelset_llp(wlab_labelset **, const int32_t *bag, const int8_t *visible, int64_t n,
                            int64_t bags, const double *proportion, double eps, wlab_err *);
/* The label set of mil: instances of bags with proportion <= 1/2 are -1; in every other bag `keys` instances (all, if it
 * has fewer) are +1 and the rest 0. */
wlab_code wlab_labelset_mil(wlab_labelset **, const int32_t *bag, int64_t n, int64_t bags,
                            const double *proportion, int64_t keys, wlab_err *);
/* The label set of mil with labels=instances: instances of bags with proportion <= 1/2 are -1; in every other bag each is +1
 * or -1, and at least one is +1. */
wlab_code wlab_labelset_instances(wlab_labelset **, const int32_t *bag, int64_t n, int64_t bags,
                                  const double *proportion, wlab_err *);
/* The label set of ambiguous: y_k = visible[k] if that is +1 or -1; the others are free. */
wlab_code wlab_labelset_ambiguous(wlab_labelset **, const int8_t *visible, int64_t n, wlab_err *);
/* The label set { y } of supervised learning. */
wlab_code wlab_labelset_single(wlab_labelset **, const int8_t *y, int64_t n, wlab_err *);
/* The labelings of B that agree with `decided` [n] wherever that is not WL_FREE.  *set = NULL with WL_OK: there is none.
 * O(n + groups). */
wlab_code wlab_labelset_restrict(wlab_labelset **set, const wlab_labelset *B, const int8_t *decided,
                                 wlab_err *);
void wlab_labelset_destroy(wlab_labelset *);

/* The number of members of group g. */
static inline int64_t wlab_labelset_size(const wlab_labelset *B, int64_t g)
{
    return B->start[g + 1] - B->start[g];
}
/* The number of free instances. */
static inline int64_t wlab_labelset_free_count(const wlab_labelset *B)
{
    return B->start[B->groups];
}

/* y = argmax over B of r'y, exactly.  If members of a group have equal r, their values in `ref` (an allowed labeling, or
 * NULL) are kept as far as possible; then the lower row number gets the lower value.  WL_ENUMERIC if an r is NaN.
 * O(n log n). */
wlab_code wlab_labelset_argmax(const wlab_labelset *, const double *r, const int8_t *ref, int8_t *y,
                               wlab_err *);
/* Whether the label set prescribes how many of some rows are +1 and how many are -1. */
bool wlab_labelset_counts(const wlab_labelset *);
/* The threshold of the outputs f [n] for which the signs of f - *threshold miss the prescribed counts by the fewest labels;
 * among all such thresholds the one nearest to 0, half-way between two outputs.  *by_sign: by how many labels the signs of
 * f itself miss the counts.  Both are 0 if the label set prescribes no counts.  WL_ENUMERIC if an output is NaN.
 * O(n log n). */
wlab_code wlab_labelset_threshold(const wlab_labelset *, const double *f, double *threshold, int64_t *by_sign,
                                  wlab_err *);
bool wlab_labelset_same(const wlab_labelset *,
                        const wlab_labelset *); /* the same labelings, in the same groups */
bool wlab_labelset_contains(const wlab_labelset *, const int8_t *y);
/* Draws a labeling uniformly. */
void wlab_labelset_random(const wlab_labelset *, wlab_rng *, int8_t *y);
/* Whether y remains in the label set if y_k alone changes its sign; O(size of its group).  Two members of one group may
 * always swap their values. */
bool wlab_labelset_may_flip(const wlab_labelset *, const int8_t *y, int64_t k);
/* c [n]: the mean of all labelings. */
void wlab_labelset_mean(const wlab_labelset *, double *c);
/* |B| as a double (may be inf). */
double wlab_labelset_count(const wlab_labelset *);
/* wlab_labelset_enumerate calls it with y and the positions where y differs from the labeling visited before (the first
 * time: all n).  Return false to stop. */
typedef bool (*wlab_visit)(void *data, const int8_t *y, const int32_t *changed, int64_t nchanged);
/* Visits every labeling once, changing few positions at a time; WL_EARG if there are more than 2^40. */
wlab_code wlab_labelset_enumerate(const wlab_labelset *, wlab_visit, void *data, wlab_err *);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Label sets: what the papers call B (or Delta, or Y), the labelings that a task allows.
 *
 * A labeling is a vector y of n values over *instances* (rows of the problem's matrix): +1, -1, and 0 for
 * an instance that stays out.  Example i under y has the feature  sum over k with example[k] = i of
 * y_k phi(x_k); where examples and instances are the same (all tasks but mil) that is y_i phi(x_i).
 *
 * Every task's B has one form.  Some instances are fixed; the others are cut into groups, and in group g between
 * lo[g] and hi[g] members have the value +1, the others low[g] (-1 or 0), whichever they are:
 *
 *     ssl         one group, the unlabelled rows; lo = hi
 *     cluster     one group, all rows; lo = n - hi
 *     llp         a group a bag, lo and hi from the bag's proportion and eps
 *     mil         a group a positive bag, low = 0, lo = hi = how many key instances
 *     ambiguous   one group, the rows with both classes among their candidates; lo = 0, hi = its size
 *
 * so that B is a product over groups, r'y is maximised by sorting within each, and what is written over groups
 * (search, bounds, branch and bound) serves every task.
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
    int64_t groups;   /* those in which something is free */
    int64_t *start;   /* [groups + 1] */
    int32_t *member;  /* [start[groups]] instances by group, ascending in each */
    int64_t *lo, *hi; /* [groups] members at +1 */
    int8_t *low;      /* [groups] the other value, -1 or 0 */
    double *
        *below; /* [groups] NULL where lo = hi; else [hi - lo + 1]: the probability that in a labeling drawn
                          uniformly at most size - hi + i members are low */
} wlab_labelset;

enum {
    WL_FREE = 2,
    WL_NO_GROUP = -1
};

/* B from its form.  group[k] = -1: instance k has the value fixed[k]; else 0 .. groups-1.  A group without freedom
 * becomes fixed instances.  WL_EARG where lo > hi or a bound is outside 0 .. size.  O(n + groups). */
wlab_code wlab_labelset_create(wlab_labelset **, const char *name, int64_t n, const int8_t *fixed,
                               const int32_t *group, int64_t groups, const int64_t *lo, const int64_t *hi,
                               const int8_t *low, wlab_err *);
/* B for ssl: y_k = visible[k] where that is +1 or -1; exactly `negatives` of the others are -1. */
wlab_code wlab_labelset_ssl(wlab_labelset **, const int8_t *visible, int64_t n, int64_t negatives,
                            wlab_err *);
/* How many of u unlabelled rows are -1 when a fraction r is positive: ceil((1 - r) u), but for what rounding adds. */
int64_t wlab_negatives(double r, int64_t u);
/* B for cluster: -beta <= 1'y <= beta.  Between ceil((n - beta)/2) and n minus that many are -1. */
wlab_code wlab_labelset_cluster(wlab_labelset **, int64_t n, double beta, wlab_err *);
/* B for llp: in each bag the fraction of positives is within eps of share[bag], or, where no count is, as near as
 * one comes; of a bag whose share is NaN any number is allowed.  y_k = visible[k] where that is +1 or -1 (NULL: nothing
 * is seen): these count in their bags, and where they contradict the share, they stand, and the others come as near to
 * it as they can. */
wlab_code wlab_labelset_llp(wlab_labelset **, const int32_t *bag, const int8_t *visible, int64_t n,
                            int64_t bags, const double *share, double eps, wlab_err *);
/* B for mil: instances of bags with share <= 1/2 are -1; of each other bag `keys` (at most all) are +1, the rest 0. */
wlab_code wlab_labelset_mil(wlab_labelset **, const int32_t *bag, int64_t n, int64_t bags,
                            const double *share, int64_t keys, wlab_err *);
/* B for ambiguous: y_k = visible[k] where that is +1 or -1; the others are as they like. */
wlab_code wlab_labelset_ambiguous(wlab_labelset **, const int8_t *visible, int64_t n, wlab_err *);
/* B = { y }: supervised learning. */
wlab_code wlab_labelset_single(wlab_labelset **, const int8_t *y, int64_t n, wlab_err *);
/* The labelings of B that agree with `decided` [n] wherever that is not WL_FREE.  *set = NULL with WL_OK: there are
 * none.  O(n + groups). */
wlab_code wlab_labelset_restrict(wlab_labelset **set, const wlab_labelset *B, const int8_t *decided,
                                 wlab_err *);
void wlab_labelset_destroy(wlab_labelset *);

/* Members of group g. */
static inline int64_t wlab_labelset_size(const wlab_labelset *B, int64_t g)
{
    return B->start[g + 1] - B->start[g];
}
/* Instances that are free. */
static inline int64_t wlab_labelset_free_count(const wlab_labelset *B)
{
    return B->start[B->groups];
}

/* y = argmax over B of r'y, exactly.  Ties: by r, then the value in `ref` (an allowed labeling or NULL; keep what it
 * has), then the lower row number gets the lower value.  WL_ENUMERIC when an r is NaN.  O(n log n). */
wlab_code wlab_labelset_argmax(const wlab_labelset *, const double *r, const int8_t *ref, int8_t *y,
                               wlab_err *);
/* Whether it prescribes how many of some rows are +1 and how many -1. */
bool wlab_labelset_counts(const wlab_labelset *);
/* Where to cut outputs f [n], so that the signs of f - *threshold miss the counts that are prescribed by as few labels as
 * can be; of all such thresholds the one nearest to 0, half-way between two outputs.  *by_sign: by how many labels the
 * signs of f itself miss them.  Both 0 where B prescribes no counts.  WL_ENUMERIC when an output is NaN.  O(n log n). */
wlab_code wlab_labelset_threshold(const wlab_labelset *, const double *f, double *threshold, int64_t *by_sign,
                                  wlab_err *);
bool wlab_labelset_contains(const wlab_labelset *, const int8_t *y);
/* A labeling drawn uniformly. */
void wlab_labelset_random(const wlab_labelset *, wlab_rng *, int8_t *y);
/* Whether turning y_k alone into -y_k stays inside B; O(size of its group).  Two members of one group may always
 * swap their values. */
bool wlab_labelset_may_flip(const wlab_labelset *, const int8_t *y, int64_t k);
/* c [n]: the mean of all labelings. */
void wlab_labelset_mean(const wlab_labelset *, double *c);
/* |B| as a double (may be inf). */
double wlab_labelset_count(const wlab_labelset *);
/* Called by enumerate: y, and the positions where it differs from the labeling visited before (all n of
 * them the first time).  Return false to stop. */
typedef bool (*wlab_visit)(void *data, const int8_t *y, const int32_t *changed, int64_t nchanged);
/* Visit every labeling once, changing few positions at a time; WL_EARG when count > 2^40. */
wlab_code wlab_labelset_enumerate(const wlab_labelset *, wlab_visit, void *data, wlab_err *);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Label sets: what the papers call B (or Delta, or Y), the labelings that a task allows.
 *
 * A labeling is a vector y of n values over *instances* (rows of the problem's matrix): +1, -1, and 0 for
 * an instance that stays out.  Example i under y has the feature  sum over k with example[k] = i of
 * y_k phi(x_k); where examples and instances are the same (all tasks but mil) that is y_i phi(x_i).
 * Algorithms are written against this interface only.
 */
#ifndef WEAKLAB_LABELSET_H
#define WEAKLAB_LABELSET_H

#include "weaklab/rng.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wlab_labelset wlab_labelset;

/* Called by enumerate: y, and the positions where it differs from the labeling visited before (all n of
 * them the first time).  Return false to stop. */
typedef bool (*wlab_visit)(void *data, const int8_t *y, const int32_t *changed, int64_t nchanged);

typedef struct wlab_labelset_ops {
    const char *name;
    /* y = argmax over B of r'y, exactly.  Ties: by r, then the value in `ref` (an allowed labeling or
     * NULL; keep what it has), then the lower row number gets -1.  WL_ENUMERIC when an r is NaN.
     * O(n log n). */
    wlab_code (*argmax)(const wlab_labelset *, const double *r, const int8_t *ref, int8_t *y, wlab_err *);
    bool (*contains)(const wlab_labelset *, const int8_t *y);
    void (*random)(const wlab_labelset *, wlab_rng *, int8_t *y);
    /* The value that all labelings share at k, or 2 when k is free. */
    int (*fixed)(const wlab_labelset *, int64_t k);
    /* Feasible exchanges: two instances of one group with different values may swap them; -1: none. */
    int32_t (*group)(const wlab_labelset *, int64_t k);
    /* Whether turning y_k alone into -y_k stays inside B; O(n). */
    bool (*may_flip)(const wlab_labelset *, const int8_t *y, int64_t k);
    /* Linear equations that every labeling satisfies: a'y = b for e = 0, 1, ...; false: no such e.
     * Fixed labels are not repeated here. */
    bool (*equation)(const wlab_labelset *, int e, double *a, double *b);
    /* |B| as a double (may be inf). */
    double (*count)(const wlab_labelset *);
    /* Visit every labeling once, changing few positions at a time; WL_EARG when count > 2^40. */
    wlab_code (*enumerate)(const wlab_labelset *, wlab_visit, void *data, wlab_err *);
    void (*destroy)(wlab_labelset *);
} wlab_labelset_ops;

struct wlab_labelset {
    const wlab_labelset_ops *ops;
    int64_t n; /* instances */
    /* the task's own members follow */
};

/* B for ssl: y_k = visible[k] where that is +1 or -1; exactly `negatives` of the others are -1. */
wlab_code wlab_labelset_ssl(wlab_labelset **, const int8_t *visible, int64_t n, int64_t negatives,
                            wlab_err *);
/* How many of u unlabelled rows are -1 when a fraction r is positive: ceil((1 - r) u), but for what rounding adds. */
int64_t wlab_negatives(double r, int64_t u);
/* B for cluster: -beta <= 1'y <= beta.  Between ceil((n - beta)/2) and n minus that many are -1. */
wlab_code wlab_labelset_cluster(wlab_labelset **, int64_t n, double beta, wlab_err *);
/* B = { y }: supervised learning. */
wlab_code wlab_labelset_single(wlab_labelset **, const int8_t *y, int64_t n, wlab_err *);
void wlab_labelset_destroy(wlab_labelset *);
/* Instances that are free. */
int64_t wlab_labelset_free_count(const wlab_labelset *);

#ifdef __cplusplus
}
#endif

#endif

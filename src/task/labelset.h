/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What label sets share: ranking, binomials, combinations one exchange apart.
 */
#ifndef TASK_LABELSET_H
#define TASK_LABELSET_H

#include "weaklab/labelset.h"

/* More labelings than this are not enumerated. */
#define WL_ENUMERATE_MAX 0x1p40

/* The order in which labels are given out: by r, then the reference label, then the row. */
typedef struct wlab_rank {
    double r;
    int32_t row;
    int8_t ref;
} wlab_rank;

/* Rank rows pick[0..m-1] (NULL: 0..m-1).  *rank is owned by the caller.  WL_ENUMERIC when an r is NaN. */
wlab_code wlab_rank_create(wlab_rank **rank, const double *r, const int8_t *ref, const int32_t *pick,
                           int64_t m, wlab_err *);

/* n over k: exact below 2^53, else to a few units in the last place, inf beyond the range of doubles. */
double wlab_choose(int64_t n, int64_t k);

/* All ways to have exactly t of m places at -1, each one exchange away from the one before. */
typedef struct wlab_door {
    int32_t *c; /* [t + 1] the places at -1, ascending, then m */
    int64_t m, t;
    int32_t out, in; /* what the last move exchanged: `out` left the set, `in` entered it */
} wlab_door;

wlab_code wlab_door_create(wlab_door *, int64_t m, int64_t t, wlab_err *);
bool wlab_door_next(wlab_door *); /* false: that was the last */
void wlab_door_clear(wlab_door *);

/* WL_EARG with the count in words. */
wlab_code wlab_labelset_too_many(double count, wlab_err *);

#endif

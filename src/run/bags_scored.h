/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bags and what is known of them, for scores of bags: `eval bags`, `export bags`, and scores by hidden labels.
 */
#ifndef RUN_BAGS_SCORED_H
#define RUN_BAGS_SCORED_H

#include "weaklab/algo.h"
#include "weaklab/score.h"
#include "weaklab/task.h"

/* The instances whose bags are scored, and their bags. */
typedef struct wlab_bags_scored {
    bool test; /* the bags are held out */
    int64_t n, bags;
    const int32_t
        *row;     /* [n] of the data set; borrowed from the problem or from the caller's held-out rows */
    int32_t *bag; /* [n] */
    int8_t *own;  /* [n] the instances' own labels; 0: unknown */
    double *f;    /* [n] the model's outputs */
    int8_t *sign; /* [bags] mil: the bags' labels */
    double *proportion; /* [bags] llp: of positives; NaN: neither given nor known */
    wlab_bag_outputs o; /* outputs of the bags; wlab_bags_scored_predict fills f and this */
} wlab_bags_scored;

/* Collects the instances and their bags: those of the held-out rows test[0 .. n_test-1] if there are any and they have
 * bags (the bags that a task dealt have training rows only), else, or if `train`, those of the training rows.  The
 * problem must have bags.  A held-out bag without a given proportion gets its true one. */
wlab_code wlab_bags_scored_collect(wlab_bags_scored *, const wlab_problem *, const int32_t *test,
                                   int64_t n_test, bool train, wlab_err *);
/* Computes f and o by the model of the algorithm's state; data: that of the problem. */
wlab_code wlab_bags_scored_predict(wlab_bags_scored *, const wlab_algo *, const void *state,
                                   const wlab_dataset *data, wlab_ctx *, wlab_err *);
void wlab_bags_scored_clear(wlab_bags_scored *);

#endif

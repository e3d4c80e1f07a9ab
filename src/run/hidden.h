/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Scores by hidden labels as metrics of a run (wlab_run_score).
 */
#ifndef RUN_HIDDEN_H
#define RUN_HIDDEN_H

#include "run/bags_scored.h"
#include "weaklab/run.h"

/* Rows that are scored, and space for their outputs. */
typedef struct wlab_hidden_rows {
    int64_t n;
    int32_t *row; /* [n] of the data set */
    /* [n] what a row is compared with: the label; of clusters the class from 1.  0: unknown. */
    int8_t *truth;
    int8_t *predicted; /* [n] */
    double *f;         /* [n x outputs] */
} wlab_hidden_rows;

/* What a run computes after each step; all zero: nothing. */
typedef struct wlab_hidden_scores {
    unsigned sets; /* WL_HIDDEN_ bits */
    int32_t *test; /* [n_test] the held-out rows */
    int64_t n_test;
    wlab_hidden_rows unlabeled, held_out;
    wlab_bags_scored bags;
} wlab_hidden_scores;

/* Collects the rows of the sets.  The caller has checked each by wlab_hidden_check. */
wlab_code wlab_hidden_collect(wlab_hidden_scores *, const wlab_problem *, unsigned sets, const int32_t *test,
                              int64_t n_test, wlab_err *);
void wlab_hidden_clear(wlab_hidden_scores *);
/* Writes one score per set, in the order of the bits; NaN if the state has no model yet or no true label is known. */
wlab_code wlab_hidden_compute(wlab_hidden_scores *, const wlab_problem *, const wlab_algo *,
                              const void *state, double *score, wlab_ctx *, wlab_err *);
/* The algorithm with one metric more per set, whose values the run computes; given: as in wlab_hidden_metric.  The same
 * pointer for the same arguments, valid until the program ends; NULL: memory is short. */
const wlab_algo *wlab_hidden_algo(const wlab_algo *, const wlab_problem *, unsigned sets, bool given);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the soft-max problem wants to know of a task's instances: weights, classes allowed, bags, hard rows.
 */
#ifndef ALGO_SOFTMAX_ROWS_H
#define ALGO_SOFTMAX_ROWS_H

#include "weaklab/task.h"

/* Of the parameters weight= and entropy=: the second name is that of bags. */
extern const char *const wlab_softmax_weight_names[];  /* "uniform", "bag", NULL */
extern const char *const wlab_softmax_entropy_names[]; /* "total", "bag", NULL */

/* Bags as Section 2.1 of Joulin and Bach has them: those of the task (mil); of ssl each labelled row and all the others
 * together; of clusters one; else every row. */
typedef struct wlab_softmax_rows {
    double *pi;        /* [n] 1/n, or 1/(bags N_i) in a bag of N_i rows */
    uint64_t *allowed; /* [n] */
    int32_t *bag;      /* [n] from 0, or NULL: one entropy */
    int64_t bags;      /* of that definition, whether `bag` is there or not */
    uint8_t *hard;     /* [n] the rows of negative bags, or NULL */
    int64_t free_rows; /* of more than one class */
} wlab_softmax_rows;

/* weigh: rows by their bags; apart: an entropy a bag; hard: Eq. 7 (mil only).  On failure *rows is empty. */
wlab_code wlab_softmax_rows_make(wlab_softmax_rows *rows, const wlab_problem *, bool weigh, bool apart,
                                 bool hard, wlab_err *);
void wlab_softmax_rows_clear(wlab_softmax_rows *);

#endif

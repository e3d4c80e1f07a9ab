/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the soft-max problem needs of a task's instances: weights, allowed classes, bags, hard constraints.
 */
#ifndef ALGO_SOFTMAX_ROWS_H
#define ALGO_SOFTMAX_ROWS_H

#include "weaklab/task.h"

/* Values of the parameters weight= and entropy=; the second one means "by bags". */
extern const char *const wlab_softmax_weight_names[];  /* "uniform", "bag", NULL */
extern const char *const wlab_softmax_entropy_names[]; /* "total", "bag", NULL */

/* Bags as in Section 2.1 of Joulin and Bach: those of the task (mil); in ssl one per labelled row and one with all
 * other rows; in clusters a single one; else one per row. */
typedef struct wlab_softmax_rows {
    double *pi;        /* [n] 1/n, or 1/(bags N_i) in a bag of N_i rows */
    uint64_t *allowed; /* [n] bit k: the row may be of class k */
    int32_t *bag;      /* [n] from 0, or NULL: one entropy of all rows */
    int64_t bags;      /* number of bags by this definition, also if `bag` is NULL */
    uint8_t *hard;     /* [n] the rows of negative bags, or NULL */
    int64_t free_rows; /* rows that may be of more than one class */
} wlab_softmax_rows;

/* weight_by_bag: weight= is bag; entropy_by_bag: one entropy per bag; hard: Eq. 7 (mil only).  On failure *rows is
 * empty. */
wlab_code wlab_softmax_rows_make(wlab_softmax_rows *rows, const wlab_problem *, bool weight_by_bag,
                                 bool entropy_by_bag, bool hard, wlab_err *);
void wlab_softmax_rows_clear(wlab_softmax_rows *);

#endif

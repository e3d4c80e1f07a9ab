/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What tasks share: which class is positive, the true signs.
 */
#ifndef TASK_TASK_H
#define TASK_TASK_H

#include "weaklab/task.h"

#define WL_TASK_POSITIVE                                                                                     \
    {                                                                                                        \
        .name = "positive", .type = WL_P_TEXT,                                                               \
        .meaning = "class that counts as +1, all others as -1; needed for more than two classes"             \
    }

/* Set positive, negative and truth of *p from `positive=` and p->hidden.  Without two classes: an error that
 * lists them; with `alone` one class is enough, the positive one. */
wlab_code wlab_task_classes(wlab_problem *p, const wlab_params *, bool alone, wlab_err *);
/* +1, -1 or 0 of class c (-1: unknown) under p's positive, negative, hidden. */
int wlab_task_sign(const wlab_problem *p, int c);
/* Make `cost`, labelled, unlabelled from visible. */
void wlab_task_count(wlab_problem *p);

/* Only the instances k with keep[k] stay: row, truth, X, n, examples.  The caller says why in a remark. */
wlab_code wlab_task_keep(wlab_problem *p, const bool *keep, wlab_err *);
/* Numbers list[0..n-1] anew, from 0 in the order of their first use; size: above all of them; *total: how many;
 * *old [total]: what they were, owned by the caller. */
wlab_code wlab_renumber(int32_t *list, int64_t n, int64_t size, int32_t **old, int64_t *total, wlab_err *);
/* p->bag, p->bags from the bag of each row of the data set, and room for bag_shown.  *old as above. */
wlab_code wlab_task_bags(wlab_problem *p, const int32_t *of_row, int64_t bags, int32_t **old, wlab_err *);

extern const wlab_task wlab_task_ssl, wlab_task_cluster, wlab_task_supervised, wlab_task_mil, wlab_task_llp,
    wlab_task_ambiguous;

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The problem of one rank: its rows of a problem whose data are on several ranks.
 */
#ifndef TASK_SHARE_H
#define TASK_SHARE_H

#include "data/share.h"
#include "weaklab/task.h"

/* WL_ESTATE with the reason if ranks cannot share the problem: they can if it has two classes, neither bags nor candidates,
 * all rows of the data, and at most one group of free labels. */
wlab_code wlab_problem_shareable(const wlab_problem *, wlab_err *);
/* Rank 0: append what the other ranks need to know, but for the labels of their rows. */
wlab_code wlab_problem_pack(wlab_buf *, const wlab_problem *, wlab_err *);
/* Every rank: the problem of this rank's rows.  whole: on rank 0 the problem, else NULL; args: on the other ranks what rank 0
 * has packed, at args->pos.  In *part n, row, example, visible, cost, X and the members of `labels` are those of this rank;
 * labelled, unlabelled, r and the bounds in `labels` are those of all; nothing is known of the truth. */
wlab_code wlab_problem_share(wlab_problem **part, const wlab_problem *whole, const wlab_share *,
                             wlab_buf *args, wlab_err *);

/* wlab_labelset_argmax and wlab_labelset_threshold on a part's labels: r, ref, y and f are those of this rank's rows, and the
 * results are those that one process with all rows would have.  Every rank calls them. */
wlab_code wlab_share_argmax(const wlab_problem *part, const double *r, const int8_t *ref, int8_t *y,
                            wlab_err *);
wlab_code wlab_share_threshold(const wlab_problem *part, const double *f, double *threshold, int64_t *by_sign,
                               wlab_err *);

#endif

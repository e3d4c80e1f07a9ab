/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The best possible classifier of data by `generate formula`: its scores beside those of a learner, and in `info data`.
 */
#ifndef SESSION_EVAL_BAYES_H
#define SESSION_EVAL_BAYES_H

#include "session/internal.h"

typedef struct wlab_best {
    double accuracy;         /* of the sign of the formula on the rows */
    double expected;         /* of that, over other draws of their labels */
    double error, deviation; /* of the Bayes error in the whole box (data/formula.h) */
} wlab_best;
/* Scores the sign of the formula on rows row[0 .. n-1] (NULL: all n) of data with a formula; n > 0.  Integrates in the
 * worker, some tens of milliseconds.  WL_ENOMEM, WL_EINTERRUPTED. */
wlab_code wlab_eval_best(wlab_best *, wlab_session *, const wlab_dataset *, const int32_t *row, int64_t n,
                         wlab_err *);
/* For JSON; NULL: memory ran out. */
json_t *wlab_eval_best_object(const wlab_best *);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Outputs of a run's model for rows of a data set.
 */
#ifndef RUN_PREDICT_H
#define RUN_PREDICT_H

#include "weaklab/algo.h"
#include "weaklab/score.h"

/* Writes f [n x outputs] for rows[0 .. n-1] of `data` (NULL: all rows) by the model of the algorithm's state, in pieces,
 * between which it reports progress and can be interrupted.  Errors: those of the algorithm's model (WL_ESTATE: there is
 * none yet), WL_EINTERRUPTED, WL_ENOMEM. */
wlab_code wlab_state_predict(const wlab_algo *, const void *state, const wlab_dataset *data,
                             const int32_t *rows, int64_t n, double *f, wlab_ctx *, wlab_err *);
/* The outputs *o, which are empty before, of the bags 0 .. bags-1 of rows[0 .. n-1] (NULL: all n rows of `data`) that have the
 * outputs f [n]: by the rule, or by a model of bags.  bag [n]. */
wlab_code wlab_predicted_bags(wlab_bag_outputs *o, const wlab_model *, wlab_bag_rule,
                              const wlab_dataset *data, const int32_t *rows, int64_t n, const int32_t *bag,
                              int64_t bags, const double *f, wlab_pool *, wlab_err *);
/* As wlab_state_predict, and the outputs *o of the bags 0 .. bags-1 by the algorithm's bag rule; bag [n].  The caller clears *o. */
wlab_code wlab_state_predict_bags(const wlab_algo *, const void *state, const wlab_dataset *data,
                                  const int32_t *rows, int64_t n, const int32_t *bag, int64_t bags, double *f,
                                  wlab_bag_outputs *o, wlab_ctx *, wlab_err *);

#endif

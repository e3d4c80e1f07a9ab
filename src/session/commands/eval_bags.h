/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Scores of bags, for `eval` and `export`.
 */
#ifndef SESSION_EVAL_BAGS_H
#define SESSION_EVAL_BAGS_H

#include "run/bags_scored.h"
#include "session/internal.h"

/* Whether there are test bags: rows are held out, and have bags.  Bags that the task itself dealt have training rows
 * only. */
bool wlab_bags_have_test(const wlab_slot *, const wlab_problem *);
/* Collects and predicts the bags `name`: "bags" (those held out, else the training bags) or "train-bags". */
wlab_code wlab_session_bags(wlab_bags_scored *, wlab_session *, const wlab_run *, const char *name,
                            wlab_err *);

/* "0.9714", or "-" if there is no value. */
char *wlab_eval_number(double x, char buf[32]);
/* Whether `name` names bags. */
bool wlab_eval_of_bags(const char *name);
/* WL_ESTATE if the run's task does not learn from bags. */
wlab_code wlab_eval_bags_check(const wlab_run *, wlab_err *);
/* Scores the bags `name` of the run: prints the scores, emits them as an object, and records the counts that
 * `replay --check` compares. */
wlab_code wlab_eval_bags(wlab_session *, const wlab_run *, const char *name, wlab_err *);

#endif

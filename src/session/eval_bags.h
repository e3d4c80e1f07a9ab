/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * eval of bags: what cmd_eval.c hands over.
 */
#ifndef SESSION_EVAL_BAGS_H
#define SESSION_EVAL_BAGS_H

#include "session/internal.h"

/* "0.9714", or "-" where there is no value. */
char *wlab_eval_number(double x, char buf[32]);
/* Whether `name` names bags. */
bool wlab_eval_of_bags(const char *name);
/* WL_ESTATE where the run's task does not learn from bags. */
wlab_code wlab_eval_bags_check(const wlab_run *, wlab_err *);
/* Score the bags `name` of the run: prints, emits an object, marks. */
wlab_code wlab_eval_bags(wlab_session *, const wlab_run *, const char *name, wlab_err *);

#endif

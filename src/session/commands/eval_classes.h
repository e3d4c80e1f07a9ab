/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Scores of more than two classes or clusters, for `eval`.
 */
#ifndef SESSION_EVAL_CLASSES_H
#define SESSION_EVAL_CLASSES_H

#include "session/commands/eval_baseline.h"

/* Prints the note that comes last: the fraction of these rows on which the newest labeling is right; nothing if NaN, or if
 * every label was given. */
void wlab_eval_say_labeling(wlab_session *, const wlab_run *, const char *rows, double right);
/* Scores n rows called `name` of a multi-class run: outputs f [n x classes], the run's own labels (or NULL), truth.
 * Prints the scores, emits them as an object, and records the counts that `replay --check` compares.  *scored: the
 * number of rows with a known truth.  With the words and the object of the baseline. */
wlab_code wlab_eval_classes(wlab_session *, const wlab_run *, const char *name, const wlab_beside *,
                            const double *f, const int8_t *labels, const int8_t *truth, int64_t n,
                            int64_t *scored, wlab_err *);

#endif

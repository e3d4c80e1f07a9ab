/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * eval of more than two classes or clusters: what eval.c hands over.
 */
#ifndef SESSION_EVAL_CLASSES_H
#define SESSION_EVAL_CLASSES_H

#include "session/internal.h"

/* The note that comes last: on how many of these rows the newest labeling is right; nothing where that is NaN. */
void wlab_eval_say_labeling(wlab_session *, const char *rows, double right);
/* Score n rows called `name` of a multi-class run: outputs f [n x classes], the run's own labels (or NULL), truth.
 * Prints, emits an object, marks.  *scored: how many rows have a truth. */
wlab_code wlab_eval_classes(wlab_session *, const wlab_run *, const char *name, const double *f,
                            const int8_t *labels, const int8_t *truth, int64_t n, int64_t *scored,
                            wlab_err *);

#endif

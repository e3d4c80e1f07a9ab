/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which labels marks show.
 */
#ifndef PLOT_MARKS_H
#define PLOT_MARKS_H

#include "plot/views/view.h"

/* Some label that the learner does not see is known. */
bool wlab_marks_truth(const wlab_problem *);
/* v->labels and labels_before become what q->marks asks for, v->marks says what they became: the newest labeling where there
 * is no model yet, or no truth.  *room, which the caller frees, may hold them. */
wlab_code wlab_marks_take(wlab_view_run *v, const wlab_view_request *q, int8_t **room, wlab_err *);
/* "prediction", "labeling y5", "the run's labels", "true labels": what v->labels are. */
void wlab_marks_words(const wlab_view_run *, char *buf, size_t size);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which labels the marks of `boundary` and `bags` show.
 */
#ifndef PLOT_MARKS_H
#define PLOT_MARKS_H

#include "plot/views/view.h"

/* Whether the true label is known for some row whose label the learner does not observe. */
bool wlab_marks_truth(const wlab_problem *);
/* Set v->labels and labels_before to the labels that q->marks requests, or to the newest labeling if there is no model
 * yet, or no truth.  v->marks says which they are.  *buffer may hold them; the caller frees it. */
wlab_code wlab_marks_select(wlab_view_run *v, const wlab_view_request *q, int8_t **buffer, wlab_err *);
/* What v->labels are, in words: "prediction", "labeling y5", "the run's labels", "true labels". */
void wlab_marks_words(const wlab_view_run *, char *buf, size_t size);

#endif

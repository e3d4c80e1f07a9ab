/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The bracket across algorithms.
 */
#ifndef WEAKLAB_SESSION_BRACKET_H
#define WEAKLAB_SESSION_BRACKET_H

#include "session/internal.h"

/* Prints the bracket [lower, upper] of the global optimum of Eq. 7 of Sindhwani and Keerthi with squared hinge loss:
 * the largest certified lower bound and the smallest upper bound of the runs, and how far each run's best labeling
 * may be above the optimum.  The problem is that of the first run that evaluates Eq. 7 (has the metric J_balanced);
 * runs of another problem are left out, with a line on the differences.  If no run is of an algorithm that certifies
 * a lower bound, suggests a command line with one.  If no run evaluates Eq. 7: the bracket of the smallest SVM objective
 * of all labelings, if a run finds labelings and another one bounds the same problem, or if two algorithms bound it; with
 * several lower bounds, these in ascending order.  Else prints nothing.  Returns the same as a JSON object; JSON null if
 * nothing was printed or memory ran out. */
json_t *wlab_session_bracket(wlab_session *, const wlab_run *const *, int n);

#endif

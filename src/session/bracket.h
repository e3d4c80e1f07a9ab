/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The bracket that holds across algorithms.
 */
#ifndef WEAKLAB_SESSION_BRACKET_H
#define WEAKLAB_SESSION_BRACKET_H

#include "session/internal.h"

/* Among runs of one problem, Eq. 7 of Sindhwani and Keerthi with squared hinge loss: the largest certified lower and the
 * smallest upper bound of its global optimum, and how far each run may be above it.  Prints it, or what stands in the
 * way and the line that would help; nothing where no run evaluates Eq. 7 (metric J_balanced).  The same as an object;
 * null where nothing was printed or memory is short. */
json_t *wlab_session_bracket(wlab_session *, const wlab_run *const *, int n);

#endif

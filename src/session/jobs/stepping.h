/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the stepping commands share: a job for the solver thread, its reports as lines and objects, the reason
 * why it stopped, and what is recorded of it.
 */
#ifndef WEAKLAB_SESSION_STEPPING_H
#define WEAKLAB_SESSION_STEPPING_H

#include "session/internal.h"
#include "session/jobs/worker.h"

/* Carry out a job on the current run with the session's breakpoints; returns when it is over.  until: the
 * condition of `continue until`, or NULL.  Interrupted: WL_EINTERRUPTED, what was done is recorded. */
wlab_code wlab_session_go(wlab_session *, wlab_job_kind, int64_t count, const char *until, wlab_err *);
/* One line (with a header where the columns are new) and, in JSON, an object of this type for a row of the
 * trace. */
void wlab_session_show_row(wlab_session *, const wlab_run *, const wlab_trace_row *, const char *type);

#endif

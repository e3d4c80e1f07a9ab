/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Common to the stepping commands: a job for the solver thread, its reports as lines and objects, the reason of its
 * stop, and its record.
 */
#ifndef WEAKLAB_SESSION_STEPPING_H
#define WEAKLAB_SESSION_STEPPING_H

#include "session/internal.h"
#include "session/jobs/worker.h"

/* Run a job on the current run with the session's breakpoints; returns when it has ended.  until: the condition of
 * `continue until`, or NULL.  Interrupted: WL_EINTERRUPTED; what was done is recorded. */
wlab_code wlab_session_go(wlab_session *, wlab_job_kind, int64_t count, const char *until, wlab_err *);
/* Print a row of the trace: a line (after a header if the columns have changed) and, in JSON, an object of this
 * type. */
void wlab_session_show_row(wlab_session *, const wlab_run *, const wlab_trace_row *, const char *type);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How the session keeps its mirrors.  All is done on the session's thread.
 */
#ifndef WEAKLAB_SESSION_MIRRORS_H
#define WEAKLAB_SESSION_MIRRORS_H

#include "session/internal.h"
#include "session/worker.h"

/* Around a job, on `run` or (NULL) on none: all mirrors are up to date before, that of `run` exists. */
void wlab_mirrors_begin(wlab_session *, wlab_run *run);
void wlab_mirrors_end(wlab_session *);
/* Follow a report of the job; takes over what it needs.  Tells the sink when a mirror changed. */
void wlab_mirrors_report(wlab_session *, wlab_report *);
/* Forget them all: runs are about to be destroyed. */
void wlab_mirrors_clear(wlab_session *);
/* Tell the sink that there is something to look at. */
void wlab_session_changed(wlab_session *);

#endif

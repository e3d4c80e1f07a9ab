/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The session's mirrors (session/mirror.h), all kept on the session's thread.
 */
#ifndef WEAKLAB_SESSION_MIRRORS_H
#define WEAKLAB_SESSION_MIRRORS_H

#include "session/internal.h"
#include "session/jobs/worker.h"

/* A mirror and its sources. */
struct wlab_kept {
    wlab_mirror m;
    const wlab_run *run; /* the run; never read while a job is under way */
    int64_t *serials; /* the session's counter, so that no serial is used twice, even if a run is made anew */
    int nmetrics;
    int64_t row_cap;
    int8_t *last; /* [n] labels after the last row; inside a step the current labels differ from them */
    bool follows; /* a job is under way, and none of its reports was lost */
    bool inside;  /* the job began inside a step: labels_before are up to date already */
};

/* Call these around a job; run: the run that it steps, or NULL. _begin brings all mirrors up to date and creates
 * that of `run`; _end brings the latter up to date again. */
void wlab_mirrors_begin(wlab_session *, wlab_run *run);
void wlab_mirrors_end(wlab_session *);
/* Updates the mirror of the job's run from a report.  What the mirror keeps of the report's memory is taken out of
 * the report.  Notifies the sink if the mirror changed. */
void wlab_mirrors_report(wlab_session *, wlab_report *);
/* Drop all mirrors: the runs are about to be destroyed. */
void wlab_mirrors_clear(wlab_session *);
/* The mirror of a run, up to date between jobs; NULL: none. */
struct wlab_kept *wlab_mirrors_get(wlab_session *, int number);
/* ---- requests.c ---- */
void wlab_mirror_drop_model(wlab_mirror *);
void wlab_mirror_drop_predicted(wlab_mirror *);
void wlab_mirror_drop_probe(wlab_shown *);
/* Set the mirror's model.  NULL: none can be built now; the older model, of step model_iter, is kept. */
void wlab_mirror_take_model(wlab_mirror *, wlab_model *);
/* Notify the sink that the displayed state has changed. */
void wlab_session_changed(wlab_session *);

#endif

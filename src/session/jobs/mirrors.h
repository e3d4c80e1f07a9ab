/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How the session keeps its mirrors.  All is done on the session's thread.
 */
#ifndef WEAKLAB_SESSION_MIRRORS_H
#define WEAKLAB_SESSION_MIRRORS_H

#include "session/internal.h"
#include "session/jobs/worker.h"

/* A mirror and what it is fed from. */
struct wlab_kept {
    wlab_mirror m;
    const wlab_run *run; /* of now: never looked into while a job goes on */
    int64_t *serials;    /* the session's: no number is given twice, also when a run is made anew */
    int nmetrics;
    int64_t row_cap;
    int8_t *last; /* [n] labels of the last row; those of now are other ones inside a step */
    bool follows; /* a job goes on, and nothing that it told was lost */
    bool inside;  /* it began inside a step: labels_before are told already */
};

/* Around a job, on `run` or (NULL) on none: all mirrors are up to date before, that of `run` exists. */
void wlab_mirrors_begin(wlab_session *, wlab_run *run);
void wlab_mirrors_end(wlab_session *);
/* Follow a report of the job; takes over what it needs.  Tells the sink when a mirror changed. */
void wlab_mirrors_report(wlab_session *, wlab_report *);
/* Forget them all: runs are about to be destroyed. */
void wlab_mirrors_clear(wlab_session *);
/* The mirror of a run, up to date between jobs; NULL: none. */
struct wlab_kept *wlab_mirrors_look(wlab_session *, int number);
/* ---- wants.c ---- */
void wlab_mirror_drop_model(wlab_mirror *);
void wlab_mirror_drop_predicted(wlab_mirror *);
void wlab_mirror_drop_probe(wlab_shown *);
/* NULL: none can be built now; an older one is still what model_iter says. */
void wlab_mirror_take_model(wlab_mirror *, wlab_model *);
/* Tell the sink that there is something to look at. */
void wlab_session_changed(wlab_session *);

#endif

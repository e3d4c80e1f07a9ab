/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The progress of long work: seconds, done of total, rate, and time left.
 */
#ifndef TUI_ELAPSED_H
#define TUI_ELAPSED_H

#include "session/session.h"

typedef struct wlab_count {
    char unit[64]; /* "": none; a part in brackets may change during the work */
    int64_t done, total;
    double began;  /* when this unit was first reported */
    int64_t first; /* how many were done at that time */
    double at;     /* when `done` last changed */
} wlab_count;

typedef struct wlab_elapsed {
    int64_t job;            /* the job whose time is counted */
    double began;           /* when the job began, in seconds */
    int64_t second;         /* whole seconds since then, as last displayed */
    wlab_count steps, unit; /* the steps, if there are several; the unit counted now, maybe inside a step */
} wlab_elapsed;

void wlab_elapsed_begin(wlab_elapsed *, int64_t job, double now); /* forgets the counts of another job */
void wlab_elapsed_event(wlab_elapsed *, const wlab_event *, double now);
/* "12 s: 400 of 6000 rows, 33/s, 2 min left", "90 s: 3 of 5 steps, 60 s left; 7 of 19 starts"; unknown parts are
 * left out. */
void wlab_elapsed_text(const wlab_elapsed *, double now, char *buf, size_t size);

#endif

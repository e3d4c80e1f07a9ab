/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How far long work is: seconds, done of total, rate, and time left.
 */
#ifndef TUI_ELAPSED_H
#define TUI_ELAPSED_H

#include "session/session.h"

typedef struct wlab_count {
    char unit[64]; /* "" nothing; what follows in brackets may change as it goes on */
    int64_t done, total;
    double began;  /* when this unit was first heard of */
    int64_t first; /* and with how many done */
} wlab_count;

typedef struct wlab_elapsed {
    int64_t job;            /* whose time is counted */
    double began;           /* when it did, in seconds */
    int64_t second;         /* whole seconds since then, as last told */
    wlab_count steps, unit; /* several steps; and what is counted now, maybe inside one of them */
} wlab_elapsed;

void wlab_elapsed_begin(wlab_elapsed *, int64_t job, double now); /* forgets another job's */
void wlab_elapsed_event(wlab_elapsed *, const wlab_event *, double now);
/* "12 s: 400 of 6000 rows, 33/s, 2 min left", "90 s: 3 of 5 steps, 60 s left; 7 of 19 starts"; what is not known is
 * left out. */
void wlab_elapsed_text(const wlab_elapsed *, double now, char *buf, size_t size);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The state of a sweep, private to sweep.c, which changes it, and progress_panel.c, which displays it.
 */
#ifndef SWEEP_STATE_H
#define SWEEP_STATE_H

#include "sweep/sweep.h"
#include "sweep/tally.h"
#include <pthread.h>

enum {
    RECENT = 32,          /* the rate is computed from so many cells finished last */
    MAX_FAILED_STARTS = 3 /* the sweep fails when so many workers in a row ended before they were ready */
};

/* A worker and the cell that it computes. */
typedef struct wlab_assignment {
    bool started, ready; /* it was started; it has read the experiment */
    int64_t cell;        /* index into e->cell; -1: none */
    int tries;           /* how many workers died while they computed this cell */
    double since;        /* seconds */
    int64_t done, total; /* `done`, `total` and `text` are those of its last progress report */
    char text[48];
} wlab_assignment;

struct wlab_sweep {
    wlab_experiment *e;
    wlab_sweep_options o;
    wlab_places places;
    wlab_store *store;
    wlab_workers *workers;
    char *setup; /* the first message */

    int64_t *todo; /* [ntodo] indices into e->cell, in the order of the plan */
    int64_t ntodo, next;
    int64_t *retry_cells; /* [nworkers] cells whose worker died, to be tried once more */
    int nretry, failed_starts;

    pthread_mutex_t lock; /* for all below, which another thread reads */
    bool planned;         /* e's cells and `tally` are complete */
    int nworkers;
    wlab_assignment *assignment; /* [nworkers] */
    wlab_tally tally;
    wlab_sweep_status now;
    double began, recent[RECENT];
    wlab_finished *first, *last;
};

/* Update `now.seconds`, `now.rate` and `now.left`; the caller holds the lock. */
void wlab_sweep_times(wlab_sweep *);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a sweep knows: sweep.c works on it, board.c shows it; nobody else includes this.
 */
#ifndef SWEEP_STATE_H
#define SWEEP_STATE_H

#include "sweep/sweep.h"
#include "sweep/tally.h"
#include <pthread.h>

enum {
    RECENT = 32, /* cells that the rate is of */
    UNBORN = 3   /* workers that end before they have begun, one after the other: this is no accident */
};

/* What a worker has in hand. */
typedef struct wlab_hand {
    bool there, ready;   /* it was started; it has understood the experiment */
    int64_t cell;        /* index into e->cell; -1: none */
    int tries;           /* of this cell by workers that died */
    double since;        /* seconds */
    int64_t done, total; /* as it told last */
    char text[48];
} wlab_hand;

struct wlab_sweep {
    wlab_experiment *e;
    wlab_sweep_options o;
    wlab_places places;
    wlab_store *store;
    wlab_crew *crew;
    char *setup; /* the first message */

    int64_t *todo; /* indices into e->cell, in the order of the plan */
    int64_t ntodo, next;
    int64_t *again; /* [workers] cells whose worker died, to be tried once more */
    int nagain, unborn;

    pthread_mutex_t lock; /* for all below, which another thread looks at */
    bool planned;         /* e's cells and tally are there */
    int workers;
    wlab_hand *hand; /* [workers] */
    wlab_tally tally;
    wlab_sweep_status now;
    double began, recent[RECENT];
    wlab_finished *first, *last;
};

/* Under the lock: seconds, rate, left of `now`. */
void wlab_sweep_times(wlab_sweep *);

#endif

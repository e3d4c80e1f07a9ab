/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sweeps: the cells of an experiment, handed out to workers.
 *
 * A worker is this program, started with `--worker` (a process with pipes) or another rank of an MPI job; it knows the
 * experiment's text and places from its first message, computes the cell whose number it is sent, and answers with the
 * result as JSON, a line a message.  The scheduler owns the store, and is the same for both.
 */
#ifndef SWEEP_SWEEP_H
#define SWEEP_SWEEP_H

#include "experiment/store.h"

typedef struct wlab_sweep_options {
    const char *dir;   /* where the store is */
    int workers;       /* processes */
    int shard, shards; /* cells with (number - 1) % shards + 1 == shard; 1, 1: all */
    bool retry;        /* failed cells too */
    bool anew;         /* the folder may hold another experiment's rows */
} wlab_sweep_options;

/* For the view: a copy of how far it is. */
typedef struct wlab_sweep_status {
    int64_t total, done, failed,
        before;  /* cells of this sweep; done now (failed ones included); done by earlier sweeps */
    int working; /* workers with a cell */
    double seconds, rate,
        left;      /* since it began; cells a second over the last while; seconds, NaN: unknown */
    bool stopping; /* interrupted: the cells in hand are finished */
} wlab_sweep_status;

wlab_code wlab_sweep_register(wlab_session *, wlab_err *); /* the command `sweep` */
/* What `weaklab --worker` does: reads messages from standard input until it ends. */
int wlab_sweep_worker(void);

#endif

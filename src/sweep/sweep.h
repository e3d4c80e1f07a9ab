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

#include "study/store/store.h"
#include "sweep/workers.h"

typedef struct wlab_sweep_options {
    const char *dir;     /* where the store is */
    int workers;         /* processes */
    int shard, shards;   /* cells with (number - 1) % shards + 1 == shard; 1, 1: all */
    bool retry;          /* failed cells too */
    bool anew;           /* the folder may hold another experiment's rows */
    wlab_crew *crew;     /* workers that are there, borrowed; NULL: processes are started */
    const char *program; /* that they are processes of; NULL: this one */
} wlab_sweep_options;

/* For the view: a copy of how far it is. */
typedef struct wlab_sweep_status {
    int64_t total, done, failed,
        before;  /* cells of this sweep, or its shard; done now (failed ones included); by earlier sweeps */
    int working; /* workers with a cell */
    double seconds, rate,
        left;      /* since it began; cells a second over the last while; seconds, NaN: unknown */
    bool stopping; /* interrupted: the cells in hand are finished */
} wlab_sweep_status;

/* A cell that was done, for who tells of it. */
typedef struct wlab_finished {
    struct wlab_finished *next;
    char *line;     /* "[12/60] cell 7: heart WellSVM seed=7: accuracy 0.744, 1.2 s (wellsvm C2=0.1)" */
    json_t *object; /* {"type":"cell",...} */
} wlab_finished;

typedef struct wlab_sweep wlab_sweep;
/* e: parsed; it, options and places are borrowed until the end. */
wlab_code wlab_sweep_create(wlab_sweep **, wlab_experiment *e, const wlab_sweep_options *,
                            const wlab_places *, wlab_err *);
/* Check the experiment, open the store, compute what is missing.  Interrupted: WL_EINTERRUPTED once the cells in hand
 * are in the store; asked twice or told to end (wlab_hurried): at once.  A cell that fails, or whose worker dies twice, is a row
 * of the store and no failure of the sweep. */
wlab_code wlab_sweep_run(wlab_sweep *, wlab_ctx *, wlab_err *);
wlab_store *wlab_sweep_store(const wlab_sweep *); /* open after a run that got so far, else NULL */
void wlab_sweep_destroy(wlab_sweep *);

/* ---- from another thread, while it runs ---- */
void wlab_sweep_now(wlab_sweep *, wlab_sweep_status *);
/* What was finished since the last call, oldest first; the caller's. */
wlab_finished *wlab_sweep_finished(wlab_sweep *);
void wlab_finished_free(wlab_finished *); /* all of them */
/* How far it is, as lines: wlab_board.draw of a sweep. */
void wlab_sweep_draw(void *sweep, int rows, int cols, wlab_buf *out);

wlab_code wlab_sweep_register(wlab_session *, wlab_err *); /* the command `sweep` */
/* Workers for it that are there already (other ranks of an MPI job); borrowed, NULL: none. */
wlab_code wlab_sweep_use_crew(wlab_session *, wlab_crew *, wlab_err *);
/* What `weaklab --worker` does: reads messages from standard input until it ends.  build: as in wlab_places.  The exit
 * status. */
int wlab_sweep_worker(const char *(*build)(void));

#endif

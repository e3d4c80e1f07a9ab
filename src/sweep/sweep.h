/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sweeps: a scheduler assigns the cells of an experiment to workers and stores their results.
 *
 * A worker is this program, started with `--worker` as a process, or another rank of an MPI job.  The first message to
 * it holds the experiment's text and places.  It then computes each cell whose number it is sent, and answers with the
 * result as JSON, one message per line.  The scheduler owns the store, and is the same for both kinds of workers.
 */
#ifndef SWEEP_SWEEP_H
#define SWEEP_SWEEP_H

#include "study/store/store.h"
#include "sweep/workers.h"

typedef struct wlab_sweep_options {
    const char *dir;       /* where the store is */
    int processes;         /* how many workers to start, if `workers` is NULL */
    int shard, shards;     /* only cells with (number - 1) % shards + 1 == shard; 1, 1: all */
    bool retry;            /* compute again the cells that failed */
    bool anew;             /* the folder may hold another experiment's rows */
    wlab_workers *workers; /* workers that exist already, borrowed; NULL: processes are started */
    const char *program;   /* the program that processes run; NULL: this one */
} wlab_sweep_options;

/* A copy of the sweep's progress. */
typedef struct wlab_sweep_status {
    int64_t total;  /* cells of this sweep, or of its shard */
    int64_t done;   /* cells computed by this sweep, failed ones included */
    int64_t failed; /* how many of `done` and `before` failed */
    int64_t before; /* cells that earlier sweeps computed */
    int working;    /* workers that compute a cell */
    double seconds; /* since the sweep began */
    double rate;    /* cells per second, over the last cells; 0: not known yet */
    double left;    /* seconds still needed; NaN: unknown, or no cell is missing */
    bool stopping;  /* interrupted: workers finish their current cells and get no more */
} wlab_sweep_status;

/* A computed cell, as a line for people and as an object for --json. */
typedef struct wlab_finished {
    struct wlab_finished *next;
    char *line;     /* "[12/60] cell 7: heart WellSVM seed=7: accuracy 0.744, 1.2 s (wellsvm C2=0.1)" */
    json_t *object; /* {"type":"cell",...} */
} wlab_finished;

typedef struct wlab_sweep wlab_sweep;
/* e: parsed.  The sweep borrows e, and all that the options and places point to, until it is destroyed. */
wlab_code wlab_sweep_create(wlab_sweep **, wlab_experiment *e, const wlab_sweep_options *,
                            const wlab_places *, wlab_err *);
/* Check the experiment, open the store, compute the missing cells.  WL_EINTERRUPTED: after an interrupt, once the
 * workers have finished their current cells and these are stored; after a second interrupt or a request to end
 * (wlab_hurried), at once.  A cell that fails, or whose worker dies twice, gives a row with its error in the store; the
 * sweep itself does not fail. */
wlab_code wlab_sweep_run(wlab_sweep *, wlab_ctx *, wlab_err *);
wlab_store *wlab_sweep_store(const wlab_sweep *); /* NULL if the run failed before it opened the store */
void wlab_sweep_destroy(wlab_sweep *);

/* ---- from another thread, while it runs ---- */
void wlab_sweep_now(wlab_sweep *, wlab_sweep_status *);
/* The cells finished since the last call, oldest first; the caller frees the list. */
wlab_finished *wlab_sweep_finished(wlab_sweep *);
void wlab_finished_free(wlab_finished *); /* the whole list */
/* The sweep's progress as lines: wlab_progress_panel.draw of a sweep. */
void wlab_sweep_draw(void *sweep, int rows, int cols, wlab_buf *out);

wlab_code wlab_sweep_register(wlab_session *, wlab_err *); /* the command `sweep` */
/* Sweeps of this session use these workers (other ranks of an MPI job); borrowed, NULL: none. */
wlab_code wlab_sweep_use_workers(wlab_session *, wlab_workers *, wlab_err *);
/* The worker, `weaklab --worker`: serves messages from standard input until that ends.  build: as in wlab_places.
 * Returns the exit status. */
int wlab_sweep_worker(const char *(*build)(void));

#endif

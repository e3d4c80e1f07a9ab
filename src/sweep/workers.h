/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A group of workers, which may be processes (worker_process.c) or ranks of an MPI job (worker_mpi.c).  The scheduler
 * sends each worker one line at a time, and receives the lines that workers answer and the news that a worker ended.
 */
#ifndef SWEEP_WORKERS_H
#define SWEEP_WORKERS_H

#include "weaklab/base.h"

typedef struct wlab_workers wlab_workers;

/* What was received from a worker: a line, or the fact that it ended. */
typedef struct wlab_worker_event {
    int worker;
    const char *line; /* without its newline, valid until the next call; NULL: the worker ended */
    size_t len;
    char how[400]; /* how it ended, as "the worker was killed by signal 9 (Killed)" */
} wlab_worker_event;

typedef struct wlab_workers_type {
    /* Make sure that worker w runs: start it, also if it ran before and ended. */
    wlab_code (*start)(wlab_workers *, int w, wlab_err *);
    /* Send a line (without newline).  Never waits for the worker; `receive` reports a worker that has ended. */
    wlab_code (*send)(wlab_workers *, int w, const char *line, size_t len, wlab_err *);
    /* The next event; waits at most ms for one.  False: there was none. */
    bool (*receive)(wlab_workers *, wlab_worker_event *, int ms);
    void (*destroy)(wlab_workers *); /* ends the workers, even those that are computing */
} wlab_workers_type;

struct wlab_workers {
    const wlab_workers_type *type;
    int size;
    bool abandoned; /* a sweep ended while some of them were still computing */
};

/* Processes: `program --worker`, with a socket as standard input and output.  program NULL: this program. */
wlab_code wlab_workers_processes(wlab_workers **, int size, const char *program, wlab_err *);

/* The other side, in the worker: where lines come from and where answers go. */
typedef struct wlab_worker_side {
    void *self;
    /* Waits for the next line, which the caller frees (wlab_free).  False: there will be no more lines. */
    bool (*next)(void *self, char **line, size_t *len);
    void (*answer)(void *self, const char *line, size_t len);
} wlab_worker_side;
/* Computes the cells that it is sent; returns the exit status.  build: as in wlab_places. */
int wlab_worker_serve(const wlab_worker_side *, const char *(*build)(void));

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Workers, wherever they are: a crew sends each a line at a time, and hears what they answer or how they ended.
 */
#ifndef SWEEP_WORKERS_H
#define SWEEP_WORKERS_H

#include "weaklab/base.h"

typedef struct wlab_crew wlab_crew;

/* What came from a worker. */
typedef struct wlab_heard {
    int worker;
    const char *line; /* without its newline, good until the next call; NULL: it has ended */
    size_t len;
    char how[400]; /* "the worker was killed by signal 9 (Killed)" */
} wlab_heard;

typedef struct wlab_crew_type {
    /* Worker w is there: started, or started again after it ended. */
    wlab_code (*start)(wlab_crew *, int w, wlab_err *);
    /* A line (without newline).  Never waits for the worker; one that has ended is heard of by `hear`. */
    wlab_code (*send)(wlab_crew *, int w, const char *line, size_t len, wlab_err *);
    /* The next thing that came; waits for one at most ms.  False: nothing did. */
    bool (*hear)(wlab_crew *, wlab_heard *, int ms);
    void (*destroy)(wlab_crew *); /* ends them, whatever they do */
} wlab_crew_type;

struct wlab_crew {
    const wlab_crew_type *type;
    int size;
    bool abandoned; /* some were left while they had work */
};

/* Processes: `program --worker` with its standard input and output at a socket.  program NULL: this one. */
wlab_code wlab_crew_processes(wlab_crew **, int size, const char *program, wlab_err *);

/* The other side, in this process: where lines come from and answers go. */
typedef struct wlab_worker_side {
    void *self;
    /* The next line, owned by the caller (wlab_free); waits.  False: there will be none. */
    bool (*next)(void *self, char **line, size_t *len);
    void (*answer)(void *self, const char *line, size_t len);
} wlab_worker_side;
/* Computes the cells that it is sent; returns the exit status.  build: what identifies the program. */
int wlab_worker_serve(const wlab_worker_side *, const char *(*build)(void));

#endif

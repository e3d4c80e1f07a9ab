/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * This process as one of several: rank 0, whose session the user sees; a rank that holds some of its rows and obeys it; or a
 * worker of rank 0's sweep.  `mpirun` starts all of them, or with --ranks rank 0 starts the others.
 */
#ifndef SWEEP_JOB_H
#define SWEEP_JOB_H

#include "sweep/mpi.h"
#include "weaklab/pool.h"

typedef struct wlab_job {
    /* set by the caller */
    const char *libdir;         /* where `make install` puts the plugin */
    const char *(*build)(void); /* identifies the program */
    int threads;        /* of this process; wlab_job_join shares them among the processes that it starts */
    bool threads_given; /* as they are for each process */
    int processes;      /* --ranks; 0 or 1: no others are started */
    bool sweeps;        /* the other ranks of mpirun are workers of a sweep */
    void (*complain)(void *self, const wlab_err *);
    void *self;

    /* set by wlab_job_join */
    const wlab_mpi *mpi;   /* NULL: this process is alone */
    wlab_ranks ranks;      /* those that share data; size 0: none */
    wlab_workers *workers; /* those of a sweep, or NULL */
    wlab_pool *pool;       /* of a rank above 0 */
} wlab_job;

/* Joins the job of mpirun, or starts the processes of --ranks.  A rank above 0 works here until rank 0 dismisses it.
 * True: this process ends now with *status, because it was such a rank or MPI failed, which it has said. */
bool wlab_job_join(wlab_job *, int *status);
/* The whole life of a process that --ranks has started, with `threads` threads.  Returns its exit status. */
int wlab_job_rank(wlab_job *, const char *threads);
/* On rank 0, at the end: dismisses the others and ends MPI. */
void wlab_job_end(wlab_job *, int status);

#endif

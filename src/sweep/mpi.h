/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the program needs of MPI.  A plugin (mpi_plugin.c) has it, so that the program itself is not linked with an MPI
 * library and runs without one.
 */
#ifndef SWEEP_MPI_H
#define SWEEP_MPI_H

#include "sweep/workers.h"

/* All return 0 where they succeed.  One call at a time; from any thread. */
typedef struct wlab_mpi {
    int (*begin)(int *rank, int *size);
    int (*send)(int to, const void *data, size_t len);
    /* Is there a message, from whom, and how long is it?  Does not wait. */
    int (*look)(bool *there, int *from, size_t *len);
    int (*receive)(int from, void *data, size_t len);
    int (*end)(void);
    void (*abandon)(int status); /* the whole job, at once */
} wlab_mpi;

#define WLAB_MPI_SYMBOL "wlab_mpi_plugin" /* a const wlab_mpi */

/* Was this process started by mpirun as one of several?  rank: which. */
bool wlab_mpi_job(int *rank);
/* Load the plugin, the first of `paths` (NULL-terminated) that is there, and begin.  WL_EIO with what to do. */
wlab_code wlab_mpi_load(const wlab_mpi **, const char *const *paths, int *rank, int *size, wlab_err *);
/* On rank 0: the other ranks as workers. */
wlab_code wlab_crew_mpi(wlab_crew **, const wlab_mpi *, int size, wlab_err *);
/* On rank 0, at the end: the workers may go (the job is given up where one is still at work), and MPI ends. */
void wlab_crew_mpi_end(wlab_crew *, int status);
/* On the others: compute what rank 0 sends, until it says that all is done.  The exit status. */
int wlab_mpi_worker(const wlab_mpi *, const char *(*build)(void));

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The MPI calls that the program uses.  They are in a plugin (mpi_plugin.c), so that the program is not linked with an
 * MPI library and runs without one.
 */
#ifndef SWEEP_MPI_H
#define SWEEP_MPI_H

#include "base/ranks.h"
#include "sweep/workers.h"

/* All return 0 on success.  Any thread may call them, but only one at a time. */
typedef struct wlab_mpi {
    int (*init)(int *rank, int *size);
    /* In place of init: starts `others` further processes of this program with these arguments (NULL-terminated, without the
     * program's name), which call join; this process is rank 0. */
    int (*spawn)(const char *program, char **args, int others, int *rank, int *size);
    int (*join)(int *rank, int *size);
    int (*send)(int to, const void *data, size_t len);
    /* Whether a message has arrived, from which rank, and its length.  Does not wait. */
    int (*probe)(bool *there, int *from, size_t *len);
    int (*receive)(int from, void *data, size_t len);
    int (*finalize)(void);
    void (*abort_job)(int status); /* ends all ranks at once */
    wlab_wire wire;                /* for ranks that share data; its `self` is not used */
} wlab_mpi;

#define WLAB_MPI_SYMBOL "wlab_mpi_plugin" /* a const wlab_mpi */

/* Did mpirun start this process as one of several?  rank: its number. */
bool wlab_mpi_job(int *rank);
/* Load the first plugin of `paths` (NULL-terminated) that exists.  WL_EIO: none exists, or it cannot be loaded. */
wlab_code wlab_mpi_load(const wlab_mpi **, const char *const *paths, wlab_err *);
/* On rank 0: the other ranks as workers. */
wlab_code wlab_workers_mpi(wlab_workers **, const wlab_mpi *, int size, wlab_err *);
/* On rank 0, at the end: tell the workers to end and finalise MPI.  Aborts the job if a worker is still computing. */
void wlab_workers_mpi_end(wlab_workers *, int status);
/* On the other ranks: compute what rank 0 sends until it tells them to end.  Returns the exit status. */
int wlab_mpi_worker(const wlab_mpi *, const char *(*build)(void));

#endif

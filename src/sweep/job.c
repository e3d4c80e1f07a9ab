/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Starting, comparing, serving and ending the ranks of a job.
 */
#include "sweep/job.h"
#include "run/serve.h"

#include <cblas.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* In a build folder the plugin is beside the program; otherwise it is where `make install` puts it. */
static wlab_code load_mpi(wlab_job *j, char self[PATH_MAX], wlab_err *err)
{
    char folder[PATH_MAX], beside[PATH_MAX + 64], below[PATH_MAX + 64], installed[PATH_MAX + 64];
    ssize_t n = readlink("/proc/self/exe", self, PATH_MAX - 1);
    char *slash;

    self[n > 0 ? n : 0] = '\0';
    memcpy(folder, self, PATH_MAX);
    slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    snprintf(beside, sizeof beside, "%s/weaklab-mpi.so", folder);
    snprintf(below, sizeof below, "%s/../lib/weaklab/weaklab-mpi.so", folder);
    snprintf(installed, sizeof installed, "%s/weaklab-mpi.so", j->libdir);
    return wlab_mpi_load(&j->mpi, (const char *const[]){beside, below, installed, NULL}, err);
}

/* Every rank computes what follows from w itself, so all must compute the same bits: the same program, and the same code of
 * OpenBLAS, which it chooses by the processor. */
static wlab_code compare_ranks(wlab_job *j, wlab_err *err)
{
    wlab_ranks *ranks = &j->ranks;
    struct {
        char build[64], core[64];
    } own = {{0}, {0}}, all[WL_RANKS_MOST];

    snprintf(own.build, sizeof own.build, "%s", j->build());
    snprintf(own.core, sizeof own.core, "%s", openblas_get_corename());
    wlab_ranks_collect(ranks, &own, sizeof own, all);
    for (int r = 1; r < ranks->size; r++) {
        if (strcmp(all[r].build, all[0].build) != 0)
            return wlab_fail(err, WL_EARG, "rank %d runs another build of weaklab (%s) than rank 0 (%s)", r,
                             all[r].build, all[0].build);
        if (strcmp(all[r].core, all[0].core) != 0)
            return wlab_fail(err, WL_EARG,
                             "rank %d has another processor (%s) than rank 0 (%s), so their results would "
                             "differ in the last bits: set OPENBLAS_CORETYPE to the older one on all of them "
                             "(mpirun -x)",
                             r, all[r].core, all[0].core);
    }
    return WL_OK;
}

/* Makes this process one of the ranks.  Fails on all of them if one has not the memory to compute. */
static wlab_code set_ranks(wlab_job *j, int rank, int size, wlab_err *err)
{
    wlab_code code = WL_OK;

    j->ranks =
        (wlab_ranks){.rank = rank, .size = size, .wire = &j->mpi->wire, .calling = PTHREAD_MUTEX_INITIALIZER};
    if (rank > 0 && !(code = wlab_pool_create(&j->pool, j->threads, err)))
        code = wlab_blas_init(j->threads, err);
    code = wlab_ranks_agree(&j->ranks, code, err);
    return code ? code : compare_ranks(j, err);
}

/* A rank above 0 that holds rows: it obeys rank 0. */
static int serve(wlab_job *j)
{
    wlab_ctx ctx = {.ranks = &j->ranks, .pool = j->pool};
    wlab_err err = {0};

    if (!wlab_run_serve(&j->ranks, &ctx)) {
        (void)wlab_fail(&err, WL_ENOMEM,
                        "rank %d cannot go on: memory is too short even for what it has to do next, or "
                        "another rank has ended",
                        j->ranks.rank);
        j->complain(j->self, &err);
        j->mpi->abort_job(EXIT_FAILURE);
        return EXIT_FAILURE;
    }
    wlab_pool_destroy(j->pool);
    (void)j->mpi->finalize();
    return EXIT_SUCCESS;
}

int wlab_job_rank(wlab_job *j, const char *threads)
{
    char self[PATH_MAX];
    wlab_err err = {0};
    int64_t n = 1;
    int rank = 0, size = 1;

    (void)signal(SIGPIPE, SIG_IGN);
    wlab_code code = load_mpi(j, self, &err);
    if (!code && (!wlab_parse_int(threads, &n) || j->mpi->join(&rank, &size)))
        code = wlab_fail(&err, WL_EARG, "--rank is for processes that `weaklab --ranks N` starts");
    j->threads = (int)n;
    if (code) {
        j->complain(j->self, &err);
        return EXIT_FAILURE;
    }
    if (set_ranks(j, rank, size, &err)) {
        (void)sleep(1); /* rank 0 says why, and must not take this end for the reason */
        j->mpi->abort_job(EXIT_FAILURE);
        return EXIT_FAILURE;
    }
    return serve(j);
}

/* --ranks: this process is rank 0, and starts the others. */
static wlab_code start_ranks(wlab_job *j, wlab_err *err)
{
    char self[PATH_MAX], threads[16], option[] = "--rank", *args[] = {option, threads, NULL};
    int rank, size;
    wlab_code code = load_mpi(j, self, err);

    if (code)
        return code;
    if (!j->threads_given)
        j->threads = j->threads > j->processes ? j->threads / j->processes : 1;
    /* the others have the same limits, and MPI crashes with less address space */
    if ((code = wlab_blas_init(j->threads, err)))
        return code;
    snprintf(threads, sizeof threads, "%d", j->threads);
    if (j->mpi->spawn(self, args, j->processes - 1, &rank, &size))
        return wlab_fail(err, WL_EIO, "MPI cannot start %d more processes", j->processes - 1);
    return set_ranks(j, rank, size, err);
}

bool wlab_job_join(wlab_job *j, int *status)
{
    char self[PATH_MAX];
    wlab_err err = {0};
    int rank = 0, size = 1;
    wlab_code code;

    if (!wlab_mpi_job(&rank)) {
        code = j->processes > 1 ? start_ranks(j, &err) : WL_OK;
        if (code) {
            j->complain(j->self, &err);
            *status = EXIT_FAILURE;
        }
        return code != WL_OK;
    }
    code = load_mpi(j, self, &err);
    if (!code && j->mpi->init(&rank, &size))
        code = wlab_fail(&err, WL_EIO, "cannot initialise MPI (it must allow calls from several threads)");
    if (!code && size > WL_RANKS_MOST)
        code = wlab_fail(&err, WL_EARG, "%d ranks are too many: at most %d", size, WL_RANKS_MOST);
    if (!code && rank > 0 && j->sweeps) {
        *status = wlab_mpi_worker(j->mpi, j->build);
        return true;
    }
    if (!code && j->sweeps && size > 1)
        code = wlab_workers_mpi(&j->workers, j->mpi, size, &err);
    if (!code && !j->sweeps)
        code = set_ranks(j, rank, size, &err);
    if (!code && !j->sweeps && rank > 0) {
        *status = serve(j);
        return true;
    }
    if (!code)
        return false;
    if (rank == 0)
        j->complain(j->self, &err); /* only one rank reports it */
    else
        (void)sleep(1); /* mpirun kills all ranks when the first one ends: let rank 0 report */
    *status = EXIT_FAILURE;
    return true;
}

void wlab_job_end(wlab_job *j, int status)
{
    if (j->workers)
        wlab_workers_mpi_end(j->workers, status);
    if (j->ranks.size == 0)
        return;
    wlab_ranks_dismiss(&j->ranks);
    if (j->ranks.broken)
        j->mpi->abort_job(status ? status : EXIT_FAILURE);
    (void)j->mpi->finalize();
}

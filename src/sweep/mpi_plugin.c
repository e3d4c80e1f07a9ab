/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The plugin weaklab-mpi.so: the few MPI calls that sweeps and ranks that share data use.  Built if mpicc is installed.
 */
#include "sweep/mpi.h"
#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

enum {
    TAG = 1,
    SHARED_TAG = 2,      /* of ranks that share data */
    PIECE = 1 << 30,     /* bytes per message: MPI counts in int */
    SPINS = 2000,        /* first looks for a message without a pause, together about a millisecond */
    LEAST_PAUSE = 20000, /* ns */
    LONGEST_PAUSE = 2000000
};

extern const wlab_mpi wlab_mpi_plugin;

static MPI_Comm shared =
    MPI_COMM_NULL; /* the ranks that share data: those of the job, or those that rank 0 has started */

static int begin(void)
{
    int provided;

    /* a rank that waits gives its processor to others, which may be more than processors are free */
    (void)setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
    return MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS ||
           provided < MPI_THREAD_SERIALIZED;
}

static int number(int *rank, int *size)
{
    return MPI_Comm_rank(shared, rank) != MPI_SUCCESS || MPI_Comm_size(shared, size) != MPI_SUCCESS;
}

static int init(int *rank, int *size)
{
    if (begin())
        return 1;
    shared = MPI_COMM_WORLD;
    return number(rank, size);
}

static int spawn(const char *program, char **args, int others, int *rank, int *size)
{
    MPI_Comm started;

    (void)setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 0); /* there may be more ranks than processors */
    return begin() ||
           MPI_Comm_spawn(program, args, others, MPI_INFO_NULL, 0, MPI_COMM_SELF, &started,
                          MPI_ERRCODES_IGNORE) != MPI_SUCCESS ||
           MPI_Intercomm_merge(started, 0, &shared) != MPI_SUCCESS || number(rank, size);
}

static int join(int *rank, int *size)
{
    MPI_Comm parent;

    return begin() || MPI_Comm_get_parent(&parent) != MPI_SUCCESS || parent == MPI_COMM_NULL ||
           MPI_Intercomm_merge(parent, 1, &shared) != MPI_SUCCESS || number(rank, size);
}

static int send_bytes(int to, const void *data, size_t len)
{
    return len > INT_MAX || MPI_Send(data, (int)len, MPI_BYTE, to, TAG, MPI_COMM_WORLD) != MPI_SUCCESS;
}

static int probe(bool *there, int *from, size_t *len)
{
    MPI_Status status;
    int flag = 0, count = 0;

    if (MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &flag, &status) != MPI_SUCCESS)
        return 1;
    *there = flag != 0;
    if (!flag)
        return 0;
    *from = status.MPI_SOURCE;
    if (MPI_Get_count(&status, MPI_BYTE, &count) != MPI_SUCCESS || count < 0)
        return 1;
    *len = (size_t)count;
    return 0;
}

static int receive(int from, void *data, size_t len)
{
    return MPI_Recv(data, (int)len, MPI_BYTE, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE) != MPI_SUCCESS;
}

static int finalize(void)
{
    return MPI_Finalize() != MPI_SUCCESS;
}

static void abort_job(int status)
{
    (void)MPI_Abort(shared, status);
}

/* ---- ranks that share data ---- */

static int share_send(void *self, int to, const void *data, size_t len)
{
    (void)self;
    for (size_t at = 0; at < len; at += PIECE) {
        const size_t n = len - at < PIECE ? len - at : PIECE;
        if (MPI_Send((const char *)data + at, (int)n, MPI_BYTE, to, SHARED_TAG, shared) != MPI_SUCCESS)
            return 1;
    }
    return 0;
}

static int share_receive(void *self, int from, void *data, size_t len)
{
    (void)self;
    for (size_t at = 0; at < len; at += PIECE) {
        const size_t n = len - at < PIECE ? len - at : PIECE;
        if (MPI_Recv((char *)data + at, (int)n, MPI_BYTE, from, SHARED_TAG, shared, MPI_STATUS_IGNORE) !=
            MPI_SUCCESS)
            return 1;
    }
    return 0;
}

static int share_swap(void *self, int to, const void *out, size_t out_len, int from, void *in, size_t in_len)
{
    (void)self;
    for (size_t at = 0; at < out_len || at < in_len; at += PIECE) {
        const size_t n = at < out_len ? out_len - at : 0, m = at < in_len ? in_len - at : 0;
        if (MPI_Sendrecv(n ? (const char *)out + at : NULL, (int)(n < PIECE ? n : PIECE), MPI_BYTE,
                         n ? to : MPI_PROC_NULL, SHARED_TAG, m ? (char *)in + at : NULL,
                         (int)(m < PIECE ? m : PIECE), MPI_BYTE, m ? from : MPI_PROC_NULL, SHARED_TAG, shared,
                         MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return 1;
    }
    return 0;
}

/* MPI's own waiting keeps a processor busy: a rank that waits for a person's next command looks more and more rarely. */
static int share_wait(void *self, int from)
{
    struct timespec pause = {.tv_nsec = LEAST_PAUSE};
    int there = 0;

    (void)self;
    for (long looks = 0;; looks++) {
        if (MPI_Iprobe(from, SHARED_TAG, shared, &there, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return 1;
        if (there)
            return 0;
        if (looks < SPINS)
            continue;
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < LONGEST_PAUSE)
            pause.tv_nsec += pause.tv_nsec / 8;
    }
}

const wlab_mpi wlab_mpi_plugin = {init,       spawn,     join,
                                  send_bytes, probe,     receive,
                                  finalize,   abort_job, {share_send, share_receive, share_swap, share_wait}};

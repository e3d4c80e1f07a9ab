/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The plugin weaklab-mpi.so: the few MPI calls that sweeps use.  Built if mpicc is installed.
 */
#include "sweep/mpi.h"
#include <limits.h>
#include <mpi.h>

enum {
    TAG = 1
};

extern const wlab_mpi wlab_mpi_plugin;

static int init(int *rank, int *size)
{
    int provided;

    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS ||
        provided < MPI_THREAD_SERIALIZED)
        return 1;
    return MPI_Comm_rank(MPI_COMM_WORLD, rank) != MPI_SUCCESS ||
           MPI_Comm_size(MPI_COMM_WORLD, size) != MPI_SUCCESS;
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
    (void)MPI_Abort(MPI_COMM_WORLD, status);
}

const wlab_mpi wlab_mpi_plugin = {init, send_bytes, probe, receive, finalize, abort_job};

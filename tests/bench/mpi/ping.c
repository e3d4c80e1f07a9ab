/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a message costs: `mpirun -n N ping` sends one around all ranks, many times, and prints the seconds per rank for one
 * of 8 bytes, and the seconds per byte of one of 1 MB.  With more ranks than processors this includes the change from a
 * rank that waits to the one that is to receive.  Built with mpicc by tests/bench/ranks.sh.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static double hop(int rank, int size, char *data, int len, int rounds)
{
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    double begin = 0;

    for (int k = -rounds / 10; k < rounds; k++) {
        if (k == 0) {
            MPI_Barrier(MPI_COMM_WORLD);
            begin = MPI_Wtime();
        }
        if (rank == 0)
            MPI_Send(data, len, MPI_BYTE, next, 0, MPI_COMM_WORLD);
        MPI_Recv(data, len, MPI_BYTE, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank != 0)
            MPI_Send(data, len, MPI_BYTE, next, 0, MPI_COMM_WORLD);
    }
    return (MPI_Wtime() - begin) / ((double)size * rounds);
}

int main(int argc, char **argv)
{
    enum {
        LARGE = 1 << 20
    };
    char *data = calloc(LARGE, 1);
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!data || size < 2)
        return 1;
    const double small = hop(rank, size, data, 8, 10000), large = hop(rank, size, data, LARGE, 200);
    if (rank == 0)
        printf("%g %g\n", small, (large - small) / LARGE);
    free(data);
    MPI_Finalize();
    return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a message between two ranks costs: `mpirun -n 2 ping` prints the seconds of a message of 8 bytes, and the seconds per
 * byte of one of 1 MB, each half of a way there and back.  Built with mpicc by tests/bench/ranks.sh.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static double way(int rank, char *data, int len, int rounds)
{
    double begin = 0;

    for (int k = -rounds / 10; k < rounds; k++) {
        if (k == 0) {
            MPI_Barrier(MPI_COMM_WORLD);
            begin = MPI_Wtime();
        }
        if (rank == 0) {
            MPI_Send(data, len, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(data, len, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(data, len, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(data, len, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        }
    }
    return (MPI_Wtime() - begin) / (2 * rounds);
}

int main(int argc, char **argv)
{
    enum {
        LARGE = 1 << 20
    };
    char *data = calloc(LARGE, 1);
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!data)
        return 1;
    const double small = way(rank, data, 8, 20000), large = way(rank, data, LARGE, 500);
    if (rank == 0)
        printf("%g %g\n", small, (large - small) / LARGE);
    free(data);
    MPI_Finalize();
    return 0;
}

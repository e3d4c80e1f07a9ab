/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * measure N COMMAND...: runs the command N times without input or output, prints the smallest wall time in
 * seconds and the largest peak memory in MiB.  A helper of the .sh benchmarks.
 */
#include "seconds.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    double best = 1e300, peak = 0;
    posix_spawn_file_actions_t quiet;

    if (argc < 3)
        return 2;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
    for (int round = atoi(argv[1]); round > 0; round--) {
        struct rusage use;
        pid_t pid;
        int status;
        double start = bench_seconds(CLOCK_MONOTONIC);
        if (posix_spawnp(&pid, argv[2], &quiet, NULL, argv + 2, environ) || wait4(pid, &status, 0, &use) < 0)
            return 1;
        double seconds = bench_seconds(CLOCK_MONOTONIC) - start;
        if (!WIFEXITED(status) || WEXITSTATUS(status)) {
            fprintf(stderr, "measure: %s failed\n", argv[2]);
            return 1;
        }
        if (seconds < best)
            best = seconds;
        if ((double)use.ru_maxrss / 1024 > peak)
            peak = (double)use.ru_maxrss / 1024;
    }
    posix_spawn_file_actions_destroy(&quiet);
    printf("%.6g %.4g\n", best, peak);
    return 0;
}

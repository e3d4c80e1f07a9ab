/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The benchmarks' clocks, in seconds.  CLOCK_MONOTONIC is the clock on the wall; CLOCK_THREAD_CPUTIME_ID counts little
 * of other programs' work, CLOCK_PROCESS_CPUTIME_ID all threads' work.
 */
#ifndef BENCH_SECONDS_H
#define BENCH_SECONDS_H

#include <time.h>

static inline double bench_seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif

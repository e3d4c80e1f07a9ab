/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The benchmarks' clocks, in seconds.  CLOCK_MONOTONIC gives the wall time; CLOCK_THREAD_CPUTIME_ID the processor time
 * of this thread, which other programs disturb little; CLOCK_PROCESS_CPUTIME_ID that of all threads.
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

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A monotonic clock.
 */
#include "base/clock.h"
#include <time.h>

double wlab_seconds_now(void)
{
    struct timespec t = {0};

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int64_t wlab_ms_now(void)
{
    struct timespec t = {0};

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

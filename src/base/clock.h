/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A monotonic clock, which never goes back; its zero is arbitrary.
 */
#ifndef WEAKLAB_BASE_CLOCK_H
#define WEAKLAB_BASE_CLOCK_H

#include <stdint.h>

double wlab_seconds_now(void);
int64_t wlab_ms_now(void); /* whole milliseconds */

#endif

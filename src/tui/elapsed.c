/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How far long work is.
 */
#include "tui/elapsed.h"
#include <stdio.h>
#include <string.h>

enum {
    SURE_AFTER = 2 /* seconds before a rate is believed */
};

void wlab_elapsed_begin(wlab_elapsed *p, int64_t job, double now)
{
    if (p->job == job)
        return;
    *p = (wlab_elapsed){.job = job, .began = now};
}

void wlab_elapsed_event(wlab_elapsed *p, const wlab_event *e, double now)
{
    if (e->kind != WL_EV_PROGRESS)
        return;
    if (strncmp(p->unit, e->text, sizeof p->unit - 1) != 0 || e->total != p->total || e->done < p->done) {
        snprintf(p->unit, sizeof p->unit, "%.23s", e->text);
        p->unit_began = now;
        p->unit_first = e->done;
    }
    p->done = e->done;
    p->total = e->total;
}

static void put_time(double seconds, char *buf, size_t size)
{
    if (seconds < 100)
        snprintf(buf, size, "%.0f s", seconds);
    else if (seconds < 6000)
        snprintf(buf, size, "%.0f min", seconds / 60);
    else
        snprintf(buf, size, "%.1f h", seconds / 3600);
}

void wlab_elapsed_text(const wlab_elapsed *p, double now, char *buf, size_t size)
{
    double since = now - p->unit_began, rate = 0;
    char left[32];
    int n = snprintf(buf, size, "%.0f s", now - p->began);

    if (!p->unit[0] || n < 0 || (size_t)n >= size)
        return;
    if (p->total > 0)
        n += snprintf(buf + n, size - (size_t)n, ": %lld of %lld %s", (long long)p->done, (long long)p->total,
                      p->unit);
    else
        n += snprintf(buf + n, size - (size_t)n, ": %lld %s", (long long)p->done, p->unit);
    if (since < SURE_AFTER || p->done <= p->unit_first || (size_t)n >= size)
        return;
    rate = (double)(p->done - p->unit_first) / since;
    n += snprintf(buf + n, size - (size_t)n, ", %.3g/s", rate);
    if (p->total > p->done && (size_t)n < size) {
        put_time((double)(p->total - p->done) / rate, left, sizeof left);
        snprintf(buf + n, size - (size_t)n, ", %s left", left);
    }
}

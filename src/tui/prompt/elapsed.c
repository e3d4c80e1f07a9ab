/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The progress of long work.
 */
#include "tui/prompt/elapsed.h"
#include <stdio.h>
#include <string.h>

enum {
    SURE_AFTER = 2 /* seconds before a rate is displayed */
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
    bool step = strcmp(e->text, "steps") == 0;
    wlab_count *c = step ? &p->steps : &p->unit;

    if (step)
        p->unit.unit[0] = '\0'; /* the unit counted inside the previous step */
    if (strncmp(c->unit, e->text, strcspn(e->text, "(") + 1) != 0 || e->total != c->total ||
        e->done < c->done) {
        c->began = step && p->steps.done == 0 ? p->began : now;
        c->first = step && p->steps.done == 0 ? 0 : e->done;
    }
    snprintf(c->unit, sizeof c->unit, "%.63s", e->text);
    if (c->done != e->done || c->at < c->began)
        c->at = now;
    c->done = e->done;
    c->total = e->total;
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

/* The seconds that the rest takes if each unit takes as long as those before.  Once the one under way has taken longer, it
 * counts as if it ended now; 0: it is the last one. */
static double left_of(const wlab_count *c, double now)
{
    const double counted = (double)(c->done - c->first), each = (c->at - c->began) / counted;
    const double rest = (double)(c->total - c->done), so_far = now - c->at;

    if (so_far <= each)
        return rest * each - so_far;
    return (rest - 1) * (now - c->began) / (counted + 1);
}

/* Append a count to buf, followed by its rate per second if `rated`: the caller omits the rate if the line has two
 * counts. */
static void put_count(const wlab_count *c, double now, bool rated, char *buf, size_t size, const char *before)
{
    const double since = now - c->began;
    size_t n = strlen(buf);
    char left[32];

    if (!c->unit[0])
        return;
    if (c->total > 0)
        snprintf(buf + n, size - n, "%s%lld of %lld %s", before, (long long)c->done, (long long)c->total,
                 c->unit);
    else
        snprintf(buf + n, size - n, "%s%lld %s", before, (long long)c->done, c->unit);
    if (since < (double)SURE_AFTER || c->done <= c->first || strcmp(c->unit, "cells") == 0)
        return; /* the cells of a sweep differ too much; its progress panel estimates the time */
    n = strlen(buf);
    if (rated)
        snprintf(buf + n, size - n, ", %.3g/s", (double)(c->done - c->first) / since);
    const double rest = left_of(c, now);
    if (c->total > c->done && rest > 0) {
        put_time(rest, left, sizeof left);
        n = strlen(buf);
        snprintf(buf + n, size - n, ", %s left", left);
    }
}

void wlab_elapsed_text(const wlab_elapsed *p, double now, char *buf, size_t size)
{
    bool steps = p->steps.unit[0], unit = p->unit.unit[0];

    snprintf(buf, size, "%.0f s", now - p->began);
    put_count(&p->steps, now, !unit, buf, size, ": ");
    put_count(&p->unit, now, !steps, buf, size, steps ? "; " : ": ");
}

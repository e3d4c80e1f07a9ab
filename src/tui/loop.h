/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The one poll: everything that the terminal's thread waits for is a source of it.
 */
#ifndef TUI_LOOP_H
#define TUI_LOOP_H

#include "base/clock.h"
#include "weaklab/base.h"
#include <poll.h>

enum {
    WL_SOURCE_FDS = 32
};

typedef struct wlab_source {
    void *self;
    /* What to poll, fds[WL_SOURCE_FDS], each with fd -1 at first; returns ms until serve must be called anyway, -1:
     * never. */
    int (*wants)(void *self, struct pollfd *fds);
    void (*serve)(void *self, const struct pollfd *fds); /* after each poll */
} wlab_source;

typedef struct wlab_loop {
    wlab_source source[8];
    int sources;
} wlab_loop;

void wlab_loop_add(wlab_loop *, const wlab_source *);
void wlab_loop_remove(wlab_loop *, const void *self);
/* Wait at most ms (-1: for ever) for the sources or fd (-1: none), and serve the sources in the order they were added.
 * Returns whether fd is readable. */
bool wlab_loop_turn(wlab_loop *, int fd, int ms);

#endif

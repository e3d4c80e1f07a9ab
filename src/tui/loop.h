/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The program's only poll: it waits for every source of the terminal's thread at once.
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
    /* Fill fds[WL_SOURCE_FDS] with what to poll (each entry has fd -1 at first).  Returns the ms after which serve
     * must be called in any case, -1: never. */
    int (*request_fds)(void *self, struct pollfd *fds);
    void (*serve)(void *self, const struct pollfd *fds); /* after each poll */
} wlab_source;

typedef struct wlab_loop {
    wlab_source source[8];
    int sources;
} wlab_loop;

void wlab_loop_add(wlab_loop *, const wlab_source *);
void wlab_loop_remove(wlab_loop *, const void *self);
/* Wait at most ms (-1: for ever) for the sources or fd (-1: none), and serve the sources in the order in which they
 * were added.  Returns whether fd is readable. */
bool wlab_loop_turn(wlab_loop *, int fd, int ms);

#endif

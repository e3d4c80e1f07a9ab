/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Live pictures: one long-lived gnuplot that is never waited for.  Pictures are asked for by slot; a newer wish for a
 * slot replaces one that has not begun (frames are dropped, data never); at most one is in flight, acknowledged.  A
 * gnuplot that dies or hangs is started once more; then, or when there is none, pictures are drawn without it (raster.h)
 * and `trouble` says so, once.
 */
#ifndef PLOT_LIVE_H
#define PLOT_LIVE_H

#include "plot/raster.h"
#include <poll.h>

typedef struct wlab_live wlab_live;

enum {
    WL_LIVE_SLOTS = 16,
    WL_LIVE_FDS = 3
};

/* program: as wlab_gnuplot_create.  Starts nothing yet. */
wlab_code wlab_live_create(wlab_live **, const char *program, wlab_err *);
void wlab_live_destroy(wlab_live *); /* ends the process */

/* Wish for a picture of the figure (only read during the call) for a slot, columns x rows cells. */
wlab_code wlab_live_wish(wlab_live *, int slot, const wlab_figure *, int columns, int rows, bool characters,
                         wlab_err *);
void wlab_live_forget(wlab_live *, int slot);
/* Draw the figure in a window of gnuplot's own; terminal: "qt", "wxt", "x11"; window: its number.  Same queue. */
wlab_code wlab_live_window(wlab_live *, int slot, const wlab_figure *, const char *terminal, int window,
                           wlab_err *);
/* What to poll, fds[WL_LIVE_FDS] with -1 where nothing; and the time until something must happen, ms, -1: none. */
int wlab_live_poll(const wlab_live *, struct pollfd *fds);
/* After the poll: feed and read the process; never waits.  True: a picture for *slot came (owned by the caller), ask
 * again for more. */
bool wlab_live_serve(wlab_live *, const struct pollfd *fds, int *slot, wlab_raster *);
bool wlab_live_busy(const wlab_live *); /* something is wished for or in flight */
/* What went wrong with gnuplot since the last call, to be said once ("gnuplot ended twice: curves are drawn without it"),
 * or NULL. */
const char *wlab_live_trouble(wlab_live *);
/* The processor time, in seconds, of this thread and of gnuplot that pictures have taken so far, for the rule that drawing
 * takes at most a hundredth of a running solver's time. */
double wlab_live_spent(const wlab_live *);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Live pictures: one long-lived gnuplot that is never waited for.  Pictures are asked for by slot; a newer wish for a
 * slot replaces one that has not begun (frames are dropped, data never); at most one is in flight, acknowledged.  A
 * gnuplot that dies or hangs is started once more; then, or when there is none, pictures are drawn without it (raster.h)
 * and `trouble` says so, once.  Each window has a gnuplot of its own: one that cannot be opened does no harm, and closing
 * it by hand ends its gnuplot.
 */
#ifndef PLOT_LIVE_H
#define PLOT_LIVE_H

#include "plot/draw/raster.h"
#include <poll.h>

typedef struct wlab_live wlab_live;

enum {
    WL_LIVE_SLOTS = 24,  /* the last WL_LIVE_WINDOWS are for windows */
    WL_LIVE_WINDOWS = 8, /* slots, WL_LIVE_SLOTS - WL_LIVE_WINDOWS .. WL_LIVE_SLOTS - 1 */
    WL_LIVE_FDS = 3 * (1 + WL_LIVE_WINDOWS)
};

/* program: as wlab_gnuplot_create.  timeout_ms: after which gnuplot counts as hung (0: 5 s).  Starts nothing yet. */
wlab_code wlab_live_create(wlab_live **, const char *program, int timeout_ms, wlab_err *);
void wlab_live_destroy(wlab_live *); /* ends the processes; NULL is fine */

/* Wish for a picture of the figure (only read during the call) for a slot, columns x rows cells. */
wlab_code wlab_live_wish(wlab_live *, int slot, const wlab_figure *, int columns, int rows, bool characters,
                         wlab_err *);
/* No picture for the slot any more, whatever is under way; a window is closed. */
void wlab_live_forget(wlab_live *, int slot);
/* Draw the figure in a window of gnuplot's own; terminal: "qt", "wxt", "x11"; window: its number.  WL_EIO when a
 * window could not be drawn before. */
wlab_code wlab_live_window(wlab_live *, int slot, const wlab_figure *, const char *terminal, int window,
                           wlab_err *);
/* The user closed the window since it was drawn last (qt, wxt; in x11 it comes back with the next wish). */
bool wlab_live_closed(const wlab_live *, int slot);
/* What to poll, fds[WL_LIVE_FDS] with -1 where nothing; and the time until something must happen, ms, -1: none. */
int wlab_live_poll(const wlab_live *, struct pollfd *fds);
/* After the poll: feed and read the processes; never waits.  True: a picture for *slot came (owned by the caller), ask
 * again for more.  (What is ready is found without looking into fds, which may be NULL.) */
bool wlab_live_serve(wlab_live *, const struct pollfd *fds, int *slot, wlab_raster *);
bool wlab_live_busy(const wlab_live *); /* something is wished for or in flight */
/* What went wrong with gnuplot since the last call, to be said once ("gnuplot ended before the figure was done, twice:
 * curves are drawn without it"), or NULL. */
const char *wlab_live_trouble(wlab_live *);

/* ---- pacing ---- */
/* The processor time, in seconds, of this thread and of gnuplot that pictures have taken so far. */
double wlab_live_spent(const wlab_live *);
/* Time on top of what is counted by itself: what the caller took to make figures, say. */
void wlab_live_charge(wlab_live *, double seconds);
double wlab_thread_seconds(void); /* processor time of the calling thread, to take differences of */
/* While a solver runs, drawing takes at most a hundredth of the processor time: a solver run begins ... */
void wlab_live_run_begins(wlab_live *);
/* ... and `seconds` later, on `threads` threads, may a new round of wishes be made?  Not while pictures are under way,
 * nor when what was spent since the beginning and what the last round took would exceed the hundredth. */
bool wlab_live_may(wlab_live *, double seconds, int threads);

#endif

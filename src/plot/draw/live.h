/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Live pictures: one long-lived gnuplot draws them, and no function here waits for it.  Pictures are requested by slot.
 * A newer request for a slot replaces one that gnuplot has not begun (frames may be skipped, but the newest one is
 * always drawn); gnuplot draws at most one at a time and acknowledges it.  A gnuplot that dies or hangs is started once
 * more.  After a second failure, or if there is no gnuplot, pictures are drawn without it (raster.h) and
 * wlab_live_trouble reports that once.  Each window has a gnuplot of its own: a window that cannot be opened does no
 * harm to the others, and closing a window by hand ends its gnuplot.
 */
#ifndef PLOT_LIVE_H
#define PLOT_LIVE_H

#include "plot/draw/raster.h"
#include <poll.h>

typedef struct wlab_live wlab_live;

enum {
    WL_LIVE_SLOTS = 40,  /* the last WL_LIVE_WINDOWS are for windows */
    WL_LIVE_WINDOWS = 8, /* slots, WL_LIVE_SLOTS - WL_LIVE_WINDOWS .. WL_LIVE_SLOTS - 1 */
    WL_LIVE_FDS = 3 * (1 + WL_LIVE_WINDOWS)
};

/* program: as in wlab_gnuplot_create.  timeout_ms: the time after which gnuplot counts as hung (0: 5 s for a picture,
 * 20 s for a window).  Starts no process yet. */
wlab_code wlab_live_create(wlab_live **, const char *program, int timeout_ms, wlab_err *);
void wlab_live_destroy(wlab_live *); /* ends the processes; NULL is fine */

/* Request a picture of the figure (read only during the call) for a slot, columns x rows cells. */
wlab_code wlab_live_request(wlab_live *, int slot, const wlab_figure *, int columns, int rows,
                            bool characters, wlab_err *);
/* Cancel the slot: a picture that is being drawn is dropped; a window is closed. */
void wlab_live_forget(wlab_live *, int slot);
/* Request to draw the figure in a window; terminal: "qt", "wxt", "x11"; window: its number.  WL_EIO if a window could
 * not be drawn before. */
wlab_code wlab_live_window(wlab_live *, int slot, const wlab_figure *, const char *terminal, int window,
                           wlab_err *);
/* Whether the user closed the window since it was last drawn (qt, wxt; an x11 window reopens with the next request). */
bool wlab_live_closed(const wlab_live *, int slot);
/* Fills fds[WL_LIVE_FDS] with the descriptors to poll, -1 for unused entries.  Returns the time in ms until
 * wlab_live_serve must be called; -1: no limit. */
int wlab_live_poll(const wlab_live *, struct pollfd *fds);
/* Call after the poll: writes to and reads from the processes, without waiting.  True: a picture for *slot is ready
 * (owned by the caller); call again for more.  (fds is not read and may be NULL.) */
bool wlab_live_serve(wlab_live *, const struct pollfd *fds, int *slot, wlab_raster *);
bool wlab_live_busy(const wlab_live *); /* whether something is requested or being drawn */
/* The failure of gnuplot since the last call, to be reported once ("gnuplot ended before the figure was done, twice:
 * curves are drawn without it"), or NULL. */
const char *wlab_live_trouble(wlab_live *);

/* ---- pacing ---- */
/* The processor time, in seconds, of this thread and of gnuplot that pictures have used so far. */
double wlab_live_spent(const wlab_live *);
/* Add time that is not counted automatically, for example the time in which the caller made the figures. */
void wlab_live_charge(wlab_live *, double seconds);
double wlab_thread_seconds(void); /* processor time of the calling thread; use differences of it */
/* While a solver runs, drawing uses at most a hundredth of the processor time.  Call this when a solver run begins. */
void wlab_live_run_begins(wlab_live *);
/* Whether a new round of requests may be made `seconds` after the beginning of the run, on `threads` threads.  Not
 * while pictures are being drawn, nor if the time spent since the beginning plus the time of the last round would
 * exceed the hundredth. */
bool wlab_live_may(wlab_live *, double seconds, int threads);

#endif

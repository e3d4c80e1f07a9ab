/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The interface of the plot layer to the terminal and main: the command `plot`, and figures on the screen.
 */
#ifndef PLOT_PLOT_H
#define PLOT_PLOT_H

#include "plot/draw/live.h"
#include "plot/views/view.h"
#include "session/session.h"

/* Add the commands `plot` and `curve` and the views to a session. */
wlab_code wlab_plot_register(wlab_session *, wlab_err *);

/* What `plot VIEW` can do besides printing text.  All fields may be 0. */
typedef struct wlab_plot_screen {
    /* the caller calls wlab_plot_refresh, and the sink has `changed`: live windows are possible */
    bool windows;
    /* Whether the terminal draws sixel pictures, and its size in pixels (0: unknown).  Called only when the answer
     * matters; NULL: it draws none. */
    bool (*sixel)(void *self, int *width, int *height);
    void (*raw)(void *self, const void *bytes,
                size_t len); /* writes bytes to the terminal unchanged; NULL: not possible */
    /* Show the view without a figure: the dashboard brings the view's pane to the front, with `vs` as its x axis.
     * runs: the numbers of the runs, of which the first is selected.  false: it cannot. */
    bool (*show)(void *self, const char *view, const int *runs, int nruns, wlab_axis vs);
    void *self;
} wlab_plot_screen;
/* Who takes each figure that `plot` draws, besides the file that it names, and instead of the screen. */
typedef struct wlab_plot_taker {
    wlab_code (*take)(void *self, const struct wlab_figure *, const char *view, wlab_err *);
    void *self;
} wlab_plot_taker;
/* The taker is borrowed. */
wlab_code wlab_plot_set_taker(wlab_session *, const wlab_plot_taker *, wlab_err *);

/* Set the screen (copied); NULL: there is none. */
void wlab_plot_set_screen(wlab_session *, const wlab_plot_screen *);

/* Request new pictures for the live windows whose runs changed, in the slots that live.h reserves for windows.  Call it
 * after each command and after sink.changed; during a run when wlab_live_may allows it.  Cheap when nothing changed.
 * A permanent failure is reported as a message, once. */
void wlab_plot_refresh(wlab_session *, wlab_live *);
int wlab_plot_windows(const wlab_session *); /* number of live windows */

#endif

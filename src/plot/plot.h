/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the terminal and main take from the plot layer: the command `plot`, and figures on the screen.
 */
#ifndef PLOT_PLOT_H
#define PLOT_PLOT_H

#include "plot/draw/live.h"
#include "plot/views/view.h"
#include "session/session.h"

/* Add the command `plot` and its views to a session. */
wlab_code wlab_plot_register(wlab_session *, wlab_err *);

/* What `plot VIEW` may do besides printing text.  All may be 0. */
typedef struct wlab_plot_screen {
    bool windows; /* wlab_plot_refresh is called and the sink has `changed`: live windows are possible */
    /* Does the terminal draw sixel pictures?  Its size in pixels, 0: unknown.  Asked when it matters; NULL: no. */
    bool (*sixel)(void *self, int *width, int *height);
    void (*raw)(void *self, const void *bytes,
                size_t len); /* bytes for the terminal as they are; NULL: never */
    /* Show the view instead (the dashboard selects its pane), over vs; runs: numbers, the first is the one to look at.  false:
     * it cannot. */
    bool (*show)(void *self, const char *view, const int *runs, int nruns, wlab_axis vs);
    void *self;
} wlab_plot_screen;
/* From now on (copied); NULL: nobody is there. */
void wlab_plot_set_screen(wlab_session *, const wlab_plot_screen *);

/* Wish for new pictures in the live windows whose runs changed, in the slots that live.h keeps for windows.  Called
 * after each command and when sink.changed was; during a run as wlab_live_may allows.  Cheap when nothing changed.
 * What goes wrong for good is said as a message, once. */
void wlab_plot_refresh(wlab_session *, wlab_live *);
int wlab_plot_windows(const wlab_session *); /* how many there are */

#endif

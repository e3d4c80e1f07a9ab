/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Figures on the screen: in a live window, as a picture in the terminal, as text.
 */
#ifndef PLOT_SHOW_H
#define PLOT_SHOW_H

#include "plot/plot.h"
#include "plot/views/view.h"

enum {
    WL_PLOT_RUNS = 16 /* in one figure */
};

typedef struct wlab_show {
    const wlab_view *view;
    int run[WL_PLOT_RUNS]; /* their numbers */
    int runs;
    wlab_axis vs;
    wlab_marks marks;
    bool here; /* draw in the terminal, whatever the setting `terminal` */
} wlab_show;

typedef enum wlab_where {
    WL_IN_PANE,
    WL_IN_WINDOW,
    WL_AS_SIXEL,
    WL_AS_TEXT,
    WL_NOWHERE
} wlab_where;

/* Decide where a figure is shown, by the setting `terminal`, the display and the screen.  WL_EARG: the terminal that is
 * set is not available.  If the screen has panes, the view is first drawn as a test: a view that cannot be drawn is an
 * error, and then no pane comes to the front. */
wlab_code wlab_show_where(wlab_session *, const wlab_show *, const wlab_view_request *, wlab_where *,
                          wlab_err *);
/* Assign the view to a live window; the next wlab_plot_refresh draws it. */
wlab_code wlab_show_window(wlab_session *, const wlab_show *, wlab_err *);
/* Draw the figure in the terminal as a sixel picture. */
wlab_code wlab_show_sixel(wlab_session *, const wlab_figure *, wlab_err *);

wlab_code wlab_show_register(wlab_session *, wlab_err *); /* attaches the state of this file to the session */

#endif

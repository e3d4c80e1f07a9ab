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
    int run[WL_PLOT_RUNS]; /* numbers */
    int runs;
    wlab_axis vs;
    bool vs_given;
    wlab_marks marks;
    bool here; /* in the terminal, whatever the setting says */
} wlab_show;

typedef enum wlab_where {
    WL_IN_PANE,
    WL_IN_WINDOW,
    WL_AS_SIXEL,
    WL_AS_TEXT,
    WL_NOWHERE
} wlab_where;

/* Where the setting `terminal` and the surroundings put a figure.  WL_EARG: a terminal was set that there is none of.
 * Where panes are, the request is tried first: what cannot be drawn is an error, and no pane comes to the front. */
wlab_code wlab_show_where(wlab_session *, const wlab_show *, const wlab_view_request *, wlab_where *,
                          wlab_err *);
/* Keep it in a window; the next wlab_plot_refresh draws it. */
wlab_code wlab_show_window(wlab_session *, const wlab_show *, wlab_err *);
/* The figure as a picture, written to the terminal. */
wlab_code wlab_show_sixel(wlab_session *, const wlab_figure *, wlab_err *);

wlab_code wlab_show_register(wlab_session *, wlab_err *); /* makes what the session keeps for this */
const char *wlab_show_folder(void); /* where gnuplot's temporary folders go; NULL: /tmp */

#endif

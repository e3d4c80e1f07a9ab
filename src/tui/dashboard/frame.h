/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The state of the dashboard (dashboard.c) and its drawing (frame.c); only these two files include this.
 */
#ifndef TUI_FRAME_H
#define TUI_FRAME_H

#include "plot/draw/live.h"
#include "tui/dashboard/dashboard.h"
#include "tui/dashboard/textlog.h"
#include "tui/panes/pane.h"

enum {
    FRAMES = 20,
    LOG_LINES = 5000,
    CAPTIONS = 6,
    REACH = 1024,     /* most bytes before the cursor that are drawn */
    LEFT_BEHIND = 12, /* lines of the log that the plain terminal shows afterwards */
    MOST_PANES = WL_LIVE_SLOTS - WL_LIVE_WINDOWS
};
_Static_assert((int)WL_PANES <= (int)MOST_PANES, "each pane has a slot for its picture");

typedef struct wlab_pane_picture {
    wlab_picture shown;  /* a figure and its raster */
    wlab_figure pending; /* the figure whose raster was requested */
    bool requested;
    int64_t serial;    /* of the mirrors when the last figure was made; -1: none */
    int columns, rows; /* its size */
    wlab_axis vs;      /* its x axis, if it has an axis of steps */
} wlab_pane_picture;

struct wlab_dashboard {
    wlab_session *session;
    wlab_loop *loop;
    wlab_live *live;
    bool colors;
    bool on;
    int printed; /* lines of the log that the plain terminal already shows */

    wlab_canvas canvas;
    wlab_scene scene;
    wlab_layout layout;
    wlab_pane_picture pane[MOST_PANES];
    int panes;

    wlab_textlog *log, *reader;
    wlab_textlog *answer; /* what commands of a script that only inform have answered since its last stop */
    wlab_textlog *since;  /* all that was printed since then */
    bool informing;       /* such a command is under way */
    bool offered;       /* a stop has begun: if the log has no room for the answer, the next frame opens it */
    wlab_textlog *said; /* the captions on the screen */
    int said_logged;    /* how many of them, from the oldest, are in the log */
    bool stopped;       /* the session has stopped since the last caption: the next one replaces all */
    bool reading;       /* the reader is shown in place of the panes */
    bool chosen;        /* the user has moved the focus: F1 explains the pane in focus */
    bool keys_explained;       /* the last answer is `help dashboard` */
    bool answering;            /* a command is under way */
    bool changed;              /* that command changed something: its answer is not its only effect */
    const wlab_hint_key *keys; /* what the keys do while the hint is shown; NULL: what they always do */
    int errors;                /* the pipe of what libraries write to standard error */

    unsigned hidden;
    int zoom, focus, column;
    int requested; /* the pane that must be on the page; -1: none */
    char running[200], hint[240];
    char command[160]; /* the command under way */
    char theme[16];    /* as it was set last */

    bool dirty;         /* a frame is due */
    bool windows_dirty; /* gnuplot's own windows may be stale */
    bool line_dirty;    /* the line being typed must be drawn */
    double line_at;     /* when the line being typed was last drawn alone */
    double drawn_at;    /* when the last frame was drawn, seconds */
    double job_began;   /* 0: the solver does not run */
    bool may_draw;      /* pictures may be requested in this frame */
};

/* Read the session's state anew into d->scene. */
void wlab_frame_refresh(wlab_dashboard *);
/* Draw everything / the line being typed alone, and put it on the screen. */
void wlab_frame_draw(wlab_dashboard *);
void wlab_frame_line(wlab_dashboard *);
/* May pictures be drawn now?  While the solver runs, drawing takes at most 1 % of its time. */
bool wlab_frame_may_draw(wlab_dashboard *);
/* A canvas as an SVG picture or as a page, in the colours of theme "light" or, for any other name, "dark". */
wlab_code wlab_canvas_svg(const wlab_canvas *, const char *theme, wlab_buf *);
wlab_code wlab_canvas_html(const wlab_canvas *, const char *theme, wlab_buf *);
/* The requested picture of pane i has arrived; takes ownership of the raster. */
void wlab_frame_accept(wlab_dashboard *, int i, wlab_raster *);
void wlab_frame_forget(wlab_pane_picture *);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the dashboard knows (dashboard.c) and what draws it (frame.c); nobody else includes this.
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
    REACH = 1024,     /* bytes of the line before its cursor that are looked at */
    LEFT_BEHIND = 12, /* lines of the log that stay on the plain terminal */
    MOST_PANES = WL_LIVE_SLOTS - WL_LIVE_WINDOWS
};
_Static_assert((int)WL_PANES <= (int)MOST_PANES, "each pane has a slot for its picture");

typedef struct wlab_pane_picture {
    wlab_picture shown;  /* a figure and the raster of it */
    wlab_figure waiting; /* the figure of the raster that was wished for */
    bool waits;
    int64_t serial;    /* of the mirrors when the last figure was made; -1: none */
    int columns, rows; /* and the room for it */
    wlab_axis vs;      /* its x axis, where it has one of steps */
} wlab_pane_picture;

struct wlab_dashboard {
    wlab_session *session;
    wlab_loop *loop;
    wlab_live *live;
    bool colors;
    bool on;
    int told; /* lines of the log that are on the plain terminal already */

    wlab_canvas canvas;
    wlab_scene scene;
    wlab_layout layout;
    wlab_pane_picture pane[MOST_PANES];
    int panes;

    wlab_textlog *log, *reader;
    wlab_textlog *said; /* captions in sight */
    int said_logged;    /* of them, from the oldest: in the log */
    bool stopped;       /* since the last of them: the next begins anew */
    bool reading;       /* the reader has the panes' room */
    bool answering;     /* a command is under way */
    bool did;           /* and it changed something: its answer is not all there is to see */
    bool presents;      /* a stop of presenter mode */
    int errors;         /* the pipe of what libraries write to standard error */

    unsigned hidden;
    int zoom, focus, column;
    int wanted; /* the pane that must be on the page; -1: none */
    char running[200], hint[240];
    char command[160]; /* what is being carried out */
    char theme[16];    /* as it was set last */

    bool dirty;         /* a frame is due */
    bool windows_dirty; /* gnuplot's own windows may be stale */
    bool line_dirty;    /* the prompt's lines are */
    double line_at;     /* the line being typed, alone */
    double drawn_at;    /* the last frame, seconds */
    double job_began;   /* 0: the solver does not run */
    bool may;           /* pictures may be asked for in this frame */
};

/* Look at the session anew: d->scene. */
void wlab_frame_look(wlab_dashboard *);
/* Draw everything / the line being typed alone, and put it on the screen. */
void wlab_frame_draw(wlab_dashboard *);
void wlab_frame_line(wlab_dashboard *);
/* May pictures be drawn now?  While the solver runs, drawing takes at most a hundredth of its time. */
bool wlab_frame_may(wlab_dashboard *);
/* A picture came for pane i: takes the raster. */
void wlab_frame_take(wlab_dashboard *, int i, wlab_raster *);
void wlab_frame_forget(wlab_pane_picture *);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The dashboard: what is on the full screen, and when it is drawn.  Drawing may pause and drop frames; data never does.
 */
#ifndef TUI_DASHBOARD_H
#define TUI_DASHBOARD_H

#include "plot/views/view.h"
#include "session/session.h"
#include "tui/dashboard/canvas.h"
#include "tui/loop.h"
#include "tui/prompt/keys.h"

typedef struct wlab_dashboard wlab_dashboard;

/* colors: false for --no-color.  Not shown yet. */
wlab_code wlab_dashboard_create(wlab_dashboard **, wlab_session *, wlab_loop *, bool colors, wlab_err *);
void wlab_dashboard_destroy(wlab_dashboard *); /* the terminal shows what it showed before */
bool wlab_dashboard_is_on(const wlab_dashboard *);
/* Take the screen.  WL_ESTATE: this terminal cannot. */
wlab_code wlab_dashboard_begin(wlab_dashboard *, wlab_err *);
/* Give it back; what was said last is printed on the plain terminal. */
void wlab_dashboard_end(wlab_dashboard *);

/* ---- what comes in ---- */
void wlab_dashboard_text(wlab_dashboard *, wlab_style, const char *text);
/* What `say` says: it stays in sight until something else is said after a stop, or a command is typed. */
void wlab_dashboard_caption(wlab_dashboard *, const char *text);
void wlab_dashboard_unsay(wlab_dashboard *); /* a lesson goes back: what it said is still to come */
void wlab_dashboard_command(wlab_dashboard *, const char *line); /* NULL: it is done */
void wlab_dashboard_read(wlab_dashboard *,
                         const char *text);       /* show it from its start, in the panes' place */
void wlab_dashboard_last_board(wlab_dashboard *); /* what the board of a command shows last, for the log */
void wlab_dashboard_changed(wlab_dashboard *);    /* the sink's */
void wlab_dashboard_edited(wlab_dashboard *);     /* the line being typed */
/* What goes on ("step 8 of 20, 12 s"), NULL: nothing; a sentence in place of the line that tells the next step, NULL: that
 * line; it is a stop of presenter mode. */
void wlab_dashboard_status(wlab_dashboard *, const char *running, const char *hint, bool presents);
void wlab_dashboard_resized(wlab_dashboard *);
/* After SIGCONT: the terminal may have had other modes meanwhile. */
void wlab_dashboard_continue(wlab_dashboard *d);
void wlab_dashboard_suspend(wlab_dashboard *); /* Ctrl-Z */
/* A key that changes the view; false: it is not one. */
bool wlab_dashboard_act(wlab_dashboard *, wlab_act);
/* The dashboard is on and the session has no run: what leads to one, in buf. */
bool wlab_dashboard_suggests(const wlab_dashboard *, char *buf, size_t size);
bool wlab_dashboard_close_answer(wlab_dashboard *); /* false: none takes the panes' place */
/* Panes by name: show it with all the room (zoom), hide it, or show it again; NULL name with show: all. */
typedef enum wlab_pane_wish {
    WL_PANE_ZOOM,
    WL_PANE_HIDE,
    WL_PANE_SHOW
} wlab_pane_wish;
wlab_code wlab_dashboard_pane(wlab_dashboard *, const char *name, wlab_pane_wish, wlab_err *);
/* The x axis of a pane's picture from now on, where it has one of steps; false: no such pane. */
bool wlab_dashboard_axis(wlab_dashboard *, const char *name, wlab_axis vs);

/* The command `dashboard`. */
wlab_code wlab_dashboard_register(wlab_session *, wlab_dashboard *, wlab_err *);

#endif

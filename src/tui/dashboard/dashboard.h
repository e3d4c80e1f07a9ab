/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The dashboard: what the full screen shows, and when it is drawn.  Frames may be skipped; the last one shows the
 * newest state.
 */
#ifndef TUI_DASHBOARD_H
#define TUI_DASHBOARD_H

#include "plot/views/view.h"
#include "session/session.h"
#include "tui/dashboard/canvas.h"
#include "tui/loop.h"
#include "tui/prompt/keys.h"

typedef struct wlab_dashboard wlab_dashboard;

/* colors: false for --no-color.  The dashboard is off at first. */
wlab_code wlab_dashboard_create(wlab_dashboard **, wlab_session *, wlab_loop *, bool colors, wlab_err *);
void wlab_dashboard_destroy(wlab_dashboard *); /* the terminal shows what it showed before */
bool wlab_dashboard_is_on(const wlab_dashboard *);
/* Take the screen.  WL_ESTATE: this terminal cannot show it. */
wlab_code wlab_dashboard_begin(wlab_dashboard *, wlab_err *);
/* Give the screen back and print the last lines of the log on the plain terminal. */
void wlab_dashboard_end(wlab_dashboard *);

/* ---- input ---- */
void wlab_dashboard_text(wlab_dashboard *, wlab_style, const char *text);
/* A caption of `say`: it remains on the screen until the next caption after a stop, or the next command. */
void wlab_dashboard_caption(wlab_dashboard *, const char *text);
/* A command of a script that only informs begins, or has ended.  If the log has no room for what it answered, the next stop
 * shows it in place of the panes. */
void wlab_dashboard_informs(wlab_dashboard *, bool begins);
void wlab_dashboard_unsay(
    wlab_dashboard *); /* a lesson goes back: drop the captions that it will say again */
void wlab_dashboard_command(wlab_dashboard *, const char *line); /* NULL: the command has ended */
/* Show the text from its start, in place of the panes. */
void wlab_dashboard_read(wlab_dashboard *, const char *text);
void wlab_dashboard_last_panel(wlab_dashboard *); /* log the last state of a command's progress panel */
void wlab_dashboard_changed(wlab_dashboard *);    /* the session's sink reports a change */
void wlab_dashboard_edited(wlab_dashboard *);     /* the line being typed has changed */
/* running: the work under way ("step 8 of 20, 12 s"), NULL: none.  hint: a sentence shown in place of the line on the
 * next step, NULL: none.  keys: what keys do while the hint is shown, for the line of keys; NULL: what they always do.  It
 * must remain valid. */
typedef struct wlab_hint_key {
    const char *name, *does; /* name NULL: the end */
} wlab_hint_key;
void wlab_dashboard_status(wlab_dashboard *, const char *running, const char *hint,
                           const wlab_hint_key *keys);
void wlab_dashboard_resized(wlab_dashboard *);
/* After SIGCONT: another program may have changed the terminal's modes. */
void wlab_dashboard_continue(wlab_dashboard *d);
void wlab_dashboard_suspend(wlab_dashboard *); /* Ctrl-Z */
/* A key that changes the view; false: the key does not change it. */
bool wlab_dashboard_act(wlab_dashboard *, wlab_act);
/* If the dashboard is on and the session has no run, write to buf the command that leads towards one. */
bool wlab_dashboard_suggests(const wlab_dashboard *, char *buf, size_t size);
/* What F1 explains: "dashboard", or, if the user has moved the focus or is reading that help, the name of the pane in
 * focus. */
const char *wlab_dashboard_help_topic(wlab_dashboard *);
/* F1 at a stop of presenter mode, where no command can be typed: show the help in place of the panes. */
void wlab_dashboard_help(wlab_dashboard *);
bool wlab_dashboard_close_answer(wlab_dashboard *); /* false: none was open */
/* WL_EARG with a message: there is no such pane. */
wlab_code wlab_dashboard_no_pane(const char *name, wlab_err *);
/* Whether the pane fits the current run. */
bool wlab_dashboard_can_show(wlab_dashboard *, const char *name);
/* Panes by name: show one alone (zoom), hide it, or show it again; show with name NULL: all. */
typedef enum wlab_pane_action {
    WL_PANE_ZOOM,
    WL_PANE_HIDE,
    WL_PANE_SHOW
} wlab_pane_action;
wlab_code wlab_dashboard_pane(wlab_dashboard *, const char *name, wlab_pane_action, wlab_err *);
/* Set the x axis of a pane's picture, if the picture has an axis of steps; false: no such pane. */
bool wlab_dashboard_axis(wlab_dashboard *, const char *name, wlab_axis vs);
/* Writes the screen as it is to a file: .svg, .html, or .txt.  WL_ESTATE: the dashboard is off. */
wlab_code wlab_dashboard_save(wlab_dashboard *, wlab_session *, const char *path, wlab_err *);

/* The command `dashboard`. */
wlab_code wlab_dashboard_register(wlab_session *, wlab_dashboard *, wlab_err *);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Breakpoints, watches and displays of a session.
 */
#ifndef WEAKLAB_SESSION_STOPS_H
#define WEAKLAB_SESSION_STOPS_H

#include "session/commands/commands.h"

typedef struct wlab_stop {
    int number; /* breakpoints and watches are numbered together, displays apart */
    bool watch;
    bool warned;  /* the user was warned that a metric in it has no value */
    int reported; /* number of the last run reported to lack its metrics */
    char *text;   /* the condition; the metric of a watch; the displayed expression */
} wlab_stop;

struct wlab_stops {
    wlab_stop *stop, *display;
    int nstops, ndisplays;
    int last_stop, last_display;
    int shown_run;  /* the run whose columns the last printed header names; 0: none */
    int shown_rows; /* rows printed under that header */
};

/* The session's stops, created at the first call. */
wlab_code wlab_stops_get(wlab_session *, wlab_stops **, wlab_err *);
void wlab_stops_destroy(wlab_stops *);
wlab_code wlab_stops_add(wlab_session *, bool watch, const char *text, int *number, wlab_err *);
wlab_code wlab_stops_add_display(wlab_session *, const char *text, int *number, wlab_err *);
/* WL_EARG: there is none of that number. */
wlab_code wlab_stops_remove(wlab_session *, int64_t number, wlab_err *);
wlab_code wlab_stops_remove_display(wlab_session *, int64_t number, wlab_err *);

enum {
    WL_SHOW_BREAKS = 1,
    WL_SHOW_WATCHES = 2,
    WL_SHOW_DISPLAYS = 4
};
/* Their numbers, for completion. */
void wlab_stops_offer(wlab_offers *, const wlab_session *, bool displays);
/* Print breakpoints, watches and displays, those whose kinds are in `what`: all of them for `info break`, one kind
 * for `break`, `watch` or `display` without arguments. */
void wlab_stops_show(wlab_session *, unsigned what);
/* The condition of a breakpoint or watch, for the metrics of `run`. */
wlab_code wlab_stop_compile(wlab_expr **, const wlab_stop *, const wlab_run *, wlab_err *);
/* Does the condition read a volatile metric of the run? */
bool wlab_expr_volatile(const wlab_expr *, const wlab_run *);

#endif

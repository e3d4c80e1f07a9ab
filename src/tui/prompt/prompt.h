/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The prompt: requests lines, keeps them while the session computes, and executes them, on a plain terminal or under
 * the dashboard; `wait` and presenter mode request keys.
 */
#ifndef TUI_PROMPT_H
#define TUI_PROMPT_H

#include "tui/dashboard/dashboard.h"

typedef struct wlab_prompt wlab_prompt;

typedef struct wlab_prompt_options {
    bool asks;           /* read lines, also while the session computes; else only `wait` reads keys */
    bool colors;         /* --no-color was not given */
    bool panels;         /* show the progress panels of long commands, if the terminal can */
    const char *history; /* the file that keeps typed lines, or NULL */
    int signals;         /* a descriptor that delivers one byte per signal: its number */
    void (*report)(void *self, const wlab_err *); /* report a failed line to the user */
    void *self;
} wlab_prompt_options;

/* One at a time: readline is global. */
wlab_code wlab_prompt_create(wlab_prompt **, wlab_session *, const wlab_prompt_options *, wlab_err *);
void wlab_prompt_destroy(wlab_prompt *); /* restores the terminal */
/* Run until `quit`, the end of input, or a signal that ends the program; returns the signal's number, else 0. */
int wlab_prompt_run(wlab_prompt *);
/* Before and after writing to a plain terminal: remove the line being typed, and show it again.  NULL is allowed. */
void wlab_prompt_hide(wlab_prompt *);
void wlab_prompt_show(wlab_prompt *);
/* The solver's progress, displayed in the prompt or on a line of its own.  NULL is allowed. */
void wlab_prompt_progress(wlab_prompt *, const wlab_event *);
/* The dashboard, or NULL. */
wlab_dashboard *wlab_prompt_dashboard(const wlab_prompt *);

#endif

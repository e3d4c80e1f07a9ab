/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The prompt: lines are asked for, kept while the session computes, and carried out, on a plain terminal or under the
 * dashboard; `wait` and presenter mode ask for keys.
 */
#ifndef TUI_PROMPT_H
#define TUI_PROMPT_H

#include "tui/dashboard/dashboard.h"

typedef struct wlab_prompt wlab_prompt;

typedef struct wlab_prompt_options {
    bool asks;   /* lines are read, also while the session computes; else only `wait` waits for keys */
    bool colors; /* --no-color was not given */
    bool boards; /* show those of long commands, where the terminal can */
    const char *history; /* the file that keeps typed lines, or NULL */
    int signals;         /* a descriptor that gets one byte, the signal's number, for each signal */
    void (*report)(void *self, const wlab_err *); /* tell the user about a failed line */
    void *self;
} wlab_prompt_options;

/* One at a time: readline is global. */
wlab_code wlab_prompt_create(wlab_prompt **, wlab_session *, const wlab_prompt_options *, wlab_err *);
void wlab_prompt_destroy(wlab_prompt *); /* the terminal is as it was */
/* Until `quit`, the end of input, or a signal that ends the program, whose number is returned (else 0). */
int wlab_prompt_run(wlab_prompt *);
/* Before and after writing to a plain terminal: what is being typed is taken away and shown again.  NULL is fine. */
void wlab_prompt_hide(wlab_prompt *);
void wlab_prompt_show(wlab_prompt *);
/* What the solver tells: how far it is stands in the prompt, or on a line of its own.  NULL is fine. */
void wlab_prompt_progress(wlab_prompt *, const wlab_event *);
/* The dashboard, or NULL. */
wlab_dashboard *wlab_prompt_dashboard(const wlab_prompt *);

#endif

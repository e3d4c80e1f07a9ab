/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The prompt: readline in one poll loop with the signals and the solver's events.
 */
#ifndef TUI_PROMPT_H
#define TUI_PROMPT_H

#include "weaklab/session.h"

typedef struct wlab_prompt wlab_prompt;

/* asks: lines are read, also while the session computes; else only `wait` waits for keys.  history: the file that keeps typed lines, or NULL.  signals: a descriptor that gets one byte, the signal's
 * number, for each signal.  report: tell the user about a failed line.  One at a time: readline is global. */
wlab_code wlab_prompt_create(wlab_prompt **, wlab_session *, bool asks, const char *history, int signals,
                             void (*report)(void *self, const wlab_err *), void *self, wlab_err *);
void wlab_prompt_destroy(wlab_prompt *); /* the terminal is as it was */
/* Until `quit`, the end of input, or a signal that ends the program, whose number is returned (else 0). */
int wlab_prompt_run(wlab_prompt *);
/* Around writing to the terminal: what is being typed is taken away and shown again.  NULL is fine. */
void wlab_prompt_hide(wlab_prompt *);
void wlab_prompt_show(wlab_prompt *);
/* What the solver tells: how far it is stands in the prompt, or on a line of its own.  NULL is fine. */
void wlab_prompt_progress(wlab_prompt *, const wlab_event *);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The terminal's modes, and how it is given back: at the end, on Ctrl-Z, after a crash.
 */
#ifndef TUI_TERMINAL_H
#define TUI_TERMINAL_H

#include "weaklab/base.h"

typedef enum wlab_mode {
    WL_MODE_FOUND,  /* as it was when the program began */
    WL_MODE_LINE,   /* readline has it and sets its own modes over those that were found */
    WL_MODE_QUIET,  /* between two prompts: what is typed ahead is not echoed, readline will show it */
    WL_MODE_KEYS,   /* a key at a time: `wait`, presenter mode */
    WL_MODE_SCREEN, /* full screen: no echo, no line editing by the terminal; Ctrl-C and Ctrl-Z are signals */
} wlab_mode;

/* Remember the mode of standard input, and restore it before a signal ends the program that nobody handles.  Once, after
 * the program's own handlers are there. */
void wlab_terminal_guard(void);
void wlab_terminal_mode(wlab_mode);
wlab_mode wlab_terminal_mode_now(void);
/* What must be written to leave the full screen, or what readline turned on (the terminal's strings), kept for a crash;
 * NULL: nothing. */
void wlab_terminal_leave_with(const char *strings);
/* While the screen is full, what libraries write to standard error goes into a pipe: its end to read, -1: none. */
int wlab_terminal_catch_errors(void);
void wlab_terminal_release_errors(void);
/* From anywhere, signal handlers too: the terminal as it was found, unless this process is in the background.  Writes
 * what was caught of standard error. */
void wlab_terminal_restore(void);
/* Ctrl-Z: give the terminal back, stop, and take up the mode again when continued. */
void wlab_terminal_suspend(void);
/* Does the terminal draw sixel pictures?  Asked once (DA1), waiting 0.3 s at most; `typed` gets bytes that somebody
 * typed meanwhile.  Never under a full screen. */
bool wlab_terminal_sixel(char *typed, size_t size, size_t *ntyped);

#endif

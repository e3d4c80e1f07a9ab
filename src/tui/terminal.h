/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The terminal's modes, and how they are restored: at the end, on Ctrl-Z, after a crash.
 */
#ifndef TUI_TERMINAL_H
#define TUI_TERMINAL_H

#include "weaklab/base.h"

typedef enum wlab_mode {
    WL_MODE_FOUND, /* as the program found it at its start */
    WL_MODE_LINE,  /* readline has the terminal and sets its own modes on top of those found */
    /* between two prompts: what is typed is not echoed, as readline shows it at the next prompt */
    WL_MODE_QUIET,
    WL_MODE_KEYS,   /* the program reads single keys: `wait`, presenter mode */
    WL_MODE_SCREEN, /* full screen: no echo, no line editing by the terminal; Ctrl-C and Ctrl-Z are signals */
} wlab_mode;

/* Remember the mode of standard input, and restore it before an unhandled signal ends the program.  Call it once,
 * after the program has installed its own handlers. */
void wlab_terminal_guard(void);
void wlab_terminal_mode(wlab_mode);
wlab_mode wlab_terminal_mode_now(void);
/* The strings of the terminal that leave the full screen, or that undo what readline turned on; written at the end or
 * after a crash.  NULL: nothing. */
void wlab_terminal_leave_with(const char *strings);
/* For the full screen: from now on a pipe catches what libraries write to standard error.  Returns its read end, -1:
 * none. */
int wlab_terminal_catch_errors(void);
void wlab_terminal_release_errors(void);
/* Restore the modes found at the start and write the strings of wlab_terminal_leave_with, unless this process is in the
 * background; write the caught standard error.  May be called from anywhere, also from signal handlers. */
void wlab_terminal_restore(void);
/* Ctrl-Z: restore the terminal, stop, and set the mode again when continued. */
void wlab_terminal_suspend(void);
/* Does the terminal draw sixel pictures?  Asks the terminal once (DA1) and waits at most 0.3 s; `typed` gets the bytes
 * that the user types meanwhile.  In the full screen it does not ask: false, unless the answer is known already. */
bool wlab_terminal_sixel(char *typed, size_t size, size_t *ntyped);

#endif

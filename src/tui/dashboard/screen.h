/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The full screen: ncurses, which only draws; keys are readline's.
 */
#ifndef TUI_SCREEN_H
#define TUI_SCREEN_H

#include "tui/dashboard/canvas.h"

/* Take the terminal.  WL_ESTATE with what to do when it cannot place a cursor.  theme: its name (theme.h). */
wlab_code wlab_screen_begin(const char *theme, wlab_err *);
void wlab_screen_end(void); /* the terminal shows what it showed before */
bool wlab_screen_has_utf8(void);
wlab_code wlab_screen_theme(const char *theme, wlab_err *); /* another one from now on */
void wlab_screen_suspend(void);                             /* Ctrl-Z, on or off */
void wlab_screen_size(int *rows, int *cols);                /* asks the terminal, and follows it */
/* Put the canvas on the terminal, what differs only; the cursor stands at (row, col), hidden when row < 0. */
void wlab_screen_put(const wlab_canvas *, int row, int col);
void wlab_screen_continue(void); /* after SIGCONT */
void wlab_screen_bell(void);
void wlab_screen_again(void); /* the next _put draws everything anew */

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The full screen: ncurses only draws, readline reads the keys.
 */
#ifndef TUI_SCREEN_H
#define TUI_SCREEN_H

#include "tui/dashboard/canvas.h"

/* Take the terminal.  WL_ESTATE, with a remedy, if it cannot place a cursor.  theme: a name of theme.h. */
wlab_code wlab_screen_begin(const char *theme, wlab_err *);
void wlab_screen_end(void); /* the terminal shows what it showed before */
bool wlab_screen_has_utf8(void);
wlab_code wlab_screen_theme(const char *theme, wlab_err *); /* change the theme */
void wlab_screen_suspend(void);                             /* Ctrl-Z, also if the full screen is not on */
void wlab_screen_size(int *rows, int *cols);                /* asks the terminal and adopts its size */
/* Write the canvas's changed cells to the terminal; put the cursor at (row, col), hide it if row < 0. */
void wlab_screen_put(const wlab_canvas *, int row, int col);
void wlab_screen_continue(void); /* after SIGCONT */
void wlab_screen_bell(void);
void wlab_screen_again(void); /* the next _put draws every cell */

#endif

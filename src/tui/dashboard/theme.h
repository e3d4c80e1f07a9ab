/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Themes: how the styles of the canvas look on this terminal.  The only place that knows colours.
 *
 * Meaning never hangs on colour alone: what is told apart by it is told apart by its letter, by reverse, bold or
 * underline as well, so that `mono` shows the same.
 */
#ifndef TUI_THEME_H
#define TUI_THEME_H

#include "tui/dashboard/canvas.h"

/* "auto", "dark", "light", "mono", NULL: for the setting's table. */
extern const char *const wlab_theme_names[];

/* After initscr, start_color and use_default_colors.  colors: what the terminal has (COLORS; below 8: as mono).  auto:
 * NO_COLOR gives mono; $COLORFGBG tells light from dark; where it is not set, colours that are legible on both.
 * WL_EARG: no such theme.  May be called again. */
wlab_code wlab_theme_start(const char *name, int colors, wlab_err *);
/* Attributes (of ncurses' attr_t) for a style on a ground, and the colour pair for setcchar. */
unsigned long wlab_theme_attr(wlab_style, wlab_ground, short *pair);
/* The theme shows grounds. */
bool wlab_theme_tints(void);
/* The same as an escape sequence, "\033[0;1;38;5;74m", for pictures of a canvas outside of curses; needs no terminal. */
void wlab_theme_sgr(const char *name, int colors, wlab_style, wlab_ground, char *buf, size_t size);

#endif

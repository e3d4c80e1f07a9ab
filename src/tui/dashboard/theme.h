/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Themes: the colours and attributes of the canvas's styles on this terminal.  Only theme.c knows colours.
 *
 * Colour is never the only difference: styles that a reader must distinguish also differ in their letter, or in
 * reverse, bold or underline, so that `mono` shows the same.
 */
#ifndef TUI_THEME_H
#define TUI_THEME_H

#include "tui/dashboard/canvas.h"

/* "auto", "dark", "light", "mono", NULL: for the setting's table. */
extern const char *const wlab_theme_names[];

/* Call it after newterm, start_color and use_default_colors.  colors: how many the terminal has (COLORS; below 8: as
 * mono).  auto: NO_COLOR gives mono; $COLORFGBG distinguishes light from dark; without it, colours that are legible on
 * both.  WL_EARG: no such theme.  May be called again. */
wlab_code wlab_theme_start(const char *name, int colors, wlab_err *);
/* Attributes (of ncurses' attr_t) for a style on a background, and the colour pair for setcchar. */
unsigned long wlab_theme_attr(wlab_style, wlab_ground, short *pair);
/* Does the theme show backgrounds? */
bool wlab_theme_tints(void);
/* The same as an escape sequence, "\033[0;1;38;5;74m", for pictures of a canvas without curses or a terminal. */
void wlab_theme_sgr(const char *name, int colors, wlab_style, wlab_ground, char *buf, size_t size);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Text that fits a terminal: safe characters, and lines broken to its width.
 */
#ifndef TUI_WRAP_H
#define TUI_WRAP_H

#include "weaklab/base.h"
#include <stdio.h>

/* The columns of the terminal fd, 0 if fd is no terminal. */
int wlab_terminal_width(int fd);
/* The columns that text[0 .. len-1], in the encoding of the locale, takes on a terminal.  A byte that is no character
 * takes one.  (wlab_text_columns measures UTF-8.) */
int wlab_locale_columns(const char *text, size_t len);
/* A copy of `text` that is safe to write to a terminal.  It keeps characters that the locale can show, newlines and
 * tabs.  A blank replaces what would act on the terminal (control characters: a name in a data file may hold an escape
 * sequence), and ?  replaces all other characters and malformed bytes.  wlab_alloc'ed; NULL: out of memory. */
char *wlab_printable(const char *text);
/* Write wlab_printable(text). */
void wlab_put_printable(FILE *to, const char *text);
/* A copy of `text` with long lines broken at blanks, to at most `width` columns where a blank permits it.
 * Continuation lines are indented to the first word of their line; lines that fit are unchanged.  wlab_alloc'ed;
 * NULL: out of memory. */
char *wlab_wrap(const char *text, int width);

#endif

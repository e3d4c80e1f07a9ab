/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Text that fits a terminal.
 */
#ifndef TUI_WRAP_H
#define TUI_WRAP_H

#include "weaklab/base.h"
#include <stdio.h>

/* The columns of the terminal fd, 0 when it is none. */
int wlab_terminal_width(int fd);
/* What of `text` a terminal may get: signs that the locale has, newlines, tabs, and blanks for everything else that would act
 * on it (control characters; a name in a data file may hold an escape sequence); ? for what is malformed.  A
 * wlab_alloc'ed copy; NULL: out of memory. */
char *wlab_printable(const char *text);
/* The same, written. */
void wlab_put_printable(FILE *to, const char *text);
/* `text` with its lines broken at blanks to at most `width` columns, where they have a blank; the parts after the first stand under
 * the line's own first word.  Lines that fit are as they were.  A wlab_alloc'ed copy; NULL: out of memory. */
char *wlab_wrap(const char *text, int width);

#endif

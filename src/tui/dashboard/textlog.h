/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Text that scrolls: the log of what was typed and answered, and long answers (help) shown from their start.
 */
#ifndef TUI_TEXTLOG_H
#define TUI_TEXTLOG_H

#include "tui/dashboard/canvas.h"

typedef struct wlab_textlog wlab_textlog;

/* most: how many lines are kept. */
wlab_code wlab_textlog_create(wlab_textlog **, int most, wlab_err *);
void wlab_textlog_destroy(wlab_textlog *);
void wlab_textlog_empty(wlab_textlog *);
/* Add text of one or more lines (a last line without a newline is complete).  Never fails: without memory it loses a
 * line. */
void wlab_textlog_add(wlab_textlog *, wlab_style, const char *text);
/* Add a piece of a stream: the next call continues a last line without a newline, so lines may arrive in any pieces. */
void wlab_textlog_stream(wlab_textlog *, wlab_style, const char *text);
int wlab_textlog_lines(const wlab_textlog *);
/* The screen lines that the whole text takes in so many columns. */
int64_t wlab_textlog_rows(const wlab_textlog *, int cols);
/* Line i from the oldest, 0-based. */
const char *wlab_textlog_line(const wlab_textlog *, int i);
/* Scroll by screen lines, negative: towards older ones.  Stops at the first and last line. */
void wlab_textlog_scroll(wlab_textlog *, int lines);
void wlab_textlog_end(wlab_textlog *);   /* follow the newest */
void wlab_textlog_begin(wlab_textlog *); /* the oldest on top */
/* Draw: long lines are wrapped at blanks; when scrolled back, the last row says how many lines are below ("-- 12
 * more: PgDn --"). */
void wlab_textlog_draw(wlab_textlog *, wlab_canvas *, const wlab_rect *);

#endif

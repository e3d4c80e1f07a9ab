/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A canvas: the screen as an array of cells, independent of any terminal.  Panes draw on it; the screen writes it to
 * the terminal; tests read it as text.
 */
#ifndef TUI_CANVAS_H
#define TUI_CANVAS_H

#include "weaklab/base.h"
#include <wchar.h>

/* What a cell means; the theme gives each style its colours and attributes. */
typedef enum wlab_style {
    WL_S_TEXT,
    WL_S_DIM,
    WL_S_STRONG,
    WL_S_FRAME,
    WL_S_FRAME_FOCUS,
    WL_S_TITLE,
    WL_S_TITLE_FOCUS,
    WL_S_HEADER, /* the top line */
    WL_S_PAUSED,
    WL_S_RUNNING,
    WL_S_CONVERGED, /* also stalled, limit */
    WL_S_NEXT,      /* the sentence on the next step */
    WL_S_KEY,       /* a key's name */
    WL_S_CAPTION,   /* the text of `say` */
    WL_S_COMMAND,   /* a line that was executed */
    WL_S_NOTE,
    WL_S_WARNING,
    WL_S_ERROR,
    WL_S_POSITIVE, /* a row of class +1, by its newest label */
    WL_S_NEGATIVE,
    WL_S_UNKNOWN,        /* label 0 */
    WL_S_GIVEN_POSITIVE, /* a row whose label is given */
    WL_S_GIVEN_NEGATIVE,
    WL_S_FLIP_POSITIVE, /* a row that the last step changed to +1 */
    WL_S_FLIP_NEGATIVE,
    WL_S_INK1, /* curves; the decision line is ink 1 */
    WL_S_INK2,
    WL_S_INK3,
    WL_S_INK4,
    WL_S_INK5,
    WL_S_INK6,
    WL_S_INK7,
    WL_S_NEWEST, /* the newest point of a curve */
    WL_STYLES
} wlab_style;

/* The background of a cell. */
typedef enum wlab_ground {
    WL_G_NONE,
    WL_G_POSITIVE, /* the model predicts +1 there */
    WL_G_NEGATIVE,
    WL_GROUNDS
} wlab_ground;

typedef struct wlab_glyph {
    wchar_t ch; /* 0: the right half of a wide character */
    uint8_t style, ground;
} wlab_glyph;

typedef struct wlab_canvas {
    int rows, cols;
    wlab_glyph *cell; /* [rows x cols] */
} wlab_canvas;

typedef struct wlab_rect {
    int row, col, rows, cols;
} wlab_rect;

wlab_code wlab_canvas_resize(wlab_canvas *, int rows, int cols, wlab_err *); /* also blanks it */
void wlab_canvas_clear(wlab_canvas *);                                       /* frees the cells */
void wlab_canvas_blank(wlab_canvas *);
void wlab_canvas_fill(wlab_canvas *, const wlab_rect *); /* blank the rectangle before drawing over it */
/* All drawing is clipped to the rectangle (NULL: the whole canvas), and positions are relative to it. */
void wlab_canvas_put(wlab_canvas *, const wlab_rect *, int row, int col, wchar_t ch, wlab_style);
/* Draw UTF-8 text: blanks replace control characters, '?' replaces malformed bytes, wide characters are drawn whole
 * or not at all, combining ones are dropped.  Returns the columns used. */
int wlab_canvas_text(wlab_canvas *, const wlab_rect *, int row, int col, wlab_style, const char *fmt, ...)
    WLAB_PRINTF(6, 7);
void wlab_canvas_ground(wlab_canvas *, const wlab_rect *, int row, int col, wlab_ground);
/* Draw a frame around the rectangle with a title in its top line; `inner` gets the rectangle inside.  ascii: use "+-|".
 * Frames that share a line join there; the frame drawn last (of the pane in focus) gives the line its style. */
void wlab_canvas_frame(wlab_canvas *, const wlab_rect *, const char *title, bool focus, bool ascii,
                       wlab_rect *inner);
/* The canvas as UTF-8 lines without trailing blanks. */
wlab_code wlab_canvas_dump(const wlab_canvas *, wlab_buf *);

/* ---- text ---- */
/* Read the next character of UTF-8 text (not at its end).  Returns how many bytes it has.  Malformed bytes: *ch is
 * U+FFFD, and 1 is returned. */
size_t wlab_utf8_next(const char *text, wchar_t *ch);
/* Replace *ch by what the screen shows for it.  Returns its columns: 0 (combining), 1 or 2. */
int wlab_utf8_put(wchar_t *ch);
int wlab_text_columns(const char *text);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A long command's board on a plain terminal: lines that are drawn again in place, above the line being typed.
 */
#ifndef TUI_BOARD_H
#define TUI_BOARD_H

#include "session/session.h"

enum {
    BOARD_LINES = 200,
    BOARD_ABOVE = BOARD_LINES + 20 /* with lines that were entered below it since it was drawn */
};

typedef struct wlab_board_lines {
    int lines;              /* on the screen; the cursor stands on the line below the last */
    int width[BOARD_ABOVE]; /* columns that each takes */
    double drawn_at;        /* seconds; 0: never */
} wlab_board_lines;

/* Can standard output show one? */
bool wlab_board_possible(void);
/* Over what is there of it. */
void wlab_board_draw(wlab_board_lines *, const wlab_board *);
/* A line was entered below it, and so the cursor went down. */
void wlab_board_below(wlab_board_lines *, const char *prompt, const char *line);
/* Take it away; the cursor stands where its first line was. */
void wlab_board_erase(wlab_board_lines *);

#endif

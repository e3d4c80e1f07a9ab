/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The progress panel of a long command on a plain terminal: lines redrawn in place above the line being typed.
 */
#ifndef TUI_PROGRESS_PANEL_H
#define TUI_PROGRESS_PANEL_H

#include "session/session.h"

enum {
    PANEL_LINES = 200,
    PANEL_ABOVE = PANEL_LINES + 20 /* including lines entered below the panel since it was drawn */
};

typedef struct wlab_panel_lines {
    int lines;              /* on the screen; the cursor is on the line below the last */
    int width[PANEL_ABOVE]; /* columns of each line */
    double drawn_at;        /* seconds; 0: never */
} wlab_panel_lines;

/* Can standard output show a panel? */
bool wlab_panel_possible(void);
/* Draw the panel over its previous lines. */
void wlab_panel_draw(wlab_panel_lines *, const wlab_progress_panel *);
/* The user entered a line below the panel, which moved the cursor down. */
void wlab_panel_below(wlab_panel_lines *, const char *prompt, const char *line);
/* Erase the panel and put the cursor where its first line was. */
void wlab_panel_erase(wlab_panel_lines *);

#endif

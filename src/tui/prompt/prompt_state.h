/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the prompt knows: prompt.c asks for lines, wait.c for keys; nobody else includes this.
 */
#ifndef TUI_PROMPT_STATE_H
#define TUI_PROMPT_STATE_H

#include "tui/prompt/board.h"
#include "tui/prompt/elapsed.h"
#include "tui/prompt/prompt.h"

enum {
    STATUS_WIDTH = 78
};

struct wlab_prompt {
    wlab_session *session;
    wlab_prompt_options o;
    char *history;
    wlab_loop loop;
    wlab_dashboard *dashboard; /* NULL: no lines are asked for */

    bool silent; /* no status line */
    bool ended;  /* end of input */
    bool ready;  /* `line` waits */
    char *line;  /* from readline, or NULL */
    int fatal;   /* the signal that ends the program */

    char **kept; /* lines that came while a command went on; NULL in it: the end of input */
    int nkept;
    bool closing;    /* the end of input is among them */
    bool told;       /* that they are kept */
    bool by_hand;    /* there was a pause in the line being typed, so that it was not pasted */
    double last_key; /* seconds */
    bool stuffed;    /* readline holds a byte that poll does not see */

    bool paused; /* presenter mode was, by a key */
    bool waits;  /* `wait` or presenter mode takes the keys */
    int key;     /* that was pressed meanwhile; 0: none, -1: something else ended the waiting */
    char seq[12];
    int nseq;
    int64_t seq_at; /* when it began */

    int64_t stopped_job; /* the computation that Ctrl-C was typed for */
    wlab_board_lines board;
    wlab_elapsed elapsed;
    bool status; /* the line that says so is on the screen (no prompt asked for) */
};

/* A byte while `wait` or presenter mode waits. */
void wlab_wait_byte(wlab_prompt *, unsigned char);
/* What `wait` and presenter mode do: the session's hooks. */
void wlab_wait_pause(void *prompt, double seconds);
wlab_present wlab_wait_present(void *prompt, const char *line, double seconds);

#endif

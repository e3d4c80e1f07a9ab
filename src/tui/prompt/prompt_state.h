/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The state of the prompt.  prompt.c requests lines, wait.c requests keys; only these two files include this.
 */
#ifndef TUI_PROMPT_STATE_H
#define TUI_PROMPT_STATE_H

#include "tui/prompt/elapsed.h"
#include "tui/prompt/progress_panel.h"
#include "tui/prompt/prompt.h"

enum {
    STATUS_WIDTH = 78
};

struct wlab_prompt {
    wlab_session *session;
    wlab_prompt_options o;
    char *history;
    wlab_loop loop;
    wlab_dashboard *dashboard; /* NULL: no lines are requested */

    bool silent; /* no status line */
    bool ended;  /* end of input */
    bool ready;  /* `line` has been read but not yet handled */
    char *line;  /* from readline, or NULL */
    int fatal;   /* the signal that ends the program */

    char **kept; /* lines that came while a command was running; a NULL entry: the end of input */
    int nkept;
    bool closing;    /* the end of input is among the kept lines */
    bool reported;   /* the user has been informed that lines are kept */
    bool by_hand;    /* there was a pause in the line being typed: it was not pasted */
    double last_key; /* seconds */
    bool stuffed;    /* readline holds a byte that poll does not see */

    bool paused; /* a key has paused presenter mode */
    bool waits;  /* `wait` or presenter mode reads the keys */
    int key;     /* the key that was pressed; 0: none, -1: something else ended the waiting */
    char seq[12];
    int nseq;
    int64_t seq_at; /* when the sequence began */

    int64_t stopped_job; /* the computation that Ctrl-C has interrupted once */
    wlab_panel_lines panel;
    wlab_elapsed elapsed;
    bool status; /* the status line is on the screen (no lines are requested) */
};

/* Handle a byte while `wait` or presenter mode waits. */
void wlab_wait_byte(wlab_prompt *, unsigned char);
/* The session's hooks for `wait` and presenter mode. */
void wlab_wait_pause(void *prompt, double seconds);
wlab_present wlab_wait_present(void *prompt, const char *line, double seconds);
wlab_present wlab_wait_question(void *prompt, const char *what, char *answer, size_t size);

#endif

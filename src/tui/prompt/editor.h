/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The line being typed: readline, on a plain terminal, where it draws itself, or under a full screen, where it does not.
 * One at a time: readline is global.
 */
#ifndef TUI_EDITOR_H
#define TUI_EDITOR_H

#include "weaklab/base.h"

enum {
    WL_ESCAPE = 27,
    WL_ESCAPE_MS = 500 /* what comes later is no sequence that Escape began */
};

typedef struct wlab_editor_hooks {
    void (*line)(void *self,
                 char *line);   /* a line was entered (owned by the callee; malloc), NULL: end of input */
    void (*edited)(void *self); /* full screen: what _view shows is another */
    void (*matches)(void *self, char **word, int n); /* completions to be listed, word[1..n] */
    /* Escape, alone, or a first character of the line, before readline has it; true: it was taken. */
    bool (*key)(void *self, unsigned char c);
    void *self;
} wlab_editor_hooks;

void wlab_editor_create(const wlab_editor_hooks *);
void wlab_editor_destroy(void);
/* Full screen or plain; only while no line is asked for. */
void wlab_editor_face(bool full);
/* Ask for a line / stop asking; what was typed so far is kept for the next _ask when `keep`. */
void wlab_editor_ask(const char *prompt);
void wlab_editor_stop(bool keep);
bool wlab_editor_asks(void);
/* A byte is there; `held`: readline has it already. */
void wlab_editor_read(bool held);
void wlab_editor_prompt(const char *text);  /* another prompt text before what is typed */
void wlab_editor_between(const char *text); /* full screen: what stands there while no line is asked for */
void wlab_editor_drop(void);                /* Ctrl-C: forget what is typed */
bool wlab_editor_empty(void);
/* Around writing to a plain terminal. */
void wlab_editor_hide(void);
void wlab_editor_show(void);
void wlab_editor_resized(void);
/* Carry out `text` as if it had been typed and entered; what is being typed comes back afterwards. */
void wlab_editor_type(const char *text);
/* What a full screen shows: prompt, line (UTF-8), and the place of the cursor in the line, in bytes. */
void wlab_editor_view(const char **prompt, const char **line, size_t *point);
/* Take the terminal's modes back / up again around Ctrl-Z. */
void wlab_editor_continue(void); /* after SIGCONT: the terminal may have had other modes */
void wlab_editor_suspend(void (*stop)(void));

#endif

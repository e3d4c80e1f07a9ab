/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The line being typed: readline, which draws the line itself on a plain terminal, but not under a full screen.
 * There is only one: readline is global.
 */
#ifndef TUI_EDITOR_H
#define TUI_EDITOR_H

#include "weaklab/base.h"

enum {
    WL_ESCAPE = 27,
    WL_ESCAPE_MS = 500 /* a key that comes later does not belong to a sequence that Escape began */
};

typedef struct wlab_editor_hooks {
    void (*line)(void *self,
                 char *line);   /* a line was entered (owned by the callee; malloc), NULL: end of input */
    void (*edited)(void *self); /* full screen: what _view returns has changed */
    void (*matches)(void *self, char **word, int n); /* list the completions word[1..n] */
    /* An Escape alone, or the first character of a line, before readline gets it; true: the hook has used it. */
    bool (*key)(void *self, unsigned char c);
    void *self;
} wlab_editor_hooks;

void wlab_editor_create(const wlab_editor_hooks *);
void wlab_editor_destroy(void);
/* Switch between full screen and plain; only while no line is requested. */
void wlab_editor_face(bool full);
/* Request a line / withdraw the request; with `keep`, the next _ask begins with what was typed so far. */
void wlab_editor_ask(const char *prompt);
void wlab_editor_stop(bool keep);
bool wlab_editor_asks(void);
/* Call it when a byte has arrived; `held`: readline already holds it. */
void wlab_editor_read(bool held);
void wlab_editor_prompt(const char *text);  /* change the prompt before the typed text */
void wlab_editor_between(const char *text); /* full screen: the prompt while no line is requested */
void wlab_editor_drop(void);                /* Ctrl-C: discard the typed text */
bool wlab_editor_empty(void);
/* Call them before and after writing to a plain terminal. */
void wlab_editor_hide(void);
void wlab_editor_show(void);
void wlab_editor_resized(void);
/* Execute `text` as if it had been typed and entered; the line being typed is restored afterwards.
 * Without effect while no line is requested. */
void wlab_editor_type(const char *text);
/* What a full screen shows: prompt, line (UTF-8), and the cursor's offset in the line, in bytes. */
void wlab_editor_view(const char **prompt, const char **line, size_t *point);
/* Ctrl-Z: give the terminal the modes that it had before the editor, call `stop`, which stops the process, and set the
 * editor's modes again afterwards. */
void wlab_editor_suspend(void (*stop)(void));
void wlab_editor_continue(void); /* after SIGCONT: another program may have changed the modes */

#endif

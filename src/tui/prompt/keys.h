/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The keys besides those of line editing: one table for binding, the dashboard's line of keys, and help.
 *
 * A key that does what a command can do types that command, so that the log has it.  Keys for which there is no
 * command (focus, zoom, scrolling) type nothing.  Each key has a twin, C-x and a character, since terminals and window
 * managers take some function keys for themselves.
 */
#ifndef TUI_KEYS_H
#define TUI_KEYS_H

#include "weaklab/base.h"

typedef enum wlab_act {
    WL_ACT_TYPE,   /* `types` and Enter */
    WL_ACT_HELP,   /* type `help dashboard`, or, if the focus was moved or that help is open, `help PANE` */
    WL_ACT_BEGIN,  /* the same; on a dashboard without a run, type the command that leads to one */
    WL_ACT_GO,     /* type `continue`, or stop the running command */
    WL_ACT_ZOOM,   /* enlarge the pane in focus, or restore all */
    WL_ACT_COLUMN, /* show the next of the panes that do not fit */
    WL_ACT_FOCUS,  /* focus the next pane */
    WL_ACT_HIDE,   /* hide the pane in focus */
    WL_ACT_ALL,    /* show every pane again */
    WL_ACT_UP,     /* scroll the log or the open answer */
    WL_ACT_DOWN,
    WL_ACT_READ,   /* open the last answer in place of the panes */
    WL_ACT_CLOSE,  /* close the open answer */
    WL_ACT_MARKS,  /* type `set marks=` with the next value */
    WL_ACT_SINGLE, /* turn single-key mode on or off */
    WL_ACT_REDRAW,
} wlab_act;

typedef struct wlab_key {
    const char *name; /* "F5", or NULL: only the twin */
    char twin;        /* the character after C-x; 0: none */
    char letter;      /* in single-key mode; 0: none */
    wlab_act act;
    const char *types; /* WL_ACT_TYPE, BEGIN, GO */
    const char *label; /* in the line of keys; NULL: not listed there */
    const char *meaning;
    bool always; /* the label is listed even without a run */
} wlab_key;
extern const wlab_key wlab_keys[]; /* ends with meaning = NULL */

/* Bind them in readline (which must be initialised); act is called from inside its dispatch. */
void wlab_keys_bind(void (*act)(void *self, const wlab_key *), void *self);
void wlab_keys_single(bool on);
bool wlab_keys_are_single(void);
/* The key that sends these bytes (the sequence of a function key, or C-x and a character), or NULL. */
const wlab_key *wlab_keys_find(const char *bytes);
/* The table as lines of help. */
wlab_code wlab_keys_help(wlab_buf *);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The keys besides those of line editing: one table for binding, the dashboard's line of keys, and help.
 *
 * A function key types a command, so that whatever a hand does is in the log; each has a twin, C-x and a character, since
 * terminals and window managers take some function keys for themselves.  Keys that only change the view type nothing.
 */
#ifndef TUI_KEYS_H
#define TUI_KEYS_H

#include "weaklab/base.h"

typedef enum wlab_act {
    WL_ACT_TYPE,   /* `types` and Enter */
    WL_ACT_BEGIN,  /* the same; on a dashboard without a run what leads to one */
    WL_ACT_GO,     /* `continue`, or stop what runs */
    WL_ACT_ZOOM,   /* the pane in focus has all the room, or no more */
    WL_ACT_COLUMN, /* the next of the panes for which there is no room */
    WL_ACT_FOCUS,  /* the next pane */
    WL_ACT_HIDE,   /* the pane in focus goes away */
    WL_ACT_ALL,    /* every pane comes back */
    WL_ACT_UP,     /* scroll the log or what is being read */
    WL_ACT_DOWN,
    WL_ACT_READ,   /* the last answer, with room to read it */
    WL_ACT_CLOSE,  /* what is being read */
    WL_ACT_MARKS,  /* `set marks=` the next */
    WL_ACT_SINGLE, /* single-key mode on, off */
    WL_ACT_REDRAW,
} wlab_act;

typedef struct wlab_key {
    const char *name; /* "F5", or NULL: the twin only */
    char twin;        /* after C-x; 0: none */
    char letter;      /* in single-key mode; 0: none */
    wlab_act act;
    const char *types; /* WL_ACT_TYPE, BEGIN, GO */
    const char *label; /* in the line of keys; NULL: not there */
    const char *meaning;
    bool always; /* the label is there without a run, too */
} wlab_key;
extern const wlab_key wlab_keys[]; /* ends with meaning = NULL */

/* Bind them in readline (which must be initialised); act is called from inside its dispatch. */
void wlab_keys_bind(void (*act)(void *self, const wlab_key *), void *self);
void wlab_keys_single(bool on);
bool wlab_keys_are_single(void);
/* The key that sends these bytes (a function key's sequence, or C-x and a character), or NULL. */
const wlab_key *wlab_keys_find(const char *bytes);
/* The table as lines of help. */
wlab_code wlab_keys_help(wlab_buf *);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where the program finds data, scripts and its own state: folders and files given by the environment.
 */
#ifndef TUI_PLACES_H
#define TUI_PLACES_H

#include "weaklab/base.h"

enum {
    WLAB_MOST_FOLDERS = 64
};

typedef struct wlab_folders {
    char *list[WLAB_MOST_FOLDERS + 1]; /* NULL-terminated, owned */
    int n;
} wlab_folders;

void wlab_folders_add(wlab_folders *, const char *path);
void wlab_folders_clear(wlab_folders *);
/* Folders of data and scripts besides those that the user named: $WEAKLAB_DATA, $XDG_DATA_HOME/weaklab, beside the
 * executable, and below `installed`. */
void wlab_folders_find(wlab_folders *data, wlab_folders *scripts, const char *installed);
/* $NAME/weaklab, or ~/FALLBACK/weaklab; "" when there is neither. */
void wlab_xdg_folder(const char *name, const char *fallback, char *buf, size_t size);
/* For a session with a prompt: the file of typed lines and the session's log in $XDG_STATE_HOME/weaklab; "" if the folder
 * cannot be made.  Removes all but the newest 500 logs. */
void wlab_state_files(char *history, size_t size, char *log, size_t log_size);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the program knows of its surroundings.
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
/* Where data and scripts are besides what the user named: $WEAKLAB_DATA, $XDG_DATA_HOME/weaklab, beside the
 * executable, and below `installed`. */
void wlab_folders_find(wlab_folders *data, wlab_folders *scripts, const char *installed);
/* $NAME/weaklab, or ~/FALLBACK/weaklab; "" when there is neither. */
void wlab_xdg_folder(const char *name, const char *fallback, char *buf, size_t size);
/* The file of typed lines and the log of this session in $XDG_STATE_HOME/weaklab, "" where that cannot be; old
 * logs are dropped: those with a prompt and the others each have a number that is kept. */
void wlab_state_files(bool prompt, char *history, size_t size, char *log, size_t log_size);

#endif

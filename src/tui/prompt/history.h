/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The typed lines of all sessions, in a file of the user.
 */
#ifndef TUI_HISTORY_H
#define TUI_HISTORY_H

/* path: the file; NULL: only the lines of this session. */
void wlab_history_load(const char *path);
/* A line was typed: make it the newest and drop equal older ones; lines that begin with a blank are not kept. */
void wlab_history_add(const char *path, const char *line);
/* Rewrite the file without repeats: this session and others have appended each line that was typed. */
void wlab_history_save(const char *path);

#endif

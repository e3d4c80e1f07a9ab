/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The typed lines of all sessions, in a file of the user's.
 */
#ifndef TUI_HISTORY_H
#define TUI_HISTORY_H

/* path: the file, or NULL: the lines of this session only. */
void wlab_history_load(const char *path);
/* A line was typed: it becomes the newest, once; lines that begin with a blank are not kept. */
void wlab_history_add(const char *path, const char *line);
/* Write the file anew, without repeats: it grew by a line each time, here and in other prompts. */
void wlab_history_save(const char *path);

#endif

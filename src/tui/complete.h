/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Completion of commands, parameters and their values, names and files, from the registries.
 */
#ifndef TUI_COMPLETE_H
#define TUI_COMPLETE_H

#include "weaklab/session.h"

void wlab_complete_install(wlab_session *);

/* The words that may stand at the end of line[0 .. len-1], where the last begins at `begin`; a malloc'ed,
 * NULL-terminated list of malloc'ed strings, or NULL; *files: file names fit as well. */
char **wlab_complete_words(const wlab_session *, const char *line, size_t begin, size_t len, bool *files);

#endif

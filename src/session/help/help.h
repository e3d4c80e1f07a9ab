/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Texts for help, shared by its files.
 */
#ifndef SESSION_HELP_H
#define SESSION_HELP_H

#include "session/help/glossary.h"
#include "session/internal.h"

/* Writes the settings of a table below the title "settings:"; nothing if the table is NULL or empty. */
void wlab_help_params(wlab_buf *out, const wlab_param_info *);
void wlab_help_metric(wlab_buf *out, const wlab_metric_info *);
void wlab_help_algo(wlab_buf *out, const wlab_algo *);
/* The algorithm's metric or setting named `word`; returns whether there is one. */
bool wlab_help_of_algo(wlab_buf *out, const wlab_algo *, const char *word);
/* A term of the glossary with its formula, what to watch, and its source. */
void wlab_help_term(wlab_buf *out, const wlab_term *);
/* The page of `help` alone. */
void wlab_help_page(wlab_buf *out, const wlab_session *);

typedef struct wlab_topic {
    const char *name, *summary;
    void (*write)(wlab_buf *out, const wlab_session *);
} wlab_topic;
extern const wlab_topic wlab_topics[]; /* ends with name = NULL */
/* Adds the commands of a group of `help`, such as "comparing"; nothing if a topic or a command has this name. */
void wlab_help_group(wlab_buf *, const wlab_session *, const char *title);

#endif

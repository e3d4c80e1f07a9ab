/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lists for help, shared by its files.
 */
#ifndef SESSION_HELP_H
#define SESSION_HELP_H

#include "session/help/glossary.h"
#include "session/internal.h"

/* The settings of a table, behind a title; nothing where there are none. */
void wlab_help_params(wlab_buf *out, const wlab_param_info *);
void wlab_help_metric(wlab_buf *out, const wlab_metric_info *);
void wlab_help_algo(wlab_buf *out, const wlab_algo *);
/* A word of the field, with its formula, what to watch and where it is from. */
void wlab_help_term(wlab_buf *out, const wlab_term *);
/* The page of `help` alone. */
void wlab_help_page(wlab_buf *out, const wlab_session *);

typedef struct wlab_topic {
    const char *name, *summary;
    void (*write)(wlab_buf *out, const wlab_session *);
} wlab_topic;
extern const wlab_topic wlab_topics[]; /* ends with name = NULL */

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The field's words, for `explain`.
 */
#ifndef WEAKLAB_SESSION_GLOSSARY_H
#define WEAKLAB_SESSION_GLOSSARY_H

typedef struct wlab_term {
    const char *name, *also; /* also: other names, each between two bars; or NULL */
    const char *meaning;
    const char *notation; /* as the paper writes it; or NULL */
    const char *watch;    /* what to look at, and what it tells; or NULL */
    const char *source;   /* where it stands; or NULL */
} wlab_term;

extern const wlab_term wlab_glossary[]; /* ends with name = NULL */
/* Case, blanks, - and _ do not matter; NULL: no such word. */
const wlab_term *wlab_term_find(const char *word);

#endif

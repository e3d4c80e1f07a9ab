/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The glossary: the terms of the field and of the program, for `explain` and docs/glossary.md.
 */
#ifndef WEAKLAB_SESSION_GLOSSARY_H
#define WEAKLAB_SESSION_GLOSSARY_H

typedef struct wlab_term {
    const char *group;       /* the heading before this term in docs/glossary.md; NULL: none is there */
    const char *name, *also; /* also: other names, each between two bars, "|name|name|"; or NULL */
    const char *meaning;
    const char *notation; /* as the paper writes it; or NULL */
    const char *watch;    /* what to look at, and what it says; or NULL */
    const char *source;   /* where the paper defines it; or NULL */
} wlab_term;

extern const wlab_term wlab_glossary[]; /* ends with name = NULL */
/* The term with this name; blank, - and _ are the same, and case counts only in names of one letter.  NULL: none. */
const wlab_term *wlab_term_find(const char *word);

#endif

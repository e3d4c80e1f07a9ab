/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Words of the command language.  Experiment files are read with the same words as the prompt.
 */
#ifndef LANG_PHRASE_H
#define LANG_PHRASE_H

#include "base/list.h"
#include "weaklab/param.h"

/* One command cut out of a line. */
typedef struct wlab_phrase {
    long column; /* of the name, from 1 */
    char *name;  /* NULL: nothing but blanks or a comment */
    char *rest;  /* the line after the name, as typed, trimmed, without a comment */
    int n;
    char **word; /* unquoted, the name left out */
    bool *plain; /* begins without a quote: may be key=value */
    long *at;    /* column of each */
} wlab_phrase;
/* Read one command from line[*pos..], to the next `;` or the end; *pos moves on, *more: there is another.
 * WL_EINPUT with the column. */
wlab_code wlab_phrase_read(wlab_phrase *, const char *line, size_t *pos, bool *more, wlab_err *);
void wlab_phrase_clear(wlab_phrase *);
/* `key` of key=value, or 0: no setting. */
size_t wlab_setting_length(const char *word);

/* Set what stands as key=value among the words, but for the key `but` (NULL: every one); the other words, as they lie in
 * the phrase, go to other[0 .. *n-1], which has room for w->n (NULL: there are none). */
wlab_code wlab_phrase_settings(const wlab_phrase *w, wlab_params *, const char *but, char **other, int *n,
                               wlab_err *);
/* Unquoted words and values that begin with `~/` get `home` in its place, `rest` too. */
wlab_code wlab_phrase_expand(wlab_phrase *, const char *home, wlab_err *);

#endif

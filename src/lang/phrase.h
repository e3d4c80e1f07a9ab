/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Words of the command language, for the prompt and for experiment files.
 */
#ifndef LANG_PHRASE_H
#define LANG_PHRASE_H

#include "base/list.h"
#include "weaklab/param.h"

/* One command of a line. */
typedef struct wlab_phrase {
    long column; /* of the name, from 1 */
    char *name;  /* NULL: nothing but blanks or a comment */
    char *rest;  /* the line after the name, as typed, trimmed, without a comment */
    int n;
    char **word; /* unquoted, the name left out */
    bool *plain; /* begins without a quote: may be key=value */
    long *at;    /* column of each */
} wlab_phrase;
/* Read one command from line[*pos..], up to the next `;` or the end. *pos is then behind that `;`; *more: another
 * command follows.  WL_EINPUT: malformed, with the column. */
wlab_code wlab_phrase_read(wlab_phrase *, const char *line, size_t *pos, bool *more, wlab_err *);
void wlab_phrase_clear(wlab_phrase *);
/* The length of `key` in key=value; 0: not a setting. */
size_t wlab_setting_length(const char *word);

/* Sets the parameters from every unquoted key=value among the words, and skips those with the key `but` (NULL: none).
 * Stores the other words, which w still owns, in other[0 .. *n-1]; other has space for w->n of them.  If other is NULL,
 * the caller has already checked that there are none.  n must not be NULL. */
wlab_code wlab_phrase_settings(const wlab_phrase *w, wlab_params *, const char *but, char **other, int *n,
                               wlab_err *);
/* Replace `~` or `~/` at the beginning of unquoted words and values by `home`, also in `rest`. */
wlab_code wlab_phrase_expand(wlab_phrase *, const char *home, wlab_err *);

#endif

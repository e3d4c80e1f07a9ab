/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The words that begin a line of an experiment file.
 */
#ifndef EXPERIMENT_READ_H
#define EXPERIMENT_READ_H

#include "study/experiment/file.h"

typedef struct wlab_exp_word {
    const char *name;
    wlab_code (*read)(wlab_exp_file *, const wlab_exp_line *);
} wlab_exp_word;
extern const wlab_exp_word wlab_exp_line_words[]; /* ends with name = NULL */
wlab_code wlab_exp_read_method(wlab_exp_file *, const wlab_exp_line *);
wlab_code wlab_exp_read_or(wlab_exp_file *, const wlab_exp_line *);
wlab_code wlab_exp_read_line(wlab_exp_file *, const wlab_exp_line *);

/* ---- errors of several lines ---- */
/* At the line's first word. */
wlab_code wlab_exp_missing(const wlab_exp_file *, const wlab_exp_line *, const char *says);
/* There are n already: too many? */
wlab_code wlab_exp_full(const wlab_exp_file *, const wlab_exp_line *, int n, const char *what);
/* Word i may have no braces. */
wlab_code wlab_exp_plain(const wlab_exp_file *, const wlab_exp_line *, int i, const char *says);
/* Word i is a name as titles and tables show it. */
wlab_code wlab_exp_name(const wlab_exp_file *, const wlab_exp_line *, int i, const char *of);

#endif

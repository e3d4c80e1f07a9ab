/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reading the lines of an experiment file by their first word.
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

/* ---- checks that several lines share; all return WL_EINPUT if they fail ---- */
/* Always fails, at the line's first word. */
wlab_code wlab_exp_missing(const wlab_exp_file *, const wlab_exp_line *, const char *says);
/* The list may grow: it has n elements now. */
wlab_code wlab_exp_check_count(const wlab_exp_file *, const wlab_exp_line *, int n, const char *what);
/* Word i has no braces. */
wlab_code wlab_exp_check_plain(const wlab_exp_file *, const wlab_exp_line *, int i, const char *says);
/* Word i is a name that titles and tables can show. */
wlab_code wlab_exp_check_name(const wlab_exp_file *, const wlab_exp_line *, int i, const char *of);

#endif

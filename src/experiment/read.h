/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The words that begin a line of an experiment file.
 */
#ifndef EXPERIMENT_READ_H
#define EXPERIMENT_READ_H

#include "experiment/file.h"

typedef struct wlab_exp_word {
    const char *name;
    wlab_code (*read)(wlab_exp_file *, const wlab_exp_line *);
} wlab_exp_word;
extern const wlab_exp_word wlab_exp_line_words[]; /* ends with name = NULL */
wlab_code wlab_exp_read_line(wlab_exp_file *, const wlab_exp_line *);

#endif

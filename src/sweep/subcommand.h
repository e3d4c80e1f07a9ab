/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `weaklab sweep`, `table`, `cell`, `merge`, `curve` on the shell's command line become lines of the command language,
 * so that both do exactly the same.
 */
#ifndef SWEEP_SUBCOMMAND_H
#define SWEEP_SUBCOMMAND_H

#include "weaklab/base.h"

typedef struct wlab_subcommand {
    const char *name;  /* NULL: none */
    const char **word; /* the words after it without the options; the array is owned */
    int n;
    const char *out, *shard, *format, *to, *of; /* options, or NULL */
    bool retry, anew, items;
} wlab_subcommand;

bool wlab_subcommand_is(const char *word);
const char *
wlab_subcommand_nearest(const char *word); /* the subcommand spelled most like the word, or NULL */
wlab_code wlab_subcommand_add(wlab_subcommand *, const char *word, wlab_err *);
/* Append the line.  WL_EARG: the subcommand is unknown, has too few or too many words, lacks an option that it needs,
 * or has an option that it does not take. */
wlab_code wlab_subcommand_line(const wlab_subcommand *, wlab_buf *line, wlab_err *);
/* Do the other ranks of an MPI job compute for it? */
bool wlab_subcommand_uses_ranks(const wlab_subcommand *);
/* Does the program show its prompt afterwards, instead of ending? */
bool wlab_subcommand_keeps_prompt(const wlab_subcommand *);
void wlab_subcommand_clear(wlab_subcommand *);

#endif

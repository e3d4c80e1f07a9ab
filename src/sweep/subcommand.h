/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `weaklab sweep`, `table`, `cell`, `merge`, `curve` on the shell's command line, as lines of the command language: there is one
 * way to do a thing.
 */
#ifndef SWEEP_SUBCOMMAND_H
#define SWEEP_SUBCOMMAND_H

#include "weaklab/base.h"

typedef struct wlab_subcommand {
    const char *name;  /* NULL: none */
    const char **word; /* what stood behind it, options taken out; owned */
    int n;
    const char *out, *shard, *format, *to, *of; /* options, or NULL */
    bool retry, anew;
} wlab_subcommand;

bool wlab_subcommand_is(const char *word);
const char *wlab_subcommand_near(const char *word); /* which was meant, or NULL */
wlab_code wlab_subcommand_add(wlab_subcommand *, const char *word, wlab_err *);
/* The line, appended.  WL_EARG: something is missing, or an option belongs to another one. */
wlab_code wlab_subcommand_line(const wlab_subcommand *, wlab_buf *line, wlab_err *);
/* Do the other ranks of an MPI job compute with it? */
bool wlab_subcommand_uses_ranks(const wlab_subcommand *);
/* Does it leave the prompt to the person afterwards? */
bool wlab_subcommand_goes_on(const wlab_subcommand *);
void wlab_subcommand_clear(wlab_subcommand *);

#endif

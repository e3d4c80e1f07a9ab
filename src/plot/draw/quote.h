/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * User text in gnuplot scripts and data files, made inert.
 *
 * gnuplot runs back-quotes inside "..." and expands @NAME outside '...'; inside '...' nothing has a meaning but
 * ' itself.  ('' for it is not understood at a string's start.)  A control character may end the command.  So
 * user text goes into '...' only, without control characters, each ' as "\047" between two such pieces, and
 * every element that shows it says `noenhanced`.
 */
#ifndef PLOT_QUOTE_H
#define PLOT_QUOTE_H

#include "weaklab/base.h"

enum {
    WL_QUOTE_MOST = 240 /* bytes of a text that are kept */
};

/* Append `text` as a gnuplot string expression: control characters become spaces, malformed UTF-8 "?", and what
 * is longer than WL_QUOTE_MOST bytes ends in "...". */
wlab_code wlab_quote_text(wlab_buf *, const char *text);
/* Append one file of the script's own folder as an expression, './'.'NAME': the prefix takes the meaning from '<',
 * '|', '-' and '~' at its start.  WL_EARG when the name has a slash, a control character or malformed UTF-8,
 * or is longer than 255 bytes: a file cannot be renamed in passing. */
wlab_code wlab_quote_file(wlab_buf *, const char *name, wlab_err *);
/* Append `text` for a comment line of a .gp or .dat file: as wlab_quote_text without the quotes, and without
 * back-quotes, @, and a backslash, which would carry on to the next line. */
wlab_code wlab_quote_comment(wlab_buf *, const char *text);

#endif

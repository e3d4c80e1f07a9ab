/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * User text in gnuplot scripts and data files, quoted so that gnuplot executes nothing in it.
 *
 * gnuplot executes back-quotes inside "..." and expands @NAME outside '...'; inside '...' only ' itself has a meaning.
 * ('' for it does not work at the start of a string.)  A control character may end the command.  So user text is
 * written only inside '...', without control characters, with each ' as "\047" between two such pieces, and every
 * element that displays it has the option `noenhanced`.
 */
#ifndef PLOT_QUOTE_H
#define PLOT_QUOTE_H

#include "weaklab/base.h"

enum {
    WL_QUOTE_MOST = 240 /* bytes of a text that are kept */
};

/* Append `text` as a gnuplot string expression: control characters become spaces, malformed UTF-8 becomes "?", and a
 * text longer than WL_QUOTE_MOST bytes is cut and ends in "...". */
wlab_code wlab_quote_text(wlab_buf *, const char *text);
/* The same for a text that LaTeX typesets: what acts there is written as LaTeX prints it, Greek letters become math, and
 * letters that LaTeX's usual fonts lack become "?". */
wlab_code wlab_quote_latex(wlab_buf *, const char *text);
/* Append the name of a file in the script's own folder as an expression, './'.'NAME': after the prefix the characters
 * '<', '|', '-' and '~' at the start of the name have no special meaning.  WL_EARG if the name is empty, has a slash, a
 * control character or malformed UTF-8, or is longer than 255 bytes: unlike text, a file name must not be altered. */
wlab_code wlab_quote_file(wlab_buf *, const char *name, wlab_err *);
/* Append `text` for a comment line of a .gp or .dat file: as wlab_quote_text, but without the quotes, and with "?" for
 * back-quotes, @ and backslashes (a backslash would continue the comment on the next line). */
wlab_code wlab_quote_comment(wlab_buf *, const char *text);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Text for display, and characters: private to the library and the program.
 *
 * The one definition of characters that act on a terminal: control characters of ASCII (C0, DEL) and the additional
 * ones of UTF-8 (C1), line ends of Unicode, and the characters that change the order in which others are displayed,
 * so that a text would look different from what it is.
 */
#ifndef WEAKLAB_BASE_TEXT_H
#define WEAKLAB_BASE_TEXT_H

#include "weaklab/base.h"
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decode the character at s into *code.  `len` bytes may be read (4 or more if the text ends with a 0).  Returns the
 * number of its bytes, 0: it is malformed. */
size_t wlab_utf8_read(const char *s, size_t len, uint32_t *code);
bool wlab_utf8_acts(uint32_t code); /* the character acts on a terminal */

/* Format into dst (at most `size` bytes with the final 0); the arguments may point into dst.  A character that acts
 * on a terminal becomes a blank and malformed UTF-8 '?', because messages quote file contents and are displayed on
 * terminals and in JSON.  A text that is too long ends in "...". */
void wlab_text_vformat(char *dst, size_t size, const char *fmt, va_list ap);
/* A wlab_alloc'ed copy for a pipe, which may lead to a terminal; NULL: out of memory.  Characters that act on a
 * terminal, except newlines and tabs, become blanks.  Bytes that are not UTF-8 become '?' if they are C1 in 8-bit
 * character sets; all else is kept. */
char *wlab_text_inert(const char *text);
/* The same for JSON, without loss: such characters become \uXXXX. */
char *wlab_json_inert(const char *json);
/* "s" unless n is 1: "%lld row%s". */
static inline const char *wlab_plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

/* Appends text as Markdown shows it: a backslash before each character that would act.  code: what stands between two
 * backquotes on one line is code there, and so is kept, backquotes and all.  WL_ENOMEM.  Time is linear in the text. */
wlab_code wlab_text_markdown(wlab_buf *out, const char *text, bool code);
/* How LaTeX prints an ASCII character that acts in its text, or that its usual fonts lack; NULL: as it is. */
const char *wlab_latex_of(uint32_t code);

#endif

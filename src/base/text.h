/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Text that goes to people, and characters: private to the library and the program.
 *
 * What acts on a terminal, in one place: control characters of ASCII (C0, DEL) and those that UTF-8 has besides (C1),
 * line ends of Unicode, and the characters that change the order in which others are shown, so that a text shows
 * something else than it says.
 */
#ifndef WEAKLAB_BASE_TEXT_H
#define WEAKLAB_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The character at s, of which `len` bytes are there (any number from 4 on: it ends in a 0), into *code; its bytes, 0: it is
 * malformed. */
size_t wlab_utf8_read(const char *s, size_t len, uint32_t *code);
bool wlab_utf8_acts(uint32_t code);

/* Format into dst (at most `size` bytes with the final 0); the arguments may point into dst.  What acts on a
 * terminal becomes a blank and broken UTF-8 '?': file contents that are quoted in messages reach
 * terminals and JSON.  A text that is too long ends in "...". */
void wlab_text_vformat(char *dst, size_t size, const char *fmt, va_list ap);
/* For a pipe, behind which a terminal may be: what acts on one, but for newlines and tabs, becomes a blank, a byte that is
 * C1 where bytes are characters '?'; all else stays.  A wlab_alloc'ed copy; NULL: out of memory. */
char *wlab_text_inert(const char *text);
/* The same for JSON, where nothing is lost: it becomes \uXXXX. */
char *wlab_json_inert(const char *json);
/* "s" unless n is 1: "%lld row%s". */
static inline const char *wlab_plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Text that goes to people: private to src/base.
 */
#ifndef WEAKLAB_BASE_TEXT_H
#define WEAKLAB_BASE_TEXT_H

#include <stdarg.h>
#include <stddef.h>

/* Format into dst (at most `size` bytes with the final 0); the arguments may point into dst.  Control
 * characters become blanks and broken UTF-8 becomes '?': file contents that are quoted in messages reach
 * terminals and JSON.  A text that is too long ends in "...". */
void wlab_text_vformat(char *dst, size_t size, const char *fmt, va_list ap);

#endif

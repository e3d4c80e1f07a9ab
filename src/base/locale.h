/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Numbers with a decimal point, in any locale of the program that uses the library: printf and strtod follow the locale
 * of the process, which the library must not change.
 */
#ifndef WEAKLAB_BASE_LOCALE_H
#define WEAKLAB_BASE_LOCALE_H

#include "weaklab/base.h"
#include <locale.h>

/* strtod, snprintf and vsnprintf as in the C locale. */
double wlab_strtod(const char *text, char **end);
int wlab_print(char *dst, size_t size, const char *fmt, ...) WLAB_PRINTF(3, 4);
int wlab_vprint(char *dst, size_t size, const char *fmt, va_list ap);

/* The same for everything that this thread prints between _begin and _end; pairs may be nested.  Only the format of
 * numbers changes, not the character set.  If memory runs out, nothing changes. */
typedef struct wlab_numbers {
    locale_t ours, before; /* ours NULL: nothing was changed */
} wlab_numbers;

wlab_numbers wlab_numbers_begin(void);
void wlab_numbers_end(wlab_numbers *);

#endif

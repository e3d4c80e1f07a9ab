/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Numbers with a decimal point, in whatever locale the program around the library is: printf and strtod follow the
 * locale of the process, which is not ours to change.
 */
#ifndef WEAKLAB_BASE_LOCALE_H
#define WEAKLAB_BASE_LOCALE_H

#include "weaklab/base.h"
#include <locale.h>

/* strtod, snprintf and vsnprintf as in the C locale. */
double wlab_strtod(const char *text, char **end);
int wlab_print(char *dst, size_t size, const char *fmt, ...) WLAB_PRINTF(3, 4);
int wlab_vprint(char *dst, size_t size, const char *fmt, va_list ap);

/* The same for all that this thread prints from _begin to _end, in pairs, which may be nested.  Its numbers alone:
 * characters stay those of the locale.  Where memory runs out it stays as it is. */
typedef struct wlab_numbers {
    locale_t ours, before; /* ours NULL: nothing was to be changed */
} wlab_numbers;

wlab_numbers wlab_numbers_begin(void);
void wlab_numbers_end(wlab_numbers *);

#endif

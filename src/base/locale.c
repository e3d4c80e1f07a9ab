/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Numbers with a decimal point in every locale.
 */
#include "base/locale.h"
#include <langinfo.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Created once and never freed.  It is a constant that glibc has ready, but newlocale would look it up each time (and
 * leak some bytes each time if LOCPATH is set). */
static locale_t c_locale;
static pthread_once_t c_once = PTHREAD_ONCE_INIT;

static void create_c_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

static locale_t get_c_locale(void)
{
    (void)pthread_once(&c_once, create_c_locale);
    return c_locale;
}

/* Whether the locale of this thread has a decimal point already. */
static bool has_point(void)
{
    return strcmp(nl_langinfo(RADIXCHAR), ".") == 0;
}

double wlab_strtod(const char *text, char **end)
{
    locale_t c = get_c_locale();

    if (c)
        return strtod_l(text, end, c);
    if (end)
        *end = (char *)(uintptr_t)text;
    return 0;
}

int wlab_vprint(char *dst, size_t size, const char *fmt, va_list ap)
{
    locale_t c = has_point() ? (locale_t)0 : get_c_locale();
    locale_t before = c ? uselocale(c) : (locale_t)0; /* of this thread only */
    int n = vsnprintf(dst, size, fmt, ap);

    if (c)
        uselocale(before);
    return n;
}

int wlab_print(char *dst, size_t size, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    int n = wlab_vprint(dst, size, fmt, ap);
    va_end(ap);
    return n;
}

wlab_numbers wlab_numbers_begin(void)
{
    wlab_numbers numbers = {0};
    locale_t copy = has_point() ? (locale_t)0 : duplocale(uselocale((locale_t)0));

    if (!copy)
        return numbers;
    numbers.ours = newlocale(LC_NUMERIC_MASK, "C", copy);
    if (numbers.ours)
        numbers.before = uselocale(numbers.ours);
    else
        freelocale(copy);
    return numbers;
}

void wlab_numbers_end(wlab_numbers *numbers)
{
    if (!numbers->ours)
        return;
    uselocale(numbers->before);
    freelocale(numbers->ours);
    *numbers = (wlab_numbers){0};
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Numbers with a decimal point in every locale.  glibc hands out a constant for "C": no memory, nothing to wait for.
 */
#include "base/locale.h"
#include <langinfo.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether this thread prints a point already. */
static bool has_point(void)
{
    return strcmp(nl_langinfo(RADIXCHAR), ".") == 0;
}

double wlab_strtod(const char *text, char **end)
{
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double x = c ? strtod_l(text, end, c) : 0;

    if (c)
        freelocale(c);
    else if (end)
        *end = (char *)text;
    return x;
}

int wlab_vprint(char *dst, size_t size, const char *fmt, va_list ap)
{
    locale_t c = has_point() ? (locale_t)0 : newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = c ? uselocale(c) : (locale_t)0; /* of this thread only */
    int n = vsnprintf(dst, size, fmt, ap);

    if (c) {
        uselocale(before);
        freelocale(c);
    }
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

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Text that goes to people: bounded, valid UTF-8, without control characters.
 */
#include "base/text.h"
#include "base/locale.h"
#include "weaklab/base.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Bytes of the UTF-8 character at s (0-terminated), or 0 if it is malformed. */
static size_t utf8_length(const unsigned char *s)
{
    size_t n;
    unsigned long code;
    if (s[0] < 0x80) {
        return 1;
    } else if (s[0] >= 0xc2 && s[0] < 0xe0) {
        n = 2;
        code = s[0] & 0x1fu;
    } else if (s[0] >= 0xe0 && s[0] < 0xf0) {
        n = 3;
        code = s[0] & 0x0fu;
    } else if (s[0] >= 0xf0 && s[0] < 0xf5) {
        n = 4;
        code = s[0] & 0x07u;
    } else {
        return 0;
    }
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (s[i] & 0x3fu);
    }
    static const unsigned long least[5] = {0, 0, 0x80, 0x800, 0x10000};
    bool surrogate = code >= 0xd800 && code < 0xe000;
    return code < least[n] || code > 0x10ffff || surrogate ? 0 : n;
}

/* In place; the text never grows. */
static void clean(char *text)
{
    unsigned char *s = (unsigned char *)text;
    while (*s) {
        size_t n = utf8_length(s);
        if (n == 0) {
            *s++ = '?';
        } else if (n == 1) {
            if (*s < 0x20 || *s == 0x7f)
                *s = ' ';
            s++;
        } else {
            if (s[0] == 0xc2 && s[1] < 0xa0) /* the C1 control characters */
                s[0] = s[1] = ' ';
            s += n;
        }
    }
}

void wlab_text_vformat(char *dst, size_t size, const char *fmt, va_list ap)
{
    char tmp[2048];
    if (size == 0)
        return;
    if (size > sizeof tmp)
        size = sizeof tmp;
    int n = wlab_vprint(tmp, size, fmt, ap);
    if (n < 0)
        tmp[0] = 0;
    if (n >= 0 && (size_t)n >= size && size > 4) {
        size_t end = size - 4;
        while (end > 0 && ((unsigned char)tmp[end] & 0xc0) == 0x80) /* not inside a character */
            end--;
        memcpy(tmp + end, "...", 4);
    }
    clean(tmp);
    memcpy(dst, tmp, strlen(tmp) + 1);
}

void wlab_text_append(char *buf, size_t size, const char *fmt, ...)
{
    const size_t at = strnlen(buf, size);
    va_list ap;
    va_start(ap, fmt);
    if (at < size)
        wlab_vprint(buf + at, size - at, fmt, ap);
    va_end(ap);
}

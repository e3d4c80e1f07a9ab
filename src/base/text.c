/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Text for display: bounded, valid UTF-8, without characters that act on a terminal.
 */
#include "base/text.h"
#include "base/locale.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

size_t wlab_utf8_read(const char *text, size_t len, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *s = (const unsigned char *)text;
    size_t n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
    uint32_t u = n == 1 ? s[0] : s[0] & (0x7fu >> n);

    if (n == 0 || n > len)
        return 0;
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        u = u << 6 | (s[i] & 0x3fu);
    }
    if (u < least[n] || u > 0x10ffff || (u >= 0xd800 && u < 0xe000))
        return 0;
    *code = u;
    return n;
}

bool wlab_utf8_acts(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x206f);
}

/* In place; the text never grows. */
static void clean_text(char *text)
{
    char *to = text;
    while (*text) {
        uint32_t c;
        size_t n = wlab_utf8_read(text, SIZE_MAX, &c);
        if (n == 0 || wlab_utf8_acts(c)) {
            *to++ = n ? ' ' : '?';
        } else {
            memmove(to, text, n);
            to += n;
        }
        text += n ? n : 1;
    }
    *to = 0;
}

char *wlab_text_inert(const char *text)
{
    char *copy = wlab_alloc(strlen(text) + 1, 1), *to = copy;
    while (copy && *text) {
        uint32_t c;
        size_t n = wlab_utf8_read(text, SIZE_MAX, &c);
        if (n == 0) {
            *to++ = (unsigned char)*text < 0xa0 ? '?'
                                                : *text; /* a C1 control character in 8-bit character sets */
        } else if (wlab_utf8_acts(c) && c != '\n' && c != '\t') {
            *to++ = ' ';
        } else {
            memcpy(to, text, n);
            to += n;
        }
        text += n ? n : 1;
    }
    if (copy)
        *to = 0;
    return copy;
}

char *wlab_json_inert(const char *json)
{
    wlab_buf out = {0};
    wlab_code code = wlab_buf_put(&out, "", 0);
    while (!code && *json) {
        uint32_t c;
        size_t n = wlab_utf8_read(json, SIZE_MAX, &c);
        code = n && c >= 0x7f && wlab_utf8_acts(c) ? wlab_buf_printf(&out, "\\u%04x", (unsigned)c)
                                                   : wlab_buf_put(&out, json, n ? n : 1);
        json += n ? n : 1;
    }
    if (code)
        wlab_buf_clear(&out);
    return (char *)out.data;
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
    clean_text(tmp);
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

/* The length of the code that begins at `text`, with both backquotes; 0: none begins here.  A row of backquotes is another
 * mark of Markdown. */
static size_t code_length(const char *start, const char *text)
{
    if (*text != '`' || (text > start && text[-1] == '`'))
        return 0;
    const size_t n = strcspn(text + 1, "`\n");
    return n > 0 && text[n + 1] == '`' && text[n + 2] != '`' ? n + 2 : 0;
}

/* Whether Markdown gives the character a meaning.  An ampersand has one before a letter, as in &lt; */
static bool marks(const char *text)
{
    return *text == '&' ? isalpha((unsigned char)text[1]) != 0 : strchr("\\`*_{}[]<>#|~", *text) != NULL;
}

wlab_code wlab_text_markdown(wlab_buf *out, const char *text, bool code)
{
    wlab_code failed = WL_OK;

    for (const char *start = text; *text && !failed;) {
        const size_t span = code ? code_length(start, text) : 0, n = span ? span : 1;

        if (!span && marks(text))
            failed = wlab_buf_put(out, "\\", 1);
        if (!failed)
            failed = wlab_buf_put(out, text, n);
        text += n;
    }
    return failed;
}

const char *wlab_latex_of(uint32_t code)
{
    switch (code) {
    case '\\':
        return "\\textbackslash{}";
    case '{':
        return "\\{";
    case '}':
        return "\\}";
    case '$':
        return "\\$";
    case '&':
        return "\\&";
    case '#':
        return "\\#";
    case '%':
        return "\\%";
    case '_':
        return "\\_";
    case '^':
        return "\\textasciicircum{}";
    case '~':
        return "\\textasciitilde{}";
    case '<':
        return "$<$";
    case '>':
        return "$>$";
    case '|':
        return "$|$";
    case '"':
        return "''";
    default:
        return NULL;
    }
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Text that fits a terminal.
 */
#include "tui/wrap.h"
#include "tui/dashboard/canvas.h"
#include <limits.h>
#include <string.h>
#include <sys/ioctl.h>
#include <wchar.h>

enum {
    NARROWEST = 20
};

int wlab_terminal_width(int fd)
{
    struct winsize size = {0};
    return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

char *wlab_printable(const char *text)
{
    wlab_buf out = {0};
    wlab_code code = WL_OK;

    while (!code && *text) {
        char bytes[MB_LEN_MAX];
        mbstate_t state = {0};
        wchar_t ch;
        size_t n = 1;

        text += wlab_utf8_next(text, &ch);
        if (ch == L'\n' || ch == L'\t') {
            bytes[0] = (char)ch;
        } else {
            (void)wlab_utf8_put(&ch);
            n = wcrtomb(bytes, ch, &state);
            if (n == (size_t)-1)
                bytes[0] = '?', n = 1;
        }
        code = wlab_buf_put(&out, bytes, n);
    }
    code = code ? code : wlab_buf_put(&out, "", 1);
    if (code)
        wlab_buf_clear(&out);
    return (char *)out.data;
}

int wlab_locale_columns(const char *text, size_t len)
{
    mbstate_t state = {0};
    int sum = 0;

    while (len > 0) {
        wchar_t c;
        size_t n = mbrtowc(&c, text, len, &state);
        int w;
        if (n == 0 || n > len) {
            memset(&state, 0, sizeof state);
            n = 1;
            c = L'?';
        }
        w = wcwidth(c);
        sum += w < 0 ? 1 : w;
        text += n;
        len -= n;
    }
    return sum;
}

/* The length of the first line of text[0 .. len-1]: it ends before the last blanks that keep it within `width`
 * columns, or before the first blanks if the first word is longer. */
static size_t first_line_length(const char *text, size_t len, int width)
{
    size_t best = len;
    for (size_t i = strspn(text, " "); i < len;) {
        size_t end = i;
        while (end < len && text[end] != ' ')
            end++;
        if (best < len && wlab_locale_columns(text, end) > width)
            break;
        best = end;
        i = end + strspn(text + end, " ");
    }
    return best < len ? best : len;
}

static wlab_code put_line(wlab_buf *out, const char *text, size_t len, int width)
{
    size_t indent = strspn(text, " *"); /* `*` marks the current row of a table */
    wlab_code code = WL_OK;
    int hang = indent < (size_t)width / 2 ? (int)indent : width / 2;
    bool first = true;

    while (!code && len > 0) {
        int line_width = first ? width : width - hang;
        size_t n =
            wlab_locale_columns(text, len) <= line_width ? len : first_line_length(text, len, line_width);
        if (!first)
            code = wlab_buf_printf(out, "\n%*s", hang, "");
        if (!code)
            code = wlab_buf_put(out, text, n);
        text += n;
        len -= n;
        for (; n > 0 && len > 0 && *text == ' '; text++)
            len--;
        first = false;
    }
    return code;
}

char *wlab_wrap(const char *text, int width)
{
    wlab_buf out = {0};
    wlab_code code = WL_OK;

    if (width < NARROWEST)
        return wlab_strdup(text);
    while (!code && *text) {
        size_t len = strcspn(text, "\n");
        code = put_line(&out, text, len, width);
        text += len;
        if (!code && *text) {
            code = wlab_buf_put(&out, "\n", 1);
            text++;
        }
    }
    if (!code)
        code = wlab_buf_put(&out, "", 1);
    char *copy = code ? NULL : wlab_strdup((const char *)out.data);
    wlab_buf_clear(&out);
    return copy;
}

void wlab_put_printable(FILE *to, const char *text)
{
    char *printable = wlab_printable(text);
    fputs(printable ? printable : "", to);
    wlab_free(printable);
}

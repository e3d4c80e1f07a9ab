/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * User text in gnuplot scripts and data files, quoted so that gnuplot executes nothing in it.
 */
#include "plot/draw/quote.h"
#include "base/text.h"
#include <string.h>

/* Append `text` with spaces for control characters and '?' for malformed bytes and the characters in `never`; a text
 * that is cut ends in "...". */
static wlab_code put_inert(wlab_buf *buf, const char *text, const char *never)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t kept = 0;
    wlab_code code = WL_OK;

    while (*p && !code) {
        uint32_t c = 0;
        size_t n = wlab_utf8_read((const char *)p, SIZE_MAX, &c);
        if (kept + (n ? n : 1) > WL_QUOTE_MOST)
            return wlab_buf_put(buf, "...", 3);
        if (!n || (n == 1 && c >= ' ' && strchr(never, (int)c)))
            code = wlab_buf_put(buf, "?", 1);
        else if (wlab_utf8_acts(c))
            code = wlab_buf_put(buf, " ", 1);
        else
            code = wlab_buf_put(buf, p, n);
        n = n ? n : 1;
        kept += n;
        p += n;
    }
    return code;
}

/* Append text without control characters as a string: pieces in '...', with "\047" for each ' between them. */
static wlab_code put_literal(wlab_buf *buf, const char *text)
{
    wlab_code code = WL_OK;
    bool first = true;

    if (!*text)
        return wlab_buf_put(buf, "''", 2);
    while (*text && !code) {
        size_t n = strcspn(text, "'");
        if (!first)
            code = wlab_buf_put(buf, ".", 1);
        if (!code && !n)
            code = wlab_buf_put(buf, "\"\\047\"", 6);
        else if (!code)
            code = wlab_buf_put(buf, "'", 1);
        if (!code && n)
            code = wlab_buf_put(buf, text, n);
        if (!code && n)
            code = wlab_buf_put(buf, "'", 1);
        text += n ? n : 1;
        first = false;
    }
    return code;
}

wlab_code wlab_quote_text(wlab_buf *buf, const char *text)
{
    wlab_buf inert = {0};
    wlab_code code = put_inert(&inert, text, "");
    code = code ? code : wlab_buf_put(&inert, "", 1);
    code = code ? code : put_literal(buf, (const char *)inert.data);
    wlab_buf_clear(&inert);
    return code;
}

wlab_code wlab_quote_comment(wlab_buf *buf, const char *text)
{
    return put_inert(buf, text, "`@\\");
}

wlab_code wlab_quote_file(wlab_buf *buf, const char *name, wlab_err *err)
{
    const unsigned char *p = (const unsigned char *)name;
    wlab_code code;

    if (!*name || strlen(name) > 255)
        return wlab_fail(err, WL_EARG, "a figure's file name must have 1 to 255 bytes");
    while (*p) {
        uint32_t c = 0;
        size_t n = wlab_utf8_read((const char *)p, SIZE_MAX, &c);
        if (!n || wlab_utf8_acts(c) || c == '/')
            return wlab_fail(
                err, WL_EARG,
                "a figure's file name must be UTF-8 without control characters: choose another name");
        p += n;
    }
    code = wlab_buf_put(buf, "'./'.", 5);
    code = code ? code : put_literal(buf, name);
    return code ? wlab_nomem(err) : WL_OK;
}

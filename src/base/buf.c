/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Growing byte buffers.
 */
#include "base/locale.h"
#include "weaklab/base.h"
#include <stdio.h>
#include <string.h>

/* Make space for `more` bytes and a final 0; after a failure the buffer is unchanged. */
static wlab_code reserve(wlab_buf *buf, size_t more)
{
    if (more >= SIZE_MAX - buf->len)
        return WL_ENOMEM;
    size_t need = buf->len + more + 1;
    if (need <= buf->cap)
        return WL_OK;
    size_t cap = buf->cap ? buf->cap : 64;
    while (cap < need)
        cap = cap > SIZE_MAX / 2 ? need : 2 * cap;
    unsigned char *data = wlab_realloc(buf->data, cap, 1);
    if (!data)
        return WL_ENOMEM;
    buf->data = data;
    buf->cap = cap;
    return WL_OK;
}

wlab_code wlab_buf_put(wlab_buf *buf, const void *data, size_t len)
{
    wlab_code code = reserve(buf, len);
    if (code)
        return code;
    if (len > 0)
        memcpy(buf->data + buf->len, data, len);
    buf->len += len;
    buf->data[buf->len] = 0;
    return WL_OK;
}

wlab_code wlab_buf_get(wlab_buf *buf, void *data, size_t len)
{
    if (buf->pos > buf->len || len > buf->len - buf->pos)
        return WL_EINPUT;
    if (len > 0)
        memcpy(data, buf->data + buf->pos, len);
    buf->pos += len;
    return WL_OK;
}

wlab_code wlab_buf_printf(wlab_buf *buf, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int len = wlab_vprint(NULL, 0, fmt, ap);
    va_end(ap);
    wlab_code code = len < 0 ? WL_EARG : reserve(buf, (size_t)len);
    if (code)
        return code;
    va_start(ap, fmt);
    wlab_vprint((char *)buf->data + buf->len, (size_t)len + 1, fmt, ap);
    va_end(ap);
    buf->len += (size_t)len;
    return WL_OK;
}

/* Outside quotes nothing is escaped; inside "..." a backslash escapes " and itself; '...' is literal. */
wlab_code wlab_buf_quote(wlab_buf *buf, const char *word)
{
    size_t len = strlen(word);
    if (len > 0 && strcspn(word, " \t\r\n\v\f\"'\\;#=") == len)
        return wlab_buf_put(buf, word, len);
    if (!strpbrk(word, "\"\\"))
        return wlab_buf_printf(buf, "\"%s\"", word);
    if (!strchr(word, '\''))
        return wlab_buf_printf(buf, "'%s'", word);
    if (len > (SIZE_MAX - 2) / 2)
        return WL_ENOMEM;
    wlab_code code = reserve(buf, 2 * len + 2); /* so that nothing below can fail */
    if (code)
        return code;
    unsigned char *out = buf->data + buf->len;
    *out++ = '"';
    for (; *word; word++) {
        if (*word == '"' || *word == '\\')
            *out++ = '\\';
        *out++ = (unsigned char)*word;
    }
    *out++ = '"';
    *out = 0;
    buf->len = (size_t)(out - buf->data);
    return WL_OK;
}

void wlab_buf_clear(wlab_buf *buf)
{
    wlab_free(buf->data);
    memset(buf, 0, sizeof *buf);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Texts and parameters as bytes.
 */
#include "base/pack.h"

#include <string.h>

wlab_code wlab_pack_text(wlab_buf *buf, const char *text)
{
    const uint64_t len = text ? strlen(text) + 1 : 0;
    const wlab_code code = wlab_buf_put(buf, &len, sizeof len);

    return code || !len ? code : wlab_buf_put(buf, text, len);
}

const char *wlab_unpack_text(wlab_buf *buf)
{
    uint64_t len;

    if (wlab_buf_get(buf, &len, sizeof len) || !len || len > buf->len - buf->pos)
        return NULL;
    const char *text = (const char *)buf->data + buf->pos;
    buf->pos += len;
    return text[len - 1] ? NULL : text;
}

wlab_code wlab_pack_params(wlab_buf *buf, const wlab_params *given)
{
    wlab_code code = WL_OK;

    for (const wlab_param_info *p = wlab_params_table(given); !code && p && p->name; p++)
        if (wlab_params_given(given, p->name) && !(code = wlab_pack_text(buf, p->name)))
            code = wlab_pack_text(buf, wlab_params_text(given, p->name));
    return code ? code : wlab_pack_text(buf, NULL);
}

wlab_code wlab_unpack_params(wlab_params **out, const wlab_param_info *table, wlab_buf *buf, wlab_err *err)
{
    const char *name;
    wlab_code code = wlab_params_create(out, table, err);

    while (!code && (name = wlab_unpack_text(buf))) {
        const char *value = wlab_unpack_text(buf);
        code =
            value ? wlab_params_set(*out, name, value, err) : wlab_fail(err, WL_EIO, "a message is damaged");
    }
    if (code) {
        wlab_params_destroy(*out);
        *out = NULL;
    }
    return code;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Walks.  A snapshot begins with its length, so that a truncated one is refused before anything is read.
 */
#include "base/walk.h"

#include <string.h>

void wlab_walk_damaged(wlab_walk *w)
{
    if (!w->code)
        w->code = wlab_fail(w->err, WL_EINPUT, "the snapshot is damaged");
}

bool wlab_walk_check(wlab_walk *w, wlab_code code)
{
    w->code = code;
    return code == WL_OK;
}

void wlab_walk_bytes(wlab_walk *w, void *data, size_t len)
{
    if (w->code)
        return;
    if (w->reading && wlab_buf_get(w->buf, data, len))
        wlab_walk_damaged(w);
    else if (!w->reading && wlab_buf_put(w->buf, data, len))
        w->code = wlab_nomem(w->err);
}

size_t wlab_walk_left(const wlab_walk *w)
{
    return w->buf->len - w->buf->pos;
}

wlab_code wlab_walk_write(wlab_buf *buf, wlab_walker *walk, const void *state, wlab_err *err)
{
    wlab_walk w = {.buf = buf, .err = err};
    const size_t begin = buf->len;
    uint64_t length = 0;

    WL_WALK(&w, length);
    if (!w.code)
        walk((void *)state,
             &w); /* a writing walk only reads the state: the one place where const is cast away */
    length = buf->len - begin;
    if (!w.code)
        memcpy(buf->data + begin, &length, sizeof length);
    return w.code;
}

wlab_code wlab_walk_read(wlab_buf *buf, wlab_walker *walk, void *state, wlab_ctx *ctx, wlab_err *err)
{
    wlab_walk w = {.buf = buf, .reading = true, .ctx = ctx, .err = err};
    const size_t begin = buf->pos, whole = buf->len;
    uint64_t length = 0;

    WL_WALK(&w, length);
    if (!w.code && (length < sizeof length || length > whole - begin))
        wlab_walk_damaged(&w);
    if (w.code)
        return w.code;
    buf->len = begin + (size_t)length; /* bytes behind it do not belong to this walk */
    walk(state, &w);
    if (!w.code && buf->pos != buf->len)
        wlab_walk_damaged(&w);
    buf->len = whole;
    return w.code;
}

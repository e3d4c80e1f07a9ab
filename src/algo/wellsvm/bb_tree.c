/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Branch and bound: the heap of open nodes; the whole state as bytes, and back.
 */
#include "algo/wellsvm/bb.h"

#include <string.h>

void bb_node_free(bb_node *node)
{
    if (!node)
        return;
    wlab_free(node->decided);
    wlab_free(node->known);
    wlab_free(node);
}

bb_node *bb_node_create(const bb_state *s, const bb_node *parent, int64_t known)
{
    size_t n = (size_t)s->w.n;
    bb_node *node = wlab_calloc(1, sizeof *node);
    if (!node)
        return NULL;
    node->decided = wlab_alloc(n, 1);
    node->known = wlab_alloc((size_t)known, sizeof *node->known);
    if (!node->decided || !node->known) {
        bb_node_free(node);
        return NULL;
    }
    memset(node->decided, WL_FREE, n);
    node->lower = -HUGE_VAL;
    if (parent) {
        memcpy(node->decided, parent->decided, n);
        node->depth = parent->depth + 1;
        node->lower = parent->lower;
    }
    return node;
}

wlab_code bb_room(bb_state *s, int64_t more, wlab_err *err)
{
    if (s->open + more <= s->heap_room)
        return WL_OK;
    int64_t room = 2 * (s->open + more) + 62;
    bb_node **heap = wlab_realloc(s->heap, (size_t)room, sizeof(bb_node *));
    if (!heap)
        return wlab_nomem(err);
    s->heap = heap;
    s->heap_room = room;
    return WL_OK;
}

static bool sooner(const bb_node *a, const bb_node *b)
{
    if (a->lower != b->lower)
        return a->lower < b->lower;
    if (a->depth != b->depth)
        return a->depth > b->depth;
    return a->number < b->number;
}

static void swap(bb_state *s, int64_t a, int64_t b)
{
    bb_node *keep = s->heap[a];
    s->heap[a] = s->heap[b];
    s->heap[b] = keep;
}

void bb_push(bb_state *s, bb_node *node)
{
    int64_t at = s->open++;
    s->heap[at] = node;
    for (; at > 0 && sooner(s->heap[at], s->heap[(at - 1) / 2]); at = (at - 1) / 2)
        swap(s, at, (at - 1) / 2);
}

bb_node *bb_pop(bb_state *s)
{
    bb_node *first = s->heap[0];
    s->heap[0] = s->heap[--s->open];
    for (int64_t at = 0;;) {
        int64_t least = at, child = 2 * at + 1;
        for (int64_t c = child; c < child + 2 && c < s->open; c++)
            if (sooner(s->heap[c], s->heap[least]))
                least = c;
        if (least == at)
            break;
        swap(s, at, least);
        at = least;
    }
    return first;
}

/* clang-format off */
#define BB_SCALARS(X) \
    X(count) X(best) X(before) X(open) X(made) X(nodes) X(ended) X(improved) X(step) \
    X(step_nodes) X(step_gap) X(lower) X(upper) X(closed) X(root) X(last.lower) X(last.number) \
    X(last.depth) X(last_end) X(last_pick) X(svms) X(seen_svms) X(in_step) X(finished) \
    X(verdict) X(seconds) X(at.S) X(at.D) X(at.dual) X(at.primal)
/* clang-format on */

wlab_code bb_snapshot(const void *state, wlab_buf *buf, wlab_err *err)
{
    const bb_state *s = state;
    size_t n = (size_t)s->w.n, m = (size_t)s->w.m, count = (size_t)s->count;
    wlab_code code = WL_OK;
#define PUT(field) code = code ? code : wlab_buf_put(buf, &s->field, sizeof s->field);
    BB_SCALARS(PUT)
#undef PUT
    code = code ? code : wlab_buf_put(buf, s->y, count * n);
    code = code ? code : wlab_buf_put(buf, s->value, count * sizeof *s->value);
    code = code ? code : wlab_buf_put(buf, s->floor, count * sizeof *s->floor);
    code = code ? code : wlab_buf_put(buf, s->at.alpha, m * sizeof *s->at.alpha);
    code = code ? code : wlab_buf_put(buf, s->at.q, sizeof *s->at.q);
    for (int64_t k = 0; k < s->open && !code; k++) {
        const bb_node *node = s->heap[k];
        code = wlab_buf_put(buf, &node->lower, sizeof node->lower);
        code = code ? code : wlab_buf_put(buf, &node->number, sizeof node->number);
        code = code ? code : wlab_buf_put(buf, &node->depth, sizeof node->depth);
        code = code ? code : wlab_buf_put(buf, &node->T, sizeof node->T);
        code = code ? code : wlab_buf_put(buf, node->decided, n);
        code = code ? code : wlab_buf_put(buf, node->known, (size_t)node->T * sizeof *node->known);
    }
    return code ? wlab_nomem(err) : WL_OK;
}

static wlab_code read_node(const bb_state *s, wlab_buf *buf, bb_node **out, wlab_err *err)
{
    struct {
        double lower;
        int64_t number;
        int32_t depth, T;
    } head;
    *out = NULL;
    if (wlab_buf_get(buf, &head.lower, sizeof head.lower) ||
        wlab_buf_get(buf, &head.number, sizeof head.number) ||
        wlab_buf_get(buf, &head.depth, sizeof head.depth) || wlab_buf_get(buf, &head.T, sizeof head.T) ||
        head.T < 0 || buf->len - buf->pos < (size_t)s->w.n + 4 * (size_t)head.T)
        return wlab_fail(err, WL_EINPUT, "the snapshot is damaged");
    bb_node *node = bb_node_create(s, NULL, head.T);
    if (!node)
        return wlab_nomem(err);
    node->lower = head.lower;
    node->number = head.number;
    node->depth = head.depth;
    node->T = head.T;
    wlab_buf_get(buf, node->decided, (size_t)s->w.n);
    wlab_buf_get(buf, node->known, (size_t)node->T * sizeof *node->known);
    *out = node;
    return WL_OK;
}

wlab_code bb_restore(void *state, wlab_buf *buf, wlab_ctx *ctx, wlab_err *err)
{
    bb_state *s = state, to = *s;
    size_t n = (size_t)s->w.n, m = (size_t)s->w.m;
    int8_t *y = NULL;
    double *value = NULL, *floor = NULL;
    wlab_code code = WL_OK;
    int64_t read = 0;
    (void)ctx;
#define GET(field) code = code ? code : wlab_buf_get(buf, &to.field, sizeof to.field);
    BB_SCALARS(GET)
#undef GET
    size_t left = buf->len - buf->pos;
    if (code || to.count < 1 || to.open < 0 || to.best < 0 || to.best >= to.count || to.before < 0 ||
        to.before >= to.count || (size_t)to.count > left / (n + 16) || (size_t)to.open > left / (n + 24) ||
        left < (size_t)to.count * (n + 16) + 8 * m + 8)
        return wlab_fail(err, WL_EINPUT, "the snapshot is damaged");
    size_t count = (size_t)to.count;
    to.room = to.count;
    to.heap_room = to.open + 2;
    y = wlab_alloc(count, n);
    value = wlab_alloc(count, sizeof *value);
    floor = wlab_alloc(count, sizeof *floor);
    double *alpha = wlab_alloc(m + 1, sizeof *alpha);
    to.heap = wlab_calloc((size_t)to.heap_room, sizeof(bb_node *));
    if (!y || !value || !floor || !alpha || !to.heap) {
        code = wlab_nomem(err);
        goto out;
    }
    wlab_buf_get(buf, y, count * n);
    wlab_buf_get(buf, value, count * sizeof *value);
    wlab_buf_get(buf, floor, count * sizeof *floor);
    wlab_buf_get(buf, alpha, (m + 1) * sizeof *alpha);
    while (read < to.open && !(code = read_node(s, buf, &to.heap[read], err)))
        read++;
    if (code)
        goto out;
    for (int64_t k = 0; k < s->open; k++)
        bb_node_free(s->heap[k]);
    wlab_free(s->heap);
    wlab_free(s->y);
    wlab_free(s->value);
    wlab_free(s->floor);
    memcpy(s->at.alpha, alpha, m * sizeof *alpha);
    *s->at.q = alpha[m];
    to.y = y, to.value = value, to.floor = floor;
    *s = to;
    y = NULL, value = floor = NULL, to.heap = NULL, read = 0;
out:
    for (int64_t k = 0; k < read; k++)
        bb_node_free(to.heap[k]);
    wlab_free(to.heap);
    wlab_free(y);
    wlab_free(value);
    wlab_free(floor);
    wlab_free(alpha);
    return code;
}

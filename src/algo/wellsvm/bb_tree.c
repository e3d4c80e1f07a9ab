/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Branch and bound: the heap of open nodes, and the snapshot of the whole state.
 */
#include "algo/wellsvm/bb.h"
#include "base/walk.h"

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

wlab_code bb_reserve(bb_state *s, int64_t more, wlab_err *err)
{
    if (s->open + more <= s->heap_cap)
        return WL_OK;
    int64_t cap = 2 * (s->open + more) + 62;
    bb_node **heap = wlab_realloc(s->heap, (size_t)cap, sizeof(bb_node *));
    if (!heap)
        return wlab_nomem(err);
    s->heap = heap;
    s->heap_cap = cap;
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
    X(last.depth) X(last_end) X(by_spread) X(last_pick) X(svms) X(in_step) X(finished) \
    X(verdict) X(seconds) X(sdp.relaxed) X(sdp.pick) X(sdp.level) X(sdp.bound) X(sdp.width) X(sdp.rounds) X(sdp.rlt) X(sdp.secant) \
    X(sdp.decided) X(sdp.base) X(sdp.root) X(sdp.count) X(at.S) X(at.D) X(at.dual) X(at.primal)
/* clang-format on */

/* Walks a node; creates it when reading. */
static void walk_node(const bb_state *of, bb_node **node, wlab_walk *w)
{
    bb_node head = {0}, *s = w->reading ? &head : *node;
    WL_WALK(w, s->lower);
    WL_WALK(w, s->number);
    WL_WALK(w, s->depth);
    WL_WALK(w, s->T);
    WL_WALK(w, s->relax_only);
    if (w->reading && (s->T < 0 || (size_t)s->T > wlab_walk_left(w) / sizeof *s->known))
        wlab_walk_damaged(w);
    if (wlab_walk_has_read(w)) {
        if (!(*node = bb_node_create(of, NULL, head.T))) {
            w->code = wlab_nomem(w->err);
            return;
        }
        head.decided = (*node)->decided;
        head.known = (*node)->known;
        **node = head;
        s = *node;
    }
    if (w->code)
        return;
    WL_WALK_ARRAY(w, s->decided, of->w.n);
    WL_WALK_ARRAY(w, s->known, s->T);
}

/* Checks the sizes that were read and allocates all arrays for them. */
static void allocate_arrays(bb_state *s, wlab_walk *w)
{
    const size_t n = (size_t)s->w.n, left = wlab_walk_left(w);
    const int64_t open = s->open;
    s->open = 0;
    if (s->count < 1 || open < 0 || s->best < 0 || s->best >= s->count || s->before < 0 ||
        s->before >= s->count || (size_t)s->count > left / (n + 16) || (size_t)open > left / (n + 24))
        wlab_walk_damaged(w);
    if (w->code)
        return;
    s->cap = s->count;
    s->heap_cap = open + 2;
    s->y = wlab_alloc((size_t)s->count, n);
    s->value = wlab_alloc((size_t)s->count, sizeof *s->value);
    s->floor = wlab_alloc((size_t)s->count, sizeof *s->floor);
    s->at.alpha = wlab_alloc((size_t)s->w.m, sizeof *s->at.alpha);
    s->at.q = wlab_alloc(1, sizeof *s->at.q);
    s->heap = wlab_calloc((size_t)s->heap_cap, sizeof(bb_node *));
    s->ended_at = wlab_alloc((size_t)s->levels, sizeof *s->ended_at);
    s->bound_at = wlab_alloc((size_t)s->levels, sizeof *s->bound_at);
    if (!s->ended_at || !s->bound_at || !s->y || !s->value || !s->floor || !s->at.alpha || !s->at.q ||
        !s->heap)
        w->code = wlab_nomem(w->err);
    else
        s->open = open;
}

/* The program of the node on top of the heap, which is made for that node when reading. */
static void walk_sdp(bb_state *s, wlab_walk *w)
{
    bool there = s->sdp.at;
    WL_WALK(w, there);
    if (w->reading && there &&
        (s->open < 1 || s->sdp.count < 0 || s->sdp.pick < 0 || s->sdp.pick >= s->w.n ||
         !isfinite(s->sdp.level) || (size_t)s->sdp.count > wlab_walk_left(w) / sizeof *s->sdp.known))
        wlab_walk_damaged(w);
    if (wlab_walk_has_read(w) && there) {
        wlab_labelset *set = NULL;
        wlab_walk_check(w, wlab_labelset_restrict(&set, s->w.p->labels, s->heap[0]->decided, w->err));
        if (!w->code && !set)
            wlab_walk_damaged(w);
        if (!w->code)
            wlab_walk_check(w, bb_sdp_create(s, set, NULL, s->heap[0]->depth == 0, &s->sdp, w->err));
        wlab_labelset_destroy(set);
        if (!w->code && !(s->sdp.known = wlab_alloc((size_t)s->sdp.count + 1, sizeof *s->sdp.known)))
            w->code = wlab_nomem(w->err);
    }
    if (w->code || !there)
        return;
    WL_WALK_ARRAY(w, s->sdp.known, s->sdp.count);
    wlab_outputs_walk(s->sdp.at, w);
}

static void walk_all(bb_state *s, wlab_walk *w)
{
    BB_SCALARS(WL_WALK_FIELD)
    if (w->reading) {
        if (w->code)
            s->open = 0; /* the heap is not allocated yet */
        else
            allocate_arrays(s, w);
    }
    if (w->code)
        return;
    WL_WALK_ARRAY(w, s->y, s->count * s->w.n);
    WL_WALK_ARRAY(w, s->value, s->count);
    WL_WALK_ARRAY(w, s->floor, s->count);
    WL_WALK_ARRAY(w, s->at.alpha, s->w.m);
    WL_WALK_ARRAY(w, s->at.q, 1);
    WL_WALK_ARRAY(w, s->ended_at, s->levels);
    WL_WALK_ARRAY(w, s->bound_at, s->levels);
    for (int64_t k = 0; k < s->open; k++)
        walk_node(s, &s->heap[k], w);
    walk_sdp(s, w);
}

void bb_forget(bb_state *s)
{
    for (int64_t k = 0; k < s->open; k++)
        bb_node_free(s->heap[k]);
    wlab_free(s->heap);
    wlab_free(s->y);
    wlab_free(s->value);
    wlab_free(s->floor);
    wlab_free(s->at.alpha);
    wlab_free(s->at.q);
    wlab_free(s->ended_at);
    wlab_free(s->bound_at);
    bb_sdp_clear(&s->sdp);
}

void bb_walk(void *state, wlab_walk *w)
{
    bb_state *s = state;
    if (!w->reading) {
        walk_all(s, w);
        return;
    }
    bb_state to = *s; /* reading allocates everything anew; *s is replaced only if it succeeds */
    to.heap = NULL;
    to.y = NULL;
    to.ended_at = NULL;
    to.bound_at = NULL;
    to.sdp.at = NULL;
    to.sdp.known = NULL;
    to.value = to.floor = to.at.alpha = to.at.q = NULL;
    walk_all(&to, w);
    if (w->code) {
        bb_forget(&to);
        return;
    }
    bb_forget(s);
    *s = to;
}

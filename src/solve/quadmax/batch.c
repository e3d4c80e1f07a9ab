/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Searches some waiting parts at a time, on a pool's threads.  Each has its own copy of the search, which begins with
 * the best labeling of all so far; what they found is merged in the parts' order.  So the result has the same bits for
 * any number of threads.
 */
#include "solve/quadmax/quadmax.h"
#include "weaklab/matrix.h"

#include <string.h>

enum {
    MOST = 4 /* parts of a batch, whatever the number of threads */
};

typedef struct batch {
    int parts;
    quad_part *part[MOST];
    quad_search own[MOST];
    pthread_t owner;
    wlab_ctx loud, quiet; /* of the copies, without a pool; only the owner may report */
    wlab_code code[MOST];
    wlab_err err[MOST];
} batch;

static void search_one(void *data, int i)
{
    batch *b = data;
    b->own[i].ctx = pthread_equal(b->owner, pthread_self()) ? &b->loud : &b->quiet;
    if (wlab_interrupted(b->own[i].ctx))
        b->code[i] = wlab_fail(&b->err[i], WL_EINTERRUPTED, "interrupted");
    else
        b->code[i] = quad_search_part(&b->own[i], b->part[i], &b->err[i]);
}

/* Takes parts off the stack, but no more than the nodes that are left suffice for; prunes those that hold no better
 * labeling. */
static void take_parts(batch *b, quad_search *s, int64_t nodes)
{
    while (s->waiting && b->parts < MOST &&
           (b->parts == 0 || (b->parts + 1) * nodes <= s->limit - s->nodes)) {
        quad_part *p = quad_pop(s);
        if (p->bound <= s->value + s->tolerance) {
            quad_prune(s, p->bound);
            quad_free_parts(p);
        } else {
            b->part[b->parts++] = p;
        }
    }
}

static wlab_code copy_search(batch *b, const quad_search *s, wlab_err *err)
{
    const size_t n = (size_t)s->B->n;

    b->owner = pthread_self();
    b->loud = s->ctx ? *s->ctx : (wlab_ctx){0};
    b->quiet = wlab_quiet(s->ctx);
    b->loud.pool = b->quiet.pool = NULL;
    for (int i = 0; i < b->parts; i++) {
        quad_search *own = &b->own[i];
        *own = *s;
        own->waiting = NULL;
        own->nodes = own->parts = 0;
        own->limit = (s->limit - s->nodes) / b->parts;
        own->pruned = -HUGE_VAL;
        own->y = wlab_alloc(n, 1);
        own->r = wlab_alloc(n, sizeof *own->r);
    }
    for (int i = 0; i < b->parts; i++) {
        if (!b->own[i].y || !b->own[i].r)
            return wlab_nomem(err);
        memcpy(b->own[i].y, s->y, n);
    }
    return WL_OK;
}

/* The last part first, so that the parts cut from the first one are on top of the stack. */
static void merge(batch *b, quad_search *s)
{
    for (int i = b->parts - 1; i >= 0; i--) {
        quad_search *own = &b->own[i];
        quad_part **end = &own->waiting;
        s->nodes += own->nodes;
        s->parts += own->parts;
        s->cut_short = s->cut_short || own->cut_short;
        quad_prune(s, own->pruned);
        while (*end)
            end = &(*end)->next;
        *end = s->waiting;
        s->waiting = own->waiting;
        own->waiting = NULL;
    }
    for (int i = 0; i < b->parts; i++)
        if (b->own[i].value > s->value) {
            s->value = b->own[i].value;
            memcpy(s->y, b->own[i].y, (size_t)s->B->n);
        }
}

static void clear(batch *b)
{
    for (int i = 0; i < b->parts; i++) {
        quad_free_parts(b->part[i]);
        quad_free_parts(b->own[i].waiting);
        wlab_free(b->own[i].y);
        wlab_free(b->own[i].r);
    }
}

wlab_code quad_batch(quad_search *s, int64_t nodes, wlab_err *err)
{
    wlab_pool *pool = s->ctx ? s->ctx->pool : NULL;
    batch b = {0};

    take_parts(&b, s, nodes);
    if (b.parts == 0)
        return WL_OK;
    wlab_code code = wlab_blas_init(wlab_pool_threads(pool), err);
    code = code ? code : copy_search(&b, s, err);
    if (!code) {
        wlab_pool_run(pool, b.parts, search_one, &b);
        for (int i = b.parts - 1; i >= 0; i--)
            if (b.code[i]) {
                code = b.code[i];
                if (err)
                    *err = b.err[i];
            }
    }
    if (!code) {
        merge(&b, s);
        quad_say(s, quad_open_bound(s));
    }
    clear(&b);
    return code;
}

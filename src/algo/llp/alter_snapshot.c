/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Snapshots of alter-pSVM.  Linear outputs are made again from w, to the same bits; those on a kernel matrix are kept.
 */
#include "algo/llp/alter.h"
#include "base/walk.h"

/* clang-format off */
#define SCALARS(X)                                                                                           \
    X(stage) X(C_now) X(ratio) X(level) X(leader) X(step) X(shown_level) X(flips) X(distinct) X(svms)        \
    X(shown_C) X(objective) X(best) X(inner_gap) X(bag_error) X(lower) X(seconds) X(shown_penalty)           \
    X(shown_rest) X(at_rest) X(finished) X(shown_before) X(raised)
#define RESTART(X)                                                                                           \
    X(b) X(at) X(dual) X(gap) X(objective) X(flips) X(svms) X(same_as) X(moving) X(fresh) X(ready)           \
    X(b_next) X(dual_next) X(gap_next) X(at_next) X(missed) X(missed_next)
/* clang-format on */

static wlab_code walk_scalars(alter *s, wlab_buf *buf, wlab_walk go)
{
    wlab_code code = WL_OK;
    SCALARS(WL_WALK_FIELD)
    return code;
}

static wlab_code walk_restart(const alter *s, alter_restart *r, wlab_buf *buf, wlab_walk go)
{
    const size_t n = (size_t)s->n, dim = (size_t)s->dim;
    wlab_code code = WL_OK;
#define GO(field) code = code ? code : go(buf, &r->field, sizeof r->field);
    RESTART(GO)
#undef GO
    code = code ? code : go(buf, r->y, n);
    code = code ? code : go(buf, r->alpha, n * sizeof *r->alpha);
    code = code ? code : go(buf, r->w, dim * sizeof *r->w);
    if (!code && r->ready)
        code = go(buf, r->w_next, dim * sizeof *r->w_next);
    if (!code)
        code = s->K ? go(buf, r->f, n * sizeof *r->f) : go(buf, r->v, dim * sizeof *r->v);
    return code;
}

static wlab_code walk_all(alter *s, wlab_buf *buf, wlab_walk go)
{
    wlab_code code = walk_scalars(s, buf, go);
    code = code ? code : go(buf, s->shown, (size_t)s->n);
    code = code ? code : go(buf, s->value, (size_t)s->restarts * sizeof *s->value);
    for (int64_t k = 0; !code && k < s->restarts; k++)
        code = walk_restart(s, &s->r[k], buf, go);
    return code;
}

wlab_code alter_snapshot(const void *state, wlab_buf *buf, wlab_err *err)
{
    return walk_all((alter *)state, buf, wlab_walk_put) ? wlab_nomem(err) : WL_OK; /* which only reads it */
}

/* Sizes do not depend on what a snapshot holds, but for w_next: a damaged one may leave the state half read, and then is
 * no state to go on with. */
wlab_code alter_restore(void *state, wlab_buf *buf, wlab_ctx *ctx, wlab_err *err)
{
    alter *s = state;
    if (walk_all(s, buf, wlab_buf_get))
        return wlab_fail(err, WL_EINPUT, "the snapshot is damaged");
    const wlab_dcd d = {.X = s->p->X, .bias = s->kernel.bias};
    for (int64_t k = 0; !s->K && k < s->restarts; k++)
        wlab_dcd_outputs(&d, s->r[k].ready ? s->r[k].w_next : s->r[k].w, s->r[k].f, ctx ? ctx->pool : NULL);
    alter_costs(s);
    return WL_OK;
}

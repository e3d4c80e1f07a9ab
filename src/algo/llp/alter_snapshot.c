/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Snapshots of alter-pSVM.  They hold the outputs f only for a kernel matrix; linear outputs are recomputed from w,
 * to the same bits.
 */
#include "algo/llp/alter.h"
#include "base/walk.h"

/* clang-format off */
#define SCALARS(X)                                                                                           \
    X(stage) X(C_now) X(ratio) X(level) X(leader) X(step) X(shown_level) X(flips) X(distinct) X(svms)        \
    X(shown_C) X(objective) X(best) X(inner_gap) X(bag_error) X(lower) X(seconds) X(shown_penalty)           \
    X(shown_converged) X(converged) X(finished) X(shown_before) X(raised)
#define RESTART(X)                                                                                           \
    X(b) X(at) X(dual) X(gap) X(objective) X(flips) X(svms) X(same_as) X(moving) X(fresh) X(ready)           \
    X(labelled) X(b_next) X(dual_next) X(gap_next) X(at_next) X(missed) X(missed_next)
/* clang-format on */

static void walk_restart(const alter *of, alter_restart *s, wlab_walk *w)
{
    RESTART(WL_WALK_FIELD)
    WL_WALK_ARRAY(w, s->y, of->n);
    WL_WALK_ARRAY(w, s->alpha, of->n);
    WL_WALK_ARRAY(w, s->w, of->dim);
    if (s->ready)
        WL_WALK_ARRAY(w, s->w_next, of->dim);
    if (of->K)
        WL_WALK_ARRAY(w, s->f, of->n);
    else
        WL_WALK_ARRAY(w, s->v, of->dim);
}

void alter_walk(void *state, wlab_walk *w)
{
    alter *s = state;
    SCALARS(WL_WALK_FIELD)
    WL_WALK_ARRAY(w, s->shown, s->n);
    WL_WALK_ARRAY(w, s->value, s->restarts);
    for (int64_t k = 0; k < s->restarts; k++)
        walk_restart(s, &s->r[k], w);
    if (!wlab_walk_has_read(w))
        return;
    const wlab_dcd d = {.X = s->p->X, .bias = s->kernel.bias};
    for (int64_t k = 0; !s->K && k < s->restarts; k++)
        wlab_dcd_outputs(&d, s->r[k].ready ? s->r[k].w_next : s->r[k].w, s->r[k].f,
                         w->ctx ? w->ctx->pool : NULL);
    alter_costs(s);
}

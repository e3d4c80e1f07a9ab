/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes and reads the whole state of WellSVM as bytes, for time travel, fork and recovery.
 */
#include "algo/wellsvm/wellsvm.h"
#include "base/walk.h"

#include <string.h>

/* clang-format off */
#define WELL_SCALARS(X) \
    X(step) X(in_master) X(spread_mu) X(evaluated) X(added) X(tightened) X(finished) X(verdict) X(updates) \
    X(svms) X(stuck) X(slow) X(objective) X(last_objective) X(upper_bound) X(lower_bound) \
    X(inner_gap) X(master_gap) X(violation) X(integer_upper) X(rounded) X(integer_done) \
    X(imbalance) X(flips) X(active) X(pending_known) X(seconds) X(rng) X(at.S) X(at.D) X(at.dual) X(at.primal)
/* clang-format on */

/* Bytes of one row's packed signs. */
static size_t word_bytes(int64_t T)
{
    return (size_t)(T + 31) / 32 * sizeof(uint32_t);
}

void well_walk(void *state, wlab_walk *w)
{
    wellsvm *s = state;
    int64_t T = s->T;
    WL_WALK(w, T);
    if (w->reading && (T < 0 || (size_t)T > wlab_walk_left(w) / ((size_t)s->n / 8 + 32)))
        wlab_walk_damaged(w);
    if (w->code || (w->reading && !wlab_walk_check(w, well_reserve(s, T, w->err))))
        return;
    if (w->reading)
        s->T = T;
    WELL_SCALARS(WL_WALK_FIELD)
    for (int64_t k = 0; k < s->n && s->at_size;
         k++) { /* without the words of labelings that do not exist yet */
        uint32_t *sign = s->sign + k * s->words;
        if (w->reading)
            memset(sign, 0, (size_t)s->words * sizeof *sign);
        wlab_walk_bytes(w, sign, word_bytes(T));
    }
    if (s->y)
        WL_WALK_ARRAY(w, s->y, T * s->n);
    WL_WALK_ARRAY(w, s->mu, T);
    WL_WALK_ARRAY(w, s->G, T);
    WL_WALK_ARRAY(w, s->at.q, T);
    WL_WALK_ARRAY(w, s->own, T);
    WL_WALK_ARRAY(w, s->at.alpha, s->m);
    WL_WALK_ARRAY(w, s->pending, s->n);
    WL_WALK_ARRAY(w, s->before, s->n);
    if (s->spread)
        WL_WALK_ARRAY(w, s->weights, s->p->X->cols + 1);
    if (!s->finish.wanted)
        return;
    WL_WALK(w, s->finish.active);
    WL_WALK(w, s->finish.rounds);
    WL_WALK(w, s->finish.ended);
    WL_WALK(w, s->finish.mixture);
    WL_WALK(w, s->finish.first);
    WL_WALK(w, s->finish.at.S);
    WL_WALK(w, s->finish.at.D);
    WL_WALK(w, s->finish.at.dual);
    WL_WALK(w, s->finish.at.primal);
    if (w->reading && (s->finish.rounds < 0 || s->finish.rounds > WELL_ALTERNATIONS + 1))
        wlab_walk_damaged(w);
    if (w->code)
        return;
    WL_WALK_ARRAY(w, s->finish.seen, s->finish.rounds);
    WL_WALK_ARRAY(w, s->finish.y, s->n);
    WL_WALK_ARRAY(w, s->finish.at.alpha, s->m);
    WL_WALK_ARRAY(w, s->finish.at.q, 1);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * WellSVM's whole state as bytes, and back: time travel, fork and recovery are made of this.
 */
#include "algo/wellsvm.h"

#include <string.h>

#define WELL_SCALARS(X)                                                                                      \
    X(T)                                                                                                     \
    X(curved)                                                                                                \
    X(step)                                                                                                  \
    X(in_master) X(evaluated) X(tightened) X(finished) X(verdict) X(updates) X(svms) X(stuck) X(slow)        \
        X(objective) X(last_objective) X(upper_bound) X(lower_bound) X(inner_gap) X(master_gap) X(violation) \
            X(integer_upper) X(rounded) X(integer_done) X(flips) X(seconds) X(rng) X(at.S) X(at.D)           \
                X(at.dual) X(at.primal)

wlab_code well_snapshot(const void *state, wlab_buf *buf, wlab_err *err)
{
    const wellsvm *s = state;
    size_t T = (size_t)s->T, n = (size_t)s->n, m = (size_t)s->m;
    wlab_code code = WL_OK;
#define PUT(field) code = code ? code : wlab_buf_put(buf, &s->field, sizeof s->field);
    WELL_SCALARS(PUT)
#undef PUT
    struct {
        const void *p;
        size_t bytes;
    } parts[] = {{s->y, T * n},    {s->mu, T * 8},  {s->G, T * 8},
                 {s->at.q, T * 8}, {s->own, T * 8}, {s->at.alpha, m * 8},
                 {s->pending, n},  {s->before, n},  {s->curve, (size_t)(s->curved * s->curved) * 8}};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        code = code ? code : wlab_buf_put(buf, parts[k].p, parts[k].bytes);
    return code ? wlab_nomem(err) : WL_OK;
}

wlab_code well_restore(void *state, wlab_buf *buf, wlab_ctx *ctx, wlab_err *err)
{
    wellsvm *s = state;
    wellsvm to = *s;
    (void)ctx;
    wlab_code code = WL_OK;
#define GET(field) code = code ? code : wlab_buf_get(buf, &to.field, sizeof to.field);
    WELL_SCALARS(GET)
#undef GET
    size_t n = (size_t)s->n, m = (size_t)s->m, left = buf->len - buf->pos;
    if (code || to.T < 0 || (size_t)to.T > left / (n + 32) || to.curved < 0 || to.curved > to.T ||
        left < (size_t)to.T * (n + 32) + 8 * m + 2 * n + (size_t)(to.curved * to.curved) * 8)
        return wlab_fail(err, WL_EINPUT, "the snapshot is damaged");
    if ((code = well_reserve(s, to.T, err)))
        return code;
    size_t T = (size_t)to.T, square = (size_t)(to.curved * to.curved);
    if (square) {
        double *curve = wlab_realloc(s->curve, square, sizeof *curve);
        if (!curve)
            return wlab_nomem(err);
        s->curve = curve;
    }
    to.y = s->y, to.mu = s->mu, to.G = s->G, to.own = s->own, to.cap = s->cap;
    to.at.q = s->at.q, to.curve = s->curve;
    struct {
        void *p;
        size_t bytes;
    } parts[] = {{s->y, T * n},    {s->mu, T * 8},  {s->G, T * 8},
                 {s->at.q, T * 8}, {s->own, T * 8}, {s->at.alpha, m * 8},
                 {s->pending, n},  {s->before, n},  {s->curve, square * 8}};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if ((code = wlab_buf_get(buf, parts[k].p, parts[k].bytes)))
            return code; /* not reached: the length was checked */
    *s = to;
    return WL_OK;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * WellSVM's whole state as bytes, and back: time travel, fork and recovery are made of this.
 */
#include "algo/wellsvm/wellsvm.h"

#include <string.h>

/* clang-format off */
#define WELL_SCALARS(X) \
    X(T) X(step) X(in_master) X(spread_mu) X(evaluated) X(tightened) X(finished) X(verdict) X(updates) \
    X(svms) X(stuck) X(slow) X(objective) X(last_objective) X(upper_bound) X(lower_bound) \
    X(inner_gap) X(master_gap) X(violation) X(integer_upper) X(rounded) X(integer_done) \
    X(imbalance) X(flips) X(seconds) X(rng) X(at.S) X(at.D) X(at.dual) X(at.primal)
/* clang-format on */

/* Of a row's signs. */
static size_t word_bytes(int64_t T)
{
    return (size_t)(T + 31) / 32 * sizeof(uint32_t);
}

wlab_code well_snapshot(const void *state, wlab_buf *buf, wlab_err *err)
{
    const wellsvm *s = state;
    size_t T = (size_t)s->T, n = (size_t)s->n, m = (size_t)s->m;
    wlab_code code = WL_OK;
#define PUT(field) code = code ? code : wlab_buf_put(buf, &s->field, sizeof s->field);
    WELL_SCALARS(PUT)
#undef PUT
    for (int64_t k = 0; k < s->n && s->at_size && !code; k++) /* words of labelings to come are left out */
        code = wlab_buf_put(buf, s->sign + k * s->words, word_bytes(s->T));
    struct {
        const void *p;
        size_t bytes;
    } parts[] = {{s->y, s->y ? T * n : 0}, {s->mu, T * 8},       {s->G, T * 8},   {s->at.q, T * 8},
                 {s->own, T * 8},          {s->at.alpha, m * 8}, {s->pending, n}, {s->before, n}};
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
    const size_t labels = s->at_size ? n * word_bytes(to.T) : (size_t)to.T * n;
    if (code || to.T < 0 || (size_t)to.T > left / (n / 8 + 32) ||
        left < labels + (size_t)to.T * 32 + 8 * m + 2 * n)
        return wlab_fail(err, WL_EINPUT, "the snapshot is damaged");
    if ((code = well_reserve(s, to.T, err)))
        return code;
    size_t T = (size_t)to.T;
    to.y = s->y, to.sign = s->sign, to.words = s->words, to.mu = s->mu, to.G = s->G, to.own = s->own,
    to.cap = s->cap;
    to.at.q = s->at.q;
    for (int64_t k = 0; k < s->n && s->at_size; k++) {
        memset(s->sign + k * s->words, 0, (size_t)s->words * sizeof *s->sign);
        if ((code = wlab_buf_get(buf, s->sign + k * s->words, word_bytes(to.T))))
            return code; /* not reached: the length was checked */
    }
    struct {
        void *p;
        size_t bytes;
    } parts[] = {{s->y, s->y ? T * n : 0}, {s->mu, T * 8},       {s->G, T * 8},   {s->at.q, T * 8},
                 {s->own, T * 8},          {s->at.alpha, m * 8}, {s->pending, n}, {s->before, n}};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if ((code = wlab_buf_get(buf, parts[k].p, parts[k].bytes)))
            return code; /* not reached: the length was checked */
    *s = to;
    return WL_OK;
}

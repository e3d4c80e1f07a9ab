/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Snapshots of the relaxation: the two points, step sizes, multipliers and counters.  Omega and all that follows
 * from it is made anew, to the same bits.
 */
#include "solve/relax/state.h"

#include <math.h>
#include <string.h>

/* One list for all ways, so that they cannot differ. */
typedef enum way {
    WRITE,
    LOOK, /* read the numbers alone, to see whether all is there */
    READ
} way;

typedef struct stream {
    wlab_buf *buf;
    way way;
    wlab_code code;
} stream;

static void pass(stream *t, void *data, size_t len)
{
    if (!t->code)
        t->code = t->way == WRITE ? wlab_buf_put(t->buf, data, len) : wlab_buf_get(t->buf, data, len);
}

static void pass_array(stream *t, double *data, int64_t n)
{
    const size_t len = (size_t)n * sizeof *data;

    if (t->code || t->way != LOOK)
        pass(t, data, len);
    else if (t->buf->len - t->buf->pos < len)
        t->code = WL_EINPUT;
    else
        t->buf->pos += len;
}

static void pass_point(stream *t, const wlab_relax *s, relax_point *p)
{
    pass(t, &p->r, sizeof p->r);
    if (!t->code && (p->r < 1 || p->r > s->nodes))
        t->code = WL_EINPUT;
    if (t->code)
        return;
    pass_array(t, p->V, s->nodes * p->r);
    pass_array(t, p->U, s->d * p->r);
    pass_array(t, p->b, s->groups);
    pass(t, &p->f, sizeof p->f);
    pass(t, &p->low, sizeof p->low);
}

static void pass_all(stream *t, wlab_relax *s)
{
    int64_t shape[] = {s->n, s->d, s->groups, s->nodes, s->block, s->pairs, s->method}, seen[7];
    int32_t phase = (int32_t)s->phase, verdict = (int32_t)s->verdict;

    memcpy(seen, shape, sizeof seen);
    pass(t, seen, sizeof seen);
    if (!t->code && memcmp(seen, shape, sizeof seen) != 0)
        t->code = WL_EINPUT;
    pass(t, &phase, sizeof phase);
    pass(t, &verdict, sizeof verdict);
    pass(t, &s->hard, sizeof s->hard);
    double *reals[] = {&s->lambda,   &s->given,     &s->eps,        &s->t,        &s->best,
                       &s->newest,   &s->L,         &s->momentum,   &s->at.slack, &s->at.violation,
                       &s->at.least, &s->at.spread, &s->at.product, &s->at.rise,  &s->mean.entropy};
    int64_t *counts[] = {&s->outer, &s->inner,   &s->cg,   &s->fits, &s->trials,
                         &s->tried, &s->doubled, &s->idle, &s->wait};
    for (size_t k = 0; k < sizeof reals / sizeof *reals; k++)
        pass(t, reals[k], sizeof *reals[k]);
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
        pass(t, counts[k], sizeof *counts[k]);
    pass_point(t, s, &s->now);
    pass_point(t, s, &s->trial);
    if (t->code)
        return;
    if (s->tied) {
        pass_array(t, s->force, relax_constraints(s));
        pass_array(t, s->mean.mult, s->nodes);
        pass_array(t, s->mean.corner, s->block * s->block);
        pass_array(t, s->mean.mu, s->pairs);
    }
    pass_array(t, s->at.BM, s->d * s->nodes);
    pass_array(t, s->at.mult, s->nodes);
    pass_array(t, s->at.corner, s->block * s->block);
    pass_array(t, s->at.mu, s->pairs);
    pass_array(t, s->mean.BM, s->d * s->nodes);
    pass_array(t, s->before, s->d * s->trial.r);
    pass_array(t, s->before_b, s->groups);
    s->phase = (relax_phase)phase;
    s->verdict = (wlab_relax_verdict)verdict;
}

wlab_code wlab_relax_snapshot(const wlab_relax *s, wlab_buf *buf, wlab_err *err)
{
    stream t = {buf, WRITE, WL_OK};
    wlab_relax copy = *s; /* its members are only read; what they point to is too */
    pass_all(&t, &copy);
    return t.code ? wlab_nomem(err) : WL_OK;
}

wlab_code wlab_relax_restore(wlab_relax *s, wlab_buf *buf, wlab_err *err)
{
    stream look = {buf, LOOK, WL_OK}, t = {buf, READ, WL_OK};
    const size_t begin = buf->pos;
    const double before = s->lambda;
    wlab_relax copy = *s;

    pass_all(&look, &copy);
    buf->pos = begin;
    if (look.code)
        return wlab_fail(err, look.code, "this is no state of the relaxation");
    if (s->square && copy.lambda != before) { /* what may fail comes first */
        s->lambda = copy.lambda;
        const wlab_code code = relax_square_form(s, err);
        s->lambda = before;
        if (code)
            return code;
    }
    pass_all(&t, s);
    s->fresh = s->logged = false;
    return WL_OK;
}

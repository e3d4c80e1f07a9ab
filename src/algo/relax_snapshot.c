/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Snapshots of the relaxation: the two points, step sizes, multipliers and counters.  Omega and all that follows
 * from it is made anew, to the same bits.
 */
#include "algo/relax_state.h"

#include <math.h>
#include <string.h>

/* One list for both ways, so that they cannot differ. */
typedef struct stream {
    wlab_buf *buf;
    bool writing;
    wlab_code code;
} stream;

static void pass(stream *t, void *data, size_t len)
{
    if (!t->code)
        t->code = t->writing ? wlab_buf_put(t->buf, data, len) : wlab_buf_get(t->buf, data, len);
}

static void pass_point(stream *t, const wlab_relax *s, relax_point *p)
{
    pass(t, &p->r, sizeof p->r);
    if (!t->code && (p->r < 1 || p->r > s->nodes))
        t->code = WL_EINPUT;
    if (t->code)
        return;
    pass(t, p->V, (size_t)(s->nodes * p->r) * sizeof *p->V);
    pass(t, p->U, (size_t)(s->d * p->r) * sizeof *p->U);
    pass(t, p->b, (size_t)s->groups * sizeof *p->b);
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
        pass(t, s->force, (size_t)relax_constraints(s) * sizeof *s->force);
        pass(t, s->mean.mult, (size_t)s->nodes * sizeof *s->mean.mult);
        pass(t, s->mean.corner, (size_t)(s->block * s->block) * sizeof *s->mean.corner);
        pass(t, s->mean.mu, (size_t)s->pairs * sizeof *s->mean.mu);
    }
    pass(t, s->at.BM, (size_t)(s->d * s->nodes) * sizeof *s->at.BM);
    pass(t, s->at.mult, (size_t)s->nodes * sizeof *s->at.mult);
    pass(t, s->at.corner, (size_t)(s->block * s->block) * sizeof *s->at.corner);
    pass(t, s->at.mu, (size_t)s->pairs * sizeof *s->at.mu);
    pass(t, s->mean.BM, (size_t)(s->d * s->nodes) * sizeof *s->mean.BM);
    pass(t, s->before, (size_t)(s->d * s->trial.r) * sizeof *s->before);
    pass(t, s->before_b, (size_t)s->groups * sizeof *s->before_b);
    s->phase = (relax_phase)phase;
    s->verdict = (wlab_relax_verdict)verdict;
}

wlab_code wlab_relax_snapshot(const wlab_relax *s, wlab_buf *buf, wlab_err *err)
{
    stream t = {buf, true, WL_OK};
    wlab_relax copy = *s; /* its members are only read; what they point to is too */
    pass_all(&t, &copy);
    return t.code ? wlab_nomem(err) : WL_OK;
}

wlab_code wlab_relax_restore(wlab_relax *s, wlab_buf *buf, wlab_err *err)
{
    stream t = {buf, false, WL_OK};
    const double before = s->lambda;
    pass_all(&t, s);
    s->fresh = s->logged = false;
    if (t.code)
        return wlab_fail(err, t.code, "this is no state of the relaxation");
    if (s->square && s->lambda != before)
        return relax_square_form(s, err);
    return WL_OK;
}

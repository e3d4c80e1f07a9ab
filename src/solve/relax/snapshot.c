/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Snapshots of the relaxation: the point, inside a step also its trial, step sizes, multipliers and counters.  V may be stored
 * as the floats of which it was made.  Omega and everything computed from it is recomputed after a read, with the same bits.
 */
#include "base/walk.h"
#include "solve/relax/state.h"

#include <string.h>

/* How V is stored: not at all, as V, or as the eigenvectors of which it was made and what else it needs. */
enum {
    UNIT,
    DOUBLE,
    SINGLE
};

/* Whether all but the block's rows of V can be stored as floats: the eigenvectors of which they were made. */
static bool has_floats(const wlab_relax *s, const relax_point *p)
{
    return p->single && s->pairs == 0;
}

/* Row i of V = Diag(1 / length) W' Diag(f) as column i of W.  Division and multiplication err by less than half of the
 * distance of two floats, so the column is the one of which V was made, and gives V's bits again. */
static void walk_floats(relax_point *p, int64_t i, float *column, wlab_walk *w)
{
    double *v = p->V + i * p->r;

    for (int64_t j = 0; j < p->r && !w->reading; j++)
        column[j] = (float)(v[j] * p->length[i] / p->f_of[j]);
    WL_WALK_ARRAY(w, column, p->r);
    for (int64_t j = 0; j < p->r && wlab_walk_has_read(w); j++)
        v[j] = p->f_of[j] * (double)column[j] / p->length[i];
}

/* copy: V is that of another point. */
static void walk_point(const wlab_relax *s, relax_point *p, bool copy, wlab_walk *w)
{
    int64_t r = p->r;
    uint8_t kind = p->unit ? UNIT : p->single ? SINGLE : DOUBLE;

    WL_WALK(w, r);
    WL_WALK(w, kind);
    if (w->reading &&
        (r < 1 || r > s->nodes || kind > SINGLE || (kind == UNIT && (r != s->nodes || s->pairs > 0)) ||
         (kind == SINGLE && (s->nodes < RELAX_SINGLE || s->tied))))
        wlab_walk_damaged(w);
    if (w->code)
        return;
    if (w->reading) {
        p->r = r;
        p->unit = kind == UNIT;
        p->single = false; /* until all that it needs is there */
    }
    WL_WALK(w, p->spread);
    if (kind == SINGLE) {
        WL_WALK_ARRAY(w, p->f_of, r);
        WL_WALK_ARRAY(w, p->length, s->nodes);
        WL_WALK_ARRAY(w, p->root, s->block * s->block);
        if (wlab_walk_has_read(w))
            p->single = true;
    }
    if (p->unit && wlab_walk_has_read(w)) {
        relax_unit(s, p);
    } else if (!p->unit && !copy && !has_floats(s, p)) {
        WL_WALK_ARRAY(w, p->V, s->nodes * r);
    } else if (!p->unit && !copy) {
        WL_WALK_ARRAY(w, p->V, s->block * r);
        for (int64_t i = s->block; i < s->nodes; i++)
            walk_floats(p, i, (float *)(void *)s->e, w);
    }
    WL_WALK_ARRAY(w, p->U, s->d * r);
    WL_WALK_ARRAY(w, p->b, s->groups);
    WL_WALK(w, p->f);
    WL_WALK(w, p->low);
}

/* lambda and, for the square loss, its quadratic form.  This may fail when it is read, so it comes first. */
static void walk_lambda(wlab_relax *s, wlab_walk *w)
{
    const double before = s->lambda;
    double lambda = before;

    WL_WALK(w, lambda);
    if (!wlab_walk_has_read(w))
        return;
    s->lambda = lambda;
    if (s->square && lambda != before && !wlab_walk_check(w, relax_square_form(s, NULL, w->err)))
        s->lambda = before;
}

void wlab_relax_walk(void *relax, wlab_walk *w)
{
    wlab_relax *s = relax;
    const int64_t shape[] = {s->n, s->d, s->groups, s->nodes, s->block, s->pairs, s->method};
    int64_t stored[7];
    int32_t phase = (int32_t)s->phase, verdict = (int32_t)s->verdict;

    memcpy(stored, shape, sizeof stored);
    WL_WALK(w, stored);
    if (memcmp(stored, shape, sizeof stored) != 0)
        wlab_walk_damaged(w);
    walk_lambda(s, w);
    WL_WALK(w, phase);
    WL_WALK(w, verdict);
    WL_WALK(w, s->hard);
    WL_WALK(w, s->counts);
    WL_WALK(w, s->exact);
    WL_WALK(w, s->accepted);
    WL_WALK(w, s->waiting);
    if (s->accepted)
        WL_WALK(w, s->L_before);
    double *reals[] = {&s->given,     &s->eps,        &s->t,        &s->best,         &s->newest,
                       &s->L,         &s->momentum,   &s->at.slack, &s->at.violation, &s->at.least,
                       &s->at.spread, &s->at.product, &s->at.rise,  &s->mean.entropy};
    int64_t *counts[] = {&s->outer, &s->tried, &s->doubled, &s->idle, &s->wait};
    for (size_t k = 0; k < sizeof reals / sizeof *reals; k++)
        WL_WALK(w, *reals[k]);
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
        WL_WALK(w, *counts[k]);
    const bool begins = phase == RELAX_BEGIN;
    walk_point(s, &s->now, false, w);
    if (phase != RELAX_NEXT) /* else a new trial is computed first */
        walk_point(s, &s->trial, begins, w);
    if (begins && wlab_walk_has_read(w))
        memcpy(s->trial.V, s->now.V, (size_t)(s->nodes * s->now.r) * sizeof(double));
    if (s->tied) {
        WL_WALK_ARRAY(w, s->force, relax_constraints(s));
        WL_WALK_ARRAY(w, s->mean.mult, s->nodes);
        WL_WALK_ARRAY(w, s->mean.corner, s->block * s->block);
        WL_WALK_ARRAY(w, s->mean.mu, s->pairs);
    }
    int64_t known = s->known;
    WL_WALK(w, known);
    if (known < 0 || known > s->nodes)
        wlab_walk_damaged(w);
    if (wlab_walk_has_read(w))
        s->known = known;
    if (known > 0)
        WL_WALK_ARRAY(w, s->spectrum, known);
    else if (wlab_walk_has_read(w))
        memset(s->spectrum, 0, (size_t)s->nodes * sizeof *s->spectrum);
    WL_WALK_ARRAY(w, s->at.BM, s->d * s->nodes);
    WL_WALK_ARRAY(w, s->at.mult, s->nodes);
    WL_WALK_ARRAY(w, s->at.corner, s->block * s->block);
    WL_WALK_ARRAY(w, s->at.mu, s->pairs);
    WL_WALK_ARRAY(w, s->mean.BM, s->d * s->nodes);
    if (phase != RELAX_NEXT) {
        WL_WALK_ARRAY(w, s->before, s->d * s->trial.r);
        WL_WALK_ARRAY(w, s->before_b, s->groups);
    }
    if (!wlab_walk_has_read(w))
        return;
    s->phase = (relax_phase)phase;
    s->verdict = (wlab_relax_verdict)verdict;
    s->fresh = s->logged = false;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The labels' half of an alternation of alter-pSVM: Eq. 7, solved exactly bag by bag (Proposition 1); and the initial
 * labels.
 */
#include "algo/llp/alter.h"
#include "algo/other.h"

#include <math.h>
#include <string.h>

/* ---- initial labels ---- */

/* As in the paper, a fair coin decides every free label; with start=bags, a draw from the label set. */
void alter_draw_labels(alter *s, int64_t k)
{
    wlab_rng rng;
    wlab_rng_seed(&rng, s->seed * 1000003 + (uint64_t)k);
    if (s->start == ALTER_BAGS) {
        wlab_labelset_random(s->p->labels, &rng, s->r[k].y);
        return;
    }
    for (int64_t i = 0; i < s->n; i++) {
        const bool positive = wlab_rng_next(&rng) >> 63;
        s->r[k].y[i] = s->p->visible[i] ? s->p->visible[i] : positive ? 1 : -1;
    }
}

/* By how much the hinge loss of a row with output f falls when its label changes from -1 to +1, at cost 1. */
static double positive_gain(double f)
{
    return (f > -1 ? 1 + f : 0) - (f < 1 ? 1 - f : 0);
}

/* Gives restart 0 the best labels for another algorithm's predictor at the final C. */
static wlab_code label_by_other(alter *s, const char *name, wlab_ctx *ctx, wlab_err *err)
{
    /* settings that mean the same in the other algorithm */
    static const char *const same[] = {"kernel", "gamma", "sigma", "degree", "coef0",
                                       "graph",  "rho",   "C",     "Cp",     NULL};
    double *f = wlab_alloc((size_t)s->n, sizeof *f);
    wlab_code code = f ? wlab_other_outputs(s->p, name, s->given, same, f, ctx, err) : wlab_nomem(err);
    for (int64_t i = 0; !code && i < s->n; i++)
        f[i] = s->C * positive_gain(f[i]);
    if (!code)
        code = wlab_proportions_label(s->bags, &s->loss, f, s->r[0].y, NULL, ctx ? ctx->pool : NULL, err);
    wlab_free(f);
    return code;
}

wlab_code alter_initial_labels(alter *s, wlab_ctx *ctx, wlab_err *err)
{
    int64_t k = 0;
    if (s->start == ALTER_INVCAL || s->start == ALTER_CONV) {
        wlab_code code = label_by_other(s, s->start == ALTER_CONV ? "conv-psvm" : "invcal", ctx, err);
        if (code)
            return code;
        memcpy(s->shown, s->r[0].y, (size_t)s->n);
        k = 1;
    }
    for (; k < s->restarts; k++) {
        if (wlab_interrupted(ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        alter_draw_labels(s, k);
    }
    for (k = 0; k < s->restarts; k++) {
        alter_restart *r = &s->r[k];
        r->at = (alter_value){.penalty = wlab_proportions_penalty(s->bags, &s->loss, r->y)};
        for (int64_t i = 0; i < s->n; i++) /* w = 0 */
            *(s->p->visible[i] ? &r->at.known : &r->at.free) += 1;
    }
    return WL_OK;
}

/* ---- an alternation ---- */

static double hinge(double margin)
{
    return margin < 1 ? 1 - margin : 0;
}

/* Changes the label of row i to `to`.  The row's alpha becomes 0 if the row is outside the margin of its new label,
 * else the row's cost. */
static void flip(alter *s, alter_restart *r, int64_t i, int8_t to)
{
    const double cap = to * r->f[i] < 1 ? s->cost[i] : 0;
    if (s->K) {
        r->alpha[i] = to * cap;
    } else {
        const double by = to * cap - r->y[i] * r->alpha[i];
        wlab_matrix_row_axpy(s->p->X, i, by, r->v);
        r->v[s->dim - 1] += s->kernel.bias * by;
        r->alpha[i] = cap;
    }
    r->y[i] = to;
}

static wlab_code label_restart(alter *s, int64_t k, alter_work *work, wlab_ctx *ctx, wlab_progress *progress,
                               wlab_err *err)
{
    alter_restart *r = &s->r[k];
    const double before = alter_objective(s, &r->at), start = r->objective;
    double *gain = work->f;
    if (r->labelled)
        return WL_OK;
    if (wlab_interrupted(ctx))
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    for (int64_t i = 0; i < s->n; i++)
        gain[i] = s->C_now * positive_gain(r->f[i]);
    wlab_code code =
        wlab_proportions_label(s->bags, &s->loss, gain, work->y, work->rank, ctx ? ctx->pool : NULL, err);
    if (code)
        return code;
    alter_value at = r->at;
    at.free = 0;
    at.penalty = wlab_proportions_penalty(s->bags, &s->loss, work->y);
    for (int64_t i = 0; i < s->n; i++)
        if (!s->p->visible[i])
            at.free += hinge(work->y[i] * r->f[i]);
    r->flips = 0;
    if (alter_objective(s, &at) < before) { /* else equal up to rounding: keep the labels */
        for (int64_t i = 0; i < s->n; i++)
            if (work->y[i] != r->y[i]) {
                flip(s, r, i, work->y[i]);
                r->flips++;
            }
        r->at = at;
    }
    r->objective = alter_objective(s, &r->at);
    r->labelled = true;
    r->moving = r->flips > 0 && start - r->objective > s->decrease * fabs(r->objective);
    wlab_progress_add(progress, 1);
    return WL_OK;
}

wlab_code alter_label(alter *s, wlab_ctx *ctx, wlab_err *err)
{
    const wlab_code code = alter_each(s, label_restart, "restarts", ctx, err);
    for (int64_t k = 0; !code && k < s->restarts; k++)
        s->r[k].labelled = false;
    return code;
}

void alter_merge(alter *s)
{
    for (int64_t k = 0; k < s->restarts; k++) {
        alter_restart *r = &s->r[k];
        s->merging[k] = (wlab_restart){r->y, r->objective, &r->same_as, &r->moving};
    }
    s->distinct =
        wlab_restarts_merge(s->merging, s->restarts, s->n, (int64_t)(s->merge * (double)s->n), false);
}

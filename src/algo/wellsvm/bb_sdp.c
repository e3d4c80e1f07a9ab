/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Branch and bound: the bound of a node by a semidefinite program over outputs (solve/mmc/outputs.h), in rounds of cuts.
 *
 * It holds for the squared hinge loss, and for the sum-to-one loss, whose objective -1/(4 J) grows with the J of the same
 * costs.  The program knows the labels that the node has decided, and of the prescribed counts only what two linear
 * conditions on the outputs say; a relaxation without the counts is below one with them, so the bound holds for the node's
 * labelings.  Branching brings the counts back: wlab_labelset_restrict decides the other labels of a group whose count is
 * used up.
 *
 * The box holds for labelings whose objective is at most that of the incumbent.  So where it decides labels,
 * the labelings that are left out have a larger objective than that incumbent (or a later, better one).
 */
#include "algo/wellsvm/bb.h"

#include <float.h>
#include <string.h>

enum {
    ROUNDS = 30,
    MOST_ROWS = 300
};
/* A round ends when its bound can gain at most this fraction of what it lacks; less at the root, whose bound is displayed. */
#define CLOSE      0.03
#define CLOSE_ROOT 0.001

wlab_code bb_sdp_check(const bb_state *s, wlab_err *err)
{
    const wlab_labelset *B = s->w.p->labels;
    bool signs = well_one_to_one(&s->w);
    if (s->bound != BB_BOUND_SDP)
        return WL_OK;
    if (s->w.loss == WELL_HINGE)
        return wlab_fail(
            err, WL_EARG,
            "bound=sdp needs a squared loss, because only its SVM is a quadratic form of the outputs; add "
            "loss=squared-hinge (or sum-to-one), or use bound=relaxation");
    for (int64_t k = 0; k < B->n; k++)
        signs = signs && (B->group[k] < 0 ? B->fixed[k] != 0 : B->low[B->group[k]] != 0);
    if (!signs)
        return wlab_fail(
            err, WL_EARG,
            "bound=sdp needs a label +1 or -1 for every row, but this task selects rows of bags; use "
            "labels=instances in `task %s`, or bound=relaxation",
            s->w.p->task->name);
    if (s->w.n > MOST_ROWS)
        return wlab_fail(
            err, WL_EARG,
            "bound=sdp allows at most %d rows, but there are %lld (its program has several conditions for "
            "each); use bound=relaxation, or fewer rows (`split`)",
            MOST_ROWS, (long long)s->w.n);
    return WL_OK;
}

void bb_sdp_clear(bb_sdp *p)
{
    wlab_outputs_destroy(p->at);
    wlab_free(p->known);
    p->at = NULL;
    p->known = NULL;
    p->count = 0;
}

/* The value of the box QP whose value in the scale of the objective is `value`. */
static double unscaled(const wellsvm *w, double value)
{
    return w->loss == WELL_SUM_TO_ONE ? -1 / (4 * value) : value;
}

/* The level of a program for labelings up to the objective `upper`. */
static double level_of(const wellsvm *w, double upper)
{
    return unscaled(w, upper) * (1 + 8 * DBL_EPSILON);
}

wlab_code bb_sdp_create(const bb_state *s, const wlab_labelset *B, const double *alpha, bool plain, bb_sdp *p,
                        wlab_err *err)
{
    const double level = level_of(&s->w, p->level);
    return wlab_outputs_create(&p->at, s->form, B, alpha, level, plain, err);
}

wlab_code bb_sdp_begin(bb_state *s, const bb_node *node, bb_outcome *out, wlab_ctx *ctx, wlab_err *err)
{
    wellsvm *w = &s->w;
    double q = 0;
    well_point at = {.q = &q};
    const int64_t svms = w->svms;
    bool any = false;
    int8_t *y = wlab_alloc((size_t)w->n, 1);
    wlab_code code = WL_OK;
    at.alpha = wlab_calloc((size_t)w->m, sizeof *at.alpha);
    if (!y || !at.alpha)
        code = wlab_nomem(err);
    if (!code)
        code = well_labelled_solve(w, 1e-10, y, &at, &any, ctx, err);
    w->svms = svms;
    out->sdp.level = s->upper;
    if (!code)
        code = bb_sdp_create(s, w->p->labels, any ? at.alpha : NULL, node->depth == 0, &out->sdp, err);
    out->sdp.bound = out->sdp.base = out->sdp.root = NAN;
    out->sdp.width = NAN;
    if (!code)
        out->sdp.width = wlab_outputs_get(out->sdp.at).width;
    out->end = BB_OPEN;
    wlab_free(y);
    wlab_free(at.alpha);
    return code;
}

/* Copies the program, so that a failure loses nothing. */
static wlab_code copy(const bb_sdp *from, bb_sdp *to, wlab_err *err)
{
    *to = *from;
    to->at = wlab_outputs_copy(from->at);
    to->known = wlab_alloc((size_t)from->count + 1, sizeof *to->known);
    if (!to->at || !to->known)
        return wlab_nomem(err);
    memcpy(to->known, from->known, (size_t)from->count * sizeof *to->known);
    return WL_OK;
}

/* Rounds x into the node's labelings, and trains the SVM of the result. */
static wlab_code round_outputs(bb_state *s, const wlab_outputs *p, wlab_ctx *ctx, wlab_err *err)
{
    int64_t at = 0;
    int8_t *y = wlab_alloc((size_t)s->w.n, 1);
    wlab_code code =
        y ? wlab_labelset_argmax(s->w.p->labels, wlab_outputs_x(p), s->y + s->best * s->w.n, y, err)
          : wlab_nomem(err);
    if (!code)
        code = bb_try(s, y, &at, ctx, err);
    wlab_free(y);
    return code;
}

/* Whether the box of row i has only one label. */
static bool settled(const wlab_outputs *p, int64_t i)
{
    return wlab_outputs_lo(p)[i] >= 1 || wlab_outputs_hi(p)[i] <= -1;
}

/* The instance to branch on, or -1: if the program's bound is the larger one, that with the largest X_jj - x_j^2, about which X
 * is least decided; else that of the relaxation. */
static int64_t branching_instance(const bb_state *s, const bb_sdp *p)
{
    const wlab_labelset *B = s->w.p->labels;
    int64_t k = -1;
    if (p->bound < p->relaxed && !settled(p->at, p->pick))
        return p->pick;
    for (int64_t i = 0; i < s->w.n; i++)
        if (B->group[i] >= 0 && !settled(p->at, i) &&
            (k < 0 || wlab_outputs_spread(p->at, i) > wlab_outputs_spread(p->at, k)))
            k = i;
    return k;
}

/* Splits the node, without the labelings that the box has left out. */
static wlab_code split(bb_state *s, const bb_node *node, bb_outcome *out, wlab_err *err)
{
    const wlab_labelset *B = s->w.p->labels;
    const bb_sdp *p = &out->sdp;
    const int64_t k = s->last_pick = branching_instance(s, p);
    wlab_code code;
    int8_t *decided = wlab_alloc((size_t)s->w.n, 1);
    if (!decided)
        return wlab_nomem(err);
    memcpy(decided, node->decided, (size_t)s->w.n);
    for (int64_t i = 0; i < s->w.n; i++)
        if (B->group[i] >= 0 && settled(p->at, i)) {
            decided[i] = wlab_outputs_lo(p->at)[i] >= 1 ? 1 : -1;
            out->left_out = p->level;
        }
    s->by_spread = k != p->pick;
    out->end = BB_BRANCHED;
    code = bb_branch(s, node, decided, p->known, p->count, k, 1, &out->child[0], err);
    if (!code && k >= 0)
        code = bb_branch(s, node, decided, p->known, p->count, k, -1, &out->child[1], err);
    for (int c = 0; c < 2; c++)
        if (out->child[c])
            out->child[c]->relax_only = p->bound < p->relaxed && p->decided == 0;
    wlab_free(decided);
    return code;
}

/* Whether the program is given up: rounds that all gain what the last one did would not close the node.  At the root, whose
 * bound is displayed, only if a round gains nearly nothing. */
static bool hopeless(const bb_node *node, const wlab_outputs_numbers *v, double gain, double goal)
{
    if (v->rounds > ROUNDS)
        return true;
    if (v->rounds < 2)
        return false;
    return node->depth == 0 ? gain < 1e-4 * goal : gain * (double)(ROUNDS + 1 - v->rounds) < goal - v->bound;
}

wlab_code bb_sdp_round(bb_state *s, const bb_node *node, bb_outcome *out, wlab_ctx *ctx, wlab_err *err)
{
    const double goal = unscaled(&s->w, bb_prune_threshold(s)), exact = 1e-7 * goal;
    bb_sdp *p = &out->sdp;
    int64_t added = 1;
    wlab_code code = copy(&s->sdp, p, err);
    if (code)
        return code;
    p->level = fmin(p->level, s->upper);
    wlab_outputs_lower_level(p->at, level_of(&s->w, p->level));
    const wlab_outputs_numbers before = wlab_outputs_get(p->at);
    const bool first = before.rounds == 0;
    if (!first && (code = wlab_outputs_cut(p->at, &added, err)))
        return code;
    /* the first round of the root shows the bound without cuts, and a round without new ones ends the program */
    const double tolerance =
        (first && node->depth == 0) || added == 0
            ? exact
            : fmax(exact, (node->depth == 0 ? CLOSE_ROOT : CLOSE) * (goal - before.bound));
    if ((added || node->depth == 0) && (code = wlab_outputs_round(p->at, tolerance, goal, ctx, err)))
        return code;
    const wlab_outputs_numbers v = wlab_outputs_get(p->at);
    const double value = well_scaled(&s->w, v.bound), lower = value - 4 * DBL_EPSILON * fabs(value);
    p->bound = lower;
    p->rounds = v.rounds, p->rlt = v.count[WL_RLT], p->secant = v.count[WL_SECANT];
    p->width = v.width, p->decided = v.decided;
    if (node->depth == 0) {
        p->root = lower;
        p->base = first ? lower : s->sdp.base;
    }
    out->lower = fmax(p->relaxed, lower);
    out->end = BB_OPEN;
    if (!(v.bound >= goal) && (code = round_outputs(s, p->at, ctx, err)))
        return code;
    if (out->lower >= bb_prune_threshold(s))
        out->end = BB_SDP;
    else if (added == 0 || hopeless(node, &v, v.bound - before.bound, goal))
        code = split(s, node, out, err);
    if (out->end != BB_OPEN)
        bb_sdp_clear(p);
    return code;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Branch and bound: certified lower bounds of the objectives of a node's labelings B'.
 *
 * Every feasible alpha gives a bound: min over y in B' of G(alpha, y) >= 1'alpha - M/2 - 1/2 sum_i delta_i alpha_i^2,
 * with M >= max over B' of y'Hy.  Two such alphas are tried.  The first is that of the SVM on the examples whose
 * instances are all decided (0 elsewhere); it needs no M.  The second is that of WellSVM's relaxation over B', solved
 * as in WellSVM by adding violated labelings, with M from quadmax.h.  An SVM is trained on each of these labelings,
 * which may become the incumbent.  With bound=sdp, a node that both leave open is bounded in bb_sdp.c.
 */
#include "algo/wellsvm/bb.h"

#include <string.h>

enum {
    ROUNDS = 100,   /* labelings added at a node, at most */
    INHERITED = 40, /* labelings that a child inherits, at most */
    SEARCH_NODES = 2000
};

/* Adds y to the working set of the relaxation. */
static wlab_code add_labeling(wellsvm *w, const int8_t *y, wlab_err *err)
{
    wlab_code code = well_reserve(w, w->T + 1, err);
    if (code)
        return code;
    memcpy(w->y + w->T * w->n, y, (size_t)w->n);
    w->mu[w->T] = w->T == 0 ? 1 : 0;
    w->at.q[w->T] = w->G[w->T] = 0;
    w->own[w->T] = NAN;
    w->T++;
    w->evaluated = false;
    return WL_OK;
}

static wlab_code solve_master(wellsvm *w, wlab_ctx *ctx, wlab_err *err)
{
    bool done = false;
    wlab_code code = WL_OK;
    w->updates = w->stuck = 0;
    w->evaluated = false;
    while (!code && !done) {
        if (wlab_interrupted(ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        code = well_master_update(w, w->master_tol, &done, ctx, err);
    }
    return code;
}

static void raise_lower(bb_outcome *out, double lower)
{
    if (lower > out->lower)
        out->lower = lower;
}

/* Sets up the working set: the labelings inherited from the parent, or WellSVM's first labeling. */
static wlab_code begin_relaxation(bb_state *s, const bb_node *node, wlab_ctx *ctx, wlab_err *err)
{
    wellsvm *w = &s->w;
    wlab_code code = WL_OK;
    w->T = 0;
    w->objective = w->last_objective = NAN;
    w->upper_bound = NAN;
    memset(w->at.alpha, 0, (size_t)w->m * sizeof *w->at.alpha);
    wlab_rng_seed(&w->rng, s->seed ^ (0x9e3779b97f4a7c15u * (uint64_t)(node->number + 1)));
    for (int32_t t = 0; t < node->T && !code; t++)
        code = add_labeling(w, s->y + (int64_t)node->known[t] * w->n, err);
    if (code || w->T > 0) {
        for (int64_t t = 0; t < w->T; t++)
            w->mu[t] = 1 / (double)w->T;
        return code;
    }
    int64_t at = 0;
    if ((code = well_start(w, ctx, err)) || (code = bb_try(s, w->pending, &at, ctx, err)))
        return code;
    return add_labeling(w, s->y + at * w->n, err);
}

/* Solves the relaxation over B' as long as it may still close the node; raises out->lower to its bound. */
static wlab_code relax(bb_state *s, const bb_node *node, bb_outcome *out, wlab_ctx *ctx, wlab_err *err)
{
    wellsvm *w = &s->w;
    wlab_code code = begin_relaxation(s, node, ctx, err);
    int8_t *y = wlab_alloc((size_t)w->n, 1);
    if (!code && !y)
        code = wlab_nomem(err);
    for (int round = 0; round < ROUNDS && !code; round++) {
        well_found found = {.y = y};
        int64_t at = 0;
        double M = HUGE_VAL;
        if ((code = solve_master(w, ctx, err)))
            break;
        /* an upper bound of the relaxation is below the pruning threshold, so the relaxation cannot close the node;
         * continue only at the root, whose bound is displayed */
        if (node->depth > 0 && well_upper(w, &w->at) + well_rounding(w, &w->at) < bb_prune_threshold(s)) {
            if (!(code = well_diagonal_bound(w, w->at.alpha, &M, ctx, err)))
                raise_lower(out, well_lower_from(w, &w->at, M) - well_rounding(w, &w->at));
            break;
        }
        double least = HUGE_VAL, tolerance = 1e-9 * fabs(w->objective);
        for (int64_t t = 0; t < w->T; t++)
            least = w->G[t] < least ? w->G[t] : least;
        w->search = WELL_MULTISTART;
        if ((code = well_search_run(w, &found, ctx, err)))
            break;
        if (found.known ||
            !(least - well_G(w, &w->at, found.q) > tolerance)) { /* confirm by the exact search */
            w->search = WELL_EXACT;
            if ((code = well_search_run(w, &found, ctx, err)))
                break;
            raise_lower(out, well_lower_from(w, &w->at, found.M) - well_rounding(w, &w->at));
            if (out->lower >= bb_prune_threshold(s) || found.known ||
                !(least - well_G(w, &w->at, found.q) > tolerance))
                break;
        }
        if ((code = bb_try(s, y, &at, ctx, err)) || (code = add_labeling(w, y, err)))
            break;
    }
    wlab_free(y);
    return code;
}

/* The instance to branch on: the free one on which the relaxation's labelings disagree most, weighted by alpha
 * sqrt(K_kk) of the instance. */
static int64_t branching_instance(const wellsvm *w)
{
    const wlab_labelset *B = w->p->labels;
    int64_t best = -1;
    double most = -1;
    for (int64_t g = 0; g < B->groups; g++)
        for (int64_t u = B->start[g]; u < B->start[g + 1]; u++) {
            int64_t k = B->member[u];
            double mean = 0, a = w->at.alpha[w->p->example[k]];
            for (int64_t t = 0; t < w->T; t++)
                mean += w->mu[t] * (well_labeling(w, t)[k] > 0);
            /* with the term 1e-6 the instance with the largest weight is selected if the labelings agree on all */
            double score = a * sqrt(w->K[k * w->n + k]) * (mean * (1 - mean) + 1e-6);
            if (score > most || (score == most && k < best)) {
                most = score;
                best = k;
            }
        }
    return best;
}

wlab_code bb_branch(bb_state *s, const bb_node *node, const int8_t *decided, const int32_t *known,
                    int64_t count, int64_t k, int8_t v, bb_node **out, wlab_err *err)
{
    const int64_t n = s->w.n;
    wlab_labelset *set = NULL;
    wlab_code code;
    bb_node *child = bb_node_create(s, node, INHERITED);
    *out = NULL;
    if (!child)
        return wlab_nomem(err);
    memcpy(child->decided, decided, (size_t)n);
    if (k >= 0)
        child->decided[k] = v;
    code = wlab_labelset_restrict(&set, s->w.p->labels, child->decided, err);
    if (code || !set) {
        bb_node_free(child);
        return code;
    }
    for (int64_t t = 0; t < count && child->T < INHERITED; t++)
        if (wlab_labelset_contains(set, s->y + known[t] * n))
            child->known[child->T++] = known[t];
    wlab_labelset_destroy(set);
    child->relax_only = node->relax_only;
    *out = child;
    return WL_OK;
}

/* *known [*count]: the pool's indices of the labelings of the relaxation, first those with mu > 0, the newest first. */
static wlab_code list_known(const bb_state *s, int32_t **known, int64_t *count, wlab_err *err)
{
    const wellsvm *w = &s->w;
    *count = 0;
    if (!(*known = wlab_alloc((size_t)w->T + 1, sizeof **known)))
        return wlab_nomem(err);
    for (int pass = 0; pass < 2; pass++)
        for (int64_t t = w->T - 1; t >= 0; t--) {
            if ((w->mu[t] > 0) != (pass == 0))
                continue;
            for (int64_t p = s->count - 1; p >= 0; p--)
                if (memcmp(s->y + p * w->n, well_labeling(w, t), (size_t)w->n) == 0) {
                    (*known)[(*count)++] = (int32_t)p;
                    break;
                }
        }
    return WL_OK;
}

/* Closes a node without free instances: it holds a single labeling. */
static wlab_code close_single(bb_state *s, bb_outcome *out, wlab_ctx *ctx, wlab_err *err)
{
    int64_t at = 0;
    wlab_code code = bb_try(s, s->w.p->labels->fixed, &at, ctx, err);
    out->end = BB_SOLVED;
    if (!code)
        raise_lower(out, s->floor[at]);
    return code;
}

static wlab_code split(bb_state *s, const bb_node *node, bb_outcome *out, wlab_err *err)
{
    const wlab_labelset *B = s->w.p->labels;
    const int64_t k = s->last_pick = branching_instance(&s->w);
    int32_t *known = NULL;
    int64_t count = 0;
    wlab_code code = list_known(s, &known, &count, err);
    s->by_spread = false;
    out->end = BB_BRANCHED;
    if (!code && !(code = bb_branch(s, node, node->decided, known, count, k, 1, &out->child[0], err)))
        code = bb_branch(s, node, node->decided, known, count, k, B->low[B->group[k]], &out->child[1], err);
    wlab_free(known);
    return code;
}

static wlab_code bound_in_view(bb_state *s, const bb_node *node, bb_outcome *out, wlab_ctx *ctx,
                               wlab_err *err)
{
    wellsvm *w = &s->w;
    wlab_code code;
    double lower = -HUGE_VAL;
    if (s->sdp.at)
        return bb_sdp_round(s, node, out, ctx, err);
    s->last_pick = -1;
    if (w->p->labels->groups == 0)
        return close_single(s, out, ctx, err);
    out->end = BB_SVM;
    if ((code = well_labelled_bound(w, &lower, ctx, err)))
        return code;
    raise_lower(out, lower);
    if (out->lower >= bb_prune_threshold(s))
        return WL_OK;
    out->end = BB_RELAXED;
    if ((code = relax(s, node, out, ctx, err)))
        return code;
    if (node->depth == 0)
        s->root = out->lower;
    if (out->lower >= bb_prune_threshold(s))
        return WL_OK;
    /* an incumbent whose objective has the wrong sign, by rounding, says nothing about the outputs */
    const bool level = w->loss == WELL_SUM_TO_ONE ? s->upper < 0 : s->upper > 0;
    if (s->bound == BB_BOUND_RELAXATION || node->relax_only || !level)
        return split(s, node, out, err);
    out->sdp.relaxed = out->lower;
    out->sdp.pick = branching_instance(w);
    if ((code = list_known(s, &out->sdp.known, &out->sdp.count, err)))
        return code;
    return bb_sdp_begin(s, node, out, ctx, err);
}

wlab_code bb_node_unit(bb_state *s, const bb_node *node, bb_outcome *out, wlab_ctx *ctx, wlab_err *err)
{
    wlab_problem *real = s->w.p;
    wlab_labelset *set = NULL;
    wlab_code code = wlab_labelset_restrict(&set, real->labels, node->decided, err);
    *out = (bb_outcome){.lower = node->lower, .left_out = HUGE_VAL};
    if (code)
        return code;
    s->view = *real;
    s->view.labels = set;
    s->w.p = &s->view;
    s->w.eps = s->eps;
    s->w.max_nodes = SEARCH_NODES;
    code = bound_in_view(s, node, out, ctx, err);
    s->w.p = real;
    wlab_labelset_destroy(set);
    if (code)
        bb_outcome_clear(out);
    return code;
}

void bb_outcome_clear(bb_outcome *out)
{
    for (int c = 0; c < 2; c++) {
        bb_node_free(out->child[c]);
        out->child[c] = NULL;
    }
    bb_sdp_clear(&out->sdp);
}

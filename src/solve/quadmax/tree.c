/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Depth-first branch and bound on a part of the label set: a node decides a label or halves the range of a group's
 * count.
 */
#include "solve/quadmax/quadmax.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    CHECK_EVERY = 64, /* nodes between two checks of the interrupt and progress reports */
    PRECISE =
        1000 /* nodes of a search whose z, which is rounded to a labeling, is worth more than their time */
};

typedef struct level {
    int64_t k;    /* the node to decide, or -1 - g: the count of group g */
    int64_t most; /* for a count: the children have at most `most`, or more */
    int8_t sign;  /* of the first child; for a count -1 means "at most" */
    bool second;  /* the second child is being searched */
    double bound;
} level;

typedef struct tree {
    quad_search *s;
    quad_relax relax;
    quad_node *node; /* [depths] */
    level *level;    /* [depths] */
    int64_t depth, depths;
} tree;

/* The largest depth: each level decides a node or halves the range of a group's count. */
static int64_t depths_of(const quad_form *f)
{
    int64_t depths = f->N + 1;
    for (int64_t g = 0; g < f->groups; g++)
        for (int64_t open = f->hi[g] - f->lo[g] + 1; open > 1; open = (open + 1) / 2)
            depths++;
    return depths;
}

static void tree_clear(tree *t)
{
    for (int64_t d = 0; t->node && d < t->depths; d++) {
        wlab_free(t->node[d].z);
        wlab_free(t->node[d].mark);
        wlab_free(t->node[d].lo);
        wlab_free(t->node[d].hi);
    }
    wlab_free(t->node);
    wlab_free(t->level);
    quad_relax_clear(&t->relax);
}

static wlab_code tree_create(tree *t, quad_search *s, const quad_form *f, const quad_shift *shift,
                             wlab_err *err)
{
    size_t N = (size_t)f->N, groups = (size_t)f->groups;
    *t = (tree){.s = s, .depths = depths_of(f)};
    t->node = wlab_calloc((size_t)t->depths, sizeof *t->node);
    t->level = wlab_calloc((size_t)t->depths, sizeof *t->level);
    if (!t->node || !t->level)
        goto out_of_memory;
    for (int64_t d = 0; d < t->depths; d++) {
        quad_node *at = &t->node[d];
        at->z = wlab_alloc(N, sizeof *at->z);
        at->mark = wlab_alloc(N, sizeof *at->mark);
        at->lo = wlab_alloc(groups, sizeof *at->lo);
        at->hi = wlab_alloc(groups, sizeof *at->hi);
        if (!at->z || !at->mark || !at->lo || !at->hi)
            goto out_of_memory;
    }
    if (quad_relax_create(&t->relax, f, shift, err) == WL_OK)
        return WL_OK;
out_of_memory:
    tree_clear(t);
    return wlab_nomem(err);
}

/* The node to decide: the one whose distance from +-1, weighted by its curvature, is largest; 0: all are decided. */
static int64_t most_uncertain_node(const tree *t)
{
    const quad_form *f = t->relax.form;
    const quad_node *at = &t->node[t->depth];
    int64_t best = 0;
    double most = 0;
    for (int64_t k = 1; k < f->N; k++) {
        double away = 1 - fabs(at->z[k]), cost = away * t->relax.curve[k];
        if (!at->mark[k] && (best == 0 || cost > most)) {
            most = cost;
            best = k;
        }
    }
    return best;
}

/* Rounds z to a labeling: in each group the largest z become +1, all that are above 0 within the counts. */
static void round_off(const tree *t, int8_t *z)
{
    const quad_form *f = t->relax.form;
    const quad_node *at = &t->node[t->depth];
    z[0] = 1;
    for (int64_t g = 0; g < f->groups; g++) {
        int64_t ones = 0;
        for (int64_t k = f->start[g]; k < f->start[g + 1]; k++)
            z[k] = -1;
        for (; ones < f->hi[g]; ones++) {
            int64_t top = -1;
            for (int64_t k = f->start[g]; k < f->start[g + 1]; k++)
                if (z[k] < 0 && (top < 0 || at->z[k] > at->z[top]))
                    top = k;
            if (ones >= f->lo[g] && at->z[top] <= 0)
                break;
            z[top] = 1;
        }
    }
}

static void copy_node(tree *t, int64_t from, int64_t to)
{
    size_t N = (size_t)t->relax.form->N, groups = (size_t)t->relax.form->groups;
    const quad_node *a = &t->node[from];
    quad_node *b = &t->node[to];
    memcpy(b->z, a->z, N * sizeof *b->z);
    memcpy(b->mark, a->mark, N);
    memcpy(b->lo, a->lo, groups * sizeof *b->lo);
    memcpy(b->hi, a->hi, groups * sizeof *b->hi);
}

static void descend(tree *t, int8_t sign)
{
    const level *l = &t->level[t->depth];
    quad_node *at = &t->node[t->depth + 1];
    copy_node(t, t->depth, t->depth + 1);
    t->depth++;
    if (l->k > 0)
        quad_relax_decide(&t->relax, at, l->k, sign);
    else if (sign > 0)
        quad_relax_count(&t->relax, at, -1 - l->k, l->most + 1, at->hi[-1 - l->k]);
    else
        quad_relax_count(&t->relax, at, -1 - l->k, at->lo[-1 - l->k], l->most);
}

/* The next level: a count, if its uncertainty makes up more than half of the gap to the pruning threshold; else a
 * node (0: all are decided). */
static level branch(const tree *t, double bound)
{
    const quad_relax *w = &t->relax;
    const quad_node *at = &t->node[t->depth];
    double loss;
    int64_t g = quad_relax_uncertain_count(w, at, &loss);
    if (g >= 0 && loss > 0.5 * (bound - w->threshold)) {
        double ones = 0;
        for (int64_t k = w->form->start[g]; k < w->form->start[g + 1]; k++)
            ones += 0.5 * (1 + at->z[k]);
        int64_t most = (int64_t)floor(ones);
        most = most < at->lo[g] ? at->lo[g] : most >= at->hi[g] ? at->hi[g] - 1 : most;
        return (level){-1 - g, most, ones - floor(ones) > 0.5 ? 1 : -1, false, bound};
    }
    int64_t k = most_uncertain_node(t);
    return (level){k, 0, at->z[k] > 0 ? 1 : -1, false, bound};
}

/* Goes up to a level whose second child cannot be pruned, and down into that child; false: there is none. */
static bool backtrack(tree *t)
{
    while (t->depth > 0) {
        level *l = &t->level[--t->depth];
        if (l->second)
            continue;
        l->second = true;
        if (l->bound <= t->relax.threshold) {
            quad_prune(t->s, l->bound);
            continue;
        }
        descend(t, (int8_t)-l->sign);
        return true;
    }
    return false;
}

/* The largest bound of the open and the pruned labelings: the current node and the levels' second children too. */
static double open_bound(const tree *t)
{
    double most = quad_open_bound(t->s);
    most = t->relax.pruned > most ? t->relax.pruned : most;
    for (int64_t d = 0; d < t->depth; d++)
        if (!t->level[d].second || d == t->depth - 1)
            most = t->level[d].bound > most ? t->level[d].bound : most;
    return most;
}

static wlab_code check_interrupt(tree *t, wlab_err *err)
{
    quad_search *s = t->s;
    if (s->nodes % CHECK_EVERY != 0)
        return WL_OK;
    if (wlab_interrupted(s->ctx))
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    quad_say(s, open_bound(t));
    wlab_progress_add(s->progress, CHECK_EVERY);
    return WL_OK;
}

/* Turns all open subtrees into two parts: the two children of the level nearest the root whose second child is
 * open. */
static wlab_code split_open_subtree(tree *t, const quad_part *p, wlab_err *err)
{
    int64_t d = 0;
    while (t->level[d].second)
        d++;
    const level *l = &t->level[d];
    quad_fork fork = {t->node[d].mark, l->k, l->most, l->sign, l->bound};
    return quad_divide(t->s, p, t->relax.form, &fork, err);
}

/* Whether the second child of some level has not been entered. */
static bool any_open(const tree *t)
{
    bool open = false;
    for (int64_t d = 0; d < t->depth; d++)
        open = open || !t->level[d].second;
    return open;
}

static wlab_code search_tree(tree *t, const quad_part *p, double root, int64_t patience, wlab_err *err)
{
    quad_search *s = t->s;
    quad_relax *w = &t->relax;
    const quad_form *f = w->form;
    wlab_code code;
    int8_t *z = wlab_alloc((size_t)f->N, 1);
    if (!z)
        return wlab_nomem(err);
    quad_relax_start(w, &t->node[0]);
    bool more = true;
    while (more) {
        if (s->nodes == s->limit) {
            s->cut_short = true;
            for (int64_t d = 0; d < t->depth; d++)
                if (!t->level[d].second || d == t->depth - 1)
                    quad_prune(s, t->level[d].bound);
            if (t->depth == 0)
                quad_prune(s, root);
            break;
        }
        if (patience-- <= 0 && any_open(t)) {
            if (!s->hard && w->shift->can_cut && s->nodes >= s->before_cuts)
                s->hard = s->restart = true;
            else if ((code = split_open_subtree(t, p, err)))
                goto out;
            break;
        }
        s->nodes++;
        if ((code = check_interrupt(t, err)))
            goto out;
        w->threshold = s->value + s->tolerance;
        w->precise = !s->hard && s->nodes <= PRECISE;
        quad_node *at = &t->node[t->depth];
        double above = t->depth > 0 ? t->level[t->depth - 1].bound : root;
        double bound = quad_relax_bound(w, at);
        bound = above < bound ? above : bound;
        if (bound <= w->threshold) {
            quad_prune(s, bound);
            more = backtrack(t);
            continue;
        }
        level next = branch(t, bound);
        round_off(t, z);
        if ((code = quad_try(s, f, z, err)))
            goto out;
        if (next.k ==
            0) { /* z is a labeling and was evaluated; its `bound` may exceed its value by rounding */
            more = backtrack(t);
            continue;
        }
        t->level[t->depth] = next;
        descend(t, next.sign);
    }
    quad_prune(s, w->pruned);
    code = WL_OK;
out:
    wlab_free(z);
    return code;
}

wlab_code quad_tree(quad_search *s, const quad_part *p, const quad_form *f, const quad_shift *shift,
                    double root, int64_t patience, wlab_err *err)
{
    tree t;
    wlab_code code = tree_create(&t, s, f, shift, err);
    if (code)
        return code;
    code = search_tree(&t, p, root, patience, err);
    tree_clear(&t);
    return code;
}

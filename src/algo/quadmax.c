/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Branch and bound, depth first, for max over y in B of y'Hy.  Counts that leave room (lo < hi) weaken the multipliers'
 * bound: such a B is first cut into parts with narrower counts, each with multipliers of its own, while that promises
 * more than it costs; a part's tree then decides single labels.
 */
#include "algo/quadmax.h"
#include "base/progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    LOOK_EVERY = 64 /* nodes, between looks at the clock and the interrupt */
};

typedef struct part {
    int64_t *count; /* [2 groups] lo, hi of B's groups among members of weight */
    double bound;   /* of the part that this one is cut from */
    struct part *next;
} part;

typedef struct level {
    int64_t k;    /* the node decided, or -1 - g: the count of group g, ... */
    int64_t most; /* ... at most this, or more */
    int8_t sign;  /* tried first */
    bool second;  /* the other is being tried */
    double bound;
} level;

typedef struct search {
    const wlab_labelset *B;
    const double *K, *a;
    double worth, rounding, value; /* value: of the best so far */
    int64_t limit, nodes, parts;
    int8_t *y;   /* [n] the best so far */
    double *r;   /* [n] */
    double left; /* the largest bound of what was left */
    part *waiting;
    bool cut_short;
    wlab_ctx *ctx;
    wlab_progress told;
    char unit[64];
} search;

static void free_parts(part *p)
{
    while (p) {
        part *next = p->next;
        wlab_free(p->count);
        wlab_free(p);
        p = next;
    }
}

static wlab_code push_part(search *s, const int64_t *count, double bound, wlab_err *err)
{
    size_t groups = (size_t)s->B->groups;
    part *p = wlab_alloc(1, sizeof *p);
    int64_t *own = wlab_alloc(2 * groups, sizeof *own);
    if (!p || !own) {
        wlab_free(p);
        wlab_free(own);
        return wlab_nomem(err);
    }
    memcpy(own, count, 2 * groups * sizeof *own);
    *p = (part){own, bound, s->waiting};
    s->waiting = p;
    return WL_OK;
}

static void leave(search *s, double bound)
{
    s->left = bound > s->left ? bound : s->left;
}

/* z'Hz over nodes */
static double value_at(const quad_form *f, const int8_t *z)
{
    double sum = 0;
    for (int64_t i = 0; i < f->N; i++) {
        const double *row = f->H + i * f->N;
        double inner = 0.5 * row[i] * z[i];
        for (int64_t j = 0; j < i; j++)
            inner += row[j] * z[j];
        sum += 2 * z[i] * inner;
    }
    return sum;
}

/* The labeling of nodes z [N] becomes the best if it is. */
static wlab_code take_labeling(search *s, const quad_form *f, const int8_t *z, wlab_err *err)
{
    double value = value_at(f, z);
    if (!(value > s->value + s->rounding)) { /* equals stay as they are */
        leave(s, value);
        return WL_OK;
    }
    /* where nothing weighs, what the best had is kept as far as the counts let it */
    const wlab_labelset *B = s->B;
    int8_t *y = wlab_alloc((size_t)B->n, 1);
    if (!y)
        return wlab_nomem(err);
    for (int64_t k = 0; k < B->n; k++)
        s->r[k] = f->forced[k];
    for (int64_t i = 1; i < f->N; i++)
        s->r[f->row[i]] = z[i];
    wlab_code code = wlab_labelset_argmax(B, s->r, s->y, y, err);
    if (!code) {
        memcpy(s->y, y, (size_t)B->n);
        s->value = value;
    }
    wlab_free(y);
    return code;
}

/* ---- the tree of a part ---- */

typedef struct tree {
    search *s;
    quad_relax relax;
    quad_node *node; /* [depths] */
    level *level;    /* [depths] */
    int64_t depth, depths;
} tree;

/* Each level decides a node, or halves the counts of a group. */
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

static wlab_code tree_create(tree *t, search *s, const quad_form *f, const quad_shift *shift, wlab_err *err)
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

/* The node to decide: the least certain, by what certainty would cost; 0: all are decided. */
static int64_t choose(const tree *t)
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

/* The labeling that z rounds to: in each group the largest z are +1, as many as fit the counts and are above 0. */
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

/* The next level: a count, where not knowing it is half of what keeps this node, else a node (0: all are decided). */
static level branch(const tree *t, double bound)
{
    const quad_relax *w = &t->relax;
    const quad_node *at = &t->node[t->depth];
    double loss;
    int64_t g = quad_relax_vague(w, at, &loss);
    if (g >= 0 && loss > 0.5 * (bound - w->enough)) {
        double ones = 0;
        for (int64_t k = w->form->start[g]; k < w->form->start[g + 1]; k++)
            ones += 0.5 * (1 + at->z[k]);
        int64_t most = (int64_t)floor(ones);
        most = most < at->lo[g] ? at->lo[g] : most >= at->hi[g] ? at->hi[g] - 1 : most;
        return (level){-1 - g, most, ones - floor(ones) > 0.5 ? 1 : -1, false, bound};
    }
    int64_t k = choose(t);
    return (level){k, 0, at->z[k] > 0 ? 1 : -1, false, bound};
}

/* Up to a level whose other child is worth a look, and down into that; false: there is none. */
static bool backtrack(tree *t)
{
    while (t->depth > 0) {
        level *l = &t->level[--t->depth];
        if (l->second)
            continue;
        l->second = true;
        if (l->bound <= t->relax.enough) {
            leave(t->s, l->bound);
            continue;
        }
        descend(t, (int8_t)-l->sign);
        return true;
    }
    return false;
}

/* The largest bound of what is still open: the levels' second children, and what is on hand. */
static double open_bound(const tree *t)
{
    const search *s = t->s;
    double most = s->left > s->value ? s->left : s->value;
    most = t->relax.left > most ? t->relax.left : most;
    for (int64_t d = 0; d < t->depth; d++)
        if (!t->level[d].second || d == t->depth - 1)
            most = t->level[d].bound > most ? t->level[d].bound : most;
    for (const part *p = s->waiting; p; p = p->next)
        most = p->bound > most ? p->bound : most;
    return most;
}

static wlab_code look_up(tree *t, wlab_err *err)
{
    search *s = t->s;
    if (s->nodes % LOOK_EVERY != 0)
        return WL_OK;
    if (wlab_interrupted(s->ctx))
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    snprintf(s->unit, sizeof s->unit, "search-tree nodes (best %.5g, bound %.5g)", s->value, open_bound(t));
    wlab_progress_add(&s->told, LOOK_EVERY);
    return WL_OK;
}

static wlab_code grow(tree *t, double root, wlab_err *err)
{
    search *s = t->s;
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
                    leave(s, t->level[d].bound);
            if (t->depth == 0)
                leave(s, root);
            break;
        }
        s->nodes++;
        if ((code = look_up(t, err)))
            goto out;
        w->enough = s->value + s->worth;
        quad_node *at = &t->node[t->depth];
        double above = t->depth > 0 ? t->level[t->depth - 1].bound : root;
        double bound = quad_relax_bound(w, at);
        bound = above < bound ? above : bound;
        if (bound <= w->enough) {
            leave(s, bound);
            more = backtrack(t);
            continue;
        }
        level next = branch(t, bound);
        round_off(t, z);
        if ((code = take_labeling(s, f, z, err)))
            goto out;
        if (next.k == 0) { /* z is a labeling, and it was looked at; rounding may leave `bound` above it */
            more = backtrack(t);
            continue;
        }
        t->level[t->depth] = next;
        descend(t, next.sign);
    }
    leave(s, w->left);
    code = WL_OK;
out:
    wlab_free(z);
    return code;
}

/* ---- parts ---- */

/* The group whose counts weaken the bound the most, if narrower counts are worth their price; else -1. */
static int64_t group_to_cut(const search *s, const quad_form *f, const quad_shift *shift)
{
    int64_t best = -1;
    double most = 0.25 * (shift->total - s->value - s->worth);
    for (int64_t g = 0; g < f->groups; g++) {
        double half = (double)(f->hi[g] - f->lo[g]); /* (U - L) / 2 */
        double loss = f->hi[g] - f->lo[g] > 1 ? shift->range[g] * half * half : 0;
        if (loss > most) {
            most = loss;
            best = g;
        }
    }
    return best;
}

static wlab_code cut_part(search *s, const quad_form *f, int64_t g, int64_t *count, double bound,
                          wlab_err *err)
{
    int64_t of = s->B->group[f->row[f->start[g]]], groups = s->B->groups;
    int64_t lo = count[of], hi = count[groups + of], middle = lo + (hi - lo) / 2;
    wlab_code code;
    count[of] = middle + 1;
    if ((code = push_part(s, count, bound, err)))
        return code;
    count[of] = lo;
    count[groups + of] = middle;
    return push_part(s, count, bound, err);
}

static wlab_code search_part(search *s, const part *p, wlab_err *err)
{
    quad_form f = {0};
    quad_shift shift = {0};
    tree t = {0};
    int64_t groups = s->B->groups;
    wlab_code code = quad_form_create(&f, s->B, s->K, s->a, p->count, p->count + groups, err);
    if (code)
        return code;
    s->parts++;
    if (f.N == 1) {
        int8_t one = 1;
        code = take_labeling(s, &f, &one, err);
        goto out;
    }
    double enough = s->value + s->worth;
    if ((code = quad_shift_solve(&shift, &f, enough, s->worth, s->ctx, err)))
        goto out;
    double bound = shift.total < p->bound ? shift.total : p->bound;
    if (bound <= enough) {
        leave(s, bound);
        goto out;
    }
    int64_t g = group_to_cut(s, &f, &shift);
    if (g >= 0) {
        code = cut_part(s, &f, g, p->count, bound, err);
        goto out;
    }
    if ((code = tree_create(&t, s, &f, &shift, err)))
        goto out;
    code = grow(&t, bound, err);
    tree_clear(&t);
out:
    quad_shift_clear(&shift);
    quad_form_clear(&f);
    return code;
}

/* y'Hy from B's instances; *size: what rounding is measured by */
static double plain_value(const wlab_labelset *B, const double *K, const double *a, const int8_t *y,
                          double *size)
{
    double sum = 0;
    *size = 0;
    for (int64_t i = 0; i < B->n; i++) {
        double inner = 0, weight = a ? a[i] : 1;
        for (int64_t j = 0; j < B->n && weight != 0; j++)
            inner += K[i * B->n + j] * (a ? a[j] : 1) * y[j];
        sum += weight * y[i] * inner;
        *size += fabs(weight * inner);
    }
    return sum;
}

/* own = a (ones where a is NULL), but 0 for free instances that hardly count: whatever their labels, y'Hy changes by no
 * more than *ignored <= worth / 4 in all.  A tree over labels that make no difference would never end. */
static void drop_idle(const wlab_labelset *B, const double *K, const double *a, double worth, double *own,
                      double *ignored)
{
    int64_t n = B->n;
    *ignored = 0;
    for (int64_t k = 0; k < n; k++) {
        double row = 0, ak = a ? a[k] : 1;
        for (int64_t j = 0; j < n && ak != 0; j++)
            row += fabs(K[k * n + j] * (a ? a[j] : 1));
        row *= 2 * fabs(ak);
        own[k] = ak;
        if (B->group[k] >= 0 && row <= worth / (4 * (double)n)) {
            own[k] = 0;
            *ignored += row;
        }
    }
}

wlab_code wlab_quadmax(const wlab_labelset *B, const double *K, const double *a, double worth, int64_t nodes,
                       int8_t *y, wlab_quadmax_result *result, wlab_ctx *ctx, wlab_err *err)
{
    search s = {.B = B, .K = K, .limit = nodes, .left = -HUGE_VAL, .ctx = ctx};
    size_t groups = (size_t)B->groups, n = (size_t)B->n;
    wlab_code code = WL_OK;
    double size = 0, ignored = 0;
    int64_t *count = wlab_alloc(2 * groups, sizeof *count);
    double *own = wlab_alloc(n, sizeof *own);
    s.y = wlab_alloc(n, 1);
    s.r = wlab_alloc(n, sizeof *s.r);
    if (!count || !own || !s.y || !s.r) {
        code = wlab_nomem(err);
        goto out;
    }
    memcpy(s.y, y, n);
    double start = plain_value(B, K, a, y, &size);
    worth = worth < 1e-12 * size ? 1e-12 * size : worth;
    s.worth = worth / 2;
    s.rounding = 1e-14 * size;
    drop_idle(B, K, a, worth, own, &ignored);
    s.a = own;
    s.value = plain_value(B, K, own, y, &size);
    quad_counts(B, K, own, count, count + groups);
    if ((code = push_part(&s, count, HUGE_VAL, err)))
        goto out;
    snprintf(s.unit, sizeof s.unit, "search-tree nodes");
    wlab_progress_begin(&s.told, ctx, s.unit, 0);
    while (s.waiting && !code) {
        part *p = s.waiting;
        s.waiting = p->next;
        p->next = NULL;
        if (s.nodes == s.limit) {
            leave(&s, p->bound);
            s.cut_short = true;
        } else if (p->bound <= s.value + s.worth) {
            leave(&s, p->bound);
        } else {
            code = search_part(&s, p, err);
        }
        free_parts(p);
    }
    if (code)
        goto out;
    double value = plain_value(B, K, a, s.y, &size), rounding = (double)n * 1e-16 * size;
    if (value >= start)
        memcpy(y, s.y, n);
    else /* better but for what hardly counts */
        value = start;
    double bound = (s.left > s.value ? s.left : s.value) + ignored + rounding;
    *result = (wlab_quadmax_result){.value = value,
                                    .bound = bound > value ? bound : value,
                                    .optimal = !s.cut_short,
                                    .nodes = s.nodes,
                                    .parts = s.parts};
out:
    free_parts(s.waiting);
    wlab_free(count);
    wlab_free(own);
    wlab_free(s.y);
    wlab_free(s.r);
    return code;
}

wlab_code wlab_quadmax_bound(const wlab_labelset *B, const double *K, const double *a, double worth,
                             double *bound, wlab_ctx *ctx, wlab_err *err)
{
    size_t groups = (size_t)B->groups;
    quad_form f = {0};
    quad_shift shift = {0};
    wlab_code code = WL_OK;
    int64_t *count = wlab_alloc(2 * groups, sizeof *count);
    double *own = wlab_alloc((size_t)B->n, sizeof *own), ignored = 0;
    *bound = HUGE_VAL;
    if (!count || !own) {
        code = wlab_nomem(err);
        goto out;
    }
    drop_idle(B, K, a, worth, own, &ignored);
    quad_counts(B, K, own, count, count + groups);
    if ((code = quad_form_create(&f, B, K, own, count, count + groups, err)))
        goto out;
    if (f.N == 1) {
        *bound = f.H[0] + ignored;
        goto out;
    }
    if ((code = quad_shift_solve(&shift, &f, -HUGE_VAL, worth, ctx, err)))
        goto out;
    *bound = shift.total + ignored;
out:
    quad_shift_clear(&shift);
    quad_form_clear(&f);
    wlab_free(count);
    wlab_free(own);
    return code;
}

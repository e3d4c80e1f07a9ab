/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * max over y in the label set B of y'Hy.  Counts that are not determined (lo < hi) weaken the multipliers' bound.  So
 * B is first cut into parts with narrower counts, each with multipliers of its own, while the expected gain exceeds
 * the cost.  Each part is then searched by a tree (tree.c).  If one of them grows large, B is searched anew as one part
 * with cuts (cuts.c), which takes longer to bound but needs a small fraction of the nodes.
 */
#include "solve/quadmax/quadmax.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void quad_free_parts(quad_part *p)
{
    while (p) {
        quad_part *next = p->next;
        wlab_free(p->count);
        wlab_free(p->decided);
        quad_cuts_clear(&p->cuts);
        wlab_free(p);
        p = next;
    }
}

/* Nodes of a tree per label, before its open subtrees become parts with multipliers of their own: computing these
 * multipliers takes about as long as so many nodes. */
enum {
    PATIENCE = 30,
    PATIENCE_CUT = 100,  /* the same for parts with cuts, whose multipliers take longer */
    BEFORE_CUTS = 15000, /* nodes without cuts: a search that ends before costs less without them */
    ROUNDS = 5,          /* of cuts, for the first part */
    ROUNDS_MORE = 2      /* for a part that starts from the cuts of another */
};

/* count [2 groups]; decided [n], or NULL if nothing is decided; cuts: NULL or of instances. */
static wlab_code push_part(quad_search *s, const int64_t *count, const int8_t *decided, const quad_cuts *cuts,
                           double bound, wlab_err *err)
{
    size_t groups = (size_t)s->B->groups, n = (size_t)s->B->n;
    quad_part *p = wlab_calloc(1, sizeof *p);
    if (!p)
        return wlab_nomem(err);
    p->count = wlab_alloc(2 * groups, sizeof *p->count);
    p->decided = wlab_calloc(n, sizeof *p->decided);
    if (!p->count || !p->decided) {
        quad_free_parts(p);
        return wlab_nomem(err);
    }
    wlab_code code = cuts ? quad_cuts_copy(&p->cuts, cuts, err) : WL_OK;
    if (code) {
        quad_free_parts(p);
        return code;
    }
    memcpy(p->count, count, 2 * groups * sizeof *count);
    if (decided)
        memcpy(p->decided, decided, n);
    p->bound = bound;
    p->next = s->waiting;
    s->waiting = p;
    return WL_OK;
}

/* z'Hz over the nodes. */
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

wlab_code quad_try(quad_search *s, const quad_form *f, const int8_t *z, wlab_err *err)
{
    double value = value_at(f, z);
    if (!(value > s->value + s->rounding)) { /* among equal values keep the earlier labeling */
        quad_prune(s, value);
        return WL_OK;
    }
    /* instances without weight keep their labels of the best so far, as far as the counts allow */
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

double quad_open_bound(const quad_search *s)
{
    double most = s->pruned > s->value ? s->pruned : s->value;
    for (const quad_part *p = s->waiting; p; p = p->next)
        most = p->bound > most ? p->bound : most;
    return most;
}

void quad_say(quad_search *s, double bound)
{
    if (s->progress->unit == s->unit)
        snprintf(s->unit, sizeof s->unit, "search-tree nodes (best %.5g, bound %.5g)", s->value, bound);
}

quad_part *quad_pop(quad_search *s)
{
    quad_part *p = s->waiting;
    s->waiting = p->next;
    p->next = NULL;
    return p;
}

/* The group whose undetermined count weakens the bound most, if this loss exceeds a quarter of the gap between the
 * bound and the pruning threshold; else -1. */
static int64_t group_to_cut(const quad_search *s, const quad_form *f, const quad_shift *shift)
{
    int64_t best = -1;
    double most = 0.25 * (shift->total - s->value - s->tolerance);
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

/* Pushes one of the two parts of a fork. */
static wlab_code push_side(quad_search *s, const quad_part *p, const quad_form *f, const quad_fork *fork,
                           int8_t sign, int64_t *count, int8_t *decided, wlab_err *err)
{
    const wlab_labelset *B = s->B;
    memcpy(decided, p->decided, (size_t)B->n);
    memcpy(count, p->count, 2 * (size_t)B->groups * sizeof *count);
    for (int64_t i = 1; i < f->N && fork->mark; i++)
        if (fork->mark[i])
            decided[f->row[i]] = fork->mark[i];
    if (fork->k > 0) {
        decided[f->row[fork->k]] = sign;
    } else {
        int64_t g = B->group[f->row[f->start[-1 - fork->k]]],
                ones = 0; /* the counts of a part include the decided members */
        for (int64_t i = B->start[g]; i < B->start[g + 1]; i++)
            ones += p->decided[B->member[i]] > 0;
        if (sign > 0)
            count[g] = ones + fork->most + 1;
        else
            count[B->groups + g] = ones + fork->most;
    }
    return push_part(s, count, decided, &p->cuts, fork->bound, err);
}

wlab_code quad_divide(quad_search *s, const quad_part *p, const quad_form *f, const quad_fork *fork,
                      wlab_err *err)
{
    int64_t *count = wlab_alloc(2 * (size_t)s->B->groups, sizeof *count);
    int8_t *decided = wlab_alloc((size_t)s->B->n, sizeof *decided);
    wlab_code code = WL_OK;
    if (!count || !decided)
        code = wlab_nomem(err);
    if (!code)
        code = push_side(s, p, f, fork, (int8_t)-fork->sign, count, decided, err);
    if (!code)
        code = push_side(s, p, f, fork, fork->sign, count, decided, err);
    wlab_free(count);
    wlab_free(decided);
    return code;
}

/* Whether z and -z (but for node 0) are both labelings, of the same value. */
static bool is_symmetric(const quad_form *f)
{
    bool same = true;
    for (int64_t k = 1; k < f->N; k++)
        same = same && f->H[k] == 0;
    for (int64_t g = 0; g < f->groups; g++)
        same = same && f->lo[g] + f->hi[g] == f->start[g + 1] - f->start[g];
    return same && f->N > 1;
}

static wlab_code part_form(quad_form *f, const quad_search *s, const quad_part *p, wlab_err *err)
{
    return quad_form_create(f, s->B, s->K, s->a, p->count, p->count + s->B->groups, p->decided, err);
}

/* The form of a part.  With cuts, of two labelings that are each other's negative only one is searched: the node with the
 * largest weight keeps its label of the best labeling. */
static wlab_code create_form(quad_form *f, const quad_search *s, quad_part *p, wlab_err *err)
{
    wlab_code code = part_form(f, s, p, err);
    if (code || !s->hard || !is_symmetric(f))
        return code;
    int64_t most = 1;
    for (int64_t k = 2; k < f->N; k++)
        if (f->H[k * f->N + k] > f->H[most * f->N + most])
            most = k;
    int32_t i = f->row[most];
    p->decided[i] = s->y[i] > 0 ? 1 : -1;
    quad_form_clear(f);
    *f = (quad_form){0};
    return part_form(f, s, p, err);
}

/* The multipliers of a part; with cuts, the part gets those that its multipliers belong to. */
static wlab_code solve_part(const quad_search *s, quad_part *p, const quad_form *f, quad_shift *shift,
                            wlab_err *err)
{
    double threshold = s->value + s->tolerance;
    if (!s->hard)
        return quad_shift_solve(shift, f, threshold, s->tolerance, s->ctx, err);
    quad_cuts cuts = {0};
    wlab_code code = quad_cuts_to_nodes(&cuts, &p->cuts, f, s->B->n, err);
    if (!code)
        code = quad_shift_cut(shift, f, threshold, s->tolerance, cuts.n > 0 ? ROUNDS_MORE : ROUNDS, &cuts,
                              s->ctx, err);
    if (code) {
        quad_cuts_clear(&cuts);
        return code;
    }
    quad_cuts_to_instances(&cuts, f);
    quad_cuts_clear(&p->cuts);
    p->cuts = cuts;
    return WL_OK;
}

wlab_code quad_search_part(quad_search *s, quad_part *p, wlab_err *err)
{
    quad_form f = {0};
    quad_shift shift = {0};
    wlab_code code = create_form(&f, s, p, err);
    if (code)
        return code;
    s->parts++;
    if (f.N == 1) {
        int8_t one = 1;
        code = quad_try(s, &f, &one, err);
        goto out;
    }
    double threshold = s->value + s->tolerance;
    if ((code = solve_part(s, p, &f, &shift, err)))
        goto out;
    double bound = shift.total < p->bound ? shift.total : p->bound;
    if (bound <= threshold) {
        quad_prune(s, bound);
        goto out;
    }
    int64_t g = s->hard ? -1 : group_to_cut(s, &f, &shift);
    if (g >= 0) {
        quad_fork fork = {NULL, -1 - g, f.lo[g] + (f.hi[g] - f.lo[g]) / 2, -1, bound};
        code = quad_divide(s, p, &f, &fork, err);
        goto out;
    }
    code = quad_tree(s, p, &f, &shift, bound, (s->hard ? PATIENCE_CUT : PATIENCE) * f.N, err);
out:
    quad_shift_clear(&shift);
    quad_form_clear(&f);
    return code;
}

/* y'Hy over the instances of B; *size: the magnitude to which its rounding error is relative. */
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

/* own = a (all 1 if a is NULL), but 0 for free instances of negligible weight: whatever their labels, y'Hy changes by
 * at most *ignored <= tolerance / 4 in total.  A tree over labels without effect on y'Hy would never end. */
static void drop_negligible(const wlab_labelset *B, const double *K, const double *a, double tolerance,
                            double *own, double *ignored)
{
    int64_t n = B->n;
    *ignored = 0;
    for (int64_t k = 0; k < n; k++) {
        double row = 0, ak = a ? a[k] : 1;
        for (int64_t j = 0; j < n && ak != 0; j++)
            row += fabs(K[k * n + j] * (a ? a[j] : 1));
        row *= 2 * fabs(ak);
        own[k] = ak;
        if (B->group[k] >= 0 && row <= tolerance / (4 * (double)n)) {
            own[k] = 0;
            *ignored += row;
        }
    }
}

wlab_code quad_maximise(const wlab_labelset *B, const double *K, const double *a, double tolerance,
                        int64_t nodes, int64_t before_cuts, int8_t *y, wlab_quadmax_result *result,
                        wlab_ctx *ctx, wlab_err *err)
{
    wlab_progress progress;
    quad_search s = {.B = B,
                     .K = K,
                     .limit = nodes,
                     .before_cuts = before_cuts,
                     .pruned = -HUGE_VAL,
                     .ctx = ctx,
                     .progress = &progress};
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
    tolerance = tolerance < 1e-12 * size ? 1e-12 * size : tolerance;
    s.tolerance = tolerance / 2;
    s.rounding = 1e-14 * size;
    drop_negligible(B, K, a, tolerance, own, &ignored);
    s.a = own;
    s.value = plain_value(B, K, own, y, &size);
    quad_counts(B, K, own, count, count + groups);
    if ((code = push_part(&s, count, NULL, NULL, HUGE_VAL, err)))
        goto out;
    snprintf(s.unit, sizeof s.unit, "search-tree nodes");
    wlab_progress_begin(&progress, ctx, s.unit, 0);
    while (s.waiting && !code) {
        if (s.hard && s.nodes < s.limit) {
            code = quad_batch(&s, (PATIENCE_CUT + 2) * (B->n + 1), err);
            continue;
        }
        quad_part *p = quad_pop(&s);
        if (s.nodes == s.limit) {
            quad_prune(&s, p->bound);
            s.cut_short = true;
        } else if (p->bound <= s.value + s.tolerance) {
            quad_prune(&s, p->bound);
        } else {
            code = quad_search_part(&s, p, err);
        }
        quad_free_parts(p);
        if (s.restart && !code) {
            s.restart = false;
            quad_free_parts(s.waiting);
            s.waiting = NULL;
            code = push_part(&s, count, NULL, NULL, HUGE_VAL, err);
        }
    }
    if (code)
        goto out;
    double value = plain_value(B, K, a, s.y, &size), rounding = (double)n * 1e-16 * size;
    if (value >= start)
        memcpy(y, s.y, n);
    else /* the gain came from the ignored instances */
        value = start;
    double bound = (s.pruned > s.value ? s.pruned : s.value) + ignored + rounding;
    *result = (wlab_quadmax_result){.value = value,
                                    .bound = bound > value ? bound : value,
                                    .optimal = !s.cut_short,
                                    .nodes = s.nodes,
                                    .parts = s.parts};
out:
    quad_free_parts(s.waiting);
    wlab_free(count);
    wlab_free(own);
    wlab_free(s.y);
    wlab_free(s.r);
    return code;
}

wlab_code wlab_quadmax_bound(const wlab_labelset *B, const double *K, const double *a, double tolerance,
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
    drop_negligible(B, K, a, tolerance, own, &ignored);
    quad_counts(B, K, own, count, count + groups);
    if ((code = quad_form_create(&f, B, K, own, count, count + groups, NULL, err)))
        goto out;
    if (f.N == 1) {
        *bound = f.H[0] + ignored;
        goto out;
    }
    if ((code = quad_shift_solve(&shift, &f, -HUGE_VAL, tolerance, ctx, err)))
        goto out;
    *bound = shift.total + ignored;
out:
    quad_shift_clear(&shift);
    quad_form_clear(&f);
    wlab_free(count);
    wlab_free(own);
    return code;
}

wlab_code wlab_quadmax(const wlab_labelset *B, const double *K, const double *a, double tolerance,
                       int64_t nodes, int8_t *y, wlab_quadmax_result *result, wlab_ctx *ctx, wlab_err *err)
{
    return quad_maximise(B, K, a, tolerance, nodes, BEFORE_CUTS, y, result, ctx, err);
}

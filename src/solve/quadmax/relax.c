/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The maximum of the concave g(z) = total - z'Qz over the convex hull of the labelings at a node of the tree:
 * -1 <= z <= 1, with the sum of each group in an interval.  Ascent by exact steps along pairs of a group (or along
 * one coordinate, if the interval allows it); a step costs O(N).  Every point gives a bound: g lies below its
 * linearisation, whose maximum over the hull is attained at a labeling that sorting the gradient finds.  The same
 * sorted gradient gives the cost of deciding a coordinate against that labeling; if the cost takes the bound to the
 * pruning threshold, every labeling above the threshold agrees with it.
 *
 * As labels are decided, the sum s of a group is known more narrowly: L' <= s <= U' instead of L <= s <= U.  The
 * multiplier t of (s - L)(s - U) <= 0 may then be applied to (s - L')(s - U') <= 0.  This changes g by a linear
 * function only, -t((L + U - L' - U')s - LU + L'U'), and makes it exact if the count is known.
 */
#include "solve/quadmax/quadmax.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHECKS = 200 /* evaluations of the bound at one node, at most */
};

typedef struct quad_ranked {
    double r;
    int32_t k;
} quad_ranked;

void quad_relax_clear(quad_relax *w)
{
    wlab_free(w->r);
    wlab_free(w->curve);
    wlab_free(w->diagonal);
    wlab_free(w->ones);
    wlab_free(w->pull);
    wlab_free(w->undecided);
    wlab_free(w->ranked);
    wlab_free(w->order);
    wlab_free(w->open);
    memset(w, 0, sizeof *w);
}

/* The curvature of g in each z_k, which determines the cost of deciding it. */
static void curvatures(quad_relax *w)
{
    const quad_form *f = w->form;
    const double *Q = w->shift->Q;
    w->curve[0] = 0;
    for (int64_t g = 0; g < f->groups; g++) {
        double size = (double)(f->start[g + 1] - f->start[g]), all = 0;
        bool fixed = f->lo[g] == f->hi[g];
        for (int64_t k = f->start[g]; k < f->start[g + 1]; k++) {
            double row = 0;
            for (int64_t j = f->start[g]; j < f->start[g + 1]; j++)
                row += Q[k * f->N + j];
            w->curve[k] = Q[k * f->N + k] - (fixed ? 2 * row / size : 0);
            all += row;
        }
        for (int64_t k = f->start[g]; k < f->start[g + 1] && fixed; k++)
            w->curve[k] += all / (size * size);
    }
}

wlab_code quad_relax_create(quad_relax *w, const quad_form *form, const quad_shift *shift, wlab_err *err)
{
    size_t N = (size_t)form->N, G = (size_t)form->groups;
    memset(w, 0, sizeof *w);
    w->form = form;
    w->shift = shift;
    w->pruned = -HUGE_VAL;
    w->r = wlab_alloc(N, sizeof *w->r);
    w->curve = wlab_alloc(N, sizeof *w->curve);
    w->diagonal = wlab_alloc(N, sizeof *w->diagonal);
    w->ones = wlab_alloc(G, sizeof *w->ones);
    w->pull = wlab_alloc(G, sizeof *w->pull);
    w->undecided = wlab_alloc(G, sizeof *w->undecided);
    w->ranked = wlab_alloc(N, sizeof *w->ranked);
    w->order = wlab_alloc(N, sizeof *w->order);
    w->open = wlab_alloc(N, sizeof *w->open);
    if (!w->r || !w->curve || !w->diagonal || !w->ones || !w->pull || !w->undecided || !w->ranked ||
        !w->order || !w->open) {
        quad_relax_clear(w);
        return wlab_nomem(err);
    }
    for (size_t k = 0; k < N; k++) {
        w->order[k] = (int32_t)k;
        w->diagonal[k] = shift->Q[k * N + k];
    }
    /* g and its linearisation are sums of N^2 products */
    double sum = fabs(shift->total);
    for (size_t i = 0; i < N * N; i++)
        sum += fabs(shift->Q[i]);
    w->rounding = 1e-13 * sum;
    curvatures(w);
    return WL_OK;
}

/* lo, hi: the range of the number of +1 among the undecided nodes of group g. */
static void undecided_range(const quad_relax *w, const quad_node *at, int64_t g, int64_t *lo, int64_t *hi)
{
    *lo = at->lo[g] - w->ones[g];
    *hi = at->hi[g] - w->ones[g];
}

/* Derives the count of group g from its marks and its marks from the count, then moves its sum back into the
 * interval. */
static void update_group(quad_relax *w, quad_node *at, int64_t g)
{
    const quad_form *f = w->form;
    int64_t lo, hi;
    int32_t *open = w->open + f->start[g];
    int64_t ones = 0, undecided = 0;
    for (int64_t k = f->start[g]; k < f->start[g + 1]; k++) {
        open[undecided] = (int32_t)k;
        ones += at->mark[k] > 0;
        undecided += at->mark[k] == 0;
    }
    w->ones[g] = ones;
    w->undecided[g] = undecided;
    at->lo[g] = at->lo[g] > w->ones[g] ? at->lo[g] : w->ones[g];
    at->hi[g] = at->hi[g] < w->ones[g] + w->undecided[g] ? at->hi[g] : w->ones[g] + w->undecided[g];
    undecided_range(w, at, g, &lo, &hi);
    if (w->undecided[g] > 0 && (hi == 0 || lo == w->undecided[g])) {
        int8_t value = hi == 0 ? -1 : 1;
        for (int64_t k = f->start[g]; k < f->start[g + 1]; k++)
            if (at->mark[k] == 0)
                at->z[k] = at->mark[k] = value;
        w->ones[g] += value > 0 ? w->undecided[g] : 0;
        w->undecided[g] = 0;
        at->lo[g] = at->hi[g] = w->ones[g];
    }
    double sum = 0, up = 0, down = 0;
    for (int64_t i = 0; i < w->undecided[g]; i++) {
        double z = at->z[open[i]];
        sum += z;
        up += 1 - z;
        down += 1 + z;
    }
    double L = (double)(2 * lo - w->undecided[g]), U = (double)(2 * hi - w->undecided[g]);
    double by = sum < L ? L - sum : sum > U ? U - sum : 0;
    if (w->undecided[g] == 0 || by == 0)
        return;
    for (int64_t i = 0; i < w->undecided[g]; i++) {
        int64_t k = open[i];
        at->z[k] += by > 0 ? by * (1 - at->z[k]) / up : by * (1 + at->z[k]) / down;
    }
}

void quad_relax_start(quad_relax *w, quad_node *at)
{
    const quad_form *f = w->form;
    memset(at->mark, 0, (size_t)f->N);
    memset(at->z, 0, (size_t)f->N * sizeof *at->z);
    at->z[0] = at->mark[0] = 1;
    memcpy(at->lo, f->lo, (size_t)f->groups * sizeof *at->lo);
    memcpy(at->hi, f->hi, (size_t)f->groups * sizeof *at->hi);
    for (int64_t g = 0; g < f->groups; g++)
        update_group(w, at, g);
}

static int64_t group_of(const quad_form *f, int64_t k)
{
    int64_t g = 0;
    while (k >= f->start[g + 1])
        g++;
    return g;
}

void quad_relax_decide(quad_relax *w, quad_node *at, int64_t k, int8_t value)
{
    at->z[k] = at->mark[k] = value;
    update_group(w, at, group_of(w->form, k));
}

void quad_relax_count(quad_relax *w, quad_node *at, int64_t g, int64_t lo, int64_t hi)
{
    at->lo[g] = lo;
    at->hi[g] = hi;
    update_group(w, at, g);
}

/* The sum of group g with `count` nodes +1. */
static double sum_at(const quad_form *f, int64_t g, int64_t count)
{
    return (double)(2 * count - (f->start[g + 1] - f->start[g]));
}

static double sum_of(const quad_form *f, const quad_node *at, int64_t g)
{
    double sum = 0;
    for (int64_t k = f->start[g]; k < f->start[g + 1]; k++)
        sum += at->z[k];
    return sum;
}

int64_t quad_relax_uncertain_count(const quad_relax *w, const quad_node *at, double *loss)
{
    const quad_form *f = w->form;
    int64_t best = -1;
    *loss = 0;
    for (int64_t g = 0; g < f->groups; g++) {
        if (at->lo[g] == at->hi[g] || !(w->shift->range[g] > 0))
            continue;
        double s = sum_of(f, at, g);
        double here = w->shift->range[g] * (s - sum_at(f, g, at->lo[g])) * (sum_at(f, g, at->hi[g]) - s);
        if (here > *loss) {
            *loss = here;
            best = g;
        }
    }
    return best;
}

static void gradient(quad_relax *w, const quad_node *at)
{
    const quad_form *f = w->form;
    int N = (int)f->N;
    cblas_dsymv(CblasRowMajor, CblasLower, N, -2, w->shift->Q, N, at->z, 1, 0, w->r, 1);
    for (int64_t g = 0; g < f->groups; g++) {
        int64_t narrower = f->lo[g] + f->hi[g] - at->lo[g] - at->hi[g]; /* half of L + U - L' - U' */
        w->pull[g] = -2 * w->shift->range[g] * (double)narrower;
        for (int64_t k = f->start[g]; k < f->start[g + 1]; k++)
            w->r[k] += w->pull[g];
    }
}

/* g(z), computed from the gradient at z. */
static double value_at(const quad_relax *w, const quad_node *at)
{
    const quad_form *f = w->form;
    double g = w->shift->total + 0.5 * cblas_ddot((int)f->N, w->r, 1, at->z, 1);
    for (int64_t h = 0; h < f->groups; h++)
        if (w->shift->range[h] != 0)
            g += 0.5 * w->pull[h] * sum_of(f, at, h) +
                 w->shift->range[h] * (sum_at(f, h, f->lo[h]) * sum_at(f, h, f->hi[h]) -
                                       sum_at(f, h, at->lo[h]) * sum_at(f, h, at->hi[h]));
    return g;
}

typedef struct step {
    double gain, length;
    int64_t i, j; /* z_i += length, z_j -= length; -1: no such node */
} step;

/* curve >= 0, so a step of at most `cap` gains at most slope * cap, also in rounded numbers, and a step of any length
 * slope^2 / (4 curve), which takes no division to compare. */
static void keep_better_step(step *best, double slope, double curve, double cap, int64_t i, int64_t j)
{
    const double more_than_rounding = 1 + 1e-9;
    if (!(slope * cap > best->gain) || !(slope * slope * more_than_rounding > 4 * curve * best->gain))
        return;
    double t = curve > 0 ? slope / (2 * curve) : HUGE_VAL;
    t = t < cap ? t : cap;
    double gain = t * (slope - t * curve);
    if (gain > best->gain)
        *best = (step){gain, t, i, j};
}

/* The step with the largest gain, over all groups, that moves the coordinate of steepest ascent or descent. */
static step best_step(const quad_relax *w, const quad_node *at)
{
    const quad_form *f = w->form;
    const double *Q = w->shift->Q, *r = w->r, *z = at->z;
    int64_t N = f->N;
    step best = {0, 0, -1, -1};
    for (int64_t g = 0; g < f->groups; g++) {
        if (w->undecided[g] == 0)
            continue;
        int64_t up = -1, down = -1, lo, hi;
        double sum = 0, top = -HUGE_VAL, bottom = HUGE_VAL;
        const int32_t *open = w->open + f->start[g];
        for (int64_t n = 0; n < w->undecided[g]; n++) {
            const int64_t k = open[n];
            const double at_k = z[k], rises = at_k < 1 ? r[k] : -HUGE_VAL,
                         falls = at_k > -1 ? r[k] : HUGE_VAL;
            sum += at_k;
            if (rises > top)
                top = rises, up = k;
            if (falls < bottom)
                bottom = falls, down = k;
        }
        if (up < 0 || down < 0)
            continue;
        const double *Qu = Q + up * N, room = 1 - z[up];
        for (int64_t n = 0; n < w->undecided[g]; n++) {
            const int64_t k = open[n];
            const double below = 1 + z[k], cap = below < room ? below : room, slope = top - r[k];
            if (slope * cap > best.gain) /* not where z_k is -1, or is 1 with r_k above */
                keep_better_step(&best, slope, Qu[up] + w->diagonal[k] - 2 * Qu[k], cap, up, k);
        }
        if (at->lo[g] == at->hi[g])
            continue;
        undecided_range(w, at, g, &lo, &hi);
        double most = (double)(2 * hi - w->undecided[g]) - sum,
               least = sum - (double)(2 * lo - w->undecided[g]);
        if (most > 0 && r[up] > 0)
            keep_better_step(&best, r[up], Qu[up], 1 - z[up] < most ? 1 - z[up] : most, up, -1);
        if (least > 0 && r[down] < 0)
            keep_better_step(&best, -r[down], Q[down * N + down], 1 + z[down] < least ? 1 + z[down] : least,
                             -1, down);
    }
    return best;
}

static void take_step(quad_relax *w, quad_node *at, step s)
{
    int N = (int)w->form->N;
    if (s.i >= 0) {
        at->z[s.i] += s.length;
        if (at->z[s.i] > 1 - 1e-12)
            at->z[s.i] = 1;
        cblas_daxpy(N, -2 * s.length, w->shift->Q + s.i * N, 1, w->r, 1);
    }
    if (s.j >= 0) {
        at->z[s.j] -= s.length;
        if (at->z[s.j] < -1 + 1e-12)
            at->z[s.j] = -1;
        cblas_daxpy(N, 2 * s.length, w->shift->Q + s.j * N, 1, w->r, 1);
    }
}

/* By gradient, then by node: a total order, so the result does not depend on the method. */
static int descending(const void *pa, const void *pb)
{
    const quad_ranked *a = pa, *b = pb;
    if (a->r != b->r)
        return a->r > b->r ? -1 : 1;
    return (a->k > b->k) - (a->k < b->k);
}

/* Inserts each into the sorted ones before it, which takes few moves as the order changes little from one gradient to
 * the next; if it takes many, qsort goes on. */
static void sort_ranked(quad_ranked *p, int64_t n)
{
    int64_t moves = 8 * n;
    for (int64_t i = 1; i < n; i++) {
        quad_ranked own = p[i];
        int64_t j = i;
        for (; j > 0 && descending(&own, &p[j - 1]) < 0; j--)
            p[j] = p[j - 1];
        p[j] = own;
        if ((moves -= i - j) < 0) {
            qsort(p, (size_t)n, sizeof *p, descending);
            return;
        }
    }
}

/* The undecided nodes of a group, sorted by gradient: the first `ones` of them are +1 in the vertex of the hull that
 * maximises the linearisation. */
typedef struct cut {
    int64_t size, ones, lo, hi;
} cut;

static cut sort_group(quad_relax *w, const quad_node *at, int64_t g)
{
    const quad_form *f = w->form;
    int32_t *order = w->order + f->start[g];
    cut c = {0};
    for (int64_t i = 0; i < f->start[g + 1] - f->start[g]; i++)
        if (at->mark[order[i]] == 0)
            w->ranked[c.size++] = (quad_ranked){w->r[order[i]], order[i]};
    sort_ranked(w->ranked, c.size);
    /* next time they begin in this order, in the places that they have now */
    for (int64_t i = 0, n = 0; n < c.size; i++)
        if (at->mark[order[i]] == 0)
            order[i] = w->ranked[n++].k;
    undecided_range(w, at, g, &c.lo, &c.hi);
    c.ones = c.lo;
    while (c.ones < c.hi && w->ranked[c.ones].r > 0)
        c.ones++;
    return c;
}

/* The maximum over the hull of the linearisation of g at z. */
static double linear_bound(quad_relax *w, const quad_node *at, double g)
{
    const quad_form *f = w->form;
    for (int64_t h = 0; h < f->groups; h++) {
        cut c = sort_group(w, at, h);
        for (int64_t i = 0; i < c.size; i++) {
            quad_ranked p = w->ranked[i];
            g += p.r * ((i < c.ones ? 1 : -1) - at->z[p.k]);
        }
    }
    return g + w->rounding;
}

/* Decides each undecided z_k for which the other value has a bound of at most w->threshold; `bound`: that of the present z.
 * Returns whether there were any. */
static bool decide_by_cost(quad_relax *w, quad_node *at, double bound)
{
    const quad_form *f = w->form;
    bool any = false;
    for (int64_t h = 0; h < f->groups; h++) {
        bool here = false;
        if (w->undecided[h] == 0)
            continue;
        cut c = sort_group(w, at, h);
        double in = c.ones > 0 ? w->ranked[c.ones - 1].r : HUGE_VAL;
        double out = c.ones < c.size ? w->ranked[c.ones].r : -HUGE_VAL;
        for (int64_t i = 0; i < c.size; i++) {
            quad_ranked p = w->ranked[i];
            double cost = i < c.ones ? p.r - out : in - p.r;
            if (i < c.ones && c.ones > c.lo && p.r < cost)
                cost = p.r;
            if (i >= c.ones && c.ones < c.hi && -p.r < cost)
                cost = -p.r;
            double other = bound - 2 * cost;
            if (!(other <= w->threshold))
                continue;
            w->pruned = other > w->pruned ? other : w->pruned;
            at->z[p.k] = at->mark[p.k] = i < c.ones ? 1 : -1;
            here = any = true;
        }
        if (here)
            update_group(w, at, h);
    }
    return any;
}

double quad_relax_bound(quad_relax *w, quad_node *at)
{
    const quad_form *f = w->form;
    double best = HUGE_VAL;
    for (int64_t g = 0; g < f->groups; g++)
        update_group(w, at, g);
    gradient(w, at);
    for (int check = 0; check < CHECKS; check++) {
        int64_t open = 0;
        for (int64_t g = 0; g < f->groups; g++)
            open += w->undecided[g];
        double gain = 0;
        /* a bound takes less time than the steps that it may make needless */
        const int64_t most = w->precise ? open / 2 + 4 : open / 4 + 3;
        for (int64_t steps = 0; steps < most && open > 0; steps++) {
            step s = best_step(w, at);
            if (!(s.gain > w->rounding))
                break;
            take_step(w, at, s);
            gain += s.gain;
        }
        double g = value_at(w, at);
        double bound = linear_bound(w, at, g);
        best = bound < best ? bound : best;
        if (best <= w->threshold || open == 0)
            break;
        if (decide_by_cost(w, at, bound)) {
            gradient(w, at);
            continue;
        }
        /* stop if nothing was gained; also once the bound is near g if g, which no bound is below, exceeds the threshold, so
         * that this node cannot be pruned */
        const double enough = (w->precise ? 0.2 : 1) * (g - w->threshold);
        if (!(gain > w->rounding) || (g > w->threshold && bound - g < enough))
            break;
    }
    return best;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The SVM dual whose variables share their upper bounds in groups.  The unused part of a group's bound, its rest, counts as
 * one more member, with z = 0 and the gradient 0.  Then the members of a group have a constant sum, a step moves weight from
 * one member to another, and at the optimum all members with weight have the largest gradient of their group.
 *
 * Moves of the pair with the largest gain find out which members have weight; Newton steps on these make the solution exact.
 * In a Newton step the heaviest member of each group gives or takes what the others take or give.  If the steps get stuck,
 * the solver first maximises over the face of the members with weight, and only then lets others gain weight, as in
 * boxqp.c: the dual value rises from face to face, so this terminates.
 */
#include "solve/svm/groupqp.h"
#include "solve/svm/boxqp.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

enum {
    REST = -1 /* in place of an example: the rest of its group */
};
/* Less weight than this part of a group's bound is rounding, and becomes 0. */
static const double SLIVER = 1e-15;
static const double FLAT = 1e-13; /* of Q_ii + Q_jj: less curvature counts as none */

typedef struct solver {
    const wlab_groupqp *p;
    double *alpha, *g;
    wlab_groupqp_result *result;
    wlab_progress *progress;
    /* workspace */
    int32_t *first;  /* [groups + 1] group k has the members member[first[k]] to member[first[k + 1] - 1] */
    int32_t *member; /* [m] */
    int32_t *up;     /* [m + groups] a variable of a Newton step moves weight to `up`, an example or REST, */
    int32_t *down;   /* [m + groups] from `down`, the heaviest member of the same group, */
    int32_t *of;     /* [m + groups] which is this one */
    int32_t *pick;   /* [m + groups] */
    double *rest;    /* [groups] */
    double *left;    /* [groups] the rests after a step */
    double *to;      /* [m] the weights after a step, and the step */
    double *Qs;      /* [m] Q times the step */
    double *d;       /* [m + groups] the Newton direction */
    double *H, *A;   /* [capacity x capacity] */
    int64_t capacity;
} solver;

/* A move of weight t from one member of a group to another. */
typedef struct move {
    int32_t group, up, down;
    double t, gain;
} move;

static double gradient(const solver *s, int32_t i)
{
    return i == REST ? 0 : s->g[i];
}
static double entry(const solver *s, int32_t i, int32_t j)
{
    return i == REST || j == REST ? 0 : s->p->Q[i * s->p->m + j];
}
static double *weight(const solver *s, int32_t k, int32_t i)
{
    return i == REST ? &s->rest[k] : &s->alpha[i];
}

/* The largest gradient of group k, at least that of its rest, 0; *top: the member that has it. */
static double largest(const solver *s, int64_t k, int32_t *top)
{
    double most = 0;
    *top = REST;
    for (int32_t a = s->first[k]; a < s->first[k + 1]; a++)
        if (s->g[s->member[a]] > most)
            most = s->g[ *top = s->member[a]];
    return most;
}

/* primal - dual as a sum of terms that are never negative. */
static double measure(const solver *s, double *dual)
{
    double gap = 0, sum = 0;
    for (int64_t k = 0; k < s->p->groups; k++) {
        int32_t top;
        const double loss = s->p->most[k] > 0 ? largest(s, k, &top) : 0;
        gap += s->rest[k] * loss;
        for (int32_t a = s->first[k]; a < s->first[k + 1]; a++) {
            const int32_t i = s->member[a];
            gap += s->alpha[i] > 0 ? s->alpha[i] * (loss - s->g[i]) : 0;
            sum += s->alpha[i] * (1 + s->g[i]);
        }
    }
    *dual = sum / 2; /* 1'a - 1/2 a'(1 - g) */
    return gap;
}

/* Sets a group's rest to what its members leave of its bound; they are scaled down if they exceed it. */
static void settle(solver *s, int64_t k)
{
    const double most = s->p->most[k];
    double sum = 0;
    for (int32_t a = s->first[k]; a < s->first[k + 1]; a++) {
        double *x = &s->alpha[s->member[a]];
        *x = *x > SLIVER * most ? *x : 0; /* NaN: 0 */
        sum += *x;
    }
    for (int32_t a = s->first[k]; a < s->first[k + 1] && sum > most; a++)
        s->alpha[s->member[a]] *= most / sum;
    s->rest[k] = most - sum > SLIVER * most * (s->first[k + 1] - s->first[k]) ? most - sum : 0;
}

/* alpha in its bounds, and g = 1 - Q alpha: updates accumulate rounding errors. */
static void recompute(solver *s)
{
    const int64_t m = s->p->m;
    for (int64_t k = 0; k < s->p->groups; k++)
        settle(s, k);
    for (int64_t i = 0; i < m; i++)
        s->g[i] = 1;
    for (int64_t i = 0; i < m; i++)
        if (s->alpha[i] != 0)
            cblas_daxpy((int)m, -s->alpha[i], s->p->Q + i * m, 1, s->g, 1);
}

/* ---- moves of pairs ---- */

static void offer(const solver *s, move *best, move next)
{
    const double by = gradient(s, next.up) - gradient(s, next.down), all = *weight(s, next.group, next.down);
    if (!(by > 0) || !(all > 0))
        return;
    const double one = entry(s, next.up, next.up), other = entry(s, next.down, next.down);
    double h = one + other - 2 * entry(s, next.up, next.down);
    h = h > FLAT * (one + other) ? h : FLAT * (one + other);
    next.t = by < all * h ? by / h : all;
    next.gain = next.t * (by - 0.5 * h * next.t);
    if (next.gain > best->gain)
        *best = next;
}

/* The move with the largest gain to the member with the largest gradient of its group.  Ties: the lowest group and row. */
static move best_move(const solver *s)
{
    move best = {.gain = 0};
    for (int32_t k = 0; k < s->p->groups; k++) {
        move next = {.group = k, .down = REST};
        largest(s, k, &next.up);
        offer(s, &best, next);
        for (int32_t a = s->first[k]; a < s->first[k + 1]; a++) {
            next.down = s->member[a];
            offer(s, &best, next);
        }
    }
    return best;
}

/* Adds `by` to the weight of a member. */
static void add(solver *s, int32_t k, int32_t i, double by)
{
    const int64_t m = s->p->m;
    double *x = weight(s, k, i);
    *x += by;
    if (i != REST)
        cblas_daxpy((int)m, -by, s->p->Q + i * m, 1, s->g, 1);
}

static void ascend(solver *s, int64_t updates)
{
    for (int64_t u = 0; u < updates; u++) {
        const move best = best_move(s);
        if (!(best.gain > 0))
            return;
        const double all = *weight(s, best.group, best.down);
        const bool empty = all - best.t <= SLIVER * s->p->most[best.group];
        add(s, best.group, best.up, empty ? all : best.t);
        add(s, best.group, best.down, empty ? -all : -best.t);
        s->result->updates++;
        wlab_progress_add(s->progress, 1);
    }
}

/* ---- Newton steps ---- */

static int32_t heaviest(const solver *s, int32_t k)
{
    int32_t top = REST;
    for (int32_t a = s->first[k]; a < s->first[k + 1]; a++)
        if (s->alpha[s->member[a]] > *weight(s, k, top))
            top = s->member[a];
    return top;
}

/* The mean gradient of a group by weight: at the optimum that of each member with weight. */
static double level(const solver *s, int32_t k)
{
    double sum = 0;
    for (int32_t a = s->first[k]; a < s->first[k + 1]; a++)
        sum += s->alpha[s->member[a]] * s->g[s->member[a]];
    return sum / s->p->most[k];
}

/* Selects the variables of a Newton step: members with weight (`face`), else also those whose gradient is above their
 * group's.  Returns how many. */
static int64_t select_free(solver *s, bool face)
{
    int64_t v = 0;
    for (int32_t k = 0; k < s->p->groups; k++) {
        if (!(s->p->most[k] > 0))
            continue;
        const int32_t top = heaviest(s, k);
        const double mean = level(s, k);
        for (int32_t a = s->first[k] - 1; a < s->first[k + 1]; a++) {
            const int32_t i = a < s->first[k] ? REST : s->member[a];
            if (i == top || !(*weight(s, k, i) > 0 || (!face && gradient(s, i) > mean)))
                continue;
            s->up[v] = i;
            s->down[v] = top;
            s->of[v++] = k;
        }
    }
    return v;
}

static wlab_code reserve(solver *s, int64_t v, wlab_err *err)
{
    if (v <= s->capacity)
        return WL_OK;
    s->capacity = 0;
    s->H = wlab_free(s->H);
    s->A = wlab_free(s->A);
    s->H = wlab_alloc((size_t)(v * v), sizeof *s->H);
    s->A = wlab_alloc((size_t)(v * v), sizeof *s->A);
    if (!s->H || !s->A)
        return wlab_nomem(err);
    s->capacity = v;
    return WL_OK;
}

/* d [v] = the change of each variable that would maximise the dual without bounds. */
static wlab_code direction(solver *s, int64_t v, wlab_ctx *ctx, wlab_err *err)
{
    wlab_code code = reserve(s, v, err);
    if (code)
        return code;
    for (int64_t a = 0; a < v; a++) {
        s->pick[a] = (int32_t)a;
        s->d[a] = gradient(s, s->up[a]) - gradient(s, s->down[a]);
        for (int64_t b = 0; b <= a; b++)
            s->H[a * v + b] = s->H[b * v + a] =
                entry(s, s->up[a], s->up[b]) - entry(s, s->up[a], s->down[b]) -
                entry(s, s->down[a], s->up[b]) + entry(s, s->down[a], s->down[b]);
    }
    if ((code = wlab_boxqp_factor(s->H, v, NULL, s->pick, v, s->A, ctx, err)))
        return code;
    LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', (lapack_int)v, 1, s->A, (lapack_int)v, s->d, (lapack_int)v);
    return WL_OK;
}

static double *target(const solver *s, int32_t k, int32_t i)
{
    return i == REST ? &s->left[k] : &s->to[i];
}

/* The weights and rests after `scale` times the direction, which may be negative. */
static void aim(solver *s, int64_t v, double scale)
{
    memcpy(s->to, s->alpha, (size_t)s->p->m * sizeof *s->to);
    memcpy(s->left, s->rest, (size_t)s->p->groups * sizeof *s->left);
    for (int64_t a = 0; a < v; a++) {
        *target(s, s->of[a], s->up[a]) += scale * s->d[a];
        *target(s, s->of[a], s->down[a]) -= scale * s->d[a];
    }
}

/* The longest step along the direction, at most 1, that leaves every weight at 0 or more. */
static double longest(solver *s, int64_t v)
{
    double t = 1;
    aim(s, v, 1);
    for (int64_t a = 0; a < v; a++) {
        const int32_t ends[] = {s->up[a], s->down[a]};
        for (int e = 0; e < 2; e++) {
            const double from = *weight(s, s->of[a], ends[e]), by = *target(s, s->of[a], ends[e]) - from;
            if (by * t < -from)
                t = -from / by;
        }
    }
    return t;
}

/* The nearest weights of group k that are not negative and have the sum that they should have: each is lowered by the same,
 * down to 0.  The amount is found by leaving out in turn the members that it would make negative. */
static void project(solver *s, int64_t v, int64_t *next)
{
    const int32_t k = s->of[*next];
    const int64_t from = *next;
    while (*next < v && s->of[*next] == k)
        ++*next;
    double *down = target(s, k, s->down[from]), lower = 0;
    for (int64_t left = INT64_MAX;;) {
        double sum = *down > lower ? *down : 0;
        int64_t many = *down > lower;
        for (int64_t a = from; a < *next; a++) {
            const double x = *target(s, k, s->up[a]);
            sum += x > lower ? x : 0;
            many += x > lower;
        }
        if (many >= left || many == 0) /* rounding could bring some back */
            break;
        left = many;
        lower = fmax(0, (sum - s->p->most[k]) / (double)many);
    }
    *down = *down > lower ? *down - lower : 0;
    for (int64_t a = from; a < *next; a++) {
        double *x = target(s, k, s->up[a]);
        *x = *x > lower ? *x - lower : 0;
    }
}

/* Makes the step that was aimed at out of `to`, projected, and Q times it; returns its gain. */
static double try_step(solver *s, int64_t v)
{
    const int64_t m = s->p->m;
    double linear = 0;
    for (int64_t a = 0; a < v;)
        project(s, v, &a);
    memset(s->Qs, 0, (size_t)m * sizeof *s->Qs);
    for (int64_t i = 0; i < m; i++) {
        s->to[i] -= s->alpha[i];
        if (s->to[i] != 0)
            cblas_daxpy((int)m, s->to[i], s->p->Q + i * m, 1, s->Qs, 1);
        linear += s->g[i] * s->to[i];
    }
    return linear - 0.5 * cblas_ddot((int)m, s->to, 1, s->Qs, 1);
}

/* The whole Newton step, projected; if that gains less, cut where the first weight becomes 0.  *gained = 0: the dual does
 * not rise, and nothing has changed. */
static wlab_code newton_step(solver *s, bool face, double *gained, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t m = s->p->m, v = select_free(s, face);
    double slope = 0;
    *gained = 0;
    wlab_code code = v > 0 ? direction(s, v, ctx, err) : WL_OK;
    if (code || v == 0)
        return code;
    for (int64_t a = 0; a < v; a++)
        slope += s->d[a] * (gradient(s, s->up[a]) - gradient(s, s->down[a]));
    const double t = longest(s, v);
    double gain = try_step(s, v);
    if (t < 1 && !(gain > (t - 0.5 * t * t) * slope)) {
        aim(s, v, t);
        gain = try_step(s, v);
    }
    s->result->newtons++;
    wlab_progress_add(s->progress, 1);
    if (!(gain > 0))
        return WL_OK;
    for (int64_t i = 0; i < m; i++) {
        s->alpha[i] += s->to[i];
        s->g[i] -= s->Qs[i];
    }
    for (int64_t k = 0; k < s->p->groups; k++)
        settle(s, k);
    *gained = gain;
    return WL_OK;
}

/* Newton steps until the gap is within `tol` or a step no longer increases the dual; at most `most`. */
static wlab_code newton_steps(solver *s, bool face, double tol, int64_t most, wlab_ctx *ctx, wlab_err *err)
{
    for (int64_t k = 0; k < most; k++) {
        double dual, gained;
        if (k > 0 && wlab_interrupted(ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        if (measure(s, &dual) <= tol * fabs(dual))
            break;
        wlab_code code = newton_step(s, face, &gained, ctx, err);
        if (code)
            return code;
        if (!(gained > 1e-16 * fabs(dual)))
            break;
    }
    return WL_OK;
}

/* ---- the solver ---- */

static wlab_code prepare(solver *s, wlab_err *err)
{
    const wlab_groupqp *p = s->p;
    for (int64_t i = 0; i < p->m; i++) {
        const double h = p->Q[i * p->m + i];
        if (!isfinite(h) || !isfinite(p->most[p->group[i]]))
            return wlab_fail(err, WL_ENUMERIC, "%s", wlab_svm_not_finite);
        if (h < 0)
            return wlab_fail(err, WL_ENUMERIC, "%s", wlab_svm_not_psd);
    }
    memset(s->first, 0, (size_t)(p->groups + 1) * sizeof *s->first);
    for (int64_t i = 0; i < p->m; i++)
        s->first[p->group[i] + 1]++;
    for (int64_t k = 0; k < p->groups; k++)
        s->first[k + 1] += s->first[k];
    for (int64_t i = p->m - 1; i >= 0; i--) /* first[k + 1] moves down to where group k begins */
        s->member[--s->first[p->group[i] + 1]] = (int32_t)i;
    memmove(s->first, s->first + 1, (size_t)p->groups * sizeof *s->first);
    s->first[p->groups] = (int32_t)p->m;
    return WL_OK;
}

static wlab_code solve(solver *s, double tol, wlab_ctx *ctx, wlab_err *err)
{
    enum {
        ROUNDS = 2000,
        IDLE = 8, /* rounds in a row without progress: as exact as doubles allow */
        NEWTONS = 12
    };
    const int64_t m = s->p->m;
    wlab_code code = prepare(s, err);
    bool cold = true;
    if (code)
        return code;
    recompute(s);
    for (int64_t i = 0; i < m; i++)
        cold = cold && s->alpha[i] == 0;
    double least = HUGE_VAL, highest = -HUGE_VAL;
    for (int round = 0, idle = 0;; round++) {
        if (round > 0 && wlab_interrupted(ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        ascend(s, cold && round == 0 ? 3 * m : m / 2 + 10);
        if ((code = newton_steps(s, false, tol, NEWTONS, ctx, err)) ||
            (round > 2 && (code = newton_steps(s, true, tol, m + 10, ctx, err))))
            return code;
        recompute(s); /* certify with a fresh gradient */
        double dual;
        const double gap = measure(s, &dual);
        if (!isfinite(gap) || !isfinite(dual))
            return wlab_fail(err, WL_ENUMERIC, "%s", wlab_svm_not_finite);
        s->result->dual = dual;
        s->result->primal = dual + gap;
        idle = gap < 0.9 * least || dual - highest > 1e-15 * fabs(dual) ? 0 : idle + 1;
        least = gap < least ? gap : least;
        highest = dual > highest ? dual : highest;
        if (gap <= tol * fabs(dual) || round == ROUNDS || idle > IDLE)
            return WL_OK; /* the result reports the remaining gap */
    }
}

wlab_code wlab_groupqp_solve(const wlab_groupqp *p, double tol, double *alpha, double *g,
                             wlab_groupqp_result *result, wlab_progress *progress, wlab_ctx *ctx,
                             wlab_err *err)
{
    const size_t m = (size_t)p->m, groups = (size_t)p->groups, all = m + groups;
    int32_t *index = wlab_alloc(groups + 1 + m + 4 * all, sizeof *index);
    double *real = wlab_alloc(2 * groups + 2 * m + all, sizeof *real);
    solver s = {.p = p, .alpha = alpha, .g = g, .result = result, .progress = progress};
    wlab_code code = WL_OK;
    memset(result, 0, sizeof *result);
    if (!index || !real) {
        code = wlab_nomem(err);
    } else {
        s.first = index, s.member = s.first + groups + 1;
        s.up = s.member + m, s.down = s.up + all, s.of = s.down + all, s.pick = s.of + all;
        s.rest = real, s.left = s.rest + groups, s.to = s.left + groups, s.Qs = s.to + m, s.d = s.Qs + m;
        code = solve(&s, tol, ctx, err);
    }
    wlab_free(index);
    wlab_free(real);
    wlab_free(s.H);
    wlab_free(s.A);
    return code;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * WellSVM for the linear kernel at size: dual coordinate ascent on all weight vectors at once.
 *
 * A round is one pass over the data, which knows every output, and with it primal value and certified gap, and some sweeps
 * over the rows that are free or whose output is near where it would matter.  Few are: most rows stay at a bound.
 * The master is a saddle point of alpha and mu, and J(mu) = max over alpha has kinks where the SVM at mu has many solutions:
 * only one of them equals the q_t.  So mu is not moved between SVMs but gives way to every change of an alpha,
 *     mu = argmax over the simplex of 1/2 mu'q - soft/2 ||mu - center||^2,   q_t = ||v_t||^2,
 * which makes one smooth problem of both; center follows from round to round (the proximal point method, on mu).
 */
#include "algo/wellsvm/vectors.h"
#include "algo/wellsvm/wellsvm.h"
#include "solve/svm/boxqp.h"

#include <string.h>

enum {
    MAX_ROUNDS = 2000,
    SWEEPS = 4, /* of a round, at most */
    BLOCK = 16, /* rows of a sweep that stay together */
    HALVINGS = 40,
};

static const double FIRST_BAND = 0.3, SOFT = 0.05, SOFTEST = 1e-10; /* of the largest q */

typedef struct solver {
    wellsvm *s;
    wlab_ctx *ctx;
    well_vectors *w;
    double *mu, *q;   /* [T] of the labelings in w */
    uint32_t *sign;   /* of labelings that are not the working set's */
    double *alpha;    /* [n] */
    double *o;        /* [n] outputs of the last pass, in s->kb */
    double *dot, *by; /* [width] */
    int32_t *active;
    int64_t n_active;
    int32_t *order;                     /* of blocks of active rows */
    double S, D, dual, primal, inverse; /* 1 / lambda */
    double soft, *center;               /* [T]; soft = 0: mu stays during a sweep */
    bool moved;                         /* an alpha, in this round */
    double *q_before;                   /* [width] */
    wlab_rng rng;
} solver;

static double most_of(const double *q, int64_t T)
{
    double most = -HUGE_VAL;
    for (int64_t t = 0; t < T; t++)
        most = q[t] > most ? q[t] : most;
    return most;
}

/* sum_t mu_t G - min_t G. */
static double mixing_gap(const solver *v)
{
    double mix = 0;
    for (int64_t t = 0; t < v->w->T; t++)
        mix += v->mu[t] * v->q[t];
    double gap = 0.5 * (most_of(v->q, v->w->T) - mix);
    return gap > 0 ? gap : 0;
}

/* Every output, primal and dual value at alpha; S, D and q without what rounding has added. */
static wlab_code look(solver *v, wlab_err *err)
{
    const wellsvm *s = v->s;
    double loss = 0, norm = 0;
    for (int64_t t = 0; t < v->w->T; t++)
        v->by[t] = v->mu[t] / s->lambda;
    wlab_code code = well_vectors_outputs(v->w, v->by, v->o, err);
    if (code)
        return code;
    well_vectors_norms(v->w, v->q);
    for (int64_t t = 0; t < v->w->T; t++) {
        v->q[t] /= s->lambda;
        norm += v->mu[t] * v->q[t];
    }
    v->S = v->D = 0;
    for (int64_t i = 0; i < s->n; i++) {
        const double cap = well_cap(s, i);
        if (cap == 0)
            continue;
        double slack = 1 - v->o[i];
        slack = slack < 0 ? 0 : slack; /* NaN stays */
        loss += s->delta ? 0.5 * slack * slack / s->delta[i] : cap * slack;
        v->S += v->alpha[i];
        v->D += s->delta ? s->delta[i] * v->alpha[i] * v->alpha[i] : 0;
    }
    v->dual = v->S - 0.5 * norm - 0.5 * v->D;
    v->primal = 0.5 * norm + loss;
    if (!isfinite(v->dual) || !isfinite(v->primal))
        return wlab_fail(err, WL_ENUMERIC, "%s", wlab_svm_not_finite);
    return WL_OK;
}

/* Rows that are free, that violate, or whose gradient is within `band` of it. */
static void choose(solver *v, double band)
{
    const wellsvm *s = v->s;
    v->n_active = 0;
    for (int64_t i = 0; i < s->n; i++) {
        double a = v->alpha[i], g = 1 - v->o[i] - (s->delta ? s->delta[i] * a : 0);
        const double cap = well_cap(s, i);
        if (cap == 0 || (a == 0 && g < -band) || (a == cap && g > band))
            continue;
        v->active[v->n_active++] = (int32_t)i;
    }
}

/* mu = the point of the simplex nearest center + q / (2 soft), or less the same for all: q / (2 soft) alone would be so
 * large with a small soft that nothing of center is left. */
static void give_way(solver *v)
{
    const int64_t T = v->w->T;
    const double most = most_of(v->q, T);
    double level = 0, sum = 0, last;
    int64_t in = T;
    for (int64_t t = 0; t < T; t++) {
        v->by[t] = v->center[t] + (v->q[t] - most) / (2 * v->soft);
        sum += v->by[t];
    }
    level = (sum - 1) / (double)T;
    do { /* those below the level leave, and the level rises */
        last = level;
        sum = 0;
        in = 0;
        for (int64_t t = 0; t < T; t++)
            if (v->by[t] > last) {
                sum += v->by[t];
                in++;
            }
        level = (sum - 1) / (double)in;
    } while (level > last);
    for (int64_t t = 0; t < T; t++)
        v->mu[t] = v->by[t] > level ? v->by[t] - level : 0;
}

/* 1/2 mu'q - soft/2 ||mu - center||^2, the maximum that give_way() found. */
static double pull(const solver *v)
{
    double sum = 0, away = 0;
    for (int64_t t = 0; t < v->w->T; t++) {
        const double d = v->mu[t] - v->center[t];
        sum += v->mu[t] * v->q[t];
        away += d * d;
    }
    return 0.5 * (sum - v->soft * away);
}

/* sum over the labelings with mu > 0 of (z_t - their mean)^2 / soft, z_t = dot_t / lambda: what giving way adds to the
 * curvature along alpha_i. */
static double stiffness(const solver *v)
{
    double sum = 0, squares = 0;
    int64_t in = 0;
    for (int64_t t = 0; t < v->w->T; t++)
        if (v->mu[t] > 0) {
            const double z = v->dot[t] * v->inverse;
            sum += z;
            squares += z * z;
            in++;
        }
    const double spread = squares - sum * sum / (double)in;
    return spread > 0 ? spread / v->soft : 0;
}

/* One row's step, unless it is beyond the band and stays until the next pass: then it is marked in *row.  Adds to *gap
 * what the row had to the inner gap. */
static void visit(solver *v, int32_t *row, double band, double *gap)
{
    wellsvm *s = v->s;
    well_vectors *w = v->w;
    const int64_t i = *row, T = w->T;
    const uint32_t *sign = well_signs(w, i);
    const double de = s->delta ? s->delta[i] : 0, norm = s->sqnorm[i], a = v->alpha[i], up = well_cap(s, i);
    double o = 0;
    well_vectors_dots(w, i, v->dot);
    for (int64_t t = 0; t < T; t++) {
        v->dot[t] *= well_sign(sign, t);
        o += v->mu[t] * v->dot[t];
    }
    o *= v->inverse;
    const double g = 1 - o - de * a;
    if ((a == 0 && g < 0) || (a == up && g > 0)) {
        if (fabs(g) > band)
            *row = ~*row;
        if (!s->delta || a == 0)
            return;
    }
    if (s->delta) {
        const double slack = o < 1 ? 1 - o : 0, off = slack / de - a;
        *gap += 0.5 * de * off * off + (o > 1 ? a * (o - 1) : 0);
    } else {
        *gap += g > 0 ? (up - a) * g : -a * g;
    }
    const double h = norm + de + (v->soft > 0 ? stiffness(v) : 0);
    double to = h > 0 ? a + g / h : g > 0 ? up : a;
    to = to < 0 ? 0 : to > up ? up : to;
    if (to == a)
        return;
    double by = to - a;
    const double before = v->soft > 0 ? pull(v) : 0;
    memcpy(v->q_before, v->q, (size_t)T * sizeof *v->q);
    for (int halvings = 0;; halvings++) {
        for (int64_t t = 0; t < T; t++)
            v->q[t] = v->q_before[t] + by * (2 * v->dot[t] * v->inverse + by * norm);
        if (!(v->soft > 0))
            break;
        give_way(v);
        /* The curvature is that of the labelings with mu > 0; where others come in the step may be too long. */
        const double gain = by - 0.5 * de * by * (2 * a + by) - (pull(v) - before);
        if (gain >= -1e-12 * fabs(before) || halvings == HALVINGS)
            break;
        by *= 0.5;
    }
    to = a + by;
    v->moved = true;
    v->alpha[i] = to;
    v->S += by;
    v->D += de * (to * to - a * a);
    for (int64_t t = 0; t < T; t++)
        v->by[t] = by * well_sign(sign, t);
    well_vectors_add(w, i, v->by);
}

/* One sweep over the active rows; returns the inner gap of them as it was met.  Neighbours in memory stay together, so
 * that what is read next is near: blocks in random order, and so the rows in each. */
static double sweep(solver *v, double band)
{
    const int64_t blocks = wlab_rng_shuffle_blocks(&v->rng, v->active, v->n_active, BLOCK, v->order);
    double gap = 0;
    for (int64_t b = 0; b < blocks; b++) {
        const int64_t first = (int64_t)v->order[b] * BLOCK,
                      end = first + BLOCK < v->n_active ? first + BLOCK : v->n_active;
        for (int64_t k = first; k < end; k++)
            well_vectors_fetch(v->w, v->active[k]);
        for (int64_t k = first; k < end; k++)
            visit(v, &v->active[k], band, &gap);
    }
    int64_t kept = 0;
    for (int64_t k = 0; k < v->n_active; k++)
        if (v->active[k] >= 0)
            v->active[kept++] = v->active[k];
    v->n_active = kept;
    wlab_progress_add(v->s->told, 1);
    return gap;
}

static void solver_free(solver *v)
{
    well_vectors_destroy(v->w);
    wlab_free(v->mu);
    wlab_free(v->q);
    wlab_free(v->sign);
    wlab_free(v->dot);
    wlab_free(v->by);
    wlab_free(v->active);
    wlab_free(v->order);
    wlab_free(v->center);
    wlab_free(v->q_before);
}

/* v_t from alpha, for labelings y [T x n] (NULL: the working set's). */
static wlab_code solver_make(solver *v, wellsvm *s, const int8_t *y, int64_t T, const double *mu,
                             double *alpha, wlab_ctx *ctx, wlab_err *err)
{
    const size_t n = (size_t)s->n;
    const int64_t words = y ? (T + 31) / 32 : s->words;
    *v = (solver){.s = s, .ctx = ctx, .alpha = alpha, .o = s->kb, .inverse = 1 / s->lambda};
    if (y && !(v->sign = wlab_calloc(n * (size_t)words, sizeof *v->sign)))
        return wlab_nomem(err);
    for (int64_t t = 0; t < T && y; t++)
        for (int64_t i = 0; i < s->n; i++)
            v->sign[i * words + (t >> 5)] |= (uint32_t)(y[t * s->n + i] < 0) << (t & 31);
    wlab_code code = well_vectors_create(&v->w, s->p->X, s->kernel.bias, y ? v->sign : s->sign, words, T,
                                         ctx ? ctx->pool : NULL, err);
    if (code)
        return code;
    const size_t width = (size_t)v->w->width;
    v->mu = wlab_calloc(width, sizeof *v->mu);
    v->q = wlab_calloc(width, sizeof *v->q);
    v->dot = wlab_calloc(width, sizeof *v->dot);
    v->by = wlab_calloc(width, sizeof *v->by);
    v->center = wlab_calloc(width, sizeof *v->center);
    v->q_before = wlab_calloc(width, sizeof *v->q_before);
    v->active = wlab_alloc(n, sizeof *v->active);
    v->order = wlab_alloc(n / BLOCK + 1, sizeof *v->order);
    if (!v->center || !v->q_before || !v->order || !v->mu || !v->q || !v->dot || !v->by || !v->active)
        return wlab_nomem(err);
    memcpy(v->mu, mu, (size_t)T * sizeof *mu);
    for (int64_t i = 0; i < s->n; i++) {
        const double a = alpha[i], cap = well_cap(s, i);
        alpha[i] = !(a > 0) ? 0 : a > cap ? cap : a;
        if (cap == 0)
            well_vectors_leave_out(v->w, i);
    }
    well_vectors_rebuild(v->w, alpha);
    /* the order of the sweeps is part of the result: a generator of this solve's own */
    wlab_rng_seed(&v->rng, (uint64_t)(s->step * 1000003 + s->svms));
    return WL_OK;
}

static void solver_tell(const solver *v, well_point *at)
{
    memcpy(at->q, v->q, (size_t)v->w->T * sizeof *at->q);
    at->dual = v->dual;
    at->primal = v->primal;
    at->S = v->S;
    at->D = v->D;
}

/* The band of the next round: wider where the sweeps took the problem for more nearly solved than the pass then found. */
static double next_band(double band, double met, double found)
{
    return found > 3 * met ? 2 * band : band > 0.04 ? 0.5 * band : band;
}

wlab_code well_linear_solve(wellsvm *s, const int8_t *y, int64_t T, const double *mu, double tol,
                            well_point *at, wlab_ctx *ctx, wlab_err *err)
{
    solver v = {0};
    wlab_code code;
    if ((code = solver_make(&v, s, y, T, mu, at->alpha, ctx, err)))
        goto out;
    double band = FIRST_BAND, met = HUGE_VAL;
    for (int64_t round = 0; round < MAX_ROUNDS; round++) {
        if ((code = look(&v, err)))
            goto out;
        const double allowed = tol * fabs(v.dual);
        if (v.primal - v.dual <= allowed)
            break;
        if (wlab_interrupted(ctx)) {
            code = wlab_fail(err, WL_EINTERRUPTED, "interrupted");
            goto out;
        }
        band = round > 0 ? next_band(band, met, v.primal - v.dual) : band;
        choose(&v, band);
        for (int k = 0; k < SWEEPS && (k == 0 || met > 0.5 * allowed); k++)
            met = sweep(&v, band);
    }
    solver_tell(&v, at);
out:
    solver_free(&v);
    return code;
}

/* The proximal point method's next round: around mu, and with a weaker pull where the last round gained little. */
static void soften(solver *v, double inner, double mixing, double *last_mixing)
{
    if (!(v->soft > 0))
        v->soft = SOFT * most_of(v->q, v->w->T);
    else if (inner < mixing && mixing > 0.5 * *last_mixing && v->soft > SOFTEST * most_of(v->q, v->w->T))
        v->soft *= 0.5;
    *last_mixing = mixing;
    memcpy(v->center, v->mu, (size_t)v->w->T * sizeof *v->mu);
    v->s->updates++;
}

wlab_code well_linear_master(wellsvm *s, double tol, bool *done, wlab_ctx *ctx, wlab_err *err)
{
    solver v;
    double band = FIRST_BAND, met = HUGE_VAL, last_mixing = HUGE_VAL;
    *done = false;
    wlab_code code = solver_make(&v, s, NULL, s->T, s->mu, s->at.alpha, ctx, err);
    if (code)
        goto out;
    for (int64_t round = 0; round < MAX_ROUNDS; round++) {
        s->svms++;
        if ((code = look(&v, err)))
            goto out;
        double inner = v.primal - v.dual, mixing = mixing_gap(&v);
        const double allowed = tol * fabs(v.dual);
        *done = inner + mixing <= allowed;
        if (*done)
            break;
        if (wlab_interrupted(ctx)) {
            code = wlab_fail(err, WL_EINTERRUPTED, "interrupted");
            goto out;
        }
        if (s->T > 1)
            soften(&v, inner, mixing, &last_mixing);
        band = round > 0 ? next_band(band, met, inner) : band;
        choose(&v, band);
        v.moved = false;
        for (int k = 0; k < SWEEPS && (k == 0 || inner + mixing > 0.5 * allowed); k++) {
            inner = met = sweep(&v, band);
            mixing = mixing_gap(&v);
        }
        if (!v.moved && s->T > 1) /* every row stays at its bound, and mu has nothing to give way to */
            give_way(&v);
    }
    memcpy(s->mu, v.mu, (size_t)s->T * sizeof *s->mu);
    solver_tell(&v, &s->at);
out:
    solver_free(&v);
    return code;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The convex relaxation of the soft-max loss: its steps and the queries of its state.
 */
#include "linalg/eigen.h"
#include "solve/relax/state.h"

#include <math.h>
#include <string.h>

enum {
    INNER_STEPS = 2000, /* at most at one Y, whatever its gap then is */
    DOUBLINGS = 60,
    WAIT = 3,
    PATIENCE = 40, /* outer steps without a smaller gap */
    PUNISHED = 2   /* doublings in single precision */
};
/* Relative to F: more is no rounding error of a step in single precision. */
static const double ROUNDED = 1e-4;

void relax_begin(wlab_relax *s)
{
    const int64_t r = s->trial.r = s->now.r;
    memcpy(s->trial.V, s->now.V, (size_t)(s->nodes * r) * sizeof(double));
    memcpy(s->trial.U, s->now.U, (size_t)(s->d * r) * sizeof(double));
    memcpy(s->trial.b, s->now.b, (size_t)s->groups * sizeof(double));
    s->now.f = INFINITY;
    s->now.low = s->best = s->newest = -INFINITY;
    s->trial.single = false;
    s->trial.unit = s->now.unit;
    s->phase = RELAX_BEGIN;
    s->verdict = WL_RELAX_GOING;
    s->fresh = s->hard = s->accepted = s->exact = false;
    s->waiting = (relax_counts){0};
    s->tried = s->doubled = s->idle = s->wait = 0;
}

/* Begins anew after a change of settings.  An accepted trial whose certificate was interrupted is dropped, for it was
 * accepted under other settings. */
static void begin_anew(wlab_relax *s)
{
    if (s->accepted)
        s->L = s->L_before;
    relax_begin(s);
}

wlab_code wlab_relax_set_lambda(wlab_relax *s, double lambda, wlab_err *err)
{
    const double before = s->lambda;
    if (!(lambda > 0) || !isfinite(lambda))
        return wlab_fail(err, WL_EARG, "lambda must be a number above 0");
    s->lambda = relax_scaled(s, lambda);
    if (s->square) {
        wlab_code code = relax_square_form(s, NULL, err);
        if (code) {
            s->lambda = before;
            return code;
        }
    }
    s->given = lambda;
    begin_anew(s);
    return WL_OK;
}

/* ---- steps ---- */

static double size_of(double f)
{
    return fmax(fabs(f), 1e-9);
}

/* The required accuracy of F at the trial: a fraction of the outer gap, or at the start of the gap to reach. */
static double inner_tolerance(const wlab_relax *s)
{
    const double size = size_of(s->trial.f), gap = s->now.f + s->at.slack - s->best, target = s->eps * size;
    return fmax(fmax(0.01 * target, 1e-14), fmin(1e-3 * size, isfinite(gap) ? 0.05 * gap : 0.1 * target));
}

static void set_verdict(wlab_relax *s)
{
    const double gap = s->now.f + s->at.slack - s->best;
    if (gap <= s->eps * size_of(s->now.f))
        s->verdict = WL_RELAX_CONVERGED;
    else
        s->verdict = s->doubled > DOUBLINGS || s->idle > PATIENCE ? WL_RELAX_STALLED : WL_RELAX_GOING;
}

void wlab_relax_set_eps(wlab_relax *s, double eps)
{
    s->eps = eps;
    s->idle = 0;
    /* in another phase settings do not change between two calls for the same trial */
    if (s->accepted && s->phase == RELAX_BEGIN)
        begin_anew(s);
    if (isfinite(s->now.f))
        set_verdict(s);
}

static wlab_code accept_trial(wlab_relax *s, wlab_ctx *ctx, wlab_err *err)
{
    double lower, gap = s->now.f + s->at.slack - s->best;
    s->fresh = false; /* eigen-decompositions overwrite Omega */
    wlab_code code;
    if (wlab_interrupted(ctx))
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    if (s->tied &&
        (code = relax_spectrum(s, &s->trial, false, ctx, err))) /* the certificate changes `mean` */
        return code;
    if ((code = relax_certify(s, &s->trial, &lower, ctx, err)))
        return code;
    if (!s->tied) {
        const double best = fmax(s->best, lower), left = s->trial.f + s->spare.slack - best;
        if (wlab_interrupted(ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        if ((code = relax_spectrum(s, &s->trial, left <= s->eps * size_of(s->trial.f), ctx, err)))
            return code;
    }
    double *spectrum = s->spectrum;
    s->spectrum = s->next_spectrum;
    s->next_spectrum = spectrum;
    s->known = s->next_known;
    const relax_slope at = s->at, mean = s->mean;
    s->at = s->spare;
    s->spare = at;
    if (!s->tied && !s->square) {
        s->mean = s->blend;
        s->blend = mean;
    }
    const relax_point now = s->now;
    s->now = s->trial;
    s->trial = now;
    s->newest = lower;
    s->best = fmax(s->best, lower);
    if (!(s->t > 0))
        s->t = s->at.spread > 0 ? s->at.spread : 1;
    /* longer steps (a smaller t) after success; after a rejection only when WAIT steps have passed */
    s->wait = s->doubled > 0 ? WAIT : s->wait - 1;
    if (s->wait <= 0)
        s->t /= 2;
    s->phase = RELAX_NEXT;
    s->accepted = false;
    s->waiting = (relax_counts){0};
    s->doubled = 0;
    s->idle = s->now.f + s->at.slack - s->best < (1 - 1e-3) * gap ? 0 : s->idle + 1;
    s->outer++;
    set_verdict(s);
    return WL_OK;
}

/* over: how much F of the trial is above what the line search allows, at least. */
static void reject_trial(wlab_relax *s, double over)
{
    s->phase = RELAX_NEXT;
    /* rounding errors of single precision may be the reason, or log Y to first order: the same step again, without them */
    const bool near = relax_is_near(s, &s->now);
    if ((s->trial.single || near) && (over <= ROUNDED * fabs(s->now.f) || s->doubled >= PUNISHED)) {
        s->logged = s->logged && !near;
        s->exact = true;
        return;
    }
    s->t *= 2;
    s->doubled++;
    if (s->doubled > DOUBLINGS)
        set_verdict(s);
}

/* Whether F of the trial, of which only bounds are known, satisfies the line search.  over: by how much it does not. */
typedef enum relax_judgement {
    RELAX_UNDECIDED,
    RELAX_ACCEPTED,
    RELAX_REJECTED
} judgement;

static judgement judge_trial(wlab_relax *s, bool stuck, double *over)
{
    const double gap = s->trial.f - s->trial.low;
    double tol = inner_tolerance(s);

    if (s->phase == RELAX_BEGIN)
        return stuck || gap <= tol ? RELAX_ACCEPTED : RELAX_UNDECIDED;
    const double limit = s->now.f + 0.1 * s->expected + 1e-14;
    *over = s->trial.low - limit;
    if (!(*over <= 0))
        return RELAX_REJECTED;
    *over = s->trial.f - limit;
    tol = fmin(tol, fmax(-0.1 * s->expected, 1e-14));
    if (!stuck && !(gap <= tol))
        return RELAX_UNDECIDED;
    return *over <= 0 ? RELAX_ACCEPTED : RELAX_REJECTED;
}

/* Computes F and its bounds at the trial, and what the line search expects of it. */
static wlab_code evaluate_trial(wlab_relax *s, wlab_ctx *ctx, wlab_err *err)
{
    relax_point *p = &s->trial;
    const double f = p->f, low = p->low;
    if (s->square) {
        double sum = 0;
        (void)wlab_gemm(ctx, false, false, s->nodes, p->r, s->nodes, 1, s->M, s->nodes, p->V, p->r, 0, s->Q,
                        p->r);
        for (int64_t i = 0; i < s->nodes; i++)
            sum += relax_dot(s->Q + i * p->r, p->V + i * p->r, p->r);
        p->f = p->low = sum;
    } else {
        relax_vectors(s, p, ctx);
        p->f = relax_value(s, p, p->U, p->b, ctx);
        relax_bound(s, p, ctx);
    }
    s->expected = s->phase == RELAX_BEGIN ? 0 : fmin(relax_decrease(s, p, ctx), 0);
    const wlab_code stopped = relax_look(ctx, err);
    if (stopped) {
        p->f = f;
        p->low = low;
    }
    s->fresh = !stopped;
    return stopped;
}

static wlab_code advance(wlab_relax *s, bool *outer, wlab_ctx *ctx, wlab_err *err)
{
    bool moved = true;
    wlab_code code;

    if (s->phase == RELAX_NEXT) {
        bool usable;
        if ((code = relax_move(s, &usable, ctx, err)) || (code = relax_look(ctx, err)))
            return code;
        s->counts.trials++;
        if (!usable) {
            reject_trial(s, HUGE_VAL);
            return WL_OK;
        }
        if (!s->square && (code = relax_warm(s, ctx, err)))
            return code;
        if ((code = relax_look(ctx, err)))
            return code;
        s->phase = RELAX_TRIAL;
        s->fresh = false;
        s->tried = 0;
    }
    if (!s->fresh) {
        if ((code = evaluate_trial(s, ctx, err)))
            return code;
        if (s->tried == 0) {
            memcpy(s->before, s->trial.U, (size_t)(s->d * s->trial.r) * sizeof(double));
            memcpy(s->before_b, s->trial.b, (size_t)s->groups * sizeof(double));
            s->momentum = 1;
        }
    }
    double over = 0;
    judgement found = s->accepted ? RELAX_ACCEPTED : judge_trial(s, false, &over);
    if (found == RELAX_UNDECIDED) {
        code = s->method == WL_RELAX_NEWTON ? relax_newton(s, &s->trial, &moved, ctx, err)
                                            : relax_proximal(s, &s->trial, &moved, ctx, err);
        if (code)
            return code;
        s->counts.inner++;
        s->tried++;
        found = judge_trial(s, !moved || s->tried >= INNER_STEPS, &over);
    }
    if (found == RELAX_ACCEPTED) {
        s->accepted = *outer = true;
        return accept_trial(s, ctx, err);
    }
    if (found == RELAX_REJECTED)
        reject_trial(s, over);
    return WL_OK;
}

wlab_code wlab_relax_advance(wlab_relax *s, bool *outer, wlab_ctx *ctx, wlab_err *err)
{
    const relax_counts was = s->counts;
    const relax_phase phase = s->phase;
    const double L = s->L;
    const bool hard = s->hard, waits = s->accepted;
    *outer = false;
    if (s->verdict == WL_RELAX_STALLED) {
        *outer = true;
        return WL_OK;
    }
    if (s->accepted)
        s->counts = s->waiting;
    wlab_code code = advance(s, outer, ctx, err);
    if (!code)
        return WL_OK;
    *outer = false;
    if (s->accepted && phase != RELAX_NEXT) { /* the next call accepts this trial */
        if (!waits)
            s->L_before = L;
        s->waiting = s->counts;
    } else { /* restore the state: the next call computes a new trial again, with the same bits, and counts it */
        s->accepted = false;
        s->phase = phase;
        s->L = L;
        s->hard = hard;
    }
    s->counts = was;
    return code;
}

/* ---- queries ---- */

wlab_relax_verdict wlab_relax_state(const wlab_relax *s)
{
    return s->verdict;
}

wlab_relax_numbers wlab_relax_get(const wlab_relax *s)
{
    return (wlab_relax_numbers){.upper = s->now.f,
                                .inner_gap = s->now.f - s->now.low,
                                .lower = s->best,
                                .gap = fmax(s->now.f + s->at.slack - s->best, 0),
                                .newest = s->newest,
                                .lambda_min = s->at.least,
                                .t = s->t,
                                .violation = s->at.violation,
                                .rank = s->now.r,
                                .outer = s->outer,
                                .inner = s->counts.inner,
                                .cg = s->counts.cg,
                                .fits = s->counts.fits,
                                .trials = s->counts.trials};
}

const double *wlab_relax_factor(const wlab_relax *s, int64_t *rank)
{
    *rank = s->now.r;
    return s->now.V;
}

double *wlab_relax_room(wlab_relax *s, int64_t *size)
{
    *size = s->room;
    return s->lapack;
}

double wlab_relax_entry(const wlab_relax *s, int64_t a, int64_t b)
{
    if (s->row_group[a] == s->row_group[b])
        return 1;
    return relax_product(s, &s->now, s->all_node[s->row_group[a]], s->all_node[s->row_group[b]]);
}

void wlab_relax_vector(const wlab_relax *s, int64_t g, double *v)
{
    const int64_t r = s->now.r;
    const int32_t node = s->all_node[g];
    memset(v, 0, (size_t)r * sizeof *v);
    for (int64_t i = 0; i < (node < 0 ? s->block : 1); i++) {
        const double f = node < 0 ? s->vertex[(-1 - node) * s->block + i] : 1;
        for (int64_t j = 0; j < r; j++)
            v[j] += f * s->now.V[(node < 0 ? i : node) * r + j];
    }
}

const double *wlab_relax_eigenvalues(const wlab_relax *s, int64_t *known)
{
    *known = s->outer > 0 ? s->known : s->nodes;
    return s->spectrum;
}

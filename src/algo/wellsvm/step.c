/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One step of WellSVM (Algorithm 2): add the violated labeling, solve the master, search for the next violated
 * labeling, and compute bounds.  A unit that fails or is interrupted leaves the state unchanged.
 */
#include "algo/wellsvm/wellsvm.h"
#include "base/clock.h"

#include <math.h>
#include <string.h>

static wlab_code begin_step(wellsvm *s, wlab_err *err)
{
    wlab_code code = wlab_ranks_agree(well_ranks(s), well_reserve(s, s->T + 1, err), err);
    if (code)
        return code;
    if (s->T > 0)
        for (int64_t k = 0; k < s->n; k++)
            s->before[k] = well_label(s, s->T - 1, k);
    for (int64_t t = 0; t < s->T && s->spread_mu; t++)
        s->mu[t] = 0.9 * s->mu[t] + 0.1 / (double)s->T;
    s->spread_mu = false;
    s->added = !well_known(s, s->pending); /* it is known only after `set` on a finished run */
    if (s->added) {
        well_put(s, s->T, s->pending);
        double fresh = s->T == 0 ? 1 : s->master == WELL_MKLGL ? 1.0 / (double)(s->T + 1) : 0;
        for (int64_t t = 0; t < s->T; t++)
            s->mu[t] *= 1 - fresh;
        s->mu[s->T] = fresh;
        s->at.q[s->T] = s->G[s->T] = 0;
        s->own[s->T] = NAN;
        s->T++;
        well_normalise(s->mu, s->T);
    }
    s->last_objective = s->objective;
    s->in_master = true;
    s->evaluated = s->tightened = false;
    s->updates = s->svms = s->stuck = s->iterations = 0;
    return WL_OK;
}

wlab_code well_train(wellsvm *s, const int8_t *y, well_point *at, double *own, wlab_ctx *ctx, wlab_err *err)
{
    const double one = 1, svm_tol = well_one_to_one(s) ? 1e-10 : fmax(1e-10, 1e-3 * s->master_tol);
    memcpy(at->alpha, s->at.alpha, (size_t)s->m * sizeof(double));
    bool found = false;
    wlab_code code = WL_OK;
    if (well_thin_alone(s)) {
        code = well_thin_solve(s, y, 1, &one, svm_tol, at, ctx, err);
        found = !code && at->primal - at->dual <= svm_tol * fabs(at->dual);
        s->svms += found;
        if (code == WL_ENUMERIC) /* the other solver has more digits, or says what is wrong */
            code = WL_OK;
    }
    if (!code && !found)
        code = well_solve(s, y, 1, &one, svm_tol, at, ctx, err);
    if (!code)
        *own = well_upper(s, at) + well_rounding(s, at);
    return code;
}

/* The SVM objective of one labeling. */
static wlab_code own_objective(wellsvm *s, const int8_t *y, double *own, wlab_ctx *ctx, wlab_err *err)
{
    well_point at = {0};
    double q = 0;
    at.alpha = wlab_alloc((size_t)s->m, sizeof(double));
    at.q = &q;
    if (!at.alpha)
        return wlab_nomem(err);
    const wlab_code code = well_train(s, y, &at, own, ctx, err);
    wlab_free(at.alpha);
    return code;
}

/* integer=all: the data of the visitor of all labelings. */
typedef struct trying {
    wellsvm *s;
    wlab_ctx *ctx;
    wlab_err *err;
    wlab_code code;
    wlab_progress labelings;
} trying;

static bool try_one(void *data, const int8_t *y, const int32_t *changed, int64_t nchanged)
{
    trying *t = data;
    double own = 0;
    (void)changed, (void)nchanged;
    if (wlab_interrupted(t->ctx))
        t->code = wlab_fail(t->err, WL_EINTERRUPTED, "interrupted");
    else
        t->code = own_objective(t->s, y, &own, t->ctx, t->err);
    if (t->code)
        return false;
    well_offer_labeling(t->s, own);
    wlab_progress_add(&t->labelings, 1);
    return true;
}

static wlab_code try_all(wellsvm *s, wlab_ctx *ctx, wlab_err *err)
{
    const wlab_labelset *B = s->p->labels;
    trying t = {.s = s, .ctx = ctx, .err = err};
    wlab_progress *svms = s->progress;
    wlab_progress_begin(&t.labelings, ctx, "labelings", (int64_t)wlab_labelset_count(B));
    s->progress = NULL; /* progress counts labelings, not SVM iterations */
    wlab_code code = wlab_labelset_enumerate(B, try_one, &t, err);
    s->progress = svms;
    code = t.code ? t.code : code;
    s->integer_done = code == WL_OK;
    return code;
}

/* The primal value of labeling y at the weight vector with outputs c f, and its derivative by c, without the norms. */
typedef struct along {
    const wellsvm *s;
    const int8_t *y;
    const double *f;
    double c;
} along;

static void add_losses(void *data, int64_t begin, int64_t end, int block, double *sum)
{
    const along *a = data;
    const wellsvm *s = a->s;

    (void)block;
    for (int64_t i = begin; i < end; i++) {
        const double o = a->y[i] * a->f[i], slack = 1 - a->c * o;
        if (!(slack > 0))
            continue;
        sum[0] += s->delta ? 0.5 * slack * slack / s->delta[i] : well_cap(s, i) * slack;
        sum[1] -= o * (s->delta ? slack / s->delta[i] : well_cap(s, i));
    }
}

/* The same with them: norm is the squared norm for c = 1; *slope: the derivative. */
static double primal_along(along *a, double norm, double c, double *slope, wlab_pool *pool)
{
    double sum[WL_ROW_SUMS];

    a->c = c;
    wlab_rows_run(wlab_passes_rows(a->s->passes), add_losses, a, sum, pool);
    *slope = c * norm + sum[1];
    return 0.5 * c * c * norm + sum[0];
}

static void add_norm(void *data, int64_t begin, int64_t end, int block, double *sum)
{
    const wellsvm *s = data;

    (void)block;
    for (int64_t k = begin; k < end; k++)
        sum[0] += well_mean_label(s, k) * s->at.alpha[k] * s->kb[k];
}

/* At size an SVM for each labeling would cost more than the step.  For the labeling to which the prediction rounds,
 * the prediction's weight vector is used instead: scaled by the best factor, its primal value bounds the optimum of
 * that labeling's SVM from above. */
static wlab_code rounded_bound(wellsvm *s, wlab_ctx *ctx, wlab_err *err)
{
    enum {
        HALVINGS = 16
    };
    wlab_pool *pool = ctx ? ctx->pool : NULL;
    double lo = 0, hi = 1, slope, t;
    int8_t *y = wlab_alloc((size_t)s->n, 1);
    wlab_code code = wlab_ranks_agree(well_ranks(s), y ? WL_OK : wlab_nomem(err), err);
    code = code ? code : well_round(s, s->pending, y, ctx, err); /* kb = f; ties as in the newest labeling */
    if (code || (code = well_threshold_of(s, s->kb, &t, &s->imbalance, err)))
        goto out;
    const double norm = well_sum(s, add_norm, s, pool);
    along a = {.s = s, .y = y, .f = s->kb};
    double best = primal_along(&a, norm, hi, &slope, pool);
    while (slope < 0 && hi < 1e6) {
        const double value = primal_along(&a, norm, hi *= 2, &slope, pool);
        best = value < best ? value : best;
    }
    for (int k = 0; k < HALVINGS; k++) {
        const double c = 0.5 * (lo + hi), value = primal_along(&a, norm, c, &slope, pool);
        best = value < best ? value : best;
        *(slope < 0 ? &lo : &hi) = c;
    }
    s->rounded = well_scaled(s, best) + well_rounding(s, &s->at);
    well_offer_labeling(s, s->rounded);
out:
    wlab_free(y);
    return code;
}

/* Upper bounds from single labelings: the SVM optimum of any labeling bounds the mixed-integer optimum, and with it
 * the relaxation's optimum, from above. */
static wlab_code integer_bounds(wellsvm *s, wlab_ctx *ctx, wlab_err *err)
{
    if (!s->K)
        return rounded_bound(s, ctx, err);
    int64_t svms = s->svms, last = s->T - 1, at = 0;
    double t;
    int8_t *y = wlab_alloc((size_t)s->n, 1);
    wlab_code code = WL_OK;
    if (!y) {
        code = wlab_nomem(err);
        goto out;
    }
    if (isnan(s->own[last]) && (code = own_objective(s, well_labeling(s, last), &s->own[last], ctx, err)))
        goto out;
    if ((code = well_round(s, well_labeling(s, last), y, ctx, err)) ||
        (code = well_threshold_of(s, s->kb, &t, &s->imbalance, err)))
        goto out;
    while (at < s->T && (isnan(s->own[at]) || memcmp(well_labeling(s, at), y, (size_t)s->n) != 0))
        at++;
    if (at < s->T)
        s->rounded = s->own[at];
    else if ((code = own_objective(s, y, &s->rounded, ctx, err)))
        goto out;
    well_offer_labeling(s, s->own[last]);
    well_offer_labeling(s, s->rounded);
    if (s->integer_all && !s->integer_done)
        code = try_all(s, ctx, err);
out:
    s->svms = svms;
    wlab_free(y);
    return code;
}

static wlab_code lower_bounds(wellsvm *s, const well_found *found, wlab_ctx *ctx, wlab_err *err)
{
    double lower = -HUGE_VAL, M;
    wlab_code code;
    if (isnan(s->lower_bound)) {
        if ((code = well_labelled_bound(s, &lower, ctx, err)))
            return code;
        if (isfinite(lower))
            s->lower_bound = lower;
    }
    M = HUGE_VAL;
    if ((s->search == WELL_LINF || !isfinite(found->M)) &&
        (s->bound == WELL_BOUND_DIAGONAL ||
         (s->bound == WELL_BOUND_AUTO && wlab_labelset_free_count(s->p->labels) <= WELL_DIAGONAL_FREE)) &&
        (code = well_diagonal_bound(s, s->at.alpha, &M, ctx, err)))
        return code;
    M = found->M < M ? found->M : M;
    lower = well_lower_from(s, &s->at, M) - well_rounding(s, &s->at);
    if (isfinite(lower) && (isnan(s->lower_bound) || lower > s->lower_bound))
        s->lower_bound = lower;
    return WL_OK;
}

bool well_unsolved(const wellsvm *s)
{
    const double most = fmax(1e-3, 10 * s->master_tol) * fabs(s->objective + s->inner_gap);
    return !(s->inner_gap <= most && s->master_gap <= most);
}

/* Sets the verdict once the master is solved and the search has ended.  Returns the reason in words, or NULL if the
 * verdict is `more`, or if eps or labelings= ended the run.  Sets *tighten if the master must be solved again to a smaller
 * tolerance, before there is a verdict. */
static const char *judge(wellsvm *s, const well_found *found, bool *tighten)
{
    double scale = fabs(s->objective), remains = s->violation + s->master_gap + s->inner_gap;
    double fall = isnan(s->last_objective) ? HUGE_VAL : (s->last_objective - s->objective) / scale;
    bool nothing_new = found->known || !(s->violation > 1e-14 * scale);
    *tighten = false;
    s->verdict = WL_CONVERGED;
    if (s->at_size) {
        s->slow = fall < WELL_SLOW ? s->slow + 1 : 0;
    }
    if (nothing_new && found->cut) {
        s->verdict = WL_LIMIT; /* a labeling in an open subtree may violate */
        return "the tree search left subtrees open, which may hold a violated labeling";
    }
    if (remains <= s->eps * scale)
        return NULL;
    if (s->at_size && s->violation < WELL_SMALL_VIOLATION * scale)
        return "converged: the violation is below 1e-2 of the objective (stopping rule for more than 4000 "
               "rows)";
    if (s->at_size && s->slow >= 2)
        return "converged: the objective fell by less than 1e-3 of itself in each of two steps (stopping "
               "rule "
               "for more than 4000 rows)";
    if (s->decrease > 0 && fall < s->decrease)
        return "converged: the objective fell by less than `decrease`";
    if (nothing_new && !s->tightened && s->K) {
        *tighten = true;
        s->verdict = WL_MORE;
        return NULL;
    }
    s->verdict = nothing_new ? WL_STALLED : s->T >= s->max_labelings ? WL_LIMIT : WL_MORE;
    return nothing_new ? "stalled: no new labeling is violated, and the master cannot be solved more exactly"
                       : NULL;
}

static wlab_code end_step(wellsvm *s, bool *outer, wlab_ctx *ctx, wlab_err *err)
{
    wlab_code code;
    bool tighten = false;
    well_found found = {0};
    int8_t *y = wlab_alloc((size_t)s->n, 1);
    code = wlab_ranks_agree(well_ranks(s), y ? WL_OK : wlab_nomem(err), err);
    found.y = y;
    if (code || (code = well_search_run(s, &found, ctx, err)))
        goto out;
    double least = HUGE_VAL;
    for (int64_t t = 0; t < s->T; t++)
        least = s->G[t] < least ? s->G[t] : least;
    double violation = least - well_G(s, &s->at, found.q);
    s->violation = violation > 0 ? violation : 0;
    const char *why = judge(s, &found, &tighten);
    if (s->verdict == WL_CONVERGED && well_unsolved(s))
        s->verdict = WL_STALLED;
    if (tighten) {
        s->tightened = true;
        s->stuck = 0;
        goto out;
    }
    if (s->progress)
        s->progress->unit = "SVM iterations (bounds)";
    if (!(ctx && ctx->lean) &&
        ((code = integer_bounds(s, ctx, err)) || (code = lower_bounds(s, &found, ctx, err))))
        goto out;
    if (s->after_search && (code = s->after_search(s, ctx, err)))
        goto out;
    s->flips = 0;
    for (int64_t k = 0; k < s->n; k++)
        s->flips += well_label(s, s->T - 1, k) != s->before[k] && s->at.alpha[s->p->example[k]] > 0;
    s->flips = wlab_ranks_total(well_ranks(s), s->flips);
    memcpy(s->pending, y, (size_t)s->n);
    s->in_master = false;
    s->step++;
    s->finished = s->verdict != WL_MORE;
    *outer = true;
    wlab_emit_note(ctx,
                   "y%lld: %lld flip%s; master over %lld labeling%s, master gap %.2g; next violation %.3g",
                   (long long)s->T, (long long)s->flips, s->flips == 1 ? "" : "s", (long long)s->T,
                   s->T == 1 ? "" : "s", s->master_gap, s->violation);
    if (s->finished && well_unsolved(s))
        wlab_emit_warning(ctx,
                          "not solved: inner_gap is %.3g and master_gap %.3g, with an objective of %.4g. The "
                          "magnitudes in the data differ too much for the solver: scale the data (`scale "
                          "zscore`), or use a smaller C",
                          s->inner_gap, s->master_gap, s->objective);
    else if (why)
        wlab_emit_note(ctx, "%s", why);
    if (s->verdict == WL_LIMIT) {
        char limit[100];
        well_limit(s, limit, sizeof limit);
        wlab_emit_note(ctx, "%s", limit);
    }
    if (s->lower_bound >
        s->upper_bound + 1e-6 * fabs(s->upper_bound)) /* a certificate is wrong: never hide that */
        wlab_emit_warning(ctx,
                          "lower %.10g is above upper %.10g: this is an error of the program, please report "
                          "it with the data and the commands",
                          s->lower_bound, s->upper_bound);
    well_finish_begin(s);
out:
    wlab_free(y);
    return code;
}

/* Reports the progress of a step's units as one, as most units are too short for a report of their own. */
static void begin_progress(wellsvm *s, wlab_progress *progress, wlab_ctx *ctx)
{
    wlab_progress_begin(progress, ctx, "SVM iterations (master)", 0);
    atomic_store(&progress->done, s->iterations);
    if (s->iterations > 0 && s->due > 0)
        progress->due = s->due;
    s->progress = progress;
}

static void end_progress(wellsvm *s)
{
    s->iterations = atomic_load(&s->progress->done);
    s->due = s->progress->due;
    s->progress = NULL;
}

static wlab_code continue_step(wellsvm *s, bool *outer, wlab_ctx *ctx, wlab_err *err)
{
    wlab_code code;
    bool done = false;
    double tol = s->master_tol;
    if (s->tightened) /* a tenth, or less if violation + gaps <= eps |objective| needs less */
        tol = tol / 10 <= s->eps ? tol / 10 : s->eps / 10;
    if ((code = well_master_update(s, tol, &done, ctx, err)))
        return code;
    return done ? end_step(s, outer, ctx, err) : WL_OK;
}

static wlab_code begin_or_continue_step(wellsvm *s, bool *outer, wlab_ctx *ctx, wlab_err *err)
{
    wlab_progress progress;
    const bool finishing = s->finish.active;
    wlab_code code = s->in_master || finishing ? WL_OK : begin_step(s, err);
    if (code)
        return code;
    begin_progress(s, &progress, ctx);
    code = finishing ? well_finish_step(s, ctx, err) : continue_step(s, outer, ctx, err);
    *outer = *outer || (finishing && !code);
    end_progress(s);
    return code;
}

wlab_code well_advance(void *state, wlab_ctx *ctx, wlab_step *step, wlab_err *err)
{
    wellsvm *s = state;
    *step = (wlab_step){0};
    if (s->finished) {
        step->complete = true;
        step->verdict = s->verdict;
        return WL_OK;
    }
    /* saved to be restored after an error or an interrupt: scalars, mu, alpha (labelings are only appended) */
    double start = wlab_seconds_now();
    size_t m = (size_t)s->m, T = (size_t)s->T;
    wellsvm was = *s;
    double *keep = wlab_alloc(m + 3 * T, sizeof *keep);
    int8_t *before = wlab_alloc((size_t)s->n, 1);
    wlab_code code = wlab_ranks_agree(well_ranks(s), keep && before ? WL_OK : wlab_nomem(err), err);
    if (!code) {
        memcpy(before, s->before, (size_t)s->n);
        memcpy(keep, s->at.alpha, m * sizeof *keep);
        memcpy(keep + m, s->mu, T * sizeof *keep);
        memcpy(keep + m + T, s->G, T * sizeof *keep);
        memcpy(keep + m + 2 * T, s->at.q, T * sizeof *keep);
        code = begin_or_continue_step(s, &step->complete, ctx, err);
        if (!code && s->spread) {
            code = well_spread_model(s, ctx, err);
            s->pending_known = well_known(s, s->pending);
        }
        if (code) {
            well_forget(s, was.T);
            /* well_reserve() may have moved the arrays: keep the new pointers */
            was.y = s->y, was.sign = s->sign, was.words = s->words, was.mu = s->mu, was.G = s->G,
            was.own = s->own, was.cap = s->cap;
            was.at.q = s->at.q, was.Q = s->Q, was.Q_fixed = s->Q_fixed, was.active_Q = s->active_Q,
            was.active_rows = s->active_rows;
            was.axis = s->axis, was.axes = s->axes, was.rest = s->rest;
            *s = was;
            memcpy(s->before, before, (size_t)s->n);
            memcpy(s->at.alpha, keep, m * sizeof *keep);
            memcpy(s->mu, keep + m, T * sizeof *keep);
            memcpy(s->G, keep + m + T, T * sizeof *keep);
            memcpy(s->at.q, keep + m + 2 * T, T * sizeof *keep);
            step->complete = false;
        }
    }
    wlab_free(keep);
    wlab_free(before);
    s->seconds += wlab_seconds_now() - start;
    step->verdict = s->verdict;
    return code;
}

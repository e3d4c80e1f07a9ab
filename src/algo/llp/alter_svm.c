/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The SVM half of an alternation of alter-pSVM: w and b for fixed labels, warm started from the previous solution.  A
 * new w is accepted only if it does not raise the objective.  It may do so, because the solver works only to a
 * tolerance.  Then the SVM is solved to a smaller tolerance, again and again, until the new w is accepted.  The old w
 * is kept if the dual value proves that it meets the tolerance already, if the solver misses its tolerance, or after
 * TIGHTENED attempts.
 */
#include "algo/llp/alter.h"
#include "solve/svm/smo.h"
#include "solve/svm/smo_free.h"

#include <math.h>
#include <string.h>

enum {
    TIGHTENED = 12 /* the tolerance is divided by 10 at most so often */
};

wlab_code alter_svm_create(alter *s, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    const wlab_problem *p = s->p;
    wlab_code code = wlab_kernel_choose(&s->kernel, given, p->X, ctx, err);
    if (code)
        return code;
    if (s->solver == ALTER_FREE)
        s->kernel.bias = 0;
    if (s->solver == ALTER_DCD) {
        s->dim = p->X->cols + 1;
        if (!(s->sqnorm = wlab_alloc((size_t)s->n, sizeof *s->sqnorm)))
            return wlab_nomem(err);
        for (int64_t i = 0; i < s->n; i++)
            s->sqnorm[i] = wlab_matrix_row_sqnorm(p->X, i) + s->kernel.bias * s->kernel.bias;
        return WL_OK;
    }
    s->dim = s->n;
    if ((code = wlab_kernel_fits(s->n, WL_KERNEL_ROWS, "rows",
                                 "use kernel=linear offset=feature, which needs no kernel matrix", err)))
        return code;
    if ((code = wlab_blas_init(wlab_pool_threads(ctx ? ctx->pool : NULL), err)))
        return code;
    if (!(s->K = wlab_alloc((size_t)s->n * (size_t)s->n, sizeof *s->K)))
        return wlab_nomem(err);
    return wlab_kernel_matrix_progress(&s->kernel, p->X, p->X, p->row, s->K, ctx, err);
}

void alter_costs(alter *s)
{
    for (int64_t i = 0; i < s->n; i++)
        s->cost[i] = s->p->visible[i] ? s->C : s->C_now;
}

static wlab_dcd dcd_of(const alter *s)
{
    return (wlab_dcd){.X = s->p->X, .bias = s->kernel.bias, .cost = s->cost, .sqnorm = s->sqnorm};
}

/* The state of one restart's solve. */
typedef struct half {
    alter *s;
    alter_restart *r;
    alter_work *work;
    wlab_ctx *ctx;
    alter_value at; /* of the newest solution, whose outputs are work->f and weights r->w_next */
    double b, dual; /* the dual value of work->alpha */
    bool reached;   /* the requested tolerance was reached */
    bool stopped;
} half;

/* Sets work->alpha, f and v for a warm start: alpha is that of the last solution.  If C* has risen since, the alpha of
 * rows with a free label grow by the same factor.  For the first SVM every alpha is at its upper bound, the row's
 * cost. */
static wlab_code warm_start(half *h, wlab_err *err)
{
    const alter *s = h->s;
    const alter_restart *r = h->r;
    alter_work *w = h->work;
    const bool first = r->svms == 0;
    for (int64_t i = 0; i < s->n; i++) {
        const bool grows = r->fresh && !s->p->visible[i];
        const double full = s->K ? r->y[i] * s->cost[i] : s->cost[i];
        w->alpha[i] = first ? full : grows ? r->alpha[i] * s->ratio : r->alpha[i];
        if (fabs(w->alpha[i]) > s->cost[i]) /* by rounding */
            w->alpha[i] = full;
        w->f[i] = r->fresh && s->free_rows == s->n ? r->f[i] * s->ratio : r->f[i];
    }
    if (s->K)
        return WL_OK;
    if (r->fresh || first) {
        const wlab_dcd d = dcd_of(s);
        return wlab_dcd_rebuild(&d, r->y, w->alpha, w->v, h->ctx ? h->ctx->pool : NULL, err);
    }
    memcpy(w->v, r->v, (size_t)s->dim * sizeof *w->v);
    return WL_OK;
}

static double half_norm(const half *h)
{
    const alter *s = h->s;
    const double *w = h->r->w_next;
    double sum = 0;
    if (s->K)
        for (int64_t i = 0; i < s->n; i++)
            sum += w[i] * (h->work->f[i] - h->b);
    else
        for (int64_t j = 0; j < s->dim; j++)
            sum += w[j] * w[j];
    return 0.5 * sum;
}

static void evaluate(half *h)
{
    const alter *s = h->s;
    alter_value v = {.norm = half_norm(h), .penalty = h->r->at.penalty};
    for (int64_t i = 0; i < s->n; i++) {
        const double slack = 1 - h->r->y[i] * h->work->f[i];
        *(s->p->visible[i] ? &v.known : &v.free) += slack < 0 ? 0 : slack;
    }
    h->at = v;
}

static wlab_code solve_kernel_feature(half *h, double tol, wlab_err *err)
{
    const alter *s = h->s;
    wlab_smo_result result;
    double *pos = wlab_alloc((size_t)(2 * s->n), sizeof *pos);
    if (!pos)
        return wlab_nomem(err);
    double *neg = pos + s->n;
    for (int64_t i = 0; i < s->n; i++) {
        pos[i] = h->r->y[i] > 0 ? s->cost[i] : 0;
        neg[i] = h->r->y[i] < 0 ? s->cost[i] : 0;
    }
    wlab_code code =
        wlab_smo_solve(s->K, s->n, 1, pos, neg, tol, 0, h->work->alpha, h->work->f, &result, h->ctx, err);
    wlab_free(pos);
    if (code)
        return code;
    h->dual = result.dual;
    h->reached = result.primal - result.dual <= tol * result.primal;
    h->stopped = result.stopped;
    memcpy(h->r->w_next, h->work->alpha, (size_t)s->n * sizeof(double));
    return WL_OK;
}

/* Solves to a tolerance, starting from work->alpha. */
static wlab_code solve(half *h, double tol, wlab_progress *progress, wlab_err *err)
{
    const alter *s = h->s;
    alter_restart *r = h->r;
    alter_work *w = h->work;
    wlab_code code;
    h->b = 0;
    switch (s->solver) {
    case ALTER_DCD: {
        const wlab_dcd d = dcd_of(s);
        wlab_dcd_result result;
        const uint64_t order = (uint64_t)((r - s->r) * 1000003 + r->svms);
        if ((code = wlab_dcd_solve(&d, r->y, tol, order, w->alpha, w->v, w->f, w->order, &result, progress,
                                   h->ctx, err)))
            return code;
        h->dual = result.dual;
        h->reached = result.reached;
        h->stopped = result.stopped;
        memcpy(r->w_next, w->v, (size_t)s->dim * sizeof(double));
        break;
    }
    case ALTER_FREE: {
        wlab_smo_free_result result;
        if ((code =
                 wlab_smo_free_solve(s->K, s->n, r->y, s->cost, tol, w->alpha, w->f, &result, h->ctx, err)))
            return code;
        h->b = result.b;
        h->dual = result.dual;
        h->reached = result.primal - result.dual <= tol * result.primal;
        h->stopped = result.stopped;
        memcpy(r->w_next, w->alpha, (size_t)s->n * sizeof(double));
        break;
    }
    case ALTER_SMO:
        if ((code = solve_kernel_feature(h, tol, err)))
            return code;
        break;
    }
    if (h->stopped)
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    if (s->K)
        wlab_progress_add(progress, 1);
    evaluate(h);
    return WL_OK;
}

static void swap(double **a, double **b)
{
    double *c = *a;
    *a = *b;
    *b = c;
}

/* Primal value of the w that is kept (r->w_next) minus the dual value of work->alpha.  Subtracting the two values would
 * lose digits, so this is computed as a sum of nonnegative terms: one per row, and 1/2 ||w - w_alpha||^2, where w_alpha
 * = sum_i alpha_i y_i phi(x_i).  The latter is 0 unless the old w is kept.  f: the outputs of the w that is kept;
 * newest: those of the newest solution. */
static double gap(const half *h, const double *f, const double *newest)
{
    const alter *s = h->s;
    const alter_restart *r = h->r;
    const double *alpha = h->work->alpha;
    double apart = 0, rows = 0;
    if (!s->K)
        for (int64_t j = 0; j < s->dim; j++) {
            const double d = r->w_next[j] - h->work->v[j];
            apart += d * d;
        }
    else if (f != newest)
        for (int64_t i = 0; i < s->n; i++)
            apart += (r->w_next[i] - alpha[i]) * ((f[i] - r->b_next) - (newest[i] - h->b));
    for (int64_t i = 0; i < s->n; i++) {
        const double slack = 1 - r->y[i] * f[i], a = fabs(alpha[i]);
        rows += slack > 0 ? (s->cost[i] - a) * slack : -a * slack;
    }
    return 0.5 * (apart < 0 ? 0 : apart) + rows; /* a squared norm, negative by rounding only */
}

/* Keeps the old w.  (Its outputs are still r->f.) */
static void keep_old(half *h)
{
    alter_restart *r = h->r;
    memcpy(r->w_next, r->w, (size_t)h->s->dim * sizeof *r->w);
    r->b_next = r->b;
    r->at_next = r->at;
    r->gap_next = gap(h, r->f, h->work->f);
}

static void accept_new(half *h)
{
    alter_restart *r = h->r;
    swap(&r->f, &h->work->f);
    r->b_next = h->b;
    r->at_next = h->at;
    r->gap_next = gap(h, r->f, r->f);
}

/* Whether the w that is kept misses tol, measured by the gap to the dual value. */
static bool missed(const half *h)
{
    const alter *s = h->s;
    const alter_value *at = &h->r->at_next;
    return !(h->r->gap_next <= s->tol * (alter_objective(s, at) - at->penalty));
}

static wlab_code solve_restart(alter *s, int64_t k, alter_work *work, wlab_ctx *ctx, wlab_progress *progress,
                               wlab_err *err)
{
    alter_restart *r = &s->r[k];
    half h = {.s = s, .r = r, .work = work, .ctx = ctx};
    const double before = alter_objective(s, &r->at);
    double tol = s->tol;
    wlab_code code;
    if (r->ready)
        return WL_OK;
    if ((code = warm_start(&h, err)))
        return code;
    for (int more = 0;; more++, tol *= 0.1) {
        if ((code = solve(&h, tol, progress, err)))
            return code;
        if (alter_objective(s, &h.at) <= before) {
            accept_new(&h);
            break;
        }
        /* The old w is better than the new one.  Keep it if it is proven to meet tol, if the solver cannot reach its
         * tolerance, or if the tolerance was tightened often enough. */
        if (before - r->at.penalty - h.dual <= s->tol * before || !h.reached || more == TIGHTENED) {
            keep_old(&h);
            break;
        }
    }
    swap(&r->alpha, &work->alpha);
    if (!s->K)
        swap(&r->v, &work->v);
    r->dual_next = h.dual;
    r->missed_next = missed(&h);
    r->svms++;
    r->ready = true;
    return WL_OK;
}

wlab_code alter_solve(alter *s, wlab_ctx *ctx, wlab_err *err)
{
    wlab_code code = alter_each(s, solve_restart, s->K ? "SVMs" : "SVM sweeps", ctx, err);
    if (code)
        return code;
    for (int64_t k = 0; k < s->restarts; k++) {
        alter_restart *r = &s->r[k];
        if (!r->ready)
            continue;
        swap(&r->w, &r->w_next);
        r->b = r->b_next;
        r->at = r->at_next;
        r->dual = r->dual_next;
        r->gap = r->gap_next;
        r->missed = r->missed_next;
        r->ready = r->fresh = false;
        s->svms++;
    }
    return WL_OK;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The classifier's half of an alternation: the SVM of a labeling (wellsvm/svm.c), or support vector regression on its
 * labels, from the last solution on.
 *
 * The solvers work to a tolerance, so a new w may be worse than the old one by as much.  Then the tolerance is made
 * smaller, until the new w is not worse or the old one is proven to be good enough, and is kept.  So P never rises.
 */
#include "algo/alternate/alternate.h"
#include "solve/svm/svr.h"

#include <cblas.h>
#include <string.h>

enum {
    TIGHTENED = 8 /* the tolerance is divided by 10 at most so often */
};

/* A solution in the workspace: dual variables in s->alpha, w in s->beta, its outputs in s->f. */
typedef struct solution {
    double primal, dual, norm, loss, b, scale;
} solution;

static wlab_code solve_svm(alternate *s, const int8_t *y, double tol, solution *at, wlab_ctx *ctx,
                           wlab_err *err)
{
    wellsvm *w = &s->w;
    const double one = 1;
    double q = 0;
    well_point point = {.alpha = s->alpha, .q = &q};
    wlab_code code = well_solve(w, y, 1, &one, tol, &point, ctx, err);
    if (code || (code = well_quadratic(w, s->alpha, y, &q, ctx, err))) /* kb = f */
        return code;
    memcpy(s->f, w->kb, (size_t)s->n * sizeof *s->f);
    well_beta(w, s->alpha, y, s->beta);
    *at = (solution){.primal = point.primal, .dual = point.dual, .norm = 0.5 * q, .scale = 1};
    if (w->loss == WELL_SUM_TO_ONE)
        at->scale = point.S;
    return WL_OK;
}

static wlab_code solve_svr(alternate *s, const int8_t *y, double tol, solution *at, wlab_ctx *ctx,
                           wlab_err *err)
{
    const wlab_svr_problem q = {.n = s->n, .target = s->target, .tube = s->tube, .C = s->C, .offset = true};
    wlab_svr_result result;
    for (int64_t i = 0; i < s->n; i++) {
        s->target[i] = y[i];
        s->tube[i] = s->eps;
    }
    wlab_code code = wlab_svr_solve(&q, s->w.K, tol, 0, s->alpha, s->f, &result, ctx, err);
    if (code)
        return code;
    memcpy(s->beta, s->alpha, (size_t)s->n * sizeof *s->beta);
    *at = (solution){.primal = result.primal, .dual = result.dual, .b = result.b, .scale = 1};
    at->norm = 0.5 * cblas_ddot((int)s->n, s->beta, 1, s->f, 1);
    return WL_OK;
}

static void accept(alternate *s, alt_restart *r, const solution *at)
{
    memcpy(r->beta, s->beta, (size_t)s->n * sizeof *r->beta);
    memcpy(r->f, s->f, (size_t)s->n * sizeof *r->f);
    r->norm = at->norm;
    r->loss = at->loss;
    r->b = at->b;
    r->scale = at->scale;
}

wlab_code alt_train(alternate *s, int64_t k, wlab_ctx *ctx, wlab_err *err)
{
    alt_restart *r = &s->r[k];
    const double before = r->norm + r->loss;
    double tol = s->tol, gap;
    solution at = {0};
    memcpy(s->alpha, r->alpha, (size_t)s->dual * sizeof *s->alpha);
    s->w.svms =
        s->svms; /* above 4000 rows it seeds the order of the rows: it must follow from the snapshot */
    for (int more = 0;; more++, tol *= 0.1) {
        wlab_code code =
            s->regression ? solve_svr(s, r->y, tol, &at, ctx, err) : solve_svm(s, r->y, tol, &at, ctx, err);
        if (code)
            return code;
        at.loss = alt_loss(s, s->f, at.b, r->y);
        gap = at.primal - at.dual;
        if (at.norm + at.loss <= before)
            break;
        if (before - at.dual <= s->tol * before || more == TIGHTENED) {
            gap = before - at.dual;
            break;
        }
    }
    r->first = before;
    if (at.norm + at.loss <= before)
        accept(s, r, &at);
    memcpy(r->alpha, s->alpha, (size_t)s->dual * sizeof *r->alpha);
    r->gap = gap > 0 ? gap : 0; /* negative by rounding only */
    r->missed = !(r->gap <= s->tol * (r->norm + r->loss));
    s->svms++;
    return WL_OK;
}

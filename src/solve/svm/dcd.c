/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Dual coordinate descent for the linear hinge loss, in rounds.  The threads of the pool share a round's pass; one
 * thread does its sweeps, as each update uses the result of the one before.
 */
#include "solve/svm/dcd.h"
#include "linalg/row.h"
#include "solve/svm/boxqp.h"
#include "solve/svm/dcd_exact.h"
#include "weaklab/rng.h"

#include <math.h>
#include <string.h>

enum {
    ROUNDS = 1000,
    EXACT_ROUND = 100, /* after so many rounds, coordinate descent is too slow: try the exact solver */
    SWEEPS = 10,       /* at most, per round */
    BLOCK = 16,        /* neighbouring rows that a sweep visits one after another, in random order */
    LINE = 16,         /* entries of 4 bytes per cache line */
    FETCHED = 256,     /* entries of a row that are prefetched, at most */
    IDLE = 8,          /* rounds in a row that do not reduce the gap */
    LONG = 256         /* columns of long rows */
};

static const double FIRST_BAND = 0.3, LEAST_BAND = 0.02;
/* With long dense rows: a row that a sweep visits, far from the one before, costs several times what it costs in a pass, so
 * that more passes over fewer visits are faster.  (59 535 rows of 500: a run of alter-pSVM in half the time.) */
static const double LONG_FIRST_BAND = 0.02, LONG_LEAST_BAND = 0.005;

typedef struct descent {
    const wlab_dcd *d;
    const int8_t *y;
    double *alpha, *w, *f;
    int32_t *active, *block;
    int64_t n_active, updates;
    wlab_rng rng;
} descent;

wlab_code wlab_dcd_rebuild(const wlab_dcd *d, const int8_t *y, const double *alpha, double *w,
                           wlab_pool *pool, wlab_err *err)
{
    const int64_t n = d->X->rows;
    double *z = wlab_alloc((size_t)n, sizeof *z), sum = 0;
    if (!z)
        return wlab_nomem(err);
    for (int64_t i = 0; i < n; i++) {
        z[i] = y[i] * alpha[i];
        sum += z[i];
    }
    wlab_code code = wlab_matrix_mul_t(d->X, z, w, pool, err);
    w[d->X->cols] = d->bias * sum;
    wlab_free(z);
    return code;
}

void wlab_dcd_outputs(const wlab_dcd *d, const double *w, double *f, wlab_pool *pool)
{
    wlab_matrix_mul(d->X, w, f, pool);
    if (d->bias > 0)
        for (int64_t i = 0; i < d->X->rows; i++)
            f[i] += d->bias * w[d->X->cols];
}

static void compute_values(const descent *s, wlab_dcd_result *r)
{
    const wlab_dcd *d = s->d;
    double norm = 0, loss = 0, sum = 0;
    for (int64_t j = 0; j <= d->X->cols; j++)
        norm += s->w[j] * s->w[j];
    for (int64_t i = 0; i < d->X->rows; i++) {
        const double slack = 1 - s->y[i] * s->f[i];
        loss += d->cost[i] * (slack < 0 ? 0 : slack); /* keeps NaN */
        sum += s->alpha[i];
    }
    r->primal = 0.5 * norm + loss;
    r->dual = sum - 0.5 * norm;
}

/* Selects the rows that are strictly inside their bounds, that violate optimality, or whose output is within `band` of
 * violating it. */
static void select_active(descent *s, double band)
{
    const wlab_dcd *d = s->d;
    s->n_active = 0;
    for (int64_t i = 0; i < d->X->rows; i++) {
        const double g = 1 - s->y[i] * s->f[i], a = s->alpha[i], cap = d->cost[i];
        if (cap > 0 && (a > 0 || g >= -band) && (a < cap || g <= band))
            s->active[s->n_active++] = (int32_t)i;
    }
}

static void prefetch_row(const wlab_matrix *X, int64_t i)
{
    if (!X->sparse)
        return;
    const float *v = X->val + X->start[i];
    const int32_t *c = X->col + X->start[i];
    for (int32_t k = 0; k < X->len[i] && k < FETCHED; k += LINE) {
        __builtin_prefetch(v + k);
        __builtin_prefetch(c + k);
    }
}

/* One row's step; `next` is the row to come, or any.  A row at its bound and outside the band is marked and left out until the
 * next pass.  Returns the row's part of the gap before the step. */
static double update_row(descent *s, int32_t *row, int32_t next, double band)
{
    const wlab_dcd *d = s->d;
    const wlab_matrix *X = d->X;
    const int64_t i = *row, first = X->start[i];
    const int32_t len = X->len[i], cols = X->cols;
    const double a = s->alpha[i], cap = d->cost[i], y = s->y[i];
    double *w = s->w;
    const double f = (X->sparse ? wlab_sparse_dot(X->val + first, X->col + first, len, w)
                      : cols >= WLAB_LONG_ROW
                          ? wlab_dense_dot_fetching(X->dense + first, w, len, X->dense + X->start[next])
                          : wlab_dense_dot(X->dense + first, w, len)) +
                     d->bias * w[cols];
    const double g = 1 - y * f;
    if ((a == 0 && g <= 0) || (a == cap && g >= 0)) {
        if (fabs(g) > band)
            *row = ~*row;
        return 0;
    }
    const double h = d->sqnorm[i];
    double to = h > 0 ? a + g / h : g > 0 ? cap : 0;
    to = to < 0 ? 0 : to > cap ? cap : to;
    if (to != a) {
        const double by = (to - a) * y;
        s->alpha[i] = to;
        if (X->sparse)
            wlab_sparse_axpy_after_dot(X->val + first, X->col + first, len, by, w);
        else
            wlab_dense_axpy(X->dense + first, len, by, w);
        w[cols] += d->bias * by;
        s->updates++;
    }
    return g > 0 ? (cap - a) * g : -a * g;
}

/* Visits blocks of neighbouring rows in random order, and the rows of each block in random order, so that consecutive
 * rows are close in memory. */
static double sweep(descent *s, double band)
{
    const int64_t blocks = wlab_rng_shuffle_blocks(&s->rng, s->active, s->n_active, BLOCK, s->block);
    double gap = 0;
    for (int64_t b = 0; b < blocks; b++) {
        const int64_t first = (int64_t)s->block[b] * BLOCK,
                      end = first + BLOCK < s->n_active ? first + BLOCK : s->n_active;
        for (int64_t k = first; k < end; k++)
            prefetch_row(s->d->X, s->active[k]);
        for (int64_t k = first; k < end; k++)
            gap += update_row(s, &s->active[k], s->active[k + 1 < end ? k + 1 : k], band);
    }
    int64_t kept = 0;
    for (int64_t k = 0; k < s->n_active; k++)
        if (s->active[k] >= 0)
            s->active[kept++] = s->active[k];
    s->n_active = kept;
    return gap;
}

/* Replaces the solution by the exact solver's if that has a smaller gap. */
static wlab_code try_exact_solver(descent *s, double tol, wlab_dcd_result *r, wlab_progress *progress,
                                  wlab_ctx *ctx, wlab_err *err)
{
    const size_t n = (size_t)s->d->X->rows, dim = (size_t)s->d->X->cols + 1;
    wlab_pool *pool = ctx ? ctx->pool : NULL;
    descent t = *s;
    wlab_dcd_result at = *r;
    wlab_err why;
    wlab_code code = WL_OK;
    t.alpha = wlab_alloc(n, sizeof *t.alpha);
    t.f = wlab_alloc(n, sizeof *t.f);
    t.w = wlab_alloc(dim, sizeof *t.w);
    if (!t.alpha || !t.f || !t.w) {
        code = wlab_nomem(err);
        goto out;
    }
    code = wlab_dcd_exact(s->d, s->y, 0.5 * tol, t.alpha, progress, ctx, &why);
    if (code == WL_EINTERRUPTED || code == WL_ENUMERIC) { /* keep the present solution */
        r->stopped = code == WL_EINTERRUPTED;
        code = WL_OK;
        goto out;
    }
    if (code) {
        if (err)
            *err = why;
        goto out;
    }
    if ((code = wlab_dcd_rebuild(s->d, s->y, t.alpha, t.w, pool, err)))
        goto out;
    wlab_dcd_outputs(s->d, t.w, t.f, pool);
    compute_values(&t, &at);
    if (at.primal - at.dual < r->primal - r->dual) {
        memcpy(s->alpha, t.alpha, n * sizeof *t.alpha);
        memcpy(s->f, t.f, n * sizeof *t.f);
        memcpy(s->w, t.w, dim * sizeof *t.w);
        *r = at;
    }
out:
    wlab_free(t.alpha);
    wlab_free(t.f);
    wlab_free(t.w);
    return code;
}

wlab_code wlab_dcd_solve(const wlab_dcd *d, const int8_t *y, double tol, uint64_t order, double *alpha,
                         double *w, double *f, int32_t *work, wlab_dcd_result *result,
                         wlab_progress *progress, wlab_ctx *ctx, wlab_err *err)
{
    descent s = {.d = d, .y = y, .alpha = alpha, .w = w, .f = f, .active = work, .block = work + d->X->rows};
    wlab_pool *pool = ctx ? ctx->pool : NULL;
    wlab_dcd_result r = {0};
    const bool is_long = !d->X->sparse && d->X->cols >= LONG;
    const double least_band = is_long ? LONG_LEAST_BAND : LEAST_BAND;
    double band = is_long ? LONG_FIRST_BAND : FIRST_BAND, met = HUGE_VAL, allowed = HUGE_VAL,
           least = HUGE_VAL;
    wlab_rng_seed(&s.rng, order);
    for (int round = 0, idle = 0; round < ROUNDS; round++) {
        select_active(&s, band);
        for (int k = 0; k < SWEEPS; k++) {
            met = sweep(&s, band);
            wlab_progress_add(progress, 1);
            if ((r.stopped = wlab_interrupted(ctx)))
                break;
            if (met <= 0.5 * allowed || s.n_active == 0 || (round == 0 && k >= 1))
                break;
        }
        wlab_dcd_outputs(d, w, f, pool);
        compute_values(&s, &r);
        r.passes++;
        double gap = r.primal - r.dual;
        if (!isfinite(gap))
            return wlab_fail(err, WL_ENUMERIC, "%s", wlab_svm_not_finite);
        if (gap > tol * r.primal && !r.stopped && round == EXACT_ROUND && wlab_dcd_exact_can(d)) {
            wlab_code code = try_exact_solver(&s, tol, &r, progress, ctx, err);
            if (code)
                return code;
            gap = r.primal - r.dual;
        }
        allowed = tol * r.primal;
        /* fewer sweeps than without the interrupt: also a small gap is then not the result */
        if (r.stopped || (r.reached = gap <= allowed))
            break;
        idle = gap < 0.99 * least ? 0 : idle + 1;
        least = gap < least ? gap : least;
        if (idle > IDLE && gap <= 1e-12 * r.primal)
            break; /* as exact as doubles allow */
        if ((r.stopped = wlab_interrupted(ctx)))
            break;
        band = round == 0 ? band : gap > 3 * met ? 2 * band : band > least_band ? 0.5 * band : band;
    }
    r.updates = s.updates;
    *result = r;
    return WL_OK;
}

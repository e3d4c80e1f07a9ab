/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * WellSVM's SVM at fixed mu: forms Q_mu and solves by the box QP, or, for the linear kernel at size, by coordinate
 * descent (linear.c).
 */
#include "algo/wellsvm/wellsvm.h"
#include "solve/svm/boxqp_large.h"
#include "solve/svm/groupqp.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum {
    BLOCK = 64,        /* rows of Q formed at once */
    LARGE_ROWS = 1000, /* below, Newton's equations are solved by Cholesky factors */
};
/* Newton steps leave out a row with alpha = 0 and 1 - y f(x) below this. */
static const double OUTSIDE = -0.2;

/* K.(sum_t mu_t y_t y_t') in blocks of rows. */
typedef struct forming {
    const double *K; /* [n x n] */
    int64_t n;
    double *M;       /* [n x n] */
    double *Y, *Ymu; /* [live x n] labels, and labels times mu */
    int64_t live;    /* labelings with mu > 0 */
} forming;

static void form_block(void *data, int b)
{
    const forming *f = data;
    int64_t n = f->n, first = (int64_t)b * BLOCK, end = first + BLOCK < n ? first + BLOCK : n;
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)(end - first), (int)n, (int)f->live, 1,
                f->Ymu + first, (int)n, f->Y, (int)n, 0, f->M + first * n, (int)n);
    for (int64_t i = first * n; i < end * n; i++)
        f->M[i] *= f->K[i];
}

static int blocks_of(int64_t n)
{
    return (int)((n + BLOCK - 1) / BLOCK);
}

static wlab_code form(const wellsvm *s, const int8_t *y, int64_t T, const double *mu, double *M,
                      wlab_ctx *ctx, wlab_err *err)
{
    int64_t n = s->n;
    size_t all = (size_t)(T * n);
    double *Y = wlab_alloc(2 * all, sizeof *Y);
    if (!Y)
        return wlab_nomem(err);
    forming f = {s->K, n, M, Y, Y + all, 0};
    for (int64_t t = 0; t < T; t++) {
        if (!(mu[t] > 0))
            continue;
        for (int64_t k = 0; k < n; k++) {
            f.Y[f.live * n + k] = y[t * n + k];
            f.Ymu[f.live * n + k] = mu[t] * y[t * n + k];
        }
        f.live++;
    }
    const bool formed = wlab_pool_run_progress(ctx, blocks_of(n), form_block, &f, NULL, 0);
    wlab_free(Y);
    return formed ? WL_OK : wlab_fail(err, WL_EINTERRUPTED, "interrupted");
}

bool well_reserve_Q(wellsvm *s)
{
    if (!s->Q) {
        s->Q = wlab_alloc((size_t)(s->m * s->m), sizeof *s->Q);
        s->Q_fixed = false;
    }
    return s->Q != NULL;
}

/* Q = K.(sum_t mu_t y_t y_t') over pairs of instances, summed over the instances of each pair of examples. */
wlab_code well_form_Q(wellsvm *s, const int8_t *y, int64_t T, const double *mu, wlab_ctx *ctx, wlab_err *err)
{
    if (!well_one_to_one(s))
        return well_bags_form_Q(s, y, T, mu, ctx, err);
    return well_reserve_Q(s) ? form(s, y, T, mu, s->Q, ctx, err) : wlab_nomem(err);
}

static void set_sums(const wellsvm *s, well_point *at)
{
    at->S = at->D = 0;
    for (int64_t i = 0; i < s->m; i++) {
        at->S += at->alpha[i];
        if (s->delta)
            at->D += s->delta[i] * at->alpha[i] * at->alpha[i];
    }
}

/* Fills `at` from at->alpha, and g [m] = 1 - (Q_mu + Diag(delta)) alpha; B [T x m], if it is not NULL, with rows
 * Q_t alpha. */
static wlab_code assess(wellsvm *s, const int8_t *y, int64_t T, const double *mu, well_point *at, double *g,
                        double *B, wlab_ctx *ctx, wlab_err *err)
{
    int64_t n = s->n, m = s->m;
    const int32_t *example = s->p->example;
    double quad = 0;
    double *Kbeta = wlab_alloc((size_t)(T * n), sizeof *Kbeta);
    wlab_code code = Kbeta ? well_products(s, at->alpha, y, T, Kbeta, at->q, ctx, err) : wlab_nomem(err);
    if (code)
        goto out;
    for (int64_t i = 0; i < m; i++)
        g[i] = 1 - (s->delta ? s->delta[i] * at->alpha[i] : 0);
    if (B)
        memset(B, 0, (size_t)(T * m) * sizeof *B);
    for (int64_t t = 0; t < T; t++) {
        for (int64_t k = 0; k < n && (B || mu[t] > 0); k++) {
            double v = y[t * n + k] * Kbeta[t * n + k];
            g[example[k]] -= mu[t] * v;
            if (B)
                B[t * m + example[k]] += v;
        }
        quad += mu[t] * at->q[t];
    }
    set_sums(s, at);
    at->dual = at->S - 0.5 * (quad + at->D);
    at->primal = at->dual + wlab_boxqp_gap(m, s->delta, s->upper, at->alpha, g);
out:
    wlab_free(Kbeta);
    return code;
}

wlab_code well_assess(wellsvm *s, const int8_t *y, int64_t T, const double *mu, well_point *at, wlab_ctx *ctx,
                      wlab_err *err)
{
    double *g = wlab_alloc((size_t)s->m, sizeof *g);
    wlab_code code = g ? assess(s, y, T, mu, at, g, NULL, ctx, err) : wlab_nomem(err);
    wlab_free(g);
    return code;
}

bool well_large(const wellsvm *s)
{
    return s->K && s->delta && s->n >= LARGE_ROWS && well_one_to_one(s);
}

/* The active rows of an SVM at fixed mu as a problem of their own, with Q_mu in single precision. */
typedef struct part {
    int64_t m;
    int32_t *pick;  /* [n] the selected rows */
    double *vector; /* delta, upper, alpha, g: [m] each */
    double *delta, *upper, *alpha, *g;
    float *Q; /* [m x m] */
    const wellsvm *s;
    float *Y, *Ymu; /* [live x m] */
    int64_t live;
} part;

static void part_block(void *data, int b)
{
    const part *f = data;
    int64_t m = f->m, first = (int64_t)b * BLOCK, end = first + BLOCK < m ? first + BLOCK : m;
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)(end - first), (int)m, (int)f->live, 1,
                f->Ymu + first, (int)m, f->Y, (int)m, 0, f->Q + first * m, (int)m);
    for (int64_t i = first; i < end; i++) {
        const double *row = f->s->K + (int64_t)f->pick[i] * f->s->n;
        for (int64_t j = 0; j < m; j++)
            f->Q[i * m + j] *= (float)row[f->pick[j]];
    }
}

static void part_free(part *f)
{
    wlab_free(f->pick);
    wlab_free(f->vector);
    wlab_free(f->Y);
}

/* Allocates active_Q, twice [m x m], if it is too small; its content is lost. */
static bool reserve_active_Q(wellsvm *s, int64_t m)
{
    if (m <= s->active_rows)
        return true;
    s->active_rows = 0;
    wlab_free(s->active_Q);
    s->active_Q = wlab_alloc((size_t)(2 * m * m), sizeof *s->active_Q);
    if (s->active_Q)
        s->active_rows = m;
    return s->active_Q != NULL;
}

/* Selects the rows with alpha > 0 or g > least. */
static wlab_code part_create(part *f, wellsvm *s, const int8_t *y, int64_t T, const double *mu,
                             const double *alpha, const double *g, double least, wlab_ctx *ctx, wlab_err *err)
{
    int64_t n = s->n, m = 0;
    *f = (part){.s = s, .pick = wlab_alloc((size_t)n, sizeof *f->pick)};
    if (!f->pick)
        return wlab_nomem(err);
    for (int64_t i = 0; i < n; i++)
        if (s->upper[i] > 0 && (alpha[i] > 0 || g[i] > least))
            f->pick[m++] = (int32_t)i;
    f->m = m;
    f->vector = wlab_alloc(4 * (size_t)m, sizeof *f->vector);
    f->Y = wlab_alloc((size_t)(2 * T * m), sizeof *f->Y);
    if (!f->vector || !f->Y || !reserve_active_Q(s, m)) {
        part_free(f);
        return wlab_nomem(err);
    }
    f->Q = s->active_Q;
    f->delta = f->vector, f->upper = f->delta + m, f->alpha = f->upper + m, f->g = f->alpha + m;
    f->Ymu = f->Y + T * m;
    for (int64_t a = 0; a < m; a++) {
        int32_t i = f->pick[a];
        f->delta[a] = s->delta[i];
        f->upper[a] = s->upper[i];
        f->alpha[a] = alpha[i];
        f->g[a] = g[i];
    }
    for (int64_t t = 0; t < T; t++) {
        if (!(mu[t] > 0))
            continue;
        for (int64_t a = 0; a < m; a++) {
            int8_t v = y[t * n + f->pick[a]];
            f->Y[f->live * m + a] = v;
            f->Ymu[f->live * m + a] = (float)(mu[t] * v);
        }
        f->live++;
    }
    if (wlab_pool_run_progress(ctx, blocks_of(m), part_block, f, NULL, 0))
        return WL_OK;
    part_free(f);
    return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
}

static wlab_boxqp_large part_problem(const part *f, wlab_ctx *ctx)
{
    return (wlab_boxqp_large){f->m, f->Q, f->delta, f->upper, f->Q + f->m * f->m, ctx ? ctx->pool : NULL};
}

/* Newton steps on the active rows with Q in single precision; products with K in double precision over all rows
 * certify and correct them. */
static wlab_code solve_large(wellsvm *s, const int8_t *y, int64_t T, const double *mu, double tol,
                             well_point *at, wlab_ctx *ctx, wlab_err *err)
{
    enum {
        ROUNDS = 30
    };
    double least = HUGE_VAL, *g = wlab_alloc((size_t)s->m, sizeof *g);
    if (!g)
        return wlab_nomem(err);
    wlab_code code = WL_OK;
    for (int64_t i = 0; i < s->m; i++)
        if (!(at->alpha[i] > 0) || s->upper[i] == 0)
            at->alpha[i] = 0;
    for (int round = 0; round < ROUNDS && !code; round++) {
        if ((code = assess(s, y, T, mu, at, g, NULL, ctx, err)))
            break;
        double gap = at->primal - at->dual;
        if (!isfinite(gap)) {
            code = wlab_fail(err, WL_ENUMERIC, "%s", wlab_svm_not_finite);
            break;
        }
        if (gap <= tol * fabs(at->dual) || (round > 3 && gap > 0.5 * least))
            break;
        least = gap < least ? gap : least;
        part f;
        if ((code = part_create(&f, s, y, T, mu, at->alpha, g, OUTSIDE, ctx, err)))
            break;
        wlab_boxqp_large q = part_problem(&f, ctx);
        code = wlab_boxqp_large_newton(&q, tol < 1e-11 ? 1e-11 : tol, f.alpha, f.g, s->progress, ctx, err);
        for (int64_t a = 0; a < f.m && !code; a++)
            at->alpha[f.pick[a]] = f.alpha[a];
        part_free(&f);
    }
    wlab_free(g);
    return code;
}

/* well_hessian for many rows; B [T x m]. */
static wlab_code hessian_large(wellsvm *s, const double *B, const double *g, double *X, double *H,
                               wlab_ctx *ctx, wlab_err *err)
{
    int64_t m = s->m, T = s->T;
    part f;
    double *Bf = NULL, *Xf = NULL;
    wlab_code code = part_create(&f, s, s->y, T, s->mu, s->at.alpha, g, HUGE_VAL, ctx, err);
    if (code)
        return code;
    Bf = wlab_alloc((size_t)(T * f.m), sizeof *Bf);
    Xf = wlab_alloc((size_t)(T * f.m), sizeof *Xf);
    if (!Bf || !Xf) {
        code = wlab_nomem(err);
        goto out;
    }
    for (int64_t t = 0; t < T; t++)
        for (int64_t a = 0; a < f.m; a++)
            Bf[t * f.m + a] = B[t * m + f.pick[a]];
    wlab_boxqp_large q = part_problem(&f, ctx);
    if ((code = wlab_boxqp_large_hessian(&q, Bf, T, Xf, H, ctx, err)))
        goto out;
    for (int64_t t = 0; t < T; t++)
        for (int64_t a = 0; a < f.m; a++)
            X[t * m + f.pick[a]] = Xf[t * f.m + a];
out:
    wlab_free(Bf);
    wlab_free(Xf);
    part_free(&f);
    return code;
}

wlab_code well_hessian(wellsvm *s, double *X, double *H, wlab_ctx *ctx, wlab_err *err)
{
    size_t m = (size_t)s->m, T = (size_t)s->T;
    well_point at = s->at;
    wlab_code code;
    double *B = wlab_alloc(T * m, sizeof *B), *g = wlab_alloc(m, sizeof *g);
    at.q = wlab_alloc(T, sizeof *at.q);
    if (!B || !g || !at.q) {
        code = wlab_nomem(err);
        goto out;
    }
    memset(X, 0, T * m * sizeof *X);
    if ((code = assess(s, s->y, s->T, s->mu, &at, g, B, ctx, err)))
        goto out;
    if (well_large(s)) {
        code = hessian_large(s, B, g, X, H, ctx, err);
    } else if (s->thin) {
        code = well_thin_hessian(s, B, H, err);
    } else { /* s->Q may belong to a trial point, or to the state before a restore: form it again */
        if ((code = well_form_Q(s, s->y, s->T, s->mu, ctx, err)))
            goto out;
        code = wlab_boxqp_hessian(s->Q, s->m, s->delta, s->upper, s->at.alpha, B, s->T, H, ctx, err);
    }
out:
    wlab_free(B);
    wlab_free(g);
    wlab_free(at.q);
    return code;
}

wlab_code well_solve_Q(wellsvm *s, double tol, double *alpha, double *g, wlab_boxqp_result *result,
                       wlab_ctx *ctx, wlab_err *err)
{
    if (!s->group)
        return wlab_boxqp_solve_progress(s->Q, s->m, s->delta, s->upper, tol, alpha, g, result, s->progress,
                                         ctx, err);
    const wlab_groupqp q = {s->Q, s->m, s->groups, s->group, s->shared};
    wlab_groupqp_result shared;
    wlab_code code = wlab_groupqp_solve(&q, tol, alpha, g, &shared, s->progress, ctx, err);
    *result = (wlab_boxqp_result){.dual = shared.dual, .primal = shared.primal, .newtons = shared.newtons};
    return code;
}

wlab_code well_solve(wellsvm *s, const int8_t *y, int64_t T, const double *mu, double tol, well_point *at,
                     wlab_ctx *ctx, wlab_err *err)
{
    wlab_code code;
    s->svms++;
    if (!s->K)
        return well_linear_solve(s, y, T, mu, tol, at, ctx, err);
    y = y ? y : s->y;
    if (well_large(s))
        return solve_large(s, y, T, mu, tol, at, ctx, err);
    if (s->thin)
        return well_thin_solve(s, y, T, mu, tol, at, ctx, err);
    wlab_boxqp_result result;
    double *g = wlab_alloc((size_t)s->m, sizeof *g);
    if (!g)
        return wlab_nomem(err);
    code = well_form_Q(s, y, T, mu, ctx, err);
    code = code ? code : well_solve_Q(s, tol, at->alpha, g, &result, ctx, err);
    wlab_free(g);
    if (code)
        return code;
    at->dual = result.dual;
    at->primal = result.primal;
    set_sums(s, at);
    return well_quadratics(s, at->alpha, y, T, at->q, ctx, err);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Newton steps by conjugate gradients for the box QP of a squared hinge loss on many rows.
 */
#include "solve/svm/boxqp_large.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum {
    BLOCK = 64, /* rows per block of a product */
    FEW = 4,    /* from this many right-hand sides on, a matrix product is faster */
    CG_STEPS = 300,
    NEWTON_STEPS = 60
};
static const double CG_TOL = 1e-3; /* relative residual; the next Newton step reduces the rest */

/* out_k = A p_k, k = 0 .. t-1. */
typedef struct product {
    const float *A; /* [n x n] */
    int64_t n, t;
    const float *p; /* [t x n] */
    float *out;     /* [t x n] */
} product;

static void multiply_block(void *data, int b)
{
    const product *s = data;
    int64_t n = s->n, first = (int64_t)b * BLOCK, end = first + BLOCK < n ? first + BLOCK : n;
    if (s->t < FEW)
        for (int64_t i = first; i < end; i++)
            for (int64_t k = 0; k < s->t; k++)
                s->out[k * n + i] = cblas_sdot((int)n, s->A + i * n, 1, s->p + k * n, 1);
    else
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)s->t, (int)(end - first), (int)n, 1, s->p,
                    (int)n, s->A + first * n, (int)n, 0, s->out + first, (int)n);
}

static int blocks_of(int64_t n)
{
    return (int)((n + BLOCK - 1) / BLOCK);
}

static void multiply(wlab_pool *pool, const float *A, int64_t n, int64_t t, const float *p, float *out)
{
    product s = {A, n, t, p, out};
    wlab_pool_run(pool, blocks_of(n), multiply_block, &s);
}

/* A = Q at the coordinates pick. */
typedef struct gathering {
    const wlab_boxqp_large *q;
    const int32_t *pick;
    int64_t m;
    float *A;
} gathering;

static void gather_block(void *data, int b)
{
    const gathering *f = data;
    int64_t m = f->m, first = (int64_t)b * BLOCK, end = first + BLOCK < m ? first + BLOCK : m;
    for (int64_t i = first; i < end; i++) {
        const float *row = f->q->Q + (int64_t)f->pick[i] * f->q->n;
        for (int64_t j = 0; j < m; j++)
            f->A[i * m + j] = row[f->pick[j]];
    }
}

/* Conjugate gradients on (A + Diag(delta)) x_k = r_k with a diagonal preconditioner. */
typedef struct cg {
    int64_t m, t;
    const float *A;           /* [m x m] */
    double *delta, *h;        /* [m]; h: the diagonal with delta */
    double *x, *r, *d;        /* [t x m] */
    double *rho, *rho_target; /* [t] r'Diag(h)^-1 r, and its value at which to stop */
    float *p, *Ap;            /* [t x m] */
} cg;

/* One step for right-hand side k; Ap is already computed. */
static void cg_step(cg *c, int64_t k)
{
    int64_t m = c->m;
    double *x = c->x + k * m, *r = c->r + k * m, *d = c->d + k * m, curve = 0, fresh = 0;
    float *Ap = c->Ap + k * m;
    for (int64_t i = 0; i < m; i++)
        curve += d[i] * ((double)Ap[i] + c->delta[i] * d[i]);
    if (!(curve > 0)) { /* rounding prevents further progress */
        c->rho[k] = 0;
        return;
    }
    double a = c->rho[k] / curve;
    for (int64_t i = 0; i < m; i++) {
        x[i] += a * d[i];
        r[i] -= a * ((double)Ap[i] + c->delta[i] * d[i]);
        fresh += r[i] * r[i] / c->h[i];
    }
    double beta = fresh / c->rho[k];
    c->rho[k] = fresh;
    for (int64_t i = 0; i < m; i++)
        d[i] = r[i] / c->h[i] + beta * d[i];
}

static bool any_open(const cg *c)
{
    for (int64_t k = 0; k < c->t; k++)
        if (c->rho[k] > c->rho_target[k])
            return true;
    return false;
}

/* X_k = ((Q + Diag(delta))_FF)^-1 B_k, F = pick[0..m-1]; 0 elsewhere.  X, B [t x n]. */
static wlab_code solve(const wlab_boxqp_large *q, const int32_t *pick, int64_t m, const double *B, int64_t t,
                       double *X, wlab_ctx *ctx, wlab_err *err)
{
    int64_t n = q->n;
    size_t all = (size_t)(t * m), size = (size_t)m;
    wlab_code code = WL_OK;
    bool part = m < n;
    double *vectors = wlab_alloc(3 * all + 2 * size + 2 * (size_t)t, sizeof *vectors);
    float *singles = wlab_alloc(2 * all, sizeof *singles);
    memset(X, 0, (size_t)(t * n) * sizeof *X);
    if (!vectors || !singles) {
        code = wlab_nomem(err);
        goto out;
    }
    cg c = {.m = m, .t = t};
    c.x = vectors, c.r = c.x + all, c.d = c.r + all, c.delta = c.d + all, c.h = c.delta + m;
    c.rho = c.h + m, c.rho_target = c.rho + t;
    c.p = singles, c.Ap = c.p + all;
    gathering f = {q, pick, m, q->work};
    if (part && !wlab_pool_run_progress(ctx, blocks_of(m), gather_block, &f, NULL, 0)) {
        code = wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        goto out;
    }
    c.A = part ? f.A : q->Q;
    for (int64_t i = 0; i < m; i++) {
        c.delta[i] = q->delta[pick[i]];
        c.h[i] = (double)c.A[i * m + i] + c.delta[i];
    }
    for (int64_t k = 0; k < t; k++) {
        c.rho[k] = 0;
        for (int64_t i = 0; i < m; i++) {
            double b = B[k * n + pick[i]];
            c.x[k * m + i] = 0;
            c.r[k * m + i] = b;
            c.d[k * m + i] = b / c.h[i];
            c.rho[k] += b * c.d[k * m + i];
        }
        c.rho_target[k] = CG_TOL * CG_TOL * c.rho[k];
    }
    for (int step = 0; step < CG_STEPS && any_open(&c); step++) {
        if (wlab_interrupted(ctx)) {
            code = wlab_fail(err, WL_EINTERRUPTED, "interrupted");
            goto out;
        }
        for (size_t i = 0; i < all; i++)
            c.p[i] = (float)c.d[i];
        multiply(q->pool, c.A, m, t, c.p, c.Ap);
        for (int64_t k = 0; k < t; k++)
            if (c.rho[k] > c.rho_target[k])
                cg_step(&c, k);
    }
    for (int64_t k = 0; k < t; k++)
        for (int64_t i = 0; i < m; i++)
            X[k * n + pick[i]] = c.x[k * m + i];
out:
    wlab_free(vectors);
    wlab_free(singles);
    return code;
}

typedef struct newton {
    const wlab_boxqp_large *q;
    double *alpha, *g;
    int32_t *pick; /* [n] */
    int64_t m;
    double *d, *Qs; /* [n] */
    float *p, *Ap;  /* [n] */
} newton;

/* Returns the gain of alpha + scale d clipped at 0; leaves the step in p and (Q + Diag(delta)) step in Qs. */
static double try_step(newton *w, double scale)
{
    const wlab_boxqp_large *q = w->q;
    double linear = 0, quad = 0;
    for (int64_t i = 0; i < q->n; i++) {
        double to = w->alpha[i] + scale * w->d[i];
        w->p[i] = (float)((to > 0 ? to : 0) - w->alpha[i]); /* d = 0 elsewhere */
    }
    multiply(q->pool, q->Q, q->n, 1, w->p, w->Ap);
    for (int64_t i = 0; i < q->n; i++) {
        double step = (double)w->p[i];
        w->Qs[i] = (double)w->Ap[i] + q->delta[i] * step;
        linear += w->g[i] * step;
        quad += w->Qs[i] * step;
    }
    return linear - 0.5 * quad;
}

/* Tries projected steps, each half the one before, and uses the first with a sufficient gain; else the longest step
 * that clips no coordinate.  WL_EINTERRUPTED: nothing has changed. */
static wlab_code search_step(newton *w, double *gain, const wlab_ctx *ctx, wlab_err *err)
{
    const wlab_boxqp_large *q = w->q;
    double longest = 1, slope = 0;
    for (int64_t i = 0; i < q->n; i++) {
        slope += w->d[i] * w->g[i];
        if (w->d[i] < 0 && -w->d[i] * longest > w->alpha[i])
            longest = w->alpha[i] / -w->d[i];
    }
    double feasible = (longest - 0.5 * longest * longest) * slope;
    for (double scale = 1; scale > 0.1 && scale > longest; scale *= 0.5) {
        if (wlab_interrupted(ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        *gain = try_step(w, scale);
        if (*gain > feasible && *gain > 0.1 * scale * slope)
            return WL_OK;
    }
    *gain = longest > 0 ? try_step(w, longest) : 0;
    return WL_OK;
}

static wlab_code newton_step(newton *w, double *gained, wlab_ctx *ctx, wlab_err *err)
{
    const wlab_boxqp_large *q = w->q;
    int64_t n = q->n;
    *gained = 0;
    w->m = 0;
    for (int64_t i = 0; i < n; i++)
        if (q->upper[i] > 0 && (w->alpha[i] > 0 || w->g[i] > 0))
            w->pick[w->m++] = (int32_t)i;
    for (int tries = 0; tries < 10 && w->m > 0; tries++) {
        double gain = 0;
        wlab_code code = solve(q, w->pick, w->m, w->g, 1, w->d, ctx, err);
        code = code ? code : search_step(w, &gain, ctx, err);
        if (code)
            return code;
        if (gain > 0) {
            for (int64_t i = 0; i < n; i++) {
                double to = w->alpha[i] + (double)w->p[i];
                /* alpha below the rounding of p is on the bound */
                w->alpha[i] = to > 1e-6 * w->alpha[i] ? to : 0;
                w->g[i] -= w->Qs[i];
            }
            *gained = gain;
            return WL_OK;
        }
        /* no step gains: leave out the coordinates at 0 that the solution of the equations would make negative */
        int64_t m = 0;
        for (int64_t a = 0; a < w->m; a++)
            if (w->alpha[w->pick[a]] > 0 || w->d[w->pick[a]] > 0)
                w->pick[m++] = w->pick[a];
        if (m == w->m)
            break;
        w->m = m;
    }
    return WL_OK;
}

wlab_code wlab_boxqp_large_newton(const wlab_boxqp_large *q, double tol, double *alpha, double *g,
                                  wlab_progress *progress, wlab_ctx *ctx, wlab_err *err)
{
    size_t n = (size_t)q->n;
    wlab_code code = WL_OK;
    newton w = {.q = q, .alpha = alpha, .g = g};
    w.pick = wlab_alloc(n, sizeof *w.pick);
    w.d = wlab_alloc(n, sizeof *w.d);
    w.Qs = wlab_alloc(n, sizeof *w.Qs);
    w.p = wlab_alloc(n, sizeof *w.p);
    w.Ap = wlab_alloc(n, sizeof *w.Ap);
    if (!w.pick || !w.d || !w.Qs || !w.p || !w.Ap) {
        code = wlab_nomem(err);
        goto out;
    }
    for (int step = 0; step < NEWTON_STEPS; step++) {
        double gap = wlab_boxqp_gap(q->n, q->delta, q->upper, alpha, g), gain;
        double dual = wlab_boxqp_dual(q->n, alpha, g);
        if (step > 0 && gap <= tol * fabs(dual))
            break;
        if ((code = newton_step(&w, &gain, ctx, err)))
            break;
        wlab_progress_add(progress, 1);
        if (!(gain > 1e-14 * fabs(dual)))
            break;
    }
out:
    wlab_free(w.pick);
    wlab_free(w.d);
    wlab_free(w.Qs);
    wlab_free(w.p);
    wlab_free(w.Ap);
    return code;
}

wlab_code wlab_boxqp_large_hessian(const wlab_boxqp_large *q, const double *B, int64_t t, double *X,
                                   double *H, wlab_ctx *ctx, wlab_err *err)
{
    int32_t *pick = wlab_alloc((size_t)q->n, sizeof *pick);
    if (!pick)
        return wlab_nomem(err);
    for (int64_t i = 0; i < q->n; i++)
        pick[i] = (int32_t)i;
    wlab_code code = solve(q, pick, q->n, B, t, X, ctx, err);
    for (int64_t r = 0; r < t && !code; r++)
        for (int64_t s = 0; s <= r; s++)
            H[r * t + s] = H[s * t + r] = 0.5 * (cblas_ddot((int)q->n, B + r * q->n, 1, X + s * q->n, 1) +
                                                 cblas_ddot((int)q->n, B + s * q->n, 1, X + r * q->n, 1));
    wlab_free(pick);
    return code;
}

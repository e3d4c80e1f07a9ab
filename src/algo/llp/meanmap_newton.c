/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * MeanMap: a Newton iteration on the conditional exponential model.  The direction comes from conjugate gradients
 * (linear) or a Cholesky factor (kernel), the step length from a line search.
 */
#include "algo/llp/meanmap.h"
#include "base/progress.h"
#include "linalg/cholesky.h"
#include "linalg/symmetric.h"

#include <cblas.h>
#include <string.h>

enum {
    CG_MOST = 1000,
    HALVINGS = 50
};

static bool biased(const mm_state *s)
{
    return !s->K && s->kernel.bias > 0;
}

static double dot(const double *a, const double *b, int64_t n)
{
    return cblas_ddot((int)n, a, 1, b, 1);
}

/* sum_i log 2 cosh f_i - c_i f_i at f + t e. */
static double loss_at(const mm_state *s, const double *e, double t)
{
    double sum = 0;

    for (int64_t i = 0; i < s->n; i++)
        if (s->in[i] > 0) {
            const double f = s->f[i] + (e ? t * e[i] : 0);
            sum += mm_log_partition(f) - s->c[i] * f;
        }
    return sum;
}

static double norm_of(const mm_state *s, const double *theta, const double *f)
{
    return s->K ? dot(theta, f, s->n) : dot(theta, theta, s->dim);
}

/* Before an interrupt nothing has been changed: the functions below look where only their workspace is written. */
static wlab_code interrupted(const wlab_ctx *ctx, wlab_err *err)
{
    return wlab_interrupted(ctx) ? wlab_fail(err, WL_EINTERRUPTED,
                                             "interrupted in a Newton iteration, which the next step repeats")
                                 : WL_OK;
}

wlab_code mm_evaluate(mm_state *s, wlab_ctx *ctx, wlab_err *err)
{
    wlab_pool *pool = ctx ? ctx->pool : NULL;
    double sum = 0, *r = wlab_alloc(2 * (size_t)s->n, sizeof *r);
    wlab_code code = r ? interrupted(ctx, err) : wlab_nomem(err);

    if (code)
        goto out;
    double *Kr = r + s->n;
    for (int64_t i = 0; i < s->n; i++) {
        r[i] = s->in[i] > 0 ? tanh(s->f[i]) - s->c[i] : 0;
        sum += r[i];
    }
    const double loss = loss_at(s, NULL, 0);
    if ((code = interrupted(ctx, err)))
        goto out;
    s->objective = loss + s->lambda * norm_of(s, s->theta, s->f);
    if (s->K) {
        for (int64_t i = 0; i < s->n; i++)
            s->g[i] = r[i] + 2 * s->lambda * s->theta[i];
        wlab_symmetric_mul(s->K, s->n, s->g, Kr, NULL, pool);
        s->gradient = sqrt(fmax(dot(s->g, Kr, s->n), 0));
    } else {
        wlab_passes_transpose(s->passes, r, s->g, pool);
        if (biased(s))
            s->g[s->dim - 1] = s->kernel.bias * sum;
        cblas_daxpy((int)s->dim, 2 * s->lambda, s->theta, 1, s->g, 1);
        s->gradient = cblas_dnrm2((int)s->dim, s->g, 1);
    }
    s->gap = s->gradient * s->gradient / (4 * s->lambda);
out:
    wlab_free(r);
    return code;
}

/* h [n]: the curvatures 1 - tanh^2 f of the loss. */
static void curvatures(const mm_state *s, double *h)
{
    for (int64_t i = 0; i < s->n; i++) {
        const double u = tanh(s->f[i]);
        h[i] = s->in[i] > 0 ? 1 - u * u : 0;
    }
}

/* d = -(2 lambda I + X'HX)^-1 g, by conjugate gradients.  They end when the residual is at most the fraction
 * sqrt(gap / rows) of g, and at most 0.1: far from the optimum an exact direction is not worth its time. */
static wlab_code cg_direction(const mm_state *s, double *d, int64_t *count, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t n = s->dim;
    wlab_code code = WL_OK;
    double *r = wlab_alloc((size_t)(3 * n + 2 * s->n), sizeof *r);
    wlab_progress progress;

    if (!r)
        return wlab_nomem(err);
    double *q = r + n, *Hq = q + n, *h = Hq + n, *Xq = h + s->n;
    curvatures(s, h);
    memset(d, 0, (size_t)n * sizeof *d);
    for (int64_t j = 0; j < n; j++)
        q[j] = r[j] = -s->g[j];
    double rho = dot(r, r, n), quad;
    const double relative = sqrt(s->gap / (double)s->super_instances->rows);
    const double target = fmin(0.1, relative) * sqrt(rho);
    wlab_progress_begin(&progress, ctx, "CG iterations", 0);
    for (*count = 0; *count < CG_MOST && sqrt(rho) > target; (*count)++) {
        if ((code = interrupted(ctx, err)))
            break;
        const double offset = biased(s) ? s->kernel.bias * q[n - 1] : 0;
        const double ones =
            wlab_passes_normal(s->passes, h, q, offset, Xq, Hq, &quad, ctx ? ctx->pool : NULL);
        if (biased(s))
            Hq[n - 1] = s->kernel.bias * ones;
        cblas_daxpy((int)n, 2 * s->lambda, q, 1, Hq, 1);
        const double along = dot(q, Hq, n);
        if (!(along > 0))
            break;
        cblas_daxpy((int)n, rho / along, q, 1, d, 1);
        cblas_daxpy((int)n, -rho / along, Hq, 1, r, 1);
        const double next = dot(r, r, n);
        for (int64_t j = 0; j < n; j++)
            q[j] = r[j] + next / rho * q[j];
        rho = next;
        wlab_progress_add(&progress, 1);
    }
    wlab_free(r);
    return code;
}

/* d = -(2 lambda I + H K)^-1 g (coefficients):  with B = 2 lambda I + H^1/2 K H^1/2 and B z = -H^1/2 K g,
 * d = -(g + H^1/2 z) / (2 lambda), which is stable as entries of H go to 0. */
static wlab_code cholesky_direction(const mm_state *s, double *d, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t n = s->n;
    bool definite = true;
    wlab_code code = WL_OK;
    wlab_progress progress;
    double *B = wlab_alloc((size_t)(n * n), sizeof *B), *h = wlab_alloc(2 * (size_t)n, sizeof *h),
           *z = h ? h + n : NULL;

    if (!B || !h) {
        code = wlab_nomem(err);
        goto out;
    }
    curvatures(s, h);
    for (int64_t i = 0; i < n; i++)
        h[i] = sqrt(h[i]);
    wlab_progress_begin(&progress, ctx, "rows of the Newton system", n);
    for (int64_t i = 0; i < n; i++) {
        if (!wlab_look_at(i, 8 * n, &progress, ctx)) {
            code = interrupted(ctx, err);
            goto out;
        }
        for (int64_t j = 0; j <= i; j++)
            B[i * n + j] = h[i] * s->K[i * n + j] * h[j];
        B[i * n + i] += 2 * s->lambda;
    }
    if ((code = wlab_cholesky(B, n, &definite, ctx, err)))
        goto out;
    if (!definite) {
        code = wlab_fail(err, WL_ENUMERIC, "the kernel matrix is not positive semidefinite");
        goto out;
    }
    wlab_symmetric_mul(s->K, n, s->g, z, NULL, ctx ? ctx->pool : NULL);
    if ((code = interrupted(ctx, err)))
        goto out;
    for (int64_t i = 0; i < n; i++)
        z[i] *= -h[i];
    wlab_cholesky_solve(B, n, z);
    for (int64_t i = 0; i < n; i++)
        d[i] = -(s->g[i] + h[i] * z[i]) / (2 * s->lambda);
out:
    wlab_free(B);
    wlab_free(h);
    return code;
}

/* *length: the step length along d, by halving from 1 until it meets Armijo's condition; 0: none does. */
static wlab_code line_search(const mm_state *s, const double *d, const double *e, double *length,
                             int64_t *halvings, wlab_ctx *ctx, wlab_err *err)
{
    double slope, cross, square, t = 1;
    const double from = loss_at(s, NULL, 0);
    wlab_code code;

    *length = 0;

    if (s->K) {
        slope = dot(s->g, e, s->n);
        cross = dot(s->theta, e, s->n);
        square = dot(d, e, s->n);
    } else {
        slope = dot(s->g, d, s->dim);
        cross = dot(s->theta, d, s->dim);
        square = dot(d, d, s->dim);
    }
    for (*halvings = 0; *halvings < HALVINGS; (*halvings)++, t *= 0.5) {
        if ((code = interrupted(ctx, err)))
            return code;
        if (loss_at(s, e, t) - from + s->lambda * t * (2 * cross + t * square) <= 1e-4 * t * slope) {
            *length = t;
            break;
        }
    }
    return WL_OK;
}

wlab_code mm_newton(mm_state *s, wlab_ctx *ctx, wlab_err *err)
{
    wlab_pool *pool = ctx ? ctx->pool : NULL;
    const size_t dim = (size_t)s->dim, n = (size_t)s->n;
    int64_t cg = 0, halvings = 0;
    wlab_code code;
    mm_state to = *s; /* has its own theta, f and g, so that an error leaves *s unchanged */
    double *buffer = wlab_alloc(3 * dim + 2 * n, sizeof *buffer), *d = buffer;

    if (!buffer)
        return wlab_nomem(err);
    double *e = buffer + dim;
    to.f = e + n;
    to.theta = to.f + n;
    to.g = to.theta + dim;
    code = s->K ? cholesky_direction(s, d, ctx, err) : cg_direction(s, d, &cg, ctx, err);
    if (code || (code = interrupted(ctx, err)))
        goto out;
    if (s->K) {
        wlab_symmetric_mul(s->K, s->n, d, e, NULL, pool);
    } else {
        wlab_passes_outputs(s->passes, NULL, d, 0, e, pool);
        for (int64_t i = 0; biased(s) && i < s->n; i++)
            e[i] += s->kernel.bias * d[dim - 1];
    }
    double t;
    if ((code = line_search(s, d, e, &t, &halvings, ctx, err)))
        goto out;
    if (!isfinite(t * s->objective)) {
        code = wlab_fail(err, WL_ENUMERIC, "the Newton step is not finite: scale the data");
        goto out;
    }
    for (size_t j = 0; j < dim; j++)
        to.theta[j] = s->theta[j] + t * d[j];
    for (size_t i = 0; i < n; i++)
        to.f[i] = s->f[i] + t * e[i];
    if ((code = mm_evaluate(&to, ctx, err)))
        goto out;
    memcpy(s->theta, to.theta, dim * sizeof *s->theta);
    memcpy(s->f, to.f, n * sizeof *s->f);
    memcpy(s->g, to.g, dim * sizeof *s->g);
    s->objective = to.objective;
    s->gradient = to.gradient;
    s->gap = to.gap;
    s->cg = cg;
    s->length = t;
    s->halvings = halvings;
    s->stalled = !(t > 0);
out:
    wlab_free(buffer);
    return code;
}

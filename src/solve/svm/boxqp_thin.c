/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The interior point method for the box QP with Q = F F': equations of size r instead of n (Sherman, Morrison,
 * Woodbury).
 */
#include "solve/svm/boxqp_thin.h"
#include "solve/svm/boxqp.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

enum {
    ITERATIONS = 60
};
static const double CLOSE = 1e-10, /* relative gap at which Newton steps on the active set take over */
    LOST = 1e3;                    /* times the smallest gap so far: only rounding is left */

wlab_code wlab_thin_create(wlab_thin *t, const double *F, int64_t n, int64_t r, wlab_err *err)
{
    const size_t rows = (size_t)n, cols = (size_t)r;
    *t = (wlab_thin){.F = F, .n = n, .r = r};
    t->d = wlab_alloc(rows, sizeof *t->d);
    t->inverse = wlab_alloc(rows, sizeof *t->inverse);
    t->W = wlab_alloc(rows * cols, sizeof *t->W);
    t->M = wlab_alloc(cols * cols, sizeof *t->M);
    t->small = wlab_alloc(cols, sizeof *t->small);
    t->left = wlab_alloc(4 * rows, sizeof *t->left);
    if (t->d && t->inverse && t->W && t->M && t->small && t->left) {
        t->scaled = t->left + rows, t->b = t->left + 2 * rows, t->x = t->left + 3 * rows;
        return WL_OK;
    }
    wlab_thin_clear(t);
    return wlab_nomem(err);
}

void wlab_thin_clear(wlab_thin *t)
{
    wlab_free(t->d);
    wlab_free(t->inverse);
    wlab_free(t->W);
    wlab_free(t->M);
    wlab_free(t->small);
    wlab_free(t->left);
    *t = (wlab_thin){0};
}

wlab_code wlab_thin_factor(wlab_thin *t)
{
    const int n = (int)t->n, r = (int)t->r;
    for (int64_t i = 0; i < t->n; i++) {
        t->inverse[i] = 1 / t->d[i];
        const double root = sqrt(t->inverse[i]);
        for (int64_t k = 0; k < t->r; k++)
            t->W[i * t->r + k] = root * t->F[i * t->r + k];
    }
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, r, n, 1, t->W, r, 0, t->M, r);
    for (int64_t k = 0; k < t->r; k++)
        t->M[k * t->r + k] += 1;
    return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', r, t->M, r) ? WL_ENUMERIC : WL_OK;
}

/* out += (F F' + Diag(d))^-1 b, up to rounding. */
static void add_solution(const wlab_thin *t, const double *b, double *out)
{
    const int n = (int)t->n, r = (int)t->r;
    double *scaled = t->scaled;
    for (int64_t i = 0; i < t->n; i++)
        scaled[i] = t->inverse[i] * b[i];
    cblas_dgemv(CblasRowMajor, CblasTrans, n, r, 1, t->F, r, scaled, 1, 0, t->small, 1);
    LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', r, 1, t->M, r, t->small, r);
    memcpy(scaled, b, (size_t)t->n * sizeof *b);
    cblas_dgemv(CblasRowMajor, CblasNoTrans, n, r, -1, t->F, r, t->small, 1, 1, scaled, 1);
    for (int64_t i = 0; i < t->n; i++)
        out[i] += t->inverse[i] * scaled[i];
}

void wlab_thin_apply(const wlab_thin *t, double *x)
{
    enum {
        ROUNDS = 2 /* the second refines the first, which suffers from cancellation */
    };
    const int n = (int)t->n, r = (int)t->r;
    double *b = t->b, *out = t->x;
    memcpy(b, x, (size_t)t->n * sizeof *x);
    memset(out, 0, (size_t)t->n * sizeof *x);
    for (int round = 0; round < ROUNDS; round++) {
        memcpy(t->left, b, (size_t)t->n * sizeof *x);
        if (round > 0) {
            cblas_dgemv(CblasRowMajor, CblasTrans, n, r, 1, t->F, r, out, 1, 0, t->small, 1);
            cblas_dgemv(CblasRowMajor, CblasNoTrans, n, r, -1, t->F, r, t->small, 1, 1, t->left, 1);
            for (int64_t i = 0; i < t->n; i++)
                t->left[i] -= isfinite(t->d[i]) ? t->d[i] * out[i] : 0;
        }
        add_solution(t, t->left, out);
    }
    memcpy(x, out, (size_t)t->n * sizeof *x);
}

/* ---- interior point method ---- */
typedef struct centre {
    wlab_thin *t;
    const double *delta, *upper;
    double *alpha, *z, *v, *g, *da, *dz, *dv; /* [n] */
} centre;

static bool bounded(const centre *c, int64_t i)
{
    return isfinite(c->upper[i]);
}

static double slack_above(const centre *c, int64_t i)
{
    return c->upper[i] - c->alpha[i];
}

/* g = 1 - (F F' + Diag(delta)) alpha. */
static void gradient(const centre *c)
{
    const int n = (int)c->t->n, r = (int)c->t->r;
    cblas_dgemv(CblasRowMajor, CblasTrans, n, r, 1, c->t->F, r, c->alpha, 1, 0, c->t->small, 1);
    cblas_dgemv(CblasRowMajor, CblasNoTrans, n, r, -1, c->t->F, r, c->t->small, 1, 0, c->g, 1);
    for (int64_t i = 0; i < c->t->n; i++)
        c->g[i] += 1 - (c->delta ? c->delta[i] * c->alpha[i] : 0);
}

static double complementarity(const centre *c)
{
    double sum = 0, pairs = 0;
    for (int64_t i = 0; i < c->t->n; i++) {
        if (c->upper[i] == 0)
            continue;
        sum += c->alpha[i] * c->z[i] + (bounded(c, i) ? slack_above(c, i) * c->v[i] : 0);
        pairs += bounded(c, i) ? 2 : 1;
    }
    return pairs > 0 ? sum / pairs : 0;
}

static wlab_code factor(const centre *c)
{
    for (int64_t i = 0; i < c->t->n; i++)
        c->t->d[i] = c->upper[i] == 0 ? HUGE_VAL
                                      : (c->delta ? c->delta[i] : 0) + c->z[i] / c->alpha[i] +
                                            (bounded(c, i) ? c->v[i] / slack_above(c, i) : 0);
    return wlab_thin_factor(c->t);
}

/* The Newton step towards complementarity tau; correct: with the predictor's second-order products. */
static void set_newton_step(const centre *c, double tau, bool correct)
{
    double *step = c->da;
    for (int64_t i = 0; i < c->t->n; i++) {
        const double cz = correct ? c->da[i] * c->dz[i] : 0, cv = correct ? -c->da[i] * c->dv[i] : 0;
        c->dz[i] = tau - cz; /* target of the product alpha z */
        c->dv[i] = tau - cv;
        step[i] = c->upper[i] == 0
                      ? 0
                      : c->g[i] + c->dz[i] / c->alpha[i] - (bounded(c, i) ? c->dv[i] / slack_above(c, i) : 0);
    }
    wlab_thin_apply(c->t, step);
    for (int64_t i = 0; i < c->t->n; i++) {
        if (c->upper[i] == 0) {
            c->dz[i] = c->dv[i] = 0;
            continue;
        }
        c->dz[i] = (c->dz[i] - c->z[i] * step[i]) / c->alpha[i] - c->z[i];
        c->dv[i] = bounded(c, i) ? (c->dv[i] + c->v[i] * step[i]) / slack_above(c, i) - c->v[i] : 0;
    }
}

static double shorten(double x, double dx, double step)
{
    return dx < 0 && -x / dx < step ? -x / dx : step;
}

static double longest_step(const centre *c)
{
    double step = 1;
    for (int64_t i = 0; i < c->t->n; i++) {
        if (c->upper[i] == 0)
            continue;
        step = shorten(c->alpha[i], c->da[i], step);
        step = shorten(c->z[i], c->dz[i], step);
        if (bounded(c, i)) {
            step = shorten(slack_above(c, i), -c->da[i], step);
            step = shorten(c->v[i], c->dv[i], step);
        }
    }
    return step;
}

/* Starts in the middle of the box, with unbounded coordinates at 1; if there are any, alpha is shortened to the length
 * with the largest dual value.  The multipliers compensate the gradient. */
static void set_start(const centre *c)
{
    const int64_t n = c->t->n;
    double sum = 0, quad = 0, size = 0;
    bool open = false;
    for (int64_t i = 0; i < n; i++) {
        c->alpha[i] = c->upper[i] == 0 ? 0 : bounded(c, i) ? 0.5 * c->upper[i] : 1;
        open = open || !bounded(c, i);
    }
    gradient(c);
    for (int64_t i = 0; i < n; i++) {
        sum += c->alpha[i];
        quad += c->alpha[i] * (1 - c->g[i]);
    }
    if (open && quad > sum) {
        for (int64_t i = 0; i < n; i++)
            c->alpha[i] *= sum / quad;
        gradient(c);
    }
    for (int64_t i = 0; i < n; i++)
        size += fabs(c->g[i]) / (double)n;
    for (int64_t i = 0; i < n; i++) {
        const double g = c->upper[i] == 0 ? 0 : c->g[i];
        c->z[i] = c->upper[i] == 0 ? 0 : (g < 0 ? -g : 0) + size;
        c->v[i] = c->upper[i] == 0 || !bounded(c, i) ? 0 : (g > 0 ? g : 0) + size;
    }
}

wlab_code wlab_thin_centre(wlab_thin *t, const double *delta, const double *upper, double *alpha,
                           wlab_progress *progress, wlab_ctx *ctx, wlab_err *err)
{
    const size_t n = (size_t)t->n;
    double *vectors = wlab_calloc(9 * n, sizeof *vectors);
    if (!vectors)
        return wlab_nomem(err);
    double *kept = vectors + 6 * n; /* alpha, z, v */
    centre c = {.t = t, .delta = delta, .upper = upper, .alpha = alpha, .z = vectors, .v = vectors + n};
    c.g = vectors + 2 * n, c.da = vectors + 3 * n, c.dz = vectors + 4 * n, c.dv = vectors + 5 * n;
    wlab_code code = WL_OK;
    double least = HUGE_VAL;
    set_start(&c);
    for (int k = 0; k < ITERATIONS; k++) {
        const double gap = wlab_boxqp_gap(t->n, delta, upper, alpha, c.g),
                     dual = wlab_boxqp_dual(t->n, alpha, c.g), mean = complementarity(&c);
        const bool finite = isfinite(gap) && isfinite(dual);
        if (!finite && least == HUGE_VAL) {
            code = wlab_fail(err, WL_ENUMERIC, "%s", wlab_svm_not_finite);
            break;
        }
        /* return to the point with the smallest gap; not finite: a coordinate came so near to a bound that their
         * difference was rounded to 0 */
        if (!finite || gap > LOST * least || (k > 25 && gap > 0.999 * least)) {
            memcpy(alpha, kept, n * sizeof *alpha);
            memcpy(c.z, kept + n, 2 * n * sizeof *c.z);
            break;
        }
        if (gap <= CLOSE * fabs(dual))
            break;
        if (gap < least) {
            least = gap;
            memcpy(kept, alpha, n * sizeof *alpha);
            memcpy(kept + n, c.z, 2 * n * sizeof *c.z);
        }
        if (factor(&c)) /* as exact as doubles allow */
            break;
        set_newton_step(&c, 0, false);
        /* Mehrotra: the predictor's step length determines the centring */
        const double keep = 1 - longest_step(&c);
        double sigma = keep * keep * keep;
        sigma = sigma < 1e-4 ? 1e-4 : sigma;
        set_newton_step(&c, sigma * mean, true);
        double step = longest_step(&c);
        step = step < 1 ? 0.99 * step : 1;
        for (int64_t i = 0; i < t->n; i++) {
            alpha[i] += step * c.da[i];
            c.z[i] += step * c.dz[i];
            c.v[i] += step * c.dv[i];
        }
        gradient(&c);
        wlab_progress_add(progress, 1);
        if (wlab_interrupted(ctx)) {
            code = wlab_fail(err, WL_EINTERRUPTED, "interrupted");
            break;
        }
    }
    for (int64_t i = 0; i < t->n && !code; i++) {
        if (upper[i] == 0)
            continue;
        if (c.z[i] > 1e3 * c.alpha[i])
            alpha[i] = 0;
        else if (bounded(&c, i) && c.v[i] > 1e3 * slack_above(&c, i))
            alpha[i] = upper[i];
    }
    wlab_free(vectors);
    return code;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The barrier method of generalised.h.  Variables x = (tau, then kappa_i or gamma_i of row i): [n + 1].  With Z = S^-1:
 *
 *   gradient        Z_00 - t/2,   t - 2 y_i Z_0i + 1/kappa_i,   t/2 - Z_ii + 1/gamma_i
 *   minus Hessian   tau, tau      Z_00^2          tau, kappa    -2 y_i Z_00 Z_0i
 *                   tau, gamma    -Z_0i^2         kappa, kappa  2 y_i y_j (Z_0i Z_0j + Z_00 Z_ij)
 *                   kappa, gamma  2 y_i Z_ij Z_0j gamma, gamma  Z_ij^2
 */
#include "solve/mmc/generalised.h"
#include "base/walk.h"
#include "linalg/cholesky.h"
#include "linalg/product.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

enum {
    BACKTRACKS = 60,
    STARTS = 60
};
#define SHORT 0.3 /* a Newton step of this length has nearly reached the maximum */

struct wlab_gmmc {
    const double *H; /* [m x m] */
    int64_t n, m;    /* m = n + 1 */
    int8_t *label;   /* [n] */
    double growth;
    /* ---- snapshot ---- */
    double *x; /* [m] */
    double *X; /* [m x m] */
    double t, shown, upper;
    int64_t newtons;
};

/* A += the part of S that is linear in x. */
static void add_multipliers(const wlab_gmmc *s, const double *x, double *A)
{
    const int64_t m = s->m;
    A[0] += x[0];
    for (int64_t i = 1; i < m; i++) {
        const int y = s->label[i - 1];
        if (y == 0)
            A[i * (m + 1)] -= x[i];
        else {
            A[i] -= y * x[i];
            A[i * m] -= y * x[i];
        }
    }
}

static double objective(const wlab_gmmc *s, const double *x)
{
    double sum = -x[0] / 2;
    for (int64_t i = 1; i < s->m; i++)
        sum += s->label[i - 1] ? x[i] : x[i] / 2;
    return sum;
}

/* -inf outside of the bounds. */
static double barrier(const wlab_gmmc *s, const double *x)
{
    double sum = 0;
    for (int64_t i = 1; i < s->m; i++) {
        if (!(x[i] > 0))
            return -HUGE_VAL;
        sum += log(x[i]);
    }
    return sum;
}

/* A = the Cholesky factor of S at x, and its log det. */
static wlab_code factor(const wlab_gmmc *s, const double *x, double *A, bool *definite, double *logdet,
                        wlab_ctx *ctx, wlab_err *err)
{
    memcpy(A, s->H, (size_t)(s->m * s->m) * sizeof *A);
    add_multipliers(s, x, A);
    const wlab_code code = wlab_cholesky(A, s->m, definite, ctx, err);
    *logdet = 0;
    for (int64_t i = 0; i < s->m && *definite && !code; i++)
        *logdet += 2 * log(A[i * (s->m + 1)]);
    return code;
}

static void derivatives(const wlab_gmmc *s, const double *Z, double *g, double *D)
{
    const int64_t m = s->m;
    g[0] = Z[0] - s->t / 2;
    D[0] = Z[0] * Z[0];
    for (int64_t i = 1; i < m; i++) {
        const int y = s->label[i - 1];
        const double *row = Z + i * m, x = s->x[i], zi = row[0];
        double *out = D + i * m;
        g[i] = (y ? s->t - 2 * y * zi : s->t / 2 - row[i]) + 1 / x;
        out[0] = y ? -2 * y * Z[0] * zi : -zi * zi;
        for (int64_t j = 1; j <= i; j++) {
            const int v = s->label[j - 1];
            const double zj = Z[j * m], z = row[j];
            out[j] = y && v ? 2 * y * v * (zi * zj + Z[0] * z)
                     : y    ? 2 * y * z * zj
                     : v    ? 2 * v * z * zi
                            : z * z;
        }
        out[i] += 1 / (x * x);
    }
}

/* out = 2/t (Z - Z dS Z); uses A, B [m x m].  false: interrupted. */
static bool matrix_of_step(const wlab_gmmc *s, const double *Z, const double *dx, double *A, double *B,
                           double *out, wlab_ctx *ctx)
{
    const int64_t m = s->m;
    memset(A, 0, (size_t)(m * m) * sizeof *A);
    add_multipliers(s, dx, A);
    if (!wlab_gemm(ctx, false, false, m, m, m, 1, A, m, Z, m, 0, B, m) ||
        !wlab_gemm(ctx, false, false, m, m, m, 1, Z, m, B, m, 0, A, m))
        return false;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j <= i; j++)
            out[i * m + j] = out[j * m + i] = 2 / s->t * (Z[i * m + j] - (A[i * m + j] + A[j * m + i]) / 2);
    return true;
}

wlab_code wlab_gmmc_advance(wlab_gmmc *s, bool *centred, bool *stuck, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t m = s->m;
    const size_t square = (size_t)(m * m);
    bool definite;
    double logdet, length = 0, step = 1;
    wlab_code code = WL_OK;

    *centred = false;
    *stuck = true;
    if (wlab_interrupted(ctx))
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    double *A = wlab_calloc(4 * square + 3 * (size_t)m, sizeof *A);
    if (!A)
        return wlab_nomem(err);
    double *Z = A + square, *D = Z + square, *out = D + square, *g = out + square, *dx = g + m,
           *next = dx + m;
    if ((code = factor(s, s->x, A, &definite, &logdet, ctx, err)) || !definite)
        goto done;
    const double before = s->t * objective(s, s->x) + barrier(s, s->x) + logdet;
    /* the lower triangle by rows is the upper one by columns */
    if (LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'U', (lapack_int)m, A, (lapack_int)m))
        goto done;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j <= i; j++)
            Z[i * m + j] = Z[j * m + i] = A[i * m + j];
    derivatives(s, Z, g, D);
    for (int64_t i = 0; i < m; i++)
        D[i * (m + 1)] *= 1 + 1e-14;
    if ((code = wlab_cholesky(D, m, &definite, ctx, err)) || !definite)
        goto done;
    memcpy(dx, g, (size_t)m * sizeof *dx);
    wlab_cholesky_solve(D, m, dx);
    for (int64_t i = 0; i < m; i++)
        length += g[i] * dx[i];
    if (!(length >= 0) || !isfinite(length))
        goto done;
    const bool near = length <= SHORT * SHORT;
    if (near && !matrix_of_step(s, Z, dx, A, D, out, ctx)) {
        code = wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        goto done;
    }
    for (int k = 0;; k++, step *= 0.7) {
        if (k == BACKTRACKS)
            goto done; /* stuck */
        for (int64_t i = 0; i < m; i++)
            next[i] = s->x[i] + step * dx[i];
        const double bounds = barrier(s, next);
        if (!isfinite(bounds))
            continue;
        if ((code = factor(s, next, A, &definite, &logdet, ctx, err)))
            goto done;
        /* a short step needs no proof: the values may differ by rounding only */
        if (definite && (near || s->t * objective(s, next) + bounds + logdet >= before + 0.1 * step * length))
            break;
    }
    memcpy(s->x, next, (size_t)m * sizeof *s->x);
    s->newtons++;
    *stuck = false;
    *centred = near;
    if (near) {
        memcpy(s->X, out, square * sizeof *s->X);
        s->upper = 0;
        for (size_t k = 0; k < square; k++)
            s->upper += s->H[k] * s->X[k] / 2;
        s->shown = s->t;
        s->t *= s->growth;
    }
done:
    wlab_free(A);
    return code;
}

/* Equal multipliers, so small that S is positive definite. */
static wlab_code start(wlab_gmmc *s, wlab_err *err)
{
    const int64_t m = s->m;
    double *A = wlab_calloc((size_t)m, (size_t)m * sizeof *A), trace = 0, logdet;
    bool definite = false;
    wlab_code code = A ? WL_OK : wlab_nomem(err);
    for (int64_t i = 1; i < m; i++)
        trace += s->H[i * (m + 1)];
    double size = trace / (double)(m > 1 ? m - 1 : 1);
    for (int k = 0; k < STARTS && !definite && !code; k++, size /= 4) {
        s->x[0] = 1;
        for (int64_t i = 1; i < m; i++)
            s->x[i] = size;
        code = factor(s, s->x, A, &definite, &logdet, NULL, err);
    }
    if (!code && !definite)
        code = wlab_fail(err, WL_ENUMERIC, "the quadratic form of the outputs is singular: use a smaller C");
    s->t = 2 * (double)m / (trace > 0 ? trace : 1);
    wlab_free(A);
    return code;
}

wlab_code wlab_gmmc_create(wlab_gmmc **out, const double *H, const int8_t *label, int64_t n, double growth,
                           wlab_err *err)
{
    wlab_gmmc *s = wlab_calloc(1, sizeof *s);
    wlab_code code;
    *out = NULL;
    if (!s)
        return wlab_nomem(err);
    s->H = H;
    s->n = n;
    s->m = n + 1;
    s->growth = growth;
    s->shown = s->upper = NAN;
    s->label = wlab_calloc((size_t)n, 1);
    s->x = wlab_calloc((size_t)s->m, sizeof *s->x);
    s->X = wlab_calloc((size_t)s->m, (size_t)s->m * sizeof *s->X);
    code = s->label && s->x && s->X ? WL_OK : wlab_nomem(err);
    if (!code) {
        memcpy(s->label, label, (size_t)n);
        code = start(s, err);
    }
    if (code) {
        wlab_gmmc_destroy(s);
        return code;
    }
    *out = s;
    return WL_OK;
}

void wlab_gmmc_destroy(wlab_gmmc *s)
{
    if (!s)
        return;
    wlab_free(s->label);
    wlab_free(s->x);
    wlab_free(s->X);
    wlab_free(s);
}

wlab_gmmc_numbers wlab_gmmc_get(const wlab_gmmc *s)
{
    return (wlab_gmmc_numbers){
        .t = s->shown, .upper = s->upper, .lower = objective(s, s->x), .newtons = s->newtons};
}

const double *wlab_gmmc_matrix(const wlab_gmmc *s)
{
    return s->X;
}

void wlab_gmmc_walk(void *gmmc, wlab_walk *w)
{
    wlab_gmmc *s = gmmc;
    WL_WALK(w, s->t);
    WL_WALK(w, s->shown);
    WL_WALK(w, s->upper);
    WL_WALK(w, s->newtons);
    WL_WALK_ARRAY(w, s->x, s->m);
    WL_WALK_ARRAY(w, s->X, s->m * s->m);
}

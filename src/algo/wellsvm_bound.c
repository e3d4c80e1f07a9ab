/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Certified lower bounds on WellSVM's optimum max over alpha of min over y in B of G(alpha, y).
 *
 * At any feasible alpha, M >= max over B of y'Hy gives 1'alpha - M/2 (less the diagonal term).  M is the value of
 *     min over D of 1'D   such that   P'(Diag(D) - H~)P is positive semidefinite,
 * where the labelled rows are one node of H~ (their labels times its sign), and P spans the vectors on which the
 * balance equation holds (homogenised by that node).  Every feasible D certifies: a dual barrier method stays
 * feasible, and what rounding may have spoilt is added at the end from the smallest eigenvalue.
 */
#include "algo/wellsvm.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <string.h>

typedef struct shift {
    int64_t N;    /* nodes: free instances + 1 */
    int64_t r;    /* columns of P: N, or N - 1 with an equation */
    double *H;    /* [N x N] */
    double *v;    /* [N] unit vector of the equation, NULL where there is none; P = the columns 1.. of the
                     Householder matrix I - 2 h h' that takes e_0 to v */
    double *h;    /* [N] */
    double *D;    /* [N] */
    double *S;    /* [N x N] P'(Diag(D) - H)P and its inverse */
    double *W;    /* [N x N] P S^-1 P' */
    double *step; /* [N] */
    double *F;    /* [N x N] Hessian of the barrier */
} shift;

/* R [N x N] <- U R U, U = I - 2 h h' (symmetric R). */
static void reflect(const shift *s, double *R)
{
    int64_t N = s->N;
    if (!s->v)
        return;
    double *Rh = s->step; /* free when this runs */
    cblas_dsymv(CblasRowMajor, CblasLower, (int)N, 1, R, (int)N, s->h, 1, 0, Rh, 1);
    double hRh = cblas_ddot((int)N, s->h, 1, Rh, 1);
    /* U R U = R - 2 h (Rh)' - 2 (Rh) h' + 4 (h'Rh) h h' */
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j <= i; j++) {
            double x = R[i * N + j] - 2 * s->h[i] * Rh[j] - 2 * Rh[i] * s->h[j] + 4 * hRh * s->h[i] * s->h[j];
            R[i * N + j] = R[j * N + i] = x;
        }
}

/* S = P'(Diag(D) - H)P into the leading r x r corner (leading dimension r) of s->S. */
static void form_S(const shift *s, const double *D)
{
    int64_t N = s->N, r = s->r, skip = N - r;
    double *R = s->W;
    for (int64_t i = 0; i < N * N; i++)
        R[i] = -s->H[i];
    for (int64_t i = 0; i < N; i++)
        R[i * N + i] += D[i];
    reflect(s, R);
    for (int64_t i = 0; i < r; i++)
        for (int64_t j = 0; j < r; j++)
            s->S[i * r + j] = R[(i + skip) * N + j + skip];
}

/* Cholesky of S at D; true when positive definite. */
static bool feasible(const shift *s, const double *D)
{
    form_S(s, D);
    return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)s->r, s->S, (lapack_int)s->r) == 0;
}

/* W = P S^-1 P' from the factor in s->S. */
static bool invert(const shift *s)
{
    int64_t N = s->N, r = s->r, skip = N - r;
    if (LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', (lapack_int)r, s->S, (lapack_int)r))
        return false;
    memset(s->W, 0, (size_t)(N * N) * sizeof *s->W);
    for (int64_t i = 0; i < r; i++)
        for (int64_t j = 0; j <= i; j++) {
            double x = s->S[j * r + i]; /* column-major lower */
            s->W[(i + skip) * N + j + skip] = s->W[(j + skip) * N + i + skip] = x;
        }
    reflect(s, s->W);
    return true;
}

/* min 1'D - mu logdet S by damped Newton steps while mu falls: the classical dual scaling path. */
static wlab_code follow_path(shift *s, double worth, wlab_ctx *ctx, wlab_err *err)
{
    int64_t N = s->N;
    double trace = 0;
    for (int64_t i = 0; i < N; i++)
        trace += s->H[i * N + i];
    double mean = trace / (double)N;
    /* diagonally dominant: feasible */
    for (int64_t i = 0; i < N; i++) {
        double row = 0;
        for (int64_t j = 0; j < N; j++)
            row += fabs(s->H[i * N + j]);
        s->D[i] = 1.1 * row + 1e-6 * mean + DBL_MIN;
    }
    double sum = cblas_dasum((int)N, s->D, 1), mu = sum / (double)N;
    double *trial = wlab_alloc((size_t)N, sizeof *trial);
    if (!trial)
        return wlab_nomem(err);
    wlab_code code = WL_OK;
    for (int iteration = 0; iteration < 120; iteration++) {
        if (!feasible(s, s->D) || !invert(s))
            break;
        for (int64_t i = 0; i < N; i++)
            for (int64_t j = 0; j < N; j++)
                s->F[i * N + j] = s->W[i * N + j] * s->W[i * N + j];
        for (int64_t i = 0; i < N; i++)
            s->step[i] = s->W[i * N + i] - 1 / mu; /* -gradient / mu */
        double ridge = 1e-14 * cblas_dasum((int)N, s->F, (int)N + 1) / (double)N;
        for (int64_t i = 0; i < N; i++)
            s->F[i * N + i] += ridge;
        double slope = 0;
        memcpy(trial, s->step, (size_t)N * sizeof *trial);
        if (LAPACKE_dposv_work(LAPACK_COL_MAJOR, 'L', (lapack_int)N, 1, s->F, (lapack_int)N, s->step,
                               (lapack_int)N))
            break;
        for (int64_t i = 0; i < N; i++)
            slope += trial[i] * s->step[i];
        double decrement = slope > 0 ? sqrt(slope) : 0, length = decrement > 0.5 ? 1 / (1 + decrement) : 1;
        /* try longer steps first: the damped one is always safe */
        double tries[] = {decrement > 0.5 ? 8 * length : 1, decrement > 0.5 ? 3 * length : 1, length,
                          length / 4};
        bool moved = false;
        double *direction = s->F; /* its first row is free now: reflect() uses s->step */
        memcpy(direction, s->step, (size_t)N * sizeof *direction);
        for (int k = 0; k < 4 && !moved; k++) {
            double t = tries[k] > 1 ? 1 : tries[k];
            for (int64_t i = 0; i < N; i++)
                trial[i] = s->D[i] + t * direction[i];
            if (feasible(s, trial)) {
                memcpy(s->D, trial, (size_t)N * sizeof *trial);
                moved = true;
            }
        }
        if (!moved)
            break;
        /* on the path 1'D exceeds the optimum by at most r mu */
        if (decrement < 0.7) {
            if ((double)s->r * mu < worth)
                break;
            mu *= 0.15;
        }
        if (wlab_interrupted(ctx)) {
            code = wlab_fail(err, WL_EINTERRUPTED, "interrupted");
            break;
        }
    }
    wlab_free(trial);
    return code;
}

/* 1'D, plus what makes S psd for certain: N times its most negative eigenvalue and the rounding in forming it. */
static wlab_code certify(const shift *s, double *M, wlab_err *err)
{
    int64_t N = s->N, r = s->r;
    double *eigen = s->step, norm = 0, sum = 0;
    form_S(s, s->D);
    for (int64_t i = 0; i < r * r; i++)
        norm += s->S[i] * s->S[i];
    if (LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'N', 'L', (lapack_int)r, s->S, (lapack_int)r, eigen))
        return wlab_fail(err, WL_ENUMERIC, "the eigenvalues for the lower bound did not converge");
    for (int64_t i = 0; i < N; i++)
        sum += s->D[i];
    double slack = r > 0 && eigen[0] < 0 ? -eigen[0] : 0;
    *M = sum + (double)N * (slack + (double)r * DBL_EPSILON * sqrt(norm));
    return WL_OK;
}

static void shift_free(shift *s)
{
    wlab_free(s->H);
    wlab_free(s->v);
    wlab_free(s->h);
    wlab_free(s->D);
    wlab_free(s->S);
    wlab_free(s->W);
    wlab_free(s->step);
    wlab_free(s->F);
}

wlab_code well_diagonal_bound(wellsvm *s, const double *alpha, double *M, wlab_ctx *ctx, wlab_err *err)
{
    const wlab_labelset *B = s->p->labels;
    int64_t n = s->n, free = 0, N;
    wlab_code code = WL_OK;
    shift f = {0};
    int32_t *node = wlab_alloc((size_t)n, sizeof *node);
    double *sign = wlab_alloc((size_t)n, sizeof *sign), *a = wlab_alloc((size_t)n, sizeof *a);
    *M = HUGE_VAL;
    if (!node || !sign || !a) {
        code = wlab_nomem(err);
        goto out;
    }
    if (!s->K || !well_one_to_one(s))
        goto out;
    /* node 0: all fixed labels; the free instances follow */
    for (int64_t k = 0; k < n; k++) {
        int fixed = B->ops->fixed(B, k);
        node[k] = fixed == 2 ? (int32_t)++free : 0;
        sign[k] = fixed == 2 ? 1 : fixed;
    }
    f.N = N = free + 1;
    size_t square = (size_t)(N * N);
    f.H = wlab_calloc(square, sizeof *f.H);
    f.h = wlab_calloc((size_t)N, sizeof *f.h);
    f.D = wlab_alloc((size_t)N, sizeof *f.D);
    f.S = wlab_alloc(square, sizeof *f.S);
    f.W = wlab_alloc(square, sizeof *f.W);
    f.F = wlab_alloc(square, sizeof *f.F);
    f.step = wlab_alloc((size_t)N, sizeof *f.step);
    if (!f.H || !f.h || !f.D || !f.S || !f.W || !f.F || !f.step) {
        code = wlab_nomem(err);
        goto out;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            f.H[node[i] * N + node[j]] +=
                alpha[s->p->example[i]] * alpha[s->p->example[j]] * sign[i] * sign[j] * s->K[i * n + j];
    double b = 0;
    if (B->ops->equation(B, 0, a, &b)) {
        /* a'y = b over the free instances: (a, -b) is orthogonal to (y, 1) */
        f.v = wlab_calloc((size_t)N, sizeof *f.v);
        if (!f.v) {
            code = wlab_nomem(err);
            goto out;
        }
        for (int64_t k = 0; k < n; k++) {
            if (node[k])
                f.v[node[k]] += a[k];
            else
                b -= a[k] * sign[k];
        }
        f.v[0] = -b;
        double norm = cblas_dnrm2((int)N, f.v, 1);
        if (norm > 0) {
            cblas_dscal((int)N, 1 / norm, f.v, 1);
            /* U = I - 2 h h' with U e_0 = +-v: its other columns span the complement of v */
            double sgn = f.v[0] > 0 ? -1 : 1;
            for (int64_t i = 0; i < N; i++)
                f.h[i] = (i == 0 ? 1 : 0) - sgn * f.v[i];
            double hn = cblas_dnrm2((int)N, f.h, 1);
            cblas_dscal((int)N, 1 / hn, f.h, 1);
        } else {
            f.v = wlab_free(f.v);
        }
    }
    f.r = f.v ? N - 1 : N;
    double trace = 0;
    for (int64_t i = 0; i < N; i++)
        trace += f.H[i * N + i];
    if (!(trace > 0)) {
        *M = 0;
        goto out;
    }
    double scale = s->loss == WELL_SUM_TO_ONE ? s->at.S * s->at.S : 1;
    double worth = fabs(s->objective) * scale * 1e-7;
    if ((code = follow_path(&f, worth > 0 ? worth : 1e-7 * trace, ctx, err)) || (code = certify(&f, M, err)))
        *M = HUGE_VAL;
out:
    shift_free(&f);
    wlab_free(node);
    wlab_free(sign);
    wlab_free(a);
    return code;
}

double well_lower_from(const wellsvm *s, const well_point *at, double M)
{
    if (!isfinite(M))
        return -HUGE_VAL;
    double V = (M > 0 ? M : 0) + at->D;
    if (s->loss == WELL_SUM_TO_ONE)
        return -0.5 * V / (at->S * at->S);
    /* c alpha is feasible for 0 <= c <= 1 (any c >= 0 without an upper bound): max of c S - c^2 V / 2 */
    if (V > at->S || s->loss == WELL_SQUARED_HINGE)
        return V > 0 ? at->S * at->S / (2 * V) : 0;
    return at->S - 0.5 * V;
}

wlab_code well_labelled_bound(wellsvm *s, double *lower, wlab_ctx *ctx, wlab_err *err)
{
    const wlab_labelset *B = s->p->labels;
    wlab_code code = WL_OK;
    well_point at = {0};
    double *upper = wlab_alloc((size_t)s->m, sizeof *upper), *keep = s->upper, one = 1, q = 0;
    int8_t *y = wlab_alloc((size_t)s->n, 1);
    bool *free = wlab_calloc((size_t)s->m, sizeof *free);
    int64_t fixed = 0, svms = s->svms;
    *lower = -HUGE_VAL;
    at.alpha = wlab_calloc((size_t)s->m, sizeof(double));
    if (!upper || !y || !free || !at.alpha) {
        code = wlab_nomem(err);
        goto out;
    }
    at.q = &q;
    /* alpha = 0 on every example with a free instance */
    for (int64_t k = 0; k < s->n; k++) {
        int f = B->ops->fixed(B, k);
        y[k] = f == 2 ? 0 : (int8_t)f;
        if (f == 2)
            free[s->p->example[k]] = true;
    }
    for (int64_t i = 0; i < s->m; i++) {
        upper[i] = free[i] ? 0 : keep[i];
        fixed += !free[i];
    }
    if (fixed == 0) {
        if (s->loss != WELL_SUM_TO_ONE)
            *lower = 0; /* alpha = 0 */
        goto out;
    }
    s->upper = upper;
    code = well_solve(s, y, 1, &one, 1e-10, &at, ctx, err);
    s->upper = keep;
    s->svms = svms;
    if (!code)
        *lower = well_G(s, &at, at.q[0]);
out:
    wlab_free(upper);
    wlab_free(y);
    wlab_free(free);
    wlab_free(at.alpha);
    return code;
}

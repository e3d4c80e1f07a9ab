/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Certified lower bounds on WellSVM's optimum max over alpha of min over y in B of G(alpha, y).
 *
 * At any feasible alpha, M >= max over B of y'Hy gives 1'alpha - M/2 (less the diagonal term).  M is the value of
 *     min over D of 1'D   such that   P'(Diag(D) - H~)P is positive semidefinite,
 * where the labelled rows are one node of H~ (their labels times its sign), and P spans the vectors on which the
 * balance equation holds (homogenised by that node).  A primal-dual path finds D; whatever D it
 * ends with certifies, since N times the most negative eigenvalue of that matrix is added.
 */
#include "algo/wellsvm.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <string.h>

typedef struct shift {
    int64_t N;  /* nodes: free instances + 1 */
    int64_t r;  /* columns of P: N, or N - 1 with an equation */
    double *H;  /* [N x N] */
    double *v;  /* [N] unit vector of the equation, NULL where there is none; P = the columns 1.. of the
                   Householder matrix U = I - 2 h h' that takes e_0 to v */
    double *h;  /* [N] */
    double *Uh; /* [N] workspace of reflect */
    double *D;  /* [N] */
    double *S;  /* [r x r] P'(Diag(D) - H)P */
    double *Y;  /* [r x r] its complement: Z = PYP' is the relaxation of yy' */
} shift;

/* R [N x N] <- U R U (symmetric R). */
static void reflect(const shift *s, double *R)
{
    int64_t N = s->N;
    if (!s->v)
        return;
    cblas_dsymv(CblasRowMajor, CblasLower, (int)N, 1, R, (int)N, s->h, 1, 0, s->Uh, 1);
    double hRh = cblas_ddot((int)N, s->h, 1, s->Uh, 1);
    /* U R U = R - 2 h (Rh)' - 2 (Rh) h' + 4 (h'Rh) h h' */
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j <= i; j++) {
            double x =
                R[i * N + j] - 2 * s->h[i] * s->Uh[j] - 2 * s->Uh[i] * s->h[j] + 4 * hRh * s->h[i] * s->h[j];
            R[i * N + j] = R[j * N + i] = x;
        }
}

/* A = P'RP [r x r]; R [N x N] is overwritten. */
static void restrict_to(const shift *s, double *R, double *A)
{
    int64_t N = s->N, r = s->r, skip = N - r;
    reflect(s, R);
    for (int64_t i = 0; i < r; i++)
        memcpy(A + i * r, R + (i + skip) * N + skip, (size_t)r * sizeof *A);
}

/* R = PAP' [N x N]. */
static void lift(const shift *s, const double *A, double *R)
{
    int64_t N = s->N, r = s->r, skip = N - r;
    memset(R, 0, (size_t)(N * N) * sizeof *R);
    for (int64_t i = 0; i < r; i++)
        memcpy(R + (i + skip) * N + skip, A + i * r, (size_t)r * sizeof *A);
    reflect(s, R);
}

static bool cholesky(double *A, int64_t r)
{
    return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)r, A, (lapack_int)r) == 0;
}

/* The longest step t <= 1 of a short ladder with A + t B positive definite, kept off the boundary. */
static double feasible_step(const double *A, const double *B, int64_t r, double *work)
{
    for (double t = 1; t > 1e-10; t *= t > 0.3 ? 0.8 : 0.5) {
        memcpy(work, A, (size_t)(r * r) * sizeof *work);
        cblas_daxpy((int)(r * r), t, B, 1, work, 1);
        if (cholesky(work, r))
            return t < 1 ? 0.95 * t : 1;
    }
    return 0;
}

/* A primal-dual path for  min 1'D, S = P'(Diag(D) - H)P psd  and its dual  max <H, Z>, Z_ii = 1, Z = PYP' psd:
 * the step of Helmberg, Rendl, Vanderbei and Wolkowicz, (W.Z) dD = mu diag(W) - 1 with W = P S^-1 P'. */
static wlab_code follow_path(shift *s, double worth, wlab_ctx *ctx, wlab_err *err)
{
    enum {
        ITERATIONS = 60
    };
    int64_t N = s->N, r = s->r;
    size_t small = (size_t)(r * r), large = (size_t)(N * N);
    wlab_code code = WL_OK;
    double *Si = wlab_alloc(small, sizeof *Si), *dS = wlab_alloc(small, sizeof *dS),
           *dY = wlab_alloc(small, sizeof *dY);
    double *T = wlab_alloc(large, sizeof *T), *W = wlab_alloc(large, sizeof *W),
           *Z = wlab_alloc(large, sizeof *Z);
    double *dD = wlab_alloc((size_t)N, sizeof *dD);
    if (!Si || !dS || !dY || !T || !W || !Z || !dD) {
        code = wlab_nomem(err);
        goto out;
    }
    /* diagonally dominant: feasible */
    for (int64_t i = 0; i < N; i++) {
        double row = 0;
        for (int64_t j = 0; j < N; j++)
            row += fabs(s->H[i * N + j]);
        s->D[i] = 1.1 * row;
    }
    double sum = 0; /* not by dasum: OpenBLAS's depends on where D lies in memory */
    for (int64_t i = 0; i < N; i++)
        sum += s->D[i];
    for (int64_t i = 0; i < N; i++)
        s->D[i] += 0.01 * sum / (double)N;
    memset(s->Y, 0, small * sizeof *s->Y);
    for (int64_t i = 0; i < r; i++)
        s->Y[i * r + i] = 1;
    double reduce = 0.5;
    wlab_progress told;
    wlab_progress_begin(&told, ctx, "bound iterations", 0);
    for (int k = 0; k < ITERATIONS; k++) {
        for (size_t i = 0; i < large; i++)
            T[i] = -s->H[i];
        for (int64_t i = 0; i < N; i++)
            T[i * N + i] += s->D[i];
        restrict_to(s, T, s->S);
        double gap = cblas_ddot((int)small, s->S, 1, s->Y, 1), mu = reduce * gap / (double)r;
        if (gap < worth)
            break;
        memcpy(Si, s->S, small * sizeof *Si);
        if (!cholesky(Si, r) || LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', (lapack_int)r, Si, (lapack_int)r))
            break;
        for (int64_t i = 0; i < r; i++)
            for (int64_t j = 0; j < i; j++) /* column-major lower: the upper of row-major */
                Si[i * r + j] = Si[j * r + i];
        lift(s, Si, W);
        lift(s, s->Y, Z);
        for (int64_t i = 0; i < N; i++)
            dD[i] = mu * W[i * N + i] - 1;
        for (size_t i = 0; i < large; i++)
            W[i] *= Z[i];
        if (LAPACKE_dposv_work(LAPACK_COL_MAJOR, 'L', (lapack_int)N, 1, W, (lapack_int)N, dD, (lapack_int)N))
            break;
        memset(T, 0, large * sizeof *T);
        for (int64_t i = 0; i < N; i++)
            T[i * N + i] = dD[i];
        restrict_to(s, T, dS);
        /* dY = mu S^-1 - Y - (S^-1 dS Y + its transpose) / 2 */
        cblas_dsymm(CblasRowMajor, CblasLeft, CblasLower, (int)r, (int)r, 1, dS, (int)r, s->Y, (int)r, 0, Z,
                    (int)r);
        cblas_dsymm(CblasRowMajor, CblasLeft, CblasLower, (int)r, (int)r, 1, Si, (int)r, Z, (int)r, 0, W,
                    (int)r);
        for (int64_t i = 0; i < r; i++)
            for (int64_t j = 0; j <= i; j++)
                dY[i * r + j] = dY[j * r + i] =
                    mu * Si[i * r + j] - s->Y[i * r + j] - 0.5 * (W[i * r + j] + W[j * r + i]);
        double dual = feasible_step(s->S, dS, r, T), primal = feasible_step(s->Y, dY, r, T);
        if (!(dual > 0) || !(primal > 0))
            break;
        wlab_progress_add(&told, 1);
        cblas_daxpy((int)N, dual, dD, 1, s->D, 1);
        cblas_daxpy((int)small, primal, dY, 1, s->Y, 1);
        reduce = dual + primal > 1.8 ? 0.1 : dual + primal > 1.2 ? 0.3 : 0.6;
        if (wlab_interrupted(ctx)) {
            code = wlab_fail(err, WL_EINTERRUPTED, "interrupted");
            break;
        }
    }
out:
    wlab_free(Si);
    wlab_free(dS);
    wlab_free(dY);
    wlab_free(T);
    wlab_free(W);
    wlab_free(Z);
    wlab_free(dD);
    return code;
}

/* 1'D, plus what makes S psd for certain: N times its most negative eigenvalue and the rounding in forming it. */
static wlab_code certify(const shift *s, double *M, wlab_err *err)
{
    int64_t N = s->N, r = s->r;
    double norm = 0, sum = 0;
    wlab_code code = WL_OK;
    double *R = wlab_alloc((size_t)(N * N), sizeof *R), *eigen = wlab_alloc((size_t)N, sizeof *eigen);
    if (!R || !eigen) {
        code = wlab_nomem(err);
        goto out;
    }
    for (int64_t i = 0; i < N * N; i++)
        R[i] = -s->H[i];
    for (int64_t i = 0; i < N; i++) {
        R[i * N + i] += s->D[i];
        sum += s->D[i];
    }
    restrict_to(s, R, s->S);
    for (int64_t i = 0; i < r * r; i++)
        norm += s->S[i] * s->S[i];
    if (LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'N', 'L', (lapack_int)r, s->S, (lapack_int)r, eigen)) {
        *M = HUGE_VAL; /* no bound this time */
        goto out;
    }
    double slack = r > 0 && eigen[0] < 0 ? -eigen[0] : 0;
    *M = sum + (double)N * (slack + (double)r * DBL_EPSILON * sqrt(norm));
out:
    wlab_free(R);
    wlab_free(eigen);
    return code;
}

static void shift_free(shift *s)
{
    wlab_free(s->H);
    wlab_free(s->v);
    wlab_free(s->h);
    wlab_free(s->Uh);
    wlab_free(s->D);
    wlab_free(s->S);
    wlab_free(s->Y);
}

wlab_code well_diagonal_bound(wellsvm *s, const double *alpha, double *M, wlab_ctx *ctx, wlab_err *err)
{
    const wlab_labelset *B = s->p->labels;
    int64_t n = s->n, free = 0, N;
    wlab_code code = WL_OK;
    shift f = {0};
    int32_t *node = wlab_alloc((size_t)n, sizeof *node);
    double *sign = wlab_alloc((size_t)n, sizeof *sign);
    *M = HUGE_VAL;
    if (!node || !sign) {
        code = wlab_nomem(err);
        goto out;
    }
    if (!s->K || !well_one_to_one(s))
        goto out;
    /* node 0: all fixed labels; the free instances follow */
    for (int64_t k = 0; k < n; k++) {
        int fixed = B->fixed[k];
        node[k] = fixed == WL_FREE ? (int32_t)++free : 0;
        sign[k] = fixed == WL_FREE ? 1 : fixed;
    }
    f.N = N = free + 1;
    size_t square = (size_t)(N * N);
    f.H = wlab_calloc(square, sizeof *f.H);
    f.h = wlab_calloc((size_t)N, sizeof *f.h);
    f.D = wlab_alloc((size_t)N, sizeof *f.D);
    f.S = wlab_alloc(square, sizeof *f.S);
    f.Y = wlab_alloc(square, sizeof *f.Y);
    f.Uh = wlab_alloc((size_t)N, sizeof *f.Uh);
    if (!f.H || !f.h || !f.D || !f.S || !f.Y || !f.Uh) {
        code = wlab_nomem(err);
        goto out;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            f.H[node[i] * N + node[j]] +=
                alpha[s->p->example[i]] * alpha[s->p->example[j]] * sign[i] * sign[j] * s->K[i * n + j];
    double b = 0;
    if (B->groups == 1 && B->lo[0] == B->hi[0]) {
        /* a'y = b over the free instances: (a, -b) is orthogonal to (y, 1) */
        b = (double)(2 * B->hi[0] - wlab_labelset_size(B, 0));
        f.v = wlab_calloc((size_t)N, sizeof *f.v);
        if (!f.v) {
            code = wlab_nomem(err);
            goto out;
        }
        for (int64_t k = 0; k < n; k++) {
            if (node[k])
                f.v[node[k]] += 1;
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

wlab_code well_labelled_solve(wellsvm *s, double tol, int8_t *y, well_point *at, bool *any, wlab_ctx *ctx,
                              wlab_err *err)
{
    const wlab_labelset *B = s->p->labels;
    wlab_code code = WL_OK;
    double one = 1, *keep = s->upper, *upper = wlab_alloc((size_t)s->m, sizeof *upper);
    if (!upper)
        return wlab_nomem(err);
    /* alpha = 0 on every example with a free instance */
    memcpy(upper, keep, (size_t)s->m * sizeof *upper);
    for (int64_t k = 0; k < s->n; k++) {
        int f = B->fixed[k];
        y[k] = f == WL_FREE ? 0 : (int8_t)f;
        if (f == WL_FREE)
            upper[s->p->example[k]] = 0;
    }
    *any = false;
    for (int64_t i = 0; i < s->m; i++)
        *any = *any || upper[i] > 0;
    if (*any) {
        s->upper = upper;
        code = well_solve(s, y, 1, &one, tol, at, ctx, err);
        s->upper = keep;
    }
    wlab_free(upper);
    return code;
}

wlab_code well_labelled_bound(wellsvm *s, double *lower, wlab_ctx *ctx, wlab_err *err)
{
    well_point at = {0};
    double q = 0;
    int8_t *y = wlab_alloc((size_t)s->n, 1);
    int64_t svms = s->svms;
    bool any = false;
    wlab_code code = WL_OK;
    *lower = -HUGE_VAL;
    at.alpha = wlab_calloc((size_t)s->m, sizeof(double));
    at.q = &q;
    if (!y || !at.alpha) {
        code = wlab_nomem(err);
        goto out;
    }
    code = well_labelled_solve(s, 1e-10, y, &at, &any, ctx, err);
    s->svms = svms;
    if (!code && any)
        *lower = well_G(s, &at, at.q[0]) - well_rounding(s, &at);
    else if (!code && s->loss != WELL_SUM_TO_ONE)
        *lower = 0; /* alpha = 0 */
out:
    wlab_free(y);
    wlab_free(at.alpha);
    return code;
}

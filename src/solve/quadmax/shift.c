/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Multipliers x_i for products of linear forms whose value every labeling fixes or bounds,
 *
 *     (p_i'z)(q_i'z) = c_i  or  <= c_i (x_i >= 0):
 *     z_k^2 = 1;
 *     (z_0 + z_i)(z_0 + z_j) = 0 if at most one node of a group is +1 (with minus signs: if all but at most one are);
 *     (1'z - L)(1'z - U) <= 0 for a group whose sum is between L and U, = 0 if U = L + 2,
 *     -(+-z_i +- z_j +- z_k)^2 <= -1 for the triangle inequalities that quad_shift_cut selects (cuts.c),
 *
 * with the smallest sum of c_i x_i for which  P'(sum of x_i sym(p_i q_i') - H)P  is positive semidefinite.  P spans
 * the vectors that satisfy the sums with L = U, homogenised by node 0, which is equivalent to their best multipliers.
 * The path is that of the interior-point method of Helmberg, Rendl, Vanderbei and Wolkowicz, with W = P S^-1 P':
 *     sum_j <A_i, W A_j Z> dx_j = mu <A_i, W> - c_i.
 * Every point of the path gives a certified bound: at the end the most negative eigenvalue and the rounding error of
 * forming the matrix are added to the diagonal.
 */
#include "base/progress.h"
#include "solve/quadmax/path.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

enum {
    ITERATIONS = 80
};

/* Conjugate gradients take ever longer along the path.  So the path ends when the remaining gain is at most this
 * fraction of the gap that the tree has to close or, without a tree, this fraction of 1e-3 of the total. */
static const double LOOSE_FRACTION = 0.1;

/* A round of cuts ends within ROUGH times the gap that the round before left.  The last round was the one that left
 * more than LITTLE of it. */
static const double ROUGH = 0.2, LITTLE = 0.9;

/* Where a path with new cuts starts: x s = mu as in the solution before, with this s for the new cuts, and Y mixed with so
 * much of the identity. */
static const double NEW_SLACK = 0.1, IDENTITY = 0.1;

/* Multipliers that make sum x A - H diagonally dominant.  If z_k^2 = 1 has no multiplier of its own, z_k^2 equals
 * z_0^2 - sum over the group of (z_0 +- z_k)(z_0 +- z_j) on the equation.  T [N x N], D [N] are workspace. */
static void start_point(quad_path *w, double *T, double *D)
{
    const quad_form *f = w->f;
    int64_t N = w->N;
    double mean = 0, sum = 0;
    for (int64_t k = 1; k < N; k++)
        mean += f->H[k * N + k] / (double)(N - 1);
    for (int64_t i = 0; i < w->m; i++)
        if (w->pr[i].range >= 0) {
            int32_t g = w->pr[i].range;
            w->x[i] = mean / (double)(f->start[g + 1] - f->start[g]);
            w->s[i] = 1;
        }
    for (int64_t i = w->m - w->cuts; i < w->m; i++) {
        w->x[i] = 0.1 * mean;
        w->s[i] = 1;
    }
    quad_path_combine(w, w->x, T);
    for (int64_t i = 0; i < N; i++) {
        D[i] = 0;
        for (int64_t j = 0; j < N; j++)
            D[i] += fabs(T[i * N + j] - f->H[i * N + j]);
        D[i] *= 1.1;
        sum += D[i];
    }
    for (int64_t i = 0; i < N; i++)
        D[i] += 0.01 * sum / (double)N;
    for (int64_t k = 1; k < N; k++)
        if (!w->free_diag[k])
            D[0] += D[k];
    for (int64_t i = 0; i < w->m - w->cuts; i++) {
        quad_product p = w->pr[i];
        if (p.range >= 0)
            continue;
        if (p.c == 1) {
            w->x[i] = D[p.p];
        } else {
            int64_t k = w->col[w->at[p.p] + 1], j = w->col[w->at[p.q] + 1];
            if (!w->free_diag[k])
                w->x[i] = -(D[k] + D[j]);
        }
    }
    for (int64_t i = 0; i < w->r; i++)
        w->Y[i * w->r + i] = 1;
}

static bool cholesky(double *A, int64_t r)
{
    return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)r, A, (lapack_int)r) == 0;
}

/* The first step t of a decreasing sequence from 1 with A + t B positive definite, shortened unless it is 1, so that
 * A + t B is not nearly singular; 0 if there is none. */
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

static double value_of(const quad_path *w)
{
    double sum = 0;
    for (int64_t i = 0; i < w->m; i++)
        sum += w->pr[i].c * w->x[i];
    return sum;
}

typedef struct space {
    double *Si, *dS, *dY; /* [r x r] */
    double *T, *W, *Z;    /* [N x N] */
    double *TF, *WF, *ZF; /* [N], [forms x forms] twice */
    double *M, *D;        /* [m x m], [N] */
    quad_pairs pairs;     /* in place of M if the path is iterative */
} space;

static wlab_code space_create(space *a, const quad_path *w, wlab_err *err)
{
    size_t small = (size_t)(w->r * w->r), large = (size_t)(w->N * w->N), F = (size_t)w->forms,
           m = (size_t)w->m;
    a->Si = wlab_alloc(small, sizeof(double));
    a->dS = wlab_alloc(small, sizeof(double));
    a->dY = wlab_alloc(small, sizeof(double));
    a->T = wlab_alloc(large, sizeof(double));
    a->W = wlab_alloc(large, sizeof(double));
    a->Z = wlab_alloc(large, sizeof(double));
    a->TF = wlab_alloc((size_t)w->N, sizeof(double));
    a->WF = wlab_alloc(F * F, sizeof(double));
    a->ZF = wlab_alloc(F * F, sizeof(double));
    a->M = wlab_alloc(w->iterative ? 0 : m * m, sizeof(double));
    a->D = wlab_alloc((size_t)w->N, sizeof(double));
    if (!a->Si || !a->dS || !a->dY || !a->T || !a->W || !a->Z || !a->TF || !a->WF || !a->ZF || !a->M || !a->D)
        return wlab_nomem(err);
    return w->iterative ? quad_pairs_create(&a->pairs, w, err) : WL_OK;
}

static void space_clear(space *a)
{
    wlab_free(a->Si);
    wlab_free(a->dS);
    wlab_free(a->dY);
    wlab_free(a->T);
    wlab_free(a->W);
    wlab_free(a->Z);
    wlab_free(a->TF);
    wlab_free(a->WF);
    wlab_free(a->ZF);
    wlab_free(a->M);
    quad_pairs_clear(&a->pairs);
    wlab_free(a->D);
}

/* S = P'(sum x A - H)P */
static void form_S(quad_path *w, space *a)
{
    quad_path_combine(w, w->x, a->T);
    for (int64_t i = 0; i < w->N * w->N; i++)
        a->T[i] -= w->f->H[i];
    quad_path_restrict(w, a->T, w->S);
}

/* dx, dS, dY, ds for the target mu; false if a factorisation fails. */
static bool direction(quad_path *w, space *a, double mu, wlab_ctx *ctx)
{
    int64_t r = w->r, m = w->m, F = w->forms;
    size_t small = (size_t)(r * r);
    memcpy(a->Si, w->S, small * sizeof(double));
    if (!cholesky(a->Si, r) ||
        LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', (lapack_int)r, a->Si, (lapack_int)r) != 0)
        return false;
    for (int64_t i = 0; i < r; i++)
        for (int64_t j = 0; j < i; j++) /* column-major lower: the upper of row-major */
            a->Si[i * r + j] = a->Si[j * r + i];
    quad_path_lift(w, a->Si, a->W);
    quad_path_forms(w, a->W, a->TF, a->WF);
    quad_path_lift(w, w->Y, a->Z);
    quad_path_forms(w, a->Z, a->TF, a->ZF);
    for (int64_t i = 0; i < m; i++) {
        quad_product p = w->pr[i];
        const double *Wp = a->WF + p.p * F, *Wq = a->WF + p.q * F, *Zp = a->ZF + p.p * F,
                     *Zq = a->ZF + p.q * F;
        w->dx[i] = mu * p.scale * Wp[p.q] - p.c;
        for (int64_t j = i; j < m && !w->iterative; j++) { /* LAPACK reads one triangle */
            int32_t u = w->pr[j].p, v = w->pr[j].q;
            double scale = p.scale * w->pr[j].scale;
            a->M[i * m + j] =
                p.p == p.q && u == v
                    ? scale * Wp[u] * Zp[u]
                    : 0.25 * scale * (Wp[u] * Zq[v] + Wq[u] * Zp[v] + Wp[v] * Zq[u] + Wq[v] * Zp[u]);
        }
        if (p.inequality) {
            w->dx[i] += mu / w->x[i];
            a->M[i * m + i] += w->s[i] / w->x[i];
        }
    }
    if (w->iterative ? !quad_pairs_solve(w, &a->pairs, a->WF, a->ZF, ctx)
                     : LAPACKE_dposv_work(LAPACK_COL_MAJOR, 'L', (lapack_int)m, 1, a->M, (lapack_int)m, w->dx,
                                          (lapack_int)m) != 0)
        return false;
    quad_path_combine(w, w->dx, a->T);
    quad_path_restrict(w, a->T, a->dS);
    /* dY = mu S^-1 - Y - (S^-1 dS Y + its transpose) / 2 */
    cblas_dsymm(CblasRowMajor, CblasLeft, CblasLower, (int)r, (int)r, 1, a->dS, (int)r, w->Y, (int)r, 0, a->Z,
                (int)r);
    cblas_dsymm(CblasRowMajor, CblasLeft, CblasLower, (int)r, (int)r, 1, a->Si, (int)r, a->Z, (int)r, 0, a->W,
                (int)r);
    for (int64_t i = 0; i < r; i++)
        for (int64_t j = 0; j <= i; j++)
            a->dY[i * r + j] = a->dY[j * r + i] =
                mu * a->Si[i * r + j] - w->Y[i * r + j] - 0.5 * (a->W[i * r + j] + a->W[j * r + i]);
    for (int64_t i = 0; i < m; i++)
        w->ds[i] = w->pr[i].inequality ? mu / w->x[i] - w->s[i] - w->s[i] * w->dx[i] / w->x[i] : 0;
    return true;
}

/* <S, Y> + x's */
static double gap_of(const quad_path *w)
{
    double gap = cblas_ddot((int)(w->r * w->r), w->S, 1, w->Y, 1);
    for (int64_t i = 0; i < w->m; i++)
        if (w->pr[i].inequality)
            gap += w->x[i] * w->s[i];
    return gap;
}

/* How many eigenvalues and products make up the gap. */
static int64_t complementary_pairs(const quad_path *w)
{
    int64_t pairs = w->r;
    for (int64_t i = 0; i < w->m; i++)
        pairs += w->pr[i].inequality;
    return pairs;
}

static wlab_code follow_path(quad_path *w, space *a, double threshold, double tolerance, wlab_ctx *ctx,
                             wlab_err *err)
{
    int64_t r = w->r, m = w->m;
    double reduce = 0.5;
    double infeasible = w->cuts > 0 ? 1 : 0; /* Y, as a fraction; without cuts it becomes feasible in time */
    int64_t pairs = complementary_pairs(w);
    wlab_progress progress;
    wlab_progress_begin(&progress, ctx, "bound iterations", 0);
    for (int k = 0; k < ITERATIONS; k++) {
        form_S(w, a);
        double gap = gap_of(w);
        double value = value_of(w);
        if ((gap < tolerance && infeasible < 0.05) || value <= threshold ||
            (w->iterative && gap < LOOSE_FRACTION * (isfinite(threshold) ? value - threshold : 1e-3 * value)))
            return WL_OK;
        if (!direction(w, a, reduce * gap / (double)pairs, ctx))
            return wlab_interrupted(ctx) ? wlab_fail(err, WL_EINTERRUPTED, "interrupted") : WL_OK;
        double dual = feasible_step(w->S, a->dS, r, a->T), primal = feasible_step(w->Y, a->dY, r, a->T);
        for (int64_t i = 0; i < m; i++) {
            if (w->pr[i].inequality && dual * w->dx[i] < -0.95 * w->x[i])
                dual = -0.95 * w->x[i] / w->dx[i];
            if (w->pr[i].inequality && primal * w->ds[i] < -0.95 * w->s[i])
                primal = -0.95 * w->s[i] / w->ds[i];
        }
        if (!(dual > 0) || !(primal > 0))
            return WL_OK;
        wlab_progress_add(&progress, 1);
        infeasible *= 1 - primal;
        cblas_daxpy((int)m, dual, w->dx, 1, w->x, 1);
        cblas_daxpy((int)m, primal, w->ds, 1, w->s, 1);
        cblas_daxpy((int)(r * r), primal, a->dY, 1, w->Y, 1);
        reduce = dual + primal > 1.8 ? 0.1 : dual + primal > 1.2 ? 0.3 : 0.6;
        if (wlab_interrupted(ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    }
    return WL_OK;
}

void quad_shift_clear(quad_shift *s)
{
    s->Q = wlab_free(s->Q);
    s->range = wlab_free(s->range);
}

/* Q and total from the end of the path, with a shift of the diagonal that makes Q psd in spite of rounding. */
static void extract_shift(quad_shift *s, quad_path *w, space *a)
{
    const quad_form *f = w->f;
    int64_t N = w->N, r = w->r;
    double norm = 0, slack;
    quad_path_combine(w, w->x, s->Q);
    for (int64_t i = 0; i < N * N; i++) {
        s->Q[i] -= f->H[i];
        norm += s->Q[i] * s->Q[i];
    }
    memcpy(a->T, s->Q, (size_t)(N * N) * sizeof *s->Q);
    quad_path_restrict(w, a->T, w->S);
    s->total = HUGE_VAL;
    if (r > 0 && LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'N', 'L', (lapack_int)r, w->S, (lapack_int)r, a->D) != 0)
        return; /* no bound: total is HUGE_VAL */
    slack = (r > 0 && a->D[0] < 0 ? -a->D[0] : 0) + (double)N * DBL_EPSILON * sqrt(norm);
    for (int64_t i = 0; i < N; i++)
        s->Q[i * N + i] += slack;
    s->total = value_of(w) + (double)N * slack;
    for (int64_t i = 0; i < w->m; i++)
        if (w->pr[i].range >= 0)
            s->range[w->pr[i].range] = w->x[i];
}

/* The end of a path, from which the path with other cuts starts. */
typedef struct path_end {
    double *x, *s, *Y; /* NULL: there is none */
    int64_t others;    /* products before those of the cuts */
    double mu;
} path_end;

static void end_clear(path_end *e)
{
    e->x = wlab_free(e->x);
    e->s = wlab_free(e->s);
    e->Y = wlab_free(e->Y);
}

/* Takes x, s and Y from the path. */
static void end_take(path_end *e, quad_path *w, space *a)
{
    form_S(w, a);
    double mu = gap_of(w) / (double)complementary_pairs(w);
    end_clear(e);
    *e = (path_end){w->x, w->s, w->Y, w->m - w->cuts, mu};
    w->x = w->s = w->Y = NULL;
}

/* x, s and Y from the end of a path with other cuts.  The diagonal's multipliers grow by what keeps S positive
 * definite: 3 (z_i^2 + z_j^2 + z_k^2) >= (+-z_i +- z_j +- z_k)^2.  false: it is not, and nothing has changed. */
static bool restart_point(quad_path *w, space *a, const quad_cuts *cuts, const path_end *e)
{
    int64_t others = e->others, r = w->r;
    memset(a->D, 0, (size_t)w->N * sizeof *a->D);
    memcpy(w->x, e->x, (size_t)others * sizeof *w->x);
    memcpy(w->s, e->s, (size_t)others * sizeof *w->s);
    for (int64_t i = 0; i < cuts->n; i++) {
        const quad_cut *c = &cuts->cut[i];
        w->x[others + i] = c->was >= 0 ? e->x[others + c->was] : e->mu / NEW_SLACK;
        w->s[others + i] = c->was >= 0 ? e->s[others + c->was] : NEW_SLACK;
        for (int j = 0; j < 3 && c->was < 0; j++)
            a->D[c->node[j]] += 3 * w->x[others + i];
    }
    for (int64_t i = 0; i < others; i++)
        if (w->pr[i].p == w->pr[i].q)
            w->x[i] += a->D[w->pr[i].p] + 0.01 * e->mu;
    form_S(w, a);
    if (!cholesky(w->S, r)) {
        memset(w->x, 0, (size_t)w->m * sizeof *w->x);
        memset(w->s, 0, (size_t)w->m * sizeof *w->s);
        return false;
    }
    for (int64_t i = 0; i < r * r; i++)
        w->Y[i] = (1 - IDENTITY) * e->Y[i] + (i % (r + 1) == 0 ? IDENTITY : 0);
    return true;
}

/* The multipliers, with those of `cuts` (NULL: none).  start: from there, or, if it is NULL or empty, from the start
 * that is always possible.  On return w and a are those of the path, to be cleared also after an error. */
static wlab_code solve(quad_shift *s, quad_path *w, space *a, const quad_form *f, const quad_cuts *cuts,
                       const path_end *start, double threshold, double tolerance, wlab_ctx *ctx,
                       wlab_err *err)
{
    wlab_code code = quad_path_create(w, f, cuts, err);
    if (code)
        return code;
    s->Q = wlab_alloc((size_t)(f->N * f->N), sizeof *s->Q);
    s->range = wlab_calloc((size_t)f->groups, sizeof *s->range);
    if (!s->Q || !s->range)
        return wlab_nomem(err);
    if ((code = space_create(a, w, err)))
        return code;
    if (w->iterative)
        quad_pairs_start(w, a->T, a->D);
    else if (!start || !start->x || !restart_point(w, a, cuts, start))
        start_point(w, a->T, a->D);
    if ((code = follow_path(w, a, threshold, tolerance, ctx, err)))
        return code;
    extract_shift(s, w, a);
    s->can_cut = !w->iterative && f->N <= QUAD_CUT_NODES;
    return WL_OK;
}

wlab_code quad_shift_solve(quad_shift *shift, const quad_form *f, double threshold, double tolerance,
                           wlab_ctx *ctx, wlab_err *err)
{
    quad_path w = {0};
    space a = {0};
    quad_shift s = {0};
    wlab_code code = solve(&s, &w, &a, f, NULL, NULL, threshold, tolerance, ctx, err);
    space_clear(&a);
    quad_path_clear(&w);
    if (code)
        quad_shift_clear(&s);
    else
        *shift = s;
    return code;
}

wlab_code quad_shift_cut(quad_shift *shift, const quad_form *f, double threshold, double tolerance,
                         int rounds, quad_cuts *cuts, wlab_ctx *ctx, wlab_err *err)
{
    path_end end = {0};
    quad_shift s = {0};
    double gap = HUGE_VAL;
    wlab_code code = WL_OK;
    for (bool more = true; more && !code; rounds--) {
        quad_path w = {0};
        space a = {0};
        double rough = isfinite(gap) ? ROUGH * gap : 1e-3 * fabs(threshold);
        int64_t fresh = 0;
        quad_shift_clear(&s);
        code = solve(&s, &w, &a, f, cuts, &end, threshold, rough > tolerance ? rough : tolerance, ctx, err);
        more = !code && s.can_cut && rounds > 0 && s.total > threshold && s.total - threshold <= LITTLE * gap;
        if (more) {
            gap = s.total - threshold;
            quad_path_lift(&w, w.Y, a.Z);
            code = quad_cuts_update(cuts, f, a.Z, &fresh, err);
            more = fresh > 0;
        }
        if (more && !code)
            end_take(&end, &w, &a);
        space_clear(&a);
        quad_path_clear(&w);
    }
    end_clear(&end);
    if (code)
        quad_shift_clear(&s);
    else
        *shift = s;
    return code;
}

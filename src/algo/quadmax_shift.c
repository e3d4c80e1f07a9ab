/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Multipliers x_i for products of linear forms that every labeling fixes or bounds,
 *
 *     (p_i'z)(q_i'z) = c_i  or  <= c_i (x_i >= 0):
 *     z_k^2 = 1;  (z_0 + z_i)(z_0 + z_j) = 0 where at most one of a group is +1 (with minus signs: all but one);
 *     (1'z - L)(1'z - U) <= 0 for a group whose sum is between L and U, = 0 where U = L + 2,
 *
 * with the smallest sum of c_i x_i for which  P'(sum of x_i sym(p_i q_i') - H)P  is positive semidefinite; P spans the
 * vectors on which the sums with L = U hold, homogenised by node 0, so that these have the best multipliers there are.
 * The path is that of Helmberg, Rendl, Vanderbei and Wolkowicz, with W = P S^-1 P':
 *     sum_j <A_i, W A_j Z> dx_j = mu <A_i, W> - c_i.
 * Every point of it certifies: at the end the most negative eigenvalue and the rounding in forming the matrix are
 * added to the diagonal.
 */
#include "algo/quadmax.h"
#include "base/progress.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

enum {
    ITERATIONS = 80,
    /* products within groups: as many as nodes, so that they cost no more; but this many always, and above 1000 nodes
     * no more than memory is there for, as the square of all products is what is factored */
    PAIRS_LEAST = 400,
    PRODUCTS = 2000
};

typedef struct product {
    int32_t p, q;  /* forms */
    int32_t range; /* of group; -1 */
    double c;
    bool most; /* <= */
} product;

typedef struct path {
    const quad_form *f;
    int64_t N, E, r;            /* nodes; equations; r = N - E columns of P */
    double *house, *tau, *work; /* [N x E] Householder vectors whose first E columns span the equations */
    /* the forms: sparse columns */
    int64_t forms, *at;
    int32_t *col;
    double *val;
    int64_t m;
    product *pr;
    double *x, *dx;  /* [m] */
    double *s, *ds;  /* [m] slack of those with <= */
    double *S, *Y;   /* [r x r] P'(sum x A - H)P, and its complement */
    bool *free_diag; /* [N] whether z_k^2 = 1 has a multiplier of its own (elsewhere the pairs imply it) */
} path;

static void path_clear(path *w)
{
    wlab_free(w->house);
    wlab_free(w->tau);
    wlab_free(w->work);
    wlab_free(w->at);
    wlab_free(w->col);
    wlab_free(w->val);
    wlab_free(w->pr);
    wlab_free(w->x);
    wlab_free(w->dx);
    wlab_free(w->s);
    wlab_free(w->ds);
    wlab_free(w->S);
    wlab_free(w->Y);
    wlab_free(w->free_diag);
}

/* R <- U'RU (transpose: URU'), U the orthogonal matrix of the Householder vectors. */
static void rotate(const path *w, double *R, bool transpose)
{
    lapack_int N = (lapack_int)w->N, E = (lapack_int)w->E;
    if (E == 0)
        return;
    LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', transpose ? 'N' : 'T', N, N, E, w->house, N, w->tau, R, N,
                        w->work, N);
    LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'R', transpose ? 'T' : 'N', N, N, E, w->house, N, w->tau, R, N,
                        w->work, N);
}

/* A = P'RP [r x r]; R [N x N] is overwritten. */
static void restrict_to(const path *w, double *R, double *A)
{
    int64_t N = w->N, r = w->r, E = w->E;
    rotate(w, R, false);
    for (int64_t i = 0; i < r; i++)
        for (int64_t j = 0; j <= i; j++)
            A[i * r + j] = A[j * r + i] = 0.5 * (R[(i + E) * N + j + E] + R[(j + E) * N + i + E]);
}

/* R = PAP' [N x N]. */
static void lift(const path *w, const double *A, double *R)
{
    int64_t N = w->N, r = w->r, E = w->E;
    memset(R, 0, (size_t)(N * N) * sizeof *R);
    for (int64_t i = 0; i < r; i++)
        memcpy(R + (i + E) * N + E, A + i * r, (size_t)r * sizeof *A);
    rotate(w, R, true);
}

/* R = sum of x_i sym(p_i q_i') */
static void combine(const path *w, const double *x, double *R)
{
    int64_t N = w->N;
    memset(R, 0, (size_t)(N * N) * sizeof *R);
    for (int64_t i = 0; i < w->m; i++)
        for (int64_t a = w->at[w->pr[i].p]; a < w->at[w->pr[i].p + 1]; a++)
            for (int64_t b = w->at[w->pr[i].q]; b < w->at[w->pr[i].q + 1]; b++) {
                double v = 0.5 * x[i] * w->val[a] * w->val[b];
                R[w->col[a] * N + w->col[b]] += v;
                R[w->col[b] * N + w->col[a]] += v;
            }
}

/* A = F'RF [forms x forms] over all forms, T [N x forms]. */
static void over_forms(const path *w, const double *R, double *T, double *A)
{
    int64_t N = w->N, F = w->forms;
    memset(T, 0, (size_t)(N * F) * sizeof *T);
    for (int64_t j = 0; j < F; j++)
        for (int64_t a = w->at[j]; a < w->at[j + 1]; a++)
            cblas_daxpy((int)N, w->val[a], R + w->col[a] * N, 1, T + j * N, 1);
    for (int64_t i = 0; i < F; i++)
        for (int64_t j = 0; j <= i; j++) {
            double sum = 0;
            for (int64_t a = w->at[i]; a < w->at[i + 1]; a++)
                sum += w->val[a] * T[j * N + w->col[a]];
            A[i * F + j] = A[j * F + i] = sum;
        }
}

/* Which of a group's pairs have a product of 0: +1 both +1 never, -1 both low never, 0: none. */
static int pair_sign(const quad_form *f, int64_t g)
{
    int64_t size = f->start[g + 1] - f->start[g];
    return f->hi[g] == 1 ? 1 : f->lo[g] == size - 1 ? -1 : 0;
}

static void add_form(path *w, int32_t first, double v)
{
    w->at[w->forms + 1] = w->at[w->forms];
    w->forms++;
    if (v != 0) {
        w->col[w->at[w->forms]] = first;
        w->val[w->at[w->forms]++] = v;
    }
}

static void extend_form(path *w, int64_t k, double v)
{
    w->col[w->at[w->forms]] = (int32_t)k;
    w->val[w->at[w->forms]++] = v;
}

static void add_product(path *w, int64_t p, int64_t q, double c, bool most, int32_t range)
{
    w->pr[w->m++] = (product){.p = (int32_t)p, .q = (int32_t)q, .range = range, .c = c, .most = most};
}

/* Forms and products of all groups; `pairs` [groups]: those whose pairs are taken. */
static void take_products(path *w, const bool *pairs)
{
    const quad_form *f = w->f;
    for (int64_t k = 0; k < w->N; k++) {
        add_form(w, (int32_t)k, 1);
        w->free_diag[k] = true;
    }
    for (int64_t g = 0; g < f->groups; g++) {
        int64_t first = w->forms, size = f->start[g + 1] - f->start[g];
        bool equation = f->lo[g] == f->hi[g];
        if (pairs[g]) {
            for (int64_t k = f->start[g]; k < f->start[g + 1]; k++) {
                add_form(w, 0, 1);
                extend_form(w, k, pair_sign(f, g));
                w->free_diag[k] = !equation;
            }
            for (int64_t i = 0; i < size; i++)
                for (int64_t j = 0; j < i; j++)
                    add_product(w, first + i, first + j, 0, false, -1);
        }
        if (equation || (f->lo[g] == 0 && f->hi[g] == size) || (pairs[g] && f->hi[g] - f->lo[g] == 1))
            continue; /* eliminated, or nothing new */
        int64_t bounds[2] = {f->lo[g], f->hi[g]}, form = w->forms;
        for (int end = 0; end < 2; end++) {
            add_form(w, 0, (double)(size - 2 * bounds[end]));
            for (int64_t k = f->start[g]; k < f->start[g + 1]; k++)
                extend_form(w, k, 1);
        }
        add_product(w, form, form + 1, 0, f->hi[g] - f->lo[g] > 1, (int32_t)g);
    }
    for (int64_t k = 0; k < w->N; k++)
        if (w->free_diag[k])
            add_product(w, k, k, 1, false, -1);
}

/* The equations 1'z = (2 lo - size) z_0, factored. */
static void take_equations(path *w)
{
    const quad_form *f = w->f;
    int64_t N = w->N, e = 0;
    for (int64_t g = 0; g < f->groups; g++) {
        if (f->lo[g] != f->hi[g])
            continue;
        double *v = w->house + e++ * N;
        v[0] = (double)(f->start[g + 1] - f->start[g] - 2 * f->lo[g]);
        for (int64_t k = f->start[g]; k < f->start[g + 1]; k++)
            v[k] = 1;
    }
    if (e > 0)
        LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, (lapack_int)N, (lapack_int)e, w->house, (lapack_int)N, w->tau,
                            w->work, (lapack_int)N);
}

static wlab_code path_create(path *w, const quad_form *f, wlab_err *err)
{
    wlab_code code = WL_OK;
    int64_t N = f->N, forms = N, pairs = 0, ranges = 0, most = N < PRODUCTS - N ? N : PRODUCTS - N;
    most = most > PAIRS_LEAST ? most : PAIRS_LEAST;
    bool *take = wlab_calloc((size_t)f->groups, sizeof *take);
    memset(w, 0, sizeof *w);
    w->f = f;
    w->N = N;
    if (!take)
        return wlab_nomem(err);
    for (int64_t g = 0; g < f->groups; g++) {
        int64_t size = f->start[g + 1] - f->start[g];
        w->E += f->lo[g] == f->hi[g];
        ranges += f->lo[g] < f->hi[g];
        if (pair_sign(f, g) && size > 1 && pairs + size * (size - 1) / 2 <= most) {
            take[g] = true;
            pairs += size * (size - 1) / 2;
            forms += size;
        }
    }
    forms += 2 * ranges;
    w->r = N - w->E;
    size_t m = (size_t)(N + pairs + ranges), square = (size_t)(w->r * w->r);
    w->house = wlab_calloc((size_t)(N * w->E), sizeof *w->house);
    w->tau = wlab_alloc((size_t)w->E, sizeof *w->tau);
    w->work = wlab_alloc((size_t)N, sizeof *w->work);
    w->at = wlab_calloc((size_t)forms + 1, sizeof *w->at);
    w->col = wlab_alloc((size_t)(2 * forms + 2 * N), sizeof *w->col);
    w->val = wlab_alloc((size_t)(2 * forms + 2 * N), sizeof *w->val);
    w->pr = wlab_alloc(m, sizeof *w->pr);
    w->x = wlab_calloc(m, sizeof *w->x);
    w->dx = wlab_alloc(m, sizeof *w->dx);
    w->s = wlab_calloc(m, sizeof *w->s);
    w->ds = wlab_calloc(m, sizeof *w->ds);
    w->S = wlab_alloc(square, sizeof *w->S);
    w->Y = wlab_calloc(square, sizeof *w->Y);
    w->free_diag = wlab_alloc((size_t)N, sizeof *w->free_diag);
    if (!w->house || !w->tau || !w->work || !w->at || !w->col || !w->val || !w->pr || !w->x || !w->dx ||
        !w->s || !w->ds || !w->S || !w->Y || !w->free_diag) {
        code = wlab_nomem(err);
        path_clear(w);
        memset(w, 0, sizeof *w);
        goto out;
    }
    take_products(w, take);
    take_equations(w);
out:
    wlab_free(take);
    return code;
}

/* Multipliers that make sum x A - H diagonally dominant.  Where z_k^2 = 1 has none of its own it is
 * z_0^2 - sum over the group of (z_0 +- z_k)(z_0 +- z_j) on the equation.  T [N x N], D [N] are workspace. */
static void start_point(path *w, double *T, double *D)
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
    combine(w, w->x, T);
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
    for (int64_t i = 0; i < w->m; i++) {
        product p = w->pr[i];
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

/* The longest step t <= `most` of a ladder with A + t B positive definite, kept off the boundary. */
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

static double value_of(const path *w)
{
    double sum = 0;
    for (int64_t i = 0; i < w->m; i++)
        sum += w->pr[i].c * w->x[i];
    return sum;
}

typedef struct space {
    double *Si, *dS, *dY; /* [r x r] */
    double *T, *W, *Z;    /* [N x N] */
    double *TF, *WF, *ZF; /* [N x forms], [forms x forms] twice */
    double *M, *D;        /* [m x m], [N] */
} space;

static wlab_code space_create(space *a, const path *w, wlab_err *err)
{
    size_t small = (size_t)(w->r * w->r), large = (size_t)(w->N * w->N), F = (size_t)w->forms,
           m = (size_t)w->m;
    a->Si = wlab_alloc(small, sizeof(double));
    a->dS = wlab_alloc(small, sizeof(double));
    a->dY = wlab_alloc(small, sizeof(double));
    a->T = wlab_alloc(large, sizeof(double));
    a->W = wlab_alloc(large, sizeof(double));
    a->Z = wlab_alloc(large, sizeof(double));
    a->TF = wlab_alloc((size_t)w->N * F, sizeof(double));
    a->WF = wlab_alloc(F * F, sizeof(double));
    a->ZF = wlab_alloc(F * F, sizeof(double));
    a->M = wlab_alloc(m * m, sizeof(double));
    a->D = wlab_alloc((size_t)w->N, sizeof(double));
    return a->Si && a->dS && a->dY && a->T && a->W && a->Z && a->TF && a->WF && a->ZF && a->M && a->D
               ? WL_OK
               : wlab_nomem(err);
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
    wlab_free(a->D);
}

/* S = P'(sum x A - H)P */
static void form_S(path *w, space *a)
{
    combine(w, w->x, a->T);
    for (int64_t i = 0; i < w->N * w->N; i++)
        a->T[i] -= w->f->H[i];
    restrict_to(w, a->T, w->S);
}

/* dx, dS, dY, ds for the target mu; false where a factorisation fails. */
static bool direction(path *w, space *a, double mu)
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
    lift(w, a->Si, a->W);
    over_forms(w, a->W, a->TF, a->WF);
    lift(w, w->Y, a->Z);
    over_forms(w, a->Z, a->TF, a->ZF);
    for (int64_t i = 0; i < m; i++) {
        product p = w->pr[i];
        const double *Wp = a->WF + p.p * F, *Wq = a->WF + p.q * F, *Zp = a->ZF + p.p * F,
                     *Zq = a->ZF + p.q * F;
        w->dx[i] = mu * Wp[p.q] - p.c;
        for (int64_t j = 0; j <= i; j++) {
            int32_t u = w->pr[j].p, v = w->pr[j].q;
            a->M[i * m + j] = a->M[j * m + i] =
                0.25 * (Wp[u] * Zq[v] + Wp[v] * Zq[u] + Wq[u] * Zp[v] + Wq[v] * Zp[u]);
        }
        if (p.most) {
            w->dx[i] += mu / w->x[i];
            a->M[i * m + i] += w->s[i] / w->x[i];
        }
    }
    if (LAPACKE_dposv_work(LAPACK_COL_MAJOR, 'L', (lapack_int)m, 1, a->M, (lapack_int)m, w->dx,
                           (lapack_int)m) != 0)
        return false;
    combine(w, w->dx, a->T);
    restrict_to(w, a->T, a->dS);
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
        w->ds[i] = w->pr[i].most ? mu / w->x[i] - w->s[i] - w->s[i] * w->dx[i] / w->x[i] : 0;
    return true;
}

static wlab_code follow(path *w, space *a, double enough, double worth, wlab_ctx *ctx, wlab_err *err)
{
    int64_t r = w->r, m = w->m;
    double reduce = 0.5;
    int64_t pairs = r;
    wlab_progress told;
    for (int64_t i = 0; i < m; i++)
        pairs += w->pr[i].most;
    wlab_progress_begin(&told, ctx, "bound iterations", 0);
    for (int k = 0; k < ITERATIONS; k++) {
        form_S(w, a);
        double gap = cblas_ddot((int)(r * r), w->S, 1, w->Y, 1);
        for (int64_t i = 0; i < m; i++)
            if (w->pr[i].most)
                gap += w->x[i] * w->s[i];
        if (gap < worth || value_of(w) <= enough || !direction(w, a, reduce * gap / (double)pairs))
            return WL_OK;
        double dual = feasible_step(w->S, a->dS, r, a->T), primal = feasible_step(w->Y, a->dY, r, a->T);
        for (int64_t i = 0; i < m; i++) {
            if (w->pr[i].most && dual * w->dx[i] < -0.95 * w->x[i])
                dual = -0.95 * w->x[i] / w->dx[i];
            if (w->pr[i].most && primal * w->ds[i] < -0.95 * w->s[i])
                primal = -0.95 * w->s[i] / w->ds[i];
        }
        if (!(dual > 0) || !(primal > 0))
            return WL_OK;
        wlab_progress_add(&told, 1);
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

/* Q and total from where the path ended, with what makes Q psd for certain. */
static void take_shift(quad_shift *s, path *w, space *a)
{
    const quad_form *f = w->f;
    int64_t N = w->N, r = w->r;
    double norm = 0, slack;
    combine(w, w->x, s->Q);
    for (int64_t i = 0; i < N * N; i++) {
        s->Q[i] -= f->H[i];
        norm += s->Q[i] * s->Q[i];
    }
    memcpy(a->T, s->Q, (size_t)(N * N) * sizeof *s->Q);
    restrict_to(w, a->T, w->S);
    s->total = HUGE_VAL;
    if (r > 0 && LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'N', 'L', (lapack_int)r, w->S, (lapack_int)r, a->D) != 0)
        return; /* no bound this time */
    slack = (r > 0 && a->D[0] < 0 ? -a->D[0] : 0) + (double)N * DBL_EPSILON * sqrt(norm);
    for (int64_t i = 0; i < N; i++)
        s->Q[i * N + i] += slack;
    s->total = value_of(w) + (double)N * slack;
    for (int64_t i = 0; i < w->m; i++)
        if (w->pr[i].range >= 0)
            s->range[w->pr[i].range] = w->x[i];
}

wlab_code quad_shift_solve(quad_shift *shift, const quad_form *f, double enough, double worth, wlab_ctx *ctx,
                           wlab_err *err)
{
    path w;
    space a = {0};
    quad_shift s = {0};
    wlab_code code = path_create(&w, f, err);
    if (code)
        return code;
    s.Q = wlab_alloc((size_t)(f->N * f->N), sizeof *s.Q);
    s.range = wlab_calloc((size_t)f->groups, sizeof *s.range);
    if (!s.Q || !s.range) {
        code = wlab_nomem(err);
        goto out;
    }
    if ((code = space_create(&a, &w, err)))
        goto out;
    start_point(&w, a.T, a.D);
    if ((code = follow(&w, &a, enough, worth, ctx, err)))
        goto out;
    take_shift(&s, &w, &a);
out:
    space_clear(&a);
    path_clear(&w);
    if (code)
        quad_shift_clear(&s);
    else
        *shift = s;
    return code;
}

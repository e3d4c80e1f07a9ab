/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The barrier method of mmc.h.  Variables x = (alpha, d, nu): [n + nodes + ranges].
 *
 * Derivatives of log det S, with Z = P (P'SP)^-1 P' and P an orthonormal basis of what the groups with L = U allow:
 * dS/dalpha_i = -R'(e_i t_i' + t_i e_i')R, t_i = column i of T = Diag(alpha)K, d2S/dalpha_i dalpha_j =
 * -K_ij R'(e_i e_j' + e_j e_i')R.  With E = RZR'T (row i of E: sign_i times that of ZR'T at i's node) and X = T'E,
 *
 *   gradient:       -2 E_ii,   Z_pp,   a_g'Z b_g
 *   minus Hessian:  alpha, alpha  2 (E_ij E_ji + (X_ij + K_ij) (RZR')_ij)
 *                   d, d          Z_pq^2
 *                   d, alpha      -2 (ZR')_pi (ZR'T)_pi
 *                   and the same with (Za)(Zb)' in place of column p times its transpose, for the ranges.
 */
#include "solve/mmc/mmc.h"
#include "base/walk.h"
#include "linalg/cholesky.h"
#include "linalg/product.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

enum {
    BACKTRACKS = 60,
    RIDGES = 6
};
#define SHORT 0.3 /* a Newton step of this length has nearly reached the maximum */

typedef struct range {
    double L, U; /* of the sum of the group's nodes */
    int32_t group;
    bool equal; /* U = L + 2: the product is 0, and nu may have any sign */
} range;

struct wlab_mmc {
    wlab_mmc_problem q;
    int64_t n, N, ranges, ties, vars;
    int32_t *node; /* [n] */
    int8_t *sign;  /* [n] */
    range *range;  /* [ranges] */
    double
        *Q; /* [N x ties] by columns: reflectors whose first `ties` directions the groups with L = U forbid */
    double *tau;   /* [ties] */
    bool constant; /* node 0 stands for rows */
    /* ---- snapshot ---- */
    double *x; /* [vars] */
    double *M; /* [N x N] */
    double t, shown, decrement;
    int64_t newtons;
};

/* Workspace of a step; all in one allocation. */
typedef struct work {
    double *all;
    double *S, *trial, *Z, *move;        /* [N x N] */
    double *V, *ZT;                      /* [N x n] ZR', ZR'T */
    double *T, *E, *X;                   /* [n x n] */
    double *H;                           /* [vars x vars] */
    double *g, *dx, *next, *keep;        /* [vars] */
    double *pa, *pb, *ra, *rb, *ua, *ub; /* [ranges x N] Za, Zb; [ranges x n] R Z a, R Z b; T'RZa, T'RZb */
    double *lapack;                      /* [64 N] */
} work;

static double *take(double **at, int64_t a, int64_t b)
{
    double *p = *at;
    *at += a * b;
    return p;
}

static wlab_code work_create(work *w, const wlab_mmc *s, wlab_err *err)
{
    const int64_t n = s->n, N = s->N, v = s->vars, G = s->ranges;
    const int64_t size = 4 * N * N + 2 * N * n + 3 * n * n + v * v + 4 * v + 2 * G * N + 4 * G * n + 64 * N;
    double *at = wlab_calloc((size_t)size, sizeof *at);
    if (!at)
        return wlab_nomem(err);
    w->all = at;
    w->S = take(&at, N, N), w->trial = take(&at, N, N), w->Z = take(&at, N, N), w->move = take(&at, N, N);
    w->V = take(&at, N, n), w->ZT = take(&at, N, n);
    w->T = take(&at, n, n), w->E = take(&at, n, n), w->X = take(&at, n, n);
    w->H = take(&at, v, v);
    w->g = take(&at, v, 1), w->dx = take(&at, v, 1), w->next = take(&at, v, 1), w->keep = take(&at, v, 1);
    w->pa = take(&at, G, N), w->pb = take(&at, G, N);
    w->ra = take(&at, G, n), w->rb = take(&at, G, n), w->ua = take(&at, G, n), w->ub = take(&at, G, n);
    w->lapack = take(&at, 64, N);
    return WL_OK;
}

/* The vectors of range g: (1_g - value e_0), [N]. */
static void range_vector(const wlab_mmc *s, const range *r, double value, double *a)
{
    const wlab_labelset *B = s->q.B;
    memset(a, 0, (size_t)s->N * sizeof *a);
    for (int64_t k = B->start[r->group]; k < B->start[r->group + 1]; k++)
        a[s->node[B->member[k]]] = 1;
    a[0] = -value;
}

/* A += nu sym(ab') over a range. */
static void add_range(const wlab_mmc *s, const range *r, double nu, double *A)
{
    const wlab_labelset *B = s->q.B;
    const int64_t N = s->N;
    for (int64_t k = B->start[r->group]; k < B->start[r->group + 1]; k++) {
        const int64_t p = s->node[B->member[k]];
        for (int64_t l = B->start[r->group]; l < B->start[r->group + 1]; l++)
            A[p * N + s->node[B->member[l]]] += nu;
        A[p * N] -= nu * (r->L + r->U) / 2;
        A[p] -= nu * (r->L + r->U) / 2;
    }
    A[0] += nu * r->L * r->U;
}

/* A = the part of S that is linear in the multipliers, minus R'BR with B_kl = weight_k K_kl other_l symmetrised: S at x with
 * weight = other = alpha; the linear change of S along dx with weight = 2 dalpha, other = alpha. */
static void form(const wlab_mmc *s, const double *d, const double *nu, const double *weight,
                 const double *other, double *A)
{
    const int64_t n = s->n, N = s->N;
    memset(A, 0, (size_t)(N * N) * sizeof *A);
    for (int64_t k = 0; k < n; k++)
        for (int64_t l = 0; l < n; l++) {
            const double both = (weight[k] * other[l] + other[k] * weight[l]) / 2;
            A[s->node[k] * N + s->node[l]] -= s->sign[k] * s->sign[l] * s->q.K[k * n + l] * both;
        }
    for (int64_t p = 0; p < N; p++)
        A[p * (N + 1)] += d[p];
    for (int64_t g = 0; g < s->ranges; g++)
        add_range(s, &s->range[g], nu[g], A);
}

/* A <- Q'AQ (into), or QAQ'; A symmetric, Q the product of the reflectors. */
static void reflect(const wlab_mmc *s, bool into, double *A, double *lapack)
{
    const lapack_int N = (lapack_int)s->N, k = (lapack_int)s->ties;
    if (!k)
        return;
    LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', into ? 'T' : 'N', N, N, k, s->Q, N, s->tau, A, N, lapack,
                        64 * N);
    LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'R', into ? 'N' : 'T', N, N, k, s->Q, N, s->tau, A, N, lapack,
                        64 * N);
}

/* Factors P'SP at x: *logdet, with the factor in the leading part of w->trial, [r x r]; *definite = false if S is not
 * positive definite. */
static wlab_code factor(const wlab_mmc *s, work *w, const double *x, bool *definite, double *logdet,
                        wlab_ctx *ctx, wlab_err *err)
{
    const int64_t N = s->N, r = N - s->ties;
    form(s, x + s->n, x + s->n + N, x, x, w->move);
    reflect(s, true, w->move, w->lapack);
    for (int64_t i = 0; i < r; i++)
        for (int64_t j = 0; j < r; j++)
            w->trial[i * r + j] = w->move[(i + s->ties) * N + j + s->ties];
    const wlab_code code = wlab_cholesky(w->trial, r, definite, ctx, err);
    *logdet = 0;
    for (int64_t i = 0; i < r && *definite && !code; i++)
        *logdet += 2 * log(w->trial[i * (r + 1)]);
    return code;
}

static double objective(const wlab_mmc *s, const double *x)
{
    double sum = 0;
    for (int64_t i = 0; i < s->n; i++)
        sum += x[i] - (s->q.delta ? s->q.delta[i] * x[i] * x[i] / 2 : 0);
    for (int64_t p = 0; p < s->N; p++)
        sum -= x[s->n + p] / 2;
    return sum;
}

/* The barriers of the bounds; -inf outside. */
static double barrier(const wlab_mmc *s, const double *x)
{
    double sum = 0;
    for (int64_t i = 0; i < s->n; i++) {
        if (!(x[i] > 0) || !(x[i] < s->q.upper[i]))
            return -HUGE_VAL;
        sum += log(x[i]);
        if (isfinite(s->q.upper[i]))
            sum += log(s->q.upper[i] - x[i]);
    }
    for (int64_t g = 0; g < s->ranges; g++) {
        const double nu = x[s->n + s->N + g];
        if (s->range[g].equal)
            continue;
        if (!(nu > 0))
            return -HUGE_VAL;
        sum += log(nu);
    }
    return sum;
}

/* Z = P (P'SP)^-1 P' from the factor in w->trial. */
static wlab_code invert(const wlab_mmc *s, work *w, wlab_err *err)
{
    const int64_t N = s->N, r = N - s->ties, k = s->ties;
    /* the lower triangle by rows is the upper one by columns */
    if (r > 0 && LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'U', (lapack_int)r, w->trial, (lapack_int)r))
        return wlab_fail(err, WL_ENUMERIC, "the matrix S of the barrier is singular");
    memset(w->Z, 0, (size_t)(N * N) * sizeof *w->Z);
    for (int64_t i = 0; i < r; i++)
        for (int64_t j = 0; j <= i; j++)
            w->Z[(i + k) * N + j + k] = w->Z[(j + k) * N + i + k] = w->trial[i * r + j];
    reflect(s, false, w->Z, w->lapack);
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < i; j++)
            w->Z[i * N + j] = w->Z[j * N + i] = (w->Z[i * N + j] + w->Z[j * N + i]) / 2;
    return WL_OK;
}

/* After an interrupt they are not finished. */
static void products(const wlab_mmc *s, work *w, wlab_ctx *ctx)
{
    const int64_t n = s->n, N = s->N;
    for (int64_t k = 0; k < n; k++)
        for (int64_t l = 0; l < n; l++)
            w->T[k * n + l] = s->x[k] * s->q.K[k * n + l];
    for (int64_t p = 0; p < N; p++)
        for (int64_t i = 0; i < n; i++)
            w->V[p * n + i] = s->sign[i] * w->Z[p * N + s->node[i]];
    (void)wlab_gemm(ctx, false, false, N, n, n, 1, w->V, n, w->T, n, 0, w->ZT, n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            w->E[i * n + j] = s->sign[i] * w->ZT[s->node[i] * n + j];
    (void)wlab_gemm(ctx, true, false, n, n, n, 1, w->T, n, w->E, n, 0, w->X, n);
    for (int64_t g = 0; g < s->ranges; g++) {
        double *a = w->keep, *pa = w->pa + g * N, *pb = w->pb + g * N;
        range_vector(s, &s->range[g], s->range[g].L, a);
        cblas_dsymv(CblasRowMajor, CblasLower, (int)N, 1, w->Z, (int)N, a, 1, 0, pa, 1);
        range_vector(s, &s->range[g], s->range[g].U, a);
        cblas_dsymv(CblasRowMajor, CblasLower, (int)N, 1, w->Z, (int)N, a, 1, 0, pb, 1);
        for (int64_t i = 0; i < n; i++) {
            w->ra[g * n + i] = s->sign[i] * pa[s->node[i]];
            w->rb[g * n + i] = s->sign[i] * pb[s->node[i]];
        }
        cblas_dgemv(CblasRowMajor, CblasTrans, (int)n, (int)n, 1, w->T, (int)n, w->ra + g * n, 1, 0,
                    w->ua + g * n, 1);
        cblas_dgemv(CblasRowMajor, CblasTrans, (int)n, (int)n, 1, w->T, (int)n, w->rb + g * n, 1, 0,
                    w->ub + g * n, 1);
    }
}

/* Gradient and minus the Hessian (lower triangle) of t times the objective plus the barriers. */
static void derivatives(const wlab_mmc *s, work *w)
{
    const int64_t n = s->n, N = s->N, v = s->vars;
    double *H = w->H, *g = w->g;
    for (int64_t i = 0; i < n; i++) {
        const double a = s->x[i], room = s->q.upper[i] - a, delta = s->q.delta ? s->q.delta[i] : 0;
        g[i] = s->t * (1 - delta * a) - 2 * w->E[i * (n + 1)] + 1 / a - (isfinite(room) ? 1 / room : 0);
        for (int64_t j = 0; j <= i; j++)
            H[i * v + j] =
                2 * (w->E[i * n + j] * w->E[j * n + i] +
                     (w->X[i * n + j] + s->q.K[i * n + j]) * s->sign[i] * w->V[s->node[i] * n + j]);
        H[i * (v + 1)] += s->t * delta + 1 / (a * a) + (isfinite(room) ? 1 / (room * room) : 0);
    }
    for (int64_t p = 0; p < N; p++) {
        double *row = H + (n + p) * v;
        g[n + p] = w->Z[p * (N + 1)] - s->t / 2;
        for (int64_t i = 0; i < n; i++)
            row[i] = -2 * w->V[p * n + i] * w->ZT[p * n + i];
        for (int64_t q = 0; q <= p; q++)
            row[n + q] = w->Z[p * N + q] * w->Z[p * N + q];
    }
    for (int64_t k = 0; k < s->ranges; k++) {
        double *row = H + (n + N + k) * v, *c = w->keep, *b = w->dx;
        const double *pa = w->pa + k * N, *pb = w->pb + k * N;
        const double nu = s->x[n + N + k];
        for (int64_t i = 0; i < n; i++)
            row[i] = -(w->ra[k * n + i] * w->ub[k * n + i] + w->rb[k * n + i] * w->ua[k * n + i]);
        for (int64_t p = 0; p < N; p++)
            row[n + p] = pa[p] * pb[p];
        range_vector(s, &s->range[k], s->range[k].L, c);
        range_vector(s, &s->range[k], s->range[k].U, b);
        g[n + N + k] = cblas_ddot((int)N, c, 1, pb, 1) + (s->range[k].equal ? 0 : 1 / nu);
        for (int64_t l = 0; l <= k; l++) {
            const double *qa = w->pa + l * N, *qb = w->pb + l * N;
            row[n + N + l] = (cblas_ddot((int)N, c, 1, qa, 1) * cblas_ddot((int)N, b, 1, qb, 1) +
                              cblas_ddot((int)N, c, 1, qb, 1) * cblas_ddot((int)N, b, 1, qa, 1)) /
                             2;
        }
        row[n + N + k] += s->range[k].equal ? 0 : 1 / (nu * nu);
    }
}

/* dx of Newton's step; *solved = false if the Hessian is singular in double precision. */
static wlab_code direction(const wlab_mmc *s, work *w, bool *solved, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t v = s->vars;
    *solved = false;
    /* Cholesky does not touch the upper triangle: it keeps the lower one for another try with a ridge */
    for (int64_t i = 0; i < v; i++) {
        w->keep[i] = w->H[i * (v + 1)];
        for (int64_t j = 0; j < i; j++)
            w->H[j * v + i] = w->H[i * v + j];
    }
    double ridge = 0;
    for (int k = 0; k < RIDGES && !*solved; k++, ridge = ridge > 0 ? 100 * ridge : 1e-14) {
        for (int64_t i = 0; i < v; i++) {
            for (int64_t j = 0; j < i; j++)
                w->H[i * v + j] = w->H[j * v + i];
            w->H[i * (v + 1)] = w->keep[i] * (1 + ridge);
        }
        const wlab_code code = wlab_cholesky(w->H, v, solved, ctx, err);
        if (code)
            return code;
    }
    if (*solved) {
        memcpy(w->dx, w->g, (size_t)v * sizeof *w->dx);
        wlab_cholesky_solve(w->H, v, w->dx);
    }
    return WL_OK;
}

/* w->trial = the feasible matrix of the step: 2/t (Z - Z dS Z), dS linear in dx. */
static void matrix_of_step(const wlab_mmc *s, work *w, wlab_ctx *ctx)
{
    const int64_t n = s->n, N = s->N;
    double *twice = w->next;
    for (int64_t i = 0; i < n; i++)
        twice[i] = 2 * w->dx[i];
    form(s, w->dx + n, w->dx + n + N, twice, s->x, w->move);
    (void)wlab_gemm(ctx, false, false, N, N, N, 1, w->move, N, w->Z, N, 0, w->S, N);
    (void)wlab_gemm(ctx, false, false, N, N, N, 1, w->Z, N, w->S, N, 0, w->move, N);
    for (int64_t i = 0; i < N; i++) {
        for (int64_t j = 0; j < i; j++)
            w->trial[i * N + j] = w->trial[j * N + i] =
                2 / s->t * (w->Z[i * N + j] - (w->move[i * N + j] + w->move[j * N + i]) / 2);
        w->trial[i * (N + 1)] = 1; /* to rounding it is */
    }
}

wlab_code wlab_mmc_advance(wlab_mmc *s, wlab_mmc_made *made, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t N = s->N, v = s->vars;
    work w = {0};
    bool definite, solved = false;
    double logdet, square = 0, step = 1;

    *made = WL_MMC_STUCK;
    if (wlab_interrupted(ctx))
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    wlab_code code = work_create(&w, s, err);
    if (code)
        return code;
    if ((code = factor(s, &w, s->x, &definite, &logdet, ctx, err)) || !definite ||
        (code = invert(s, &w, err)))
        goto out;
    products(s, &w, ctx);
    if (wlab_interrupted(ctx)) {
        code = wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        goto out;
    }
    derivatives(s, &w);
    if ((code = direction(s, &w, &solved, ctx, err)) || !solved)
        goto out;
    for (int64_t i = 0; i < v; i++)
        square += w.g[i] * w.dx[i];
    if (!(square >= 0) || !isfinite(square))
        goto out;
    const bool centred = square <= SHORT * SHORT;
    if (centred) {
        matrix_of_step(s, &w, ctx);
        if (wlab_interrupted(ctx)) {
            code = wlab_fail(err, WL_EINTERRUPTED, "interrupted");
            goto out;
        }
        memcpy(w.S, w.trial, (size_t)(N * N) * sizeof *w.S); /* factor() below uses the buffer */
    }
    const double before = s->t * objective(s, s->x) + barrier(s, s->x) + logdet;
    for (int k = 0;; k++, step *= 0.7) {
        if (k == BACKTRACKS)
            goto out; /* stuck */
        for (int64_t i = 0; i < v; i++)
            w.next[i] = s->x[i] + step * w.dx[i];
        const double bounds = barrier(s, w.next);
        if (!isfinite(bounds))
            continue;
        if ((code = factor(s, &w, w.next, &definite, &logdet, ctx, err)))
            goto out;
        if (!definite)
            continue;
        /* a short step needs no proof: the values may differ by rounding only */
        const double now = s->t * objective(s, w.next) + bounds + logdet;
        if (centred || now >= before + 0.1 * step * square)
            break;
    }
    memcpy(s->x, w.next, (size_t)v * sizeof *s->x);
    s->decrement = sqrt(square);
    s->newtons++;
    *made = centred ? WL_MMC_CENTRED : WL_MMC_MOVED;
    if (centred) {
        memcpy(s->M, w.S, (size_t)(N * N) * sizeof *s->M);
        s->shown = s->t;
        s->t *= s->q.growth;
    }
out:
    wlab_free(w.all);
    return code;
}

/* ---- creation ---- */

static wlab_code make_nodes(wlab_mmc *s, wlab_err *err)
{
    const wlab_labelset *B = s->q.B;
    s->N = 1;
    for (int64_t k = 0; k < s->n; k++) {
        const bool fixed = B->fixed[k] != WL_FREE;
        if (fixed ? B->fixed[k] == 0 : B->low[B->group[k]] != -1)
            return wlab_fail(err, WL_EARG, "labels other than +1 and -1 have no matrix of labels");
        s->node[k] = fixed ? 0 : (int32_t)s->N++;
        s->sign[k] = fixed ? B->fixed[k] : 1;
        s->constant = s->constant || fixed;
    }
    for (int64_t g = 0; g < B->groups; g++) {
        const double size = (double)wlab_labelset_size(B, g);
        const double L = 2 * (double)B->lo[g] - size, U = 2 * (double)B->hi[g] - size;
        if (L == U)
            s->ties++;
        else if (L > -size || U < size)
            s->range[s->ranges++] = (range){L, U, (int32_t)g, U == L + 2};
    }
    return WL_OK;
}

/* The reflectors of the vectors 1_g - L e_0 of the groups with L = U. */
static wlab_code make_ties(wlab_mmc *s, wlab_err *err)
{
    const wlab_labelset *B = s->q.B;
    int64_t k = 0;
    if (!s->ties)
        return WL_OK;
    s->Q = wlab_calloc((size_t)s->N, (size_t)s->ties * sizeof *s->Q);
    s->tau = wlab_calloc((size_t)s->ties, sizeof *s->tau);
    double *lapack = wlab_calloc((size_t)s->N, 64 * sizeof *lapack);
    wlab_code code = s->Q && s->tau && lapack ? WL_OK : wlab_nomem(err);
    for (int64_t g = 0; g < B->groups && !code; g++) {
        const double L = 2 * (double)B->lo[g] - (double)wlab_labelset_size(B, g);
        const range r = {L, L, (int32_t)g, false};
        if (B->lo[g] == B->hi[g])
            range_vector(s, &r, L, s->Q + k++ * s->N);
    }
    if (!code && LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, (lapack_int)s->N, (lapack_int)s->ties, s->Q,
                                     (lapack_int)s->N, s->tau, lapack, (lapack_int)(64 * s->N)))
        code = wlab_fail(err, WL_ENUMERIC, "the constraints of the groups could not be orthogonalised");
    wlab_free(lapack);
    return code;
}

/* A point at which S is diagonally dominant, and a t at which the barriers weigh as much as the objective. */
static wlab_code start(wlab_mmc *s, wlab_err *err)
{
    const int64_t n = s->n, N = s->N;
    double *A = wlab_calloc((size_t)N, (size_t)N * sizeof *A), *x = s->x, mean = 0, sum = 0;
    if (!A)
        return wlab_nomem(err);
    for (int64_t i = 0; i < n; i++)
        mean += (s->q.K[i * (n + 1)] + (s->q.delta ? s->q.delta[i] : 0)) / (double)n;
    for (int64_t i = 0; i < n; i++)
        x[i] = fmin(s->q.upper[i] / 2, mean > 0 ? 1 / mean : 1);
    form(s, x + n, x + n + N, x, x, A);
    for (int64_t p = 0; p < N; p++)
        sum += fabs(A[p * (N + 1)]);
    for (int64_t g = 0; g < s->ranges; g++)
        x[n + N + g] = s->range[g].equal ? 0 : fmax(sum, 1e-300) / ((double)N * (double)N);
    form(s, x + n, x + n + N, x, x, A);
    sum = 0;
    for (int64_t p = 0; p < N; p++) {
        double row = 0;
        for (int64_t j = 0; j < N; j++)
            row += fabs(A[p * N + j]);
        x[n + p] = 1.5 * row;
        sum += row;
    }
    for (int64_t p = 0; p < N; p++)
        x[n + p] += sum > 0 ? 0.1 * sum / (double)N : 1;
    double size = 0;
    for (int64_t i = 0; i < n; i++)
        size += x[i];
    s->t = (double)s->vars / size;
    wlab_free(A);
    return WL_OK;
}

wlab_code wlab_mmc_create(wlab_mmc **out, const wlab_mmc_problem *q, wlab_err *err)
{
    const size_t n = (size_t)q->B->n;
    wlab_mmc *s = wlab_calloc(1, sizeof *s);
    wlab_code code;
    *out = NULL;
    if (!s)
        return wlab_nomem(err);
    s->q = *q;
    s->n = q->B->n;
    s->shown = s->decrement = NAN;
    s->node = wlab_calloc(n, sizeof *s->node);
    s->sign = wlab_calloc(n, sizeof *s->sign);
    s->range = wlab_calloc((size_t)q->B->groups + 1, sizeof *s->range);
    code = s->node && s->sign && s->range ? make_nodes(s, err) : wlab_nomem(err);
    if (!code) {
        s->vars = s->n + s->N + s->ranges;
        s->x = wlab_calloc((size_t)s->vars, sizeof *s->x);
        s->M = wlab_calloc((size_t)s->N, (size_t)s->N * sizeof *s->M);
        code = s->x && s->M ? WL_OK : wlab_nomem(err);
    }
    if (code || (code = make_ties(s, err)) || (code = start(s, err))) {
        wlab_mmc_destroy(s);
        return code;
    }
    *out = s;
    return WL_OK;
}

void wlab_mmc_destroy(wlab_mmc *s)
{
    if (!s)
        return;
    wlab_free(s->node);
    wlab_free(s->sign);
    wlab_free(s->range);
    wlab_free(s->Q);
    wlab_free(s->tau);
    wlab_free(s->x);
    wlab_free(s->M);
    wlab_free(s);
}

/* ---- results ---- */

wlab_mmc_numbers wlab_mmc_get(const wlab_mmc *s)
{
    return (wlab_mmc_numbers){.t = s->shown,
                              .dual = objective(s, s->x),
                              .decrement = s->decrement,
                              .newtons = s->newtons,
                              .nodes = s->N,
                              .constant = s->constant};
}

const double *wlab_mmc_alpha(const wlab_mmc *s)
{
    return s->x;
}

const double *wlab_mmc_matrix(const wlab_mmc *s)
{
    return s->M;
}

int64_t wlab_mmc_node(const wlab_mmc *s, int64_t k, int *sign)
{
    *sign = s->sign[k];
    return s->node[k];
}

double wlab_mmc_entry(const wlab_mmc *s, int64_t k, int64_t l)
{
    return s->sign[k] * s->sign[l] * s->M[s->node[k] * s->N + s->node[l]];
}

void wlab_mmc_walk(void *mmc, wlab_walk *w)
{
    wlab_mmc *s = mmc;
    WL_WALK(w, s->t);
    WL_WALK(w, s->shown);
    WL_WALK(w, s->decrement);
    WL_WALK(w, s->newtons);
    WL_WALK_ARRAY(w, s->x, s->vars);
    WL_WALK_ARRAY(w, s->M, s->N * s->N);
}

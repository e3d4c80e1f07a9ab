/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Normalised cut (Shi and Malik, IEEE PAMI 22, 2000): two clusters with few similarities between them, relative to all
 * similarities that each has,
 *
 *     Ncut(A, B) = cut(A, B) / vol(A) + cut(A, B) / vol(B),    W_ij = exp(-||x_i - x_j||^2 / (2 sigma^2)),
 *
 * where vol(A) sums the degrees D_ii = sum_j W_ij of A.  Relaxed, the smallest Ncut is lambda_2, the second smallest
 * eigenvalue of (D - W) v = lambda D v, and v is cut at the threshold with the smallest Ncut.  What is cut here is
 * D^-1 W v, which is (1 - lambda) v: so the clusters are the signs of a function of the similarities, which new rows have,
 * too, also while v is not yet an eigenvector.
 *
 * A step is an iteration of Lanczos' method on D^-1/2 W D^-1/2, with the known first eigenvector D^1/2 1 left out and all
 * vectors kept orthogonal, and then a cut of the present Ritz vector.  As the Ritz value may belong to another eigenvector
 * than the second, it bounds nothing.  The last step proves the bound: a Cholesky factor shows that no eigenvalue is larger.
 */
#include "algo/algos.h"
#include "base/clock.h"
#include "base/walk.h"
#include "linalg/cholesky.h"
#include "linalg/symmetric.h"
#include "model/kernel.h"

#include <cblas.h>
#include <lapacke.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CERTIFIED_ROWS = 4000 /* rows up to which the bound is proven, at a cost of n^3 / 3 */
};
static const char *const cut_names[] = {"ncut", "zero", "median", NULL};
typedef enum cut_rule {
    CUT_NCUT,
    CUT_ZERO,
    CUT_MEDIAN
} cut_rule;

static const wlab_param_info params[] = {
    {.name = "sigma",
     .type = WL_P_SCALED,
     .fallback = "1nn",
     .lo = 0,
     .hi = HUGE_VAL,
     .choices = wlab_width_units,
     .meaning =
         "width of the similarity exp(-||x-z||^2 / (2 sigma^2)): a number, or with a unit a multiple of a "
         "length "
         "of the data; nn: the median distance of a row from its seventh nearest; rms: the root of the mean "
         "squared distance of two rows; x: the root of the mean distance of two rows",
     .flags = WL_P_OPEN_LO | WL_P_OBJECTIVE | WL_P_KERNEL},
    {.name = "cut",
     .type = WL_P_CHOICE,
     .fallback = "ncut",
     .choices = cut_names,
     .meaning =
         "threshold at which D^-1 W v is cut, among those that the balance allows; ncut: the one with the "
         "smallest Ncut; "
         "zero: the nearest to 0; median: the nearest to equal sizes"},
    {.name = "eps",
     .type = WL_P_REAL,
     .fallback = "1e-8",
     .lo = 0,
     .hi = 1,
     .meaning = "the run ends when the residual of the eigenvector is at most this",
     .flags = WL_P_OPEN_LO},
    {.name = "iterations",
     .type = WL_P_INT,
     .fallback = "1000",
     .lo = 1,
     .hi = 10000,
     .meaning = "largest number of iterations; each keeps a vector of n numbers"},
    {.name = "seed",
     .type = WL_P_INT,
     .fallback = "1",
     .lo = 0,
     .hi = 0x1p53,
     .meaning = "seed of the first vector"},
    {.name = NULL}};

enum {
    M_OBJECTIVE,
    M_UPPER,
    M_LOWER,
    M_GAP,
    M_RELGAP,
    M_FLIPS,
    M_RITZ,
    M_RESIDUAL,
    M_SMALLER,
    M_SECONDS
};
static const wlab_metric_info metrics[] = {
    {.name = "objective",
     .role = WL_R_OBJECTIVE,
     .flags = WL_M_SHOWN,
     .meaning = "Ncut of the present clusters; it may rise while the vector turns",
     .equation = "cut(A, B) / vol(A) + cut(A, B) / vol(B)"},
    {.name = "upper",
     .role = WL_R_UPPER,
     .flags = WL_M_HEADER,
     .meaning = "the smallest Ncut so far: an upper bound on the smallest of all",
     .equation = "min Ncut"},
    {.name = "lower",
     .role = WL_R_LOWER,
     .flags = WL_M_HEADER,
     .meaning = "a certified lower bound on every Ncut: lambda_2, proven by a Cholesky factor after the last "
                "iteration "
                "(up to 4000 rows); 0 before",
     .equation = "1 - t with t I - (D^-1/2 W D^-1/2 - q q') psd, q = D^1/2 1 / ||D^1/2 1||"},
    {.name = "gap",
     .role = WL_R_GAP,
     .log = true,
     .flags = WL_M_SHOWN,
     .meaning = "`upper` is at most this far above the smallest Ncut",
     .equation = "upper - lower"},
    WLAB_RELGAP,
    {.name = "flips",
     .role = WL_R_FLIPS,
     .unit = "rows",
     .flags = WL_M_COUNT | WL_M_SHOWN,
     .meaning = "rows that the step moved to the other cluster"},
    {.name = "ritz",
     .flags = WL_M_LESS | WL_M_LINE,
     .meaning = "the Ritz value for lambda_2, at least lambda_2",
     .equation = "1 - the largest eigenvalue of the tridiagonal matrix"},
    {.name = "residual",
     .log = true,
     .flags = WL_M_LESS | WL_M_LINE,
     .meaning = "how far the Ritz vector is from an eigenvector",
     .equation = "||A u - (1 - ritz) u||, A = D^-1/2 W D^-1/2"},
    {.name = "smaller", .unit = "rows", .flags = WL_M_COUNT, .meaning = "rows of the smaller cluster"},
    WLAB_SECONDS,
    {.name = NULL}};

typedef struct ncut {
    wlab_problem *p;
    int64_t n, most;
    int64_t lo, hi; /* rows that may be positive */
    wlab_kernel kernel;
    cut_rule rule;
    double eps;
    double *W;      /* [n x n] */
    double *degree; /* [n] */
    double *first;  /* [n] D^1/2 1 / ||D^1/2 1|| */
    double volume;
    /* ---- snapshot ---- */
    wlab_rng rng;
    int64_t m; /* iterations */
    bool finished, certified;
    wlab_verdict verdict;
    int64_t flips;
    double objective, upper, lower, ritz, threshold, seconds;
    double residual;      /* the part of A u along the next vector of Q, with its sign */
    double *Q;            /* [most + 1 x n] orthonormal vectors, the next one included */
    double *alpha, *beta; /* [most] the tridiagonal matrix; beta[k] couples k and k + 1 */
    double *v;            /* [n] D^-1/2 u */
    int8_t *y;            /* [n] */
    /* ---- workspace ---- */
    double *out, *at, *old; /* [n] */
    double *cut;            /* [n] D^-1 W v: what is cut */
    double *T, *off;        /* [most] */
    double *Z;              /* [most x most] */
    int32_t *order;         /* [n] */
    int8_t *before;         /* [n] */
} ncut;

static void destroy(void *state)
{
    ncut *s = state;
    if (!s)
        return;
    wlab_problem_unref(s->p);
    wlab_free(s->W);
    wlab_free(s->degree);
    wlab_free(s->first);
    wlab_free(s->Q);
    wlab_free(s->alpha);
    wlab_free(s->beta);
    wlab_free(s->v);
    wlab_free(s->y);
    wlab_free(s->out);
    wlab_free(s->at);
    wlab_free(s->old);
    wlab_free(s->cut);
    wlab_free(s->T);
    wlab_free(s->off);
    wlab_free(s->Z);
    wlab_free(s->order);
    wlab_free(s->before);
    wlab_free(s);
}

/* ---- vectors ---- */

/* Makes q orthogonal to the first eigenvector and to Q's first k rows; twice, because once leaves rounding errors. */
static void orthogonalise(const ncut *s, double *q, int64_t k)
{
    const int n = (int)s->n;
    for (int twice = 0; twice < 2; twice++) {
        cblas_daxpy(n, -cblas_ddot(n, s->first, 1, q, 1), s->first, 1, q, 1);
        for (int64_t j = 0; j < k; j++)
            cblas_daxpy(n, -cblas_ddot(n, s->Q + j * s->n, 1, q, 1), s->Q + j * s->n, 1, q, 1);
    }
}

/* A random unit vector orthogonal to k rows of Q, as its row k. */
static void draw_vector(ncut *s, int64_t k)
{
    double *q = s->Q + k * s->n, norm = 0;
    while (!(norm > 1e-8)) {
        for (int64_t i = 0; i < s->n; i++)
            q[i] = wlab_rng_normal(&s->rng);
        cblas_dscal((int)s->n, 1 / cblas_dnrm2((int)s->n, q, 1), q, 1);
        orthogonalise(s, q, k);
        norm = cblas_dnrm2((int)s->n, q, 1);
    }
    cblas_dscal((int)s->n, 1 / norm, q, 1);
}

/* out = D^-1/2 W D^-1/2 q. */
static void multiply(ncut *s, const double *q, wlab_pool *pool)
{
    for (int64_t i = 0; i < s->n; i++)
        s->at[i] = q[i] / sqrt(s->degree[i]);
    wlab_symmetric_mul(s->W, s->n, s->at, s->out, NULL, pool);
    for (int64_t i = 0; i < s->n; i++)
        s->out[i] /= sqrt(s->degree[i]);
}

/* ---- creation ---- */

static wlab_code choose_kernel(ncut *s, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    double sigma = wlab_params_real(given, "sigma");
    const int unit = wlab_params_scale(given, "sigma");

    if (unit >= 0) {
        double length = 0;
        wlab_code code = wlab_width(&length, (wlab_width_unit)unit, s->p->X, ctx, err);
        if (code)
            return code;
        if (!(length > 0))
            return wlab_fail(
                err, WL_ENUMERIC,
                "sigma=%s is relative to the rows' distances, and all rows are equal; give sigma as a number",
                wlab_params_text(given, "sigma"));
        sigma *= length;
    }
    s->kernel = (wlab_kernel){.kind = WL_K_RBF, .gamma = 1 / (2 * sigma * sigma)};
    if (!isfinite(s->kernel.gamma))
        return wlab_fail(err, WL_ENUMERIC, "sigma=%s is too small", wlab_params_text(given, "sigma"));
    return WL_OK;
}

static wlab_code allocate(ncut *s, wlab_err *err)
{
    const size_t n = (size_t)s->n, most = (size_t)s->most;
    s->W = wlab_alloc(n * n, sizeof *s->W);
    s->degree = wlab_calloc(n, sizeof *s->degree);
    s->first = wlab_alloc(n, sizeof *s->first);
    s->Q = wlab_alloc((most + 1) * n, sizeof *s->Q);
    s->alpha = wlab_calloc(most, sizeof *s->alpha);
    s->beta = wlab_calloc(most, sizeof *s->beta);
    s->v = wlab_calloc(n, sizeof *s->v);
    s->y = wlab_calloc(n, 1);
    s->out = wlab_alloc(n, sizeof *s->out);
    s->at = wlab_alloc(n, sizeof *s->at);
    s->old = wlab_alloc(n, sizeof *s->old);
    s->cut = wlab_alloc(n, sizeof *s->cut);
    s->T = wlab_alloc(most, sizeof *s->T);
    s->off = wlab_alloc(most, sizeof *s->off);
    s->Z = wlab_alloc(most * most, sizeof *s->Z);
    s->order = wlab_alloc(n, sizeof *s->order);
    s->before = wlab_alloc(n, 1);
    return s->W && s->degree && s->first && s->Q && s->alpha && s->beta && s->v && s->y && s->out && s->at &&
                   s->old && s->cut && s->T && s->off && s->Z && s->order && s->before
               ? WL_OK
               : wlab_nomem(err);
}

static wlab_code fill(ncut *s, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    const wlab_problem *p = s->p;
    wlab_code code;

    s->n = p->n;
    if (s->n < 3)
        return wlab_fail(err, WL_ESTATE, "%lld rows are too few to be cut: at least 3 are needed",
                         (long long)s->n);
    if (p->labels->groups != 1 || wlab_labelset_size(p->labels, 0) != p->n)
        return wlab_fail(
            err, WL_ESTATE,
            "the label set fixes the labels of some rows, but the cut decides all: use a larger balance=");
    s->lo = p->labels->lo[0] > 0 ? p->labels->lo[0] : 1;
    s->hi = p->labels->hi[0] < s->n ? p->labels->hi[0] : s->n - 1;
    s->rule = (cut_rule)wlab_params_choice(given, "cut");
    s->eps = wlab_params_real(given, "eps");
    s->most = wlab_params_int(given, "iterations");
    if (s->most > s->n - 1)
        s->most = s->n - 1;
    if ((code =
             wlab_kernel_fits(s->n, WL_KERNEL_ROWS, "rows", "use fewer (`split`), or `algo kmeans`", err)) ||
        (code = wlab_blas_init(wlab_pool_threads(ctx ? ctx->pool : NULL), err)) ||
        (code = choose_kernel(s, given, ctx, err)) || (code = allocate(s, err)) ||
        (code = wlab_kernel_matrix_progress(&s->kernel, p->X, p->X, p->row, s->W, ctx, err)))
        return code;
    for (int64_t i = 0; i < s->n; i++) {
        for (int64_t j = 0; j < s->n; j++)
            s->degree[i] += s->W[i * s->n + j];
        s->volume += s->degree[i];
    }
    for (int64_t i = 0; i < s->n; i++)
        s->first[i] = sqrt(s->degree[i] / s->volume);
    wlab_rng_seed(&s->rng, (uint64_t)wlab_params_int(given, "seed"));
    draw_vector(s, 0);
    s->objective = s->upper = s->ritz = s->residual = NAN;
    return WL_OK;
}

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    ncut *s = wlab_calloc(1, sizeof *s);
    *state = NULL;
    if (!s)
        return wlab_nomem(err);
    s->p = wlab_problem_ref(p);
    const wlab_code code = fill(s, given, ctx, err);
    if (code) {
        destroy(s);
        return code;
    }
    *state = s;
    return WL_OK;
}

/* ---- the cut ---- */

typedef struct entry {
    double value;
    int32_t row;
} entry;

static int compare_entries(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->value < y->value || x->value > y->value)
        return x->value > y->value ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* D^-1 W v = D^-1/2 A u, and A u = (1 - ritz) u + residual * the next vector of Q. */
static void average_neighbours(const ncut *s, double *cut)
{
    const double *next = s->Q + s->m * s->n;
    for (int64_t i = 0; i < s->n; i++)
        cut[i] = (1 - s->ritz) * s->v[i] + s->residual * next[i] / sqrt(s->degree[i]);
}

/* order [n]: the rows, largest value first. */
static wlab_code sort_rows(const ncut *s, const double *value, int32_t *order, wlab_err *err)
{
    entry *e = wlab_alloc((size_t)s->n, sizeof *e);
    if (!e)
        return wlab_nomem(err);
    for (int64_t i = 0; i < s->n; i++)
        e[i] = (entry){value[i], (int32_t)i};
    qsort(e, (size_t)s->n, sizeof *e, compare_entries);
    for (int64_t i = 0; i < s->n; i++)
        order[i] = e[i].row;
    wlab_free(e);
    return WL_OK;
}

/* How much the rule dislikes a cut after `count` rows, whose Ncut is `value`. */
static double dislike(const ncut *s, int64_t count, double value)
{
    const double left = s->cut[s->order[count - 1]], right = s->cut[s->order[count]];
    switch (s->rule) {
    case CUT_ZERO:
        return left > 0 && right <= 0 ? 0 : fmin(fabs(left), fabs(right));
    case CUT_MEDIAN:
        return fabs(2 * (double)count - (double)s->n);
    case CUT_NCUT:
        break;
    }
    return value;
}

/* Moves the first `most` rows of order to the positive cluster one by one: value[count - 1] is the Ncut of the first
 * `count` rows.  moved: workspace [n]. */
static void cut_values(const ncut *s, const int32_t *order, int64_t most, int8_t *moved, double *value)
{
    const int64_t n = s->n;
    double cut = 0, volume = 0;

    memset(moved, 0, (size_t)n);
    for (int64_t count = 1; count <= most; count++) {
        const int32_t i = order[count - 1];
        const double *row = s->W + i * n;
        for (int64_t j = 0; j < n; j++)
            cut += j == i ? 0 : moved[j] ? -row[j] : row[j];
        volume += s->degree[i];
        moved[i] = 1;
        if (count >= s->lo)
            cut = fmax(cut, 0);
        value[count - 1] = cut / volume + cut / (s->volume - volume);
    }
}

/* Takes the best cut.  Rows with equal values are not separated unless there is no other cut. */
static void cut_rows(ncut *s)
{
    const int64_t n = s->n;
    double best = HUGE_VAL;
    int64_t at = 0;
    bool apart = false;

    cut_values(s, s->order, s->hi, s->before, s->out);
    for (int64_t count = s->lo; count <= s->hi; count++) {
        const int32_t i = s->order[count - 1];
        const double value = s->out[count - 1], d = dislike(s, count, value);
        const bool distinct = s->cut[i] > s->cut[s->order[count]];
        if (at == 0 || (distinct && !apart) || (distinct == apart && d < best)) {
            best = d;
            at = count;
            apart = distinct;
            s->objective = value;
        }
    }
    s->threshold = 0.5 * (s->cut[s->order[at - 1]] + s->cut[s->order[at]]);
    memcpy(s->before, s->y, (size_t)n);
    for (int64_t k = 0; k < n; k++)
        s->y[s->order[k]] = k < at ? 1 : -1;
    s->flips = 0;
    for (int64_t i = 0; i < n; i++)
        s->flips += s->y[i] != s->before[i];
}

/* An eigenvector has no sign of its own: it gets the one that agrees with the labels before, or with its largest entry. */
static void orient(ncut *s)
{
    int64_t agree = 0;
    double top = 0;
    for (int64_t i = 0; i < s->n; i++) {
        agree += (s->v[i] > 0 ? 1 : -1) * s->y[i];
        if (fabs(s->v[i]) > fabs(top))
            top = s->v[i];
    }
    if (agree < 0 || (agree == 0 && top < 0)) {
        cblas_dscal((int)s->n, -1, s->v, 1);
        s->residual = -s->residual;
    }
}

/* ---- Lanczos ---- */

/* The largest eigenvalue of the tridiagonal matrix of the first m iterations, and v. */
static wlab_code ritz_vector(ncut *s, wlab_err *err)
{
    const int64_t m = s->m;
    memcpy(s->T, s->alpha, (size_t)m * sizeof *s->T);
    memcpy(s->off, s->beta, (size_t)m * sizeof *s->off);
    if (LAPACKE_dstev(LAPACK_COL_MAJOR, 'V', (lapack_int)m, s->T, s->off, s->Z, (lapack_int)m))
        return wlab_fail(err, WL_ENUMERIC, "the eigenvalues of the tridiagonal matrix were not found");
    const double *z = s->Z + (m - 1) * m;
    s->ritz = 1 - s->T[m - 1];
    s->residual = s->beta[m - 1] * z[m - 1];
    memset(s->v, 0, (size_t)s->n * sizeof *s->v);
    for (int64_t k = 0; k < m; k++)
        cblas_daxpy((int)s->n, z[k], s->Q + k * s->n, 1, s->v, 1);
    for (int64_t i = 0; i < s->n; i++)
        s->v[i] /= sqrt(s->degree[i]);
    return WL_OK;
}

/* Whether t I - (A - q q') is psd for t = 1 - ritz + margin: then every Ncut is at least 1 - t. */
static wlab_code certify(ncut *s, bool *proven, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t n = s->n;
    const double t = 1 - s->ritz + 2 * fabs(s->residual) + 1e-12 * (double)n;
    double *B = wlab_alloc((size_t)(n * n), sizeof *B);
    if (!B)
        return wlab_nomem(err);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++)
            B[i * n + j] = (i == j ? t : 0) - s->W[i * n + j] / sqrt(s->degree[i] * s->degree[j]) +
                           s->first[i] * s->first[j];
    const wlab_code code = wlab_cholesky(B, n, proven, ctx, err);
    wlab_free(B);
    if (!code && *proven)
        s->lower = fmax(1 - t, 0);
    return code;
}

/* Iteration number m + 1. */
static wlab_code iterate(ncut *s, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t n = s->n, m = s->m;
    double *q = s->Q + m * n, *next = q + n;

    multiply(s, q, ctx ? ctx->pool : NULL);
    s->alpha[m] = cblas_ddot((int)n, q, 1, s->out, 1);
    memcpy(next, s->out, (size_t)n * sizeof *next);
    orthogonalise(s, next, m + 1);
    const double norm = cblas_dnrm2((int)n, next, 1);
    s->beta[m] = norm > 1e-13 ? norm : 0;
    if (s->beta[m] > 0)
        cblas_dscal((int)n, 1 / norm, next, 1);
    else if (m + 1 < s->n - 1)
        draw_vector(s, m + 1); /* the space is invariant: go on outside it */
    s->m = m + 1;
    wlab_code code = ritz_vector(s, err);
    if (code)
        return code;
    orient(s);
    average_neighbours(s, s->cut);
    return sort_rows(s, s->cut, s->order, err);
}

/* A step, all or nothing. */
static wlab_code step_once(ncut *s, wlab_ctx *ctx, wlab_err *err)
{
    const wlab_rng rng = s->rng;
    const double ritz = s->ritz, residual = s->residual;
    const int64_t m = s->m;
    bool proven = false;

    memcpy(s->old, s->v, (size_t)s->n * sizeof *s->old);
    wlab_code code = iterate(s, ctx, err);
    const bool still = !code && fabs(s->residual) <= s->eps;
    if (!code && still && s->n <= CERTIFIED_ROWS)
        code = certify(s, &proven, ctx, err);
    if (code) {
        s->rng = rng;
        s->m = m;
        s->ritz = ritz;
        s->residual = residual;
        memcpy(s->v, s->old, (size_t)s->n * sizeof *s->v);
        return code;
    }
    cut_rows(s);
    s->upper = s->m == 1 ? s->objective : fmin(s->upper, s->objective);
    s->certified = proven;
    /* without a proof there may be a smaller eigenvalue, whose vector the iterations have hardly met yet */
    s->verdict = still && (proven || s->n > CERTIFIED_ROWS) ? WL_CONVERGED
                 : s->m >= s->most                          ? WL_LIMIT
                                                            : WL_MORE;
    s->finished = s->verdict != WL_MORE;
    if (s->verdict == WL_LIMIT)
        wlab_emit_note(ctx,
                       "limit iterations=%lld reached with a residual of %.2g: a larger one needs a new run",
                       (long long)s->most, fabs(s->residual));
    return WL_OK;
}

static wlab_step report(const ncut *s)
{
    return (wlab_step){.complete = true, .verdict = s->verdict};
}

static wlab_code advance(void *state, wlab_ctx *ctx, wlab_step *step, wlab_err *err)
{
    ncut *s = state;
    const double from = wlab_seconds_now();

    *step = s->finished ? report(s) : (wlab_step){0};
    if (s->finished)
        return WL_OK;
    if (wlab_interrupted(ctx))
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    const wlab_code code = step_once(s, ctx, err);
    if (code)
        return code;
    *step = report(s);
    s->seconds += wlab_seconds_now() - from;
    return WL_OK;
}

/* ---- what is shown ---- */

static int64_t smaller(const ncut *s)
{
    int64_t positive = 0;
    for (int64_t i = 0; i < s->n; i++)
        positive += s->y[i] > 0;
    return positive < s->n - positive ? positive : s->n - positive;
}

static void observe(const void *state, double *metric, int8_t *labels)
{
    const ncut *s = state;
    if (labels)
        memcpy(labels, s->y, (size_t)s->n);
    if (!metric)
        return;
    metric[M_OBJECTIVE] = s->objective;
    metric[M_UPPER] = s->upper;
    metric[M_LOWER] = s->m ? wlab_lower_beside(s->lower, s->upper, s->upper) : NAN;
    wlab_put_gap(&metric[M_GAP], metric[M_UPPER] - metric[M_LOWER], metric[M_UPPER]);
    metric[M_FLIPS] = s->m > 1 ? (double)s->flips : NAN; /* a first label does not count */
    metric[M_RITZ] = s->ritz;
    metric[M_RESIDUAL] = fabs(s->residual);
    metric[M_SMALLER] = s->m ? (double)smaller(s) : NAN;
    metric[M_SECONDS] = s->seconds;
}

static wlab_code ritz_values(const void *state, const wlab_probe_ask *ask, wlab_probed *out, wlab_ctx *ctx,
                             wlab_err *err)
{
    const ncut *s = state;
    (void)ask;
    (void)ctx;
    if (s->m == 0)
        return wlab_probed_make(out, 0, 1, err);
    double *T = wlab_alloc((size_t)s->m, sizeof *T), *off = wlab_alloc((size_t)s->m, sizeof *off);
    const int64_t rows = s->m < WL_EIGENVALUES_MOST ? s->m : (int64_t)WL_EIGENVALUES_MOST;
    wlab_code code = T && off ? wlab_probed_make(out, rows, 1, err) : wlab_nomem(err);
    if (!code) {
        memcpy(T, s->alpha, (size_t)s->m * sizeof *T);
        memcpy(off, s->beta, (size_t)s->m * sizeof *off);
        if (LAPACKE_dsterf((lapack_int)s->m, T, off))
            code = wlab_fail(err, WL_ENUMERIC, "the eigenvalues of the tridiagonal matrix were not found");
    }
    for (int64_t k = 0; !code && k < rows; k++)
        out->value[k] = T[s->m - 1 - k];
    if (code)
        wlab_probed_clear(out);
    wlab_free(T);
    wlab_free(off);
    return code;
}

static wlab_code cuts(const void *state, const wlab_probe_ask *ask, wlab_probed *out, wlab_ctx *ctx,
                      wlab_err *err)
{
    const ncut *s = state;
    const int64_t n = s->n;
    (void)ask;
    (void)ctx;
    if (s->m == 0)
        return wlab_fail(err, WL_ESTATE, "nothing has been cut yet: `step` first");
    if (wlab_probed_make(out, n, WL_CUT_COLUMNS, err))
        return WL_ENOMEM;
    /* those of the state are workspace: a run that went back has others */
    int32_t *order = wlab_alloc((size_t)n, sizeof *order);
    double *cut = wlab_alloc((size_t)n, sizeof *cut);
    int8_t *moved = wlab_alloc((size_t)n, 1);
    double *value = wlab_alloc((size_t)n, sizeof *value);
    wlab_code code = order && cut && moved && value ? WL_OK : wlab_nomem(err);
    if (!code)
        average_neighbours(s, cut);
    if (!code && !(code = sort_rows(s, cut, order, err)))
        cut_values(s, order, n - 1, moved, value);
    for (int64_t count = 1; count < n && !code; count++) {
        double *row = out->value + (n - 1 - count) * WL_CUT_COLUMNS;
        row[WL_CUT_AT] = 0.5 * (cut[order[count - 1]] + cut[order[count]]);
        row[WL_CUT_VALUE] = value[count - 1];
        row[WL_CUT_ALLOWED] = count >= s->lo && count <= s->hi;
        row[WL_CUT_BOUND] = s->certified ? s->lower : NAN;
    }
    double *chosen = out->value + (n - 1) * WL_CUT_COLUMNS;
    chosen[WL_CUT_AT] = s->threshold;
    chosen[WL_CUT_VALUE] = s->objective;
    chosen[WL_CUT_ALLOWED] = 1;
    chosen[WL_CUT_BOUND] = s->certified ? s->lower : NAN;
    if (code)
        wlab_probed_clear(out);
    wlab_free(order);
    wlab_free(cut);
    wlab_free(moved);
    wlab_free(value);
    return code;
}

static const wlab_probe probes[] = {
    {.name = "Ncut",
     .kind = WL_PROBE_CUTS,
     .when = WL_PROBE_QUICK,
     .meaning = "Ncut of every threshold of D^-1 W v, which is (1 - lambda) v",
     .get = cuts},
    {.name = "eigenvalue",
     .kind = WL_PROBE_EIGENVALUES,
     .when = WL_PROBE_RECORDED,
     .meaning = "Ritz values of D^-1/2 W D^-1/2 without its first eigenvalue, 1",
     .get = ritz_values},
    {.name = NULL}};

/* (D^-1 W v)_i > t where sum_j W_ij (v_j - t) > 0: that is a function of the kernel W, which new rows have, too. */
static wlab_code model(const void *state, wlab_model **out, wlab_ctx *ctx, wlab_err *err)
{
    const ncut *s = state;
    *out = NULL;
    if (s->m == 0)
        return wlab_no_model(err);
    double *c = wlab_alloc((size_t)s->n, sizeof *c);
    if (!c)
        return wlab_nomem(err);
    for (int64_t i = 0; i < s->n; i++)
        c[i] = s->v[i] - s->threshold;
    const wlab_code code =
        wlab_model_from_coefficients(out, s->p, &s->kernel, c, ctx ? ctx->pool : NULL, err);
    wlab_free(c);
    return code;
}

WLAB_KERNEL_HOOK(ncut, kernel)

/* The bounds enclose the smallest Ncut; the clusters are those of the last vector, which need not have it. */
static const char *certified(const wlab_params *given, const double *metric, double *value)
{
    (void)given;
    *value = metric[M_OBJECTIVE];
    return *value > metric[M_UPPER] ? "best cut" : NULL;
}

static void explain(const void *state, char *buf, size_t size)
{
    const ncut *s = state;
    if (s->m == 0) {
        snprintf(buf, size,
                 "No step has been made yet: the similarities of %lld rows and their degrees are computed, "
                 "and a random "
                 "vector is drawn.",
                 (long long)s->n);
        return;
    }
    snprintf(buf, size,
             "Iteration %lld of Lanczos' method: the Ritz value for lambda_2 is %.10g, with a residual of "
             "%.3g.  Its vector "
             "was cut at %.4g, the %s, into clusters of %lld and %lld rows with Ncut = %.10g; %lld rows "
             "changed their "
             "cluster.  The smallest Ncut so far is %.10g.",
             (long long)s->m, s->ritz, fabs(s->residual), s->threshold,
             s->rule == CUT_NCUT   ? "threshold with the smallest Ncut that the balance allows"
             : s->rule == CUT_ZERO ? "threshold nearest to 0 that the balance allows"
                                   : "threshold nearest to equal sizes",
             (long long)smaller(s), (long long)(s->n - smaller(s)), s->objective, (long long)s->flips,
             s->upper);
    if (s->certified)
        wlab_text_append(
            buf, size,
            "  A Cholesky factor proves that no other eigenvalue is nearer to 0, so that no cut has an Ncut "
            "below %.10g.",
            s->lower);
    else if (s->verdict == WL_CONVERGED)
        wlab_text_append(buf, size, "  With more than %d rows the bound is not proven.", CERTIFIED_ROWS);
    else if (s->verdict == WL_LIMIT)
        wlab_text_append(buf, size, "  The limit iterations= stopped the run.");
}

static void next(const void *state, char *buf, size_t size)
{
    const ncut *s = state;
    if (s->finished)
        snprintf(buf, size, "nothing: %s",
                 s->verdict == WL_LIMIT ? "the limit iterations= was reached" : "the eigenvector was found");
    else
        snprintf(buf, size, "iteration %lld of Lanczos' method, then a cut of its vector",
                 (long long)s->m + 1);
}

static void walk(void *state, wlab_walk *w)
{
    ncut *s = state;
    int64_t m = s->m;
    wlab_verdict verdict = s->verdict;

    WL_WALK(w, m);
    WL_WALK(w, verdict);
    if (wlab_walk_has_read(w) && (m < 0 || m > s->most || (unsigned)verdict > WL_LIMIT))
        wlab_walk_damaged(w);
    if (w->code)
        return;
    s->m = m;
    s->verdict = verdict;
    WL_WALK(w, s->rng);
    WL_WALK(w, s->finished);
    WL_WALK(w, s->certified);
    WL_WALK(w, s->flips);
    WL_WALK(w, s->objective);
    WL_WALK(w, s->upper);
    WL_WALK(w, s->lower);
    WL_WALK(w, s->ritz);
    WL_WALK(w, s->residual);
    WL_WALK(w, s->threshold);
    WL_WALK(w, s->seconds);
    WL_WALK_ARRAY(w, s->Q, (m + 1) * s->n);
    WL_WALK_ARRAY(w, s->alpha, m);
    WL_WALK_ARRAY(w, s->beta, m);
    WL_WALK_ARRAY(w, s->v, s->n);
    WL_WALK_ARRAY(w, s->y, s->n);
}

const wlab_algo wlab_algo_ncut = {
    .name = "ncut",
    .summary = "normalised cut: two clusters with few similarities between them, by an eigenvector",
    .idea = WL_IDEA_GRAPH,
    .problem = "min over A, B of cut(A, B) / vol(A) + cut(A, B) / vol(B)",
    .symbols =
        "A, B: the two clusters, whose sizes the balance allows\n"
        "cut(A, B): the sum of W_ij over i in A and j in B, W_ij = exp(-||x_i - x_j||^2 / (2 sigma^2))\n"
        "vol(A): the sum of the degrees D_ii = sum_j W_ij over i in A\n"
        "lambda_2: the second smallest eigenvalue of (D - W) v = lambda D v, v its vector",
    .when = "clusters of any shape whose rows lie close together, such as two moons",
    .cost = "n^2 per iteration, and n^3 / 3 once for the proof, on a matrix of similarities of all rows",
    .proves = "that no cut has an Ncut below lambda_2 (up to 4000 rows)",
    .work = "4e-9 * n^2",
    .work_once = "1.5e-8 * n^2",
    .memory = "9 * n^2",
    .rows_most = WL_KERNEL_ROWS,
    .source = "Shi and Malik, Normalized cuts and image segmentation, IEEE PAMI 22 (2000)",
    .learns_from = WL_SEES_NO_LABELS,
    .made_for = WL_SEES_NO_LABELS,
    .step_unit = "an iteration of Lanczos' method, then the cut of its vector; after the last one the proof",
    .inner_unit = "the same",
    .converged = "residual <= eps",
    .params = params,
    .metrics = metrics,
    .probes = probes,
    .create = create,
    .advance = advance,
    .observe = observe,
    .model = model,
    .kernel = kernel,
    .certified = certified,
    .loss = WL_LOSS_DISTANCE,
    .explain = explain,
    .next = next,
    .walk = walk,
    .destroy = destroy,
};

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The SVM dual without offset as a box QP.  Greedy coordinate ascent finds the active set; projected Newton steps on
 * the free coordinates make the solution exact.  If these get stuck (ill-conditioned kernels, large C), the solver
 * first maximises over the face of the free coordinates, and only then lets other coordinates leave their bounds.
 * The dual value rises from face to face, so this terminates.
 */
#include "solve/svm/boxqp.h"
#include "linalg/cholesky.h"
#include "linalg/transpose.h"
#include "solve/svm/boxqp_thin.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

typedef struct boxqp {
    const double *Q, *delta, *upper;
    const double *F; /* [n x r] if Q = F F' is given by F, else NULL */
    int64_t n, r;
    double *alpha, *g;
    /* workspace */
    double *A; /* [capacity], holds [free x free] */
    int64_t capacity;
    int64_t factored, ld; /* A is the factor at free[0 .. factored-1], columns ld apart; 0: there is none */
    double *rows;         /* thin: [free x r] */
    double *small;        /* thin: [r] */
    double *d;            /* [2n] */
    double *h;            /* [n] Q_ii + delta_i */
    double *step;         /* [n] change of alpha */
    int32_t *free;        /* [n] */
    wlab_progress *progress;
} boxqp;

enum {
    THIN_MORE = 200 /* thin: at most 2 r + this many free coordinates are factored */
};

const char wlab_svm_not_finite[] = "the SVM solver met a number that is not finite; scale the data, or "
                                   "choose costs (C1, C2, lambda, lambda_u) that are less extreme";
const char wlab_svm_not_psd[] =
    "the kernel matrix is not positive semidefinite: check kernel=precomputed values or coef0";

/* Whether an interrupt came, asked inside a long pass; reports the iterations so far. */
static bool stopped(const boxqp *q, const wlab_ctx *ctx)
{
    wlab_progress_add(q->progress, 0);
    return wlab_interrupted(ctx);
}

static double delta_at(const double *delta, int64_t i)
{
    return delta ? delta[i] : 0;
}

double wlab_boxqp_dual(int64_t n, const double *alpha, const double *g)
{
    /* 1'a - 1/2 a'(1 - g) */
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += alpha[i] * (1 + g[i]);
    return sum / 2;
}

double wlab_boxqp_gap(int64_t n, const double *delta, const double *upper, const double *alpha,
                      const double *g)
{
    double gap = 0;
    for (int64_t i = 0; i < n; i++) {
        double de = delta_at(delta, i), s = g[i] + de * alpha[i], loss = s > 0 ? s : 0;
        if (upper[i] == 0)
            continue;
        if (de > 0) {
            double r = loss / sqrt(de) - sqrt(de) * alpha[i];
            gap += 0.5 * r * r + alpha[i] * (loss - s);
        } else {
            gap += s > 0 ? (upper[i] - alpha[i]) * s : -alpha[i] * s;
        }
    }
    return gap;
}

/* y += c Q x. */
static void thin_product(const boxqp *q, double c, const double *x, double *y)
{
    const int n = (int)q->n, r = (int)q->r;
    cblas_dgemv(CblasRowMajor, CblasTrans, n, r, c, q->F, r, x, 1, 0, q->small, 1);
    cblas_dgemv(CblasRowMajor, CblasNoTrans, n, r, 1, q->F, r, q->small, 1, 1, y, 1);
}

/* g = 1 - (Q + Diag(delta)) alpha, from the nonzero alpha only. */
static wlab_code recompute(boxqp *q, const wlab_ctx *ctx, wlab_err *err)
{
    const int64_t each = wlab_look_every(q->n);
    for (int64_t i = 0; i < q->n; i++)
        q->g[i] = 1 - delta_at(q->delta, i) * q->alpha[i];
    if (q->F) {
        thin_product(q, -1, q->alpha, q->g);
        return WL_OK;
    }
    for (int64_t i = 0; i < q->n; i++) {
        if (i % each == each - 1 && stopped(q, ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        if (q->alpha[i] != 0)
            cblas_daxpy((int)q->n, -q->alpha[i], q->Q + i * q->n, 1, q->g, 1);
    }
    return WL_OK;
}

/* The coordinate step, clipped to the box, and the increase of the dual in *gain. */
static double coordinate_step(const boxqp *q, int64_t i, double *gain)
{
    double h = q->h[i], a = q->alpha[i], to;
    if (h > 0)
        to = a + q->g[i] / h;
    else
        to = q->g[i] > 0 ? q->upper[i] : a;
    to = to < 0 ? 0 : to > q->upper[i] ? q->upper[i] : to;
    double step = to - a;
    *gain = isfinite(step) ? step * (q->g[i] - 0.5 * h * step) : 0;
    return *gain > 0 ? step : 0;
}

/* Up to `updates` greedy updates; each moves the coordinate with the largest gain.  Ties: the lowest row.  false: interrupted. */
static bool ascend(boxqp *q, int64_t updates, const wlab_ctx *ctx)
{
    const int64_t each = wlab_look_every(q->n);
    for (int64_t u = 0; u < updates; u++) {
        int64_t best = -1;
        if (u % each == each - 1 && stopped(q, ctx))
            return false;
        double most = 0, step = 0;
        for (int64_t i = 0; i < q->n; i++) {
            /* the gain without bounds, g^2 / (2h), is an upper bound that rules out most coordinates */
            if (q->g[i] * q->g[i] < 2 * most * q->h[i] || (q->alpha[i] == 0 && q->g[i] <= 0))
                continue;
            double gain, s = coordinate_step(q, i, &gain);
            if (gain > most)
                most = gain, best = i, step = s;
        }
        if (best < 0)
            return true;
        double to = q->alpha[best] + step, top = q->upper[best];
        /* exactly on the bound: rounding must not leave a small remainder */
        if (isfinite(top) && to < 1e-15 * top)
            to = 0;
        if (isfinite(top) && to > top * (1 - 1e-15))
            to = top;
        step = to - q->alpha[best];
        q->alpha[best] = to;
        cblas_daxpy((int)q->n, -step, q->Q + best * q->n, 1, q->g, 1);
        q->g[best] -= delta_at(q->delta, best) * step;
    }
    return true;
}

static bool inside(const double *upper, const double *alpha, int64_t i)
{
    return alpha[i] > 0 && alpha[i] < upper[i];
}

bool wlab_boxqp_gather(const double *Q, int64_t n, const double *delta, const int32_t *pick, int64_t m,
                       double *A, wlab_ctx *ctx)
{
    wlab_progress rows;
    wlab_progress_begin(&rows, ctx, "rows of a factor", m);
    for (int64_t a = 0; a < m; a++) {
        const double *row = Q + (int64_t)pick[a] * n;
        if (!wlab_look_at(a, 8 * m, &rows, ctx))
            return false;
        for (int64_t b = 0; b <= a; b++)
            A[a * m + b] = row[pick[b]];
        A[a * m + a] += delta_at(delta, pick[a]);
    }
    return wlab_mirror_lower(A, m, ctx);
}

/* wlab_boxqp_gather for Q = F F'. */
static void gather_thin(const boxqp *q, const int32_t *pick, int64_t m, double *A)
{
    for (int64_t a = 0; a < m; a++)
        memcpy(q->rows + a * q->r, q->F + pick[a] * q->r, (size_t)q->r * sizeof *q->rows);
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, (int)m, (int)q->r, 1, q->rows, (int)q->r, 0, A,
                (int)m);
    (void)wlab_mirror_lower(A, m, NULL);
    for (int64_t a = 0; a < m; a++)
        A[a * m + a] += delta_at(q->delta, pick[a]);
}

/* L into the lower triangle by rows, and L' into the upper one, which is what the code below uses. */
static wlab_code factor(const boxqp *q, const int32_t *pick, int64_t m, double *A, wlab_ctx *ctx,
                        wlab_err *err)
{
    enum {
        SMALL = 512 /* of which LAPACK alone makes the factor in some milliseconds */
    };
    double ridge = 0;
    for (int tries = 0; tries < 8; tries++) {
        bool definite = false;
        if (q->F)
            gather_thin(q, pick, m, A);
        else if (!wlab_boxqp_gather(q->Q, q->n, q->delta, pick, m, A, ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        double mean = 0;
        for (int64_t a = 0; a < m; a++)
            mean += A[a * m + a] / (double)m;
        /* a block that is singular in exact arithmetic can pass with pivots of the size of rounding errors: so there is
         * always a small ridge */
        double add = (ridge > 0 ? ridge : 1e-13) * (mean > 0 ? mean : 1);
        for (int64_t a = 0; a < m; a++)
            A[a * m + a] += add;
        if (m <= SMALL) {
            definite = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)m, A, (lapack_int)m) == 0;
        } else {
            const wlab_code code = wlab_cholesky(A, m, &definite, ctx, err);
            if (code)
                return code;
            if (definite && !wlab_mirror_lower(A, m, ctx))
                return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        }
        if (definite)
            return WL_OK;
        if (!isfinite(mean))
            return wlab_fail(err, WL_ENUMERIC, "%s", wlab_svm_not_finite);
        ridge = ridge > 0 ? ridge * 30 : 1e-12;
    }
    return wlab_fail(err, WL_ENUMERIC, "%s", wlab_svm_not_psd);
}

wlab_code wlab_boxqp_factor(const double *Q, int64_t n, const double *delta, const int32_t *pick, int64_t m,
                            double *A, wlab_ctx *ctx, wlab_err *err)
{
    return factor(&(boxqp){.Q = Q, .delta = delta, .n = n}, pick, m, A, ctx, err);
}

/* Space in A and rows for m coordinates. */
static wlab_code reserve(boxqp *q, int64_t m, wlab_err *err)
{
    if (m * m <= q->capacity)
        return WL_OK;
    const int64_t size = q->F ? m + 64 : q->n;
    q->A = wlab_free(q->A);
    q->rows = wlab_free(q->rows);
    q->capacity = 0;
    q->A = wlab_alloc((size_t)(size * size), sizeof *q->A);
    q->rows = q->F ? wlab_alloc((size_t)(size * q->r), sizeof *q->rows) : NULL;
    if (!q->A || (q->F && !q->rows))
        return wlab_nomem(err);
    q->capacity = size * size;
    return WL_OK;
}

/* Removes the a-th of m coordinates from the Cholesky factor A: one rotation for each later column absorbs the removed
 * column.  v [m - a - 1] is workspace. */
static void remove_from_factor(double *A, int64_t ld, int64_t m, int64_t a, double *v)
{
    memcpy(v, A + a * ld + a + 1, (size_t)(m - a - 1) * sizeof *v);
    for (int64_t k = 0; k < a; k++)
        memmove(A + k * ld + a, A + k * ld + a + 1, (size_t)(m - a - 1) * sizeof *A);
    for (int64_t k = a + 1; k < m; k++) {
        const double *from = A + k * ld + k;
        double *x = v + k - a - 1, *to = A + (k - 1) * ld + k - 1;
        const double r = sqrt(from[0] * from[0] + x[0] * x[0]), c = r / from[0], s = x[0] / from[0];
        to[0] = r;
        for (int64_t i = 1; i < m - k; i++) {
            to[i] = (from[i] + s * x[i]) / c;
            x[i] = c * x[i] - s * to[i];
        }
    }
}

/* Reduces the present factor to the m coordinates inside their bounds.  false: not all of them are in the factor, or
 * so many leave it that a new factorisation is as cheap. */
static bool shrink_factor(boxqp *q, int64_t m)
{
    enum {
        REMOVED_PART = 8 /* if more than 1/8 of the coordinates leave, a new factorisation costs no more */
    };
    int64_t keep = 0;
    for (int64_t a = 0; a < q->factored; a++)
        keep += inside(q->upper, q->alpha, q->free[a]);
    if (keep != m || q->factored - keep > q->factored / REMOVED_PART)
        return false;
    for (int64_t a = q->factored - 1; a >= 0; a--) {
        if (inside(q->upper, q->alpha, q->free[a]))
            continue;
        remove_from_factor(q->A, q->ld, q->factored, a, q->d);
        memmove(q->free + a, q->free + a + 1, (size_t)(q->factored - a - 1) * sizeof *q->free);
        q->factored--;
    }
    return true;
}

/* Selects the free coordinates (`face`: see newton_step) and factors their block into A.  *m = 0: there are none, or
 * Q = F F' and there are more than 2 r + THIN_MORE of them, far more than a solution has. */
static wlab_code factor_free(boxqp *q, bool face, int64_t *m, wlab_ctx *ctx, wlab_err *err)
{
    *m = 0;
    for (int64_t i = 0; i < q->n && face; i++)
        *m += inside(q->upper, q->alpha, i);
    if (face && *m > 0 && shrink_factor(q, *m))
        return WL_OK;
    *m = q->factored = 0;
    for (int64_t i = 0; i < q->n; i++) {
        const double a = q->alpha[i];
        if (inside(q->upper, q->alpha, i) || (!face && ((a == 0 && q->g[i] > 0 && q->upper[i] > 0) ||
                                                        (a > 0 && a == q->upper[i] && q->g[i] < 0))))
            q->free[(*m)++] = (int32_t)i;
    }
    if (q->F && *m > 2 * q->r + THIN_MORE)
        *m = 0;
    if (*m == 0)
        return WL_OK;
    wlab_code code = reserve(q, *m, err);
    if (!code)
        code = factor(q, q->free, *m, q->A, ctx, err);
    if (!code)
        q->factored = q->ld = *m;
    return code;
}

/* One projected Newton step on the coordinates inside their bounds (`face`), else also on those whose gradient points
 * off their bound.  *gained = 0: the step did not increase the dual, and alpha is unchanged. */
static wlab_code newton_step(boxqp *q, bool face, double *gained, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t n = q->n, each = wlab_look_every(n);
    int64_t m;
    *gained = 0;
    wlab_code code = factor_free(q, face, &m, ctx, err);
    if (code || m == 0)
        return code;
    for (int64_t a = 0; a < m; a++)
        q->d[a] = q->g[q->free[a]];
    LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', (lapack_int)m, 1, q->A, (lapack_int)q->ld, q->d,
                        (lapack_int)m);

    /* the longest feasible step and its gain */
    double t = 1, slope = 0;
    for (int64_t a = 0; a < m; a++) {
        int64_t i = q->free[a];
        slope += q->d[a] * q->g[i];
        double distance = q->d[a] > 0 ? q->upper[i] - q->alpha[i] : q->alpha[i];
        if (fabs(q->d[a]) * t > distance)
            t = distance / fabs(q->d[a]);
    }
    double feasible = (t - 0.5 * t * t) * slope;
    for (int attempt = t < 1 ? 0 : 1; attempt < 2; attempt++) {
        double scale = attempt == 0 ? 1 : t;
        memset(q->step, 0, (size_t)n * sizeof *q->step);
        for (int64_t a = 0; a < m; a++) {
            int64_t i = q->free[a];
            double to = q->alpha[i] + scale * q->d[a];
            to = to <= 0 ? 0 : to >= q->upper[i] ? q->upper[i] : to;
            q->step[i] = to - q->alpha[i];
        }
        /* gain = g'step - 1/2 step'(Q + Diag(delta))step; the product also updates g */
        double linear = 0, quad = 0;
        double *Qs = q->d + n; /* second half of the workspace */
        memset(Qs, 0, (size_t)n * sizeof *Qs);
        if (q->F)
            thin_product(q, 1, q->step, Qs);
        for (int64_t i = 0; i < n; i++) {
            if (i % each == each - 1 && stopped(q, ctx))
                return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
            if (q->step[i] != 0) {
                if (!q->F)
                    cblas_daxpy((int)n, q->step[i], q->Q + i * n, 1, Qs, 1);
                linear += q->g[i] * q->step[i];
            }
        }
        for (int64_t i = 0; i < n; i++) {
            Qs[i] += delta_at(q->delta, i) * q->step[i];
            quad += Qs[i] * q->step[i];
        }
        double gain = linear - 0.5 * quad;
        if (attempt == 0 && !(gain > feasible))
            continue;
        if (!(gain > 0))
            return WL_OK;
        for (int64_t i = 0; i < n; i++) {
            if (q->step[i] != 0) {
                double to = q->alpha[i] + q->step[i];
                q->alpha[i] = to < 0 ? 0 : to > q->upper[i] ? q->upper[i] : to;
            }
            q->g[i] -= Qs[i];
        }
        if (attempt == 1 && t < 1) /* put the blocking coordinate exactly on its bound */
            for (int64_t a = 0; a < m; a++) {
                int64_t i = q->free[a];
                if (q->d[a] < 0 && q->alpha[i] < 1e-14 * fabs(q->d[a]) * t)
                    q->alpha[i] = 0;
                if (q->d[a] > 0 && q->upper[i] - q->alpha[i] < 1e-14 * q->upper[i])
                    q->alpha[i] = q->upper[i];
            }
        *gained = gain;
        return WL_OK;
    }
    return WL_OK;
}

/* Refuses what no psd matrix has: a number that is not finite, Q_ii < 0, Q_ij^2 > Q_ii Q_jj. */
static wlab_code check_psd(boxqp *q, double *root, const wlab_ctx *ctx, wlab_err *err)
{
    const int64_t each = wlab_look_every(q->n);
    for (int64_t i = 0; i < q->n; i++) {
        double h = q->h[i] = q->Q[i * q->n + i] + delta_at(q->delta, i);
        if (!isfinite(h))
            return wlab_fail(err, WL_ENUMERIC, "%s", wlab_svm_not_finite);
        if (h < 0)
            return wlab_fail(err, WL_ENUMERIC, "%s", wlab_svm_not_psd);
        root[i] = sqrt(h);
    }
    for (int64_t i = 0; i < q->n; i++) {
        const double *row = q->Q + i * q->n, most = (1 + 1e-6) * root[i];
        int64_t fine = 0;
        if (i % each == each - 1 && stopped(q, ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        for (int64_t j = 0; j < i; j++) /* branch-free, as this runs before each solve */
            fine += (fabs(row[j]) <= most * root[j]) | (fabs(row[j]) < 1e-300);
        if (fine == i)
            continue;
        bool finite = true;
        for (int64_t j = 0; j < i; j++)
            finite = finite && isfinite(row[j]);
        return wlab_fail(err, WL_ENUMERIC, "%s", finite ? wlab_svm_not_psd : wlab_svm_not_finite);
    }
    return WL_OK;
}

/* Newton steps until the gap is within `tol` or a step no longer increases the dual; at most `most`. */
static wlab_code newton_steps(boxqp *q, bool face, double tol, int64_t most, wlab_boxqp_result *result,
                              wlab_ctx *ctx, wlab_err *err)
{
    for (int64_t k = 0; k < most; k++) {
        if (k > 0 && wlab_interrupted(ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        double gap = wlab_boxqp_gap(q->n, q->delta, q->upper, q->alpha, q->g);
        double dual = wlab_boxqp_dual(q->n, q->alpha, q->g), gain;
        if (gap <= tol * fabs(dual))
            break;
        wlab_code code = newton_step(q, face, &gain, ctx, err);
        if (code)
            return code;
        result->newtons++;
        wlab_progress_add(q->progress, 1);
        if (!(gain > 1e-16 * fabs(dual)))
            break;
    }
    return WL_OK;
}

wlab_code wlab_boxqp_solve(const double *Q, int64_t n, const double *delta, const double *upper, double tol,
                           double *alpha, double *g, wlab_boxqp_result *result, wlab_ctx *ctx, wlab_err *err)
{
    wlab_progress progress;

    wlab_progress_begin(&progress, ctx, "SVM iterations", 0);
    return wlab_boxqp_solve_progress(Q, n, delta, upper, tol, alpha, g, result, &progress, ctx, err);
}

wlab_code wlab_boxqp_solve_progress(const double *Q, int64_t n, const double *delta, const double *upper,
                                    double tol, double *alpha, double *g, wlab_boxqp_result *result,
                                    wlab_progress *progress, wlab_ctx *ctx, wlab_err *err)
{
    enum {
        ROUNDS = 2000,
        IDLE = 8, /* rounds in a row without progress: as exact as doubles allow */
        NEWTONS = 12
    };
    boxqp q = {.Q = Q, .delta = delta, .upper = upper, .n = n, .alpha = alpha, .g = g, .progress = progress};
    wlab_code code = WL_OK;
    memset(result, 0, sizeof *result);
    q.d = wlab_alloc((size_t)(2 * n), sizeof *q.d);
    q.h = wlab_alloc((size_t)n, sizeof *q.h);
    q.step = wlab_alloc((size_t)n, sizeof *q.step);
    q.free = wlab_alloc((size_t)n, sizeof *q.free);
    if (!q.d || !q.h || !q.step || !q.free) {
        code = wlab_nomem(err);
        goto out;
    }
    if ((code = check_psd(&q, q.d, ctx, err)))
        goto out;
    bool cold = true;
    for (int64_t i = 0; i < n; i++) {
        alpha[i] = !(alpha[i] > 0) ? 0 : alpha[i] > upper[i] ? upper[i] : alpha[i];
        cold = cold && alpha[i] == 0;
    }
    if ((code = recompute(&q, ctx, err)))
        goto out;
    double least = HUGE_VAL, highest = -HUGE_VAL;
    int idle = 0;
    for (int round = 0;; round++) {
        if (!ascend(&q, cold && round == 0 ? 3 * n : n / 2 + 10, ctx)) {
            code = wlab_fail(err, WL_EINTERRUPTED, "interrupted");
            goto out;
        }
        result->sweeps++;
        wlab_progress_add(progress, 1);
        if ((code = newton_steps(&q, false, tol, NEWTONS, result, ctx, err)))
            goto out;
        /* the steps above did not suffice: solve one face after the other */
        if (round > 2 && (code = newton_steps(&q, true, tol, n + 10, result, ctx, err)))
            goto out;
        /* updates accumulate rounding errors: certify with a fresh gradient */
        if ((code = recompute(&q, ctx, err)))
            goto out;
        double gap = wlab_boxqp_gap(n, delta, upper, alpha, g), dual = wlab_boxqp_dual(n, alpha, g);
        if (!isfinite(gap) || !isfinite(dual)) {
            code = wlab_fail(err, WL_ENUMERIC, "%s", wlab_svm_not_finite);
            goto out;
        }
        if (gap <= tol * fabs(dual))
            break;
        bool moved = gap < 0.9 * least || dual - highest > 1e-15 * fabs(dual);
        idle = moved ? 0 : idle + 1;
        least = gap < least ? gap : least;
        highest = dual > highest ? dual : highest;
        if (round == ROUNDS || idle > IDLE || (idle > 2 && gap <= 1e-9 * fabs(dual)))
            break; /* the result reports the remaining gap */
        if (wlab_interrupted(ctx) && round > 0) {
            code = wlab_fail(err, WL_EINTERRUPTED, "interrupted");
            break;
        }
    }
    result->dual = wlab_boxqp_dual(n, alpha, g);
    result->primal = result->dual + wlab_boxqp_gap(n, delta, upper, alpha, g);
out:
    wlab_free(q.A);
    wlab_free(q.d);
    wlab_free(q.h);
    wlab_free(q.step);
    wlab_free(q.free);
    return code;
}

static wlab_code hessian(boxqp *q, const double *alpha, const double *B, int64_t t, double *H, wlab_ctx *ctx,
                         wlab_err *err)
{
    wlab_code code = WL_OK;
    int64_t n = q->n, m = 0;
    double *R = NULL;
    int32_t *pick = wlab_alloc((size_t)n, sizeof *pick);
    if (!pick)
        return wlab_nomem(err);
    for (int64_t i = 0; i < n; i++)
        if (inside(q->upper, alpha, i))
            pick[m++] = (int32_t)i;
    memset(H, 0, (size_t)(t * t) * sizeof *H);
    if (m == 0)
        goto out;
    R = wlab_alloc((size_t)(m * t), sizeof *R);
    if (!R) {
        code = wlab_nomem(err);
        goto out;
    }
    if ((code = reserve(q, m, err)) || (code = factor(q, pick, m, q->A, ctx, err)))
        goto out;
    for (int64_t s = 0; s < t; s++)
        for (int64_t a = 0; a < m; a++)
            R[s * m + a] = B[s * n + pick[a]];
    /* L R~ = R, then H = R~'R~ */
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, (int)m, (int)t, 1, q->A,
                (int)m, R, (int)m);
    for (int64_t s = 0; s < t; s++)
        for (int64_t r = 0; r <= s; r++)
            H[s * t + r] = H[r * t + s] = cblas_ddot((int)m, R + s * m, 1, R + r * m, 1);
out:
    wlab_free(q->A);
    wlab_free(q->rows);
    wlab_free(R);
    wlab_free(pick);
    return code;
}

wlab_code wlab_boxqp_hessian(const double *Q, int64_t n, const double *delta, const double *upper,
                             const double *alpha, const double *B, int64_t t, double *H, wlab_ctx *ctx,
                             wlab_err *err)
{
    return hessian(&(boxqp){.Q = Q, .delta = delta, .upper = upper, .n = n}, alpha, B, t, H, ctx, err);
}

wlab_code wlab_boxqp_thin_hessian(const double *F, int64_t n, int64_t r, const double *delta,
                                  const double *upper, const double *alpha, const double *B, int64_t t,
                                  double *H, wlab_err *err)
{
    return hessian(&(boxqp){.F = F, .r = r, .delta = delta, .upper = upper, .n = n}, alpha, B, t, H, NULL,
                   err);
}

wlab_code wlab_boxqp_thin_solve(const double *F, int64_t n, int64_t r, const double *delta,
                                const double *upper, double tol, double *alpha, double *g,
                                wlab_boxqp_result *result, wlab_progress *progress, wlab_ctx *ctx,
                                wlab_err *err)
{
    enum {
        ROUNDS = 20,
        NEWTONS = 12
    };
    boxqp q = {
        .F = F, .r = r, .delta = delta, .upper = upper, .n = n, .alpha = alpha, .g = g, .progress = progress};
    wlab_thin thin = {0};
    wlab_code code = WL_OK;
    bool cold = true, done = false;
    memset(result, 0, sizeof *result);
    q.d = wlab_alloc((size_t)(2 * n), sizeof *q.d);
    q.step = wlab_alloc((size_t)n, sizeof *q.step);
    q.free = wlab_alloc((size_t)n, sizeof *q.free);
    q.small = wlab_alloc((size_t)r, sizeof *q.small);
    if (!q.d || !q.step || !q.free || !q.small) {
        code = wlab_nomem(err);
        goto out;
    }
    for (int64_t i = 0; i < n; i++) {
        alpha[i] = !(alpha[i] > 0) ? 0 : alpha[i] > upper[i] ? upper[i] : alpha[i];
        cold = cold && alpha[i] == 0;
    }
    for (int centred = cold; centred < 2 && !done; centred++) {
        if (centred && ((code = wlab_thin_create(&thin, F, n, r, err)) ||
                        (code = wlab_thin_centre(&thin, delta, upper, alpha, progress, ctx, err))))
            goto out;
        if ((code = recompute(&q, ctx, err)))
            goto out;
        double least = HUGE_VAL;
        for (int round = 0; round < ROUNDS && !done; round++) {
            if ((code = newton_steps(&q, false, tol, NEWTONS, result, ctx, err)) ||
                (code = newton_steps(&q, true, tol, NEWTONS, result, ctx, err)) ||
                (code = recompute(&q, ctx, err)))
                goto out;
            const double gap = wlab_boxqp_gap(n, delta, upper, alpha, g), dual = wlab_boxqp_dual(n, alpha, g);
            if (!isfinite(gap) || !isfinite(dual)) {
                code = wlab_fail(err, WL_ENUMERIC, "%s", wlab_svm_not_finite);
                goto out;
            }
            done = gap <= tol * fabs(dual);
            if (gap > 0.9 * least)
                break; /* the result reports the remaining gap */
            least = gap;
            if (wlab_interrupted(ctx)) {
                code = wlab_fail(err, WL_EINTERRUPTED, "interrupted");
                goto out;
            }
        }
    }
    result->dual = wlab_boxqp_dual(n, alpha, g);
    result->primal = result->dual + wlab_boxqp_gap(n, delta, upper, alpha, g);
out:
    wlab_thin_clear(&thin);
    wlab_free(q.A);
    wlab_free(q.rows);
    wlab_free(q.d);
    wlab_free(q.step);
    wlab_free(q.free);
    wlab_free(q.small);
    return code;
}

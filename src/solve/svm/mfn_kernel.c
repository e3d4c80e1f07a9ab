/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finite Newton for the squared hinge on a kernel matrix (Section 5 of Sindhwani and Keerthi).  With the active rows J
 * (h > 0) the Newton point is alpha_J = (lambda H^-1 + K_JJ)^-1 t, 0 elsewhere.  The solver uses the form
 *
 *     (I + H^1/2 K_JJ H^1/2 / lambda) y = H^1/2 t / lambda,  alpha_J = H^1/2 y,
 *
 * whose eigenvalues are 1 or more whatever the costs and however singular K is.  H changes little from one minimisation to the
 * next (mean field annealing, switching), so on large problems the Cholesky factor is kept, and preconditions conjugate
 * gradients for the system of a later H; it has only the rows whose H is not next to 0.  With a tilt the inactive rows have
 * alpha = -t / lambda in place of 0.
 */
#include "linalg/cholesky.h"
#include "linalg/symmetric.h"
#include "solve/svm/boxqp.h"
#include "solve/svm/mfn.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum {
    REUSE_ROWS = 500, /* with fewer rows a new factor costs little */
    LEAST_CG = 6,     /* CG iterations that cost about as much as a factor: LEAST_CG + n / ROWS_PER_CG */
    ROWS_PER_CG = 256
};
#define CG_GAP  0.01 /* how much of the gap that is allowed the solution of the system may leave */
#define CG_PART 1e-3 /* of the distance at the start */
#define LIGHT   0.03 /* a row is light if it adds at most this part to its diagonal entry of the unit matrix */
#define LIGHTS  3    /* what the light rows together may add to the trace */

/* Computes z, h, g = lambda alpha - z, ||alpha||^2 and f at alpha, in O(n). */
static void compute_losses(wlab_mfn *m)
{
    double loss = 0;
    for (int64_t i = 0; i < m->n; i++) {
        loss += wlab_mfn_row_loss(m, i, m->o[i], &m->z[i], &m->h[i]);
        m->g[i] = m->lambda * m->w[i] - m->z[i];
    }
    const double norm = cblas_ddot((int)m->n, m->w, 1, m->o, 1);
    m->norm = norm < 0 ? 0 : norm; /* negative only by rounding */
    m->f = 0.5 * m->lambda * m->norm + loss;
    m->g_known = false; /* cheap, and recomputed in every iteration: snapshots need not hold it */
}

/* The same, and ||g|| and the gap, in one product with K; Kg [n] is workspace. */
static wlab_code compute_values(wlab_mfn *m, double *Kg, wlab_pool *pool, wlab_err *err)
{
    double trace = 0;
    compute_losses(m);
    for (int64_t i = 0; i < m->n; i++)
        trace += m->K[i * m->n + i];
    /* K times g itself, as near the optimum lambda alpha and z cancel */
    wlab_symmetric_mul(m->K, m->n, m->g, Kg, m->sums, pool);
    double square = cblas_ddot((int)m->n, m->g, 1, Kg, 1);
    m->gradient = square > 0 ? sqrt(square) : 0;
    m->gap = square > 0 ? square / (2 * m->lambda) : 0;
    if (!isfinite(m->f) || !isfinite(square))
        return wlab_fail(err, WL_ENUMERIC, "%s", wlab_svm_not_finite);
    /* tolerate a matrix that a file holds with six digits, as wlab_kernel_matrix does */
    if (square < -2e-6 * trace / sqrt((double)m->n) * cblas_ddot((int)m->n, m->g, 1, m->g, 1))
        return wlab_fail(err, WL_ENUMERIC, "%s", wlab_svm_not_psd);
    return WL_OK;
}

/* ---- the factor, which is kept and used again ---- */

/* Fills the lower triangle of I + H^1/2 K_JJ H^1/2 / lambda, H = diag(m->factored), J its k rows that are not 0, with
 * `ridge` times the largest entry of the diagonal added to that; A or single [k x k]. */
static wlab_code fill(const wlab_mfn *m, int64_t k, double ridge, double *A, float *single, wlab_err *err)
{
    double *root = wlab_alloc((size_t)k, sizeof *root), top = 0;
    int32_t *pick = wlab_alloc((size_t)k, sizeof *pick);
    const wlab_code code = root && pick ? WL_OK : wlab_nomem(err);
    int64_t at = 0;
    for (int64_t i = 0; !code && i < m->n; i++)
        if (m->factored[i] > 0) {
            root[at] = sqrt(m->factored[i]);
            pick[at++] = (int32_t)i;
            top = fmax(top, m->factored[i] * m->K[i * m->n + i] / m->lambda);
        }
    for (int64_t a = 0; !code && a < k; a++) {
        const double *row = m->K + (int64_t)pick[a] * m->n, scale = root[a] / m->lambda;
        for (int64_t b = 0; b <= a; b++) {
            const double value = scale * root[b] * row[pick[b]] + (a == b ? 1 + ridge * top : 0);
            if (single)
                single[a * k + b] = (float)value;
            else
                A[a * k + b] = value;
        }
    }
    wlab_free(root);
    wlab_free(pick);
    return code;
}

static int64_t count_factored(const wlab_mfn *m)
{
    int64_t k = 0;
    for (int64_t i = 0; i < m->n; i++)
        k += m->factored[i] > 0;
    return k;
}

/* Makes its Cholesky factor. */
static wlab_code make_factor(wlab_mfn *m, wlab_ctx *ctx, wlab_err *err)
{
    /* K that is psd only up to rounding (six digits in a file) gets a ridge: the line search corrects the step */
    static const double ridges[] = {0, 1e-8, 1e-6, 1e-4, 1e-2};
    const int64_t k = count_factored(m);
    wlab_code code = WL_OK;
    bool definite = false;
    if (k != m->nfactor) {
        wlab_free(m->factor);
        m->nfactor = 0;
        if (!(m->factor = wlab_alloc((size_t)(k * k), sizeof *m->factor)))
            return wlab_nomem(err);
    }
    for (size_t r = 0; !code && !definite && r < sizeof ridges / sizeof *ridges; r++) {
        code = fill(m, k, ridges[r], m->factor, NULL, err);
        code = code ? code : wlab_cholesky(m->factor, k, &definite, ctx, err);
    }
    m->nfactor = !code && definite ? k : 0;
    return code || definite ? code : wlab_fail(err, WL_ENUMERIC, "%s", wlab_svm_not_psd);
}

static double added(const wlab_mfn *m, int64_t i)
{
    return m->h[i] * m->K[i * m->n + i] / m->lambda;
}

/* What a row must add to its diagonal entry to be in the factor that preconditions.  At low temperatures more than half of
 * all rows add next to nothing. */
static double least_added(const wlab_mfn *m)
{
    for (double least = LIGHT;; least /= 2) {
        double sum = 0;
        for (int64_t i = 0; i < m->n; i++)
            sum += added(m, i) > least ? 0 : added(m, i);
        if (!(sum > LIGHTS))
            return least;
    }
}

/* Chooses the rows for a factor that preconditions the present system, m->factored.  false: they and their h are those that
 * it has. */
static bool choose_rows(wlab_mfn *m)
{
    const double least = least_added(m);
    bool changed = false;
    for (int64_t i = 0; i < m->n; i++) {
        const double h = added(m, i) > least ? m->h[i] : 0;
        changed = changed || m->factored[i] != h;
        m->factored[i] = h;
    }
    if (changed)
        m->nfactor = m->nsingle = 0;
    return changed;
}

/* Makes the factor in single precision, which preconditions; m->nsingle = 0 if there is none. */
static wlab_code make_single(wlab_mfn *m, wlab_ctx *ctx, wlab_err *err)
{
    static const double RIDGE = 1e-7;
    const int64_t k = count_factored(m);
    bool definite = false;
    if (k > m->room) {
        wlab_free(m->single);
        m->room = 0;
        if (!(m->single = wlab_alloc((size_t)(k * k), sizeof *m->single)))
            return wlab_nomem(err);
        m->room = k;
    }
    wlab_code code = fill(m, k, RIDGE, NULL, m->single, err);
    code = code ? code : wlab_cholesky_single(m->single, k, &definite, ctx, err);
    m->nsingle = !code && definite ? k : 0;
    return code;
}

/* Whether there is a preconditioner: a factor, or the unit matrix if all rows are light. */
static bool can_precondition(const wlab_mfn *m)
{
    return m->nsingle > 0 || count_factored(m) == 0;
}

/* out = M^-1 r: the factor's inverse on its rows, the identity on others, restricted to the rows with h > 0; r is 0 on all
 * other rows; work [n]. */
static void precondition(const wlab_mfn *m, const double *r, double *out, float *work)
{
    int64_t k = 0;
    double largest = 0;
    for (int64_t i = 0; i < m->n; i++)
        largest = fmax(largest, fabs(r[i]));
    if (!(largest > 0))
        largest = 1;
    for (int64_t i = 0; i < m->n; i++)
        if (m->factored[i] > 0)
            work[k++] = (float)(r[i] / largest);
    wlab_cholesky_single_solve(m->single, k, work);
    k = 0;
    for (int64_t i = 0; i < m->n; i++) {
        const double of_factor = m->factored[i] > 0 ? largest * (double)work[k++] : r[i];
        out[i] = m->h[i] > 0 ? of_factor : 0;
    }
}

/* ---- the Newton point ---- */

/* The residual of row i in the system, at alpha = bar with outputs `out`. */
static double residual(const wlab_mfn *m, int64_t i, double bar, double out)
{
    const double root = sqrt(m->h[i]);
    /* o + z/h, without cancellation */
    double target = ((m->o[i] < 1 ? m->pos[i] : 0) - (m->o[i] > -1 ? m->neg[i] : 0)) / m->h[i];
    if (m->t)
        target = ((m->o[i] < m->a[i] ? m->pos[i] * m->a[i] : 0) -
                  (m->o[i] > -m->c[i] ? m->neg[i] * m->c[i] : 0) - m->t[i]) /
                 m->h[i];
    return root * (target - out) / m->lambda - bar / root;
}

/* alpha of row i outside the system, or 0 to begin with inside. */
static double outside(const wlab_mfn *m, int64_t i)
{
    return m->t && !(m->h[i] > 0) ? -m->t[i] / m->lambda : 0;
}

/* The Newton point and its outputs, into bar and out [n], if the factor is that of the present h; y [n] is workspace. */
static void solve_directly(const wlab_mfn *m, double *bar, double *out, double *y, wlab_pool *pool)
{
    enum {
        SOLVES = 2 /* the second refines the first: the condition number may be n max(h) max(K) / lambda */
    };
    for (int64_t i = 0; i < m->n; i++)
        bar[i] = outside(m, i);
    wlab_symmetric_mul(m->K, m->n, bar, out, m->sums, pool); /* reads no row if all are 0 */
    for (int s = 0; s < SOLVES && m->nfactor > 0; s++) {
        int64_t k = 0;
        for (int64_t i = 0; i < m->n; i++)
            if (m->h[i] > 0)
                y[k++] = residual(m, i, bar[i], out[i]);
        wlab_cholesky_solve(m->factor, k, y);
        k = 0;
        for (int64_t i = 0; i < m->n; i++)
            if (m->h[i] > 0)
                bar[i] += sqrt(m->h[i]) * y[k++];
        wlab_symmetric_mul(m->K, m->n, bar, out, m->sums, pool);
    }
}

/* The same by conjugate gradients from the present alpha, preconditioned by the factor for an earlier h, until the function of
 * the system is as near to its minimum as the gap asks for, and thirty times nearer than at the start.  false: not within
 * `most` iterations, or *stopped by an interrupt.  Cost of an iteration: a product with K and two solves with a triangle,
 * n^2 each.  work [6 n]. */
static bool solve_by_cg(const wlab_mfn *m, double *bar, double *out, double *work, int most, int *iterations,
                        bool *stopped, wlab_ctx *ctx)
{
    wlab_pool *pool = ctx ? ctx->pool : NULL;
    const int64_t n = m->n;
    double *r = work, *p = work + n, *z = work + 2 * n, *c = work + 3 * n, *Kc = work + 4 * n;
    float *reduced = (float *)(void *)(work + 5 * n);
    double rho, target;

    for (int64_t i = 0; i < n; i++) {
        bar[i] = m->h[i] > 0 ? m->w[i] : outside(m, i);
        c[i] = bar[i] - m->w[i];
    }
    wlab_symmetric_mul(m->K, n, c, Kc, m->sums, pool); /* reads the rows that have become inactive only */
    for (int64_t i = 0; i < n; i++) {
        out[i] = m->o[i] + Kc[i];
        r[i] = m->h[i] > 0 ? residual(m, i, bar[i], out[i]) : 0;
    }
    precondition(m, r, p, reduced);
    rho = cblas_ddot((int)n, r, 1, p, 1);
    target = 2 * CG_GAP * m->eps * wlab_mfn_scale_of(m) / m->lambda;
    if (m->newtons > 0)
        target = fmin(target, CG_PART * rho);
    for (*iterations = 0; rho > target; ++*iterations) {
        double curve = 0;
        if (*iterations == most || (*stopped = wlab_interrupted(ctx)))
            return false;
        for (int64_t i = 0; i < n; i++)
            c[i] = m->h[i] > 0 ? sqrt(m->h[i]) * p[i] : 0;
        wlab_symmetric_mul(m->K, n, c, Kc, m->sums, pool);
        for (int64_t i = 0; i < n; i++)
            curve += p[i] * p[i] + c[i] * Kc[i] / m->lambda;
        if (!(curve > 0) || !isfinite(curve))
            return false;
        const double step = rho / curve;
        for (int64_t i = 0; i < n; i++) {
            bar[i] += step * c[i];
            out[i] += step * Kc[i];
            r[i] = m->h[i] > 0 ? r[i] - step * (p[i] + sqrt(m->h[i]) * Kc[i] / m->lambda) : 0;
        }
        precondition(m, r, z, reduced);
        const double next = cblas_ddot((int)n, r, 1, z, 1);
        for (int64_t i = 0; i < n; i++)
            p[i] = z[i] + next / rho * p[i];
        rho = next;
    }
    return true;
}

/* The Newton point of many rows: conjugate gradients with the factor for an earlier h, or if that takes long, of this one.
 * *found: whether they got there. */
static wlab_code precondition_and_solve(wlab_mfn *m, double *bar, double *out, double *work, bool *found,
                                        wlab_ctx *ctx, wlab_err *err)
{
    const int most = LEAST_CG + (int)(m->n / ROWS_PER_CG);
    int iterations = 0;
    bool stopped = false;
    wlab_code code = WL_OK;
    *found = false;
    if (m->renew || count_factored(m) == 0)
        (void)choose_rows(m);
    if (m->nsingle == 0)
        code = make_single(m, ctx, err);
    for (;;) {
        if (!code && can_precondition(m))
            *found = solve_by_cg(m, bar, out, work, most, &iterations, &stopped, ctx);
        if (stopped)
            code = wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        if (code || *found || !can_precondition(m) || !choose_rows(m))
            break;
        code = make_single(m, ctx, err);
    }
    m->renew = *found && iterations > most / 2;
    return code;
}

/* The Newton point and its outputs, into bar and out [n]. */
static wlab_code newton_point(wlab_mfn *m, double *bar, double *out, wlab_ctx *ctx, wlab_err *err)
{
    const size_t n = (size_t)m->n;
    wlab_code code = WL_OK;
    bool found = false;
    double *work = wlab_alloc(6 * n, sizeof *work);
    if (!work)
        return wlab_nomem(err);
    if (m->n >= REUSE_ROWS)
        code = precondition_and_solve(m, bar, out, work, &found, ctx, err);
    if (!code && !found) {
        if (memcmp(m->factored, m->h, n * sizeof *m->h) != 0) {
            memcpy(m->factored, m->h, n * sizeof *m->h);
            m->nfactor = m->nsingle = 0;
        }
        if (m->nfactor == 0)
            code = make_factor(m, ctx, err);
        if (!code)
            solve_directly(m, bar, out, work, ctx ? ctx->pool : NULL);
    }
    wlab_free(work);
    return code;
}

wlab_code wlab_mfn_kernel_iterate(wlab_mfn *m, wlab_ctx *ctx, wlab_err *err)
{
    enum {
        NEWTONS = 200
    };
    wlab_pool *pool = ctx ? ctx->pool : NULL;
    size_t n = (size_t)m->n;
    wlab_code code = WL_OK;
    const double f0 = m->f, gradient0 = m->gradient, gap0 = m->gap, norm0 = m->norm;
    const int64_t newtons0 = m->newtons;
    double *bar = wlab_alloc(n, sizeof *bar), *work = wlab_alloc(n, sizeof *work);
    if (!bar || !work) {
        code = wlab_nomem(err);
        goto out;
    }
    if (m->newtons > 0 && !isnan(m->f)) /* the gap is that of the last iteration */
        compute_losses(m);
    else if ((code = compute_values(m, work, pool, err)))
        goto out;
    if (m->gap <= m->eps * wlab_mfn_scale_of(m)) {
        m->done = true;
        goto out;
    }
    if ((code = newton_point(m, bar, work, ctx, err)))
        goto out;
    for (size_t i = 0; i < n; i++) {
        m->s[i] = bar[i] - m->w[i];
        m->e[i] = work[i] - m->o[i];
    }
    double slope = m->lambda * cblas_ddot((int)n, m->o, 1, m->s, 1);
    double curve = m->lambda * cblas_ddot((int)n, m->s, 1, m->e, 1), f = m->f, gap = m->gap;
    double delta = wlab_mfn_line_search(m, slope, curve > 0 ? curve : 0, m->e, pool);
    if (!isfinite(delta)) {
        code = wlab_fail(err, WL_ENUMERIC, "%s", wlab_svm_not_finite);
        goto out;
    }
    memcpy(m->r, m->w, n * sizeof *m->r);
    memcpy(m->q, m->o, n * sizeof *m->q);
    for (size_t i = 0; i < n; i++) {
        m->w[i] = delta == 1 ? bar[i] : m->w[i] + delta * m->s[i];
        m->o[i] = work[i];
    }
    if (delta != 1) /* o + delta e would keep rounding errors of cancelled terms */
        wlab_mfn_outputs(m, pool);
    m->newtons++;
    if (!(code = compute_values(m, work, pool, err)) && m->gap <= m->eps * wlab_mfn_scale_of(m)) {
        m->done = true;
    } else if (!code && !(m->f < f) && !(m->f <= f * (1 + 1e-13) && m->gap < 0.5 * gap)) {
        m->stalled = true;
    } else if (!code) {
        m->stalled = m->newtons >= NEWTONS;
    }
    if (code || (m->stalled && m->f > f)) { /* undo the step */
        memcpy(m->w, m->r, n * sizeof *m->w);
        memcpy(m->o, m->q, n * sizeof *m->o);
        code = code ? code : compute_values(m, work, pool, err);
    }
out:
    if (code) {
        m->f = f0;
        m->gradient = gradient0;
        m->gap = gap0;
        m->newtons = newtons0;
        m->norm = norm0;
    }
    wlab_free(bar);
    wlab_free(work);
    return code;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finite Newton for the squared hinge on a kernel matrix (Section 5 of Sindhwani and Keerthi).  With the active rows J
 * (h > 0) the Newton point is alpha_J = (lambda H^-1 + K_JJ)^-1 t, 0 elsewhere.  The solver uses the form
 *
 *     (I + H^1/2 K_JJ H^1/2 / lambda) y = H^1/2 t / lambda,  alpha_J = H^1/2 y,
 *
 * whose eigenvalues are 1 or more whatever the costs and however singular K is.  Many rows: by conjugate gradients, with a
 * preconditioner from the first columns of K's Cholesky factor; few rows, or where these take too long: by Cholesky.  With a
 * tilt the inactive rows have alpha = -t / lambda in place of 0.
 */
#include "base/progress.h"
#include "linalg/cholesky.h"
#include "linalg/symmetric.h"
#include "linalg/woodbury.h"
#include "solve/svm/boxqp.h"
#include "solve/svm/mfn.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum {
    CG_ROWS = 500, /* with fewer rows a factor costs little */
    /* as many iterations as cost about as much as a factor: LEAST_CG + n / ROWS_PER_CG */
    LEAST_CG = 60,
    ROWS_PER_CG = 20,
    ROUNDED = 32 /* blocks of rows that become single precision */
};
#define MOST_PART  0.75 /* of the rows in the products of conjugate gradients; if more are active, all */
#define MOST_DELTA 2    /* longer steps of a line search would multiply the rounding errors */
#define MOST_SLACK 100  /* times the gap of eps */
#define CG_GAP     0.1  /* how much of the gap that is allowed the solution of the system may leave */
#define CG_PART    1e-3 /* of the distance at the start */

static double exact_gap(const wlab_mfn *m)
{
    return m->eps * wlab_mfn_scale_of(m);
}

double wlab_mfn_enough(const wlab_mfn *m)
{
    const double exact = exact_gap(m);
    return m->K && m->n >= CG_ROWS ? fmax(exact, fmin(m->slack, MOST_SLACK * exact)) : exact;
}

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

/* ||g|| and the gap, after compute_losses, in one product with K; Kg [n] is workspace. */
static wlab_code compute_gap(wlab_mfn *m, double *Kg, wlab_pool *pool, wlab_err *err)
{
    double trace = 0;
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

static wlab_code compute_values(wlab_mfn *m, double *Kg, wlab_pool *pool, wlab_err *err)
{
    compute_losses(m);
    return compute_gap(m, Kg, pool, err);
}

/* ---- a factor ---- */

/* Fills the lower triangle of I + H^1/2 K_JJ H^1/2 / lambda, J the k rows with h > 0, with `ridge` times the largest entry of
 * the diagonal added to that. */
static wlab_code fill(wlab_mfn *m, int64_t k, double ridge, const wlab_ctx *ctx, wlab_err *err)
{
    const int64_t each = wlab_look_every(k);
    double *root = wlab_alloc((size_t)k, sizeof *root), top = 0;
    int32_t *pick = wlab_alloc((size_t)k, sizeof *pick);
    wlab_code code = root && pick ? WL_OK : wlab_nomem(err);
    int64_t at = 0;
    for (int64_t i = 0; !code && i < m->n; i++)
        if (m->h[i] > 0) {
            root[at] = sqrt(m->h[i]);
            pick[at++] = (int32_t)i;
            top = fmax(top, m->h[i] * m->K[i * m->n + i] / m->lambda);
        }
    for (int64_t a = 0; !code && a < k; a++) {
        const double *row = m->K + (int64_t)pick[a] * m->n, scale = root[a] / m->lambda;
        if (a % each == each - 1 && wlab_interrupted(ctx))
            code = wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        for (int64_t b = 0; b <= a; b++)
            m->factor[a * k + b] = scale * root[b] * row[pick[b]] + (a == b ? 1 + ridge * top : 0);
    }
    wlab_free(root);
    wlab_free(pick);
    return code;
}

/* Makes the Cholesky factor of the system, unless it is there. */
static wlab_code make_factor(wlab_mfn *m, wlab_ctx *ctx, wlab_err *err)
{
    /* K that is psd only up to rounding (six digits in a file) gets a ridge: the line search corrects the step */
    static const double ridges[] = {0, 1e-8, 1e-6, 1e-4, 1e-2};
    const size_t bytes = (size_t)m->n * sizeof *m->h;
    int64_t k = 0;
    wlab_code code = WL_OK;
    bool definite = false;

    if (m->nfactor > 0 && memcmp(m->factored, m->h, bytes) == 0)
        return WL_OK;
    memcpy(m->factored, m->h, bytes);
    for (int64_t i = 0; i < m->n; i++)
        k += m->h[i] > 0;
    if (k != m->nfactor) {
        wlab_free(m->factor);
        m->nfactor = 0;
        if (!(m->factor = wlab_alloc((size_t)(k * k), sizeof *m->factor)))
            return wlab_nomem(err);
    }
    for (size_t r = 0; !code && !definite && r < sizeof ridges / sizeof *ridges; r++) {
        code = fill(m, k, ridges[r], ctx, err);
        code = code ? code : wlab_cholesky(m->factor, k, &definite, ctx, err);
    }
    m->nfactor = !code && definite ? k : 0;
    return code || definite ? code : wlab_fail(err, WL_ENUMERIC, "%s", wlab_svm_not_psd);
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

/* The Newton point by the factor, into bar, and by how much its outputs differ from the present ones, into e [n]; y [n] is
 * workspace. */
static void solve_directly(const wlab_mfn *m, double *bar, double *e, double *y, wlab_pool *pool)
{
    enum {
        SOLVES = 2 /* the second refines the first: the condition number may be n max(h) max(K) / lambda */
    };
    for (int64_t i = 0; i < m->n; i++)
        bar[i] = outside(m, i);
    wlab_symmetric_mul(m->K, m->n, bar, e, m->sums, pool); /* reads no row if all are 0 */
    for (int s = 0; s < SOLVES && m->nfactor > 0; s++) {
        int64_t k = 0;
        for (int64_t i = 0; i < m->n; i++)
            if (m->h[i] > 0)
                y[k++] = residual(m, i, bar[i], e[i]);
        wlab_cholesky_solve(m->factor, k, y);
        k = 0;
        for (int64_t i = 0; i < m->n; i++)
            if (m->h[i] > 0)
                bar[i] += sqrt(m->h[i]) * y[k++];
        wlab_symmetric_mul(m->K, m->n, bar, e, m->sums, pool);
    }
    for (int64_t i = 0; i < m->n; i++)
        e[i] -= m->o[i];
}

/* ---- conjugate gradients ---- */

/* The rows of the system: the active ones, into row [n].  If these are most of all: all, of which the others have the weight 0,
 * as copying their part of K would not pay. */
static int64_t select_rows(const wlab_mfn *m, int32_t *row)
{
    int64_t k = 0;

    for (int64_t i = 0; i < m->n; i++)
        if (m->h[i] > 0)
            row[k++] = (int32_t)i;
    if ((double)k <= MOST_PART * (double)m->n)
        return k;
    for (int64_t i = 0; i < m->n; i++)
        row[i] = (int32_t)i;
    return m->n;
}

static void round_rows(void *data, int block)
{
    const wlab_mfn *m = data;
    const int64_t k = m->nsingle, end = wlab_triangle_begin(k, ROUNDED, block + 1);

    for (int64_t a = wlab_triangle_begin(k, ROUNDED, block); a < end; a++) {
        const double *of = m->K + m->row[a] * m->n;
        float *to = m->single + a * k;
        if (k == m->n)
            for (int64_t b = 0; b <= a; b++)
                to[b] = (float)of[b];
        else
            for (int64_t b = 0; b <= a; b++)
                to[b] = (float)of[m->row[b]];
    }
}

/* Copies the lower triangle of K at the system's rows in single precision, unless it is there. */
static wlab_code round_part(wlab_mfn *m, wlab_ctx *ctx, wlab_err *err)
{
    const size_t n = (size_t)m->n;
    int32_t *row = wlab_alloc(n, sizeof *row);

    if (!row)
        return wlab_nomem(err);
    if (!m->single && !(m->single = wlab_alloc(n * n, sizeof *m->single))) {
        wlab_free(row);
        return wlab_nomem(err);
    }
    const int64_t k = select_rows(m, row);
    if (m->row && k == m->nsingle && memcmp(m->row, row, (size_t)k * sizeof *row) == 0) {
        wlab_free(row);
        return WL_OK;
    }
    wlab_free(m->row);
    m->row = row;
    m->nsingle = k;
    if (wlab_pool_run_progress(ctx, ROUNDED, round_rows, m, "rows in single precision", k))
        return WL_OK;
    m->row = wlab_free(m->row); /* what is there is not whole */
    return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
}

/* The vectors of conjugate gradients, of the k rows of the system. */
typedef struct vectors {
    double *root, *r, *p, *z, *c; /* c [n] */
    float *single, *product;
} vectors;
enum {
    VECTORS = 6 /* times n doubles: two of single precision are as large as one */
};

/* The Newton point and the change of the outputs, as solve_directly, by conjugate gradients from the present alpha with the
 * preconditioner m->near and products with K_JJ in single precision: at least one iteration, until the function of the system
 * is as near to its minimum as the gap asks for, and after the first Newton iteration also 1000 times nearer than at the
 * start.  *found: false if not within `most` iterations.  WL_EINTERRUPTED.  Cost of an iteration: a product with K_JJ, and one
 * with the preconditioner. */
static wlab_code solve_by_cg(const wlab_mfn *m, double *bar, double *e, const vectors *v, int most,
                             bool *found, wlab_ctx *ctx, wlab_err *err)
{
    wlab_pool *pool = ctx ? ctx->pool : NULL;
    const int64_t n = m->n, k = m->nsingle;
    const int32_t *row = m->row;
    double *r = v->r, *p = v->p, *z = v->z, *c = v->c, rho, target;
    float *single = v->single, *Kc = v->product, *sums = (float *)(void *)m->sums;
    wlab_progress progress;

    for (int64_t i = 0; i < n; i++) {
        bar[i] = m->h[i] > 0 ? m->w[i] : outside(m, i);
        c[i] = bar[i] - m->w[i];
    }
    wlab_symmetric_mul(m->K, n, c, e, m->sums, pool); /* reads the rows that have become inactive only */
    for (int64_t a = 0; a < k; a++)
        r[a] = v->root[a] > 0 ? residual(m, row[a], bar[row[a]], m->o[row[a]] + e[row[a]]) : 0;
    wlab_woodbury_solve(m->near, r, p, pool);
    rho = cblas_ddot((int)k, r, 1, p, 1);
    target = 2 * CG_GAP * wlab_mfn_enough(m) / m->lambda;
    if (m->newtons > 0)
        target = fmin(target, CG_PART * rho);
    *found = false;
    wlab_progress_begin(&progress, ctx, "conjugate gradient iterations", 0);
    for (int t = 0; rho > (t > 0 ? target : 0); t++) {
        double curve = 0;
        if (wlab_interrupted(ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        for (int64_t a = 0; a < k; a++)
            single[a] = (float)(c[a] = v->root[a] * p[a]);
        wlab_symmetric_leading_single(m->single, k, k, single, Kc, sums, pool);
        for (int64_t a = 0; a < k; a++)
            curve += p[a] * p[a] + c[a] * (double)Kc[a] / m->lambda;
        if (t == most || !(curve > 0) || !isfinite(curve))
            return WL_OK;
        const double step = rho / curve;
        for (int64_t a = 0; a < k; a++) {
            bar[row[a]] += step * c[a];
            r[a] -= step * (p[a] + v->root[a] * (double)Kc[a] / m->lambda);
        }
        wlab_woodbury_solve(m->near, r, z, pool);
        const double next = cblas_ddot((int)k, r, 1, z, 1);
        for (int64_t a = 0; a < k; a++)
            p[a] = z[a] + next / rho * p[a];
        rho = next;
        wlab_progress_add(&progress, 1);
    }
    if (!(*found = isfinite(rho)))
        return WL_OK;
    for (int64_t i = 0; i < n; i++)
        c[i] = bar[i] - m->w[i];
    wlab_symmetric_mul(m->K, n, c, e, m->sums, pool);
    return WL_OK;
}

/* As newton_point, by conjugate gradients. */
static wlab_code try_cg(wlab_mfn *m, double *bar, bool *found, wlab_ctx *ctx, wlab_err *err)
{
    const int most = LEAST_CG + (int)(m->n / ROWS_PER_CG);
    const size_t n = (size_t)m->n;
    double *room = wlab_alloc(VECTORS * n, sizeof *room);
    vectors v;
    wlab_code code = WL_OK;
    bool definite = false;

    if (!room)
        return wlab_nomem(err);
    v = (vectors){room, room + n, room + 2 * n, room + 3 * n, room + 4 * n, NULL, NULL};
    v.single = (float *)(void *)(room + 5 * n);
    v.product = v.single + n;
    if (!m->near)
        code = wlab_woodbury_create(&m->near, m->K, m->n, ctx, err);
    code = code ? code : round_part(m, ctx, err);
    if (!code) {
        for (int64_t a = 0; a < m->nsingle; a++)
            v.root[a] = sqrt(m->h[m->row[a]]);
        code = wlab_woodbury_set(m->near, m->row, v.root, m->nsingle, m->lambda, &definite, ctx, err);
    }
    if (!code && definite)
        code = solve_by_cg(m, bar, m->e, &v, most, found, ctx, err);
    wlab_free(room);
    return code;
}

/* The Newton point, into bar, and by how much its outputs differ from the present ones, into m->e.  *by_cg: found by
 * conjugate gradients. */
static wlab_code newton_point(wlab_mfn *m, double *bar, bool *by_cg, wlab_ctx *ctx, wlab_err *err)
{
    wlab_code code = WL_OK;

    *by_cg = false;
    if (m->n >= CG_ROWS && !m->exact) {
        code = try_cg(m, bar, by_cg, ctx, err);
        m->exact = !code && !*by_cg;
    }
    if (code || *by_cg)
        return code;
    double *work = wlab_alloc((size_t)m->n, sizeof *work);
    code = work ? make_factor(m, ctx, err) : wlab_nomem(err);
    if (!code)
        solve_directly(m, bar, m->e, work, ctx ? ctx->pool : NULL);
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
    bool by_cg = false;
    const double f0 = m->f, gradient0 = m->gradient, gap0 = m->gap, norm0 = m->norm;
    const int64_t newtons0 = m->newtons;
    const bool exact0 = m->exact;
    double *bar = wlab_alloc(n, sizeof *bar), *work = wlab_alloc(n, sizeof *work);
    if (!bar || !work) {
        code = wlab_nomem(err);
        goto out;
    }
    const bool go_on = m->newtons > 0 && !isnan(m->f); /* the gap is that of the last iteration */
    compute_losses(m);
    const bool hurry =
        !go_on && wlab_mfn_enough(m) > exact_gap(m); /* whether w is exact already does not matter */
    if (!go_on && !hurry && ((code = compute_gap(m, work, pool, err)) || (m->done = m->gap <= exact_gap(m))))
        goto out;
    if (!isfinite(m->f)) {
        code = wlab_fail(err, WL_ENUMERIC, "%s", wlab_svm_not_finite);
        goto out;
    }
    if ((code = newton_point(m, bar, &by_cg, ctx, err)))
        goto out;
    for (size_t i = 0; i < n; i++)
        m->s[i] = bar[i] - m->w[i];
    double slope = m->lambda * cblas_ddot((int)n, m->o, 1, m->s, 1);
    double curve = m->lambda * cblas_ddot((int)n, m->s, 1, m->e, 1), f = m->f;
    const double gap = hurry ? INFINITY : m->gap;
    double delta = wlab_mfn_line_search(m, slope, curve > 0 ? curve : 0, m->e, pool);
    if (!isfinite(delta)) {
        code = wlab_fail(err, WL_ENUMERIC, "%s", wlab_svm_not_finite);
        goto out;
    }
    memcpy(m->r, m->w, n * sizeof *m->r);
    memcpy(m->q, m->o, n * sizeof *m->q);
    for (size_t i = 0; i < n; i++)
        m->w[i] = delta == 1 ? bar[i] : m->w[i] + delta * m->s[i];
    if (by_cg && delta <= MOST_DELTA)
        cblas_daxpy((int)n, delta, m->e, 1, m->o, 1);
    else /* a factor's step may be large and cancel much of alpha */
        wlab_mfn_outputs(m, pool);
    m->newtons++;
    code = compute_values(m, work, pool, err);
    const bool gained = m->f < f || (m->f <= f * (1 + 1e-13) && m->gap < 0.5 * gap);
    m->done = !code && m->gap <= wlab_mfn_enough(m);
    m->exact = m->exact || (!code && by_cg && !gained); /* single precision may not suffice: try a factor */
    m->stalled = !code && !m->done && ((!by_cg && !gained) || m->newtons >= NEWTONS);
    if (code || (!m->done && !gained && m->f > f)) { /* undo the step */
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
        m->exact = exact0;
        m->done = m->stalled = false;
    }
    wlab_free(bar);
    wlab_free(work);
    return code;
}

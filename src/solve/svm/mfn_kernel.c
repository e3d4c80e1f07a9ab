/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finite Newton for the squared hinge on a kernel matrix (Section 5 of Sindhwani and Keerthi).  With the active rows J
 * (h > 0) the Newton point is alpha_J = (lambda H^-1 + K_JJ)^-1 t, 0 elsewhere.  The solver uses the form
 *
 *     (I + H^1/2 K_JJ H^1/2 / lambda) y = H^1/2 t / lambda,  alpha_J = H^1/2 y,
 *
 * whose eigenvalues are 1 or more whatever the costs and however singular K is.  With a tilt the inactive rows have
 * alpha = -t / lambda in place of 0.
 */
#include "linalg/cholesky.h"
#include "linalg/symmetric.h"
#include "solve/svm/boxqp.h"
#include "solve/svm/mfn.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

/* Computes z, h, f, g, ||g|| and the gap at alpha; Kg [n] is workspace. */
static wlab_code compute_values(wlab_mfn *m, double *Kg, wlab_pool *pool, wlab_err *err)
{
    double loss = 0, trace = 0;
    for (int64_t i = 0; i < m->n; i++) {
        loss += wlab_mfn_row_loss(m, i, m->o[i], &m->z[i], &m->h[i]);
        m->g[i] = m->lambda * m->w[i] - m->z[i];
        trace += m->K[i * m->n + i];
    }
    const double norm = cblas_ddot((int)m->n, m->w, 1, m->o, 1);
    m->norm = norm < 0 ? 0 : norm; /* negative only by rounding */
    m->f = 0.5 * m->lambda * m->norm + loss;
    /* K times g itself, as near the optimum lambda alpha and z cancel */
    wlab_symmetric_mul(m->K, m->n, m->g, Kg, pool);
    double square = cblas_ddot((int)m->n, m->g, 1, Kg, 1);
    m->gradient = square > 0 ? sqrt(square) : 0;
    m->gap = square > 0 ? square / (2 * m->lambda) : 0;
    m->g_known = false; /* cheap, and recomputed in every iteration: snapshots need not hold it */
    if (!isfinite(m->f) || !isfinite(square))
        return wlab_fail(err, WL_ENUMERIC, "%s", wlab_svm_not_finite);
    /* tolerate a matrix that a file holds with six digits, as wlab_kernel_matrix does */
    if (square < -2e-6 * trace / sqrt((double)m->n) * cblas_ddot((int)m->n, m->g, 1, m->g, 1))
        return wlab_fail(err, WL_ENUMERIC, "%s", wlab_svm_not_psd);
    return WL_OK;
}

/* The Cholesky factor of I + H^1/2 K_JJ H^1/2 / lambda over J = pick[0..k-1], root = H^1/2; A [k x k]. */
static wlab_code factor(const wlab_mfn *m, const int32_t *pick, const double *root, int64_t k, double *A,
                        wlab_ctx *ctx, wlab_err *err)
{
    /* K that is psd only up to rounding (six digits in a file) gets a ridge: the line search corrects the step */
    static const double ridges[] = {0, 1e-8, 1e-6, 1e-4, 1e-2};
    for (size_t r = 0; r < sizeof ridges / sizeof *ridges; r++) {
        double top = 0;
        for (int64_t a = 0; a < k; a++) {
            const double *row = m->K + (int64_t)pick[a] * m->n;
            double scale = root[a] / m->lambda;
            for (int64_t b = 0; b <= a; b++)
                A[a * k + b] = scale * root[b] * row[pick[b]];
            top = A[a * k + a] > top ? A[a * k + a] : top;
        }
        for (int64_t a = 0; a < k; a++)
            A[a * k + a] += 1 + ridges[r] * top;
        bool definite;
        wlab_code code = wlab_cholesky(A, k, &definite, ctx, err);
        if (code || definite)
            return code;
    }
    return wlab_fail(err, WL_ENUMERIC, "%s", wlab_svm_not_psd);
}

/* The Newton point and its outputs, into bar and out [n]. */
static wlab_code newton_point(const wlab_mfn *m, double *bar, double *out, wlab_ctx *ctx, wlab_err *err)
{
    enum {
        SOLVES = 2 /* the second refines the first: the condition number may be n max(h) max(K) / lambda */
    };
    wlab_code code = WL_OK;
    int64_t k = 0;
    for (int64_t i = 0; i < m->n; i++)
        k += m->h[i] > 0;
    double *A = wlab_alloc((size_t)(k * k), sizeof *A), *root = wlab_alloc((size_t)k, sizeof *root);
    double *y = wlab_alloc((size_t)k, sizeof *y);
    int32_t *pick = wlab_alloc((size_t)k, sizeof *pick);
    if (!A || !root || !y || !pick) {
        code = wlab_nomem(err);
        goto out;
    }
    k = 0;
    for (int64_t i = 0; i < m->n; i++)
        if (m->h[i] > 0) {
            root[k] = sqrt(m->h[i]);
            pick[k++] = (int32_t)i;
        }
    if (k > 0 && (code = factor(m, pick, root, k, A, ctx, err)))
        goto out;
    memset(bar, 0, (size_t)m->n * sizeof *bar);
    memset(out, 0, (size_t)m->n * sizeof *out);
    if (m->t) {
        for (int64_t i = 0; i < m->n; i++)
            bar[i] = m->h[i] > 0 ? 0 : -m->t[i] / m->lambda;
        wlab_symmetric_mul(m->K, m->n, bar, out, ctx ? ctx->pool : NULL);
    }
    for (int s = 0; s < SOLVES && k > 0; s++) {
        for (int64_t a = 0; a < k; a++) {
            int64_t i = pick[a];
            /* o + z/h, without cancellation */
            double target = ((m->o[i] < 1 ? m->pos[i] : 0) - (m->o[i] > -1 ? m->neg[i] : 0)) / m->h[i];
            if (m->t)
                target = ((m->o[i] < m->a[i] ? m->pos[i] * m->a[i] : 0) -
                          (m->o[i] > -m->c[i] ? m->neg[i] * m->c[i] : 0) - m->t[i]) /
                         m->h[i];
            y[a] = root[a] * (target - out[i]) / m->lambda - bar[i] / root[a];
        }
        wlab_cholesky_solve(A, k, y);
        for (int64_t a = 0; a < k; a++)
            bar[pick[a]] += root[a] * y[a];
        wlab_symmetric_mul(m->K, m->n, bar, out, ctx ? ctx->pool : NULL);
    }
out:
    wlab_free(A);
    wlab_free(root);
    wlab_free(y);
    wlab_free(pick);
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
    if ((code = compute_values(m, work, pool, err)))
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

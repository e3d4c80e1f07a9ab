/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finite Newton for the squared hinge on a kernel matrix (Section 5 of Sindhwani and Keerthi).  With the active rows J
 * (h > 0) the Newton point is alpha_J = (lambda H^-1 + K_JJ)^-1 t, 0 elsewhere.  It is solved as
 *
 *     (I + H^1/2 K_JJ H^1/2 / lambda) y = H^1/2 t / lambda,  alpha_J = H^1/2 y,
 *
 * whose eigenvalues are 1 or more whatever the costs and however singular K is.
 */
#include "linalg/symmetric.h"
#include "svm/boxqp.h"
#include "svm/mfn.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

/* z, h, f, g, ||g|| and the gap at alpha; Kg [n] is workspace. */
static void measure(wlab_mfn *m, double *Kg, wlab_pool *pool)
{
    double loss = 0, square = 0;
    for (int64_t i = 0; i < m->n; i++) {
        double up = m->o[i] < 1 ? 1 - m->o[i] : 0, down = m->o[i] > -1 ? 1 + m->o[i] : 0;
        loss += m->pos[i] * up * up + m->neg[i] * down * down;
        m->z[i] = m->pos[i] * up - m->neg[i] * down;
        m->h[i] = (up > 0 ? m->pos[i] : 0) + (down > 0 ? m->neg[i] : 0);
        m->g[i] = m->lambda * m->w[i] - m->z[i];
    }
    m->norm = cblas_ddot((int)m->n, m->w, 1, m->o, 1);
    m->f = 0.5 * (m->lambda * m->norm + loss);
    /* of g itself and not of lambda alpha and z: near the optimum the two cancel */
    wlab_symmetric_mul(m->K, m->n, m->g, Kg, pool);
    square = cblas_ddot((int)m->n, m->g, 1, Kg, 1);
    m->gradient = square > 0 ? sqrt(square) : 0;
    m->gap = square > 0 ? square / (2 * m->lambda) : 0;
    m->g_known = true;
}

/* y = B^-1 rhs with B = I + H^1/2 K_JJ H^1/2 / lambda over J = pick[0..k-1], root = H^1/2; A [k x k] workspace. */
static wlab_code solve(const wlab_mfn *m, const int32_t *pick, const double *root, int64_t k, double *A,
                       double *rhs, wlab_err *err)
{
    /* K that is psd only up to rounding (six digits in a file) gets a ridge: the line search corrects the step */
    for (double ridge = 0; ridge<1; ridge = ridge> 0 ? 100 * ridge : 1e-8) {
        double top = 0;
        for (int64_t a = 0; a < k; a++) {
            const double *row = m->K + (int64_t)pick[a] * m->n;
            double scale = root[a] / m->lambda;
            for (int64_t b = 0; b <= a; b++)
                A[b * k + a] = scale * root[b] * row[pick[b]];
            top = A[a * k + a] > top ? A[a * k + a] : top;
        }
        for (int64_t a = 0; a < k; a++)
            A[a * k + a] += 1 + ridge * top;
        lapack_int info = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)k, A, (lapack_int)k);
        if (info == 0) {
            LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', (lapack_int)k, 1, A, (lapack_int)k, rhs,
                                (lapack_int)k);
            return WL_OK;
        }
    }
    return wlab_fail(err, WL_ENUMERIC, "%s", wlab_svm_not_psd);
}

/* The Newton point, into `bar` [n]. */
static wlab_code newton_point(const wlab_mfn *m, double *bar, wlab_err *err)
{
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
            /* o + z/h without its rounding */
            double target = ((m->o[i] < 1 ? m->pos[i] : 0) - (m->o[i] > -1 ? m->neg[i] : 0)) / m->h[i];
            pick[k] = (int32_t)i;
            root[k] = sqrt(m->h[i]);
            y[k] = root[k] * target / m->lambda;
            k++;
        }
    memset(bar, 0, (size_t)m->n * sizeof *bar);
    if (k > 0 && (code = solve(m, pick, root, k, A, y, err)))
        goto out;
    for (int64_t a = 0; a < k; a++)
        bar[pick[a]] = root[a] * y[a];
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
    double *bar = wlab_alloc(n, sizeof *bar), *work = wlab_alloc(n, sizeof *work);
    if (!bar || !work) {
        code = wlab_nomem(err);
        goto out;
    }
    measure(m, work, pool);
    if (!isfinite(m->f) || !isfinite(m->gap)) {
        code = wlab_fail(err, WL_ENUMERIC, "%s", wlab_svm_not_finite);
        goto out;
    }
    if (m->gap <= m->eps * m->f) {
        m->done = true;
        goto out;
    }
    if ((code = newton_point(m, bar, err)))
        goto out;
    /* the outputs of the Newton point itself, not of the step: rounding does not add up over the iterations */
    wlab_symmetric_mul(m->K, m->n, bar, work, pool);
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
    for (size_t i = 0; i < n; i++) {
        m->w[i] = delta == 1 ? bar[i] : m->w[i] + delta * m->s[i];
        m->o[i] = delta == 1 ? work[i] : m->o[i] + delta * m->e[i];
    }
    m->newtons++;
    measure(m, work, pool);
    m->done = m->gap <= m->eps * m->f;
    m->stalled = !m->done && ((!(m->f < f) && !(m->gap < 0.5 * gap)) || m->newtons >= NEWTONS);
out:
    wlab_free(bar);
    wlab_free(work);
    return code;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The Laplacian mean map (Patrini, Nock, Rivera and Caetano, NIPS 2014): each bag k has a mean of each class of its own,
 *
 *     m_k = p_k b_k^+ + (1 - p_k) b_k^-,
 *
 * which few bags determine; the means of similar bags are similar, too:
 *
 *     min over B = [b^+; b^-] of  sum_k n_k ||m_k - p_k b_k^+ - (1 - p_k) b_k^-||^2 + gamma tr(B'L B) + SMALL ||B||^2,
 *     L = L_a for each class,   L_a = D - V,   V_kl = exp(-||m_k - m_l|| / width).
 *
 * B = A^-1 Pi'D_n M with A = Pi'D_n Pi + gamma L + SMALL I is linear in M, so every combination of means, such as that of Eq. P of
 * meanmap.h, is one of the m_k: v'B = (D_n Pi A^-1 v)'M.
 */
#include "algo/llp/meanmap.h"
#include "base/progress.h"
#include "linalg/cholesky.h"

#include <gsl/gsl_statistics.h>
#include <string.h>

#define SMALL                                                                                                \
    1e-6 /* for means that neither a bag nor its neighbours determine, as where all proportions are 1 */

/* At a row of the loops below, which write `entries` each to memory that may be touched for the first time. */
static wlab_code look(int64_t row, int64_t entries, wlab_progress *progress, const wlab_ctx *ctx,
                      wlab_err *err)
{
    return wlab_look_at(row, 8 * entries, progress, ctx)
               ? WL_OK
               : wlab_fail(err, WL_EINTERRUPTED, "interrupted while the similarity of the bags was computed");
}

/* V [m x m] from K, the inner products of the bags' means, in place.  width: NaN: the median distance. */
static wlab_code make_similarity(double *K, int64_t m, double width, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t pairs = m * (m - 1) / 2;
    double *all = wlab_alloc((size_t)pairs + 1, sizeof *all), *norm = wlab_alloc((size_t)m, sizeof *norm);
    int64_t at = 0;
    wlab_code code = all && norm ? WL_OK : wlab_nomem(err);
    wlab_progress progress;

    wlab_progress_begin(&progress, ctx, "bags", 2 * m);
    for (int64_t k = 0; !code && k < m; k++)
        norm[k] = K[k * m + k];
    for (int64_t k = 0; !code && k < m && !(code = look(k, m, &progress, ctx, err)); k++)
        for (int64_t l = 0; l < k; l++) {
            const double far = sqrt(fmax(norm[k] + norm[l] - 2 * K[k * m + l], 0));
            if (!isfinite(far))
                code = wlab_fail(err, WL_ENUMERIC, "the means of the bags are not finite: scale the data");
            all[at++] = K[k * m + l] = K[l * m + k] = far;
        }
    if (!code && isnan(width) && pairs > 0)
        width = gsl_stats_select(all, 1, (size_t)pairs, (size_t)(pairs / 2));
    for (int64_t k = 0; !code && k < m && !(code = look(k, m, &progress, ctx, err)); k++)
        for (int64_t l = 0; l < m; l++) {
            double *v = &K[k * m + l];
            *v = l == k ? 1 : width > 0 ? exp(-*v / width) : *v == 0; /* all means equal: no width */
        }
    wlab_free(all);
    wlab_free(norm);
    return code;
}

/* A [2m x 2m]; the first m unknowns are b^+. */
static wlab_code fill_system(const mm_state *s, double *A, wlab_ctx *ctx, wlab_err *err)
{
    const wlab_super_instances *u = s->super_instances;
    const int64_t m = u->n, side = 2 * m;
    wlab_code code = WL_OK;
    wlab_progress progress;

    wlab_progress_begin(&progress, ctx, "bags", m);
    for (int64_t k = 0; k < m && !(code = look(k, 4 * m, &progress, ctx, err)); k++) {
        memset(A + k * side, 0, (size_t)side * sizeof *A);
        memset(A + (k + m) * side, 0, (size_t)side * sizeof *A);
        const double n = (double)wlab_super_instances_size(u, k), p = u->proportion[k];
        double degree = 0;
        for (int64_t l = 0; l < m; l++)
            degree += l == k ? 0 : s->V[k * m + l];
        for (int cls = 0; cls < 2; cls++) {
            double *row = A + (k + cls * m) * side + cls * m;
            for (int64_t l = 0; l < m; l++)
                row[l] -= l == k ? 0 : s->smoothness * s->V[k * m + l];
            row[k] += s->smoothness * degree + SMALL;
        }
        A[k * side + k] += n * p * p;
        A[(k + m) * side + k + m] += n * (1 - p) * (1 - p);
        A[(k + m) * side + k] += n * p * (1 - p);
        A[k * side + k + m] += n * p * (1 - p);
    }
    return code;
}

/* a [m]: sum_k a_k m_k = v'B for v [2m], which becomes A^-1 v. */
static void combine(const mm_state *s, const double *factor, double *v, double *a)
{
    const wlab_super_instances *u = s->super_instances;
    const int64_t m = u->n;

    wlab_cholesky_solve(factor, 2 * m, v);
    for (int64_t k = 0; k < m; k++) {
        const double p = u->proportion[k];
        a[k] = (double)wlab_super_instances_size(u, k) * (p * v[k] + (1 - p) * v[k + m]);
    }
}

wlab_code mm_estimate_smooth(mm_state *s, wlab_ctx *ctx, wlab_err *err)
{
    const wlab_super_instances *u = s->super_instances;
    const int64_t m = u->n;
    const size_t side = 2 * (size_t)m;
    bool definite = true;
    double *V = wlab_alloc((size_t)(m * m), sizeof *V), *A = wlab_alloc(side * side, sizeof *A),
           *v = wlab_alloc(side, sizeof *v), *a = wlab_alloc((size_t)m, sizeof *a);
    wlab_code code =
        V && A && v && a ? wlab_super_instances_kernel(u, s->p, &s->kernel, V, ctx, err) : wlab_nomem(err);

    code = code ? code : make_similarity(V, m, s->width, ctx, err);
    if (!code) {
        wlab_free(s->V);
        s->V = V;
        V = NULL;
        code = fill_system(s, A, ctx, err);
        code = code ? code : wlab_cholesky(A, (int64_t)side, &definite, ctx, err);
    }
    if (!code && !definite)
        code = wlab_fail(err, WL_ENUMERIC,
                         "the means of the classes in the bags are not determined: use a larger smooth=");
    for (int apart = 0; !code && apart < 2; apart++) {
        for (int64_t k = 0; k < m; k++) {
            const double n = (double)wlab_super_instances_size(u, k), p = u->proportion[k];
            /* n mu_XY = sum_k n_k (p_k b_k^+ - (1 - p_k) b_k^-); mu_+ - mu_-, each the mean over its class */
            v[k] = n * p / (apart ? fmax(s->means.prior * (double)u->rows, 1e-300) : 1);
            v[k + m] = -n * (1 - p) / (apart ? fmax((1 - s->means.prior) * (double)u->rows, 1e-300) : 1);
        }
        combine(s, A, v, a);
        wlab_super_instances_spread(u, a, apart ? s->apart : s->c, s->n);
    }
    wlab_free(V);
    wlab_free(A);
    wlab_free(v);
    wlab_free(a);
    return code;
}

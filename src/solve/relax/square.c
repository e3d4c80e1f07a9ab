/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The square loss (Bach and Harchaoui 2007).  min over (W, b) of 1/2 sum_n pi_n |z_n - W'x_n - b|^2 + lambda/2 |W|^2 is
 * 1/2 tr(A z z'), A = Pi - pi pi' - Pi Xc (Xc'Pi Xc + lambda)^-1 Xc'Pi with centred Xc; without an intercept
 * A = Pi - Pi X (X'Pi X + lambda)^-1 X'Pi.  If no class is known, the labeling with one label for all rows
 * has the value 0.  The paper therefore bounds the sizes of clusters.  Here the condition of balance, m'Ym = 0 with m
 * the weights of the nodes, is added to the objective with the multiplier c/2, which cancels the term in pi pi'; the
 * bound then holds for balanced labelings.
 */
#include "solve/relax/state.h"

#include <lapacke.h>
#include <string.h>

wlab_code relax_square_form(wlab_relax *s, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t M = s->nodes, d = s->d;
    const size_t side = (size_t)(d > 0 ? d : 1);
    double *S = wlab_calloc(side, side * sizeof *S), *K = wlab_calloc((size_t)M, side * sizeof *K);
    double *mean = wlab_calloc(side, sizeof *mean), *m = wlab_calloc((size_t)M, sizeof *m);
    double *form = wlab_calloc((size_t)M, (size_t)M * sizeof *form);
    double *D = wlab_calloc((size_t)M, sizeof *D), *a = D;
    wlab_code code = WL_OK;

    if (!S || !K || !mean || !m || !form || !D) {
        code = wlab_nomem(err);
        goto out;
    }
    if (s->intercept)
        for (int64_t g = 0; g < s->groups; g++)
            for (int64_t j = 0; j < d; j++)
                mean[j] += s->XG[g * d + j];
    (void)wlab_gemm(ctx, true, false, d, d, s->n, 1, s->X, d, s->PX, d, 0, S, d);
    for (int64_t i = 0; i < d; i++) {
        for (int64_t j = 0; j < d; j++)
            S[i * d + j] -= mean[i] * mean[j];
        S[i * d + i] += s->lambda;
    }
    for (int64_t g = 0; g < s->groups; g++) {
        relax_spread(s, s->node[g], s->pg[g], m, 1);
        for (int64_t j = 0; j < d; j++)
            relax_spread(s, s->node[g], s->XG[g * d + j] - s->pg[g] * mean[j], K + j, d);
        memset(a, 0, (size_t)M * sizeof *a);
        relax_spread(s, s->node[g], 1, a, 1);
        if (s->node[g] >= 0)
            form[s->node[g] * (M + 1)] += s->pg[g];
        else
            for (int64_t i = 0; i < s->block; i++)
                for (int64_t j = 0; j < s->block; j++)
                    form[i * M + j] += s->pg[g] * a[i] * a[j];
    }
    /* K (S)^-1 K' by S = L L' and rows of K solved with L */
    if ((code = relax_look(ctx, err)))
        goto out;
    if (d > 0) {
        if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)d, S, (lapack_int)d) ||
            LAPACKE_dtrtrs_work(LAPACK_COL_MAJOR, 'L', 'N', 'N', (lapack_int)d, (lapack_int)M, S,
                                (lapack_int)d, K, (lapack_int)d)) {
            code = wlab_fail(err, WL_ENUMERIC, "the square loss has no solution: lambda is too small");
            goto out;
        }
        (void)wlab_gemm(ctx, false, true, M, M, d, -1, K, d, K, d, 1, form, M);
    }
    for (int64_t i = 0; i < M; i++)
        for (int64_t j = 0; j < M; j++) {
            if (s->intercept && s->block > 0)
                form[i * M + j] -= m[i] * m[j];
            s->M[i * M + j] = s->c / 2 * form[i * M + j];
        }
    code = relax_look(ctx, err);
out:
    wlab_free(S);
    wlab_free(K);
    wlab_free(mean);
    wlab_free(m);
    wlab_free(form);
    wlab_free(D);
    return code;
}

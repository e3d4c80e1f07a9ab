/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The largest eigenvalues of Y = V V' without decomposing it, for display: the columns of V are close to eigenvectors, the
 * last ones to those of the largest eigenvalues.  One step of subspace iteration from them, then Ritz values.
 */
#include "solve/relax/state.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>

static const double ERROR = 0.01, /* relative, of an eigenvalue that counts as known */
    LEAST = 1e-3;                 /* of the largest f in V = D W'Diag(f); eigenvalues are like f^2 */

/* X [n x m] becomes X N R^-1 for columns of unit norm X N and their R'R = N X'X N: orthonormal columns; or false. */
static bool orthonormal(double *X, int64_t n, int64_t m, double *gram, double *norm)
{
    for (int64_t j = 0; j < m; j++)
        norm[j] = 1 / cblas_dnrm2((int)n, X + j, (int)m);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++)
            X[i * m + j] *= norm[j];
    cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, (int)m, (int)n, 1, X, (int)m, 0, gram, (int)m);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < i; j++)
            gram[i * m + j] = gram[j * m + i];
    /* R' is the lower factor by rows, and so the upper one by columns */
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', (lapack_int)m, gram, (lapack_int)m))
        return false;
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (int)n, (int)m, 1, gram,
                (int)m, X, (int)m);
    return true;
}

int64_t relax_ritz(wlab_relax *s, const relax_point *p, double *value, wlab_ctx *ctx)
{
    const int64_t M = s->nodes, r = p->r;
    int64_t m = 0;
    while (m < r && m < RELAX_RITZ && p->f_of[r - 1 - m] > LEAST * p->f_of[r - 1])
        m++;
    double *X = s->lapack, *T = X + M * m, *R = T + M * m, *gram = R + M * m, *theta = gram + m * m,
           *work = theta + m;
    const lapack_int size = (lapack_int)m;
    int64_t known = 0;

    if (m == 0)
        return 0;
    (void)wlab_gemm(ctx, true, false, r, m, M, 1, p->V, r, p->V + (r - m), r, 0, T, m);
    (void)wlab_gemm(ctx, false, false, M, m, r, 1, p->V, r, T, m, 0, X, m);
    if (!orthonormal(X, M, m, gram, work))
        return 0;
    (void)wlab_gemm(ctx, true, false, r, m, M, 1, p->V, r, X, m, 0, T, m);
    (void)wlab_gemm(ctx, false, false, M, m, r, 1, p->V, r, T, m, 0, R, m);
    cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, (int)m, (int)r, 1, T, (int)m, 0, gram, (int)m);
    if (LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'L', size, gram, size, theta, work, 34 * size))
        return 0;
    /* R = (Y X - X Diag(theta)) for the Ritz vectors, which take the place of T and X */
    (void)wlab_gemm(ctx, false, true, M, m, m, 1, R, m, gram, m, 0, T, m);
    (void)wlab_gemm(ctx, false, true, M, m, m, 1, X, m, gram, m, 0, R, m);
    for (int64_t k = m - 1; k >= 0; k--) {
        double error = 0;
        for (int64_t i = 0; i < M; i++) {
            const double left = T[i * m + k] - theta[k] * R[i * m + k];
            error += left * left;
        }
        if (!(sqrt(error) <= ERROR * theta[k]))
            break;
        value[known++] = theta[k];
    }
    return known;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Steps of the outer problem in the von Neumann divergence: Y+ is exp(log Y - H/t), its diagonal and block rescaled.
 * Matrices of rank below `nodes` have no logarithm: eigenvalues are floored.
 */
#include "algo/relax_state.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

static const double FLOOR = 1e-10,
                    CUT = 1e-10; /* of log Y's eigenvalues; of a factor's, relative to the greatest */

void relax_start(wlab_relax *s)
{
    relax_point *p = &s->now;
    p->r = s->nodes;
    memset(p->V, 0, (size_t)(s->nodes * s->nodes) * sizeof *p->V);
    for (int64_t i = 0; i < s->nodes; i++)
        p->V[i * s->nodes + i] = 1;
}

/* The first `block` rows times the inverse root of their Gram matrix, the others divided by their length: false where
 * that is singular. */
static wlab_code rescale(wlab_relax *s, relax_point *p, bool *usable, wlab_err *err)
{
    const int64_t M = s->nodes, r = p->r, k = s->block;
    double *gram = s->basis, *root = gram + k * k, *rows = root + k * k;

    *usable = false;
    for (int64_t i = k; i < M; i++) {
        const double length = relax_dot(p->V + i * r, p->V + i * r, r);
        if (!(length > 1e-200))
            return WL_OK;
        for (int64_t j = 0; j < r; j++)
            p->V[i * r + j] /= sqrt(length);
    }
    if (k > 0) {
        if (r < k)
            return WL_OK;
        for (int64_t i = 0; i < k; i++)
            for (int64_t j = 0; j < k; j++)
                gram[i * k + j] = relax_dot(p->V + i * r, p->V + j * r, r);
        wlab_code code = relax_eigen(gram, k, s->e, s->lapack, s->integers, true, err);
        if (code)
            return code;
        if (!(s->e[0] > 1e-9 * s->e[k - 1]))
            return WL_OK;
        for (int64_t i = 0; i < k; i++)
            for (int64_t j = 0; j < k; j++) {
                root[i * k + j] = 0;
                for (int64_t l = 0; l < k; l++)
                    root[i * k + j] += gram[l * k + i] * gram[l * k + j] / sqrt(s->e[l]);
            }
        memcpy(rows, p->V, (size_t)(k * r) * sizeof *rows);
        relax_gemm(NULL, false, false, k, r, k, 1, root, k, rows, r, 0, p->V, r);
    }
    *usable = true;
    return WL_OK;
}

/* log Y into s->logY, for Y = V V'. */
static wlab_code logarithm(wlab_relax *s, const relax_point *p, wlab_pool *pool, wlab_err *err)
{
    const int64_t M = s->nodes, r = p->r;
    double *gram = s->basis, *scaled = s->Q;
    int64_t from = 0, kept;
    wlab_code code;

    if (r < M)
        relax_gemm(pool, true, false, r, r, M, 1, p->V, r, p->V, r, 0, gram, r);
    else
        relax_gemm(pool, false, true, M, M, r, 1, p->V, r, p->V, r, 0, gram, M);
    const int64_t size = r < M ? r : M;
    if ((code = relax_eigen(gram, size, s->e, s->lapack, s->integers, true, err)))
        return code;
    while (from < size && !(s->e[from] > FLOOR))
        from++;
    kept = size - from;
    /* rows of `scaled`: eigenvectors of Y times the root of log e - log FLOOR > 0 */
    if (r < M) {
        relax_gemm(pool, false, true, kept, M, r, 1, gram + from * r, r, p->V, r, 0, scaled, M);
        for (int64_t k = 0; k < kept; k++) {
            const double f = sqrt((log(s->e[from + k]) - log(FLOOR)) / s->e[from + k]);
            for (int64_t i = 0; i < M; i++)
                scaled[k * M + i] *= f;
        }
    } else
        for (int64_t k = 0; k < kept; k++) {
            const double f = sqrt(log(s->e[from + k]) - log(FLOOR));
            for (int64_t i = 0; i < M; i++)
                scaled[k * M + i] = f * gram[(from + k) * M + i];
        }
    relax_gemm(pool, true, false, M, M, kept, 1, scaled, M, scaled, M, 0, s->logY, M);
    for (int64_t i = 0; i < M; i++)
        s->logY[i * M + i] += log(FLOOR);
    return WL_OK;
}

wlab_code relax_move(wlab_relax *s, bool *usable, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t M = s->nodes;
    wlab_pool *pool = ctx ? ctx->pool : NULL;
    relax_point *p = &s->trial;
    int64_t from = 0;
    wlab_code code;

    if (!s->logged && (code = logarithm(s, &s->now, pool, err)))
        return code;
    s->logged = true;
    relax_slack_matrix(s, &s->at, s->Q, pool);
    for (int64_t i = 0; i < M * M; i++)
        s->Q[i] = s->logY[i] - s->Q[i] / s->t;
    if ((code = relax_eigen(s->Q, M, s->e, s->lapack, s->integers, true, err)))
        return code;
    const double top = s->e[M - 1];
    while (s->e[from] - top < log(CUT))
        from++;
    p->r = M - from;
    for (int64_t k = 0; k < p->r; k++) {
        const double f = exp((s->e[from + k] - top) / 2);
        for (int64_t i = 0; i < M; i++)
            p->V[i * p->r + k] = f * s->Q[(from + k) * M + i];
    }
    return rescale(s, p, usable, err);
}

/* Least squares: U = U0 V0'V (V'V + ridge)^-1. */
wlab_code relax_warm(wlab_relax *s, wlab_pool *pool, wlab_err *err)
{
    const int64_t M = s->nodes, d = s->d, r = s->trial.r, r0 = s->now.r;
    double *gram = s->Q, *cross = s->basis;

    memcpy(s->trial.b, s->now.b, (size_t)s->groups * sizeof *s->now.b);
    relax_gemm(pool, true, false, r0, r, M, 1, s->now.V, r0, s->trial.V, r, 0, cross, r);
    relax_gemm(pool, false, false, d, r, r0, 1, s->now.U, r0, cross, r, 0, s->trial.U, r);
    relax_gemm(pool, true, false, r, r, M, 1, s->trial.V, r, s->trial.V, r, 0, gram, r);
    for (int64_t i = 0; i < r; i++)
        gram[i * r + i] += 1e-9 * (double)M;
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)r, gram, (lapack_int)r) ||
        LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', (lapack_int)r, (lapack_int)d, gram, (lapack_int)r,
                            s->trial.U, (lapack_int)r))
        return wlab_fail(err, WL_ENUMERIC, "the relaxation's warm start has no solution");
    return WL_OK;
}

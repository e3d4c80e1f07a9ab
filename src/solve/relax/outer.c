/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Steps of the outer problem in the von Neumann divergence: Y+ is exp(log Y - H/t) with its diagonal and block
 * rescaled.  A matrix of rank below `nodes` has no logarithm, so eigenvalues have a lower limit.
 */
#include "linalg/cholesky.h"
#include "linalg/eigen.h"
#include "solve/relax/state.h"

#include <math.h>
#include <string.h>

enum {
    STRIP = 64
};
static const double RIDGE = 1e-9, FAR = 1e-3; /* a relative gap */
static const double INTERIOR = 1e-6, /* smallest eigenvalue that a start needs if steps are projections */
    FLOOR = 1e-10, CUT = 1e-10;      /* smallest eigenvalue: of Y in log Y; of a factor */

void relax_unit(const wlab_relax *s, relax_point *p)
{
    p->r = s->nodes;
    p->single = false;
    p->unit = true;
    memset(p->V, 0, (size_t)(s->nodes * s->nodes) * sizeof *p->V);
    for (int64_t i = 0; i < s->nodes; i++)
        p->V[i * s->nodes + i] = 1;
}

wlab_code relax_start(wlab_relax *s, wlab_ctx *ctx, wlab_err *err)
{
    relax_point *p = &s->now;
    relax_unit(s, p);
    p->unit = s->pairs == 0;
    wlab_code code = s->pairs > 0 ? relax_pairs_start(s, p, ctx, err) : WL_OK;
    if (code || !s->tied)
        return code;
    relax_gram(ctx, false, s->nodes, p->r, 1, p->V, p->r, s->Q);
    code = relax_eigenvalues(s->Q, s->nodes, s->e, s->lapack, s->integers, false, ctx, err);
    if (!code && !(s->e[0] > INTERIOR))
        code = wlab_fail(err, WL_EARG,
                         "the prescribed products of rows leave no matrix without an eigenvalue 0");
    return code;
}

wlab_code relax_rescale(wlab_relax *s, relax_point *p, bool *usable, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t M = s->nodes, r = p->r, k = s->block;
    double *gram = s->basis, *root = p->root, *rows = gram + k * k;

    double least = INFINITY, largest = -INFINITY;

    *usable = false;
    for (int64_t i = k; i < M; i++) {
        const double length = relax_dot(p->V + i * r, p->V + i * r, r);
        if (!(length > 1e-200))
            return WL_OK;
        least = fmin(least, -log(length) / 2);
        largest = fmax(largest, -log(length) / 2);
        p->length[i] = sqrt(length);
        for (int64_t j = 0; j < r; j++)
            p->V[i * r + j] /= p->length[i];
    }
    if (k > 0) {
        if (r < k)
            return WL_OK;
        for (int64_t i = 0; i < k; i++)
            for (int64_t j = 0; j < k; j++)
                gram[i * k + j] = relax_dot(p->V + i * r, p->V + j * r, r);
        for (int64_t i = 0; i < k; i++)
            p->length[i] = sqrt(gram[i * (k + 1)]);
        wlab_code code = relax_eigen(gram, k, s->e, s->lapack, s->integers, ctx, err);
        if (code)
            return code;
        if (!(s->e[0] > 1e-9 * s->e[k - 1]))
            return WL_OK;
        least = fmin(least, -log(s->e[k - 1]) / 2);
        largest = fmax(largest, -log(s->e[0]) / 2);
        for (int64_t i = 0; i < k; i++)
            for (int64_t j = 0; j < k; j++) {
                root[i * k + j] = 0;
                for (int64_t l = 0; l < k; l++)
                    root[i * k + j] += gram[l * k + i] * gram[l * k + j] / sqrt(s->e[l]);
            }
        memcpy(rows, p->V, (size_t)(k * r) * sizeof *rows);
        (void)wlab_gemm(ctx, false, false, k, r, k, 1, root, k, rows, r, 0, p->V, r);
    }
    p->spread = largest - least;
    *usable = true;
    return relax_look(ctx, err);
}

/* Into s->e the eigenvalues of Y = V V' that may differ from 0, in ascending order; returns how many in *size.  vectors:
 * s->Q then holds what wlab_eigen_vectors needs.  Y = I is not decomposed: *unit = true. */
static wlab_code spectrum(wlab_relax *s, const relax_point *p, bool vectors, int64_t *size, bool *unit,
                          wlab_ctx *ctx, wlab_err *err)
{
    const int64_t M = s->nodes, r = p->r;

    relax_gram(ctx, r < M, r < M ? r : M, r < M ? M : r, 1, p->V, r, s->Q);
    *size = r < M ? r : M;
    const wlab_code stopped = relax_look(ctx, err);
    if (stopped)
        return stopped;
    *unit = !s->tied && r >= M && relax_is_unit(s->Q, M, M); /* the first Y, unless classes are given */
    for (int64_t k = 0; k < M && *unit; k++)
        s->e[k] = 1;
    return *unit ? WL_OK : relax_eigenvalues(s->Q, *size, s->e, s->lapack, s->integers, vectors, ctx, err);
}

/* s->logY = log(Y - phi) for Y = V V', with eigenvalues below `floor` raised to it.  s->e: as after `spectrum`. */
static wlab_code logarithm(wlab_relax *s, const relax_point *p, double phi, double floor, wlab_ctx *ctx,
                           wlab_err *err)
{
    const int64_t M = s->nodes, r = p->r;
    int64_t from = 0, kept, size;
    bool unit;
    wlab_code code = spectrum(s, p, true, &size, &unit, ctx, err);

    if (code)
        return code;
    if (unit) {
        memset(s->logY, 0, (size_t)(M * M) * sizeof *s->logY);
        return WL_OK;
    }
    for (int64_t i = 0; i < size; i++)
        s->e[i] -= phi;
    while (from < size && !(s->e[from] > floor))
        from++;
    kept = size - from;
    if ((code = wlab_eigen_vectors(s->Q, size, from, s->lapack, ctx, err)))
        return code;
    /* rows: eigenvectors of Y times the root of log e - log floor > 0; V times one of V'V has the square length e */
    double *row = r < M ? s->lapack : s->Q + from * M;
    if (r < M)
        (void)wlab_gemm(ctx, false, true, kept, M, r, 1, s->Q + from * r, r, p->V, r, 0, row, M);
    for (int64_t k = 0; k < kept; k++) {
        const double f = sqrt((log(s->e[from + k]) - log(floor)) / (r < M ? s->e[from + k] : 1));
        for (int64_t i = 0; i < M; i++)
            row[k * M + i] *= f;
    }
    relax_gram(ctx, true, M, kept, 1, row, M, s->logY);
    for (int64_t i = 0; i < M; i++)
        s->logY[i * M + i] += log(floor);
    return relax_look(ctx, err);
}

wlab_code relax_spectrum(wlab_relax *s, const relax_point *p, bool ends, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t M = s->nodes, most = p->r < M ? p->r : M;
    int64_t size;
    bool unit;
    /* with projections phi depends on the bounds at the point, which are not known yet */
    const bool keeps = !s->tied && !ends;

    if (keeps && relax_is_near(s, p)) {
        wlab_code failed = relax_near_log(s, p, log(FLOOR), ctx, err);
        if (!failed) {
            s->next_known = relax_ritz(s, p, s->next_spectrum, ctx);
            failed = relax_look(ctx, err);
        }
        s->logged = !failed;
        return failed;
    }
    const wlab_code code =
        keeps ? logarithm(s, p, 0, FLOOR, ctx, err) : spectrum(s, p, false, &size, &unit, ctx, err);

    s->logged = keeps && !code;
    s->next_known = M;
    for (int64_t k = 0; k < M && !code; k++)
        s->next_spectrum[k] = k < most ? fmax(s->e[most - 1 - k], 0) : 0;
    return code;
}

/* log Y into s->logY for a point of which it has to be computed again. */
static wlab_code log_again(wlab_relax *s, const relax_point *p, wlab_ctx *ctx, wlab_err *err)
{
    const double phi = s->tied ? relax_least(s) : 0;

    return relax_is_near(s, p) ? relax_near_log(s, p, log(FLOOR), ctx, err)
                               : logarithm(s, p, phi, s->tied ? phi / 100 : FLOOR, ctx, err);
}

/* s->Q = log Y - H/t. */
static void step_matrix(wlab_relax *s, wlab_ctx *ctx)
{
    const int64_t size = s->nodes * s->nodes;
    relax_slack_matrix(s, &s->at, s->Q, ctx);
    for (int64_t i = 0; i < size; i++)
        s->Q[i] = s->logY[i] - s->Q[i] / s->t;
}

/* The eigenvalues of log Y - H/t into s->e, and what its eigenvectors need into s->Q.  Far from the optimum single
 * precision does, with errors of some 1e-7 of its largest eigenvalue: the trial moves a little, and F and its bounds are
 * always computed in double precision at the trial as it is. */
static wlab_code decompose_step(wlab_relax *s, bool *single, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t M = s->nodes;
    const double gap = s->now.f + s->at.slack - s->best;
    const bool far = !s->exact && M >= RELAX_SINGLE && gap > FAR * fabs(s->now.f);
    wlab_code code;

    *single = false;
    step_matrix(s, ctx);
    if (far && ((code = relax_eigenvalues_single(s->Q, M, s->e, s->lapack, s->integers, single, ctx, err)) ||
                *single))
        return code;
    if (far) /* beyond the range of floats, say */
        step_matrix(s, ctx);
    return relax_eigenvalues(s->Q, M, s->e, s->lapack, s->integers, true, ctx, err);
}

/* Rows of the trial's V = W'Diag(f), for eigenvectors W in Q. */
static void factor_block(void *data, int block)
{
    wlab_relax *s = data;
    relax_point *p = &s->trial;
    const int64_t M = s->nodes, r = p->r, start = (int64_t)block * STRIP,
                  end = start + STRIP < M ? start + STRIP : M;

    for (int64_t k = 0; k < r; k++) {
        const double f = p->f_of[k], *w = s->Q + (M - r + k) * M;
        const float *single = (const float *)(const void *)s->Q + (M - r + k) * M;
        for (int64_t i = start; i < end; i++)
            p->V[i * r + k] = f * (p->single ? (double)single[i] : w[i]);
    }
}

wlab_code relax_move(wlab_relax *s, bool *usable, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t M = s->nodes;
    relax_point *p = &s->trial;
    int64_t from = 0;
    wlab_code code;

    if (!s->logged && (code = log_again(s, &s->now, ctx, err)))
        return code;
    s->logged = true;
    p->unit = false;
    if (s->tied)
        return relax_project(s, usable, ctx, err);
    if ((code = decompose_step(s, &p->single, ctx, err)))
        return code;
    const double top = s->e[M - 1];
    while (s->e[from] - top < log(CUT))
        from++;
    p->r = M - from;
    code = p->single ? wlab_eigen_vectors_single((float *)(void *)s->Q, M, from, (float *)(void *)s->lapack,
                                                 ctx, err)
                     : wlab_eigen_vectors(s->Q, M, from, s->lapack, ctx, err);
    if (code)
        return code;
    for (int64_t k = 0; k < p->r; k++)
        p->f_of[k] = exp((s->e[from + k] - top) / 2);
    relax_strips(ctx, M, STRIP, factor_block, s);
    if ((code = relax_look(ctx, err)) || (code = relax_rescale(s, p, usable, ctx, err)))
        return code;
    return relax_pairs_return(s, p, usable, ctx, err);
}

/* Solves (V'V + ridge) U' = V'B' for the trial's U, so that U V' is close to B [d x nodes]. */
static wlab_code fit_factor(wlab_relax *s, double *B, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t M = s->nodes, r = s->trial.r;
    double *gram = s->basis;
    bool definite;

    relax_gram(ctx, true, r, M, 1, s->trial.V, r, gram);
    for (int64_t k = 0; k < r; k++)
        gram[k * (r + 1)] += RIDGE * (double)M;
    wlab_code code = relax_look(ctx, err);
    if (code || (code = wlab_cholesky(gram, r, &definite, ctx, err)))
        return code;
    (void)wlab_gemm(ctx, false, false, s->d, r, M, 1, B, M, s->trial.V, r, 0, s->trial.U, r);
    for (int64_t j = 0; j < s->d && definite; j++)
        wlab_cholesky_solve(gram, r, s->trial.U + j * r);
    return WL_OK;
}

/* Least squares.  The rows of V are those of W Diag(f) divided by their lengths, with the eigenvectors W that
 * relax_move left in Q.  So U = U0 V0' Diag(lengths) W Diag(f / (f^2 + ridge)), approximately in the block. */
wlab_code relax_warm(wlab_relax *s, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t M = s->nodes, d = s->d, r = s->trial.r, from = M - r;
    const double *f = s->trial.f_of, *length = s->trial.length;
    double *B = s->T;

    memcpy(s->trial.b, s->now.b, (size_t)s->groups * sizeof *s->now.b);
    (void)wlab_gemm(ctx, false, true, d, M, s->now.r, 1, s->now.U, s->now.r, s->now.V, s->now.r, 0, B, M);
    if (s->pairs > 0)
        return fit_factor(s, B, ctx, err);
    for (int64_t j = 0; j < d; j++)
        for (int64_t i = 0; i < M; i++)
            B[j * M + i] *= length[i];
    if (s->trial.single) {
        const float *Q = (const float *)(const void *)s->Q, *singles = relax_singles(B, d * M);
        (void)wlab_gemm_single(ctx, false, true, d, r, M, 1, singles, M, Q + from * M, M, 0,
                               (float *)(void *)s->trial.U, r);
        relax_doubles(s->trial.U, d * r);
    } else {
        (void)wlab_gemm(ctx, false, true, d, r, M, 1, B, M, s->Q + from * M, M, 0, s->trial.U, r);
    }
    for (int64_t j = 0; j < d; j++)
        for (int64_t k = 0; k < r; k++)
            s->trial.U[j * r + k] *= f[k] / (f[k] * f[k] + RIDGE);
    return WL_OK;
}

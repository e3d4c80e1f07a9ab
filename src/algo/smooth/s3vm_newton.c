/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A Newton step of s3vm, with a multiple of the identity added to the Hessian until the step lowers F (Levenberg).
 */
#include "algo/smooth/s3vm.h"
#include "base/progress.h"
#include "linalg/cholesky.h"
#include "linalg/product.h"

#include <math.h>
#include <string.h>

#define FACTOR     4    /* by which mu changes */
#define FIRST_MU   1e-3 /* of the mean of the Hessian's diagonal */
#define LARGEST_MU 1e12 /* the same; beyond it a step is lost in rounding */
enum {
    TILE = 128 /* of a product */
};

wlab_code wlab_s3vm_newton_create(s3vm *s, wlab_ctx *ctx, wlab_err *err)
{
    const wlab_centred *rows = s->m.rows;
    const size_t n = (size_t)rows->n, r = (size_t)rows->dim;

    s->Z = wlab_calloc(n * r + 1, sizeof *s->Z);
    s->scaled = wlab_alloc(n * r + 1, sizeof *s->scaled);
    s->H = wlab_alloc(r * r + 1, sizeof *s->H);
    s->factor = wlab_alloc(r * r + 1, sizeof *s->factor);
    s->move = wlab_alloc(r + 1, sizeof *s->move);
    if (!s->Z || !s->scaled || !s->H || !s->factor || !s->move)
        return wlab_nomem(err);
    wlab_progress progress;
    wlab_progress_begin(&progress, ctx, "rows", rows->n);
    for (int64_t i = 0; i < rows->n; i++) {
        double *to = s->Z + i * rows->dim;
        if (!wlab_look_at(i, 4 * rows->dim, &progress, ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted while the rows were centred");
        wlab_matrix_row_axpy(rows->X, i, 1, to);
        for (int64_t j = 0; j < rows->dim; j++)
            to[j] -= rows->mean[j];
    }
    return WL_OK;
}

/* H = penalty I + sum_i loss_i''(o_i) z_i z_i', where z_i is the centred row; returns the mean of its diagonal's sizes.
 * After an interrupt it is not finished. */
static double find_hessian(s3vm *s, wlab_ctx *ctx)
{
    const int64_t n = s->m.n, r = s->m.rows->dim;
    double sum = 0;

    for (int64_t i = 0; i < n; i++) {
        if (!wlab_look_at(i, r, NULL, ctx))
            return 0;
        const double bend = s->m.loss(s->m.of, i, s->m.o[i]).second;
        for (int64_t j = 0; j < r; j++)
            s->scaled[i * r + j] = bend * s->Z[i * r + j];
    }
    const wlab_product p = {.ta = true,
                            .m = r,
                            .n = r,
                            .k = n,
                            .alpha = 1,
                            .A = s->Z,
                            .B = s->scaled,
                            .C = s->H,
                            .lda = r,
                            .ldb = r,
                            .ldc = r,
                            .rows = TILE,
                            .columns = TILE,
                            .half = WL_HALF_LOWER};
    (void)wlab_product_run(&p, ctx);
    for (int64_t j = 0; j < r; j++) {
        s->H[j * r + j] += s->m.penalty;
        sum += fabs(s->H[j * r + j]);
    }
    return sum / (double)(r ? r : 1);
}

wlab_code wlab_s3vm_newton_iterate(void *state, wlab_ctx *ctx, wlab_err *err)
{
    s3vm *s = state;
    wlab_lbfgs *at = s->m.at;
    smooth_job job = {&s->m, ctx};
    const int64_t r = at->dim;
    int64_t refused = 0;
    wlab_code code = wlab_lbfgs_evaluate(at, wlab_smooth_evaluate, &job, err);

    if (code || at->gradient == 0)
        return code;
    const double size = find_hessian(s, ctx);
    if (wlab_interrupted(ctx))
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    double mu = s->mu > 0 ? s->mu : FIRST_MU * size;
    bool lower = false;
    int64_t evaluations = 0;
    double f = 0;
    for (; !lower && mu <= LARGEST_MU * size; mu *= FACTOR, refused++) {
        bool definite;
        for (int64_t i = 0; i < r; i++) {
            memcpy(s->factor + i * r, s->H + i * r, (size_t)(i + 1) * sizeof *s->factor);
            s->factor[i * r + i] += mu;
        }
        if ((code = wlab_cholesky(s->factor, r, &definite, ctx, err)))
            return code;
        if (!definite)
            continue;
        for (int64_t j = 0; j < r; j++)
            s->move[j] = -at->g[j];
        wlab_cholesky_solve(s->factor, r, s->move);
        for (int64_t j = 0; j < r; j++)
            at->try_w[j] = at->w[j] + s->move[j];
        if ((code = wlab_smooth_evaluate(&job, at->try_w, &f, at->try_g, err)))
            return code;
        evaluations++;
        lower = f < at->f;
        if (lower) {
            refused--; /* the loop counts this one, and raises mu */
            mu /= FACTOR;
        }
    }
    at->evaluations += evaluations;
    at->iterations++;
    s->refused = refused;
    if (!lower) {
        at->stalled = true;
        return WL_OK;
    }
    double moved = 0, gradient = 0;
    for (int64_t j = 0; j < r; j++) {
        moved += (at->try_w[j] - at->w[j]) * (at->try_w[j] - at->w[j]);
        gradient += at->try_g[j] * at->try_g[j];
    }
    memcpy(at->w, at->try_w, (size_t)r * sizeof *at->w);
    memcpy(at->g, at->try_g, (size_t)r * sizeof *at->g);
    at->f = f;
    at->gradient = sqrt(gradient);
    at->length = sqrt(moved);
    s->mu = mu / FACTOR;
    return WL_OK;
}

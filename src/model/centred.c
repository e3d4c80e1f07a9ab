/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Outputs with a prescribed mean over a set of rows, by implicit centring.
 */
#include "model/centred.h"
#include "base/progress.h"

#include <math.h>
#include <string.h>

#define COMPLETE 1e-10 /* remaining trace of a factor, relative */

void wlab_centred_destroy(wlab_centred *c)
{
    if (!c)
        return;
    wlab_free(c->mean);
    wlab_free(c->square);
    wlab_matrix_destroy(c->Phi);
    wlab_features_destroy(c->f);
    wlab_problem_unref(c->p);
    wlab_free(c);
}

/* Makes the factor and moves it to a matrix. */
static wlab_code make_factor(wlab_centred *c, const wlab_kernel *kernel, wlab_ctx *ctx, wlab_err *err)
{
    wlab_code code = wlab_features_make(&c->f, c->p, kernel, COMPLETE, 0, ctx, err);
    code = code ? code : wlab_features_take(&c->Phi, c->f, err);
    if (!code)
        c->X = c->Phi;
    return code;
}

/* Sets the mean over the members, and the rows' squared distances from it. */
static wlab_code centre(wlab_centred *c, const uint8_t *member, const wlab_ctx *ctx, wlab_err *err)
{
    int64_t members = 0;

    c->mean = wlab_calloc((size_t)c->dim + 1, sizeof *c->mean);
    c->square = wlab_alloc((size_t)c->n + 1, sizeof *c->square);
    if (!c->mean || !c->square)
        return wlab_nomem(err);
    for (int64_t i = 0; member && i < c->n; i++)
        members += member[i] != 0;
    for (int64_t i = 0; member && i < c->n; i++) {
        if (!wlab_look_at(i, 2 * c->dim, NULL, ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        if (member[i])
            wlab_matrix_row_axpy(c->X, i, 1 / (double)members, c->mean);
    }
    double of_mean = 0;
    for (int64_t j = 0; j < c->dim; j++)
        of_mean += c->mean[j] * c->mean[j];
    for (int64_t i = 0; i < c->n; i++) {
        if (!wlab_look_at(i, 2 * c->dim, NULL, ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        /* a negative value is due to rounding */
        c->square[i] =
            fmax(0, wlab_matrix_row_sqnorm(c->X, i) - 2 * wlab_matrix_row_dot(c->X, i, c->mean) + of_mean) +
            c->bias * c->bias;
        if (!isfinite(c->square[i]))
            return wlab_fail(err, WL_ENUMERIC,
                             "the square of row %lld is not a finite number; scale the data",
                             (long long)i + 1);
    }
    return WL_OK;
}

wlab_code wlab_centred_make(wlab_centred **out, wlab_problem *p, const wlab_kernel *kernel,
                            const uint8_t *member, double b0, bool factor, wlab_ctx *ctx, wlab_err *err)
{
    wlab_centred *c = wlab_calloc(1, sizeof *c);
    wlab_code code = WL_OK;

    *out = NULL;
    if (!c)
        return wlab_nomem(err);
    c->p = wlab_problem_ref(p);
    c->n = p->n;
    c->X = p->X;
    c->b0 = member ? b0 : 0;
    if (kernel->kind != WL_K_LINEAR || factor)
        code = make_factor(c, kernel, ctx, err);
    else
        c->bias = member ? 0 : kernel->bias;
    c->dim = c->X->cols + (c->bias > 0);
    if (!code)
        code = centre(c, member, ctx, err);
    if (code)
        wlab_centred_destroy(c);
    else
        *out = c;
    return code;
}

void wlab_centred_outputs(const wlab_centred *c, const double *w, double *o, wlab_pool *pool)
{
    double b = c->b0;

    for (int64_t j = 0; j < c->dim; j++)
        b -= w[j] * c->mean[j];
    if (c->bias > 0)
        b += c->bias * w[c->dim - 1];
    wlab_matrix_mul(c->X, w, o, pool);
    for (int64_t i = 0; i < c->n; i++)
        o[i] += b;
}

wlab_code wlab_centred_transpose(const wlab_centred *c, const double *z, double *g, wlab_pool *pool,
                                 wlab_err *err)
{
    double sum = 0;
    wlab_code code = wlab_matrix_mul_t(c->X, z, g, pool, err);

    if (code)
        return code;
    for (int64_t i = 0; i < c->n; i++)
        sum += z[i];
    if (c->bias > 0)
        g[c->dim - 1] = c->bias * sum;
    for (int64_t j = 0; j < c->dim; j++)
        g[j] -= sum * c->mean[j];
    return WL_OK;
}

wlab_code wlab_centred_model(wlab_model **out, const wlab_centred *c, const double *w, wlab_pool *pool,
                             wlab_err *err)
{
    double b = c->b0;

    *out = NULL;
    for (int64_t j = 0; j < c->dim; j++)
        b -= w[j] * c->mean[j];
    if (!c->f)
        return wlab_model_from_weights(out, c->p, w, b + (c->bias > 0 ? c->bias * w[c->dim - 1] : 0), err);
    /* a model of two classes is the difference of their functions; that of -1 is 0 */
    double *W = wlab_calloc(2 * (size_t)c->dim + 1, sizeof *W);
    if (!W)
        return wlab_nomem(err);
    if (c->dim)
        memcpy(W + c->dim, w, (size_t)c->dim * sizeof *W);
    wlab_code code = wlab_features_model(out, c->f, 2, W, (const double[]){0, b}, pool, err);
    wlab_free(W);
    return code;
}

static wlab_code interrupted(wlab_err *err)
{
    return wlab_fail(err, WL_EINTERRUPTED, "interrupted while the kernel matrix was centred");
}

wlab_code wlab_centre_matrix(double *K, int64_t n, const uint8_t *member, double *mean, double *of_mean,
                             wlab_ctx *ctx, wlab_err *err)
{
    int64_t members = 0;
    double all = 0;
    wlab_progress progress;

    for (int64_t i = 0; i < n; i++)
        members += member[i] != 0;
    wlab_progress_begin(&progress, ctx, "rows of the kernel matrix", 2 * n);
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        if (!wlab_look_at(i, n, &progress, ctx))
            return interrupted(err);
        for (int64_t k = 0; k < n; k++)
            sum += member[k] ? K[i * n + k] : 0;
        mean[i] = sum / (double)members;
    }
    for (int64_t i = 0; i < n; i++)
        all += member[i] ? mean[i] / (double)members : 0;
    for (int64_t i = 0; i < n; i++) {
        if (!wlab_look_at(n + i, n, &progress, ctx))
            return interrupted(err);
        for (int64_t j = 0; j < n; j++)
            K[i * n + j] += all - (mean[i] + mean[j]);
    }
    *of_mean = all;
    return WL_OK;
}

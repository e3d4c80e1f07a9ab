/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * WellSVM's SVM for the linear kernel on bags: Q_mu = F F', where F has few columns and a row for each example.  In the
 * first columns, those of the data, an example has the mean of y_t x over the labelings, weighted by mu.  An instance
 * of a negative bag has the same label in all labelings, so this mean is exact.  The others, positive bags, deviate
 * from their means; additional columns, one for each such bag, give the products of these deviations.
 *
 * The SVM of a single labeling needs no such columns, with or without bags.
 */
#include "algo/wellsvm/wellsvm.h"
#include "solve/svm/boxqp.h"
#include "solve/svm/boxqp_thin.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

enum {
    LEAST = 1000,    /* examples; with fewer, Q is small */
    MOST_FREE = 400, /* examples with free labels: each mu needs an eigenproblem of that size */
    COLUMN_RATIO = 3 /* F has at most a third of the columns of Q */
};

static int64_t columns(const wellsvm *s)
{
    return s->p->X->cols + (s->kernel.bias != 0);
}

wlab_code well_thin_decide(wellsvm *s, wlab_err *err)
{
    s->thin = false;
    if (s->kernel.kind != WL_K_LINEAR || !s->K || well_one_to_one(s) || s->m < LEAST)
        return WL_OK;
    int32_t *place = wlab_alloc((size_t)s->m, sizeof *place);
    if (!place)
        return wlab_nomem(err);
    const int64_t many = well_free_examples(s, place);
    s->thin = many <= MOST_FREE && COLUMN_RATIO * (columns(s) + many) <= s->m;
    wlab_free(place);
    return WL_OK;
}

bool well_thin_alone(const wellsvm *s)
{
    return s->kernel.kind == WL_K_LINEAR && s->K && !s->thin && !s->centred &&
           COLUMN_RATIO * columns(s) <= s->m;
}

static void add_row(const wellsvm *s, int64_t k, double c, double *to)
{
    wlab_matrix_row_axpy(s->p->X, k, c, to);
    if (s->kernel.bias != 0)
        to[s->p->X->cols] += c * s->kernel.bias;
}

/* Adds the feature vector sum_k c_k x_k of each example e to F[e x width]. */
static void add_rows(const wellsvm *s, const double *c, int64_t width, double *F)
{
    const double scale = 1 / sqrt(s->lambda);
    for (int64_t k = 0; k < s->n; k++)
        if (c[k] != 0)
            add_row(s, k, scale * c[k], F + s->p->example[k] * width);
}

/* C = sum_t mu_t (z_te - mean_e)'(z_tf - mean_f) over the free examples e, f, [P x P], lower; the means are in F. */
static wlab_code scatter(const wellsvm *s, const int8_t *y, int64_t T, const double *mu, const int32_t *place,
                         int64_t P, const double *F, int64_t width, double *C, wlab_err *err)
{
    const int64_t d = columns(s);
    const double scale = 1 / sqrt(s->lambda);
    double *z = wlab_alloc((size_t)(P * d), sizeof *z);
    if (!z)
        return wlab_nomem(err);
    memset(C, 0, (size_t)(P * P) * sizeof *C);
    for (int64_t t = 0; t < T; t++) {
        if (!(mu[t] > 0))
            continue;
        for (int64_t e = 0; e < s->m; e++)
            for (int64_t j = 0; j < d && place[e] >= 0; j++)
                z[place[e] * d + j] = -F[e * width + j];
        for (int64_t k = 0; k < s->n; k++) {
            const int32_t at = place[s->p->example[k]];
            if (at >= 0 && y[t * s->n + k])
                add_row(s, k, scale * y[t * s->n + k], z + at * d);
        }
        cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, (int)P, (int)d, mu[t], z, (int)d, 1, C, (int)P);
    }
    wlab_free(z);
    return WL_OK;
}

wlab_code well_thin_mean(const wellsvm *s, const double *c, double **F, int64_t *r, wlab_err *err)
{
    *r = columns(s);
    *F = wlab_calloc((size_t)(s->m * *r), sizeof **F);
    if (!*F)
        return wlab_nomem(err);
    add_rows(s, c, *r, *F);
    return WL_OK;
}

wlab_code well_thin_form(const wellsvm *s, const int8_t *y, int64_t T, const double *mu, double **out,
                         int64_t *r, wlab_err *err)
{
    const int64_t d = columns(s), n = s->n, m = s->m;
    int32_t *place = wlab_alloc((size_t)m, sizeof *place);
    double *F = NULL, *c = NULL, *C = NULL, *value = NULL;
    int64_t live = 0;
    wlab_code code = WL_OK;
    *out = NULL;
    if (!place)
        return wlab_nomem(err);
    for (int64_t t = 0; t < T; t++)
        live += mu[t] > 0;
    const int64_t P = live > 1 ? well_free_examples(s, place) : 0, width = d + P;
    F = wlab_calloc((size_t)(m * width), sizeof *F);
    c = wlab_calloc((size_t)n, sizeof *c);
    C = wlab_alloc((size_t)(P * P + 1), sizeof *C);
    value = wlab_alloc((size_t)(P + 1), sizeof *value);
    if (!F || !c || !C || !value) {
        code = wlab_nomem(err);
        goto out;
    }
    for (int64_t t = 0; t < T; t++)
        for (int64_t k = 0; k < n && mu[t] > 0; k++)
            c[k] += mu[t] * y[t * n + k];
    add_rows(s, c, width, F);
    if (P && (code = scatter(s, y, T, mu, place, P, F, width, C, err)))
        goto out;
    if (P && LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'L', (lapack_int)P, C, (lapack_int)P, value)) {
        code = wlab_fail(err, WL_ENUMERIC, "%s", wlab_svm_not_finite);
        goto out;
    }
    for (int64_t e = 0; e < m; e++)
        for (int64_t j = 0; j < P && place[e] >= 0; j++)
            F[e * width + d + j] = value[j] > 0 ? sqrt(value[j]) * C[j * P + place[e]] : 0;
    *out = F;
    *r = width;
    F = NULL;
out:
    wlab_free(place);
    wlab_free(F);
    wlab_free(c);
    wlab_free(C);
    wlab_free(value);
    return code;
}

wlab_code well_thin_solve(wellsvm *s, const int8_t *y, int64_t T, const double *mu, double tol,
                          well_point *at, wlab_ctx *ctx, wlab_err *err)
{
    double *F, *g = wlab_alloc((size_t)s->m, sizeof *g);
    int64_t r;
    wlab_boxqp_result result;
    if (!g)
        return wlab_nomem(err);
    wlab_code code = well_thin_form(s, y, T, mu, &F, &r, err);
    if (!code)
        code = wlab_boxqp_thin_solve(F, s->m, r, s->delta, s->upper, tol, at->alpha, g, &result, s->progress,
                                     ctx, err);
    wlab_free(F);
    wlab_free(g);
    return code ? code : well_assess(s, y, T, mu, at, ctx, err);
}

wlab_code well_thin_hessian(const wellsvm *s, const double *B, double *H, wlab_err *err)
{
    double *F;
    int64_t r;
    wlab_code code = well_thin_form(s, s->y, s->T, s->mu, &F, &r, err);
    if (!code)
        code = wlab_boxqp_thin_hessian(F, s->m, r, s->delta, s->upper, s->at.alpha, B, s->T, H, err);
    wlab_free(F);
    return code;
}

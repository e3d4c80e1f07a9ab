/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The linear hinge loss by the solvers of the box QP: on the rows y_i x_i if they have few columns, else on the
 * matrix of their products.
 */
#include "solve/svm/dcd_exact.h"
#include "solve/svm/boxqp.h"
#include "solve/svm/boxqp_thin.h"

#include <math.h>
#include <string.h>

enum {
    COLUMNS = 500,
    ENTRIES = 4000000, /* at most in a copy of X: 32 MB */
    ROWS = 2000
};

static int64_t columns(const wlab_dcd *d)
{
    return d->X->cols + (d->bias > 0);
}

static bool thin(const wlab_dcd *d)
{
    return columns(d) <= COLUMNS && columns(d) * d->X->rows <= ENTRIES;
}

bool wlab_dcd_exact_can(const wlab_dcd *d)
{
    return d->X->rows > 0 && columns(d) > 0 && (thin(d) || d->X->rows <= ROWS);
}

/* The rows y_i x_i, with the constant feature; NULL: no memory. */
static double *signed_rows(const wlab_dcd *d, const int8_t *y)
{
    const int64_t n = d->X->rows, r = columns(d);
    double *F = wlab_calloc((size_t)(n * r), sizeof *F);
    for (int64_t i = 0; F && i < n; i++) {
        wlab_matrix_row_axpy(d->X, i, y[i], F + i * r);
        if (d->bias > 0)
            F[i * r + r - 1] = y[i] * d->bias;
    }
    return F;
}

static double *signed_products(const wlab_dcd *d, const int8_t *y)
{
    const int64_t n = d->X->rows;
    double *Q = wlab_alloc((size_t)(n * n), sizeof *Q);
    for (int64_t i = 0; Q && i < n; i++)
        for (int64_t j = 0; j <= i; j++)
            Q[i * n + j] = Q[j * n + i] =
                y[i] * y[j] * (wlab_matrix_rows_dot(d->X, i, d->X, j) + d->bias * d->bias);
    return Q;
}

static wlab_code solve(const wlab_dcd *d, const int8_t *y, bool few, double tol, double *alpha, bool *reached,
                       wlab_progress *progress, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t n = d->X->rows;
    wlab_boxqp_result r;
    double *g = wlab_alloc((size_t)n, sizeof *g), *F = few ? signed_rows(d, y) : signed_products(d, y);
    wlab_code code;
    memset(alpha, 0, (size_t)n * sizeof *alpha);
    if (!g || !F)
        code = wlab_nomem(err);
    else if (few)
        code = wlab_boxqp_thin_solve(F, n, columns(d), NULL, d->cost, tol, alpha, g, &r, progress, ctx, err);
    else
        code = wlab_boxqp_solve_progress(F, n, NULL, d->cost, tol, alpha, g, &r, progress, ctx, err);
    *reached = !code && r.primal - r.dual <= tol * fabs(r.dual);
    wlab_free(g);
    wlab_free(F);
    return code;
}

wlab_code wlab_dcd_exact(const wlab_dcd *d, const int8_t *y, double tol, double *alpha,
                         wlab_progress *progress, wlab_ctx *ctx, wlab_err *err)
{
    wlab_code code = WL_OK;
    bool reached = false;
    if (thin(d))
        code = solve(d, y, true, tol, alpha, &reached, progress, ctx, err);
    if ((!code || code == WL_ENUMERIC) && !reached && d->X->rows <= ROWS)
        code = solve(d, y, false, tol, alpha, &reached, progress, ctx, err);
    return code;
}

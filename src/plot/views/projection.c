/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * View `projection`: the rows of data of any number of columns as points in a plane.
 *
 * With a model of one output, x is the output f of a row, so the decision line is x = 0, and y is its coordinate along
 * the leading direction of the rest.  The rest is what a linear function of f leaves of the columns: with X_c the centred
 * data, R = X_c - f_c (f_c'X_c) / ||f_c||^2, where f_c is f less its mean.  The leading direction is the unit vector v
 * that maximises ||R v||^2, and y = R v.  So y is uncorrelated with f, and no other direction of the rest varies more.
 *
 * Without an output, or with one output per class, x and y are the first two principal components: the same computation
 * for nothing (R = X_c) and then for f = x.
 */
#include "plot/views/marks.h"
#include "plot/views/regions.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    GRID_X = 120,
    GRID_Y =
        60, /* the decision function does not depend on y, but a line of the grid is this part of the picture */
    /* of the power method; when these do not suffice, several directions have nearly the same variance */
    MOST_STEPS = 200
};

/* Subtract the mean of z [n]. */
static void centre(double *z, int64_t n)
{
    double mean = 0;
    for (int64_t i = 0; i < n; i++)
        mean += z[i] / (double)n;
    for (int64_t i = 0; i < n; i++)
        z[i] -= mean;
}

static double dot(const double *a, const double *b, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Subtract from z its mean and its multiple of the centred vector f (NULL: none), whose squared norm is ff > 0. */
static void project(double *z, const double *f, double ff, int64_t n)
{
    centre(z, n);
    if (!f)
        return;
    const double a = dot(z, f, n) / ff;
    for (int64_t i = 0; i < n; i++)
        z[i] -= a * f[i];
}

/* The sum of squares of R: of the centred columns, without their part along f. */
static wlab_code rest_of_variance(const wlab_matrix *X, const double *f, double ff, double *g, double *z,
                                  wlab_pool *pool, double *total, wlab_err *err)
{
    const int64_t n = X->rows;
    wlab_code code;

    *total = 0;
    for (int64_t i = 0; i < n; i++) {
        *total += wlab_matrix_row_sqnorm(X, i);
        z[i] = 1;
    }
    if ((code = wlab_matrix_mul_t(X, z, g, pool, err)))
        return code;
    *total -= dot(g, g, X->cols) / (double)n;
    if (!f)
        return WL_OK;
    if ((code = wlab_matrix_mul_t(X, f, g, pool, err))) /* f is centred, so X'f = X_c'f */
        return code;
    *total -= dot(g, g, X->cols) / ff;
    return WL_OK;
}

/* y [n] = R v for the leading direction v of the rest R, by the power method on R R'; part: the fraction of the sum of
 * squares of R that y has.  y is 0 where R is.  The sign of v makes its largest entry positive, so that a picture does
 * not turn over from step to step. */
static wlab_code leading_direction(const wlab_matrix *X, const double *f, double *y, double *part,
                                   const wlab_ctx *ctx, wlab_err *err)
{
    const int64_t n = X->rows;
    wlab_pool *pool = ctx ? ctx->pool : NULL;
    const double ff = f ? dot(f, f, n) : 0;
    double *g = wlab_alloc((size_t)X->cols, sizeof *g), *z = wlab_alloc((size_t)n, sizeof *z);
    double total = 0, before = 0;
    wlab_code code = g && z ? WL_OK : wlab_nomem(err);

    *part = 0;
    if (!code)
        code = rest_of_variance(X, f, ff, g, z, pool, &total, err);
    for (int64_t i = 0; i < n && !code; i++) /* a start that no regular data are orthogonal to */
        y[i] = sin(1 + 0.7 * (double)i * (double)(i % 7 + 1));
    if (!code)
        project(y, f, ff, n);
    for (int step = 0; step < MOST_STEPS && !code; step++) {
        const double length = sqrt(dot(y, y, n));
        if (!(length > 0) || !isfinite(length))
            break;
        for (int64_t i = 0; i < n; i++)
            y[i] /= length;
        if ((code = wlab_matrix_mul_t(X, y, g, pool, err)))
            break;
        const double now = dot(g, g, X->cols); /* y'R R'y, which increases to the largest eigenvalue */
        wlab_matrix_mul(X, g, y, pool);
        project(y, f, ff, n);
        if (wlab_interrupted(ctx)) {
            code = wlab_fail(err, WL_EINTERRUPTED, "interrupted");
            break;
        }
        if (now <= before * (1 + 1e-9))
            break;
        before = now;
    }
    /* y = R g for g = R'y of unit y: divide by the length of g */
    const double length = code ? 0 : sqrt(dot(g, g, X->cols));
    const bool empty =
        !(total > 0) || !(length * length > 1e-12 * total); /* nothing but rounding errors is left */
    int32_t largest = 0;
    for (int32_t j = 1; j < X->cols && !code; j++)
        largest = fabs(g[j]) > fabs(g[largest]) ? j : largest;
    for (int64_t i = 0; i < n && !code; i++)
        y[i] = empty ? 0 : y[i] / (g[largest] < 0 ? -length : length);
    if (!code && !empty)
        *part = fmin(1, dot(y, y, n) / total);
    wlab_free(g);
    wlab_free(z);
    return code;
}

/* Fill xy by the outputs and the leading direction of the rest, or by two principal components.  have: there are outputs
 * that are not all equal. */
static wlab_code coordinates(const wlab_problem *p, const wlab_ctx *ctx, bool have, double *out, double *xy,
                             double part[2], wlab_err *err)
{
    const int64_t n = p->n;
    double *y = wlab_alloc((size_t)n, sizeof *y);
    wlab_code code = y ? WL_OK : wlab_nomem(err);

    if (!code && !have)
        code = leading_direction(p->X, NULL, out, &part[0], ctx, err);
    for (int64_t i = 0; i < n && !code; i++)
        xy[2 * i] = out[i];
    if (!code) {
        centre(out, n);
        const bool constant = !(dot(out, out, n) > 0); /* the data are one point */
        code = leading_direction(p->X, constant ? NULL : out, y, &part[1], ctx, err);
    }
    for (int64_t i = 0; i < n && !code; i++)
        xy[2 * i + 1] = y[i];
    if (!code && !have)
        part[1] *= 1 - part[0];
    wlab_free(y);
    return code;
}

static bool all_equal(const double *out, int64_t n)
{
    for (int64_t i = 1; i < n; i++)
        if (out[i] != out[0])
            return false;
    return true;
}

static wlab_code draw_view(wlab_figure *f, const wlab_view_request *q, wlab_err *err)
{
    wlab_view_run marked = q->run[0], *v = &marked;
    const wlab_problem *p = v->problem;
    char xlabel[80], ylabel[80];
    wlab_plane plane = {
        .view = "projection", .column = {"x", "y"}, .axis = {xlabel, ylabel}, .nx = GRID_X, .why = "none"};
    int8_t *buffer = NULL;
    wlab_matrix *grid = NULL;
    double *value = NULL, part[2] = {0, 0};
    bool have = false;
    wlab_err why = {0};
    wlab_code code;

    if ((code = wlab_view_alone(q, "projection", "its axes are directions of the data", err)))
        return code;
    double *out = wlab_alloc((size_t)p->n, sizeof *out), *xy = wlab_alloc((size_t)p->n, 2 * sizeof *xy);
    if (!out || !xy)
        code = wlab_nomem(err);
    if (!code)
        code = wlab_view_titles(f, q, "projection", err);
    if (!code)
        code = wlab_marks_select(v, q, &buffer, err);
    if (!code && p->classes == 2)
        code = wlab_view_outputs(v, q, NULL, p->n, out, &have, &why, err);
    if (code)
        goto end;
    if (p->classes > 2)
        wlab_fail(&why, WL_ESTATE, "each of %d classes has an output of its own", p->classes);
    else if (have && all_equal(out, p->n)) {
        wlab_fail(&why, WL_ESTATE, "all rows have the same output");
        have = false;
    }
    if ((code = coordinates(p, q->ctx, have, out, xy, part, err)))
        goto end;
    if (have) {
        snprintf(xlabel, sizeof xlabel, "output f of the model");
        snprintf(ylabel, sizeof ylabel, "leading direction of the rest (%.0f %% of its variance)",
                 100 * part[1]);
    } else {
        snprintf(xlabel, sizeof xlabel, "principal component 1 (%.0f %% of the variance)", 100 * part[0]);
        snprintf(ylabel, sizeof ylabel, "principal component 2 (%.0f %%)", 100 * part[1]);
    }
    plane.xy = xy;
    for (int axis = 0; axis < 2; axis++)
        plane.range[axis] = wlab_plane_range(xy, p->n, axis);
    plane.one_unit = !have;
    plane.why = why.message;
    if (have) {
        plane.range[0].lo = fmin(plane.range[0].lo, 0); /* the decision line is in the picture */
        plane.range[0].hi = fmax(plane.range[0].hi, 0);
        if ((code = wlab_plane_make_grid(&grid, plane.range[0], plane.range[1], GRID_X, GRID_Y, err)))
            goto end;
        if (!(value = wlab_alloc((size_t)grid->rows, sizeof *value))) {
            code = wlab_nomem(err);
            goto end;
        }
        for (int64_t k = 0; k < grid->rows; k++)
            value[k] = grid->dense[2 * k];
        plane.grid = grid;
        plane.value = value;
    }
    code = wlab_plane_draw(f, q, v, &plane, err);
end:
    wlab_matrix_destroy(grid);
    wlab_free(value);
    wlab_free(out);
    wlab_free(xy);
    wlab_free(buffer);
    return code;
}

const wlab_view wlab_view_projection = {
    .name = "projection",
    .summary =
        "data with any number of columns: the model's output against the direction in which the rest of the "
        "data varies most, with labels and flips as in `boundary`; without a model, two principal components",
    .of = WL_VIEW_ONE | WL_VIEW_FIXED | WL_VIEW_STATE | WL_VIEW_MODEL | WL_VIEW_MARKS | WL_VIEW_VALUES,
    .draw = draw_view,
};

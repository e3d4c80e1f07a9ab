/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A factor of the kernel matrix by pivoted Cholesky, one block of pivots at a time: nearly all work is matrix
 * products, and only the columns of one block of the matrix are in memory.
 */
#include "model/features.h"
#include "base/progress.h"
#include "linalg/product.h"
#include "linalg/transpose.h"
#include "model/deformed.h"
#include "model/kernel.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum {
    BLOCK = 64, /* pivots tried together, at most */
    TILE = 512  /* columns of a product per task of the pool */
};

void wlab_features_destroy(wlab_features *f)
{
    if (!f)
        return;
    wlab_problem_unref(f->p);
    wlab_kernel_clear(&f->kernel);
    wlab_free(f->Phi);
    wlab_free(f->pivot);
    wlab_free(f->L);
    wlab_free(f);
}

/* ---- the data themselves ---- */

static wlab_code make_direct(wlab_features *f, wlab_ctx *ctx, wlab_err *err)
{
    wlab_progress progress;

    f->direct = true;
    f->r = f->X->cols + (f->kernel.bias > 0);
    f->Phi = wlab_calloc((size_t)(f->n * f->r), sizeof *f->Phi);
    if (!f->Phi)
        return wlab_nomem(err);
    wlab_progress_begin(&progress, ctx, "rows", f->n);
    for (int64_t i = 0; i < f->n; i++) {
        double *row = f->Phi + i * f->r;
        if (!wlab_look_at(i, 8 * f->r, &progress, ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted while the features were computed");
        wlab_matrix_row_axpy(f->X, i, 1, row);
        if (f->kernel.bias > 0)
            row[f->r - 1] = f->kernel.bias;
        for (int64_t j = 0; j < f->r; j++)
            f->trace += row[j] * row[j];
    }
    return isfinite(f->trace) ? WL_OK
                              : wlab_fail(err, WL_ENUMERIC,
                                          "the squares of the data are not finite numbers; scale the data");
}

/* ---- Cholesky ---- */

typedef struct factor {
    wlab_features *f;
    double *rest;    /* [n] diagonal of K - Phi Phi' */
    double *columns; /* [capacity x n] columns of Phi, each stored as a row */
    int64_t capacity;
    double *block;            /* [BLOCK x n] columns of the candidates: of K, then of K - Phi Phi' */
    double *own;              /* [BLOCK x capacity] rows of Phi of the candidates */
    int32_t candidate[BLOCK]; /* instances */
    int64_t tried;            /* number of candidates */
    double scale;             /* the largest diagonal entry of K */
} factor;

static double diagonal(const wlab_features *f, int64_t i)
{
    const wlab_kernel *k = &f->kernel;
    const wlab_matrix *X = f->X;
    double v = 0;
    switch (k->kind) {
    case WL_K_LINEAR:
        v = wlab_matrix_row_sqnorm(X, i);
        break;
    case WL_K_RBF:
        v = 1;
        break;
    case WL_K_POLY:
        v = pow(k->gamma * wlab_matrix_row_sqnorm(X, i) + k->coef0, k->degree);
        break;
    case WL_K_PRECOMPUTED:
        v = f->row[i] < X->cols ? wlab_matrix_at(X, i, f->row[i]) : 0;
        break;
    case WL_K_AUTO:     /* resolved before */
    case WL_K_DEFORMED: /* not factored again */
        break;
    }
    return v + k->bias * k->bias;
}

/* Selects the `count` rows with the largest remaining diagonal as candidates; ties: the lower row.  Inserts into a
 * short sorted list. */
static void select_candidates(factor *c, int64_t count)
{
    const int64_t n = c->f->n;
    c->tried = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t at = c->tried;
        if (!(c->rest[i] > 0) || (at == count && c->rest[i] <= c->rest[c->candidate[count - 1]]))
            continue;
        if (at < count)
            c->tried++;
        else
            at--;
        for (; at > 0 && c->rest[i] > c->rest[c->candidate[at - 1]]; at--)
            c->candidate[at] = c->candidate[at - 1];
        c->candidate[at] = (int32_t)i;
    }
}

static wlab_code check_column(const factor *c, int64_t i, const double *column, wlab_err *err)
{
    const wlab_features *f = c->f;
    for (int64_t j = 0; j < f->n; j++) {
        if (!isfinite(column[j]))
            return wlab_fail(err, WL_ENUMERIC,
                             "the kernel of rows %lld and %lld is not a finite number; scale the data or "
                             "lower the degree",
                             (long long)i + 1, (long long)j + 1);
        if (f->kernel.kind != WL_K_PRECOMPUTED)
            continue;
        const double other = wlab_matrix_at(f->X, j, f->row[i]),
                     value = column[j] - f->kernel.bias * f->kernel.bias;
        if (!(fabs(other - value) <= 1e-6 * (1 + fabs(value))))
            return wlab_fail(err, WL_EARG,
                             "kernel=precomputed needs a symmetric matrix: K(%d,%d) = %g but K(%d,%d) = %g",
                             f->row[i] + 1, f->row[j] + 1, value, f->row[j] + 1, f->row[i] + 1, other);
    }
    return WL_OK;
}

static wlab_code interrupted(wlab_err *err)
{
    return wlab_fail(err, WL_EINTERRUPTED, "interrupted while the kernel matrix was factored");
}

/* Computes the candidates' columns of K - Phi Phi'. */
static wlab_code compute_candidates(factor *c, wlab_ctx *ctx, wlab_progress *progress, wlab_err *err)
{
    wlab_features *f = c->f;
    /* without reports: the columns are counted */
    wlab_ctx quiet = wlab_quiet(ctx);
    wlab_matrix *Z = NULL;
    wlab_code code = wlab_matrix_rows(&Z, f->X, c->candidate, c->tried, err);
    if (!code)
        code = wlab_kernel_matrix_progress(&f->kernel, Z, f->X, f->row, c->block, &quiet, err);
    wlab_matrix_destroy(Z);
    for (int64_t k = 0; !code && k < c->tried; k++)
        code = check_column(c, c->candidate[k], c->block + k * f->n, err);
    if (code || f->r == 0)
        return code;
    for (int64_t k = 0; k < c->tried; k++)
        for (int64_t j = 0; j < f->r; j++)
            c->own[k * c->capacity + j] = c->columns[j * f->n + c->candidate[k]];
    wlab_progress_add(progress, 0);
    const wlab_product p = {.m = c->tried,
                            .n = f->n,
                            .k = f->r,
                            .alpha = -1,
                            .beta = 1,
                            .A = c->own,
                            .B = c->columns,
                            .C = c->block,
                            .lda = c->capacity,
                            .ldb = f->n,
                            .ldc = f->n,
                            .rows = c->tried,
                            .columns = TILE};
    return wlab_product_run(&p, &quiet) ? WL_OK : interrupted(err);
}

/* Space for BLOCK more columns.  They are copied, not reallocated, as the system may take most of a second for that. */
static wlab_code reserve_columns(factor *c, int64_t most, wlab_ctx *ctx, wlab_err *err)
{
    wlab_features *f = c->f;
    if (f->r + BLOCK <= c->capacity)
        return WL_OK;
    int64_t capacity = 2 * c->capacity + BLOCK;
    if (capacity > most + BLOCK)
        capacity = most + BLOCK;
    double *columns = wlab_alloc((size_t)(capacity * f->n), sizeof *columns);
    if (!columns)
        return wlab_nomem(err);
    for (int64_t j = 0; j < f->r; j++) {
        if (!wlab_look_at(j, 8 * f->n, NULL, ctx)) {
            wlab_free(columns);
            return interrupted(err);
        }
        memcpy(columns + j * f->n, c->columns + j * f->n, (size_t)f->n * sizeof *columns);
    }
    wlab_free(c->columns);
    c->columns = columns;
    int32_t *pivot = wlab_realloc(f->pivot, (size_t)capacity, sizeof *pivot);
    if (!pivot)
        return wlab_nomem(err);
    f->pivot = pivot;
    double *own = wlab_realloc(c->own, (size_t)(BLOCK * capacity), sizeof *own);
    if (!own)
        return wlab_nomem(err);
    c->own = own;
    c->capacity = capacity;
    return WL_OK;
}

/* Adds the best candidates as columns, as long as the best remaining one has at least half of the largest remaining
 * diagonal.  *added: how many. */
static wlab_code add_columns(factor *c, int64_t most, int64_t *added, wlab_ctx *ctx, wlab_progress *progress,
                             wlab_err *err)
{
    wlab_features *f = c->f;
    const int64_t n = f->n, first = f->r;
    bool used[BLOCK] = {false};
    for (*added = 0; f->r < most; ++*added) {
        int64_t best = -1;
        double top = 0, largest = 0;
        if (wlab_interrupted(ctx))
            return interrupted(err);
        for (int64_t i = 0; i < n; i++)
            largest = c->rest[i] > largest ? c->rest[i] : largest;
        for (int64_t k = 0; k < c->tried; k++)
            if (!used[k] && c->rest[c->candidate[k]] > top) {
                top = c->rest[c->candidate[k]];
                best = k;
            }
        if (best < 0 || top < 0.5 * largest || top <= 1e-15 * c->scale)
            break;
        const int32_t row = c->candidate[best];
        double *column = c->columns + f->r * n;
        memcpy(column, c->block + best * n, (size_t)n * sizeof *column);
        for (int64_t j = first; j < f->r; j++)
            cblas_daxpy((int)n, -c->columns[j * n + row], c->columns + j * n, 1, column, 1);
        const double root = sqrt(top);
        for (int64_t i = 0; i < n; i++) {
            column[i] /= root;
            c->rest[i] -= column[i] * column[i];
            if (c->rest[i] < -1e-6 * sqrt((double)n) * c->scale)
                return wlab_fail(
                    err, WL_ENUMERIC,
                    f->kernel.kind == WL_K_PRECOMPUTED
                        ? "kernel=precomputed needs a positive semidefinite matrix, and this one "
                          "has a negative eigenvalue"
                        : "the kernel's values are too large for doubles; scale the data");
        }
        column[row] = root;
        c->rest[row] = 0;
        for (int64_t j = 0; j < f->r; j++) /* L is triangular */
            column[f->pivot[j]] = 0;
        used[best] = true;
        f->pivot[f->r++] = row;
        wlab_progress_add(progress, 1);
    }
    return WL_OK;
}

static double remaining_trace(const factor *c)
{
    double sum = 0;
    for (int64_t i = 0; i < c->f->n; i++)
        sum += c->rest[i] > 0 ? c->rest[i] : 0;
    return sum;
}

/* Adds columns until the remaining trace is at most tol times the trace. */
static wlab_code factorise(factor *c, double tol, int64_t most, wlab_ctx *ctx, wlab_err *err)
{
    wlab_features *f = c->f;
    wlab_progress progress;
    wlab_code code;
    int64_t count = 8, added = 0;
    for (int64_t i = 0; i < f->n; i++) {
        c->rest[i] = diagonal(f, i);
        if (!isfinite(c->rest[i]))
            return wlab_fail(err, WL_ENUMERIC,
                             "the kernel of row %lld with itself is not a finite number; scale the data or "
                             "lower the degree",
                             (long long)i + 1);
        if (c->rest[i] < 0)
            return wlab_fail(err, WL_ENUMERIC,
                             "kernel=precomputed needs a positive semidefinite matrix, and the kernel of row "
                             "%d with itself is negative",
                             f->row[i] + 1);
        f->trace += c->rest[i];
        c->scale = fmax(c->scale, c->rest[i]);
    }
    f->left = f->trace;
    wlab_progress_begin(&progress, ctx, "columns of a factor of the kernel matrix", 0);
    while (f->r < most && f->left > tol * f->trace) {
        if (wlab_interrupted(ctx))
            return interrupted(err);
        if ((code = reserve_columns(c, most, ctx, err)))
            return code;
        select_candidates(c, count);
        if (c->tried == 0)
            break;
        if ((code = compute_candidates(c, ctx, &progress, err)) ||
            (code = add_columns(c, most, &added, ctx, &progress, err)))
            return code;
        if (added == 0)
            break;
        /* adapt the number of candidates: of similar rows few become columns */
        count = added == c->tried ? 2 * count : 2 * added < count ? count / 2 : count;
        count = count > BLOCK ? BLOCK : count < 1 ? 1 : count;
        f->left = remaining_trace(c);
    }
    return WL_OK;
}

static wlab_code make_factor(wlab_features *f, double tol, int64_t most, wlab_ctx *ctx, wlab_err *err)
{
    factor c = {.f = f};
    wlab_code code;
    c.rest = wlab_alloc((size_t)f->n, sizeof *c.rest);
    c.block = wlab_alloc((size_t)(BLOCK * f->n), sizeof *c.block);
    if (!c.rest || !c.block)
        code = wlab_nomem(err);
    else
        code = factorise(&c, tol, most, ctx, err);
    wlab_free(c.block);
    wlab_free(c.own);
    if (!code) {
        f->Phi = wlab_alloc((size_t)(f->n * f->r), sizeof *f->Phi);
        f->L = wlab_alloc((size_t)(f->r * f->r), sizeof *f->L);
        if (!f->Phi || !f->L)
            code = wlab_nomem(err);
    }
    if (!code && !wlab_transpose(c.columns, f->r, f->n, f->Phi, ctx))
        code = interrupted(err);
    for (int64_t i = 0; !code && i < f->r; i++) {
        if (!wlab_look_at(i, 8 * f->r, NULL, ctx))
            code = interrupted(err);
        else
            memcpy(f->L + i * f->r, f->Phi + f->pivot[i] * f->r, (size_t)f->r * sizeof *f->L);
    }
    wlab_free(c.rest);
    wlab_free(c.columns);
    return code;
}

/* ---- a kernel deformed by a graph ---- */

static wlab_code copy_deformed(wlab_features *f, wlab_err *err)
{
    const wlab_deformed *d = f->kernel.deformed;
    const double bias = f->kernel.bias;
    const int64_t r = d->r + (bias > 0);

    f->r = r;
    f->Phi = wlab_alloc((size_t)(f->n * r) + 1, sizeof *f->Phi);
    if (!f->Phi)
        return wlab_nomem(err);
    f->left = d->left;
    for (int64_t i = 0; i < f->n; i++) {
        if (d->r)
            memcpy(f->Phi + i * r, d->Phi + i * d->r, (size_t)d->r * sizeof *f->Phi);
        if (bias > 0)
            f->Phi[i * r + d->r] = bias;
    }
    f->trace = d->trace;
    return WL_OK;
}

/* ---- creation ---- */

/* of: NULL, or the problem that the features keep. */
static wlab_code make_features(wlab_features **out, wlab_problem *of, const wlab_matrix *X,
                               const wlab_kernel *kernel, bool cholesky, double tol, int64_t most,
                               wlab_ctx *ctx, wlab_err *err)
{
    wlab_features *f = wlab_calloc(1, sizeof *f);
    wlab_code code;
    *out = NULL;
    if (!f)
        return wlab_nomem(err);
    f->p = of ? wlab_problem_ref(of) : NULL;
    f->X = X;
    f->row = of ? of->row : NULL;
    f->kernel = wlab_kernel_copy(kernel);
    f->n = X->rows;
    if (most <= 0 || most > f->n)
        most = f->n;
    if ((code = wlab_blas_init(wlab_pool_threads(ctx ? ctx->pool : NULL), err)))
        goto out;
    if (kernel->kind == WL_K_DEFORMED)
        code = copy_deformed(f, err);
    else if (!cholesky && kernel->kind == WL_K_LINEAR && X->cols + (kernel->bias > 0) <= most)
        code = make_direct(f, ctx, err);
    else
        code = make_factor(f, tol, most, ctx, err);
out:
    if (code)
        wlab_features_destroy(f);
    else
        *out = f;
    return code;
}

wlab_code wlab_features_make(wlab_features **out, wlab_problem *p, const wlab_kernel *kernel, double tol,
                             int64_t most, wlab_ctx *ctx, wlab_err *err)
{
    return make_features(out, p, p->X, kernel, false, tol, most, ctx, err);
}

wlab_code wlab_features_keep(wlab_features **out, wlab_problem *p, wlab_kernel *kernel, double tol,
                             int64_t most, wlab_ctx *ctx, wlab_err *err)
{
    const wlab_code code = wlab_features_make(out, p, kernel, tol, most, ctx, err);
    wlab_kernel_clear(kernel);
    return code;
}

wlab_code wlab_features_factor(wlab_features **out, const wlab_matrix *X, const wlab_kernel *kernel,
                               double tol, int64_t most, wlab_ctx *ctx, wlab_err *err)
{
    return make_features(out, NULL, X, kernel, true, tol, most, ctx, err);
}

/* ---- models ---- */

static wlab_code direct_model(wlab_model **out, const wlab_features *f, int P, const double *W,
                              const double *b, wlab_err *err)
{
    const int64_t cols = f->X->cols;
    double *w = wlab_alloc((size_t)(P * cols), sizeof *w), *at = wlab_alloc((size_t)P, sizeof *at);
    wlab_code code = WL_OK;
    if (!w || !at)
        code = wlab_nomem(err);
    for (int k = 0; !code && k < P; k++) {
        if (cols)
            memcpy(w + k * cols, W + k * f->r, (size_t)cols * sizeof *w);
        at[k] = b[k] + (f->r > cols ? f->kernel.bias * W[k * f->r + cols] : 0);
    }
    if (!code)
        code = wlab_model_from_class_weights(out, f->p, w, at, err);
    wlab_free(w);
    wlab_free(at);
    return code;
}

/* The same functions as sums of kernel values: coef [n x P], zeros before the call, of the kernel *plain, and at [P] what
 * the weights of a constant feature add to the offsets.  phi(x) is L^-1 times the kernel values of x with the pivots. */
static wlab_code expand(const wlab_features *f, int P, const double *W, double *coef,
                        const wlab_kernel **plain, double *at, wlab_err *err)
{
    const wlab_deformed *d = f->kernel.kind == WL_K_DEFORMED ? f->kernel.deformed : NULL;
    const int64_t r = d ? d->r : f->r;
    double *c = wlab_alloc((size_t)(r * P) + 1, sizeof *c);
    wlab_code code = c ? WL_OK : wlab_nomem(err);

    for (int k = 0; !code && k < P; k++) {
        if (r)
            memcpy(c + k * r, W + k * f->r, (size_t)r * sizeof *c);
        at[k] = f->r > r ? f->kernel.bias * W[k * f->r + r] : 0;
        if (d || r == 0)
            continue;
        cblas_dtrsv(CblasRowMajor, CblasLower, CblasTrans, CblasNonUnit, (int)r, f->L, (int)r, c + k * r, 1);
        for (int64_t j = 0; j < r; j++)
            coef[f->pivot[j] * P + k] = c[k * r + j];
    }
    if (!code && d)
        code = wlab_deformed_plain(d, P, NULL, c, coef, err);
    *plain = d ? &d->base : &f->kernel;
    wlab_free(c);
    return code;
}

wlab_code wlab_features_model(wlab_model **out, const wlab_features *f, int P, const double *W,
                              const double *b, wlab_pool *pool, wlab_err *err)
{
    *out = NULL;
    if (f->direct)
        return direct_model(out, f, P, W, b, err);
    double *coef = wlab_calloc((size_t)(f->n * P) + 1, sizeof *coef), *at = wlab_alloc((size_t)P, sizeof *at);
    const wlab_kernel *plain;
    wlab_code code = coef && at ? expand(f, P, W, coef, &plain, at, err) : wlab_nomem(err);
    for (int k = 0; !code && k < P; k++)
        at[k] += b[k];
    if (!code)
        code = wlab_model_from_class_coefficients(out, f->p, plain, coef, at, pool, err);
    wlab_free(coef);
    wlab_free(at);
    return code;
}

wlab_code wlab_features_function(wlab_model **out, const wlab_features *f, const wlab_model *m,
                                 wlab_pool *pool, wlab_err *err)
{
    const int P = m->outputs;
    *out = NULL;
    if (!m->w || m->cols != f->r)
        return wlab_fail(err, WL_ESTATE,
                         "the model has no weights of %lld columns, so that it is none of the kernel",
                         (long long)f->r);
    if (P > 1)
        return wlab_features_model(out, f, P, m->w, m->b, pool, err);
    double *coef = wlab_calloc((size_t)f->n + 1, sizeof *coef), at = 0;
    const wlab_kernel *plain;
    wlab_code code = coef ? expand(f, 1, m->w, coef, &plain, &at, err) : wlab_nomem(err);
    if (!code)
        code = wlab_model_from_coefficients(out, f->p, plain, coef, pool, err);
    if (!code)
        (*out)->b[0] += at + m->b[0];
    wlab_free(coef);
    return code;
}

wlab_code wlab_features_take(wlab_matrix **out, wlab_features *f, wlab_err *err)
{
    const wlab_code code = wlab_matrix_adopt(out, f->n, (int32_t)f->r, f->Phi, err);
    if (code)
        return code;
    f->Phi = NULL;
    (*out)->nnz = f->n * f->r; /* nearly none is 0, and none need be known to be */
    return WL_OK;
}

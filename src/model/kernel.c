/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Kernel matrices, and kernels from their parameters.
 */
#include "model/kernel.h"
#include "base/progress.h"
#include "base/rows.h"
#include "linalg/cholesky.h"
#include "linalg/gram.h"
#include "linalg/transpose.h"
#include "model/deformed.h"
#include "model/width.h"

#include <string.h>

const char *const wlab_kernel_names[] = {"linear", "rbf", "poly", "precomputed", "auto", NULL};

enum {
    KERNEL_BLOCKS = 64,
    CHECKED = 256 /* rows between two looks at the interrupt */
};

typedef struct transform {
    const wlab_kernel *kernel;
    const double *xx, *zz; /* squared norms */
    double *K;
    int64_t rows, cols;
    bool symmetric; /* only the lower triangle, diagonal included */
} transform;

static int64_t first_row(const transform *t, int block)
{
    return t->symmetric ? wlab_triangle_begin(t->rows, KERNEL_BLOCKS, block)
                        : wlab_block_begin(t->rows, KERNEL_BLOCKS, block);
}

static void transform_block(void *data, int block)
{
    transform *t = data;
    const wlab_kernel *k = t->kernel;
    double bias2 = k->bias * k->bias;
    int64_t end = first_row(t, block + 1);
    for (int64_t i = first_row(t, block); i < end; i++) {
        double *row = t->K + i * t->cols;
        for (int64_t j = 0; j < (t->symmetric ? i + 1 : t->cols); j++) {
            double v = row[j];
            if (k->kind == WL_K_RBF) {
                double d2 = t->xx[i] + t->zz[j] - 2 * v;
                v = exp(-k->gamma * (d2 > 0 ? d2 : 0));
            } else if (k->kind == WL_K_POLY) {
                v = pow(k->gamma * v + k->coef0, k->degree);
            }
            row[j] = v + bias2;
        }
    }
}

static wlab_code interrupted(wlab_err *err)
{
    return wlab_fail(err, WL_EINTERRUPTED, "interrupted while the kernel matrix was computed");
}

static wlab_code check_finite(const double *K, int64_t rows, int64_t cols, wlab_ctx *ctx, wlab_err *err)
{
    wlab_progress progress;
    wlab_progress_begin(&progress, ctx, "rows of the kernel matrix", rows);
    for (int64_t i = 0; i < rows; i++) {
        if (i % CHECKED == 0) {
            if (wlab_interrupted(ctx))
                return interrupted(err);
            wlab_progress_add(&progress, i ? CHECKED : 0);
        }
        for (int64_t j = 0; j < cols; j++)
            if (!isfinite(K[i * cols + j]))
                return wlab_fail(err, WL_ENUMERIC,
                                 "the kernel of rows %lld and %lld is not a finite number; scale the data or "
                                 "lower the degree",
                                 (long long)i + 1, (long long)j + 1);
    }
    return WL_OK;
}

static wlab_code copy_precomputed(const wlab_matrix *X, int64_t m, const int32_t *zrow, double *K,
                                  const wlab_ctx *ctx, wlab_err *err)
{
    for (int64_t j = 0; j < m; j++)
        if (zrow[j] >= X->cols)
            return wlab_fail(
                err, WL_EARG,
                "kernel=precomputed needs a square matrix of kernel values, and this one has row %d but no "
                "column %d",
                zrow[j] + 1, zrow[j] + 1);
    for (int64_t i = 0; i < X->rows; i++) {
        if (i % CHECKED == 0 && wlab_interrupted(ctx))
            return interrupted(err);
        for (int64_t j = 0; j < m; j++)
            K[i * m + j] = wlab_matrix_at(X, i, zrow[j]);
    }
    return WL_OK;
}

static wlab_code check_symmetric(const double *K, int64_t n, const int32_t *zrow, const wlab_ctx *ctx,
                                 wlab_err *err)
{
    for (int64_t i = 0; i < n; i++) {
        if (i % CHECKED == 0 && wlab_interrupted(ctx))
            return interrupted(err);
        for (int64_t j = 0; j < i; j++)
            if (fabs(K[i * n + j] - K[j * n + i]) > 1e-6 * (1 + fabs(K[i * n + j])))
                return wlab_fail(
                    err, WL_EARG,
                    "kernel=precomputed needs a symmetric matrix: K(%d,%d) = %g but K(%d,%d) = %g",
                    zrow[i] + 1, zrow[j] + 1, K[i * n + j], zrow[j] + 1, zrow[i] + 1, K[j * n + i]);
    }
    return WL_OK;
}

/* Copies the lower triangle to the upper one: dgemm may round K_ij and K_ji differently. */
static wlab_code make_symmetric(double *K, int64_t n, wlab_ctx *ctx, wlab_err *err)
{
    return wlab_mirror_lower(K, n, ctx) ? WL_OK : interrupted(err);
}

/* Checks that K is psd up to the effect of rounding to six digits: bounds of the SVM dual hold only for a psd matrix.
 * Cost n^3 / 3 and a copy of K. */
static wlab_code check_psd(const double *K, int64_t n, wlab_ctx *ctx, wlab_err *err)
{
    bool definite = true;
    double mean = 0, *A = wlab_alloc((size_t)(n * n), sizeof *A);
    if (!A)
        return wlab_nomem(err);
    memcpy(A, K, (size_t)(n * n) * sizeof *A);
    for (int64_t i = 0; i < n; i++)
        mean += fabs(K[i * n + i]) / (double)n;
    for (int64_t i = 0; i < n; i++)
        A[i * n + i] += 1e-6 * sqrt((double)n) * mean + 1e-300;
    const wlab_code code = wlab_cholesky(A, n, &definite, ctx, err);
    wlab_free(A);
    if (!code && !definite)
        return wlab_fail(
            err, WL_ENUMERIC,
            "kernel=precomputed needs a positive semidefinite matrix, and this one has a negative "
            "eigenvalue");
    return code;
}

/* If the width is far below the distances of rows, K is nearly the identity: all labelings are equally good, and a
 * solver ends at once.  The usual cause is data that were not scaled. */
static void warn_if_identity(const wlab_kernel *kernel, const wlab_matrix *X, const double *xx, wlab_ctx *ctx)
{
    enum {
        SAMPLED = 100
    };
    int64_t n = X->rows, step = n / SAMPLED + 1, pairs = 0;
    double sum = 0;
    /* computed from the rows again, as in K a large bias^2 may have absorbed the small values */
    for (int64_t i = 0; i < n; i += step)
        for (int64_t j = 0; j < i; j += step, pairs++)
            sum += exp(-kernel->gamma * fmax(xx[i] + xx[j] - 2 * wlab_matrix_rows_dot(X, i, X, j), 0));
    if (pairs > 10 && sum < 1e-3 * (double)pairs && !(ctx && ctx->lean))
        wlab_emit_warning(
            ctx,
            "the kernel matrix is nearly the identity (off its diagonal the mean is %.1g): at this width "
            "every row is far from all others; scale the columns (`scale zscore`), or use a larger "
            "sigma=",
            sum / (double)pairs);
}

wlab_code wlab_kernel_matrix_progress(const wlab_kernel *kernel, const wlab_matrix *X, const wlab_matrix *Z,
                                      const int32_t *zrow, double *K, wlab_ctx *ctx, wlab_err *err)
{
    if (kernel->kind == WL_K_DEFORMED)
        return wlab_deformed_matrix(kernel->deformed, kernel->bias, X, Z, K, ctx, err);
    int64_t n = X->rows, m = Z->rows;
    bool same = X == Z;
    double *xx = wlab_alloc((size_t)n, sizeof *xx);
    double *zz = wlab_alloc((size_t)m, sizeof *zz);
    wlab_code code = WL_OK;
    if (!xx || !zz) {
        code = wlab_nomem(err);
        goto out;
    }
    if (kernel->kind == WL_K_PRECOMPUTED) {
        code = copy_precomputed(X, m, zrow, K, ctx, err);
        if (!code && same)
            code = check_symmetric(K, n, zrow, ctx, err);
        if (!code && same && n > 0 &&
            !(code = wlab_blas_init(wlab_pool_threads(ctx ? ctx->pool : NULL), err)) &&
            !(code = make_symmetric(K, n, ctx, err)))
            code = check_psd(K, n, ctx, err);
    } else {
        code = wlab_matrix_gram_progress(X, Z, K, m, ctx, err);
    }
    if (code)
        goto out;
    if (kernel->kind == WL_K_RBF) {
        for (int64_t i = 0; i < n; i++)
            xx[i] = wlab_matrix_row_sqnorm(X, i);
        for (int64_t j = 0; j < m; j++)
            zz[j] = wlab_matrix_row_sqnorm(Z, j);
    }
    transform t = {kernel, xx, zz, K, n, m, same};
    if ((kernel->kind == WL_K_RBF || kernel->kind == WL_K_POLY || kernel->bias != 0) &&
        !wlab_pool_run_progress(ctx, KERNEL_BLOCKS, transform_block, &t, "kernel values",
                                same ? n * (n + 1) / 2 : n * m)) {
        code = interrupted(err);
        goto out;
    }
    if (same) {
        if (kernel->kind == WL_K_RBF)
            for (int64_t i = 0; i < n; i++)
                K[i * n + i] = 1 + kernel->bias * kernel->bias;
        code = make_symmetric(K, n, ctx, err);
    }
    code = code ? code : check_finite(K, n, m, ctx, err);
    if (!code && same && kernel->kind == WL_K_RBF)
        warn_if_identity(kernel, X, xx, ctx);
out:
    wlab_free(xx);
    wlab_free(zz);
    return code;
}

wlab_code wlab_kernel_matrix(const wlab_kernel *kernel, const wlab_matrix *X, const wlab_matrix *Z,
                             const int32_t *zrow, double *K, wlab_pool *pool, wlab_err *err)
{
    wlab_ctx ctx = {.pool = pool};

    return wlab_kernel_matrix_progress(kernel, X, Z, zrow, K, &ctx, err);
}

wlab_kernel wlab_kernel_copy(const wlab_kernel *k)
{
    wlab_deformed_ref(k->deformed);
    return *k;
}

void wlab_kernel_clear(wlab_kernel *k)
{
    wlab_deformed_unref(k->deformed);
    k->deformed = NULL;
}

/* Whether there is a graph that changes the kernel. */
static bool has_graph(const wlab_params *params)
{
    const char *graph = wlab_params_text(params, "graph");
    return graph && strcmp(graph, "none") != 0 && wlab_params_real(params, "rho") > 0;
}

wlab_kernel_kind wlab_kernel_kind_of(const wlab_params *params, const wlab_matrix *X)
{
    return has_graph(params) ? WL_K_DEFORMED : wlab_kernel_plain_kind(params, X);
}

/* Whether rank= is that of a factor by which the algorithm works; some have another one. */
static bool has_rank(const wlab_params *params)
{
    const wlab_param_info *info = wlab_param_find(wlab_params_table(params), "rank");
    return info && info->flags & WL_P_FACTOR;
}

static int64_t given_rank(const wlab_params *params)
{
    return has_rank(params) && wlab_params_given(params, "rank") ? wlab_params_int(params, "rank") : 0;
}

int64_t wlab_kernel_rank(const wlab_params *params, const wlab_matrix *X, int64_t rows)
{
    if (!has_rank(params) || wlab_kernel_kind_of(params, X) == WL_K_LINEAR)
        return 0;
    return wlab_kernel_columns(params, rows);
}

int64_t wlab_kernel_columns(const wlab_params *params, int64_t rows)
{
    if (wlab_params_given(params, "rank"))
        return wlab_params_int(params, "rank");
    return rows > WL_KERNEL_ROWS ? WL_KERNEL_RANK : 0;
}

/* The same on every rank. */
static int64_t all_rows(const wlab_matrix *X)
{
    return X->parts ? X->parts->all : X->rows;
}

wlab_kernel_kind wlab_kernel_plain_kind(const wlab_params *params, const wlab_matrix *X)
{
    enum {
        AUTO_ROWS = 4000 /* K of so many rows takes seconds */
    };
    const wlab_kernel_kind kind = (wlab_kernel_kind)wlab_params_choice(params, "kernel");

    if (kind != WL_K_AUTO)
        return kind;
    if (wlab_params_given(params, "sigma") || wlab_params_given(params, "gamma") || given_rank(params) > 0)
        return WL_K_RBF;
    return X->sparse || all_rows(X) > AUTO_ROWS ? WL_K_LINEAR : WL_K_RBF;
}

const char *wlab_kernel_sigma(const wlab_params *params, const wlab_matrix *X, double *number, int *unit)
{
    const bool wide =
        !wlab_params_given(params, "sigma") && (given_rank(params) > 0 || all_rows(X) > WL_KERNEL_ROWS);

    *number = wide ? 0.5 : wlab_params_real(params, "sigma");
    *unit = wide ? (int)WL_WIDTH_RMS : wlab_params_scale(params, "sigma");
    return wide ? "0.5rms" : wlab_params_text(params, "sigma");
}

wlab_code wlab_kernel_set_old_defaults(wlab_params *params, const wlab_matrix *X, int format, wlab_err *err)
{
    if (format == 1 && !wlab_params_given(params, "kernel")) {
        const wlab_code code = wlab_params_set(params, "kernel", wlab_kernel_names[WL_K_LINEAR], err);
        if (code)
            return code;
    }
    if (wlab_kernel_plain_kind(params, X) != WL_K_RBF || wlab_params_given(params, "sigma") ||
        wlab_params_given(params, "gamma"))
        return WL_OK;
    double number;
    int unit;
    if (format == 1)
        return wlab_params_set(params, "sigma", "1x", err);
    (void)wlab_kernel_sigma(params, X, &number, &unit);
    return unit == WL_WIDTH_NN ? WL_OK : wlab_params_set(params, "sigma", "1nn", err);
}

wlab_code wlab_kernel_check(const wlab_params *params, wlab_err *err)
{
    int kind = wlab_params_choice(params, "kernel");
    static const struct {
        const char *name;
        unsigned kinds;
        const char *applies_to;
    } only[] = {{"sigma", 1u << WL_K_RBF, "rbf"},
                {"gamma", 1u << WL_K_RBF | 1u << WL_K_POLY, "rbf or kernel=poly"},
                {"degree", 1u << WL_K_POLY, "poly"},
                {"coef0", 1u << WL_K_POLY, "poly"}};
    for (size_t i = 0; i < sizeof only / sizeof *only; i++)
        if (wlab_params_given(params, only[i].name) &&
            !(only[i].kinds & 1u << (kind == WL_K_AUTO ? (int)WL_K_RBF : kind)))
            return wlab_fail(err, WL_EARG, "%s=%s does not apply to kernel=%s: it applies to kernel=%s",
                             only[i].name, wlab_params_text(params, only[i].name), wlab_kernel_names[kind],
                             only[i].applies_to);
    if (wlab_params_given(params, "gamma") && wlab_params_given(params, "sigma"))
        return wlab_fail(err, WL_EARG, "give gamma or sigma, not both: gamma = 1 / (2 sigma^2)");
    if (kind == WL_K_LINEAR && !has_graph(params) && given_rank(params) > 0)
        return wlab_fail(
            err, WL_EARG,
            "rank=%s does not apply to kernel=linear, which needs no kernel matrix: it applies to "
            "kernel=rbf and others",
            wlab_params_text(params, "rank"));
    wlab_graph_spec spec = {0};
    wlab_code code = wlab_params_text(params, "graph")
                         ? wlab_graph_parse(&spec, wlab_params_text(params, "graph"), err)
                         : WL_OK;
    if (!code && spec.neighbours == 0 && wlab_params_given(params, "rho"))
        code = wlab_fail(err, WL_EARG, "rho= is the weight of a graph: give graph=knn:6, too");
    if (!code && spec.neighbours > 0 && kind == WL_K_PRECOMPUTED)
        code = wlab_fail(
            err, WL_EARG,
            "graph= needs the rows themselves, to find their neighbours; kernel=precomputed has only a "
            "matrix of kernel values");
    return code;
}

static void describe_plain(const wlab_kernel *k, char *buf, size_t size)
{
    snprintf(buf, size, "kernel=%s", wlab_kernel_names[k->kind]);
    if (k->kind == WL_K_RBF)
        wlab_text_append(buf, size, " sigma=%.3g", sqrt(0.5 / k->gamma));
    else if (k->kind == WL_K_POLY)
        wlab_text_append(buf, size, " degree=%d gamma=%.3g coef0=%.3g", k->degree, k->gamma, k->coef0);
}

void wlab_kernel_describe(const wlab_kernel *k, char *buf, size_t size)
{
    const wlab_deformed *d = k->deformed;
    describe_plain(d ? &d->base : k, buf, size);
    if (d)
        wlab_text_append(buf, size, " graph=knn:%d%s%s rho=%.3g", d->graph->neighbours,
                         d->graph->heat ? ":heat" : "", d->graph->normalised ? ":normalised" : "", d->rho);
}

/* Replaces a kernel by the one that a graph of the rows of X makes of it. */
static wlab_code deform(wlab_kernel *k, const wlab_params *params, const wlab_matrix *X, wlab_ctx *ctx,
                        wlab_err *err)
{
    wlab_graph_spec spec;
    wlab_graph *graph = NULL;
    wlab_deformed *d = NULL;
    const int64_t most = wlab_kernel_rank(params, X, X->rows);
    wlab_code code =
        most ? WL_OK
             : wlab_kernel_fits(
                   X->rows, WL_KERNEL_ROWS, "rows",
                   has_rank(params) ? "leave rank= out" : "use fewer (`split`), or no graph=", err);

    code = code ? code : wlab_graph_parse(&spec, wlab_params_text(params, "graph"), err);
    code = code ? code : wlab_graph_make(&graph, X, spec.neighbours, spec.heat, spec.normalised, ctx, err);
    code = code ? code : wlab_deformed_make(&d, k, X, graph, wlab_params_real(params, "rho"), most, ctx, err);
    if (!code)
        *k = (wlab_kernel){.kind = WL_K_DEFORMED, .bias = k->bias, .deformed = d};
    return code;
}

wlab_code wlab_kernel_choose(wlab_kernel *kernel, const wlab_params *params, const wlab_matrix *X,
                             wlab_ctx *ctx, wlab_err *err)
{
    wlab_kernel k = {.kind = wlab_kernel_plain_kind(params, X),
                     .coef0 = wlab_params_real(params, "coef0"),
                     .bias = wlab_params_real(params, "bias"),
                     .degree = (int)wlab_params_int(params, "degree")};
    wlab_code bad = wlab_kernel_check(params, err);
    if (bad)
        return bad;
    if (wlab_params_given(params, "gamma")) {
        k.gamma = wlab_params_real(params, "gamma");
    } else if (k.kind == WL_K_POLY) {
        k.gamma = X->cols > 0 ? 1.0 / X->cols : 1;
    } else if (k.kind == WL_K_RBF) {
        double sigma;
        int unit;
        const char *text = wlab_kernel_sigma(params, X, &sigma, &unit);
        if (unit >= 0) {
            double length = 0;
            wlab_code code = wlab_width(&length, (wlab_width_unit)unit, X, ctx, err);
            if (code)
                return code;
            if (!(length > 0))
                return wlab_fail(
                    err, WL_ENUMERIC,
                    "sigma=%s is relative to the rows' distances, and all rows are equal; give sigma "
                    "as a number",
                    text);
            sigma *= length;
        }
        k.gamma = 1 / (2 * sigma * sigma);
        if (!isfinite(k.gamma))
            return wlab_fail(err, WL_ENUMERIC, "sigma=%s is too small", text);
    }
    if (has_graph(params) && (bad = deform(&k, params, X, ctx, err)))
        return bad;
    *kernel = k;
    return WL_OK;
}

const char *const wlab_offset_names[] = {"auto", "free", "feature", NULL};

wlab_code wlab_offset_choose(bool *is_free, const wlab_params *given, bool by_default, wlab_err *err)
{
    const int offset = wlab_params_choice(given, "offset");

    *is_free = offset == 1 || (offset == 0 && by_default);
    if (*is_free && wlab_params_given(given, "bias") && wlab_params_real(given, "bias") > 0)
        return wlab_fail(err, WL_EARG, "bias= needs offset=feature; with offset=free b is not regularised");
    return WL_OK;
}

double wlab_offset_setting(const wlab_params *given, const char *name, bool by_default)
{
    if (strcmp(name, "offset") != 0 || wlab_params_choice(given, "offset") != 0)
        return NAN;
    return by_default ? 1 : 2;
}

wlab_code wlab_kernel_here(const wlab_matrix *X, wlab_err *err)
{
    if (!X->parts && !X->away)
        return WL_OK;
    return wlab_fail(
        err, WL_EARG,
        "a kernel matrix needs all rows in one process, but these were loaded with ranks=all: use "
        "kernel=linear with the squared hinge loss");
}

wlab_code wlab_kernel_fits(int64_t n, int64_t most, const char *things, const char *instead, wlab_err *err)
{
    if (n <= most)
        return WL_OK;
    return wlab_fail(err, WL_EARG, "the kernel matrix of %lld %s would take %.0f GB (at most %lld %s): %s",
                     (long long)n, things, 8e-9 * (double)n * (double)n, (long long)most, things, instead);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Scaled copies of data sets.
 */
#include "base/progress.h"
#include "data/generators/generate.h"
#include "data/readers/reader.h"

#include <math.h>
#include <string.h>

const char *const wlab_scaling_names[] = {"minmax", "zscore", "unit", "tfidf", "symmetric", NULL};

enum {
    UNEVEN = 100,        /* spans are uneven when one is at least this many times another */
    MOST_SPANS = 1 << 20 /* data with more columns than this are not checked for uneven spans */
};

/* Statistics of a column over the training rows, and the scaling x -> (x - shift) * factor that follows from them. */
typedef struct column {
    double lo, hi, mean, square; /* square: sum of (x - mean)^2 */
    int64_t nonzero;             /* rows in which the column is not 0 */
    double shift, factor;
} column;

static double entry(const wlab_matrix *X, int64_t row, int32_t e, int32_t *col)
{
    *col = X->sparse ? X->col[X->start[row] + e] : e;
    return X->sparse ? (double)X->val[X->start[row] + e] : X->dense[X->start[row] + e];
}

static bool is_zero(double x)
{
    return !(x < 0) && !(x > 0);
}

static wlab_code check_interrupt(const wlab_ctx *ctx, wlab_err *err)
{
    return wlab_interrupted(ctx) ? wlab_fail(err, WL_EINTERRUPTED, "interrupted: nothing was scaled") : WL_OK;
}

/* The same at each row of a pass over X, which is reported. */
static wlab_code check_interrupt_in(wlab_progress *pass, int64_t row, const wlab_matrix *X,
                                    const wlab_ctx *ctx, wlab_err *err)
{
    const int64_t each = wlab_look_every(16 * (X->nnz / X->rows));
    if (row > 0 && row % each == 0)
        wlab_progress_add(pass, each);
    return check_interrupt(ctx, err);
}

/* Check for an interrupt only once in some thousand items of a loop. */
static wlab_code check_interrupt_at(int64_t item, const wlab_ctx *ctx, wlab_err *err)
{
    return wlab_input_due(item) ? check_interrupt(ctx, err) : WL_OK;
}

/* Each column's smallest and largest entry, its mean, and in how many rows it is not 0, in one pass. */
static wlab_code extents(column *c, const wlab_matrix *X, const int32_t *train, int64_t n, wlab_ctx *ctx,
                         wlab_err *err)
{
    wlab_code code = WL_OK;
    wlab_progress pass;
    int32_t j;
    wlab_progress_begin(&pass, ctx, "rows measured", n);
    for (j = 0; !code && j < X->cols; j++) {
        c[j] = (column){.lo = INFINITY, .hi = -INFINITY};
        code = check_interrupt_at(j, ctx, err);
    }
    for (int64_t i = 0; !code && i < n && !(code = check_interrupt_in(&pass, i, X, ctx, err)); i++) {
        int64_t row = train ? train[i] : i;
        for (int32_t e = 0; !code && e < X->len[row]; e++) {
            double x = entry(X, row, e, &j);
            code = check_interrupt_at(e, ctx, err);
            if (is_zero(x))
                continue;
            c[j].lo = x < c[j].lo ? x : c[j].lo;
            c[j].hi = x > c[j].hi ? x : c[j].hi;
            c[j].mean += x / (double)n;
            c[j].nonzero++;
        }
    }
    for (j = 0; !code && j < X->cols; j++) {
        code = check_interrupt_at(j, ctx, err);
        if (c[j].nonzero < n) {
            c[j].lo = c[j].lo < 0 ? c[j].lo : 0;
            c[j].hi = c[j].hi > 0 ? c[j].hi : 0;
        }
    }
    return code;
}

/* A second pass computes the deviation, so that a small deviation beside a large mean keeps its digits. */
static wlab_code measure(column *c, const wlab_matrix *X, const int32_t *train, int64_t n, wlab_ctx *ctx,
                         wlab_err *err)
{
    wlab_code code = extents(c, X, train, n, ctx, err);
    wlab_progress pass;
    int32_t j;
    wlab_progress_begin(&pass, ctx, "rows measured", n);
    for (int64_t i = 0; i < n && !code && !(code = check_interrupt_in(&pass, i, X, ctx, err)); i++) {
        int64_t row = train ? train[i] : i;
        for (int32_t e = 0; !code && e < X->len[row]; e++) {
            double x = entry(X, row, e, &j);
            code = check_interrupt_at(e, ctx, err);
            if (!is_zero(x))
                c[j].square += (x - c[j].mean) * (x - c[j].mean);
        }
    }
    for (j = 0; !code && j < X->cols; j++) {
        code = check_interrupt_at(j, ctx, err);
        if (c[j].nonzero < n)
            c[j].square += (double)(n - c[j].nonzero) * c[j].mean * c[j].mean;
    }
    return code;
}

bool wlab_dataset_uneven(const wlab_dataset *data, wlab_spans *spans, wlab_ctx *ctx)
{
    const wlab_matrix *X = data->X;
    column *c = X->cols <= MOST_SPANS && !X->away ? wlab_alloc((size_t)X->cols, sizeof *c) : NULL;

    *spans = (wlab_spans){.wide = -1, .narrow = -1};
    if (!c || extents(c, X, NULL, X->rows, ctx, NULL)) {
        wlab_free(c);
        return false;
    }
    for (int32_t j = 0; j < X->cols; j++) {
        const double span = c[j].hi - c[j].lo;
        if (10 * c[j].nonzero < X->rows || !(span > 0))
            continue;
        if (spans->wide < 0 || span > spans->widest) {
            spans->wide = j;
            spans->widest = span;
        }
        if (spans->narrow < 0 || span < spans->narrowest) {
            spans->narrow = j;
            spans->narrowest = span;
        }
    }
    wlab_free(c);
    return spans->wide >= 0 && spans->widest >= UNEVEN * spans->narrowest;
}

static void set_scaling(column *c, const wlab_matrix *X, wlab_scaling scaling, int64_t n)
{
    for (int32_t j = 0; j < X->cols; j++) {
        bool constant = !(c[j].lo < c[j].hi);
        double deviation = sqrt(c[j].square / (double)n);
        c[j].shift = 0;
        if (scaling == WL_SCALE_TFIDF)
            c[j].factor = log((double)n / (double)(c[j].nonzero ? c[j].nonzero : 1));
        else if (constant)
            c[j].factor = 0;
        else if (scaling == WL_SCALE_MINMAX)
            c[j].factor = 1 / (X->sparse ? fmax(-c[j].lo, c[j].hi) : c[j].hi - c[j].lo);
        else if (scaling == WL_SCALE_SYMMETRIC)
            c[j].factor = X->sparse ? 1 / fmax(-c[j].lo, c[j].hi) : 2 / (c[j].hi - c[j].lo);
        else
            c[j].factor = 1 / deviation;
        if (!X->sparse && scaling == WL_SCALE_MINMAX)
            c[j].shift = c[j].lo;
        if (!X->sparse && scaling == WL_SCALE_SYMMETRIC)
            c[j].shift = c[j].lo / 2 + c[j].hi / 2;
        if (!X->sparse && scaling == WL_SCALE_ZSCORE)
            c[j].shift = c[j].mean;
    }
}

/* Entry e of the row, scaled.  c = NULL: only multiplied by `factor`. */
static double scaled_entry(const wlab_matrix *X, const column *c, int64_t row, int32_t e, double factor,
                           int32_t *col)
{
    double x = entry(X, row, e, col);
    if (!c)
        return x * factor;
    return c[*col].factor > 0 ? (x - c[*col].shift) * c[*col].factor * factor : 0;
}

/* The factor that gives the scaled row length 1; 0 for a row of zeros. */
static double length_factor(const wlab_matrix *X, const column *c, int64_t row)
{
    double square = 0;
    int32_t j;
    for (int32_t e = 0; e < X->len[row]; e++) {
        double y = scaled_entry(X, c, row, e, 1, &j);
        square += y * y;
    }
    return square > 0 ? 1 / sqrt(square) : 0;
}

/* Y = scaled X.  A sparse Y does not store entries that become 0. */
static wlab_code apply(wlab_matrix *Y, const wlab_matrix *X, const column *c, wlab_scaling scaling,
                       wlab_ctx *ctx, wlab_err *err)
{
    int64_t used = 0;
    wlab_progress pass;
    int32_t j;
    bool counts = scaling == WL_SCALE_TFIDF, unit = counts || scaling == WL_SCALE_UNIT;
    Y->nnz = 0;
    wlab_progress_begin(&pass, ctx, "rows scaled", X->rows);
    for (int64_t i = 0; i < X->rows; i++) {
        if (check_interrupt_in(&pass, i, X, ctx, err))
            return WL_EINTERRUPTED;
        double factor = unit ? length_factor(X, c, i) : 1;
        int64_t begin = used;
        for (int32_t e = 0; e < X->len[i]; e++) {
            double x = entry(X, i, e, &j), y = scaled_entry(X, c, i, e, factor, &j);
            if (counts && x < 0)
                return wlab_fail(
                    err, WL_EARG,
                    "tfidf needs counts, but row %lld, column %d is %g; minmax and zscore accept any number",
                    (long long)i + 1, j + 1, x);
            if (!isfinite(X->sparse ? (double)(float)y : y))
                return wlab_fail(err, WL_ENUMERIC, "row %lld, column %d: %g is too large after scaling",
                                 (long long)i + 1, j + 1, x);
            if (!X->sparse) {
                Y->dense[i * X->cols + e] = y;
                Y->nnz += !is_zero(y);
            } else if (!is_zero((double)(float)y)) {
                Y->col[used] = j;
                Y->val[used++] = (float)y;
            }
        }
        if (X->sparse) {
            Y->start[i] = begin;
            Y->len[i] = (int32_t)(used - begin);
        }
    }
    if (X->sparse)
        Y->nnz = used;
    return WL_OK;
}

static wlab_code empty_like(wlab_matrix **Y, const wlab_matrix *X, wlab_err *err)
{
    int64_t size = 0;
    for (int64_t i = 0; i < X->rows && X->sparse; i++)
        size += X->len[i];
    return X->sparse ? wlab_matrix_create_sparse(Y, X->rows, X->cols, size, err)
                     : wlab_matrix_create_dense(Y, X->rows, X->cols, err);
}

static void *duplicate(const void *items, int64_t n, size_t size, bool *fine)
{
    if (!items || !*fine)
        return NULL;
    void *copy = wlab_alloc((size_t)n, size);
    if (copy)
        memcpy(copy, items, (size_t)n * size);
    *fine = copy != NULL;
    return copy;
}

static char **duplicate_names(char *const *names, int64_t n, bool *fine)
{
    if (!names || !*fine)
        return NULL;
    char **copy = wlab_calloc((size_t)n, sizeof *copy);
    *fine = copy != NULL;
    for (int64_t i = 0; i < n && *fine; i++) {
        if (names[i])
            copy[i] = wlab_strdup(names[i]);
        *fine = !names[i] || copy[i];
    }
    return copy;
}

/* A copy of everything but X, feature names, name, source, remark and hash. */
static wlab_dataset *copy_labels(const wlab_dataset *from)
{
    bool fine = true;
    int64_t rows = from->X->rows;
    wlab_dataset *data = wlab_calloc(1, sizeof *data);
    if (!data)
        return NULL;
    data->refs = 1;
    data->class_name = duplicate_names(from->class_name, from->classes, &fine);
    data->classes = data->class_name ? from->classes : 0;
    data->class_value = duplicate(from->class_value, from->classes, sizeof *data->class_value, &fine);
    data->label = duplicate(from->label, rows, sizeof *data->label, &fine);
    data->given = duplicate(from->given, rows, sizeof *data->given, &fine);
    data->bag = duplicate(from->bag, rows, sizeof *data->bag, &fine);
    data->bags = from->bags;
    data->bags_apart = from->bags_apart;
    data->bag_name = duplicate_names(from->bag_name, from->bags, &fine);
    if (!fine) {
        wlab_dataset_unref(data);
        return NULL;
    }
    return data;
}

static char *remark_of(const wlab_matrix *X, wlab_scaling scaling, const int32_t *train, int64_t n)
{
    static const char *const dense_words[] = {
        "every column runs from 0 to 1",
        "every column has mean 0 and deviation 1",
        "every row has length 1",
        "counts are multiplied by log(rows / rows with the word), then every row has length 1",
        "every column runs from -1 to 1",
    };
    static const char *const sparse_words[] = {
        "every column is divided by its largest |x|, so that zeros stay zeros",
        "every column is divided by its deviation but not centred, so that zeros stay zeros",
        "every row has length 1",
        "counts are multiplied by log(rows / rows with the word), then every row has length 1",
        "every column is divided by its largest |x|, so that zeros stay zeros",
    };
    const char *words = X->sparse ? sparse_words[scaling] : dense_words[scaling];
    if (!train || scaling == WL_SCALE_UNIT)
        return wlab_strdup(words);
    return wlab_format("%s, as measured on the %lld training rows", words, (long long)n);
}

wlab_code wlab_dataset_scale(wlab_dataset **made, const wlab_dataset *from, wlab_scaling scaling,
                             const int32_t *train, int64_t n, wlab_ctx *ctx, wlab_err *err)
{
    *made = NULL;
    const wlab_matrix *X = from->X;
    if (!train)
        n = X->rows;
    if (X->away)
        return wlab_fail(err, WL_ESTATE,
                         "the rows of %s are on several ranks, where they cannot be scaled: scale the file",
                         from->name);
    if (n < 1)
        return wlab_fail(err, WL_EARG, "there are no rows from which to compute the scaling");
    column *c = NULL;
    wlab_code code = WL_OK;
    wlab_dataset *data = copy_labels(from);
    if (!data)
        return wlab_nomem(err);
    const char *name = wlab_scaling_names[scaling];
    bool fine = true;
    data->feature_name = duplicate_names(from->feature_name, X->cols, &fine);
    data->name = wlab_format("%s-%s", from->name, name);
    data->source = train && scaling != WL_SCALE_UNIT
                       ? wlab_format("scale %s of %s by %lld of its rows", name, from->source, (long long)n)
                       : wlab_format("scale %s of %s", name, from->source);
    data->remark = remark_of(X, scaling, train, n);
    code = empty_like(&data->X, X, err);
    if (code)
        goto out;
    if (scaling != WL_SCALE_UNIT) {
        c = wlab_alloc((size_t)X->cols, sizeof *c);
        fine = fine && c;
    }
    if (!fine || !data->name || !data->source || !data->remark) {
        code = wlab_nomem(err);
        goto out;
    }
    code = c ? measure(c, X, train, n, ctx, err) : WL_OK;
    if (c && !code)
        set_scaling(c, X, scaling, n);
    code = code ? code : apply(data->X, X, c, scaling, ctx, err);
    code = code ? code : wlab_dataset_sha256(data, data->sha256, ctx, err);
out:
    wlab_free(c);
    if (code) {
        wlab_dataset_unref(data);
        return code;
    }
    *made = data;
    return WL_OK;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * MATLAB's MAT-files of version 5, through matio: a matrix of features, dense or sparse, and a vector of
 * labels, at the top or inside structs.
 *
 * Features are the variable X, x, data, fea or features; labels y, Y, label, labels, target, targets, class, classes,
 * gnd or truth, or the variable that label= names ("s.f" inside a struct).  If a struct contains train_label and
 * train_data_idx (and the same for test), the labels are assembled by these row numbers.  If there are bags
 * (mat_bags.c), a vector of labels may hold the labels of the bags.
 */
#include "data/readers/mat.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static wlab_code not_finite(const wlab_input *in, int64_t row, int64_t col, wlab_err *err)
{
    return wlab_fail_at(err, in->path, 0, 0, "row %lld, column %lld of the features is not finite",
                        (long long)row + 1, (long long)col + 1);
}

/* ---- features ---- */

static wlab_code dense_cells(wlab_table *t, int32_t features, const matvar_t *v, bool flip,
                             const wlab_input *in, wlab_err *err)
{
    const int64_t tall = (int64_t)v->dims[0], n = wlab_mat_elements(v);

    if (!wlab_mat_type_size(v->data_type) || (int64_t)v->nbytes < n * wlab_mat_type_size(v->data_type))
        return wlab_fail_at(err, in->path, 0, 0, "the features are stored in a form that cannot be read");
    t->cell = wlab_alloc((size_t)t->rows * (size_t)t->cols, sizeof *t->cell);
    if (!t->cell)
        return wlab_nomem(err);
    for (int64_t i = 0; i < t->rows; i++) {
        wlab_code code = wlab_input_check_stop(in, err);
        if (code)
            return code;
        for (int64_t c = 0; c < features; c++) {
            const double x = wlab_mat_element(v->data, v->data_type, flip ? i * tall + c : c * tall + i);
            if (isinf(x))
                return not_finite(in, i, c, err);
            t->cell[i * t->cols + c] = x;
        }
    }
    return WL_OK;
}

/* Convert compressed columns to rows, each with space for its bag and its label at the end; explicit zeros are removed
 * later. */
static wlab_code sparse_cells(wlab_table *t, int32_t features, const matvar_t *v, bool flip,
                              const wlab_input *in, wlab_err *err)
{
    const mat_sparse_t *s = v->data;
    const int64_t tall = (int64_t)v->dims[0], wide = (int64_t)v->dims[1], n = s->ndata;
    wlab_code code;
    int64_t *next;

    if (s->njc < wide + 1 || s->nir < n || !s->jc || (n && (!s->ir || !s->data)) ||
        !wlab_mat_type_size(v->data_type))
        return wlab_fail_at(err, in->path, 0, 0, "the sparse features are damaged");
    for (int64_t j = 0; j < wide; j++)
        if (s->jc[j] > s->jc[j + 1] || s->jc[j + 1] > n || s->jc[0] != 0)
            return wlab_fail_at(err, in->path, 0, 0, "the sparse features are damaged (column %lld)",
                                (long long)j + 1);
    if ((code = wlab_input_check_stop(in, err)))
        return code;
    for (int64_t j = 0; j < wide; j++)
        for (int64_t k = s->jc[j]; k < s->jc[j + 1]; k++)
            if (s->ir[k] >= tall || (k > s->jc[j] && s->ir[k] <= s->ir[k - 1]))
                return wlab_fail_at(err, in->path, 0, 0, "the sparse features are damaged (entry %lld)",
                                    (long long)k + 1);
    t->start = wlab_calloc((size_t)t->rows + 1, sizeof *t->start);
    t->cell = wlab_alloc((size_t)(n + t->rows * (t->cols - features)), sizeof *t->cell);
    t->at = wlab_alloc((size_t)(n + t->rows * (t->cols - features)), sizeof *t->at);
    next = wlab_alloc((size_t)t->rows + 1, sizeof *next);
    if (!t->start || !t->cell || !t->at || !next) {
        wlab_free(next);
        return wlab_nomem(err);
    }
    for (int64_t j = 0; j < wide; j++)
        for (int64_t k = s->jc[j]; k < s->jc[j + 1]; k++)
            t->start[(flip ? j : (int64_t)s->ir[k]) + 1]++;
    for (int64_t i = 0; i < t->rows; i++)
        t->start[i + 1] += t->start[i] + (t->cols - features);
    memcpy(next, t->start, ((size_t)t->rows + 1) * sizeof *next);
    for (int64_t j = 0; j < wide && !(code = wlab_input_check_stop(in, err)); j++)
        for (int64_t k = s->jc[j]; k < s->jc[j + 1]; k++) {
            const int64_t row = flip ? j : (int64_t)s->ir[k], to = next[row]++;

            t->cell[to] = wlab_mat_element(s->data, v->data_type, k);
            t->at[to] = (int32_t)(flip ? (int64_t)s->ir[k] : j);
            if (isinf(t->cell[to])) {
                wlab_free(next);
                return not_finite(in, row, t->at[to], err);
            }
        }
    wlab_free(next);
    return code;
}

/* ---- labels ---- */

/* Copy the labels of one half ("train" or "test") of a struct's split into y[rows], by its row numbers (if it has none,
 * to the rows in order).  *done: increased by the number of rows that had no label before. */
static wlab_code half_labels(const wlab_mat_file *f, const char *half, double *y, int64_t rows, int64_t *done,
                             wlab_err *err)
{
    char name[32];
    const matvar_t *label = NULL, *row = NULL;
    double *l, *r;
    bool ok, ok2;

    for (int i = 0; i < f->vars; i++) {
        snprintf(name, sizeof name, "%s_label", half);
        if (f->var[i].inside && strcmp(f->var[i].name, name) == 0 && wlab_mat_is_numeric(f->var[i].v))
            label = f->var[i].v;
        snprintf(name, sizeof name, "%s_data_idx", half);
        if (f->var[i].inside && strcmp(f->var[i].name, name) == 0 && wlab_mat_is_numeric(f->var[i].v))
            row = f->var[i].v;
    }
    if (!label || (row && wlab_mat_elements(row) != wlab_mat_elements(label)) ||
        (!row && wlab_mat_elements(label) != rows))
        return WL_OK;
    l = wlab_mat_vector(label, &ok);
    r = row ? wlab_mat_vector(row, &ok2) : NULL;
    if ((ok && !l) || (row && ok2 && !r)) {
        wlab_free(l);
        wlab_free(r);
        return wlab_nomem(err);
    }
    for (int64_t i = 0; l && (r || !row) && i < wlab_mat_elements(label); i++) {
        const double at = r ? r[i] : (double)(i + 1);
        if (at >= 1 && at <= (double)rows) {
            *done += isnan(y[(int64_t)at - 1]) != 0;
            y[(int64_t)at - 1] = l[i];
        }
    }
    wlab_free(l);
    wlab_free(r);
    return WL_OK;
}

/* Replace y[n], one label per bag, by one label per row: that of its bag. */
static wlab_code spread(const wlab_mat_bags *bags, double **y, int64_t *n, const wlab_input *in,
                        wlab_err *err)
{
    double *of_bags = *y;
    wlab_code code = wlab_mat_bags_spread(bags, of_bags, *n, y, in, err);

    wlab_free(of_bags);
    *n = bags->rows;
    return code;
}

static wlab_code find_labels(const wlab_mat_file *f, const wlab_input *in, const wlab_read_options *o,
                             const wlab_mat_bags *bags, int64_t tall, int64_t wide, double **y, int64_t *n,
                             wlab_reading *r, wlab_err *err)
{
    static const char *const usual[] = {"y",     "Y",       "label", "labels", "target", "targets",
                                        "class", "classes", "gnd",   "truth",  NULL};
    const matvar_t *v = NULL;
    char list[500];
    int64_t done = 0;
    wlab_code code;
    bool ok;

    if (o->label && strcmp(o->label, "none") == 0)
        return WL_OK;
    if (o->label) {
        v = wlab_mat_find_spec(f, o->label);
        if (!v)
            return wlab_fail(err, WL_EARG, "label=%s: '%s' has no such variable; it has %s", o->label,
                             in->path, wlab_mat_listing(f, list, sizeof list));
        if (!wlab_mat_is_vector(v))
            return wlab_fail(err, WL_EARG, "label=%s is not a vector of numbers", o->label);
    } else {
        v = wlab_mat_find(f, usual);
    }
    if (v) {
        if (!wlab_mat_is_vector(v))
            return wlab_fail_at(err, in->path, 0, 0,
                                "the labels are a matrix of %zu x %zu: a vector of class numbers is needed",
                                v->dims[0], v->dims[1]);
        if (bags->bag ? wlab_mat_elements(v) > bags->rows
                      : wlab_mat_elements(v) != tall && wlab_mat_elements(v) != wide)
            return wlab_fail_at(err, in->path, 0, 0, "%lld labels do not fit features of %lld x %lld",
                                (long long)wlab_mat_elements(v), (long long)tall, (long long)wide);
        *y = wlab_mat_vector(v, &ok);
        if (!*y)
            return ok ? wlab_nomem(err)
                      : wlab_fail_at(err, in->path, 0, 0,
                                     "the labels are not stored as a full vector of numbers");
        *n = wlab_mat_elements(v);
        if (!bags->bag || *n == bags->rows)
            return WL_OK;
        return spread(bags, y, n, in, err);
    }
    if (bags->label) {
        *y = wlab_alloc((size_t)bags->labels, sizeof **y);
        if (!*y)
            return wlab_nomem(err);
        memcpy(*y, bags->label, (size_t)bags->labels * sizeof **y);
        *n = bags->labels;
        return spread(bags, y, n, in, err);
    }
    *y = wlab_alloc((size_t)tall, sizeof **y);
    if (!*y)
        return wlab_nomem(err);
    for (int64_t i = 0; i < tall; i++)
        (*y)[i] = NAN;
    if ((code = half_labels(f, "train", *y, tall, &done, err)) ||
        (code = half_labels(f, "test", *y, tall, &done, err)))
        return code;
    if (done) {
        *n = tall;
        return wlab_reading_remark(r, err,
                                   "classes from train_label and test_label of the split in the file");
    }
    *y = wlab_free(*y);
    if (o->labels_elsewhere)
        return WL_OK;
    return wlab_fail_at(
        err, in->path, 0, 0,
        "no variable with labels (y, label, target, ...) among %s; name one with label=, a file with "
        "labels= or truth=, or use label=none",
        wlab_mat_listing(f, list, sizeof list));
}

/* Make y[rows], labels or bags, the table's column with `behind` columns after it.  split: the bags of a split, whose
 * test bags have negative numbers. */
static wlab_code word_cells(wlab_table *t, wlab_column_kind kind, int behind, const double *y, bool split,
                            const wlab_input *in, wlab_err *err)
{
    wlab_column *col = &t->column[t->cols - 1 - behind];

    col->kind = kind;
    for (int64_t i = 0; i < t->rows; i++) {
        const int64_t k = (t->start ? t->start[i + 1] : (i + 1) * t->cols) - 1 - behind;
        char text[32];

        if (wlab_input_check_stop(in, err))
            return WL_EINTERRUPTED;
        if (t->start)
            t->at[k] = t->cols - 1 - behind;
        t->cell[k] = NAN;
        if (!isfinite(y[i]))
            continue;
        if (split && y[i] < 0) /* test-1, ...: sorted after all training bags */
            snprintf(text, sizeof text, "test%.0f", y[i]);
        else
            wlab_real_text(y[i], text);
        t->cell[k] = wlab_words_add(&col->words, text, strlen(text));
        if (t->cell[k] < 0)
            return wlab_nomem(err);
    }
    return WL_OK;
}

static wlab_code read_mat(wlab_reading *r, const wlab_input *in, const wlab_read_options *options,
                          wlab_ctx *ctx, wlab_err *err)
{
    static const char *const usual[] = {"X", "x", "data", "fea", "features", NULL};
    wlab_table t = {0};
    wlab_mat_bags bags = {0};
    double *y = NULL;
    int64_t labels = 0;
    const matvar_t *X;
    char list[500];
    bool flip = false;
    int32_t features;
    wlab_code code;
    wlab_mat_file f;

    f.fd = -1;
    if ((code = wlab_mat_open(&f, in, err)))
        goto out;
    X = wlab_mat_find(&f, usual);
    if (!X) {
        code = wlab_fail_at(err, in->path, 0, 0, "no variable with features (X, data, fea) among %s",
                            wlab_mat_listing(&f, list, sizeof list));
        goto out;
    }
    if (!X->dims[0] || !X->dims[1] || X->dims[0] > INT32_MAX - 2 || X->dims[1] > INT32_MAX - 2) {
        code = wlab_fail_at(err, in->path, 0, 0, "features of %zu x %zu are out of range", X->dims[0],
                            X->dims[1]);
        goto out;
    }
    if (X->class_type == MAT_C_SPARSE &&
        X->dims[0] / 100 > (size_t)((const mat_sparse_t *)X->data)->ndata + 10) {
        /* an empty row takes no space in the file, so a damaged size could request any number of them */
        code = wlab_fail_at(err, in->path, 0, 0, "sparse features of %zu x %zu have hardly any entries",
                            X->dims[0], X->dims[1]);
        goto out;
    }
    if ((code = wlab_mat_bags_find(&bags, &f, in, options, (int64_t)X->dims[0], (int64_t)X->dims[1], r, ctx,
                                   err)) ||
        (code = find_labels(&f, in, options, &bags, (int64_t)X->dims[0], (int64_t)X->dims[1], &y, &labels, r,
                            err)))
        goto out;
    flip = bags.bag ? bags.rows != (int64_t)X->dims[0] : labels && labels != (int64_t)X->dims[0];
    if (flip && (code = wlab_reading_remark(r, err, "rows of the matrix are features, its columns examples")))
        goto out;
    t.rows = (int64_t)X->dims[flip];
    features = (int32_t)X->dims[!flip];
    t.cols = features + (labels > 0) + (bags.bag != NULL);
    t.column = wlab_calloc((size_t)t.cols, sizeof *t.column);
    if (!t.column) {
        code = wlab_nomem(err);
        goto out;
    }
    code = X->class_type == MAT_C_SPARSE ? sparse_cells(&t, features, X, flip, in, err)
                                         : dense_cells(&t, features, X, flip, in, err);
    if (!code && labels)
        code = word_cells(&t, WL_COL_LABEL, 0, y, false, in, err);
    if (!code && bags.split && labels == bags.rows)
        code = wlab_mat_split_check(&bags, y, r, err);
    if (!code && bags.bag) {
        t.column[features].what = bags.beside ? "file" : bags.split ? "split" : "variable";
        t.column[features].name = wlab_strdup(bags.from);
        code = t.column[features].name ? word_cells(&t, WL_COL_BAG, labels > 0, bags.bag, bags.split, in, err)
                                       : wlab_nomem(err);
    }
    if (!code)
        code = wlab_table_finish(&t, r, in, options, ctx, err);
out:
    wlab_mat_close(&f);
    wlab_free(y);
    wlab_mat_bags_clear(&bags);
    wlab_table_clear(&t);
    return code;
}

wlab_code wlab_mat_read_row(const wlab_input *in, const char *name, int64_t row, wlab_buf *out, wlab_err *err)
{
    const char *const names[] = {name, NULL};
    const matvar_t *v;
    char list[500];
    double *x = NULL;
    wlab_code code;
    bool ok;
    wlab_mat_file f;

    f.fd = -1;
    if ((code = wlab_mat_open(&f, in, err)))
        goto out;
    v = wlab_mat_find(&f, names);
    if (!v) {
        code = wlab_fail_at(err, in->path, 0, 0, "no matrix %s of row numbers among %s", name,
                            wlab_mat_listing(&f, list, sizeof list));
        goto out;
    }
    if (row > (int64_t)v->dims[0]) {
        code = wlab_fail(err, WL_EARG, "'%s' has %zu splits: there is no split %lld", in->path, v->dims[0],
                         (long long)row);
        goto out;
    }
    x = wlab_mat_vector(v, &ok);
    if (!x) {
        code = ok ? wlab_nomem(err)
                  : wlab_fail_at(err, in->path, 0, 0, "%s is not a full matrix of numbers", name);
        goto out;
    }
    for (size_t j = 0; j < v->dims[1] && !code; j++) {
        const double at = x[j * v->dims[0] + (size_t)row - 1];
        const int32_t number = at >= 1 && at <= INT32_MAX && at == floor(at) ? (int32_t)at - 1 : -1;

        if (number < 0)
            code = wlab_fail_at(err, in->path, 0, 0, "%s contains a number that is not a row number", name);
        else if (wlab_buf_put(out, &number, sizeof number))
            code = wlab_nomem(err);
    }
out:
    wlab_mat_close(&f);
    wlab_free(x);
    return code;
}

static int probe(const char *head, size_t len)
{
    return wlab_mat_is(head, len) ? 100 : 0;
}

const wlab_reader wlab_reader_mat = {
    .name = "mat",
    .summary = "MATLAB MAT-file version 5: a matrix of features, vectors of labels and of bag numbers; or a "
               "folder with X.mat, Bag2.mat, BagI.mat",
    .extensions = "mat",
    .folder = "X.mat",
    .flags = WL_READS_BINARY,
    .probe = probe,
    .read = read_mat,
};

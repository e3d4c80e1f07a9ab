/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Convert tables with typed columns to data: categories become one-hot columns, missing values are filled, and
 * classes and bags are read from their columns.
 */
#include "base/progress.h"
#include "data/readers/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_MIN                                                                                            \
    20 /* a text column with more words than this, and more than half as many as rows, contains names */

#define S(n) ((n) == 1 ? "" : "s")

void wlab_table_clear(wlab_table *t)
{
    for (int32_t c = 0; t->column && c < t->cols; c++) {
        wlab_free(t->column[c].name);
        if (t->column[c]
                .words.offset) /* with millions of columns, do not write to memory that was never used */
            wlab_words_clear(&t->column[c].words);
    }
    wlab_free(t->column);
    wlab_free(t->cell);
    wlab_free(t->start);
    wlab_free(t->at);
    memset(t, 0, sizeof *t);
}

wlab_code wlab_table_named(const wlab_table *t, const wlab_input *in, const char *what, const char *spec,
                           int32_t *col, wlab_err *err)
{
    const char **names;
    const char *near;
    int64_t number;
    wlab_code code;
    int32_t n = 0;

    if (strcmp(spec, "last") == 0) {
        *col = t->cols - 1;
        return WL_OK;
    }
    for (int32_t c = 0; c < t->cols; c++)
        if (t->column[c].name && strcmp(t->column[c].name, spec) == 0) {
            *col = c;
            return WL_OK;
        }
    if (wlab_parse_int(spec, &number) && number >= 1 && number <= t->cols) {
        *col = (int32_t)number - 1;
        return WL_OK;
    }
    names = wlab_alloc((size_t)t->cols, sizeof *names);
    if (!names)
        return wlab_nomem(err);
    for (int32_t c = 0; c < t->cols; c++)
        if (t->column[c].name)
            names[n++] = t->column[c].name;
    near = wlab_nearest(spec, names, (size_t)n);
    code = wlab_fail(err, WL_EARG, "%s=%s: '%s' has no such column among its %d%s%s%s", what, spec, in->path,
                     (int)t->cols, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    wlab_free(names);
    return code;
}

/* The first column of this name in any case, or -1. */
static wlab_code first_called(const wlab_table *t, const wlab_input *in, const char *name, int32_t *col,
                              wlab_err *err)
{
    wlab_code code = WL_OK;

    *col = -1;
    for (int32_t c = 0; !code && c < t->cols && *col < 0; c++) {
        if (t->column[c].name && wlab_text_same(t->column[c].name, strlen(t->column[c].name), name))
            *col = c;
        if (wlab_input_due(c))
            code = wlab_input_check_stop(in, err);
    }
    return code;
}

wlab_code wlab_table_bag(const wlab_table *t, const wlab_input *in, const wlab_read_options *o, int32_t *col,
                         wlab_err *err)
{
    *col = -1;
    if (o->bag)
        return strcmp(o->bag, "none") == 0 ? WL_OK : wlab_table_named(t, in, "bag", o->bag, col, err);
    return first_called(t, in, "bag", col, err);
}

wlab_code wlab_table_usual_label(const wlab_table *t, const wlab_input *in, int32_t *col, wlab_err *err)
{
    static const char *const usual[] = {"class", "label", "target", "y"};
    int32_t x;
    wlab_code code = first_called(t, in, "x", &x, err);

    *col = -1;
    for (size_t u = 0; !code && *col < 0 && u < (x >= 0 && t->cols > 2 ? 3 : 4); u++)
        code = first_called(t, in, usual[u], col,
                            err); /* if there are columns x and y among others, they are coordinates */
    return code;
}

/* The first cell of row i; row_begin(t, i + 1) is the end of the row. */
static inline int64_t row_begin(const wlab_table *t, int64_t i)
{
    return t->start ? t->start[i] : i * t->cols;
}

static inline int32_t column_of(const wlab_table *t, int64_t row, int64_t cell)
{
    return t->start ? t->at[cell] : (int32_t)(cell - row * t->cols);
}

static bool is_feature(const wlab_column *c)
{
    return c->kind == WL_COL_NUMBER || c->kind == WL_COL_NOMINAL;
}

/* The word that occurs most often in column c, the first of equals. */
static wlab_code commonest(const wlab_table *t, int32_t c, double *fill, const wlab_input *in, wlab_err *err)
{
    wlab_column *col = &t->column[c];
    int64_t *n = wlab_calloc((size_t)col->words.n, sizeof *n);

    wlab_code code = WL_OK;

    if (!n)
        return wlab_nomem(err);
    for (int64_t i = 0; i < t->rows && !(code = wlab_input_check_stop(in, err)); i++)
        for (int64_t k = row_begin(t, i); k < row_begin(t, i + 1); k++)
            if (column_of(t, i, k) == c && !isnan(t->cell[k]))
                n[(int32_t)t->cell[k]]++;
    *fill = 0;
    for (int32_t w = 1; w < col->words.n; w++)
        if (n[w] > n[(int32_t)*fill])
            *fill = w;
    wlab_free(n);
    return code;
}

/* The mean of numbers so large that their sum is not finite. */
static double careful_mean(const wlab_table *t, int32_t c)
{
    const double n = (double)(t->rows - t->column[c].missing);
    double mean = 0;

    for (int64_t i = 0; i < t->rows; i++)
        for (int64_t k = row_begin(t, i); k < row_begin(t, i + 1); k++)
            if (column_of(t, i, k) == c && !isnan(t->cell[k]))
                mean += t->cell[k] / n;
    return mean;
}

/* At row i of a pass over the table; the interrupt is looked at elsewhere.  Cells are slower than operations. */
static void count_row(const wlab_table *t, int64_t i, wlab_progress *pass)
{
    (void)wlab_look_at(i, 16 * (int64_t)t->cols, pass, NULL);
}

/* Count missing cells, and compute what fills them.  Cells that a sparse table does not store are zeros. */
static wlab_code compute_fills(wlab_table *t, const wlab_input *in, wlab_progress *pass, wlab_err *err)
{
    double *sum = wlab_calloc((size_t)t->cols, sizeof *sum);
    wlab_code code = WL_OK;

    if (!sum)
        return wlab_nomem(err);
    for (int64_t i = 0; i < t->rows && !(code = wlab_input_check_stop(in, err)); i++) {
        for (int64_t k = row_begin(t, i); k < row_begin(t, i + 1); k++) {
            const int32_t c = column_of(t, i, k);
            if (isnan(t->cell[k]))
                t->column[c].missing++;
            else
                sum[c] += t->cell[k];
        }
        count_row(t, i, pass);
    }
    for (int32_t c = 0; c < t->cols && !code; c++) {
        wlab_column *col = &t->column[c];

        if (!col->missing || !is_feature(col) || (code = wlab_input_check_stop(in, err)))
            continue;
        if (col->kind == WL_COL_NUMBER)
            col->fill = isfinite(sum[c]) ? sum[c] / (double)(t->rows - col->missing) : careful_mean(t, c);
        else
            code = commonest(t, c, &col->fill, in, err);
    }
    wlab_free(sum);
    return code;
}

/* Which columns of X each column becomes: none, one or several. */
typedef struct plan {
    int32_t **place; /* [cols] for NOMINAL columns: the place of each word among their columns of X */
    int32_t width;   /* columns of X */
    int32_t encoded, wide, names, constant, empty;
    const char *left_out[4]; /* names of the first few that are left out, for the remark */
    int32_t outs;
    bool named; /* some column of X has a name */
} plan;

static void leave_out(wlab_column *col, plan *p, int32_t *why)
{
    col->kind = WL_COL_LEFT_OUT;
    ++*why;
    if (p->outs < 4 && col->name)
        p->left_out[p->outs++] = col->name;
}

static wlab_code make_plan(wlab_table *t, plan *p, const wlab_input *in, wlab_err *err)
{
    int64_t width = 0;

    p->place = wlab_calloc((size_t)t->cols, sizeof *p->place);
    if (!p->place)
        return wlab_nomem(err);
    for (int32_t c = 0; c < t->cols; c++) {
        wlab_column *col = &t->column[c];
        wlab_code code = wlab_input_check_stop(in, err);

        if (code)
            return code;
        if (col->kind == WL_COL_LEFT_OUT)
            leave_out(col, p, &p->names);
        else if (is_feature(col) && t->rows && col->missing == t->rows)
            leave_out(col, p, &p->empty);
        else if (col->kind == WL_COL_NOMINAL && !col->declared && col->words.n > NAMES_MIN &&
                 (int64_t)col->words.n * 2 > t->rows)
            leave_out(col, p, &p->names);
        else if (col->kind == WL_COL_NOMINAL && col->words.n < 2)
            leave_out(col, p, &p->constant);
        if (!is_feature(col))
            continue;
        col->first = (int32_t)width;
        col->width = 1;
        p->named |= col->name != NULL;
        if (col->kind == WL_COL_NOMINAL) {
            code = wlab_words_rank(&col->words, col->declared, &p->place[c], in->ctx, err);
            if (code)
                return code;
            col->width = col->words.n == 2 ? 1 : col->words.n;
            p->named = true;
            p->encoded++;
            p->wide += col->width;
        }
        width += col->width;
        if (width > INT32_MAX - 1)
            return wlab_fail(err, WL_EINPUT, "the categories make too many columns");
    }
    p->width = (int32_t)width;
    return WL_OK;
}

/* Put the entries of row i in X into col[] and val[].  Returns their number, -1: the row is dropped. */
static int32_t entries_of(const wlab_table *t, const plan *p, int64_t i, int missing, int32_t *col,
                          double *val, int32_t *filled)
{
    int32_t n = 0;

    *filled = 0;

    for (int64_t k = row_begin(t, i); k < row_begin(t, i + 1); k++) {
        const int32_t c = column_of(t, i, k);
        const wlab_column *from = &t->column[c];
        double v = t->cell[k];

        if (!is_feature(from))
            continue;
        if (isnan(v)) {
            if (missing == WL_MISSING_DROP)
                return -1;
            ++*filled;
            if (missing == WL_MISSING_ZERO)
                continue;
            v = from->fill;
        }
        if (from->kind == WL_COL_NUMBER) {
            if (v == 0.0)
                continue;
            col[n] = from->first;
            val[n++] = v;
        } else {
            const int32_t place = p->place[c][(int32_t)v];
            if (from->width == 1 && place == 0)
                continue;
            col[n] = from->first + (from->width == 1 ? 0 : place);
            val[n++] = 1.0;
        }
    }
    return n;
}

/* to[row of the table]: its row in X, -1: dropped; filled[row of X]: how many of its values were missing. */
static wlab_code fill_matrix(const wlab_table *t, const plan *p, int missing, int32_t *to, int32_t *filled,
                             wlab_matrix **X, const wlab_input *in, wlab_progress *pass, wlab_err *err)
{
    int32_t gaps;
    int32_t *col = wlab_alloc((size_t)t->cols, sizeof *col);
    double *val = wlab_alloc((size_t)t->cols, sizeof *val);
    int64_t rows = 0, nnz = 0, at = 0;
    wlab_matrix *m;
    wlab_code code = WL_OK;

    *X = NULL;
    if (!col || !val) {
        code = wlab_nomem(err);
        goto out;
    }
    for (int64_t i = 0; i < t->rows && !(code = wlab_input_check_stop(in, err)); i++) {
        const int32_t n = entries_of(t, p, i, missing, col, val, &gaps);
        to[i] = n < 0 ? -1 : (int32_t)rows++;
        if (n >= 0)
            filled[to[i]] = gaps;
        nnz += n < 0 ? 0 : n;
        count_row(t, i, pass);
    }
    if (code)
        goto out;
    if ((double)nnz * 2.0 >= (double)rows * (double)p->width) {
        if ((code = wlab_matrix_create_dense(X, rows, p->width, err)))
            goto out;
        for (int64_t i = 0; i < t->rows && !(code = wlab_input_check_stop(in, err)); i++) {
            const int32_t n = to[i] < 0 ? 0 : entries_of(t, p, i, missing, col, val, &gaps);
            for (int32_t k = 0; k < n; k++)
                (*X)->dense[(int64_t)to[i] * p->width + col[k]] = val[k];
            count_row(t, i, pass);
        }
        (*X)->nnz = nnz;
        goto failed;
    }
    if ((code = wlab_matrix_create_sparse(X, rows, p->width, nnz, err)))
        goto out;
    m = *X;
    for (int64_t i = 0; i < t->rows; i++) {
        const int32_t n = to[i] < 0 ? 0 : entries_of(t, p, i, missing, col, val, &gaps);
        if ((code = wlab_input_check_stop(in, err)))
            goto failed;
        count_row(t, i, pass);
        if (to[i] < 0)
            continue;
        m->start[to[i]] = at;
        m->len[to[i]] = n;
        for (int32_t k = 0; k < n; k++, at++) {
            m->col[at] = col[k];
            m->val[at] = (float)val[k];
            if (isinf(m->val[at])) {
                code = wlab_fail(err, WL_EINPUT,
                                 "row %lld has a number above 3.4e38, which is too large for sparse data",
                                 (long long)i + 1);
                goto failed;
            }
        }
    }
    code = wlab_matrix_settle(X, in->ctx, err); /* removes values that round to 0 */
failed:
    if (code) {
        wlab_matrix_destroy(*X);
        *X = NULL;
    }
out:
    wlab_free(col);
    wlab_free(val);
    return code;
}

static wlab_code name_features(const wlab_table *t, const plan *p, wlab_reading *r, const wlab_input *in,
                               wlab_err *err)
{
    if (!p->named)
        return WL_OK;
    r->feature_name = wlab_calloc((size_t)p->width, sizeof *r->feature_name);
    if (!r->feature_name)
        return wlab_nomem(err);
    for (int32_t c = 0; c < t->cols; c++) {
        const wlab_column *col = &t->column[c];
        char number[24];

        if (!is_feature(col))
            continue;
        if (wlab_input_check_stop(in, err))
            return WL_EINTERRUPTED;
        snprintf(number, sizeof number, "x%d", (int)c + 1);
        for (int32_t w = 0; w < (col->kind == WL_COL_NOMINAL ? col->words.n : 1); w++) {
            const char *word = col->kind == WL_COL_NOMINAL ? wlab_words_text(&col->words, w) : NULL;
            const int32_t place = word ? p->place[c][w] : 0;
            char buf[256];
            char **name = &r->feature_name[col->first + (col->width == 1 ? 0 : place)];

            if (word && col->width == 1 && place == 0)
                continue;
            *name = word ? wlab_format("%s=%s", col->name ? col->name : number,
                                       wlab_text_clean(word, strlen(word), buf, sizeof buf))
                         : wlab_strdup(col->name ? col->name : number);
            if (!*name)
                return wlab_nomem(err);
        }
    }
    return WL_OK;
}

/* The cells of column c as word numbers, (*out)[row of X]; -1: missing. */
static wlab_code copy_words(const wlab_table *t, int32_t c, const int32_t *to, int64_t rows, int32_t **out,
                            const wlab_input *in, wlab_err *err)
{
    wlab_code code = WL_OK;

    *out = wlab_alloc((size_t)rows, sizeof **out);
    if (!*out)
        return wlab_nomem(err);
    for (int64_t i = 0; i < t->rows && !(code = wlab_input_check_stop(in, err)); i++)
        for (int64_t k = row_begin(t, i); to[i] >= 0 && k < row_begin(t, i + 1); k++)
            if (column_of(t, i, k) == c)
                (*out)[to[i]] = isnan(t->cell[k]) ? -1 : (int32_t)t->cell[k];
    return code;
}

static wlab_code read_bags(wlab_table *t, int32_t c, const int32_t *to, wlab_reading *r, const wlab_input *in,
                           wlab_err *err)
{
    wlab_column *col = &t->column[c];
    char number[16];
    wlab_code code;

    snprintf(number, sizeof number, "%d", (int)c + 1);
    if (col->missing && col->missing_at)
        return wlab_input_fail(in, col->missing_at, err, "this row has no bag (%lld row%s in all)",
                               (long long)col->missing, S(col->missing));
    if (col->missing)
        return wlab_fail_at(err, in->path, 0, 0, "%lld row%s no bag", (long long)col->missing,
                            col->missing == 1 ? " has" : "s have");
    code = wlab_bags_check(&col->words, in, err);
    if (!code)
        code = copy_words(t, c, to, r->X->rows, &r->bag, in, err);
    if (!code)
        code = wlab_bags_order(&col->words, r->bag, r->X->rows, &r->bag_name, in->ctx, err);
    if (!code)
        r->bags = col->words.n;
    return code ? code
                : wlab_reading_remark(r, err, "%s %s%s%s gives %d bag%s", col->what ? col->what : "column",
                                      col->name ? "'" : "", col->name ? col->name : number,
                                      col->name ? "'" : "", (int)col->words.n, S(col->words.n));
}

static wlab_code remarks(const wlab_table *t, const plan *p, int missing, wlab_reading *r, wlab_err *err)
{
    const int32_t outs = p->names + p->constant + p->empty;
    int64_t cells = 0;
    int32_t columns = 0;
    wlab_code code = WL_OK;

    for (int32_t c = 0; c < t->cols && !code; c++) {
        const wlab_column *col = &t->column[c];

        if (col->kind == WL_COL_LABEL && col->missing)
            code = wlab_reading_remark(r, err, "%lld row%s without a class", (long long)col->missing,
                                       S(col->missing));
        if (is_feature(col) && col->missing) {
            cells += col->missing;
            columns++;
        }
    }
    /* `load` counts the values that were replaced, since it knows the rows that are kept */
    if (!code && cells && missing == WL_MISSING_DROP)
        code = wlab_reading_remark(r, err, "%lld missing value%s in %d column%s dropped with their rows",
                                   (long long)cells, S(cells), (int)columns, S(columns));
    if (!code && r->X->rows < t->rows)
        code = wlab_reading_remark(r, err, "%lld of %lld rows are left", (long long)r->X->rows,
                                   (long long)t->rows);
    if (!code && p->encoded)
        code = wlab_reading_remark(r, err, "%d column%s of categories as %d column%s of 0 and 1",
                                   (int)p->encoded, S(p->encoded), (int)p->wide, S(p->wide));
    if (!code && outs)
        code = wlab_reading_remark(
            r, err, "%d column%s left out%s%s%s%s%s (names or dates: %d, one value only: %d, no value: %d)",
            (int)outs, S(outs), p->outs ? ": " : "", p->outs ? p->left_out[0] : "", p->outs > 1 ? ", " : "",
            p->outs > 1 ? p->left_out[1] : "", p->outs && outs > 2 ? ", ..." : "", (int)p->names,
            (int)p->constant, (int)p->empty);
    return code;
}

wlab_code wlab_table_finish(wlab_table *t, wlab_reading *r, const wlab_input *in,
                            const wlab_read_options *options, wlab_ctx *ctx, wlab_err *err)
{
    plan p = {0};
    wlab_progress pass; /* of rows, in each of three */
    int32_t *to = wlab_alloc((size_t)t->rows, sizeof *to);
    wlab_code code;

    if (!to)
        return wlab_nomem(err);
    wlab_progress_begin(&pass, ctx, "rows copied", 3 * t->rows);
    if ((code = compute_fills(t, in, &pass, err)) || (code = make_plan(t, &p, in, err)))
        goto out;
    for (int32_t c = 0; options->missing == WL_MISSING_ERROR && c < t->cols; c++)
        if (is_feature(&t->column[c]) && t->column[c].missing) {
            code =
                t->column[c].missing_at
                    ? wlab_input_fail(in, t->column[c].missing_at, err, "a missing value (missing=error)")
                    : wlab_fail_at(err, in->path, 0, 0, "column %d has %lld missing values (missing=error)",
                                   (int)c + 1, (long long)t->column[c].missing);
            goto out;
        }
    if (p.width == 0) {
        code =
            wlab_fail_at(err, in->path, 0, 0,
                         "no column is left as a feature among %d (names or dates: %d, one value only: %d, "
                         "no value: %d)",
                         (int)t->cols, (int)p.names, (int)p.constant, (int)p.empty);
        goto out;
    }
    r->filled = wlab_calloc((size_t)t->rows, sizeof *r->filled);
    if (!r->filled) {
        code = wlab_nomem(err);
        goto out;
    }
    if ((code = fill_matrix(t, &p, options->missing, to, r->filled, &r->X, in, &pass, err)))
        goto out;
    if (r->X->rows == 0) {
        code =
            wlab_fail_at(err, in->path, 0, 0, "every row has a missing value, so missing=drop leaves none");
        goto out;
    }
    if ((code = name_features(t, &p, r, in, err)))
        goto out;
    for (int32_t c = 0; c < t->cols && !code; c++) {
        wlab_column *col = &t->column[c];

        if (col->kind == WL_COL_BAG) {
            code = read_bags(t, c, to, r, in, err);
        } else if (col->kind == WL_COL_LABEL) {
            code = copy_words(t, c, to, r->X->rows, &r->label, in, err);
            r->declared = col->declared;
            r->words = col->words;
            memset(&col->words, 0, sizeof col->words);
        }
    }
    if (!code)
        code = remarks(t, &p, options->missing, r, err);
out:
    for (int32_t c = 0; p.place && c < t->cols; c++)
        wlab_free(p.place[c]);
    wlab_free(p.place);
    wlab_free(to);
    return code;
}

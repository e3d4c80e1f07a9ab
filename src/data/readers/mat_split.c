/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bags of a split in a MAT-file, in the form of published label-proportion data: a struct with the rows of the
 * training bags (train_data_idx; if it is left out: all rows in order), the number of each such row's bag
 * (train_bag_idx) and the bags' proportions (train_bag_prop), and the same for test bags.  A file has one such
 * struct, or cells of them: bag=NAME.2.5 is the fifth cell of the second cell.
 */
#include "data/readers/mat.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const matvar_t *field_of(const wlab_mat_file *f, const matvar_t *v, const char *half, const char *what)
{
    char *const *names = v->class_type == MAT_C_STRUCT && v->data ? f->lib.names(v) : NULL;
    const unsigned n = names ? f->lib.fields(v) : 0;
    char name[32];

    snprintf(name, sizeof name, "%s_%s", half, what);
    for (unsigned i = 0; i < n; i++) {
        const matvar_t *field = strcmp(names[i], name) == 0 ? f->lib.field(v, i, 0) : NULL;

        if (field && wlab_mat_is_vector(field))
            return field;
    }
    return NULL;
}

bool wlab_mat_is_split(const wlab_mat_file *f, const matvar_t *v)
{
    return field_of(f, v, "train", "bag_idx") != NULL;
}

const matvar_t *wlab_mat_own_split(const wlab_mat_file *f, const char **name)
{
    for (int i = 0; i < f->vars; i++)
        if (wlab_mat_is_split(f, f->var[i].v)) {
            *name = f->var[i].name;
            return f->var[i].v;
        }
    return NULL;
}

/* Descend into the first entry of cell arrays, at most `most` levels.  Returns the number of levels; size[]: how many
 * entries each has; *last: the variable below them. */
static int levels(const matvar_t *v, int most, size_t size[], const matvar_t **last)
{
    int n = 0;

    while (n < most && v && v->class_type == MAT_C_CELL && v->rank == 2 && v->data &&
           v->dims[0] * v->dims[1] > 0) {
        size[n++] = v->dims[0] * v->dims[1];
        v = ((matvar_t *const *)v->data)[0];
    }
    *last = v;
    return n;
}

/* How many rows the largest training bag of a split has; 0: unknown. */
static int64_t largest_bag(const wlab_mat_file *f, const matvar_t *split)
{
    const matvar_t *v = field_of(f, split, "train", "bag_idx");
    const int64_t n = v ? wlab_mat_elements(v) : 0;
    int64_t most = 0, *rows;
    double *bag;
    bool ok;

    if (n == 0 || !(bag = wlab_mat_vector(v, &ok)))
        return 0;
    rows = wlab_calloc((size_t)n + 1, sizeof *rows);
    for (int64_t k = 0; rows && k < n; k++)
        if (bag[k] >= 1 && bag[k] <= (double)n && ++rows[(int64_t)bag[k]] > most)
            most = rows[(int64_t)bag[k]];
    wlab_free(rows);
    wlab_free(bag);
    return most;
}

enum {
    MOST = 4 /* levels of cells */
};

/* "; rows in a bag: 2 (.1), 4 (.2)", for splits in nested cells, whose first number selects the size of the bags. */
static void sizes_text(const wlab_mat_file *f, const matvar_t *v, size_t cells, char *text, size_t text_size)
{
    bool first = true;

    for (size_t k = 0; k < cells && strlen(text) + 1 < text_size; k++) {
        const matvar_t *split = ((matvar_t *const *)v->data)[k];
        size_t size[MOST];
        const int64_t rows = levels(split, MOST - 1, size, &split) > 0 && split ? largest_bag(f, split) : 0;

        if (!rows)
            continue;
        wlab_text_append(text, text_size, "%s%lld (.%zu)", first ? "; rows in a bag: " : ", ",
                         (long long)rows, k + 1);
        first = false;
    }
}

bool wlab_mat_splits_text(const wlab_mat_file *f, const matvar_t *v, const char *name, char *text,
                          size_t text_size)
{
    size_t size[MOST];
    const matvar_t *last;
    const int n = levels(v, MOST, size, &last);

    if (n == 0 || !last || !wlab_mat_is_split(f, last))
        return false;
    snprintf(text, text_size, "bag=%.60s", name);
    for (int k = 0; k < n; k++)
        wlab_text_append(text, text_size, ".1");
    wlab_text_append(text, text_size, " to bag=%.60s", name);
    for (int k = 0; k < n; k++)
        wlab_text_append(text, text_size, ".%zu", size[k]);
    if (n > 1)
        sizes_text(f, v, size[0], text, text_size);
    return true;
}

/* One half of a split. */
typedef struct half {
    double *row, *bag, *given; /* row NULL: all rows in order; given NULL: there are no proportions */
    int64_t n, n_given;
} half;

static void half_clear(half *h)
{
    wlab_free(h->row);
    wlab_free(h->bag);
    wlab_free(h->given);
}

static wlab_code read_numbers(const matvar_t *v, const wlab_input *in, double **x, int64_t *n, wlab_err *err)
{
    bool ok;

    if (!v)
        return WL_OK;
    *x = wlab_mat_vector(v, &ok);
    *n = wlab_mat_elements(v);
    return *x   ? WL_OK
           : ok ? wlab_nomem(err)
                : wlab_fail_at(err, in->path, 0, 0, "the split's numbers are not stored as full vectors");
}

static wlab_code read_half(half *h, const wlab_mat_file *f, const matvar_t *v, const char *which,
                           const wlab_input *in, wlab_err *err)
{
    int64_t rows = -1;
    wlab_code code = read_numbers(field_of(f, v, which, "bag_idx"), in, &h->bag, &h->n, err);

    if (!code)
        code = read_numbers(field_of(f, v, which, "data_idx"), in, &h->row, &rows, err);
    if (!code)
        code = read_numbers(field_of(f, v, which, "bag_prop"), in, &h->given, &h->n_given, err);
    if (!code && h->row && rows != h->n)
        code =
            wlab_fail_at(err, in->path, 0, 0, "%s_data_idx has %lld rows, but %s_bag_idx has bags for %lld",
                         which, (long long)rows, which, (long long)h->n);
    return code;
}

/* Put the bags of the half's rows into b->bag; test bags get the numbers -1, -2, ... */
static wlab_code put_half(const half *h, wlab_mat_bags *b, bool test, const wlab_input *in, wlab_err *err)
{
    for (int64_t k = 0; k < h->n; k++) {
        const double row = h->row ? h->row[k] : (double)(k + 1), bag = h->bag[k];
        double *of;

        if (!(row >= 1 && row <= (double)b->rows) || row != floor(row))
            return wlab_fail_at(err, in->path, 0, 0, "the split names row %g, but there are %lld rows", row,
                                (long long)b->rows);
        if (!(bag >= 1 && bag <= INT32_MAX) || bag != floor(bag))
            return wlab_fail_at(err, in->path, 0, 0, "the bag of row %.0f, %g, is not a whole number from 1",
                                row, bag);
        of = &b->bag[(int64_t)row - 1];
        if (!isnan(*of))
            return wlab_fail_at(err, in->path, 0, 0,
                                "row %.0f is in two bags, %s%.0f and %s%.0f: " WL_NO_OVERLAP, row,
                                *of < 0 ? "test bag " : "", fabs(*of), test ? "test bag " : "", bag);
        *of = test ? -bag : bag;
    }
    return WL_OK;
}

/* Whether all test rows are training rows.  The split's test half is then ignored. */
static bool is_copy(const half *train, const half *test, const wlab_mat_bags *b)
{
    bool all = test->n > 0;

    (void)train;
    for (int64_t k = 0; all && k < test->n; k++) {
        const double row = test->row ? test->row[k] : (double)(k + 1);

        all = row >= 1 && row <= (double)b->rows && !isnan(b->bag[(int64_t)row - 1]);
    }
    return all;
}

wlab_code wlab_mat_split_bags(wlab_mat_bags *b, const wlab_mat_file *f, const matvar_t *v,
                              const wlab_input *in, int64_t rows, wlab_err *err)
{
    half train = {0}, test = {0};
    wlab_code code = read_half(&train, f, v, "train", in, err);

    if (!code)
        code = read_half(&test, f, v, "test", in, err);
    b->split = true;
    b->rows = rows;
    b->bag = code ? NULL : wlab_alloc((size_t)rows, sizeof *b->bag);
    if (!code && !b->bag)
        code = wlab_nomem(err);
    for (int64_t i = 0; !code && i < rows; i++)
        b->bag[i] = NAN;
    if (!code)
        code = put_half(&train, b, false, in, err);
    if (!code && !is_copy(&train, &test, b))
        code = put_half(&test, b, true, in, err);
    for (int64_t i = 0; !code && i < rows; i++)
        if (isnan(b->bag[i]))
            code =
                wlab_fail_at(err, in->path, 0, 0,
                             "row %lld is in none of the split's bags: use a split of all rows, or bag=none",
                             (long long)i + 1);
    if (!code) {
        b->given[0] = train.given;
        b->given[1] = test.given;
        b->n_given[0] = train.n_given;
        b->n_given[1] = test.n_given;
        train.given = test.given = NULL;
    }
    half_clear(&train);
    half_clear(&test);
    return code;
}

wlab_code wlab_mat_split_check(const wlab_mat_bags *b, const double *y, wlab_reading *r, wlab_err *err)
{
    double most = -INFINITY;
    wlab_code code = WL_OK;

    for (int64_t i = 0; i < b->rows; i++)
        most = fmax(most, y[i]);
    for (int t = 0; !code && t < 2; t++) {
        double *positives = b->given[t] ? wlab_calloc((size_t)b->n_given[t] + 1, sizeof *positives) : NULL;
        double *size = positives ? wlab_calloc((size_t)b->n_given[t] + 1, sizeof *size) : NULL;

        if (b->given[t] && !size)
            code = wlab_nomem(err);
        for (int64_t i = 0; size && i < b->rows; i++) {
            const double bag = t ? -b->bag[i] : b->bag[i];

            if (bag >= 1 && bag <= (double)b->n_given[t]) {
                size[(int64_t)bag]++;
                positives[(int64_t)bag] += y[i] >= most;
            }
        }
        for (int64_t k = 1; size && k <= b->n_given[t]; k++)
            if (size[k] > 0 && !(fabs(positives[k] / size[k] - b->given[t][k - 1]) <= 1e-6)) {
                code = wlab_reading_remark(r, err,
                                           "the split gives %sbag %lld the proportion %.4g, but the labels "
                                           "of its rows give %.4g, which "
                                           "is used",
                                           t ? "test " : "", (long long)k, b->given[t][k - 1],
                                           positives[k] / size[k]);
                break;
            }
        wlab_free(positives);
        wlab_free(size);
    }
    return code;
}

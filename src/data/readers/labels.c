/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The labels of a data set, from the data file or from files of labels; the classes that they form; and leaving out
 * rows by their class.
 */
#include "data/readers/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- a file of labels ---- */

wlab_code wlab_labels_read(const char *path, const char *what, int64_t rows, wlab_words *words,
                           int32_t *label, wlab_ctx *ctx, wlab_err *err)
{
    wlab_input in;
    wlab_code code = wlab_input_open(&in, path, ctx, err);
    const char *p, *end, *second;
    const char *empty = NULL; /* the first empty line */
    const char *gap = NULL;   /* the first empty line, once a line with text follows it */
    int64_t n = 0;

    if (code)
        return code;
    p = in.data;
    end = in.data + in.size;
    if (memchr(p, 0, in.size)) {
        code = wlab_fail_at(err, path, 0, 0, "not a file of %ss: it is binary; one %s per line is expected",
                            what, what);
        goto out;
    }
    while (p < end) {
        const char *stop = memchr(p, '\n', (size_t)(end - p)), *q = stop ? stop : end, *line = p;
        double v;

        p = stop ? stop + 1 : end;
        if ((code = wlab_input_check_stop(&in, err)))
            goto out;
        while (q > line && (unsigned char)q[-1] <= ' ')
            q--;
        while (line < q && (unsigned char)*line <= ' ')
            line++;
        if (line == q) {
            empty = empty ? empty : line;
            continue;
        }
        gap = empty;
        second = strcmp(what, "bag") == 0
                     ? wlab_bag_list(line, (size_t)(q - line), memchr(line, ' ', (size_t)(q - line)) != NULL)
                     : NULL;
        if (second) {
            /* the line is not quoted: a script by a stranger may name any file here, also a secret one */
            code = wlab_input_fail(&in, second, err, "row %lld is in several bags: " WL_NO_OVERLAP,
                                   (long long)n + 1);
            goto out;
        }
        if (memchr(line, ' ', (size_t)(q - line)) && !wlab_number_is(line, q, &v)) {
            code = wlab_input_fail(&in, line, err, "several words, but one %s per line is expected", what);
            goto out;
        }
        if (n < rows) {
            label[n] = wlab_text_missing(line, (size_t)(q - line))
                           ? -1
                           : wlab_words_add(words, line, (size_t)(q - line));
            if (label[n] < 0 && !wlab_text_missing(line, (size_t)(q - line))) {
                code = wlab_nomem(err);
                goto out;
            }
        }
        n++;
    }
    if (n < rows && gap)
        code = wlab_input_fail(&in, gap, err,
                               "%lld %ss for %lld rows: one %s per line is expected, but this line is empty",
                               (long long)n, what, (long long)rows, what);
    else if (n != rows)
        code = wlab_fail_at(err, path, 0, 0, "%lld %ss for %lld rows: one %s per line is expected",
                            (long long)n, what, (long long)rows, what);
out:
    wlab_input_close(&in);
    return code;
}

/* ---- classes ---- */

/* Form the classes; replace the words in label[] and given[] by their classes (-2: a class that is not kept). */
static wlab_code words_to_classes(wlab_dataset *ds, const wlab_words *words, bool declared, const char *keep,
                                  const wlab_ctx *ctx, wlab_err *err)
{
    const int64_t rows = ds->X->rows;
    bool *used = wlab_calloc((size_t)words->n, sizeof *used);
    int32_t *to = wlab_alloc((size_t)words->n, sizeof *to);
    wlab_code code;

    if (!used || !to) {
        code = wlab_nomem(err);
        goto out;
    }
    for (int64_t i = 0; i < rows; i++) {
        if (ds->label[i] >= 0)
            used[ds->label[i]] = true;
        if (ds->given && ds->given[i] >= 0)
            used[ds->given[i]] = true;
    }
    code = wlab_classes_assign(ds, words, used, declared, keep, to, ctx, err);
    if (code)
        goto out;
    for (int64_t i = 0; i < rows; i++) {
        if (ds->label[i] >= 0)
            ds->label[i] = to[ds->label[i]] < 0 ? -2 : to[ds->label[i]];
        if (ds->given && ds->given[i] >= 0)
            ds->given[i] = to[ds->given[i]] < 0 ? -2 : to[ds->given[i]];
    }
out:
    wlab_free(used);
    wlab_free(to);
    return code;
}

/* If the classes are exactly -1, 0 and 1, class 0 means unlabelled: remove it and give its rows no label.  *hidden: how
 * many rows had class 0 in ds->label.  If ds->given is missing and given_too is set, it is first made a copy of
 * ds->label.  ds->given is changed in the same way. */
static wlab_code hide_zeros(wlab_dataset *ds, bool given_too, int64_t *hidden, wlab_err *err)
{
    const int64_t rows = ds->X->rows;

    *hidden = 0;
    if (ds->classes != 3 || ds->class_value[0] != -1 || ds->class_value[1] != 0 || ds->class_value[2] != 1)
        return WL_OK;
    if (given_too && !ds->given) {
        ds->given = wlab_alloc((size_t)rows, sizeof *ds->given);
        if (!ds->given)
            return wlab_nomem(err);
        memcpy(ds->given, ds->label, (size_t)rows * sizeof *ds->given);
    }
    for (int64_t i = 0; i < rows; i++) {
        *hidden += ds->label[i] == 1;
        ds->label[i] = ds->label[i] == 1 ? -1 : ds->label[i] == 2 ? 1 : ds->label[i];
        if (ds->given)
            ds->given[i] = ds->given[i] == 1 ? -1 : ds->given[i] == 2 ? 1 : ds->given[i];
    }
    wlab_free(ds->class_name[1]);
    ds->class_name[1] = ds->class_name[2];
    ds->class_name[2] = NULL;
    ds->class_value[1] = 1;
    ds->classes = 2;
    return WL_OK;
}

/* Removes the rows whose class, true or given, classes= or one= leaves out (-2), and without labels= also the rows of
 * unknown class (-1). */
static wlab_code filter_rows(wlab_dataset *ds, int32_t *filled, const char *keep, wlab_ctx *ctx,
                             wlab_err *err)
{
    wlab_matrix *X = ds->X;
    int64_t to = 0, entry = 0;

    if (X->away)
        return wlab_fail(err, WL_ESTATE, "the rows are on several ranks, where none can be left out");
    for (int64_t i = 0; i < X->rows; i++) {
        const int32_t n = X->len[i];

        if (ds->label[i] == -2 || (ds->given && ds->given[i] == -2) || (ds->label[i] == -1 && !ds->given))
            continue;
        if (X->sparse) {
            memmove(X->val + entry, X->val + X->start[i], (size_t)n * sizeof *X->val);
            memmove(X->col + entry, X->col + X->start[i], (size_t)n * sizeof *X->col);
        } else {
            memmove(X->dense + entry, X->dense + X->start[i], (size_t)n * sizeof *X->dense);
        }
        X->start[to] = entry;
        X->len[to] = n;
        entry += n;
        ds->label[to] = ds->label[i];
        if (ds->given)
            ds->given[to] = ds->given[i];
        if (ds->bag)
            ds->bag[to] = ds->bag[i];
        if (filled)
            filled[to] = filled[i];
        to++;
    }
    X->rows = to;
    if (X->sparse)
        X->nnz = entry;
    if (to == 0)
        return wlab_fail(err, WL_EINPUT, "classes=%s leaves no rows", keep);
    return wlab_matrix_settle(&ds->X, ctx, err);
}

/* Keep the class `one`, and as many rows of the other classes, drawn at random, which become the class "rest".  All
 * other rows get the label -2, so that filter_rows removes them. */
static wlab_code one_class(wlab_dataset *ds, const char *one, uint64_t seed, wlab_err *err)
{
    const int64_t rows = ds->X->rows;
    int64_t own = 0, others = 0;
    int which = -1;
    double value;
    wlab_rng rng;

    if (!wlab_parse_real(one, &value))
        value = NAN;
    for (int c = 0; c < ds->classes && which < 0; c++)
        if (strcmp(ds->class_name[c], one) == 0 || ds->class_value[c] == value)
            which = c;
    if (which < 0)
        return wlab_fail(err, WL_EARG, "one=%s: the data have no such class", one);
    int32_t *other = wlab_alloc((size_t)rows, sizeof *other);
    char *rest = wlab_strdup("rest");
    if (!other || !rest) {
        wlab_free(other);
        wlab_free(rest);
        return wlab_nomem(err);
    }
    for (int64_t i = 0; i < rows; i++) {
        own += ds->label[i] == which;
        if (ds->label[i] >= 0 && ds->label[i] != which)
            other[others++] = (int32_t)i;
    }
    wlab_rng_seed(&rng, seed);
    wlab_rng_shuffle(&rng, other, (size_t)others);
    for (int64_t k = own; k < others; k++)
        ds->label[other[k]] = -2;
    wlab_free(other);
    for (int64_t i = 0; i < rows; i++)
        if (ds->label[i] != -2)
            ds->label[i] = ds->label[i] == which ? 1 : ds->label[i] < 0 ? -2 : 0;
    char *name = ds->class_name[which];
    value = ds->class_value[which];
    for (int c = 0; c < ds->classes; c++)
        if (c != which)
            wlab_free(ds->class_name[c]);
    ds->class_name[0] = rest;
    ds->class_name[1] = name;
    ds->class_value[0] = NAN;
    ds->class_value[1] = value;
    ds->classes = 2;
    return WL_OK;
}

/* A word that is the number 0 means an unlabelled row: set its label to -1. */
static void unlabelled_zeros(const wlab_words *words, int32_t *label, int64_t rows)
{
    for (int64_t i = 0; i < rows; i++) {
        const char *text = label[i] < 0 ? "" : wlab_words_text(words, label[i]);
        double v;

        if (wlab_number_is(text, text + strlen(text), &v) && v == 0.0)
            label[i] = -1;
    }
}

wlab_code wlab_labels_assign(wlab_dataset *ds, wlab_reading *r, const wlab_params *options, wlab_ctx *ctx,
                             wlab_err *err)
{
    const char *labels = wlab_params_text(options, "labels"), *truth = wlab_params_text(options, "truth");
    const char *keep = wlab_params_text(options, "classes"), *one = wlab_params_text(options, "one");
    const int64_t rows = ds->X->rows;
    int64_t hidden = 0;
    wlab_code code;

    ds->label = r->label;
    r->label = NULL;
    if (labels) {
        ds->given = wlab_alloc((size_t)rows, sizeof *ds->given);
        if (!ds->given)
            return wlab_nomem(err);
        if ((code = wlab_labels_read(labels, "label", rows, &r->words, ds->given, ctx, err)))
            return code;
        unlabelled_zeros(&r->words, ds->given, rows);
    }
    if (truth || !ds->label) {
        if (!ds->label)
            ds->label = wlab_alloc((size_t)rows, sizeof *ds->label);
        if (!ds->label)
            return wlab_nomem(err);
        if (truth) {
            if ((code = wlab_labels_read(truth, "label", rows, &r->words, ds->label, ctx, err)))
                return code;
        } else if (labels) {
            memcpy(ds->label, ds->given, (size_t)rows * sizeof *ds->label);
        } else {
            memset(ds->label, -1, (size_t)rows * sizeof *ds->label);
        }
    }
    if ((code = words_to_classes(ds, &r->words, r->declared, keep, ctx, err)))
        return code;
    if (one && ds->classes > 1 && !labels && !keep)
        code = one_class(ds, one, (uint64_t)wlab_params_int(options, "draw"), err);
    else if (one)
        code =
            wlab_fail(err, WL_EARG,
                      labels || keep ? "one= and %s= exclude each other" : "one=%s: there is only one class",
                      labels ? "labels"
                      : keep ? "classes"
                             : one);
    if (code)
        return code;
    if (keep || one)
        return filter_rows(ds, r->filled, keep ? keep : one, ctx, err);
    if ((code = hide_zeros(ds, !labels && !truth, &hidden, err)) || !hidden)
        return code;
    return truth ? wlab_reading_remark(r, err, "%lld rows have the true label 0, which means unknown",
                                       (long long)hidden)
                 : wlab_reading_remark(
                       r, err,
                       "the labels are -1, 0 and 1: the %lld rows with 0 are unlabelled (for three "
                       "classes use classes=-1,0,1)",
                       (long long)hidden);
}

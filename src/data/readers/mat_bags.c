/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bags in MAT-files: a vector with the number of each row's bag and one with the bags' labels, in the file itself or,
 * as in the multi-instance collections, in Bag2.mat and BagI.mat beside X.mat.
 */
#include "data/readers/mat.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

void wlab_mat_bags_clear(wlab_mat_bags *b)
{
    wlab_free(b->bag);
    wlab_free(b->label);
    wlab_free(b->given[0]);
    wlab_free(b->given[1]);
    memset(b, 0, sizeof *b);
}

static wlab_code read_vector(const matvar_t *v, const char *what, const wlab_input *in, double **x,
                             int64_t *n, wlab_err *err)
{
    bool ok;

    *x = wlab_mat_vector(v, &ok);
    if (!*x)
        return ok ? wlab_nomem(err)
                  : wlab_fail_at(err, in->path, 0, 0, "%s are not stored as a full vector of numbers", what);
    *n = wlab_mat_elements(v);
    return WL_OK;
}

/* Read the vector in the file `name` beside `data`; *x stays NULL if there is no such file. */
static wlab_code read_sibling(const wlab_input *data, const char *name, const char *what, double **x,
                              int64_t *n, wlab_ctx *ctx, wlab_err *err)
{
    const char *slash = strrchr(data->path, '/');
    char *path = wlab_format("%.*s%s", slash ? (int)(slash + 1 - data->path) : 0, data->path, name);
    const matvar_t *v = NULL;
    wlab_mat_file f = {.fd = -1};
    wlab_input in = {0};
    char list[300];
    wlab_code code;

    if (!path)
        return wlab_nomem(err);
    if (access(path, F_OK) != 0) {
        wlab_free(path);
        return WL_OK;
    }
    if ((code = wlab_input_open(&in, path, ctx, err)))
        goto out;
    if (!wlab_mat_is(in.data, in.size)) {
        code = wlab_fail_at(err, path, 0, 0, "%s are expected here, in a MAT-file of version 5", what);
        goto out;
    }
    if ((code = wlab_mat_open(&f, &in, err)))
        goto out;
    for (int i = 0; i < f.vars && !v; i++)
        if (wlab_mat_is_vector(f.var[i].v))
            v = f.var[i].v;
    code = v ? read_vector(v, what, &in, x, n, err)
             : wlab_fail_at(err, path, 0, 0, "%s are expected here, a vector of numbers; the file has %s",
                            what, wlab_mat_listing(&f, list, sizeof list));
out:
    wlab_mat_close(&f);
    wlab_input_close(&in);
    wlab_free(path);
    return code;
}

static wlab_code read_siblings(wlab_mat_bags *b, const wlab_input *in, wlab_ctx *ctx, wlab_err *err)
{
    const char *slash = strrchr(in->path, '/');
    wlab_code code;

    if (strcmp(slash ? slash + 1 : in->path, "X.mat") != 0)
        return WL_OK;
    code = read_sibling(in, "Bag2.mat", "the numbers of the rows' bags", &b->bag, &b->rows, ctx, err);
    if (!code)
        code = read_sibling(in, "BagI.mat", "the labels of the bags", &b->label, &b->labels, ctx, err);
    if (!code && !b->bag != !b->label)
        code = wlab_fail_at(
            err, in->path, 0, 0,
            "%s is beside it, but %s is missing: the three files belong together; for rows without bags use "
            "bag=none, or name a file of bags with bags=",
            b->bag ? "Bag2.mat (the rows' bags)" : "BagI.mat (the bags' labels)",
            b->bag ? "BagI.mat (the bags' labels)" : "Bag2.mat (the rows' bags)");
    return code;
}

/* Refuse what bag= names, or a variable with a usual name of bags, because it is neither a vector nor a split. */
static wlab_code refuse_bags(const wlab_mat_file *f, const matvar_t *v, const wlab_input *in,
                             const char *spec, int64_t tall, int64_t wide, wlab_err *err)
{
    char text[300], splits[300];

    if (v && wlab_mat_splits_text(f, v, spec, text, sizeof text))
        return wlab_fail(err, WL_EARG, "bag=%s names several splits: %s", spec, text);
    if (v && wlab_mat_is_numeric(v) && ((int64_t)v->dims[0] == tall || (int64_t)v->dims[0] == wide))
        return wlab_fail_at(
            err, in->path, 0, 0,
            "%.60s is a matrix of %zu x %zu, which may put a row into several bags: " WL_NO_OVERLAP
            "; a vector with one bag number per row is needed (bag=none ignores bags)",
            spec, v->dims[0], v->dims[1]);
    for (int i = 0; i < f->vars; i++)
        if (wlab_mat_splits_text(f, f->var[i].v, f->var[i].name, splits, sizeof splits))
            return wlab_fail(err, WL_EARG, "bag=%s: '%s' has no such vector or split; its splits are %s",
                             spec, in->path, splits);
    return wlab_fail(err, WL_EARG, "bag=%s: '%s' has no such vector or split; it has %s", spec, in->path,
                     wlab_mat_listing(f, text, sizeof text));
}

/* Without bag=: if the file has one split, it gives the bags; if it has several, a remark lists their names. */
static wlab_code use_own_split(wlab_mat_bags *b, const wlab_mat_file *f, const wlab_input *in, int64_t tall,
                               wlab_reading *r, wlab_err *err)
{
    const matvar_t *v = wlab_mat_own_split(f, &b->from);
    char text[300];

    if (v)
        return wlab_mat_split_bags(b, f, v, in, tall, err);
    for (int i = 0; i < f->vars; i++)
        if (wlab_mat_splits_text(f, f->var[i].v, f->var[i].name, text, sizeof text))
            return wlab_reading_remark(r, err,
                                       "the file has bags of several splits; choose one with bag=: %s", text);
    return WL_OK;
}

wlab_code wlab_mat_bags_find(wlab_mat_bags *b, const wlab_mat_file *f, const wlab_input *in,
                             const wlab_read_options *o, int64_t tall, int64_t wide, wlab_reading *r,
                             wlab_ctx *ctx, wlab_err *err)
{
    static const char *const numbers[] = {"Bag2",  "bag",    "Bag",   "bags",  "bag_id", "bag_ids",
                                          "bagid", "bagids", "bagID", "bagNo", "bag_no", NULL};
    static const char *const labels[] = {"bagI",      "BagI",      "bag_label", "bag_labels", "bagLabel",
                                         "bagLabels", "baglabels", "bag_y",     NULL};
    const matvar_t *v, *l = NULL;
    wlab_code code = WL_OK;

    memset(b, 0, sizeof *b);
    if (o->bag && strcmp(o->bag, "none") == 0)
        return WL_OK;
    v = o->bag ? wlab_mat_find_spec(f, o->bag) : wlab_mat_find(f, numbers);
    if (v && wlab_mat_is_split(f, v)) {
        code = wlab_mat_split_bags(b, f, v, in, tall, err);
        b->from = o->bag ? o->bag : v->name;
    } else if (v ? !wlab_mat_is_vector(v) : o->bag != NULL) {
        return refuse_bags(f, v, in, o->bag ? o->bag : v->name ? v->name : "bag", tall, wide, err);
    } else if (v) {
        l = wlab_mat_find(f, labels);
        code = read_vector(v, "the numbers of the rows' bags", in, &b->bag, &b->rows, err);
        if (!code && l && wlab_mat_is_vector(l))
            code = read_vector(l, "the labels of the bags", in, &b->label, &b->labels, err);
        b->from = v->name ? v->name : "bag";
    } else {
        code = read_siblings(b, in, ctx, err);
        b->beside = b->bag != NULL;
        b->from = "Bag2.mat";
        if (!code && !b->bag)
            code = use_own_split(b, f, in, tall, r, err);
    }
    if (!code && b->bag && b->rows != tall && b->rows != wide)
        code = wlab_fail_at(
            err, in->path, 0, 0,
            "%lld bag numbers do not fit features of %lld x %lld: one per row is needed (bag=none ignores "
            "them)",
            (long long)b->rows, (long long)tall, (long long)wide);
    for (int64_t i = 0; !code && b->bag && i < b->rows; i++)
        if (!(fabs(b->bag[i]) <= INT32_MAX) || b->bag[i] != nearbyint(b->bag[i]))
            code = wlab_fail_at(err, in->path, 0, 0, "the bag of row %lld, %g, is not a whole number",
                                (long long)i + 1, b->bag[i]);
    if (code)
        wlab_mat_bags_clear(b);
    return code;
}

wlab_code wlab_mat_bags_spread(const wlab_mat_bags *b, const double *label, int64_t labels, double **out,
                               const wlab_input *in, wlab_err *err)
{
    double *y = wlab_alloc((size_t)b->rows, sizeof *y), first = 1;
    bool *has_rows = wlab_calloc((size_t)labels, sizeof *has_rows);
    wlab_code code = y && has_rows ? WL_OK : wlab_nomem(err);

    for (int64_t i = 0; i < b->rows; i++)
        if (b->bag[i] == 0.0)
            first = 0;
    for (int64_t i = 0; !code && i < b->rows; i++) {
        double at = b->bag[i] - first;
        if (!(at >= 0 && at < (double)labels)) {
            code =
                wlab_fail_at(err, in->path, 0, 0,
                             "row %lld is in bag %.0f, but there are %lld labels of bags, numbered from %.0f",
                             (long long)i + 1, b->bag[i], (long long)labels, first);
            break;
        }
        has_rows[(int64_t)at] = true;
        y[i] = label[(int64_t)at];
    }
    for (int64_t k = 0; !code && k < labels; k++)
        if (!has_rows[k])
            code = wlab_fail_at(err, in->path, 0, 0,
                                "bag %.0f has a label but no rows: the %lld labels are too many, or "
                                "rows are missing",
                                (double)k + first, (long long)labels);
    wlab_free(has_rows);
    if (code)
        y = wlab_free(y);
    *out = y;
    return code;
}

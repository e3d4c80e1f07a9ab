/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * MATLAB's MAT-files of version 5, through matio: a matrix of features, dense or sparse, and a vector of
 * labels, at the top or inside structs.
 *
 * Features are the variable X, x, data, fea or features; labels y, Y, label, labels, target, targets, class,
 * classes or gnd, or what label= names ("s.f" inside a struct).  Where a struct holds train_label and
 * train_data_idx (and the same for test), the labels are put together from these row numbers.
 */
#include "data/mat.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <matio.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define VARS_MAX 256

/* matio, loaded when a MAT-file is read: with what it depends on, half of all our libraries, it would take longer than
 * everything else at each start of the program. */
typedef struct matio {
    mat_t *(*open)(const char *, int);
    int (*close)(mat_t *);
    matvar_t *(*next)(mat_t *);
    void (*free)(matvar_t *);
    unsigned (*fields)(const matvar_t *);
    char *const *(*names)(const matvar_t *);
    matvar_t *(*field)(const matvar_t *, size_t, size_t);
} matio;

typedef struct var {
    matvar_t *v;        /* borrowed from `owner` */
    const char *name;   /* its own, or the field's */
    const char *inside; /* the struct's name, or NULL */
} var;

typedef struct file {
    matio lib;
    mat_t *mat;
    matvar_t *owner[VARS_MAX];
    int owners;
    var var[VARS_MAX];
    int vars;
    int fd;
} file;

static wlab_code matio_load(matio *lib, wlab_err *err)
{
    static const char *const name[] = {"Mat_Open",
                                       "Mat_Close",
                                       "Mat_VarReadNext",
                                       "Mat_VarFree",
                                       "Mat_VarGetNumberOfFields",
                                       "Mat_VarGetStructFieldnames",
                                       "Mat_VarGetStructFieldByIndex"};
    void *const place[] = {&lib->open,   &lib->close, &lib->next, &lib->free,
                           &lib->fields, &lib->names, &lib->field};
    void *so = dlopen(WLAB_MATIO, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

    for (size_t k = 0; so && k < sizeof name / sizeof *name; k++) {
        void *function = dlsym(so, name[k]);
        if (!function)
            so = NULL;
        memcpy(place[k], &function, sizeof function); /* C has no cast between the two sorts of pointer */
    }
    return so ? WL_OK
              : wlab_fail(err, WL_EIO, "MAT-files are read by matio, which cannot be loaded: %s", dlerror());
}

static void file_close(file *f)
{
    if (f->fd < 0)
        return;
    for (int i = 0; i < f->owners; i++)
        f->lib.free(f->owner[i]);
    if (f->mat)
        f->lib.close(f->mat);
    close(f->fd);
}

static bool add_var(file *f, matvar_t *v, const char *name, const char *inside)
{
    if (f->vars == VARS_MAX || !name)
        return false;
    f->var[f->vars++] = (var){v, name, inside};
    return true;
}

/* matio reads from a path only: the bytes go into an anonymous file. */
static wlab_code file_open(file *f, const wlab_input *in, wlab_err *err)
{
    wlab_buf checked = {0};
    char path[64];
    size_t done = 0;
    wlab_code code;

    memset(f, 0, sizeof *f);
    f->fd = -1;
    if ((code = matio_load(&f->lib, err)))
        return code;
    code = wlab_mat_check(in, &checked, err);
    if (!code) {
        f->fd = memfd_create("weaklab", MFD_CLOEXEC);
        while (f->fd >= 0 && done < checked.len) {
            const ssize_t n = write(f->fd, checked.data + done, checked.len - done);

            if (n <= 0 && errno != EINTR)
                break;
            done += n > 0 ? (size_t)n : 0;
        }
        if (f->fd < 0 || done < checked.len)
            code = wlab_fail_errno(err, "cannot make an anonymous file to read '%s'", in->path);
    }
    wlab_buf_clear(&checked);
    if (code)
        return code;
    snprintf(path, sizeof path, "/proc/self/fd/%d", f->fd);
    f->mat = f->lib.open(path, MAT_ACC_RDONLY);
    if (!f->mat)
        return wlab_fail_at(err, in->path, 0, 0,
                            "this is no MAT-file that can be read: it is damaged or cut off");
    for (;;) {
        matvar_t *v = f->owners < VARS_MAX ? f->lib.next(f->mat) : NULL;

        if (!v)
            break;
        f->owner[f->owners++] = v;
        add_var(f, v, v->name, NULL);
        if (v->class_type == MAT_C_STRUCT && v->data) {
            const unsigned n = f->lib.fields(v);
            char *const *names = f->lib.names(v);

            for (unsigned i = 0; names && i < n; i++) {
                matvar_t *field = f->lib.field(v, i, 0);
                if (field)
                    add_var(f, field, names[i], v->name);
            }
        }
    }
    return f->vars ? WL_OK
                   : wlab_fail_at(err, in->path, 0, 0, "the MAT-file has no variables, or is damaged");
}

static bool is_numeric(const matvar_t *v)
{
    return v->rank == 2 && !v->isComplex && v->data &&
           ((v->class_type >= MAT_C_DOUBLE && v->class_type <= MAT_C_UINT64) ||
            v->class_type == MAT_C_SPARSE);
}

/* "X 400 x 117, y 400 x 1" */
static const char *listing(const file *f, char *buf, size_t size)
{
    size_t at = 0;

    buf[0] = 0;
    for (int i = 0; i < f->vars && at + 80 < size; i++) {
        const matvar_t *v = f->var[i].v;
        char name[40];

        at +=
            (size_t)snprintf(buf + at, size - at, "%s%s%s%s", i ? ", " : "",
                             f->var[i].inside ? f->var[i].inside : "", f->var[i].inside ? "." : "",
                             wlab_text_clean(f->var[i].name, strnlen(f->var[i].name, 30), name, sizeof name));
        if (v->rank == 2)
            at += (size_t)snprintf(buf + at, size - at, " %zux%zu", v->dims[0], v->dims[1]);
    }
    return buf;
}

static matvar_t *by_names(const file *f, const char *const *names)
{
    for (size_t n = 0; names[n]; n++) /* at the top first */
        for (int i = 0; i < f->vars; i++)
            if (!f->var[i].inside && strcmp(f->var[i].name, names[n]) == 0 && is_numeric(f->var[i].v))
                return f->var[i].v;
    for (size_t n = 0; names[n]; n++)
        for (int i = 0; i < f->vars; i++)
            if (f->var[i].inside && strcmp(f->var[i].name, names[n]) == 0 && is_numeric(f->var[i].v))
                return f->var[i].v;
    return NULL;
}

static matvar_t *by_spec(const file *f, const char *spec)
{
    const char *dot = strchr(spec, '.');

    for (int i = 0; i < f->vars; i++) {
        const var *v = &f->var[i];
        if (!v->inside
                ? strcmp(v->name, spec) == 0
                : dot && strlen(v->inside) == (size_t)(dot - spec) &&
                      memcmp(v->inside, spec, (size_t)(dot - spec)) == 0 && strcmp(v->name, dot + 1) == 0)
            return v->v;
    }
    return NULL;
}

static int64_t elements(const matvar_t *v)
{
    return (int64_t)v->dims[0] * (int64_t)v->dims[1];
}

/* Element k of stored type. */
static double element(const void *data, enum matio_types type, int64_t k)
{
    switch (type) {
    case MAT_T_DOUBLE:
        return ((const double *)data)[k];
    case MAT_T_SINGLE:
        return (double)((const float *)data)[k];
    case MAT_T_INT8:
        return ((const int8_t *)data)[k];
    case MAT_T_UINT8:
        return ((const uint8_t *)data)[k];
    case MAT_T_INT16:
        return ((const int16_t *)data)[k];
    case MAT_T_UINT16:
        return ((const uint16_t *)data)[k];
    case MAT_T_INT32:
        return ((const int32_t *)data)[k];
    case MAT_T_UINT32:
        return ((const uint32_t *)data)[k];
    case MAT_T_INT64:
        return (double)((const int64_t *)data)[k];
    case MAT_T_UINT64:
        return (double)((const uint64_t *)data)[k];
    default:
        return NAN;
    }
}

/* Bytes of a number; 0: none that we know. */
static int64_t type_size(enum matio_types type)
{
    switch (type) {
    case MAT_T_INT8:
    case MAT_T_UINT8:
        return 1;
    case MAT_T_INT16:
    case MAT_T_UINT16:
        return 2;
    case MAT_T_INT32:
    case MAT_T_UINT32:
    case MAT_T_SINGLE:
        return 4;
    case MAT_T_DOUBLE:
    case MAT_T_INT64:
    case MAT_T_UINT64:
        return 8;
    default:
        return 0;
    }
}

static bool type_known(enum matio_types type)
{
    return type_size(type) > 0;
}

/* The numbers of a dense vector; NULL: no memory, or not a dense vector (*ok false). */
static double *vector(const matvar_t *v, bool *ok)
{
    const int64_t n = elements(v);
    double *x;

    *ok = v->class_type != MAT_C_SPARSE && type_known(v->data_type) &&
          (int64_t)v->nbytes >= n * type_size(v->data_type);
    if (!*ok)
        return NULL;
    x = wlab_alloc((size_t)n, sizeof *x);
    for (int64_t i = 0; x && i < n; i++)
        x[i] = element(v->data, v->data_type, i);
    return x;
}

static wlab_code not_finite(const wlab_input *in, int64_t row, int64_t col, wlab_err *err)
{
    return wlab_fail_at(err, in->path, 0, 0, "row %lld, column %lld of the features is not finite",
                        (long long)row + 1, (long long)col + 1);
}

/* ---- features ---- */

static wlab_code dense_cells(wlab_table *t, int32_t features, const matvar_t *v, bool flip,
                             const wlab_input *in, wlab_err *err)
{
    const int64_t tall = (int64_t)v->dims[0], n = elements(v);

    if (!type_known(v->data_type) || (int64_t)v->nbytes < n * type_size(v->data_type))
        return wlab_fail_at(err, in->path, 0, 0, "the features are stored in a way that cannot be read");
    t->cell = wlab_alloc((size_t)t->rows * (size_t)t->cols, sizeof *t->cell);
    if (!t->cell)
        return wlab_nomem(err);
    for (int64_t i = 0; i < t->rows; i++)
        for (int64_t c = 0; c < features; c++) {
            const double x = element(v->data, v->data_type, flip ? i * tall + c : c * tall + i);
            if (isinf(x))
                return not_finite(in, i, c, err);
            t->cell[i * t->cols + c] = x;
        }
    return WL_OK;
}

/* Column-compressed to rows, each with room for its label behind; explicit zeros go later. */
static wlab_code sparse_cells(wlab_table *t, int32_t features, const matvar_t *v, bool flip,
                              const wlab_input *in, wlab_err *err)
{
    const mat_sparse_t *s = v->data;
    const int64_t tall = (int64_t)v->dims[0], wide = (int64_t)v->dims[1], n = s->ndata;
    int64_t *next;

    if (s->njc < wide + 1 || s->nir < n || !s->jc || (n && (!s->ir || !s->data)) || !type_known(v->data_type))
        return wlab_fail_at(err, in->path, 0, 0, "the sparse features are damaged");
    for (int64_t j = 0; j < wide; j++)
        if (s->jc[j] > s->jc[j + 1] || s->jc[j + 1] > n || s->jc[0] != 0)
            return wlab_fail_at(err, in->path, 0, 0, "the sparse features are damaged (column %lld)",
                                (long long)j + 1);
    for (int64_t j = 0; j < wide; j++)
        for (int64_t k = s->jc[j]; k < s->jc[j + 1]; k++)
            if (s->ir[k] >= tall || (k > s->jc[j] && s->ir[k] <= s->ir[k - 1]))
                return wlab_fail_at(err, in->path, 0, 0, "the sparse features are damaged (entry %lld)",
                                    (long long)k + 1);
    t->start = wlab_calloc((size_t)t->rows + 1, sizeof *t->start);
    t->cell = wlab_alloc((size_t)(n + t->rows), sizeof *t->cell);
    t->at = wlab_alloc((size_t)(n + t->rows), sizeof *t->at);
    next = wlab_alloc((size_t)t->rows + 1, sizeof *next);
    if (!t->start || !t->cell || !t->at || !next) {
        wlab_free(next);
        return wlab_nomem(err);
    }
    for (int64_t j = 0; j < wide; j++)
        for (int64_t k = s->jc[j]; k < s->jc[j + 1]; k++)
            t->start[(flip ? j : (int64_t)s->ir[k]) + 1]++;
    for (int64_t i = 0; i < t->rows; i++)
        t->start[i + 1] += t->start[i] + (t->cols > features);
    memcpy(next, t->start, ((size_t)t->rows + 1) * sizeof *next);
    for (int64_t j = 0; j < wide; j++)
        for (int64_t k = s->jc[j]; k < s->jc[j + 1]; k++) {
            const int64_t row = flip ? j : (int64_t)s->ir[k], to = next[row]++;

            t->cell[to] = element(s->data, v->data_type, k);
            t->at[to] = (int32_t)(flip ? (int64_t)s->ir[k] : j);
            if (isinf(t->cell[to])) {
                wlab_free(next);
                return not_finite(in, row, t->at[to], err);
            }
        }
    wlab_free(next);
    return WL_OK;
}

/* ---- labels ---- */

/* Row numbers and labels of one half ("train", "test") of a struct's split, into y[rows]. */
static wlab_code half_labels(const file *f, const char *half, double *y, int64_t rows, int64_t *done,
                             wlab_err *err)
{
    char name[32];
    const matvar_t *label = NULL, *row = NULL;
    double *l, *r;
    bool ok, ok2;

    for (int i = 0; i < f->vars; i++) {
        snprintf(name, sizeof name, "%s_label", half);
        if (f->var[i].inside && strcmp(f->var[i].name, name) == 0 && is_numeric(f->var[i].v))
            label = f->var[i].v;
        snprintf(name, sizeof name, "%s_data_idx", half);
        if (f->var[i].inside && strcmp(f->var[i].name, name) == 0 && is_numeric(f->var[i].v))
            row = f->var[i].v;
    }
    if (!label || (row && elements(row) != elements(label)) || (!row && elements(label) != rows))
        return WL_OK;
    l = vector(label, &ok);
    r = row ? vector(row, &ok2) : NULL;
    if ((ok && !l) || (row && ok2 && !r)) {
        wlab_free(l);
        wlab_free(r);
        return wlab_nomem(err);
    }
    for (int64_t i = 0; l && (r || !row) && i < elements(label); i++) {
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

static wlab_code find_labels(const file *f, const wlab_input *in, const wlab_read_options *o, int64_t tall,
                             int64_t wide, double **y, int64_t *n, wlab_reading *r, wlab_err *err)
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
        v = by_spec(f, o->label);
        if (!v)
            return wlab_fail(err, WL_EARG, "label=%s: '%s' has no such variable; it has %s", o->label,
                             in->path, listing(f, list, sizeof list));
        if (!is_numeric(v) || (v->dims[0] != 1 && v->dims[1] != 1))
            return wlab_fail(err, WL_EARG, "label=%s is not a vector of numbers", o->label);
    } else {
        v = by_names(f, usual);
    }
    if (v) {
        if (v->dims[0] != 1 && v->dims[1] != 1)
            return wlab_fail_at(err, in->path, 0, 0,
                                "the labels are a matrix of %zu x %zu: a vector of class numbers is needed",
                                v->dims[0], v->dims[1]);
        if (elements(v) != tall && elements(v) != wide)
            return wlab_fail_at(err, in->path, 0, 0, "%lld labels do not fit features of %lld x %lld",
                                (long long)elements(v), (long long)tall, (long long)wide);
        *y = vector(v, &ok);
        if (!*y)
            return ok ? wlab_nomem(err)
                      : wlab_fail_at(err, in->path, 0, 0,
                                     "the labels are not stored as a full vector of numbers");
        *n = elements(v);
        return WL_OK;
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
        return wlab_reading_remark(r, err, "classes from the train_label and test_label of the split inside");
    }
    *y = wlab_free(*y);
    if (o->labels_elsewhere)
        return WL_OK;
    return wlab_fail_at(
        err, in->path, 0, 0,
        "no variable with labels (y, label, target, ...) among %s; name one with label=, a file with "
        "labels= or truth=, or say label=none",
        listing(f, list, sizeof list));
}

/* The labels become the table's last column. */
static wlab_code label_cells(wlab_table *t, const double *y, wlab_err *err)
{
    wlab_column *col = &t->column[t->cols - 1];

    col->kind = WL_COL_LABEL;
    for (int64_t i = 0; i < t->rows; i++) {
        const int64_t k = t->start ? t->start[i + 1] - 1 : (i + 1) * t->cols - 1;
        char text[32];

        if (t->start)
            t->at[k] = t->cols - 1;
        t->cell[k] = NAN;
        if (!isfinite(y[i]))
            continue;
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
    double *y = NULL;
    int64_t labels = 0;
    const matvar_t *X;
    char list[500];
    bool flip = false;
    int32_t features;
    wlab_code code;
    file f;

    (void)ctx;
    f.fd = -1;
    if ((code = file_open(&f, in, err)))
        goto out;
    X = by_names(&f, usual);
    if (!X) {
        code = wlab_fail_at(err, in->path, 0, 0, "no variable with features (X, data, fea) among %s",
                            listing(&f, list, sizeof list));
        goto out;
    }
    if (!X->dims[0] || !X->dims[1] || X->dims[0] > INT32_MAX - 2 || X->dims[1] > INT32_MAX - 2) {
        code = wlab_fail_at(err, in->path, 0, 0, "features of %zu x %zu are out of range", X->dims[0],
                            X->dims[1]);
        goto out;
    }
    if (X->class_type == MAT_C_SPARSE &&
        X->dims[0] / 100 > (size_t)((const mat_sparse_t *)X->data)->ndata + 10) {
        /* nothing in the file stands for an empty row: a damaged size could ask for any number of them */
        code = wlab_fail_at(err, in->path, 0, 0, "sparse features of %zu x %zu have hardly any entries",
                            X->dims[0], X->dims[1]);
        goto out;
    }
    code = find_labels(&f, in, options, (int64_t)X->dims[0], (int64_t)X->dims[1], &y, &labels, r, err);
    if (code)
        goto out;
    flip = labels && labels != (int64_t)X->dims[0];
    if (flip && (code = wlab_reading_remark(r, err, "rows of the matrix are features, its columns examples")))
        goto out;
    t.rows = (int64_t)X->dims[flip];
    features = (int32_t)X->dims[!flip];
    t.cols = features + (labels > 0);
    t.column = wlab_calloc((size_t)t.cols, sizeof *t.column);
    if (!t.column) {
        code = wlab_nomem(err);
        goto out;
    }
    code = X->class_type == MAT_C_SPARSE ? sparse_cells(&t, features, X, flip, in, err)
                                         : dense_cells(&t, features, X, flip, in, err);
    if (!code && labels)
        code = label_cells(&t, y, err);
    if (!code)
        code = wlab_table_finish(&t, r, in, options, err);
out:
    file_close(&f);
    wlab_free(y);
    wlab_table_clear(&t);
    return code;
}

bool wlab_mat_is(const char *head, size_t len)
{
    return len >= 128 && (memcmp(head, "MATLAB ", 7) == 0 || memcmp(head + 124, "\0\1IM", 4) == 0);
}

wlab_code wlab_mat_read_row(const wlab_input *in, const char *name, int64_t row, wlab_buf *out, wlab_err *err)
{
    const char *const names[] = {name, NULL};
    const matvar_t *v;
    char list[500];
    double *x = NULL;
    wlab_code code;
    bool ok;
    file f;

    f.fd = -1;
    if ((code = file_open(&f, in, err)))
        goto out;
    v = by_names(&f, names);
    if (!v) {
        code = wlab_fail_at(err, in->path, 0, 0, "no matrix %s of row numbers among %s", name,
                            listing(&f, list, sizeof list));
        goto out;
    }
    if (row > (int64_t)v->dims[0]) {
        code = wlab_fail(err, WL_EARG, "'%s' has %zu splits: there is no split %lld", in->path, v->dims[0],
                         (long long)row);
        goto out;
    }
    x = vector(v, &ok);
    if (!x) {
        code = ok ? wlab_nomem(err)
                  : wlab_fail_at(err, in->path, 0, 0, "%s is not a full matrix of numbers", name);
        goto out;
    }
    for (size_t j = 0; j < v->dims[1] && !code; j++) {
        const double at = x[j * v->dims[0] + (size_t)row - 1];
        const int32_t number = at >= 1 && at <= INT32_MAX && at == floor(at) ? (int32_t)at - 1 : -1;

        if (number < 0)
            code = wlab_fail_at(err, in->path, 0, 0, "%s holds a number that is no row number", name);
        else if (wlab_buf_put(out, &number, sizeof number))
            code = wlab_nomem(err);
    }
out:
    file_close(&f);
    wlab_free(x);
    return code;
}

static int probe(const char *head, size_t len)
{
    return wlab_mat_is(head, len) ? 100 : 0;
}

const wlab_reader wlab_reader_mat = {probe, read_mat};

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `load`: the table of readers, the choice of one by the file's content, and what is the same for all:
 * files of labels, classes, the name, the checksum.
 */
#include "base/sha256.h"
#include "base/thread.h"
#include "data/readers/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const wlab_format_info formats[] = {
    {"libsvm", "LIBSVM and SVMlight text: a label, then index:value pairs", "libsvm svm svmlight dat t"},
    {"csv", "comma, semicolon, tab or space separated columns, with or without a header",
     "csv tsv data dat txt"},
    {"arff", "Weka's attribute-relation file, dense or sparse", "arff"},
    {"svmlin", "SVMlin's examples: index:value pairs; labels= names the file of labels", "svmlin"},
    {"bags", "Andrews' text of bags: instance:bag:label, then index:value pairs", "bags svm"},
    {"mat",
     "MATLAB MAT-file version 5: a matrix of features, a vector of labels, of bag numbers; or a folder with "
     "X.mat, "
     "Bag2.mat, BagI.mat",
     "mat"},
    {NULL, NULL, NULL},
};
static const wlab_reader *const readers[] = {&wlab_reader_libsvm, &wlab_reader_csv,  &wlab_reader_arff,
                                             &wlab_reader_svmlin, &wlab_reader_bags, &wlab_reader_mat};

static const char *const format_names[] = {"auto", "libsvm", "csv", "arff", "svmlin", "bags", "mat", NULL};
static const char *const header_names[] = {"auto", "yes", "no", NULL};
static const char *const missing_names[] = {"mean", "zero", "drop", "error", NULL};
static const char *const base_names[] = {"auto", "0", "1", NULL};

const wlab_param_info wlab_load_params[] = {
    {.name = "format",
     .type = WL_P_CHOICE,
     .fallback = "auto",
     .choices = format_names,
     .meaning = "the file's format; auto: told from its content"},
    {.name = "labels",
     .type = WL_P_FILE,
     .meaning = "a file of labels, one a line, 0 for an unlabelled row: what the learner may see"},
    {.name = "truth",
     .type = WL_P_FILE,
     .meaning = "a file of true labels, one a line, used for scoring only"},
    {.name = "label",
     .type = WL_P_TEXT,
     .meaning =
         "the column (variable) of classes: its name, its number from 1, last, or none; default: the column "
         "named class, label, target or y, else the last"},
    {.name = "bags",
     .type = WL_P_FILE,
     .meaning = "a file of bags, one a line: the number or name of each row's bag"},
    {.name = "bag",
     .type = WL_P_TEXT,
     .meaning = "the column (variable) that numbers or names the bags: its name, its number from 1, or none; "
                "default: the "
                "column named bag, or the first of a C4.5 file of bags (bag, instance, numbers, class)"},
    {.name = "header",
     .type = WL_P_CHOICE,
     .fallback = "auto",
     .choices = header_names,
     .meaning = "whether the first line of a CSV file names the columns"},
    {.name = "missing",
     .type = WL_P_CHOICE,
     .fallback = "mean",
     .choices = missing_names,
     .meaning = "a missing value (an empty cell, ?, NA, NaN) becomes its column's mean (commonest word) or "
                "0, drops its "
                "row, or is an error"},
    {.name = "base",
     .type = WL_P_CHOICE,
     .fallback = "auto",
     .choices = base_names,
     .meaning = "what index:value indices begin with; auto: 0 if that occurs, else 1"},
    {.name = "columns",
     .type = WL_P_INT,
     .lo = 1,
     .hi = INT32_MAX - 1,
     .meaning = "how many columns index:value text has, where the last ones may hold nothing in this file"},
    {.name = "classes",
     .type = WL_P_TEXT,
     .meaning = "A,B,...: keep the rows of these classes only, the last of two being the positive one"},
    {.name = "one",
     .type = WL_P_TEXT,
     .meaning = "this class against the others, of which as many rows are kept, drawn at random (draw=): two "
                "classes, "
                "rest and this one, the positive one"},
    {.name = "draw",
     .type = WL_P_INT,
     .fallback = "1",
     .lo = 0,
     .hi = 0x1p53,
     .meaning = "one=: which rows of the others are kept"},
    {.name = "unpacked",
     .type = WL_P_INT,
     .lo = 1,
     .hi = 1 << 30,
     .unit = "MB",
     .meaning =
         "how much may come out of a compressed file, or out of what is compressed inside a MAT-file; left "
         "out: 1024, or 64 times the file's size where that is more, and never more than the machine's "
         "memory"},
    {.name = NULL},
};

const wlab_format_info *wlab_formats(void)
{
    return formats;
}

/* ---- the checksum, on a thread of its own while the file is parsed ---- */

enum {
    PIECE = 1 << 20
};

typedef struct hash_job {
    pthread_t thread;
    bool running;
    const wlab_input *in;
    char *hex;
    wlab_code code; /* WL_EINTERRUPTED */
} hash_job;

static void *hash_main(void *arg)
{
    hash_job *job = arg;
    const char *data = job->in->packed ? job->in->packed : job->in->data;
    const size_t size = job->in->packed ? job->in->packed_size : job->in->size;
    struct sha256_ctx sum;

    sha256_init(&sum);
    for (size_t at = 0, n; at < size && !(job->code = wlab_input_look(job->in, NULL)); at += n) {
        n = size - at < PIECE ? size - at : PIECE;
        sha256_update(&sum, n, (const uint8_t *)data + at);
    }
    if (!job->code)
        wlab_sha256_end(&sum, job->hex);
    return NULL;
}

static void hash_start(hash_job *job, const wlab_input *in, char *hex)
{
    *job = (hash_job){.in = in, .hex = hex};
    if (in->ctx && wlab_pool_threads(in->ctx->pool) > 1)
        job->running = wlab_thread_start(&job->thread, hash_main, job) == 0;
    if (!job->running)
        hash_main(job);
}

static wlab_code hash_end(hash_job *job)
{
    if (job->running)
        pthread_join(job->thread, NULL);
    job->running = false;
    return job->code;
}

/* ---- which reader ---- */

static const char *file_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* `list` of words holds the word [p, p + len). */
static bool listed(const char *list, const char *p, size_t len)
{
    while (*list) {
        const char *stop = strchrnul(list, ' ');
        if ((size_t)(stop - list) == len && strncasecmp(list, p, len) == 0)
            return true;
        list = *stop ? stop + 1 : stop;
    }
    return false;
}

/* The length of a file name without its extensions: one of compression, then one of a format. */
static size_t stem(const char *name, const char **extension, size_t *extension_len)
{
    size_t len = strlen(name);

    *extension = "";
    *extension_len = 0;
    for (int round = 0; round < 2; round++) {
        size_t dot = len;
        bool known = false;

        while (dot > 1 && name[dot - 1] != '.')
            dot--;
        if (dot <= 1)
            break;
        if (round == 0) {
            known = listed("gz bz2 xz zst lz4", name + dot, len - dot);
        } else {
            *extension = name + dot;
            *extension_len = len - dot;
            for (const wlab_format_info *f = formats; f->name; f++)
                known |= len - dot > 1 && listed(f->extensions, name + dot, len - dot);
        }
        if (known)
            len = dot - 1;
    }
    return len;
}

/* How much of the file the readers are shown: its beginning, to the end of a line, or of a word where the first line is
 * longer.  Half a pair would be none. */
static size_t head_of(const wlab_input *in)
{
    const size_t most = 65536;

    if (in->size <= most)
        return in->size;
    for (int line = 1; line >= 0; line--)
        for (size_t n = most; n > most / 2; n--)
            if (in->data[n - 1] == '\n' || (!line && memchr(" \t,;", in->data[n - 1], 4)))
                return n;
    return most;
}

static wlab_code choose(const wlab_reader **reader, const wlab_input *in, wlab_err *err)
{
    const size_t head = head_of(in);
    const char *extension;
    size_t extension_len;
    int best = 0;

    *reader = NULL;
    (void)stem(file_part(in->path), &extension, &extension_len);
    for (size_t i = 0; formats[i].name; i++) {
        int score = 2 * readers[i]->probe(in->data, head);

        if (score && listed(formats[i].extensions, extension, extension_len))
            score++;
        if (score > best) {
            best = score;
            *reader = readers[i];
        }
    }
    if (!*reader)
        return wlab_fail_at(
            err, in->path, 0, 0,
            "this is neither text in rows and columns nor a MAT-file of version 5; the formats are "
            "libsvm, csv, arff, svmlin, bags, mat");
    return WL_OK;
}

static wlab_code check_text(const wlab_input *in, wlab_err *err)
{
    const char *zero = NULL;

    if (in->size > 1 && (memcmp(in->data, "\xff\xfe", 2) == 0 || memcmp(in->data, "\xfe\xff", 2) == 0))
        return wlab_fail_at(err, in->path, 1, 1, "the text is in UTF-16: convert it to UTF-8 first");
    for (size_t at = 0; at < in->size && !zero; at += PIECE) {
        wlab_code code = wlab_input_look(in, err);
        if (code)
            return code;
        zero = memchr(in->data + at, 0, in->size - at < PIECE ? in->size - at : PIECE);
    }
    return zero ? wlab_input_fail(in, zero, err, "a byte 0 in what should be text") : WL_OK;
}

/* ---- labels ---- */

/* Labels and given labels become classes; on success label[] and given[] hold classes. */
static wlab_code settle(wlab_dataset *ds, const wlab_words *words, bool declared, const char *keep,
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
    code = wlab_classes_settle(ds, words, used, declared, keep, to, ctx, err);
    if (code)
        goto out;
    for (int64_t i = 0; i < rows; i++) { /* -2: a class that is not kept */
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

/* Labels -1, 0 and 1 and no others: 0 is an unlabelled row.  The class 0 goes. */
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

/* Keep the rows whose class is known and kept (unknown ones too where a labels file hides classes). */
static wlab_code filter_rows(wlab_dataset *ds, int32_t *filled, const char *keep, wlab_ctx *ctx,
                             wlab_err *err)
{
    wlab_matrix *X = ds->X;
    int64_t to = 0, entry = 0;

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
        return wlab_fail(err, WL_EINPUT, "classes=%s leaves no row", keep);
    return wlab_matrix_settle(&ds->X, ctx, err);
}

/* The class `one` against as many rows of the others: these become the class "rest"; rows that are left out, and those
 * without a class, have the label -2 for filter_rows. */
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

static wlab_code remark_filled(wlab_reading *r, int64_t rows, int missing, wlab_err *err)
{
    int64_t cells = 0, with = 0;

    for (int64_t i = 0; r->filled && i < rows; i++) {
        cells += r->filled[i];
        with += r->filled[i] > 0;
    }
    return !cells ? WL_OK
                  : wlab_reading_remark(r, err, "%lld missing value%s in %lld row%s %s", (long long)cells,
                                        cells == 1 ? "" : "s", (long long)with, with == 1 ? "" : "s",
                                        missing == WL_MISSING_ZERO
                                            ? "taken as 0"
                                            : "replaced by the column's mean (a category's commonest word)");
}

/* A word that is the number 0 means: not labelled. */
static void unlabelled_zeros(const wlab_words *words, int32_t *label, int64_t rows)
{
    for (int64_t i = 0; i < rows; i++) {
        const char *text = label[i] < 0 ? "" : wlab_words_text(words, label[i]);
        double v;

        if (wlab_number_is(text, text + strlen(text), &v) && v == 0.0)
            label[i] = -1;
    }
}

/* Bags from bags= stand in for the file's own. */
static wlab_code take_bags(wlab_dataset *ds, const char *path, wlab_ctx *ctx, wlab_err *err)
{
    int32_t *bag;
    int64_t bags;
    char **name = NULL;
    wlab_code code;

    if (!path)
        return WL_OK;
    code = wlab_bags_file_read(path, ds->X->rows, &bag, &bags, &name, ctx, err);
    if (code)
        return code;
    wlab_free(ds->bag);
    wlab_bag_names_free(ds->bag_name, ds->bags);
    ds->bag = bag;
    ds->bags = bags;
    ds->bag_name = name;
    ds->bags_apart = true;
    return WL_OK;
}

/* bag=none */
static void drop_bags(wlab_reading *r)
{
    r->bag = wlab_free(r->bag);
    wlab_bag_names_free(r->bag_name, r->bags);
    r->bag_name = NULL;
}

/* One wrong label makes a bag of rows of two classes, and then all rows' labels count as their own: say so. */
static wlab_code remark_mixed(wlab_reading *r, const wlab_dataset *ds, wlab_err *err)
{
    int32_t *class = wlab_alloc((size_t)ds->bags, sizeof *class), first = -1;
    int64_t mixed = 0;
    wlab_code code = WL_OK;

    if (!class)
        return wlab_nomem(err);
    memset(class, -1, (size_t)ds->bags * sizeof *class); /* -2: several */
    for (int64_t i = 0; i < ds->X->rows; i++) {
        int32_t b = ds->bag[i], c = ds->label[i];

        if (c < 0 || class[b] == -2 || class[b] == c)
            continue;
        mixed += class[b] >= 0;
        class[b] = class[b] == -1 ? c : -2;
    }
    for (int32_t b = 0; first < 0 && b < ds->bags; b++)
        if (class[b] == -2)
            first = b;
    if (mixed)
        code = wlab_reading_remark(
            r, err,
            "%lld of %lld bags (%s%.60s) %s rows of both classes: the rows' labels are taken for their own",
            (long long)mixed, (long long)ds->bags, mixed > 1 ? "the first is " : "",
            ds->bag_name ? ds->bag_name[first] : "?", mixed > 1 ? "have" : "has");
    wlab_free(class);
    return code;
}

/* given from labels=, label from truth=, else the file's own, else from labels=. */
static wlab_code take_labels(wlab_dataset *ds, wlab_reading *r, const wlab_params *options, wlab_ctx *ctx,
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
    if ((code = settle(ds, &r->words, r->declared, keep, ctx, err)))
        return code;
    if (one && ds->classes > 1 && !labels && !keep)
        code = one_class(ds, one, (uint64_t)wlab_params_int(options, "draw"), err);
    else if (one)
        code =
            wlab_fail(err, WL_EARG,
                      labels || keep ? "one= and %s= exclude each other" : "one=%s: there is one class only",
                      labels ? "labels"
                      : keep ? "classes"
                             : one);
    if (code)
        return code;
    if (keep || one)
        return filter_rows(ds, r->filled, keep ? keep : one, ctx, err);
    if ((code = hide_zeros(ds, !labels && !truth, &hidden, err)) || !hidden)
        return code;
    return truth ? wlab_reading_remark(r, err, "%lld rows have the true label 0: unknown", (long long)hidden)
                 : wlab_reading_remark(
                       r, err,
                       "the labels are -1, 0 and 1: the %lld rows with 0 are unlabelled (for three "
                       "classes say classes=-1,0,1)",
                       (long long)hidden);
}

/* ---- load ---- */

static wlab_code name_it(wlab_dataset *ds, const char *path, const char *name, wlab_err *err)
{
    const char *extension, *base = file_part(path);
    size_t extension_len, len;

    if (name) {
        ds->name = wlab_strdup(name);
    } else {
        len = stem(base, &extension, &extension_len);
        ds->name = wlab_alloc(len + 1, 1);
        if (ds->name) {
            wlab_text_clean(base, len, ds->name, len + 1);
            for (char *p = ds->name; *p; p++)
                if (strchr(" ;#\"'=", *p))
                    *p = '-';
        }
    }
    ds->source = wlab_strdup(path);
    return ds->name && ds->source ? WL_OK : wlab_nomem(err);
}

static wlab_code check_options(const wlab_reader *reader, const wlab_params *options, wlab_err *err)
{
    const bool pairs =
        reader == &wlab_reader_libsvm || reader == &wlab_reader_svmlin || reader == &wlab_reader_bags;
    const char *label = wlab_params_text(options, "label"), *bag = wlab_params_text(options, "bag");

    if (pairs && label && strcmp(label, "none") != 0)
        return wlab_fail(err, WL_EARG,
                         "label=%s: index:value text has no named columns; only label=none fits it", label);
    if (pairs && bag && strcmp(bag, "none") != 0)
        return wlab_fail(
            err, WL_EARG,
            "bag=%s: index:value text has no named columns; name a file of bags, one a line, with bags=",
            bag);
    if (wlab_params_given(options, "missing") && pairs)
        return wlab_fail(err, WL_EARG, "missing= is for tables: index:value text has no missing values");
    if (wlab_params_given(options, "header") && reader != &wlab_reader_csv)
        return wlab_fail(err, WL_EARG, "header= is for CSV files, and this is none");
    for (int i = 0; i < 2 && !pairs; i++)
        if (wlab_params_given(options, i ? "columns" : "base"))
            return wlab_fail(err, WL_EARG, "%s= is for index:value text, and this is none",
                             i ? "columns" : "base");
    return WL_OK;
}

wlab_code wlab_dataset_load(wlab_dataset **out, const char *path, const char *name,
                            const wlab_params *options, wlab_ctx *ctx, wlab_err *err)
{
    wlab_params *defaults = NULL;
    wlab_dataset *ds = NULL;
    wlab_reading r = {0};
    wlab_input in = {0};
    wlab_read_options o = {0};
    const wlab_reader *reader;
    const char *file = path;
    char *folder = NULL;
    struct stat st;
    hash_job hash = {0};
    wlab_ctx own = ctx ? *ctx : (wlab_ctx){0};
    wlab_code code, summed;

    *out = NULL;
    ctx = &own;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) { /* multi-instance data: X.mat, Bag2.mat, BagI.mat */
        folder = wlab_format("%s/X.mat", path);
        if (!folder)
            return wlab_nomem(err);
        if (stat(folder, &st) == 0)
            file = folder;
    }
    if (!options) {
        if ((code = wlab_params_create(&defaults, wlab_load_params, err)))
            goto out;
        options = defaults;
    }
    if (wlab_params_given(options, "unpacked"))
        own.unpacked = wlab_params_int(options, "unpacked") << 20;
    if ((code = wlab_input_open(&in, file, ctx, err)))
        goto out;
    ds = wlab_calloc(1, sizeof *ds);
    if (!ds) {
        code = wlab_nomem(err);
        goto out;
    }
    ds->refs = 1;
    o.label = wlab_params_text(options, "label");
    o.bag = wlab_params_text(options, "bag");
    o.header = wlab_params_choice(options, "header");
    o.missing = wlab_params_choice(options, "missing");
    o.base = wlab_params_choice(options, "base");
    o.columns = wlab_params_given(options, "columns") ? (int32_t)wlab_params_int(options, "columns") : 0;
    o.labels_elsewhere = wlab_params_text(options, "labels") || wlab_params_text(options, "truth");
    if (wlab_params_choice(options, "format") > 0)
        reader = readers[wlab_params_choice(options, "format") - 1];
    else if ((code = choose(&reader, &in, err)))
        goto out;
    if ((code = check_options(reader, options, err)))
        goto out;
    if (reader != &wlab_reader_mat && (code = check_text(&in, err)))
        goto out;
    hash_start(&hash, &in, ds->sha256);
    if ((code = reader->read(&r, &in, &o, ctx, err)))
        goto out;
    if (o.label && strcmp(o.label, "none") == 0)
        r.label = wlab_free(r.label);
    if (o.bag && strcmp(o.bag, "none") == 0)
        drop_bags(&r);
    ds->X = r.X;
    ds->feature_name = r.feature_name;
    ds->bag = r.bag;
    ds->bags = r.bag ? r.bags : 0;
    ds->bag_name = r.bag_name;
    r.bag_name = NULL;
    r.X = NULL;
    r.feature_name = NULL;
    r.bag = NULL;
    if ((code = take_bags(ds, wlab_params_text(options, "bags"), ctx, err)))
        goto out;
    if ((code = take_labels(ds, &r, options, ctx, err)) || (code = name_it(ds, path, name, err)))
        goto out;
    if (ds->bag && (code = wlab_bags_compact(ds->bag, ds->X->rows, &ds->bags, ds->bag_name, err)))
        goto out;
    if (ds->bag && ds->classes == 2 && (code = remark_mixed(&r, ds, err)))
        goto out;
    if ((code = remark_filled(&r, ds->X->rows, o.missing, err)))
        goto out;
    if (r.remark.len) {
        ds->remark = wlab_strndup((const char *)r.remark.data, r.remark.len);
        if (!ds->remark)
            code = wlab_nomem(err);
    }
out:
    summed = hash_end(&hash);
    if (summed && !code)
        code = wlab_fail(err, summed, "reading '%s' was stopped", file);
    if (!code)
        *out = ds;
    else
        wlab_dataset_unref(ds);
    if (code == WL_EINPUT && err && !err->file[0])
        strncpy(err->file, file, sizeof err->file - 1);
    wlab_reading_clear(&r);
    wlab_input_close(&in);
    wlab_params_destroy(defaults);
    wlab_free(folder);
    return code;
}

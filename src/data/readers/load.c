/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `load`: its settings, and what all readers have in common: bags from a separate file, the name, the checksum.
 */
#include "base/sha256.h"
#include "base/thread.h"
#include "data/readers/reader.h"
#include "data/share.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const header_names[] = {"auto", "yes", "no", NULL};
static const char *const missing_names[] = {"mean", "zero", "drop", "error", NULL};
const char *const wlab_ranks_names[] = {"one", "all", NULL};
static const char *const base_names[] = {"auto", "0", "1", NULL};

const wlab_param_info wlab_load_params[] = {
    {.name = "format",
     .type = WL_P_CHOICE,
     .fallback = "auto",
     .choices = wlab_format_choices,
     .meaning = "the file's format; auto: detected from its content"},
    {.name = "labels",
     .type = WL_P_FILE,
     .meaning =
         "a file of labels, one per line, 0 for an unlabelled row: the labels that the learner may observe"},
    {.name = "truth",
     .type = WL_P_FILE,
     .meaning = "a file of true labels, one per line, used for scoring only"},
    {.name = "label",
     .type = WL_P_TEXT,
     .meaning =
         "the column (variable) of classes: its name, its number from 1, last, or none; default: the column "
         "named class, label, target or y, else the last"},
    {.name = "bags",
     .type = WL_P_FILE,
     .meaning = "a file of bags, one per line: the number or name of each row's bag"},
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
     .meaning = "what replaces a missing value (an empty cell, ?, NA, NaN); mean: the mean of its column, or "
                "the commonest word of a column of words; zero: 0; drop: nothing, its row is left out; "
                "error: nothing, the file is refused"},
    {.name = "base",
     .type = WL_P_CHOICE,
     .fallback = "auto",
     .choices = base_names,
     .meaning = "the first index of index:value text; auto: 0 if an index 0 occurs, else 1"},
    {.name = "columns",
     .type = WL_P_INT,
     .lo = 1,
     .hi = INT32_MAX - 1,
     .meaning = "number of columns of index:value text, if the last ones may be empty in this file"},
    {.name = "classes",
     .type = WL_P_TEXT,
     .meaning = "A,B,...: keep only the rows of these classes; of two, the last is the positive one"},
    {.name = "one",
     .type = WL_P_TEXT,
     .meaning = "keep the rows of this class and as many rows of all other classes, drawn at random (draw=); "
                "the data then have two classes, rest and this one, which is the positive one"},
    {.name = "draw",
     .type = WL_P_INT,
     .fallback = "1",
     .lo = 0,
     .hi = 0x1p53,
     .meaning = "with one=: seed of the draw that selects the rows of the other classes"},
    WL_RANKS_PARAM,
    {.name = "unpacked",
     .type = WL_P_INT,
     .lo = 1,
     .hi = 1 << 30,
     .unit = "MB",
     .meaning =
         "limit on the unpacked size of a compressed file, or of the compressed variables of a MAT-file; "
         "default: 1024, or 64 times the file's size if that is more, and never more than the memory of the "
         "computer"},
    {.name = NULL},
};

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
    for (size_t at = 0, n; at < size && !(job->code = wlab_input_check_stop(job->in, NULL)); at += n) {
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

wlab_code wlab_load_check_text(const wlab_input *in, wlab_err *err)
{
    const char *zero = NULL;

    if (in->before == 0 && in->size > 1 &&
        (memcmp(in->data, "\xff\xfe", 2) == 0 || memcmp(in->data, "\xfe\xff", 2) == 0))
        return wlab_fail_at(err, in->path, 1, 1, "the text is in UTF-16: convert it to UTF-8 first");
    for (size_t at = 0; at < in->size && !zero; at += PIECE) {
        wlab_code code = wlab_input_check_stop(in, err);
        if (code)
            return code;
        zero = memchr(in->data + at, 0, in->size - at < PIECE ? in->size - at : PIECE);
    }
    return zero ? wlab_input_fail(in, zero, err, "a zero byte in what should be text") : WL_OK;
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
                                            ? "replaced by 0"
                                            : "replaced by the column's mean (a category's commonest word)");
}

/* Bags from the file that bags= names replace the data file's own. */
static wlab_code read_separate_bags(wlab_dataset *ds, const char *path, wlab_ctx *ctx, wlab_err *err)
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

/* If a bag has rows of both classes, all labels are treated as labels of single rows.  One wrong label is enough for
 * that, so remark on it. */
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
        code = wlab_reading_remark(r, err,
                                   "%lld of %lld bags (%s%.60s) %s rows of both classes, so each label is "
                                   "treated as that of its row, "
                                   "not of its bag",
                                   (long long)mixed, (long long)ds->bags, mixed > 1 ? "the first is " : "",
                                   ds->bag_name ? ds->bag_name[first] : "?", mixed > 1 ? "have" : "has");
    wlab_free(class);
    return code;
}

/* ---- load ---- */

wlab_code wlab_load_name(wlab_dataset *ds, const char *path, const char *name, wlab_err *err)
{
    const char *extension, *base = wlab_file_part(path);
    size_t extension_len, len;

    if (name) {
        ds->name = wlab_strdup(name);
    } else {
        len = wlab_file_stem(base, &extension, &extension_len);
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

wlab_code wlab_load_check_options(const wlab_reader *reader, const wlab_params *options, wlab_err *err)
{
    const bool pairs = reader->flags & WL_READS_PAIRS;
    const char *label = wlab_params_text(options, "label"), *bag = wlab_params_text(options, "bag");

    if (pairs && label && strcmp(label, "none") != 0)
        return wlab_fail(err, WL_EARG,
                         "label=%s: index:value text has no named columns; only label=none is possible",
                         label);
    if (pairs && bag && strcmp(bag, "none") != 0)
        return wlab_fail(
            err, WL_EARG,
            "bag=%s: index:value text has no named columns; name a file of bags, one per line, with bags=",
            bag);
    if (wlab_params_given(options, "missing") && pairs)
        return wlab_fail(err, WL_EARG, "missing= is for tables: index:value text has no missing values");
    if (wlab_params_given(options, "header") && !(reader->flags & WL_READS_HEADER))
        return wlab_fail(err, WL_EARG, "header= is for CSV files, and this is not one");
    for (int i = 0; i < 2 && !pairs; i++)
        if (wlab_params_given(options, i ? "columns" : "base"))
            return wlab_fail(err, WL_EARG, "%s= is for index:value text, and this file is not",
                             i ? "columns" : "base");
    return WL_OK;
}

void wlab_load_options(wlab_read_options *o, const wlab_params *options)
{
    *o = (wlab_read_options){
        .label = wlab_params_text(options, "label"),
        .bag = wlab_params_text(options, "bag"),
        .header = wlab_params_choice(options, "header"),
        .missing = wlab_params_choice(options, "missing"),
        .base = wlab_params_choice(options, "base"),
        .columns = wlab_params_given(options, "columns") ? (int32_t)wlab_params_int(options, "columns") : 0,
        .labels_elsewhere = wlab_params_text(options, "labels") || wlab_params_text(options, "truth"),
    };
}

void wlab_load_drop_labels(wlab_reading *r, const wlab_read_options *o)
{
    if (o->label && strcmp(o->label, "none") == 0)
        r->label = wlab_free(r->label);
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
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
        if ((code = wlab_folder_data(path, &folder, err)))
            return code;
        if (folder)
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
    wlab_load_options(&o, options);
    if ((code = wlab_reader_choose(&reader, wlab_params_choice(options, "format"), &in, err)) ||
        (code = wlab_load_check_options(reader, options, err)))
        goto out;
    if (!(reader->flags & WL_READS_BINARY) && (code = wlab_load_check_text(&in, err)))
        goto out;
    hash_start(&hash, &in, ds->sha256);
    if ((code = reader->read(&r, &in, &o, ctx, err)))
        goto out;
    wlab_load_drop_labels(&r, &o);
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
    if ((code = read_separate_bags(ds, wlab_params_text(options, "bags"), ctx, err)))
        goto out;
    if ((code = wlab_labels_assign(ds, &r, options, ctx, err)) ||
        (code = wlab_load_name(ds, path, name, err)))
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

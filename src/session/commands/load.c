/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * load: reads a data set.
 */
#include "data/share.h"
#include "session/commands/commands.h"
#include "session/jobs/stepping.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* For each setting that names a file, as FILE or as the text @FILE: finds the file where `load` finds data, and puts
 * its path into the setting.  mark: also records the size and SHA-256 of the file. */
wlab_code wlab_session_resolve(wlab_session *s, wlab_params *params, bool mark, wlab_err *err)
{
    wlab_code code = WL_OK;
    for (const wlab_param_info *p = wlab_params_table(params); !code && p->name; p++) {
        const char *text = wlab_params_given(params, p->name) ? wlab_params_text(params, p->name) : NULL;
        bool at = text && p->type == WL_P_TEXT && text[0] == '@';
        char *found = NULL, *value = NULL, hex[65];
        if (!text || (p->type != WL_P_FILE && !at))
            continue;
        code = wlab_session_find_file(s, text + at, &found, err);
        if (!code) {
            value = wlab_format("%s%s", at ? "@" : "", found);
            code = value ? wlab_params_set(params, p->name, value, err) : wlab_nomem(err);
        }
        if (!code && mark)
            code = wlab_file_sha256(found, hex, &s->ctx, err);
        if (!code && mark) {
            struct stat st = {0};
            (void)stat(found, &st);
            code = wlab_session_mark(s, err, "file %s bytes=%lld sha256=%s", p->name, (long long)st.st_size,
                                     hex);
        }
        wlab_free(value);
        wlab_free(found);
    }
    return code;
}

wlab_code wlab_session_mark_data(wlab_session *s, const wlab_dataset *d, const char *path, wlab_err *err)
{
    char bytes[48] = "";
    struct stat st;
    wlab_buf name = {0};
    if (path && stat(path, &st) == 0)
        snprintf(bytes, sizeof bytes, " bytes=%lld", (long long)st.st_size);
    wlab_code code = wlab_buf_quote(&name, d->name);
    if (code)
        wlab_nomem(err);
    else
        code = wlab_session_mark(s, err, "data %s rows=%lld cols=%ld%s sha256=%s", (const char *)name.data,
                                 (long long)d->X->rows, (long)d->X->cols, bytes, d->sha256);
    wlab_buf_clear(&name);
    return code;
}

json_t *wlab_json_data(const wlab_slot *slot)
{
    const wlab_dataset *d = slot->data;
    json_t *classes = json_array();
    int64_t unknown = 0;

    for (int64_t i = 0; i < d->X->rows; i++)
        unknown += d->label && d->label[i] < 0;
    for (int c = 0; c < d->classes; c++) {
        int64_t count = 0;
        for (int64_t i = 0; i < d->X->rows; i++)
            count += d->label[i] == c;
        json_array_append_new(classes, json_pack("{s:o, s:I}", "name", wlab_json_text(d->class_name[c]),
                                                 "count", (json_int_t)count));
    }
    json_t *o = json_pack("{s:s, s:o, s:I, s:I, s:I, s:b, s:o, s:I, s:I, s:s, s:o}", "type", "data", "name",
                          wlab_json_text(d->name), "rows", (json_int_t)d->X->rows, "cols",
                          (json_int_t)d->X->cols, "nnz", (json_int_t)d->X->nnz, "sparse", (int)d->X->sparse,
                          "classes", classes, "unknown", (json_int_t)unknown, "bags", (json_int_t)d->bags,
                          "sha256", d->sha256, "source", wlab_json_text(d->source ? d->source : ""));
    if (o && d->share)
        json_object_set_new(o, "ranks", json_integer(wlab_ranks_size(d->share->ranks)));
    if (o && d->remark)
        json_object_set_new(o, "remark", wlab_json_text(d->remark));
    wlab_bag_summary b;
    if (o && d->bag && wlab_dataset_bag_summary(d, d->classes - 1, &b, NULL) == WL_OK) {
        json_object_set_new(o, "bag_rows",
                            json_pack("{s:I, s:f, s:I}", "min", (json_int_t)b.smallest, "median", b.median,
                                      "max", (json_int_t)b.largest));
        if (d->classes == 2) {
            json_object_set_new(o, "positive_bags", json_integer(b.positive));
            json_object_set_new(o, "negative_bags", json_integer(b.negative));
            json_object_set_new(o, "instances_known", json_boolean(b.instances_known));
        }
    }
    if (o && slot->train) {
        json_object_set_new(o, "train", json_integer(slot->ntrain));
        json_object_set_new(o, "test", json_integer(slot->ntest));
    }
    return o;
}

/* Prints what a user should know of data that have just become current. */
void wlab_session_show_data(wlab_session *s, const wlab_slot *slot)
{
    const wlab_dataset *d = slot->data;
    wlab_session_print(s, "%s: %lld row%s, %ld column%s, %s, %d class%s%s\n", d->name, (long long)d->X->rows,
                       wlab_plural(d->X->rows), (long)d->X->cols, wlab_plural(d->X->cols),
                       d->X->sparse ? "sparse" : "dense", d->classes, d->classes == 1 ? "" : "es",
                       d->bag ? ", in bags" : "");
    wlab_session_object(s, wlab_json_data(slot));
    if (d->remark && !s->sink.json)
        wlab_session_say(s, "%s", d->remark);
    wlab_session_say_uneven(s, slot, "`scale zscore` corrects this");
}

void wlab_session_say_uneven(wlab_session *s, const wlab_slot *slot, const char *then)
{
    if (slot->uneven && !s->sink.json)
        wlab_session_say(s,
                         "column %ld of %s spans %.3g, column %ld only %.3g: columns with a large span "
                         "dominate distances; %s",
                         (long)slot->spans.wide + 1, slot->data->name, slot->spans.widest,
                         (long)slot->spans.narrow + 1, slot->spans.narrowest, then);
}

char *wlab_session_data_name(const char *path)
{
    static const char *const extensions[] = {".gz",  ".bz2", ".xz",   ".zst",      ".csv",
                                             ".tsv", ".txt", ".arff", ".data",     ".libsvm",
                                             ".svm", ".mat", ".dat",  ".examples", NULL};
    const char *end = path + strlen(path), *from;
    char *name;
    for (int round = 0; round < 2; round++) {
        while (end > path + 1 && end[-1] == '/')
            end--;
        from = memrchr(path, '/', (size_t)(end - path));
        from = from ? from + 1 : path;
        if (!wlab_folder_data_is(from, (size_t)(end - from)) || from < path + 2 || from[-2] == '.')
            break;
        end = from; /* data.txt and the like: the folder's name says more */
    }
    name = wlab_strndup(from, (size_t)(end - from));
    for (bool again = true; name && again;) {
        again = false;
        for (int i = 0; extensions[i]; i++) {
            size_t n = strlen(name), k = strlen(extensions[i]);
            if (n > k && strcmp(name + n - k, extensions[i]) == 0) {
                name[n - k] = '\0';
                again = true;
            }
        }
    }
    return name;
}

typedef struct reading {
    wlab_dataset *data;
    const char *path, *name;
    const wlab_params *options;
} reading;

static wlab_code read_data(void *self, wlab_ctx *ctx, wlab_err *err)
{
    reading *r = self;
    return wlab_params_choice(r->options, "ranks")
               ? wlab_share_load(&r->data, r->path, r->name, r->options, ctx, err)
               : wlab_dataset_load(&r->data, r->path, r->name, r->options, ctx, err);
}

static wlab_code load(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    reading job = {0};
    wlab_params *options = NULL;
    char *found = NULL, *name = NULL, hex[65];
    bool named = args->nwords == 3 && strcmp(args->word[1], "as") == 0;
    int64_t bytes = -1;
    const char *sha256 = wlab_replay_sha256(s, &bytes);
    wlab_code code;

    if (args->nwords != 1 && !named)
        return wlab_fail(err, WL_EARG, "load takes a file: `load FILE [as NAME] [format=...]`");
    if (named && args->word[2][0] == '\0')
        return wlab_fail(err, WL_EARG, "a data set needs a name: `load FILE as NAME`");
    name = named ? wlab_strdup(args->word[2]) : wlab_session_data_name(args->word[0]);
    if (!name)
        return wlab_nomem(err);
    code = wlab_session_find_file(s, args->word[0], &found, err);
    if (sha256 &&
        (code || (wlab_file_sha256(found, hex, &s->ctx, NULL) == WL_OK && strcmp(hex, sha256) != 0))) {
        /* a recorded session: accept a file of another name if its bytes are the recorded ones */
        char *other = NULL;
        if (wlab_session_find_sha256(s, sha256, bytes, &other, NULL) == WL_OK && other) {
            wlab_free(found);
            found = other;
            code = WL_OK;
            wlab_session_say(s, "%s: reading %s, which has the recorded bytes", args->word[0], found);
        }
    }
    if (!code)
        code = wlab_params_copy(&options, args->params, err);
    if (!code)
        code = wlab_session_resolve(s, options, true, err);
    if (!code) {
        job = (reading){NULL, found, name, options};
        code = wlab_session_call(s, read_data, &job, err);
    }
    if (!code)
        code = wlab_session_mark_data(s, job.data, found, err);
    if (!code)
        code = wlab_session_add_data(s, job.data, err);
    else
        wlab_dataset_unref(job.data);
    if (!code)
        wlab_session_show_data(s, wlab_session_slot(s));
    wlab_params_destroy(options);
    wlab_free(found);
    wlab_free(name);
    return code;
}

static void offer(wlab_offers *o, const wlab_session *s)
{
    int n = o->typed->nwords;

    if (n == 0)
        wlab_offers_files(o, s, WL_FILES_DATA, "");
    if (n == 1)
        wlab_offers_add(o, "as", NULL, "a name of your own for the data set follows", 0);
    o->no_settings = n == 0 || n == 2;
}

const wlab_command wlab_cmd_load = {
    .name = "load",
    .meant = "open, read, import",
    .usage = "load FILE [as NAME] [key=value...]",
    .summary = "read a data set",
    .help =
        "Reads FILE and makes it the current data set, named NAME or after the file. The program "
        "recognises the format by the contents (`help formats`) and reads compressed files directly. It "
        "looks for FILE at the given path, beside the script, in each --data folder, in $WEAKLAB_DATA, in "
        "$XDG_DATA_HOME/weaklab, and among the installed data sets. With ranks=all, under mpirun or --ranks, "
        "each process keeps a share of the rows, for data that are larger than the memory of one machine; "
        "some algorithms learn from these (`help ranks`).",
    .params = wlab_load_params,
    .flags = WL_C_FILES | WL_C_SHARED,
    .execute = load,
    .offer = offer,
};

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * export: writes the trace, model, labels, predictions or bags of a run, or the data, to a file.
 */
#include "session/commands/export.h"
#include "base/text.h"
#include "data/share.h"
#include "session/commands/commands.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

wlab_code wlab_export_csv_text(wlab_buf *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n"))
        return wlab_buf_printf(out, "%s", text);
    wlab_code code = wlab_buf_printf(out, "\"");
    for (; *text && !code; text++)
        code = wlab_buf_printf(out, *text == '"' ? "\"\"" : "%c", *text);
    return code ? code : wlab_buf_printf(out, "\"");
}

wlab_code wlab_export_json_line(wlab_buf *out, json_t *o)
{
    char *text = o ? json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    if (text)
        wlab_json_shorten(text);
    char *inert = text ? wlab_json_inert(text) : NULL;
    wlab_code code = inert ? wlab_buf_printf(out, "%s\n", inert) : WL_ENOMEM;
    wlab_free(inert);
    free(text);
    json_decref(o);
    return code;
}

wlab_code wlab_export_csv_real(wlab_buf *out, double x)
{
    char number[32];

    if (!isfinite(x))
        return wlab_buf_printf(out, ",");
    return wlab_buf_printf(out, ",%s", wlab_real_text(x, number));
}

static wlab_code write_trace(wlab_session *s, const wlab_run *run, bool json, wlab_buf *out, wlab_err *err)
{
    const wlab_trace_row *row;
    const wlab_metric_info *info = wlab_run_algo(run)->metrics;
    int64_t n = wlab_run_trace(run, &row);
    wlab_code code = WL_OK;
    (void)s;
    (void)err;
    if (!json) {
        code = wlab_buf_printf(out, "iter,inner,verdict");
        for (int k = 0; !code && info[k].name; k++)
            code = wlab_buf_printf(out, ",%s", info[k].name);
        if (!code)
            code = wlab_buf_printf(out, "\n");
    }
    for (int64_t i = 0; !code && i < n; i++) {
        if (json) {
            code = wlab_export_json_line(out, wlab_json_step(run, &row[i]));
            continue;
        }
        code = wlab_buf_printf(out, "%lld,%lld,%s", (long long)row[i].iter, (long long)row[i].inner,
                               wlab_verdict_names[row[i].verdict]);
        for (int k = 0; !code && info[k].name; k++)
            code = wlab_export_csv_real(out, row[i].metric[k]);
        if (!code)
            code = wlab_buf_printf(out, "\n");
    }
    return code;
}

/* "a+b", the candidate classes of an ambiguous row; "" if the learner observes the row's class. */
static wlab_code append_candidates(wlab_buf *text, const wlab_problem *p, int64_t i)
{
    wlab_code code = wlab_buf_printf(text, "%s", "");
    const char *between = "";
    for (int k = 0; k < p->classes && !code && !p->visible[i]; k++)
        if (p->candidates[i] >> k & 1) {
            code = wlab_buf_printf(text, "%s%s", between, wlab_problem_class(p, wlab_label_at(p, k)));
            between = "+";
        }
    return code;
}

/* Writes one row of `labels` or `predictions`; f: the outputs, NULL for labels; since: the step that gave it its label,
 * and may: its candidates, or NULL, for labels. */
static wlab_code write_row(wlab_buf *out, bool json, const wlab_problem *p, int64_t row, const char *set,
                           const double *f, int own, int truth, const int64_t *since, const char *may)
{
    const char *label = wlab_problem_class(p, own), *true_label = wlab_problem_truth_class(p, truth);
    const int outputs = wlab_problem_outputs(p);
    if (json) {
        json_t *o = json_pack("{s:I, s:s, s:o, s:o}", "row", (json_int_t)row + 1, "set", set,
                              !f ? "label" : "prediction", label ? wlab_json_text(label) : json_null(),
                              "truth", true_label ? wlab_json_text(true_label) : json_null());
        if (o && f && outputs == 1)
            json_object_set_new(o, "decision", wlab_json_real(f[0]));
        if (o && f && outputs > 1) {
            json_t *all = json_object();
            for (int k = 0; k < outputs; k++)
                json_object_set_new(all, wlab_problem_class(p, wlab_label_at(p, k)), wlab_json_real(f[k]));
            json_object_set_new(o, "decision", all);
        }
        if (o && since)
            json_object_set_new(o, "since", json_integer((json_int_t)*since));
        if (o && may)
            json_object_set_new(o, "candidates", wlab_json_text(may));
        return wlab_export_json_line(out, o);
    }
    wlab_code code = wlab_buf_printf(out, "%lld,%s,", (long long)row + 1, set);
    if (!code && label)
        code = wlab_export_csv_text(out, label);
    if (!code)
        code = wlab_buf_printf(out, ",");
    if (!code && true_label)
        code = wlab_export_csv_text(out, true_label);
    for (int k = 0; f && k < outputs && !code; k++)
        code = wlab_export_csv_real(out, f[k]);
    if (!code && since)
        code = wlab_buf_printf(out, ",%lld", (long long)*since);
    if (!code && may && !(code = wlab_buf_printf(out, ",")))
        code = wlab_export_csv_text(out, may);
    return code ? code : wlab_buf_printf(out, "\n");
}

static wlab_code write_labels(wlab_session *s, const wlab_run *run, bool json, wlab_buf *out, wlab_err *err)
{
    const wlab_problem *p = wlab_run_problem(run);
    const int8_t *now = wlab_run_labels(run);
    int64_t *since = wlab_alloc((size_t)p->n + 1, sizeof *since);
    wlab_buf may = {0};
    wlab_code code =
        !since ? WL_ENOMEM
        : json ? WL_OK
               : wlab_buf_printf(out, "row,set,label,truth,since%s\n", p->candidates ? ",candidates" : "");
    (void)s;
    (void)err;
    if (!code)
        wlab_run_since(run, since);
    for (int64_t i = 0; !code && i < p->n; i++) {
        wlab_buf_clear(&may);
        code = p->candidates ? append_candidates(&may, p, i) : WL_OK;
        code = code ? code
                    : write_row(out, json, p, p->row[i], p->visible[i] ? "labeled" : "unlabeled", NULL,
                                now[i], p->truth[i], &since[i], (const char *)may.data);
    }
    wlab_buf_clear(&may);
    wlab_free(since);
    return code;
}

/* The header: one column of outputs, "decision", or one per class, "decision_a". */
static wlab_code write_predictions_head(wlab_buf *out, const wlab_problem *p)
{
    wlab_code code = wlab_buf_printf(out, "row,set,prediction,truth%s", p->classes > 2 ? "" : ",decision");
    for (int k = 0; p->classes > 2 && k < p->classes && !code; k++) {
        char *name = wlab_format("decision_%s", wlab_problem_class(p, wlab_label_at(p, k)));
        code = name ? wlab_buf_printf(out, ",") : WL_ENOMEM;
        code = code ? code : wlab_export_csv_text(out, name);
        wlab_free(name);
    }
    return code ? code : wlab_buf_printf(out, "\n");
}

static wlab_code write_predictions(wlab_session *s, const wlab_run *run, bool json, wlab_buf *out,
                                   wlab_err *err)
{
    const wlab_problem *p = wlab_run_problem(run);
    int64_t n = p->data->X->rows;
    const int outputs = wlab_problem_outputs(p);
    const bool copies =
        wlab_problem_copies(p, p->data); /* of a positive bag's label: no labels of their own */
    double *f = wlab_alloc((size_t)(n + 1) * (size_t)outputs, sizeof *f);
    int8_t *set = wlab_calloc((size_t)n + 1, sizeof *set); /* 0: held out, 1: unlabelled, 2: labelled */
    wlab_code code = f && set ? wlab_session_predict(s, run, p->data, NULL, n, f, err) : wlab_nomem(err);
    for (int64_t i = 0; !code && i < p->n; i++)
        set[p->row[i]] = p->visible[i] ? 2 : 1;
    if (!code && !json && write_predictions_head(out, p))
        code = wlab_nomem(err);
    static const char *const sets[] = {"test", "unlabeled", "labeled"};
    for (int64_t i = 0; !code && i < n; i++) {
        const int truth = wlab_problem_truth(p, p->data, i);
        if (write_row(out, json, p, i, sets[set[i]], f + i * outputs,
                      wlab_label_at(p, wlab_decide(f + i * outputs, outputs)),
                      copies && truth > 0 ? 0 : truth, NULL, NULL))
            code = wlab_nomem(err);
    }
    wlab_free(f);
    wlab_free(set);
    return code;
}

/* Says which number stands for which class, if the file cannot hold the names. */
static void say_numbers(wlab_session *s, const wlab_model *m)
{
    const int classes = wlab_model_classes(m);
    long label[WL_CLASSES_MOST];
    wlab_buf text = {0};

    if (wlab_model_labels(m, label))
        return;
    for (int k = 0; k < classes; k++)
        (void)wlab_buf_printf(&text, "%s%ld = %s", k ? "; " : "", label[k], m->class_name[k]);
    if (text.data)
        wlab_session_say(s, "classes in the file: %s", (const char *)text.data);
    wlab_buf_clear(&text);
}

static wlab_code write_model(wlab_session *s, const wlab_run *run, bool json, wlab_buf *out, wlab_err *err)
{
    wlab_model *m = NULL;
    (void)json;
    const wlab_algo *algo = wlab_run_algo(run);
    wlab_code code = algo->model(wlab_run_state(run), &m, &s->ctx, err);
    if (!code) {
        m->loss = wlab_algo_loss(algo, wlab_run_params(run));
        code = wlab_model_write(m, out, err);
    }
    if (!code) {
        const char *type, *loss = wlab_model_nearest(m, &type);
        say_numbers(s, m);
        if (loss)
            wlab_session_say(s,
                             "LIBLINEAR has no type for %s: the file says %s, the nearest one; the predicted "
                             "classes are the same, probabilities (predict -b 1) are not the model's",
                             loss, type);
    }
    wlab_model_destroy(m);
    return code;
}

static const struct {
    const char *name;
    bool table, values; /* values: it reads those of the rows */
    wlab_code (*write)(wlab_session *, const wlab_run *, bool, wlab_buf *, wlab_err *);
} kinds[] = {{"bags", true, true, wlab_export_bags},
             {"labels", true, false, write_labels},
             {"model", false, false, write_model},
             {"predictions", true, true, write_predictions},
             {"trace", true, false, write_trace}};
enum {
    KINDS = sizeof kinds / sizeof *kinds
};

static void report(wlab_session *s, const char *what, const char *run, const char *path)
{
    if (s->sink.json)
        wlab_session_object(s, json_pack("{s:s, s:s, s:s, s:o}", "type", "export", "what", what, "run", run,
                                         "file", wlab_json_text(path)));
    else
        wlab_session_say(s, "%s of run %s written to %s", what, run, path);
}

/* The current data set needs no run. */
static wlab_code export_data(wlab_session *s, const char *to, const char *const *endings, wlab_err *err)
{
    wlab_slot *slot;
    wlab_output *file = NULL;
    wlab_buf out = {0};
    wlab_code code = wlab_session_need_data(s, &slot, err);

    code = code ? code : wlab_share_refuse(slot->data, "`export data`", err);
    code = code ? code : wlab_output_open(&file, s, to, endings, err);
    if (code)
        return code;
    char *path = wlab_strdup(wlab_output_path(file));
    code = wlab_export_data(slot->data, &out, err);
    code = code ? code : wlab_output_write(file, out.data, out.len, err);
    const wlab_code closed = wlab_output_close(file, !code, code ? NULL : err);
    code = code ? code : closed;
    if (!code && s->sink.json)
        wlab_session_object(s, json_pack("{s:s, s:s, s:o}", "type", "export", "what", "data", "file",
                                         wlab_json_text(path ? path : to)));
    else if (!code)
        wlab_session_say(s, "data %s written to %s", slot->data->name, path ? path : to);
    wlab_free(path);
    wlab_buf_clear(&out);
    return code;
}

static wlab_code export(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    static const char *const tables[] = {"csv", "jsonl", NULL}, *const models[] = {"model", NULL},
                             *const csv[] = {"csv", NULL};
    const char *names[KINDS];
    wlab_run *run = NULL;
    wlab_output *file = NULL;
    wlab_buf out = {0};
    size_t k = 0;

    if (args->nwords != 2 || args->nsettings)
        return wlab_fail(err, WL_EARG,
                         "export what, and where to? `export trace FILE.csv`; also model, labels, "
                         "predictions, bags, data");
    if (strcmp(args->word[0], "data") == 0)
        return export_data(s, args->word[1], csv, err);
    while (k < KINDS && strcmp(kinds[k].name, args->word[0]) != 0)
        k++;
    if (k == KINDS) {
        for (size_t i = 0; i < KINDS; i++)
            names[i] = kinds[i].name;
        const char *near = wlab_nearest(args->word[0], names, KINDS);
        return wlab_fail(err, WL_EARG, "cannot export \"%.60s\"; %s%s%s", args->word[0],
                         near ? "did you mean \"" : "there are trace, model, labels, predictions, bags, data",
                         near ? near : "", near ? "\"?" : "");
    }
    char what[40];
    snprintf(what, sizeof what, "`export %s`", kinds[k].name);
    wlab_code code = wlab_session_need_run(s, &run, err);
    if (!code && kinds[k].values)
        code = wlab_share_refuse(wlab_run_problem(run)->data, what, err);
    if (!code)
        code = wlab_output_open(&file, s, args->word[1], kinds[k].table ? tables : models, err);
    if (code)
        return code;
    const char *dot = strrchr(args->word[1], '.');
    if (err)
        err->message[0] = '\0';
    code = kinds[k].write(s, run, dot && strcmp(dot, ".jsonl") == 0, &out, err);
    if (code == WL_ENOMEM)
        wlab_nomem(err);
    if (!code)
        code = wlab_output_write(file, out.data, out.len, err);
    if (code) {
        (void)wlab_output_close(file, false, NULL);
    } else {
        char *path = wlab_strdup(wlab_output_path(file));
        code = wlab_output_close(file, true, err);
        if (!code)
            report(s, kinds[k].name, wlab_run_name(run), path ? path : args->word[1]);
        wlab_free(path);
    }
    wlab_buf_clear(&out);
    return code;
}

static void offer(wlab_offers *o, const wlab_session *s)
{
    static const char *const word[] = {"trace", "model", "labels", "predictions", "bags", "data", NULL};
    static const char *const meaning[] = {"the metrics, one row per step",
                                          "the classifier, in LIBSVM's or LIBLINEAR's format",
                                          "the labels that the run gives the rows now",
                                          "what the classifier predicts for each row",
                                          "tasks mil and llp: what it predicts for each bag",
                                          "the rows of the data set, with their classes"};
    if (o->typed->nwords == 0)
        wlab_offers_list(o, word, meaning);
    else if (o->typed->nwords == 1)
        wlab_offers_files(o, s, WL_FILES_ANY, "");
}

const wlab_command wlab_cmd_export = {
    .name = "export",
    .usage = "export trace|model|labels|predictions|bags|data FILE",
    .summary = "write the trace, model, labels, predictions or data to a file",
    .help =
        "Writes FILE as CSV (.csv) or JSON lines (.jsonl), a model as text (.model). FILE appears only "
        "when it is complete. Rows are numbered from 1. The column set has the word labeled, unlabeled or "
        "test (held out).\n"
        "  trace        the metrics after each step\n"
        "  labels       the label that the run gives each training row now: row, set,\n"
        "               label, truth (`explain labels`; mil: unknown in a positive\n"
        "               bag whose rows all have its label), since (the step that\n"
        "               gave it this label; 0: the start); for task ambiguous with\n"
        "               classes=all also candidates, joined by +\n"
        "  predictions  what the model predicts for all rows of the run's data set:\n"
        "               row, set, prediction, truth, decision (the model's output); with\n"
        "               more than two classes a column decision_CLASS for each class;\n"
        "               task cluster: the number of a cluster, which `eval` matches\n"
        "               with the classes\n"
        "  bags         one line per bag, tasks mil and llp; see below\n"
        "  data         all rows of the current data set as CSV: the columns, the bag, the\n"
        "               class; `load` reads it again\n"
        "  model        the classifier, for LIBLINEAR's predict program if it is\n"
        "               linear, for LIBSVM's if it has a kernel; see below\n"
        "Columns of bags for mil: bag (its name in the data, or its number from 1), set (train or test), "
        "prediction, truth, decision (the bag's output: the largest of its instances', unless `help "
        "ALGORITHM` says otherwise), key (the "
        "row with the largest output: the predicted region of interest), key_truth (this row's own class, if "
        "known), chosen "
        "(the rows that are key instances in the newest labeling, joined by +). For llp: bag, set, share "
        "(the proportion of positives: the given one, or the true one of a held-out bag), predicted (the "
        "model's proportion), rows, rows_positive (the number of rows predicted positive).\n"
        "\n"
        "The solver_type of a linear model names the loss of the run: L2R_L1LOSS_SVC_DUAL for the hinge "
        "loss, "
        "L2R_L2LOSS_SVC for the squared hinge loss, L2R_LR for the logistic loss (softmax-em and softmax-sdp "
        "with "
        "two classes). LIBLINEAR has no type for the losses of mean-map (the logistic loss of twice the "
        "output), of softmax-em and softmax-sdp with more classes, of invcal and of kmeans: a message then "
        "says which nearest type is written. The predicted classes are those of the model with any type, but "
        "probabilities (predict -b 1) only if the type is not a nearest one. A model with a kernel has "
        "svm_type c_svc, LIBSVM's only type for such classifiers, whatever the loss is.\n"
        "\n"
        "If the task learns one class against several others, the files have one number for all of these "
        "others: -1, or another number if -1 is the name of a class. The formats of models know only whole "
        "numbers as classes. If the names of two classes are not whole numbers, -1 and +1 are written in "
        "their place; of more classes, 1, 2, ... in the order of `info data`. A message then says which "
        "number is which class.",
    .flags = WL_C_SHOWS | WL_C_FILES | WL_C_SHARED,
    .execute = export,
    .offer = offer,
};

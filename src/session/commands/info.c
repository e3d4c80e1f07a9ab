/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * info: shows data, task, run or algorithm on one screen.
 */
#include "data/formula.h"
#include "run/serve.h"
#include "session/commands/commands.h"
#include "session/commands/eval_bayes.h"
#include "session/jobs/stops.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Prints the number and sizes of the bags.  In task mil it also counts positive and negative bags, in task llp not.  In
 * other tasks, or without a task, it counts them if a bag is negative or if no bag has rows of both classes. */
static void info_bags(wlab_session *s, const wlab_dataset *d, const wlab_problem *p)
{
    wlab_bag_summary b;
    char unknown[40] = "";

    if (wlab_dataset_bag_summary(d, d->classes - 1, &b, NULL) != WL_OK)
        return;
    const bool mil = !(p && p->task->sees == WL_SEES_PROPORTIONS) &&
                     ((p && p->task->sees == WL_SEES_BAG_SIGNS) || b.negative > 0 || !b.instances_known);
    if (b.unknown)
        snprintf(unknown, sizeof unknown, ", %lld unknown", (long long)b.unknown);
    wlab_session_print(s, "%lld bag%s", (long long)b.bags, wlab_plural(b.bags));
    if (d->classes == 2 && mil)
        wlab_session_print(s, ": %lld positive, %lld negative%s", (long long)b.positive,
                           (long long)b.negative, unknown);
    wlab_session_print(s, "; rows in a bag: %lld to %lld, median %g\n", (long long)b.smallest,
                       (long long)b.largest, b.median);
    if (d->classes == 2 && mil)
        wlab_session_print(
            s,
            b.instances_known
                ? "the rows have labels of their own: it is known which rows of a positive bag are positive\n"
                : "the rows' labels are copies of their bags' labels: the classes of single rows are "
                  "unknown\n");
    else if (d->classes == 2)
        wlab_session_print(
            s,
            b.instances_known
                ? "bags hold rows of both classes: `task llp` gives the learner each bag's proportion of %s\n"
                : "all rows of a bag have one class: proportions of %s are 0 and 1\n",
            d->class_name[1]);
}

/* The law of data by `generate formula`, and the error of the best possible classifier. */
static wlab_code info_formula(wlab_session *s, const wlab_dataset *d, json_t *o, wlab_err *err)
{
    const wlab_formula *f = d->formula;
    wlab_best best;
    wlab_code code = wlab_eval_best(&best, s, d, NULL, d->X->rows, err);

    if (code)
        return code;
    wlab_session_print(s, "f = %s on [%g, %g]^%d; ", wlab_expr_text(f->f), f->low, f->high, f->columns);
    if (f->noise > 0)
        wlab_session_print(s, "P(+1) = 1 / (1 + exp(-f / %g))\n", f->noise);
    else
        wlab_session_print(s, "+1 where f > 0\n");
    wlab_session_print(
        s,
        "Bayes error %.6f (+- %.1g, integrated over the box), expected at these rows %.4f, made "
        "by the sign of f on these labels %.4f\n",
        best.error, best.deviation, 1 - best.expected, 1 - best.accuracy);
    if (o)
        json_object_set_new(o, "bayes", wlab_eval_best_object(&best));
    return WL_OK;
}

static wlab_code info_data(wlab_session *s, const wlab_slot *slot, wlab_err *err)
{
    const wlab_dataset *d = slot->data;
    double cells = (double)d->X->rows * (double)d->X->cols;
    wlab_session_print(s, "%s: %lld row%s, %ld column%s, %s, entries that are not 0: %lld (%.3g %%)\n",
                       d->name, (long long)d->X->rows, wlab_plural(d->X->rows), (long)d->X->cols,
                       wlab_plural(d->X->cols), d->X->sparse ? "sparse" : "dense", (long long)d->X->nnz,
                       cells > 0 ? 100 * (double)d->X->nnz / cells : 0.0);
    wlab_session_print(s, "from %s\nsha256 %s\n", d->source ? d->source : "nowhere", d->sha256);
    int64_t unknown = 0;
    for (int64_t i = 0; i < d->X->rows; i++)
        unknown += d->classes == 0 || d->label[i] < 0;
    for (int c = 0; c < d->classes && c < 20; c++) {
        int64_t count = 0;
        for (int64_t i = 0; i < d->X->rows; i++)
            count += d->label[i] == c;
        wlab_session_print(s, "class %s: %lld row%s%s\n", d->class_name[c], (long long)count,
                           wlab_plural(count), d->classes == 2 && c == 1 ? " (the positive one)" : "");
    }
    if (d->classes > 20)
        wlab_session_print(s, "and %d more class%s\n", d->classes - 20, d->classes == 21 ? "" : "es");
    if (unknown)
        wlab_session_print(s, "without a known class: %lld row%s\n", (long long)unknown,
                           wlab_plural(unknown));
    if (d->share) {
        char where[48];
        wlab_session_print(
            s, "loaded with ranks=all: the rows are on %s%s\n", wlab_share_text(d->share, where),
            d->share->ranks ? " (`info ranks`), and only their labels here" : ", in this process");
    }
    if (d->bag)
        info_bags(s, d, slot->problem);
    if (slot->train) {
        char *text = wlab_split_text(slot);
        if (text)
            wlab_session_print(s, "split: %s\n", text);
        wlab_free(text);
    }
    if (d->remark)
        wlab_session_print(s, "%s\n", d->remark);
    json_t *o = s->sink.json ? wlab_json_data(slot) : NULL;
    if (d->formula && !d->share && !s->job.running && info_formula(s, d, o, err)) {
        json_decref(o);
        return err->code;
    }
    if (s->held.nslots > 1) {
        wlab_session_print(s, "also loaded:");
        for (int i = 0; i < s->held.nslots; i++)
            if (&s->held.slot[i] != slot)
                wlab_session_print(s, " %s", s->held.slot[i].data->name);
        wlab_session_print(s, "\n");
    }
    wlab_session_object(s, o);
    return WL_OK;
}

static void info_run(wlab_session *s, const wlab_run *run)
{
    const wlab_algo *algo = wlab_run_algo(run);
    const wlab_problem *p = wlab_run_problem(run);
    wlab_trace_row now = {.iter = wlab_run_iter(run), .inner = wlab_run_inner(run)};
    char text[512] = "", certified[160];
    json_t *o = NULL;

    now.metric = wlab_calloc((size_t)wlab_metric_count(algo) + 1, sizeof *now.metric);
    if (!now.metric)
        return;
    wlab_run_metrics(run, now.metric);

    char kernel[136] = "";
    wlab_session_kernel_words(run, kernel, sizeof kernel);
    wlab_session_print(s, "run %s: %s on %s, task %s%s\n", wlab_run_name(run), algo->name, p->data->name,
                       p->task->name, kernel);
    const wlab_certified c = wlab_metric_certified(algo, wlab_run_params(run), now.metric);
    (void)wlab_verdict_open_whole(wlab_run_verdict(run), &c, certified, sizeof certified);
    wlab_session_print(s, "after step %lld (%lld inner unit%s), verdict %s%s%s%s%s\n",
                       (long long)wlab_run_iter(run), (long long)wlab_run_inner(run),
                       wlab_plural(wlab_run_inner(run)), wlab_verdict_names[wlab_run_verdict(run)],
                       *certified ? " (" : "", certified, *certified ? ")" : "",
                       wlab_run_half(run) ? ", inside a step" : "");
    const int whose = wlab_metric_of(algo, WL_R_CLASSIFIER);
    const int classifier = whose < 0 ? 0 : (int)now.metric[whose];
    if (classifier > 0)
        wlab_session_print(
            s, "binary classifier %d of %d, class %s against the rest (seconds: of all so far):\n",
            classifier, p->classes, wlab_problem_class(p, wlab_label_at(p, classifier - 1)));
    for (int i = 0; algo->metrics[i].name; i++) {
        char value[32] = "-";
        if (i == whose)
            continue;
        if (isfinite(now.metric[i]))
            snprintf(value, sizeof value, "%.10g", now.metric[i]);
        wlab_session_print(s, "  %-16s %s%s%s\n", algo->metrics[i].name, value,
                           algo->metrics[i].unit ? " " : "",
                           algo->metrics[i].unit ? algo->metrics[i].unit : "");
    }
    wlab_buf given = {0};
    if (wlab_params_format(wlab_run_params(run), &given) == WL_OK && given.len)
        wlab_session_print(s, "set: %s%s\n", (const char *)given.data,
                           wlab_run_pending(run, NULL) ? " (some of it effective from the next step on)"
                                                       : "");
    wlab_buf_clear(&given);
    if (algo->next)
        algo->next(wlab_run_state(run), text, sizeof text);
    if (text[0])
        wlab_session_print(s, "next: %s\n", text);
    if (s->sink.json && (o = wlab_json_step(run, &now)) != NULL) {
        json_t *run_object = wlab_json_run(run);

        json_object_set_new(run_object, "inner", json_integer((json_int_t)wlab_run_inner(run)));
        json_object_set_new(run_object, "half", json_integer((json_int_t)wlab_run_half(run)));
        json_object_set(run_object, "metrics", json_object_get(o, "metrics"));
        json_decref(o);
        wlab_session_object(s, run_object);
    }
    wlab_free(now.metric);
}

enum {
    SHOWN = 50
};

static const char *class_of(const wlab_problem *p, int label)
{
    return label ? wlab_problem_class(p, label) : "-";
}

static const char *true_class_of(const wlab_problem *p, int truth)
{
    return truth ? wlab_problem_truth_class(p, truth) : "-";
}

/* Prints the rows whose labels the last step changed; inside a step, those changed since it began. */
static void info_flips(wlab_session *s, const wlab_run *run)
{
    const wlab_problem *p = wlab_run_problem(run);
    const int8_t *now = wlab_run_labels(run), *before = wlab_run_labels_before(run);
    json_t *list = s->sink.json ? json_array() : NULL;
    long long iter = (long long)wlab_run_iter(run), n = 0, k = 0;
    int m = wlab_metric_of(wlab_run_algo(run), WL_R_FLIPS);
    const wlab_trace_row *row;
    int64_t rows = wlab_run_trace(run, &row);

    for (int64_t i = 0; i < p->n; i++)
        n += now[i] != before[i];
    if (wlab_run_half(run) > 0)
        wlab_session_print(s, "run %s, inside step %lld: %lld of %lld labels have changed since it began\n",
                           wlab_run_name(run), iter + 1, n, (long long)p->n);
    else
        wlab_session_print(s, "run %s, step %lld: it changed %lld of %lld labels\n", wlab_run_name(run), iter,
                           n, (long long)p->n);
    if (wlab_run_half(run) == 0 && m >= 0 && isfinite(row[rows - 1].metric[m]) &&
        row[rows - 1].metric[m] < (double)n)
        wlab_session_print(s, "(the metric flips, %.0f, counts otherwise: `explain flips`)\n",
                           row[rows - 1].metric[m]);
    if (n > 0)
        wlab_session_print(s, "%8s  %-12s %-12s %-12s\n", "row", "from", "to", "truth");
    for (int64_t i = 0; i < p->n; i++) {
        const int truth = p->truth[i];

        if (now[i] == before[i])
            continue;
        if (k++ < SHOWN)
            wlab_session_print(s, "%8lld  %-12s %-12s %-12s%s\n", (long long)p->row[i] + 1,
                               class_of(p, before[i]), class_of(p, now[i]), true_class_of(p, truth),
                               p->visible[i] ? " labelled" : "");
        if (list)
            json_array_append_new(
                list, json_pack("{s:I, s:o, s:o, s:o, s:b}", "row", (json_int_t)p->row[i] + 1, "from",
                                before[i] ? wlab_json_text(class_of(p, before[i])) : json_null(), "to",
                                now[i] ? wlab_json_text(class_of(p, now[i])) : json_null(), "truth",
                                truth ? wlab_json_text(true_class_of(p, truth)) : json_null(), "labelled",
                                (int)(p->visible[i] != 0)));
    }
    if (n > SHOWN)
        wlab_session_print(s, "and %lld more (--json lists all)\n", n - SHOWN);
    if (list)
        wlab_session_object(s,
                            json_pack("{s:s, s:s, s:I, s:I, s:I, s:o}", "type", "flips", "run",
                                      wlab_run_name(run), "iter", (json_int_t)iter, "half",
                                      (json_int_t)wlab_run_half(run), "n", (json_int_t)p->n, "flips", list));
}

typedef struct age {
    int64_t since;
    int64_t row; /* of the problem */
} age;

/* The newest labels first; rows in order. */
static int compare_ages(const void *a, const void *b)
{
    const age *x = a, *y = b;

    return x->since != y->since ? (x->since < y->since) - (x->since > y->since)
                                : (x->row > y->row) - (x->row < y->row);
}

/* Lists the rows in the order of the step that gave each its present label, newest first. */
static wlab_code info_since(wlab_session *s, const wlab_run *run, wlab_err *err)
{
    const wlab_problem *p = wlab_run_problem(run);
    const int8_t *now = wlab_run_labels(run);
    int64_t *since = wlab_alloc((size_t)p->n + 1, sizeof *since), moved = 0;
    age *rows = wlab_alloc((size_t)p->n + 1, sizeof *rows);
    json_t *list = s->sink.json ? json_array() : NULL;

    if (!since || !rows) {
        wlab_free(since);
        wlab_free(rows);
        json_decref(list);
        return wlab_nomem(err);
    }
    wlab_run_since(run, since);
    for (int64_t i = 0; i < p->n; i++) {
        rows[i] = (age){since[i], i};
        moved += since[i] > 0;
    }
    qsort(rows, (size_t)p->n, sizeof *rows, compare_ages);
    wlab_session_print(s, "run %s, step %lld: %lld of %lld rows have had their label since the start\n",
                       wlab_run_name(run), (long long)wlab_run_iter(run), (long long)(p->n - moved),
                       (long long)p->n);
    if (moved > 0)
        wlab_session_print(s, "%8s  %-8s %-12s %-12s\n", "row", "since", "label", "truth");
    for (int64_t k = 0; k < p->n; k++) {
        const int64_t i = rows[k].row;
        const int truth = p->truth[i];

        if (rows[k].since > 0 && k < SHOWN)
            wlab_session_print(s, "%8lld  %-8lld %-12s %-12s\n", (long long)p->row[i] + 1,
                               (long long)rows[k].since, class_of(p, now[i]), true_class_of(p, truth));
        if (list)
            json_array_append_new(
                list, json_pack("{s:I, s:I, s:o, s:o}", "row", (json_int_t)p->row[i] + 1, "since",
                                (json_int_t)rows[k].since, "label",
                                now[i] ? wlab_json_text(class_of(p, now[i])) : json_null(), "truth",
                                truth ? wlab_json_text(true_class_of(p, truth)) : json_null()));
    }
    if (moved > SHOWN)
        wlab_session_print(s, "and %lld more (--json and `export labels` list all)\n",
                           (long long)moved - SHOWN);
    if (list)
        wlab_session_object(s, json_pack("{s:s, s:s, s:I, s:I, s:o}", "type", "since", "run",
                                         wlab_run_name(run), "iter", (json_int_t)wlab_run_iter(run), "n",
                                         (json_int_t)p->n, "rows", list));
    wlab_free(since);
    wlab_free(rows);
    return WL_OK;
}

static const char *megabytes(double bytes, char text[24])
{
    snprintf(text, 24, bytes < 9.95e6 ? "%.1f MB" : "%.0f MB", bytes / 1e6);
    return text;
}

/* What each rank has of the data and how long it waited for the others: the slowest is the one that waits least. */
static wlab_code info_ranks(wlab_session *s, const wlab_dataset *d, wlab_err *err)
{
    const wlab_share *share = d->share;
    const int n = share ? wlab_ranks_size(share->ranks) : 1;
    wlab_rank_report *all = NULL;
    char memory[24], sent[24];
    json_t *list = json_array();

    if (!share || !share->ranks) {
        wlab_session_print(s, "all %lld row%s of %s are in one process: `help ranks`\n",
                           (long long)d->X->rows, wlab_plural(d->X->rows), d->name);
    } else {
        all = wlab_calloc((size_t)n, sizeof *all);
        const wlab_code code = all ? wlab_run_report(share, all, err) : wlab_nomem(err);
        if (code) {
            wlab_free(all);
            json_decref(list);
            return code;
        }
        char where[48];
        wlab_session_print(s, "%s: %lld row%s on %s, loaded %.3g s ago\n", d->name, (long long)d->X->rows,
                           wlab_plural(d->X->rows), wlab_share_text(share, where), all[0].seconds);
        wlab_session_print(s, "%4s  %-12s %10s %12s %9s %9s %5s %9s %9s\n", "rank", "host", "rows", "entries",
                           "memory", "waited", "", "messages", "sent");
        for (int r = 0; r < n; r++) {
            const double share_of_time = all[r].seconds > 0 ? 100 * all[r].waited / all[r].seconds : 0;
            wlab_session_print(s, "%4d  %-12s %10lld %12lld %9s %7.1f s %3.0f %% %9lld %9s\n", r, all[r].host,
                               (long long)all[r].rows, (long long)all[r].stored,
                               megabytes(all[r].memory, memory), all[r].waited, share_of_time,
                               (long long)all[r].messages, megabytes((double)all[r].sent, sent));
            json_array_append_new(
                list, json_pack("{s:i, s:o, s:I, s:I, s:I, s:f, s:f, s:I, s:I}", "rank", r, "host",
                                wlab_json_text(all[r].host), "rows", (json_int_t)all[r].rows, "entries",
                                (json_int_t)all[r].stored, "memory", (json_int_t)all[r].memory, "waited",
                                all[r].waited, "seconds", all[r].seconds, "messages",
                                (json_int_t)all[r].messages, "sent", (json_int_t)all[r].sent));
        }
        if (share->own->parts->all_parts < n)
            wlab_session_print(s, "These are too few entries for more ranks (docs/scale.md).\n");
        wlab_free(all);
    }
    wlab_session_object(s, json_pack("{s:s, s:o, s:I, s:o}", "type", "ranks", "data", wlab_json_text(d->name),
                                     "n", (json_int_t)d->X->rows, "ranks", list));
    return WL_OK;
}

static wlab_code info(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    static const char *const topics[] = {"algo", "break", "data", "flips", "ranks", "run", "since", "task"};
    const char *topic = args->nwords ? args->word[0] : NULL;
    wlab_slot *slot = NULL;
    wlab_run *run = NULL;
    wlab_code code = WL_OK;

    if (args->nsettings || args->nwords > 2 || (args->nwords == 2 && strcmp(topic, "algo") != 0))
        return wlab_fail(err, WL_EARG,
                         "info takes one of data, task, run, flips, since, ranks, algo NAME, break");
    if (!topic) { /* the most specific thing there is */
        topic = wlab_session_run(s) ? "run" : wlab_session_problem(s) ? "task" : "data";
    }
    if (s->job.running && strcmp(topic, "data") != 0 && strcmp(topic, "algo") != 0)
        return wlab_fail(err, WL_ESTATE, "running: Ctrl-C stops it");
    if (strcmp(topic, "data") == 0) {
        code = wlab_session_need_data(s, &slot, err);
        code = code ? code : info_data(s, slot, err);
    } else if (strcmp(topic, "ranks") == 0) {
        code = wlab_session_need_data(s, &slot, err);
        run = wlab_session_run(s);
        const wlab_dataset *of_run = run ? wlab_run_problem(run)->data : NULL;
        code = code ? code : info_ranks(s, of_run && of_run->share ? of_run : slot->data, err);
    } else if (strcmp(topic, "task") == 0) {
        code = wlab_session_need_data(s, &slot, err);
        if (!code)
            code = wlab_session_need_task(slot, err);
        if (code)
            return code;
        wlab_session_print_task(s, slot->problem);
        wlab_session_print(s, "%s\n", slot->problem->task->summary);
        wlab_session_print_given(s, slot->problem);
        double count = slot->problem->labels ? wlab_labelset_count(slot->problem->labels) : NAN;
        if (isfinite(count))
            wlab_session_print(s, "labelings allowed: %.6g\n", count);
        wlab_session_object(s, wlab_json_task(slot->problem));
    } else if (strcmp(topic, "run") == 0) {
        code = wlab_session_need_run(s, &run, err);
        if (!code)
            info_run(s, run);
    } else if (strcmp(topic, "flips") == 0) {
        code = wlab_session_need_run(s, &run, err);
        if (!code)
            info_flips(s, run);
    } else if (strcmp(topic, "since") == 0) {
        code = wlab_session_need_run(s, &run, err);
        if (!code)
            code = info_since(s, run, err);
    } else if (strcmp(topic, "algo") == 0) {
        const char *name = args->nwords == 2 ? args->word[1] : NULL;
        run = wlab_session_run(s);
        if (!name && !run)
            return wlab_fail(err, WL_EARG, "which algorithm? `info algo wellsvm`, say");
        code = wlab_session_help_algo(s, name ? name : wlab_run_algo(run)->name, err);
    } else if (strcmp(topic, "break") == 0) {
        wlab_stops_show(s, WL_SHOW_BREAKS | WL_SHOW_WATCHES | WL_SHOW_DISPLAYS);
    } else {
        const char *near = wlab_nearest(topic, topics, sizeof topics / sizeof *topics);
        return wlab_fail(err, WL_EARG, "no info on \"%.60s\"; %s%s%s", topic,
                         near ? "did you mean \""
                              : "there are data, task, run, flips, since, ranks, algo NAME, break",
                         near ? near : "", near ? "\"?" : "");
    }
    return code;
}

static void offer(wlab_offers *o, const wlab_session *s)
{
    static const char *const word[] = {"data",  "task", "run",   "flips", "since",
                                       "ranks", "algo", "break", NULL};
    static const char *const meaning[] = {"the current data set",
                                          "what the learner observes",
                                          "the current run and its metrics",
                                          "the labels that the last step changed",
                                          "the step that gave each row its present label",
                                          "under mpirun: the rows, memory and waiting of each rank",
                                          "an algorithm, its settings and metrics",
                                          "breakpoints, watches and displays"};
    (void)s;
    if (o->typed->nwords == 0)
        wlab_offers_list(o, word, meaning);
    else if (o->typed->nwords == 1 && strcmp(o->typed->word[0], "algo") == 0)
        for (int i = 0; wlab_algos[i]; i++)
            wlab_offers_add(o, wlab_algos[i]->name, NULL, wlab_algos[i]->summary, 0);
}

const wlab_command wlab_cmd_info = {
    .name = "info",
    .meant = "status, show, print",
    .usage = "info [data|task|run|flips|since|ranks|algo NAME|break]",
    .summary = "show the data, task, run, algorithm or breakpoints",
    .help = "Without a word, shows the current run; if there is none, the task; if there is none, the data.\n"
            "  data       the current data set: its size, classes, bags and split\n"
            "  task       what the learner observes, and how many labelings are allowed\n"
            "  run        the current run: its metrics and settings, and its next step;\n"
            "             inside a step that `stepi` began, the metrics as they are now\n"
            "  flips      the labels that the last step changed: the row's number in the\n"
            "             data set (from 1), its class before and after, its true class\n"
            "  since      the rows that have not had their label since the start, the\n"
            "             newest labels first: the step that gave each its label\n"
            "  ranks      data of `load ranks=all`, those of the current run first: what each\n"
            "             rank has of them, its process's memory, and since they were loaded\n"
            "             how long it waited for messages, and what it sent. The rank that\n"
            "             waits least is the one for which the others wait\n"
            "  algo NAME  an algorithm with its settings and metrics; without NAME, the\n"
            "             algorithm of the current run\n"
            "  break      the breakpoints, watches and displays",
    .flags = WL_C_READS | WL_C_SHARED,
    .execute = info,
    .offer = offer,
};

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * export bags: predictions and key instances of the bags of multi-instance data; given and predicted proportions.
 */
#include "session/commands/eval_bags.h"
#include "session/commands/export.h"
#include "weaklab/score.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bag_table {
    const wlab_problem *p;
    bool json, known; /* known: instances have labels of their own */
    int8_t *sign;     /* [bags] true labels */
    bool *train;      /* [bags] whether they are training bags */
    wlab_buf *chosen; /* [bags] "12+31", or empty */
    double *f;        /* [rows] outputs */
    wlab_bag_outputs o;
} bag_table;

static void clear_table(bag_table *t)
{
    wlab_free(t->sign);
    wlab_free(t->train);
    for (int64_t b = 0; t->chosen && b < t->p->data->bags; b++)
        wlab_buf_clear(&t->chosen[b]);
    wlab_free(t->chosen);
    wlab_free(t->f);
    wlab_bag_outputs_clear(&t->o);
}

/* Marks the training bags and the rows that the newest labeling takes as their key instances. */
static wlab_code mark_training(bag_table *t, const int8_t *now)
{
    const wlab_problem *p = t->p;
    wlab_code code = WL_OK;
    for (int64_t i = 0; !code && i < p->n; i++) {
        int32_t b = p->data->bag[p->row[i]];
        t->train[b] = true;
        if (p->bag_given[p->bag[i]] > 0.5 && now[i] > 0)
            code = wlab_buf_printf(&t->chosen[b], "%s%d", t->chosen[b].len ? "+" : "", p->row[i] + 1);
    }
    return code;
}

static json_t *bag_json(char *const *names, int32_t b)
{
    return names ? wlab_json_text(names[b]) : json_integer((json_int_t)b + 1);
}

static wlab_code write_bag(const bag_table *t, wlab_buf *out, int64_t k)
{
    const wlab_problem *p = t->p;
    int32_t b = t->o.bag[k];
    int64_t key = t->o.key[k];
    char number[24];
    const char *name = wlab_problem_bag_name(p, b + 1, number);
    const char *set = t->train[b] ? "train" : "test", *truth = wlab_problem_class(p, t->sign[b]);
    const char *prediction = wlab_problem_class(p, t->o.top[k] > 0 ? 1 : -1);
    const char *own = t->known ? wlab_problem_class(p, wlab_problem_truth(p, p->data, key)) : NULL;
    const char *chosen = t->chosen[b].len ? (const char *)t->chosen[b].data : NULL;
    if (t->json) {
        json_t *o = json_pack(
            "{s:o, s:s, s:o, s:o, s:o, s:I, s:o, s:o}", "bag", bag_json(p->all.name, b), "set", set,
            "prediction", wlab_json_text(prediction), "truth", truth ? wlab_json_text(truth) : json_null(),
            "decision", wlab_json_real(t->o.top[k]), "key", (json_int_t)key + 1, "key_truth",
            own ? wlab_json_text(own) : json_null(), "chosen", chosen ? wlab_json_text(chosen) : json_null());
        return wlab_export_json_line(out, o);
    }
    wlab_code code = wlab_export_csv_text(out, name);
    if (!code)
        code = wlab_buf_printf(out, ",%s,", set);
    if (!code)
        code = wlab_export_csv_text(out, prediction);
    if (!code)
        code = wlab_buf_printf(out, ",");
    if (!code && truth)
        code = wlab_export_csv_text(out, truth);
    if (!code)
        code = wlab_export_csv_real(out, t->o.top[k]);
    if (!code)
        code = wlab_buf_printf(out, ",%lld,", (long long)key + 1);
    if (!code && own)
        code = wlab_export_csv_text(out, own);
    return code ? code : wlab_buf_printf(out, ",%s\n", chosen ? chosen : "");
}

typedef struct numbered {
    int32_t bag;
    int64_t place; /* in the bags' outputs */
} numbered;

static int by_bag(const void *a, const void *b)
{
    const numbered *x = a, *y = b;
    return (x->bag > y->bag) - (x->bag < y->bag);
}

static wlab_code write_proportions(const wlab_problem *p, const wlab_bags_scored *b, bool json, wlab_buf *out)
{
    const wlab_all_bags *all = &p->all;
    const char *set = b->test ? "test" : "train";
    numbered *line = wlab_alloc((size_t)b->o.n, sizeof *line);
    wlab_code code = line ? WL_OK : WL_ENOMEM;

    for (int64_t k = 0; !code && k < b->o.n; k++) {
        const int32_t bag = b->o.bag[k];
        line[k] = (numbered){b->test ? bag : (int32_t)wlab_problem_bag_number(p, bag) - 1, k};
    }
    if (!code) /* the task numbers bags in order of appearance; the data have other numbers and names */
        qsort(line, (size_t)b->o.n, sizeof *line, by_bag);
    for (int64_t at = 0; !code && at < b->o.n; at++) {
        const int64_t k = line[at].place;
        const int32_t bag = line[at].bag;
        double given = b->proportion[b->o.bag[k]],
               predicted = (double)b->o.positives[k] / (double)b->o.size[k];
        char number[24];
        if (json) {
            code = wlab_export_json_line(
                out, json_pack("{s:o, s:s, s:o, s:o, s:I, s:I}", "bag", bag_json(all->name, bag), "set", set,
                               "share", wlab_json_real(given), "predicted", wlab_json_real(predicted), "rows",
                               (json_int_t)b->o.size[k], "rows_positive", (json_int_t)b->o.positives[k]));
            continue;
        }
        code = wlab_export_csv_text(out, wlab_problem_bag_name(p, bag + 1, number));
        if (!code)
            code = wlab_buf_printf(out, ",%s", set);
        if (!code)
            code = wlab_export_csv_real(out, given);
        if (!code)
            code = wlab_export_csv_real(out, predicted);
        if (!code)
            code =
                wlab_buf_printf(out, ",%lld,%lld\n", (long long)b->o.size[k], (long long)b->o.positives[k]);
    }
    wlab_free(line);
    return code;
}

static wlab_code write_all_proportions(wlab_session *s, const wlab_run *run, bool json, wlab_buf *out,
                                       wlab_err *err)
{
    static const char *const names[] = {"train-bags", "bags"};
    const wlab_problem *p = wlab_run_problem(run);
    int sets = wlab_bags_have_test(wlab_session_slot_of(s, p->data), p) ? 2 : 1;
    wlab_code code = json ? WL_OK : wlab_buf_printf(out, "bag,set,share,predicted,rows,rows_positive\n");

    for (int k = 0; !code && k < sets; k++) {
        wlab_bags_scored b;
        if ((code = wlab_session_bags(&b, s, run, names[k], err)))
            return code;
        code = write_proportions(p, &b, json, out);
        wlab_bags_scored_clear(&b);
    }
    return code ? wlab_nomem(err) : WL_OK;
}

wlab_code wlab_export_bags(wlab_session *s, const wlab_run *run, bool json, wlab_buf *out, wlab_err *err)
{
    const wlab_problem *p = wlab_run_problem(run);
    const wlab_dataset *d = p->data;
    if (p->task->scored == WL_SCORED_PROPORTIONS)
        return write_all_proportions(s, run, json, out, err);
    if (p->task->scored != WL_SCORED_BAGS)
        return wlab_fail(
            err, WL_ESTATE,
            "the task %s does not predict bags; `export predictions` writes what it predicts for rows",
            p->task->name);
    size_t bags = (size_t)d->bags;
    bag_table t = {.p = p,
                   .json = json,
                   .known = wlab_dataset_instances_known(d, p->positive),
                   .sign = wlab_alloc(bags, 1),
                   .train = wlab_calloc(bags, sizeof *t.train),
                   .chosen = wlab_calloc(bags, sizeof *t.chosen),
                   .f = wlab_alloc((size_t)d->X->rows, sizeof *t.f)};
    wlab_code code = t.sign && t.train && t.chosen && t.f ? WL_OK : wlab_nomem(err);
    if (!code)
        wlab_dataset_bag_signs(d, p->positive, t.sign);
    if (!code && mark_training(&t, wlab_run_labels(run)))
        code = wlab_nomem(err);
    if (!code)
        code = wlab_session_predict_bags(s, run, d, NULL, d->X->rows, d->bag, d->bags, t.f, &t.o, err);
    if (!code && !json)
        code = wlab_buf_printf(out, "bag,set,prediction,truth,decision,key,key_truth,chosen\n");
    for (int64_t k = 0; !code && k < t.o.n; k++)
        code = write_bag(&t, out, k);
    clear_table(&t);
    return code;
}

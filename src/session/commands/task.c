/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * task: defines what the learner observes.
 */
#include "task/task.h"
#include "session/commands/commands.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static wlab_code fail_unknown(const char *word, wlab_err *err)
{
    const char *name[32];
    size_t n = 0;
    for (; wlab_tasks[n] && n < 32; n++)
        name[n] = wlab_tasks[n]->name;
    const char *near = wlab_nearest(word, name, n);
    if (near)
        return wlab_fail(err, WL_EARG, "no task \"%.60s\"; did you mean \"%s\"?", word, near);
    return wlab_fail(err, WL_EARG, "no task \"%.60s\"; `help tasks` lists them", word);
}

static int64_t positive_bags(const wlab_problem *p)
{
    int64_t n = 0;
    for (int64_t b = 0; b < p->bags; b++)
        n += p->bag_given[b] > 0.5;
    return n;
}

static void json_add_given(json_t *o, const wlab_problem *p)
{
    wlab_given_bags t;
    wlab_fact fact[WL_FACTS_MOST];

    if (p->bag && wlab_task_given_bags(p, &t) == WL_OK) {
        json_object_set_new(o, "bag_rows",
                            json_pack("{s:I, s:f, s:I}", "min", (json_int_t)t.smallest, "median", t.median,
                                      "max", (json_int_t)t.largest));
        if (p->task->sees == WL_SEES_PROPORTIONS)
            json_object_set_new(o, "proportions",
                                json_pack("{s:o, s:o, s:o, s:o, s:I}", "min", wlab_json_real(t.least), "mean",
                                          wlab_json_real(t.mean), "max", wlab_json_real(t.most), "spread",
                                          wlab_json_real(t.spread), "untold", (json_int_t)t.not_given));
    }
    const int facts = p->task->facts ? p->task->facts(p, fact) : 0;
    for (int k = 0; k < facts; k++)
        json_object_set_new(o, fact[k].name,
                            fact[k].whole ? json_integer((json_int_t)fact[k].value)
                                          : wlab_json_real(fact[k].value));
}

void wlab_session_print_given(wlab_session *s, const wlab_problem *p)
{
    wlab_given_bags t;
    wlab_buf text = {0};

    if (p->bag && wlab_task_given_bags(p, &t) == WL_OK) {
        wlab_session_print(s, "rows in a training bag: %lld to %lld, median %g", (long long)t.smallest,
                           (long long)t.largest, t.median);
        if (t.smallest < t.largest && t.small + t.large == p->bags)
            wlab_session_print(s, " (%lld bag%s of %lld, %lld of %lld)", (long long)t.large,
                               wlab_plural(t.large), (long long)t.largest, (long long)t.small,
                               (long long)t.smallest);
        wlab_session_print(s, "\n");
    }
    if (p->task->describe && p->task->describe(p, &text) == WL_OK && text.len)
        wlab_session_print(s, "%.*s", (int)text.len, (const char *)text.data);
    wlab_buf_clear(&text);
}

/* The classes, each with its number of labelled rows. */
static json_t *classes_of(const wlab_problem *p)
{
    json_t *list = json_array();
    for (int k = 0; k < p->classes; k++) {
        const int8_t label = wlab_label_at(p, k);
        int64_t labelled = 0;
        for (int64_t i = 0; i < p->n; i++)
            labelled += p->visible[i] == label;
        json_array_append_new(list,
                              json_pack("{s:o, s:I}", "name", wlab_json_text(wlab_problem_class(p, label)),
                                        "labelled", (json_int_t)labelled));
    }
    return list;
}

static void print_classes(wlab_session *s, const wlab_problem *p)
{
    enum {
        MOST = 20
    };
    wlab_session_print(s, "%d classes:", p->classes);
    for (int k = 0; k < p->classes && k < MOST; k++)
        wlab_session_print(s, "%s %s", k ? "," : "", wlab_problem_class(p, wlab_label_at(p, k)));
    wlab_session_print(s, p->classes > MOST ? ", ...\n" : "\n");
}

json_t *wlab_json_task(const wlab_problem *p)
{
    const wlab_dataset *d = p->data;
    json_t *o = json_pack("{s:s, s:s, s:o, s:I, s:I, s:I, s:I, s:o}", "type", "task", "task", p->task->name,
                          "data", wlab_json_text(d->name), "n", (json_int_t)p->n, "examples",
                          (json_int_t)p->examples, "labelled", (json_int_t)p->labelled, "unlabelled",
                          (json_int_t)p->unlabelled, "r", wlab_json_real(p->r));
    if (o && p->r_from[0])
        json_object_set_new(o, "r_from", json_string(p->r_from));
    if (o && d->classes > 0 && p->positive >= 0)
        json_object_set_new(o, "positive", wlab_json_text(d->class_name[p->positive]));
    if (o && p->negative >= 0 && p->negative < d->classes)
        json_object_set_new(o, "negative", wlab_json_text(d->class_name[p->negative]));
    if (o && p->classes > 2 && !p->task->clusters)
        json_object_set_new(o, "classes", classes_of(p));
    if (o && p->bag) {
        json_object_set_new(o, "bags", json_integer(p->bags));
        if (p->task->sees == WL_SEES_BAG_SIGNS)
            json_object_set_new(o, "positive_bags", json_integer(positive_bags(p)));
    }
    if (o)
        json_add_given(o, p);
    return o;
}

void wlab_session_print_task(wlab_session *s, const wlab_problem *p)
{
    const wlab_dataset *d = p->data;
    char r[48] = "";
    if (isfinite(p->r))
        snprintf(r, sizeof r, ", fraction of positives r=%.4g", p->r);
    wlab_session_print(s, "%s on %s: %lld instance%s, %lld labelled, %lld unlabelled%s\n", p->task->name,
                       d->name, (long long)p->n, wlab_plural(p->n), (long long)p->labelled,
                       (long long)p->unlabelled, r);
    if (p->r_from[0])
        wlab_session_print(s, "r: %s\n", p->r_from);
    if (p->task->sees == WL_SEES_BAG_SIGNS)
        wlab_session_print(
            s, "%lld bag%s, %lld positive (%lld instance%s), %lld negative (%lld instance%s)\n",
            (long long)p->bags, wlab_plural(p->bags), (long long)positive_bags(p), (long long)p->unlabelled,
            wlab_plural(p->unlabelled), (long long)(p->bags - positive_bags(p)), (long long)p->labelled,
            wlab_plural(p->labelled));
    else if (p->bag)
        wlab_session_print(s, "%lld bag%s\n", (long long)p->bags, wlab_plural(p->bags));
    if (p->classes > 2 && p->task->clusters)
        wlab_session_print(s, "%d clusters\n", p->classes);
    else if (p->classes > 2)
        print_classes(s, p);
    if (d->classes > 0 && p->positive >= 0)
        wlab_session_print(s, "positive: %s, negative: %s\n", d->class_name[p->positive],
                           p->negative >= 0 && p->negative < d->classes ? d->class_name[p->negative]
                                                                        : "all other classes");
}

typedef struct posing {
    wlab_problem *problem;
    const wlab_slot *slot;
    const wlab_task *task;
    const wlab_params *params;
} posing;

static wlab_code make_problem(void *self, wlab_ctx *ctx, wlab_err *err)
{
    posing *m = self;
    const wlab_slot *slot = m->slot;
    return wlab_problem_create(&m->problem, slot->data, slot->train, slot->ntrain, slot->test, slot->ntest,
                               m->task, m->params, ctx, err);
}

static wlab_code task(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    wlab_slot *slot = NULL;
    wlab_params *params = NULL;
    wlab_problem *problem = NULL;

    if (args->nwords > 1 && wlab_task_find(args->word[0]))
        return wlab_args_stray(args, 1, err);
    if (args->nwords != 1)
        return wlab_fail(err, WL_EARG,
                         "task takes a kind: `task ssl labeled=10 seed=1`, say; `help tasks` lists "
                         "them");
    const wlab_task *t = wlab_task_find(args->word[0]);
    if (!t)
        return fail_unknown(args->word[0], err);
    wlab_code code = wlab_session_need_data(s, &slot, err);
    if (!code)
        code = wlab_args_params(args, t->params, &params, err);
    if (!code)
        code = wlab_session_default_seed(s, params, err);
    if (!code)
        code = wlab_session_resolve(s, params, true, err);
    if (!code) {
        posing job = {.slot = slot, .task = t, .params = params};
        code = wlab_session_call(s, make_problem, &job, err);
        problem = job.problem;
    }
    if (!code)
        problem->held_out = slot->ntest;
    if (!code && slot->split && !(problem->split = wlab_strdup(slot->split))) {
        wlab_problem_unref(problem);
        code = wlab_nomem(err);
    }
    if (!code) {
        wlab_problem_unref(slot->problem);
        slot->problem = problem;
        wlab_session_print_task(s, problem);
        wlab_session_object(s, wlab_json_task(problem));
        if (problem->remark)
            wlab_session_say(s, "%s", problem->remark);
        const wlab_run *run = wlab_session_run(s);
        if (run)
            wlab_session_print(
                s, "run %s keeps its task (%s, %s); `algo NAME` starts a run on the new task\n",
                wlab_run_name(run), wlab_run_problem(run)->data->name, wlab_run_problem(run)->task->name);
    }
    wlab_params_destroy(params);
    return code;
}

static void offer(wlab_offers *o, const wlab_session *s)
{
    const wlab_dataset *d = wlab_session_data(s);
    const wlab_task *t = o->typed->nwords > 0 ? wlab_task_find(o->typed->word[0]) : NULL;

    for (int i = 0; o->typed->nwords == 0 && wlab_tasks[i]; i++)
        wlab_offers_add(o, wlab_tasks[i]->name, NULL, wlab_tasks[i]->summary, 0);
    if (t)
        wlab_offers_params(o, s, t->params, NULL, 0);
    for (int i = 0; o->key && strcmp(o->key, "positive") == 0 && d && i < d->classes; i++)
        wlab_offers_add(o, d->class_name[i], NULL, "a class of the data", WL_OFFER_VALUE);
}

const wlab_command wlab_cmd_task = {
    .name = "task",
    .usage = "task KIND [key=value...]",
    .summary = "define what the learner observes",
    .help =
        "Defines, on the training rows of the current data set, which labels the learner observes and "
        "which labelings are allowed. `help tasks` lists the kinds; `help KIND`, as in `help ssl`, lists "
        "its settings. In ssl and llp, labeled= says how many labels are observed: a count (labeled=10) or "
        "a percentage of the training rows (labeled=5%). With labeled=@FILE line=K, the K-th line of FILE "
        "lists the numbers of those training rows whose labels are observed (from 1, in the order of "
        "the file of data).",
    .flags = WL_C_FILES | WL_C_SHARED,
    .execute = task,
    .offer = offer,
};

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * task: what the learner may see.
 */
#include "session/commands.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static wlab_code unknown(const char *word, wlab_err *err)
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
        n += p->bag_shown[b] > 0.5;
    return n;
}

json_t *wlab_json_task(const wlab_problem *p)
{
    const wlab_dataset *d = p->data;
    json_t *o = json_pack("{s:s, s:s, s:o, s:I, s:I, s:I, s:I, s:o}", "type", "task", "task", p->task->name,
                          "data", wlab_json_text(d->name), "n", (json_int_t)p->n, "examples",
                          (json_int_t)p->examples, "labelled", (json_int_t)p->labelled, "unlabelled",
                          (json_int_t)p->unlabelled, "r", wlab_json_real(p->r));
    if (o && d->classes > 0 && p->positive >= 0)
        json_object_set_new(o, "positive", wlab_json_text(d->class_name[p->positive]));
    if (o && p->negative >= 0 && p->negative < d->classes)
        json_object_set_new(o, "negative", wlab_json_text(d->class_name[p->negative]));
    if (o && p->bag) {
        json_object_set_new(o, "bags", json_integer(p->bags));
        if (p->task->bit == WL_T_MIL)
            json_object_set_new(o, "positive_bags", json_integer(positive_bags(p)));
    }
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
    if (p->task->bit == WL_T_MIL)
        wlab_session_print(s, "%lld bags, %lld positive (%lld instances), %lld negative (%lld instances)\n",
                           (long long)p->bags, (long long)positive_bags(p), (long long)p->unlabelled,
                           (long long)(p->bags - positive_bags(p)), (long long)p->labelled);
    else if (p->bag)
        wlab_session_print(s, "%lld bag%s\n", (long long)p->bags, wlab_plural(p->bags));
    if (d->classes > 0 && p->positive >= 0)
        wlab_session_print(s, "positive: %s, negative: %s\n", d->class_name[p->positive],
                           p->negative >= 0 && p->negative < d->classes ? d->class_name[p->negative]
                                                                        : "all other classes");
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
        return unknown(args->word[0], err);
    wlab_code code = wlab_session_need_data(s, &slot, err);
    if (!code)
        code = wlab_args_params(args, t->params, &params, err);
    if (!code)
        code = wlab_session_default_seed(s, params, err);
    if (!code)
        code = wlab_session_resolve(s, params, true, err);
    if (!code)
        code = wlab_problem_create(&problem, slot->data, slot->train, slot->ntrain, slot->test, slot->ntest,
                                   t, params, err);
    if (!code) {
        wlab_problem_unref(slot->problem);
        slot->problem = problem;
        wlab_session_print_task(s, problem);
        wlab_session_object(s, wlab_json_task(problem));
        if (problem->remark)
            wlab_session_say(s, "%s", problem->remark);
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
    .summary = "say what the learner may see",
    .help = "Defines, on the training rows of the current data set, which labels the learner sees and which "
            "labelings are allowed. `help tasks` lists the kinds, `help ssl` the settings of one. labeled= "
            "takes a "
            "count, a percentage of the training rows, or @FILE with line=K.",
    .execute = task,
    .offer = offer,
};

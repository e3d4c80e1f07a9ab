/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * algo: start a run.
 */
#include "session/commands/commands.h"
#include "session/jobs/stepping.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static wlab_code unknown(const char *word, wlab_err *err)
{
    const char *name[64];
    size_t n = 0;
    for (; wlab_algos[n] && n < 64; n++)
        name[n] = wlab_algos[n]->name;
    const char *near = wlab_nearest(word, name, n);
    wlab_buf several = {0}; /* all that begin so */
    size_t begun = 0;
    for (size_t i = 0; i < n; i++)
        if (*word && strncasecmp(name[i], word, strlen(word)) == 0)
            (void)wlab_buf_printf(&several, "%s\"%s\"", begun++ ? " or " : "", name[i]);
    wlab_code code = begun > 1 ? wlab_fail(err, WL_EARG, "no algorithm \"%.60s\"; did you mean %s?", word,
                                           several.data ? (const char *)several.data : near)
                               : WL_OK;
    wlab_buf_clear(&several);
    if (code)
        return code;
    if (near)
        return wlab_fail(err, WL_EARG, "no algorithm \"%.60s\"; did you mean \"%s\"?", word, near);
    return wlab_fail(err, WL_EARG, "no algorithm \"%.60s\"; `help algorithms` lists them", word);
}

static wlab_code unsuited(const wlab_algo *algo, const wlab_problem *p, wlab_err *err)
{
    const wlab_task *task = p->task;
    char list[256] = "";
    const wlab_algo *one;
    for (int k = 0; (one = wlab_algo_suited(task, p->classes, k)); k++) {
        size_t n = strlen(list);
        snprintf(list + n, sizeof list - n, "%s%s", n ? ", " : "", one->name);
    }
    if (wlab_algo_suits(algo, task, 2))
        return wlab_fail(
            err, WL_EARG,
            "%s makes two clusters, and the task asks for %d; these make more: %s; or go on with `task "
            "cluster classes=2`",
            algo->name, p->classes, list[0] ? list : "none yet");
    return wlab_fail(err, WL_EARG, "%s does not solve the task %s; these do: %s", algo->name, task->name,
                     list[0] ? list : "none yet");
}

json_t *wlab_json_run(const wlab_run *run)
{
    const wlab_params *params = wlab_run_params(run);
    json_t *values = json_object();
    for (const wlab_param_info *p = wlab_params_table(params); p->name; p++) {
        const char *text = wlab_params_text(params, p->name);
        if (text)
            json_object_set_new(values, p->name, wlab_json_text(text));
    }
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:I, s:s, s:o}", "type", "run", "run", wlab_run_name(run),
                     "algo", wlab_run_algo(run)->name, "task", wlab_run_problem(run)->task->name, "data",
                     wlab_json_text(wlab_run_problem(run)->data->name), "iter",
                     (json_int_t)wlab_run_iter(run), "verdict", wlab_verdict_names[wlab_run_verdict(run)],
                     "params", values);
}

typedef struct starting {
    wlab_run *run;
    const char *name;
    int number;
    wlab_problem *problem;
    const wlab_algo *algo;
    const wlab_params *params;
    size_t history;
} starting;

static wlab_code create(void *self, wlab_ctx *ctx, wlab_err *err)
{
    starting *r = self;
    return wlab_run_create(&r->run, r->name, r->number, r->problem, r->algo, r->params, r->history, ctx, err);
}

/* ", r=0.5" where the algorithm wants a fraction of positives and the task names none. */
static void prescribed(const wlab_problem *p, const wlab_params *params, char *buf, size_t size)
{
    for (const wlab_param_info *info = wlab_params_table(params);
         info->name && isnan(p->r) && p->classes == 2; info++)
        if (strcmp(info->name, "r") == 0) {
            double r;
            bool given = wlab_parse_real(wlab_params_text(params, "r"), &r);
            snprintf(buf, size, ", r=%.6g", given ? r : 0.5);
        }
}

/* A line of an older recording; *changed: it left something out. */
static wlab_code older(const wlab_algo *algo, const wlab_problem *p, int format, wlab_params *params,
                       bool *changed, wlab_err *err)
{
    wlab_buf before = {0}, after = {0};
    wlab_code code = wlab_params_format(params, &before);

    if (!code)
        code = wlab_algo_older(algo, p, format, params, err);
    if (!code)
        code = wlab_params_format(params, &after);
    *changed = before.len != after.len;
    wlab_buf_clear(&before);
    wlab_buf_clear(&after);
    return code;
}

static wlab_code start(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    wlab_slot *slot = NULL;
    wlab_params *params = NULL;
    starting job = {0};
    wlab_buf given = {0};
    char name[16];
    int number;
    bool changed = false;

    if (args->nwords > 1 && wlab_algo_find(args->word[0]))
        return wlab_args_stray(args, 1, err);
    if (args->nwords != 1)
        return wlab_fail(err, WL_EARG, "algo takes a name: `algo %s`, say; `help algorithms` lists them",
                         wlab_algo_advised(wlab_session_problem(s)));
    const wlab_algo *algo = wlab_algo_find(args->word[0]);
    if (!algo)
        return unknown(args->word[0], err);
    wlab_code code = wlab_session_need_data(s, &slot, err);
    if (!code)
        code = wlab_session_need_task(slot, err);
    if (code)
        return code;
    if (!wlab_algo_suits(algo, slot->problem->task, slot->problem->classes))
        return unsuited(algo, slot->problem, err);
    wlab_session_next_name(s, name, &number);
    code = wlab_args_params(args, algo->params, &params, err);
    if (!code)
        code = wlab_session_default_seed(s, params, err);
    if (!code && wlab_session_format(s) < WLAB_RECORD_FORMAT)
        code = older(algo, slot->problem, wlab_session_format(s), params, &changed, err);
    if (!code)
        code = wlab_session_resolve(s, params, true, err);
    if (!code && wlab_params_format(params, &given))
        code = wlab_nomem(err);
    if (!code && (changed || strcmp(args->word[0], algo->name) != 0)) /* the record holds full names */
        code = wlab_session_record_as(s, err, "algo %s%s%s", algo->name, given.len ? " " : "",
                                      given.data ? (const char *)given.data : "");
    if (!code) {
        job = (starting){NULL,
                         name,
                         number,
                         slot->problem,
                         algo,
                         params,
                         (size_t)wlab_params_int(s->settings, "history") << 20};
        code = wlab_session_call(s, create, &job, err);
    }
    if (!code)
        code = wlab_session_add_run(s, job.run, err);
    if (!code) {
        char next[512] = "";
        wlab_run_algo(job.run)->next(wlab_run_state(job.run), next, sizeof next);
        char r[32] = "", kernel[96] = "";
        prescribed(slot->problem, params, r, sizeof r);
        wlab_session_kernel_words(job.run, kernel, sizeof kernel);
        wlab_session_print(s, "run %s: %s on %s (%s%s)%s%s%s\n", name, algo->name, slot->data->name,
                           slot->problem->task->name, r, kernel, next[0] ? "; next: " : "", next);
        wlab_session_object(s, wlab_json_run(job.run));
        wlab_session_say_uneven(s, slot, "`scale zscore`, then `task` and `algo` again");
    }
    wlab_params_destroy(params);
    wlab_buf_clear(&given);
    return code;
}

static void offer(wlab_offers *o, const wlab_session *s)
{
    const wlab_problem *problem = wlab_session_problem(s);
    const wlab_algo *algo = o->typed->nwords > 0 ? wlab_algo_find(o->typed->word[0]) : NULL;

    const wlab_algo *one;
    for (int k = 0; o->typed->nwords == 0 &&
                    (one = problem ? wlab_algo_suited(problem->task, problem->classes, k) : wlab_algos[k]);
         k++)
        wlab_offers_add(o, one->name, NULL, one->summary, 0);
    if (algo)
        wlab_offers_params(o, s, algo->params, NULL, 0);
}

const wlab_command wlab_cmd_algo = {
    .name = "algo",
    .usage = "algo NAME [key=value...]",
    .summary = "start a run of an algorithm",
    .help =
        "Starts a new run, named a, b, c, ..., of an algorithm on the current data and task, and makes it "
        "current; nothing is stepped yet. `help algorithms` lists the algorithms, `help wellsvm` or `info "
        "algo "
        "wellsvm` the settings and metrics of one.",
    .execute = start,
    .offer = offer,
};

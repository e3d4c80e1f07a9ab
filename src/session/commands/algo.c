/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * algo: starts a run.
 */
#include "model/kernel.h"
#include "session/commands/commands.h"
#include "session/commands/score.h"
#include "session/help/help.h"
#include "session/jobs/stepping.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static wlab_code fail_unknown(const char *word, wlab_err *err)
{
    const char *name[64];
    size_t n = 0;
    for (; wlab_algos[n] && n < 64; n++)
        name[n] = wlab_algos[n]->name;
    const char *near = wlab_nearest(word, name, n);
    wlab_buf several = {0}; /* all names that begin with the word */
    size_t matches = 0;
    for (size_t i = 0; i < n; i++)
        if (*word && strncasecmp(name[i], word, strlen(word)) == 0)
            (void)wlab_buf_printf(&several, "%s\"%s\"", matches++ ? " or " : "", name[i]);
    wlab_code code = matches > 1 ? wlab_fail(err, WL_EARG, "no algorithm \"%.60s\"; did you mean %s?", word,
                                             several.data ? (const char *)several.data : near)
                                 : WL_OK;
    wlab_buf_clear(&several);
    if (code)
        return code;
    if (near)
        return wlab_fail(err, WL_EARG, "no algorithm \"%.60s\"; did you mean \"%s\"?", word, near);
    return wlab_fail(err, WL_EARG, "no algorithm \"%.60s\"; `help algorithms` lists them", word);
}

static wlab_code fail_unsuited(const wlab_algo *algo, const wlab_problem *p, wlab_err *err)
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
            "%s makes two clusters, but the task requests %d; these make more: %s; or set `task cluster "
            "classes=2`",
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
    wlab_err why = {0};
    const wlab_code code =
        wlab_run_create(&r->run, r->name, r->number, r->problem, r->algo, r->params, r->history, ctx, &why);

    if (code == WL_EINTERRUPTED)
        return wlab_fail(err, code, "%s: no run was begun", why.message);
    if (code && err)
        *err = why;
    return code;
}

/* Writes ", r=0.5" to buf, with the fraction of positives that the run uses, if the algorithm has a setting r and the
 * task gives no fraction; otherwise buf is unchanged. */
static void format_fraction(const wlab_problem *p, const wlab_params *params, char *buf, size_t size)
{
    double r;

    if (isnan(p->r) && p->classes == 2 && wlab_param_known(wlab_params_table(params), "r"))
        snprintf(buf, size, ", r=%.6g", wlab_parse_real(wlab_params_text(params, "r"), &r) ? r : 0.5);
}

/* For a line of a recording in an older format: sets the parameters that the line does not give to the defaults of that
 * format, because today's defaults may be others.  *changed: whether any was set. */
static wlab_code add_older_params(const wlab_algo *algo, const wlab_problem *p, int format,
                                  wlab_params *params, bool *changed, wlab_err *err)
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

/* seconds (of a step), first_seconds and bytes, estimated; rows_most: the rows that it takes, if there are more. */
static void add_cost(json_t *to, const wlab_cost *c)
{
    json_object_set_new(to, "seconds", json_real(c->step));
    json_object_set_new(to, "first_seconds", json_real(c->start + c->step));
    json_object_set_new(to, "bytes", json_real(c->bytes));
    if (c->most > 0)
        json_object_set_new(to, "rows_most", json_integer(c->most));
}

/* c: NULL without a task. */
static json_t *json_of(const wlab_algo *a, const wlab_cost *c, bool made, bool advised)
{
    json_t *made_of =
        json_pack("{s:s, s:s, s:s, s:s, s:o, s:b, s:b}", "algo", a->name, "summary", a->summary, "when",
                  a->when, "cost", a->cost, "proves", a->proves ? json_string(a->proves) : json_null(),
                  "also", !made, "advised", advised);
    if (made_of && c)
        add_cost(made_of, c);
    return made_of;
}

/* "about 0.3 s a step (the first about 5 s), 40 MB", or what it refuses. */
static void write_cost(wlab_buf *out, const wlab_algo *a, const wlab_problem *p, const wlab_cost *c)
{
    const double first = c->start + c->step;
    char step[40], begin[40], bytes[40];

    if (c->most > 0) {
        (void)wlab_buf_printf(out, "Not here: at most %lld %srows, and there are %lld", (long long)c->most,
                              a->kernel_of_labelled ? "labelled " : "",
                              (long long)(a->kernel_of_labelled ? p->labelled : p->n));
        return;
    }
    (void)wlab_buf_printf(out, "Here %s a step", wlab_cost_seconds(c->step, step, sizeof step));
    if (first >= 0.1 && first > 2 * c->step)
        (void)wlab_buf_printf(out, " (the first %s)", wlab_cost_seconds(first, begin, sizeof begin));
    (void)wlab_buf_printf(out, ", %s", wlab_cost_bytes(c->bytes, bytes, sizeof bytes));
}

/* Before a run that will make the user wait, or may fill the memory: what a step takes. */
static wlab_code say_cost(wlab_session *s, const wlab_algo *a, const wlab_problem *p,
                          const wlab_params *params, wlab_err *err)
{
    static const double LONG = 1, LARGE = 1e9; /* seconds, bytes */
    wlab_cost c;
    char step[40], begin[40] = "", bytes[40];
    const wlab_code code = wlab_algo_cost(&c, a, p, params, err);

    if (code || c.most > 0 || (c.start + c.step < LONG && c.bytes < LARGE))
        return code;
    wlab_cost_seconds(c.step, step, sizeof step);
    wlab_cost_seconds(c.start + c.step, begin, sizeof begin);
    wlab_cost_bytes(c.bytes, bytes, sizeof bytes);
    if (c.start > c.step)
        wlab_session_print(s,
                           "the start and the first step will take %s, another step %s, and %s of memory\n",
                           begin, step, bytes);
    else
        wlab_session_print(s, "a step will take %s and %s of memory\n", step, bytes);
    return WL_OK;
}

/* Write an algorithm's name and what a choice needs; c: NULL without a task. */
static void write_choice(wlab_buf *out, const wlab_algo *a, const wlab_problem *p, const wlab_cost *c)
{
    wlab_buf text = {0};

    (void)wlab_buf_printf(&text, "%s. A step: %s.", a->when, a->cost);
    if (c) {
        (void)wlab_buf_printf(&text, " ");
        write_cost(&text, a, p, c);
        (void)wlab_buf_printf(&text, ".");
    }
    if (a->proves)
        (void)wlab_buf_printf(&text, " It proves %s.", a->proves);
    if (text.data)
        wlab_help_item(out, 12, a->name, (const char *)text.data);
    wlab_buf_clear(&text);
}

/* Print facts of the data that matter for the choice. */
static void say_data(wlab_session *s, const wlab_slot *slot)
{
    const wlab_matrix *X = slot->problem ? slot->problem->X : slot->data->X;

    if (X->rows > WL_KERNEL_ROWS)
        wlab_session_print(
            s, "%lld rows: a kernel matrix has at most %d, so kernel=linear or a factor (rank=)\n",
            (long long)X->rows, WL_KERNEL_ROWS);
    else if (X->cols > X->rows)
        wlab_session_print(s, "%ld columns, more than the %ld rows: kernel=linear mostly separates them\n",
                           (long)X->cols, (long)X->rows);
    wlab_session_say_uneven(s, slot, "`scale` first, then `task`");
}

/* `algo` without a name: prints the algorithms that fit the task, and what a user needs to choose one.  Algorithms that
 * were designed for other tasks, but accept this one, come last, by name only. */
static wlab_code list_suited(wlab_session *s, wlab_err *err)
{
    const wlab_slot *slot = wlab_session_slot(s);
    const wlab_problem *p = wlab_session_problem(s);
    const char *advised = wlab_algo_advised(p);
    json_t *all = json_array();
    const wlab_algo *a;
    wlab_buf out = {0}, also = {0};
    wlab_code code = WL_OK;

    if (p)
        wlab_session_print(s, "%s on %s (%lld rows, %ld columns): these algorithms fit\n", p->task->name,
                           p->data->name, (long long)p->n, (long)p->X->cols);
    else
        wlab_session_print(s, "there is no task yet, so these are all algorithms\n");
    for (int k = 0; (a = p ? wlab_algo_suited(p->task, p->classes, k) : wlab_algos[k]); k++) {
        const bool made = !p || !a->made_for || a->made_for & p->task->sees;
        wlab_cost cost;
        if (p && !wlab_algo_reaches(a, p))
            continue;
        if (p && (code = wlab_algo_cost(&cost, a, p, NULL, err)))
            break;
        if (made)
            write_choice(&out, a, p, p ? &cost : NULL);
        else
            (void)wlab_buf_printf(&also, " %s", a->name);
        json_array_append_new(all, json_of(a, p ? &cost : NULL, made, strcmp(a->name, advised) == 0));
    }
    if (also.data)
        wlab_help_item(&out, 12, "made for other tasks, but fit:", (const char *)also.data + 1);
    if (out.data)
        wlab_session_print(s, "%s", (const char *)out.data);
    wlab_buf_clear(&out);
    wlab_buf_clear(&also);
    if (code) {
        json_decref(all);
        return code;
    }
    if (slot)
        say_data(s, slot);
    if (p)
        wlab_session_print(s, "Here: an estimate for the default settings. With others, `algo NAME "
                              "key=value...`\nsays what a step takes if that is over 1 s or 1 GB.\n");
    wlab_session_print(s,
                       p ? "To begin: `algo %s`; `help %s` has its settings and metrics.\n"
                         : "To begin: a task (`help tasks`), then `algo %s`; `help %s` has its settings.\n",
                       advised, advised);
    wlab_session_object(s, json_pack("{s:s, s:o}", "type", "algorithms", "algorithms", all));
    return wlab_session_record_as(s, err, NULL);
}

static wlab_code start_run(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    wlab_slot *slot = NULL;
    wlab_params *params = NULL;
    starting job = {0};
    wlab_buf given = {0};
    char name[16];
    int number;
    bool changed = false;

    if (args->nwords == 0 && args->nsettings == 0)
        return list_suited(s, err);
    if (args->nwords > 1 && wlab_algo_find(args->word[0]))
        return wlab_args_stray(args, 1, err);
    if (args->nwords != 1)
        return wlab_fail(err, WL_EARG, "algo takes a name: `algo %s`, say; `help algorithms` lists them",
                         wlab_algo_advised(wlab_session_problem(s)));
    const wlab_algo *algo = wlab_algo_find(args->word[0]);
    if (!algo)
        return fail_unknown(args->word[0], err);
    wlab_code code = wlab_session_need_data(s, &slot, err);
    if (!code)
        code = wlab_session_need_task(slot, err);
    if (code)
        return code;
    if (!wlab_algo_suits(algo, slot->problem->task, slot->problem->classes))
        return fail_unsuited(algo, slot->problem, err);
    wlab_session_next_name(s, name, &number);
    code = wlab_args_params(args, algo->params, &params, err);
    if (!code)
        code = wlab_session_default_seed(s, params, err);
    if (!code && wlab_session_format(s) < WLAB_RECORD_FORMAT)
        code = add_older_params(algo, slot->problem, wlab_session_format(s), params, &changed, err);
    if (!code)
        code = wlab_session_resolve(s, params, true, err);
    if (!code && wlab_params_format(params, &given))
        code = wlab_nomem(err);
    if (!code && (changed || strcmp(args->word[0], algo->name) != 0)) /* the record holds full names */
        code = wlab_session_record_as(s, err, "algo %s%s%s", algo->name, given.len ? " " : "",
                                      given.data ? (const char *)given.data : "");
    if (!code)
        code = say_cost(s, algo, slot->problem, params, err);
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
    if (!code && s->held.scored && (code = wlab_session_score_run(s, job.run, s->held.scored, err)))
        wlab_run_destroy(job.run);
    if (!code)
        code = wlab_session_add_run(s, job.run, err);
    if (!code) {
        char next[512] = "";
        wlab_run_algo(job.run)->next(wlab_run_state(job.run), next, sizeof next);
        char r[32] = "", kernel[136] = "";
        format_fraction(slot->problem, params, r, sizeof r);
        wlab_session_kernel_words(job.run, kernel, sizeof kernel);
        wlab_session_print(s, "run %s: %s on %s (%s%s)%s%s%s\n", name, algo->name, slot->data->name,
                           slot->problem->task->name, r, kernel, next[0] ? "; next: " : "", next);
        if (algo->any_balance && wlab_params_given(slot->problem->params, "r"))
            wlab_session_print(s, "note: %s does not use the task's r=%s\n", algo->name,
                               wlab_params_text(slot->problem->params, "r"));
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
    .usage = "algo [NAME [key=value...]]",
    .summary = "start a run of an algorithm, or list those that fit",
    .help =
        "Starts a new run of an algorithm on the current data and task and makes it the current run. Runs "
        "are named a, b, ..., z, aa, ... The new run has made no step yet. `algo` alone lists the "
        "algorithms that fit the task, with when to use each, the cost of a step (estimated for this data "
        "with "
        "the default settings, one processor), and whether it certifies a bound. With the settings that are "
        "given, `algo NAME key=value...` prints the estimate if a step takes over 1 s or 1 GB, and "
        "otherwise nothing. `help NAME` or `info algo NAME`, as in "
        "`help wellsvm`, lists an algorithm's settings and "
        "metrics.",
    .flags = WL_C_OWN | WL_C_SHARED,
    .execute = start_run,
    .offer = offer,
};

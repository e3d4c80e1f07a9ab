/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * explain: says what the last step did, or what a term means.
 */
#include "session/commands/commands.h"
#include "session/help/help.h"
#include <math.h>
#include <string.h>

enum {
    MOST = 300 /* known words that an unknown one is compared with */
};

/* Settings that were changed after the last step. */
static void explain_pending(const wlab_run *run, char *buf, size_t size)
{
    bool first = true;

    snprintf(buf, size, "After step %lld:", (long long)wlab_run_iter(run));
    for (const wlab_param_info *p = wlab_params_table(wlab_run_params(run)); p->name; p++)
        if (wlab_run_pending(run, p->name)) {
            wlab_text_append(buf, size, "%s %s=%.60s", first ? "" : ",", p->name,
                             wlab_params_text(wlab_run_params(run), p->name));
            first = false;
        }
    wlab_text_append(buf, size,
                     " set, for the next step.  What step %lld did, with the former settings, was "
                     "explained before that; `back` and `step` make it again.",
                     (long long)wlab_run_iter(run));
}

/* Inside a step the state is on its way, so an algorithm's words about the last whole step would have new numbers: these
 * are the words that describe its steps and units. */
static void explain_inside(const wlab_run *run, char *buf, size_t size)
{
    const wlab_algo *algo = wlab_run_algo(run);
    const int64_t half = wlab_run_half(run), step = wlab_run_iter(run) + 1;

    snprintf(buf, size,
             "Inside step %lld, after %lld inner unit%s. A step: %s. One unit: %s. `step` completes the "
             "step; then "
             "`explain` says what it did.",
             (long long)step, (long long)half, half > 1 ? "s" : "", algo->step_unit, algo->inner_unit);
}

void wlab_session_explain(const wlab_run *run, char *buf, size_t size)
{
    *buf = 0;
    if (wlab_run_half(run))
        explain_inside(run, buf, size);
    else if (wlab_run_pending(run, NULL)) /* the state has the new settings, the last step had the old ones */
        explain_pending(run, buf, size);
    else if (wlab_run_algo(run)->explain)
        wlab_run_algo(run)->explain(wlab_run_state(run), buf, size);
}

/* Prints what the last step did, and what the next one will do. */
static wlab_code explain_step(wlab_session *s, wlab_err *err)
{
    char did[1024] = "", next[1024] = "";
    const wlab_algo *algo;
    wlab_buf text = {0};
    wlab_run *run;
    wlab_code code;

    if (s->job.running)
        return wlab_fail(err, WL_ESTATE, "running: a step can be explained once the run has stopped");
    if ((code = wlab_session_need_run(s, &run, err)))
        return code;
    algo = wlab_run_algo(run);
    wlab_session_explain(run, did, sizeof did);
    if (algo->next)
        algo->next(wlab_run_state(run), next, sizeof next);
    wlab_help_wrap(&text, did, 0, 0);
    if (*next) {
        (void)wlab_buf_printf(&text, "next: ");
        wlab_help_wrap(&text, next, 6, 6);
    }
    if (text.data)
        wlab_session_print(s, "%s", (const char *)text.data);
    wlab_session_object(s, json_pack("{s:s, s:s, s:I, s:o, s:o}", "type", "explain", "run",
                                     wlab_run_name(run), "iter", (json_int_t)wlab_run_iter(run), "did",
                                     wlab_json_text(did), "next", wlab_json_text(next)));
    wlab_buf_clear(&text);
    return WL_OK;
}

/* Append the present value of the metric or parameter `word` in the current run; nothing if there is none, or during a
 * job. */
static void add_value(wlab_buf *out, const wlab_session *s, const char *word)
{
    const wlab_run *run = s->job.running ? NULL : wlab_session_run(s);
    char where[64];
    double *now;
    int m;

    if (!run)
        return;
    m = wlab_metric_index(wlab_run_algo(run), word);
    snprintf(where, sizeof where, "%s step %lld", wlab_run_half(run) ? "inside" : "after",
             (long long)wlab_run_iter(run) + (wlab_run_half(run) > 0));
    now = m >= 0 ? wlab_calloc((size_t)wlab_metric_count(wlab_run_algo(run)), sizeof *now) : NULL;
    if (now)
        wlab_run_metrics(run, now);
    if (now && isnan(now[m]))
        (void)wlab_buf_printf(out, "in run %s %s: it has no value\n", wlab_run_name(run), where);
    else if (now)
        (void)wlab_buf_printf(out, "in run %s %s: %.10g\n", wlab_run_name(run), where, now[m]);
    wlab_free(now);
    for (const wlab_param_info *p = wlab_params_table(wlab_run_params(run)), *by; p->name; p++) {
        char number[WL_REAL_TEXT];
        const char *text = strcmp(p->name, word) == 0 ? wlab_run_setting(run, p, &by, number) : NULL;

        if (!text)
            continue;
        (void)wlab_buf_printf(out, "in run %s: %s=%s", wlab_run_name(run), word, text);
        if (by)
            (void)wlab_buf_printf(out, " (from %s=%s)", by->name,
                                  wlab_params_text(wlab_run_params(run), by->name));
        (void)wlab_buf_printf(out, "%s\n",
                              by || wlab_params_given(wlab_run_params(run), word) ? "" : " (default)");
    }
}

static size_t add_params(const char **names, size_t n, const wlab_param_info *p)
{
    for (; p && p->name && n < MOST; p++)
        names[n++] = p->name;
    return n;
}

static wlab_code fail_unknown(const wlab_session *s, const char *word, wlab_err *err)
{
    const char *names[MOST], *near;
    size_t n = 0;

    for (const wlab_term *t = wlab_glossary; t->name && n < MOST; t++)
        names[n++] = t->name;
    for (int i = 0; wlab_algos[i]; i++) {
        for (const wlab_metric_info *m = wlab_algos[i]->metrics; m->name && n < MOST; m++)
            names[n++] = m->name;
        n = add_params(names, n, wlab_algos[i]->params);
    }
    for (int i = 0; i < s->ncommands && n < MOST; i++)
        names[n++] = s->commands[i]->name;
    for (int i = 0; wlab_tasks[i]; i++)
        n = add_params(names, n, wlab_tasks[i]->params);
    n = add_params(names, n, wlab_settings);
    near = wlab_nearest(word, names, n);
    if (near)
        return wlab_fail(err, WL_EARG, "\"%.60s\" is not explained here; did you mean \"%s\"?", word, near);
    return wlab_fail(err, WL_EARG,
                     "\"%.60s\" is not explained here; `help metrics` lists metrics, Tab after "
                     "`explain` lists terms",
                     word);
}

static wlab_code explain(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    char word[128] = "";
    const wlab_term *term;
    const wlab_run *run;
    wlab_buf text = {0};
    bool own;

    if (args->nwords == 0)
        return explain_step(s, err);
    for (int i = 0; i < args->nwords; i++) {
        size_t len = strlen(word);

        if (len + strlen(args->word[i]) + 2 > sizeof word)
            return fail_unknown(s, args->word[i], err);
        snprintf(word + len, sizeof word - len, "%s%s", i ? " " : "", args->word[i]);
    }
    /* what the run's algorithm calls so comes first: a term of the field may speak of other algorithms */
    run = wlab_session_run(s);
    own = run && wlab_help_of_algo(&text, wlab_run_algo(run), word);
    if (own)
        add_value(&text, s, word);
    term = wlab_term_find(word);
    if (term)
        wlab_help_term(&text, term);
    wlab_session_describe(s, word, !own, &text);
    if (!text.data)
        return term || own ? wlab_nomem(err) : fail_unknown(s, word, err);
    wlab_session_print(s, "%s", (const char *)text.data);
    if (s->sink.json) {
        json_t *o = json_pack("{s:s, s:o, s:o}", "type", "explain", "term", wlab_json_text(word), "text",
                              wlab_json_text((const char *)text.data));

        wlab_session_object(s, o);
    }
    wlab_buf_clear(&text);
    return WL_OK;
}

const wlab_command wlab_cmd_explain = {
    .name = "explain",
    .usage = "explain [TERM]",
    .summary = "say what the last step did, or what a term means",
    .help = "Without TERM, says what the last step did and what the next one will do, in the notation of the "
            "algorithm's paper. With TERM, explains a metric, setting, command, view, task, algorithm or "
            "term of the field, as in `explain gap`, `explain C2`, `explain working set`, `explain cutting "
            "plane`. A metric or setting of the current run comes first, with its present value.",
    .flags = WL_C_READS | WL_C_WORDS | WL_C_SHARED,
    .execute = explain,
    .offer = wlab_offers_terms,
};

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * compare: two runs side by side.
 */
#include "session/commands.h"
#include <math.h>
#include <string.h>

enum {
    FIRST = 20 /* labels that are listed */
};

typedef struct comparison {
    wlab_session *s;
    const wlab_run *run[2];
    json_t *settings, *metrics;
    int differences;
} comparison;

static void setting(comparison *c, const char *key, const char *a, const char *b)
{
    bool pending[2];
    char note[192];

    a = a ? a : "-";
    b = b ? b : "-";
    for (int k = 0; k < 2; k++)
        pending[k] = wlab_run_pending(c->run[k], key);
    if (strcmp(a, b) == 0 && pending[0] == pending[1])
        return;
    if (c->differences++ == 0)
        wlab_session_print(c->s, "settings that differ:\n");
    snprintf(note, sizeof note, "  (%s%s%s: from the next step on)",
             pending[0] ? wlab_run_name(c->run[0]) : "", pending[0] && pending[1] ? ", " : "",
             pending[1] ? wlab_run_name(c->run[1]) : "");
    wlab_session_print(c->s, "  %-16s %20s %20s%s\n", key, a, b, pending[0] || pending[1] ? note : "");
    json_object_set_new(c->settings, key, json_pack("[o, o]", wlab_json_text(a), wlab_json_text(b)));
}

static const char *text_of(const wlab_params *params, const char *name)
{
    return params ? wlab_params_text(params, name) : NULL;
}

/* All keys of the first table, then those of the second that the first has not. */
static void settings_of(comparison *c, const wlab_params *a, const wlab_params *b)
{
    const wlab_params *params[2] = {a, b};

    for (int k = 0; k < 2; k++)
        for (const wlab_param_info *p = params[k] ? wlab_params_table(params[k]) : NULL; p && p->name; p++) {
            bool seen = false;

            for (const wlab_param_info *q = k && a ? wlab_params_table(a) : NULL; q && q->name; q++)
                seen = seen || strcmp(p->name, q->name) == 0;
            if (!seen)
                setting(c, p->name, text_of(a, p->name), text_of(b, p->name));
        }
}

static void settings(comparison *c)
{
    const wlab_problem *p[2] = {wlab_run_problem(c->run[0]), wlab_run_problem(c->run[1])};

    setting(c, "algorithm", wlab_run_algo(c->run[0])->name, wlab_run_algo(c->run[1])->name);
    if (p[0] != p[1]) {
        setting(c, "data", p[0]->data ? p[0]->data->name : NULL, p[1]->data ? p[1]->data->name : NULL);
        setting(c, "task", p[0]->task ? p[0]->task->name : NULL, p[1]->task ? p[1]->task->name : NULL);
        settings_of(c, p[0]->params, p[1]->params);
    }
    settings_of(c, wlab_run_params(c->run[0]), wlab_run_params(c->run[1]));
    if (c->differences == 0)
        wlab_session_print(c->s, "the settings are the same\n");
}

static void cell(char buf[32], double x)
{
    if (isnan(x))
        snprintf(buf, 32, "-");
    else
        snprintf(buf, 32, "%.12g", x);
}

static json_t *number(double x, bool count)
{
    return count && isfinite(x) && fabs(x) < 9e15 ? json_integer((json_int_t)x) : wlab_json_real(x);
}

static void metric_row(comparison *c, const char *name, bool count, double a, double b)
{
    char ta[32], tb[32];

    cell(ta, a);
    cell(tb, b);
    wlab_session_print(c->s, "  %-16s %20s %20s\n", name, ta, tb);
    json_object_set_new(c->metrics, name, json_pack("[o, o]", number(a, count), number(b, count)));
}

/* As after the last step of each. */
static void metrics(comparison *c)
{
    const wlab_algo *algo[2] = {wlab_run_algo(c->run[0]), wlab_run_algo(c->run[1])};
    const wlab_trace_row *row[2];
    const double *value[2];

    for (int k = 0; k < 2; k++) {
        int64_t n = wlab_run_trace(c->run[k], &row[k]);

        value[k] = row[k][n - 1].metric;
    }
    wlab_session_print(c->s, "  %-16s %20s %20s\n", "verdict",
                       wlab_verdict_names[wlab_run_verdict(c->run[0])],
                       wlab_verdict_names[wlab_run_verdict(c->run[1])]);
    metric_row(c, "iter", true, (double)wlab_run_iter(c->run[0]), (double)wlab_run_iter(c->run[1]));
    for (int i = 0; algo[0]->metrics[i].name; i++) {
        int other = wlab_metric_index(algo[1], algo[0]->metrics[i].name);

        metric_row(c, algo[0]->metrics[i].name, algo[0]->metrics[i].flags & WL_M_COUNT, value[0][i],
                   other < 0 ? (double)NAN : value[1][other]);
    }
    for (int i = 0; algo[1]->metrics[i].name; i++)
        if (wlab_metric_index(algo[0], algo[1]->metrics[i].name) < 0)
            metric_row(c, algo[1]->metrics[i].name, algo[1]->metrics[i].flags & WL_M_COUNT, NAN, value[1][i]);
}

/* Rows (of the data set, from 1) whose labels differ; NULL when the runs are not of the same rows. */
static json_t *labels(const comparison *c)
{
    const wlab_problem *p = wlab_run_problem(c->run[0]), *q = wlab_run_problem(c->run[1]);
    const int8_t *a = wlab_run_labels(c->run[0]), *b = wlab_run_labels(c->run[1]);
    wlab_buf list = {0};
    json_t *rows = json_array();
    int64_t differ = 0;
    bool same = p->n == q->n && p->data == q->data &&
                (p->row == q->row ||
                 (p->row && q->row && memcmp(p->row, q->row, (size_t)p->n * sizeof *p->row) == 0));

    if (!same) {
        wlab_session_print(c->s, "the runs are of different rows: their labels cannot be compared\n");
        json_decref(rows);
        return json_null();
    }
    for (int64_t i = 0; i < p->n; i++) {
        long long row = p->row ? (long long)p->row[i] + 1 : (long long)i + 1;

        if (a[i] == b[i] || differ++ >= FIRST)
            continue;
        (void)wlab_buf_printf(&list, " %lld", row);
        json_array_append_new(rows, json_integer(row));
    }
    wlab_session_print(c->s, "labels that differ: %lld of %lld%s%s%s\n", (long long)differ, (long long)p->n,
                       differ > 0 ? "; rows" : "", list.data ? (const char *)list.data : "",
                       differ > FIRST ? " ..." : "");
    wlab_buf_clear(&list);
    return json_pack("{s:I, s:I, s:o}", "n", (json_int_t)p->n, "differ", (json_int_t)differ, "rows", rows);
}

static wlab_code compare(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    comparison c = {.s = s};
    json_t *differ;
    wlab_code code;

    if (args->nwords != 2 || args->nsettings > 0)
        return wlab_fail(err, WL_EARG, "compare takes the names of two runs: `compare a b`, say");
    for (int k = 0; k < 2; k++) {
        int current = s->current_run;

        code = wlab_session_switch_run(s, args->word[k], err); /* for its words when there is none */
        c.run[k] = wlab_session_run(s);
        s->current_run = current;
        if (code)
            return code;
    }
    c.settings = json_object();
    c.metrics = json_object();
    wlab_session_print(s, "  %-16s %20s %20s\n", "run", args->word[0], args->word[1]);
    settings(&c);
    metrics(&c);
    differ = labels(&c);
    wlab_session_object(s, json_pack("{s:s, s:[s, s], s:o, s:o, s:o}", "type", "compare", "runs",
                                     args->word[0], args->word[1], "settings", c.settings, "metrics",
                                     c.metrics, "labels", differ));
    return WL_OK;
}

const wlab_command wlab_cmd_compare = {
    .name = "compare",
    .usage = "compare A B",
    .summary = "show how two runs differ",
    .help =
        "Shows the settings that differ, the metrics side by side, and which labels differ (row numbers of "
        "the data set, the first 20).",
    .execute = compare,
};

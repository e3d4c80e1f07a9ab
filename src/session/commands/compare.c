/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * compare: shows runs side by side.
 */
#include "session/commands/compare.h"
#include "model/kernel.h"
#include "session/bracket.h"
#include "session/objectives.h"
#include <math.h>
#include <string.h>

enum {
    WIDEST = 20, /* column of a run */
    NAMES = 16,  /* width of the column of names; with up to four runs the table fills 80 columns */
    DIGITS = 6,
    TINY_DIGITS = 2, /* of values below TINY, which are mostly rounding errors */
};

#define TINY 1e-9

/* ---- rows of the table ---- */

static void put_name(wlab_comparison *c, const char *name)
{
    (void)wlab_buf_printf(&c->line, "  %-*s", NAMES, name);
}

void wlab_compare_end_line(wlab_comparison *c)
{
    size_t len = c->line.len;

    while (len > 0 && c->line.data[len - 1] == ' ')
        len--;
    wlab_session_print(c->s, "%.*s\n", (int)len, c->line.data ? (const char *)c->line.data : "");
    wlab_buf_clear(&c->line);
}

/* Adds a cell; a text that is too long for its column is cut and ends in "...". */
static void put_cell(wlab_comparison *c, const char *text)
{
    int len = (int)strlen(text);

    if (len <= c->width) {
        (void)wlab_buf_printf(&c->line, " %*s", c->width, text);
        return;
    }
    for (len = c->width - 3; len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80; len--)
        ;
    (void)wlab_buf_printf(&c->line, " %*s%.*s...", c->width - 3 - len, "", len, text);
}

void wlab_compare_texts(wlab_comparison *c, const char *name, const char *const *text)
{
    const char *rest[WLAB_COMPARED];
    bool more = false;

    for (int k = 0; k < c->n; k++) {
        rest[k] = text[k];
        more = more || *rest[k];
    }
    for (; more; name = "") {
        more = false;
        put_name(c, name);
        for (int k = 0; k < c->n; k++) {
            char piece[WIDEST + 1];
            size_t len = strlen(rest[k]);

            if (len > (size_t)c->width) { /* up to the last blank that fits, or else the whole column */
                for (len = (size_t)c->width; len > 0 && rest[k][len] != ' '; len--)
                    ;
                len = len ? len : (size_t)c->width;
            }
            snprintf(piece, sizeof piece, "%.*s", (int)len, rest[k]);
            put_cell(c, piece);
            rest[k] += len;
            rest[k] += *rest[k] == ' ';
            more = more || *rest[k];
        }
        wlab_compare_end_line(c);
    }
}

static void setting_row(wlab_comparison *c, const char *key, const char *const *value)
{
    const char *text[WLAB_COMPARED];
    bool pending[WLAB_COMPARED], same = true;
    json_t *row;
    int waiting = 0;

    for (int k = 0; k < c->n; k++) {
        pending[k] = wlab_run_pending(c->run[k], key);
        waiting += pending[k];
        same = same && pending[k] == pending[0] &&
               wlab_param_same_value(value[k] ? value[k] : "-", value[0] ? value[0] : "-");
    }
    if (same)
        return;
    if (c->differences++ == 0)
        wlab_session_print(c->s, "settings that differ:\n");
    row = json_array();
    for (int k = 0; k < c->n; k++) {
        text[k] = value[k] ? value[k] : "-";
        json_array_append_new(row, wlab_json_text(text[k]));
    }
    json_object_set_new(c->settings, key, row);
    wlab_compare_texts(c, key, text);
    if (waiting == 0)
        return;
    put_name(c, "");
    (void)wlab_buf_printf(&c->line, " (");
    for (int k = 0; k < c->n; k++)
        if (pending[k])
            (void)wlab_buf_printf(&c->line, "%s%s", wlab_run_name(c->run[k]), --waiting > 0 ? ", " : "");
    (void)wlab_buf_printf(&c->line, ": effective from the next step on)");
    wlab_compare_end_line(c);
}

/* Adds a row for each setting that differs: those of the first run's table in its order, then of each further table
 * those that no earlier table has. */
static void settings_of(wlab_comparison *c, const wlab_params *const *params)
{
    bool known =
        true; /* the kernels in use, which print_kernels compares: `auto` may be the kernel that another run names */

    for (int k = 0; k < c->n; k++)
        known = known && wlab_run_kernel(c->run[k]);
    for (int k = 0; k < c->n; k++)
        for (const wlab_param_info *p = wlab_params_table(params[k]); p && p->name; p++) {
            char number[WLAB_COMPARED][WL_REAL_TEXT];
            const char *value[WLAB_COMPARED];
            bool listed = known && p->flags & WL_P_KERNEL;

            for (int i = 0; i < k; i++)
                listed = listed || wlab_param_known(wlab_params_table(params[i]), p->name);
            for (int i = 0; i < c->n; i++)
                value[i] = !wlab_param_known(wlab_params_table(params[i]), p->name) ? NULL
                           : params[i] == wlab_run_params(c->run[i])
                               ? wlab_run_setting(c->run[i], p, NULL, number[i])
                               : wlab_params_text(params[i], p->name);
            if (!listed)
                setting_row(c, p->name, value);
        }
}

/* The kernels in use, after `auto` and widths with a unit were resolved. */
static void print_kernels(wlab_comparison *c)
{
    char words[WLAB_COMPARED][128];
    const char *text[WLAB_COMPARED];

    for (int k = 0; k < c->n; k++) {
        const wlab_kernel *kernel = wlab_run_kernel(c->run[k]);

        snprintf(words[k], sizeof words[k], "kernel=-");
        if (kernel)
            wlab_kernel_describe(kernel, words[k], sizeof words[k]);
        text[k] = strchr(words[k], '=') + 1;
    }
    setting_row(c, "kernel in use", text);
}

static void print_settings(wlab_comparison *c)
{
    const char *algo[WLAB_COMPARED] = {0}, *data[WLAB_COMPARED] = {0}, *task[WLAB_COMPARED] = {0},
               *split[WLAB_COMPARED] = {0}, *train[WLAB_COMPARED] = {0}, *held_out[WLAB_COMPARED] = {0};
    char number[2][WLAB_COMPARED][24];
    const wlab_params *of_task[WLAB_COMPARED] = {0}, *of_run[WLAB_COMPARED] = {0};
    bool same = true;

    for (int k = 0; k < c->n; k++) {
        const wlab_problem *p = wlab_run_problem(c->run[k]);

        algo[k] = wlab_run_algo(c->run[k])->name;
        data[k] = p->data ? p->data->name : NULL;
        task[k] = p->task ? p->task->name : NULL;
        split[k] = p->split;
        snprintf(number[0][k], sizeof number[0][k], "%lld", (long long)p->n);
        snprintf(number[1][k], sizeof number[1][k], "%lld", (long long)p->held_out);
        train[k] = number[0][k];
        held_out[k] = number[1][k];
        of_task[k] = p->params;
        of_run[k] = wlab_run_params(c->run[k]);
        same = same && p == wlab_run_problem(c->run[0]);
    }
    setting_row(c, "algorithm", algo);
    if (!same) {
        setting_row(c, "data", data);
        setting_row(c, "split", split);
        setting_row(c, "rows to train", train);
        setting_row(c, "rows held out", held_out);
        setting_row(c, "task", task);
        settings_of(c, of_task);
    }
    settings_of(c, of_run);
    print_kernels(c);
    if (c->differences == 0)
        wlab_session_print(c->s, "the settings are the same\n");
}

static void value_text(double x, bool whole, int more, char text[32])
{
    int digits = (fabs(x) < TINY ? TINY_DIGITS : DIGITS) + more;

    if (isnan(x))
        snprintf(text, 32, "-");
    else
        snprintf(text, 32, more && !whole && x != 0 ? "%#.*g" : "%.*g",
                 whole         ? 16
                 : digits < 17 ? digits
                               : 17,
                 x);
    size_t len = strlen(text);
    if (text[len - 1] == '.')
        text[len - 1] = '\0';
}

/* Prints the values with six digits.  If that makes different values look equal, all of them get as many more digits
 * as needed. */
static void metric_row(wlab_comparison *c, const char *name, bool count, const double *value)
{
    json_t *row = json_array();
    char text[WLAB_COMPARED][32];
    bool whole[WLAB_COMPARED], alike = true;

    for (int more = 0; alike && more <= 17 - TINY_DIGITS; more++) {
        alike = false;
        for (int k = 0; k < c->n; k++) {
            whole[k] = count && isfinite(value[k]) && fabs(value[k]) < 9e15;
            value_text(value[k], whole[k], more, text[k]);
            for (int i = 0; i < k; i++)
                alike = alike || (isfinite(value[i]) && isfinite(value[k]) && value[i] != value[k] &&
                                  strcmp(text[i], text[k]) == 0);
        }
    }
    put_name(c, name);
    for (int k = 0; k < c->n; k++) {
        (void)wlab_buf_printf(&c->line, " %*s", c->width, text[k]);
        json_array_append_new(row, whole[k] ? json_integer((json_int_t)value[k]) : wlab_json_real(value[k]));
    }
    wlab_compare_end_line(c);
    json_object_set_new(c->metrics, name, row);
}

/* The scores by hidden labels (hidden: true), or the other metrics. */
static void metrics_by(wlab_comparison *c, const wlab_trace_row *const *row, bool hidden)
{
    double value[WLAB_COMPARED] = {0};

    for (int k = 0; k < c->n; k++)
        for (const wlab_metric_info *m = wlab_run_algo(c->run[k])->metrics; m->name; m++) {
            bool listed = wlab_role_is_hidden(m->role) != hidden;

            for (int i = 0; i < c->n && !listed; i++) {
                int at = wlab_metric_index(wlab_run_algo(c->run[i]), m->name);

                listed = listed || (i < k && at >= 0);
                value[i] = at < 0 ? (double)NAN : row[i]->metric[at];
            }
            if (listed)
                continue;
            metric_row(c, m->name, m->flags & WL_M_COUNT, value);
            if (hidden)
                wlab_compare_measures(c, m->role);
        }
}

/* The value of a metric after the last step of binary classifier number `classifier`, from 1; NaN if it has none. */
static double value_of_classifier(const wlab_run *run, wlab_role role, int classifier)
{
    const wlab_algo *algo = wlab_run_algo(run);
    const int m = wlab_metric_of(algo, role), number = wlab_metric_of(algo, WL_R_CLASSIFIER);
    const wlab_trace_row *row;

    for (int64_t i = wlab_run_trace(run, &row) - 1; m >= 0 && number >= 0 && i > 0; i--)
        if ((int)row[i].metric[number] == classifier)
            return row[i].metric[m];
    return (double)NAN;
}

/* Of runs that train one binary classifier per class, the objective and the gap of each of these, and the seconds of all.
 * Their other metrics in the last row are those of the last classifier, and would be read as those of all.  False: no run
 * has binary classifiers. */
static bool print_classifiers(wlab_comparison *c)
{
    static const wlab_role roles[] = {WL_R_OBJECTIVE, WL_R_GAP};
    static const char *const title[] = {"objective", "gap"};
    double value[WLAB_COMPARED] = {0};
    int classifiers = 0;

    for (int k = 0; k < c->n; k++)
        if (wlab_metric_of(wlab_run_algo(c->run[k]), WL_R_CLASSIFIER) >= 0)
            classifiers = wlab_run_problem(c->run[k])->classes;
    for (size_t r = 0; r < sizeof roles / sizeof *roles && classifiers > 0; r++) {
        wlab_session_print(c->s, "%s of each binary classifier:\n", title[r]);
        for (int j = 1; j <= classifiers; j++) {
            const wlab_problem *p = wlab_run_problem(c->run[0]);
            char name[64];

            snprintf(name, sizeof name, "class %s", wlab_problem_class(p, wlab_label_at(p, j - 1)));
            for (int k = 0; k < c->n; k++)
                value[k] = value_of_classifier(c->run[k], roles[r], j);
            metric_row(c, name, false, value);
        }
    }
    for (int k = 0; k < c->n; k++) {
        const wlab_trace_row *row;
        const int64_t rows = wlab_run_trace(c->run[k], &row);
        const int m = wlab_metric_of(wlab_run_algo(c->run[k]), WL_R_SECONDS);

        value[k] = m < 0 ? (double)NAN : row[rows - 1].metric[m];
    }
    if (classifiers > 0) {
        wlab_session_print(c->s, "all together:\n");
        metric_row(c, "seconds", false, value);
    }
    return classifiers > 0;
}

/* "relaxation proven", "4.4 % open": what the message at the end of the run says after its verdict. */
static const char *open_words(const wlab_run *run, char *buf, size_t size)
{
    const wlab_trace_row *row;
    const int64_t rows = wlab_run_trace(run, &row);
    const wlab_certified c =
        wlab_metric_certified(wlab_run_algo(run), wlab_run_params(run), row[rows - 1].metric);
    return wlab_verdict_open(wlab_run_verdict(run), &c, buf, size);
}

/* The metrics after the last step of each run. */
static void print_metrics(wlab_comparison *c)
{
    const wlab_trace_row *row[WLAB_COMPARED];
    double value[WLAB_COMPARED] = {0};

    char words[WLAB_COMPARED][64];
    const char *certified[WLAB_COMPARED];

    wlab_session_print(c->s, "results:\n");
    put_name(c, "verdict");
    for (int k = 0; k < c->n; k++) {
        int64_t rows = wlab_run_trace(c->run[k], &row[k]);

        row[k] += rows - 1;
        value[k] = (double)wlab_run_iter(c->run[k]);
        put_cell(c, wlab_verdict_names[wlab_run_verdict(c->run[k])]);
        certified[k] = open_words(c->run[k], words[k], sizeof words[k]);
    }
    wlab_compare_end_line(c);
    wlab_compare_texts(c, "", certified);
    metric_row(c, "iter", true, value);
    metrics_by(c, row, true); /* the scores first */
    if (!print_classifiers(c))
        metrics_by(c, row, false);
}

/* ---- the command ---- */

int wlab_session_compared(const wlab_session *s, int *numbers, int max)
{
    const wlab_run *now = wlab_session_run(s);
    bool among = false;
    int n = 0;

    for (int i = 0; i < s->held.ncompared; i++) {
        const wlab_run *run = wlab_session_run_numbered(s, s->held.compared[i]);

        if (!run || !now || !wlab_compare_same_rows(wlab_run_problem(run), wlab_run_problem(now)))
            continue;
        among = among || run == now;
        if (n < max)
            numbers[n] = s->held.compared[i];
        n++;
    }
    return !among || n < 2 ? 0 : n < max ? n : max;
}

static bool is_selected(const wlab_comparison *c, const wlab_run *run)
{
    for (int k = 0; k < c->n; k++)
        if (c->run[k] == run)
            return true;
    return false;
}

/* Selects the runs if no names are given: those compared last if the current run is among them; otherwise the current
 * run and the run made before it (after it, if it is the first). */
static wlab_code select_default_runs(wlab_comparison *c, wlab_err *err)
{
    wlab_session *s = c->s;
    wlab_buf line = {0};
    wlab_run *run;
    wlab_code code = wlab_session_need_run(s, &run, err);
    int later = s->held.current_run > 0 ? s->held.current_run : 1;

    if (code)
        return code;
    if (s->held.nruns < 2)
        return wlab_fail(err, WL_ESTATE,
                         "there is only run %s: `fork NAME` copies it, `algo` starts another one",
                         wlab_run_name(run));
    for (int i = 0; i < s->held.ncompared; i++)
        if ((c->run[c->n] = wlab_session_run_numbered(s, s->held.compared[i])))
            c->n++;
    if (c->n < 2 || !is_selected(c, run)) {
        c->n = 2;
        c->run[0] = s->held.run[later - 1];
        c->run[1] = s->held.run[later];
    }
    for (int k = 0; k < c->n; k++)
        (void)wlab_buf_printf(&line, " %s", wlab_run_name(c->run[k]));
    code = line.data ? wlab_session_record_as(s, err, "compare%s", (const char *)line.data) : wlab_nomem(err);
    wlab_buf_clear(&line);
    return code;
}

static wlab_code find_named_runs(wlab_comparison *c, const wlab_args *args, wlab_err *err)
{
    for (int k = 0; k < args->nwords; k++) {
        int current = c->s->held.current_run;
        wlab_code code = wlab_session_switch_run(c->s, args->word[k], err); /* for its error messages */
        const wlab_run *run = wlab_session_run(c->s);

        c->s->held.current_run = current;
        if (code)
            return code;
        if (is_selected(c, run))
            return wlab_fail(err, WL_EARG, "run %s is named twice; keep one", args->word[k]);
        c->run[c->n++] = run;
    }
    return WL_OK;
}

/* Says whether the runs minimise different functions; returns by which settings. */
static json_t *say_objectives(wlab_comparison *c)
{
    bool certain;
    wlab_buf list = {0};
    json_t *names = wlab_objectives_differ(c->run, c->n, &list, &certain);

    if (list.data)
        wlab_session_print(c->s, "their objectives %s by %s: %s\n", certain ? "differ" : "may differ",
                           (const char *)list.data,
                           wlab_compare_scores_alike(c) ? "compare scores, not objectives"
                                                        : "do not compare them");
    wlab_buf_clear(&list);
    return names;
}

static wlab_certified certified_of(const wlab_run *run, double *labeling)
{
    const wlab_trace_row *row;
    const int64_t rows = wlab_run_trace(run, &row);
    const wlab_algo *algo = wlab_run_algo(run);
    const double *metric = row[rows - 1].metric;

    *labeling = wlab_metric_value(algo, metric, WL_R_LABELING);
    return wlab_metric_certified(algo, wlab_run_params(run), metric);
}

/* A run that solves a relaxation beside one that solves the problem itself: says which number bounds which.  Returns
 * whether it did. */
static bool say_relaxed(wlab_comparison *c)
{
    bool said = false;

    for (int k = 0; k < c->n; k++) {
        bool of_k = false; /* one sentence for each relaxation */
        for (int i = 0; i < c->n && !of_k; i++) {
            double best, value;
            const wlab_certified of = certified_of(c->run[k], &best);
            (void)certified_of(c->run[i], &value);

            if (i == k || !of.of || wlab_run_algo(c->run[i])->certified || !isfinite(of.lower) ||
                !isfinite(value) || !wlab_objectives_equal(c->run[k], c->run[i]))
                continue;
            wlab_session_print(
                c->s,
                "%s solves the %s of %s's problem: its lower bound %.6g holds for every labeling, "
                "also for the best of %s, %.6g; a smaller objective is no better labeling (the best "
                "of %s has %.6g)\n",
                wlab_run_name(c->run[k]), of.of, wlab_run_name(c->run[i]), of.lower, wlab_run_name(c->run[i]),
                value, wlab_run_name(c->run[k]), best);
            said = of_k = true;
        }
    }
    return said;
}

static wlab_code print_comparison(wlab_comparison *c, wlab_err *err)
{
    wlab_session *s = c->s;
    json_t *names = json_array(), *verdicts = json_array(), *differ = json_object(),
           *predicted = json_object(), *bracket;
    const char *different = NULL;
    bool sure = true;

    c->width = c->n == 2 ? WIDEST : c->n == 3 ? 19 : 14;
    c->settings = json_object();
    c->metrics = json_object();
    c->measures = json_object();
    c->scored_rows = json_object();
    put_name(c, "run");
    for (int k = 0; k < c->n; k++) {
        put_cell(c, wlab_run_name(c->run[k]));
        json_array_append_new(names, json_string(wlab_run_name(c->run[k])));
        json_array_append_new(verdicts, json_string(wlab_verdict_names[wlab_run_verdict(c->run[k])]));
    }
    wlab_compare_end_line(c);
    print_settings(c);
    print_metrics(c);
    for (int k = 1; k < c->n; k++) {
        json_t *of_labels, *one = wlab_compare_rows(c, k, &of_labels, err);
        if (!one) {
            json_decref(names);
            json_decref(verdicts);
            json_decref(differ);
            json_decref(predicted);
            json_decref(c->settings);
            json_decref(c->metrics);
            json_decref(c->measures);
            json_decref(c->scored_rows);
            return WL_ENOMEM;
        }
        json_object_set_new(differ, wlab_run_name(c->run[k]), of_labels);
        json_object_set_new(predicted, wlab_run_name(c->run[k]), one);
    }
    bracket = wlab_session_bracket(s, c->run, c->n);
    for (int k = 1; k < c->n && !different; k++)
        different = wlab_problems_differ(wlab_run_algo(c->run[0]), wlab_run_problem(c->run[0]),
                                         wlab_run_algo(c->run[k]), wlab_run_problem(c->run[k]), &sure);
    const bool relaxed = say_relaxed(c);
    if (different && wlab_runs_of_one_algorithm(c->run, c->n) && !sure)
        wlab_session_print(s,
                           "the runs may solve different problems (%s): compare their objectives and bounds "
                           "only if `help %s` says that it does not use that; %s\n",
                           different, wlab_run_algo(c->run[0])->name, wlab_compare_advice(c));
    else if (different && wlab_runs_of_one_algorithm(c->run, c->n))
        wlab_session_print(
            s, "the runs solve different problems (%s): do not compare their objectives and bounds; %s\n",
            different, wlab_compare_advice(c));
    else if (different && !(relaxed && c->n == 2) &&
             json_object_size(json_object_get(bracket, "runs")) < (size_t)c->n)
        wlab_session_print(
            s,
            "the runs may solve different problems (%s): their objectives and bounds are comparable only if "
            "`help ALGORITHM` gives both the same problem; %s\n",
            different, wlab_compare_advice(c));
    wlab_compare_say_scores(c);
    json_t *o = json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "type", "compare", "runs", names,
                          "settings", c->settings, "metrics", c->metrics, "measures", c->measures,
                          "scored_rows", c->scored_rows, "verdicts", verdicts, "bracket", bracket);
    if (o) {
        json_object_set(o, "labels", json_object_get(differ, wlab_run_name(c->run[1])));
        json_object_set(o, "predictions", json_object_get(predicted, wlab_run_name(c->run[1])));
        json_object_set(o, "labels_of", differ);
        json_object_set(o, "predictions_of", predicted);
        json_object_set_new(o, "objectives_differ_by", say_objectives(c));
    }
    json_decref(differ);
    json_decref(predicted);
    wlab_session_object(s, o);
    return WL_OK;
}

static wlab_code compare(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    wlab_comparison c = {.s = s};
    wlab_code code;

    if (args->nwords == 1 && strcmp(args->word[0], "off") == 0 && args->nsettings == 0) {
        s->held.ncompared = 0;
        wlab_session_object(s, json_pack("{s:s, s:[]}", "type", "compare", "runs"));
        return WL_OK;
    }
    if (args->nwords == 1 || args->nwords > WLAB_COMPARED || args->nsettings > 0)
        return wlab_fail(
            err, WL_EARG,
            "compare takes the names of two runs, or of up to %d: `compare a b`, say; without names it "
            "compares the current run with the one before it",
            WLAB_COMPARED);
    code = args->nwords > 0 ? find_named_runs(&c, args, err) : select_default_runs(&c, err);
    if (code)
        return code;
    code = wlab_session_call(s, wlab_compare_predict, &c, err);
    code = code ? code : print_comparison(&c, err);
    for (int k = 0; k < c.n; k++)
        wlab_free(c.predicted[k]);
    if (code)
        return code;
    s->held.ncompared = c.n;
    for (int k = 0; k < c.n; k++)
        s->held.compared[k] = wlab_run_number(c.run[k]);
    return WL_OK;
}

static void offer(wlab_offers *o, const wlab_session *s)
{
    wlab_offers_runs(o, s, true);
}

const wlab_command wlab_cmd_compare = {
    .name = "compare",
    .usage = "compare [A B [C...]|off]",
    .summary = "show how runs differ",
    .help =
        "Shows, for two to eight runs, the settings that differ, the metrics side by side, and on which "
        "training rows the model of each run predicts another label than that of the first run (the "
        "numbers of the first 20 such rows in the data set). If the labels of the runs differ in another "
        "number of rows, it prints that, too: in wellsvm these are the newest labeling, which need not be "
        "plausible (`explain labels`). Numbers and signs of clusters have no meaning, so compare first "
        "matches clusters with the clusters or classes of the first run such that as many rows as possible "
        "agree. From then on, panes and figures (`plot score to x.png`) draw the curves of these runs "
        "together while one of them is the current run; `compare off` ends that. Without names, compare "
        "repeats the "
        "last comparison if the current run was in it; otherwise it compares the current run with the one "
        "made before it. If runs of one algorithm have other values of a setting that changes their "
        "objective (C, a kernel's width, a loss), compare says by which settings their objectives differ: "
        "then compare scores, not objectives. A score of clusters is the adjusted Rand index, and one of "
        "classes the accuracy: below such numbers compare prints which of the two they are, and below scores "
        "of other rows, as after "
        "another `split`, their numbers of rows.\n"
        "\n"
        "tsvm and mfa look for the labeling, with a prescribed number of negatives, that has the smallest "
        "objective (Eq. 7 of SVMlin's paper). For their runs compare also prints the bracket: the smallest "
        "objective of all such labelings is at least the largest lower bound that a run has proven, and at "
        "most the smallest objective that a run has found. From this follows how much of each run's value "
        "is open, in the denominator of a verdict's \"5.5 % open\" (that value), and how far it may be above "
        "the optimum (in per cent of the optimum: 85 % open is up to 567 % above it). A run of wellsvm on "
        "the same problem (`algo wellsvm loss=squared-hinge lambda= "
        "lambda_u= bias=`, the same kernel) may add a larger lower bound. With more than 400 unlabelled "
        "rows it does so only with bound=diagonal, because its default bound is then that of the labelled "
        "rows, which tsvm and mfa have too. compare says why a run is left out of the bracket.\n"
        "\n"
        "alternate finds labelings of the problem that wellsvm and bb bound. With a run of one of them, with "
        "the "
        "same task, loss, kernel and costs, compare prints the bracket of the smallest SVM objective of all "
        "labelings.",
    .flags = WL_C_SHARED,
    .execute = compare,
    .offer = offer,
};

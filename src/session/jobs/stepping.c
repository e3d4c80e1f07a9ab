/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Common to the stepping commands: running the job, showing its steps, the reason of the stop, the record.
 */
#include "session/jobs/stepping.h"
#include "session/jobs/mirrors.h"
#include "session/jobs/stops.h"
#include <math.h>
#include <string.h>

/* A stepping command under way. */
typedef struct execution {
    wlab_session *s;
    wlab_run *run;
    wlab_job job;
    wlab_stop_at *at;
    wlab_stop **from;  /* [nstops] the breakpoint of each condition, NULL for the command's own */
    wlab_expr **shown; /* [ndisplays] NULL: not for this run */
    double *values;    /* now and before, for the displays */
    int64_t steps;     /* reported */
    wlab_report end;
} execution;

/* ---- lines and objects ---- */

enum {
    COLUMNS = 16, /* at most */
    ROWS = 20     /* under one header, on a terminal */
};

static void put_number(char *buf, size_t size, double x, int digits)
{
    if (isnan(x))
        snprintf(buf, size, "-");
    else
        snprintf(buf, size, "%.*g", digits, x);
}

static void show_line(wlab_session *s, const wlab_run *run, const wlab_trace_row *row, int64_t half,
                      const char *words)
{
    const wlab_algo *algo = wlab_run_algo(run);
    wlab_stops *stops = NULL;
    char line[256], iter[48], text[32];
    int column[COLUMNS];
    const int columns = wlab_metrics_shown(algo, WL_M_LINE, column, COLUMNS);

    if (s->sink.json)
        return;
    if (!wlab_stops_get(s, &stops, NULL) &&
        (stops->shown_run != wlab_run_number(run) || (s->sink.terminal && stops->shown_rows >= ROWS))) {
        stops->shown_run = wlab_run_number(run);
        stops->shown_rows = 0;
        snprintf(line, sizeof line, "%8s", "iter");
        for (int i = 0; i < columns; i++)
            wlab_text_append(line, sizeof line, "%*s", wlab_metric_style(&algo->metrics[column[i]]).width,
                             wlab_metric_style(&algo->metrics[column[i]]).heading);
        wlab_session_print(s, "%s  verdict\n", line);
    }
    if (stops)
        stops->shown_rows++;
    if (half > 0)
        snprintf(iter, sizeof iter, "%lld+%lld", (long long)row->iter, (long long)half);
    else
        snprintf(iter, sizeof iter, "%lld", (long long)row->iter);
    snprintf(line, sizeof line, "%8s", iter);
    for (int i = 0; i < columns; i++) {
        const wlab_role_style style = wlab_metric_style(&algo->metrics[column[i]]);

        const bool of_other = wlab_metric_gap_of_other(algo, row->metric, column[i]);

        put_number(text, sizeof text, of_other ? (double)NAN : row->metric[column[i]], style.digits);
        wlab_text_append(line, sizeof line, " %*s", style.width - 1,
                         text); /* a long number is set apart, too */
    }
    wlab_session_print(s, "%s  %s\n", line, words);
}

static void show_object(wlab_session *s, const wlab_run *run, const wlab_trace_row *row, int64_t half,
                        const char *type)
{
    json_t *o = s->sink.json ? wlab_json_step(run, row) : NULL;

    if (!o)
        return;
    json_object_set_new(o, "type", json_string(type));
    if (half > 0)
        json_object_set_new(o, "half", json_integer(half));
    wlab_session_object(s, o);
}

void wlab_session_show_row(wlab_session *s, const wlab_run *run, const wlab_trace_row *row, const char *type)
{
    show_line(s, run, row, 0, wlab_verdict_names[row->verdict]);
    show_object(s, run, row, 0, type);
}

static void values_of(const wlab_run *run, const wlab_trace_row *row, double *value)
{
    int n = wlab_metric_count(wlab_run_algo(run));

    value[0] = (double)row->iter;
    value[1] = (double)row->inner;
    memcpy(value + 2, row->metric, (size_t)n * sizeof *value);
}

static void show_displays(execution *g, const wlab_trace_row *row, const wlab_trace_row *before)
{
    const wlab_stops *stops = g->s->held.stops;
    int n = wlab_metric_count(wlab_run_algo(g->run)) + 2;

    if (!g->shown)
        return;
    values_of(g->run, row, g->values);
    values_of(g->run, before, g->values + n);
    for (int i = 0; i < stops->ndisplays; i++) {
        const wlab_stop *d = &stops->display[i];
        char text[32];
        double x;

        if (!g->shown[i])
            continue;
        x = wlab_expr_value(g->shown[i], g->values, g->values + n, NULL);
        if (wlab_expr_is_condition(g->shown[i]))
            snprintf(text, sizeof text, "%s", x != 0 ? "yes" : "no");
        else
            put_number(text, sizeof text, x, 10);
        wlab_session_print(g->s, "%8s%d: %s = %s\n", "", d->number, d->text, text);
        if (g->s->sink.json)
            wlab_session_object(g->s, json_pack("{s:s, s:o, s:I, s:i, s:o, s:o}", "type", "display", "run",
                                                wlab_json_text(wlab_run_name(g->run)), "iter",
                                                (json_int_t)row->iter, "number", d->number, "text",
                                                wlab_json_text(d->text), "value", wlab_json_real(x)));
    }
}

/* Appends the largest weights of the working set, which change inside a step, at most `most` of them, and how many more
 * are above 0. */
static void weight_words(const wlab_run *run, int most, char *buf, size_t size)
{
    wlab_probed w;
    int64_t above = 0, last = -1;

    if (wlab_run_recorded(run, &w, NULL))
        return;
    for (int64_t t = 0; t < w.rows; t++)
        above += w.value[t] > 0;
    for (int k = 0; k < most && k < above; k++) {
        int64_t best = -1;

        for (int64_t t = 0; t < w.rows; t++) {
            bool after = last < 0 || w.value[t] < w.value[last] || (w.value[t] == w.value[last] && t > last);

            if (after && (best < 0 || w.value[t] > w.value[best]))
                best = t;
        }
        wlab_text_append(buf, size, "%s%s%lld=%.3g",
                         k        ? " "
                         : buf[0] ? ", "
                                  : "",
                         wlab_probe_recorded(wlab_run_algo(run))->name, (long long)best + 1, w.value[best]);
        last = best;
    }
    if (above > most)
        wlab_text_append(buf, size, ", %lld more", (long long)above - most);
    wlab_probed_clear(&w);
}

/* Show the state inside a step, which has no row yet. */
static void show_half(execution *g)
{
    const wlab_algo *algo = wlab_run_algo(g->run);
    wlab_trace_row row = {.iter = wlab_run_iter(g->run), .inner = wlab_run_inner(g->run), .verdict = WL_MORE};
    const wlab_trace_row *before;
    int64_t n = wlab_run_trace(g->run, &before);
    const int m = wlab_metric_of(algo, WL_R_INSIDE);
    char words[192] = "inside the step";

    row.metric = wlab_calloc((size_t)wlab_metric_count(algo), sizeof(double));
    if (!row.metric)
        return;
    wlab_run_metrics(g->run, row.metric);
    if (m >= 0 && !isnan(row.metric[m]))
        snprintf(words, sizeof words, "%s %.4g", algo->metrics[m].name, row.metric[m]);
    int column[COLUMNS], width = 8 + 2;
    for (int k = wlab_metrics_shown(algo, WL_M_LINE, column, COLUMNS); k-- > 0;)
        width += wlab_metric_style(&algo->metrics[column[k]]).width;
    const size_t head = strlen(words);
    for (int most = 3; most > 0; most--) { /* as many as leave the line within 100 columns */
        words[head] = '\0';
        weight_words(g->run, most, words, sizeof words);
        if (width + (int)strlen(words) <= 100)
            break;
    }
    show_line(g->s, g->run, &row, wlab_run_half(g->run), words);
    show_object(g->s, g->run, &row, wlab_run_half(g->run), "inner");
    show_displays(g, &row, &before[n - 1]);
    wlab_free(row.metric);
}

static void send_event(wlab_session *s, const wlab_event *event)
{
    if (s->sink.event)
        s->sink.event(s->sink.self, event);
    else if (event->kind == WL_EV_WARNING)
        wlab_session_say(s, "warning: %s", event->text);
}

/* A line of its own where another part of a run begins: a binary classifier of one-vs-rest, EM after a relaxation. */
static void show_part(const execution *g, const wlab_trace_row *row, const wlab_trace_row *before)
{
    enum {
        PARTS_MOST = 12
    };
    const wlab_algo *algo = wlab_run_algo(g->run);
    const wlab_problem *p = wlab_run_problem(g->run);
    const int classifier = wlab_metric_of(algo, WL_R_CLASSIFIER);

    if (g->s->sink.json || before->iter < 1)
        return;
    if (classifier >= 0 && p->classes <= PARTS_MOST &&
        row->metric[classifier] != before->metric[classifier]) {
        const int k = (int)row->metric[classifier];

        wlab_session_print(g->s, "%8s  binary classifier %d of %d, class %s against the rest:\n", "", k,
                           p->classes, wlab_problem_class(p, wlab_label_at(p, k - 1)));
    }
    if (wlab_metric_stage(algo, row->metric) > wlab_metric_stage(algo, before->metric))
        wlab_session_print(g->s, "%8s  %s:\n", "", algo->metrics[wlab_metric_of(algo, WL_R_STAGE)].axis);
}

static void receive(void *data, wlab_report *r)
{
    execution *g = data;

    switch (r->kind) {
    case WL_REPORT_EVENT:
        send_event(g->s, &r->event);
        break;
    case WL_REPORT_STEP:
        show_part(g, &r->row, &r->before);
        show_line(g->s, g->run, &r->row, 0, wlab_verdict_names[r->row.verdict]);
        show_object(g->s, g->run, &r->row, 0, "step");
        show_displays(g, &r->row, &r->before);
        send_event(g->s, &r->event);
        if (g->job.kind == WL_JOB_STEP && g->job.count > 1)
            send_event(g->s, &(wlab_event){.kind = WL_EV_PROGRESS,
                                           .run = r->event.run,
                                           .step = r->row.iter,
                                           .inner = r->row.inner,
                                           .done = ++g->steps,
                                           .total = g->job.count,
                                           .text = "steps"});
        break;
    case WL_REPORT_MODEL:
        break;
    case WL_REPORT_END:
        g->end = *r;
        break;
    }
    wlab_mirrors_report(g->s, r);
    if (g->s->now.panel && g->s->now.panel->served)
        g->s->now.panel->served(g->s->now.panel->self);
}

/* ---- the reason of the stop ---- */

static void say_stop(execution *g, const char *text)
{
    static const char *const reasons[] = {"count", "finished",  "verdict", "condition",
                                          "phase", "interrupt", "error"};
    wlab_event event = {.kind = WL_EV_STOPPED, .run = g->run ? wlab_run_number(g->run) : 0};

    if (g->run) {
        event.step = wlab_run_iter(g->run);
        event.inner = wlab_run_inner(g->run);
    }
    snprintf(event.text, sizeof event.text, "%s", text);
    if (*text)
        wlab_session_say(g->s, "run %s: %s", wlab_run_name(g->run), text);
    if (g->run && g->s->sink.json)
        wlab_session_object(g->s, json_pack("{s:s, s:s, s:I, s:I, s:s, s:s, s:o}", "type", "stopped", "run",
                                            wlab_run_name(g->run), "iter", (json_int_t)event.step, "inner",
                                            (json_int_t)event.inner, "reason", reasons[g->end.reason],
                                            "verdict", wlab_verdict_names[wlab_run_verdict(g->run)], "text",
                                            wlab_json_text(text)));
    send_event(g->s, &event);
}

static const char *verdict_words(wlab_verdict verdict)
{
    switch (verdict) {
    case WL_CONVERGED:
        return "converged";
    case WL_STALLED:
        return "stalled (no progress is possible, `explain` says more)";
    case WL_LIMIT:
        return "stopped at its limit";
    default:
        return "not finished";
    }
}

static void watch_words(const execution *g, const wlab_stop *stop, char *buf, size_t size)
{
    const wlab_trace_row *row;
    int64_t iter = wlab_run_trace(g->run, &row) - 1;
    int m = wlab_metric_index(wlab_run_algo(g->run), stop->text);
    char now[32] = "", before[32] = "";

    if (m >= 0 && iter > 0) {
        put_number(now, sizeof now, row[iter].metric[m], 10);
        put_number(before, sizeof before, row[iter - 1].metric[m], 10);
    }
    snprintf(buf, size, "watch %d: %s changed from %s to %s, after step %lld", stop->number, stop->text,
             before, now, (long long)iter);
}

/* Writes ", in binary classifier ... of ..." if one-vs-rest stopped before its last binary classifier; else nothing. */
static const char *unfinished(const wlab_run *run, wlab_verdict verdict, char *buf, size_t size)
{
    const wlab_trace_row *row;
    const int64_t rows = wlab_run_trace(run, &row);
    const int m = wlab_metric_of(wlab_run_algo(run), WL_R_CLASSIFIER);

    buf[0] = '\0';
    if (m >= 0 && verdict == WL_MORE && rows > 0)
        snprintf(buf, size,
                 ", in binary classifier %g of %d: the model needs all of them; `continue` trains the rest",
                 row[rows - 1].metric[m], wlab_run_problem(run)->classes);
    return buf;
}

/* " (5.5 % open)", if that is known; " (relaxation proven; the labeling that predicts: ...)". */
static const char *open_words(const wlab_run *run, wlab_verdict verdict, char *buf, size_t size)
{
    const wlab_trace_row *row;
    const int64_t rows = wlab_run_trace(run, &row);
    char words[160] = "";

    *buf = '\0';
    if (rows > 0) {
        const wlab_certified c =
            wlab_metric_certified(wlab_run_algo(run), wlab_run_params(run), row[rows - 1].metric);
        (void)wlab_verdict_open_whole(verdict, &c, words, sizeof words);
    }
    if (words[0])
        snprintf(buf, size, " (%s)", words);
    return buf;
}

static void explain_stop(execution *g)
{
    const wlab_trace_row *row = NULL;
    const int64_t rows = wlab_run_trace(g->run, &row);
    long long iter = (long long)wlab_run_iter(g->run);
    wlab_verdict verdict = wlab_run_verdict(g->run);
    const wlab_stop *stop = g->end.which >= 0 ? g->from[g->end.which] : NULL;
    char text[512] = "", rest[192];

    if (g->end.reason == WL_STOP_FINISHED)
        snprintf(text, sizeof text, "%s at step %lld: nothing left to do", verdict_words(verdict), iter);
    else if (g->end.reason == WL_STOP_CONDITION && stop && stop->watch)
        watch_words(g, stop, text, sizeof text);
    else if (g->end.reason == WL_STOP_CONDITION && stop)
        snprintf(text, sizeof text, "breakpoint %d: %.120s, after step %lld", stop->number, stop->text, iter);
    else if (g->end.reason == WL_STOP_CONDITION)
        snprintf(text, sizeof text, "%.120s, after step %lld%s", wlab_expr_text(g->at[g->end.which].expr),
                 iter, unfinished(g->run, verdict, rest, sizeof rest));
    else if (g->end.reason == WL_STOP_PHASE)
        snprintf(text, sizeof text, "%.60s %lld ends with step %lld", wlab_run_algo(g->run)->phase_unit,
                 (long long)row[rows - 1].phase, iter);
    if (g->end.reason == WL_STOP_VERDICT || (g->end.reason == WL_STOP_CONDITION && verdict != WL_MORE)) {
        size_t len = strlen(text);

        snprintf(text + len, sizeof text - len, "%s%s after step %lld%s", len ? "; " : "",
                 verdict_words(verdict), iter, open_words(g->run, verdict, rest, sizeof rest));
    }
    say_stop(g, text);
    if (g->end.reason == WL_STOP_VERDICT && verdict != WL_MORE)
        wlab_session_warn_collapse(g->s, g->run);
}

/* ---- conditions and displays of the job ---- */

static wlab_code add_condition(execution *g, const wlab_stop *stop, wlab_stop *from, wlab_err *err)
{
    int i = g->job.nstops;
    wlab_expr *expr = NULL;
    wlab_err why = {0};
    wlab_code code = wlab_stop_compile(&expr, stop, g->run, &why);

    if (code == WL_EINPUT && from) { /* the breakpoint uses metrics of another algorithm */
        if (from->reported != wlab_run_number(g->run))
            wlab_session_say(g->s, "breakpoint %d is ignored in run %s: %s", stop->number,
                             wlab_run_name(g->run), why.message);
        from->reported = wlab_run_number(g->run);
        return WL_OK;
    }
    if (code) {
        if (err)
            *err = why;
        return code;
    }
    if (from && g->s->replay && wlab_expr_volatile(expr, g->run)) {
        wlab_expr_destroy(expr); /* the recording has the number of steps at which it stopped */
        return WL_OK;
    }
    g->at[i] = (wlab_stop_at){.number = stop->number, .expr = expr, .warned = from && from->warned};
    g->from[i] = from;
    g->job.nstops++;
    return WL_OK;
}

static wlab_code prepare(execution *g, const char *until, wlab_err *err)
{
    wlab_stops *stops = NULL;
    const char *const *names;
    int n = wlab_run_names(g->run, &names);
    size_t most;
    wlab_code code = wlab_stops_get(g->s, &stops, err);

    if (code)
        return code;
    most = (size_t)stops->nstops + 1;
    g->at = wlab_calloc(most, sizeof *g->at);
    g->from = wlab_calloc(most, sizeof *g->from);
    g->shown = wlab_calloc((size_t)stops->ndisplays, sizeof *g->shown);
    g->values = wlab_calloc(2 * (size_t)n, sizeof *g->values);
    if (!g->at || !g->from || !g->shown || !g->values)
        return wlab_nomem(err);
    g->job.stop = g->at;
    if (until)
        code = add_condition(g, &(wlab_stop){.text = (char *)(uintptr_t)until}, NULL, err);
    for (int i = 0; !code && i < stops->nstops; i++)
        code = add_condition(g, &stops->stop[i], &stops->stop[i], err);
    for (int i = 0; !code && i < stops->ndisplays; i++) {
        code = wlab_expr_create_value(&g->shown[i], stops->display[i].text, names, n, err);
        if (code == WL_EINPUT)
            code = WL_OK; /* uses metrics of another algorithm: not shown */
    }
    return code;
}

static void discard(execution *g)
{
    for (int i = 0; i < g->job.nstops; i++)
        wlab_expr_destroy((wlab_expr *)(uintptr_t)g->at[i].expr);
    for (int i = 0; g->shown && g->s->held.stops && i < g->s->held.stops->ndisplays; i++)
        wlab_expr_destroy(g->shown[i]);
    wlab_free(g->at);
    wlab_free(g->from);
    wlab_free(g->shown);
    wlab_free(g->values);
}

/* ---- the job ---- */

static wlab_code run_job(execution *g, wlab_err *err)
{
    wlab_session *s = g->s;
    wlab_code code = WL_OK;

    if (!s->job.worker) {
        code = wlab_worker_create(&s->job.worker, err);
        if (code)
            return code;
    }
    wlab_mirrors_begin(s, g->run);
    code = wlab_worker_start(s->job.worker, &g->job, &s->ctx, err);
    if (!code) {
        s->job.running = true;
        s->job.begun++;
        wlab_session_changed(s);
        wlab_worker_wait(s->job.worker, receive, g, s->terminal.idle, s->terminal.self);
        s->job.running = false;
    }
    wlab_mirrors_end(s);
    if (code)
        return code;
    if (g->end.code && err)
        *err = g->end.err;
    return g->end.code;
}

/* stepi: one job per unit, so that each unit is shown. */
static wlab_code run_units(execution *g, wlab_err *err)
{
    int64_t count = g->job.count, units = 0, steps = 0;
    wlab_code code;

    g->job.count = 1;
    for (;;) {
        code = run_job(g, err);
        if (code && g->end.kind == WL_REPORT_END && !g->end.code) /* a later job could not begin */
            g->end = (wlab_report){.kind = WL_REPORT_END, .code = code, .which = -1};
        units += g->end.units;
        steps += g->end.steps;
        if (g->end.units > 0 && wlab_run_half(g->run) > 0)
            show_half(g);
        if (code || g->end.reason != WL_STOP_COUNT || units >= count)
            break;
    }
    g->end.units = units;
    g->end.steps = steps;
    return code;
}

/* Records what the command did in place of the typed line, if the typed line would do something else in a replay:
 * the command was interrupted, failed on the way, or was stopped by a condition on time. */
static wlab_code record_done(execution *g, bool timed, wlab_err *err)
{
    wlab_session *s = g->s;
    wlab_code code = WL_OK;

    if (g->end.code == WL_OK && !timed)
        return WL_OK;
    if (g->job.kind == WL_JOB_GOTO) /* all or nothing */
        return g->end.code == WL_EINTERRUPTED ? wlab_session_record_as(s, err, NULL) : WL_OK;
    if (g->end.units == 0)
        return g->end.code == WL_OK || g->end.code == WL_EINTERRUPTED ? wlab_session_record_as(s, err, NULL)
                                                                      : WL_OK;
    if (g->job.kind == WL_JOB_STEPI)
        return wlab_session_record_as(s, err, "stepi %lld", (long long)g->end.units);
    if (g->end.steps > 0)
        code = wlab_session_record_as(s, err, "step %lld", (long long)g->end.steps);
    if (!code && g->end.units_after > 0)
        code = wlab_session_record_as(s, err, "stepi %lld", (long long)g->end.units_after);
    return code;
}

/* Report the steps that execution back has discarded. */
static void report_discarded(const execution *g, int64_t from, int64_t half, int changes)
{
    long long at = (long long)wlab_run_iter(g->run), n = (long long)from - at;
    const char *lost = wlab_run_changes(g->run, NULL) < changes ? "; so are the changes by `set` since" : "";

    if (n == 0 && half > 0)
        wlab_session_say(g->s, "run %s: the unfinished step %lld is discarded", wlab_run_name(g->run),
                         at + 1);
    else if (n == 1)
        wlab_session_say(g->s, "run %s: step %lld is discarded%s; `step` repeats it, bit for bit%s",
                         wlab_run_name(g->run), at + 1, lost, *lost ? " where no setting was set" : "");
    else if (n > 1)
        wlab_session_say(
            g->s, "run %s: steps %lld to %lld are discarded%s; `step %lld` repeats them, bit for bit%s",
            wlab_run_name(g->run), at + 1, (long long)from, lost, n,
            *lost ? " where no setting was set" : "");
}

static bool stopped_by_time(const execution *g, const char *until)
{
    if (until && g->job.nstops > 0 && wlab_expr_volatile(g->at[0].expr, g->run))
        return true;
    return g->end.reason == WL_STOP_CONDITION && g->end.which >= 0 &&
           wlab_expr_volatile(g->at[g->end.which].expr, g->run);
}

wlab_code wlab_session_go(wlab_session *s, wlab_job_kind kind, int64_t count, const char *until,
                          wlab_err *err)
{
    execution g = {.s = s, .job = {.kind = kind, .count = count}};
    const wlab_trace_row *row;
    int64_t from, half;
    int changes;
    wlab_err not_recorded;
    wlab_code code = wlab_session_need_run(s, &g.run, err);

    if (code)
        return code;
    g.job.run = g.run;
    from = wlab_run_iter(g.run);
    half = wlab_run_half(g.run);
    changes = wlab_run_changes(g.run, NULL);
    if ((code = prepare(&g, until, err)) ||
        (code = kind == WL_JOB_STEPI ? run_units(&g, err) : run_job(&g, err)))
        if (g.end.kind != WL_REPORT_END) /* the job did not begin */
            goto out;
    for (int i = 0; i < g.job.nstops; i++)
        if (g.from[i])
            g.from[i]->warned = g.at[i].warned;
    if (record_done(&g, stopped_by_time(&g, until), &not_recorded) && !code)
        code = wlab_fail(err, not_recorded.code, "%s", not_recorded.message);
    if (kind == WL_JOB_GOTO && !code) {
        int64_t n = wlab_run_trace(g.run, &row);
        wlab_trace_row last = row[n - 1];

        last.verdict = wlab_run_verdict(g.run); /* a parameter may have been changed there */
        wlab_session_show_row(s, g.run, &last, "goto");
        report_discarded(&g, from, half, changes);
    } else if (kind != WL_JOB_STEPI && wlab_run_half(g.run) > 0 && g.end.units > 0) {
        show_half(&g);
    }
    if (code == WL_EINTERRUPTED) {
        char where[64] = "";

        if (wlab_run_half(g.run) > 0)
            snprintf(where, sizeof where, " and %lld inner unit%s", (long long)wlab_run_half(g.run),
                     wlab_plural(wlab_run_half(g.run)));
        if (kind == WL_JOB_GOTO)
            code = wlab_fail(err, code, "interrupted on the way back: run %s remains at step %lld",
                             wlab_run_name(g.run), (long long)from);
        else
            code = wlab_fail(err, code,
                             "interrupted: run %s is at step %lld%s; the next step goes on from there",
                             wlab_run_name(g.run), (long long)wlab_run_iter(g.run), where);
        say_stop(&g, "");
    } else if (!code) {
        explain_stop(&g);
    }
out:
    discard(&g);
    return code;
}

wlab_code wlab_session_call(wlab_session *s, wlab_code (*call)(void *data, wlab_ctx *, wlab_err *),
                            void *data, wlab_err *err)
{
    execution g = {.s = s, .job = {.kind = WL_JOB_CALL, .call = call, .data = data}};

    return run_job(&g, err);
}

/* ---- the end ---- */

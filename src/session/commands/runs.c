/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * runs: lists the runs.
 */
#include "session/commands/commands.h"
#include "session/jobs/stepping.h"
#include <math.h>
#include <string.h>

/* Shows the run that the solver's thread is stepping: of it, only what never changes may be read here. */
static void show_running(wlab_session *s, const wlab_run *run)
{
    wlab_session_print(s, "* %-8s %-10s running\n", wlab_run_name(run), wlab_run_algo(run)->name);
    wlab_session_object(s, json_pack("{s:s, s:s, s:s, s:b, s:b}", "type", "run", "run", wlab_run_name(run),
                                     "algo", wlab_run_algo(run)->name, "current", 1, "running", 1));
}

/* "converged, relaxation proven": as the message at the end of the run says, in one column. */
static const char *verdict_of(const wlab_run *run, char *buf, size_t size)
{
    const wlab_trace_row *row;
    const int64_t rows = wlab_run_trace(run, &row);
    const wlab_certified c =
        wlab_metric_certified(wlab_run_algo(run), wlab_run_params(run), row[rows - 1].metric);
    char words[64];

    (void)wlab_verdict_open(wlab_run_verdict(run), &c, words, sizeof words);
    snprintf(buf, size, "%s%s%s%s", wlab_verdict_names[wlab_run_verdict(run)], *words ? " (" : "", words,
             *words ? ")" : "");
    return buf;
}

/* width: of the column of verdicts. */
static void show_run(wlab_session *s, const wlab_run *run, int width)
{
    const wlab_algo *algo = wlab_run_algo(run);
    const wlab_problem *p = wlab_run_problem(run);
    const wlab_trace_row *row;
    int64_t iter = wlab_run_trace(run, &row) - 1;
    const double objective = wlab_metric_value(algo, row[iter].metric, WL_R_OBJECTIVE);
    /* objectives at different temperatures or weights cannot be compared: show the target instead */
    const int target = wlab_metric_of(algo, WL_R_TARGET), compared = wlab_metric_compared(algo);
    const double value = compared < 0 ? (double)NAN : row[iter].metric[compared];
    char verdict[96];
    bool current = run == wlab_session_run(s);
    wlab_buf given = {0};
    json_t *o;
    char number[32] = "-";

    if (!isnan(value))
        snprintf(number, sizeof number, "%.10g", value);
    if (!wlab_params_format(wlab_run_params(run), &given))
        wlab_session_print(
            s, "%s %-8s %-10s step %-5lld %-*s %-9s %-16s %s %s  %s%s\n", current ? "*" : " ",
            wlab_run_name(run), algo->name, (long long)iter, width, verdict_of(run, verdict, sizeof verdict),
            compared < 0 ? "objective" : algo->metrics[compared].name, number, p->data ? p->data->name : "-",
            p->task ? p->task->name : "-", given.data ? (const char *)given.data : "",
            wlab_run_pending(run, NULL) ? " (changed, effective from the next step on)" : "");
    if (s->sink.json && (o = wlab_json_run(run)) != NULL) {
        json_object_set_new(o, "inner", json_integer((json_int_t)wlab_run_inner(run)));
        json_object_set_new(o, "objective", wlab_json_real(objective));
        if (target >= 0)
            json_object_set_new(o, algo->metrics[target].name, wlab_json_real(value));
        json_object_set_new(o, "current", json_boolean(current));
        json_object_set_new(o, "pending", json_boolean(wlab_run_pending(run, NULL)));
        wlab_session_object(s, o);
    }
    wlab_buf_clear(&given);
}

static wlab_code runs(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    wlab_code code = wlab_args_none(args, "runs", err);
    char verdict[96];
    int width = 10;

    if (code)
        return code;
    for (int i = 0; i < s->held.nruns; i++)
        if (!(s->job.running && i == s->held.current_run)) {
            const int own = (int)strlen(verdict_of(s->held.run[i], verdict, sizeof verdict));
            width = own > width ? own : width;
        }
    for (int i = 0; i < s->held.nruns; i++) {
        if (s->job.running && i == s->held.current_run)
            show_running(s, s->held.run[i]);
        else
            show_run(s, s->held.run[i], width);
    }
    if (s->held.nruns == 0)
        wlab_session_print(s, "no runs; `algo %s` starts one, say\n",
                           wlab_algo_advised(wlab_session_problem(s)));
    return WL_OK;
}

const wlab_command wlab_cmd_runs = {
    .name = "runs",
    .usage = "runs",
    .summary = "list the runs",
    .help =
        "Lists the runs of the session, the current one marked with a star: algorithm, steps, verdict "
        "(with how much is open, or \"proven\": `explain proven`), "
        "objective, data, task and settings. For tsvm and mfa it shows J, because their objective changes "
        "with lambda' or the temperature (`explain J`).",
    .flags = WL_C_READS | WL_C_SHARED,
    .execute = runs,
};

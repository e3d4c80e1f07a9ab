/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * info: what there is, in one screen.
 */
#include "session/commands.h"
#include "session/stops.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static void info_data(wlab_session *s, const wlab_slot *slot)
{
    const wlab_dataset *d = slot->data;
    double cells = (double)d->X->rows * (double)d->X->cols;
    wlab_session_print(s, "%s: %lld row%s, %ld column%s, %s, entries that are not 0: %lld (%.3g %%)\n",
                       d->name, (long long)d->X->rows, wlab_plural(d->X->rows), (long)d->X->cols,
                       wlab_plural(d->X->cols), d->X->sparse ? "sparse" : "dense", (long long)d->X->nnz,
                       cells > 0 ? 100 * (double)d->X->nnz / cells : 0.0);
    wlab_session_print(s, "from %s\nsha256 %s\n", d->source ? d->source : "nowhere", d->sha256);
    int64_t unknown = 0;
    for (int64_t i = 0; i < d->X->rows; i++)
        unknown += d->classes == 0 || d->label[i] < 0;
    for (int c = 0; c < d->classes && c < 20; c++) {
        int64_t count = 0;
        for (int64_t i = 0; i < d->X->rows; i++)
            count += d->label[i] == c;
        wlab_session_print(s, "class %s: %lld row%s%s\n", d->class_name[c], (long long)count,
                           wlab_plural(count), d->classes == 2 && c == 1 ? " (the positive one)" : "");
    }
    if (d->classes > 20)
        wlab_session_print(s, "and %d more class%s\n", d->classes - 20, d->classes == 21 ? "" : "es");
    if (unknown)
        wlab_session_print(s, "without a known class: %lld row%s\n", (long long)unknown,
                           wlab_plural(unknown));
    if (d->bag)
        wlab_session_print(s, "%lld bag%s\n", (long long)d->bags, wlab_plural(d->bags));
    if (slot->train)
        wlab_session_print(s, "split: %lld row%s to train, %lld held out\n", (long long)slot->ntrain,
                           wlab_plural(slot->ntrain), (long long)slot->ntest);
    if (d->remark)
        wlab_session_print(s, "%s\n", d->remark);
    if (s->nslots > 1) {
        wlab_session_print(s, "also loaded:");
        for (int i = 0; i < s->nslots; i++)
            if (&s->slot[i] != slot)
                wlab_session_print(s, " %s", s->slot[i].data->name);
        wlab_session_print(s, "\n");
    }
    wlab_session_object(s, wlab_json_data(slot));
}

static void info_run(wlab_session *s, const wlab_run *run)
{
    const wlab_algo *algo = wlab_run_algo(run);
    const wlab_problem *p = wlab_run_problem(run);
    const wlab_trace_row *row;
    int64_t n = wlab_run_trace(run, &row);
    char text[512] = "";

    wlab_session_print(s, "run %s: %s on %s, task %s\n", wlab_run_name(run), algo->name, p->data->name,
                       p->task->name);
    wlab_session_print(s, "after step %lld (%lld inner unit%s), verdict %s%s\n",
                       (long long)wlab_run_iter(run), (long long)wlab_run_inner(run),
                       wlab_plural(wlab_run_inner(run)), wlab_verdict_names[wlab_run_verdict(run)],
                       wlab_run_half(run) ? ", inside a step" : "");
    for (int i = 0; n > 0 && algo->metrics[i].name; i++) {
        char value[32] = "-";
        if (isfinite(row[n - 1].metric[i]))
            wlab_real_text(row[n - 1].metric[i], value);
        wlab_session_print(s, "  %-16s %s%s%s\n", algo->metrics[i].name, value,
                           algo->metrics[i].unit ? " " : "",
                           algo->metrics[i].unit ? algo->metrics[i].unit : "");
    }
    wlab_buf given = {0};
    if (wlab_params_format(wlab_run_params(run), &given) == WL_OK && given.len)
        wlab_session_print(s, "set: %s\n", (const char *)given.data);
    wlab_buf_clear(&given);
    if (algo->next)
        algo->next(wlab_run_state(run), text, sizeof text);
    if (text[0])
        wlab_session_print(s, "next: %s\n", text);
    wlab_session_object(s, wlab_json_run(run));
}

static wlab_code info(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    static const char *const topics[] = {"algo", "break", "data", "run", "task"};
    const char *topic = args->nwords ? args->word[0] : NULL;
    wlab_slot *slot = NULL;
    wlab_run *run = NULL;
    wlab_code code = WL_OK;

    if (args->nsettings || args->nwords > 2 || (args->nwords == 2 && strcmp(topic, "algo") != 0))
        return wlab_fail(err, WL_EARG, "info takes one of data, task, run, algo NAME, break");
    if (!topic) { /* the nearest thing there is */
        topic = wlab_session_run(s) ? "run" : wlab_session_problem(s) ? "task" : "data";
    }
    if (s->running && strcmp(topic, "data") != 0 && strcmp(topic, "algo") != 0)
        return wlab_fail(err, WL_ESTATE, "running: Ctrl-C stops it");
    if (strcmp(topic, "data") == 0) {
        code = wlab_session_need_data(s, &slot, err);
        if (!code)
            info_data(s, slot);
    } else if (strcmp(topic, "task") == 0) {
        code = wlab_session_need_data(s, &slot, err);
        if (code)
            return code;
        if (!slot->problem)
            return wlab_fail(err, WL_ESTATE, "no task is set for %s: `task ssl labeled=10`, say",
                             slot->data->name);
        wlab_session_print_task(s, slot->problem);
        wlab_session_print(s, "%s\n", slot->problem->task->summary);
        double count = slot->problem->labels ? slot->problem->labels->ops->count(slot->problem->labels) : NAN;
        if (isfinite(count))
            wlab_session_print(s, "labelings allowed: %.6g\n", count);
        wlab_session_object(s, wlab_json_task(slot->problem));
    } else if (strcmp(topic, "run") == 0) {
        code = wlab_session_need_run(s, &run, err);
        if (!code)
            info_run(s, run);
    } else if (strcmp(topic, "algo") == 0) {
        const char *name = args->nwords == 2 ? args->word[1] : NULL;
        run = wlab_session_run(s);
        if (!name && !run)
            return wlab_fail(err, WL_EARG, "which algorithm? `info algo wellsvm`, say");
        code = wlab_session_help_algo(s, name ? name : wlab_run_algo(run)->name, err);
    } else if (strcmp(topic, "break") == 0) {
        wlab_stops_show(s, WL_SHOW_BREAKS | WL_SHOW_WATCHES | WL_SHOW_DISPLAYS);
    } else {
        const char *near = wlab_nearest(topic, topics, 5);
        return wlab_fail(err, WL_EARG, "no info on \"%.60s\"; %s%s%s", topic,
                         near ? "did you mean \"" : "there are data, task, run, algo NAME, break",
                         near ? near : "", near ? "\"?" : "");
    }
    return code;
}

const wlab_command wlab_cmd_info = {
    .name = "info",
    .usage = "info [data|task|run|algo NAME|break]",
    .summary = "show what there is",
    .help = "Shows the current data set, task or run, an algorithm with its settings and metrics, or the "
            "breakpoints, "
            "watches and displays. Alone: the run, else the task, else the data.",
    .flags = WL_C_LOOKS,
    .execute = info,
};

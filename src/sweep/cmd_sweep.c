/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The command `sweep`: carry out an experiment.
 */
#include "plot/curve.h"
#include "session/command.h"
#include "session/complete/complete.h"
#include "study/commands/commands.h"
#include "study/table/parts.h"
#include "study/table/table.h"
#include "sweep/sweep.h"
#include <stdio.h>
#include <string.h>

static const wlab_param_info params[] = {
    {.name = "workers",
     .type = WL_P_INT,
     .lo = 1,
     .hi = 256,
     .unit = "processes",
     .meaning =
         "processes that compute, each one cell at a time on one thread; default: as many as the setting "
         "`threads` says; results are the same for any number"},
    {.name = "shard",
     .type = WL_P_TEXT,
     .meaning = "I/N: compute only one of N parts of the sweep, every N-th cell beginning with the I-th, "
                "into a folder "
                "of its own; `merge` joins the folders"},
    {.name = "retry",
     .type = WL_P_BOOL,
     .fallback = "no",
     .meaning = "compute cells that failed before once more"},
    {.name = "anew",
     .type = WL_P_BOOL,
     .fallback = "no",
     .meaning = "write to a folder that holds another experiment's results, and keep these too"},
    {.name = NULL},
};

/* ---- the folder for the results ---- */

static wlab_code read_shard(const char *text, int *shard, int *shards, wlab_err *err)
{
    const char *slash = text ? strchr(text, '/') : NULL;
    char first[16] = "";
    int64_t i = 1, n = 1;

    if (slash && slash - text < (ptrdiff_t)sizeof first) {
        memcpy(first, text, (size_t)(slash - text));
        if (!wlab_parse_int(first, &i) || !wlab_parse_int(slash + 1, &n))
            i = 0;
    } else if (text) {
        i = 0;
    }
    if (i < 1 || i > n || n > 1000000)
        return wlab_fail(err, WL_EARG, "shard= takes I/N with I from 1 to N, such as 2/10, not \"%.60s\"",
                         text);
    *shard = (int)i;
    *shards = (int)n;
    return WL_OK;
}

/* The default name of the results folder: the experiment file's name without its folder and ".wexp", in the folder of
 * --out.  A shard appends "-I-of-N".  If a script runs the sweep, the name is without the folder of --out,
 * because wlab_output_folder adds that. */
static char *default_dir(const wlab_session *s, const char *path, int shard, int shards)
{
    wlab_places places;
    wlab_session_places(s, &places);
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    bool here = wlab_session_origin(s) == WL_FROM_SCRIPT || strcmp(places.out_dir, ".") == 0;
    size_t len = strlen(name);
    char part[48] = "";

    if (len > 5 && strcmp(name + len - 5, ".wexp") == 0)
        len -= 5;
    /* a name of dots only, such as "..", would be this folder or its parent */
    if (strspn(name, ".") >= len)
        name = "results", len = strlen(name);
    if (shards > 1)
        snprintf(part, sizeof part, "-%d-of-%d", shard, shards);
    return wlab_format("%s%s%.*s%s", here ? "" : places.out_dir, here ? "" : "/", (int)len, name, part);
}

static wlab_code results_dir(wlab_session *s, const char *typed, const char *path,
                             const wlab_sweep_options *o, char **dir, wlab_err *err)
{
    char *name = NULL;
    wlab_code code;

    if (typed && !*typed)
        return wlab_fail(err, WL_EARG, "the folder's name is missing: `sweep FILE to DIR`");
    name = typed ? wlab_strdup(typed) : default_dir(s, path, o->shard, o->shards);
    code = name ? wlab_output_folder(s, name, dir, err) : wlab_nomem(err);
    wlab_free(name);
    return code;
}

/* ---- progress and summary ---- */

typedef struct sweeping {
    wlab_session *s;
    wlab_sweep *sweep;
    bool reported_stop;
} sweeping;

static void report_progress(void *self)
{
    sweeping *job = self;
    bool lines = !wlab_session_shows_panels(job->s);
    wlab_finished *all = wlab_sweep_finished(job->sweep);
    wlab_sweep_status now;

    for (const wlab_finished *f = all; f; f = f->next)
        if (wlab_session_sink(job->s)->json)
            wlab_session_object(job->s, json_incref(f->object));
        else if (lines)
            wlab_session_say(job->s, "%s", f->line);
    wlab_finished_free(all);
    wlab_sweep_now(job->sweep, &now);
    if (now.stopping && now.working > 0 && !job->reported_stop && !wlab_hurried(wlab_session_ctx(job->s))) {
        job->reported_stop = true;
        wlab_session_say(job->s, "stopping when the %d running cell%s finished; Ctrl-C again abandons %s",
                         now.working, now.working == 1 ? " has" : "s have", now.working == 1 ? "it" : "them");
    }
}

static void draw_panel(void *self, int rows, int cols, wlab_buf *out)
{
    wlab_sweep_draw(((sweeping *)self)->sweep, rows, cols, out);
}

static wlab_code sweep_it(void *self, wlab_ctx *ctx, wlab_err *err)
{
    return wlab_sweep_run(((sweeping *)self)->sweep, ctx, err);
}

static void summarise(wlab_session *s, const wlab_sweep_status *n, const char *dir)
{
    json_t *o = json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:f}", "type", "sweep", "folder", dir, "total",
                          (json_int_t)n->total, "done", (json_int_t)n->done, "before", (json_int_t)n->before,
                          "failed", (json_int_t)n->failed, "seconds", n->seconds);
    wlab_session_object(s, o);
    if (wlab_session_sink(s)->json)
        return;
    if (n->failed > 0)
        wlab_session_say(s, "%lld cell%s in %s: %lld computed now in %.1f s, %lld before; %lld failed%s",
                         (long long)n->total, wlab_plural(n->total), dir, (long long)n->done, n->seconds,
                         (long long)n->before, (long long)n->failed,
                         n->done ? "" : " (`sweep ... retry=yes` tries these again)");
    else
        wlab_session_say(s, "%lld cell%s in %s: %lld computed now in %.1f s, %lld before",
                         (long long)n->total, wlab_plural(n->total), dir, (long long)n->done, n->seconds,
                         (long long)n->before);
}

/* Print the tables that the experiment requests. */
static wlab_code print_tables(wlab_session *s, const wlab_store *store, wlab_err *err)
{
    wlab_params *options = NULL;
    wlab_buf text = {0}, skipped = {0};
    json_t *o = NULL;
    wlab_code code = wlab_params_create(&options, wlab_table_params, err);

    if (!code && wlab_session_sink(s)->json)
        code = wlab_table_json(store, options, &o, &skipped, err);
    else if (!code)
        code = wlab_table_write(store, options, &text, &skipped, err);
    if (!code && o)
        wlab_session_object(s, o);
    else if (!code && text.data)
        wlab_session_print(s, "%s", (const char *)text.data);
    if (!code)
        wlab_table_warn_skipped(s, &skipped);
    wlab_buf_clear(&skipped);
    wlab_buf_clear(&text);
    wlab_params_destroy(options);
    return code;
}

/* Draw the curves that the experiment requests.  A curve that cannot be drawn (no gnuplot) gives a warning; the sweep
 * does not fail. */
static void draw_curves(wlab_session *s, const wlab_store *store, const wlab_experiment *e, const char *dir)
{
    /* write with a person's rights even in a script: results_dir has checked the folder, and the names of curves
     * contain no folders */
    const wlab_origin origin = wlab_session_write_as(s, WL_FROM_PERSON);

    for (int i = 0; i < e->nreports; i++) {
        wlab_err err = {0};
        if (e->report[i].curve && wlab_curve_report(s, store, e->report[i].rest, dir, &err))
            wlab_session_say(s, "warning: curve %s: %s", e->report[i].rest, err.message);
    }
    (void)wlab_session_write_as(s, origin);
}

/* ---- failures ---- */

static wlab_code first_error(void *self, const wlab_result *r, wlab_err *err)
{
    char **first = self;

    if (r->error && !*first && !(*first = wlab_strdup(r->error)))
        return wlab_nomem(err);
    return WL_OK;
}

/* If every cell failed, the experiment itself is wrong, so the sweep fails with the first error. */
static wlab_code all_failed(const wlab_sweep *sweep, const wlab_sweep_status *n, wlab_err *err)
{
    char *first = NULL;
    wlab_code code = WL_OK;

    if (n->total == 0 || n->failed < n->total)
        return WL_OK;
    code = wlab_store_each(wlab_sweep_store(sweep), first_error, &first, err);
    if (!code)
        code = wlab_fail(err, WL_ESTATE, "%s %lld cell%s failed: %s", n->total == 1 ? "the" : "all",
                         (long long)n->total, wlab_plural(n->total), first ? first : "unknown error");
    wlab_free(first);
    return code;
}

/* ---- the command ---- */

static wlab_code sweep(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    bool to = args->nwords == 3 && strcmp(args->word[1], "to") == 0;
    wlab_sweep_options o = {.retry = wlab_params_bool(args->params, "retry"),
                            .anew = wlab_params_bool(args->params, "anew"),
                            .workers = wlab_session_attached(s, "workers")};
    wlab_places places;
    wlab_experiment *e = NULL;
    sweeping job = {.s = s};
    wlab_progress_panel panel = {"sweep", draw_panel, report_progress, &job};
    wlab_sweep_status now;
    char *path = NULL, *dir = NULL;
    wlab_code code;

    if (args->nwords != 1 && !to)
        return wlab_fail(err, WL_EARG,
                         "sweep takes an experiment file: `sweep FILE [to DIR] [key=value...]`");
    wlab_session_places(s, &places);
    o.processes = (int)(wlab_params_given(args->params, "workers")
                            ? wlab_params_int(args->params, "workers")
                            : wlab_params_int(wlab_session_settings(s), "threads"));
    code = read_shard(wlab_params_text(args->params, "shard"), &o.shard, &o.shards, err);
    code = code ? code : wlab_session_find_experiment(s, args->word[0], &path, err);
    code = code ? code : wlab_experiment_read(&e, path, err);
    code = code ? code : results_dir(s, to ? args->word[2] : NULL, path, &o, &dir, err);
    o.dir = dir;
    code = code ? code : wlab_sweep_create(&job.sweep, e, &o, &places, err);
    if (!code) {
        wlab_session_show_panel(s, &panel);
        code = wlab_session_call(s, sweep_it, &job, err);
        report_progress(&job);
        wlab_session_show_panel(s, NULL);
    }
    if (job.sweep && wlab_sweep_store(job.sweep)) {
        wlab_code kept = wlab_results_keep(s, dir, code ? NULL : err);
        wlab_sweep_now(job.sweep, &now);
        if (!code || (code == WL_EINTERRUPTED && wlab_session_sink(s)->json))
            summarise(s, &now, dir);
        code = code ? code : kept;
        if (!code && o.shards == 1)
            code = print_tables(s, wlab_sweep_store(job.sweep), err);
        if (!code && o.shards == 1)
            draw_curves(s, wlab_sweep_store(job.sweep), e, dir);
        else if (!code)
            wlab_session_say(s, "`merge` joins the shards when all are complete");
        if (!code)
            code = all_failed(job.sweep, &now, err);
    }
    wlab_sweep_destroy(job.sweep);
    wlab_experiment_free(e);
    wlab_free(path);
    wlab_free(dir);
    return code;
}

static void offer(wlab_offers *o, const wlab_session *s)
{
    int n = o->typed->nwords;

    if (n == 0)
        wlab_offers_files(o, s, WL_FILES_ANY, "");
    if (n == 1)
        wlab_offers_add(o, "to", NULL, "the folder for the results follows", 0);
    if (n == 2)
        wlab_offers_files(o, s, WL_FILES_ANY, "");
    o->no_settings = n == 0 || n == 2;
}

static const wlab_command wlab_cmd_sweep = {
    .name = "sweep",
    .usage = "sweep FILE [to DIR] [key=value...]",
    .summary = "carry out an experiment",
    .help =
        "Computes the experiment that FILE describes (`man 5 weaklab-experiment`). An experiment consists "
        "of cells. A cell is one method on one data set, with one combination of the values in braces and "
        "one seed; if the split is into folds, also with one fold. sweep computes those cells that are not "
        "in the results folder yet, several at once, each in a process of its own. Then it shows the "
        "tables that FILE requests. The results folder, DIR, is created if it is missing; without `to` it "
        "has the name of FILE, without .wexp, and is in the folder of --out. Whatever ends the sweep, at "
        "most the cells that are being computed are lost, and the same command computes the rest. If a "
        "cell fails, the error is stored as its result. After Ctrl-C the sweep completes the cells that "
        "are being computed and stops; a second Ctrl-C abandons them. SIGTERM, SIGHUP or a closed terminal "
        "abandons them at once.",
    .params = params,
    .flags = WL_C_SHOWS | WL_C_FILES | WL_C_SHARED,
    .execute = sweep,
    .offer = offer,
};

wlab_code wlab_sweep_use_workers(wlab_session *s, wlab_workers *workers, wlab_err *err)
{
    return wlab_session_attach(s, "workers", workers, NULL, err);
}

wlab_code wlab_sweep_register(wlab_session *s, wlab_err *err)
{
    static const wlab_command *const commands[] = {&wlab_cmd_sweep, NULL};
    return wlab_session_add_commands(s, commands, err);
}

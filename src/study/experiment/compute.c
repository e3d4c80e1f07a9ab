/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Computing a cell: a session of its own executes the lines that a person would type; of its output only the scores of
 * `eval` are kept.
 */
#include "base/clock.h"
#include "base/list.h"
#include "session/command.h"
#include "study/experiment/result.h"
#include <stdio.h>
#include <string.h>

typedef struct computing {
    const wlab_experiment *e;
    const wlab_cell *cell;
    wlab_session *s;
    wlab_result *r;
    wlab_err *err;
    /* The numbers of `eval`: those of the rows that it scores first under their own names, those of other rows with the
     * rows in front, as unlabeled_accuracy. */
    json_t *evaluated;
    char first[16]; /* the rows that are scored first */
    int algo;       /* index of the algorithm's line in the journal; 0: not executed yet */
    char *remark;   /* a comment to be written before that line */
    bool failed;    /* memory ran out in the sink */
    bool changed;   /* the data are not those that were checked */
} computing;

/* ---- scores ---- */

static void add_eval_scores(void *self, const json_t *object)
{
    computing *c = self;
    const char *type = json_string_value(json_object_get(object, "type")), *name;
    const char *rows = json_string_value(json_object_get(object, "set"));
    json_t *value;

    if (!type || strcmp(type, "eval") != 0 || !rows)
        return;
    if (!c->first[0])
        snprintf(c->first, sizeof c->first, "%s", rows);
    bool other = strcmp(rows, c->first) != 0;
    json_object_foreach((json_t *)(uintptr_t)object, name, value)
    {
        if ((!json_is_number(value) && !json_is_null(value)) || strcmp(name, "iter") == 0)
            continue;
        char *full = other ? wlab_format("%s_%s", rows, name) : wlab_strdup(name);
        c->failed = !full || json_object_set_new(c->evaluated, full, json_copy(value)) != 0 || c->failed;
        wlab_free(full);
    }
}

static wlab_code copy_scores(computing *c)
{
    const wlab_run *run = wlab_session_run(c->s);
    const wlab_metric_info *info = wlab_run_algo(run)->metrics;
    const wlab_trace_row *row;
    int64_t n = wlab_run_trace(run, &row);
    json_t *step = wlab_json_step(run, &row[n - 1]), *metrics = json_object_get(step, "metrics");
    bool failed = !step || c->failed;

    c->r->scores = json_object();
    for (int i = 0; !failed && info[i].name; i++)
        if (!(info[i].flags & WL_M_VOLATILE))
            failed = json_object_set(c->r->scores, info[i].name, json_object_get(metrics, info[i].name)) != 0;
    failed = failed || json_object_update(c->r->scores, c->evaluated) != 0;
    json_decref(step);
    return failed ? wlab_nomem(c->err) : WL_OK;
}

/* ---- steps of a cell ---- */

static wlab_code run_line(computing *c, const char *line)
{
    int recorded, now;
    (void)wlab_session_journal(c->s, &recorded);
    wlab_code code = wlab_session_line(c->s, line, WL_FROM_SCRIPT, NULL, 0, c->err);

    /* if memory is short a session continues without its record, but a result needs it */
    (void)wlab_session_journal(c->s, &now);
    return code != WL_EINTERRUPTED && now == recorded ? wlab_nomem(c->err) : code;
}

static wlab_code run_lines(computing *c, wlab_code (*make)(const wlab_experiment *, const wlab_cell *,
                                                           char ***, int *, wlab_err *))
{
    char **line = NULL;
    int n = 0;
    double begun = wlab_seconds_now();
    wlab_code code = make(c->e, c->cell, &line, &n, c->err);

    for (int i = 0; !code && i < n; i++) {
        if (wlab_interrupted(wlab_session_ctx(c->s))) {
            code = wlab_fail(c->err, WL_EINTERRUPTED, "interrupted");
            break;
        }
        code = run_line(c, line[i]);
        if (c->algo && strncmp(line[i], "eval", 4) != 0)
            c->r->seconds += wlab_seconds_now() - begun; /* only the run */
        begun = wlab_seconds_now();
    }
    wlab_list_free(line, n);
    return code;
}

static json_t *tuning_json(const wlab_tuned *t, const wlab_candidate *candidate)
{
    json_t *list = json_array();
    int bad = !list;

    for (int i = 0; !bad && i < t->candidates; i++)
        bad = json_array_append_new(list,
                                    json_pack("{s:o, s:o}", "parameters", wlab_json_text(candidate[i].text),
                                              "score", wlab_json_real(t->score[i])));
    if (bad) {
        json_decref(list);
        return NULL;
    }
    return json_pack("{s:s, s:i, s:I, s:b, s:b, s:i, s:o, s:o}", "by", t->by, "folds", t->folds, "scored",
                     (json_int_t)t->scored, "oracle", t->oracle, "lower", t->lower, "best", t->best,
                     "candidates", list, "failure", t->failure ? wlab_json_text(t->failure) : json_null());
}

/* The settings of `tune`, with the cell's seed if the experiment gives none. */
static wlab_code tune_options(const computing *c, wlab_params **options)
{
    char seed[32];
    wlab_code code = c->e->tune ? wlab_params_copy(options, c->e->tune, c->err)
                                : wlab_params_create(options, wlab_tune_params, c->err);

    snprintf(seed, sizeof seed, "%lld", (long long)c->cell->seed);
    if (!code && !wlab_params_given(*options, "seed"))
        code = wlab_params_set(*options, "seed", seed, c->err);
    return code;
}

static wlab_code format_remark(computing *c, const wlab_params *options, const wlab_tuned *t)
{
    wlab_buf given = {0};
    char score[32];
    wlab_code code = wlab_params_format(options, &given);

    if (!code)
        c->remark = wlab_format("# chosen by `tune %s`: %s %s, the best of %d%s",
                                given.data ? (const char *)given.data : "", t->by,
                                wlab_real_text(t->score[t->best], score), t->candidates,
                                t->oracle ? ", with true labels (an oracle)" : "");
    wlab_buf_clear(&given);
    return c->remark ? WL_OK : wlab_nomem(c->err);
}

/* Tune: *best is the index of the best candidate. */
static wlab_code choose_candidate(computing *c, wlab_candidate *candidate, int n, int *best)
{
    wlab_params *options = NULL;
    wlab_tuned tuned = {0};
    double begun = wlab_seconds_now();
    wlab_code code = tune_options(c, &options);

    for (int i = 0; !code && i < n; i++)
        code = wlab_session_resolve(c->s, candidate[i].params, false, c->err);
    if (!code)
        code = wlab_tune(&tuned, wlab_session_problem(c->s), candidate, n, options, c->e->until,
                         wlab_session_ctx(c->s), c->err);
    c->r->tuning_seconds = wlab_seconds_now() - begun;
    if (!code) {
        *best = tuned.best;
        c->r->tuning = tuning_json(&tuned, candidate);
        code = c->r->tuning ? format_remark(c, options, &tuned) : wlab_nomem(c->err);
        wlab_tuned_clear(&tuned);
    }
    wlab_params_destroy(options);
    return code;
}

static wlab_code start_run(computing *c)
{
    wlab_candidate *candidate = NULL;
    int n = 0, best = 0;
    char *line = NULL;
    wlab_code code = wlab_cell_candidates(c->e, c->cell, &candidate, &n, c->err);

    if (!code && n > 1)
        code = choose_candidate(c, candidate, n, &best);
    if (!code) {
        c->r->parameters = wlab_strdup(candidate[best].text);
        line = wlab_format("algo %s", candidate[best].text);
        code = c->r->parameters && line ? WL_OK : wlab_nomem(c->err);
    }
    if (!code) {
        double begun = wlab_seconds_now();
        (void)wlab_session_journal(c->s, &c->algo);
        code = run_line(c, line);
        c->r->seconds = wlab_seconds_now() - begun;
    }
    wlab_free(line);
    wlab_candidates_free(candidate, n);
    return code;
}

/* ---- the result ---- */

static wlab_code copy_session(computing *c)
{
    wlab_buf text = {0};
    int n;
    char *const *line = wlab_session_journal(c->s, &n);
    wlab_code code = wlab_record_header(c->s, &text);

    for (int i = 0; !code && i <= n; i++) {
        if (i == c->algo && c->remark)
            code = wlab_buf_printf(&text, "\n%s", c->remark);
        if (!code && i < n)
            code = wlab_buf_printf(&text, "\n%s", line[i]);
    }
    code = code ? code : wlab_buf_printf(&text, "\n");
    c->r->session = code ? NULL : wlab_strdup((const char *)text.data);
    wlab_buf_clear(&text);
    return c->r->session ? WL_OK : wlab_nomem(c->err);
}

static wlab_code copy_run(computing *c)
{
    const wlab_run *run = wlab_session_run(c->s);
    wlab_digest digest;
    wlab_buf text = {0};
    wlab_code code = copy_scores(c);

    if (code)
        return code;
    wlab_run_digest(run, &digest);
    code = wlab_digest_format(&digest, &text);
    c->r->digest = code ? NULL : wlab_strdup((const char *)text.data);
    c->r->verdict = wlab_strdup(wlab_verdict_names[wlab_run_verdict(run)]);
    c->r->iter = wlab_run_iter(run);
    wlab_buf_clear(&text);
    return c->r->digest && c->r->verdict ? WL_OK : wlab_nomem(c->err);
}

/* The cell's key contains the sum of the checked data: a result of other data must not be stored under it. */
static wlab_code check_same_data(computing *c)
{
    const wlab_exp_data *d = &c->e->data[c->cell->data];
    const wlab_dataset *data = d->file[0] ? wlab_session_find_data(c->s, d->name) : NULL;

    c->changed = data && strcmp(data->sha256, d->file) != 0;
    return c->changed
               ? wlab_fail(c->err, WL_EINPUT,
                           "the data %.60s changed during the sweep: start it again; the results of other "
                           "data are kept",
                           d->name)
               : WL_OK;
}

/* The error of a command as "FILE:LINE: what". */
static char *error_text(const wlab_err *err)
{
    if (!err->file[0])
        return wlab_strdup(err->message);
    if (err->line > 0)
        return wlab_format("%s:%ld: %s", err->file, err->line, err->message);
    return wlab_format("%s: %s", err->file, err->message);
}

wlab_code wlab_result_compute(wlab_result *out, const wlab_experiment *e, const wlab_cell *cell,
                              const wlab_places *places, wlab_ctx *ctx, wlab_err *err)
{
    wlab_err own = {0};
    wlab_result r = {.number = cell->number};
    computing c = {.e = e, .cell = cell, .r = &r, .err = err ? err : &own, .evaluated = json_object()};
    wlab_sink sink = {.object = add_eval_scores, .json = true, .self = &c};
    wlab_code code = c.evaluated ? WL_OK : wlab_nomem(c.err);

    memcpy(r.key, cell->key, sizeof r.key);
    r.version = wlab_strdup(WLAB_VERSION);
    r.build = wlab_strdup(places->build ? places->build() : "unknown");
    if (!code && (!r.version || !r.build))
        code = wlab_nomem(c.err);
    code = code ? code : wlab_session_create(&c.s, &sink, places, 1, (uint64_t)cell->seed, c.err);
    if (!code) {
        if (ctx && ctx->interrupt)
            wlab_session_ctx(c.s)->interrupt = ctx->interrupt;
        code = wlab_session_set(c.s, "history", "1", c.err); /* no snapshots: nobody steps back */
    }
    code = code ? code : run_lines(&c, wlab_cell_before);
    if (c.s && code != WL_ENOMEM && code != WL_EINTERRUPTED && check_same_data(&c))
        code = WL_EINPUT;
    code = code ? code : start_run(&c);
    code = code ? code : run_lines(&c, wlab_cell_after);
    code = code ? code : copy_run(&c);
    if (code && code != WL_ENOMEM && code != WL_EINTERRUPTED && !c.changed) {
        r.error = error_text(c.err);
        code = r.error ? WL_OK : wlab_nomem(c.err);
    }
    code = code ? code : copy_session(&c);
    json_decref(c.evaluated);
    wlab_free(c.remark);
    wlab_session_destroy(c.s);
    if (code)
        wlab_result_clear(&r);
    else
        *out = r;
    return code;
}

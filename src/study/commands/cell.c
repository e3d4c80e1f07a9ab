/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The command `cell`: one result of a sweep as text, and the session that computed it.
 */
#include "session/command.h"
#include "session/complete/complete.h"
#include "study/commands/commands.h"
#include "study/store/store.h"
#include <math.h>
#include <string.h>

enum {
    SHOWN = 10 /* candidates */
};

typedef struct request {
    int64_t number;         /* 0: all */
    const char *dir, *file; /* file: or NULL */
    const char *scores;     /* of all cells; NULL: every score */
} request;

static wlab_code read_words(const wlab_session *s, const wlab_args *args, request *a, wlab_err *err)
{
    *a = (request){.dir = wlab_results_kept(s), .scores = wlab_params_text(args->params, "scores")};
    const bool all = args->nwords > 0 && strcmp(args->word[0], "all") == 0;
    if (!all && (args->nwords == 0 || !wlab_parse_int(args->word[0], &a->number)))
        return wlab_fail(err, WL_EARG,
                         "cell takes a number: `cell 3 of DIR`, or `cell 3 of DIR to FILE.wlab`; `cell all "
                         "of DIR to FILE.cells` writes all results");
    if (!all && a->number == 0)
        return wlab_fail(err, WL_EARG, "there is no cell 0: cells are numbered from 1");
    for (int i = 1; i < args->nwords; i += 2) {
        bool of = strcmp(args->word[i], "of") == 0, to = strcmp(args->word[i], "to") == 0;
        if (!of && !to)
            return wlab_args_stray(args, i, err);
        if (i + 1 == args->nwords)
            return wlab_fail(err, WL_EARG,
                             of ? "a folder must follow `of`: `cell 3 of DIR`"
                                : "a file must follow `to`: `cell 3 to FILE.wlab`");
        *(of ? &a->dir : &a->file) = args->word[i + 1];
    }
    if (all && !a->file)
        return wlab_fail(err, WL_EARG, "`cell all` writes a file: `cell all of DIR to FILE.cells`");
    if (!all && a->scores)
        return wlab_fail(err, WL_EARG, "scores= is for `cell all of DIR to FILE.cells`");
    if (!a->dir)
        return wlab_fail(err, WL_EARG,
                         "cell takes the folder that a sweep wrote its results to: `cell %lld of DIR`",
                         (long long)a->number);
    return WL_OK;
}

/* ---- as text ---- */

static const char *verdict_words(const char *verdict)
{
    return strcmp(verdict, "limit") == 0  ? "stopped at its limit"
           : strcmp(verdict, "more") == 0 ? "stopped"
                                          : verdict;
}

/* The indices of the best candidates, best first, those without a score last; of equally good ones, the first of the
 * list comes first.  Returns how many there are, at most SHOWN. */
static int best_candidates(const json_t *tuning, size_t shown[SHOWN])
{
    const json_t *list = json_object_get(tuning, "candidates");
    double sign = json_is_true(json_object_get(tuning, "lower")) ? -1 : 1, score[SHOWN];
    int n = 0;

    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *value = json_object_get(json_array_get(list, i), "score");
        double x = json_is_number(value) ? sign * json_number_value(value) : (double)-INFINITY;
        int at = n;
        while (at > 0 && score[at - 1] < x)
            at--;
        if (at == SHOWN)
            continue;
        n += n < SHOWN;
        for (int k = n - 1; k > at; k--) {
            shown[k] = shown[k - 1];
            score[k] = score[k - 1];
        }
        shown[at] = i;
        score[at] = x;
    }
    return n;
}

static void print_tuning(wlab_session *s, const wlab_result *r)
{
    const json_t *list = json_object_get(r->tuning, "candidates");
    const char *by = json_string_value(json_object_get(r->tuning, "by"));
    const char *why = json_string_value(json_object_get(r->tuning, "failure"));
    size_t shown[SHOWN], candidates = json_array_size(list);
    int n = best_candidates(r->tuning, shown);

    by = by ? by : "score";
    if (json_is_true(json_object_get(r->tuning, "oracle")))
        wlab_session_print(s,
                           "  chosen from %zu candidates with true labels (an oracle's choice), in %.3g s:\n",
                           candidates, r->tuning_seconds);
    else
        wlab_session_print(s, "  chosen from %zu candidates in %lld folds, in %.3g s:\n", candidates,
                           (long long)json_integer_value(json_object_get(r->tuning, "folds")),
                           r->tuning_seconds);
    int width = strlen(by) < 8 ? 8 : (int)strlen(by);
    wlab_session_print(s, "    %*s  candidate\n", width, by);
    for (int i = 0; i < n; i++) {
        const json_t *c = json_array_get(list, shown[i]), *score = json_object_get(c, "score");
        const char *text = json_string_value(json_object_get(c, "parameters"));
        bool chosen = text && r->parameters && strcmp(text, r->parameters) == 0;
        if (json_is_number(score))
            wlab_session_print(s, "  %s %*.4f  %s\n", chosen ? "*" : " ", width, json_number_value(score),
                               text ? text : "");
        else
            wlab_session_print(s, "    %*s  %s\n", width, "-", text ? text : "");
    }
    if (candidates > (size_t)n)
        wlab_session_print(s, "    %*s  and %zu more\n", width, "", candidates - (size_t)n);
    if (why)
        wlab_session_print(s, "    some could not be trained; the first: %s\n", why);
}

static void print_scores(wlab_session *s, const wlab_result *r)
{
    wlab_buf text = {0}, page = {0};
    const char *name;
    json_t *value;

    json_object_foreach(r->scores, name, value)
    {
        (void)wlab_buf_printf(&text, "%s%s ", text.len ? ", " : "", name);
        if (json_is_integer(value))
            (void)wlab_buf_printf(&text, "%lld", (long long)json_integer_value(value));
        else if (json_is_real(value))
            (void)wlab_buf_printf(&text, "%.6g", json_real_value(value));
        else
            (void)wlab_buf_printf(&text, "-");
    }
    wlab_help_item(&page, 10, "scores", text.data ? (const char *)text.data : "none");
    wlab_session_print(s, "%s", page.data ? (const char *)page.data : "");
    wlab_buf_clear(&text);
    wlab_buf_clear(&page);
}

static void print_words(wlab_session *s, const request *a, const char *title, bool found,
                        const wlab_result *r)
{
    wlab_session_print(s, "cell %lld of %s: %s\n", (long long)a->number, a->dir, title);
    if (!found) {
        wlab_session_print(s, "  not computed yet: the sweep has not reached it, or was stopped before\n");
        return;
    }
    if (r->parameters)
        wlab_session_print(s, "  algo %s\n", r->parameters);
    if (r->error)
        wlab_session_print(s, "  failed: %s\n", r->error);
    else
        wlab_session_print(s, "  %s after %lld step%s, in %.3g s\n", verdict_words(r->verdict),
                           (long long)r->iter, wlab_plural(r->iter), r->seconds);
    if (json_object_get(r->tuning, "candidates"))
        print_tuning(s, r);
    if (!r->error)
        print_scores(s, r);
    wlab_session_print(s, "  computed by weaklab %s, build %s\n", r->version ? r->version : "-",
                       r->build ? r->build : "-");
    if (r->error)
        wlab_session_print(
            s,
            "  `weaklab sweep FILE --out %s --retry` tries it again (at the prompt: `sweep FILE to %s "
            "retry=yes`)\n",
            a->dir, a->dir);
    else if (r->session)
        wlab_session_print(
            s,
            "  To step through it: `cell %lld of %s to cell%lld.wlab`, `new`, `replay cell%lld.wlab`, "
            "then `goto 0` and `step`\n",
            (long long)a->number, a->dir, (long long)a->number, (long long)a->number);
}

/* ---- as an object ---- */

static json_t *cell_json(const request *a, const wlab_experiment *e, bool found, const wlab_result *r)
{
    const wlab_cell *c = &e->cell[a->number - 1];
    json_t *o = json_pack("{s:s, s:I, s:o, s:s, s:o, s:o, s:o, s:I, s:o, s:s}", "type", "cell", "number",
                          (json_int_t)a->number, "dir", wlab_json_text(a->dir), "status",
                          !found     ? "missing"
                          : r->error ? "failed"
                                     : "done",
                          "data", wlab_json_text(e->data[c->data].name), "setting",
                          wlab_json_text(e->setting[c->setting].name), "method",
                          wlab_json_text(e->method[c->method].name), "seed", (json_int_t)c->seed, "fold",
                          c->fold ? json_integer(c->fold) : json_null(), "key", c->key);
    json_t *whole = found && o ? wlab_result_json(r) : NULL;

    if (whole) {
        (void)json_object_del(whole, "session"); /* `to FILE` writes it */
        (void)json_object_update_missing(o, whole);
        json_decref(whole);
    }
    return o;
}

/* ---- the session ---- */

static wlab_code write_session(wlab_session *s, const request *a, bool found, const wlab_result *r,
                               wlab_err *err)
{
    static const char *const allowed[] = {"wlab", NULL};
    wlab_output *file = NULL;
    char *path = NULL;
    wlab_code code;

    if (!found || !r->session)
        return wlab_fail(err, WL_ESTATE,
                         found ? "cell %lld of '%.300s' has no session: a file of cells has only the scores, "
                                 "and so have results that were merged from one; `sweep` in a new folder "
                                 "computes the cell with its session"
                               : "cell %lld of '%.300s' is not computed yet, so it has no session",
                         (long long)a->number, a->dir);
    code = wlab_output_open(&file, s, a->file, allowed, err);
    if (code)
        return code;
    code = wlab_output_write(file, r->session, strlen(r->session), err);
    if (!code && !(path = wlab_strdup(wlab_output_path(file))))
        code = wlab_nomem(err);
    if (code)
        (void)wlab_output_close(file, false, NULL);
    else
        code = wlab_output_close(file, true, err);
    if (!code && wlab_session_sink(s)->json)
        wlab_session_object(s, json_pack("{s:s, s:I, s:o}", "type", "cell", "number", (json_int_t)a->number,
                                         "file", wlab_json_text(path)));
    else if (!code && r->error)
        wlab_session_say(s, "cell %lld, which failed, written to %s; `new` and `replay %s` show where",
                         (long long)a->number, path, path);
    else if (!code)
        wlab_session_say(s,
                         "cell %lld written to %s; `new` and `replay %s` compute it again (with --check, and "
                         "compare every "
                         "digit), then `goto 0` and `step` show its steps",
                         (long long)a->number, path, path);
    wlab_free(path);
    return code;
}

/* ---- all cells ---- */

static wlab_code write_all(wlab_session *s, const wlab_store *store, const request *a, wlab_err *err)
{
    static const char *const allowed[] = {"cells", NULL};
    wlab_output *file = NULL;
    wlab_buf text = {0};
    int64_t cells = 0, done = 0, failed = 0;
    wlab_code code = wlab_store_count(store, &cells, &done, &failed, err);

    code = code ? code : wlab_archive_write(store, a->scores, &text, err);
    code = code ? code : wlab_output_open(&file, s, a->file, allowed, err);
    code = code ? code : wlab_output_write(file, text.data, text.len, err);
    char *path = code ? NULL : wlab_strdup(wlab_output_path(file));
    if (!code && !path)
        code = wlab_nomem(err);
    if (file && code)
        (void)wlab_output_close(file, false, NULL);
    else if (file)
        code = wlab_output_close(file, true, err);
    if (!code && wlab_session_sink(s)->json)
        wlab_session_object(s, json_pack("{s:s, s:I, s:o}", "type", "cells", "cells",
                                         (json_int_t)(done + failed), "file", wlab_json_text(path)));
    else if (!code)
        wlab_session_say(s, "%lld of %lld cells written to %s; `table %s` and `curve ... of %s` read them",
                         (long long)(done + failed), (long long)cells, path, path, path);
    wlab_free(path);
    wlab_buf_clear(&text);
    return code;
}

static wlab_code cell(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    request a;
    wlab_store *store = NULL;
    wlab_experiment *e = NULL;
    wlab_result r = {0};
    wlab_buf title = {0};
    bool found = false;
    char *dir = NULL;
    wlab_code code = read_words(s, args, &a, err);

    if (!code && a.dir != wlab_results_kept(s)) {
        code = wlab_session_find_results(s, a.dir, &dir, err);
        a.dir = dir;
    }
    code = code ? code : wlab_store_open(&store, a.dir, false, wlab_session_ctx(s), err);
    if (!code && a.number > 0)
        code = wlab_store_get(store, a.number, &found, &r, err);
    if (!code && a.number == 0) {
        code = write_all(s, store, &a, err);
    } else if (!code && a.file) {
        code = write_session(s, &a, found, &r, err);
    } else if (!code) {
        code = wlab_store_experiment(store, &e, err);
        if (!code && wlab_cell_title(e, &e->cell[a.number - 1], &title))
            code = wlab_nomem(err);
        if (!code && wlab_session_sink(s)->json)
            wlab_session_object(s, cell_json(&a, e, found, &r));
        else if (!code)
            print_words(s, &a, (const char *)title.data, found, &r);
    }
    if (!code && dir)
        code = wlab_results_keep(s, dir, err);
    wlab_free(dir);
    wlab_buf_clear(&title);
    wlab_result_clear(&r);
    wlab_experiment_free(e);
    wlab_store_close(store);
    return code;
}

static void offer(wlab_offers *o, const wlab_session *s)
{
    int n = o->typed->nwords;
    const char *last = n > 0 ? o->typed->word[n - 1] : "";
    bool of = false, to = false;

    for (int i = 1; i < n; i += 2) {
        of = of || strcmp(o->typed->word[i], "of") == 0;
        to = to || strcmp(o->typed->word[i], "to") == 0;
    }
    if (n > 1 && n % 2 == 0 && (strcmp(last, "of") == 0 || strcmp(last, "to") == 0)) {
        wlab_offers_files(o, s, WL_FILES_ANY, "");
        return;
    }
    if (n == 0)
        wlab_offers_add(o, "all", NULL, "all results, as a text file", 0);
    o->no_settings = o->no_settings || n == 0 || strcmp(o->typed->word[0], "all") != 0;
    if (n % 2 == 0)
        return;
    if (!of)
        wlab_offers_add(o, "of", NULL, "the folder that a sweep wrote its results to follows", 0);
    if (!to)
        wlab_offers_add(o, "to", NULL, "the session file that is written follows", 0);
}

static const wlab_param_info params[] = {
    {.name = "scores",
     .type = WL_P_TEXT,
     .meaning = "A,B,...: with `cell all` only these scores; the default is every score and metric"},
    {0},
};

const wlab_command wlab_cmd_cell = {
    .name = "cell",
    .usage = "cell N [of DIR] [to FILE.wlab] | cell all [of DIR] to FILE.cells [scores=A,B]",
    .summary = "show one result of a sweep, or write the session that computes it",
    .help =
        "Shows cell N of the results in DIR: data set, setting, method, seed, the algorithm with its "
        "parameters, scores and times, and the best candidates if `tune` chose the parameters. The default "
        "of DIR is the folder of the last sweep, merge, table or cell. `to FILE.wlab` writes the session "
        "that computes the cell. `replay FILE.wlab` executes it in this program, so that you can step "
        "through it, plot it and change it; `weaklab replay --check FILE.wlab` checks that it gives the "
        "same result again.\n"
        "\n"
        "`cell all` writes the scores of all cells to a text file, one line per cell, with tabs between "
        "the columns, for version control and for other programs (in R, read.delim with comment.char = "
        "\"#\"). `table` and `curve` read such a file in place of a folder, and `merge` puts it into a "
        "folder in which a sweep continues. The file has no sessions and no candidates of `tune`.\n"
        "  cell 12 of results\n"
        "  cell 12 to cell12.wlab; new; replay cell12.wlab; goto 0; step\n"
        "  cell all of results to results.cells scores=accuracy,auc; table results.cells",
    .params = params,
    .flags = WL_C_READS | WL_C_FILES | WL_C_SHARED,
    .execute = cell,
    .offer = offer,
};

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The command `tune`: choose an algorithm and its parameters by cross-validation, and start the best as a run.
 */
#include "weaklab/tune.h"
#include "lang/phrase.h"
#include "model/kernel.h"
#include "session/command.h"
#include "session/complete/complete.h"
#include "study/commands/commands.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHOWN = 10 /* rows of a long list */
};

typedef struct tuning {
    wlab_problem *problem;
    wlab_candidate *list;
    int n;
    wlab_params *options;
    wlab_tuned tuned;
} tuning;

/* ---- the line ---- */

/* Add the candidates of one alternative, text[from .. to-1]: "wellsvm C2={0.1,1}". */
static wlab_code add_alternative(tuning *t, const char *text, size_t from, size_t to, wlab_err *err)
{
    char *part = wlab_strndup(text + from, to - from);
    wlab_code code = part ? wlab_candidates_add(&t->list, &t->n, part, err) : wlab_nomem(err);

    if (code == WL_EINPUT && err && err->column > 0 && err->column <= (long)(to - from)) {
        const char *at = part + err->column - 1;
        int end = (int)strcspn(at, " \t");

        while (at > part && at[-1] != ' ' && at[-1] != '\t')
            at--, end++;
        code = wlab_fail(err, WL_EARG, "%s, in \"%.*s\"", err->message, end < 60 ? end : 60, at);
    }
    if (code && err)
        err->column = 0; /* the session gives the column of the command */
    wlab_free(part);
    return code;
}

static wlab_code fail_usage(wlab_err *err)
{
    return wlab_fail(err, WL_EARG,
                     "tune takes settings of its own, then algorithms with values to choose from, as in "
                     "`tune folds=5 algo svm C={0.1,1,10} or algo wellsvm C2={0.01,0.1}`");
}

/* Is it a setting of some algorithm, but not of tune? */
static bool is_algorithm_setting(const char *key)
{
    bool found = false;

    for (int k = 0; wlab_algos[k] && !found; k++)
        found = wlab_param_known(wlab_algos[k]->params, key);
    return found && !wlab_param_known(wlab_tune_params, key);
}

/* The value without its braces, shortened to fit; a value without braces is returned itself. */
static const char *value_only(const char *value, char plain[64])
{
    size_t len = strlen(value);

    if (len < 2 || value[0] != '{' || value[len - 1] != '}')
        return value;
    snprintf(plain, 64, "%.*s", len < 64 ? (int)len - 2 : 61, value + 1);
    return plain;
}

/* Read the line: settings of tune, then one or more alternatives `algo ...` with `or` between them. */
static wlab_code read_line(tuning *t, const wlab_phrase *w, const char *text, wlab_err *err)
{
    wlab_code code = wlab_params_create(&t->options, wlab_tune_params, err);
    int i = 0;

    for (; !code && i < w->n && strcmp(w->word[i], "algo") != 0; i++) {
        size_t len = w->plain[i] ? wlab_setting_length(w->word[i]) : 0;
        char *key = wlab_strndup(w->word[i], len), plain[64];

        if (!key)
            return wlab_nomem(err);
        if (len > 0 && wlab_params_given(t->options, key))
            code = wlab_fail(err, WL_EARG, "\"%s=\" is given twice; keep one", key);
        else
            code = len == 0 ? fail_usage(err)
                   : is_algorithm_setting(key)
                       ? wlab_fail(err, WL_EARG,
                                   "%.40s= is a setting of an algorithm, not of tune: give it after the "
                                   "algorithm's name, with the values to choose from in braces, as in `tune "
                                   "folds=3 algo NAME %.40s={%.60s}`",
                                   key, key, value_only(w->word[i] + len + 1, plain))
                       : wlab_params_set(t->options, key, w->word[i] + len + 1, err);
        wlab_free(key);
    }
    if (!code && i == w->n)
        return fail_usage(err);
    while (!code && i < w->n) {
        int first = ++i;

        while (i < w->n && !(w->plain[i] && strcmp(w->word[i], "or") == 0))
            i++;
        if (first == i)
            return wlab_fail(err, WL_EARG, "an algorithm must follow `algo`, as in `algo svm C={0.1,1}`");
        code = add_alternative(t, text, (size_t)w->at[first] - 1,
                               i < w->n ? (size_t)w->at[i] - 1 : strlen(text), err);
        if (!code && i < w->n && (++i == w->n || strcmp(w->word[i], "algo") != 0))
            return wlab_fail(err, WL_EARG, "another `algo NAME key={a,b}` must follow `or`");
    }
    return code;
}

/* Records a line of an older recording with the settings that it leaves out and whose defaults are others now. */
static wlab_code record_completed(wlab_session *s, const tuning *t, wlab_err *err)
{
    wlab_buf line = {0};
    wlab_code code = wlab_params_format(t->options, &line);

    for (int i = 0; !code && i < t->n; i++) {
        code = wlab_buf_printf(&line, "%s%s %s ", line.len ? " " : "", i ? "or algo" : "algo",
                               t->list[i].algo->name);
        if (!code)
            code = wlab_params_format(t->list[i].params, &line);
    }
    code = code ? wlab_nomem(err) : wlab_session_record_as(s, err, "tune %s", (const char *)line.data);
    wlab_buf_clear(&line);
    return code;
}

/* Add what `algo` adds to a line: seeds and the paths of files. */
static wlab_code add_seeds_and_paths(wlab_session *s, tuning *t, wlab_err *err)
{
    const bool older = wlab_session_format(s) < WLAB_RECORD_FORMAT;
    wlab_code code = wlab_session_default_seed(s, t->options, err);

    for (int i = 0; !code && i < t->n; i++) {
        code = wlab_session_default_seed(s, t->list[i].params, err);
        if (!code && older)
            code = wlab_algo_older(t->list[i].algo, wlab_session_problem(s), wlab_session_format(s),
                                   t->list[i].params, err);
        if (!code)
            code = wlab_session_resolve(s, t->list[i].params, false, err);
        /* a candidate that can never work is an error of the line */
        if (!code && wlab_param_known(t->list[i].algo->params, "kernel"))
            code = wlab_kernel_check(t->list[i].params, err);
    }
    if (!code && older)
        code = record_completed(s, t, err);
    return code;
}

/* ---- output ---- */

/* The candidates to show: all of a short list, in its order; of a long one the best, best first, without those that
 * have no score.  Returns how many. */
static int select_shown(const wlab_tuned *t, int shown[SHOWN])
{
    int n = 0;

    for (int i = 0; i < t->candidates && t->candidates <= SHOWN; i++)
        shown[n++] = i;
    for (int i = 0; i < t->candidates && t->candidates > SHOWN; i++) {
        int at = n < SHOWN ? n++ : SHOWN;

        if (isnan(t->score[i])) {
            n -= at < SHOWN;
            continue;
        }
        for (; at > 0; at--) { /* ties keep the order of the list */
            double before = t->score[shown[at - 1]];

            if (t->lower ? before <= t->score[i] : before >= t->score[i])
                break;
            if (at < SHOWN)
                shown[at] = shown[at - 1];
        }
        if (at < SHOWN)
            shown[at] = i;
    }
    return n;
}

static void print_candidates(wlab_session *s, const tuning *t)
{
    const wlab_tuned *r = &t->tuned;
    int shown[SHOWN], n = select_shown(r, shown), failed = 0,
                      width = (int)strlen(r->by) < 8 ? 8 : (int)strlen(r->by);
    bool bags = t->problem->bag_given != NULL;
    json_t *list = json_array();

    for (int i = 0; i < r->candidates; i++) {
        failed += isnan(r->score[i]);
        json_array_append_new(list, json_pack("{s:o, s:o}", "algo", wlab_json_text(t->list[i].text), "score",
                                              wlab_json_real(r->score[i])));
    }
    wlab_session_print(s, "%d candidate%s, ", r->candidates, wlab_plural(r->candidates));
    if (r->oracle)
        wlab_session_print(s, "scored with the true labels of %lld training rows (an oracle's choice)\n",
                           (long long)r->scored);
    else
        wlab_session_print(s, "scored on the %lld %s%s, in %d fold%s%s\n", (long long)r->scored,
                           bags                                          ? "given bag"
                           : t->problem->task->sees == WL_SEES_POSITIVES ? "held-out row"
                                                                         : "given label",
                           wlab_plural(r->scored), r->folds, wlab_plural(r->folds),
                           r->lower ? "; less is better" : "");
    wlab_session_print(s, "  %*s  candidate\n", width, r->by);
    for (int k = 0; k < n; k++) {
        int i = shown[k];

        if (isnan(r->score[i]))
            wlab_session_print(s, "  %*s  %s\n", width, "-", t->list[i].text);
        else
            wlab_session_print(s, "%s %*.4f  %s\n", i == r->best ? "*" : " ", width, r->score[i],
                               t->list[i].text);
    }
    if (n < r->candidates)
        wlab_session_print(s, "  %*s  and %d more\n", width, "", r->candidates - n);
    if (failed)
        wlab_session_say(s, "%d of the candidates could not be trained or scored%s%s", failed,
                         r->failure ? "; the first: " : "", r->failure ? r->failure : "");
    wlab_session_object(s, json_pack("{s:s, s:s, s:i, s:I, s:b, s:b, s:i, s:o, s:o, s:o}", "type", "tune",
                                     "by", r->by, "folds", r->folds, "scored", (json_int_t)r->scored,
                                     "oracle", r->oracle, "lower", r->lower, "best", r->best, "algo",
                                     wlab_json_text(t->list[r->best].text), "candidates", list, "failure",
                                     r->failure ? wlab_json_text(r->failure) : json_null()));
}

/* ---- the command ---- */

static wlab_code cross_validate(void *data, wlab_ctx *ctx, wlab_err *err)
{
    tuning *t = data;

    return wlab_tune(&t->tuned, t->problem, t->list, t->n, t->options, NULL, ctx, err);
}

/* Start the candidate, as if `algo` with its settings had been typed. */
static wlab_code start_best(wlab_session *s, const wlab_candidate *c, wlab_err *err)
{
    const wlab_param_info *table = wlab_params_table(c->params);
    char *name = wlab_strdup(c->algo->name);
    size_t most = 1;
    wlab_args args = {.nwords = 1, .word = &name, .rest = strchr(c->text, ' ') ? c->text : ""};
    wlab_code code;

    while (table[most - 1].name)
        most++;
    args.key = wlab_calloc(most, sizeof *args.key);
    args.value = wlab_calloc(most, sizeof *args.value);
    code = name && args.key && args.value ? WL_OK : wlab_nomem(err);
    for (; !code && table->name; table++) {
        if (!wlab_params_given(c->params, table->name))
            continue;
        args.key[args.nsettings] = wlab_strdup(table->name);
        args.value[args.nsettings] = wlab_strdup(wlab_params_text(c->params, table->name));
        if (!args.key[args.nsettings] || !args.value[args.nsettings])
            code = wlab_nomem(err);
        args.nsettings++;
    }
    if (!code)
        code = wlab_cmd_algo.execute(s, &args, err);
    for (int i = 0; i < args.nsettings; i++) {
        wlab_free(args.key[i]);
        wlab_free(args.value[i]);
    }
    wlab_free(args.key);
    wlab_free(args.value);
    wlab_free(name);
    return code;
}

static wlab_code tune(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    tuning t = {0};
    wlab_phrase w = {0};
    wlab_problem *problem = NULL;
    char *line = wlab_format("tune %s", args->rest);
    size_t pos = 0;
    bool more = false;
    wlab_code code = line ? wlab_phrase_read(&w, line, &pos, &more, err) : wlab_nomem(err);

    if (!code)
        code = read_line(&t, &w, line, err);
    if (!code)
        code = wlab_session_need_problem(s, &problem, err);
    if (!code)
        code = add_seeds_and_paths(s, &t, err);
    if (!code) {
        t.problem = wlab_problem_ref(problem);
        code = wlab_session_call(s, cross_validate, &t, err);
    }
    if (!code) {
        print_candidates(s, &t);
        code = wlab_session_mark(s, err, "tuned candidates=%d score=%.6g algo %s", t.n,
                                 t.tuned.score[t.tuned.best], t.list[t.tuned.best].text);
    }
    if (!code)
        code = start_best(s, &t.list[t.tuned.best], err);
    wlab_tuned_clear(&t.tuned);
    wlab_candidates_free(t.list, t.n);
    wlab_params_destroy(t.options);
    wlab_problem_unref(t.problem);
    wlab_phrase_clear(&w);
    wlab_free(line);
    return code;
}

/* Offer the settings of `table`; the typed words from `from` on are settings already.  True: a word other than a
 * setting may be typed here too; false: the line ends with `key=`, so that only a value may follow. */
static bool offer_settings(wlab_offers *o, const wlab_session *s, const wlab_param_info *table, int from)
{
    const wlab_args *typed = o->typed;
    const char *last = strrchr(typed->rest, ' ') ? strrchr(typed->rest, ' ') + 1 : typed->rest;
    size_t n = (size_t)typed->nwords + 1, len = strlen(last);
    wlab_args own = {.key = wlab_calloc(n, sizeof *own.key), .value = wlab_calloc(n, sizeof *own.value)};
    char *key = len > 1 && wlab_setting_length(last) == len - 1 ? wlab_strndup(last, len - 1) : NULL;

    for (int i = from; own.key && own.value && i < typed->nwords; i++) {
        size_t k = wlab_setting_length(typed->word[i]);

        if (k == 0)
            continue;
        own.value[own.nsettings] = typed->word[i] + k + 1;
        if ((own.key[own.nsettings] = wlab_strndup(typed->word[i], k)))
            own.nsettings++;
    }
    if (own.key && own.value) {
        o->typed = &own;
        o->key = key;
        wlab_offers_params(o, s, table, NULL, 0);
        o->typed = typed;
        o->key = NULL;
    }
    for (int i = 0; own.key && i < own.nsettings; i++)
        wlab_free(own.key[i]);
    wlab_free(own.key);
    wlab_free(own.value);
    wlab_free(key);
    return !key;
}

static void offer(wlab_offers *o, const wlab_session *s)
{
    const wlab_problem *problem = wlab_session_problem(s);
    const wlab_args *typed = o->typed;
    const wlab_algo *algo;
    int last = -1;

    o->no_settings = true; /* settings of tune are offered below, only before the first algorithm */
    for (int i = 0; i < typed->nwords; i++)
        if (strcmp(typed->word[i], "algo") == 0)
            last = i;
    if (last < 0) {
        if (offer_settings(o, s, wlab_tune_params, 0))
            wlab_offers_add(o, "algo", NULL, "an algorithm and values to choose from: algo svm C={0.1,1}", 0);
    } else if (last == typed->nwords - 1) {
        for (int i = 0; wlab_algos[i]; i++)
            if (!problem || wlab_algo_suits(wlab_algos[i], problem->task, problem->classes))
                wlab_offers_add(o, wlab_algos[i]->name, NULL, wlab_algos[i]->summary, 0);
    } else if (strcmp(typed->word[typed->nwords - 1], "or") == 0) {
        wlab_offers_add(o, "algo", NULL, "another algorithm", 0);
    } else if ((algo = wlab_algo_find(typed->word[last + 1]))) {
        if (offer_settings(o, s, algo->params, last + 2))
            wlab_offers_add(o, "or", NULL, "another algorithm follows", 0);
    }
}

const wlab_command wlab_cmd_tune = {
    .name = "tune",
    .usage = "tune [folds=5] [by=] [warm=] [seed=] algo NAME key={a,b}... [or algo NAME ...]",
    .summary = "choose settings by cross-validation, and start the best",
    .help =
        "Chooses settings, or an algorithm, by cross-validation. Values in braces ({a,b,c}, or {1..5} "
        "for integers) make candidates, one for each combination (the last brace changes fastest). tune "
        "divides the rows with given labels into folds. It trains each candidate once for each fold, with "
        "the labels outside the fold, and computes the outputs of the rows in the fold. The outputs of all "
        "folds are scored together. The best candidate, of equally good ones the first, is then started "
        "with all given labels, as `algo` would start it. Except in cluster (below), hidden labels are never "
        "used for "
        "the scores, nor are test rows. Every fold has the task's r; with r=auto that is the fraction of "
        "positives among all given labels. A fold is left out if the labels "
        "outside it lack a class. Ctrl-C leaves everything unchanged.\n"
        "\n"
        "In tasks mil and llp the folds consist of whole bags. In llp the score compares predicted "
        "proportions with the given ones, and less is better. cluster has no labels to hold out: its "
        "candidates are scored by the true labels, and the output says so.\n"
        "  tune algo svm kernel=rbf sigma={0.25x,1x,4x} C={0.1,1,10}\n"
        "  tune folds=10 by=auc algo svm C={1,10} or algo wellsvm C2={0.01,0.1}",
    .params = wlab_tune_params,
    .flags = WL_C_WORDS | WL_C_OWN,
    .execute = tune,
    .offer = offer,
};

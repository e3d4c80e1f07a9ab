/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The checks and defaults of an experiment file that need all its lines.
 */
#include "base/braces.h"
#include "study/experiment/file.h"
#include "study/experiment/reports.h"
#include "weaklab/expr.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A line is missing: WL_EINPUT at the last line of the file. */
static wlab_code fail_missing(const wlab_exp_file *f, const char *says)
{
    return wlab_exp_fail(f, f->nlines ? f->line[f->nlines - 1].number : 1, 1, "%s", says);
}

/* The first line with this word, or NULL. */
static const wlab_exp_line *find_line(const wlab_exp_file *f, const char *word)
{
    for (int i = 0; i < f->nlines; i++)
        if (strcmp(f->line[i].w.name, word) == 0)
            return &f->line[i];
    return NULL;
}

static wlab_code set_defaults(wlab_exp_file *f)
{
    wlab_experiment *e = f->e;

    if (e->ndata == 0)
        return fail_missing(f,
                            "the experiment has no data: a line `load FILE` or `generate KIND` is missing");
    if (!e->task)
        return fail_missing(f,
                            "the experiment has no task: a line such as `task ssl labeled=10%` is missing");
    if (e->nmethods == 0)
        return fail_missing(
            f, "the experiment has no method: a line such as `method SVM algo svm kernel=rbf` is "
               "missing");
    if (!e->seed) {
        if (!(e->seed = wlab_alloc(1, sizeof *e->seed)))
            return wlab_nomem(f->err);
        e->seed[0] = e->nseeds = 1;
    }
    if (!e->go && !(e->go = wlab_strdup("continue")))
        return wlab_nomem(f->err);
    const wlab_exp_line *eval = find_line(f, "eval");
    for (int i = 0; eval && !e->split && i < eval->w.n; i++)
        if (strcmp(eval->w.word[i], "test") == 0)
            return wlab_exp_fail(
                f, eval->number, eval->w.at[i],
                "there are no test rows without a split; add a line such as `split test=0.25`");
    const char *rows = e->task->scored == WL_SCORED_BAGS                           ? "bags"
                       : e->split                                                  ? "test"
                       : e->task->sees & (WL_SEES_SOME_LABELS | WL_SEES_POSITIVES) ? "unlabeled"
                                                                                   : "train";
    if (!e->eval && !(e->eval = wlab_format("eval %s", rows)))
        return wlab_nomem(f->err);
    return WL_OK;
}

/* ---- settings ---- */

static wlab_code fill_setting(const wlab_exp_file *f, wlab_exp_setting *s, int number)
{
    wlab_buf name = {0};
    wlab_code code = WL_OK;
    int left = number;

    s->key = wlab_calloc((size_t)f->nbraces + 1, sizeof *s->key);
    s->value = wlab_calloc((size_t)f->nbraces + 1, sizeof *s->value);
    if (!s->key || !s->value)
        return wlab_nomem(f->err);
    s->values = f->nbraces;
    for (int b = f->nbraces - 1; b >= 0; b--) { /* the last brace changes fastest */
        s->key[b] = wlab_strdup(f->brace[b].key);
        s->value[b] = wlab_strdup(f->brace[b].value[left % f->brace[b].n]);
        if (!s->key[b] || !s->value[b])
            return wlab_nomem(f->err);
        left /= f->brace[b].n;
    }
    for (int b = 0; !code && b < f->nbraces; b++)
        code = wlab_buf_printf(&name, "%s%s=%s", b ? " " : "", s->key[b], s->value[b]);
    if (code)
        wlab_nomem(f->err);
    else
        code = wlab_exp_buf_text(&name, &s->name, f->err);
    wlab_buf_clear(&name);
    return code;
}

static wlab_code make_settings(wlab_exp_file *f)
{
    wlab_experiment *e = f->e;
    int64_t n = 1;
    wlab_code code = WL_OK;

    for (int b = 0; b < f->nbraces; b++) {
        const wlab_exp_brace *brace = &f->brace[b];
        if (!brace->common && brace->datas < e->ndata)
            return wlab_exp_fail(f, brace->line, brace->column,
                                 "the braces of %s= must be in the lines of all data sets or none: give each "
                                 "line the same braces, or write a `generate` line for each value",
                                 brace->key);
        n *= brace->n;
        if (n > WLAB_EXP_MOST)
            return wlab_exp_fail(f, brace->line, brace->column,
                                 "the braces of generate, split and task make more than %d settings",
                                 WLAB_EXP_MOST);
    }
    e->setting = wlab_calloc((size_t)n, sizeof *e->setting);
    if (!e->setting)
        return wlab_nomem(f->err);
    for (e->nsettings = 0; !code && e->nsettings < n; e->nsettings++)
        code = fill_setting(f, &e->setting[e->nsettings], e->nsettings);
    return code;
}

/* Test rows / training rows, unless it depends on the data. */
static wlab_code compute_test_ratio(wlab_exp_file *f)
{
    wlab_experiment *e = f->e;
    wlab_exp_line l = {0};
    wlab_params *params = NULL;
    size_t pos = 0;
    bool more;
    wlab_code code = WL_OK;

    e->test_ratio = NAN;
    if (!e->split)
        return WL_OK;
    if (e->folds > 1) {
        e->test_ratio = 1.0 / (e->folds - 1);
        return WL_OK;
    }
    for (int s = 0; !code && s < e->nsettings; s++) {
        wlab_buf line = {0};
        double test;
        code = wlab_exp_fill(e, e->split, WL_FORM_RUN, s, 0, e->seed[0], 0, &line, f->err);
        pos = 0;
        if (!code)
            code = wlab_phrase_read(&l.w, (const char *)line.data, &pos, &more, f->err);
        if (!code)
            code = wlab_params_create(&params, wlab_split_params, f->err);
        for (int i = 0; !code && i < l.w.n; i++)
            if (strncmp(l.w.word[i], "test=", 5) == 0)
                code = wlab_params_set(params, "test", l.w.word[i] + 5, f->err);
        test = code ? NAN : wlab_params_real(params, "test");
        if (test < 1)
            test = test / (1 - test);
        else
            test = NAN;
        if (!(e->test_ratio >= test))
            e->test_ratio = test;
        wlab_params_destroy(params);
        params = NULL;
        wlab_phrase_clear(&l.w);
        wlab_buf_clear(&line);
        if (isnan(test))
            break;
    }
    return code;
}

/* ---- methods ---- */

static wlab_code check_tasks(const wlab_exp_file *f)
{
    for (int i = 0; i < f->nalternatives; i++) {
        const wlab_exp_alternative *a = &f->alternative[i];
        char list[256] = "";
        if (wlab_algo_suits(a->algo, f->e->task, 2))
            continue;
        for (int k = 0; wlab_algos[k]; k++)
            if (wlab_algo_suits(wlab_algos[k], f->e->task, 2)) {
                size_t n = strlen(list);
                snprintf(list + n, sizeof list - n, "%s%s", n ? ", " : "", wlab_algos[k]->name);
            }
        return wlab_exp_fail(f, a->line, a->column, "%s does not solve the task %s; these do: %s",
                             a->algo->name, f->e->task->name, list[0] ? list : "none yet");
    }
    for (int m = 0; f->many_line && !f->e->tune; m++) {
        if (f->e->method[m].candidates < 2)
            continue;
        return wlab_exp_fail(
            f, f->many_line, f->many_column,
            "method %.60s has several candidates; to choose among them, add a line `tune folds=5`",
            f->e->method[m].name);
    }
    return WL_OK;
}

/* The condition may use only metrics that every algorithm of the experiment has. */
static wlab_code check_until(const wlab_exp_file *f)
{
    const wlab_exp_line *l = find_line(f, "continue");
    wlab_code code = WL_OK;

    for (int i = 0; !code && f->e->until && i < f->nalternatives; i++) {
        const wlab_algo *algo = f->alternative[i].algo;
        int n = wlab_metric_count(algo);
        const char **known = wlab_alloc((size_t)n + 2, sizeof *known);
        wlab_expr *expr = NULL;
        if (!known)
            return wlab_nomem(f->err);
        known[0] = "iter";
        known[1] = "inner";
        for (int k = 0; k < n; k++)
            known[k + 2] = algo->metrics[k].name;
        code = wlab_expr_create(&expr, f->e->until, known, n + 2, f->err);
        wlab_expr_destroy(expr);
        wlab_free(known);
        if (code && code != WL_ENOMEM) {
            long column = l->w.at[0] + (long)(strlen(l->w.rest) - strlen(f->e->until)) +
                          (f->err->column > 0 ? f->err->column - 1 : 0);
            code = wlab_exp_fail(f, l->number, column, "for %s: %s", algo->name, f->err->message);
        }
    }
    return code;
}

static wlab_code check_cells(const wlab_exp_file *f)
{
    const wlab_experiment *e = f->e;
    const wlab_exp_line *l = find_line(f, "repeat");
    double cells = (double)e->nseeds * e->nsettings * e->ndata * e->nmethods * (e->folds > 0 ? e->folds : 1);

    if (cells <= (double)WLAB_EXP_CELLS)
        return WL_OK;
    if (!l)
        l = find_line(f, "method");
    return wlab_exp_fail(f, l->number, l->w.column,
                         "the experiment has %.0f cells: %d repetitions x %d settings x %d data sets x %d "
                         "methods x %d folds; at most %d",
                         cells, e->nseeds, e->nsettings, e->ndata, e->nmethods, e->folds > 0 ? e->folds : 1,
                         WLAB_EXP_CELLS);
}

wlab_code wlab_exp_finish(wlab_exp_file *f)
{
    wlab_code code = set_defaults(f);

    if (!code)
        code = check_tasks(f);
    if (!code)
        code = check_until(f);
    if (!code)
        code = make_settings(f);
    if (!code)
        code = compute_test_ratio(f);
    if (!code)
        code = check_cells(f);
    for (int i = 0; !code && i < f->nlines; i++) {
        const char *word = f->line[i].w.name;
        if (strcmp(word, "published") == 0)
            code = wlab_exp_published_line(f, &f->line[i]);
        else if (strcmp(word, "table") == 0)
            code = wlab_exp_table_line(f, &f->line[i]);
        else if (strcmp(word, "curve") == 0)
            code = wlab_exp_curve_line(f, &f->line[i]);
    }
    return code;
}

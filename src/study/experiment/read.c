/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The lines of an experiment file, with one function for each word that may begin a line.
 */
#include "study/experiment/read.h"
#include "base/braces.h"
#include "session/command.h"
#include "study/experiment/file.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- checks that several lines share ---- */

/* The file may have only one line with this first word. */
static wlab_code check_once(const wlab_exp_file *f, const wlab_exp_line *l)
{
    for (int i = 0; i < f->nlines; i++)
        if (&f->line[i] != l && strcmp(f->line[i].w.name, l->w.name) == 0)
            return wlab_exp_fail(f, l->number, l->w.column, "`%s` is in line %ld already; keep one",
                                 l->w.name, f->line[i].number);
    return WL_OK;
}

/* The line may have only `to` words. */
static wlab_code check_end(const wlab_exp_file *f, const wlab_exp_line *l, int to)
{
    if (l->w.n <= to)
        return WL_OK;
    return wlab_exp_fail(f, l->number, l->w.at[to], "\"%.60s\": remove it, a `%s` line ends here",
                         l->w.word[to], l->w.name);
}

wlab_code wlab_exp_missing(const wlab_exp_file *f, const wlab_exp_line *l, const char *says)
{
    return wlab_exp_fail(f, l->number, l->w.column, "%s", says);
}

wlab_code wlab_exp_check_count(const wlab_exp_file *f, const wlab_exp_line *l, int n, const char *what)
{
    if (n < WLAB_EXP_MOST)
        return WL_OK;
    return wlab_exp_fail(f, l->number, l->w.column, "there are more than %d %s", WLAB_EXP_MOST, what);
}

wlab_code wlab_exp_check_plain(const wlab_exp_file *f, const wlab_exp_line *l, int i, const char *says)
{
    if (!wlab_braces_in(l->w.word[i]))
        return WL_OK;
    return wlab_exp_fail(f, l->number, l->w.at[i], "braces are for values of settings; %s", says);
}

wlab_code wlab_exp_check_name(const wlab_exp_file *f, const wlab_exp_line *l, int i, const char *of)
{
    if (l->w.word[i][strspn(l->w.word[i], " \t")] == '\0')
        return wlab_exp_fail(f, l->number, l->w.at[i], "the name of a %s needs at least one letter", of);
    return WL_OK;
}

/* ---- load, generate ---- */

/* Read `FIRST [as NAME]`, with settings anywhere.  *first and *name: the indices of the two words; -1: no NAME. */
static wlab_code first_and_name(const wlab_exp_file *f, const wlab_exp_line *l, const char *says, int *first,
                                int *name)
{
    int at[4], n = wlab_exp_words(l, 0, l->w.n, at, 4);

    if (n == 0)
        return wlab_exp_missing(f, l, says);
    *first = at[0];
    *name = -1;
    if (n == 1)
        return WL_OK;
    if (strcmp(l->w.word[at[1]], "as") != 0)
        return wlab_exp_stray(f, l, at[1]);
    if (n == 2)
        return wlab_exp_fail(f, l->number, l->w.at[at[1]], "a name must follow `as`");
    if (n > 3)
        return wlab_exp_stray(f, l, at[3]);
    *name = at[2];
    return wlab_exp_check_name(f, l, at[2], "data set");
}

/* Takes ownership of `name`; clears `line` on success. */
static wlab_code add_data(wlab_exp_file *f, const wlab_exp_line *l, int at, char *name, wlab_buf *line,
                          bool drawn)
{
    wlab_experiment *e = f->e;
    wlab_code code = name ? wlab_exp_check_count(f, l, e->ndata, "data sets") : wlab_nomem(f->err);

    for (int i = 0; !code && i < e->ndata; i++)
        if (strcmp(e->data[i].name, name) == 0)
            code = wlab_exp_fail(f, l->number, l->w.at[at],
                                 "there is a data set \"%.60s\" in line %ld already; give this one another "
                                 "name: `as NAME`",
                                 name, e->data[i].at);
    if (!code)
        code = wlab_exp_reserve(&e->data, e->ndata, sizeof *e->data, f->err);
    if (code) {
        wlab_free(name);
        return code;
    }
    wlab_exp_data *d = &e->data[e->ndata++];
    *d = (wlab_exp_data){.name = name, .drawn = drawn, .at = l->number};
    return wlab_exp_buf_text(line, &d->line, f->err);
}

static wlab_code begin_data(const wlab_exp_file *f, const wlab_exp_line *l, int first, const char *name,
                            wlab_buf *line)
{
    if (wlab_buf_printf(line, "%s ", l->w.name) || wlab_buf_quote(line, l->w.word[first]) ||
        wlab_buf_printf(line, " as ") || wlab_buf_quote(line, name))
        return wlab_nomem(f->err);
    return WL_OK;
}

static wlab_code read_load(wlab_exp_file *f, const wlab_exp_line *l)
{
    int first, as;
    wlab_buf line = {0};
    char *name = NULL;
    wlab_code code =
        first_and_name(f, l, "load takes a file: `load FILE [as NAME] [key=value...]`", &first, &as);

    if (!code)
        code = wlab_exp_check_plain(f, l, first, "write a `load` line for each file");
    if (!code && l->w.word[first][0] == '\0')
        code = wlab_exp_fail(f, l->number, l->w.at[first], "the name of a file is missing");
    if (!code) {
        name = as < 0 ? wlab_session_data_name(l->w.word[first]) : wlab_strdup(l->w.word[as]);
        if (!name)
            code = wlab_nomem(f->err);
    }
    if (!code && *name == '\0')
        code = wlab_exp_fail(f, l->number, l->w.at[first], "this is a folder; load takes a file");
    if (!code)
        code = begin_data(f, l, first, name, &line);
    if (!code)
        code = wlab_exp_settings(f, l, 0, l->w.n, wlab_load_params, WL_BRACES_NONE, false, NULL, &line);
    if (!code) {
        code = add_data(f, l, as < 0 ? first : as, name, &line, false);
        name = NULL;
    }
    wlab_free(name);
    wlab_buf_clear(&line);
    return code;
}

/* The value of a setting, or NULL. */
static const char *value_of(const wlab_exp_line *l, const char *key)
{
    size_t len = strlen(key);

    for (int i = 0; i < l->w.n; i++)
        if (l->w.plain[i] && wlab_setting_length(l->w.word[i]) == len && strncmp(l->w.word[i], key, len) == 0)
            return l->w.word[i] + len + 1;
    return NULL;
}

static wlab_code read_generate(wlab_exp_file *f, const wlab_exp_line *l)
{
    const char *names[64];
    size_t n = 0;
    int first, as;
    wlab_buf line = {0};
    wlab_code code = first_and_name(
        f, l, "generate takes a kind, as in `generate two-moons n=200`; `help generators` lists them", &first,
        &as);
    const wlab_generator *g = code ? NULL : wlab_generator_find(l->w.word[first]);

    if (!code)
        code = wlab_exp_check_plain(f, l, first, "write a `generate` line for each kind");
    for (; wlab_generators[n] && n < 64; n++)
        names[n] = wlab_generators[n]->name;
    if (!code && !g)
        code = wlab_exp_unknown(f, l, first, "generator", names, n, "`help generators` lists them");
    const char *name = code ? NULL : as < 0 ? g->name : l->w.word[as];
    if (!code)
        code = begin_data(f, l, first, name, &line);
    if (!code)
        code = wlab_exp_settings(f, l, 0, l->w.n, g->params, WL_BRACES_SETTINGS, false, NULL, &line);
    const char *seed = value_of(l, "seed");
    if (!code)
        code = add_data(f, l, as < 0 ? first : as, wlab_strdup(name), &line, !seed || strstr(seed, "{seed}"));
    wlab_buf_clear(&line);
    return code;
}

/* ---- scale, split, task ---- */

static wlab_code read_scale(wlab_exp_file *f, const wlab_exp_line *l)
{
    size_t n = 0, kind = 0;
    wlab_code code = check_once(f, l);

    while (wlab_scaling_names[n])
        n++;
    if (!code && l->w.n == 0)
        code = wlab_exp_missing(f, l, "scale takes one of minmax, symmetric, zscore, unit, tfidf");
    if (!code)
        code = wlab_exp_check_plain(f, l, 0, "an experiment has one scaling");
    while (!code && kind < n && strcmp(l->w.word[0], wlab_scaling_names[kind]) != 0)
        kind++;
    if (!code && kind == n)
        code = wlab_exp_unknown(f, l, 0, "scaling", wlab_scaling_names, n,
                                "there are minmax, symmetric, zscore, unit, tfidf");
    if (!code)
        code = check_end(f, l, 1);
    if (!code && !(f->e->scale = wlab_format("scale %s", l->w.word[0])))
        code = wlab_nomem(f->err);
    return code;
}

/* The value of an integer setting, which may not have braces. */
static wlab_code one_integer(const wlab_exp_file *f, const wlab_exp_line *l, const char *key, int *value)
{
    size_t len = strlen(key);

    for (int i = 0; i < l->w.n; i++) {
        int64_t number = 0;
        const char *text = l->w.word[i] + len + 1;
        if (wlab_setting_length(l->w.word[i]) != len || strncmp(l->w.word[i], key, len) != 0)
            continue;
        if (wlab_braces_in(text))
            return wlab_exp_fail(f, l->number, l->w.at[i], "%s= takes one value in an experiment", key);
        if (wlab_parse_int(text, &number) && number <= INT32_MAX)
            *value = (int)number;
    }
    return WL_OK;
}

static wlab_code read_split(wlab_exp_file *f, const wlab_exp_line *l)
{
    int at[1];
    wlab_buf line = {0};
    wlab_code code = check_once(f, l);

    if (!code && l->w.n == 0)
        code = wlab_exp_missing(f, l, "split takes settings, as in `split test=0.25`");
    if (!code && wlab_exp_words(l, 0, l->w.n, at, 1))
        code = wlab_exp_stray(f, l, at[0]);
    if (!code && wlab_buf_printf(&line, "split"))
        code = wlab_nomem(f->err);
    if (!code)
        code = wlab_exp_settings(f, l, 0, l->w.n, wlab_split_params, WL_BRACES_SETTINGS, true, NULL, &line);
    for (int i = 0; !code && i < l->w.n; i++)
        if (strncmp(l->w.word[i], "fold=", 5) == 0)
            code = wlab_exp_fail(f, l->number, l->w.at[i],
                                 "an experiment computes all folds: give folds=K without fold=");
    for (int i = 0; !code && i < l->w.n && value_of(l, "folds"); i++)
        if (strncmp(l->w.word[i], "test=", 5) == 0)
            code = wlab_exp_fail(f, l->number, l->w.at[i], "test= and folds= exclude each other: keep one");
    if (!code)
        code = one_integer(f, l, "folds", &f->e->folds);
    if (!code)
        code = wlab_exp_buf_text(&line, &f->e->split, f->err);
    wlab_buf_clear(&line);
    return code;
}

static wlab_code read_task(wlab_exp_file *f, const wlab_exp_line *l)
{
    const char *names[32];
    size_t n = 0;
    int at[2], words = wlab_exp_words(l, 0, l->w.n, at, 2);
    wlab_buf line = {0};
    wlab_code code = check_once(f, l);
    const wlab_task *task = words ? wlab_task_find(l->w.word[at[0]]) : NULL;

    for (; wlab_tasks[n] && n < 32; n++)
        names[n] = wlab_tasks[n]->name;
    if (!code && !words)
        code = wlab_exp_missing(f, l,
                                "task takes a kind, as in `task ssl labeled=10%`; `help tasks` lists them");
    if (!code)
        code = wlab_exp_check_plain(f, l, at[0], "an experiment has one task");
    if (!code && !task)
        code = wlab_exp_unknown(f, l, at[0], "task", names, n, "`help tasks` lists them");
    if (!code && words > 1)
        code = wlab_exp_stray(f, l, at[1]);
    if (!code && wlab_buf_printf(&line, "task %s", task->name))
        code = wlab_nomem(f->err);
    if (!code)
        code = wlab_exp_settings(f, l, 0, l->w.n, task->params, WL_BRACES_SETTINGS, true, NULL, &line);
    if (!code)
        code = wlab_exp_buf_text(&line, &f->e->task_line, f->err);
    if (!code)
        f->e->task = task;
    wlab_buf_clear(&line);
    return code;
}

/* ---- tune, repeat, continue, eval, title ---- */

static wlab_code read_tune(wlab_exp_file *f, const wlab_exp_line *l)
{
    int at[1], words;
    wlab_buf text = {0};
    wlab_code code = check_once(f, l);

    if (!code && wlab_exp_words(l, 0, l->w.n, at, 1))
        code = wlab_exp_stray(f, l, at[0]);
    if (!code)
        code = wlab_exp_settings(f, l, 0, l->w.n, wlab_tune_params, WL_BRACES_NONE, false, NULL, &text);
    wlab_buf_clear(&text);
    if (!code)
        code = wlab_params_create(&f->e->tune, wlab_tune_params, f->err);
    if (!code)
        code = wlab_phrase_settings(&l->w, f->e->tune, NULL, NULL, &words, f->err);
    return code;
}

static wlab_code bad_repeat(const wlab_exp_file *f, const wlab_exp_line *l, const char *word)
{
    return wlab_exp_fail(
        f, l->number, l->w.at[0],
        "\"%.60s\" is neither a number of repetitions from 1 to %d nor seeds in braces, as in `repeat 30` or "
        "`repeat {1..30}`",
        word, WLAB_EXP_CELLS);
}

static wlab_code read_repeat(wlab_exp_file *f, const wlab_exp_line *l)
{
    char **list = NULL;
    int n = 0;
    int64_t number = 0;
    wlab_code code = check_once(f, l);

    if (!code && l->w.n == 0)
        code = wlab_exp_missing(
            f, l, "repeat takes a number of repetitions, or seeds: `repeat 30`, `repeat {1..30}`");
    if (!code)
        code = check_end(f, l, 1);
    if (code)
        return code;
    const char *word = l->w.word[0];
    if (wlab_braces_in(word)) {
        code = wlab_braces_values(word, &list, &n, f->err);
        if (code)
            return wlab_exp_set_place(f, code, l->number,
                                      l->w.at[0] + !l->w.plain[0] +
                                          (f->err->column > 0 ? f->err->column - 1 : 0));
    } else if (!wlab_parse_int(word, &number) || number < 1 || number > WLAB_EXP_CELLS) {
        return bad_repeat(f, l, word);
    }
    int seeds = list ? n : (int)number;
    f->e->seed = wlab_alloc((size_t)seeds, sizeof *f->e->seed);
    if (!f->e->seed)
        code = wlab_nomem(f->err);
    for (int i = 0; !code && i < seeds; i++) {
        int64_t seed = i + 1;
        if (list && (!wlab_parse_int(list[i], &seed) || seed < 0 || seed > (int64_t)1 << 53))
            code = wlab_exp_fail(f, l->number, l->w.at[0],
                                 "\"%.60s\" is not a seed: give an integer from 0 to 2^53", list[i]);
        for (int k = 0; !code && list && k < i; k++) /* as numbers: 1 and 01 are the same */
            if (f->e->seed[k] == seed)
                code = wlab_exp_fail(f, l->number, l->w.at[0], "the seed %lld is given twice; keep one",
                                     (long long)seed);
        f->e->seed[i] = seed;
        f->e->nseeds = i + 1;
    }
    wlab_braces_free(list, n);
    return code;
}

static wlab_code read_continue(wlab_exp_file *f, const wlab_exp_line *l)
{
    wlab_code code = check_once(f, l);

    if (!code && l->w.n > 0 && strcmp(l->w.word[0], "until") != 0)
        code = wlab_exp_fail(f, l->number, l->w.at[0],
                             "continue takes nothing or a condition, as in `continue until relgap < 1e-3`");
    if (!code && l->w.n == 1)
        code = wlab_exp_fail(f, l->number, l->w.at[0],
                             "a condition must follow `until`, as in `continue until relgap < 1e-3`");
    if (code)
        return code;
    if (l->w.n > 0) {
        const char *condition = l->w.rest + strlen("until");
        f->e->until = wlab_strdup(condition + strspn(condition, " \t"));
        f->e->go = f->e->until ? wlab_format("continue until %s", f->e->until) : NULL;
    } else {
        f->e->go = wlab_strdup("continue");
    }
    return f->e->go ? WL_OK : wlab_nomem(f->err);
}

static wlab_code read_eval(wlab_exp_file *f, const wlab_exp_line *l)
{
    static const char *const rows[] = {"test", "unlabeled", "train", "bags", "train-bags"};
    enum {
        KINDS = sizeof rows / sizeof *rows
    };
    bool given[KINDS] = {false};
    wlab_buf line = {0};
    wlab_code code = check_once(f, l);

    if (!code && l->w.n > 0 && wlab_buf_printf(&line, "eval"))
        code = wlab_nomem(f->err);
    for (int k = 0; !code && k < l->w.n; k++) {
        int i = 0;
        while (i < KINDS && strcmp(l->w.word[k], rows[i]) != 0)
            i++;
        if (i == KINDS)
            code = wlab_exp_unknown(f, l, k, "rows", rows, KINDS,
                                    "there are test, unlabeled, train, bags, train-bags");
        else if (given[i])
            code = wlab_exp_fail(f, l->number, l->w.at[k], "%s is scored already; name it once", rows[i]);
        else
            code = wlab_buf_printf(&line, " %s", rows[i]) ? wlab_nomem(f->err) : WL_OK;
        given[i < KINDS ? i : 0] = true;
    }
    if (!code && line.len)
        code = wlab_exp_buf_text(&line, &f->e->eval, f->err);
    wlab_buf_clear(&line);
    return code;
}

static wlab_code read_title(wlab_exp_file *f, const wlab_exp_line *l)
{
    wlab_code code = check_once(f, l);

    if (!code && l->w.n == 0)
        code = wlab_exp_missing(f, l, "title takes a text, as in `title SVM against WellSVM`");
    if (!code && !(f->e->title = wlab_strdup(l->w.n == 1 ? l->w.word[0] : l->w.rest)))
        code = wlab_nomem(f->err);
    return code;
}

/* published, table and curve may refer to later lines: wlab_exp_finish reads them. */
static wlab_code read_later(wlab_exp_file *f, const wlab_exp_line *l)
{
    (void)f;
    (void)l;
    return WL_OK;
}

const wlab_exp_word wlab_exp_line_words[] = {
    {"title", read_title},
    {"load", read_load},
    {"generate", read_generate},
    {"scale", read_scale},
    {"split", read_split},
    {"task", read_task},
    {"method", wlab_exp_read_method},
    {"or", wlab_exp_read_or},
    {"tune", read_tune},
    {"repeat", read_repeat},
    {"continue", read_continue},
    {"eval", read_eval},
    {"published", read_later},
    {"table", read_later},
    {"curve", read_later},
    {NULL, NULL},
};

wlab_code wlab_exp_read_line(wlab_exp_file *f, const wlab_exp_line *l)
{
    const char *names[32];
    size_t n = 0;

    for (; wlab_exp_line_words[n].name; n++) {
        names[n] = wlab_exp_line_words[n].name;
        if (strcmp(l->w.name, names[n]) != 0)
            continue;
        wlab_code code = wlab_exp_line_words[n].read(f, l);
        f->in_method = strcmp(names[n], "method") == 0 || strcmp(names[n], "or") == 0;
        return code;
    }
    if (strcmp(l->w.name, "algo") == 0)
        return wlab_exp_fail(f, l->number, l->w.column,
                             "an experiment needs a name for each algorithm: `method NAME algo %.60s`",
                             l->w.n > 0 ? l->w.word[0] : "...");
    const char *near = wlab_nearest(l->w.name, names, n);
    if (near)
        return wlab_exp_fail(f, l->number, l->w.column,
                             "no line of an experiment begins with \"%.60s\"; did you mean \"%s\"?",
                             l->w.name, near);
    return wlab_exp_fail(
        f, l->number, l->w.column,
        "no line of an experiment begins with \"%.60s\"; there are title, load, generate, scale, "
        "split, task, method, or, tune, repeat, continue, eval, published, table, curve",
        l->w.name);
}

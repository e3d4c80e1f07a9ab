/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * published, table, curve: published numbers to compare with, and the tables and curves to make from the results.
 */
#include "study/experiment/reports.h"
#include "model/width.h"
#include "study/table/table.h"
#include <math.h>
#include <string.h>

static const wlab_exp_brace *find_brace(const wlab_exp_file *f, const char *key, size_t len)
{
    for (int b = 0; b < f->nbraces; b++)
        if (strlen(f->brace[b].key) == len && strncmp(f->brace[b].key, key, len) == 0)
            return &f->brace[b];
    return NULL;
}

static int find_data(const wlab_experiment *e, const char *name, size_t len)
{
    for (int d = 0; d < e->ndata; d++)
        if (strlen(e->data[d].name) == len && strncmp(e->data[d].name, name, len) == 0)
            return d;
    return -1;
}

static int find_method(const wlab_experiment *e, const char *name)
{
    for (int m = 0; m < e->nmethods; m++)
        if (strcmp(e->method[m].name, name) == 0)
            return m;
    return -1;
}

/* WL_EINPUT: the first `len` characters of word i are none of the names; suggests the nearest one. */
static wlab_code fail_unknown(const wlab_exp_file *f, const wlab_exp_line *l, int i, size_t len,
                              const char *what, const char **names, int n)
{
    char *word = wlab_strndup(l->w.word[i], len);
    wlab_code code;

    if (!word)
        return wlab_nomem(f->err);
    const char *near = wlab_nearest(word, names, (size_t)n);
    if (near)
        code = wlab_exp_fail(f, l->number, l->w.at[i], "no %s \"%.60s\"; did you mean \"%.60s\"?", what, word,
                             near);
    else
        code = wlab_exp_fail(f, l->number, l->w.at[i], "no %s \"%.60s\" in this experiment", what, word);
    wlab_free(word);
    return code;
}

static wlab_code fail_unknown_key(const wlab_exp_file *f, const wlab_exp_line *l, int i, size_t len)
{
    const wlab_experiment *e = f->e;
    int n = 0;
    const char **names = wlab_alloc((size_t)(e->ndata + f->nbraces + 1), sizeof *names);

    if (!names)
        return wlab_nomem(f->err);
    for (int d = 0; d < e->ndata; d++)
        names[n++] = e->data[d].name;
    for (int b = 0; b < f->nbraces; b++)
        names[n++] = f->brace[b].key;
    names[n++] = "repeats";
    wlab_code code = fail_unknown(f, l, i, len, "data set or setting", names, n);
    wlab_free(names);
    return code;
}

/* ---- published ---- */

static bool real_of(const char *text, size_t len, double *value)
{
    char number[64];

    if (len >= sizeof number)
        return false;
    memcpy(number, text, len);
    number[len] = '\0';
    return wlab_parse_real(number, value);
}

/* "MEAN" or "MEAN+-SD"; the sign may also be a plus-minus sign in UTF-8. */
static bool read_number(const char *text, double *mean, double *deviation)
{
    const char *sign = strstr(text, "+-"), *other = strstr(text, "\xc2\xb1");

    if (!sign || (other && other < sign))
        sign = other;
    *deviation = NAN;
    if (!sign)
        return wlab_parse_real(text, mean);
    return real_of(text, (size_t)(sign - text), mean) && wlab_parse_real(sign + 2, deviation) &&
           *deviation >= 0;
}

static size_t first_part(const char *word)
{
    const char *sign = strchr(word, '=');
    return sign && sign > word ? (size_t)(sign - word) : 0;
}

/* Read the settings of a published line.  chosen[brace]: -1 before, afterwards the index of its value; a brace with one
 * value may be omitted, any other missing one is an error.  *repeats: set if the line gives repeats=. */
static wlab_code choose_setting(const wlab_exp_file *f, const wlab_exp_line *l, int *chosen, int *repeats)
{
    wlab_code code = WL_OK;

    for (int i = 1; !code && i < l->w.n; i++) {
        const char *word = l->w.word[i];
        size_t len = first_part(word);
        const wlab_exp_brace *b = find_brace(f, word, len);
        const char *value = word + len + 1;
        if (len == 0) {
            code = wlab_exp_fail(f, l->number, l->w.at[i],
                                 "\"%.60s\" is not DATA=mean+-deviation, nor a setting's key=value", word);
        } else if (b) {
            int k = 0;
            while (k < b->n && strcmp(b->value[k], value) != 0)
                k++;
            if (k == b->n) {
                const char *near = wlab_nearest(value, (const char *const *)b->value, (size_t)b->n);
                code = wlab_exp_fail(f, l->number, l->w.at[i],
                                     "no setting has %.60s; the braces of line %ld give %s%s=%.60s", word,
                                     b->line, near || b->n == 1 ? "" : "for example ", b->key,
                                     near ? near : b->value[0]);
            } else if (chosen[b - f->brace] >= 0) {
                code = wlab_exp_fail(f, l->number, l->w.at[i], "\"%s=\" is given twice; keep one", b->key);
            }
            chosen[b - f->brace] = k;
        } else if (len == 7 && strncmp(word, "repeats", 7) == 0 && find_data(f->e, word, len) < 0) {
            int64_t number = 0;
            if (!wlab_parse_int(value, &number) || number < 1 || number > INT32_MAX)
                code = wlab_exp_fail(
                    f, l->number, l->w.at[i],
                    "%.60s: must be an integer >= 1 (how many repetitions the numbers are from)", word);
            *repeats = (int)number;
        } else if (find_data(f->e, word, len) < 0) {
            code = fail_unknown_key(f, l, i, len);
        }
    }
    for (int b = 0; !code && b < f->nbraces; b++)
        if (chosen[b] < 0 && f->brace[b].n == 1)
            chosen[b] = 0;
        else if (chosen[b] < 0)
            code = wlab_exp_fail(f, l->number, l->w.column,
                                 "the setting of these numbers is missing: for example, add %s=%.60s",
                                 f->brace[b].key, f->brace[b].value[0]);
    return code;
}

static wlab_code add_published(wlab_exp_file *f, const wlab_exp_line *l, int i, wlab_exp_published p)
{
    wlab_experiment *e = f->e;
    const char *word = l->w.word[i];
    size_t len = first_part(word);

    p.data = find_data(e, word, len);
    if (!read_number(word + len + 1, &p.mean, &p.deviation))
        return wlab_exp_fail(f, l->number, l->w.at[i],
                             "%.60s: must be a mean, or a mean and a deviation, as in %.40s=.70+-.08", word,
                             e->data[p.data].name);
    for (int k = 0; k < e->npublished; k++) {
        const wlab_exp_published *q = &e->published[k];
        if (q->data == p.data && q->setting == p.setting && strcmp(q->name, p.name) == 0)
            return wlab_exp_fail(f, l->number, l->w.at[i],
                                 "the number of %.60s on %.60s is given twice; keep one", p.name,
                                 e->data[p.data].name);
    }
    if (e->npublished >= WLAB_EXP_MOST)
        return wlab_exp_fail(f, l->number, l->w.at[i], "there are more than %d published numbers",
                             WLAB_EXP_MOST);
    wlab_code code = wlab_exp_reserve(&e->published, e->npublished, sizeof *e->published, f->err);
    if (code)
        return code;
    if (!(p.name = wlab_strdup(p.name)))
        return wlab_nomem(f->err);
    e->published[e->npublished++] = p;
    return WL_OK;
}

wlab_code wlab_exp_published_line(wlab_exp_file *f, const wlab_exp_line *l)
{
    wlab_exp_published p = {0};
    int before = f->e->npublished;

    if (l->w.n == 0 || (l->w.plain[0] && first_part(l->w.word[0])))
        return wlab_exp_fail(f, l->number, l->w.n ? l->w.at[0] : l->w.column,
                             "published takes a method and numbers, as in `published SVM heart=.70+-.08`");
    int *chosen = wlab_alloc((size_t)f->nbraces + 1, sizeof *chosen);
    if (!chosen)
        return wlab_nomem(f->err);
    for (int b = 0; b < f->nbraces; b++)
        chosen[b] = -1;
    wlab_code code = choose_setting(f, l, chosen, &p.repeats);
    for (int b = 0; !code && b < f->nbraces; b++)
        p.setting = p.setting * f->brace[b].n + chosen[b];
    p.method = find_method(f->e, l->w.word[0]);
    p.name = l->w.word[0];
    for (int i = 1; !code && i < l->w.n; i++) {
        size_t len = first_part(l->w.word[i]);
        bool repeats = len == 7 && strncmp(l->w.word[i], "repeats", 7) == 0;
        if (!find_brace(f, l->w.word[i], len) && !(repeats && find_data(f->e, "repeats", 7) < 0))
            code = add_published(f, l, i, p);
    }
    wlab_free(chosen);
    if (!code && f->e->npublished == before)
        code = wlab_exp_fail(f, l->number, l->w.column,
                             "no number is given, as in `published %.60s %.60s=.70+-.08`", l->w.word[0],
                             f->e->data[0].name);
    return code;
}

/* ---- table, curve ---- */

static const char *const eval_scores[] = {
    "accuracy", "error", "balanced_accuracy", "precision", "recall", "f1", "auc", "label_accuracy", "n",
    "skipped", "tp", "fn", "fp", "tn",
    /* of more than two classes, and of clusters */
    "macro_f1", "nmi", "ari",
    /* of bags */
    "relevant", "predicted_relevant", "roi_successes", "success_relevant", "success_rois", "success",
    "proportion_error", "total_proportion_error", "largest_proportion_error", "rows_off"};

enum {
    OF_EVAL = sizeof eval_scores / sizeof *eval_scores,
    OF_BAGS = OF_EVAL - 10, /* from here on scores of bags: with labels, then with proportions */
    OF_PROPORTIONS = OF_EVAL - 4
};

/* The part of a score's name after its rows: "accuracy" in "unlabeled_accuracy", if `eval` scores unlabeled rows after
 * other rows.  The whole name if it has no rows in front. */
static const char *skip_rows(const wlab_experiment *e, const char *name)
{
    const char *rows = e->eval + strlen("eval ");

    for (rows += strcspn(rows, " "); *rows; rows += strcspn(rows + 1, " ") + 1) {
        size_t len = strcspn(rows + 1, " ");

        if (strncmp(name, rows + 1, len) == 0 && name[len] == '_')
            return name + len + 1;
    }
    return name;
}

int wlab_exp_score_rows(const wlab_experiment *e, const char *score, const char **rows)
{
    const char *part = skip_rows(e, score), *first = e->eval + strlen("eval ");

    if (part != score) {
        *rows = score;
        return (int)(part - score) - 1;
    }
    *rows = first;
    for (int k = 0; k < OF_EVAL; k++)
        if (strcmp(score, eval_scores[k]) == 0)
            return (int)strcspn(first, " ");
    return 0;
}

/* The name of a task that is scored in this way. */
static const char *task_scored(wlab_scored how)
{
    int t = 0;

    while (wlab_tasks[t + 1] && wlab_tasks[t]->scored != how)
        t++;
    return wlab_tasks[t]->name;
}

/* Word i must, after `skip` characters, name a score that the cells may have: one of `eval`, a metric of one of the
 * algorithms, or a time. */
static wlab_code check_score(const wlab_exp_file *f, const wlab_exp_line *l, int i, size_t skip)
{
    const char *name = l->w.word[i] + skip, *part = skip_rows(f->e, name), *near;
    size_t n = OF_EVAL, most = n;
    const char **names;
    bool found = false;
    wlab_code code = WL_OK;

    for (int k = 0; wlab_cell_scores[k]; k++)
        most++;
    for (int a = 0; a < f->nalternatives; a++)
        most += (size_t)wlab_metric_count(f->alternative[a].algo);
    names = wlab_alloc(most, sizeof *names);
    if (!names)
        return wlab_nomem(f->err);
    memcpy(names, eval_scores, sizeof eval_scores);
    for (int k = 0; part == name && wlab_cell_scores[k]; k++)
        names[n++] = wlab_cell_scores[k];
    for (int a = 0; part == name && a < f->nalternatives; a++)
        for (int k = 0; k < wlab_metric_count(f->alternative[a].algo); k++)
            names[n++] = f->alternative[a].algo->metrics[k].name;
    for (size_t k = 0; k < n && !found; k++)
        found = strcmp(names[k], part) == 0;
    for (int k = OF_BAGS; !code && found && k < OF_EVAL; k++) {
        const wlab_scored of = k >= OF_PROPORTIONS ? WL_SCORED_PROPORTIONS : WL_SCORED_BAGS;
        if (of != f->e->task->scored && strcmp(part, eval_scores[k]) == 0)
            code = wlab_exp_fail(f, l->number, l->w.at[i], "%.60s is a score of the task %s, not of %s", name,
                                 task_scored(of), f->e->task->name);
    }
    near = found ? NULL : wlab_nearest(part, names, n);
    if (!found && near)
        code = wlab_exp_fail(f, l->number, l->w.at[i], "no score \"%.60s\"; did you mean \"%.*s%.60s\"?",
                             name, (int)(part - name), name, near);
    else if (!found)
        code = wlab_exp_fail(f, l->number, l->w.at[i],
                             "no score \"%.60s\": there are those of `eval`, such as accuracy, error, "
                             "balanced_accuracy, f1, auc "
                             "(as unlabeled_accuracy for rows that it does not score first), the metrics of "
                             "the methods, seconds, "
                             "tuning_seconds, iter",
                             name);
    wlab_free(names);
    return code;
}

/* Is it the name of a score of `eval` or of a cell, or of a method's metric? */
static bool is_score(const wlab_exp_file *f, const char *name)
{
    const char *part = skip_rows(f->e, name);
    bool found = false;

    for (int k = 0; k < OF_EVAL && !found; k++)
        found = strcmp(part, eval_scores[k]) == 0;
    for (int k = 0; wlab_cell_scores[k] && !found; k++)
        found = strcmp(name, wlab_cell_scores[k]) == 0;
    for (int a = 0; a < f->nalternatives && !found; a++)
        found = wlab_metric_index(f->alternative[a].algo, name) >= 0;
    return found;
}

/* Check the methods that methods= names, if the line has it; against (NULL: none), word `at`, must be one of them. */
static wlab_code check_methods(const wlab_exp_file *f, const wlab_exp_line *l, const char *against, int at)
{
    static const char key[] = "methods=";
    bool *chosen = wlab_alloc((size_t)f->e->nmethods, sizeof *chosen);
    wlab_code code = chosen ? WL_OK : wlab_nomem(f->err);

    for (int i = 0; !code && i < l->w.n; i++) {
        if (strncmp(l->w.word[i], key, sizeof key - 1) != 0)
            continue;
        code = wlab_methods_choose(f->e, l->w.word[i] + sizeof key - 1, chosen, f->err);
        code = wlab_exp_set_place(f, code, l->number, l->w.at[i]);
        int m = !code && against ? find_method(f->e, against) : -1;
        if (m >= 0 && !chosen[m])
            code = wlab_exp_fail(f, l->number, l->w.at[at],
                                 "%.60s is not among the methods of this table; add it to methods=", against);
    }
    wlab_free(chosen);
    return code;
}

/* Clears `rest`. */
static wlab_code add_report(wlab_exp_file *f, const wlab_exp_line *l, bool curve, wlab_buf *rest)
{
    wlab_experiment *e = f->e;

    if (e->nreports >= WLAB_EXP_MOST)
        return wlab_exp_fail(f, l->number, l->w.column, "there are more than %d tables and curves",
                             WLAB_EXP_MOST);
    wlab_code code = wlab_exp_reserve(&e->report, e->nreports, sizeof *e->report, f->err);
    if (code)
        return code;
    e->report[e->nreports] = (wlab_exp_report){.curve = curve, .at = l->number};
    code = wlab_exp_buf_text(rest, &e->report[e->nreports].rest, f->err);
    e->nreports += !code;
    return code;
}

wlab_code wlab_exp_table_line(wlab_exp_file *f, const wlab_exp_line *l)
{
    int at[1];
    wlab_buf text = {0};
    const char *against = NULL;
    int against_at = 0;
    wlab_code code = WL_OK;

    if (wlab_exp_words(l, 0, l->w.n, at, 1))
        code = is_score(f, l->w.word[at[0]])
                   ? wlab_exp_fail(f, l->number, l->w.at[at[0]], "\"%.60s\": did you mean score=%.60s?",
                                   l->w.word[at[0]], l->w.word[at[0]])
                   : wlab_exp_stray(f, l, at[0]);
    if (!code)
        code = wlab_exp_settings(f, l, 0, l->w.n, wlab_table_params, WL_BRACES_NONE, false, NULL, &text);
    for (int i = 0; !code && i < l->w.n; i++) {
        const char *name = l->w.word[i] + strlen("against=");
        if (strncmp(l->w.word[i], "score=", 6) == 0)
            code = check_score(f, l, i, 6);
        if (!code && strcmp(l->w.word[i], "rows=settings") == 0 && f->e->nsettings < 2)
            code = wlab_exp_fail(
                f, l->number, l->w.at[i],
                "there is one setting only: put values in braces in generate, split or task to get "
                "several");
        if (!code && strncmp(l->w.word[i], "against=", 8) == 0) {
            against = name;
            against_at = i;
        }
        if (strncmp(l->w.word[i], "against=", 8) != 0 || strcmp(name, "none") == 0 ||
            find_method(f->e, name) >= 0)
            continue;
        const char **names = wlab_alloc((size_t)f->e->nmethods, sizeof *names);
        if (!names)
            code = wlab_nomem(f->err);
        for (int m = 0; !code && m < f->e->nmethods; m++)
            names[m] = f->e->method[m].name;
        const char *near = code ? NULL : wlab_nearest(name, names, (size_t)f->e->nmethods);
        if (!code)
            code = wlab_exp_fail(f, l->number, l->w.at[i], "no method \"%.60s\"%s%.60s%s", name,
                                 near ? "; did you mean \"" : " in this experiment", near ? near : "",
                                 near ? "\"?" : "");
        wlab_free(names);
    }
    if (!code)
        code = check_methods(f, l, against, against_at);
    if (!code && text.len > 0) { /* drop the blank before the first setting */
        memmove(text.data, text.data + 1, text.len);
        text.len--;
    }
    if (!code)
        code = add_report(f, l, false, &text);
    wlab_buf_clear(&text);
    return code;
}

const char *wlab_exp_unit(const char *value)
{
    size_t len = strlen(value), unit = len > 1 && value[len - 1] == '%';

    for (int i = 0; !unit && wlab_width_units[i]; i++) {
        const size_t n = strlen(wlab_width_units[i]);
        if (len > n && strcmp(value + len - n, wlab_width_units[i]) == 0)
            unit = n;
    }
    return value + len - unit;
}

bool wlab_exp_number(const char *value, double *number)
{
    return real_of(value, (size_t)(wlab_exp_unit(value) - value), number);
}

/* What a value with this unit is, for messages. */
static const char *kind_of(const char *unit)
{
    return !*unit ? "a number" : *unit == '%' ? "a percentage" : "a multiple";
}

#define UNITS                                                                                                \
    "%s=%.60s is %s and %s=%.60s %s, so they have no common axis: give all values of %s the same unit, or "  \
    "use a table"
#define UNITS_OF(key, a, b) key, a, kind_of(wlab_exp_unit(a)), key, b, kind_of(wlab_exp_unit(b)), key

wlab_code wlab_exp_fail_units(const char *key, const char *value, const char *other, wlab_err *err)
{
    return wlab_fail(err, WL_EARG, UNITS, UNITS_OF(key, value, other));
}

/* The word after `vs` must be a key with numbers in braces, or a score of every cell, such as seconds. */
static wlab_code check_axis(const wlab_exp_file *f, const wlab_exp_line *l, int i)
{
    const char *key = l->w.word[i];
    const wlab_exp_brace *b = find_brace(f, key, strlen(key));
    double number;

    for (int k = 0; wlab_cell_scores[k]; k++)
        if (strcmp(key, wlab_cell_scores[k]) == 0)
            return WL_OK;
    if (!b) {
        const char **names = wlab_alloc((size_t)f->nbraces + 1, sizeof *names);
        if (!names)
            return wlab_nomem(f->err);
        for (int k = 0; k < f->nbraces; k++)
            names[k] = f->brace[k].key;
        names[f->nbraces] = "seconds";
        wlab_code code = fail_unknown(f, l, i, strlen(key), "setting in braces", names, f->nbraces + 1);
        wlab_free(names);
        return code;
    }
    for (int k = 0; k < b->n; k++) {
        if (!wlab_exp_number(b->value[k], &number))
            return wlab_exp_fail(f, l->number, l->w.at[i],
                                 "%s=%.60s is not a number, so %s cannot be an axis", b->key, b->value[k],
                                 b->key);
        if (strcmp(wlab_exp_unit(b->value[k]), wlab_exp_unit(b->value[0])) != 0)
            return wlab_exp_fail(f, l->number, l->w.at[i], UNITS, UNITS_OF(b->key, b->value[0], b->value[k]));
    }
    return WL_OK;
}

/* A picture is written to the folder of the results, so it must be a name without a folder. */
static wlab_code check_picture(const wlab_exp_file *f, const wlab_exp_line *l, int i)
{
    static const char *const ending[] = {".png", ".svg", ".pdf", ".txt"};
    const char *name = l->w.word[i], *dot = strrchr(name, '.');

    for (size_t k = 0; k < sizeof ending / sizeof *ending; k++)
        if (dot && dot > name && strcmp(dot, ending[k]) == 0 && name[0] != '.' && !strchr(name, '/'))
            return WL_OK;
    return wlab_exp_fail(
        f, l->number, l->w.at[i],
        "\"%.60s\": a picture is written to the folder of the results; give a name that ends in "
        ".png, .svg, .pdf or .txt, without a folder",
        name);
}

wlab_code wlab_exp_curve_line(wlab_exp_file *f, const wlab_exp_line *l)
{
    enum {
        MOST = 6
    };
    wlab_buf settings = {0}, text = {0};
    int at[MOST], n = wlab_exp_words(l, 0, l->w.n, at, MOST);
    bool vs = false, to = false;

    if (n == 0)
        return wlab_exp_fail(f, l->number, l->w.column,
                             "curve takes a score: `curve accuracy vs labeled [to FILE] [key=value...]`");
    wlab_code code = check_score(f, l, at[0], 0);
    if (n >= MOST)
        return wlab_exp_fail(f, l->number, l->w.at[at[5]], "\"%.60s\": remove it, a `curve` line ends here",
                             l->w.word[at[5]]);
    for (int i = 1; i < n && !code; i += 2) {
        const char *word = l->w.word[at[i]];
        bool *given = strcmp(word, "vs") == 0 ? &vs : strcmp(word, "to") == 0 ? &to : NULL;

        if (!given || *given)
            code = wlab_exp_fail(f, l->number, l->w.at[at[i]],
                                 "\"%.60s\": a curve line is `curve SCORE [vs KEY] [to FILE] [key=value...]`",
                                 word);
        else if (i + 1 == n)
            code = wlab_exp_fail(f, l->number, l->w.at[at[i]],
                                 given == &to ? "the name of a file must follow `to`"
                                              : "a setting in braces must follow `vs`");
        else
            code = given == &to ? check_picture(f, l, at[i + 1]) : check_axis(f, l, at[i + 1]);
        if (given)
            *given = true;
    }
    if (!code)
        code = wlab_exp_settings(f, l, 0, l->w.n, wlab_curve_params, WL_BRACES_NONE, false, NULL, &settings);
    for (int i = 0; !code && i < l->w.n; i++) {
        const char *name = l->w.word[i] + strlen("data=");
        if (strncmp(l->w.word[i], "data=", 5) == 0 && find_data(f->e, name, strlen(name)) < 0)
            code = wlab_exp_fail(f, l->number, l->w.at[i], "no data set \"%.60s\" in this experiment", name);
    }
    if (!code)
        code = check_methods(f, l, NULL, 0);
    if (!code && wlab_buf_printf(&text, "%s", l->w.rest))
        code = wlab_nomem(f->err);
    if (!code)
        code = add_report(f, l, true, &text);
    wlab_buf_clear(&settings);
    wlab_buf_clear(&text);
    return code;
}

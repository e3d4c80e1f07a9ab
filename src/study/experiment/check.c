/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The part of an experiment's check that reads the data: for each data set, a session of its own loads or generates it,
 * splits it and sets its task once for each setting.
 */
#include "session/command.h"
#include "study/experiment/file.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static void ignore_text(void *self, const char *text)
{
    (void)self;
    (void)text;
}

static void ignore_object(void *self, const json_t *object)
{
    (void)self;
    (void)object;
}

static const wlab_sink silent = {
    .text = ignore_text, .message = ignore_text, .object = ignore_object, .json = true};

typedef struct checking {
    wlab_experiment *e;
    wlab_session *s; /* for one data set */
    int data;
    char *data_line; /* the data line executed last */
    char **path;     /* [paths] files that its sum contains so far */
    int paths;
    char *split; /* the split line executed last on it; NULL: none */
    wlab_ctx *ctx;
    wlab_err *err;
} checking;

/* Give the error the place of a word in line `number` (wlab_exp_column).  The error's own place in a data file, if
 * there is one, becomes part of the message, after `about`. */
static wlab_code set_place(checking *c, wlab_code code, long number, const char *word, const char *about)
{
    wlab_err first = *c->err;
    char text[sizeof first.message + sizeof first.file + 64] = "";

    if (code == WL_OK || code == WL_ENOMEM || code == WL_EINTERRUPTED)
        return code;
    if (first.file[0])
        wlab_err_format(&first, text, sizeof text);
    return wlab_fail_at(c->err, c->e->path, number, wlab_exp_column(c->e, number, word), "%s%s%s", about,
                        *about ? ": " : "", text[0] ? text : first.message);
}

/* The number of the line that begins with this word; 1 if there is none. */
static long find_line(const wlab_experiment *e, const char *word)
{
    long number = 1;
    size_t len = strlen(word);

    for (const char *p = e->text; p; number++) {
        const char *w = p + strspn(p, " \t\r\xef\xbb\xbf");
        if (strncmp(w, word, len) == 0 && (w[len] == '\0' || strchr(" \t\r\n", w[len])))
            return number;
        p = strchr(p, '\n');
        p += p ? 1 : 0;
    }
    return 1;
}

/* "heart, labeled=5%": what the message is about. */
static char *about(const checking *c, int setting)
{
    const char *name = c->e->setting[setting].name;
    return wlab_format("%s%s%s", c->e->data[c->data].name, *name ? ", " : "", name);
}

static wlab_code run_line(checking *c, const char *line)
{
    memset(c->err, 0, sizeof *c->err);
    return wlab_session_line(c->s, line, WL_FROM_SCRIPT, NULL, 0, c->err);
}

/* ---- paths ---- */

/* Find the file relative to the experiment, else in the folders of `load`.  home_too: the path may begin with `~/`,
 * which is allowed for data sets, as their paths are made absolute here. */
static wlab_code find_file(checking *c, const char *path, bool home_too, char **found)
{
    char *other = NULL;
    wlab_code code = wlab_exp_beside(c->e, path, found, c->err);

    if (code || *found)
        return code;
    wlab_places places;
    wlab_session_places(c->s, &places);
    if (home_too && path[0] == '~' && path[1] == '/' && places.home) {
        char *home = wlab_format("%s%s", places.home, path + 1);
        code = home ? wlab_session_find_file(c->s, home, &other, c->err) : wlab_nomem(c->err);
        wlab_free(home);
    } else {
        code = wlab_session_find_file(c->s, path, &other, c->err);
    }
    if (!code)
        code = wlab_exp_absolute(other, found, c->err);
    wlab_free(other);
    return code;
}

/* Make the paths in the data line absolute. */
static wlab_code make_paths_absolute(checking *c)
{
    wlab_exp_data *d = &c->e->data[c->data];
    wlab_phrase w = {0};
    wlab_buf out = {0};
    size_t pos = 0;
    bool more;
    wlab_code code = wlab_phrase_read(&w, d->line, &pos, &more, c->err);
    bool load = !code && strcmp(w.name, "load") == 0;

    if (!code && wlab_buf_put(&out, w.name, strlen(w.name)))
        code = wlab_nomem(c->err);
    for (int i = 0; !code && i < w.n; i++) {
        size_t len = w.plain[i] ? wlab_setting_length(w.word[i]) : 0;
        size_t value = len ? len + 1 : 0;
        char *found = NULL;
        bool file = load && i == 0;
        for (const wlab_param_info *p = load && len ? wlab_load_params : NULL; p && p->name; p++)
            file = file ||
                   (p->type == WL_P_FILE && strlen(p->name) == len && strncmp(p->name, w.word[i], len) == 0);
        if (file)
            code = find_file(c, w.word[i] + value, true, &found);
        if (code) {
            code = set_place(c, code, d->at, len ? w.word[i] : "", "");
            break;
        }
        if (wlab_buf_printf(&out, " %.*s", (int)value, w.word[i]) ||
            ((value == 0 || w.word[i][value]) && wlab_buf_quote(&out, found ? found : w.word[i] + value)))
            code = wlab_nomem(c->err);
        wlab_free(found);
    }
    if (!code) {
        wlab_free(d->line);
        d->line = NULL;
        code = wlab_exp_buf_text(&out, &d->line, c->err);
    }
    wlab_buf_clear(&out);
    wlab_phrase_clear(&w);
    return code;
}

/* ---- sums ---- */

/* Append the sum of the file `found`, which the setting `key` names, to `sums`, unless `sums` has that file already.
 * seed: the seed in the file's name, or -1.  Takes ownership of `found`. */
static wlab_code add_file(checking *c, const char *key, char *found, int64_t seed, wlab_buf *sums)
{
    char hex[65], whose[32] = "";

    for (int i = c->paths - 1; i >= 0; i--)
        if (strcmp(c->path[i], found) == 0) {
            wlab_free(found);
            return WL_OK;
        }
    wlab_code code = wlab_list_add(&c->path, &c->paths, found, c->err);
    code = code ? code : wlab_file_sha256(found, hex, c->ctx, c->err);
    if (seed >= 0)
        snprintf(whose, sizeof whose, "%lld ", (long long)seed);
    if (!code && wlab_buf_printf(sums, "%s %s%s\n", key, whose, hex))
        code = wlab_nomem(c->err);
    return code;
}

/* Append the sums of the files that settings of `line` name; seedless: the same line with {seed} not replaced. */
static wlab_code add_files(checking *c, const char *line, const char *seedless, int64_t seed, wlab_buf *sums)
{
    wlab_phrase w = {0}, written = {0};
    size_t pos = 0, from = 0;
    bool more;
    wlab_code code = wlab_phrase_read(&w, line, &pos, &more, c->err);
    code = code ? code : wlab_phrase_read(&written, seedless, &from, &more, c->err);
    const wlab_param_info *table = code ? NULL : wlab_exp_table(w.name, w.n > 0 ? w.word[0] : NULL);

    for (int i = 0; !code && i < w.n; i++) {
        size_t len = w.plain[i] ? wlab_setting_length(w.word[i]) : 0;
        for (const wlab_param_info *p = len ? table : NULL; !code && p && p->name; p++) {
            const char *value = w.word[i] + len + 1;
            bool at = p->type == WL_P_TEXT && value[0] == '@';
            char *found = NULL;
            if (strlen(p->name) != len || strncmp(p->name, w.word[i], len) != 0 ||
                !(p->type == WL_P_FILE || at))
                continue;
            bool each = i < written.n && strstr(written.word[i], "{seed}");
            code = find_file(c, value + at, false, &found);
            code = code ? code : add_file(c, p->name, found, each ? seed : -1, sums);
        }
    }
    wlab_phrase_clear(&w);
    wlab_phrase_clear(&written);
    return code;
}

/* ---- data, settings ---- */

static wlab_code fill_line(checking *c, const char *line, int setting, int64_t seed, char **text)
{
    const wlab_experiment *e = c->e;
    wlab_buf out = {0};
    wlab_code code = wlab_exp_fill(e, line, WL_FORM_RUN, setting, c->data, seed, e->folds > 0, &out, c->err);

    if (!code)
        code = wlab_exp_buf_text(&out, text, c->err);
    wlab_buf_clear(&out);
    return code;
}

/* Execute the data line with the values of a setting, unless that is the line executed last.  *executed: whether the
 * line was executed. */
static wlab_code run_data_line(checking *c, int setting, bool *executed)
{
    char *text = NULL;
    wlab_exp_data *d = &c->e->data[c->data];
    wlab_code code = fill_line(c, d->line, setting, c->e->seed[0], &text);

    *executed = !code && (!c->data_line || strcmp(c->data_line, text) != 0);
    if (*executed)
        code = set_place(c, run_line(c, text), d->at, "", "");
    wlab_free(c->data_line);
    c->data_line = text;
    return code;
}

/* Split and scale the data if they are new or the split line differs from the last one. */
static wlab_code split_and_scale(checking *c, int setting, bool new_data)
{
    wlab_experiment *e = c->e;
    char *text = NULL, *what = about(c, setting);
    wlab_code code = what ? WL_OK : wlab_nomem(c->err);

    if (!code && e->split)
        code = fill_line(c, e->split, setting, e->seed[0], &text);
    if (!code && (new_data || (text && (!c->split || strcmp(c->split, text) != 0)))) {
        /* scale the original data, not the scaled ones of another setting */
        (void)wlab_session_use_data(c->s, e->data[c->data].name);
        if (text)
            code = set_place(c, run_line(c, text), find_line(e, "split"), NULL, what);
        int64_t train = 0, test = 0;
        code = code ? code : wlab_session_split(c->s, &train, &test, c->err);
        const double ratio = !code && test ? (double)test / (double)train : NAN;
        if (!(e->test_ratio >= ratio) && !isnan(ratio) && e->folds < 2)
            e->test_ratio = ratio;
        if (!code && e->scale)
            code = set_place(c, run_line(c, e->scale), find_line(e, "scale"), NULL, what);
    }
    wlab_free(c->split);
    c->split = text;
    wlab_free(what);
    return code;
}

/* The line and column of NAME in "algo NAME ..."  of method m; if it is not found, those of the method's line. */
static void find_algorithm_name(const wlab_experiment *e, const wlab_exp_method *m, const char *name,
                                long *line, long *column)
{
    const size_t len = strlen(name);
    long number = 1;

    *line = m->at;
    *column = wlab_exp_column(e, m->at, NULL);
    for (const char *p = e->text; p; number++) {
        const char *stop = p + strcspn(p, "\n");
        for (const char *at = p; number >= m->at && at < stop; at++) {
            const char *w = at + 4;
            if ((at > p && !strchr(" \t", at[-1])) || strncmp(at, "algo", 4) != 0 || !strchr(" \t", *w))
                continue;
            w += strspn(w, " \t");
            if (strncasecmp(w, name, len) == 0 && (!w[len] || strchr(" \t\r\n;#", w[len]))) {
                *line = number;
                *column = w - p + 1;
                return;
            }
        }
        p = *stop ? stop + 1 : NULL;
    }
}

/* Every algorithm of every method must accept the problem, as `algo` will check. */
static wlab_code check_algorithms(checking *c, const wlab_problem *p, const char *what)
{
    const wlab_experiment *e = c->e;
    wlab_code code = WL_OK;

    for (int m = 0; m < e->nmethods; m++)
        for (int a = 0; a < e->method[m].alternatives; a++) {
            const char *text = e->method[m].algo[a];
            char *name = wlab_strndup(text, strcspn(text, " "));
            const wlab_algo *algo = name ? wlab_algo_find(name) : NULL, *of;
            long line, column;

            if (!name)
                return wlab_nomem(c->err);
            if (algo && !(code = wlab_algo_for(&of, algo, p, NULL, c->err)) && of != algo && e->until)
                code = wlab_fail(
                    c->err, WL_EARG,
                    "%s trains a binary classifier for each of %d classes, one after the other, and "
                    "`continue until` would end the run before the last: leave the condition out "
                    "(the algorithm's own settings end each classifier), or use "
                    "softmax-sdp or softmax-em",
                    name, p->classes);
            if (code) {
                wlab_err first = *c->err;
                find_algorithm_name(e, &e->method[m], name, &line, &column);
                code = wlab_fail_at(c->err, e->path, line, column, "%s: %s", what, first.message);
            }
            wlab_free(name);
            if (code)
                return code;
        }
    return WL_OK;
}

static wlab_code set_task(checking *c, int setting)
{
    char *text = NULL, *what = about(c, setting);
    wlab_code code = what ? fill_line(c, c->e->task_line, setting, c->e->seed[0], &text) : wlab_nomem(c->err);

    if (!code)
        code = set_place(c, run_line(c, text), find_line(c->e, "task"), NULL, what);
    const wlab_problem *p = code ? NULL : wlab_session_problem(c->s);
    if (p && strstr(c->e->eval, " unlabeled") && p->unlabelled == 0) {
        wlab_fail(c->err, WL_EARG, "there are no unlabeled rows to score: the task %s hides no labels here",
                  p->task->name);
        code = set_place(c, WL_EARG, find_line(c->e, "eval"), NULL, what);
    }
    if (p && !code && strstr(c->e->eval, "bags") && !p->bag) {
        wlab_fail(c->err, WL_EARG, "there are no bags to score: the task %s learns from rows here",
                  p->task->name);
        code = set_place(c, WL_EARG, find_line(c->e, "eval"), NULL, what);
    }
    if (p && !code)
        code = check_algorithms(c, p, what);
    wlab_free(text);
    wlab_free(what);
    return code;
}

/* Set the data set's sums.  `file` is that of its data file ("": generated).  `sha256` is the same, or, if settings
 * name files, a sum over `file` and the sums of these. */
static wlab_code finish_sum(checking *c, const char *file, wlab_buf *sums)
{
    wlab_exp_data *d = &c->e->data[c->data];
    bool load = strncmp(d->line, "load ", 5) == 0;

    snprintf(d->file, sizeof d->file, "%s", load ? file : "");
    if (sums->len == 0) {
        snprintf(d->sha256, sizeof d->sha256, "%s", load ? file : "");
        return WL_OK;
    }
    if (load && wlab_buf_printf(sums, "data %s\n", file))
        return wlab_nomem(c->err);
    wlab_sha256_hex(sums->data, sums->len, d->sha256);
    return WL_OK;
}

/* Report the remark clause by clause, because the text of an event is short. */
static void report_remark(const checking *c, const char *remark)
{
    for (const char *stop; *remark; remark = *stop ? stop + 2 : stop) {
        stop = strstr(remark, "; ");
        stop = stop ? stop : strchr(remark, '\0');
        wlab_emit_note(c->ctx, "%.60s: %.*s", c->e->data[c->data].name, (int)(stop - remark), remark);
    }
}

static wlab_code check_data(checking *c, const wlab_places *places)
{
    wlab_experiment *e = c->e;
    wlab_buf sums = {0};
    char file[65] = "";
    wlab_code code = wlab_session_create(&c->s, &silent, places,
                                         wlab_pool_threads(c->ctx ? c->ctx->pool : NULL), 1, c->err);

    if (code)
        return code;
    if (c->ctx && c->ctx->interrupt)
        wlab_session_ctx(c->s)->interrupt = c->ctx->interrupt;
    code = make_paths_absolute(c);
    for (int k = 0; !code && k < e->nsettings; k++) {
        bool executed = false;
        if (wlab_interrupted(c->ctx)) {
            code = wlab_fail(c->err, WL_EINTERRUPTED, "interrupted");
            break;
        }
        code = run_data_line(c, k, &executed);
        const wlab_dataset *read = !code && executed ? wlab_session_data(c->s) : NULL;
        if (read)
            memcpy(file, read->sha256, sizeof file);
        if (read && read->remark && k == 0) /* the remark of `load` */
            report_remark(c, read->remark);
        if (!code)
            code = split_and_scale(c, k, executed);
        if (!code)
            code = set_task(c, k);
        /* if the file name depends on the seed, sum the files of all seeds */
        bool every = strstr(e->task_line, "{seed}") != NULL;
        char *seedless = NULL;
        code = code ? code : fill_line(c, e->task_line, k, -1, &seedless);
        for (int r = 0; !code && r < (every ? e->nseeds : 1); r++) {
            char *text = NULL;
            code = fill_line(c, e->task_line, k, e->seed[r], &text);
            if (!code)
                code = set_place(c, add_files(c, text, seedless, e->seed[r], &sums), find_line(e, "task"),
                                 NULL, e->data[c->data].name);
            wlab_free(text);
        }
        wlab_free(seedless);
    }
    if (!code)
        code = set_place(c, add_files(c, e->data[c->data].line, e->data[c->data].line, -1, &sums),
                         e->data[c->data].at, NULL, "");
    if (!code)
        code = finish_sum(c, file, &sums);
    wlab_buf_clear(&sums);
    wlab_list_free(c->path, c->paths);
    c->path = NULL;
    c->paths = 0;
    c->data_line = wlab_free(c->data_line);
    c->split = wlab_free(c->split);
    wlab_session_destroy(c->s);
    c->s = NULL;
    return code;
}

wlab_code wlab_experiment_check(wlab_experiment *e, const wlab_places *places, wlab_ctx *ctx, wlab_err *err)
{
    wlab_err own = {0};
    checking c = {.e = e, .ctx = ctx, .err = err ? err : &own};
    wlab_code code = WL_OK;

    for (c.data = 0; !code && c.data < e->ndata; c.data++)
        code = check_data(&c, places);
    return code ? code : wlab_experiment_plan(e, c.err);
}

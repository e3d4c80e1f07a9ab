/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The plan of an experiment: its cells, their keys, and the lines that each cell executes.
 */
#include "study/experiment/file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- keys ---- */

/* SHA-256 of a buffer of lines; clears the buffer. */
static void hash_lines(wlab_buf *text, char hex[65])
{
    wlab_sha256_hex(text->data, text->len, hex);
    wlab_buf_clear(text);
}

static wlab_code put_line(const wlab_experiment *e, const char *line, int setting, int data, wlab_buf *out,
                          wlab_err *err)
{
    if (!line)
        return WL_OK;
    wlab_code code = wlab_exp_fill(e, line, WL_FORM_KEY, setting, data, 0, 0, out, err);
    if (!code && wlab_buf_put(out, "\n", 1))
        code = wlab_nomem(err);
    return code;
}

/* SHA-256 of the data and the lines before the algorithm. */
static wlab_code hash_before(const wlab_experiment *e, int setting, int data, char hex[65], wlab_err *err)
{
    const wlab_exp_data *d = &e->data[data];
    wlab_buf text = {0};
    wlab_code code = WL_OK;

    if (wlab_buf_printf(&text, "data %s\n", d->sha256))
        code = wlab_nomem(err);
    const char *line[] = {d->line, e->split, e->scale, e->task_line};
    for (int i = 0; !code && i < 4; i++)
        code = put_line(e, line[i], setting, data, &text, err);
    if (code)
        wlab_buf_clear(&text);
    else
        hash_lines(&text, hex);
    return code;
}

/* SHA-256 of a method with its candidates, tuning, run and evaluation. */
static wlab_code hash_method(const wlab_experiment *e, const wlab_exp_method *m, char hex[65], wlab_err *err)
{
    wlab_buf text = {0};
    bool failed = false;

    for (int i = 0; i < m->alternatives; i++)
        failed = failed || wlab_buf_printf(&text, "algo %s\n", m->algo[i]);
    for (const wlab_param_info *p = wlab_tune_params; m->candidates > 1 && e->tune && p->name; p++) {
        /* a default value gives the same sum whether it is written or not; a seed that is not written is the cell's,
         * which is hashed elsewhere */
        bool own = strcmp(p->name, "seed") != 0 || wlab_params_given(e->tune, p->name);
        const char *value = own ? wlab_params_text(e->tune, p->name) : NULL;
        failed = failed || wlab_buf_printf(&text, "tune %s=%s\n", p->name, value ? value : "");
    }
    failed = failed || wlab_buf_printf(&text, "%s\n%s\n", e->go, e->eval);
    if (failed) {
        wlab_buf_clear(&text);
        return wlab_nomem(err);
    }
    hash_lines(&text, hex);
    return WL_OK;
}

static void hash_cell(wlab_cell *c, const char *before, const char *method)
{
    char text[256];
    int n = snprintf(text, sizeof text, "weaklab cell 1\n%s\n%s\nseed=%lld fold=%d\n", before, method,
                     (long long)c->seed, c->fold);

    wlab_sha256_hex(text, (size_t)n, c->key);
}

static int by_key(const void *a, const void *b)
{
    const wlab_cell *x = *(const wlab_cell *const *)a, *y = *(const wlab_cell *const *)b;
    int order = strcmp(x->key, y->key);
    return order ? order : x->number < y->number ? -1 : x->number > y->number;
}

/* Two cells with the same key would be the same work under two names. */
static wlab_code refuse_twins(const wlab_experiment *e, const wlab_cell *cell, int64_t n, wlab_err *err)
{
    const wlab_cell **order = wlab_alloc((size_t)n, sizeof *order);

    if (!order)
        return wlab_nomem(err);
    for (int64_t i = 0; i < n; i++)
        order[i] = &cell[i];
    qsort(order, (size_t)n, sizeof *order, by_key);
    const wlab_cell *a = NULL, *b = NULL;
    for (int64_t i = 1; i < n; i++)
        if (strcmp(order[i - 1]->key, order[i]->key) == 0 && (!b || order[i]->number < b->number)) {
            a = order[i - 1];
            b = order[i];
        }
    wlab_free(order);
    if (!b)
        return WL_OK;
    if (a->method != b->method)
        return wlab_fail_at(err, e->path, e->method[b->method].at,
                            wlab_exp_column(e, e->method[b->method].at, ""),
                            "method %.60s is the same as %.60s in line %ld; keep one",
                            e->method[b->method].name, e->method[a->method].name, e->method[a->method].at);
    if (a->data != b->data)
        return wlab_fail_at(err, e->path, e->data[b->data].at, wlab_exp_column(e, e->data[b->data].at, ""),
                            "%.60s holds the same data as %.60s in line %ld; keep one", e->data[b->data].name,
                            e->data[a->data].name, e->data[a->data].at);
    return wlab_fail_at(err, e->path, e->data[b->data].at, wlab_exp_column(e, e->data[b->data].at, ""),
                        "the settings %.100s and %.100s are the same", e->setting[a->setting].name,
                        e->setting[b->setting].name);
}

/* ---- cells ---- */

static int64_t count_cells(const wlab_experiment *e)
{
    return (int64_t)e->nseeds * e->nsettings * e->ndata * e->nmethods * (e->folds > 0 ? e->folds : 1);
}

static void fill_cells(const wlab_experiment *e, wlab_cell *cell, char (*before)[65], char (*method)[65])
{
    int folds = e->folds > 0 ? e->folds : 1;
    wlab_cell *c = cell;

    for (int r = 0; r < e->nseeds; r++)
        for (int s = 0; s < e->nsettings; s++)
            for (int d = 0; d < e->ndata; d++)
                for (int m = 0; m < e->nmethods; m++)
                    for (int f = 0; f < folds; f++, c++) {
                        *c = (wlab_cell){.number = c - cell + 1,
                                         .data = d,
                                         .setting = s,
                                         .method = m,
                                         .seed = e->seed[r],
                                         .fold = e->folds > 0 ? f + 1 : 0};
                        hash_cell(c, before[(size_t)s * (size_t)e->ndata + (size_t)d], method[m]);
                    }
}

static wlab_code hash_plan(const wlab_cell *cell, int64_t n, char hex[65], wlab_err *err)
{
    char *keys = wlab_alloc((size_t)n, 64);

    if (!keys)
        return wlab_nomem(err);
    for (int64_t i = 0; i < n; i++)
        memcpy(keys + 64 * i, cell[i].key, 64);
    wlab_sha256_hex(keys, (size_t)n * 64, hex);
    wlab_free(keys);
    return WL_OK;
}

wlab_code wlab_experiment_plan(wlab_experiment *e, wlab_err *err)
{
    int64_t n = count_cells(e);
    size_t pairs = (size_t)e->nsettings * (size_t)e->ndata;
    char(*before)[65] = wlab_alloc(pairs, sizeof *before);
    char(*method)[65] = wlab_alloc((size_t)e->nmethods, sizeof *method);
    wlab_cell *cell = wlab_alloc((size_t)n, sizeof *cell);
    char plan[65];
    wlab_code code = before && method && cell ? WL_OK : wlab_nomem(err);

    for (int d = 0; !code && d < e->ndata; d++)
        if (strncmp(e->data[d].line, "load ", 5) == 0 && e->data[d].sha256[0] == '\0')
            code = wlab_fail_at(err, e->path, e->data[d].at, wlab_exp_column(e, e->data[d].at, ""),
                                "the data %.60s were not read yet", e->data[d].name);
    for (size_t i = 0; !code && i < pairs; i++)
        code = hash_before(e, (int)(i / (size_t)e->ndata), (int)(i % (size_t)e->ndata), before[i], err);
    for (int m = 0; !code && m < e->nmethods; m++)
        code = hash_method(e, &e->method[m], method[m], err);
    if (!code) {
        fill_cells(e, cell, before, method);
        code = refuse_twins(e, cell, n, err);
    }
    if (!code)
        code = hash_plan(cell, n, plan, err);
    if (!code) {
        wlab_free(e->cell);
        e->cell = cell;
        e->cells = n;
        memcpy(e->plan, plan, sizeof plan);
        cell = NULL;
    }
    wlab_free(cell);
    wlab_free(method);
    wlab_free(before);
    return code;
}

/* ---- the lines that a cell executes ---- */

static wlab_code add_line(const wlab_experiment *e, const wlab_cell *c, const char *line, char ***lines,
                          int *n, wlab_err *err)
{
    wlab_buf text = {0};
    char *filled = NULL;

    if (!line)
        return WL_OK;
    wlab_code code = wlab_exp_fill(e, line, WL_FORM_RUN, c->setting, c->data, c->seed, c->fold, &text, err);
    if (!code)
        code = wlab_exp_buf_text(&text, &filled, err);
    wlab_buf_clear(&text);
    return code ? code : wlab_list_add(lines, n, filled, err);
}

wlab_code wlab_cell_before(const wlab_experiment *e, const wlab_cell *c, char ***lines, int *n, wlab_err *err)
{
    const char *line[] = {e->data[c->data].line, e->split, e->scale, e->task_line};
    wlab_code code = WL_OK;

    *lines = NULL;
    *n = 0;
    for (int i = 0; !code && i < 4; i++)
        code = add_line(e, c, line[i], lines, n, err);
    if (code) {
        wlab_list_free(*lines, *n);
        *lines = NULL;
        *n = 0;
    }
    return code;
}

wlab_code wlab_cell_after(const wlab_experiment *e, const wlab_cell *c, char ***lines, int *n, wlab_err *err)
{
    const char *rows = e->eval + strlen("eval");

    (void)c; /* the lines are the same for every cell */
    *lines = NULL;
    *n = 0;
    wlab_code code = wlab_list_add(lines, n, wlab_strdup(e->go), err);
    for (; !code && *rows; rows += strcspn(rows + 1, " ") + 1) /* a command for each kind of rows */
        code = wlab_list_add(lines, n, wlab_format("eval%.*s", (int)strcspn(rows + 1, " ") + 1, rows), err);
    if (code) {
        wlab_list_free(*lines, *n);
        *lines = NULL;
        *n = 0;
    }
    return code;
}

/* The algorithm's text with the cell's seed, if the algorithm has a seed and the text does not give it. */
static char *add_seed(const char *text, int64_t seed)
{
    wlab_phrase w = {0};
    size_t pos = 0;
    bool more, takes = false;

    if (wlab_phrase_read(&w, text, &pos, &more, NULL))
        return NULL;
    const wlab_algo *algo = wlab_algo_find(w.name);
    for (const wlab_param_info *p = algo ? algo->params : NULL; p && p->name; p++)
        takes = takes || strcmp(p->name, "seed") == 0;
    for (int i = 0; i < w.n; i++)
        takes = takes && strncmp(w.word[i], "seed=", 5) != 0;
    wlab_phrase_clear(&w);
    return takes ? wlab_format("%s seed=%lld", text, (long long)seed) : wlab_strdup(text);
}

wlab_code wlab_cell_candidates(const wlab_experiment *e, const wlab_cell *c, wlab_candidate **list, int *n,
                               wlab_err *err)
{
    const wlab_exp_method *m = &e->method[c->method];
    wlab_code code = WL_OK;

    *list = NULL;
    *n = 0;
    for (int i = 0; !code && i < m->alternatives; i++) {
        char *text = add_seed(m->algo[i], c->seed);
        code = text ? wlab_candidates_add(list, n, text, err) : wlab_nomem(err);
        wlab_free(text);
    }
    if (code) {
        wlab_candidates_free(*list, *n);
        *list = NULL;
        *n = 0;
    }
    return code;
}

wlab_code wlab_cell_title(const wlab_experiment *e, const wlab_cell *c, wlab_buf *out)
{
    const char *setting = e->setting[c->setting].name;
    wlab_code code = wlab_buf_printf(out, "%s%s%s %s", e->data[c->data].name, *setting ? " " : "", setting,
                                     e->method[c->method].name);
    if (!code)
        code = wlab_buf_printf(out, " seed=%lld", (long long)c->seed);
    if (!code && c->fold > 0)
        code = wlab_buf_printf(out, " fold=%d", c->fold);
    return code;
}

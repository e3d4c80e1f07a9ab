/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The report of an experiment: a table for each of its `table` lines, all in one format.
 */
#include "base/text.h"
#include "lang/phrase.h"
#include "session/command.h"
#include "study/table/parts.h"
#include <stdlib.h>
#include <string.h>

/* ---- the list of tables ---- */

/* Set the settings of a line, and then those given in `options`. */
static wlab_code resolve(wlab_params *p, const char *line, const wlab_params *options, wlab_err *err)
{
    wlab_phrase words = {0};
    size_t pos = 0;
    bool more = false;
    char *whole = wlab_format("table %s", line);
    wlab_code code = whole ? wlab_phrase_read(&words, whole, &pos, &more, err) : wlab_nomem(err);

    char **other = code ? NULL : wlab_alloc((size_t)words.n + 1, sizeof *other);
    int strays = 0;

    if (!code && !other)
        code = wlab_nomem(err);
    if (!code) /* without format=: `options` gives one for all tables */
        code = wlab_phrase_settings(&words, p, "format", other, &strays, err);
    if (!code && strays > 0)
        code = wlab_fail(err, WL_EARG, "\"%.60s\" in the experiment's table line is not key=value", other[0]);
    for (const wlab_param_info *info = wlab_table_params; !code && info->name; info++)
        if (wlab_params_given(options, info->name))
            code = wlab_params_set(p, info->name, wlab_params_text(options, info->name), err);
    wlab_free(other);
    wlab_phrase_clear(&words);
    wlab_free(whole);
    return code;
}

static wlab_code compare_params(const wlab_params *a, const wlab_params *b, bool *same, wlab_err *err)
{
    wlab_buf x = {0}, y = {0};
    bool failed = wlab_params_format(a, &x) || wlab_params_format(b, &y);

    *same = x.len == y.len && (x.len == 0 || memcmp(x.data, y.data, x.len) == 0);
    wlab_buf_clear(&x);
    wlab_buf_clear(&y);
    return failed ? wlab_nomem(err) : WL_OK;
}

/* The settings of each table; *n is at least 1.  With score= in `options` there is one table: the lines of the others differ
 * in their scores, and what else they set would only repeat it. */
static wlab_code list_tables(const wlab_experiment *e, const wlab_params *options, wlab_params ***out, int *n,
                             wlab_err *err)
{
    wlab_params **list = wlab_calloc((size_t)e->nreports + 1, sizeof *list);
    wlab_code code = list ? WL_OK : wlab_nomem(err);

    *n = 0;
    for (int i = 0; !code && i <= e->nreports; i++) {
        bool known = false;

        if ((i < e->nreports ? e->report[i].curve : *n > 0) ||
            (*n > 0 && wlab_params_given(options, "score")))
            continue;
        code = wlab_params_create(&list[*n], wlab_table_params, err);
        if (!code)
            code = resolve(list[*n], i < e->nreports ? e->report[i].rest : "", options, err);
        for (int k = 0; !code && !known && k < *n; k++)
            code = compare_params(list[k], list[*n], &known, err);
        if (known || code) {
            wlab_params_destroy(list[*n]);
            list[*n] = NULL;
        } else {
            ++*n;
        }
    }
    for (int i = 0; code && i < *n; i++)
        wlab_params_destroy(list[i]);
    if (code)
        list = wlab_free(list);
    *out = list;
    return code;
}

/* ---- writing them ---- */

typedef wlab_code (*writer)(void *self, const wlab_sheet *, bool first, wlab_err *);

/* Call `write` for each table.  transpose: obey the tables' rows=; otherwise always one table per setting.  A table
 * whose score no result has is left out, with a line in `skipped`; if all are, WL_EARG. */
static wlab_code each(const wlab_store *store, const wlab_params *options, bool transpose, writer write,
                      void *self, char **title, wlab_buf *skipped, wlab_err *err)
{
    wlab_experiment *e = NULL;
    wlab_params **list = NULL;
    int n = 0, written = 0;
    wlab_code code = wlab_store_experiment(store, &e, err);

    if (!code)
        code = list_tables(e, options, &list, &n, err);
    if (!code && title && !(*title = wlab_strdup(e->title ? e->title : "")))
        code = wlab_nomem(err);
    for (int i = 0; !code && i < n; i++) {
        wlab_values v = {0};
        wlab_sheet t = {0};
        wlab_err why = {0};

        code = wlab_values_read(&v, store, wlab_params_text(list[i], "score"),
                                wlab_params_text(list[i], "methods"), &why);
        if (code == WL_EARG && (written > 0 || i + 1 < n)) {
            code = wlab_buf_printf(skipped, "%s%s", skipped->len ? "\n" : "", why.message) ? wlab_nomem(err)
                                                                                           : WL_OK;
            continue;
        }
        if (code) {
            if (err)
                *err = why;
            break;
        }
        if (transpose && wlab_params_choice(list[i], "rows") == 1)
            code = wlab_values_transpose(&v, err);
        if (!code)
            code = wlab_sheet_make(&t, &v, list[i], err);
        if (!code) {
            code = write(self, &t, written++ == 0, err);
            wlab_sheet_clear(&t);
        }
        wlab_values_clear(&v);
    }
    for (int i = 0; list && i < n; i++)
        wlab_params_destroy(list[i]);
    wlab_free(list);
    wlab_experiment_free(e);
    return code;
}

typedef struct text {
    wlab_buf *out;
    int format;
} text;

static wlab_code write_text(void *self, const wlab_sheet *t, bool first, wlab_err *err)
{
    static wlab_code (*const write[])(const wlab_sheet *, bool, wlab_buf *) = {
        wlab_sheet_text, wlab_sheet_markdown, wlab_sheet_latex, wlab_sheet_csv};
    const text *x = self;

    if (!first && x->format != WL_TABLE_CSV && wlab_buf_put(x->out, "\n", 1))
        return wlab_nomem(err);
    return write[x->format](t, first, x->out) ? wlab_nomem(err) : WL_OK;
}

static wlab_code write_object(void *self, const wlab_sheet *t, bool first, wlab_err *err)
{
    json_t *o = wlab_sheet_object(t);

    (void)first;
    return o && json_array_append_new(self, o) == 0 ? WL_OK : wlab_nomem(err);
}

wlab_code wlab_table_json(const wlab_store *store, const wlab_params *options, json_t **out,
                          wlab_buf *skipped, wlab_err *err)
{
    json_t *tables = json_array();
    char *title = NULL;
    wlab_code code =
        tables ? each(store, options, false, write_object, tables, &title, skipped, err) : wlab_nomem(err);

    *out = NULL;
    if (code)
        json_decref(tables);
    else if (!(*out = json_pack("{s:s, s:o, s:o}", "type", "table", "title", wlab_json_text(title), "tables",
                                tables)))
        code = wlab_nomem(err);
    wlab_free(title);
    return code;
}

wlab_code wlab_table_write(const wlab_store *store, const wlab_params *options, wlab_buf *out,
                           wlab_buf *skipped, wlab_err *err)
{
    int format = wlab_params_choice(options, "format");
    wlab_buf written = {0};
    text x = {&written, format < 0 ? WL_TABLE_TEXT : format};
    json_t *o = NULL;
    char *dump = NULL, *inert = NULL;
    wlab_code code;

    if (format != WL_TABLE_JSON) {
        code = each(store, options, format != WL_TABLE_CSV, write_text, &x, NULL, skipped, err);
    } else if (!(code = wlab_table_json(store, options, &o, skipped, err))) {
        dump = json_dumps(o, JSON_INDENT(1));
        if (dump)
            wlab_json_shorten(dump);
        inert = dump ? wlab_json_inert(dump) : NULL;
        code = inert && !wlab_buf_printf(&written, "%s\n", inert) ? WL_OK : wlab_nomem(err);
    }
    if (!code && wlab_buf_put(out, written.data, written.len))
        code = wlab_nomem(err);
    wlab_buf_clear(&written);
    wlab_free(inert);
    free(dump);
    json_decref(o);
    return code;
}

void wlab_table_warn_skipped(wlab_session *s, const wlab_buf *skipped)
{
    const char *line = skipped->len ? (const char *)skipped->data : "";

    for (size_t n; *line; line += n + (line[n] == '\n')) {
        n = strcspn(line, "\n");
        wlab_session_say(s, "warning: left out a table: %.*s", (int)n, line);
    }
}

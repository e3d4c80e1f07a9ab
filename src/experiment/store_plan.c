/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The plan in the store: which cells the experiment has, and which rows are theirs.
 */
#include "experiment/sql.h"
#include <string.h>

static wlab_code write_experiment(const wlab_store *store, const wlab_experiment *e, wlab_err *err)
{
    sqlite3_stmt *st = NULL;
    wlab_code code = wlab_sql_run(store, "DELETE FROM experiment; DELETE FROM data; DELETE FROM plan", err);

    code = code ? code
                : wlab_sql_prepare(store, &st,
                                   "INSERT INTO experiment(plan, text, path, test_ratio) VALUES (?, ?, ?, ?)",
                                   err);
    if (!code) {
        int rc = wlab_sql_bind_text(st, 1, e->plan) | wlab_sql_bind_text(st, 2, e->text) |
                 wlab_sql_bind_text(st, 3, e->path ? e->path : "") | wlab_sql_bind_real(st, 4, e->test_ratio);
        code = wlab_sql_step(store, st, rc, NULL, err);
    }
    sqlite3_finalize(st);
    st = NULL;
    code = code ? code : wlab_sql_prepare(store, &st, "INSERT INTO data(name, sha256) VALUES (?, ?)", err);
    for (int i = 0; !code && i < e->ndata; i++) {
        int rc = wlab_sql_bind_text(st, 1, e->data[i].name) | wlab_sql_bind_text(st, 2, e->data[i].sha256);
        code = wlab_sql_step(store, st, rc, NULL, err);
        sqlite3_reset(st);
    }
    sqlite3_finalize(st);
    return code;
}

static wlab_code write_cells(const wlab_store *store, const wlab_experiment *e, wlab_err *err)
{
    sqlite3_stmt *st = NULL;
    wlab_code code = wlab_sql_prepare(
        store, &st,
        "INSERT INTO plan(number, key, data, setting, method, seed, fold) VALUES (?, ?, ?, ?, ?, ?, ?)", err);

    for (int64_t i = 0; !code && i < e->cells; i++) {
        const wlab_cell *c = &e->cell[i];
        int rc = sqlite3_bind_int64(st, 1, c->number) | wlab_sql_bind_text(st, 2, c->key) |
                 wlab_sql_bind_text(st, 3, e->data[c->data].name) |
                 wlab_sql_bind_text(st, 4, e->setting[c->setting].name) |
                 wlab_sql_bind_text(st, 5, e->method[c->method].name) | sqlite3_bind_int64(st, 6, c->seed) |
                 sqlite3_bind_int(st, 7, c->fold);
        code = wlab_sql_step(store, st, rc, NULL, err);
        sqlite3_reset(st);
    }
    sqlite3_finalize(st);
    return code;
}

/* *rows: of this or other plans; *kept: those that the plan of now finds. */
static wlab_code count(const wlab_store *store, int64_t *rows, int64_t *kept, wlab_err *err)
{
    wlab_code code = wlab_sql_number(store, "SELECT count(*) FROM cell", 0, rows, err);

    return code ? code
                : wlab_sql_number(store, "SELECT count(*) FROM plan JOIN cell USING (key)", 0, kept, err);
}

wlab_code wlab_store_plan(wlab_store *store, const wlab_experiment *e, bool anew, int64_t *kept,
                          wlab_err *err)
{
    int64_t rows = 0, found = 0;
    sqlite3_stmt *st = NULL;
    bool row = false;
    wlab_code code = wlab_sql_begin(store, err);

    if (code)
        return code;
    code = wlab_sql_prepare(store, &st, "SELECT path FROM experiment", err);
    code = code ? code : wlab_sql_step(store, st, SQLITE_OK, &row, err);
    const char *path = row ? (const char *)sqlite3_column_text(st, 0) : NULL;
    char *before = wlab_strdup(path ? path : "");
    sqlite3_finalize(st);
    if (!before && !code)
        code = wlab_nomem(err);
    code = code ? code : write_experiment(store, e, err);
    code = code ? code : write_cells(store, e, err);
    code = code ? code : count(store, &rows, &found, err);
    if (!code && rows > 0 && found == 0 && !anew)
        code = wlab_fail(
            err, WL_EARG,
            "'%.250s' holds the results of another experiment, or of the same on other data (%lld cell%s, "
            "of %.250s), and this one needs none of them: name another folder",
            store->dir, (long long)rows, rows == 1 ? "" : "s", before[0] ? before : "one without a name");
    wlab_free(before);
    code = wlab_sql_end(store, code, err);
    if (!code)
        *kept = found;
    return code;
}

/* ---- reading it ---- */

static wlab_code damaged(const wlab_store *store, const char *what, const char *name, wlab_err *err)
{
    return wlab_fail(err, WL_EINPUT, "'%.300s' is damaged: its experiment has no %s \"%.100s\"", store->path,
                     what, name ? name : "");
}

static wlab_code read_data(const wlab_store *store, wlab_experiment *e, wlab_err *err)
{
    sqlite3_stmt *st = NULL;
    bool row = false;
    wlab_code code = wlab_sql_prepare(store, &st, "SELECT sha256 FROM data WHERE name = ?", err);

    for (int i = 0; !code && i < e->ndata; i++) {
        code = wlab_sql_step(store, st, wlab_sql_bind_text(st, 1, e->data[i].name), &row, err);
        const char *sha256 = row ? (const char *)sqlite3_column_text(st, 0) : NULL;
        if (!code && (!sha256 || strlen(sha256) >= sizeof e->data[i].sha256))
            code = damaged(store, "data set", e->data[i].name, err);
        else if (!code)
            strcpy(e->data[i].sha256, sha256);
        sqlite3_reset(st);
    }
    sqlite3_finalize(st);
    return code;
}

/* The index of a name; the one that was found last is looked at first. */
typedef const char *(*name_of)(const wlab_experiment *, int);

static const char *data_name(const wlab_experiment *e, int i)
{
    return i < e->ndata ? e->data[i].name : NULL;
}

static const char *setting_name(const wlab_experiment *e, int i)
{
    return i < e->nsettings ? e->setting[i].name : NULL;
}

static const char *method_name(const wlab_experiment *e, int i)
{
    return i < e->nmethods ? e->method[i].name : NULL;
}

static wlab_code find(const wlab_store *store, const wlab_experiment *e, name_of of, const char *what,
                      const char *name, int *index, wlab_err *err)
{
    if (name && of(e, *index) && strcmp(of(e, *index), name) == 0)
        return WL_OK;
    for (*index = 0; name && of(e, *index); ++*index)
        if (strcmp(of(e, *index), name) == 0)
            return WL_OK;
    return damaged(store, what, name, err);
}

static wlab_code read_cells(const wlab_store *store, wlab_experiment *e, wlab_err *err)
{
    sqlite3_stmt *st = NULL;
    bool row = false;
    int data = 0, setting = 0, method = 0;
    int64_t n = 0, i = 0;
    wlab_code code = wlab_sql_number(store, "SELECT count(*) FROM plan", 0, &n, err);

    if (!code && !(e->cell = wlab_calloc((size_t)n + 1, sizeof *e->cell)))
        code = wlab_nomem(err);
    if (!code)
        code = wlab_sql_prepare(
            store, &st, "SELECT number, key, data, setting, method, seed, fold FROM plan ORDER BY number",
            err);
    code = code ? code : wlab_sql_step(store, st, SQLITE_OK, &row, err);
    while (!code && row) {
        wlab_cell *c = &e->cell[i++];
        const char *key = (const char *)sqlite3_column_text(st, 1);
        c->number = sqlite3_column_int64(st, 0);
        c->seed = sqlite3_column_int64(st, 5);
        c->fold = sqlite3_column_int(st, 6);
        if (!key || strlen(key) != 64 || c->number != i || i > n)
            return sqlite3_finalize(st), damaged(store, "cell", "", err);
        memcpy(c->key, key, 65);
        code = find(store, e, data_name, "data set", (const char *)sqlite3_column_text(st, 2), &data, err);
        if (!code)
            code = find(store, e, setting_name, "setting", (const char *)sqlite3_column_text(st, 3), &setting,
                        err);
        if (!code)
            code =
                find(store, e, method_name, "method", (const char *)sqlite3_column_text(st, 4), &method, err);
        c->data = data;
        c->setting = setting;
        c->method = method;
        code = code ? code : wlab_sql_step(store, st, SQLITE_OK, &row, err);
    }
    sqlite3_finalize(st);
    if (!code)
        e->cells = n;
    return code;
}

wlab_code wlab_store_experiment(const wlab_store *store, wlab_experiment **out, wlab_err *err)
{
    sqlite3_stmt *st = NULL;
    wlab_experiment *e = NULL;
    bool row = false;
    wlab_code code = wlab_sql_need_plan(store, err);

    /* one moment of it: a sweep may plan anew meanwhile */
    code = code ? code : wlab_sql_run(store, "SAVEPOINT reading", err);
    if (code)
        return code;
    code = wlab_sql_prepare(store, &st, "SELECT text, path, plan, test_ratio FROM experiment", err);
    code = code ? code : wlab_sql_step(store, st, SQLITE_OK, &row, err);
    const char *text = row ? (const char *)sqlite3_column_text(st, 0) : NULL;
    const char *path = row ? (const char *)sqlite3_column_text(st, 1) : NULL;
    const char *plan = row ? (const char *)sqlite3_column_text(st, 2) : NULL;
    if (!code && (!text || !path || !plan || strlen(plan) != 64))
        code = damaged(store, "text", "", err);
    code = code ? code : wlab_experiment_parse(&e, text, strlen(text), path, err);
    if (!code) {
        memcpy(e->plan, plan, 65);
        e->test_ratio = wlab_sql_real(st, 3);
        code = read_data(store, e, err);
    }
    code = code ? code : read_cells(store, e, err);
    sqlite3_finalize(st);
    (void)wlab_sql_run(store, "RELEASE reading", NULL);
    if (code)
        wlab_experiment_free(e);
    else
        *out = e;
    return code;
}

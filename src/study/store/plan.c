/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The plan in the store: the experiment's cells and the keys of their rows.
 */
#include "study/store/sql.h"
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

/* *rows: the number of rows, of this plan and of earlier ones; *kept: how many of them are of this plan's cells. */
static wlab_code count_rows(const wlab_store *store, int64_t *rows, int64_t *kept, wlab_err *err)
{
    wlab_code code = wlab_sql_number(store, "SELECT count(*) FROM cell", 0, rows, err);

    return code ? code
                : wlab_sql_number(store, "SELECT count(*) FROM plan JOIN cell USING (key)", 0, kept, err);
}

wlab_code wlab_store_changed(const wlab_store *store, const wlab_experiment *e, bool *changed, wlab_err *err)
{
    sqlite3_stmt *st = NULL;
    wlab_code code = wlab_sql_prepare(store, &st, "SELECT sha256 FROM data WHERE name = ?", err);

    for (int d = 0; !code && d < e->ndata; d++) {
        bool row = false;
        code = wlab_sql_step(store, st, wlab_sql_bind_text(st, 1, e->data[d].name), &row, err);
        const char *before = row ? (const char *)sqlite3_column_text(st, 0) : NULL;
        changed[d] = before && strcmp(before, e->data[d].sha256) != 0;
        sqlite3_reset(st);
    }
    sqlite3_finalize(st);
    return code;
}

/* *same: the earlier plan has a cell with a setting (of the first 8) and a method of e on a data set of e whose data
 * have changed. */
static wlab_code same_on_other_data(const wlab_store *store, const wlab_experiment *e, bool *same,
                                    wlab_err *err)
{
    bool *changed = wlab_calloc((size_t)e->ndata + 1, sizeof *changed);
    sqlite3_stmt *st = NULL;
    wlab_code code = changed ? wlab_store_changed(store, e, changed, err) : wlab_nomem(err);

    *same = false;
    code = code ? code
                : wlab_sql_prepare(store, &st,
                                   "SELECT 1 FROM plan WHERE data = ? AND setting = ? AND method = ? LIMIT 1",
                                   err);
    for (int d = 0; !code && d < e->ndata; d++)
        for (int m = 0; !code && changed[d] && !*same && m < e->nmethods; m++)
            for (int k = 0; !code && !*same && k < e->nsettings && k < 8; k++) {
                int rc = wlab_sql_bind_text(st, 1, e->data[d].name) |
                         wlab_sql_bind_text(st, 2, e->setting[k].name) |
                         wlab_sql_bind_text(st, 3, e->method[m].name);
                code = wlab_sql_step(store, st, rc, same, err);
                sqlite3_reset(st);
            }
    sqlite3_finalize(st);
    wlab_free(changed);
    return code;
}

wlab_code wlab_store_plan(wlab_store *store, const wlab_experiment *e, bool anew, int64_t *kept,
                          wlab_err *err)
{
    int64_t rows = 0, found = 0;
    sqlite3_stmt *st = NULL;
    bool row = false, same = false;
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
    code = code ? code : same_on_other_data(store, e, &same, err);
    code = code ? code : write_experiment(store, e, err);
    code = code ? code : write_cells(store, e, err);
    code = code ? code : count_rows(store, &rows, &found, err);
    if (!code && rows > 0 && found == 0 && !anew && !same)
        code = wlab_fail(
            err, WL_EARG,
            "'%.250s' holds the results of another experiment (%lld cell%s, of %.250s), and "
            "this one needs none of them: name another folder, or use this one with anew=yes (--anew)",
            store->dir, (long long)rows, rows == 1 ? "" : "s", before[0] ? before : "one without a name");
    wlab_free(before);
    code = wlab_sql_end(store, code, err);
    if (!code)
        *kept = found;
    return code;
}

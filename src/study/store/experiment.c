/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads the experiment of the plan from the store.
 */
#include "study/store/sql.h"
#include <string.h>

static wlab_code read_data(const wlab_store *store, wlab_experiment *e, wlab_err *err)
{
    sqlite3_stmt *st = NULL;
    bool row = false;
    wlab_code code = wlab_sql_prepare(store, &st, "SELECT sha256 FROM data WHERE name = ?", err);

    for (int i = 0; !code && i < e->ndata; i++) {
        code = wlab_sql_step(store, st, wlab_sql_bind_text(st, 1, e->data[i].name), &row, err);
        const char *sha256 = row ? (const char *)sqlite3_column_text(st, 0) : NULL;
        if (!code && (!sha256 || strlen(sha256) >= sizeof e->data[i].sha256))
            code = wlab_fail(err, WL_EINPUT, "'%.300s' is damaged: it has no sum of its data set \"%.100s\"",
                             store->path, e->data[i].name);
        else if (!code)
            strcpy(e->data[i].sha256, sha256);
        sqlite3_reset(st);
    }
    sqlite3_finalize(st);
    return code;
}

/* Read the keys that were planned: another version of the program may compute others. */
static wlab_code read_keys(const wlab_store *store, wlab_experiment *e, wlab_err *err)
{
    sqlite3_stmt *st = NULL;
    bool row = false;
    int64_t n = 0;
    wlab_code code = wlab_sql_prepare(store, &st, "SELECT number, key FROM plan ORDER BY number", err);

    code = code ? code : wlab_sql_step(store, st, SQLITE_OK, &row, err);
    for (; !code && row; n++) {
        const char *key = (const char *)sqlite3_column_text(st, 1);
        if (n >= e->cells || sqlite3_column_int64(st, 0) != n + 1 || !key || strlen(key) != 64)
            break;
        memcpy(e->cell[n].key, key, 65);
        code = wlab_sql_step(store, st, SQLITE_OK, &row, err);
    }
    if (!code && (row || n != e->cells))
        code = wlab_fail(err, WL_EINPUT, "'%.300s' is damaged: its cells are not those of its experiment",
                         store->path);
    sqlite3_finalize(st);
    return code;
}

wlab_code wlab_store_experiment(const wlab_store *store, wlab_experiment **out, wlab_err *err)
{
    sqlite3_stmt *st = NULL;
    wlab_experiment *e = NULL;
    bool row = false;
    wlab_code code = wlab_sql_need_plan(store, err);

    /* read it in one transaction, because a sweep may write a new plan meanwhile */
    code = code ? code : wlab_sql_run(store, "SAVEPOINT reading", err);
    if (code)
        return code;
    code = wlab_sql_prepare(store, &st, "SELECT text, path, plan, test_ratio FROM experiment", err);
    code = code ? code : wlab_sql_step(store, st, SQLITE_OK, &row, err);
    const char *text = row ? (const char *)sqlite3_column_text(st, 0) : NULL;
    const char *path = row ? (const char *)sqlite3_column_text(st, 1) : NULL;
    const char *plan = row ? (const char *)sqlite3_column_text(st, 2) : NULL;
    if (!code && (!text || !path || !plan || strlen(plan) != 64))
        code = wlab_fail(err, WL_EINPUT, "'%.300s' is damaged: its experiment cannot be read", store->path);
    code = code ? code : wlab_experiment_parse(&e, text, strlen(text), path, err);
    code = code ? code : read_data(store, e, err);
    code = code ? code : wlab_experiment_plan(e, err);
    code = code ? code : read_keys(store, e, err);
    if (!code) {
        memcpy(e->plan, plan, 65);
        e->test_ratio = wlab_sql_real(st, 3);
    }
    sqlite3_finalize(st);
    (void)wlab_sql_run(store, "RELEASE reading", NULL);
    if (code)
        wlab_experiment_free(e);
    else
        *out = e;
    return code;
}

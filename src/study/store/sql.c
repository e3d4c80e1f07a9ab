/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Calls of SQLite that return our error codes and messages.
 */
#include "study/store/sql.h"
#include <math.h>
#include <string.h>

wlab_code wlab_sql_fail(const wlab_store *store, wlab_err *err)
{
    int rc = sqlite3_extended_errcode(store->db), why = rc & 0xff;
    int system = why == SQLITE_IOERR || why == SQLITE_CANTOPEN ? sqlite3_system_errno(store->db) : 0;

    switch (why) {
    case SQLITE_NOMEM:
        return wlab_nomem(err);
    case SQLITE_NOTADB:
        return wlab_fail(err, WL_EINPUT, "'%.300s' is not a file of results, or its beginning is damaged",
                         store->path);
    case SQLITE_CORRUPT:
        return wlab_fail(
            err, WL_EINPUT,
            "'%.300s' is damaged; `sqlite3 FILE .recover` may save a part of it; otherwise delete "
            "the folder and start again",
            store->path);
    case SQLITE_INTERRUPT:
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted: '%.300s' is unchanged", store->path);
    case SQLITE_FULL:
        return wlab_fail(err, WL_EIO, "cannot write '%.300s': the disk is full", store->path);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        if (store->wait.given_up)
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted; another program holds '%.300s'",
                             store->path);
        return wlab_fail(err, WL_EIO, "another program holds '%.300s'; try again later", store->path);
    default:
        break;
    }
    if (rc == SQLITE_READONLY_ROLLBACK || rc == SQLITE_READONLY_RECOVERY || rc == SQLITE_READONLY_CANTINIT)
        return wlab_fail(
            err, WL_EIO,
            "a write to '%.300s' was cut off, and it cannot be repaired because its folder is not "
            "writable; make the folder writable",
            store->path);
    if (why == SQLITE_READONLY)
        return wlab_fail(err, WL_EIO, "'%.300s' is not writable", store->path);
    return wlab_fail(err, WL_EIO, "'%.300s': %.200s%s%.200s", store->path, sqlite3_errmsg(store->db),
                     system ? ": " : "", system ? strerror(system) : "");
}

wlab_code wlab_sql_run(const wlab_store *store, const char *sql, wlab_err *err)
{
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) ? wlab_sql_fail(store, err) : WL_OK;
}

wlab_code wlab_sql_prepare(const wlab_store *store, sqlite3_stmt **st, const char *sql, wlab_err *err)
{
    return sqlite3_prepare_v2(store->db, sql, -1, st, NULL) ? wlab_sql_fail(store, err) : WL_OK;
}

wlab_code wlab_sql_step(const wlab_store *store, sqlite3_stmt *st, int rc, bool *row, wlab_err *err)
{
    if (rc == SQLITE_OK)
        rc = sqlite3_step(st);
    if (row)
        *row = rc == SQLITE_ROW;
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? WL_OK : wlab_sql_fail(store, err);
}

wlab_code wlab_sql_number(const wlab_store *store, const char *sql, int64_t otherwise, int64_t *number,
                          wlab_err *err)
{
    sqlite3_stmt *st = NULL;
    bool row = false;
    wlab_code code = wlab_sql_prepare(store, &st, sql, err);

    code = code ? code : wlab_sql_step(store, st, SQLITE_OK, &row, err);
    if (!code)
        *number = row ? sqlite3_column_int64(st, 0) : otherwise;
    sqlite3_finalize(st);
    return code;
}

wlab_code wlab_sql_begin(const wlab_store *store, wlab_err *err)
{
    if (store->lock < 0 && !store->memory)
        return wlab_fail(err, WL_ESTATE, "'%.300s' was opened for reading", store->path);
    return wlab_sql_run(store, "BEGIN IMMEDIATE", err);
}

wlab_code wlab_sql_end(const wlab_store *store, wlab_code code, wlab_err *err)
{
    if (!code)
        code = wlab_sql_run(store, "COMMIT", err);
    if (code && !sqlite3_get_autocommit(store->db))
        (void)sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return code;
}

int wlab_sql_bind_text(sqlite3_stmt *st, int at, const char *text)
{
    return sqlite3_bind_text(st, at, text, -1, SQLITE_STATIC);
}

int wlab_sql_bind_real(sqlite3_stmt *st, int at, double x)
{
    return isnan(x) ? sqlite3_bind_null(st, at) : sqlite3_bind_double(st, at, x);
}

wlab_code wlab_sql_text(sqlite3_stmt *st, int column, char **text, wlab_err *err)
{
    const unsigned char *from = sqlite3_column_text(st, column);

    if (!from)
        return sqlite3_errcode(sqlite3_db_handle(st)) == SQLITE_NOMEM ? wlab_nomem(err) : WL_OK;
    *text = wlab_strdup((const char *)from);
    return *text ? WL_OK : wlab_nomem(err);
}

double wlab_sql_real(sqlite3_stmt *st, int column)
{
    return sqlite3_column_type(st, column) == SQLITE_NULL ? (double)NAN : sqlite3_column_double(st, column);
}

wlab_code wlab_sql_need_plan(const wlab_store *store, wlab_err *err)
{
    int64_t plans = 0;
    wlab_code code = wlab_sql_number(store, "SELECT count(*) FROM experiment", 0, &plans, err);

    if (!code && plans != 1)
        code = wlab_fail(err, WL_ESTATE, "there is no experiment in '%.300s' yet", store->dir);
    return code;
}

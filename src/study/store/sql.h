/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the store's files share: the database, and SQLite's errors as messages.
 */
#ifndef STORE_SQL_H
#define STORE_SQL_H

#include "study/store/store.h"
#include <sqlite3.h>

struct wlab_store {
    sqlite3 *db;
    char *dir, *path;
    int lock; /* descriptor of the lock file; the kernel releases the lock with the process; -1: opened for reading */
    bool memory; /* read from a file NAME.cells: the database is in memory */
    struct {
        wlab_ctx *ctx; /* or NULL */
        double since;
        bool reported;    /* the wait was reported to ctx */
        bool interrupted; /* ctx was interrupted before the wait began */
        bool given_up;    /* an interrupt ended the wait */
    } wait;               /* for another program's transaction */
};

/* The error of SQLite's last call: WL_EINPUT for a damaged file, WL_EINTERRUPTED, WL_ENOMEM, or else WL_EIO. */
wlab_code wlab_sql_fail(const wlab_store *, wlab_err *);
/* Statements without rows. */
wlab_code wlab_sql_run(const wlab_store *, const char *sql, wlab_err *);
wlab_code wlab_sql_prepare(const wlab_store *, sqlite3_stmt **, const char *sql, wlab_err *);
/* `rc`: the results of the bindings, combined by `|`.  *row: there is a row to read. */
wlab_code wlab_sql_step(const wlab_store *, sqlite3_stmt *, int rc, bool *row, wlab_err *);
/* The first column of the query's first row; `otherwise` if there is no row. */
wlab_code wlab_sql_number(const wlab_store *, const char *sql, int64_t otherwise, int64_t *number,
                          wlab_err *);
wlab_code wlab_sql_begin(const wlab_store *, wlab_err *); /* WL_ESTATE: it was opened for reading */
/* Commit, or roll back if code is not WL_OK.  Returns code, or the error of the commit. */
wlab_code wlab_sql_end(const wlab_store *, wlab_code code, wlab_err *);
int wlab_sql_bind_text(sqlite3_stmt *, int at, const char *text);             /* borrowed; NULL: null */
int wlab_sql_bind_real(sqlite3_stmt *, int at, double x);                     /* NaN: null */
wlab_code wlab_sql_text(sqlite3_stmt *, int column, char **text, wlab_err *); /* null: NULL */
double wlab_sql_real(sqlite3_stmt *, int column);                             /* null: NaN */
/* SQLite's check of every page (store.c). */
wlab_code wlab_sql_check_pages(const wlab_store *, wlab_err *);
/* Read the file store->path, NAME.cells, into the empty database (archive.c).  WL_EINPUT: with FILE:LINE. */
wlab_code wlab_archive_read(wlab_store *, wlab_err *);
/* WL_ESTATE: the store has no plan yet. */
wlab_code wlab_sql_need_plan(const wlab_store *, wlab_err *);

#endif

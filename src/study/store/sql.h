/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the store's files share: the database, and what SQLite says as sentences.
 */
#ifndef STORE_SQL_H
#define STORE_SQL_H

#include "study/store/store.h"
#include <sqlite3.h>

struct wlab_store {
    sqlite3 *db;
    char *dir, *path;
    int lock; /* descriptor of the lock file, whose lock ends with the process; -1: opened for reading */
    struct {
        wlab_ctx *ctx; /* or NULL */
        double since;
        bool told, interrupted /* before it began */, given_up;
    } wait; /* for another program's transaction */
};

/* The last call's failure: damaged files are WL_EINPUT, the system's refusals WL_EIO. */
wlab_code wlab_sql_fail(const wlab_store *, wlab_err *);
/* Statements without rows. */
wlab_code wlab_sql_run(const wlab_store *, const char *sql, wlab_err *);
wlab_code wlab_sql_prepare(const wlab_store *, sqlite3_stmt **, const char *sql, wlab_err *);
/* `rc`: what the bindings gave, or-ed.  *row: there is a row to read. */
wlab_code wlab_sql_step(const wlab_store *, sqlite3_stmt *, int rc, bool *row, wlab_err *);
/* The one number that a query gives; `otherwise` where there is no row. */
wlab_code wlab_sql_number(const wlab_store *, const char *sql, int64_t otherwise, int64_t *number,
                          wlab_err *);
wlab_code wlab_sql_begin(const wlab_store *, wlab_err *); /* WL_ESTATE where it was opened for reading */
/* Commit, or where code is not WL_OK roll back.  Returns code, or why it could not be committed. */
wlab_code wlab_sql_end(const wlab_store *, wlab_code code, wlab_err *);
int wlab_sql_bind_text(sqlite3_stmt *, int at, const char *text);             /* borrowed; NULL: null */
int wlab_sql_bind_real(sqlite3_stmt *, int at, double x);                     /* NaN: null */
wlab_code wlab_sql_text(sqlite3_stmt *, int column, char **text, wlab_err *); /* null: NULL */
double wlab_sql_real(sqlite3_stmt *, int column);                             /* null: NaN */
/* Every page, and that it is all there (store.c). */
wlab_code wlab_sql_check_pages(const wlab_store *, wlab_err *);
/* WL_ESTATE for a store without a plan: nothing was planned in it yet. */
wlab_code wlab_sql_need_plan(const wlab_store *, wlab_err *);

#endif

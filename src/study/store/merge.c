/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Copies one store's rows into another, to merge the shards of a plan.
 */
#include "study/store/sql.h"
#include <string.h>

static const char *column_or(sqlite3_stmt *st, int column, const char *otherwise)
{
    const char *text = (const char *)sqlite3_column_text(st, column);
    return text ? text : otherwise;
}

/* Copy the other store's plan if this one has none. */
static wlab_code copy_plan(const wlab_store *store, wlab_err *err)
{
    int64_t plans = 0;
    wlab_code code = wlab_sql_number(store, "SELECT count(*) FROM main.experiment", 0, &plans, err);

    if (code || plans)
        return code;
    return wlab_sql_run(store,
                        "INSERT INTO main.experiment SELECT * FROM source.experiment;"
                        "INSERT INTO main.data SELECT * FROM source.data;"
                        "INSERT INTO main.plan SELECT * FROM source.plan",
                        err);
}

static wlab_code check_same_plan(const wlab_store *store, const wlab_store *from, wlab_err *err)
{
    sqlite3_stmt *st = NULL;
    bool row = false;
    wlab_code code =
        wlab_sql_prepare(store, &st,
                         "SELECT a.path, b.path FROM main.experiment AS a, source.experiment AS b "
                         "WHERE a.plan <> b.plan",
                         err);

    code = code ? code : wlab_sql_step(store, st, SQLITE_OK, &row, err);
    if (!code && row)
        code = wlab_fail(
            err, WL_EARG,
            "'%.200s' (%.150s) and '%.200s' (%.150s) hold different experiments, or the same one on "
            "different data: only parts of one sweep can be merged",
            store->dir, column_or(st, 0, "-"), from->dir, column_or(st, 1, "-"));
    sqlite3_finalize(st);
    return code;
}

static wlab_code check_digests(const wlab_store *store, const wlab_store *from, wlab_err *err)
{
    sqlite3_stmt *st = NULL;
    bool row = false;
    wlab_code code = wlab_sql_prepare(
        store, &st,
        "SELECT number, a.digest, a.build, b.digest, b.build FROM main.plan AS p "
        "JOIN main.cell AS a ON a.key = p.key JOIN source.cell AS b ON b.key = p.key "
        "WHERE a.status = 'done' AND b.status = 'done' AND a.digest <> b.digest ORDER BY number",
        err);

    code = code ? code : wlab_sql_step(store, st, SQLITE_OK, &row, err);
    if (!code && row)
        code = wlab_fail(
            err, WL_EDIFFERS,
            "cell %lld is in both, with different results: '%.150s' has %.200s (build %.40s), '%.150s' "
            "has %.200s (build %.40s); nothing of the latter was merged",
            (long long)sqlite3_column_int64(st, 0), store->dir, column_or(st, 1, "-"), column_or(st, 2, "-"),
            from->dir, column_or(st, 3, "-"), column_or(st, 4, "-"));
    sqlite3_finalize(st);
    return code;
}

/* Copy the rows that are missing here, and done rows in place of failed ones. */
static wlab_code copy_rows(const wlab_store *store, int64_t *added, int64_t *same, wlab_err *err)
{
    int64_t rows = 0;
    wlab_code code = wlab_sql_number(
        store, "SELECT count(*) FROM source.cell WHERE key IN (SELECT key FROM main.plan)", 0, &rows, err);

    if (!code)
        code = wlab_sql_run(
            store,
            "INSERT OR REPLACE INTO main.cell SELECT * FROM source.cell AS b "
            "WHERE key IN (SELECT key FROM main.plan) AND NOT EXISTS (SELECT 1 FROM main.cell AS a "
            "WHERE a.key = b.key AND (a.status = 'done' OR b.status = 'failed'))",
            err);
    if (!code) {
        *added = sqlite3_changes64(store->db);
        *same = rows - *added;
    }
    return code;
}

/* The database of a file NAME.cells is only in the other connection's memory. */
static wlab_code copy_memory(const wlab_store *store, const wlab_store *from, wlab_err *err)
{
    sqlite3_backup *copy = sqlite3_backup_init(store->db, "source", from->db, "main");

    if (!copy)
        return wlab_sql_fail(store, err);
    (void)sqlite3_backup_step(copy, -1);
    return sqlite3_backup_finish(copy) ? wlab_sql_fail(store, err) : WL_OK;
}

wlab_code wlab_store_merge(wlab_store *store, const wlab_store *from, int64_t *added, int64_t *same,
                           wlab_err *err)
{
    sqlite3_stmt *st = NULL;
    int64_t new = 0, old = 0;
    wlab_code code = wlab_sql_need_plan(from, err);

    code = code ? code : wlab_sql_check_pages(from, err);
    code = code ? code : wlab_sql_prepare(store, &st, "ATTACH ? AS source", err);
    const char *path = from->memory ? ":memory:" : from->path;
    code = code ? code : wlab_sql_step(store, st, wlab_sql_bind_text(st, 1, path), NULL, err);
    sqlite3_finalize(st);
    if (!code && from->memory)
        code = copy_memory(store, from, err);
    if (code)
        return code;
    code = wlab_sql_begin(store, err);
    if (!code) {
        code = copy_plan(store, err);
        code = code ? code : check_same_plan(store, from, err);
        code = code ? code : check_digests(store, from, err);
        code = code ? code : copy_rows(store, &new, &old, err);
        code = wlab_sql_end(store, code, err);
    }
    (void)sqlite3_exec(store->db, "DETACH source", NULL, NULL, NULL);
    if (!code) {
        *added = new;
        *same = old;
    }
    return code;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Opens, checks and locks the store's file.
 *
 * A writer locks the file `lock`, which holds its process number.  The kernel releases the lock with the process, so a
 * killed writer leaves none.  Readers rely on SQLite's own locks, and see the state between two transactions of the
 * writer.  If a writer is killed in a transaction, the next process that opens the file, even for reading, rolls it
 * back; therefore readers do not open it as read-only.
 */
#include "base/clock.h"
#include "study/store/sql.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    FORMAT = 1,
    APPLICATION = 0x776c6162, /* "wlab", SQLite's application number, which `file` shows */
    WAIT = 30,                /* seconds to wait for another program's transaction */
    QUIET = 1,                /* seconds of waiting before the wait is reported */
    STEPS = 10000 /* of SQLite's virtual machine between two checks for an interrupt: less than 1 ms */
};

/* The tables.  SQLite stores these texts, and a file with other texts is not ours. */
static const struct {
    const char *name, *sql;
} tables[] = {
    {"experiment",
     "CREATE TABLE experiment(plan TEXT NOT NULL, text TEXT NOT NULL, path TEXT NOT NULL, test_ratio REAL)"},
    {"data", "CREATE TABLE data(name TEXT PRIMARY KEY, sha256 TEXT NOT NULL)"},
    {"plan", "CREATE TABLE plan(number INTEGER PRIMARY KEY, key TEXT NOT NULL, data TEXT NOT NULL, "
             "setting TEXT NOT NULL, method TEXT NOT NULL, seed INTEGER NOT NULL, fold INTEGER NOT NULL)"},
    {"cell",
     "CREATE TABLE cell(key TEXT PRIMARY KEY, status TEXT NOT NULL, error TEXT, parameters TEXT, verdict "
     "TEXT, "
     "iter INTEGER NOT NULL, scores TEXT, tuning TEXT, seconds REAL, tuning_seconds REAL, digest TEXT, "
     "session TEXT, version TEXT, build TEXT, finished TEXT NOT NULL)"},
    {"results", /* for people with sqlite3 */
     "CREATE VIEW results AS SELECT number, data, setting, method, seed, fold, coalesce(status, 'missing') "
     "AS "
     "status, error, parameters, verdict, iter, scores, seconds, tuning_seconds, digest, version, build, "
     "finished "
     "FROM plan LEFT JOIN cell USING (key)"},
};
enum {
    TABLES = sizeof tables / sizeof *tables
};

/* Make the folder and its parents. */
static wlab_code make_folder(const char *dir, wlab_err *err)
{
    struct stat st;
    char *part = wlab_strdup(dir);

    if (!part)
        return wlab_nomem(err);
    for (char *s = part + 1; *s; s++)
        if (*s == '/') {
            *s = '\0';
            (void)mkdir(part, 0777);
            *s = '/';
        }
    (void)mkdir(part, 0777);
    wlab_free(part);
    if (stat(dir, &st) != 0)
        return wlab_fail_errno(err, "cannot make the folder '%.300s'", dir);
    if (!S_ISDIR(st.st_mode))
        return wlab_fail(err, WL_EIO, "'%.300s' is a file; results need a folder", dir);
    return WL_OK;
}

/* The number of the process that locked the folder, as text; "": not known. */
static void read_holder(int lock, char pid[32])
{
    const ssize_t n = pread(lock, pid, 31, 0);
    pid[n > 0 ? n : 0] = '\0';
    pid[strspn(pid, "0123456789")] = '\0';
}

/* Locks the file, or fails with EWOULDBLOCK.  If a sweep was killed while it started a worker, the worker holds the lock until
 * it executes its own program: the process that locked the folder is gone then, and a moment later so is the lock. */
static int take_lock(int lock)
{
    const struct timespec moment = {.tv_nsec = 10000000};
    char pid[32];

    for (int tries = 0;; tries++) {
        if (flock(lock, LOCK_EX | LOCK_NB) == 0)
            return 0;
        if (errno != EWOULDBLOCK || tries == 1000)
            return -1;
        read_holder(lock, pid);
        if (!pid[0] || kill((pid_t)strtol(pid, NULL, 10), 0) == 0 || errno != ESRCH) {
            errno = EWOULDBLOCK;
            return -1;
        }
        (void)nanosleep(&moment, NULL);
    }
}

static wlab_code lock_folder(wlab_store *store, wlab_err *err)
{
    char pid[32] = "";
    char *path = wlab_format("%s/lock", store->dir);
    wlab_code code = WL_OK;

    if (!path)
        return wlab_nomem(err);
    store->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (store->lock < 0) {
        code = wlab_fail_errno(err, "cannot write in '%.300s'", store->dir);
    } else if (take_lock(store->lock) == 0) {
        int n = snprintf(pid, sizeof pid, "%ld\n", (long)getpid());
        /* the number is only for messages: the lock holds without it, but not with a part of it */
        if ((ftruncate(store->lock, 0) || pwrite(store->lock, pid, (size_t)n, 0) != n) &&
            ftruncate(store->lock, 0))
            errno = 0;
    } else if (errno == EWOULDBLOCK) {
        read_holder(store->lock, pid);
        code = wlab_fail(err, WL_ESTATE, "another sweep works on '%.300s'%s%s%s; wait for it or stop it",
                         store->dir, pid[0] ? " (process " : "", pid, pid[0] ? ")" : "");
    } else {
        code = wlab_fail_errno(err, "cannot lock '%.300s'", path);
    }
    wlab_free(path);
    return code;
}

static wlab_code make_tables(wlab_store *store, wlab_err *err)
{
    char sql[128];
    wlab_code code = wlab_sql_begin(store, err);

    if (code)
        return code;
    for (int i = 0; !code && i < TABLES; i++)
        code = wlab_sql_run(store, tables[i].sql, err);
    snprintf(sql, sizeof sql, "PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION, FORMAT);
    code = code ? code : wlab_sql_run(store, sql, err);
    return wlab_sql_end(store, code, err);
}

/* The tables must be as we make them, and there may be no triggers, which would run code of others. */
static wlab_code check_tables(const wlab_store *store, wlab_err *err)
{
    sqlite3_stmt *st = NULL;
    bool row = false;
    int64_t triggers = 0;
    wlab_code code =
        wlab_sql_prepare(store, &st, "SELECT 1 FROM sqlite_schema WHERE name = ? AND sql = ?", err);

    for (int i = 0; !code && i < TABLES; i++) {
        int rc = wlab_sql_bind_text(st, 1, tables[i].name) | wlab_sql_bind_text(st, 2, tables[i].sql);
        code = wlab_sql_step(store, st, rc, &row, err);
        if (!code && !row)
            code = wlab_fail(err, WL_EINPUT,
                             "'%.300s' is damaged: its table \"%s\" is missing or has other columns",
                             store->path, tables[i].name);
        sqlite3_reset(st);
    }
    sqlite3_finalize(st);
    if (!code)
        code = wlab_sql_number(store, "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'", 0,
                               &triggers, err);
    if (!code && triggers)
        code = wlab_fail(err, WL_EINPUT,
                         "'%.300s' holds triggers, which weaklab never makes; it is not opened", store->path);
    return code;
}

/* SQLite reads zeros for the missing end of a file cut inside its last page, so compare its size with the header. */
static wlab_code check_size(const wlab_store *store, wlab_err *err)
{
    int64_t page = 0, pages = 0;
    struct stat st;
    wlab_code code = wlab_sql_number(store, "PRAGMA page_size", 0, &page, err);

    code = code ? code : wlab_sql_number(store, "PRAGMA page_count", 0, &pages, err);
    if (code)
        return code;
    if (stat(store->path, &st) != 0)
        return wlab_fail_errno(err, "cannot open '%.300s'", store->path);
    if (st.st_size != page * pages)
        return wlab_fail(err, WL_EINPUT, "'%.300s' is damaged: it is %lld bytes long and should be %lld",
                         store->path, (long long)st.st_size, (long long)(page * pages));
    return WL_OK;
}

/* Check every page before anything is written, so that nothing is added to a damaged file. */
wlab_code wlab_sql_check_pages(const wlab_store *store, wlab_err *err)
{
    sqlite3_stmt *st = NULL;
    bool row = false;
    wlab_code code = wlab_sql_prepare(store, &st, "PRAGMA quick_check(1)", err);

    code = code ? code : wlab_sql_step(store, st, SQLITE_OK, &row, err);
    const char *answer = row ? (const char *)sqlite3_column_text(st, 0) : NULL;
    if (!code && (!answer || strcmp(answer, "ok") != 0))
        code = wlab_fail(err, WL_EINPUT, "'%.300s' is damaged: %.300s", store->path,
                         answer ? answer : "SQLite gives no reason");
    sqlite3_finalize(st);
    return code;
}

/* The file must be a store.  *empty: it has no bytes, as after a kill while it was made. */
static wlab_code check_file(const wlab_store *store, bool *empty, wlab_err *err)
{
    int64_t application = 0, format = 0, things = 0;
    struct stat st;
    wlab_code code = wlab_sql_number(store, "SELECT count(*) FROM sqlite_schema", 0, &things, err);

    code = code ? code : wlab_sql_number(store, "PRAGMA application_id", 0, &application, err);
    code = code ? code : wlab_sql_number(store, "PRAGMA user_version", 0, &format, err);
    if (code)
        return code;
    if (stat(store->path, &st) != 0)
        return wlab_fail_errno(err, "cannot open '%.300s'", store->path);
    *empty = st.st_size == 0;
    if (*empty)
        return WL_OK;
    if (things == 0 && application == 0 && format == 0) /* SQLite reads a file of a few bytes in this way */
        return wlab_fail(err, WL_EINPUT, "'%.300s' is not a file of results, or its beginning is damaged",
                         store->path);
    if (application != APPLICATION)
        return wlab_fail(err, WL_EINPUT, "'%.300s' is a database of another program", store->path);
    if (format != FORMAT)
        return wlab_fail(err, WL_EINPUT,
                         "'%.300s' has format %lld; this weaklab (%s) reads %d: use the version that made it",
                         store->path, (long long)format, WLAB_VERSION, FORMAT);
    code = check_tables(store, err);
    return code ? code : check_size(store, err);
}

static wlab_code fail_no_results(const wlab_store *store, wlab_err *err)
{
    return wlab_fail(err, WL_EIO, "there are no results in '%.300s' (no results.sqlite); `sweep` makes them",
                     store->dir);
}

/* SQLite calls this repeatedly while another program holds the file; 0 ends the wait.  An interrupt that came before
 * the wait does not end it: a sweep that was interrupted still stores the results of its running cells. */
static int on_busy(void *self, int calls)
{
    wlab_store *store = self;
    const double now = wlab_seconds_now();

    if (calls == 0) {
        store->wait.since = now;
        store->wait.reported = store->wait.given_up = false;
        store->wait.interrupted = wlab_interrupted(store->wait.ctx);
    }
    store->wait.given_up =
        wlab_hurried(store->wait.ctx) || (wlab_interrupted(store->wait.ctx) && !store->wait.interrupted);
    if (store->wait.given_up || now - store->wait.since > WAIT)
        return 0;
    if (!store->wait.reported && now - store->wait.since >= QUIET) {
        store->wait.reported = true;
        wlab_emit_warning(
            store->wait.ctx,
            "another program holds '%.100s': waiting for it, at most %d s; Ctrl-C ends the wait", store->path,
            WAIT);
    }
    (void)poll(NULL, 0, calls < 20 ? 1 + calls : 50); /* a signal ends it */
    return 1;
}

static int interrupted(void *ctx)
{
    return wlab_interrupted(ctx);
}

static wlab_code open_database(wlab_store *store, bool write, wlab_err *err)
{
    struct stat st;
    bool empty = false;
    wlab_code code;

    /* a writer must not follow a link out of the folder */
    if ((write ? lstat : stat)(store->path, &st) == 0 ? !S_ISREG(st.st_mode)
                                                      : errno != ENOENT && errno != ENOTDIR)
        return wlab_fail(err, WL_EIO, "cannot open '%.300s': not a regular file", store->path);
    if (!write && stat(store->path, &st) != 0)
        return fail_no_results(store, err);
    if (sqlite3_open_v2(store->path, &store->db, SQLITE_OPEN_READWRITE | (write ? SQLITE_OPEN_CREATE : 0),
                        NULL))
        return store->db ? wlab_sql_fail(store, err) : wlab_nomem(err);
    (void)sqlite3_extended_result_codes(store->db, 1);
    (void)sqlite3_busy_handler(store->db, on_busy, store);
    sqlite3_progress_handler(store->db, STEPS, interrupted, store->wait.ctx);
    (void)sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)NULL);
    (void)sqlite3_db_config(store->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)NULL);
    if (!write && (code = wlab_sql_run(store, "PRAGMA query_only = 1", err)))
        return code;
    /* check it in one transaction, so that size and header belong together while another program writes */
    code = wlab_sql_run(store, "PRAGMA synchronous = FULL; BEGIN", err);
    code = code ? code : check_file(store, &empty, err);
    code = wlab_sql_end(store, code, err);
    if (!code && empty)
        code = write ? make_tables(store, err) : fail_no_results(store, err);
    else if (!code && write)
        code = wlab_sql_check_pages(store, err);
    return code;
}

/* The results of a file NAME.cells, as a database in memory that can only be read. */
static wlab_code open_archive(wlab_store *store, wlab_err *err)
{
    wlab_code code;

    if (sqlite3_open_v2(":memory:", &store->db, SQLITE_OPEN_READWRITE, NULL))
        return store->db ? wlab_sql_fail(store, err) : wlab_nomem(err);
    sqlite3_progress_handler(store->db, STEPS, interrupted, store->wait.ctx);
    code = make_tables(store, err);
    code = code ? code : wlab_archive_read(store, err);
    return code ? code : wlab_sql_run(store, "PRAGMA query_only = 1", err);
}

wlab_code wlab_store_open(wlab_store **out, const char *dir, bool write, wlab_ctx *ctx, wlab_err *err)
{
    wlab_store *store = wlab_calloc(1, sizeof *store);
    struct stat st;
    wlab_code code = WL_OK;

    if (!store)
        return wlab_nomem(err);
    store->lock = -1;
    store->wait.ctx = ctx;
    store->dir = wlab_strdup(dir);
    store->memory = !write && stat(dir, &st) == 0 && S_ISREG(st.st_mode);
    store->path = store->memory ? wlab_strdup(dir) : wlab_format("%s/results.sqlite", dir);
    if (!store->dir || !store->path)
        code = wlab_nomem(err);
    else if (dir[0] == '\0')
        code = wlab_fail(err, WL_EARG, "results need a folder");
    if (!code && write)
        code = make_folder(dir, err);
    if (!code && write)
        code = lock_folder(store, err);
    if (!code)
        code = store->memory ? open_archive(store, err) : open_database(store, write, err);
    if (code)
        wlab_store_close(store);
    else
        *out = store;
    return code;
}

void wlab_store_keep_writing(wlab_store *store)
{
    sqlite3_progress_handler(store->db, 0, NULL, NULL);
}

void wlab_store_close(wlab_store *store)
{
    if (!store)
        return;
    (void)sqlite3_close(store->db);
    if (store->lock >= 0)
        close(store->lock);
    wlab_free(store->dir);
    wlab_free(store->path);
    wlab_free(store);
}

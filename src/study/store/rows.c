/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The store's rows: one result for each cell's key.
 */
#include "study/store/sql.h"
#include <string.h>

/* Columns of a row of `cell`, key first; read_row and bind_row rely on this order. */
#define SHORT                                                                                                \
    "key, status, error, parameters, verdict, iter, scores, seconds, tuning_seconds, digest, version, build"
#define WHOLE SHORT ", tuning, session"
enum {
    KEY,
    STATUS,
    ERROR,
    PARAMETERS,
    VERDICT,
    ITER,
    SCORES,
    SECONDS,
    TUNING_SECONDS,
    DIGEST,
    VERSION,
    BUILD,
    TUNING,
    SESSION,
    COLUMNS
};

static wlab_code read_json(const wlab_store *store, const wlab_result *r, sqlite3_stmt *st, int column,
                           json_t **to, wlab_err *err)
{
    const char *text = (const char *)sqlite3_column_text(st, column);
    json_error_t why;

    if (!text)
        return WL_OK;
    *to = json_loads(text, JSON_REJECT_DUPLICATES, &why);
    if (*to && json_is_object(*to))
        return WL_OK;
    return wlab_fail(err, WL_EINPUT, "'%.300s' is damaged: the %s of cell %lld cannot be read", store->path,
                     column == SCORES ? "scores" : "tuning", (long long)r->number);
}

/* Read the row whose key is in column `from`; r->number is set already.  whole: with tuning and session. */
static wlab_code read_row(const wlab_store *store, wlab_result *r, sqlite3_stmt *st, int from, bool whole,
                          wlab_err *err)
{
    const struct {
        int column;
        char **to;
    } texts[] = {{ERROR, &r->error},    {PARAMETERS, &r->parameters}, {VERDICT, &r->verdict},
                 {DIGEST, &r->digest},  {VERSION, &r->version},       {BUILD, &r->build},
                 {SESSION, &r->session}};
    const char *key = (const char *)sqlite3_column_text(st, from + KEY);
    wlab_code code = WL_OK;

    if (!key || strlen(key) != 64)
        return wlab_fail(err, WL_EINPUT, "'%.300s' is damaged: a cell has no key", store->path);
    memcpy(r->key, key, 65);
    r->iter = sqlite3_column_int64(st, from + ITER);
    r->seconds = sqlite3_column_double(st, from + SECONDS);
    r->tuning_seconds = sqlite3_column_double(st, from + TUNING_SECONDS);
    for (size_t i = 0; !code && i < sizeof texts / sizeof *texts; i++)
        if (whole || texts[i].column < TUNING)
            code = wlab_sql_text(st, from + texts[i].column, texts[i].to, err);
    code = code ? code : read_json(store, r, st, from + SCORES, &r->scores, err);
    if (!code && whole)
        code = read_json(store, r, st, from + TUNING, &r->tuning, err);
    return code;
}

wlab_code wlab_store_get(const wlab_store *store, int64_t number, bool *found, wlab_result *r, wlab_err *err)
{
    sqlite3_stmt *st = NULL;
    wlab_result got = {.number = number};
    int64_t cells = 0;
    bool row = false;
    wlab_code code = wlab_sql_need_plan(store, err);

    code = code ? code : wlab_sql_number(store, "SELECT count(*) FROM plan", 0, &cells, err);
    if (!code && (number < 1 || number > cells))
        code = wlab_fail(err, WL_EARG, "there is no cell %lld in '%.300s': its cells are numbered 1 to %lld",
                         (long long)number, store->dir, (long long)cells);
    if (!code)
        code = wlab_sql_prepare(
            store, &st, "SELECT " WHOLE " FROM cell WHERE key = (SELECT key FROM plan WHERE number = ?)",
            err);
    code = code ? code : wlab_sql_step(store, st, sqlite3_bind_int64(st, 1, number), &row, err);
    if (!code && row)
        code = read_row(store, &got, st, 0, true, err);
    sqlite3_finalize(st);
    if (code || !row)
        wlab_result_clear(&got);
    if (!code)
        *found = row;
    if (!code && row)
        *r = got;
    return code;
}

wlab_code wlab_store_oracle(const wlab_store *store, int64_t number, bool *oracle, wlab_err *err)
{
    wlab_result one = {0};
    bool found = false;
    wlab_code code = wlab_store_get(store, number, &found, &one, err);

    if (!code && found) {
        *oracle = json_is_true(json_object_get(one.tuning, "oracle"));
        wlab_result_clear(&one);
    }
    return code;
}

wlab_code wlab_store_states(const wlab_store *store, uint8_t *state, int64_t cells, wlab_err *err)
{
    sqlite3_stmt *st = NULL;
    bool row = false;
    wlab_code code = wlab_sql_prepare(
        store, &st,
        "SELECT number, status = 'done' FROM plan JOIN cell USING (key) WHERE number BETWEEN 1 AND ?", err);

    if (cells > 0)
        memset(state, 0, (size_t)cells);
    code = code ? code : wlab_sql_step(store, st, sqlite3_bind_int64(st, 1, cells), &row, err);
    while (!code && row) {
        state[sqlite3_column_int64(st, 0) - 1] = sqlite3_column_int(st, 1) ? 1 : 2;
        code = wlab_sql_step(store, st, SQLITE_OK, &row, err);
    }
    sqlite3_finalize(st);
    return code;
}

wlab_code wlab_store_count(const wlab_store *store, int64_t *cells, int64_t *done, int64_t *failed,
                           wlab_err *err)
{
    sqlite3_stmt *st = NULL;
    bool row = false;
    wlab_code code = wlab_sql_need_plan(store, err);

    if (!code)
        code = wlab_sql_prepare(store, &st,
                                "SELECT count(*), total(status = 'done'), total(status <> 'done') FROM plan "
                                "LEFT JOIN cell USING (key)",
                                err);
    code = code ? code : wlab_sql_step(store, st, SQLITE_OK, &row, err);
    if (!code) {
        *cells = sqlite3_column_int64(st, 0);
        *done = sqlite3_column_int64(st, 1);
        *failed = sqlite3_column_int64(st, 2);
    }
    sqlite3_finalize(st);
    return code;
}

wlab_code wlab_store_each(const wlab_store *store,
                          wlab_code (*each)(void *self, const wlab_result *, wlab_err *), void *self,
                          wlab_err *err)
{
    sqlite3_stmt *st = NULL;
    bool row = false;
    wlab_code code = wlab_sql_need_plan(store, err);

    if (!code)
        code = wlab_sql_prepare(
            store, &st, "SELECT number, " SHORT " FROM plan JOIN cell USING (key) ORDER BY number", err);
    code = code ? code : wlab_sql_step(store, st, SQLITE_OK, &row, err);
    while (!code && row) {
        wlab_result r = {.number = sqlite3_column_int64(st, 0)};
        code = read_row(store, &r, st, 1, false, err);
        code = code ? code : each(self, &r, err);
        wlab_result_clear(&r);
        code = code ? code : wlab_sql_step(store, st, SQLITE_OK, &row, err);
    }
    sqlite3_finalize(st);
    return code;
}

wlab_code wlab_store_untrained(const wlab_store *store,
                               wlab_code (*each)(void *self, int64_t number, const char *why, wlab_err *),
                               void *self, wlab_err *err)
{
    sqlite3_stmt *st = NULL;
    bool row = false;
    /* the pattern is as dump writes it; inside a text the quotes would have backslashes */
    wlab_code code = wlab_sql_prepare(store, &st,
                                      "SELECT number, tuning FROM plan JOIN cell USING (key) "
                                      "WHERE instr(tuning, '\"failure\":\"') ORDER BY number",
                                      err);

    code = code ? code : wlab_sql_step(store, st, SQLITE_OK, &row, err);
    while (!code && row) {
        wlab_result r = {.number = sqlite3_column_int64(st, 0)};
        const char *why;

        code = read_json(store, &r, st, 1, &r.tuning, err);
        why = json_string_value(json_object_get(r.tuning, "failure"));
        if (!code && why)
            code = each(self, r.number, why, err);
        wlab_result_clear(&r);
        code = code ? code : wlab_sql_step(store, st, SQLITE_OK, &row, err);
    }
    sqlite3_finalize(st);
    return code;
}

/* ---- writing ---- */

/* The state of r's cell: 0 missing, 1 done, 2 failed.  WL_EDIFFERS: it is done and r failed or has another digest. */
static wlab_code read_state(const wlab_store *store, const wlab_result *r, int *state, wlab_err *err)
{
    sqlite3_stmt *st = NULL;
    bool row = false;
    wlab_code code =
        wlab_sql_prepare(store, &st, "SELECT status = 'done', digest, build FROM cell WHERE key = ?", err);

    code = code ? code : wlab_sql_step(store, st, wlab_sql_bind_text(st, 1, r->key), &row, err);
    const char *digest = row ? (const char *)sqlite3_column_text(st, 1) : NULL;
    const char *build = row ? (const char *)sqlite3_column_text(st, 2) : NULL;
    *state = !row ? 0 : sqlite3_column_int(st, 0) ? 1 : 2;
    if (!code && *state == 1 && r->error)
        code = wlab_fail(err, WL_EDIFFERS, "cell %lld in '%.200s' is done, but now it failed: %.400s",
                         (long long)r->number, store->dir, r->error);
    else if (!code && *state == 1 && digest && r->digest && strcmp(digest, r->digest) != 0)
        code = wlab_fail(
            err, WL_EDIFFERS,
            "the result of cell %lld differs from the one in '%.200s': there %.250s (build %.40s), now "
            "%.250s (build %.40s)",
            (long long)r->number, store->dir, digest, build ? build : "-", r->digest,
            r->build ? r->build : "-");
    sqlite3_finalize(st);
    return code;
}

static char *dump(const json_t *o)
{
    return o ? json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
}

static int bind_row(sqlite3_stmt *st, const wlab_result *r, const char *scores, const char *tuning)
{
    const char *const texts[COLUMNS] = {[KEY] = r->key,         [STATUS] = r->error ? "failed" : "done",
                                        [ERROR] = r->error,     [PARAMETERS] = r->parameters,
                                        [VERDICT] = r->verdict, [SCORES] = scores,
                                        [DIGEST] = r->digest,   [VERSION] = r->version,
                                        [BUILD] = r->build,     [TUNING] = tuning,
                                        [SESSION] = r->session};
    int rc = SQLITE_OK;

    for (int i = 0; i < COLUMNS; i++)
        if (i == ITER)
            rc |= sqlite3_bind_int64(st, i + 1, r->iter);
        else if (i == SECONDS || i == TUNING_SECONDS)
            rc |= wlab_sql_bind_real(st, i + 1, i == SECONDS ? r->seconds : r->tuning_seconds);
        else
            rc |= wlab_sql_bind_text(st, i + 1, texts[i]);
    return rc;
}

static wlab_code write_row(const wlab_store *store, const wlab_result *r, wlab_err *err)
{
    sqlite3_stmt *st = NULL;
    char *scores = dump(r->scores), *tuning = dump(r->tuning);
    wlab_code code = (r->scores && !scores) || (r->tuning && !tuning) ? wlab_nomem(err) : WL_OK;

    if (!code)
        code = wlab_sql_prepare(store, &st,
                                "INSERT OR REPLACE INTO cell(" WHOLE
                                ", finished) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
                                "?, ?, ?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))",
                                err);
    code = code ? code : wlab_sql_step(store, st, bind_row(st, r, scores, tuning), NULL, err);
    sqlite3_finalize(st);
    free(scores);
    free(tuning);
    return code;
}

/* The plan must have a cell of this number and key. */
static wlab_code check_planned(const wlab_store *store, const wlab_result *r, wlab_err *err)
{
    sqlite3_stmt *st = NULL;
    bool row = false;
    wlab_code code = wlab_sql_prepare(store, &st, "SELECT key FROM plan WHERE number = ?", err);

    code = code ? code : wlab_sql_step(store, st, sqlite3_bind_int64(st, 1, r->number), &row, err);
    const char *key = row ? (const char *)sqlite3_column_text(st, 0) : NULL;
    if (!code && (!key || strcmp(key, r->key) != 0))
        code = wlab_fail(err, WL_EARG,
                         "cell %lld of '%.300s' is not the one that was computed: its data may have changed",
                         (long long)r->number, store->dir);
    sqlite3_finalize(st);
    return code;
}

wlab_code wlab_store_put(wlab_store *store, const wlab_result *r, wlab_err *err)
{
    int state = 0;
    wlab_code code = wlab_sql_begin(store, err);

    if (code)
        return code;
    code = check_planned(store, r, err);
    code = code ? code : read_state(store, r, &state, err);
    if (!code && state != 1)
        code = write_row(store, r, err);
    return wlab_sql_end(store, code, err);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The store of results: every stored result is read back unchanged, also after kills, on full disks, and if it is
 * stored twice.  A damaged file may give an error, but never a crash.
 */
#include "same_result.h"
#include "unit/talk.h"

#include "study/store/store.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>

extern char **environ;

enum {
    CELLS = 12,
    KILLS = 12
};

/* Two data sets, two methods, three seeds; made by hand, without other parts of the program. */
typedef struct plan {
    wlab_experiment e;
    wlab_exp_data data[2];
    wlab_exp_setting setting[1];
    wlab_exp_method method[2];
    wlab_cell cell[CELLS + 4];
} plan;

static void cell_key(char key[65], const char *salt, int64_t number)
{
    char text[64];
    snprintf(text, sizeof text, "%s %lld", salt, (long long)number);
    wlab_sha256_hex(text, strlen(text), key);
}

static void plan_make(plan *p, const char *salt, int64_t cells)
{
    static char text[] = "load a\nmethod A algo svm\n", path[] = "small.wexp", none[] = "",
                ab[2][2] = {"a", "b"}, AB[2][2] = {"A", "B"};
    memset(p, 0, sizeof *p);
    p->e = (wlab_experiment){.text = text,
                             .path = path,
                             .data = p->data,
                             .ndata = 2,
                             .setting = p->setting,
                             .nsettings = 1,
                             .method = p->method,
                             .nmethods = 2,
                             .cell = p->cell,
                             .cells = cells,
                             .test_ratio = 0.25};
    for (int i = 0; i < 2; i++) {
        p->data[i].name = ab[i];
        p->method[i].name = AB[i];
        wlab_sha256_hex(ab[i], 1, p->data[i].sha256);
    }
    p->setting[0].name = none;
    for (int64_t i = 0; i < cells; i++) {
        p->cell[i] =
            (wlab_cell){.number = i + 1, .data = (int)(i / 2 % 2), .method = (int)(i % 2), .seed = i / 4 + 1};
        cell_key(p->cell[i].key, salt, i + 1);
    }
    wlab_sha256_hex(p->cell, sizeof *p->cell * (size_t)cells, p->e.plan);
}

/* Makes the result of a cell, the same at each call; with `error` it is a failure. */
static void result_make(wlab_result *r, const wlab_cell *cell, const char *error)
{
    memset(r, 0, sizeof *r);
    r->number = cell->number;
    memcpy(r->key, cell->key, 65);
    r->session = wlab_format("#@ header\nalgo svm\n# cell %lld\n", (long long)cell->number);
    r->version = wlab_strdup(WLAB_VERSION);
    r->build = wlab_strdup("0123456789abcdef");
    if (error) {
        r->error = wlab_strdup(error);
        return;
    }
    r->parameters = wlab_strdup("svm C=1");
    r->verdict = wlab_strdup("converged");
    r->iter = 3;
    r->scores = json_pack("{s:f, s:i, s:n}", "accuracy", 1.0 / (double)(cell->number + 2), "n", 50, "auc");
    r->tuning = json_pack("{s:s, s:[{s:s, s:f}]}", "by", "accuracy", "candidates", "parameters", "svm C=1",
                          "score", 0.5);
    r->seconds = 0.125;
    r->tuning_seconds = 2;
    r->digest = wlab_format("run=a iter=3 metrics=%lld", (long long)cell->number);
}

static char folder[256];
static char dir[300];

static int setup(void **state)
{
    (void)state;
    talk_folder(folder);
    snprintf(dir, sizeof dir, "%s/new/results", folder);
    return 0;
}

static void remove_all(const char *path)
{
    static const char *const names[] = {"results.sqlite", "results.sqlite-journal", "lock", NULL};
    char file[600];
    for (int i = 0; names[i]; i++) {
        snprintf(file, sizeof file, "%s/%s", path, names[i]);
        unlink(file);
    }
    rmdir(path);
}

static int teardown(void **state)
{
    static const char *const names[] = {"new/results", "new", "b", "c", NULL};
    char path[400];
    (void)state;
    for (int i = 0; names[i]; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        remove_all(path);
    }
    remove_all(folder);
    return 0;
}

static const char *path_beside(const char *name)
{
    static char path[400];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* Open for writing, with this plan. */
static wlab_store *open_store(const char *where, const plan *p, int64_t expect)
{
    wlab_err err;
    wlab_store *s = NULL;
    int64_t kept = -1;
    ASSERT_OK(wlab_store_open(&s, where, true, NULL, &err), err);
    ASSERT_OK(wlab_store_plan(s, &p->e, false, &kept, &err), err);
    assert_int_equal(kept, expect);
    return s;
}

static wlab_code put_result(wlab_store *s, const wlab_cell *cell, const char *error, wlab_err *err)
{
    wlab_result r;
    result_make(&r, cell, error);
    wlab_code code = wlab_store_put(s, &r, err);
    wlab_result_clear(&r);
    return code;
}

static void put_all(wlab_store *s, const plan *p, int64_t from, int64_t to)
{
    wlab_err err;
    for (int64_t i = from; i <= to; i++)
        ASSERT_OK(put_result(s, &p->cell[i - 1], NULL, &err), err);
}

/* The number of done cells; each must be as it was stored. */
static int64_t done_cells(const wlab_store *s, const plan *p)
{
    wlab_err err;
    int64_t done = 0;
    for (int64_t i = 0; i < p->e.cells; i++) {
        wlab_result r = {0}, expected;
        bool found = false;
        ASSERT_OK(wlab_store_get(s, i + 1, &found, &r, &err), err);
        if (!found)
            continue;
        result_make(&expected, &p->cell[i], r.error);
        same_result(&r, &expected);
        done += !r.error;
        wlab_result_clear(&r);
        wlab_result_clear(&expected);
    }
    return done;
}

static void expect_done(const char *where, const plan *p, int64_t done)
{
    wlab_err err;
    wlab_store *s = NULL;
    ASSERT_OK(wlab_store_open(&s, where, false, NULL, &err), err);
    assert_int_equal(done_cells(s, p), done);
    wlab_store_close(s);
}

/* ---- round trips ---- */

typedef struct visit {
    int64_t n, last;
} visit;

static wlab_code check_result(void *self, const wlab_result *r, wlab_err *err)
{
    visit *to = self;
    assert_true(r->number > to->last);
    assert_null(r->session);
    assert_null(r->tuning);
    assert_true(r->error || json_object_get(r->scores, "accuracy"));
    to->last = r->number;
    return ++to->n == 4 ? wlab_fail(err, WL_EINTERRUPTED, "enough") : WL_OK;
}

static void test_round_trip(void **state)
{
    plan p;
    wlab_err err;
    uint8_t states[CELLS];
    wlab_result r = {0};
    bool found = true;
    (void)state;

    plan_make(&p, "one", CELLS);
    wlab_store *s = open_store(dir, &p, 0);
    put_all(s, &p, 1, 3);
    ASSERT_OK(put_result(s, &p.cell[6], "data.csv:7: one class only", &err), err);
    ASSERT_OK(wlab_store_states(s, states, CELLS, &err), err);
    for (int i = 0; i < CELLS; i++)
        assert_int_equal(states[i], i < 3 ? 1 : i == 6 ? 2 : 0);
    ASSERT_OK(wlab_store_states(s, states, 2, &err), err);
    assert_int_equal(done_cells(s, &p), 3);
    ASSERT_OK(wlab_store_get(s, 5, &found, &r, &err), err);
    assert_false(found);
    ASSERT_FAILS(wlab_store_get(s, 13, &found, &r, &err), WL_EARG, err, "numbered 1 to 12");
    ASSERT_FAILS(wlab_store_get(s, 0, &found, &r, &err), WL_EARG, err, "no cell 0");
    visit to = {0};
    ASSERT_FAILS(wlab_store_each(s, check_result, &to, &err), WL_EINTERRUPTED, err, "enough");
    assert_int_equal(to.last, 7);
    wlab_store_close(s);
    expect_done(dir, &p, 3);
}

static void test_put(void **state)
{
    plan p, other;
    wlab_err err;
    wlab_result r;
    (void)state;

    plan_make(&p, "one", CELLS);
    plan_make(&other, "two", CELLS);
    wlab_store *s = open_store(dir, &p, 0);
    ASSERT_OK(put_result(s, &p.cell[0], "first failure", &err), err);
    ASSERT_OK(put_result(s, &p.cell[0], "second failure", &err), err);
    ASSERT_OK(put_result(s, &p.cell[0], NULL, &err), err);
    ASSERT_OK(put_result(s, &p.cell[0], NULL, &err), err); /* the same again */
    assert_int_equal(done_cells(s, &p), 1);
    ASSERT_FAILS(put_result(s, &p.cell[0], "third failure", &err), WL_EDIFFERS, err, "third failure");
    result_make(&r, &p.cell[0], NULL);
    r.digest[4]++;
    ASSERT_FAILS(wlab_store_put(s, &r, &err), WL_EDIFFERS, err, "result of cell 1 differs");
    wlab_result_clear(&r);
    assert_int_equal(done_cells(s, &p), 1);
    ASSERT_FAILS(put_result(s, &other.cell[0], NULL, &err), WL_EARG, err, "cell 1 ");
    other.cell[0].number = 99;
    ASSERT_FAILS(put_result(s, &other.cell[0], NULL, &err), WL_EARG, err, "cell 99 ");
    wlab_store_close(s);
    wlab_store *reader = NULL;
    ASSERT_OK(wlab_store_open(&reader, dir, false, NULL, &err), err);
    ASSERT_FAILS(put_result(reader, &p.cell[1], NULL, &err), WL_ESTATE, err, "for reading");
    wlab_store_close(reader);
}

static void test_plan_changes(void **state)
{
    plan p, longer, other;
    wlab_err err;
    int64_t kept = -1;
    wlab_store *s = NULL;
    (void)state;

    plan_make(&p, "one", CELLS);
    plan_make(&longer, "one", CELLS + 4);
    plan_make(&other, "two", CELLS);
    s = open_store(dir, &p, 0);
    put_all(s, &p, 1, 5);
    wlab_store_close(s);

    s = open_store(dir, &longer, 5);
    put_all(s, &longer, 13, 14);
    assert_int_equal(done_cells(s, &longer), 7);
    wlab_store_close(s);

    ASSERT_OK(wlab_store_open(&s, dir, true, NULL, &err), err);
    ASSERT_FAILS(wlab_store_plan(s, &other.e, false, &kept, &err), WL_EARG, err, "another experiment");
    assert_int_equal(kept, -1);
    assert_int_equal(done_cells(s, &longer), 7); /* as before */
    ASSERT_OK(wlab_store_plan(s, &other.e, true, &kept, &err), err);
    assert_int_equal(kept, 0);
    assert_int_equal(done_cells(s, &other), 0);
    ASSERT_OK(wlab_store_plan(s, &p.e, true, &kept, &err), err);
    assert_int_equal(kept, 5);
    assert_int_equal(done_cells(s, &p), 5);
    wlab_store_close(s);
}

/* ---- opening ---- */

static void test_one_writer(void **state)
{
    plan p;
    wlab_err err;
    wlab_store *second = NULL, *reader = NULL;
    char number[32];
    (void)state;

    plan_make(&p, "one", CELLS);
    wlab_store *s = open_store(dir, &p, 0);
    snprintf(number, sizeof number, "process %ld", (long)getpid());
    ASSERT_FAILS(wlab_store_open(&second, dir, true, NULL, &err), WL_ESTATE, err, number);
    assert_null(second);
    put_all(s, &p, 1, 2);
    ASSERT_OK(wlab_store_open(&reader, dir, false, NULL, &err), err);
    assert_int_equal(done_cells(reader, &p), 2);
    put_all(s, &p, 3, 3);
    assert_int_equal(done_cells(reader, &p), 3);
    wlab_store_close(reader);
    wlab_store_close(s);
    ASSERT_OK(wlab_store_open(&second, dir, true, NULL, &err), err);
    wlab_store_close(second);
}

/* The writer is gone, but a child that it had just made still has its files open. */
static void test_dying_writer(void **state)
{
    plan p;
    wlab_err err;
    wlab_store *s = NULL;
    int status = -1;
    (void)state;

    plan_make(&p, "one", CELLS);
    const pid_t writer = fork();
    assert_true(writer >= 0);
    if (writer == 0) {
        const bool fine = !wlab_store_open(&s, dir, true, NULL, &err);
        if (fine && fork() == 0)
            usleep(200000);
        _exit(!fine);
    }
    assert_int_equal(waitpid(writer, &status, 0), writer);
    assert_int_equal(status, 0);
    ASSERT_OK(wlab_store_open(&s, dir, true, NULL, &err), err);
    wlab_store_close(s);
}

static void test_nothing_there(void **state)
{
    wlab_err err;
    wlab_store *s = NULL;
    wlab_result r = {0};
    bool found;
    char path[400];
    (void)state;

    ASSERT_FAILS(wlab_store_open(&s, dir, false, NULL, &err), WL_EIO, err, "no results in");
    ASSERT_FAILS(wlab_store_open(&s, "", false, NULL, &err), WL_EARG, err, "folder");
    assert_int_equal(access(dir, F_OK), -1); /* opening for reading creates nothing */
    ASSERT_OK(wlab_store_open(&s, dir, true, NULL, &err), err);
    ASSERT_FAILS(wlab_store_get(s, 1, &found, &r, &err), WL_ESTATE, err, "no experiment");
    wlab_store_close(s);
    snprintf(path, sizeof path, "%s/file", folder);
    talk_write(path, "x");
    ASSERT_FAILS(wlab_store_open(&s, path, true, NULL, &err), WL_EIO, err, "is a file");
    ASSERT_FAILS(wlab_store_open(&s, path, false, NULL, &err), WL_EINPUT, err, "not a file of results");
    snprintf(path, sizeof path, "%s/file/below", folder);
    ASSERT_FAILS(wlab_store_open(&s, path, true, NULL, &err), WL_EIO, err, "cannot make the folder");
    unlink(path_beside("file"));
}

static void test_read_only_folder(void **state)
{
    plan p;
    wlab_err err;
    wlab_store *s = NULL;
    (void)state;

    plan_make(&p, "one", CELLS);
    s = open_store(dir, &p, 0);
    put_all(s, &p, 1, 2);
    wlab_store_close(s);
    if (geteuid() == 0) {
        print_message("skipped: root may write anywhere\n");
        skip();
    }
    char lock[400];
    snprintf(lock, sizeof lock, "%s/lock", dir);
    unlink(lock);
    assert_int_equal(chmod(dir, 0555), 0);
    ASSERT_FAILS(wlab_store_open(&s, dir, true, NULL, &err), WL_EIO, err, "cannot write in");
    expect_done(dir, &p, 2);
    assert_int_equal(chmod(dir, 0755), 0);
}

/* ---- damage ---- */

static void database_path(char path[400])
{
    snprintf(path, 400, "%s/results.sqlite", dir);
}

static char *read_bytes(const char *path, size_t *len)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    *len = (size_t)ftell(f);
    rewind(f);
    char *bytes = malloc(*len + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *len, f), *len);
    fclose(f);
    return bytes;
}

static void write_bytes(const char *path, const char *bytes, size_t len)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, len, f), len);
    assert_int_equal(fclose(f), 0);
}

static void sqlite_run(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

typedef struct held {
    sqlite3 *other; /* which holds it */
    atomic_int interrupt;
    bool lets_go; /* let go when the wait is reported; else press Ctrl-C then */
    int reported;
} held;

static void on_report(void *sink, const wlab_event *event)
{
    held *h = sink;

    assert_int_equal(event->kind, WL_EV_WARNING);
    assert_non_null(strstr(event->text, "another program holds"));
    h->reported++;
    if (h->lets_go)
        assert_int_equal(sqlite3_exec(h->other, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    else
        atomic_fetch_add(&h->interrupt, 1);
}

/* Another program holds the file while it is opened, read or written: the wait is reported; then the other program lets
 * go, or Ctrl-C ends the wait. */
static void test_held(void **state)
{
    plan p;
    wlab_err err;
    char path[400];
    (void)state;

    plan_make(&p, "one", CELLS);
    wlab_store *s = open_store(dir, &p, 0);
    put_all(s, &p, 1, 2);
    wlab_store_close(s);
    database_path(path);
    for (int what = 0; what < 3; what++)
        for (int lets_go = 0; lets_go < 2; lets_go++) {
            held h = {.lets_go = lets_go};
            wlab_ctx ctx = {.interrupt = &h.interrupt, .emit = on_report, .sink = &h};
            wlab_result r;
            int64_t cells, done, failed;
            wlab_code code;

            s = NULL;
            if (what > 0)
                ASSERT_OK(wlab_store_open(&s, dir, what == 2, &ctx, &err), err);
            assert_int_equal(sqlite3_open(path, &h.other), SQLITE_OK);
            assert_int_equal(sqlite3_exec(h.other, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
            if (what == 2) { /* an interrupt before the write does not end the wait, only a second one */
                atomic_store(&h.interrupt, 1);
                result_make(&r, &p.cell[2 + lets_go], NULL);
                code = wlab_store_put(s, &r, &err);
                wlab_result_clear(&r);
            } else if (what == 1) {
                code = wlab_store_count(s, &cells, &done, &failed, &err);
            } else {
                code = wlab_store_open(&s, dir, false, &ctx, &err);
            }
            if (code != (lets_go ? WL_OK : WL_EINTERRUPTED))
                fail_msg("what %d, lets go %d: code %d, %s", what, lets_go, (int)code, err.message);
            assert_true(lets_go || strstr(err.message, "interrupted"));
            assert_int_equal(h.reported, 1);
            assert_int_equal(sqlite3_close(h.other), SQLITE_OK);
            wlab_store_close(s);
        }
}

static void test_truncated(void **state)
{
    plan p;
    wlab_err err;
    char path[400];
    size_t len = 0;
    (void)state;

    plan_make(&p, "one", CELLS);
    wlab_store *s = open_store(dir, &p, 0);
    put_all(s, &p, 1, 2);
    wlab_store_close(s);
    database_path(path);
    char *bytes = read_bytes(path, &len);
    s = NULL;
    /* the file is cut at every length inside its header, at lengths around the ends of pages, and at some in between */
    for (size_t cut = 1; cut < len; cut += cut < 600 || (cut + 3) % 512 < 6 ? 1 : 97) {
        size_t after = 0;
        write_bytes(path, bytes, cut);
        for (int write = 0; write < 2; write++) {
            wlab_code code = wlab_store_open(&s, dir, write != 0, NULL, &err);
            if (code != WL_EINPUT || !strstr(err.message, "damaged"))
                fail_msg("cut at %zu of %zu: code %d, %s", cut, len, (int)code,
                         code ? err.message : "no error");
            assert_null(s);
        }
        char *left = read_bytes(path, &after);
        assert_true(after == cut && memcmp(left, bytes, cut) == 0); /* nothing changed */
        free(left);
    }
    write_bytes(path, bytes, len);
    expect_done(dir, &p, 2);
    free(bytes);
}

/* A plan whose numbers somebody changed: none of them may be used as an index. */
static void test_numbers(void **state)
{
    plan p;
    wlab_err err;
    char path[400];
    uint8_t around[CELLS + 16];
    (void)state;

    plan_make(&p, "one", CELLS);
    wlab_store *s = open_store(dir, &p, 0);
    put_all(s, &p, 1, 4);
    wlab_store_close(s);
    database_path(path);
    sqlite_run(path, "UPDATE plan SET number = number - 3 WHERE number < 4");
    ASSERT_OK(wlab_store_open(&s, dir, false, NULL, &err), err);
    memset(around, 0xa5, sizeof around);
    ASSERT_OK(wlab_store_states(s, around + 8, CELLS, &err), err);
    for (int i = 0; i < 8; i++)
        assert_true(around[i] == 0xa5 && around[8 + CELLS + i] == 0xa5);
    wlab_store_close(s);
}

/* Bytes are changed at places all over the file: opening and reading end with results or with an error about the
 * file, and never crash. */
static void test_garbled(void **state)
{
    plan p;
    wlab_err err;
    char path[400];
    size_t len = 0;
    int noticed = 0, tried = 0;
    (void)state;

    plan_make(&p, "one", CELLS);
    wlab_store *s = open_store(dir, &p, 0);
    put_all(s, &p, 1, 4);
    wlab_store_close(s);
    database_path(path);
    char *bytes = read_bytes(path, &len);
    for (size_t at = 0; at < len; at += 211, tried++) {
        char kept[16];
        size_t n = len - at < sizeof kept ? len - at : sizeof kept;
        memcpy(kept, bytes + at, n);
        memset(bytes + at, 0xa5, n);
        write_bytes(path, bytes, len);
        memcpy(bytes + at, kept, n);
        s = NULL;
        wlab_code code = wlab_store_open(&s, dir, false, NULL, &err);
        for (int64_t i = 1; !code && i <= CELLS; i++) {
            wlab_result r = {0};
            bool found = false;
            code = wlab_store_get(s, i, &found, &r, &err);
            if (!code && found)
                wlab_result_clear(&r);
        }
        wlab_store_close(s);
        noticed += code != WL_OK;
        if (code && code != WL_EINPUT && code != WL_EARG && code != WL_ESTATE)
            fail_msg("bytes at %zu: code %d, %s", at, (int)code, err.message);
    }
    assert_true(noticed > 0 && noticed < tried);
    free(bytes);
}

static void test_not_ours(void **state)
{
    plan p;
    wlab_err err;
    char path[400];
    wlab_store *s = NULL;
    (void)state;

    ASSERT_OK(wlab_store_open(&s, dir, true, NULL, &err), err);
    wlab_store_close(s);
    s = NULL;
    database_path(path);
    talk_write(path, "This is a text, and long enough to be looked at as a database: it is none, whatever "
                     "its name says.\n");
    ASSERT_FAILS(wlab_store_open(&s, dir, true, NULL, &err), WL_EINPUT, err, "not a file of results");
    unlink(path);
    sqlite_run(path, "CREATE TABLE stamps(country, year)");
    ASSERT_FAILS(wlab_store_open(&s, dir, true, NULL, &err), WL_EINPUT, err, "another program");
    unlink(path);
    plan_make(&p, "one", CELLS);
    wlab_store_close(open_store(dir, &p, 0));
    sqlite_run(path, "CREATE TRIGGER t AFTER INSERT ON cell BEGIN DELETE FROM plan; END");
    ASSERT_FAILS(wlab_store_open(&s, dir, true, NULL, &err), WL_EINPUT, err, "triggers");
    sqlite_run(path, "DROP TRIGGER t; ALTER TABLE cell ADD COLUMN more");
    ASSERT_FAILS(wlab_store_open(&s, dir, false, NULL, &err), WL_EINPUT, err, "\"cell\"");
    sqlite_run(path, "PRAGMA user_version = 2");
    ASSERT_FAILS(wlab_store_open(&s, dir, true, NULL, &err), WL_EINPUT, err, "format 2");
    ASSERT_FAILS(wlab_store_open(&s, dir, false, NULL, &err), WL_EINPUT, err, "format 2");
    unlink(path);
    assert_int_equal(symlink("../elsewhere.sqlite", path), 0); /* nothing is written outside the folder */
    ASSERT_FAILS(wlab_store_open(&s, dir, true, NULL, &err), WL_EIO, err, "not a regular file");
    assert_int_equal(access(path_beside("elsewhere.sqlite"), F_OK), -1);
    assert_null(s);
}

/* ---- killed processes and full disks ---- */

/* The child, until it is killed: stores one cell after the other and reports each committed one, then plans repeatedly,
 * which is a large transaction, and reports this as CELLS. */
static int child(const char *where)
{
    plan p;
    wlab_err err;
    wlab_store *s = NULL;
    int64_t kept = 0;

    plan_make(&p, "one", CELLS);
    if (wlab_store_open(&s, where, true, NULL, &err) || wlab_store_plan(s, &p.e, false, &kept, &err))
        return 1;
    for (int64_t i = 0; i < CELLS; i++) {
        uint8_t states[CELLS];
        char byte = (char)i;
        if (wlab_store_states(s, states, CELLS, &err))
            return 1;
        if (states[i] == 0 && (put_result(s, &p.cell[i], NULL, &err) || write(STDOUT_FILENO, &byte, 1) != 1))
            return 1;
    }
    for (const char planned = CELLS;;)
        if (wlab_store_plan(s, &p.e, false, &kept, &err) || kept != CELLS ||
            write(STDOUT_FILENO, &planned, 1) != 1)
            return 1;
}

static pid_t spawn_child(const char *where, int out)
{
    char self[400];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(n > 0);
    self[n] = '\0';
    char option[] = "--child", *path = wlab_strdup(where);
    char *argv[] = {self, option, path, NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid;

    assert_int_equal(posix_spawn_file_actions_init(&actions), 0);
    assert_int_equal(posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO), 0);
    assert_int_equal(posix_spawn(&pid, self, &actions, NULL, argv, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    wlab_free(path);
    return pid;
}

static void kill_child(pid_t pid)
{
    int status = 0;
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
}

/* Killed while the file is made: the next process can write. */
static void test_killed_at_once(void **state)
{
    wlab_err err;
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    (void)state;

    for (int round = 0; round < KILLS; round++) {
        wlab_store *s = NULL;
        pid_t pid = spawn_child(path_beside("b"), null);
        usleep((useconds_t)(6000 + round * 1700));
        kill_child(pid);
        ASSERT_OK(wlab_store_open(&s, path_beside("b"), true, NULL, &err), err);
        wlab_store_close(s);
        remove_all(path_beside("b"));
    }
    close(null);
}

static void test_killed(void **state)
{
    plan p;
    wlab_err err;
    bool reported[CELLS + 1] = {false};
    int64_t done = 0;
    (void)state;

    plan_make(&p, "one", CELLS);
    for (int round = 0; round < KILLS; round++) {
        int ends[2], more = 0;
        char byte = 0;

        assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
        pid_t pid = spawn_child(dir, ends[1]);
        close(ends[1]);
        /* kill after two more cells; in half of the rounds after all cells, while it plans; a little later each time */
        while (more++ < 2 && byte < CELLS) {
            assert_int_equal(read(ends[0], &byte, 1), 1);
            reported[(int)byte] = true;
        }
        usleep((useconds_t)(round * 1300));
        kill_child(pid);
        while (read(ends[0], &byte, 1) == 1)
            reported[(int)byte] = true;
        close(ends[0]);

        wlab_store *s = NULL;
        ASSERT_OK(wlab_store_open(&s, dir, round % 2 != 0, NULL, &err), err); /* a reader may be the first */
        for (int i = 0; i < CELLS; i++) {
            wlab_result r = {0};
            bool found = false;
            ASSERT_OK(wlab_store_get(s, i + 1, &found, &r, &err), err);
            if (reported[i] && !found)
                fail_msg("cell %d was committed before kill %d, and is not there", i + 1, round);
            wlab_result_clear(&r);
        }
        const int64_t now = done_cells(s, &p);
        assert_true(now >= (done + 2 < CELLS ? done + 2 : CELLS));
        done = now;
        wlab_store_close(s);
    }
    expect_done(dir, &p, CELLS);
}

static void test_full(void **state)
{
    plan p;
    wlab_err err = {0};
    struct rlimit old, small;
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    struct stat st;
    char path[400];
    (void)state;

    plan_make(&p, "one", CELLS);
    wlab_store *s = open_store(dir, &p, 0);
    put_all(s, &p, 1, 1);
    database_path(path);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(sigaction(SIGXFSZ, &ignore, &before), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = old;
    small.rlim_cur = (rlim_t)st.st_size;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    int64_t puts = 1;
    wlab_code code = WL_OK;
    while (!code && puts < CELLS) {
        wlab_result r;
        result_make(&r, &p.cell[puts], NULL);
        wlab_free(r.session);
        r.session = wlab_calloc(6001, 1);
        memset(r.session, 'x', 6000);
        code = wlab_store_put(s, &r, &err);
        wlab_result_clear(&r);
        puts += code == WL_OK;
    }
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(code, WL_EIO);
    assert_non_null(strstr(err.message, path));
    uint8_t states[CELLS];
    ASSERT_OK(wlab_store_states(s, states, CELLS, &err), err);
    for (int64_t i = 0; i < CELLS; i++)
        assert_int_equal(states[i], i < puts);
    put_all(s, &p, puts + 1, CELLS); /* with space again writing continues */
    ASSERT_OK(wlab_store_states(s, states, CELLS, &err), err);
    assert_int_equal(states[CELLS - 1], 1);
    wlab_store_close(s);
    sigaction(SIGXFSZ, &before, NULL);
}

/* ---- merging ---- */

static void test_merge(void **state)
{
    plan p, other;
    wlab_err err;
    wlab_store *a, *b = NULL, *c = NULL;
    int64_t added = -1, same = -1;
    wlab_result r;
    (void)state;

    plan_make(&p, "one", CELLS);
    plan_make(&other, "two", CELLS);
    a = open_store(dir, &p, 0);
    put_all(a, &p, 1, 3);
    ASSERT_OK(put_result(a, &p.cell[9], "failed here", &err), err);
    ASSERT_OK(put_result(a, &p.cell[10], "failed in both", &err), err);
    b = open_store(path_beside("b"), &p, 0);
    put_all(b, &p, 4, 5);
    put_all(b, &p, 3, 3);
    put_all(b, &p, 10, 10);
    ASSERT_OK(put_result(b, &p.cell[10], "failed in both", &err), err);
    ASSERT_OK(put_result(b, &p.cell[0], "failed there", &err), err);
    ASSERT_OK(put_result(b, &p.cell[11], "failed there", &err), err);

    ASSERT_OK(wlab_store_merge(a, b, &added, &same, &err), err);
    assert_int_equal(added, 4); /* 4, 5, 10, 12 */
    assert_int_equal(same, 3);  /* 1, 3, 11 */
    assert_int_equal(done_cells(a, &p), 6);
    ASSERT_OK(wlab_store_merge(a, b, &added, &same, &err), err);
    assert_int_equal(added, 0);
    assert_int_equal(same, 7);
    assert_int_equal(done_cells(b, &p), 4); /* unchanged */

    /* into a folder without a plan, from a read-only source */
    wlab_store_close(b);
    ASSERT_OK(wlab_store_open(&b, path_beside("b"), false, NULL, &err), err);
    ASSERT_OK(wlab_store_open(&c, path_beside("c"), true, NULL, &err), err);
    ASSERT_OK(wlab_store_merge(c, b, &added, &same, &err), err);
    assert_int_equal(added, 7);
    assert_int_equal(done_cells(c, &p), 4);

    /* another result of the same cell */
    result_make(&r, &p.cell[7], NULL);
    ASSERT_OK(wlab_store_put(a, &r, &err), err);
    r.digest[4]++;
    ASSERT_OK(wlab_store_put(c, &r, &err), err);
    put_all(a, &p, 9, 9);
    ASSERT_FAILS(wlab_store_merge(c, a, &added, &same, &err), WL_EDIFFERS, err, "cell 8 is in both");
    wlab_result_clear(&r);
    bool found = true;
    ASSERT_OK(wlab_store_get(c, 9, &found, &r, &err), err);
    assert_false(found);
    wlab_store_close(c);

    /* another experiment */
    c = NULL;
    wlab_store_close(b);
    remove_all(path_beside("b"));
    b = open_store(path_beside("b"), &other, 0);
    ASSERT_FAILS(wlab_store_merge(a, b, &added, &same, &err), WL_EARG, err, "different experiments");
    wlab_store_close(b);
    remove_all(path_beside("b"));
    ASSERT_OK(wlab_store_open(&b, path_beside("b"), true, NULL, &err), err);
    ASSERT_FAILS(wlab_store_merge(a, b, &added, &same, &err), WL_ESTATE, err, "no experiment");
    wlab_store_close(b);
    wlab_store_close(a);
}

/* ---- memory ---- */

static wlab_code open_and_close(const char *where, bool write)
{
    wlab_err err;
    wlab_store *s = NULL;
    wlab_code code = wlab_store_open(&s, where, write, NULL, &err);
    wlab_store_close(s);
    return code;
}

static void test_memory(void **state)
{
    plan p;
    wlab_err err;
    wlab_result r = {0}, expected;
    bool found = false;
    int64_t kept = -1;
    (void)state;

    plan_make(&p, "one", CELLS);
    wlab_store *s = open_store(dir, &p, 0);
    put_all(s, &p, 1, 2);
    ALLOC_SWEEP(wlab_store_plan(s, &p.e, false, &kept, &err));
    assert_int_equal(kept, 2);
    ALLOC_SWEEP_CHECK(wlab_store_get(s, 2, &found, &r, &err), (assert_false(found), assert_null(r.session)));
    assert_true(found);
    result_make(&expected, &p.cell[1], NULL);
    same_result(&r, &expected);
    wlab_result_clear(&expected);
    wlab_result_clear(&r);
    wlab_store_close(s);
    ALLOC_SWEEP(open_and_close(dir, true));
    ALLOC_SWEEP(open_and_close(dir, false));
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--child") == 0)
        return child(argv[2]);
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(test_round_trip),       T(test_put),          T(test_plan_changes),
        T(test_one_writer),       T(test_dying_writer), T(test_nothing_there),
        T(test_read_only_folder), T(test_truncated),    T(test_numbers),
        T(test_garbled),          T(test_not_ours),     T(test_killed),
        T(test_killed_at_once),   T(test_full),         T(test_merge),
        T(test_memory),           T(test_held),
    };
    return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}

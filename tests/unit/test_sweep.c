/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sweeps: the transport to processes, messages, the scheduler with workers that die, the progress panel at all sizes,
 * the shell's subcommands.  This program is its own worker, `test_sweep --worker`, and environment variables say how it
 * behaves.
 */
#include "base/clock.h"
#include "base/text.h"
#include "sweep/message.h"
#include "sweep/state.h"
#include "sweep/subcommand.h"
#include "sweep/workers.h"
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- as a worker ---- */

static const char *build(void)
{
    return "test";
}

/* A worker for the transport: "echo X" is answered by X, "die N" kills it by signal N, "exit N" ends it with status N,
 * "say X" writes X to standard error, after "hang" it neither answers nor ends. */
static int serve_echo(void)
{
    char *line = NULL;
    size_t cap = 0;
    ssize_t n;

    while ((n = getline(&line, &cap, stdin)) > 0) {
        line[n - 1] = '\0';
        if (strncmp(line, "echo ", 5) == 0) {
            printf("%s\n", line + 5);
            fflush(stdout);
        } else if (strncmp(line, "die ", 4) == 0) {
            raise(atoi(line + 4));
        } else if (strncmp(line, "say ", 4) == 0) {
            fprintf(stderr, "%s\n", line + 4);
        } else if (strncmp(line, "exit ", 5) == 0) {
            exit(atoi(line + 5));
        } else if (strcmp(line, "hang") == 0) {
            signal(SIGTERM, SIG_IGN);
            for (;;)
                pause();
        }
    }
    free(line);
    return 0;
}

/* The real worker, except that the cell $DIES_AT kills it: always, or only if the file $DIES_ONCE does not exist. */
typedef struct mortal {
    char *line;
    size_t cap;
} mortal;

static bool mortal_next(void *self, char **line, size_t *len)
{
    mortal *m = self;
    const char *at = getenv("DIES_AT"), *once = getenv("DIES_ONCE");
    char fatal[64];
    ssize_t n = getline(&m->line, &m->cap, stdin);

    if (n <= 0)
        return false;
    *len = (size_t)n - 1;
    *line = wlab_strndup(m->line, *len);
    snprintf(fatal, sizeof fatal, "{\"cell\":%s}", at ? at : "");
    if (at && strcmp(*line, fatal) == 0 && (!once || access(once, F_OK) != 0)) {
        if (once)
            fclose(fopen(once, "w"));
        raise(SIGKILL);
    }
    return true;
}

static void mortal_answer(void *self, const char *line, size_t len)
{
    (void)self;
    printf("%.*s\n", (int)len, line);
    fflush(stdout);
}

static int serve(void)
{
    const char *how = getenv("WORKER");
    mortal m = {0};

    if (how && strcmp(how, "echo") == 0)
        return serve_echo();
    if (how && strcmp(how, "rubbish") == 0) {
        puts("this is not JSON");
        fflush(stdout);
        pause();
    }
    const char *left = getenv("GONE_ONCE");
    int fd = left ? open(left, O_CREAT | O_EXCL | O_WRONLY, 0600) : -1;
    if (fd >= 0)
        raise(SIGKILL);
    if (how && strcmp(how, "gone") == 0) {
        fputs("cannot find libraries\n", stderr);
        return 127;
    }
    if (!getenv("DIES_AT"))
        return wlab_sweep_worker(build);
    int status = wlab_worker_serve(&(wlab_worker_side){&m, mortal_next, mortal_answer}, build);
    free(m.line);
    return status;
}

/* ---- transport ---- */

static wlab_worker_event receive(wlab_workers *workers)
{
    wlab_worker_event h = {0};
    bool came = false;

    while (!came)
        came = workers->type->receive(workers, &h, 50);
    return h;
}

static void send_text(wlab_workers *workers, int w, const char *text)
{
    assert_int_equal(workers->type->send(workers, w, text, strlen(text), NULL), WL_OK);
}

static wlab_workers *start_workers(int n)
{
    wlab_workers *workers = NULL;

    setenv("WORKER", "echo", 1);
    assert_int_equal(wlab_workers_processes(&workers, n, NULL, NULL), WL_OK);
    for (int w = 0; w < n; w++)
        assert_int_equal(workers->type->start(workers, w, NULL), WL_OK);
    return workers;
}

static void test_lines(void **state)
{
    wlab_workers *workers = start_workers(3);
    bool heard[3] = {false};
    enum {
        LONG = 700000
    };
    char *big = malloc(LONG + 6);

    (void)state;
    send_text(workers, 0, "echo a");
    send_text(workers, 1, "echo b");
    send_text(workers, 2, "echo c");
    for (int i = 0; i < 3; i++) {
        wlab_worker_event h = receive(workers);
        assert_true(h.line && h.len == 1 && h.line[0] == 'a' + h.worker && !heard[h.worker]);
        heard[h.worker] = true;
    }
    /* more than any pipe holds, in both directions, and two lines one after the other */
    memset(big, 'x', LONG + 5);
    memcpy(big, "echo ", 5);
    big[LONG + 5] = '\0';
    send_text(workers, 1, big);
    send_text(workers, 1, "echo after");
    wlab_worker_event h = receive(workers);
    assert_int_equal(h.worker, 1);
    assert_int_equal(h.len, LONG);
    h = receive(workers);
    assert_string_equal(h.line, "after");
    assert_false(workers->type->receive(workers, &h, 20));
    free(big);
    workers->type->destroy(workers);
}

static void test_ends(void **state)
{
    wlab_workers *workers = start_workers(2);
    wlab_worker_event h;

    (void)state;
    send_text(workers, 1, "echo before");
    send_text(workers, 1, "say last words");
    send_text(workers, 1, "die 9");
    h = receive(workers);
    assert_string_equal(h.line, "before"); /* its lines are received before its end */
    h = receive(workers);
    assert_int_equal(h.worker, 1);
    assert_null(h.line);
    assert_string_equal(h.how, "the worker was killed by signal 9 (Killed): last words");
    assert_int_equal(workers->type->start(workers, 1, NULL), WL_OK);
    send_text(workers, 1, "echo again");
    assert_string_equal(receive(workers).line, "again");
    send_text(workers, 0, "exit 5");
    h = receive(workers);
    assert_int_equal(h.worker, 0);
    assert_string_equal(h.how, "the worker ended with status 5");
    send_text(workers, 1, "hang"); /* must not delay the end */
    workers->type->destroy(workers);
}

static void test_no_program(void **state)
{
    wlab_workers *workers = NULL;
    wlab_err err;

    (void)state;
    assert_int_equal(wlab_workers_processes(&workers, 1, "/nonexistent/weaklab", NULL), WL_OK);
    assert_int_equal(workers->type->start(workers, 0, &err), WL_EIO);
    assert_non_null(strstr(err.message, "/nonexistent/weaklab"));
    workers->type->destroy(workers);
}

/* ---- messages ---- */

static void test_bytes(void **state)
{
    static const char text[] = "caf\xc3\xa9 \xff\xfe \x01\x7f \"\\\n end";
    json_t *o = wlab_message_bytes(text, sizeof text - 1), *list = json_array();
    size_t len = 0;

    (void)state;
    assert_non_null(o);
    json_array_append_new(list, o);
    char *line = wlab_message_line(list); /* releases the list */
    assert_null(strchr(line, '\n'));
    json_t *back = json_loads(line, JSON_ALLOW_NUL, NULL);
    char *bytes = wlab_message_read_bytes(json_array_get(back, 0), &len);
    assert_int_equal(len, sizeof text - 1);
    assert_memory_equal(bytes, text, len);
    assert_null(wlab_message_read_bytes(NULL, &len));
    wlab_free(bytes);
    wlab_free(line);
    json_decref(back);
}

/* ---- experiments ---- */

static const char tiny[] = "title a tiny one\n"
                           "generate two-moons n=40 noise=0.1 as moons\n"
                           "generate blobs n=40 seed=3\n"
                           "split test=0.5\n"
                           "task ssl labeled={4,8}\n"
                           "method SVM algo svm kernel=linear\n"
                           "method rbf algo svm kernel=rbf C={0.1,1}\n"
                           "tune folds=2\n"
                           "repeat 2\n";

static const char *const no_dirs[] = {NULL};
static const wlab_places places = {no_dirs, no_dirs, ".", build, NULL};

static wlab_experiment *experiment(const char *text)
{
    wlab_experiment *e = NULL;
    wlab_err err = {0};

    if (wlab_experiment_parse(&e, text, strlen(text), "tiny.wexp", &err))
        fail_msg("%s:%ld:%ld: %s", err.file, err.line, err.column, err.message);
    return e;
}

static void test_setup(void **state)
{
    wlab_experiment *e = experiment(tiny);
    wlab_setup s;
    wlab_err err = {0};

    (void)state;
    assert_int_equal(wlab_experiment_check(e, &places, NULL, &err), WL_OK);
    assert_int_equal(e->cells, 2 * 2 * 2 * 2);
    char *line = wlab_message_setup(e, &places);
    assert_null(strchr(line, '\n'));
    json_t *o = json_loads(line, JSON_ALLOW_NUL, NULL);
    assert_int_equal(wlab_setup_read(&s, o, &err), WL_OK);
    assert_int_equal(s.e->cells, e->cells);
    for (int64_t i = 0; i < e->cells; i++)
        assert_string_equal(s.e->cell[i].key, e->cell[i].key);
    wlab_setup_clear(&s);
    /* data other than the scheduler's */
    json_t *d = json_array_get(json_object_get(o, "data"), 1);
    char other[65];
    snprintf(other, sizeof other, "%064d", 7);
    json_object_set_new(d, "sha256", json_string(other));
    assert_int_equal(wlab_setup_read(&s, o, &err), WL_EINPUT);
    json_object_del(o, "plan");
    assert_int_equal(wlab_setup_read(&s, o, &err), WL_EINPUT);
    json_decref(o);
    o = json_object();
    assert_int_equal(wlab_setup_read(&s, o, &err), WL_EINPUT);
    json_decref(o);
    wlab_free(line);
    wlab_experiment_free(e);
}

/* ---- the scheduler ---- */

static char folder[64];
static int folders;

static const char *new_folder(void)
{
    snprintf(folder, sizeof folder, "/tmp/weaklab-test-sweep-%ld-%d", (long)getpid(), folders++);
    return folder;
}

static void remove_folder(const char *dir)
{
    static const char *const names[] = {"results.sqlite",
                                        "results.sqlite-wal",
                                        "results.sqlite-shm",
                                        "results.sqlite-journal",
                                        "lock",
                                        "once"};
    char path[128];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        (void)unlink(path);
    }
    (void)rmdir(dir);
}

typedef struct counts {
    int64_t done, failed;
    char error[400];
    double sum;
} counts;

static wlab_code count(void *self, const wlab_result *r, wlab_err *err)
{
    counts *c = self;
    const json_t *accuracy = json_object_get(r->scores, "accuracy");

    (void)err;
    c->done++;
    c->failed += r->error != NULL;
    if (r->error)
        snprintf(c->error, sizeof c->error, "%s", r->error);
    c->sum += (double)r->number * json_number_value(accuracy);
    return WL_OK;
}

static wlab_code run(const wlab_sweep_options *o, wlab_ctx *ctx, counts *c, wlab_sweep_status *now,
                     int *lines, wlab_err *err)
{
    wlab_experiment *e = experiment(tiny);
    wlab_sweep *s = NULL;
    wlab_code code;

    memset(c, 0, sizeof *c);
    memset(err, 0, sizeof *err);
    assert_int_equal(wlab_sweep_create(&s, e, o, &places, err), WL_OK);
    code = wlab_sweep_run(s, ctx, err);
    wlab_sweep_now(s, now);
    wlab_finished *all = wlab_sweep_finished(s);
    *lines = 0;
    for (const wlab_finished *f = all; f; f = f->next) {
        ++*lines;
        assert_non_null(strstr(f->line, o->shards == 1 ? "/16] " : "/8] "));
        assert_string_equal(json_string_value(json_object_get(f->object, "type")), "cell");
    }
    wlab_finished_free(all);
    if (wlab_sweep_store(s))
        assert_int_equal(wlab_store_each(wlab_sweep_store(s), count, c, NULL), WL_OK);
    wlab_sweep_destroy(s);
    wlab_experiment_free(e);
    return code;
}

static void test_sweep(void **state)
{
    const char *dir = new_folder();
    wlab_sweep_options o = {.dir = dir, .processes = 2, .shard = 1, .shards = 1};
    wlab_sweep_status now;
    counts c;
    wlab_err err;
    int lines;

    (void)state;
    unsetenv("WORKER");
    unsetenv("DIES_AT");
    if (run(&o, NULL, &c, &now, &lines, &err))
        fail_msg("%s", err.message);
    assert_int_equal(c.done, 16);
    assert_int_equal(c.failed, 0);
    assert_int_equal(lines, 16);
    assert_true(now.total == 16 && now.done == 16 && now.before == 0 && now.working == 0 && c.sum > 0);
    double sum = c.sum;
    /* nothing is left to compute */
    assert_int_equal(run(&o, NULL, &c, &now, &lines, &err), WL_OK);
    assert_true(now.done == 0 && now.before == 16 && lines == 0);
    assert_true(c.sum == sum);
    remove_folder(dir);
    /* two shards in one folder make the whole plan; one worker or two give the same */
    o.processes = 1;
    o.shards = 2;
    assert_int_equal(run(&o, NULL, &c, &now, &lines, &err), WL_OK);
    assert_true(c.done == 8 && now.total == 8);
    o.shard = 2;
    assert_int_equal(run(&o, NULL, &c, &now, &lines, &err), WL_OK);
    assert_true(c.done == 16 && now.total == 8 && now.before == 0);
    assert_true(c.sum == sum);
    remove_folder(dir);
}

static void test_deaths(void **state)
{
    const char *dir = new_folder();
    wlab_sweep_options o = {.dir = dir, .processes = 2, .shard = 1, .shards = 1};
    wlab_sweep_status now;
    counts c;
    wlab_err err;
    int lines;
    char once[80];

    (void)state;
    unsetenv("WORKER");
    setenv("DIES_AT", "5", 1);
    assert_int_equal(run(&o, NULL, &c, &now, &lines, &err), WL_OK);
    assert_int_equal(c.done, 16);
    assert_int_equal(c.failed, 1);
    assert_int_equal(now.failed, 1);
    assert_non_null(strstr(c.error, "killed by signal 9 (Killed), in the second attempt too"));
    /* the failed cell is tried again only on request; then only the first death is tolerated */
    assert_int_equal(run(&o, NULL, &c, &now, &lines, &err), WL_OK);
    assert_true(now.done == 0 && now.before == 16 && now.failed == 1);
    snprintf(once, sizeof once, "%s/once", dir);
    setenv("DIES_ONCE", once, 1);
    o.retry = true;
    assert_int_equal(run(&o, NULL, &c, &now, &lines, &err), WL_OK);
    assert_true(c.failed == 0 && c.done == 16 && now.done == 1 && now.failed == 0);
    assert_int_equal(access(once, F_OK), 0);
    unsetenv("DIES_AT");
    unsetenv("DIES_ONCE");
    remove_folder(dir);
}

static void test_bad_workers(void **state)
{
    const char *dir = new_folder();
    wlab_sweep_options o = {.dir = dir, .processes = 2, .shard = 1, .shards = 1};
    wlab_sweep_status now;
    counts c;
    wlab_err err;
    char once[300];
    int lines;

    (void)state;
    setenv("WORKER", "gone", 1); /* must not store sixteen failed cells */
    assert_int_equal(run(&o, NULL, &c, &now, &lines, &err), WL_EIO);
    assert_non_null(strstr(err.message, "status 127: cannot find libraries, before it was ready for a cell"));
    assert_int_equal(c.done, 0);
    /* if a worker is killed before it is ready, it is replaced, and its cell still has two tries */
    unsetenv("WORKER");
    snprintf(once, sizeof once, "%s/once", dir);
    setenv("GONE_ONCE", once, 1);
    assert_int_equal(run(&o, NULL, &c, &now, &lines, &err), WL_OK);
    assert_true(c.done == 16 && c.failed == 0);
    assert_int_equal(access(once, F_OK), 0);
    unsetenv("GONE_ONCE");
    remove_folder(dir);
    setenv("WORKER", "rubbish", 1);
    assert_int_equal(run(&o, NULL, &c, &now, &lines, &err), WL_EINPUT);
    o.program = "/nonexistent/weaklab";
    assert_int_equal(run(&o, NULL, &c, &now, &lines, &err), WL_EIO);
    unsetenv("WORKER");
    remove_folder(dir);
}

/* Too few descriptors for 16 workers: those that can be started compute all cells. */
static void test_few_descriptors(void **state)
{
    const char *dir = new_folder();
    wlab_sweep_options o = {.dir = dir, .processes = 16, .shard = 1, .shards = 1};
    struct rlimit before, few;
    wlab_sweep_status now;
    counts c;
    wlab_err err;
    int lines;

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = before;
    few.rlim_cur = 24; /* fewer than two per worker */
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    wlab_code code = run(&o, NULL, &c, &now, &lines, &err);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(code, WL_OK);
    assert_true(c.done == 16 && c.failed == 0);
    remove_folder(dir);
}

static atomic_int flag;

static void interrupt_at_three(void *sink, const wlab_event *e)
{
    (void)sink;
    if (e->kind == WL_EV_PROGRESS && strcmp(e->text, "cells") == 0 && e->done >= 3 && atomic_load(&flag) == 0)
        atomic_store(&flag, 1);
}

static void test_interrupt(void **state)
{
    const char *dir = new_folder();
    wlab_sweep_options o = {.dir = dir, .processes = 2, .shard = 1, .shards = 1};
    wlab_ctx ctx = {.interrupt = &flag, .emit = interrupt_at_three};
    wlab_sweep_status now;
    counts c;
    wlab_err err;
    int lines;

    (void)state;
    atomic_store(&flag, 0);
    assert_int_equal(run(&o, &ctx, &c, &now, &lines, &err), WL_EINTERRUPTED);
    assert_true(now.stopping && now.working == 0);
    assert_true(c.done >= 3 && c.done <= 5); /* the running ones were finished */
    assert_int_equal(c.done, now.done);
    assert_non_null(strstr(err.message, "the same command continues"));
    int64_t before = c.done;
    assert_int_equal(run(&o, NULL, &c, &now, &lines, &err), WL_OK);
    assert_true(now.before == before && c.done == 16);
    remove_folder(dir);
}

/* ---- memory ---- */

/* The k-th allocation fails, and all after it: nothing leaks or crashes, and the stored results are complete. */
static void test_memory(void **state)
{
    const char *dir = new_folder();
    wlab_sweep_options o = {.dir = dir, .processes = 1, .shard = 3, .shards = 16};
    wlab_err err = {0};
    wlab_experiment *e = experiment(tiny);
    wlab_code code = WL_ENOMEM;

    (void)state;
    assert_int_equal(wlab_experiment_check(e, &places, NULL, NULL), WL_OK);
    char *line = wlab_message_setup(e, &places);
    json_t *o1 = json_loads(line, JSON_ALLOW_NUL, NULL);
    wlab_free(line);
    for (long k = 1; code == WL_ENOMEM; k++) {
        wlab_setup s;
        wlab_alloc_fail_at(k);
        code = wlab_setup_read(&s, o1, &err);
        if (!code)
            wlab_setup_clear(&s);
    }
    wlab_alloc_fail_at(0);
    assert_int_equal(code, WL_OK);
    line = NULL;
    for (long k = 1; !line; k++) {
        wlab_alloc_fail_at(k);
        line = wlab_message_setup(e, &places);
    }
    code = WL_ENOMEM;
    for (long k = 1; code == WL_ENOMEM; k++) {
        wlab_workers *workers = NULL;
        wlab_alloc_fail_at(k);
        code = wlab_workers_processes(&workers, 3, NULL, &err);
        if (!code)
            workers->type->destroy(workers);
    }
    wlab_alloc_fail_at(0);
    wlab_free(line);
    json_decref(o1);
    wlab_experiment_free(e);

    int64_t stored = 0;
    code = WL_ENOMEM;
    for (long k = 1; code; k += 1 + k / 40) {
        wlab_sweep *s = NULL;
        wlab_store *store = NULL;
        counts c = {0};
        e = experiment(tiny);
        wlab_alloc_fail_at(k);
        code = wlab_sweep_create(&s, e, &o, &places, &err);
        code = code ? code : wlab_sweep_run(s, NULL, &err);
        wlab_sweep_destroy(s);
        wlab_alloc_fail_at(0);
        if (code && code != WL_ENOMEM)
            fail_msg("allocation %ld: code %d, %s", k, (int)code, err.message);
        wlab_experiment_free(e);
        if (wlab_store_open(&store, dir, false, NULL, NULL) == WL_OK) {
            wlab_code each = wlab_store_each(store, count, &c, &err);
            /* memory may run out after the file was made and before its experiment was written */
            assert_true(each == WL_OK || (each == WL_ESTATE && code && strstr(err.message, "no experiment")));
            assert_true(c.failed == 0 && c.done >= stored);
            stored = c.done;
        }
        wlab_store_close(store);
        if (code == WL_OK)
            break;
        remove_folder(dir);
        stored = 0;
    }
    assert_int_equal(stored, 1);
    remove_folder(dir);
}

/* ---- the progress panel ---- */

static int columns_of(const char *line, size_t len)
{
    int n = 0;
    for (size_t i = 0; i < len; i++)
        n += ((unsigned char)line[i] & 0xc0) != 0x80;
    return n;
}

static void test_panel(void **state)
{
    static const char hostile[] = "\x9b \033[31m\xc2\x9b\xe2\x80\xae";
    bool shown = false;
    wlab_experiment *e = experiment(tiny);
    wlab_sweep_options o = {.dir = "tiny", .processes = 5, .shard = 1, .shards = 1};
    wlab_sweep *s = NULL;
    wlab_result r = {.scores = json_object()};

    (void)state;
    assert_int_equal(wlab_experiment_check(e, &places, NULL, NULL), WL_OK);
    assert_int_equal(wlab_sweep_create(&s, e, &o, &places, NULL), WL_OK);
    s->assignment = wlab_calloc(5, sizeof *s->assignment);
    s->nworkers = 5;
    for (int w = 0; w < 5; w++)
        s->assignment[w] = (wlab_assignment){.cell = w < 4 ? w + 6 : -1,
                                             .since = wlab_seconds_now() - 30,
                                             .done = w,
                                             .total = 9,
                                             .text = "candidates"};
    snprintf(s->assignment[1].text, sizeof s->assignment[1].text, "%s", hostile);
    assert_int_equal(wlab_tally_create(&s->tally, e, NULL), WL_OK);
    for (int64_t i = 0; i < e->cells; i++)
        wlab_tally_missing(&s->tally, &e->cell[i]);
    assert_true(isnan(wlab_tally_left(&s->tally)));
    for (int i = 0; i < 6; i++) {
        json_object_set_new(r.scores, "accuracy", json_real(0.7 + 0.01 * i));
        wlab_tally_done(&s->tally, &e->cell[i], &r, 2);
    }
    assert_true(fabs(wlab_tally_left(&s->tally) - 10 * 2) < 1e-9);
    s->now = (wlab_sweep_status){.total = 16, .done = 6, .failed = 1, .working = 4};
    for (int planned = 0; planned < 2; planned++) {
        s->planned = planned;
        for (int rows = 0; rows <= 40; rows++)
            for (int cols = 0; cols <= 130; cols++) {
                wlab_buf text = {0};
                int lines = 0;
                wlab_sweep_draw(s, rows, cols, &text);
                for (const char *line = (const char *)text.data; line && *line; lines++) {
                    size_t len = strcspn(line, "\n");
                    assert_int_equal(line[len], '\n');
                    assert_true(columns_of(line, len) <= cols);
                    line += len + 1;
                }
                for (const char *c = (const char *)text.data; c && *c;) {
                    uint32_t code = 0;
                    size_t n = wlab_utf8_read(c, SIZE_MAX, &code);
                    assert_true(n > 0 && (code == '\n' || !wlab_utf8_acts(code)));
                    c += n;
                }
                shown = shown || (text.data && strstr((char *)text.data, "9 ?  [31m"));
                assert_true(lines <= rows);
                wlab_buf_clear(&text);
            }
    }
    assert_true(shown);
    wlab_buf text = {0};
    for (int w = 0; w < 4; w++) /* drawing may have taken some time */
        s->assignment[w].since = wlab_seconds_now() - 30;
    wlab_sweep_draw(s, 22, 79, &text);
    const char *all = (const char *)text.data;
    assert_non_null(strstr(all, "sweep a tiny one"));
    assert_non_null(strstr(all, "6 of 16 cells, 1 failed"));
    assert_non_null(strstr(all, "3 of 9 candidates, 30 s"));
    assert_non_null(strstr(all, "best so far, mean accuracy:"));
    assert_non_null(strstr(all, "left"));
    wlab_buf_clear(&text);
    wlab_sweep_draw(s, 8, 60, &text); /* not all lines fit, and the last ones say how many are missing */
    assert_non_null(strstr((const char *)text.data, "more"));
    wlab_buf_clear(&text);
    r.seconds = 1e300; /* a damaged store may hold any time: then no time left is shown */
    wlab_tally_known(&s->tally, &e->cell[15], &r);
    wlab_sweep_draw(s, 22, 79, &text);
    assert_null(strstr((const char *)text.data, " left\n"));
    wlab_buf_clear(&text);
    json_decref(r.scores);
    wlab_sweep_destroy(s);
    wlab_experiment_free(e);
}

/* ---- the shell ---- */

static void test_subcommands(void **state)
{
    static const struct {
        wlab_subcommand s;
        const char *words[4];
        const char *line; /* NULL: usage */
    } cases[] = {
        {{.name = "sweep"}, {"a.wexp"}, "sweep a.wexp"},
        {{.name = "sweep", .out = "my results", .shard = "2/10", .retry = true},
         {"a b.wexp"},
         "sweep \"a b.wexp\" to \"my results\" shard=2/10 retry=yes"},
        {{.name = "sweep", .anew = true}, {"a.wexp", "workers=3"}, "sweep a.wexp workers=3 anew=yes"},
        {{.name = "sweep"}, {NULL}, NULL},
        {{.name = "sweep"}, {"a", "b"}, NULL},
        {{.name = "sweep", .format = "csv"}, {"a"}, NULL},
        {{.name = "table", .format = "markdown"},
         {"res", "against=SVM"},
         "table res format=markdown against=SVM"},
        {{.name = "table", .to = "t.tex"}, {"x=y", "level=0.01"}, "table \"x=y\" to t.tex level=0.01"},
        {{.name = "table"}, {"r", "against=SVM (rbf); quit"}, "table r against=\"SVM (rbf); quit\""},
        {{.name = "table", .out = "d"}, {"res"}, NULL},
        {{.name = "merge", .out = "all"}, {"a", "b=c"}, "merge a \"b=c\" to all"},
        {{.name = "merge"}, {"a", "b"}, NULL},
        {{.name = "cell", .of = "res"}, {"12"}, "cell 12 of res"},
        {{.name = "cell", .of = "res", .to = "c.wlab"}, {"12"}, "cell 12 of res to c.wlab"},
        {{.name = "cell"}, {"12"}, NULL},
        {{.name = "curve", .of = "res", .to = "c.png"},
         {"f1", "vs", "noise"},
         "curve f1 vs noise of res to c.png"},
        {{.name = "curve", .out = "res"}, {"f1"}, NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wlab_subcommand s = cases[i].s;
        wlab_buf line = {0};
        wlab_err err = {0};
        for (int k = 0; k < 4 && cases[i].words[k]; k++)
            assert_int_equal(wlab_subcommand_add(&s, cases[i].words[k], NULL), WL_OK);
        wlab_code code = wlab_subcommand_line(&s, &line, &err);
        assert_int_equal(code, cases[i].line ? WL_OK : WL_EARG);
        if (cases[i].line)
            assert_string_equal((const char *)line.data, cases[i].line);
        else
            assert_non_null(strstr(err.message, "usage: weaklab "));
        wlab_buf_clear(&line);
        wlab_subcommand_clear(&s);
    }
    assert_true(wlab_subcommand_is("sweep") && !wlab_subcommand_is("swee"));
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),           cmocka_unit_test(test_ends),
        cmocka_unit_test(test_no_program),      cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_setup),           cmocka_unit_test(test_sweep),
        cmocka_unit_test(test_deaths),          cmocka_unit_test(test_bad_workers),
        cmocka_unit_test(test_few_descriptors), cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_memory),          cmocka_unit_test(test_panel),
        cmocka_unit_test(test_subcommands),
    };

    if (argc == 2 && strcmp(argv[1], "--worker") == 0)
        return serve();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The worker: computes the cells that it is sent, one after the other.  A worker process has a second thread, which
 * always reads the input, so that the worker ends when the scheduler ends, even in the middle of a cell.
 */
#include "base/clock.h"
#include "sweep/message.h"
#include "sweep/sweep.h"
#include "sweep/workers.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    /* it cannot do what it was sent, and has reported why; or it cannot start its reading thread */
    EXIT_BAD = 1,
    EXIT_MEMORY = 3, /* out of memory */
    PROGRESS_MS = 200
};

/* ---- computing ---- */

typedef struct service {
    const wlab_worker_side *side;
    wlab_setup setup;
    pthread_mutex_t lock; /* for answers: another thread of the cell may report progress */
    int64_t cell, reported_ms;
} service;

/* Send the object and release it.  False: out of memory. */
static bool answer(service *t, json_t *o)
{
    char *line = wlab_message_line(o);

    if (!line)
        return false;
    pthread_mutex_lock(&t->lock);
    t->side->answer(t->side->self, line, strlen(line));
    pthread_mutex_unlock(&t->lock);
    wlab_free(line);
    return true;
}

static void report_progress(void *self, const wlab_event *e)
{
    service *t = self;
    int64_t now = wlab_ms_now();

    if (e->kind != WL_EV_PROGRESS || now - t->reported_ms < PROGRESS_MS)
        return;
    t->reported_ms = now;
    (void)answer(t, json_pack("{s:I, s:I, s:I, s:s}", "progress", (json_int_t)t->cell, "done",
                              (json_int_t)e->done, "total", (json_int_t)e->total, "text", e->text));
}

static int refuse(service *t, const char *why)
{
    return answer(t, json_pack("{s:s}", "fatal", why)) ? EXIT_BAD : EXIT_MEMORY;
}

static int compute_cell(service *t, int64_t number)
{
    wlab_ctx ctx = {.emit = report_progress, .sink = t};
    wlab_result r = {0};
    wlab_err err = {0};
    wlab_code code;
    json_t *o = NULL;
    bool sent;

    if (number < 1 || number > t->setup.e->cells)
        return refuse(t, "the experiment has no cell of this number");
    t->cell = number;
    t->reported_ms = wlab_ms_now();
    code = wlab_result_compute(&r, t->setup.e, &t->setup.e->cell[number - 1], &t->setup.places, &ctx, &err);
    if (!code)
        o = wlab_result_json(&r);
    sent = o && answer(t, json_pack("{s:o}", "result", o));
    wlab_result_clear(&r);
    if (code && code != WL_ENOMEM)
        return refuse(t, err.message);
    if (!sent)
        fputs("memory ran out\n", stderr); /* the scheduler quotes it */
    return sent ? 0 : EXIT_MEMORY;
}

static int read_setup(service *t, const json_t *o, const char *(*build)(void))
{
    wlab_err err = {0};
    char text[sizeof err.message + sizeof err.file + 64];
    wlab_code code;

    wlab_setup_clear(&t->setup); /* of an earlier sweep */
    code = wlab_setup_read(&t->setup, o, &err);
    if (code && code != WL_ENOMEM)
        return refuse(t, wlab_err_format(&err, text, sizeof text));
    t->setup.places.build = build;
    return !code && answer(t, json_pack("{s:b}", "ready", 1)) ? 0 : EXIT_MEMORY;
}

int wlab_worker_serve(const wlab_worker_side *side, const char *(*build)(void))
{
    service t = {.side = side, .lock = PTHREAD_MUTEX_INITIALIZER};
    char *line;
    size_t len;
    int status = 0;

    while (!status && side->next(side->self, &line, &len)) {
        json_t *o = json_loadb(line, len, JSON_ALLOW_NUL, NULL);
        json_t *cell = json_object_get(o, "cell");

        wlab_free(line);
        if (json_object_get(o, "experiment"))
            status = read_setup(&t, o, build);
        else if (json_is_integer(cell) && t.setup.e)
            status = compute_cell(&t, json_integer_value(cell));
        else
            status = refuse(&t, "a worker does not know this message");
        json_decref(o);
    }
    wlab_setup_clear(&t.setup);
    return status;
}

/* ---- as a process ---- */

typedef struct inbox {
    pthread_mutex_t lock;
    pthread_cond_t more;
    wlab_buf text; /* unread lines begin at text.pos */
} inbox;

/* When the input ends, the scheduler has ended and nobody waits for the current cell: end the process at once. */
static void *read_input(void *self)
{
    inbox *in = self;
    char piece[65536];

    for (;;) {
        ssize_t n = read(STDIN_FILENO, piece, sizeof piece);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            _exit(0);
        pthread_mutex_lock(&in->lock);
        if (wlab_buf_put(&in->text, piece, (size_t)n))
            _exit(EXIT_MEMORY);
        pthread_cond_signal(&in->more);
        pthread_mutex_unlock(&in->lock);
    }
    return NULL;
}

static bool next_line(void *self, char **line, size_t *len)
{
    inbox *in = self;
    unsigned char *from, *newline = NULL;

    pthread_mutex_lock(&in->lock);
    for (;;) {
        from = in->text.data ? in->text.data + in->text.pos : NULL;
        newline = in->text.len > in->text.pos ? memchr(from, '\n', in->text.len - in->text.pos) : NULL;
        if (newline)
            break;
        pthread_cond_wait(&in->more, &in->lock);
    }
    *len = (size_t)(newline - from);
    *line = wlab_strndup((const char *)from, *len);
    in->text.pos += *len + 1;
    if (in->text.pos == in->text.len)
        in->text.pos = in->text.len = 0;
    pthread_mutex_unlock(&in->lock);
    if (!*line)
        _exit(EXIT_MEMORY);
    return true;
}

static void write_all(const char *data, size_t len)
{
    while (len > 0) {
        ssize_t n = write(STDOUT_FILENO, data, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            _exit(0); /* the scheduler has ended */
        data += n;
        len -= (size_t)n;
    }
}

static void write_line(void *self, const char *line, size_t len)
{
    (void)self;
    write_all(line, len);
    write_all("\n", 1);
}

int wlab_sweep_worker(const char *(*build)(void))
{
    /* never freed: the reading thread uses it until the process ends */
    inbox *in = wlab_calloc(1, sizeof *in);
    pthread_t reader;

    if (!in)
        return EXIT_MEMORY;
    (void)pthread_mutex_init(&in->lock, NULL);
    (void)pthread_cond_init(&in->more, NULL);
    if (pthread_create(&reader, NULL, read_input, in) != 0) {
        wlab_free(in);
        return EXIT_BAD;
    }
    (void)pthread_detach(reader);
    return wlab_worker_serve(&(wlab_worker_side){in, next_line, write_line}, build);
}

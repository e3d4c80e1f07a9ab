/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The worker: computes the cells that it is sent, one after the other.  As a process it has a thread that reads its
 * input all the time, so that it ends when the scheduler does, in the middle of a cell too.
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
    EXIT_BAD = 1,    /* it was asked for what it cannot do, and has said so */
    EXIT_MEMORY = 3, /* the cell takes more than there is */
    TELL_MS = 200
};

/* ---- computing ---- */

typedef struct toil {
    const wlab_worker_side *side;
    wlab_setup setup;
    pthread_mutex_t lock; /* answers: a cell may tell its progress from another thread */
    int64_t cell, told_ms;
} toil;

/* Takes o.  False: no memory. */
static bool answer(toil *t, json_t *o)
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

static void tell(void *self, const wlab_event *e)
{
    toil *t = self;
    int64_t now = wlab_ms_now();

    if (e->kind != WL_EV_PROGRESS || now - t->told_ms < TELL_MS)
        return;
    t->told_ms = now;
    (void)answer(t, json_pack("{s:I, s:I, s:I, s:s}", "progress", (json_int_t)t->cell, "done",
                              (json_int_t)e->done, "total", (json_int_t)e->total, "text", e->text));
}

static int refuse(toil *t, const char *why)
{
    return answer(t, json_pack("{s:s}", "fatal", why)) ? EXIT_BAD : EXIT_MEMORY;
}

static int compute(toil *t, int64_t number)
{
    wlab_ctx ctx = {.emit = tell, .sink = t};
    wlab_result r = {0};
    wlab_err err = {0};
    wlab_code code;
    json_t *o = NULL;
    bool told;

    if (number < 1 || number > t->setup.e->cells)
        return refuse(t, "there is no such cell");
    t->cell = number;
    t->told_ms = wlab_ms_now();
    code = wlab_result_compute(&r, t->setup.e, &t->setup.e->cell[number - 1], &t->setup.places, &ctx, &err);
    if (!code)
        o = wlab_result_json(&r);
    told = o && answer(t, json_pack("{s:o}", "result", o));
    wlab_result_clear(&r);
    if (code && code != WL_ENOMEM)
        return refuse(t, err.message);
    if (!told)
        fputs("memory ran out\n", stderr); /* the scheduler quotes it */
    return told ? 0 : EXIT_MEMORY;
}

static int set_up(toil *t, const json_t *o, const char *(*build)(void))
{
    wlab_err err = {0};
    char text[sizeof err.message + sizeof err.file + 64];
    wlab_code code;

    wlab_setup_clear(&t->setup); /* of the sweep before */
    code = wlab_setup_read(&t->setup, o, &err);
    if (code && code != WL_ENOMEM)
        return refuse(t, wlab_err_format(&err, text, sizeof text));
    t->setup.places.build = build;
    return !code && answer(t, json_pack("{s:b}", "ready", 1)) ? 0 : EXIT_MEMORY;
}

int wlab_worker_serve(const wlab_worker_side *side, const char *(*build)(void))
{
    toil t = {.side = side, .lock = PTHREAD_MUTEX_INITIALIZER};
    char *line;
    size_t len;
    int status = 0;

    while (!status && side->next(side->self, &line, &len)) {
        json_t *o = json_loadb(line, len, JSON_ALLOW_NUL, NULL);
        json_t *cell = json_object_get(o, "cell");

        wlab_free(line);
        if (json_object_get(o, "experiment"))
            status = set_up(&t, o, build);
        else if (json_is_integer(cell) && t.setup.e)
            status = compute(&t, json_integer_value(cell));
        else
            status = refuse(&t, "this message is none that a worker knows");
        json_decref(o);
    }
    wlab_setup_clear(&t.setup);
    return status;
}

/* ---- as a process ---- */

typedef struct inbox {
    pthread_mutex_t lock;
    pthread_cond_t more;
    wlab_buf text; /* not taken yet: from text.pos on */
} inbox;

/* The end of the input is the end of the scheduler: nobody waits for what is being computed. */
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
        from = in->text.data + in->text.pos;
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
            _exit(0); /* nobody listens any more */
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
    /* of the reader too, which nothing wakes while it waits for input: it lives as long as the process */
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

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Executing lines and scripts: find the command, check its settings, execute it, record it.
 */
#include "base/locale.h"
#include "data/share.h"
#include "session/jobs/mirrors.h"
#include "session/record/questions.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MAX_DEPTH = 16,
    POLL_MS = 100 /* ms between two checks for an interrupt while a pipe delivers nothing */
};

static void forget_command(wlab_session *s)
{
    wlab_list_free(s->now.instead, s->now.ninstead > 0 ? s->now.ninstead : 0);
    s->now.instead = NULL;
    s->now.ninstead = -1;
    wlab_list_free(s->now.mark, s->now.nmarks);
    s->now.mark = NULL;
    s->now.nmarks = 0;
}

wlab_code wlab_session_record_as(wlab_session *s, wlab_err *err, const char *fmt, ...)
{
    va_list ap;
    if (s->now.ninstead < 0)
        s->now.ninstead = 0;
    if (!fmt)
        return WL_OK;
    va_start(ap, fmt);
    char *text = wlab_vformat(fmt, ap);
    va_end(ap);
    return wlab_list_add(&s->now.instead, &s->now.ninstead, text, err);
}

wlab_code wlab_session_mark(wlab_session *s, wlab_err *err, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *text = wlab_vformat(fmt, ap);
    va_end(ap);
    wlab_code code = wlab_list_add(&s->now.mark, &s->now.nmarks, text, err);
    if (!code && s->replay)
        code = wlab_replay_mark(s, s->now.mark[s->now.nmarks - 1], err);
    return code;
}

static wlab_code mark_digest(wlab_session *s, wlab_err *err)
{
    wlab_run *run = wlab_session_run(s);
    wlab_digest digest;
    wlab_buf text = {0};

    if (!run)
        return WL_OK;
    wlab_run_digest(run, &digest);
    wlab_code code = wlab_digest_format(&digest, &text);
    if (code)
        wlab_nomem(err);
    else
        code = wlab_session_mark(s, err, "%s", (const char *)text.data);
    wlab_buf_clear(&text);
    return code;
}

/* Divide the words into words and settings, as the command's flags require. */
static wlab_code make_args(wlab_args *args, const wlab_command *command, const wlab_phrase *w,
                           wlab_params **params, wlab_err *err)
{
    memset(args, 0, sizeof *args);
    args->rest = w->rest;
    args->at = w->n > 0 ? w->at[0] : 0;
    size_t n = (size_t)w->n + 1;
    args->word = wlab_calloc(n, sizeof *args->word);
    args->key = wlab_calloc(n, sizeof *args->key);
    args->value = wlab_calloc(n, sizeof *args->value);
    if (!args->word || !args->key || !args->value)
        return wlab_nomem(err);
    for (int i = 0; i < w->n; i++) {
        size_t len = w->plain[i] && !(command->flags & WL_C_WORDS) ? wlab_setting_length(w->word[i]) : 0;
        if (len == 0) {
            args->word[args->nwords++] = w->word[i];
            continue;
        }
        args->key[args->nsettings] = wlab_strndup(w->word[i], len);
        if (!args->key[args->nsettings])
            return wlab_nomem(err);
        args->value[args->nsettings++] = w->word[i] + len + 1;
    }
    for (int i = 0; i < args->nsettings; i++)
        for (int k = 0; k < i; k++)
            if (strcmp(args->key[i], args->key[k]) == 0)
                return wlab_fail(err, WL_EARG, "\"%.60s=\" is given twice; keep one", args->key[i]);
    if (!command->params)
        return WL_OK;
    wlab_code code = wlab_args_params(args, command->params, params, err);
    args->params = *params;
    return code;
}

static void free_args(wlab_args *args, wlab_params *params)
{
    for (int i = 0; i < args->nsettings; i++)
        wlab_free(args->key[i]);
    wlab_free(args->key);
    wlab_free(args->value);
    wlab_free(args->word);
    wlab_params_destroy(params);
}

/* What reads values of the rows cannot, if they are on several ranks. */
static wlab_code check_rows(const wlab_session *s, const wlab_command *command, wlab_err *err)
{
    char what[64];

    if (command->flags & WL_C_SHARED)
        return WL_OK;
    snprintf(what, sizeof what, "`%s`", command->name);
    return wlab_share_refuse(wlab_session_data(s), what, err);
}

static wlab_code execute(wlab_session *s, wlab_phrase *w, wlab_err *err)
{
    const wlab_command *command = NULL;
    wlab_params *params = NULL;
    wlab_args args = {0};
    wlab_err first = {0};
    char *typed = NULL;
    bool person = s->now.origin == WL_FROM_PERSON;
    wlab_code code = wlab_command_find(s->commands, w->name, person, &command, err);

    if (s->job.running && command && !(command->flags & WL_C_READS)) {
        if (!(command->flags & WL_C_QUITS))
            return wlab_fail(err, WL_ESTATE, "running: Ctrl-C stops it");
        s->quits = true;
        wlab_session_interrupt(s);
        return WL_OK;
    }
    /* the line is executed inside the idle loop of another command, whose state in s->now must not change */
    if (s->job.running) {
        if (!code)
            code = make_args(&args, command, w, &params, err);
        code = code ? code : check_rows(s, command, err);
        if (!code) {
            wlab_sink now = s->sink;
            if (s->loud)
                s->sink = *s->loud;
            code = command->execute(s, &args, err);
            s->sink = now;
        }
        free_args(&args, params);
        return code;
    }
    forget_command(s);
    if (command && person && s->places.home && (command->flags & WL_C_FILES)) {
        wlab_code unchanged = wlab_phrase_expand(w, s->places.home, err);
        if (unchanged)
            return unchanged;
    }
    typed = wlab_format("%s%s%s", command ? command->name : w->name, *w->rest ? " " : "", w->rest);
    if (!typed) {
        code = wlab_nomem(err);
        goto out;
    }
    if (!code)
        code = make_args(&args, command, w, &params, err);
    code = code ? code : check_rows(s, command, err);
    if (!code) {
        const bool tells = !person && s->sink.executes;
        const wlab_run *run = wlab_session_run(s);
        const int64_t before = run ? wlab_run_iter(run) : 0;
        if (tells)
            s->sink.executes(s->sink.self, typed, command->flags, true);
        code = command->execute(s, &args, err);
        if (tells)
            s->sink.executes(s->sink.self, typed, command->flags, false);
        bool done = code == WL_OK || code == WL_EINTERRUPTED || s->now.ninstead > 0;
        if ((command->flags & WL_C_STEPS) && done && s->now.ninstead != 0) {
            wlab_code marked = mark_digest(s, code ? &first : err);
            code = code ? code : marked;
            if (run && run == wlab_session_run(s) && wlab_run_iter(run) >= before) /* not a step back */
                wlab_questions_answer(s);
        }
    }
    if (command && (command->flags & WL_C_READS))
        goto out;
    if (command && s->now.ninstead != 0) /* 0: it only listed something, and is not recorded */
        wlab_session_changed(s);
    if (code && code != WL_EINTERRUPTED && s->now.ninstead != 0)
        wlab_record_command(s, typed, err);
    if (code == WL_OK || s->now.ninstead > 0) {
        s->log.changed = s->log.changed || s->now.ninstead != 0;
        s->log.others += s->now.ninstead != 0 && !(command->flags & (WL_C_STEPS | WL_C_SHOWS));
        wlab_record_command(s, s->now.ninstead < 0 ? typed : NULL, NULL);
    }
    if (command && (command->flags & WL_C_REPEATS) && person && (code == WL_OK || code == WL_EINTERRUPTED)) {
        wlab_free(s->typed.repeat);
        s->typed.repeat = typed;
        typed = NULL;
    }
out:
    wlab_free(typed);
    free_args(&args, params);
    forget_command(s);
    return code;
}

wlab_line_kind wlab_session_line_kind(const wlab_session *s, const char *line)
{
    wlab_line_kind kind = WL_LINE_WAITS;
    size_t pos = 0;
    bool more = true;

    for (bool first = true; more; first = false) {
        wlab_phrase w = {0};
        const wlab_command *command = NULL;
        bool read = wlab_phrase_read(&w, line, &pos, &more, NULL) == WL_OK && w.name &&
                    wlab_command_find(s->commands, w.name, true, &command, NULL) == WL_OK;

        wlab_phrase_clear(&w);
        if (read && first && (command->flags & WL_C_QUITS))
            return WL_LINE_QUITS;
        if (!read || !(command->flags & WL_C_ALWAYS))
            return WL_LINE_WAITS;
        kind = WL_LINE_ANSWERED;
    }
    return kind;
}

/* Keep the line for `history`, unless it is empty or equals the one before (an empty line repeats a command). */
static void remember(wlab_session *s, const char *line)
{
    if (line[strspn(line, " \t\r")] == '\0' ||
        (s->typed.n > 0 && strcmp(s->typed.line[s->typed.n - 1], line) == 0))
        return;
    char *copy = wlab_strdup(line);
    if (copy)
        (void)wlab_list_add(&s->typed.line, &s->typed.n, copy, NULL);
}

/* The column of the setting that an error is about, which its message names: the message begins with "key=", or the
 * first quotes in it contain the key. 0: none. */
static long column_of(const wlab_phrase *w, const wlab_err *err)
{
    for (int i = w->n; i-- > 0;) { /* of a setting given twice, the second */
        const size_t len = w->plain[i] ? wlab_setting_length(w->word[i]) : 0;
        const char *key = len ? strstr(err->message, "\"") : NULL;
        if (!len)
            continue;
        if (strncmp(err->message, w->word[i], len + 1) == 0 ||
            (key && strncmp(key + 1, w->word[i], len) == 0 && (key[len + 1] == '"' || key[len + 1] == '=')))
            return w->at[i];
    }
    return 0;
}

wlab_code wlab_session_line(wlab_session *s, const char *line, wlab_origin origin, const char *file,
                            long number, wlab_err *err)
{
    wlab_origin old_origin = s->now.origin;
    const char *old_file = s->now.file;
    long old_line = s->now.line;
    wlab_err local = {0};
    wlab_code code = WL_OK;
    size_t pos = 0;
    bool more = true;
    long column = 0, setting = 0;
    wlab_numbers numbers =
        wlab_numbers_begin(); /* a decimal point in what commands write, whatever the locale */

    if (!err)
        err = &local;
    s->now.origin = origin;
    s->now.file = file;
    s->now.line = number;
    if (origin == WL_FROM_PERSON && s->now.depth == 0)
        remember(s, line);
    while (more && !s->quits) {
        wlab_phrase w = {0};
        bool alone = pos == 0;
        memset(err, 0, sizeof *err);
        code = wlab_phrase_read(&w, line, &pos, &more, err);
        if (code) {
            if (!s->job.running)
                wlab_record_command(s, line, err);
        } else if (w.name) {
            code = execute(s, &w, err);
            setting = code == WL_EARG && !err->file[0] ? column_of(&w, err) : 0;
        }
        column = more || !alone ? w.column : 0; /* if it is one of several commands */
        wlab_phrase_clear(&w);
        if (code)
            break;
    }
    if (code && err->file[0] == '\0' && file) {
        snprintf(err->file, sizeof err->file, "%s", file);
        err->line = number;
        if (err->column == 0)
            err->column = setting ? setting : column;
    }
    s->now.origin = old_origin;
    s->now.file = old_file;
    s->now.line = old_line;
    wlab_numbers_end(&numbers);
    return code;
}

/* Reading a pipe, which may never deliver anything: the read polls for a moment, then checks for an interrupt, and
 * so on. */
typedef struct waiting {
    int fd;
    const wlab_ctx *ctx;
    bool stopped;
} waiting;

static ssize_t read_waiting(void *self, char *to, size_t size)
{
    waiting *w = self;

    while (!(w->stopped = wlab_interrupted(w->ctx))) {
        struct pollfd p = {.fd = w->fd, .events = POLLIN};
        int there = poll(&p, 1, POLL_MS);
        ssize_t n = there > 0 ? read(w->fd, to, size) : -1;

        if (n >= 0 || (there != 0 && errno != EINTR && errno != EAGAIN))
            return n;
    }
    return 0;
}

/* Returns the stream itself if it is an ordinary file, otherwise a stream that reads from it and checks for
 * interrupts meanwhile.  NULL: out of memory. */
static FILE *open_waiting(FILE *in, waiting *w)
{
    struct stat st;

    w->fd = fileno(in);
    if (w->fd < 0 || fstat(w->fd, &st) != 0 || S_ISREG(st.st_mode))
        return in;
    return fopencookie(w, "r", (cookie_io_functions_t){.read = read_waiting});
}

wlab_code wlab_session_stream(wlab_session *s, FILE *stream, const char *name, wlab_origin origin,
                              wlab_err *err)
{
    waiting wait = {.ctx = &s->ctx};
    FILE *in;
    char *line = NULL;
    size_t cap = 0;
    ssize_t len;
    long number = 0;
    wlab_code code = WL_OK;

    if (s->now.depth >= MAX_DEPTH)
        return wlab_fail(err, WL_ESTATE, "scripts call each other more than %d deep; is there a circle?",
                         MAX_DEPTH);
    in = open_waiting(stream, &wait);
    if (!in)
        return wlab_nomem(err);
    s->now.depth++;
    errno = 0;
    while (!code && !s->quits && (len = getline(&line, &cap, in)) >= 0) {
        number++;
        if (wlab_interrupted(&s->ctx)) {
            code = wlab_fail(err, WL_EINTERRUPTED, "interrupted");
            break;
        }
        while (len > 0 && (line[len - 1] == '\n' || line[len - 1] == '\r'))
            line[--len] = '\0';
        if (number == 1 && strncmp(line, "\xef\xbb\xbf", 3) == 0)
            memset(line, ' ', 3); /* some editors begin a text with a byte order mark */
        if (strlen(line) != (size_t)len)
            code = wlab_fail_at(err, name, number, (long)strlen(line) + 1,
                                "a byte of value 0: this is not text");
        else
            code = wlab_session_line(s, line, origin, name, number, err);
    }
    if (!code && ferror(in))
        code = wlab_fail_errno(err, "cannot read '%.400s'", name);
    if (!code && wait.stopped)
        code = wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    if (in != stream)
        fclose(in);
    free(line);
    s->now.depth--;
    return code;
}

wlab_code wlab_session_script(wlab_session *s, const char *path, wlab_origin origin, wlab_err *err)
{
    struct stat st;
    const char *old = s->now.dir;
    const char *slash = strrchr(path, '/');
    char *dir = slash ? wlab_strndup(path, (size_t)(slash - path) + (slash == path)) : wlab_strdup(".");
    int fd = dir ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
                 : -1; /* a pipe may have no writer yet */
    FILE *in = fd >= 0 ? fdopen(fd, "r") : NULL;
    wlab_code code;

    if (!dir)
        return wlab_nomem(err);
    if (!in) {
        code = wlab_fail_errno(err, "cannot open '%.400s'", path);
        if (fd >= 0)
            close(fd);
        goto out;
    }
    if (fstat(fileno(in), &st) == 0 && S_ISDIR(st.st_mode)) {
        code = wlab_fail(err, WL_EIO, "'%.400s' is a folder, not a script", path);
        goto out;
    }
    s->now.dir = dir;
    code = wlab_session_stream(s, in, path, origin, err);
    s->now.dir = old;
out:
    if (in)
        fclose(in);
    wlab_free(dir);
    return code;
}

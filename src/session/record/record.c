/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The recorder: the executed commands, with full names, and the digests of their results.  Each command is written to
 * the disk as soon as it is done.  A command that cannot be written completely is cut off again, so that the file
 * always ends with a whole command.
 */
#include "base/file.h"
#include "session/internal.h"
#include <cblas.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct wlab_recorder {
    int fd; /* -1: not opened yet (the log), or the recording has failed */
    char *path;
    bool log;    /* the automatic log: opened with the first command, silent about failures */
    bool headed; /* the header has been written */
    bool cut;    /* the recording has failed and ended */
    off_t good;  /* length of the whole commands in the file */
};

/* "OpenBLAS-0.3.21-Haswell" */
static void blas_name(char *buf, size_t size)
{
    char config[256], version[32] = "";
    snprintf(config, sizeof config, "%s", openblas_get_config());
    if (strncmp(config, "OpenBLAS ", 9) == 0)
        snprintf(version, sizeof version, "-%.*s", (int)strcspn(config + 9, " "), config + 9);
    snprintf(buf, size, "OpenBLAS%s-%s", version, openblas_get_corename());
}

wlab_code wlab_record_header(const wlab_session *s, wlab_buf *out)
{
    char blas[96];
    blas_name(blas, sizeof blas);
    return wlab_buf_printf(out, "#@ weaklab %s session %d  build=%s blas=%s threads=%d seed=%llu",
                           WLAB_VERSION, WLAB_RECORD_FORMAT, s->places.build ? s->places.build() : "unknown",
                           blas, wlab_pool_threads(s->pool), (unsigned long long)s->seed);
}

static void recorder_free(wlab_recorder *r)
{
    if (!r)
        return;
    if (r->fd >= 0)
        close(r->fd);
    wlab_free(r->path);
    wlab_free(r);
}

void wlab_record_free(wlab_session *s)
{
    recorder_free(s->log.record);
    recorder_free(s->log.autosave);
    s->log.record = s->log.autosave = NULL;
}

static wlab_code write_all(wlab_recorder *r, const wlab_buf *text, wlab_err *err)
{
    size_t done = 0;
    while (done < text->len) {
        ssize_t n = write(r->fd, text->data + done, text->len - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            wlab_code code = wlab_fail_errno(err, "cannot record to '%.300s'", r->path);
            if (ftruncate(r->fd, r->good) == 0)
                (void)lseek(r->fd, r->good, SEEK_SET);
            return code;
        }
        done += (size_t)n;
    }
    r->good += (off_t)text->len;
    return WL_OK;
}

/* Open the file; an existing ordinary file of that name is kept as NAME~. */
static wlab_code recorder_open(wlab_session *s, wlab_recorder *r, wlab_origin origin, wlab_err *err)
{
    static const char *const allowed[] = {"wlab", NULL};
    char *leaf = NULL, *full = NULL, *kept = NULL;
    int dir = -1;
    struct stat st;
    wlab_code code = wlab_output_place(s, r->path, origin, origin == WL_FROM_SCRIPT ? allowed : NULL, &dir,
                                       &leaf, &full, err);
    if (code)
        return code;
    int flags = O_WRONLY | O_CLOEXEC | O_APPEND | O_NOFOLLOW | O_CREAT | O_EXCL;
    if (fstatat(dir, leaf, &st, 0) == 0) {
        kept = wlab_format("%s~", leaf);
        if (!kept)
            code = wlab_nomem(err);
        else if (!S_ISREG(st.st_mode))
            flags = O_WRONLY | O_CLOEXEC;
        else if (wlab_file_replace(dir, openat(dir, leaf, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), leaf, kept) !=
                 0)
            code = wlab_fail_errno(err, "cannot keep the older '%.300s' as '%.100s'", full, kept);
    }
    if (!code) {
        r->fd = openat(dir, leaf, flags, 0666);
        if (r->fd < 0)
            code = wlab_fail_errno(err, "cannot record to '%.300s'", full);
    }
    close(dir);
    wlab_free(kept);
    wlab_free(leaf);
    if (code) {
        wlab_free(full);
    } else {
        wlab_free(r->path);
        r->path = full;
    }
    return code;
}

/* Write `text`, and before it, the first time, the header and the journal. */
static wlab_code recorder_put(wlab_session *s, wlab_recorder *r, const wlab_buf *text, wlab_err *err)
{
    wlab_buf all = {0};
    wlab_code code = WL_OK;

    if (r->headed)
        return write_all(r, text, err);
    code = wlab_record_header(s, &all);
    if (!code)
        code = wlab_buf_printf(&all, "\n");
    for (int i = 0; !code && i < s->log.njournal; i++)
        code = wlab_buf_printf(&all, "%s\n", s->log.journal[i]);
    if (code)
        wlab_nomem(err);
    else
        code = write_all(r, &all, err);
    wlab_buf_clear(&all);
    r->headed = code == WL_OK;
    return code;
}

/* Control characters would break the line, or act on the reader's terminal. */
static void blank_controls(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 127)
            *text = ' ';
}

static wlab_code add_line(wlab_session *s, wlab_buf *text, char *line)
{
    if (line) {
        blank_controls(line);
        if (wlab_buf_printf(text, "%s\n", line)) {
            wlab_free(line);
            return WL_ENOMEM;
        }
    }
    return wlab_list_add(&s->log.journal, &s->log.njournal, line, NULL);
}

static void fail_recording(wlab_session *s, wlab_recorder *r, const wlab_err *err)
{
    r->cut = true;
    if (!r->log) {
        s->log.failed = true;
        wlab_session_say(s, "%s; the recording ends before this command, the session continues",
                         err->message);
    } else if (s->sink.terminal) {
        wlab_session_say(s, "no log of this session: %s", err->message);
    }
}

void wlab_record_command(wlab_session *s, const char *line, const wlab_err *failed)
{
    wlab_buf text = {0};
    wlab_err err;
    wlab_code code = WL_OK;
    int before = s->log.njournal;

    if (failed) {
        code = add_line(s, &text, wlab_format("# failed: %s    (%s)", line, failed->message));
    } else {
        if (line)
            code = add_line(s, &text, wlab_strdup(line));
        for (int i = 0; !code && i < s->now.ninstead; i++)
            code = add_line(s, &text, wlab_strdup(s->now.instead[i]));
        for (int i = 0; !code && i < s->now.nmarks; i++)
            code = add_line(s, &text, wlab_format("#@ %s", s->now.mark[i]));
    }
    if (code) {
        wlab_session_say(s, "out of memory: the record lacks a command");
        while (s->log.njournal > before) /* the journal must equal the files */
            wlab_free(s->log.journal[--s->log.njournal]);
    }
    wlab_recorder *both[] = {s->log.record, s->log.autosave};
    for (int i = 0; i < 2 && !code && text.len > 0; i++) {
        wlab_recorder *r = both[i];
        if (!r || r->cut)
            continue;
        if (r->fd < 0) {
            if (!s->log.changed)
                continue; /* nothing to log yet */
            code = recorder_open(s, r, WL_FROM_PERSON, &err);
        }
        if (!code)
            code = recorder_put(s, r, &text, &err);
        if (code)
            fail_recording(s, r, &err);
        code = WL_OK;
    }
    wlab_buf_clear(&text);
}

static size_t bytes_of(char *const *line, int n)
{
    size_t bytes = 0;
    for (int i = 0; i < n; i++)
        bytes += strlen(line[i]) + 1;
    return bytes;
}

/* Cut off the last `bytes`, then write `text`. */
static void rewrite_file(wlab_session *s, wlab_recorder *r, size_t bytes, const wlab_buf *text)
{
    wlab_err err;
    if (!r || r->cut || r->fd < 0 || !r->headed)
        return;
    if (bytes > 0) {
        off_t good = r->good - (off_t)bytes;
        if (ftruncate(r->fd, good) != 0) {
            int why = errno;
            r->cut = true;
            s->log.failed = s->log.failed || !r->log;
            wlab_session_say(
                s, "cannot remove commands from %s: %s; its recording ends here, the session continues",
                r->path, strerror(why));
            return;
        }
        r->good = good;
        (void)lseek(r->fd, good, SEEK_SET);
    }
    if (text->len > 0 && write_all(r, text, &err))
        fail_recording(s, r, &err);
}

void wlab_record_rewrite(wlab_session *s, char *const *old, int nold)
{
    wlab_buf text = {0};
    int same = 0;
    while (same < nold && same < s->log.njournal && strcmp(old[same], s->log.journal[same]) == 0)
        same++;
    size_t bytes = bytes_of(old + same, nold - same);
    bool complete = true;
    for (int i = same; i < s->log.njournal; i++)
        complete = complete && wlab_buf_printf(&text, "%s\n", s->log.journal[i]) == WL_OK;
    if (!complete) {
        wlab_session_say(s, "out of memory: the record lacks commands");
        wlab_buf_clear(&text);
    }
    rewrite_file(s, s->log.record, bytes, &text);
    rewrite_file(s, s->log.autosave, bytes, &text);
    wlab_buf_clear(&text);
}

void wlab_record_back(wlab_session *s, int n)
{
    wlab_buf nothing = {0};
    size_t bytes = bytes_of(s->log.journal + n, s->log.njournal - n);
    rewrite_file(s, s->log.record, bytes, &nothing);
    rewrite_file(s, s->log.autosave, bytes, &nothing);
    while (s->log.njournal > n)
        wlab_free(s->log.journal[--s->log.njournal]);
}

wlab_code wlab_session_record(wlab_session *s, const char *path, wlab_origin origin, wlab_err *err)
{
    wlab_buf nothing = {0};
    wlab_code code;

    if (s->log.record && !s->log.record->cut)
        return wlab_fail(err, WL_ESTATE, "already recording to '%.300s'; first `record stop`",
                         s->log.record->path);
    wlab_recorder *r = wlab_calloc(1, sizeof *r);
    if (!r)
        return wlab_nomem(err);
    r->fd = -1;
    r->path = wlab_strdup(path);
    code = r->path ? recorder_open(s, r, origin, err) : wlab_nomem(err);
    /* a session with earlier commands records them now; an empty one gets its header with the first command, because
     * a replay may still change the seed */
    if (!code && s->log.njournal > 0)
        code = recorder_put(s, r, &nothing, err);
    if (code) {
        recorder_free(r);
        return code;
    }
    recorder_free(s->log.record);
    s->log.record = r;
    return WL_OK;
}

wlab_code wlab_session_record_stop(wlab_session *s, wlab_err *err)
{
    wlab_buf nothing = {0};
    wlab_code code = WL_OK;

    if (!s->log.record)
        return wlab_fail(err, WL_ESTATE, "nothing is being recorded; `record FILE` begins");
    if (!s->log.record->cut) {
        code = recorder_put(s, s->log.record, &nothing, err); /* an empty session gets a header, too */
        if (close(s->log.record->fd) != 0 && !code)
            code = wlab_fail_errno(err, "cannot record to '%.300s'", s->log.record->path);
        s->log.record->fd = -1;
        s->log.failed = s->log.failed || code != WL_OK;
    }
    recorder_free(s->log.record);
    s->log.record = NULL;
    return code;
}

bool wlab_record_is(const wlab_session *s, int fd)
{
    struct stat a, b;
    return s->log.record && s->log.record->fd >= 0 && fstat(fd, &a) == 0 &&
           fstat(s->log.record->fd, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

const char *wlab_session_record_path(const wlab_session *s)
{
    return s->log.record && !s->log.record->cut ? s->log.record->path : NULL;
}

const char *wlab_session_log_path(const wlab_session *s)
{
    return s->log.autosave && !s->log.autosave->cut && s->log.autosave->headed ? s->log.autosave->path : NULL;
}

wlab_code wlab_session_autosave(wlab_session *s, const char *path, wlab_err *err)
{
    wlab_recorder *r = wlab_calloc(1, sizeof *r);
    if (!r)
        return wlab_nomem(err);
    r->fd = -1;
    r->log = true;
    r->path = wlab_strdup(path);
    if (!r->path) {
        wlab_free(r);
        return wlab_nomem(err);
    }
    recorder_free(s->log.autosave);
    s->log.autosave = r;
    return WL_OK;
}

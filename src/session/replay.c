/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Replay: the commands of a session file once more, and with `check` a comparison of every `#@` line with what
 * comes out now.  The marks that a command makes wait in a queue; each `#@` line of the file takes the next.
 */
#include "session/internal.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct wlab_replay {
    bool check, exact;
    double tol;
    char **mark;
    int nmarks, next;
    char sha256[65]; /* of the next data set, "" */
    int64_t bytes;
    const char *header; /* the recorded one, or NULL */
} wlab_replay;

wlab_code wlab_replay_mark(wlab_session *s, const char *mark, wlab_err *err)
{
    return wlab_list_add(&s->replay->mark, &s->replay->nmarks, wlab_strdup(mark), err);
}

const char *wlab_replay_sha256(const wlab_session *s, int64_t *bytes)
{
    if (!s->replay || !s->replay->sha256[0])
        return NULL;
    *bytes = s->replay->bytes;
    return s->replay->sha256;
}

static void forget_marks(wlab_replay *r)
{
    wlab_list_free(r->mark, r->nmarks);
    r->mark = NULL;
    r->nmarks = r->next = 0;
}

/* The value of " key=" in a header or mark, into buf ("": none). */
static void field(const char *line, const char *key, char *buf, size_t size)
{
    size_t len = strlen(key);
    buf[0] = '\0';
    for (const char *at = line; (at = strstr(at, key)); at += len)
        if (at > line && at[-1] == ' ' && at[len] == '=') {
            snprintf(buf, size, "%.*s", (int)strcspn(at + len + 1, " "), at + len + 1);
            return;
        }
}

/* "; recorded with build=... (now ...)" for what differs. */
static void header_differences(const wlab_session *s, const wlab_replay *r, char *buf, size_t size)
{
    static const char *const keys[] = {"build", "blas", "threads"};
    wlab_buf now = {0};
    size_t used = 0;

    buf[0] = '\0';
    if (!r->header || wlab_record_header(s, &now)) {
        wlab_buf_clear(&now);
        return;
    }
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char a[100], b[100];
        field(r->header, keys[i], a, sizeof a);
        field((const char *)now.data, keys[i], b, sizeof b);
        if (strcmp(a, b) != 0 && used < size) {
            int n = snprintf(buf + used, size - used, "%s%s=%s, now %s", used ? "; " : " (recorded with ",
                             keys[i], a[0] ? a : "?", b);
            used += n > 0 ? (size_t)n : 0;
        }
    }
    if (used && used < size)
        snprintf(buf + used, size - used, ")");
    else if (!used)
        snprintf(buf, size, " (same build and machine type)");
    wlab_buf_clear(&now);
}

/* The first word of two texts that differs. */
static void first_difference(const char *a, const char *b, char *what, size_t size)
{
    for (;;) {
        size_t n = strcspn(a, " "), m = strcspn(b, " ");
        if (n != m || strncmp(a, b, n) != 0 || !a[n]) {
            snprintf(what, size, "recorded %.*s, now %.*s", (int)(n < 300 ? n : 300), n ? a : "nothing",
                     (int)(m < 300 ? m : 300), m ? b : "nothing");
            return;
        }
        a += n + 1;
        b += m + (b[m] == ' ');
    }
}

/* Do the recorded mark and the one made now agree? */
static bool agree(const wlab_replay *r, const char *recorded, const char *now, char *what, size_t size)
{
    wlab_digest a, b;
    wlab_err err;

    what[0] = '\0';
    if (strcmp(recorded, now) == 0)
        return true;
    if (strncmp(recorded, "run=", 4) == 0 && strncmp(now, "run=", 4) == 0) {
        if (wlab_digest_parse(&a, recorded, &err)) {
            snprintf(what, size, "the recorded digest cannot be read: %.300s", err.message);
            return false;
        }
        if (wlab_digest_parse(&b, now, NULL))
            return false;
        if (!wlab_digest_equal(&a, &b, r->exact, r->tol, what, size))
            return false;
        if (!r->exact)
            return true;
    } else if (!r->exact) {
        /* other machines may round generated data and figures otherwise; files have the same bytes everywhere */
        const char *p = strstr(recorded, " sha256="), *q = strstr(now, " sha256=");
        bool file = strstr(recorded, " bytes=") != NULL;
        if (p && q && !file && p - recorded == q - now && strncmp(recorded, now, (size_t)(p - recorded)) == 0)
            return true;
    }
    first_difference(recorded, now, what, size);
    return false;
}

static wlab_code check_mark(wlab_session *s, wlab_replay *r, const char *recorded, const char *file,
                            long line, wlab_err *err)
{
    char what[500], headers[400];
    bool missing = r->next >= r->nmarks;

    if (!missing && agree(r, recorded, r->mark[r->next++], what, sizeof what))
        return WL_OK;
    if (missing)
        snprintf(what, sizeof what, "recorded \"%.300s\", now nothing", recorded);
    header_differences(s, r, headers, sizeof headers);
    wlab_fail_at(err, file, line, 0, "the replay differs: %s%s", what, headers);
    if (err)
        err->code = WL_EDIFFERS;
    return WL_EDIFFERS;
}

static bool is_mark(const char *line)
{
    return strncmp(line, "#@ ", 3) == 0;
}

static wlab_code read_lines(const wlab_session *s, const char *path, char ***lines, int *n, wlab_err *err)
{
    char *line = NULL;
    size_t cap = 0;
    ssize_t len;
    wlab_code code = WL_OK;
    FILE *in = fopen(path, "re");

    if (!in)
        return wlab_fail_errno(err, "cannot open '%.300s'", path);
    if (wlab_record_is(s, fileno(in)))
        code = wlab_fail(err, WL_ESTATE, "'%.300s' is being recorded now; record to another file", path);
    while (!code && (len = getline(&line, &cap, in)) >= 0) {
        while (len > 0 && (line[len - 1] == '\n' || line[len - 1] == '\r'))
            line[--len] = '\0';
        if (strlen(line) != (size_t)len)
            code = wlab_fail_at(err, path, *n + 1, (long)strlen(line) + 1,
                                "a byte of value 0: this is no session file");
        else
            code = wlab_list_add(lines, n, wlab_strdup(line), err);
    }
    if (!code && ferror(in))
        code = wlab_fail_errno(err, "cannot read '%.300s'", path);
    free(line);
    fclose(in);
    return code;
}

/* The header of a recorded session: same build and machine?  Which seed? */
static wlab_code read_header(wlab_session *s, wlab_replay *r, const char *line, const char *path,
                             wlab_err *err)
{
    char version[64], text[100], now[100];
    int format = 0;
    int64_t seed;
    wlab_buf mine = {0};

    if (sscanf(line, "#@ weaklab %63s session %d ", version, &format) != 2)
        return WL_OK; /* a script without a header */
    if (format != 1)
        return wlab_fail_at(err, path, 1, 0,
                            "a session file of format %d, made by weaklab %s; this program reads 1", format,
                            version);
    r->header = line;
    field(line, "seed", text, sizeof text);
    if (text[0] && wlab_parse_int(text, &seed) && seed >= 0)
        s->seed = (uint64_t)seed;
    if (wlab_record_header(s, &mine))
        return wlab_nomem(err);
    r->exact = true;
    const char *keys[] = {"build", "blas"};
    for (int i = 0; i < 2; i++) {
        field(line, keys[i], text, sizeof text);
        field((const char *)mine.data, keys[i], now, sizeof now);
        r->exact = r->exact && strcmp(text, now) == 0 && strcmp(now, "unknown") != 0;
    }
    wlab_buf_clear(&mine);
    return WL_OK;
}

static void pause_for(wlab_session *s, double seconds)
{
    if (s->pause) {
        s->pause(s->idle_self, seconds);
        return;
    }
    for (; seconds > 0 && !wlab_interrupted(&s->ctx); seconds -= 0.1)
        (void)poll(NULL, 0, seconds < 0.1 ? (int)(seconds * 1000) : 100);
}

wlab_code wlab_session_replay(wlab_session *s, const char *path, bool check, double tol, double pace,
                              wlab_err *err)
{
    wlab_replay replay = {.check = check, .tol = tol, .bytes = -1};
    const char *slash = strrchr(path, '/'), *old_dir = s->dir;
    char **line = NULL, *dir = NULL;
    int n = 0, commands = 0, compared = 0;
    wlab_code code;

    if (s->nslots || s->nruns || s->replay)
        return wlab_fail(err, WL_ESTATE,
                         "a replay begins with an empty session: start `weaklab replay FILE`");
    code = read_lines(s, path, &line, &n, err);
    if (code)
        goto out;
    dir = slash ? wlab_strndup(path, (size_t)(slash - path) + (slash == path)) : wlab_strdup(".");
    if (!dir) {
        code = wlab_nomem(err);
        goto out;
    }
    if (n > 0)
        code = read_header(s, &replay, line[0], path, err);
    s->replay = &replay;
    s->dir = dir;
    s->depth++;
    for (int i = replay.header ? 1 : 0; !code && i < n && !s->quits; i++) {
        if (is_mark(line[i])) {
            if (check) {
                code = check_mark(s, &replay, line[i] + 3, path, i + 1, err);
                compared++;
            }
            continue;
        }
        size_t blank = strspn(line[i], " \t");
        if (line[i][blank] == '\0' || line[i][blank] == '#')
            continue;
        if (wlab_interrupted(&s->ctx)) {
            code = wlab_fail(err, WL_EINTERRUPTED, "interrupted");
            break;
        }
        if (pace > 0) {
            if (commands > 0)
                pause_for(s, pace);
            wlab_session_say(s, "> %s", line[i]);
        }
        forget_marks(&replay);
        replay.sha256[0] = '\0';
        for (int k = i + 1; k < n && is_mark(line[k]); k++)
            if (strncmp(line[k], "#@ data ", 8) == 0) {
                char bytes[32];
                field(line[k], "sha256", replay.sha256, sizeof replay.sha256);
                field(line[k], "bytes", bytes, sizeof bytes);
                if (!wlab_parse_int(bytes, &replay.bytes))
                    replay.bytes = -1;
                break;
            }
        code = wlab_session_line(s, line[i], WL_FROM_SCRIPT, path, i + 1, err);
        commands++;
    }
    s->depth--;
    s->dir = old_dir;
    s->replay = NULL;
    if (!code && check)
        wlab_session_say(s,
                         compared ? "%s: %d commands replayed, %d recorded results compared, all equal%s"
                                  : "%s: %d commands replayed; it has no recorded results to compare",
                         path, commands, compared,
                         replay.exact ? " bit for bit" : " (another build or machine: within the tolerance)");
out:
    forget_marks(&replay);
    wlab_list_free(line, n);
    wlab_free(dir);
    return code;
}

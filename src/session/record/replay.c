/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Replay: execute the commands of a session file again and, with `check`, compare every `#@` line with the new
 * result.  The marks that a command makes are queued; each `#@` line of the file is compared with the next one.
 */
#include "session/record/replay.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
static void read_field(const char *line, const char *key, char *buf, size_t size)
{
    size_t len = strlen(key);
    buf[0] = '\0';
    for (const char *at = line; (at = strstr(at, key)); at += len)
        if (at > line && at[-1] == ' ' && at[len] == '=') {
            snprintf(buf, size, "%.*s", (int)strcspn(at + len + 1, " "), at + len + 1);
            return;
        }
}

/* Writes "build=..., now ...; blas=..., now ..." for those of the keys in which a header differs from one made now; "" if none
 * does.  false: there is no memory. */
static bool list_differences(const wlab_session *s, const char *header, const char *const *keys, char *buf,
                             size_t size)
{
    wlab_buf now = {0};
    const bool made = wlab_record_header(s, &now) == WL_OK;

    buf[0] = '\0';
    for (; made && *keys; keys++) {
        char a[100], b[100];
        read_field(header, *keys, a, sizeof a);
        read_field((const char *)now.data, *keys, b, sizeof b);
        if (strcmp(a, b) != 0)
            wlab_text_append(buf, size, "%s%s=%s, now %s", buf[0] ? "; " : "", *keys, a[0] ? a : "?", b);
    }
    wlab_buf_clear(&now);
    return made;
}

bool wlab_session_recorded_elsewhere(const wlab_session *s, const char *header)
{
    static const char *const keys[] = {"build", "blas", NULL};
    char differences[400];

    return strncmp(header, "#@ weaklab ", 11) == 0 &&
           list_differences(s, header, keys, differences, sizeof differences) && differences[0];
}

/* Writes " (recorded with build=..., now ...)" for what differs from the script's header, or " (same build and machine
 * type)"; nothing if the script has no header. */
static void header_differences(const wlab_session *s, const wlab_replay *r, char *buf, size_t size)
{
    static const char *const keys[] = {"build", "blas", "threads", NULL};
    char differences[400];

    buf[0] = '\0';
    if (!r->header || !list_differences(s, r->header, keys, differences, sizeof differences))
        return;
    snprintf(buf, size, differences[0] ? " (recorded with %s)" : " (same build and machine type)",
             differences);
}

/* Describe the first word in which two texts differ. */
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
static bool marks_agree(const wlab_replay *r, const char *recorded, const char *now, char *what, size_t size)
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
        /* other machines may round generated data and figures differently; files have the same bytes everywhere */
        const char *p = strstr(recorded, " sha256="), *q = strstr(now, " sha256=");
        bool file = strstr(recorded, " bytes=") != NULL;
        if (p && q && !file && p - recorded == q - now && strncmp(recorded, now, (size_t)(p - recorded)) == 0)
            return true;
    }
    first_difference(recorded, now, what, size);
    return false;
}

int wlab_session_format(const wlab_session *s)
{
    return s->replay && s->replay->format > 0 ? s->replay->format : WLAB_RECORD_FORMAT;
}

static bool is_score(const char *mark)
{
    return strncmp(mark, "eval ", 5) == 0;
}

static wlab_code check_mark(wlab_session *s, wlab_replay *r, const char *recorded, const char *file,
                            long line, wlab_err *err)
{
    char what[500], headers[400];
    /* older recordings have no marks of `eval` */
    while (r->next < r->nmarks && is_score(r->mark[r->next]) && !is_score(recorded))
        r->next++;
    bool missing = r->next >= r->nmarks;

    if (!missing && marks_agree(r, recorded, r->mark[r->next++], what, sizeof what))
        return WL_OK;
    if (missing)
        snprintf(what, sizeof what, "recorded \"%.300s\", now nothing", recorded);
    header_differences(s, r, headers, sizeof headers);
    wlab_fail_at(err, file, line, 0, "the replay differs: %s%s", what, headers);
    if (err)
        err->code = WL_EDIFFERS;
    return WL_EDIFFERS;
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

/* Reads the header of a recorded session: compares build and machine with these here, and adopts its seed. */
static wlab_code read_header(wlab_session *s, wlab_replay *r, const char *line, const char *path,
                             wlab_err *err)
{
    char version[64], text[100], now[100];
    int format = 0;
    int64_t seed;
    wlab_buf mine = {0};

    if (sscanf(line, "#@ weaklab %63s session %d ", version, &format) != 2)
        return WL_OK; /* a script without a header */
    if (format < 1 || format > WLAB_RECORD_FORMAT)
        return wlab_fail_at(err, path, 1, 0,
                            "a session file of format %d, made by weaklab %s; this program reads 1 to %d",
                            format, version, WLAB_RECORD_FORMAT);
    r->header = line;
    r->format = format;
    read_field(line, "seed", text, sizeof text);
    if (text[0] && wlab_parse_int(text, &seed) && seed >= 0 && (uint64_t)seed != s->seed) {
        wlab_code code = WL_OK;
        if (s->log.njournal > 0) { /* the record already has a header, with the old seed */
            snprintf(text, sizeof text, "new seed=%lld", (long long)seed);
            code = wlab_session_line(s, text, WL_FROM_SCRIPT, NULL, 0, err);
        }
        if (code)
            return code;
        s->seed = (uint64_t)seed;
    }
    if (wlab_record_header(s, &mine))
        return wlab_nomem(err);
    r->exact = true;
    const char *keys[] = {"build", "blas"};
    for (int i = 0; i < 2; i++) {
        read_field(line, keys[i], text, sizeof text);
        read_field((const char *)mine.data, keys[i], now, sizeof now);
        r->exact = r->exact && strcmp(text, now) == 0 && strcmp(now, "unknown") != 0;
    }
    wlab_buf_clear(&mine);
    return WL_OK;
}

static void pause_for(wlab_session *s, double seconds)
{
    if (s->terminal.pause) {
        s->terminal.pause(s->terminal.self, seconds);
        return;
    }
    for (; seconds > 0 && !wlab_interrupted(&s->ctx); seconds -= 0.1)
        (void)poll(NULL, 0, seconds < 0.1 ? (int)(seconds * 1000) : 100);
}

void wlab_replay_expect(wlab_replay *r, char *const *line, int n, int i)
{
    forget_marks(r);
    r->sha256[0] = '\0';
    for (int k = i + 1; k < n && wlab_is_mark(line[k]); k++)
        if (strncmp(line[k], "#@ data ", 8) == 0) {
            char bytes[32];
            read_field(line[k], "sha256", r->sha256, sizeof r->sha256);
            read_field(line[k], "bytes", bytes, sizeof bytes);
            if (!wlab_parse_int(bytes, &r->bytes))
                r->bytes = -1;
            return;
        }
}

char *wlab_replay_cut(const char *line, size_t *pos)
{
    size_t from = *pos;
    bool more = false;
    wlab_phrase phrase = {0};
    char *text;
    /* a line that cannot be parsed is left whole: its execution reports the error */
    if (wlab_phrase_read(&phrase, line, pos, &more, NULL))
        more = false;
    wlab_phrase_clear(&phrase);
    size_t end = more ? *pos : strlen(line);
    text = wlab_strndup(line, end);
    if (!text)
        return NULL;
    memset(text, ' ', from);
    if (more) { /* drop the `;` */
        text[end - 1] = text[end - 1] == ';' ? '\0' : text[end - 1];
    } else {
        *pos = 0;
    }
    return text;
}

unsigned wlab_line_flags(const wlab_session *s, const char *line)
{
    line += strspn(line, " \t");
    const size_t n = strcspn(line, " \t;#");
    for (int i = 0; i < s->ncommands; i++)
        if (strncmp(s->commands[i]->name, line, n) == 0 && s->commands[i]->name[n] == '\0')
            return s->commands[i]->flags;
    return 0;
}

/* Execute the script's next command; a whole line if nobody presents. */
static wlab_code execute_next(wlab_session *s, wlab_replay *r, wlab_err *err)
{
    int line = r->at;
    size_t next = r->pos;
    char *text = r->presents ? wlab_replay_cut(r->line[line], &next) : wlab_strdup(r->line[line]);
    wlab_code code = text ? WL_OK : wlab_nomem(err);
    const unsigned is = text ? wlab_line_flags(s, text) : 0;
    bool screen_only = is & WL_C_SCREEN; /* without a pause or an echo */
    bool shown = is & (WL_C_SCREEN | WL_C_SAYS | WL_C_WAITS);
    bool on = r->said && (is & WL_C_SAYS); /* one caption of several lines */

    if (!code && !screen_only && !(is & WL_C_WAITS) && r->pace > 0 && !r->silent_to && r->commands > 0 &&
        !r->waited && !on) {
        if (r->presents)
            code = wlab_replay_stop(s, text + strspn(text, " \t"), r->pace, err);
        else
            pause_for(s, r->pace);
        if (code || r->answer != WL_PRESENT_ON)
            goto out;
    }
    if (!code && text[strspn(text, " \t")] && (r->presents || r->lesson ? !shown : r->pace > 0))
        wlab_session_say(s, "> %s", text + strspn(text, " \t"));
    if (!code) {
        wlab_replay_expect(r, r->line, r->n, line);
        code = wlab_session_line(s, text, WL_FROM_SCRIPT, r->path, line + 1, err);
    }
    r->commands++;
    if (!code && !screen_only) {
        r->waited = is & WL_C_WAITS;
        r->said = is & WL_C_SAYS;
    }
    if (!code) {
        r->pos = next;
        r->at = line + (next == 0);
    }
out:
    wlab_free(text);
    return code;
}

static bool is_silent(const wlab_replay *r)
{
    return r->at < r->silent_to || (r->at == r->silent_to && r->pos < r->silent_pos);
}

/* The place is reached at which the user left: from here on the script is presented again. */
static wlab_code end_silent_part(wlab_session *s, wlab_err *err)
{
    wlab_replay *r = s->replay;

    r->silent_to = 0;
    wlab_replay_end_silence(s);
    return wlab_replay_repeat_captions(s, err);
}

static const char *script_name(const wlab_replay *r, int *len)
{
    const char *slash = strrchr(r->path, '/'), *name = slash ? slash + 1 : r->path;
    *len = (int)strlen(name) - (r->lesson && strlen(name) > 5 ? 5 : 0); /* without .wlab */
    return name;
}

static void report_taken_over(wlab_session *s, const wlab_replay *r)
{
    int len;
    const char *name = script_name(r, &len);
    if (r->at < r->n)
        wlab_session_say(s,
                         "taken over before line %d of %s%.*s: the session continues from here; `resume` "
                         "returns to this place",
                         r->at + 1, r->lesson ? "lesson " : "", len, name);
}

/* Execute the script to its end, or until the user takes over (*left). */
static wlab_code replay_lines(wlab_session *s, wlab_replay *r, int *compared, bool *left, wlab_err *err)
{
    wlab_code code = WL_OK;

    while (!code && r->at < r->n && !s->quits) {
        if (r->silent_to && !is_silent(r) && (code = end_silent_part(s, err)))
            break;
        const char *line = r->line[r->at];
        if (wlab_is_mark(line)) {
            if (r->check) {
                code = check_mark(s, r, line + 3, r->path, r->at + 1, err);
                ++*compared;
            }
            r->at++;
            continue;
        }
        size_t blank = strspn(line, " \t");
        if (line[blank] == '\0' || line[blank] == '#') {
            r->at++;
            continue;
        }
        memset(err, 0, sizeof *err);
        r->answer = WL_PRESENT_ON;
        if (r->silent_to)
            wlab_replay_report_progress(s, r->at, r->silent_to);
        code = wlab_interrupted(&s->ctx) ? wlab_fail(err, WL_EINTERRUPTED, "interrupted")
                                         : execute_next(s, r, err);
        if (r->answer == WL_PRESENT_BACK)
            code = wlab_replay_back(s, err);
        else if (!code && r->turn) {
            wlab_session_say(s, "your turn: type commands; `resume` goes on with what they did");
            *left = true;
            return WL_OK;
        }
        if (r->answer == WL_PRESENT_TAKE_OVER || (code == WL_EINTERRUPTED && r->presents)) {
            if (r->silent_to)
                wlab_replay_end_silence(s);
            r->silent_to = 0;
            if (r->answer != WL_PRESENT_TAKE_OVER && strcmp(err->message, "interrupted") != 0)
                wlab_session_say(s, "%s", err->message);
            report_taken_over(s, r);
            *left = r->at < r->n && !s->quits;
            return WL_OK;
        }
    }
    if (r->silent_to) /* an error came before the place was reached */
        wlab_replay_end_silence(s);
    r->silent_to = 0;
    return code;
}

static void clear(wlab_replay *r)
{
    wlab_replay_forget_stops(r);
    forget_marks(r);
    wlab_list_free(r->line, r->n);
    wlab_free(r->path);
}

void wlab_replay_destroy(wlab_replay *r)
{
    if (r)
        clear(r);
    wlab_free(r);
}

/* Keep a script for `resume`: one that the user has taken over, with the session `as_left`, or one that has ended, at its
 * last stop or at the line that failed.  Takes over what r owns. */
static void keep_for_resume(wlab_session *s, wlab_replay *r, bool as_left)
{
    wlab_replay *left = wlab_alloc(1, sizeof *left);

    if (!left) { /* without memory there is no `resume` */
        clear(r);
        return;
    }
    forget_marks(r);
    *left = *r;
    wlab_replay_destroy(s->left);
    s->left = left;
    s->left_at = as_left ? s->log.njournal : -1;
}

/* A presented script has come to its end, or to an error: `resume` returns to its last stop, or to that line. */
static void keep_ended(wlab_session *s, wlab_replay *r, bool failed)
{
    int len;
    const char *name = script_name(r, &len);

    if (!failed) {
        r->at = r->stop[r->nstops - 1].line;
        r->pos = r->stop[r->nstops - 1].pos;
    }
    wlab_session_say(s,
                     failed ? "%s%.*s ended at this error; `resume` returns to it, once the file is mended"
                            : "the end of %s%.*s; `resume` returns to its last stop",
                     r->lesson ? "lesson " : "", len, name);
    keep_for_resume(s, r, false);
}

/* Execute a script from its current place.  Clears r. */
static wlab_code execute_script(wlab_session *s, wlab_replay *r, int *compared, wlab_err *err)
{
    const char *slash = strrchr(r->path, '/'), *old_dir = s->now.dir;
    char *dir =
        slash ? wlab_strndup(r->path, (size_t)(slash - r->path) + (slash == r->path)) : wlab_strdup(".");
    bool left = false;
    wlab_code code = dir ? WL_OK : wlab_nomem(err);

    r->presents = s->terminal.present && !r->check;
    s->replay = r;
    s->now.dir = dir;
    r->depth = ++s->now.depth;
    if (!code)
        code = replay_lines(s, r, compared, &left, err);
    s->now.depth--;
    s->now.dir = old_dir;
    s->replay = NULL;
    wlab_free(dir);
    if (left)
        keep_for_resume(s, r, true);
    else if (r->presents && r->nstops > 0 && !s->quits && s->now.depth == 0)
        keep_ended(s, r, code != WL_OK);
    else
        clear(r);
    return code;
}

/* Execute the script `path` as `r` says, silently up to the place silent_to, silent_pos.  Clears r. */
static wlab_code run_script(wlab_session *s, wlab_replay *r, const char *path, int *compared, wlab_err *err)
{
    wlab_sink loud;
    wlab_err local;
    wlab_code code;

    if (!err)
        err = &local;
    r->path = wlab_strdup(path);
    code = r->path ? read_lines(s, path, &r->line, &r->n, err) : wlab_nomem(err);
    if (!code && r->n > 0)
        code = read_header(s, r, r->line[0], path, err);
    if (code) {
        clear(r);
        return code;
    }
    r->at = r->header ? 1 : 0;
    r->began = s->log.njournal;
    if (r->silent_to > 0)
        wlab_replay_silence(s, &loud);
    return execute_script(s, r, compared, err);
}

static wlab_code refuse_inside(const wlab_session *s, wlab_err *err)
{
    return s->replay
               ? wlab_fail(err, WL_ESTATE, "a replay or lesson is in progress and cannot contain another one")
               : WL_OK;
}

wlab_code wlab_session_replay(wlab_session *s, const char *path, bool check, double tol, double pace,
                              wlab_err *err)
{
    wlab_replay replay = {.check = check, .tol = tol, .bytes = -1, .pace = pace};
    int compared = 0;
    wlab_code code;

    if ((code = refuse_inside(s, err)))
        return code;
    if (s->held.nslots || s->held.nruns)
        return wlab_fail(err, WL_ESTATE, "a replay begins with an empty session: `new` makes one");
    code = run_script(s, &replay, path, &compared, err);
    if (!code && check)
        wlab_session_say(s,
                         compared ? "%s: %d commands replayed, %d recorded results compared, all equal%s"
                                  : "%s: %d commands replayed; it has no recorded results to compare",
                         path, replay.commands, compared,
                         replay.exact ? " bit for bit" : " (another build or machine: within the tolerance)");
    return code;
}

wlab_code wlab_session_show(wlab_session *s, const char *path, wlab_err *err)
{
    wlab_replay replay = {.bytes = -1, .pace = wlab_params_real(s->settings, "pace"), .lesson = true};
    int compared = 0;
    wlab_code code = refuse_inside(s, err);

    return code ? code : run_script(s, &replay, path, &compared, err);
}

wlab_code wlab_session_resume(wlab_session *s, wlab_err *err)
{
    wlab_replay *left = s->left, script;
    int compared = 0;
    wlab_code code = refuse_inside(s, err);

    if (code)
        return code;
    if (!left)
        return wlab_fail(err, WL_ESTATE,
                         "no lesson or replay has been left; `lesson NAME` or `replay FILE` starts one");
    s->left = NULL;
    if (left->turn) {
        script = *left;
        wlab_free(left);
        script.turn = false;
        wlab_record_command(s, "resume", NULL);
        return execute_script(s, &script, &compared, err);
    }
    if (s->log.njournal == s->left_at) { /* the session is as the user found it */
        script = *left;
        wlab_free(left);
        s->replay = &script;
        code = wlab_replay_restore_panes(s, script.at, err);
        if (!code)
            code = wlab_replay_repeat_captions(s, err);
        s->replay = NULL;
        if (code)
            clear(&script);
        return code ? code : execute_script(s, &script, &compared, err);
    }
    script = (wlab_replay){.bytes = -1,
                           .pace = left->pace,
                           .lesson = left->lesson,
                           .silent_to = left->at,
                           .silent_pos = left->pos};
    if (!wlab_session_is_empty(s))
        code = wlab_session_line(s, "new", WL_FROM_SCRIPT, NULL, 0, err);
    if (!code)
        code = run_script(s, &script, left->path, &compared, err);
    if (code && !s->left) /* it can be tried again */
        s->left = left;
    else
        wlab_replay_destroy(left);
    return code;
}

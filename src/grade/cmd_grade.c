/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * grade: students' recorded sessions against an exercise, as a table.
 */
#include "base/file.h"
#include "base/list.h"
#include "grade/grade.h"
#include "lang/phrase.h"
#include "plot/draw/child.h"
#include "plot/draw/temporary.h"
#include "session/complete/complete.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    POLL_MS = 50,
    MOST_OUTPUT = 1 << 20, /* bytes that the process of one file may write */
    WAITING = 20           /* so many times the processor time may pass on the clock */
};

typedef struct result {
    char *answer, *value;
    const char *verdict; /* "held", "not", "missing", "edited" */
} result;

typedef struct student {
    const char *path;
    result *item; /* [items of the exercise] */
    char *note;
    int points;
} student;

typedef struct grading {
    const wlab_session *s;
    const char *path; /* of the exercise */
    wlab_worksheet exercise;
    const wlab_worksheet_line **item; /* [exercise.items] */
    char **file;
    int files;
    student *student; /* [files] */
    int64_t seconds;
    char **argument; /* of each process: see grader.c; the second is the student's file, the third a folder */
    int arguments;
} grading;

static const char *const verdicts[] = {"held", "not", "edited", "missing"};
enum {
    MISSING = 3
};

/* ---- files ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The recorded sessions in a folder, by name, but for the exercise. */
static wlab_code add_folder(grading *g, const char *path, wlab_err *err)
{
    const int before = g->files;
    struct stat of, st;
    DIR *d = opendir(path);
    wlab_code code = d ? WL_OK : wlab_fail_errno(err, "cannot read the folder '%.300s'", path);
    const bool known = stat(g->path, &of) == 0;

    for (struct dirent *e; !code && (e = readdir(d));) {
        const size_t len = strlen(e->d_name);
        char *at = len > 5 && strcmp(e->d_name + len - 5, ".wlab") == 0 && e->d_name[0] != '.'
                       ? wlab_format("%s/%s", path, e->d_name)
                       : NULL;
        if (at && lstat(at, &st) == 0 && S_ISREG(st.st_mode) &&
            !(known && st.st_dev == of.st_dev && st.st_ino == of.st_ino))
            code = wlab_list_add(&g->file, &g->files, at, err);
        else
            wlab_free(at);
    }
    if (d)
        closedir(d);
    if (g->files > before)
        qsort(g->file + before, (size_t)(g->files - before), sizeof *g->file, by_name);
    else if (!code)
        code = wlab_fail(err, WL_EIO, "the folder '%.300s' has no recorded sessions (*.wlab)", path);
    return code;
}

static wlab_code add_files(grading *g, char *const *word, int n, wlab_err *err)
{
    struct stat st;
    wlab_code code = WL_OK;

    for (int i = 0; i < n && !code; i++)
        if (stat(word[i], &st) != 0)
            code = wlab_fail_errno(err, "cannot open '%.300s'", word[i]);
        else
            code = S_ISDIR(st.st_mode) ? add_folder(g, word[i], err)
                                       : wlab_list_add(&g->file, &g->files, wlab_strdup(word[i]), err);
    return code;
}

/* ---- one student ---- */

static wlab_code set_text(char **to, const char *text)
{
    char *copy = wlab_strdup(text ? text : "");

    if (!copy)
        return WL_ENOMEM;
    wlab_free(*to);
    *to = copy;
    return WL_OK;
}

/* Adds a sentence to the note of a student. */
static wlab_code add_note(student *st, const char *text)
{
    char *both = wlab_format("%s%s%s", st->note ? st->note : "", st->note ? "; " : "", text);

    if (!both)
        return WL_ENOMEM;
    wlab_free(st->note);
    st->note = both;
    return WL_OK;
}

static wlab_code take_line(const grading *g, student *st, const char *line, bool *done)
{
    json_t *o = json_loads(line, 0, NULL);
    const char *said = json_string_value(json_object_get(o, "note"));
    const int item = (int)json_integer_value(json_object_get(o, "item"));
    wlab_code code = WL_OK;

    if (said)
        code = add_note(st, said);
    else if (item >= 1 && item <= g->exercise.items) {
        result *r = &st->item[item - 1];
        const char *verdict = json_string_value(json_object_get(o, "verdict"));
        code = set_text(&r->answer, json_string_value(json_object_get(o, "answer")));
        code = code ? code : set_text(&r->value, json_string_value(json_object_get(o, "value")));
        for (size_t k = 0; verdict && k < sizeof verdicts / sizeof *verdicts; k++)
            if (strcmp(verdicts[k], verdict) == 0)
                r->verdict = verdicts[k];
    }
    *done = *done || json_is_true(json_object_get(o, "done"));
    json_decref(o);
    return code;
}

/* Reads what the process writes until it ends; kills it at an interrupt, or if it writes or waits too long. */
static wlab_code read_all(int fd, pid_t pid, int64_t seconds, wlab_buf *out, const wlab_ctx *ctx,
                          wlab_err *err)
{
    const time_t end = time(NULL) + (time_t)(seconds * WAITING);
    char piece[4096];
    wlab_code code = WL_OK;

    for (;;) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        const int ready = poll(&p, 1, POLL_MS);
        const ssize_t n = ready > 0 ? read(fd, piece, sizeof piece) : -1;

        if (ready > 0 && n == 0)
            break;
        if (ready > 0 && n < 0 && errno != EINTR)
            code = wlab_fail_errno(err, "cannot read what the grading of a file says");
        if (n > 0 && wlab_buf_put(out, piece, (size_t)n))
            code = wlab_nomem(err);
        if (!code && wlab_interrupted(ctx))
            code = wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        if (code || out->len > MOST_OUTPUT || time(NULL) > end) {
            (void)kill(pid, SIGKILL);
            break;
        }
    }
    return code;
}

static wlab_code note_end(student *st, int status, bool done, int64_t seconds)
{
    char text[140] = "";

    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
        snprintf(text, sizeof text, "stopped after %lld s of processor time: later items are missing",
                 (long long)seconds);
    else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        snprintf(text, sizeof text,
                 "stopped, as it took too long, too much memory, or said too much: later items are "
                 "missing");
    else if (WIFSIGNALED(status))
        snprintf(text, sizeof text, "the session was ended by signal %d: later items are missing",
                 WTERMSIG(status));
    else if (!done && !st->note)
        snprintf(text, sizeof text, "the file could not be graded");
    return text[0] ? add_note(st, text) : WL_OK;
}

static wlab_code start(const grading *g, pid_t *pid, int *out, wlab_err *err)
{
    int both[2], none = open("/dev/null", O_RDWR | O_CLOEXEC);
    wlab_code code = WL_OK;

    *out = -1;
    if (none < 0 || pipe2(both, O_CLOEXEC) != 0) {
        code = wlab_fail_errno(err, "cannot start the grading of a file");
        if (none >= 0)
            close(none);
        return code;
    }
    const int bad =
        wlab_child_start(pid, "/proc/self/exe", g->argument, NULL, (int[]){none, both[1], none}, 3);
    if (bad) {
        errno = bad;
        code = wlab_fail_errno(err, "cannot start the grading of a file");
        close(both[0]);
    } else {
        *out = both[0];
    }
    close(both[1]);
    close(none);
    return code;
}

static wlab_code grade_one(grading *g, student *st, const wlab_ctx *ctx, wlab_err *err)
{
    char *folder;
    wlab_buf out = {0};
    bool done = false;
    int fd = -1, status = 0;
    pid_t pid = 0;
    wlab_code code = wlab_temporary_make("grade", &folder, err);

    if (code)
        return code;
    code = set_text(&g->argument[3], st->path) || set_text(&g->argument[4], folder)
               ? wlab_nomem(err)
               : start(g, &pid, &fd, err);
    if (!code) {
        code = read_all(fd, pid, g->seconds, &out, ctx, err);
        close(fd);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
    }
    if (!code && wlab_buf_put(&out, "", 1))
        code = wlab_nomem(err);
    for (char *line = code ? NULL : (char *)out.data, *next; line && *line && !code; line = next) {
        const size_t len = strcspn(line, "\n");
        next = line[len] ? line + len + 1 : line + len;
        line[len] = '\0';
        code = take_line(g, st, line, &done) ? wlab_nomem(err) : WL_OK;
    }
    if (!code && note_end(st, status, done, g->seconds))
        code = wlab_nomem(err);
    for (int i = 0; i < g->exercise.items; i++)
        st->points += strcmp(st->item[i].verdict, verdicts[0]) == 0;
    wlab_buf_clear(&out);
    wlab_file_remove_folder(folder);
    wlab_free(folder);
    return code;
}

static wlab_code grade_all(void *data, wlab_ctx *ctx, wlab_err *err)
{
    grading *g = data;
    wlab_code code = WL_OK;

    for (int k = 0; k < g->files && !code; k++) {
        wlab_event event = {.kind = WL_EV_PROGRESS, .done = k, .total = g->files, .text = "files"};
        if (ctx->emit)
            ctx->emit(ctx->sink, &event);
        code = grade_one(g, &g->student[k], ctx, err);
    }
    return code;
}

/* ---- the table ---- */

/* A cell of CSV.  The text may be a stranger's: it acts neither on a terminal nor, as a formula, on a spreadsheet. */
static wlab_code put_cell(wlab_buf *out, const char *text, bool last)
{
    char *inert = wlab_text_inert(text ? text : "");
    double number;
    bool bad = !inert, quote = false;

    if (!bad) {
        for (char *p = inert; *p; p++)
            *p = *p == '\n' || *p == '\r' || *p == '\t' ? ' ' : *p;
        const bool formula = *inert && strchr("=+-@ ", *inert) && !wlab_parse_real(inert, &number);
        quote = strpbrk(inert, ",;\"'") || formula;
        bad = wlab_buf_printf(out, "%s%s", quote ? "\"" : "", formula ? "'" : "");
        for (const char *p = inert; *p && !bad; p++)
            bad = wlab_buf_printf(out, *p == '"' ? "\"%c" : "%c", *p);
        bad = bad || wlab_buf_printf(out, "%s%s", quote ? "\"" : "", last ? "\n" : ",");
    }
    wlab_free(inert);
    return bad ? WL_ENOMEM : WL_OK;
}

static wlab_code put_number(wlab_buf *out, int n)
{
    return wlab_buf_printf(out, "%d,", n);
}

/* One row per student, one column per item. */
static bool put_students(const grading *g, wlab_buf *out)
{
    bool bad = put_cell(out, "file", false) != WL_OK;

    for (int i = 0; i < g->exercise.items && !bad; i++)
        bad = wlab_buf_printf(out, "%d %s,", i + 1, g->item[i]->command->name);
    bad = bad || wlab_buf_printf(out, "points,of,note\n");
    for (int k = 0; k < g->files && !bad; k++) {
        const student *st = &g->student[k];
        bad = put_cell(out, st->path, false);
        for (int i = 0; i < g->exercise.items && !bad; i++)
            bad = put_cell(out, st->item[i].verdict, false);
        bad = bad || put_number(out, st->points) || put_number(out, g->exercise.items) ||
              put_cell(out, st->note, true);
    }
    return bad;
}

/* What an item asks: the question, or the condition. */
static wlab_code put_asked(wlab_buf *out, const wlab_worksheet_line *l)
{
    wlab_phrase w = {0};
    size_t pos = 0;
    bool more;
    wlab_code code = wlab_phrase_read(&w, l->text, &pos, &more, NULL);

    code =
        code ? code : put_cell(out, (l->command->flags & WL_C_ASKS) && w.n > 0 ? w.word[0] : w.rest, false);
    wlab_phrase_clear(&w);
    return code;
}

/* One row per student and item. */
static bool put_items(const grading *g, wlab_buf *out)
{
    bool bad = wlab_buf_printf(out, "file,item,line,kind,asked,answer,value,verdict,points\n");

    for (int k = 0; k < g->files && !bad; k++)
        for (int i = 0; i < g->exercise.items && !bad; i++) {
            const result *r = &g->student[k].item[i];
            bad = put_cell(out, g->student[k].path, false) || put_number(out, i + 1) ||
                  put_number(out, (int)g->item[i]->line) || put_cell(out, g->item[i]->command->name, false) ||
                  put_asked(out, g->item[i]) || put_cell(out, r->answer, false) ||
                  put_cell(out, r->value, false) || put_cell(out, r->verdict, false) ||
                  wlab_buf_printf(out, "%d\n", strcmp(r->verdict, verdicts[0]) == 0);
        }
    return bad;
}

static void put_objects(wlab_session *s, const grading *g)
{
    for (int k = 0; k < g->files; k++) {
        const student *st = &g->student[k];
        json_t *items = json_array();
        for (int i = 0; i < g->exercise.items; i++)
            json_array_append_new(
                items,
                json_pack("{s:i, s:s, s:o, s:o, s:s}", "item", i + 1, "kind", g->item[i]->command->name,
                          "answer", wlab_json_text(st->item[i].answer ? st->item[i].answer : ""), "value",
                          wlab_json_text(st->item[i].value ? st->item[i].value : ""), "verdict",
                          st->item[i].verdict));
        wlab_session_object(s,
                            json_pack("{s:s, s:o, s:o, s:i, s:i, s:o}", "type", "grade", "file",
                                      wlab_json_text(st->path), "items", items, "points", st->points, "of",
                                      g->exercise.items, "note", wlab_json_text(st->note ? st->note : "")));
    }
}

static wlab_code write_table(wlab_session *s, const grading *g, bool items, const char *to, wlab_err *err)
{
    static const char *const allowed[] = {"csv", NULL};
    wlab_output *file = NULL;
    wlab_buf out = {0};
    wlab_code code = (items ? put_items(g, &out) : put_students(g, &out)) || wlab_buf_put(&out, "", 1)
                         ? wlab_nomem(err)
                         : WL_OK;

    if (!code && to) {
        code = wlab_output_open(&file, s, to, allowed, err);
        if (!code) {
            code = wlab_output_write(file, out.data, out.len - 1, err);
            wlab_code closed = wlab_output_close(file, !code, code ? NULL : err);
            code = code ? code : closed;
        }
        if (!code)
            wlab_session_say(s, "%d file%s graded by %d items: %s", g->files, wlab_plural(g->files),
                             g->exercise.items, to);
    } else if (!code) {
        wlab_session_print(s, "%s", (const char *)out.data);
    }
    if (!code)
        put_objects(s, g);
    wlab_buf_clear(&out);
    return code;
}

/* ---- the command ---- */

static wlab_code prepare(grading *g, wlab_err *err)
{
    g->item = wlab_alloc((size_t)g->exercise.items + 1, sizeof *g->item);
    g->student = wlab_calloc((size_t)g->files + 1, sizeof *g->student);
    if (!g->item || !g->student)
        return wlab_nomem(err);
    for (int i = 0; i < g->exercise.n; i++)
        if (g->exercise.line[i].item)
            g->item[g->exercise.line[i].item - 1] = &g->exercise.line[i];
    for (int k = 0; k < g->files; k++) {
        student *st = &g->student[k];
        st->path = g->file[k];
        st->item = wlab_calloc((size_t)g->exercise.items, sizeof *st->item);
        if (!st->item)
            return wlab_nomem(err);
        for (int i = 0; i < g->exercise.items; i++)
            st->item[i].verdict = verdicts[MISSING];
    }
    return WL_OK;
}

/* The arguments of the processes; the folder of the exercise is the first one of data. */
static wlab_code make_arguments(grading *g, wlab_err *err)
{
    const char *slash = strrchr(g->path, '/');
    wlab_places places;
    wlab_code code = WL_OK;

    wlab_session_places(g->s, &places);
    char *const first[] = {wlab_strdup("weaklab"),
                           wlab_strdup(WLAB_GRADER),
                           wlab_strdup(g->path),
                           wlab_strdup(""), /* the student's file, and the folder: grade_one */
                           wlab_strdup(""),
                           wlab_format("%lld", (long long)g->seconds),
                           wlab_format("%llu", (unsigned long long)wlab_session_seed(g->s)),
                           slash ? wlab_strndup(g->path, (size_t)(slash - g->path) + (slash == g->path))
                                 : wlab_strdup(".")};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
        wlab_code added = wlab_list_add(&g->argument, &g->arguments, first[i], err);
        code = code ? code : added;
    }
    for (int i = 0; places.data_dirs[i] && !code; i++)
        code = wlab_list_add(&g->argument, &g->arguments, wlab_strdup(places.data_dirs[i]), err);
    char **grown = code ? NULL : wlab_realloc(g->argument, (size_t)g->arguments + 1, sizeof *grown);
    if (!code && !grown)
        return wlab_nomem(err);
    if (grown) {
        g->argument = grown;
        grown[g->arguments] = NULL;
    }
    return code;
}

static void clear(grading *g)
{
    for (int k = 0; g->student && k < g->files; k++) {
        for (int i = 0; g->student[k].item && i < g->exercise.items; i++) {
            wlab_free(g->student[k].item[i].answer);
            wlab_free(g->student[k].item[i].value);
        }
        wlab_free(g->student[k].item);
        wlab_free(g->student[k].note);
    }
    wlab_list_free(g->argument, g->arguments);
    wlab_list_free(g->file, g->files);
    wlab_free(g->student);
    wlab_free(g->item);
    wlab_worksheet_clear(&g->exercise);
}

static wlab_code execute(wlab_session *s, const wlab_args *a, wlab_err *err)
{
    const bool writes = a->nwords >= 4 && strcmp(a->word[a->nwords - 2], "to") == 0;
    const int files = a->nwords - 1 - (writes ? 2 : 0);
    grading g = {.s = s, .seconds = wlab_params_int(a->params, "limit")};
    char *path = NULL;
    wlab_code code;

    if (files < 1)
        return wlab_fail(
            err, WL_EARG,
            "grade takes an exercise and recorded sessions, or folders of them: `grade exercise.wlab "
            "answers/ to table.csv`");
    code = wlab_session_record_as(s, err, NULL); /* it is about other sessions */
    code = code ? code : wlab_session_find_script(s, a->word[0], &path, err);
    g.path = path;
    code = code ? code : wlab_worksheet_read(&g.exercise, s, path, err);
    code = code ? code : wlab_worksheet_check(&g.exercise, path, err);
    code = code ? code : add_files(&g, a->word + 1, files, err);
    code = code ? code : prepare(&g, err);
    code = code ? code : make_arguments(&g, err);
    code = code ? code : wlab_session_call(s, grade_all, &g, err);
    code = code ? code
                : write_table(s, &g, wlab_params_choice(a->params, "items") == 1,
                              writes ? a->word[a->nwords - 1] : NULL, err);
    clear(&g);
    wlab_free(path);
    return code;
}

static const wlab_param_info params[] = {
    {.name = "items",
     .type = WL_P_CHOICE,
     .fallback = "no",
     .choices = (const char *const[]){"no", "yes", NULL},
     .meaning =
         "yes: one row per student and item, with question, answer and value; no: one row per student"},
    {.name = "limit",
     .type = WL_P_INT,
     .fallback = "60",
     .lo = 1,
     .hi = 86400,
     .unit = "seconds",
     .meaning = "processor time for each file"},
    {.name = NULL},
};

static void offer(wlab_offers *o, const wlab_session *s)
{
    wlab_offers_files(o, s, WL_FILES_SCRIPTS, "");
    if (o->typed->nwords > 1)
        wlab_offers_add(o, "to", NULL, "the file of the table follows", 0);
}

static const wlab_command command = {
    .name = "grade",
    .usage = "grade EXERCISE ANSWER... [to FILE.csv] [items=yes] [limit=SECONDS]",
    .summary = "grade students' recorded sessions by an exercise, as a table",
    .help =
        "EXERCISE is a script with `ask`, `choose`, `expect` and `turn`; each ANSWER a session that a "
        "student recorded "
        "of it, or a folder of them. The program executes the exercise, with the student's answers and the "
        "commands of the student's turns, and writes a table in CSV: for each student a row with a verdict "
        "for each item (held, "
        "not, missing, or edited after it was recorded), the points, and a note: where the file parts from "
        "the exercise, what "
        "it must not do, what was changed in it. items=yes has a row for each item, with the answer and the "
        "value.\n"
        "\n"
        "A student's file is a stranger's file. Nothing else of it is executed, and in a turn only commands "
        "that work on "
        "runs: it cannot load other data, write files, or bring conditions of its own. Each file has a "
        "process "
        "of its own, with a limit of processor time and memory. `weaklab grade EXERCISE ANSWER... -o FILE` "
        "does "
        "the same from the shell.",
    .params = params,
    .flags = WL_C_SHOWS | WL_C_FILES | WL_C_SHARED,
    .execute = execute,
    .offer = offer,
};

wlab_code wlab_grade_register(wlab_session *s, wlab_err *err)
{
    static const wlab_command *const commands[] = {&command, NULL};

    return wlab_session_add_commands(s, commands, err);
}

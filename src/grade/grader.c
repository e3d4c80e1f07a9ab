/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The process of one student's file.  It executes the exercise, with the student's answers and the commands of the turns,
 * and writes what the exercise's items said: {"item":1,"answer":"48","value":"50","verdict":"held"}, {"note":"..."} for
 * the lecturer, and {"done":true} at the end.  If a limit ends the process, the lines so far remain.
 */
#include "base/list.h"
#include "grade/grade.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum {
    MOST_FILE = 64 << 20, /* bytes of a file that an exercise writes */
    MOST_OPEN = 32        /* questions between two steps */
};
static const rlim_t most_memory = (rlim_t)8 << 30;

typedef struct grader {
    wlab_session *s;
    wlab_worksheet exercise, student;
    struct {
        const wlab_worksheet_line *of, *answered; /* the exercise's line, and the student's or NULL */
    } open[MOST_OPEN];                            /* questions that the next step answers */
    int nopen;
    const wlab_worksheet_line *now;      /* the exercise's command that is executed, or NULL */
    const wlab_worksheet_line *answered; /* the student's line of it, or NULL */
    bool noted_mark, noted_error;
} grader;

/* ---- writing ---- */

static void put(json_t *o)
{
    char *text = o ? json_dumps(o, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;

    printf("%s\n", text ? text : "{}");
    fflush(stdout);
    free(text);
    json_decref(o);
}

static void note(const char *fmt, ...) WLAB_PRINTF(1, 2);
static void note(const char *fmt, ...)
{
    va_list ap;
    char text[400];

    va_start(ap, fmt);
    wlab_text_vformat(text, sizeof text, fmt, ap);
    va_end(ap);
    put(json_pack("{s:o}", "note", wlab_json_text(text)));
}

static void put_item(const wlab_worksheet_line *l, const char *answer, const char *value, const char *verdict)
{
    put(json_pack("{s:i, s:o, s:o, s:s}", "item", l->item, "answer", wlab_json_text(answer), "value",
                  wlab_json_text(value), "verdict", verdict));
}

/* ---- what the items say ---- */

static const char *text_at(const json_t *o, const char *key)
{
    const char *text = json_string_value(json_object_get(o, key));
    return text ? text : "";
}

/* The verdict on an answer: right, within; off, wrong; none. */
static const char *verdict_on(const json_t *o, const wlab_worksheet_line *answered)
{
    const char *said = text_at(o, "verdict");

    if (strcmp(said, "none") == 0 || !answered)
        return "missing";
    if (!wlab_worksheet_untouched(answered))
        return "edited";
    return strcmp(said, "right") == 0 || strcmp(said, "within") == 0 ? "held" : "not";
}

static void take_object(void *self, const json_t *o)
{
    grader *g = self;
    const char *type = text_at(o, "type");
    char value[120] = "";

    if (strcmp(type, "ask") == 0 && g->nopen > 0) {
        int k = 0;
        while (k < g->nopen && !strstr(g->open[k].of->text, text_at(o, "question")))
            k++;
        k = k < g->nopen ? k : 0;
        const wlab_worksheet_line *of = g->open[k].of, *answered = g->open[k].answered;
        memmove(g->open + k, g->open + k + 1, (size_t)(--g->nopen - k) * sizeof *g->open);
        snprintf(value, sizeof value, "%.6g", json_number_value(json_object_get(o, "value")));
        put_item(of, answered ? answered->given : "", value, verdict_on(o, answered));
    } else if (g->now && strcmp(type, "choose") == 0) {
        snprintf(value, sizeof value, "%d %s", (int)json_integer_value(json_object_get(o, "answer")),
                 text_at(o, "text"));
        put_item(g->now, g->answered ? g->answered->given : "", value, verdict_on(o, g->answered));
    } else if (g->now && strcmp(type, "expect") == 0) {
        put_item(g->now, "", text_at(o, "values"),
                 json_is_true(json_object_get(o, "holds")) ? "held" : "not");
    }
}

static void no_text(void *self, const char *text)
{
    (void)self;
    (void)text;
}

/* ---- executing ---- */

/* Compares what the command at hand has recorded now with what the student's file says; the first difference is noted. */
static void compare_marks(grader *g, const wlab_worksheet_line *l, int journal)
{
    int n, k = 0;
    char *const *line = wlab_session_journal(g->s, &n);
    wlab_digest then, now;
    char what[300] = "";

    for (int i = journal; i < n && !g->noted_mark; i++) {
        if (strncmp(line[i], "#@ run=", 7) != 0 || wlab_digest_parse(&now, line[i] + 3, NULL))
            continue;
        while (k < l->marks && strncmp(l->mark[k], "run=", 4) != 0)
            k++;
        if (k == l->marks)
            snprintf(what, sizeof what, "it has no result");
        else if (wlab_digest_parse(&then, l->mark[k++], NULL))
            snprintf(what, sizeof what, "its result cannot be read");
        else
            (void)wlab_digest_equal(&then, &now, false, 1e-6, what, sizeof what);
        if (what[0]) {
            note("line %ld: the recorded result is not that of the exercise: %s%s", l->line, what,
                 g->student.elsewhere
                     ? " (recorded by another build or on another processor, where a path can differ)"
                     : "");
            g->noted_mark = true;
        }
    }
}

static wlab_code execute(grader *g, const wlab_worksheet_line *l, const char *text,
                         const wlab_worksheet_line *marks)
{
    int journal;
    wlab_err err = {0};
    (void)wlab_session_journal(g->s, &journal);
    wlab_code code = wlab_session_line(g->s, text, WL_FROM_SCRIPT, NULL, l->line, &err);

    if (code && code != WL_EUNMET && !g->noted_error) {
        note("line %ld of %s: %s", l->line, marks == l ? "the file" : "the exercise", err.message);
        g->noted_error = true;
    }
    if (!code && marks)
        compare_marks(g, marks, journal);
    if (code && code != WL_EUNMET && (l->command->flags & WL_C_AIMS))
        put_item(l, "", err.message, "not");
    return code;
}

/* The commands of a turn that work on runs.  What only shows something is passed over; the first other command ends the turn. */
static void take_turn(grader *g, int from, int to)
{
    wlab_err err = {0};

    for (int j = from; j < to; j++) {
        const wlab_worksheet_line *l = &g->student.line[j];
        if (l->command && (l->command->flags & (WL_C_SHOWS | WL_C_READS)))
            continue;
        if (!l->command || !(l->command->flags & WL_C_OWN)) {
            note("line %ld: `%.80s` is not for a turn, which changes runs only; the turn ends before it",
                 l->line, l->text);
            break;
        }
        if (execute(g, l, l->text, l))
            break;
    }
    (void)wlab_session_set(g->s, "questions", "yes", &err);
}

static void take_item(grader *g, const wlab_worksheet_line *l, const wlab_worksheet_line *answered)
{
    char *text = answered ? wlab_format("%s given=%s", l->text, answered->given) : wlab_strdup(l->text);

    g->now = l;
    g->answered = answered;
    if ((l->command->flags & WL_C_ASKS) && g->nopen < MOST_OPEN) {
        g->open[g->nopen].of = l;
        g->open[g->nopen].answered = answered;
        g->nopen++;
        if (!text || execute(g, l, text, NULL))
            g->nopen--; /* it was not asked */
    } else if (text) {
        (void)execute(g, l, text, NULL);
    }
    g->now = NULL;
    wlab_free(text);
}

static void execute_all(grader *g, const int *hit, const int *end)
{
    int last = -1;

    for (int i = 0; i < g->exercise.n; i++)
        last = hit[i] >= 0 ? i : last;
    while (last >= 0 && last + 1 < g->exercise.n && (g->exercise.line[last + 1].command->flags & WL_C_AIMS))
        last++;
    for (int i = 0; i <= last; i++) {
        const wlab_worksheet_line *l = &g->exercise.line[i],
                                  *of = hit[i] < 0 ? NULL : &g->student.line[hit[i]];
        if (l->command->flags & WL_C_TURNS) {
            if (of)
                take_turn(g, hit[i] + 1, end[i]);
        } else if (l->item) {
            take_item(g, l, of && of->given ? of : NULL);
        } else {
            (void)execute(g, l, l->text, of);
        }
    }
}

/* ---- the process ---- */

static void limit(int what, rlim_t most)
{
    const struct rlimit both = {most, most + 1}; /* at the first limit of time comes a signal that says so */
    (void)setrlimit(what, &both);
}

/* The memory has no limit where a sanitizer needs address space of its own. */
static void limit_all(rlim_t seconds)
{
    limit(RLIMIT_CPU, seconds);
    limit(RLIMIT_FSIZE, MOST_FILE);
    limit(RLIMIT_CORE, 0);
#ifndef __SANITIZE_ADDRESS__
    limit(RLIMIT_DATA, most_memory);
#endif
}

static wlab_code grade(grader *g, const char *exercise, const char *student, wlab_err *err)
{
    wlab_code code = wlab_worksheet_read(&g->exercise, g->s, exercise, err);

    code = code ? code : wlab_worksheet_check(&g->exercise, exercise, err);
    code = code ? code : wlab_worksheet_read(&g->student, g->s, student, err);
    if (code)
        return code;
    int *hit = wlab_alloc((size_t)g->exercise.n, sizeof *hit),
        *end = wlab_alloc((size_t)g->exercise.n, sizeof *end);
    if (hit && end) {
        const int parted = wlab_worksheet_follow(&g->exercise, &g->student, hit, end);
        if (g->student.n == 0)
            note("the file has no commands");
        else if (parted >= 0)
            note("line %ld: `%.80s` is not the exercise's command; nothing after it counts",
                 g->student.line[parted].line, g->student.line[parted].text);
        execute_all(g, hit, end);
    } else {
        code = wlab_nomem(err);
    }
    wlab_free(hit);
    wlab_free(end);
    return code;
}

int wlab_grader(int argc, char **argv, const wlab_places *outer, wlab_grade_opens open)
{
    grader g = {0};
    const wlab_sink sink = {
        .text = no_text, .message = no_text, .object = take_object, .json = true, .self = &g};
    wlab_places places = *outer;
    wlab_err err = {0};
    int64_t seconds, seed;
    wlab_code code;

    if (argc != WLAB_GRADER_WORDS || !wlab_parse_int(argv[3], &seconds) || !wlab_parse_int(argv[4], &seed))
        return 2;
    limit_all((rlim_t)seconds);
    places.out_dir = argv[2];
    code = open(&g.s, &sink, &places, (uint64_t)seed, &err);
    code = code ? code : grade(&g, argv[0], argv[1], &err);
    if (code)
        note("%s", err.message);
    else
        put(json_pack("{s:b}", "done", 1));
    wlab_session_destroy(g.s);
    wlab_worksheet_clear(&g.exercise);
    wlab_worksheet_clear(&g.student);
    return code ? 1 : 0;
}

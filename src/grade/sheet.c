/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reading exercises and students' files, and following the one in the other.  A student's file is a stranger's file: nothing
 * of it is executed here.
 */
#include "base/list.h"
#include "base/sha256.h"
#include "grade/grade.h"
#include "lang/phrase.h"
#include "session/session.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MOST_BYTES = 4 << 20
};

static const char resumes[] = "resume", answers[] = " given=";

/* ---- reading ---- */

static const wlab_command *command_of(const wlab_session *s, const char *name)
{
    for (const wlab_command *const *c = wlab_session_commands(s); *c; c++)
        if (strcmp((*c)->name, name) == 0)
            return *c;
    return NULL;
}

static unsigned flags_of(const wlab_worksheet_line *l)
{
    return l->command ? l->command->flags : 0;
}

/* Talks or changes the screen, and asks nothing: an exercise whose captions were improved is still the same one. */
static bool only_talks(const wlab_command *c)
{
    return c && !(c->flags & (WL_C_ASKS | WL_C_AIMS | WL_C_TURNS)) &&
           (c->flags & (WL_C_SAYS | WL_C_WAITS | WL_C_SCREEN | WL_C_READS));
}

/* Cuts given=ANSWER off the end of a question, where the recorder puts it. */
static wlab_code cut_answer(wlab_worksheet_line *l)
{
    char *at = NULL;
    const char *value;

    for (char *p = l->text; (p = strstr(p, answers)); p++)
        at = p;
    value = at ? at + sizeof answers - 1 : NULL;
    if (!at || !*value ||
        value[strspn(value, "0123456789.+-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")])
        return WL_OK;
    if (strcmp(value, "none") != 0 && !(l->given = wlab_strdup(value)))
        return WL_ENOMEM;
    *at = '\0';
    return WL_OK;
}

static void clear_line(wlab_worksheet_line *l)
{
    wlab_list_free(l->mark, l->marks);
    wlab_free(l->text);
    wlab_free(l->given);
    wlab_free(l->check);
}

static wlab_code add_command(wlab_worksheet *s, const wlab_session *session, const wlab_phrase *w,
                             long number)
{
    wlab_worksheet_line l = {.line = number, .command = command_of(session, w->name)};
    wlab_worksheet_line *grown;

    if (only_talks(l.command))
        return WL_OK;
    grown = wlab_realloc(s->line, (size_t)s->n + 1, sizeof *grown);
    if (!grown)
        return WL_ENOMEM;
    s->line = grown;
    l.text = wlab_format("%s%s%s", w->name, *w->rest ? " " : "", w->rest);
    if (!l.text || ((flags_of(&l) & WL_C_ASKS) && cut_answer(&l))) {
        clear_line(&l);
        return WL_ENOMEM;
    }
    if (flags_of(&l) & (WL_C_ASKS | WL_C_AIMS))
        l.item = ++s->items;
    s->line[s->n++] = l;
    return WL_OK;
}

static wlab_code add_mark(wlab_worksheet *s, const char *mark)
{
    wlab_worksheet_line *l = s->n > 0 ? &s->line[s->n - 1] : NULL;
    static const char check[] = "given check=";

    if (!l)
        return WL_OK;
    if (strncmp(mark, check, sizeof check - 1) == 0) {
        wlab_free(l->check);
        return (l->check = wlab_strdup(mark + sizeof check - 1)) ? WL_OK : WL_ENOMEM;
    }
    return wlab_list_add(&l->mark, &l->marks, wlab_strdup(mark), NULL);
}

static wlab_code add_line(wlab_worksheet *s, const wlab_session *session, const char *line, long number)
{
    size_t pos = 0;
    bool more = true;
    wlab_code code = WL_OK;

    if (number == 1 && wlab_session_recorded_elsewhere(session, line))
        s->elsewhere = true;
    if (strncmp(line, "#@ ", 3) == 0)
        return add_mark(s, line + 3);
    while (more && !code) {
        wlab_phrase w = {0};
        if (wlab_phrase_read(&w, line, &pos, &more, NULL)) { /* malformed: a command that nothing matches */
            wlab_phrase bad = {.name = (char[]){"?"}, .rest = (char[]){""}};
            wlab_phrase_clear(&w);
            return add_command(s, session, &bad, number);
        }
        if (w.name)
            code = add_command(s, session, &w, number);
        wlab_phrase_clear(&w);
    }
    return code;
}

wlab_code wlab_worksheet_read(wlab_worksheet *s, const wlab_session *session, const char *path, wlab_err *err)
{
    struct stat st;
    char *line = NULL;
    size_t cap = 0;
    ssize_t len;
    long number = 0;
    wlab_code code = WL_OK;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    FILE *in = fd >= 0 ? fdopen(fd, "r") : NULL;

    *s = (wlab_worksheet){0};
    if (!in) {
        code = wlab_fail_errno(err, "cannot open '%.300s'", path);
        if (fd >= 0)
            close(fd);
        return code;
    }
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        code = wlab_fail(err, WL_EIO, "'%.300s' is not an ordinary file", path);
    else if (st.st_size > MOST_BYTES)
        code = wlab_fail(err, WL_EIO, "'%.300s' is larger than %d MB: no recorded session of an exercise",
                         path, MOST_BYTES >> 20);
    while (!code && (len = getline(&line, &cap, in)) >= 0) {
        number++;
        while (len > 0 && (line[len - 1] == '\n' || line[len - 1] == '\r'))
            line[--len] = '\0';
        if (strlen(line) != (size_t)len)
            code = wlab_fail_at(err, path, number, (long)strlen(line) + 1,
                                "a byte of value 0: this is not text");
        else if (add_line(s, session, line, number))
            code = wlab_nomem(err);
    }
    if (!code && ferror(in))
        code = wlab_fail_errno(err, "cannot read '%.300s'", path);
    free(line);
    fclose(in);
    if (code)
        wlab_worksheet_clear(s);
    return code;
}

void wlab_worksheet_clear(wlab_worksheet *s)
{
    for (int i = 0; i < s->n; i++)
        clear_line(&s->line[i]);
    wlab_free(s->line);
    *s = (wlab_worksheet){0};
}

wlab_code wlab_worksheet_check(const wlab_worksheet *s, const char *path, wlab_err *err)
{
    for (int i = 0; i < s->n; i++) {
        const wlab_worksheet_line *l = &s->line[i];
        if (!l->command)
            return wlab_fail_at(err, path, l->line, 0, "no command \"%.40s\"", l->text);
        if (strcmp(l->command->name, "source") == 0)
            return wlab_fail_at(err, path, l->line, 0,
                                "an exercise is one file: put the commands here in place of `%.60s`",
                                l->text);
    }
    return s->items ? WL_OK
                    : wlab_fail_at(err, path, 1, 0,
                                   "this is no exercise: it has neither `ask` nor `choose` nor `expect`");
}

bool wlab_worksheet_untouched(const wlab_worksheet_line *l)
{
    struct sha256_ctx sum;
    char hex[65];

    sha256_init(&sum);
    sha256_update(&sum, strlen(l->text), (const uint8_t *)l->text);
    sha256_update(&sum, sizeof answers - 1, (const uint8_t *)answers);
    sha256_update(&sum, strlen(l->given), (const uint8_t *)l->given);
    wlab_sha256_end(&sum, hex);
    return l->check && strncmp(l->check, hex, 16) == 0 && l->check[16] == '\0';
}

/* ---- following ---- */

static bool same(const wlab_worksheet_line *a, const wlab_worksheet_line *b)
{
    return strcmp(a->text, b->text) == 0;
}

/* The exercise's line from i on that the student's line is; conditions may be passed over.  n: none. */
static int find(const wlab_worksheet *e, int i, const wlab_worksheet_line *l)
{
    while (i < e->n && !same(&e->line[i], l)) {
        if (!(flags_of(&e->line[i]) & WL_C_AIMS))
            return e->n;
        i++;
    }
    return i;
}

/* The student's line after the commands of a turn that begin at j. */
static int end_of_turn(const wlab_worksheet *s, int j)
{
    while (j < s->n && strcmp(s->line[j].text, resumes) != 0 && !(flags_of(&s->line[j]) & WL_C_TURNS))
        j++;
    return j;
}

/* The first line after j from which the exercise begins anew, in a session that was emptied for it; -1: none. */
static int begins_anew(const wlab_worksheet *e, const wlab_worksheet *s, int j)
{
    for (j++; j < s->n; j++)
        if (same(&s->line[j], &e->line[0]) && (flags_of(&s->line[j - 1]) & WL_C_EMPTIES))
            return j;
    return -1;
}

static void forget(const wlab_worksheet *e, int *hit, int *end)
{
    for (int i = 0; i < e->n; i++)
        hit[i] = end[i] = -1;
}

int wlab_worksheet_follow(const wlab_worksheet *e, const wlab_worksheet *s, int *hit, int *end)
{
    int i = 0, j = 0;

    forget(e, hit, end);
    while (j < s->n && !same(&s->line[j], &e->line[0])) /* settings before the exercise */
        j++;
    if (j == s->n)
        return 0;
    while (j < s->n && i < e->n) {
        const int k = find(e, i, &s->line[j]);
        if (k == e->n) { /* the person left the exercise, and maybe returned */
            const int again = begins_anew(e, s, j);
            if (again < 0)
                return j;
            forget(e, hit, end);
            j = again;
            i = 0;
            continue;
        }
        hit[k] = j++;
        i = k + 1;
        if (flags_of(&e->line[k]) & WL_C_TURNS) {
            end[k] = end_of_turn(s, j);
            j = end[k] + (end[k] < s->n && strcmp(s->line[end[k]].text, resumes) == 0);
        }
    }
    return -1;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Results as a text file, NAME.cells: one line per cell, for version control, for other programs, and for `table`,
 * `curve` and `merge`, which read it in place of a folder.
 *
 * Lines that begin with '#' have the experiment: "# text LINE" its lines, "# data SHA256 NAME" the sums of its data
 * sets, "# plan SHA256" the sum over its cells' keys, "# oracle yes" that parameters were chosen with true labels.  Then there is a line with the names of the columns and one line
 * per cell, with tabs between the columns.  The keys are not written, since they follow from the experiment and its
 * data.  Sessions and the candidates of `tune` are not written either; `sweep` in a new folder computes them again.
 */
#include "base/list.h"
#include "base/locale.h"
#include "study/store/sql.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char first_line[] = "# results of weaklab, format 1";

/* The columns before the scores. */
static const char *const column[] = {"number",  "data",       "setting", "method",  "seed",
                                     "fold",    "status",     "iter",    "seconds", "tuning_seconds",
                                     "verdict", "parameters", "program"};
enum {
    NUMBER,
    DATA,
    SETTING,
    METHOD,
    SEED,
    FOLD,
    STATUS,
    ITER,
    SECONDS,
    TUNING_SECONDS,
    VERDICT,
    PARAMETERS,
    PROGRAM,
    COLUMNS,
    DIGITS = 10,       /* of numbers; `table` prints fewer */
    LARGEST = 64 << 20 /* bytes of a file that is read */
};

/* ---- writing ---- */

typedef struct writing {
    const wlab_experiment *e;
    const char *wanted; /* "A,B": only these scores; NULL: all */
    char **score;       /* [scores] their names, in the order in which they appear */
    int scores;
    char **program; /* [programs] version and build of the programs that computed the cells */
    int programs;
    int64_t tuned; /* number of a cell whose method has several candidates; 0: none */
    wlab_buf *out;
} writing;

static int place_of(char *const *list, int n, const char *name)
{
    int i = 0;

    while (i < n && strcmp(list[i], name) != 0)
        i++;
    return i;
}

/* Whether the list "A,B" has the name. */
static bool listed(const char *list, const char *name)
{
    const size_t len = strlen(name);

    for (const char *at = list; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, len) == 0 && (at[len] == ',' || at[len] == '\0'))
            return true;
    }
    return false;
}

static wlab_code program_of(writing *w, const wlab_result *r, int *at, wlab_err *err)
{
    char *name = wlab_format("%s %s", r->version ? r->version : "-", r->build ? r->build : "-");

    if (!name)
        return wlab_nomem(err);
    *at = place_of(w->program, w->programs, name);
    if (*at < w->programs) {
        wlab_free(name);
        return WL_OK;
    }
    return wlab_list_add(&w->program, &w->programs, name, err);
}

static wlab_code note_names(void *self, const wlab_result *r, wlab_err *err)
{
    writing *w = self;
    const char *name;
    json_t *value;
    int at;
    wlab_code code = program_of(w, r, &at, err);

    if (r->number >= 1 && r->number <= w->e->cells && !r->error &&
        w->e->method[w->e->cell[r->number - 1].method].candidates > 1)
        w->tuned = r->number;
    json_object_foreach(r->scores, name, value)
    {
        if (!code && (!w->wanted || listed(w->wanted, name)) &&
            place_of(w->score, w->scores, name) == w->scores)
            code = wlab_list_add(&w->score, &w->scores, wlab_strdup(name), err);
    }
    return code;
}

/* A text as one field: tabs and line ends become blanks. */
static wlab_code put_field(wlab_buf *out, const char *text, wlab_err *err)
{
    wlab_code code = wlab_buf_put(out, "\t", 1);

    for (; !code && text && *text; text++)
        code = wlab_buf_put(out, (unsigned char)*text < ' ' ? " " : text, 1);
    return code ? wlab_nomem(err) : WL_OK;
}

/* NaN: an empty field. */
static wlab_code put_number(wlab_buf *out, double x, int digits, wlab_err *err)
{
    char text[64] = "";

    if (!isnan(x))
        (void)wlab_print(text, sizeof text, "%.*g", digits, x);
    return put_field(out, text, err);
}

static wlab_code put_cell(void *self, const wlab_result *r, wlab_err *err)
{
    writing *w = self;
    const wlab_cell *c = r->number >= 1 && r->number <= w->e->cells ? &w->e->cell[r->number - 1] : NULL;
    int program = 0;
    wlab_code code = program_of(w, r, &program, err);

    if (!c)
        return wlab_fail(err, WL_EINPUT, "the results hold cell %lld, which the experiment does not have",
                         (long long)r->number);
    if (!code && wlab_buf_printf(w->out, "%lld", (long long)r->number))
        code = wlab_nomem(err);
    code = code ? code : put_field(w->out, w->e->data[c->data].name, err);
    code = code ? code : put_field(w->out, w->e->setting[c->setting].name, err);
    code = code ? code : put_field(w->out, w->e->method[c->method].name, err);
    if (!code && wlab_buf_printf(w->out, "\t%lld\t%d", (long long)c->seed, c->fold))
        code = wlab_nomem(err);
    code = code ? code : put_field(w->out, r->error ? r->error : "done", err);
    if (!code && wlab_buf_printf(w->out, "\t%lld", (long long)r->iter))
        code = wlab_nomem(err);
    code = code ? code : put_number(w->out, r->seconds, 4, err);
    code = code ? code : put_number(w->out, r->tuning_seconds, 4, err);
    code = code ? code : put_field(w->out, r->verdict, err);
    code = code ? code : put_field(w->out, r->parameters, err);
    if (!code && wlab_buf_printf(w->out, "\t%d", program + 1))
        code = wlab_nomem(err);
    for (int i = 0; !code && i < w->scores; i++) {
        const json_t *x = json_object_get(r->scores, w->score[i]);
        code = put_number(w->out, json_is_number(x) ? json_number_value(x) : (double)NAN, DIGITS, err);
    }
    return code || !wlab_buf_put(w->out, "\n", 1) ? code : wlab_nomem(err);
}

static wlab_code put_head(writing *w, bool oracle, wlab_err *err)
{
    const wlab_experiment *e = w->e;
    wlab_buf *out = w->out;
    wlab_code code =
        wlab_buf_printf(out, "%s\n# path %s\n# plan %s\n", first_line, e->path ? e->path : "-", e->plan);
    char ratio[64];

    if (!code && !isnan(e->test_ratio)) {
        (void)wlab_print(ratio, sizeof ratio, "%.17g", e->test_ratio);
        code = wlab_buf_printf(out, "# ratio %s\n", ratio);
    }
    if (!code && oracle)
        code = wlab_buf_printf(out, "# oracle yes\n");
    for (int i = 0; !code && i < e->ndata; i++)
        code = wlab_buf_printf(out, "# data %s %s\n", e->data[i].sha256[0] ? e->data[i].sha256 : "-",
                               e->data[i].name);
    for (int i = 0; !code && i < w->programs; i++)
        code = wlab_buf_printf(out, "# program %s\n", w->program[i]);
    for (const char *line = e->text; !code && *line;) {
        const int len = (int)strcspn(line, "\n");
        code = wlab_buf_printf(out, "# text %.*s\n", len, line);
        line += len + (line[len] == '\n');
    }
    for (int i = 0; !code && i < COLUMNS; i++)
        code = wlab_buf_printf(out, "%s%s", i ? "\t" : "", column[i]);
    for (int i = 0; !code && i < w->scores; i++)
        code = wlab_buf_printf(out, "\t%s", w->score[i]);
    return code || wlab_buf_put(out, "\n", 1) ? wlab_nomem(err) : WL_OK;
}

wlab_code wlab_archive_write(const wlab_store *store, const char *scores, wlab_buf *out, wlab_err *err)
{
    wlab_experiment *e = NULL;
    writing w = {.wanted = scores, .out = out};
    bool oracle = false;
    wlab_code code = wlab_store_experiment(store, &e, err);

    w.e = e;
    code = code ? code : wlab_store_each(store, note_names, &w, err);
    if (!code && w.tuned)
        code = wlab_store_oracle(store, w.tuned, &oracle, err);
    code = code ? code : put_head(&w, oracle, err);
    code = code ? code : wlab_store_each(store, put_cell, &w, err);
    wlab_list_free(w.score, w.scores);
    wlab_list_free(w.program, w.programs);
    wlab_experiment_free(e);
    return code;
}

/* ---- reading ---- */

typedef struct reading {
    wlab_store *store;
    char *line, *next; /* the current line, and the rest of the file */
    long at;           /* its number */
    wlab_buf text;     /* the experiment's lines */
    char *path, *plan;
    char **sum; /* [sums] "SHA256 NAME" */
    int sums;
    char **program; /* [programs] "VERSION BUILD" */
    int programs;
    double ratio;
    json_t *tuning; /* of every tuned cell, or NULL */
    wlab_experiment *e;
    char **score; /* [scores] borrowed */
    int scores;
    char **field; /* [COLUMNS + scores] borrowed, of the current line */
} reading;

static wlab_code fail_at(const reading *r, wlab_err *err, const char *what)
{
    return wlab_fail(err, WL_EINPUT, "%.300s:%ld: %s", r->store->path, r->at, what);
}

static bool next_line(reading *r)
{
    if (!r->next || !*r->next)
        return false;
    r->line = r->next;
    r->next = strchr(r->line, '\n');
    if (r->next)
        *r->next++ = '\0';
    r->at++;
    return true;
}

/* The text after "# WORD ", or NULL. */
static char *after(char *line, const char *word)
{
    const size_t len = strlen(word);

    return strncmp(line + 2, word, len) == 0 && line[len + 2] == ' ' ? line + len + 3 : NULL;
}

static wlab_code read_head(reading *r, wlab_err *err)
{
    wlab_code code = WL_OK;

    if (!next_line(r) || strcmp(r->line, first_line) != 0)
        return wlab_fail(err, WL_EINPUT, "'%.300s' is not a file of results: it does not begin with \"%s\"",
                         r->store->path, first_line);
    while (!code && next_line(r) && r->line[0] == '#') {
        char *rest = r->line[1] == ' ' ? r->line + 2 : NULL;

        if (!rest)
            code = fail_at(r, err, "a line that begins with # has no word");
        else if ((rest = after(r->line, "text")))
            code = wlab_buf_printf(&r->text, "%s\n", rest) ? wlab_nomem(err) : WL_OK;
        else if ((rest = after(r->line, "path")))
            r->path = rest;
        else if ((rest = after(r->line, "plan")))
            r->plan = rest;
        else if ((rest = after(r->line, "ratio")))
            r->ratio = wlab_strtod(rest, NULL);
        else if (after(r->line, "oracle") && !r->tuning)
            code = (r->tuning = json_pack("{s:b}", "oracle", 1)) ? WL_OK : wlab_nomem(err);
        else if ((rest = after(r->line, "data")))
            code = wlab_list_add(&r->sum, &r->sums, wlab_strdup(rest), err);
        else if ((rest = after(r->line, "program")))
            code = wlab_list_add(&r->program, &r->programs, wlab_strdup(rest), err);
    }
    if (!code && (!r->line || r->line[0] == '#' || !r->text.len))
        code = fail_at(r, err, "the file ends before its cells");
    return code;
}

/* The experiment, with its cells and their keys. */
static wlab_code read_experiment(reading *r, wlab_err *err)
{
    wlab_code code = wlab_experiment_parse(&r->e, (const char *)r->text.data, r->text.len,
                                           r->path ? r->path : r->store->path, err);

    for (int d = 0; !code && d < r->e->ndata; d++) {
        int i = 0;

        while (i < r->sums && strcmp(r->sum[i] + strcspn(r->sum[i], " ") + 1, r->e->data[d].name) != 0)
            i++;
        const size_t len = i < r->sums ? strcspn(r->sum[i], " ") : 0;
        if (len == 64)
            memcpy(r->e->data[d].sha256, r->sum[i], 64);
        else if (len != 1)
            return wlab_fail(err, WL_EINPUT, "%.300s: there is no sum of the data set \"%.100s\"",
                             r->store->path, r->e->data[d].name);
    }
    code = code ? code : wlab_experiment_plan(r->e, err);
    if (!code)
        r->e->test_ratio = r->ratio;
    return code;
}

/* Split the line at its tabs into at most `most` fields; returns how many it has. */
static int split_line(char *line, char **field, int most)
{
    int n = 0;

    for (char *at = line; at; n++) {
        char *tab = strchr(at, '\t');
        if (tab)
            *tab++ = '\0';
        if (n < most)
            field[n] = at;
        at = tab;
    }
    return n;
}

static wlab_code read_columns(reading *r, wlab_err *err)
{
    int n = 1;

    for (const char *s = r->line; *s; s++)
        n += *s == '\t';
    if (n < COLUMNS)
        return fail_at(r, err, "a column is missing");
    r->scores = n - COLUMNS;
    if (!(r->score = wlab_calloc((size_t)n, sizeof *r->score)) ||
        !(r->field = wlab_calloc((size_t)n, sizeof *r->field)))
        return wlab_nomem(err);
    (void)split_line(r->line, r->field, n);
    for (int i = 0; i < n; i++)
        if (i >= COLUMNS)
            r->score[i - COLUMNS] = r->field[i];
        else if (strcmp(r->field[i], column[i]) != 0)
            return wlab_fail(err, WL_EINPUT, "%.300s:%ld: column %d is \"%.100s\", not \"%s\"",
                             r->store->path, r->at, i + 1, r->field[i], column[i]);
    return WL_OK;
}

/* The cell of the line: its number, and the names beside it, must be the experiment's. */
static const wlab_cell *cell_of(const reading *r)
{
    const wlab_experiment *e = r->e;
    int64_t number = 0, seed = 0, fold = 0;

    if (!wlab_parse_int(r->field[NUMBER], &number) || number < 1 || number > e->cells ||
        !wlab_parse_int(r->field[SEED], &seed) || !wlab_parse_int(r->field[FOLD], &fold))
        return NULL;
    const wlab_cell *c = &e->cell[number - 1];
    return strcmp(r->field[DATA], e->data[c->data].name) == 0 &&
                   strcmp(r->field[SETTING], e->setting[c->setting].name) == 0 &&
                   strcmp(r->field[METHOD], e->method[c->method].name) == 0 && seed == c->seed &&
                   fold == c->fold
               ? c
               : NULL;
}

/* An empty field is NaN.  Whether the field is a number. */
static bool read_number(const char *field, double *x)
{
    char *rest;

    *x = *field ? wlab_strtod(field, &rest) : (double)NAN;
    return !*field || (rest != field && !*rest);
}

static wlab_code put_line(reading *r, const wlab_cell *c, wlab_err *err)
{
    char *f = r->field[PROGRAM], version[64] = "-", build[64] = "-";
    int64_t program = 0;
    wlab_result result = {.number = c->number};
    wlab_code code;

    memcpy(result.key, c->key, sizeof result.key);
    if (!wlab_parse_int(r->field[ITER], &result.iter) || !wlab_parse_int(f, &program) || program < 1 ||
        program > r->programs || !read_number(r->field[SECONDS], &result.seconds) ||
        !read_number(r->field[TUNING_SECONDS], &result.tuning_seconds))
        return fail_at(r, err, "iter, seconds, tuning_seconds or program is not a number that fits");
    (void)sscanf(r->program[program - 1], "%63s %63s", version, build);
    result.version = version;
    result.build = build;
    result.error = strcmp(r->field[STATUS], "done") == 0 ? NULL : r->field[STATUS];
    result.verdict = *r->field[VERDICT] ? r->field[VERDICT] : NULL;
    result.parameters = *r->field[PARAMETERS] ? r->field[PARAMETERS] : NULL;
    if (!(result.scores = json_object()))
        return wlab_nomem(err);
    for (int i = 0; i < r->scores; i++) {
        double x;

        if (!read_number(r->field[COLUMNS + i], &x)) {
            json_decref(result.scores);
            return wlab_fail(err, WL_EINPUT, "%.300s:%ld: the score %.100s is not a number: \"%.100s\"",
                             r->store->path, r->at, r->score[i], r->field[COLUMNS + i]);
        }
        if (isfinite(x) && json_object_set_new(result.scores, r->score[i], json_real(x)) != 0) {
            json_decref(result.scores);
            return wlab_nomem(err);
        }
    }
    if (!result.error && r->e->method[c->method].candidates > 1)
        result.tuning = r->tuning;
    code = wlab_store_put(r->store, &result, err);
    json_decref(result.scores);
    return code;
}

static wlab_code read_cells(reading *r, wlab_err *err)
{
    int64_t kept;
    wlab_code code = read_columns(r, err);

    code = code ? code : wlab_store_plan(r->store, r->e, true, &kept, err);
    while (!code && next_line(r)) {
        if (split_line(r->line, r->field, COLUMNS + r->scores) != COLUMNS + r->scores)
            code = wlab_fail(err, WL_EINPUT, "%.300s:%ld: the line does not have %d columns", r->store->path,
                             r->at, COLUMNS + r->scores);
        const wlab_cell *c = code ? NULL : cell_of(r);
        if (!code && !c)
            code = fail_at(r, err, "the experiment has no such cell");
        code = code ? code : put_line(r, c, err);
    }
    return code;
}

static wlab_code read_file(const char *path, char **text, wlab_err *err)
{
    FILE *f = fopen(path, "re");
    struct stat st;
    wlab_code code = WL_OK;

    if (!f)
        return wlab_fail_errno(err, "cannot open '%.300s'", path);
    if (fstat(fileno(f), &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > LARGEST)
        code = wlab_fail(err, WL_EINPUT, "'%.300s' is not a file of results: it is too large", path);
    else if (!(*text = wlab_calloc((size_t)st.st_size + 1, 1)))
        code = wlab_nomem(err);
    else if (fread(*text, 1, (size_t)st.st_size, f) != (size_t)st.st_size)
        code = wlab_fail_errno(err, "cannot read '%.300s'", path);
    (void)fclose(f);
    return code;
}

wlab_code wlab_archive_read(wlab_store *store, wlab_err *err)
{
    reading r = {.store = store, .ratio = (double)NAN};
    char *text = NULL;
    wlab_code code = read_file(store->path, &text, err);

    r.next = text;
    code = code ? code : read_head(&r, err);
    code = code ? code : read_experiment(&r, err);
    code = code ? code : read_cells(&r, err);
    wlab_buf_clear(&r.text);
    wlab_list_free(r.sum, r.sums);
    wlab_list_free(r.program, r.programs);
    wlab_experiment_free(r.e);
    json_decref(r.tuning);
    wlab_free(r.score);
    wlab_free(r.field);
    wlab_free(text);
    return code;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * CSV and similar text: fields separated by commas, semicolons, tabs or blanks, quoted or not, with or without a
 * header line of names.
 *
 * One parallel pass reads the numbers and the words of labels and bags.  If other columns turn out to contain words, a
 * second pass reads them.
 */
#include "base/progress.h"
#include "data/readers/reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLE 100       /* lines that decide the delimiter and the header */
#define PIECE  (1 << 20) /* bytes of a long field between two checks for an interrupt */

typedef struct field {
    const char *p;
    size_t len;
    bool doubled; /* a quote inside it is written "" */
} field;

typedef struct block {
    wlab_lines *lines;
    int64_t row, rows;
    int64_t *texts;          /* [cols] cells that are neither numbers nor missing */
    int64_t *commas;         /* [cols] those of them that are numbers with a decimal comma */
    const char **text_at;    /* [cols] the first of them */
    const char **missing_at; /* [cols] */
    wlab_words *words;       /* [cols] */
} block;

typedef struct job {
    wlab_table *t;
    block *block;
    char delimiter; /* ' ': runs of blanks */
    int pass;
    bool any_text;
} job;

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static inline const char *skip_blanks(const char *p, const char *end, char delimiter)
{
    while (p < end && is_blank(*p) && *p != delimiter)
        p++;
    return p;
}

/* At the end of a line, or of the data. */
static inline bool at_end(const char *p, const char *end)
{
    return p >= end || *p == '\n';
}

/* Read the field at *at; *at moves to its delimiter or to the end of the line.  Returns NULL or an error text.  After
 * an interrupt the text has no meaning, so callers check for an interrupt before they report it. */
static const char *read_field(const wlab_input *in, const char **at, const char *end, char delimiter,
                              field *f)
{
    const char *p = *at;

    memset(f, 0, sizeof *f);
    if (p < end && *p == '"') {
        f->p = ++p;
        for (int64_t quotes = 0;; quotes++) {
            p = memchr(p, '"', (size_t)(end - p));
            if (!p || (wlab_input_due(quotes) && wlab_input_check_stop(in, NULL)))
                return "this quote is never closed";
            if (p + 1 < end && p[1] == '"') {
                f->doubled = true;
                p += 2;
                continue;
            }
            break;
        }
        f->len = (size_t)(p - f->p);
        p = skip_blanks(p + 1, end, delimiter);
        if (!at_end(p, end) && *p != delimiter && delimiter != ' ') {
            *at = p;
            return "unexpected text after a closing quote";
        }
        *at = p;
        return NULL;
    }
    f->p = p;
    for (const char *stop = p; p == stop;) { /* PIECE bytes at a time */
        if (p > f->p && wlab_input_check_stop(in, NULL))
            return "stopped";
        stop = end - p < PIECE ? end : p + PIECE;
        if (delimiter == ' ')
            while (!at_end(p, stop) && !is_blank(*p))
                p++;
        else
            while (!at_end(p, stop) && *p != delimiter)
                p++;
        if (p == end)
            break;
    }
    *at = p;
    while (p > f->p && is_blank(p[-1]))
        p--;
    f->len = (size_t)(p - f->p);
    return NULL;
}

/* Whether the field ends behind the number that ends at *p; *p moves to the delimiter or to the end of the line. */
static inline bool ends_field(const char **p, const char *end, char delimiter)
{
    if (delimiter == ' ')
        return at_end(*p, end) || is_blank(**p);
    *p = skip_blanks(*p, end, delimiter);
    return at_end(*p, end) || **p == delimiter;
}

/* Move *p past the delimiter to the next field; false at the end of the line. */
static inline bool next_field(const char **p, const char *end, char delimiter)
{
    if (delimiter == ' ') {
        *p = skip_blanks(*p, end, 0);
        return !at_end(*p, end);
    }
    if (at_end(*p, end))
        return false;
    *p = skip_blanks(*p + 1, end, delimiter);
    return true;
}

/* The start of the next line with content; comments (#) and empty lines are skipped. */
static const char *next_content(const char *p, const char *end)
{
    while (p < end) {
        const char *q = p;

        while (q < end && is_blank(*q))
            q++;
        if (q < end && *q != '\n' && *q != '#')
            return p;
        p = q < end ? memchr(q, '\n', (size_t)(end - q)) : NULL;
        if (!p)
            return end;
        p++;
    }
    return end;
}

static const char *line_start(const char *p, const char *end, char delimiter)
{
    return skip_blanks(p, end, delimiter == ' ' ? 0 : delimiter);
}

/* The number of fields of the line at *p; *p moves to the next line.  -1: the line is malformed, or an interrupt. */
static int32_t count_fields(const wlab_input *in, const char **p, const char *end, char delimiter)
{
    int32_t n = 0;
    field f;

    *p = line_start(*p, end, delimiter);
    do {
        if (read_field(in, p, end, delimiter, &f) || (wlab_input_due(n) && wlab_input_check_stop(in, NULL)))
            return -1;
        n++;
    } while (n < INT32_MAX - 1 && next_field(p, end, delimiter));
    if (*p < end)
        ++*p;
    return n;
}

/* The delimiter that divides most of the first lines into the same number of fields, more than one; a comma if none
 * does so for more than half of these lines. */
static char find_delimiter(const wlab_input *in, const char *from, const char *end)
{
    static const char candidates[] = "\t;, ";
    char best = ',';
    int best_lines = 0;

    for (const char *d = candidates; *d; d++) {
        const char *p = next_content(from, end);
        int32_t first = -1;
        int lines = 0, same = 0;

        while (p < end && lines < SAMPLE) {
            const int32_t n = count_fields(in, &p, end, *d);

            if (first < 0)
                first = n;
            same += n == first && n > 1;
            lines++;
            if (n < 0)
                break;
            p = next_content(p, end);
        }
        if (same > best_lines && same * 2 > lines) {
            best_lines = same;
            best = *d;
        }
    }
    return best;
}

/* The text of a field without quotes; it is in `buf` if it had to be changed.  NULL: out of memory, or an interrupt. */
static const char *text_of(const wlab_input *in, const field *f, wlab_buf *buf, size_t *len)
{
    if (!f->doubled) {
        *len = f->len;
        return f->p;
    }
    buf->len = 0;
    for (size_t i = 0; i < f->len; i++) {
        if (wlab_buf_put(buf, f->p + i, 1) ||
            (wlab_input_due((int64_t)buf->len) && wlab_input_check_stop(in, NULL)))
            return NULL;
        if (f->p[i] == '"')
            i++;
    }
    *len = buf->len;
    return (const char *)buf->data;
}

static bool is_number(const field *f)
{
    double v;

    return wlab_number_is(f->p, f->p + f->len, &v);
}

/* Whether the first line is a header.  A header has neither numbers nor marks of missing values.  Among the lines
 * below it there is a number, or no field that repeats the name of its column.  If there are no lines below, a header
 * has several fields. */
static bool has_header(const wlab_input *in, const char *from, const char *end, char delimiter, int32_t cols)
{
    const char *p = line_start(from, end, delimiter), *q;
    bool numbers = false, repeats = false;
    int lines = 0;
    field *first = wlab_alloc((size_t)cols, sizeof *first), f;
    int32_t n = 0;

    if (!first)
        return false;
    do {
        if (read_field(in, &p, end, delimiter, &first[n]) ||
            (wlab_input_due(n) && wlab_input_check_stop(in, NULL)))
            goto no;
        if (is_number(&first[n]) || (wlab_text_missing(first[n].p, first[n].len) && first[n].len))
            goto no;
    } while (++n < cols && next_field(&p, end, delimiter));
    p = next_content(p < end ? p + 1 : end, end);
    for (; p < end && lines < SAMPLE && !wlab_input_check_stop(in, NULL); lines++) {
        q = line_start(p, end, delimiter);
        n = 0;
        do {
            if (read_field(in, &q, end, delimiter, &f) ||
                (wlab_input_due(n) && wlab_input_check_stop(in, NULL)))
                break;
            numbers |= is_number(&f);
            repeats |= f.len == first[n].len && f.len && memcmp(f.p, first[n].p, f.len) == 0;
        } while (++n < cols && next_field(&q, end, delimiter));
        q = q < end ? memchr(q, '\n', (size_t)(end - q)) : NULL;
        p = next_content(q ? q + 1 : end, end);
    }
    wlab_free(first);
    return lines == 0 ? cols > 1 : numbers || !repeats;
no:
    wlab_free(first);
    return false;
}

static wlab_code read_names(wlab_table *t, const wlab_input *in, const char **at, const char *end,
                            char delimiter, wlab_err *err)
{
    const char *p = line_start(*at, end, delimiter);
    int32_t n = 0;
    field f;

    do {
        wlab_buf buf = {0};
        const char *bad = read_field(in, &p, end, delimiter, &f), *text;
        wlab_code code = bad || wlab_input_due(n) ? wlab_input_check_stop(in, err) : WL_OK;
        size_t len;

        if (code || bad)
            return code ? code : wlab_input_fail(in, p, err, "%s", bad);
        text = text_of(in, &f, &buf, &len);
        if (text && len && (t->column[n].name = wlab_alloc(len + 1, 1)))
            wlab_text_clean(text, len, t->column[n].name, len + 1);
        wlab_buf_clear(&buf);
        if (!text && (code = wlab_input_check_stop(in, err)))
            return code;
        if (!text || (len && !t->column[n].name))
            return wlab_nomem(err);
    } while (++n < t->cols && next_field(&p, end, delimiter));
    *at = p < end ? p + 1 : end;
    return WL_OK;
}

/* Find the columns of bags and of the class.  The class is the column that label= names; else the one called class,
 * label, target or y; else the last one (always the last one if a names file describes the columns).  There is no class
 * with label=none, if the labels come from another file, or if only the last column is left and it gives the bags. */
static wlab_code find_roles(wlab_table *t, const wlab_input *in, const wlab_read_options *o, bool header,
                            bool named, wlab_reading *r, wlab_err *err)
{
    int32_t label = -1, bag;
    wlab_code code = wlab_table_bag(t, in, o, &bag, err);

    if (code)
        return code;
    if (bag >= 0)
        t->column[bag].kind = WL_COL_BAG;
    if (o->label && strcmp(o->label, "none") == 0)
        return WL_OK;
    if (!o->label && o->labels_elsewhere)
        return wlab_reading_remark(r, err,
                                   "all columns are features, since the labels come from another file");
    if (o->label) {
        if ((code = wlab_table_named(t, in, "label", o->label, &label, err)))
            return code;
    } else {
        if (!named && header && (code = wlab_table_usual_label(t, in, &label, err)))
            return code;
        if (label < 0)
            label = t->cols - 1;
        if (label == bag &&
            !o->bag) /* the last column is called bag, and nothing says which other column is the class */
            return wlab_reading_remark(r, err, WL_BAG_IS_LAST, (int)label + 1, t->column[label].name);
    }
    if (label == bag && o->bag)
        return wlab_fail(
            err, WL_EARG,
            "bag=%s: this column is read as the class; name the class with label= (or label=none)", o->bag);
    t->column[label].kind = WL_COL_LABEL;
    if (o->label)
        return WL_OK;
    if (named)
        return wlab_reading_remark(r, err, "columns as in the .names file beside the data");
    return header
               ? wlab_reading_remark(r, err, "classes from column %d, '%s'", (int)label + 1,
                                     t->column[label].name ? t->column[label].name : "")
               : wlab_reading_remark(r, err, "no header; classes from column %d, the last", (int)label + 1);
}

/* Whether the field is a number with a decimal comma: "1,5", perhaps with a sign and an exponent. */
static bool decimal_comma(const field *f)
{
    const char *comma = memchr(f->p, ',', f->len), *end = f->p + f->len;
    char buf[48];
    double v;

    if (!comma || f->len >= sizeof buf || comma == f->p || comma + 1 == end || comma[1] < '0' ||
        comma[1] > '9')
        return false;
    memcpy(buf, f->p, f->len);
    buf[comma - f->p] = '.';
    return wlab_number_is(buf, buf + f->len, &v);
}

/* Read one cell; false after a failure. */
static bool read_cell(job *j, block *k, int32_t c, const field *f, double *cell)
{
    const wlab_column *col = &j->t->column[c];
    const bool word = col->kind == WL_COL_LABEL || col->kind == WL_COL_BAG || j->pass == 2;
    wlab_buf buf = {0};
    const char *text;
    size_t len;
    int32_t id;

    if (wlab_text_missing(f->p, f->len)) {
        *cell = NAN;
        if (!k->missing_at[c])
            k->missing_at[c] = f->p;
        return true;
    }
    if (!word) {
        if (wlab_number_is(f->p, f->p + f->len, cell))
            return true;
        if (wlab_text_same(f->p, f->len, "inf") || wlab_text_same(f->p, f->len, "-inf") ||
            wlab_text_same(f->p, f->len, "+inf") || wlab_text_same(f->p, f->len, "infinity")) {
            wlab_lines_fail(k->lines, f->p, "this number is not finite");
            return false;
        }
        *cell = NAN; /* until the second pass reads it as a word, unless the column is left out */
        k->commas[c] += decimal_comma(f);
        if (k->texts[c]++ == 0)
            k->text_at[c] = f->p;
        return true;
    }
    text = text_of(k->lines->in, f, &buf, &len);
    id = text ? wlab_words_add(&k->words[c], text, len) : -1;
    wlab_buf_clear(&buf);
    if (id < 0) {
        if (!wlab_lines_check_stop(k->lines))
            k->lines->code = WL_ENOMEM;
        return false;
    }
    *cell = id;
    return true;
}

static void parse_block(void *data, int b)
{
    job *j = data;
    block *k = &j->block[b];
    wlab_table *t = j->t;
    const char *const end = k->lines->end, *p = next_content(k->lines->begin, end);
    int64_t row = k->row;

    for (; p < end && !wlab_lines_check_stop(k->lines); row++) {
        const char *line = p = line_start(p, end, j->delimiter);
        double *cell = t->cell + row * t->cols;
        int32_t n = 0;
        field f;

        do {
            const char *start = p, *bad;

            if (wlab_input_due(n) && wlab_lines_check_stop(k->lines))
                return;
            if (n == t->cols) {
                const char *again = line;
                n = count_fields(k->lines->in, &again, end, j->delimiter);
                if (n < 0 && wlab_lines_check_stop(k->lines))
                    return;
                n = n > t->cols ? n : t->cols + 1; /* an open quote may hide how many there are */
                wlab_lines_fail(k->lines, start, "this line has %d fields, but the first line has %d", (int)n,
                                (int)t->cols);
                return;
            }
            if (j->pass == 1 && t->column[n].kind == WL_COL_NUMBER && wlab_number_read(&p, end, &cell[n]) &&
                ends_field(&p, end, j->delimiter)) {
                n++;
                continue;
            }
            p = start;
            bad = read_field(k->lines->in, &p, end, j->delimiter, &f);
            if (bad) {
                if (!wlab_lines_check_stop(k->lines))
                    wlab_lines_fail(k->lines, p, "%s", bad);
                return;
            }
            if (j->pass == 2 && t->column[n].kind != WL_COL_NOMINAL) {
                n++;
                continue;
            }
            if (!read_cell(j, k, n, &f, &cell[n]))
                return;
            n++;
        } while (next_field(&p, end, j->delimiter));
        if (n < t->cols) {
            wlab_lines_fail(k->lines, line, "this line has %d field%s, but the first line has %d", (int)n,
                            n == 1 ? "" : "s", (int)t->cols);
            return;
        }
        p = next_content(p < end ? p + 1 : end, end);
    }
    k->rows = row - k->row;
}

/* Join the words of the blocks, in order, as the words of the columns, and renumber the cells.  roles: of the class
 * and the bags; else of the categories. */
static wlab_code join_words(job *j, int blocks, bool roles, const wlab_input *in, wlab_err *err)
{
    wlab_table *t = j->t;

    for (int32_t c = 0; c < t->cols; c++) {
        const wlab_column_kind kind = t->column[c].kind;

        if (roles ? kind != WL_COL_LABEL && kind != WL_COL_BAG : kind != WL_COL_NOMINAL)
            continue;
        for (int b = 0; b < blocks; b++) {
            block *k = &j->block[b];
            wlab_words *w = &k->words[c];
            int32_t *to;
            wlab_code code = wlab_words_join(&t->column[c].words, w, &to, in, err);

            if (code)
                return code;
            for (int64_t i = k->row; i < k->row + k->rows; i++)
                if (!isnan(t->cell[i * t->cols + c]))
                    t->cell[i * t->cols + c] = to[(int32_t)t->cell[i * t->cols + c]];
            wlab_free(to);
            wlab_words_clear(w);
        }
    }
    return WL_OK;
}

/* Columns with words among their cells become categories. */
static void find_texts(job *j, int blocks)
{
    for (int32_t c = 0; c < j->t->cols; c++)
        for (int b = 0; b < blocks && j->t->column[c].kind == WL_COL_NUMBER; b++)
            if (j->block[b].texts[c]) {
                j->t->column[c].kind = WL_COL_NOMINAL;
                j->any_text = true;
            }
}

/* The text from `at` to the end of its field, for a message. */
static char *field_text(const job *j, const wlab_input *in, const char *at, char *buf, size_t size)
{
    const char *stop = at;

    while (stop < in->data + in->size && *stop != '\n' && *stop != '\r' && *stop != '"' &&
           (*stop != j->delimiter || (at > in->data && at[-1] == '"')))
        stop++;
    return wlab_text_clean(at, (size_t)(stop - at), buf, size);
}

/* Check columns with words among numbers.  If all the words are numbers with a decimal comma: an error.  If at most a
 * tenth of the rows have words, and the column has more than 20 different values: an error, as the words are rather
 * mistakes than categories.  Otherwise, if there are fewer words than numbers: a remark (for at most three columns),
 * since one typing error turns a column into categories. */
static wlab_code check_texts(const job *j, int blocks, const wlab_input *in, wlab_reading *r, wlab_err *err)
{
    const wlab_table *t = j->t;
    int remarked = 0;

    for (int32_t c = 0; c < t->cols; c++) {
        const wlab_column *col = &t->column[c];
        int64_t texts = 0, commas = 0, numbers = 0;
        const char *at = NULL;
        char word[48];
        long line, column;
        wlab_code code;

        if (col->kind != WL_COL_NOMINAL || col->declared)
            continue;
        for (int b = 0; b < blocks; b++) {
            texts += j->block[b].texts[c];
            commas += j->block[b].commas[c];
            at = at ? at : j->block[b].text_at[c];
        }
        if ((code = wlab_input_check_stop(in, err)))
            return code;
        for (int64_t i = 0; i < t->rows; i++)
            numbers += !isnan(t->cell[i * t->cols + c]);
        if (!texts) /* categories that are written as numbers */
            continue;
        numbers -= texts;
        field_text(j, in, at, word, sizeof word);
        if (commas == texts)
            return wlab_input_fail(in, at, err,
                                   "'%s' is written with a decimal comma: use a point, as in 1.5%s", word,
                                   j->delimiter == ',' ? "" : "; `tr , . <FILE >NEW` converts a file");
        if (col->words.n > 20 && texts * 10 <= t->rows)
            return wlab_input_fail(in, at, err,
                                   "'%s' is not a number, but nearly all values of column %d are%s", word,
                                   (int)c + 1, "; correct it or leave it empty");
        if (texts >= numbers || remarked++ >= 3)
            continue;
        wlab_input_place(in, at, &line, &column);
        code = wlab_reading_remark(
            r, err,
            "column %d%s%s%s was read as categories because of '%s' at line %ld, column %ld (%lld of %lld "
            "values are numbers): if that is a mistake, correct it or leave it empty",
            (int)c + 1, col->name ? ", '" : "", col->name ? col->name : "", col->name ? "'," : "", word, line,
            column, (long long)numbers, (long long)(numbers + texts));
        if (code)
            return code;
    }
    return WL_OK;
}

static void job_clear(job *j, int blocks)
{
    for (int b = 0; j->block && b < blocks; b++) {
        for (int32_t c = 0; j->block[b].words && c < j->t->cols; c++)
            if (j->block[b].words[c].offset)
                wlab_words_clear(&j->block[b].words[c]);
        wlab_free(j->block[b].words);
        wlab_free(j->block[b].texts);
        wlab_free(j->block[b].commas);
        wlab_free(j->block[b].text_at);
        wlab_free(j->block[b].missing_at);
    }
    wlab_free(j->block);
}

static wlab_code parse(job *j, wlab_lines *lines, int blocks, const wlab_input *in, wlab_reading *r,
                       wlab_ctx *ctx, wlab_err *err)
{
    wlab_table *t = j->t;
    const size_t cols = (size_t)t->cols;
    int64_t rows = 0;
    wlab_code code;

    j->block = wlab_calloc((size_t)blocks, sizeof *j->block);
    if (!j->block)
        return wlab_nomem(err);
    for (int b = 0; b < blocks; b++) {
        block *k = &j->block[b];
        const char *p = lines[b].begin;

        k->lines = &lines[b];
        k->row = rows;
        k->words = wlab_calloc(cols, sizeof *k->words);
        k->texts = wlab_calloc(cols, sizeof *k->texts);
        k->commas = wlab_calloc(cols, sizeof *k->commas);
        k->text_at = wlab_calloc(cols, sizeof *k->text_at);
        k->missing_at = wlab_calloc(cols, sizeof *k->missing_at);
        if (!k->words || !k->texts || !k->commas || !k->text_at || !k->missing_at)
            return wlab_nomem(err);
        if ((code = wlab_input_check_stop(in, err)))
            return code;
        while (p < lines[b].end && (p = memchr(p, '\n', (size_t)(lines[b].end - p)))) {
            p++;
            rows++;
        }
        rows += lines[b].end[-1] != '\n';
    }
    t->cell = wlab_alloc((size_t)rows * cols, sizeof *t->cell);
    if (!t->cell)
        return wlab_nomem(err);
    j->pass = 1;
    if (!wlab_pool_run_progress(ctx, blocks, parse_block, j, "bytes parsed", (int64_t)in->size))
        return wlab_input_stopped(in, err);
    if ((code = wlab_lines_check(in, lines, blocks, err)) || (code = join_words(j, blocks, true, in, err)))
        return code;
    find_texts(j, blocks);
    for (int b = blocks - 1; b >= 0; b--)
        for (int32_t c = 0; c < t->cols && !(code = wlab_input_check_stop(in, err)); c++)
            if (j->block[b].missing_at[c])
                t->column[c].missing_at = j->block[b].missing_at[c];
    if (code)
        return code;
    j->pass = 2;
    if (j->any_text) {
        if (!wlab_pool_run_progress(ctx, blocks, parse_block, j, "bytes of words", (int64_t)in->size))
            return wlab_input_stopped(in, err);
        if ((code = wlab_lines_check(in, lines, blocks, err)) ||
            (code = join_words(j, blocks, false, in, err)))
            return code;
    }
    rows = 0;
    for (int b = 0; b < blocks; b++) {
        const block *k = &j->block[b];
        if (rows != k->row)
            memmove(t->cell + rows * t->cols, t->cell + k->row * t->cols,
                    (size_t)k->rows * cols * sizeof *t->cell);
        rows += k->rows;
    }
    t->rows = rows;
    if (rows > INT32_MAX)
        return wlab_fail_at(err, in->path, 0, 0, "%lld rows are too many", (long long)rows);
    return rows ? check_texts(j, blocks, in, r, err)
                : wlab_fail_at(err, in->path, 0, 0, "the file has no rows");
}

/* Whether the text begins like JSON: an object or array whose first element is a string, an object or an array. */
static bool json_like(const char *p, const char *end)
{
    if (p == end || (*p != '{' && *p != '['))
        return false;
    for (p++; p < end && (is_blank(*p) || *p == '\n');)
        p++;
    return p < end && (*p == '"' || *p == '{' || *p == '[');
}

/* Whether the table looks like a split file: a few rows of whole numbers from 1 that differ within each row. */
static bool split_like(const wlab_table *t)
{
    double v[200];

    if (t->rows < 2 || t->rows > 200 || t->cols < 3 || t->cols > 200)
        return false;
    for (int64_t i = 0; i < t->rows; i++)
        for (int32_t c = 0; c < t->cols; c++) {
            v[c] = t->cell[i * t->cols + c];
            if (isnan(v[c]) || (t->column[c].kind != WL_COL_NUMBER && t->column[c].kind != WL_COL_LABEL))
                return false;
            if (t->column[c].kind == WL_COL_LABEL) {
                const char *text = wlab_words_text(&t->column[c].words, (int32_t)v[c]);
                if (!wlab_number_is(text, text + strlen(text), &v[c]))
                    return false;
            }
            if (v[c] < 1 || v[c] != floor(v[c]))
                return false;
            for (int32_t k = 0; k < c; k++)
                if (v[k] == v[c])
                    return false;
        }
    return true;
}

static wlab_code read_csv(wlab_reading *r, const wlab_input *in, const wlab_read_options *options,
                          wlab_ctx *ctx, wlab_err *err)
{
    const char *const end = in->data + in->size, *p = in->data, *q, *first;
    wlab_table t = {0};
    wlab_lines *lines = NULL;
    int blocks = 0;
    job j = {.t = &t};
    bool header, named = false;
    int32_t *declared = NULL;
    char list[200];
    wlab_code code;

    if (in->size >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
        p += 3;
    q = first = p = next_content(p, end);
    if (p == end)
        return wlab_fail_at(err, in->path, 1, 1, "the file has no rows");
    if (json_like(p, end))
        return wlab_input_fail(in, p, err, "this looks like JSON, which cannot be read; the formats are %s",
                               wlab_format_list(list, sizeof list));
    j.delimiter = find_delimiter(in, p, end);
    t.cols = count_fields(in, &q, end, j.delimiter);
    if ((code = wlab_input_check_stop(in, err)))
        return code;
    if (t.cols < 0)
        return wlab_input_fail(in, p, err, "the quotes of this line do not match");
    t.column = wlab_calloc((size_t)t.cols, sizeof *t.column);
    if (!t.column)
        return wlab_nomem(err);
    header = options->header == WL_HEADER_YES ||
             (options->header == WL_HEADER_AUTO && has_header(in, p, end, j.delimiter, t.cols));
    if ((code = wlab_input_check_stop(in, err)))
        goto out;
    declared = wlab_calloc((size_t)t.cols, sizeof *declared);
    if (!declared) {
        code = wlab_nomem(err);
        goto out;
    }
    if (header ? (code = read_names(&t, in, &p, end, j.delimiter, err))
               : (code = wlab_c45_names(&t, in, &named, ctx, err)))
        goto out;
    if ((code = find_roles(&t, in, options, header, named, r, err)))
        goto out;
    if (t.column[t.cols - 1].kind == WL_COL_NUMBER) { /* not the class, although the names file says so */
        t.column[t.cols - 1].declared = false;
        wlab_words_clear(&t.column[t.cols - 1].words);
    }
    for (int32_t c = 0; c < t.cols; c++) {
        if (wlab_input_due(c) && (code = wlab_input_check_stop(in, err)))
            goto out;
        declared[c] = t.column[c].words.n;
        j.any_text |= t.column[c].kind == WL_COL_NOMINAL;
    }
    if ((code = wlab_lines_cut(&lines, &blocks, in, p, '"', err)))
        goto out;
    if (header && next_content(p, end) == end) {
        code = wlab_input_fail(in, first, err, "no data lines after the header");
        goto out;
    }
    if (t.cols == 1 && t.column[0].kind == WL_COL_LABEL) {
        code = wlab_input_fail(in, first, err,
                               "the only column is read as the class, so no column is left as a feature; "
                               "separate columns by commas, semicolons, tabs or spaces");
        goto out;
    }
    code = parse(&j, lines, blocks, in, r, ctx, err);
    if (!code && !header)
        code = wlab_c45_finish(&t, named ? declared : NULL, !options->bag, r, in, err);
    if (!code && !header && !options->label && split_like(&t))
        code =
            wlab_reading_remark(r, err,
                                "this looks like a split file (row numbers only): do not load it, but name "
                                "it in the task, as in `task ssl labeled=@FILE`");
    if (!code)
        code = wlab_table_finish(&t, r, in, options, ctx, err);
out:
    job_clear(&j, blocks);
    wlab_table_clear(&t);
    wlab_free(lines);
    wlab_free(declared);
    return code;
}

/* Any text may be a table, so the probes of other formats take precedence. */
static int probe(const char *head, size_t len)
{
    return memchr(head, 0, len) ? 0 : 10;
}

const wlab_reader wlab_reader_csv = {
    .name = "csv",
    .summary = "comma, semicolon, tab or space separated columns, with or without a header",
    .extensions = "csv tsv data dat txt",
    .flags = WL_READS_HEADER,
    .probe = probe,
    .read = read_csv,
};

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Weka's ARFF: declared attributes, then rows, dense ("a,b,c") or sparse ("{0 a, 4 b}").
 */
#include "base/progress.h"
#include "data/readers/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct block {
    wlab_lines *lines;
    /* row: dense: the block's first row in the table; rows: how many were read so far */
    int64_t row, rows;
    wlab_words words;        /* class names, if the class is not declared */
    wlab_buf cell, at, len;  /* sparse: cells, their columns, row lengths */
    const char **missing_at; /* [cols] */
} block;

typedef struct job {
    wlab_table *t;
    block *block;
    int32_t label; /* its column, or -1 */
    bool sparse;
} job;

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static const char *skip_blanks(const char *p, const char *end)
{
    while (p < end && is_blank(*p))
        p++;
    return p;
}

/* Read a value at *at, up to one of `stops` or the end of the line; *text is without quotes, in `buf` if it has
 * escapes.  WL_EINPUT: a quote is not closed.  The error has no message yet: value_failed gives it one. */
static wlab_code read_value(const wlab_input *in, const char **at, const char *end, const char *stops,
                            wlab_buf *buf, const char **text, size_t *len, bool *quoted)
{
    const char *p = skip_blanks(*at, end);

    *quoted = p < end && (*p == '\'' || *p == '"');
    if (*quoted) {
        const char quote = *p++, *begin = p;
        bool escaped = false;

        for (int64_t n = 0; p < end && *p != '\n' && *p != quote; n++) {
            if (*p == '\\' && p + 1 < end && p[1] != '\n') {
                escaped = true;
                p++;
            }
            p++;
            if (wlab_input_due(n) && wlab_input_check_stop(in, NULL))
                return WL_EINTERRUPTED;
        }
        if (p >= end || *p != quote)
            return WL_EINPUT;
        *text = begin;
        *len = (size_t)(p - begin);
        *at = p + 1;
        if (!escaped)
            return WL_OK;
        buf->len = 0;
        for (const char *q = begin; q < p; q++) {
            if (*q == '\\')
                q++;
            if (wlab_buf_put(buf, q, 1))
                return WL_ENOMEM;
            if (wlab_input_due((int64_t)buf->len) && wlab_input_check_stop(in, NULL))
                return WL_EINTERRUPTED;
        }
        *text = (const char *)buf->data;
        *len = buf->len;
        return WL_OK;
    }
    *text = p;
    for (; p < end && *p != '\n' && !strchr(stops, *p); p++)
        if (wlab_input_due(p - *text) && wlab_input_check_stop(in, NULL))
            return WL_EINTERRUPTED;
    *at = p;
    while (p > *text && is_blank(p[-1]))
        p--;
    *len = (size_t)(p - *text);
    return WL_OK;
}

/* Report a failure of read_value: out of memory, an interrupt, or else `why`. */
static wlab_code value_failed(wlab_code code, const wlab_input *in, const char *at, wlab_err *err,
                              const char *why)
{
    if (code == WL_ENOMEM)
        return wlab_nomem(err);
    if (code == WL_EINTERRUPTED && wlab_input_check_stop(in, err))
        return code;
    return wlab_input_fail(in, at, err, "%s", why);
}

/* ---- the header ---- */

static bool is_keyword(const char **p, const char *end, const char *word)
{
    const size_t n = strlen(word);

    if ((size_t)(end - *p) < n || strncasecmp(*p, word, n) != 0)
        return false;
    if (*p + n < end && !is_blank((*p)[n]) && (*p)[n] != '\n')
        return false;
    *p += n;
    return true;
}

static wlab_code read_nominal(wlab_column *col, const wlab_input *in, const char **at, const char *end,
                              wlab_err *err)
{
    const char *p = *at + 1, *text;
    wlab_buf buf = {0};
    wlab_code code = WL_OK;
    size_t len;
    bool quoted;

    col->kind = WL_COL_NOMINAL;
    col->declared = true;
    for (;;) {
        p = skip_blanks(p, end);
        if (p < end && *p == '}' && col->words.n == 0)
            break;
        code = read_value(in, &p, end, ",}", &buf, &text, &len, &quoted);
        if (code) {
            code = value_failed(code, in, p, err, "this quote is never closed");
            break;
        }
        if ((code = wlab_input_check_stop(in, err)))
            break;
        if (len == 0 && !quoted) {
            code = wlab_input_fail(in, p, err, "a value is missing in this list of values");
            break;
        }
        if (wlab_words_find(&col->words, text, len) >= 0) {
            code = wlab_input_fail(in, p, err, "this value is declared twice");
            break;
        }
        if (wlab_words_add(&col->words, text, len) < 0) {
            code = wlab_nomem(err);
            break;
        }
        p = skip_blanks(p, end);
        if (p < end && *p == '}')
            break;
        if (p >= end || *p != ',') {
            code =
                wlab_input_fail(in, p < end ? p : end, err, "',' or '}' is expected in this list of values");
            break;
        }
        p++;
    }
    wlab_buf_clear(&buf);
    *at = p + 1;
    return code;
}

static wlab_code read_attribute(wlab_table *t, int32_t *cap, const wlab_input *in, const char **at,
                                const char *end, wlab_err *err)
{
    const char *p = skip_blanks(*at, end), *text, *type;
    wlab_buf buf = {0};
    wlab_column *col;
    wlab_code code = WL_OK;
    size_t len;
    bool quoted;

    if (t->cols == *cap) {
        const int32_t more = *cap ? *cap * 2 : 64;
        col = more > 0 ? wlab_realloc(t->column, (size_t)more, sizeof *col) : NULL;
        if (!col)
            return wlab_nomem(err);
        t->column = col;
        *cap = more;
    }
    col = &t->column[t->cols];
    memset(col, 0, sizeof *col);
    code = read_value(in, &p, end, " \t\r{", &buf, &text, &len, &quoted);
    if (code || len == 0) {
        wlab_buf_clear(&buf);
        return value_failed(code, in, p, err,
                            "the attribute's name is missing, or its quote is never closed");
    }
    col->name = wlab_alloc(len + 1, 1);
    if (col->name)
        wlab_text_clean(text, len, col->name, len + 1);
    wlab_buf_clear(&buf);
    if (!col->name)
        return wlab_nomem(err);
    t->cols++;
    type = p = skip_blanks(p, end);
    if (p < end && *p == '{')
        code = read_nominal(col, in, &p, end, err);
    else if (is_keyword(&p, end, "numeric") || is_keyword(&p, end, "real") || is_keyword(&p, end, "integer"))
        col->kind = WL_COL_NUMBER;
    else if (is_keyword(&p, end, "string") || is_keyword(&p, end, "date"))
        col->kind = WL_COL_LEFT_OUT;
    else if (is_keyword(&p, end, "relational"))
        code =
            wlab_input_fail(in, type, err,
                            "attribute '%s' is relational (rows inside rows), but only one level of rows can "
                            "be read",
                            col->name);
    else
        code = wlab_input_fail(
            in, type, err,
            "attribute '%s' has no known type: numeric, real, integer, string, date or {value, ...} is "
            "expected",
            col->name);
    *at = p;
    return code;
}

/* Read from the start of the file to the line after @data. */
static wlab_code read_header(wlab_table *t, const wlab_input *in, const char **at, wlab_err *err)
{
    const char *const end = in->data + in->size, *p = in->data;
    int32_t cap = 0;
    wlab_code code;

    if (in->size >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
        p += 3;
    while (p < end) {
        const char *line;

        p = line = skip_blanks(p, end);
        if ((code = wlab_input_check_stop(in, err)))
            return code;
        if (p < end && *p != '\n' && *p != '%') {
            if (is_keyword(&p, end, "@data")) {
                p = memchr(p, '\n', (size_t)(end - p));
                *at = p ? p + 1 : end;
                return t->cols ? WL_OK : wlab_input_fail(in, line, err, "@data before any @attribute");
            }
            if (is_keyword(&p, end, "@attribute")) {
                if ((code = read_attribute(t, &cap, in, &p, end, err)))
                    return code;
            } else if (!is_keyword(&p, end, "@relation")) {
                return wlab_input_fail(in, line, err, "@relation, @attribute or @data is expected");
            }
        }
        p = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
        p = p ? p + 1 : end;
    }
    return wlab_input_fail(in, end, err, "the file ends before @data");
}

/* ---- the class ---- */

/* Find the class: the attribute that label= names; else the last one, if its values are declared (Weka's convention);
 * else one called class, label, target or y; else the last one.  An attribute that names the bags is not the class.
 * With label=none, or labels from elsewhere, there is no class. */
static wlab_code find_label(wlab_table *t, const wlab_input *in, const wlab_read_options *o, int32_t *label,
                            wlab_reading *r, wlab_err *err)
{
    wlab_code code;
    int32_t bag = -1;

    *label = -1;
    if (o->label && strcmp(o->label, "none") == 0)
        return WL_OK;
    if (o->label && (code = wlab_table_named(t, in, "label", o->label, label, err)))
        return code;
    if (!o->label && o->labels_elsewhere)
        return WL_OK;
    if (!o->label) {
        if (!o->bag && (code = wlab_table_bag(t, in, o, &bag, err)))
            return code;
        if ((code = wlab_table_usual_label(t, in, label, err)))
            return code;
        if (*label < 0 || (t->column[t->cols - 1].kind == WL_COL_NOMINAL && bag != t->cols - 1))
            *label = t->cols - 1;
        if (*label == bag) {
            *label = -1;
            return wlab_reading_remark(r, err, WL_BAG_IS_LAST, (int)bag + 1, t->column[bag].name);
        }
        if ((code = wlab_reading_remark(r, err, "classes from attribute %d, '%s'", (int)*label + 1,
                                        t->column[*label].name)))
            return code;
    }
    t->column[*label].kind = WL_COL_LABEL;
    return WL_OK;
}

/* Find the attribute of bags: the one that bag= names, else one called bag.  Its values must be declared: if they are
 * not, one that bag= names is an error, and one called bag is an ordinary attribute. */
static wlab_code find_bag(wlab_table *t, const wlab_input *in, const wlab_read_options *o, int32_t label,
                          wlab_err *err)
{
    int32_t c;
    wlab_code code = wlab_table_bag(t, in, o, &c, err);

    if (code || c < 0)
        return code;
    if (c != label && t->column[c].kind == WL_COL_NOMINAL)
        t->column[c].kind = WL_COL_BAG;
    else if (o->bag)
        return wlab_fail(err, WL_EARG,
                         "bag=%s: attribute '%s' %s; name a file of bags, one per line, with bags=", o->bag,
                         t->column[c].name, c == label ? "is the class" : "has no declared values");
    return WL_OK;
}

/* ---- rows ---- */

/* Read one cell of column c at *p; *p moves behind it. */
static wlab_code read_cell(job *j, block *k, int32_t c, const char **p, const char *end, wlab_buf *buf,
                           double *cell)
{
    const wlab_column *col = &j->t->column[c];
    const char *const begin = *p = skip_blanks(*p, end), *text;
    char shown[48];
    size_t len;
    bool quoted;
    int32_t id;

    if (col->kind == WL_COL_NUMBER && wlab_number_read(p, end, cell)) {
        *p = skip_blanks(*p, end);
        if (*p >= end || strchr(",}\n", **p))
            return WL_OK;
    }
    *p = begin;
    const wlab_code code = read_value(k->lines->in, p, end, ",}", buf, &text, &len, &quoted);
    switch (code) {
    case WL_OK:
        break;
    case WL_ENOMEM:
    case WL_EINTERRUPTED:
        return k->lines->code = code;
    default:
        return wlab_lines_fail(k->lines, begin, "this quote is never closed");
    }
    *p = skip_blanks(*p, end);
    if (*p < end && !strchr(",}\n", **p))
        return wlab_lines_fail(k->lines, *p, "unexpected text after a closing quote");
    *cell = NAN;
    if (!quoted && len == 1 && *text == '?') {
        if (!k->missing_at[c])
            k->missing_at[c] = begin;
        return WL_OK;
    }
    if (len == 0 && !quoted)
        return wlab_lines_fail(k->lines, begin, "the value of '%s' is empty; write ? for a missing value",
                               col->name);
    if (col->kind == WL_COL_LEFT_OUT) {
        *cell = 0;
        return WL_OK;
    }
    if (col->kind == WL_COL_NUMBER) {
        if (quoted && wlab_number_is(text, text + len, cell))
            return WL_OK;
        return wlab_lines_fail(k->lines, begin, "'%s' is not a finite number, but attribute '%s' is numeric",
                               wlab_text_clean(text, len, shown, sizeof shown), col->name);
    }
    if (col->declared) {
        id = wlab_words_find(&col->words, text, len);
        if (id < 0)
            return wlab_lines_fail(k->lines, begin, "'%s' is not among the declared values of attribute '%s'",
                                   wlab_text_clean(text, len, shown, sizeof shown), col->name);
    } else {
        id = wlab_words_add(&k->words, text, len);
        if (id < 0)
            return k->lines->code = WL_ENOMEM;
    }
    *cell = id;
    return WL_OK;
}

static wlab_code put_cell(block *k, int32_t c, double cell)
{
    if (wlab_buf_put(&k->cell, &cell, sizeof cell) || wlab_buf_put(&k->at, &c, sizeof c))
        return k->lines->code = WL_ENOMEM;
    return WL_OK;
}

/* An attribute that a sparse row leaves out is 0; for a category that means its first declared value, which needs a
 * cell. */
static wlab_code put_implied(job *j, block *k, int32_t from, int32_t to, const char *at)
{
    for (int32_t c = from; c < to; c++) {
        const wlab_column *col = &j->t->column[c];

        if (col->kind != WL_COL_NOMINAL && col->kind != WL_COL_LABEL && col->kind != WL_COL_BAG)
            continue;
        if (col->declared) {
            if (!col->words.n)
                return wlab_lines_fail(k->lines, at,
                                       "attribute '%s' is left out, which means its first declared "
                                       "value, but no value is declared",
                                       col->name);
            if (put_cell(k, c, 0))
                return k->lines->code;
        } else {
            const int32_t id = wlab_words_add(&k->words, "0", 1);
            if (id < 0 || put_cell(k, c, id))
                return k->lines->code = WL_ENOMEM;
        }
    }
    return WL_OK;
}

static wlab_code sparse_row(job *j, block *k, const char **at, const char *end, wlab_buf *buf)
{
    const char *p = *at + 1;
    const size_t before = k->at.len;
    int32_t next = 0, len; /* columns below `next` are done */

    for (;;) {
        const char *begin = p = skip_blanks(p, end);
        int64_t index = 0;
        double cell;

        if (p < end && *p == '}' && k->at.len == before)
            break;
        while (p < end && (unsigned char)(*p - '0') < 10 && index < INT32_MAX)
            index = index * 10 + (*p++ - '0');
        if (p == begin || p >= end || !is_blank(*p))
            return wlab_lines_fail(k->lines, begin, "a column number (from 0) and a value are expected");
        if (wlab_input_due(index) && wlab_lines_check_stop(k->lines))
            return k->lines->code;
        if (index >= j->t->cols)
            return wlab_lines_fail(k->lines, begin, "there is no column %lld: the last one is %d",
                                   (long long)index, (int)j->t->cols - 1);
        if (index < next)
            return wlab_lines_fail(k->lines, begin, "column %lld is out of order or given twice",
                                   (long long)index);
        if (put_implied(j, k, next, (int32_t)index, begin) ||
            read_cell(j, k, (int32_t)index, &p, end, buf, &cell) || put_cell(k, (int32_t)index, cell))
            return k->lines->code;
        next = (int32_t)index + 1;
        if (p < end && *p == '}')
            break;
        if (p >= end || *p != ',')
            return wlab_lines_fail(k->lines, p, "the row has no closing '}'");
        p++;
    }
    if (put_implied(j, k, next, j->t->cols, p))
        return k->lines->code;
    len = (int32_t)((k->at.len - before) / sizeof len);
    if (wlab_buf_put(&k->len, &len, sizeof len))
        return k->lines->code = WL_ENOMEM;
    *at = p + 1;
    return WL_OK;
}

static wlab_code dense_row(job *j, block *k, const char **p, const char *end, wlab_buf *buf, double *cell)
{
    const char *const line = *p;

    for (int32_t c = 0; c < j->t->cols; c++) {
        if ((wlab_input_due(c) && wlab_lines_check_stop(k->lines)) ||
            read_cell(j, k, c, p, end, buf, &cell[c]))
            return k->lines->code;
        if (c + 1 == j->t->cols)
            break;
        if (*p >= end || **p != ',')
            return wlab_lines_fail(k->lines, line, "%d values for %d attributes", (int)c + 1,
                                   (int)j->t->cols);
        ++*p;
    }
    return WL_OK;
}

static void parse_block(void *data, int b)
{
    job *j = data;
    block *k = &j->block[b];
    const char *p = k->lines->begin, *const end = k->lines->end;
    wlab_buf buf = {0};

    while (p < end && !wlab_lines_check_stop(k->lines)) {
        p = skip_blanks(p, end);
        if (p < end && *p != '\n' && *p != '%') {
            if ((*p == '{') != j->sparse) {
                wlab_lines_fail(k->lines, p, "dense and sparse rows are mixed");
                break;
            }
            if (j->sparse ? sparse_row(j, k, &p, end, &buf)
                          : dense_row(j, k, &p, end, &buf, j->t->cell + (k->row + k->rows) * j->t->cols))
                break;
            k->rows++;
            p = skip_blanks(p, end);
            if (p < end && *p != '\n' && *p != '%') {
                wlab_lines_fail(k->lines, p,
                                *p == ',' ? "more values than attributes (%d)"
                                          : "unexpected text after the row",
                                (int)j->t->cols);
                break;
            }
        }
        p = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
        p = p ? p + 1 : end;
    }
    wlab_buf_clear(&buf);
}

/* Join the sparse rows of the blocks in the table. */
static wlab_code join_sparse(job *j, int blocks, int64_t rows, wlab_err *err)
{
    wlab_table *t = j->t;
    size_t cells = 0;
    int64_t at = 0, row = 0;

    for (int b = 0; b < blocks; b++)
        cells += j->block[b].at.len / sizeof(int32_t);
    t->cell = wlab_alloc(cells, sizeof *t->cell);
    t->at = wlab_alloc(cells, sizeof *t->at);
    t->start = wlab_alloc((size_t)rows + 1, sizeof *t->start);
    if (!t->cell || !t->at || !t->start)
        return wlab_nomem(err);
    for (int b = 0; b < blocks; b++) {
        block *k = &j->block[b];
        int64_t n = at;

        if (k->at.len) {
            memcpy(t->cell + at, k->cell.data, k->cell.len);
            memcpy(t->at + at, k->at.data, k->at.len);
        }
        for (int64_t i = 0; i < k->rows; i++) {
            int32_t len;
            memcpy(&len, k->len.data + (size_t)i * sizeof len, sizeof len);
            t->start[row++] = n;
            n += len;
        }
        at = n;
        wlab_buf_clear(&k->cell);
        wlab_buf_clear(&k->at);
    }
    t->start[row] = at;
    return WL_OK;
}

/* If the class is not declared: join the class names of the blocks in the table, and renumber the cells. */
static wlab_code join_words(job *j, int blocks, const wlab_input *in, wlab_err *err)
{
    wlab_table *t = j->t;
    wlab_column *col = &t->column[j->label];
    int64_t row = 0;

    for (int b = 0; b < blocks; b++) {
        const block *k = &j->block[b];
        int32_t *to;
        wlab_code code = wlab_words_join(&col->words, &k->words, &to, in, err);

        if (code)
            return code;
        for (int64_t i = 0; i < k->rows; i++, row++)
            for (int64_t c = t->start ? t->start[row] : row * t->cols;
                 c < (t->start ? t->start[row + 1] : (row + 1) * t->cols); c++)
                if ((t->start ? t->at[c] : (int32_t)(c - row * t->cols)) == j->label && !isnan(t->cell[c]))
                    t->cell[c] = to[(int32_t)t->cell[c]];
        wlab_free(to);
    }
    return WL_OK;
}

static wlab_code parse(job *j, wlab_lines *lines, int blocks, const wlab_input *in, wlab_ctx *ctx,
                       wlab_err *err)
{
    wlab_table *t = j->t;
    int64_t rows = 0;
    wlab_code code;

    j->block = wlab_calloc((size_t)blocks, sizeof *j->block);
    if (!j->block)
        return wlab_nomem(err);
    for (int b = 0; b < blocks; b++) {
        const char *p = lines[b].begin;

        j->block[b].lines = &lines[b];
        j->block[b].row = rows;
        j->block[b].missing_at = wlab_calloc((size_t)t->cols, sizeof *j->block[b].missing_at);
        if (!j->block[b].missing_at)
            return wlab_nomem(err);
        if ((code = wlab_input_check_stop(in, err)))
            return code;
        while (p < lines[b].end && (p = memchr(p, '\n', (size_t)(lines[b].end - p)))) {
            p++;
            rows++;
        }
        rows += lines[b].end[-1] != '\n';
    }
    if (!j->sparse) {
        t->cell = wlab_alloc((size_t)rows * (size_t)t->cols, sizeof *t->cell);
        if (!t->cell)
            return wlab_nomem(err);
    }
    if (!wlab_pool_run_progress(ctx, blocks, parse_block, j, "bytes parsed", (int64_t)in->size))
        return wlab_input_stopped(in, err);
    if ((code = wlab_lines_check(in, lines, blocks, err)))
        return code;
    rows = 0;
    for (int b = 0; b < blocks; b++) {
        const block *k = &j->block[b];

        if (!j->sparse && rows != k->row)
            memmove(t->cell + rows * t->cols, t->cell + k->row * t->cols,
                    (size_t)k->rows * (size_t)t->cols * sizeof *t->cell);
        rows += k->rows;
        for (int32_t c = 0; c < t->cols; c++)
            if (k->missing_at[c] && !t->column[c].missing_at)
                t->column[c].missing_at = k->missing_at[c];
    }
    if (rows == 0 || rows > INT32_MAX)
        return wlab_fail_at(err, in->path, 0, 0,
                            rows ? "the file has too many rows" : "the file has no rows");
    t->rows = rows;
    if (j->sparse && (code = join_sparse(j, blocks, rows, err)))
        return code;
    return j->label >= 0 && !t->column[j->label].declared ? join_words(j, blocks, in, err) : WL_OK;
}

static wlab_code read_arff(wlab_reading *r, const wlab_input *in, const wlab_read_options *options,
                           wlab_ctx *ctx, wlab_err *err)
{
    const char *p = in->data, *q;
    wlab_table t = {0};
    wlab_lines *lines = NULL;
    int blocks = 0;
    job j = {.t = &t, .label = -1};
    wlab_code code;

    if ((code = read_header(&t, in, &p, err)) || (code = find_label(&t, in, options, &j.label, r, err)) ||
        (code = find_bag(&t, in, options, j.label, err)) ||
        (code = wlab_lines_cut(&lines, &blocks, in, p, 0, err)))
        goto out;
    for (q = p; q < in->data + in->size && (is_blank(*q) || *q == '\n' || *q == '%');) {
        if (*q == '%' && !(q = memchr(q, '\n', (size_t)(in->data + in->size - q))))
            break;
        q++;
    }
    j.sparse = q && q < in->data + in->size && *q == '{';
    if ((code = parse(&j, lines, blocks, in, ctx, err)))
        goto out;
    code = wlab_table_finish(&t, r, in, options, ctx, err);
out:
    for (int b = 0; j.block && b < blocks; b++) {
        wlab_words_clear(&j.block[b].words);
        wlab_buf_clear(&j.block[b].cell);
        wlab_buf_clear(&j.block[b].at);
        wlab_buf_clear(&j.block[b].len);
        wlab_free(j.block[b].missing_at);
    }
    wlab_free(j.block);
    wlab_table_clear(&t);
    wlab_free(lines);
    return code;
}

static int probe(const char *head, size_t len)
{
    const char *p = head, *const end = head + len;

    if (len >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
        p += 3;
    while (p < end) {
        p = skip_blanks(p, end);
        if (p < end && *p != '\n' && *p != '%')
            return is_keyword(&p, end, "@relation") || is_keyword(&p, end, "@attribute") ? 100 : 0;
        p = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
        p = p ? p + 1 : end;
    }
    return 0;
}

const wlab_reader wlab_reader_arff = {
    .name = "arff",
    .summary = "Weka's attribute-relation file, dense or sparse",
    .extensions = "arff",
    .probe = probe,
    .read = read_arff,
};

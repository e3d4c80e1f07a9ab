/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What C4.5 files have in addition to other tables: a names file, a period after each row, and in multi-instance
 * data the bag and the instance as the first two columns.
 *
 * The names file: "class, class. name: continuous. name: value, value. name: ignore." with | before comments.
 * Files with such names often contain plain prose, so a file of any other form is ignored.
 */
#include "data/readers/reader.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

#define NAMES_MAX (16 << 20) /* bytes */

/* ---- the names file ---- */

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Remove the blanks at both ends of [*p, *end). */
static void trim(const char **p, const char **end)
{
    while (*p < *end && is_blank(**p))
        ++*p;
    while (*p < *end && is_blank((*end)[-1]))
        --*end;
}

/* The next entry, up to a period before a blank or the end; false: there is none, or it is empty. */
static bool next_entry(const char **at, const char *end, const char **from, const char **to)
{
    const char *p = *at;

    while (p < end && is_blank(*p))
        p++;
    *from = p;
    while (p < end && !(*p == '.' && (p + 1 == end || is_blank(p[1]))))
        p++;
    *to = p;
    *at = p < end ? p + 1 : end;
    trim(from, to);
    return *from < *to;
}

/* Put the values of a list, trimmed, into `words`.  Returns their number; 0: a value is empty; -1: out of memory. */
static int32_t read_values(wlab_words *words, const char *p, const char *end)
{
    for (;;) {
        const char *comma = memchr(p, ',', (size_t)(end - p)), *from = p, *to = comma ? comma : end;

        trim(&from, &to);
        if (from == to)
            return 0;
        if (wlab_words_add(words, from, (size_t)(to - from)) < 0)
            return -1;
        if (!comma)
            return words->n;
        p = comma + 1;
    }
}

/* Read "name: kind".  WL_EINPUT: the entry has another form. */
static wlab_code read_attribute(wlab_column *col, const char *p, const char *end)
{
    const char *colon = memchr(p, ':', (size_t)(end - p)), *stop = colon, *word;
    size_t len = 0;
    int32_t n;

    if (!colon || colon == p || end - p > 1 << 20)
        return WL_EINPUT;
    trim(&p, &stop);
    if (p == stop || memchr(p, '\n', (size_t)(stop - p)))
        return WL_EINPUT;
    col->name = wlab_alloc((size_t)(stop - p) + 1, 1);
    if (!col->name)
        return WL_ENOMEM;
    wlab_text_clean(p, (size_t)(stop - p), col->name, (size_t)(stop - p) + 1);
    word = colon + 1;
    trim(&word, &end);
    while (word + len < end && !is_blank(word[len]))
        len++;
    if (wlab_text_same(word, len, "continuous"))
        return WL_OK;
    if (wlab_text_same(word, len, "ignore")) {
        col->kind = WL_COL_LEFT_OUT;
        return WL_OK;
    }
    col->kind = WL_COL_NOMINAL;
    if (wlab_text_same(word, len, "discrete")) /* the values are those that occur in the data */
        return WL_OK;
    n = word < end ? read_values(&col->words, word, end) : 0;
    col->declared = true;
    return n > 0 ? WL_OK : n < 0 ? WL_ENOMEM : WL_EINPUT;
}

/* Read the columns that the text describes.  WL_EINPUT: it has another form, or another number of columns. */
static wlab_code parse(wlab_table *t, const char *p, const char *end)
{
    const char *from, *to;
    wlab_column *label = &t->column[t->cols - 1];
    int32_t n, c = 0;

    if (!next_entry(&p, end, &from, &to) || memchr(from, ':', (size_t)(to - from)))
        return WL_EINPUT;
    n = read_values(&label->words, from, to);
    if (n < 2)
        return n < 0 ? WL_ENOMEM : WL_EINPUT;
    label->declared = true;
    while (next_entry(&p, end, &from, &to)) {
        wlab_code code = c < t->cols - 1 ? read_attribute(&t->column[c++], from, to) : WL_EINPUT;
        if (code)
            return code;
    }
    return c == t->cols - 1 ? WL_OK : WL_EINPUT;
}

/* The data file's path with .names in place of .data.  NULL: the data file is not called .data, or out of memory. */
static char *names_path(const char *path)
{
    static const char *const packed[] = {"", ".gz", ".bz2", ".xz", ".zst", ".lz4"};
    size_t len = strlen(path);

    for (size_t k = 0; k < sizeof packed / sizeof *packed; k++) {
        size_t more = 5 + strlen(packed[k]);
        if (len > more && memcmp(path + len - more, ".data", 5) == 0 &&
            strcmp(path + len - more + 5, packed[k]) == 0)
            return wlab_format("%.*s.names", (int)(len - more), path);
    }
    return NULL;
}

wlab_code wlab_c45_names(wlab_table *t, const wlab_input *data, bool *found, wlab_ctx *ctx, wlab_err *err)
{
    wlab_table described = {.cols = t->cols};
    wlab_input in = {0};
    char *path = names_path(data->path);
    struct stat st;
    wlab_code code = WL_OK;

    *found = false;
    if (!path || stat(path, &st) || !S_ISREG(st.st_mode) || st.st_size == 0 || st.st_size > NAMES_MAX)
        goto out;
    code = wlab_input_open(&in, path, ctx, err);
    if (code)
        goto out;
    for (size_t i = 0, comment = 0; i < in.size; i++) { /* comments become blanks */
        comment = in.data[i] != '\n' && (comment || in.data[i] == '|');
        if (comment)
            in.data[i] = ' ';
    }
    described.column = wlab_calloc((size_t)t->cols, sizeof *described.column);
    code = !described.column             ? WL_ENOMEM
           : memchr(in.data, 0, in.size) ? WL_EINPUT
                                         : parse(&described, in.data, in.data + in.size);
    if (code == WL_ENOMEM) {
        wlab_nomem(err);
        goto out;
    }
    *found = code == WL_OK;
    code = WL_OK;
    for (int32_t c = 0; *found && c < t->cols; c++) {
        t->column[c] = described.column[c];
        memset(&described.column[c], 0, sizeof described.column[c]);
    }
out:
    wlab_table_clear(&described);
    wlab_input_close(&in);
    wlab_free(path);
    return code;
}

/* ---- rows ---- */

/* If the class ends with a period in every row, as C4.5 writes it, remove the period from the class names.  The first
 * `declared` words come from the names file and have none. */
static wlab_code drop_periods(wlab_table *t, int32_t declared, wlab_reading *r, wlab_err *err)
{
    wlab_column *col = &t->column[t->cols - 1];
    wlab_words words = {0};
    int32_t *to;

    if (col->kind != WL_COL_LABEL || col->words.n <= declared)
        return WL_OK;
    for (int32_t i = declared; i < col->words.n; i++) {
        const char *text = wlab_words_text(&col->words, i);
        size_t len = strlen(text);
        if (len < 2 || text[len - 1] != '.')
            return WL_OK;
    }
    to = wlab_alloc((size_t)col->words.n, sizeof *to);
    if (!to)
        return wlab_nomem(err);
    for (int32_t i = 0; i < col->words.n; i++) {
        const char *text = wlab_words_text(&col->words, i);
        to[i] = wlab_words_add(&words, text, strlen(text) - (i >= declared));
        if (to[i] < 0) {
            wlab_words_clear(&words);
            wlab_free(to);
            return wlab_nomem(err);
        }
    }
    for (int64_t i = 0; i < t->rows; i++) {
        double *cell = &t->cell[(i + 1) * t->cols - 1];
        if (!isnan(*cell))
            *cell = to[(int32_t)*cell];
    }
    wlab_words_clear(&col->words);
    col->words = words;
    wlab_free(to);
    return wlab_reading_remark(r, err, "the period after each class was removed");
}

static bool has_only_words(const wlab_column *col)
{
    double v;

    for (int32_t i = 0; i < col->words.n; i++) {
        const char *text = wlab_words_text(&col->words, i);
        if (wlab_number_is(text, text + strlen(text), &v))
            return false;
    }
    return col->kind == WL_COL_NOMINAL && col->words.n > 0;
}

/* Recognise C4.5 files of bags: the first column names the bag, the second the instance, both with words (not numbers);
 * the instance is different in each row.  Then follow numbers, and last the class, which is the same in all rows of a
 * bag. */
static wlab_code find_bags(wlab_table *t, wlab_err *err)
{
    const wlab_column *label = &t->column[t->cols - 1];
    int64_t *first;
    bool same = true;

    if (t->cols < 4 || label->kind != WL_COL_LABEL || !has_only_words(&t->column[0]) ||
        !has_only_words(&t->column[1]) || t->column[0].words.n >= t->rows || t->column[0].words.n < 2)
        return WL_OK;
    for (int32_t c = 2; c < t->cols - 1; c++)
        if (t->column[c].kind != WL_COL_NUMBER)
            return WL_OK;
    first = wlab_alloc((size_t)t->column[0].words.n + (size_t)t->column[1].words.n, sizeof *first);
    if (!first)
        return wlab_nomem(err);
    memset(first, -1, (size_t)(t->column[0].words.n + t->column[1].words.n) * sizeof *first);
    for (int64_t i = 0; i < t->rows && same; i++) {
        const double *cell = t->cell + i * t->cols;
        int64_t *bag, *instance;

        same = !isnan(cell[0]) && !isnan(cell[1]) && !isnan(cell[t->cols - 1]);
        if (!same)
            break;
        bag = &first[(int32_t)cell[0]];
        instance = &first[t->column[0].words.n + (int32_t)cell[1]];
        same = *instance < 0 &&
               (*bag < 0 || (int32_t)t->cell[(*bag + 1) * t->cols - 1] == (int32_t)cell[t->cols - 1]);
        *instance = i;
        *bag = *bag < 0 ? i : *bag;
    }
    wlab_free(first);
    if (same) {
        t->column[0].kind = WL_COL_BAG;
        t->column[1].kind = WL_COL_LEFT_OUT;
    }
    return WL_OK;
}

/* Refuse values that the names file does not list. */
static wlab_code check_declared(const wlab_table *t, const int32_t *declared, const wlab_input *in,
                                wlab_err *err)
{
    char word[48];

    for (int32_t c = 0; c < t->cols; c++) {
        const wlab_words *w = &t->column[c].words;
        if (t->column[c].declared && w->n > declared[c])
            return wlab_fail_at(err, in->path, 0, 0,
                                "column %d, '%s', contains '%s', which the .names file beside the data does "
                                "not list; correct "
                                "one of the two files, or remove the .names file",
                                (int)c + 1, t->column[c].name ? t->column[c].name : "class",
                                wlab_text_clean(wlab_words_text(w, declared[c]),
                                                strlen(wlab_words_text(w, declared[c])), word, sizeof word));
    }
    return WL_OK;
}

wlab_code wlab_c45_finish(wlab_table *t, const int32_t *declared, bool bags, wlab_reading *r,
                          const wlab_input *in, wlab_err *err)
{
    wlab_code code = drop_periods(t, declared ? declared[t->cols - 1] : 0, r, err);

    if (!code && declared)
        code = check_declared(t, declared, in, err);
    return !code && bags ? find_bags(t, err) : code;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * index:value text: LIBSVM's and SVMlight's files, SVMlin's examples without labels, and the text of bags.
 *
 * Two passes over blocks of lines: the first only counts lines and colons, so that the second can write
 * every block directly to its place.  If about half of the entries are stored, the values are kept in
 * double, since the matrix will be dense.
 *
 * Several ranks may each read their share of a file.  What depends on all of its rows is decided from what all ranks have
 * found (struct found), which is the same on each; so they decide alike, and as one process would.
 */
#include "base/progress.h"
#include "base/sort.h"
#include "data/readers/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PIECE = 1 << 20, /* bytes of a long line between two checks for an interrupt */
    LOOK_LINES = 1000
};

typedef struct block {
    wlab_lines *lines;
    int64_t row, entry;        /* the block's first row and first entry */
    int64_t rows, entries;     /* how many it has; before parsing: upper bounds */
    int64_t unsorted, queries; /* rows whose indices were not sorted; rows with qid: */
    int32_t last;              /* the largest index minus 1; -2: there are no pairs */
    bool zero;                 /* index 0 occurs */
    wlab_words words, bags;
} block;

typedef struct job {
    block *block;
    wlab_pairs_kind kind;
    bool allow_zero;
    int64_t *start;
    int32_t *len, *col, *label, *bag;
    float *single; /* the values are in one of the two */
    double *wide;
} job;

static inline bool is_blank(char c)
{
    return c == ' ' || (c != '\n' && c >= '\t' && c <= '\r');
}

/* How many bytes are equal to c, 8 at a time: each byte of `sums` counts at its own position. */
static int64_t count_byte(const char *p, const char *end, char c)
{
    const uint64_t low = 0x7f7f7f7f7f7f7f7full, ones = 0x0101010101010101ull,
                   pattern = ones * (unsigned char)c;
    int64_t n = 0;

    while (end - p >= 8) {
        uint64_t sums = 0;

        for (int k = 0; k < 255 && end - p >= 8; k++, p += 8) {
            uint64_t x;

            memcpy(&x, p, 8);
            x ^= pattern; /* 0 where equal */
            sums += (~(((x & low) + low) | x) >> 7) & ones;
        }
        sums = (sums & 0x00ff00ff00ff00ffull) + ((sums >> 8) & 0x00ff00ff00ff00ffull);
        n += (int64_t)((sums * 0x0001000100010001ull) >> 48);
    }
    for (; p < end; p++)
        n += *p == c;
    return n;
}

static void count_block(void *data, int b)
{
    block *k = &((job *)data)->block[b];
    const char *end = k->lines->end;

    for (const char *p = k->lines->begin, *stop; p < end && !wlab_lines_check_stop(k->lines); p = stop) {
        stop = end - p < PIECE ? end : p + PIECE;
        k->rows += count_byte(p, stop, '\n');
        k->entries += count_byte(p, stop, ':');
    }
    k->rows += end > k->lines->begin && end[-1] != '\n';
}

/* The token at p, for a message. */
static const char *token_text(const char *p, const char *end, char *buf)
{
    const char *stop = p;

    while (stop < end && !is_blank(*stop) && *stop != '\n' && stop - p < 40)
        stop++;
    return wlab_text_clean(p, (size_t)(stop - p), buf, 64);
}

/* An entry of a row that is to be sorted. */
typedef struct pair {
    int32_t col;
    double val;
} pair;

static int by_column(const void *a, const void *b)
{
    const int32_t x = ((const pair *)a)->col, y = ((const pair *)b)->col;

    return (x > y) - (x < y);
}

/* Sort the row's entries.  WL_EINPUT: the column *twice occurs twice. */
static wlab_code sort_row(job *j, const wlab_ctx *ctx, int64_t at, int32_t n, int32_t *twice)
{
    pair *p = wlab_alloc((size_t)n, sizeof *p);
    wlab_code code = WL_OK;

    if (!p)
        return WL_ENOMEM;
    for (int32_t i = 0; i < n; i++)
        p[i] = (pair){j->col[at + i], j->wide ? j->wide[at + i] : (double)j->single[at + i]};
    code = wlab_sort(p, (size_t)n, sizeof *p, by_column, ctx, NULL);
    for (int32_t i = 0; i < n && code != WL_ENOMEM && code != WL_EINTERRUPTED; i++) {
        if (i && p[i].col == p[i - 1].col) {
            *twice = p[i].col;
            code = WL_EINPUT;
        }
        j->col[at + i] = p[i].col;
        if (j->wide)
            j->wide[at + i] = p[i].val;
        else
            j->single[at + i] = (float)p[i].val;
    }
    wlab_free(p);
    return code;
}

/* Where column `twice` occurs for the second time among the pairs at p, which are known to be well-formed. */
static const char *second_place(const char *p, const char *end, int32_t twice)
{
    bool found = false;

    while (p < end && *p != '\n') {
        const char *const token = p;
        int64_t index = 0;

        while (p < end && (unsigned char)(*p - '0') < 10)
            index = index * 10 + (*p++ - '0');
        if (p > token && index - 1 == twice) {
            if (found)
                return token;
            found = true;
        }
        while (p < end && !is_blank(*p) && *p != '\n')
            p++;
        while (p < end && is_blank(*p))
            p++;
    }
    return p;
}

/* Read and intern the label at *p; -1 after a failure. */
static int32_t read_label(block *k, const char **p, const char *end)
{
    const char *begin = *p;
    char buf[64];
    double v;
    int32_t id;

    if (!wlab_number_read(p, end, &v) || (*p < end && !is_blank(**p) && **p != '\n' && **p != '#')) {
        const char *stop = begin;

        while (stop < end && !is_blank(*stop) && *stop != '\n' && *stop != ':')
            stop++;
        if (stop < end && *stop == ':' &&
            memchr(stop + 1, ':', (size_t)(strcspn(token_text(stop + 1, end, buf), " "))))
            wlab_lines_fail(k->lines, begin,
                            "'%s' is not a label: a line begins with one number, then index:value; "
                            "for instance:bag:label use format=bags",
                            token_text(begin, end, buf));
        else if (stop < end && *stop == ':')
            wlab_lines_fail(k->lines, begin,
                            "'%s' is not a label; for rows without labels use "
                            "format=svmlin",
                            token_text(begin, end, buf));
        else
            wlab_lines_fail(k->lines, begin,
                            "'%s' is not a label: a line begins with one number, then index:value",
                            token_text(begin, end, buf));
        return -1;
    }
    id = wlab_words_add(&k->words, begin, (size_t)(*p - begin));
    if (id < 0)
        k->lines->code = WL_ENOMEM;
    return id;
}

/* Read instance:bag:label at *p; bag and label are interned, the instance's name is ignored. */
static bool read_bag(job *j, block *k, const char **p, const char *end, int64_t row)
{
    const char *begin = *p, *stop = begin, *bag, *label, *s;
    char buf[64];
    double v;

    while (stop < end && !is_blank(*stop) && *stop != '\n' && *stop != '#')
        stop++;
    bag = memchr(begin, ':', (size_t)(stop - begin));
    label = bag ? memchr(bag + 1, ':', (size_t)(stop - bag - 1)) : NULL;
    if (!label) {
        wlab_lines_fail(k->lines, begin,
                        "'%s' is not instance:bag:label: each line begins with that, then index:value",
                        token_text(begin, end, buf));
        return false;
    }
    if (label == ++bag) {
        wlab_lines_fail(k->lines, bag, "'%s' names no bag: instance:bag:label is expected",
                        token_text(begin, end, buf));
        return false;
    }
    s = ++label;
    if (!wlab_number_read(&s, stop, &v) || s != stop) {
        wlab_lines_fail(k->lines, label,
                        "'%s' does not end with a label: instance:bag:label is expected, the label a number",
                        token_text(begin, end, buf));
        return false;
    }
    j->bag[row] = wlab_words_add(&k->bags, bag, (size_t)(label - 1 - bag));
    j->label[row] = wlab_words_add(&k->words, label, (size_t)(stop - label));
    if (j->bag[row] < 0 || j->label[row] < 0) {
        k->lines->code = WL_ENOMEM;
        return false;
    }
    *p = stop;
    return true;
}

/* Read one index:value at *p as entry `at`. */
static wlab_code read_pair(job *j, block *k, const char **p, const char *end, int64_t at)
{
    const char *begin = *p, *s = begin;
    uint64_t index = 0;
    char buf[64];
    double v;

    while (s < end && (unsigned char)(*s - '0') < 10 && index < (1ull << 40))
        index = index * 10 + (uint64_t)(*s++ - '0');
    if (s == begin || s >= end || *s != ':') {
        if (s != begin && index >= (1ull << 40))
            return wlab_lines_fail(k->lines, begin, "index %s is above 2147483646",
                                   token_text(begin, end, buf));
        return wlab_lines_fail(k->lines, begin, "'%s' is not index:value", token_text(begin, end, buf));
    }
    if (index > INT32_MAX - 1)
        return wlab_lines_fail(k->lines, begin, "index %llu is above 2147483646", (unsigned long long)index);
    if (index == 0) {
        if (!j->allow_zero)
            return wlab_lines_fail(k->lines, begin, "index 0, but base=1 says that indices begin with 1");
        k->zero = true;
    }
    s++;
    if (!wlab_number_read(&s, end, &v) || (s < end && !is_blank(*s) && *s != '\n' && *s != '#'))
        return wlab_lines_fail(k->lines, begin, "'%s': what follows the colon is not a finite number",
                               token_text(begin, end, buf));
    j->col[at] = (int32_t)index - 1;
    if (j->wide) {
        j->wide[at] = v;
    } else {
        const float f = (float)v;

        if (isinf(f))
            return wlab_lines_fail(k->lines, begin,
                                   "'%s' is too large: sparse data have numbers up to 3.4e38",
                                   token_text(begin, end, buf));
        j->single[at] = f;
    }
    *p = s;
    return WL_OK;
}

/* Remove entries that are 0 (explicit zeros, and values that round to 0), so that the same data in two formats give the
 * same matrix.  The serial numbers of LIBSVM's precomputed kernels are not 0, so they are kept. */
static int64_t drop_zeros(job *j, int64_t begin, int64_t end)
{
    int64_t to = begin;

    for (int64_t i = begin; i < end; i++) {
        if (j->wide ? j->wide[i] == 0.0 : j->single[i] == 0.0f)
            continue;
        j->col[to] = j->col[i];
        if (j->wide)
            j->wide[to++] = j->wide[i];
        else
            j->single[to++] = j->single[i];
    }
    return to;
}

static wlab_code parse_row(job *j, block *k, const char **at, const char *end, int64_t row, int64_t *entry)
{
    const char *p = *at, *pairs;
    const int64_t begin = *entry;
    int64_t e = begin;
    int32_t previous = -2;
    bool sorted = true, zeros = false, query = false;

    if (j->kind == WL_PAIRS_BAGS && !read_bag(j, k, &p, end, row))
        return k->lines->code;
    if (j->kind == WL_PAIRS_LABELLED && (j->label[row] = read_label(k, &p, end)) < 0)
        return k->lines->code;
    pairs = p;
    for (;;) {
        while (p < end && is_blank(*p))
            p++;
        if (p >= end || *p == '\n' || *p == '#')
            break;
        if (j->kind == WL_PAIRS_LABELLED && *p == 'q' && end - p > 4 && memcmp(p, "qid:", 4) == 0) {
            query = true;
            while (p < end && !is_blank(*p) && *p != '\n')
                p++;
            continue;
        }
        {
            const char *token = p;

            if (read_pair(j, k, &p, end, e))
                return k->lines->code;
            if (j->col[e] <= previous) {
                if (j->col[e] == previous)
                    return wlab_lines_fail(k->lines, token, "index %d occurs twice in this line",
                                           (int)j->col[e] + 1);
                sorted = false;
            }
            previous = j->col[e];
            if (previous > k->last)
                k->last = previous;
            zeros |= j->wide ? j->wide[e] == 0.0 : j->single[e] == 0.0f;
            e++;
            if (wlab_input_due(e - begin) && wlab_lines_check_stop(k->lines))
                return k->lines->code;
        }
    }
    if (!sorted) {
        int32_t twice = 0;
        const wlab_code code = sort_row(j, k->lines->in->ctx, begin, (int32_t)(e - begin), &twice);

        if (code == WL_EINPUT)
            return wlab_lines_fail(k->lines, second_place(pairs, end, twice),
                                   "index %d occurs twice in this line", (int)twice + 1);
        if (code)
            return k->lines->code = code;
        k->unsorted++;
    }
    if (zeros)
        e = drop_zeros(j, begin, e);
    k->queries += query;
    j->start[row] = begin;
    j->len[row] = (int32_t)(e - begin);
    *entry = e;
    *at = p;
    return WL_OK;
}

static void parse_block(void *data, int b)
{
    job *j = data;
    block *k = &j->block[b];
    const char *p = k->lines->begin, *const end = k->lines->end;
    int64_t row = k->row, entry = k->entry;

    k->last = -2;
    while (p < end && !wlab_lines_check_stop(k->lines)) {
        while (p < end && is_blank(*p))
            p++;
        if (p < end && *p != '\n' && *p != '#' && parse_row(j, k, &p, end, row++, &entry))
            return;
        p = p < end ? memchr(p, '\n', (size_t)(end - p)) : end;
        p = p ? p + 1 : end;
    }
    k->rows = row - k->row;
    k->entries = entry - k->entry;
}

static void job_clear(job *j, int blocks)
{
    for (int b = 0; j->block && b < blocks; b++) {
        wlab_words_clear(&j->block[b].words);
        wlab_words_clear(&j->block[b].bags);
    }
    wlab_free(j->block);
    wlab_free(j->start);
    wlab_free(j->len);
    wlab_free(j->col);
    wlab_free(j->label);
    wlab_free(j->bag);
    wlab_free(j->single);
    wlab_free(j->wide);
    memset(j, 0, sizeof *j);
}

/* Parse the whole file, with values in double if `wide`; afterwards the rows of all blocks are contiguous. */
static wlab_code parse(job *j, wlab_lines *lines, int blocks, const wlab_input *in, bool wide, wlab_ctx *ctx,
                       wlab_err *err)
{
    wlab_pool *pool = ctx ? ctx->pool : NULL;
    int64_t rows = 0, entries = 0;
    wlab_code code;

    j->block = wlab_calloc((size_t)blocks, sizeof *j->block);
    if (!j->block)
        return wlab_nomem(err);
    for (int b = 0; b < blocks; b++)
        j->block[b].lines = &lines[b];
    wlab_pool_run(pool, blocks, count_block, j);
    if ((code = wlab_lines_check(in, lines, blocks, err)))
        return code;
    for (int b = 0; b < blocks; b++) {
        j->block[b].row = rows;
        j->block[b].entry = entries;
        rows += j->block[b].rows;
        entries += j->block[b].entries;
    }
    j->start = wlab_alloc((size_t)rows, sizeof *j->start);
    j->len = wlab_alloc((size_t)rows, sizeof *j->len);
    j->label = wlab_alloc((size_t)rows, sizeof *j->label);
    j->bag = j->kind == WL_PAIRS_BAGS ? wlab_alloc((size_t)rows, sizeof *j->bag) : NULL;
    j->col = wlab_alloc((size_t)entries, sizeof *j->col);
    if (wide)
        j->wide = wlab_alloc((size_t)entries, sizeof *j->wide);
    else
        j->single = wlab_alloc((size_t)entries, sizeof *j->single);
    if (!j->start || !j->len || !j->label || !j->col || (!j->wide && !j->single) ||
        (j->kind == WL_PAIRS_BAGS && !j->bag))
        return wlab_nomem(err);
    if (!wlab_pool_run_progress(ctx, blocks, parse_block, j, "bytes parsed", (int64_t)in->size))
        return wlab_input_stopped(in, err);
    code = wlab_lines_check(in, lines, blocks, err);
    if (code)
        return code;
    rows = 0;
    for (int b = 0; b < blocks; b++) {
        const block *k = &j->block[b];

        if (rows != k->row) {
            memmove(j->start + rows, j->start + k->row, (size_t)k->rows * sizeof *j->start);
            memmove(j->len + rows, j->len + k->row, (size_t)k->rows * sizeof *j->len);
            memmove(j->label + rows, j->label + k->row, (size_t)k->rows * sizeof *j->label);
            if (j->bag)
                memmove(j->bag + rows, j->bag + k->row, (size_t)k->rows * sizeof *j->bag);
        }
        rows += k->rows;
    }
    return WL_OK;
}

/* Make the entries of all rows contiguous and shift their columns by `shift`; *entries: how many there are. */
static wlab_code compact(job *j, int64_t rows, int32_t shift, const wlab_input *in, int64_t *entries,
                         wlab_err *err)
{
    wlab_code code = WL_OK;
    int64_t to = 0;

    for (int64_t i = 0; i < rows && !(code = wlab_input_check_stop(in, err)); i++) {
        const size_t n = (size_t)j->len[i];

        if (j->start[i] != to) {
            memmove(j->col + to, j->col + j->start[i], n * sizeof *j->col);
            if (j->wide)
                memmove(j->wide + to, j->wide + j->start[i], n * sizeof *j->wide);
            else
                memmove(j->single + to, j->single + j->start[i], n * sizeof *j->single);
            j->start[i] = to;
        }
        for (size_t e = 0; shift && !code && e < n; e++) {
            j->col[to + (int64_t)e] += shift;
            if (wlab_input_due((int64_t)e))
                code = wlab_input_check_stop(in, err);
        }
        to += (int64_t)n;
    }
    *entries = to;
    return code;
}

/* Whether every row begins with 0:ITS NUMBER, as in LIBSVM's precomputed kernels; `before`: rows on lower ranks. */
static bool is_precomputed(const job *j, int64_t rows, int64_t before)
{
    for (int64_t i = 0; i < rows; i++) {
        const int64_t s = j->start[i], number = before + i + 1;

        if (j->len[i] < 1 || j->col[s] != -1 ||
            (j->wide ? j->wide[s] != (double)number : j->single[s] != (float)number))
            return false;
    }
    return true;
}

/* What the rows of all ranks have in common. */
typedef struct found {
    int64_t rows, entries; /* entries: without the serial numbers of a precomputed kernel */
    int64_t unsorted, queries;
    int32_t last;     /* the largest index minus 1; -2: there are no pairs */
    bool zero;        /* index 0 occurs */
    bool precomputed; /* a precomputed kernel: the rows' serial numbers are not entries */
} found;

/* Adds up what the blocks of all ranks have found; *rows: how many are on this one.  Every rank calls it and gets the same
 * `found`.  Serial numbers of a precomputed kernel are left out of the job's rows. */
static found find(job *j, int blocks, const wlab_input *in, bool kernels, int64_t *rows)
{
    found mine, all[WL_RANKS_MOST], f = {.last = -2};
    int64_t before = 0, entries = 0;

    memset(&mine, 0, sizeof mine); /* also what is between its members: it is sent */
    mine.last = -2;
    for (int b = 0; b < blocks; b++) {
        const block *k = &j->block[b];

        mine.rows += k->rows;
        mine.unsorted += k->unsorted;
        mine.queries += k->queries;
        mine.zero |= k->zero;
        mine.last = k->last > mine.last ? k->last : mine.last;
    }
    wlab_ranks_collect(in->ranks, &mine, sizeof mine, all);
    for (int r = 0; r < wlab_ranks_size(in->ranks); r++) {
        before += in->ranks && r < in->ranks->rank ? all[r].rows : 0;
        f.rows += all[r].rows;
        f.unsorted += all[r].unsorted;
        f.queries += all[r].queries;
        f.zero |= all[r].zero;
        f.last = all[r].last > f.last ? all[r].last : f.last;
    }
    f.precomputed =
        kernels && f.zero && f.rows > 0 && !wlab_ranks_any(in->ranks, !is_precomputed(j, mine.rows, before));
    for (int64_t i = 0; i < mine.rows; i++) {
        j->start[i] += f.precomputed;
        j->len[i] -= f.precomputed;
        entries += j->len[i];
    }
    f.entries = wlab_ranks_total(in->ranks, entries);
    *rows = mine.rows;
    return f;
}

/* Whether at least half of the entries are stored, so that the matrix is dense. */
static bool is_dense(const found *f, int32_t cols)
{
    return (double)f->entries * 2.0 >= (double)f->rows * (double)cols;
}

/* Round the values to single precision, and remove those that become 0. */
static wlab_code round_values(job *j, int64_t rows, int64_t *entries, const wlab_input *in, wlab_err *err)
{
    int64_t to = 0;
    wlab_code code;

    j->single = wlab_alloc((size_t)*entries, sizeof *j->single);
    if (!j->single)
        return wlab_nomem(err);
    for (int64_t i = 0; i < rows; i++) {
        const int64_t begin = j->start[i], end = begin + j->len[i];

        j->start[i] = to;
        for (int64_t e = begin; e < end; e++) {
            const float v = (float)j->wide[e];

            if (isinf(v))
                return wlab_fail(err, WL_ENUMERIC, "a number above 3.4e38 is too large for sparse data");
            if (wlab_input_due(e) && (code = wlab_input_check_stop(in, err)))
                return code;
            if (v == 0.0f)
                continue;
            j->col[to] = j->col[e];
            j->single[to++] = v;
        }
        j->len[i] = (int32_t)(to - j->start[i]);
    }
    *entries = to;
    return WL_OK;
}

/* Make the matrix: a dense one is filled, a sparse one takes the job's arrays.  After a failure *X is NULL, or is
 * freed with the reading. */
static wlab_code make_matrix(job *j, wlab_matrix **X, int64_t rows, int32_t cols, int64_t entries, bool dense,
                             const wlab_input *in, wlab_err *err)
{
    wlab_matrix *m;
    wlab_code code;

    if (dense) {
        code = wlab_matrix_create_dense(X, rows, cols, err);
        if (code)
            return code;
        for (int64_t i = 0; i < rows && !(code = wlab_input_check_stop(in, err)); i++)
            for (int32_t e = 0; !code && e < j->len[i]; e++) {
                (*X)->dense[i * cols + j->col[j->start[i] + e]] = j->wide[j->start[i] + e];
                if (wlab_input_due(e))
                    code = wlab_input_check_stop(in, err);
            }
        (*X)->nnz = entries;
        return code;
    }
    if ((j->wide && (code = round_values(j, rows, &entries, in, err))) ||
        (code = wlab_matrix_create_sparse(X, 0, cols, 0, err)))
        return code;
    m = *X;
    wlab_free(m->start);
    wlab_free(m->len);
    wlab_free(m->col);
    wlab_free(m->val);
    m->rows = rows;
    m->nnz = entries;
    m->start = j->start;
    m->len = j->len;
    m->col = j->col;
    m->val = j->single;
    j->start = NULL;
    j->len = NULL;
    j->col = NULL;
    j->single = NULL;
    return WL_OK;
}

/* Join the words of all blocks, of labels or of bags, in one list, and renumber id[rows]. */
static wlab_code join_words(const job *j, int blocks, bool bags, wlab_words *all, int32_t *id,
                            const wlab_input *in, wlab_err *err)
{
    int64_t row = 0;

    for (int b = 0; b < blocks; b++) {
        const wlab_words *w = bags ? &j->block[b].bags : &j->block[b].words;
        int32_t *to;
        wlab_code code = wlab_words_join(all, w, &to, in, err);

        if (code)
            return code;
        for (int64_t i = 0; i < j->block[b].rows; i++, row++)
            id[row] = to[id[row]];
        wlab_free(to);
    }
    return WL_OK;
}

/* The same for the words of all ranks, in their order: afterwards every rank has the same words, numbered in the order of
 * their first use in the file. */
static wlab_code join_ranks(wlab_words *words, int32_t *id, int64_t rows, const wlab_input *in, wlab_err *err)
{
    wlab_ranks *ranks = in->ranks;
    wlab_words joined = {0};
    size_t len[WL_RANKS_MOST], total = 0;
    const size_t mine = words->bytes.len;

    if (wlab_ranks_size(ranks) == 1)
        return WL_OK;
    wlab_ranks_collect(ranks, &mine, sizeof mine, len);
    for (int r = 0; r < ranks->size; r++)
        total += len[r];
    char *texts = wlab_alloc(total, 1);
    int32_t *to = wlab_alloc((size_t)words->n, sizeof *to);
    wlab_code code = wlab_input_agree(ranks, texts && to ? WL_OK : wlab_nomem(err), err);
    if (code)
        goto out;
    wlab_ranks_join(ranks, words->bytes.data, len, texts);
    for (size_t at = 0; !code && at < total; at += strlen(texts + at) + 1)
        if (wlab_words_add(&joined, texts + at, strlen(texts + at)) < 0)
            code = wlab_nomem(err);
        else
            code = wlab_input_check_stop(in, err);
    if ((code = wlab_input_agree(ranks, code, err)))
        goto out;
    for (int32_t i = 0; i < words->n; i++)
        to[i] = wlab_words_find(&joined, wlab_words_text(words, i), strlen(wlab_words_text(words, i)));
    for (int64_t i = 0; i < rows; i++)
        id[i] = to[id[i]];
    wlab_words_clear(words);
    *words = joined;
    joined = (wlab_words){0};
out:
    wlab_words_clear(&joined);
    wlab_free(texts);
    wlab_free(to);
    return code;
}

static wlab_code join_labels(wlab_reading *r, job *j, int blocks, int64_t rows, const wlab_input *in,
                             wlab_err *err)
{
    wlab_code code =
        wlab_input_agree(in->ranks, join_words(j, blocks, false, &r->words, j->label, in, err), err);

    if (code || (code = join_ranks(&r->words, j->label, rows, in, err)))
        return code;
    r->label = j->label;
    j->label = NULL;
    return WL_OK;
}

static wlab_code join_bags(wlab_reading *r, job *j, int blocks, int64_t rows, const wlab_input *in,
                           wlab_err *err)
{
    wlab_words words = {0};
    char **name = NULL;
    wlab_code code = join_words(j, blocks, true, &words, j->bag, in, err);

    if (!code)
        code = wlab_bags_check(&words, in, err);
    if (!code)
        code = wlab_bags_order(&words, j->bag, rows, &name, in->ctx, err);
    if (!code) {
        r->bag = j->bag;
        r->bags = words.n;
        r->bag_name = name;
        j->bag = NULL;
    }
    wlab_words_clear(&words);
    return code;
}

static wlab_code remarks(wlab_reading *r, const found *f, bool zero, wlab_err *err)
{
    wlab_code code = WL_OK;

    if (f->unsorted)
        code = wlab_reading_remark(r, err, "the indices of %lld rows were sorted", (long long)f->unsorted);
    if (!code && f->queries)
        code = wlab_reading_remark(r, err, "qid: of %lld rows was skipped", (long long)f->queries);
    if (!code && f->precomputed)
        code = wlab_reading_remark(r, err,
                                   "a precomputed kernel: the rows' serial numbers (index 0) were left out");
    else if (!code && zero)
        code = wlab_reading_remark(r, err, "indices begin with 0");
    return code;
}

/* Whether about half of the entries or more are stored, judged from the first thousand lines of the file's first block,
 * which several ranks may have. */
static bool looks_dense(const wlab_input *in)
{
    struct look {
        int64_t rows, entries;
        double last;
    } mine = {0}, all[WL_RANKS_MOST], f = {0};
    const char *p = in->data, *const data_end = in->data + in->size;

    while (p < data_end && in->before + (p - in->data) <= WL_LINE_BLOCK &&
           in->lines_before + mine.rows < LOOK_LINES) {
        const char *stop = memchr(p, '\n', (size_t)(data_end - p)), *end = stop ? stop : data_end, *c;
        double index = 0;

        mine.entries += count_byte(p, end, ':');
        c = memrchr(p, ':', (size_t)(end - p));
        for (double unit = 1; c && c > p && (unsigned char)(c[-1] - '0') < 10; unit *= 10)
            index += unit * (*--c - '0');
        mine.last = index > mine.last ? index : mine.last;
        mine.rows++;
        p = stop ? stop + 1 : data_end;
    }
    wlab_ranks_collect(in->ranks, &mine, sizeof mine, all);
    for (int r = 0; r < wlab_ranks_size(in->ranks); r++) {
        f.rows += all[r].rows;
        f.entries += all[r].entries;
        f.last = all[r].last > f.last ? all[r].last : f.last;
    }
    return (double)f.entries >= 0.4 * (double)f.rows * f.last;
}

/* The number of columns; WL_EINPUT if there are no rows, too many, or too many columns.  The same on all ranks. */
static wlab_code check_sizes(const found *f, bool zero, int32_t columns, int32_t *cols, const wlab_input *in,
                             wlab_err *err)
{
    if (f->rows == 0)
        return wlab_fail_at(err, in->path, 1, 1, "the file has no rows");
    if (f->rows > INT32_MAX)
        return wlab_fail_at(err, in->path, 0, 0, "%lld rows are too many", (long long)f->rows);
    *cols = f->last < -1 ? 0 : f->last + 1 + zero;
    if (columns && columns < *cols)
        return wlab_fail_at(err, in->path, 0, 0, "columns=%d, but index %d occurs", (int)columns,
                            (int)(*cols - zero));
    *cols = columns ? columns : *cols;
    return WL_OK;
}

wlab_code wlab_sparse_text_read(wlab_reading *r, const wlab_input *in, wlab_pairs_kind kind,
                                const wlab_read_options *options, wlab_ctx *ctx, wlab_err *err)
{
    job j = {0};
    wlab_lines *lines = NULL;
    int blocks = 0;
    int64_t rows = 0, entries = 0;
    int32_t cols = 0;
    found f;
    bool zero, wide, again;
    wlab_code code = wlab_input_agree(in->ranks, wlab_lines_cut(&lines, &blocks, in, in->data, 0, err), err);

    if (code)
        goto out;
    wide = looks_dense(in);
    do {
        job_clear(&j, blocks);
        j.kind = kind;
        j.allow_zero = options->base != WL_BASE_1;
        code = wlab_input_agree(in->ranks, parse(&j, lines, blocks, in, wide, ctx, err), err);
        if (code)
            goto out;
        f = find(&j, blocks, in, options->base == WL_BASE_AUTO && kind == WL_PAIRS_LABELLED, &rows);
        zero = !f.precomputed && (f.zero || options->base == WL_BASE_0);
        if ((code = check_sizes(&f, zero, options->columns, &cols, in, err)))
            goto out;
        /* the first block was not typical: the values are needed in double */
        again = !wide && is_dense(&f, cols);
        wide |= again;
    } while (again);
    code = wlab_input_agree(in->ranks, compact(&j, rows, zero, in, &entries, err), err);
    if (code || (kind != WL_PAIRS_ONLY && (code = join_labels(r, &j, blocks, rows, in, err))) ||
        (kind == WL_PAIRS_BAGS && (code = join_bags(r, &j, blocks, rows, in, err))))
        goto out;
    code = make_matrix(&j, &r->X, rows, cols, entries, is_dense(&f, cols), in, err);
    if (!code)
        code = remarks(r, &f, zero && options->base == WL_BASE_AUTO, err);
    code = wlab_input_agree(in->ranks, code, err);
out:
    job_clear(&j, blocks);
    wlab_free(lines);
    return code;
}

/* Whether the token [p, end) is index:number. */
static bool is_pair(const char *p, const char *end)
{
    const char *s = p;
    double v;

    while (s < end && (unsigned char)(*s - '0') < 10)
        s++;
    return s > p && s < end && *s == ':' && wlab_number_is(s + 1, end, &v);
}

/* Whether the token [p, end) looks like a pair with a fault: an index, or a number as value, but not both. */
static bool is_almost_pair(const char *p, const char *end)
{
    const char *colon = p;
    bool index = true;
    double v;

    for (; colon < end && *colon != ':'; colon++)
        index &= (unsigned char)(*colon - '0') < 10;
    return colon < end && ((index && colon > p) || wlab_number_is(colon + 1, end, &v));
}

/* Whether the token [p, end) is instance:bag:label. */
static bool is_bag(const char *p, const char *end)
{
    const char *bag = memchr(p, ':', (size_t)(end - p)),
               *label = bag ? memchr(bag + 1, ':', (size_t)(end - bag - 1)) : NULL;
    double v;

    return label && label > bag + 1 && wlab_number_is(label + 1, end, &v);
}

int wlab_sparse_text_probe(const char *head, size_t len, wlab_pairs_kind kind)
{
    const char *p = head, *const end = head + len;
    int lines = 0, good = 0, almost = 0, pairs = 0;

    while (p < end && lines < 50) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        bool ok = true, close = true; /* close: a label and pairs, some of them with a fault */
        int tokens = 0;

        stop = stop ? stop : end;
        while (p < stop && *p != '#') {
            const char *token = p;
            double v;

            if (is_blank(*p)) {
                p++;
                continue;
            }
            while (p < stop && !is_blank(*p) && *p != '#')
                p++;
            if (tokens++ == 0 && kind != WL_PAIRS_ONLY) {
                ok &= kind == WL_PAIRS_BAGS ? is_bag(token, p) : wlab_number_is(token, p, &v);
                close = ok;
            } else if (is_pair(token, p)) {
                pairs++;
            } else {
                ok &= kind == WL_PAIRS_LABELLED && p - token > 4 && memcmp(token, "qid:", 4) == 0;
                close &= is_almost_pair(token, p);
            }
        }
        p = stop < end ? stop + 1 : end;
        lines += tokens > 0;
        good += tokens > 0 && ok;
        almost += tokens > 1 && (ok || close);
    }
    if (pairs && good * 2 >= lines)
        return 50 + 40 * good / lines;
    /* More than a table in columns: then the error names the first fault, in place of columns of odd words. */
    return kind == WL_PAIRS_LABELLED && pairs && almost * 2 > lines ? 20 : 0;
}

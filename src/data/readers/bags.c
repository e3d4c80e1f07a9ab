/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Andrews' text of bags: "instance:bag:label index:value index:value ...", one row per line.  The label is that of
 * the bag, so all rows of a bag have the same label.
 */
#include "data/readers/reader.h"

#include <string.h>

static int probe(const char *head, size_t len)
{
    return wlab_sparse_text_probe(head, len, WL_PAIRS_BAGS);
}

/* Where in the file the label of row `row` (from 0) begins. */
static const char *label_of(const wlab_input *in, int64_t row)
{
    const char *p = in->data, *const end = in->data + in->size;

    for (;;) {
        while (p < end && (unsigned char)*p <= ' ')
            p++;
        if (p < end && *p != '#' && row-- == 0)
            break;
        p = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
        if (!p)
            return end;
    }
    for (int colons = 0; p < end && colons < 2; p++)
        colons += *p == ':';
    return p;
}

static wlab_code check_bags(const wlab_reading *r, const wlab_input *in, wlab_err *err)
{
    int32_t *first = wlab_alloc((size_t)r->bags, sizeof *first);
    wlab_code code = WL_OK;

    if (!first)
        return wlab_nomem(err);
    memset(first, -1, (size_t)r->bags * sizeof *first);
    for (int64_t i = 0; i < r->X->rows && !code; i++) {
        int32_t *row = &first[r->bag[i]];

        if ((code = wlab_input_check_stop(in, err)))
            break;
        if (*row < 0)
            *row = (int32_t)i;
        if (r->label[*row] != r->label[i]) {
            const char *a = wlab_words_text(&r->words, r->label[*row]),
                       *b = wlab_words_text(&r->words, r->label[i]);
            double x, y;
            long line, column;
            char was[48], is[48];

            if (wlab_number_is(a, a + strlen(a), &x) && wlab_number_is(b, b + strlen(b), &y) && x == y)
                continue; /* +1 and 1 */
            wlab_input_place(in, label_of(in, *row), &line, &column);
            code = wlab_input_fail(
                in, label_of(in, i), err,
                "label %s, but line %ld gives the same bag label %s: in this format all rows of a bag have "
                "its label; labels of single rows come from another file, truth=FILE",
                wlab_text_clean(b, strlen(b), is, sizeof is), line,
                wlab_text_clean(a, strlen(a), was, sizeof was));
        }
    }
    wlab_free(first);
    return code;
}

static bool same_row(const wlab_matrix *X, int64_t a, int64_t b)
{
    const int32_t n = X->len[a];

    return n == X->len[b] &&
           (X->sparse
                ? memcmp(X->col + X->start[a], X->col + X->start[b], (size_t)n * sizeof *X->col) == 0 &&
                      memcmp(X->val + X->start[a], X->val + X->start[b], (size_t)n * sizeof *X->val) == 0
                : memcmp(X->dense + X->start[a], X->dense + X->start[b], (size_t)n * sizeof *X->dense) == 0);
}

/* Refuse an instance that is in two bags: the same number with the same features.  The same number with other features
 * is no error: some files number the instances within each bag. */
static wlab_code check_overlap(const wlab_reading *r, const wlab_input *in, wlab_err *err)
{
    const char *p = in->data, *const end = in->data + in->size;
    wlab_words instances = {0};
    int32_t *first = wlab_alloc((size_t)r->X->rows, sizeof *first);
    wlab_code code = first ? WL_OK : wlab_nomem(err);

    for (int64_t i = 0; !code && i < r->X->rows; i++) {
        const char *stop;
        char was[48], is[48];
        int32_t before, id;

        if ((code = wlab_input_check_stop(in, err)))
            break;
        for (;;) { /* skip to the line of the row */
            while (p < end && (unsigned char)*p <= ' ')
                p++;
            if (p >= end || *p != '#')
                break;
            p = memchr(p, '\n', (size_t)(end - p));
            p = p ? p : end;
        }
        stop = memchr(p, ':', (size_t)(end - p));
        before = instances.n;
        id = wlab_words_add(&instances, p, stop ? (size_t)(stop - p) : 0);
        if (id < 0)
            code = wlab_nomem(err);
        else if (id == before)
            first[id] = (int32_t)i;
        else if (r->bag[first[id]] != r->bag[i] && same_row(r->X, first[id], i)) {
            const char *a = r->bag_name[r->bag[first[id]]], *b = r->bag_name[r->bag[i]];
            code = wlab_input_fail(in, p, err, "instance %s is in bag %s and in bag %s: " WL_NO_OVERLAP,
                                   wlab_words_text(&instances, id),
                                   wlab_text_clean(a, strlen(a), was, sizeof was),
                                   wlab_text_clean(b, strlen(b), is, sizeof is));
        }
        p = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
        p = p ? p : end;
    }
    wlab_words_clear(&instances);
    wlab_free(first);
    return code;
}

static wlab_code read_bags(wlab_reading *r, const wlab_input *in, const wlab_read_options *options,
                           wlab_ctx *ctx, wlab_err *err)
{
    wlab_code code = wlab_sparse_text_read(r, in, WL_PAIRS_BAGS, options, ctx, err);

    if (!code)
        code = check_bags(r, in, err);
    return code ? code : check_overlap(r, in, err);
}

const wlab_reader wlab_reader_bags = {
    .name = "bags",
    .summary = "Andrews' text of bags: instance:bag:label, then index:value pairs",
    .extensions = "bags svm",
    .flags = WL_READS_PAIRS,
    .probe = probe,
    .read = read_bags,
};

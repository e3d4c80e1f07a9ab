/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * SVMlin's pair of files: examples as index:value pairs without labels, and a file of labels, one a line.
 */
#include "data/readers/reader.h"

#include <stdlib.h>
#include <string.h>

static int probe(const char *head, size_t len)
{
    return wlab_sparse_text_probe(head, len, WL_PAIRS_ONLY);
}

static wlab_code read_svmlin(wlab_reading *r, const wlab_input *in, const wlab_read_options *options,
                             wlab_ctx *ctx, wlab_err *err)
{
    return wlab_sparse_text_read(r, in, WL_PAIRS_ONLY, options, ctx, err);
}

const wlab_reader wlab_reader_svmlin = {probe, read_svmlin};

wlab_code wlab_labels_read(const char *path, const char *what, int64_t rows, wlab_words *words,
                           int32_t *label, wlab_ctx *ctx, wlab_err *err)
{
    wlab_input in;
    wlab_code code = wlab_input_open(&in, path, ctx, err);
    const char *p, *end, *second, *empty = NULL,
                                  *gap = NULL; /* the first empty line, and one that others follow */
    int64_t n = 0;

    if (code)
        return code;
    p = in.data;
    end = in.data + in.size;
    if (memchr(p, 0, in.size)) {
        code = wlab_fail_at(err, path, 0, 0, "not a file of %ss: it is binary; one %s a line is expected",
                            what, what);
        goto out;
    }
    while (p < end) {
        const char *stop = memchr(p, '\n', (size_t)(end - p)), *q = stop ? stop : end, *line = p;
        double v;

        p = stop ? stop + 1 : end;
        if ((code = wlab_input_look(&in, err)))
            goto out;
        while (q > line && (unsigned char)q[-1] <= ' ')
            q--;
        while (line < q && (unsigned char)*line <= ' ')
            line++;
        if (line == q) {
            empty = empty ? empty : line;
            continue;
        }
        gap = empty;
        second = strcmp(what, "bag") == 0
                     ? wlab_bag_list(line, (size_t)(q - line), memchr(line, ' ', (size_t)(q - line)) != NULL)
                     : NULL;
        if (second) {
            /* not quoted: a stranger's script may have named the file, and it may be anything */
            code = wlab_input_fail(&in, second, err, "row %lld is in several bags here: " WL_NO_OVERLAP,
                                   (long long)n + 1);
            goto out;
        }
        if (memchr(line, ' ', (size_t)(q - line)) && !wlab_number_is(line, q, &v)) {
            code = wlab_input_fail(&in, line, err, "several words where one %s is expected", what);
            goto out;
        }
        if (n < rows) {
            label[n] = wlab_text_missing(line, (size_t)(q - line))
                           ? -1
                           : wlab_words_add(words, line, (size_t)(q - line));
            if (label[n] < 0 && !wlab_text_missing(line, (size_t)(q - line))) {
                code = wlab_nomem(err);
                goto out;
            }
        }
        n++;
    }
    if (n < rows && gap)
        code = wlab_input_fail(&in, gap, err,
                               "%lld %ss for %lld rows: one %s a line is expected, and this line is empty",
                               (long long)n, what, (long long)rows, what);
    else if (n != rows)
        code = wlab_fail_at(err, path, 0, 0, "%lld %ss for %lld rows: one %s a line is expected",
                            (long long)n, what, (long long)rows, what);
out:
    wlab_input_close(&in);
    return code;
}

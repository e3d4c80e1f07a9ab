/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * SVMlin's pair of files: examples as index:value pairs without labels, and a file of labels, one a line.
 */
#include "data/reader.h"

#include <stdlib.h>
#include <string.h>

static int probe(const char *head, size_t len)
{
    return wlab_sparse_text_probe(head, len, false);
}

static wlab_code read_svmlin(wlab_reading *r, const wlab_input *in, const wlab_read_options *options,
                             wlab_ctx *ctx, wlab_err *err)
{
    return wlab_sparse_text_read(r, in, false, options, ctx, err);
}

const wlab_reader wlab_reader_svmlin = {probe, read_svmlin};

wlab_code wlab_labels_read(const char *path, int64_t rows, wlab_words *words, int32_t *label, wlab_ctx *ctx,
                           wlab_err *err)
{
    wlab_input in;
    wlab_code code = wlab_input_open(&in, path, ctx, err);
    const char *p, *end;
    int64_t n = 0;

    if (code)
        return code;
    p = in.data;
    end = in.data + in.size;
    if (memchr(p, 0, in.size)) {
        code =
            wlab_fail_at(err, path, 0, 0, "not a file of labels: it is binary; one label a line is expected");
        goto out;
    }
    while (p < end) {
        const char *stop = memchr(p, '\n', (size_t)(end - p)), *q = stop ? stop : end, *line = p;
        char buf[64];
        double v;

        p = stop ? stop + 1 : end;
        while (q > line && (unsigned char)q[-1] <= ' ')
            q--;
        while (line < q && (unsigned char)*line <= ' ')
            line++;
        if (line == q)
            continue;
        if (memchr(line, ' ', (size_t)(q - line)) && !wlab_number_is(line, q, &v)) {
            code = wlab_input_fail(&in, line, err, "'%s' where one label is expected",
                                   wlab_text_clean(line, (size_t)(q - line), buf, sizeof buf));
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
    if (n != rows)
        code = wlab_fail_at(err, path, 0, 0, "%lld labels for %lld rows: one label a line is expected",
                            (long long)n, (long long)rows);
out:
    wlab_input_close(&in);
    return code;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Split files: which rows are labelled.  Each split is a line of row numbers from 1, or a row of idxLabs in a
 * MAT-file.
 */
#include "data/readers/reader.h"

#include <math.h>
#include <string.h>

static wlab_code add_row(wlab_buf *rows, double number, wlab_err *err)
{
    const int32_t row = (int32_t)number - 1;

    return wlab_buf_put(rows, &row, sizeof row) ? wlab_nomem(err) : WL_OK;
}

static wlab_code read_text(const wlab_input *in, int64_t line, wlab_buf *rows, wlab_err *err)
{
    const char *p = in->data, *const end = p + in->size;
    int64_t lines = 0;

    while (p < end) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        bool any = false;

        stop = stop ? stop : end;
        while (p < stop && *p != '#') {
            const char *token = p;
            double v;

            if ((unsigned char)*p <= ' ' || *p == ',') {
                p++;
                continue;
            }
            if (!wlab_number_read(&p, stop, &v) || v != floor(v) || v < 1 || v > INT32_MAX ||
                (p < stop && (unsigned char)*p > ' ' && *p != ',' && *p != '#'))
                return wlab_input_fail(in, token, err, "a row number (from 1) is expected");
            any = true;
            if (lines + 1 == line) {
                wlab_code code = add_row(rows, v, err);
                if (code)
                    return code;
            }
        }
        lines += any;
        p = stop < end ? stop + 1 : end;
    }
    if (line > lines)
        return wlab_fail(err, WL_EARG, "'%s' has %lld splits: there is no split %lld", in->path,
                         (long long)lines, (long long)line);
    return WL_OK;
}

wlab_code wlab_split_file_read(const char *path, int64_t line, int32_t **rows, int64_t *n, wlab_err *err)
{
    wlab_input in;
    wlab_buf list = {0};
    wlab_code code;

    *rows = NULL;
    *n = 0;
    if (line < 1)
        return wlab_fail(err, WL_EARG, "line=%lld: splits are numbered from 1", (long long)line);
    code = wlab_input_open(&in, path, NULL, err);
    if (code)
        return code;
    if (wlab_mat_is(in.data, in.size))
        code = wlab_mat_read_row(&in, "idxLabs", line, &list, err);
    else if (memchr(in.data, 0, in.size))
        code = wlab_fail_at(err, path, 0, 0,
                            "a split file is text with row numbers, or a MAT-file with idxLabs");
    else
        code = read_text(&in, line, &list, err);
    for (size_t i = 1; !code && i < list.len / sizeof **rows; i++)
        for (size_t k = 0; k < i; k++)
            if (memcmp(list.data + i * sizeof **rows, list.data + k * sizeof **rows, sizeof **rows) == 0) {
                int32_t row;
                memcpy(&row, list.data + i * sizeof row, sizeof row);
                code = wlab_fail_at(err, path, (long)line, 0, "split %lld names row %d twice",
                                    (long long)line, (int)row + 1);
                i = list.len;
                break;
            }
    if (!code) {
        *rows = wlab_alloc(list.len, 1);
        if (*rows) {
            if (list.len)
                memcpy(*rows, list.data, list.len);
            *n = (int64_t)(list.len / sizeof **rows);
        } else {
            code = wlab_nomem(err);
        }
    }
    wlab_buf_clear(&list);
    wlab_input_close(&in);
    return code;
}

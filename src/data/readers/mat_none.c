/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The reader of MAT-files in a weaklab that was built without matio: it checks such a file, and says what is missing.
 */
#include "data/readers/reader.h"

static wlab_code without_matio(const wlab_input *in, wlab_err *err)
{
    wlab_buf checked = {0};
    const wlab_code code = wlab_mat_check(in, &checked, err);

    wlab_buf_clear(&checked);
    if (code) /* no MAT-file, or damaged: matio would not help */
        return code;
    return wlab_fail_at(err, in->path, 0, 0,
                        "this weaklab was built without matio, which reads MAT-files; install it "
                        "(`scripts/install-deps`) and build weaklab again, or save the data as text");
}

static wlab_code read_mat(wlab_reading *r, const wlab_input *in, const wlab_read_options *options,
                          wlab_ctx *ctx, wlab_err *err)
{
    (void)r, (void)options, (void)ctx;
    return without_matio(in, err);
}

wlab_code wlab_mat_read_row(const wlab_input *in, const char *name, int64_t row, wlab_buf *out, wlab_err *err)
{
    (void)name, (void)row, (void)out;
    return without_matio(in, err);
}

static int probe(const char *head, size_t len)
{
    return wlab_mat_is(head, len) ? 100 : 0;
}

const wlab_reader wlab_reader_mat = {
    .name = "mat",
    .summary = "MATLAB MAT-file; this weaklab was built without matio and cannot read it",
    .extensions = "mat",
    .folder = "X.mat",
    .flags = WL_READS_BINARY,
    .probe = probe,
    .read = read_mat,
};

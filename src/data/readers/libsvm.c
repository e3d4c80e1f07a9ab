/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * LIBSVM's and SVMlight's text: "label index:value index:value ... # comment", one row per line.
 */
#include "data/readers/reader.h"

static int probe(const char *head, size_t len)
{
    return wlab_sparse_text_probe(head, len, WL_PAIRS_LABELLED);
}

static wlab_code read_libsvm(wlab_reading *r, const wlab_input *in, const wlab_read_options *options,
                             wlab_ctx *ctx, wlab_err *err)
{
    return wlab_sparse_text_read(r, in, WL_PAIRS_LABELLED, options, ctx, err);
}

const wlab_reader wlab_reader_libsvm = {
    .name = "libsvm",
    .summary = "LIBSVM and SVMlight text: a label, then index:value pairs",
    .extensions = "libsvm svm svmlight dat t",
    .flags = WL_READS_PAIRS | WL_READS_SHARES,
    .probe = probe,
    .read = read_libsvm,
};

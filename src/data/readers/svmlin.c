/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * SVMlin's pair of files: examples as index:value pairs without labels, and a file of labels, one per line.
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

const wlab_reader wlab_reader_svmlin = {
    .name = "svmlin",
    .summary = "SVMlin's examples: index:value pairs; labels= names the file of labels",
    .extensions = "svmlin",
    .flags = WL_READS_PAIRS | WL_READS_SHARES,
    .probe = probe,
    .read = read_svmlin,
};

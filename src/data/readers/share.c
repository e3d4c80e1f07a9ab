/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A file that several ranks read: each has the lines that begin in its range of the bytes, so that the memory of each falls
 * with their number.
 */
#include "data/readers/reader.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum {
    LOOK = 1 << 16 /* bytes read at a time to find the end of a line */
};

wlab_code wlab_input_agree(wlab_ranks *ranks, wlab_code code, wlab_err *err)
{
    int first;

    code = wlab_ranks_agree_bare(ranks, code, err, &first);
    /* rank 0 names no rank: what it cannot read, one process could not read either */
    if (code == WL_ENOMEM || (code == WL_EIO && first > 0))
        wlab_ranks_name(ranks, first, err);
    return code;
}

wlab_code wlab_input_open_head(wlab_input *in, const char *path, bool *packed, wlab_ctx *ctx, wlab_err *err)
{
    int64_t size;
    int fd;
    wlab_code code;

    *in = (wlab_input){.path = path, .ctx = ctx};
    if ((code = wlab_input_file(path, &fd, &size, err)))
        return code;
    /* one more than the probes get: so it is known that the file is larger */
    code = wlab_input_bytes(in, fd, 0, size < WL_HEAD + 1 ? size : WL_HEAD + 1, NULL, err);
    close(fd);
    if (!code)
        code = wlab_input_refuse_zip(in, err);
    if (!code)
        *packed = wlab_input_packed(in->data, in->size);
    else
        wlab_input_close(in);
    return code;
}

/* *line: where the first line begins that begins at the byte `at` or later; `size` if there is none. */
static wlab_code find_line(const wlab_input *in, int fd, int64_t at, int64_t size, int64_t *line,
                           wlab_err *err)
{
    char *text = at ? wlab_alloc(LOOK, 1) : NULL;
    const char *stop = NULL;
    wlab_code code = at && !text ? wlab_nomem(err) : WL_OK;

    *line = at;
    for (int64_t from = at - 1; !code && at && !stop && from < size;) {
        const ssize_t n = pread(fd, text, size - from < LOOK ? (size_t)(size - from) : LOOK, from);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            code = wlab_fail_errno(err, "cannot read '%s'", in->path);
        else if (n == 0)
            code = wlab_fail(err, WL_EIO, "'%s' became shorter while it was read", in->path);
        else if ((code = wlab_input_check_stop(in, err)) == WL_OK)
            stop = memchr(text, '\n', (size_t)n);
        *line = stop ? from + (stop - text) + 1 : size;
        from += n;
    }
    wlab_free(text);
    return code;
}

/* Sets in->lines_before from how many lines end in the lower ranks' shares. */
static void count_lines(wlab_input *in)
{
    long each[WL_RANKS_MOST], mine = 0;
    const char *p = in->data, *const end = in->data + in->size;

    while (p < end && (p = memchr(p, '\n', (size_t)(end - p)))) {
        p++;
        mine++;
    }
    wlab_ranks_collect(in->ranks, &mine, sizeof mine, each);
    for (int r = 0; in->ranks && r < in->ranks->rank; r++)
        in->lines_before += each[r];
}

wlab_code wlab_input_open_share(wlab_input *in, const char *path, wlab_ranks *ranks, wlab_ctx *ctx,
                                wlab_err *err)
{
    const int me = ranks ? ranks->rank : 0, ranks_size = wlab_ranks_size(ranks);
    int64_t size = 0, begin = 0, all[WL_RANKS_MOST + 1];
    int fd = -1;

    *in = (wlab_input){.path = path, .ctx = ctx, .ranks = ranks};
    wlab_code code = wlab_input_agree(ranks, wlab_input_file(path, &fd, &size, err), err);
    if (!code) {
        wlab_ranks_broadcast(ranks, &size, sizeof size); /* the file may be growing */
        code =
            wlab_input_agree(ranks,
                             find_line(in, fd, size / ranks_size * me + size % ranks_size * me / ranks_size,
                                       size, &begin, err),
                             err);
    }
    if (!code) {
        wlab_ranks_collect(ranks, &begin, sizeof begin, all);
        all[ranks_size] = size;
        in->before = begin;
        code = wlab_input_agree(ranks, wlab_input_bytes(in, fd, begin, all[me + 1], ctx, err), err);
    }
    if (fd >= 0)
        close(fd);
    if (code)
        wlab_input_close(in);
    else
        count_lines(in);
    return code;
}

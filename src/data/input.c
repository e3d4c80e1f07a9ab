/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A data file into memory: regular files only, unpacked where they are compressed, and cut into blocks
 * of lines for parallel parsing.
 *
 * The file is copied rather than mapped: a mapped file that shrinks under us would kill the program.
 */
#include "base/locale.h"
#include "base/progress.h"
#include "data/reader.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define READ_BLOCK   (4 << 20)
#define LINE_BLOCK   (1 << 20)
#define UNPACK_PIECE ((size_t)1 << 20) /* bytes unpacked at a time, and read by libarchive */
#define UNPACKED_MAX ((size_t)16 << 30)

typedef struct read_job {
    int fd;
    char *data;
    int64_t size;
    atomic_int error; /* errno; -1: the file ended early */
} read_job;

static void read_block(void *data, int b)
{
    read_job *job = data;
    int64_t at = (int64_t)b * READ_BLOCK, end = at + READ_BLOCK < job->size ? at + READ_BLOCK : job->size;

    while (at < end) {
        const ssize_t n = pread(job->fd, job->data + at, (size_t)(end - at), at);

        if (n > 0) {
            at += n;
        } else if (n == 0 || errno != EINTR) {
            atomic_store(&job->error, n == 0 ? -1 : errno);
            return;
        }
    }
}

static const char *kind_of(mode_t mode)
{
    return S_ISDIR(mode) ? "a folder" : S_ISFIFO(mode) ? "a pipe" : S_ISSOCK(mode) ? "a socket" : "a device";
}

static wlab_code read_file(wlab_input *in, const char *path, wlab_ctx *ctx, wlab_err *err)
{
    read_job job = {.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
    struct stat st;
    wlab_code code = WL_OK;
    int error;

    if (job.fd < 0)
        return wlab_fail_errno(err, "cannot open '%s'", path);
    if (fstat(job.fd, &st)) {
        code = wlab_fail_errno(err, "cannot read '%s'", path);
        goto out;
    }
    if (!S_ISREG(st.st_mode)) {
        code = wlab_fail(err, WL_EIO, "'%s' is %s: only regular files are read", path, kind_of(st.st_mode));
        goto out;
    }
    job.size = st.st_size;
    if (job.size == 0) {
        code = wlab_fail_at(err, path, 0, 0, "the file is empty");
        goto out;
    }
    if (job.size / READ_BLOCK >= INT32_MAX) {
        code = wlab_fail(err, WL_EIO, "'%s' is too large", path);
        goto out;
    }
    job.data = wlab_alloc((size_t)job.size, 1);
    if (!job.data) {
        code = wlab_nomem(err);
        goto out;
    }
    wlab_pool_run_told(ctx, (int)((job.size + READ_BLOCK - 1) / READ_BLOCK), read_block, &job, "bytes read",
                       job.size);
    error = atomic_load(&job.error);
    if (error) {
        wlab_free(job.data);
        errno = error;
        code = error < 0 ? wlab_fail(err, WL_EIO, "'%s' became shorter while it was read", path)
                         : wlab_fail_errno(err, "cannot read '%s'", path);
        goto out;
    }
    in->path = path;
    in->data = job.data;
    in->size = (size_t)job.size;
out:
    close(job.fd);
    return code;
}

typedef enum packing {
    PLAIN,
    GZIP,
    OTHER
} packing;

static packing packing_of(const char *data, size_t size)
{
    static const struct {
        const char *magic;
        size_t len;
    } others[] = {{"BZh", 3}, {"\xfd\x37zXZ\0", 6}, {"\x28\xb5\x2f\xfd", 4}, {"\x04\x22\x4d\x18", 4}};

    if (size > 2 && memcmp(data, "\x1f\x8b", 2) == 0)
        return GZIP;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (size > others[i].len && memcmp(data, others[i].magic, others[i].len) == 0)
            return OTHER;
    return PLAIN;
}

/* What has been unpacked so far. */
typedef struct unpacked {
    char *data;
    size_t size, cap;
    wlab_progress progress; /* in compressed bytes */
} unpacked;

static wlab_code damaged(const wlab_input *in, const char *why, wlab_err *err)
{
    /* how zlib, lzma, bzip2, zstd and lz4 call an end that comes too early */
    if (why && (strstr(why, "unexpected end") || strstr(why, "No progress") || strstr(why, "runcated")))
        return wlab_fail_at(err, in->path, 0, 0,
                            "the file ends before its compressed data do: it was cut off");
    return wlab_fail_at(err, in->path, 0, 0, "the compressed file is damaged or cut off (%s)",
                        why ? why : "no reason given");
}

/* Room for more; and the checks that stop a file that unpacks without end. */
static wlab_code more_room(unpacked *u, const wlab_input *in, const wlab_ctx *ctx, wlab_err *err)
{
    const size_t cap = u->data ? u->cap * 2 : in->size * 4 + 4096;
    char *data;

    if (u->size > UNPACKED_MAX)
        return wlab_fail_at(err, in->path, 0, 0, "more than 16 GiB come out of the compressed file");
    if (wlab_interrupted(ctx))
        return wlab_fail(err, WL_EINTERRUPTED, "reading '%s' was stopped", in->path);
    if (u->data && u->size < u->cap)
        return WL_OK;
    data = wlab_realloc(u->data, cap, 1);
    if (!data)
        return wlab_nomem(err);
    u->data = data;
    u->cap = cap;
    return WL_OK;
}

/* gzip goes through zlib, since libarchive does not compare its checksums.  One member after another. */
static wlab_code unpack_gzip(const wlab_input *in, unpacked *u, const wlab_ctx *ctx, wlab_err *err)
{
    z_stream z = {0};
    size_t taken = 0;
    wlab_code code = WL_OK;
    int status = Z_OK;

    if (inflateInit2(&z, 15 + 16) != Z_OK)
        return wlab_nomem(err);
    while (!(code = more_room(u, in, ctx, err))) {
        const size_t left = in->size - taken, room = u->cap - u->size;
        const uInt give = (uInt)(left < (1u << 30) ? left : 1u << 30),
                   take = (uInt)(room < UNPACK_PIECE ? room : UNPACK_PIECE);

        z.next_in = (Bytef *)in->data + taken;
        z.avail_in = give;
        z.next_out = (Bytef *)u->data + u->size;
        z.avail_out = take;
        status = inflate(&z, Z_NO_FLUSH);
        taken += give - z.avail_in;
        wlab_progress_add(&u->progress, give - z.avail_in);
        u->size += take - z.avail_out;
        if (status == Z_STREAM_END) {
            if (in->size - taken < 2 || memcmp(in->data + taken, "\x1f\x8b", 2) != 0)
                break;
            inflateReset(&z);
        } else if (status != Z_OK) {
            code =
                status == Z_MEM_ERROR ? wlab_nomem(err) : damaged(in, z.msg ? z.msg : "unexpected end", err);
            break;
        }
    }
    inflateEnd(&z);
    return code;
}

static wlab_code unpack_other(const wlab_input *in, unpacked *u, const wlab_ctx *ctx, wlab_err *err)
{
    struct archive *a = archive_read_new();
    struct archive_entry *entry;
    int64_t taken = 0;
    wlab_code code = WL_OK;

    if (!a)
        return wlab_nomem(err);
    archive_read_support_filter_bzip2(a);
    archive_read_support_filter_xz(a);
    archive_read_support_filter_zstd(a);
    archive_read_support_filter_lz4(a);
    archive_read_support_format_raw(a);
    archive_read_support_format_empty(a);
    if (archive_read_open_memory2(a, in->data, in->size, UNPACK_PIECE) != ARCHIVE_OK ||
        archive_read_next_header(a, &entry) != ARCHIVE_OK)
        code = damaged(in, archive_error_string(a), err);
    while (!code && !(code = more_room(u, in, ctx, err))) {
        const size_t room = u->cap - u->size;
        const ssize_t n = archive_read_data(a, u->data + u->size, room < UNPACK_PIECE ? room : UNPACK_PIECE);

        wlab_progress_add(&u->progress, archive_filter_bytes(a, -1) - taken);
        taken = archive_filter_bytes(a, -1);
        if (n == 0)
            break;
        if (n < 0)
            code = damaged(in, archive_error_string(a), err);
        else
            u->size += (size_t)n;
    }
    archive_read_free(a);
    return code;
}

/* in->data, packed, becomes in->packed; the unpacked bytes become in->data. */
static wlab_code unpack(wlab_input *in, packing kind, wlab_ctx *ctx, wlab_err *err)
{
    unpacked u = {0};
    wlab_code code;

    wlab_progress_begin(&u.progress, ctx, "bytes unpacked", (int64_t)in->size);
    code = kind == GZIP ? unpack_gzip(in, &u, ctx, err) : unpack_other(in, &u, ctx, err);

    if (!code && u.size == 0)
        code = wlab_fail_at(err, in->path, 0, 0, "nothing is inside the compressed file");
    if (code) {
        wlab_free(u.data);
        return code;
    }
    in->packed = in->data;
    in->packed_size = in->size;
    in->data = u.data;
    in->size = u.size;
    return WL_OK;
}

wlab_code wlab_input_open(wlab_input *in, const char *path, wlab_ctx *ctx, wlab_err *err)
{
    wlab_code code;

    memset(in, 0, sizeof *in);
    code = read_file(in, path, ctx, err);
    if (!code && packing_of(in->data, in->size) != PLAIN)
        code = unpack(in, packing_of(in->data, in->size), ctx, err);
    if (!code && in->size > 4 && memcmp(in->data, "PK\3\4", 4) == 0)
        code = wlab_fail_at(err, path, 0, 0, "this is a zip archive: unpack it and load the file inside");
    if (code)
        wlab_input_close(in);
    return code;
}

void wlab_input_close(wlab_input *in)
{
    wlab_free(in->data);
    wlab_free(in->packed);
    memset(in, 0, sizeof *in);
}

void wlab_input_place(const wlab_input *in, const char *at, long *line, long *column)
{
    const char *start = in->data, *p = in->data;

    *line = 1;
    while (p < at && (p = memchr(p, '\n', (size_t)(at - p)))) {
        start = ++p;
        ++*line;
    }
    *column = (long)(at - start) + 1;
}

wlab_code wlab_input_fail(const wlab_input *in, const char *at, wlab_err *err, const char *fmt, ...)
{
    char message[900];
    long line, column;
    va_list ap;

    va_start(ap, fmt);
    wlab_vprint(message, sizeof message, fmt, ap);
    va_end(ap);
    wlab_input_place(in, at, &line, &column);
    return wlab_fail_at(err, in->path, line, column, "%s", message);
}

wlab_code wlab_lines_cut(wlab_lines **lines, int *n, const wlab_input *in, const char *from, int quote,
                         wlab_err *err)
{
    const char *const end = in->data + in->size, *p = from;
    const int64_t most = (end - from) / LINE_BLOCK + 1;
    wlab_lines *cut;

    *lines = NULL;
    *n = 0;
    if (most > INT32_MAX)
        return wlab_fail(err, WL_EIO, "'%s' is too large", in->path);
    cut = wlab_calloc((size_t)most, sizeof *cut);
    if (!cut)
        return wlab_nomem(err);
    while (p < end) {
        const char *stop = end - p > LINE_BLOCK ? p + LINE_BLOCK : end, *from_here = p;
        bool inside = false;

        while (stop < end) {
            for (const char *q = from_here; quote && (q = memchr(q, quote, (size_t)(stop - q))); q++)
                inside = !inside;
            from_here = stop;
            stop = memchr(stop, '\n', (size_t)(end - stop));
            stop = stop ? stop + 1 : end;
            for (const char *q = from_here; quote && (q = memchr(q, quote, (size_t)(stop - q))); q++)
                inside = !inside;
            from_here = stop;
            if (!inside)
                break;
        }
        cut[*n].begin = p;
        cut[*n].end = stop;
        ++*n;
        p = stop;
    }
    *lines = cut;
    return WL_OK;
}

wlab_code wlab_lines_fail(wlab_lines *b, const char *at, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    wlab_vprint(b->err.message, sizeof b->err.message, fmt, ap);
    va_end(ap);
    b->at = at;
    return b->code = WL_EINPUT;
}

wlab_code wlab_lines_check(const wlab_input *in, const wlab_lines *lines, int n, wlab_err *err)
{
    for (int b = 0; b < n; b++) {
        if (lines[b].code == WL_EINPUT)
            return wlab_input_fail(in, lines[b].at, err, "%s", lines[b].err.message);
        if (lines[b].code == WL_ENOMEM)
            return wlab_nomem(err);
        if (lines[b].code)
            return wlab_fail(err, lines[b].code, "reading '%s' was stopped", in->path);
    }
    return WL_OK;
}

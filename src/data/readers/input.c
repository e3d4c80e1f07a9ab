/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Read a data file (a regular file) into memory, unpack it if it is compressed, and cut it into blocks of lines for
 * parallel parsing.
 *
 * The file is copied rather than mapped: if a mapped file became shorter, reading it would kill the program.
 */
#include "base/locale.h"
#include "base/progress.h"
#include "data/readers/reader.h"

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

#define READ_BLOCK (4 << 20)
#define UNPACK_PIECE                                                                                         \
    ((size_t)1 << 20) /* bytes unpacked at a time, and passed to zlib and libarchive at a time */
#define MB       ((size_t)1 << 20)
#define COUNT_ON 8 /* up to this many times the limit is unpacked but not kept, to report the size */

enum {
    ENDED_EARLY = -1,
    STOPPED = -2
};

wlab_code wlab_input_stopped(const wlab_input *in, wlab_err *err)
{
    return wlab_fail(err, WL_EINTERRUPTED, "reading '%s' was stopped", in->path);
}

wlab_code wlab_input_check_stop(const wlab_input *in, wlab_err *err)
{
    return wlab_interrupted(in->ctx) ? wlab_input_stopped(in, err) : WL_OK;
}

typedef struct read_job {
    int fd;
    char *data;
    int64_t from, size;
    atomic_int error; /* errno, or one of the above */
} read_job;

static void read_block(void *data, int b)
{
    read_job *job = data;
    int64_t at = (int64_t)b * READ_BLOCK, end = at + READ_BLOCK < job->size ? at + READ_BLOCK : job->size;

    while (at < end && !atomic_load(&job->error)) {
        const ssize_t n = pread(job->fd, job->data + at, (size_t)(end - at), job->from + at);

        if (n > 0) {
            at += n;
        } else if (n == 0 || errno != EINTR) {
            atomic_store(&job->error, n == 0 ? ENDED_EARLY : errno);
        }
    }
}

static const char *kind_of(mode_t mode)
{
    return S_ISDIR(mode) ? "a folder" : S_ISFIFO(mode) ? "a pipe" : S_ISSOCK(mode) ? "a socket" : "a device";
}

wlab_code wlab_input_file(const char *path, int *fd, int64_t *size, wlab_err *err)
{
    struct stat st;
    wlab_code code = WL_OK;

    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (*fd < 0)
        return wlab_fail_errno(err, "cannot open '%s'", path);
    if (fstat(*fd, &st))
        code = wlab_fail_errno(err, "cannot read '%s'", path);
    else if (!S_ISREG(st.st_mode))
        code =
            wlab_fail(err, WL_EIO, "'%s' is %s: only regular files can be read", path, kind_of(st.st_mode));
    else if (st.st_size == 0)
        code = wlab_fail_at(err, path, 0, 0, "the file is empty");
    if (code) {
        close(*fd);
        *fd = -1;
        return code;
    }
    *size = st.st_size;
    return WL_OK;
}

wlab_code wlab_input_bytes(wlab_input *in, int fd, int64_t from, int64_t end, wlab_ctx *ctx, wlab_err *err)
{
    read_job job = {.fd = fd, .from = from, .size = end - from};
    int error;

    if (job.size / READ_BLOCK >= INT32_MAX)
        return wlab_fail(err, WL_EIO, "'%s' is too large", in->path);
    job.data = wlab_alloc((size_t)job.size, 1);
    if (!job.data)
        return wlab_nomem(err);
    const bool all = wlab_pool_run_progress(ctx, (int)((job.size + READ_BLOCK - 1) / READ_BLOCK), read_block,
                                            &job, "bytes read", job.size);
    error = atomic_load(&job.error);
    error = error || all ? error : STOPPED;
    if (error) {
        wlab_free(job.data);
        errno = error;
        return error == STOPPED ? wlab_input_stopped(in, err)
               : error == ENDED_EARLY
                   ? wlab_fail(err, WL_EIO, "'%s' became shorter while it was read", in->path)
                   : wlab_fail_errno(err, "cannot read '%s'", in->path);
    }
    in->data = job.data;
    in->size = (size_t)job.size;
    return WL_OK;
}

static wlab_code read_file(wlab_input *in, wlab_ctx *ctx, wlab_err *err)
{
    int64_t size;
    int fd;
    wlab_code code = wlab_input_file(in->path, &fd, &size, err);

    if (code)
        return code;
    code = wlab_input_bytes(in, fd, 0, size, ctx, err);
    close(fd);
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

size_t wlab_input_limit(const wlab_input *in)
{
    const size_t packed = in->packed ? in->packed_size : in->size,
                 usual = packed > 1024 * MB / WL_PACKED ? packed * WL_PACKED : 1024 * MB;
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    const size_t memory = pages > 0 && page > 0 ? (size_t)pages * (size_t)page : usual;

    if (in->ctx && in->ctx->unpacked)
        return (size_t)in->ctx->unpacked;
    return usual < memory ? usual : memory;
}

wlab_code wlab_input_too_large(const wlab_input *in, size_t size, bool whole, wlab_err *err)
{
    const size_t limit = wlab_input_limit(in), packed = in->packed ? in->packed_size : in->size;
    char raise[80] = "unpack it yourself to read it anyway", small[40];

    if (packed < MB)
        snprintf(small, sizeof small, packed < 10240 ? "%zu bytes" : "%zu kB",
                 packed < 10240 ? packed : packed >> 10);
    else
        snprintf(small, sizeof small, "%zu MB", packed / MB);
    if (in->ctx)
        snprintf(raise, sizeof raise,
                 whole ? "add unpacked=%zu to `load` to read it anyway"
                       : "if it is meant to be so large, add unpacked=%zu or more to `load`",
                 whole ? (size + MB - 1) / MB : 2 * (size / MB));
    return wlab_fail_at(
        err, in->path, 0, 0,
        "these %s unpack to %s%zu MB; the limit of %zu MB keeps a small file from filling the "
        "memory; %s",
        small, whole ? "" : "more than ", whole ? (size + MB - 1) / MB : size / MB, limit / MB, raise);
}

/* The bytes unpacked so far. */
typedef struct unpacked {
    char *data;
    size_t size, cap;
    size_t limit; /* beyond it bytes are counted, not kept: each piece is written to the start of data */
    wlab_progress progress; /* in compressed bytes */
} unpacked;

static wlab_code damaged(const wlab_input *in, const char *why, wlab_err *err)
{
    /* the messages of zlib, lzma, bzip2, zstd and lz4 about data that end too early */
    if (why && (strstr(why, "unexpected end") || strstr(why, "No progress") || strstr(why, "runcated")))
        return wlab_fail_at(err, in->path, 0, 0,
                            "the file ends before its compressed data do: it was cut off");
    return wlab_fail_at(err, in->path, 0, 0, "the compressed file is damaged or cut off (%s)",
                        why ? why : "no reason given");
}

/* Make space for the next piece: *space bytes at *to.  Fails on an interrupt, and on a file that unpacks far beyond the
 * limit. */
static wlab_code reserve_piece(unpacked *u, const wlab_input *in, char **to, size_t *space, wlab_err *err)
{
    size_t cap = u->data ? u->cap * 2 : in->size * 4 + 4096;
    wlab_code code = wlab_input_check_stop(in, err);
    char *data;

    if (!code && u->size / COUNT_ON > u->limit)
        code = wlab_input_too_large(in, u->size, false, err);
    if (code)
        return code;
    cap = cap < u->limit + UNPACK_PIECE ? cap : u->limit + UNPACK_PIECE;
    if (!u->data || (u->size >= u->cap && u->size <= u->limit)) {
        data = wlab_realloc(u->data, cap, 1);
        if (!data)
            return wlab_nomem(err);
        u->data = data;
        u->cap = cap;
    }
    *to = u->size > u->limit ? u->data : u->data + u->size;
    *space = u->size > u->limit ? u->cap : u->cap - u->size;
    *space = *space < UNPACK_PIECE ? *space : UNPACK_PIECE;
    return WL_OK;
}

/* gzip is unpacked by zlib, since libarchive does not verify its checksums.  A file may have several members. */
static wlab_code unpack_gzip(const wlab_input *in, unpacked *u, wlab_err *err)
{
    z_stream z = {0};
    size_t used = 0, space;
    char *to;
    wlab_code code = WL_OK;
    int status = Z_OK;

    if (inflateInit2(&z, 15 + 16) != Z_OK)
        return wlab_nomem(err);
    while (!(code = reserve_piece(u, in, &to, &space, err))) {
        const size_t left = in->size - used;
        const uInt give = (uInt)(left < UNPACK_PIECE ? left : UNPACK_PIECE);

        z.next_in = (Bytef *)in->data + used;
        z.avail_in = give;
        z.next_out = (Bytef *)to;
        z.avail_out = (uInt)space;
        status = inflate(&z, Z_NO_FLUSH);
        used += give - z.avail_in;
        wlab_progress_add(&u->progress, give - z.avail_in);
        u->size += space - z.avail_out;
        if (status == Z_STREAM_END) {
            if (in->size - used < 2 || memcmp(in->data + used, "\x1f\x8b", 2) != 0)
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

/* What libarchive reads: one piece of the packed bytes at a time, so that an interrupt stops also a file that unpacks
 * to nothing. */
typedef struct source {
    const wlab_input *in;
    size_t at;
} source;

static la_ssize_t next_piece(struct archive *a, void *self, const void **piece)
{
    source *s = self;
    const size_t left = s->in->size - s->at, len = left < UNPACK_PIECE ? left : UNPACK_PIECE;

    (void)a;
    if (wlab_input_check_stop(s->in, NULL))
        return ARCHIVE_FATAL;
    *piece = s->in->data + s->at;
    s->at += len;
    return (la_ssize_t)len;
}

static wlab_code unpack_failed(const wlab_input *in, struct archive *a, wlab_err *err)
{
    const wlab_code code = wlab_input_check_stop(in, err);

    return code ? code : damaged(in, archive_error_string(a), err);
}

static wlab_code unpack_other(const wlab_input *in, unpacked *u, wlab_err *err)
{
    struct archive *a = archive_read_new();
    struct archive_entry *entry;
    source from = {in, 0};
    int64_t used = 0;
    size_t space;
    char *to;
    wlab_code code = WL_OK;

    if (!a)
        return wlab_nomem(err);
    archive_read_support_filter_bzip2(a);
    archive_read_support_filter_xz(a);
    archive_read_support_filter_zstd(a);
    archive_read_support_filter_lz4(a);
    archive_read_support_format_raw(a);
    archive_read_support_format_empty(a);
    if (archive_read_open(a, &from, NULL, next_piece, NULL) != ARCHIVE_OK ||
        archive_read_next_header(a, &entry) != ARCHIVE_OK)
        code = unpack_failed(in, a, err);
    while (!code && !(code = reserve_piece(u, in, &to, &space, err))) {
        const ssize_t n = archive_read_data(a, to, space);

        wlab_progress_add(&u->progress, archive_filter_bytes(a, -1) - used);
        used = archive_filter_bytes(a, -1);
        if (n == 0)
            break;
        if (n < 0)
            code = unpack_failed(in, a, err);
        else
            u->size += (size_t)n;
    }
    archive_read_free(a);
    return code;
}

/* Move the packed bytes from in->data to in->packed, and put the unpacked bytes into in->data. */
static wlab_code unpack(wlab_input *in, packing kind, wlab_ctx *ctx, wlab_err *err)
{
    unpacked u = {.limit = wlab_input_limit(in)};
    wlab_code code;

    wlab_progress_begin(&u.progress, ctx, "bytes unpacked", (int64_t)in->size);
    code = kind == GZIP ? unpack_gzip(in, &u, err) : unpack_other(in, &u, err);

    if (!code && u.size > u.limit)
        code = wlab_input_too_large(in, u.size, true, err);
    if (!code && u.size == 0)
        code = wlab_fail_at(err, in->path, 0, 0, "the compressed file contains nothing");
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

bool wlab_input_packed(const char *data, size_t size)
{
    return packing_of(data, size) != PLAIN;
}

wlab_code wlab_input_refuse_zip(const wlab_input *in, wlab_err *err)
{
    return in->size > 4 && memcmp(in->data, "PK\3\4", 4) == 0
               ? wlab_fail_at(err, in->path, 0, 0,
                              "this is a zip archive: unpack it and load the file inside")
               : WL_OK;
}

wlab_code wlab_input_open(wlab_input *in, const char *path, wlab_ctx *ctx, wlab_err *err)
{
    wlab_code code;

    *in = (wlab_input){.path = path, .ctx = ctx};
    code = read_file(in, ctx, err);
    if (!code && packing_of(in->data, in->size) != PLAIN)
        code = unpack(in, packing_of(in->data, in->size), ctx, err);
    if (!code)
        code = wlab_input_refuse_zip(in, err);
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

    *line = in->lines_before + 1;
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

/* Toggle *inside at each quote in [p, end): whether a quote is open at the end. */
static wlab_code track_quotes(const wlab_input *in, const char *p, const char *end, int quote, bool *inside,
                              wlab_err *err)
{
    wlab_code code = WL_OK;

    for (int64_t k = 0; quote && !code && (p = memchr(p, quote, (size_t)(end - p))); p++, k++) {
        *inside = !*inside;
        code = wlab_input_due(k) ? wlab_input_check_stop(in, err) : WL_OK;
    }
    return code;
}

wlab_code wlab_lines_cut(wlab_lines **lines, int *n, const wlab_input *in, const char *from, int quote,
                         wlab_err *err)
{
    const char *const end = in->data + in->size, *p = from;
    const int64_t most = (end - from) / WL_LINE_BLOCK + 1;
    wlab_code code = WL_OK;
    wlab_lines *cut;

    *lines = NULL;
    *n = 0;
    if (most > INT32_MAX)
        return wlab_fail(err, WL_EIO, "'%s' is too large", in->path);
    cut = wlab_calloc((size_t)most, sizeof *cut);
    if (!cut)
        return wlab_nomem(err);
    while (!code && p < end) {
        const char *stop = end - p > WL_LINE_BLOCK ? p + WL_LINE_BLOCK : end, *from_here = p;
        bool inside = false;

        code = stop < end ? track_quotes(in, from_here, stop, quote, &inside, err) : WL_OK;
        while (!code && stop < end) {
            from_here = stop;
            stop = memchr(stop, '\n', (size_t)(end - stop));
            stop = stop ? stop + 1 : end;
            code = track_quotes(in, from_here, stop, quote, &inside, err);
            if (!inside)
                break;
            code = code ? code : wlab_input_check_stop(in, err);
        }
        cut[*n] = (wlab_lines){.in = in, .begin = p, .end = stop};
        ++*n;
        p = stop;
    }
    if (code) {
        wlab_free(cut);
        *n = 0;
        return code;
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

wlab_code wlab_lines_check_stop(wlab_lines *b)
{
    return wlab_input_check_stop(b->in, NULL) ? (b->code = WL_EINTERRUPTED) : WL_OK;
}

wlab_code wlab_lines_check(const wlab_input *in, const wlab_lines *lines, int n, wlab_err *err)
{
    for (int b = 0; b < n; b++) {
        if (lines[b].code == WL_EINPUT)
            return wlab_input_fail(in, lines[b].at, err, "%s", lines[b].err.message);
        if (lines[b].code == WL_ENOMEM)
            return wlab_nomem(err);
        if (lines[b].code)
            return wlab_input_stopped(in, err);
    }
    return WL_OK;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Check the bytes of a MAT-file before matio reads them.  matio trusts the sizes in the file: if they are
 * inconsistent, it returns uninitialised memory, or requests gigabytes.  So each variable is unpacked here and its
 * sizes are compared; matio gets only the consistent ones.
 *
 * The format: a head of 128 bytes, then elements, each a tag (type, bytes) and its data; a variable is an
 * element of type miMATRIX, or miCOMPRESSED with one inside (MAT-File Format, The MathWorks).
 */
#include "data/readers/reader.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
    HEAD = 128,
    INT8 = 1,
    INT32 = 5,
    UINT32 = 6,
    MATRIX = 14,
    COMPRESSED = 15,
    CELL = 1,
    STRUCT = 2,
    CHAR = 4,
    SPARSE = 5,
    DEPTH = 8,
    RATIO = 1032, /* the largest compression ratio of deflate */
};

bool wlab_mat_is(const char *head, size_t len)
{
    return len >= HEAD && (memcmp(head, "MATLAB ", 7) == 0 || memcmp(head + 124, "\0\1IM", 4) == 0);
}

typedef struct cursor {
    const unsigned char *p, *end;
    const wlab_input *in;
    bool swap; /* the other byte order */
} cursor;

typedef struct element {
    uint32_t type;
    const unsigned char *data;
    size_t len;
} element;

static uint32_t read_word(const unsigned char *p, bool swap)
{
    uint32_t x;

    memcpy(&x, p, sizeof x);
    return swap ? __builtin_bswap32(x) : x;
}

/* Read the next element and skip its padding; false: it does not fit into the data. */
static bool next_element(cursor *c, element *e)
{
    uint32_t tag;

    if (c->end - c->p < 8)
        return false;
    tag = read_word(c->p, c->swap);
    if (tag >> 16) { /* small: type and size in one word, data in the next */
        e->type = tag & 0xffff;
        e->len = tag >> 16;
        e->data = c->p + 4;
        c->p += 8;
        return e->len <= 4;
    }
    e->type = tag;
    e->len = read_word(c->p + 4, c->swap);
    e->data = c->p + 8;
    c->p += 8;
    if ((size_t)(c->end - c->p) < e->len)
        return false;
    c->p += e->len;
    for (size_t pad = (8 - e->len % 8) % 8; pad && e->type != COMPRESSED && c->p < c->end; pad--)
        c->p++;
    return true;
}

/* Bytes of one number of this type; 0: not a type of numbers. */
static size_t width(uint32_t type)
{
    static const unsigned char bytes[] = {0, 1, 1, 2, 2, 4, 4, 4, 0, 8, 0, 0, 8, 8, 0, 0, 1, 2, 4};

    return type < sizeof bytes ? bytes[type] : 0;
}

static bool numbers_fit(cursor *c, uint64_t n, element *e)
{
    return next_element(c, e) && width(e->type) && e->len == n * width(e->type);
}

static bool sparse_fits(cursor *c, uint64_t rows, uint64_t cols)
{
    element ir, jc, pr;
    uint32_t before = 0;

    if (!next_element(c, &ir) || !next_element(c, &jc) || !next_element(c, &pr) || width(ir.type) != 4 ||
        width(jc.type) != 4 || !width(pr.type) || ir.len % 4 || jc.len != 4 * (cols + 1) ||
        pr.len % width(pr.type))
        return false;
    for (uint64_t j = 0; j <= cols; j++) {
        const uint32_t at = read_word(jc.data + 4 * j, c->swap);

        if (wlab_input_check_stop(c->in, NULL) || at < before || at > ir.len / 4 ||
            at > pr.len / width(pr.type) || (j == 0 && at))
            return false;
        for (uint32_t k = before; k < at; k++)
            if (read_word(ir.data + 4 * (size_t)k, c->swap) >= rows ||
                (wlab_input_due(k) && wlab_input_check_stop(c->in, NULL)))
                return false;
        before = at;
    }
    return true;
}

/* Whether the sizes of the variable are consistent.  Also false after an interrupt, which callers check. */
static bool matrix_fits(const unsigned char *data, size_t len, const wlab_input *in, bool swap, int depth);

static bool inner_matrices(cursor *c, uint64_t n, int depth)
{
    element e;

    for (uint64_t i = 0; i < n; i++)
        if (wlab_input_check_stop(c->in, NULL) || !next_element(c, &e) || e.type != MATRIX ||
            (e.len && !matrix_fits(e.data, e.len, c->in, c->swap, depth + 1)))
            return false;
    return true;
}

/* The body of a miMATRIX: a full or sparse matrix of numbers, text, or a struct or cell array of these. */
static bool matrix_fits(const unsigned char *data, size_t len, const wlab_input *in, bool swap, int depth)
{
    cursor c = {data, data + len, in, swap};
    element flags, dims, name, e, names;
    uint64_t n = 1, d[2] = {0, 0};
    uint32_t class;
    bool complex;

    if (depth > DEPTH || !next_element(&c, &flags) || flags.type != UINT32 || flags.len != 8 ||
        !next_element(&c, &dims) || dims.type != INT32 || dims.len % 4 || dims.len < 8 || dims.len > 64 ||
        !next_element(&c, &name) || name.type != INT8)
        return false;
    class = read_word(flags.data, swap) & 0xff;
    complex = read_word(flags.data, swap) & 0x800;
    for (size_t k = 0; k < dims.len / 4; k++) {
        const uint32_t dim = read_word(dims.data + 4 * k, swap);

        if (dim > INT32_MAX || (dim && n > ((uint64_t)1 << 40) / dim))
            return false;
        n *= dim;
        if (k < 2)
            d[k] = dim;
    }
    if (memchr(name.data, 0, name.len) && name.len)
        return false;
    switch (class) {
    case SPARSE:
        return dims.len == 8 && !complex && sparse_fits(&c, d[0], d[1]);
    case CELL:
        return inner_matrices(&c, n, depth);
    case STRUCT:
        if (!next_element(&c, &e) || e.type != INT32 || e.len != 4 || !next_element(&c, &names) ||
            names.type != INT8)
            return false;
        {
            const uint32_t size = read_word(e.data, swap);

            if (size < 1 || size > 256 || names.len % size || names.len / size > 4096)
                return false;
            for (size_t k = size; k <= names.len; k += size) /* each name must end within its field */
                if (!memchr(names.data + k - size, 0, size))
                    return false;
            return n <= len && inner_matrices(&c, n * (names.len / size), depth);
        }
    case CHAR:
        return numbers_fit(&c, n, &e);
    default:
        return class >= 6 && class <= 15 && numbers_fit(&c, n, &e) && (!complex || numbers_fit(&c, n, &e));
    }
}

/* Append the content of a compressed element to `out`.  WL_EINPUT: it is damaged; WL_EARG: it exceeds the limit. */
static wlab_code inflate_element(const wlab_input *in, const element *e, wlab_buf *out)
{
    unsigned char chunk[16384];
    const size_t before = out->len, limit = wlab_input_limit(in);
    z_stream z = {0};
    wlab_code code = WL_OK;
    int status = Z_OK;

    if (inflateInit(&z) != Z_OK)
        return WL_ENOMEM;
    z.next_in = (Bytef *)(uintptr_t)e->data;
    z.avail_in = (uInt)e->len;
    while (!code && status != Z_STREAM_END) {
        z.next_out = chunk;
        z.avail_out = sizeof chunk;
        status = inflate(&z, Z_NO_FLUSH);
        if (status != Z_OK && status != Z_STREAM_END)
            code = status == Z_MEM_ERROR ? WL_ENOMEM : WL_EINPUT;
        else if (wlab_buf_put(out, chunk, sizeof chunk - z.avail_out))
            code = WL_ENOMEM;
        else if (out->len > limit && out->len > in->size) /* uncompressed data may have any size */
            code = WL_EARG;
        else if (wlab_input_check_stop(in, NULL))
            code = WL_EINTERRUPTED;
        else if (out->len - before > e->len * RATIO + 1024 || out->len - before > UINT32_MAX)
            code = WL_EINPUT;
    }
    inflateEnd(&z);
    return code;
}

wlab_code wlab_mat_check(const wlab_input *in, wlab_buf *out, wlab_err *err)
{
    static const unsigned char padding[8] = {0};
    cursor c = {(const unsigned char *)in->data, (const unsigned char *)in->data + in->size, in, false};
    uint16_t order, version;
    element e;

    if (in->size < HEAD)
        return wlab_fail_at(err, in->path, 0, 0,
                            "this is not a MAT-file: it is shorter than the header of one");
    memcpy(&order, c.p + 126, sizeof order);
    c.swap = order == 0x494d;
    if (!c.swap && order != 0x4d49)
        return wlab_fail_at(err, in->path, 0, 0, "this is not a MAT-file of version 5");
    memcpy(&version, c.p + 124, sizeof version);
    version = c.swap ? __builtin_bswap16(version) : version;
    if (version != 0x100) /* matio passes other versions to HDF5, which prints errors on its own */
        return wlab_fail_at(err, in->path, 0, 0,
                            version == 0x200
                                ? "a MAT-file of version 7.3: save it again with save -v7"
                                : "a MAT-file of an unknown version: save it again with save -v7");
    if (wlab_buf_put(out, c.p, HEAD))
        return wlab_nomem(err);
    c.p += HEAD;
    while (c.end - c.p >= 8) {
        const size_t at = out->len, offset = (size_t)(c.p - (const unsigned char *)in->data);
        const unsigned char *const begin = c.p;
        wlab_code code = WL_EINPUT;

        /* neither type fits into the short form, in which the data begin within the first eight bytes */
        if (next_element(&c, &e) && e.data == begin + 8 && (e.type == MATRIX || e.type == COMPRESSED)) {
            code = e.type == COMPRESSED                  ? inflate_element(in, &e, out)
                   : wlab_buf_put(out, begin, 8 + e.len) ? WL_ENOMEM
                                                         : WL_OK;
        }
        if (!code) {
            cursor inner = {out->data + at, out->data + out->len, in, c.swap};
            element m;

            if (wlab_input_check_stop(in, NULL))
                code = WL_EINTERRUPTED;
            else if (!next_element(&inner, &m) || m.data != out->data + at + 8 || m.type != MATRIX)
                code = WL_EINPUT;
            else if (!matrix_fits(m.data, m.len, in, c.swap, 0))
                out->len = at; /* an object, a function, or inconsistent sizes: keep it from matio */
            else
                out->len = at + 8 + m.len;
            if (!code && wlab_input_check_stop(in, NULL))
                code = WL_EINTERRUPTED;
            if (!code && wlab_buf_put(out, padding, (8 - out->len % 8) % 8))
                code = WL_ENOMEM;
        }
        if (code == WL_EINPUT)
            return wlab_fail_at(err, in->path, 0, 0, "the MAT-file is damaged or cut off at byte %zu",
                                offset);
        if (code == WL_EARG) { /* the variable begins with its size */
            const size_t declared = at + 8 + read_word(out->data + at + 4, c.swap);
            return wlab_input_too_large(in, declared > out->len ? declared : out->len, false, err);
        }
        if (code)
            return code == WL_EINTERRUPTED ? wlab_fail(err, code, "reading '%s' was stopped", in->path)
                                           : wlab_nomem(err);
    }
    return WL_OK;
}

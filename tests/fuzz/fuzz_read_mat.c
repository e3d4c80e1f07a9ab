/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * MAT-files; only our own code is instrumented, not matio's parser.
 */
#define FUZZ_LONGER longer_name
#include <stddef.h>
#include <stdint.h>

static size_t longer_name(uint8_t *data, size_t size, size_t most, unsigned seed);

#include "reader.h"

enum {
    NAME = 128 + 8 + 16 + 16 /* of the first variable: after the header, its tag, flags and two dimensions */
};

static uint32_t word(const uint8_t *p)
{
    uint32_t x;

    memcpy(&x, p, sizeof x);
    return x;
}

static void put_word(uint8_t *p, size_t x)
{
    const uint32_t word = (uint32_t)x;

    memcpy(p, &word, sizeof word);
}

/* The first variable's name, if it is not compressed, and all sizes that give its length. */
static size_t longer_name(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    size_t len, old, space, more = fuzz_more(size, most, seed) / 8 * 8;

    if (size < NAME + 8 || word(data + 128) != 14 || (word(data + NAME) & 0xffff) != 1)
        return size;
    len = word(data + NAME) >> 16; /* in the short form */
    old = len ? 8 : 8 + ((size_t)word(data + NAME + 4) + 7) / 8 * 8;
    len = len ? len : word(data + NAME + 4);
    space = 8 + (len + more + 7) / 8 * 8;
    if (old > size - NAME || space < old || size + space - old > most)
        return size;
    memmove(data + NAME + space, data + NAME + old, size - NAME - old);
    memset(data + NAME + 8, 'n', space - 8);
    put_word(data + NAME, 1);
    put_word(data + NAME + 4, len + more);
    put_word(data + 132, word(data + 132) + space - old);
    return size + space - old;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const settings[][5] = {{"format", "mat"}, {"format", "mat", "label", "none"}};

    /* the size decides, so that the bytes alone are the file */
    fuzz_load(data, size, settings[size % (sizeof settings / sizeof *settings)]);
    return 0;
}

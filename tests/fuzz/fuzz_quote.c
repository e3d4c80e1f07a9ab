/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * libFuzzer target: for any input, text quoted for gnuplot does nothing but stand for itself.
 * Its grammar: 'PIECE' or "\047", joined by dots; a piece is well-formed UTF-8 without ' and control characters.
 */
#include "plot/draw/quote.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* Well-formed UTF-8 without control characters and without the bytes in `never`. */
static void require_inert(const unsigned char *p, size_t n, const char *never)
{
    for (size_t i = 0; i < n;) {
        require(p[i] >= ' ' && p[i] != 127 && !(p[i] < 128 && strchr(never, p[i])));
        size_t more = p[i] < 0x80 ? 0 : p[i] >= 0xf0 ? 3 : p[i] >= 0xe0 ? 2 : 1;
        require(p[i] < 0x80 || (p[i] >= 0xc2 && p[i] < 0xf5));
        require(i + more < n);
        require(!(p[i] == 0xc2 && p[i + 1] < 0xa0));
        for (size_t k = 1; k <= more; k++)
            require((p[i + k] & 0xc0) == 0x80);
        i += more + 1;
    }
}

/* Parse the expression; writes the text that it stands for to `text` (of n bytes). */
static size_t unquote(const char *p, size_t n, char *text)
{
    size_t i = 0, len = 0;
    require(n > 0);
    for (;;) {
        require(i < n);
        if (p[i] == '"') {
            require(n - i >= 6 && !memcmp(p + i, "\"\\047\"", 6));
            text[len++] = '\'';
            i += 6;
        } else {
            require(p[i] == '\'');
            const char *end = memchr(p + i + 1, '\'', n - i - 1);
            require(end != NULL);
            size_t k = (size_t)(end - p) - i - 1;
            require_inert((const unsigned char *)p + i + 1, k, "'");
            memcpy(text + len, p + i + 1, k);
            len += k;
            i += k + 2;
        }
        if (i == n)
            return len;
        require(p[i++] == '.');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    wlab_buf b = {0};
    char *text = malloc(size + 1), *back = malloc(8 * size + 64);
    require(text && back);
    memcpy(text, data, size);
    text[size] = 0;
    size = strlen(text);

    require(!wlab_quote_text(&b, text));
    size_t n = unquote((const char *)b.data, b.len, back);
    require(n <= WL_QUOTE_MOST + 3);
    if (size <= WL_QUOTE_MOST) /* plain text is unchanged */
        for (size_t i = 0, plain = 1; i <= size && plain; i++) {
            plain = (unsigned char)text[i] >= ' ' && (unsigned char)text[i] < 127;
            require(!plain || (i < n && back[i] == text[i]));
        }
    wlab_buf_clear(&b);

    require(!wlab_quote_comment(&b, text));
    require_inert(b.data, b.len, "`@\\");
    wlab_buf_clear(&b);

    if (!wlab_quote_file(&b, text, NULL)) { /* a name is kept whole or not at all */
        n = unquote((const char *)b.data, b.len, back);
        require(n == size + 2 && !memcmp(back, "./", 2) && !memcmp(back + 2, text, size) &&
                !strchr(text, '/'));
    }
    wlab_buf_clear(&b);
    free(text);
    free(back);
    return 0;
}

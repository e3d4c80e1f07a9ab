/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Interned words (labels, categories), and the small checks of text that the readers share.
 */
#include "base/sort.h"
#include "base/text.h"
#include "data/readers/reader.h"

#include <stdlib.h>
#include <string.h>

static uint32_t hash(const char *p, size_t len)
{
    uint32_t h = 2166136261u; /* FNV-1a */

    for (size_t i = 0; i < len; i++)
        h = (h ^ (unsigned char)p[i]) * 16777619u;
    return h;
}

/* The slot of the word, or the free slot in which it belongs. */
static int32_t probe(const wlab_words *w, const char *p, size_t len)
{
    const uint32_t mask = (uint32_t)w->slots - 1;

    for (uint32_t s = hash(p, len) & mask;; s = (s + 1) & mask) {
        const char *text;

        if (!w->slot[s])
            return (int32_t)s;
        text = wlab_words_text(w, w->slot[s] - 1);
        if (strncmp(text, p, len) == 0 && text[len] == 0)
            return (int32_t)s;
    }
}

static bool grow(wlab_words *w)
{
    const int32_t cap = w->cap ? w->cap * 2 : 16;
    int64_t *offset = wlab_realloc(w->offset, (size_t)cap, sizeof *offset);
    int32_t *slot;

    if (!offset)
        return false;
    w->offset = offset;
    slot = wlab_calloc((size_t)cap * 2, sizeof *slot);
    if (!slot)
        return false;
    wlab_free(w->slot);
    w->slot = slot;
    w->slots = cap * 2;
    w->cap = cap;
    for (int32_t i = 0; i < w->n; i++) {
        const char *text = wlab_words_text(w, i);
        w->slot[probe(w, text, strlen(text))] = i + 1;
    }
    return true;
}

int32_t wlab_words_find(const wlab_words *w, const char *p, size_t len)
{
    return w->n ? w->slot[probe(w, p, len)] - 1 : -1;
}

int32_t wlab_words_add(wlab_words *w, const char *p, size_t len)
{
    int32_t s;

    if (w->n == w->cap && (w->cap > INT32_MAX / 8 || !grow(w)))
        return -1;
    s = probe(w, p, len);
    if (w->slot[s])
        return w->slot[s] - 1;
    w->offset[w->n] = (int64_t)w->bytes.len;
    if (wlab_buf_put(&w->bytes, p, len) || wlab_buf_put(&w->bytes, "", 1)) {
        w->bytes.len = (size_t)w->offset[w->n];
        return -1;
    }
    w->slot[s] = ++w->n;
    return w->n - 1;
}

const char *wlab_words_text(const wlab_words *w, int32_t id)
{
    return (const char *)w->bytes.data + w->offset[id];
}

wlab_code wlab_words_join(wlab_words *all, const wlab_words *w, int32_t **to, const wlab_input *in,
                          wlab_err *err)
{
    wlab_code code = WL_OK;

    *to = wlab_alloc((size_t)w->n, sizeof **to);
    if (!*to)
        return wlab_nomem(err);
    for (int32_t i = 0; i < w->n && !(code = wlab_input_check_stop(in, err)); i++) {
        const char *text = wlab_words_text(w, i);

        (*to)[i] = wlab_words_add(all, text, strlen(text));
        if ((*to)[i] < 0) {
            code = wlab_nomem(err);
            break;
        }
    }
    if (code)
        *to = wlab_free(*to);
    return code;
}

void wlab_words_clear(wlab_words *w)
{
    wlab_buf_clear(&w->bytes);
    wlab_free(w->offset);
    wlab_free(w->slot);
    memset(w, 0, sizeof *w);
}

typedef struct named {
    const char *text;
    double value;
    bool number;
    int32_t id;
} named;

static int by_name(const void *a, const void *b)
{
    const named *x = a, *y = b;

    if (x->number && y->number && x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return x->number != y->number ? (x->number ? -1 : 1) : strcmp(x->text, y->text);
}

wlab_code wlab_words_rank(const wlab_words *words, bool declared, int32_t **place, const wlab_ctx *ctx,
                          wlab_err *err)
{
    wlab_code code = WL_OK;
    named *e = wlab_alloc((size_t)words->n, sizeof *e);

    *place = wlab_alloc((size_t)words->n, sizeof **place);
    if (!e || !*place) {
        wlab_free(e);
        *place = wlab_free(*place);
        return wlab_nomem(err);
    }
    for (int32_t i = 0; i < words->n; i++) {
        e[i].id = i;
        e[i].text = wlab_words_text(words, i);
        e[i].number = wlab_number_is(e[i].text, e[i].text + strlen(e[i].text), &e[i].value);
    }
    if (!declared)
        code = wlab_sort(e, (size_t)words->n, sizeof *e, by_name, ctx, err);
    for (int32_t i = 0; i < words->n; i++)
        (*place)[e[i].id] = i;
    wlab_free(e);
    if (code)
        *place = wlab_free(*place);
    return code;
}

bool wlab_text_same(const char *p, size_t len, const char *word)
{
    for (size_t i = 0; i < len; i++) {
        const char c = p[i] >= 'A' && p[i] <= 'Z' ? (char)(p[i] + 32) : p[i];
        if (!word[i] || c != word[i])
            return false;
    }
    return word[len] == 0;
}

bool wlab_text_missing(const char *p, size_t len)
{
    return len == 0 || (len == 1 && *p == '?') || wlab_text_same(p, len, "na") ||
           wlab_text_same(p, len, "nan");
}

char *wlab_text_clean(const char *p, size_t len, char *buf, size_t size)
{
    size_t out = 0;

    while (len) {
        uint32_t c;
        const size_t n = wlab_utf8_read(p, len, &c), step = n ? n : 1;

        if (out + step >= size)
            break;
        if (n && c >= 0x20 && (c < 0x7f || c >= 0xa0)) {
            memcpy(buf + out, p, n);
            out += n;
        } else {
            buf[out++] = '?';
        }
        p += step;
        len -= step;
    }
    buf[out] = 0;
    return buf;
}

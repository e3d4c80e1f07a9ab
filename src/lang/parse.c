/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The command language: words, quotes, comments, `;`.
 *
 * A quote opens at the beginning of a word or behind `key=`; elsewhere it is an ordinary character, so that
 * `say it's done` needs none.  Inside "..." a backslash takes the next character as it is.
 */
#include "lang/phrase.h"
#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

size_t wlab_setting_length(const char *word)
{
    size_t n = 0;

    if (!is_letter(word[0]))
        return 0;
    while (is_letter(word[n]) || is_digit(word[n]) || word[n] == '-' || word[n] == '.')
        n++;
    return word[n] == '=' && word[n + 1] != '=' ? n : 0;
}

void wlab_phrase_clear(wlab_phrase *w)
{
    wlab_free(w->name);
    wlab_free(w->rest);
    for (int i = 0; i < w->n; i++)
        wlab_free(w->word[i]);
    wlab_free(w->word);
    wlab_free(w->plain);
    wlab_free(w->at);
    memset(w, 0, sizeof *w);
}

/* Sizes double: called when the number of words reaches a power of 2. */
static wlab_code grow_words(wlab_phrase *w)
{
    const size_t n = w->n ? 2 * (size_t)w->n : 1;
    char **word = wlab_realloc(w->word, n, sizeof *word);
    if (word)
        w->word = word;
    bool *plain = word ? wlab_realloc(w->plain, n, sizeof *plain) : NULL;
    if (plain)
        w->plain = plain;
    long *at = plain ? wlab_realloc(w->at, n, sizeof *at) : NULL;
    if (at)
        w->at = at;
    return at ? WL_OK : WL_ENOMEM;
}

static wlab_code add_word(wlab_phrase *w, const char *text, size_t len, bool plain, long at, wlab_err *err)
{
    char *copy = wlab_strndup(text, len);
    if (!copy)
        return wlab_nomem(err);
    if (!w->name) {
        w->name = copy;
        w->column = at;
        return WL_OK;
    }
    if ((w->n & (w->n - 1)) == 0 && grow_words(w)) {
        wlab_free(copy);
        return wlab_nomem(err);
    }
    w->word[w->n] = copy;
    w->plain[w->n] = plain;
    w->at[w->n] = at;
    w->n++;
    return WL_OK;
}

static wlab_code put_byte(wlab_buf *text, char c, wlab_err *err)
{
    return wlab_buf_put(text, &c, 1) ? wlab_nomem(err) : WL_OK;
}

wlab_code wlab_phrase_read(wlab_phrase *out, const char *line, size_t *pos, bool *more, wlab_err *err)
{
    wlab_phrase w = {0};
    wlab_code code = WL_OK;
    size_t i = *pos, rest = 0, end = 0;
    wlab_buf text = {0}; /* grows to the longest word, not to the whole line, which may have many commands */

    *more = false;
    if (wlab_buf_put(&text, "", 0))
        return wlab_nomem(err);
    for (;;) {
        while (is_blank(line[i]))
            i++;
        if (line[i] == '\0')
            break;
        if (line[i] == '#') { /* to the end of the line */
            i += strcspn(line + i, "\n");
            continue;
        }
        if (line[i] == ';' || line[i] == '\n') {
            i++;
            *more = true;
            break;
        }
        size_t begin = i;
        text.len = 0;
        bool plain = line[i] != '"' && line[i] != '\'';
        bool opens = true; /* a quote here opens */
        while (line[i] && !is_blank(line[i]) && line[i] != ';' && line[i] != '\n') {
            unsigned char c = (unsigned char)line[i];
            if (opens && (c == '"' || c == '\'')) {
                size_t open = i++;
                while (line[i] && line[i] != (char)c) {
                    if (c == '"' && line[i] == '\\' && (line[i + 1] == '"' || line[i + 1] == '\\'))
                        i++;
                    if (((unsigned char)line[i] < ' ' && line[i] != '\t') || line[i] == 127)
                        break;
                    if ((code = put_byte(&text, line[i++], err)))
                        goto out;
                }
                if (line[i] != (char)c) {
                    code = line[i]
                               ? wlab_fail_at(err, NULL, 0, (long)i + 1, "control character in a word")
                               : wlab_fail_at(err, NULL, 0, (long)open + 1,
                                              "this quote is never closed: end the word with another %c", c);
                    goto out;
                }
                i++;
                opens = false;
                continue;
            }
            if (c < ' ' || c == 127) {
                code = wlab_fail_at(err, NULL, 0, (long)i + 1, "control character in a word");
                goto out;
            }
            if ((code = put_byte(&text, line[i++], err)))
                goto out;
            opens = c == '=' && plain && wlab_setting_length(line + begin) == i - begin - 1;
        }
        code = add_word(&w, (const char *)text.data, text.len, plain, (long)begin + 1, err);
        if (code)
            goto out;
        if (w.n == 1)
            rest = begin;
        end = i;
    }
    w.rest = w.n > 0 ? wlab_strndup(line + rest, end - rest) : wlab_strdup("");
    if (!w.rest) {
        code = wlab_nomem(err);
        goto out;
    }
    *pos = i;
    *out = w;
    memset(&w, 0, sizeof w);
out:
    wlab_buf_clear(&text);
    wlab_phrase_clear(&w);
    if (code)
        *more = false;
    return code;
}

wlab_code wlab_phrase_settings(const wlab_phrase *w, wlab_params *params, const char *but, char **other,
                               int *n, wlab_err *err)
{
    wlab_code code = WL_OK;

    *n = 0;
    for (int i = 0; !code && i < w->n; i++) {
        size_t len = w->plain[i] ? wlab_setting_length(w->word[i]) : 0;
        char *key = len ? wlab_strndup(w->word[i], len) : NULL;

        if (len == 0)
            other[(*n)++] = w->word[i];
        else if (!key)
            code = wlab_nomem(err);
        else if (!but || strcmp(key, but) != 0)
            code = wlab_params_set(params, key, w->word[i] + len + 1, err);
        wlab_free(key);
    }
    return code;
}

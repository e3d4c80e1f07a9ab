/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Words and settings of an experiment file, and the errors about wrong ones.
 */
#include "base/braces.h"
#include "base/locale.h"
#include "lang/args.h"
#include "study/experiment/file.h"
#include <stdio.h>
#include <string.h>

wlab_code wlab_exp_fail(const wlab_exp_file *f, long line, long column, const char *fmt, ...)
{
    char text[sizeof f->err->message];
    va_list ap;

    va_start(ap, fmt);
    wlab_vprint(text, sizeof text, fmt, ap);
    va_end(ap);
    return wlab_fail_at(f->err, f->e->path, line, column, "%s", text);
}

wlab_code wlab_exp_set_place(const wlab_exp_file *f, wlab_code code, long line, long column)
{
    if (code == WL_OK || code == WL_ENOMEM || !f->err)
        return code;
    return wlab_fail_at(f->err, f->e->path, line, column, "%s", f->err->message);
}

wlab_code wlab_exp_reserve(void *list, int n, size_t size, wlab_err *err)
{
    void **at = list;

    if (n & (n - 1)) /* it grows by doubling: there is space up to the next power of two */
        return WL_OK;
    void *grown = wlab_realloc(*at, n ? 2 * (size_t)n : 1, size);
    if (!grown)
        return wlab_nomem(err);
    *at = grown;
    return WL_OK;
}

wlab_code wlab_exp_buf_text(wlab_buf *buf, char **text, wlab_err *err)
{
    char *copy = wlab_strndup(buf->data ? (const char *)buf->data : "", buf->len);

    wlab_buf_clear(buf);
    if (!copy)
        return wlab_nomem(err);
    *text = copy;
    return WL_OK;
}

static size_t key_length(const wlab_exp_line *l, int i)
{
    return l->w.plain[i] ? wlab_setting_length(l->w.word[i]) : 0;
}

int wlab_exp_words(const wlab_exp_line *l, int from, int to, int *index, int max)
{
    int n = 0;

    for (int i = from; i < to; i++)
        if (key_length(l, i) == 0) {
            if (n < max)
                index[n] = i;
            n++;
        }
    return n;
}

wlab_code wlab_exp_stray(const wlab_exp_file *f, const wlab_exp_line *l, int i)
{
    wlab_args args = {.rest = l->w.rest};
    char **word = wlab_calloc((size_t)l->w.n + 1, sizeof *word);

    if (!word)
        return wlab_nomem(f->err);
    for (int k = 0; k < l->w.n && k <= i; k++)
        if (key_length(l, k) == 0)
            word[args.nwords++] = l->w.word[k];
    args.word = word;
    wlab_code code = wlab_args_stray(&args, args.nwords - 1, f->err);
    wlab_free(word);
    return wlab_exp_set_place(f, code, l->number, l->w.at[i]);
}

wlab_code wlab_exp_unknown(const wlab_exp_file *f, const wlab_exp_line *l, int i, const char *what,
                           const char *const *names, size_t n, const char *says)
{
    const char *word = i < 0 ? l->w.name : l->w.word[i], *near = wlab_nearest(word, names, n);
    long column = i < 0 ? l->w.column : l->w.at[i];

    for (size_t k = 0; k < n && !near && strlen(word) > 2; k++) /* "moons" is in "two-moons" */
        if (names[k] && strstr(names[k], word))
            near = names[k];
    if (near)
        return wlab_exp_fail(f, l->number, column, "no %s \"%.60s\"; did you mean \"%.60s\"?", what, word,
                             near);
    return wlab_exp_fail(f, l->number, column, "no %s \"%.60s\"; %s", what, word, says);
}

/* ---- braces ---- */

static const char *const placeholder[] = {"{seed}", "{data}"};

/* Replace each placeholder by one byte that no word contains, so that it is not a brace. */
static void hide_placeholders(char *text)
{
    char *to = text;

    for (const char *from = text; *from;) {
        int p = 0;
        while (p < 2 && strncmp(from, placeholder[p], 6) != 0)
            p++;
        if (p < 2) {
            *to++ = (char)(p + 1);
            from += 6;
        } else {
            *to++ = *from++;
        }
    }
    *to = '\0';
}

/* A copy of the text with the placeholders put back. */
static char *restore_placeholders(const char *text)
{
    wlab_buf out = {0};
    char *copy = NULL;
    wlab_code code = wlab_buf_put(&out, "", 0);

    for (; !code && *text; text++)
        code = *text == 1 || *text == 2 ? wlab_buf_put(&out, placeholder[*text - 1], 6)
                                        : wlab_buf_put(&out, text, 1);
    if (!code)
        copy = wlab_strndup((const char *)out.data, out.len);
    wlab_buf_clear(&out);
    return copy;
}

bool wlab_exp_braced(const char *value)
{
    for (; *value; value++) {
        if (strncmp(value, placeholder[0], 6) == 0 || strncmp(value, placeholder[1], 6) == 0)
            value += 5;
        else if (*value == '{' || *value == '}')
            return true;
    }
    return false;
}

wlab_code wlab_exp_values(const char *value, char ***list, int *n, wlab_err *err)
{
    char *hidden = wlab_strdup(value), **found = NULL;
    int values = 0;

    if (!hidden)
        return wlab_nomem(err);
    hide_placeholders(hidden);
    wlab_code code = wlab_braces_values(hidden, &found, &values, err);
    if (code && err && err->column > 0) { /* convert to the column in the typed text */
        long column = err->column;
        for (long i = 0; i < column - 1 && hidden[i]; i++)
            err->column += hidden[i] == 1 || hidden[i] == 2 ? 5 : 0;
    }
    for (int i = 0; !code && i < values; i++) {
        char *text = restore_placeholders(found[i]);
        if (!text) {
            code = wlab_nomem(err);
            break;
        }
        wlab_free(found[i]);
        found[i] = text;
    }
    wlab_free(hidden);
    if (code) {
        wlab_braces_free(found, values);
        return code;
    }
    *list = found;
    *n = values;
    return WL_OK;
}

/* A copy of the value with 1 in place of {seed} and {data}, so that it can be checked before these are known: 1 is valid
 * as a seed, as the number of a line of a split file, and as a name. */
static char *sample_value(const char *value)
{
    char *text = wlab_strdup(value);

    if (!text)
        return NULL;
    hide_placeholders(text);
    for (char *p = text; *p; p++)
        if (*p == 1 || *p == 2)
            *p = '1';
    return text;
}

static bool has_placeholder(const char *value)
{
    return strstr(value, placeholder[0]) || strstr(value, placeholder[1]);
}

/* Note the values in braces of a key, which must be the same in every line that has it.  Copies key and values. */
static wlab_code add_brace(wlab_exp_file *f, const wlab_exp_line *l, long column, const char *key,
                           char *const *value, int n, bool common)
{
    wlab_exp_brace *b = f->brace, *end = f->brace ? f->brace + f->nbraces : NULL;

    while (b != end && strcmp(b->key, key) != 0)
        b++;
    if (b == end) {
        wlab_code code = wlab_exp_reserve(&f->brace, f->nbraces, sizeof *f->brace, f->err);
        if (code)
            return code;
        b = &f->brace[f->nbraces++];
        *b = (wlab_exp_brace){.line = l->number, .column = column, .key = wlab_strdup(key)};
        b->value = wlab_calloc((size_t)n, sizeof *b->value);
        if (!b->key || !b->value)
            return wlab_nomem(f->err);
        for (; b->n < n; b->n++)
            if (!(b->value[b->n] = wlab_strdup(value[b->n])))
                return wlab_nomem(f->err);
    }
    bool same = b->n == n;
    for (int i = 0; same && i < n; i++)
        same = strcmp(b->value[i], value[i]) == 0;
    if (!same)
        return wlab_exp_fail(
            f, l->number, column,
            "%s= has other values in the braces of line %ld; give the key the same values in "
            "every line",
            key, b->line);
    b->common = b->common || common;
    b->datas += !common;
    return WL_OK;
}

/* ---- settings ---- */

static wlab_code fail_braces(const wlab_exp_file *f, const wlab_exp_line *l, int i, wlab_exp_braces use)
{
    if (use == WL_BRACES_TRIED)
        return wlab_exp_fail(f, l->number, l->w.at[i],
                             "{seed} and {data} are allowed in generate, split and task only");
    return wlab_exp_fail(f, l->number, l->w.at[i],
                         "braces are allowed in the settings of generate, split and task (a table for each "
                         "value) and of algo (`tune` chooses a value), not here");
}

static wlab_code check_value(wlab_exp_file *f, const wlab_exp_line *l, int i, const char *key,
                             const char *value, wlab_params *params)
{
    char *text = sample_value(value);
    wlab_code code = text ? wlab_params_set(params, key, text, f->err) : wlab_nomem(f->err);

    wlab_free(text);
    return wlab_exp_set_place(f, code, l->number, l->w.at[i]);
}

static wlab_code read_setting(wlab_exp_file *f, const wlab_exp_line *l, int i, size_t len,
                              wlab_params *params, wlab_exp_braces use, bool common, int64_t *combinations,
                              wlab_buf *out)
{
    const char *value = l->w.word[i] + len + 1;
    char *key = wlab_strndup(l->w.word[i], len), **list = NULL;
    int n = 0;
    wlab_code code = key ? WL_OK : wlab_nomem(f->err);

    if (!code && wlab_braces_in(value) &&
        (use == WL_BRACES_NONE || (use == WL_BRACES_TRIED && has_placeholder(value))))
        code = fail_braces(f, l, i, use);
    if (!code) {
        code = wlab_exp_values(value, &list, &n, f->err);
        const char *typed = l->raw + l->w.at[i] - 1 + len + 1;
        long column = l->w.at[i] + (long)len + (*typed == '"' || *typed == '\'');
        if (code)
            code = wlab_exp_set_place(f, code, l->number, column + (f->err ? f->err->column : 0));
    }
    for (int k = 0; !code && k < n; k++)
        code = check_value(f, l, i, key, list[k], params);
    if (!code && use == WL_BRACES_SETTINGS && wlab_exp_braced(value))
        code = add_brace(f, l, l->w.at[i], key, list, n, common);
    if (!code && combinations)
        *combinations = *combinations > INT64_MAX / n ? INT64_MAX : *combinations * n;
    if (!code && (wlab_buf_printf(out, " %s=", key) || (*value && wlab_buf_quote(out, value))))
        code = wlab_nomem(f->err);
    wlab_braces_free(list, n);
    wlab_free(key);
    return code;
}

wlab_code wlab_exp_settings(wlab_exp_file *f, const wlab_exp_line *l, int from, int to,
                            const wlab_param_info *table, wlab_exp_braces use, bool common,
                            int64_t *combinations, wlab_buf *out)
{
    wlab_params *params = NULL;
    wlab_code code = wlab_params_create(&params, table, f->err);

    for (int i = from; !code && i < to; i++) {
        size_t len = key_length(l, i);
        if (len == 0)
            continue;
        for (int k = from; !code && k < i; k++)
            if (key_length(l, k) == len && strncmp(l->w.word[k], l->w.word[i], len) == 0)
                code = wlab_exp_fail(f, l->number, l->w.at[i], "\"%.*s=\" is given twice; keep one",
                                     len < 60 ? (int)len : 60, l->w.word[i]);
        if (!code)
            code = read_setting(f, l, i, len, params, use, common, combinations, out);
    }
    wlab_params_destroy(params);
    return code;
}

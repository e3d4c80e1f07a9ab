/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Arguments of a command: reading them, and errors that suggest what was meant.
 */
#include "lang/args.h"
#include <stdio.h>
#include <string.h>

enum {
    MOST = 32
};

typedef struct token {
    const char *at;
    int len;
} token;

static int cut_tokens(const char *text, token list[MOST])
{
    int n = 0;

    for (text += strspn(text, " \t"); *text && n < MOST; text += strspn(text, " \t")) {
        list[n].at = text;
        list[n++].len = (int)strcspn(text, " \t");
        text += list[n - 1].len;
    }
    return n;
}

static bool is_word(const token *t, const char *word)
{
    return (size_t)t->len == strlen(word) && strncmp(t->at, word, (size_t)t->len) == 0;
}

/* The length of the key at the beginning of a token. */
static int key_length(const token *t)
{
    int n = 0;

    while (n < t->len && ((t->at[n] >= 'a' && t->at[n] <= 'z') || (t->at[n] >= 'A' && t->at[n] <= 'Z') ||
                          t->at[n] == '_' || (n > 0 && t->at[n] >= '0' && t->at[n] <= '9')))
        n++;
    return n;
}

wlab_code wlab_args_stray(const wlab_args *args, int which, wlab_err *err)
{
    const char *word = args->word[which];
    token list[MOST];
    int n = cut_tokens(args->rest, list), i = 0;

    for (int words = -1; i < n; i++) /* find word[which] itself, not an equal token before it */
        if (!memchr(list[i].at, '=', (size_t)list[i].len) || key_length(&list[i]) == 0 ||
            is_word(&list[i], word))
            if (++words == which)
                break;
    if (i == n || !is_word(&list[i], word))
        return wlab_fail(err, WL_EARG, "\"%.60s\" is not key=value", word);

    int key = key_length(&list[i]), blanks = 0;
    const token *t = &list[i], *value = t + 1, *end = list + n;
    const char *tail = t->at + key;
    int tail_len = t->len - key;

    for (; tail_len > 0 && *tail == '='; tail++, tail_len--)
        continue;
    if (key == 0) { /* perhaps the end of the setting before it */
        if (i > 0 && key_length(t - 1) > 0 && t[-1].at[key_length(t - 1)] == '=')
            return wlab_fail(err, WL_EARG, "\"%.60s\" is not key=value; write %.*s%.60s without blanks", word,
                             t[-1].len < 60 ? t[-1].len : 60, t[-1].at, word);
        return wlab_fail(err, WL_EARG, "\"%.60s\" is not key=value", word);
    }
    if (tail_len == 0) {
        if (value < end && value->at[0] == '=' && value->len == 1)
            value++, blanks++;
        if (value < end && key_length(value) < value->len && value->at[key_length(value)] == '=' &&
            key_length(value) > 0)
            value = end; /* this is the next setting, not a value */
        if (value < end) {
            tail = value->at;
            tail_len = value->len;
            for (; tail_len > 0 && *tail == '='; tail++, tail_len--)
                continue;
            blanks++;
        }
    }
    return wlab_fail(err, WL_EARG, "\"%.60s\" is not key=value; write %.*s=%.*s%s", word, key < 40 ? key : 40,
                     t->at,
                     tail_len == 0   ? 3
                     : tail_len < 60 ? tail_len
                                     : 60,
                     tail_len == 0 ? "..." : tail, blanks ? " without blanks" : "");
}

wlab_code wlab_args_params(const wlab_args *args, const wlab_param_info *table, wlab_params **out,
                           wlab_err *err)
{
    wlab_params *params = NULL;
    wlab_code code = wlab_params_create(&params, table, err);
    for (int i = 0; !code && i < args->nsettings; i++)
        code = wlab_params_set(params, args->key[i], args->value[i], err);
    if (code)
        wlab_params_destroy(params);
    else
        *out = params;
    return code;
}

wlab_code wlab_args_count(const wlab_args *args, const char *command, int64_t *count, wlab_err *err)
{
    *count = 1;
    if (args->nsettings > 0 || args->nwords > 1 ||
        (args->nwords == 1 && (!wlab_parse_int(args->word[0], count) || *count < 1)))
        return wlab_fail(err, WL_EARG, "%s takes a number of at least 1: `%s 5`, say", command, command);
    return WL_OK;
}

wlab_code wlab_args_none(const wlab_args *args, const char *command, wlab_err *err)
{
    if (args->nwords + args->nsettings > 0)
        return wlab_fail(err, WL_EARG, "%s takes no arguments; what is \"%.60s\"?", command, args->rest);
    return WL_OK;
}

const char *wlab_args_text(const wlab_args *args)
{
    bool quoted = args->rest[0] == '"' || args->rest[0] == '\'';

    return quoted && args->nwords == 1 ? args->word[0] : args->rest;
}

wlab_code wlab_args_place(const wlab_args *args, const char *text, wlab_code code, wlab_err *err)
{
    const bool quoted = args->nwords > 0 && text == args->word[0]; /* a copy, of what follows the quote */

    if (code == WL_EINPUT && err && err->column > 0 && !err->file[0])
        err->column += args->at - 1 + (quoted ? 1 : (long)(text - args->rest));
    return code;
}

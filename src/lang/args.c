/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The words of a command: what they were meant to be where they are not what they should be.
 */
#include "session/internal.h"
#include <stdio.h>
#include <string.h>

enum {
    MOST = 32
};

typedef struct token {
    const char *at;
    int len;
} token;

static int cut(const char *text, token list[MOST])
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
    int n = cut(args->rest, list), i = 0;

    for (int seen = -1; i < n; i++) /* the word itself: not one that reads the same and stands earlier */
        if (!memchr(list[i].at, '=', (size_t)list[i].len) || key_length(&list[i]) == 0 ||
            is_word(&list[i], word))
            if (++seen == which)
                break;
    if (i == n || !is_word(&list[i], word))
        return wlab_fail(err, WL_EARG, "\"%.60s\" is not key=value", word);

    int key = key_length(&list[i]), blanks = 0;
    const token *t = &list[i], *value = t + 1, *end = list + n;
    const char *tail = t->at + key;
    int tail_len = t->len - key;

    for (; tail_len > 0 && *tail == '='; tail++, tail_len--)
        continue;
    if (key == 0) { /* the end of the setting before it */
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
            value = end; /* the next setting */
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

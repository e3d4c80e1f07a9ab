/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Completion: parse the line up to the cursor with the language's parser, and ask the command for its words.
 */
#include "session/commands/commands.h"
#include <stdio.h>
#include <string.h>

/* ---- the words found ---- */

void wlab_offer_clear(wlab_offer *word)
{
    wlab_free(word->text);
    wlab_free(word->note);
    wlab_free(word->meaning);
}

void wlab_offers_clear(wlab_offers *w)
{
    for (int i = 0; i < w->n; i++)
        wlab_offer_clear(&w->list[i]);
    wlab_free(w->list);
    wlab_free(w->prefix);
    memset(w, 0, sizeof *w);
}

void wlab_offers_add_any(wlab_offers *w, const char *text, const char *note, const char *meaning,
                         unsigned flags)
{
    wlab_offer one = {.flags = flags};
    wlab_offer *grown = w->list;

    if ((w->n & (w->n - 1)) == 0) /* full: the capacity doubles at powers of 2 */
        grown = wlab_realloc(w->list, w->n ? (size_t)w->n * 2 : 1, sizeof *grown);
    if (grown) {
        w->list = grown;
        one.text = wlab_strdup(text);
        one.note = wlab_strdup(note ? note : "");
        one.meaning = wlab_strdup(meaning ? meaning : "");
    }
    if (one.text && one.note && one.meaning) {
        w->list[w->n++] = one;
        return;
    }
    wlab_offer_clear(&one);
    w->failed = true;
}

void wlab_offers_add(wlab_offers *w, const char *text, const char *note, const char *meaning, unsigned flags)
{
    if (w->failed || (w->key && !(flags & WL_OFFER_VALUE)) ||
        strncmp(text, w->prefix, strlen(w->prefix)) != 0)
        return;
    for (int i = 0; i < w->n; i++)
        if (strcmp(w->list[i].text, text) == 0)
            return;
    wlab_offers_add_any(w, text, note, meaning, flags);
}

void wlab_offers_list(wlab_offers *w, const char *const *text, const char *const *meaning)
{
    for (int i = 0; text[i]; i++)
        wlab_offers_add(w, text[i], NULL, meaning ? meaning[i] : NULL, 0);
}

/* ---- settings ---- */

void wlab_param_legal(const wlab_param_info *p, char *buf, size_t size)
{
    char lo[32], hi[32];

    switch (p->type) {
    case WL_P_REAL:
    case WL_P_INT:
    case WL_P_SCALED: {
        bool low = p->lo < p->hi && p->lo > -1e300, high = p->lo < p->hi && p->hi < 1e300;
        wlab_real_text(p->lo, lo);
        wlab_real_text(p->hi, hi);
        if (low && high)
            snprintf(buf, size, "%s%s, %s%s", p->flags & WL_P_OPEN_LO ? "(" : "[", lo, hi,
                     p->flags & WL_P_OPEN_HI ? ")" : "]");
        else if (low || high)
            snprintf(buf, size, "%c%s %s", low ? '>' : '<',
                     p->flags & (low ? WL_P_OPEN_LO : WL_P_OPEN_HI) ? "" : "=", low ? lo : hi);
        else
            snprintf(buf, size, "%s", p->type == WL_P_INT ? "a whole number" : "a number");
        for (int i = 0; p->type == WL_P_SCALED && p->choices[i]; i++)
            wlab_text_append(buf, size, "%s1%s", i ? ", " : " or as ", p->choices[i]);
        break;
    }
    case WL_P_CHOICE:
        buf[0] = '\0';
        for (int i = 0; p->choices && p->choices[i]; i++)
            wlab_text_append(buf, size, "%s%s", i ? "|" : "", p->choices[i]);
        break;
    case WL_P_BOOL:
        snprintf(buf, size, "yes|no");
        break;
    case WL_P_FILE:
        snprintf(buf, size, "a file");
        break;
    case WL_P_TEXT:
        snprintf(buf, size, "text");
        break;
    }
}

/* "1x (> 0 or as 1x, 1rms)": the value if there is one, then the legal values. */
static void note_of(const wlab_param_info *p, const wlab_params *now, char *buf, size_t size)
{
    char legal[256];
    const char *value = now ? wlab_params_text(now, p->name) : p->fallback;

    wlab_param_legal(p, legal, sizeof legal);
    if (p->type == WL_P_TEXT && !p->unit)
        snprintf(buf, size, "%s", value ? value : "");
    else
        snprintf(buf, size, "%s%s(%s%s%s)", value ? value : "", value ? " " : "",
                 p->type == WL_P_TEXT ? "" : legal, p->unit && p->type != WL_P_TEXT ? ", " : "",
                 p->unit ? p->unit : "");
}

/* Offer values for one setting. */
static void add_values(wlab_offers *w, const wlab_session *s, const wlab_param_info *p,
                       const wlab_params *now)
{
    static const char *const yes_no[] = {"yes", "no", NULL};
    const char *const *list = p->type == WL_P_BOOL ? yes_no : p->type == WL_P_CHOICE ? p->choices : NULL;
    const char *value = now ? wlab_params_text(now, p->name) : NULL;

    for (int i = 0; list && list[i]; i++) {
        bool is_now = value && strcmp(list[i], value) == 0;
        bool is_default = !value && p->fallback && strcmp(list[i], p->fallback) == 0;
        wlab_offers_add(w, list[i],
                        is_now       ? "now"
                        : is_default ? "default"
                                     : NULL,
                        is_now || is_default ? p->meaning : NULL, WL_OFFER_VALUE);
    }
    if (list)
        return;
    if (p->type == WL_P_FILE)
        wlab_offers_file_names(w, s, WL_FILES_DATA, "");
    if (p->type == WL_P_TEXT && w->prefix[0] == '@')
        wlab_offers_file_names(w, s, WL_FILES_DATA, "@");
    if (value)
        wlab_offers_add(w, value, "now", p->meaning, WL_OFFER_VALUE);
    if (p->fallback)
        wlab_offers_add(w, p->fallback, "default", p->meaning, WL_OFFER_VALUE);
}

static bool is_typed(const wlab_args *typed, const char *key)
{
    for (int i = 0; i < typed->nsettings; i++)
        if (strcmp(typed->key[i], key) == 0)
            return true;
    return false;
}

void wlab_offers_params(wlab_offers *w, const wlab_session *s, const wlab_param_info *table,
                        const wlab_params *now, unsigned flags)
{
    char text[80], note[400];

    for (const wlab_param_info *p = table; p && p->name; p++) {
        if ((p->flags & flags) != flags)
            continue;
        if (w->key) {
            if (strcmp(p->name, w->key) == 0)
                add_values(w, s, p, now);
            continue;
        }
        if (is_typed(w->typed, p->name))
            continue;
        snprintf(text, sizeof text, "%s=", p->name);
        note_of(p, now, note, sizeof note);
        wlab_offers_add(w, text, note, p->meaning, WL_OFFER_OPEN);
    }
}

/* ---- the line ---- */

/* The typed part of the word, without its quote. */
static char *typed_prefix(const char *word, size_t len, char quote)
{
    char *prefix = wlab_alloc(len + 1, 1);
    size_t n = 0;

    if (!prefix)
        return NULL;
    for (size_t i = 0; i < len; i++) {
        if (quote == '"' && word[i] == '\\' && i + 1 < len && (word[i + 1] == '"' || word[i + 1] == '\\'))
            i++;
        prefix[n++] = word[i];
    }
    prefix[n] = '\0';
    return prefix;
}

static void add_commands(wlab_offers *w, const wlab_session *s)
{
    char note[32];

    for (int i = 0; i < s->ncommands; i++) {
        const wlab_command *c = s->commands[i];
        snprintf(note, sizeof note, "%s%s%s", c->alias ? "(" : "", c->alias ? c->alias : "",
                 c->alias ? ")" : "");
        wlab_offers_add(w, c->name, note, c->summary, 0);
    }
}

/* Read the words of the phrase, except the last, which stands for the one being typed, as the command would get them.
 * last: the typed text in front of that one, `key=`, or anything if the command takes its line unparsed.  Returns
 * false if nothing can be completed after it. */
static bool read_typed(wlab_args *args, const wlab_command *c, wlab_phrase *p, char *last, bool attached)
{
    int n = p->n - 1;

    for (int i = 0; i < n; i++) {
        size_t len = p->plain[i] && !(c->flags & WL_C_WORDS) ? wlab_setting_length(p->word[i]) : 0;
        if (len == 0) {
            args->word[args->nwords++] = p->word[i];
            continue;
        }
        p->word[i][len] = '\0';
        args->key[args->nsettings] = p->word[i];
        args->value[args->nsettings++] = p->word[i] + len + 1;
    }
    if (!attached || (c->flags & WL_C_WORDS))
        return true;
    size_t len = strlen(last);
    return len > 1 && p->plain[n] && wlab_setting_length(last) == len - 1;
}

/* Ask the command that `p` names.  The last character of `p` stands for the word being typed. */
static wlab_code ask_command(wlab_offers *w, const wlab_session *s, wlab_phrase *p, bool attached,
                             wlab_err *err)
{
    const wlab_command *c = NULL;
    size_t n = (size_t)p->n + 1;
    wlab_args args = {.word = wlab_calloc(n, sizeof *args.word),
                      .key = wlab_calloc(n, sizeof *args.key),
                      .value = wlab_calloc(n, sizeof *args.value),
                      .rest = p->rest};
    char *last = p->word[p->n - 1];
    wlab_code code = args.word && args.key && args.value ? WL_OK : wlab_nomem(err);

    last[strlen(last) - 1] = '\0';
    p->rest[strlen(p->rest) - 1] = '\0';
    if (!code && wlab_command_find(s->commands, p->name, true, &c, NULL) == WL_OK &&
        read_typed(&args, c, p, last, attached)) {
        w->typed = &args;
        if (attached && !(c->flags & WL_C_WORDS)) {
            last[strlen(last) - 1] = '\0';
            w->key = last;
        }
        if (c->offer)
            c->offer(w, s);
        if (!w->no_settings || w->key)
            wlab_offers_params(w, s, c->params, NULL, 0);
        w->typed = NULL;
        w->key = NULL;
    }
    wlab_free(args.word);
    wlab_free(args.key);
    wlab_free(args.value);
    return code;
}

wlab_code wlab_session_complete(const wlab_session *s, const char *line, size_t begin, size_t len,
                                wlab_offers *offers, wlab_err *err)
{
    wlab_offers w = {0};
    wlab_phrase p = {0};
    char quote = begin > 0 && strchr("\"'", line[begin - 1]) ? line[begin - 1] : '\0';
    size_t end = begin - (quote != '\0'), pos = 0;
    char *before = wlab_alloc(end + 2, 1);
    bool more = true, attached = end > 0 && !strchr(" \t;", line[end - 1]);
    wlab_code code = WL_OK;

    w.quoted = quote != '\0';
    w.prefix = typed_prefix(line + begin, len - begin, quote);
    if (!before || !w.prefix) {
        code = wlab_nomem(err);
        goto out;
    }
    memcpy(before, line, end);
    memcpy(before + end, "x", 2); /* stands for the word being typed; in a comment the parser drops it */
    while (more) {
        wlab_phrase_clear(&p);
        code = wlab_phrase_read(&p, before, &pos, &more, err);
        if (code == WL_ENOMEM)
            goto out;
        if (code) { /* a line that cannot be completed */
            code = WL_OK;
            goto out;
        }
    }
    /* is it the end of the last word? */
    size_t ends =
        p.n > 0 ? (size_t)p.at[0] - 1 + strlen(p.rest) : (size_t)p.column - 1 + strlen(p.name ? p.name : "");
    if (!p.name || ends != end + 1)
        goto out;
    if (p.n > 0)
        code = ask_command(&w, s, &p, attached, err);
    else if (!attached && !quote)
        add_commands(&w, s);
    if (!code && w.failed)
        code = wlab_nomem(err);
out:
    wlab_free(before);
    wlab_phrase_clear(&p);
    if (code)
        wlab_offers_clear(&w);
    else
        *offers = w;
    return code;
}

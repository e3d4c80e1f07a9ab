/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Candidates for tuning: every combination of the values that an algorithm's settings have in braces.
 */
#include "base/braces.h"
#include "lang/phrase.h"
#include "weaklab/tune.h"
#include <string.h>

enum {
    MOST = 100000 /* candidates of one list */
};

/* One key=value of the text, with all values of its braces. */
typedef struct choice {
    char *key;
    char **value; /* [n] */
    int n;
    long at; /* column of the value */
} choice;

typedef struct reading {
    const wlab_algo *algo;
    choice *choice; /* [n] */
    int n;
    wlab_err *err;
} reading;

void wlab_candidates_free(wlab_candidate *list, int n)
{
    for (int i = 0; i < n; i++) {
        wlab_params_destroy(list[i].params);
        wlab_free(list[i].text);
    }
    wlab_free(list);
}

/* Give the error a column. */
static wlab_code set_column(wlab_err *err, wlab_code code, long column)
{
    if (code && code != WL_ENOMEM && err)
        err->column = column;
    return code;
}

static wlab_code fail_unknown(const char *word, wlab_err *err)
{
    const char *name[64], *near;
    size_t n = 0;

    for (; wlab_algos[n] && n < 64; n++)
        name[n] = wlab_algos[n]->name;
    near = wlab_nearest(word, name, n);
    return near ? wlab_fail(err, WL_EARG, "no algorithm \"%.60s\"; did you mean \"%s\"?", word, near)
                : wlab_fail(err, WL_EARG, "no algorithm \"%.60s\"; `help algorithms` lists them", word);
}

static bool has_param(const wlab_param_info *table, const char *name)
{
    while (table->name && strcmp(table->name, name) != 0)
        table++;
    return table->name;
}

/* Read the i-th word of the phrase, a setting, and check each of its values. */
static wlab_code read_setting(reading *r, const wlab_phrase *w, int i, wlab_params *scratch)
{
    choice *c = &r->choice[r->n];
    size_t len = w->plain[i] ? wlab_setting_length(w->word[i]) : 0;
    wlab_code code;

    if (len == 0)
        return set_column(r->err,
                          wlab_fail(r->err, WL_EARG, "\"%.60s\" is not key=value: algo %s takes settings",
                                    w->word[i], r->algo->name),
                          w->at[i]);
    if (!(c->key = wlab_strndup(w->word[i], len)))
        return wlab_nomem(r->err);
    r->n++; /* from here on it is freed with r */
    c->at = w->at[i] + (long)len + 1;
    for (int k = 0; k + 1 < r->n; k++)
        if (strcmp(r->choice[k].key, c->key) == 0)
            return set_column(
                r->err,
                wlab_fail(r->err, WL_EARG, "\"%.60s=\" is given twice; keep one, {a,b} lists values", c->key),
                w->at[i]);
    code = wlab_braces_values(w->word[i] + len + 1, &c->value, &c->n, r->err);
    if (code)
        return set_column(r->err, code, c->at - 1 + (r->err ? r->err->column : 0));
    for (int k = 0; k < c->n; k++)
        if ((code = wlab_params_set(scratch, c->key, c->value[k], r->err)))
            return set_column(r->err, code, has_param(r->algo->params, c->key) ? c->at : w->at[i]);
    return WL_OK;
}

/* Make the candidate with value pick[i] of each choice i. */
static wlab_code make_candidate(wlab_candidate *c, const reading *r, const int *pick)
{
    wlab_buf text = {0};
    wlab_code code = wlab_params_create(&c->params, r->algo->params, r->err);

    c->algo = r->algo;
    for (int i = 0; !code && i < r->n; i++)
        code = wlab_params_set(c->params, r->choice[i].key, r->choice[i].value[pick[i]], r->err);
    if (!code && (wlab_buf_printf(&text, "%s%s", r->algo->name, r->n ? " " : "") ||
                  wlab_params_format(c->params, &text) || !(c->text = wlab_strdup((const char *)text.data))))
        code = wlab_nomem(r->err);
    wlab_buf_clear(&text);
    if (code) {
        wlab_params_destroy(c->params);
        *c = (wlab_candidate){0};
    }
    return code;
}

/* Append every combination; the last setting changes fastest. */
static wlab_code combine(wlab_candidate **list, int *n, const reading *r)
{
    wlab_candidate *all;
    int64_t total = 1;
    int made = 0, *pick;
    wlab_code code = WL_OK;

    for (int i = 0; i < r->n; i++)
        if ((total *= r->choice[i].n) + *n > MOST)
            return set_column(
                r->err,
                wlab_fail(r->err, WL_EARG, "there are more than %d candidates; give fewer values", MOST),
                r->choice[i].at);
    all = wlab_realloc(*list, (size_t)(*n + total), sizeof *all);
    if (!all)
        return wlab_nomem(r->err);
    *list = all;
    if (!(pick = wlab_calloc((size_t)r->n + 1, sizeof *pick)))
        return wlab_nomem(r->err);
    while (!code && made < total) {
        code = make_candidate(&all[*n + made], r, pick);
        made += !code;
        for (int i = r->n; i-- > 0 && ++pick[i] == r->choice[i].n;)
            pick[i] = 0;
    }
    wlab_free(pick);
    if (!code) {
        *n += made;
        return WL_OK;
    }
    while (made-- > 0) {
        wlab_params_destroy(all[*n + made].params);
        wlab_free(all[*n + made].text);
    }
    return code;
}

wlab_code wlab_candidates_add(wlab_candidate **list, int *n, const char *text, wlab_err *err)
{
    reading r = {.err = err};
    wlab_phrase w = {0};
    wlab_params *scratch = NULL;
    size_t pos = 0;
    bool more;
    wlab_code code = wlab_phrase_read(&w, text, &pos, &more, err);

    if (!code && !w.name)
        code = set_column(
            err, wlab_fail(err, WL_EARG, "an algorithm is missing, as in `algo svm C={0.1,1,10}`"), 1);
    if (!code && more)
        code = set_column(err, wlab_fail(err, WL_EARG, "a `;` may not be among settings"), (long)pos);
    if (!code && !(r.algo = wlab_algo_find(w.name)))
        code = set_column(err, fail_unknown(w.name, err), w.column);
    if (!code)
        code = wlab_params_create(&scratch, r.algo->params, err);
    if (!code && !(r.choice = wlab_calloc((size_t)w.n + 1, sizeof *r.choice)))
        code = wlab_nomem(err);
    for (int i = 0; !code && i < w.n; i++)
        code = read_setting(&r, &w, i, scratch);
    if (!code)
        code = combine(list, n, &r);
    for (int i = 0; i < r.n; i++) {
        wlab_free(r.choice[i].key);
        wlab_braces_free(r.choice[i].value, r.choice[i].n);
    }
    wlab_free(r.choice);
    wlab_params_destroy(scratch);
    wlab_phrase_clear(&w);
    return code;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * method, or: the lines of an experiment file that name the algorithms to compare.
 */
#include "base/braces.h"
#include "model/kernel.h"
#include "study/experiment/read.h"
#include <string.h>

/* Add `more` candidates, given from word `at` on, to the method's number. */
static wlab_code count_candidates(wlab_exp_file *f, const wlab_exp_line *l, wlab_exp_method *m, int at,
                                  int64_t more)
{
    if (more > WLAB_EXP_CANDIDATES || m->candidates + more > WLAB_EXP_CANDIDATES)
        return wlab_exp_fail(f, l->number, l->w.at[at],
                             "method %.60s has more than %d candidates; remove values from its braces",
                             m->name, WLAB_EXP_CANDIDATES);
    if (m->candidates + more > 1 && f->many_line == 0) {
        f->many_line = l->number;
        f->many_column = l->w.at[at];
        for (int i = at; i < l->w.n && more > 1; i++)
            if (wlab_setting_length(l->w.word[i]) && wlab_braces_in(l->w.word[i])) {
                f->many_column = l->w.at[i];
                break;
            }
    }
    m->candidates += (int)more;
    return WL_OK;
}

/* Check the kernel settings of all candidates, which needs no data: a wrong candidate would fail in every cell. */
static wlab_code check_candidates(wlab_exp_file *f, const wlab_exp_line *l, int at, const wlab_algo *algo,
                                  const char *text)
{
    wlab_candidate *list = NULL;
    int n = 0;

    if (!wlab_param_known(algo->params, "kernel"))
        return WL_OK;
    wlab_code code = wlab_candidates_add(&list, &n, text, f->err);
    for (int i = 0; !code && i < n; i++) {
        code = wlab_kernel_check(list[i].params, f->err);
        if (code)
            code = wlab_exp_fail(f, l->number, l->w.at[at], "%s%s%s%s", f->err->message,
                                 n > 1 ? "; remove that from these braces and write `or algo " : "",
                                 n > 1 ? algo->name : "", n > 1 ? " kernel=...` as an alternative" : "");
    }
    wlab_candidates_free(list, n);
    return code;
}

/* word[from .. to-1]: "algo NAME key=value ..." */
static wlab_code read_alternative(wlab_exp_file *f, const wlab_exp_line *l, int from, int to)
{
    wlab_experiment *e = f->e;
    wlab_exp_method *m = &e->method[e->nmethods - 1];
    const char *names[64];
    size_t n = 0;
    int at[3];
    int64_t combinations = 1;
    wlab_buf text = {0};

    if (from == to)
        return wlab_exp_fail(f, l->number, from ? l->w.at[from - 1] : l->w.column,
                             "an algorithm must follow, as in `algo svm kernel=rbf`");
    if (strcmp(l->w.word[from], "algo") != 0)
        return wlab_exp_fail(f, l->number, l->w.at[from], "expected `algo`, not \"%.60s\", as in %s",
                             l->w.word[from],
                             from == 1 ? "`method NAME algo svm kernel=rbf`" : "`or algo svm kernel=linear`");
    int words = wlab_exp_words(l, from + 1, to, at, 3);
    if (words == 0)
        return wlab_exp_fail(f, l->number, l->w.at[from],
                             "algo takes a name, as in `algo wellsvm`; `help algorithms` lists them");
    wlab_code code = wlab_exp_check_plain(f, l, at[0], "write `or algo ...` for another algorithm");
    const wlab_algo *algo = wlab_algo_find(l->w.word[at[0]]);
    for (; wlab_algos[n] && n < 64; n++)
        names[n] = wlab_algos[n]->name;
    if (!code && !algo)
        code = wlab_exp_unknown(f, l, at[0], "algorithm", names, n, "`help algorithms` lists them");
    if (!code && words > 1)
        code = wlab_exp_stray(f, l, at[1]);
    if (!code && wlab_buf_printf(&text, "%s", algo->name))
        code = wlab_nomem(f->err);
    if (!code)
        code =
            wlab_exp_settings(f, l, from + 1, to, algo->params, WL_BRACES_TRIED, false, &combinations, &text);
    if (!code)
        code = count_candidates(f, l, m, from, combinations);
    if (!code)
        code = check_candidates(f, l, at[0], algo, (const char *)text.data);
    if (!code)
        code = wlab_exp_reserve(&f->alternative, f->nalternatives, sizeof *f->alternative, f->err);
    if (!code)
        code = wlab_exp_reserve(&m->algo, m->alternatives, sizeof *m->algo, f->err);
    if (!code)
        code = wlab_exp_buf_text(&text, &m->algo[m->alternatives], f->err);
    if (!code) {
        m->alternatives++;
        f->alternative[f->nalternatives++] =
            (wlab_exp_alternative){e->nmethods - 1, algo, l->number, l->w.at[at[0]]};
    }
    wlab_buf_clear(&text);
    return code;
}

static wlab_code read_alternatives(wlab_exp_file *f, const wlab_exp_line *l, int from)
{
    wlab_code code = WL_OK;

    for (int to; !code; from = to + 1) {
        for (to = from; to < l->w.n && !(l->w.plain[to] && strcmp(l->w.word[to], "or") == 0); to++)
            continue;
        code = read_alternative(f, l, from, to);
        if (to >= l->w.n)
            break;
    }
    return code;
}

wlab_code wlab_exp_read_method(wlab_exp_file *f, const wlab_exp_line *l)
{
    wlab_experiment *e = f->e;

    if (l->w.n == 0)
        return wlab_exp_missing(
            f, l, "method takes a name and an algorithm, as in `method SVM algo svm kernel=rbf`");
    if (l->w.plain[0] && wlab_setting_length(l->w.word[0]))
        return wlab_exp_fail(f, l->number, l->w.at[0], "a name comes first: `method NAME algo ...`");
    wlab_code code = wlab_exp_check_name(f, l, 0, "method");
    if (!code && l->w.n > 1 && strcmp(l->w.word[0], "algo") == 0 && strcmp(l->w.word[1], "algo") != 0)
        code = wlab_exp_fail(f, l->number, l->w.at[0], "a name comes first: `method NAME algo %.60s ...`",
                             l->w.word[1]);
    if (!code)
        code = wlab_exp_check_count(f, l, e->nmethods, "methods");
    for (int i = 0; !code && i < e->nmethods; i++)
        if (strcmp(e->method[i].name, l->w.word[0]) == 0)
            code =
                wlab_exp_fail(f, l->number, l->w.at[0],
                              "there is a method \"%.60s\" in line %ld already; give this one another name",
                              l->w.word[0], e->method[i].at);
    if (!code)
        code = wlab_exp_reserve(&e->method, e->nmethods, sizeof *e->method, f->err);
    if (code)
        return code;
    e->method[e->nmethods] = (wlab_exp_method){.name = wlab_strdup(l->w.word[0]), .at = l->number};
    if (!e->method[e->nmethods++].name)
        return wlab_nomem(f->err);
    return read_alternatives(f, l, 1);
}

wlab_code wlab_exp_read_or(wlab_exp_file *f, const wlab_exp_line *l)
{
    if (!f->in_method)
        return wlab_exp_missing(f, l, "`or` must follow a `method` line, to which it adds an alternative");
    return read_alternatives(f, l, 0);
}

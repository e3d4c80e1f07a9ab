/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Other views of an experiment's values: only some methods, or settings and data sets exchanged.
 */
#include "lang/phrase.h"
#include "study/table/parts.h"
#include <string.h>

/* ---- some methods ---- */

static wlab_code fail_unknown(const wlab_experiment *e, const char *word, size_t len, wlab_err *err)
{
    const char **names = wlab_alloc((size_t)e->nmethods, sizeof *names);
    char *name = wlab_strndup(word, len);
    wlab_code code = names && name ? WL_EARG : wlab_nomem(err);

    for (int m = 0; code == WL_EARG && m < e->nmethods; m++)
        names[m] = e->method[m].name;
    const char *near = code == WL_EARG ? wlab_nearest(name, names, (size_t)e->nmethods) : NULL;
    if (code == WL_EARG)
        code = wlab_fail(err, WL_EARG, "methods=: no method \"%.60s\"; %s\"%.60s\"%s", name,
                         near ? "did you mean " : "the first is ", near ? near : names[0], near ? "?" : "");
    wlab_free(names);
    wlab_free(name);
    return code;
}

wlab_code wlab_methods_choose(const wlab_experiment *e, const char *list, bool *chosen, wlab_err *err)
{
    for (int m = 0; m < e->nmethods; m++)
        chosen[m] = !list;
    for (const char *word = list; word;) {
        size_t len = strcspn(word, ",");
        int m = 0;

        while (m < e->nmethods &&
               (strlen(e->method[m].name) != len || strncmp(e->method[m].name, word, len) != 0))
            m++;
        if (m == e->nmethods)
            return fail_unknown(e, word, len, err);
        chosen[m] = true;
        word = word[len] ? word + len + 1 : NULL;
    }
    return WL_OK;
}

void wlab_values_pick(wlab_values *v, const bool *chosen)
{
    wlab_experiment *e = v->e;
    int64_t rows = (int64_t)e->nsettings * e->ndata, to = 0, cells = 0;
    int methods = 0, published = 0;

    for (int64_t i = 0; i < rows * e->nmethods; i++)
        if (chosen[i % e->nmethods]) {
            memmove(v->value + to, v->value + i * v->replicates, (size_t)v->replicates * sizeof *v->value);
            to += v->replicates;
        }
    for (int64_t i = 0; i < e->cells; i++)
        if (chosen[e->cell[i].method])
            e->cell[cells++] = e->cell[i];
    for (int i = 0; i < e->npublished; i++) {
        int m = e->published[i].method;

        if (m < 0 || chosen[m])
            e->published[published++] = e->published[i];
        else
            wlab_free(e->published[i].name);
    }
    for (int m = 0; m < e->nmethods; m++) {
        if (!chosen[m]) {
            wlab_free(e->method[m].name);
            wlab_list_free(e->method[m].algo, e->method[m].alternatives);
            continue;
        }
        for (int64_t i = 0; i < cells; i++)
            if (e->cell[i].method == m)
                e->cell[i].method = methods;
        for (int i = 0; i < published; i++)
            if (e->published[i].method == m)
                e->published[i].method = methods;
        e->method[methods++] = e->method[m];
    }
    e->nmethods = methods;
    e->npublished = published;
    e->cells = cells;
}

/* ---- settings and data sets exchanged ---- */

wlab_code wlab_values_transpose(wlab_values *v, wlab_err *err)
{
    wlab_experiment *e = v->e;
    int settings = e->nsettings, sets = e->ndata;
    int64_t row = (int64_t)e->nmethods * v->replicates;

    if (settings < 2)
        return wlab_fail(
            err, WL_EARG,
            "rows=settings: this experiment has one setting only; put values in braces in generate, split or "
            "task to get several");
    wlab_exp_data *data = wlab_calloc((size_t)settings, sizeof *data);
    wlab_exp_setting *setting = wlab_calloc((size_t)sets, sizeof *setting);
    double *value = wlab_alloc((size_t)(settings * sets * row), sizeof *value);
    if (!data || !setting || !value) {
        wlab_free(data);
        wlab_free(setting);
        wlab_free(value);
        return wlab_nomem(err);
    }
    for (int s = 0; s < settings; s++)
        for (int d = 0; d < sets; d++)
            memcpy(value + (d * settings + s) * row, v->value + (s * sets + d) * row,
                   (size_t)row * sizeof *value);
    for (int s = 0; s < settings; s++) { /* exchange the names */
        data[s].name = e->setting[s].name;
        wlab_list_free(e->setting[s].key, e->setting[s].values);
        wlab_list_free(e->setting[s].value, e->setting[s].values);
    }
    for (int d = 0; d < sets; d++) {
        setting[d].name = e->data[d].name;
        wlab_free(e->data[d].line);
    }
    for (int i = 0; i < e->npublished; i++) {
        wlab_exp_published *p = &e->published[i];
        int was = p->data;

        p->data = p->setting;
        p->setting = was;
    }
    for (int64_t i = 0; i < e->cells; i++) {
        int was = e->cell[i].data;

        e->cell[i].data = e->cell[i].setting;
        e->cell[i].setting = was;
    }
    wlab_free(e->data);
    wlab_free(e->setting);
    wlab_free(v->value);
    e->data = data;
    e->ndata = settings;
    e->setting = setting;
    e->nsettings = sets;
    v->value = value;
    v->transposed = true;
    return WL_OK;
}

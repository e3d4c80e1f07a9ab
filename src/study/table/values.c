/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The values behind tables and curves: one score of every cell of an experiment.
 */
#include "lang/phrase.h"
#include "study/table/parts.h"
#include <math.h>
#include <string.h>

const char *const wlab_cell_scores[] = {"seconds", "tuning_seconds", "iter", NULL};

enum {
    OF_CELLS = sizeof wlab_cell_scores / sizeof *wlab_cell_scores - 1
};

typedef struct reading {
    wlab_values *v;
    const char *score;
    /* if `score` is an error, the name of the accuracy that gives it (1 - accuracy); else NULL */
    char *accuracy;
    bool *chosen;         /* [methods] */
    int methods;          /* how many there are before any are left out */
    int64_t combinations; /* settings x data sets x methods */
    bool known;           /* a result has the score */
    char **name;          /* [names] scores of the results, for the error if none has the score */
    int names;
    int64_t *fails;   /* [combinations] how many cells failed */
    char **why;       /* [combinations] the first error of each */
    char **untrained; /* [methods] the error of the first candidate that could not be trained; NULL: none */
    int seed;         /* repetition of the last result: the search for the next one begins there */
    char **by;        /* [v->builds] version and build of each program */
    int64_t tuned;    /* number of a cell whose method was tuned; 0: none yet */
} reading;

static int64_t combination(const wlab_experiment *e, int setting, int data, int method)
{
    return ((int64_t)setting * e->ndata + data) * e->nmethods + method;
}

double *wlab_values_at(const wlab_values *v, int setting, int data, int method)
{
    return v->value + combination(v->e, setting, data, method) * v->replicates;
}

/* ---- reading ---- */

static wlab_code add_name(reading *r, const char *name, wlab_err *err)
{
    for (int i = 0; i < r->names; i++)
        if (strcmp(r->name[i], name) == 0)
            return WL_OK;
    return wlab_list_add(&r->name, &r->names, wlab_strdup(name), err);
}

/* The length of the name before `what`, which is its last word: 10 for "unlabeled_accuracy" and "accuracy"; -1: it
 * has another last word. */
static int prefix_length(const char *name, const char *what)
{
    size_t len = strlen(name), end = strlen(what);

    return len >= end && strcmp(name + len - end, what) == 0 && (len == end || name[len - end - 1] == '_')
               ? (int)(len - end)
               : -1;
}

/* Note a score's name; if it is an accuracy, also the name of its error. */
static wlab_code add_names(reading *r, const char *name, wlab_err *err)
{
    int front = prefix_length(name, "accuracy");
    wlab_code code = add_name(r, name, err);

    if (code || front < 0)
        return code;
    char *error = wlab_format("%.*serror", front, name);
    code = error ? add_name(r, error, err) : wlab_nomem(err);
    wlab_free(error);
    return code;
}

static wlab_code value_of(reading *r, const wlab_result *result, double *value, wlab_err *err)
{
    const double own[OF_CELLS] = {result->seconds, result->tuning_seconds, (double)result->iter};
    const char *name;
    json_t *x;
    wlab_code code = WL_OK;
    bool exact = false;

    *value = (double)NAN;
    for (int i = 0; i < OF_CELLS; i++)
        if (strcmp(r->score, wlab_cell_scores[i]) == 0) {
            r->known = true;
            *value = own[i];
            return WL_OK;
        }
    json_object_foreach(result->scores, name, x)
    {
        double number = json_is_number(x) ? json_number_value(x) : (double)NAN;

        if (strcmp(name, r->score) == 0) {
            r->known = exact = true;
            *value = number;
        } else if (!exact && r->accuracy && strcmp(name, r->accuracy) == 0) {
            r->known = true;
            *value = 1 - number;
        }
        if (!r->known && !code)
            code = add_names(r, name, err);
    }
    return code;
}

static wlab_code add_program(reading *r, const wlab_result *result, wlab_err *err)
{
    char *name =
        wlab_format("%s %s", result->version ? result->version : "", result->build ? result->build : "");

    for (int i = 0; name && i < r->v->builds; i++)
        if (strcmp(r->by[i], name) == 0) {
            wlab_free(name);
            return WL_OK;
        }
    return wlab_list_add(&r->by, &r->v->builds, name, err);
}

/* The replicate of a cell, or -1. */
static int64_t replicate(reading *r, const wlab_cell *cell)
{
    const wlab_experiment *e = r->v->e;
    int folds = e->folds > 0 ? e->folds : 1, fold = cell->fold > 0 ? cell->fold - 1 : 0;

    for (int i = 0; i < e->nseeds; i++) {
        int k = (r->seed + i) % e->nseeds;

        if (e->seed[k] == cell->seed) {
            r->seed = k;
            return fold < folds ? (int64_t)k * folds + fold : -1;
        }
    }
    return -1;
}

static wlab_code add_result(void *self, const wlab_result *result, wlab_err *err)
{
    reading *r = self;
    const wlab_experiment *e = r->v->e;
    bool planned = result->number >= 1 && result->number <= e->cells;
    const wlab_cell *cell = planned ? &e->cell[result->number - 1] : NULL;
    int64_t at = planned ? replicate(r, cell) : -1;
    double value;
    wlab_code code;

    if (at < 0)
        return wlab_fail(err, WL_EINPUT, "the results hold cell %lld, which the experiment does not have",
                         (long long)result->number);
    if (!r->chosen[cell->method])
        return r->known ? WL_OK : value_of(r, result, &value, err);
    if ((code = add_program(r, result, err)))
        return code;
    r->v->missing--;
    if (result->error) {
        int64_t k = combination(e, cell->setting, cell->data, cell->method);

        r->v->failed++;
        r->fails[k]++;
        return r->why[k] || (r->why[k] = wlab_strdup(result->error)) ? WL_OK : wlab_nomem(err);
    }
    if (r->tuned == 0 && e->method[cell->method].candidates > 1)
        r->tuned = result->number;
    if ((code = value_of(r, result, &value, err)))
        return code;
    r->v->empty += isnan(value);
    wlab_values_at(r->v, cell->setting, cell->data, cell->method)[at] = value;
    return WL_OK;
}

/* ---- after the last result ---- */

static wlab_code fail_unknown(const reading *r, wlab_err *err)
{
    const char *near = NULL;
    const char **name = wlab_alloc((size_t)(r->names + OF_CELLS), sizeof *name);
    wlab_buf list = {0};
    wlab_code code = name ? WL_OK : wlab_nomem(err);

    for (int i = 0; !code && i < r->names + OF_CELLS; i++) {
        name[i] = i < r->names ? r->name[i] : wlab_cell_scores[i - r->names];
        if (wlab_buf_printf(&list, "%s%s", i ? ", " : "", name[i]))
            code = wlab_nomem(err);
    }
    if (!code) {
        near = wlab_nearest(r->score, name, (size_t)(r->names + OF_CELLS));
        code = near ? wlab_fail(err, WL_EARG, "no result has a score \"%.60s\"; did you mean \"%.60s\"?",
                                r->score, near)
                    : wlab_fail(err, WL_EARG, "no result has a score \"%.60s\"; there are %.600s", r->score,
                                (const char *)list.data);
    }
    wlab_free(name);
    wlab_buf_clear(&list);
    return code;
}

/* A line for each combination that has failures. */
static wlab_code list_failures(const reading *r, wlab_err *err)
{
    const wlab_experiment *e = r->v->e;
    wlab_buf text = {0};
    wlab_code code = WL_OK;

    for (int s = 0; s < e->nsettings; s++)
        for (int d = 0; d < e->ndata; d++)
            for (int m = 0; m < e->nmethods; m++) {
                int64_t k = combination(e, s, d, m);

                if (!code && r->fails[k] > 0)
                    code =
                        wlab_buf_printf(&text, "%s%s%s%s, %s: %lld failed: %s", text.len ? "\n" : "",
                                        e->data[d].name, e->setting[s].name[0] ? " " : "", e->setting[s].name,
                                        e->method[m].name, (long long)r->fails[k], r->why[k]);
            }
    if (!code && text.len && !(r->v->failure = wlab_strdup((const char *)text.data)))
        code = WL_ENOMEM;
    wlab_buf_clear(&text);
    return code ? wlab_nomem(err) : WL_OK;
}

/* Keep the first error of each method. */
static wlab_code add_untrained(void *self, int64_t number, const char *why, wlab_err *err)
{
    reading *r = self;
    const wlab_experiment *e = r->v->e;

    if (number < 1 || number > e->cells || !r->chosen[e->cell[number - 1].method])
        return WL_OK;
    char **at = &r->untrained[e->cell[number - 1].method];
    return *at || (*at = wlab_strdup(why)) ? WL_OK : wlab_nomem(err);
}

static wlab_code list_untrained(reading *r, const wlab_store *store, wlab_err *err)
{
    const wlab_experiment *e = r->v->e;
    wlab_buf text = {0};
    wlab_code code = wlab_store_untrained(store, add_untrained, r, err);

    if (code)
        return code;
    for (int m = 0; !code && m < e->nmethods; m++)
        if (r->untrained[m])
            code = wlab_buf_printf(&text, "%s%s: some candidates could not be trained: %s",
                                   text.len ? "\n" : "", e->method[m].name, r->untrained[m]);
    if (!code && text.len && !(r->v->untrained = wlab_strdup((const char *)text.data)))
        code = WL_ENOMEM;
    wlab_buf_clear(&text);
    return code ? wlab_nomem(err) : WL_OK;
}

/* Read the experiment and allocate its values. */
static wlab_code prepare(reading *r, const wlab_store *store, const char *methods, wlab_err *err)
{
    wlab_values *v = r->v;
    int front = prefix_length(r->score, "error");
    wlab_code code = wlab_store_experiment(store, &v->e, err);

    if (code)
        return code;
    r->methods = v->e->nmethods;
    r->combinations = (int64_t)v->e->nsettings * v->e->ndata * r->methods;
    size_t combinations = (size_t)r->combinations;
    v->replicates = (int64_t)v->e->nseeds * (v->e->folds > 0 ? v->e->folds : 1);
    v->drawn = wlab_calloc((size_t)v->e->ndata, sizeof *v->drawn);
    v->value = wlab_alloc(combinations * (size_t)v->replicates, sizeof *v->value);
    r->fails = wlab_calloc(combinations, sizeof *r->fails);
    r->why = wlab_calloc(combinations, sizeof *r->why);
    r->untrained = wlab_calloc((size_t)r->methods, sizeof *r->untrained);
    r->chosen = wlab_calloc((size_t)r->methods, sizeof *r->chosen);
    r->accuracy = front < 0 ? NULL : wlab_format("%.*saccuracy", front, r->score);
    if (!v->drawn || !v->value || !r->fails || !r->why || !r->untrained || !r->chosen ||
        (front >= 0 && !r->accuracy))
        return wlab_nomem(err);
    for (size_t i = 0; i < combinations * (size_t)v->replicates; i++)
        v->value[i] = (double)NAN;
    for (int d = 0; d < v->e->ndata; d++)
        v->drawn[d] = v->e->data[d].drawn;
    code = wlab_methods_choose(v->e, methods, r->chosen, err);
    for (int64_t i = 0; !code && i < v->e->cells; i++)
        v->missing += r->chosen[v->e->cell[i].method];
    return code;
}

static void reading_clear(reading *r)
{
    for (int m = 0; r->untrained && m < r->methods; m++)
        wlab_free(r->untrained[m]);
    wlab_free(r->untrained);
    wlab_list_free(r->by, r->v->builds);
    for (int64_t i = 0; r->why && i < r->combinations; i++)
        wlab_free(r->why[i]);
    wlab_free(r->why);
    wlab_free(r->fails);
    wlab_free(r->accuracy);
    wlab_free(r->chosen);
    wlab_list_free(r->name, r->names);
}

wlab_code wlab_values_read(wlab_values *out, const wlab_store *store, const char *score, const char *methods,
                           wlab_err *err)
{
    wlab_values v = {0};
    reading r = {.v = &v, .score = score};
    wlab_code code = prepare(&r, store, methods, err);
    int64_t cells = v.missing;

    if (!code)
        code = wlab_store_each(store, add_result, &r, err);
    if (!code && !r.known && v.missing + v.failed < cells)
        code = fail_unknown(&r, err);
    if (!code)
        code = list_failures(&r, err);
    if (!code && r.tuned > 0)
        code = wlab_store_oracle(store, r.tuned, &v.oracle, err);
    if (!code && r.tuned > 0)
        code = list_untrained(&r, store, err);
    for (int i = 0; !code && r.accuracy && i < v.e->npublished; i++) /* published numbers are accuracies */
        v.e->published[i].mean = 1 - v.e->published[i].mean;
    if (!code)
        wlab_values_pick(&v, r.chosen);
    reading_clear(&r);
    if (code)
        wlab_values_clear(&v);
    else
        *out = v;
    return code;
}

void wlab_values_clear(wlab_values *v)
{
    wlab_experiment_free(v->e);
    wlab_free(v->value);
    wlab_free(v->failure);
    wlab_free(v->untrained);
    wlab_free(v->drawn);
    *v = (wlab_values){0};
}

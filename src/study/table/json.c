/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tables as JSON, with all their numbers and the values of each replicate.
 */
#include "lang/json.h"
#include "study/table/parts.h"
#include <math.h>
#include <string.h>

static json_t *test(const wlab_test *t, const char *statistic)
{
    json_t *o = isnan(t->p) ? json_null()
                            : json_pack("{s:o, s:o}", statistic, wlab_json_real(t->statistic), "p",
                                        wlab_json_real(t->p));

    if (o && !isnan(t->p) && !isnan(t->df))
        json_object_set_new(o, "df", wlab_json_real(t->df));
    if (o && !isnan(t->p) && !isnan(t->df2))
        json_object_set_new(o, "df2", wlab_json_real(t->df2));
    return o;
}

static json_t *values(const wlab_sheet *t, int setting, int data, int method)
{
    const double *x = wlab_values_at(t->v, setting, data, method);
    json_t *list = json_array();

    for (int64_t i = 0; i < t->v->replicates; i++)
        json_array_append_new(list, wlab_json_real(x[i]));
    return list;
}

static json_t *cell(const wlab_sheet *t, int setting, int data, int k)
{
    const wlab_sheet_block *b = &t->block[setting];
    const wlab_sheet_cell *c = &b->cell[data * b->columns + k];
    const wlab_sheet_column *column = &b->column[k];
    json_t *o = json_pack("{s:o}", "method", wlab_json_text(column->name));

    if (o && column->method >= 0)
        json_object_update_new(o, json_pack("{s:I, s:o, s:o, s:o, s:b, s:s, s:I, s:o, s:o}", "n",
                                            (json_int_t)c->n, "mean", wlab_json_real(c->mean), "deviation",
                                            wlab_json_real(c->deviation), "rank", wlab_json_real(c->rank),
                                            "best", (int)c->best, "mark",
                                            c->mark > 0   ? "v"
                                            : c->mark < 0 ? "*"
                                                          : "",
                                            "pairs", (json_int_t)c->pairs, "test", test(&c->test, "t"),
                                            "values", values(t, setting, data, column->method)));
    if (o && !isnan(c->published)) {
        json_object_set_new(o, "published",
                            json_pack("{s:o, s:o, s:I}", "mean", wlab_json_real(c->published), "deviation",
                                      wlab_json_real(c->published_deviation), "n",
                                      (json_int_t)c->published_n));
        json_object_set_new(o, "diff", wlab_json_real(c->diff));
    }
    return o;
}

static json_t *column(const wlab_sheet *t, const wlab_sheet_column *c)
{
    json_t *o = json_pack("{s:o, s:b}", "name", wlab_json_text(c->name), "run", (int)(c->method >= 0));

    if (!o)
        return NULL;
    if (c->method >= 0) {
        json_object_set_new(o, "oracle", json_boolean(c->oracle));
        json_object_set_new(o, "average", wlab_json_real(c->average));
        if (t->ranks)
            json_object_set_new(o, "average_rank", wlab_json_real(c->average_rank));
    }
    if (c->published)
        json_object_set_new(o, "published_average", wlab_json_real(c->published_average));
    if (c->method >= 0 && t->against >= 0 && c->method != t->against)
        json_object_update_new(o,
                               json_pack("{s:i, s:i, s:i}", "win", c->win, "tie", c->tie, "loss", c->loss));
    if (!isnan(c->holm.p))
        json_object_set_new(o, "holm", test(&c->holm, "z"));
    return o;
}

static json_t *strings(char *const *text, int n)
{
    json_t *list = json_array();

    for (int i = 0; i < n; i++)
        json_array_append_new(list, wlab_json_text(text[i]));
    return list;
}

static json_t *block(const wlab_sheet *t, int setting)
{
    const wlab_experiment *e = t->v->e;
    const wlab_sheet_block *b = &t->block[setting];
    json_t *methods = json_array(), *rows = json_array(), *o;

    for (int k = 0; k < b->columns; k++)
        json_array_append_new(methods, column(t, &b->column[k]));
    for (int d = 0; d < e->ndata; d++) {
        json_t *cells = json_array();

        for (int k = 0; k < b->columns; k++)
            json_array_append_new(cells, cell(t, setting, d, k));
        json_array_append_new(
            rows, json_pack("{s:o, s:o}", "data", wlab_json_text(e->data[d].name), "cells", cells));
    }
    o = json_pack("{s:o, s:o, s:o, s:i, s:i, s:i}", "setting", wlab_json_text(b->setting), "methods", methods,
                  "rows", rows, "complete", b->complete, "compared", b->compared, "agree", b->agree);
    if (o && b->friedman)
        json_object_set_new(o, "friedman",
                            json_pack("{s:o, s:o}", "chi2", test(&b->chi2, "chi2"), "F", test(&b->F, "F")));
    if (o && !isnan(b->critical))
        json_object_set_new(o, "nemenyi", wlab_json_real(b->critical));
    if (o)
        json_object_set_new(o, "notes", strings(b->note, b->notes));
    return o;
}

json_t *wlab_sheet_object(const wlab_sheet *t)
{
    const wlab_values *v = t->v;
    json_t *settings = json_array(), *o;

    for (int s = 0; s < v->e->nsettings; s++)
        json_array_append_new(settings, block(t, s));
    o = json_pack("{s:o, s:s, s:I, s:I, s:I, s:I, s:I, s:o, s:o}", "score", wlab_json_text(t->score),
                  "better", t->lower ? "low" : "high", "replicates", (json_int_t)v->replicates, "cells",
                  (json_int_t)v->e->cells, "missing", (json_int_t)v->missing, "failed", (json_int_t)v->failed,
                  "empty", (json_int_t)v->empty, "settings", settings, "notes", strings(t->note, t->notes));
    if (o && t->against >= 0) {
        json_object_set_new(o, "against", wlab_json_text(v->e->method[t->against].name));
        json_object_set_new(o, "test", json_string(t->corrected ? "corrected" : "paired"));
        json_object_set_new(o, "level", wlab_json_real(t->level));
        if (t->corrected)
            json_object_set_new(o, "ratio", wlab_json_real(t->ratio));
    }
    if (o && v->failure)
        json_object_set_new(o, "failures", wlab_json_text(v->failure));
    if (o && v->untrained)
        json_object_set_new(o, "untrained", wlab_json_text(v->untrained));
    if (o)
        json_object_set_new(o, "builds", json_integer(v->builds));
    return o;
}

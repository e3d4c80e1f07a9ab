/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Totals over the cells that a sweep has computed so far.
 */
#include "sweep/tally.h"
#include "lang/phrase.h"
#include "study/table/table.h"
#include <math.h>
#include <string.h>

/* The score of the first `table` line that names one, or accuracy. */
static wlab_code read_score_name(char **name, const wlab_experiment *e, wlab_err *err)
{
    for (int i = 0; i < e->nreports; i++) {
        wlab_phrase w = {0};
        size_t pos = 0;
        bool more = false;
        char *line = e->report[i].curve ? NULL : wlab_format("table %s", e->report[i].rest);
        wlab_code code = line ? wlab_phrase_read(&w, line, &pos, &more, err) : WL_OK;

        wlab_free(line);
        for (int k = 0; !code && k < w.n && !*name; k++)
            if (strncmp(w.word[k], "score=", 6) == 0 && !(*name = wlab_strdup(w.word[k] + 6)))
                code = wlab_nomem(err);
        wlab_phrase_clear(&w);
        if (code || *name)
            return code;
    }
    *name = wlab_strdup("accuracy");
    return *name ? WL_OK : wlab_nomem(err);
}

wlab_code wlab_tally_create(wlab_tally *t, const wlab_experiment *e, wlab_err *err)
{
    size_t pairs = (size_t)e->ndata * (size_t)e->nmethods;
    wlab_code code;

    *t = (wlab_tally){.e = e};
    t->cost = wlab_calloc(pairs, sizeof *t->cost);
    t->value = wlab_calloc(pairs * (size_t)e->nsettings, sizeof *t->value);
    code = t->cost && t->value ? read_score_name(&t->score, e, err) : wlab_nomem(err);
    if (code)
        wlab_tally_clear(t);
    else
        t->lower = wlab_score_lower(t->score);
    return code;
}

void wlab_tally_clear(wlab_tally *t)
{
    wlab_free(t->score);
    wlab_free(t->cost);
    wlab_free(t->value);
    memset(t, 0, sizeof *t);
}

static wlab_tally_cost *cost_of(const wlab_tally *t, const wlab_cell *c)
{
    return &t->cost[c->data * t->e->nmethods + c->method];
}

void wlab_tally_missing(wlab_tally *t, const wlab_cell *c)
{
    cost_of(t, c)->missing++;
}

static void add_result(wlab_tally *t, const wlab_cell *c, const wlab_result *r, double seconds)
{
    const wlab_experiment *e = t->e;
    wlab_tally_score *v = &t->value[(c->setting * e->ndata + c->data) * e->nmethods + c->method];
    const json_t *score = json_object_get(r->scores, t->score);

    if (r->error)
        return;
    if (isfinite(seconds)) {
        cost_of(t, c)->seconds += seconds;
        cost_of(t, c)->done++;
    }
    if (json_is_number(score)) {
        double x = json_number_value(score);
        v->sum += x;
        v->squares += x * x;
        v->n++;
    }
}

void wlab_tally_done(wlab_tally *t, const wlab_cell *c, const wlab_result *r, double seconds)
{
    cost_of(t, c)->missing--;
    add_result(t, c, r, seconds);
}

void wlab_tally_known(wlab_tally *t, const wlab_cell *c, const wlab_result *r)
{
    add_result(t, c, r, r->seconds + r->tuning_seconds);
}

double wlab_tally_expect(const wlab_tally *t, int data, int method)
{
    const wlab_tally_cost *own = &t->cost[data * t->e->nmethods + method];
    wlab_tally_cost same = {0};

    if (own->done > 0)
        return own->seconds / (double)own->done;
    for (int d = 0; d < t->e->ndata; d++) {
        const wlab_tally_cost *c = &t->cost[d * t->e->nmethods + method];
        same.seconds += c->seconds;
        same.done += c->done;
    }
    return same.done > 0 ? same.seconds / (double)same.done : NAN;
}

double wlab_tally_left(const wlab_tally *t)
{
    double sum = 0;

    for (int d = 0; d < t->e->ndata; d++)
        for (int m = 0; m < t->e->nmethods; m++) {
            int64_t missing = t->cost[d * t->e->nmethods + m].missing;
            if (missing > 0)
                sum += (double)missing * wlab_tally_expect(t, d, m);
        }
    return sum;
}

int wlab_tally_best(const wlab_tally *t, int setting, int data, double *mean, double *deviation, int64_t *n)
{
    const wlab_experiment *e = t->e;
    int best = -1;

    for (int m = 0; m < e->nmethods; m++) {
        const wlab_tally_score *v = &t->value[(setting * e->ndata + data) * e->nmethods + m];
        double now = v->n > 0 ? v->sum / (double)v->n : NAN;
        if (v->n < 1 || (best >= 0 && (t->lower ? now >= *mean : now <= *mean)))
            continue;
        double variance = v->n > 1 ? (v->squares - v->sum * now) / (double)(v->n - 1) : NAN;
        best = m;
        *mean = now;
        *deviation = variance > 0 ? sqrt(variance) : v->n > 1 ? 0 : NAN;
        *n = v->n;
    }
    return best;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Computes a table: means, deviations, ranks and tests of the values.
 */
#include "lang/phrase.h"
#include "study/table/parts.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double none = (double)NAN;

enum {
    RANK_DECIMALS = 6, /* of means that are ranked, so that rounding errors do not decide the order */
    LEAST = 10         /* replicates of a test: with fewer, one unusual split decides */
};

/* ---- settings ---- */

static wlab_code find_method(const wlab_experiment *e, const char *name, int *method, wlab_err *err)
{
    const char **names;
    const char *near;

    *method = -1;
    for (int m = 0; name && m < e->nmethods; m++)
        if (strcmp(e->method[m].name, name) == 0)
            *method = m;
    if (!name || *method >= 0 || strcmp(name, "none") == 0)
        return WL_OK;
    if (!(names = wlab_alloc((size_t)e->nmethods, sizeof *names)))
        return wlab_nomem(err);
    for (int m = 0; m < e->nmethods; m++)
        names[m] = e->method[m].name;
    near = wlab_nearest(name, names, (size_t)e->nmethods);
    (void)wlab_fail(err, WL_EARG, "against=%.60s: no method has that name; %s%.60s%s", name,
                    near ? "did you mean \"" : "the first is \"", near ? near : names[0],
                    near ? "\"?" : "\"");
    wlab_free(names);
    return WL_EARG;
}

/* Whether the score is of rows that the split holds out.  Other rows are the same, or nearly so, in all replicates. */
static bool of_held_out(const wlab_experiment *e, const char *score)
{
    static const char *const held_out[] = {"test", "bags"};
    const char *rows;
    const int len = e->split ? wlab_exp_score_rows(e, score, &rows) : 0;

    for (size_t i = 0; len && i < sizeof held_out / sizeof *held_out; i++)
        if (strlen(held_out[i]) == (size_t)len && strncmp(rows, held_out[i], (size_t)len) == 0)
            return true;
    return false;
}

bool wlab_sheet_independent(const wlab_sheet *t, int setting, int data)
{
    const wlab_experiment *e = t->v->e;
    return t->v->drawn && t->v->drawn[t->v->transposed ? setting : data] && e->folds < 2;
}

static wlab_code read_test(wlab_sheet *t, const wlab_params *p, wlab_err *err)
{
    enum {
        AUTO,
        PAIRED,
        CORRECTED
    };
    const int test = wlab_params_choice(p, "test");
    const wlab_experiment *e = t->v->e;
    const double ratio = e->test_ratio;

    t->held_out = of_held_out(e, t->score);
    if (test == CORRECTED && t->against >= 0 && !isfinite(ratio))
        return wlab_fail(err, WL_EARG,
                         "test=corrected needs a split into training and test rows, which this experiment "
                         "does not have; use test=paired");
    if (test == CORRECTED && t->against >= 0 && !t->held_out)
        return wlab_fail(
            err, WL_EARG,
            "test=corrected is for scores of rows that `split` holds out, and %.100s is not one; "
            "use test=paired",
            t->score);
    bool shared = false;
    for (int s = 0; s < e->nsettings; s++)
        for (int d = 0; d < e->ndata; d++)
            shared = shared || !wlab_sheet_independent(t, s, d);
    t->sampled = test == AUTO;
    t->corrected = test == CORRECTED || (test == AUTO && t->held_out && isfinite(ratio) && shared);
    t->ratio = t->corrected && t->against >= 0 ? ratio : 0;
    return WL_OK;
}

static wlab_code read_settings(wlab_sheet *t, const wlab_params *p, wlab_err *err)
{
    const wlab_experiment *e = t->v->e;
    int best = wlab_params_choice(p, "best"), posthoc = wlab_params_choice(p, "posthoc");
    wlab_code code;

    if (!(t->score = wlab_strdup(wlab_params_text(p, "score"))))
        return wlab_nomem(err);
    if ((code = find_method(e, wlab_params_text(p, "against"), &t->against, err)))
        return code;
    t->lower = best == 2 || (best == 0 && wlab_score_lower(t->score));
    if ((code = read_test(t, p, err)))
        return code;
    t->level = wlab_params_real(p, "level");
    t->averaged = e->folds > 1 && wlab_params_choice(p, "spread") == 1;
    t->ranks = wlab_params_bool(p, "ranks") && e->nmethods > 1 && !t->v->transposed;
    t->published = wlab_params_bool(p, "published") && wlab_score_published(t->score);
    t->digits = (int)wlab_params_int(p, "digits");
    t->posthoc = posthoc >= 0      ? (wlab_posthoc)posthoc
                 : t->against >= 0 ? WL_POSTHOC_HOLM
                                   : WL_POSTHOC_NEMENYI;
    if (t->posthoc == WL_POSTHOC_HOLM && t->against < 0)
        return wlab_fail(err, WL_EARG, "posthoc=holm compares with one method: name it, as in against=%.60s",
                         e->method[0].name);
    return WL_OK;
}

/* ---- columns ---- */

static bool is_of(const wlab_exp_published *p, const wlab_sheet_column *c)
{
    return p->method >= 0 ? p->method == c->method : c->method < 0 && strcmp(p->name, c->name) == 0;
}

static wlab_code columns(const wlab_sheet *t, int setting, wlab_sheet_block *b, wlab_err *err)
{
    const wlab_experiment *e = t->v->e;
    size_t most = (size_t)e->nmethods + (size_t)(t->published ? e->npublished : 0);

    b->column = wlab_calloc(most, sizeof *b->column);
    if (!b->column)
        return wlab_nomem(err);
    for (int m = 0; m < e->nmethods; m++)
        b->column[b->columns++] = (wlab_sheet_column){
            .name = e->method[m].name, .method = m, .oracle = t->v->oracle && e->method[m].candidates > 1};
    for (int i = 0; t->published && i < e->npublished; i++) {
        const wlab_exp_published *p = &e->published[i];
        int c = 0;

        if (p->setting != setting)
            continue;
        while (c < b->columns && !is_of(p, &b->column[c]))
            c++;
        if (c == b->columns)
            b->column[b->columns++] = (wlab_sheet_column){.name = p->name, .method = -1};
        b->column[c].published = true;
    }
    b->cell = wlab_calloc((size_t)e->ndata * (size_t)b->columns, sizeof *b->cell);
    return b->cell ? WL_OK : wlab_nomem(err);
}

/* ---- cells ---- */

/* Copy the values that are not missing; with `other`, only of replicates that both have.  Returns how many. */
static int64_t copy_present(const double *x, const double *other, int64_t n, double *out)
{
    int64_t k = 0;

    for (int64_t i = 0; i < n; i++)
        if (!isnan(x[i]) && !(other && isnan(other[i])))
            out[k++] = x[i];
    return k;
}

/* The mean over the folds of each repetition that has all of them.  Returns how many have. */
static int64_t average_folds(const wlab_experiment *e, const double *x, double *out)
{
    int64_t n = 0;

    for (int r = 0; r < e->nseeds; r++) {
        const double mean = wlab_mean(x + (int64_t)r * e->folds, e->folds); /* NaN if a fold is missing */

        if (!isnan(mean))
            out[n++] = mean;
    }
    return n;
}

/* buffer: [2 x replicates]. */
static wlab_code score_cell(const wlab_sheet *t, int setting, int data, int method, wlab_sheet_cell *c,
                            double *buffer, wlab_err *err)
{
    const wlab_values *v = t->v;
    const double *x = wlab_values_at(v, setting, data, method), *base;
    double *a = buffer, *b = buffer + v->replicates;
    wlab_code code;

    c->n = t->averaged ? average_folds(v->e, x, a) : copy_present(x, NULL, v->replicates, a);
    c->mean = wlab_mean(a, c->n);
    c->deviation = wlab_deviation(a, c->n);
    if (t->against < 0 || t->against == method)
        return WL_OK;
    base = wlab_values_at(v, setting, data, t->against);
    c->pairs = copy_present(x, base, v->replicates, a);
    (void)copy_present(base, x, v->replicates, b);
    if (c->pairs < LEAST)
        return WL_OK;
    const double ratio = t->sampled && wlab_sheet_independent(t, setting, data) ? 0 : t->ratio;
    if ((code = wlab_test_paired(a, b, c->pairs, ratio, &c->test, err)))
        return code;
    if (c->test.p < t->level)
        c->mark = (c->test.statistic > 0) == t->lower ? -1 : 1;
    return WL_OK;
}

/* The fewest decimals with which all published numbers of a setting can be written.  Their rounding counts as an error
 * that is uniform over one unit of the last decimal, with variance unit^2 / 12. */
static int decimals(const wlab_experiment *e, int setting, int most)
{
    int digits = 0;

    for (int i = 0; i < e->npublished; i++)
        for (int k = 0; e->published[i].setting == setting && k < 2; k++) {
            double x = k ? e->published[i].deviation : e->published[i].mean;

            while (digits < most && isfinite(x) &&
                   fabs(x * pow(10, digits) - rint(x * pow(10, digits))) > 1e-6)
                digits++;
        }
    return digits;
}

static void add_published(const wlab_sheet *t, int setting, wlab_sheet_block *b)
{
    const wlab_experiment *e = t->v->e;
    double unit;

    b->published_digits = -1;
    for (int k = 0; k < b->columns; k++)
        if (b->column[k].published)
            b->published_digits = decimals(e, setting, 12);
    unit = pow(10, -b->published_digits);
    for (int i = 0; i < e->npublished; i++) {
        const wlab_exp_published *p = &e->published[i];

        for (int k = 0; t->published && k < b->columns; k++) {
            wlab_sheet_cell *c = &b->cell[p->data * b->columns + k];
            double error;

            if (p->setting != setting || !is_of(p, &b->column[k]))
                continue;
            c->published = p->mean;
            c->published_deviation = p->deviation;
            c->published_n = p->repeats > 0 ? p->repeats : t->v->replicates;
            error = c->deviation * c->deviation / (double)c->n + unit * unit / 12;
            if (!isnan(p->deviation))
                error += p->deviation * p->deviation / (double)c->published_n;
            c->diff = (c->mean - p->mean) / sqrt(error);
            b->compared += !isnan(c->diff);
            b->agree += fabs(c->diff) <= 2;
        }
    }
}

/* ---- rows ---- */

/* The ranks and the best of a row.  *complete: every method that has values has one in this row.
 * buffer: [2 x methods]. */
static wlab_code rank_row(const wlab_sheet *t, const wlab_sheet_block *b, wlab_sheet_cell *cell,
                          double *buffer, bool *complete, wlab_err *err)
{
    int methods = t->v->e->nmethods;
    double *rank = buffer + methods, first = INFINITY;
    wlab_code code;

    *complete = b->present > 0;
    for (int m = 0; m < methods; m++) {
        buffer[m] = cell[m].mean;
        *complete = *complete && (cell[m].n > 0 || !b->column[m].present);
    }
    if ((code = wlab_score_ranks(buffer, methods, !t->lower, RANK_DECIMALS, rank, err)))
        return code;
    for (int m = 0; m < methods; m++)
        first = fmin(first, rank[m]);
    for (int m = 0; m < methods; m++) {
        cell[m].best = methods > 1 && cell[m].n > 0 && !(rank[m] > first);
        cell[m].rank = *complete && t->ranks && b->column[m].present ? rank[m] : none;
    }
    return WL_OK;
}

static void average(const wlab_sheet *t, wlab_sheet_block *b, const bool *complete)
{
    const wlab_experiment *e = t->v->e;

    for (int k = 0; k < b->columns; k++) {
        wlab_sheet_column *c = &b->column[k];
        double sum = 0, published = 0, rank = 0;

        for (int d = 0; d < e->ndata; d++) {
            const wlab_sheet_cell *cell = &b->cell[d * b->columns + k];

            if (c->method >= 0 && c->method != t->against && !isnan(cell->test.p)) {
                c->win += cell->mark > 0;
                c->loss += cell->mark < 0;
                c->tie += cell->mark == 0;
            }
            if (!complete[d])
                continue;
            sum += cell->mean;
            published += cell->published;
            rank += cell->rank;
        }
        c->average = b->complete ? sum / b->complete
                                 : none; /* for a method without values the sum is NaN, as its cells are */
        c->published_average = b->complete ? published / b->complete : none;
        c->average_rank = b->complete ? rank / b->complete : none;
    }
}

/* Friedman's test over the complete rows, and the post-hoc test.  buffer: [data x methods]. */
static wlab_code test_ranks(const wlab_sheet *t, wlab_sheet_block *b, const bool *complete, double *buffer,
                            wlab_err *err)
{
    const wlab_experiment *e = t->v->e;
    int methods = b->present, n = 0, against = 0;
    wlab_test *holm;
    wlab_code code;

    if (!t->ranks || b->complete < 2 || methods < 2)
        return WL_OK;
    for (int d = 0; d < e->ndata; d++)
        for (int m = 0; complete[d] && m < e->nmethods; m++)
            if (b->column[m].present)
                buffer[n++] = b->cell[d * b->columns + m].rank;
    if ((code = wlab_test_friedman(buffer, b->complete, methods, &b->chi2, &b->F, err)))
        return code;
    b->friedman = true;
    if (t->posthoc == WL_POSTHOC_NEMENYI)
        b->critical = wlab_nemenyi(methods, b->complete, t->level);
    if (t->posthoc != WL_POSTHOC_HOLM || !b->column[t->against].present)
        return WL_OK;
    if (!(holm = wlab_alloc((size_t)methods, sizeof *holm)))
        return wlab_nomem(err);
    n = 0;
    for (int m = 0; m < e->nmethods; m++) {
        against = m == t->against ? n : against;
        if (b->column[m].present)
            buffer[n++] = b->column[m].average_rank;
    }
    code = wlab_test_holm(buffer, methods, b->complete, against, holm, err);
    n = 0;
    for (int m = 0; !code && m < e->nmethods; m++)
        if (b->column[m].present)
            b->column[m].holm = holm[n++];
    wlab_free(holm);
    return code;
}

static wlab_code block(const wlab_sheet *t, int setting, wlab_sheet_block *b, wlab_err *err)
{
    const wlab_experiment *e = t->v->e;
    const wlab_test untested = {none, none, none, none};
    size_t cells = (size_t)e->ndata * (size_t)e->nmethods + 2 * (size_t)e->nmethods;
    size_t most = cells > 2 * (size_t)t->v->replicates ? cells : 2 * (size_t)t->v->replicates;
    double *buffer = wlab_alloc(most, sizeof *buffer);
    bool *complete = wlab_calloc((size_t)e->ndata, sizeof *complete);
    wlab_code code = buffer && complete ? columns(t, setting, b, err) : wlab_nomem(err);

    b->setting = e->setting[setting].name;
    b->critical = none;
    for (int k = 0; !code && k < b->columns; k++)
        b->column[k].holm = untested;
    for (int d = 0; !code && d < e->ndata; d++) {
        wlab_sheet_cell *row = b->cell + d * b->columns;

        for (int k = 0; k < b->columns; k++)
            row[k] = (wlab_sheet_cell){.mean = none,
                                       .deviation = none,
                                       .rank = none,
                                       .test = untested,
                                       .published = none,
                                       .published_deviation = none,
                                       .diff = none};
        for (int m = 0; !code && m < e->nmethods; m++)
            code = score_cell(t, setting, d, m, &row[m], buffer, err);
        for (int m = 0; !code && m < e->nmethods; m++)
            b->column[m].present = b->column[m].present || row[m].n > 0;
    }
    for (int m = 0; !code && m < e->nmethods; m++)
        b->present += b->column[m].present;
    for (int d = 0; !code && d < e->ndata; d++) {
        code = rank_row(t, b, b->cell + d * b->columns, buffer, &complete[d], err);
        b->complete += complete[d];
    }
    if (!code) {
        add_published(t, setting, b);
        average(t, b, complete);
        code = test_ranks(t, b, complete, buffer, err);
    }
    wlab_free(buffer);
    wlab_free(complete);
    return code;
}

/* ---- the whole table ---- */

wlab_code wlab_sheet_make(wlab_sheet *out, const wlab_values *v, const wlab_params *options, wlab_err *err)
{
    wlab_sheet t = {.v = v};
    wlab_code code = read_settings(&t, options, err);

    if (!code && !(t.block = wlab_calloc((size_t)v->e->nsettings, sizeof *t.block)))
        code = wlab_nomem(err);
    for (int s = 0; !code && s < v->e->nsettings; s++)
        code = block(&t, s, &t.block[s], err);
    if (!code)
        code = wlab_sheet_notes(&t, err);
    if (code)
        wlab_sheet_clear(&t);
    else
        *out = t;
    return code;
}

void wlab_sheet_clear(wlab_sheet *t)
{
    for (int s = 0; t->block && s < t->v->e->nsettings; s++) {
        wlab_free(t->block[s].column);
        wlab_free(t->block[s].cell);
        wlab_list_free(t->block[s].note, t->block[s].notes);
    }
    wlab_free(t->block);
    wlab_free(t->score);
    wlab_list_free(t->note, t->notes);
    *t = (wlab_sheet){0};
}

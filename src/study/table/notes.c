/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sentences below a table: tests over the data sets, the meaning of the marks, missing and failed cells.
 */
#include "base/text.h"
#include "lang/phrase.h"
#include "study/table/parts.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    FAILURES = 5, /* most lines of failures that are printed */
    FEW = 5       /* fewer data sets make the distributions of tests over data sets rough */
};

/* A sentence while it is written; code: the first error, which end() returns. */
typedef struct sentence {
    wlab_buf text;
    wlab_code code;
} sentence;

static void add(sentence *s, const char *fmt, ...) WLAB_PRINTF(2, 3);
static void add(sentence *s, const char *fmt, ...)
{
    va_list ap;
    char *text;

    va_start(ap, fmt);
    text = wlab_vformat(fmt, ap);
    va_end(ap);
    if (!text || wlab_buf_put(&s->text, text, strlen(text)))
        s->code = WL_ENOMEM;
    wlab_free(text);
}

static wlab_code end(sentence *s, char ***list, int *n, wlab_err *err)
{
    wlab_code code = s->code ? wlab_nomem(err) : WL_OK;

    if (!code && s->text.len)
        code = wlab_list_add(list, n, wlab_strdup((const char *)s->text.data), err);
    wlab_buf_clear(&s->text);
    return code;
}

/* ---- of one setting ---- */

static void friedman(const wlab_sheet_block *b, sentence *s)
{
    if (!b->friedman)
        return;
    add(s, "Friedman's test over %d data sets: chi2(%g) = %.4g, p = %.3g", b->complete, b->chi2.df,
        b->chi2.statistic, b->chi2.p);
    if (isfinite(b->F.statistic))
        add(s, "; F(%g, %g) = %.4g, p = %.3g", b->F.df, b->F.df2, b->F.statistic, b->F.p);
    else
        add(s, "; F has no value because all data sets give the same ranks");
    if (b->complete < FEW)
        add(s, "; with so few data sets p is rough");
}

static void nemenyi(const wlab_sheet *t, const wlab_sheet_block *b, sentence *s)
{
    int found = 0, methods = t->v->e->nmethods;

    if (isnan(b->critical))
        return;
    add(s, "Nemenyi's test: average ranks differ at level %g if they are %.4g apart or more", t->level,
        b->critical);
    for (int i = 0; i < methods; i++)
        for (int j = 0; j < methods; j++)
            if (b->column[j].average_rank - b->column[i].average_rank >= b->critical)
                add(s, "%s %s before %s", found++ ? "," : ":", b->column[i].name, b->column[j].name);
    if (found == 0)
        add(s, ": none do");
}

static void holm(const wlab_sheet *t, const wlab_sheet_block *b, sentence *s)
{
    int found = 0;

    for (int m = 0; m < t->v->e->nmethods; m++) {
        const wlab_test *h = &b->column[m].holm;

        if (isnan(h->p))
            continue;
        if (found++ == 0)
            add(s, "Average ranks against that of %s, p adjusted by Holm:", t->v->e->method[t->against].name);
        add(s, "%s %s z = %.3g, p = %.3g%s", found > 1 ? ";" : "", b->column[m].name, h->statistic, h->p,
            h->p < t->level ? h->statistic > 0 ? " (better)" : " (worse)" : "");
    }
}

/* Methods and data sets that are left out of averages, ranks and tests. */
static void left_out(const wlab_sheet *t, const wlab_sheet_block *b, sentence *s)
{
    const wlab_experiment *e = t->v->e;
    int found = 0;

    if (b->present > 0 && b->present < e->nmethods) {
        for (int m = 0; m < e->nmethods; m++)
            if (!b->column[m].present)
                add(s, "%s %s", found++ ? "," : "There is no value of", e->method[m].name);
        add(s, ": left out of averages, ranks and tests of ranks");
    }
    const char *first = found ? ". Not every method has a value on" : "Not every method has a value on";
    found = 0;
    for (int d = 0; d < e->ndata; d++) {
        bool complete = true;

        for (int m = 0; m < e->nmethods; m++)
            complete =
                complete && (b->cell[d * b->columns + m].n > 0 || (b->present && !b->column[m].present));
        if (!complete && wlab_sheet_shows(b, d))
            add(s, "%s %s", found++ ? "," : first, e->data[d].name);
    }
    if (found)
        add(s, ": left out of averages, ranks and tests of ranks");
}

/* Data sets without a row. */
static void not_shown(const wlab_sheet *t, const wlab_sheet_block *b, sentence *s)
{
    int found = 0;

    for (int d = 0; d < t->v->e->ndata; d++)
        if (!wlab_sheet_shows(b, d))
            add(s, "%s %s", found++ ? "," : "There is no result on", t->v->e->data[d].name);
}

static void agreement(const wlab_sheet_block *b, sentence *s)
{
    if (b->compared > 0)
        add(s, "%d of %d published numbers agree with ours within two standard errors of the difference",
            b->agree, b->compared);
}

/* ---- of all settings ---- */

static void own_problem(const wlab_sheet *t, sentence *s)
{
    const wlab_metric_info *metric = wlab_metric_named(t->score);
    const char *rows;

    if (t->v->e->nmethods < 2 || !metric || wlab_exp_score_rows(t->v->e, t->score, &rows) > 0)
        return;
    switch (metric->role) {
    case WL_R_OBJECTIVE:
    case WL_R_UPPER:
    case WL_R_LOWER:
    case WL_R_GAP:
    case WL_R_RELGAP:
        add(s,
            "%s is a number of each method's own problem: between methods that solve different problems it "
            "compares "
            "nothing, neither do marks and ranks",
            t->score);
        break;
    default:
        break;
    }
}

static bool any_independent(const wlab_sheet *t)
{
    for (int b = 0; b < t->v->e->nsettings; b++)
        for (int d = 0; d < t->v->e->ndata; d++)
            if (wlab_sheet_independent(t, b, d))
                return true;
    return false;
}

static void marks(const wlab_sheet *t, sentence *s)
{
    const wlab_experiment *e = t->v->e;
    int64_t most = 0;
    bool tested = false;

    if (t->against < 0)
        return;
    for (int b = 0; b < e->nsettings; b++)
        for (int i = 0; i < e->ndata * t->block[b].columns; i++) {
            const wlab_sheet_cell *c = &t->block[b].cell[i];
            tested = tested || !isnan(c->test.p);
            most = c->pairs > most ? c->pairs : most;
        }
    if (!tested) {
        add(s, "no test: there are %lld replicates, and fewer than ten are not tested", (long long)most);
        return;
    }
    add(s, "v, *: significantly better, worse than %s (%s t-test over the replicates, two-sided, level %g",
        e->method[t->against].name, t->corrected ? "corrected resampled" : "paired", t->level);
    if (t->corrected)
        add(s,
            ", test/training rows, or bags where they are kept whole, = %.4g, the largest ratio of the data "
            "sets, for all of "
            "them",
            t->ratio);
    if (t->sampled && t->corrected && any_independent(t))
        add(s, "; the paired test for generated data, of which each repetition draws another sample");
    add(s, "); win/tie/loss counts them; rows with fewer than ten replicates are not tested");
    if (!t->corrected && !t->held_out &&
        wlab_score_published(strrchr(t->score, '_') ? strrchr(t->score, '_') + 1 : t->score))
        add(s, ". %s is not of rows that the split holds out: a mark speaks of %s%s, and not of other rows",
            t->score,
            t->sampled && any_independent(t) ? "new samples where the data are generated anew, elsewhere of "
                                             : "",
            isfinite(e->test_ratio)
                ? "draws from these data, which share rows (the same rows only if `split` has "
                  "a seed=)"
                : "these rows, over other draws of labels and seeds");
}

static void missing(const wlab_sheet *t, sentence *s)
{
    const wlab_values *v = t->v;
    long long n = (long long)v->missing;

    if (n > 0)
        add(s, "%lld of %lld cells %s not computed yet", n, (long long)v->e->cells, n == 1 ? "is" : "are");
}

static void empty(const wlab_sheet *t, sentence *s)
{
    long long n = (long long)t->v->empty;

    if (n > 0)
        add(s, "%lld cell%s without a value of %s", n, n == 1 ? " is" : "s are", t->score);
}

static void failed(const wlab_sheet *t, sentence *s)
{
    long long n = (long long)t->v->failed;

    if (n > 0)
        add(s, "%lld cell%s failed:", n, wlab_plural(n));
}

static void oracle(const wlab_sheet *t, sentence *s)
{
    const wlab_experiment *e = t->v->e;
    bool any = false;

    for (int m = 0; m < e->nmethods; m++)
        any = any || (t->v->oracle && e->method[m].candidates > 1);
    if (any)
        add(s, "(oracle): the settings were chosen with the true labels");
}

static void published(const wlab_sheet *t, sentence *s)
{
    const wlab_experiment *e = t->v->e;
    bool any = false, both = false;

    for (int b = 0; b < e->nsettings; b++)
        for (int k = 0; k < t->block[b].columns; k++) {
            any = any || t->block[b].column[k].published;
            both = both || (t->block[b].column[k].published && t->block[b].column[k].method >= 0);
        }
    if (both)
        add(s, "diff: ours minus published, in standard errors of the difference, including the rounding of "
               "the published number");
    else if (any)
        add(s, "published: numbers of methods that were not run");
}

static void builds(const wlab_sheet *t, sentence *s)
{
    if (t->v->builds > 1)
        add(s,
            "computed by %d builds of weaklab, whose last digits may differ; `cell N` names the build of a "
            "cell",
            t->v->builds);
}

/* Add the first lines of a text as notes. */
static wlab_code add_lines(wlab_sheet *t, const char *line, wlab_err *err)
{
    wlab_code code = WL_OK;

    for (int i = 0; !code && line && i < FAILURES; i++) {
        size_t len = strcspn(line, "\n");

        code = wlab_list_add(&t->note, &t->notes, wlab_strndup(line, len), err);
        line = line[len] ? line + len + 1 : NULL;
    }
    if (!code && line)
        code = wlab_list_add(&t->note, &t->notes, wlab_strdup("... (format=json has all of them)"), err);
    return code;
}

wlab_code wlab_sheet_notes(wlab_sheet *t, wlab_err *err)
{
    static void (*const whole[])(const wlab_sheet *, sentence *) = {own_problem, marks,   published, oracle,
                                                                    builds,      missing, empty,     failed};
    wlab_code code = WL_OK;

    for (int i = 0; !code && i < t->v->e->nsettings; i++) {
        wlab_sheet_block *b = &t->block[i];
        sentence s = {0};

        friedman(b, &s);
        code = end(&s, &b->note, &b->notes, err);
        if (!code) {
            nemenyi(t, b, &s);
            code = end(&s, &b->note, &b->notes, err);
        }
        if (!code) {
            holm(t, b, &s);
            code = end(&s, &b->note, &b->notes, err);
        }
        if (!code) {
            left_out(t, b, &s);
            code = end(&s, &b->note, &b->notes, err);
        }
        if (!code) {
            not_shown(t, b, &s);
            code = end(&s, &b->note, &b->notes, err);
        }
        if (!code) {
            agreement(b, &s);
            code = end(&s, &b->note, &b->notes, err);
        }
    }
    for (size_t i = 0; !code && i < sizeof whole / sizeof *whole; i++) {
        sentence s = {0};

        whole[i](t, &s);
        code = end(&s, &t->note, &t->notes, err);
    }
    code = code ? code : add_lines(t, t->v->failure, err);
    return code ? code : add_lines(t, t->v->untrained, err);
}

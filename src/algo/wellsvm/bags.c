/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Q_mu and products with K on bags.  Two facts save time.  Instances of negative bags are examples whose label is the
 * same in all labelings, so their block of Q is computed once.  In a positive bag only few instances are keys in some
 * labeling of the working set; the others have the label 0 in all and are skipped.
 */
#include "algo/wellsvm/wellsvm.h"

#include <cblas.h>
#include <string.h>

enum {
    COLUMNS = 512 /* columns of K per block */
};

int64_t well_free_examples(const wellsvm *s, int32_t *place)
{
    int64_t many = 0;
    memset(place, 0xff, (size_t)s->m * sizeof *place);
    for (int64_t k = 0; k < s->n; k++)
        if (!s->p->visible[k] && place[s->p->example[k]] < 0)
            place[s->p->example[k]] = (int32_t)many++;
    return many;
}

typedef struct bag_form {
    wellsvm *s;
    int32_t *place; /* [m] >= 0: an example with free labels */
    int32_t *fixed; /* [fixeds] instances of the examples without free labels */
    int32_t *part;  /* [parts] instances of the others that are keys in some labeling with mu > 0 */
    int64_t fixeds, parts;
    double *c; /* [n] sum_t mu_t y_tk */
} bag_form;

/* Whether to leave the rest: asked after each of some rows of `operations` each, which touch memory out of order. */
static bool stopped(int64_t row, int64_t operations, const wlab_ctx *ctx)
{
    const int64_t each = wlab_look_every(8 * operations);
    return row % each == each - 1 && wlab_interrupted(ctx);
}

/* The functions that follow return false if they were interrupted. */
static bool fixed_block(const bag_form *f, const int8_t *y, const wlab_ctx *ctx)
{
    wellsvm *s = f->s;
    const int32_t *example = s->p->example;
    memset(s->Q, 0, (size_t)(s->m * s->m) * sizeof *s->Q);
    for (int64_t a = 0; a < f->fixeds; a++) {
        const int64_t k = f->fixed[a];
        const double *row = s->K + k * s->n;
        double *to = s->Q + example[k] * s->m;
        if (stopped(a, f->fixeds, ctx))
            return false;
        for (int64_t b = 0; b < f->fixeds; b++)
            to[example[f->fixed[b]]] += y[k] * y[f->fixed[b]] * row[f->fixed[b]];
    }
    return s->Q_fixed = true;
}

/* Adds the block whose rows are the free examples (those with a free label) and whose columns are the others. */
static bool mixed_block(const bag_form *f, const int8_t *y, const wlab_ctx *ctx)
{
    const wellsvm *s = f->s;
    const int32_t *example = s->p->example;
    for (int64_t a = 0; a < f->parts; a++) {
        const int64_t k = f->part[a];
        const double *row = s->K + k * s->n;
        double *to = s->Q + example[k] * s->m;
        if (stopped(a, f->fixeds, ctx))
            return false;
        for (int64_t b = 0; b < f->fixeds && f->c[k] != 0; b++)
            to[example[f->fixed[b]]] += f->c[k] * y[f->fixed[b]] * row[f->fixed[b]];
    }
    return true;
}

/* Adds the term of one labeling to the block of the free examples. */
static bool free_block(const bag_form *f, const int8_t *y, double mu, int32_t *key, const wlab_ctx *ctx)
{
    const wellsvm *s = f->s;
    const int32_t *example = s->p->example;
    int64_t keys = 0;
    for (int64_t a = 0; a < f->parts; a++)
        if (y[f->part[a]])
            key[keys++] = f->part[a];
    for (int64_t a = 0; a < keys; a++) {
        const double *row = s->K + key[a] * s->n;
        double *to = s->Q + example[key[a]] * s->m;
        if (stopped(a, keys, ctx))
            return false;
        for (int64_t b = 0; b < keys; b++)
            to[example[key[b]]] += mu * y[key[a]] * y[key[b]] * row[key[b]];
    }
    return true;
}

static bool symmetrise(const bag_form *f, const wlab_ctx *ctx)
{
    const int64_t m = f->s->m;
    double *Q = f->s->Q;
    for (int64_t i = 0; i < m; i++) {
        if (stopped(i, m, ctx))
            return false;
        for (int64_t j = 0; j < m && f->place[i] >= 0; j++)
            if (f->place[j] < 0 || j < i)
                Q[j * m + i] = Q[i * m + j];
    }
    return true;
}

static void find_parts(bag_form *f, const int8_t *y, int64_t T, const double *mu)
{
    const wellsvm *s = f->s;
    for (int64_t k = 0; k < s->n; k++) {
        if (f->place[s->p->example[k]] < 0) {
            f->fixed[f->fixeds++] = (int32_t)k;
            continue;
        }
        bool any = false;
        f->c[k] = 0;
        for (int64_t t = 0; t < T; t++) {
            f->c[k] += mu[t] * y[t * s->n + k];
            any = any || (mu[t] > 0 && y[t * s->n + k]);
        }
        if (any)
            f->part[f->parts++] = (int32_t)k;
    }
}

wlab_code well_bags_form_Q(wellsvm *s, const int8_t *y, int64_t T, const double *mu, const wlab_ctx *ctx,
                           wlab_err *err)
{
    const size_t n = (size_t)s->n, m = (size_t)s->m;
    bag_form f = {.s = s};
    int32_t *buffer = wlab_alloc(3 * n + m, sizeof *buffer);
    f.c = wlab_alloc(n, sizeof *f.c);
    if (!buffer || !f.c || !well_reserve_Q(s)) {
        wlab_free(buffer);
        wlab_free(f.c);
        return wlab_nomem(err);
    }
    f.fixed = buffer, f.part = buffer + n, f.place = buffer + 3 * n;
    well_free_examples(s, f.place);
    find_parts(&f, y, T, mu);
    bool formed = s->Q_fixed || fixed_block(&f, y, ctx);
    for (size_t i = 0; i < m; i++)
        if (f.place[i] >= 0)
            memset(s->Q + i * m, 0, m * sizeof *s->Q);
    formed = formed && mixed_block(&f, y, ctx);
    for (int64_t t = 0; t < T; t++)
        if (mu[t] > 0)
            formed = formed && free_block(&f, y + t * s->n, mu[t], buffer + 2 * n, ctx);
    formed = formed && symmetrise(&f, ctx);
    wlab_free(buffer);
    wlab_free(f.c);
    return formed ? WL_OK : wlab_fail(err, WL_EINTERRUPTED, "interrupted");
}

typedef struct product {
    const wellsvm *s;
    const double *beta; /* [T x n] */
    double *out;        /* [T x n] */
    int64_t T;
    int32_t *same;   /* [sames] the k whose beta_tk is the same for all t, and not 0 */
    int32_t *differ; /* [differs] the k whose beta_tk differs */
    int64_t sames, differs;
} product;

static void product_block(void *data, int b)
{
    const product *p = data;
    const int64_t n = p->s->n, first = (int64_t)b * COLUMNS, m = first + COLUMNS < n ? COLUMNS : n - first;
    const double *K = p->s->K + first;
    double *out = p->out + first;
    memset(out, 0, (size_t)m * sizeof *out);
    for (int64_t a = 0; a < p->sames; a++)
        cblas_daxpy((int)m, p->beta[p->same[a]], K + p->same[a] * n, 1, out, 1);
    for (int64_t t = 1; t < p->T; t++)
        memcpy(out + t * n, out, (size_t)m * sizeof *out);
    for (int64_t a = 0; a < p->differs; a++) {
        const int64_t k = p->differ[a];
        for (int64_t t = 0; t < p->T; t++)
            if (p->beta[t * n + k] != 0)
                cblas_daxpy((int)m, p->beta[t * n + k], K + k * n, 1, out + t * n, 1);
    }
}

wlab_code well_bags_multiply(const wellsvm *s, const double *beta, int64_t T, double *out, wlab_ctx *ctx,
                             wlab_err *err)
{
    const int64_t n = s->n;
    product p = {.s = s, .beta = beta, .out = out, .T = T};
    p.same = wlab_alloc(2 * (size_t)n, sizeof *p.same);
    if (!p.same)
        return wlab_nomem(err);
    p.differ = p.same + n;
    for (int64_t k = 0; k < n; k++) {
        bool same = true;
        for (int64_t t = 1; t < T; t++)
            same = same && beta[t * n + k] == beta[k];
        if (!same)
            p.differ[p.differs++] = (int32_t)k;
        else if (beta[k] != 0)
            p.same[p.sames++] = (int32_t)k;
    }
    wlab_pool_run(ctx ? ctx->pool : NULL, (int)((n + COLUMNS - 1) / COLUMNS), product_block, &p);
    wlab_free(p.same);
    return WL_OK;
}

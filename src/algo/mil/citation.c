/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algo/mil/citation.h"
#include "base/progress.h"
#include "model/bagged.h"
#include "model/model.h"

#include <gsl/gsl_statistics.h>
#include <math.h>
#include <string.h>

enum {
    BLOCKS = 16
};

void citation_clear(citation *c, bool copied)
{
    if (copied)
        wlab_matrix_destroy(c->X);
    wlab_free(c->bag);
    wlab_free(c->y);
    wlab_free(c->radius);
    *c = (citation){0};
}

static wlab_code copy_all(wlab_matrix **out, const wlab_matrix *X, wlab_err *err)
{
    int32_t *all = wlab_alloc((size_t)X->rows + 1, sizeof *all);
    if (!all)
        return wlab_nomem(err);
    for (int64_t i = 0; i < X->rows; i++)
        all[i] = (int32_t)i;
    const wlab_code code = wlab_model_copy_rows(out, X, all, X->rows, err);
    wlab_free(all);
    return code;
}

wlab_code citation_make(citation *c, const wlab_problem *p, bool copy, wlab_err *err)
{
    wlab_code code = WL_OK;

    *c = (citation){.n = p->n,
                    .bags = p->bags,
                    .X = copy ? NULL : p->X,
                    .bag = wlab_alloc((size_t)p->n, sizeof *c->bag),
                    .y = wlab_alloc((size_t)p->bags, 1),
                    .radius = wlab_calloc((size_t)p->bags, sizeof *c->radius)};
    if (!c->bag || !c->y || !c->radius)
        code = wlab_nomem(err);
    else if (copy)
        code = copy_all(&c->X, p->X, err);
    if (code) {
        citation_clear(c, copy);
        return code;
    }
    memcpy(c->bag, p->bag, (size_t)p->n * sizeof *c->bag);
    for (int64_t b = 0; b < p->bags; b++)
        c->y[b] = p->bag_given[b] > 0.5 ? 1 : -1;
    return WL_OK;
}

/* The k-th smallest of d [n] without d[except] (-1: of all); infinite if there are fewer, -1 if k is 0. */
static double smallest(const double *d, int64_t n, int64_t k, int64_t except, double *work)
{
    int64_t count = 0;

    if (k == 0)
        return -1;
    for (int64_t i = 0; i < n; i++)
        if (i != except)
            work[count++] = d[i];
    if (count < k)
        return HUGE_VAL;
    return gsl_stats_select(work, 1, (size_t)count, (size_t)k - 1);
}

wlab_code citation_set(citation *c, int64_t references, int64_t citers, const double *D, double *work,
                       wlab_ctx *ctx, wlab_err *err)
{
    c->references = references;
    c->citers = citers;
    for (int64_t b = 0; b < c->bags; b++) {
        if (!wlab_look_at(b, 4 * c->bags, NULL, ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        c->radius[b] = smallest(D + b * c->bags, c->bags, citers, b, work);
    }
    return WL_OK;
}

void citation_near(const citation *c, const wlab_matrix *X, int64_t i, double *near)
{
    for (int64_t b = 0; b < c->bags; b++)
        near[b] = HUGE_VAL;
    for (int64_t j = 0; j < c->n; j++)
        near[c->bag[j]] = fmin(near[c->bag[j]], wlab_matrix_rows_distance(X, i, c->X, j));
}

double citation_instance(const citation *c, const double *near, int64_t without)
{
    double positive = HUGE_VAL, negative = HUGE_VAL;

    for (int64_t b = 0; b < c->bags; b++)
        if (b != without && c->y[b] > 0)
            positive = fmin(positive, near[b]);
        else if (b != without)
            negative = fmin(negative, near[b]);
    if (isinf(positive))
        return isinf(negative) ? 0 : -1 / (1 + sqrt(negative));
    return isinf(negative) ? 1 / (1 + sqrt(positive)) : sqrt(negative) - sqrt(positive);
}

/* A training bag that is left out is itself among the other bags of its citers: it is strictly nearer than itself to none, so
 * their radii hold for it, too. */
citation_votes citation_vote(const citation *c, const double *d, int64_t without, int8_t *role, double *work)
{
    const double reach = smallest(d, c->bags, c->references, without, work);
    citation_votes v = {0};

    for (int64_t b = 0; b < c->bags; b++) {
        const bool reference = b != without && d[b] <= reach, citer = b != without && d[b] <= c->radius[b];
        v.positive_references += reference && c->y[b] > 0;
        v.negative_references += reference && c->y[b] < 0;
        v.positive_citers += citer && c->y[b] > 0;
        v.negative_citers += citer && c->y[b] < 0;
        if (role)
            role[b] = (int8_t)(reference + 2 * citer);
    }
    v.f = (double)(v.positive_references + v.positive_citers - v.negative_references - v.negative_citers);
    return v;
}

/* ---- the model ---- */

typedef struct predicting {
    const citation *c;
    const wlab_matrix *X;
    const int32_t *trained;
    int64_t n; /* rows, or bags */
    const int64_t *start;
    const int32_t *member;
    double *out;
    double *work; /* [BLOCKS x 3 bags] */
} predicting;

static int64_t bag_of(const predicting *p, int64_t row)
{
    return p->trained[row] < 0 ? -1 : p->c->bag[p->trained[row]];
}

static void predict_rows(void *data, int block)
{
    predicting *p = data;
    double *near = p->work + 3 * block * p->c->bags;
    const int64_t end = wlab_block_begin(p->n, BLOCKS, block + 1);

    for (int64_t i = wlab_block_begin(p->n, BLOCKS, block); i < end; i++) {
        citation_near(p->c, p->X, i, near);
        p->out[i] = citation_instance(p->c, near, bag_of(p, i));
    }
}

static void predict_bags(void *data, int block)
{
    predicting *p = data;
    const int64_t bags = p->c->bags, end = wlab_block_begin(p->n, BLOCKS, block + 1);
    double *near = p->work + 3 * block * bags, *d = near + bags, *work = d + bags;

    for (int64_t k = wlab_block_begin(p->n, BLOCKS, block); k < end; k++) {
        for (int64_t b = 0; b < bags; b++)
            d[b] = HUGE_VAL;
        for (int64_t m = p->start[k]; m < p->start[k + 1]; m++) {
            citation_near(p->c, p->X, p->member[m], near);
            for (int64_t b = 0; b < bags; b++)
                d[b] = fmin(d[b], near[b]);
        }
        p->out[k] = citation_vote(p->c, d, bag_of(p, p->member[p->start[k]]), NULL, work).f;
    }
}

static wlab_code run(predicting *p, void (*work)(void *, int), wlab_pool *pool, wlab_err *err)
{
    p->work = wlab_alloc((size_t)(3 * BLOCKS * p->c->bags), sizeof *p->work);
    if (!p->work)
        return wlab_nomem(err);
    wlab_pool_run(pool, BLOCKS, work, p);
    wlab_free(p->work);
    return WL_OK;
}

static wlab_code rows(const void *own, const wlab_matrix *X, const int32_t *trained, double *f,
                      wlab_pool *pool, wlab_err *err)
{
    predicting p = {.c = own, .X = X, .trained = trained, .n = X->rows, .out = f};
    return run(&p, predict_rows, pool, err);
}

static wlab_code bags(const void *own, const wlab_matrix *X, const int32_t *trained, int64_t n,
                      const int64_t *start, const int32_t *member, double *whole, wlab_pool *pool,
                      wlab_err *err)
{
    predicting p = {
        .c = own, .X = X, .trained = trained, .n = n, .start = start, .member = member, .out = whole};
    return run(&p, predict_bags, pool, err);
}

static void destroy(void *own)
{
    if (own)
        citation_clear(own, true);
    wlab_free(own);
}

static const wlab_bagged_kind kind = {.rows = rows, .bags = bags, .destroy = destroy};

wlab_code citation_model(wlab_model **out, const wlab_problem *p, const citation *c, wlab_err *err)
{
    citation *own = wlab_calloc(1, sizeof *own);
    wlab_code code = own ? citation_make(own, p, true, err) : wlab_nomem(err);

    *out = NULL;
    if (code) {
        wlab_free(own);
        return code;
    }
    own->references = c->references;
    own->citers = c->citers;
    memcpy(own->radius, c->radius, (size_t)c->bags * sizeof *c->radius);
    return wlab_model_of_bags(out, p, &kind, own, p->n, err);
}

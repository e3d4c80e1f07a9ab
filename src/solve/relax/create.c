/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The convex relaxation of the soft-max loss: creation and destruction.
 */
#include "base/progress.h"
#include "linalg/eigen.h"
#include "solve/relax/state.h"
#include "weaklab/matrix.h"

#include <math.h>
#include <string.h>

enum {
    COLUMNS = 32 /* of T at least: see newton.c */
};

static wlab_code check_problem(const wlab_relax_problem *q, wlab_err *err)
{
    double sum = 0;
    if (q->n < 1 || q->d < 0 || q->groups < 1 || q->nodes < 1 || q->block < 0 || q->block > q->nodes ||
        q->classes < 2 || q->pairs < 0 || q->nodes > 20000)
        return wlab_fail(err, WL_EARG, "the relaxation needs 1 to 20000 nodes and 2 classes or more");
    if (!(q->lambda > 0) || !isfinite(q->lambda) || !(q->c > 0) || !isfinite(q->c))
        return wlab_fail(err, WL_EARG, "lambda must be a number above 0");
    for (int64_t i = 0; i < q->n; i++) {
        if (!(q->pi[i] >= 0) || q->group[i] < 0 || q->group[i] >= q->groups)
            return wlab_fail(err, WL_EARG, "weights of rows must not be negative, and groups must exist");
        sum += q->pi[i];
    }
    if (!(fabs(sum - 1) < 1e-6))
        return wlab_fail(err, WL_EARG, "weights of rows must add up to 1");
    for (int64_t i = 0; i < q->n * q->d; i++)
        if (!isfinite(q->X[i]))
            return wlab_fail(err, WL_ENUMERIC, "a feature is not a finite number");
    for (int64_t g = 0; g < q->groups; g++)
        if (q->node[g] >= q->nodes || (q->node[g] >= 0 && q->node[g] < q->block) ||
            (q->node[g] < 0 && (-1 - q->node[g] >= q->classes || q->block == 0)))
            return wlab_fail(err, WL_EARG, "a group of rows has no node");
    for (int64_t k = 0; k < q->pairs; k++)
        if (q->pair[k].a < 0 || q->pair[k].b < 0 || q->pair[k].a >= q->groups || q->pair[k].b >= q->groups ||
            (q->node[q->pair[k].a] < 0 && q->node[q->pair[k].b] < 0) || !(fabs(q->pair[k].value) <= 1))
            return wlab_fail(err, WL_EARG,
                             "a prescribed product is not of two groups, one of them without a class");
    return WL_OK;
}

double *relax_vector(int64_t a, int64_t b)
{
    return wlab_calloc((size_t)(a > 0 ? a : 1), (size_t)(b > 0 ? b : 1) * sizeof(double));
}

static bool make_point(const wlab_relax *s, relax_point *p)
{
    p->V = relax_vector(s->nodes, s->nodes);
    p->U = relax_vector(s->d, s->nodes);
    p->b = relax_vector(s->groups, 1);
    p->f_of = relax_vector(s->nodes, 1);
    p->length = relax_vector(s->nodes, 1);
    p->root = relax_vector(s->block, s->block);
    p->f = INFINITY;
    p->low = -INFINITY;
    return p->V && p->U && p->b && p->f_of && p->length && p->root;
}

static bool make_slope(const wlab_relax *s, relax_slope *at)
{
    at->BM = relax_vector(s->d, s->nodes);
    at->mult = relax_vector(s->nodes, 1);
    at->corner = relax_vector(s->block, s->block);
    at->mu = relax_vector(s->pairs, 1);
    return at->BM && at->mult && at->corner && at->mu;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static bool make_work(wlab_relax *s)
{
    const int64_t n = s->n, d = s->d, G = s->groups, M = s->nodes, wide = most(G, M);
    /* see state.h for what shares memory */
    s->room = most(wlab_eigen_room(M + 1), n * G + n * wide);
    const int64_t square = most((M + 1) * (M + 1), most(G * G, n));
    s->lapack = relax_vector(s->room + square, 1);
    if (!s->lapack)
        return false;
    s->Q = s->lapack + s->room;
    s->room += square;
    s->Omega = s->lapack;
    s->W = s->lapack + n * G;
    s->lse = relax_vector(n, 1);
    s->row = relax_vector(n, 1);
    s->mass = relax_vector(G, 1);
    s->column = relax_vector(G, 1);
    s->extra = relax_vector(G, 1);
    s->gb = relax_vector(G, 1);
    s->gU = relax_vector(d, M);
    s->XV = relax_vector(d, M);
    s->C = relax_vector(d, G);
    s->VG = relax_vector(G, M);
    s->before = relax_vector(d, M);
    s->before_b = relax_vector(G, 1);
    s->P = s->Q;
    s->logY = relax_vector(M, M);
    s->basis = relax_vector(most(s->pairs > 0 ? M * M : 0, 3 * s->block * s->block + s->block * M), 1);
    s->e = relax_vector(M, 1);
    s->spectrum = relax_vector(M, 1);
    s->next_spectrum = relax_vector(M, 1);
    s->factor = relax_vector(s->tied ? 2 : 1, s->tied ? M : 1);
    s->T = relax_vector(most(d * wide, n * (d < COLUMNS ? COLUMNS : d < M ? d : M)), 1);
    s->small = relax_vector(5 * (d * M + G) + M, 1);
    s->links = relax_vector(s->pairs > 0 ? 4 * relax_constraints(s) : 1, 1);
    s->force = relax_vector(s->tied ? relax_constraints(s) : 1, 1);
    s->next = relax_vector(s->tied ? 3 * relax_constraints(s) : 1, 1);
    s->negative = relax_vector(s->tied ? s->pairs : 1, 1);
    s->last = relax_vector(s->tied ? M : 1, M);
    s->more = relax_vector(s->tied ? M : 1, M);
    s->class_rows = relax_vector(s->pairs > 0 ? 2 * s->classes : 1, M);
    s->integers = wlab_calloc((size_t)wlab_eigen_integers(M), sizeof *s->integers);
    return s->lse && s->row && s->mass && s->column && s->extra && s->gb && s->gU && s->XV && s->C && s->VG &&
           s->before && s->before_b && s->logY && s->basis && s->e && s->spectrum && s->next_spectrum &&
           s->factor && s->links && s->force && s->next && s->negative && s->last && s->more &&
           s->class_rows && s->T && s->small && s->integers;
}

/* Copies the rows and groups of positive weight, with features divided by s->scale. */
static wlab_code copy_weighted(wlab_relax *s, const wlab_relax_problem *q, wlab_ctx *ctx, wlab_err *err)
{
    wlab_progress progress;
    const int64_t d = q->d;
    int32_t *number = wlab_calloc((size_t)q->groups, sizeof *number);
    double total = 0, top = 0;

    if (!number)
        return wlab_nomem(err);
    for (int64_t i = 0; i < q->n; i++)
        if (q->pi[i] > 0) {
            s->n++;
            total += q->pi[i];
            number[q->group[i]] = 1;
            for (int64_t j = 0; j < d; j++)
                top = fmax(top, fabs(q->X[i * d + j]));
        }
    for (int64_t g = 0; g < q->groups; g++)
        number[g] = number[g] ? (int32_t)++s->groups : 0;
    s->X = relax_vector(s->n, d);
    s->PX = relax_vector(s->n, d);
    s->pi = relax_vector(s->n, 1);
    s->pg = relax_vector(s->groups, 1);
    s->logp = relax_vector(s->groups, 1);
    s->XG = relax_vector(s->groups, d);
    s->moment = relax_vector(d, 1);
    s->node = wlab_calloc((size_t)s->groups, sizeof *s->node);
    if (!s->X || !s->PX || !s->pi || !s->pg || !s->logp || !s->XG || !s->moment || !s->node) {
        wlab_free(number);
        return wlab_nomem(err);
    }
    double square = 0;
    for (int64_t i = 0; i < q->n && top > 0; i++) {
        if (!wlab_look_at(i, 4 * d, NULL, ctx))
            break; /* the next loop looks at once */
        for (int64_t j = 0; j < d; j++)
            square += q->pi[i] / total * (q->X[i * d + j] / top) * (q->X[i * d + j] / top);
    }
    s->scale = square > 0 ? top * sqrt(square) : 1;
    wlab_progress_begin(&progress, ctx, "rows", q->n);
    wlab_code code = WL_OK;
    for (int64_t i = 0, at = 0; i < q->n && !code; i++) {
        if (!wlab_look_at(i, 4 * d, &progress, ctx))
            code = relax_look(ctx, err);
        if (!(q->pi[i] > 0))
            continue;
        const int64_t g = number[q->group[i]] - 1;
        s->pi[at] = q->pi[i] / total;
        s->pg[g] += s->pi[at];
        s->node[g] = q->node[q->group[i]];
        for (int64_t j = 0; j < d; j++) {
            const double x = q->X[i * d + j] / s->scale;
            s->X[at * d + j] = x;
            s->PX[at * d + j] = s->pi[at] * x;
            s->XG[g * d + j] += s->pi[at] * x;
            s->moment[j] += s->pi[at] * x * x;
        }
        at++;
    }
    for (int64_t g = 0; g < s->groups; g++)
        s->logp[g] = log(s->pg[g]);
    wlab_free(number);
    return code;
}

double relax_scaled(const wlab_relax *s, double lambda)
{
    return fmin(fmax(lambda / s->scale / s->scale, 1e-200), 1e200);
}

wlab_code wlab_relax_create(wlab_relax **out, const wlab_relax_problem *q, wlab_relax_inner method,
                            double eps, wlab_ctx *ctx, wlab_err *err)
{
    wlab_relax *s = NULL;
    wlab_code code = check_problem(q, err);

    if (code || (code = wlab_blas_init(wlab_pool_threads(ctx ? ctx->pool : NULL), err)))
        return code;
    s = wlab_calloc(1, sizeof *s);
    if (!s)
        return wlab_nomem(err);
    s->rows = q->n;
    s->all = q->groups;
    s->d = q->d;
    s->nodes = q->nodes;
    s->block = q->block;
    s->pairs = q->pairs;
    s->classes = q->classes;
    s->intercept = q->intercept;
    s->square = q->square;
    s->c = q->c;
    s->given = q->lambda;
    s->method = method;
    s->eps = eps;
    for (int64_t k = 0; k < q->pairs; k++)
        s->tied = s->tied || (q->node[q->pair[k].a] >= 0 && q->node[q->pair[k].b] >= 0);
    s->row_group = wlab_alloc((size_t)q->n, sizeof *s->row_group);
    s->all_node = wlab_alloc((size_t)q->groups, sizeof *s->all_node);
    s->vertex = relax_vector(q->classes, q->block);
    s->pair = wlab_calloc((size_t)(q->pairs > 0 ? q->pairs : 1), sizeof *s->pair);
    if (s->square)
        s->M = relax_vector(q->nodes, q->nodes);
    if ((code = copy_weighted(s, q, ctx, err)))
        goto out;
    if (!s->row_group || !s->all_node || !s->vertex || !s->pair || (s->square && !s->M) ||
        !make_point(s, &s->now) || !make_point(s, &s->trial) || !make_slope(s, &s->at) ||
        !make_slope(s, &s->spare) || !make_slope(s, &s->mean) || !make_slope(s, &s->blend) || !make_work(s)) {
        code = wlab_nomem(err);
        goto out;
    }
    s->lambda = relax_scaled(s, q->lambda);
    for (int64_t k = 0; k < q->pairs; k++)
        s->pair[k] = q->pair[k];
    memcpy(s->row_group, q->group, (size_t)q->n * sizeof *s->row_group);
    memcpy(s->all_node, q->node, (size_t)q->groups * sizeof *s->all_node);
    if (q->block > 0)
        memcpy(s->vertex, q->vertex, (size_t)(q->classes * q->block) * sizeof *s->vertex);
    if (s->square && (code = relax_square_form(s, ctx, err)))
        goto out;
    if ((code = relax_start(s, ctx, err)))
        goto out;
    s->momentum = 1;
    s->L = 1;
    relax_begin(s);
    *out = s;
    s = NULL;
out:
    wlab_relax_destroy(s);
    return code;
}

static void free_point(relax_point *p)
{
    wlab_free(p->V);
    wlab_free(p->U);
    wlab_free(p->b);
    wlab_free(p->f_of);
    wlab_free(p->length);
    wlab_free(p->root);
}

static void free_slope(relax_slope *at)
{
    wlab_free(at->BM);
    wlab_free(at->mult);
    wlab_free(at->corner);
    wlab_free(at->mu);
}

void wlab_relax_destroy(wlab_relax *s)
{
    if (!s)
        return;
    double *all[] = {s->X,        s->PX,     s->pi,     s->pg,         s->logp,     s->XG,
                     s->vertex,   s->moment, s->M,      s->links,      s->force,    s->next,
                     s->negative, s->last,   s->more,   s->class_rows, s->lse,      s->mass,
                     s->C,        s->XV,     s->VG,     s->gU,         s->gb,       s->before,
                     s->before_b, s->logY,   s->basis,  s->e,          s->spectrum, s->next_spectrum,
                     s->T,        s->small,  s->factor, s->row,        s->column,   s->extra,
                     s->lapack};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        wlab_free(all[k]);
    free_point(&s->now);
    free_point(&s->trial);
    free_slope(&s->at);
    free_slope(&s->spare);
    free_slope(&s->mean);
    free_slope(&s->blend);
    wlab_free(s->node);
    wlab_free(s->pair);
    wlab_free(s->row_group);
    wlab_free(s->all_node);
    wlab_free(s->integers);
    wlab_free(s);
}

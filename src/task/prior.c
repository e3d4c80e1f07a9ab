/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Estimates the class prior by the smallest confidence limit of u(A) / p+(A) (prior.h).
 */
#include "task/prior.h"
#include "base/progress.h"
#include "linalg/gram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST = 3000, /* rows */
    LEAST = 5,   /* of either kind */
    WIDTHS = 4,
    FOLDS = 5,
    LEAST_SHARE =
        3 /* of the labelled rows one in so many is beyond the cut: the ratio of a few rows is small by chance */
};
static const double widths[WIDTHS] = {0.125, 0.25, 0.5, 1}; /* in medians of the distances */
#define NORMAL_975 1.959963984540054

typedef struct scorer {
    int64_t n, positives; /* rows; the first `positives` are labelled */
    double *D;            /* [n x n] squared distances */
    double *s;            /* [n] log s */
    double *order;        /* [n] workspace */
    wlab_ctx *ctx;
    wlab_progress progress; /* of rows, in each pass over D */
} scorer;

static void clear(scorer *c)
{
    wlab_free(c->D);
    wlab_free(c->s);
    wlab_free(c->order);
}

/* Takes `take` of the rows of one kind, evenly spaced. */
static void pick_kind(int32_t *pick, const int8_t *visible, int64_t n, bool labelled, int64_t of,
                      int64_t take)
{
    int64_t seen = 0, taken = 0;

    for (int64_t i = 0; i < n; i++)
        if ((visible[i] > 0) == labelled) {
            if (seen * take / of == taken && taken < take)
                pick[taken++] = (int32_t)i;
            seen++;
        }
}

/* Counts a row of a pass over D.  false: an interrupt, after which nothing that the pass computes is used. */
static bool next_row(scorer *c)
{
    wlab_progress_add(&c->progress, 1);
    return !wlab_interrupted(c->ctx);
}

static wlab_code make_distances(scorer *c, const wlab_matrix *X, const int8_t *visible, wlab_err *err)
{
    int64_t of[2] = {0, 0};
    wlab_matrix *few = NULL;

    for (int64_t i = 0; i < X->rows; i++)
        of[visible[i] > 0]++;
    if (of[0] < LEAST || of[1] < LEAST)
        return wlab_fail(
            err, WL_EARG,
            "prior=auto needs at least %d labelled and %d unlabelled rows to estimate the prior, and there "
            "are %lld and %lld: give prior=0.5, say",
            LEAST, LEAST, (long long)of[1], (long long)of[0]);
    const int64_t share = of[0] < MOST / 2 ? MOST - of[0] : MOST / 2; /* for labelled rows */
    const int64_t labelled = of[1] < share ? of[1] : share;
    const int64_t unlabelled = of[0] < MOST - labelled ? of[0] : MOST - labelled;
    c->positives = labelled;
    c->n = labelled + unlabelled;
    const size_t n = (size_t)c->n;
    int32_t *pick = wlab_alloc(n, sizeof *pick);
    c->D = wlab_alloc(n * n, sizeof *c->D);
    c->s = wlab_alloc(n, sizeof *c->s);
    c->order = wlab_alloc(n, sizeof *c->order);
    wlab_code code = pick && c->D && c->s && c->order ? WL_OK : wlab_nomem(err);
    if (!code) {
        pick_kind(pick, visible, X->rows, true, of[1], labelled);
        pick_kind(pick + labelled, visible, X->rows, false, of[0], unlabelled);
        code = wlab_matrix_rows(&few, X, pick, c->n, err);
    }
    code = code ? code : wlab_matrix_gram_progress(few, few, c->D, c->n, c->ctx, err);
    wlab_matrix_destroy(few);
    wlab_free(pick);
    if (code)
        return code;
    for (int64_t i = 0; i < c->n; i++)
        c->s[i] = c->D[i * c->n + i];
    wlab_progress_begin(&c->progress, c->ctx, "rows", c->n * (WIDTHS + 3) + c->positives * FOLDS);
    for (int64_t i = 0; i < c->n && next_row(c); i++)
        for (int64_t j = 0; j < c->n; j++)
            c->D[i * c->n + j] = i == j ? 0 : fmax(0, c->s[i] + c->s[j] - 2 * c->D[i * c->n + j]);
    return WL_OK;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median over rows of the median squared distance from the others.  0 after an interrupt. */
static double typical(scorer *c, double *row)
{
    for (int64_t i = 0; i < c->n; i++) {
        if (!next_row(c))
            return 0;
        memcpy(row, c->D + i * c->n, (size_t)c->n * sizeof *row);
        qsort(row, (size_t)c->n, sizeof *row, ascending);
        c->order[i] = row[c->n / 2];
    }
    qsort(c->order, (size_t)c->n, sizeof *c->order, ascending);
    return c->order[c->n / 2];
}

/* log of the mean of exp(-D_ij / (2 square)) over the rows j != i from..to-1. */
static double log_density(const scorer *c, int64_t i, int64_t from, int64_t to, double square)
{
    double nearest = HUGE_VAL, sum = 0;
    int64_t of = 0;

    for (int64_t j = from; j < to; j++)
        if (j != i)
            nearest = fmin(nearest, c->D[i * c->n + j]);
    for (int64_t j = from; j < to; j++)
        if (j != i) {
            sum += exp((nearest - c->D[i * c->n + j]) / (2 * square));
            of++;
        }
    return log(sum / (double)of) - nearest / (2 * square);
}

static void score(scorer *c, double square)
{
    for (int64_t i = 0; i < c->n && next_row(c); i++)
        c->s[i] = log_density(c, i, 0, c->positives, square) - log_density(c, i, c->positives, c->n, square);
}

/* The fraction of pairs of a labelled and an unlabelled row in which the labelled one has the larger s; ties count half. */
static double ranking(const scorer *c)
{
    double right = 0;

    for (int64_t i = 0; i < c->positives; i++)
        for (int64_t j = c->positives; j < c->n; j++)
            right += c->s[i] > c->s[j] ? 1 : c->s[i] < c->s[j] ? 0 : 0.5;
    return right / (double)c->positives / (double)(c->n - c->positives);
}

/* How many labelled and unlabelled rows have s >= c: those in fold `f`, or, if others, those that are not. */
static void count(const scorer *c, double cut, int f, bool others, int64_t *p, int64_t *u, int64_t *P,
                  int64_t *U)
{
    for (int64_t i = 0; i < c->n; i++) {
        if ((i % FOLDS == f) == others)
            continue;
        (i < c->positives ? P : U)[0]++;
        (i < c->positives ? p : u)[0] += c->s[i] >= cut;
    }
}

typedef struct ratio {
    double value, spread; /* u(A) / p+(A); the standard deviation of its logarithm */
} ratio;

/* With half a row more everywhere, so that no count is 0. */
static ratio ratio_of(int64_t p, int64_t u, int64_t P, int64_t U)
{
    const double a = (double)p + 0.5, b = (double)u + 0.5, A = (double)P + 0.5, B = (double)U + 0.5;
    return (ratio){b / B * A / a, sqrt(fmax(0, 1 / a - 1 / A + 1 / b - 1 / B))};
}

/* The cut with the smallest upper limit of the ratio, by the rows that are not in fold f. */
static double choose_cut(scorer *c, int f)
{
    double best = HUGE_VAL, cut = -HUGE_VAL;

    for (int64_t k = 0; k < c->positives && next_row(c); k++) {
        int64_t p = 0, u = 0, P = 0, U = 0;
        if (k % FOLDS == f)
            continue;
        count(c, c->s[k], f, true, &p, &u, &P, &U);
        const ratio r = ratio_of(p, u, P, U);
        const double hi = log(r.value) + NORMAL_975 * r.spread;
        if (hi < best && p * LEAST_SHARE >= P) {
            best = hi;
            cut = c->s[k];
        }
    }
    return cut;
}

/* The rows of each fold are counted beyond the cut that the others choose, so that the choice does not make the ratio too
 * small. */
static void estimate(scorer *c, wlab_prior *e)
{
    int64_t P = 0, U = 0;

    for (int f = 0; f < FOLDS; f++)
        count(c, choose_cut(c, f), f, false, &e->positive, &e->unlabelled, &P, &U);
    const ratio r = ratio_of(e->positive, e->unlabelled, P, U);
    const double least = 1 / ((double)U + 1); /* not at the ends, where one class would not exist */
    e->prior = fmin(fmax(r.value, least), 1 - least);
    e->lo = fmin(r.value * exp(-NORMAL_975 * r.spread), e->prior);
    e->hi = fmin(r.value * exp(NORMAL_975 * r.spread), 1);
}

static wlab_code look(const wlab_ctx *ctx, wlab_err *err)
{
    return wlab_interrupted(ctx)
               ? wlab_fail(err, WL_EINTERRUPTED, "interrupted while the prior was estimated")
               : WL_OK;
}

wlab_code wlab_prior_estimate(wlab_prior *e, const wlab_matrix *X, const int8_t *visible, wlab_ctx *ctx,
                              wlab_err *err)
{
    scorer c = {.ctx = ctx};
    double best = -1;
    wlab_code code = make_distances(&c, X, visible, err);

    *e = (wlab_prior){0};
    const double square = code ? 0 : typical(&c, c.s);
    code = code ? code : look(ctx, err);
    if (!code && !(square > 0 && isfinite(square)))
        code = wlab_fail(err, WL_EARG, "prior=auto compares distances of rows, and %s: give prior=0.5, say",
                         square > 0 ? "some are too large for double precision" : "most rows are equal");
    for (int k = 0; !code && k < WIDTHS; k++) {
        score(&c, widths[k] * widths[k] * square);
        const double right = ranking(&c);
        if (right > best) {
            best = right;
            e->width = widths[k];
        }
    }
    if (!code) {
        score(&c, e->width * e->width * square);
        estimate(&c, e);
        code = look(ctx, err);
    }
    clear(&c);
    return code;
}

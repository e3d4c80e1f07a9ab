/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Estimates the class prior by the smallest confidence limit of u(A) / p+(A) (prior.h).
 */
#include "task/prior.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST = 3000, /* rows */
    LEAST = 5,   /* of either kind */
    WIDTHS = 4
};
static const double widths[WIDTHS] = {0.125, 0.25, 0.5, 1}; /* in medians of the distances */
#define NORMAL_975 1.959963984540054

typedef struct scorer {
    int64_t n, positives; /* rows; the first `positives` are labelled */
    double *D;            /* [n x n] squared distances */
    double *s;            /* [n] log s */
    double *order;        /* [n] workspace */
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
    code = code ? code : wlab_matrix_gram(few, few, c->D, c->n, NULL, err);
    wlab_matrix_destroy(few);
    wlab_free(pick);
    if (code)
        return code;
    for (int64_t i = 0; i < c->n; i++)
        c->s[i] = c->D[i * c->n + i];
    for (int64_t i = 0; i < c->n; i++)
        for (int64_t j = 0; j < c->n; j++)
            c->D[i * c->n + j] = i == j ? 0 : fmax(0, c->s[i] + c->s[j] - 2 * c->D[i * c->n + j]);
    return WL_OK;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median over rows of the median squared distance from the others. */
static double typical(scorer *c, double *row)
{
    for (int64_t i = 0; i < c->n; i++) {
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
    for (int64_t i = 0; i < c->n; i++)
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

/* The cut with the smallest upper limit, from the highest score down. */
static void cut(const scorer *c, wlab_prior *e)
{
    const double P = (double)c->positives, U = (double)(c->n - c->positives);

    e->hi = HUGE_VAL;
    for (int64_t k = 0; k < c->positives; k++) {
        int64_t p = 0, u = 0;
        for (int64_t i = 0; i < c->n; i++)
            (i < c->positives ? &p : &u)[0] += c->s[i] >= c->s[k];
        /* half a row more, so that no count is 0 */
        const double ratio = ((double)u + 0.5) / (U + 0.5) * (P + 0.5) / ((double)p + 0.5);
        const double spread =
            sqrt(fmax(0, 1 / ((double)u + 0.5) - 1 / (U + 0.5) + 1 / ((double)p + 0.5) - 1 / (P + 0.5)));
        const double hi = ratio * exp(NORMAL_975 * spread);
        if (hi < e->hi) {
            e->prior = ratio;
            e->lo = ratio * exp(-NORMAL_975 * spread);
            e->hi = hi;
            e->positive = p;
            e->unlabelled = u;
        }
    }
    /* not at the ends, where one class would not exist */
    e->prior = fmin(fmax(e->prior, 1 / (U + 1)), 1 - 1 / (U + 1));
    e->hi = fmin(e->hi, 1);
    e->lo = fmin(e->lo, e->prior);
}

wlab_code wlab_prior_estimate(wlab_prior *e, const wlab_matrix *X, const int8_t *visible, wlab_err *err)
{
    scorer c = {0};
    double best = -1;
    wlab_code code = make_distances(&c, X, visible, err);

    *e = (wlab_prior){0};
    const double square = code ? 0 : typical(&c, c.s);
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
        cut(&c, e);
    }
    clear(&c);
    return code;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sequential minimal optimisation with the equation 1'beta = 0.
 */
#include "svm/smo_free.h"
#include "svm/boxqp.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LOOK = 1024 /* updates between looks at the flag that interrupts */
};

/* The row's loss has its kink at this offset. */
typedef struct kink {
    double at, cost;
} kink;

static int by_place(const void *a, const void *b)
{
    const kink *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

/* The slope of the sum in b is -(costs of positives) at first, and grows by C_i at each kink. */
static double best_offset(kink *k, int64_t n, double positive)
{
    double slope = -positive, slack = 0;
    int64_t m = 0;
    for (int64_t i = 0; i < n; i++)
        if (k[i].cost > 0)
            k[m++] = k[i];
    if (m == 0)
        return 0;
    qsort(k, (size_t)m, sizeof *k, by_place);
    for (int64_t i = 0; i < m; i++)
        slack += k[i].cost;
    slack *= 1e-14; /* as near to 0 as a sum of so many can be told */
    for (int64_t i = 0; i < m; i++) {
        if (slope >= -slack) /* flat between the kinks, or before the first */
            return i > 0 ? 0.5 * (k[i - 1].at + k[i].at) : k[0].at;
        slope += k[i].cost;
        if (slope > slack)
            return k[i].at;
    }
    return k[m - 1].at;
}

/* Fills k; returns the costs of the positives. */
static double kinks_of(const double *f, int64_t n, const int8_t *y, const double *cost, kink *k)
{
    double positive = 0;
    for (int64_t i = 0; i < n; i++) {
        k[i] = (kink){y[i] - f[i], cost[i]};
        positive += y[i] > 0 ? cost[i] : 0;
    }
    return positive;
}

wlab_code wlab_offset_best(const double *f, int64_t n, const int8_t *y, const double *cost, double *b,
                           wlab_err *err)
{
    kink *k = wlab_alloc((size_t)n, sizeof *k);
    if (!k)
        return wlab_nomem(err);
    const double positive = kinks_of(f, n, y, cost, k);
    *b = best_offset(k, n, positive);
    wlab_free(k);
    return WL_OK;
}

typedef struct smo {
    const double *K, *cost;
    const int8_t *y;
    int64_t n;
    double *beta, *f; /* f = K beta while it goes */
    kink *kink;
} smo;

static inline double high(const smo *s, int64_t i)
{
    return s->y[i] > 0 ? s->cost[i] : 0;
}
static inline double low(const smo *s, int64_t i)
{
    return s->y[i] > 0 ? 0 : -s->cost[i];
}

/* beta in its box with 1'beta = 0, K beta. */
static void begin(smo *s)
{
    double up = 0, down = 0;
    for (int64_t i = 0; i < s->n; i++) {
        const double b = s->beta[i], lo = low(s, i), hi = high(s, i);
        s->beta[i] = b > hi ? hi : b > lo ? b : lo; /* NaN: lo */
        (s->y[i] > 0 ? &up : &down)[0] += fabs(s->beta[i]);
    }
    for (int64_t i = 0; i < s->n && up != down; i++)
        if (s->y[i] > 0 ? up > down : down > up)
            s->beta[i] *= up > down ? down / up : up / down;
    memset(s->f, 0, (size_t)s->n * sizeof *s->f);
    for (int64_t i = 0; i < s->n; i++)
        if (s->beta[i] != 0)
            cblas_daxpy((int)s->n, s->beta[i], s->K + i * s->n, 1, s->f, 1);
}

/* The pair that violates and gains most; returns by how much it violates, -1: nothing can move. */
static double choose(const smo *s, int64_t *up, int64_t *down)
{
    double top = -HUGE_VAL, bottom = HUGE_VAL, most = -1;
    *up = *down = -1;
    for (int64_t i = 0; i < s->n; i++) {
        const double g = s->y[i] - s->f[i];
        if (g > top && s->beta[i] < high(s, i))
            top = g, *up = i;
    }
    if (*up < 0)
        return -1;
    const double *row = s->K + *up * s->n, own = row[*up];
    for (int64_t j = 0; j < s->n; j++) {
        if (!(s->beta[j] > low(s, j)))
            continue;
        const double g = s->y[j] - s->f[j], by = top - g;
        bottom = g < bottom ? g : bottom;
        if (!(by > 0))
            continue;
        double h = own + s->K[j * s->n + j] - 2 * row[j];
        h = h > 1e-12 ? h : 1e-12;
        if (by * by > most * h)
            most = by * by / h, *down = j;
    }
    return *down < 0 ? -1 : top - bottom;
}

/* A value on its bounds exactly: rounding must not leave a sliver. */
static double settle(const smo *s, int64_t i, double to)
{
    const double lo = low(s, i), hi = high(s, i), sliver = 1e-14 * (hi - lo);
    return to <= lo + sliver ? lo : to >= hi - sliver ? hi : to;
}

static bool update(smo *s, int64_t i, int64_t j)
{
    const double *Ki = s->K + i * s->n, *Kj = s->K + j * s->n;
    const double by = (s->y[i] - s->f[i]) - (s->y[j] - s->f[j]), h = Ki[i] + Kj[j] - 2 * Ki[j];
    double t = by / (h > 1e-12 ? h : 1e-12);
    const double room_i = high(s, i) - s->beta[i], room_j = s->beta[j] - low(s, j);
    t = t > room_i ? room_i : t;
    t = t > room_j ? room_j : t;
    const double to_i = settle(s, i, s->beta[i] + t), to_j = settle(s, j, s->beta[j] - t);
    const double di = to_i - s->beta[i], dj = to_j - s->beta[j];
    s->beta[i] = to_i;
    s->beta[j] = to_j;
    for (int64_t k = 0; k < s->n; k++)
        s->f[k] += di * Ki[k] + dj * Kj[k];
    return di != 0 || dj != 0;
}

/* Primal and dual value at beta and the best offset. */
static void measure(smo *s, wlab_smo_free_result *r)
{
    double norm = 0, linear = 0, loss = 0;
    const double positive = kinks_of(s->f, s->n, s->y, s->cost, s->kink);
    r->b = best_offset(s->kink, s->n, positive);
    for (int64_t i = 0; i < s->n; i++) {
        const double slack = 1 - s->y[i] * (s->f[i] + r->b);
        norm += s->beta[i] * s->f[i];
        linear += s->y[i] * s->beta[i];
        loss += s->cost[i] * (slack < 0 ? 0 : slack); /* NaN stays */
    }
    r->primal = 0.5 * norm + loss;
    r->dual = linear - 0.5 * norm;
}

wlab_code wlab_smo_free_solve(const double *K, int64_t n, const int8_t *y, const double *cost, double tol,
                              double *beta, double *f, wlab_smo_free_result *result, wlab_ctx *ctx,
                              wlab_err *err)
{
    smo s = {.K = K, .cost = cost, .y = y, .n = n, .beta = beta, .f = f};
    wlab_smo_free_result r = {0};
    double within = 0.1;
    s.kink = wlab_alloc((size_t)n, sizeof *s.kink);
    if (!s.kink)
        return wlab_nomem(err);
    begin(&s);
    for (;;) {
        int64_t i, j;
        double violation = choose(&s, &i, &j);
        if (violation > within && update(&s, i, j)) {
            if (++r.updates % LOOK != 0 || !(r.stopped = wlab_interrupted(ctx)))
                continue;
        }
        measure(&s, &r);
        if (!isfinite(r.primal) || !isfinite(r.dual)) {
            wlab_free(s.kink);
            return wlab_fail(err, WL_ENUMERIC, "%s", wlab_svm_not_finite);
        }
        if (r.stopped || r.primal - r.dual <= tol * r.primal || within < 1e-13 || violation < 0)
            break;
        within *= 0.25;
    }
    for (int64_t i = 0; i < n; i++)
        f[i] += r.b;
    *result = r;
    wlab_free(s.kink);
    return WL_OK;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sequential minimal optimisation with the equation 1'beta = 0, and Newton steps on the rows strictly inside their
 * bounds if it takes long.
 */
#include "solve/svm/smo_free.h"
#include "base/progress.h"
#include "solve/svm/boxqp.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHECK = 1024,       /* updates between checks of the gap and of an interrupt, or n */
    MOST = 1000000,     /* updates, or 100 n */
    NEWTON_MOST = 2000, /* rows inside their bounds in a Newton step */
    POLISH = 2,         /* Newton steps that reach no bound, after which a round makes no more */
    IDLE = 3            /* rounds in a row without progress */
};
static const double FLAT = 1e-12; /* of K_ii + K_jj: less curvature counts as none */

/* The offset at which a row's loss has its kink. */
typedef struct kink {
    double at, cost;
} kink;

static int by_place(const void *a, const void *b)
{
    const kink *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

/* The slope of the sum in b starts at -(costs of positives) + tilt and grows by C_i at each kink. */
static double best_offset(kink *k, int64_t n, double positive, double tilt)
{
    double slope = tilt - positive, slack = 0;
    int64_t m = 0;
    for (int64_t i = 0; i < n; i++)
        if (k[i].cost > 0)
            k[m++] = k[i];
    if (m == 0)
        return 0;
    qsort(k, (size_t)m, sizeof *k, by_place);
    for (int64_t i = 0; i < m; i++)
        slack += k[i].cost;
    slack *= 1e-14; /* rounding error of the sum: a smaller slope counts as 0 */
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
static double kinks_of(const double *f, int64_t n, const int8_t *y, const double *a, const double *cost,
                       kink *k)
{
    double positive = 0;
    for (int64_t i = 0; i < n; i++) {
        k[i] = (kink){(a ? y[i] * a[i] : y[i]) - f[i], cost[i]};
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
    const double positive = kinks_of(f, n, y, NULL, cost, k);
    *b = best_offset(k, n, positive, 0);
    wlab_free(k);
    return WL_OK;
}

typedef struct smo {
    const double *K, *cost;
    const int8_t *y;
    const double *a, *t; /* [n] margins, tilt; NULL: 1, 0 */
    double tilt;         /* 1't */
    int64_t n;
    double *low, *high; /* [n] the bounds of beta */
    double *margin;     /* [n] y_i a_i */
    double *diagonal;   /* [n] of K */
    double *beta, *f;   /* f = K (beta - t), without the offset until the end */
    kink *kink;
    double *work;         /* [5n], and then low, high, margin and diagonal */
    int32_t *free, *pick; /* [n] */
    double *A;            /* [2 capacity] of Newton steps */
    int64_t capacity;
    double
        saved; /* multiplications spent on updates minus those spent on Newton steps, which must not exceed them */
} smo;

/* What does not change, in arrays of its own: a pair is selected from all rows for every update. */
static void prepare(smo *s)
{
    for (int64_t i = 0; i < s->n; i++) {
        s->low[i] = s->y[i] > 0 ? 0 : -s->cost[i];
        s->high[i] = s->y[i] > 0 ? s->cost[i] : 0;
        s->margin[i] = s->a ? s->y[i] * s->a[i] : s->y[i];
        s->diagonal[i] = s->K[i * s->n + i];
    }
}

static inline double moved(const smo *s, int64_t i) /* row i's coefficient in f */
{
    return s->t ? s->beta[i] - s->t[i] : s->beta[i];
}

/* Changes the sum of |beta| of a class, `now`, by `by`: towards 0, or towards the bounds, whose sum is `most`. */
static void change_class(smo *s, bool positives, double now, double most, double by)
{
    const double factor = by < 0 ? (now + by) / now : by / (most - now);
    for (int64_t i = 0; i < s->n && by != 0; i++)
        if ((s->y[i] > 0) == positives)
            s->beta[i] = by < 0 ? s->beta[i] * factor
                                : s->beta[i] + ((positives ? s->high[i] : s->low[i]) - s->beta[i]) * factor;
}

/* Makes up - down = the tilt, where up and down are the classes' sums of |beta| and up_most, down_most the largest: lowers
 * the one that is too large, and if that is not enough raises the other. */
static void meet_tilt(smo *s, double up, double down)
{
    double up_most = 0, down_most = 0, excess = up - down - s->tilt;
    for (int64_t i = 0; i < s->n; i++)
        (s->y[i] > 0 ? &up_most : &down_most)[0] += s->cost[i];
    if (excess > 0) {
        const double less = fmin(up, excess);
        change_class(s, true, up, up_most, -less);
        change_class(s, false, down, down_most, fmin(excess - less, down_most - down));
    } else if (excess < 0) {
        const double less = fmin(down, -excess);
        change_class(s, false, down, down_most, -less);
        change_class(s, true, up, up_most, fmin(-excess - less, up_most - up));
    }
}

/* Clips beta into its box and scales the heavier class so that 1'beta = 0. */
static void make_feasible(smo *s)
{
    double up = 0, down = 0;
    for (int64_t i = 0; i < s->n; i++) {
        const double b = s->beta[i], lo = s->low[i], hi = s->high[i];
        s->beta[i] = b > hi ? hi : b > lo ? b : lo; /* NaN: lo */
        (s->y[i] > 0 ? &up : &down)[0] += fabs(s->beta[i]);
    }
    if (s->tilt != 0)
        meet_tilt(s, up, down);
    for (int64_t i = 0; i < s->n && s->tilt == 0 && up != down; i++)
        if (s->y[i] > 0 ? up > down : down > up)
            s->beta[i] *= up > down ? down / up : up / down;
}

static bool inside(const smo *s, int64_t i)
{
    return s->beta[i] > s->low[i] && s->beta[i] < s->high[i];
}

/* Recomputes f = K (beta - t), as updates accumulate rounding errors.  Rounding also changes 1'beta: a row with enough
 * distance to its bounds absorbs that. */
static void recompute_outputs(smo *s)
{
    double sum = -s->tilt;
    for (int64_t i = 0; i < s->n; i++)
        sum += s->beta[i];
    for (int64_t i = 0; i < s->n && sum != 0; i++) {
        const double to = s->beta[i] - sum;
        if (inside(s, i) && to > s->low[i] && to < s->high[i]) {
            s->beta[i] = to;
            break;
        }
    }
    memset(s->f, 0, (size_t)s->n * sizeof *s->f);
    for (int64_t i = 0; i < s->n; i++)
        if (moved(s, i) != 0)
            cblas_daxpy((int)s->n, moved(s, i), s->K + i * s->n, 1, s->f, 1);
}

static double curve(double Kii, double Kjj, double Kij)
{
    const double h = Kii + Kjj - 2 * Kij, least = FLAT * (Kii + Kjj) + 1e-300;
    return h > least ? h : least;
}

/* The row that violates optimality most and the partner with the largest gain; returns the largest violation of a pair,
 * -1: no pair can move. */
static double select_pair(const smo *s, int64_t *up, int64_t *down)
{
    double top = -HUGE_VAL, bottom = HUGE_VAL, most = -1;
    *up = *down = -1;
    for (int64_t i = 0; i < s->n; i++) {
        const double g = s->margin[i] - s->f[i];
        if (g > top && s->beta[i] < s->high[i])
            top = g, *up = i;
    }
    if (*up < 0)
        return -1;
    const double *row = s->K + *up * s->n, own = row[*up];
    for (int64_t j = 0; j < s->n; j++) {
        if (!(s->beta[j] > s->low[j]))
            continue;
        const double g = s->margin[j] - s->f[j], by = top - g;
        bottom = g < bottom ? g : bottom;
        if (!(by > 0))
            continue;
        const double h = curve(own, s->diagonal[j], row[j]);
        if (by * by > most * h)
            most = by * by / h, *down = j;
    }
    return *down < 0 ? -1 : top - bottom;
}

/* Rounds `to` to a bound that is very close: rounding must not leave a small remainder. */
static double snap(const smo *s, int64_t i, double to)
{
    const double lo = s->low[i], hi = s->high[i], sliver = 1e-14 * fmax(fabs(s->beta[i]), fabs(to));
    return to <= lo + sliver ? lo : to >= hi - sliver ? hi : to;
}

static bool update(smo *s, int64_t i, int64_t j)
{
    const double *Ki = s->K + i * s->n, *Kj = s->K + j * s->n;
    double t = ((s->margin[i] - s->f[i]) - (s->margin[j] - s->f[j])) / curve(Ki[i], Kj[j], Ki[j]);
    const double most_i = s->high[i] - s->beta[i], most_j = s->beta[j] - s->low[j];
    t = t > most_i ? most_i : t;
    t = t > most_j ? most_j : t;
    const double to_i = snap(s, i, s->beta[i] + t), to_j = snap(s, j, s->beta[j] - t);
    const double di = to_i - s->beta[i], dj = to_j - s->beta[j];
    s->beta[i] = to_i;
    s->beta[j] = to_j;
    for (int64_t k = 0; k < s->n; k++)
        s->f[k] += di * Ki[k] + dj * Kj[k];
    s->saved += 4 * (double)s->n;
    return di != 0 || dj != 0;
}

/* Primal and dual value at beta and the best offset; returns the primal value without the tilt's part. */
static double measure(smo *s, wlab_smo_free_result *r)
{
    double norm = 0, linear = 0, loss = 0, tilted = 0;
    const double positive = kinks_of(s->f, s->n, s->y, s->a, s->cost, s->kink);
    r->b = best_offset(s->kink, s->n, positive, s->tilt);
    for (int64_t i = 0; i < s->n; i++) {
        const double slack = (s->a ? s->a[i] : 1) - s->y[i] * (s->f[i] + r->b);
        norm += moved(s, i) * s->f[i];
        linear += s->margin[i] * s->beta[i];
        loss += s->cost[i] * (slack < 0 ? 0 : slack); /* keeps NaN */
        tilted += s->t ? s->t[i] * (s->f[i] + r->b) : 0;
    }
    r->primal = 0.5 * norm + loss + tilted;
    r->dual = linear - 0.5 * norm;
    return 0.5 * norm + loss;
}

/* ---- Newton steps ---- */

static double dual_of(const smo *s)
{
    double sum = 0;
    for (int64_t i = 0; i < s->n; i++)
        sum += s->t ? s->margin[i] * s->beta[i] - 0.5 * moved(s, i) * s->f[i]
                    : s->beta[i] * (s->margin[i] - 0.5 * s->f[i]);
    return sum;
}

/* The factor of K_FF with rows and columns scaled to a unit diagonal, scale [m], so that the ridge is small for short
 * rows too. */
static wlab_code factor(smo *s, int64_t m, double *scale, wlab_ctx *ctx, wlab_err *err)
{
    if (m * m > s->capacity) {
        s->capacity = 0;
        s->A = wlab_free(s->A);
        if (!(s->A = wlab_alloc((size_t)(2 * m * m), sizeof *s->A)))
            return wlab_nomem(err);
        s->capacity = m * m;
    }
    double *Q = s->A + m * m;
    if (!wlab_boxqp_gather(s->K, s->n, NULL, s->free, m, Q, ctx))
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    for (int64_t a = 0; a < m; a++) {
        scale[a] = Q[a * m + a] > 0 ? 1 / sqrt(Q[a * m + a]) : 1;
        s->pick[a] = (int32_t)a;
    }
    for (int64_t a = 0; a < m; a++)
        for (int64_t b = 0; b < m; b++)
            Q[a * m + b] *= scale[a] * scale[b];
    return wlab_boxqp_factor(Q, m, NULL, s->pick, m, s->A, ctx, err);
}

/* x := K_FF^-1 x. */
static void apply(const smo *s, int64_t m, const double *scale, double *x)
{
    for (int64_t a = 0; a < m; a++)
        x[a] *= scale[a];
    LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', (lapack_int)m, 1, s->A, (lapack_int)m, x, (lapack_int)m);
    for (int64_t a = 0; a < m; a++)
        x[a] *= scale[a];
}

/* d [m] = K_FF^-1 (a y - f)_F with 1'd = 0. */
static wlab_code direction(smo *s, int64_t m, double *d, double *ones, wlab_ctx *ctx, wlab_err *err)
{
    double *scale = s->work + 4 * s->n;
    wlab_code code = factor(s, m, scale, ctx, err);
    if (code)
        return code;
    double mean = 0, sum = 0, all = 0;
    for (int64_t a = 0; a < m; a++) {
        d[a] = s->margin[s->free[a]] - s->f[s->free[a]];
        mean += d[a] / (double)m;
        ones[a] = 1;
    }
    /* b absorbs the mean: subtract it first, as the ridge for a singular K would distort it */
    for (int64_t a = 0; a < m; a++)
        d[a] -= mean;
    apply(s, m, scale, d);
    apply(s, m, scale, ones);
    for (int64_t a = 0; a < m; a++) {
        sum += d[a];
        all += ones[a];
    }
    for (int64_t a = 0; a < m; a++)
        d[a] -= sum / all * ones[a];
    return WL_OK;
}

/* One step, up to the first bound.  *length is 1 if it reaches no bound, 0 if it does not increase the dual and is
 * undone. */
static wlab_code newton(smo *s, int64_t m, double *length, wlab_ctx *ctx, wlab_err *err)
{
    const size_t bytes = (size_t)s->n * sizeof *s->beta;
    double *d = s->work, *ones = s->work + s->n, *beta = s->work + 2 * s->n, *f = s->work + 3 * s->n;
    const double before = dual_of(s);
    wlab_code code = direction(s, m, d, ones, ctx, err);
    double step = 1;
    *length = 0;
    if (code)
        return code;
    for (int64_t a = 0; a < m; a++) {
        const int64_t i = s->free[a];
        const double distance = d[a] > 0 ? s->high[i] - s->beta[i] : s->beta[i] - s->low[i];
        if (fabs(d[a]) * step > distance)
            step = distance / fabs(d[a]);
    }
    memcpy(beta, s->beta, bytes);
    memcpy(f, s->f, bytes);
    for (int64_t a = 0; a < m; a++) {
        const int64_t i = s->free[a];
        const double to = snap(s, i, s->beta[i] + step * d[a]);
        cblas_daxpy((int)s->n, to - s->beta[i], s->K + i * s->n, 1, s->f, 1);
        s->beta[i] = to;
    }
    if (dual_of(s) > before) {
        *length = step;
    } else {
        memcpy(s->beta, beta, bytes);
        memcpy(s->f, f, bytes);
    }
    return WL_OK;
}

/* Newton steps as long as they cost no more than the updates before. */
static wlab_code newton_steps(smo *s, wlab_ctx *ctx, wlab_err *err)
{
    double length = 1;
    for (int full = 0; full < POLISH && length > 0 && !wlab_interrupted(ctx); full += length == 1) {
        int64_t m = 0;
        for (int64_t i = 0; i < s->n; i++)
            if (inside(s, i))
                s->free[m++] = (int32_t)i;
        const double cost = (double)m * (double)m * ((double)m / 3 + (double)(2 * s->n) / (double)(m + 1));
        if (m < 2 || m > NEWTON_MOST || cost > s->saved)
            return WL_OK;
        s->saved -= cost;
        wlab_code code = newton(s, m, &length, ctx, err);
        if (code)
            return code;
    }
    return WL_OK;
}

/* ---- the solver ---- */

static wlab_code ascend(smo *s, double tol, wlab_smo_free_result *r, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t round = s->n > CHECK ? s->n : CHECK, most = 100 * s->n > MOST ? 100 * s->n : MOST;
    const int64_t each = wlab_look_every(s->n);
    double within = 0.1, least = HUGE_VAL, highest = -HUGE_VAL;
    wlab_progress progress;
    wlab_progress_begin(&progress, ctx, "updates of the SVM", 0);
    make_feasible(s);
    recompute_outputs(s);
    for (int idle = 0;;) {
        int64_t i, j, todo = round;
        double violation;
        bool moves = true;
        for (; todo > 0 && (violation = select_pair(s, &i, &j)) > within && moves; todo--, r->updates++) {
            if (todo % each == 0) {
                if ((r->stopped = wlab_interrupted(ctx)))
                    break;
                wlab_progress_add(&progress, each);
            }
            moves = update(s, i, j);
        }
        recompute_outputs(s);
        const double scale = measure(s, r);
        const double gap = r->primal - r->dual;
        if (!isfinite(gap))
            return wlab_fail(err, WL_ENUMERIC, "%s", wlab_svm_not_finite);
        r->stopped = r->stopped || wlab_interrupted(ctx);
        if (r->stopped || gap <= tol * scale)
            return WL_OK;
        if (todo > 0 && moves) { /* no pair violates by more than `within` */
            if (violation < 0 || within < 1e-13)
                return WL_OK;
            within *= 0.25;
            continue;
        }
        idle = gap < 0.99 * least || r->dual - highest > 1e-14 * fabs(r->dual) ? 0 : idle + 1;
        least = gap < least ? gap : least;
        highest = r->dual > highest ? r->dual : highest;
        if (idle > IDLE || r->updates >= most)
            return WL_OK; /* the result reports the remaining gap */
        wlab_code code = newton_steps(s, ctx, err);
        if ((r->stopped = code == WL_EINTERRUPTED))
            return WL_OK;
        if (code)
            return code;
    }
}

wlab_code wlab_smo_free_solve(const double *K, int64_t n, const int8_t *y, const double *cost, double tol,
                              double *beta, double *f, wlab_smo_free_result *result, wlab_ctx *ctx,
                              wlab_err *err)
{
    return wlab_smo_free_tilted(K, n, y, cost, NULL, NULL, tol, beta, f, result, ctx, err);
}

/* Refuses a tilt that no beta in its box meets: the objective has no minimum in b then. */
static wlab_code check_tilt(smo *s, wlab_err *err)
{
    double up = 0, down = 0;
    for (int64_t i = 0; i < s->n; i++) {
        (s->y[i] > 0 ? &up : &down)[0] += s->cost[i];
        s->tilt += s->t ? s->t[i] : 0;
        if ((s->t && !isfinite(s->t[i])) || (s->a && !isfinite(s->a[i])))
            return wlab_fail(err, WL_ENUMERIC, "%s", wlab_svm_not_finite);
    }
    if (s->t && !(s->tilt <= up && -s->tilt <= down))
        return wlab_fail(err, WL_EARG,
                         "the tilt sums to %g, but the costs of a class to %g only: the objective has no "
                         "minimum in b",
                         s->tilt, s->tilt > up ? up : down);
    return WL_OK;
}

wlab_code wlab_smo_free_tilted(const double *K, int64_t n, const int8_t *y, const double *cost,
                               const double *a, const double *t, double tol, double *beta, double *f,
                               wlab_smo_free_result *result, wlab_ctx *ctx, wlab_err *err)
{
    smo s = {.K = K, .cost = cost, .y = y, .a = a, .t = t, .n = n, .beta = beta, .f = f};
    wlab_smo_free_result r = {0};
    wlab_code code = check_tilt(&s, err);
    if (code)
        return code;
    s.kink = wlab_alloc((size_t)n, sizeof *s.kink);
    s.work = wlab_alloc((size_t)(9 * n), sizeof *s.work);
    s.free = wlab_alloc((size_t)(2 * n), sizeof *s.free);
    s.pick = s.free ? s.free + n : NULL;
    if (!s.kink || !s.work || !s.free) {
        code = wlab_nomem(err);
    } else {
        s.low = s.work + 5 * n;
        s.high = s.work + 6 * n;
        s.margin = s.work + 7 * n;
        s.diagonal = s.work + 8 * n;
        prepare(&s);
        code = ascend(&s, tol, &r, ctx, err);
    }
    for (int64_t i = 0; i < n && !code; i++)
        f[i] += r.b;
    if (!code)
        *result = r;
    wlab_free(s.kink);
    wlab_free(s.work);
    wlab_free(s.free);
    wlab_free(s.A);
    return code;
}

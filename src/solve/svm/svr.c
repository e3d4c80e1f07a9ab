/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Support vector regression on a kernel matrix: sequential minimal optimisation and Newton steps.
 */
#include "solve/svm/svr.h"
#include "base/progress.h"
#include "solve/svm/boxqp.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHECK = 1000,       /* updates, at least, between computations of the gap */
    NEWTON_MOST = 2000, /* rows m in a Newton step, which costs m^3 / 3 */
    NEWTON_ROUNDS = 40
};

/* ---- values ---- */

double wlab_svr_loss(const wlab_svr_problem *q, const double *f, double b)
{
    double sum = 0;

    for (int64_t k = 0; k < q->n; k++) {
        const double out = fabs(q->target[k] - f[k] - b) - q->tube[k];
        sum += out > 0 ? out : 0;
    }
    return q->C * sum;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

double wlab_svr_best_offset(const wlab_svr_problem *q, const double *f, double *work)
{
    /* the slope in b is -n at the left and grows by 1 at each end of a tube */
    for (int64_t k = 0; k < q->n; k++) {
        work[2 * k] = q->target[k] - f[k] - q->tube[k];
        work[2 * k + 1] = q->target[k] - f[k] + q->tube[k];
    }
    qsort(work, (size_t)(2 * q->n), sizeof *work, ascending);
    return 0.5 * (work[q->n - 1] + work[q->n]);
}

double wlab_svr_dual(const wlab_svr_problem *q, const double *beta, double quad)
{
    double sum = 0;

    for (int64_t k = 0; k < q->n; k++)
        sum += q->target[k] * beta[k] - q->tube[k] * fabs(beta[k]);
    return sum - 0.5 * quad;
}

/* ---- one pair ---- */

typedef struct svr {
    const wlab_svr_problem *q;
    const double *K;
    int64_t n;
    double *beta, *f;
    double *work;  /* [2n] */
    int32_t *free; /* [n] */
    double *A;     /* [capacity x capacity] */
    int64_t capacity;
    double *save; /* [2n] beta and f before a Newton step */
} svr;

/* The right and the left derivative of the dual in beta_k; neither has its sign reversed. */
static inline double rising(const svr *s, int64_t k)
{
    return s->q->target[k] - s->f[k] - (s->beta[k] >= 0 ? s->q->tube[k] : -s->q->tube[k]);
}
static inline double falling(const svr *s, int64_t k)
{
    return s->q->target[k] - s->f[k] - (s->beta[k] > 0 ? s->q->tube[k] : -s->q->tube[k]);
}

/* The distance from `at` to the nearer of beta's bound and its kink at 0, in direction `sign`. */
static double reach(double at, double C, int sign)
{
    if (sign > 0)
        return at < 0 ? -at : C - at;
    return at > 0 ? at : at + C;
}

/* Moves beta_i by up (+-1) times a step and beta_j by the opposite (j < 0: no second variable) as long as the dual
 * increases; `slope`: the derivative of the dual along the step, which decreases by `curve` per unit. */
static void move_along(svr *s, int64_t i, int64_t j, int up, double slope, double curve)
{
    const double C = s->q->C;
    double *beta = s->beta;
    const double from = beta[i];

    for (int turn = 0; turn < 3 && slope > 0; turn++) {
        const double ri = reach(beta[i], C, up), rj = j < 0 ? HUGE_VAL : reach(beta[j], C, -up);
        const double kink = fmin(ri, rj), best = curve > 0 ? slope / curve : HUGE_VAL;
        const double step = fmin(kink, best);
        const bool i_at = step >= ri, j_at = step >= rj;
        const double was_i = beta[i], was_j = j < 0 ? 0 : beta[j];

        beta[i] = i_at ? (was_i * up < 0 ? 0 : up * C) : was_i + up * step;
        if (j >= 0)
            beta[j] = j_at ? (was_j * up > 0 ? 0 : -up * C) : was_j - up * step;
        if (!i_at && !j_at)
            break;
        slope -= curve * step;
        if ((i_at && beta[i] != 0) || (j_at && beta[j] != 0)) /* a bound */
            break;
        slope -= (i_at ? 2 * s->q->tube[i] : 0) + (j_at ? 2 * s->q->tube[j] : 0);
    }
    const double by = beta[i] - from;
    const double *Ki = s->K + i * s->n, *Kj = j < 0 ? NULL : s->K + j * s->n;
    for (int64_t k = 0; k < s->n; k++)
        s->f[k] += by * (Kj ? Ki[k] - Kj[k] : Ki[k]);
}

/* One update; false: no pair gains more than the rounding error. */
static bool update(svr *s)
{
    const double C = s->q->C;
    int64_t i = -1, j = -1;
    double most = -HUGE_VAL, gain = 0;

    if (!s->q->offset) {
        double slope = 0;
        int up = 1;
        for (int64_t k = 0; k < s->n; k++) {
            const double u = s->beta[k] < C ? rising(s, k) : 0, d = s->beta[k] > -C ? -falling(s, k) : 0;
            const double g = u > d ? u : d, curve = fmax(s->K[k * s->n + k], 1e-300);
            if (g > 0 && g * g / curve > gain) {
                gain = g * g / curve;
                i = k;
                slope = g;
                up = u > d ? 1 : -1;
            }
        }
        if (i < 0 || slope <= 1e-15 * (1 + fabs(s->q->target[i])))
            return false;
        move_along(s, i, -1, up, slope, s->K[i * s->n + i]);
        return true;
    }
    for (int64_t k = 0; k < s->n; k++)
        if (s->beta[k] < C && rising(s, k) > most) {
            most = rising(s, k);
            i = k;
        }
    if (i < 0)
        return false;
    const double *Ki = s->K + i * s->n;
    double slope = 0, curve = 0;
    for (int64_t k = 0; k < s->n; k++) {
        const double g = most - falling(s, k);
        if (k == i || s->beta[k] <= -C || g <= 0)
            continue;
        const double a = Ki[i] + s->K[k * s->n + k] - 2 * Ki[k],
                     of = g * g / fmax(a, 1e-12 * (Ki[i] + 1e-300));
        if (of > gain) {
            gain = of;
            j = k;
            slope = g;
            curve = a;
        }
    }
    if (j < 0 || slope <= 1e-15 * (1 + fabs(most)))
        return false;
    move_along(s, i, j, 1, slope, curve);
    return true;
}

/* ---- Newton steps on the rows strictly inside their bounds and off the kink ---- */

static double quad_of(const svr *s)
{
    return cblas_ddot((int)s->n, s->beta, 1, s->f, 1);
}

/* d [m] = K_FF^-1 g with 1'd = 0 if the offset is free. */
static wlab_code direction(svr *s, int64_t m, double *d, double *ones, wlab_ctx *ctx, wlab_err *err)
{
    if (m > s->capacity) {
        s->capacity = 0;
        s->A = wlab_free(s->A);
        if (!(s->A = wlab_alloc((size_t)(m * m), sizeof *s->A)))
            return wlab_nomem(err);
        s->capacity = m;
    }
    wlab_code code = wlab_boxqp_factor(s->K, s->n, NULL, s->free, m, s->A, ctx, err);
    if (code)
        return code;
    double sum = 0, all = 0;
    for (int64_t a = 0; a < m; a++) {
        d[a] = s->beta[s->free[a]] > 0 ? rising(s, s->free[a]) : falling(s, s->free[a]);
        ones[a] = 1;
    }
    if (s->q->offset) { /* b absorbs the mean: subtract it first, as the ridge for a singular K would distort it */
        for (int64_t a = 0; a < m; a++)
            sum += d[a] / (double)m;
        for (int64_t a = 0; a < m; a++)
            d[a] -= sum;
        sum = 0;
    }
    LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', (lapack_int)m, 1, s->A, (lapack_int)m, d, (lapack_int)m);
    if (!s->q->offset)
        return WL_OK;
    LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', (lapack_int)m, 1, s->A, (lapack_int)m, ones, (lapack_int)m);
    for (int64_t a = 0; a < m; a++) {
        sum += d[a];
        all += ones[a];
    }
    for (int64_t a = 0; a < m; a++)
        d[a] -= sum / all * ones[a];
    return WL_OK;
}

/* One step, cut at the first bound or kink.  *gained: the increase of the dual; 0: no step was made. */
static wlab_code newton(svr *s, double *gained, wlab_ctx *ctx, wlab_err *err)
{
    const double C = s->q->C, before = wlab_svr_dual(s->q, s->beta, quad_of(s));
    const size_t bytes = (size_t)s->n * sizeof *s->beta;
    int64_t m = 0;
    double step = 1;

    *gained = 0;
    for (int64_t k = 0; k < s->n; k++)
        if (s->beta[k] != 0 && fabs(s->beta[k]) < C)
            s->free[m++] = (int32_t)k;
    if (m < 2 || m > NEWTON_MOST)
        return WL_OK;
    double *d = s->work, *ones = s->work + s->n;
    wlab_code code = direction(s, m, d, ones, ctx, err);
    if (code)
        return code;
    for (int64_t a = 0; a < m; a++) {
        const double at = s->beta[s->free[a]];
        if (d[a] != 0)
            step = fmin(step, reach(at, C, d[a] > 0 ? 1 : -1) / fabs(d[a]));
    }
    memcpy(s->save, s->beta, bytes);
    memcpy(s->save + s->n, s->f, bytes);
    for (int64_t a = 0; a < m; a++) {
        const int64_t k = s->free[a];
        const double r = d[a] != 0 ? reach(s->beta[k], C, d[a] > 0 ? 1 : -1) : HUGE_VAL;
        if (step * fabs(d[a]) >= r) { /* exactly to the bound or kink */
            const double to = s->beta[k] * d[a] < 0 ? 0 : d[a] > 0 ? C : -C;
            cblas_daxpy((int)s->n, to - s->beta[k], s->K + k * s->n, 1, s->f, 1);
            s->beta[k] = to;
        } else {
            cblas_daxpy((int)s->n, step * d[a], s->K + k * s->n, 1, s->f, 1);
            s->beta[k] += step * d[a];
        }
    }
    *gained = wlab_svr_dual(s->q, s->beta, quad_of(s)) - before;
    if (!(*gained > 0)) {
        memcpy(s->beta, s->save, bytes);
        memcpy(s->f, s->save + s->n, bytes);
        *gained = 0;
    }
    return WL_OK;
}

/* ---- the solver ---- */

/* Restores 1'beta = 0: a row with enough distance to its bounds and its kink absorbs the rounding error of the sum. */
static void restore_sum(svr *s)
{
    double sum = 0;

    for (int64_t k = 0; k < s->n; k++)
        sum += s->beta[k];
    for (int64_t k = 0; k < s->n && sum != 0; k++)
        if (s->beta[k] != 0 && fabs(s->beta[k]) < s->q->C && fabs(s->beta[k] - sum) < s->q->C &&
            (s->beta[k] > 0) == (s->beta[k] - sum > 0)) {
            s->beta[k] -= sum;
            return;
        }
}

static void evaluate(svr *s, wlab_svr_result *r)
{
    cblas_dsymv(CblasRowMajor, CblasLower, (int)s->n, 1, s->K, (int)s->n, s->beta, 1, 0, s->f, 1);
    const double quad = quad_of(s);
    r->b = s->q->offset ? wlab_svr_best_offset(s->q, s->f, s->work) : 0;
    r->primal = 0.5 * quad + wlab_svr_loss(s->q, s->f, r->b);
    r->dual = wlab_svr_dual(s->q, s->beta, quad);
}

wlab_code wlab_svr_solve(const wlab_svr_problem *q, const double *K, double tol, int64_t most, double *beta,
                         double *f, wlab_svr_result *r, wlab_ctx *ctx, wlab_err *err)
{
    static const char stopped[] = "interrupted in the support vector regression";
    const size_t n = (size_t)q->n;
    const int64_t each = wlab_look_every(8 * q->n); /* the entries of K's diagonal are far from each other */
    wlab_code code = WL_OK;
    svr s = {.q = q, .K = K, .n = q->n, .beta = beta, .f = f};
    bool more = true;
    wlab_progress progress;

    s.work = wlab_alloc(2 * n, sizeof *s.work);
    s.save = wlab_alloc(2 * n, sizeof *s.save);
    s.free = wlab_alloc(n, sizeof *s.free);
    if (!s.work || !s.save || !s.free)
        code = wlab_nomem(err);
    else
        evaluate(&s, r);
    r->work = 0;
    if (!code && !(isfinite(r->primal) && isfinite(r->dual)))
        code = wlab_fail(err, WL_ENUMERIC, "%s", wlab_svm_not_finite);
    wlab_progress_begin(&progress, ctx, "SVR updates", 0);
    while (!code && more && r->primal - r->dual > tol * r->primal && (most == 0 || r->work < most)) {
        const double was = r->dual;
        int64_t todo = q->n > CHECK ? q->n : CHECK;

        if (wlab_interrupted(ctx)) {
            code = wlab_fail(err, WL_EINTERRUPTED, "%s", stopped);
            break;
        }
        for (; more && todo > 0; todo--, r->work++) {
            more = update(&s);
            if (todo % each != 0)
                continue;
            wlab_progress_add(&progress, 0);
            if (wlab_interrupted(ctx)) {
                code = wlab_fail(err, WL_EINTERRUPTED, "%s", stopped);
                goto out;
            }
        }
        wlab_progress_add(&progress, q->n > CHECK ? q->n : CHECK);
        double gained = 1;
        for (int turn = 0; !code && turn < NEWTON_ROUNDS && gained > 0; turn++) {
            code = newton(&s, &gained, ctx, err);
            wlab_progress_add(&progress, 0);
        }
        if (q->offset)
            restore_sum(&s);
        evaluate(&s, r);
        more = more || r->dual > was; /* Newton steps can make updates possible again */
        if (!(r->dual > was))         /* as exact as doubles allow */
            more = false;
    }
out:
    wlab_free(s.work);
    wlab_free(s.save);
    wlab_free(s.free);
    wlab_free(s.A);
    return code;
}

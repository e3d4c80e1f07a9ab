/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The hinge loss with two costs per row.  The dual has alpha+ in [0, pos], alpha- in [0, neg] and
 * beta = alpha+ - alpha-; for a net beta the best alpha+ + alpha- is min(2 pos - beta, 2 neg + beta) = pos + neg -
 * |beta - kink| with kink = pos - neg.  So the dual is
 *
 *     max over -neg_i <= beta_i <= pos_i of  sum_i (pos_i + neg_i - |beta_i - kink_i|) - 1/(2 lambda) beta'K beta,
 *
 * and one variable's step is a soft threshold.  Steps of one variable, the one with the largest gain, are fast unless
 * the kernel matrix is ill-conditioned.  In that case proximal steps follow.  With a term
 * -sum_i (beta_i - c_i)^2 / (2 sigma_i), sigma_i = sigma (pos_i + neg_i), around the present point c, the problem in
 * the outputs f is smooth and piecewise quadratic,
 *
 *     min over f of 1/2 ||f||^2 + sum_i e_i(f_i),  -e_i'(f_i) = P_i(c_i - sigma_i f_i),
 *
 * where P applies the soft threshold and the box.  Newton's method with an exact line search converges after a few
 * factorisations of (K + Diag(lambda / sigma_i))_FF, F the rows strictly inside a piece of P.  For sigma -> infinity
 * this becomes the problem itself.
 *
 * Margins a, c and a tilt t of a row's own: f = K (beta - t) / lambda, the slope of the dual's linear part is a_i below the
 * kink and -c_i beyond it, in place of 1 and -1, and the threshold of a step is theirs.  The tilt enters in f only.
 */
#include "solve/svm/smo.h"
#include "base/progress.h"
#include "linalg/symmetric.h"
#include "solve/root.h"
#include "solve/svm/boxqp.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

typedef struct smo {
    const double *K, *pos, *neg;
    const double *a, *c; /* [n] margins, 1 unless given */
    const double *t;     /* [n] tilt; NULL: 0 */
    int64_t n;
    double lambda;
    double *beta, *f;
    int64_t updates, counted; /* counted: those in `progress` */
    bool stopped;             /* an interrupt was requested */
    wlab_progress progress;
    /* workspace */
    double *kink; /* [n] pos - neg */
    double *h;    /* [n] K_ii / lambda */
    double sigma;
    double *center;   /* [n] c of a proximal step */
    double *at;       /* [n] P(c - sigma f) */
    double *gamma;    /* [n] coefficients of f inside a proximal step */
    double *sums;     /* [wlab_symmetric_sums(n)] */
    double *s, *e;    /* [n] a Newton step: change of gamma or beta, and of f (times lambda for beta) */
    double *delta;    /* [n] lambda / sigma_i; a direction */
    double *side;     /* [n] the piece on which a free variable moves: 1 below the kink, -1 beyond it */
    double *shifted;  /* [n] coefficients minus t */
    double *ones;     /* [n] 1: margins that were not given */
    int32_t *active;  /* [n] */
    int8_t *piece;    /* [n] */
    double *best;     /* [n] beta of the highest dual value */
    double *A;        /* [free x free] */
    int64_t capacity; /* variables for which A has space */
} smo;

/* Rounds `to` to a bound or kink of beta_i that is very close: rounding must not leave a small remainder. */
static double snap(const smo *q, int64_t i, double to)
{
    double lo = -q->neg[i], hi = q->pos[i], sliver = 1e-15 * (hi - lo);
    return to <= lo + sliver                 ? lo
           : to >= hi - sliver               ? hi
           : fabs(to - q->kink[i]) <= sliver ? q->kink[i]
                                             : to;
}

static bool check_interrupt(smo *q, const wlab_ctx *ctx)
{
    wlab_progress_add(&q->progress, q->updates - q->counted);
    q->counted = q->updates;
    q->stopped = q->stopped || wlab_interrupted(ctx);
    return q->stopped;
}

/* out = K (v - t). */
static void outputs_of(smo *q, const double *v, double *out, wlab_pool *pool)
{
    for (int64_t i = 0; q->t && i < q->n; i++)
        q->shifted[i] = v[i] - q->t[i];
    wlab_symmetric_mul(q->K, q->n, q->t ? q->shifted : v, out, q->sums, pool);
}

/* f = K (beta - t) / lambda. */
static void recompute(smo *q, wlab_pool *pool)
{
    outputs_of(q, q->beta, q->f, pool);
    for (int64_t i = 0; i < q->n; i++)
        q->f[i] /= q->lambda;
}

/* primal - dual as a sum of terms that are never negative. */
static double measure(const smo *q, double *dual)
{
    double gap = 0, sum = 0;
    for (int64_t i = 0; i < q->n; i++) {
        double b = q->beta[i], up = q->a[i] - q->f[i], down = q->c[i] + q->f[i];
        bool low = b < q->kink[i];
        double plus = low ? q->neg[i] + b : q->pos[i], minus = low ? q->neg[i] : q->pos[i] - b;
        gap += up > 0 ? (low ? (q->kink[i] - b) * up : 0) : -plus * up;
        gap += down > 0 ? (low ? 0 : (b - q->kink[i]) * down) : -minus * down;
        sum += q->a[i] * plus + q->c[i] * minus - 0.5 * (q->t ? b - q->t[i] : b) * q->f[i];
    }
    *dual = sum;
    return gap;
}

/* What eps is relative to: the primal value without the tilt's part, which may be negative. */
static double scale_of(const smo *q, double primal)
{
    for (int64_t i = 0; q->t && i < q->n; i++)
        primal -= q->t[i] * q->f[i];
    return primal;
}

/* The best value of beta_i with all others fixed, and the increase of the dual in *gain. */
static double best_alone(const smo *q, int64_t i, double *gain)
{
    double h = q->h[i], b = q->beta[i], f = q->f[i], kink = q->kink[i], to = kink, up = q->a[i],
           down = q->c[i];
    if (h > 0) {
        double least = b - (down + f) / h, most = b + (up - f) / h;
        to = kink < least ? least : kink > most ? most : kink;
    } else { /* f_i is 0 whatever beta is */
        to = up < 0 ? -q->neg[i] : down < 0 ? q->pos[i] : kink;
    }
    to = snap(q, i, to);
    double step = to - b;
    /* on one piece the change of |beta - kink| is the step: no cancellation if the kink is far */
    double linear = b <= kink && to <= kink   ? up * step
                    : b >= kink && to >= kink ? -down * step
                    : b < kink                ? up * (kink - b) - down * (to - kink)
                                              : down * (b - kink) - up * (kink - to);
    *gain = linear - step * (f + 0.5 * h * step);
    return to;
}

static bool inside(const smo *q, int64_t i)
{
    double b = q->beta[i];
    return b > -q->neg[i] && b < q->pos[i] && b != q->kink[i];
}

/* Up to `most` steps of one variable each, among the variables that had a gain at the start; fewer after an interrupt.
 * Ties: the lowest row. */
static void ascend(smo *q, int64_t most, const wlab_ctx *ctx)
{
    const int64_t each = wlab_look_every(4 * q->n);
    int64_t m = 0;
    double gain;
    for (int64_t i = 0; i < q->n; i++) {
        best_alone(q, i, &gain);
        if (gain > 0 || inside(q, i))
            q->active[m++] = (int32_t)i;
    }
    for (int64_t k = 0; k < most; k++) {
        int64_t best = -1;
        double top = 0, to = 0;
        if (k % each == each - 1 && check_interrupt(q, ctx))
            return;
        for (int64_t a = 0; a < m; a++) {
            double at = best_alone(q, q->active[a], &gain);
            if (gain > top)
                top = gain, best = q->active[a], to = at;
        }
        if (best < 0)
            return;
        cblas_daxpy((int)q->n, (to - q->beta[best]) / q->lambda, q->K + best * q->n, 1, q->f, 1);
        q->beta[best] = to;
        q->updates++;
    }
}

/* The Cholesky factor of (K + Diag(delta)) at the first m of `active`, into A; or q->stopped. */
static wlab_code factor(smo *q, const double *delta, int64_t m, wlab_ctx *ctx, wlab_err *err)
{
    if (m > q->capacity) {
        q->A = wlab_free(q->A);
        q->capacity = 0;
        if (!(q->A = wlab_alloc((size_t)(m * m), sizeof *q->A)))
            return wlab_nomem(err);
        q->capacity = m;
    }
    const wlab_code code = wlab_boxqp_factor(q->K, q->n, delta, q->active, m, q->A, ctx, err);
    q->stopped = q->stopped || code == WL_EINTERRUPTED;
    return code == WL_EINTERRUPTED ? WL_OK : code;
}

/* The piece on which variable i can move, 1 below the kink and -1 beyond it, or 0 if it is fixed. */
static double side_of(const smo *q, int64_t i, bool face)
{
    double b = q->beta[i], f = q->f[i], kink = q->kink[i], lo = -q->neg[i], hi = q->pos[i];
    if (inside(q, i))
        return b < kink ? 1 : -1;
    if (face || lo == hi)
        return 0;
    const double up = q->a[i], down = -q->c[i];
    if (b == kink && (f > up || f < down))
        return f > up ? (kink > lo ? 1 : 0) : (kink < hi ? -1 : 0);
    return b == lo && b < kink && f < up ? 1 : b == hi && b > kink && f > down ? -1 : 0;
}

/* The dual's derivative on the piece on which variable i moves. */
static double slope_of(const smo *q, int64_t i)
{
    return (q->side[i] > 0 ? q->a[i] : -q->c[i]) - q->f[i];
}

static double piece_top(const smo *q, int64_t i)
{
    return q->side[i] > 0 ? q->kink[i] : q->pos[i];
}

static double piece_bottom(const smo *q, int64_t i)
{
    return q->side[i] > 0 ? -q->neg[i] : q->kink[i];
}

/* The direction times `scale`, clipped to the pieces, into s, and K s into e; returns its gain. */
static double try_step(smo *q, int64_t m, double scale, wlab_pool *pool)
{
    double gain = 0;
    memset(q->s, 0, (size_t)q->n * sizeof *q->s);
    for (int64_t a = 0; a < m; a++) {
        int64_t i = q->active[a];
        double to = q->beta[i] + scale * q->delta[a], top = piece_top(q, i), bottom = piece_bottom(q, i);
        q->s[i] = (to < bottom ? bottom : to > top ? top : to) - q->beta[i];
        gain += q->s[i] * slope_of(q, i);
    }
    wlab_symmetric_mul(q->K, q->n, q->s, q->e, q->sums, pool);
    return gain - 0.5 * cblas_ddot((int)q->n, q->s, 1, q->e, 1) / q->lambda;
}

/* One Newton step on the free variables, clipped to their pieces; if that gains less, the step is cut where the first
 * variable reaches the end of its piece.  face: only variables inside a piece; else also those at an end whose gradient
 * points into a piece. */
static wlab_code newton_step(smo *q, bool face, double *gained, wlab_ctx *ctx, wlab_err *err)
{
    wlab_pool *pool = ctx ? ctx->pool : NULL;
    int64_t m = 0;
    *gained = 0;
    for (int64_t i = 0; i < q->n; i++) {
        q->side[i] = side_of(q, i, face);
        if (q->side[i] != 0)
            q->active[m++] = (int32_t)i;
    }
    if (m == 0)
        return WL_OK;
    wlab_code code = factor(q, NULL, m, ctx, err);
    if (code || q->stopped)
        return code;
    double *d = q->delta, t = 1, slope = 0, gain = 0;
    for (int64_t a = 0; a < m; a++)
        d[a] = q->lambda * slope_of(q, q->active[a]);
    LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', (lapack_int)m, 1, q->A, (lapack_int)m, d, (lapack_int)m);
    for (int64_t a = 0; a < m; a++) {
        int64_t i = q->active[a];
        double distance = fabs((d[a] > 0 ? piece_top(q, i) : piece_bottom(q, i)) - q->beta[i]);
        slope += d[a] * slope_of(q, i);
        if (fabs(d[a]) * t > distance)
            t = distance / fabs(d[a]);
    }
    if (t < 1) {
        gain = try_step(q, m, 1, pool);
        if (!(gain > (t - 0.5 * t * t) * slope))
            gain = try_step(q, m, t, pool);
    } else {
        gain = try_step(q, m, 1, pool);
    }
    if (!(gain > 0))
        return WL_OK;
    for (int64_t a = 0; a < m; a++) {
        int64_t i = q->active[a];
        q->beta[i] = snap(q, i, q->beta[i] + q->s[i]);
    }
    for (int64_t i = 0; i < q->n; i++)
        q->f[i] += q->e[i] / q->lambda;
    q->updates += m;
    *gained = gain;
    return WL_OK;
}

/* Newton steps until the gap is within `eps` or a step no longer increases the dual; at most `most`. */
static wlab_code newton_steps(smo *q, bool face, double eps, int64_t most, wlab_ctx *ctx, wlab_err *err)
{
    for (int64_t k = 0; k < most && !check_interrupt(q, ctx); k++) {
        double dual, gained, gap = measure(q, &dual);
        if (gap <= eps * scale_of(q, dual + gap))
            break;
        wlab_code code = newton_step(q, face, &gained, ctx, err);
        if (code)
            return code;
        if (!(gained > 1e-16 * fabs(dual)))
            break;
    }
    return WL_OK;
}

/* P_i(c_i - sigma_i f); piece: 1 or -1 strictly inside one, where its slope in f is -sigma_i, else 0. */
static double proximal(const smo *q, int64_t i, double f, int *piece)
{
    double sigma = q->sigma * (q->pos[i] + q->neg[i]);
    double v = q->center[i] - sigma * f, kink = q->kink[i], lo = -q->neg[i], hi = q->pos[i];
    double least = v - sigma * q->c[i], most = v + sigma * q->a[i];
    double to = kink < least ? least : kink > most ? most : kink;
    *piece = to <= lo || to >= hi ? 0 : to < kink ? -1 : to > kink;
    return to < lo ? lo : to > hi ? hi : to;
}

/* phi'(t) = sum_i e_i (gamma_i + t s_i - P_i(c_i - sigma_i (f_i + t e_i))), increasing and piecewise linear. */
static double slope_at(void *data, double t, double *curve)
{
    const smo *q = data;
    double slope = 0;
    *curve = 0;
    for (int64_t i = 0; i < q->n; i++) {
        int piece;
        double e = q->e[i], p = proximal(q, i, q->f[i] + t * e, &piece);
        slope += e * (q->gamma[i] + t * q->s[i] - p);
        *curve += e * (q->s[i] + (piece ? q->sigma * (q->pos[i] + q->neg[i]) * e : 0));
    }
    return slope;
}

/* One proximal step from beta, by Newton's method on f.  beta out: the coefficients of the last f, in their box.
 * *ended: beta is the optimum of the step's own problem. */
static wlab_code proximal_step(smo *q, bool *ended, wlab_ctx *ctx, wlab_err *err)
{
    enum {
        NEWTONS = 30
    };
    wlab_pool *pool = ctx ? ctx->pool : NULL;
    wlab_ctx whole = {
        .pool = pool}; /* the first iteration is not interrupted: there is nothing to keep before it */
    size_t bytes = (size_t)q->n * sizeof(double);
    memcpy(q->center, q->beta, bytes);
    memcpy(q->gamma, q->beta, bytes);
    for (int64_t i = 0; i < q->n; i++)
        q->delta[i] = q->lambda / (q->sigma * (q->pos[i] + q->neg[i]));
    double t = 0;
    for (int k = 0;; k++) {
        int64_t m = 0;
        int piece;
        bool same = k > 0 && fabs(t - 1) < 1e-6;
        for (int64_t i = 0; i < q->n; i++) {
            q->at[i] = proximal(q, i, q->f[i], &piece);
            same = same && piece == q->piece[i];
            q->piece[i] = (int8_t)piece;
            if (piece)
                q->active[m++] = (int32_t)i;
        }
        *ended = same; /* the solved linear system belongs to this point's pieces */
        if (same || k == NEWTONS || (k > 0 && check_interrupt(q, ctx)))
            break;
        /* the Newton point is `at`, but `at` + d on the free rows F, where
         * (K + Diag(lambda / sigma_i))_FF d = (lambda f - K (`at` - t))_F */
        outputs_of(q, q->at, q->e, pool);
        wlab_code code = m > 0 ? factor(q, q->delta, m, k > 0 ? ctx : &whole, err) : WL_OK;
        if (code)
            return code;
        if (q->stopped)
            break;
        for (int64_t a = 0; a < m; a++)
            q->s[a] = q->lambda * q->f[q->active[a]] - q->e[q->active[a]];
        if (m > 0)
            LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', (lapack_int)m, 1, q->A, (lapack_int)m, q->s,
                                (lapack_int)m);
        for (int64_t a = 0; a < m; a++)
            q->at[q->active[a]] += q->s[a];
        outputs_of(q, q->at, q->e, pool);
        for (int64_t i = 0; i < q->n; i++) {
            q->e[i] = q->e[i] / q->lambda - q->f[i];
            q->s[i] = q->at[i] - q->gamma[i];
        }
        t = wlab_rising_root(slope_at, q);
        for (int64_t i = 0; i < q->n; i++) {
            q->gamma[i] += t * q->s[i];
            q->f[i] += t * q->e[i];
        }
        q->updates += m;
    }
    for (int64_t i = 0; i < q->n; i++)
        q->beta[i] = snap(q, i, q->piece[i] ? q->gamma[i] : q->at[i]);
    return WL_OK;
}

/* Refuses a diagonal that no kernel matrix has and costs that are not allowed; clips beta into its box. */
static wlab_code prepare(smo *q, wlab_err *err)
{
    for (int64_t i = 0; i < q->n; i++) {
        double h = q->h[i] = q->K[i * q->n + i] / q->lambda;
        if (!isfinite(h) || !isfinite(q->pos[i]) || !isfinite(q->neg[i]) || !isfinite(q->a[i] + q->c[i]) ||
            (q->t && !isfinite(q->t[i])))
            return wlab_fail(err, WL_ENUMERIC, "%s", wlab_svm_not_finite);
        if (h < 0)
            return wlab_fail(err, WL_ENUMERIC, "%s", wlab_svm_not_psd);
        if (q->pos[i] < 0 || q->neg[i] < 0)
            return wlab_fail(err, WL_EARG, "the costs of row %lld are negative", (long long)i + 1);
        if (q->a[i] + q->c[i] < 0)
            return wlab_fail(err, WL_EARG, "the margins of row %lld have a negative sum", (long long)i + 1);
        q->kink[i] = q->pos[i] - q->neg[i];
        q->beta[i] = snap(q, i, q->beta[i] > -q->neg[i] ? q->beta[i] : -q->neg[i]);
    }
    return WL_OK;
}

wlab_code wlab_smo_solve(const double *K, int64_t n, double lambda, const double *pos, const double *neg,
                         double eps, int64_t max_updates, double *beta, double *f, wlab_smo_result *result,
                         wlab_ctx *ctx, wlab_err *err)
{
    return wlab_smo_tilted(K, n, lambda, pos, neg, &(wlab_smo_shape){0}, eps, max_updates, beta, f, result,
                           ctx, err);
}

wlab_code wlab_smo_tilted(const double *K, int64_t n, double lambda, const double *pos, const double *neg,
                          const wlab_smo_shape *shape, double eps, int64_t max_updates, double *beta,
                          double *f, wlab_smo_result *result, wlab_ctx *ctx, wlab_err *err)
{
    enum {
        EASY = 3,   /* rounds without proximal steps */
        IDLE = 4,   /* rounds in a row without progress: as exact as doubles allow */
        CRAWL = 20, /* rounds that together gain less than a hundredth of the gap: rounding prevents more */
        NEWTONS = 12
    };
    smo q = {.K = K, .pos = pos, .neg = neg, .n = n, .lambda = lambda, .beta = beta, .f = f};
    wlab_pool *pool = ctx ? ctx->pool : NULL;
    wlab_code code = WL_OK;
    double *work = wlab_alloc((size_t)(12 * n + wlab_symmetric_sums(n)), sizeof *work), dual = 0, gap = 0;
    q.active = wlab_alloc((size_t)n, sizeof *q.active);
    q.piece = wlab_alloc((size_t)n, 1);
    if (!work || !q.active || !q.piece) {
        code = wlab_nomem(err);
        goto out;
    }
    double **part[] = {&q.kink, &q.h,     &q.center, &q.at,   &q.gamma,   &q.s,
                       &q.e,    &q.delta, &q.side,   &q.best, &q.shifted, &q.ones};
    for (size_t k = 0; k < sizeof part / sizeof *part; k++)
        *part[k] = work + (int64_t)k * n;
    q.sums = work + 12 * n;
    for (int64_t i = 0; i < n; i++)
        q.ones[i] = 1;
    q.a = shape->a ? shape->a : q.ones;
    q.c = shape->c ? shape->c : q.ones;
    q.t = shape->t;
    if ((code = prepare(&q, err)))
        goto out;
    recompute(&q, pool);
    wlab_progress_begin(&q.progress, ctx, "SMO updates", 0);
    double least = HUGE_VAL, highest = -HUGE_VAL,
           mark = -HUGE_VAL; /* mark: dual value at which `crawl` started */
    q.sigma = 1;             /* a change of 1 in the output moves beta across its box */
    for (int round = 0, idle = 0, crawl = 0;; round++) {
        /* round 0 only certifies the start */
        int64_t before = q.updates, batch = round == 1 ? 2 * n + 10 : n / 10 + 10;
        bool ended = false;
        if (round > 0) {
            ascend(&q, max_updates > 0 && max_updates - before < batch ? max_updates - before : batch, ctx);
            if (round > EASY && !q.stopped && (code = proximal_step(&q, &ended, ctx, err)))
                goto out;
            if (!(code = newton_steps(&q, false, eps, NEWTONS, ctx, err)) && round >= EASY)
                code = newton_steps(&q, true, eps, least < 1e-4 * fabs(highest) ? n + 10 : 3, ctx, err);
            if (code)
                goto out;
            recompute(&q, pool); /* updates accumulate rounding errors: certify with fresh outputs */
        }
        gap = measure(&q, &dual);
        if (!isfinite(gap) || !isfinite(dual)) {
            code = wlab_fail(err, WL_ENUMERIC, "%s", wlab_svm_not_finite);
            goto out;
        }
        /* sigma grows until rounding errors, which it multiplies, exceed the gain of a step */
        if (round > 1 && dual < highest && !(gap < least)) {
            memcpy(beta, q.best, (size_t)n * sizeof *beta);
            recompute(&q, pool);
            gap = measure(&q, &dual);
            q.sigma /= 10;
        } else {
            memcpy(q.best, beta, (size_t)n * sizeof *beta);
            q.sigma *= ended ? 10 : 1;
        }
        idle = gap < 0.9 * least || dual - highest > 1e-15 * fabs(dual) ? 0 : idle + 1;
        if (gap < 0.9 * least || dual - mark > 0.01 * least)
            crawl = 0, mark = dual;
        else
            crawl++;
        least = gap < least ? gap : least;
        highest = dual > highest ? dual : highest;
        if (gap <= eps * scale_of(&q, dual + gap) || idle > IDLE || crawl > CRAWL ||
            (max_updates > 0 && q.updates >= max_updates) || (round > 0 && check_interrupt(&q, ctx)))
            break; /* the result reports the remaining gap */
    }
    *result =
        (wlab_smo_result){.primal = dual + gap, .dual = dual, .updates = q.updates, .stopped = q.stopped};
out:
    wlab_free(work);
    wlab_free(q.active);
    wlab_free(q.piece);
    wlab_free(q.A);
    return code;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The master problem by a primal-dual interior-point method in alpha and mu together:
 *     max theta   such that   theta <= G(alpha, y_t) for all t,   0 <= alpha <= upper.
 * Newton's method on mu alone assumes that the SVM at mu has a single solution.  If it has many (for example with a
 * linear kernel and equal rows), J(mu) has kinks, and only one of the solutions alpha closes the gap of the master.
 * This method finds it.
 */
#include "algo/wellsvm/wellsvm.h"
#include "solve/svm/boxqp_thin.h"

#include <cblas.h>
#include <lapacke.h>
#include <string.h>

enum {
    ITERATIONS = 80
};

typedef struct interior {
    wellsvm *s;
    int64_t m, T;
    double *alpha, *z, *v; /* [m], multipliers of alpha >= 0 and alpha <= upper */
    double *mu, *slack;    /* [T] */
    double theta;
    double *g;                       /* [T x m] gradients of G(., y_t) */
    double *G;                       /* [T] */
    double *H;                       /* [m x m]; NULL if thin */
    wlab_thin thin;                  /* replaces H if thin */
    double *F;                       /* Q_mu = F F' */
    double *R;                       /* [(T + 1) x m] H^-1 times the right-hand sides */
    double *S, *rhs;                 /* [(T + 1)^2], [T + 1] */
    double *da, *dz, *dv, *dmu, *ds; /* steps */
    double *pure;                    /* [m] */
} interior;

static bool bounded(const interior *p, int64_t i)
{
    return isfinite(p->s->upper[i]);
}

static double upper_slack(const interior *p, int64_t i)
{
    return p->s->upper[i] - p->alpha[i];
}

/* G(alpha, y_t) in the box QP's scale, and its gradients 1 - (Q_t + Diag(delta)) alpha. */
static wlab_code evaluate(interior *p, const double *alpha, double *G, double *g, wlab_ctx *ctx,
                          wlab_err *err)
{
    wellsvm *s = p->s;
    const int32_t *example = s->p->example;
    double *all = NULL, q; /* all: the products of all labelings at once, on bags */
    wlab_code code = WL_OK;
    if (!well_one_to_one(s)) {
        all = wlab_alloc((size_t)(p->T * s->n), sizeof *all);
        code = all ? well_products(s, alpha, s->y, p->T, all, G, ctx, err) : wlab_nomem(err);
    }
    for (int64_t t = 0; t < p->T && !code; t++) {
        const int8_t *y = well_labeling(s, t);
        if (!all && (code = well_quadratic(s, alpha, y, &q, ctx, err)))
            break;
        const double *kb = all ? all + t * s->n : s->kb;
        double sum = 0, *gt = g + t * p->m;
        for (int64_t i = 0; i < p->m; i++)
            gt[i] = 1 - (s->delta ? s->delta[i] * alpha[i] : 0);
        for (int64_t k = 0; k < s->n; k++)
            gt[example[k]] -= y[k] * kb[k];
        for (int64_t i = 0; i < p->m; i++)
            sum += alpha[i] * (1 + gt[i]);
        G[t] = sum / 2;
    }
    wlab_free(all);
    return code;
}

/* The certified gap P(mu, alpha) - min_t G(alpha, y_t).  *value = sum_t mu_t G. */
static double certified_gap(const interior *p, const double *alpha, const double *mu, const double *G,
                            const double *g, double *value)
{
    double least = HUGE_VAL, *gmu = p->da; /* p->da is unused at this time */
    memset(gmu, 0, (size_t)p->m * sizeof *gmu);
    *value = 0;
    for (int64_t t = 0; t < p->T; t++) {
        least = G[t] < least ? G[t] : least;
        *value += mu[t] * G[t];
        cblas_daxpy((int)p->m, mu[t], g + t * p->m, 1, gmu, 1);
    }
    return *value - least + wlab_boxqp_gap(p->m, p->s->delta, p->s->upper, alpha, gmu);
}

static double complementarity(const interior *p, int64_t *pairs)
{
    double sum = 0;
    *pairs = p->T;
    for (int64_t t = 0; t < p->T; t++)
        sum += p->mu[t] * p->slack[t];
    for (int64_t i = 0; i < p->m; i++) {
        if (p->s->upper[i] == 0)
            continue;
        sum += p->alpha[i] * p->z[i];
        ++*pairs;
        if (bounded(p, i)) {
            sum += upper_slack(p, i) * p->v[i];
            ++*pairs;
        }
    }
    return sum;
}

static wlab_code factor_thin(interior *p, wlab_err *err)
{
    const wellsvm *s = p->s;
    double *F;
    int64_t r;
    wlab_code code = well_thin_form(s, s->y, p->T, p->mu, &F, &r, err);
    wlab_thin_clear(&p->thin);
    wlab_free(p->F);
    p->F = F;
    if (code || (code = wlab_thin_create(&p->thin, F, p->m, r, err)))
        return code;
    for (int64_t i = 0; i < p->m; i++)
        p->thin.d[i] = s->upper[i] == 0 ? HUGE_VAL
                                        : (s->delta ? s->delta[i] : 0) + p->z[i] / p->alpha[i] +
                                              (bounded(p, i) ? p->v[i] / upper_slack(p, i) : 0);
    return wlab_thin_factor(&p->thin);
}

/* Factors H.  Returns WL_ENUMERIC if H is not positive definite, because of rounding: the current point is then as
 * exact as doubles allow, and the caller keeps it. */
static wlab_code factor(interior *p, wlab_ctx *ctx, wlab_err *err)
{
    wellsvm *s = p->s;
    int64_t m = p->m;
    if (s->thin)
        return factor_thin(p, err);
    wlab_code code = well_form_Q(s, s->y, p->T, p->mu, ctx, err);
    if (code)
        return code;
    memcpy(p->H, s->Q, (size_t)(m * m) * sizeof *p->H);
    for (int64_t i = 0; i < m; i++) {
        double *h = &p->H[i * m + i];
        if (s->upper[i] == 0) { /* left out */
            for (int64_t j = 0; j < m; j++)
                p->H[i * m + j] = p->H[j * m + i] = 0;
            *h = 1;
            continue;
        }
        *h += (s->delta ? s->delta[i] : 0) + p->z[i] / p->alpha[i];
        if (bounded(p, i))
            *h += p->v[i] / upper_slack(p, i);
        *h *= 1 + 1e-15;
    }
    return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)m, p->H, (lapack_int)m) ? WL_ENUMERIC
                                                                                          : WL_OK;
}

/* The Newton step towards complementarity tau; `correct`: with the second-order terms of the predictor step. */
static wlab_code newton(interior *p, double tau, bool correct, wlab_err *err)
{
    wellsvm *s = p->s;
    int64_t m = p->m, T = p->T, B = T + 1;
    double *r = p->R + T * m;
    memset(r, 0, (size_t)m * sizeof *r);
    for (int64_t t = 0; t < T; t++) {
        memcpy(p->R + t * m, p->g + t * m, (size_t)m * sizeof *r);
        cblas_daxpy((int)m, p->mu[t], p->g + t * m, 1, r, 1);
    }
    for (int64_t i = 0; i < m; i++) {
        if (s->upper[i] == 0) {
            for (int64_t t = 0; t <= T; t++)
                p->R[t * m + i] = 0;
            continue;
        }
        double cz = correct ? p->da[i] * p->dz[i] : 0;
        r[i] += (tau - cz) / p->alpha[i];
        if (bounded(p, i)) {
            double cv = correct ? -p->da[i] * p->dv[i] : 0;
            r[i] -= (tau - cv) / upper_slack(p, i);
        }
    }
    for (int64_t t = 0; t < T; t++) {
        double cs = correct ? p->dmu[t] * p->ds[t] : 0;
        p->rhs[t] = (tau - cs) / p->mu[t] - (p->G[t] - p->theta);
    }
    for (int64_t t = 0; t < B && s->thin; t++)
        wlab_thin_apply(&p->thin, p->R + t * m);
    if (!s->thin && LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', (lapack_int)m, (lapack_int)B, p->H,
                                        (lapack_int)m, p->R, (lapack_int)m))
        return WL_ENUMERIC;
    /* [ g H^-1 g' + slack/mu   -1 ] [dmu]   [c - g H^-1 r]
       [        1'               0 ] [dth] = [1 - 1'mu    ] */
    double mass = 1;
    for (int64_t t = 0; t < T; t++) {
        const double *gt = p->g + t * m;
        for (int64_t u = 0; u < T; u++) {
            double x = 0;
            const double *hu = p->R + u * m;
            for (int64_t i = 0; i < m; i++)
                x += s->upper[i] == 0 ? 0 : gt[i] * hu[i];
            p->S[t * B + u] = x;
        }
        p->S[t * B + t] += p->slack[t] / p->mu[t];
        p->S[t * B + T] = -1;
        p->S[T * B + t] = 1;
        double x = 0;
        for (int64_t i = 0; i < m; i++)
            x += s->upper[i] == 0 ? 0 : gt[i] * r[i];
        p->rhs[t] -= x;
        mass -= p->mu[t];
    }
    p->S[T * B + T] = 0;
    p->rhs[T] = mass;
    lapack_int *pivot = wlab_alloc((size_t)B, sizeof *pivot);
    if (!pivot)
        return wlab_nomem(err);
    lapack_int info =
        LAPACKE_dgesv_work(LAPACK_ROW_MAJOR, (lapack_int)B, 1, p->S, (lapack_int)B, pivot, p->rhs, 1);
    wlab_free(pivot);
    if (info)
        return WL_ENUMERIC;
    for (int64_t i = 0; i < m; i++) {
        double cz = correct ? p->da[i] * p->dz[i] : 0, cv = correct ? -p->da[i] * p->dv[i] : 0, d = r[i];
        if (s->upper[i] == 0) {
            p->da[i] = p->dz[i] = p->dv[i] = 0;
            continue;
        }
        for (int64_t t = 0; t < T; t++)
            d += p->rhs[t] * p->R[t * m + i];
        p->dz[i] = (tau - cz - p->z[i] * d) / p->alpha[i] - p->z[i];
        p->dv[i] = bounded(p, i) ? (tau - cv + p->v[i] * d) / upper_slack(p, i) - p->v[i] : 0;
        p->da[i] = d;
    }
    for (int64_t t = 0; t < T; t++) {
        double cs = correct ? p->dmu[t] * p->ds[t] : 0;
        p->ds[t] = (tau - cs - p->slack[t] * p->rhs[t]) / p->mu[t] - p->slack[t];
        p->dmu[t] = p->rhs[t];
    }
    return isfinite(p->rhs[T]) ? WL_OK : WL_ENUMERIC;
}

static double shorten(double x, double dx, double step)
{
    return dx < 0 && -x / dx < step ? -x / dx : step;
}

static double longest(const interior *p)
{
    double step = 1;
    for (int64_t i = 0; i < p->m; i++) {
        if (p->s->upper[i] == 0)
            continue;
        step = shorten(p->alpha[i], p->da[i], step);
        step = shorten(p->z[i], p->dz[i], step);
        if (bounded(p, i)) {
            step = shorten(upper_slack(p, i), -p->da[i], step);
            step = shorten(p->v[i], p->dv[i], step);
        }
    }
    for (int64_t t = 0; t < p->T; t++) {
        step = shorten(p->mu[t], p->dmu[t], step);
        step = shorten(p->slack[t], p->ds[t], step);
    }
    return step;
}

static void move(interior *p, double step)
{
    for (int64_t i = 0; i < p->m; i++) {
        p->alpha[i] += step * p->da[i];
        p->z[i] += step * p->dz[i];
        p->v[i] += step * p->dv[i];
    }
    for (int64_t t = 0; t < p->T; t++) {
        p->mu[t] += step * p->dmu[t];
        p->slack[t] += step * p->ds[t];
    }
    p->theta += step * p->rhs[p->T];
    well_normalise(p->mu, p->T); /* a bound computed from mu holds only if mu adds up to 1 */
}

/* Sets a starting point well inside the bounds, near the current point. */
static wlab_code start_inside(interior *p, wlab_ctx *ctx, wlab_err *err)
{
    wellsvm *s = p->s;
    double sum = 0, part = 0;
    for (int64_t i = 0; i < p->m; i++)
        if (s->upper[i] > 0) {
            sum += s->at.alpha[i];
            part += 1;
        }
    double mean = sum > 0 ? sum / part : 1;
    for (int64_t i = 0; i < p->m; i++) {
        double a = s->at.alpha[i], top = bounded(p, i) ? s->upper[i] : HUGE_VAL;
        double lo = bounded(p, i) ? 0.05 * top : 0.1 * mean;
        if (top == 0)
            a = 0;
        else if (a < lo)
            a = lo;
        else if (a > 0.95 * top)
            a = 0.95 * top;
        p->alpha[i] = a;
    }
    for (int64_t t = 0; t < p->T; t++)
        p->mu[t] = 0.8 * s->mu[t] + 0.2 / (double)p->T;
    wlab_code code = evaluate(p, p->alpha, p->G, p->g, ctx, err);
    if (code)
        return code;
    double least = HUGE_VAL, value;
    for (int64_t t = 0; t < p->T; t++)
        least = p->G[t] < least ? p->G[t] : least;
    double gap = certified_gap(p, p->alpha, p->mu, p->G, p->g, &value);
    double tau = gap / (2 * part + (double)p->T);
    for (int64_t i = 0; i < p->m; i++) {
        p->z[i] = s->upper[i] == 0 ? 0 : tau / p->alpha[i];
        p->v[i] = s->upper[i] == 0 || !bounded(p, i) ? 0 : tau / upper_slack(p, i);
    }
    double most = 0;
    for (int64_t t = 0; t < p->T; t++)
        most = p->mu[t] > most ? p->mu[t] : most;
    p->theta = least - tau / most;
    for (int64_t t = 0; t < p->T; t++)
        p->slack[t] = p->G[t] - p->theta;
    return WL_OK;
}

/* Sets variables to exactly 0 or their bound if their multipliers are large; keeps this only if the certified gap
 * remains small. */
static wlab_code purify(interior *p, double *gap, wlab_ctx *ctx, wlab_err *err)
{
    wellsvm *s = p->s;
    double *G = p->rhs, *g = p->R, *mu = p->S, value;
    memcpy(p->pure, p->alpha, (size_t)p->m * sizeof *p->pure);
    for (int64_t i = 0; i < p->m; i++) {
        if (s->upper[i] == 0)
            continue;
        if (p->z[i] > 1e3 * p->alpha[i])
            p->pure[i] = 0;
        else if (bounded(p, i) && p->v[i] > 1e3 * upper_slack(p, i))
            p->pure[i] = s->upper[i];
    }
    for (int64_t t = 0; t < p->T; t++) {
        mu[t] = p->slack[t] > 1e3 * p->mu[t] ? 0 : p->mu[t];
    }
    well_normalise(mu, p->T);
    wlab_code code = evaluate(p, p->pure, G, g, ctx, err);
    if (code)
        return code;
    double pure_gap = certified_gap(p, p->pure, mu, G, g, &value);
    if (pure_gap <= 2 * *gap || pure_gap <= 1e-12 * fabs(value)) {
        memcpy(p->alpha, p->pure, (size_t)p->m * sizeof *p->alpha);
        memcpy(p->mu, mu, (size_t)p->T * sizeof *p->mu);
        *gap = pure_gap;
    }
    return WL_OK;
}

wlab_code well_interior_solve(wellsvm *s, double tol, wlab_ctx *ctx, wlab_err *err)
{
    size_t m = (size_t)s->m, T = (size_t)s->T, B = T + 1;
    interior p = {.s = s, .m = s->m, .T = s->T};
    wlab_code code = WL_OK;
    double *vectors = wlab_calloc(7 * m, sizeof *vectors), *weights = wlab_calloc(5 * T, sizeof *weights);
    p.g = wlab_alloc(T * m, sizeof *p.g);
    p.H = s->thin ? NULL : wlab_alloc(m * m, sizeof *p.H);
    p.R = wlab_alloc(B * m, sizeof *p.R);
    p.S = wlab_alloc(B * B, sizeof *p.S);
    p.rhs = wlab_alloc(B, sizeof *p.rhs);
    if (!vectors || !weights || !p.g || (!s->thin && !p.H) || !p.R || !p.S || !p.rhs) {
        code = wlab_nomem(err);
        goto out;
    }
    p.alpha = vectors, p.z = vectors + m, p.v = vectors + 2 * m, p.da = vectors + 3 * m;
    p.dz = vectors + 4 * m, p.dv = vectors + 5 * m, p.pure = vectors + 6 * m;
    p.mu = weights, p.slack = weights + T, p.G = weights + 2 * T, p.dmu = weights + 3 * T,
    p.ds = weights + 4 * T;

    if ((code = start_inside(&p, ctx, err)))
        goto out;
    double gap = HUGE_VAL, value = 0;
    for (int k = 0; k < ITERATIONS; k++) {
        int64_t pairs;
        double before = gap;
        gap = certified_gap(&p, p.alpha, p.mu, p.G, p.g, &value);
        if (gap <= 0.1 * tol * fabs(value) || (k > 25 && gap > 0.999 * before))
            break;
        double mean = complementarity(&p, &pairs);
        mean /= (double)pairs;
        if ((code = factor(&p, ctx, err)) || (code = newton(&p, 0, false, err)))
            break;
        /* Mehrotra: the length of the predictor step determines the centring */
        double reach = longest(&p), keep = 1 - reach, sigma = keep * keep * keep;
        sigma = sigma < 1e-4 ? 1e-4 : sigma;
        if ((code = newton(&p, sigma * mean, true, err)))
            break;
        double step = longest(&p);
        move(&p, step < 1 ? 0.99 * step : 1);
        wlab_progress_add(s->progress, 1);
        if ((code = evaluate(&p, p.alpha, p.G, p.g, ctx, err)))
            goto out;
        if (wlab_interrupted(ctx)) {
            code = wlab_fail(err, WL_EINTERRUPTED, "interrupted");
            goto out;
        }
    }
    if (code && code != WL_ENUMERIC)
        goto out;
    code = WL_OK;
    gap = certified_gap(&p, p.alpha, p.mu, p.G, p.g, &value);
    if ((code = purify(&p, &gap, ctx, err)))
        goto out;
    /* keep this solution only if its gap is smaller than that of Newton's method on mu */
    double have = s->master_gap + s->inner_gap;
    double at_value = s->loss == WELL_SUM_TO_ONE ? 1 / (4 * value * value) : 1; /* dG/dJ of -1/(4J) */
    if (isfinite(gap) && gap * at_value < have) {
        memcpy(s->at.alpha, p.alpha, m * sizeof *p.alpha);
        memcpy(s->mu, p.mu, T * sizeof *p.mu);
        s->evaluated = false;
    }
out:
    wlab_free(vectors);
    wlab_free(weights);
    wlab_free(p.g);
    wlab_free(p.H);
    wlab_free(p.F);
    wlab_thin_clear(&p.thin);
    wlab_free(p.R);
    wlab_free(p.S);
    wlab_free(p.rhs);
    return code;
}

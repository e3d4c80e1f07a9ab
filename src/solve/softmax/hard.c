/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The M-step with hard constraints (Eq. 7): two classes, t_n = (w_1 - w_0)'x_n + b_1 - b_0 = u'x_n + c,
 *
 *     min over u, c of  sum_n pi_n (log(1 + exp t_n) - z_n1 t_n) + lambda/8 ||u||^2   with t_n <= 0 for the hard
 * rows,
 *
 * by a primal-dual interior point method whose iterates are strictly feasible.  The direction is the Newton direction
 * of the barrier problem at tau, with multipliers mu_n instead of tau / -t_n in its matrix; a line search on the
 * barrier function follows.  The dual point is the softmax q of (u, c) and mu, with q moved to a q' that satisfies
 * sum pi (q' - z_1) + sum mu = 0.  There, primal minus dual is
 *
 *     sum_n pi_n KL(q'_n || q_n) + sum_n mu_n (-t_n) + 2/lambda || sum_n (pi_n (q'_n - z_n1) + mu_n) x_n + lambda/4 u
 * ||^2. */
#include "base/progress.h"
#include "linalg/cholesky.h"
#include "solve/softmax/parts.h"

#include <cblas.h>
#include <string.h>

enum {
    MOST = 300
};

typedef struct inner {
    const wlab_em *e;
    wlab_ctx *ctx;
    int64_t n, d, m; /* m hard rows */
    double kappa;    /* lambda / 4 */
    double tau;
    double *x, *dx, *grad; /* [d + 1] u and c */
    double *t, *dt;        /* [n] */
    double *q, *r, *w;     /* [n] */
    double *mu, *dmu;      /* [n] 0 but for hard rows */
    double *H, *scratch;
} inner;

static void free_arrays(inner *s)
{
    double *const all[] = {s->x, s->dx, s->grad, s->t,   s->dt, s->q,
                           s->r, s->w,  s->mu,   s->dmu, s->H,  s->scratch};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        wlab_free(all[i]);
}

static bool hard(const inner *s, int64_t i)
{
    return s->e->q.hard[i] != 0;
}

static double z1(const inner *s, int64_t i)
{
    return s->e->z[2 * i + 1];
}

static double soft_plus(double t)
{
    return t > 0 ? t + log1p(exp(-t)) : log1p(exp(t));
}

static void outputs(const inner *s, const double *x, double *t)
{
    em_outputs(s->e, x, 1, t, s->ctx);
    for (int64_t i = 0; i < s->n; i++)
        t[i] += x[s->d];
}

/* *plain: the objective at x + a dx.  Returns it with the barrier; HUGE_VAL if x + a dx is not strictly feasible. */
static double barrier_value(const inner *s, double a, double *plain)
{
    double sum = 0, logs = 0, norm = 0;
    for (int64_t i = 0; i < s->n; i++) {
        const double t = s->t[i] + a * s->dt[i];
        sum += s->e->q.pi[i] * (soft_plus(t) - z1(s, i) * t);
        if (hard(s, i)) {
            if (!(t < 0))
                return HUGE_VAL;
            logs += log(-t);
        }
    }
    for (int64_t j = 0; j < s->d; j++) {
        const double u = s->x[j] + a * s->dx[j];
        norm += u * u;
    }
    *plain = sum + s->kappa / 2 * norm;
    return *plain - s->tau * logs;
}

/* now log(now/q) - now + q, accurate both near and far from now = q. */
static double kl(double now, double q)
{
    if (now <= 0)
        return q;
    const double r = (now - q) / q;
    return fmax(0, q > 1e-290 ? q * ((1 + r) * log1p(r) - r) : now * (log(now) - log(q > 0 ? q : 1e-320)));
}

/* Primal minus dual: see the top. */
static double certified_gap(const inner *s)
{
    const double *pi = s->e->q.pi;
    double target = 0, mass = 0, multipliers = 0, sum = 0, G = 0;
    for (int64_t i = 0; i < s->n; i++) {
        target += pi[i] * z1(s, i);
        mass += pi[i] * s->q[i];
        multipliers += s->mu[i];
    }
    const double scale = multipliers > target ? target / multipliers : 1;
    target = fmax(0, target - scale * multipliers);
    const double down = mass > target ? target / mass : 1, up = mass < target ? (1 - target) / (1 - mass) : 1;
    for (int64_t i = 0; i < s->n; i++) {
        const double q = s->q[i], p = 1 / (1 + exp(s->t[i])); /* p = 1 - q */
        const double now = mass > target ? down * q : 1 - up * p,
                     rest = mass > target ? 1 - down * q : up * p;
        if (mass > target)
            sum += pi[i] * (kl(now, q) + (p > 0 ? fmax(0, rest * log(rest / p) - rest + p) : 0));
        else
            sum += pi[i] * (kl(rest, p) + (q > 0 ? fmax(0, now * log(now / q) - now + q) : 0));
        sum += scale * s->mu[i] * -s->t[i];
        s->r[i] = pi[i] * (now - z1(s, i)) + scale * s->mu[i];
    }
    em_transpose(s->e, s->r, 1, s->dx, s->ctx);
    for (int64_t j = 0; j < s->d; j++)
        G += pow(s->dx[j] + s->kappa * s->x[j], 2);
    return sum + G / (2 * s->kappa);
}

/* Updates the gradient of the barrier function, and q. */
static void barrier_gradient(inner *s)
{
    double sum = 0;
    for (int64_t i = 0; i < s->n; i++) {
        s->q[i] = 1 / (1 + exp(-s->t[i]));
        s->r[i] = s->e->q.pi[i] * (s->q[i] - z1(s, i)) + (hard(s, i) ? s->tau / -s->t[i] : 0);
        sum += s->r[i];
    }
    em_transpose(s->e, s->r, 1, s->grad, s->ctx);
    for (int64_t j = 0; j < s->d; j++)
        s->grad[j] += s->kappa * s->x[j];
    s->grad[s->d] = sum;
}

static wlab_code newton_direction(inner *s, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t D = s->d + 1;
    for (int64_t i = 0; i < s->n; i++)
        s->w[i] = s->e->q.pi[i] * s->q[i] * (1 - s->q[i]) + (hard(s, i) ? s->mu[i] / -s->t[i] : 0);
    double ridge = 0;
    for (int tries = 0;; tries++) {
        bool definite;
        double top = 0;
        em_gram(s->e, s->w, true, s->H, D, s->scratch, s->ctx);
        if (wlab_interrupted(ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted in the M-step");
        for (int64_t j = 0; j < D; j++) {
            s->H[j * (D + 1)] += j < s->d ? s->kappa : 0;
            top = fmax(top, s->H[j * (D + 1)]);
            s->H[j * (D + 1)] *= 1 + ridge;
        }
        wlab_code code = wlab_cholesky(s->H, D, &definite, ctx, err);
        if (code)
            return code;
        if (definite)
            break;
        if (tries > 6)
            return wlab_fail(
                err, WL_ENUMERIC,
                "the constrained regression is too ill-conditioned for doubles; scale the columns, "
                "or use a larger lambda");
        ridge = ridge > 0 ? 100 * ridge : 1e-14;
    }
    for (int64_t j = 0; j < D; j++)
        s->dx[j] = -s->grad[j];
    wlab_cholesky_solve(s->H, D, s->dx);
    outputs(s, s->dx, s->dt);
    return WL_OK;
}

/* Line search along the direction, at most 0.995 of the way to the boundary; false: the barrier function cannot be
 * lowered. */
static bool line_search(inner *s)
{
    double a = 1, am = 1, plain;
    const double slope_at = cblas_ddot((int)s->d + 1, s->grad, 1, s->dx, 1),
                 from = barrier_value(s, 0, &plain);
    if (!(slope_at < 0))
        return false;
    for (int64_t i = 0; i < s->n; i++) {
        s->dmu[i] = 0;
        if (!hard(s, i))
            continue;
        if (s->dt[i] > 0)
            a = fmin(a, 0.995 * -s->t[i] / s->dt[i]);
        s->dmu[i] = s->tau / -s->t[i] - s->mu[i] + s->mu[i] * s->dt[i] / -s->t[i];
        if (s->dmu[i] < 0)
            am = fmin(am, 0.995 * s->mu[i] / -s->dmu[i]);
    }
    const double noise = 1e-14 * (fabs(from) + 1);
    int k = 0;
    for (; k < 60; k++, a /= 2)
        if (barrier_value(s, a, &plain) <= from + 1e-4 * a * slope_at + (-slope_at < 1e-11 ? noise : 0))
            break;
    if (k == 60)
        return false;
    cblas_daxpy((int)s->d + 1, a, s->dx, 1, s->x, 1);
    for (int64_t i = 0; i < s->n; i++)
        s->t[i] += a * s->dt[i];
    for (int64_t i = 0; i < s->n; i++)
        if (hard(s, i)) { /* keep mu within a factor of 1e10 of tau / -t, its value on the barrier's path */
            const double centre = s->tau / -s->t[i], mu = s->mu[i] + am * s->dmu[i];
            s->mu[i] = fmin(fmax(mu, 1e-10 * centre), 1e10 * centre);
        }
    return true;
}

static wlab_code allocate(inner *s, wlab_err *err)
{
    const size_t n = (size_t)s->n, D = (size_t)s->d + 1;
    s->x = wlab_calloc(D, sizeof *s->x);
    s->dx = wlab_calloc(D, sizeof *s->dx);
    s->grad = wlab_alloc(D, sizeof *s->grad);
    s->t = wlab_calloc(n, sizeof *s->t); /* read before an interrupt is seen */
    s->dt = wlab_calloc(n, sizeof *s->dt);
    s->q = wlab_alloc(n, sizeof *s->q);
    s->r = wlab_alloc(n, sizeof *s->r);
    s->w = wlab_alloc(n, sizeof *s->w);
    s->mu = wlab_calloc(n, sizeof *s->mu);
    s->dmu = wlab_alloc(n, sizeof *s->dmu);
    s->H = wlab_alloc(D * D, sizeof *s->H);
    s->scratch = wlab_alloc(em_gram_scratch(s->e), sizeof *s->scratch);
    return s->x && s->dx && s->grad && s->t && s->dt && s->q && s->r && s->w && s->mu && s->dmu && s->H &&
                   s->scratch
               ? WL_OK
               : wlab_nomem(err);
}

/* A strictly feasible start: u = 0 and a c below 0, or the last (u, c) with c lowered as far as necessary, whichever
 * has the smaller barrier function. */
static void start_inside(inner *s, const em_fit *fit, double proportion)
{
    double plain, none, last, inside = HUGE_VAL;
    const double low = fmin(-0.5, proportion < 1 ? log(proportion / (1 - proportion)) : -0.5);
    s->tau = 0.1 / (double)(s->m > 0 ? s->m : 1);
    for (int64_t j = 0; j < s->d; j++)
        s->x[j] = fit->W[s->d + j] - fit->W[j];
    s->x[s->d] = fit->b[1] - fit->b[0];
    outputs(s, s->x, s->t);
    for (int64_t i = 0; i < s->n; i++)
        if (hard(s, i))
            inside = fmin(inside, -s->t[i]);
    if (inside < 0.01) {
        s->x[s->d] -= 0.1 - inside;
        for (int64_t i = 0; i < s->n; i++)
            s->t[i] -= 0.1 - inside;
    }
    last = barrier_value(s, 0, &plain);
    double *t = s->t;
    s->t = s->r;
    for (int64_t i = 0; i < s->n; i++)
        s->t[i] = low;
    double *x = s->x;
    s->x = s->dx; /* 0 */
    none = barrier_value(s, 0, &plain);
    s->x = x;
    if (none < last || !isfinite(last)) {
        memset(x, 0, (size_t)s->d * sizeof *x);
        x[s->d] = low;
        s->r = t;
    } else {
        s->r = s->t;
        s->t = t;
    }
    for (int64_t i = 0; i < s->n; i++)
        s->mu[i] = hard(s, i) ? s->tau / -s->t[i] : 0;
}

static wlab_code iterate(inner *s, double tol, em_fit *fit, wlab_ctx *ctx, wlab_err *err)
{
    wlab_progress progress;
    double best = HUGE_VAL;
    int stuck = 0;
    wlab_progress_begin(&progress, ctx, "Newton iterations", 0);
    for (int it = 0;; it++, fit->newtons++) {
        double plain, sum = 0;
        if (wlab_interrupted(ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted in the M-step");
        for (int64_t i = 0; i < s->n; i++) {
            s->q[i] = 1 / (1 + exp(-s->t[i]));
            sum += s->mu[i] * -s->t[i];
        }
        (void)barrier_value(s, 0, &plain);
        fit->gap = certified_gap(s);
        stuck = fit->gap < 0.9 * best ? 0 : stuck + 1;
        best = fmin(best, fit->gap);
        if (fit->gap <= fmax(tol * plain, 1e-15) || it >= MOST || stuck > 15)
            return WL_OK;
        /* lower tau along with the complementarity sum mu_n (-t_n) */
        if (s->m > 0)
            s->tau =
                fmax(fmin(s->tau, 0.1 * sum / (double)s->m), 1e-3 * fmax(tol * plain, 1e-16) / (double)s->m);
        barrier_gradient(s);
        wlab_code code = newton_direction(s, ctx, err);
        if (code)
            return code;
        if (!line_search(s)) {
            if (++stuck > 15)
                return WL_OK;
            for (int64_t i = 0; i < s->n; i++) /* reset to the multipliers of the barrier function */
                s->mu[i] = hard(s, i) ? s->tau / -s->t[i] : 0;
        }
        wlab_progress_add(&progress, 1);
    }
}

static void store_fit(inner *s, em_fit *fit, double low)
{
    for (int64_t j = 0; j < s->d; j++) {
        fit->W[j] = -s->x[j] / 2;
        fit->W[s->d + j] = s->x[j] / 2;
    }
    double c = isnan(low) ? s->x[s->d] : low, above = -HUGE_VAL, size = 0, most = 0;
    em_outputs(s->e, fit->W, 2, fit->s, s->ctx);
    for (int64_t j = 0; j < s->d; j++)
        size += s->x[j] * s->x[j];
    for (int64_t i = 0; i < s->n; i++)
        if (hard(s, i)) {
            const double *x = s->e->q.Phi + i * s->d;
            above = fmax(above, fit->s[2 * i + 1] - fit->s[2 * i]);
            most = fmax(most, cblas_ddot((int)s->d, x, 1, x, 1));
        }
    /* lower c a little, so that the constraints also hold for outputs computed with another rounding */
    if (s->m > 0)
        c = fmin(c, -above - 1e-14 * sqrt(size * most));
    fit->b[0] = -c / 2;
    fit->b[1] = c / 2;
}

wlab_code em_hard(const wlab_em *e, double tol, em_fit *fit, wlab_ctx *ctx, wlab_err *err)
{
    inner s = {.e = e, .ctx = ctx, .n = e->q.n, .d = e->q.d, .kappa = e->q.lambda / 4};
    double v[64];
    fit->newtons = 0;
    em_proportions(e, e->z, v);
    for (int64_t i = 0; i < s.n; i++)
        s.m += hard(&s, i);
    if (s.m == 0)
        return em_newton(e, tol, fit, ctx, err);
    wlab_code code = allocate(&s, err);
    if (!code && v[1] <= 1e-13) { /* class 1 has no rows: predict class 0 everywhere */
        store_fit(&s, fit, -37);
        fit->gap = 0;
    } else if (!code) {
        start_inside(&s, fit, v[1]);
        code = iterate(&s, tol, fit, ctx, err);
        if (!code)
            store_fit(&s, fit, NAN);
    }
    if (!code && wlab_interrupted(ctx))
        code = wlab_fail(err, WL_EINTERRUPTED, "interrupted in the M-step");
    free_arrays(&s);
    return code;
}

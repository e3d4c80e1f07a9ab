/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The M-step without hard constraints: multinomial logistic regression at soft labels z,
 *
 *     min over W, b of  sum_n pi_n (log sum_k exp(w_k'x_n + b_k) - z_n'(W x_n + b)) + lambda/(2P) ||W||^2,
 *
 * by Newton's method.  Adding the same vector to all w_k changes no probability, so the rows of the optimal W have
 * the sum 0: W = E C with an orthonormal basis E of the vectors of sum 0, and likewise for b.  Classes without rows
 * are left out: their w is 0, and their b is so low that it is lost in rounding.
 *
 * Its dual is  max over q_n in the simplex of  sum_n pi_n (h(q_n) + ...) - P/(2 lambda) ||sum_n pi_n (q_n - z_n)
 * x_n'||^2  with sum_n pi_n (q_n - z_n) = 0 for the intercept.  At the softmax q of (W, b), moved to a q' that
 * satisfies this constraint, primal minus dual is
 *
 *     sum_n pi_n KL(q'_n || q_n) + P/(2 lambda) || sum_n pi_n (q'_n - z_n) x_n' + lambda/P W ||^2,
 *
 * a sum of nonnegative terms without cancellation.
 */
#include "solve/softmax/newton.h"
#include "base/progress.h"

#include <cblas.h>
#include <string.h>

enum {
    NEWTONS = 100,
    EXACT_MOST = 3000 /* most unknowns for which the second derivative is factored */
};

static void free_arrays(newton *s)
{
    double *const all[] = {s->z,    s->s,    s->ds, s->q, s->R,       s->W,      s->G,   s->C,
                           s->grad, s->step, s->cg, s->H, s->scratch, s->weight, s->part};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        wlab_free(all[i]);
}

/* Whether factoring pays: compares its multiplications with those of 300 iterations of CG, which needs some tens to
 * hundreds for a direction. */
static bool exact_pays(const newton *s)
{
    const double n = (double)s->n, d = (double)s->d, m = s->m, D = (double)s->D;
    return s->D <= EXACT_MOST && n * d * d * m * (m + 1) / 2 + D * D * D / 3 <= 300 * 4 * n * d * s->Q;
}

/* ---- between coordinates and classes ---- */

/* W, b of C. */
void newton_expand(const newton *s, const double *C, double *W, double *b)
{
    memset(W, 0, (size_t)(s->Q * s->d) * sizeof *W);
    for (int k = 0; k < s->Q; k++) {
        b[k] = 0;
        for (int a = 0; a < s->m; a++) {
            const double v = s->E[k * s->m + a];
            for (int64_t j = 0; j < s->d; j++)
                W[k * s->d + j] += v * C[a * s->wide + j];
            if (s->wide > s->d)
                b[k] += v * C[a * s->wide + s->d];
        }
    }
}

/* C = E'(G, g). */
void newton_project(const newton *s, const double *G, const double *g, double *C)
{
    memset(C, 0, (size_t)s->D * sizeof *C);
    for (int a = 0; a < s->m; a++)
        for (int k = 0; k < s->Q; k++) {
            const double v = s->E[k * s->m + a];
            for (int64_t j = 0; j < s->d; j++)
                C[a * s->wide + j] += v * G[k * s->d + j];
            if (s->wide > s->d)
                C[a * s->wide + s->d] += v * g[k];
        }
}

/* W x_n + b for C, into S. */
void newton_outputs(newton *s, const double *C, bool fixed, double *S)
{
    double b[64];
    newton_expand(s, C, s->W, b);
    em_outputs(s->e, s->W, s->Q, S, s->ctx);
    for (int64_t i = 0; i < s->n; i++)
        for (int k = 0; k < s->Q; k++)
            S[i * s->Q + k] += b[k] + (fixed ? s->fixed[k] : 0);
}

static double square_norm(const newton *s, const double *C)
{
    double sum = 0;
    for (int a = 0; a < s->m; a++)
        sum += cblas_ddot((int)s->d, C + a * s->wide, 1, C + a * s->wide, 1);
    return sum;
}

/* sum over rows of R. */
void newton_sums(const newton *s, const double *R, double *g)
{
    memset(g, 0, (size_t)s->Q * sizeof *g);
    for (int64_t i = 0; i < s->n; i++)
        for (int k = 0; k < s->Q; k++)
            g[k] += R[i * s->Q + k];
}

/* ---- value, gradient ---- */

/* The losses at s + t ds; at t = 0 sets q and R too. */
static void loss_block(void *data, int block)
{
    newton *s = data;
    const int Q = s->Q;
    const int64_t end = wlab_block_begin(s->n, s->e->blocks, block + 1);
    double sum = 0;
    for (int64_t i = wlab_block_begin(s->n, s->e->blocks, block); i < end; i++) {
        const double *a = s->s + i * Q, *da = s->ds + i * Q, *z = s->z + i * Q, pi = s->e->q.pi[i];
        double v[64], top = -HUGE_VAL, total = 0, dot = 0;
        for (int k = 0; k < Q; k++) {
            v[k] = s->t > 0 ? a[k] + s->t * da[k] : a[k];
            top = fmax(top, v[k]);
        }
        for (int k = 0; k < Q; k++) {
            dot += z[k] * (v[k] - top);
            v[k] = exp(v[k] - top);
            total += v[k];
        }
        if (pi > 0)
            sum += pi * (log(total) - dot);
        if (s->t > 0)
            continue;
        for (int k = 0; k < Q; k++) {
            s->q[i * Q + k] = v[k] / total;
            s->R[i * Q + k] = pi * (s->q[i * Q + k] - z[k]);
        }
    }
    s->part[block] = sum;
}

static double losses(newton *s, double t)
{
    double sum = 0;
    s->t = t;
    (void)wlab_pool_run_progress(s->ctx, s->e->blocks, loss_block, s, NULL, 0);
    for (int b = 0; b < s->e->blocks; b++)
        sum += s->part[b];
    return sum;
}

/* Sets f, q, R and the gradient at C and s; returns the square of the gradient in W. */
static double evaluate(newton *s)
{
    double g[64], sum = 0;
    s->f = losses(s, 0) + s->kappa / 2 * square_norm(s, s->C);
    em_transpose(s->e, s->R, s->Q, s->G, s->ctx);
    newton_sums(s, s->R, g);
    newton_project(s, s->G, g, s->grad);
    for (int a = 0; a < s->m; a++)
        for (int64_t j = 0; j < s->d; j++) {
            double *v = &s->grad[a * s->wide + j];
            *v += s->kappa * s->C[a * s->wide + j];
            sum += *v * *v;
        }
    return sum;
}

/* Moves q to a q' with sum pi q' = sum pi z: scales down the columns with too much mass, and distributes what the
 * rows then lack among the other columns in proportion to what these lack (Altschuler, Weed and Rigollet 2017).  Sets
 * R to pi (q' - z) and returns sum pi KL(q' || q). */
static double make_feasible(newton *s)
{
    const int Q = s->Q;
    const double *pi = s->e->q.pi;
    double target[64] = {0}, mass[64] = {0}, keep[64], lack[64], total = 0, sum = 0;
    for (int64_t i = 0; i < s->n; i++)
        for (int k = 0; k < Q; k++) {
            target[k] += pi[i] * s->z[i * Q + k];
            mass[k] += pi[i] * s->q[i * Q + k];
        }
    for (int k = 0; k < Q; k++) {
        keep[k] = mass[k] > target[k] ? target[k] / mass[k] : 1;
        lack[k] = mass[k] > target[k] ? 0 : target[k] - mass[k];
        total += lack[k];
    }
    for (int64_t i = 0; i < s->n; i++) {
        const double *q = s->q + i * Q, *a = s->s + i * Q;
        double short_of = 0, log_sum = -HUGE_VAL;
        for (int k = 0; k < Q; k++)
            short_of += q[k] * (1 - keep[k]);
        for (int k = 0; k < Q; k++) {
            const double more = -q[k] * (1 - keep[k]) + (total > 0 ? short_of * lack[k] / total : 0);
            const double now = fmax(0, q[k] + more);
            double kl = 0;
            if (q[k] > 1e-290) {
                const double r = more / q[k];
                kl = r > -1 ? q[k] * ((1 + r) * log1p(r) - r) : q[k];
            } else if (now > 0) {
                if (isinf(log_sum)) {
                    const double zero[64] = {0};
                    log_sum = em_log_sum(a, zero, Q);
                }
                kl = now * (log(now) - (a[k] - log_sum));
            }
            sum += pi[i] * fmax(0, kl);
            s->R[i * Q + k] = pi[i] * (now - s->z[i * Q + k]);
        }
    }
    return sum;
}

/* Primal minus dual: see the top.  Overwrites R and G. */
static double certified_gap(newton *s)
{
    double b[64], sum = 0;
    const double kl = s->e->q.intercept ? make_feasible(s) : 0;
    if (kl > 0)
        em_transpose(s->e, s->R, s->Q, s->G, s->ctx);
    newton_expand(s, s->C, s->W, b);
    for (int64_t j = 0; j < s->Q * s->d; j++) {
        const double v = s->G[j] + s->kappa * s->W[j];
        sum += v * v;
    }
    return kl + sum / (2 * s->kappa);
}

/* ---- the method ---- */

static wlab_code set_up(newton *s, const em_fit *fit, wlab_err *err)
{
    const wlab_em_problem *q = &s->e->q;
    const int P = q->P;
    double v[64], b[64], mean = 0;
    em_proportions(s->e, s->e->z, v);
    for (int k = 0; k < P; k++)
        if (v[k] > 1e-13)
            s->class[s->Q++] = k;
    s->m = s->Q - 1;
    s->n = q->n;
    s->d = q->d;
    s->wide = q->d + q->intercept;
    s->D = s->m * s->wide;
    s->kappa = q->lambda / P;
    for (int a = 0; a < s->m; a++) /* Helmert's basis */
        for (int k = 0; k < s->Q; k++)
            s->E[k * s->m + a] = (k <= a ? 1 : k == a + 1 ? -(a + 1) : 0) / sqrt((a + 1.0) * (a + 2.0));
    const size_t nQ = (size_t)(s->n * s->Q), Qd = (size_t)(s->Q * s->d), D = (size_t)s->D;
    s->z = wlab_alloc(nQ, sizeof *s->z);
    s->s = wlab_calloc(nQ, sizeof *s->s); /* read before an interrupt is seen, and so is part */
    s->ds = wlab_alloc(nQ, sizeof *s->ds);
    s->q = wlab_alloc(nQ, sizeof *s->q);
    s->R = wlab_alloc(nQ, sizeof *s->R);
    s->W = wlab_alloc(Qd, sizeof *s->W);
    s->G = wlab_alloc(Qd, sizeof *s->G);
    s->C = wlab_calloc(D, sizeof *s->C);
    s->grad = wlab_alloc(D, sizeof *s->grad);
    s->step = wlab_calloc(D, sizeof *s->step);
    s->part = wlab_calloc((size_t)s->e->blocks, sizeof *s->part);
    const bool exact = exact_pays(s);
    s->cg = wlab_alloc(4 * D, sizeof *s->cg);
    if (exact) {
        s->H = wlab_alloc(D * D, sizeof *s->H);
        s->scratch = wlab_alloc(em_gram_scratch(s->e), sizeof *s->scratch);
        s->weight = wlab_alloc((size_t)s->n, sizeof *s->weight);
    }
    if (!s->z || !s->s || !s->ds || !s->q || !s->R || !s->W || !s->G || !s->C || !s->grad || !s->step ||
        !s->part || !s->cg || (exact && (!s->H || !s->scratch || !s->weight)))
        return wlab_nomem(err);
    for (int64_t i = 0; i < s->n; i++) {
        double sum = 0;
        for (int k = 0; k < s->Q; k++)
            sum += s->e->z[i * P + s->class[k]];
        for (int k = 0; k < s->Q; k++)
            s->z[i * s->Q + k] = sum > 0 ? s->e->z[i * P + s->class[k]] / sum : 1.0 / s->Q;
    }
    for (int k = 0; k < s->Q; k++) {
        s->fixed[k] = q->intercept ? 0 : log(v[s->class[k]]);
        b[k] = q->intercept ? fit->b[s->class[k]] : 0;
        mean += log(v[s->class[k]]) / s->Q;
        if (s->d > 0)
            memcpy(s->W + k * s->d, fit->W + s->class[k] * s -> d, (size_t)s -> d * sizeof *s->W);
    }
    /* start from W = 0 and b = log v if the last (W, b) are no better */
    newton_project(s, s->W, b, s->C);
    newton_outputs(s, s->C, true, s->s);
    const double warm = losses(s, 0) + s->kappa / 2 * square_norm(s, s->C);
    double none = 0;
    for (int k = 0; k < s->Q; k++)
        none -= em_xlogx(v[s->class[k]]);
    if (!(warm < none)) {
        memset(s->W, 0, Qd * sizeof *s->W);
        for (int k = 0; k < s->Q; k++)
            b[k] = log(v[s->class[k]]) - mean;
        newton_project(s, s->W, b, s->C);
        newton_outputs(s, s->C, true, s->s);
    }
    return WL_OK;
}

/* Halves the step until f decreases as Armijo's condition requires; false: no step length decreases f. */
static bool line_search(newton *s)
{
    const double slope = cblas_ddot((int)s->D, s->grad, 1, s->step, 1), from = square_norm(s, s->C),
                 square = square_norm(s, s->step);
    double cross = 0, t = 1;
    if (!(slope < 0))
        return false;
    for (int a = 0; a < s->m; a++)
        cross += cblas_ddot((int)s->d, s->C + a * s->wide, 1, s->step + a * s->wide, 1);
    newton_outputs(s, s->step, false, s->ds);
    for (int k = 0; k < 60; k++, t /= 2) {
        const double f = losses(s, t) + s->kappa / 2 * (from + t * (2 * cross + t * square));
        /* near the optimum, changes of f are lost in rounding: make a full Newton step */
        const bool near =
            k == 0 && -slope < 1e-12 * (fabs(s->f) + 1e-3) && f <= s->f + 1e-14 * (fabs(s->f) + 1);
        if (near || (f <= s->f + 1e-4 * t * slope && isfinite(f))) {
            cblas_daxpy((int)s->D, t, s->step, 1, s->C, 1);
            newton_outputs(s, s->C, true, s->s);
            return true;
        }
    }
    return false;
}

static wlab_code iterate(newton *s, double tol, em_fit *fit, wlab_ctx *ctx, wlab_err *err)
{
    wlab_progress progress;
    double first = 0, best = HUGE_VAL;
    wlab_progress_begin(&progress, ctx, "Newton iterations", 0);
    for (int it = 0;; it++, fit->newtons++) {
        if (wlab_interrupted(ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted in the M-step");
        const double square = evaluate(s), tolerance = fmax(tol * s->f, 1e-15);
        first = it == 0 ? square : first;
        fit->gap = HUGE_VAL;
        /* as near as doubles allow: the gradient is tiny and falls no more */
        const bool stationary = it > 0 && square >= best && square <= 1e-18 * first;
        if (square / (2 * s->kappa) <= tolerance || it >= NEWTONS || stationary) {
            fit->gap = certified_gap(s);
            if (fit->gap <= tolerance || it >= NEWTONS || stationary)
                return WL_OK;
            evaluate(s);
        }
        best = fmin(best, square);
        bool found = false;
        wlab_code code = WL_OK;
        if (s->H)
            code = newton_exact(s, &found, ctx, err);
        if (!code && !found)
            code = newton_cg(s, fmin(0.1, sqrt(sqrt(square / (first > 0 ? first : 1)))), ctx, err);
        if (code)
            return code;
        if (!line_search(s)) {
            evaluate(s);
            fit->gap = certified_gap(s);
            return WL_OK;
        }
        wlab_progress_add(&progress, 1);
    }
}

/* Stores W, b and s for all classes. */
static void store_fit(newton *s, em_fit *fit)
{
    const wlab_em_problem *q = &s->e->q;
    const int P = q->P;
    double b[64], least = HUGE_VAL;
    newton_expand(s, s->C, s->W, b);
    if (s->d > 0)
        memset(fit->W, 0, (size_t)(P * s->d) * sizeof *fit->W);
    const double zero[64] = {0};
    for (int64_t i = 0; i < s->n; i++)
        if (q->pi[i] > 0)
            least = fmin(least, em_log_sum(s->s + i * s->Q, zero, s->Q));
    for (int k = 0; k < P; k++)
        fit->b[k] = least - 37; /* exp(-37) is lost beside 1 */
    for (int k = 0; k < s->Q; k++) {
        if (s->d > 0)
            memcpy(fit->W + s->class[k] * s -> d, s -> W + k * s -> d, (size_t)s -> d * sizeof *fit->W);
        fit->b[s->class[k]] = b[k];
    }
    if (!q->intercept)
        em_fix_offsets(s->e, s->e->z, fit->b);
    em_outputs(s->e, fit->W, P, fit->s, s->ctx);
}

wlab_code em_newton(const wlab_em *e, double tol, em_fit *fit, wlab_ctx *ctx, wlab_err *err)
{
    newton s = {.e = e, .ctx = ctx};
    fit->newtons = 0;
    wlab_code code = set_up(&s, fit, err);
    if (!code)
        code = iterate(&s, tol, fit, ctx, err);
    if (!code)
        store_fit(&s, fit);
    if (!code && wlab_interrupted(ctx))
        code = wlab_fail(err, WL_EINTERRUPTED, "interrupted in the M-step");
    free_arrays(&s);
    return code;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Linear support vector regression for many rows: dual coordinate descent (Ho and Lin, 2012) with one tube width per
 * row.  A free offset is found by the method of multipliers:  b = anchor + strength 1'beta,  and then the anchor
 * becomes b.
 */
#include "base/progress.h"
#include "solve/svm/svr.h"
#include "weaklab/rng.h"

#include <math.h>
#include <string.h>

enum {
    PASSES = 1000,
    CHECK = 5 /* passes between computations of the gap, at most */
};

typedef struct linear {
    const wlab_svr_problem *q;
    const wlab_matrix *M;
    int64_t n;
    double strength; /* added to every product for the offset */
    double b;
    double *beta, *w;
    double *H;       /* [n] ||m_k||^2 + strength */
    int32_t *active; /* [n] */
    int64_t actives;
    double slack; /* largest violation of the previous pass: rows optimal by a larger margin are left out */
} linear;

static double violation_of(double G, double beta, double C, double e)
{
    if (beta == 0)
        return fmax(fabs(G) - e, 0);
    const double g = G + (beta > 0 ? e : -e); /* derivative of the function to minimise */
    if (beta >= C)
        return fmax(g, 0);
    if (beta <= -C)
        return fmax(-g, 0);
    return fabs(g);
}

/* One pass over the active rows in random order; returns the largest violation found. */
static double pass(linear *s, wlab_rng *rng)
{
    const double C = s->q->C;
    double worst = 0;

    wlab_rng_shuffle(rng, s->active, (size_t)s->actives);
    for (int64_t a = 0; a < s->actives; a++) {
        const int64_t k = s->active[a];
        const double e = s->q->tube[k], was = s->beta[k];
        const double G = wlab_matrix_row_dot(s->M, k, s->w) + s->b - s->q->target[k];
        const double v = violation_of(G, was, C, e);

        if (v == 0 && ((was == 0 && fabs(G) < e - s->slack) || (was >= C && G + e < -s->slack) ||
                       (was <= -C && G - e > s->slack))) {
            s->active[a--] = s->active[--s->actives];
            s->active[s->actives] = (int32_t)k;
            continue;
        }
        worst = fmax(worst, v);
        if (v < 1e-14 || s->H[k] <= 0)
            continue;
        const double z = was - G / s->H[k], t = e / s->H[k];
        const double to = fmin(fmax(z > t ? z - t : z < -t ? z + t : 0, -C), C);
        if (to == was)
            continue;
        s->beta[k] = to;
        wlab_matrix_row_axpy(s->M, k, to - was, s->w);
        s->b += s->strength * (to - was);
    }
    return worst;
}

/* to [n] = beta with the heavier sign scaled down so that 1'to = 0: feasible for a free offset. */
static void balance_signs(const linear *s, double *to)
{
    double plus = 0, minus = 0;

    for (int64_t k = 0; k < s->n; k++)
        *(s->beta[k] > 0 ? &plus : &minus) += fabs(s->beta[k]);
    const double common = fmin(plus, minus);
    for (int64_t k = 0; k < s->n; k++)
        to[k] = s->beta[k] * (s->beta[k] > 0 ? (plus > 0 ? common / plus : 0)
                              : minus > 0    ? common / minus
                                             : 0);
}

static wlab_code evaluate(const linear *s, double bias, double *beta, double *w, double *f, double *work,
                          wlab_svr_result *r, wlab_pool *pool, wlab_err *err)
{
    if (s->q->offset)
        balance_signs(s, beta);
    else
        memcpy(beta, s->beta, (size_t)s->n * sizeof *beta);
    wlab_code code = wlab_matrix_mul_t(s->M, beta, w, pool, err);
    if (code)
        return code;
    wlab_matrix_mul(s->M, w, f, pool);
    double quad = 0, sum = 0;
    for (int64_t k = 0; k < s->n; k++)
        sum += beta[k];
    for (int32_t j = 0; j < s->M->cols; j++)
        quad += w[j] * w[j];
    quad += bias * bias * sum * sum;
    r->b = s->q->offset ? wlab_svr_best_offset(s->q, f, work) : bias * bias * sum;
    r->primal = 0.5 * quad + wlab_svr_loss(s->q, f, r->b);
    r->dual = wlab_svr_dual(s->q, beta, quad);
    return WL_OK;
}

wlab_code wlab_svr_solve_linear(const wlab_svr_problem *q, const wlab_matrix *M, double bias, double tol,
                                int64_t most, double *beta, double *w, wlab_svr_result *r, wlab_ctx *ctx,
                                wlab_err *err)
{
    const size_t n = (size_t)q->n, d = (size_t)M->cols;
    linear s = {.q = q, .M = M, .n = q->n, .strength = bias * bias, .actives = q->n, .slack = HUGE_VAL};
    double *f = wlab_alloc(n, sizeof *f), *work = wlab_alloc(2 * n, sizeof *work), mean = 0, first = 0;
    wlab_code code = WL_OK;
    wlab_rng rng;
    wlab_progress progress;

    s.beta = wlab_calloc(n, sizeof *s.beta);
    s.w = wlab_calloc(d, sizeof *s.w);
    s.H = wlab_alloc(n, sizeof *s.H);
    s.active = wlab_alloc(n, sizeof *s.active);
    if (!f || !work || !s.beta || !s.w || !s.H || !s.active) {
        code = wlab_nomem(err);
        goto out;
    }
    for (int64_t k = 0; k < q->n; k++) {
        s.active[k] = (int32_t)k;
        s.H[k] = wlab_matrix_row_sqnorm(M, k);
        mean += s.H[k] / (double)q->n;
    }
    if (q->offset) {
        memset(f, 0, n * sizeof *f);
        s.strength = mean > 0 ? mean : 1;
        s.b = wlab_svr_best_offset(q, f, work);
    }
    for (int64_t k = 0; k < q->n; k++)
        s.H[k] += s.strength;
    wlab_rng_seed(&rng, 1);
    wlab_progress_begin(&progress, ctx, "passes of the SVR", 0);
    most = most > 0 ? most : PASSES;
    int64_t passes = 1;
    for (r->work = 0;;) {
        if (wlab_interrupted(ctx)) {
            code = wlab_fail(err, WL_EINTERRUPTED, "interrupted in the support vector regression");
            break;
        }
        double worst = 0;
        for (int64_t i = 0; i < passes && r->work < most; i++, r->work++) {
            worst = pass(&s, &rng);
            first = r->work == 0 ? worst : first;
            s.slack = worst > 0 ? worst : HUGE_VAL;
            wlab_progress_add(&progress, 1);
            if (s.actives < q->n && worst < 0.1 * first * tol) {
                s.actives = q->n;
                s.slack = HUGE_VAL;
            }
        }
        if ((code = evaluate(&s, bias, beta, w, f, work, r, ctx ? ctx->pool : NULL, err)))
            break;
        if (!(isfinite(r->primal) && isfinite(r->dual))) {
            code = wlab_fail(err, WL_ENUMERIC, "a number of the support vector regression is not finite");
            break;
        }
        if (r->primal - r->dual <= tol * r->primal || r->work >= most)
            break;
        if (q->offset) { /* the multiplier's step */
            double sum = 0;
            for (int64_t k = 0; k < q->n; k++)
                sum += s.beta[k];
            s.b += s.strength * sum;
        }
        s.actives = q->n;
        s.slack = HUGE_VAL;
        passes = passes < CHECK ? passes + 1 : CHECK;
    }
out:
    wlab_free(f);
    wlab_free(work);
    wlab_free(s.beta);
    wlab_free(s.w);
    wlab_free(s.H);
    wlab_free(s.active);
    return code;
}

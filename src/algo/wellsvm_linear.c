/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * WellSVM's SVM for the linear kernel at size: dual coordinate descent on all weight vectors at once.  The vectors
 * v_t = sum_i alpha_i y_ti x_i lie feature by feature ([d x T]), so that a row is streamed once for all labelings.
 */
#include "algo/wellsvm.h"
#include "svm/boxqp.h"

#include <string.h>

enum {
    MAX_SWEEPS = 10000,
    CHECK_EVERY = 5
};

typedef struct sweeper {
    const wellsvm *s;
    const wlab_matrix *X;
    int64_t T;   /* labelings with mu > 0 */
    double *mu;  /* [T] */
    int8_t *y;   /* [n x T] */
    double *v;   /* [d x T] */
    double *vb;  /* [T] weights of the constant feature */
    double *acc; /* [T] */
} sweeper;

/* acc_t = v_t'x_i (+ bias); returns sum_t mu_t y_ti acc_t / lambda. */
static double output(sweeper *w, int64_t i)
{
    const wlab_matrix *X = w->X;
    int64_t T = w->T;
    double *acc = w->acc, o = 0;
    for (int64_t t = 0; t < T; t++)
        acc[t] = w->s->kernel.bias * w->vb[t];
    int64_t first = X->start[i];
    for (int32_t k = 0; k < X->len[i]; k++) {
        double x = X->sparse ? (double)X->val[first + k] : X->dense[first + k];
        const double *v = w->v + (X->sparse ? X->col[first + k] : k) * T;
        for (int64_t t = 0; t < T; t++)
            acc[t] += x * v[t];
    }
    for (int64_t t = 0; t < T; t++)
        o += w->mu[t] * w->y[i * T + t] * acc[t];
    return o / w->s->lambda;
}

static void add(sweeper *w, int64_t i, double step)
{
    const wlab_matrix *X = w->X;
    int64_t T = w->T;
    double *by = w->acc;
    for (int64_t t = 0; t < T; t++) {
        by[t] = step * w->y[i * T + t];
        w->vb[t] += w->s->kernel.bias * by[t];
    }
    int64_t first = X->start[i];
    for (int32_t k = 0; k < X->len[i]; k++) {
        double x = X->sparse ? (double)X->val[first + k] : X->dense[first + k];
        double *v = w->v + (X->sparse ? X->col[first + k] : k) * T;
        for (int64_t t = 0; t < T; t++)
            v[t] += x * by[t];
    }
}

/* Dual and primal values at alpha; o [n] is overwritten. */
static void values(sweeper *w, const double *alpha, well_point *at)
{
    const wellsvm *s = w->s;
    double norm = 0, loss = 0, S = 0, D = 0;
    for (int64_t j = 0; j < w->X->cols; j++)
        for (int64_t t = 0; t < w->T; t++)
            norm += w->mu[t] * w->v[j * w->T + t] * w->v[j * w->T + t];
    for (int64_t t = 0; t < w->T; t++)
        norm += w->mu[t] * w->vb[t] * w->vb[t];
    norm /= s->lambda;
    for (int64_t i = 0; i < s->n; i++) {
        if (s->upper[i] == 0)
            continue;
        double slack = 1 - output(w, i);
        slack = slack > 0 ? slack : 0;
        loss += s->delta ? 0.5 * slack * slack / s->delta[i] : s->upper[i] * slack;
        S += alpha[i];
        D += s->delta ? s->delta[i] * alpha[i] * alpha[i] : 0;
    }
    at->dual = S - 0.5 * norm - 0.5 * D;
    at->primal = 0.5 * norm + loss;
}

wlab_code well_linear_solve(wellsvm *s, const int8_t *y, int64_t T, const double *mu, double tol,
                            well_point *at, wlab_ctx *ctx, wlab_err *err)
{
    wlab_code code = WL_OK;
    const wlab_matrix *X = s->p->X;
    int64_t n = s->n, live = 0;
    sweeper w = {.s = s, .X = X};
    wlab_rng rng;
    int32_t *order = wlab_alloc((size_t)n, sizeof *order);
    w.mu = wlab_alloc((size_t)T, sizeof *w.mu);
    w.vb = wlab_calloc((size_t)T, sizeof *w.vb);
    w.acc = wlab_alloc((size_t)T, sizeof *w.acc);
    w.y = wlab_alloc((size_t)(n * T), 1);
    if (!order || !w.mu || !w.vb || !w.acc || !w.y) {
        code = wlab_nomem(err);
        goto out;
    }
    for (int64_t t = 0; t < T; t++)
        if (mu[t] > 0)
            w.mu[w.T++] = mu[t];
    for (int64_t i = 0; i < n; i++)
        for (int64_t t = 0, k = 0; t < T; t++)
            if (mu[t] > 0)
                w.y[i * w.T + k++] = y[t * n + i];
    w.v = wlab_calloc((size_t)X->cols * (size_t)w.T, sizeof *w.v);
    if (!w.v) {
        code = wlab_nomem(err);
        goto out;
    }
    for (int64_t i = 0; i < n; i++) {
        double a = at->alpha[i];
        at->alpha[i] = !(a > 0) ? 0 : a > s->upper[i] ? s->upper[i] : a;
        if (at->alpha[i] != 0)
            add(&w, i, at->alpha[i]);
        if (s->upper[i] > 0)
            order[live++] = (int32_t)i;
    }
    /* the order of the sweeps is part of the result: a generator of this solve's own */
    wlab_rng_seed(&rng, (uint64_t)(s->step * 1000003 + s->svms));
    int64_t active = live;
    double threshold = HUGE_VAL; /* of shrinking, as LIBLINEAR's */
    for (int sweep = 1; sweep <= MAX_SWEEPS; sweep++) {
        double most = 0;
        wlab_rng_shuffle(&rng, order, (size_t)active);
        for (int64_t k = 0; k < active; k++) {
            int64_t i = order[k];
            double de = s->delta ? s->delta[i] : 0, h = s->sqnorm[i] + de, a = at->alpha[i];
            double g = 1 - output(&w, i) - de * a;
            if (a == 0 && g < 0) {
                if (-g > threshold) {
                    order[k--] = order[--active];
                    order[active] = (int32_t)i;
                }
                continue;
            }
            if (a == s->upper[i] && g > 0) {
                if (g > threshold) {
                    order[k--] = order[--active];
                    order[active] = (int32_t)i;
                }
                continue;
            }
            most = fabs(g) > most ? fabs(g) : most;
            double to = h > 0 ? a + g / h : g > 0 ? s->upper[i] : a;
            to = to < 0 ? 0 : to > s->upper[i] ? s->upper[i] : to;
            if (to != a) {
                at->alpha[i] = to;
                add(&w, i, to - a);
            }
        }
        threshold = most > 0 ? most : HUGE_VAL;
        wlab_progress_add(s->told, 1);
        if (sweep % CHECK_EVERY == 0 || most < 1e-12) {
            values(&w, at->alpha, at);
            if (!isfinite(at->dual) || !isfinite(at->primal)) {
                code = wlab_fail(err, WL_ENUMERIC, "%s", wlab_svm_not_finite);
                goto out;
            }
            if (at->primal - at->dual <= tol * fabs(at->dual))
                break;
            if (active < live && most < 0.1 * (at->primal - at->dual)) {
                active = live; /* the shrunk ones must agree */
                threshold = HUGE_VAL;
            }
            if (wlab_interrupted(ctx)) {
                code = wlab_fail(err, WL_EINTERRUPTED, "interrupted");
                goto out;
            }
        }
        if (active == 0 || (sweep % 20 == 0)) {
            active = live;
            threshold = HUGE_VAL;
        }
    }
    values(&w, at->alpha, at);
out:
    wlab_free(order);
    wlab_free(w.mu);
    wlab_free(w.vb);
    wlab_free(w.acc);
    wlab_free(w.y);
    wlab_free(w.v);
    return code;
}

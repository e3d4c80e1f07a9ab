/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * MeanMap: the classes' means from the bags' means.
 *
 * Least squares of m_k = p_k mu_+ + (1 - p_k) mu_-, weights omega_k, are a line through (p_k, m_k):
 *     mu_+ = m + (1 - p) b,  mu_- = m - p b,  b = sum omega_k (p_k - p) m_k / sum omega_k (p_k - p)^2,
 * m and p the weighted means.  Where all p_k are equal nothing tells the slope, and the solution of smallest norm is
 * mu_+ = p m / (p^2 + (1-p)^2), mu_- = (1-p) m / (p^2 + (1-p)^2).
 */
#include "algo/llp/meanmap.h"
#include "linalg/symmetric.h"

#include <cblas.h>
#include <string.h>

static double weight_of(const mm_state *s, int64_t k)
{
    return s->by_size ? (double)wlab_supers_size(s->supers, k) : 1;
}

/* sqrt of the ratio of the eigenvalues of sum omega (p, q)(p, q)'. */
static double condition(double pp, double pq, double qq)
{
    const double mean = 0.5 * (pp + qq), off = hypot(0.5 * (pp - qq), pq);

    return mean - off > 0 ? sqrt((mean + off) / (mean - off)) : HUGE_VAL;
}

void mm_estimate(mm_state *s)
{
    enum {
        UP,
        DOWN
    };
    const wlab_supers *u = s->supers;
    double all = 0, mean = 0, var = 0, ups = 0, sum[3] = {0};

    s->means = (mm_means){.least = u->share[0], .most = u->share[0]};
    for (int64_t k = 0; k < u->n; k++) {
        const double o = weight_of(s, k), p = u->share[k];
        all += o;
        mean += o * p;
        ups += (double)wlab_supers_size(u, k) * p;
        s->means.least = fmin(s->means.least, p);
        s->means.most = fmax(s->means.most, p);
        sum[0] += o * p * p;
        sum[1] += o * p * (1 - p);
        sum[2] += o * (1 - p) * (1 - p);
    }
    mean /= all;
    for (int64_t k = 0; k < u->n; k++)
        var += weight_of(s, k) * (u->share[k] - mean) * (u->share[k] - mean) / all;
    s->means.singular = s->means.most - s->means.least <= 1e-9;
    s->means.condition = s->means.singular ? HUGE_VAL : condition(sum[0], sum[1], sum[2]);
    s->means.prior = ups / (double)u->rows;
    memset(s->c, 0, (size_t)s->n * sizeof *s->c);
    memset(s->in, 0, (size_t)s->n * sizeof *s->in);
    memset(s->apart, 0, (size_t)s->n * sizeof *s->apart);
    for (int64_t k = 0; k < u->n; k++) {
        const double at = weight_of(s, k) / all, size = (double)wlab_supers_size(u, k);
        double of[2];
        if (s->means.singular) {
            const double norm = mean * mean + (1 - mean) * (1 - mean);
            of[UP] = at * mean / norm;
            of[DOWN] = at * (1 - mean) / norm;
        } else {
            const double slope = at * (u->share[k] - mean) / var;
            of[UP] = at + (1 - mean) * slope;
            of[DOWN] = at - mean * slope;
        }
        const double c = (double)u->rows * (s->means.prior * of[UP] - (1 - s->means.prior) * of[DOWN]);
        for (int64_t j = u->start[k]; j < u->start[k + 1]; j++) {
            const int32_t i = u->member[j];
            s->in[i] = 1;
            s->c[i] = c / size;
            s->apart[i] = (of[UP] - of[DOWN]) / size;
        }
    }
}

wlab_code mm_distance(const mm_state *s, double *distance, wlab_ctx *ctx, wlab_err *err)
{
    wlab_pool *pool = ctx ? ctx->pool : NULL;
    const int64_t room = s->K ? s->n : s->p->X->cols;
    double *v = wlab_alloc((size_t)room, sizeof *v);

    if (!v)
        return wlab_nomem(err);
    if (s->K) {
        wlab_symmetric_mul(s->K, s->n, s->apart, v, pool);
        *distance = sqrt(fmax(cblas_ddot((int)s->n, s->apart, 1, v, 1), 0));
    } else { /* the feature of ones is no part of it */
        wlab_passes_transpose(s->passes, s->apart, v, pool);
        *distance = cblas_dnrm2((int)room, v, 1);
    }
    wlab_free(v);
    return WL_OK;
}

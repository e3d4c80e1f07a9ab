/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * MeanMap: the means of the classes, estimated from the means of the bags.
 *
 * Weighted least squares for m_k = p_k mu_+ + (1 - p_k) mu_-, with weights omega_k, fit a line through (p_k, m_k):
 *     mu_+ = m + (1 - p) b,  mu_- = m - p b,  b = sum omega_k (p_k - p) m_k / sum omega_k (p_k - p)^2,
 * where m and p are the weighted means.  If all p_k are equal, the slope b is undetermined, and the solution of
 * smallest norm is used:
 *     mu_+ = p m / (p^2 + (1-p)^2),  mu_- = (1-p) m / (p^2 + (1-p)^2).
 */
#include "algo/llp/meanmap.h"
#include "linalg/symmetric.h"

#include <cblas.h>
#include <string.h>

static double weight_of(const mm_state *s, int64_t k)
{
    return s->by_size ? (double)wlab_super_instances_size(s->super_instances, k) : 1;
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
        POSITIVE,
        NEGATIVE
    };
    const wlab_super_instances *u = s->super_instances;
    double all = 0, mean = 0, var = 0, positives = 0, sum[3] = {0};

    s->means = (mm_means){.least = u->proportion[0], .most = u->proportion[0]};
    for (int64_t k = 0; k < u->n; k++) {
        const double o = weight_of(s, k), p = u->proportion[k];
        all += o;
        mean += o * p;
        positives += (double)wlab_super_instances_size(u, k) * p;
        s->means.least = fmin(s->means.least, p);
        s->means.most = fmax(s->means.most, p);
        sum[0] += o * p * p;
        sum[1] += o * p * (1 - p);
        sum[2] += o * (1 - p) * (1 - p);
    }
    mean /= all;
    for (int64_t k = 0; k < u->n; k++)
        var += weight_of(s, k) * (u->proportion[k] - mean) * (u->proportion[k] - mean) / all;
    s->means.singular = s->means.most - s->means.least <= 1e-9;
    s->means.condition = s->means.singular ? HUGE_VAL : condition(sum[0], sum[1], sum[2]);
    s->means.prior = positives / (double)u->rows;
    memset(s->c, 0, (size_t)s->n * sizeof *s->c);
    memset(s->in, 0, (size_t)s->n * sizeof *s->in);
    memset(s->apart, 0, (size_t)s->n * sizeof *s->apart);
    for (int64_t k = 0; k < u->n; k++) {
        const double at = weight_of(s, k) / all, size = (double)wlab_super_instances_size(u, k);
        double of[2];
        if (s->means.singular) {
            const double norm = mean * mean + (1 - mean) * (1 - mean);
            of[POSITIVE] = at * mean / norm;
            of[NEGATIVE] = at * (1 - mean) / norm;
        } else {
            const double slope = at * (u->proportion[k] - mean) / var;
            of[POSITIVE] = at + (1 - mean) * slope;
            of[NEGATIVE] = at - mean * slope;
        }
        const double c =
            (double)u->rows * (s->means.prior * of[POSITIVE] - (1 - s->means.prior) * of[NEGATIVE]);
        for (int64_t j = u->start[k]; j < u->start[k + 1]; j++) {
            const int32_t i = u->member[j];
            s->in[i] = 1;
            s->c[i] = c / size;
            s->apart[i] = (of[POSITIVE] - of[NEGATIVE]) / size;
        }
    }
}

wlab_code mm_distance(const mm_state *s, double *distance, wlab_ctx *ctx, wlab_err *err)
{
    wlab_pool *pool = ctx ? ctx->pool : NULL;
    const int64_t size = s->K ? s->n : s->p->X->cols;
    double *v = wlab_alloc((size_t)size, sizeof *v);

    if (!v)
        return wlab_nomem(err);
    if (s->K) {
        wlab_symmetric_mul(s->K, s->n, s->apart, v, NULL, pool);
        *distance = sqrt(fmax(cblas_ddot((int)s->n, s->apart, 1, v, 1), 0));
    } else { /* without the constant feature of bias= */
        wlab_passes_transpose(s->passes, s->apart, v, pool);
        *distance = cblas_dnrm2((int)size, v, 1);
    }
    wlab_free(v);
    return WL_OK;
}
